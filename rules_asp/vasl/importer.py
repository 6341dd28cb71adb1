"""A VASL board archive as a Board: what is printed, read from the pixels.

Terrain codes are evidence only. What a hex or hexside holds follows from the drawings, as B23 wants
it: a building hex is one with a part of a building drawing, hexes belong together where the drawing
crosses their hexside. Where VASL's own types contradict that, or the drawing is a matter of a pixel
or two, the board gets a Doubt, and the verdict is left to a correction board.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import shapely

from rules_asp.terms.board import (
    Area,
    Bar,
    Board,
    Building,
    Doubt,
    Given,
    Level,
    Outline,
    Road,
    Sides,
    Statement,
)
from rules_asp.terms.grid import Hex, Hexside
from rules_asp.vasl.archive import PIXEL, Archive, ArchiveError, Code, code_table, read_archive
from rules_asp.vasl.trace import (
    SAMPLES,
    Canvas,
    Index,
    Layer,
    Mask,
    between,
    canvas,
    outlines,
    rings,
    spread,
)

__all__ = ["Archive", "ArchiveError", "import_archive", "read_archive"]

#: A hex is a building hex from this many pixels on, once seams are cleaned up.
_LEAST_DRAWING = 16
#: With fewer than this it is worth a doubt.
_SMALL_DRAWING = 100
#: A drawing crosses a hexside when it shows on both sides along so many sixtieths of it.
_LEAST_CROSSING = 8
_NARROW_CROSSING = 12
_LEAST_PATH_CROSSING = 3
#: A bar's stretch of a hexside, in sixtieths; at a vertex less is the end of a neighbouring bar.
_LEAST_BAR, _LEAST_BAR_AT_VERTEX = 5, 15
#: A bar that ends this near the midpoint (two pixels) may block the centre-to-centre line or not.
_NEAR_MIDPOINT = 4
#: A wall or hedge stands on a hexside from this share of it on; between the two it is doubtful.
_LEAST_WALL, _SURE_WALL, _NO_WALL = 0.5, 0.8, 0.3
#: Terrain that fills its hex is drawn on most of it, or as some trees; with less it only sticks in.
_LEAST_INHERENT, _NO_INHERENT = 0.1, 0.05
#: A drawing belongs to a hex when it comes so deep into it (lattice units). Terrain that fills its
#: hex is painted up to a pixel or two over the hexsides.
_DEPTH, _INHERENT_DEPTH = 1.25 * PIXEL, 2 * PIXEL
#: Building pixels on another elevation than their hex, from which on the split is worth a doubt.
_LEAST_SPLIT = 20
#: How far from the centre dot its terrain is looked for when a road or wall lies on it, in pixels.
_DOT_RADIUS = 20

_OPEN, _ROAD = 0, 1


def import_archive(path: Path) -> Board:
    """Read a VASL board archive; ArchiveError, with one clear message, when that cannot be done."""
    return board_of(read_archive(path))


def board_of(archive: Archive) -> Board:
    """The statements that a checked archive gives evidence for."""
    evidence = _evidence(archive)
    parts = (_terrain, _levels, _bridges, _roads, _walls, _buildings, _drawings)
    found = [statement for part in parts for statement in part(evidence)]
    doubts = [statement for statement in found if isinstance(statement, Doubt)]
    doubts.sort(key=lambda doubt: (_first_hex(doubt), doubt.text))
    statements = [statement for statement in found if not isinstance(statement, Doubt)]
    return Board(archive.name, archive.grid, (*statements, *doubts))


def _first_hex(doubt: Doubt) -> Hex:
    return doubt.where.a if isinstance(doubt.where, Hexside) else doubt.where


@dataclass(frozen=True)
class _Evidence:
    """The archive's pixels, cleaned: `layer` holds an index into `kinds`."""

    archive: Archive
    canvas: Canvas
    kinds: tuple[tuple[str, str], ...]  # role and word
    built: Mask  # which of the kinds are drawings of buildings
    layer: Layer
    elevation: Layer
    pixels: Index  # how many pixels each hex has

    def mask(self, role: str, word: str | None = None) -> Mask:
        """The pixels of a role, or of one word of it."""
        wanted = np.array([r == role and word in (None, w) for r, w in self.kinds])
        return np.asarray(wanted[self.layer])

    def colour(self, colour: str) -> Mask:
        """The pixels of building drawings of a colour, the marketplace's among them."""
        return self.mask("building", colour) | self.mask("marketplace", colour)

    def words(self, role: str) -> list[str]:
        """The words of a role that are drawn somewhere."""
        drawn = np.bincount(self.layer.ravel(), minlength=len(self.kinds)) > 0
        return [w for (r, w), on in zip(self.kinds, drawn, strict=True) if on and r == role]

    def coded(self, role: str, word: str | None = None) -> Mask:
        """The raw pixels of a role."""
        wanted = np.zeros(256, bool)
        for code in code_table().values():
            wanted[code.number] = code.role == role and word in (None, code.word)
        return np.asarray(wanted[self.archive.codes])


def _evidence(archive: Archive) -> _Evidence:
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
    covered = blank[archive.codes]
    bars = np.isin(archive.codes, [code.number for code in table.values() if code.role == "bar"])
    built = np.array([role in ("building", "marketplace", "lumberyard") for role, _ in kinds])

    # A bar lies on a building. A wall may pass beside one, and covers it only where it shows on
    # both sides of the wall; it parts other terrain at the hexside it stands on.
    left = spread(layer, bars, ~covered)
    walls = (covered & ~bars) | left
    xs, ys, values = between(layer, walls, built)
    layer[xs, ys] = values
    walls[xs, ys] = False
    left = spread(layer, walls, ~walls & ~built[layer], sheet.owner)
    layer[spread(layer, left, ~left & ~built[layer])] = _OPEN

    depths = np.array([_INHERENT_DEPTH if role == "inherent" else _DEPTH for role, _ in kinds])
    everywhere = np.ones(archive.codes.shape, bool)
    return _Evidence(
        archive,
        sheet,
        tuple(kinds),
        built,
        sheet.settle(layer, depths),
        archive.elevation,
        sheet.count(everywhere),
    )


# --- terrain, levels, bridges


def _terrain(evidence: _Evidence) -> Iterator[Statement]:
    """Areas: terrain at the centre dots, terrain that fills its hex, marketplace and lumberyard."""
    sheet, kinds = evidence.canvas, evidence.kinds
    areas: dict[str, set[Hex]] = defaultdict(set)
    for hex_ in sheet.hexes:
        role, word = kinds[_at_dot(evidence, hex_)]
        if role in ("area", "depression"):
            areas[word].add(hex_)
    for word in evidence.words("inherent"):
        shares = sheet.count(evidence.mask("inherent", word)) / evidence.pixels
        for hex_, share in zip(sheet.hexes, shares, strict=True):
            if share >= _LEAST_INHERENT:
                areas[word].add(hex_)
            elif share >= _NO_INHERENT:
                yield Doubt(
                    hex_, f"a little {_plain(word)} is drawn in it: taken as sticking in only"
                )
    for role in ("marketplace", "lumberyard"):
        counts = sheet.count(evidence.mask(role))
        for hex_, count in zip(sheet.hexes, counts, strict=True):
            if count >= _LEAST_DRAWING:
                areas[role].add(hex_)
                if count < _SMALL_DRAWING:
                    yield Doubt(hex_, f"its {role} drawing has {count} pixels only")
    for word in sorted(areas):
        yield Area(word, tuple(sorted(areas[word])))


def _at_dot(evidence: _Evidence, hex_: Hex) -> int:
    """The kind of terrain at the centre dot, or next to it where a road or wall lies on the dot."""
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


def _base(evidence: _Evidence, hex_: Hex) -> int:
    values, distances = evidence.canvas.around(hex_, evidence.elevation, 2)
    return int(Counter(values[distances <= 1.5].tolist()).most_common(1)[0][0])


def _levels(evidence: _Evidence) -> Iterator[Statement]:
    """Base levels: the elevation at the centre dots."""
    levels: dict[int, list[Hex]] = defaultdict(list)
    for hex_ in evidence.canvas.hexes:
        levels[_base(evidence, hex_)].append(hex_)
    for level in sorted(levels):
        if level != 0:
            yield Level(level, tuple(levels[level]))


def _bridges(evidence: _Evidence) -> Iterator[Statement]:
    sheet = evidence.canvas
    for construction in ("stone", "wooden"):
        bridge = evidence.coded("bridge", construction)
        if not bridge.any():
            continue
        for index in np.nonzero(sheet.count(bridge) >= _SMALL_DRAWING)[0]:
            hex_ = sheet.hexes[int(index)]
            yield Given("bridge", (hex_, construction))
            beside = evidence.elevation[(sheet.owner == index) & ~bridge]
            base = _base(evidence, hex_)
            low = int(np.percentile(beside, 5)) if beside.size else base
            if low != base:
                text = f"its base level {base} is that of the bridge: beside it is ground at {low}"
                yield Doubt(hex_, text)


# --- roads, walls


def _roads(evidence: _Evidence) -> Iterator[Statement]:
    sheet = evidence.canvas
    inside = sheet.inside().sum(axis=1)
    surfaces = {(c.role, c.word) for c in code_table().values() if c.role in ("road", "path")}
    for role, surface in sorted(surfaces):
        drawn = evidence.coded(role, surface)
        if not drawn.any():
            continue
        least = _LEAST_PATH_CROSSING if role == "path" else _LEAST_CROSSING
        # A road that covers a whole hexside (half of one at the rim) runs along it.
        most = inside if surface == "runway" else inside - 1
        counts = _crossing(sheet, drawn)
        crossed = (counts >= least) & (counts <= most)
        for trail in _trails(sheet.sides[at] for at in np.nonzero(crossed)[0]):
            yield Road(surface, trail)


def _trails(sides: Iterable[Hexside]) -> list[tuple[Hex, ...]]:
    """The crossed hexsides as few walks from hex to hex, straight on where there is a choice."""
    open_: dict[Hex, set[Hex]] = defaultdict(set)
    for one in sides:
        open_[one.a].add(one.b)
        open_[one.b].add(one.a)

    def step(walk: list[Hex]) -> bool:
        last = walk[-1]
        if not open_[last]:
            return False
        heading = walk[-2].neighbours().index(last) if len(walk) > 1 else 0
        around = last.neighbours()

        def turn(hex_: Hex) -> tuple[int, Hex]:
            bend = (around.index(hex_) - heading) % 6
            return min(bend, 6 - bend), hex_

        following = min(open_[last], key=turn)
        open_[last].remove(following)
        open_[following].remove(last)
        walk.append(following)
        return True

    trails: list[tuple[Hex, ...]] = []
    for odd_first in (True, False):
        for start in sorted(open_):
            while open_[start] and (not odd_first or len(open_[start]) % 2):
                walk = [start]
                while step(walk):
                    pass
                trails.append(tuple(walk))
    return trails


def _walls(evidence: _Evidence) -> Iterator[Statement]:
    """Hexside terrain: drawn along a hexside, at most three pixels beside it."""
    sheet = evidence.canvas
    inside = sheet.inside().sum(axis=1)
    words = {code.word for code in code_table().values() if code.role == "side"}
    for word in sorted(words):
        drawn = evidence.coded("side", word)
        if not drawn.any():
            continue
        shares = _beside(sheet, drawn, 3).sum(axis=1) / np.maximum(inside, 1)
        standing = sorted(s for s, n in zip(sheet.sides, shares, strict=True) if n >= _LEAST_WALL)
        if standing:
            yield Sides(word, tuple(standing))
        # At the rim the ends of other walls cover much of half a hexside: no doubts there.
        for s, share, whole in zip(sheet.sides, shares, inside == SAMPLES, strict=True):
            if whole and _NO_WALL <= share < _SURE_WALL:
                taken = "covered" if share >= _LEAST_WALL else "free"
                text = f"{_plain(word)} is drawn along {share:.0%} of the hexside: taken as {taken}"
                yield Doubt(s, text)


def _crossing(sheet: Canvas, drawn: Mask) -> Index:
    """Along how many sixtieths of each hexside a drawing shows two pixels off on both sides."""
    wide = drawn.view(np.uint8)
    both = (sheet.along(wide, 2 * PIXEL) > 0) & (sheet.along(wide, -2 * PIXEL) > 0)
    return np.asarray(both.sum(axis=1))


def _beside(sheet: Canvas, drawn: Mask, pixels: int) -> Mask:
    """At which sixtieths of each hexside a drawing shows at most so many pixels off."""
    wide = drawn.view(np.uint8)
    offsets = range(-PIXEL * pixels, PIXEL * pixels + 1, PIXEL // 2)
    return np.asarray(np.any([sheet.along(wide, offset) > 0 for offset in offsets], axis=0))


# --- buildings


@dataclass(frozen=True)
class _Plan:
    """What the drawings of buildings show: hexes and their colours, crossed hexsides, bars."""

    colour: Mapping[Hex, str]
    typed: Mapping[Hex, Code]
    joined: frozenset[Hexside]
    bars: Mapping[Hexside, Bar]


def _buildings(evidence: _Evidence) -> Iterator[Statement]:
    sheet = evidence.canvas
    counts = {c: sheet.count(evidence.colour(c)) for c in ("gray", "brown")}
    colour: dict[Hex, str] = {}
    for index, hex_ in enumerate(sheet.hexes):
        gray, brown = int(counts["gray"][index]), int(counts["brown"][index])
        if max(gray, brown) < _LEAST_DRAWING:
            continue
        colour[hex_] = "gray" if gray > brown else "brown"
        if gray + brown < _SMALL_DRAWING:
            yield Doubt(hex_, f"only {gray + brown} pixels of a building drawing lie in it")
        if min(gray, brown) >= _LEAST_DRAWING:
            yield Doubt(
                hex_, f"gray ({gray} pixels) and brown ({brown}) drawings: taken as {colour[hex_]}"
            )

    joined: set[Hexside] = set()
    neighbours = [s.a in colour and s.b in colour for s in sheet.sides]
    for one in ("gray", "brown"):
        along = _crossing(sheet, evidence.colour(one))
        for s, n, built in zip(sheet.sides, along, neighbours, strict=True):
            if built and n >= _LEAST_CROSSING:
                joined.add(s)
                if n < _NARROW_CROSSING:
                    yield Doubt(s, f"the building drawing crosses along {n}/60 of the hexside only")
    either = _crossing(sheet, evidence.colour("gray") | evidence.colour("brown"))
    for s, n, built in zip(sheet.sides, either, neighbours, strict=True):
        if built and n >= _LEAST_CROSSING and s not in joined:
            yield Doubt(s, "a gray and a brown drawing meet here: taken as two buildings")

    bars: dict[Hexside, Bar] = {}
    for statement in _bars(evidence):
        if isinstance(statement, Bar) and statement.side in joined:
            bars[statement.side] = statement
        else:
            yield statement
            if isinstance(statement, Bar):
                yield Doubt(statement.side, "a bar lies where no building drawing crosses")

    plan = _Plan(colour, _typed(evidence, colour), frozenset(joined), bars)
    for hexes in _components(plan):
        yield from _building(evidence, plan, hexes)
    yield from _stray_doubts(evidence, plan)


def _components(plan: _Plan) -> list[tuple[Hex, ...]]:
    """The hexes of each building: linked by joined hexsides."""
    root = {hex_: hex_ for hex_ in plan.colour}

    def find(hex_: Hex) -> Hex:
        while root[hex_] != hex_:
            root[hex_] = root[root[hex_]]
            hex_ = root[hex_]
        return hex_

    for s in plan.joined:
        one, two = sorted((find(s.a), find(s.b)))
        root[two] = one
    groups: dict[Hex, list[Hex]] = defaultdict(list)
    for hex_ in sorted(plan.colour):
        groups[find(hex_)].append(hex_)
    return [tuple(group) for _, group in sorted(groups.items())]


def _typed(evidence: _Evidence, hexes: Iterable[Hex]) -> dict[Hex, Code]:
    """VASL's type of each building hex: as entered for the hex, else as most pixels have it."""
    sheet, codes = evidence.canvas, evidence.archive.codes
    drawn = evidence.coded("building") | evidence.coded("marketplace")
    counts = np.zeros((len(sheet.hexes), 256), np.int64)
    np.add.at(counts, (sheet.owner[drawn], codes[drawn]), 1)
    most = dict(zip(sheet.hexes, np.argmax(counts, axis=1).tolist(), strict=True))
    entered = {code.name: code for code in _building_codes()}
    types = evidence.archive.types
    return {hex_: entered.get(types.get(hex_, ""), code_table()[most[hex_]]) for hex_ in hexes}


def _building_codes() -> list[Code]:
    return [c for c in code_table().values() if c.role in ("building", "marketplace")]


def _building(evidence: _Evidence, plan: _Plan, hexes: tuple[Hex, ...]) -> Iterator[Statement]:
    """One building's statement, and what VASL's types say against it."""
    flagged = evidence.archive.flagged
    levels = {hex_: plan.typed[hex_].levels or 0 for hex_ in hexes}
    # Below two levels a flag means the inherent stairwell, for which nothing is printed.
    stairwells = tuple(hex_ for hex_ in hexes if hex_ in flagged and levels[hex_] >= 2)
    joined = tuple(s for s in sorted(plan.joined) if s.a in levels)
    colours = Counter(plan.colour[hex_] for hex_ in hexes)
    colour = colours.most_common(1)[0][0]
    if len(colours) > 1:
        yield Doubt(hexes[0], f"its building is gray and brown by hexes: taken as {colour}")
    yield Building(
        colour,
        hexes,
        joined=joined,
        stairwells=stairwells,
        bars=tuple(plan.bars[s] for s in joined if s in plan.bars),
    )
    bases = {hex_: _base(evidence, hex_) for hex_ in hexes}
    uneven = len(set(bases.values())) > 1
    for hex_ in hexes:
        yield from _kind_doubts(plan.typed[hex_], plan.colour[hex_], hex_)
        if plan.typed[hex_].role == "building":
            for text in _level_doubts(
                levels[hex_], hex_ in flagged, len(hexes) > 1, bool(stairwells), uneven
            ):
                yield Doubt(hex_, text)
        yield from _split_doubts(evidence, hex_, bases[hex_])


def _kind_doubts(code: Code, colour: str, hex_: Hex) -> Iterator[Doubt]:
    if code.word != colour:
        yield Doubt(hex_, f"VASL types it {code.name}, but it is drawn {colour}")
    plain = code.name.startswith(("Stone Building", "Wooden Building"))
    if code.role == "building" and not plain:
        yield Doubt(hex_, f"VASL types it {code.name}: taken as a plain {colour} building")


def _level_doubts(
    level: int, flag: bool, several: bool, symbol: bool, uneven: bool
) -> Iterator[str]:
    """What is odd about a hex to which VASL gives so many upper levels and a stairway flag or none.

    several: its building has several hexes; symbol: one of them has a stairwell symbol for certain;
    uneven: they lie at several base levels.
    """
    ask = " as a stairway: is a stairwell symbol printed here?"
    if level > 2:
        yield f"VASL gives it {level} upper levels; more than 2 exist only by SSR"
    if level >= 2 and not symbol:
        yield f"VASL gives it {level} upper levels, but flags no such hex of its building{ask}"
    if level == 1 and not several:
        yield "VASL gives it an upper level, but it is a building of one hex: is a symbol printed?"
    if level == 1 and several and not uneven:
        if symbol:
            yield "VASL gives it 1 upper level, but its building has a stairwell symbol"
        elif not flag:
            yield "VASL gives it 1 upper level, but flags no stairway"
    if level == 0 and several:
        yield "VASL gives it no upper level, but its building has several hexes"
    if level == 0 and flag:
        yield f"VASL gives it no upper level, but flags it{ask}"


def _split_doubts(evidence: _Evidence, hex_: Hex, base: int) -> Iterator[Doubt]:
    sheet = evidence.canvas
    index = sheet.hexes.index(hex_)
    x, y = (int(at / PIXEL) for at in hex_.centre)
    window = (slice(max(0, x - 40), x + 40), slice(max(0, y - 35), y + 35))
    mine = sheet.owner[window] == index
    drawn = evidence.built[evidence.layer[window]]
    heights = Counter(evidence.elevation[window][mine & drawn].tolist())
    for height, count in sorted(heights.items()):
        if height != base and count >= _LEAST_SPLIT:
            text = f"{count} pixels of its building lie at level {height}, its centre dot at {base}"
            yield Doubt(hex_, text)


def _stray_doubts(evidence: _Evidence, plan: _Plan) -> Iterator[Doubt]:
    """Flags and entered types where no building is drawn."""
    names = {code.name for code in _building_codes()}
    for hex_ in sorted(evidence.archive.flagged):
        if hex_ not in plan.colour:
            yield Doubt(hex_, "VASL flags a stairway, but no building is drawn here")
    for hex_, name in sorted(evidence.archive.types.items()):
        if hex_ not in plan.colour:
            yield Doubt(hex_, f"VASL types it {_quoted(name)}, but no building is drawn here")
        elif name not in names:
            yield Doubt(hex_, f"VASL types it {_quoted(name)}, which is no known building")


def _bars(evidence: _Evidence) -> Iterator[Bar | Doubt]:
    """Black bars, snapped to their hexsides; Doubts where a pixel or two decides."""
    sheet = evidence.canvas
    black = evidence.coded("bar")
    if not black.any():
        return
    on = _beside(sheet, black, 1)
    half = SAMPLES // 2
    for s, row in zip(sheet.sides, on, strict=True):
        start, end = _longest_run(row)
        at_vertex = start <= 1 or end >= SAMPLES - 1
        if end - start < (_LEAST_BAR_AT_VERTEX if at_vertex else _LEAST_BAR):
            continue
        covers = None if start <= 2 and end >= SAMPLES - 2 else (start, end)
        yield Bar(s, covers)
        if abs(start - half) <= _NEAR_MIDPOINT or abs(end - half) <= _NEAR_MIDPOINT:
            yield Doubt(
                s,
                f"its bar covers {start}/60 to {end}/60: it ends within two pixels of the midpoint",
            )
    far = black & (sheet.depth > 5 * PIXEL)
    for index in np.nonzero(sheet.count(far) >= _LEAST_DRAWING)[0]:
        yield Doubt(sheet.hexes[int(index)], "a part of a bar lies inside it, off every hexside")


def _longest_run(row: Mask) -> tuple[int, int]:
    edges = np.diff(np.concatenate(([0], row.astype(np.int8), [0])))
    starts, ends = np.nonzero(edges == 1)[0], np.nonzero(edges == -1)[0]
    if not len(starts):
        return 0, 0
    best = int(np.argmax(ends - starts))
    return int(starts[best]), int(ends[best])


# --- outlines


def _drawings(evidence: _Evidence) -> Iterator[Outline]:
    """Every connected drawing of terrain and building, and the ground at or above each level."""
    for colour in ("gray", "brown"):
        yield from _traced("building", evidence.colour(colour))
    yield from _traced("building", evidence.mask("lumberyard"))
    for role in ("area", "inherent"):
        for word in evidence.words(role):
            yield from _traced(word, evidence.mask(role, word))
    width, height = evidence.canvas.size
    for level in range(int(evidence.elevation.min()) + 1, int(evidence.elevation.max()) + 1):
        polygons = outlines(evidence.elevation >= level)
        # The lowest level may be a speck only: ground that covers everything needs no outline.
        covers_all = len(polygons) == 1 and polygons[0].contains(
            shapely.box(0, 0, PIXEL * width, PIXEL * height)
        )
        if not covers_all:
            for polygon in polygons:
                outer, holes = rings(polygon)
                yield Outline("ground", outer, holes, level)


def _traced(kind: str, mask: Mask) -> Iterator[Outline]:
    for polygon in outlines(mask):
        outer, holes = rings(polygon)
        yield Outline(kind, outer, holes)


def _plain(word: str) -> str:
    return word.replace("_", " ")


def _quoted(text: str) -> str:
    return "'" + "".join(c for c in text if c.isprintable() and c not in "\"'\\")[:40] + "'"
