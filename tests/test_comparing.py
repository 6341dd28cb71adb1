"""The answer with a change next to the answer without it: differences, newly used and no longer used
norms.
"""

from __future__ import annotations

import json
import pickle

import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.output.comparison import ComparedValue, answer_facts, compare
from rules_asp.positions.locations import QuestionError
from rules_asp.queries.question import Answer
from tests.sampling import part, slow


def run(*arguments: str, stdin: str | None = None) -> str:
    result = CliRunner().invoke(main, arguments, input=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def told(*arguments: str) -> dict[str, object]:
    record = json.loads(run(*arguments, "--json"))
    found: dict[str, object] = record["as_given"]
    return found


def answers(position: api.Position) -> dict[str, Answer]:
    """An answer of each kind about the board church."""
    return {
        "los": api.los(position, "C3/2", "D2/2"),
        "tem": api.tem(position, "C1", "C3"),
        "fire": api.fire(position, "C1", "C3", doing="moving"),
        "ask": api.ask(position, "height(H) = V"),
        "sees": api.sees(position, "C3/2"),
        "moves": api.moves(position, "A"),
        "can": api.can(position, "A move to C3"),
        "roll": api.roll(position, 'bog_check("T", C3)'),
    }


UNITS = (
    "unit A squad 4-6-7 german at B3",
    "unit T vehicle german at B1: fully-tracked AFV turreted, MP 14",
)


@slow
def test_an_answer_beside_itself_differs_in_nothing_and_the_other_way_round_all_is_reversed() -> (
    None
):
    one = answers(api.load("church").with_(*UNITS))
    other = answers(api.load("church").with_(*UNITS).without("level 1: D2").with_("woods: B2"))
    differing = 0
    for kind, answer in one.items():
        same = compare(answer, answer)
        assert (same.lines, same.new, same.gone) == ((), (), ())
        assert answer_facts(answer), kind
        there, back = compare(answer, other[kind]), compare(other[kind], answer)
        assert {ComparedValue(e.of, e.supposed, e.given) for e in there.lines} == set(back.lines)
        assert (set(there.new), set(there.gone)) == (set(back.gone), set(back.new))
        differing += bool(there.lines)
    assert differing >= 3


@slow
def test_an_answer_agrees_with_its_own_summary_and_not_with_another() -> None:
    position = api.load("church").with_(*UNITS)
    others = {"los": "clear", "tem": "7", "fire": "DRM 9", "can": "unknown", "roll": "bogs 1/36"}
    for kind, answer in answers(position).items():
        if kind in ("sees", "moves"):
            with pytest.raises(QuestionError, match="this question has no single answer"):
                answer.summary()
            continue
        if kind != "ask":  # several ways are no single wanted answer
            assert answer.agrees(answer.parse_wanted(answer.summary())), kind
            assert answer.agrees(answer.parse_wanted(others[kind])) is False, kind
        with pytest.raises(QuestionError, match="is not an answer to this question"):
            answer.parse_wanted("what else there is")


@slow
def test_every_answer_has_a_record_and_a_report_that_rests_on_norms() -> None:
    for kind, answer in answers(api.load("church").with_(*UNITS)).items():
        assert json.loads(json.dumps(answer.record()))["board"] == "church", kind
        report = answer.report()
        assert report.items == answer.items()
        assert report.blocks, kind
        assert set(report.norms) <= {*api.load_program().norms}, kind
        bare = pickle.loads(pickle.dumps(answer))
        assert bare.items() == answer.items()
        with pytest.raises(TypeError, match="has no position"):
            bare.record()


def test_what_a_line_changes_is_reported() -> None:
    found = told("los", "church", "C1", "G3", "--unless", "woods: E2")
    assert found["differs"] == [
        {"of": "line of sight", "given": "blocked at E2", "supposed": "clear"}
    ]
    assert "B13.2-1" in found["gone"]  # type: ignore[operator]
    assert found["new"] == []
    back = told("los", "church", "C1", "G3", "--unless", "woods: E2", "--if", "woods: E2")
    assert (back["differs"], back["new"], back["gone"]) == ([], [], [])


def test_a_verdict_that_the_change_keeps_is_reported() -> None:
    change = ("los", "church", "C1", "G3", "--if", "woods: D1")
    assert told(*change)["same_verdict"] == "blocked"
    assert "The verdict is the same: blocked" in run(*change)
    other = ("los", "church", "C1", "G3", "--unless", "woods: E2")
    assert told(*other)["same_verdict"] is None
    assert "The verdict is the same" not in run(*other)


def test_a_ruling_that_is_switched_off_is_supposed_too() -> None:
    board = 'board "b" grid 3x3\nbuilding brown: B2\n'
    command = ("ask", "-", "height(B2) = V", "--without", "R-T01")
    assert "Without the change the answer is the same" in run(*command, stdin=board)
    assert "ithout the change" not in run(*command[:3], stdin=board)
    line = ("--if", "level 1: B2")
    assert "ithout the change" in run("ask", "-", "top(B2) = V", *line, stdin=board)


def test_without_an_answer_as_given_it_is_reported_why() -> None:
    line = "unit A squad 4-6-7 german at C1"
    text = run("can", "church", "A move to C2", "--if", line)
    assert "Without the change there is no answer" in text
    found = told("can", "church", "A move to C2", "--if", line)
    assert "A" in str(found["refused"])


@pytest.mark.parametrize(
    "command",
    part(
        [
            ("tem", "C1", "C3"),
            ("fire", "C1", "C3"),
            ("sees", "C1"),
            ("why", "height(C3) = V"),
            ("ask", "height(C3) = V"),
        ],
        2,
    ),
)
def test_every_command_that_supposes_tells_it(command: tuple[str, ...]) -> None:
    name, *rest = command
    lower = ("--unless", "level 1: D2")
    assert "ithout the change" in run(name, "church", *rest, *lower)
    assert "as_given" in json.loads(run(name, "church", *rest, *lower, "--json"))
    assert "as_given" not in json.loads(run(name, "church", *rest, "--json"))
