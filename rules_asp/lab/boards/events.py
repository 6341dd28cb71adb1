"""The events of a search, and how each may lie on a grid."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from rules_asp.terms.grid import Grid, Hex


@dataclass(frozen=True)
class Event:
    """What is asked of a small board: kb/lab/events.lp names the events."""

    name: str
    sense: str
    #: Which answers can turn on it: those that rest on the `board` alone, on it and its `units`, or on a
    #: `question`.
    layer: str
    #: Whether it lies between two hexes.
    between: bool
    #: The kinds of topics of which it, with the others that show them, shows all that can be so.
    shows: frozenset[str] = frozenset()
    #: The first of the events that show the same: what is looked for in one is so in each of them.
    interchangeable: str = ""
    #: Whether units are in Bypass there.
    at_vertices: bool = False

    @property
    def kind(self) -> str:
        """What it is called in options: shot of shot(direct)."""
        return self.name.partition("(")[0]

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that are looked at in it: its own, and that of which it shows all."""
        return (self.layer, self.interchangeable) if self.shows else (self.layer,)


@dataclass(frozen=True)
class EventPlace:
    """Where an event happens: the two hexes of a sight or shot, and how these lie."""

    ends: tuple[Hex, Hex] | None = None
    name: str = ""


def places(
    grid: Grid, event: Event, pairs: bool = False, named: Collection[Hex] = ()
) -> tuple[EventPlace, ...]:
    """How an event may lie on a grid: for a sight, one pair of hexes for each way in which two can lie.

    pairs: so it is for the event of a claim. named: hexes that are named, so that all pairs with one of
    them are looked at, and one pair of the others.
    """
    if not (event.between or (pairs and event.name == "claim")):
        return (EventPlace(),)
    centre = middle(grid)
    hexes = sorted(grid.hexes(), key=lambda hex_: (hex_.range_to(centre), hex_))
    found: dict[str, tuple[Hex, Hex]] = {}
    for one in hexes:
        for other in hexes:
            ends = (one, other)
            if any(each in named for each in ends):
                found.setdefault(f"{_lie(one, other)}, {one} and {other}", ends)
            elif one <= other:
                found.setdefault(_lie(one, other), ends)
    return tuple(EventPlace(ends, name) for name, ends in sorted(found.items()))


def _lie(one: Hex, other: Hex) -> str:
    """How two hexes lie to each other."""
    distance = one.range_to(other)
    if distance < 2:
        return ("same hex", "neighbours")[distance]
    straight = one.col == other.col or (
        abs(one.centre.y - other.centre.y) == 258 * abs(one.col - other.col)
    )
    if straight:
        return f"in a row, range {distance}"
    spine = one.centre.y == other.centre.y or (
        3 * 258 * abs(one.col - other.col) == abs(one.centre.y - other.centre.y)
    )
    return f"{'along a hexside' if spine else 'aslant'}, range {distance}"


def middle(grid: Grid) -> Hex:
    """The hex with the most neighbours."""
    hexes = set(grid.hexes())
    return max(sorted(hexes), key=lambda hex_: len(hexes.intersection(hex_.neighbours())))
