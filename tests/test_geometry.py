"""Measuring against a brute-force oracle, under symmetries, and on cases drawn by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations

import clingo
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp.game.board import Area, Bar, Board, Building, HexsideTerrain, Statement
from rules_asp.game.grid import Hex, Point, Spot, Vertex, hexside_between, term_sort_key
from rules_asp.geometry.shapes import BUILDING, Shapes, shapes_of
from rules_asp.geometry.survey import LARGEST_COORDINATE, LosRelevance, survey_lines
from tests.oracle_geometry import facts as oracle
from tests.sampling import tries
from tests.shape_boards import (
    GRID,
    LOWEST,
    MIRRORED,
    SHIFTED,
    SPOTS,
    TURNED,
    Line,
    Symmetry,
    boards,
    concerns_of,
    fans,
    lines,
)

examples = settings(
    max_examples=tries(40), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
shapes_of_any = st.one_of(boards().map(shapes_of), boards(outlined=False).map(shapes_of), fans())
some_lines = st.lists(lines, min_size=1, max_size=20)


def measured(
    shapes: Shapes,
    concerns: LosRelevance,
    asked: Iterable[Line],
    lowest: Mapping[Spot, int] = LOWEST,
) -> frozenset[str]:
    text = survey_lines(shapes, concerns, asked, lowest).text
    rows = text.split("\n") if text else []
    assert len(rows) == len(set(rows))
    return frozenset(rows)


@examples
@given(shapes_of_any, some_lines)
def test_oracle(shapes: Shapes, asked: list[Line]) -> None:
    concerns = concerns_of(shapes)
    expected = {fact for line in asked for fact in oracle(shapes, concerns, line, LOWEST)}
    assert measured(shapes, concerns, asked) == expected


@examples
@given(st.sampled_from((MIRRORED, TURNED, SHIFTED)), shapes_of_any, some_lines)
def test_symmetric(symmetry: Symmetry, shapes: Shapes, asked: list[Line]) -> None:
    concerns = concerns_of(shapes)
    facts = measured(shapes, concerns, asked)
    assert {symmetry.fact(fact) for fact in facts} == measured(
        symmetry.shapes(shapes),
        symmetry.concerns(concerns),
        [(symmetry.spot(a), symmetry.spot(b)) for a, b in asked],
        {symmetry.spot(spot): low for spot, low in LOWEST.items()},
    )


@examples
@given(st.sampled_from((MIRRORED, TURNED)), boards(outlined=False), some_lines)
def test_default_shapes_are_symmetric(symmetry: Symmetry, board: Board, asked: list[Line]) -> None:
    shapes, moved = shapes_of(board), shapes_of(symmetry.board(board))
    concerns = concerns_of(shapes)
    assert {symmetry.fact(fact) for fact in measured(shapes, concerns, asked)} == measured(
        moved,
        symmetry.concerns(concerns),
        [(symmetry.spot(a), symmetry.spot(b)) for a, b in asked],
        {symmetry.spot(spot): low for spot, low in LOWEST.items()},
    )


@examples
@given(shapes_of_any, some_lines)
def test_lines_are_measured_each_by_itself(shapes: Shapes, asked: list[Line]) -> None:
    concerns = concerns_of(shapes)
    alone = [measured(shapes, concerns, [(b, a)]) for a, b in asked]
    assert measured(shapes, concerns, asked) == frozenset().union(*alone)
    again = [*asked, *((b, a) for a, b in reversed(asked))]
    assert measured(shapes, concerns, again) == measured(shapes, concerns, asked)


def test_order_of_terms() -> None:
    spots: list[Spot] = [
        *SPOTS,
        Hex(-1, 3),
        Hex(10, 2),
        Vertex(Hex(-1, 3), 5),
        Vertex(Hex(10, 2), 0),
    ]
    by_clingo = sorted(spots, key=lambda spot: clingo.parse_term(spot.term))
    assert sorted(spots, key=term_sort_key) == by_clingo


# A thread from the centre of A2 along the hexside of B1 and B2 to the centre of C2.
A2, B1, B2, C2 = Hex(0, 2), Hex(1, 1), Hex(1, 2), Hex(2, 2)
SPINE = (A2, C2)
SPINE_SIDE = hexside_between(B1, B2)
AB = f"{A2.term},{C2.term}"
BOTH_MET = {f"meets({AB},{h.term},woods,1,1)." for h in (B1, B2)}
ALONG = f"along({AB},{SPINE_SIDE.term})."
LINE = f"line({AB},2)."


def drawn(*statements: Statement) -> Shapes:
    return shapes_of(Board("drawn", GRID, statements))


def by_hand(
    pieces: Mapping[tuple[Hex, str], tuple[tuple[Point, ...], ...]],
    spans: Mapping[tuple[Hex, int, str], tuple[tuple[Point, Point], ...]] | None = None,
) -> Shapes:
    return Shapes(GRID, dict(pieces), dict(spans or {}), {})


def facts_of(shapes: Shapes, line: Line, lows: int = 0, inherent: bool = False) -> frozenset[str]:
    concerns = LosRelevance(
        parts=dict.fromkeys(shapes.pieces, 5),
        inherent=frozenset(shapes.pieces if inherent else ()),
        sides=dict.fromkeys(shapes.segments, 5),
        exits=frozenset(hex_ for hex_, kind in shapes.pieces if kind == BUILDING),
        insides={hex_: 7 for hex_, kind in shapes.pieces if kind == BUILDING},
    )
    lowest = {line[0]: lows, line[1]: 9}
    expected = oracle(shapes, concerns, line, lowest)
    found = measured(shapes, concerns, [line], lowest)
    assert found == expected
    return found


def test_along_a_hexspine_one_side_only_touches() -> None:
    assert facts_of(drawn(Area("woods", (B1, B2))), SPINE) == {LINE, ALONG, *BOTH_MET}
    assert facts_of(drawn(Area("woods", (B1,))), SPINE) == {LINE}
    assert facts_of(drawn(Area("woods", (B2,))), SPINE) == {LINE}
    alone = facts_of(drawn(Area("woods", (B1,))), SPINE, inherent=True)
    assert alone == {LINE, ALONG, f"meets({AB},{B1.term},woods,1,1)."}


def test_along_a_hexspine_different_kinds_do_not_add_up() -> None:
    assert facts_of(drawn(Area("woods", (B1,)), Area("brush", (B2,))), SPINE) == {LINE}


def test_along_a_hexspine_buildings_need_a_common_band() -> None:
    row = Building("gray", (B1, B2), joined=(SPINE_SIDE,))
    met = {fact.replace("woods", "building") for fact in BOTH_MET}
    assert facts_of(drawn(row), SPINE) == {LINE, ALONG, *met}
    assert facts_of(drawn(Building("gray", (B1, B2))), SPINE) == {LINE}


@pytest.mark.parametrize(("start", "met"), [(399, True), (400, False), (401, False)])
def test_along_a_hexspine_stretches_must_overlap(start: int, met: bool) -> None:
    y = A2.centre.y
    shapes = by_hand(
        {(B1, "woods"): (), (B2, "woods"): ()},
        {
            (B1, 3, "woods"): ((Point(400, y), Point(300, y)),),
            (B2, 0, "woods"): ((Point(start, y), Point(600, y)),),
        },
    )
    assert facts_of(shapes, SPINE) == ({LINE, ALONG, *BOTH_MET} if met else {LINE})


def box(left: int, top: int, right: int, bottom: int) -> tuple[Point, ...]:
    return (Point(left, top), Point(right, top), Point(right, bottom), Point(left, bottom))


# A thread straight down from A1 through A2 to A3, at x = 0.
DOWN = (Hex(0, 1), Hex(0, 3))
DOWN_MET = "meets((0,1),(0,3),(0,2),woods,1,1)."


@pytest.mark.parametrize(
    ("pieces", "met"),
    [
        ([box(0, 700, 90, 800)], False),
        ([box(-90, 700, 0, 800)], False),
        ([box(-1, 700, 90, 800)], True),
        ([box(-90, 700, 1, 800)], True),
        # On both sides, but not at the same place; at one point; along a cut, of whatever length.
        ([box(-90, 600, 0, 700), box(0, 710, 90, 800)], False),
        ([box(-90, 600, 0, 700), box(0, 700, 90, 800)], False),
        ([box(-90, 600, 0, 700), box(0, 699, 90, 800)], True),
        ([box(-90, 600, 0, 700), box(0, 600, 90, 700)], True),
        # Two corners that touch the thread.
        ([box(-90, 600, 0, 700), (Point(0, 650), Point(90, 600), Point(90, 700))], False),
    ],
)
def test_touch_and_cut(pieces: list[tuple[Point, ...]], met: bool) -> None:
    shapes = by_hand({(A2, "woods"): tuple(pieces)})
    assert (DOWN_MET in facts_of(shapes, DOWN)) == met


@pytest.mark.parametrize(
    ("covers", "on"),
    [(None, True), ((30, 60), True), ((31, 60), False), ((0, 30), True), ((0, 29), False)],
)
def test_a_bar_counts_with_its_end_points(covers: tuple[int, int] | None, on: bool) -> None:
    where = hexside_between(Hex(0, 1), A2)
    facts = facts_of(drawn(Bar(where, covers)), (Hex(0, 1), A2))
    assert (f"crosses((0,1),(0,2),bar,{where.term},0,0)." in facts) == on


def test_hexside_features_along_and_at_a_vertex() -> None:
    wall = drawn(HexsideTerrain("wall", (SPINE_SIDE,)))
    assert facts_of(wall, SPINE) == {LINE, ALONG, f"crosses({AB},wall,{SPINE_SIDE.term},1,1)."}
    # The thread passes the point where the other two hexsides of A2's corner meet.
    corner = drawn(HexsideTerrain("wall", (hexside_between(A2, B1), hexside_between(A2, B2))))
    assert len(facts_of(corner, SPINE)) == 3
    # A short bar does not reach the vertex, but counts when the thread runs along its hexside.
    assert facts_of(drawn(Bar(hexside_between(A2, B1), (0, 59))), SPINE) == {LINE}
    assert len(facts_of(drawn(Bar(SPINE_SIDE, (10, 11))), SPINE)) == 3


def test_a_building_across_a_barred_hexside() -> None:
    """The drawing is the middle third, but all of the hexside where three hexes are joined round it."""
    where, three = (
        hexside_between(A2, B1),
        (hexside_between(A2, B1), hexside_between(A2, B2), SPINE_SIDE),
    )
    pair = drawn(Building("gray", (A2, B1), joined=(where,), bars=(Bar(where, (0, 5)),)))
    across = facts_of(pair, (A2, B1))
    assert f"crosses({A2.term},{B1.term},building,{where.term},0,0)." in across
    assert not any(",bar," in fact or fact.startswith("by_end") for fact in across)
    # A line by the vertex meets it, and by its end, where the drawing has the corner.
    assert not any(where.term in fact for fact in facts_of(pair, SPINE) if "crosses" in fact)
    corner = drawn(Building("gray", (A2, B1, B2), joined=three, bars=(Bar(where, (30, 35)),)))
    assert f"by_end({AB},{where.term})." in facts_of(corner, SPINE)
    # Along the hexside it meets both ends, or what the drawing has of them.
    along = Building("gray", (A2, B1, B2), joined=three, bars=(Bar(SPINE_SIDE),))
    assert {ALONG, f"by_end({AB},{SPINE_SIDE.term})."} <= facts_of(drawn(along), SPINE)


def test_no_feature_of_a_hexside_at_whose_vertex_an_end_stands() -> None:
    vertex = Vertex(B1, 3)
    assert vertex.centre == Point(300, A2.centre.y)
    wall = drawn(
        HexsideTerrain("wall", (SPINE_SIDE, hexside_between(A2, B1), hexside_between(A2, B2)))
    )
    assert len(facts_of(wall, (vertex, C2))) == 1
    assert len(facts_of(wall, (vertex, A2))) == 1


def test_the_hex_of_a_vertex_is_met_that_of_a_centre_is_not() -> None:
    woods = drawn(Area("woods", (A2, B1, B2, C2)))
    assert facts_of(woods, (A2, B1)) == {"line((0,2),(1,1),1).", "adjoin((0,2),(1,1))."}
    to_b1 = facts_of(woods, (A2, Vertex(B1, 1)))
    assert to_b1 == {"line((0,2),v((1,1),1),1).", "meets((0,2),v((1,1),1),(1,1),woods,1,0)."}


def test_leaving_a_building() -> None:
    a3 = Hex(0, 3)
    down = {
        f"leaves_by((0,2),(0,3),(0,2),{hexside_between(A2, a3).term}).",
        "leaves_inside((0,2),(0,3),(0,2)).",
    }
    row = Building("gray", (A2, a3), joined=(hexside_between(A2, a3),))
    assert down <= facts_of(drawn(row), (A2, a3))
    assert "leaves_inside((0,2),(0,3),(0,2))." not in facts_of(
        drawn(Building("gray", (A2, a3))), DOWN
    )
    # At a vertex: no hexside, and inside only where all three hexes round it are joined.
    three = (hexside_between(A2, B1), hexside_between(A2, B2), SPINE_SIDE)
    inside = f"leaves_inside({AB},{A2.term})."
    assert inside in facts_of(drawn(Building("gray", (A2, B1, B2), joined=three)), SPINE)
    for missing in three:
        joined = tuple(where for where in three if where != missing)
        facts = facts_of(drawn(Building("gray", (A2, B1, B2), joined=joined)), SPINE)
        assert not any(fact.startswith("leaves") for fact in facts)
    # An end on the rim of the hex: the thread does not leave it.
    for end in (Vertex(A2, 1), Vertex(B1, 3)):
        facts = facts_of(drawn(Building("gray", (A2, B1, B2), joined=three)), (A2, end))
        assert not any(fact.startswith("leaves") for fact in facts)


def test_leaving_at_the_very_end_of_the_drawing_is_not_inside() -> None:
    a1, end = Hex(0, 1), Vertex(Hex(0, 1), 0)
    # The thread crosses the hexside where the band of a joined building ends.
    row = Building("gray", (A2, a1), joined=(hexside_between(A2, a1),))
    by = f"leaves_by({A2.term},{end.term},{A2.term},{hexside_between(A2, a1).term})."
    assert {f for f in facts_of(drawn(row), (A2, end)) if f.startswith("leaves")} == {by}
    three = (hexside_between(A2, a1), hexside_between(A2, B1), hexside_between(a1, B1))
    block = Building("gray", (A2, a1, B1), joined=three)
    assert f"leaves_inside({A2.term},{end.term},{A2.term})." in facts_of(drawn(block), (A2, end))


def test_within_along_a_hexspine_goes_by_the_spans() -> None:
    y = A2.centre.y
    # As rounding may leave it: no piece has an edge on the thread between B1 and B2.
    pieces = {
        (A2, BUILDING): (box(-90, y - 90, 300, y + 90),),
        (C2, BUILDING): (box(600, y - 90, 990, y + 90),),
        (B1, BUILDING): (box(300, y - 90, 600, y - 1),),
        (B2, BUILDING): (box(300, y, 600, y + 90),),
    }
    spans = {
        (B1, 3, BUILDING): ((Point(600, y - 1), Point(300, y - 1)),),
        (B2, 0, BUILDING): ((Point(300, y), Point(600, y)),),
    }
    assert f"within({AB})." in facts_of(by_hand(pieces, spans), SPINE)
    assert f"within({AB})." not in facts_of(by_hand(pieces), SPINE)


@pytest.mark.parametrize(("gap", "unbroken"), [(0, True), (7, True), (8, True), (9, False)])
def test_within_but_for_a_pixel(gap: int, unbroken: bool) -> None:
    a1, top, bottom = Hex(0, 1), 258, 774
    y = 516
    pieces = {
        (a1, BUILDING): (box(-90, top - 90, 90, y - gap),),
        (A2, BUILDING): (box(-90, y, 90, bottom + 90),),
    }
    facts = facts_of(by_hand(pieces), (a1, A2))
    assert ("within((0,1),(0,2))." in facts) == unbroken
    short = pieces | {(a1, BUILDING): (box(-90, top + gap, 90, y),)}
    assert ("within((0,1),(0,2))." in facts_of(by_hand(short), (a1, A2))) == unbroken


def test_within_is_asked_of_one_building_only() -> None:
    shapes = drawn(Building("gray", (A2, B1), joined=(hexside_between(A2, B1),)))
    for numbers, fact in (((1, 1), True), ((1, 2), False)):
        concerns = LosRelevance(insides=dict(zip((A2, B1), numbers, strict=True)))
        facts = measured(shapes, concerns, [(A2, B1)])
        assert (f"within({A2.term},{B1.term})." in facts) == fact


@pytest.mark.parametrize(("low", "seen"), [(4, True), (5, False), (6, False)])
def test_what_the_lower_end_looks_over_is_left_out(low: int, seen: bool) -> None:
    shapes = drawn(Area("woods", (A2,)), HexsideTerrain("wall", (hexside_between(Hex(0, 1), A2),)))
    assert len(facts_of(shapes, DOWN, low)) == (3 if seen else 1)


def test_nothing_asked() -> None:
    assert survey_lines(drawn(), LosRelevance(), [], LOWEST).text == ""
    assert survey_lines(drawn(), LosRelevance(), [], {}).text == ""


def test_a_line_of_no_length() -> None:
    shapes = drawn(Area("woods", (A2, B1, B2)), Building("gray", (B1,)))
    here, same = Vertex(A2, 1), Vertex(B1, 3)
    assert facts_of(shapes, (here, same)) == {"line(v((0,2),1),v((1,1),3),1)."}
    assert facts_of(shapes, (B1, B1)) == {"line((1,1),(1,1),0)."}


def test_refuses_what_it_cannot_measure() -> None:
    with pytest.raises(ValueError, match="C2"):
        survey_lines(drawn(), LosRelevance(), [SPINE], {A2: 0})
    far = Hex(LARGEST_COORDINATE // 450 + 1, 0)
    with pytest.raises(ValueError, match="too far from the map"):
        survey_lines(drawn(), LosRelevance(), [(A2, far)], {A2: 0, far: 0})
    near_enough = Hex(LARGEST_COORDINATE // 450 - 1, 1)
    line = (A2, near_enough)
    assert survey_lines(drawn(), LosRelevance(), [line], {A2: 0, near_enough: 0}).text


def test_what_stands_between_centre_dots() -> None:
    """The way from B1 to B2 lies across the middle of their hexside, from dot to dot."""
    concerns = LosRelevance(dot_lines={SPINE_SIDE: 5})
    left, right = Vertex(B1, 3), Vertex(B1, 2)
    a1, b0, b3, c1 = Hex(0, 1), Hex(1, 0), Hex(1, 3), Hex(2, 1)

    def crossed(one: Spot, two: Spot, low: int = 0) -> bool:
        facts = measured(drawn(), concerns, [(one, two)], {one: low, two: 9})
        told = {fact for fact in facts if fact.startswith("crosses_dot_line")}
        assert all(fact.endswith(f",{SPINE_SIDE.term}).") for fact in told)
        return bool(told)

    over = [
        # Along the hexside, from dot to dot, from vertex to vertex, and from either to the other.
        (A2, C2),
        (left, right),
        (left, C2),
        (A2, right),
        # The vertex as a place of a unit in another of its three hexes.
        (Vertex(A2, 1), right),
        (right, Vertex(B2, 5)),
        # Aslant between the dots; through a dot; along the way.
        (Vertex(B1, 4), right),
        (Vertex(B1, 4), Vertex(B1, 1)),
        (a1, C2),
        (b0, b3),
    ]
    beside = [
        # The hexspines at either end of the hexside, and lines on one side of the way, or past it.
        (A2, left),
        (right, C2),
        (Vertex(B1, 4), Vertex(B2, 4)),
        (A2, a1),
        (Vertex(B1, 5), c1),
        # A vertex and itself, and the same vertex of another hex.
        (Vertex(B1, 0), Vertex(B1, 0)),
        (left, Vertex(A2, 1)),
    ]
    assert [crossed(*line) for line in over] == [True] * len(over)
    assert [crossed(*line) for line in beside] == [False] * len(beside)
    # Not for who stands on a dot.
    assert not any(crossed(B1, end) for end in (B2, b3, left, right, A2))
    assert [crossed(A2, C2, low) for low in (4, 5, 6)] == [True, False, False]


def test_all_lines_over_one_way_between_dots() -> None:
    """Counted by where each line has the x of the way: this one runs straight down."""
    concerns = LosRelevance(dot_lines={SPINE_SIDE: 9})
    upper, lower = B1.centre, B2.centre
    assert upper.x == lower.x
    over = set()
    for a, b in combinations(SPOTS, 2):
        one, two = sorted((a.centre, b.centre))
        if {one, two} & {upper, lower} or not one.x <= upper.x <= two.x:
            continue
        if one.x < two.x:
            at = one.y + Fraction((upper.x - one.x) * (two.y - one.y), two.x - one.x)
            met = upper.y <= at <= lower.y
        else:
            met = one.y <= lower.y and upper.y <= two.y
        if met:
            first, second = sorted((a, b), key=term_sort_key)
            over.add(f"crosses_dot_line({first.term},{second.term},{SPINE_SIDE.term}).")
    facts = measured(drawn(), concerns, combinations(SPOTS, 2))
    assert {fact for fact in facts if fact.startswith("crosses_dot_line")} == over
    assert len(over) > 1000
