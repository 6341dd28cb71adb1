"""Which of many like things a run of the tests takes: a seeded sample, or with `pytest --whole` all of them.

RULES_ASP_SEED names another seed.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")

#: Set by `pytest --whole`.
WHOLE = "RULES_ASP_WHOLE"


def whole() -> bool:
    """Whether nothing is left out."""
    return bool(os.environ.get(WHOLE))


def some(things: Sequence[_T], most: int) -> list[_T]:
    """At most so many of these, in their order."""
    if whole() or len(things) <= most:
        return list(things)
    seed = os.environ.get("RULES_ASP_SEED", "1")
    chosen = sorted(random.Random(f"{seed} {len(things)}").sample(range(len(things)), most))
    return [things[place] for place in chosen]


def tries(most: int) -> int:
    """How many examples hypothesis tries: so many, or with `--whole` ten times as many."""
    return 10 * most if whole() else most
