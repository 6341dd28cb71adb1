"""A board as text: hexes with their names, terrain and levels, and the hexsides that matter.

         _____
        /     \\
  _____/  B0   \\       a hex is nine columns wide and four rows high;
 /     \\ woods /       a hexside that a building drawing crosses stays open,
/  A1   \\_____/        one with a black bar is drawn with #
\\       /
 \\_____/
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rules_asp.terms.board import Area, Bar, Board, Building, Level
from rules_asp.terms.grid import Hex, Hexside, side

_COLUMN, _ROW, _HALF = 7, 4, 2
#: Where the characters of a hex's six hexsides stand, as (row, column, character).
_SIDES: tuple[tuple[tuple[int, int, str], ...], ...] = (
    tuple((0, column, "_") for column in range(2, 7)),
    ((1, 7, "\\"), (2, 8, "\\")),
    ((3, 8, "/"), (4, 7, "/")),
    tuple((4, column, "_") for column in range(2, 7)),
    ((3, 0, "\\"), (4, 1, "\\")),
    ((1, 1, "/"), (2, 0, "/")),
)
_COLOURS = {"gray": "stone", "brown": "wood", "disputed": "?"}


def view(board: Board, hexes: Sequence[Hex] = ()) -> str:
    """The board, or the part of it that holds these hexes and their neighbours.

    The board is resolved, as in a Position. Drawings are not shown; every hex stands for itself.
    """
    near = {each for hex_ in hexes for each in (hex_, *hex_.neighbours())}
    shown = [hex_ for hex_ in board.grid.hexes() if not near or hex_ in near]
    if not shown:
        return ""
    left = min(hex_.col for hex_ in shown)
    top = min(_top(hex_) for hex_ in shown)
    width = (max(hex_.col for hex_ in shown) - left) * _COLUMN + 9
    height = max(_top(hex_) for hex_ in shown) - top + 5
    page = [[" "] * width for _ in range(height)]
    words, levels = _words(board), _levels(board)
    joined, bars = _joined(board), _bars(board)
    for hex_ in shown:
        x, y = (hex_.col - left) * _COLUMN, _top(hex_) - top
        for direction, characters in enumerate(_SIDES):
            there = side(hex_, hex_.neighbour(direction))
            for row, column, character in characters:
                if there in bars:
                    character = "#"
                elif there in joined:
                    character = " "
                page[y + row][x + column] = character
        level = levels.get(hex_, 0)
        name = f"{hex_}{level:+}" if level else str(hex_)
        for row, text in ((2, name), (3, words.get(hex_, ""))):
            for place, character in enumerate(text[:7].center(7)):
                if character != " ":
                    page[y + row][x + 1 + place] = character
    return "\n".join("".join(line).rstrip() for line in page).strip("\n") + "\n"


def _top(hex_: Hex) -> int:
    """The row of the page on which a hex begins, the first hex of column A beginning on row 4."""
    return hex_.row * _ROW + (_HALF if hex_.col % 2 else 0)


def _words(board: Board) -> dict[Hex, str]:
    """What is drawn in hexes: a building, with a star for a stairwell symbol, or a terrain."""
    words: dict[Hex, str] = {}
    for each in board.statements:
        if isinstance(each, Building):
            for hex_ in each.hexes:
                words[hex_] = _COLOURS[each.colour] + "*" * (hex_ in each.stairwells)
        elif isinstance(each, Area):
            for hex_ in each.hexes:
                words.setdefault(hex_, each.kind.replace("_", "-"))
    return words


def _levels(board: Board) -> dict[Hex, int]:
    levels = (each for each in board.statements if isinstance(each, Level))
    return {hex_: each.level for each in levels for hex_ in each.hexes}


def _joined(board: Board) -> set[Hexside]:
    buildings = (each for each in board.statements if isinstance(each, Building))
    return {each for building in buildings for each in building.joined}


def _bars(board: Board) -> set[Hexside]:
    found: Iterable[Bar] = (
        bar
        for each in board.statements
        for bar in (each.bars if isinstance(each, Building) else (each,))
        if isinstance(bar, Bar)
    )
    return {bar.side for bar in found}
