"""What is where on a position: its Locations and units, and the refusal of those that are not there."""

from __future__ import annotations

from rules_asp.positions.prepared import Position
from rules_asp.terms.grid import Hex, Location, Vertex, spot_hex
from rules_asp.terms.query import Argument, Compound, location_order
from rules_asp.terms.symbols import location_of


class QuestionError(Exception):
    """The question cannot be put to this board: there is no such place, unit or word."""


def locations(position: Position) -> list[Location]:
    """Every Location of the board, in order."""
    return sorted(position.elevations, key=location_order)


def no_such_location(position: Position, place: Location) -> str:
    """The message for a Location that the board does not have."""
    here = [str(each) for each in position.elevations if each.spot == place.spot]
    if here:
        return f"there is no Location {place} on this board: the hex has {', '.join(sorted(here))}"
    return f"there is no Location {place} on this board"


def units_at(position: Position) -> dict[str, Location]:
    """Where the units of the board are."""
    return {unit.string: location_of(where) for unit, where in position.cases[0].get("at", 2)}


def standing(position: Position, unit: str) -> Location:
    """The Location of a unit; QuestionError when there is none."""
    where = units_at(position).get(unit)
    if where is None:
        known = {name.string for name, _ in position.cases[0].get("unit", 2)}
        problem = "is nowhere on this board" if unit in known else "is no unit of this board"
        raise QuestionError(f"{unit} {problem}")
    return where


def on_the_board(position: Position, argument: Argument) -> None:
    """Refuse, by QuestionError, a unit or place that the board does not have."""
    value = argument.value
    if isinstance(value, Compound):
        for inner in value.args:
            on_the_board(position, inner)
    elif argument.kind == "unit" and isinstance(value, str):
        standing(position, value)
    elif isinstance(value, Hex | Vertex | Location):
        spot = value.spot if isinstance(value, Location) else value
        if spot_hex(spot) not in position.bases:
            raise QuestionError(f"{argument} is not on this board")
