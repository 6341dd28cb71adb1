"""Questions as values: each kind is declared once, and every interface gives the same answer."""

from __future__ import annotations

import pickle
from inspect import cleandoc

import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.cli.query_commands import parse_query_line
from rules_asp.positions.position import Position
from rules_asp.queries import QUESTIONS
from rules_asp.queries.los import LosQuestion
from rules_asp.whatif.trials import CalledQuestion
from tests.positions import program
from tests.sampling import part, slow

#: A line of each kind, and the board that it is asked of.
LINES = {
    "los": "los B4 D3/1",
    "range": "range B4 D3/1",
    "tem": "tem B4 D3/1",
    "fire": "fire D3/1 C4 --moving",
    "firers": "firers C4 --moving",
    "targets": "targets A",
    "moves": "moves A L",
    "rout": "rout A",
    "threats": "threats A C3/1 --path 'C4 C3'",
    "safest": "safest A C3/1 --order open,mf",
    "turn": "turn german",
    "sees": "sees C4 --hexes A1-D4",
    "reach": "reach A --turns 2",
    "can": "can A move to C3",
    "sequence": "sequence A moves to C4 then A advances to C3",
    "roll": "roll the Bog Check of A in C3 with DR 7",
    "ask": "ask height(H) = V",
    "why": "why height(D3) = V",
}


@pytest.fixture(scope="module")
def assault() -> Position:
    return api.load("assault", program())


def test_each_kind_has_a_line_here() -> None:
    assert set(LINES) == set(QUESTIONS)


@pytest.mark.parametrize("kind", part(tuple(QUESTIONS), 2))
def test_a_question_is_a_value_that_an_answer_knows(assault: Position, kind: str) -> None:
    question = parse_query_line(LINES[kind])
    assert question.kind == kind
    assert type(question) is QUESTIONS[kind]
    assert parse_query_line(LINES[kind]) == question == pickle.loads(pickle.dumps(question))
    answer = assault.answer(question, cite=False)
    assert answer.question == question
    assert answer.on is not None
    assert pickle.loads(pickle.dumps(answer)) == answer


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_command_takes_the_parameters_of_its_question(kind: str) -> None:
    command = main.commands[kind]
    taken = {parameter.name for parameter in command.params}
    assert {each.name for each in QUESTIONS[kind].parameters()} <= taken
    assert cleandoc(command.help or "") == QUESTIONS[kind].help()


@pytest.mark.parametrize(
    "line",
    [
        *LINES.values(),
        "los C1 'a unit'",
        "fire D3/1 C4 --how wp",
        "tem D3/1 C4 --indirect --assault-moving",
        "firers A --routing --phase dffph --side german",
        "moves A L --phase aph --turns 3 --only by-road",
        "sees A --hexes 'A1-C5, E4' --ground",
    ],
)
def test_a_question_as_a_line_reads_back(line: str) -> None:
    question = parse_query_line(line)
    assert parse_query_line(question.line) == question


@slow
def test_a_sentence_needs_no_quotes() -> None:
    one, other = (
        CliRunner().invoke(main, ["can", "assault", *words])
        for words in (["A move to C3"], ["A", "move", "to", "C3"])
    )
    assert one.exit_code == 0
    assert one.output == other.output


def test_flags_of_one_parameter_exclude_each_other() -> None:
    found = CliRunner().invoke(main, ["fire", "assault", "D3/1", "C4", "--moving", "--routing"])
    assert found.exit_code == 2
    assert "--moving and --routing cannot be used together" in found.output


def test_short_forms_ask_the_same_questions(assault: Position) -> None:
    assert api.los(assault, "B4", "D3/1") == assault.answer(LosQuestion("B4", "D3/1"))


def test_a_function_stands_for_a_question(assault: Position) -> None:
    called = CalledQuestion(lambda here: api.los(here, "B4", "D3/1"))
    assert called.answer(assault) == api.los(assault, "B4", "D3/1")
