"""The proof of an answer uses the answer sets from which the answer was made."""

from __future__ import annotations

import gc
import pickle
from collections import Counter
from collections.abc import Sequence
from typing import Any

import clingo
import pytest

from rules_asp import api
from rules_asp.cli.query_commands import parse_query_line
from rules_asp.explain.proof import Evidence, provenance_of
from rules_asp.knowledge.catalogue import NO_CITATIONS
from rules_asp.positions.position import Position
from tests.positions import program
from tests.sampling import part, slow

LINES = (
    "los B4 D3/1",
    "los A5 E3",
    "range B4 D3/1",
    "tem B4 D3/1",
    "fire D3/1 C4 --moving",
    "firers C4 --moving",
    "targets A",
    "moves A",
    "rout G",
    "threats A C3/1",
    "safest A C3/1",
    "turn german",
    "sequence A moves to C4 then A advances to C3",
    "can A move to C3",
    "can G move to E3 by entering",
    "can G move to E3",
    "roll an attempt to kindle C3 with a MOL",
    "ask height(D3) = V",
)


#: Of many attacks and steps these answers cite the norms that decide.
MANY = ("firers", "targets", "rout", "threats", "safest", "turn", "sequence")


@pytest.fixture(scope="module")
def assault() -> Position:
    return api.load("assault", program())


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many programs are grounded and solved; look-ups of supports are grounded in parts."""
    found: Counter[str] = Counter()
    ground, solve = clingo.Control.ground, clingo.Control.solve

    def grounded(self: clingo.Control, parts: Sequence[Any], **named: Any) -> None:
        found["ground"] += [name for name, *_ in parts] == ["base"]
        ground(self, parts, **named)

    def solved(self: clingo.Control, *given: Any, **named: Any) -> Any:
        found["solve"] += 1
        return solve(self, *given, **named)

    monkeypatch.setattr(clingo.Control, "ground", grounded)
    monkeypatch.setattr(clingo.Control, "solve", solved)
    return found


@pytest.mark.parametrize("line", part(LINES, 2))
def test_a_proof_grounds_and_solves_nothing_more_and_leaves_no_program(
    assault: Position, counted: Counter[str], line: str
) -> None:
    """A program in a cycle of references would keep its memory until the next search for cycles."""
    question = parse_query_line(line)
    assault.answer(question)
    counted.clear()
    plain = assault.answer(question)
    without = dict(counted)
    counted.clear()
    # The search for cycles is only about what this answer makes.
    gc.disable()
    gc.freeze()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        proved = assault.answer(question, prove=True)
        proof = proved.proof
        assert proof.steps
        assert dict(counted) == without
        assert proved == plain
        gc.collect()
        assert not [each for each in gc.garbage if isinstance(each, clingo.Control)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.unfreeze()
        gc.enable()
    cites = getattr(proved, "cites", NO_CITATIONS)
    if question.kind in MANY:
        # Of many attacks and steps the norms that decide are cited, and the proof has what these rest on.
        assert set(cites) <= set(proof.cites)
    elif cites:
        assert set(cites) == set(proof.cites)
    assert set(provenance_of(assault, proof.steps).cites) == set(proof.cites)


@slow
def test_citations_of_moves_ground_nothing_more(counted: Counter[str]) -> None:
    """A short answer keeps its answer sets for the same question with citations."""
    position = api.load("assault", program())
    question = parse_query_line("moves A L")
    whole = position.answer(question)
    other = api.load("assault", program())
    short = other.answer(question, cite=False)
    counted.clear()
    assert other.answer(question) == whole
    assert not +counted
    assert [each.to for each in short.reach] == [each.to for each in whole.reach]


@slow
@pytest.mark.parametrize("line", ["los B4 D3/1", "moves A", "can A move to C3"])
def test_an_answer_holds_no_answer_set_and_its_proof_is_data(assault: Position, line: str) -> None:
    question = parse_query_line(line)
    answer = assault.answer(question, prove=True)
    assert not any(isinstance(each, Evidence) for each in vars(answer).values())
    assert pickle.loads(pickle.dumps(answer)).proof == answer.proof
    assert assault.answer(question).proof == answer.proof
    with api.Worker(assault) as worker:
        assert assault.answer(question, worker, prove=True).proof == answer.proof
