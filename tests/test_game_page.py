"""docs/howto/game-in-progress.md: its boards are asked, its commands run, its options exist."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cases.expectations import expectations
from rules_asp.cli.app import main
from rules_asp.positions.loading import example_boards

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "rules_asp/docs/howto/game-in-progress.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", blocks("console"))
def test_a_shown_answer_is_the_answer(block: str) -> None:
    command, _, shown = block.partition("\n")
    program, *arguments = shlex.split(command.removeprefix("$ "))
    assert program == "rules-asp"
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, result.stdout) == (0, shown)


def test_the_set_up_has_twelve_lines_and_answers(tmp_path: Path) -> None:
    (text,) = blocks("setup")
    assert len(text.splitlines()) == 12
    for name in re.findall(r'use "(\w+)\.board"', text):
        (tmp_path / f"{name}.board").write_text(
            example_boards()[name].read_text("utf-8"), encoding="utf-8"
        )
    (tmp_path / "setup.board").write_text(text, "utf-8")
    position = api.load(tmp_path / "setup.board")
    outcomes = list(expectations(position))
    assert outcomes
    assert all(each.passed for each in outcomes)


def test_what_an_agreement_settles() -> None:
    (text,) = blocks("board")
    assert all(each.passed for each in expectations(api.position(api.parse(text))))
    before = "\n".join(each for each in text.splitlines() if not each.startswith(("treat", "exp")))
    assert api.los(api.position(api.parse(before)), "C1", "C5").clear is None


def test_every_option_of_the_page_exists() -> None:
    known = {option for each in main.commands["import"].params for option in each.opts}
    known |= {option for each in main.commands["los"].params for option in each.opts}
    named = set(re.findall(r"(--[a-z]+)", PAGE))
    assert named >= {"--boards", "--step", "--side", "--map", "--chat"}
    assert named <= known
    for command in ("import", "los", "fire"):
        assert f"rules-asp {command}" in PAGE


def test_chat_is_one_line_for_each_command() -> None:
    for command in ("los", "tem", "fire"):
        done = CliRunner().invoke(main, [command, "church", "C3/2", "D2/1", "--chat"])
        assert done.exit_code == 0
        assert len(done.stdout.splitlines()) == 1
        assert done.stdout.startswith("rules-asp: ")
    for arguments in (["--chat", "--json"], ["--json", "--chat"]):
        done = CliRunner().invoke(main, ["los", "church", "C3/2", "D2/1", *arguments])
        assert done.exit_code == 2


def test_chat_names_hindrance_doubt_and_what_is_unknown(tmp_path: Path) -> None:
    board = tmp_path / "a.board"
    board.write_text(
        'board "a" grid 7x6\ngrain: C3\nmonth 7\nunknown terrain odd: E3\ndoubt C4 "odd"\n', "utf-8"
    )

    def chat(*arguments: str) -> str:
        return CliRunner().invoke(main, [*arguments, "--chat"]).stdout

    told = chat("los", str(board), "C1", "C5")
    assert "clear, Hindrance +1: +1 C3 (" in told
    assert "the map is in doubt at C4" in told
    assert "unknown: " in chat("los", str(board), "E1", "E5")
    assert "DRM " in chat("fire", str(board), "C1", "C5")
