"""A board with all that is asked of it to explain a difference: our rules, VASL's pixels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import hypot
from typing import NamedTuple

import numpy as np

from rules_asp.game.board import Area, Board, Building, Correction, HexsideTerrain
from rules_asp.game.grid import Hex, Hexside, Location, Point, hex_of_spot
from rules_asp.game.values import hex_from_symbol
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.rules import Signature
from rules_asp.positions.fact_index import QueryFacts, eye_at
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.los_matrix import LosVerdict
from rules_asp.vasl.archive import PIXEL, Archive, TerrainCode, code_table
from rules_asp.vasl.trace import PixelMap, canvas
from tests.benchmarks.vasl_checker.tables import Pair, Theirs

_SIGHT = ("s", 2)
_WANTED = (
    Signature("stopped", 3, _SIGHT),
    Signature("hindered", 4, _SIGHT),
    Signature("unknown", 2, _SIGHT),
    Signature("full", 4),
)
_SIDE_CODES = [code.number for code in code_table().values() if code.role == "side"]


class Asked(NamedTuple):
    """Our answer: what stops the sight (norms and the hexes they speak of), and where it is hindered."""

    known: bool
    stopped: frozenset[tuple[str, tuple[Hex, ...]]]
    hindered: frozenset[tuple[Hex, ...]]

    @property
    def norms(self) -> frozenset[str]:
        return frozenset(norm for norm, _ in self.stopped)

    @property
    def clear(self) -> bool | None:
        return False if self.stopped else self.known or None


class Pixel(NamedTuple):
    """A point of a thread in VASL's pixels; elevation in half levels, at in lattice units."""

    hex: Hex
    code: TerrainCode
    elevation: int
    at: Point


@dataclass(frozen=True)
class Trial:
    """A board with everything that is asked about it again and again."""

    archive: Archive
    board: Board
    program: Program
    position: Position
    _supposed: dict[tuple[Correction, ...], Position] = field(default_factory=dict)
    _otherwise: dict[str, Position] = field(default_factory=dict)
    _walks: dict[tuple[Hex, Hex], tuple[tuple[Pixel, ...], ...]] = field(default_factory=dict)

    @cached_property
    def canvas(self) -> PixelMap:
        return canvas(self.archive.grid, *self.archive.codes.shape)

    @cached_property
    def terrain(self) -> dict[str, frozenset[Hex]]:
        found: dict[str, set[Hex]] = defaultdict(set)
        for area in self.board.statements:
            if isinstance(area, Area):
                found[area.kind].update(area.hexes)
        return {kind: frozenset(hexes) for kind, hexes in found.items()}

    @cached_property
    def depressions(self) -> frozenset[Hex]:
        words = {code.word for code in code_table().values() if code.role == "depression"}
        return frozenset().union(*(self.terrain.get(word, frozenset()) for word in words))

    @cached_property
    def sides(self) -> dict[Hexside, str]:
        stated = (each for each in self.board.statements if isinstance(each, HexsideTerrain))
        return {one: each.kind for each in stated for one in each.sides}

    @cached_property
    def built(self) -> frozenset[Hex]:
        return frozenset(self.buildings)

    @cached_property
    def buildings(self) -> dict[Hex, Building]:
        stated = (each for each in self.board.statements if isinstance(each, Building))
        return {hex_: each for each in stated for hex_ in each.hexes}

    def level(self, end: Location) -> int:
        level = self.position.index.elevation(end)
        assert level is not None
        return level

    def ask(self, pair: Pair, facts: str, under: Position | None = None) -> Asked:
        """Our answer, given what was measured."""
        question = QueryFacts(tuple(map(eye_at, pair)), tuple(filter(None, facts.split("\n"))))
        (answer,) = (under or self.position).ask(_WANTED, question, local=True)
        return Asked(
            not answer.get("unknown", 2),
            frozenset((norm.string, _hexes(where)) for _, norm, where in answer.get("stopped", 3)),
            frozenset(_hexes(where) for _, _, where, _ in answer.get("hindered", 4)),
        )

    def measured(self, pair: Pair, under: Position | None = None) -> str:
        a, b = pair
        if a.spot == b.spot:
            return f"cell({hex_of_spot(a.spot).term})."
        return "\n".join((under or self.position).measurer.measured([(a.spot, b.spot)], pair))

    def without(self, ruling: str) -> Position:
        """The position by the other reading of a ruling."""
        if ruling not in self._otherwise:
            self._otherwise[ruling] = prepare(self.board, self.program, without=(ruling,))
        return self._otherwise[ruling]

    def suppose(self, said: tuple[Correction, ...]) -> Position:
        """The position of the board so corrected."""
        if said not in self._supposed:
            board = replace(self.board, statements=(*self.board.statements, *said), places=())
            self._supposed[said] = prepare(board, self.program)
        return self._supposed[said]

    def walks(self, a: Hex, b: Hex) -> tuple[tuple[Pixel, ...], ...]:
        """VASL's pixels under the thread, and under threads one pixel to either side of it."""
        if (b, a) in self._walks:
            return tuple(walk[::-1] for walk in self._walks[b, a])
        if (a, b) not in self._walks:
            self._walks.clear()
            self._walks[a, b] = tuple(
                tuple(self._walk(a, b, shift)) for shift in (0, -PIXEL, PIXEL)
            )
        return self._walks[a, b]

    def _walk(self, a: Hex, b: Hex, shift: int) -> Iterator[Pixel]:
        """The pixels where something changes, and all of walls and hedges."""
        dx, dy = b.centre.x - a.centre.x, b.centre.y - a.centre.y
        length = hypot(dx, dy) or 1.0  # Two levels of one hex: the pixel at its dot.
        part = np.linspace(0, 1, int(2 * hypot(dx, dy) / PIXEL) + 1)
        x = a.centre.x + part * dx - shift * dy / length
        y = a.centre.y + part * dy + shift * dx / length
        width, height = self.archive.codes.shape
        column = np.clip(x // PIXEL, 0, width - 1).astype(int)
        row = np.clip(y // PIXEL, 0, height - 1).astype(int)
        owner = self.canvas.owner[column, row]
        number = self.archive.codes[column, row]
        elevation = self.archive.elevation[column, row]
        kept = np.isin(number, _SIDE_CODES)
        for layer in (owner, number, elevation):
            kept[0] = True
            kept[1:] |= layer[1:] != layer[:-1]
            kept[:-1] |= layer[1:] != layer[:-1]
        for at in np.nonzero(kept)[0]:
            yield Pixel(
                self.canvas.hexes[owner[at]],
                code_table()[int(number[at])],
                2 * int(elevation[at]),
                Point(round(float(x[at])), round(float(y[at]))),
            )

    def dot(self, hex_: Hex) -> tuple[TerrainCode, int]:
        """VASL's terrain and elevation (half levels) at the centre dot."""
        width, height = self.archive.codes.shape
        at = min(hex_.centre.x // PIXEL, width - 1), min(hex_.centre.y // PIXEL, height - 1)
        return code_table()[int(self.archive.codes[at])], 2 * int(self.archive.elevation[at])

    @cached_property
    def building_pixels(self) -> dict[Hex, int]:
        """How many pixels of buildings lie in each hex."""
        numbers = [code.number for code in code_table().values() if drawn_building(code)]
        mask = sum(self.archive.codes == number for number in numbers) > 0
        return dict(zip(self.canvas.hexes, self.canvas.count(mask).tolist(), strict=True))


@dataclass(frozen=True)
class Difference:
    """A pair on which the two answers differ, as VASL was asked: from the first Location to the second."""

    pair: Pair
    theirs: Theirs
    back: Theirs
    ours: LosVerdict
    asked: Asked
    facts: str

    @property
    def hexes(self) -> tuple[Hex, Hex]:
        """The hexes of its ends."""
        return hex_of_spot(self.pair[0].spot), hex_of_spot(self.pair[1].spot)

    @property
    def at_once_as_alone(self) -> bool:
        """Whether we say of the sight alone what we say of it among all sights."""
        if self.asked.clear != self.ours.clear:
            return False
        return not self.ours.clear or len(self.asked.hindered) == self.ours.hindrance


def _hexes(where: object) -> tuple[Hex, ...]:
    """The hexes that a place term speaks of: a hex, a hexside's two, none for a word."""
    name, arguments = where.name, where.arguments  # type: ignore[attr-defined]
    if name == "e":
        return tuple(hex_from_symbol(each) for each in arguments)
    return (hex_from_symbol(where),) if len(arguments) == 2 and not name else ()  # type: ignore[arg-type]


def drawn_building(code: TerrainCode) -> bool:
    return code.role in ("building", "marketplace", "lumberyard")


def same(ours: LosVerdict, theirs: Theirs) -> bool:
    """Whether both see, and at the same Hindrance, or both do not."""
    if ours.clear is None or ours.clear == theirs.blocked:
        return False
    return theirs.blocked or ours.hindrance == theirs.hindrance
