"""A board made ready for questions: resolved, its static layer solved, its drawings cut for measuring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import clingo

from rules_asp.board import Board
from rules_asp.engine import Answer, Program, load_program, node_of, solve
from rules_asp.facts import facts
from rules_asp.geometry import Concerns, measure
from rules_asp.grid import Hex, Hexside, Location, Spot, Vertex, spot_hex
from rules_asp.resolve import resolve
from rules_asp.shapes import Shapes, shapes_of
from rules_asp.source import Node


@dataclass(frozen=True)
class Position:
    """A board under a knowledge base.

    `cases` are the answer sets of the static layer: one, or one for each supposition that the board
    leaves open.
    """

    board: Board
    program: Program
    shapes: Shapes
    facts: str
    cases: tuple[Answer, ...]
    _texts: dict[tuple[int, frozenset[Node]], str] = field(default_factory=dict)

    def static_text(self, case: int, needed: frozenset[Node]) -> str:
        """The static atoms of these nodes, as facts for the question layer."""
        key = (case, needed)
        if key not in self._texts:
            names = {(node.name, node.arity) for node in needed}
            self._texts[key] = "".join(
                f"{symbol}.\n"
                for symbol in self.cases[case].symbols
                if (symbol.name, len(symbol.arguments)) in names and node_of(symbol) in needed
            )
        return self._texts[key]

    @cached_property
    def concerns(self) -> Concerns:
        """What the knowledge base says can matter to lines, over all cases."""
        parts: dict[tuple[Hex, str], int] = {}
        sides: dict[tuple[str, Hexside], int] = {}
        inherent: set[tuple[Hex, str]] = set()
        exits: set[Hex] = set()
        insides: dict[Hex, int] = {}
        buildings: dict[str, int] = {}
        for case in self.cases:
            for where, kind, below in case.get("concern", 3):
                part = (hex_of(where), str(kind))
                parts[part] = max(below.number, parts.get(part, below.number))
            for where, kind, below in case.get("concern_side", 3):
                one = (str(kind), hexside_of(where))
                sides[one] = max(below.number, sides.get(one, below.number))
            inherent |= {(hex_of(where), str(kind)) for where, kind in case.get("inherent", 2)}
            exits |= {hex_of(where) for (where,) in case.get("asks_exit", 1)}
            for where, building in case.get("asks_inside", 2):
                insides[hex_of(where)] = buildings.setdefault(str(building), len(buildings))
        return Concerns(parts, frozenset(inherent), sides, frozenset(exits), insides)

    @cached_property
    def elevations(self) -> Mapping[Location, int]:
        """The level of every Location of the map, in half levels (in the first case, if they differ)."""
        found = {}
        for topic, value in self.cases[0].get("is", 2):
            if topic.name == "elev" and len(topic.arguments) == 1:
                found[location_of(topic.arguments[0])] = value.number
        return found

    @cached_property
    def bases(self) -> Mapping[Hex, int]:
        """The base level of every hex, in half levels."""
        return {hex_of(where): level.number for where, level in self.cases[0].get("base", 2)}

    def elevation(self, location: Location) -> int | None:
        """The level of a Location, in half levels; None when there is no such Location."""
        if isinstance(location.spot, Vertex):
            return self.bases.get(spot_hex(location.spot)) if location.floor == 0 else None
        return self.elevations.get(location)

    def measured(self, lines: Iterable[tuple[Spot, Spot]], ends: Iterable[Location]) -> str:
        """The facts of these lines, as far as they can matter to sights between these ends."""
        lowest: dict[Spot, int] = {}
        for end in ends:
            level = self.elevation(end)
            if level is not None:
                lowest[end.spot] = min(level, lowest.get(end.spot, level))
        return measure(self.shapes, self.concerns, lines, lowest)

    def ask(self, wanted: Sequence[Node], question: str) -> list[Answer]:
        """The answer sets of the question layer for facts of a question, over all cases."""
        text, needed = self.program.cone(wanted)
        return [
            answer
            for case in range(len(self.cases))
            for answer in solve(text, self.static_text(case, needed), question)
        ]


def load(path: Path, program: Program | None = None, without: Iterable[str] = ()) -> Position:
    """Read a board file and make it ready; BoardError for bad text."""
    from rules_asp.parser import load as load_board

    return position(load_board(path), program, without)


def position(
    board: Board, program: Program | None = None, without: Iterable[str] = ()
) -> Position:
    """Make a board ready for questions. `without` names rulings that are switched off."""
    program = program or load_program()
    board = resolve(board)
    shapes = shapes_of(board)
    text = facts(board, shapes.pieces.keys())
    text += "".join(f'without("{ruling}").\n' for ruling in without)
    return Position(board, program, shapes, text, tuple(solve(program.static_text, text)))


def hex_of(symbol: clingo.Symbol) -> Hex:
    """A hex term read back."""
    col, row = symbol.arguments
    return Hex(col.number, row.number)


def hexside_of(symbol: clingo.Symbol) -> Hexside:
    """A hexside term read back."""
    one, two = symbol.arguments
    return Hexside(hex_of(one), hex_of(two))


def location_of(symbol: clingo.Symbol) -> Location:
    """A Location term read back."""
    spot, floor = symbol.arguments
    where: Spot
    if spot.name == "v":
        where = Vertex(hex_of(spot.arguments[0]), spot.arguments[1].number)
    else:
        where = hex_of(spot)
    if floor.type == clingo.SymbolType.Number:
        return Location(where, floor.number)
    return Location(where, str(floor).replace("(", "").replace(")", ""))
