"""The step search: the steps out of every Location within reach, asked in waves.

Several searches on one position can be asked together. Results of earlier questions are reused.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial

import clingo

from rules_asp.explain.proof import Evidence, value_goals
from rules_asp.explain.unknown import Reason, UnknownReasons
from rules_asp.game.grid import Hex, Location, hex_of_spot
from rules_asp.game.values import Notation, location_from_symbol, to_symbol
from rules_asp.game.vocabulary import NO, YES
from rules_asp.knowledge.program import value_signatures
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.position import Position
from rules_asp.queries.deeds import DeedVerdict, deed_query, verdicts
from rules_asp.queries.paths import (
    WANTED,
    MovementBudget,
    MoveStep,
    ReachedLocation,
    ShortestPaths,
    budget_of,
    combine_stack,
    next_turn,
)


def judges_ends(position: Position, by: str) -> bool:
    """Test whether rules decide where a path of such steps may end."""
    return any(str(each) == by for (each,) in position.cases[0].get("ends_judged", 1))


def path_search_facts(position: Position, by: str, units: Iterable[str]) -> list[clingo.Symbol]:
    """Return the facts of a question about whole paths, if rules decide where these may end."""
    if not judges_ends(position, by):
        return []
    return [clingo.Function("path_search", [clingo.String(unit)]) for unit in units]


@dataclass(frozen=True)
class PathEnd:
    """Whether units may end a path in a Location, the deciding norms, and the reasons if it is
    unknown."""

    legal: bool | None
    norms: tuple[str, ...] = ()
    unknown: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class PathEnds:
    """The verdicts on path ends, with their answer sets."""

    ends: Mapping[Location, PathEnd]
    topics: Mapping[Location, Sequence[clingo.Symbol]]
    rests_on: Evidence

    def evidence(self, places: Iterable[Location]) -> Evidence:
        """Return the evidence of the verdicts on these Locations."""
        topics = [topic for place in places for topic in self.topics.get(place, ())]
        return self.rests_on.of(value_goals(topics, self.rests_on.answers))


def judge_ends(
    position: Position, units: Sequence[str], by: str, routes: ShortestPaths
) -> PathEnds:
    """Judge each Location that a path leads, or may lead, to."""
    facts, places = [], []
    for each in (*routes.reached(), *routes.perhaps()):
        places.append(each.to)
        where = to_symbol(each.to, "location")
        least, most = (each.at_least or 0, each.at_most) if each.mf is None else (each.mf, each.mf)
        certain = most is not None and each.to in routes.known
        bounds = [clingo.Number(least), *([clingo.Number(most or 0)] if certain else [])]
        name = "path_to" if certain else "maybe_path_to"
        facts += [clingo.Function(name, [clingo.String(unit), where, *bounds]) for unit in units]
    topics = {
        place: [
            clingo.Function(
                "path_end", [clingo.Function(by), clingo.String(unit), to_symbol(place, "location")]
            )
            for unit in units
        ]
        for place in places
    }
    facts += [clingo.Function("asked", [each]) for several in topics.values() for each in several]
    question = QueryFacts(tuple(facts))
    answers = position.ask(value_signatures(("path_end", 3)), question, local=True)
    doubts = [UnknownReasons(position, answer) for answer in answers]
    ends = {place: _path_end(answers, doubts, several) for place, several in topics.items()}
    return PathEnds(ends, topics, Evidence(position, (), answers))


def _path_end(
    answers: Sequence[AnswerSet],
    doubts: Sequence[UnknownReasons],
    topics: Sequence[clingo.Symbol],
) -> PathEnd:
    """Return the verdict on one Location for all units, over all cases."""
    told = {topic: {str(answer.values.get(topic)) for answer in answers} for topic in topics}
    norms = dict.fromkeys(
        atom.arguments[0].string
        for answer in answers
        for topic in topics
        for atom in answer.atoms_of("undefeated_value", 3, topic)
    )
    if {NO} in told.values():
        return PathEnd(False, tuple(norms))
    if all(each == {YES} for each in told.values()):
        return PathEnd(True, tuple(norms))
    reasons = dict.fromkeys(why for each in doubts for topic in topics for why in each.of(topic))
    return PathEnd(None, tuple(norms), tuple(reasons))


Reached = tuple[ReachedLocation, ...]


def by_end(
    reached: Reached, perhaps: Reached, ends: Mapping[Location, PathEnd]
) -> tuple[Reached, Reached, Reached]:
    """Return the Locations where a path may end, where it possibly may, and where it may not."""

    def sorted_by(legal: bool | None, some: Reached) -> Iterator[ReachedLocation]:
        for each in some:
            end = ends.get(each.to)
            if (True if end is None else end.legal) is legal:
                unknown = () if end is None else end.unknown
                yield replace(each, unknown=(*each.unknown, *unknown)) if unknown else each

    open_ = (*sorted_by(None, reached), *sorted_by(True, perhaps), *sorted_by(None, perhaps))
    return (
        tuple(sorted_by(True, reached)),
        tuple(sorted(open_, key=ReachedLocation.sort_key)),
        tuple(sorted_by(False, reached)),
    )


STEP = ("step", 5)
_WANTED = (
    *WANTED,
    Signature("keeps", 2),
    Signature("in_passing", 1),
    Signature("marks", 2),
    Signature("may_mark", 2),
    Signature("barred_by_mark", 3),
)
#: Number of stacks whose steps are cached with a position.
_STACKS = 6

#: The budget before the first question.
_NONE = MovementBudget(None, None, {}, False, (), ())


def step_key(
    start: clingo.Symbol, to: clingo.Symbol, way: clingo.Symbol, notation: Notation
) -> tuple[Location, Location, str]:
    """Return the key of a step: its start, its end, and its manner in words."""
    one, two = (location_from_symbol(each, notation.names) for each in (start, to))
    return one, two, notation.term_text(way)


def step_deed(by: str, unit: str, step: MoveStep) -> clingo.Symbol:
    """Return a step of a unit as an action term."""
    ends = (to_symbol(each, "location") for each in (step.start, step.to))
    way = clingo.parse_term(step.way_term)
    return clingo.Function(STEP[0], [clingo.Function(by), clingo.String(unit), *ends, way])


@dataclass(frozen=True)
class Wave:
    """The answer sets of a question about steps, and the verdicts on the steps."""

    answers: Sequence[AnswerSet]
    verdicts: Sequence[DeedVerdict]


@dataclass
class _Asked:
    """The known steps of a stack, whatever place a question is about."""

    steps: dict[Location, tuple[MoveStep, ...]] = field(default_factory=dict)
    passing: set[Location] = field(default_factory=set)
    budget: MovementBudget = _NONE
    waves: dict[Location, Wave] = field(default_factory=dict)


#: The stack of the newest search of this process. Only it keeps its answer sets, which are large:
#: a question without citations is often repeated with them.
_newest: list[_Asked] = []


def _keep_waves(asked: _Asked, wave: Wave, places: Iterable[Location]) -> None:
    """Keep the answer sets about steps out of these places, instead of those of another stack."""
    while _newest and _newest[-1] is not asked:
        _newest.pop().waves = {}
    if not _newest:
        _newest.append(asked)
    asked.waves |= dict.fromkeys(places, wave)


def _asked_before(position: Position, *of: Hashable) -> _Asked:
    """Return the cached steps of a stack on a position; new ones are added to it."""
    kept: OrderedDict[Hashable, _Asked] = position.found_out.setdefault("steps", OrderedDict())
    found = kept[of] = kept.pop(of) if of in kept else _Asked()
    while len(kept) > _STACKS:
        kept.popitem(last=False)
    return found


@dataclass
class _Turn:
    """The steps in a turn as far as they were searched, and, if kept, their answer sets."""

    position: Position
    asked: _Asked
    steps: dict[Location, tuple[MoveStep, ...]] = field(default_factory=dict)
    waves: dict[Location, Wave] = field(default_factory=dict)


@dataclass(frozen=True)
class _Memory:
    """What steps do to a path: the units whose steps mark it, or may mark it, the steps forbidden on
    a marked path, and the kinds of paths that a step keeps."""

    sure: Mapping[clingo.Symbol, frozenset[str]]
    perhaps: Mapping[clingo.Symbol, frozenset[str]]
    barred: Mapping[clingo.Symbol, frozenset[tuple[str, str]]]
    #: For each action, the kinds of paths that it keeps.
    kept: Mapping[clingo.Symbol, frozenset[str]]

    @classmethod
    def of(cls, answers: Sequence[AnswerSet]) -> _Memory:
        """Read it from the answer sets of a question; in cases that differ, a mark is only
        possible."""
        marks = [set(answer.get("marks", 2)) for answer in answers]
        may = {each for answer in answers for each in answer.get("may_mark", 2)}
        sure = set.intersection(*marks) if marks else set()
        barred: dict[clingo.Symbol, set[tuple[str, str]]] = {}
        for answer in answers:
            for norm, deed, unit in answer.get("barred_by_mark", 3):
                barred.setdefault(deed, set()).add((norm.string, unit.string))
        kept: dict[clingo.Symbol, set[str]] = {}
        for answer in answers:
            for course, deed in answer.get("keeps", 2):
                kept.setdefault(deed, set()).add(str(course))
        return cls(
            _units_by_deed(sure),
            _units_by_deed(may.union(*marks)),
            {deed: frozenset(each) for deed, each in barred.items()},
            {deed: frozenset(each) for deed, each in kept.items()},
        )

    def on(self, step: MoveStep, deeds: Sequence[clingo.Symbol]) -> MoveStep:
        """Return a step of units with the marks of all their actions."""
        marks = frozenset(unit for deed in deeds for unit in self.sure.get(deed, ()))
        may = frozenset(unit for deed in deeds for unit in self.perhaps.get(deed, ()))
        barred = frozenset(pair for deed in deeds for pair in self.barred.get(deed, ()))
        return replace(step, marks=marks, may_mark=may, barred=barred) if may or barred else step


def _units_by_deed(
    pairs: Iterable[Sequence[clingo.Symbol]],
) -> dict[clingo.Symbol, frozenset[str]]:
    found: dict[clingo.Symbol, set[str]] = {}
    for deed, unit in pairs:
        found.setdefault(deed, set()).add(unit.string)
    return {deed: frozenset(each) for deed, each in found.items()}


def distinct_units(position: Position, units: Sequence[str]) -> tuple[str, ...]:
    """Return one of each group of units of which the board says the same.

    The rules read a unit only through such facts, so the steps of these units are the same.
    """
    told = position.found_out.get("facts by unit")
    if not isinstance(told, dict):
        told = position.found_out["facts by unit"] = _facts_by_unit(position)
    first: dict[Hashable, str] = {}
    for unit in units:
        first.setdefault(told.get(unit, unit), unit)
    return tuple(first.values())


def _facts_by_unit(position: Position) -> dict[str, Hashable]:
    """Return the facts of the board about each unit, without its name."""
    names = {unit.string for unit, _ in position.cases[0].get("at", 2)}
    found: dict[str, list[str]] = {name: [] for name in names}
    facts = position.board_facts
    for number, texts in facts.texts.items():
        for name in names & texts:
            found[name].append(str(facts.symbols[number]).replace(f'"{name}"', "*"))
    return {name: tuple(sorted(facts)) for name, facts in found.items()}


class StepSearch:
    """The known steps of a stack; `explore` asks for all within reach.

    `keep`: also store the answer sets of the steps, and ask again where they are not known.
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
        #: The units whose steps are asked: of equal ones the first.
        self.asked_units = distinct_units(position, units)
        #: Whether the search stopped before the last wave.
        self.unfinished = False
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
        # States of this phase only are over in later turns.
        after = next_turn(position) if turns > 1 else position
        if after is not position:
            self.turns_asked.append(self.turn_of(after))
        self.turn, self.later_turn = self.turns_asked[0], self.turns_asked[-1]
        self.routes = ShortestPaths(start, {}, _NONE)

    def turn_of(self, position: Position) -> _Turn:
        """Return a new turn with the results of earlier questions."""
        asked = _asked_before(position, self.by, self.units, self.only)
        return _Turn(position, asked, waves=dict(asked.waves))

    def is_known(self, turn: _Turn, place: Location) -> bool:
        """Test whether the steps out of a Location are known, and their answer sets if kept."""
        return place in turn.asked.steps and (not self.keep or place in turn.waves)

    def least(self) -> ShortestPaths:
        """Return the cheapest paths through the steps asked so far."""
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
        """The allowance."""
        return self.turn.asked.budget

    @property
    def passing(self) -> set[Location]:
        """The Locations where no unit may stop."""
        return self.turn.asked.passing

    def within(self) -> list[Location]:
        """Return the Locations within reach, as far as is known."""
        return [place for place in self.routes.possible if self.may_lead_on(place)]

    def may_lead_on(self, place: Location) -> bool:
        """Test whether a cheapest path to the wanted place, if there is one, may lead through a
        Location.

        A step moves at most one hex, and costs at least the least cost of a step.
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
        """Return a lower bound for the cost of a path between two places."""
        return hex_of_spot(one.spot).range_to(hex_of_spot(other.spot)) * self.floor

    def around(self, new: Sequence[Location]) -> list[Location]:
        """Return new places and those in adjacent hexes, for fewer and slightly larger questions.

        A place or floor is left out if each step to it that is known so far is forbidden.
        """
        goes_on = filter(self.can_go_on, new)
        hexes = {each.spot for each in goes_on if isinstance(each.spot, Hex)}
        hexes |= {near for hex_ in hexes for near in hex_.neighbours()}
        known = [step for steps in self.steps.values() for step in steps]
        open_ = {step.to for step in known if step.legal is not False}
        closed = {step.to for step in known if step.legal is False} - open_
        floors = {each.floor for each in closed} - {each.floor for each in open_}
        beside = (
            each
            for each in self.position.index.elevations
            if each.spot in hexes
            and each not in self.steps
            and each not in new
            and each not in closed
            and each.floor not in floors
        )
        return [*new, *filter(self.may_lead_on, beside)]

    def frontier(self) -> list[Location]:
        """Return the Locations within reach with unknown steps."""
        return [each for each in self.within() if each not in self.steps]

    def can_go_on(self, place: Location) -> bool:
        """Test whether a unit that reaches this Location can afford the cheapest step."""
        limit = self.budget.limit(self.budget.bonuses, 1)
        way = self.routes.possible.get(place)
        if limit is None or way is None or self.budget.single or self.turns > 1:
            return True
        return way.spent + self.floor <= limit

    def ask(self, places: Sequence[Location]) -> None:
        """Ask for the steps out of these Locations."""
        _ask({self: places})

    def read(
        self,
        turn: _Turn,
        places: Sequence[Location],
        answers: Sequence[AnswerSet],
        doubts: Sequence[UnknownReasons],
        judged: Iterable[DeedVerdict],
        memory: _Memory,
        passing: Collection[Location],
    ) -> None:
        """Add the judged steps out of these Locations to the turn."""
        position, known = turn.position, turn.asked
        budget = budget_of(position, answers, self.by, self.asked_units, doubts)
        place_of = cache(partial(location_from_symbol, names=position.names))
        text_of = cache(position.notation.term_text)
        found: dict[tuple[Location, Location, str], list[DeedVerdict]] = {}
        for verdict in judged:
            _, _, one, two, way = verdict.deed.arguments
            ends = place_of(one), place_of(two)
            key = *ends, text_of(way)
            found.setdefault(key, []).append(verdict)
        steps: dict[Location, tuple[MoveStep, ...]] = dict.fromkeys(places, ())
        courses = frozenset((*budget.bonuses, *([self.only] if self.only else ())))
        for (start, to, how), each in found.items():
            if start in steps:
                keeps = courses.intersection(*(memory.kept.get(one.deed, ()) for one in each))
                common = self.common_steps(start, to, how, each, keeps)
                steps[start] += (memory.on(common, [one.deed for one in each]),)
        known.budget = budget
        known.passing.update(passing)
        known.steps |= {place: self.bounded(each) for place, each in steps.items()}

    def bounded(self, steps: tuple[MoveStep, ...]) -> tuple[MoveStep, ...]:
        """Return steps out of one place, with lower bounds from steps that the rules order by cost."""
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
        """Combine a step of all units: legal if it is for each, illegal if it is for one."""
        legal: bool | None = None
        if any(one.legal is False for one in each):
            legal = False
        elif len(each) == len(self.asked_units) and all(one.legal for one in each):
            legal = True
        telling = [one for one in each if legal is not False or one.legal is False]
        norms = dict.fromkeys(norm for one in telling for norm in (*one.norms, *one.priced))
        reasons = dict.fromkeys(why for one in each for why in one.unknown)
        unknown = tuple(reasons) if legal is not False else ()
        mf = combine_stack(self.position.cases[0], each[0].paid_in, [one.cost for one in each])
        parts = (one.cost if one.cost is not None else one.part or 0 for one in each)
        at_least = max(self.floor, *parts) if mf is None else mf
        term = str(each[0].deed.arguments[-1])
        return MoveStep(
            start, to, way, legal, mf, tuple(norms), unknown, keeps, at_least, way_term=term
        )


def explore(*searches: StepSearch, waves: int | None = None) -> None:
    """Ask for the steps out of every Location within reach, in waves; at most so many.

    Several searches are asked together, each about the steps in its own reach. They differ only in
    units and starts. A single search also asks about adjacent Locations, for fewer questions.
    """
    wave: dict[StepSearch, Sequence[Location]] = {each: [each.start] for each in searches}
    asked = 0
    while wave:
        if asked == waves:
            for search in wave:
                search.unfinished = True
            return
        asked += 1
        _ask(wave)
        for search in wave:
            search.routes = search.least()
        alone = len(searches) == 1
        new = {search: search.frontier() for search in wave}
        wave = {
            search: search.around(places) if alone else list(filter(search.can_go_on, places))
            for search, places in new.items()
        }
        wave = {search: places for search, places in wave.items() if places}


def _ask(wave: Mapping[StepSearch, Sequence[Location]]) -> None:
    """Ask for the steps out of these Locations, for each search."""
    for turns in zip(*(each.turns_asked for each in wave), strict=True):
        new = {
            search: (turn, some)
            for (search, places), turn in zip(wave.items(), turns, strict=True)
            if (some := [each for each in places if not search.is_known(turn, each)])
        }
        if new:
            _ask_steps(new)
        for (search, places), turn in zip(wave.items(), turns, strict=True):
            steps = {place: turn.asked.steps[place] for place in places}
            if turn is not search.turn:
                steps = {
                    place: tuple(replace(each, later=True) for each in out_of)
                    for place, out_of in steps.items()
                }
            turn.steps |= steps


def _ask_steps(wave: Mapping[StepSearch, tuple[_Turn, Sequence[Location]]]) -> None:
    """Ask one question about the steps out of these Locations, all in the same turn."""
    search, (turn, _) = next(iter(wave.items()))
    position, by = turn.position, search.by
    any_ = clingo.Function("any")
    about = []
    if search.only is not None:
        about.append(clingo.Function("held_to", [clingo.Function(search.only)]))
    about += path_search_facts(position, by, [unit for each in wave for unit in each.units])
    for each, (_, places) in wave.items():
        leader, *_ = each.units
        for unit in map(clingo.String, each.units):
            about.append(clingo.Function("stacked", [clingo.String(leader), unit]))
        for unit in map(clingo.String, each.asked_units):
            for place in places:
                step = [clingo.Function(by), unit, to_symbol(place, "location"), any_, any_]
                about.append(clingo.Function("asked", [clingo.Function("step", step)]))
    question = position.completed(QueryFacts(tuple(about)), local=True)
    wanted = (*deed_query(STEP, position.vocabulary), *_WANTED)
    answers = position.ask(wanted, question, local=True)
    memory = _Memory.of(answers)
    doubts = [UnknownReasons(position, answer) for answer in answers]
    judged: dict[str, list[DeedVerdict]] = {}
    found = Wave(answers, tuple(verdicts(position, answers, STEP, doubts)))
    for verdict in found.verdicts:
        kind, unit, *_ = verdict.deed.arguments
        if str(kind) == by:
            judged.setdefault(unit.string, []).append(verdict)
    passing = {
        location_from_symbol(where, position.names)
        for answer in answers
        for (where,) in answer.get("in_passing", 1)
    }
    for each, (its_turn, places) in wave.items():
        if each.keep:
            its_turn.waves |= dict.fromkeys(places, found)
        if len(wave) == 1:
            _keep_waves(its_turn.asked, found, places)
        own = (verdict for unit in sorted(each.units) for verdict in judged.get(unit, ()))
        each.read(its_turn, places, answers, doubts, own, memory, passing)
