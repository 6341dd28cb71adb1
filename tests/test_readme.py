"""README.md and the pages of the documentation: every example runs, everything that they name exists."""

import doctest
import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import rules_asp
import rules_asp.api
from rules_asp.cli.app import main
from rules_asp.cli.lab_commands import lab
from rules_asp.output.console import WIDTH
from rules_asp.output.help_pages import KINDS, help_pages, pointers
from tests.sampling import part, slow

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
DOCS = {path.name: path.read_text("utf-8") for path in sorted(ROOT.glob("rules_asp/docs/**/*.md"))}
PAGES = {"README.md": README, **DOCS}


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def lines(text: str, language: str) -> list[str]:
    """The calls of the program in the blocks of a language."""
    found = [line for block in blocks(text, language) for line in block.splitlines()]
    return [each for each in found if each.startswith("rules-asp ")]


def shown(of: dict[str, str]) -> list[str]:
    """The blocks with a command and its answer, each once."""
    return list(dict.fromkeys(block for text in of.values() for block in blocks(text, "console")))


# README whole, of the other pages a sample: `--ci` runs all.
@pytest.mark.parametrize(
    "block", dict.fromkeys([*shown({"README.md": README}), *part(shown(DOCS), 8)])
)
def test_a_shown_answer_is_the_answer(block: str) -> None:
    command, _, answer = block.partition("\n")
    program, *arguments = shlex.split(command.removeprefix("$ "))
    assert program == "rules-asp"
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, result.stdout) == (0, answer)


RUN = [line for text in PAGES.values() for line in lines(text, "sh") if "path/to" not in line]


@pytest.mark.parametrize("line", part([each for each in RUN if ".board" not in each], 2))
def test_a_command_in_a_block_of_sh_runs(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if " explore " in line:
        pytest.skip("tests of the explorer run it")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, shlex.split(line)[1:])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("name", PAGES)
def test_each_command_has_its_options(name: str) -> None:
    for line in [each for kind in ("sh", "shell") for each in lines(PAGES[name], kind)]:
        command: click.Command = main
        words = shlex.split(line)[1:]
        while isinstance(command, click.Group):
            command = command.commands[words.pop(0)]
        command.make_parser(click.Context(command)).parse_args(words)


@pytest.mark.parametrize("name", part([each for each in PAGES if blocks(PAGES[each], "python")], 1))
def test_python_examples(name: str) -> None:
    text = "\n".join(blocks(PAGES[name], "python"))
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_example_of_the_api() -> None:
    example = doctest.DocTestParser().get_doctest(rules_asp.api.__doc__ or "", {}, "api", None, 0)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("name", [each for each in PAGES if blocks(PAGES[each], "board")])
def test_a_board_in_a_page_passes_its_own_test(name: str, tmp_path: Path) -> None:
    for block in blocks(PAGES[name], "board"):
        file = tmp_path / "shown.board"
        file.write_text(block, "utf-8")
        assert "\nexpect " in block
        result = CliRunner().invoke(main, ["test", str(file)])
        assert result.exit_code == 0, result.output


def test_the_map_of_a_scenario_is_a_board(tmp_path: Path) -> None:
    for name in ("21", "24", "01"):
        (tmp_path / f"bd{name}.board").write_text(f'board "{name}" grid 33x10\n', "utf-8")
    (tmp_path / "x1.board").write_text('board "x1" grid 4x4\nwoods: A1 A2\n', "utf-8")
    (block,) = blocks(DOCS["own-boards.md"], "text")
    (tmp_path / "map.board").write_text(block, "utf-8")
    result = CliRunner().invoke(main, ["check", str(tmp_path / "map.board")])
    assert result.exit_code == 0, result.output


def test_the_questions_of_a_batch_are_answered() -> None:
    (block,) = blocks(DOCS["bulk.md"], "text")
    result = CliRunner().invoke(main, ["batch", "church"], input=block)
    assert result.exit_code == 0, result.output
    assert len(result.stdout.splitlines()) == len(block.splitlines())


# --- Everything named exists.


@pytest.mark.parametrize("name", PAGES)
def test_every_command_and_option_named_exists(name: str) -> None:
    text = PAGES[name]
    assert set(re.findall(r"(?:^|`|\$ )rules-asp ([a-z]+)", "\n".join(_code(text)))) <= set(
        main.commands
    )
    assert set(re.findall(r"^\| `(?:lab )?([a-z]+) [A-Z[]", text, re.MULTILINE)) <= {
        *main.commands,
        *lab.commands,
    }
    commands = [*main.commands.values(), *lab.commands.values()]
    options = {o for command in commands for p in command.params for o in p.opts}
    assert set(re.findall(r"`(--[a-z-]+)", text)) - {"--version", "--help"} <= options


def _code(text: str) -> list[str]:
    """What is code in a page: blocks and inline."""
    blocks = re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL)
    rest = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [*blocks, *re.findall(r"`[^`]+`", rest)]


def test_the_table_of_the_lab_is_whole() -> None:
    assert set(re.findall(r"^\| `lab ([a-z-]+)", DOCS["lab.md"], re.MULTILINE)) == set(lab.commands)


def test_every_pointer_leads_to_a_page() -> None:
    sources = {path: path.read_text("utf-8") for path in ROOT.glob("rules_asp/**/*.py")}
    for name, text in {**PAGES, **{str(path): text for path, text in sources.items()}}.items():
        assert pointers(text) <= {*help_pages(), "commands", *main.commands}, name


def test_every_file_named_exists() -> None:
    # A package index shows this page too, where a link to a file leads nowhere.
    assert not re.findall(r"(?<!!)\[[^]]*\]\((?!https://|#)([^)]+)\)", README)
    # A picture without its place is still told by its words.
    pictures = re.findall(r"!\[([^]]+)\]\(([^)]+)\)", README)
    assert pictures
    assert all((ROOT / path).is_file() for _, path in pictures)
    # tests/test_house.py looks at what the architecture names.
    for page, text in PAGES.items() - {("architecture.md", DOCS["architecture.md"])}:
        for path in re.findall(r"`((?:kb|parser|tests|rules_asp|\.ci)/[\w./]*)`", text):
            assert (ROOT / path).exists(), (page, path)
    for page in DOCS:
        (file,) = ROOT.glob(f"rules_asp/docs/**/{page}")
        for link in re.findall(r"\]\((?!https://|#)([^)]+)\)", DOCS[page]):
            assert (file.parent / link).exists(), (page, link)


def test_install_lines_are_what_ci_runs() -> None:
    found = [
        line for block in blocks(README, "sh") for line in block.splitlines() if "-m venv" in line
    ]
    assert len(found) == 2
    assert "pip install . && .venv/bin/rules-asp los church C3/2 D2/2" in found[0]
    assert "pip install -e '.[dev]' && .venv/bin/python -m pytest" in found[1]
    ci = (ROOT / ".ci/run").read_text("utf-8")
    for each in found[1].split(" && "):
        assert each.replace("install", "install --quiet") in ci


# --- The pages and `rules-asp help`.


@pytest.mark.parametrize("name", DOCS)
def test_a_page_has_a_title_readers_and_an_end(name: str) -> None:
    title, empty, first, *_ = DOCS[name].split("\n")
    assert title.startswith("# ")
    assert not empty
    assert first.startswith(("This page is for ", "This tutorial is for "))
    assert DOCS[name].count("\n") <= 300


def test_the_readme_is_short() -> None:
    assert README.count("\n") <= 250
    assert README.index("rules-asp import") < README.index("pytest")


def test_help_lists_every_page() -> None:
    told = CliRunner().invoke(main, ["help"]).stdout
    listed = re.findall(r"^  ([a-z-]+) +\S", told, re.MULTILINE)
    assert sorted(listed) == sorted([*help_pages(), "commands"])
    assert {name.removesuffix(".md") for name in DOCS} <= set(listed)
    assert all(title in told for title in KINDS.values())


@pytest.mark.parametrize(
    "topic", ["tutorial", "boards", "questions", "maps", "kb", "json", "api", "commands"]
)
def test_help_shows_a_page(topic: str) -> None:
    result = CliRunner().invoke(main, ["help", topic])
    assert result.exit_code == 0
    title = "Commands and options" if topic == "commands" else help_pages()[topic].title
    assert title in result.stdout
    assert len(result.stdout.splitlines()) > 20


def test_every_page_beside_the_code_is_shown_whole() -> None:
    shown = {page.read() for page in help_pages().values()}
    for package in ("parser", "kb"):
        assert {path.read_text("utf-8") for path in ROOT.glob(f"{package}/*.md")} <= shown


def test_help_in_a_pipe_keeps_lines_of_code_and_their_marks() -> None:
    page = CliRunner().invoke(main, ["help", "boards"]).stdout
    code = "\n".join(blocks(help_pages()["boards"].read(), "board")).splitlines()
    assert max(map(len, code)) > WIDTH
    assert {f" {line}".rstrip() for line in code} <= set(page.splitlines())
    assert "`symbol`" in page


def test_help_of_a_command_is_that_of_the_command() -> None:
    own = CliRunner().invoke(main, ["los", "--help"]).stdout
    assert CliRunner().invoke(main, ["help", "los"]).stdout.splitlines()[1:] == own.splitlines()[1:]


def _commands() -> dict[str, click.Command]:
    # The commands are loaded when they are looked up.
    groups = {"": main, "lab ": lab}
    return {
        f"{at}{name}": each.commands[name] for at, each in groups.items() for name in each.commands
    }


@pytest.mark.parametrize("name", _commands())
def test_the_help_of_a_command_ends_with_an_example_that_it_reads(name: str) -> None:
    *_, last = (_commands()[name].help or "").split("\n\n")
    start, _, line = " ".join(last.split()).partition("Example: rules-asp ")
    assert start == ""
    if name == "lab":
        name = "lab find"
    words = shlex.split(line)[len(name.split()) :]
    assert f"{line} ".startswith(f"{name} ")
    _commands()[name].make_context(name, words)


@slow
def test_old_names_of_commands_and_options_are_still_read(tmp_path: Path) -> None:
    def run(*args: str) -> str:
        result = CliRunner().invoke(main, args)
        assert result.exit_code == 0, result.output
        return result.stdout

    board = tmp_path / "house.board"
    board.write_text('board "house" grid 2x2\nbuilding gray: A1\n', "utf-8")
    asked = (str(board), "ask height(A1) = V", "--time", "off")
    assert run("sensitive", *asked) == run("depends", *asked)
    assert run("lab", "chains", "B23.74-3") == run("lab", "precedence", "B23.74-3")
    assert run("draw", "church", "-o", "-", "--ink") == run("draw", "church", "-o", "-", "--mono")
    assert run("help", "sensitive").splitlines()[1:] == run("help", "depends").splitlines()[1:]
    shown = run("--help") + run("lab", "--help") + run("draw", "--help")
    assert not {"sensitive", "chains", "--ink"} & set(shown.split())


def test_a_misspelt_topic_names_the_nearest() -> None:
    result = CliRunner().invoke(main, ["help", "limts"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Did you mean limits?" in result.stderr
    assert "rules-asp help" in CliRunner().invoke(main, ["help", "xyzzy"]).stderr


def _is_shown(parameter: click.Parameter) -> bool:
    return parameter.opts[0].startswith("--") and not getattr(parameter, "hidden", False)


def test_the_reference_of_commands_has_each_with_its_options() -> None:
    told = CliRunner().invoke(main, ["help", "commands"]).stdout
    for name, command in [
        *main.commands.items(),
        *((f"lab {n}", c) for n, c in lab.commands.items()),
    ]:
        assert f"rules-asp {name}" in told
        assert all(p.opts[0] in told for p in command.params if _is_shown(p))


def test_the_written_pages_have_no_dead_link(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["help", "--write", str(tmp_path)])
    assert result.exit_code == 0, result.output
    written = {path: path.read_text("utf-8") for path in tmp_path.rglob("*.md")}
    anchors = {
        each for text in written.values() for each in re.findall(r"^\((\S+)\)=$", text, re.M)
    }
    assert len(anchors) > 500
    assert (tmp_path / "rules" / "B23.71.md").exists()
    for path, text in written.items():
        prose = re.sub(r"^```\w.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        for link in re.findall(r"\]\((?!https://)([^)\s]+)\)", prose):
            if link.startswith("#"):
                assert link[1:] in anchors, (path, link)
            else:
                assert (path.parent / link).exists(), (path, link)
    for tree in re.findall(r"maxdepth: 1\n\n(.*?)\n```", written[tmp_path / "index.md"], re.DOTALL):
        assert all((tmp_path / f"{each}.md").exists() for each in tree.split("\n"))


def test_the_version_to_cite_is_this_one() -> None:
    assert set(re.findall(r"\d+\.\d+\.\d+", DOCS["cite.md"])) == {rules_asp.__version__, "1.2.0"}
    assert DOCS["changelog.md"].partition("\n## ")[2].startswith(rules_asp.__version__)
