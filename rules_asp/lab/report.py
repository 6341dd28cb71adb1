"""The report of a search: its progress, and the inputs that no small board has."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rules_asp.game.display import NotebookDisplay
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import EngineError
from rules_asp.lab.generator import Generator, SearchBounds
from rules_asp.lab.goals import SearchGoal, goal_text, merged
from rules_asp.lab.search import Search
from rules_asp.lab.witness import GoalWitness, InputRange, SiteFinding, SiteOutcome
from rules_asp.runtime.limits import OutOfTime

if TYPE_CHECKING:
    from rules_asp.lab.unsat_core import UnsatCore


# --- Inputs that no lab board has.


#: Lines to places where only a unit in Bypass can be are searched in some events only.
_BESIDES = "bypasses"
#: Topics that serve another answer; see `SearchGoal.once`.
_BORROWED = "borrowed"


def absent_inputs(lab: Generator, nodes: Iterable[Signature]) -> tuple[str, ...]:
    """Return inputs that these nodes read and no lab board has (kb/lab/not_generated.lp), in words."""
    nodes = tuple(nodes)
    read = lab.reads(nodes)
    texts = [lab.rules[place].text for place in lab.cone(nodes)]
    return tuple(
        said
        for name, said in lab.never.items()
        if name in read or (name not in lab.program.vocabulary.inputs and _named(name, texts))
    )


def needs_absent_inputs(lab: Generator, look: SearchGoal) -> tuple[str, ...]:
    """Return the missing inputs of boards for a goal; all of them if the goal reads nothing."""
    if not look.parts:
        return tuple(lab.never.values())
    found = absent_inputs(lab, merged(look.parts.values()).wanted)
    if look.once:
        found = (*found, lab.never[_BORROWED])
    if look.vertices:
        others = (said for said in found if said != lab.never[_BESIDES])
        return (lab.between_two, *others)
    lines = {"question", "sight"}.isdisjoint(look.parts) or lab.never[_BESIDES] in found
    return found if lines else (lab.never[_BESIDES], *found)


def _named(word: str, texts: Iterable[str]) -> bool:
    return any(re.search(rf"\b{word}\b", text) for text in texts)


# --- Progress: findings, finished sites, remaining sites.


_T = TypeVar("_T")


@dataclass(frozen=True)
class SearchReport(NotebookDisplay, Generic[_T]):
    """The result of a search, its limits, and its progress.

    - complete: all sites were searched before the time limit and without an interrupt.
    - settled, left: the sites that were searched to the end, and the others.
    - too_large: those of `left` that need more memory than the limit.
    - undecided: goals that the time for each goal did not suffice to decide.
    - unconfirmed: goals with boards of which the ordinary commands confirm none.
    - seconds: the duration. interrupted: by Ctrl-C.
    - excluded: what excludes a claim.
    - lets: the numbers that boards may state, if the result depends on them.
    - never: if nothing was found, the relevant inputs that no lab board has.
    - doubt: for a claim that never fails, the search for a board on which it is unknown.
    - decided: whether any board that meets the condition decides the claim.
    - proved: a proof shows that the claim fails on no board of any size.
    """

    bounds: SearchBounds
    found: tuple[_T, ...]
    complete: bool
    undecided: tuple[str, ...]
    seconds: float
    interrupted: bool = False
    settled: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    unconfirmed: tuple[str, ...] = ()
    excluded: UnsatCore | None = None
    lets: tuple[InputRange, ...] = ()
    never: tuple[str, ...] = ()
    doubt: SearchReport[Any] | None = None
    decided: bool = True
    proved: bool = False
    too_large: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """True if the search has an answer: something was found, or nothing exists within the
        limits."""
        return bool(self.found) or self.whole

    @property
    def whole(self) -> bool:
        """True if nothing is left, undecided or unconfirmed, so that the findings are complete."""
        return self.complete and not self.undecided and not self.unconfirmed

    @property
    def sure(self) -> bool:
        """True if the search is whole and every board has a definite answer."""
        doubt = self.doubt
        return self.whole and (doubt is None or (doubt.whole and not doubt.found))


@dataclass
class SearchProgress:
    """The progress of a search."""

    search: Search
    settled: list[str] = field(default_factory=list)
    too_large: list[str] = field(default_factory=list)
    undecided: set[str] = field(default_factory=set)
    unconfirmed: set[str] = field(default_factory=set)
    grounded: set[str] = field(default_factory=set)
    lets: dict[InputRange, None] = field(default_factory=dict)
    interrupted: bool = False
    empty: bool = True

    def over(
        self,
        boards: bool = True,
        again: bool = False,
        outcomes: Iterator[SiteOutcome] | None = None,
        settles: bool = True,
    ) -> Iterator[SiteOutcome]:
        """Yield the outcomes of a search, or the given ones, until the time limit or Ctrl-C.

        Not `settles`: they do not finish a site, since the search of it follows.
        """
        try:
            for outcome in outcomes or self.search.outcomes(boards, again):
                if not settles:
                    yield outcome
                    continue
                if not outcome.empty:
                    self.empty = False
                if outcome.whole:
                    self.settled.append(str(outcome.spot))
                if outcome.too_large:
                    self.too_large.append(str(outcome.spot))
                self.undecided |= outcome.undecided
                self.grounded |= outcome.grounded
                self.lets |= dict.fromkeys(outcome.lets)
                self.unconfirmed |= outcome.unconfirmed
                yield outcome
        except OutOfTime:
            pass
        except KeyboardInterrupt:
            self.interrupted = True

    def report(self, found: tuple[_T, ...], goals: Collection[str]) -> SearchReport[_T]:
        """Return the report; `goals` are those found anywhere.

        EngineError if there is no board at all, since the search could never find anything.
        """
        bounds = self.search.bounds
        every = [str(each) for grid in bounds.grids for each in self.search.spots(grid)]
        if self.settled and self.empty:
            raise EngineError(f"no board meets the limits of this search: {self.settled[0]}")
        settled = set(self.settled)
        left = tuple(each for each in every if each not in settled)
        return SearchReport(
            bounds,
            found,
            not left,
            tuple(sorted(self.undecided.difference(goals))),
            round(time.monotonic() - self.search.clock.started, 1),
            self.interrupted,
            tuple(self.settled),
            left,
            tuple(sorted(self.unconfirmed.difference(goals))),
            lets=tuple(_together(self.lets)),
            never=() if found else needs_absent_inputs(self.search.lab, self.search.look),
            too_large=tuple(self.too_large),
        )


def _together(lets: Iterable[InputRange]) -> Iterator[InputRange]:
    """Merge the possible values of each input over several sites."""
    known: dict[str, InputRange] = {}
    for each in lets:
        before = known.get(each.name, each)
        values = dict.fromkeys((*before.values, *each.values))
        known[each.name] = replace(before, values=tuple(values))
    yield from known.values()


def report(
    search: Search,
    make: Callable[[SiteFinding, GoalWitness | None], _T],
    order: Callable[[_T], Any],
    boards: bool = True,
) -> SearchReport[_T]:
    """Return everything that a search finds, each with its smallest board.

    At the time limit or Ctrl-C, it returns what was found so far, each with its board.
    """
    course = SearchProgress(search)
    sizes: dict[str, tuple[int, int]] = {}
    items: dict[str, _T] = {}
    for outcome in course.over(boards):
        for goal, shown in outcome.found:
            size = shown.size if shown else (0, 0)
            if goal in sizes and size >= sizes[goal]:
                continue
            item = make(SiteFinding(goal, outcome.spot), shown)
            if goal not in sizes:
                search.told(f"{len(items) + 1} found; {goal_text(goal)}")
                search.found(item)
            sizes[goal], items[goal] = size, item
    return course.report(tuple(sorted(items.values(), key=order)), set(items))


def progress_line(spots: tuple[str, ...], others: tuple[str, ...]) -> str:
    """Return the sites of a search in short, by grid: `2x1: board, shot(direct) (2)`.

    The places of an event are listed if some of them are among the `others`.
    """
    parted = {tuple(each.split(", ")[:2]) for each in others}
    grids: dict[str, dict[str, list[str]]] = {}
    for each in spots:
        grid, event, *place = each.split(", ")
        grids.setdefault(grid, {}).setdefault(event, []).append(", ".join(place))
    told = (
        f"{grid}: "
        + ", ".join(
            f"{name} ({'; '.join(places) if (grid, name) in parted else len(places)})"
            if len(places) > 1 or (grid, name) in parted
            else name
            for name, places in events.items()
        )
        for grid, events in grids.items()
    )
    return "; ".join(told)
