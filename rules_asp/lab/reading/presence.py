"""That what a claim names is on the board."""

from __future__ import annotations

from collections.abc import Iterator

from rules_asp.answers.patterns import may_be_denied
from rules_asp.positions.settling import OF_ANY_LOCATION
from rules_asp.terms.grid import Location, Vertex, hex_of_spot
from rules_asp.terms.query import (
    Argument,
    FunctionTerm,
    LosTerm,
    OpenLosTerm,
    QueryLiteral,
    UnitLosTerm,
)
from rules_asp.terms.symbols import to_symbol


def existence_literals(literal: QueryLiteral) -> Iterator[str]:
    """That what a literal names is on the board: else the ordinary commands know of no such thing."""
    if literal.name in OF_ANY_LOCATION:
        return
    for each in literal.arguments:
        yield from _named(each, literal.negated or may_be_denied(literal))


def _named(given: Argument, units: bool) -> Iterator[str]:
    value = given.value
    if isinstance(value, FunctionTerm):
        for inner in value.args:
            yield from _named(inner, units)
    elif isinstance(value, LosTerm | UnitLosTerm):
        for end in (value.a, value.b):
            yield from _named(Argument(end, "location"), units)
    elif isinstance(value, OpenLosTerm):
        yield from _named(Argument(value.end, "location"), units)
    elif isinstance(value, Location):
        # Vertices, and places above the ground outside a building, are there where their hex is.
        if isinstance(value.spot, Vertex) or value.above is not None:
            yield f"hex({hex_of_spot(value.spot).term})"
        else:
            yield f"exists({to_symbol(value, 'location')})"
    elif given.kind == "unit" and isinstance(value, str) and units:
        yield f"unit({given.term},_)"
