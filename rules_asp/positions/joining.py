"""Boards laid on one map: what each of them says in the names of the map, and what they share at a seam.

Nothing is decided here of what a hex is by the rules. A board's drawings stay on its own lattice
(`Outline.on`), so that they are cut as they are cut of the board alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from rules_asp.parser.errors import ValueMistake
from rules_asp.positions.agreeing import substitute_terrain
from rules_asp.positions.seams import seam_outlines
from rules_asp.terms import board as b
from rules_asp.terms.arguments import Term, word_text
from rules_asp.terms.grid import (
    Grid,
    Hex,
    Hexside,
    Location,
    MapBoard,
    Spot,
    Vertex,
    hexside_between,
)
from rules_asp.terms.lexicon import vocabulary

#: A statement, and where it stands.
PlacedStatements = tuple[b.Statement, b.SourcePosition]


def merge_boards(
    grid: Grid, boards: Mapping[str, b.Board], treats: Collection[b.TerrainSubstitution] = ()
) -> tuple[list[PlacedStatements], list[ValueMistake]]:
    """What resolved boards say, by their labels, as statements of the map; and what cannot be.

    `treats` say what terrain of one board counts as.

    Where two boards meet, a hex has the drawings of both; where they contradict each other, the map has
    a Doubt.
    """
    seam = _Seam(grid)
    said: list[PlacedStatements] = []
    for part in grid.parts:
        board = boards.get(part.label)
        if board is None:
            continue
        laying = _Laying(part)
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

    def __init__(self, part: MapBoard) -> None:
        self.part = part
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
        kinds = vocabulary().inputs[given.name].kinds
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

    def __init__(self, grid: Grid) -> None:
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
            case b.Fact(name, args) if vocabulary().inputs[name].once is not None:
                once = vocabulary().inputs[name].once
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
            what = " ".join(str(each).replace("_", " ") for each in key)
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
