"""A quoted text is data: every answer prints it unchanged, and it changes no other answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import clingo
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rules_asp.api import ask, can, check, fire, los, moves, program_text, tem, why
from rules_asp.cli.app import main
from rules_asp.game.board import UnitStatement
from rules_asp.game.values import quoted
from rules_asp.knowledge.solver import solve
from rules_asp.output.board_text import view
from rules_asp.parser import BoardError, parse
from rules_asp.positions.position import Position, prepare
from rules_asp.positions.scope import BoardIssues
from rules_asp.queries.question import Answer
from tests.positions import program
from tests.sampling import slow, some, tries

#: What could be taken for something else by whoever reads facts as text.
HOSTILE = (
    "base((1,1),50).",
    "base((1,1),50)",
    "(1,2)",
    "Saint\u2028Marie",
    "a\u2029b\x85c",
    "\x85evil. ",
    '"). #include "x". p("',
    '"). evil. named((0,1),"',
    '"',
    'a""b"',
    "\\",
    '\\"',
    "\\n",
    "a\nevil.",
    "%* all",
    "% nothing",
    "*%",
    "# a comment",
    "#script (python) print(1) #end.",
    "at((2,2))",
    "asked(legal(x))",
    "B23.1-4",
    "\x7f\x9b31m",
    "\u202eevil",
    "\ufeff",
    "e\u0301\U0001f3e0",
    " ",
    "X",
)
#: No other text of the board or of kb/ is like it.
PLAIN = "a plain name"
BOARD = """board {0} grid 4x4
building {0} gray: B1 B2 joined B1-B2 stairwell B1
building gray: D2
woods: C2
level 1: A3
sides russian german
unit A squad 4-4-7 russian at B1/1
unit G squad 4-6-7 german at C3
doubt B1 {0}
"""
#: Questions of which the answer has nothing to do with a name.
OTHERS = (
    "height(B1) = V",
    "height(H) = V, V > 1",
    "top(H) = V, hex(H)",
    'legal(step(move, "A", B1/1, B1, W))',
    "stacking_limit(B1) = N",
    'at("A", L), not at("G", L)',
)


def said(name: str) -> str:
    """The text of the board with this name."""
    return BOARD.format(quoted(name))


@cache
def ready(name: str) -> Position:
    """The board with this name."""
    return prepare(parse(said(name)), program())


def called(term: clingo.Symbol, name: str) -> clingo.Symbol:
    """A term of the plainly named board with the other name in place of its own."""
    if term.type == clingo.SymbolType.String:
        return clingo.String(name) if term.string == PLAIN else term
    if term.type != clingo.SymbolType.Function:
        return term
    return clingo.Function(term.name, [called(each, name) for each in term.arguments])


def answers(here: Position) -> Iterator[object]:
    """Answers of every kind that tell of no name."""
    yield los(here, "B1/2", "D2")
    yield los(here, "A3", "C3")
    yield tem(here, "C3", "B1")
    yield fire(here, "G", "A", doing="moving")
    yield moves(here, "G")
    yield can(here, "G move to D2")
    for question in OTHERS:
        yield ask(here, question)
    yield why(here, "height(B1) = V")
    checked = check(here)
    yield checked.violations, checked.conflicts, checked.unknown
    yield len(list(here.index.bases)), here.index.bases, here.index.manned, here.index.wholes


@cache
def plain_answers() -> list[object]:
    return list(answers(ready(PLAIN)))


#: Whatever the board language takes in quotes; an empty name of a board is none.
TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8"), min_size=1, max_size=12),
    st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=3).map("".join),
)
few = settings(max_examples=tries(2), deadline=None, suppress_health_check=list(HealthCheck))


def accepted(name: str) -> bool:
    """Whether the board language takes this name, or refuses it in plain words."""
    if not any(letter < " " and letter != "\n" for letter in name):
        return True
    with pytest.raises(ValueError, match="control character"):
        quoted(name)
    raw = name.replace("\\", "\\\\").replace('"', '\\"')
    with pytest.raises(BoardError):
        parse(BOARD.format(f'"{raw}"'))
    return False


def all_hostile(test: object) -> object:
    """Some hostile texts as examples."""
    for name in some(HOSTILE, 5):
        test = example(name)(test)  # type: ignore[arg-type]
    return test


@few
@given(TEXTS)
@all_hostile
def test_a_name_is_nothing_but_a_name(name: str) -> None:
    if not accepted(name):
        return
    here, plain = ready(name), ready(PLAIN)
    assert here.board.name == name
    stated = {called(fact, name) for fact in plain.board_facts.symbols}
    assert set(here.board_facts.symbols) == stated
    for case, other in zip(here.cases, plain.cases, strict=True):
        assert set(case.symbols) == {called(each, name) for each in other.symbols}
    (found,) = ask(here, "named(B1, N)").found
    assert found.values == (("N", name),)
    assert ask(here, f"named(B2, {quoted(name)})").holds
    assert not ask(here, f"named(D2, {quoted(name)})").holds
    (proof,) = why(here, "named(B1, N)").proofs
    assert clingo.parse_term(proof.atom).arguments[1].string == name
    assert [text for _, text in check(here).doubts] == [name]
    (told,) = solve(program_text(here))
    assert set(told.symbols) == set(here.cases[0].symbols)


@slow
@pytest.mark.parametrize("name", some(HOSTILE, 1))
def test_a_name_alters_no_answer(name: str) -> None:
    assert list(map(_alone, answers(ready(name)))) == list(map(_alone, plain_answers()))


def _alone(answer: object) -> object:
    """An answer without what stands beside it: doubts are told in the words of the board."""
    return replace(answer, beside=BoardIssues()) if isinstance(answer, Answer) else answer


@slow
@pytest.mark.parametrize("name", some(HOSTILE, 1))
def test_a_unit_may_have_any_name(name: str) -> None:
    """On a board that a program makes; the board language takes plain ones only."""
    board = parse(said(PLAIN))
    statements = tuple(
        UnitStatement(
            name, tuple(replace(given, args=(name, *given.args[1:])) for given in each.facts)
        )
        if isinstance(each, UnitStatement) and each.name == "A"
        else each
        for each in board.statements
    )
    here, plain = prepare(replace(board, statements=statements), program()), ready(PLAIN)
    told, as_plain = fire(here, "G", name).drm, fire(plain, "G", "A").drm
    assert replace(told, shot=replace(told.shot, on="A")) == as_plain
    assert [step.to for step in moves(here, name, cite=False).reach] == [
        step.to for step in moves(plain, "A", cite=False).reach
    ]
    (found,) = ask(here, "at(U, B1/1)").found
    assert found.values == (("U", name),)
    about = f"legal(step(move, {quoted(name)}, B1/1, B1, W))"
    plainly = ask(plain, 'legal(step(move, "A", B1/1, B1, W))')
    assert ask(here, about) == plainly


@pytest.mark.parametrize("name", some(HOSTILE, 1))
def test_the_command_tells_a_name_as_it_stands(name: str, tmp_path: Path) -> None:
    file = tmp_path / "hostile.board"
    file.write_bytes(said(name).encode())

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(main, [arguments[0], str(file), *arguments[1:]])
        assert result.exit_code == 0, result.output
        return result.stdout

    symbols = {f"{each}." for each in ready(name).board_facts.symbols}
    assert set(run("facts").removesuffix("\n").split("\n")) == symbols
    assert set(json.loads(run("facts", "--json"))["given"]) == symbols
    assert json.loads(run("ask", "named(B1, N)", "--json"))["answers"] == [{"N": name}]
    assert [each["what"] for each in json.loads(run("check", "--json"))["doubts"]] == [name]
    asked = run("ask", "named(B1, N)").split("\n")
    wanted = [line.rstrip(" ") for line in f"named(B1, {name})".split("\n")]
    assert asked[: len(wanted)] == wanted
    plainly = view(ready(PLAIN).board)
    assert run("view") == plainly.replace(quoted(PLAIN), quoted(name))
