"""Variants of a position: another phase of the turn, a unit in another Location.

The rules decide what a unit leaves behind.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace

from rules_asp.game.board import Fact, Statement, UnitStatement
from rules_asp.game.grid import Location
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position


def in_phase(position: Position, phase: str | None, side: str | None = None) -> Position:
    """The position in another phase of the same Player Turn, or of that of a side.

    QuestionError if the board does not state its Player Turn, BoardError for another phase or side.
    """
    if phase is None:
        return position
    stated = [next(position.board_facts.named(name), None) for name in ("turn", "moving_side")]
    if None in stated:
        raise QuestionError(
            "the board does not give the Player Turn; add a line such as `turn 1 german mph`"
        )
    turn, moving = (str(each.arguments[0]) for each in stated if each is not None)
    return position.with_(f"turn {turn} {side or moving} {phase}")


def in_phase_if_stated(position: Position, phase: str, side: str | None) -> Position:
    """The position in this phase; itself if the board does not state the Player Turn."""
    facts = [next(position.board_facts.named(name), None) for name in ("turn", "moving_side")]
    return position if None in facts else in_phase(position, phase, side)


def in_moving_phase(position: Position, unit: str) -> Position:
    """The position in the MPh of a unit's side; itself if the board does not state the Player Turn."""
    told = (each.arguments for each in position.cases[0].atoms_about("is", 2, "side_of"))
    side = next((str(side) for topic, side in told if topic.arguments[0].string == unit), None)
    return in_phase_if_stated(position, "mph", side)


def relocated(position: Position, units: Collection[str], place: Location) -> Position:
    """Return the position with these units, and everything they carry, in this Location."""
    static = position.cases[0]
    inputs = {str(name) for (name,) in static.get("for_the_location", 1)}
    states = {str(name) for (name,) in static.get("status_for_the_location", 1)}

    def is_left(given: Fact) -> bool:
        is_status = given.name == "status" and str(given.args[-1]) in states
        return (is_status or given.name in inputs) and given.args[0] in units

    kept = without_facts(position.board.statements, is_left)
    statements = tuple(_at(each, units, place) for each in kept)
    return position.restated(replace(position.board, statements=statements))


def without_facts(
    statements: Iterable[Statement], is_over: Callable[[Fact], bool]
) -> Iterator[Statement]:
    """Return the statements of a board without some of its facts."""
    for each in statements:
        match each:
            case UnitStatement():
                facts = tuple(fact for fact in each.facts if not is_over(fact))
                yield each if len(facts) == len(each.facts) else replace(each, facts=facts)
            case Fact() if is_over(each):
                continue
            case _:
                yield each


def _at(statement: Statement, units: Collection[str], place: Location) -> Statement:
    if isinstance(statement, UnitStatement) and statement.name in units:
        facts = (_moved(fact, units, place) for fact in statement.facts)
        return replace(statement, facts=tuple(facts))
    return _moved(statement, units, place) if isinstance(statement, Fact) else statement


def _moved(fact: Fact, units: Collection[str], place: Location) -> Fact:
    if fact.name == "at" and fact.args[0] in units:
        return replace(fact, args=(fact.args[0], place))
    return fact
