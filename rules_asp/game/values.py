"""Conversion of a value between its three forms: clingo symbol, kb/ term, board text.

The kind of an argument is a word of kb/vocabulary.lp. It decides how a value is written: a unit's
name is a quoted string in kb/ and a bare name on a board; a half level is an integer in kb/ and may
be "1 1/2" on a board.

User text becomes a string symbol here, whatever it contains. When such a symbol goes to clingo as
text, clingo quotes it (`facts_text`).
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import clingo

from rules_asp.game.grid import Hex, Hexside, Location, Spot, Vertex
from rules_asp.game.map_layout import PLAIN_NAMES, MapNames
from rules_asp.game.vocabulary import ANY_BOARD_TERM, Vocabulary, default_vocabulary

# --- Arguments of facts: as terms of kb/, and in the board language.


#: An argument of a fact: a place, a number (in the units of kb/), a word, or a quoted text.
Term = Hex | Hexside | Vertex | Location | int | str

#: Numeric kinds and their units per whole: half levels in a level, quarters in an MF.
SCALES = {
    "number": 1,
    "range": 1,
    "direction": 1,
    "corner": 1,
    "half_level": 2,
    "quarter": 4,
}

#: Kinds whose values are user texts, quoted in kb/.
QUOTED = frozenset({"text", "unit", "norm", "paragraph", "rule", "ruling"})

#: Kinds whose values include both hexes and Locations.
_EITHER = frozenset({"place", ANY_BOARD_TERM})

#: clingo calculates with 32 bits and overflows silently.
SMALLEST, LARGEST = -(2**31), 2**31 - 1

#: A word as kb/ writes it.
IS_WORD = re.compile(r"[a-z][a-z0-9_]*")
#: An underscore that is written as a hyphen; at the end of a word, or doubled, it stays.
_INNER = re.compile(r"(?<=[a-z0-9])_(?=[a-z0-9])")
#: Kinds whose abbreviations are printed in capitals, and the length of the longest: AAMG.
_CAPITAL_KINDS, _LONGEST = frozenset({"status", "quantity", "weapon", "gun_kind"}), 4


def with_article(noun: str) -> str:
    """A noun with its indefinite article: `a hex`, `an input`."""
    return f"{'an' if noun[:1].lower() in tuple('aeio') else 'a'} {noun}"


def to_term(value: Term, kind: str) -> str:
    """Return the value as a term of kb/; ValueError if it cannot be one."""
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
    """Quote a text as a string, for kb/ and for the board language.

    ValueError for control characters other than the line feed: a fact must not hold them.
    """
    escaped = checked_text(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def unquoted(text: str) -> str:
    """Return the text of a string made by `quoted`."""
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text[1:-1])


def to_board_text(value: Term, kind: str) -> str:
    """Return the value in the board language."""
    if isinstance(value, int):
        return number_text(value, SCALES.get(kind, 1))
    if isinstance(value, Location):
        # If both kinds are possible, a hex differs from its ground Location.
        ground = value.floor == 0 and kind not in _EITHER
        return spot_text(value.spot) if ground else f"{spot_text(value.spot)}/{value.floor}"
    if isinstance(value, Hex | Vertex):
        return spot_text(value)
    if isinstance(value, Hexside):
        return str(value)
    return quoted(value) if kind in QUOTED - {"unit"} else word_text(value, kind)


def word_text(word: str, kind: str) -> str:
    """Return a word as the game prints it: `fully-tracked`, AFV, PB4; unit names stay unchanged."""
    if kind == "unit":
        return word
    short = kind in _CAPITAL_KINDS and len(word) <= _LONGEST
    text = _INNER.sub("-", word)
    return text.upper() if short or kind in ("section", "optional_ruling") else text


def number_text(count: int, scale: int) -> str:
    """Return a count of halves, quarters, ... as players write it: 1 1/2, -1/2, 3."""
    whole, rest = divmod(abs(count), scale)
    sign = "-" if count < 0 else ""
    part = str(Fraction(rest, scale)) if rest else ""
    return sign + " ".join(filter(None, (str(whole) if whole or not part else "", part)))


def spot_text(spot: Spot) -> str:
    """Return a hex, or a vertex by the other two hexes, or by number if these have no name."""
    if isinstance(spot, Hex):
        return str(spot)
    return f"{spot.hex}@{corner_text(spot, '-')}"


def corner_text(vertex: Vertex, between: str = "/") -> str:
    """Return a vertex by the other two hexes, or by 0..5 if a hex has no name."""
    around = vertex.hex.neighbours()
    pair = around[vertex.corner], around[(vertex.corner + 1) % 6]
    named = all(each.has_name for each in pair)
    return between.join(map(str, pair)) if named else str(vertex.corner)


def checked_number(value: int) -> int:
    """A number that clingo can hold; ValueError for a larger one."""
    if not SMALLEST <= value <= LARGEST:
        raise ValueError(f"the number {value} is too large for clingo")
    return value


def checked_text(text: str) -> str:
    """A text that a fact may hold; ValueError for control characters other than the line feed."""
    if any(letter < " " and letter != "\n" for letter in text):
        raise ValueError(f"{text!r} contains a control character")
    return text


def checked_word(word: str) -> str:
    """A word as kb/ writes it; ValueError for anything else."""
    if not IS_WORD.fullmatch(word) or word == "not":
        raise ValueError(f"{word!r} is not a word of lowercase letters, digits and underscores")
    return word


# --- Symbols of the knowledge base created and read back: (20,4) is the hex U4, l((20,4),1) its
# Location on Level 1.


def _sent(symbol: clingo.Symbol) -> tuple[Callable[[str], clingo.Symbol], tuple[str]]:
    return clingo.parse_term, (str(symbol),)


# clingo pickles its own symbols as addresses; these are invalid in another process.
copyreg.pickle(clingo.Symbol, _sent)


def to_symbol(value: Term, kind: str) -> clingo.Symbol:
    """Return the value of a kind of kb/vocabulary.lp as a symbol; else ValueError."""
    if isinstance(value, str):
        if kind in QUOTED:
            return clingo.String(checked_text(value))
        return clingo.Function(checked_word(value))
    if isinstance(value, int):
        return clingo.Number(checked_number(value))
    return _place(value)


# Typed, since a vertex and a Location are equal as tuples.
@lru_cache(maxsize=4096, typed=True)
def _place(value: Hex | Hexside | Vertex | Location) -> clingo.Symbol:
    if isinstance(value, Hex):
        return clingo.Tuple_([clingo.Number(value.col), clingo.Number(value.row)])
    if isinstance(value, Hexside):
        return clingo.Function("e", [_place(value.a), _place(value.b)])
    if isinstance(value, Vertex):
        return clingo.Function("v", [_place(value.hex), clingo.Number(value.corner)])
    return clingo.Function("l", [_place(value.spot), _floor(value.floor)])


def _floor(floor: int | str) -> clingo.Symbol:
    if isinstance(floor, int):
        return clingo.Number(checked_number(floor))
    if floor.startswith("+"):
        return clingo.Function("up", [clingo.Number(int(floor))])
    number = checked_word(floor).removeprefix("stairs")
    if number != floor and number.isdecimal():
        return clingo.Function("stairs", [clingo.Number(int(number))])
    return clingo.Function(floor)


def facts_text(facts: Iterable[clingo.Symbol]) -> str:
    """Return facts as text for clingo, one per line; clingo quotes their strings."""
    return "".join(f"{fact}.\n" for fact in facts)


def hex_from_symbol(symbol: clingo.Symbol, names: MapNames = PLAIN_NAMES) -> Hex:
    """Read back a hex symbol with these names; without names, a plain hex."""
    col, row = symbol.arguments
    return names.hex(col.number, row.number)


def hexside_from_symbol(symbol: clingo.Symbol, names: MapNames = PLAIN_NAMES) -> Hexside:
    """Read back a hexside symbol."""
    one, two = symbol.arguments
    return Hexside(hex_from_symbol(one, names), hex_from_symbol(two, names))


def spot_from_symbol(symbol: clingo.Symbol, names: MapNames = PLAIN_NAMES) -> Spot:
    """Read back a hex or vertex symbol."""
    if symbol.name == "v":
        return Vertex(hex_from_symbol(symbol.arguments[0], names), symbol.arguments[1].number)
    return hex_from_symbol(symbol, names)


def location_from_symbol(symbol: clingo.Symbol, names: MapNames) -> Location:
    """Read back a Location symbol."""
    spot, floor = symbol.arguments
    where = spot_from_symbol(spot, names)
    if floor.type == clingo.SymbolType.Number:
        return Location(where, floor.number)
    return Location(where, floor_text(floor))


def floor_text(floor: clingo.Symbol) -> str:
    """Return a floor as people write it: stairs(1) is stairs1, up(3) is +3."""
    said = str(floor).replace("(", "").replace(")", "")
    return f"+{said[2:]}" if floor.name == "up" and floor.arguments else said


# --- Symbols of the knowledge base as people write them: (20,4) is U4, l((20,4),1) is U4/1.


@dataclass(frozen=True, eq=False)
class Notation:
    """Notation: the words of a knowledge base and the names of a map, to read and write symbols."""

    vocabulary: Vocabulary
    names: MapNames = PLAIN_NAMES

    def term_text(self, symbol: clingo.Symbol) -> str:
        """Return a symbol with places by name, and with levels and MF as mixed numbers.

        The result can be used in a question. A unit's name alone has no quotes. Inside a topic or
        action it has quotes, to differ from a variable.
        """
        if symbol.type == clingo.SymbolType.String:
            return symbol.string
        if symbol.type != clingo.SymbolType.Function:
            return str(symbol)
        place = self._place_name(symbol)
        if place is not None:
            return place
        if not symbol.arguments:
            return symbol.name
        kinds = self.vocabulary.kinds(symbol.name, len(symbol.arguments))
        arguments = ", ".join(
            quoted(each.string)
            if each.type == clingo.SymbolType.String
            else self.value_text(each, kind)
            for each, kind in zip(symbol.arguments, kinds, strict=True)
        )
        return f"{symbol.name}({arguments})"

    def board_text(self, symbol: clingo.Symbol) -> str:
        """Return a symbol as boards spell it: words with hyphens, such as deep-snow."""
        text = self.term_text(symbol)
        is_word = symbol.type == clingo.SymbolType.Function and text == symbol.name
        return text.replace("_", "-") if is_word else text

    def value_text(self, symbol: clingo.Symbol, kind: str) -> str:
        """Return a value of a vocabulary kind: 3 half levels are 1 1/2, places go by name."""
        if symbol.type == clingo.SymbolType.Number:
            return number_text(symbol.number, SCALES.get(kind, 1))
        return self.term_text(symbol)

    def _place_name(self, symbol: clingo.Symbol) -> str | None:
        if len(symbol.arguments) != 2:
            return None
        one, two = symbol.arguments
        if symbol.name == "":
            if one.type == two.type == clingo.SymbolType.Number:
                return str(hex_from_symbol(symbol, self.names))
        elif symbol.name == "e" and is_hex(one) and is_hex(two):
            return str(hexside_from_symbol(symbol, self.names))
        elif symbol.name == "v" and is_hex(one):
            return spot_text(spot_from_symbol(symbol, self.names))
        elif symbol.name == "l":
            floor = two.number if two.type == clingo.SymbolType.Number else floor_text(two)
            return f"{self.term_text(one)}/{floor}"
        elif symbol.name == "s":
            return f"{self.term_text(one)} - {self.term_text(two)}"
        elif symbol.name == "at" and one.match("s", 2):
            return f"{self.term_text(one)} at {self.term_text(two)}"
        return None


def default_notation() -> Notation:
    """Return the notation for a text without a position: the default rules, and no map."""
    return Notation(default_vocabulary())


def is_hex(symbol: clingo.Symbol) -> bool:
    """Test whether a ground term is a hex: a pair of numbers."""
    return (
        symbol.type == clingo.SymbolType.Function
        and symbol.name == ""
        and [each.type for each in symbol.arguments] == [clingo.SymbolType.Number] * 2
    )


def level_text(half_levels: int) -> str:
    """Return a level as people write it: 3 half levels are 1 1/2."""
    return number_text(half_levels, SCALES["half_level"])


def quarters_text(amount: int) -> str:
    """Return an amount of MF as people write it: 6 quarters are 1 1/2."""
    return number_text(amount, SCALES["quarter"])
