"""A question with one open argument about something unknown finds a value or is unknown, and is never a
no.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rules_asp.game.board import Expect, ExpectedLos
from rules_asp.game.grid import Location
from rules_asp.game.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    LosTerm,
    Query,
    QueryLiteral,
    Variable,
)
from rules_asp.game.vocabulary import vocabulary
from rules_asp.parser import parse, parse_query
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, prepare
from rules_asp.positions.scope import Verdict
from rules_asp.queries.ask import ask, bindings_of
from tests.open_questions import opened
from tests.positions import program
from tests.sampling import some
from tests.test_cases import CASES


def unknowns(expect: Expect) -> Iterator[QueryLiteral]:
    """What a case expects to be unknown, as a question."""
    question = expect.question
    if isinstance(question, DeedQuery) and expect.answer == "unknown" and question.around is None:
        yield QueryLiteral("legal", (question.deed,))
    elif isinstance(question, ExpectedLos) and expect.answer == "unknown":
        if isinstance(question.a, Location) and isinstance(question.b, Location):
            yield QueryLiteral("sees", (Argument(LosTerm(question.a, question.b), "sight"),))
    elif isinstance(question, Query):
        for each in question.literals:
            if isinstance(each, QueryLiteral) and each.name == "unknown" and not each.negated:
                yield from _about(each.args[0])


def _about(what: Argument) -> Iterator[QueryLiteral]:
    value = what.value
    if isinstance(value, FunctionTerm):
        topic = vocabulary().topics.get(value.name)
        if topic is not None:
            yield QueryLiteral(value.name, value.args, Argument(Variable("Value"), topic.value))
        elif vocabulary().forms[value.name].kind == "deed":
            yield QueryLiteral("legal", (what._replace(kind="deed"),))


@pytest.mark.parametrize("path", some(CASES, 6), ids=lambda path: path.stem)
def test_what_is_unknown_is_no_no_where_a_part_is_left_open(path: Path) -> None:
    here = load(path, program())
    statements = [each for each in here.board.statements if isinstance(each, Expect)]
    literals = [one for each in statements for one in unknowns(each)]
    unsure = [one for one in literals if ask(here, Query((one,)), cite=False).holds is None]
    asked = {str(each.left): each for one in unsure for each in opened(one)}
    for one in some(list(asked.values()), 6):
        try:
            ways = bindings_of(here, Query((one.left,)))
        except QuestionError as error:
            found, refusal = False, str(error)
        else:
            found, refusal = bool(ways.possible or ways.unknown), ""
        assert found or (one.is_whole and ", as in " in refusal), (str(one), refusal)


GUN = """board "x" grid 5x5
building gray: C3
unknown terrain dune: D3
unit G gun german at B2
unit U squad 4-6-7 german at B2: commando
"""


@pytest.fixture(scope="module")
def gun() -> Position:
    return prepare(parse(GUN), program())


@pytest.mark.parametrize(
    "question",
    [
        'legal(spotted_fire("U", "G", X))',
        'legal(scale("U", D3, V, up))',
        'may_stand("U", X) = V, X != B2',
        'legal(post("U", X, setup))',
        'not legal(post("U", C3, setup))',
        'not may_stand("U", C3) = yes',
    ],
)
def test_what_no_norm_speaks_of_is_unknown(gun: Position, question: str) -> None:
    told = ask(gun, parse_query(question))
    assert told.word is Verdict.UNKNOWN, told
    assert told.unknown


@pytest.mark.parametrize(
    ("question", "about"),
    [
        ('legal(scale("U", D3, V, up))', 'scale("U", D3, 0, up)'),
        ("tem_at(X) = V, V > 2, X != C3", "tem_at(D3/0)"),
        ("hex(H), building_hex(H) = yes, tem_at(D3) = V", None),
        ("sees(E3 - X), tem_at(X) = V, V > 8", "tem_at(D3/0)"),
    ],
)
def test_it_is_reported_of_what_it_is_not_known(gun: Position, question: str, about: str) -> None:
    told = ask(gun, parse_query(question))
    assert told.word is Verdict.UNKNOWN
    if about is not None:
        assert about in {each.about for each, _ in told.perhaps}


def test_what_is_found_is_reported_beside_what_may_be() -> None:
    here = prepare(parse(GUN + "wire: C4\n"), program())
    told = ask(here, parse_query("tem_at(X) = V"))
    assert told.holds
    found = {named.about: (named.label, reasons) for named, reasons in told.perhaps}
    words, (why,) = found["tem_at(D3/0)"]
    assert words == "TEM of the Location (D3/0)"
    assert "dune" in str(why)


def test_a_no_is_certain_where_another_part_rules_it_out(gun: Position) -> None:
    told = ask(gun, parse_query("tem_at(X) = V, V > 2, X = B3"))
    assert told.word is Verdict.NOT_SO
