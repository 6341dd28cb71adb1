"""The outlines of a board cut hex by hex, and laid on a map where the board lies on one of several.

A board is cut on its own lattice, whole, whatever is left of it on the map and however it is turned; then
its pieces are moved, which loses nothing. So a map measures as each of its boards does alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from rules_asp.lines.outlines import (
    Drawing,
    Piece,
    Stretch,
    hexside_spans,
    merge_convex,
    ring_orientation,
    split_by_hex,
)
from rules_asp.terms.board import Outline
from rules_asp.terms.grid import CORNERS, Grid, Hex, MapBoard, Point

#: What outlines of one kind draw in the hexes of a board of their own.
HexDrawings = Mapping[Hex, Drawing]
#: Cuts outlines of one kind; how many columns and rows the board has.
Cutter = Callable[[tuple[Outline, ...], Grid], HexDrawings]


class _Outlines(tuple[Outline, ...]):
    """Outlines that are quick to look up: told apart by what they are, found by a little of it."""

    def __hash__(self) -> int:
        return hash((len(self), *(each.outer[:2] for each in self[:3])))


def cut_to_hexes(outlines: tuple[Outline, ...], grid: Grid) -> HexDrawings:
    """What outlines of one kind draw in the hexes of a board."""
    return _cut(_Outlines(outlines), grid)


@lru_cache(maxsize=128)
def _cut(outlines: _Outlines, grid: Grid) -> HexDrawings:
    return split_by_hex(outlines, grid.hexes())


def draws_in_hex(outlines: Iterable[Outline], hex_: Hex, grid: Grid) -> bool:
    """Whether some outlines of one kind draw anything in a hex of the map."""
    parts = {part.label: part for part in grid.parts}
    by_hex: dict[Hex, list[Outline]] = {}
    for each in outlines:
        own = hex_ if each.on is None else parts[each.on].own(hex_)
        xs, ys = [point.x for point in each.outer], [point.y for point in each.outer]
        (x, y), (reach_x, reach_y) = own.centre, (CORNERS[1][0], CORNERS[2][1])
        apart = min(xs) > x + reach_x or max(xs) < x - reach_x
        if not (apart or min(ys) > y + reach_y or max(ys) < y - reach_y):
            by_hex.setdefault(own, []).append(each)
    return any(split_by_hex(near, [own]) for own, near in by_hex.items())


def placed_drawings(
    drawn: HexDrawings, part: MapBoard, shared: Iterable[Hex]
) -> Iterator[tuple[Hex, Drawing]]:
    """The drawings of a board as it lies on a map; shared: hexes of which it has a part alone."""
    field, divided = part.own_field, frozenset(shared)
    for own, (pieces, spans) in drawn.items():
        if own not in field:
            continue
        hex_ = part.placed(own)
        pieces = tuple(tuple(map(part.placed_point, piece)) for piece in pieces)
        about = 3 if part.turned else 0
        spans = {
            (direction + about) % 6: tuple(
                (part.placed_point(one), part.placed_point(two)) for one, two in span
            )
            for direction, span in spans.items()
        }
        drawing = pieces, dict(sorted(spans.items()))
        if hex_ in divided:
            drawing = clip_to_rect(drawing, *part.field.corners)
        if drawing[0]:
            yield hex_, drawing


def clip_to_rect(drawing: Drawing, corner: Point, other: Point) -> Drawing:
    """What of a drawing lies between two corners of the paper: upper left and lower right."""
    pieces, spans = drawing
    for axis, limit, sign in (
        (0, corner.x, 1),
        (1, corner.y, 1),
        (0, other.x, -1),
        (1, other.y, -1),
    ):
        pieces = tuple(filter(None, (_beyond(piece, axis, limit, sign) for piece in pieces)))
        cut_spans = {
            direction: tuple(filter(None, (_part(one, axis, limit, sign) for one in span)))
            for direction, span in spans.items()
        }
        spans = {direction: span for direction, span in cut_spans.items() if span}
    return pieces, spans


def merge_drawings(hex_: Hex, one: Drawing, other: Drawing) -> Drawing:
    """Two drawings of one kind in a hex as one."""
    edges = {
        direction: [*one[1].get(direction, ()), *other[1].get(direction, ())]
        for direction in sorted({*one[1], *other[1]})
    }
    spans = {direction: hexside_spans(hex_, direction, found) for direction, found in edges.items()}
    return merge_convex((*one[0], *other[0])), spans


def _beyond(piece: Piece, axis: int, limit: int, sign: int) -> Piece | None:
    """The part of a convex piece on one side of a line along the lattice; None for none."""
    off = [sign * (point[axis] - limit) for point in piece]
    if min(off) >= 0:
        return piece
    if max(off) <= 0:
        return None
    kept: list[Point] = []
    for at, point in enumerate(piece):
        before = at - 1
        if off[before] * off[at] < 0:
            kept.append(_crossing(piece[before], point, axis, limit))
        if off[at] >= 0:
            kept.append(point)
    ring = tuple(dict.fromkeys(kept))
    return (
        ring
        if len(ring) > 2 and any(ring_orientation(ring[0], ring[1], third) for third in ring[2:])
        else None
    )


def _part(stretch: Stretch, axis: int, limit: int, sign: int) -> Stretch | None:
    one, two = stretch
    first, last = sign * (one[axis] - limit), sign * (two[axis] - limit)
    if first >= 0 and last >= 0:
        return stretch
    if first <= 0 and last <= 0:
        return None
    middle = _crossing(one, two, axis, limit)
    return (middle, two) if first < 0 else (one, middle)


def _crossing(one: Point, two: Point, axis: int, limit: int) -> Point:
    """The lattice point where a line crosses a line along the lattice, or next to it."""
    one, two = sorted((one, two))
    along, whole = limit - one[axis], two[axis] - one[axis]
    across = 1 - axis
    way = (two[across] - one[across]) * along
    # Rounded to the nearest, alike from either side.
    moved = (2 * abs(way) + abs(whole)) // (2 * abs(whole)) * (1 if way * whole >= 0 else -1)
    return Point(limit, one.y + moved) if axis == 0 else Point(one.x + moved, limit)
