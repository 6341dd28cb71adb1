"""Faults of a board and doubts of its importer, and which of them bear on an answer.

What is faulty, and where, the rules say (`violates`). An answer shows what lies in that which it is about:
the hexes of its question, lines and ways with their whole buildings, and its units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rules_asp.positions.belonging import About, Beside, Breach
from rules_asp.positions.indexes import Mentions
from rules_asp.positions.places import units_at
from rules_asp.positions.prepared import Position
from rules_asp.terms.board import Doubt
from rules_asp.terms.grid import Hex, spot_hex
from rules_asp.terms.maps import speak_of
from rules_asp.terms.names import named

#: What the rules say of a norm that is broken.
_BROKEN = "violates", 3


def broken(position: Position) -> Iterator[tuple[Breach, About]]:
    """The norms that a position breaks in all cases that it leaves open, each with what it is of.

    A fault of a unit is one of the hex where it stands, too; one of a mere number is of the whole board
    and of no place on it.
    """
    speak_of(position.board.grid)
    mentions, norms = Mentions(), position.program.norms
    found: dict[Breach, About] = {}
    first, *others = (frozenset(case.atoms(*_BROKEN)) for case in position.cases)
    for fault in sorted(first.intersection(*others)):
        norm, what, where = fault.arguments
        paragraph = norms[norm.string].paragraph if norm.string in norms else norm.string
        breach = Breach(norm.string, paragraph, named(what).replace("_", " "), named(where))
        hexes, units = mentions.among([where])
        stand = {spot_hex(at.spot) for unit, at in units_at(position).items() if unit in units}
        found[breach] = About(hexes | stand, units)
    return iter(found.items())


def doubtful(position: Position) -> Iterator[tuple[str, Sequence[bool]]]:
    """What the position breaks in some cases that it leaves open, and in which of them it does."""
    speak_of(position.board.grid)
    cases = [frozenset(case.atoms(*_BROKEN)) for case in position.cases]
    for fault in sorted(frozenset().union(*cases)):
        told = [fault in each for each in cases]
        if not all(told):
            norm, what, where = fault.arguments
            yield f"{named(what).replace('_', ' ')} at {named(where)} ({norm.string})", told


def beside(position: Position, about: About) -> Beside:
    """What is amiss in that which an answer is about."""
    doubts = [each for each in position.board.statements if isinstance(each, Doubt)]
    faults = list(broken(position))
    if not doubts and not faults:
        return Beside()
    hexes = whole(position, about.hexes)
    return Beside(
        tuple(breach for breach, of in faults if of.hexes & hexes or of.units & about.units),
        tuple((str(each.where), each.text) for each in doubts if hexes & _hexes(each)),
    )


def whole(position: Position, hexes: frozenset[Hex]) -> frozenset[Hex]:
    """These hexes with the whole buildings that they are of: what these are hangs on all their hexes."""
    return hexes.union(*(position.wholes.get(each, ()) for each in hexes))


def _hexes(doubt: Doubt) -> frozenset[Hex]:
    return frozenset((doubt.where,) if isinstance(doubt.where, Hex) else doubt.where)
