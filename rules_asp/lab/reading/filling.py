"""A question with what its variables are on a board put in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import clingo

from rules_asp.terms.arguments import Term
from rules_asp.terms.grid import Location
from rules_asp.terms.query import (
    Argument,
    FunctionTerm,
    LosTerm,
    OpenLosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    UnitLosTerm,
    Variable,
)
from rules_asp.terms.reading import argument_from_symbol


def substitute(query: Query, values: Mapping[str, clingo.Symbol], compared: bool = False) -> Query:
    """A question with the values of its variables put in.

    Comparisons, which then hold, are left out if it is not `compared`.
    """

    def put(given: Argument) -> Argument:
        value = given.value
        if isinstance(value, Variable) and value.name in values:
            return argument_from_symbol(values[value.name], given.kind)
        if isinstance(value, FunctionTerm):
            return given._replace(value=replace(value, args=tuple(map(put, value.args))))
        if isinstance(value, OpenLosTerm) and value.other.name in values:
            end = _place(values[value.other.name])
            return given._replace(value=LosTerm(value.end, end))
        if isinstance(value, UnitLosTerm):
            ends = [
                _place(values[each.name])
                if isinstance(each, Variable) and each.name in values
                else each
                for each in (value.a, value.b)
            ]
            if all(isinstance(each, Location) for each in ends):
                return given._replace(value=LosTerm(*ends))  # type: ignore[arg-type]
            return given._replace(value=UnitLosTerm(*ends))
        return given

    def literals() -> Iterator[QueryLiteral | QueryComparison]:
        for each in query.literals:
            if isinstance(each, QueryLiteral):
                value = each.value and put(each.value)
                yield replace(each, args=tuple(map(put, each.args)), value=value)
            elif compared:
                yield replace(each, left=put(each.left), right=put(each.right))

    return Query(tuple(literals()))


def _place(symbol: clingo.Symbol) -> Location:
    found: Term = argument_from_symbol(symbol, "location").value  # type: ignore[assignment]
    assert isinstance(found, Location)
    return found
