"""The scope of lines, arguments and values: named hexes, hexes passed, and units."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import combinations

import clingo

from rules_asp.game.grid import Hex, Location, hex_of_spot
from rules_asp.game.map_layout import PLAIN_NAMES, MapNames
from rules_asp.game.query import Argument
from rules_asp.game.values import QUOTED, location_from_symbol
from rules_asp.geometry.exact import hexes_near_line
from rules_asp.positions.answer import Scope
from rules_asp.positions.fact_index import Mentions
from rules_asp.positions.locations import units_at
from rules_asp.positions.position import Position

_HEX = re.compile(r"\b[A-Z]{1,2}[0-9]{1,3}\b")


def scope_of_line(one: Location, other: Location) -> Scope:
    """Return the hexes that a line passes, including those it touches."""
    return Scope(frozenset(hexes_near_line(one.spot.centre, other.spot.centre)))


def scope_of_argument(position: Position, argument: Argument) -> Scope:
    """Return the scope of an argument; a pair of Locations includes the line between them."""
    from rules_asp.queries.query_facts import pattern_of

    return scope_of_term(position, pattern_of(argument))


def scope_of_term(position: Position, term: clingo.Symbol) -> Scope:
    """Return the scope of a term; a pair of Locations includes the line between them."""
    hexes, texts = Mentions().among([term])
    return Scope(hexes) | scope_of_units(position, texts) | _of_lines(term)


def _of_lines(term: clingo.Symbol) -> Scope:
    """Return the lines between Locations in one term."""
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


def scope_of_units(position: Position, names: Iterable[str]) -> Scope:
    """Return the scope of units: their names and hexes."""
    places = units_at(position)
    units = frozenset(names)
    hexes = frozenset(hex_of_spot(places[unit].spot) for unit in units if unit in places)
    return Scope(hexes, units)


def hexes_in(kind: str, value: str, names: MapNames) -> Iterator[Hex]:
    """Yield the hexes in a value."""
    for name in () if kind in QUOTED else _HEX.findall(value):
        # A rule number may look like a hex: PB4.
        with suppress(ValueError):
            yield names.find(name)[0]
