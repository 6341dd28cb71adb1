"""Safe reading of a VASL archive: bytes to checked arrays, and metadata.

Archives are made by hand, so their content is untrusted. Invalid content is refused, and content
that is not understood becomes a doubt.

An archive is a zip file. Its entry `LOSData` is the gzip of a Java object stream that holds only
block-data records. Joined, these give, big endian: columns, rows of an even column, grid width and
grid height in pixels (int32 each); for every x and every y an int8 elevation and a uint8 terrain
code; for every hex, column by column, a stairway flag. `metadata` reads the other entry.

Pixel sizes differ: on a Deluxe board three pixels correspond to one of ours, and on a half board
the size is off by one in a thousand. All are scaled to the standard size, where a hex is 64.5
pixels high and columns are 56.25 apart.
"""

from __future__ import annotations

import errno
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError

import numpy as np
import numpy.typing as npt

from rules_asp import RulesAspError
from rules_asp.game.grid import COLUMN_STEP, ROW_STEP, Grid, Hex, parse_hex
from rules_asp.runtime.limits import size_limit, too_large_message

# --- Errors of an archive.


class ArchiveError(RulesAspError):
    """The archive cannot be read as a board; the message gives the error and its place."""


def brief(error: Exception) -> str:
    """Return the text of an error as one short printable line."""
    return "".join(c for c in str(error) if c.isprintable())[:100] or "it ends too early"


# --- BoardMetadata.xml of an archive: the board's name, hex positions, building types, slopes.


#: Attributes of a board that do not describe its map.
_ASIDE = frozenset(
    ("name", "version", "versionDate", "author", "boardImageFileName", "hasHills", "snapScale")
)
_LAY = frozenset(("width", "height", "hexWidth", "hexHeight", "A1CenterX", "A1CenterY"))
#: The tolerance for a stated position, in the archive's own pixels.
_SLACK = 2.0


@dataclass(frozen=True)
class Metadata:
    """The metadata by hexes of the board: `slopes` has the numbers of the hexsides of each hex.

    `strange` lists content that is not understood.
    """

    name: str
    types: Mapping[Hex, str]
    slopes: Mapping[Hex, frozenset[int]]
    strange: tuple[str, ...]


def parsed(data: bytes) -> Element:
    """Return the root element; ArchiveError if the data is not metadata of a board."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(data, forbid_dtd=True)
    except DefusedXmlException:
        raise ArchiveError(
            "BoardMetadata.xml declares a DTD or entities, which is not allowed"
        ) from None
    except (ParseError, ValueError, LookupError) as error:
        raise ArchiveError(f"BoardMetadata.xml is not well-formed XML ({brief(error)})") from None
    if root.tag != "boardMetadata":
        raise ArchiveError("BoardMetadata.xml has no boardMetadata element")
    return root


def grid_of(root: Element, cols: int, rows: int, width: int, height: int) -> Grid:
    """Return the grid of LOSData with these columns, rows and pixels, placed by the position of A1.

    A board that shows columns Q to GG, or rows 11 to 20, says that the center of its A1 would be to
    the left of its picture, or above it.
    """
    for attribute, number in (("width", cols), ("height", rows)):
        text = root.get(attribute)
        if text is not None and text.strip() != str(number):
            raise ArchiveError(
                f"BoardMetadata.xml gives a {attribute} of {quoted(text)} hexes, but LOSData gives {number}"
            )
    hex_width = _number(root, "hexWidth", width / (cols - 1))
    hex_height = _number(root, "hexHeight", height / rows)
    for name, size, steps, pixels in (
        ("hexWidth", hex_width, cols - 1, width),
        ("hexHeight", hex_height, rows, height),
    ):
        if abs(size * steps - pixels) > _SLACK:
            raise ArchiveError(
                f"{steps} times the {name} in BoardMetadata.xml ({size:g} pixels) is not the size of LOSData"
                f" ({pixels} pixels). Boards with a margin cannot be read"
            )
    left = -_number(root, "A1CenterX", 0) / hex_width
    up = 0.5 - _number(root, "A1CenterY", hex_height / 2) / hex_height
    first = Hex(round(left), 1 + round(up))
    off = max(abs(left - round(left)) * hex_width, abs(up - round(up)) * hex_height)
    if off > _SLACK or first.col % 2 or not (0 <= first.col < 52 and 1 <= first.row <= 75):
        raise ArchiveError(
            "BoardMetadata.xml gives a center of A1 that is not the center of a whole hex in an even column;"
            " such a board cannot be read"
        )
    return Grid(cols, rows, first)


def metadata_of(root: Element, file: str, grid: Grid) -> Metadata:
    """Return the metadata of a board with this grid; `file` is the archive's name."""
    strange = [
        f"BoardMetadata.xml says {name}={quoted(root.get(name, ''))}, which is not understood"
        for name in sorted(set(root.keys()) - _ASIDE - _LAY)
    ]
    types, elsewhere = _types(root, grid)
    slopes, odd = _slopes(root, grid)
    return Metadata(
        _name(root, file),
        types,
        slopes,
        (*strange, *elsewhere, *odd),
    )


def quoted(text: str) -> str:
    """Return an untrusted text as a short printable one in single quotes."""
    return "'" + "".join(c for c in text.strip() if c.isprintable() and c not in "\"'\\")[:40] + "'"


def _number(root: Element, name: str, default: float) -> float:
    text = root.get(name)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or ("hex" in name and number < 1):
        raise ArchiveError(
            f"BoardMetadata.xml gives {quoted(text)} as {name}, which is not a valid number"
        )
    return number


def _name(root: Element, file: str) -> str:
    """Return the board's name, from the metadata or else from the file, as a short word."""
    for text in (root.get("name", ""), file.removeprefix("bd")):
        if name := re.sub(r"[^\w .()+-]", "", text).strip()[:40]:
            return name
    return "board"


def _types(root: Element, grid: Grid) -> tuple[dict[Hex, str], list[str]]:
    """Return the building types entered per hex, and those entered for hexes off the board."""
    types: dict[Hex, str] = {}
    odd: list[str] = []
    for element in root.iter("buildingType"):
        where, name = element.get("hexName", ""), element.get("buildingTypeName", "").strip()
        hex_ = _hex(where, grid)
        if hex_ is None:
            odd.append(
                f"BoardMetadata.xml types {quoted(where)} {quoted(name)}, no hex of this board"
            )
        else:
            types[hex_] = name
    return types, odd


def _slopes(root: Element, grid: Grid) -> tuple[dict[Hex, frozenset[int]], list[str]]:
    """Return the slope hexsides of each hex, 0 the upper, clockwise; and invalid entries."""
    slopes: dict[Hex, frozenset[int]] = {}
    odd: list[str] = []
    for element in root.iter("slope"):
        where, sides = element.get("hex", ""), element.get("hexsides", "").strip()
        hex_ = _hex(where, grid)
        if hex_ is None or not re.fullmatch("[0-5]{1,6}", sides):
            odd.append(
                f"BoardMetadata.xml puts slopes on the hexsides {quoted(sides)} of "
                f"{quoted(where)}: left out"
            )
        else:
            slopes[hex_] = slopes.get(hex_, frozenset()) | frozenset(map(int, sides))
    return slopes, odd


def _hex(name: str, grid: Grid) -> Hex | None:
    try:
        _, hex_ = parse_hex(name)
    except ValueError:
        return None
    return hex_ if hex_ in grid else None


# --- Reading of an untrusted VASL board archive: from bytes to bounded, checked arrays.


#: Hex names end with ZZ, and no printed map has more columns or rows.
MAX_COLS = 52
MAX_ROWS = 60

#: One pixel in lattice units.
PIXEL = 8

_STREAM_MAGIC = b"\xac\xed\x00\x05"
_SHORT_RECORD, _LONG_RECORD = 0x77, 0x7A
_HEADER = 16
#: The stream is written in blocks of 1024 bytes; this allows for much smaller ones.
_MIN_MEAN_RECORD = 16
#: The maximum number of levels between the lowest and the highest ground.
_MAX_RELIEF = 30
#: The maximum share of pixels that differ from the one above: 0.02 to 0.14 on real boards; noise
#: has more.
_MAX_RAGGED = 0.2
#: The scale of a board's pixels along and across may differ a little: Deluxe boards by 0.35 %.
_LEAST_SCALE, _MOST_SCALE, _MOST_UNEVEN = 0.5, 8.0, 0.01


class TerrainCode(NamedTuple):
    """The meaning of a terrain code of VASL.

    role: open, area (terrain of the hexes whose dot it covers), water (the same, under bridges),
    depression, inherent (terrain that fills its hex), structure (a structure that is not a building
    in the rules), building, marketplace, lumberyard, bar, side, road, path or bridge.
    word: our word for a terrain, a building's color, a surface, or a bridge's construction.
    name: VASL's name, empty for a code that is not listed.
    levels: the upper levels of a building of this type.
    """

    number: int
    name: str
    role: str
    word: str
    levels: int | None


@dataclass(frozen=True)
class Archive:
    """The checked content of an archive; arrays are indexed [x, y], in standard pixels."""

    grid: Grid
    elevation: npt.NDArray[np.int8]
    codes: npt.NDArray[np.uint8]
    flagged: frozenset[Hex]
    metadata: Metadata


@cache
def code_table() -> Mapping[int, TerrainCode]:
    """Return the terrain codes of `codes.tsv`; any other code is terrain named by its number."""
    lines = files("rules_asp.vasl").joinpath("codes.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines[2:])
    listed = {
        int(number): TerrainCode(
            int(number), name, role, word, None if levels == "-" else int(levels)
        )
        for number, name, role, word, levels in rows
    }
    return {
        number: listed.get(number, TerrainCode(number, "", "area", f"vasl_{number}", None))
        for number in range(256)
    }


def read_archive(path: Path) -> Archive:
    """Read and check a board archive; ArchiveError if the file is not one."""
    try:
        return _read(path)
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from None


def picture_of(path: Path) -> tuple[Grid, int, int]:
    """Return the grid of an archive, and the size of its picture in the archive's own pixels."""
    try:
        entries = read_entries(
            path, {"BoardMetadata.xml": "metadata", "LOSData": "los-data-packed"}
        )
        payload = _payload(_gunzip(entries["LOSData"]))
        cols, rows, width, height = _extent(payload)
        return (
            grid_of(parsed(entries["BoardMetadata.xml"]), cols, rows, width, height),
            width,
            height,
        )
    except ArchiveError as error:
        raise ArchiveError(f"{path}: {error}") from None


def _read(path: Path) -> Archive:
    entries = read_entries(path, {"BoardMetadata.xml": "metadata", "LOSData": "los-data-packed"})
    root = parsed(entries["BoardMetadata.xml"])
    payload = _payload(_gunzip(entries["LOSData"]))
    cols, rows, width, height = _extent(payload)
    grid = grid_of(root, cols, rows, width, height)
    cells = np.frombuffer(payload, np.uint8, 2 * width * height, _HEADER)
    pairs = cells.reshape(width, height, 2)
    codes = _standard(pairs[..., 1], cols, rows)
    elevation = _standard(pairs[..., 0], cols, rows).view(np.int8)
    _check_ragged(codes, "terrain codes")
    _check_ragged(elevation, "elevations")
    low, high = int(elevation.min()), int(elevation.max())
    if high - low > _MAX_RELIEF:
        raise ArchiveError(f"LOSData is damaged: it has elevations from {low} to {high}")
    flags = np.frombuffer(payload, np.uint8, offset=_HEADER + cells.size)
    if flags.max(initial=0) > 1:
        where = grid.hexes()[int(np.argmax(flags > 1))]
        raise ArchiveError(
            f"LOSData is damaged: the stairway flag of {where} is {flags.max()}, not 0 or 1"
        )
    return Archive(
        grid,
        elevation,
        codes,
        frozenset(hex_ for hex_, flag in zip(grid.hexes(), flags, strict=True) if flag),
        metadata_of(root, path.stem, grid),
    )


# --- the zip file


#: The exceptions of zipfile for malformed data.
_ZIP_TROUBLE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    LookupError,
    ArithmeticError,
    RuntimeError,
)


def read_entries(
    path: Path, wanted: Mapping[str, str], optional: Collection[str] = ()
) -> dict[str, bytes]:
    """Return the bytes of some entries of a zip file.

    `wanted` maps each entry to the name of its size limit. ArchiveError if the file is not a zip
    file, or if an entry is too large, or missing and not optional.
    """
    try:
        if not path.is_file():
            raise ArchiveError(
                "the file does not exist" if not path.exists() else "this is not a regular file"
            )
        if path.stat().st_size > size_limit("archive"):
            raise ArchiveError(too_large_message("archive"))
        with zipfile.ZipFile(path) as archive:
            if len(archive.infolist()) > size_limit("archive-entries"):
                raise ArchiveError(too_large_message("archive-entries"))
            there = {info.filename for info in archive.infolist()}
            return {
                name: _entry(archive, name, size)
                for name, size in wanted.items()
                if name in there or name not in optional
            }
    except OSError as error:
        # Offsets before the start of the file make zipfile seek there.
        if error.errno == errno.EINVAL:
            raise ArchiveError(
                "the file is not a complete zip file (its directory is damaged)"
            ) from None
        raise ArchiveError(
            f"the file cannot be read ({error.strerror or 'input or output error'})"
        ) from None
    except _ZIP_TROUBLE as error:
        raise ArchiveError(f"the file is not a complete zip file ({brief(error)})") from None


def _entry(archive: zipfile.ZipFile, name: str, size: str) -> bytes:
    limit = size_limit(size)
    found = [info for info in archive.infolist() if info.filename == name]
    if len(found) != 1:
        raise ArchiveError(f"{name} is missing" if not found else f"the archive has {name} twice")
    info = found[0]
    if info.flag_bits & 1:
        raise ArchiveError(f"{name} is encrypted")
    # The other methods would unpack a whole block at once, whatever its size.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ArchiveError(f"{name} is compressed by an unknown method")
    if info.file_size > limit:
        raise ArchiveError(f"{name}: {too_large_message(size)}")
    try:
        with archive.open(info) as stream:
            data = stream.read(limit + 1)
    except _ZIP_TROUBLE as error:
        raise ArchiveError(f"{name} is damaged ({brief(error)})") from None
    if len(data) > limit:
        raise ArchiveError(f"{name}: {too_large_message(size)}")
    return data


# --- LOSData


def _gunzip(packed: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        data = unpacker.decompress(packed, size_limit("los-data") + 1)
    except zlib.error as error:
        raise ArchiveError(f"LOSData is not a complete gzip stream ({brief(error)})") from None
    if len(data) > size_limit("los-data"):
        raise ArchiveError(f"LOSData: {too_large_message('los-data')}")
    if not unpacker.eof:
        raise ArchiveError("LOSData is not a complete gzip stream (the file ends too early)")
    return data


def _payload(stream: bytes) -> bytes:
    """Return the joined block-data records of a Java object stream."""
    if not stream.startswith(_STREAM_MAGIC):
        raise ArchiveError(
            f"LOSData is not a Java object stream: it begins with {stream[:4].hex(' ') or 'nothing'}, "
            f"not {_STREAM_MAGIC.hex(' ')}"
        )
    parts: list[bytes] = []
    at, end = len(_STREAM_MAGIC), len(stream)
    most = 1000 + end // _MIN_MEAN_RECORD
    while at < end:
        kind = stream[at]
        head = {_SHORT_RECORD: 2, _LONG_RECORD: 5}.get(kind)
        if head is None:
            raise ArchiveError(
                f"LOSData is damaged: byte {at} begins a record of kind {kind:#04x}, not block data"
            )
        start = at + head
        length = int.from_bytes(stream[at + 1 : start], "big")
        if start + length > end:
            raise ArchiveError(f"LOSData is damaged: the record at byte {at} is cut off")
        parts.append(stream[start : start + length])
        at = start + length
        if len(parts) > most:
            raise ArchiveError("LOSData is damaged: it has too many tiny records")
    return b"".join(parts)


def _extent(payload: bytes) -> tuple[int, int, int, int]:
    """Return columns, rows and pixel size; header and payload must agree."""
    if len(payload) < _HEADER:
        raise ArchiveError(f"LOSData is damaged: its header is cut off after {len(payload)} bytes")
    header = np.frombuffer(payload, ">i4", 4)
    cols, rows, width, height = (int(number) for number in header)
    if not (1 < cols <= MAX_COLS and 0 < rows <= MAX_ROWS):
        raise ArchiveError(
            f"LOSData gives {cols} columns of {rows} hexes;"
            f" the limits are 2 to {MAX_COLS} columns and 1 to {MAX_ROWS} rows"
        )
    usual = COLUMN_STEP * (cols - 1) / PIXEL, ROW_STEP * rows / PIXEL
    across, along = width / usual[0], height / usual[1]
    # The picture may be rounded to a pixel more or less.
    uneven = _MOST_UNEVEN * max(across, along) + 1 / usual[0] + 1 / usual[1]
    if (
        not _LEAST_SCALE <= min(across, along) <= max(across, along) <= _MOST_SCALE
        or abs(across - along) > uneven
    ):
        raise ArchiveError(
            f"LOSData gives {width}x{height} pixels for {cols}x{rows} hexes, but standard hexes need"
            f" {usual[0]:g}x{usual[1]:g}, or both numbers larger by the same factor"
        )
    expected = _HEADER + 2 * width * height + len(Grid(cols, rows).hexes())
    if len(payload) != expected:
        raise ArchiveError(
            f"LOSData is damaged: {cols}x{rows} hexes need {expected} bytes, but it has {len(payload)}"
        )
    return cols, rows, width, height


def _standard(layer: npt.NDArray[np.uint8], cols: int, rows: int) -> npt.NDArray[np.uint8]:
    """Scale the layer to pixels of the standard size; each takes the value at its middle."""

    def middles(pixels: int, units: int) -> npt.NDArray[np.int64]:
        """Return the indexes of the pixels to sample: `pixels` pixels cover `units` units."""
        if abs(PIXEL * pixels - units) < PIXEL:
            return np.arange(pixels)
        at = (PIXEL * np.arange(round(units / PIXEL)) + PIXEL / 2) * pixels / units
        return np.clip(at.astype(np.int64), 0, pixels - 1)

    width, height = layer.shape
    xs, ys = middles(width, COLUMN_STEP * (cols - 1)), middles(height, ROW_STEP * rows)
    return np.ascontiguousarray(layer[np.ix_(xs, ys)])


def _check_ragged(layer: npt.NDArray[np.generic], what: str) -> None:
    """Refuse noise, since tracing its outlines would take too long."""
    share = np.count_nonzero(layer[:, 1:] != layer[:, :-1]) / layer.size
    if share > _MAX_RAGGED:
        raise ArchiveError(
            f"LOSData is damaged or has an unknown format: in its {what}, {share:.0%} of the pixels"
            " differ from the pixel above. Get a new copy of the board archive"
        )
