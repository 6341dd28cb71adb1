"""A topic has the same value in an answer to several questions as in an answer about it alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import clingo
import pytest

from rules_asp.game.board import Expect, ExpectedCost
from rules_asp.game.query import (
    Argument,
    DeedQuery,
    Query,
    QueryLiteral,
    Variable,
    argument_from_symbol,
)
from rules_asp.game.vocabulary import vocabulary
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.parser import parse, parse_query
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.ask import ask
from tests.norms_taken import KINDS, answers
from tests.positions import program
from tests.sampling import part, some

CASES = sorted((Path(__file__).parent / "cases").glob("*.board"))


def held(here: Position) -> Iterator[tuple[clingo.Symbol, clingo.Symbol]]:
    """The topics of which an answer to what a case expects has a value, each with that value."""
    heard: list[AnswerSet] = []
    expects = [each for each in here.board.statements if isinstance(each, Expect)]
    asked = [
        each
        for each in expects
        if isinstance(each.question, KINDS) and not _of_others_too(each.question)
    ]
    answers(replace(here, hear=heard.extend), asked, False)
    # Where something is not known that decides, it is supposed each way.
    for answer in (each for each in heard if not each.own_atoms("could_be", 2)):
        # Of a sum the base alone is no value.
        values = dict(atom.arguments for atom in answer.own_atoms("is", 2))
        values |= dict(atom.arguments for atom in answer.own_atoms("total", 2))
        unknown = {atom.arguments[0] for atom in answer.own_atoms("open", 1)}
        for topic, value in values.items():
            entry = vocabulary().topics.get(topic.name)
            if entry and len(entry.kinds) == len(topic.arguments) and topic not in unknown:
                yield topic, value


def _of_others_too(question: object) -> bool:
    """Whether a question is of several units together, or of a later turn: of another board, as it were."""
    if isinstance(question, ExpectedCost):
        return True
    return isinstance(question, DeedQuery) and (
        bool(question.other_units) or question.turn_count > 1
    )


@pytest.mark.parametrize("path", some(CASES, 4), ids=lambda path: path.stem)
def test_what_an_answer_holds_is_so_when_it_alone_is_asked(path: Path) -> None:
    here = load(path, program())
    if len(here.cases) > 1:
        pytest.skip("what the board leaves open each case has in its own way")
    kinds: dict[str, list[tuple[clingo.Symbol, clingo.Symbol]]] = defaultdict(list)
    for topic, value in dict.fromkeys(held(here)):
        kinds[topic.name].append((topic, value))
    for name, every in kinds.items():
        entry = vocabulary().topics[name]
        for topic, value in some(every, 1, 3, f"{path.stem} {name}"):
            told = zip(topic.arguments, entry.kinds, strict=True)
            args = tuple(argument_from_symbol(each, kind, here.notation) for each, kind in told)
            literal = QueryLiteral(name, args, Argument(Variable("Its"), entry.value))
            try:
                alone = ask(here, Query((literal,)), cite=False)
            except QuestionError:
                continue  # of what is not there, such as a Location that a step would lead to
            found = [dict(each.values)["Its"] for each in alone.found]
            assert found == [here.notation.value_text(value, entry.value)], literal


TIMED = """board "time" grid 6x6
rules B23 PB4 ABTF3
turn 2 german mph
sides german russian
fpp german 3
unit A vehicle german at C3: fully-tracked AFV CT BU, MP 10
unit G squad 4-6-7 german at B2
"""


@pytest.mark.parametrize(
    ("text", "value"),
    part(
        [
            ("in_phase(mph)", "yes"),
            ("in_phase(dfph)", "no"),
            ("turn_of(german)", "yes"),
            ("turn_of(russian)", "no"),
            ("this_turn(2)", "yes"),
            ("this_turn(1)", "no"),
            ('other_time("G", dfph)', "yes"),
            ('other_time("G", mph)', "no"),
            ('untimely("G")', "yes"),
            ('in_own_mph("A")', "yes"),
            ("can_pay(german)", "yes"),
            ("can_pay(russian)", None),
            ('friendly_hex("A", C3)', None),
        ],
        4,
    ),
)
def test_what_other_questions_turn_on_is_asked_by_itself(text: str, value: str | None) -> None:
    asked = ask(prepare(parse(TIMED), program()), parse_query(f"{text} = V"))
    assert [each.values for each in asked.found] == ([(("V", value),)] if value else [])
    assert value is not None or asked.unknown
