"""Which boards are the same but for a turn, a mirror, a shift, or other names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from rules_asp.lab.boards.witnesses import Witness
from rules_asp.parser import write
from rules_asp.terms.board import Board, UnitStatement

_Cube = tuple[int, int, int]
#: A hex in a board's text; a name in quotes; what else is a word.
_PLACE = re.compile(r"(?<![\w.])([A-Z]{1,2})(\d{1,2})(?![\w])")
#: What it has of sections, which are called as hexes are.
_RULES = "rules "
_NAME = re.compile(r'"[^"]*"')
_SIDES = ("german", "russian")
#: How a building begins in a board's text.
_COLOUR = re.compile(r"building \w+:")


def canonical_board(board: Board, coloured: bool = True) -> str:
    """A text that boards share which are the same but for where they lie, and what they are called.

    Not `coloured`: and but for the colours of their buildings.

    What points in a direction, as a vehicle does, is not turned with the board: such boards may count
    as unlike though they are alike, never the other way.
    """
    text = write(Board("", board.grid, board.statements))
    text = text if coloured else _COLOUR.sub("building:", text)
    units = [each.name for each in board.statements if isinstance(each, UnitStatement)]
    lines = [_quoted(line, units) for line in text.split("\n")[1:]]
    rules = [line for line in lines if line.startswith(_RULES)]
    lines = [line for line in lines if not line.startswith(_RULES)]
    places = sorted({_hex(found) for line in lines for found in _PLACE.finditer(line)})
    turned = (_renamed(lines, {place: turn(_cube(place)) for place in places}) for turn in _turns())
    return "\n".join((*rules, min(turned)))


def canonical_witness(witness: Witness) -> str:
    """A text that witnesses share of which a claim needs one alone.

    Their boards are alike, or of other colours, and what their questions tell is the same but for
    places and names.
    """
    told = _NAME.sub("", _PLACE.sub("", str(witness.query)))
    return f"{canonical_board(witness.board, coloured=False)}\n{told}"


def _quoted(line: str, units: Iterable[str]) -> str:
    """A line with the names of units in quotes throughout."""
    for unit in units:
        line = re.sub(rf'(?<![\w"]){re.escape(unit)}(?![\w"])', f'"{unit}"', line)
    return line


def _hex(found: re.Match[str]) -> tuple[str, int]:
    return found[1], int(found[2])


def _cube(place: tuple[str, int]) -> _Cube:
    """A hex on three axes, of which the sum is 0."""
    letters, row = place
    column = ord(letters[0]) - ord("A") + 26 * (len(letters) - 1)
    down = row - column // 2
    return column, down, -column - down


def _turns() -> Iterator[Callable[[_Cube], _Cube]]:
    def turned(times: int, mirrored: bool) -> Callable[[_Cube], _Cube]:
        def turn(cube: _Cube) -> _Cube:
            q, r, s = cube
            if mirrored:
                q, r = r, q
            for _ in range(times):
                q, r, s = -r, -s, -q
            return q, r, s

        return turn

    for times in range(6):
        for mirrored in (False, True):
            yield turned(times, mirrored)


def _renamed(lines: list[str], to: dict[tuple[str, int], _Cube]) -> str:
    """The lines with places turned and shifted, and names as they come."""
    least = [min((cube[axis] for cube in to.values()), default=0) for axis in (0, 1)]

    def place(found: re.Match[str]) -> str:
        q, r, _ = to[_hex(found)]
        return f"<{q - least[0]:02},{r - least[1]:02}>"

    def said(swap: bool) -> str:
        names: dict[str, str] = {}

        def name(found: re.Match[str]) -> str:
            return names.setdefault(found[0], f"[{len(names)}]")

        # The words of a line are ordered as it then is.
        told = (_PLACE.sub(place, _sides_as(line, swap)) for line in lines if line.strip())
        return "\n".join(_NAME.sub(name, line) for line in sorted(map(_ordered, told)))

    return min(map(said, (False, True)))


def _ordered(line: str) -> str:
    """A line with the hexes of each hexside, and lists of places, in one order."""
    line = re.sub(r"(<[^>]*>)-(<[^>]*>)", lambda each: "-".join(sorted(each.groups())), line)
    words = line.split(" ")
    return " ".join((words[0], *sorted(words[1:]))) if words else line


def _sides_as(line: str, swap: bool) -> str:
    """A line, with each side as the other if so said."""
    if not swap:
        return line
    one, other = _SIDES
    return line.replace(one, "\0").replace(other, one).replace("\0", other)
