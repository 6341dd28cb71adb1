"""Polygons cut into convex pieces and clipped to hexes.

Every result is rounded to lattice points once, in this module; later measuring is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from math import isqrt
from typing import TYPE_CHECKING, Any

from rules_asp.game.board import Outline, Ring
from rules_asp.game.grid import CORNERS, Hex, Point
from rules_asp.runtime.limits import deadline_check

if TYPE_CHECKING:
    from shapely import Polygon


# --- Polygons cut into convex pieces per hex by shapely, on the integer lattice.


#: A convex polygon; its points go clockwise on the map (y runs down).
Piece = tuple[Point, ...]
#: A part of a hexside, by its two end points.
Stretch = tuple[Point, Point]

#: The depiction of one kind in one hex: its pieces, and its spans by hexside 0..5.
Drawing = tuple[tuple[Piece, ...], dict[int, tuple[Stretch, ...]]]


class DegenerateRing(ValueError):
    """A ring without area, in an outline of a known kind."""

    def __init__(self, kind: str, ring: Ring) -> None:
        super().__init__(f"a ring in an outline of {kind} encloses no area")
        self.ring = ring


#: An area below one VASL pixel (8 x 8 units) is a rounding error, not a depiction. A depiction less
#: than a pixel deep into a hex is the rounded edge of the depiction in the next hex.
MIN_AREA = 64
_MIN_DEPTH = 8


def ring_orientation(a: Point, b: Point, c: Point) -> int:
    """Return twice the area of the triangle a, b, c: positive if it goes clockwise on the map."""
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)


def hexagon(hex_: Hex) -> Piece:
    """Return the whole hex as one piece."""
    return tuple(hex_.corner(corner) for corner in range(6))


def split_by_hex(outlines: Sequence[Outline], hexes: Sequence[Hex]) -> dict[Hex, Drawing]:
    """Return the depiction of the union of some outlines in each hex.

    Parts less than a pixel deep into a hex are left out. RulesAspError if an outline takes too
    long: an outline that crosses itself very often is not a depiction on a map.
    """
    import shapely

    if not hexes:
        return {}
    in_time = deadline_check("cutting")
    areas = []
    for outline in outlines:
        areas.append(_drawn(outline))
        in_time()
    union = shapely.union_all(areas, grid_size=1)
    shapely.prepare(union)
    cells = shapely.polygons([hexagon(hex_) for hex_ in hexes])
    inner = shapely.buffer(cells, -_MIN_DEPTH, join_style="mitre")
    touched = shapely.intersects(union, inner).nonzero()[0]
    covered = shapely.contains(union, cells)
    drawn: dict[Hex, Drawing] = {}
    for index in touched.tolist():
        in_time()
        hex_ = hexes[index]
        if covered[index]:
            drawn[hex_] = full_hex_drawing(hex_)
            continue
        common = shapely.intersection(cells[index], union, grid_size=1)
        clipped = [
            area
            for area in _polygons(common)
            if area.area >= MIN_AREA and area.intersects(inner[index])
        ]
        if clipped:
            pieces = tuple(piece for polygon in clipped for piece in _convex(polygon))
            rings = [ring for polygon in clipped for ring in (polygon.exterior, *polygon.interiors)]
            spans = {d: hexside_spans(hex_, d, _edges(rings)) for d in range(6)}
            drawn[hex_] = pieces, {d: span for d, span in spans.items() if span}
    return drawn


def full_hex_drawing(hex_: Hex) -> Drawing:
    """Return the depiction that fills a hex and reaches the whole of its hexsides."""
    corners = hexagon(hex_)
    return (corners,), {d: ((corners[d - 1], corners[d]),) for d in range(6)}


def hexside_spans(hex_: Hex, direction: int, edges: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """Return the stretches of a hexside covered by these edges, joined if they meet.

    An edge is on the hexside if both its ends are at most one lattice unit off its line, the
    maximum shift by rounding. For the same reason, an end within two units of a vertex reaches the
    vertex. Each stretch runs clockwise around the hex.
    """
    start, end = hex_.corner(direction - 1), hex_.corner(direction)
    length2 = (end.x - start.x) ** 2 + (end.y - start.y) ** 2
    two_units = 2 * isqrt(length2)

    def place(point: Point) -> int:
        return (point.x - start.x) * (end.x - start.x) + (point.y - start.y) * (end.y - start.y)

    def close(point: Point) -> bool:
        return ring_orientation(start, end, point) ** 2 <= length2

    def settled(point: Point) -> Point:
        at = place(point)
        return start if at <= two_units else end if at >= length2 - two_units else point

    on_line = (edge for edge in edges if close(edge[0]) and close(edge[1]))
    found: list[Stretch] = []
    for one, two in sorted(
        (sorted(map(settled, edge), key=place) for edge in on_line), key=lambda edge: place(edge[0])
    ):
        # An edge shorter than two units may turn away from the hexside.
        if place(two) - place(one) < two_units:
            continue
        if found and place(one) <= place(found[-1][1]):
            found[-1] = found[-1][0], max(two, found[-1][1], key=place)
        else:
            found.append((one, two))
    return tuple(found)


def merge_convex(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Return the same area in fewer pieces: join neighbors while the result stays convex."""
    rings = dict(enumerate(pieces))
    owner = {edge: key for key, ring in rings.items() for edge in _around(ring)}
    for edge in sorted(owner, key=_length2, reverse=True):
        one, two = owner.get(edge), owner.get((edge[1], edge[0]))
        if one is None or two is None or one == two:
            continue
        joined = _join(rings[one], rings[two], edge)
        if joined is None:
            continue
        for old in (*_around(rings[one]), *_around(rings[two])):
            owner.pop(old, None)
        del rings[two]
        rings[one] = joined
        owner.update(dict.fromkeys(_around(joined), one))
    return tuple(_without_straight(ring) for ring in rings.values())


def union_convex(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Return the area of overlapping convex pieces as convex pieces without overlap."""
    import shapely

    union = shapely.union_all([shapely.Polygon(piece) for piece in pieces], grid_size=1)
    return tuple(piece for polygon in _polygons(_areal(union)) for piece in _convex(polygon))


def _drawn(outline: Outline) -> Any:
    """Return the area of an outline without its holes."""
    import shapely

    outer, *holes = (_area(outline.kind, ring) for ring in (outline.outer, *outline.holes))
    return _areal(shapely.difference(outer, shapely.union_all(holes), grid_size=1))


def _area(kind: str, ring: Ring) -> Any:
    import shapely

    area = _areal(shapely.make_valid(shapely.Polygon(ring if len(ring) > 2 else ())))
    if area.is_empty:
        raise DegenerateRing(kind, ring)
    return area


def _areal(geometry: Any) -> Any:
    """Return the polygons of a geometry, as one."""
    import shapely

    return shapely.union_all(list(_polygons(geometry)))


def _polygons(geometry: Any) -> Iterator[Polygon]:
    import shapely

    for part in shapely.get_parts(geometry).tolist():
        if part.geom_type == "Polygon":
            if not part.is_empty:
                yield part
        elif part.geom_type in ("MultiPolygon", "GeometryCollection"):
            yield from _polygons(part)


def _convex(polygon: Any) -> tuple[Piece, ...]:
    import shapely

    triangles = []
    for triangle in shapely.get_parts(shapely.constrained_delaunay_triangles(polygon)).tolist():
        a, b, c = (Point(round(x), round(y)) for x, y in triangle.exterior.coords[:3])
        if ring_orientation(a, b, c):
            triangles.append((a, b, c) if ring_orientation(a, b, c) > 0 else (a, c, b))
    return merge_convex(triangles)


def _edges(rings: Iterable[Any]) -> list[Stretch]:
    edges: list[Stretch] = []
    for ring in rings:
        points = [Point(round(x), round(y)) for x, y in ring.coords]
        edges += pairwise(points)
    return edges


def _around(ring: Piece) -> Iterator[Stretch]:
    return zip(ring, ring[1:] + ring[:1], strict=True)


def _length2(edge: Stretch) -> tuple[int, Stretch]:
    one, two = edge
    return (one.x - two.x) ** 2 + (one.y - two.y) ** 2, edge


def _join(one: Piece, two: Piece, edge: Stretch) -> Piece | None:
    """Join two pieces at an edge (in the direction of `one`); None if the result is not convex."""
    start, end = edge
    at, back = one.index(end), two.index(start)
    ring = one[at:] + one[:at] + (two[back:] + two[:back])[1:-1]
    size = len(ring)
    for point in (ring.index(start), 0):
        if ring_orientation(ring[point - 1], ring[point], ring[(point + 1) % size]) < 0:
            return None
    return ring


def _without_straight(ring: Piece) -> Piece:
    size = len(ring)
    return tuple(
        p for i, p in enumerate(ring) if ring_orientation(ring[i - 1], p, ring[(i + 1) % size])
    )


# --- Outlines clipped to some hexes, without a change to their depiction there.


#: The distance beyond the hexes where an outline is clipped, in lattice units: rounding there
#: changes nothing inside them.
_BEYOND = 48


def may_draw_in(outline: Outline, hex_: Hex) -> bool:
    """Return whether an outline can cover a part of a hex of its lattice: its extent reaches it."""
    (x, y), (wide, high) = hex_.centre, (CORNERS[1][0], CORNERS[2][1])
    left, top, right, bottom = _extent(outline.outer)
    return left < x + wide and right > x - wide and top < y + high and bottom > y - high


@lru_cache(maxsize=1024)
def _extent(ring: Ring) -> tuple[int, int, int, int]:
    xs, ys = [point.x for point in ring], [point.y for point in ring]
    return min(xs), min(ys), max(xs), max(ys)


def clip_outline(outline: Outline, hexes: Sequence[Hex]) -> Iterable[Outline]:
    """Clip an outline to some hexes of its lattice: the result is one outline, several, or none."""
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
    """Return the points of a ring, without a repeated last point."""
    points = [Point(round(x), round(y)) for x, y in ring.coords]
    return tuple(points[:-1])
