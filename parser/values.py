"""Conversion of hexes, Locations, numbers and words from text.

Every reader raises `ValueMistake` with the mistake; the caller adds the place.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction

from rules_asp.game.board import SourcePosition
from rules_asp.game.grid import (
    Hex,
    Hexside,
    Location,
    Spot,
    Vertex,
    common_vertex,
    hexside_between,
    parse_hex,
)
from rules_asp.game.map_layout import PLAIN_NAMES, MapNames, find_label
from rules_asp.game.values import IS_WORD, LARGEST, SCALES, SMALLEST, with_article, word_text
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.parser.errors import BoardError, Problem, ValueMistake, nearest

# --- Single values as players write them: hexes, Locations, numbers, words.


#: Levels of a hex with a name instead of a number; stairs1, stairs2, ... are further names.
FLOORS = ("roof", "steeple", "tower", "stairs1")

#: Maximum number of levels of a board, above and below level 0.
MOST_LEVELS = 99

#: A board prefix of a hex: 20, 10b, or capitals whose last letter begins the hex, as in BFPAU4.
_PREFIX = re.compile(
    r"(?<![A-Za-z0-9])([0-9A-Za-z]*[0-9a-z]|[A-Z]{2,}?)(?=([A-Z])\2?[0-9]{1,3}(?![A-Za-z0-9]))"
)
_FLOOR = re.compile(r"[0-9]|roof|steeple|tower|stairs[1-9]|\+0|\+[1-9][0-9]?")
#: The shapes of places that each kind accepts; a hex alone can mean its ground level.
SHAPES = {
    "hex": {"hex"},
    "hexside": {"side"},
    "spot": {"hex", "vertex"},
    "location": {"hex", "vertex", "location"},
    "party": {"hex", "vertex", "location"},
}


def without_board(text: str, names: MapNames) -> tuple[str, list[str]]:
    """Return an id such as 20E7-20F7 without board prefixes, and the prefixes.

    On a map of boards, the prefix identifies the hex and stays.
    """
    if names.grid.parts:
        return str(text), []
    found = [each[0] for each in _PREFIX.findall(text)]
    return (_PREFIX.sub("", text), found) if found else (str(text), [])


def read_hex(text: str, names: MapNames) -> Hex:
    """U4; on a map of boards 21U4, or U4 where only one board has such a hex."""
    return _hex_near(text, None, names)[0]


def _hex_near(text: str, board: str | None, names: MapNames) -> tuple[Hex, str | None]:
    """Return a hex, and the named board; without a prefix the hex is on the given board, if any."""
    if not text:
        raise ValueMistake("the hex is missing", ["a hex such as U4, a vertex such as K13@L12-K12"])
    try:
        return names.find(text, board)
    except ValueError as error:
        expected = [] if _looks_right(text) else ["a hex such as U4"]
        raise ValueMistake(str(error), expected) from None


def read_hex_by(text: str, hex_: Hex, names: MapNames) -> Hex:
    """Return a hex near another; without a prefix it is on the same board."""
    return _hex_near(text, _board_of(hex_, names), names)[0]


def _board_of(hex_: Hex, names: MapNames) -> str | None:
    """Return the board of a hex on a map; of two boards, the one that names the hex."""
    boards = names.boards(hex_)
    return boards[0].label if boards else None


def _looks_right(text: str) -> bool:
    try:
        parse_hex(text)
    except ValueError:
        return False
    return True


def read_side(text: str, names: MapNames) -> Hexside:
    """U4-V3, in either order."""
    return side_of(*read_chain(text, names))


def side_of(one: Hex, two: Hex) -> Hexside:
    """The hexside between two hexes."""
    try:
        return hexside_between(one, two)
    except ValueError as error:
        raise ValueMistake(str(error)) from None


def read_chain(text: str, names: MapNames) -> tuple[Hex, ...]:
    """A1-A2-A3; on a map of boards 21A1-A2: a hex without a board is one of the board before it."""
    hexes: list[Hex] = []
    board = None
    for each in text.split("-"):
        hex_, said = _hex_near(each, board, names)
        board = said or board
        hexes.append(hex_)
    return tuple(hexes)


def read_spot(text: str, names: MapNames) -> Spot:
    """U4, or a vertex: K13@L12-K12."""
    hex_, _, corner = text.partition("@")
    if not corner:
        return read_hex(hex_, names)
    where, board = _hex_near(hex_, None, names)
    return Vertex(where, read_corner(corner, where, names, "-", board))


def read_corner(
    text: str, hex_: Hex, names: MapNames, between: str = "/", board: str | None = None
) -> int:
    """Read E8/E9: the corner of a hex that these two touch; its number if they have no name.

    `board` is the prefix of the hex.
    """
    if text in ("0", "1", "2", "3", "4", "5"):
        corner = int(text)
        around = (hex_.neighbour(corner), hex_.neighbour(corner + 1))
        if all(each.has_name for each in around):
            named = f"{around[0]}{between}{around[1]}"
            raise ValueMistake(
                f"a vertex is named by two hexes, not by a number: write {named}", [named]
            )
        return corner
    one, _, two = text.partition(between)
    first, board = _hex_near(one, board or _board_of(hex_, names), names)
    second, _ = _hex_near(two, board or _board_of(hex_, names), names)
    try:
        return common_vertex(hex_, first, second).corner
    except ValueError as error:
        raise ValueMistake(str(error)) from None


def read_location(text: str, names: MapNames) -> Location:
    """U4 (its ground level), U4/1, U4/roof, K13@L12-K12/1."""
    spot, _, floor = text.partition("/")
    return Location(read_spot(spot, names), read_floor(floor) if floor else 0)


def read_floor(text: str) -> int | str:
    """1, roof, steeple, tower, stairs1."""
    if not _FLOOR.fullmatch(text):
        raise ValueMistake(
            f"{text} is not a level of a hex",
            ["a number", "roof", "steeple", "tower", "stairs1", "+1"],
            nearest(text, FLOORS),
        )
    return int(text) if text.isdigit() else text


def read_number(text: str, kind: str = "number") -> int:
    """Read 3, -1, 1.5, 1 1/2: a number in the units of kb/ for this kind."""
    scale = SCALES.get(kind, 1)
    if len(text) > 20:
        raise ValueMistake(
            f"the number {text[:20]}... is too large: it has more than 20 characters"
        )
    whole, *part = text.split()
    value = Fraction(whole)
    if part:
        value += Fraction(part[0]) if value >= 0 and whole[0] != "-" else -Fraction(part[0])
    value *= scale
    if value.denominator != 1:
        step = {1: "a whole number", 2: "a multiple of 1/2"}.get(scale, "a multiple of 1/4")
        raise ValueMistake(f"{text} is not {step}", [step])
    if not SMALLEST <= value <= LARGEST:
        largest = LARGEST // scale
        raise ValueMistake(f"{text} is too large: write a number from {-largest} to {largest}")
    return int(value)


def read_level(text: str) -> int:
    """Return a ground level; the limit is ten times that of printed boards."""
    level = read_number(text)
    if abs(level) > MOST_LEVELS:
        raise ValueMistake(
            f"{text} is not a level", [f"a number from -{MOST_LEVELS} to {MOST_LEVELS}"]
        )
    return level


def read_upper_level(text: str) -> int:
    """Return the number of a level in a hex."""
    level = read_number(text)
    if not 0 <= level <= MOST_LEVELS:
        raise ValueMistake(f"{text} is not a level of a hex", [f"a number from 0 to {MOST_LEVELS}"])
    return level


def read_word(text: str, kind: str, words: Vocabulary) -> str:
    """Return a word of this kind in the spelling of kb/:

    `fully-tracked` is fully_tracked, AFV is afv.
    """
    word = text.lower().replace("-", "_")
    word = words.synonyms.get((kind, word), word)
    known = words.words.get(kind)
    if not IS_WORD.fullmatch(word) or word == "not" or (known and word not in known):
        said = [word_text(each, kind) for each in known or ()]
        raise ValueMistake(
            f"{text!r} is not {with_article(kind.replace('_', ' '))}",
            sorted(said),
            nearest(text, said),
        )
    return word


def shape_of(text: str) -> str:
    """Return the shape of a place."""
    if "/" in text:
        return "location"
    if "@" in text:
        return "vertex"
    return "side" if "-" in text else "hex"


# --- Locations from a text of their own, from a command or a program.


def parse_location(
    text: str, boards: Collection[str] | None = None, names: MapNames = PLAIN_NAMES
) -> Location:
    """Read `U4/1`, `U4` (its ground level), `K13@L12-K12/1`; BoardError describes the mistake.

    boards: the names that may prefix a hex id (20E7); None does not check them.
    """
    try:
        bare, prefixes = without_board(text, names) if text else (text, [])
        for prefix in prefixes:
            if boards is not None and find_label(boards, prefix) is None:
                raise ValueMistake(f"{prefix} is not the name of a board of this map")
        return read_location(bare, names)
    except ValueMistake as mistake:
        near = mistake.nearest or _in_capitals(text, names)
        problem = Problem(
            SourcePosition("Location", 1), text, mistake.message, mistake.expected, near
        )
        raise BoardError([problem]) from None


def _in_capitals(text: str, names: MapNames) -> str | None:
    """Return the Location that `u4/1` means, if any."""
    hex_, slash, floor = text.partition("/")
    try:
        read_location(hex_.upper() + slash + floor.lower(), names)
    except ValueMistake:
        return None
    return hex_.upper() + slash + floor.lower()
