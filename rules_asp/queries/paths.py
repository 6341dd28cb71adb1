"""Shortest paths with unknown costs; the step search; movement budgets; the next turn.

A step that is not known to be legal, or of which the cost is not known, may be a part of a way that is
shorter than any that is known. So two ways are looked for: through the steps that are known, and through
all that may be, each at the least that it can cost. Where both cost the same, that is the cost.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from heapq import heappop, heappush
from itertools import count

import clingo

from rules_asp.explain.proof import Evidence, value_goals
from rules_asp.explain.unknown import Reason, UnknownReasons, differing_assumptions
from rules_asp.game.board import Fact, Statement
from rules_asp.game.grid import Hex, Location, hex_of_spot
from rules_asp.game.values import Notation, location_from_symbol, to_symbol
from rules_asp.game.vocabulary import NO, YES
from rules_asp.knowledge.program import value_signatures
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position
from rules_asp.queries.deeds import DeedVerdict, deed_query, verdicts
from rules_asp.queries.steps import MoveStep, ReachedLocation
from rules_asp.queries.variants import without_facts


@dataclass(frozen=True)
class MovementBudget:
    """What the rules say about a phase, for units that go together; MF or MP in quarters.

    `whole` is what they can spend in a phase, `pace` what is left of it in this one, None where it is not
    known. `unknown_costs` is why it is not known what a way costs beside its steps. `strayed` are
    courses which the way so far has not kept.
    """

    pace: int | None
    whole: int | None
    bonuses: Mapping[str, int]
    single: bool
    reasons: tuple[Reason, ...]
    norms: tuple[str, ...]
    unknown_costs: tuple[Reason, ...] = ()
    strayed: frozenset[str] = frozenset()

    def limit(self, courses: Iterable[str], turn: int) -> int | None:
        """What a way of these courses may cost in all in this turn; None where that is not known."""
        pace = self.pace if turn == 1 else self.whole
        more = sum(self.bonuses[course] for course in courses)
        return None if pace is None else pace + more

    def courses(self, turn: int) -> frozenset[str]:
        """The courses that a way which begins in this turn can still be of."""
        return frozenset(self.bonuses) - (self.strayed if turn == 1 else frozenset())


#: More than any way costs.
_ENDLESS = 10**9


@dataclass(frozen=True)
class _Way:
    """A way so far: the turn, what is spent in it, and the steps."""

    turn: int
    spent: int
    path: tuple[MoveStep, ...]
    marks: frozenset[str] = frozenset()

    def barring(self, step: MoveStep) -> Iterator[str]:
        """The norms that forbid a step on this way, as it is marked."""
        return (norm for norm, mark in step.barred if mark in self.marks)

    @property
    def cost(self) -> tuple[int, int]:
        """How far it is, in turns and MF."""
        return self.turn, self.spent


def _not_known(way: _Way) -> tuple[MoveStep, ...]:
    """The steps of a way of which it is not known that they are legal, or what they cost."""
    return tuple(step for step in way.path if step.legal is None or step.unknown)


class ShortestPaths:
    """The least ways from a Location through the steps known so far.

    `later` are the steps in turns after the first, where they are others. `only` is a course that each
    step has to keep, `way` the way that each has to go by. `passing` are Locations where nothing may stop.
    """

    def __init__(
        self,
        start: Location,
        steps: Mapping[Location, Iterable[MoveStep]],
        budget: MovementBudget,
        passing: Iterable[Location] = (),
        turns: int = 1,
        only: str | None = None,
        way: str | None = None,
        later: Mapping[Location, Iterable[MoveStep]] | None = None,
    ) -> None:
        self.start = start
        self.steps = steps
        self.later = steps if later is None else later
        self.budget = budget
        self.passing = frozenset(passing)
        self.turns = 1 if budget.single else turns
        self.only = only
        self.way = way
        self.known = self._least(self._known)
        self.possible = self.known
        if not all(self._known(step) is not None for step in self._out_of(self.known)):
            self.possible = self._least(self._possible)

    def reached(self) -> Iterator[ReachedLocation]:
        """Each Location that is certain to be reached, with what is known of the cost."""
        for place in {**self.known, **self._straight()}:
            if place != self.start:
                yield self._told(place)

    def closing(self) -> dict[Location, tuple[MoveStep, ...]]:
        """The steps that would be on a cheaper way to each Location, or on one where there is none, did not
        some one norm forbid them, or those that forbid one of them."""
        if self.budget.single:
            return {}
        closed = [
            step
            for steps in (self.steps, self.later)
            for place in self.known
            for step in steps.get(place, ())
            if step.legal is False
        ]
        found: dict[Location, dict[MoveStep, None]] = {}
        one = (frozenset((norm,)) for step in closed for norm in step.norms)
        marked = (
            frozenset((norm,))
            for place in self.known
            for step in self.steps.get(place, ())
            for norm, _ in step.barred
        )
        for norms in dict.fromkeys((*one, *marked, *(frozenset(step.norms) for step in closed))):
            for place, way in self._least(partial(self._but_for, norms), norms).items():
                known = self.known.get(place)
                if way.cost < known.cost if known is not None else place not in self.possible:
                    barred = (s for s in way.path if s.legal is False or norms & s.barring)
                    found.setdefault(place, {}).update(dict.fromkeys(barred))
        return {place: tuple(steps) for place, steps in found.items()}

    def _but_for(self, norms: frozenset[str], step: MoveStep) -> int | None:
        """What a step costs that is legal, or would be without some norms."""
        is_freed = step.legal is False and norms.issuperset(step.norms)
        return step.at_least if is_freed else self._known(step)

    def beyond_budget(self) -> dict[Location, tuple[MoveStep, ...]]:
        """The least way that may lead to each Location that is too far, as far as steps are known.

        Nothing is, where it is not known what can be spent.
        """
        if self.budget.pace is None or self.budget.single or self.turns > 1:
            return {}
        free = replace(self.budget, pace=_ENDLESS, whole=_ENDLESS)
        ways = ShortestPaths(
            self.start, self.steps, free, self.passing, 1, self.only, self.way
        ).possible
        return {place: way.path for place, way in ways.items() if place not in self.possible}

    def perhaps(self) -> Iterator[ReachedLocation]:
        """Each Location that may be reached, and is not known to be."""
        sure = {*self.known, *self._straight()}
        for place, way in self.possible.items():
            if place not in sure:
                least = None if self.budget.single else way.spent
                why = self._why(way)
                yield ReachedLocation(
                    place, None, way.path, least, None, why, way.turn, _not_known(way)
                )

    def _told(self, place: Location) -> ReachedLocation:
        known = self.known.get(place)
        if known is not None and (self.budget.single or known.cost <= self.possible[place].cost):
            path = known.path
            mf = known.spent if all(step.mf is not None for step in path) else None
            return ReachedLocation(place, mf, path, turn=known.turn)
        if known is None:
            step = self._straight()[place]
            may_be = self.possible.get(place, _Way(1, step.at_least, (step,)))
            why, against = self._why(may_be), _not_known(may_be)
            return ReachedLocation(
                place, None, (step,), may_be.spent, None, why, closed_shortcuts=against
            )
        may_be = self.possible[place]
        at_least = may_be.spent if may_be.turn == known.turn else None
        why = self._why(may_be)
        against = _not_known(may_be)
        return ReachedLocation(
            place, None, known.path, at_least, known.spent, why, known.turn, against
        )

    def _why(self, way: _Way) -> tuple[Reason, ...]:
        """Why it is not known what a way costs, or whether it is one."""
        reasons = [why for step in way.path for why in step.unknown]
        return tuple(dict.fromkeys((*reasons, *self.budget.unknown_costs)))

    def _straight(self) -> dict[Location, MoveStep]:
        """Single legal steps out of the start: that these are legal is enough."""
        found: dict[Location, MoveStep] = {}
        for step in self.steps.get(self.start, ()):
            if step.legal and self._keeps(step):
                found.setdefault(step.to, step)
        return found

    def _keeps(self, step: MoveStep) -> bool:
        by = self.way is None or self.way == step.way
        return by and (self.only is None or self.only in step.keeps_bonus)

    def _known(self, step: MoveStep) -> int | None:
        """What a step costs that is known to be legal; None for another."""
        if not step.legal or (self.budget.unknown_costs and not self.budget.single):
            return None
        return 0 if self.budget.single else step.mf

    def _possible(self, step: MoveStep) -> int | None:
        """The least that a step can cost; None for one that is illegal."""
        return None if step.legal is False else step.at_least

    def _out_of(self, ways: Iterable[Location]) -> Iterator[MoveStep]:
        """The steps out of these that may be legal."""
        for steps in (self.steps,) if self.later is self.steps else (self.steps, self.later):
            for place in ways:
                for step in steps.get(place, ()):
                    if step.legal is not False and self._keeps(step):
                        yield step

    def _least(
        self, price: Callable[[MoveStep], int | None], freed: frozenset[str] = frozenset()
    ) -> dict[Location, _Way]:
        """The least way to each Location within the budget, at these prices.

        A way may not be one that it is not known to be, but for the least that is possible; the norms
        `freed` forbid no step of a way for how it is marked.
        """
        sure = price != self._possible
        budget = self.budget
        best: dict[Location, _Way] = {}
        beyond: dict[Location, _Way] = {}
        done: dict[Location, list[tuple[int, frozenset[str], frozenset[str]]]] = {}
        rested: set[tuple[Location, int]] = set()
        number = count()
        queue: list[tuple[tuple[int, int], int, Location, frozenset[str], _Way]] = []

        def put(place: Location, courses: frozenset[str], way: _Way) -> None:
            heappush(queue, (way.cost, next(number), place, courses, way))

        put(self.start, budget.courses(1), _Way(1, 0, ()))
        while queue:
            _, _, here, courses, way = heappop(queue)
            rests = here not in self.passing or here == self.start
            if way.turn > 1 and not way.spent:
                if (here, way.turn) in rested:
                    continue
                rested.add((here, way.turn))
            else:
                seen = done.setdefault(here, [])
                if any((rests and turn < way.turn)
                       or (turn == way.turn and courses <= each and marks <= way.marks)
                       for turn, each, marks in seen):  # fmt: skip
                    continue
                seen.append((way.turn, courses, way.marks))
                best.setdefault(here, way)
                if rests and way.turn < self.turns:
                    put(here, budget.courses(way.turn + 1), _Way(way.turn + 1, 0, way.path))
            if way.path and (budget.single or budget.limit((), way.turn) is None):
                continue
            for step in (self.steps if way.turn == 1 else self.later).get(here, ()):
                cost = price(step) if self._keeps(step) else None
                if cost is None or not freed.issuperset(way.barring(step)):
                    continue
                still = courses & step.keeps_bonus
                marks = way.marks | step.marks | (step.may_mark if sure else frozenset())
                further = _Way(way.turn, way.spent + cost, (*way.path, step), marks)
                limit = budget.limit(still, way.turn)
                if limit is None or budget.single or further.spent <= limit:
                    put(step.to, still, further)
                elif not way.spent and step.legal is None:
                    # Whether that is a move of its own is what is not known.
                    beyond.setdefault(step.to, further)
        return {**beyond, **best}


# --- What units can spend in a phase.


#: The topics that make a budget: what there is for a phase, what is left of it, what else a way costs.
TOPICS = ("budget", "left", "besides")
WANTED = (
    *(Signature(name, 2, (topic, 2)) for topic in TOPICS for name in ("is", "total", "unknown")),
    *(
        Signature(name, arity, (topic, 2))
        for topic in TOPICS
        for name, arity in (("undefeated_value", 3), ("undefeated_addend", 4))
    ),
    Signature("bonus", 4),
    Signature("strayed", 2),
    Signature("single", 1),
    Signature("pays", 3),
)

#: Which of several values it is that counts.
_PICKS = {"least": min, "greatest": max}


def combine_stack(static: AnswerSet, of: str, values: Sequence[int | None]) -> int | None:
    """Which of the values that units have counts for them all; None where one is not known."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    if len(set(known)) == 1:
        return known[0]
    picks = {str(name): str(pick) for name, pick in static.get("counts_for_all", 2)}
    return _PICKS[picks[of]](known) if of in picks else None


def budget_of(
    position: Position,
    answers: Sequence[AnswerSet],
    by: str,
    units: tuple[str, ...],
    doubts: Sequence[UnknownReasons],
) -> MovementBudget:
    """What the units can spend; where the cases of the board differ it is not known."""
    static = position.cases[0]
    reasons: dict[Reason, None] = {}
    norms: dict[str, None] = {}
    amounts: dict[str, int | None] = {}
    for name in ("budget", "left"):
        topics = _about(name, by, units)
        found = [_value(answer, static, name, topics) for answer in answers]
        if len(set(found)) > 1:
            reasons |= dict.fromkeys(differing_assumptions(position, answers, found))
        # What is left hangs on what there is, of which the reasons are told.
        amounts[name] = found[0] if len(set(found)) == 1 else None
        reasons = reasons or dict.fromkeys(_reasons(doubts, topics))
        norms |= dict.fromkeys(_norms(answers, topics))
    single = by in {
        str(each) for answer in answers for (each,) in _both(answer, static, "single", 1)
    }
    bonuses = [_bonuses(answer, static, by, units) for answer in answers]
    certain = [set(each.items()) for each in bonuses]
    agreed = dict(sorted(certain[0].intersection(*certain))) if certain else {}
    strayed = {
        str(course)
        for answer in answers
        for course, unit in _both(answer, static, "strayed", 2)
        if unit.string in units
    }
    return MovementBudget(
        amounts["left"],
        amounts["budget"],
        agreed,
        single,
        tuple(reasons),
        tuple(norms),
        tuple(dict.fromkeys(_reasons(doubts, _about("besides", by, units)))),
        frozenset(strayed),
    )


def _about(name: str, by: str, units: Iterable[str]) -> list[clingo.Symbol]:
    return [clingo.Function(name, [clingo.Function(by), clingo.String(u)]) for u in units]


def _both(
    answer: AnswerSet, static: AnswerSet, name: str, arity: int
) -> set[tuple[clingo.Symbol, ...]]:
    """What rests on the board alone is not told again in the answer to a question."""
    return {*static.get(name, arity), *answer.get(name, arity)}


def _value(
    answer: AnswerSet, static: AnswerSet, name: str, topics: Sequence[clingo.Symbol]
) -> int | None:
    values = answer.values
    return combine_stack(static, name, [values[t].number if t in values else None for t in topics])


def _reasons(doubts: Iterable[UnknownReasons], topics: Sequence[clingo.Symbol]) -> Iterable[Reason]:
    return (why for each in doubts for topic in topics for why in each.of(topic))


def _norms(answers: Iterable[AnswerSet], topics: Sequence[clingo.Symbol]) -> Iterable[str]:
    for answer in answers:
        for topic in topics:
            for atom in answer.atoms_of("undefeated_value", 3, topic):
                yield atom.arguments[0].string
            for atom in answer.atoms_of("undefeated_addend", 4, topic):
                yield atom.arguments[1].string


def _bonuses(answer: AnswerSet, static: AnswerSet, by: str, units: Iterable[str]) -> dict[str, int]:
    """What each of the units may spend more on a way of a course."""
    given = {
        (str(course), unit.string, amount.number)
        for course, steps, unit, amount in _both(answer, static, "bonus", 4)
        if str(steps) == by
    }
    amounts = sorted({(course, amount) for course, _, amount in given})
    return {m: n for m, n in amounts if all((m, unit, n) in given for unit in units)}


def cost_unit(position: Position, by: str, units: Sequence[str]) -> str:
    """What all the units pay such steps in; QuestionError where they do not pay alike."""
    pays = {
        unit.string: str(price)
        for steps, unit, price in position.cases[0].get("pays", 3)
        if str(steps) == by
    }
    first = pays.get(units[0], "mf")
    for unit in units[1:]:
        if pays.get(unit, "mf") != first:
            raise QuestionError(
                f"{units[0]} and {unit} cannot move together: one spends MF, the other MP"
            )
    return first


# --- The next turn.


def next_turn(position: Position) -> Position:
    """The position with all where it is, one turn later; itself where a board says nothing of the time.

    What then is over, the rules say.
    """
    kept = position.found_out.get("next turn")
    if kept is None:
        statements = tuple(_then(position))
        board = replace(position.board, statements=statements)
        same = statements == position.board.statements
        kept = position.found_out["next turn"] = position if same else position.restated(board)
    assert isinstance(kept, Position)
    return kept


def _then(position: Position) -> Iterator[Statement]:
    static = position.cases[0]
    inputs = {str(name) for (name,) in static.get("for_the_phase", 1)}
    states = {str(name) for (name,) in static.get("status_for_the_phase", 1)}

    def is_over(given: Fact) -> bool:
        return given.name in inputs or (given.name == "status" and str(given.args[-1]) in states)

    for statement in without_facts(position.board.statements, is_over):
        match statement:
            case Fact(name="turn", args=(int(number),)):
                yield replace(statement, args=(number + 1,))
            case _:
                yield statement


# --- The steps out of each Location.


STEP = ("step", 5)
_WANTED = (
    *WANTED,
    Signature("keeps", 2),
    Signature("in_passing", 1),
    Signature("marks", 2),
    Signature("may_mark", 2),
    Signature("barred_by_mark", 3),
)
#: Of so many stacks the steps are kept with a position.
_STACKS = 6

#: Before anything is asked.
_NONE = MovementBudget(None, None, {}, False, (), ())


def step_key(
    start: clingo.Symbol, to: clingo.Symbol, way: clingo.Symbol, notation: Notation
) -> tuple[Location, Location, str]:
    """Where a step begins and ends, and its way in words."""
    one, two = (location_from_symbol(each, notation.names) for each in (start, to))
    return one, two, notation.term_text(way)


def step_deed(by: str, unit: str, step: MoveStep) -> clingo.Symbol:
    """A step of a unit as a deed of the rules."""
    ends = (to_symbol(each, "location") for each in (step.start, step.to))
    way = clingo.parse_term(step.way_term)
    return clingo.Function(STEP[0], [clingo.Function(by), clingo.String(unit), *ends, way])


def judges_ends(position: Position, by: str) -> bool:
    """Whether rules decide where a path of such steps may end."""
    return any(str(each) == by for (each,) in position.cases[0].get("ends_judged", 1))


def path_search_facts(position: Position, by: str, units: Iterable[str]) -> list[clingo.Symbol]:
    """The facts that say that a question looks for whole paths, if rules decide where these may end."""
    if not judges_ends(position, by):
        return []
    return [clingo.Function("path_search", [clingo.String(unit)]) for unit in units]


@dataclass(frozen=True)
class PathEnd:
    """Whether units may end a path in a Location, the norms that decide, and why it is unknown."""

    legal: bool | None
    norms: tuple[str, ...] = ()
    unknown: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class PathEnds:
    """Where units may end a path, and the answers that say so."""

    ends: Mapping[Location, PathEnd]
    topics: Mapping[Location, Sequence[clingo.Symbol]]
    rests_on: Evidence

    def evidence(self, places: Iterable[Location]) -> Evidence:
        """What the verdicts on these Locations rest on."""
        topics = [topic for place in places for topic in self.topics.get(place, ())]
        return self.rests_on.of(value_goals(topics, self.rests_on.answers))


def judge_ends(
    position: Position, units: Sequence[str], by: str, routes: ShortestPaths
) -> PathEnds:
    """Whether units may end a path of such steps in each Location that one leads, or may lead, to."""
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
    """The verdict of all units in one Location, over all cases."""
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
    return PathEnd(None, tuple(norms), tuple(dict.fromkeys(_reasons(doubts, topics))))


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


@dataclass(frozen=True)
class _Memory:
    """By which units steps mark a path, or may, and which steps are forbidden on a path so marked."""

    sure: Mapping[clingo.Symbol, frozenset[str]]
    perhaps: Mapping[clingo.Symbol, frozenset[str]]
    barred: Mapping[clingo.Symbol, frozenset[tuple[str, str]]]

    @classmethod
    def of(cls, answers: Sequence[AnswerSet]) -> _Memory:
        """What the answers to a question of steps say; in doubt about the board a mark is perhaps one."""
        marks = [set(answer.get("marks", 2)) for answer in answers]
        may = {each for answer in answers for each in answer.get("may_mark", 2)}
        sure = set.intersection(*marks) if marks else set()
        barred: dict[clingo.Symbol, set[tuple[str, str]]] = {}
        for answer in answers:
            for norm, deed, unit in answer.get("barred_by_mark", 3):
                barred.setdefault(deed, set()).add((norm.string, unit.string))
        return cls(
            _units_by_deed(sure),
            _units_by_deed(may.union(*marks)),
            {deed: frozenset(each) for deed, each in barred.items()},
        )

    def on(self, step: MoveStep, deeds: Sequence[clingo.Symbol]) -> MoveStep:
        """The step of units, with what all their deeds do to a path."""
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


class StepSearch:
    """The steps of a stack as far as they are known; `explore` asks for all within reach.

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
        self.routes = ShortestPaths(start, {}, _NONE)

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

    def frontier(self) -> list[Location]:
        """The Locations within reach whose steps are not known yet."""
        return [each for each in self.within() if each not in self.steps]

    def can_go_on(self, place: Location) -> bool:
        """Whether a unit that comes to this Location can spend what the cheapest step costs."""
        limit = self.budget.limit(self.budget.bonuses, 1)
        way = self.routes.possible.get(place)
        if limit is None or way is None or self.budget.single or self.turns > 1:
            return True
        return way.spent + self.floor <= limit

    def ask(self, places: Sequence[Location]) -> None:
        """See what the steps out of these Locations are."""
        _ask({self: places})

    def read(
        self,
        turn: _Turn,
        places: Sequence[Location],
        answers: Sequence[AnswerSet],
        doubts: Sequence[UnknownReasons],
        judged: Iterable[DeedVerdict],
        memory: _Memory,
    ) -> None:
        """Add the steps out of these Locations, as judged, to what is known of the turn."""
        position, known = turn.position, turn.asked
        if self.keep:
            turn.waves |= dict.fromkeys(places, answers)
        budget = budget_of(position, answers, self.by, self.units, doubts)
        kept = {each for answer in answers for each in answer.get("keeps", 2)}
        place_of = cache(partial(location_from_symbol, names=position.names))
        text_of = cache(position.notation.term_text)
        found: dict[tuple[Location, Location, str], list[DeedVerdict]] = {}
        for verdict in judged:
            _, _, one, two, way = verdict.deed.arguments
            ends = place_of(one), place_of(two)
            key = *ends, text_of(way)
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
                common = self.common_steps(start, to, how, each, keeps)
                steps[start] += (memory.on(common, [one.deed for one in each]),)
        known.budget = budget
        for answer in answers:
            known.passing |= {
                location_from_symbol(where, position.names)
                for (where,) in answer.get("in_passing", 1)
            }
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
        term = str(each[0].deed.arguments[-1])
        return MoveStep(
            start, to, way, legal, mf, tuple(norms), unknown, keeps, at_least, way_term=term
        )


def explore(*searches: StepSearch) -> None:
    """Ask for the steps out of every Location that comes within reach, a wave at a time.

    Several searches are asked together, each of the steps in its reach alone. They differ only in their
    units and where these are. One search is asked of the Locations round about as well: fewer questions.
    """
    wave: dict[StepSearch, Sequence[Location]] = {each: [each.start] for each in searches}
    while wave:
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
    """See what the steps out of these Locations are, for each search of its own."""
    for turns in zip(*(each.turns_asked for each in wave), strict=True):
        new = {
            search: (turn, some)
            for (search, places), turn in zip(wave.items(), turns, strict=True)
            if (some := [each for each in places if each not in turn.asked.steps])
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
    """Ask in one question for the steps out of these Locations, in the same turn."""
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
            for place in places:
                step = [clingo.Function(by), unit, to_symbol(place, "location"), any_, any_]
                about.append(clingo.Function("asked", [clingo.Function("step", step)]))
    question = position.completed(QueryFacts(tuple(about)), local=True)
    wanted = (*deed_query(STEP, position.vocabulary), *_WANTED)
    answers = position.ask(wanted, question, local=True)
    memory = _Memory.of(answers)
    doubts = [UnknownReasons(position, answer) for answer in answers]
    judged: dict[str, list[DeedVerdict]] = {}
    for verdict in verdicts(position, answers, STEP, doubts):
        kind, unit, *_ = verdict.deed.arguments
        if str(kind) == by:
            judged.setdefault(unit.string, []).append(verdict)
    for each, (its_turn, places) in wave.items():
        own = (verdict for unit in sorted(each.units) for verdict in judged.get(unit, ()))
        each.read(its_turn, places, answers, doubts, own, memory)
