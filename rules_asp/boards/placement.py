"""Boards and overlays placed on one map; seams between them.

An overlay covers the hexes of which its text says what is in them. What is printed there and on the
hexsides between them is taken away, and roads end before them; then the overlay has its say. The ground
stays, if the overlay has no levels.
Turned by 180 degrees or not at all, its outlines keep their shape to the unit; by other angles they are
rounded once to the lattice, of which the hexes are not quite regular.

Alone, a drawing that no outline gives fills its hex, and so does the ground. At a seam it ends where the
board ends, if the other board has outlines; so it is given one here.

Nothing is decided here of what a hex is by the rules. A board's drawings stay on its own lattice
(`Outline.on`), so that they are cut as they are cut of the board alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from rules_asp.boards.statement_ops import split_building, split_road_at, substitute_terrain
from rules_asp.game import board as b
from rules_asp.game.grid import (
    Grid,
    Hex,
    Hexside,
    Location,
    MapBoard,
    Point,
    Spot,
    Vertex,
    hexside_between,
)
from rules_asp.game.map_layout import map_names
from rules_asp.game.values import Term, word_text
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.geometry.polygons import hexagon
from rules_asp.geometry.shapes import BUILDING, default_building
from rules_asp.parser.errors import ValueMistake

# --- Overlays: a board text laid on the map, turned by any number of hexsides, in place of what
#     is there.


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


def place_statement(statement: b.Statement, at: OverlayPlacement, words: Vocabulary) -> b.Statement:
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
            kinds = words.inputs[name].kinds
            return b.Fact(name, tuple(map(at.term, args, kinds)))
        case b.UnitStatement(name, facts):
            return b.UnitStatement(name, tuple(f for f in map(_given(at, words), facts)))
    return statement


def _given(at: OverlayPlacement, words: Vocabulary) -> Callable[[b.Fact], b.Fact]:
    def placed(given: b.Fact) -> b.Fact:
        kinds = words.inputs[given.name].kinds
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


# --- What a board draws in its half of a hex at a seam, where the board says it without an
#     outline.


def seam_outlines(
    grid: Grid, boards: Mapping[str, b.Board], shared: Mapping[Hex, list[MapBoard]]
) -> Iterator[b.Outline]:
    """The outlines, by board, of what is drawn at seams by default."""
    sheets = {
        part.label: _Sheet(part, boards[part.label]) for part in grid.parts if part.label in boards
    }
    levels = {level for sheet in sheets.values() for level in sheet.levels}
    lowest = min(levels, default=0)
    for hex_, parts in shared.items():
        here = [sheets[part.label] for part in parts if part.label in sheets]
        if any(sheet.outlined for sheet in here):
            for sheet in here:
                yield from sheet.drawn(sheet.part.own(hex_), sorted(levels - {lowest}))


class _Sheet:
    """One board: what it draws by outlines, what it has in which hex."""

    def __init__(self, part: MapBoard, board: b.Board) -> None:
        self.part = part
        self.outlined: set[str] = set()
        self.bases = dict.fromkeys(board.grid.hexes(), 0)
        self.areas: dict[Hex, list[str]] = {}
        self.built: set[Hex] = set()
        self.board = board
        grounds: set[int] = set()
        for each in board.statements:
            match each:
                case b.Outline(kind, level=level):
                    self.outlined.add(kind)
                    grounds |= set() if level is None else {level}
                case b.Level(level, hexes):
                    self.bases |= dict.fromkeys(hexes, level)
                case b.Area("lumberyard", hexes) | b.Building(_, hexes):
                    self.built |= set(hexes)
                case b.Area(kind, hexes) if kind not in b.PRINTED_MARKS:
                    for hex_ in hexes:
                        self.areas.setdefault(hex_, []).append(kind)
        self.levels = {*self.bases.values(), *grounds, *(level - 1 for level in grounds)}
        #: What is drawn of the ground lies above this level, on which the whole board lies.
        self.floor = min(grounds) - 1 if grounds else None

    def drawn(self, own: Hex, levels: Iterable[int]) -> Iterator[b.Outline]:
        """What of this board lies in one of its hexes without an outline."""
        whole = b.Outline("", hexagon(own), on=self.part.label)
        for kind in self.areas.get(own, ()):
            if kind not in self.outlined:
                yield replace(whole, kind=kind)
        if own in self.built and BUILDING not in self.outlined:
            for piece in default_building(self.board, own):
                yield replace(whole, kind=BUILDING, outer=piece)
        floor = self.bases[own] if self.floor is None else self.floor
        for level in levels:
            if level <= floor:
                yield replace(whole, kind="ground", level=level)


# --- Boards laid on one map: what each of them says in the names of the map, and what they share
#     at a seam.


#: A statement, and where it stands.
PlacedStatements = tuple[b.Statement, b.SourcePosition]


def merge_boards(
    grid: Grid,
    boards: Mapping[str, b.Board],
    treats: Collection[b.TerrainSubstitution],
    words: Vocabulary,
) -> tuple[list[PlacedStatements], list[ValueMistake]]:
    """What resolved boards say, by their labels, as statements of the map; and what cannot be.

    `treats` say what terrain of one board counts as.

    Where two boards meet, a hex has the drawings of both; where they contradict each other, the map has
    a Doubt.
    """
    seam = _Seam(grid, words)
    said: list[PlacedStatements] = []
    for part in grid.parts:
        board = boards.get(part.label)
        if board is None:
            continue
        laying = _Laying(part, words)
        own = [treat for treat in treats if treat.on == part.label]
        for index, statement in enumerate(board.statements):
            now = substitute_terrain(statement, own)
            for placed in () if now is None else laying.placed(now):
                said += ((each, board.place(index)) for each in seam.merged(part, placed))
        seam.mistakes += laying.mistakes
    here = b.SourcePosition("map", 0)
    added = (*seam.doubts(), *seam_outlines(grid, boards, seam.shared))
    return [*said, *((each, here) for each in added)], seam.mistakes


class _Laying:
    """One board, as it lies."""

    def __init__(self, part: MapBoard, words: Vocabulary) -> None:
        self.part = part
        self.words = words
        self.field = part.own_field
        self.mistakes: list[ValueMistake] = []

    def placed(self, statement: b.Statement) -> Iterator[b.Statement]:
        """A statement of the board as statements of the map, as far as it is of hexes that are left."""
        match statement:
            case b.Area(kind, hexes):
                yield from _some(b.Area(kind, self.hexes(hexes)))
            case b.Level(level, hexes):
                yield from _some(b.Level(level, self.hexes(hexes)))
            case b.Building():
                yield from self.building(statement)
            case b.HexsideTerrain(kind, sides):
                yield from _some(b.HexsideTerrain(kind, self.sides(sides)))
            case b.Road(surface, hexes):
                for way in self.ways(hexes):
                    yield b.Road(surface, way)
            case b.Outline():
                yield replace(statement, on=self.part.label)
            case b.Doubt(where, text):
                for place in (
                    self.hexes((where,)) if isinstance(where, Hex) else self.sides((where,))
                ):
                    yield b.Doubt(place, text)
            case b.Fact():
                given = self.given(statement, None)
                if given is not None:
                    yield given
            case b.UnitStatement(name, facts):
                yield from self.thing(name, facts)
            case _:
                yield statement

    def hexes(self, hexes: Iterable[Hex]) -> tuple[Hex, ...]:
        return tuple(self.part.placed(hex_) for hex_ in hexes if hex_ in self.field)

    def side(self, where: Hexside) -> Hexside | None:
        if where.a not in self.field or where.b not in self.field:
            return None
        return hexside_between(self.part.placed(where.a), self.part.placed(where.b))

    def sides(self, sides: Iterable[Hexside]) -> tuple[Hexside, ...]:
        return tuple(placed for where in sides if (placed := self.side(where)) is not None)

    def ways(self, hexes: tuple[Hex, ...]) -> Iterator[tuple[Hex, ...]]:
        """A road, in as many pieces as the rim of the map cuts it into."""
        way: list[Hex] = []
        for one, other in pairwise(hexes):
            if one in self.field and other in self.field:
                way = way or [self.part.placed(one)]
                way.append(self.part.placed(other))
            elif way:
                yield tuple(way)
                way = []
        if way:
            yield tuple(way)

    def building(self, building: b.Building) -> Iterator[b.Statement]:
        hexes = self.hexes(building.hexes)
        if not hexes:
            return
        yield replace(
            building,
            hexes=hexes,
            joined=self.sides(building.joined),
            stairwells=self.hexes(building.stairwells),
            bars=tuple(self.bar(bar) for bar in building.bars if self.side(bar.side) is not None),
        )
        left = {hex_ for hex_ in building.hexes if hex_ in self.field}
        lost = len(building.hexes) - len(left)
        # Of which type it is hangs on all of it.
        beyond = "hexes" if left.issuperset(building.stairwells) else "stairwell"
        cut = (where for where in building.joined if self.side(where) is None)
        for hex_ in dict.fromkeys(hex_ for where in cut for hex_ in where if hex_ in left):
            here = self.part.placed(hex_)
            yield b.Fact("cropped", (here, beyond))
            count = "1 hex of it is" if lost == 1 else f"{lost} hexes of it are"
            yield b.Doubt(here, f"the map ends in its building: {count} cut off")

    def bar(self, bar: b.Bar) -> b.Bar:
        where = self.side(bar.side)
        assert where is not None
        if bar.covers is None or not self.part.turned:
            return b.Bar(where, bar.covers)
        # A hexside counts from its left end, which was the right one.
        first, last = bar.covers
        return b.Bar(where, (60 - last, 60 - first))

    def thing(self, name: str, facts: Iterable[b.Fact]) -> Iterator[b.UnitStatement]:
        placed = [self.given(fact, name) for fact in facts]
        kept = tuple(each for each in placed if each is not None)
        if len(kept) == len(placed):
            yield b.UnitStatement(name, kept)

    def given(self, given: b.Fact, unit: str | None) -> b.Fact | None:
        """A fact; None where it is of a hex that is cut off, which of a unit is a mistake."""
        kinds = self.words.inputs[given.name].kinds
        args: list[Term] = []
        for value, kind in zip(given.args, kinds, strict=True):
            placed = self.value(value, kind, given)
            if placed is None:
                if unit is not None:
                    said = word_text(given.name, "")
                    self.mistakes.append(
                        ValueMistake(
                            f"unit {unit} of board {self.part.label} is off the map: {said}"
                        )
                    )
                return None
            args.append(placed)
        return b.Fact(given.name, tuple(args))

    def value(self, value: Term, kind: str, given: b.Fact) -> Term | None:
        """An argument of a fact; None for a place that is cut off."""
        if isinstance(value, Hexside):
            return self.side(value)
        if isinstance(value, Location):
            spot = self.spot(value.spot)
            return None if spot is None else Location(spot, value.floor)
        if isinstance(value, Hex | Vertex):
            return self.spot(value)
        if kind == "corner" and isinstance(value, int):
            first = given.args[0]
            if isinstance(first, Hexside):
                return self.end_of(first, value)
            return (value + 3) % 6 if self.part.turned else value
        return value

    def spot(self, spot: Spot) -> Spot | None:
        hex_ = spot.hex if isinstance(spot, Vertex) else spot
        if hex_ not in self.field:
            return None
        placed = self.part.placed(hex_)
        if isinstance(spot, Hex):
            return placed
        return Vertex(placed, (spot.corner + 3) % 6 if self.part.turned else spot.corner)

    def end_of(self, where: Hexside, corner: int) -> int | None:
        """The end of a hexside, told as a corner of its first hex."""
        placed = self.side(where)
        if placed is None:
            return None
        point = self.part.placed_point(where.a.corner(corner))
        return next(each for each in range(6) if placed.a.corner(each) == point)


def _some(statement: b.Area | b.Level | b.HexsideTerrain) -> Iterator[b.Statement]:
    """The statement, unless it is of nothing."""
    if statement.sides if isinstance(statement, b.HexsideTerrain) else statement.hexes:
        yield statement


class _Seam:
    """What boards share: a hex with a half on each of two boards."""

    def __init__(self, grid: Grid, words: Vocabulary) -> None:
        self.words = words
        self.name = map_names(grid).text
        self.mistakes: list[ValueMistake] = []
        holders: dict[Hex, list[MapBoard]] = {}
        for part in grid.parts:
            for own in part.own_field.hexes():
                holders.setdefault(part.placed(own), []).append(part)
        self.shared = {hex_: parts for hex_, parts in holders.items() if len(parts) > 1}
        #: By shared hex: what the boards say of it, by board.
        self.levels: dict[Hex, dict[str, int]] = {}
        self.colours: dict[Hex, dict[str, str]] = {}
        #: What can be said once of a whole map, and who said it.
        self.once: dict[tuple[object, ...], tuple[b.Statement, str]] = {}

    def merged(self, part: MapBoard, statement: b.Statement) -> Iterator[b.Statement]:
        """A statement of a board, without what another board says of the same hex."""
        match statement:
            case b.Level(level, hexes):
                for hex_ in hexes:
                    if hex_ in self.shared:
                        self.levels.setdefault(hex_, {})[part.label] = level
                left = tuple(hex_ for hex_ in hexes if self.first(part, hex_))
                yield from _some(b.Level(level, left))
            case b.Building():
                yield from self.building(part, statement)
            case b.UnitStatement(name):
                yield from self.only_once(("unit", name), statement, part)
            case b.TerrainSubstitution(terrain):
                yield from self.only_once(("treat", terrain), statement, part)
            case b.Fact(name, args) if self.words.inputs[name].once is not None:
                once = self.words.inputs[name].once
                yield from self.only_once((name, *args[:once]), statement, part)
            case _:
                yield statement

    def first(self, part: MapBoard, hex_: Hex) -> bool:
        """Whether the base level of a hex is this board's to say: the first that it lies on."""
        return hex_ not in self.shared or self.shared[hex_][0] == part

    def only_once(
        self, key: tuple[object, ...], statement: b.Statement, part: MapBoard
    ) -> Iterator[b.Statement]:
        """What may be said once: of two boards that say it, both have to say the same."""
        known = self.once.setdefault(key, (statement, part.label))
        if known[1] == part.label:
            yield statement
        elif known[0] != statement:
            what = " ".join(self.name(each).replace("_", " ") for each in key)
            self.mistakes.append(
                ValueMistake(f"boards {known[1]} and {part.label} do not agree on {what}")
            )

    def building(self, part: MapBoard, building: b.Building) -> Iterator[b.Statement]:
        """A building, whose half hexes another board may have drawn already."""
        for hex_ in building.hexes:
            if hex_ in self.shared:
                self.colours.setdefault(hex_, {})[part.label] = building.colour
        taken = {hex_ for hex_ in building.hexes if len(self.colours.get(hex_, ())) > 1}
        left = tuple(hex_ for hex_ in building.hexes if hex_ not in taken)
        if left:
            # The symbols of the shared hexes stay with it, whichever building has the hex.
            yield replace(building, hexes=left)
            return
        for hex_ in building.stairwells:
            yield b.Correction(hex_, "stairwell", "yes")
        for where in building.joined:
            yield b.Correction(where, "joined", "yes")
        yield from building.bars

    def doubts(self) -> Iterator[b.Statement]:
        """Where boards contradict each other."""
        for hex_, parts in self.shared.items():
            said = self.levels.get(hex_, {})
            levels = {part.label: said.get(part.label, 0) for part in parts}
            if len(set(levels.values())) > 1:
                yield b.Doubt(hex_, f"its boards have it at levels: {_listed(levels)}")
            colours = self.colours.get(hex_, {})
            if len(set(colours.values())) > 1:
                yield b.Correction(hex_, "building", "disputed")
                yield b.Doubt(hex_, f"its boards draw a building of colours: {_listed(colours)}")


def _listed(by_board: Mapping[str, object]) -> str:
    return ", ".join(f"{label} {value}" for label, value in by_board.items())
