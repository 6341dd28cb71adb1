"""What a question and its answer are about: the hexes that they name and pass through, and the units."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING

import clingo

from rules_asp.game.grid import Hex, Location, hex_of_spot
from rules_asp.game.map_layout import PLAIN_NAMES, MapNames
from rules_asp.game.query import Argument, DeedQuery, Query, QueryLiteral
from rules_asp.game.values import QUOTED, location_from_symbol
from rules_asp.geometry.exact import hexes_near_line
from rules_asp.positions.answer import Scope, issues_in_scope
from rules_asp.positions.fact_index import Mentions
from rules_asp.positions.locations import units_at
from rules_asp.positions.name_resolution import resolve_deed, resolve_form
from rules_asp.positions.position import Position

if TYPE_CHECKING:
    from rules_asp.queries.ask import Asked
    from rules_asp.queries.fire_table import FireTable
    from rules_asp.queries.legality import Can
    from rules_asp.queries.los_matrix import Viewshed
    from rules_asp.queries.movement import Moves

_HEX = re.compile(r"\b[A-Z]{1,2}[0-9]{1,3}\b")


def scope_of_line(one: Location, other: Location) -> Scope:
    """What a line between two Locations passes, rims included."""
    return Scope(frozenset(hexes_near_line(one.spot.centre, other.spot.centre)))


def scope_of_fire_table(table: FireTable) -> Scope:
    """The lines of all attacks, and their units."""
    shots = [each.shot for each in table.attacks]
    lines = {(each.firer, each.target) for each in shots}
    hexes = frozenset(hex_ for line in lines for hex_ in scope_of_line(*line).hexes)
    units = {unit for each in shots for unit in (each.by, each.on) if unit is not None}
    return Scope(hexes | {hex_of_spot(table.place.spot)}, frozenset(units))


def scope_of_viewshed(seen: Viewshed) -> Scope:
    """What the lines from a Location pass."""
    spots = {to.spot for to, _ in seen.sights}
    lines = (hexes_near_line(seen.eye.spot.centre, spot.centre) for spot in spots)
    return Scope(frozenset(hex_ for line in lines for hex_ in line))


def unknown_levels_in(
    position: Position, seen: Viewshed
) -> tuple[tuple[str, tuple[Location, ...]], ...]:
    """For each place that is in doubt, the Locations to which a line passes it."""
    found: dict[str, list[Location]] = {}
    for to, _ in seen.sights:
        for where, _ in issues_in_scope(position, scope_of_line(seen.eye, to)).doubts:
            found.setdefault(where, []).append(to)
    return tuple((where, tuple(places)) for where, places in found.items())


def scope_of_moves(moves: Moves) -> Scope:
    """What ways are about: every Location to which a step leads out of one that is reached."""
    steps = [step for each in (*moves.reach, *moves.perhaps) for step in each.path]
    steps += [*moves.forbidden, *moves.unknown]
    places = [moves.start, *(place for step in steps for place in (step.start, step.to))]
    return Scope(frozenset(hex_of_spot(each.spot) for each in places), frozenset(moves.units))


def scope_of_deed(position: Position, doing: DeedQuery, can: Can) -> Scope:
    """What a deed is about, and the ways in which it comes into question."""
    about = scope_of_argument(position, resolve_deed(position, doing).deed)
    for way in can.ways:
        about |= _of_term(position, way.deed)
    steps = can.there.path if can.there is not None else ()
    return about | Scope(frozenset(hex_of_spot(step.to.spot) for step in steps))


def scope_of_query(position: Position, query: Query, asked: Asked) -> Scope:
    """What a question is about, and the places and units that stand for its variables."""
    from rules_asp.queries.query_facts import resolve_and_check

    about = Scope()
    for literal in resolve_and_check(position, query).literals:
        for argument in literal.arguments if isinstance(literal, QueryLiteral) else ():
            about |= scope_of_argument(position, argument)
    kinds = query.variables
    found = [(kinds[name], value) for way in asked.found for name, value in way.values]
    hexes = {each for kind, value in found for each in _hexes_in(kind, value, position.names)}
    units = (value for kind, value in found if kind == "unit")
    return about | Scope(frozenset(hexes)) | _of_units(position, units)


def scope_of_roll(position: Position, roll: Argument) -> Scope:
    """What a roll names."""
    return scope_of_argument(position, resolve_form(position, roll))


def scope_of_argument(position: Position, argument: Argument) -> Scope:
    """What an argument names; of Locations that stand together, the line between them too."""
    from rules_asp.queries.query_facts import pattern_of

    return _of_term(position, pattern_of(argument))


def _of_term(position: Position, term: clingo.Symbol) -> Scope:
    hexes, texts = Mentions().among([term])
    return Scope(hexes) | _of_units(position, texts) | _of_lines(term)


def _of_lines(term: clingo.Symbol) -> Scope:
    """The lines between Locations that stand together in a term."""
    if term.type != clingo.SymbolType.Function:
        return Scope()
    about = Scope()
    for each in term.arguments:
        about |= _of_lines(each)
    here = [each for each in term.arguments if _is_location(each)]
    for one, other in combinations(here, 2):
        ends = (location_from_symbol(each, PLAIN_NAMES) for each in (one, other))
        about |= scope_of_line(*ends)
    return about


def _is_location(term: clingo.Symbol) -> bool:
    return term.type == clingo.SymbolType.Function and term.name == "l" and len(term.arguments) == 2


def _of_units(position: Position, names: Iterable[str]) -> Scope:
    """Units, and the hexes where they are."""
    places = units_at(position)
    units = frozenset(names)
    hexes = frozenset(hex_of_spot(places[unit].spot) for unit in units if unit in places)
    return Scope(hexes, units)


def _hexes_in(kind: str, value: str, names: MapNames) -> Iterator[Hex]:
    """The hexes that a value names."""
    for name in () if kind in QUOTED else _HEX.findall(value):
        # The number of a paragraph may look like one: PB4.
        with suppress(ValueError):
            yield names.find(name)[0]
