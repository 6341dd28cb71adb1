"""Board archives in the real format, drawn by a seeded generator that also knows their contents.

Nothing here comes from a printed board. `generate` draws a board of its own from a number and keeps
the truth beside it; `write` packs it; `HOSTILE` lists files that are no archives, with a part of
the complaint that they must get.
"""

from __future__ import annotations

import gzip
import io
import itertools
import math
import random
import struct
import warnings
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import shapely

from rules_asp.game.grid import CORNERS, Grid, Hex, Hexside, Point, hexside_between

GRAY, GRAY_1, GRAY_2, MARKET = 40, 41, 42, 49
BROWN, BROWN_1, BROWN_2, LUMBERYARD = 50, 51, 52, 29
WOODS, ORCHARD, GRAIN, DIRT, PAVED, PATH = 60, 63, 24, 65, 66, 70
WALL, HEDGE, BAR, STONE_BRIDGE, GULLY = 72, 73, 77, 82, 30
BRUSH, STREAM, CANAL, SEWER = 25, 32, 13, 95


@dataclass
class Sketch:
    """A board being drawn: arrays [x, y] of 8-unit pixels, flags, entered types, slopes.

    size: the pixels in which it is written, where it is not the standard size; attributes: more of
    what the metadata say.
    """

    grid: Grid
    name: str = "sketch"
    flagged: set[Hex] = field(default_factory=set)
    types: dict[Hex, str] = field(default_factory=dict)
    slopes: dict[str, str] = field(default_factory=dict)
    size: tuple[int, int] | None = None
    attributes: str = ""

    def __post_init__(self) -> None:
        self.width = round(56.25 * (self.grid.cols - 1))
        self.height = round(64.5 * self.grid.rows)
        self.codes = np.zeros((self.width, self.height), np.uint8)
        self.elevation = np.zeros((self.width, self.height), np.int8)

    def shape(self, shape: shapely.Geometry) -> np.ndarray:
        """The pixels whose centres lie in a shape given in lattice units."""
        shape = shapely.transform(shape, lambda points: points - self.grid.corner)
        left, top, right, bottom = (int(bound // 8) for bound in shape.bounds)
        xs = np.arange(max(0, left), min(self.width, right + 1))
        ys = np.arange(max(0, top), min(self.height, bottom + 1))
        mask = np.zeros((self.width, self.height), bool)
        if len(xs) and len(ys):
            x, y = np.meshgrid(8 * xs + 4, 8 * ys + 4, indexing="ij")
            mask[xs[0] : xs[-1] + 1, ys[0] : ys[-1] + 1] = shapely.contains_xy(shape, x, y)
        return mask

    def paint(self, shape: shapely.Geometry, code: int) -> None:
        self.codes[self.shape(shape)] = code

    def raise_to(self, shape: shapely.Geometry, level: int) -> None:
        self.elevation[self.shape(shape)] = level

    def payload(self) -> bytes:
        """What LOSData holds once its records are joined."""
        width, height = self.size or (self.width, self.height)
        header = struct.pack(">4i", self.grid.cols, self.grid.rows, width, height)
        xs = (np.arange(width) + 0.5) * self.width // width
        ys = (np.arange(height) + 0.5) * self.height // height
        cells = np.stack([self.elevation.view(np.uint8), self.codes], axis=-1)
        cells = cells[np.ix_(xs.astype(int), ys.astype(int))].tobytes()
        return header + cells + bytes(hex_ in self.flagged for hex_ in self.grid.hexes())

    def metadata(self) -> str:
        types = "".join(
            f'<buildingType hexName="{hex_}" buildingTypeName="{name}" />\n'
            for hex_, name in sorted(self.types.items())
        )
        slopes = "".join(
            f'<slope hex="{hex_}" hexsides="{sides}" />\n' for hex_, sides in self.slopes.items()
        )
        return (
            f'<?xml version="1.0"?>\n<boardMetadata name="{self.name}" hasHills="TRUE" '
            f'width="{self.grid.cols}" height="{self.grid.rows}" {self.attributes}>\n'
            f"<!-- <buildingType hexName='A1' buildingTypeName='Stone Building' /> -->\n"
            f"<buildingTypes>\n{types}</buildingTypes>\n<slopes>\n{slopes}</slopes>\n"
            f"</boardMetadata>\n"
        )


def java_stream(payload: bytes) -> bytes:
    """The payload as a Java object stream of block-data records, long ones and a short last one."""
    parts = [b"\xac\xed\x00\x05"]
    for start in range(0, len(payload), 1024):
        block = payload[start : start + 1024]
        if len(block) < 256:
            parts.append(struct.pack(">BB", 0x77, len(block)) + block)
        else:
            parts.append(struct.pack(">BI", 0x7A, len(block)) + block)
    return b"".join(parts)


def pack(
    path: Path,
    los_data: bytes | None,
    metadata: str | bytes | None,
    compression: int = zipfile.ZIP_DEFLATED,
) -> Path:
    """Write an archive of these entries, without those that are None."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in (("LOSData", los_data), ("BoardMetadata.xml", metadata)):
            if data is not None:
                archive.writestr(zipfile.ZipInfo(name), data, archive.compression)
    return path


def write(path: Path, sketch: Sketch) -> Path:
    """Pack a sketch as players have it on disk."""
    packed = gzip.compress(java_stream(sketch.payload()), mtime=0)
    return pack(path, packed, sketch.metadata())


# --- shapes, in lattice units


def disc(centre: Point, radius: float) -> shapely.Geometry:
    return shapely.Point(centre).buffer(radius)


def whole(hex_: Hex) -> shapely.Geometry:
    x, y = hex_.centre
    return shapely.Polygon([(x + dx, y + dy) for dx, dy in CORNERS])


def band(one: Point, two: Point, width: float) -> shapely.Geometry:
    return shapely.LineString([one, two]).buffer(width / 2, cap_style="flat")


def stretch(s: Hexside, start: float, end: float, width: float) -> shapely.Geometry:
    """A band along a hexside from one sixtieth to another."""
    (ax, ay), (bx, by) = s.ends
    at = [(ax + (bx - ax) * k / 60, ay + (by - ay) * k / 60) for k in (start, end)]
    return shapely.LineString(at).buffer(width / 2, cap_style="flat")


# --- the generator


@dataclass
class Truth:
    """What a generated board shows."""

    buildings: dict[tuple[Hex, ...], str] = field(default_factory=dict)
    joined: set[Hexside] = field(default_factory=set)
    bars: dict[Hexside, tuple[int, int]] = field(default_factory=dict)
    stairwells: set[Hex] = field(default_factory=set)
    unflagged: set[Hex] = field(default_factory=set)
    levels: dict[Hex, int] = field(default_factory=dict)
    woods: set[Hex] = field(default_factory=set)
    orchard: set[Hex] = field(default_factory=set)
    walls: set[Hexside] = field(default_factory=set)
    road: set[Hexside] = field(default_factory=set)


def generate(seed: int, *, hilly: bool = False, grid: Grid | None = None) -> tuple[Sketch, Truth]:
    """A random board and what is drawn on it; the same for the same number."""
    dice = random.Random(seed)
    sketch, truth = Sketch(grid or Grid(9, 5), f"gen{seed}"), Truth()
    on_map = frozenset(sketch.grid.hexes())
    inner = [h for h in sketch.grid.hexes() if on_map.issuperset(h.neighbours())]
    if hilly:
        _hills(dice, sketch, truth)
    free = set(inner)
    for _ in range(dice.randint(2, 5)):
        _building(dice, sketch, truth, free)
    _road(dice, sketch, truth, sorted(free))
    for hex_ in sorted(free):
        if dice.random() < 0.3:
            x, y = hex_.centre
            blob = disc(Point(x + dice.randint(-40, 40), y + dice.randint(-40, 40)), 150)
            open_ = sketch.shape(blob) & (sketch.codes == 0)
            sketch.codes[open_] = WOODS
            truth.woods.add(hex_)
        elif dice.random() < 0.2 and not any(hex_ in s for s in truth.road):
            # Painted a pixel over its hexsides.
            blob = whole(hex_).buffer(7)
            open_ = sketch.shape(blob) & (sketch.codes == 0)
            sketch.codes[open_] = ORCHARD
            truth.orchard.add(hex_)
    _walls(dice, sketch, truth, inner)
    _seams(dice, sketch, truth, inner)
    return sketch, truth


def _hills(dice: random.Random, sketch: Sketch, truth: Truth) -> None:
    for hex_ in sketch.grid.hexes():
        level = dice.choice((0, 0, 0, 1, 1, 2, -1))
        if level:
            sketch.raise_to(disc(hex_.centre, dice.randint(100, 250)), level)
            truth.levels[hex_] = level


def _building(dice: random.Random, sketch: Sketch, truth: Truth, free: set[Hex]) -> None:
    """Blobs in linked hexes, bands across the hexsides that link them, and sometimes bars."""
    if not free:
        return
    hexes = [dice.choice(sorted(free))]
    joined: list[Hexside] = []
    for _ in range(dice.randint(0, 3)):
        start = dice.choice(hexes)
        onward = [n for n in start.neighbours() if n in free and n not in hexes]
        if onward:
            hexes.append(dice.choice(onward))
            joined.append(hexside_between(start, hexes[-1]))
    gray = dice.random() < 0.5
    tall = dice.random() < 0.4
    code = (GRAY if gray else BROWN) + (2 if tall else min(1, len(joined)))
    symbols = {dice.choice(hexes)} if tall else set()
    forgotten = tall and dice.random() < 0.3
    if not forgotten:
        sketch.flagged |= symbols if tall else set(hexes) if joined else set()
        truth.stairwells |= symbols
    else:
        # Any of them may have the symbol.
        truth.stairwells |= set(hexes)
        truth.unflagged |= set(hexes)
    for hex_ in hexes:
        # Off the centre dot now and then.
        x, y = hex_.centre
        shift = dice.choice((0, 0, 70))
        sketch.paint(shapely.box(x - 100 + shift, y - 90, x + 100 + shift, y + 90), code)
    for s in joined:
        width = dice.randint(80, 200)
        sketch.paint(band(s.a.centre, s.b.centre, width), code)
        if dice.random() < 0.3:
            half = math.ceil(width / 10)
            stop = dice.choice((30 + half, 31, 30))
            sketch.paint(stretch(s, 30 - half, stop, 36), BAR)
            truth.bars[s] = (30 - half, stop)
    free -= set(hexes)
    truth.joined |= set(joined)
    truth.buildings[tuple(sorted(hexes))] = "gray" if gray else "brown"


def _road(dice: random.Random, sketch: Sketch, truth: Truth, free: list[Hex]) -> None:
    """A road through hexes without buildings."""
    if not free:
        return
    walk = [dice.choice(free)]
    for _ in range(4):
        onward = [n for n in walk[-1].neighbours() if n in free and n not in walk]
        if onward:
            walk.append(dice.choice(onward))
    for one, two in itertools.pairwise(walk):
        sketch.paint(band(one.centre, two.centre, 96), PAVED)
        truth.road.add(hexside_between(one, two))


def _walls(dice: random.Random, sketch: Sketch, truth: Truth, inner: list[Hex]) -> None:
    for hex_ in inner:
        for other in hex_.neighbours()[:3]:
            s = hexside_between(hex_, other)
            if dice.random() < 0.1 and s not in truth.joined and s not in truth.road:
                sketch.paint(stretch(s, 0, 60, 40), WALL)
                truth.walls.add(s)


def _seams(dice: random.Random, sketch: Sketch, truth: Truth, inner: list[Hex]) -> None:
    """Stray pixels of buildings along hexsides, and gaps a pixel wide through joined ones."""
    for hex_ in inner:
        for other in hex_.neighbours()[:3]:
            s = hexside_between(hex_, other)
            if s in truth.walls or s in truth.road or s in truth.bars or dice.random() > 0.2:
                continue
            sketch.paint(stretch(s, 20, 40, 8), 0 if s in truth.joined else GRAY)


# --- hostile files

SMALL = Grid(3, 2)


def small() -> Sketch:
    """A tiny sound board: 3 columns, 2 rows, one building."""
    sketch = Sketch(SMALL, "small")
    sketch.paint(disc(Hex(1, 1).centre, 100), GRAY)
    return sketch


def _stream(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    """An archive whose Java stream was changed."""
    stream = java_stream(small().payload())
    return lambda path: pack(path, gzip.compress(change(stream)), small().metadata())


def _header(at: int, number: int) -> Callable[[Path], object]:
    payload = bytearray(small().payload())
    struct.pack_into(">i", payload, 4 * at, number)
    return lambda path: pack(path, gzip.compress(java_stream(bytes(payload))), small().metadata())


def _xml(text: str | bytes) -> Callable[[Path], object]:
    return lambda path: pack(path, gzip.compress(java_stream(small().payload())), text)


def _file(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    """An archive whose bytes on disk were changed."""

    def make(path: Path) -> object:
        write(path, small())
        return path.write_bytes(change(path.read_bytes()))

    return make


def _drawn(change: Callable[[Sketch], object]) -> Callable[[Path], object]:
    def make(path: Path) -> object:
        sketch = small()
        change(sketch)
        return write(path, sketch)

    return make


def _twice(path: Path) -> None:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")
        for name in ("BoardMetadata.xml", "LOSData", "LOSData"):
            archive.writestr(name, "x")


def _flags(data: bytes) -> bytes:
    """Mark every entry as encrypted, in the local headers and in the directory."""
    changed = bytearray(data)
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = data.find(mark)
        while start >= 0:
            changed[start + at] |= 1
            start = data.find(mark, start + 1)
    return bytes(changed)


def _noise(sketch: Sketch) -> None:
    dice = np.random.default_rng(1)
    sketch.codes[:] = np.where(dice.random(sketch.codes.shape) < 0.5, WOODS, 0)


def _hill_noise(sketch: Sketch) -> None:
    dice = np.random.default_rng(1)
    sketch.elevation[:] = dice.integers(0, 3, sketch.codes.shape)


def _size(width: int, height: int) -> Callable[[Path], object]:
    """A small board in pixels of another size."""
    return _drawn(lambda sketch: setattr(sketch, "size", (width, height)))


def _lay(attributes: str) -> Callable[[Path], object]:
    """A small board whose metadata say so of where its hexes lie."""
    return _drawn(lambda sketch: setattr(sketch, "attributes", attributes))


def _flag_two(payload: bytes) -> bytes:
    return payload[:-1] + b"\x02"


def _bomb(size: int) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=9) as stream:
        for _ in range(size >> 20):
            stream.write(bytes(1 << 20))
        stream.write(b"\0")
    return buffer.getvalue()


_LAUGHS = """<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>
<boardMetadata name="&b;" width="3" height="2"/>"""
_OUTSIDE = """<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<boardMetadata name="&a;" width="3" height="2"/>"""

#: name: (how to make the file, a part of the message it must get)
HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing": (lambda path: None, "does not exist"),
    "folder": (lambda path: path.mkdir(), "not a regular file"),
    "empty": (lambda path: path.write_bytes(b""), "not a complete zip file"),
    "text": (lambda path: path.write_text("a board\n"), "not a complete zip file"),
    "cut short": (_file(lambda data: data[: len(data) // 2]), "not a complete zip file"),
    "front cut off": (_file(lambda data: data[40:]), "not a complete zip file"),
    "no LOSData": (lambda path: pack(path, None, small().metadata()), "LOSData is missing"),
    "no metadata": (lambda path: pack(path, b"", None), "BoardMetadata.xml is missing"),
    "twice": (_twice, "the archive has LOSData twice"),
    "encrypted": (_file(_flags), "encrypted"),
    "packed oddly": (
        lambda path: pack(path, b"x", small().metadata(), compression=zipfile.ZIP_BZIP2),
        "compressed by an unknown method",
    ),
    "flipped bits": (
        _file(lambda data: data[:60] + bytes(b ^ 255 for b in data[60:90]) + data[90:]),
        "damaged",
    ),
    "no gzip": (
        lambda path: pack(path, b"plain", small().metadata()),
        "not a complete gzip stream",
    ),
    "gzip cut": (
        lambda path: pack(
            path, gzip.compress(java_stream(small().payload()))[:-9], small().metadata()
        ),
        "ends too early",
    ),
    "gzip bomb": (
        lambda path: pack(path, _bomb(64 << 20), small().metadata()),
        "more than 67,108,864 bytes",
    ),
    "metadata bomb": (
        lambda path: pack(path, b"x", b" " * ((1 << 20) + 1)),
        "more than 1,048,576 bytes",
    ),
    "no stream": (_stream(lambda data: b"\xca\xfe" + data), "begins with ca fe ac ed"),
    "empty stream": (_stream(lambda data: b""), "begins with nothing"),
    "bare stream": (_stream(lambda data: data[:4]), "header is cut off"),
    "object": (_stream(lambda data: data[:4] + b"\x73" + data[4:]), "byte 4 begins a record"),
    "record cut": (_stream(lambda data: data[:-1]), "is cut off"),
    "tiny records": (_stream(lambda data: data[:4] + b"\x77\x01\x00" * 100_000), "tiny records"),
    "no columns": (_header(0, 0), "0 columns"),
    "one column": (_header(0, 1), "1 columns"),
    "negative rows": (_header(1, -10), "columns of -10 hexes"),
    "wide": (_header(0, 53), "53 columns"),
    "high": (_header(1, 61), "columns of 61 hexes"),
    "huge": (_header(0, 2**31 - 1), "2147483647 columns"),
    "other shape": (_header(2, 160), "160x129 pixels for 3x2 hexes"),
    "a pixel wider": (_header(2, 114), "bytes, but it has"),
    "three pixels wider": (_header(2, 117), "117x129 pixels for"),
    "too coarse": (_size(50, 58), "50x58 pixels for"),
    "too fine": (_size(1010, 1162), "1010x1162 pixels for"),
    "no height": (_header(3, 0), "112x0 pixels for"),
    "a byte short": (
        _stream(lambda data: java_stream(small().payload()[:-1])),
        "bytes, but it has",
    ),
    "a byte long": (
        _stream(lambda data: java_stream(small().payload() + b"\0")),
        "bytes, but it has",
    ),
    "no grid": (_stream(lambda data: java_stream(small().payload()[:16])), "but it has 16"),
    "odd flag": (
        _stream(lambda data: java_stream(_flag_two(small().payload()))),
        "flag of C2 is 2",
    ),
    "noise": (_drawn(_noise), "of the pixels differ"),
    "hill noise": (_drawn(_hill_noise), "in its elevations, "),
    "abyss": (_drawn(lambda s: s.elevation.put(0, -31)), "elevations from -31 to 0"),
    "laughs": (_xml(_LAUGHS), "DTD or entities"),
    "outside": (_xml(_OUTSIDE), "DTD or entities"),
    "broken xml": (_xml("<boardMetadata"), "not well-formed XML"),
    "empty xml": (_xml(""), "not well-formed XML"),
    "odd encoding": (_xml('<?xml version="1.0" encoding="ebony"?><a/>'), "not well-formed XML"),
    "other xml": (_xml("<html/>"), "no boardMetadata element"),
    "other width": (
        _xml('<boardMetadata width="33"/>'),
        "width of '33' hexes, but LOSData gives 3",
    ),
    "odd hexWidth": (_lay('hexWidth="wide"'), "gives 'wide' as hexWidth"),
    "endless hexWidth": (_lay('hexWidth="inf"'), "gives 'inf' as hexWidth"),
    "no hexHeight": (_lay('hexHeight="0"'), "gives '0' as hexHeight"),
    "margin": (_lay('hexWidth="50"'), "Boards with a margin"),
    "half a hex off": (_lay('A1CenterX="-28"'), "gives a center of A1"),
    "an odd column": (_lay('A1CenterX="-56.25"'), "gives a center of A1"),
    "beyond A": (_lay('A1CenterX="112.5"'), "gives a center of A1"),
    "far off": (_lay('A1CenterY="-1e9"'), "gives a center of A1"),
    "other height": (
        _xml('<boardMetadata height="ten"/>'),
        "height of 'ten' hexes, but LOSData gives 2",
    ),
}


def hexes(names: str) -> tuple[Hex, ...]:
    """Hexes by name, for tests: `hexes("U4 V3")`."""
    from rules_asp.game.grid import parse_hex

    return tuple(parse_hex(name)[1] for name in names.split())


def sides(names: str) -> frozenset[Hexside]:
    """Hexsides by name, for tests: `sides("U4-V3 O8-P8")`."""
    return frozenset(hexside_between(*hexes(name.replace("-", " "))) for name in names.split())


def all_sides(statements: Iterable[object]) -> frozenset[Hexside]:
    """The hexsides that Road statements cross."""
    from rules_asp.game.board import Road

    return frozenset(
        hexside_between(one, two)
        for road in statements
        if isinstance(road, Road)
        for one, two in zip(road.hexes, road.hexes[1:], strict=False)
    )
