"""Where a search looks, and what it finds there as clingo has it."""

from __future__ import annotations

from dataclasses import dataclass

import clingo

from rules_asp.lab.boards.events import Event, EventPlace
from rules_asp.terms.grid import Grid


@dataclass(frozen=True)
class SearchSite:
    """Where something is looked for: an event, on a grid, at a place of it."""

    grid: Grid
    event: Event
    place: EventPlace

    def __str__(self) -> str:
        return ", ".join(filter(None, (str(self.grid), self.event.name, self.place.name)))


@dataclass(frozen=True)
class BoardModel:
    """The smallest board that shows a goal: the atoms of its answer set that are read, and its size.

    size: hexes with something in them, then statements. least: that there is no smaller one is proved.
    """

    goal: clingo.Symbol
    symbols: tuple[clingo.Symbol, ...]
    spot: SearchSite
    size: tuple[int, int]
    least: bool = True
