"""Steps, reached Locations, shortest paths with unknown costs; movement budgets; the next turn.

A step with unknown legality or cost may belong to a path that is cheaper than any known one. So two
searches run: one through the known steps, and one through all possible steps at their least cost.
If both give the same cost, that is the cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heappop, heappush
from itertools import count

import clingo

from rules_asp.explain import record
from rules_asp.explain.proof import Provenance
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason, UnknownReasons, differing_assumptions
from rules_asp.game.board import Fact, Statement
from rules_asp.game.grid import Location, Vertex, hex_of_spot
from rules_asp.game.values import quarters_text, to_board_text
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position
from rules_asp.queries.variants import without_facts

# --- Single steps, and reached Locations.

#: Manners of single steps that the destination does not imply.
_WAYS = {"road": " by road", "drive_ovr": " by overrunning"}
#: The texts of all manners, for a step on its own.
_ALL_WAYS = {
    **_WAYS,
    "enter": " by entering",
    "stairs": " by stairs",
    "drive": " by driving",
    "bypass": " in Bypass",
    "vbm": " in VBM",
}


def step_kind(position: Position, phase: str) -> str:
    """Return the kind of step in a phase; QuestionError for a phase without movement."""
    kinds = {str(each): str(by) for each, by in position.cases[0].get("moves_by", 2)}
    if phase not in kinds:
        known = ", ".join(position.vocabulary.words["moving_phase"])
        raise QuestionError(f"units do not move in the phase {phase}; use {known}")
    return kinds[phase]


@dataclass(frozen=True)
class MoveStep:
    """A single step of all the units: its verdict, its cost in quarters of an MF or MP, the norms
    of both.

    A cost is None if the phase has no costs, or if it is unknown; `at_least` is its lower bound.
    `keeps_bonus` are the kinds of paths whose condition the step keeps.
    """

    start: Location
    to: Location
    way: str
    legal: bool | None
    mf: int | None
    norms: tuple[str, ...]
    unknown: tuple[Reason, ...] = ()
    keeps_bonus: frozenset[str] = frozenset()
    at_least: int = 0
    #: The units that mark the path from this step on, or may mark it; and the norms that forbid the
    #: step on a path with such marks.
    marks: frozenset[str] = frozenset()
    may_mark: frozenset[str] = frozenset()
    barred: frozenset[tuple[str, str]] = frozenset()
    #: True for a step of a later turn, in which states of this phase only are over.
    later: bool = False
    #: The manner as a term of the rules.
    way_term: str = ""

    @property
    def barring(self) -> frozenset[str]:
        """The norms that can forbid the step because of marks."""
        return frozenset(norm for norm, _ in self.barred)

    def where_marked(self) -> MoveStep:
        """The step on a path whose marks forbid it."""
        return replace(self, legal=False, norms=tuple(sorted(self.barring)), unknown=())

    @property
    def text(self) -> str:
        """The destination, with the manner if the destination does not imply it: a vertex means
        Bypass."""
        way, _, where = self.way.partition("(")
        how = f" {way} {where.rstrip(')')}" if way == "around" else _WAYS.get(way, "")
        return f"{to_board_text(self.to, 'location')}{how}"

    @property
    def whole_text(self) -> str:
        """The text of a step on its own, always with its manner."""
        how = _ALL_WAYS.get(self.way.partition("(")[0])
        return self.text if how is None else f"{to_board_text(self.to, 'location')}{how}"

    @property
    def short_text(self) -> str:
        """The text without the vertex at which the step ends or that it goes around."""
        way = self.way.partition("(")[0]
        if way != "around" and not isinstance(self.to.spot, Vertex):
            return self.whole_text
        place = to_board_text(Location(hex_of_spot(self.to.spot), self.to.floor), "location")
        return place + _ALL_WAYS.get(way, f" {way.replace('_', ' ')}")

    def record(self, position: Position, paid_in: str) -> Record:
        """Return the step with its cost and its norms as JSON."""
        return {
            "from": to_board_text(self.start, "location"),
            "to": to_board_text(self.to, "location"),
            "way": self.way,
            **record.paid(self.mf, paid_in),
            "norms": list(self.norms),
            "cites": list(position.program.paragraphs(self.norms)),
        }


@dataclass(frozen=True)
class ReachedLocation:
    """A reached Location, its least cost (quarters), and the steps there.

    `mf` is None if it is unknown, or if the phase has no costs. Then `at_least` and `at_most` are
    its bounds, if any, and `unknown` gives the reasons. `rests_on` is the evidence: steps and
    allowance. `turn` is the turn in which the Location is reached; the MF are those of this turn.
    `closed_shortcuts` are forbidden or unknown steps without which the path would, or could, be
    cheaper.
    """

    to: Location
    mf: int | None
    path: tuple[MoveStep, ...]
    at_least: int | None = None
    at_most: int | None = None
    unknown: tuple[Reason, ...] = ()
    turn: int = 1
    closed_shortcuts: tuple[MoveStep, ...] = ()
    rests_on: Provenance = field(default_factory=Provenance)

    def sort_key(self) -> tuple[int, int, str]:
        """The order of listing: by turn and cost, then by name."""
        amount = next((n for n in (self.mf, self.at_most, self.at_least) if n is not None), 0)
        return self.turn, amount, str(self.to)

    @property
    def norms(self) -> tuple[str, ...]:
        """The norms of its steps, each once."""
        return tuple(dict.fromkeys(norm for step in self.path for norm in step.norms))

    @property
    def place(self) -> str:
        """The name of the Location."""
        return to_board_text(self.to, "location")

    @property
    def amount(self) -> str:
        """The cost of the Location, as far as it is known."""
        if self.mf is not None:
            return quarters_text(self.mf)
        if self.at_most is not None:
            least = "at most" if self.at_least is None else f"{quarters_text(self.at_least)} to"
            return f"{least} {quarters_text(self.at_most)}"
        return "?" if self.at_least is None else f"at least {quarters_text(self.at_least)}"

    @property
    def way(self) -> str:
        """The path in short."""
        return " ".join(step.text for step in self.path)

    @property
    def bypasses(self) -> bool:
        """Whether the path leads through Bypass."""
        return any(isinstance(step.to.spot, Vertex) for step in self.path[:-1])

    def record(self, paid_in: str) -> Record:
        """Return the Location with its cost as JSON; `at_least` and `at_most` if it is unknown."""
        return {
            "to": self.place,
            **record.paid(self.mf, paid_in),
            "at_least": record.mf_number(self.mf if self.mf is not None else self.at_least),
            "at_most": record.mf_number(self.mf if self.mf is not None else self.at_most),
            "turn": self.turn,
            **record.unknown(self.unknown, bool(self.unknown)),
        }


# --- Paths.


@dataclass(frozen=True)
class MovementBudget:
    """The allowance of a stack in a phase by the rules; MF or MP in quarters.

    `whole` is the allowance of a phase, `pace` what is left of it in this phase; None if unknown.
    `unknown_costs` are reasons for unknown costs of a path besides its steps. `strayed` are kinds
    of paths that the path so far does not satisfy.
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
        """Return the allowance of a path of these kinds in this turn; None if unknown."""
        pace = self.pace if turn == 1 else self.whole
        more = sum(self.bonuses[course] for course in courses)
        return None if pace is None else pace + more

    def courses(self, turn: int) -> frozenset[str]:
        """Return the kinds that a path beginning in this turn can still have."""
        return frozenset(self.bonuses) - (self.strayed if turn == 1 else frozenset())


#: More than the cost of any path.
_ENDLESS = 10**9


@dataclass(frozen=True)
class _Way:
    """A partial path: the turn, the amount spent in it, and the steps."""

    turn: int
    spent: int
    path: tuple[MoveStep, ...]
    marks: frozenset[str] = frozenset()

    def barring(self, step: MoveStep) -> Iterator[str]:
        """Yield the norms that forbid a step on this path because of its marks."""
        return (norm for norm, mark in step.barred if mark in self.marks)

    @property
    def cost(self) -> tuple[int, int]:
        """The length of the path in turns and MF."""
        return self.turn, self.spent


def _not_known(way: _Way) -> tuple[MoveStep, ...]:
    """Return the steps of a path with unknown legality or cost."""
    return tuple(step for step in way.path if step.legal is None or step.unknown)


class ShortestPaths:
    """The cheapest paths from a Location through the steps known so far.

    `later` are the steps in later turns, if they differ. `only` is a kind of path for all steps,
    `way` a manner for each step. `passing` are Locations where no unit may stop.
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
        """Yield each Location that is certainly reached, with its cost as far as known."""
        for place in {**self.known, **self._straight()}:
            if place != self.start:
                yield self._told(place)

    def closing(self) -> dict[Location, tuple[MoveStep, ...]]:
        """Return the forbidden steps of cheaper or only paths to each Location that a single norm
        closes."""
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
        """Return the cost of a step that is legal, or would be without some norms."""
        is_freed = step.legal is False and norms.issuperset(step.norms)
        return step.at_least if is_freed else self._known(step)

    def beyond_budget(self) -> dict[Location, tuple[MoveStep, ...]]:
        """Return the cheapest possible path to each Location beyond the allowance.

        Empty if the allowance is unknown.
        """
        if self.budget.pace is None or self.budget.single or self.turns > 1:
            return {}
        free = replace(self.budget, pace=_ENDLESS, whole=_ENDLESS)
        ways = ShortestPaths(
            self.start, self.steps, free, self.passing, 1, self.only, self.way
        ).possible
        return {place: way.path for place, way in ways.items() if place not in self.possible}

    def perhaps(self) -> Iterator[ReachedLocation]:
        """Yield each Location that is possibly, but not certainly, reached."""
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
        """Return why the cost or the legality of a path is unknown."""
        reasons = [why for step in way.path for why in step.unknown]
        return tuple(dict.fromkeys((*reasons, *self.budget.unknown_costs)))

    def _straight(self) -> dict[Location, MoveStep]:
        """Return the single legal steps out of the start, whose legality suffices."""
        found: dict[Location, MoveStep] = {}
        for step in self.steps.get(self.start, ()):
            if step.legal and self._keeps(step):
                found.setdefault(step.to, step)
        return found

    def _keeps(self, step: MoveStep) -> bool:
        by = self.way is None or self.way == step.way
        return by and (self.only is None or self.only in step.keeps_bonus)

    def _known(self, step: MoveStep) -> int | None:
        """Return the cost of a legal step; None for other steps."""
        if not step.legal or (self.budget.unknown_costs and not self.budget.single):
            return None
        return 0 if self.budget.single else step.mf

    def _possible(self, step: MoveStep) -> int | None:
        """Return the least possible cost of a step; None for an illegal one."""
        return None if step.legal is False else step.at_least

    def _out_of(self, ways: Iterable[Location]) -> Iterator[MoveStep]:
        """Yield the possible steps out of these Locations."""
        for steps in (self.steps,) if self.later is self.steps else (self.steps, self.later):
            for place in ways:
                for step in steps.get(place, ()):
                    if step.legal is not False and self._keeps(step):
                        yield step

    def _least(
        self, price: Callable[[MoveStep], int | None], freed: frozenset[str] = frozenset()
    ) -> dict[Location, _Way]:
        """Return the cheapest path to each Location within the allowance, at these costs.

        Of paths that cost the same, one that keeps more bonuses comes first. An unknown path counts
        only in the search for possible paths. The marks of a path forbid no step if the norms are in
        `freed`.
        """
        sure = price != self._possible
        budget = self.budget
        best: dict[Location, _Way] = {}
        beyond: dict[Location, _Way] = {}
        done: dict[Location, list[tuple[int, frozenset[str], frozenset[str]]]] = {}
        rested: set[tuple[Location, int]] = set()
        limits: dict[tuple[frozenset[str], int], int | None] = {}
        number = count()
        queue: list[tuple[tuple[int, int], int, int, Location, frozenset[str], _Way]] = []

        def put(place: Location, courses: frozenset[str], way: _Way) -> None:
            heappush(queue, (way.cost, -len(courses), next(number), place, courses, way))

        def dominated(
            place: Location, turn: int, courses: frozenset[str], marks: frozenset[str]
        ) -> bool:
            """Test whether an earlier path to the place keeps these bonuses and has no other marks."""
            return any(
                each == turn and courses <= kept and others <= marks
                for each, kept, others in done.get(place, ())
            )

        put(self.start, budget.courses(1), _Way(1, 0, ()))
        while queue:
            *_, here, courses, way = heappop(queue)
            rests = here not in self.passing or here == self.start
            if way.turn > 1 and not way.spent:
                if (here, way.turn) in rested:
                    continue
                rested.add((here, way.turn))
            else:
                seen = done.setdefault(here, [])
                if rests and any(turn < way.turn for turn, *_ in seen):
                    continue
                if dominated(here, way.turn, courses, way.marks):
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
                spent = way.spent + cost
                if (way.turn == 1 or spent) and dominated(step.to, way.turn, still, marks):
                    continue
                further = _Way(way.turn, spent, (*way.path, step), marks)
                if (still, way.turn) not in limits:
                    limits[still, way.turn] = budget.limit(still, way.turn)
                limit = limits[still, way.turn]
                if limit is None or budget.single or further.spent <= limit:
                    put(step.to, still, further)
                elif not way.spent and step.legal is None:
                    # It is unknown whether this is a separate move.
                    beyond.setdefault(step.to, further)
        return {**beyond, **best}


# --- The allowance of units in a phase.


#: The topics of a budget: the allowance of a phase, the rest of it, and extra costs.
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

#: The functions that choose among several values.
_PICKS = {"least": min, "greatest": max}


def combine_stack(static: AnswerSet, of: str, values: Sequence[int | None]) -> int | None:
    """Return the value of a stack from those of its units; None if one is unknown."""
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
    """Return the allowance of units; unknown if the cases of the board differ."""
    static = position.cases[0]
    reasons: dict[Reason, None] = {}
    norms: dict[str, None] = {}
    amounts: dict[str, int | None] = {}
    for name in ("budget", "left"):
        topics = _about(name, by, units)
        found = [_value(answer, static, name, topics) for answer in answers]
        if len(set(found)) > 1:
            reasons |= dict.fromkeys(differing_assumptions(position, answers, found))
        # The rest depends on the allowance, whose reasons are reported.
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
    """The answer to a question does not repeat atoms of the static answer set."""
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
    """Return the bonus of each unit for a kind of path."""
    given = {
        (str(course), unit.string, amount.number)
        for course, steps, unit, amount in _both(answer, static, "bonus", 4)
        if str(steps) == by
    }
    amounts = sorted({(course, amount) for course, _, amount in given})
    return {m: n for m, n in amounts if all((m, unit, n) in given for unit in units)}


def cost_unit(position: Position, by: str, units: Sequence[str]) -> str:
    """Return the unit of cost of a stack; QuestionError if its units differ."""
    pays = {
        unit.string: str(price)
        for steps, unit, price in position.cases[0].get("pays", 3)
        if str(steps) == by
    }
    first = pays.get(units[0], "mf")
    for unit in units[1:]:
        if pays.get(unit, "mf") != first:
            raise QuestionError(
                f"{units[0]} and {unit} cannot move together, because one spends MF and the other MP"
            )
    return first


# --- The next turn.


def next_turn(position: Position) -> Position:
    """Return the position one turn later, with all units in place; the same if it has no turn.

    The rules decide which states end.
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
