"""Changes: added and removed lines, `--if` and `--unless`, standard input, and pickled positions."""

from __future__ import annotations

import json
import pickle
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import assume, given
from hypothesis import strategies as st

from rules_asp.api import load
from rules_asp.boards.changes import Change, apply_changes
from rules_asp.boards.resolve import resolve
from rules_asp.boards.statement_ops import atomic_statements, without_parts
from rules_asp.cases.expectations import expectations
from rules_asp.cli.app import main
from rules_asp.game.board import Board, Building, Statement, UnitStatement
from rules_asp.game.grid import Grid
from rules_asp.geometry.shapes import shapes_of
from rules_asp.parser import BoardError, parse, write
from rules_asp.parser.source_text import StatementText, lines_of, split_statements
from rules_asp.positions.loading import example_boards
from rules_asp.positions.position import Position, prepare
from tests import board_texts
from tests.edits import CASES, LIGHT, PLAIN
from tests.positions import program
from tests.sampling import part, slow, some, whole


def said(position: Position) -> tuple[object, ...]:
    """Return the facts of a position and their consequences, without their order."""
    follows = [frozenset(map(str, case.all_atoms)) for case in position.cases]
    return frozenset(position.facts.splitlines()), frozenset(follows), position.shapes


def answers(position: Position) -> list[tuple[object, ...]]:
    """Return the results of the `expect` lines."""
    return [
        (each.expect, each.passed, each.answered, each.cites) for each in expectations(position)
    ]


def lesser(board: Board, *lines: str) -> Board:
    return apply_changes(board, [Change(False, line) for line in lines])


def more(board: Board, *lines: str) -> Board:
    return apply_changes(board, [Change(True, line) for line in lines])


def without_line(text: str, piece: StatementText) -> str:
    """Return the text of a board without one of its statements."""
    lines = list(lines_of(text))
    for number in range(piece.line - 1, piece.line + piece.text.count("\n")):
        lines[number] = ""
    return "\n".join(lines)


def without_piece(text: str, piece: StatementText) -> str:
    """A board's text without one of its statements, and without what it expects of a unit thereby gone."""
    lines = without_line(text, piece).split("\n")
    if unit := re.match(r"unit (\S+)", piece.text):
        of_it = re.compile(rf'expect ((can|cost) (.*\W)?{unit[1]}\b|.*"{unit[1]}")')
        lines = [line for line in lines if not of_it.match(line)]
    return "\n".join(lines)


def is_only_there(board: Board, piece: StatementText) -> bool:
    """Test whether no other statement has a part of this one."""
    said = {part for each in parse(piece.text).statements for part in atomic_statements(each)}
    there = [part for each in board.statements for part in atomic_statements(each)]
    return all(there.count(part) == 1 for part in said)


def stated(path: Path, most: int) -> list[tuple[str, StatementText]]:
    """Return a sample of the statements of a board, each with the text of the board."""
    text = path.read_text("utf-8")
    board = parse(text)
    found = [
        each for each in split_statements(lines_of(text)) if not each.text.startswith("board ")
    ]
    return [(text, each) for each in some(found, most) if is_only_there(board, each)]


@pytest.mark.parametrize("path", some(PLAIN, 6), ids=lambda path: path.stem)
def test_a_removed_line_leaves_the_board_without_it(path: Path) -> None:
    tried = stated(path, 6)
    assert tried
    for text, piece in tried:
        try:
            made = lesser(parse(text), piece.text)
        except BoardError as error:
            # What the line said is needed by another, be that what is expected.
            with pytest.raises(BoardError) as caught:
                resolve(parse(without_line(text, piece)))
            ours, theirs = error.problems, caught.value.problems
            assert {each.message for each in ours} == {each.message for each in theirs}
            continue
        assert made == resolve(parse(without_piece(text, piece))), piece.text


@slow
@pytest.mark.parametrize("path", some(LIGHT, 2), ids=lambda path: path.stem)
def test_a_changed_position_equals_one_of_the_changed_board(path: Path) -> None:
    """A removed and restored line leaves the answers as they were; the first position does not change."""
    old = prepare(parse(path.read_text("utf-8")), program())
    before, answered = said(old), answers(old)
    changes = 0
    for text, piece in stated(path, 4):
        try:
            new = old.without(piece.text)
        except BoardError:
            continue
        apart = prepare(parse(without_piece(text, piece)), program())
        assert said(new) == said(apart)
        assert answers(new) == answers(apart)
        back = new.with_(piece.text)
        assert said(back) == before
        changes += 1
        if changes == 2 and not whole():
            break
    assert changes
    assert (said(old), answers(old)) == (before, answered)


#: Lines for any small board with a free hex A2.
LINES = (
    "woods: A2",
    "unit Zz squad 4-6-7 german at A2: broken, PP 2",
    "unit Zz leader at A2\nevent Zz made 1 tca change dr",
    "wall: A1-A2",
    "road paved: A1-A2",
    "flame A2",
    "smoke 2: A2 A1",
    "residual fp 4: A2",
    'doubt A2 "is it there?"',
    'building "hut" brown: A2   stairwell A2',
    "outline brush: 0,700 90,740 20,800 hole 10,720 20,740 10,745",
    "expect holds hex(A2)",
)


@pytest.mark.parametrize("line", part(LINES, 5))
def test_an_added_and_removed_line_changes_nothing(line: str) -> None:
    old = prepare(parse('board "plain" grid 3x3\nbuilding gray: B2 C2   joined B2-C2'), program())
    new = old.with_(line)
    assert new.board.statements != old.board.statements
    assert new.board == prepare(parse(write(old.board) + line), program()).board
    assert new.without(line).board == old.board
    assert said(new.without(line)) == said(old)


def test_an_added_line_counts_as_in_a_file_that_uses_the_board(tmp_path: Path) -> None:
    path = tmp_path / "used.board"
    path.write_text(CORRECTED, "utf-8")
    lines = CORRECTIONS.splitlines()
    using = tmp_path / "using.board"
    using.write_text('use "used.board"\n' + CORRECTIONS, "utf-8")
    used = load(path, program())
    assert used.with_(CORRECTIONS).board == load(using, program()).board
    assert used.with_(*lines).board == load(using, program()).board


CORRECTED = """\
board "used" grid 9x9
level 1: A2 B2
building gray: B4 C4 C5   joined B4-C4 C4-C5   stairwell B4   bar B4-C4
woods: D4 D5
unit A squad 4-6-7 german at B4
turn 3 german
"""
CORRECTIONS = """\
hex B4 stairwell no
hex C4 stairwell yes
level 2: A2
hex D4 woods no
hexside B4-C4 bar no
bar C4-C5 covers 0-20
unit A leader german at C4
turn 4
"""


# --- parts of what a line says

TAKEN = [
    ("woods: B2 B3", "woods: B3", "woods: B2"),
    ("woods: B2\nwoods: B3 B2", "woods: B2", "woods: B3"),
    ("woods: B2 B3", "woods: B3 B2", ""),
    ("woods: B2 B3", "hex B3 woods yes", "woods: B2"),
    ("level 1: B2 B3", "level 1: B2", "level 1: B3"),
    ("level 1: B2 B3", "hex B2 level 1", "level 1: B3"),
    ("wall: B2-B3 B3-B4", "wall: B3-B2", "wall: B3-B4"),
    ("wall: B2-B3 B3-B4", "hexside B2-B3 wall yes", "wall: B3-B4"),
    ("road dirt: B1-B2-B3-B4", "road dirt: B3-B2", "road dirt: B1-B2\nroad dirt: B3-B4"),
    ("road dirt: B1-B2-B3-B4", "road dirt: B4-B3-B2-B1", ""),
    ("rules B23 PB4", "rules PB4", "rules B23"),
    ("turn 3 german mph", "turn mph", "turn 3 german"),
    ("rubble stone: B2 B3", "rubble stone: B3", "rubble stone: B2"),
    ("symbol round: B2", "hex B2 round yes", ""),
    (
        'building "inn" gray: B2 B3   joined B2-B3   stairwell B2   bar B2-B3',
        "building gray: B3 B2",
        "",
    ),
    (
        'building "inn" gray: B2 B3 C3   joined B2-B3   stairwell B2 C3',
        "building gray: C3",
        'building "inn" gray: B2 B3   joined B2-B3   stairwell B2',
    ),
    ("building gray: B2 B3   joined B2-B3", "hex B3 building gray", None),
    ("building gray: B2   stairwell B2", "hex B2 stairwell yes", "building gray: B2"),
    (
        "building gray: B2 B3   joined B2-B3   bar B2-B3",
        "hexside B3-B2 joined yes",
        "building gray: B2 B3   bar B2-B3",
    ),
    (
        "building gray: B2 B3   bar B2-B3 covers 0-60",
        "bar B2-B3",
        "building gray: B2 B3",
    ),
    ("unit A squad 4-6-7 german at B2: broken, PP 4", "unit A squad", ""),
    ("unit A squad 4-6-7 german at B2: broken, PP 4", "unit A squad at B2: PP 4", ""),
    (
        "outline woods: 0,0 9,0 9,9 hole 1,1 1,2 2,2 hole 4,4 4,5 5,5",
        "outline woods: 9,9 9,0 0,0 hole 5,5 4,4 4,5 hole 2,2 1,1 1,2",
        "",
    ),
    ("expect los B2 - B3 clear", "expect los B2 - B3 clear", ""),
    (
        "unit A squad at B2\nexpect cost A to B3 = 2\nexpect holds hex(B2)",
        "unit A squad",
        "expect holds hex(B2)",
    ),
]


@pytest.mark.parametrize(("stands", "taken", "left"), TAKEN)
def test_a_line_to_remove_is_matched_by_its_meaning(
    stands: str, taken: str, left: str | None
) -> None:
    head = 'board "x" grid 9x9\n'
    board = parse(head + stands)
    if left is None:
        # As if corrected away: the neighbour's drawing still crosses the hexside.
        assert lesser(board, taken) == more(board, "hex B3 building no")
        return
    assert lesser(board, taken) == resolve(parse(head + left))


@given(board_texts.statements())
def test_the_atomic_parts_of_a_statement_are_complete(statement: Statement) -> None:
    all_ = list(atomic_statements(statement))
    assert without_parts(statement, set(all_)) == ()
    assert {
        part for each in without_parts(statement, set()) for part in atomic_statements(each)
    } == set(all_)
    # A part says no more than itself, and is written as the language has it.
    for each in all_:
        if not isinstance(each, UnitStatement):
            assert each in atomic_statements(each)
            assert set(atomic_statements(each)) <= set(all_)


@given(board_texts.statements(), st.randoms(use_true_random=False))
def test_a_statement_keeps_all_parts_that_are_not_removed(
    statement: Statement, chance: random.Random
) -> None:
    all_ = list(dict.fromkeys(atomic_statements(statement)))
    # A building's hex and a unit take more with them.
    free = [each for each in all_ if not isinstance(each, Building | UnitStatement)]
    assume(free)
    gone = {chance.choice(free)}
    left = {part for each in without_parts(statement, gone) for part in atomic_statements(each)}
    assert left == set(all_) - gone


@given(board_texts.statements())
def test_a_written_statement_has_the_same_parts(statement: Statement) -> None:
    """A statement that is parsed from its own text has the same parts."""
    again = parse(write(Board("", Grid(0, 0), (statement,)))).statements
    assert {part for each in again for part in atomic_statements(each)} == set(
        atomic_statements(statement)
    )


# --- drawings


DRAWN = 'board "drawn" grid 5x5\noutline woods: 400,200 900,200 900,900\nbuilding gray: B2 B3'


@slow
def test_only_changed_depictions_are_computed_again() -> None:
    old = prepare(parse(DRAWN), program())
    counters = (
        "unit A squad at B2",
        "rubble stone: B2",
        "flame B2",
        "road dirt: A1-A2",
        "rules PB4",
    )
    for line in counters:
        assert old.with_(line).shapes is old.shapes
        assert old.with_(line).without(line).shapes is old.shapes
    drawn = (
        "woods: A1",
        "level 1: A1",
        "wall: A1-A2",
        "bar B2-B3",
        "hexside B2-B3 joined yes",
        "building brown: C3",
        "outline brush: 0,0 90,0 90,90",
        "lumberyard: D3",
    )
    for line in drawn:
        new = old.with_(line)
        assert new.shapes != old.shapes
        assert new.shapes == shapes_of(new.board)
        if not line.startswith("hexside"):
            assert new.without(line).shapes == old.shapes


# --- refusals

STREET = """\
board "20" grid 9x9
sides german russian
woods: B2 B3
building gray: E4 E5   joined E4-E5   stairwell E4
unit A squad 4-6-7 german at E4/1
unit L leader german at E4: leads A
"""
#: A change, and the expected message: place, problem, and the nearest line.
REFUSED = [
    (True, "wods: B2", "1:1", "the rules do not define the terrain wods", "woods"),
    (True, "rubbel stone: B2", "1:1", "no statement begins with rubbel", "rubble"),
    (True, "woods: b2", "1:8", "b2 is not expected at this position", "B2"),
    (
        True,
        "woods: B2\nwoods: Z3",
        "2:8",
        "the hex Z3 is outside the map, which has 9x9 hexes",
        None,
    ),
    (True, "hex B4 woods no", "1:1", "there is no woods in B4", None),
    (True, "event B made 1 tca change dr", "1:7", "there is no unit B", None),
    (True, "woods: 21B4", "1:8", "21 is not the name of a board of this map", None),
    (
        True,
        'use "x.board"',
        "1:1",
        "a change applies to one board, so it cannot contain a `use` line",
        None,
    ),
    (True, 'board "x" grid 3x3', "1:1", "a change cannot have a `board` line", None),
    (True, "  # nothing", "1:1", "the text is empty: write a board line", None),
    (True, "", "1:1", "the text is empty: write a board line", None),
    (
        True,
        "level 1: B2\nlevel 2: B2",
        "2:1",
        "line 1 already sets B2 level: remove one of the two lines",
        None,
    ),
    (
        False,
        "woods: B2 B4",
        "1:11",
        "the line cannot be removed, because it is not on the board",
        "woods: B3",
    ),
    (False, "rubbel stone: B2", "1:1", "no statement begins with rubbel", "rubble"),
    (
        False,
        "building brown: E4",
        "1:17",
        "the line cannot be removed, because it is not on the board",
        "building gray: E4",
    ),
    (False, "building gray: E4   stairwell E4 E5", "1:34", "E5 is not in this building", None),
    (
        False,
        "unit A squad 4-6-7 russian at E4/1",
        "1:6",
        "the line cannot be removed, because it is not on the board",
        "unit A squad 4-6-7 german at E4/1",
    ),
    (False, "hex E4 stairwell no", "1:5", "a correction cannot be removed", None),
    (False, "unit A squad", "6:", "there is no unit A", None),
    (False, "sides german", "5:", "the board has no side german", None),
    (
        False,
        "level 0: B2",
        "1:10",
        "the line cannot be removed, because it is not on the board",
        None,
    ),
    (False, "", "1:1", "the text is empty: write a board line", None),
]


@pytest.mark.parametrize(("adds", "text", "where", "what", "near"), REFUSED)
def test_invalid_changes_are_refused_with_the_nearest_line(
    adds: bool, text: str, where: str, what: str, near: str | None
) -> None:
    board = parse(STREET, "street")
    with pytest.raises(BoardError) as caught:
        apply_changes(board, [Change(adds, text, "what if")])
    told = str(caught.value)
    assert told.startswith(("what if:" if where[0] < "3" else "street:") + where)
    assert what in told
    assert (near is None) == ("did you mean" not in told)
    if near is not None:
        assert caught.value.problems[0].nearest == near
    if text.strip() and where[0] < "3":
        assert f"    {text.splitlines()[int(where[0]) - 1]}\n" in told
        assert told.splitlines()[2].endswith("^")


def test_changes_are_checked_together() -> None:
    board = resolve(parse(STREET))
    for lines in (("unit A squad", "unit L leader"), ("unit A squad\nunit L leader",)):
        assert not any(isinstance(each, UnitStatement) for each in lesser(board, *lines).statements)
    with pytest.raises(BoardError):
        lesser(board, "unit A squad")


def test_a_later_line_replaces_an_earlier_one() -> None:
    board = parse(STREET)
    twice = more(board, "level 1: B2", "level 2: B2", "unit A squad german at B2")
    assert twice == more(board, "level 2: B2", "unit A squad german at B2")
    assert {each.file for each in twice.places} == {"<text>", "change 2", "change 3"}


# --- on the command line


def run(*arguments: object, code: int | None = 0, text: str | bytes | None = None) -> Result:
    """Run a command; `code` is the expected exit code, None for any."""
    result = CliRunner().invoke(main, [str(each) for each in arguments], input=text)
    assert code is None or result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


STREETS = example_boards()["assault"].read_text("utf-8")
#: One question of each command: the arguments after the board.
ASKED = [
    ("los", "B4", "D3/1"),
    ("range", "A", "D3/1"),
    ("tem", "B4", "D3/1"),
    ("fire", "D3/1", "C4", "--moving"),
    ("firers", "E"),
    ("targets", "A", "--phase", "pfph"),
    ("moves", "A"),
    ("rout", "A"),
    ("reach", "A"),
    ("sees", "D3/1"),
    ("can", "A move to C3"),
    ("roll", "rubble_creation(C3)"),
    ("ask", "height(H) = V"),
    ("why", "height(C3) = V"),
    ("check",),
    ("facts", "--derived"),
    ("view",),
    ("draw", "-o", "-"),
    ("program",),
    ("program", "height(C3) = V"),
]
ADDED = (
    "woods: C4",
    "hex C3 stairwell no",
    "hex C3 building brown",
    "unit A squad 4-6-7 german at C4: broken",
    "factory E3\nunit H squad 4-6-7 german at E3/1",
)
TAKEN_AWAY = ("unit E squad 4-4-7 russian at D3/1", "wall: B3-B4")


def of_board(name: str) -> bool:
    return any(each.name in ("board", "files") for each in main.commands[name].params)


def test_every_command_with_a_board_accepts_if_and_unless() -> None:
    asked = {command for command, *_ in ASKED}
    asked |= {"test", "batch", "matrix", "depends", "repair", "case"}
    asked |= {"threats", "safest", "turn", "sequence"}
    # On the page of `explore` the board is changed itself.
    assert {name for name in main.commands if of_board(name)} - {"explore"} == asked
    for name in asked:
        shown = run(name, "--help").stdout
        assert "--if LINE" in shown
        assert "--unless LINE" in shown


@slow
@pytest.mark.parametrize("asked", some(ASKED, 2), ids=" ".join)
def test_if_and_unless_equal_a_changed_file(asked: tuple[str, ...], tmp_path: Path) -> None:
    command, *rest = asked
    # `expect` lines of a board that is used are left behind; none of these commands asks them.
    (tmp_path / "street.board").write_text(STREETS, "utf-8")
    using = tmp_path / "using.board"
    using.write_text('use "street.board"\n' + "\n".join(ADDED), "utf-8")
    lesser = tmp_path / "lesser.board"
    lines = [line for line in STREETS.splitlines() if line not in TAKEN_AWAY]
    assert len(lines) == len(STREETS.splitlines()) - len(TAKEN_AWAY)
    lesser.write_text("\n".join(lines), "utf-8")
    plain = run(command, tmp_path / "street.board", *rest).stdout
    answered = {plain}
    added = [each for line in ADDED for each in ("--if", line)]
    gone = [each for line in TAKEN_AWAY for each in ("--unless", line)]
    for options, path in ((added, using), (gone, lesser)):
        told = run(command, tmp_path / "street.board", *rest, *options, code=None)
        wanted = run(command, path, *rest, code=None)
        same = run(command, "-", *rest, *options, text=STREETS, code=None)
        assert wanted.exit_code < 2
        for each in (told, same):
            assert each.exit_code == wanted.exit_code
            assert each.stdout.startswith(wanted.stdout)
            # The comparison with the answer without the change follows.
            more = each.stdout.removeprefix(wanted.stdout)
            assert not more or "ithout the change" in more.split("\n")[1]
        answered.add(wanted.stdout)
    assert run(command, "-", *rest, text=STREETS).stdout == plain
    assert len(answered) > 1, "what is supposed makes no difference to this"


@slow
def test_if_accepts_an_expect_line() -> None:
    assert "1 failed" in run("test", "church", "--unless", "woods: E2", code=1).stdout
    held = run("test", "church", "--if", "expect height(F3) = 1 1/2").stdout
    count = int(re.search(r"(\d+) passed", run("test", "church").stdout)[1])  # type: ignore[index]
    assert f"{count + 1} passed, 0 failed" in held


def test_if_and_unless_apply_in_order() -> None:
    plain = run("facts", "church").stdout
    there_and_back = ("--if", "woods: A1", "--unless", "woods: A1")
    assert run("facts", "church", *there_and_back).stdout == plain
    back_and_there = (*there_and_back[2:], *there_and_back[:2])
    assert (
        "--unless:1:8: the line cannot be removed"
        in run("facts", *back_and_there, "church", code=2).stderr
    )
    for last in (1, 2):
        levels = ("--if", f"level {3 - last}: A1", f"--if=level {last}: A1")
        assert f"base((0,1),{2 * last})." in run("facts", *levels, "church").stdout


@pytest.mark.parametrize("command", ["los", "test", "view", "program"])
def test_invalid_changes_are_reported(command: str) -> None:
    rest = ("A1", "B1") if command == "los" else ()
    told = run(command, "church", *rest, "--if", "rubbel stone: A1", code=2).stderr
    assert told == (
        "rules-asp: --if:1:1: no statement begins with rubbel\n"
        "    rubbel stone: A1\n"
        "    ^\n"
        "    did you mean rubble?\n"
    )
    told = run(
        command, "church", *rest, "--if", "woods: A1", "--unless", "woods: E3", code=2
    ).stderr
    assert told.startswith(
        "rules-asp: --unless:1:8: the line cannot be removed, because it is not on the board\n"
    )
    assert "did you mean woods: E2?" in told
    assert "requires an argument" in run(command, "church", *rest, "--if", code=2).stderr


def test_if_needs_a_board() -> None:
    assert (
        "--if changes a board, so the command needs a BOARD"
        in run("program", "--if", "woods: A1", code=2).stderr
    )


# --- standard input


def test_standard_input_uses_boards_of_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "street.board").write_text(STREETS, "utf-8")
    monkeypatch.chdir(tmp_path)
    using = 'use "street.board"\nlevel 1: A1\n'
    Path("using.board").write_text(using, "utf-8")
    assert run("facts", "-", text=using).stdout == run("facts", "using.board").stdout
    told = run("facts", "-", text='use "nothing.board"', code=2).stderr
    assert told.startswith("rules-asp: <stdin>:1:1: there is no file ")
    assert "nothing.board\n" in told


BAD_INPUT = {
    b"": "standard input is empty: it must be a board",
    b" \n\n": "standard input is empty: it must be a board",
    b"\xff\xfe": "<stdin> is not UTF-8 text",
    b"rubbel stone: A1\n": "<stdin>:1:1: no statement begins with rubbel",
    b"woods: A1\n": "the board has no size",
}


@pytest.mark.parametrize("command", ["check", "test", "view"])
@pytest.mark.parametrize("data", BAD_INPUT)
def test_invalid_standard_input_is_reported(data: bytes, command: str) -> None:
    result = run(command, "-", text=data, code=2)
    assert BAD_INPUT[data] in result.stderr
    assert "fault of rules-asp" not in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no shell to close it")
@pytest.mark.parametrize("closed", part(["<&-", "0>/dev/null", "</dev/null"], 1))
def test_closed_standard_input_is_reported(closed: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m rules_asp check - {closed}', sys.executable],
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "rules-asp: standard input is empty: it must be a board\n"


# --- sent to another process

_THERE = """
import json, pickle, sys
from rules_asp.cases.expectations import expectations
for position in pickle.load(sys.stdin.buffer):
    answers = [(each.passed, each.answered, each.cites) for each in expectations(position)]
    follows = [sorted(map(str, case.all_atoms)) for case in position.cases]
    print(json.dumps([answers, position.facts, follows]))
    new = position.with_("woods: A1")
    print(json.dumps([position.board.name, position.switched_off, new.facts]))
"""


@slow
def test_a_pickled_position_gives_the_same_answers() -> None:
    sent = [load(path, program()) for path in some(CASES, 1)]
    sent.append(load("church", program(), ["R-T03"]).with_("rubble stone: C3"))
    asked = [answers(each) for each in sent]  # so that much is kept inside, which must not be sent
    done = subprocess.run(
        [sys.executable, "-c", _THERE], input=pickle.dumps(sent), capture_output=True, check=True
    )
    told = [json.loads(line) for line in done.stdout.splitlines()]
    for position_, answered, there, later in zip(sent, asked, told[::2], told[1::2], strict=True):
        assert there[0] == [[passed, shown, list(cites)] for _, passed, shown, cites in answered]
        assert there[1] == position_.facts
        assert there[2] == [sorted(map(str, case.all_atoms)) for case in position_.cases]
        changed_here = position_.with_("woods: A1")
        assert later == [position_.board.name, list(position_.switched_off), changed_here.facts]
    assert any(position_.switched_off for position_ in sent)


def test_a_pickled_position_omits_cached_values() -> None:
    here = load("church", program())
    fresh = pickle.dumps(here)
    answers(here)
    assert len(pickle.dumps(here)) == len(fresh)
    again = pickle.loads(fresh)
    assert (again.board, again.shapes) == (here.board, here.shapes)
    assert again.board.places == here.board.places


def test_changes_keep_rulings_switched_off() -> None:
    without = load("church", program(), ["R-T03"])
    assert 'without("R-T03").' in without.facts
    for new in (without.with_("woods: A1"), without.without("woods: E2")):
        assert 'without("R-T03").' in new.facts
    heard: list[object] = []
    listening = replace(without, hear=heard.extend).with_("woods: A1")
    answers(listening)
    assert heard
