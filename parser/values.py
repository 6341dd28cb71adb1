"""Single values as players write them: hexes, Locations, numbers, words; each read for a kind.

Every reader here raises `Mistake` with what is wrong; the place of the value in its text is the
caller's.
"""

from __future__ import annotations

import re
from fractions import Fraction

from rules_asp.parser.errors import Mistake, nearest
from rules_asp.terms.arguments import LARGEST, SCALES, SMALLEST, has_name, said_word
from rules_asp.terms.grid import Hex, Hexside, Location, Spot, Vertex, parse_hex, side, vertex
from rules_asp.terms.lexicon import Vocabulary

#: Floors of a hex that have a name instead of a number; stairs1, stairs2, ... besides.
FLOORS = ("roof", "steeple", "tower", "stairs1")

#: Which shapes of a place a kind takes; a hex alone may stand for its ground level.
SHAPES = {
    "hex": {"hex"},
    "hexside": {"side"},
    "spot": {"hex", "vertex"},
    "location": {"hex", "vertex", "location"},
}

_PREFIX = re.compile(r"(?<![A-Za-z0-9])([0-9]+)(?=[A-Z])")
_FLOOR = re.compile(r"[0-9]|roof|steeple|tower|stairs[1-9]")


def without_board(text: str) -> tuple[str, list[str]]:
    """An id such as 20E7-20F7 without its board's number, and the numbers that stood there."""
    if not text[0].isdigit() and "-" not in text:
        return str(text), []
    return _PREFIX.sub("", text), _PREFIX.findall(text)


def read_hex(text: str) -> Hex:
    """U4."""
    try:
        return parse_hex(text)[1]
    except ValueError:
        raise Mistake(f"{text} is no hex", ["a hex such as U4"]) from None


def read_side(text: str) -> Hexside:
    """U4-V3, in either order."""
    one, _, two = text.partition("-")
    try:
        return side(read_hex(one), read_hex(two))
    except ValueError as error:
        raise Mistake(str(error)) from None


def read_spot(text: str) -> Spot:
    """U4, or a vertex: K13@L12-K12."""
    hex_, _, corner = text.partition("@")
    if not corner:
        return read_hex(hex_)
    return Vertex(read_hex(hex_), read_corner(corner, read_hex(hex_), "-"))


def read_corner(text: str, hex_: Hex, between: str = "/") -> int:
    """E8/E9: the corner of a hex at which these two lie; its number where they have no name."""
    if text.isdigit():
        corner = int(text)
        around = (hex_.neighbour(corner), hex_.neighbour(corner + 1))
        if all(map(has_name, around)):
            raise Mistake(f"this vertex has a name: {around[0]}{between}{around[1]}")
        return corner
    one, _, two = text.partition(between)
    try:
        return vertex(hex_, read_hex(one), read_hex(two)).corner
    except ValueError as error:
        raise Mistake(str(error)) from None


def read_location(text: str) -> Location:
    """U4 (its ground level), U4/1, U4/roof, K13@L12-K12/1."""
    spot, _, floor = text.partition("/")
    return Location(read_spot(spot), read_floor(floor) if floor else 0)


def read_floor(text: str) -> int | str:
    """1, roof, steeple, tower, stairs1."""
    if not _FLOOR.fullmatch(text):
        raise Mistake(
            f"{text} is no level of a hex",
            ["a number", "roof", "steeple", "tower", "stairs1"],
            nearest(text, FLOORS),
        )
    return int(text) if text.isdigit() else text


def read_number(text: str, kind: str = "number") -> int:
    """3, -1, 1.5, 1 1/2: in the units that kb/ counts this kind in."""
    scale = SCALES.get(kind, 1)
    if len(text) > 20:
        raise Mistake(f"{text[:20]}... is too large a number")
    whole, *part = text.split()
    value = Fraction(whole)
    if part:
        value += Fraction(part[0]) if value >= 0 and whole[0] != "-" else -Fraction(part[0])
    value *= scale
    if value.denominator != 1:
        step = {1: "a whole number", 2: "a number in halves"}.get(scale, "a number in quarters")
        raise Mistake(f"{text} does not fit here", [step])
    if not SMALLEST <= value <= LARGEST:
        raise Mistake(f"{text} is too large a number")
    return int(value)


def read_word(text: str, kind: str, words: Vocabulary) -> str:
    """A word of this kind as kb/ spells it: `fully-tracked` is fully_tracked, AFV is afv."""
    word = text.lower().replace("-", "_")
    word = words.synonyms.get((kind, word), word)
    known = words.words.get(kind)
    if word == "not" or (known and word not in known):
        said = [said_word(each, kind) for each in known or ()]
        raise Mistake(f"{text!r} is no {kind.replace('_', ' ')}", sorted(said), nearest(text, said))
    return word


def shape_of(text: str) -> str:
    """What a place looks like."""
    if "/" in text:
        return "location"
    if "@" in text:
        return "vertex"
    return "side" if "-" in text else "hex"
