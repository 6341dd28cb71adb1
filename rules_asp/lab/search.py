"""The search over sites, its jobs and cache."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, starmap
from pathlib import Path
from typing import Any

import clingo

from rules_asp.game.grid import Grid
from rules_asp.knowledge.solver import EngineError
from rules_asp.lab.generator import OTHER, BoardModel, Generator, SearchBounds, SearchSite, places
from rules_asp.lab.goals import SearchGoal, named_by
from rules_asp.lab.grounded_run import GroundedRun
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
from rules_asp.runtime import cache, serialize
from rules_asp.runtime.job_pool import JobSettings, run_jobs
from rules_asp.runtime.limits import Deadline, OutOfTime, TooWide
from rules_asp.runtime.worker import is_out_of_memory

# --- The jobs of a search: each is begun only when a process is free for it, and only while there
#     is time.


#: A piece of work, where it is done, and what it is told besides.
Task = tuple[Callable[..., Any], SearchSite, tuple[object, ...]]
#: Seconds that a process may take longer than there are: it ends by itself, but not while it grounds.
GRACE = 2.0


def run_until(
    jobs: JobSettings, state: object, tasks: Iterator[Task], clock: Deadline
) -> Iterator[Any]:
    """The results as they come, of work on a state. A task is taken only when a process is free.

    OutOfTime when the time is over and no process has come to an end.
    """
    late = False
    # Where the time is bounded one process is not this one either, so that it can be ended.
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

    with run_jobs(_work, (state, jobs.memory), taken(), jobs, in_order=False, left=left) as results:
        for _, result in results:
            yield result
    if late:
        raise OutOfTime


def _work(held: tuple[object, int | None], task: Task) -> Any:
    (state, memory), (work, spot, given) = held, task
    try:
        return work(state, spot, *given)
    except (MemoryError, RuntimeError, EngineError) as error:
        if not is_out_of_memory(error):
            raise
        what = f"the search of {spot}"
        raise TooWide(what, f"{memory} MB", "a smaller --grid asks less") from None


# --- What a search found at each spot, kept between runs, so that one that was cut short can go
#     on.


class SiteCache:
    """What was found at each spot from the same sources, in the cache."""

    def __init__(self, kind: str, sources: Iterable[bytes]) -> None:
        whole = b"\0".join((*sources, *cache.source_fingerprint("lab")))
        self._kind, self._sources = kind, cache.digest(whole).encode()

    def load(self, spot: SearchSite) -> Any:
        """What is kept of a spot; None where nothing is."""
        path = self._path(spot)
        data = None if path is None else cache.load_entry(path)
        with suppress(serialize.FormatError):
            return None if data is None else serialize.loads(data, ())
        return None

    def store(self, spot: SearchSite, found: object) -> None:
        """Keep what was found at a spot."""
        if (path := self._path(spot)) is not None:
            cache.store_entry(path, serialize.dumps(found, ()))

    def _path(self, spot: SearchSite) -> Path | None:
        return cache.entry_path(self._kind, [self._sources, str(spot).encode()])


class OutcomeCache(SiteCache):
    """The outcomes of a search that were kept, by spot: of the same rules, bounds and goals alone."""

    def __init__(self, sources: Iterable[bytes]) -> None:
        super().__init__("lab", sources)

    def get(self, spot: SearchSite) -> SiteOutcome | None:
        """What was found at a spot; None where nothing is kept."""
        with suppress(BoardError, ValueError, KeyError, TypeError):
            kept = self.load(spot)
            rows, undecided, unconfirmed, able, grounded, lets = kept
            found = []
            for goal, text, beaten, size, least in rows:
                shown = None
                if text is not None:
                    shown = GoalWitness(goal, spot, of_text(text, beaten), size, least)
                found.append((goal, shown))
            open_ = frozenset(undecided), frozenset(unconfirmed)
            every = frozenset(grounded)
            may = tuple(InputRange(name, sense, tuple(values)) for name, sense, values in lets)
            return SiteOutcome(
                spot, tuple(found), *open_, able=bool(able), grounded=every, lets=may
            )
        return None

    def put(self, outcome: SiteOutcome) -> None:
        """Keep what was found at a spot; what cannot be read again is not kept."""
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
        open_ = tuple(sorted(outcome.undecided)), tuple(sorted(outcome.unconfirmed))
        lets = tuple((each.name, each.sense, each.values) for each in outcome.lets)
        kept = (tuple(rows), *open_, outcome.able, tuple(sorted(outcome.grounded)), lets)
        self.store(outcome.spot, kept)


# --- Searches of the lab: what any small board can show, and the smallest board that shows it.


def _silent(_: object) -> None:
    """What a search in a process of its own tells of its course: nothing."""


@dataclass(frozen=True)
class Search:
    """A search: the knowledge base with its generator, the bounds, what is looked for."""

    lab: Generator
    bounds: SearchBounds
    look: SearchGoal = field(default_factory=lambda: SearchGoal({}))
    clock: Deadline = field(default_factory=Deadline)
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    #: Seconds for each goal on each spot; what they do not decide is told as undecided.
    patience: float = 20.0
    #: Told where the search is, and what it found.
    told: Callable[[str], None] = _silent
    #: Told each thing as it is found; of boards for a claim each that is better than all before.
    found: Callable[[object], None] = _silent
    #: Megabytes that each process may take besides what it has at first; None: as many as there are.
    memory: int | None = None
    #: The address of a cluster that searches instead.
    cluster: str | None = None
    #: Whether spots that were searched before, by the same rules within the same bounds, are taken over.
    resume: bool = False
    #: So many further boards of a claim, none a mirror image or renaming of another.
    further: int = 0
    #: The only spots to be looked at, as text; None: all.
    only: tuple[str, ...] | None = None

    def spots(self, grid: Grid) -> list[SearchSite]:
        """All that is to be looked at on a grid: first what is soon searched, then as the look says."""
        named = self.look.events or ()
        layers = ("board", "units", "question")
        found = [
            SearchSite(grid, event, place)
            for event in self.lab.events
            if self.look.part(event) is not None
            and (self.look.events is None or event.name in self.look.events)
            and (not self.bounds.events or {event.kind, event.name} & {*self.bounds.events})
            # That of a claim brings up nothing of its own.
            and (event.name != "claim" or "claim" in (self.look.events or ()))
            for place in places(grid, event, self.look.pairs, named_by(self.look, self.bounds))
        ]

        def order(spot: SearchSite) -> tuple[int, int]:
            name = spot.event.name
            return layers.index(spot.event.layer), named.index(name) if name in named else 0

        if self.only is not None:
            found = [spot for spot in found if str(spot) in self.only]
        return sorted(found, key=order)

    def outcomes(
        self, boards: bool = True, again: bool = False, known: Iterable[str] = ()
    ) -> Iterator[SiteOutcome]:
        """What comes of each spot, as it is searched.

        Goals that were found, or are `known`, are not looked for `again` if not so said; one that two
        processes find at once is told twice. OutOfTime when the time is over.
        """
        kept = (
            OutcomeCache(self._sources) if self.resume or self.clock.seconds is not None else None
        )
        known = set(known)
        there = False
        jobs, state = (
            JobSettings(self.jobs, self.cluster, self.memory),
            replace(self, told=_silent, found=_silent),
        )
        for grid in self.bounds.grids:
            new: set[str] = set()
            waiting = self.spots(grid)
            todo = list(waiting)
            for spot in waiting:
                if kept and self.resume and (outcome := kept.get(spot)) is not None:
                    todo.remove(spot)
                    new |= {goal for goal, _ in outcome.found}
                    yield outcome
            tasks = (
                (_searched, spot, (frozenset() if again else frozenset(known | new), boards, there))
                for spot in todo
            )
            for outcome in run_until(jobs, state, tasks, self.clock):
                self.told(str(outcome.spot))
                there |= not outcome.empty
                new |= {goal for goal, _ in outcome.found}
                if kept and outcome.whole:
                    kept.put(outcome)
                yield outcome
            known |= new

    @property
    def _sources(self) -> list[bytes]:
        """What the outcome at a spot depends on, besides the code."""
        look = self.look
        return [
            *(rule.text.encode() for rule in self.lab.rules),
            repr((self.lab.facts, self.bounds, self.patience, self.further)).encode(),
            repr((sorted((k, v.rules) for k, v in look.parts.items()), look.lenient)).encode(),
            self.lab.program.shared_facts.encode(),
            look.facts.encode(),
        ]

    def soonest(self) -> Iterator[tuple[SiteFinding, GoalWitness | None]]:
        """What boards show, each with the least board for it at that spot, spot by spot as it is found.

        The board is left out where `patience` is too short to find it, or to tell whether there is any.
        OutOfTime when the time is over.
        """
        for spot in (each for grid in self.bounds.grids for each in self.spots(grid)):
            self.told(str(spot))
            run = GroundedRun(self.lab, self.bounds, spot, self.look, self.clock)
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
            # What only boards show that break a norm is no finding.
            if shown is not None:
                yield found, shown


def _searched(
    search: Search, spot: SearchSite, known: frozenset[str], boards: bool, there: bool = False
) -> SiteOutcome:
    """Look for every goal at a spot. `there`: it is known that there are boards, here or elsewhere."""
    found: list[tuple[str, GoalWitness | None]] = []
    undecided: set[str] = set()
    unconfirmed: set[str] = set()
    try:
        run = GroundedRun(search.lab, search.bounds, spot, search.look, search.clock, known=known)
        # Solving leaves out those that turn out to be ruled out.
        every = frozenset(map(str, run.goals))
        able = boards and _ABLE in run.goals and run.shows(_ABLE, None)
        some, undecided = run.possible(
            search.patience, set(run.goals) - {_ABLE} if boards else None, known
        )
        if not (there or able or some or undecided or run.has_boards):
            return SiteOutcome(spot, empty=True)
        if not boards:
            told = tuple((goal, None) for goal in sorted(some))
            return SiteOutcome(spot, told, frozenset(undecided), grounded=every)
        plain = search.look.plain
        found += [(goal, None) for goal in sorted(some) if clingo.parse_term(goal).name in plain]
        undecided = {goal for goal in undecided if clingo.parse_term(goal).name not in plain}
        wanted = [goal for goal in run.goals if str(goal) in some and goal.name not in plain]
        least = _smallest_first(search, run, wanted) if len(wanted) >= _MANY else {}
        for goal in wanted:
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
    except OutOfTime:
        return SiteOutcome(spot, tuple(found), frozenset(undecided), frozenset(unconfirmed), False)
    is_told = search.look.extreme or (search.look.tells and not found)
    # Where it is not proved to be the most extreme, another may be there yet.
    open_ = {goal for goal, shown in found if search.look.extreme and shown and not shown.least}
    return SiteOutcome(
        spot,
        tuple(found),
        frozenset(undecided | open_),
        frozenset(unconfirmed),
        able=able,
        lets=tuple(starmap(InputRange, run.lets())) if is_told else (),
    )


#: That a board bears on a claim.
_ABLE = clingo.Function("able")
#: From so many goals on it pays to look for the boards of all of them together.
_MANY = 3


def _smallest_first(
    search: Search, run: GroundedRun, wanted: list[clingo.Symbol]
) -> dict[clingo.Symbol, GoalWitness]:
    """The boards of many goals: the least that shows any goal is the least for all that it shows.

    Then the least of those that show any other, and so on. Left out are goals that the ordinary commands do
    not confirm on it, and those that are left when `patience` is over.
    """
    found = {}
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
            if here.doubt is None and (search.look.lenient or not here.broken):
                found[goal] = replace(shown, unseen=here.unseen)
        left -= there
    return found


class Unconfirmed(Exception):
    """The search has boards for something, but the ordinary commands confirm none of them."""


#: So many boards are tried that the ordinary commands do not confirm, as long as there is patience.
_TRIED = 100
#: So many that are like one that was shown.
_ALIKE = 200


def confirmed(
    search: Search, run: GroundedRun, goal: clingo.Symbol, patience: float | None = None
) -> GoalWitness | None:
    """The smallest board for a goal that the ordinary commands confirm, and on which no norm is broken.

    None: there is none. TimeoutError when `patience` is over before there is any, Unconfirmed when
    many were tried in vain.
    """
    return next(boards_for(search, run, goal, patience), None)


def boards_for(
    search: Search, run: GroundedRun, goal: clingo.Symbol, patience: float | None = None
) -> Iterator[GoalWitness]:
    """The boards for a goal, smaller ones first, none like one before. As `confirmed`."""
    strict: set[str] = set()
    started = time.monotonic()
    excluded: list[BoardModel] = []
    tried = 0
    like: set[str] = set()
    while (model := run.least(goal, patience)) is not None:
        shown = shown_by(search, model)
        kind = canonical_witness(shown.witness) if like else ""
        here = None if kind in like else _asked(search, shown)
        new = set() if here is None or search.look.lenient else set(here.broken) - strict
        if new:
            # What a board must not break is looked at only where it turns out to matter.
            strict |= new
            run = GroundedRun(
                search.lab, search.bounds, run.spot, search.look, search.clock, strict
            )
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
    """What the ordinary commands say of a board."""
    if search.look.confirms is None:
        return confirm(shown.witness, search.lab, search.bounds)
    return search.look.confirms(shown)


def shown_by(search: Search, model: BoardModel) -> GoalWitness:
    """A model as a board with a question."""
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
    """The same board as the second set of rules has it: in its own sections, drawn in its own way."""
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
