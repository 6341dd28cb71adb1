"""Overlays: a board text laid on the map, turned by any number of hexsides, in place of what is there.

An overlay covers the hexes of which its text says what is in them. What is printed there and on the
hexsides between them is taken away, and roads end before them; then the overlay has its say. The ground
stays, if the overlay has no levels.
Turned by 180 degrees or not at all, its outlines keep their shape to the unit; by other angles they are
rounded once to the lattice, of which the hexes are not quite regular.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from rules_asp.parser.errors import ValueMistake
from rules_asp.positions.portions import split_building, split_road_at
from rules_asp.terms import board as b
from rules_asp.terms.arguments import Term
from rules_asp.terms.grid import Hex, Hexside, Location, Point, Vertex, hexside_between
from rules_asp.terms.lexicon import vocabulary

#: Printed things that are facts of their own.
_PRINTED = frozenset({"symbol", "road_along", "roads_pass", "cropped", "bridge"})


@dataclass(frozen=True)
class OverlayPlacement:
    """Where the hexes of an overlay come to lie: its hex `own` on `here`, turned by so many hexsides."""

    own: Hex
    here: Hex
    turns: int = 0

    def hex(self, hex_: Hex) -> Hex:
        """Where a hex lies."""
        q, r = _axial(hex_)
        p, s = _axial(self.own)
        q, r = q - p, r - s
        for _ in range(self.turns):
            # One hexside clockwise.
            q, r = -r, q + r
        t, u = _axial(self.here)
        return _offset(q + t, r + u)

    def side(self, where: Hexside) -> Hexside:
        """Where a hexside lies."""
        return hexside_between(self.hex(where.a), self.hex(where.b))

    def point(self, point: Point) -> Point:
        """Where a point lies, to the nearest unit."""
        x, y = Fraction(point.x - self.own.centre.x), Fraction(point.y - self.own.centre.y)
        for _ in range(self.turns):
            # What turns each vertex of a hex into the next.
            x, y = x / 2 - y * Fraction(450, 516), x * Fraction(387, 450) + y / 2
        return Point(self.here.centre.x + round(x), self.here.centre.y + round(y))

    def term(self, value: Term, kind: str) -> Term:
        """Where an argument of a fact lies."""
        if isinstance(value, Hexside):
            return self.side(value)
        if isinstance(value, Location):
            spot = self.term(value.spot, "spot")
            assert isinstance(spot, Hex | Vertex)
            return Location(spot, value.floor)
        if isinstance(value, Vertex):
            return Vertex(self.hex(value.hex), (value.corner + self.turns) % 6)
        if isinstance(value, Hex):
            return self.hex(value)
        if kind == "corner" and isinstance(value, int):
            return (value + self.turns) % 6
        return value


def _axial(hex_: Hex) -> tuple[int, int]:
    """Coordinates along the columns and along the rows that go down to the right."""
    return hex_.col, hex_.row - (hex_.col + 1) // 2 + hex_.col % 2


def _offset(q: int, r: int) -> Hex:
    return Hex(q, r + (q + 1) // 2 - q % 2)


def placing_of(overlay: b.Overlay) -> OverlayPlacement:
    """How an overlay lies; Mistake where two hexes come to lie on one."""
    own, here = overlay.own, overlay.here
    if len(own) != len(here):
        raise ValueMistake("an overlay lies by one hex, or by two neighbours on two neighbours")
    if len(own) == 1:
        return OverlayPlacement(own[0], here[0])
    turns = here[0].neighbours().index(here[1]) - own[0].neighbours().index(own[1])
    return OverlayPlacement(own[0], here[0], turns % 6)


def covered_hexes(board: b.Board) -> frozenset[Hex]:
    """The hexes of an overlay that its text says something of."""
    found: set[Hex] = set()
    for each in board.statements:
        match each:
            case b.Area(_, hexes) | b.Level(_, hexes) | b.Building(_, hexes):
                found |= set(hexes)
            case b.Fact(_, args):
                found |= {arg for arg in args if isinstance(arg, Hex)}
    return frozenset(found)


def has_levels(board: b.Board) -> bool:
    """Whether an overlay says how high its ground is."""
    return any(
        isinstance(each, b.Level) or (isinstance(each, b.Outline) and each.level is not None)
        for each in board.statements
    )


def without_hexes(
    statement: b.Statement, gone: frozenset[Hex], ground: bool
) -> Iterator[b.Statement]:
    """What is left of a statement of the map where some hexes are covered, perhaps with their ground."""
    match statement:
        case b.Area(kind, hexes):
            yield from _left(lambda left: b.Area(kind, left), hexes, gone)
        case b.Level(level, hexes) if ground:
            yield from _left(lambda left: b.Level(level, left), hexes, gone)
        case b.Building():
            rest: b.Building | None = statement
            for hex_ in statement.hexes:
                if rest is not None and hex_ in gone:
                    rest = split_building(rest, hex_)[0]
            if rest is not None:
                yield rest
        case b.HexsideTerrain(kind, sides):
            left = tuple(where for where in sides if not gone.issuperset(where))
            if left:
                yield statement if left == sides else b.HexsideTerrain(kind, left)
        case b.Road(surface, hexes):
            ways = [hexes]
            for pair in pairwise(hexes):
                if not gone.isdisjoint(pair):
                    where = hexside_between(*pair)
                    ways = [piece for way in ways for piece in split_road_at(way, where)]
            for way in ways:
                if len(way) > 1:
                    yield statement if way == hexes else b.Road(surface, way)
        case b.Fact(name, args) if name in _PRINTED:
            named = {arg for arg in args if isinstance(arg, Hex)}
            named |= {hex_ for arg in args if isinstance(arg, Hexside) for hex_ in arg}
            if not named or not named <= gone:
                yield statement
        case b.Doubt(where):
            touched = {where} if isinstance(where, Hex) else set(where)
            if not touched <= gone:
                yield statement
        case _:
            yield statement


def _left(
    make: Callable[[tuple[Hex, ...]], b.Statement], hexes: tuple[Hex, ...], gone: frozenset[Hex]
) -> Iterator[b.Statement]:
    left = tuple(hex_ for hex_ in hexes if hex_ not in gone)
    if left:
        yield make(left)


def place_statement(statement: b.Statement, at: OverlayPlacement) -> b.Statement:
    """A statement of an overlay as one of the map."""
    match statement:
        case b.Area(kind, hexes):
            return b.Area(kind, tuple(map(at.hex, hexes)))
        case b.Level(level, hexes):
            return b.Level(level, tuple(map(at.hex, hexes)))
        case b.Building():
            return replace(
                statement,
                hexes=tuple(map(at.hex, statement.hexes)),
                joined=tuple(map(at.side, statement.joined)),
                stairwells=tuple(map(at.hex, statement.stairwells)),
                bars=tuple(_bar(bar, at) for bar in statement.bars),
            )
        case b.HexsideTerrain(kind, sides):
            return b.HexsideTerrain(kind, tuple(map(at.side, sides)))
        case b.Road(surface, hexes):
            return b.Road(surface, tuple(map(at.hex, hexes)))
        case b.Outline(outer=outer, holes=holes):
            rings = (tuple(map(at.point, ring)) for ring in holes)
            return replace(statement, outer=tuple(map(at.point, outer)), holes=tuple(rings))
        case b.Doubt(where, text):
            return b.Doubt(at.hex(where) if isinstance(where, Hex) else at.side(where), text)
        case b.Fact(name, args):
            kinds = vocabulary().inputs[name].kinds
            return b.Fact(name, tuple(map(at.term, args, kinds)))
        case b.UnitStatement(name, facts):
            return b.UnitStatement(name, tuple(f for f in map(_given(at), facts)))
    return statement


def _given(at: OverlayPlacement) -> Callable[[b.Fact], b.Fact]:
    def placed(given: b.Fact) -> b.Fact:
        kinds = vocabulary().inputs[given.name].kinds
        return b.Fact(given.name, tuple(map(at.term, given.args, kinds)))

    return placed


def _bar(bar: b.Bar, at: OverlayPlacement) -> b.Bar:
    """A bar, whose extent is counted from the left end of where it comes to lie."""
    where = at.side(bar.side)
    if bar.covers is None:
        return b.Bar(where)
    direction = bar.side.a.neighbours().index(bar.side.b)
    start = bar.side.a.corner(direction - 1)
    corner = (direction - 1 if bar.side.ends[0] == start else direction) + at.turns
    if at.hex(bar.side.a).corner(corner) == where.ends[0]:
        return b.Bar(where, bar.covers)
    first, last = bar.covers
    return b.Bar(where, (60 - last, 60 - first))
