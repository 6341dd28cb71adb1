"""The facts of many lines, by the lines that they are of."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

from rules_asp.terms.grid import Spot

#: The weight of a fact that is no meeting: it is always told.
ALWAYS = 1 << 30

#: The number of a line, how much a fact of it weighs, since what concerns higher lines weighs more, and the
#: fact: a plain tuple, as there are a hundred thousand of them.
LineFact = tuple[int, int, str]


@dataclass(frozen=True)
class LineFacts:
    """The facts of many lines, which are numbered in the order of `lines`.

    `requested` are the facts line(A,B,R), which mostly tell no more than what was asked: `facts` and
    `text` hold them all, `entries` those of lines that end where this matters.
    """

    lines: tuple[tuple[Spot, Spot], ...]
    requested: tuple[str, ...]
    entries: tuple[LineFact, ...]

    @property
    def facts(self) -> tuple[str, ...]:
        """All facts."""
        return tuple(dict.fromkeys((*self.requested, *(fact for _, _, fact in self.entries))))

    @property
    def text(self) -> str:
        """All facts, one a row."""
        return "\n".join(self.facts)

    @cached_property
    def _by_weight(self) -> list[LineFact]:
        # Beside one another they may stand in any order, as they were found.
        return sorted(self.entries, key=itemgetter(1, 2), reverse=True)

    def of(self, numbers: Collection[int]) -> list[str]:
        """The facts of some of the lines."""
        return [fact for line, _, fact in self.entries if line in numbers]

    def weightiest(self, count: int, numbers: Collection[int]) -> list[str]:
        """The facts of some lines, but of what each of them meets only the `count` weightiest.

        Of what weighs the same it is always the same.
        """
        facts = []
        taken: dict[int, int] = {}
        for line, weight, fact in self._by_weight:
            if line not in numbers:
                continue
            if weight != ALWAYS:
                number = taken.get(line, 0)
                if number == count:
                    continue
                taken[line] = number + 1
            facts.append(fact)
        return facts
