"""A case to share gives the same answer with the same rule numbers, and needs each of its lines."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rules_asp import api
from rules_asp.cases.expectations import answer_line, parse_expectation
from rules_asp.cli.app import main
from rules_asp.cli.whatif_commands import as_expected
from rules_asp.game.board import Expect
from rules_asp.parser.writer import statement_text, write_statements
from rules_asp.whatif import minimal_case
from rules_asp.whatif.minimal_case import ddmin
from tests.edits import CASES
from tests.sampling import slow, some

BOARDS = CASES
#: What a text that says too little may come to.
UNFIT = (*api.ERRORS, ValueError, LookupError)


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    return result


def expected() -> list[tuple[Path, int]]:
    """Every `expect` line of the cases, by its number."""
    return [
        (path, number)
        for path in BOARDS
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if line.startswith("expect ")
    ]


def statements(text: str) -> list[str]:
    """The statements of a case; a line that goes on is one with the next."""
    return text.replace("\\\n", "\0").splitlines()


def text_of(lines: list[str]) -> str:
    return "".join(f"{line}\n".replace("\0", "\\\n") for line in lines)


def told(text: str, here: api.Position) -> minimal_case.CaseVerdict | None:
    try:
        return minimal_case.verdict_of(text, here)
    except UNFIT:
        return None


def assert_is_a_case(case: api.Case, here: api.Position) -> None:
    """Read back it gives the same answer and the same paragraphs, and loses either with each line."""
    wanted = minimal_case.CaseVerdict(case.verdict, frozenset(case.cites))
    assert told(case.text, here) == wanted, case.text
    assert case.smallest
    lines = statements(case.text)
    for index, line in enumerate(lines):
        less = text_of([*lines[:index], *lines[index + 1 :]])
        assert told(less, here) != wanted, f"{line} can go:\n{case.text}"


@slow
@pytest.mark.parametrize(("path", "number"), some(expected(), 1), ids=str)
def test_a_case_is_the_least_that_gives_the_same(path: Path, number: int) -> None:
    here = api.load(path)
    expect = next(
        each
        for index, each in enumerate(here.board.statements)
        if isinstance(each, Expect) and here.board.place(index).line == number
    )
    line = write_statements((replace(expect, cites=()),), here.notation)
    case = api.case(here, line, None)
    # On the whole board, by the ordinary way, the answer is that of the case.
    asked = parse_expectation(here, line)
    whole = answer_line(here, asked).expect
    there = api.position(api.parse(case.text))
    (alone,) = (each for each in there.board.statements if isinstance(each, Expect))
    assert (alone.answer, alone.hindrance) == (whole.answer, whole.hindrance)
    assert set(expect.cites) <= set(case.cites)
    assert_is_a_case(case, here)


MAP = """board "two farms"
part 1 grid 33x10
part 2 of "east farm" grid 33x10 turned right of 1
woods: 1FF2 1EE3 2FF3 2A4
building gray: 1C3 1D3 1E4  joined 1C3-D3 1D3-E4  stairwell 1C3
outline woods on 2: 14000,900 14700,900 14700,1600 14000,1600
road dirt: 1A2-B1-C2-D1-E2
unit A squad 4-6-7 german at 1DD4
unit B squad 4-4-7 russian at 2EE5
month 2
"""


@slow
def test_a_case_of_a_map_keeps_the_names_of_its_hexes() -> None:
    here = api.position(api.parse(MAP))
    (question,) = some(["los A - 1FF2", "cost A to 1EE3"], 1)
    case = api.case(here, question, None)
    assert_is_a_case(case, here)
    assert "part 1 grid 33x10 only hexes" in case.text
    assert "part 2" not in case.text
    assert "1EE3" in case.text


OUTLINED = """board "wood" grid 33x10
woods: E4 F4 G5 H5 I6
outline woods: 1500,1400 4000,1400 4000,3000 2400,2200 1500,2200
unknown terrain jungle-hut: Z9
doubt F4 "is it a wood?"
expect los E6 - H3 clear
"""


def test_outlines_are_cut_to_where_they_matter() -> None:
    here = api.position(api.parse(OUTLINED))
    case = api.case(here, "los E3 - G5", None)
    assert_is_a_case(case, here)
    ((outline),) = (line for line in statements(case.text) if line.startswith("outline"))
    xs = [int(point.partition(",")[0]) for point in outline.split(": ")[1].split()]
    assert max(xs) < 4000
    assert [doubt[0] for doubt in case.beside.doubts] == ["F4"]


def test_each_kind_of_question_can_be_asked_with_its_answer_or_without() -> None:
    here = api.load("assault")
    for question, said in (
        ("los D3/1 - C4", "los D3/1 - C4 clear"),
        ("expect tem of fire from B4 at D3/1 = 3", "tem of fire from B4 at D3/1 = 3"),
        ("tem of fire from B4 at D3/1", "tem of fire from B4 at D3/1 = 3"),
        ("cost A to C4", "cost A to C4 = 1"),
        ("height(C3) = V", "height(C3) = 2 1/2"),
        ("not height(C3) = 7", "not height(C3) = 7"),
        ("unknown height(C3)", "height(C3) = _"),
        ('at("A", L)', 'holds at("A", B4)'),
        ("can G move to E3 by entering", "can G moves to E3 by entering: forbidden by B23.71-12"),
    ):
        asked = answer_line(here, parse_expectation(here, question)).expect
        assert statement_text(asked, here.notation).startswith(f"expect {said}")


def test_a_line_of_a_batch_does_for_a_question() -> None:
    for asked, same in (
        ("los C1 G3", "los C1 - G3"),
        ("fire D3 F3 --moving", "drm of fire from D3 at F3 moving"),
        ("tem D3 F3 --indirect", "tem of indirect fire from D3 at F3"),
        ("ask height(C3) = V", "height(C3) = V"),
    ):
        assert as_expected(asked) == same
    asked, same = "los C1 G3", "los C1 - G3"
    assert run("case", "church", asked).stdout == run("case", "church", same).stdout


def test_the_printed_case_is_a_test_that_passes(tmp_path: Path) -> None:
    file = tmp_path / "c.board"
    shown = run("case", "church", "los C1 G3", "-o", str(file)).stdout
    assert shown.endswith(": expect los C1 - G3 blocked\n")
    assert "1 passed" in run("test", str(file)).stdout
    assert run("case", "church", "los C1 G3").stdout == file.read_text("utf-8")
    assert "already exists" in run("case", "church", "los C1 G3", "-o", str(file), code=2).output
    record = json.loads(run("case", "church", "los C1 G3", "--json").stdout)
    assert record["text"] == file.read_text("utf-8")
    assert record["smallest"] is True


def test_what_is_cut_short_is_a_case_and_says_so() -> None:
    result = run("case", "church", "los C3/2 D2/2", "--time", "0.001")
    assert "may not be needed" in result.stderr
    assert told(result.stdout, api.load("church")) is not None


def test_what_is_no_question_is_reported(tmp_path: Path) -> None:
    for asked, said in (
        ("los C3 Z9", "the hex Z9 is outside the map"),
        ("cost A to C3", "there is no unit A"),
        ("violates B23.421", "violates nothing"),
        ("moves A", "a question with one answer"),
        ("fire C3", "Missing argument"),
        ("sees me", "a question with one answer"),
    ):
        assert said in run("case", "church", asked, code=2).output


def test_halves_are_tried_first_and_nothing_that_can_go_stays() -> None:
    asked: list[int] = []

    def holds(left: object) -> bool:
        assert isinstance(left, tuple)
        asked.append(len(left))
        return {3, 60} <= set(left)

    assert ddmin(range(64), holds, lambda: False) == ((3, 60), True)
    assert len(asked) < 40
    assert ddmin(range(64), holds, lambda: True) == (tuple(range(64)), False)
