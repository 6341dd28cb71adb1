"""Depictions of a board as shapes for measuring, hex by hex; default road strips.

Each board is cut whole on its own lattice, even if a map crops or turns it. Then its pieces are
moved, which is exact. So measuring on a map gives the same results as measuring on each board
alone.

A kind without outlines in a hex has a default shape there. A building is the middle of the hex with
a band to the middle third of each joined hexside, and the corner between two bands if three hexes
are joined around a vertex. A road, or a bridge with a road, is a strip to each hexside that it
crosses. Every other kind fills its hex.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TypeVar

from rules_asp.game.board import (
    PRINTED_MARKS,
    Area,
    Bar,
    Board,
    Building,
    Erasure,
    Fact,
    HexsideTerrain,
    Level,
    Outline,
    Road,
    Statement,
    UncertainFact,
)
from rules_asp.game.grid import CORNERS, Grid, Hex, Hexside, MapBoard, Point, hexside_between
from rules_asp.geometry.polygons import (
    Drawing,
    Piece,
    Stretch,
    full_hex_drawing,
    hexagon,
    hexside_spans,
    merge_convex,
    ring_orientation,
    split_by_hex,
    union_convex,
)

# --- The outlines of a board cut hex by hex, and placed on a map of several boards.


#: The depictions of one kind in the hexes of a board, from outlines.
HexDrawings = Mapping[Hex, Drawing]
#: Cuts outlines of one kind; the grid gives the columns and rows of the board.
Cutter = Callable[[tuple[Outline, ...], Grid], HexDrawings]


class _Outlines(tuple[Outline, ...]):
    """Outlines with a quick hash: compared as a whole, hashed by a small part."""

    def __hash__(self) -> int:
        return hash((len(self), *(each.outer[:2] for each in self[:3])))


def cut_to_hexes(outlines: tuple[Outline, ...], grid: Grid) -> HexDrawings:
    """Return the depictions of outlines of one kind in the hexes of a board."""
    return _cut(_Outlines(outlines), grid)


@lru_cache(maxsize=128)
def _cut(outlines: _Outlines, grid: Grid) -> HexDrawings:
    return split_by_hex(outlines, grid.hexes())


def draws_in_hex(outlines: Iterable[Outline], hex_: Hex, grid: Grid) -> bool:
    """Return whether outlines of one kind cover any part of a hex of the map."""
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
    """Yield the depictions of a board at its place on a map; shared: hexes of several boards."""
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
    """Return the part of a depiction between two paper corners: upper left and lower right."""
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
    """Merge two depictions of one kind in a hex."""
    edges = {
        direction: [*one[1].get(direction, ()), *other[1].get(direction, ())]
        for direction in sorted({*one[1], *other[1]})
    }
    spans = {direction: hexside_spans(hex_, direction, found) for direction, found in edges.items()}
    return merge_convex((*one[0], *other[0])), spans


def _beyond(piece: Piece, axis: int, limit: int, sign: int) -> Piece | None:
    """Return the part of a convex piece on one side of a line along the lattice; None if empty."""
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
    """Return the lattice point where a line crosses a lattice-parallel line, or the nearest."""
    one, two = sorted((one, two))
    along, whole = limit - one[axis], two[axis] - one[axis]
    across = 1 - axis
    way = (two[across] - one[across]) * along
    # Rounded to the nearest, symmetrically for both directions.
    moved = (2 * abs(way) + abs(whole)) // (2 * abs(whole)) * (1 if way * whole >= 0 else -1)
    return Point(limit, one.y + moved) if axis == 0 else Point(one.x + moved, limit)


# --- The default depiction of a road in a hex: a strip from its center to each crossed hexside.


#: A road covers a third of a hexside, as building depictions do: the middle one.
_PARTS = 3


@lru_cache(maxsize=128)
def road_strips(directions: frozenset[int]) -> Drawing:
    """Return the strips to some hexsides 0..5, around the origin."""
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


# --- The contents of a board as shapes: convex pieces, spans and hexside stretches.


#: The kind of all building depictions.
BUILDING = "building"

#: The kinds of bridges and of roads; only road depictions in terrain are kept.
ROAD, BRIDGE = "road", "bridge"

#: A roadblock on its hexside, and its extension from a vertex to the center dot of the next hex.
ROADBLOCK, ROADBLOCK_END = "roadblock", "roadblock_end"

#: The drawn statements; the drawn facts (bridges and roadblocks); the uncertain facts that are
#: drawn like certain ones.
_DRAWN = (Area, Bar, Building, Erasure, Level, Outline, Road, HexsideTerrain)
_PERHAPS_DRAWN = ("side_terrain", "bar", "road", "striped")
#: The board of a map whose lattice an outline uses, and the kind of the outline.
_OnBoard = tuple[str | None, str]

_T = TypeVar("_T")


@dataclass(frozen=True)
class Shapes:
    """The depictions of a board, in lattice units. Kinds are clingo terms such as woods, ground(2).

    pieces: the depiction of a kind in a hex, cut into convex pieces, each clockwise on the map.
    spans: where that depiction reaches hexside 0..5 of the hex, each stretch clockwise around the
    hex.
    segments: the stretches of a hexside that a feature (bar, wall, ...) covers, each in the
    direction of `Hexside.ends`; for one with a bar also the feature `building`: where the building
    depictions of both its hexes reach it. The ends of spans and segments are within a unit of the
    hexside.
    """

    grid: Grid
    pieces: dict[tuple[Hex, str], tuple[Piece, ...]]
    spans: dict[tuple[Hex, int, str], tuple[Stretch, ...]]
    segments: dict[tuple[str, Hexside], tuple[Stretch, ...]]

    def __getstate__(self) -> dict[str, object]:
        """Return the state for pickling, without the caches."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def built_across(self, where: Hexside) -> tuple[Stretch, ...]:
        """Return the parts of a hexside that the building depictions of both its hexes reach."""
        known = self._across.get(where)
        if known is None:
            known = self._across[where] = _built_across(where, self.spans)
        return known

    @cached_property
    def _across(self) -> dict[Hexside, tuple[Stretch, ...]]:
        """The cache of `built_across`."""
        return {}

    @cached_property
    def clearances(self) -> dict[tuple[Hex, int, str], int | None]:
        """The cache of `exact.clearance`."""
        return {}

    @cached_property
    def reached_by_both(self) -> dict[tuple[Hex, int, str, str], bool]:
        """The cache of `exact.both_reach_hexside` for depictions that are not inherent."""
        return {}


def drawing_statements(board: Board) -> tuple[Statement, ...]:
    """Return the drawn statements of a board; if they are equal, the shapes are equal.

    This requires boards of one size.
    """
    bearing = {hex_ for area in _of(board, Area) for hex_ in area.hexes}
    bearing |= {hex_ for hex_ in map(_bridge, board.statements) if hex_ is not None}
    return tuple(each for each in board.statements if _is_drawn(each, bearing))


def _is_drawn(said: Statement, bearing: set[Hex]) -> bool:
    """Return whether a statement is drawn: a road only in terrain or on a bridge."""
    if isinstance(said, Road):
        return not bearing.isdisjoint(said.hexes)
    if isinstance(said, UncertainFact) and said.given.name in _PERHAPS_DRAWN:
        return True
    return isinstance(said, _DRAWN) or _bridge(said) is not None or _roadblock(said) is not None


def shapes_of(board: Board, cutter: Cutter = cut_to_hexes) -> Shapes:
    """Return the shapes of a resolved board. ValueError for an outline that is not a polygon.

    `cutter` cuts the outlines and takes most of the time.
    """
    drawings = _outlined(board, cutter)
    for hex_, kind in _filling(board):
        if (hex_, kind) not in drawings:
            drawings[hex_, kind] = full_hex_drawing(hex_)
    joined = _joined(board)
    for hex_ in sorted(_built(board)):
        if (hex_, BUILDING) not in drawings:
            drawings[hex_, BUILDING] = _building(hex_, joined)
    roads = _roads(board)
    for hex_, kind in _borne(board):
        if (hex_, kind) not in drawings:
            drawings[hex_, kind] = _road(hex_, roads)
    # A fixed order, with or without a cache.
    drawings = dict(sorted(drawings.items()))
    reached = {
        (hex_, direction, kind): span
        for (hex_, kind), (_, spans) in drawings.items()
        for direction, span in spans.items()
    }
    segments = _segments(board)
    for where in [where for kind, where in segments if kind == "bar"]:
        if across := _built_across(where, reached):
            segments[BUILDING, where] = across
    return Shapes(
        board.grid,
        {part: pieces for part, (pieces, _) in drawings.items()},
        reached,
        segments,
    )


def _of(board: Board, kind: type[_T]) -> Iterator[_T]:
    return (one for one in board.statements if isinstance(one, kind))


def _built(board: Board) -> set[Hex]:
    """Return the hexes with a building depiction; a lumberyard counts, even an uncertain one."""
    drawn: list[Building | Area] = [*_of(board, Building)]
    drawn += (area for area in _of(board, Area) if area.kind == "lumberyard")
    built = {hex_ for each in drawn for hex_ in each.hexes}
    for perhaps in _of(board, UncertainFact):
        match perhaps.given.name, perhaps.given.args:
            case "striped", (Hex() as hex_,):
                built.add(hex_)
    return built


def _ground(level: int) -> str:
    return f"ground({2 * level})"


def _outlined(board: Board, cutter: Cutter) -> dict[tuple[Hex, str], Drawing]:
    """Return the depictions that the board gives as outlines; buildings only in building hexes."""
    found: dict[tuple[Hex, str], Drawing] = {}
    built, grid = _built(board), board.grid
    parts = {part.label: part for part in grid.parts}
    shared = _shared(grid)
    for said in _layers(board):
        if isinstance(said, Erasure):
            for place in [each for each in found if each[0] in said.hexes and _is(each[1], said)]:
                del found[place]
            continue
        (on, kind), outlines = said
        drawn: Iterable[tuple[Hex, Drawing]]
        if on is None:
            drawn = cutter(outlines, grid).items()
        else:
            part = parts[on]
            drawn = placed_drawings(
                cutter(outlines, Grid(part.cols, part.rows, part.first)), part, shared
            )
        for hex_, drawing in drawn:
            if kind != BUILDING or hex_ in built:
                other = found.get((hex_, kind))
                found[hex_, kind] = (
                    drawing if other is None else merge_drawings(hex_, other, drawing)
                )
    return found


def _is(kind: str, cleared: Erasure) -> bool:
    """Return whether a depiction is of the kind that an erasure removes."""
    name = kind.partition("(")[0]
    return cleared.kind == name or (cleared.kind == "all" and name != "ground")


def _layers(board: Board) -> Iterator[Erasure | tuple[_OnBoard, tuple[Outline, ...]]]:
    """Yield the outlines of each kind and board, and between them the erasures of earlier ones."""
    start = 0
    drawn = [each for each in board.statements if isinstance(each, Outline | Erasure)]
    cleared = [at for at, each in enumerate(drawn) if isinstance(each, Erasure)]
    for at in (*cleared, len(drawn)):
        outlines = (each for each in drawn[start:at] if isinstance(each, Outline))
        yield from _outlines(outlines).items()
        if at < len(drawn):
            one = drawn[at]
            assert isinstance(one, Erasure)
            yield one
        start = at + 1


def _shared(grid: Grid) -> set[Hex]:
    """Return the hexes that are on several boards."""
    held = Counter(hex_ for field in grid.fields for hex_ in field.hexes())
    return {hex_ for hex_, times in held.items() if times > 1}


def _outlines(outlines: Iterable[Outline]) -> dict[_OnBoard, tuple[Outline, ...]]:
    """Group outlines by their board of the map and by their kind."""
    by_kind: dict[_OnBoard, list[Outline]] = defaultdict(list)
    for outline in outlines:
        kind = outline.kind if outline.level is None else _ground(outline.level)
        by_kind[outline.on, kind].append(outline)
    return {key: tuple(each) for key, each in by_kind.items()}


def _joined(board: Board) -> set[Hexside]:
    """Return the hexsides that building depictions cross."""
    return {one for building in _of(board, Building) for one in building.joined}


def _filling(board: Board) -> Iterator[tuple[Hex, str]]:
    """Yield the default contents of hexes: area terrain, and ground above the board's lowest."""
    for area in _of(board, Area):
        if area.kind not in PRINTED_MARKS:
            for hex_ in area.hexes:
                yield hex_, area.kind
    base = dict.fromkeys(board.grid.hexes(), 0)
    base.update({hex_: stated.level for stated in _of(board, Level) for hex_ in stated.hexes})
    outlined = {one.level for one in _of(board, Outline) if one.level is not None}
    for level in sorted({*base.values(), *outlined} - {min(base.values(), default=0)}):
        for hex_, own in base.items():
            if own >= level:
                yield hex_, _ground(level)


def default_building(board: Board, hex_: Hex) -> tuple[Piece, ...]:
    """Return the default building depiction of a hex, used if no outline gives it."""
    return _building(hex_, _joined(board))[0]


def _bridge(statement: Statement) -> Hex | None:
    """Return the hex of a bridge, if the statement gives one."""
    where = _place_of(statement, BRIDGE)
    return where if isinstance(where, Hex) else None


def _roadblock(statement: Statement) -> Hexside | None:
    """Return the hexside of a roadblock, if the statement gives one."""
    where = _place_of(statement, ROADBLOCK)
    return where if isinstance(where, Hexside) else None


def _place_of(statement: Statement, name: str) -> object:
    """Return the place of a fact with this name, certain or not; None for any other statement."""
    given = statement.given if isinstance(statement, UncertainFact) else statement
    return given.args[0] if isinstance(given, Fact) and given.name == name else None


def _roads(board: Board) -> dict[Hex, frozenset[int]]:
    """Return the hexsides 0..5 of each hex that roads cross."""
    crossed: dict[Hex, set[int]] = defaultdict(set)
    ways = [way for road in _of(board, Road) for way in pairwise(road.hexes)]
    for perhaps in _of(board, UncertainFact):
        match perhaps.given.name, perhaps.given.args:
            case "road", (Hexside(a, b), _):
                ways.append((a, b))
    for one, two in ways:
        crossed[one].add(one.neighbours().index(two))
        crossed[two].add(two.neighbours().index(one))
    return {hex_: frozenset(directions) for hex_, directions in crossed.items()}


def _borne(board: Board) -> Iterator[tuple[Hex, str]]:
    """Yield the bridges, and the roads on them and in terrain; no rule needs other roads."""
    roads = _roads(board)
    for statement in board.statements:
        bridged = _bridge(statement)
        if bridged is not None:
            yield bridged, BRIDGE
            if bridged in roads:
                yield bridged, ROAD
    for area in _of(board, Area):
        for hex_ in area.hexes:
            if hex_ in roads:
                yield hex_, ROAD


def _road(hex_: Hex, roads: dict[Hex, frozenset[int]]) -> Drawing:
    return _moved(hex_, road_strips(roads[hex_])) if hex_ in roads else full_hex_drawing(hex_)


def _building(hex_: Hex, joined: set[Hexside]) -> Drawing:
    around = hex_.neighbours()
    bands = frozenset(d for d in range(6) if hexside_between(hex_, around[d]) in joined)
    corners = frozenset(
        d
        for d in bands
        if (d + 1) % 6 in bands and hexside_between(around[d], around[(d + 1) % 6]) in joined
    )
    return _moved(hex_, _default_building(bands, corners))


def _moved(hex_: Hex, drawing: Drawing) -> Drawing:
    """Return a depiction around the origin, moved into a hex."""
    pieces, spans = drawing
    x, y = hex_.centre

    def moved(points: tuple[Point, ...]) -> tuple[Point, ...]:
        return tuple(Point(x + dx, y + dy) for dx, dy in points)

    def moved_stretch(stretch: Stretch) -> Stretch:
        start, end = moved(stretch)
        return start, end

    return (
        tuple(moved(piece) for piece in pieces),
        {d: tuple(moved_stretch(stretch) for stretch in span) for d, span in spans.items()},
    )


@lru_cache(maxsize=1024)
def _default_building(bands: frozenset[int], corners: frozenset[int]) -> Drawing:
    """Return a building with bands to some hexsides and some corners filled, around the origin."""
    tips = [Point(*corner) for corner in CORNERS]
    inner = [Point(x // 2, y // 2) for x, y in tips]

    def third(near: int, far: int) -> Point:
        """Return the point of a hexside a third of its length from a corner."""
        near, far = near % 6, far % 6
        return Point((2 * tips[near].x + tips[far].x) // 3, (2 * tips[near].y + tips[far].y) // 3)

    pieces: list[Piece] = [tuple(inner)]
    spans: dict[int, tuple[Stretch, ...]] = {}
    for d in sorted(bands):
        start, end = third(d - 1, d), third(d, d - 1)
        pieces.append((inner[d - 1], start, end, inner[d]))
        spans[d] = (
            (tips[d - 1] if (d - 1) % 6 in corners else start, tips[d] if d in corners else end),
        )
    if len(corners) == 6:
        return (tuple(tips),), spans
    for d in sorted(corners):
        pieces.append((inner[d], third(d, d - 1), tips[d], third(d, d + 1)))
    return merge_convex(pieces), spans


def _segments(board: Board) -> dict[tuple[str, Hexside], tuple[Stretch, ...]]:
    segments: dict[tuple[str, Hexside], tuple[Stretch, ...]] = {}
    for sides in _of(board, HexsideTerrain):
        for one in sides.sides:
            segments[sides.kind, one] = (one.ends,)
    for where in filter(None, map(_roadblock, board.statements)):
        segments[ROADBLOCK, where] = (where.ends,)
        for end in where.ends:
            # It may continue to the center dot of the third hex at its vertex.
            for other in {*where.a.neighbours()}.intersection(where.b.neighbours()):
                if end in hexagon(other):
                    segments[ROADBLOCK_END, hexside_between(where.a, other)] = (
                        (end, other.centre),
                    )
    bars = [bar for building in _of(board, Building) for bar in building.bars]
    for perhaps in _of(board, UncertainFact):
        match perhaps.given.name, perhaps.given.args:
            case "side_terrain", (Hexside() as where, kind):
                segments[str(kind), where] = (where.ends,)
            case "bar", (Hexside() as where,):
                bars.append(Bar(where))
    for bar in (*bars, *_of(board, Bar)):
        first, last = sorted(bar.covers or (0, 60))
        if first < last:
            stretch = _sixtieth(bar.side, first), _sixtieth(bar.side, last)
            segments["bar", bar.side] = (*segments.get(("bar", bar.side), ()), stretch)
    return segments


def _built_across(
    where: Hexside, spans: dict[tuple[Hex, int, str], tuple[Stretch, ...]]
) -> tuple[Stretch, ...]:
    """Return the stretches of a hexside that the building depictions of both its hexes reach."""
    start, end = where.ends
    direction = where.a.neighbours().index(where.b)

    def along(point: Point) -> int:
        return (end.x - start.x) * (point.x - start.x) + (end.y - start.y) * (point.y - start.y)

    both = [
        (sorted(one, key=along), sorted(two, key=along))
        for one in spans.get((where.a, direction, BUILDING), ())
        for two in spans.get((where.b, (direction + 3) % 6, BUILDING), ())
    ]
    common = [(max(a, c, key=along), min(b, d, key=along)) for (a, b), (c, d) in both]
    return tuple((one, two) for one, two in common if along(one) < along(two))


def _sixtieth(where: Hexside, count: int) -> Point:
    """Return the lattice point nearest to a number of sixtieths, symmetric in the ends."""
    start, end = where.ends
    # Counted from the middle, so that rounding is symmetrical about it.
    return Point(
        *(
            (one + two) // 2 + _nearest((two - one) * (count - 30), 60)
            for one, two in zip(start, end, strict=True)
        )
    )


def _nearest(numerator: int, denominator: int) -> int:
    """Return the quotient rounded, halves away from zero."""
    quotient = (2 * abs(numerator) + denominator) // (2 * denominator)
    return quotient if numerator >= 0 else -quotient
