"""BoardMetadata.xml of an archive: the board's name, where its hexes lie, building types, slopes.

Somebody wrote it by hand, so nothing of it is trusted: what cannot be is refused, what is not
understood becomes a doubt.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError

from rules_asp.terms.grid import Grid, Hex, parse_hex
from rules_asp.vasl.errors import ArchiveError, brief

#: What of the attributes of a board says nothing about its map.
_ASIDE = frozenset(
    ("name", "version", "versionDate", "author", "boardImageFileName", "hasHills", "snapScale")
)
_LAY = frozenset(("width", "height", "hexWidth", "hexHeight", "A1CenterX", "A1CenterY"))
#: How far a stated place may be off, in the archive's own pixels.
_SLACK = 2.0


@dataclass(frozen=True)
class Metadata:
    """What the metadata say, by hexes of the board: `slopes` by hex the numbers of its hexsides.

    `strange` tells of what is not understood.
    """

    name: str
    types: Mapping[Hex, str]
    slopes: Mapping[Hex, frozenset[int]]
    strange: tuple[str, ...]


def parsed(data: bytes) -> Element:
    """The root element; ArchiveError when it is no metadata of a board."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(data, forbid_dtd=True)
    except DefusedXmlException:
        raise ArchiveError(
            "BoardMetadata.xml declares a DTD or entities, which is refused"
        ) from None
    except (ParseError, ValueError, LookupError) as error:
        raise ArchiveError(f"BoardMetadata.xml is no well-formed XML ({brief(error)})") from None
    if root.tag != "boardMetadata":
        raise ArchiveError("BoardMetadata.xml holds no boardMetadata element")
    return root


def grid_of(root: Element, cols: int, rows: int, width: int, height: int) -> Grid:
    """The grid of LOSData with so many columns, rows, pixels, from the hex that A1's place tells.

    A board that shows columns Q to GG, or rows 11 to 20, says that the centre of its A1 would lie
    to the left of its picture, or above it.
    """
    for attribute, number in (("width", cols), ("height", rows)):
        text = root.get(attribute)
        if text is not None and text.strip() != str(number):
            raise ArchiveError(
                f"BoardMetadata.xml gives a {attribute} of {quoted(text)} hexes, LOSData {number}"
            )
    hex_width = _number(root, "hexWidth", width / (cols - 1))
    hex_height = _number(root, "hexHeight", height / rows)
    for name, size, steps, pixels in (
        ("hexWidth", hex_width, cols - 1, width),
        ("hexHeight", hex_height, rows, height),
    ):
        if abs(size * steps - pixels) > _SLACK:
            raise ArchiveError(
                f"BoardMetadata.xml gives a {name} of {size:g} pixels: {steps} of them are not the "
                f"{pixels} of LOSData; boards with a margin cannot be read"
            )
    left = -_number(root, "A1CenterX", 0) / hex_width
    up = 0.5 - _number(root, "A1CenterY", hex_height / 2) / hex_height
    first = Hex(round(left), 1 + round(up))
    off = max(abs(left - round(left)) * hex_width, abs(up - round(up)) * hex_height)
    if off > _SLACK or first.col % 2 or not (0 <= first.col < 52 and 1 <= first.row <= 75):
        raise ArchiveError(
            "BoardMetadata.xml puts the centre of A1 where no board begins with a whole hex of an "
            "even column; boards with hexes of another lay cannot be read"
        )
    return Grid(cols, rows, first)


def metadata_of(root: Element, file: str, grid: Grid) -> Metadata:
    """What the metadata say of a board with this grid; `file` is the archive's name."""
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
    """A stranger's text as a short printable one in single quotes."""
    return "'" + "".join(c for c in text.strip() if c.isprintable() and c not in "\"'\\")[:40] + "'"


def _plain(text: str) -> str:
    return re.sub(r"[^\w .()+-]", "", text).strip()[:40]


def _number(root: Element, name: str, default: float) -> float:
    text = root.get(name)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or ("hex" in name and number < 1):
        raise ArchiveError(f"BoardMetadata.xml gives a {name} of {quoted(text)}")
    return number


def _name(root: Element, file: str) -> str:
    """The board's name, from the metadata or else from the file, as a short word."""
    for text in (root.get("name", ""), file.removeprefix("bd")):
        name = _plain(text)
        if name:
            return name
    return "board"


def _types(root: Element, grid: Grid) -> tuple[dict[Hex, str], list[str]]:
    """The building types entered per hex, and those entered for what is no hex of this board."""
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
    """Which hexsides of a hex are slopes, 0 the upper, clockwise; and what cannot be made out."""
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
