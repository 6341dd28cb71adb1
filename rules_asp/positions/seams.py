"""What a board draws in its half of a hex at a seam, where the board says it without an outline.

Alone, a drawing that no outline gives fills its hex, and so does the ground. At a seam it ends where the
board ends, if the other board has outlines; so it is given one here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from rules_asp.lines.outlines import hexagon
from rules_asp.lines.shapes import BUILDING, default_building
from rules_asp.terms import board as b
from rules_asp.terms.grid import Grid, Hex, MapBoard


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
