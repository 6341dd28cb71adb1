"""Untrusted input: each kind has a limit that messages name and users can raise; none causes a crash."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp import RulesAspError, api, parser
from rules_asp.boards.resolve import resolve
from rules_asp.cli.app import main
from rules_asp.cli.common import CommandError
from rules_asp.game.grid import Grid
from rules_asp.game.values import word_text
from rules_asp.output.help_pages import help_pages
from rules_asp.parser.source_text import without_comment
from rules_asp.runtime.limits import SIZES, VARIABLE, Limits, size_limit, too_large_message
from rules_asp.runtime.worker import call_isolated
from tests import archives
from tests.board_texts import boards, literals
from tests.sampling import part, slow, some, tries

MAP = 'board "m" grid 6x6\n'
#: What takes longer than this is no matter of a slow machine.
FOREVER = Limits(seconds=60)
few = settings(max_examples=tries(20), deadline=None, suppress_health_check=list(HealthCheck))


def run(*arguments: object, **options: object) -> Result:
    result = CliRunner().invoke(main, list(map(str, arguments)), **options)  # type: ignore[arg-type]
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert "fault of rules-asp" not in result.output
    return result


# --- limits


def test_every_limit_stands_in_the_documentation() -> None:
    page = help_pages()["limits"].read()
    for name, (number, what) in SIZES.items():
        assert f"| `{name}` | {number:,} | {what} |" in page


def test_a_limit_is_set_by_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    assert size_limit("question") == SIZES["question"].limit
    monkeypatch.setenv(VARIABLE, "question=20, board=7")
    assert (size_limit("question"), size_limit("board"), size_limit("rules")) == (
        20,
        7,
        SIZES["rules"].limit,
    )
    assert too_large_message("question").startswith("more than 20 characters in a question")
    assert f"{VARIABLE}=question=NUMBER" in too_large_message("question")
    for bad in ("question", "question=-1", "question=²", "questions=1", "question=1e9", "=1"):
        monkeypatch.setenv(VARIABLE, bad)
        with pytest.raises(RulesAspError, match="must be NAME=NUMBER"):
            size_limit("question")
        assert run("los", "church", "C3", "F1").exit_code == 2


@pytest.mark.parametrize("command", ["ask", "can", "roll", "why"])
def test_a_question_is_as_long_as_it_may_be(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {"can": 'A move to "x', "roll": 'the Bog Check of "x'}.get(command, 'named(A1, "x')
    text = said + "x" * (SIZES["question"].limit - len(said))
    assert "more than" not in run(command, "church", text).stderr
    told = run(command, "church", text + "x")
    assert (told.exit_code, told.stdout) == (2, "")
    assert too_large_message("question") in told.stderr
    monkeypatch.setenv(VARIABLE, "question=100000")
    assert "more than" not in run(command, "church", text + "x").stderr


def test_a_line_of_a_batch_is_as_long_as_it_may_be(tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.write_text(f"los C3 {'D' * 20_000}\nlos C3 F1\n" + "x" * 3_000_000)
    result = run("batch", "church", lines)
    first, second, third = result.stdout.splitlines()
    assert result.exit_code == 2
    assert too_large_message("question") in first
    assert '"clear"' in second
    assert too_large_message("question") in third
    assert len(third) < 1000


def test_a_question_has_so_many_literals() -> None:
    number = SIZES["literals"].limit
    one = "hex(A1)"
    assert api.parse_query(", ".join([one] * number))
    with pytest.raises(api.BoardError, match=f"more than {number} literals"):
        api.parse_query(", ".join([one] * (number + 1)))


def test_what_is_left_open_and_used_in_a_row_is_bounded(tmp_path: Path) -> None:
    open_ = [f"perhaps flame A{number}" for number in range(1, SIZES["open"].limit + 2)]
    text = MAP + "\n".join(open_[:-1])
    assert resolve(parser.parse(text))
    with pytest.raises(api.BoardError, match="things that a board leaves open"):
        resolve(parser.parse(text + "\n" + open_[-1]))


def test_all_files_of_a_board_together_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.board").write_text(MAP)
    (tmp_path / "b.board").write_text('use "a.board"\n')
    monkeypatch.setenv(VARIABLE, f"boards={len(MAP) + 14}")
    assert parser.load(tmp_path / "b.board").grid == Grid(6, 6)
    monkeypatch.setenv(VARIABLE, f"boards={len(MAP) + 13}")
    with pytest.raises(api.BoardError, match="bytes in all files"):
        parser.load(tmp_path / "b.board")


def test_drawings_that_cross_themselves_endlessly_are_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dice = random.Random(1)
    tangles = [
        " ".join(f"{dice.randrange(300)},{dice.randrange(300)}" for _ in range(40)) for _ in "abcd"
    ]
    text = 'board "t" grid 6x6\n' + "".join(f"outline woods: {each}\n" for each in tangles)
    monkeypatch.setenv("RULES_ASP_CACHE", "off")
    assert api.ask(api.position(api.parse(text)), "part(H, woods)").holds
    monkeypatch.setenv(VARIABLE, "cutting=0")
    with pytest.raises(api.RulesAspError, match="seconds for cutting the depictions"):
        api.position(api.parse(text.replace("woods", "brush")))


def test_every_error_of_bad_input_has_one_base() -> None:
    for name in ("Archive", "Board", "Coverage", "Engine", "Picture", "Question", "Source"):
        assert issubclass(getattr(api, f"{name}Error"), RulesAspError)
    assert issubclass(api.TooWide, RulesAspError)
    assert issubclass(api.LostWork, RulesAspError)
    assert api.RulesAspError is RulesAspError
    assert (RulesAspError, OSError) == api.ERRORS


# --- time: a text of a megabyte is read or refused in seconds


PIECES = ['"\\', '"', '\\"', "a ", "A1", "#", "(", "1,", "-", "_", '"a"', "@", "  ", "\\\n"]


@slow
@pytest.mark.parametrize("piece", some(PIECES, 7))
def test_no_text_takes_forever(piece: str) -> None:
    many = piece * (300_000 // len(piece))
    call_isolated(_all_read, many, limits=FOREVER)


def _all_read(text: str) -> None:
    for said in (text, f'"{text}#', f"building {text}", f"woods: {text}", f"expect {text}"):
        _refused(parser.parse, MAP + said)
    short = text[: size_limit("question") - 30]
    for before in ("", '"', "named(A1, ", "A move to ", "the Bog Check of ", "step("):
        for read in (
            parser.parse_query,
            parser.parse_deed,
            parser.parse_roll,
            parser.parse_location,
        ):
            _refused(read, before + short)


def _refused(read: object, text: str) -> None:
    told = ""
    try:
        read(text)  # type: ignore[operator]
    except RulesAspError as error:
        told = str(error)
    assert len(told) < 100_000


def slowly(line: str) -> str:
    """The line up to a # that stands in no quoted text, letter by letter."""
    at = 0
    while at < len(line) and line[at] != "#":
        end = at + 1
        if line[at] == '"':
            while end < len(line) and line[end] != '"':
                end += 2 if line[end] == "\\" else 1
            # One that does not end is a letter like any other.
            at = end if end < len(line) else at
        at += 1
    return line[:at]


@given(st.text('"\\#a ', max_size=14))
@settings(max_examples=tries(500), deadline=None)
def test_a_comment_begins_where_it_did(line: str) -> None:
    assert without_comment(line) == slowly(line)


# --- faults that there were


@pytest.mark.parametrize(
    ("line", "told"),
    part(
        [
            ("level 5000: A1", "2:7: 5000 is not a level"),
            ("level 2147483647: A1", "2:7: 2147483647 is not a level"),
            ("level -100: A1", "2:7: -100 is not a level"),
            ("hex A1 level 100", "2:14: 100 is not a level"),
            ("ground 100: A1", "2:8: 100 is not a level"),
            ("outline ground 100: 0,0 9,0 9,9", "2:16: 100 is not a level"),
            ("rubbled level -1: C2", "2:15: -1 is not a level of a hex"),
            ("rubbled level 100: C2", "2:15: 100 is not a level of a hex"),
            ("outline woods: 0,0 0,0 0,0", "2:1: a ring in an outline of woods encloses no area"),
            ("outline woods: 0,0 9,0 9,9 9,0", "2:1: a ring in an outline of woods"),
            (
                "outline woods: 0,0 99,0 99,99 hole 9,9 8,8 7,7",
                "2:1: a ring in an outline of woods",
            ),
            (
                'use "loop.board"',
                "2:1: {folder}/loop.board cannot be read: its symbolic links form a loop",
            ),
            ("woods:\\\n\\\n  x", "4:3: x is not expected at this position"),
            ("\\\n\\\n  rubbish", "4:3: no statement begins with rubbish"),
        ],
        5,
    ),
)
def test_a_bad_line_is_reported_with_its_place(line: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "loop.board").symlink_to("loop.board")
    board = tmp_path / "x.board"
    board.write_text(MAP + line)
    good = tmp_path / "y.board"
    good.write_text(MAP + "expect los A1 - A2 clear\n")
    result = run("los", board, "A1", "A3")
    assert result.exit_code == 2
    assert told.format(folder=tmp_path) in result.stderr
    # Of a folder of boards the others are tested.
    tested = run("test", tmp_path / "x.board", good)
    assert (tested.exit_code, "1 passed, 0 failed" in tested.stdout) == (2, True)


@pytest.mark.parametrize("level", [-99, 0, 99])
def test_the_levels_that_there_may_be_are_read(level: int) -> None:
    board = parser.parse(f"{MAP}level {level}: A1\nhex B2 level {level}\n")
    assert api.ask(api.position(board), f"base(A1, {level})").holds


@pytest.mark.parametrize(
    ("deed", "column"),
    [
        ('step(move, "A", U5, U4, W)), not factory(U4', 27),
        ("fire(A1, B2)) = X, legal(fire(A1, B2)", 13),
        ('step(move, "A)", A1, B1, W))', 28),
    ],
)
def test_nothing_may_follow_a_deed(deed: str, column: int) -> None:
    with pytest.raises(
        api.BoardError,
        match=f"action:1:{column}: this closing parenthesis has no opening parenthesis",
    ):
        api.parse_deed(deed)


def test_nothing_may_follow_a_roll() -> None:
    with pytest.raises(
        api.BoardError, match="roll:1:20: this closing parenthesis has no opening parenthesis"
    ):
        parser.parse_roll('bog_check("T(", A1)), hex(A1')


def test_brackets_in_a_name_are_no_brackets() -> None:
    said = parser.parse_roll('the Bog Check of "a(b" in C3')
    assert parser.parse_roll('bog_check("a(b", C3)') == said


@pytest.mark.parametrize("grid", ["²x1", "1x²", "٣x1", "0x1", "x", "1x1x1", "41x1", "7x6", "-1x2"])
def test_a_grid_of_the_lab_is_two_numbers(grid: str) -> None:
    assert run("lab", "dead", "--grid", grid).exit_code == 2


@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "0", "x"])
@pytest.mark.parametrize("option", ["--time", "--patience"])
def test_a_time_of_the_lab_is_a_time(option: str, seconds: str) -> None:
    assert run("lab", "dead", "--grid", "1x1", option, seconds).exit_code == 2


_INT, _FLOAT = click.types.IntParamType, click.types.FloatParamType


def _numbers(group: click.Group, *names: str) -> Iterator[tuple[str, click.Option]]:
    """The options of all commands that are a number, each with the command that has it."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _numbers(command, *names, name)
            continue
        for each in command.params:
            if isinstance(each, click.Option) and isinstance(each.type, (_INT, _FLOAT)):
                yield " ".join((*names, name)), each


def test_every_number_that_is_an_option_has_a_least_and_a_most() -> None:
    there = list(_numbers(main))
    assert {"lab find", "lab always", "lab diff", "explore"} <= {command for command, _ in there}
    taken = []
    for command, option in there:
        # Any number of seconds is one.
        for said in ("-1",) if isinstance(option.type, _FLOAT) else ("-1", "1" + "0" * 30):
            with suppress(click.UsageError, CommandError):
                option.process_value(click.Context(click.Command(command)), said)
                taken.append(f"{command} {option.opts[0]} {said}")
    assert taken == []


@pytest.mark.parametrize("columns", ["0", "1", "-5", "x", "99999999"])
def test_any_width_of_the_terminal(columns: str) -> None:
    result = run("ask", "church", "height(C3) = V", env={"COLUMNS": columns})
    assert (result.exit_code, "2 1/2" in result.stdout.replace("\n", " ")) == (0, True)


@pytest.mark.parametrize("text", ["A1\udcff", "\udcff", "A\u0661", "A1/\u00b2", "A1\x00"])
def test_an_argument_that_is_no_text_is_refused(text: str) -> None:
    assert run("los", "church", text, "C3").exit_code == 2
    assert run("ask", "church", f"height({text}) = V").exit_code == 2


# --- what is written reads back


@few
@given(boards)
def test_what_the_writer_writes_it_writes_again(board: api.Board) -> None:
    written = parser.write(board)
    assert parser.write(parser.parse(written)) == written


@few
@given(st.lists(literals(), min_size=1, max_size=3))
def test_a_question_reads_back_the_same(said: list[object]) -> None:
    text = ", ".join(map(str, said))
    query = api.parse_query(text)
    assert api.parse_query(str(query)) == query


@pytest.mark.parametrize(
    "text",
    [
        *("holds asked(F2/0)", "may_lie(F2/0, 1)", "asked(F2)", "asked(legal(fire(F2/0, F2)))"),
        *("height(A1) = a_", "asked(a__b)", "asked(a_b_)", "not street_fighting(a_)", "X = Y_"),
        *("outcome(spread(C2, B2), spreads) = yes", "outcome(spread(C2, B2), spreads) = V"),
    ],
)
def test_an_odd_question_reads_back_the_same_or_is_refused(text: str) -> None:
    try:
        query = api.parse_query(text)
    except api.BoardError:
        return
    assert api.parse_query(str(query)) == query


@pytest.mark.parametrize(("word", "said"), [("a_b", "a-b"), ("a_", "a_"), ("a__b", "a__b")])
def test_a_word_keeps_an_underscore_that_no_hyphen_can_stand_for(word: str, said: str) -> None:
    assert word_text(word, "terrain") == said


# --- archives


@pytest.mark.parametrize("seed", range(tries(12)))
def test_what_the_importer_writes_always_loads(seed: int, tmp_path: Path) -> None:
    """Of boards that were drawn over, bars and bridges on nothing among them."""
    dice = random.Random(seed)
    sketch, _ = archives.generate(seed, hilly=seed % 2 == 0, grid=Grid(4, 2))
    for _ in range(30):
        x, y = dice.randrange(sketch.width), dice.randrange(sketch.height)
        to = x + dice.choice((2, 9, 60)), y + dice.choice((2, 9, 60))
        code = dice.choice((archives.BAR, archives.STONE_BRIDGE, dice.randrange(256)))
        sketch.codes[x : to[0], y : to[1]] = code
    target = tmp_path / "x.board"
    result = run("import", archives.write(tmp_path / "x", sketch), "-o", target, "--time", "off")
    if result.exit_code == 0:
        assert resolve(parser.load(target))
    else:
        assert (result.exit_code, target.exists()) == (2, False)


@pytest.mark.parametrize("axis", [0, 1])
def test_noise_is_refused_before_it_is_traced(axis: int, tmp_path: Path) -> None:
    """Stripes a pixel wide, which are ragged along one axis alone."""
    sketch, _ = archives.generate(1, grid=Grid(33, 10))
    stripes = (
        (slice(None, None, 2), slice(None)) if axis == 0 else (slice(None), slice(None, None, 2))
    )
    sketch.codes[stripes] = archives.WOODS
    result = run("import", archives.write(tmp_path / "x", sketch), "-o", tmp_path / "x.board")
    assert result.exit_code == 2
    assert ("pixel edges" if axis == 0 else "differ from the pixel above") in result.stderr
