"""Hexes, hexsides, vertices and Locations: their names, their terms and their place on the lattice.

A hex is (column, row): A is column 0, the row is the number printed in the hex. Columns B, D, F...
lie half a hex lower in number than their neighbours, so a standard board holds A1..A10 but B0..B10.
One lattice serves all measuring: columns are 450 apart, rows 516, x runs right and y down, and one
VASL pixel is 8 units, so that every centre, vertex, hexside midpoint and pixel corner is an integer.
"""

from __future__ import annotations

import re
from typing import NamedTuple

COLUMN_STEP = 450
ROW_STEP = 516

#: Directions 0..5 of a hex's six hexsides, clockwise from the top.
DIRECTIONS = ("N", "NE", "SE", "S", "SW", "NW")

#: Corner i of a hex lies between its hexsides i and i+1, as an offset from the centre.
CORNERS = ((150, -258), (300, 0), (150, 258), (-150, 258), (-300, 0), (-150, -258))

_HEX_NAME = re.compile(r"(?:(?P<board>\d+)(?=[A-Z]))?(?P<column>[A-Z]{1,2})(?P<row>\d{1,3})")


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
    def term(self) -> str:
        """The hex as it stands in facts: (column, row)."""
        return f"({self.col},{self.row})"

    @property
    def centre(self) -> Point:
        """The centre dot, in lattice units."""
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
        """The range in hexes."""
        d_col = abs(self.col - other.col)
        # Cube coordinates with z along the columns of hexes, doubled to stay integral.
        d_y = abs(self.centre.y - other.centre.y) // 258
        return d_col + max(0, (d_y - d_col) // 2)


class Hexside(NamedTuple):
    """The side shared by two neighbouring hexes, the smaller hex first."""

    a: Hex
    b: Hex

    def __str__(self) -> str:
        return f"{self.a}-{self.b}"

    @property
    def term(self) -> str:
        """The hexside as it stands in facts."""
        return f"e({self.a.term},{self.b.term})"

    @property
    def ends(self) -> tuple[Point, Point]:
        """Its two vertices, the smaller (leftmost, then uppermost) first."""
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
        """The vertex as it stands in facts: v(Hex, Corner)."""
        return f"v({self.hex.term},{self.corner})"

    @property
    def centre(self) -> Point:
        """Where it lies, in lattice units."""
        return self.hex.corner(self.corner)


#: A place from which a line is drawn: a hex's centre dot, or a vertex.
Spot = Hex | Vertex


def spot_hex(spot: Spot) -> Hex:
    """The hex that a unit on this spot is in."""
    return spot.hex if isinstance(spot, Vertex) else spot


class Location(NamedTuple):
    """One level of a hex: a floor number (0 is ground), or 'roof', 'steeple', 'tower', 'stairs1'..."""

    spot: Spot
    floor: int | str = 0

    def __str__(self) -> str:
        return str(self.spot) if self.floor == 0 else f"{self.spot}/{self.floor}"

    @property
    def term(self) -> str:
        """The Location as it stands in facts: l(Spot, Floor)."""
        floor = self.floor
        if isinstance(floor, str) and floor.startswith("stairs"):
            floor = f"stairs({floor[6:]})"
        return f"l({self.spot.term},{floor})"


def side(one: Hex, two: Hex) -> Hexside:
    """The hexside between two neighbours, in either order; ValueError when they are not neighbours."""
    if two not in one.neighbours():
        raise ValueError(f"{one} and {two} share no hexside")
    return Hexside(*sorted((one, two)))


def vertex(hex_: Hex, one: Hex, two: Hex) -> Vertex:
    """The vertex of `hex_` that it shares with `one` and `two`; ValueError when there is none."""
    around = hex_.neighbours()
    for corner in range(6):
        if {around[corner], around[(corner + 1) % 6]} == {one, two}:
            return Vertex(hex_, corner)
    raise ValueError(f"{hex_}, {one} and {two} do not meet at a vertex")


def column_name(col: int) -> str:
    """The letters printed for a column: A..Z, AA, BB, ..."""
    return chr(65 + col % 26) * (1 + col // 26)


def parse_hex(text: str) -> tuple[str | None, Hex]:
    """Read a hex id such as U4 or 20E7 into its board prefix (None without) and the hex.

    ValueError on anything else.
    """
    match = _HEX_NAME.fullmatch(text)
    letters = match["column"] if match else ""
    if match is None or len(set(letters)) != 1:
        raise ValueError(f"{text} is no hex")
    return match["board"], Hex(ord(letters[0]) - 65 + 26 * (len(letters) - 1), int(match["row"]))


class Grid(NamedTuple):
    """The extent of a map: so many columns, and rows of an even column (odd ones have one more).

    `first` is its upper left hex, in an even column: half boards begin with Q1, others with A11.
    """

    cols: int
    rows: int
    first: Hex = Hex(0, 1)

    def __str__(self) -> str:
        size = f"{self.cols}x{self.rows}"
        return size if self.first == Hex(0, 1) else f"{size} from {self.first}"

    def __contains__(self, hex_: object) -> bool:
        return (
            isinstance(hex_, Hex) and hex_.col in self._columns and hex_.row in self._of(hex_.col)
        )

    def hexes(self) -> tuple[Hex, ...]:
        """Every hex of the map, column by column."""
        return tuple(Hex(col, row) for col in self._columns for row in self._of(col))

    @property
    def corner(self) -> Point:
        """The upper left corner of the paper, in lattice units; its outer hexes are cut in half there."""
        return Point(COLUMN_STEP * self.first.col, ROW_STEP * (self.first.row - 1))

    @property
    def far_corner(self) -> Point:
        """The lower right corner of the paper."""
        x, y = self.corner
        return Point(x + COLUMN_STEP * (self.cols - 1), y + ROW_STEP * self.rows)

    @property
    def _columns(self) -> range:
        return range(self.first.col, self.first.col + self.cols)

    def _of(self, col: int) -> range:
        """The rows of a column."""
        return range(self.first.row - col % 2, self.first.row + self.rows)


def term_order(spot: Spot) -> tuple[int, int, int, int]:
    """Sorts spots as clingo sorts their terms: centre dots before vertices."""
    if isinstance(spot, Vertex):
        return 1, spot.hex.col, spot.hex.row, spot.corner
    return 0, spot.col, spot.row, 0
