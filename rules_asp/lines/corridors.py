"""The hexes near a thread, found from the lattice alone: the work grows with the line, not with the map."""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt

from rules_asp.terms.grid import COLUMN_STEP, CORNERS, ROW_STEP, Hex, Point

#: A drawing may lie outside its hex by this, as its points are rounded: lattice units.
ROUNDING_MARGIN = 2

# How far a hex reaches from its centre to the right, and down.
_WIDTH, _HEIGHT = CORNERS[1][0], CORNERS[2][1]


def hexes_near_line(start: Point, end: Point, reach: int = 0) -> Iterator[Hex]:
    """The hexes with what they draw within `reach` lattice units of the thread, rims included.

    On the map or not, column by column; by an end there may be a hex more.
    """
    reach += ROUNDING_MARGIN
    (x, y), (last_x, last_y) = sorted((start, end))
    dx, dy = last_x - x, last_y - y
    # Square to the thread: how far off a centre may be, as `turn` measures.
    off = max(abs(dx * cy - dy * cx) for cx, cy in CORNERS[:3])
    off += reach * (isqrt(dx * dx + dy * dy) + 1)
    for col in range(
        _up(x - _WIDTH - reach, COLUMN_STEP), (last_x + _WIDTH + reach) // COLUMN_STEP + 1
    ):
        middle = COLUMN_STEP * col
        # The part of the thread that is in reach of this column, and the rows in reach of this part.
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
    """The quotient rounded up."""
    return -(-number // divisor)
