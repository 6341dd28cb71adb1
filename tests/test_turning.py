"""The lines that an answer depends on, and changes of the answer: each as with --if, --unless and
--without.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.cli.query_commands import parse_query_line
from rules_asp.game.grid import Hex
from rules_asp.game.vocabulary import vocabulary
from rules_asp.parser import parse
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, prepare
from rules_asp.positions.scope import NOTHING_OF_THE_KIND
from rules_asp.queries.question import Question
from rules_asp.whatif.sensitivity import RepairTrial, find_repairs, sensitivity
from rules_asp.whatif.trials import (
    ChangeCandidate,
    Trials,
    change_candidates,
    change_kinds,
    neighbourhood,
    relevant_to_trial,
)
from tests.positions import program
from tests.sampling import part, slow, some

#: What every board is made of; no board can do without.
EXTENT = {"map", "of_board", "hex", "next"}
QUESTIONS = [
    ("church", "ask height(F3) = V"),
    ("church", "los C1 G3"),
    ("assault", "can G move to E3 by entering"),
]


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    return result


def by_hand(board: str, question: Question[Any], lines: list[ChangeCandidate]) -> str:
    """What the ordinary command answers with these lines supposed."""
    changes = [api.Change(each.adds, each.line, each.option) for each in lines]
    try:
        return question.answer(api.load(board, changes=changes)).summary()
    except (QuestionError, api.BoardError):
        return NOTHING_OF_THE_KIND


def every(here: Position, question: Question[Any]) -> list[ChangeCandidate]:
    return change_candidates(
        here, neighbourhood(here, question.answer(here), relevant_to_trial(here, question))
    )


# --- what an answer hangs on


@slow
@pytest.mark.parametrize(("board", "text"), some(QUESTIONS[:2], 1))
def test_what_is_named_turns_the_answer_and_nothing_else_does(board: str, text: str) -> None:
    here, question = api.load(board), parse_query_line(text)
    found = api.sensitive(here, question, None)
    assert not any(found.left.values())
    turned = {each.candidate: each.answer for each in (*found.said, *found.unsaid)}
    assert turned
    for candidate, answer in some(list(turned.items()), 2):
        assert by_hand(board, question, [candidate]) == answer != found.short, candidate.line
    trials = Trials(here, question)
    same = [each for each in every(here, question) if each not in turned]
    for candidate in some(same, 2):
        if trials.of([candidate]) is not None:
            assert by_hand(board, question, [candidate]) == found.short, candidate.line


@pytest.mark.parametrize(("board", "text"), some(QUESTIONS, 1))
def test_what_is_not_tried_since_no_rule_reads_it_turns_nothing(board: str, text: str) -> None:
    """Lines that are near, and of which it is known beforehand that they are no matter."""
    here, question = api.load(board), parse_query_line(text)
    answer = question.answer(here)
    place = neighbourhood(here, answer, relevant_to_trial(here, question))
    of_all = type(place)(**{**vars(place), "reads": frozenset(vocabulary().inputs), "drawn": True})
    known = every(here, question)
    left = [each for each in change_candidates(here, of_all) if each not in known]
    assert left
    trials = Trials(here, question)
    for candidate in some(left, 1):
        tried = trials.of([candidate])
        assert tried is None or tried.short == answer.summary(), candidate.line


BEHIND = """board "behind" grid 9x9
building gray: B4   stairwell B4
building brown: D5 H2
smoke 2: G7
"""


def test_what_blocks_the_line_is_changed_first() -> None:
    here, question = prepare(parse(BEHIND), program()), parse_query_line("los B4/2 E6")
    assert question.answer(here).decided_at == {Hex(3, 5)}
    kinds = [each.distance for each in every(here, question)]
    first = every(here, question)[: kinds.count(-1)]
    assert kinds == sorted(kinds)
    assert first
    assert all("D5" in each.line for each in first)


@slow
def test_the_progress_names_what_is_found_while_the_search_goes_on() -> None:
    here = prepare(parse(BEHIND), program())
    told: list[str] = []
    question, map_ = parse_query_line("los B4/2 E6"), ("rubble", "terrain")
    found = find_repairs(
        here, question, "clear", allowed=map_, seconds=None, told=lambda *of: told.append(of[2])
    )
    typed = found.repairs[0].lines[0].typed
    assert any(each.endswith(f"; found: {typed} gives {found.repairs[0].short}") for each in told)


@slow
def test_a_search_goes_on_from_the_trials_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    of = Trials.of
    monkeypatch.setattr(Trials, "of", lambda self, each: tried.append(each) or of(self, each))
    here, question = prepare(parse(BEHIND), program()), parse_query_line("los B4/2 E6")
    known: dict[tuple[str, ...], RepairTrial | None] = {}
    search = partial(find_repairs, here, question, "clear", allowed=("rubble",), seconds=None)
    first = search(known=known)
    count = len(tried)
    assert count == first.lines > 0
    assert search(known=known).record() == first.record()
    assert len(tried) == count
    # A search that was stopped early leaves the rest to the next one.
    known.popitem()
    assert search(known=known).record() == first.record()
    assert len(tried) == count + 1

    answers: dict[str, str | None] = {}
    tried.clear()
    here, question = prepare(parse(HALL), program()), parse_query_line("ask height(B2) = V")
    whole = sensitivity(here, question, seconds=None, known=answers)
    count = len(tried)
    assert count > 0
    assert sensitivity(here, question, seconds=None, known=answers).record() == whole.record()
    assert len(tried) == count


HALL = """board "hall" grid 3x3
building gray: B2
factory B2
"""


@slow
def test_an_answer_hangs_on_norms_rulings_and_readings() -> None:
    """The height of a Factory of one hex: B23.21 and B23.74 differ, and a ruling decides."""
    board = api.parse(HALL)
    here, question = api.position(board), parse_query_line("ask height(B2) = V")
    found = api.sensitive(here, question, None)
    assert {each.candidate.line for each in found.said} == {"building gray: B2", "factory B2"}
    turned = {each.norm: each.answer for each in found.rulings}
    assert turned["R-T03"] == "unknown"
    assert "R-T03" in found.readings
    every_ = [each for each in here.program.norms if each.startswith("R-T")]
    for ruling in ("R-T03", *some(every_, 2)):
        without = question.answer(api.position(board, without=[ruling])).summary()
        assert without == turned.get(ruling, found.short), ruling
    assert "B23.74-4" in {each.norm for each in found.norms}


def test_what_is_not_tried_is_reported_first() -> None:
    shown = run("depends", "church", "los C1 G3", "--time", "0.001").output.splitlines()
    assert shown[0] == "los C1 G3: blocked"
    assert shown[1].startswith("Not tried within 0.001 s: 11 lines removed, ")
    told = json.loads(run("depends", "church", "los C1 G3", "--time", "0.001", "--json").output)
    assert told["not_tried"]["statements"] == 11
    assert told["tried"]["statements"] == 0


@slow
def test_a_question_of_many_things_hangs_on_too_much() -> None:
    said = run("depends", "assault", "moves A", code=2).output
    assert "use los, tem, fire, can, roll or ask" in said
    assert "No such option" in run("depends", "church", "los C1 G3 --indirect", code=2).output
    assert (
        "this line has no question; a question"
        in run("repair", "church", " ", "clear", code=2).output
    )
    assert "did you mean los?" in run("depends", "assault", "lost C3 C4", code=2).output


# --- what would change it


REPAIRS = [
    ("church", "los C1 G3", "clear", "map", {"woods: E2"}),
    ("assault", "can G move to E3 by entering", "yes", "breach", {"breach E3-E4/0"}),
    ("assault", "can G move to E3 by entering", "yes", "roads", set()),
]


@pytest.mark.parametrize(("board", "text", "wanted", "allowed", "lines"), part(REPAIRS, 1))
def test_a_repair_gives_the_wanted_answer_and_no_part_of_it_does(
    board: str, text: str, wanted: str, allowed: str, lines: set[str] | None
) -> None:
    known = vocabulary().changes.values()
    allow = [e.name for e in known if e.scope in allowed or e.name in allowed.split(",")]
    here, question = api.load(board), parse_query_line(text)
    found = api.repair(here, question, wanted, allow, None)
    assert not found.lines_left
    assert not found.pairs_left
    if lines is not None:
        assert {line.line for each in found.repairs for line in each.lines} == lines
    for each in found.repairs[:6]:
        assert all(line.kind in allow for line in each.lines)
        assert by_hand(board, question, list(each.lines)) == each.short
        assert each.answer.agrees(each.answer.parse_wanted(wanted))
        if len(each.lines) > 1:
            for line in each.lines:
                alone = by_hand(board, question, [line])
                assert alone != each.short


TWO_WOODS = """board "two woods" grid 7x6
woods: D2 D4
"""


def test_two_lines_where_one_does_not_do(tmp_path) -> None:  # type: ignore[no-untyped-def]
    board = tmp_path / "two.board"
    board.write_text(TWO_WOODS, "utf-8")
    shown = run(
        "repair", str(board), "los D1 D5", "clear", "--allow", "terrain", "--time", "off"
    ).output
    assert '--unless "woods: D2" --unless "woods: D4"  clear' in shown
    assert "For the answer clear, change two lines" in shown
    for one in ("woods: D2", "woods: D4"):
        assert "blocked" in run("los", str(board), "D1", "D5", "--unless", one).output
    both = ["--unless", "woods: D2", "--unless", "woods: D4"]
    assert "clear" in run("los", str(board), "D1", "D5", *both).output


def test_none_is_reported_with_what_was_tried() -> None:
    shown = run(
        "repair", "church", "los C1 G3", "clear", "--allow", "fortified", "--time", "off"
    ).output
    assert "No change for the answer clear among " in shown
    assert "Kinds of lines tried: fortified. --allow selects others." in shown
    assert "Not tried" not in shown
    already = run("repair", "church", "los C1 G3", "blocked").output
    assert "The answer is blocked already" in already


@pytest.mark.parametrize(
    ("question", "wanted", "said"),
    [
        ("los C1 G3", "green", "green is not an answer to this question; use clear, blocked"),
        ("ask height(F3) = V", "", "is not an answer to this question"),
        ("tem C1 G3", "clear", "use a number"),
        ("los C1 Z9", "clear", "Z9 is not on this board"),
    ],
)
def test_what_cannot_be_wanted(question: str, wanted: str, said: str) -> None:
    assert said in run("repair", "church", question, wanted, code=2).output


def test_a_kind_of_change_that_there_is_not() -> None:
    said = run("repair", "church", "los C1 G3", "clear", "--allow", "brech", code=2).output
    assert "--allow must name kinds of changes, and brech is not one; did you mean breach?" in said


def test_wanted_numbers_may_be_negative() -> None:
    shown = run("repair", "assault", "fire D3/1 C4 --moving", "-2").output
    assert "DRM -2\nThe answer is -2 already" in shown


# --- the kinds of change


def test_each_input_is_of_one_kind_of_change() -> None:
    known = vocabulary()
    every_ = [name for each in known.changes.values() for name in each.inputs]
    assert len(every_) == len(set(every_))
    assert set(every_) | EXTENT == set(known.inputs)
    assert {each.name for each in known.supposable} <= set(change_kinds(known))


@slow
def test_all_that_is_put_on_a_board_can_be_read() -> None:
    """Each line that is put there is one of the board language, and fits a board or is told not to."""
    seen: set[str] = set()
    for board, text in (QUESTIONS[2], ("factory", "los C3 C4")):
        here, question = api.load(board), parse_query_line(text)
        place = neighbourhood(here, question.answer(here), relevant_to_trial(here, question))
        reads = frozenset(vocabulary().inputs)
        for each in change_candidates(here, type(place)(**{**vars(place), "reads": reads})):
            if each.adds and each.of not in seen:
                seen.add(each.of)
                assert Trials(here, question).changed([each]) is not None, each.line
    assert {each.name for each in vocabulary().supposable} <= seen


def test_every_shape_is_documented() -> None:
    from rules_asp.output import json_schema

    for command in ("sensitive", "repair"):
        assert f"\n    {command}" in (json_schema.__doc__ or "")
