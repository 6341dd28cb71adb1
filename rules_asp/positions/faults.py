"""Faults of a board and doubts of its importer, and which of them bear on an answer.

What is faulty, and where, the rules say (`violates`). An answer shows what lies in that which it is about:
the hexes of its question, lines and ways with their whole buildings, and its units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules_asp.positions.belonging import BoardIssues, BrokenNorm, Scope
from rules_asp.positions.indexes import Mentions
from rules_asp.positions.places import units_at
from rules_asp.positions.prepared import Position
from rules_asp.terms.board import Doubt
from rules_asp.terms.grid import Hex, hex_of_spot
from rules_asp.terms.maps import set_map_names
from rules_asp.terms.names import term_text

#: What the rules say of a norm that is broken.
_BROKEN = "violates", 3


def broken_norms(position: Position) -> Iterator[tuple[BrokenNorm, Scope]]:
    """The norms that a position breaks in all cases that it leaves open, each with what it is of.

    A fault of a unit is one of the hex where it stands, too; one of a mere number is of the whole board
    and of no place on it.
    """
    set_map_names(position.board.grid)
    mentions, norms = Mentions(), position.program.norms
    found: dict[BrokenNorm, Scope] = {}
    first, *others = (frozenset(case.atoms(*_BROKEN)) for case in position.cases)
    for fault in sorted(first.intersection(*others)):
        norm, what, where = fault.arguments
        paragraph = norms[norm.string].paragraph if norm.string in norms else norm.string
        breach = BrokenNorm(
            norm.string, paragraph, term_text(what).replace("_", " "), term_text(where)
        )
        hexes, units = mentions.among([where])
        stand = {hex_of_spot(at.spot) for unit, at in units_at(position).items() if unit in units}
        found[breach] = Scope(hexes | stand, units)
    return iter(found.items())


def possibly_broken(position: Position) -> Iterator[tuple[str, Sequence[bool]]]:
    """What the position breaks in some cases that it leaves open, and in which of them it does."""
    set_map_names(position.board.grid)
    cases = [frozenset(case.atoms(*_BROKEN)) for case in position.cases]
    for fault in sorted(frozenset().union(*cases)):
        told = [fault in each for each in cases]
        if not all(told):
            norm, what, where = fault.arguments
            yield f"{term_text(what).replace('_', ' ')} at {term_text(where)} ({norm.string})", told


def issues_in_scope(position: Position, about: Scope) -> BoardIssues:
    """What is amiss in that which an answer is about."""
    doubts = [each for each in position.board.statements if isinstance(each, Doubt)]
    faults = list(broken_norms(position))
    if not doubts and not faults:
        return BoardIssues()
    hexes = with_whole_buildings(position, about.hexes)
    return BoardIssues(
        tuple(breach for breach, of in faults if of.hexes & hexes or of.units & about.units),
        tuple((str(each.where), each.text) for each in doubts if hexes & _hexes(each)),
    )


def with_whole_buildings(position: Position, hexes: frozenset[Hex]) -> frozenset[Hex]:
    """These hexes with the whole buildings that they are of: what these are hangs on all their hexes."""
    return hexes.union(*(position.wholes.get(each, ()) for each in hexes))


def _hexes(doubt: Doubt) -> frozenset[Hex]:
    return frozenset((doubt.where,) if isinstance(doubt.where, Hex) else doubt.where)
