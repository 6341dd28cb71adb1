"""Symmetries of the hex grid: images of hexes and vertices, and equality of boards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from rules_asp.game.board import Board, UnitStatement
from rules_asp.game.grid import Grid, Hex, Spot, Vertex
from rules_asp.parser import write

# --- Rotations and reflections, in cube coordinates.


_Cube = tuple[int, int, int]
#: A symmetry of a grid; it also maps the hexes outside the grid.
Symmetry = Callable[[Hex], Hex]


def cube_of(hex_: Hex) -> _Cube:
    """Return a hex in cube coordinates, whose sum is 0."""
    down = hex_.row - hex_.col // 2
    return hex_.col, down, -hex_.col - down


def _hex(cube: _Cube) -> Hex:
    """Return the hex with these cube coordinates."""
    column, down, _ = cube
    return Hex(column, down + column // 2)


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


def symmetries(grid: Grid) -> Iterator[Symmetry]:
    """Yield the rotations and reflections, each with a translation, that map a grid to itself."""
    cubes = {cube_of(hex_) for hex_ in grid.hexes()}
    for turn in _turns():
        # A translation keeps the order of cubes.
        pair = zip(min(cubes), min(map(turn, cubes)), strict=True)
        symmetry = partial(_moved, turn, tuple(one - other for one, other in pair))
        if {cube_of(symmetry(hex_)) for hex_ in grid.hexes()} == cubes:
            yield symmetry


def _moved(turn: Callable[[_Cube], _Cube], by: tuple[int, ...], hex_: Hex) -> Hex:
    q, r, s = (each + more for each, more in zip(turn(cube_of(hex_)), by, strict=True))
    return _hex((q, r, s))


def images(grid: Grid, start: Hex | None, in_bypass: bool) -> Iterator[Spot]:
    """Yield each spot of a grid that is the image of an earlier spot under a symmetry.

    start: the symmetries keep this hex. in_bypass: vertices of the start are among these spots; the
    symmetries of the hexes keep all others.
    """
    group = [each for each in symmetries(grid) if start is None or each(start) == start]
    if start is not None and in_bypass:
        beside = [{start.neighbour(corner), start.neighbour(corner + 1)} for corner in range(6)]
        moves = [[beside.index({*map(each, pair)}) for pair in beside] for each in group]
        first = [corner for corner in range(6) if all(to[corner] >= corner for to in moves)]
        yield from (Vertex(start, corner) for corner in range(6) if corner not in first)
        both = zip(group, moves, strict=True)
        group = [each for each, to in both if all(to[corner] == corner for corner in first)]
    yield from (hex_ for hex_ in grid.hexes() if any(each(hex_) < hex_ for each in group))


# --- Equality of boards under rotation, reflection, translation and renaming.


#: A hex in a board's text; a quoted name; any other word.
_PLACE = re.compile(r"(?<![\w.])([A-Z]{1,2})(\d{1,2})(?![\w])")
#: The line of sections, which are named like hexes.
_RULES = "rules "
_NAME = re.compile(r'"[^"]*"')
_SIDES = ("german", "russian")
#: The beginning of a building in a board's text.
_COLOUR = re.compile(r"building \w+:")


def canonical_board(board: Board, coloured: bool = True) -> str:
    """Return a text that is equal for boards that differ only in position and names.

    Not `coloured`: they may also differ in the colors of buildings.

    A vertex is written with two hexes in a fixed order, which a reflection can reverse. So equal
    boards may get different texts, but different boards never get the same text.
    """
    text = write(Board("", board.grid, board.statements))
    text = text if coloured else _COLOUR.sub("building:", text)
    units = [each.name for each in board.statements if isinstance(each, UnitStatement)]
    lines = [_quoted(line, units) for line in text.split("\n")[1:]]
    rules = [line for line in lines if line.startswith(_RULES)]
    lines = [line for line in lines if not line.startswith(_RULES)]
    places = sorted({_place(found) for line in lines for found in _PLACE.finditer(line)})
    turned = (
        _renamed(lines, {place: turn(cube_of(place)) for place in places}) for turn in _turns()
    )
    return "\n".join((*rules, min(turned)))


def without_names(text: str) -> str:
    """Return a text without its places and quoted names."""
    return _NAME.sub("", _PLACE.sub("", text))


def _quoted(line: str, units: Iterable[str]) -> str:
    """Return a line with the names of units quoted."""
    for unit in units:
        line = re.sub(rf'(?<![\w"]){re.escape(unit)}(?![\w"])', f'"{unit}"', line)
    return line


def _place(found: re.Match[str]) -> Hex:
    letters = found[1]
    return Hex(ord(letters[0]) - ord("A") + 26 * (len(letters) - 1), int(found[2]))


def _renamed(lines: list[str], to: dict[Hex, _Cube]) -> str:
    """Return the lines with places transformed, and names numbered in order."""
    least = [min((cube[axis] for cube in to.values()), default=0) for axis in (0, 1)]

    def place(found: re.Match[str]) -> str:
        q, r, _ = to[_place(found)]
        return f"<{q - least[0]:02},{r - least[1]:02}>"

    def said(swap: bool) -> str:
        names: dict[str, str] = {}

        def name(found: re.Match[str]) -> str:
            return names.setdefault(found[0], f"[{len(names)}]")

        # Sort the words of a line after the transformation.
        told = (_PLACE.sub(place, _sides_as(line, swap)) for line in lines if line.strip())
        return "\n".join(_NAME.sub(name, line) for line in sorted(map(_ordered, told)))

    return min(map(said, (False, True)))


def _ordered(line: str) -> str:
    """Return a line with hexsides and lists of places in a fixed order."""
    line = re.sub(r"(<[^>]*>)-(<[^>]*>)", lambda each: "-".join(sorted(each.groups())), line)
    words = line.split(" ")
    return " ".join((words[0], *sorted(words[1:]))) if words else line


def _sides_as(line: str, swap: bool) -> str:
    """Return a line with the sides swapped if `swap`."""
    if not swap:
        return line
    one, other = _SIDES
    return line.replace(one, "\0").replace(other, one).replace("\0", other)
