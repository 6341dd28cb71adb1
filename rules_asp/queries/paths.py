"""Shortest paths with unknown costs; movement budgets; the next turn.

A step that is not known to be legal, or of which the cost is not known, may be a part of a way that is
shorter than any that is known. So two ways are looked for: through the steps that are known, and through
all that may be, each at the least that it can cost. Where both cost the same, that is the cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import heappop, heappush
from itertools import count

import clingo

from rules_asp.explain.unknown import Reason, UnknownReasons, differing_assumptions
from rules_asp.game.board import Fact, Statement
from rules_asp.game.grid import Location
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position
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
