"""Terms of the knowledge base made and read back: (20,4) is the hex U4, l((20,4),1) its Location on
Level 1.

Here a text of a user becomes a term: a string symbol, whatever stands in it. Where such a term goes to
clingo as text, it is clingo that quotes it (`facts_text`).
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterable
from functools import lru_cache

import clingo

from rules_asp.terms.arguments import QUOTED, Term, checked_number, checked_text, checked_word
from rules_asp.terms.grid import Hex, Hexside, Location, Spot, Vertex
from rules_asp.terms.maps import current_map_names, with_map_names


def _sent(symbol: clingo.Symbol) -> tuple[Callable[[str], clingo.Symbol], tuple[str]]:
    return clingo.parse_term, (str(symbol),)


# clingo's own symbols are pickled as addresses, which point to nothing in another process.
copyreg.pickle(clingo.Symbol, _sent)


def to_symbol(value: Term, kind: str) -> clingo.Symbol:
    """The value of a kind of kb/vocabulary.lp as a term; ValueError where it cannot be one."""
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
    """Facts as text for clingo, one a line: clingo quotes what is in them."""
    return "".join(f"{fact}.\n" for fact in facts)


def hex_from_symbol(symbol: clingo.Symbol) -> Hex:
    """A hex term read back; it keeps the names of the map that is spoken of."""
    col, row = symbol.arguments
    return with_map_names(Hex(col.number, row.number), current_map_names())


def hexside_from_symbol(symbol: clingo.Symbol) -> Hexside:
    """A hexside term read back."""
    one, two = symbol.arguments
    return Hexside(hex_from_symbol(one), hex_from_symbol(two))


def spot_from_symbol(symbol: clingo.Symbol) -> Spot:
    """A hex or vertex term read back."""
    if symbol.name == "v":
        return Vertex(hex_from_symbol(symbol.arguments[0]), symbol.arguments[1].number)
    return hex_from_symbol(symbol)


def location_from_symbol(symbol: clingo.Symbol) -> Location:
    """A Location term read back."""
    spot, floor = symbol.arguments
    where = spot_from_symbol(spot)
    if floor.type == clingo.SymbolType.Number:
        return Location(where, floor.number)
    return Location(where, floor_text(floor))


def floor_text(floor: clingo.Symbol) -> str:
    """A floor as people write it: stairs(1) is stairs1, up(3) is +3."""
    said = str(floor).replace("(", "").replace(")", "")
    return f"+{said[2:]}" if floor.name == "up" and floor.arguments else said
