"""Why an answer is what it is: proofs of what holds, or of what stands against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import clingo

from rules_asp.answers.asking import Asked, answered, proved, together
from rules_asp.answers.prices import priced
from rules_asp.answers.proof import grounds_of
from rules_asp.answers.questions import put
from rules_asp.answers.shortfalls import Lacking, lacking
from rules_asp.answers.sights import Beaten, beaten_in, defeats
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
    # Lines are too many for these to be asked of each.
    beaten = {
        _sees(each): defeats(position, each.a, each.b) for each in _sights(put(position, query))
    }
    told = tuple(_beside(step, beaten) for step in proofs)
    more = grounds_of(position, told).cites
    return Why(
        replace(found, cites=found.cites.besides(more)),
        told,
        tuple(sorted({beaten_in(step) for each in beaten.values() for step in each}, key=str)),
        max(0, len(ways.certain) - MOST_WAYS),
        _lacking(position, query) if found.word is Word.NOT_SO and not proofs else (),
    )


def _lacking(position: Position, query: Query) -> tuple[Lacking, ...]:
    """What the norms lack that could make so what a question asks."""
    return lacking(position, put(position, query), together(position, (query,)).answers)


def _beside(step: Step, beaten: Mapping[str, Sequence[Step]]) -> Step:
    """A step with what is beaten that would have blocked the line which it says is clear."""
    more = beaten.get(step.atom, ())
    return replace(step, beside=(*step.beside, *more)) if more else step


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
