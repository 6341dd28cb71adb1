"""The program as one text: plain clingo runs it and derives the same atoms."""

import subprocess
import sys
from pathlib import Path

import clingo
import pytest
from click.testing import CliRunner

from rules_asp.api import load, program_text
from rules_asp.cli.app import main
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.solver import AnswerSet, solve
from rules_asp.parser.query import parse_query
from rules_asp.positions.loading import example_boards
from rules_asp.positions.position import Position
from rules_asp.queries.query_facts import relevant_rules_for
from tests.positions import program
from tests.sampling import part, slow

#: Static questions, a deed, a sight.
QUESTIONS = {
    "church": "height(C3) = V",
    "assault": 'legal(step(move, "G", E4/0, E3/0, enter))',
    "factory": "construction(B1) = V",
    "marketplace": "sees(D4/1 - B3/1)",
    "rowhouse": "rowhouse(H)",
    "stairwell": "stairwell(H) = V",
}


def by_itself(text: str) -> set[frozenset[clingo.Symbol]]:
    """The answer sets of a text, all atoms, with nothing of the program's about it."""
    return {frozenset(answer.symbols) for answer in solve(text)}


@pytest.mark.parametrize("name", part(example_boards(), 2))
def test_the_text_of_a_board_gives_its_cases(name: str) -> None:
    position = load(name, program())
    text = program_text(position)
    assert by_itself(text) == {frozenset(case.symbols) for case in position.cases}


def _wanted(position: Position, question: str, answer: AnswerSet) -> set[clingo.Symbol]:
    wanted, _ = relevant_rules_for(position, parse_query(question))
    return {atom for node in wanted for atom in answer.atoms(node.name, node.arity)}


@pytest.mark.parametrize("name", part(example_boards(), 2))
def test_the_text_of_a_question_gives_its_answer(name: str) -> None:
    position = load(name, program())
    question = QUESTIONS[name]
    wanted, asked = relevant_rules_for(position, parse_query(question))
    alone = [_wanted(position, question, each) for each in solve(program_text(position, question))]
    layered = []
    for case, found in enumerate(position.cases):
        rules, told = position.layer(case, wanted, asked)
        for each in solve(rules, facts=(*told, *asked.symbols)):
            layered.append(_wanted(position, question, each) | _wanted(position, question, found))
    topics = {(node.name, node.topic) for node in wanted if node.topic}
    for one, other in zip(alone, layered, strict=True):
        told = {atom for atom in other if _is_of(atom, topics)}
        assert {atom for atom in one if _is_of(atom, topics)} == told
        assert told or not topics


def _is_of(atom: clingo.Symbol, topics: set[tuple[str, tuple[str, int]]]) -> bool:
    """Whether an atom is of a topic that was asked for; both sides may hold more."""
    if not topics:
        return True
    about = atom.arguments[calculus().topic_place.get(atom.name, 0)]
    if about.type != clingo.SymbolType.Function:
        return False
    return (atom.name, (about.name, len(about.arguments))) in topics


def test_plain_clingo_runs_it(tmp_path: Path) -> None:
    file = tmp_path / "church.lp"
    done = CliRunner().invoke(main, ["program", "church", "height(C3) = V", "-o", str(file)])
    assert done.exit_code == 0, done.output
    result = subprocess.run(
        [sys.executable, "-m", "clingo", str(file), "0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "is(height((2,3)),5)" in result.stdout.split()
    assert "SATISFIABLE" in result.stdout
    assert result.stderr == ""


@slow
def test_the_whole_base_runs_without_a_board() -> None:
    (answer,) = solve(program_text())
    assert answer.get("overrides", 2)
    assert not answer.get("hex", 1)


def test_norms_stand_in_their_order_under_their_tags() -> None:
    text = program_text()
    tags = [line.split()[1] for line in text.splitlines() if line.startswith("%@ ")]
    with_rules = {rule.norm for rule in program().rules}
    norms = [norm for norm in program().norms if norm in with_rules]
    assert set(tags) == set(norms)
    assert [tag for tag in dict.fromkeys(tags) if tag.startswith("B23.")] == [
        norm for norm in norms if norm.startswith("B23.")
    ]


def test_an_unknown_hex_is_refused() -> None:
    done = CliRunner().invoke(main, ["program", "church", "height(Z9) = V"])
    assert done.exit_code == 2
    assert "not on this board" in done.output


def test_a_file_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "church.lp"
    file.write_text("mine")
    done = CliRunner().invoke(main, ["program", "church", "-o", str(file)])
    assert done.exit_code == 2
    assert file.read_text() == "mine"
