"""Norms that clash: each order of them is supposed, and what rests on the clash is so if it is by all.

The rules find the clash, and what follows from an order; which orders there are is found here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import product
from typing import Protocol, TypeVar

import clingo

#: Two norms, of which the first is supposed to win.
ConflictingPair = tuple[clingo.Symbol, clingo.Symbol]
PriorityOrder = tuple[ConflictingPair, ...]
#: So many pairs of norms are put in order at most. What rests on a clash of more is no more than open.
MAX_ORDERS = 5


class PerPriorityResult(Protocol):
    """An answer, of which the atoms of a predicate can be told."""

    def get(self, name: str, arity: int, /) -> Iterable[tuple[clingo.Symbol, ...]]:
        """The argument tuples of one predicate."""


_Answer = TypeVar("_Answer", bound=PerPriorityResult)


def clashing_pairs(answer: PerPriorityResult) -> frozenset[ConflictingPair]:
    """The pairs of norms that clash in an answer, the smaller first; one that clashes with itself is
    none.
    """
    return frozenset((one, two) for _, one, two in answer.get("conflict", 3) if one != two)


def priority_facts(order: PriorityOrder) -> tuple[clingo.Symbol, ...]:
    """What is supposed of clashing norms, as facts."""
    return tuple(fact for pair in order for fact in _told(*pair))


def _told(first: clingo.Symbol, last: clingo.Symbol) -> Iterator[clingo.Symbol]:
    yield clingo.Function("supposed_first", [first, last])
    clash = clingo.Function("clash", sorted((first, last)))
    yield clingo.Function("supposed", [clash, first])


def solve_each_priority(under: Callable[[PriorityOrder], Sequence[_Answer]]) -> list[_Answer]:
    """The answers under each order of the norms that clash in them; `under` finds those under one.

    Of norms that clash only under some orders of others, each order is taken there.
    """
    found: list[_Answer] = []
    todo: list[PriorityOrder] = [()]
    while todo:
        order = todo.pop(0)
        answers = under(order)
        known = {frozenset(pair) for pair in order}
        clashes = {pair for each in answers for pair in clashing_pairs(each)}
        new = sorted(pair for pair in clashes if frozenset(pair) not in known)
        norms = {norm for pair in (*order, *new) for norm in pair}
        wins = {pair for each in answers for pair in each.get("wins", 2) if norms.issuperset(pair)}
        choices = list(_orders(new[: MAX_ORDERS - len(order)], order, wins))
        if choices:
            todo += choices
        else:
            found += answers
    return found


def _orders(
    pairs: Sequence[ConflictingPair],
    before: PriorityOrder,
    wins: Collection[tuple[clingo.Symbol, ...]],
) -> Iterator[PriorityOrder]:
    """All orders of these pairs, with those that are ordered, that go round in no circle.

    `wins` are the pairs of which the first wins over the second, on whatever they both speak of.
    """
    if not pairs:
        return
    for chosen in product(*((pair, pair[::-1]) for pair in pairs)):
        order = (*before, *chosen)
        if not _goes_round((*order, *wins)):
            yield order


def _goes_round(order: Iterable[tuple[clingo.Symbol, ...]]) -> bool:
    """Whether by these pairs some norm wins over itself."""
    left = set(order)
    while left:
        last = {two for _, two in left}
        kept = {pair for pair in left if pair[0] in last}
        if kept == left:
            return True
        left = kept
    return False
