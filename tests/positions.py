"""Random small positions for the tests of answers: buildings with symbols, SSRs, rubble, slopes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations

from hypothesis import strategies as st

from rules_asp.game.board import (
    Area,
    Bar,
    Board,
    Building,
    Fact,
    HexsideTerrain,
    Level,
    Statement,
    UnitStatement,
)
from rules_asp.game.grid import Grid, Hex, Hexside, Location, hexside_between
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program

GRID = Grid(5, 3)
HEXES = GRID.hexes()
SIDES = tuple(
    sorted({hexside_between(h, n) for h in HEXES for n in h.neighbours() if n in set(HEXES)})
)


@cache
def program() -> Program:
    """The shipped knowledge base, read once."""
    return load_program()


def _some(of: tuple[Hex, ...] | tuple[Hexside, ...], most: int) -> st.SearchStrategy[list[object]]:
    return st.lists(st.sampled_from(of), max_size=most, unique=True)


@st.composite
def boards(draw: st.DrawFn) -> Board:
    """A board of 5 by 3 hexes with up to three buildings and a bit of everything that bears on LOS."""
    free = list(HEXES)
    statements: list[Statement] = []
    ssrs: list[Statement] = []
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.sampled_from(free))
        hexes = [start]
        for _ in range(draw(st.integers(0, 4))):
            around = [n for h in hexes for n in h.neighbours() if n in free and n not in hexes]
            if around:
                hexes.append(draw(st.sampled_from(around)))
        free = [h for h in free if h not in hexes]
        inner = [hexside_between(a, b) for a, b in combinations(hexes, 2) if b in a.neighbours()]
        joined = [one for one in inner if draw(st.integers(0, 5))]
        covers = st.sampled_from((None, None, (0, 20), (25, 60)))
        bars = [Bar(one, draw(covers)) for one in joined if not draw(st.integers(0, 3))]
        stairwells = [h for h in hexes if not draw(st.integers(0, 2))]
        colour = draw(st.sampled_from(("gray", "brown")))
        statements.append(
            Building(colour, tuple(hexes), None, tuple(joined), tuple(stairwells), tuple(bars))
        )
        if not draw(st.integers(0, 3)):
            ssrs.append(Fact("ssr_factory", (start,)))
        elif not draw(st.integers(0, 5)):
            ssrs.append(
                Fact("ssr_third_level", (start, draw(st.sampled_from(("hex", "building")))))
            )
        if not draw(st.integers(0, 5)):
            ssrs.append(Fact("rubble", (draw(st.sampled_from(hexes)), "stone")))
        for bar in bars:
            if not draw(st.integers(0, 2)):
                ssrs.append(Fact("breach", (bar.side, 0)))
        if not free:
            break
    for kind in draw(
        st.lists(st.sampled_from(("woods", "orchard", "grain", "gully")), max_size=3, unique=True)
    ):
        statements.append(Area(kind, tuple(draw(_some(HEXES, 4)))))  # type: ignore[arg-type]
    if draw(st.booleans()):
        level = draw(st.sampled_from((-1, 1)))
        statements.append(Level(level, tuple(draw(_some(HEXES, 5)))))  # type: ignore[arg-type]
    for side_kind in ("wall", "cliff"):
        statements.append(HexsideTerrain(side_kind, tuple(draw(_some(SIDES, 4)))))  # type: ignore[arg-type]
    if draw(st.booleans()):
        ssrs.append(Fact("ssr_rooftops"))
    kept = (one for one in statements if not isinstance(one, Area | Level) or one.hexes)
    return Board("any", GRID, (*kept, *dict.fromkeys(ssrs)))


def mirrored(board: Board) -> Board:
    """The board seen in a mirror, left and right exchanged."""
    return _moved(board, mirror, flips=True)


def mirror(hex_: Hex) -> Hex:
    """Where a hex lies in a mirror."""
    return Hex(GRID.cols - 1 - hex_.col, hex_.row)


def turned(board: Board) -> Board:
    """The board turned by 180 degrees."""
    return _moved(board, turn, flips=True)


def turn(hex_: Hex) -> Hex:
    """Where a hex lies after a turn by 180 degrees."""
    rows = GRID.rows if hex_.col % 2 else GRID.rows + 1
    return Hex(GRID.cols - 1 - hex_.col, rows - hex_.row)


def within(board: Board) -> Board:
    """The board as a part of a larger one, so that no line runs along the rim."""
    return replace(_moved(board, shift, flips=False), grid=Grid(GRID.cols + 6, GRID.rows + 4))


def shifted(board: Board) -> Board:
    """The same, two columns and a row further."""
    further = _moved(_moved(board, shift, flips=False), shift, flips=False)
    return replace(further, grid=Grid(GRID.cols + 6, GRID.rows + 4))


def shift(hex_: Hex) -> Hex:
    """Where a hex lies after the shift."""
    return Hex(hex_.col + 2, hex_.row + 1)


def _moved(board: Board, move: object, flips: bool) -> Board:
    def to(hex_: Hex) -> Hex:
        return move(hex_)  # type: ignore[operator,no-any-return]

    def across(where: Hexside) -> Hexside:
        return hexside_between(to(where.a), to(where.b))

    def bar(one: Bar) -> Bar:
        covers = one.covers
        if covers and flips:
            covers = 60 - covers[1], 60 - covers[0]
        return Bar(across(one.side), covers)

    def term(value: object) -> object:
        if isinstance(value, Hexside):
            return across(value)
        if isinstance(value, Location):
            return moved_location(value, move)
        return to(value) if isinstance(value, Hex) else value

    def given(one: Fact) -> Fact:
        return replace(one, args=tuple(map(term, one.args)))  # type: ignore[arg-type]

    moved: list[Statement] = []
    for one in board.statements:
        match one:
            case Building():
                moved.append(
                    replace(
                        one,
                        hexes=tuple(map(to, one.hexes)),
                        joined=tuple(map(across, one.joined)),
                        stairwells=tuple(map(to, one.stairwells)),
                        bars=tuple(map(bar, one.bars)),
                    )
                )
            case Area() | Level():
                moved.append(replace(one, hexes=tuple(map(to, one.hexes))))
            case HexsideTerrain():
                moved.append(replace(one, sides=tuple(map(across, one.sides))))
            case Fact():
                moved.append(given(one))
            case UnitStatement():
                moved.append(replace(one, facts=tuple(map(given, one.facts))))
            case _:
                raise AssertionError(one)
    return replace(board, statements=tuple(moved))


def moved_location(where: Location, move: object) -> Location:
    """A Location after a move of its hex."""
    assert isinstance(where.spot, Hex)
    return Location(move(where.spot), where.floor)  # type: ignore[operator]


#: Changes that change nothing: what is done first, the change, and where each hex then lies.
CHANGES = [(None, mirrored, mirror), (None, turned, turn), (within, shifted, shift)]
