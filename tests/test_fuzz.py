"""A seeded minute of the fuzz bench, and a check that the bench finds planted faults."""

from __future__ import annotations

import os
import random

import pytest

from rules_asp import api
from tests.fuzz.__main__ import KINDS
from tests.fuzz.bench import Broken, bench, hold, refusing
from tests.sampling import part, slow, tries

#: How many tries of each kind: some seconds of each.
TRIES = {
    "boards": 350,
    "questions": 700,
    "claims": 250,
    "asking": 12,
    "sights": 3,
    "proofs": 2,
    "archives": 15,
    "saves": 100,
    "folders": 30,
    "notes": 200,
    "kept": 500,
    "requests": 30,
    "commands": 12,
    "interrupts": 4,
}


@pytest.mark.parametrize("kind", part(KINDS, 6))
def test_nothing_breaks(kind: str) -> None:
    seed = int(os.environ.get("RULES_ASP_SEED", "1"))
    report = bench({kind: KINDS[kind]}, seed, float("inf"), most=tries(TRIES[kind]))
    assert report.tries[kind] == tries(TRIES[kind])
    assert not report.broken, str(report)


@slow
def test_the_bench_tells_what_breaks_and_how_to_try_it_again() -> None:
    def one(dice: random.Random) -> str:
        hold(dice.random() < 0.5, "a coin")
        return "done"

    def other(dice: random.Random) -> None:
        raise KeyError("x")

    def third(dice: random.Random) -> None:
        with refusing("text") as refused:
            raise api.QuestionError("no")
        hold(refused, "it was refused")
        with refusing("text"):
            raise ValueError

    report = bench({"one": one, "other": other, "third": third}, 1, float("inf"), most=20)
    assert 0 < report.ends["one", "broken"] < 20
    assert report.ends["other", "broken"] == report.ends["third", "broken"] == 20
    first = next(each for each in report.broken if "a coin" in each)
    case = int(first.partition("--case ")[2].partition(":")[0])
    assert bench({"one": one}, 1, float("inf"), case, 1).broken == [first]
    with pytest.raises(Broken):
        hold(False, "x")
