"""The three suites, and which of many like things each takes.

`pytest` is quick: it touches every feature once. `pytest --ci` samples more and includes the quick suite;
`pytest --whole` leaves nothing out. Samples are seeded; RULES_ASP_SEED names another seed.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Sequence
from typing import TypeVar

import pytest

_T = TypeVar("_T")

#: Set by `pytest --ci` and `pytest --whole`, so that the processes of a run and parameters of tests see it.
SUITE = "RULES_ASP_SUITE"
#: Of so many at most this share is taken.
_SHARES = {"quick": 1 / 12, "ci": 1 / 3}

#: What only `--ci` and `--whole` run.
slow = pytest.mark.slow


def suite() -> str:
    """The suite that runs: quick, ci or whole."""
    return os.environ.get(SUITE, "quick")


def whole() -> bool:
    """Whether nothing is left out."""
    return suite() == "whole"


def some(things: Sequence[_T], most: int, whole_most: int | None = None, of: str = "") -> list[_T]:
    """A share of so many of these at most, in their order.

    In a whole run it is all of them, or at most `whole_most`. `of` names what they are taken of, so that of
    each it is others. The sample of the quick suite is part of that of `--ci`.
    """
    if whole():
        return _sample(things, len(things) if whole_most is None else whole_most, of)
    return _sample(things, math.ceil(most * _SHARES[suite()]), of)


def part(things: Sequence[_T], quick: int) -> list[_T]:
    """All of these in `--ci`, so many in the quick suite."""
    return _sample(things, quick if suite() == "quick" else len(things), "")


def _sample(things: Sequence[_T], count: int, of: str) -> list[_T]:
    if len(things) <= count:
        return list(things)
    seed = os.environ.get("RULES_ASP_SEED", "1")
    order = random.Random(f"{seed} {of}{len(things)}").sample(range(len(things)), len(things))
    return [things[place] for place in sorted(order[:count])]


def tries(most: int) -> int:
    """How many examples hypothesis tries: so many, a fifth in the quick suite, ten times in a whole run."""
    return {"quick": math.ceil(most / 5), "ci": most, "whole": 10 * most}[suite()]
