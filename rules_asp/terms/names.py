"""Terms of the knowledge base as people write them: (20,4) is U4, l((20,4),1) is U4/1."""

from __future__ import annotations

import clingo

from rules_asp.terms.arguments import SCALES, number_text, quoted, spot_text
from rules_asp.terms.grid import Hex, Hexside, Vertex
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.symbols import floor_text


def term_text(symbol: clingo.Symbol) -> str:
    """A term with its hexes, Locations, hexsides and vertices by name, its levels and MF in whole and
    broken numbers, so that it can be asked about.

    The name of a unit alone has no quotes; in a topic or deed it has, or it would be a variable there.
    """
    if symbol.type == clingo.SymbolType.String:
        return symbol.string
    if symbol.type != clingo.SymbolType.Function:
        return str(symbol)
    place = _place(symbol)
    if place is not None:
        return place
    if not symbol.arguments:
        return symbol.name
    kinds = vocabulary().kinds(symbol.name, len(symbol.arguments))
    arguments = ", ".join(
        quoted(each.string) if each.type == clingo.SymbolType.String else value_text(each, kind)
        for each, kind in zip(symbol.arguments, kinds, strict=True)
    )
    return f"{symbol.name}({arguments})"


def _place(symbol: clingo.Symbol) -> str | None:
    arguments = symbol.arguments
    if len(arguments) != 2:
        return None
    one, two = arguments
    if symbol.name == "":
        if one.type == two.type == clingo.SymbolType.Number:
            return str(Hex(one.number, two.number))
    elif symbol.name == "e" and _is_hex(one) and _is_hex(two):
        return str(Hexside(_hex(one), _hex(two)))
    elif symbol.name == "v" and _is_hex(one):
        return spot_text(Vertex(_hex(one), two.number))
    elif symbol.name == "l":
        floor = two.number if two.type == clingo.SymbolType.Number else floor_text(two)
        return f"{term_text(one)}/{floor}"
    elif symbol.name == "s":
        return f"{term_text(one)} - {term_text(two)}"
    elif symbol.name == "at" and one.match("s", 2):
        return f"{term_text(one)} at {term_text(two)}"
    return None


def _is_hex(symbol: clingo.Symbol) -> bool:
    return (
        symbol.type == clingo.SymbolType.Function
        and symbol.name == ""
        and [each.type for each in symbol.arguments] == [clingo.SymbolType.Number] * 2
    )


def _hex(symbol: clingo.Symbol) -> Hex:
    col, row = symbol.arguments
    return Hex(col.number, row.number)


def value_text(symbol: clingo.Symbol, kind: str) -> str:
    """A value of a kind of the vocabulary: 3 half levels are 1 1/2, a place goes by its name."""
    if symbol.type == clingo.SymbolType.Number:
        return number_text(symbol.number, SCALES.get(kind, 1))
    return term_text(symbol)


def level_text(half_levels: int) -> str:
    """A level as people write it: 3 half levels are 1 1/2."""
    return number_text(half_levels, SCALES["half_level"])


def quarters_text(amount: int) -> str:
    """An amount of MF as people write it: 6 quarters are 1 1/2."""
    return number_text(amount, SCALES["quarter"])
