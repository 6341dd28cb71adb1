"""The facts about lines for the LOS rules (main entry: `survey_lines`).

No LOS is decided here. A thread is the straight line between two spots, A before B. A fact says
that the thread passes a depiction or a hexside feature, runs along a hexside, or leaves an end hex
inside a building. A depiction is on the line if it is on both sides of the thread for some length;
a depiction that the thread only touches is not.

    line(A,B,R)            a line asked; R is the range between the hexes of A and B
    adjoin(A,B)            A and B are the center dots of neighboring hexes
    meets(A,B,H,K,D,E)     the depiction of kind K in H is on the line; ranges from H to A and to B.
                           Not for a hex whose center dot is an end
    along(A,B,S)           the thread runs along hexside S, and another fact of this line names S,
                           or one of its two hexes as met
    crosses(A,B,K,S,D,E)   the feature K of hexside S is on the line, its end points included;
                           ranges from the nearer hex of S. Not if an end is a vertex of S.
                           The feature `building` is the depiction of both its hexes
    by_end(A,B,S)          the line meets the depiction across S at an end of S
    crosses_dot_line(A,B,S) the thread shares a point with the straight line between the center
                           dots of the two hexes of S, these dots included. Not if an end of the
                           thread is one of these dots
    leaves_inside(A,B,End) the thread leaves the hex of End strictly inside a building depiction
                           that continues beyond the hexside
    leaves_by(A,B,End,S)   the hexside where it leaves. There is none if it leaves at a vertex, or
                           (as for leaves_inside) if it ends on the rim of that hex
    within(A,B)            the whole thread is inside the depictions of one building, except gaps of
                           up to a pixel
    keeps_road(A,B,H)      the thread passes through H, which contains no end. It enters, leaves
                           and stays on the road depiction there, except gaps of up to a pixel
    follows(A,B)           the thread, between two center dots, crosses only hexsides where a
                           depression continues, none at its end
    follows_from(A,B,End,N) from the end, the center dot of a hex in `dug`, the thread crosses at
                           least N such hexsides in sequence; one fact for each N from 1 on

Along a hexside, a depiction is on the line if it and one of its kind in the other hex reach the
hexside, or one that the knowledge base counts with it. The threads of many lines are measured at
once. Every result is the sign of a 64-bit integer, and coordinates are bounded: no product
overflows. Others use fractions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rules_asp.game.grid import (
    CORNERS,
    Hex,
    Hexside,
    Point,
    Spot,
    Vertex,
    hex_of_spot,
    hexside_between,
    term_sort_key,
)
from rules_asp.geometry.exact import (
    both_reach_hexside,
    depression_hexsides_crossed,
    hexes_near_line,
    intervals_inside,
    keeps_to_depression,
    keeps_to_road,
    open_hexsides,
    runs_inside,
)
from rules_asp.geometry.polygons import Piece, Stretch
from rules_asp.geometry.shapes import BUILDING, ROAD, Shapes

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

    def ends_that(self, test: Callable[[Spot], bool]) -> Bools:
        """Return the mask of the spots that pass a test."""
        return np.array([test(spot) for spot in self.spots], dtype=np.bool_)

    @classmethod
    def of(cls, lines: Iterable[tuple[Spot, Spot]], lowest: Mapping[Spot, int]) -> LineBatch:
        """Return the threads of lines; ValueError for a spot without `lowest` or off any map."""
        asked = list(chain.from_iterable(lines))
        spots = tuple(sorted(set(asked), key=term_sort_key))
        for spot in spots:
            if max(map(abs, spot.centre)) >= LARGEST_COORDINATE:
                raise ValueError(f"the place {spot} is too far from the map to be measured")
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

    def leaving(self, hex_: Hex) -> tuple[Ints, Ints, Ints, tuple[Ints, ...]]:
        """Return the lines with the center dot of a hex as an end; relative to it, the position x
        and y of the other end of each; and the side of each corner."""
        number = self.number.get(hex_, -1)
        first, second = np.nonzero(self.a == number)[0], np.nonzero(self.b == number)[0]
        others = np.concatenate((self.b[first], self.a[second]))
        centre = hex_.centre
        x, y = self.x[others] - centre.x, self.y[others] - centre.y
        return np.concatenate((first, second)), x, y, tuple(cx * y - cy * x for cx, cy in CORNERS)

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


# --- The facts of many lines, grouped by line.


#: The weight of a fact that is not a meeting: it is always reported.
ALWAYS = 1 << 30

#: The number of a line, the weight of a fact, and the fact. A fact that affects higher lines weighs
#: more.
LineFact = tuple[int, int, str]


#: The predicates of the facts.
PREDICATES = (
    *("line", "adjoin", "meets", "along", "crosses", "by_end", "crosses_dot_line"),
    *("leaves_inside", "leaves_by", "within", "keeps_road", "follows", "follows_from"),
)


class Finding(NamedTuple):
    """Facts about several lines that differ only in the ends of the line and in the ranges.

    `name` is their predicate and `rest` the arguments between the ends and the ranges. `ranges` are
    the ranges to both ends of each line; None for a fact without ranges.
    """

    weight: int
    name: str
    rest: str
    lines: Ints
    ranges: tuple[Ints, Ints] | None = None

    def arguments(self, names: Sequence[str]) -> list[str]:
        """Return the arguments of each fact, as a tuple in clingo's syntax.

        `names` are the ends of each line.
        """
        rest, lines = self.rest, self.lines.tolist()
        if self.ranges is None:
            return [f"({names[line]}{rest})" for line in lines]
        to_a, to_b = (each.tolist() for each in self.ranges)
        return [
            f"({names[line]}{rest},{d},{e})" for line, d, e in zip(lines, to_a, to_b, strict=True)
        ]

    def among(self, lines: Bools) -> Finding:
        """Return the facts of these lines, as a finding without ranges."""
        return self._replace(lines=self.lines[lines[self.lines]])


class Feature(NamedTuple):
    """A depiction or feature that lines can meet, with the fields of `Finding`.

    `measured` returns which of the lines in a mask meet it. `ranges` are the ranges from each spot.
    """

    weight: int
    name: str
    rest: str
    measured: Callable[[Bools], Ints]
    ranges: Ints | None

    @property
    def rank(self) -> tuple[int, str, str]:
        """The weight, and what orders facts of one line and of equal weight."""
        return self.weight, f"{self.name}(", f"{self.rest}{')' if self.ranges is None else ','}"


@dataclass(frozen=True, eq=False)
class LineFacts:
    """The facts of many lines. A request for facts measures which features the lines meet.

    `always` are the facts that are not meetings. `requested` are the facts line(A,B,R). They often
    only repeat the question. `facts` and `text` have them all; `always` and `entries` have only
    those of lines with an end in `ends`.
    """

    threads: LineBatch
    always: tuple[Finding, ...] = ()
    features: tuple[Feature, ...] = ()

    @property
    def lines(self) -> tuple[tuple[Spot, Spot], ...]:
        """The lines."""
        spots = self.threads.spots
        return tuple((spots[one], spots[two]) for one, two in self.threads.pairs)

    @property
    def requested(self) -> tuple[str, ...]:
        """The facts line(A,B,R) of all lines."""
        told = zip(self.threads.names, self.threads.lengths.tolist(), strict=True)
        return tuple(f"line({name},{length})." for name, length in told)

    @property
    def entries(self) -> tuple[LineFact, ...]:
        """The other facts, each with its line and weight."""
        return tuple(
            (line, each.weight, f"{each.name}{arguments}.")
            for each in (*self.always, *self._met(self._every, self.features, len(self.features)))
            for line, arguments in zip(
                each.lines.tolist(), each.arguments(self.threads.names), strict=True
            )
        )

    @property
    def facts(self) -> tuple[str, ...]:
        """All facts."""
        return tuple(dict.fromkeys((*self.requested, *(fact for _, _, fact in self.entries))))

    @property
    def text(self) -> str:
        """All facts, one per row."""
        return "\n".join(self.facts)

    def weightiest(self, most: int | None, numbers: Iterable[int]) -> dict[str, list[str]]:
        """Return the facts of some lines, with only the `most` weightiest meetings of each line.

        None: all meetings. The choice between equal weights does not depend on the other lines. The
        result has the arguments of each fact by its predicate.
        """
        asked = ~self._every
        asked[list(numbers)] = True
        most = len(self.features) if most is None else most
        found: dict[str, list[str]] = {}
        for each in chain(
            (each.among(asked) for each in self.always), self._met(asked, self._by_rank, most)
        ):
            if len(each.lines):
                found.setdefault(each.name, []).extend(each.arguments(self.threads.names))
        return found

    @property
    def _every(self) -> Bools:
        return np.ones(len(self.threads.a), dtype=np.bool_)

    @cached_property
    def _by_rank(self) -> Sequence[Feature]:
        return sorted(self.features, key=lambda each: each.rank, reverse=True)

    def _met(self, lines: Bools, features: Iterable[Feature], most: int) -> Iterator[Finding]:
        """Yield where these lines meet these features, at most `most` features for each line."""
        a, b = self.threads.a, self.threads.b
        number = np.where(lines, 0, most)
        for weight, name, rest, measured, ranges in features:
            met = measured(number < most)
            if len(met):
                number[met] += 1
                to_ends = None if ranges is None else (ranges[a[met]], ranges[b[met]])
                yield Finding(weight, name, rest, met, to_ends)


# --- The depictions and features on threads between spots, as facts for the LOS rules of kb/.


_K = TypeVar("_K")

#: The concerns of a hex: the number of each concern in order, the concern, and its value.
_Index = dict[Hex, list[tuple[int, _K, int]]]


@dataclass(frozen=True)
class LosRelevance:
    """The parts of a board that affect the lines asked; elevations in half levels.

    parts: depiction -> elevation; reported only for lines with an end lower than this.
    sides: the same for hexside features; dot_lines: for features between center dots.
    inherent: the parts that count in the whole hex and along its hexsides, drawn or not.
    exits: hexes whose exits are reported; exit_sides: the hexsides reported for them (None: all).
    insides: hex -> building, where `within` is reported.
    channels: the depictions of depressions; channel_sides: hexsides that they cross undrawn.
    dug: hexes for `keeps_to_depression`. roads: hexes for `keeps_to_road`.
    ends: hexes whose lines are reported even if nothing is on the line.
    facing: depiction and neighbor -> its depictions that count with it along their hexside.
    """

    parts: dict[tuple[Hex, str], int] = field(default_factory=dict)
    inherent: frozenset[tuple[Hex, str]] = frozenset()
    sides: dict[tuple[str, Hexside], int] = field(default_factory=dict)
    exits: frozenset[Hex] = frozenset()
    insides: dict[Hex, int] = field(default_factory=dict)
    exit_sides: frozenset[Hexside] | None = None
    dot_lines: dict[Hexside, int] = field(default_factory=dict)
    channels: frozenset[tuple[Hex, str]] = frozenset()
    channel_sides: frozenset[Hexside] = frozenset()
    dug: frozenset[Hex] = frozenset()
    roads: frozenset[Hex] = frozenset()
    ends: frozenset[Hex] = frozenset()
    facing: dict[tuple[Hex, str, Hex], frozenset[str]] = field(default_factory=dict)

    def across(self, hex_: Hex, kind: str, other: Hex) -> tuple[str, ...]:
        """Return the kinds of depictions of a neighbor that obstruct as well as one of this hex."""
        return (kind, *self.facing.get((hex_, kind, other), ()))

    def among(self, hexes: Collection[Hex]) -> LosRelevance:
        """Return only the concerns in these hexes and on their hexsides, in the same order.

        Only these hexes are looked up. `inherent`, `exits` and `dug` stay complete, since they are
        asked for by name.
        """
        return replace(
            self,
            parts=_among(self._parts_of, hexes),
            sides=_among(self._sides_of, hexes),
            insides=_among(self._insides_of, hexes),
            dot_lines=_among(self._dot_lines_of, hexes),
            roads=self.roads.intersection(hexes),
        )

    @cached_property
    def _parts_of(self) -> _Index[tuple[Hex, str]]:
        return _indexed(self.parts, lambda part: (part[0],))

    @cached_property
    def _sides_of(self) -> _Index[tuple[str, Hexside]]:
        return _indexed(self.sides, lambda feature: feature[1])

    @cached_property
    def _insides_of(self) -> _Index[Hex]:
        return _indexed(self.insides, lambda hex_: (hex_,))

    @cached_property
    def _dot_lines_of(self) -> _Index[Hexside]:
        return _indexed(self.dot_lines, lambda where: where)


def _indexed(concerns: Mapping[_K, int], hexes_of: Callable[[_K], Iterable[Hex]]) -> _Index[_K]:
    index: _Index[_K] = {}
    for number, (concern, value) in enumerate(concerns.items()):
        for hex_ in hexes_of(concern):
            index.setdefault(hex_, []).append((number, concern, value))
    return index


def _among(index: _Index[_K], hexes: Collection[Hex]) -> dict[_K, int]:
    if not index:
        return {}
    found = {each[0]: each for hex_ in hexes for each in index.get(hex_, ())}
    return {concern: value for _, (_, concern, value) in sorted(found.items())}


def survey_lines(
    shapes: Shapes,
    concerns: LosRelevance,
    lines: Iterable[tuple[Spot, Spot]],
    lowest: Mapping[Spot, int],
) -> LineFacts:
    """Return the facts of the lines asked, each line once for both orders of its ends.

    `lowest` gives for each spot the elevation, in half levels, of its lowest Location asked.
    ValueError if it lacks a spot, or if a spot is too far away to be measured.
    """
    threads = LineBatch.of(lines, lowest)
    if not len(threads.a):
        return LineFacts(threads)
    beside: dict[Hexside, list[Ints]] = defaultdict(list)
    lengths = threads.lengths
    # A few lines are near to a small part of the map; many lines are near to all parts.
    if lengths.sum() < len(concerns.parts) + len(concerns.sides):
        ends = map(threads.ends, range(len(lengths)))
        concerns = concerns.among({hex_ for one, two in ends for hex_ in hexes_near_line(one, two)})
    features = (
        *_meets(threads, shapes, concerns, beside),
        *_crosses(threads, shapes, concerns, beside),
        *_crosses_dot_lines(threads, concerns),
    )
    always = (
        *_ending(threads, lengths, concerns),
        *_adjoin(threads, lengths),
        *(
            Finding(ALWAYS, "along", f",{where.term}", distinct(*beside[where]))
            for where in sorted(beside)
        ),
        *_leaves(threads, shapes, concerns),
        *_within(threads, shapes, concerns),
        *_on_roads(threads, shapes, concerns),
        *_follows(threads, shapes, concerns),
    )
    return LineFacts(threads, tuple(each for each in always if len(each.lines)), features)


def _one(name: str, rest: str, line: int) -> Finding:
    """Return a fact about one line."""
    return Finding(ALWAYS, name, rest, np.array((line,), dtype=np.int64))


def _ending(threads: LineBatch, lengths: Ints, concerns: LosRelevance) -> Iterator[Finding]:
    """Yield the lines with an end in one of the hexes in `ends`."""
    if not concerns.ends:
        return
    wanted = threads.ends_that(lambda spot: hex_of_spot(spot) in concerns.ends)
    lines = np.nonzero(wanted[threads.a] | wanted[threads.b])[0]
    for length in distinct(lengths[lines]).tolist():
        yield Finding(ALWAYS, "line", f",{length}", lines[lengths[lines] == length])


def _adjoin(threads: LineBatch, lengths: Ints) -> Iterator[Finding]:
    vertex = threads.ends_that(lambda spot: isinstance(spot, Vertex))
    near = (lengths == 1) & ~vertex[threads.a] & ~vertex[threads.b]
    yield Finding(ALWAYS, "adjoin", "", np.nonzero(near)[0])


def _meets(
    threads: LineBatch,
    shapes: Shapes,
    concerns: LosRelevance,
    beside: Mapping[Hexside, list[Ints]],
) -> Iterator[Feature]:
    by_hex: dict[Hex, list[tuple[str, int]]] = defaultdict(list)
    for (hex_, kind), below in concerns.parts.items():
        by_hex[hex_].append((kind, below))

    def measured(
        hex_: Hex,
        lines: Ints,
        pieces: tuple[Piece, ...] | None,
        along: Sequence[Ints],
        open_: Bools,
    ) -> Ints:
        lines = lines[open_[lines]]
        if pieces is not None:
            lines = lines[threads.on(lines, hex_, pieces)]
        return np.concatenate((lines, *(each[open_[each]] for each in along)))

    for hex_, parts in by_hex.items():
        own = threads.number.get(hex_, -1)
        lines = threads.entering_hex(hex_)
        lines = lines[(threads.a[lines] != own) & (threads.b[lines] != own)]
        edges = [(d, found) for d in range(6) if len(found := threads.along_hexside(hex_, d))]
        if not len(lines) and not edges:
            continue
        ranges, low = threads.ranges(hex_), threads.low[lines]
        for kind, below in parts:
            along = []
            for direction, found in edges:
                across = concerns.across(hex_, kind, hex_.neighbour(direction))
                if both_reach_hexside(shapes, concerns.inherent, hex_, direction, kind, across):
                    along.append(found[threads.low[found] < below])
                    beside[hexside_between(hex_, hex_.neighbour(direction))].append(along[-1])
            inherent = (hex_, kind) in concerns.inherent
            pieces = None if inherent else shapes.pieces.get((hex_, kind), ())
            yield Feature(
                below,
                "meets",
                f",{hex_.term},{kind}",
                partial(measured, hex_, lines[low < below], pieces, along),
                ranges,
            )


def _crosses(
    threads: LineBatch,
    shapes: Shapes,
    concerns: LosRelevance,
    beside: Mapping[Hexside, list[Ints]],
) -> Iterator[Feature]:
    def crossed(
        where: Hexside, drawn: Sequence[Stretch], along: Ints, below: int, open_: Bools
    ) -> Ints:
        lines = distinct(along, *(threads.crossing_hexside(one) for one in drawn))
        lines = lines[(threads.low[lines] < below) & open_[lines]]
        for end in where.ends:
            at_vertex = (threads.x == end.x) & (threads.y == end.y)
            lines = lines[~at_vertex[threads.a[lines]] & ~at_vertex[threads.b[lines]]]
        return lines

    def by_end(
        where: Hexside, drawn: Sequence[Stretch], along: Ints, below: int, open_: Bools
    ) -> Ints:
        lines = crossed(where, drawn, along, below, open_)
        reached = [end for end in where.ends if any(end in one for one in drawn)]
        return distinct(
            lines[:0], *(lines[threads.orientation(lines, end) == 0] for end in reached)
        )

    every: Bools = np.ones(len(threads.a), dtype=np.bool_)
    for (kind, where), below in concerns.sides.items():
        drawn = shapes.segments.get((kind, where), ())
        if not drawn:
            continue
        along = threads.along_hexside(where.a, where.a.neighbours().index(where.b))
        beside[where].append(crossed(where, (), along, below, every))
        asked = where, drawn, along, below
        ranges = np.minimum(threads.ranges(where.a), threads.ranges(where.b))
        rest = f",{kind},{where.term}"
        yield Feature(below, "crosses", rest, partial(crossed, *asked), ranges)
        if kind == BUILDING:
            yield Feature(below, "by_end", f",{where.term}", partial(by_end, *asked), None)


def _crosses_dot_lines(threads: LineBatch, concerns: LosRelevance) -> Iterator[Feature]:
    def measured(where: Hexside, below: int, open_: Bools) -> Ints:
        dots = where.a.centre, where.b.centre
        crossed = threads.crossing_hexside(dots)
        crossed = crossed[(threads.low[crossed] < below) & open_[crossed]]
        for dot in dots:
            at_dot = (threads.x == dot.x) & (threads.y == dot.y)
            crossed = crossed[~at_dot[threads.a[crossed]] & ~at_dot[threads.b[crossed]]]
        return crossed

    for where, below in concerns.dot_lines.items():
        rest = f",{where.term}"
        yield Feature(below, "crosses_dot_line", rest, partial(measured, where, below), None)


def _leaves(threads: LineBatch, shapes: Shapes, concerns: LosRelevance) -> Iterator[Finding]:
    for hex_ in sorted(concerns.exits.intersection(threads.number)):
        lines, x, y, sides = threads.leaving(hex_)
        on_rim = np.any([(x == cx) & (y == cy) for cx, cy in CORNERS], axis=0)
        inside = []
        for corner, (cx, cy) in enumerate(CORNERS):
            by_side = lines[(sides[corner - 1] > 0) & (sides[corner] < 0)]
            where = hexside_between(hex_, hex_.neighbour(corner))
            if concerns.exit_sides is None or where in concerns.exit_sides:
                yield Finding(ALWAYS, "leaves_by", f",{hex_.term},{where.term}", by_side)
            # A hexside is inside a depiction where both its sides are covered.
            spans = shapes.built_across(where)
            for one, two in spans:
                turns = threads.orientation(by_side, one), threads.orientation(by_side, two)
                inside.append(by_side[np.sign(turns[0]) * np.sign(turns[1]) < 0])
            tip = hex_.corner(corner)
            next_side = hexside_between(hex_, hex_.neighbour((corner + 1) % 6))
            after = shapes.built_across(next_side)
            if any(tip in one for one in spans) and any(tip in one for one in after):
                by_vertex = (sides[corner] == 0) & (cx * x + cy * y > 0) & ~on_rim
                inside.append(lines[by_vertex])
        yield Finding(ALWAYS, "leaves_inside", f",{hex_.term}", distinct(lines[:0], *inside))


def _within(threads: LineBatch, shapes: Shapes, concerns: LosRelevance) -> Iterator[Finding]:
    hexes: dict[int, list[Hex]] = defaultdict(list)
    for hex_, building in concerns.insides.items():
        hexes[building].append(hex_)
    for members in hexes.values():
        member = np.zeros(len(threads.spots), dtype=np.bool_)
        member[[threads.number[hex_] for hex_ in members if hex_ in threads.number]] = True
        both = member[threads.a] & member[threads.b]
        numbers, few = np.nonzero(both)[0].tolist(), threads.only(both)
        on_way: list[list[Hex]] = [[] for _ in few.a]
        for hex_ in members:
            for lines in (few.entering_hex(hex_), *(few.along_hexside(hex_, d) for d in range(6))):
                for line in lines.tolist():
                    on_way[line].append(hex_)
        for line, own in enumerate(on_way):
            if own and runs_inside(shapes, own, *few.ends(line)):
                yield _one("within", "", numbers[line])


def _on_roads(threads: LineBatch, shapes: Shapes, concerns: LosRelevance) -> Iterator[Finding]:
    for hex_ in sorted(concerns.roads):
        own = threads.number.get(hex_, -1)
        # A thread that stays on the road enters and leaves by the road: few do, so test this before
        # any fraction.
        by = [shapes.spans.get((hex_, direction, ROAD), ()) for direction in range(6)]
        crossed = [threads.crossing_hexside(stretch) for spans in by for stretch in spans]
        met = np.sort(np.concatenate(crossed or [threads.a[:0]]))
        lines = distinct(met[1:][met[1:] == met[:-1]])
        lines = lines[(threads.a[lines] != own) & (threads.b[lines] != own)]
        lines = lines[(threads.dx[lines] != 0) | (threads.dy[lines] != 0)]
        for line in lines.tolist():
            if keeps_to_road(shapes, hex_, *threads.ends(line)):
                yield _one("keeps_road", f",{hex_.term}", line)


def _follows(threads: LineBatch, shapes: Shapes, concerns: LosRelevance) -> Iterator[Finding]:
    dug = concerns.dug.intersection(threads.number)
    if not dug:
        return
    open_sides = open_hexsides(shapes, concerns.channels, concerns.channel_sides)
    # Others leave the hex of their end elsewhere: no fact names them.
    by_open_side = [
        lines[(sides[direction - 1] > 0) & (sides[direction] < 0)]
        for hex_ in dug
        for lines, _, _, sides in [threads.leaving(hex_)]
        for direction in range(6)
        if hexside_between(hex_, hex_.neighbour(direction)) in open_sides
    ]
    for line in distinct(*by_open_side).tolist() if by_open_side else ():
        start, end = threads.ends(line)
        spots = threads.spots[threads.a[line]], threads.spots[threads.b[line]]
        hexes = hexes_near_line(start, end)
        if set(spots) <= concerns.dug and keeps_to_depression(open_sides, hexes, start, end):
            yield _one("follows", "", line)
        for spot, *way in ((spots[0], start, end), (spots[1], end, start)):
            if isinstance(spot, Hex) and spot in concerns.dug:
                for number in range(depression_hexsides_crossed(open_sides, spot, *way)):
                    yield _one("follows_from", f",{spot.term},{number + 1}", line)
