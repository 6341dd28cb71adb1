"""The least of what there is with which something is still so: large shares are left out first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

_T = TypeVar("_T")


def ddmin(
    things: Sequence[_T], holds: Callable[[Sequence[_T]], bool], over: Callable[[], bool]
) -> tuple[tuple[_T, ...], bool]:
    """What is left of some things when nothing of it can be spared, and whether it came to that.

    `holds` tells whether some of them do; all of them must. Halves are left out first, then quarters, down
    to each alone (Zeller's delta debugging), the first things first; until it is `over`.
    """
    left, size = tuple(things), max(1, -(-len(things) // 2))
    while left:
        spared = False
        start = 0
        while start < len(left):
            if over():
                return left, False
            rest = (*left[:start], *left[start + size :])
            if holds(rest):
                left, spared = rest, True
            else:
                start += size
        if size > 1:
            size = -(-min(size, len(left)) // 2)
        elif not spared:
            break
    return left, True
