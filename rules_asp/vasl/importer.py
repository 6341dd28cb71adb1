"""Conversion of an archive to a Board: the printed map, read from the pixels.

Terrain codes are evidence only. The contents of a hex or hexside follow from the depictions, as B23
requires: a building hex has a part of a building depiction, and hexes belong together if the
depiction crosses their hexside. If VASL's own types contradict that, or a pixel or two decides, the
board gets a Doubt. A correction board can settle it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import shapely

from rules_asp.game.board import Board, Doubt, Outline
from rules_asp.game.grid import Hex, Hexside, Point
from rules_asp.game.values import word_text
from rules_asp.runtime.limits import size_limit, too_large_message
from rules_asp.vasl.archive import PIXEL, Archive, ArchiveError, code_table, read_archive
from rules_asp.vasl.buildings import buildings_of
from rules_asp.vasl.evidence import LEAST_DRAWING, TerrainEvidence, evidence_of, grown, known
from rules_asp.vasl.known_boards import corrected
from rules_asp.vasl.terrain import bridges, levels, roads, slopes, terrain, walls
from rules_asp.vasl.trace import Mask, outlines, rings

#: A road in a hex is extended this far beyond its hexsides, in pixels.
_BEYOND = 3
#: The deck of a bridge is painted as road from this share of the bridge on; below it, as bridge.
_LEAST_DECK = 0.3


def import_archive(path: Path) -> Board:
    """Read a VASL board archive; ArchiveError, with one clear message, if it cannot be read.

    Known errors of VASL about a printed board are corrected.
    """
    archive = read_archive(path)
    try:
        return corrected(board_of(archive))
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from None


def board_of(archive: Archive) -> Board:
    """Return the statements that follow from the evidence of a checked archive."""
    evidence = evidence_of(archive)
    _check_edges(evidence)
    parts = (terrain, levels, slopes, bridges, roads, walls, buildings_of, _strange, _drawings)
    found = [statement for part in parts for statement in part(evidence)]
    doubts = [statement for statement in found if isinstance(statement, Doubt)]
    doubts.sort(key=lambda doubt: (_first_hex(doubt), doubt.text))
    statements = [statement for statement in found if not isinstance(statement, Doubt)]
    return Board(archive.metadata.name, archive.grid, (*statements, *doubts))


def _check_edges(evidence: TerrainEvidence) -> None:
    """Raise ArchiveError if there are more edges to trace than any real depiction has.

    The time depends not on the pixels but on the edges between them: noise has a hundred times as
    many.
    """
    edges = 0
    for layer in (evidence.layer, evidence.elevation, evidence.archive.codes):
        wide = layer.astype(np.int16)
        for axis in (0, 1):
            steps = np.abs(np.diff(wide, axis=axis))
            # For the ground, each level is traced; for other layers, each kind.
            edges += int(steps.sum() if layer is evidence.elevation else np.count_nonzero(steps))
    if edges > size_limit("edges"):
        raise ArchiveError(f"LOSData: {too_large_message('edges')}")


def _first_hex(doubt: Doubt) -> Hex:
    return doubt.where.a if isinstance(doubt.where, Hexside) else doubt.where


def _strange(evidence: TerrainEvidence) -> Iterator[Doubt]:
    """Yield doubts about parts of the archive that are not understood."""
    sheet, codes = evidence.canvas, evidence.archive.codes
    for text in evidence.archive.metadata.strange:
        yield Doubt(sheet.hexes[0], text)
    for number in np.unique(codes).tolist():
        if not code_table()[number].name:
            where = sheet.hexes[int(np.argmax(sheet.count(codes == number)))]
            word = word_text(code_table()[number].word, "terrain")
            yield Doubt(where, f"terrain code {number} is not listed: unknown terrain {word}")


def _drawings(evidence: TerrainEvidence) -> Iterator[Outline]:
    """Yield every connected depiction of terrain and building, and the ground by level.

    Each ground outline covers one level and above. Unknown inherent terrain may count in the whole
    hex, drawn or not: it has no outline.
    """
    corner = evidence.canvas.corner
    for colour in ("gray", "brown"):
        yield from _traced("building", evidence.colour(colour), corner)
    yield from _traced("building", evidence.mask("lumberyard"), corner)
    for role in ("area", "water", "depression", "structure", "inherent"):
        for word in evidence.words(role):
            if role != "inherent" or known(word):
                yield from _traced(word, evidence.mask(role, word), corner)
    yield from _traced("bridge", evidence.bridge, corner)
    yield from _traced("road", _roads_in_terrain(evidence), corner)
    width, height = evidence.canvas.size
    for level in range(int(evidence.elevation.min()) + 1, int(evidence.elevation.max()) + 1):
        polygons = outlines(evidence.elevation >= level, corner)
        # The lowest level may be a speck only: ground that covers everything needs no outline.
        covers_all = len(polygons) == 1 and polygons[0].contains(
            shapely.box(*corner, corner.x + PIXEL * width, corner.y + PIXEL * height)
        )
        if not covers_all:
            for polygon in polygons:
                outer, holes = rings(polygon)
                yield Outline("ground", outer, holes, level)


def _roads_in_terrain(evidence: TerrainEvidence) -> Mask:
    """Return the pixels of roads in hexes with terrain or a bridge; elsewhere no rule asks for them.

    They are extended slightly: a road that ended within its hex would not reach the hexside. A bridge
    that shows no road, only planks, is the road.
    """
    sheet, roads, bridge = evidence.canvas, evidence.coded("road"), evidence.bridge
    planks = sheet.count(bridge & roads) < _LEAST_DECK * sheet.count(bridge)
    roads |= bridge & planks[sheet.owner]
    wild = evidence.mask("area") | evidence.mask("inherent") | bridge
    hexes = (sheet.count(wild) >= LEAST_DRAWING)[sheet.owner]
    return np.asarray(roads & grown(hexes, _BEYOND))


def _traced(kind: str, mask: Mask, corner: Point) -> Iterator[Outline]:
    for polygon in outlines(mask, corner):
        outer, holes = rings(polygon)
        yield Outline(kind, outer, holes)
