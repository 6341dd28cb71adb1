"""Why an answer is what it is: proofs of what holds, or of what stands against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import clingo

from rules_asp.answers.asking import Asked, answered, proved, together
from rules_asp.answers.prices import priced
from rules_asp.answers.proof import grounds_of
from rules_asp.answers.questions import put
from rules_asp.answers.shortfalls import Lacking, lacking
from rules_asp.answers.sights import Beaten, defeats, los
from rules_asp.answers.steps import Step
from rules_asp.answers.words import Word
from rules_asp.positions.belonging import OfPosition
from rules_asp.positions.prepared import Position
from rules_asp.terms.query import Argument, Comparison, Query, Sightline

#: So many ways in which a question holds are proved.
MOST_WAYS = 3


@dataclass(frozen=True)
class Why(OfPosition):
    """An answer with its proofs.

    `beaten` are norms that would have blocked a sight that is asked about. `left_out` counts the
    ways in which the question holds that are not proved here. Of what nothing makes so, `lacking` is what
    the norms lack that could.
    """

    asked: Asked
    proofs: tuple[Step, ...]
    beaten: tuple[Beaten, ...] = ()
    left_out: int = 0
    lacking: tuple[Lacking, ...] = ()


def why(position: Position, query: Query) -> Why:
    """Answer a question, and prove the answer as far as something can be proved about it."""
    ways, proofs = proved(position, query, MOST_WAYS)
    found = priced(position, query, answered(position, query, ways, proofs))
    told = tuple(_with_defeats(position, put(position, query), proofs))
    more = grounds_of(position, told).cites
    return Why(
        replace(found, cites=found.cites.besides(more)),
        told,
        tuple(_beaten(position, query)),
        max(0, len(ways.certain) - MOST_WAYS),
        _lacking(position, query) if found.word is Word.NOT_SO and not proofs else (),
    )


def _lacking(position: Position, query: Query) -> tuple[Lacking, ...]:
    """What the norms lack that could make so what a question asks."""
    return lacking(position, put(position, query), together(position, (query,)).answers)


def _beaten(position: Position, query: Query) -> Iterator[Beaten]:
    for sight in _sights(query):
        yield from los(position, sight.a, sight.b, close=False, cite=False).beaten


def _with_defeats(position: Position, query: Query, proofs: Iterable[Step]) -> Iterator[Step]:
    """The proofs, beside each that a line is clear what is beaten that would have blocked it.

    Lines are too many for this to be asked of each.
    """
    beaten = {_sees(sight): sight for sight in _sights(query)}
    for step in proofs:
        sight = beaten.get(step.atom)
        more = defeats(position, sight.a, sight.b) if sight is not None else []
        yield replace(step, beside=(*step.beside, *more)) if more else step


def _sights(query: Query) -> Iterator[Sightline]:
    """The lines of which it is asked whether they are clear."""
    for literal in query.literals:
        if isinstance(literal, Comparison) or literal.name != "sees":
            continue
        for argument in literal.args:
            if isinstance(argument.value, Sightline):
                yield argument.value


def _sees(sight: Sightline) -> str:
    return str(clingo.parse_term(f"sees({Argument(sight, 'sight').term})"))
