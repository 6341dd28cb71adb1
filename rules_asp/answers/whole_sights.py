"""The question which sights of a board are clear, `sees(S)`: too wide to be grounded at once.

It goes through the passes of `all_sights`; a board that leaves its structure open is asked as usual.
"""

from __future__ import annotations

from collections.abc import Iterable

import clingo

from rules_asp.answers.all_sights import matrix
from rules_asp.positions.places import locations
from rules_asp.positions.prepared import Position
from rules_asp.terms.query import Argument, LosTerm, Query, QueryLiteral, Variable
from rules_asp.terms.symbols import location_from_symbol


def asks_all_los(position: Position, query: Query) -> bool:
    """Whether a question is this one."""
    if len(query.literals) > 1 or len(position.cases) > 1:
        return False
    (literal,) = query.literals
    if not isinstance(literal, QueryLiteral) or literal.name != "sees" or literal.negated:
        return False
    return isinstance(literal.args[0].value, Variable) and bool(query.variables)


def clear_los(position: Position) -> tuple[tuple[clingo.Symbol], ...]:
    """All clear sights of a board, as the ways in which the question holds."""
    clear = (
        LosTerm(*sight).term
        for batch in matrix(position, locations(position))
        for sight, verdict in batch.items()
        if verdict.clear
    )
    return tuple(sorted(((clingo.parse_term(text),) for text in clear), key=str))


def each_named_los(query: Query, sights: Iterable[tuple[clingo.Symbol, ...]]) -> Query:
    """The question whether these sights are clear, each by its name."""
    (kind,) = query.variables.values()
    return Query(
        tuple(
            QueryLiteral(
                "sees", (Argument(LosTerm(*map(location_from_symbol, sight.arguments)), kind),)
            )
            for (sight,) in sights
        )
    )
