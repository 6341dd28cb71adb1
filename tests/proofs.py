"""Proofs with everything that `tests.proof_checker` needs: the stated facts, and the atoms that hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import clingo
import pytest

from rules_asp.explain.justification import proof_record
from rules_asp.explain.proof import ProofStep
from rules_asp.game import board
from rules_asp.game.board import Expect
from rules_asp.game.query import DeedQuery, Query
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position
from rules_asp.queries.fire import FireQuestion, TemQuestion
from rules_asp.queries.legality import CanQuestion
from rules_asp.queries.los import LosQuestion
from rules_asp.queries.question import Question
from rules_asp.queries.rolls import RollQuestion
from rules_asp.queries.why import WhyQuestion
from tests.positions import program
from tests.proof_checker import Checker
from tests.sampling import some

Proof = dict[str, Any]


@dataclass(frozen=True)
class Proved:
    """A proof with what it is of: what is stated, and what holds in the answer set."""

    proof: Proof
    facts: frozenset[clingo.Symbol]
    holds: frozenset[clingo.Symbol]

    def checked(self, rules: Any, altered: Proof | None = None) -> None:
        Checker(rules, self.facts, self.holds).check(self.proof if altered is None else altered)


def question_of(expect: Expect) -> Question[Any] | None:
    """What an `expect` line asks, as a question; None for one that has no proof."""
    asked = expect.question
    if isinstance(asked, Query):
        return WhyQuestion(asked)
    if isinstance(asked, board.ExpectedLos):
        return LosQuestion(asked.a, asked.b)
    if isinstance(asked, DeedQuery):
        return CanQuestion(asked)
    if isinstance(asked, board.ExpectedRoll):
        return RollQuestion(asked.rolling)
    if isinstance(asked, board.ExpectedDrm):
        of = asked.shot
        return FireQuestion(of.firer, of.target, of.how, of.doing)
    if isinstance(asked, board.Shot | board.UnitShot):
        return TemQuestion(asked.firer, asked.target, asked.how, asked.doing)
    return None


def proved(path: Path, most: int, patch: pytest.MonkeyPatch) -> Iterator[Proved]:
    """The proofs of a board's `expect` lines."""
    here = load(path, program())
    expects = [each for each in here.board.statements if isinstance(each, Expect)]
    return proofs_of(here, some(expects, most), patch)


def proofs_of(
    here: Position, expects: Iterable[Expect], patch: pytest.MonkeyPatch
) -> Iterator[Proved]:
    """The proofs of what is expected, with what the board and each question state."""
    heard: list[AnswerSet] = []
    stated: list[clingo.Symbol] = []
    ask = Position.ask

    def hear(
        self: Position, wanted: Any, question: QueryFacts, local: bool = False
    ) -> list[AnswerSet]:
        # Of a later turn, or another phase, a position has facts of its own.
        stated.extend((*self.board_facts.symbols, *question.symbols))
        return ask(self, wanted, question, local)

    patch.setattr(Position, "ask", hear)
    here = replace(here, hear=heard.extend)
    for question in filter(None, map(question_of, expects)):
        heard.clear()
        stated.clear()
        try:
            steps = here.answer(question, prove=True).proof.steps
        except QuestionError:
            continue
        # What an answer rests on may stand in several answer sets, as of a shot and its line.
        yield from (_proved(here, step, heard, stated) for step in steps)


def _proved(here: Position, step: ProofStep, heard: list[AnswerSet], stated: list[Any]) -> Proved:
    made = json.loads(json.dumps(proof_record([step])))
    atoms = [clingo.parse_term(each["atom"]) for each in made["steps"]]
    for answer in (*heard, *here.cases):
        case = here.cases[answer.static_case]
        if all(answer.holds(atom) or case.holds(atom) for atom in atoms):
            facts = frozenset((*here.board_facts.symbols, *here.left_open, *stated))
            return Proved(made, facts, frozenset((*answer.symbols, *case.all_atoms)))
    raise AssertionError("no answer holds all steps of the proof")
