"""Importing board archives: generated ones against their truth, hostile ones, real ones."""

from __future__ import annotations

import gzip
import itertools
import os
from pathlib import Path

import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp.game.board import (
    Area,
    Bar,
    Board,
    Building,
    Doubt,
    Fact,
    HexsideTerrain,
    Level,
    Outline,
)
from rules_asp.game.grid import Grid, Hex, Hexside, Location, Point, hexside_between
from rules_asp.positions.position import prepare
from rules_asp.queries.los import los
from rules_asp.vasl.archive import ArchiveError, TerrainCode, code_table, read_archive
from rules_asp.vasl.buildings import stairwell_facts
from rules_asp.vasl.importer import board_of, import_archive
from rules_asp.vasl.known_boards import corrected, open_doubts
from tests.archives import (
    BAR,
    BROWN,
    BROWN_1,
    BRUSH,
    CANAL,
    DIRT,
    GRAIN,
    GRAY,
    GRAY_1,
    GRAY_2,
    GULLY,
    HEDGE,
    HOSTILE,
    LUMBERYARD,
    MARKET,
    ORCHARD,
    PATH,
    SEWER,
    STONE_BRIDGE,
    STREAM,
    WALL,
    WOODS,
    Sketch,
    Truth,
    all_sides,
    band,
    disc,
    generate,
    hexes,
    java_stream,
    pack,
    sides,
    small,
    stretch,
    whole,
    write,
)
from tests.positions import program
from tests.sampling import part, slow, some, tries

BOARDS = Path(
    os.environ.get("RULES_ASP_BOARDS", Path(__file__).resolve().parents[2] / "shared" / "boards")
)


# --- asking a board


def buildings(board: Board) -> dict[tuple[Hex, ...], Building]:
    return {s.hexes: s for s in board.statements if isinstance(s, Building)}


def building_of(board: Board, name: str) -> Building | None:
    (hex_,) = hexes(name)
    found = [s for s in board.statements if isinstance(s, Building) and hex_ in s.hexes]
    assert len(found) <= 1
    return found[0] if found else None


def area(board: Board, kind: str) -> set[Hex]:
    return {h for s in board.statements if isinstance(s, Area) and s.kind == kind for h in s.hexes}


def levels(board: Board) -> dict[Hex, int]:
    return {h: s.level for s in board.statements if isinstance(s, Level) for h in s.hexes}


def hexsides(board: Board, kind: str) -> set[Hexside]:
    return {
        x
        for s in board.statements
        if isinstance(s, HexsideTerrain) and s.kind == kind
        for x in s.sides
    }


def doubts(board: Board, name: str) -> list[str]:
    """The doubts about a hex (`U4`) or hexside (`U4-V3`)."""
    where = hexside_between(*hexes(name.replace("-", " "))) if "-" in name else hexes(name)[0]
    return [s.text for s in board.statements if isinstance(s, Doubt) and s.where == where]


def drawings(board: Board, kind: str, level: int | None = None) -> list[shapely.Polygon]:
    return [
        shapely.Polygon(s.outer, s.holes)
        for s in board.statements
        if isinstance(s, Outline) and (s.kind, s.level) == (kind, level)
    ]


def imported(tmp_path: Path, sketch: Sketch) -> Board:
    return import_archive(write(tmp_path / "board", sketch))


@pytest.fixture
def sketch() -> Sketch:
    return Sketch(Grid(7, 4))


def linked(sketch: Sketch, names: str, code: int, width: int = 100) -> None:
    """Draw a building: a block in each hex, and bands between hexes that follow each other."""
    row = hexes(names)
    for hex_ in row:
        sketch.paint(disc(hex_.centre, 110), code)
    for one, two in itertools.pairwise(row):
        sketch.paint(band(one.centre, two.centre, width), code)


# --- generated boards


def check(board: Board, truth: Truth) -> None:
    found = buildings(board)
    assert {h: b.colour for h, b in found.items()} == truth.buildings
    assert {s for b in found.values() for s in b.joined} == truth.joined
    assert {h for b in found.values() for h in b.stairwells} == truth.stairwells
    covers = {bar.side: bar.covers for b in found.values() for bar in b.bars}
    assert covers.keys() == truth.bars.keys()
    for s, (start, end) in truth.bars.items():
        low, high = covers[s] or (0, 60)
        assert abs(low - start) <= 3
        assert abs(high - end) <= 3
        assert bool(doubts(board, str(s))) == (abs(high - 30) <= 4)
    assert levels(board) == truth.levels
    assert area(board, "woods") == truth.woods
    assert area(board, "orchard") == truth.orchard
    assert hexsides(board, "wall") == truth.walls
    assert all_sides(board.statements) == truth.road
    for hex_ in truth.unflagged:
        assert any("stairwell symbol" in text for text in doubts(board, str(hex_)))
    for outline in (s for s in board.statements if isinstance(s, Outline)):
        polygon = shapely.Polygon(outline.outer, outline.holes)
        assert polygon.is_valid
        assert all(type(x) is int and type(y) is int for x, y in outline.outer)


@pytest.mark.parametrize("seed", part(range(12), 2))
@pytest.mark.parametrize("hilly", [False, True])
def test_generated_board_comes_back_as_drawn(tmp_path: Path, seed: int, hilly: bool) -> None:
    sketch, truth = generate(seed, hilly=hilly)
    board = imported(tmp_path, sketch)
    assert (board.name, board.grid) == (f"gen{seed}", sketch.grid)
    check(board, truth)


@settings(max_examples=tries(45), deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**6), hilly=st.booleans(), cols=st.integers(4, 12))
def test_any_generated_board_comes_back(tmp_path: Path, seed: int, hilly: bool, cols: int) -> None:
    sketch, truth = generate(seed, hilly=hilly, grid=Grid(cols, 4))
    check(imported(tmp_path, sketch), truth)


def test_two_imports_are_equal(tmp_path: Path) -> None:
    sketch, _ = generate(5, hilly=True)
    assert imported(tmp_path, sketch) == imported(tmp_path, sketch)


def test_generator_repeats_itself() -> None:
    assert generate(3)[0].payload() == generate(3)[0].payload() != generate(4)[0].payload()


# --- buildings


def test_drawing_off_the_dot_makes_a_building_hex(tmp_path: Path, sketch: Sketch) -> None:
    x, y = hexes("D2")[0].centre
    sketch.paint(shapely.box(x + 100, y + 100, x + 164, y + 164), BROWN)
    assert buildings(imported(tmp_path, sketch)).keys() == {hexes("D2")}


@pytest.mark.parametrize(("pixels", "there", "doubted"), [(15, False, False), (16, True, True)])
def test_specks_are_no_building(
    tmp_path: Path, sketch: Sketch, pixels: int, there: bool, doubted: bool
) -> None:
    x, y = (at // 8 for at in hexes("D2")[0].centre)
    sketch.codes[x : x + 8, y : y + 2].reshape(-1)
    for n in range(pixels):
        sketch.codes[x + n % 8, y + n // 8] = GRAY
    board = imported(tmp_path, sketch)
    assert (hexes("D2") in buildings(board)) is there
    assert bool(doubts(board, "D2")) is doubted


@pytest.mark.parametrize(("pixels", "doubted"), [(99, True), (100, False)])
def test_small_drawings_are_doubted(
    tmp_path: Path, sketch: Sketch, pixels: int, doubted: bool
) -> None:
    x, y = (at // 8 for at in hexes("D2")[0].centre)
    for n in range(pixels):
        sketch.codes[x + n % 10, y + n // 10] = GRAY
    assert bool(doubts(imported(tmp_path, sketch), "D2")) is doubted


@pytest.mark.parametrize(
    ("width", "crosses", "doubted"),
    [(32, False, False), (48, True, True), (56, True, True), (72, True, False)],
)
def test_width_of_a_crossing(
    tmp_path: Path, sketch: Sketch, width: int, crosses: bool, doubted: bool
) -> None:
    linked(sketch, "D2 D3", GRAY_1 if crosses else GRAY, width)
    sketch.flagged |= set(hexes("D2 D3")) if crosses else set()
    board = imported(tmp_path, sketch)
    assert (hexes("D2 D3") in buildings(board)) is crosses
    assert bool(doubts(board, "D2-D3")) is doubted


def test_touching_a_hexside_is_no_crossing(tmp_path: Path, sketch: Sketch) -> None:
    """A drawing that overlaps its neighbour by a pixel leaves it alone."""
    x, y = hexes("D2")[0].centre
    sketch.paint(shapely.box(x - 100, y, x + 100, y + 258 + 8), GRAY)
    linked(sketch, "D3", GRAY)
    board = imported(tmp_path, sketch)
    assert buildings(board).keys() == {hexes("D2"), hexes("D3")}
    assert (
        max(p.bounds[3] for p in drawings(board, "building") if p.bounds[1] < y + 50) <= y + 258 + 4
    )


def test_gap_of_a_pixel_parts_nothing(tmp_path: Path, sketch: Sketch) -> None:
    for names in ("B2 B3", "D2 E3"):
        linked(sketch, names, GRAY_1)
        sketch.flagged |= set(hexes(names))
        (s,) = sides(names.replace(" ", "-"))
        sketch.paint(stretch(s, 0, 60, 9), 0)
    board = imported(tmp_path, sketch)
    assert buildings(board).keys() == {hexes("B2 B3"), hexes("D2 E3")}
    assert len(drawings(board, "building")) == 2
    assert not doubts(board, "D2-E3")


def test_gray_and_brown_do_not_join(tmp_path: Path, sketch: Sketch) -> None:
    linked(sketch, "D2 D3", GRAY)
    (s,) = sides("D2-D3")
    sketch.codes[sketch.shape(whole(s.b)) & (sketch.codes == GRAY)] = BROWN
    board = imported(tmp_path, sketch)
    assert {h: b.colour for h, b in buildings(board).items()} == {
        hexes("D2"): "gray",
        hexes("D3"): "brown",
    }
    assert doubts(board, "D2-D3")


def test_two_colours_in_a_hex(tmp_path: Path, sketch: Sketch) -> None:
    x, y = hexes("D2")[0].centre
    sketch.paint(shapely.box(x - 160, y - 80, x - 8, y + 80), GRAY)
    sketch.paint(shapely.box(x + 8, y - 80, x + 120, y + 80), BROWN)
    board = imported(tmp_path, sketch)
    building = building_of(board, "D2")
    assert building is not None
    assert building.colour == "gray"
    assert any("brown" in text for text in doubts(board, "D2"))


def test_marketplace_and_lumberyard(tmp_path: Path, sketch: Sketch) -> None:
    linked(sketch, "B2 B3", GRAY_1)
    sketch.flagged |= set(hexes("B2"))
    (market,) = hexes("B3")
    sketch.codes[sketch.shape(whole(market)) & (sketch.codes > 0)] = MARKET
    x, y = hexes("E3")[0].centre
    for k in range(-2, 3):
        sketch.paint(shapely.box(x - 120, y + 48 * k, x + 120, y + 48 * k + 32), LUMBERYARD)
    board = imported(tmp_path, sketch)
    assert buildings(board).keys() == {hexes("B2 B3")}
    assert area(board, "marketplace") == {market}
    assert area(board, "lumberyard") == set(hexes("E3"))
    # One drawing for the building with the marketplace, five stripes for the lumberyard.
    assert len(drawings(board, "building")) == 6
    assert not [s for s in board.statements if isinstance(s, Doubt)]


# --- what VASL's types say


def doubted_types(tmp_path: Path, names: str, code: int, flagged: str = "") -> dict[str, bool]:
    sketch = Sketch(Grid(7, 4))
    linked(sketch, names, code)
    sketch.flagged |= set(hexes(flagged))
    board = imported(tmp_path, sketch)
    return {name: bool(doubts(board, name)) for name in names.split()}


@pytest.mark.parametrize(
    ("names", "code", "flagged", "odd"),
    part(
        [
            ("D2", GRAY, "", False),
            ("D2", GRAY, "D2", True),
            ("D2", GRAY_1, "", True),
            ("D2", GRAY_1, "D2", True),
            ("D2", GRAY_2, "", True),
            ("D2", GRAY_2, "D2", False),
            ("D2 D3", GRAY, "", True),
            ("D2 D3", GRAY_1, "D2 D3", False),
            ("D2 D3", GRAY_1, "", True),
            ("D2 D3", GRAY_2, "", True),
            ("D2 D3", GRAY_2, "D3", False),
            ("D2", GRAY_2 + 1, "D2", True),
            ("D2", GRAY_2 + 2, "D2", True),
            ("D2 D3", 47, "D2 D3", True),
            ("D2", 182, "", True),
        ],
        4,
    ),
)
def test_types_that_contradict_the_drawing(
    tmp_path: Path, names: str, code: int, flagged: str, odd: bool
) -> None:
    assert set(doubted_types(tmp_path, names, code, flagged).values()) == {odd}


def test_what_types_say_against_a_drawing_is_said_in_kb() -> None:
    """The rules on building types decide; VASL's levels are only held against them."""
    one, two, high = hexes("D2")[0], hexes("D3")[0], "2 upper levels"

    def said(*levels: int, flags: str = "", slope: int = 0) -> list[str]:
        places = (one, two)[: len(levels)]
        codes = {
            each: TerrainCode(0, "", "building", "gray", n)
            for each, n in zip(places, levels, strict=True)
        }
        joined = [hexside_between(one, two)] if len(places) == 2 else []
        bases = {one: slope, two: 0}
        found = stairwell_facts(
            dict.fromkeys(places, "gray"), joined, bases, codes, hexes(flags) if flags else ()
        )
        return sorted(text for each in found.doubts.values() for text in each)

    ask, none = (
        "as a stairway: is a stairwell symbol printed here?",
        "as a stairway: taken as a stairwell symbol",
    )
    assert said(0) == said(1, 1, flags="D2 D3") == said(2, 2, flags="D3") == []
    assert said(0, flags="D2") == [f"VASL gives it no upper level, but flags it {ask}"]
    assert said(3, flags="D2") == ["VASL gives it 3 upper levels; more than 2 exist only by SSR"]
    assert said(2) == [f"VASL gives it {high}, but flags no such hex of its building {none}"]
    house = "VASL gives it an upper level, but it is a building of one hex: is a symbol printed?"
    assert said(1) == [house]
    assert said(0, 1, flags="D3") == [
        "VASL gives it no upper level, but its building has several hexes"
    ]
    assert said(1, 1, flags="D2") == ["VASL gives it 1 upper level, but flags no stairway"]
    symbol = "VASL gives it 1 upper level, but its building has a stairwell symbol"
    assert said(1, 2, flags="D3") == [symbol]
    # On a slope a hex may well have a level less.
    assert said(1, 2, flags="D3", slope=1) == []


def test_flag_tells_of_a_symbol_from_two_levels_on(tmp_path: Path, sketch: Sketch) -> None:
    for names, code in (("B2 B3", GRAY_1), ("D2 D3", GRAY_2), ("F2", BROWN)):
        linked(sketch, names, code)
        sketch.flagged |= set(hexes(names))
    found = buildings(imported(tmp_path, sketch))
    assert {h: b.stairwells for h, b in found.items()} == {
        hexes("B2 B3"): (),
        hexes("D2 D3"): hexes("D2 D3"),
        hexes("F2"): (),
    }


def test_lower_type_beside_a_symbol(tmp_path: Path, sketch: Sketch) -> None:
    """On one base level a doubt; where the hexes are uneven, what B23.72 describes."""
    linked(sketch, "D2 D3", GRAY_2)
    sketch.types[hexes("D2")[0]] = "Stone Building, 1 Level"
    sketch.flagged |= set(hexes("D3"))
    assert doubts(imported(tmp_path, sketch), "D2")
    sketch.raise_to(whole(hexes("D2")[0]), 1)
    board = imported(tmp_path, sketch)
    assert not doubts(board, "D2")
    assert levels(board) == {hexes("D2")[0]: 1}


def test_types_where_nothing_is_drawn(tmp_path: Path, sketch: Sketch) -> None:
    linked(sketch, "D2 E2", GRAY)
    sketch.types |= {
        hexes("B2")[0]: "Stone Building",
        hexes("D2")[0]: "Castle",
        hexes("E2")[0]: "Wooden Building, 1 Level",
        Hex(30, 5): "Stone Building",
    }
    sketch.flagged |= set(hexes("F2"))
    board = imported(tmp_path, sketch)
    assert "'Stone Building'" in doubts(board, "B2")[0]
    assert any("'Castle'" in text for text in doubts(board, "D2"))
    assert any("drawn gray" in text for text in doubts(board, "E2"))
    assert "flags" in doubts(board, "F2")[0]
    assert not area(board, "castle")


@pytest.mark.parametrize(("pixels", "doubted"), [(19, False), (20, True)])
def test_part_of_a_drawing_at_another_level(
    tmp_path: Path, sketch: Sketch, pixels: int, doubted: bool
) -> None:
    linked(sketch, "D2", GRAY)
    x, y = (at // 8 for at in hexes("D2")[0].centre)
    for n in range(pixels):
        sketch.elevation[x + 3 + n % 5, y + 3 + n // 5] = 1
    assert bool(doubts(imported(tmp_path, sketch), "D2")) is doubted


# --- bars


def bar_board(tmp_path: Path, start: float, end: float, width: int = 220) -> Board:
    sketch = Sketch(Grid(7, 4))
    linked(sketch, "D2 E3", GRAY_1, width)
    sketch.flagged |= set(hexes("D2 E3"))
    sketch.paint(stretch(hexside_between(*hexes("D2 E3")), start, end, 36), BAR)
    return imported(tmp_path, sketch)


def bar_of(board: Board) -> Bar | None:
    building = building_of(board, "D2")
    assert building is not None
    assert building.hexes == hexes("D2 E3")
    return building.bars[0] if building.bars else None


def test_bar_over_a_part_of_a_hexside(tmp_path: Path) -> None:
    board = bar_board(tmp_path, 9, 48)
    bar = bar_of(board)
    assert bar is not None
    assert bar.covers is not None
    assert abs(bar.covers[0] - 9) <= 2
    assert abs(bar.covers[1] - 48) <= 2
    assert not doubts(board, "D2-E3")


def test_bar_over_a_whole_hexside(tmp_path: Path) -> None:
    assert bar_of(bar_board(tmp_path, 0, 60)) == Bar(hexside_between(*hexes("D2 E3")))


def test_bar_cuts_no_drawing_in_two(tmp_path: Path) -> None:
    assert len(drawings(bar_board(tmp_path, 4, 56), "building")) == 1


@pytest.mark.parametrize(("end", "doubted"), [(22, False), (28, True), (32, True), (38, False)])
def test_bar_that_ends_at_the_midpoint(tmp_path: Path, end: int, doubted: bool) -> None:
    board = bar_board(tmp_path, 4, end)
    assert bar_of(board)
    assert bool(doubts(board, "D2-E3")) is doubted


def test_short_bar_away_from_the_vertices(tmp_path: Path) -> None:
    assert bar_of(bar_board(tmp_path, 26, 33, 60))
    assert not bar_of(bar_board(tmp_path, 29, 31, 60))


@pytest.mark.parametrize(("end", "there"), [(12, False), (18, True)])
def test_end_of_another_bar_is_no_bar(tmp_path: Path, end: int, there: bool) -> None:
    assert bool(bar_of(bar_board(tmp_path, 0, end))) is there


def test_bar_without_a_building(tmp_path: Path, sketch: Sketch) -> None:
    s = hexside_between(*hexes("D2 E3"))
    sketch.paint(stretch(s, 5, 55, 36), BAR)
    board = imported(tmp_path, sketch)
    assert doubts(board, str(s)) == ["a bar lies where no building drawing crosses: left out"]
    assert not [x for x in board.statements if isinstance(x, Bar)]
    assert not buildings(board)


def test_bar_inside_a_hex(tmp_path: Path, sketch: Sketch) -> None:
    linked(sketch, "D2", GRAY)
    x, y = hexes("D2")[0].centre
    sketch.paint(shapely.box(x - 80, y - 20, x + 80, y + 20), BAR)
    board = imported(tmp_path, sketch)
    assert any("bar" in text for text in doubts(board, "D2"))
    assert len(drawings(board, "building")) == 1


# --- terrain, walls, roads, levels


def test_terrain_is_that_of_the_dot(tmp_path: Path, sketch: Sketch) -> None:
    x, y = hexes("D2")[0].centre
    sketch.paint(disc(Point(x + 100, y), 110), WOODS)
    sketch.paint(disc(Point(*hexes("B2")[0].centre), 150), GRAIN)
    x, y = hexes("F2")[0].centre
    sketch.paint(disc(Point(x + 140, y), 100), WOODS)
    board = imported(tmp_path, sketch)
    assert area(board, "woods") == set(hexes("D2"))
    assert area(board, "grain") == set(hexes("B2"))
    assert len(drawings(board, "woods")) == 2


def test_terrain_beneath_roads_and_walls(tmp_path: Path, sketch: Sketch) -> None:
    """A road, path or wall at the dot is no terrain of the hex; woods and open ground: woods."""
    row = hexes("B2 C3 D3 E4")
    for hex_ in row[:2]:
        sketch.paint(disc(hex_.centre, 200), WOODS)
    x, y = row[2].centre
    sketch.paint(shapely.box(x - 150, y, x + 150, y + 200), WOODS)
    for one, two in itertools.pairwise(row):
        sketch.paint(band(one.centre, two.centre, 96), DIRT)
    sketch.paint(disc(hexes("F2")[0].centre, 150), WOODS)
    sketch.paint(disc(hexes("F2")[0].centre, 20), PATH)
    board = imported(tmp_path, sketch)
    assert area(board, "woods") == set(hexes("B2 C3 D3 F2"))
    assert all_sides(board.statements) == sides("B2-C3 C3-D3 D3-E4")
    assert not any(p.interiors for p in drawings(board, "woods"))


def test_wall_cuts_no_drawing_in_two(tmp_path: Path, sketch: Sketch) -> None:
    s = hexside_between(*hexes("D2 D3"))
    x, y = s.a.centre
    sketch.paint(shapely.box(x - 120, y - 60, x + 120, y + 560), WOODS)
    sketch.paint(stretch(s, 0, 60, 40), WALL)
    t = hexside_between(*hexes("B2 B3"))
    linked(sketch, "B2 B3", BROWN_1, 160)
    sketch.paint(stretch(t, 0, 60, 40), HEDGE)
    board = imported(tmp_path, sketch)
    assert (hexsides(board, "wall"), hexsides(board, "hedge")) == ({s}, {t})
    assert len(drawings(board, "woods")) == len(drawings(board, "building")) == 1
    assert hexes("B2 B3") in buildings(board)


def test_wall_beside_a_building_does_not_widen_it(tmp_path: Path, sketch: Sketch) -> None:
    x, y = hexes("D2")[0].centre
    sketch.paint(shapely.box(x - 100, y, x + 100, y + 240), GRAY)
    s = hexside_between(*hexes("D2 D3"))
    sketch.paint(stretch(s, 0, 60, 40), WALL)
    (drawing,) = drawings(imported(tmp_path, sketch), "building")
    assert drawing.bounds[3] <= y + 242


@pytest.mark.parametrize(
    ("end", "standing", "doubted"),
    [(15, False, True), (24, False, True), (36, True, True), (54, True, False)],
)
def test_share_of_a_hexside_under_a_wall(
    tmp_path: Path, sketch: Sketch, end: int, standing: bool, doubted: bool
) -> None:
    s = hexside_between(*hexes("D2 D3"))
    sketch.paint(stretch(s, 0, end, 40), WALL)
    board = imported(tmp_path, sketch)
    assert (s in hexsides(board, "wall")) is standing
    assert bool(doubts(board, "D2-D3")) is doubted


def test_trees_off_the_dot_make_an_orchard(tmp_path: Path, sketch: Sketch) -> None:
    x, y = hexes("D2")[0].centre
    for dx, dy in ((-120, -120), (120, -120), (-120, 120), (120, 120)):
        sketch.paint(disc(Point(x + dx, y + dy), 60), ORCHARD)
    assert area(imported(tmp_path, sketch), "orchard") == set(hexes("D2"))


def test_orchard_painted_over_its_hexsides(tmp_path: Path, sketch: Sketch) -> None:
    sketch.paint(whole(hexes("D2")[0]).buffer(10), ORCHARD)
    board = imported(tmp_path, sketch)
    assert area(board, "orchard") == set(hexes("D2"))
    (drawing,) = drawings(board, "orchard")
    assert drawing.difference(whole(hexes("D2")[0])).area < 64 * 30
    assert not [s for s in board.statements if isinstance(s, Doubt)]


def test_unknown_terrain_keeps_its_name(tmp_path: Path, sketch: Sketch) -> None:
    sketch.paint(whole(hexes("D2")[0]), 101)
    board = imported(tmp_path, sketch)
    assert area(board, "hammada") == set(hexes("D2"))
    # Nobody knows whether it counts where nothing is drawn: it fills its hex.
    assert not drawings(board, "hammada")


def test_ground_and_gully_with_a_bridge(tmp_path: Path, sketch: Sketch) -> None:
    row = hexes("B2 C3 D3 E4")
    for one, two in itertools.pairwise(row):
        gully = shapely.LineString([one.centre, two.centre]).buffer(45)
        sketch.paint(gully, GULLY)
        sketch.raise_to(gully, -1)
    x, y = row[2].centre
    bridge = shapely.box(x - 60, y - 120, x + 60, y + 120)
    sketch.paint(bridge, STONE_BRIDGE)
    sketch.raise_to(bridge, 0)
    sketch.raise_to(disc(hexes("F2")[0].centre, 200), 2)
    board = imported(tmp_path, sketch)
    assert area(board, "gully") == set(row)
    assert Fact("bridge", (row[2], "stone")) in board.statements
    assert "bridge" in doubts(board, "D3")[0]
    # Under the bridge the gully runs on; who is on it stands higher, which a doubt says.
    assert levels(board) == {**dict.fromkeys(row, -1), hexes("F2")[0]: 2}
    assert len(drawings(board, "gully")) == len(drawings(board, "bridge")) == 1
    assert all(
        p.contains(shapely.Point(hexes("F2")[0].centre)) for p in drawings(board, "ground", 2)
    )
    assert len(drawings(board, "ground", 2)) == len(drawings(board, "ground", 1)) == 1
    low = shapely.union_all(drawings(board, "ground", 0))
    assert not low.contains(shapely.Point(row[1].centre))
    assert not low.contains(shapely.Point(row[2].centre))
    assert not drawings(board, "ground", -1)


@pytest.mark.parametrize(("beside", "word"), [(WOODS, "woods"), (BRUSH, "brush"), (0, "")])
def test_a_gully_keeps_the_terrain_that_it_runs_through(
    tmp_path: Path, sketch: Sketch, beside: int, word: str
) -> None:
    row = hexes("C3 D3 E4")
    sketch.paint(whole(row[1]), beside)
    gully = shapely.LineString([hex_.centre for hex_ in row]).buffer(45)
    sketch.paint(gully, GULLY)
    sketch.raise_to(gully, -1)
    board = imported(tmp_path, sketch)
    assert area(board, "gully") == set(row)
    assert not word or area(board, word) == {row[1]}
    assert levels(board)[row[1]] == -1


@pytest.mark.parametrize(
    ("code", "word", "through", "there"),
    [
        (GULLY, "gully", True, True),
        (GULLY, "gully", False, True),
        (STREAM, "shallow_stream", True, True),
        (STREAM, "shallow_stream", False, False),
    ],
)
def test_a_depression_that_passes_beside_the_dot(
    tmp_path: Path, sketch: Sketch, code: int, word: str, through: bool, there: bool
) -> None:
    """A gully is wherever its symbol is; a stream runs through its hexes."""
    (hex_,) = hexes("D3")
    x, y = hex_.centre
    channel = shapely.LineString([(x + 130, y - 300), (x + 130, y + (300 if through else 0))])
    sketch.paint(channel.buffer(40), code)
    sketch.raise_to(channel.buffer(40), -1)
    board = imported(tmp_path, sketch)
    assert (hex_ in area(board, word)) is there
    assert (levels(board).get(hex_) == -1) is there
    assert there or any("off its centre dot: left out" in text for text in doubts(board, "D3"))


@pytest.mark.parametrize(("behind", "below", "doubted"), [(0, 0, 0), (60, 1, 0), (30, 0, 1)])
def test_a_wall_below_the_crest_line(
    tmp_path: Path, sketch: Sketch, behind: int, below: int, doubted: int
) -> None:
    """Lower ground between wall and Crest Line: along all of the hexside, half of it, or none."""
    s = hexside_between(*hexes("D2 D3"))
    sketch.raise_to(whole(s.a), 1)
    sketch.paint(stretch(s, 0, 60, 20), WALL)
    if behind:
        sketch.raise_to(stretch(s, 0, behind, 140), 0)
    board = imported(tmp_path, sketch)
    assert s in hexsides(board, "wall")
    found = [f for f in board.statements if isinstance(f, Fact) and f.name == "below_crest"]
    assert found == [Fact("below_crest", (s,))] * below
    assert len(doubts(board, "D2-D3")) == doubted


def test_what_no_dot_shows_is_doubted(tmp_path: Path, sketch: Sketch) -> None:
    x, y = hexes("D2")[0].centre
    sketch.paint(disc(Point(x + 150, y), 70), STREAM - 24)
    for hex_ in hexes("B3 E3"):
        sketch.paint(whole(hex_), WOODS)
    sketch.paint(disc(hexes("B3")[0].centre, 80), 0)
    board = imported(tmp_path, sketch)
    assert any("at no centre dot" in text for text in doubts(board, "D2"))
    assert any("most of it is woods" in text for text in doubts(board, "B3"))


def test_a_line_of_a_stream_along_other_water_is_doubted(tmp_path: Path, sketch: Sketch) -> None:
    """VASL draws a bank as a line of a stream, two pixels wide: it is water, and a doubt says so."""
    x, y = hexes("C3")[0].centre
    sketch.paint(shapely.box(x - 308, y - 108, x + 308, y + 108), STREAM)
    sketch.paint(shapely.box(x - 300, y - 100, x + 300, y + 100), CANAL)
    board = imported(tmp_path, sketch)
    assert area(board, "canal") == {hexes("C3")[0]}
    assert not area(board, "shallow_stream")
    assert [s.text for s in board.statements if isinstance(s, Doubt) and "banks" in s.text] == [
        "204 pixels of shallow stream line the banks of other water: taken as a part of it"
    ]


@pytest.mark.parametrize(("height", "doubted"), [(0, 0), (1, 1), (3, 1)])
def test_a_gully_far_below_the_dot_is_doubted(
    tmp_path: Path, sketch: Sketch, height: int, doubted: int
) -> None:
    (hex_,) = hexes("D3")
    x, y = hex_.centre
    sketch.raise_to(whole(hex_), height)
    channel = shapely.LineString([(x + 130, y - 300), (x + 130, y + 300)]).buffer(40)
    sketch.paint(channel, GULLY)
    sketch.raise_to(channel, -1)
    board = imported(tmp_path, sketch)
    assert levels(board)[hex_] == -1
    assert len([text for text in doubts(board, "D3") if "its depression at -1" in text]) == doubted


def test_small_drawings_in_many_hexes_are_doubted(tmp_path: Path, sketch: Sketch) -> None:
    """Three openings of a sewer, each of 36 pixels: at no centre dot, and said once."""
    for hex_ in hexes("B2 D2 F2"):
        x, y = hex_.centre
        sketch.paint(shapely.box(x + 100, y, x + 148, y + 48), SEWER)
    board = imported(tmp_path, sketch)
    texts = [s.text for s in board.statements if isinstance(s, Doubt)]
    assert texts == ["108 pixels of sewer are drawn, at no centre dot: left out"]


@pytest.mark.parametrize("planks", [False, True])
def test_along_the_road_of_a_bridge(tmp_path: Path, sketch: Sketch, planks: bool) -> None:
    """A road leads over a bridge; the next hex of it is woods. The deck is painted as road, or as bridge."""
    one, under, two = hexes("C3 D3 E4")
    gully = shapely.LineString([one.centre, under.centre, two.centre]).buffer(45)
    sketch.paint(whole(hexes("D4")[0]), WOODS)
    sketch.paint(gully, GULLY)
    sketch.raise_to(gully, -1)
    x, y = under.centre
    deck = shapely.box(x - 80, y - 120, x + 80, y + 120)
    sketch.raise_to(deck, 0)
    sketch.paint(band(hexes("D1")[0].centre, hexes("D5")[0].centre, 96), DIRT)
    sketch.paint(deck if planks else deck.difference(deck.buffer(-32)), STONE_BRIDGE)
    if not planks:
        sketch.paint(shapely.box(x - 48, y - 120, x + 48, y + 120), DIRT)
    here = prepare(imported(tmp_path, sketch), program())
    along = los(here, Location(hexes("D2")[0]), Location(hexes("D4")[0]))
    assert (along.clear, along.hindrance) == (True, 0)
    over = los(here, Location(hexes("C4")[0]), Location(hexes("E3")[0]))
    assert (over.clear, over.hindrance) == (True, 1)


def test_an_orchard_on_the_low_ground_of_a_higher_hex(tmp_path: Path, sketch: Sketch) -> None:
    """A line from below to the level of an orchard hex meets its trees, though not its ground."""
    (trees,) = hexes("D3")
    x, y = trees.centre
    sketch.paint(whole(trees), ORCHARD)
    sketch.raise_to(shapely.box(x - 60, y - 60, x + 300, y + 300), 1)
    sketch.raise_to(whole(hexes("C2")[0]), 1)
    board = imported(tmp_path, sketch)
    assert levels(board)[trees] == levels(board)[hexes("C2")[0]] == 1
    here = prepare(board, program())
    high, low = (Location(hexes(name)[0]) for name in ("C2", "D4"))
    assert {each.norm for each in los(here, high, low).blockers} == {"B14.2-4"}


def test_a_road_in_terrain_reaches_its_hexsides(tmp_path: Path, sketch: Sketch) -> None:
    """What is drawn of the road of a woods hex goes on over the hexside, and no farther than needed."""
    one, two, three = hexes("D2 D3 D4")
    sketch.paint(whole(two), WOODS)
    sketch.paint(band(one.centre, three.centre, 96), DIRT)
    (road,) = drawings(imported(tmp_path, sketch), "road")
    _, top, _, bottom = road.bounds
    assert two.centre.y - 258 - 40 < top < two.centre.y - 258 - 8
    assert two.centre.y + 258 + 8 < bottom < two.centre.y + 258 + 40


@pytest.mark.parametrize(("bank", "level"), [(40, -1), (80, 0)])
def test_a_bank_may_lie_between_a_bridge_and_what_runs_under_it(
    tmp_path: Path, sketch: Sketch, bank: int, level: int
) -> None:
    one, under, two = hexes("C3 D3 E4")
    gully = shapely.LineString([one.centre, under.centre, two.centre]).buffer(45)
    sketch.paint(gully, GULLY)
    sketch.raise_to(gully, -1)
    x, y = under.centre
    sketch.raise_to(shapely.box(x - 60 - bank, y - 120, x + 60 + bank, y + 120), 0)
    sketch.paint(shapely.box(x - 60, y - 120, x + 60, y + 120), STONE_BRIDGE)
    assert levels(imported(tmp_path, sketch)).get(under, 0) == level


def test_relief_up_to_the_limit(tmp_path: Path, sketch: Sketch) -> None:
    sketch.raise_to(whole(hexes("D2")[0]), -30)
    assert levels(imported(tmp_path, sketch)) == {hexes("D2")[0]: -30}


def test_flat_board_has_no_ground_outline(tmp_path: Path, sketch: Sketch) -> None:
    sketch.elevation[20:22, 20] = -1
    assert imported(tmp_path, sketch).statements == ()


def test_outlines_reach_beyond_the_rim(tmp_path: Path, sketch: Sketch) -> None:
    """Otherwise a line along the rim would only touch what is drawn there."""
    sketch.codes[:] = WOODS
    (drawing,) = drawings(imported(tmp_path, sketch), "woods")
    # The corners are cut, by half a pixel.
    assert drawing.contains(shapely.box(-28, -28, 8 * sketch.width + 28, 8 * sketch.height + 28))


def test_outline_stays_within_a_pixel_of_the_drawing(tmp_path: Path, sketch: Sketch) -> None:
    centre = hexes("D2")[0].centre
    shape = shapely.union(disc(centre, 200), band(centre, hexes("E4")[0].centre, 80))
    shape = shape.difference(disc(centre, 60))
    sketch.paint(shape, WOODS)
    (drawing,) = drawings(imported(tmp_path, sketch), "woods")
    assert len(drawing.interiors) == 1
    assert drawing.hausdorff_distance(shape) < 12
    assert abs(drawing.area / shape.area - 1) < 0.02
    assert shapely.get_num_coordinates(drawing) < 80


# --- sizes, names, codes


@pytest.mark.parametrize("cols", part([2, 5, 10, 17, 52], 1))
@pytest.mark.parametrize("rows", [1, 10])
def test_other_sizes_with_the_same_hexes(tmp_path: Path, cols: int, rows: int) -> None:
    board = imported(tmp_path, Sketch(Grid(cols, rows)))
    assert (board.grid, board.statements) == (Grid(cols, rows), ())


@pytest.mark.parametrize(
    ("name", "read"),
    [("24", "24"), ('"; drop', "drop"), ("", "05"), ("x" * 99, "x" * 40), ("a\nb", "a b")],
)
def test_board_names_are_plain_words(tmp_path: Path, name: str, read: str) -> None:
    metadata = f"<boardMetadata name='{name.replace(chr(34), '&quot;')}'/>"
    path = pack(tmp_path / "bd05", gzip.compress(java_stream(small().payload())), metadata)
    assert import_archive(path).name == read


def test_comments_of_the_metadata_are_no_types(tmp_path: Path) -> None:
    archive = read_archive(write(tmp_path / "b", small()))
    assert archive.metadata.types == {}


def test_every_code_has_a_plain_word() -> None:
    roles = {
        *(
            "open",
            "area",
            "water",
            "inherent",
            "depression",
            "structure",
            "building",
            "marketplace",
        ),
        *("lumberyard", "bar", "side", "road", "path", "bridge"),
    }
    for code in code_table().values():
        assert code.role in roles
        assert code.word.replace("_", "").isalnum()
        assert code.word == code.word.lower()
        assert (code.levels is not None) == (
            code.role in ("building", "marketplace", "lumberyard")
        ), code


# --- hostile archives


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archives_get_one_clear_line(tmp_path: Path, name: str) -> None:
    make, complaint = HOSTILE[name]
    path = tmp_path / "bd99"
    make(path)
    with pytest.raises(ArchiveError) as caught:
        import_archive(path)
    text = str(caught.value)
    assert complaint in text
    assert text.startswith(str(path))
    assert len(text.splitlines()) == 1
    assert caught.value.__cause__ is None


def read_or_refused(path: Path) -> None:
    """Import it: an ArchiveError of one line is fine, any other trouble is not."""
    complaint = ""
    try:
        import_archive(path)
    except ArchiveError as error:
        complaint = str(error)
    assert len(complaint.splitlines()) <= 1


@settings(max_examples=tries(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_damaged_files_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    path = write(tmp_path / "board", small())
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path.write_bytes(bytes(raw))
    read_or_refused(path)


@settings(max_examples=tries(300), deadline=None, suppress_health_check=list(HealthCheck))
@given(at=st.integers(0, 400), change=st.binary(max_size=40))
def test_damaged_streams_are_read_or_refused(tmp_path: Path, at: int, change: bytes) -> None:
    stream = java_stream(small().payload())
    changed = stream[:at] + change + stream[at + len(change) :]
    read_or_refused(pack(tmp_path / "board", gzip.compress(changed), small().metadata()))


@settings(max_examples=tries(120), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_is_painted_can_be_read(tmp_path: Path, data: st.DataObject) -> None:
    """Any terrain anywhere, at any elevation, with any flags and types."""
    sketch = Sketch(Grid(4, 3))
    codes = st.sampled_from(sorted(code_table()))
    places = st.tuples(st.integers(-50, 1400), st.integers(-50, 1600))
    for _ in range(data.draw(st.integers(1, 8))):
        shape = disc(Point(*data.draw(places)), data.draw(st.sampled_from([6, 20, 100, 400, 4000])))
        sketch.paint(shape, data.draw(codes))
        sketch.raise_to(shape, data.draw(st.integers(-4, 6)))
    sketch.flagged |= set(data.draw(st.lists(st.sampled_from(sketch.grid.hexes()))))
    name = data.draw(st.sampled_from([code.name for code in code_table().values()]))
    sketch.types |= dict.fromkeys(sketch.grid.hexes()[:3], name)
    board = imported(tmp_path, sketch)
    for hex_ in {h for s in board.statements if isinstance(s, Building | Area) for h in s.hexes}:
        assert hex_ in set(sketch.grid.hexes())


# --- real boards


def real(number: int) -> Board:
    path = BOARDS / f"bd{number:02}"
    if not path.is_file():
        pytest.skip(f"no board archive at {path}")
    if number not in _READ:
        _READ[number] = board_of(read_archive(path))
    return _READ[number]


_READ: dict[int, Board] = {}


PRINTED = [
    (1, "D4", "brown", "", ""),
    (1, "F1 G1", "brown", "F1-G1", ""),
    (1, "M4", "brown", "", ""),
    (1, "M5 N3 N4 N5", "gray", "M5-N4 M5-N5 N3-N4 N4-N5", "M5"),
    (1, "T2 U2 U3 V2", "gray", "T2-U2 T2-U3 U2-U3 U2-V2 U3-V2", "U3"),
    (1, "CC7 DD7", "gray", "CC7-DD7", ""),
    (12, "O4 P3 Q4", "gray", "O4-P3 P3-Q4", "O4 P3 Q4"),
    (12, "O6 O7", "gray", "O6-O7", "O6 O7"),
    (12, "Q6 Q8 R6 R7", "gray", "Q6-R6 R6-R7 Q8-R7", ""),
    (20, "U8 V7 W7 X6", "brown", "U8-V7 V7-W7 W7-X6", ""),
    (21, "O8 P7 P8 Q7", "gray", "O8-P7 O8-P8 P7-P8 P7-Q7", ""),
    (23, "K7 L7 M8", "gray", "K7-L7 L7-M8", ""),
    (24, "U4 V3", "gray", "U4-V3", "U4 V3"),
    (24, "R4 R5 S5", "gray", "R4-R5 R4-S5 R5-S5", ""),
    (15, "Q8 R8", "gray", "Q8-R8", "R8"),
    (15, "G5 H5", "gray", "G5-H5", "H5"),
]


@pytest.mark.parametrize(
    ("number", "names", "colour", "joined", "stairwells"),
    some(PRINTED, 4),
)
def test_printed_buildings(
    number: int, names: str, colour: str, joined: str, stairwells: str
) -> None:
    building = buildings(real(number))[hexes(names)]
    assert building.colour == colour
    assert frozenset(building.joined) == sides(joined)
    assert building.stairwells == hexes(stairwells)


@pytest.mark.parametrize(
    ("number", "barred"),
    part(
        [
            (12, "O4-P3 P3-Q4 O6-O7"),
            (20, "H6-I7 W7-X6 V7-W7 U8-V7"),
            (21, "O8-P8 P7-P8 O8-P7 P7-Q7"),
            (23, "K7-L7 L7-M8 G8-H7"),
        ],
        1,
    ),
)
def test_printed_bars(number: int, barred: str) -> None:
    found = {bar.side for b in buildings(real(number)).values() for bar in b.bars}
    assert sides(barred) <= found


def test_wide_building_of_board_20() -> None:
    building = building_of(real(20), "E7")
    assert building is not None
    assert building.colour == "gray"
    assert building.hexes == hexes("B6 B7 C6 C7 C8 C9 D6 D7 D8 D9 E7")
    assert sides("C9-D9 B7-C8 C8-C9 D8-D9") <= frozenset(building.joined)
    # The unit of the printed example crosses open ground in B8 to enter the building again in C9.
    assert building_of(real(20), "B8") is None


@slow
def test_marketplace_and_lumberyard_as_printed() -> None:
    assert area(real(12), "marketplace") == set(hexes("R7"))
    assert hexes("Q6")[0] in area(real(24), "lumberyard")
    assert building_of(real(24), "Q6") is None


@slow
def test_split_buildings_lie_a_level_apart() -> None:
    heights = levels(real(15))
    assert heights.get(hexes("Q8")[0], 0) - heights.get(hexes("R8")[0], 0) == 1
    heights = levels(real(24))
    assert heights.get(hexes("V3")[0], 0) - heights.get(hexes("U4")[0], 0) == 1


@pytest.mark.parametrize(
    ("number", "where", "word"),
    [
        (1, "CC7", "several hexes"),
        (1, "DD7", "several hexes"),
        (15, "R8", "stairwell symbol"),
        (15, "H5", "stairwell symbol"),
        (15, "Q8", "level 0"),
        (21, "P7-P8", "midpoint"),
        (24, "V3", "level -1"),
    ],
)
def test_known_faults_are_doubted(number: int, where: str, word: str) -> None:
    assert any(word in text for text in doubts(real(number), where))


@pytest.mark.parametrize("number", [1, 12, 15, 20, 21, 23, 24])
def test_real_boards_are_mostly_certain(number: int) -> None:
    board = real(number)
    assert board.grid == Grid(33, 10)
    assert board.name == f"{number:02}"
    # Four single squares of a cliff on board 24 are among them, and woods hexes with a road at the dot.
    assert len(open_doubts(corrected(board))) <= (14 if number == 24 else 5)
    for outline in (s for s in board.statements if isinstance(s, Outline)):
        assert shapely.Polygon(outline.outer, outline.holes).is_valid
