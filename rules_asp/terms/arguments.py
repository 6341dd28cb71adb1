"""Arguments of facts: how they stand in kb/ as terms, and how they are said in the board language.

The kind of an argument is a word of kb/vocabulary.lp. It decides how a value is written: a unit's
name is a quoted string in kb/ and a bare name on a board, a half level is a whole number in kb/ and
may be "1 1/2" on a board.
"""

from __future__ import annotations

import re
from fractions import Fraction

from rules_asp.terms.grid import Hex, Hexside, Location, Spot, Vertex
from rules_asp.terms.maps import Named, names_spoken

#: An argument of a fact: a place, a number (already in the units of kb/), a word, or a quoted text.
Term = Hex | Hexside | Vertex | Location | int | str

#: Numeric kinds, and how many of their units make one: half levels in a level, quarters in an MF.
SCALES = {
    "number": 1,
    "range": 1,
    "direction": 1,
    "corner": 1,
    "half_level": 2,
    "quarter": 4,
}

#: Kinds whose values are texts of the user, quoted in kb/.
QUOTED = frozenset({"text", "unit", "norm", "paragraph", "rule", "ruling"})

#: The kind of a place in which may stand whatever there is.
ANYTHING = "anything"

#: Kinds of which both a hex and a Location are values.
_EITHER = frozenset({"place", ANYTHING})

#: clingo reckons in 32 bits and wraps silently.
SMALLEST, LARGEST = -(2**31), 2**31 - 1

#: A word as kb/ writes it.
IS_WORD = re.compile(r"[a-z][a-z0-9_]*")
#: What is said as a hyphen; at the end of a word, or doubled, it stays.
_INNER = re.compile(r"(?<=[a-z0-9])_(?=[a-z0-9])")
_CAPITAL_KINDS = frozenset({"status", "quantity", "weapon", "gun_kind"})


def term(value: Term, kind: str) -> str:
    """The value as a term of kb/; ValueError where it cannot be one."""
    if isinstance(value, int):
        return str(checked_number(value))
    if isinstance(value, Location):
        if isinstance(value.floor, str) and value.above is None:
            checked_word(value.floor)
        return value.term
    if not isinstance(value, str):
        return value.term
    return quoted(value) if kind in QUOTED else checked_word(value)


def quoted(text: str) -> str:
    """A text as a quoted string, for kb/ and for the board language alike.

    ValueError for control characters other than the line feed, which no fact should hold.
    """
    escaped = checked_text(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def unquoted(text: str) -> str:
    """The text that `quoted` made this string of."""
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text[1:-1])


def said(value: Term, kind: str) -> str:
    """The value as the board language says it."""
    if isinstance(value, int):
        return said_number(value, SCALES.get(kind, 1))
    if isinstance(value, Location):
        # Where both may stand, a hex and its ground Location are not the same.
        ground = value.floor == 0 and kind not in _EITHER
        return said_spot(value.spot) if ground else f"{said_spot(value.spot)}/{value.floor}"
    if isinstance(value, Hex | Vertex):
        return said_spot(value)
    if isinstance(value, Hexside):
        return str(value)
    return quoted(value) if kind in QUOTED - {"unit"} else said_word(value, kind)


def said_word(word: str, kind: str) -> str:
    """A word as the game prints it: `fully-tracked`, AFV, PB4; a unit's name stays as it is."""
    if kind == "unit":
        return word
    short = kind in _CAPITAL_KINDS and len(word) <= 3
    said = _INNER.sub("-", word)
    return said.upper() if short or kind in ("section", "optional_ruling") else said


def said_number(count: int, scale: int) -> str:
    """A number of halves, quarters, ... as players write it: 1 1/2, -1/2, 3."""
    whole, rest = divmod(abs(count), scale)
    sign = "-" if count < 0 else ""
    part = str(Fraction(rest, scale)) if rest else ""
    return sign + " ".join(filter(None, (str(whole) if whole or not part else "", part)))


def said_spot(spot: Spot) -> str:
    """A hex, or a vertex by the two hexes that meet there, by number where these have no name."""
    if isinstance(spot, Hex):
        return str(spot)
    return f"{spot.hex}@{said_corner(spot, '-')}"


def said_corner(vertex: Vertex, between: str = "/") -> str:
    """A vertex as seen from its hex: the two other hexes there, or 0..5 where one has no name."""
    around = vertex.hex.neighbours()
    pair = around[vertex.corner], around[(vertex.corner + 1) % 6]
    return between.join(map(str, pair)) if all(map(has_name, pair)) else str(vertex.corner)


def has_name(hex_: Hex) -> bool:
    """Whether a hex, on the map or beside it, can be named at all; on a map of boards, only on it."""
    names = hex_.names if isinstance(hex_, Named) else names_spoken()
    if names is not None:
        return names.name(hex_) is not None
    return 0 <= hex_.col < 52 and 0 <= hex_.row < 1000


def checked_number(value: int) -> int:
    """A number that clingo can hold; ValueError for a larger one."""
    if not SMALLEST <= value <= LARGEST:
        raise ValueError(f"{value} is too large a number")
    return value


def checked_text(text: str) -> str:
    """A text that a fact may hold; ValueError for control characters other than the line feed."""
    if any(letter < " " and letter != "\n" for letter in text):
        raise ValueError(f"a control character stands in {text!r}")
    return text


def checked_word(word: str) -> str:
    """A word as kb/ writes it; ValueError for anything else."""
    if not IS_WORD.fullmatch(word) or word == "not":
        raise ValueError(f"{word!r} is no word")
    return word
