"""Where units can go: every Location that they reach in a phase, at the least MF, and the way there.

The rules give single steps, what each costs, and how much a way of several may cost; the least way
through them is found here. A way that keeps a course in all its steps may cost more: which courses there
are, and which steps keep them, the rules say. What a way of which a step is not known amounts to is told
beside it (`routes.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import clingo

from rules_asp.answers.budgets import WANTED, budget_of, paid_in, picked
from rules_asp.answers.deeds import Verdict, verdicts, wanted
from rules_asp.answers.grounds_of_ways import route_grounds
from rules_asp.answers.routes import Budget, Reached, Routes, Step
from rules_asp.answers.unknowns import Reason
from rules_asp.answers.words import Word, word_of
from rules_asp.knowledge.running import Answer
from rules_asp.knowledge.source import Node
from rules_asp.positions.belonging import OfPosition
from rules_asp.positions.indexes import Question
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import Position
from rules_asp.positions.settling import standing
from rules_asp.terms.grid import Hex, Location, Vertex, spot_hex
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.names import named
from rules_asp.terms.symbols import location_of, symbol_of

STEP = ("step", 5)


@dataclass(frozen=True)
class Short:
    """By what a place is not reached for certain: why that is not known, and the steps that decide it."""

    unknown: tuple[Reason, ...]
    steps: tuple[Step, ...]

    @property
    def norms(self) -> tuple[str, ...]:
        """Who forbids it: each of the steps, if some norms do, or else one of them."""
        if self.unknown or not self.steps:
            return ()
        first, *others = (each.norms for each in self.steps)
        common = tuple(n for n in first if all(n in each for each in others))
        return common or tuple(dict.fromkeys(norm for each in self.steps for norm in each.norms))


@dataclass(frozen=True)
class Moves(OfPosition):
    """Where units can go. `pace` is what they have to spend, in quarters of what they pay; None if not known.

    `paid_in` is `mf` or `mp`. `bonuses` come on top, each for a way wholly of a course. `perhaps` are
    Locations to which a way leads of which it is not known whether it is one, `passed` such as are reached
    and where nothing can stop. `forbidden` and `unknown` are the single steps, out of any Location that is
    reached, or may be, which are not legal, and not known to be; of the latter those alone that lead to
    where nothing else does. `besides` is why no cost of a way is known in full. `by` is what such a step is
    called in a deed; of a `single` one a way is made.
    """

    units: tuple[str, ...]
    phase: str
    start: Location
    pace: int | None
    bonuses: Mapping[str, int]
    reach: tuple[Reached, ...]
    forbidden: tuple[Step, ...]
    unknown: tuple[Step, ...]
    reasons: tuple[Reason, ...] = ()
    norms: tuple[str, ...] = ()
    perhaps: tuple[Reached, ...] = ()
    passed: tuple[Reached, ...] = ()
    paid_in: str = "mf"
    turns: int = 1
    besides: tuple[Reason, ...] = ()
    by: str = "move"
    single: bool = False
    #: Ways that take more than can be spent, to Locations next to what is reached.
    too_dear: Mapping[Location, tuple[Step, ...]] = field(default_factory=dict)

    def to(self, place: Location) -> Reached | None:
        """How a Location is reached, or may be."""
        every = (*self.reach, *self.passed, *self.perhaps)
        return next((each for each in every if each.to == place), None)

    def unsure(self, place: Location) -> tuple[Reason, ...]:
        """Why it is not known whether a Location is reached; nothing where it is, or is not."""
        found = self.to(place)
        if found is not None:
            return found.unknown if found in self.perhaps else ()
        # Of what can be spent nothing is known, and so not how far it takes them.
        open_ = self.pace is None and self.reasons and (self.reach or self.perhaps or self.passed)
        return self.reasons if open_ and place != self.start else ()

    @property
    def word(self) -> Word:
        """Whether they can go anywhere: forbidden where each single step out of their place is."""
        open_ = self.reasons or self.unknown or self.perhaps
        anywhere = bool(self.reach) or (None if open_ else False)
        return word_of(anywhere, [norm for each in self.forbidden for norm in each.norms])

    def short_of(self, place: Location) -> Short:
        """By what a place is not reached for certain.

        That are the steps that lead there, and where no step out of their place is legal, all of these.
        """
        reasons = self.unsure(place)
        if reasons:
            return Short(reasons, tuple(each for each in self.unknown if each.unknown))
        last = tuple(
            each
            for each in self.forbidden
            if each.to == place and (each.start == self.start or not self.single)
        )
        return Short((), last or (() if self.reach or self.passed else self.forbidden))


def moves(
    position: Position,
    units: Sequence[str],
    phase: str = "mph",
    turns: int = 1,
    only: str | None = None,
    cite: bool = True,
    way: str | None = None,
    toward: Location | None = None,
) -> Moves:
    """Where these units, as one stack, can go in a phase, one of the words for a moving_phase.

    In several `turns`, one such phase in each, they go on where they are, on the board as it stands. `only`
    is a course, one of its words, that every step has to keep, `way` one by which each has to go. `cite` can
    be switched off to save the time that it takes to find what the ways rest on. Where it is asked of one
    place alone, `toward` leaves out what lies too far aside of the way there. QuestionError for a unit
    that is not on the board, for units that do not stand together or do not pay alike, and for another phase
    or course.
    """
    kinds = {str(each): str(by) for each, by in position.cases[0].get("moves_by", 2)}
    if phase not in kinds:
        known = ", ".join(vocabulary().words["moving_phase"])
        raise QuestionError(f"{phase} is no phase to move in: {known}")
    if only is not None and only not in vocabulary().words["course"]:
        known = ", ".join(word.replace("_", "-") for word in vocabulary().words["course"])
        raise QuestionError(f"{only} is no course of a way: {known}")
    if not 1 <= turns <= _MOST_TURNS:
        raise QuestionError(f"{turns} turns: expected 1 to {_MOST_TURNS}")
    if not units:
        raise QuestionError("no unit is named")
    units = tuple(dict.fromkeys(units))
    start = standing(position, units[0])
    for unit in units[1:]:
        if standing(position, unit) != start:
            raise QuestionError(f"{units[0]} and {unit} do not stand in one Location")
    by = kinds[phase]
    paid = paid_in(position, by, units)
    search = _Search(position, units, by, start, turns, only, paid, cite, way, toward)
    budget, routes = search.budget, search.routes
    reached = tuple(sorted(routes.reached(), key=_in_order))
    if cite:
        found = route_grounds(position, by, units, [each.path for each in reached], search.waves)
        reached = tuple(replace(each, rests_on=of) for each, of in zip(reached, found, strict=True))
    perhaps = tuple(sorted(routes.perhaps(), key=_in_order))
    sure = {start, *(each.to for each in reached)}
    steps = [
        step
        for place in (*sure, *(each.to for each in perhaps))
        for step in search.steps.get(place, ())
    ]
    return Moves(
        units,
        phase,
        start,
        budget.pace,
        {} if budget.single else {m: n for m, n in budget.bonuses.items() if n},
        tuple(each for each in reached if each.to not in search.passing),
        tuple(step for step in steps if step.legal is False),
        tuple(
            each for each in steps if (each.legal is None or each.unknown) and each.to not in sure
        ),
        budget.reasons,
        budget.norms,
        perhaps,
        tuple(each for each in reached if each.to in search.passing),
        search.paid_in,
        turns,
        budget.besides,
        by,
        budget.single,
        routes.too_dear(),
    )


def is_shut(position: Position, unit: str, phase: str, place: Location) -> bool:
    """Whether each step to a place is forbidden to a unit, wherever it begins: no way leads there then.

    So it is whatever the unit can spend, which need not be known. A step from elsewhere in the hex counts
    where that can be come to.
    """
    by = next(str(b) for each, b in position.cases[0].get("moves_by", 2) if str(each) == phase)
    paid = paid_in(position, by, [unit])
    start = standing(position, unit)
    search = _Search(position, (unit,), by, start, 1, None, paid, False, None, place)
    middle = spot_hex(place.spot)
    hexes = {middle, *middle.neighbours()}
    corners = (Location(Vertex(each, corner)) for each in hexes for corner in range(6))
    near = [each for each in position.elevations if spot_hex(each.spot) in hexes]
    near += [each for each in corners if each not in position.elevations]
    search.ask(
        [
            each
            for each in near
            if each not in search.steps and spot_hex(each.spot) in position.bases
        ]
    )
    steps = [step for each in search.steps.values() for step in each]
    region, new = {place}, {place}
    while new:
        last = [step for step in steps if step.to in region and step.start not in region]
        first = {step.start for step in last if step.legal is not False}
        new = {each for each in first if spot_hex(each.spot) == middle and each != search.start}
        if first != new:
            return False
        region |= new
    return any(step.to == place for step in steps)


#: More turns than a scenario has.
_MOST_TURNS = 50


def _in_order(each: Reached) -> tuple[int, int, str]:
    amount = next((n for n in (each.mf, each.at_most, each.at_least) if n is not None), 0)
    return each.turn, amount, str(each.to)


class _Search:
    """Asks for the steps out of every Location that comes within reach, a wave at a time."""

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
        self.steps: dict[Location, tuple[Step, ...]] = {}
        #: The answers to what the steps out of each place are, if they are to be kept for the proofs.
        self.waves: dict[Location, Sequence[Answer]] = {}
        self.keep = keep
        self.way = way
        self.toward = toward
        self.passing: set[Location] = set()
        self.budget = Budget(None, None, {}, False, (), ())
        self.ask([start])
        self.routes = self.least()
        while new := [each for each in self.within() if each not in self.steps]:
            self.ask(self.around(new))
            self.routes = self.least()

    def least(self) -> Routes:
        """The least ways through the steps asked for so far."""
        return Routes(
            self.start, self.steps, self.budget, self.passing, self.turns, self.only, self.way
        )

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
            routes.possible.get(goal) if self.budget.besides else None
        )
        left = self.near(place, goal)
        way = routes.possible.get(place)
        spent = way.spent if way is not None else self.near(self.start, place)
        return spent + left <= limit and (found is None or spent + left < found.spent)

    def near(self, one: Location, other: Location) -> int:
        """The least that a way from one place to another can cost."""
        return spot_hex(one.spot).range_to(spot_hex(other.spot)) * self.floor

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
        """Ask for the steps out of these Locations."""
        by, any_ = clingo.Function(self.by), clingo.Function("any")
        about = []
        if self.only is not None:
            about.append(clingo.Function("held_to", [clingo.Function(self.only)]))
        for unit in map(clingo.String, self.units):
            about.append(clingo.Function("stacked", [unit]))
            for place in places:
                step = [by, unit, symbol_of(place, "location"), any_, any_]
                about.append(clingo.Function("asked", [clingo.Function("step", step)]))
        question = self.position.completed(Question(tuple(about)), local=True)
        answers = self.position.ask(_WANTED, question, local=True)
        if self.keep:
            self.waves |= dict.fromkeys(places, answers)
        self.budget = budget_of(self.position, answers, self.by, self.units)
        for answer in answers:
            self.passing |= {location_of(where) for (where,) in answer.get("in_passing", 1)}
        kept = {each for answer in answers for each in answer.get("keeps", 2)}
        found: dict[tuple[Location, Location, str], list[Verdict]] = {}
        for verdict in verdicts(self.position, answers, STEP):
            by, _, one, two, way = verdict.deed.arguments
            if str(by) == self.by:
                key = (location_of(one), location_of(two), named(way))
                found.setdefault(key, []).append(verdict)
        for place in places:
            self.steps[place] = ()
        courses = [*self.budget.bonuses, *([self.only] if self.only else [])]
        for (start, to, how), each in found.items():
            keeps = frozenset(
                course
                for course in courses
                if all((clingo.Function(course), one.deed) in kept for one in each)
            )
            if start in self.steps:
                self.steps[start] += (self.together(start, to, how, each, keeps),)
        for place in places:
            self.steps[place] = self.bounded(self.steps[place])

    def bounded(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """Steps out of one place, each at least as dear as such that are no dearer, by what the rules say."""
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

    def together(
        self,
        start: Location,
        to: Location,
        way: str,
        each: Sequence[Verdict],
        keeps: frozenset[str],
    ) -> Step:
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
        mf = picked(self.position.cases[0], each[0].paid_in, [one.cost for one in each])
        parts = (one.cost if one.cost is not None else one.part or 0 for one in each)
        at_least = max(self.floor, *parts) if mf is None else mf
        return Step(start, to, way, legal, mf, tuple(norms), unknown, keeps, at_least)


_WANTED = (*wanted(STEP), *WANTED, Node("keeps", 2), Node("in_passing", 1))
