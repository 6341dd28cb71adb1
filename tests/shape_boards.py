"""Random small boards and drawings for the tests of shapes and measuring, and their symmetries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import clingo
from hypothesis import strategies as st

from rules_asp.game.board import (
    Area,
    Bar,
    Board,
    Building,
    HexsideTerrain,
    Level,
    Outline,
    Ring,
    Road,
    Statement,
)
from rules_asp.game.grid import (
    Grid,
    Hex,
    Hexside,
    Point,
    Spot,
    Vertex,
    hex_of_spot,
    hexside_between,
)
from rules_asp.geometry.polygons import Stretch, ring_orientation
from rules_asp.geometry.shapes import BUILDING, ROAD, Shapes
from rules_asp.geometry.survey import LosRelevance

GRID = Grid(5, 4)
HEXES = GRID.hexes()
SIDES = tuple(sorted({hexside_between(h, n) for h in HEXES for n in h.neighbours() if n in GRID}))
SPOTS: tuple[Spot, ...] = (*HEXES, *(Vertex(h, k) for h in HEXES for k in range(6)))

Line = tuple[Spot, Spot]


def _axes(spot: Spot) -> tuple[int, int, int]:
    x, y = spot.centre
    return y, 258 * x - 150 * y, 258 * x + 150 * y


#: Lines along a row of hexsides: on a hexspine, or beside one.
STRAIGHT: tuple[Line, ...] = tuple(
    (a, b)
    for a, b in combinations(SPOTS, 2)
    if any(one == two for one, two in zip(_axes(a), _axes(b), strict=True))
)


def some(of: tuple[Hex, ...] | tuple[Hexside, ...]) -> st.SearchStrategy[tuple[int, ...]]:
    """The places of some of these, few or many."""
    places = st.sets(st.integers(0, len(of) - 1), max_size=len(of))
    mask = st.integers(0, 2 ** len(of) - 1).map(
        lambda bits: {i for i in range(len(of)) if bits >> i & 1}
    )
    return st.one_of(places, mask).map(lambda found: tuple(sorted(found)))


some_hexes = some(HEXES).map(lambda found: tuple(HEXES[i] for i in found))
some_sides = some(SIDES).map(lambda found: tuple(SIDES[i] for i in found))
lines = st.one_of(
    st.tuples(st.sampled_from(HEXES), st.sampled_from(HEXES)),
    st.tuples(st.sampled_from(SPOTS), st.sampled_from(SPOTS)),
    st.sampled_from(STRAIGHT),
)


@st.composite
def _buildings(draw: st.DrawFn) -> Building:
    hexes = draw(some_hexes)
    inner = [s for s in SIDES if s.a in hexes and s.b in hexes]
    apart = draw(st.sets(st.sampled_from(inner), max_size=3)) if inner else set()
    barred = draw(st.sets(st.sampled_from(inner), max_size=5)) if inner else set()
    covers = st.tuples(st.integers(0, 59), st.integers(1, 60)).filter(lambda c: c[0] < c[1])
    bars = tuple(Bar(one, draw(st.none() | covers)) for one in sorted(barred))
    return Building("gray", hexes, joined=tuple(s for s in inner if s not in apart), bars=bars)


def _has_area(ring: Ring) -> bool:
    a, *others = ring
    return any(ring_orientation(a, b, c) for b, c in combinations(others, 2))


#: Points that are often on one line with centre dots and vertices, and any others.
_points = st.one_of(
    st.sampled_from(sorted({p for h in HEXES for p in (h.centre, *map(h.corner, range(6)))})),
    st.builds(lambda i, j: Point(25 * i, 43 * j), st.integers(-12, 84), st.integers(-4, 52)),
    st.builds(Point, st.integers(-300, 2100), st.integers(-258, 2322)),
)
rings = st.lists(_points, min_size=3, max_size=7, unique=True).map(tuple).filter(_has_area)


@st.composite
def outlines(draw: st.DrawFn) -> Outline:
    kind = draw(st.sampled_from((BUILDING, ROAD, "woods", "ground")))
    holes = draw(st.lists(rings, max_size=1))
    level = draw(st.integers(1, 2)) if kind == "ground" else None
    return Outline(kind, draw(rings), tuple(holes), level)


@st.composite
def boards(draw: st.DrawFn, outlined: bool = True) -> Board:
    """A board with a bit of everything, with outlines or with default shapes only."""
    statements: list[Statement] = [
        draw(_buildings()),
        Area("woods", draw(some_hexes)),
        Area("orchard", draw(some_hexes)),
        Level(draw(st.sampled_from((-1, 1, 2))), draw(some_hexes)),
        HexsideTerrain("wall", draw(some_sides)),
        *(Road("paved", (one.a, one.b)) for one in (SIDES[i] for i in draw(some(SIDES)))),
    ]
    if outlined:
        statements += draw(st.lists(outlines(), min_size=1, max_size=4))
    return Board("any", GRID, tuple(statements))


@st.composite
def fans(draw: st.DrawFn) -> Shapes:
    """Hexes cut into six triangles like a cake, some eaten: hexspine threads run along the cuts."""
    pieces = {}
    spans = {}
    for kind in ("woods", BUILDING, ROAD):
        for hex_ in draw(some_hexes):
            slices = draw(st.sets(st.integers(0, 5), min_size=1))
            pieces[hex_, kind] = tuple(
                (hex_.centre, hex_.corner(d - 1), hex_.corner(d)) for d in sorted(slices)
            )
            for d in slices:
                spans[hex_, d, kind] = ((hex_.corner(d - 1), hex_.corner(d)),)
    walls = {("wall", where): (where.ends,) for where in draw(some_sides)}
    return Shapes(GRID, pieces, spans, walls)


LOWEST = {spot: (hex_of_spot(spot).col + hex_of_spot(spot).row) % 4 for spot in SPOTS}


def concerns_of(shapes: Shapes) -> LosRelevance:
    """Everything matters, most of it whatever the ends; orchard is inherent; two buildings."""
    built = frozenset(hex_ for hex_, kind in shapes.pieces if kind == BUILDING)
    return LosRelevance(
        parts={part: 2 if (part[0].col + part[0].row) % 5 == 0 else 9 for part in shapes.pieces},
        inherent=frozenset(part for part in shapes.pieces if part[1] == "orchard"),
        sides={feature: 2 if feature[1].a.row == 2 else 9 for feature in shapes.segments},
        exits=built,
        insides={hex_: int(hex_.col == 4) for hex_ in built},
        dot_lines={where: 2 if where.a.row == 2 else 9 for where in SIDES[::5]},
        channels=frozenset(part for part in shapes.pieces if part[1] in ("woods", "orchard")),
        channel_sides=frozenset(SIDES[::4]),
        dug=frozenset(HEXES[1:]),
        roads=frozenset(HEXES[2:]),
    )


@dataclass(frozen=True)
class Symmetry:
    """A way to map a map of `GRID` onto another: hexes and points; directions, if it mirrors."""

    hex: Callable[[Hex], Hex]
    point: Callable[[Point], Point]
    direction: Callable[[int], int]
    mirrors: bool = False

    def side(self, where: Hexside) -> Hexside:
        return hexside_between(self.hex(where.a), self.hex(where.b))

    def spot(self, spot: Spot) -> Spot:
        if isinstance(spot, Hex):
            return self.hex(spot)
        hex_, place = self.hex(spot.hex), self.point(spot.centre)
        return Vertex(hex_, [hex_.corner(k) for k in range(6)].index(place))

    def stretch(self, stretch: Stretch) -> Stretch:
        one, two = map(self.point, stretch)
        return (two, one) if self.mirrors else (one, two)

    def shapes(self, shapes: Shapes) -> Shapes:
        return Shapes(
            shapes.grid,
            {
                (self.hex(h), kind): tuple(tuple(map(self.point, p)) for p in pieces)
                for (h, kind), pieces in shapes.pieces.items()
            },
            {
                (self.hex(h), self.direction(d), kind): tuple(map(self.stretch, span))
                for (h, d, kind), span in shapes.spans.items()
            },
            {
                (kind, self.side(where)): tuple(map(self.stretch, drawn))
                for (kind, where), drawn in shapes.segments.items()
            },
        )

    def concerns(self, concerns: LosRelevance) -> LosRelevance:
        return LosRelevance(
            {(self.hex(h), kind): below for (h, kind), below in concerns.parts.items()},
            frozenset((self.hex(h), kind) for h, kind in concerns.inherent),
            {(kind, self.side(s)): below for (kind, s), below in concerns.sides.items()},
            frozenset(map(self.hex, concerns.exits)),
            {self.hex(h): number for h, number in concerns.insides.items()},
            dot_lines={self.side(s): below for s, below in concerns.dot_lines.items()},
            channels=frozenset((self.hex(h), kind) for h, kind in concerns.channels),
            channel_sides=frozenset(map(self.side, concerns.channel_sides)),
            dug=frozenset(map(self.hex, concerns.dug)),
            roads=frozenset(map(self.hex, concerns.roads)),
        )

    def _bar(self, bar: Bar) -> Bar:
        where = self.side(bar.side)
        if bar.covers and self.point(bar.side.ends[0]) != where.ends[0]:
            return Bar(where, (60 - bar.covers[1], 60 - bar.covers[0]))
        return Bar(where, bar.covers)

    def board(self, board: Board) -> Board:
        """A board of `boards(outlined=False)`."""
        moved: list[Statement] = []
        for one in board.statements:
            match one:
                case Road(surface, hexes):
                    moved.append(Road(surface, tuple(map(self.hex, hexes))))
                case Building():
                    hexes, joined = map(self.hex, one.hexes), map(self.side, one.joined)
                    bars = tuple(map(self._bar, one.bars))
                    moved.append(Building("gray", tuple(hexes), None, tuple(joined), (), bars))
                case Area():
                    moved.append(Area(one.kind, tuple(map(self.hex, one.hexes))))
                case Level():
                    moved.append(Level(one.level, tuple(map(self.hex, one.hexes))))
                case HexsideTerrain():
                    moved.append(HexsideTerrain(one.kind, tuple(map(self.side, one.sides))))
                case _:
                    raise AssertionError(one)
        return Board(board.name, board.grid, tuple(moved))

    def fact(self, text: str) -> str:
        fact = clingo.parse_term(text.removesuffix("."))
        (a, b), rest = fact.arguments[:2], list(fact.arguments[2:])
        one, two = self._term(a), self._term(b)
        if clingo.parse_term(two) < clingo.parse_term(one):
            one, two = two, one
            if fact.name in ("meets", "crosses"):
                rest[-2:] = reversed(rest[-2:])
        return f"{fact.name}({','.join([one, two, *map(self._term, rest)])})."

    def _term(self, term: clingo.Symbol) -> str:
        if term.type is not clingo.SymbolType.Function:
            return str(term)
        numbers = [one.arguments for one in (term, *term.arguments) if one.match("", 2)]
        hexes = [Hex(one.number, two.number) for one, two in numbers]
        if term.match("", 2):
            return self.hex(hexes[0]).term
        if term.match("e", 2):
            return self.side(Hexside(*hexes)).term
        if term.match("v", 2):
            return self.spot(Vertex(hexes[0], term.arguments[1].number)).term
        return str(term)


_WIDTH, _HEIGHT = 450 * (GRID.cols - 1), 516 * GRID.rows

MIRRORED = Symmetry(
    lambda h: Hex(GRID.cols - 1 - h.col, h.row),
    lambda p: Point(_WIDTH - p.x, p.y),
    lambda d: -d % 6,
    mirrors=True,
)
TURNED = Symmetry(
    lambda h: Hex(GRID.cols - 1 - h.col, GRID.rows + 1 - h.col % 2 - h.row),
    lambda p: Point(_WIDTH - p.x, _HEIGHT - p.y),
    lambda d: (d + 3) % 6,
)
SHIFTED = Symmetry(
    lambda h: Hex(h.col + 6, h.row + 3),
    lambda p: Point(p.x + 6 * 450, p.y + 3 * 516),
    lambda d: d,
)
