"""Outlines cut to some hexes: what they draw there stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from rules_asp.lines.outlines import MIN_AREA, hexagon
from rules_asp.terms.board import Outline, Ring
from rules_asp.terms.grid import CORNERS, Hex, Point

#: So far beyond the hexes an outline goes on, in lattice units: what is rounded there moves nothing in
#: them.
_BEYOND = 48


def may_draw_in(outline: Outline, hex_: Hex) -> bool:
    """Whether an outline may draw something in a hex of its lattice: where it extends as far."""
    (x, y), (wide, high) = hex_.centre, (CORNERS[1][0], CORNERS[2][1])
    left, top, right, bottom = _extent(outline.outer)
    return left < x + wide and right > x - wide and top < y + high and bottom > y - high


@lru_cache(maxsize=1024)
def _extent(ring: Ring) -> tuple[int, int, int, int]:
    xs, ys = [point.x for point in ring], [point.y for point in ring]
    return min(xs), min(ys), max(xs), max(ys)


def clip_outline(outline: Outline, hexes: Sequence[Hex]) -> Iterable[Outline]:
    """An outline cut to some hexes of its lattice: one, several, or none where it draws nothing there."""
    import shapely

    cells = shapely.polygons([hexagon(hex_) for hex_ in hexes])
    near = shapely.buffer(shapely.union_all(cells), _BEYOND, join_style="mitre")
    drawn = shapely.make_valid(shapely.Polygon(outline.outer, outline.holes))
    if near.contains(drawn):
        return (outline,)
    common = shapely.intersection(drawn, near, grid_size=1)
    areas = [each for each in _areas(common) if each.area >= MIN_AREA]
    return tuple(
        replace(outline, outer=_ring(each.exterior), holes=tuple(map(_ring, each.interiors)))
        for each in areas
    )


def _areas(geometry: Any) -> Iterable[Any]:
    import shapely

    for part in shapely.get_parts(geometry).tolist():
        if part.geom_type == "Polygon":
            yield part
        elif part.geom_type in ("MultiPolygon", "GeometryCollection"):
            yield from _areas(part)


def _ring(ring: Any) -> Ring:
    """The points of a ring, its last not said again."""
    points = [Point(round(x), round(y)) for x, y in ring.coords]
    return tuple(points[:-1])
