"""The independent checker accepts every proof, and rejects every proof with a changed step."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import clingo
import pytest
from click.testing import CliRunner

from rules_asp.cli.app import main
from rules_asp.explain.justification import proof_record
from rules_asp.game.board import Expect, ExpectedLos
from rules_asp.game.grid import Hex, Location
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.parser import parse_query
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.loading import example_boards, load
from rules_asp.positions.position import Position
from rules_asp.queries.program_text import query_program_text
from rules_asp.queries.why import why
from tests.positions import program
from tests.proof_checker import Checker, Flaw, rules_of
from tests.proofs import Proof, Proved, proofs_of, proved
from tests.sampling import some
from tests.test_cases import CASES

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def rules() -> Any:
    return rules_of(ROOT / "kb")


@pytest.mark.parametrize("path", some(CASES, 6), ids=lambda path: path.stem)
def test_proofs_stand_when_checked_from_outside(
    path: Path, rules: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in proved(path, 5, monkeypatch):
        each.checked(rules)


SIGHT = str(ExpectedLos(Location(Hex(3, 3), 2), Location(Hex(3, 4), 0)))


def test_of_an_interval_the_value_is_named_that_was_met(
    rules: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B23.732-5 speaks of levels from one to another, both counted from the ground."""
    here = load(ROOT / "tests" / "cases" / "b23_73_market_levels.board", program())
    asked = here.board.statements
    floors = [each for each in asked if isinstance(each, Expect) and str(each.question) == SIGHT]
    found = list(proofs_of(here, floors, monkeypatch))
    assert any("B23.732-5" in str(each.proof) for each in found)
    for each in found:
        each.checked(rules)


#: Atoms that hold nowhere, and one that may.
STRANGE = "is(height((99,99)),7)"


def alterations(right: Proof, chance: random.Random) -> Iterator[tuple[str, Proof]]:
    """The proof with one step altered, in each way that there is."""
    names = {each["id"]: each["atom"].partition("(")[0] for each in right["steps"]}
    places = [each["rule"] for each in right["steps"] if each["rule"]] + ["calculus.lp:1"]

    def altered(number: int, **changes: Any) -> Proof:
        made = copy.deepcopy(right)
        made["steps"][number] |= changes
        return made

    for number, step in enumerate(right["steps"]):
        # Another atom of the same predicate can be as good a premise.
        own = {names[each] for each in (*step["because"], *step["counted"])}
        other = chance.choice(
            [each for each, name in names.items() if name not in own] or [step["id"]]
        )
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


@pytest.mark.parametrize("path", some(CASES, 2), ids=lambda path: path.stem)
def test_a_proof_with_a_step_altered_falls(
    path: Path, rules: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for right in proved(path, 2, monkeypatch):
        right.checked(rules)
        tried = list(alterations(right.proof, random.Random(1)))
        for what, wrong in some(tried, 40):
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
    here = load(example_boards()["church"], program())
    (case,) = here.cases
    made = {key: record[key] for key in ("goals", "steps")}
    assert len(made["steps"]) > 5
    Checker(rules, here.board_facts.symbols, case.all_atoms).check(made)


def test_a_proof_stands_in_the_answer_that_plain_clingo_gives(
    rules: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The program that `rules-asp program` writes, run by clingo, and the checker run by itself."""
    stated: list[clingo.Symbol] = []
    ask = Position.ask

    def hear(
        self: Position, wanted: Any, question: QueryFacts, local: bool = False
    ) -> list[AnswerSet]:
        stated.extend(question.symbols)
        return ask(self, wanted, question, local)

    monkeypatch.setattr(Position, "ask", hear)
    here = load(example_boards()["assault"], program())
    query = parse_query("tem(shot(B4, D3/1, direct, still)) = V")
    made = proof_record(why(here, query).proofs)
    control = clingo.Control()
    control.add("base", [], query_program_text(here, query))
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
