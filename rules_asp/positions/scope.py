"""The scope of an answer, the board issues in that scope, and the verdicts.

The rules state faults and their places (`violates`). An answer shows the faults in its scope: the
hexes of its question, lines and paths with their whole buildings, and its units.

A question about something that does not exist (a hex off the board, an unknown word) raises an
error instead of giving an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import clingo

from rules_asp.boards.statement_ops import hexes_of
from rules_asp.game.board import Doubt
from rules_asp.game.grid import Hex, Location, hex_of_spot
from rules_asp.game.map_layout import PLAIN_NAMES, MapNames
from rules_asp.game.values import location_from_symbol
from rules_asp.geometry.exact import hexes_near_line
from rules_asp.positions.fact_index import Mentions
from rules_asp.positions.locations import units_at
from rules_asp.positions.position import Position

# --- Scope and issues of an answer.


@dataclass(frozen=True)
class Scope:
    """The scope of an answer: hexes, and units by name."""

    hexes: frozenset[Hex] = frozenset()
    units: frozenset[str] = frozenset()

    def __or__(self, other: Scope) -> Scope:
        return Scope(self.hexes | other.hexes, self.units | other.units)


@dataclass(frozen=True)
class BrokenNorm:
    """A norm that the position violates: the fault, and its place."""

    norm: str
    paragraph: str
    what: str
    where: str


@dataclass(frozen=True)
class BoardIssues:
    """Issues in the scope of an answer: board faults and uncertain map data.

    Uncertain map data is a pair: the hex or hexside, and the text of the importer.
    """

    faults: tuple[BrokenNorm, ...] = ()
    doubts: tuple[tuple[str, str], ...] = ()


# --- Board faults and uncertain map data, and the choice of those that affect an answer.


#: The predicate of a violated norm.
_BROKEN = "violates", 3


def broken_norms(position: Position) -> Iterator[tuple[BrokenNorm, Scope]]:
    """Yield the norms that a position violates in all its cases, each with its scope.

    The scope of a unit's fault includes the unit's hex. The fault of a number belongs to the whole
    board and to no place.
    """
    notation = position.notation
    mentions, norms = Mentions(), position.program.norms
    found: dict[BrokenNorm, Scope] = {}
    first, *others = (frozenset(case.atoms(*_BROKEN)) for case in position.cases)
    for fault in sorted(first.intersection(*others)):
        norm, what, where = fault.arguments
        paragraph = norms[norm.string].paragraph if norm.string in norms else norm.string
        breach = BrokenNorm(
            norm.string,
            paragraph,
            notation.term_text(what).replace("_", " "),
            notation.board_text(where),
        )
        hexes, units = mentions.among([where])
        stand = {hex_of_spot(at.spot) for unit, at in units_at(position).items() if unit in units}
        found[breach] = Scope(hexes | stand, units)
    return iter(found.items())


def possibly_broken(position: Position) -> Iterator[tuple[str, Sequence[bool]]]:
    """Yield the faults that occur in some cases only, with a flag for each case."""
    notation = position.notation
    cases = [frozenset(case.atoms(*_BROKEN)) for case in position.cases]
    for fault in sorted(frozenset().union(*cases)):
        told = [fault in each for each in cases]
        if not all(told):
            norm, what, where = fault.arguments
            named = notation.term_text(what).replace("_", " ")
            yield f"{named} at {notation.board_text(where)} ({norm.string})", told


def issues_in_scope(position: Position, about: Scope) -> BoardIssues:
    """Return the issues in a scope."""
    doubts = [each for each in position.board.statements if isinstance(each, Doubt)]
    faults = list(broken_norms(position))
    if not doubts and not faults:
        return BoardIssues()
    hexes = with_whole_buildings(position, about.hexes)
    return BoardIssues(
        tuple(breach for breach, of in faults if of.hexes & hexes or of.units & about.units),
        tuple(
            (position.names.text(each.where), each.text)
            for each in doubts
            if not hexes.isdisjoint(hexes_of(each))
        ),
    )


def with_whole_buildings(position: Position, hexes: frozenset[Hex]) -> frozenset[Hex]:
    """Return these hexes with their whole buildings, since a building depends on all its hexes."""
    return hexes.union(*(position.index.wholes.get(each, ()) for each in hexes))


# --- Verdicts: there are several kinds of no.


class Verdict(StrEnum):
    """The verdict of an answer.

    `YES`: it holds, or has a value. `FORBIDDEN`: norms forbid it. `NOT_SO`: nothing on the board
    makes it true, or a norm denies it. `UNKNOWN`: something that would decide it is missing.
    """

    YES = "yes"
    FORBIDDEN = "forbidden"
    NOT_SO = "not so"
    UNKNOWN = "unknown"


#: The result for a question that names something that does not exist: an error, not an answer.
NOTHING_OF_THE_KIND = "no such thing"


def verdict_for(holds: bool | None, forbidding: Sequence[str] = ()) -> Verdict:
    """Return the verdict for true, false or unknown (None); `forbidding` are norms."""
    if holds is None:
        return Verdict.UNKNOWN
    if holds:
        return Verdict.YES
    return Verdict.FORBIDDEN if forbidding else Verdict.NOT_SO


# --- The scope of lines, terms and values: named hexes, hexes passed, and units.


#: A hex, perhaps with its board.
_HEX = re.compile(r"\b[0-9a-z]*[A-Z]{1,2}[0-9]{1,3}\b")


def scope_of_line(one: Location, other: Location) -> Scope:
    """Return the hexes that a line passes, including those it touches."""
    return Scope(frozenset(hexes_near_line(one.spot.centre, other.spot.centre)))


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


def hexes_in(text: str, names: MapNames) -> Iterator[Hex]:
    """Yield the hexes that a text names."""
    for name in _HEX.findall(text):
        # A rule number may look like a hex: PB4.
        with suppress(ValueError):
            yield names.find(name)[0]
