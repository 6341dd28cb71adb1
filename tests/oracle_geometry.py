"""A slow independent measurement of lines of sight, with fractions, point by point.

The thread is cut wherever it meets an edge of a drawing or a hex; in the middle of
each bit, one looks a hair's breadth to the left and to the right. Shares no code with the measuring
modules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from rules_asp.game.grid import Hex, Point, Spot, Vertex, hex_of_spot, hexside_between

Vector = tuple[Fraction, Fraction]


def cross(one: Any, two: Any) -> Any:
    return one[0] * two[1] - one[1] * two[0]


def dot(one: Any, two: Any) -> Any:
    return one[0] * two[0] + one[1] * two[1]


def minus(one: Any, two: Any) -> Vector:
    return Fraction(one[0]) - two[0], Fraction(one[1]) - two[1]


def edges(ring: Sequence[Any]) -> list[tuple[Any, Any]]:
    return [(ring[i - 1], ring[i]) for i in range(len(ring))]


def has_beside(piece: Sequence[Point], point: Vector, towards: Vector) -> bool:
    """Whether a hair's breadth from the point, in this direction, lies inside the convex piece."""
    middle = (
        Fraction(sum(p[0] for p in piece), len(piece)),
        Fraction(sum(p[1] for p in piece), len(piece)),
    )
    for one, two in edges(piece):
        way = minus(two, one)
        inward = cross(way, minus(middle, one))
        here = cross(way, minus(point, one)) * inward
        if here < 0 or (here == 0 and cross(way, towards) * inward <= 0):
            return False
    return True


class Thread:
    """A thread from one point to another, cut into bits at all that it meets."""

    def __init__(self, start: Any, end: Any, rings: Iterable[Sequence[Any]]) -> None:
        self.start, self.way = minus(start, (0, 0)), minus(end, start)
        self.left, self.right = (self.way[1], -self.way[0]), (-self.way[1], self.way[0])
        cuts = {Fraction(0), Fraction(1)}
        length2 = dot(self.way, self.way)
        for one, two in (edge for ring in rings for edge in edges(ring)):
            sides = cross(self.way, minus(one, start)), cross(self.way, minus(two, start))
            if sides[0] * sides[1] < 0:
                edge = minus(two, one)
                cuts.add(cross(minus(one, start), edge) / cross(self.way, edge))
            for point, off in zip((one, two), sides, strict=True):
                if off * off <= length2:  # At most a unit off: spans end so near a hexside.
                    cuts.add(dot(minus(point, start), self.way) / length2)
        at = sorted(t for t in cuts if 0 <= t <= 1)
        self.bits = [(t, u, self.point((t + u) / 2)) for t, u in pairwise(at)]

    def point(self, t: Fraction) -> Vector:
        return self.start[0] + t * self.way[0], self.start[1] + t * self.way[1]

    def on(self, point: Any) -> bool:
        way = minus(point, self.start)
        return cross(self.way, way) == 0 and 0 <= dot(way, self.way) <= dot(self.way, self.way)

    def both_sides(self, pieces: Sequence[Sequence[Point]], point: Vector) -> bool:
        return any(has_beside(p, point, self.left) for p in pieces) and any(
            has_beside(p, point, self.right) for p in pieces
        )

    def runs_along(self, one: Any, two: Any) -> bool:
        return one != two and self.on(one) and self.on(two)

    def has_common_point(self, one: Any, two: Any) -> bool:
        """Whether the thread and the stretch, ends included, have a point in common."""
        stretch, gap = minus(two, one), minus(one, self.start)
        across = cross(self.way, stretch)
        if across:
            t, u = cross(gap, stretch) / across, cross(gap, self.way) / across
            return 0 <= t <= 1 and 0 <= u <= 1
        return self.on(one) or self.on(two)


def facts(
    shapes: Any,
    concerns: Any,
    line: tuple[Spot, Spot],
    lowest: Mapping[Spot, int],
    shift: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0)),
) -> set[str]:
    """The facts of one line, its thread moved by `shift`."""

    def rank(spot: Spot) -> tuple[Any, ...]:
        return (1, *spot.hex, spot.corner) if isinstance(spot, Vertex) else (0, *spot)

    a, b = sorted(line, key=rank)
    name = f"{a.term},{b.term}"
    home, goal = hex_of_spot(a), hex_of_spot(b)
    found = {f"line({name},{home.range_to(goal)})."}
    if home in goal.neighbours() and (home, goal) == (a, b):
        found.add(f"adjoin({name}).")
    if a.centre == b.centre:
        return found
    start = (a.centre.x + shift[0], a.centre.y + shift[1])
    end = (b.centre.x + shift[0], b.centre.y + shift[1])
    around = [
        Hex(col, row)
        for col in range(-2, shapes.grid.cols + 2)
        for row in range(-2, shapes.grid.rows + 3)
    ]
    corners = {hex_: [hex_.corner(k) for k in range(6)] for hex_ in around}
    thread = Thread(
        start,
        end,
        [
            *corners.values(),
            *(piece for pieces in shapes.pieces.values() for piece in pieces),
            *(stretch for span in shapes.spans.values() for stretch in span),
        ],
    )
    low = min(lowest[a], lowest[b])
    concerned = [part for part, below in concerns.parts.items() if low < below]

    def hexside(hex_: Hex, d: int) -> tuple[Point, Point]:
        return hex_.corner(d + 5), hex_.corner(d)

    def beside(hex_: Hex, d: int, kind: str, point: Vector) -> bool:
        """Whether this hex's drawing reaches the hexside at the point on it."""
        if (hex_, kind) in concerns.inherent:
            return True
        one, two = hexside(hex_, d)
        for p, q in shapes.spans.get((hex_, d, kind), ()):
            places = sorted(dot(minus(x, one), minus(two, one)) for x in (p, q))
            if places[0] < dot(minus(point, one), minus(two, one)) < places[1]:
                return True
        return False

    for hex_, kind in concerned:
        if hex_ in (a, b):
            continue
        ranges = f"{hex_.range_to(home)},{hex_.range_to(goal)}"
        meets = f"meets({name},{hex_.term},{kind},{ranges})."
        inherent = (hex_, kind) in concerns.inherent
        pieces = [corners[hex_]] if inherent else shapes.pieces.get((hex_, kind), ())
        # A piece may stick out of its hex by the rounding of its points.
        nearby = [
            point
            for _, _, point in thread.bits
            if max(abs(point[0] - hex_.centre.x), abs(point[1] - hex_.centre.y)) < 302
        ]
        passes = any(thread.both_sides([corners[hex_]], point) for point in nearby)
        if passes and any(thread.both_sides(pieces, point) for point in nearby):
            found.add(meets)
        for d in range(6):
            if not thread.runs_along(*hexside(hex_, d)):
                continue
            other = hex_.neighbour(d)
            if inherent or any(
                beside(hex_, d, kind, point) and beside(other, (d + 3) % 6, kind, point)
                for _, _, point in thread.bits
                if Thread(*hexside(hex_, d), []).on(point)
            ):
                found |= {meets, f"along({name},{hexside_between(hex_, other).term})."}

    for (kind, where), below in concerns.sides.items():
        ends = [p for p in corners_of(where.a) if p in corners_of(where.b)]
        if low >= below or a.centre in ends or b.centre in ends:
            continue
        along = thread.runs_along(*ends)
        drawn = shapes.segments.get((kind, where), ())
        if drawn and (along or any(thread.has_common_point(*stretch) for stretch in drawn)):
            ranges = ",".join(
                str(min(where.a.range_to(spot), where.b.range_to(spot))) for spot in (home, goal)
            )
            found.add(f"crosses({name},{kind},{where.term},{ranges}).")
            if along:
                found.add(f"along({name},{where.term}).")
            tips = [end for end in ends if kind == "building" and any(end in one for one in drawn)]
            if any(thread.has_common_point(tip, tip) for tip in tips):
                found.add(f"by_end({name},{where.term}).")

    for where, below in concerns.dot_lines.items():
        dots = [where.a.centre, where.b.centre]
        at_dot = a.centre in dots or b.centre in dots
        if low < below and not at_dot and thread.has_common_point(*dots):
            found.add(f"crosses_dot_line({name},{where.term}).")

    for spot, other in ((a, b), (b, a)):
        if spot not in concerns.exits or other.centre in corners_of(spot):
            continue
        outwards = Thread(start, end, []) if spot == a else Thread(end, start, [])
        crossings = {}
        for d in range(6):
            one, two = hexside(spot, d)
            across = cross(outwards.way, minus(two, one))
            if across:
                gap = minus(one, outwards.start)
                t = cross(gap, minus(two, one)) / across
                u = cross(gap, outwards.way) / across
                if t > 0 and 0 <= u <= 1:
                    crossings[d] = u
        reached = []
        for d, u in crossings.items():
            one, two = hexside(spot, d)
            spans = shapes.built_across(hexside_between(spot, spot.neighbour(d)))
            if 0 < u < 1:
                found.add(
                    f"leaves_by({name},{spot.term},{hexside_between(spot, spot.neighbour(d)).term})."
                )
                reached.append(any(crossed_inside(outwards, p, q) for p, q in spans))
            else:
                tip = one if u == 0 else two
                reached.append(any(tip in stretch for stretch in spans))
        if reached and all(reached):
            found.add(f"leaves_inside({name},{spot.term}).")

    number = concerns.insides.get(a)
    if number is not None and number == concerns.insides.get(b):
        members = [hex_ for hex_, own in concerns.insides.items() if own == number]
        pieces = [p for hex_ in members for p in shapes.pieces.get((hex_, "building"), ())]

        def indoors(point: Vector) -> bool:
            return thread.both_sides(pieces, point) or any(
                beside(hex_, d, "building", point)
                and beside(hex_.neighbour(d), (d + 3) % 6, "building", point)
                for hex_ in members
                for d in range(6)
                if hex_.neighbour(d) in members
                and thread.runs_along(*hexside(hex_, d))
                and Thread(*hexside(hex_, d), []).on(point)
            )

        longest = gap = Fraction(0)
        for first, last, point in thread.bits:
            gap = Fraction(0) if indoors(point) else gap + last - first
            longest = max(longest, gap)
        if longest**2 * dot(thread.way, thread.way) <= 64:
            found.add(f"within({name}).")

    def runs_across(hex_: Hex, d: int) -> bool:
        """Whether the channels of both hexes reach some stretch of their hexside."""
        other = hex_.neighbour(d)
        dug = {each: [k for h, k in concerns.channels if h == each] for each in (hex_, other)}
        one, two = hexside(hex_, d)
        cuts = {one, two}
        for each, toward in ((hex_, d), (other, (d + 3) % 6)):
            for kind in dug[each]:
                for stretch in shapes.spans.get((each, toward, kind), ()):
                    cuts |= set(stretch)
        ordered = sorted(cuts, key=lambda point: dot(minus(point, one), minus(two, one)))
        middles = [
            ((Fraction(p[0]) + q[0]) / 2, (Fraction(p[1]) + q[1]) / 2) for p, q in pairwise(ordered)
        ]
        return hexside_between(hex_, other) in concerns.channel_sides or any(
            any(beside(hex_, d, kind, point) for kind in dug[hex_])
            and any(beside(other, (d + 3) % 6, kind, point) for kind in dug[other])
            for point in middles
        )

    if {a, b} <= concerns.dug and not any(
        thread.has_common_point(one, two)
        and (
            thread.has_common_point(one, one)
            or thread.has_common_point(two, two)
            or not runs_across(hex_, d)
        )
        for hex_ in around
        for d in range(6)
        for one, two in [hexside(hex_, d)]
    ):
        found.add(f"follows({name}).")
    met: dict[Fraction, bool] = {}
    for hex_ in around if not concerns.dug.isdisjoint((a, b)) else ():
        for d in range(6):
            one, two = hexside(hex_, d)
            across = cross(thread.way, minus(two, one))
            if across and thread.has_common_point(one, two):
                at = cross(minus(one, thread.start), minus(two, one)) / across
                at_end = thread.has_common_point(one, one) or thread.has_common_point(two, two)
                met[at] = met.get(at, True) and not at_end and runs_across(hex_, d)
    for home in {a, b} & concerns.dug:
        for number, at in enumerate(sorted(met, reverse=home == b), 1):
            if not met[at]:
                break
            found.add(f"follows_from({name},{home.term},{number}).")

    for hex_ in concerns.roads - {a, b}:
        spans = [s for d in range(6) for s in shapes.spans.get((hex_, d, "road"), ())]
        if sum(thread.has_common_point(*stretch) for stretch in spans) < 2:
            continue
        own = [bit for bit in thread.bits if thread.both_sides([corners[hex_]], bit[2])]
        longest = gap = Fraction(0)
        for first, last, point in own:
            on = thread.both_sides(shapes.pieces.get((hex_, "road"), ()), point)
            gap = Fraction(0) if on else gap + last - first
            longest = max(longest, gap)
        if own and longest**2 * dot(thread.way, thread.way) <= 64:
            found.add(f"keeps_road({name},{hex_.term}).")
    return found


def crossed_inside(thread: Thread, one: Point, two: Point) -> bool:
    """Whether the thread's line passes strictly between the two points."""
    across = cross(thread.way, minus(two, one))
    return bool(across) and 0 < cross(minus(one, thread.start), thread.way) / across < 1


def corners_of(hex_: Hex) -> list[Point]:
    return [hex_.corner(k) for k in range(6)]
