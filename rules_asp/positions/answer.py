"""What an answer is about, what is amiss there, and the words that an answer comes to.

What is faulty, and where, the rules say (`violates`). An answer shows what lies in that which it is about:
the hexes of its question, lines and ways with their whole buildings, and its units.

Asked about what is no such thing (a hex off the board, a word that nobody knows), there is no answer: that
is a mistake, and is raised as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rules_asp.boards.statement_ops import hexes_of
from rules_asp.game.board import Doubt
from rules_asp.game.grid import Hex, hex_of_spot
from rules_asp.positions.fact_index import Mentions
from rules_asp.positions.locations import units_at
from rules_asp.positions.position import Position

# --- What an answer is about, and what is amiss there.


@dataclass(frozen=True)
class Scope:
    """What an answer is about: hexes, and units by name."""

    hexes: frozenset[Hex] = frozenset()
    units: frozenset[str] = frozenset()

    def __or__(self, other: Scope) -> Scope:
        return Scope(self.hexes | other.hexes, self.units | other.units)


@dataclass(frozen=True)
class BrokenNorm:
    """A norm that the position breaks: in what, and where."""

    norm: str
    paragraph: str
    what: str
    where: str


@dataclass(frozen=True)
class BoardIssues:
    """What is amiss in that which an answer is about: faults of the board, doubts of its importer.

    A doubt is the hex or hexside that it is about, and what it says.
    """

    faults: tuple[BrokenNorm, ...] = ()
    doubts: tuple[tuple[str, str], ...] = ()


# --- Faults of a board and doubts of its importer, and which of them bear on an answer.


#: What the rules say of a norm that is broken.
_BROKEN = "violates", 3


def broken_norms(position: Position) -> Iterator[tuple[BrokenNorm, Scope]]:
    """The norms that a position breaks in all cases that it leaves open, each with what it is of.

    A fault of a unit is one of the hex where it stands, too; one of a mere number is of the whole board
    and of no place on it.
    """
    term_text = position.notation.term_text
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
    term_text = position.notation.term_text
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
        tuple(
            (position.names.text(each.where), each.text)
            for each in doubts
            if not hexes.isdisjoint(hexes_of(each))
        ),
    )


def with_whole_buildings(position: Position, hexes: frozenset[Hex]) -> frozenset[Hex]:
    """These hexes with the whole buildings that they are of: what these are hangs on all their hexes."""
    return hexes.union(*(position.wholes.get(each, ()) for each in hexes))


# --- The words that an answer comes to: one `no` is not another.


class Verdict(StrEnum):
    """What an answer comes to.

    `YES`: it is so, or has a value. `FORBIDDEN`: norms forbid it. `NOT_SO`: nothing on the board makes it
    so, or a norm says that it is not. `UNKNOWN`: what would decide it is missing.
    """

    YES = "yes"
    FORBIDDEN = "forbidden"
    NOT_SO = "not so"
    UNKNOWN = "unknown"


#: What a question is about that names what is not there: no answer, but a mistake.
NOTHING_OF_THE_KIND = "no such thing"


def verdict_for(holds: bool | None, forbidding: Sequence[str] = ()) -> Verdict:
    """The word for what holds, does not hold, or is not known (None); `forbidding` are norms."""
    if holds is None:
        return Verdict.UNKNOWN
    if holds:
        return Verdict.YES
    return Verdict.FORBIDDEN if forbidding else Verdict.NOT_SO
