"""Placement of boards and overlays on one map, and the seams between boards.

An overlay covers the hexes that its text describes. Printed features there, and on the hexsides
between them, are removed, and roads end before them; then the overlay is applied. The ground stays
if the overlay has no levels. If rotated by 0 or 180 degrees, its outlines keep their exact shape;
other angles are rounded once to the lattice, whose hexes are not quite regular.

On a board alone, a depiction without an outline fills its hex, as does the ground. At a seam it
ends at the edge of the board if the other board has outlines, so it gets an outline here.

This module does not decide the effect of a hex in the rules. A board's depictions stay on its own
lattice (`Outline.on`), so that they are cut as for the board alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from rules_asp.boards.statement_ops import (
    hexes_of,
    keep_parts,
    split_road,
    substitute_terrain,
    unique_keys,
)
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
    hex_of_spot,
    hexside_between,
)
from rules_asp.game.map_layout import map_names
from rules_asp.game.values import Term, word_text
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.geometry.polygons import hexagon
from rules_asp.geometry.shapes import BUILDING, default_building
from rules_asp.parser.errors import ValueMistake

# --- Overlays: a board text on the map, rotated by any number of hexsides, in place of printed
# features.


_T = TypeVar("_T")
#: Printed features that are facts of their own.
_PRINTED = frozenset({"symbol", "road_along", "roads_pass", "cropped", "bridge"})


class Placement(ABC):
    """A partial mapping of places that moves and rotates them; None is a place that is cut off."""

    #: Rotation in hexsides, clockwise.
    turns: int = 0

    @abstractmethod
    def hex(self, hex_: Hex) -> Hex | None:
        """Return the hex on the map."""

    @abstractmethod
    def outline(self, outline: b.Outline) -> b.Outline:
        """Return the depiction on the map."""

    def side(self, where: Hexside) -> Hexside | None:
        """Return the hexside on the map."""
        one, other = self.hex(where.a), self.hex(where.b)
        return None if one is None or other is None else hexside_between(one, other)

    def bar(self, bar: b.Bar) -> b.Bar | None:
        """Return the bar on the map; its extent is counted from the first end of the new hexside."""
        where = self.side(bar.side)
        if where is None or bar.covers is None:
            return where and b.Bar(where)
        ends = bar.side.ends
        first = next(n for n in range(6) if bar.side.a.corner(n) == ends[0])
        if self._end(bar.side, first) == where.ends[0]:
            return b.Bar(where, bar.covers)
        return b.Bar(where, (60 - bar.covers[1], 60 - bar.covers[0]))

    def _end(self, where: Hexside, corner: int) -> Point:
        """Return the point of a corner of a hexside's first hex."""
        hex_ = self.hex(where.a)
        assert hex_ is not None
        return hex_.corner(corner + self.turns)

    def fact(self, given: b.Fact, words: Vocabulary) -> b.Fact | None:
        """Return a fact with its places on the map."""
        kinds = words.inputs[given.name].kinds
        args: list[Term] = []
        for value, kind in zip(given.args, kinds, strict=True):
            placed = self._term(value, kind, given.args[0])
            if placed is None:
                return None
            args.append(placed)
        return b.Fact(given.name, tuple(args))

    def _term(self, value: Term, kind: str, first: Term) -> Term | None:
        """Return an argument of a fact on the map; `first` is the first argument."""
        match value:
            case Hexside():
                return self.side(value)
            case Location(spot, floor):
                placed = self._spot(spot)
                return None if placed is None else Location(placed, floor)
            case Hex() | Vertex():
                return self._spot(value)
            case int() if kind == "corner":
                if not isinstance(first, Hexside):
                    return (value + self.turns) % 6
                # The end of a hexside, given as a corner of its first hex.
                where = self.side(first)
                point = where and self._end(first, value)
                return where and next(n for n in range(6) if where.a.corner(n) == point)
        return value

    def _spot(self, spot: Spot) -> Spot | None:
        hex_ = self.hex(hex_of_spot(spot))
        if hex_ is None or isinstance(spot, Hex):
            return hex_
        return Vertex(hex_, (spot.corner + self.turns) % 6)


def map_places(statement: b.Statement, at: Placement, words: Vocabulary) -> Iterator[b.Statement]:
    """Yield a statement with its places on the map, without those cut off; a road is split there."""

    def all_of(map_: Callable[[_T], _T | None], places: Iterable[_T]) -> tuple[_T, ...]:
        return tuple(now for each in places if (now := map_(each)) is not None)

    def fact(given: b.Fact) -> b.Fact | None:
        return at.fact(given, words)

    match statement:
        case b.Area() | b.Level() | b.Erasure():
            if hexes := all_of(at.hex, statement.hexes):
                yield replace(statement, hexes=hexes)
        case b.Building():
            if hexes := all_of(at.hex, statement.hexes):
                yield replace(
                    statement,
                    hexes=hexes,
                    joined=all_of(at.side, statement.joined),
                    stairwells=all_of(at.hex, statement.stairwells),
                    bars=all_of(at.bar, statement.bars),
                )
        case b.HexsideTerrain(kind, sides):
            if sides := all_of(at.side, sides):
                yield b.HexsideTerrain(kind, sides)
        case b.Road(surface, hexes):
            for way in split_road(hexes, lambda where: at.side(where) is not None):
                yield b.Road(surface, all_of(at.hex, way))
        case b.Outline():
            yield at.outline(statement)
        case b.Doubt(where, text):
            placed = at.hex(where) if isinstance(where, Hex) else at.side(where)
            if placed is not None:
                yield b.Doubt(placed, text)
        case b.Fact():
            yield from all_of(fact, (statement,))
        case b.UnitStatement(name, facts):
            kept = all_of(fact, facts)
            if len(kept) == len(facts):
                yield b.UnitStatement(name, kept)
        case _:
            yield statement


@dataclass(frozen=True)
class OverlayPlacement(Placement):
    """The placement of an overlay: its hex `own` on `here`, rotated by a number of hexsides."""

    own: Hex
    here: Hex
    turns: int = 0

    def hex(self, hex_: Hex) -> Hex:
        """Return the hex on the map."""
        q, r = _axial(hex_)
        p, s = _axial(self.own)
        q, r = q - p, r - s
        for _ in range(self.turns):
            # Rotate by one hexside clockwise.
            q, r = -r, q + r
        t, u = _axial(self.here)
        return _offset(q + t, r + u)

    def outline(self, outline: b.Outline) -> b.Outline:
        """Return the depiction on the map, to the nearest unit."""
        holes = tuple(tuple(map(self.point, ring)) for ring in outline.holes)
        return replace(outline, outer=tuple(map(self.point, outline.outer)), holes=holes)

    def point(self, point: Point) -> Point:
        """Return the point on the map, to the nearest unit."""
        x, y = Fraction(point.x - self.own.centre.x), Fraction(point.y - self.own.centre.y)
        for _ in range(self.turns):
            # Map each vertex of a hex to the next.
            x, y = x / 2 - y * Fraction(450, 516), x * Fraction(387, 450) + y / 2
        return Point(self.here.centre.x + round(x), self.here.centre.y + round(y))


@dataclass(frozen=True)
class BoardOnMap(Placement):
    """The placement of a board on a map; a depiction stays on the board's lattice."""

    part: MapBoard

    @property
    def turns(self) -> int:  # type: ignore[override]
        """A board is rotated by half a turn or not at all."""
        return 3 if self.part.turned else 0

    def hex(self, hex_: Hex) -> Hex | None:
        """Return the hex on the map; None for a cropped one."""
        return self.part.placed(hex_) if hex_ in self.part.own_field else None

    def outline(self, outline: b.Outline) -> b.Outline:
        """Return a depiction marked with its board."""
        return replace(outline, on=self.part.label)


def _axial(hex_: Hex) -> tuple[int, int]:
    """Return coordinates along the columns and along the rows that go down to the right."""
    return hex_.col, hex_.row - (hex_.col + 1) // 2 + hex_.col % 2


def _offset(q: int, r: int) -> Hex:
    return Hex(q, r + (q + 1) // 2 - q % 2)


def placing_of(overlay: b.Overlay) -> OverlayPlacement:
    """Return the placement of an overlay; ValueMistake if two of its hexes fall on one."""
    own, here = overlay.own, overlay.here
    if len(own) != len(here):
        raise ValueMistake(
            "name one hex of the overlay and one of the map, or two adjacent hexes of each"
        )
    if len(own) == 1:
        return OverlayPlacement(own[0], here[0])
    turns = here[0].neighbours().index(here[1]) - own[0].neighbours().index(own[1])
    return OverlayPlacement(own[0], here[0], turns % 6)


def covered_hexes(board: b.Board) -> frozenset[Hex]:
    """Return the hexes of an overlay that its text describes."""
    found: set[Hex] = set()
    for each in board.statements:
        match each:
            case b.Area(_, hexes) | b.Level(_, hexes) | b.Building(_, hexes):
                found |= set(hexes)
            case b.Fact(_, args):
                found |= {arg for arg in args if isinstance(arg, Hex)}
    return frozenset(found)


def has_levels(board: b.Board) -> bool:
    """Test whether an overlay gives ground levels."""
    return any(
        isinstance(each, b.Level) or (isinstance(each, b.Outline) and each.level is not None)
        for each in board.statements
    )


def without_hexes(
    statement: b.Statement, gone: frozenset[Hex], ground: bool
) -> tuple[b.Statement, ...]:
    """Return the rest of a statement of the map if some hexes are covered, perhaps with their
    ground."""

    def is_left(part: b.Statement) -> bool:
        match part:
            case b.Area() | b.Building() | b.HexsideTerrain() | b.Doubt():
                return not gone.issuperset(hexes_of(part))
            case b.Level():
                return not (ground and gone.issuperset(part.hexes))
            case b.Road():
                return gone.isdisjoint(part.hexes)
            case b.Fact(name) if name in _PRINTED:
                named = set(hexes_of(part))
                return not named or not named <= gone
        return True

    return keep_parts(statement, is_left)


# --- Outlines of depictions in half hexes at a seam, for boards that give none.


def seam_outlines(
    grid: Grid, boards: Mapping[str, b.Board], shared: Mapping[Hex, list[MapBoard]]
) -> Iterator[b.Outline]:
    """Return the default outlines at seams, by board."""
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
    """One board: its outlines, and the contents of its hexes."""

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
        #: Outlined ground is above this level, on which the whole board is.
        self.floor = min(grounds) - 1 if grounds else None

    def drawn(self, own: Hex, levels: Iterable[int]) -> Iterator[b.Outline]:
        """Yield the depictions of this board in one of its hexes without an outline."""
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


# --- Boards on one map: their statements in the names of the map, and shared hexes at seams.


#: A statement with its place.
PlacedStatements = tuple[b.Statement, b.SourcePosition]


def merge_boards(
    grid: Grid,
    boards: Mapping[str, b.Board],
    treats: Collection[b.TerrainSubstitution],
    words: Vocabulary,
) -> tuple[list[PlacedStatements], list[ValueMistake]]:
    """Return the statements of resolved boards, by label, as statements of the map, and the
    mistakes.

    `treats` substitute terrain of one board.

    Where two boards meet, a hex has the depictions of both. If they contradict each other, the map
    has a Doubt.
    """
    seam = _Seam(grid, words)
    said: list[PlacedStatements] = []
    for part in grid.parts:
        board = boards.get(part.label)
        if board is None:
            continue
        off: list[str] = []
        at = BoardOnMap(part)
        own = [treat for treat in treats if treat.on == part.label]
        for index, statement in enumerate(board.statements):
            for now in substitute_terrain(statement, own):
                placed = list(map_places(now, at, words))
                if isinstance(now, b.Building):
                    placed += _cropped(now, at)
                elif isinstance(now, b.UnitStatement):
                    off += (
                        f"unit {now.name} of board {part.label} is off the map: "
                        + word_text(fact.name, "")
                        for fact in now.facts
                        if at.fact(fact, words) is None
                    )
                for one in placed:
                    said += ((each, board.place(index)) for each in seam.merged(part, one))
        seam.mistakes += map(ValueMistake, off)
    here = b.SourcePosition("map", 0)
    added = (*seam.doubts(), *seam_outlines(grid, boards, seam.shared))
    return [*said, *((each, here) for each in added)], seam.mistakes


def _cropped(building: b.Building, at: Placement) -> Iterator[b.Statement]:
    """Yield doubts about a building cut by the rim of the map: its type depends on all of it."""
    left = {hex_ for hex_ in building.hexes if at.hex(hex_)}
    lost = len(building.hexes) - len(left)
    beyond = "hexes" if left.issuperset(building.stairwells) else "stairwell"
    cut = (where for where in building.joined if at.side(where) is None)
    for hex_ in dict.fromkeys(hex_ for where in cut for hex_ in where if hex_ in left):
        here = at.hex(hex_)
        assert here is not None
        yield b.Fact("cropped", (here, beyond))
        count = "1 hex of it is" if lost == 1 else f"{lost} hexes of it are"
        yield b.Doubt(here, f"the map ends in its building: {count} cut off")


class _Seam:
    """Hexes shared by two boards, with a half on each."""

    def __init__(self, grid: Grid, words: Vocabulary) -> None:
        self.words = words
        self.name = map_names(grid).text
        self.mistakes: list[ValueMistake] = []
        holders: dict[Hex, list[MapBoard]] = {}
        for part in grid.parts:
            for own in part.own_field.hexes():
                holders.setdefault(part.placed(own), []).append(part)
        self.shared = {hex_: parts for hex_, parts in holders.items() if len(parts) > 1}
        #: For each shared hex, the level given by each board.
        self.levels: dict[Hex, dict[str, int]] = {}
        self.colours: dict[Hex, dict[str, str]] = {}
        #: Statements that may occur once on a map, each with its board.
        self.once: dict[tuple[object, ...], tuple[b.Statement, str]] = {}

    def merged(self, part: MapBoard, statement: b.Statement) -> Iterator[b.Statement]:
        """Yield a statement of a board, without parts that another board gives for the same hex."""
        match statement:
            case b.Level(level, hexes):
                for hex_ in hexes:
                    if hex_ in self.shared:
                        self.levels.setdefault(hex_, {})[part.label] = level
                yield from keep_parts(statement, lambda each: self.first(part, *hexes_of(each)))
            case b.Building():
                yield from self.building(part, statement)
            case b.UnitStatement() | b.TerrainSubstitution() | b.Fact():
                key = next(unique_keys(statement, self.words), None)
                yield from self.only_once(key, statement, part) if key else (statement,)
            case _:
                yield statement

    def first(self, part: MapBoard, hex_: Hex) -> bool:
        """Test whether this board gives the base level of a hex: it is the first one there."""
        return hex_ not in self.shared or self.shared[hex_][0] == part

    def only_once(
        self, key: tuple[object, ...], statement: b.Statement, part: MapBoard
    ) -> Iterator[b.Statement]:
        """Return a statement that may occur once; two boards with it must agree."""
        known = self.once.setdefault(key, (statement, part.label))
        if known[1] == part.label:
            yield statement
        elif known[0] != statement:
            what = " ".join(self.name(each).replace("_", " ") for each in key)
            self.mistakes.append(
                ValueMistake(
                    f"the boards {known[1]} and {part.label} give different values for {what}"
                )
            )

    def building(self, part: MapBoard, building: b.Building) -> Iterator[b.Statement]:
        """Yield a building whose half hexes another board may already have."""
        for hex_ in building.hexes:
            if hex_ in self.shared:
                self.colours.setdefault(hex_, {})[part.label] = building.colour
        taken = {hex_ for hex_ in building.hexes if len(self.colours.get(hex_, ())) > 1}
        left = tuple(hex_ for hex_ in building.hexes if hex_ not in taken)
        if left:
            # The symbols of shared hexes stay with it, whichever building has the hex.
            yield replace(building, hexes=left)
            return
        for hex_ in building.stairwells:
            yield b.Correction(hex_, "stairwell", "yes")
        for where in building.joined:
            yield b.Correction(where, "joined", "yes")
        yield from building.bars

    def doubts(self) -> Iterator[b.Statement]:
        """Yield the contradictions between boards."""
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
