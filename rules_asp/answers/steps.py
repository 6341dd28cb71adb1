"""The steps of a proof: an atom of an answer, the rule that it follows by, and what this rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256

from rules_asp.terms.lexicon import vocabulary


class Origin(StrEnum):
    """Where an atom comes from."""

    RULE = "rule"
    #: The board states it, or what every board has.
    BOARD = "board"
    #: It was measured on the drawings, or is what is asked.
    QUESTION = "question"
    #: The board leaves it open, and in this case it is so.
    SUPPOSED = "supposed"


@dataclass(frozen=True)
class Step:
    """An atom of a proof: the rule it follows by (None: a fact) and what that rests on.

    `because` are the atoms that the rule reads, in its order, and `absent` those that it denies;
    `counted` is what an aggregate of the rule ranges over. `beside` is no part of the rule: what is
    beaten that would have it otherwise, what keeps a norm silent that would, what a deed required;
    nor is `aside`, on which the answer does not rest: the offers that are less than this one, and why
    that is unknown which this hangs on.
    `at` is the file of kb/ and the line of the rule: `b23/b23_3.lp:17`.
    """

    atom: str
    norm: str | None
    because: tuple[Step, ...] = ()
    absent: tuple[str, ...] = ()
    given: bool = False
    counted: tuple[Step, ...] = ()
    beside: tuple[Step, ...] = ()
    at: str | None = None
    aside: tuple[Step, ...] = ()

    @property
    def id(self) -> str:
        """The same for the same atom, in whatever proof it stands."""
        return f"s{sha256(self.atom.encode()).hexdigest()[:10]}"

    @property
    def origin(self) -> Origin:
        """Where it comes from."""
        if not self.given:
            return Origin.RULE
        name = self.atom.partition("(")[0]
        if name == "supposed":
            return Origin.SUPPOSED
        return Origin.QUESTION if name in vocabulary().derived else Origin.BOARD

    @property
    def below(self) -> tuple[Step, ...]:
        """All that it rests on, and what is told beside that."""
        return (*self.because, *self.counted, *self.beside)

    def walk(self) -> Iterator[Step]:
        """This step and all below it."""
        yield self
        for step in self.below:
            yield from step.walk()


def once(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps of proofs, the nearest to the goals first, each once."""
    level = list(steps)
    seen: set[str] = set()
    while level:
        below: list[Step] = []
        for step in level:
            if step.atom not in seen:
                seen.add(step.atom)
                yield step
                below += step.below
        level = below


def norms_of(steps: Iterable[Step]) -> list[str]:
    """The ids of the norms that a proof uses, the nearest to the goal first, each once."""
    return list(dict.fromkeys(step.norm for step in once(steps) if step.norm))


def whole(steps: Iterable[Step]) -> list[Step]:
    """Each step of some proofs once, with all that is told beside it in any of them.

    What beats a norm may rest on what it is told beside, and is not told there again.
    """
    found: dict[str, Step] = {}
    told: set[tuple[str, tuple[str, ...]]] = set()
    todo = list(steps)[::-1]
    while todo:
        step = todo.pop()
        key = step.atom, tuple(each.atom for each in step.beside)
        if key in told:
            continue
        told.add(key)
        if (known := found.get(step.atom)) is not None:
            beside = {each.atom: each for each in (*known.beside, *step.beside)}
            found[step.atom] = replace(known, beside=tuple(beside.values()))
        else:
            found[step.atom] = step
        todo += (*step.aside[::-1], *step.below[::-1])
    return list(found.values())
