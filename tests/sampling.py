"""Which of many like things a run of the tests takes: a seeded sample, or with `pytest --whole` all of
them.

RULES_ASP_SEED names another seed.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")

#: Set by `pytest --whole`.
WHOLE = "RULES_ASP_WHOLE"
#: Of so many at most this share is taken, since all tests together are to take a few minutes.
_SHARE = 1 / 3


def whole() -> bool:
    """Whether nothing is left out."""
    return bool(os.environ.get(WHOLE))


def some(things: Sequence[_T], most: int, whole_most: int | None = None, of: str = "") -> list[_T]:
    """A third of so many of these, at most, in their order.

    In a whole run it is all of them, or at most `whole_most`. `of` names what they are taken of, so that of
    each it is others.
    """
    few = math.ceil(most * _SHARE)
    count = (len(things) if whole_most is None else whole_most) if whole() else few
    if len(things) <= count:
        return list(things)
    seed = os.environ.get("RULES_ASP_SEED", "1")
    chosen = sorted(random.Random(f"{seed} {of}{len(things)}").sample(range(len(things)), count))
    return [things[place] for place in chosen]


def tries(most: int) -> int:
    """How many examples hypothesis tries: so many, or with `--whole` ten times as many."""
    return 10 * most if whole() else most
