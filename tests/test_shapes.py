"""Default shapes, outlines cut into convex pieces, spans and hexside stretches."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import pytest
import shapely
from hypothesis import HealthCheck, given, settings

from rules_asp.game.board import (
    Area,
    Bar,
    Board,
    Building,
    HexsideTerrain,
    Level,
    Outline,
    Ring,
    Statement,
)
from rules_asp.game.grid import Hex, Point, hexside_between
from rules_asp.geometry.polygons import Piece, hexagon, merge_convex, ring_orientation
from rules_asp.geometry.shapes import BUILDING, Shapes, shapes_of
from tests.sampling import tries
from tests.shape_boards import GRID, HEXES, boards

B1, A1, A2, C1 = Hex(1, 1), Hex(0, 1), Hex(0, 2), Hex(2, 1)


def drawn(*statements: Statement) -> Shapes:
    return shapes_of(Board("drawn", GRID, statements))


def area(piece: Piece) -> Fraction:
    return Fraction(
        sum(ring_orientation(piece[0], *piece[i : i + 2]) for i in range(1, len(piece) - 1)), 2
    )


def total(shapes: Shapes, hex_: Hex, kind: str) -> Fraction:
    return sum(map(area, shapes.pieces[hex_, kind]), Fraction(0))


HEX_AREA = area(hexagon(B1))


@settings(max_examples=tries(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(boards())
def test_pieces_are_convex_apart_and_cover_the_outline(board: Board) -> None:
    shapes = shapes_of(board)
    for (hex_, _), pieces in shapes.pieces.items():
        for piece in pieces:
            assert all(isinstance(number, int) for point in piece for number in point)
            for i in range(len(piece)):
                assert ring_orientation(piece[i - 2], piece[i - 1], piece[i]) > 0
            for point in piece:
                assert shapely.Point(point).distance(shapely.Polygon(hexagon(hex_))) < 1
        cuts = shapely.union_all([shapely.Polygon(piece) for piece in pieces])
        assert cuts.area == pytest.approx(float(sum(map(area, pieces))))
    for kind in ("woods", BUILDING):
        outlines = [
            one for one in board.statements if isinstance(one, Outline) and one.kind == kind
        ]
        union = shapely.union_all(
            [
                shapely.make_valid(shapely.Polygon(one.outer)).difference(
                    shapely.union_all([shapely.make_valid(shapely.Polygon(h)) for h in one.holes])
                )
                for one in outlines
            ]
        )
        for hex_ in HEXES:
            exact = union.intersection(shapely.Polygon(hexagon(hex_))).area
            built = any(isinstance(b, Building) and hex_ in b.hexes for b in board.statements)
            # Rounding moves each edge by less than a unit; outlines here are not longer than this.
            if exact > 3000 and (kind != BUILDING or built):
                assert float(total(shapes, hex_, kind)) == pytest.approx(exact, abs=3000)


@settings(max_examples=tries(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(boards())
def test_spans_are_where_pieces_reach_hexsides(board: Board) -> None:
    shapes = shapes_of(board)
    for (hex_, direction, kind), span in shapes.spans.items():
        start, end = hex_.corner(direction - 1), hex_.corner(direction)
        drawing = shapely.union_all([shapely.Polygon(p) for p in shapes.pieces[hex_, kind]])
        reached = -1.0
        for one, two in span:
            places = [
                shapely.LineString((start, end)).project(shapely.Point(p)) for p in (one, two)
            ]
            assert reached < places[0] < places[1]
            reached = places[1]
            for point in (one, two):
                assert shapely.LineString((start, end)).distance(shapely.Point(point)) <= 1
            assert drawing.buffer(1).covers(
                shapely.LineString((one, two)).interpolate(0.5, normalized=True)
            )


def test_a_lone_building_is_the_middle_of_its_hex() -> None:
    shapes = drawn(Building("gray", (B1,)))
    assert total(shapes, B1, BUILDING) == HEX_AREA / 4
    assert not shapes.spans


def test_a_joined_building_reaches_the_middle_third() -> None:
    where = hexside_between(A1, B1)
    shapes = drawn(Building("gray", (A1, B1), joined=(where,)))
    start, end = where.ends
    third = Point((2 * start.x + end.x) // 3, (2 * start.y + end.y) // 3)
    two_thirds = Point((start.x + 2 * end.x) // 3, (start.y + 2 * end.y) // 3)
    direction = A1.neighbours().index(B1)
    assert {key: set(span) for key, span in shapes.spans.items()} == {
        (A1, direction, BUILDING): {(two_thirds, third)},
        (B1, direction + 3, BUILDING): {(third, two_thirds)},
    }
    assert len({third, two_thirds} & {p for q in shapes.pieces[A1, BUILDING] for p in q}) == 2


def test_three_joined_buildings_fill_the_corner() -> None:
    sides = hexside_between(A1, A2), hexside_between(A1, B1), hexside_between(A2, B1)
    shapes = drawn(Building("gray", (A1, A2, B1), joined=sides))
    vertex = Point(150, 516)
    for where in sides:
        for hex_ in (where.a, where.b):
            other = where.b if hex_ == where.a else where.a
            ((one, two),) = shapes.spans[hex_, hex_.neighbours().index(other), BUILDING]
            assert vertex in (one, two)
    for missing in sides:
        joined = tuple(where for where in sides if where != missing)
        shapes = drawn(Building("gray", (A1, A2, B1), joined=joined))
        assert vertex not in {p for span in shapes.spans.values() for s in span for p in s}


def test_a_building_joined_all_round_fills_its_hex() -> None:
    hexes = (B1, *B1.neighbours())
    joined = tuple(hexside_between(a, b) for a, b in combinations(hexes, 2) if b in a.neighbours())
    shapes = drawn(Building("gray", hexes, joined=joined))
    assert total(shapes, B1, BUILDING) == HEX_AREA
    assert len(shapes.pieces[B1, BUILDING]) == 1


def test_terrain_fills_its_hex() -> None:
    shapes = drawn(Area("woods", (B1,)))
    assert shapes.pieces == {(B1, "woods"): (hexagon(B1),)}
    assert set(shapes.spans) == {(B1, d, "woods") for d in range(6)}


def test_ground_counts_every_level_above_the_lowest() -> None:
    shapes = drawn(Level(2, (B1,)), Level(1, (A1, A2)), Level(-1, (C1,)))
    kinds = {hex_: {kind for h, kind in shapes.pieces if h == hex_} for hex_ in HEXES}
    assert kinds[B1] == {"ground(0)", "ground(2)", "ground(4)"}
    assert kinds[A1] == {"ground(0)", "ground(2)"}
    assert kinds[Hex(4, 4)] == {"ground(0)"}
    assert kinds[C1] == set()
    assert not drawn(Level(0, (B1,))).pieces
    assert not drawn(Level(3, HEXES)).pieces


def box(left: int, top: int, right: int, bottom: int) -> Ring:
    return (Point(left, top), Point(right, top), Point(right, bottom), Point(left, bottom))


def test_an_outline_replaces_the_default_where_it_touches() -> None:
    woods = Outline("woods", box(400, 450, 500, 600))
    shapes = drawn(Area("woods", (B1, C1)), woods)
    assert total(shapes, B1, "woods") == 100 * 150
    assert total(shapes, C1, "woods") == HEX_AREA
    hill = drawn(Level(1, (B1,)), Outline("ground", box(400, 450, 500, 600), level=1))
    assert total(hill, B1, "ground(2)") == 100 * 150


def test_an_outline_reaches_hexes_that_no_statement_names_unless_it_is_a_building() -> None:
    ring = box(-100, 300, 500, 600)
    assert {hex_ for hex_, _ in drawn(Outline("woods", ring)).pieces} == {A1, A2, B1}
    assert not drawn(Outline(BUILDING, ring)).pieces
    built = drawn(Building("gray", (B1,)), Outline(BUILDING, ring))
    assert {hex_ for hex_, _ in built.pieces} == {B1}


@pytest.mark.parametrize(("gap", "reaches"), [(0, True), (2, True), (3, False)])
def test_an_outline_almost_at_a_vertex_reaches_it(gap: int, reaches: bool) -> None:
    corner = B1.corner(5)
    shapes = drawn(Outline("woods", box(corner.x + gap, 258, corner.x + 100, 400)))
    ((one, two),) = shapes.spans[B1, 0, "woods"]
    assert (one == corner, two) == (reaches, Point(corner.x + 100, 258))


@pytest.mark.parametrize(("height", "kept"), [(7, False), (8, True), (9, True)])
def test_less_than_a_pixel_is_no_drawing(height: int, kept: bool) -> None:
    shapes = drawn(Area("woods", (A1,)), Outline("woods", box(450, 500, 458, 500 + height)))
    assert ((B1, "woods") in shapes.pieces) == kept
    assert total(shapes, A1, "woods") == HEX_AREA


def test_holes_and_a_second_outline() -> None:
    ring, hole = box(360, 420, 540, 600), box(400, 460, 500, 560)
    assert total(drawn(Outline("woods", ring, (hole,))), B1, "woods") == 180 * 180 - 100 * 100
    both = drawn(Outline("woods", ring, (hole,)), Outline("woods", hole))
    assert total(both, B1, "woods") == 180 * 180


def test_an_outline_all_over_a_hex() -> None:
    shapes = drawn(Outline("woods", box(-1000, -1000, 3000, 3000)))
    assert len(shapes.pieces) == len(HEXES)
    assert shapes.pieces[B1, "woods"] == (hexagon(B1),)
    assert shapes.spans[B1, 0, "woods"] == ((B1.corner(5), B1.corner(0)),)


@pytest.mark.parametrize(
    "ring", [(), (Point(0, 0), Point(9, 9)), (Point(0, 0), Point(9, 9), Point(18, 18))]
)
def test_an_outline_must_enclose_something(ring: Ring) -> None:
    with pytest.raises(ValueError, match="woods"):
        drawn(Outline("woods", ring))
    with pytest.raises(ValueError, match="woods"):
        drawn(Outline("woods", box(0, 0, 900, 900), (ring,)))


def test_a_bow_tie_is_two_triangles() -> None:
    ring = (Point(400, 450), Point(500, 550), Point(500, 450), Point(400, 550))
    assert total(drawn(Outline("woods", ring)), B1, "woods") == 2 * 100 * 50 // 2


def test_bars_and_hexside_terrain() -> None:
    where = hexside_between(A1, B1)
    start, end = where.ends
    shapes = drawn(
        Building("gray", (A1, B1), joined=(where,), bars=(Bar(where, (0, 20)),)),
        Bar(where, (40, 60)),
        Bar(hexside_between(A1, A2)),
        HexsideTerrain("wall", (where,)),
    )
    assert shapes.segments["bar", hexside_between(A1, A2)] == (hexside_between(A1, A2).ends,)
    assert shapes.segments["wall", where] == ((start, end),)
    first, last = shapes.segments["bar", where]
    assert first == (start, Point((2 * start.x + end.x) // 3, (2 * start.y + end.y) // 3))
    assert last == (Point((start.x + 2 * end.x) // 3, (start.y + 2 * end.y) // 3), end)
    assert not drawn(Bar(where, (30, 30))).segments


def test_merged_pieces_cover_the_same() -> None:
    corners = hexagon(B1)
    fan = [(B1.centre, corners[d - 1], corners[d]) for d in range(6)]
    halves = merge_convex(fan)
    assert len(halves) <= 3
    assert sum(map(area, halves)) == HEX_AREA
    assert merge_convex([corners]) == (corners,)
    assert merge_convex([]) == ()


def test_a_building_is_drawn_across_a_barred_hexside_where_both_its_hexes_reach_it() -> None:
    where = hexside_between(A1, B1)
    start, end = where.ends
    row = Building("gray", (A1, B1), joined=(where,), bars=(Bar(where, (0, 5)),))
    third = Point((2 * start.x + end.x) // 3, (2 * start.y + end.y) // 3)
    far = Point((start.x + 2 * end.x) // 3, (start.y + 2 * end.y) // 3)
    assert drawn(row).segments[BUILDING, where] == ((third, far),)
    # without a bar nobody asks, and where the drawing does not cross there is none
    assert (BUILDING, where) not in drawn(Building("gray", (A1, B1), joined=(where,))).segments
    apart = Building("gray", (A1, B1), bars=(Bar(where),))
    assert (BUILDING, where) not in drawn(apart).segments
