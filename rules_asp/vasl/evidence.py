"""Evidence in an archive: its cleaned pixels, by the kind of depiction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rules_asp.game.grid import Hex
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.vasl.archive import PIXEL, Archive, code_table
from rules_asp.vasl.trace import Index, Layer, Mask, PixelMap, between, canvas, opposed, spread

#: The minimum pixels of a building hex, after seams are cleaned up.
LEAST_DRAWING = 16
#: A building with fewer pixels than this gets a doubt.
SMALL_DRAWING = 100
#: A depiction crosses a hexside if it is on both sides along this many sixtieths of it.
LEAST_CROSSING = 8
NARROW_CROSSING = 12
LEAST_PATH_CROSSING = 3
#: A depiction belongs to a hex if it extends this far into it (lattice units). Inherent terrain is
#: painted up to a pixel or two over the hexsides.
_DEPTH, _INHERENT_DEPTH = 1.25 * PIXEL, 2 * PIXEL
#: Terrain printed as a pattern, as grain is, has this many edges to open ground per pixel. A pixel
#: between two of its pixels, at most this far from both, belongs to its depiction.
_STIPPLED, _STIPPLE = 0.3, 4
#: The search radius for terrain around the center dot if a road or wall covers it, in pixels.
_DOT_RADIUS = 20
_OPEN, _ROAD = 0, 1
#: The search distance on both sides of a bridge for the terrain that it crosses, in pixels.
_BRIDGE_REACH = 40
#: The maximum width of a line that VASL draws along a bank, in pixels.
_LINE = 2
#: The maximum width of a bank, at the level of the deck, between a bridge and the terrain under it.
_BANK = 6


@dataclass(frozen=True)
class TerrainEvidence:
    """The archive's pixels, cleaned: `layer` holds an index into `kinds`, `elevation` levels.

    Under bridges, which VASL paints as ground, both have the values of the crossed terrain.
    """

    archive: Archive
    canvas: PixelMap
    kinds: tuple[tuple[str, str], ...]  # role and word
    built: Mask  # kinds that are building depictions
    layer: Layer
    elevation: Layer
    bridge: Mask  # including the road on it
    pixels: Index  # the number of pixels of each hex

    def mask(self, role: str, word: str | None = None) -> Mask:
        """Return the pixels of a role, or of one word of it."""
        wanted = np.array([r == role and word in (None, w) for r, w in self.kinds])
        return np.asarray(wanted[self.layer])

    def colour(self, colour: str) -> Mask:
        """Return the pixels of building depictions of a color, and of such marketplaces."""
        return self.mask("building", colour) | self.mask("marketplace", colour)

    def words(self, role: str) -> list[str]:
        """Return the words of a role with at least one pixel."""
        drawn = np.bincount(self.layer.ravel(), minlength=len(self.kinds)) > 0
        return [w for (r, w), on in zip(self.kinds, drawn, strict=True) if on and r == role]

    def coded(self, role: str, word: str | None = None) -> Mask:
        """Return the raw pixels of a role."""
        wanted = np.zeros(256, bool)
        for code in code_table().values():
            wanted[code.number] = code.role == role and word in (None, code.word)
        return np.asarray(wanted[self.archive.codes])


def evidence_of(archive: Archive) -> TerrainEvidence:
    """Return the evidence of an archive, with seams cleaned up and covered terrain filled in."""
    table = code_table()
    width, height = archive.codes.shape
    sheet = canvas(archive.grid, width, height)

    kinds: list[tuple[str, str]] = [("open", "open_ground"), ("road", "road")]
    number_of: dict[tuple[str, str], int] = {}
    to_kind = np.zeros(256, np.uint8)
    blank = np.zeros(256, bool)
    for code in table.values():
        if code.role in ("bar", "side", "path"):
            blank[code.number] = True
        elif code.role in ("road", "bridge"):
            to_kind[code.number] = _ROAD
        elif code.role != "open":
            key = (code.role, code.word)
            if key not in number_of:
                number_of[key] = len(kinds)
                kinds.append(key)
            to_kind[code.number] = number_of[key]
    layer = to_kind[archive.codes]
    elevation = archive.elevation.copy()
    bridge = _bridges(archive)
    _dig_under(bridge, layer, elevation, kinds)
    _fill_patterns(layer, kinds)
    _heal_banks(layer, kinds)
    covered = blank[archive.codes]
    bars = np.isin(archive.codes, [code.number for code in table.values() if code.role == "bar"])
    built = np.array([role in ("building", "marketplace", "lumberyard") for role, _ in kinds])

    # A bar is on a building. A wall may pass beside one, and covers it only where it is visible on
    # both sides of the wall; the wall separates other terrain at its hexside.
    left = spread(layer, bars, ~covered)
    walls = (covered & ~bars) | left
    xs, ys, values = between(layer, walls, built)
    layer[xs, ys] = values
    walls[xs, ys] = False
    left = spread(layer, walls, ~walls & ~built[layer], sheet.owner)
    layer[spread(layer, left, ~left & ~built[layer])] = _OPEN

    depths = np.array([_INHERENT_DEPTH if role == "inherent" else _DEPTH for role, _ in kinds])
    everywhere = np.ones(archive.codes.shape, bool)
    return TerrainEvidence(
        archive,
        sheet,
        tuple(kinds),
        built,
        sheet.settle(layer, depths),
        elevation,
        bridge,
        sheet.count(everywhere),
    )


#: The four axes for looking to both sides, as steps of (x, y).
_AXES = ((1, 0), (0, 1), (1, 1), (1, -1))


def _bridges(archive: Archive) -> Mask:
    """Return the bridge depictions: VASL paints parapets as bridge, and the deck as road."""
    role = np.array([code_table()[number].role for number in range(256)])[archive.codes]
    bridge, road = role == "bridge", role == "road"
    if not bridge.any():
        return np.asarray(bridge)
    near = grown(bridge, _BRIDGE_REACH)
    xs, ys = np.nonzero(road & near)
    between_rails = np.zeros(len(xs), bool)
    for step in _AXES:
        one, two, both = opposed(road, (xs, ys), step, _BRIDGE_REACH)
        between_rails |= both & bridge[one] & bridge[two]
    bridge[xs[between_rails], ys[between_rails]] = True
    return np.asarray(bridge)


def grown(mask: Mask, reach: int) -> Mask:
    """Return the pixels within this distance of those of a mask, in x and y."""
    near = mask.copy()
    for axis in (0, 1):
        sums = np.cumsum(
            np.pad(near, [(reach + 1, reach) if a == axis else (0, 0) for a in (0, 1)]), axis
        )
        length = mask.shape[axis]
        near = np.take(sums, np.arange(length) + 2 * reach + 1, axis) > np.take(
            sums, np.arange(length), axis
        )
    return near


def _dig_under(bridge: Mask, layer: Layer, elevation: Layer, kinds: list[tuple[str, str]]) -> None:
    """Extend the terrain that a bridge crosses under it, in place.

    That terrain is water or a depression visible on both sides of the bridge, or lower ground
    there.
    """
    wet = np.array([role in ("water", "depression") for role, _ in kinds])
    xs, ys = np.nonzero(bridge)
    low, under = elevation[xs, ys], layer[xs, ys]
    with_banks = grown(bridge, _BANK)
    for step in _AXES:
        one, two, both = opposed(with_banks, (xs, ys), step, _BRIDGE_REACH)
        sides = np.maximum(elevation[one], elevation[two])
        deeper = both & (sides < low)
        low[deeper] = sides[deeper]
        one, two, both = opposed(bridge, (xs, ys), step, _BRIDGE_REACH)
        kind, sides = layer[one], np.maximum(elevation[one], elevation[two])
        same = both & (kind == layer[two]) & wet[kind]
        under[same] = kind[same]
        deeper = both & (sides < low)
        low[deeper] = sides[deeper]
    elevation[xs, ys], layer[xs, ys] = low, under


def _fill_patterns(layer: Layer, kinds: list[tuple[str, str]]) -> None:
    """Let terrain printed as a pattern cover the open ground between its strokes, in place."""
    open_ = layer == _OPEN
    edges = np.zeros(len(kinds), np.int64)
    for one, two in ((layer[:, 1:], layer[:, :-1]), (layer[:, :-1], layer[:, 1:])):
        edges += np.bincount(one[two == _OPEN], minlength=len(kinds))
    pixels = np.bincount(layer.ravel(), minlength=len(kinds))
    stippled = (edges > _STIPPLED * pixels) & np.array([role == "area" for role, _ in kinds])
    if stippled.any():
        xs, ys, values = between(layer, open_, stippled, _STIPPLE)
        layer[xs, ys] = values


def _heal_banks(layer: Layer, kinds: list[tuple[str, str]]) -> None:
    """Merge lines of one kind of water or depression along another kind into that kind, in place.

    A pixel or two of another color along a bank is VASL's rendering of the bank, not a separate
    stream.
    """
    wet = [n for n, (role, _) in enumerate(kinds) if role in ("water", "depression")]
    drawn = {n: mask for n in wet if (mask := layer == n).any()}
    if len(drawn) < 2:
        return
    thick = {n: grown(~grown(~mask, 1), 1) & mask for n, mask in drawn.items()}
    for n, mask in drawn.items():
        # A thick part is a stream of its own, and keeps its rim.
        thin = mask & ~grown(thick[n], _LINE)
        for other in drawn.keys() - {n}:
            layer[thin & grown(thick[other], _LINE)] = other


def at_dot(evidence: TerrainEvidence, hex_: Hex) -> int:
    """Return the terrain kind at the center dot, or next to it if a road or wall covers the dot."""
    on_dot = int(evidence.layer[evidence.canvas.pixel(hex_.centre)])
    if evidence.kinds[on_dot][0] in ("water", "depression"):
        return on_dot
    values, distances = evidence.canvas.around(hex_, evidence.layer, _DOT_RADIUS)
    free = values != _ROAD
    if not free.any():
        return _OPEN
    nearest = distances[free][0]
    near = values[free & (distances <= max(2.0, nearest + 1.5))]
    counts = np.bincount(near[near != _ROAD])
    # A road between woods and open ground runs through the woods hex.
    if nearest > 2 and len(counts) > 1 and counts[1:].max() * 2 >= counts.sum():
        counts[_OPEN] = 0
    return int(np.argmax(counts))


def beside_depression(evidence: TerrainEvidence, hex_: Hex) -> str:
    """Return the terrain around a depression at the center dot, empty for none.

    This is the most frequent terrain of the pixels near the dot, without the depression.
    """
    values, _ = evidence.canvas.around(hex_, evidence.layer, _DOT_RADIUS)
    low = np.array([role in ("water", "depression") for role, _ in evidence.kinds])
    beside = values[~low[values] & (values != _ROAD)]
    if not len(beside):
        return ""
    counts = np.bincount(beside)
    role, word = evidence.kinds[int(np.argmax(counts))]
    return word if role == "area" and 2 * counts.max() > len(beside) else ""


def base_level(evidence: TerrainEvidence, hex_: Hex) -> int:
    """Return the level at the center dot."""
    return int(evidence.elevation[evidence.canvas.pixel(hex_.centre)])


def crossing(sheet: PixelMap, drawn: Mask) -> Index:
    """Count the sixtieths of each hexside where a depiction is two pixels off on both sides."""
    wide = drawn.view(np.uint8)
    both = (sheet.along(wide, 2 * PIXEL) > 0) & (sheet.along(wide, -2 * PIXEL) > 0)
    return np.asarray(both.sum(axis=1))


def near_hexside(sheet: PixelMap, drawn: Mask, pixels: int) -> Mask:
    """Return the sixtieths of each hexside with a depiction at most this many pixels off."""
    wide = drawn.view(np.uint8)
    offsets = range(-PIXEL * pixels, PIXEL * pixels + 1, PIXEL // 2)
    return np.asarray(np.any([sheet.along(wide, offset) > 0 for offset in offsets], axis=0))


def known(word: str) -> bool:
    """Return whether the rules know a terrain by this word."""
    return word in default_vocabulary().words["terrain"]


def word_text(word: str) -> str:
    """Return a word as people write it."""
    return word.replace("_", " ")
