"""Searches of the lab: what any small board can show, and the smallest board that shows it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import clingo

from rules_asp.bounds import TooWide, is_memory
from rules_asp.jobs import HERE, Jobs, done
from rules_asp.knowledge.running import EngineError
from rules_asp.lab.runs import Clock, Look, Model, OutOfTime, Run, Spot
from rules_asp.lab.witnesses import Witness, confirm, witness
from rules_asp.lab.world import Bounds, Lab, places
from rules_asp.terms.grid import Grid
from rules_asp.terms.showing import Showing

_T = TypeVar("_T")


def _silent(_: str) -> None:
    """What a search in a process of its own tells of its course: nothing."""


@dataclass(frozen=True)
class Found:
    """A goal as text, and a place where some board shows it.

    Goals go from process to process as text, since a symbol of clingo's is of one process only.
    """

    goal: str
    spot: Spot


@dataclass(frozen=True)
class Shown:
    """A goal with the smallest board that shows it, as the ordinary commands see that board.

    size: hexes with something in them, then statements. doubt: why they do not confirm it.
    """

    goal: str
    spot: Spot
    witness: Witness
    size: tuple[int, int]
    doubt: str | None = None


@dataclass(frozen=True)
class Search:
    """A search: the knowledge base with its generator, the bounds, what is looked for."""

    lab: Lab
    bounds: Bounds
    look: Look = field(default_factory=lambda: Look({}))
    clock: Clock = field(default_factory=Clock)
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    #: Seconds for each goal on each spot; what they do not decide is told as undecided.
    patience: float = 20.0
    told: Callable[[str], None] = _silent
    #: Megabytes that each process may take besides what it has at first; None: as many as there are.
    memory: int | None = None
    #: The address of a cluster that searches instead.
    cluster: str | None = None

    def spots(self, grid: Grid) -> list[Spot]:
        """All that is to be looked at on a grid."""
        return [
            Spot(grid, event, place)
            for event in self.lab.events
            if event.layer in self.look.parts
            and (self.look.events is None or event.name in self.look.events)
            and (not self.bounds.events or event.kind in self.bounds.events)
            for place in places(grid, event)
        ]

    def goals(self, undecided: set[str] | None = None) -> Iterator[Found]:
        """What boards show, each thing once and on the smallest grid that shows it.

        `undecided` takes in the goals of which it could not be said in time. OutOfTime when the time is
        over before all is searched.
        """
        known: set[str] = set()
        open_: set[str] = set()
        for grid in self.bounds.grids:
            new: dict[str, Spot] = {}
            tasks = [(spot, frozenset(known)) for spot in self.spots(grid)]
            for spot, (found, late) in self._together(_possible, tasks):
                self.told(str(spot))
                open_ |= late
                for goal in sorted(found - new.keys()):
                    new[goal] = spot
                    yield Found(goal, spot)
            known |= new.keys()
        if undecided is not None:
            undecided |= open_ - known

    def boards(self, found: Iterable[Found]) -> Iterator[Shown]:
        """The smallest board for each of these, asked by the ordinary commands too.

        A goal that only boards show which break a norm is left out.
        """
        by_spot: dict[Spot, list[str]] = {}
        for each in found:
            by_spot.setdefault(each.spot, []).append(each.goal)
        tasks = [(spot, tuple(goals)) for spot, goals in by_spot.items()]
        for spot, shown in self._together(_boards, tasks):
            self.told(f"boards, {spot}")
            yield from shown

    def first(self) -> Shown | None:
        """The smallest board that shows any goal; None: no board within the bounds does."""
        for grid in self.bounds.grids:
            best: Shown | None = None
            for spot, shown in self._together(_first, [(spot, ()) for spot in self.spots(grid)]):
                self.told(str(spot))
                if shown is not None and (best is None or shown.size < best.size):
                    best = shown
            if best is not None:
                return best
        return None

    def soonest(self) -> Iterator[tuple[Found, Shown | None]]:
        """What boards show, each with the least board for it at that spot, spot by spot as it is found.

        The board is left out where `patience` is too short to find it; a goal that `patience` does not
        decide is passed over. OutOfTime when the time is over.
        """
        for spot in (each for grid in self.bounds.grids for each in self._soon(grid)):
            self.told(str(spot))
            run = Run(self.lab, self.bounds, spot, self.look, self.clock)
            for goal in run.goals:
                try:
                    if not run.shows(goal, self.patience):
                        continue
                except TimeoutError:
                    continue
                found = Found(str(goal), spot)
                try:
                    shown = _confirmed(self, run, goal, self.patience)
                except TimeoutError:
                    yield found, None
                else:
                    # What only boards show that break a norm is no finding.
                    if shown is not None:
                        yield found, shown

    def _soon(self, grid: Grid) -> list[Spot]:
        """All spots of a grid: what is soon searched first, then in the order of the look's events."""
        named = self.look.events or ()
        layers = ("board", "units", "question")

        def order(spot: Spot) -> tuple[int, int]:
            name = spot.event.name
            return layers.index(spot.event.layer), named.index(name) if name in named else 0

        return sorted(self.spots(grid), key=order)

    def _together(
        self, work: Callable[..., Any], tasks: Sequence[tuple[Spot, object]]
    ) -> Iterator[tuple[Spot, Any]]:
        """The results of a piece of work on many spots, in several processes."""
        state = replace(self, told=_silent)
        jobs = Jobs(self.jobs, self.cluster, self.memory)
        if len(tasks) < 2 and self.clock.seconds is None:
            jobs = HERE
        given = [(work, *each) for each in tasks]
        with done(_work, state, given, jobs, in_order=False, left=self.clock.left) as results:
            for number, result in results:
                yield tasks[number][0], result


def _work(search: Search, task: tuple[Callable[..., object], Spot, object]) -> object:
    work, spot, given = task
    try:
        return work(search, spot, given)
    except (MemoryError, RuntimeError, EngineError) as error:
        if not is_memory(error):
            raise
        what = f"the search of {spot}"
        raise TooWide(what, f"{search.memory} MB", "a smaller --grid asks less") from None


def _possible(search: Search, spot: Spot, known: frozenset[str]) -> tuple[set[str], set[str]]:
    run = Run(search.lab, search.bounds, spot, search.look, search.clock, known=known)
    return run.possible(search.patience)


def _first(search: Search, spot: Spot, _: object) -> Shown | None:
    run = Run(search.lab, search.bounds, spot, search.look, search.clock)
    found = [each for goal in run.goals if (each := _confirmed(search, run, goal))]
    return min(found, key=lambda each: each.size, default=None)


def _boards(search: Search, spot: Spot, goals: tuple[str, ...]) -> list[Shown]:
    run = Run(search.lab, search.bounds, spot, search.look, search.clock)
    found = (_confirmed(search, run, clingo.parse_term(goal)) for goal in goals)
    return [each for each in found if each is not None]


def _confirmed(
    search: Search, run: Run, goal: clingo.Symbol, patience: float | None = None
) -> Shown | None:
    """The smallest board for a goal on which no norm is broken."""
    strict: set[str] = set()
    while (model := run.least(goal, patience)) is not None:
        shown = shown_by(search, model)
        here = confirm(shown.witness, search.lab, search.bounds)
        if search.look.lenient or not (new := set(here.broken) - strict):
            return replace(shown, doubt=here.doubt)
        # What a board must not break is looked at only where it turns out to matter.
        strict |= new
        run = Run(search.lab, search.bounds, run.spot, search.look, search.clock, strict)
    return None


def shown_by(search: Search, model: Model) -> Shown:
    """A model as a board with a question."""
    assert search.look.evidence is not None
    query = search.look.evidence(model)
    return Shown(
        str(model.goal),
        model.spot,
        witness("witness", model.spot.grid, model.symbols, query),
        model.size,
    )


@dataclass(frozen=True)
class Report(Showing, Generic[_T]):
    """What a search found within its bounds.

    Not complete: the time was over, or the search was broken off. undecided: goals that could not be
    decided in the time given to each. seconds: how long it took. interrupted: by Ctrl-C.
    """

    bounds: Bounds
    found: tuple[_T, ...]
    complete: bool
    undecided: tuple[str, ...]
    seconds: float
    interrupted: bool = False


def report(
    search: Search,
    make: Callable[[Found, Shown | None], _T],
    order: Callable[[_T], Any],
    boards: bool = True,
) -> Report[_T]:
    """All that a search finds, each thing with the smallest board that shows it.

    When the time is over, or at Ctrl-C, what was found so far is told, if need be without its board.
    """
    started = time.monotonic()
    found: list[Found] = []
    undecided: set[str] = set()
    shown: dict[str, Shown] = {}
    complete, interrupted = True, False
    try:
        found.extend(search.goals(undecided))
        if boards:
            shown |= {each.goal: each for each in search.boards(found)}
            # What only boards show that break a norm is no finding.
            found = [each for each in found if each.goal in shown]
    except (OutOfTime, KeyboardInterrupt) as end:
        complete, interrupted = False, isinstance(end, KeyboardInterrupt)
    items = sorted((make(each, shown.get(each.goal)) for each in found), key=order)
    seconds = round(time.monotonic() - started, 1)
    return Report(
        search.bounds, tuple(items), complete, tuple(sorted(undecided)), seconds, interrupted
    )
