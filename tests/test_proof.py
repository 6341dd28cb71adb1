"""Proofs are of the answer at hand: what they rest on is so there, and is looked up once for a board."""

from __future__ import annotations

import clingo
import pytest

from rules_asp.answers.proof import cited, norms_of, prove
from rules_asp.api import load, los, tem
from rules_asp.positions.prepared import Position

BOARDS = ("church", "assault")


def _topics(here: Position) -> list[str]:
    return [f"is({topic},{value})" for topic, value in here.cases[0].get("is", 2)]


@pytest.mark.parametrize("board", BOARDS)
def test_what_a_proof_rests_on_is_so(board: str) -> None:
    here = load(board)
    (case,) = here.cases
    goals = _topics(here)
    steps = prove(here, goals)
    assert [step.atom for step in steps] == goals
    for step in (step for goal in steps for step in goal.walk()):
        assert case.holds(clingo.parse_term(step.atom))
        assert not any(case.holds(clingo.parse_term(each)) for each in step.absent)
        assert step.atom not in {each.atom for below in step.because for each in below.walk()}


@pytest.mark.parametrize("board", BOARDS)
def test_cites_are_the_norms_of_the_proof(board: str) -> None:
    here = load(board)
    for goal in _topics(here)[::7]:
        expected = here.program.paragraphs(norms_of(prove(here, [goal])))
        assert cited(here, [goal]) == expected


def test_what_was_asked_before_changes_no_cite_and_is_looked_up_once() -> None:
    fresh, used = load("assault"), load("assault")
    for place in ("C3", "D3/1", "E4"):
        los(used, "B4", place)
    first = tem(used, "B4", "D3/1")
    assert first == tem(fresh, "B4", "D3/1")
    looked_up = used.reasons[0].lookups
    assert looked_up > 0
    assert tem(used, "B4", "D3/1") == first
    assert used.reasons[0].lookups == looked_up


def test_what_does_not_hold_is_left_out() -> None:
    here = load("church")
    assert prove(here, ["is(height((2,3)),99)"]) == []
    assert cited(here, ["is(height((2,3)),99)"]) == ()
