"""Every proof stands when it is checked from outside, and none does of which a step is altered."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import clingo
import pytest
from click.testing import CliRunner

from rules_asp.answers import allowing, rolls, shots, sights
from rules_asp.answers.explaining import Why, why
from rules_asp.answers.programs import question_text
from rules_asp.answers.whys import questions_of
from rules_asp.cli.app import main
from rules_asp.knowledge.running import Answer
from rules_asp.parser import parse_query
from rules_asp.positions.files import examples
from rules_asp.positions.indexes import Question
from rules_asp.positions.keeping import load
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import Position
from rules_asp.positions.settling import located
from rules_asp.telling.why_json import proof
from rules_asp.terms.board import AllDrm, Chance, Expect, Shot, Sight, UnitShot
from rules_asp.terms.query import Doing, Query
from tests.positions import program
from tests.proof_checker import Checker, Flaw, rules_of
from tests.sampling import some
from tests.test_cases import CASES

ROOT = Path(__file__).parent.parent
Proof = dict[str, Any]


@pytest.fixture(scope="module")
def rules() -> Any:
    return rules_of(ROOT / "kb")


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
    elif isinstance(asked, Sight):
        ends = (located(here, each) for each in (asked.a, asked.b))
        yield from questions_of(sights.los(here, *ends, close=False, cite=False))
    elif isinstance(asked, Doing):
        yield from questions_of(allowing.can(here, asked, cite=False))
    elif isinstance(asked, Chance):
        yield from questions_of(rolls.roll(here, asked.rolling, cite=False))
    elif isinstance(asked, Shot | UnitShot | AllDrm):
        all_ = isinstance(asked, AllDrm)
        of = asked.shot if isinstance(asked, AllDrm) else asked
        shot = shots.shot(here, of.firer, of.target, of.how, of.doing)
        found = shots.fire(here, shot, cite=False) if all_ else shots.tem(here, shot, cite=False)
        yield from questions_of(found)


def proved(path: Path, most: int, patch: pytest.MonkeyPatch) -> Iterator[Proved]:
    """The proofs of a board's `expect` lines, with what the board and each question state."""
    heard: list[Answer] = []
    stated: list[clingo.Symbol] = []
    ask = Position.ask

    def hear(self: Position, wanted: Any, question: Question, local: bool = False) -> list[Answer]:
        stated.extend(question.symbols)
        return ask(self, wanted, question, local)

    patch.setattr(Position, "ask", hear)
    here = replace(load(path, program()), hear=heard.extend)
    expects = [each for each in here.board.statements if isinstance(each, Expect)]
    for expect in some(expects, most):
        try:
            for query in list(questions(here, expect)):
                heard.clear()
                stated.clear()
                found = why(here, query)
                if found.proofs:
                    yield _proved(here, found, heard, stated)
        except QuestionError:
            continue


def _proved(here: Position, found: Why, heard: list[Answer], stated: list[Any]) -> Proved:
    made = json.loads(json.dumps(proof(found.proofs)))
    atoms = [clingo.parse_term(step["atom"]) for step in made["steps"]]
    for answer in (*heard, *here.cases):
        case = here.cases[answer.case]
        if all(answer.holds(atom) or case.holds(atom) for atom in atoms):
            facts = frozenset((*here.board_facts.symbols, *here.left_open, *stated))
            return Proved(made, facts, frozenset((*answer.symbols, *case.every)))
    raise AssertionError("no answer holds all steps of the proof")


@pytest.mark.parametrize("path", some(CASES, 10), ids=lambda path: path.stem)
def test_proofs_stand_when_checked_from_outside(
    path: Path, rules: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in proved(path, 5, monkeypatch):
        each.checked(rules)


#: Atoms that hold nowhere, and one that may.
STRANGE = "is(height((99,99)),7)"


def alterations(right: Proof, chance: random.Random) -> Iterator[tuple[str, Proof]]:
    """The proof with one step altered, in each way that there is."""
    others = [each["id"] for each in right["steps"]]
    places = [each["rule"] for each in right["steps"] if each["rule"]] + ["calculus.lp:1"]

    def altered(number: int, **changes: Any) -> Proof:
        made = copy.deepcopy(right)
        made["steps"][number] |= changes
        return made

    for number, step in enumerate(right["steps"]):
        other = chance.choice(others)
        gone = copy.deepcopy(right)
        del gone["steps"][number]
        yield f"without {step['atom']}", gone
        yield f"another atom in place of {step['atom']}", altered(number, atom=STRANGE)
        for key in ("because", "counted"):
            below = step[key]
            yield f"{key} more of {step['atom']}", altered(number, **{key: [*below, other]})
            for place in range(len(below)):
                less = below[:place] + below[place + 1 :]
                yield f"{key} less of {step['atom']}", altered(number, **{key: less})
                if other != below[place]:
                    swapped = [*below[:place], other, *below[place + 1 :]]
                    yield f"{key} otherwise of {step['atom']}", altered(number, **{key: swapped})
        yield f"absent more of {step['atom']}", altered(number, absent=[*step["absent"], STRANGE])
        if step["absent"]:
            yield f"absent less of {step['atom']}", altered(number, absent=step["absent"][1:])
        if step["origin"] == "rule":
            yield f"a fact: {step['atom']}", altered(number, origin="board")
            yield f"by no norm: {step['atom']}", altered(number, norm="X1-1")
            rule = chance.choice([each for each in places if each != step["rule"]])
            yield f"by another rule: {step['atom']}", altered(number, rule=rule)
        else:
            yield f"by a rule: {step['atom']}", altered(number, origin="rule")


@pytest.mark.parametrize("path", some(CASES, 4), ids=lambda path: path.stem)
def test_a_proof_with_a_step_altered_falls(
    path: Path, rules: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for right in proved(path, 2, monkeypatch):
        right.checked(rules)
        tried = list(alterations(right.proof, random.Random(1)))
        for what, wrong in some(tried, 60):
            if not same(right.proof, wrong):
                assert not stands(right, rules, wrong), what


def stands(right: Proved, rules: Any, wrong: Proof) -> bool:
    try:
        right.checked(rules, wrong)
    except Flaw:
        return False
    return True


def same(one: Proof, other: Proof) -> bool:
    """Whether two proofs say the same: what is counted has no order, and counts once."""

    def plain(proof: Proof) -> Any:
        steps = proof["steps"]
        return [
            {**each, "counted": set(each["counted"]), "absent": set(each["absent"])}
            for each in steps
        ]

    return plain(one) == plain(other)


def test_the_json_of_the_command_is_what_is_checked(rules: Any) -> None:
    asked = ["why", "church", "height(C3) = V", "--json"]
    result = CliRunner().invoke(main, asked)
    assert result.exit_code == 0
    record = json.loads(result.output)
    here = load(examples()["church"], program())
    (case,) = here.cases
    made = {key: record[key] for key in ("goals", "steps")}
    assert len(made["steps"]) > 5
    Checker(rules, here.board_facts.symbols, case.every).check(made)


def test_a_proof_stands_in_the_answer_that_plain_clingo_gives(
    rules: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The program that `rules-asp program` writes, run by clingo, and the checker run by itself."""
    stated: list[clingo.Symbol] = []
    ask = Position.ask

    def hear(self: Position, wanted: Any, question: Question, local: bool = False) -> list[Answer]:
        stated.extend(question.symbols)
        return ask(self, wanted, question, local)

    monkeypatch.setattr(Position, "ask", hear)
    here = load(examples()["assault"], program())
    query = parse_query("tem(shot(B4, D3/1, direct, still)) = V")
    made = proof(why(here, query).proofs)
    control = clingo.Control()
    control.add("base", [], question_text(here, query))
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        (holds,) = ([*model.symbols(atoms=True)] for model in handle)
    texts = (
        json.dumps(made),
        *("\n".join(map(str, each)) for each in ((*here.board_facts.symbols, *stated), holds)),
    )
    files = [tmp_path / name for name in ("proof.json", "facts", "answer")]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    command = [str(files[0]), str(ROOT / "kb"), *map(str, files[1:])]
    checker = [sys.executable, str(ROOT / "tests" / "proof_checker.py")]
    assert subprocess.run([*checker, *command], capture_output=True, check=False).returncode == 0
    made["steps"][0]["norm"] = "X1-1"
    files[0].write_text(json.dumps(made))
    wrong = subprocess.run([*checker, *command], capture_output=True, check=False, text=True)
    assert wrong.returncode == 1
    assert "flaw" in wrong.stderr


def test_no_step_rests_on_itself(rules: Any) -> None:
    """Each of the two would be an instance of its rule."""
    one, two = ("building((1,1),(1,1))", "building((1,2),(1,1))")
    text = "building(G,B) :- building(H,B), next(H,_,G)."
    (rule,) = _read(text)
    holds = [*map(clingo.parse_term, (one, two, "next((1,1),3,(1,2))", "next((1,2),0,(1,1))"))]
    circle = {
        "goals": [_id(one)],
        "steps": [
            _step(one, because=[_id(two), _id("next((1,2),0,(1,1))")], rule="x.lp:1"),
            _step(two, because=[_id(one), _id("next((1,1),3,(1,2))")], rule="x.lp:1"),
            _step("next((1,1),3,(1,2))"),
            _step("next((1,2),0,(1,1))"),
        ],
    }
    with pytest.raises(Flaw, match="circle"):
        Checker({"x.lp:1": [(rule, None)]}, holds[2:], holds).check(circle)


def _read(text: str) -> list[Any]:
    found: list[Any] = []
    clingo.ast.parse_string(text, found.append)
    return found[1:]


def _id(atom: str) -> str:
    from tests.proof_checker import identity

    return identity(atom)


def _step(atom: str, **more: Any) -> dict[str, Any]:
    bare = {key: [] for key in ("because", "counted", "absent", "beside", "aside")}
    origin = "rule" if more else "board"
    return {
        "id": _id(atom),
        "atom": atom,
        "origin": origin,
        "norm": None,
        "rule": None,
        **bare,
        **more,
    }
