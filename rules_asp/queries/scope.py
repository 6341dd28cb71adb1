"""What lines, arguments and values are about: the hexes that they name and pass through, and the units."""

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
    """What a line between two Locations passes, rims included."""
    return Scope(frozenset(hexes_near_line(one.spot.centre, other.spot.centre)))


def scope_of_argument(position: Position, argument: Argument) -> Scope:
    """What an argument names; of Locations that stand together, the line between them too."""
    from rules_asp.queries.query_facts import pattern_of

    return scope_of_term(position, pattern_of(argument))


def scope_of_term(position: Position, term: clingo.Symbol) -> Scope:
    """What a term names; of Locations that stand together, the line between them too."""
    hexes, texts = Mentions().among([term])
    return Scope(hexes) | scope_of_units(position, texts) | _of_lines(term)


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


def scope_of_units(position: Position, names: Iterable[str]) -> Scope:
    """Units, and the hexes where they are."""
    places = units_at(position)
    units = frozenset(names)
    hexes = frozenset(hex_of_spot(places[unit].spot) for unit in units if unit in places)
    return Scope(hexes, units)


def hexes_in(kind: str, value: str, names: MapNames) -> Iterator[Hex]:
    """The hexes that a value names."""
    for name in () if kind in QUOTED else _HEX.findall(value):
        # The number of a paragraph may look like one: PB4.
        with suppress(ValueError):
            yield names.find(name)[0]
