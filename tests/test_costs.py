"""No question needs more ground rules than before; the counts are the same on every machine."""

from __future__ import annotations

import pytest

from rules_asp import api
from rules_asp.positions.position import Position, prepare
from tests.benchmarks.costs import Cost, costs, grown, read_counts
from tests.benchmarks.questions import generated
from tests.benchmarks.scale import counted, with_armies
from tests.positions import program
from tests.sampling import slow


@slow
def test_no_question_costs_more_than_it_did() -> None:
    told = grown(read_counts(), list(costs()))
    hint = "if that is as it should be, `python -m tests.benchmarks --counts` writes the new ones"
    assert not told, "\n".join([*told, hint])


def test_what_has_grown_is_reported() -> None:
    old = [Cost("x", "los", 1000, 2000, 10), Cost("x", "tem", 10, 10, 1)]
    kept = [Cost("x", "los", 1069, 2000, 12), Cost("x", "tem", 30, 30, 3)]
    assert grown(old, kept) == []
    assert grown(old, [Cost("x", "los", 1071, 4000, 13), Cost("x", "tem", 1, 1, 1)]) == [
        "los on x: 1071 rules, 1000 before (+7 %)",
        "los on x: 4000 atoms, 2000 before (+100 %)",
        "los on x: 13 groundings, 10 before (+30 %)",
    ]
    assert grown(old, old[:1]) == ["tem on x is not counted any more"]


def _rules(question: str, units: int, enemies: int) -> int:
    here: Position = with_armies(prepare(generated(1), program()), 1, units, enemies)
    if question == "firers":
        return counted(lambda: api.firers(here, "Own0", "moving"))[1]
    return counted(lambda: here.answer(api.TurnQuestion("german")))[1]


@pytest.mark.parametrize(
    ("question", "armies"),
    [
        ("firers", ((1, 5), (1, 10), (1, 20))),
        pytest.param("turn", ((2, 4), (2, 8), (2, 16)), marks=slow),
        pytest.param("turn", ((1, 8), (2, 8), (4, 8)), marks=slow),
    ],
)
def test_fire_and_turns_grow_at_most_linearly(
    question: str, armies: tuple[tuple[int, int], ...]
) -> None:
    """Each further unit of one side costs as much as those before it, but for a tenth and a little slack."""
    few, twice, four_times = (_rules(question, *each) for each in armies)
    assert four_times - twice <= 2.2 * (twice - few) + few / 20
