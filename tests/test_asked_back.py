"""A question can use topics and actions in the form in which answers print them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rules_asp.api import load
from rules_asp.game.board import Expect, ExpectedLos
from rules_asp.game.grid import Location
from rules_asp.game.query import Argument, DeedQuery, FunctionTerm, LosTerm, Query, QueryComparison
from rules_asp.parser import BoardError, parse_query
from rules_asp.positions.locations import QuestionError
from rules_asp.queries.ask import ask
from rules_asp.queries.check import check
from tests.edits import CASES
from tests.open_questions import FREE, literals, opened
from tests.sampling import some

#: A sight, and where on it a norm would block: `C3/0 - D2/1 at C3`.
_ON_A_LINE = " - "


def is_asked(text: str) -> bool:
    """Whether this can be asked of: a deed, a topic with or without a value."""
    for each in (f"legal({text})", f"{text} = V", text):
        try:
            query = parse_query(each)
        except BoardError:
            continue
        # A unit's name without quotes would stand for any unit.
        return set(query.variables) <= {"V"}
    return False


@pytest.mark.parametrize("path", some(CASES, 4), ids=lambda path: path.stem)
def test_what_is_printed_can_be_asked(path: Path) -> None:
    position = load(path)
    questions = [
        each.question
        for each in position.board.statements
        if isinstance(each, Expect) and isinstance(each.question, Query)
    ]
    answers = [ask(position, each) for each in some(questions, 4)]
    printed = {beaten.about or "" for answer in answers for beaten in answer.beaten}
    printed |= {each.topic for each in check(position).unknown}
    topics = {each.partition(" at ")[0] for each in printed if each}
    odd = {each for each in topics if _ON_A_LINE not in each and not is_asked(each)}
    assert not odd
    sights = {each for each in topics if _ON_A_LINE in each}
    assert all(is_asked(f"sees({each})") for each in sights)


@pytest.mark.parametrize("path", some(CASES, 4), ids=lambda path: path.stem)
def test_what_is_found_is_so_as_it_is_printed(path: Path) -> None:
    position = load(path)
    asked = [each for each in position.board.statements if isinstance(each, Expect)]
    lefts = {str(one.left): one.left for e in asked for each in literals(e) for one in opened(each)}
    for left in some(list(lefts.values()), 6):
        text = str(left)
        try:
            found = ask(position, parse_query(text), cite=False).found
        except QuestionError:
            continue
        for each in some(list(found), 2):
            (_, value), *_ = each.values
            # Where a unit's name stands for the unit, it is printed without quotes.
            kind = parse_query(text).variables[FREE.name]
            named = text.replace(FREE.name, f'"{value}"' if kind in ("unit", "norm") else value)
            assert ask(position, parse_query(named), cite=False).holds, f"{text}: {named}"


#: Cases of what is not known.
OPEN = [path for path in CASES if "unknown" in path.read_text()]


@pytest.mark.parametrize("path", some(OPEN, 6), ids=lambda path: path.stem)
def test_what_is_not_known_is_not_for_each_reason_that_is_printed(path: Path) -> None:
    position = load(path)
    asked = [each for each in position.board.statements if isinstance(each, Expect)]
    for about in some(sorted({str(each) for e in asked for each in _topics(e)}), 8):
        text = f"unknown({about}, Why)"
        for each in ask(position, parse_query(text), cite=False).found:
            ((_, why),) = each.values
            named = text.replace("Why", why)
            assert ask(position, parse_query(named), cite=False).holds, named


def _topics(expect: Expect) -> Iterator[Argument]:
    """What a question is about that may be unknown, each as it is printed."""
    question = expect.question
    if isinstance(question, ExpectedLos):
        if isinstance(question.a, Location) and isinstance(question.b, Location):
            yield Argument(LosTerm(question.a, question.b), "sight")
    elif isinstance(question, DeedQuery) and question.around is None:
        yield question.deed
    for literal in question.literals if isinstance(question, Query) else ():
        if isinstance(literal, QueryComparison) or any(each.variables for each in literal.args):
            continue
        if literal.value is not None:
            yield Argument(FunctionTerm(literal.name, literal.args), "topic")
        elif literal.name in ("legal", "sees", "unknown"):
            yield literal.args[0]
