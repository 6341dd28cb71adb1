"""Archives of every format: other scales, half boards, unusual terrain, and the ground under bridges.

The laws: what is drawn comes back at any scale and under any names; what the importer writes loads; and no
terrain code, slope or attribute of an archive is dropped without a word.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
import shapely

from rules_asp.boards.resolve import resolve
from rules_asp.game.board import Area, Board, Doubt, Fact, HexsideTerrain, Outline, Road
from rules_asp.game.grid import Grid, Hex, Point, hexside_between
from rules_asp.parser import parse
from rules_asp.parser import write as written
from rules_asp.vasl.archive import ArchiveError, code_table
from rules_asp.vasl.known_boards import corrected, corrections_in, open_doubts
from tests.archives import (
    DIRT,
    GRAIN,
    GRAY_1,
    GRAY_2,
    GULLY,
    PAVED,
    STONE_BRIDGE,
    WALL,
    WOODS,
    Sketch,
    band,
    disc,
    generate,
    hexes,
    sides,
    stretch,
    whole,
)
from tests.sampling import part, some
from tests.sampling import whole as everything
from tests.test_vasl import (
    area,
    buildings,
    check,
    doubts,
    drawings,
    hexsides,
    imported,
    levels,
    linked,
)

CLIFF, SHALLOW_STREAM, WATER = 75, 32, 13
SCRUB, HAMMADA, HUTS, TANK, EMBANKMENT, BOCAGE = 100, 101, 130, 166, 152, 74


@pytest.fixture
def sketch() -> Sketch:
    return Sketch(Grid(7, 4))


# --- scales and places


@pytest.mark.parametrize(
    ("across", "along"), part([(3.0007, 3.0109), (2, 2), (1.0011, 1), (1.5, 1.5)], 1)
)
@pytest.mark.parametrize("seed", some(range(12), 1))
def test_boards_come_back_at_any_scale(
    tmp_path: Path, seed: int, across: float, along: float
) -> None:
    sketch, truth = generate(seed, hilly=True)
    sketch.size = round(across * sketch.width), round(along * sketch.height)
    check(imported(tmp_path, sketch), truth)


@pytest.mark.parametrize(
    ("more", "fits"), [(-3, False), (-2, True), (0, True), (2, True), (3, False)]
)
def test_a_pixel_more_or_less(tmp_path: Path, sketch: Sketch, more: int, fits: bool) -> None:
    """What the metadata say of a hex's size may be off by two pixels over the whole board."""
    linked(sketch, "D2 E3", GRAY_1)
    sketch.size = 3 * sketch.width, 3 * sketch.height + more
    sketch.attributes = 'hexHeight="193.5"'
    if fits:
        assert hexes("D2 E3") in buildings(imported(tmp_path, sketch))
    else:
        with pytest.raises(ArchiveError, match="margin"):
            imported(tmp_path, sketch)


def test_half_boards_begin_with_column_q(tmp_path: Path) -> None:
    """As VASL's 1b: 17 columns of 20 hexes, Q to GG, in 901 pixels."""
    sketch = Sketch(Grid(17, 20, Hex(16, 1)), "1b")
    linked(sketch, "R4 S5", GRAY_1)
    sketch.paint(disc(hexes("GG20")[0].centre, 150), WOODS)
    sketch.types |= {hexes("S5")[0]: "Stone Building, 2 Level", Hex(2, 5): "Stone Building"}
    sketch.size = 901, 1290
    sketch.attributes = 'hexHeight="64.5" hexWidth="56.3125" A1CenterX="-901" A1CenterY="32.25"'
    board = imported(tmp_path, sketch)
    assert str(board.grid) == "17x20 from Q1"
    assert buildings(board).keys() == {hexes("R4 S5")}
    assert area(board, "woods") == set(hexes("GG20"))
    (drawing,) = drawings(board, "woods")
    assert drawing.contains(shapely.Point(hexes("GG20")[0].centre))
    assert any("'C5'" in text and "no hex of this board" in text for text in doubts(board, "Q1"))
    text = written(board)
    assert text.startswith('board "1b" grid 17x20 from Q1\n')
    assert parse(text) == board


def test_second_halves_begin_with_row_11(tmp_path: Path) -> None:
    sketch = Sketch(Grid(33, 10, Hex(0, 11)))
    linked(sketch, "C13 D12", GRAY_1)
    sketch.attributes = 'A1CenterX = "0" A1CenterY = "-612.75"'
    board = imported(tmp_path, sketch)
    assert str(board.grid) == "33x10 from A11"
    assert buildings(board).keys() == {hexes("C13 D12")}


def test_city_maps(tmp_path: Path) -> None:
    rows = 45 if everything() else 4
    sketch = Sketch(Grid(36, rows))
    linked(sketch, f"JJ{rows - 1} JJ{rows}", GRAY_1)
    assert hexes(f"JJ{rows - 1} JJ{rows}") in buildings(imported(tmp_path, sketch))


def test_the_same_board_elsewhere_is_the_same(tmp_path: Path) -> None:
    """Moved by so many columns and rows, as another half of a map has it."""
    near, _ = generate(4, hilly=True, grid=Grid(8, 4))
    far = Sketch(Grid(8, 4, Hex(16, 11)), near.name)
    far.codes, far.elevation = near.codes, near.elevation
    far.flagged = {Hex(col + 16, row + 10) for col, row in near.flagged}
    far.attributes = 'A1CenterX="-900" A1CenterY="-612.75"'
    shift = far.grid.corner
    found, moved = imported(tmp_path, near), imported(tmp_path, far)
    assert len(found.statements) == len(moved.statements)
    for one, two in zip(found.statements, moved.statements, strict=True):
        if isinstance(one, Area):
            assert isinstance(two, Area)
            assert [(c + 16, r + 10) for c, r in one.hexes] == list(map(tuple, two.hexes))
        if isinstance(one, Outline):
            assert isinstance(two, Outline)
            assert [(x + shift.x, y + shift.y) for x, y in one.outer] == list(map(tuple, two.outer))


# --- terrain


def test_grain_is_printed_as_a_pattern(tmp_path: Path, sketch: Sketch) -> None:
    """What lies between its strokes is grain; what lies between two woods is not woods."""
    sketch.paint(disc(hexes("D2")[0].centre, 200), GRAIN)
    sketch.codes[::3, ::2] = 0
    sketch.codes[1::3, 1::2] = 0
    x, y = hexes("B2")[0].centre
    sketch.paint(shapely.box(x - 150, y - 100, x - 16, y + 100), WOODS)
    sketch.paint(shapely.box(x + 16, y - 100, x + 150, y + 100), WOODS)
    board = imported(tmp_path, sketch)
    (grain,) = drawings(board, "grain")
    assert not grain.interiors
    assert abs(grain.area / disc(hexes("D2")[0].centre, 200).area - 1) < 0.05
    assert area(board, "grain") == set(hexes("D2"))
    assert len(drawings(board, "woods")) == 2


@pytest.mark.parametrize("code", [SCRUB, HAMMADA])
@pytest.mark.parametrize(("bits", "there", "doubted"), [(1, False, True), (5, True, False)])
def test_scattered_bits_make_a_desert_hex(
    tmp_path: Path, sketch: Sketch, code: int, bits: int, there: bool, doubted: bool
) -> None:
    x, y = hexes("D2")[0].centre
    for dx, dy in list(itertools.product((-100, 0, 100), (-100, 90)))[:bits]:
        sketch.paint(disc(Point(x + dx, y + dy), 42), code)
    board = imported(tmp_path, sketch)
    word = code_table()[code].word
    assert (area(board, word) == set(hexes("D2"))) is there
    assert bool(doubts(board, "D2")) is doubted


@pytest.mark.parametrize("code", [HUTS, TANK])
def test_structures_off_the_dot_are_there(tmp_path: Path, sketch: Sketch, code: int) -> None:
    x, y = hexes("D2")[0].centre
    sketch.paint(shapely.box(x + 80, y - 60, x + 200, y + 60), code)
    sketch.types[hexes("D2")[0]] = code_table()[code].name
    board = imported(tmp_path, sketch)
    assert area(board, code_table()[code].word) == set(hexes("D2"))
    assert not doubts(board, "D2")
    assert f"unknown terrain {code_table()[code].word.replace('_', '-')}: D2" in written(board)


def test_hexside_terrain_that_nobody_knows_is_named(tmp_path: Path, sketch: Sketch) -> None:
    (s,) = sides("D2-D3")
    sketch.paint(stretch(s, 0, 60, 40), EMBANKMENT)
    board = imported(tmp_path, sketch)
    assert hexsides(board, "railway_embankment") == {s}
    assert "unknown hexside terrain railway-embankment: D2-D3" in written(board)


def test_unlisted_codes_are_terrain_by_number(tmp_path: Path, sketch: Sketch) -> None:
    sketch.paint(whole(hexes("D2")[0]), 16)
    board = imported(tmp_path, sketch)
    assert area(board, "vasl_16") == set(hexes("D2"))
    assert "code 16 is not listed" in doubts(board, "D2")[0]


def test_slopes_of_the_metadata(tmp_path: Path, sketch: Sketch) -> None:
    sketch.slopes = {"D2": "03", "B0": "0", "Z9": "1", "C2": "7"}
    board = imported(tmp_path, sketch)
    given = {s.args for s in board.statements if isinstance(s, Fact) and s.name == "upslope"}
    (d2, d1, d3) = hexes("D2 D1 D3")
    assert given == {(d2, hexside_between(d2, d1)), (d2, hexside_between(d2, d3))}
    assert "at the rim" in doubts(board, "B0")[0]
    assert sorted(text.split(" puts ")[1] for text in doubts(board, "A1")) == [
        "slopes on the hexsides '1' of 'Z9': left out",
        "slopes on the hexsides '7' of 'C2': left out",
    ]


def test_attributes_that_nobody_understands_are_reported(tmp_path: Path, sketch: Sketch) -> None:
    sketch.attributes = 'altHexGrain="TRUE" snapScale="2"'
    assert [s.text for s in imported(tmp_path, sketch).statements if isinstance(s, Doubt)] == [
        "BoardMetadata.xml says altHexGrain='TRUE', which is not understood"
    ]


def test_base_level_is_that_of_the_dot(tmp_path: Path, sketch: Sketch) -> None:
    """Not of most of what is beside it, which is worth a doubt."""
    x, y = (at // 8 for at in hexes("D2")[0].centre)
    sketch.elevation[x, y] = 1
    board = imported(tmp_path, sketch)
    assert levels(board) == {hexes("D2")[0]: 1}
    assert "most beside the dot at 0" in doubts(board, "D2")[0]


# --- bridges


@pytest.mark.parametrize("turn", part([0, 30, 60, 90], 4))
@pytest.mark.parametrize(("code", "low"), [(WATER, -1), (WATER, 0), (GULLY, -1)])
def test_what_a_bridge_crosses_runs_on_under_it(
    tmp_path: Path, sketch: Sketch, turn: int, code: int, low: int
) -> None:
    """VASL paints its parapets as a bridge, its deck as road, and both as ground."""
    (here,) = hexes("D2")
    word = code_table()[code].word
    sketch.elevation[:] = 0

    def laid(left: float, top: float, right: float, bottom: float) -> shapely.Geometry:
        x, y = here.centre
        box = shapely.box(x + left, y + top, x + right, y + bottom)
        return shapely.affinity.rotate(box, turn, origin=tuple(here.centre))

    ditch = laid(-1000, -100, 1000, 100)
    sketch.paint(ditch, code)
    sketch.raise_to(ditch, low)
    for piece, drawn in (
        (laid(-48, -400, 48, 400), DIRT),
        (laid(-88, -130, -48, 130), STONE_BRIDGE),
    ):
        sketch.paint(piece, drawn)
    sketch.paint(laid(48, -130, 88, 130), STONE_BRIDGE)
    sketch.raise_to(laid(-88, -400, 88, 400), 0)
    board = imported(tmp_path, sketch)
    assert Fact("bridge", (here, "stone")) in board.statements
    assert here in area(board, word)
    assert levels(board).get(here, 0) == low
    assert bool(doubts(board, "D2")) is (low < 0)
    (bridge,) = drawings(board, "bridge")
    assert abs(bridge.area / laid(-88, -130, 88, 130).area - 1) < 0.15
    (water,) = drawings(board, word)
    assert water.contains(shapely.Point(here.centre))


def test_land_under_a_bridge_stays_land(tmp_path: Path, sketch: Sketch) -> None:
    x, y = hexes("D2")[0].centre
    sketch.paint(shapely.box(x - 88, y - 130, x + 88, y + 130), STONE_BRIDGE)
    board = imported(tmp_path, sketch)
    assert not doubts(board, "D2")
    assert not levels(board)
    assert not [s for s in board.statements if isinstance(s, Area)]


# --- roads and hexsides


@pytest.mark.parametrize(
    ("covered", "along", "doubted"),
    [(30, False, False), (40, False, True), (48, True, True), (60, True, False)],
)
def test_roads_along_hexsides(
    tmp_path: Path, sketch: Sketch, covered: int, along: bool, doubted: bool
) -> None:
    (s,) = sides("D2-D3")
    sketch.paint(stretch(s, 30 - covered / 2, 30 + covered / 2, 96), PAVED)
    board = imported(tmp_path, sketch)
    assert (Fact("road_along", (s,)) in board.statements) is along
    assert any(isinstance(each, Road) for each in board.statements) is not along
    assert bool(doubts(board, "D2-D3")) is doubted


def test_dirt_roads_along_hexsides_are_unpaved(tmp_path: Path, sketch: Sketch) -> None:
    (s,) = sides("D2-D3")
    sketch.paint(stretch(s, 0, 60, 96), DIRT)
    found = imported(tmp_path, sketch).statements
    assert {Fact("road_along", (s,)), Fact("ssr_unpaved", (s,))} <= set(found)


def test_broad_ends_of_hedgerows_stand_on_no_other_hexside(tmp_path: Path, sketch: Sketch) -> None:
    """Bocage is so broad that two neighbours cover much of the hexside between them."""
    around = hexes("D2")[0].neighbours()
    for other in (around[0], around[2]):
        sketch.paint(stretch(hexside_between(hexes("D2")[0], other), 0, 60, 130), BOCAGE)
    board = imported(tmp_path, sketch)
    assert hexsides(board, "bocage") == {hexside_between(hexes("D2")[0], around[d]) for d in (0, 2)}
    assert not doubts(board, str(hexside_between(hexes("D2")[0], around[1])))


def test_walls_off_every_hexside_are_reported(tmp_path: Path, sketch: Sketch) -> None:
    x, y = hexes("D2")[0].centre
    sketch.paint(shapely.box(x - 120, y - 30, x + 120, y + 30), WALL)
    board = imported(tmp_path, sketch)
    assert not [s for s in board.statements if isinstance(s, HexsideTerrain)]
    assert "off every hexside" in doubts(board, "D2")[0]


def test_lines_along_a_bank_are_no_stream(tmp_path: Path, sketch: Sketch) -> None:
    """VASL renders the banks of a canal in the colours of other water; a stream beside it is one."""
    one, two = (hexes(name)[0].centre for name in ("B2", "F2"))
    x, y = hexes("D2")[0].centre
    sketch.paint(band(one, two, 300), SHALLOW_STREAM)
    sketch.paint(band(one, two, 272), WATER)
    assert drawings(imported(tmp_path, sketch), "shallow_stream") == []
    sketch.paint(shapely.box(x - 60, y - 500, x + 60, y - 140), SHALLOW_STREAM)
    (stream,) = drawings(imported(tmp_path, sketch), "shallow_stream")
    assert 300 < stream.bounds[3] - stream.bounds[1] < 380


def test_single_squares_of_a_cliff_are_reported(tmp_path: Path, sketch: Sketch) -> None:
    """Too little to be a cliff, and too much to be passed over in silence; the rest of one is no matter."""
    lone, stood = sides("D2-D3 B2-B3")
    x, y = hexes("F2")[0].centre
    sketch.paint(stretch(lone, 26, 34, 32), CLIFF)
    sketch.paint(stretch(stood, 0, 60, 32), CLIFF)
    sketch.paint(shapely.box(x - 16, y - 16, x + 16, y + 16), CLIFF)
    board = imported(tmp_path, sketch)
    assert hexsides(board, "cliff") == {stood}
    assert doubts(board, "D2-D3") == [
        "a little cliff is drawn on the hexside, apart from the rest: left out"
    ]
    assert doubts(board, "F2") == ["a little cliff is drawn in it, apart from the rest: left out"]
    assert sum(isinstance(each, Doubt) for each in board.statements) == 2


def test_roads_that_lead_nowhere_are_reported(tmp_path: Path, sketch: Sketch) -> None:
    """As where a road leaves the board by the rim of a whole hex, whose neighbour has no name."""
    x, y = hexes("C1")[0].centre
    sketch.paint(shapely.box(x - 48, y - 258, x + 48, y), DIRT)
    board = imported(tmp_path, sketch)
    assert doubts(board, "C1") == ["a road in it leads to no hex of this board: left out"]


def test_roads_are_drawn_where_they_part_terrain(tmp_path: Path, sketch: Sketch) -> None:
    sketch.paint(disc(hexes("D2")[0].centre, 200), WOODS)
    for names in ("D1 D2", "D2 D3", "F1 F2"):
        one, two = hexes(names)
        sketch.paint(band(one.centre, two.centre, 96), DIRT)
    (road,) = drawings(imported(tmp_path, sketch), "road")
    assert road.contains(shapely.Point(hexes("D2")[0].centre))


# --- buildings


def test_symbols_that_nobody_flagged(tmp_path: Path, sketch: Sketch) -> None:
    """VASL's own levels tell of one, in any hex of two levels."""
    linked(sketch, "D2 D3", GRAY_2)
    linked(sketch, "F2", GRAY_2)
    sketch.flagged |= set(hexes("F2"))
    sketch.types[hexes("D3")[0]] = "Stone Building, 1 Level"
    found = buildings(imported(tmp_path, sketch))
    assert found[hexes("D2 D3")].stairwells == hexes("D2")
    assert found[hexes("F2")].stairwells == hexes("F2")


def test_factories_and_their_walls_are_named(tmp_path: Path, sketch: Sketch) -> None:
    linked(sketch, "D2 D3", 47)
    x, y = hexes("D2")[0].centre
    sketch.paint(shapely.box(x - 110, y - 20, x + 110, y + 20), 172)
    board = imported(tmp_path, sketch)
    assert any("Interior Factory Wall, 1 Level and Stone Factory" in t for t in doubts(board, "D2"))
    assert any("shows Stone Factory, 1.5 Level:" in text for text in doubts(board, "D3"))


# --- corrections


def bar_board(name: str, covers: tuple[int, int]) -> Board:
    first, last = covers
    return parse(
        f'board "{name}" grid 33x10\nbuilding gray: P7 P8  joined P7-P8  bar P7-P8 covers {first}-{last}\n'
        'doubt P7-P8 "its bar ends within two pixels of the midpoint"\n'
    )


def test_corrections_go_by_the_name_of_the_board() -> None:
    known = corrected(bar_board("21", (0, 34)))
    assert corrections_in(known) == ["bar P7-P8 covers 0-27"]
    assert open_doubts(known) == []
    (building,) = (s for s in resolve(known).statements if not isinstance(s, Doubt))
    assert building.bars[0].covers == (0, 27)  # type: ignore[union-attr]
    assert parse(written(known)) == known
    other = bar_board("22", (0, 34))
    assert corrected(other) == other
    assert len(open_doubts(other)) == 1


def test_corrections_that_do_not_fit_are_reported() -> None:
    empty = parse('board "21" grid 33x10\n')
    (doubt,) = corrected(empty).statements
    assert isinstance(doubt, Doubt)
    assert doubt.text == "what 21.board, line 3, knows of this board does not fit it: left out"
    assert corrections_in(corrected(empty)) == []


# --- laws


def scribbled(seed: int) -> Sketch:
    """Any terrain anywhere, at any elevation, in any of the formats."""
    dice = np.random.default_rng(seed)
    sketch = Sketch(Grid(6, 4, Hex(int(dice.choice([0, 16])), int(dice.choice([1, 11])))), "any")
    corner = sketch.grid.corner
    for _ in range(14):
        x, y = (int(dice.integers(0, most)) for most in (2300, 2000))
        shape = disc(Point(corner.x + x, corner.y + y), int(dice.choice([30, 100, 200, 400])))
        sketch.paint(shape, int(dice.integers(0, 200)))
        sketch.raise_to(shape, int(dice.integers(-2, 4)))
    sketch.flagged = {h for h in sketch.grid.hexes() if dice.random() < 0.2}
    sketch.slopes = {str(h): "024" for h in sketch.grid.hexes() if dice.random() < 0.2}
    scale = float(dice.choice([1, 1, 3, 2.5]))
    sketch.size = round(scale * sketch.width), round(scale * sketch.height)
    left, up = sketch.size[0] / 5, sketch.size[1] / 4
    sketch.attributes = (
        f'A1CenterX="{-left * sketch.grid.first.col}" '
        f'A1CenterY="{up / 2 - up * (sketch.grid.first.row - 1)}"'
    )
    return sketch


@pytest.mark.parametrize("seed", some(range(100), 8))
def test_what_is_imported_loads_and_tells_all(tmp_path: Path, seed: int) -> None:
    """The text of an import is the board, and every terrain that fills the middle of a hex is named
    there.
    """
    sketch = scribbled(seed)
    board = imported(tmp_path, sketch)
    again = parse(written(board))
    assert again == board
    resolve(again)
    assert silent_codes(sketch, board) == []


def silent_codes(sketch: Sketch, board: Board) -> list[str]:
    """The codes that fill the middle of a hex of which no statement of the board tells."""
    said = written(board)
    found = []
    for hex_ in sketch.grid.hexes():
        core = sketch.codes[sketch.shape(disc(hex_.centre, 120))]
        for number in np.unique(core).tolist():
            code = code_table()[number]
            if code.role in ("open", "bar") or np.count_nonzero(core == number) < 400:
                continue
            # One colour of a building in several is told with its first hex.
            words = (code.word.replace("_", "-"), code.name, "bridge", "road", "building")
            lines = [line for line in said.replace("\\\n", " ").split("\n") if f"{hex_}" in line]
            if not any(word and word in line for line in lines for word in words):
                found.append(f"{hex_} {code}")
    return found
