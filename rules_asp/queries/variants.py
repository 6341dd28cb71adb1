"""Variants of a position: another phase of the turn, a unit in another Location.

The rules decide what a unit leaves behind.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import clingo

from rules_asp.game.board import Fact, Statement, UnitStatement
from rules_asp.game.grid import Hexside, Location
from rules_asp.game.values import hexside_from_symbol
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position

#: The answers that tell which hexsides an action crosses.
CROSSING = ("crossing_counts", 2)
#: The inputs that give the time of an event.
_TIME = ("turn", "moving_side", "phase")


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


@dataclass(frozen=True)
class Arrival:
    """How units came to a Location: the statuses that the step gives, and the hexsides crossed that
    the rules ask for."""

    statuses: frozenset[str] = frozenset()
    crossed: frozenset[Hexside] = frozenset()


#: A unit that did not come by a step.
NO_STEP = Arrival()


def statuses_by_way(position: Position, way: str) -> frozenset[str]:
    """Return the statuses that a step in this manner gives."""
    pairs = position.cases[0].get("status_by_way", 2)
    return frozenset(str(status) for manner, status in pairs if str(manner) == way)


def relocated(
    position: Position, units: Collection[str], place: Location, arrival: Arrival = NO_STEP
) -> Position:
    """Return the position with these units, and everything they carry, in this Location."""
    static = position.cases[0]
    by_way = {str(status) for _, status in static.get("status_by_way", 2)}
    inputs = {str(name) for (name,) in static.get("for_the_location", 1)}
    states = {str(name) for (name,) in static.get("status_for_the_location", 1)}

    def is_left(given: Fact) -> bool:
        is_status = given.name == "status" and str(given.args[-1]) in states | by_way
        return (is_status or given.name in inputs) and given.args[0] in units

    kept = without_facts(position.board.statements, is_left)
    statements = (
        *(_at(each, units, place, arrival.statuses) for each in kept),
        *_crossings(position, units, arrival),
    )
    return position.restated(replace(position.board, statements=statements))


def crossed_hexsides(
    position: Position, answers: Iterable[AnswerSet]
) -> Mapping[clingo.Symbol, frozenset[Hexside]]:
    """Return the hexsides crossed that the rules ask for, by the action."""
    found: dict[clingo.Symbol, set[Hexside]] = {}
    for deed, hexside in (each for answer in answers for each in answer.get(*CROSSING)):
        found.setdefault(deed, set()).add(hexside_from_symbol(hexside, position.names))
    return {deed: frozenset(each) for deed, each in found.items()}


def _crossings(position: Position, units: Collection[str], arrival: Arrival) -> Iterator[Fact]:
    """Yield the events of the crossed hexsides, if the board states the time."""
    stated = [next(position.board_facts.named(each), None) for each in _TIME]
    if None not in stated:
        turn, side, phase = (str(each.arguments[0]) for each in stated if each is not None)
        for unit in units:
            for hexside in sorted(arrival.crossed):
                yield Fact("crossed", (unit, hexside, int(turn), side, phase))


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


def _at(
    statement: Statement, units: Collection[str], place: Location, statuses: frozenset[str]
) -> Statement:
    if isinstance(statement, UnitStatement) and statement.name in units:
        facts = (_moved(fact, units, place) for fact in statement.facts)
        given = (Fact("status", (statement.name, each)) for each in sorted(statuses))
        return replace(statement, facts=(*facts, *given))
    return _moved(statement, units, place) if isinstance(statement, Fact) else statement


def _moved(fact: Fact, units: Collection[str], place: Location) -> Fact:
    if fact.name == "at" and fact.args[0] in units:
        return replace(fact, args=(fact.args[0], place))
    return fact
