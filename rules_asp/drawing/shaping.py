"""Pieces of drawings put together as outlines, and lines cut by them; in lattice units."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rules_asp.drawing.elements import ring_path
from rules_asp.lines.outlines import Piece, hexagon
from rules_asp.terms.grid import Grid, Hex, Point

#: Seams between pieces of one drawing, and wiggles of its rim, that are narrower than this are lost.
_SEAM = 3


def outline(pieces: Iterable[Piece], inset: int = 0) -> str:
    """The data of a path round all these pieces together, perhaps so far inside; empty for none."""
    import shapely

    polygons = [shapely.Polygon(piece) for piece in pieces if len(piece) > 2]
    if not polygons:
        return ""
    union = shapely.union_all(polygons, grid_size=1)
    closed = union.buffer(_SEAM, join_style="mitre").buffer(-_SEAM - inset, join_style="mitre")
    return _rings(shapely.normalize(closed.simplify(_SEAM)))


def hexes_outline(hexes: Iterable[Hex]) -> str:
    """The data of a path round all these hexes together."""
    return outline([hexagon(hex_) for hex_ in hexes])


def outside_points(hexes: Iterable[Hex], paper: Grid) -> dict[Hex, tuple[Piece, ...]]:
    """What of these hexes lies beyond the rim of the paper, which cuts the outer hexes in half."""
    import shapely

    sheets = [(*one, *other) for one, other in (field.corners for field in paper.fields)]
    sheet = shapely.union_all([shapely.box(*each) for each in sheets])
    found: dict[Hex, tuple[Piece, ...]] = {}
    for hex_ in hexes:
        corners = hexagon(hex_)
        if any(
            all(left <= each.x <= right and top <= each.y <= bottom for each in corners)
            for left, top, right, bottom in sheets
        ):
            continue
        cut_off = shapely.Polygon(corners).difference(sheet)
        found[hex_] = tuple(
            tuple(Point(round(x), round(y)) for x, y in list(each.exterior.coords)[:-1])
            for each in getattr(cut_off, "geoms", [cut_off])
            if not each.is_empty
        )
    return found


def _rings(area: Any) -> str:
    parts: list[str] = []
    for each in getattr(area, "geoms", [area]):
        if each.geom_type != "Polygon" or each.is_empty:
            continue
        parts += [ring_path(list(one.coords)[:-1]) for one in (each.exterior, *each.interiors)]
    return "".join(parts)


def between(one: Point, other: Point, share: float) -> tuple[float, float]:
    """The point so far along from one to the other: 0 is the first, 1 the second."""
    return one.x + (other.x - one.x) * share, one.y + (other.y - one.y) * share


def stretch_in(one: Point, other: Point, piece: Piece) -> tuple[float, float] | None:
    """Which shares of a line lie in a convex piece; None where it only touches the piece, or misses it."""
    dx, dy = other.x - one.x, other.y - one.y
    low, high = 0.0, 1.0
    for at, a in enumerate(piece):
        b = piece[(at + 1) % len(piece)]
        # Inside is to the right of each edge, since pieces go clockwise on the map.
        there = (b.x - a.x) * (one.y - a.y) - (b.y - a.y) * (one.x - a.x)
        slope = (b.x - a.x) * dy - (b.y - a.y) * dx
        if slope == 0:
            if there < 0:
                return None
        elif slope > 0:
            low = max(low, -there / slope)
        else:
            high = min(high, -there / slope)
    return (low, high) if high - low > 1e-6 else None


def stretches(one: Point, other: Point, pieces: Iterable[Piece]) -> list[tuple[float, float]]:
    """The shares of a line that lie in any of these pieces, joined where they meet, in order."""
    found: list[tuple[float, float]] = []
    for low, high in sorted(filter(None, (stretch_in(one, other, piece) for piece in pieces))):
        if found and low <= found[-1][1] + 1e-3:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return found


def crossed(one: Point, other: Point, hexes: Iterable[Hex]) -> list[tuple[Hex, float, float]]:
    """The hexes that a line passes through, with the shares at which it enters and leaves, in order."""
    found = [(stretch_in(one, other, hexagon(hex_)), hex_) for hex_ in hexes]
    inside = [(hex_, *share) for share, hex_ in found if share is not None]
    return sorted(inside, key=lambda each: (each[1], each[2], each[0]))
