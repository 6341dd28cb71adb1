"""Terms of the knowledge base read back: (20,4) is the hex U4, l((20,4),1) its Location on Level 1."""

from __future__ import annotations

import clingo

from rules_asp.terms.grid import Hex, Hexside, Location, Spot, Vertex


def hex_of(symbol: clingo.Symbol) -> Hex:
    """A hex term read back."""
    col, row = symbol.arguments
    return Hex(col.number, row.number)


def hexside_of(symbol: clingo.Symbol) -> Hexside:
    """A hexside term read back."""
    one, two = symbol.arguments
    return Hexside(hex_of(one), hex_of(two))


def spot_of(symbol: clingo.Symbol) -> Spot:
    """A hex or vertex term read back."""
    if symbol.name == "v":
        return Vertex(hex_of(symbol.arguments[0]), symbol.arguments[1].number)
    return hex_of(symbol)


def location_of(symbol: clingo.Symbol) -> Location:
    """A Location term read back."""
    spot, floor = symbol.arguments
    where = spot_of(spot)
    if floor.type == clingo.SymbolType.Number:
        return Location(where, floor.number)
    return Location(where, str(floor).replace("(", "").replace(")", ""))
