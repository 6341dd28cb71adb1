"""Terms of the knowledge base read back as arguments of a question."""

from __future__ import annotations

import clingo

from rules_asp.terms.arguments import Term
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import Argument, Compound, Sightline
from rules_asp.terms.symbols import hexside_of, location_of, spot_of


def argument(symbol: clingo.Symbol, kind: str) -> Argument:
    """A ground term as an argument of a question."""
    words = vocabulary()
    if kind == "party":
        kind = "unit" if symbol.type == clingo.SymbolType.String else "location"
    if symbol.type == clingo.SymbolType.Function and symbol.name == "s":
        one, other = map(location_of, symbol.arguments)
        return Argument(Sightline(one, other), kind)
    if symbol.type == clingo.SymbolType.Function and symbol.arguments:
        form = words.forms.get(symbol.name) or words.topics.get(symbol.name)
        if form is not None and len(form.kinds) == len(symbol.arguments):
            inner = tuple(map(argument, symbol.arguments, form.kinds))
            return Argument(Compound(symbol.name, inner), kind)
        if symbol.name not in ("", "e", "l", "v"):
            # A reason, such as came_from("A"): no table tells of what kinds its arguments are.
            parts = (
                argument(each, "text" if each.type == clingo.SymbolType.String else kind)
                for each in symbol.arguments
            )
            return Argument(Compound(symbol.name, tuple(parts)), kind)
    return Argument(value(symbol, kind), kind)


def value(symbol: clingo.Symbol, kind: str) -> Term:
    """A ground term as a value of its kind."""
    if symbol.type == clingo.SymbolType.Number:
        return symbol.number
    if symbol.type == clingo.SymbolType.String:
        return symbol.string
    if symbol.name == "e":
        return hexside_of(symbol)
    if symbol.name == "l":
        return location_of(symbol)
    if symbol.name in ("", "v"):
        return spot_of(symbol)
    return str(symbol)
