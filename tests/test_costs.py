"""No question costs clingo more than it did: counted, not timed, so that it is the same everywhere."""

from __future__ import annotations

from tests.benchmarks.costs import Cost, costs, grown, read_counts


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
