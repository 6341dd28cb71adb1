"""The effect of a small shift on lines, against the oracle with a shifted thread."""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose

import clingo
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp.game.grid import Grid, Hex, Point, Spot, hexside_between
from rules_asp.game.values import hex_from_symbol
from rules_asp.geometry.polygons import hexagon
from rules_asp.geometry.shapes import Shapes, shapes_of
from rules_asp.geometry.survey import LosRelevance
from rules_asp.geometry.tolerance import CloseCallFact, close_call_facts, offset_line
from tests.oracle_geometry import facts as oracle
from tests.sampling import tries
from tests.shape_boards import LOWEST, Line, boards, concerns_of, fans, lines

NAMES = ("meets", "crosses", "by_end", "leaves_inside", "leaves_by")


def at(shapes: Shapes, concerns: LosRelevance, line: Line, shift: float) -> set[str]:
    """The facts of the thread shifted, by the oracle, without full stops."""
    a, b = sorted(line, key=lambda spot: (not isinstance(spot, Hex), spot))
    moved = offset_line(a.centre, b.centre, shift)[0]
    by = moved.x - a.centre.x, moved.y - a.centre.y
    return {fact[:-1] for fact in oracle(shapes, concerns, line, LOWEST, by)}


def inside(shapes: Shapes, fact: str, line: Line) -> float:
    """The length of the thread in the drawing that a fact says it meets."""
    met = clingo.parse_term(fact).arguments
    pieces = shapes.pieces.get((hex_from_symbol(met[2]), str(met[3])), ())
    drawn = shapely.union_all([shapely.Polygon(piece) for piece in pieces])
    return float(drawn.intersection(shapely.LineString([spot.centre for spot in line])).length)


@settings(max_examples=tries(12), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(boards().map(shapes_of), boards(outlined=False).map(shapes_of), fans()),
    lines.filter(lambda line: line[0].centre != line[1].centre),
    st.lists(st.floats(-16, 16).filter(lambda s: abs(s) > 0.01), min_size=1, max_size=4),
)
def test_shifting(shapes: Shapes, line: Line, shifts: list[float]) -> None:
    concerns = concerns_of(shapes)
    found = {one.fact: one for one in close_call_facts(shapes, concerns, line, LOWEST)}
    here = at(shapes, concerns, line, 0)
    along = any(fact.startswith("along") for fact in here)
    for shift in shifts:
        for fact in here ^ at(shapes, concerns, line, shift):
            if not fact.startswith(NAMES) or (along and fact in here):
                continue  # Along a hexside the drawings of both hexes count as one.
            assert found[fact].present == (fact in here)
            assert found[fact].margin <= abs(shift) + 0.01
    for fact, one in found.items():
        assert one.present == (fact in here)
        assert 0 <= one.margin <= 16
        if along and one.present:
            continue
        # A drawing that the thread is in for this length only.
        if fact.startswith("meets") and isclose(one.margin, inside(shapes, fact, line)):
            continue
        # A whole unit for `within`, the rounding of a shift for all others.
        beyond = one.margin + 0.01
        there = [fact in at(shapes, concerns, line, shift) for shift in (beyond, -beyond)]
        assert (not one.present) in there


@pytest.mark.parametrize(("depth", "margin"), [(1, 1.0), (15, 15.0), (16, 16.0), (17, None)])
def test_a_drawing_across_the_thread_is_as_near_as_it_is_deep(
    depth: int, margin: float | None
) -> None:
    """Woods of the next hex that reach over the hexside, far to both sides of the thread."""
    piece = (Point(-150, 758), Point(150, 758), Point(150, 758 + depth), Point(-150, 758 + depth))
    shapes = Shapes(Grid(5, 4), {(A2, "woods"): (piece,)}, {}, {})
    found = close_call_facts(
        shapes, LosRelevance(parts={(A2, "woods"): 1}), (A1, A3), {A1: 0, A3: 0}
    )
    assert found == (() if margin is None else (CloseCallFact(MET, True, margin),))


A1, A2, A3 = Hex(0, 1), Hex(0, 2), Hex(0, 3)
MET = "meets((0,1),(0,3),(0,2),woods,1,1)"


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (3, 90, [CloseCallFact(MET, False, 3.0)]),
        (0, 90, [CloseCallFact(MET, False, 0.0)]),
        (-5, 90, [CloseCallFact(MET, True, 5.0)]),
        (16, 90, [CloseCallFact(MET, False, 16.0)]),
        (-16, 90, [CloseCallFact(MET, True, 16.0)]),
        (17, 90, []),
        (-17, 90, []),
    ],
)
def test_margin_of_a_drawing(left: int, right: int, expected: list[CloseCallFact]) -> None:
    piece = (Point(left, 700), Point(right, 700), Point(right, 800), Point(left, 800))
    shapes = Shapes(Grid(5, 4), {(A2, "woods"): (piece,)}, {}, {})
    concerns = LosRelevance(parts={(A2, "woods"): 1})
    lowest: Mapping[Spot, int] = {A1: 0, A3: 0}
    assert list(close_call_facts(shapes, concerns, (A3, A1), lowest)) == expected
    assert close_call_facts(shapes, concerns, (A1, A3), lowest, limit=2) == tuple(
        one for one in expected if one.margin <= 2
    )
    assert not close_call_facts(shapes, concerns, (A1, A3), {A1: 1, A3: 1})


def test_along_a_hexspine_two_drawings_are_no_near_thing() -> None:
    one, two, line = Hex(1, 1), Hex(1, 2), (Hex(0, 2), Hex(2, 2))
    corners = {hex_: tuple(hex_.corner(k) for k in range(6)) for hex_ in (one, two)}
    pieces = {(hex_, "woods"): (ring,) for hex_, ring in corners.items()}
    spans = {
        (one, 3, "woods"): ((one.corner(2), one.corner(3)),),
        (two, 0, "woods"): ((two.corner(5), two.corner(0)),),
    }
    shapes = Shapes(Grid(5, 4), pieces, spans, {})
    lowest: Mapping[Spot, int] = dict.fromkeys(line, 0)
    assert not close_call_facts(shapes, LosRelevance(parts=dict.fromkeys(pieces, 1)), line, lowest)
    del pieces[two, "woods"], spans[two, 0, "woods"]
    shapes = Shapes(Grid(5, 4), pieces, spans, {})
    alone = close_call_facts(shapes, LosRelevance(parts=dict.fromkeys(pieces, 1)), line, lowest)
    assert alone == (CloseCallFact("meets((0,2),(2,2),(1,1),woods,1,1)", False, 0.0),)


@pytest.mark.parametrize("inherent", [True, False])
def test_what_fills_its_hex_counts_along_its_hexsides_and_is_no_near_thing(inherent: bool) -> None:
    part = (Hex(1, 1), "crag")
    shapes = Shapes(Grid(5, 4), {part: (hexagon(part[0]),)}, {}, {})
    whole = frozenset((part,)) if inherent else frozenset()
    line = (Hex(0, 2), Hex(2, 2))
    lowest: Mapping[Spot, int] = dict.fromkeys(line, 0)
    found = close_call_facts(shapes, LosRelevance(parts={part: 1}, inherent=whole), line, lowest)
    fact = "meets((0,2),(2,2),(1,1),crag,1,1)"
    assert found == (() if inherent else (CloseCallFact(fact, False, 0.0),))
    # Across the hex, off its hexsides, it is as near as it lies.
    line = (Hex(0, 1), Hex(2, 2))
    (one,) = close_call_facts(
        shapes, LosRelevance(parts={part: 1}, inherent=whole), line, {}.fromkeys(line, 0), 999
    )
    assert one.present
    assert one.margin > 16


@pytest.mark.parametrize(("width", "margin"), [(0, None), (4, 4.0), (16, 16.0), (17, None)])
def test_margin_of_within(width: int, margin: float | None) -> None:
    ring = (Point(-width, 200), Point(90, 200), Point(90, 900), Point(-width, 900))
    shapes = Shapes(Grid(5, 4), {(A1, "building"): (ring,)}, {}, {})
    found = close_call_facts(shapes, LosRelevance(insides={A1: 1, A2: 1}), (A1, A2), {A1: 0, A2: 0})
    if width == 0:
        assert found == (CloseCallFact("within((0,1),(0,2))", False, 1.0),)
    else:
        expected = () if margin is None else (CloseCallFact("within((0,1),(0,2))", True, margin),)
        assert found == expected


def test_a_line_of_no_length_has_nothing_near() -> None:
    wall = hexside_between(A1, A2)
    shapes = Shapes(Grid(5, 4), {}, {}, {("wall", wall): (wall.ends,)})
    assert (
        close_call_facts(shapes, LosRelevance(sides={("wall", wall): 1}), (A1, A1), {A1: 0}) == ()
    )
