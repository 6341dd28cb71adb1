"""The default drawing of a road in a hex: a strip from its centre to each hexside that it crosses."""

from __future__ import annotations

from functools import lru_cache

from rules_asp.lines.outlines import Drawing, Piece, Stretch, union_convex
from rules_asp.terms.grid import CORNERS, Point

#: How much of a hexside a road covers, as building drawings do: its middle third.
_PARTS = 3


@lru_cache(maxsize=128)
def road_strips(directions: frozenset[int]) -> Drawing:
    """The strips to some hexsides 0..5, around the origin."""
    tips = [Point(*corner) for corner in CORNERS]
    pieces: list[Piece] = []
    spans: dict[int, tuple[Stretch, ...]] = {}
    for direction in sorted(directions):
        left, right = tips[direction - 1], tips[direction]
        start, end = _third(left, right), _third(right, left)
        # Half the width of the strip, from the middle of the hexside to its left edge there.
        wide, high = (start.x - end.x) // 2, (start.y - end.y) // 2
        pieces.append((Point(wide, high), start, end, Point(-wide, -high)))
        spans[direction] = ((start, end),)
    return union_convex(pieces), spans


def _third(near: Point, far: Point) -> Point:
    return Point(
        ((_PARTS - 1) * near.x + far.x) // _PARTS, ((_PARTS - 1) * near.y + far.y) // _PARTS
    )
