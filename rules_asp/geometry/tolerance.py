"""Close calls of a line: the facts that a small shift of its thread would add or remove."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import hypot, inf
from typing import NamedTuple

from rules_asp.game.grid import (
    Hex,
    Hexside,
    Point,
    Spot,
    hex_of_spot,
    hexside_between,
    term_sort_key,
)
from rules_asp.geometry.exact import (
    AnyPoint,
    RationalPoint,
    depression_hexsides_crossed,
    hexes_near_line,
    keeps_to_depression,
    keeps_to_road,
    open_hexsides,
    orientation,
    runs_inside,
)
from rules_asp.geometry.polygons import Piece, hexagon
from rules_asp.geometry.shapes import BUILDING, ROAD, Shapes
from rules_asp.geometry.survey import LosRelevance, survey_lines

#: The interval of shifts of the thread, in lattice units, where a fact holds; positive clockwise.
Shifts = tuple[float, float]

#: Two pixels.
MAX_SHIFT = 16

# Far less than the minimum distance between a thread and a lattice point off it.
_ROUNDING = 1e-6


class CloseCallFact(NamedTuple):
    """A fact, present or not, and the minimum sideways shift of the thread that changes it."""

    fact: str
    present: bool
    margin: float


def close_call_facts(
    shapes: Shapes,
    concerns: LosRelevance,
    line: tuple[Spot, Spot],
    lowest: Mapping[Spot, int],
    limit: int = MAX_SHIFT,
    known: Iterable[str] | None = None,
) -> tuple[CloseCallFact, ...]:
    """Return the facts of a line that a shift of its thread by at most `limit` units changes.

    The closest call comes first. Facts are as in `rules_asp.geometry.survey`, without the full
    stop: meets, crosses, by_end, crosses_dot_line, leaves_inside, leaves_by, within, follows,
    follows_from and keeps_road (the margin of the last four in integer units). A shift moves both
    ends equally, at right angles to the thread. A thread that is in a depiction for a length below
    the limit, as at the rim of one across the thread, is as close as this length. If the thread runs
    along a hexside, the depictions of a kind on both sides count as one for a present fact; terrain
    inherent to one of the hexes counts as if in both. A margin of 0: the thread touches something
    without meeting it, or barely meets it. `known` are the facts from `survey_lines` for the line, if
    available.
    """
    a, b = sorted(line, key=term_sort_key)
    if a.centre == b.centre:
        return ()
    concerns = concerns.among(frozenset(hexes_near_line(a.centre, b.centre, limit)))
    if known is None:
        known = survey_lines(shapes, concerns, [(a, b)], lowest).facts
    facts = frozenset(known)
    thread = _Thread(a, b, limit)
    found = []
    low = min(lowest[a], lowest[b])
    for fact, own, together, inside in (
        *_met(shapes, concerns, thread, low),
        *_crossed(shapes, concerns, thread, low),
        *_crossed_dot_lines(concerns, thread, low),
        *_left(shapes, concerns, thread),
    ):
        present = f"{fact}." in facts
        margin = min(_room(own + together()), inside()) if present else _distance(own)
        if margin <= limit:
            found.append(CloseCallFact(fact, present, margin))
    found += _kept(shapes, concerns, a, b, limit)
    found += _followed(shapes, concerns, a, b, limit)
    found += _on_roads(shapes, concerns, thread)
    return tuple(sorted(found, key=lambda one: (one.margin, one.fact)))


@dataclass(frozen=True)
class _Thread:
    """A thread between two spots, the smaller first, and the distance from it that matters."""

    a: Spot
    b: Spot
    limit: int

    @cached_property
    def ends(self) -> tuple[Point, Point]:
        return self.a.centre, self.b.centre

    @cached_property
    def name(self) -> str:
        """Its ends as terms of facts."""
        return f"{self.a.term},{self.b.term}"

    @cached_property
    def _way(self) -> tuple[int, int, int, int, float]:
        (x, y), (end_x, end_y) = self.ends
        return x, y, end_x - x, end_y - y, hypot(end_x - x, end_y - y)

    def ranges(self, *hexes: Hex) -> str:
        """Return the ranges from the nearest of these hexes to the ends, as terms of facts."""
        homes = hex_of_spot(self.a), hex_of_spot(self.b)
        one, two = (min(hex_.range_to(home) for hex_ in hexes) for home in homes)
        return f"{one},{two}"

    def offsets(self, points: Iterable[Point]) -> list[float]:
        """Return each point's sideways distance from the thread; positive clockwise on the map."""
        x, y, dx, dy, length = self._way
        return [(dx * (py - y) - dy * (px - x)) / length for px, py in points]

    def spread(self, points: Iterable[Point]) -> Shifts:
        """Return the minimum and maximum sideways distance of some points from the thread."""
        offsets = self.offsets(points)
        return min(offsets), max(offsets)

    def shadows(self, shapes: Iterable[Sequence[Point]]) -> list[Shifts]:
        """Return the shifts where the thread, from end to end, meets some convex shapes.

        Shapes farther away than the limit, by more than any rounding, are left out.
        """
        x, y, dx, dy, _ = self._way
        length2 = dx * dx + dy * dy
        found = []
        for shape in shapes:
            offsets = self.offsets(shape)
            if min(offsets) > self.limit + 1 or max(offsets) < -self.limit - 1:
                continue
            # Positions along the thread: 0 level with its start, 1 level with its end; a quotient
            # of integers, so rounded only once.
            places = [(dx * (px - x) + dy * (py - y)) / length2 for px, py in shape]
            if max(places) <= 0 or min(places) >= 1:
                continue
            seen = [o for o, t in zip(offsets, places, strict=True) if 0 <= t <= 1]
            for i in range(len(shape)):
                one, two = places[i - 1], places[i]
                # The points where the rim of the shape is level with an end of the thread.
                for t in (0, 1):
                    if min(one, two) < t < max(one, two):
                        part = (t - one) / (two - one)
                        seen.append(offsets[i - 1] + part * (offsets[i] - offsets[i - 1]))
            found.append((min(seen), max(seen)))
        return found

    def length_inside(self, pieces: Iterable[Sequence[Point]]) -> float:
        """Return the length of the thread inside disjoint convex pieces; infinity if it is in none."""
        x, y, dx, dy, length = self._way
        total = 0.0
        for piece in pieces:
            offsets = self.offsets(piece)
            if min(offsets) >= 0 or max(offsets) <= 0:
                continue
            places = [(dx * (px - x) + dy * (py - y)) / length for px, py in piece]
            rim = []
            for i, two in enumerate(offsets):
                one = offsets[i - 1]
                if one * two < 0 or one == 0:
                    rim.append(places[i - 1] + one / (one - two) * (places[i] - places[i - 1]))
            total += max(0.0, min(max(rim), length) - max(min(rim), 0.0))
        return total or inf


#: A fact, the shifts where it holds, those where its twin across a hexside holds, and the length
#: for which it holds.
_Candidate = tuple[str, list[Shifts], Callable[[], list[Shifts]], Callable[[], float]]


def _any_length() -> float:
    return inf


def _met(shapes: Shapes, concerns: LosRelevance, thread: _Thread, low: int) -> Iterator[_Candidate]:
    def pieces(hex_: Hex, kind: str) -> Sequence[Piece]:
        whole = (hex_, kind) in concerns.inherent
        return (hexagon(hex_),) if whole else shapes.pieces.get((hex_, kind), ())

    def shadows(hex_: Hex, kind: str) -> list[Shifts]:
        return thread.shadows(pieces(hex_, kind))

    def inside(hex_: Hex, kind: str) -> float:
        return thread.length_inside(pieces(hex_, kind))

    def twins(hex_: Hex, kind: str) -> list[Shifts]:
        across = []
        whole = (hex_, kind) in concerns.inherent
        for direction in range(6):
            hexside = hex_.corner(direction - 1), hex_.corner(direction)
            if not any(orientation(*thread.ends, point) for point in hexside):
                other = hex_.neighbour(direction)
                for facing in concerns.across(hex_, kind, other):
                    across += thread.shadows((hexagon(other),)) if whole else shadows(other, facing)
        return across

    for (hex_, kind), below in concerns.parts.items():
        if low >= below or hex_ in (thread.a, thread.b):
            continue
        fact = f"meets({thread.name},{hex_.term},{kind},{thread.ranges(hex_)})"
        yield fact, shadows(hex_, kind), partial(twins, hex_, kind), partial(inside, hex_, kind)


def _crossed(
    shapes: Shapes, concerns: LosRelevance, thread: _Thread, low: int
) -> Iterator[_Candidate]:
    for (kind, where), below in concerns.sides.items():
        if low >= below or not set(thread.ends).isdisjoint(where.ends):
            continue
        drawn = shapes.segments.get((kind, where), ())
        ranges = thread.ranges(where.a, where.b)
        fact = f"crosses({thread.name},{kind},{where.term},{ranges})"
        yield fact, thread.shadows(drawn), list, _any_length
        if kind == BUILDING:
            tips = [(end,) for end in where.ends if any(end in one for one in drawn)]
            fact = f"by_end({thread.name},{where.term})"
            yield fact, thread.shadows(tips), list, _any_length


def _crossed_dot_lines(concerns: LosRelevance, thread: _Thread, low: int) -> Iterator[_Candidate]:
    for where, below in concerns.dot_lines.items():
        dots = where.a.centre, where.b.centre
        if low < below and set(thread.ends).isdisjoint(dots):
            fact = f"crosses_dot_line({thread.name},{where.term})"
            yield fact, thread.shadows((dots,)), list, _any_length


def _left(shapes: Shapes, concerns: LosRelevance, thread: _Thread) -> Iterator[_Candidate]:
    start, end = thread.ends
    for hex_, other in ((thread.a, end), (thread.b, start)):
        if not isinstance(hex_, Hex) or hex_ not in concerns.exits or other in hexagon(hex_):
            continue
        dx, dy = other.x - hex_.centre.x, other.y - hex_.centre.y
        drawn: list[Shifts] = []
        for direction in range(6):
            one, two = hex_.corner(direction - 1), hex_.corner(direction)
            if (two.y - one.y) * dx - (two.x - one.x) * dy <= 0:
                continue  # The thread can enter the hex only here.
            where = hexside_between(hex_, hex_.neighbour(direction))
            whole = [thread.spread((one, two))]
            fact = f"leaves_by({thread.name},{hex_.term},{where.term})"
            yield fact, whole, list, _any_length
            spans = shapes.built_across(where)
            drawn += map(thread.spread, spans)
        yield f"leaves_inside({thread.name},{hex_.term})", drawn, list, _any_length


def _kept(
    shapes: Shapes, concerns: LosRelevance, a: Spot, b: Spot, limit: int
) -> Iterator[CloseCallFact]:
    building = concerns.insides.get(a) if isinstance(a, Hex) else None
    if building is None or not isinstance(b, Hex) or concerns.insides.get(b) != building:
        return
    members = [hex_ for hex_, number in concerns.insides.items() if number == building]
    yield from _tried(
        f"within({a.term},{b.term})", partial(runs_inside, shapes, members), a, b, limit
    )


def _followed(
    shapes: Shapes, concerns: LosRelevance, a: Spot, b: Spot, limit: int
) -> Iterator[CloseCallFact]:
    if concerns.dug.isdisjoint((a, b)):
        return
    open_sides = open_hexsides(shapes, concerns.channels, concerns.channel_sides)
    for spot, turned in ((a, False), (b, True)):
        if not isinstance(spot, Hex) or spot not in concerns.dug:
            continue
        crossed = partial(_crossed_from, open_sides, spot, turned)
        shifts = range(-limit, limit + 1)
        most = max(crossed(*offset_line(a.centre, b.centre, shift)) for shift in shifts)
        for number in range(1, most + 1):
            fact = f"follows_from({a.term},{b.term},{spot.term},{number})"
            yield from _tried(fact, partial(_crosses_at_least, crossed, number), a, b, limit)
    if not {a, b} <= concerns.dug:
        return
    hexes = tuple(hexes_near_line(a.centre, b.centre, limit))
    yield from _tried(
        f"follows({a.term},{b.term})", partial(keeps_to_depression, open_sides, hexes), a, b, limit
    )


def _crossed_from(
    open_sides: Collection[Hexside], hex_: Hex, turned: bool, start: AnyPoint, end: AnyPoint
) -> int:
    way = (end, start) if turned else (start, end)
    return depression_hexsides_crossed(open_sides, hex_, *way)


def _crosses_at_least(
    crossed: Callable[[AnyPoint, AnyPoint], int], number: int, start: AnyPoint, end: AnyPoint
) -> bool:
    return crossed(start, end) >= number


def _on_roads(shapes: Shapes, concerns: LosRelevance, thread: _Thread) -> Iterator[CloseCallFact]:
    a, b, limit = thread.a, thread.b, thread.limit
    for hex_ in sorted(concerns.roads.difference((a, b))):
        spans = (s for d in range(6) for s in shapes.spans.get((hex_, d, ROAD), ()))
        reaches = [thread.spread(span) for span in spans]
        if sum(least <= limit + 1 and most >= -limit - 1 for least, most in reaches) < 2:
            continue  # No shift enters and leaves by the road.
        fact = f"keeps_road({a.term},{b.term},{hex_.term})"
        yield from _tried(fact, partial(keeps_to_road, shapes, hex_), a, b, limit)


def _tried(
    fact: str, holds: Callable[[AnyPoint, AnyPoint], bool], a: Spot, b: Spot, limit: int
) -> Iterator[CloseCallFact]:
    """Yield a fact of the whole thread with the minimum integer shift that changes it, if any."""
    present = holds(a.centre, b.centre)
    for shift in range(1, limit + 1):
        for signed in (shift, -shift):
            if holds(*offset_line(a.centre, b.centre, signed)) != present:
                yield CloseCallFact(fact, present, float(shift))
                return


def offset_line(start: Point, end: Point, shift: float) -> tuple[RationalPoint, RationalPoint]:
    """Return the thread moved sideways, clockwise along it, to about a thousandth of a unit."""
    dx, dy = end.x - start.x, end.y - start.y
    scale = 1000 * shift / hypot(dx, dy)
    x, y = Fraction(round(-dy * scale), 1000), Fraction(round(dx * scale), 1000)
    return RationalPoint(start.x + x, start.y + y), RationalPoint(end.x + x, end.y + y)


def _room(shifts: Iterable[Shifts]) -> float:
    """Return the maximum shift for an unbroken fact."""
    first, last = -inf, -inf
    for least, most in sorted(shifts):
        if least > last + _ROUNDING:
            if last >= 0:
                break
            first = least
        last = max(last, most)
    return max(min(-first, last), 0.0)


def _distance(shifts: Iterable[Shifts]) -> float:
    """Return the minimum shift where the fact holds."""
    return min((max(least, -most, 0.0) for least, most in shifts), default=inf)
