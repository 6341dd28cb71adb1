"""The Locations, units, stacks and lines of a position; errors for those that do not exist."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import clingo

from rules_asp import RulesAspError
from rules_asp.game.grid import Hex, Location, Spot, hex_of_spot
from rules_asp.game.query import location_sort_key
from rules_asp.game.values import location_from_symbol, to_board_text, to_symbol
from rules_asp.positions.fact_index import QueryFacts, eye_at
from rules_asp.positions.position import Position


class QuestionError(RulesAspError):
    """An error in a question: it names a place, unit or word that does not exist."""


def locations(position: Position) -> list[Location]:
    """Return every Location of the board, in order."""
    return sorted(position.index.elevations, key=location_sort_key)


def select_locations(
    position: Position, hexes: str | None = None, ground: bool = False
) -> list[Location]:
    """Return all Locations of the board, or those of some hexes: `A1-C5, E4`.

    `ground` leaves upper levels out. A1-C5 are the hexes of columns A to C with the numbers 1 to 5.
    QuestionError for a hex that is not on the board.
    """
    wanted = None if hexes is None else hexes_named(position, hexes)
    return [
        place
        for place in locations(position)
        if (not ground or place.floor == 0)
        and (wanted is None or hex_of_spot(place.spot) in wanted)
    ]


def hexes_named(position: Position, text: str) -> frozenset[Hex]:
    """Return the hexes of a list such as `A1-C5, E4`; errors as in `select_locations`."""
    found: set[Hex] = set()
    for each in text.replace(",", " ").split():
        one, dash, other = each.partition("-")
        first = _hex(position, one)
        last = _hex(position, other) if dash else first
        cols = range(min(first.col, last.col), max(first.col, last.col) + 1)
        rows = range(min(first.row, last.row), max(first.row, last.row) + 1)
        found |= {hex_ for hex_ in position.index.bases if hex_.col in cols and hex_.row in rows}
    if not found:
        raise QuestionError("the list of hexes is empty: name hexes as in A1-C5, E4")
    return frozenset(found)


def _hex(position: Position, text: str) -> Hex:
    bare = text.removeprefix(position.board.name) if not position.board.grid.parts else text
    try:
        hex_, _ = position.names.find(bare)
    except ValueError as error:
        if position.board.grid.parts:
            raise QuestionError(str(error)) from None
        raise QuestionError(
            f"{text or 'an empty text'} is not a hex: name hexes as in A1-C5, E4"
        ) from None
    if hex_ not in position.index.bases:
        raise QuestionError(f"{text} is not on this board")
    return hex_


def no_such_location(position: Position, place: Location) -> str:
    """Return the message for a missing Location: the levels of its hex, and the norms that deny it."""
    told = f"there is no Location {place} on this board"
    here = [str(each) for each in position.index.elevations if each.spot == place.spot]
    if here:
        told += f": the hex has {', '.join(sorted(here))}"
    for norm in _deniers(position, place)[:1]:
        told += f" ({norm}: {position.program.norms[norm].sense.partition('. ')[0].rstrip('.')})"
    return told


def of_no_level(position: Position, place: Location) -> str:
    """Return the message for a Location without a known level."""
    if position.index.has_location(place):
        return f"the level of {place} is unknown, so its lines of sight are unknown too"
    return no_such_location(position, place)


def _deniers(position: Position, place: Location) -> list[str]:
    """Return the norms that remove this level from its hex, the printed ones first."""
    level = clingo.Function("has_level", to_symbol(place, "location").arguments)
    found = (
        norm.string
        for norm, topic, value in position.cases[0].get("undefeated_value", 3)
        if topic == level and value.name == "no"
    )
    return sorted(found, key=lambda norm: (position.program.norms[norm].assumed, norm))


@dataclass(frozen=True)
class LosLine:
    """A line between two Locations in the order of the question; levels in half levels, None if
    unknown.

    `facts` are the measured facts of the line; empty if the level of an end is unknown.
    """

    a: Location
    b: Location
    levels: tuple[int | None, int | None]
    facts: tuple[str, ...] = ()

    @property
    def spots(self) -> tuple[Spot, Spot]:
        """The two ends, the smaller first."""
        one, two = sorted((self.a, self.b), key=location_sort_key)
        return one.spot, two.spot

    @property
    def range(self) -> int:
        """The range in hexes."""
        return hex_of_spot(self.a.spot).range_to(hex_of_spot(self.b.spot))

    @property
    def ends_of_unknown_level(self) -> list[Location]:
        """The ends whose level is unknown."""
        ends = zip((self.a, self.b), self.levels, strict=True)
        return [end for end, level in ends if level is None]

    @property
    def lowest(self) -> dict[Spot, int]:
        """The level of each end; 0 if it is unknown."""
        ends = zip((self.a, self.b), self.levels, strict=True)
        return {end.spot: level or 0 for end, level in ends}

    @property
    def question(self) -> QueryFacts:
        """The facts of the line and the query for its LOS."""
        return self._asked(self.facts)

    def question_without(self, facts: Iterable[clingo.Symbol]) -> QueryFacts:
        """Return the question without these facts."""
        left_out = {f"{fact}." for fact in facts}
        return self._asked(each for each in self.facts if each not in left_out)

    def _asked(self, facts: Iterable[str]) -> QueryFacts:
        ends = sorted((self.a, self.b), key=location_sort_key)
        return QueryFacts(tuple(map(eye_at, ends)), tuple(facts))


def line_between(position: Position, a: Location, b: Location) -> LosLine:
    """Measure the line between two Locations.

    QuestionError for a Location that is not on the board, or if both ends are the same Location.
    """
    levels = position.index.elevation(a), position.index.elevation(b)
    for place, level in zip((a, b), levels, strict=True):
        if level is None and not position.index.has_location(place):
            raise QuestionError(no_such_location(position, place))
    if a == b:
        raise QuestionError(f"both ends of the line are {a}: name two different Locations")
    if None in levels:
        return LosLine(a, b, levels)
    if a.spot == b.spot:
        return LosLine(a, b, levels, (f"cell({hex_of_spot(a.spot).term}).",))
    return LosLine(a, b, levels, position.measurer.measured([(a.spot, b.spot)], (a, b)))


def units_at(position: Position) -> Mapping[str, Location]:
    """Return the Location of each unit of the board."""
    kept = position.found_out.get("units at")
    if kept is None:
        kept = position.found_out["units at"] = {
            unit.string: location_from_symbol(where, position.names)
            for unit, where in position.cases[0].get("at", 2)
        }
    assert isinstance(kept, dict)
    return kept


def target_as(position: Position, unit: str) -> str | None:
    """Return the kind of target that a unit always is, if the rules give one."""
    told = position.cases[0].get("target_as", 2)
    return next((str(word) for name, word in told if name.string == unit), None)


# --- Units that act together if a player names only their Location.


@dataclass(frozen=True)
class UnitsTogether:
    """Units of one side in one Location.

    `moving` move as a stack. `firing` fire, and `directing` are the leaders that can direct them.
    """

    at: Location
    side: str | None
    moving: tuple[str, ...]
    firing: tuple[str, ...]
    directing: tuple[str, ...]


def units_together(position: Position) -> tuple[UnitsTogether, ...]:
    """Return the units of each Location by sides; those with Infantry first.

    Infantry that can move does so as a stack, each other unit by itself.
    """
    case = position.cases[0]
    infantry, directing, staying = (
        {unit.string for (unit,) in case.get(name, 1)}
        for name in ("infantry", "can_direct", "cannot_move")
    )
    leaders = {unit.string for unit, kind in case.get("unit", 2) if str(kind) == "leader"}
    sides = {unit.string: str(side) for unit, side in case.get("of_side", 2)}
    groups: dict[tuple[Location, str | None], list[str]] = {}
    for unit, at in units_at(position).items():
        groups.setdefault((at, sides.get(unit)), []).append(unit)
    found = [
        UnitsTogether(
            at,
            side,
            _moving([e for e in units if e in infantry], staying) or tuple(units[:1]),
            tuple(e for e in units if e not in leaders),
            tuple(e for e in units if e in directing),
        )
        for (at, side), units in groups.items()
    ]
    return tuple(sorted(found, key=lambda e: infantry.isdisjoint(e.moving)))


def _moving(infantry: Sequence[str], staying: Container[str]) -> tuple[str, ...]:
    """Return the Infantry that can move; all of it if none can."""
    return tuple(e for e in infantry if e not in staying) or tuple(infantry)


def stack_named(position: Position, units: Sequence[str]) -> Sequence[str]:
    """Return the units that move together; a Location stands for those in it."""
    if len(units) != 1 or units[0] in units_at(position):
        return units
    there = (
        e.moving for e in units_together(position) if to_board_text(e.at, "location") == units[0]
    )
    return next(there, units)
