"""Exact measuring of one line: depictions, depressions, roads, and the hexes near it.

This is slower than `line_batch`, and only a few threads need it: a thread along an edge of a piece
or of a hex, one that may be within a single building, and one that is shifted to find close calls.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import isqrt, lcm
from typing import NamedTuple

from rules_asp.game.grid import COLUMN_STEP, CORNERS, ROW_STEP, Hex, Hexside, Point, hexside_between
from rules_asp.geometry.polygons import Piece, Stretch, hexagon
from rules_asp.geometry.shapes import BUILDING, ROAD, Shapes

# --- One thread over depictions, measured exactly with integers and fractions.


Number = int | Fraction

#: A part of a thread: its start and its end; 0 is the start of the thread and 1 its end.
Interval = tuple[Fraction, Fraction]

#: A gap in a depiction of up to one VASL pixel, in lattice units, is ignored.
MIN_GAP = 8

_START, _END = Fraction(0), Fraction(1)


class RationalPoint(NamedTuple):
    """A point that need not be a lattice point."""

    x: Fraction
    y: Fraction


AnyPoint = Point | RationalPoint


def orientation(start: AnyPoint, end: AnyPoint, point: AnyPoint) -> Number:
    """Return the side of the thread for a point: positive clockwise on the map, 0 on its line."""
    return (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)


def position_along(start: AnyPoint, end: AnyPoint, point: AnyPoint) -> Fraction:
    """Return the position of a point along the thread: 0 level with its start, 1 with its end."""
    dx, dy = end.x - start.x, end.y - start.y
    way = dx * (point.x - start.x) + dy * (point.y - start.y)
    return Fraction(way) / (dx * dx + dy * dy)


def intervals_inside(pieces: Iterable[Piece], start: AnyPoint, end: AnyPoint) -> list[Interval]:
    """Return the parts of the thread with the union of the pieces on both sides, in order.

    Adjoining parts are joined; parts of length zero are left out.
    """
    # Scale the lattice until both ends are on it: integers are far quicker than fractions.
    fine = lcm(*(number.denominator for number in (*start, *end)))
    x, y = int(fine * start.x), int(fine * start.y)
    dx, dy = int(fine * end.x) - x, int(fine * end.y) - y
    length2 = dx * dx + dy * dy
    inside: list[Interval] = []
    left: list[Interval] = []
    right: list[Interval] = []
    for piece in pieces:
        sides = [dx * (fine * p.y - y) - dy * (fine * p.x - x) for p in piece]
        least, most = min(sides), max(sides)
        if least > 0 or most < 0:
            continue
        ways = [dx * (fine * p.x - x) + dy * (fine * p.y - y) for p in piece]
        # The thread meets the rim of the piece at points of the piece, or between two of them.
        met = [Fraction(ways[i], length2) for i, s in enumerate(sides) if s == 0]
        met += (
            Fraction(ways[i] * sides[i - 1] - ways[i - 1] * s, (sides[i - 1] - s) * length2)
            for i, s in enumerate(sides)
            if min(s, sides[i - 1]) < 0 < max(s, sides[i - 1])
        )
        first, last = max(min(met), _START), min(max(met), _END)
        if first < last:
            (inside if least < 0 < most else left if most == 0 else right).append((first, last))
    return interval_union([*inside, *interval_intersection(left, right)])


def intervals_along_hexside(
    span: Iterable[Stretch], start: AnyPoint, end: AnyPoint
) -> list[Interval]:
    """Return the parts of the thread along the stretches of a hexside that it runs along."""
    parts = (sorted(position_along(start, end, point) for point in stretch) for stretch in span)
    return [(max(one, _START), min(two, _END)) for one, two in parts]


def interval_intersection(some: Iterable[Interval], others: Sequence[Interval]) -> list[Interval]:
    """Return the parts, longer than zero, that are both in `some` and in `others`."""
    both = ((max(a, c), min(b, d)) for a, b in some for c, d in others)
    return [(first, last) for first, last in both if first < last]


def interval_union(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the union of intervals, in order."""
    union: list[Interval] = []
    for first, last in sorted(intervals):
        if union and first <= union[-1][1]:
            union[-1] = union[-1][0], max(last, union[-1][1])
        else:
            union.append((first, last))
    return union


def is_gapless(parts: Iterable[Interval], start: AnyPoint, end: AnyPoint) -> bool:
    """Return whether these parts cover the whole thread, except gaps of at most `MIN_GAP`."""
    length2 = (end.x - start.x) ** 2 + (end.y - start.y) ** 2
    reached = _START
    for first, last in interval_union([*parts, (_END, _END)]):
        if (first - reached) ** 2 * length2 > MIN_GAP**2:
            return False
        reached = last
    return True


def both_reach_hexside(
    shapes: Shapes,
    inherent: frozenset[tuple[Hex, str]],
    hex_: Hex,
    direction: int,
    kind: str,
    across: Iterable[str],
) -> bool:
    """Return whether depictions of two neighbors reach the same part of their hexside.

    One is of this kind, the one across the hexside of any of the kinds `across`.

    Inherent terrain reaches all of the hexside. If it is in one of the hexes only, it reaches the
    hexside for that hex only.
    """
    if (hex_, kind) in inherent:
        return True
    return any(_reach(shapes, inherent, hex_, direction, kind, facing) for facing in across)


def _reach(
    shapes: Shapes,
    inherent: frozenset[tuple[Hex, str]],
    hex_: Hex,
    direction: int,
    kind: str,
    facing: str,
) -> bool:
    other = hex_.neighbour(direction)
    own = shapes.spans.get((hex_, direction, kind), ())
    if (other, facing) in inherent:
        return bool(own)
    asked = hex_, direction, kind, facing
    found = shapes.reached_by_both.get(asked)
    if found is None:
        ends = hex_.corner(direction - 1), hex_.corner(direction)
        beyond = shapes.spans.get((other, (direction + 3) % 6, facing), ())
        found = bool(
            interval_intersection(
                intervals_along_hexside(own, *ends), intervals_along_hexside(beyond, *ends)
            )
        )
        shapes.reached_by_both[asked] = found
    return found


def clearance(shapes: Shapes, hex_: Hex, direction: int, kind: str) -> int | None:
    """Return the distance between a hexside and a depiction of its hex; None without a depiction."""
    asked = hex_, direction, kind
    if asked not in shapes.clearances:
        side = hexside_between(hex_, hex_.neighbour(direction)).ends
        shapes.clearances[asked] = _clearance(shapes.pieces.get((hex_, kind), ()), side)
    return shapes.clearances[asked]


def _clearance(pieces: Iterable[Piece], side: Stretch) -> int | None:
    """Return the distance between a hexside and pieces that do not cross it."""
    squares = [
        _whole_distance_squared(point, *edge)
        for piece in pieces
        for point, edge in (
            *((point, side) for point in piece),
            *((end, (piece[i - 1], piece[i])) for i in range(len(piece)) for end in side),
        )
    ]
    return isqrt(min(squares)) if squares else None


def _whole_distance_squared(point: Point, one: Point, two: Point) -> int:
    """Return the squared distance from a point to a stretch, rounded down."""
    dx, dy, px, py = two.x - one.x, two.y - one.y, point.x - one.x, point.y - one.y
    length2, along = dx * dx + dy * dy, dx * px + dy * py
    if along <= 0:
        return px * px + py * py
    if along >= length2:
        return (point.x - two.x) ** 2 + (point.y - two.y) ** 2
    return (dx * py - dy * px) ** 2 // length2


def covers_within(around: Piece, pieces: Iterable[Piece], start: AnyPoint, end: AnyPoint) -> bool:
    """Return whether pieces cover the part of the thread within a shape, except gaps of a pixel."""
    within = intervals_inside((around,), start, end)
    if not within:
        return False
    ((first, last),) = within
    parts = [(_START, first), *intervals_inside(pieces, start, end), (last, _END)]
    return is_gapless([(one, two) for one, two in parts if one < two], start, end)


def runs_inside(shapes: Shapes, hexes: Collection[Hex], start: AnyPoint, end: AnyPoint) -> bool:
    """Return whether a thread is inside the building depictions of hexes, except pixel gaps."""
    pieces = (piece for hex_ in hexes for piece in shapes.pieces.get((hex_, BUILDING), ()))
    parts = intervals_inside(pieces, start, end)
    for hex_, direction in product(hexes, (1, 2, 3)):
        other = hex_.neighbour(direction)
        ends = hex_.corner(direction - 1), hex_.corner(direction)
        if other in hexes and not any(orientation(start, end, point) for point in ends):
            own = shapes.spans.get((hex_, direction, BUILDING), ())
            facing = shapes.spans.get((other, (direction + 3) % 6, BUILDING), ())
            parts += interval_intersection(
                intervals_along_hexside(own, start, end),
                intervals_along_hexside(facing, start, end),
            )
    return is_gapless(parts, start, end)


# --- Whether a thread stays in a depression from hexside to hexside (A6.3), or on a road (B13.31).


def open_hexsides(
    shapes: Shapes, channels: Collection[tuple[Hex, str]], sides: Iterable[Hexside] = ()
) -> frozenset[Hexside]:
    """Return the hexsides where a depiction continues in the next hex, plus `sides`.

    The depictions may be of several kinds, as where a gully runs into a stream.
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
    """Return whether a thread crosses only such hexsides, none of them at its end.

    The thread meets only these hexes.
    """
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


def depression_hexsides_crossed(
    open_sides: Collection[Hexside], hex_: Hex, start: AnyPoint, end: AnyPoint
) -> int:
    """Return how many such hexsides a thread crosses in sequence from its start, none at an end."""
    crossed, came = 0, -1
    while True:
        for direction in range(6):
            one, two = hex_.corner(direction - 1), hex_.corner(direction)
            turns = orientation(start, end, one), orientation(start, end, two)
            if (
                direction != came
                and min(turns) < 0 < max(turns)
                and orientation(one, two, start) * orientation(one, two, end) <= 0
            ):
                break
        else:
            return crossed
        other = hex_.neighbour(direction)
        if hexside_between(hex_, other) not in open_sides:
            return crossed
        crossed, came, hex_ = crossed + 1, (direction + 3) % 6, other


def keeps_to_road(shapes: Shapes, hex_: Hex, start: AnyPoint, end: AnyPoint) -> bool:
    """Return whether a thread enters and leaves a hex by its road, and stays on it between."""
    by = 0
    for direction in range(6):
        for one, two in shapes.spans.get((hex_, direction, ROAD), ()):
            across = orientation(start, end, one) * orientation(start, end, two)
            by += across <= 0 and orientation(one, two, start) * orientation(one, two, end) <= 0
    pieces = shapes.pieces.get((hex_, ROAD), ())
    return by > 1 and covers_within(hexagon(hex_), pieces, start, end)


# --- The hexes near a thread, found from the lattice alone: the work grows with the line, not with
# the map.


#: A depiction may extend this far outside its hex, as its points are rounded: lattice units.
ROUNDING_MARGIN = 2

# The extent of a hex from its center to the right, and down.
_WIDTH, _HEIGHT = CORNERS[1][0], CORNERS[2][1]


def hexes_near_line(start: Point, end: Point, reach: int = 0) -> Iterator[Hex]:
    """Yield the hexes whose depictions can be within `reach` lattice units of the thread.

    Rims count. The hexes come column by column and may be off the map; near an end there may be one
    extra hex.
    """
    reach += ROUNDING_MARGIN
    (x, y), (last_x, last_y) = sorted((start, end))
    dx, dy = last_x - x, last_y - y
    # The maximum distance of a center at right angles to the thread, in the units of `turn`.
    off = max(abs(dx * cy - dy * cx) for cx, cy in CORNERS[:3])
    off += reach * (isqrt(dx * dx + dy * dy) + 1)
    for col in range(
        _up(x - _WIDTH - reach, COLUMN_STEP), (last_x + _WIDTH + reach) // COLUMN_STEP + 1
    ):
        middle = COLUMN_STEP * col
        # The part of the thread within reach of this column, and the rows within reach of this
        # part.
        left, right = max(x, middle - _WIDTH - reach), min(last_x, middle + _WIDTH + reach)
        ways = (dy * (left - x), dy * (right - x)) if dx else (0, dy)
        top, bottom = y + min(ways) // max(dx, 1), y + _up(max(ways), max(dx, 1))
        offset = Hex(col, 0).centre.y
        for row in range(
            _up(top - _HEIGHT - reach - offset, ROW_STEP),
            (bottom + _HEIGHT + reach - offset) // ROW_STEP + 1,
        ):
            down = ROW_STEP * row + offset
            if abs(dx * (down - y) - dy * (middle - x)) <= off:
                yield Hex(col, row)


def _up(number: int, divisor: int) -> int:
    """Return the quotient rounded up."""
    return -(-number // divisor)
