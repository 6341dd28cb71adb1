"""README.md tells the truth: its commands are run, and what it shows is what they answer."""

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import rules_asp.api
from rules_asp.cli.app import main
from rules_asp.cli.lab_commands import lab

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", blocks("console"))
def test_a_shown_answer_is_the_answer(block: str) -> None:
    command, _, shown = block.partition("\n")
    program, *arguments = shlex.split(command.removeprefix("$ "))
    assert program == "rules-asp"
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, result.stdout) == (0, shown)


def test_there_are_shown_answers() -> None:
    assert len(blocks("console")) >= 3


def test_python_examples() -> None:
    for text in ("\n".join(blocks("python")), rules_asp.api.__doc__ or ""):
        example = doctest.DocTestParser().get_doctest(text, {}, "README", None, 0)
        assert example.examples
        assert doctest.DocTestRunner().run(example).failed == 0


def test_every_command_named_exists_and_is_named() -> None:
    named = set(re.findall(r"rules-asp ([a-z]+)", README))
    table = set(re.findall(r"^\| `([a-z]+) ", README, re.MULTILINE))
    of_the_lab = set(re.findall(r"`lab ([a-z]+)", README))
    assert of_the_lab == set(lab.commands)
    assert named <= set(main.commands)
    assert table == set(main.commands)


def test_every_option_named_exists() -> None:
    commands = [*main.commands.values(), *lab.commands.values()]
    options = {
        option for command in commands for parameter in command.params for option in parameter.opts
    }
    assert set(re.findall(r"`(--[a-z-]+)", README)) <= options


def test_every_file_named_exists() -> None:
    # A package index shows this page too, where a link to a file leads nowhere.
    assert not re.findall(r"(?<!!)\[[^]]*\]\((?!https://|#)([^)]+)\)", README)
    # A picture without its place is still told by its words.
    pictures = re.findall(r"!\[([^]]+)\]\(([^)]+)\)", README)
    assert pictures
    assert all((ROOT / path).is_file() for _, path in pictures)
    named = set(re.findall(r"`((?:kb|parser|tests|rules_asp|\.ci)/[\w./]*)`", README))
    assert named
    for path in named:
        assert (ROOT / path).exists(), path


def test_install_lines_are_what_ci_runs() -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines() if "venv" in line]
    assert len(lines) == 2
    assert "pip install . && .venv/bin/rules-asp los church C3/2 D2/2" in lines[0]
    assert "pip install -e '.[dev]' && .venv/bin/python -m pytest" in lines[1]
    ci = (ROOT / ".ci/run").read_text("utf-8")
    for part in lines[1].split(" && "):
        assert part.replace("install", "install --quiet") in ci
