"""The same position in the next turn of whoever moves, when what holds for this phase alone is over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rules_asp.positions.prepared import Position
from rules_asp.terms.board import Fact, Statement, UnitStatement


def next_turn(position: Position) -> Position:
    """The position with all where it is, one turn later; itself where a board says nothing of the time.

    What then is over, the rules say.
    """
    kept = position.found_out.get("next turn")
    if kept is None:
        statements = tuple(_then(position))
        board = replace(position.board, statements=statements)
        same = statements == position.board.statements
        kept = position.found_out["next turn"] = position if same else position.restated(board)
    assert isinstance(kept, Position)
    return kept


def _then(position: Position) -> Iterator[Statement]:
    static = position.cases[0]
    inputs = {str(name) for (name,) in static.get("for_the_phase", 1)}
    states = {str(name) for (name,) in static.get("status_for_the_phase", 1)}

    def is_over(given: Fact) -> bool:
        return given.name in inputs or (given.name == "status" and str(given.args[-1]) in states)

    for statement in position.board.statements:
        match statement:
            case UnitStatement():
                facts = tuple(each for each in statement.facts if not is_over(each))
                yield (
                    statement
                    if len(facts) == len(statement.facts)
                    else replace(statement, facts=facts)
                )
            case Fact(name="turn", args=(int(number),)):
                yield replace(statement, args=(number + 1,))
            case Fact() if is_over(statement):
                continue
            case _:
                yield statement
