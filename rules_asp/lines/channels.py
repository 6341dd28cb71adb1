"""Whether a thread keeps to a way: to a depression from hexside to hexside (A6.3), to a road (B13.31)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rules_asp.lines.exact import AnyPoint, alongside, covered, overlaps, place, turn
from rules_asp.lines.outlines import hexagon
from rules_asp.lines.shapes import ROAD, Shapes
from rules_asp.terms.grid import Hex, Hexside, side


def passable(
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
                    for stretch in alongside(shapes.spans.get((each, toward, kind), ()), *ends)
                ]
                for each, toward in ((hex_, direction), (other, direction + 3))
            )
            if overlaps(own, facing):
                found.add(side(hex_, other))
    return frozenset(found)


def follows(
    open_sides: Collection[Hexside], hexes: Iterable[Hex], start: AnyPoint, end: AnyPoint
) -> bool:
    """Whether a thread, which meets none but these hexes, crosses only such hexsides, none at its end."""
    for hex_ in hexes:
        for direction in range(6):
            one, two = hex_.corner(direction - 1), hex_.corner(direction)
            turns = turn(start, end, one), turn(start, end, two)
            if turns[1] == 0 and 0 <= place(start, end, two) <= 1:
                return False
            if (
                min(turns) < 0 < max(turns)
                and turn(one, two, start) * turn(one, two, end) <= 0
                and side(hex_, hex_.neighbour(direction)) not in open_sides
            ):
                return False
    return True


def follows_from(
    open_sides: Collection[Hexside], hex_: Hex, start: AnyPoint, end: AnyPoint
) -> int:
    """How many such hexsides a thread crosses, one after another from its start in a hex, none at an end."""
    crossed, came = 0, -1
    while True:
        for direction in range(6):
            one, two = hex_.corner(direction - 1), hex_.corner(direction)
            turns = turn(start, end, one), turn(start, end, two)
            if (
                direction != came
                and min(turns) < 0 < max(turns)
                and turn(one, two, start) * turn(one, two, end) <= 0
            ):
                break
        else:
            return crossed
        other = hex_.neighbour(direction)
        if side(hex_, other) not in open_sides:
            return crossed
        crossed, came, hex_ = crossed + 1, (direction + 3) % 6, other


def keeps_road(shapes: Shapes, hex_: Hex, start: AnyPoint, end: AnyPoint) -> bool:
    """Whether a thread comes and goes where the road of a hex does, and is on it all the way between."""
    by = 0
    for direction in range(6):
        for one, two in shapes.spans.get((hex_, direction, ROAD), ()):
            across = turn(start, end, one) * turn(start, end, two)
            by += across <= 0 and turn(one, two, start) * turn(one, two, end) <= 0
    pieces = shapes.pieces.get((hex_, ROAD), ())
    return by > 1 and covered(hexagon(hex_), pieces, start, end)
