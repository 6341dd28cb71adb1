"""An account in about a dozen lines: what decides, and of what this rests on the nearest.

Of two points the nearer to the answer is told before the other; what a value is the value of counts as
near, what merely exists as far. What is denied, or told above, stands in the whole account alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from heapq import heappop, heappush
from itertools import count

from rules_asp.answers.accounts import JustificationNode, Relation

#: So many lines of so many letters an account may fill.
LINES, _WIDTH = 13, 92
#: So many more for each further thing that is proved, if these are few.
_MORE, _FEW = 3, 4
#: How far a point is from the one above it.
_FAR = {Relation.VALUE: 0.5, Relation.BECAUSE: 1.0, Relation.BEATEN: 1.25, Relation.OUTBID: 1.5}
#: That something exists, or that the board states it, is farther than what a norm says of it.
_FARTHER = 1.0


def abridge(points: Iterable[JustificationNode]) -> tuple[JustificationNode, ...]:
    """The account with what is nearest; a point of which something is left out is `cut`."""
    points = tuple(points)
    lines = LINES + _MORE * min(len(points) - 1, _FEW)
    kept: set[int] = {id(each) for each in points}
    room = lines - sum(_height(each, 0) for each in points)
    number = count()
    near: list[tuple[float, int, int, JustificationNode]] = []

    def reach(point: JustificationNode, far: float, depth: int) -> None:
        for each in point.because:
            if each.tie is not Relation.ABSENT and not each.again:
                entry = far + _far(each, point), next(number), depth, each
                heappush(near, entry)

    for each in points:
        reach(each, 0.0, 1)
    while near:
        far, _, depth, point = heappop(near)
        height = _height(point, depth)
        if height <= room:
            room -= height
            kept.add(id(point))
            reach(point, far, depth + 1)

    def cut(point: JustificationNode) -> JustificationNode:
        inner = tuple(map(cut, _kept(point, kept)))
        left = (each for each in point.because if id(each) not in kept and not each.again)
        missing = any(each.tie is not Relation.ABSENT for each in left)
        return replace(point, because=inner, cut=missing)

    return tuple(map(cut, points))


def _kept(point: JustificationNode, kept: set[int]) -> Iterator[JustificationNode]:
    return (each for each in point.because if id(each) in kept)


def _far(point: JustificationNode, above: JustificationNode) -> float:
    """How far a point is from the one above it."""
    told = point.norm is not None and (" = " in point.claim or point.tie is not Relation.BECAUSE)
    # A helper of kb/, which only the sense of its norm tells.
    helper = point.norm is not None and not point.sense and above.tie is not Relation.BEATEN
    return _FAR[point.tie] + (0.0 if told else _FARTHER) + (_FARTHER if helper else 0.0)


def _height(point: JustificationNode, depth: int) -> int:
    """How many lines a point fills."""
    letters = len(f"{point.claim}  {point.norm or ''}  {point.sense}")
    return 1 + letters // (_WIDTH - 4 * depth)
