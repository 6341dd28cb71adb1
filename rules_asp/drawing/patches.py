"""Map fragments for the page, and which of them changed."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import clingo
import svg

from rules_asp.drawing import canvas, counters
from rules_asp.drawing.canvas import (
    ANSWERED,
    LOCATED,
    Canvas,
    Scene,
    hexes_outline,
    make_scene,
    topic_nodes,
)
from rules_asp.drawing.los import side_view
from rules_asp.drawing.map import AnswerOverlay, hexes_near, layers
from rules_asp.drawing.style import COLOUR, TOLD, UNSEEN, Theme, level_colour
from rules_asp.drawing.svg import Element, document, group, path
from rules_asp.game.board import Board
from rules_asp.game.grid import Hex
from rules_asp.game.values import hex_from_symbol
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.geometry.shapes import Shapes
from rules_asp.knowledge.rules import Signature
from rules_asp.positions.fact_index import Mentions
from rules_asp.positions.position import Position
from rules_asp.queries.los import Los

# --- Parts of a picture for a page that shows answers over the map: map, legend, side view.


#: Pixels per lattice unit of a drawn map; the page can scale it.
_SCALE = 0.14
#: The width of a side view and of a legend, and their font size, in lattice units.
_PANEL, _LETTERS = 3000, 92


@dataclass(frozen=True)
class MapFragment:
    """A map without surrounding text, or a part of one that is shown over it.

    box: left, top, width and height of the picture in lattice units.
    legend: the kinds shown on the map, as a separate picture.
    notes: texts too long for their place, by number; None for a number that is no longer used.
    """

    svg: str
    box: tuple[int, int, int, int]
    legend: str
    notes: tuple[str | None, ...]


def box_of(hexes: Sequence[Hex] | frozenset[Hex]) -> tuple[int, int, int, int]:
    """Return the lattice rectangle of a picture of these hexes: left, top, width, height."""
    xs = [hex_.corner(each).x for hex_ in hexes for each in range(6)]
    ys = [hex_.corner(each).y for hex_ in hexes for each in range(6)]
    return min(xs) - 20, min(ys) - 20, max(xs) - min(xs) + 40, max(ys) - min(ys) + 40


def map_fragment(
    thing: Position | Board, looks: Theme = COLOUR, notes: Sequence[str | None] = ()
) -> MapFragment:
    """Draw the map of a board with all its contents; BoardError for an invalid board.

    `notes` are those of the current picture; they keep their numbers.
    """
    seen = make_scene(thing)
    hexes = seen.hexes_of_map
    pen = Canvas(seen, looks, hexes, notes=[each or "" for each in notes])
    drawn = layers(pen, AnswerOverlay())
    box = box_of(hexes)
    textures = svg.Defs(elements=list(pen.textures.values()))
    name = seen.board.name or "board"
    whole = document([textures, group(drawn, "map")], box, box[2] * _SCALE, name)
    left = (each if each in pen.noted else None for each in pen.notes)
    return MapFragment(whole, box, _legend(pen), tuple(left))


def patch(
    seen: Scene, changed: frozenset[Hex], looks: Theme = COLOUR, notes: Sequence[str | None] = ()
) -> MapFragment:
    """Draw the current look of these hexes and their neighbors, to be shown over a map picture.

    `notes` are the notes of the map picture. The caller draws the legend.
    """
    whole = seen.hexes_of_map
    # The drawing of a hex extends into its neighbors; beyond the shown hexes, rims are cut off.
    shown = hexes_near(changed) & whole
    pen = Canvas(
        seen,
        looks,
        hexes_near(shown) & whole,
        notes=[each or "" for each in notes],
        around=whole,
    )
    drawn = group(layers(pen, AnswerOverlay()), "map")
    drawn.clip_path = "url(#shown)"
    clip = svg.ClipPath(id="shown", elements=[path(hexes_outline(shown))])
    box = box_of(shown)
    inner: list[Element] = [svg.Defs(elements=[*pen.textures.values(), clip]), drawn]
    made = document(inner, box, box[2] * _SCALE, "what has changed")
    return MapFragment(made, box, "", tuple(each or None for each in pen.notes))


def parts_of(changed: frozenset[Hex]) -> list[frozenset[Hex]]:
    """Group hexes by the part of the map: hexes with touching surroundings are together."""
    found: list[frozenset[Hex]] = []
    for hex_ in sorted(changed):
        near = hexes_near([hex_], 2)
        beside = [part for part in found if near & part]
        found = [part for part in found if part not in beside]
        found.append(frozenset((hex_,)).union(*beside))
    return sorted(found, key=min)


def _legend(pen: Canvas) -> str:
    drawn, height = canvas.legend(pen, 0, 0, _LETTERS, _PANEL)
    box = (-40, -40, _PANEL + 80, height + 80)
    textures = svg.Defs(elements=list(pen.textures.values()))
    return document([textures, *drawn], box, box[2] * _SCALE, "legend")


def side_view_fragment(position: Position, answer: Los, looks: Theme = COLOUR) -> str | None:
    """Draw the side view of a LOS; None for a LOS in one hex, or with an unknown level."""
    panel = side_view(answer)
    if panel is None:
        return None
    seen = make_scene(position)
    pen = Canvas(seen, looks, seen.hexes_of_map)
    drawn: list[Element]
    drawn, height = panel(pen, 0, 0, _PANEL, _LETTERS)
    box = (-40, -40, _PANEL + 80, height + 80)
    textures = svg.Defs(elements=list(pen.textures.values()))
    return document([textures, *drawn], box, box[2] * _SCALE, "from the side")


# --- A picture of an archive before it is imported: its pixels in the colors of the terrain.


@dataclass(frozen=True)
class ArchivePicture:
    """The pixels of a VASL archive as PNG; `box` as in MapFragment, of the printed board alone."""

    png: bytes
    box: tuple[int, int, int, int]


#: One of so many pixels along and across is in the picture of an archive.
_SPARSE = 2


def archive_picture(path: Path, looks: Theme = COLOUR) -> ArchivePicture:
    """Return a quick picture of a board archive; ArchiveError if the file is not one."""
    # Imported on demand: only the page of an archive needs numpy.
    import numpy as np

    from rules_asp.vasl.archive import PIXEL, TerrainCode, code_table, read_archive

    def colour(code: TerrainCode) -> str | None:
        """Return the color of a code; None where the ground is visible."""
        if code.role in ("building", "marketplace", "lumberyard"):
            return looks.buildings.get(code.word, looks.striped).fill
        if code.role in ("road", "path"):
            return looks.roads[code.word].fill
        if code.role in ("side", "bar", "bridge"):
            return looks.sides[code.word].fill if code.word in looks.sides else looks.ink
        return None if code.role == "open" else looks.terrain.get(code.word, unknown).fill

    def rgb(text: str) -> list[int]:
        return list(bytes.fromhex(text.removeprefix("#")))

    unknown = looks.unknown_terrain
    archive = read_archive(path)
    codes = archive.codes[::_SPARSE, ::_SPARSE].T
    levels = archive.elevation[::_SPARSE, ::_SPARSE].T.astype(np.int16)
    fills = [colour(code_table()[number]) for number in range(256)]
    palette = np.array([rgb(each or looks.paper) for each in fills], np.uint8)
    lowest = int(levels.min())
    ground = [level_colour(looks, each) for each in range(lowest, int(levels.max()) + 1)]
    shades = np.array([rgb(each) for each in ground], np.uint8)
    bare = np.array([each is None for each in fills])[codes]
    pixels = palette[codes]
    pixels[bare] = shades[levels[bare] - lowest]
    width, height = (size * PIXEL for size in archive.codes.shape)
    left, top = archive.grid.corner
    return ArchivePicture(_png(pixels.tobytes(), *codes.shape[::-1]), (left, top, width, height))


def _png(pixels: bytes, width: int, height: int) -> bytes:
    """Return pixels of three bytes each, row by row, as a PNG file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    row = 3 * width
    # Each row of a PNG begins with the number of its filter; 0: none.
    rows = b"".join(b"\0" + pixels[row * at : row * (at + 1)] for at in range(height))
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            chunk(b"IDAT", zlib.compress(rows, 1)),
            chunk(b"IEND", b""),
        )
    )


# --- Visible changes between two positions of one map.


@dataclass(frozen=True)
class SceneSnapshot:
    """The visible part of a position."""

    position: Position

    @cached_property
    def seen(self) -> Scene:
        """The scene of its picture."""
        return make_scene(self.position)

    @cached_property
    def stated(self) -> frozenset[clingo.Symbol]:
        """The facts of the board."""
        return frozenset(self.position.board_facts.symbols)

    @cached_property
    def answered(self) -> frozenset[clingo.Symbol]:
        """The answers of the rules that a map shows."""
        return frozenset(_answers(self.position))

    @cached_property
    def units(self) -> frozenset[tuple[Hex, tuple[object, ...]]]:
        """The units of each hex in order, each with its colors."""
        pen = Canvas(self.seen, COLOUR, self.seen.hexes_of_map)
        return frozenset(
            (hex_, tuple((unit, *counters.colours(pen, unit.side)) for unit in units))
            for hex_, units in counters.counters_of(pen).items()
        )

    def changed(self, now: SceneSnapshot) -> frozenset[Hex] | None:
        """Return the hexes with a different look; None if they cannot be compared (another map)."""
        old, new = self.position, now.position
        if old.board.grid != new.board.grid:
            return None
        if old is new:
            return frozenset()
        before, after = old.board_facts.symbols, new.board_facts.symbols
        stated = [each for each in self.stated ^ now.stated if _is_drawn(each, new.vocabulary)]
        answered = self.answered ^ now.answered
        known = Mentions()
        found: set[Hex] = set()
        for each in (*stated, *answered):
            hexes, _ = known.among([each])
            if not hexes:
                return None
            found |= hexes
        names = {each.arguments[1] for each in stated if each.name == "named"}
        if names:  # a building shows its name once, in the middle of all its hexes
            of_hexes = (each.arguments for each in (*before, *after) if each.name == "named")
            found |= {hex_from_symbol(where) for where, name in of_hexes if name in names}
        found |= {hex_ for hex_, _ in self.units ^ now.units}
        found |= _drawings_changed(old.shapes, new.shapes)
        return frozenset(found) & frozenset(new.board.grid.hexes())


def _is_drawn(fact: clingo.Symbol, words: Vocabulary) -> bool:
    """Return whether a fact is drawn directly; units are compared by their look."""
    if fact.name in TOLD or fact.name in UNSEEN:
        return False
    entry = words.inputs.get(fact.name)
    return entry is not None and "unit" not in entry.kinds


def _answers(position: Position) -> list[clingo.Symbol]:
    """Return the answers that a map shows; many open facts are solved case by case."""
    nodes = [node for topic in ANSWERED for node in topic_nodes(topic)]
    nodes += [Signature(*notion) for notion in LOCATED]
    if len(position.cases) == 1:
        return list(position.true(0, nodes))
    return [
        clingo.Function("case", [clingo.Number(case), each])
        for case in range(len(position.cases))
        for each in position.true(case, nodes)
    ]


def _drawings_changed(old: Shapes, new: Shapes) -> set[Hex]:
    """Return the hexes with changed depictions."""
    if old is new:
        return set()
    pieces = {*old.pieces, *new.pieces}
    found = {part[0] for part in pieces if old.pieces.get(part) != new.pieces.get(part)}
    for part in {*old.segments, *new.segments}:
        if old.segments.get(part) != new.segments.get(part):
            found |= {*part[1]}
    return found
