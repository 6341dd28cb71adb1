"""`safest`: of all paths to a Location, those that no other path dominates in fire and cost.

clingo chooses (`path_choice.lp`). It compares paths by measures: the number of units that can fire
at the unit on the way, the best DRM against it, the steps in the open, and the MF.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from importlib.resources import files

import clingo

from rules_asp.explain import layout, record
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason
from rules_asp.game.grid import Location, hex_of_spot
from rules_asp.game.values import quarters_text, to_board_text, to_symbol
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.knowledge.solver import ground
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import location_of_stack, los_end
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict, verdict_for
from rules_asp.queries.fire_table import FireTable
from rules_asp.queries.movement import FEWER_MOVES, Unreached, moves, why_unreached
from rules_asp.queries.paths import MovementBudget, MoveStep, cost_unit
from rules_asp.queries.question import Answer, LimitNote, ParameterKind, Question, parameter
from rules_asp.queries.step_search import StepSearch, explore
from rules_asp.queries.threats import (
    BY,
    FFMO,
    FireDrawn,
    StepThreats,
    Target,
    along,
    cites_of,
    evidence_of,
    exposures,
    fire_at,
)
from rules_asp.queries.variants import in_moving_phase

#: The measures, in the default order.
MEASURES = ("firers", "drm", "open", "mf")
CERTAIN, POSSIBLE = BOUNDS = ("certain", "possible")
#: Maximum number of undominated paths in an answer.
MOST_PATHS = 20


@dataclass(frozen=True)
class Worth:
    """The values of a path by one bound.

    `firers` are the units that can fire on the way, `open` the number of steps in the open, `mf`
    the quarters of an MF or MP. `drm` is the best DRM of these units with their leaders: None
    without a unit, or if it is unknown.
    """

    firers: tuple[str, ...]
    drm: int | None
    open: int
    mf: int

    @property
    def values(self) -> tuple[str, str, str]:
        """The number of units, the best DRM and the steps in the open as text."""
        drm = "-" if not self.firers else "?" if self.drm is None else f"{self.drm:+d}"
        return str(len(self.firers)), drm, str(self.open)

    def record(self) -> Record:
        """Return the measures of the fire as JSON."""
        return {"firers": list(self.firers), "drm": self.drm, "open": self.open}


@dataclass(frozen=True)
class RankedPath:
    """A path with its values, counting only certain fire, and counting all possible fire.

    `first_by` are the bounds by which no path is better in the requested order.
    """

    steps: tuple[StepThreats, ...]
    certain: Worth
    possible: Worth
    first_by: tuple[str, ...] = ()

    def row(self) -> layout.Row:
        """The path in a table: the measures of the fire, the MF, the steps."""
        both = zip(self.certain.values, self.possible.values, strict=True)
        ranges = (one if one == other else f"{one} to {other}" for one, other in both)
        path = " ".join(each.step.text for each in self.steps)
        return *ranges, quarters_text(self.certain.mf), path

    def record(self, position: Position, paid_in: str) -> Record:
        """Return the path with its values by either bound as JSON."""
        return {
            **record.paid(self.certain.mf, paid_in),
            CERTAIN: self.certain.record(),
            POSSIBLE: self.possible.record(),
            "first_by": list(self.first_by),
            "steps": [each.step.record(position, paid_in) for each in self.steps],
        }


@dataclass(frozen=True)
class SafestPaths(Answer):
    """Undominated paths: the first in an `order` of measures, else all of them.

    `is_complete` is false if there are more than `MOST_PATHS`. `not_compared` are steps whose
    legality or lower cost is unknown; paths through them are left out. `uncounted` are reasons for
    further fire at these paths, which no measure counts.
    """

    units: tuple[str, ...]
    to: Location
    order: tuple[str, ...]
    paid_in: str
    paths: tuple[RankedPath, ...]
    is_complete: bool = True
    not_compared: tuple[MoveStep, ...] = ()
    unknown: tuple[Reason, ...] = ()
    uncounted: tuple[Reason, ...] = ()
    unreached: Unreached | None = None
    cites: Citations = NO_CITATIONS

    @property
    def is_certain(self) -> bool:
        """Whether one path comes first by both bounds, and all paths are compared."""
        return bool(self.paths) and not self.not_compared and self.paths[0].first_by == BOUNDS

    @property
    def word(self) -> Verdict:
        """Whether there is a path."""
        if self.paths:
            return Verdict.YES
        if self.unreached is None:
            return Verdict.UNKNOWN
        return verdict_for(None if self.unreached.unknown else False, self.unreached.norms)

    def items(self) -> tuple[layout.Item, ...]:
        """Each path with its measures."""
        return tuple(
            layout.Item(str(path), ", ".join(map(str, measures)))
            for *measures, path in (each.row() for each in self.paths)
        )

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the paths with their measures, and the limits of the choice."""
        heads = ("Firers", "DRM", "Open", self.paid_in.upper(), "Path")
        rows = [each.row() for each in self.paths]
        unreached = self.unreached
        reasons = (*self.unknown, *(() if unreached is None else unreached.unknown))
        left_out = [
            (to_board_text(each.start, "location"), each.text) for each in self.not_compared
        ]
        limits = [] if self.is_complete else [(f"only the first {MOST_PATHS} paths are shown",)]
        if left_out:
            count = f"{len(left_out)} step{'s' * (len(left_out) != 1)}"
            limits.append((f"paths through {count} that may be legal or cheaper are left out",))
        limits += [(f"further fire: {each}",) for each in self.uncounted]
        return self.reported(
            self.cites.norms,
            layout.Line(self._headline()),
            layout.Table(rows, heads=heads) if rows else None,
            layout.Table(limits, "Not compared"),
            layout.Table(left_out, "Unknown steps") if view.everything else None,
            layout.norms_listed(
                self.position, "Not allowed by", () if unreached is None else unreached.norms
            ),
            self.ending(self.cites, reasons),
        )

    def _headline(self) -> layout.Phrase:
        to, units = to_board_text(self.to, "location"), layout.enumeration(self.units)
        if not self.paths:
            known = self.word is not Verdict.UNKNOWN
            how = "cannot reach" if known else "perhaps cannot reach"
            return f"{units} ", layout.Span(how, layout.Tone.BAD), f" {to}"
        by = f", by {', then '.join(self.order)}"
        if not self.order:
            many = len(self.paths)
            paths = "1 path" if many == 1 else f"{many} paths"
            return layout.strong(paths), f" of {units} to {to}; none is better in all measures"
        if self.is_certain:
            return layout.Span("Safest path", layout.Tone.GOOD), f" of {units} to {to}{by}"
        if len(self.paths) == 1:
            return f"Safest path of {units} to {to} of those compared{by}"
        doubt = layout.Span("The safest path is unknown", layout.Tone.OPEN)
        return (
            doubt,
            f" of {units} to {to}{by}: first if no unknown fire counts, then if all does",
        )

    def record(self) -> Record:
        """Return the paths with their values, and what was not compared."""
        unreached = self.unreached
        reasons = (*self.unknown, *(() if unreached is None else unreached.unknown))
        return {
            "board": self.position.board.name,
            "verdict": self.word,
            "units": list(self.units),
            "to": to_board_text(self.to, "location"),
            "order": list(self.order),
            "certain": self.is_certain,
            "complete": self.is_complete,
            "paths": [each.record(self.position, self.paid_in) for each in self.paths],
            "not_compared": [
                each.record(self.position, self.paid_in) for each in self.not_compared
            ],
            "uncounted": list(map(str, self.uncounted)),
            "forbidden_by": [] if unreached is None else list(unreached.norms),
            **self.ending_record(self.cites, reasons),
        }


@dataclass(frozen=True)
class SafestQuestion(Question[SafestPaths]):
    """Compare the paths of a unit to a Location by the enemy fire on the way.

    Each path has four measures: the number of enemy units that can fire at the unit, their best
    DRM, the steps in the open, and the MF. `safest` omits a path if another path is better by one
    measure and no worse by the others. With --order, you rank the measures, and the answer shows
    the best path by this ranking.

    Example: rules-asp safest assault A C3/1
    """

    kind = "safest"
    units: tuple[str, ...] = parameter(ParameterKind.UNITS)
    to: str | Location = parameter(ParameterKind.LOCATION)
    order: str | None = parameter(
        ParameterKind.TEXT,
        "Rank the paths by these measures, the most important first, such as firers,drm,open,mf.",
        default=None,
        metavar="MEASURES",
    )

    def setting(self, position: Position) -> Position:
        """The position in the MPh of the unit's side."""
        return in_moving_phase(position, self.units[0])

    def limit_note(self) -> LimitNote:
        """It may take long."""
        return LimitNote(f"safest path of {' '.join(self.units)}", FEWER_MOVES)

    def find(self, position: Position, cite: bool) -> SafestPaths:
        """Return the undominated paths."""
        order = [each for each in (self.order or "").replace(",", " ").split() if each]
        return safest(position, self.units, los_end(position, self.to), order, cite)

    def scope(self, position: Position, answer: SafestPaths) -> Scope:
        """The Locations of the paths, and the unit."""
        steps = [each.step.to for path in answer.paths for each in path.steps]
        hexes = frozenset(hex_of_spot(each.spot) for each in (answer.to, *steps))
        return Scope(hexes, frozenset(answer.units))


def safest(
    position: Position,
    units: Sequence[str],
    to: Location,
    order: Sequence[str] = (),
    cite: bool = True,
) -> SafestPaths:
    """Return the undominated paths of a unit or stack to a Location in its MPh.

    `order` are measures, the most important first; missing ones follow. Without it, a path
    dominates another if it is better by some measure and no worse by the others. QuestionError for
    another measure.
    """
    if wrong := [each for each in order if each not in MEASURES]:
        raise QuestionError(f"{wrong[0]} is not a measure of a path; use {', '.join(MEASURES)}")
    order = tuple(dict.fromkeys((*order, *MEASURES))) if order else ()
    units = tuple(dict.fromkeys(units))
    start = location_of_stack(position, units)
    paid_in = cost_unit(position, BY, units)
    search = StepSearch(position, units, BY, start, 1, None, paid_in, False, None)
    explore(search)
    if search.budget.pace is None:
        return SafestPaths(units, to, order, paid_in, (), unknown=search.budget.reasons)
    every = [each for steps in search.steps.values() for each in steps if each.legal is not False]
    sure = {each for each in every if each.legal and each.mf is not None and not each.unknown}
    on_the_way = list(_within(start, to, sure, search.budget))
    left_out = tuple(each for each in _within(start, to, every, search.budget) if each not in sure)
    if not on_the_way or to in search.passing:
        found = moves(position, units, cite=False, toward=to)
        why = why_unreached(position, found, to)
        return SafestPaths(units, to, order, paid_in, (), not_compared=left_out, unreached=why)
    exposed, answers = exposures(position, units, on_the_way, cite)
    # The fire in a Location takes long. So it is asked only for paths that are best without it.
    tables: dict[Target, FireTable] = {}
    while True:
        drawn = {
            step: (each, tuple(tables[at] for at in each.targets(step) if at in tables))
            for step, each in exposed.items()
        }
        choice = _Choice(start, to, search.budget, drawn)
        paths, is_complete = choice.in_order(order) if order else choice.unbeaten()
        on_paths = (each.exposure.targets(each.step) for path in paths for each in path.steps)
        new = [at for targets in on_paths for at in targets if at not in tables]
        if not new:
            break
        tables |= {each: fire_at(position, units, each, cite=cite) for each in dict.fromkeys(new)}
    steps = [step for path in paths for step in path.steps]
    cites = cites_of(position, steps) if cite else NO_CITATIONS
    taken = [each.step for each in steps]
    evidence = evidence_of(position, units, taken, drawn, answers) if cite else ()
    further = tuple(dict.fromkeys(why for each in steps for why in each.exposure.unknown))
    return SafestPaths(
        *(units, to, order, paid_in, paths, is_complete, left_out),
        uncounted=further,
        cites=cites,
        evidence=evidence,
    )


def _within(
    start: Location, to: Location, steps: Iterable[MoveStep], budget: MovementBudget
) -> Iterator[MoveStep]:
    """Return the steps of all paths within the allowance."""
    some = list(steps)
    limit = budget.limit(budget.courses(1), 1) or 0
    far = limit + 1
    ahead = _least(start, ((each.start, each.to, each.at_least) for each in some))
    back = _least(to, ((each.to, each.start, each.at_least) for each in some))
    for each in some:
        whole = ahead.get(each.start, far) + each.at_least + back.get(each.to, far)
        if whole <= limit:
            yield each


def _least(start: Location, edges: Iterable[tuple[Location, Location, int]]) -> dict[Location, int]:
    """Return the least cost from a place to each place."""
    out: dict[Location, list[tuple[Location, int]]] = {}
    for one, other, cost in edges:
        out.setdefault(one, []).append((other, cost))
    found: dict[Location, int] = {}
    queue = [(0, str(start), start)]
    while queue:
        spent, _, here = heappop(queue)
        if here not in found:
            found[here] = spent
            for other, cost in out.get(here, ()):
                heappush(queue, (spent + cost, str(other), other))
    return found


# --- The fire at a step, by one bound.


@dataclass(frozen=True)
class _Fire:
    """The units that fire at a step, their DRM (None: unknown), and whether FFMO counts."""

    by: tuple[str, ...]
    drms: frozenset[int | None]
    in_open: bool


def _fire(threats: StepThreats, bound: str) -> _Fire:
    able = [each for table in threats.tables for each in table.able]
    if bound == CERTAIN:
        # An unknown DRM is not certainly low.
        drms = frozenset(each.best_drm for each in able) - {None}
        return _Fire(threats.able, drms, any(each.has_part(FFMO) for each in able))
    every = [*able, *(each for table in threats.tables for each in table.doubtful)]
    return _Fire(
        (*threats.able, *threats.possible),
        frozenset(each.best_drm for each in every),
        any(each.drm.value is None or each.has_part(FFMO) for each in every),
    )


# --- The choice.


class _Choice:
    """The choice of paths among these steps, by the fire on them."""

    def __init__(
        self, start: Location, to: Location, budget: MovementBudget, drawn: FireDrawn
    ) -> None:
        self._start, self._drawn = start, drawn
        self._steps = list(drawn)
        single = [along((each,), drawn)[0] for each in self._steps]
        fire = {bound: [_fire(each, bound) for each in single] for bound in BOUNDS}
        self._fire = fire
        self._bounds = BOUNDS if fire[CERTAIN] != fire[POSSIBLE] else (CERTAIN,)
        drms = {drm for some in fire.values() for each in some for drm in each.drms}
        known = sorted((each for each in drms if each is not None), reverse=True)
        # The lower a DRM, the worse for the unit; an unknown one may be lower than all others.
        self._ranks = {drm: rank for rank, drm in enumerate((*known, None), 1)}
        self._facts = [*_path_facts(start, to, budget, self._steps), *self._fire_facts()]

    def unbeaten(self) -> tuple[tuple[RankedPath, ...], bool]:
        """Return undominated paths, each with other values, and whether these are all."""
        found = self._best(self._bounds, MEASURES, MOST_PATHS + 1)
        return tuple(map(self._ranked, found[:MOST_PATHS])), len(found) <= MOST_PATHS

    def in_order(self, order: Sequence[str]) -> tuple[tuple[RankedPath, ...], bool]:
        """Return the best path; one for each bound if none is best by both."""
        firsts = {}
        for bound in self._bounds:
            others = (each for each in self._bounds if each != bound)
            (firsts[bound],) = self._best((bound, *others), order, 1)
        least = {bound: self._result(found, bound) for bound, found in firsts.items()}
        paths = []
        for found in dict.fromkeys(firsts.values()):
            by = tuple(each for each in self._bounds if self._result(found, each) == least[each])
            whole = BOUNDS if by == self._bounds else by
            paths.append(replace(self._ranked(found), first_by=whole))
        return (tuple(paths[:1]) if paths[0].first_by == BOUNDS else tuple(paths)), True

    def _best(
        self, bounds: Sequence[str], order: Sequence[str], most: int
    ) -> list[tuple[int, ...]]:
        """Return a limited number of paths, each best by these bounds and measures among the
        remaining ones."""
        measures = [(bound, each) for bound in bounds for each in order]
        facts = [*self._facts, *(_fact("bound", _word(each)) for each in bounds)]
        for priority, (bound, each) in enumerate(reversed(measures), 1):
            facts.append(_fact("priority", _word(bound), _word(each), priority))
        program = files("rules_asp.queries").joinpath("path_choice.lp").read_text("utf-8")
        control = ground(program, facts=facts, arguments=["--opt-mode=opt"])
        found: list[tuple[int, ...]] = []
        while len(found) < most:
            taken: list[clingo.Symbol] = []
            with control.solve(yield_=True) as handle:
                for model in handle:
                    taken = [each for each in model.symbols(atoms=True) if each.name == "take"]
            if not taken:
                break
            path = self._in_sequence(each.arguments[0].number for each in taken)
            if path in found:
                break
            found.append(path)
            number = len(found)
            results = [(*each, self._result(path, each[0], (each[1],))[0]) for each in measures]
            with control.backend() as backend:
                for bound, each, value in results:
                    fact = _fact("found", number, _word(bound), _word(each), value)
                    backend.add_rule([backend.add_atom(fact)])
            control.ground([("after", [clingo.Number(number)])])
        return found

    def _in_sequence(self, taken: Iterable[int]) -> tuple[int, ...]:
        after = {self._steps[each].start: each for each in taken}
        path, here = [], self._start
        while here in after:
            path.append(after[here])
            here = self._steps[path[-1]].to
        return tuple(path)

    def _result(
        self, path: Sequence[int], bound: str, order: Sequence[str] = MEASURES
    ) -> tuple[int, ...]:
        """Return the values of a path, as `path_choice.lp` counts them."""
        fire = [self._fire[bound][each] for each in path]
        ranks = [self._ranks[drm] for each in fire for drm in each.drms]
        results = {
            "firers": len({unit for each in fire for unit in each.by}),
            "drm": max(ranks, default=0),
            "open": sum(each.in_open for each in fire),
            "mf": sum(self._steps[each].at_least for each in path),
        }
        return tuple(results[each] for each in order)

    def _ranked(self, path: Sequence[int]) -> RankedPath:
        steps = along((self._steps[each] for each in path), self._drawn)
        return RankedPath(steps, self._worth(path, CERTAIN), self._worth(path, POSSIBLE))

    def _worth(self, path: Sequence[int], bound: str) -> Worth:
        fire = [self._fire[bound][each] for each in path]
        drms = {drm for each in fire for drm in each.drms}
        known = [each for each in drms if each is not None]
        drm = min(known) if known and None not in drms else None
        _, _, in_open, mf = self._result(path, bound)
        firers = tuple(dict.fromkeys(unit for each in fire for unit in each.by))
        return Worth(firers, drm, in_open, mf)

    def _fire_facts(self) -> Iterator[clingo.Symbol]:
        for bound in self._bounds:
            for number, each in enumerate(self._fire[bound]):
                at = _word(bound), number
                yield from (_fact("fired_at", *at, clingo.String(unit)) for unit in each.by)
                if each.drms:
                    yield _fact("drm_rank", *at, max(self._ranks[drm] for drm in each.drms))
                if each.in_open:
                    yield _fact("in_open", *at)


def _path_facts(
    start: Location, to: Location, budget: MovementBudget, steps: Sequence[MoveStep]
) -> Iterator[clingo.Symbol]:
    """Yield the paths as facts of `path_choice.lp`."""
    courses = sorted(budget.courses(1))
    yield _fact("start", _place(start))
    yield _fact("goal", _place(to))
    yield _fact("limit", budget.limit((), 1) or 0)
    yield from (_fact("bonus", _word(each), budget.bonuses[each]) for each in courses)
    for number, step in enumerate(steps):
        yield _fact("step", number, _place(step.start), _place(step.to))
        yield _fact("cost", number, step.at_least)
        kept = (each for each in courses if each in step.keeps_bonus)
        yield from (_fact("keeps", _word(each), number) for each in kept)


def _place(place: Location) -> clingo.Symbol:
    return to_symbol(place, "location")


def _word(word: str) -> clingo.Symbol:
    return clingo.Function(word)


def _fact(name: str, *parts: clingo.Symbol | int) -> clingo.Symbol:
    told = [clingo.Number(each) if isinstance(each, int) else each for each in parts]
    return clingo.Function(name, told)
