"""Why an answer is what it is: proofs of what holds, or of what stands against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import clingo

from rules_asp.answers.asking import Asked, answer_from_sets, ask_together, ask_with_proofs
from rules_asp.answers.prices import with_forbidden_deeds
from rules_asp.answers.proof import provenance_of
from rules_asp.answers.questions import resolve_and_check
from rules_asp.answers.shortfalls import MissingCondition, missing_conditions
from rules_asp.answers.sights import LosDefeat, beaten_in, defeats
from rules_asp.answers.steps import ProofStep
from rules_asp.answers.words import Verdict
from rules_asp.positions.belonging import Answer
from rules_asp.positions.prepared import Position
from rules_asp.terms.query import Argument, LosTerm, Query, QueryComparison

#: So many ways in which a question holds are proved.
MOST_WAYS = 3


@dataclass(frozen=True)
class Why(Answer):
    """An answer with its proofs.

    `beaten` are norms that would have blocked a sight that is asked about. `left_out` counts the
    ways in which the question holds that are not proved here. Of what nothing makes so,
    `missing_conditions` is what the norms lack that could.
    """

    asked: Asked
    proofs: tuple[ProofStep, ...]
    beaten: tuple[LosDefeat, ...] = ()
    left_out: int = 0
    lacking: tuple[MissingCondition, ...] = ()


def why(position: Position, query: Query) -> Why:
    """Answer a question, and prove the answer as far as something can be proved about it."""
    ways, proofs = ask_with_proofs(position, query, MOST_WAYS)
    found = with_forbidden_deeds(position, query, answer_from_sets(position, query, ways, proofs))
    # Lines are too many for these to be asked of each.
    beaten = {
        _sees(each): defeats(position, each.a, each.b)
        for each in _sights(resolve_and_check(position, query))
    }
    told = tuple(_beside(step, beaten) for step in proofs)
    more = provenance_of(position, told).cites
    return Why(
        replace(found, cites=found.cites.union(more)),
        told,
        tuple(sorted({beaten_in(step) for each in beaten.values() for step in each}, key=str)),
        max(0, len(ways.certain) - MOST_WAYS),
        _lacking(position, query) if found.word is Verdict.NOT_SO and not proofs else (),
    )


def _lacking(position: Position, query: Query) -> tuple[MissingCondition, ...]:
    """What the norms lack that could make so what a question asks."""
    return missing_conditions(
        position, resolve_and_check(position, query), ask_together(position, (query,)).answers
    )


def _beside(step: ProofStep, beaten: Mapping[str, Sequence[ProofStep]]) -> ProofStep:
    """A step with what is beaten that would have blocked the line which it says is clear."""
    more = beaten.get(step.atom, ())
    return replace(step, defeats=(*step.defeats, *more)) if more else step


def _sights(query: Query) -> Iterator[LosTerm]:
    """The lines of which it is asked whether they are clear."""
    for literal in query.literals:
        if isinstance(literal, QueryComparison) or literal.name != "sees":
            continue
        for argument in literal.args:
            if isinstance(argument.value, LosTerm):
                yield argument.value


def _sees(sight: LosTerm) -> str:
    return str(clingo.parse_term(f"sees({Argument(sight, 'sight').term})"))
