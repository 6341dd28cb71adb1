"""The message about a mistake shows the correct line or the correct name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from rules_asp.cli.app import main
from rules_asp.cli.query_commands import LineError, parse_query_line
from rules_asp.parser import BoardError, parse, parse_deed, parse_query
from tests.sampling import slow


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("snow", "weather ground-snow"),
        ("observer A at C3", "expect los C1/+3 - G3 clear"),
        (
            "unit A squad 8-1 german at C3",
            "only a leader has a value such as 8-1, and this unit is a squad",
        ),
        ("month january", "month 7"),
    ],
)
def test_a_line_that_is_said_otherwise_is_reported_rightly(line: str, told: str) -> None:
    with pytest.raises(BoardError) as error:
        parse(f'board "x" grid 4x4\n{line}\n')
    assert told in str(error.value)


def test_a_unit_that_is_called_as_an_article_is_quoted() -> None:
    with pytest.raises(BoardError, match='write "a" for the unit'):
        parse_deed("a moves to C4")
    assert parse_deed('"a" moves to C4')


@pytest.mark.parametrize(("verb", "meant"), [("shoots", "fires at"), ("walks to", "moves to")])
def test_another_verb_names_the_words_of_the_action(verb: str, meant: str) -> None:
    with pytest.raises(BoardError, match=f"did you mean {meant}") as error:
        parse_deed(f"A {verb} C4")
    assert "rules-asp help questions" in str(error.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("A sees B", "rules-asp los BOARD A B"),
        ("move A to C3", "the unit first"),
        ("A searches", "another action of"),
    ],
)
def test_what_is_no_action_names_the_next_step(text: str, told: str) -> None:
    with pytest.raises(BoardError, match=told) as error:
        parse_deed(text)
    assert "did you mean" not in str(error.value)


def test_a_plain_sentence_is_answered_with_a_question_that_can_be_asked() -> None:
    with pytest.raises(BoardError, match="not a question that `ask` understands") as error:
        parse_query("who is in C3")
    assert "height(C3) = V" in str(error.value)


def test_a_vca_that_is_none_names_the_six_that_are() -> None:
    with pytest.raises(BoardError) as error:
        parse('board "x" grid 7x7\nunit T vehicle german at C3: VCA E4/E5\n')
    assert "C2/D2, D2/D3, D3/C4, C4/B3, B3/B2, B2/C2" in str(error.value)


def test_what_tells_a_cost_is_named() -> None:
    with pytest.raises(LineError) as error:
        parse_query_line("cost A to C4")
    assert "moves" in str(error.value)


@pytest.mark.parametrize("named", ["W, L", "W and L", "W L", "W, L and M", "W & L"])
def test_a_deed_of_several_units_is_asked_of_a_stack(named: str) -> None:
    with pytest.raises(BoardError) as error:
        parse_deed(f"{named} moves to C5")
    told = str(error.value)
    assert "only one unit" in told
    assert "moves BOARD W L" in told
    assert "expect cost W L" in told


def test_another_deed_of_several_units_is_asked_of_each() -> None:
    with pytest.raises(BoardError, match="`W attacks R in Close Combat` for each of them"):
        parse_deed("W, L attacks R in Close Combat")


def test_a_word_that_is_no_unit_is_reported_as_before() -> None:
    with pytest.raises(BoardError, match="quickly is not expected at this position"):
        parse_deed("W quickly moves to C5")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ('street_fighting(close_combat("R", "V"))', r"cc_attack\(unit, unit, cc_way\)"),
        ('effect(shoot("M", direct), X)', r"done\(deed\)"),
    ],
)
def test_a_form_of_another_kind_is_reported_what_is_meant(question: str, told: str) -> None:
    with pytest.raises(BoardError, match=told):
        parse_query(question)


@pytest.mark.parametrize(
    ("question", "column", "told"),
    [
        ("tem(fire from A1 at B2) = V, V > 2", 5, r"the shot .* shot\(A1, B2, direct, still\)"),
        ("not legal(A moves to B2)", 11, r'the action .* step\(move, "A", _, B2, _\)'),
        ("height(A1) = V, tem(some fire) = V", 21, r"the shot .* shot\(location, location, fire"),
    ],
)
def test_a_sentence_where_a_form_is_wanted_is_reported_as_one(
    question: str, column: int, told: str
) -> None:
    with pytest.raises(BoardError) as error:
        parse_query(question)
    assert f":1:{column}:" in str(error.value)
    assert re.search(told, str(error.value), re.DOTALL)


@pytest.mark.parametrize("question", ["sees(H/0 - C3)", "sees(C3 - H/roof)", "tem_at(Where/1) = V"])
def test_a_level_of_a_variable_is_asked_for_besides(question: str) -> None:
    with pytest.raises(
        BoardError, match=r"stands for a Location with its level: write (H|Where), not \1/\w+"
    ) as told:
        parse_query(question)
    assert "of_hex(" in str(told.value)


@pytest.mark.parametrize("question", ["sees(C3/L - C4)", "tem_at(C3/Level) = V"])
def test_a_level_that_is_left_open_is_asked_for_besides(question: str) -> None:
    with pytest.raises(BoardError, match=r"C3/L\w* has a variable as its level") as told:
        parse_query(question)
    assert re.search(r"of_hex\(X, C3, L\w*\)", str(told.value))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("not rubble(C3, W)", "`_` in its place"),
        ("straddled(H-I)", r"borders\(S, H\) for each of H and I"),
        ("tem(indirect fire from X at Y) = V", r"shot\(X, Y, indirect, still\)"),
    ],
)
def test_what_stands_in_the_place_of_a_variable_is_reported(question: str, told: str) -> None:
    with pytest.raises(BoardError, match=told):
        parse_query(question)


def run(*args: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, args)
    assert result.exit_code == code, result.output
    return result.output


def test_an_article_is_not_named_as_the_mistake_of_a_roll() -> None:
    told = run("roll", "church", "the spread of the Blaze from C3 to D2/1", code=2)
    assert "article" not in told
    assert "expected a hex" in told


def test_a_hex_in_small_letters_is_read_where_no_unit_has_the_name() -> None:
    assert run("los", "church", "c3/2", "f1") == run("los", "church", "C3/2", "F1")
    assert run("tem", "assault", "b4", "d3/1") == run("tem", "assault", "B4", "D3/1")


def test_an_archive_in_place_of_a_board_names_the_command_that_converts_it(tmp_path: Path) -> None:
    archive = tmp_path / "bd21"
    archive.write_bytes(b"PK\x03\x04\xff\xfe")
    told = run("los", str(archive), "A1", "B2", code=2)
    assert f"rules-asp import {archive} -o bd21.board" in " ".join(told.split())


@slow
def test_can_reads_the_sentence_of_an_expectation() -> None:
    assert run("can", "assault", "can A move to C3") == run("can", "assault", "A move to C3")


@pytest.mark.parametrize(
    "line",
    [
        "los B4 D3/1",
        "tem B4 D3/1",
        "fire D3/1 C4 --moving",
        pytest.param("can A move to C3", marks=slow),
    ],
)
def test_why_explains_a_line_of_a_batch(line: str) -> None:
    command, _, rest = line.partition(" ")
    words = [rest] if command == "can" else rest.split()
    assert run("why", "assault", line) == run(command, "assault", *words, "--why")
