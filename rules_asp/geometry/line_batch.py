"""The threads of many lines at once: entered hexes, hexsides that they run along, near pieces.

All arithmetic uses 64-bit integers, and coordinates are bounded: no product overflows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from rules_asp.game.grid import CORNERS, Hex, Point, Spot, Vertex, hex_of_spot, term_sort_key
from rules_asp.geometry.exact import intervals_inside
from rules_asp.geometry.polygons import Piece, Stretch

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

#: Coordinates stay below this, so that no product of two differences exceeds 64 bits.
LARGEST_COORDINATE = 1_000_000

# Three axes across a hex, one for each pair of opposite hexsides. Hexsides 0, 1, 2 are at +_REACH
# from the center's value, hexsides 3, 4, 5 at -_REACH. With the thread's own normal, these are all
# the axes that can separate a thread from a hex.
_AXES = ((0, -1), (258, -150), (258, 150))
_REACH = (258, 77_400, 77_400)


def distinct(*lists: Ints) -> Ints:
    """Return sorted numbers without duplicates; the import of `numpy.unique` would be slow."""
    numbers: Ints = np.sort(np.concatenate(lists))
    first: Bools = np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)]
    once: Ints = numbers[first]
    return once


@dataclass(frozen=True)
class LineBatch:
    """Lines between spots without duplicates, the smaller end first, sorted by their ends.

    Per spot: x, y, and the column and half row of its hex. Per line: a, b (numbers of its ends),
    low (elevation of the lower end, in half levels), dx, dy (from a to b).
    """

    spots: tuple[Spot, ...]
    x: Ints
    y: Ints
    columns: Ints
    half_rows: Ints
    a: Ints
    b: Ints
    low: Ints
    dx: Ints
    dy: Ints

    def has_vertex(self, line: int) -> bool:
        """Return whether an end of the thread is a vertex."""
        ends = self.spots[self.a[line]], self.spots[self.b[line]]
        return any(isinstance(end, Vertex) for end in ends)

    @classmethod
    def of(cls, lines: Iterable[tuple[Spot, Spot]], lowest: Mapping[Spot, int]) -> LineBatch:
        """Return the threads of lines; ValueError for a spot without `lowest` or off any map."""
        asked = list(chain.from_iterable(lines))
        spots = tuple(sorted(set(asked), key=term_sort_key))
        for spot in spots:
            if max(map(abs, spot.centre)) >= LARGEST_COORDINATE:
                raise ValueError(f"{spot} is too far from the map to be measured")
            if spot not in lowest:
                raise ValueError(f"no lowest elevation is given for {spot}")
        number = {spot: i for i, spot in enumerate(spots)}
        ends = np.array([number[spot] for spot in asked], dtype=np.int64).reshape(-1, 2)
        count = max(len(spots), 1)
        keys = distinct(ends.min(axis=1) * count + ends.max(axis=1))
        a, b = keys // count, keys % count
        x, y, columns, half_rows, levels = (
            np.array(values, dtype=np.int64)
            for values in (
                [spot.centre.x for spot in spots],
                [spot.centre.y for spot in spots],
                [hex_of_spot(spot).col for spot in spots],
                [_half_row(hex_of_spot(spot)) for spot in spots],
                [lowest[spot] for spot in spots],
            )
        )
        low = np.minimum(levels[a], levels[b])
        return cls(spots, x, y, columns, half_rows, a, b, low, x[b] - x[a], y[b] - y[a])

    def only(self, lines: Bools) -> LineBatch:
        """Return a batch with only these lines."""
        kept = {name: getattr(self, name)[lines] for name in ("a", "b", "low", "dx", "dy")}
        return replace(self, **kept)

    @cached_property
    def number(self) -> dict[Spot, int]:
        """The number of each spot."""
        return {spot: i for i, spot in enumerate(self.spots)}

    @cached_property
    def names(self) -> list[str]:
        """The two ends of each line, as terms of facts."""
        terms = [spot.term for spot in self.spots]
        return [f"{terms[i]},{terms[j]}" for i, j in self.pairs]

    @property
    def pairs(self) -> Iterable[tuple[int, int]]:
        """The numbers of the two ends of each line."""
        return zip(self.a.tolist(), self.b.tolist(), strict=True)

    @cached_property
    def _extents(self) -> tuple[tuple[Ints, Ints], ...]:
        """The minimum and maximum of each thread on each of the three axes."""
        values = [fx * self.x + fy * self.y for fx, fy in _AXES]
        ends = [(value[self.a], value[self.b]) for value in values]
        return tuple((np.minimum(one, two), np.maximum(one, two)) for one, two in ends)

    @cached_property
    def _half_width(self) -> Ints:
        """The extent of a hex to each side of a thread through its center, as in `orientation`."""
        one, two, three = (np.abs(self.dx * y - self.dy * x) for x, y in CORNERS[:3])
        reach: Ints = np.maximum(np.maximum(one, two), three)
        return reach

    @cached_property
    def _parallel(self) -> tuple[tuple[Ints, Ints], ...]:
        """For each axis, the threads that keep one value on it, and these values, in order."""
        found = []
        for least, most in self._extents:
            lines = np.nonzero(least == most)[0]
            lines = lines[np.argsort(least[lines], kind="stable")]
            found.append((lines, least[lines]))
        return tuple(found)

    def orientation(self, lines: Ints, point: Point) -> Ints:
        """Return the sign of the side of each thread where a point is; 0 if it is on the thread."""
        a = self.a[lines]
        return self.dx[lines] * (point.y - self.y[a]) - self.dy[lines] * (point.x - self.x[a])

    def overlapping(self, points: Iterable[Point]) -> Ints:
        """Return the threads that no hex axis separates from all these points: a first filter."""
        mask: Bools = np.ones(len(self.a), dtype=np.bool_)
        points = tuple(points)
        for (least, most), (fx, fy) in zip(self._extents, _AXES, strict=True):
            values = [fx * point.x + fy * point.y for point in points]
            mask &= least <= max(values)
            mask &= most >= min(values)
        return np.nonzero(mask)[0]

    def entering_hex(self, hex_: Hex) -> Ints:
        """Return the threads that pass through the inside of a hex."""
        centre = hex_.centre
        mask: Bools = np.ones(len(self.a), dtype=np.bool_)
        for (least, most), (fx, fy), reach in zip(self._extents, _AXES, _REACH, strict=True):
            value = fx * centre.x + fy * centre.y
            mask &= least < value + reach
            mask &= most > value - reach
        lines = np.nonzero(mask)[0]
        return lines[abs(self.orientation(lines, centre)) < self._half_width[lines]]

    def along_hexside(self, hex_: Hex, direction: int) -> Ints:
        """Return the threads that run along the hexside of a hex."""
        axis, sign = direction % 3, 1 if direction < 3 else -1
        lines, values = self._parallel[axis]
        if not len(lines):
            return lines
        (fx, fy), centre = _AXES[axis], hex_.centre
        value = fx * centre.x + fy * centre.y + sign * _REACH[axis]
        lines = lines[np.searchsorted(values, value) : np.searchsorted(values, value, "right")]
        # They are on the line of the hexside; another axis decides whether they reach the hexside
        # itself.
        least, most = self._extents[axis - 1]
        fx, fy = _AXES[axis - 1]
        ends = (hex_.corner(direction - 1), hex_.corner(direction))
        one, two = sorted(fx * point.x + fy * point.y for point in ends)
        return lines[(least[lines] <= one) & (most[lines] >= two)]

    def ends(self, line: int) -> tuple[Point, Point]:
        """Return the two ends of a thread."""
        return self.spots[self.a[line]].centre, self.spots[self.b[line]].centre

    def on(self, lines: Ints, hex_: Hex, pieces: tuple[Piece, ...]) -> Bools:
        """Return the mask of the threads with the union of the pieces of a hex on both sides."""
        if not pieces or not len(lines):
            return np.zeros(len(lines), dtype=np.bool_)
        centre = hex_.centre
        corners = [point for piece in pieces for point in piece]
        starts = np.cumsum([0, *map(len, pieces[:-1])])
        x = np.array([point.x - centre.x for point in corners], dtype=np.int64)[:, None]
        y = np.array([point.y - centre.y for point in corners], dtype=np.int64)[:, None]
        # One row per corner, one column per thread: the side of the thread where the corner is.
        sides = y * self.dx[lines]
        sides -= x * self.dy[lines]
        sides += self.orientation(lines, centre)
        least = np.minimum.reduceat(sides, starts, axis=0)
        most = np.maximum.reduceat(sides, starts, axis=0)
        on: Bools = np.any((least < 0) & (most > 0), axis=0)
        touched = np.any(least == 0, axis=0) & np.any(most == 0, axis=0)
        # Pieces that touch the thread from both sides may share an edge there: then the thread runs
        # inside the depiction, along a cut.
        for doubt in np.nonzero(~on & touched)[0].tolist():
            start, end = self.ends(lines[doubt])
            on[doubt] = bool(intervals_inside(pieces, start, end))
        return on

    def crossing_hexside(self, stretch: Stretch) -> Ints:
        """Return the threads that share a point with a stretch, ends included."""
        one, two = stretch
        lines = self.overlapping(stretch)
        lines = lines[
            np.sign(self.orientation(lines, one)) * np.sign(self.orientation(lines, two)) <= 0
        ]
        dx, dy = two.x - one.x, two.y - one.y
        sides = np.sign(dx * (self.y - one.y) - dy * (self.x - one.x))
        found: Ints = lines[sides[self.a[lines]] * sides[self.b[lines]] <= 0]
        return found

    def ending_at(self, spot: Spot) -> tuple[Ints, Ints]:
        """Return the lines with a spot as an end, and the number of the other end of each."""
        number = self.number.get(spot, -1)
        first, second = np.nonzero(self.a == number)[0], np.nonzero(self.b == number)[0]
        return np.concatenate((first, second)), np.concatenate((self.b[first], self.a[second]))

    def ranges(self, hex_: Hex) -> Ints:
        """Return the range in hexes from a hex to the hex of each spot."""
        return _range(self.columns - hex_.col, self.half_rows - _half_row(hex_))

    @property
    def lengths(self) -> Ints:
        """Return the range in hexes between the ends of each line."""
        return _range(
            self.columns[self.a] - self.columns[self.b],
            self.half_rows[self.a] - self.half_rows[self.b],
        )


def _half_row(hex_: Hex) -> int:
    return hex_.centre.y // 258


def _range(columns: Ints, half_rows: Ints) -> Ints:
    across = np.abs(columns)
    ranges: Ints = across + np.maximum(0, (np.abs(half_rows) - across) // 2)
    return ranges
