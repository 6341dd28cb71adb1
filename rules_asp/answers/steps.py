"""The steps of a proof: an atom of an answer, the rule that it follows by, and what this rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256

from rules_asp.terms.lexicon import vocabulary


class StepOrigin(StrEnum):
    """Where an atom comes from."""

    RULE = "rule"
    #: The board states it, or what every board has.
    BOARD = "board"
    #: It was measured on the drawings, or is what is asked.
    QUESTION = "question"
    #: The board leaves it open, and in this case it is so.
    SUPPOSED = "supposed"


@dataclass(frozen=True)
class ProofStep:
    """An atom of a proof: the rule it follows by (None: a fact) and what that rests on.

    `premises` are the atoms that the rule reads, in its order, and `negative_premises` those that it
    denies; `aggregate_premises` is what an aggregate of the rule ranges over. `defeats` is no part of
    the rule: what is beaten that would have it otherwise, what keeps a norm silent that would, what a
    deed required; nor is `notes`, on which the answer does not rest: the offers that are less than
    this one, and why that is unknown which this hangs on.
    `at` is the file of kb/ and the line of the rule: `b23/b23_3.lp:17`.
    """

    atom: str
    norm: str | None
    premises: tuple[ProofStep, ...] = ()
    negative_premises: tuple[str, ...] = ()
    given: bool = False
    aggregate_premises: tuple[ProofStep, ...] = ()
    defeats: tuple[ProofStep, ...] = ()
    at: str | None = None
    notes: tuple[ProofStep, ...] = ()

    @property
    def id(self) -> str:
        """The same for the same atom, in whatever proof it stands."""
        return f"s{sha256(self.atom.encode()).hexdigest()[:10]}"

    @property
    def origin(self) -> StepOrigin:
        """Where it comes from."""
        if not self.given:
            return StepOrigin.RULE
        name = self.atom.partition("(")[0]
        if name == "supposed":
            return StepOrigin.SUPPOSED
        return StepOrigin.QUESTION if name in vocabulary().derived else StepOrigin.BOARD

    @property
    def below(self) -> tuple[ProofStep, ...]:
        """All that it rests on, and what is told beside that."""
        return (*self.premises, *self.aggregate_premises, *self.defeats)

    def walk(self) -> Iterator[ProofStep]:
        """This step and all below it."""
        yield self
        for step in self.below:
            yield from step.walk()


def unique_steps(steps: Iterable[ProofStep]) -> Iterator[ProofStep]:
    """The steps of proofs, the nearest to the goals first, each once."""
    level = list(steps)
    seen: set[str] = set()
    while level:
        below: list[ProofStep] = []
        for step in level:
            if step.atom not in seen:
                seen.add(step.atom)
                yield step
                below += step.below
        level = below


def norms_in(steps: Iterable[ProofStep]) -> list[str]:
    """The ids of the norms that a proof uses, the nearest to the goal first, each once."""
    return list(dict.fromkeys(step.norm for step in unique_steps(steps) if step.norm))


def merged_steps(steps: Iterable[ProofStep]) -> list[ProofStep]:
    """Each step of some proofs once, with all that is told beside it in any of them.

    What beats a norm may rest on what it is told beside, and is not told there again.
    """
    found: dict[str, ProofStep] = {}
    told: set[tuple[str, tuple[str, ...]]] = set()
    todo = list(steps)[::-1]
    while todo:
        step = todo.pop()
        key = step.atom, tuple(each.atom for each in step.defeats)
        if key in told:
            continue
        told.add(key)
        if (known := found.get(step.atom)) is not None:
            beside = {each.atom: each for each in (*known.defeats, *step.defeats)}
            found[step.atom] = replace(known, defeats=tuple(beside.values()))
        else:
            found[step.atom] = step
        todo += (*step.notes[::-1], *step.below[::-1])
    return list(found.values())
