"""The words that an answer comes to: one `no` is not another.

Asked about what is no such thing (a hex off the board, a word that nobody knows), there is no answer: that
is a mistake, and is raised as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class Verdict(StrEnum):
    """What an answer comes to.

    `YES`: it is so, or has a value. `FORBIDDEN`: norms forbid it. `NOT_SO`: nothing on the board makes it
    so, or a norm says that it is not. `UNKNOWN`: what would decide it is missing.
    """

    YES = "yes"
    FORBIDDEN = "forbidden"
    NOT_SO = "not so"
    UNKNOWN = "unknown"


#: What a question is about that names what is not there: no answer, but a mistake.
NOTHING_OF_THE_KIND = "no such thing"


def verdict_for(holds: bool | None, forbidding: Sequence[str] = ()) -> Verdict:
    """The word for what holds, does not hold, or is not known (None); `forbidding` are norms."""
    if holds is None:
        return Verdict.UNKNOWN
    if holds:
        return Verdict.YES
    return Verdict.FORBIDDEN if forbidding else Verdict.NOT_SO
