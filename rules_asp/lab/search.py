"""The search over sites, its jobs and its cache."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice, starmap
from pathlib import Path
from types import MappingProxyType
from typing import Any

import clingo

from rules_asp.game.grid import Grid
from rules_asp.knowledge.solver import EngineError
from rules_asp.lab.generator import OTHER, BoardModel, Generator, SearchBounds, SearchSite, places
from rules_asp.lab.goals import GoalRules, SearchGoal, named_by
from rules_asp.lab.grounded_run import GroundedRun, site_program
from rules_asp.lab.witness import (
    Confirmation,
    GoalWitness,
    InputRange,
    SiteFinding,
    SiteOutcome,
    Witness,
    WitnessEvidence,
    canonical_witness,
    confirm,
    make_witness,
    of_text,
)
from rules_asp.parser.errors import BoardError
from rules_asp.runtime import cache
from rules_asp.runtime.job_pool import JobSettings, run_jobs
from rules_asp.runtime.limits import Deadline, OutOfTime, TooWide
from rules_asp.runtime.worker import is_out_of_memory

# --- Jobs: each starts only when a process is free and there is time.


#: A task: the function, the site or file, and further arguments.
Task = tuple[Callable[..., Any], SearchSite | Path, tuple[object, ...]]
#: Extra seconds for a process: it stops by itself, but not during grounding.
GRACE = 1.0


def run_until(
    jobs: JobSettings,
    state: object,
    tasks: Iterator[Task],
    clock: Deadline,
    note: Callable[[Any], None] = lambda _: None,
    unneeded: Callable[[Task], bool] = lambda _: False,
) -> Iterator[Any]:
    """Yield results as they finish, of tasks on a state. A task is taken only if a process is free.

    OutOfTime if the time is over and no process has finished. note, unneeded: see `run_jobs`.
    """
    late = False
    # With a time limit, a single job also runs in a process of its own, so that it can be stopped.
    jobs = replace(jobs, isolated=clock.seconds is not None)

    def taken() -> Iterator[Task]:
        nonlocal late
        while True:
            try:
                clock.left()
                task = next(tasks)
            except StopIteration:
                return
            except OutOfTime:
                late = True
                return
            yield task

    def left() -> float | None:
        rest = clock.rest()
        if rest is not None and rest + GRACE <= 0:
            raise OutOfTime
        return None if rest is None else rest + GRACE

    held = state, jobs.memory
    with run_jobs(_work, held, taken(), jobs, False, left, note, unneeded) as results:
        for _, result in results:
            yield result
    if late:
        raise OutOfTime


def _work(held: tuple[object, int | None], task: Task) -> Any:
    """Return the result of a task. A site that is too large ends no search; for a file, TooWide."""
    (state, memory), (work, spot, given) = held, task
    try:
        return work(state, spot, *given)
    except (MemoryError, RuntimeError, EngineError) as error:
        if not is_out_of_memory(error):
            raise
        if isinstance(spot, SearchSite):
            return SiteOutcome(spot, whole=False, too_large=True)
        what = f"the search of {spot}"
        raise TooWide(what, f"{memory} MB", "use a smaller --grid") from None


# --- The cache of site results, so that an interrupted search can continue.


#: The packages whose code determines the outcome at a site: the search, its lines and confirmations.
_CODE = ("lab", "knowledge", "game", "geometry", "parser", "positions", "queries")


class OutcomeCache:
    """The cache of outcomes by site, valid for the same sources: rules, limits and goals."""

    def __init__(self, sources: Iterable[bytes]) -> None:
        whole = b"\0".join((*sources, *cache.source_fingerprint(*_CODE)))
        self._sources = cache.digest(whole).encode()

    def _path(self, spot: SearchSite) -> Path | None:
        return cache.entry_path("lab", [self._sources, str(spot).encode()])

    def usable(
        self,
        spots: Iterable[SearchSite],
        known: Collection[str],
        look: SearchGoal,
    ) -> dict[SearchSite, SiteOutcome]:
        """Return the cached outcomes at these sites that a search with these known goals can use.

        A search leaves out the goals that it knows. So an outcome is used only if its known goals
        are now known, found by another cached outcome, or settled by such a goal.
        """
        found, settled = set(known), look.settled(known)
        usable: dict[SearchSite, SiteOutcome] = {}
        for _, here in groupby(spots, key=lambda spot: spot.grid):
            left = {spot: entry for spot in here if (entry := self._get(spot)) is not None}
            while more := [e for e, (skipped, _) in left.items() if skipped <= found | settled]:
                for spot in more:
                    _, usable[spot] = left.pop(spot)
                    new = {goal for goal, _ in usable[spot].found}
                    found |= new
                    settled |= look.settled(new)
            settled |= look.settled(found, larger=True)
        return usable

    def _get(self, spot: SearchSite) -> tuple[frozenset[str], SiteOutcome] | None:
        """Return the goals that were known at a site, and its outcome; None if there is none."""
        path = self._path(spot)
        data = None if path is None else cache.load_entry(path)
        if data is None:
            return None
        with suppress(cache.FormatError, BoardError, ValueError, KeyError, TypeError):
            rows, undecided, unconfirmed, able, empty, grounded, lets, known = cache.loads(data, ())
            found = []
            for goal, text, beaten, size, least in rows:
                shown = None
                if text is not None:
                    shown = GoalWitness(goal, spot, of_text(text, beaten), size, least)
                found.append((goal, shown))
            outcome = SiteOutcome(
                spot,
                tuple(found),
                frozenset(undecided),
                frozenset(unconfirmed),
                able=bool(able),
                empty=bool(empty),
                grounded=frozenset(grounded),
                lets=tuple(InputRange(name, sense, tuple(values)) for name, sense, values in lets),
            )
            return frozenset(known), outcome
        return None

    def put(self, outcome: SiteOutcome, known: Iterable[str]) -> None:
        """Store the outcome at a site, where the search knew these goals.

        An outcome that cannot be read back is not stored.
        """
        rows = []
        for goal, shown in outcome.found:
            text = None
            if shown is not None:
                text = shown.witness.text
                try:
                    same: Witness | None = of_text(text, shown.witness.beaten)
                except (BoardError, ValueError):
                    same = None
                extra = shown.worth is not None or shown.twin or shown.unseen
                if same is None or same.text != text or extra:
                    return
            told = (
                (shown.witness.beaten, shown.size, shown.least) if shown else (None, (0, 0), True)
            )
            rows.append((goal, text, *told))
        kept = (
            tuple(rows),
            tuple(sorted(outcome.undecided)),
            tuple(sorted(outcome.unconfirmed)),
            outcome.able,
            outcome.empty,
            tuple(sorted(outcome.grounded)),
            tuple((each.name, each.sense, each.values) for each in outcome.lets),
            tuple(sorted(known)),
        )
        if (path := self._path(outcome.spot)) is not None:
            cache.store_entry(path, cache.dumps(kept, ()))


# --- Searches: the goals that small boards show, and the smallest such board.


def silent(_: object) -> None:
    """Ignore progress, as a search in a process of its own does."""


@dataclass(frozen=True)
class Search:
    """A search: the knowledge base with its generator, the limits, the goal."""

    lab: Generator
    bounds: SearchBounds
    look: SearchGoal = field(default_factory=lambda: SearchGoal({}))
    clock: Deadline = field(default_factory=Deadline)
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    #: Seconds for each goal at each site; undecided goals are reported.
    patience: float = 20.0
    #: The callback for the current site and its findings.
    told: Callable[[str], None] = silent
    #: The callback for each finding; of boards for a claim, each that is better than all before.
    found: Callable[[object], None] = silent
    #: Megabytes for each process in addition to its size when a site begins; None: no limit.
    memory: int | None = None
    #: The address of a cluster that runs the search.
    cluster: str | None = None
    #: True to reuse finished sites of the same rules and limits.
    resume: bool = False
    #: Number of further boards for a claim that differ in more than orientation and names.
    further: int = 0
    #: The results of the tests of needs, by program. Many sites have the same program.
    met: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)

    @property
    def job_settings(self) -> JobSettings:
        """Return the settings of the jobs."""
        return JobSettings(self.jobs, self.cluster, self.memory)

    def spots(self, grid: Grid) -> list[SearchSite]:
        """Return the sites on a grid, filtered by the goal, in the order of the search.

        Sites that show all LOS are first, and others with a line are last. On larger grids Bypass
        comes before them.
        """
        named = self.look.events or ()
        layers = ("board", "units", "question")
        found = [
            SearchSite(grid, event, place)
            for event in self.lab.events
            if self.look.part(event) is not None
            and (self.look.events is None or event.name in self.look.events)
            and self.bounds.include(event)
            # The event of a claim raises no questions of its own.
            and (event.name != "claim" or "claim" in (self.look.events or ()))
            for place in places(grid, event, self.look.pairs, named_by(self.look, self.bounds))
        ]

        larger = grid != self.bounds.grids[0]

        def order(spot: SearchSite) -> tuple[bool, int, bool, bool, bool, int]:
            event = spot.event
            at = named.index(event.name) if event.name in named else 0
            # Many short searches at the end keep all processes busy.
            lines = spot.place.ends is not None
            # Norms about LOS that they show are not searched where LOS only serves other answers.
            later = event.at_vertices or not event.shows
            # Smaller boards have shown most goals, so the longest search can begin first.
            first = larger and event.at_vertices and not lines
            return not first, layers.index(event.layer), later, lines, event.at_vertices, at

        return sorted(found, key=order)

    def outcomes(
        self,
        boards: bool = True,
        again: bool = False,
        known: Iterable[str] = (),
        met: Mapping[SearchSite, bool] = MappingProxyType({}),
    ) -> Iterator[SiteOutcome]:
        """Yield the outcome of each site as it is finished.

        Goals already found, or `known`, are skipped unless `again`. met: known results of the tests
        of needs, by site. A family that a site leaves undecided gets less time at the others. A goal
        that two processes find at the same time is reported twice. OutOfTime at the time limit.
        """
        kept = None
        if self.resume or self.clock.seconds is not None:
            kept = OutcomeCache((*self._sources, repr((boards, again)).encode()))
        found = set(known)
        settled = self.look.settled(found)
        # A cached outcome of a larger grid settles nothing on smaller grids that only `larger` does.
        on_grid = {grid: set[str]() for grid in self.bounds.grids}
        on_grid[self.bounds.grids[0]] |= found
        hard: set[str] = set()
        there = False
        # If boards of an event have a goal, its larger boards probably meet the needs: no test.
        shown: set[str] = set()
        # The kinds of events with a hard program. Their other places probably have one too.
        simplified: set[str] = set()
        jobs = self.job_settings
        state = replace(self, told=silent, found=silent)

        def note(outcome: SiteOutcome) -> None:
            nonlocal there
            there |= not outcome.empty
            new = {goal for goal, _ in outcome.found}
            found.update(new)
            on_grid[outcome.spot.grid] |= new
            settled.update(self.look.settled(new))
            hard.update(outcome.undecided if self.look.kind else ())
            shown.update({outcome.spot.event.name} if outcome.found else ())
            if outcome.simplified and self.lab.unit_pairs:
                simplified.add(outcome.spot.event.kind)

        skipped: dict[SearchSite, frozenset[str]] = {}

        def task(spot: SearchSite, threads: int) -> Task:
            skipped[spot] = frozenset() if again else frozenset(found | settled)
            is_met = spot in met or spot.event.name in shown
            is_hard = spot.event.kind in simplified
            given = (skipped[spot], boards, there, is_met, threads, frozenset(hard), is_hard)
            return _searched, spot, given

        every = {grid: self.spots(grid) for grid in self.bounds.grids}
        usable = (
            kept.usable(chain(*every.values()), found, self.look) if kept and self.resume else {}
        )
        for outcome in usable.values():
            note(outcome)
        for grid, spots in every.items():
            todo = [spot for spot in spots if spot not in usable]
            yield from (usable[spot] for spot in spots if spot in usable)
            yield from (SiteOutcome(spot) for spot in todo if not met.get(spot, True))
            todo = [spot for spot in todo if met.get(spot, True)]
            threads = 1
            if todo:
                self.lab.compute_shared()
            if todo and not self.cluster:
                # Processes without a site lend their cores.
                threads = max(1, self.jobs // min(len(todo), jobs.process_count))
            tasks = (task(spot, threads) for spot in todo)
            for outcome in run_until(jobs, state, tasks, self.clock, note):
                self.told(str(outcome.spot))
                if kept and outcome.whole:
                    kept.put(outcome, skipped[outcome.spot])
                yield outcome
            settled |= self.look.settled(on_grid[grid], larger=True)
            # Few goals are left on larger boards, so most programs are easy.
            simplified.clear()

    @property
    def _sources(self) -> list[bytes]:
        """Return the inputs that determine the outcome at a site, in addition to the code."""
        look = self.look
        return [
            *(rule.text.encode() for rule in self.lab.rules),
            repr((self.lab.facts, self.bounds, self.patience, self.further)).encode(),
            repr(sorted((layer, part.rules) for layer, part in look.parts.items())).encode(),
            repr(look.lenient).encode(),
            self.lab.program.shared_facts.encode(),
            look.facts.encode(),
        ]

    def soonest(self) -> Iterator[tuple[SiteFinding, GoalWitness | None]]:
        """Yield findings, each with the smallest board at its site, site by site.

        The board is None if `patience` does not suffice to find it, or to decide whether one
        exists. OutOfTime at the time limit.
        """
        for spot in (each for grid in self.bounds.grids for each in self.spots(grid)):
            self.told(str(spot))
            look = self.look.remaining(self.lab, self.bounds, spot, ())
            if look is None or not _meets_needs(self, spot):
                continue
            run = GroundedRun(self.lab, self.bounds, spot, look, self.clock)
            left = {str(goal): goal for goal in run.goals if goal.name not in self.look.plain}
            try:
                for there in run.by_boards(tuple(left.values()), self.patience):
                    for name in sorted(there & left.keys()):
                        yield from self._at_once(run, left.pop(name))
            except TimeoutError:
                for goal in left.values():
                    yield from self._at_once(run, goal)

    def _at_once(
        self, run: GroundedRun, goal: clingo.Symbol
    ) -> Iterator[tuple[SiteFinding, GoalWitness | None]]:
        found = SiteFinding(str(goal), run.spot)
        try:
            shown = confirmed(self, run, goal, self.patience)
        except TimeoutError:
            yield found, None
        else:
            # A goal shown only by boards that violate a norm is not a finding.
            if shown is not None:
                yield found, shown


def _searched(
    search: Search,
    spot: SearchSite,
    known: frozenset[str],
    boards: bool,
    there: bool = False,
    met: bool = False,
    threads: int = 1,
    hard: frozenset[str] = frozenset(),
    simplified: bool = False,
) -> SiteOutcome:
    """Search every goal at a site. `there`: boards are known to exist, here or elsewhere.

    met: the needs of the goal are not tested here. threads: see `GroundedRun.threads`. hard: goals
    that another site left undecided. simplified: see `GroundedRun.simplify`.
    """
    found: list[tuple[str, GoalWitness | None]] = []
    undecided: set[str] = set()
    unconfirmed: set[str] = set()
    try:
        look = search.look.remaining(search.lab, search.bounds, spot, known)
        if look is None and there:
            return SiteOutcome(spot)
        if not (met or _meets_needs(search, spot)):
            return SiteOutcome(spot)
        if look is not None:
            search = replace(search, look=look)
        run = GroundedRun(
            search.lab,
            search.bounds,
            spot,
            search.look,
            search.clock,
            known=known,
            simplified=simplified,
        )
        # Solving removes goals that are ruled out.
        every = frozenset(map(str, run.goals))
        able = boards and _ABLE in run.goals and run.shows(_ABLE, None)
        with run.threads(threads):
            some, undecided = run.possible(
                search.patience, set(run.goals) - {_ABLE} if boards else None, known | hard
            )
        if not (there or able or some or undecided or run.has_boards):
            return SiteOutcome(spot, empty=True)
        if not boards:
            told = tuple((goal, None) for goal in sorted(some))
            return SiteOutcome(
                spot, told, frozenset(undecided), grounded=every, simplified=run.simplified
            )
        undecided = {goal for goal in undecided if not search.look.is_plain(goal)}
        if threads > 1 and some:
            # The nogoods that threads learn differ each time, so a fresh run finds the boards.
            run = run.ground_again()
        run = _add_boards(search, run, some, found, undecided, unconfirmed)
        # A goal without a confirmed board settles nothing.
        failed = some - {goal for goal, _ in found}
        missed = search.look.settled(failed) - search.look.settled(goal for goal, _ in found) - some
        if left := [goal for goal in run.goals if str(goal) in missed]:
            more, open_goals = run.possible(search.patience, left, known | hard)
            undecided |= {goal for goal in open_goals if not search.look.is_plain(goal)}
            run = _add_boards(search, run, more, found, undecided, unconfirmed)
    except OutOfTime:
        return SiteOutcome(spot, tuple(found), frozenset(undecided), frozenset(unconfirmed), False)
    is_told = search.look.extreme or (search.look.tells and not found)
    # If an extreme value is not proved, a better one may exist.
    open_ = {goal for goal, shown in found if search.look.extreme and shown and not shown.least}
    return SiteOutcome(
        spot,
        tuple(found),
        frozenset((undecided | open_) - search.look.settled(goal for goal, _ in found)),
        frozenset(unconfirmed),
        able=able,
        lets=tuple(starmap(InputRange, run.lets())) if is_told else (),
        simplified=run.simplified,
    )


def _add_boards(
    search: Search,
    run: GroundedRun,
    goals: Collection[str],
    found: list[tuple[str, GoalWitness | None]],
    undecided: set[str],
    unconfirmed: set[str],
) -> GroundedRun:
    """Add these goals to the found ones, each with a board unless it is plain, or to the open ones.

    The run of the result is that of `_smallest_first`.
    """
    look = search.look
    found += [(goal, None) for goal in sorted(goals) if look.is_plain(goal)]
    wanted = [e for e in run.goals if str(e) in goals and not look.is_plain(str(e))]
    # Goals that others settle are left for the case that those are not confirmed.
    settled = look.settled(goals)
    wanted.sort(key=lambda goal: str(goal) in settled)
    first = [goal for goal in wanted if str(goal) not in settled]
    least: dict[clingo.Symbol, GoalWitness] = {}
    if len(first) >= _MANY:
        least, run = _smallest_first(search, run, first)
    for goal in wanted:
        if str(goal) in look.settled(each for each, _ in found):
            continue
        try:
            shown_here: Iterator[GoalWitness] = (
                iter((least[goal],))
                if goal in least
                else boards_for(search, run, goal, search.patience)
            )
            for shown in islice(shown_here, 1 + search.further):
                found.append((str(goal), shown))
        except TimeoutError:
            undecided.add(str(goal))
        except Unconfirmed:
            unconfirmed.add(str(goal))
    return run


def first_at(
    search: Search, spot: SearchSite, parts: Mapping[str, GoalRules], met: bool
) -> SiteOutcome:
    """Return one goal of a search at a site with a small board; `empty`: no board there can have one.

    The whole search shares `patience` seconds. parts: the rules of the goals. met: see `_searched`.
    """
    # Sending a whole goal with its questions to a process takes longer than most searches.
    search = replace(search, look=replace(search.look, parts=parts, plain=()))
    try:
        if not (met or _meets_needs(search, spot)):
            return SiteOutcome(spot, empty=True)
        clock = search.clock.within(search.patience)
        run = GroundedRun(search.lab, search.bounds, spot, search.look, clock)
        for there in run.by_boards(run.goals, search.patience):
            for goal in (each for each in run.goals if str(each) in there):
                with suppress(TimeoutError, Unconfirmed):
                    shown = confirmed(search, run, goal, search.patience)
                    if shown is not None:
                        return SiteOutcome(spot, ((str(goal), shown),), whole=False)
    except (OutOfTime, TimeoutError):
        pass
    return SiteOutcome(spot, whole=False)


def _meets_needs(search: Search, spot: SearchSite) -> bool:
    """Test whether some board at a site meets what every board with a goal meets, or may do so."""
    for need in search.look.necessary(spot.event):
        program = site_program(search.lab, search.bounds, spot, need)
        key = cache.digest(program.text.encode())
        if key not in search.met:
            run = GroundedRun(
                search.lab, search.bounds, spot, need, search.clock, sized=False, program=program
            )
            try:
                met = any(run.shows(goal, min(search.patience, _NEEDS)) for goal in run.goals)
            except TimeoutError:
                met = True
            search.met[key] = met
        if not search.met[key]:
            return False
    return True


#: Seconds to decide whether a board meets what each board with a goal meets.
_NEEDS = 4.0


#: The atom that a board is relevant to a claim.
_ABLE = clingo.Function("able")
#: Number of goals from which a joint search for boards pays off.
_MANY = 3


def _smallest_first(
    search: Search, run: GroundedRun, wanted: list[clingo.Symbol]
) -> tuple[dict[clingo.Symbol, GoalWitness], GroundedRun]:
    """Return boards of many goals: the smallest board for any goal is the smallest for all its
    goals.

    Then follows the smallest board for any other goal, and so on. Goals that the ordinary commands
    do not confirm are left out, and those left when `patience` is over. The run of the result
    excludes boards that violate the norms that a board of the search violated.
    """
    found: dict[clingo.Symbol, GoalWitness] = {}
    left = set(wanted)
    while left:
        try:
            model = run.least_of(left, search.patience)
        except TimeoutError:
            break
        if model is None or not model.least:
            break
        there = left.intersection(each.arguments[0] for each in model.symbols if each.name == "new")
        for goal in sorted(there):
            shown = shown_by(search, replace(model, goal=goal))
            here = _asked(search, shown)
            if new := _new_violations(search, run, here):
                # Other goals at this site probably need the same norms.
                run = run.ground_again(new)
                break
            left.remove(goal)
            if here.doubt is None and (search.look.lenient or not here.broken):
                found[goal] = replace(shown, unseen=here.unseen)
    return found, run


def _new_violations(search: Search, run: GroundedRun, here: Confirmation) -> frozenset[str]:
    """Return the norms that a board of a run violates, but must not: they are added when needed."""
    return frozenset() if search.look.lenient else frozenset(here.broken) - run.strict


class Unconfirmed(Exception):
    """The search has boards for a goal, but the ordinary commands confirm none of them."""


#: Maximum number of unconfirmed boards to try within the time.
_TRIED = 100
#: Maximum number of boards to try that equal a shown one.
_ALIKE = 200


def confirmed(
    search: Search, run: GroundedRun, goal: clingo.Symbol, patience: float | None = None
) -> GoalWitness | None:
    """Return the smallest board for a goal that the ordinary commands confirm and that violates no
    norm.

    None if there is none. TimeoutError if `patience` is over first, Unconfirmed after many failed
    tries.
    """
    return next(boards_for(search, run, goal, patience), None)


def boards_for(
    search: Search, run: GroundedRun, goal: clingo.Symbol, patience: float | None = None
) -> Iterator[GoalWitness]:
    """Yield confirmed boards for a goal, smaller ones first, without equal ones; see `confirmed`."""
    started = time.monotonic()
    excluded: list[BoardModel] = []
    tried = 0
    like: set[str] = set()
    while (model := run.least(goal, patience)) is not None:
        shown = shown_by(search, model)
        kind = canonical_witness(shown.witness) if like else ""
        here = None if kind in like else _asked(search, shown)
        if here is not None and (new := _new_violations(search, run, here)):
            run = run.ground_again(new)
            for each in excluded:
                run.exclude(each)
            continue
        if here is not None and here.doubt is None:
            yield replace(shown, unseen=here.unseen)
            like.add(canonical_witness(shown.witness))
            tried = 0
        tried += 1
        if tried > (_TRIED if not like else _ALIKE):
            break
        if not like and patience is not None and time.monotonic() - started > patience:
            break
        excluded.append(model)
        run.exclude(model)
    if excluded and not like:
        raise Unconfirmed


def _asked(search: Search, shown: GoalWitness) -> Confirmation:
    """Return the answer of the ordinary commands about a board."""
    if search.look.confirms is None:
        return confirm(shown.witness, search.lab, search.bounds)
    return search.look.confirms(shown)


def shown_by(search: Search, model: BoardModel) -> GoalWitness:
    """Return a model as a board with a question."""
    assert search.look.evidence is not None
    sign = search.look.evidence(model)
    if not isinstance(sign, WitnessEvidence):
        sign = WitnessEvidence(sign)
    return GoalWitness(
        str(model.goal),
        model.spot,
        make_witness("witness", model.spot.grid, model.symbols, sign),
        model.size,
        model.least,
        sign.worth,
        _twin(search.lab, model, sign),
    )


def _twin(lab: Generator, model: BoardModel, sign: WitnessEvidence) -> Witness | None:
    """Return the same board for the second rule set: its sections, its ways of drawing."""
    names = {node.name for node in lab.unit_pairs if (node.name, node.arity) in lab.inputs}
    if not names:
        return None
    theirs = {f"{name}{OTHER}": name for name in names}
    symbols = [
        clingo.Function(theirs[each.name], each.arguments) if each.name in theirs else each
        for each in model.symbols
        if each.name not in names
    ]
    return make_witness("witness", model.spot.grid, symbols, sign)
