"""Proofs with all that `tests.proof_checker` needs to check them: what was stated, and what holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import clingo
import pytest

from rules_asp.explain.justification import proof_record
from rules_asp.game.board import DrmQuestion, Expect, LosQuestion, RollQuestion, Shot, UnitShot
from rules_asp.game.query import DeedQuery, Query
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import resolve_location
from rules_asp.positions.position import Position
from rules_asp.queries import fire, legality, los, rolls
from rules_asp.queries.why import Why, queries_behind, why
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


def questions(here: Position, expect: Expect) -> Iterator[Query]:
    """What an `expect` line comes down to, as `--why` has it."""
    asked = expect.question
    if isinstance(asked, Query):
        yield asked
    elif isinstance(asked, LosQuestion):
        ends = (resolve_location(here, each) for each in (asked.a, asked.b))
        yield from queries_behind(los.los(here, *ends, close=False, cite=False), here.notation)
    elif isinstance(asked, DeedQuery):
        yield from queries_behind(legality.can(here, asked, cite=False), here.notation)
    elif isinstance(asked, RollQuestion):
        yield from queries_behind(rolls.roll(here, asked.rolling, cite=False), here.notation)
    elif isinstance(asked, Shot | UnitShot | DrmQuestion):
        all_ = isinstance(asked, DrmQuestion)
        of = asked.shot if isinstance(asked, DrmQuestion) else asked
        shot = fire.shot(here, of.firer, of.target, of.how, of.doing)
        found = fire.fire(here, shot, cite=False) if all_ else fire.tem(here, shot, cite=False)
        yield from queries_behind(found, here.notation)


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
        stated.extend(question.symbols)
        return ask(self, wanted, question, local)

    patch.setattr(Position, "ask", hear)
    here = replace(here, hear=heard.extend)
    for expect in expects:
        try:
            for query in list(questions(here, expect)):
                heard.clear()
                stated.clear()
                found = why(here, query)
                if found.proofs:
                    yield _proved(here, found, heard, stated)
        except QuestionError:
            continue


def _proved(here: Position, found: Why, heard: list[AnswerSet], stated: list[Any]) -> Proved:
    made = json.loads(json.dumps(proof_record(found.proofs)))
    atoms = [clingo.parse_term(step["atom"]) for step in made["steps"]]
    for answer in (*heard, *here.cases):
        case = here.cases[answer.static_case]
        if all(answer.holds(atom) or case.holds(atom) for atom in atoms):
            facts = frozenset((*here.board_facts.symbols, *here.left_open, *stated))
            return Proved(made, facts, frozenset((*answer.symbols, *case.all_atoms)))
    raise AssertionError("no answer holds all steps of the proof")
