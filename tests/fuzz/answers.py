"""Answers: lines of sight are mutual, `ask` agrees with `los`, a mirrored board gives the same answers,
and proofs are valid.
"""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from rules_asp import api
from rules_asp.game.board import Expect, ExpectedLos, Shot
from rules_asp.game.values import to_board_text
from tests.fuzz.bench import hold, mangled, refusing
from tests.fuzz.texts import asked, words
from tests.positions import CHANGES, boards, moved_location, program
from tests.proof_checker import rules_of
from tests.proofs import proofs_of

_T = TypeVar("_T")
#: A question of so many seconds, or of so much memory in MB, is ended.
LIMITS = api.Limits(seconds=20, memory=1000)


def drawn(dice: random.Random, strategy: st.SearchStrategy[_T]) -> _T:
    """Something of a strategy of the tests, by these dice."""
    found: list[_T] = []
    checks = list(HealthCheck)
    few = settings(
        max_examples=4,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=checks,
    )

    @seed(dice.randrange(1 << 32))
    @few
    @given(strategy)
    def draw(one: _T) -> None:
        found.append(one)

    draw()
    return found[-1]


def sights(dice: random.Random) -> str:
    """Some sights of a small board, from both ends, asked, and in a mirror."""
    board = drawn(dice, boards())
    _, change, move = dice.choice(CHANGES[:2])
    here, there = api.position(board, program()), api.position(change(board), program())
    places = sorted(here.index.elevations, key=str)
    for _ in range(4):
        a, b = dice.sample(places, 2)
        one, other = api.los(here, a, b), api.los(here, b, a)
        what = f"{a} - {b} of {board}"
        hold(one.clear == other.clear, f"not mutual: {what}")
        sight = f"sees({to_board_text(a, 'location')} - {to_board_text(b, 'location')})"
        if one.clear is not None and a.spot != b.spot:
            answer = api.ask(here, sight)
            hold(answer.holds == one.clear, f"ask is not as los: {what}")
        moved = api.los(there, moved_location(a, move), moved_location(b, move))
        hold(moved.clear == one.clear, f"otherwise in a mirror: {what}")
    return "alike"


def proofs(dice: random.Random) -> str:
    """The proofs of some sights and shots of a small board, checked from outside."""
    here = api.position(drawn(dice, boards()), program())
    places = sorted(here.index.elevations, key=str)
    pairs = [dice.sample(places, 2) for _ in range(3)]
    expects = [Expect(kind(a, b)) for a, b in pairs for kind in (ExpectedLos, Shot)]
    with pytest.MonkeyPatch.context() as patch:
        for each in proofs_of(here, expects, patch):
            with refusing(str(each.proof)):
                each.checked(_rules())
    return "stood"


@lru_cache(maxsize=1)
def _rules() -> object:
    return rules_of(Path(__file__).parents[2] / "kb")


def asking(dice: random.Random) -> str:
    """A question that was tampered with, asked of a small board within limits."""
    here = _positions(dice.randrange(3))
    kind = dice.choice(("question", "deed", "roll"))
    text = dice.choice(asked()[kind])
    if dice.random() < 0.8:
        text = mangled(dice, text, (*words(), "A1", "B1", "B2", "C2", "A", "H", "V"))
    ask = {"question": api.ask, "deed": api.can, "roll": api.roll}[kind]
    with refusing(text) as refused:
        ask(here, text, LIMITS)
    return "refused" if refused else "answered"


def _positions(number: int) -> api.Position:
    return api.load(("church", "assault", "factory")[number])
