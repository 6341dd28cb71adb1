"""A board as text: hexes with their names, terrain and levels, and the hexsides that matter.

         _____
        /     \
  _____/  B0   \\       a hex is nine columns wide and four rows high;
 /     \\ woods /       a hexside that a building drawing crosses stays open, others are
/  A1   \\_____/        drawn with the letter of what lies on them
\\  2u   /
 \\__=__/              marks stand above the name; here a road crosses the hexside

What a mark stands for is told below the map, and in the words of the board what stands in each hex. A map
that is wider than a page comes in parts.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from rules_asp.drawing.canvas import Scene, make_scene
from rules_asp.game.board import Board, Building, Fact, UnitStatement
from rules_asp.game.grid import (
    COLUMN_STEP,
    ROW_STEP,
    Hex,
    Hexside,
    Location,
    Point,
    Vertex,
    column_name,
    hex_of_spot,
    hexside_between,
)
from rules_asp.game.values import Term, quoted, word_text
from rules_asp.parser.writer import statement_text
from rules_asp.positions.position import Position
from rules_asp.queries.los import Los

_COLUMN, _ROW, _HALF = 7, 4, 2
#: The page width in characters, and the hex columns that fit.
_PAGE = 100
_PER_PAGE = (_PAGE - 9) // _COLUMN + 1
#: The characters of a hex's six hexsides, as (row, column, character).
_SIDES: tuple[tuple[tuple[int, int, str], ...], ...] = (
    tuple((0, column, "_") for column in range(2, 7)),
    ((1, 7, "\\"), (2, 8, "\\")),
    ((3, 8, "/"), (4, 7, "/")),
    tuple((4, column, "_") for column in range(2, 7)),
    ((3, 0, "\\"), (4, 1, "\\")),
    ((1, 1, "/"), (2, 0, "/")),
)
#: The fields of a hex: row, first column, number of letters.
_MARKS, _NAME, _WORD = (1, 2, 5), (2, 1, 7), (3, 1, 7)
_COLOURS = {"gray": "stone", "brown": "wood", "disputed": "?"}
#: The letters of features along a hexside, and of those that cross it, in its middle.
_ALONG = {"wall": "w", "hedge": "h", "cliff": "c", "bocage": "b", "bar": "#", "road_along": ":"}
_ACROSS = {"road": "=", "breach": "%", "hidden_breach": "%", "roadblock": "X"}
#: The marks of single facts; `+` is for other features that the key lists.
_LETTERS = {"rubble": "r", "fortified": "f", "factory": "F"}
_ELSE, _UNIT, _LINE, _STAIRS = "+", "u", "o", "*"
_SENSES = {
    "road_along": "narrow street",
    "hidden_breach": "breach",
    _ELSE: "more, told below",
    _UNIT: "units",
    _LINE: "the line of sight",
    _STAIRS: "stairwell",
}


def view(thing: Position | Board, hexes: Sequence[Hex] = (), line: Los | None = None) -> str:
    """Return the board, or these hexes and their neighbors, as text, perhaps with a line.

    A plain Board is resolved. Depictions are not shown, only hexes. Lines have at most 100
    characters.
    """
    what = make_scene(thing)
    near = {each for hex_ in hexes for each in (hex_, *hex_.neighbours())}
    shown = [hex_ for hex_ in what.notation.names.hexes() if not near or hex_ in near]
    if not shown:
        return ""
    pages = _pages(shown)
    page = _Page(what, line)
    drawn = []
    for part in pages:
        heading = f"{column_name(part[0].col)} to {column_name(part[-1].col)}\n"
        drawn.append((heading if len(pages) > 1 else "") + page.drawn(part))
    below = [*page.key(), *page.hex_lines(shown)]
    return "\n".join(drawn) + "".join(f"{each}\n" for each in below)


def _pages(shown: Sequence[Hex]) -> list[list[Hex]]:
    """Return the hexes by parts of the map that fit on a page."""
    first = min(hex_.col for hex_ in shown)
    parts: dict[int, list[Hex]] = {}
    for hex_ in shown:
        parts.setdefault((hex_.col - first) // _PER_PAGE, []).append(hex_)
    return [parts[each] for each in sorted(parts)]


class _Page:
    """The text under construction: the contents of the board, and the used marks."""

    def __init__(self, what: Scene, line: Los | None) -> None:
        self.what = what
        self.line = line
        self.used: dict[str, str] = {}
        self.bases = what.bases()
        self.words = self.short(dict(_words(what)))
        self.stairs = {hex_ for hex_, _ in what.hexes("stairwell_symbol")}
        self.joined = {where for where, _ in what.sides("joined")}
        self.along = dict(_on_sides(what, _ALONG))
        self.across = dict(_on_sides(what, _ACROSS))
        self.below = _features_below(what)

    def short(self, words: dict[Hex, str]) -> dict[Hex, str]:
        """Return words that fit into a hex; a word that is too long is explained in the key."""
        room = _WORD[2] - 1
        long = sorted({each for each in words.values() if len(each) > room + 1})
        codes = {each: f"{each[: room - len(str(at))]}{at}" for at, each in enumerate(long, 1)}
        self.codes = codes
        return {hex_: codes.get(each, each) for hex_, each in words.items()}

    def drawn(self, part: Sequence[Hex]) -> str:
        """Return a part of the map as text."""
        left = min(hex_.col for hex_ in part)
        top = min(_top(hex_) for hex_ in part)
        width = (max(hex_.col for hex_ in part) - left) * _COLUMN + 9
        height = max(_top(hex_) for hex_ in part) - top + 5
        page = [[" "] * width for _ in range(height)]
        for hex_ in part:
            y, x = _top(hex_) - top, (hex_.col - left) * _COLUMN
            for direction in range(6):
                for row, column, letter in self.edge(hex_, direction):
                    page[y + row][x + column] = letter
        if self.line is not None:
            self.trace(page, left, top)
        for hex_ in part:
            y, x = _top(hex_) - top, (hex_.col - left) * _COLUMN
            for (row, column, room), text in zip(
                (_MARKS, _NAME, _WORD), self.texts(hex_), strict=True
            ):
                for place, letter in enumerate(text.center(room)):
                    if letter != " ":
                        page[y + row][x + column + place] = letter
        return "\n".join("".join(line).rstrip() for line in page).strip("\n") + "\n"

    def edge(self, hex_: Hex, direction: int) -> Iterator[tuple[int, int, str]]:
        """Yield the characters of a hexside."""
        there = hexside_between(hex_, hex_.neighbour(direction))
        along, across = self.along.get(there), self.across.get(there)
        places = _SIDES[direction]
        for at, (row, column, letter) in enumerate(places):
            if across is not None and at == (len(places) - 1) // 2:
                yield row, column, self.use(_ACROSS[across], across)
            elif along is not None:
                yield row, column, self.use(_ALONG[along], along)
            else:
                yield row, column, " " if there in self.joined else letter

    def texts(self, hex_: Hex) -> tuple[str, str, str]:
        """Return the marks of a hex, its name with its level, and its terrain or building."""
        marks = self.marks(hex_)
        level = self.bases.get(hex_, 0) // 2
        name = f"{hex_}{level:+}" if level else str(hex_)
        word = self.words.get(hex_, "")
        if hex_ in self.stairs:
            word += self.use(_STAIRS, _STAIRS)
        return marks, name, word

    def marks(self, hex_: Hex) -> str:
        """Return a letter for each listed feature; units are counted."""
        units, others = 0, {}
        for name, _ in self.below.get(hex_, ()):
            if name == "unit":
                units += 1
            elif name not in _UNMARKED:
                letter = _LETTERS.get(name, _ELSE)
                others[self.use(letter, name if letter != _ELSE else _ELSE)] = name
        if hex_ in set(self.what.true_of("factory")):
            others[self.use(_LETTERS["factory"], "factory")] = "factory"
        count = f"{units if units > 1 else ''}{self.use(_UNIT, _UNIT)}" if units else ""
        letters = count + "".join(sorted(others))
        room = _MARKS[2]
        return letters if len(letters) <= room else letters[: room - 1] + self.use(_ELSE, _ELSE)

    def use(self, letter: str, what: str) -> str:
        """Return a letter, and add it to the key."""
        self.used.setdefault(letter, _SENSES.get(what, what.replace("_", " ")))
        return letter

    def trace(self, page: list[list[str]], left: int, top: int) -> None:
        """Draw the line of sight into free characters."""
        assert self.line is not None
        one, two = (_letter(each.spot.centre) for each in (self.line.a, self.line.b))
        count = 2 * int(max(abs(two[0] - one[0]), abs(two[1] - one[1]))) + 1
        for at in range(count + 1):
            share = at / count
            column = round(one[0] + (two[0] - one[0]) * share) - left * _COLUMN
            row = round(one[1] + (two[1] - one[1]) * share) - top
            if 0 <= row < len(page) and 0 <= column < len(page[row]) and page[row][column] in " _":
                page[row][column] = self.use(_LINE, _LINE)

    def key(self) -> list[str]:
        """Return the meanings of the letters."""
        parts = [f"{letter} {sense}" for letter, sense in self.used.items()]
        parts += [f"{code} = {word}" for word, code in self.codes.items()]
        return textwrap.wrap("; ".join(parts), _PAGE) if parts else []

    def hex_lines(self, shown: Iterable[Hex]) -> list[str]:
        """Return the contents of each hex, in the board language."""
        lines: list[str] = []
        for hex_ in shown:
            for text in dict.fromkeys(text for _, text in self.below.get(hex_, ())):
                lines += textwrap.wrap(
                    f"{hex_}  {text}", _PAGE, subsequent_indent="    ", break_on_hyphens=False
                )
        return lines


def _top(hex_: Hex) -> int:
    """Return the first row of a hex on the page; the first hex of column A begins on row 4."""
    return hex_.row * _ROW + (_HALF if hex_.col % 2 else 0)


def _letter(point: Point) -> tuple[float, float]:
    """Return the column and row of a lattice point on the page."""
    return point.x / COLUMN_STEP * _COLUMN + 4, point.y / ROW_STEP * _ROW + 4.4


def _words(what: Scene) -> Iterator[tuple[Hex, str]]:
    """Yield the terrain or building of each hex; a building takes precedence."""
    for hex_, (kind, *_) in what.hexes("terrain"):
        yield hex_, word_text(str(kind), "terrain")
    for hex_, _ in what.hexes("striped"):
        yield hex_, "lumberyard"
    for hex_, (colour, *_) in what.hexes("depicts"):
        yield hex_, _COLOURS[str(colour)]


def _on_sides(what: Scene, letters: dict[str, str]) -> Iterator[tuple[Hexside, str]]:
    """Yield the features with a letter that are along or across hexsides."""
    for name in letters:
        for where, _ in what.sides(name):
            yield where, name
    for where, (kind, *_) in what.sides("side_terrain"):
        if kind in letters:
            yield where, str(kind)


#: Features that are drawn in full, and features that are listed without a mark.
_DRAWN, _UNMARKED = frozenset(("road_along",)), frozenset(("named", "roadblock", "breach"))


def _features_below(what: Scene) -> dict[Hex, list[tuple[str, str]]]:
    """Return the features listed below the map, by hex: input and board text."""
    found: dict[Hex, list[tuple[str, str]]] = {}
    for each in what.board.statements:
        if isinstance(each, Building) and each.name is not None:
            found.setdefault(min(each.hexes), []).append(("named", quoted(each.name)))
        elif isinstance(each, UnitStatement | Fact):
            name = "unit" if isinstance(each, UnitStatement) else each.name
            places = [*_hexes(each)] if name not in _DRAWN else []
            for hex_ in dict.fromkeys(places[:1]):
                found.setdefault(hex_, []).append((name, statement_text(each, what.notation)))
    built = {hex_ for hex_, _ in what.hexes("depicts")}
    for hex_, (kind, *_) in what.hexes("terrain"):
        if hex_ in built:
            found.setdefault(hex_, []).append(("terrain", word_text(str(kind), "terrain")))
    for hex_, _ in what.hexes("dashed"):
        found.setdefault(hex_, []).append(("dashed", "marketplace"))
    return found


def _hexes(statement: UnitStatement | Fact) -> Iterator[Hex]:
    """Yield the hexes of a statement; for a unit, its hex."""
    if isinstance(statement, UnitStatement):
        facts = [each for each in statement.facts if each.name == "at"]
    else:
        facts = [statement]
    for fact in facts:
        for value in fact.args:
            yield from _hex_of(value)


def _hex_of(value: Term) -> Iterator[Hex]:
    if isinstance(value, Location):
        yield hex_of_spot(value.spot)
    elif isinstance(value, Vertex):
        yield value.hex
    elif isinstance(value, Hexside):
        yield value.a
    elif isinstance(value, Hex):
        yield value
