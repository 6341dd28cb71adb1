"""Who goes before whom by the rules themselves, and by what: a word of the text, a reading, a ruling."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from rules_asp.knowledge.book import catalogue
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.source import Rule
from rules_asp.knowledge.tags import Norm

_PAIR = re.compile(r'(?:overrides|lifts)\("([^"]+)","([^"]+)"')


@dataclass(frozen=True, order=True)
class Rank:
    """One norm goes before another.

    how: `overrides`, `lifts`, `amends` (its section does) or `yields` (the other lets what it forbids).
    by: the ruling that says so, or the norm under whose tag it stands. choice: the text does not say so;
    it is a ruling or a reading of ours.
    """

    winner: str
    loser: str
    how: str
    by: str
    choice: bool = False

    def __str__(self) -> str:
        """As people read it: `B23.741-1 overrides B23.25-5 by ruling R-T18`."""
        told = f"{self.winner} {_VERBS[self.how]} {self.loser}"
        if self.by.startswith("R-"):
            return f"{told} by ruling {self.by}"
        return f"{told}, a reading ({self.by})" if self.choice else told

    @property
    def record(self) -> dict[str, object]:
        """It as JSON."""
        return asdict(self)


_VERBS = {
    "overrides": "overrides",
    "lifts": "lifts",
    "amends": "is of a section that goes before",
    "yields": "forbids what is let by",
}


@dataclass(frozen=True)
class Ranks:
    """All that goes before something else, with the norms by id."""

    ranks: tuple[Rank, ...]
    norms: Mapping[str, Norm]

    def path(self, winner: str, loser: str, without: Collection[str] = ()) -> tuple[Rank, ...]:
        """The shortest row of ranks from one norm to another; none, if it does not go before it.

        Replacing goes on from norm to norm, lifting does not: a lift stands alone. A row of which the
        text says each step goes before a shorter one that we chose.
        """
        lifted = [
            each
            for each in self.ranks
            if (each.winner, each.loser, each.how) == (winner, loser, "lifts")
        ]
        if lifted:
            return (min(lifted, key=lambda each: each.choice),)
        for choices in (False, True):
            found = self._row(winner, loser, without, choices)
            if found:
                return found
        return ()

    def _row(
        self, winner: str, loser: str, without: Collection[str], choices: bool
    ) -> tuple[Rank, ...]:
        below: dict[str, list[Rank]] = {}
        for each in self.ranks:
            if each.how != "lifts" and each.by not in without and (choices or not each.choice):
                below.setdefault(each.winner, []).append(each)
        rows: deque[tuple[Rank, ...]] = deque((each,) for each in below.get(winner, ()))
        seen = {winner}
        while rows:
            row = rows.popleft()
            last = row[-1].loser
            if last == loser:
                return row
            if last not in seen:
                seen.add(last)
                rows.extend((*row, each) for each in below.get(last, ()))
        return ()


def ranks_of(program: Program) -> Ranks:
    """Who goes before whom in a knowledge base."""
    norms = program.norms
    under = dict(_standing(program.source.rules))
    found: dict[Rank, None] = {}
    for each in catalogue(program.source).precedences:
        pair = (each.winner, each.loser)
        by = each.ruling or under.get((each.how, *pair), each.winner)
        choice = by in norms and norms[by].reading
        found[Rank(*pair, each.how, by, choice)] = None
    return Ranks(tuple(found), norms)


def _standing(rules: Iterable[Rule]) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Each pair that is told, with the norm under whose tag it stands."""
    for rule in rules:
        pair = _PAIR.match(rule.text)
        if pair and rule.norm:
            yield (rule.text.partition("(")[0], pair[1], pair[2]), rule.norm
