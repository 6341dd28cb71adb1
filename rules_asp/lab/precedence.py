"""`lab precedence`: the stated ranks of norms, and their chains on each kind of question."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from rich.console import Console
from rich.text import Text

from rules_asp.knowledge.catalogue import catalogue
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.rules import Functor, Norm, Rule
from rules_asp.lab.generator import DecisiveNorms, Generator

# --- The precedence that the rules state, and its source: the text, an interpretation, a ruling.


@dataclass(frozen=True, order=True)
class Rank:
    """A rank: one norm takes precedence over another.

    how: `overrides`, `lifts`, `amends` (its section does) or `yields` (the other permits what it
    forbids). by: the ruling that states it, or the norm whose tag it is under. choice: it is a
    ruling or an interpretation of ours, not stated by the text.
    """

    winner: str
    loser: str
    how: str
    by: str
    choice: bool = False

    def __str__(self) -> str:
        """Return it in words: `B23.741-1 overrides B23.25-5 by ruling R-T18`."""
        told = f"{self.winner} {_VERBS[self.how]} {self.loser}"
        if self.by.startswith("R-"):
            return f"{told} by ruling {self.by}"
        return f"{told}, a reading ({self.by})" if self.choice else told

    @property
    def record(self) -> dict[str, object]:
        """Return it as JSON."""
        return asdict(self)


_VERBS = {
    "overrides": "overrides",
    "lifts": "lifts",
    "amends": "is of a section that takes precedence",
    "yields": "forbids what is allowed by",
}


@dataclass(frozen=True)
class Ranks:
    """All ranks of a knowledge base, and its norms by id."""

    ranks: tuple[Rank, ...]
    norms: Mapping[str, Norm]

    def path(self, winner: str, loser: str, without: Collection[str] = ()) -> tuple[Rank, ...]:
        """Return the shortest path of ranks from one norm to another, or an empty one.

        Overriding is transitive, but suspending (lifts) is not. A path of ranks from the text is
        preferred to a shorter one with our choices.
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
        def below(norm: str) -> Iterator[Rank]:
            for each in self._below.get(norm, ()):
                if each.by not in without and (choices or not each.choice):
                    yield each

        rows: deque[tuple[Rank, ...]] = deque((each,) for each in below(winner))
        seen = {winner}
        while rows:
            row = rows.popleft()
            last = row[-1].loser
            if last == loser:
                return row
            if last not in seen:
                seen.add(last)
                rows.extend((*row, each) for each in below(last))
        return ()

    def with_superiors(self, norms: Iterable[str]) -> frozenset[str]:
        """Return these norms and their superiors: norms that can defeat a norm of the result."""
        found = set(norms)
        todo = list(found)
        while todo:
            new = self._superiors.get(todo.pop(), set()) - found
            found |= new
            todo += new
        return frozenset(found)

    @cached_property
    def _superiors(self) -> Mapping[str, set[str]]:
        found: dict[str, set[str]] = {}
        for each in self.ranks:
            found.setdefault(each.loser, set()).add(each.winner)
        return found

    @cached_property
    def _below(self) -> Mapping[str, Sequence[Rank]]:
        """The ranks of each winner that are transitive."""
        found: dict[str, list[Rank]] = {}
        for each in self.ranks:
            if each.how != "lifts":
                found.setdefault(each.winner, []).append(each)
        return found


def decisive_norms(lab: Generator, about: Mapping[Functor, Iterable[str]]) -> DecisiveNorms:
    """Return these norms with their superiors, by kind of topic.

    Only their assertions decide which of these norms are defeated.
    """
    ranks = ranks_of(lab.program)
    return {kind: ranks.with_superiors(norms) for kind, norms in about.items()}


def ranks_of(program: Program) -> Ranks:
    """Return the ranks of a knowledge base."""
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
    """Yield each stated pair, with the norm whose tag it is under."""
    for rule in rules:
        name = rule.head.name if rule.head else ""
        if name in ("overrides", "lifts") and len(rule.ids) > 1 and rule.norm:
            yield (name, rule.ids[0], rule.ids[1]), rule.norm


# --- The precedence graph by kind of question.


@dataclass(frozen=True)
class Chain:
    """The precedence on one kind of question.

    ranks: pairs of norms on this kind, one above the other, without those that follow by
    transitivity. rows: the same as rows of norms, the winner first. circle: norms in a cycle, which
    have no order.
    """

    topic: str
    ranks: tuple[Rank, ...]
    rows: tuple[tuple[str, ...], ...]
    circle: tuple[str, ...]

    def rank(self, winner: str, loser: str) -> Rank:
        """Return the rank between two neighbors of a row, one of the text before one of ours."""
        found = [each for each in self.ranks if (each.winner, each.loser) == (winner, loser)]
        return min(found, key=lambda each: each.choice)


def chains(
    ranks: Ranks, bearing: Mapping[str, Collection[str]], of: Collection[str]
) -> list[Chain]:
    """Return the chains through these norms, by kind of question; `bearing`: the norms on each
    kind.

    A chain has all norms above or below one of these, directly or transitively. Ranks by `yields`
    are left out.
    """
    found = []
    edges = [each for each in ranks.ranks if each.how != "yields"]
    for topic, norms in sorted(bearing.items()):
        here = [each for each in edges if each.winner in norms and each.loser in norms]
        chain = _chain(topic, here, of)
        if chain.rows or set(chain.circle) & set(of):
            found.append(chain)
    return found


def _chain(topic: str, here: Iterable[Rank], of: Collection[str]) -> Chain:
    here = sorted(here)
    below = _edges(here)
    printed = _edges(each for each in here if not each.choice)
    reached = {norm: _under(norm, below) for norm in below}
    circle = sorted(norm for norm, others in reached.items() if norm in others)
    near: dict[str, list[str]] = {}
    for winner, losers in below.items():
        for loser in losers if winner not in circle else ():
            # A rank of the text does not follow from our choices.
            by = printed if loser in printed.get(winner, ()) else below
            others = (each for each in by[winner] if each != loser)
            if not any(loser in _under(each, by) for each in others):
                near.setdefault(winner, []).append(loser)
    above = {*of, *(norm for norm, others in reached.items() if not others.isdisjoint(of))}
    under = {*of}.union(*(reached.get(norm, ()) for norm in of))
    near = {
        winner: kept
        for winner, losers in near.items()
        if (kept := [e for e in losers if winner in under or e in above])
    }
    rows = _rows(near)
    told = {pair for row in rows for pair in pairwise(row)}
    return Chain(
        topic,
        tuple(each for each in sorted(here) if (each.winner, each.loser) in told),
        tuple(rows),
        tuple(circle),
    )


def _edges(ranks: Iterable[Rank]) -> dict[str, dict[str, None]]:
    below: dict[str, dict[str, None]] = {}
    for each in ranks:
        below.setdefault(each.winner, {})[each.loser] = None
    return below


def _under(norm: str, below: Mapping[str, Iterable[str]]) -> set[str]:
    """Return all norms below a norm, directly or transitively."""
    found: set[str] = set()
    todo = list(below.get(norm, ()))
    while todo:
        each = todo.pop()
        if each not in found:
            found.add(each)
            todo += below.get(each, ())
    return found


def _rows(near: Mapping[str, list[str]]) -> list[tuple[str, ...]]:
    """Return few rows from first to last that cover each pair of neighbors."""
    losers = {each for found in near.values() for each in found}
    left = {(one, other) for one, found in near.items() for other in found}
    rows = []
    for first in sorted(near, key=lambda norm: (norm in losers, norm)):
        while any(one == first for one, _ in left):
            row = [first]
            while near.get(row[-1]):
                steps = near[row[-1]]
                row.append(next((each for each in steps if (row[-1], each) in left), steps[0]))
            left -= set(pairwise(row))
            rows.append(tuple(row))
    return rows


def chain_text(out: Console, found: Iterable[Chain], norms: Mapping[str, Norm]) -> None:
    """Print the chains: rows by kind of question, then each ruling and interpretation that ranks."""
    found = list(found)
    out.print(
        "a > b: a takes precedence over b by the text; a >* b: by our interpretation or ruling",
        style="dim",
    )
    for chain in found:
        out.print(Text(chain.topic, "bold"))
        for row in chain.rows:
            out.print(Text(f"  {_row(chain, row)}"))
        if chain.circle:
            out.print(Text(f"  go before each other: {', '.join(chain.circle)}", "bold red"))
    choices = dict.fromkeys(each for chain in found for each in chain.ranks if each.choice)
    if choices:
        out.print()
        out.print(Text("readings and rulings that rank them", "bold"))
    for each in choices:
        out.print(Text(f"  {each}"))
        if each.by in norms and norms[each.by].other_reading:
            out.print(Text(f"    or: {norms[each.by].other_reading}", "dim"))
    ranks = {each for chain in found for each in chain.ranks}
    out.print()
    out.print(f"{len(found)} kinds of questions, {len(ranks)} ranks, {len(choices)} by choice")


def _row(chain: Chain, row: tuple[str, ...]) -> str:
    parts = [row[0]]
    for pair in pairwise(row):
        parts += [">*" if chain.rank(*pair).choice else ">", pair[1]]
    return " ".join(parts)


def dot(found: Iterable[Chain]) -> str:
    """Return the chains as a graph for Graphviz; our choices are dashed."""
    return "\n".join(["digraph chains {", "  rankdir=TB;", *_arrows(found), "}"])


def _arrows(found: Iterable[Chain]) -> Iterator[str]:
    for each in dict.fromkeys(rank for chain in found for rank in chain.ranks):
        style = ", style=dashed" if each.choice else ""
        label = each.by if each.choice else each.how
        yield f'  "{each.winner}" -> "{each.loser}" [label="{label}"{style}];'


def record(found: Iterable[Chain]) -> list[dict[str, Any]]:
    """Return the chains as JSON."""
    return [
        {
            "topic": each.topic,
            "rows": [list(row) for row in each.rows],
            "circle": list(each.circle),
            "ranks": [rank.record for rank in each.ranks],
        }
        for each in found
    ]
