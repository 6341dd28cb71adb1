"""House rules next to the included rules: they take effect, are marked in answers, and can contain only
rules.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import clingo
import pytest
from click.testing import CliRunner, Result
from clingo import ast

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.game import house_rules
from rules_asp.game.house_rules import NotOnlyRules, check_only_rules
from rules_asp.knowledge import reader
from rules_asp.knowledge.reader import kb_folder
from rules_asp.runtime.limits import SIZES
from tests.positions import program
from tests.sampling import part, slow, some, tries

README = (reader.kb_folder() / "README.md").read_text("utf-8")
SHED = 'board "shed" grid 3x3\nbuilding brown: A1\n'
WIDTH = {"COLUMNS": "96"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a board and the rules of kb/README.md, and the same with a word misspelt."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shed.board").write_text(SHED)
    (lp,) = blocks("lp")
    put("house/shed.lp", lp)
    put("misspelt/shed.lp", lp.replace("single_story", "single_storey"))
    yield tmp_path
    assert house_rules.default_house_rules_dir() is None


def put(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, env=WIDTH)


def refusal(text: str) -> str:
    """What the command says of a folder with this file."""
    put("tried/one.lp", text)
    result = run("ask", "shed.board", "height(A1) = V", "--rules", "tried")
    assert result.exit_code == 2
    assert result.stdout == ""
    return result.stderr


@slow
def test_what_the_readme_shows_is_the_answer(here: Path) -> None:
    shown = blocks("session")
    assert len(shown) == 2
    for block in shown:
        command, _, told = block.partition("\n")
        quoted = re.findall(r'"([^"]*)"|(\S+)', command)
        _, program, *arguments = (one or other for one, other in quoted)
        assert program == "rules-asp"
        assert run(*arguments).output == told


@slow
def test_a_norm_that_gives_two_values_is_a_conflict_and_is_listed_once(here: Path) -> None:
    (lp,) = blocks("lp")
    put("two/shed.lp", lp.replace("height(H), 1)", "height(H), (1;3))"))
    told = json.loads(run("check", "shed.board", "--rules", "two", "--json").stdout)
    (conflict,) = (each for each in told["conflicts"] if each["topic"] == "height(A1)")
    assert set(conflict["norms"]) == {"XX1.1-1"}
    assert "height(A1)" not in [each["topic"] for each in told["unknowns"]]


@slow
def test_words_of_ones_own_can_be_asked_as_long_as_one_plays_by_them(here: Path) -> None:
    (more,) = blocks("more")
    put("house/word_lists.lp", more)
    assert run("ask", "shed.board", "shed(H)", "--rules", "house").output.startswith("shed(A1)\n")
    again = run("ask", "shed.board", "shed(H)")
    assert again.exit_code == 2
    assert "the rules do not define shed" in again.stderr
    assert "shed(hex)" in run("words", "shed", "--rules", "house").stdout


def test_every_command_takes_them(here: Path) -> None:
    def commands(group: object) -> Iterator[object]:
        for each in group.commands.values():  # type: ignore[attr-defined]
            yield from commands(each) if hasattr(each, "commands") else (each,)

    for command in commands(main):
        assert any("--rules" in each.opts for each in command.params)  # type: ignore[attr-defined]


@slow
def test_they_stand_in_rules_proofs_and_the_lab(here: Path) -> None:
    told = run("rules", "XX1.1-1", "--logic", "--rules", "house").stdout
    assert "./house/shed.lp:2" in told
    assert "overrides B23.21-2" in told
    assert "XX1.1-1" in run("why", "shed.board", "height(A1) = V", "--rules", "house").stdout
    assert "XX1" in run("coverage", "--all", "--rules", "house").stdout
    met = run("lab", "meet", "XX1.1-1", "B23.21-2", "--grid", "2x1", "--rules", "house")
    assert "overrides" in met.stdout
    assert "no rule of B23 and house." in " ".join(met.stdout.split())


@slow
def test_a_part_of_the_tem_of_the_board_alone_is_shown_with_the_others(here: Path) -> None:
    put(
        "raised/one.lp",
        "%@ XX1.3-1  The ground level of a Single Story House has a TEM that is one higher.\n"
        'adds("XX1.3-1", tem_at(X), 1, house) :- of_hex(X,H,0), is(btype(H),single_story).\n',
    )
    shown = json.loads(run("tem", "shed.board", "B1", "A1", "--rules", "raised", "--json").stdout)
    assert sum(part["amount"] for part in shown["parts"]) == shown["tem"] == 3


@slow
def test_one_of_a_shipped_id_takes_its_place(here: Path) -> None:
    put(
        "changed/house.lp",
        "%@ B23.21-2  A Single Story House is half a level high.\n"
        'says("B23.21-2", height(H), 1) :- is(btype(H),single_story).\n',
    )
    told = run("why", "shed.board", "height(A1) = V", "--rules", "changed").stdout
    assert told.startswith("height(A1) = 1/2\nheight of the building as an obstacle (A1) = 1/2 ")
    assert "Your house rules: B23.21" in told
    assert run("ask", "shed.board", "height(A1) = V").stdout.startswith("height(A1) = 1\n")


def test_in_python_they_hold_until_they_are_taken_away(here: Path) -> None:
    def height() -> str:
        found = api.ask(api.load("shed.board"), "height(A1) = V")
        return found.found[0].values[0][1]

    before = height()
    api.play_by("house")
    try:
        with_them = height()
        with pytest.raises(api.SourceError):
            api.play_by("misspelt")
        assert house_rules.default_house_rules_dir() == Path("house")
    finally:
        api.play_by(None)
    assert (before, with_them, height()) == ("1", "1/2", "1")


def test_a_worker_plays_by_them_too(here: Path) -> None:
    api.play_by("house")
    try:
        with api.Worker(api.load("shed.board")) as worker:
            position = api.load("shed.board")
            assert api.ask(position, "height(A1) = V", limits=worker).cites[0] == "XX1.1"
    finally:
        api.play_by(None)


DEEPEST, LONGEST = SIZES["brackets"].limit, SIZES["rule"].limit
TAG = "%@ XX1.1-1  Something.\n"
SAID = 'says("XX1.1-1", height(H), 1) :- is(btype(H),single_story).\n'
TAG_2, SAID_2 = TAG.replace("1.1-1", "1.1-2"), SAID.replace("1.1-1", "1.1-2")
SAID_4 = SAID.replace("1.1-1", "1.1-4")


@pytest.mark.parametrize(
    ("text", "told"),
    part(
        [
            (TAG + TAG, "XX1.1-1 has two summaries"),
            ('topic(height(hex), yes_no, "x").', "one.lp:1: topic height/1 is declared already"),
            ("topic(high(hex, yes_no).", "one.lp"),
            ("p(1) :-\n", "one.lp:2"),
            ('reason ("x","","").', "one.lp:1: the arguments of reason must be a word"),
            ("word(side,1).", "one.lp:1: the arguments of word must be a word"),
            ('input ((3,4),open,"x").', "one.lp:1: the arguments of input must be a word"),
            (
                'reason (X,"a","b").',
                "one.lp:1: reason is a declaration, which cannot have variables",
            ),
            (
                'reason (X,"a","b") :- hex(X).',
                "one.lp:1: reason is a declaration, which cannot have a condition",
            ),
            ("printed(a).", "one.lp:1: the arguments of printed must be a text, a number"),
            (
                TAG + 'says("XX1.1-1", height(H), N) :- is(factory(H),yes).',
                "one.lp:2: no condition binds N: add a condition with that variable, without `not`",
            ),
            (
                TAG + 'says("XX1.1-1", height(_), 1) :- not section(pb4).',
                "one.lp:2: no condition binds _",
            ),
            ("%* %* x *% *% #include <incmode>.", "one.lp:1: #include is not allowed"),
            ('p("%"). #include "shed.board".', "one.lp:1: #include is not allowed"),
            ("#script (python) #end.", "one.lp:1: #script is not allowed"),
            ("#external p(1).", "one.lp:1: #external is not allowed"),
            ("#const n=1.", "one.lp:1: #const is not allowed"),
            ("\np(@f(1)).", "one.lp:2: '@' calls"),
            ("p(é).", "one.lp:1: '\\xe9' may only be in strings and comments"),
            ('p("x\ny").', "one.lp:1: a string"),
            ("%* p(1).", "one.lp:1: the comment"),
            (
                "p(" * (DEEPEST + 1) + ")" * (DEEPEST + 1) + ".",
                "one.lp:1: more than 30 nested brackets",
            ),
            ("p(" * 200_000 + ")" * 200_000 + ".", "one.lp:1: more than 30 nested brackets"),
            (f"p({'1+' * LONGEST}1).", "one.lp:1: more than 2,000 characters in a rule"),
        ],
        8,
    ),
)
def test_what_is_amiss_is_reported_with_its_place(here: Path, text: str, told: str) -> None:
    assert told in refusal(text)


def renamed() -> list[tuple[str, int, str]]:
    """The table of old names: each predicate's old name, arity, and present name."""
    text = (kb_folder() / "old_names.lp").read_text("utf-8")
    found = re.findall(r"^renamed\((\w+),(\d+),(\w+)\)\.$", text, re.M)
    assert len(found) > 100
    return [(old, int(arity), new) for old, arity, new in found]


def test_the_table_of_old_names_is_of_predicates_that_were_renamed() -> None:
    rules = program().source.rules
    present = {(each.name, each.arity) for rule in rules for each in (*rule.heads, *rule.body)}
    for old, arity, new in renamed():
        assert (new, arity) in present
        assert (old, arity) not in present


@slow
@pytest.mark.parametrize(("old", "arity", "new"), some(renamed(), 3))
@pytest.mark.parametrize("place", part(["head", "body"], 1))
def test_a_renamed_predicate_is_refused_with_its_new_name(
    here: Path, old: str, arity: int, new: str, place: str
) -> None:
    atom = f"{old}({','.join('H' * arity)})" if arity else old
    rule = (
        f"{atom} :- hex(H)."
        if place == "head"
        else f"{SAID.rstrip().removesuffix('.')}, hex(H), {atom}."
    )
    assert f"one.lp:2: {old}/{arity} is now called {new}" in refusal(f"{TAG}{rule}\n")


@slow
def test_all_that_is_amiss_is_reported_at_once(here: Path) -> None:
    texts = {
        "strange word": (TAG + SAID.replace("single_story", "single_storey"), 2),
        "strange atom": (TAG_2 + SAID_2.replace("is(btype", "fortifide(btype"), 2),
        "no tag": (SAID.replace("1.1-1", "1.1-3"), 1),
        "no tag either": ("%     Or: the rest of a tag that there is none of\n" + SAID_4, 2),
    }
    told = (
        "single_storey is no",
        "nothing derives",
        "no rule has the id XX1.1-3",
        "no rule has the id XX1.1-4",
    )
    (here / "amiss").mkdir()
    for number, (text, _) in enumerate(texts.values()):
        (here / "amiss" / f"{number}.lp").write_text(text)
    shown = run("los", "shed.board", "A1", "B1", "--rules", "amiss").stderr
    for number, ((_, line), fault) in enumerate(zip(texts.values(), told, strict=True)):
        assert f"{number}.lp:{line}: {fault}" in shown


def test_a_folder_is_read_and_nothing_beside_it(here: Path) -> None:
    (here / "linked").mkdir()
    (here / "linked" / "more").symlink_to("/etc")
    (here / "linked_file").mkdir()
    (here / "linked_file" / "a.lp").symlink_to(here / "house" / "shed.lp")
    (here / "empty").mkdir()
    (here / "bytes").mkdir()
    (here / "bytes" / "a.lp").write_bytes(b"p(1).\n\xff")
    (here / "large").mkdir()
    (here / "large" / "a.lp").write_bytes(b"%" * (SIZES["rules"].limit + 1))
    (here / "odd").mkdir()
    (here / "odd" / "a.lp").mkdir()
    (here / "many").mkdir()
    for number in range(SIZES["rule-files"].limit + 1):
        (here / "many" / f"{number}.lp").touch()
    os.mkfifo(here / "odd" / "b.lp")
    for folder, told in (
        ("linked", "linked/more is a symbolic link"),
        ("linked_file", "linked_file/a.lp is a symbolic link"),
        ("empty", "has no rules"),
        ("bytes", "bytes/a.lp:2: the file is not UTF-8 text"),
        ("large", "large/a.lp: the rule files are too large"),
        ("odd", "odd/b.lp: the rule files are too large"),
        ("many", "more than"),
        ("nowhere", "the folder nowhere does not exist"),
    ):
        result = run("los", "shed.board", "A1", "B1", "--rules", folder)
        assert (result.exit_code, result.stdout) == (2, "")
        assert told in result.stderr


PIECES = (
    *("%*", "*%", "%", "%%", "*%*", "\n", '"', "\\", '\\"', "#include", " <x>.", '#include "x".'),
    *("# include", "#script (lua) x #end.", "p(", "a", ").", ".", "..", " ", "@f", "#", "#end"),
    *("\x85", "\u2028", "\r", "\v", "\f", 'p("%").'),
)


def test_whatever_clingo_would_carry_out_is_refused_before_it_sees_a_word() -> None:
    dice = random.Random(os.environ.get("RULES_ASP_SEED", "1"))
    taken = 0
    count = tries(8000)
    for _ in range(count):
        text = "".join(dice.choices(PIECES, k=dice.randint(1, 9)))
        try:
            check_only_rules(text)
        except NotOnlyRules:
            continue
        taken += 1
        told, found = carried_out(text)
        assert "open" not in told, text
        assert found <= {ast.ASTType.Rule, ast.ASTType.Program, ast.ASTType.Comment}, text
    assert taken > count / 8
    # And it does see what stands there.
    assert "open" in carried_out('#include "x".')[0]
    assert ast.ASTType.Script in carried_out("#script (lua) x #end.")[1]


def carried_out(text: str) -> tuple[str, set[object]]:
    """What clingo says as it parses a text, and the kinds of statements that it finds."""
    told: list[str] = []
    found: set[object] = set()

    def log(_: clingo.MessageCode, message: str) -> None:
        told.append(message)

    with suppress(RuntimeError):
        ast.parse_string(text, lambda each: found.add(each.ast_type), logger=log)
    return " ".join(told), found
