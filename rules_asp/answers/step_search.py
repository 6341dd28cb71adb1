"""The steps out of every Location that comes within reach of some units, asked for a wave at a time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import clingo

from rules_asp.answers.budgets import WANTED, budget_of, combine_stack
from rules_asp.answers.deeds import DeedVerdict, deed_query, verdicts
from rules_asp.answers.routes import MovementBudget, MoveStep, ShortestPaths
from rules_asp.knowledge.running import AnswerSet
from rules_asp.knowledge.source import Signature
from rules_asp.positions.indexes import QueryFacts
from rules_asp.positions.next_turns import next_turn
from rules_asp.positions.prepared import Position
from rules_asp.terms.grid import Hex, Location, hex_of_spot
from rules_asp.terms.names import term_text
from rules_asp.terms.symbols import location_from_symbol, to_symbol

STEP = ("step", 5)
_WANTED = (*deed_query(STEP), *WANTED, Signature("keeps", 2), Signature("in_passing", 1))
#: Of so many stacks the steps are kept with a position.
_STACKS = 6

#: Before anything is asked.
_NONE = MovementBudget(None, None, {}, False, (), ())


@dataclass
class _Asked:
    """What has been found out of the steps of a stack; which place is asked of does not matter to it."""

    steps: dict[Location, tuple[MoveStep, ...]] = field(default_factory=dict)
    passing: set[Location] = field(default_factory=set)
    budget: MovementBudget = _NONE


def _asked_before(position: Position, *of: Hashable) -> _Asked:
    """What earlier questions about a position have found out of the steps of a stack, to be added to."""
    kept: OrderedDict[Hashable, _Asked] = position.found_out.setdefault("steps", OrderedDict())
    found = kept[of] = kept.pop(of) if of in kept else _Asked()
    while len(kept) > _STACKS:
        kept.popitem(last=False)
    return found


@dataclass
class _Turn:
    """The steps in a turn as far as this search has looked, and, if kept, the answers they are read
    from.
    """

    position: Position
    asked: _Asked
    steps: dict[Location, tuple[MoveStep, ...]] = field(default_factory=dict)
    waves: dict[Location, Sequence[AnswerSet]] = field(default_factory=dict)


class StepSearch:
    """Asks for the steps out of every Location that comes within reach, a wave at a time.

    `keep`: with the answers that these steps are read from, which are asked for afresh then.
    """

    def __init__(
        self,
        position: Position,
        units: tuple[str, ...],
        by: str,
        start: Location,
        turns: int,
        only: str | None,
        paid_in: str,
        keep: bool,
        way: str | None,
        toward: Location | None = None,
    ) -> None:
        self.position = position
        self.units = units
        self.by = by
        self.start = start
        self.turns = turns
        self.only = only
        self.paid_in = paid_in
        static = position.cases[0]
        self.floor = next(
            (n.number for price, n in static.get("at_least", 2) if str(price) == paid_in), 0
        )
        self.keep = keep
        self.way = way
        self.toward = toward
        self.turns_asked = [self.turn_of(position)]
        # In later turns what holds for this phase alone is over.
        after = next_turn(position) if turns > 1 else position
        if after is not position:
            self.turns_asked.append(self.turn_of(after))
        self.turn, self.later_turn = self.turns_asked[0], self.turns_asked[-1]
        self.ask([start])
        self.routes = self.least()
        while new := [each for each in self.within() if each not in self.steps]:
            self.ask(self.around(new))
            self.routes = self.least()

    def turn_of(self, position: Position) -> _Turn:
        """A turn of which nothing has been looked at yet; what earlier questions found out is at hand."""
        if self.keep:
            return _Turn(position, _Asked())
        return _Turn(position, _asked_before(position, self.by, self.units, self.only))

    def least(self) -> ShortestPaths:
        """The least ways through the steps asked for so far."""
        return ShortestPaths(
            self.start, self.steps, self.budget, self.passing, self.turns, self.only, self.way,
            self.later_turn.steps,
        )  # fmt: skip

    @property
    def steps(self) -> dict[Location, tuple[MoveStep, ...]]:
        """The steps out of each place in this turn."""
        return self.turn.steps

    @property
    def budget(self) -> MovementBudget:
        """What can be spent."""
        return self.turn.asked.budget

    @property
    def passing(self) -> set[Location]:
        """Where nothing can stop."""
        return self.turn.asked.passing

    def within(self) -> list[Location]:
        """The Locations that come within reach, as far as is known."""
        return [place for place in self.routes.possible if self.may_lead_on(place)]

    def may_lead_on(self, place: Location) -> bool:
        """Whether a least way to the place that is asked of, if to one, may lead through this one.

        A step leads one hex on at most, and costs no less than the least that one costs.
        """
        limit = self.budget.limit(self.budget.bonuses, 1)
        if self.toward is None or limit is None or self.budget.single or self.turns > 1:
            return True
        routes, goal = self.routes, self.toward
        found = routes.known.get(goal) or (
            routes.possible.get(goal) if self.budget.unknown_costs else None
        )
        left = self.lower_bound(place, goal)
        way = routes.possible.get(place)
        spent = way.spent if way is not None else self.lower_bound(self.start, place)
        return spent + left <= limit and (found is None or spent + left < found.spent)

    def lower_bound(self, one: Location, other: Location) -> int:
        """The least that a way from one place to another can cost."""
        return hex_of_spot(one.spot).range_to(hex_of_spot(other.spot)) * self.floor

    def around(self, new: Sequence[Location]) -> list[Location]:
        """New places, and those in the hexes next to them: fewer questions, if a little more in each."""
        hexes = {each.spot for each in new if isinstance(each.spot, Hex)}
        hexes |= {near for hex_ in hexes for near in hex_.neighbours()}
        beside = (
            each
            for each in self.position.elevations
            if each.spot in hexes and each not in self.steps and each not in new
        )
        return [*new, *filter(self.may_lead_on, beside)]

    def ask(self, places: Sequence[Location]) -> None:
        """See what the steps out of these Locations are."""
        for turn in self.turns_asked:
            new = [place for place in places if place not in turn.asked.steps]
            if new:
                self.ask_steps(turn, new)
            steps = {place: turn.asked.steps[place] for place in places}
            if turn is not self.turn:
                steps = {
                    place: tuple(replace(each, later=True) for each in some)
                    for place, some in steps.items()
                }
            turn.steps |= steps

    def ask_steps(self, turn: _Turn, places: Sequence[Location]) -> None:
        """Ask for the steps out of these Locations."""
        position, known = turn.position, turn.asked
        by, any_ = clingo.Function(self.by), clingo.Function("any")
        about = []
        if self.only is not None:
            about.append(clingo.Function("held_to", [clingo.Function(self.only)]))
        for unit in map(clingo.String, self.units):
            about.append(clingo.Function("stacked", [unit]))
            for place in places:
                step = [by, unit, to_symbol(place, "location"), any_, any_]
                about.append(clingo.Function("asked", [clingo.Function("step", step)]))
        question = position.completed(QueryFacts(tuple(about)), local=True)
        answers = position.ask(_WANTED, question, local=True)
        if self.keep:
            turn.waves |= dict.fromkeys(places, answers)
        budget = budget_of(position, answers, self.by, self.units)
        passing: set[Location] = set()
        for answer in answers:
            passing |= {location_from_symbol(where) for (where,) in answer.get("in_passing", 1)}
        kept = {each for answer in answers for each in answer.get("keeps", 2)}
        found: dict[tuple[Location, Location, str], list[DeedVerdict]] = {}
        for verdict in verdicts(position, answers, STEP):
            by, _, one, two, way = verdict.deed.arguments
            if str(by) == self.by:
                key = (location_from_symbol(one), location_from_symbol(two), term_text(way))
                found.setdefault(key, []).append(verdict)
        steps: dict[Location, tuple[MoveStep, ...]] = dict.fromkeys(places, ())
        courses = [*budget.bonuses, *([self.only] if self.only else [])]
        for (start, to, how), each in found.items():
            keeps = frozenset(
                course
                for course in courses
                if all((clingo.Function(course), one.deed) in kept for one in each)
            )
            if start in steps:
                steps[start] += (self.common_steps(start, to, how, each, keeps),)
        known.budget = budget
        known.passing |= passing
        known.steps |= {place: self.bounded(each) for place, each in steps.items()}

    def bounded(self, steps: tuple[MoveStep, ...]) -> tuple[MoveStep, ...]:
        """Steps out of one place, each at least as dear as such that are no dearer, by what the rules
        say.
        """
        least = {(step.to, step.way): step.at_least for step in steps}
        pairs = self.position.cases[0].get("no_cheaper", 2)
        cheaper = {str(way): str(other) for way, other in pairs}
        return tuple(
            step
            if step.mf is not None or step.way not in cheaper
            else replace(
                step, at_least=max(step.at_least, least.get((step.to, cheaper[step.way]), 0))
            )
            for step in steps
        )

    def common_steps(
        self,
        start: Location,
        to: Location,
        way: str,
        each: Sequence[DeedVerdict],
        keeps: frozenset[str],
    ) -> MoveStep:
        """A step of all units: legal if it is for each of them, illegal if it is for one."""
        legal: bool | None = None
        if any(one.legal is False for one in each):
            legal = False
        elif len(each) == len(self.units) and all(one.legal for one in each):
            legal = True
        telling = [one for one in each if legal is not False or one.legal is False]
        norms = dict.fromkeys(norm for one in telling for norm in (*one.norms, *one.priced))
        reasons = dict.fromkeys(why for one in each for why in one.unknown)
        unknown = tuple(reasons) if legal is not False else ()
        mf = combine_stack(self.position.cases[0], each[0].paid_in, [one.cost for one in each])
        parts = (one.cost if one.cost is not None else one.part or 0 for one in each)
        at_least = max(self.floor, *parts) if mf is None else mf
        return MoveStep(start, to, way, legal, mf, tuple(norms), unknown, keeps, at_least)
