"""`moves`: reachable Locations, reasons for limits, provenance of a path.

The rules give single steps, their costs, and the allowance for several steps; this module finds the
cheapest paths. A path that is of one kind in all its steps may have a bonus; the rules define the
kinds and their steps. Results for paths with unknown steps are reported separately (`paths.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import NamedTuple, Protocol

import clingo

from rules_asp.explain import layout, record
from rules_asp.explain.proof import (
    UNKNOWN,
    Evidence,
    Grounds,
    Provenance,
    goals_of,
    provenance_of,
    value_goals,
)
from rules_asp.explain.proof import ProofStep as Proof
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason
from rules_asp.game.grid import Hex, Location, Vertex, hex_of_spot
from rules_asp.game.query import location_sort_key
from rules_asp.game.values import quarters_text, to_board_text, to_symbol
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError, stack_named
from rules_asp.positions.name_resolution import location_of_stack
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict, verdict_for
from rules_asp.queries.deeds import DeedVerdict, deed_query, verdict_goals, verdicts
from rules_asp.queries.paths import (
    TOPICS,
    WANTED,
    MoveStep,
    ReachedLocation,
    cost_unit,
    next_turn,
    step_kind,
)
from rules_asp.queries.question import Answer, LimitNote, ParameterKind, Question, parameter
from rules_asp.queries.step_search import (
    PathEnd,
    StepSearch,
    Wave,
    by_end,
    explore,
    judge_ends,
    judges_ends,
    path_search_facts,
    step_key,
)

_STEP = ("step", 5)


class _Step(Protocol):
    """A step of any unit: its start, its end, and its manner in words."""

    @property
    def start(self) -> Location: ...
    @property
    def to(self) -> Location: ...
    @property
    def way(self) -> str: ...
    @property
    def later(self) -> bool: ...


_Key = tuple[Location, Location, str]


#: For each Location, the question about the steps out of it; steps of one wave share it.
Waves = Mapping[Location, Wave]
_Proofs = dict[_Key, list[Proof]]


class _Wanted(NamedTuple):
    """The steps to prove for each path, and further steps that are shown."""

    proved: list[_Key]
    shown: list[_Key]


def path_grounds(
    position: Position, by: str, units: Sequence[str], path: Iterable[_Step]
) -> Grounds:
    """Return the provenance of a path of a stack; for an empty path, that of its allowance.

    `by` is the name of such a step as an action: move, rout and so on.
    """
    (found,), evidence = _path_provenance(position, by, units, [path])
    return Grounds(found, evidence)


def _path_provenance(
    position: Position,
    by: str,
    units: Sequence[str],
    paths: Sequence[Iterable[_Step]],
    waves: Waves | None = None,
    later: Waves | None = None,
    shown: Iterable[_Step] = (),
) -> tuple[list[Provenance], tuple[Evidence, ...]]:
    """Return the provenance of each path, and the evidence of them and of the `shown` steps.

    `waves` are the answers about steps out of the places on the paths, and `later` those of later
    turns; None: ask for them.
    """
    keys = [[_key(step) for step in path] for path in paths]
    more = list(map(_key, shown))
    now, then = (
        _Wanted(
            list(dict.fromkeys(key for is_later, key in chain(*keys) if is_later is of_later)),
            list(dict.fromkeys(key for is_later, key in more if is_later is of_later)),
        )
        for of_later in (False, True)
    )
    found, spent, evidence = _found(position, by, units, now, waves)
    after: _Proofs = {}
    if any(then):
        after, _, more_evidence = _found(next_turn(position), by, units, then, later)
        evidence += more_evidence
    return [
        provenance_of(
            position,
            [
                *(step for is_later, key in path for step in (after if is_later else found)[key]),
                *spent,
            ],
        )
        for path in keys
    ], tuple(evidence)


def _key(step: _Step) -> tuple[bool, _Key]:
    return step.later, (step.start, step.to, step.way)


def _found(
    position: Position,
    by: str,
    units: Sequence[str],
    wanted: _Wanted,
    waves: Waves | None,
) -> tuple[_Proofs, list[Proof], list[Evidence]]:
    """Return the proofs about these steps and about the allowance, with the evidence."""
    asked = (
        [(_wave(position, by, units, wanted.proved), wanted)]
        if waves is None
        else _by_wave(waves, wanted)
    )
    found: _Proofs = {}
    spent: list[Proof] = []
    evidence = []
    for number, (wave, (some, others)) in enumerate(asked):
        answers = wave.answers
        on = _spent(by, units, answers) if number == 0 else []
        goals = _goals(position, by, wave, (*some, *others))
        claims = dict.fromkeys((*(goal for key in some for goal in goals[key]), *on))
        rests_on = Evidence(position, tuple(claims), answers, in_order=True)
        proved = {step.atom: step for step in rests_on.steps()} if rests_on.agrees else {}
        found |= {key: [proved[goal] for goal in goals[key] if goal in proved] for key in some}
        spent += [proved[goal] for goal in on if goal in proved]
        told = dict.fromkeys(goal for each in goals.values() for goal in each)
        evidence.append(rests_on.of((*told, *on)) if others else rests_on)
    return found, spent, evidence


def _by_wave(waves: Waves, wanted: _Wanted) -> list[tuple[Wave, _Wanted]]:
    """Group the wanted steps by the wave in which they were asked; the first wave is always
    included."""
    first = next(iter(waves.values()))
    found = {id(first): (first, _Wanted([], []))}
    for place, several in enumerate(wanted):
        for key in several:
            wave = waves[key[0]]
            found.setdefault(id(wave), (wave, _Wanted([], [])))[1][place].append(key)
    return list(found.values())


def _goals(position: Position, by: str, wave: Wave, keys: Iterable[_Key]) -> dict[_Key, list[str]]:
    """Return the atoms about these steps."""
    found: dict[_Key, list[DeedVerdict]] = {}
    for verdict in wave.verdicts:
        kind, _, start, to, way = verdict.deed.arguments
        if str(kind) == by:
            found.setdefault(step_key(start, to, way, position.notation), []).append(verdict)
    return {
        key: [
            goal
            for each in found.get(key, ())
            for goal in verdict_goals(each, wave.answers, position.vocabulary)
        ]
        for key in keys
    }


def _wave(position: Position, by: str, units: Sequence[str], steps: Iterable[_Key]) -> Wave:
    """Return the answers about the steps of all units, and about their allowance."""
    any_, kind = clingo.Function("any"), clingo.Function(by)
    ends = dict.fromkeys((start, to) for start, to, _ in steps)
    about = path_search_facts(position, by, units)
    for unit in map(clingo.String, units):
        about.append(clingo.Function("stacked", [clingo.String(units[0]), unit]))
        for start, to in ends:
            places = [to_symbol(each, "location") for each in (start, to)]
            about.append(
                clingo.Function("asked", [clingo.Function("step", [kind, unit, *places, any_])])
            )
        if not ends:
            step = clingo.Function("step", [kind, unit, any_, any_, any_])
            about.append(clingo.Function("asked", [step]))
    question = position.completed(QueryFacts(tuple(about)), local=True)
    wanted = (*deed_query(_STEP, position.vocabulary), *WANTED)
    answers = position.ask(wanted, question, local=True)
    return Wave(answers, tuple(verdicts(position, answers, _STEP)))


def _spent(by: str, units: Iterable[str], answers: Sequence[AnswerSet]) -> list[str]:
    """Return the atoms about the allowance and extra costs, or about why they are unknown."""
    topics = [
        clingo.Function(name, [clingo.Function(by), clingo.String(unit)])
        for unit in units
        for name in TOPICS
    ]
    unknown = goals_of(answers, UNKNOWN, topics)
    return list(dict.fromkeys((*value_goals(topics, answers[:1]), *unknown)))


# --- Reachable Locations.


@dataclass(frozen=True)
class Unreached:
    """Why a place is not certainly reached: the reasons if unknown, and the deciding steps."""

    unknown: tuple[Reason, ...]
    steps: tuple[MoveStep, ...]

    @property
    def norms(self) -> tuple[str, ...]:
        """The norms that forbid each of the steps, or else one of them."""
        if self.unknown or not self.steps:
            return ()
        first, *others = (each.norms for each in self.steps)
        common = tuple(n for n in first if all(n in each for each in others))
        return common or tuple(dict.fromkeys(norm for each in self.steps for norm in each.norms))


@dataclass(frozen=True)
class Moves(Answer):
    """Reachable Locations. `pace` is the MF or MP allowance in quarters; None if unknown.

    - `cost_unit` is `mf` or `mp`.
    - `bonuses` are added to the allowance, each for a path entirely of one kind.
    - `perhaps` are Locations with a path of which it is unknown whether it is legal and affordable.
    - `passed` are reached Locations where no unit may stop.
    - `forbidden` and `unknown` are illegal and unknown single steps out of (possibly) reached Locations.
      Unknown ones are only those to Locations that nothing else reaches.
    - `besides` is why no cost of a path is fully known.
    - `by` is the name of a step as an action; `single` steps cannot be combined to a path.
    """

    units: tuple[str, ...]
    phase: str
    start: Location
    pace: int | None
    bonuses: Mapping[str, int]
    reach: tuple[ReachedLocation, ...]
    forbidden: tuple[MoveStep, ...]
    unknown: tuple[MoveStep, ...]
    reasons: tuple[Reason, ...] = ()
    norms: tuple[str, ...] = ()
    perhaps: tuple[ReachedLocation, ...] = ()
    passed: tuple[ReachedLocation, ...] = ()
    paid_in: str = "mf"
    turns: int = 1
    besides: tuple[Reason, ...] = ()
    by: str = "move"
    single: bool = False
    #: Paths that exceed the allowance, to Locations next to reached ones.
    too_dear: Mapping[Location, tuple[MoveStep, ...]] = field(default_factory=dict)
    #: Locations in which no path may end, with the norms that forbid it.
    barred_ends: Mapping[Location, tuple[str, ...]] = field(default_factory=dict)
    #: Whether the search stopped early: more Locations may be reached, and some at a lower cost.
    partial: bool = False

    def to(self, place: Location) -> ReachedLocation | None:
        """Return how a Location is reached, or may be reached."""
        every = (*self.reach, *self.passed, *self.perhaps)
        return next((each for each in every if each.to == place), None)

    def too_far(self, place: Location) -> tuple[MoveStep, ...]:
        """Return the cheapest path that is too expensive; for a farther place, the nearest point
        toward it."""
        ways = {each.to: each.path for each in (*self.reach, *self.passed, *self.perhaps)}
        there = hex_of_spot(place.spot)
        if any(hex_of_spot(each.spot) == there for each in ways):
            return self.too_dear.get(place, ())
        ways |= self.too_dear
        if self.pace is None or self.single or not ways:
            return ()
        nearest = min(ways, key=lambda each: (hex_of_spot(each.spot).range_to(there), str(each)))
        return ways.get(place, ways[nearest])

    def unsure(self, place: Location) -> tuple[Reason, ...]:
        """Return why it is unknown whether a Location is reached; empty if it is known."""
        found = self.to(place)
        if found is not None:
            return found.unknown if found in self.perhaps else ()
        # If the allowance is unknown, so is every distance.
        open_ = self.pace is None and self.reasons and (self.reach or self.perhaps or self.passed)
        return self.reasons if open_ and place != self.start else ()

    @property
    def word(self) -> Verdict:
        """Whether they can go anywhere; forbidden if each single step out of their place is
        forbidden."""
        open_ = self.reasons or self.unknown or self.perhaps
        anywhere = bool(self.reach) or (None if open_ else False)
        return verdict_for(anywhere, [norm for each in self.forbidden for norm in each.norms])

    def short_of(self, place: Location) -> Unreached:
        """Return why a place is not certainly reached.

        These are the steps that lead there; if no step out of the start is legal, all of these.
        """
        reasons = self.unsure(place)
        if reasons:
            return Unreached(reasons, tuple(each for each in self.unknown if each.unknown))
        last = tuple(
            each
            for each in self.forbidden
            if each.to == place and (each.start == self.start or not self.single)
        )
        return Unreached((), last or (() if self.reach or self.passed else self.forbidden))

    def items(self) -> tuple[layout.Item, ...]:
        """Each Location with its cost."""

        def item(each: ReachedLocation, how: str = "") -> layout.Item:
            turn = f" in turn {each.turn}" if self.turns > 1 else ""
            return layout.Item(f"{to_board_text(each.to, 'location')}{turn}", f"{how}{each.amount}")

        certain = map(item, self.reach)
        return (*certain, *(item(each, "perhaps ") for each in self.perhaps))

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the reachable Locations by cost, or by path."""
        here, paths = self.position, view.paths or view.everything
        shown = (*self.reach, *self.passed) if view.everything else self.reach
        used = dict.fromkeys(norm for each in shown for norm in each.rests_on.cites.norms)
        options = "--paths shows each path, --all also every forbidden step"
        if paths:
            tables = layout.blocks(
                self._by_path(shown) if shown else None,
                layout.Table([(e.place, e.amount, e.way) for e in self.perhaps], "Possibly"),
            )
        else:
            every = [each for each in (*shown, *self.perhaps) if not _at_vertex(each.to)]
            tables = layout.blocks(
                self._by_cost(shown),
                self._by_cost(self.perhaps, "Possibly"),
                layout.Line("* through Bypass") if any(each.bypasses for each in every) else None,
                self._in_bypass(),
            )
        return self._reported(
            tables,
            self._doubts(view.everything),
            self._forbidden(view.everything),
            None if paths else layout.citations(here, here.program.paragraphs(used)),
            layout.Line(layout.dim(options)) if shown and not paths else None,
        )

    def _reported(self, *found: layout.Block | Iterable[layout.Block] | None) -> layout.Report:
        told = layout.blocks(layout.Line(self._headline()), *found, layout.issues(self.beside))
        return layout.Report(self.items(), told, self._reached_by())

    def _reached_by(self) -> tuple[str, ...]:
        """Return the norms that the reached Locations are based on."""
        return tuple(norm for each in self.reach for norm in each.rests_on.cites.norms)

    def _headline(self) -> layout.Phrase:
        price, phrases = self.paid_in.upper(), self.position.vocabulary.phrases
        bonuses = "".join(
            f"; {quarters_text((self.pace or 0) + more)} {price} {phrases['course', course]}"
            for course, more in self.bonuses.items()
            if self.pace is not None
        )
        spend = "" if self.pace is None else f" ({quarters_text(self.pace)} {price}{bonuses})"
        turns = f" in {self.turns} turns on the board as it is" if self.turns > 1 else ""
        names, start = layout.enumeration(self.units), to_board_text(self.start, "location")
        if self.reach:
            count = f"{len(self.reach)} Location{'s' * (len(self.reach) != 1)}"
            return f"{names} can reach {count} from {start}{turns}{spend}"
        if self.reasons or self.perhaps:
            where = f"Where {names} can go from {start}{turns} is unknown{spend}"
            return layout.Span(where, layout.Tone.DOUBT)
        return f"{names} can go nowhere from {start}{turns}{spend}"

    def _by_path(self, shown: Iterable[ReachedLocation]) -> layout.Table:
        turns = ["turn"] if self.turns > 1 else []
        rows = [
            (
                each.place,
                *([str(each.turn)] if turns else []),
                each.amount,
                each.way,
                layout.norm_span(*each.rests_on.cites),
            )
            for each in shown
        ]
        return layout.Table(rows, heads=["to", *turns, self.paid_in.upper(), "path", "rules"])

    def _by_cost(self, shown: Iterable[ReachedLocation], title: str = "") -> layout.Table:
        """Return a row for the Locations of equal cost, without those in Bypass.

        A path through Bypass has a mark.
        """
        groups: dict[str, list[ReachedLocation]] = {}
        for each in shown:
            if _at_vertex(each.to):
                continue
            turn = f"turn {each.turn}: " if self.turns > 1 else ""
            price = "" if each.amount == "?" else f" {self.paid_in.upper()}"
            groups.setdefault(f"{turn}{each.amount}{price}", []).append(each)
        rows = [
            (cost, "  ".join(each.place + "*" * each.bypasses for each in _by_place(several)))
            for cost, several in groups.items()
        ]
        return layout.Table(rows, title)

    def _in_bypass(self) -> layout.Block | None:
        """Return how many Locations in Bypass are not listed."""
        sure = {each.to for each in self.reach if _at_vertex(each.to)}
        ends = (*(each.to for each in self.perhaps), *(e.to for e in self.unknown))
        perhaps = {to for to in ends if _at_vertex(to)} - sure
        counts = ((sure, ""), (perhaps, "perhaps "))
        told = " and ".join(f"{how}{len(found)}" for found, how in counts if found)
        return layout.Line(f"In Bypass: {told}; --all lists them") if told else None

    def _doubts(self, everything: bool) -> Iterator[layout.Block]:
        """Yield why costs or paths are unknown, with the Locations by reason.

        The reasons for Locations in Bypass alone are among `everything`.
        """

        some = partial(layout.locations_text, most=None if everything else layout.MOST_PLACES)
        places: dict[tuple[Reason, ...], list[Location]] = {}
        for each in (*self.reach, *self.perhaps):
            why = tuple(why for why in each.unknown if why not in self.besides)
            if why:
                places.setdefault(why, []).append(each.to)
        told = {each.to for each in self.perhaps}
        for step in self.unknown:
            if step.to not in told:
                places.setdefault(step.unknown, []).append(step.to)
        if not everything:
            places = {why: to for why, to in places.items() if not all(map(_at_vertex, to))}
        rows = [
            *((str(why),) for why in self.besides if self.reach or self.perhaps),
            *((f"how far: {why}",) for why in self.reasons),
            *((f"{some(to)}: {'; '.join(map(str, why))}",) for why, to in places.items()),
        ]
        yield layout.Table(rows, "Unknown because")
        every = (*self.reasons, *(one for why in places for one in why))
        yield from layout.needed(dict.fromkeys(every))

    def _forbidden(self, everything: bool) -> layout.Table:
        here = self.position
        if everything:
            steps = (
                (f"{to_board_text(step.start, 'location')} to {step.whole_text}", norm)
                for step in self.forbidden
                for norm in step.norms
            )
            return layout.rules(here, "Forbidden steps", steps)
        first = (step for step in self.forbidden if step.start == self.start)
        steps = ((step.short_text, norm) for step in first for norm in step.norms)
        return layout.rules(here, f"Forbidden from {to_board_text(self.start, 'location')}", steps)

    def record(self) -> Record:
        """Return the reachable Locations as JSON. MF and MP are numbers such as 1.5."""
        here, paid = self.position, self.paid_in
        told = self._shared_record({"verdict": self.word})
        if self.partial:
            told["partial"] = True
        for name, found in self.groups:
            told[name] = [
                {
                    **each.record(paid),
                    "beaten": record.defeats(each.rests_on.beaten),
                    "cites": list(each.rests_on.cites),
                    "path": [step.record(here, paid) for step in each.path],
                }
                for each in found
            ]
        told["forbidden"] = [step.record(here, paid) for step in self.forbidden]
        told["unknown_steps"] = [
            {**step.record(here, paid), **record.unknown(step.unknown, True)}
            for step in self.unknown
        ]
        return told

    @property
    def groups(self) -> tuple[tuple[str, tuple[ReachedLocation, ...]], ...]:
        """The Locations under the keys of the record."""
        return ("reach", self.reach), ("perhaps", self.perhaps), ("in_passing", self.passed)

    def _shared_record(self, more: Record) -> Record:
        reasons = tuple(dict.fromkeys((*self.reasons, *self.besides)))
        sources = self.position.program.paragraphs(self.norms)
        return {
            "board": self.position.board.name,
            **more,
            "units": list(self.units),
            "phase": self.phase,
            "from": to_board_text(self.start, "location"),
            **record.paid(self.pace, self.paid_in),
            "turns": self.turns,
            **self.ending_record(sources, reasons, bool(reasons)),
        }


def _at_vertex(place: Location) -> bool:
    """Test whether a unit in this Location is in Bypass."""
    return isinstance(place.spot, Vertex)


def _by_place(found: Iterable[ReachedLocation]) -> list[ReachedLocation]:
    return sorted(found, key=lambda each: location_sort_key(each.to))


#: The advice if the question takes too long.
FEWER_MOVES = "`can` of one step asks less, as does a smaller board"


@dataclass(frozen=True)
class MovesQuestion(Question[Moves]):
    """List where a unit can move, with the cost.

    `moves` shows the lowest cost of each Location in MF (for a vehicle in MP). If rules-asp cannot
    decide whether a Location can be reached, `moves` lists the Location as possible. Several UNITs
    move as one stack, and a Location stands for the Infantry in it.

    Example: rules-asp moves assault A
    """

    kind = "moves"
    drawable = True
    has_paths = True
    units: tuple[str, ...] = parameter(ParameterKind.UNITS)
    phase: str = parameter(ParameterKind.WORD, "Phase", default="mph", words="moving_phase")
    turns: int = parameter(
        ParameterKind.COUNT,
        "Look this many turns ahead (1 to 50). The board stays the same in all turns.",
        default=1,
        least=1,
        most=50,
    )
    only: str | None = parameter(
        ParameterKind.WORD,
        "Use only paths that stay on roads, or inside buildings.",
        default=None,
        words="course",
        none="any path",
    )

    def limit_note(self) -> LimitNote:
        """It may take long."""
        return LimitNote(f"moves of {' '.join(self.units)}", FEWER_MOVES)

    def find(self, position: Position, cite: bool) -> Moves:
        """Return the reachable Locations; with `cite`, also the provenance of each path."""
        return moves(position, self.units, self.phase, self.turns, self.only, cite)

    def scope(self, position: Position, answer: Moves) -> Scope:
        """Return every Location that a step out of a reached one leads to."""
        return scope_of_moves(answer)


def scope_of_moves(moves: Moves) -> Scope:
    """Return the scope of paths: every Location that a step out of a reached one leads to."""
    steps = [step for each in (*moves.reach, *moves.perhaps) for step in each.path]
    steps += [*moves.forbidden, *moves.unknown]
    places = [moves.start, *(place for step in steps for place in (step.start, step.to))]
    return Scope(frozenset(hex_of_spot(each.spot) for each in places), frozenset(moves.units))


def moves(
    position: Position,
    units: Sequence[str],
    phase: str = "mph",
    turns: int = 1,
    only: str | None = None,
    cite: bool = True,
    way: str | None = None,
    toward: Location | None = None,
    waves: int | None = None,
) -> Moves:
    """Return where these units, as one stack, can go in a phase, a word of moving_phase.

    With several `turns`, they continue from where they are with one such phase in each; the board
    stays the same. `only` is a kind of path for all steps, `way` a manner for each step. Without
    `cite` it is faster: no provenance. `toward` is the only wanted place, and Locations too far off
    the path to it are left out. After so many `waves` the search stops, and the answer is `partial`.
    QuestionError for a unit that is not on the board, for units in
    different Locations or with different kinds of cost, and for another phase or kind of path.
    """
    by = step_kind(position, phase)
    courses = position.vocabulary.words["course"]
    if only is not None and only not in courses:
        known = ", ".join(word.replace("_", "-") for word in courses)
        raise QuestionError(f"{only} is not a kind of path; use {known}")
    if not 1 <= turns <= _MOST_TURNS:
        raise QuestionError(f"the number of turns must be from 1 to {_MOST_TURNS}, not {turns}")
    if not units:
        raise QuestionError("the unit is missing: name at least one unit")
    units = tuple(dict.fromkeys(stack_named(position, units)))
    start = location_of_stack(position, units)
    paid = cost_unit(position, by, units)
    has_ends = judges_ends(position, by)
    aim = None if has_ends else toward
    search = StepSearch(position, units, by, start, turns, only, paid, cite, way, aim)
    explore(search, waves=waves)
    budget, routes = search.budget, search.routes
    reached = tuple(sorted(routes.reached(), key=ReachedLocation.sort_key))
    perhaps = tuple(sorted(routes.perhaps(), key=ReachedLocation.sort_key))
    sure = {start, *(each.to for each in reached)}
    come_to = {*sure, *(each.to for each in perhaps)}
    steps = [step for place in come_to for step in search.steps.get(place, ())]
    evidence: tuple[Evidence, ...] = ()
    if cite:
        closing = routes.closing()
        reached = tuple(
            replace(each, closed_shortcuts=(*each.closed_shortcuts, *closing.get(each.to, ())))
            for each in reached
        )
        paths = [(*each.path, *each.closed_shortcuts) for each in reached]
        kept = search.turn.waves, search.later_turn.waves
        shown = [step for each in perhaps for step in each.path]
        shown += [step for step in steps if step.legal is False and step.start == start]
        found, evidence = _path_provenance(position, by, units, paths, *kept, shown)
        reached = tuple(replace(each, rests_on=of) for each, of in zip(reached, found, strict=True))
    ends: Mapping[Location, PathEnd] = {}
    if has_ends:
        judged = judge_ends(position, units, by, routes)
        ends = judged.ends
        if cite or toward is not None:
            evidence += (judged.evidence(ends if toward is None else (toward,)),)
    reached, perhaps, stopped = by_end(reached, perhaps, ends)
    return Moves(
        units,
        phase,
        start,
        budget.pace,
        {} if budget.single else {m: n for m, n in budget.bonuses.items() if n},
        tuple(each for each in reached if each.to not in search.passing),
        (
            *(step for step in steps if step.legal is False),
            *(step.where_marked() for step in steps if step.barred and step.to not in come_to),
        ),
        tuple(
            each for each in steps if (each.legal is None or each.unknown) and each.to not in sure
        ),
        budget.reasons,
        (*budget.norms, *dict.fromkeys(norm for each in ends.values() for norm in each.norms)),
        perhaps,
        (*(each for each in reached if each.to in search.passing), *stopped),
        search.paid_in,
        turns,
        budget.unknown_costs,
        by,
        budget.single,
        routes.beyond_budget(),
        {place: end.norms for place, end in ends.items() if end.legal is False},
        search.unfinished,
        evidence=evidence,
    )


#: Maximum number of turns, more than in any scenario.
_MOST_TURNS = 50


# --- The steps that cut a place off.


#: Maximum number of hexes searched for such steps, enough for a large building.
_MOST_HEXES = 24


def why_unreached(position: Position, found: Moves, place: Location) -> Unreached:
    """Return why a place is not certainly reached; if no step leads there, the steps that cut it
    off."""
    short = found.short_of(place)
    if short.unknown or short.steps or found.single or found.to(place):
        return short
    if found.turns > 1:
        # A step forbidden only in this turn cuts nothing off for several turns.
        position = next_turn(position)
    if place in found.too_dear:
        return Unreached((), ())
    come_to = {found.start, *(each.to for each in (*found.reach, *found.passed, *found.perhaps))}
    search = _search(position, found.units, found.by, place)
    return Unreached((), _cutting_off(search, come_to, place) or _shut_in(search, come_to, found))


def blocking_steps(position: Position, found: Moves, place: Location) -> tuple[MoveStep, ...]:
    """Return the forbidden steps that would shorten a path to a place that is too far."""
    if place not in found.too_dear or found.single or found.turns > 1:
        return ()
    search = _search(position, found.units, found.by, place)
    _ask_around(search, {hex_of_spot(place.spot)})
    return search.least().closing().get(place, ())


def _cutting_off(
    search: StepSearch, come_to: set[Location], place: Location
) -> tuple[MoveStep, ...]:
    """Return the forbidden steps from reachable Locations to the only ways on to the place.

    None if there is another reason: it is too far, or no step leads there.
    """
    hexes = {hex_of_spot(each.spot) for each in come_to}
    if hex_of_spot(place.spot) not in hexes.union(*(each.neighbours() for each in hexes)):
        return ()
    region, new, looked_at = {place}, {place}, set[Hex]()
    while new and not new & come_to:
        middle = {hex_of_spot(each.spot) for each in new} - looked_at
        looked_at |= middle
        if len(looked_at) > _MOST_HEXES:
            return ()
        _ask_around(search, middle)
        before = (step for steps in search.steps.values() for step in steps)
        new = {step.start for step in before if step.to in region and step.legal is not False}
        new -= region
        region |= new
    if new:
        return ()
    steps = [step for each in come_to for step in search.steps.get(each, ())]
    return tuple(step for step in steps if step.to in region)


def _shut_in(search: StepSearch, come_to: set[Location], found: Moves) -> tuple[MoveStep, ...]:
    """Return the steps out of the reachable area, if all are forbidden and none is too expensive."""
    search.ask([each for each in come_to if each not in search.steps])
    out = [step for each in come_to for step in search.steps[each] if step.to not in come_to]
    shut = all(step.legal is False and step.to not in found.too_dear for step in out)
    return tuple(sorted(out, key=str)) if shut else ()


def is_closed_off(position: Position, unit: str, phase: str, place: Location) -> bool:
    """Test whether each step to a place is forbidden to a unit, so that no path leads there.

    This does not depend on the allowance, which may be unknown. A step from elsewhere in the hex
    counts if that start can be reached.
    """
    by = next(str(b) for each, b in position.cases[0].get("moves_by", 2) if str(each) == phase)
    search = _search(position, (unit,), by, place)
    middle = hex_of_spot(place.spot)
    _ask_around(search, {middle})
    steps = [step for each in search.steps.values() for step in each]
    region, new = {place}, {place}
    while new:
        last = [step for step in steps if step.to in region and step.start not in region]
        first = {step.start for step in last if step.legal is not False}
        new = {each for each in first if hex_of_spot(each.spot) == middle and each != search.start}
        if first != new:
            return False
        region |= new
    return any(step.to == place for step in steps)


def _search(position: Position, units: tuple[str, ...], by: str, place: Location) -> StepSearch:
    """Return a search for the steps of the units on their way to a place."""
    paid = cost_unit(position, by, units)
    start = location_of_stack(position, units)
    search = StepSearch(position, units, by, start, 1, None, paid, False, None, place)
    explore(search)
    return search


def _ask_around(search: StepSearch, middle: set[Hex]) -> None:
    """Ask for the steps out of each Location in these hexes and next to them."""
    index = search.position.index
    hexes = {near for each in middle for near in (each, *each.neighbours())} & index.bases.keys()
    corners = (Location(Vertex(each, corner)) for each in hexes for corner in range(6))
    near = (each for each in index.elevations if hex_of_spot(each.spot) in hexes)
    search.ask([each for each in dict.fromkeys((*near, *corners)) if each not in search.steps])
