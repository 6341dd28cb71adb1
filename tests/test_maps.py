"""Maps of several boards: the places of boards, the names of hexes, and unchanged lines of sight."""

from __future__ import annotations

import os
import pickle
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from rules_asp import api
from rules_asp.boards.placement import OverlayPlacement
from rules_asp.boards.resolve import resolve
from rules_asp.cases.expectations import expectations
from rules_asp.game.board import Board, Building, Level, PlacedBoard
from rules_asp.game.grid import (
    Grid,
    GridRegion,
    Hex,
    Hexside,
    Location,
    MapBoard,
    Vertex,
    hexside_between,
)
from rules_asp.game.map_layout import (
    ABOVE,
    BELOW,
    LEFT,
    RIGHT,
    PlacementError,
    crop,
    crop_half,
    make_map,
    map_names,
    place_board,
)
from rules_asp.geometry.exact import hexes_near_line
from rules_asp.geometry.polygons import Piece
from rules_asp.geometry.shapes import shapes_of
from rules_asp.parser import BoardError, parse, write
from rules_asp.positions.loading import example_boards as bundled
from rules_asp.positions.position import Position
from tests.board_texts import examples
from tests.positions import boards, program, within
from tests.sampling import part, slow, some, tries
from tests.shape_boards import boards as drawn_boards

SIZES = [(cols, rows) for cols in (1, 2, 3, 4, 5, 33) for rows in (1, 2, 3, 10)]


# --- geometry


@pytest.mark.parametrize(("cols", "rows"), SIZES)
def test_a_board_that_is_turned_keeps_its_neighbours_and_its_lattice(cols: int, rows: int) -> None:
    first = Hex(6, 3) if cols < 10 else Hex(0, 1)
    part = MapBoard("1", "1", cols, rows, first, turned=True, shift=(4, 7))
    grid = Grid(cols, rows, first)
    for hex_ in grid.hexes():
        placed = part.placed(hex_)
        assert part.own(placed) == hex_
        assert part.placed_point(hex_.centre) == placed.centre
        for each in range(6):
            assert part.placed(hex_.neighbour(each)) == placed.neighbour(each + 3)
            assert part.placed_point(hex_.corner(each)) == placed.corner(each + 3)
    assert {part.placed(hex_) for hex_ in grid.hexes()} == set(part.field.hexes())


def two(turned: bool = False, way: str = RIGHT, kept: GridRegion | None = None) -> Grid:
    """A full board, and beside it another."""
    first = place_board((), MapBoard("21", "21", 33, 10), None)
    return make_map(
        place_board(first, MapBoard("24", "24", 33, 10, turned=turned, kept_half=kept), (way, "21"))
    )


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("way", [RIGHT, BELOW])
def test_half_hexes_at_a_seam_are_one_hex(way: str, turned: bool) -> None:
    grid = two(turned, way)
    held = Counter(hex_ for field in grid.fields for hex_ in field.hexes())
    shared = {hex_ for hex_, times in held.items() if times > 1}
    assert len(shared) == (10 if way == RIGHT else 16)
    assert len(grid.hexes()) == 2 * len(Grid(33, 10).hexes()) - len(shared)
    names = map_names(grid)
    assert names is not None
    assert all(len(names.names(hex_)) == 2 for hex_ in shared)
    # Nobody speaks of B0 where the hex is B10 on the other board.
    assert not any(
        names.name(hex_).endswith("0") and way == BELOW and names.name(hex_)[-2] != "1"
        for hex_ in shared
    )  # type: ignore[union-attr,index]


def test_a_crop_swaps_which_columns_stand_lower() -> None:
    part = crop(MapBoard("1", "1", 33, 10), (1, 8), None)
    grid = make_map(place_board((), part, None))
    first = [hex_ for hex_ in grid.hexes() if hex_.col == 1]
    assert [str(hex_) for hex_ in first][:2] == ["B0", "B1"]
    # Its rim of column B has no half hexes that fit those of another board's column GG.
    with pytest.raises(PlacementError, match="half a hex apart"):
        place_board(place_board((), MapBoard("2", "2", 33, 10), None), part, (RIGHT, "2"))


def test_turning_a_board_of_even_columns_swaps_it_too() -> None:
    part = MapBoard("1", "1", 4, 2, turned=True)
    assert {hex_.col for hex_ in part.field.hexes()} == {1, 2, 3, 4}
    assert part.placed(Hex(3, 2)) == Hex(1, 0)


@pytest.mark.parametrize(
    ("half", "kept"),
    [
        ("left", GridRegion(0, 16, 1, 10)),
        ("right", GridRegion(16, 32, 1, 10)),
        ("upper", GridRegion(0, 32, 1, 5)),
        ("lower", GridRegion(0, 32, 6, 10)),
    ],
)
def test_halves(half: str, kept: GridRegion) -> None:
    assert crop_half(MapBoard("1", "1", 33, 10), half).kept_half == kept
    with pytest.raises(PlacementError):
        crop_half(MapBoard("1", "1", 4, 3), half)


def test_what_cannot_be_laid() -> None:
    first = place_board((), MapBoard("1", "1", 33, 10), None)
    with pytest.raises(PlacementError, match="board 2 has no position"):
        place_board(first, MapBoard("2", "2", 33, 10), None)
    with pytest.raises(PlacementError, match="already has a board 1"):
        place_board(first, MapBoard("1", "1", 33, 10), (RIGHT, "1"))
    both = place_board(first, MapBoard("2", "2", 33, 10), (BELOW, "1"))
    with pytest.raises(PlacementError, match="would overlap board 2"):
        place_board(both, MapBoard("3", "3", 33, 10), (BELOW, "1"))
    with pytest.raises(PlacementError, match="from A1 to GG10"):
        crop(MapBoard("1", "1", 33, 10), (0, 33), None)
    row = first
    for number in range(2, 13):
        row = place_board(row, MapBoard(str(number), "x", 33, 10), (RIGHT, str(number - 1)))
    assert make_map(row).cols == 12 * 32 + 1
    with pytest.raises(PlacementError, match="the limit is"):
        make_map(place_board(row, MapBoard("13", "x", 33, 10), (RIGHT, "12")))


# --- names


@pytest.mark.parametrize("turned", [False, True])
def test_each_name_of_a_hex_is_read_back(turned: bool) -> None:
    grid = two(turned, BELOW)
    names = map_names(grid)
    assert names is not None
    for hex_ in grid.hexes():
        assert all(names.find(name)[0] == hex_ for name in names.names(hex_))
    assert names.name(Hex(-1, 3)) is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("U4", "a hex of several boards: write 21U4 or 24U4"),
        ("23U4", "no board 23; its boards are 21, 24"),
        ("21U11", "board 21 has no such hex"),
        ("U99", "no board of this map has a hex U99"),
        ("21u4", "is not a hex"),
        ("21AB4", "no board 21A"),
    ],
)
def test_names_that_are_none(name: str, problem: str) -> None:
    names = map_names(two())
    assert names is not None
    with pytest.raises(ValueError, match=problem):
        names.find(name)


def test_a_board_may_be_called_by_letters() -> None:
    parts = place_board((), MapBoard("BFPA", "BFPA", 33, 10), None)
    names = map_names(make_map(place_board(parts, MapBoard("a", "a", 33, 10), (RIGHT, "BFPA"))))
    assert names is not None
    assert names.find("BFPAU4")[0] == Hex(20, 4)
    assert names.find("BFPAA4")[0] == Hex(0, 4)
    assert names.find("BFPAAA4")[0] == Hex(26, 4)
    assert names.find("aB4")[0] == Hex(33, 4)


def test_hexes_of_answers_keep_their_names() -> None:
    left, right = (
        api.position(parse(f'board "m"\npart {n} grid 3x2\npart {n}b grid 3x2 below {n}'))
        for n in (1, 2)
    )
    seen = api.los(left, "1bB1", "1A1")
    api.los(right, "2bB1", "2A1")
    assert str(seen.a) == "1bB1"
    assert str(pickle.loads(pickle.dumps(seen.a))) == "1bB1"
    places = [str(each) for each in api.locations(left)]
    api.los(right, "2bB1", "2A1")
    assert places[0] == "1A1"
    assert str(Vertex(seen.a.spot, 0)) == "1bB1@1B2-1bC1"  # type: ignore[arg-type]


@pytest.mark.parametrize(("way", "back"), [(LEFT, RIGHT), (ABOVE, BELOW)])
def test_left_of_is_right_of_the_other_way_round(way: str, back: str) -> None:
    """Whichever board is named first, the same hexes meet; and turned and cropped ones too."""
    one = MapBoard("1", "1", 9, 4)
    for other in (
        MapBoard("2", "2", 9, 4, turned=True),
        crop(MapBoard("2", "2", 9, 5), (2, 8), (2, 4)),
        MapBoard("2", "2", 17, 20, Hex(16, 1)),
    ):
        first = place_board(place_board((), one, None), other, (way, "1"))
        second = place_board(place_board((), other, None), one, (back, "2"))[::-1]
        assert all(part.field.left >= 0 and part.field.top >= 1 for part in first)
        (dx, dy), moved = first[0].shift, second[0].shift
        by = moved[0] - dx, moved[1] - dy
        assert by[0] % 2 == 0
        shifts = [(part.shift[0] + by[0], part.shift[1] + by[1]) for part in first]
        assert shifts == [part.shift for part in second]


def test_a_map_may_begin_with_any_of_its_boards() -> None:
    four = """board "m"
part 1 grid 5x3
part 2 grid 5x3 left of 1
part 3 grid 5x3 above 2
part 4 grid 5x3 right of 3
woods: 4C2
"""
    board = parse(four)
    assert parse(write(board)) == board
    same = 'board "m"\npart 3 grid 5x3\npart 4 grid 5x3 right of 3\npart 2 grid 5x3 below 3\n'
    other = parse(same + "part 1 grid 5x3 below 4\nwoods: 4C2\n")
    assert {p.label: p.field for p in board.grid.parts} == {
        p.label: p.field for p in other.grid.parts
    }
    assert board.statements == other.statements


def test_a_map_is_written_and_read_back() -> None:
    text = """board "m"
part 7 grid 9x4
part 8 of "church" grid 9x4 turned only hexes A1-G2 right of 7
level 1: 7A1 8B2
woods: 7I2
road dirt: 7H1-7I2-8F1
brush: 8G1
unit A squad 4-6-7 german at 7I2
unit T vehicle german at 7A1: VCA 7A2/7B1
outline woods on 8: 0,0 400,0 400,400
roadblock 7H3-7I4 toward 7I3
expect los 7A1 - 8C1 clear
"""
    board = parse(text)
    assert parse(write(board)) == board
    assert resolve(parse(write(resolve(board)))) == resolve(board)
    assert "brush: 7I2" in write(board)  # It is 8G1, by the name of the board that was laid first.


# --- what is seen


def on_map(board: Board, *, turned: bool, way: str) -> tuple[Position, MapBoard]:
    """A board beside an empty one, with where it lies."""
    other = MapBoard("1", "1", board.grid.cols, board.grid.rows)
    part = MapBoard("2", "2", board.grid.cols, board.grid.rows, turned=turned)
    grid = make_map(place_board(place_board((), other, None), part, (way, "1")))
    made = api.position(Board("m", grid, (PlacedBoard("2", board),)), program())
    return made, made.board.grid.parts[1]


def sights(
    position: Position, ends: list[Location]
) -> dict[frozenset[Location], api.LimitsOrWorker]:
    """Each sight: clear, the Hindrance, and the norm."""
    return {
        frozenset(sight): (verdict.clear, verdict.hindrance)
        for batch in api.matrix(position, ends)
        for sight, verdict in batch.items()
    }


@settings(max_examples=tries(4), deadline=None)
@given(boards(), st.booleans(), st.sampled_from((RIGHT, LEFT, BELOW, ABOVE)))
def test_a_board_sees_on_a_map_what_it_sees_alone(board: Board, turned: bool, way: str) -> None:
    board = within(board)
    alone = api.position(board, program())
    together, part = on_map(board, turned=turned, way=way)
    inner = GridRegion(2, 6, 2, 4)
    ends = [end for end in api.locations(alone) if end.spot in inner]
    moved = {end: Location(part.placed(end.spot), end.floor) for end in ends}  # type: ignore[arg-type]
    for end, there in moved.items():
        assert alone.index.elevation(end) == together.index.elevation(there)
    here = sights(alone, ends)
    there_seen = sights(together, list(moved.values()))
    assert here
    assert {
        frozenset(moved[end] for end in pair): seen for pair, seen in here.items()
    } == there_seen


@settings(max_examples=tries(4), deadline=None)
@given(boards(), st.data())
def test_a_board_that_is_cut_sees_what_it_saw_where_the_cut_is_not_met(
    board: Board, data: st.DataObject
) -> None:
    board = within(board)
    alone = api.position(board, program())
    cols, rows = board.grid.cols, board.grid.rows
    part = MapBoard("2", "2", cols, rows, turned=data.draw(st.booleans()))
    left, top = data.draw(st.integers(0, 3)), data.draw(st.integers(1, 3))
    columns, lines = (left, data.draw(st.integers(5, 8))), (top, data.draw(st.integers(4, 6)))
    (part,) = place_board((), crop(part, columns, lines), None)
    there = api.position(Board("m", make_map((part,)), (PlacedBoard("2", board),)), program())
    field = part.own_field
    gone = {hex_ for hex_ in part.whole.hexes() if hex_ not in field}
    # A building that is cut is another building.
    gone |= {near for hex_ in gone for near in alone.index.wholes.get(hex_, ())}
    # So is one of which an SSR names a hex that is gone, joined to it or not.
    houses = [set(each.hexes) for each in board.statements if isinstance(each, Building)]
    gone |= {hex_ for house in houses if not gone.isdisjoint(house) for hex_ in house}
    ends = [end for end in api.locations(alone) if end.spot in field and end.spot not in gone]
    moved = {end: Location(part.placed(end.spot), end.floor) for end in ends}  # type: ignore[arg-type]
    after = sights(there, list(moved.values()))
    for pair, seen in sights(alone, ends).items():
        one, other = (end.spot.centre for end in (*pair, *pair)[:2])
        if gone.isdisjoint(hexes_near_line(one, other)):
            assert after[frozenset(moved[end] for end in pair)] == seen, pair


def area(pieces: Iterable[Piece]) -> shapely.Geometry:
    return shapely.union_all([shapely.Polygon(piece) for piece in pieces], grid_size=1)


def within_the_seam(board: Board) -> Board:
    """The board level at its rim columns: there the other board has its say of base levels."""
    inner = range(1, board.grid.cols - 1)
    levels = (
        replace(each, hexes=tuple(hex_ for hex_ in each.hexes if hex_.col in inner))
        if isinstance(each, Level)
        else each
        for each in board.statements
    )
    return replace(board, statements=tuple(levels))


@settings(max_examples=tries(15), deadline=None)
@given(drawn_boards(), st.booleans())
def test_drawings_on_a_map_are_those_of_the_board(board: Board, turned: bool) -> None:
    board = within_the_seam(board)
    grid = board.grid
    part = MapBoard("2", "2", grid.cols, grid.rows, turned=turned)
    first = MapBoard("1", "1", grid.cols, grid.rows)
    parts = place_board(place_board((), first, None), part, (RIGHT, "1"))
    shapes = shapes_of(resolve(Board("m", make_map(parts), (PlacedBoard("2", board),))))
    alone, placed = shapes_of(resolve(board)), parts[1]
    for (hex_, kind), pieces in alone.pieces.items():
        if hex_.col in (0, grid.cols - 1):
            continue  # At the seam the other board has its say.
        moved = [tuple(map(placed.placed_point, piece)) for piece in pieces]
        # Default drawings may be cut otherwise; they cover the same.
        assert area(shapes.pieces[placed.placed(hex_), kind]).equals(area(moved))
    for (feature, where), stretches in alone.segments.items():
        there = hexside_between(placed.placed(where.a), placed.placed(where.b))
        if where.a.col > 0 and where.b.col < grid.cols - 1:
            ends = {frozenset(map(placed.placed_point, one)) for one in stretches}
            assert {frozenset(one) for one in shapes.segments[feature, there]} == ends


def archive(number: str) -> Path:
    """A board archive of the game, if there is one here."""
    path = Path(os.environ.get("RULES_ASP_BOARDS", ".")) / f"bd{number}"
    if not path.is_file():
        pytest.skip("no board archives here")
    return path


@slow
def test_a_board_of_the_game_sees_alike_on_a_map() -> None:
    board = api.import_archive(archive("24"))
    whole = MapBoard("24", "24", 33, 10)
    alone = api.position(board, program())
    chance = random.Random(os.environ.get("RULES_ASP_SEED", "1"))
    ends = chance.sample([end for end in api.locations(alone) if 2 < end.spot.col < 30], 46)  # type: ignore[union-attr]
    before = sights(alone, ends)
    other = MapBoard("1", "1", 33, 10)
    lays = [
        place_board((), whole._replace(turned=True), None),
        place_board(place_board((), other, None), whole._replace(turned=True), (RIGHT, "1")),
        place_board(place_board((), other, None), whole, (BELOW, "1")),
    ]
    for parts in lays:
        part, grid = parts[-1], make_map(parts)
        position = api.position(Board("m", grid, (PlacedBoard("24", board),)), program())
        shared = Counter(hex_ for field in grid.fields for hex_ in field.hexes())
        moved = {end: Location(part.placed(end.spot), end.floor) for end in ends}  # type: ignore[arg-type]
        after = sights(position, list(moved.values()))
        compared = 0
        for pair, seen in before.items():
            one, two_ = (end.spot.centre for end in pair) if len(pair) == 2 else (None, None)
            if one is None or two_ is None:
                continue
            if any(shared[part.placed(hex_)] > 1 for hex_ in hexes_near_line(one, two_, 8)):
                continue
            compared += 1
            assert after[frozenset(moved[end] for end in pair)] == seen, pair
        assert compared > 800


# --- texts


def saved(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.board").write_text(text, encoding="utf-8")
    return folder / "map.board"


WEST = 'board "west" grid 9x4\nbuilding gray: I2 H1   joined H1-I2   stairwell H1\nlevel 1: I4\n'
EAST = 'board "east" grid 9x4\nbuilding gray: A2 B1   joined A2-B1\nmonth 7\nexpect los A1 - A2 clear\n'


def test_boards_by_file_are_one_map(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        west=WEST,
        east=EAST,
        map='use "west.board"\nuse "east.board" as 2 right of west\nunit A squad 4-6-7 german at 2B1/1\n',
    )
    position = api.load(path)
    # One building, whose stairwell is on the other board.
    assert api.ask(position, "same_building(fire_spread, westH1, 2B1) = yes").holds
    assert api.ask(position, "height(2B1) = 2 1/2").holds
    found = api.ask(position, 'at("A", L)').found
    assert [each.values for each in found] == [(("L", "2B1/1"),)]
    doubts = [each for each in write(position.board).splitlines() if each.startswith("doubt")]
    assert doubts == ['doubt westI4 "its boards have it at levels: west 1, 2 0"']


@pytest.mark.parametrize(
    ("lines", "place", "problem"),
    [
        ('use "west.board"\nuse "east.board"', (2, 1), "second board: give its position"),
        ('use "west.board"\nuse "east.board" right of wset', (2, 27), "no board wset"),
        (
            'use "west.board"\nwoods: A1\nuse "east.board" below west',
            (3, 1),
            "before the first line",
        ),
        ('use "west.board"\nuse "west.board" below west', (2, 1), "already has a board west"),
        ('use "west.board" only hexrows A-Z', (1, 1), "from A1 to I4"),
        ('use "west.board" only hexrows AB-C', (1, 31), "AB is not a hexrow"),
        (
            'use "west.board" turned\nwoods: A9',
            (2, 8),
            "board .* has no such hex|no board of this map has a hex",
        ),
        (
            'use "west.board"\nuse "east.board" below west below west',
            (2, 35),
            "gives the position of the board twice",
        ),
        # All of whose hexes are named as those of another, which is no matter.
        (
            'use "west.board"\nuse "east.board" right of west\nuse "east.board"',
            (3, 1),
            "give its position",
        ),
        ('use "west.board"\nuse "east.board" abov west', (2, 18), "abov"),
        (
            'use "west.board" only hexrows A-H\nuse "east.board" right of west',
            (2, 27),
            "half a hex",
        ),
        ('use "west.board"\nuse "east.board" right of west\nwoods: B3', (3, 8), "westB3 or eastB3"),
        (
            'use "west.board" as 1\nuse "east.board" turned right of 1\nuse "m.board"',
            (3, 1),
            "second board",
        ),
    ],
)
def test_mistakes_have_their_place(
    tmp_path: Path, lines: str, place: tuple[int, int], problem: str
) -> None:
    path = saved(tmp_path, west=WEST, east=EAST, m='board "m" grid 9x4\n', map=lines + "\n")
    with pytest.raises(BoardError, match=problem) as raised:
        api.load(path)
    found = raised.value.problems[0].place
    assert (found.line, found.column) == place


@pytest.mark.parametrize("text", examples("map"))
def test_the_maps_of_the_readme(tmp_path: Path, text: str) -> None:
    assert len(text.splitlines()) < 15
    for number in ("01", "21", "24"):
        hexes = "FF5 GG5" if number == "21" else "A5"
        board = f'board "{number}" grid 33x10\nbuilding gray: {hexes} U4   stairwell U4\n'
        (tmp_path / f"bd{number}.board").write_text(board, encoding="utf-8")
    overlay = 'board "X1" grid 3x2\nbuilding gray: A1 A2   joined A1-A2\n'
    path = saved(tmp_path, map=text, x1=overlay)
    position = api.load(path, program())
    outcomes = list(expectations(position))
    assert outcomes
    assert [each.answered for each in outcomes if not each.passed] == []


def test_a_building_that_is_cut_stays_of_its_type(tmp_path: Path) -> None:
    text = 'board "b" grid 9x4\nbuilding gray: D2 E2 F2   joined D2-E2 E2-F2   {}\n'
    for symbol, height in (("stairwell F2", "2 1/2"), ("", "1 1/2")):
        path = saved(tmp_path, b=text.format(symbol), map='use "b.board" only hexrows A-D\n')
        position = api.load(path)
        assert api.ask(position, f"height(D2) = {height}").holds
        assert 'doubt D2 "the map ends in its building: 2 hexes of it are cut off"' in write(
            position.board
        )


def test_two_boards_must_agree_on_what_is_said_once(tmp_path: Path) -> None:
    path = saved(
        tmp_path,
        west=WEST + "month 1\n",
        east=EAST,
        map='use "west.board"\nuse "east.board" below west\n',
    )
    with pytest.raises(BoardError, match="give different values for month"):
        api.load(path)


def test_what_a_board_says_of_directions_is_turned_with_it(tmp_path: Path) -> None:
    text = (
        'board "b" grid 5x4\nbuilding gray: B2 C2  joined B2-C2  bar B2-C2 covers 0-20\n'
        "road dirt: B2-B3-C4\nroadblock B2-B3 toward C3\nunit T vehicle german at B3: VCA B2/C3\n"
        "unit A squad 4-6-7 german at B3@B4-C4\n"
    )
    plain = resolve(parse(text))
    path = saved(tmp_path, b=text, map='use "b.board" turned\n')
    turned = api.load(path)
    part = turned.board.grid.parts[0]
    again = write(turned.board)
    # In the board's own names it says what it said.
    assert "roadblock B3-B2 toward C3" in again
    assert "VCA B2/C3" in again
    assert "at B3@C4-B4" in again
    one = shapes_of(plain).segments["bar", hexside_between(Hex(1, 2), Hex(2, 2))][0]
    two_ = turned.shapes.segments[
        "bar", hexside_between(*map(part.placed, (Hex(1, 2), Hex(2, 2))))
    ][0]
    assert {*map(part.placed_point, one)} == {*two_}


def test_norms_on_a_printed_map_know_it_among_others() -> None:
    rules = "rules B23\n"
    alone = api.position(parse('board "12" grid 33x10\n' + rules), program())
    joined_ = api.position(
        parse('board "m"\npart 1 grid 33x10\npart x of "12" grid 33x10 turned below 1\n' + rules),
        program(),
    )
    for position, where in ((alone, "R7"), (joined_, "xR7")):
        found = [each for each in api.check(position).violations if each.norm == "B23.73-5"]
        assert [where in str(each) for each in found] == [True]


def test_changes_are_said_in_the_names_of_the_map() -> None:
    position = api.position(
        parse('board "m"\npart 1 grid 5x4\npart 2 grid 5x4 right of 1\n'), program()
    )
    assert api.los(position, "1D2", "2C2").clear
    woods = position.with_("woods: 2A2 2B2")
    assert not api.los(woods, "1D2", "2C2").clear
    assert "2B2" in write(woods.board)
    assert "1E2" in write(woods.board)  # 2A2, by the name of the board that was laid first.
    assert api.los(woods.without("woods: 1E2 2B2"), "1D2", "2C2").clear


def test_what_a_board_takes_back_of_its_drawings_lies_where_it_lies(tmp_path: Path) -> None:
    drawn = 'board "{}" grid 5x4\noutline woods: 300,100 2500,100 2500,1900 300,1900\n'
    texts = {"a": drawn.format("a"), "b": drawn.format("b") + "undrawn woods: C2\n"}
    two = 'board "m"\nuse "a.board" as 1\nuse "b.board" as 2 right of 1\n'
    pieces = api.load(saved(tmp_path, **texts, map=two)).shapes.pieces
    assert (Hex(2, 2), "woods") in pieces
    assert (Hex(6, 2), "woods") not in pieces
    laid = 'board "m" grid 9x6\noverlay "b.board" A1 on E3\n'
    texts["b"] += "brush: C2 C3\n"
    pieces = api.load(saved(tmp_path, **texts, map=laid)).shapes.pieces
    assert (Hex(6, 4), "woods") not in pieces
    assert (Hex(6, 5), "woods") in pieces


def test_a_hex_goes_by_the_names_that_it_knows() -> None:
    names = map_names(two())
    assert names.text(Hex(20, 4)) == "21U4"
    assert names.text(Hexside(Hex(31, 5), Hex(32, 5))) == "21FF5-21GG5"
    assert str(names.hex(20, 4).neighbour(0)) == "21U3"
    assert str(Hex(20, 4)) == map_names(Grid(33, 10)).text(Hex(20, 4)) == "U4"


# --- overlays, and what is changed by hand


@pytest.mark.parametrize("turns", range(6))
def test_an_overlay_keeps_its_neighbours_however_it_is_turned(turns: int) -> None:
    for own, here in ((Hex(0, 1), Hex(5, 5)), (Hex(3, 2), Hex(8, 3)), (Hex(1, 0), Hex(4, 4))):
        at = OverlayPlacement(own, here, turns)
        assert at.hex(own) == here
        for hex_ in Grid(7, 5).hexes():
            placed = at.hex(hex_)
            assert at.point(hex_.centre) == placed.centre
            for each in range(6):
                assert at.hex(hex_.neighbour(each)) == placed.neighbour(each + turns)
                assert at.point(hex_.corner(each)) == placed.corner(each + turns)


OVERLAY = """board "x" grid 3x2
building gray: A1 A2   joined A1-A2   bar A1-A2 covers 0-20
brush: B1
wall: A1-B1
outline brush: 300,300 600,300 600,700 300,700
"""
GROUND = """board "g" grid 9x6
woods: D3 E3 E4 F3 H2
outline woods: 1300,800 2500,800 2500,1900 1300,1900
road dirt: C3-D3-E3
building brown: E5 F4   joined E5-F4
hedge: E3-E4 E4-F3
level 1: E4
"""


def test_an_overlay_replaces_what_is_beneath(tmp_path: Path) -> None:
    text = 'use "g.board"\noverlay "x.board" A1-A2 on E3-E4\n'
    position = api.load(saved(tmp_path, g=GROUND, x=OVERLAY, map=text))
    said = write(position.board)
    assert "woods: D3 H2" in said
    assert "brush: F3" in said or "brush: F2" in said
    assert "road dirt: C3-D3\n" in said
    assert "building gray: E3 E4   joined E3-E4   bar E3-E4 covers 0-20" in said
    assert "hedge" not in said.replace("hedge: E4-F3", "")
    assert "level 1: E4" in said  # The overlay has no levels: the ground stays.
    kinds = {kind for hex_, kind in position.shapes.pieces if hex_ == Hex(4, 3)}
    assert kinds == {"building"}
    assert (Hex(3, 3), "woods") in position.shapes.pieces
    # Written down and read again it is the same.
    assert resolve(parse(said)) == position.board


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            'overlay "x.board" A1-A2 on E3',
            "is not expected at this position|the text ends before it is complete",
        ),
        ('overlay "x.board" A1 on I6', "would lie outside the map"),
        ('overlay "y.board" A1 on E3', "no file"),
        ('overlay "x.board" A1-A3 on E3-E4', "share no hexside"),
        ("undrawn gras: E3", "rules do not define the terrain gras"),
        ("hex B2 woods no", "there is no woods in B2"),
        ("ground 1: Z9", "outside the map"),
    ],
)
def test_what_cannot_be_laid_over(tmp_path: Path, line: str, problem: str) -> None:
    path = saved(tmp_path, g=GROUND, x=OVERLAY, map=f'use "g.board"\n{line}\n')
    with pytest.raises(BoardError, match=problem) as raised:
        api.load(path)
    assert raised.value.problems[0].place.line == 2


def test_a_drawing_that_misses_the_dot_is_taken_back() -> None:
    text = 'board "g" grid 9x6\ngrain: D4\noutline grain: 1300,1700 1700,1700 1700,2100 1300,2100\n'
    before = api.position(parse(text), program())
    astray = {hex_ for hex_, kind in before.shapes.pieces if kind == "grain"} - {Hex(3, 4)}
    assert astray
    where = min(astray)
    after = before.with_(f"hex {where} grain no")
    assert (where, "grain") not in after.shapes.pieces
    assert (Hex(3, 4), "grain") in after.shapes.pieces
    assert f"undrawn grain: {where}" in write(after.board)
    with pytest.raises(BoardError, match="there is no grain"):
        before.with_("hex A1 grain no")


def test_ground_is_changed_by_hand_with_its_drawing() -> None:
    text = 'board "g" grid 9x6\nlevel 1: E3\noutline ground 1: 1600,1000 2000,1000 2000,1500 1600,1500\n'
    board = parse(text)
    told = {
        change: resolve(parse(text + change)) for change in ("hex G3 level 1\n", "ground 1: G3\n")
    }
    assert drawn_in(board, Hex(6, 3)) == set()
    assert drawn_in(told["ground 1: G3\n"], Hex(6, 3)) == {"ground(2)"}
    flat = resolve(parse(text.replace("level 1: E3\n", "") + "ground 0: E3\n"))
    assert drawn_in(flat, Hex(4, 3)) == set()


def drawn_in(board: Board, where: Hex) -> set[str]:
    """What is drawn in a hex."""
    return {kind for hex_, kind in shapes_of(resolve(board)).pieces if hex_ == where}


# --- scenario terms


def terms(*lines: str) -> Position:
    """A map of two boards with terrain of several kinds, and some lines."""
    text = """board "m"
part 1 grid 9x4
part 2 grid 9x4 right of 1
woods: 1C2 2C2
wall: 1E2-1E3 2E2-2E3
road dirt: 1F2-1F3 2F2-2F3
building gray: 1G2 2G2   stairwell 1G2 2G2
building brown: 1G4 2G4
"""
    return api.position(parse(text), program()).with_(*lines)


@pytest.mark.parametrize(
    ("line", "here", "there"),
    [
        ("treat woods as brush on 2", "woods: 1C2", "brush: 2C2"),
        ("treat wall as bocage on 2", "wall: 1E2-1E3", "bocage: 2E2-2E3"),
        ("treat wall as bocage", "bocage: 1E2-1E3 2E2-2E3", ""),
        ("no wall on 1", "wall: 2E2-2E3", ""),
        ("no road on 2", "road dirt: 1F2-1F3", ""),
        ("treat dirt as paved on 1", "road paved: 1F2-1F3", "road dirt: 2F2-2F3"),
        ("ssr WallsToHedges on 2", "wall: 1E2-1E3", "hedge: 2E2-2E3"),
        ("no woods on 2", "woods: 1C2", "open-ground: 2C2"),
        ("ssr LightWoods on 2", "woods: 1C2", "unknown terrain light-woods: 2C2"),
        ("ssr WallToCactus on 1", "unknown hexside terrain cactus-hedge: 1E2-1E3", "wall: 2E2-2E3"),
    ],
)
def test_all_terrain_of_a_kind_counts_as_another(line: str, here: str, there: str) -> None:
    said = write(terms(line).board).splitlines()
    assert here in said
    assert not there or there in said
    kind = "wall" if "all" in line else "road" if "road" in line else ""
    count = {"no wall on 1": 1, "no road on 2": 1}.get(line)
    assert count is None or sum(each.startswith(kind) for each in said) == count


def test_all_woods_of_the_map_are_left_to_the_rules() -> None:
    clear = terms("no woods")
    assert api.los(clear, "1C1", "1C3").clear
    assert not api.los(terms("month 7"), "1C1", "1C3").clear
    here, there = ("1C1", "1C3"), ("2C1", "2C3")
    on_two = terms("no woods on 2")
    assert not api.los(on_two, *here).clear
    assert api.los(on_two, *there).clear


@pytest.mark.parametrize("on", ["", " on 2"])
def test_terrain_can_count_as_such_as_no_rule_knows(on: str) -> None:
    """Orchards as vineyards: a line through one is unknown, never clear."""
    position = terms("treat woods as unknown terrain vineyard" + on)
    assert api.los(position, "2C1", "2C3").clear is None
    assert (api.los(position, "1C1", "1C3").clear is None) is not bool(on)
    assert "treat woods as unknown terrain vineyard" in write(
        parse('board "m" grid 3x3\ntreat woods as unknown terrain vineyard\n')
    )


def test_all_buildings_are_of_a_kind() -> None:
    def told(position: Position, hex_: str) -> tuple[object, ...]:
        found = api.ask(position, f"height({hex_}) = V, construction({hex_}) = K").found
        return tuple(value for _, value in found[0].values)

    plain = terms("month 7")
    assert told(plain, "1G2") == ("2 1/2", "stone")
    wooden = terms("all buildings wooden")
    assert told(wooden, "1G2") == told(wooden, "2G2") == ("2 1/2", "wooden")
    low = terms("all buildings single-story on 2")
    assert told(low, "1G2") == ("2 1/2", "stone")
    assert told(low, "2G2") == ("1", "stone")
    assert Location(Hex(14, 2), 1) not in api.locations(low)
    assert told(terms("all buildings stone on 1"), "1G4") == ("1", "stone")


@pytest.mark.parametrize("kind", some(["single-story", "stone", "wooden"], 1))
def test_what_is_said_of_all_buildings_makes_no_norms_clash(kind: str) -> None:
    for name in some(sorted(bundled()), 2):
        plain = api.load(name)
        before = api.check(plain).conflicts
        after = api.check(plain.with_(f"all buildings {kind}")).conflicts
        assert set(after) <= set(before), name


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("treat woods as brush on 3", "no board 3; its boards are 1, 2"),
        ("no clif", "did you mean cliff"),
        ("all buildings tall", "single-story, stone or wooden"),
        ("ssr WallsToHedge", "did you mean WallsToHedges"),
        ("treat wall as woods", "not a hexside terrain"),
        ("treat wall as unknown terrain cactus", "wall does not fill a hex"),
        ("treat woods as unknown terrain brush", "the rules define the terrain brush"),
    ],
)
def test_terms_that_are_none(line: str, problem: str) -> None:
    with pytest.raises(BoardError, match=problem):
        terms(line)


@pytest.mark.parametrize("level", part([1, 3, 5], 1))
def test_a_virtual_level_sees_what_the_ground_would_see_there(level: int) -> None:
    text = (
        'board "g" grid 9x6\nbuilding gray: D3 E3   joined D3-E3   stairwell D3\n'
        "woods: F4\nlevel 1: E5 F5\n"
    )
    low = api.position(parse(text), program())
    high = low.with_(f"level {level}: A3")
    ends = [end for end in api.locations(low) if end.floor == 0 and end.spot != Hex(0, 3)]
    eye = api.place(low, f"A3/+{level}")
    assert low.index.elevation(eye) == 2 * level
    for end in ends:
        one, two_ = api.los(low, eye, end), api.los(high, "A3", end)
        assert (one.clear, one.hindrance) == (two_.clear, two_.hindrance), end
    assert str(api.los(low, "A1", eye).b) == f"A3/+{level}"


def test_zeros_before_the_name_of_a_board_do_not_count(tmp_path: Path) -> None:
    for name in ("01", "02"):
        (tmp_path / f"{name}.board").write_text(f'board "{name}" grid 9x6\n')
    there = 'use "01.board"\nuse "02.board" below 1\nunit A squad at 2C1\nunit B squad at 1B3\n'
    (tmp_path / "map.board").write_text(there)
    here = api.load(tmp_path / "map.board")
    assert api.los(here, "1B3", "2C1").a == api.los(here, "01B3", "02C1").a
    (tmp_path / "map.board").write_text('use "01"\n')
    with pytest.raises(BoardError, match="a file such as 01"):
        api.load(tmp_path / "map.board")
