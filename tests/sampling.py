"""The three suites, and the sample that each takes of many similar things.

`pytest` runs the quick suite, which touches every feature once. `pytest --ci` takes larger samples, and the
tests that are marked `slow`. `pytest --whole` leaves nothing out. Each sample contains that of the smaller
suite. Samples are seeded; RULES_ASP_SEED names another seed.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import pytest

_T = TypeVar("_T")

#: `pytest --ci` and `pytest --whole` set this variable for the processes of a run.
SUITE = "RULES_ASP_SUITE"
#: The share of the named maximum that a suite takes.
_SHARES = {"quick": 1 / 12, "ci": 1 / 6}
#: The number of tried examples as a multiple of the named one.
_TRIES = {"quick": 1 / 10, "ci": 1 / 3, "whole": 10}

#: Marks a test that only `--ci` and `--whole` run: another test of the quick suite touches its feature.
slow = pytest.mark.slow


def suite() -> str:
    """Return the suite that runs: quick, ci or whole."""
    return os.environ.get(SUITE, "quick")


def whole() -> bool:
    """Test whether the run leaves nothing out."""
    return suite() == "whole"


def some(things: Sequence[_T], most: int, whole_most: int | None = None, of: str = "") -> list[_T]:
    """Return a sample in the order of the things: a share of `most`.

    A whole run takes all of them, or at most `whole_most`. Each `of` gets a sample of its own.
    """
    if whole():
        return _sample(things, len(things) if whole_most is None else whole_most, of)
    return _sample(things, math.ceil(most * _SHARES[suite()]), of)


def part(every: Iterable[_T], quick: int) -> list[_T]:
    """Return all things in `--ci`, and a sample of `quick` of them in the quick suite."""
    things = list(every)
    return _sample(things, quick if suite() == "quick" else len(things), "")


def one_of_each(things: Sequence[_T], group: Callable[[_T], object]) -> list[_T]:
    """Return all things in `--ci`, and one of each group in the quick suite, in their order."""
    if suite() != "quick":
        return list(things)
    groups: dict[object, list[_T]] = {}
    for each in things:
        groups.setdefault(group(each), []).append(each)
    return [each for name, alike in groups.items() for each in _sample(alike, 1, str(name))]


def _sample(things: Sequence[_T], count: int, of: str) -> list[_T]:
    if len(things) <= count:
        return list(things)
    seed = os.environ.get("RULES_ASP_SEED", "1")
    order = random.Random(f"{seed} {of}{len(things)}").sample(range(len(things)), len(things))
    return [things[place] for place in sorted(order[:count])]


def tries(most: int) -> int:
    """Return the number of examples that a law tries: a share of `most`, or ten times as many."""
    return math.ceil(most * _TRIES[suite()])
