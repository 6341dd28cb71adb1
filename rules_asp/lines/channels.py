"""Whether a thread keeps to a way: to a depression from hexside to hexside (A6.3), to a road (B13.31)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rules_asp.lines.exact import (
    AnyPoint,
    covers_within,
    interval_intersection,
    intervals_along_hexside,
    orientation,
    position_along,
)
from rules_asp.lines.outlines import hexagon
from rules_asp.lines.shapes import ROAD, Shapes
from rules_asp.terms.grid import Hex, Hexside, hexside_between


def open_hexsides(
    shapes: Shapes, channels: Collection[tuple[Hex, str]], sides: Iterable[Hexside] = ()
) -> frozenset[Hexside]:
    """The hexsides across which one of these drawings goes on in another, and `sides` besides.

    The drawings may be of several kinds, as where a gully runs into a stream.
    """
    kinds: dict[Hex, list[str]] = {}
    for hex_, kind in channels:
        kinds.setdefault(hex_, []).append(kind)
    found = set(sides)
    for hex_ in kinds:
        for direction in range(3):
            other = hex_.neighbour(direction)
            ends = hex_.corner(direction - 1), hex_.corner(direction)
            own, facing = (
                [
                    stretch
                    for kind in kinds.get(each, ())
                    for stretch in intervals_along_hexside(
                        shapes.spans.get((each, toward, kind), ()), *ends
                    )
                ]
                for each, toward in ((hex_, direction), (other, direction + 3))
            )
            if interval_intersection(own, facing):
                found.add(hexside_between(hex_, other))
    return frozenset(found)


def keeps_to_depression(
    open_sides: Collection[Hexside], hexes: Iterable[Hex], start: AnyPoint, end: AnyPoint
) -> bool:
    """Whether a thread, which meets none but these hexes, crosses only such hexsides, none at its end."""
    for hex_ in hexes:
        for direction in range(6):
            one, two = hex_.corner(direction - 1), hex_.corner(direction)
            turns = orientation(start, end, one), orientation(start, end, two)
            if turns[1] == 0 and 0 <= position_along(start, end, two) <= 1:
                return False
            if (
                min(turns) < 0 < max(turns)
                and orientation(one, two, start) * orientation(one, two, end) <= 0
                and hexside_between(hex_, hex_.neighbour(direction)) not in open_sides
            ):
                return False
    return True


def keeps_to_road(shapes: Shapes, hex_: Hex, start: AnyPoint, end: AnyPoint) -> bool:
    """Whether a thread comes and goes where the road of a hex does, and is on it all the way between."""
    by = 0
    for direction in range(6):
        for one, two in shapes.spans.get((hex_, direction, ROAD), ()):
            across = orientation(start, end, one) * orientation(start, end, two)
            by += across <= 0 and orientation(one, two, start) * orientation(one, two, end) <= 0
    pieces = shapes.pieces.get((hex_, ROAD), ())
    return by > 1 and covers_within(hexagon(hex_), pieces, start, end)
