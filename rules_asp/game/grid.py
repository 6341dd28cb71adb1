"""Hexes, hexsides, vertices and Locations: their names, their terms and their lattice coordinates.

A hex is (column, row): A is column 0, the row is the number printed in the hex. Columns B, D, F...
start half a hex higher than their neighbors, so a standard board has A1..A10 but B0..B10. On a map
of several boards, columns and rows continue from board to board, and hexes have the names of their
boards (`rules_asp.game.map_layout`).

All measuring uses one lattice: columns are 450 apart, rows 516, x runs right and y down, and one
VASL pixel is 8 units, so that every center, vertex, hexside midpoint and pixel corner is an
integer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

COLUMN_STEP = 450
ROW_STEP = 516

#: Corner i of a hex is between hexsides i and i+1; an offset from the center.
CORNERS = ((150, -258), (300, 0), (150, 258), (-150, 258), (-300, 0), (-150, -258))

_HEX_NAME = re.compile(r"(?P<board>[0-9A-Za-z]*?)(?P<column>([A-Z])\3?)(?P<row>[0-9]{1,3})")


class Point(NamedTuple):
    """A point of the lattice."""

    x: int
    y: int


class Hex(NamedTuple):
    """A hex of the map: column (A is 0) and the printed row number."""

    col: int
    row: int

    def __str__(self) -> str:
        return column_name(self.col) + str(self.row)

    @property
    def has_name(self) -> bool:
        """Return whether the hex can have a name, on the map or next to it."""
        return 0 <= self.col < 52 and 0 <= self.row < 1000

    @property
    def term(self) -> str:
        """The hex as a term of facts: (column, row)."""
        return f"({self.col},{self.row})"

    @property
    def centre(self) -> Point:
        """The center dot, in lattice units."""
        return Point(COLUMN_STEP * self.col, ROW_STEP * self.row - (0 if self.col % 2 else 258))

    def corner(self, corner: int) -> Point:
        """The vertex between hexsides `corner` and `corner + 1`, in lattice units."""
        dx, dy = CORNERS[corner % 6]
        x, y = self.centre
        return Point(x + dx, y + dy)

    def neighbour(self, direction: int) -> Hex:
        """The hex across hexside `direction` (0 is N, clockwise), on the map or not."""
        lower = self.col % 2
        dcol, drow = (
            (0, -1),
            (1, 0 if lower else -1),
            (1, 1 if lower else 0),
            (0, 1),
            (-1, 1 if lower else 0),
            (-1, 0 if lower else -1),
        )[direction % 6]
        return Hex(self.col + dcol, self.row + drow)

    def neighbours(self) -> tuple[Hex, ...]:
        """The six hexes around this one, clockwise from N, on the map or not."""
        return tuple(self.neighbour(direction) for direction in range(6))

    def range_to(self, other: Hex) -> int:
        """Return the range in hexes."""
        d_col = abs(self.col - other.col)
        # Cube coordinates with z along the columns of hexes, doubled to stay integral.
        d_y = abs(self.centre.y - other.centre.y) // 258
        return d_col + max(0, (d_y - d_col) // 2)


class Hexside(NamedTuple):
    """The side shared by two neighboring hexes, the smaller hex first."""

    a: Hex
    b: Hex

    def __str__(self) -> str:
        return f"{self.a}-{self.b}"

    @property
    def term(self) -> str:
        """The hexside as a term of facts."""
        return f"e({self.a.term},{self.b.term})"

    @property
    def ends(self) -> tuple[Point, Point]:
        """The two vertices, the smaller (leftmost, then uppermost) first."""
        direction = self.a.neighbours().index(self.b)
        first, second = sorted((self.a.corner(direction - 1), self.a.corner(direction)))
        return first, second


class Vertex(NamedTuple):
    """A hexside vertex, as the place of a unit that is in `hex`: corner 0..5 clockwise from NNE."""

    hex: Hex
    corner: int

    def __str__(self) -> str:
        one, two = self.hex.neighbour(self.corner), self.hex.neighbour(self.corner + 1)
        return f"{self.hex}@{one}-{two}"

    @property
    def term(self) -> str:
        """The vertex as a term of facts: v(Hex, Corner)."""
        return f"v({self.hex.term},{self.corner})"

    @property
    def centre(self) -> Point:
        """Its point, in lattice units."""
        return self.hex.corner(self.corner)


#: An end of a line: the center dot of a hex, or a vertex.
Spot = Hex | Vertex


def hex_of_spot(spot: Spot) -> Hex:
    """Return the hex of a unit on this spot."""
    return spot.hex if isinstance(spot, Vertex) else spot


class Location(NamedTuple):
    """One level of a hex: a floor number (0 is ground), or 'roof', 'steeple', 'tower', 'stairs1'...

    A virtual level, '+3', is that many levels above the ground of the hex, and not printed on any
    map.
    """

    spot: Spot
    floor: int | str = 0

    def __str__(self) -> str:
        return str(self.spot) if self.floor == 0 else f"{self.spot}/{self.floor}"

    @property
    def above(self) -> int | None:
        """The number of levels of a virtual level above the ground; None for a level of the map."""
        floor = self.floor
        return int(floor[1:]) if isinstance(floor, str) and floor.startswith("+") else None

    @property
    def term(self) -> str:
        """The Location as a term of facts: l(Spot, Floor)."""
        floor = self.floor
        if isinstance(floor, str) and floor.startswith("stairs"):
            floor = f"stairs({floor[6:]})"
        elif isinstance(floor, str) and floor.startswith("+"):
            floor = f"up({floor[1:]})"
        return f"l({self.spot.term},{floor})"


def hexside_between(one: Hex, two: Hex) -> Hexside:
    """Return the hexside between two neighbors in either order, or raise ValueError."""
    if two not in one.neighbours():
        raise ValueError(f"{one} and {two} are not adjacent, so they share no hexside")
    return Hexside(*sorted((one, two)))


def common_vertex(hex_: Hex, one: Hex, two: Hex) -> Vertex:
    """Return the vertex that `hex_` shares with `one` and `two`; ValueError if there is none."""
    around = hex_.neighbours()
    for corner in range(6):
        if {around[corner], around[(corner + 1) % 6]} == {one, two}:
            return Vertex(hex_, corner)
    spines = (f"{around[corner]}/{around[(corner + 1) % 6]}" for corner in range(6))
    raise ValueError(
        f"{hex_}, {one} and {two} do not meet at a vertex;"
        f" the vertices of {hex_} are {', '.join(spines)}"
    )


def column_name(col: int) -> str:
    """Return the letters printed for a column: A..Z, AA, BB, ..."""
    return chr(65 + col % 26) * (1 + col // 26)


def parse_hex(text: str) -> tuple[str | None, Hex]:
    """Read a hex id such as U4 or 20E7 into its board prefix (None without) and the hex.

    ValueError on anything else.
    """
    match = _HEX_NAME.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is not a hex")
    letters = match["column"]
    col = ord(letters[0]) - 65 + 26 * (len(letters) - 1)
    return match["board"] or None, Hex(col, int(match["row"]))


@dataclass(frozen=True)
class GridRegion:
    """A range of columns and of rows, as an even column counts them; odd columns have one row more.

    Its edges run through the center dots of its first and last column, and along the hexsides above
    the first and below the last row.
    """

    left: int
    right: int
    top: int
    bottom: int

    def __contains__(self, hex_: object) -> bool:
        if not isinstance(hex_, Hex):
            return False
        across = self.left <= hex_.col <= self.right
        return across and self.top - hex_.col % 2 <= hex_.row <= self.bottom

    def hexes(self) -> Iterator[Hex]:
        """Its hexes, column by column, with the half hexes at its edges."""
        for col in range(self.left, self.right + 1):
            for row in range(self.top - col % 2, self.bottom + 1):
                yield Hex(col, row)

    @property
    def spans(self) -> tuple[int, int, int, int]:
        """Its first and last column, its first and last row."""
        return self.left, self.right, self.top, self.bottom

    @property
    def corners(self) -> tuple[Point, Point]:
        """Its upper left and its lower right corner, in lattice units."""
        left, right = COLUMN_STEP * self.left, COLUMN_STEP * self.right
        return Point(left, ROW_STEP * (self.top - 1)), Point(right, ROW_STEP * self.bottom)


class MapBoard(NamedTuple):
    """A board on a map of several: its label there, its name, its size and its placement.

    first: its upper left hex, as of a `Grid`.
    kept: the part that a crop keeps, in its own columns and rows.
    beside: the word for its direction from another board, and that board; None for the first.
    shift: the columns and rows it is moved by, after it is turned.
    """

    label: str
    board: str
    cols: int
    rows: int
    first: Hex = Hex(0, 1)
    turned: bool = False
    kept_half: GridRegion | None = None
    next_to: tuple[str, str] | None = None
    shift: tuple[int, int] = (0, 0)

    @property
    def own_field(self) -> GridRegion:
        """The part of the board on the map, in its own columns and rows."""
        return self.kept_half or self.whole

    @property
    def whole(self) -> GridRegion:
        """The whole board, in its own columns and rows."""
        return _field(self)

    @property
    def field(self) -> GridRegion:
        """The region of the map that it covers."""
        left, right, top, bottom = self.own_field.spans
        dcol, drow = self.shift
        if self.turned:
            left, right = self._pivot - right, self._pivot - left
            top, bottom = self._sum - bottom, self._sum - top
        return GridRegion(left + dcol, right + dcol, top + drow, bottom + drow)

    @property
    def _pivot(self) -> int:
        """The sum of the columns of a hex before and after the board is turned: even."""
        return 2 * self.first.col + self.cols - self.cols % 2

    @property
    def _sum(self) -> int:
        """The sum of the rows of a hex of an even column before and after the board is turned."""
        return 2 * self.first.row + self.rows - 1

    def placed(self, hex_: Hex) -> Hex:
        """Return the map hex at the place of a hex of the board."""
        col, row = hex_
        if self.turned:
            col, row = self._pivot - col, self._sum - hex_.col % 2 - row
        return Hex(col + self.shift[0], row + self.shift[1])

    def own(self, hex_: Hex) -> Hex:
        """Return the board's own hex at the place of a map hex."""
        col, row = hex_.col - self.shift[0], hex_.row - self.shift[1]
        if self.turned:
            return Hex(self._pivot - col, self._sum - col % 2 - row)
        return Hex(col, row)

    def placed_point(self, point: Point) -> Point:
        """Return the map point at the place of a point of the board."""
        x, y = point
        if self.turned:
            x, y = COLUMN_STEP * self._pivot - x, ROW_STEP * (self._sum - 1) - y
        return Point(x + COLUMN_STEP * self.shift[0], y + ROW_STEP * self.shift[1])


class Grid(NamedTuple):
    """The extent of a map: the numbers of columns and rows (odd columns have one row more).

    `first` is its upper left hex, in an even column: half boards begin with Q1, others with A11.
    For a map of several boards, `parts` holds the boards, and columns and rows are counted across
    all of them.
    """

    cols: int
    rows: int
    first: Hex = Hex(0, 1)
    parts: tuple[MapBoard, ...] = ()

    def __str__(self) -> str:
        size = f"{self.cols}x{self.rows}"
        return size if self.first == Hex(0, 1) else f"{size} from {self.first}"

    def __contains__(self, hex_: object) -> bool:
        return any(hex_ in field for field in self.fields)

    @property
    def fields(self) -> tuple[GridRegion, ...]:
        """The regions of the map: one for each board."""
        if self.parts:
            return tuple(part.field for part in self.parts)
        return (_field(self),)

    def hexes(self) -> tuple[Hex, ...]:
        """Every hex of the map, column by column."""
        if not self.parts:
            return tuple(self.fields[0].hexes())
        return tuple(sorted({hex_ for field in self.fields for hex_ in field.hexes()}))

    @property
    def corner(self) -> Point:
        """The upper left corner of the paper, whose edge halves outer hexes; in lattice units."""
        return self.fields[0].corners[0]


def _field(board: MapBoard | Grid) -> GridRegion:
    """Return the region of a whole board, in its own columns and rows."""
    col, row = board.first
    return GridRegion(col, col + board.cols - 1, row, row + board.rows - 1)


def term_sort_key(spot: Spot) -> tuple[int, int, int, int]:
    """Return a sort key in the order of clingo's terms: center dots before vertices."""
    if isinstance(spot, Vertex):
        return 1, spot.hex.col, spot.hex.row, spot.corner
    return 0, spot.col, spot.row, 0
