"""How near a thing a line was: what a small shift of its thread would bring in or take away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import hypot, inf
from typing import NamedTuple

from rules_asp.lines.exact import RationalPoint, inside, place, turn
from rules_asp.lines.geometry import Concerns, survey
from rules_asp.lines.outlines import hexagon
from rules_asp.lines.shapes import BUILDING, Shapes
from rules_asp.terms.grid import Hex, Point, Spot, side, spot_hex, term_order

#: Shifts of the thread, in lattice units, at which a fact holds; positive clockwise.
Shifts = tuple[float, float]

#: Two pixels.
LIMIT = 16

# Far less than a lattice point can be off a thread without being on it.
_ROUNDING = 1e-6


class Near(NamedTuple):
    """A fact that is present or not, and the least sideways shift of the thread that changes it."""

    fact: str
    present: bool
    margin: float


def near(
    shapes: Shapes,
    concerns: Concerns,
    line: tuple[Spot, Spot],
    lowest: Mapping[Spot, int],
    limit: int = LIMIT,
) -> tuple[Near, ...]:
    """The facts of a line that a shift of its thread by at most `limit` units changes.

    The nearest thing comes first. Facts are as in `rules_asp.lines.geometry`, without the full stop:
    meets, crosses, by_end, crosses_dot_line, leaves_inside, leaves_by, within (its margin in whole
    units). A shift moves both ends alike, square to the thread. Where the thread runs along a
    hexside, the drawings of a kind on both sides count as one for a fact that is present. A margin
    of 0: the thread touches what it does not meet, or only just meets it.
    """
    a, b = sorted(line, key=term_order)
    if a.centre == b.centre:
        return ()
    facts = frozenset(survey(shapes, concerns, [(a, b)], lowest).facts)
    found = []
    low = min(lowest[a], lowest[b])
    for fact, own, together in (
        *_met(shapes, concerns, a, b, low),
        *_crossed(shapes, concerns, a, b, low),
        *_crossed_dot_lines(concerns, a, b, low),
        *_left(shapes, concerns, a, b),
    ):
        present = f"{fact}." in facts
        margin = _room(together) if present else _distance(own)
        if margin <= limit:
            found.append(Near(fact, present, margin))
    found += _kept(shapes, concerns, a, b, limit)
    return tuple(sorted(found, key=lambda one: (one.margin, one.fact)))


#: A fact, the shifts at which it holds, and those at which it holds or its twin across a hexside.
_Candidate = tuple[str, list[Shifts], list[Shifts]]


def _met(shapes: Shapes, concerns: Concerns, a: Spot, b: Spot, low: int) -> Iterator[_Candidate]:
    start, end = a.centre, b.centre

    def shadows(hex_: Hex, kind: str) -> list[Shifts]:
        whole = (hex_, kind) in concerns.inherent
        pieces = (hexagon(hex_),) if whole else shapes.pieces.get((hex_, kind), ())
        return _shadows(pieces, start, end)

    for (hex_, kind), below in concerns.parts.items():
        if low >= below or hex_ in (a, b):
            continue
        own = shadows(hex_, kind)
        together = list(own)
        for direction in range(6):
            hexside = hex_.corner(direction - 1), hex_.corner(direction)
            if not any(turn(start, end, point) for point in hexside):
                together += shadows(hex_.neighbour(direction), kind)
        yield f"meets({_ends(a, b)},{hex_.term},{kind},{_ranges(a, b, hex_)})", own, together


def _crossed(
    shapes: Shapes, concerns: Concerns, a: Spot, b: Spot, low: int
) -> Iterator[_Candidate]:
    for (kind, where), below in concerns.sides.items():
        if low >= below or a.centre in where.ends or b.centre in where.ends:
            continue
        drawn = shapes.segments.get((kind, where), ())
        own = _shadows(drawn, a.centre, b.centre)
        ranges = _ranges(a, b, where.a, where.b)
        yield f"crosses({_ends(a, b)},{kind},{where.term},{ranges})", own, own
        if kind == BUILDING:
            tips = [(end,) for end in where.ends if any(end in one for one in drawn)]
            by_end = _shadows(tips, a.centre, b.centre)
            yield f"by_end({_ends(a, b)},{where.term})", by_end, by_end


def _crossed_dot_lines(concerns: Concerns, a: Spot, b: Spot, low: int) -> Iterator[_Candidate]:
    for where, below in concerns.dot_lines.items():
        dots = where.a.centre, where.b.centre
        if low >= below or a.centre in dots or b.centre in dots:
            continue
        own = _shadows((dots,), a.centre, b.centre)
        yield f"crosses_dot_line({_ends(a, b)},{where.term})", own, own


def _left(shapes: Shapes, concerns: Concerns, a: Spot, b: Spot) -> Iterator[_Candidate]:
    for hex_, other in ((a, b.centre), (b, a.centre)):
        if not isinstance(hex_, Hex) or hex_ not in concerns.exits or other in hexagon(hex_):
            continue
        dx, dy = other.x - hex_.centre.x, other.y - hex_.centre.y
        drawn: list[Shifts] = []
        for direction in range(6):
            one, two = hex_.corner(direction - 1), hex_.corner(direction)
            if (two.y - one.y) * dx - (two.x - one.x) * dy <= 0:
                continue  # The thread can only enter the hex here.
            whole = [_offsets((one, two), a.centre, b.centre)]
            where = side(hex_, hex_.neighbour(direction))
            yield f"leaves_by({_ends(a, b)},{hex_.term},{where.term})", whole, whole
            spans = shapes.spans.get((hex_, direction, BUILDING), ())
            drawn += (_offsets(stretch, a.centre, b.centre) for stretch in spans)
        yield f"leaves_inside({_ends(a, b)},{hex_.term})", drawn, drawn


def _kept(shapes: Shapes, concerns: Concerns, a: Spot, b: Spot, limit: int) -> Iterator[Near]:
    building = concerns.insides.get(a) if isinstance(a, Hex) else None
    if building is None or not isinstance(b, Hex) or concerns.insides.get(b) != building:
        return
    members = [hex_ for hex_, number in concerns.insides.items() if number == building]
    present = inside(shapes, members, a.centre, b.centre)
    for shift in range(1, limit + 1):
        for signed in (shift, -shift):
            if inside(shapes, members, *shifted(a.centre, b.centre, signed)) != present:
                yield Near(f"within({_ends(a, b)})", present, float(shift))
                return


def shifted(start: Point, end: Point, shift: float) -> tuple[RationalPoint, RationalPoint]:
    """The thread moved sideways, clockwise seen along it, to a thousandth of a unit or so."""
    dx, dy = end.x - start.x, end.y - start.y
    scale = 1000 * shift / hypot(dx, dy)
    x, y = Fraction(round(-dy * scale), 1000), Fraction(round(dx * scale), 1000)
    return RationalPoint(start.x + x, start.y + y), RationalPoint(end.x + x, end.y + y)


def _ends(a: Spot, b: Spot) -> str:
    return f"{a.term},{b.term}"


def _ranges(a: Spot, b: Spot, *hexes: Hex) -> str:
    one, two = (min(hex_.range_to(spot_hex(spot)) for hex_ in hexes) for spot in (a, b))
    return f"{one},{two}"


def _offset(point: Point, start: Point, end: Point) -> float:
    return float(turn(start, end, point)) / hypot(end.x - start.x, end.y - start.y)


def _offsets(points: Iterable[Point], start: Point, end: Point) -> Shifts:
    """How far to the side of the thread some points lie at least and at most."""
    offsets = [_offset(point, start, end) for point in points]
    return min(offsets), max(offsets)


def _shadows(shapes: Iterable[Sequence[Point]], start: Point, end: Point) -> list[Shifts]:
    """The shifts at which the thread, from end to end, meets some convex shapes."""
    found = []
    for shape in shapes:
        offsets = [_offset(point, start, end) for point in shape]
        places = [float(place(start, end, point)) for point in shape]
        if max(places) <= 0 or min(places) >= 1:
            continue
        seen = [o for o, t in zip(offsets, places, strict=True) if 0 <= t <= 1]
        for i in range(len(shape)):
            one, two = places[i - 1], places[i]
            # Where the rim of the shape passes square by an end of the thread.
            for t in (0, 1):
                if min(one, two) < t < max(one, two):
                    part = (t - one) / (two - one)
                    seen.append(offsets[i - 1] + part * (offsets[i] - offsets[i - 1]))
        found.append((min(seen), max(seen)))
    return found


def _room(shifts: Iterable[Shifts]) -> float:
    """How far one can shift while the fact holds all the way."""
    first, last = -inf, -inf
    for least, most in sorted(shifts):
        if least > last + _ROUNDING:
            if last >= 0:
                break
            first = least
        last = max(last, most)
    return max(min(-first, last), 0.0)


def _distance(shifts: Iterable[Shifts]) -> float:
    """The least shift at which the fact holds."""
    return min((max(least, -most, 0.0) for least, most in shifts), default=inf)
