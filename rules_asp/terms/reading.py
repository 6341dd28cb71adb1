"""Terms of the knowledge base read back as arguments of a question."""

from __future__ import annotations

import clingo

from rules_asp.terms.arguments import Term
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import Argument, FunctionTerm, LosTerm
from rules_asp.terms.symbols import hexside_from_symbol, location_from_symbol, spot_from_symbol


def argument_from_symbol(symbol: clingo.Symbol, kind: str) -> Argument:
    """A ground term as an argument of a question."""
    words = vocabulary()
    if kind == "party":
        kind = "unit" if symbol.type == clingo.SymbolType.String else "location"
    if symbol.type == clingo.SymbolType.Function and symbol.name == "s":
        one, other = map(location_from_symbol, symbol.arguments)
        return Argument(LosTerm(one, other), kind)
    if symbol.type == clingo.SymbolType.Function and symbol.arguments:
        form = words.forms.get(symbol.name) or words.topics.get(symbol.name)
        if form is not None and len(form.kinds) == len(symbol.arguments):
            inner = tuple(map(argument_from_symbol, symbol.arguments, form.kinds))
            return Argument(FunctionTerm(symbol.name, inner), kind)
        if symbol.name not in ("", "e", "l", "v"):
            # A reason, such as came_from("A"): no table tells of what kinds its arguments are.
            parts = (
                argument_from_symbol(
                    each, "text" if each.type == clingo.SymbolType.String else kind
                )
                for each in symbol.arguments
            )
            return Argument(FunctionTerm(symbol.name, tuple(parts)), kind)
    return Argument(value_from_symbol(symbol, kind), kind)


def value_from_symbol(symbol: clingo.Symbol, kind: str) -> Term:
    """A ground term as a value of its kind."""
    if symbol.type == clingo.SymbolType.Number:
        return symbol.number
    if symbol.type == clingo.SymbolType.String:
        return symbol.string
    if symbol.name == "e":
        return hexside_from_symbol(symbol)
    if symbol.name == "l":
        return location_from_symbol(symbol)
    if symbol.name in ("", "v"):
        return spot_from_symbol(symbol)
    return str(symbol)
