"""Deciding norms are cited: removing a norm changes only answers that cite it."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from rules_asp.explain.justification import justification
from rules_asp.game.board import Expect
from rules_asp.game.query import DeedQuery, Query
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import vocabulary
from rules_asp.output.console import show
from rules_asp.parser import parse, parse_deed, parse_location, parse_query
from rules_asp.positions.loading import example_boards, load
from rules_asp.positions.position import Position, prepare
from rules_asp.positions.scope import Verdict
from rules_asp.queries.ask import ask
from rules_asp.queries.fire import fire, shot, tem
from rules_asp.queries.legality import can
from rules_asp.queries.los import los
from rules_asp.queries.movement import moves
from rules_asp.queries.why import why
from tests.norms_taken import asked, takings, uncited_changes
from tests.positions import program
from tests.sampling import slow, some
from tests.test_cases import CASES


@slow
@pytest.mark.parametrize("path", some(CASES, 2), ids=lambda path: path.stem)
def test_without_a_norm_only_answers_change_that_cite_it(path: Path) -> None:
    case = asked(path)
    changes = [line for each in some(takings(case), 4) for line in uncited_changes(case, each)]
    assert changes == []


@pytest.mark.parametrize("path", some(CASES, 3), ids=lambda path: path.stem)
def test_each_paragraph_that_is_cited_stands_in_the_proof(path: Path) -> None:
    here = load(path, program())
    questions = [each.question for each in here.board.statements if isinstance(each, Expect)]
    for query in some([each for each in questions if isinstance(each, Query)], 4):
        found = why(here, query)
        told = [
            each
            for top in justification(found.proofs, program().norms, Notation(vocabulary()))
            for each in top.walk()
        ]
        shown = {program().norms[each.norm].paragraph for each in told if each.norm is not None}
        assert set(found.asked.cites) <= shown, query


@pytest.mark.parametrize("path", some(CASES, 5), ids=lambda path: path.stem)
def test_a_deed_that_is_not_allowed_rests_on_something(path: Path) -> None:
    here = load(path, program())
    questions = [each.question for each in here.board.statements if isinstance(each, Expect)]
    for doing in some([each for each in questions if isinstance(each, DeedQuery)], 6):
        found = can(here, doing)
        assert found.legal is not False or found.cites, doing


HOUSE = """board "x" grid 6x6
building gray: C3 C4   joined C3-C4   stairwell C3
woods: E4
unit A squad 4-6-7 german at C3
unit B squad 4-4-7 russian at E4
"""


@pytest.fixture(scope="module")
def house() -> Position:
    return prepare(parse(HOUSE), program())


@slow
def test_a_way_rests_on_what_its_price_rests_on(house: Position) -> None:
    """Of the stairs it matters that there are two floors, and a stairwell."""
    price = ask(house, parse_query('mf(step(move, "A", C3, C3/1, stairs)) = 1'))
    there = next(each for each in moves(house, ["A"]).reach if str(each.to) == "C3/1")
    assert set(price.cites) <= set(there.rests_on.cites)
    assert {"B23.4", "B23.23"} <= set(there.rests_on.cites)
    # A4.2: and that one may spend so much.
    assert "A4.2" in there.rests_on.cites
    several = can(house, parse_deed("A move to C4/1"))
    assert several.there is not None
    assert "B23.23" in several.cites


@pytest.mark.parametrize(
    ("at", "norm"), [("E4", "B13.3-1"), ("C3", "B23.3-3"), ("C3/1", "B23.3-3"), ("F6", "GR.11-1")]
)
def test_a_part_of_a_sum_is_reported_by_the_norm_that_gives_it(
    house: Position, at: str, norm: str
) -> None:
    (part,) = tem(house, shot(house, parse_location("B2"), parse_location(at))).parts
    assert part.norm == norm


def test_a_sight_in_a_house_rests_on_what_links_its_floors(house: Position) -> None:
    clear = los(house, parse_location("C3/1"), parse_location("C4/1"), close=False)
    assert clear.clear
    assert "B23.25" in clear.cites


def test_an_unknown_answer_cites_what_leaves_it_so(house: Position) -> None:
    unseen = fire(house, shot(house, parse_location("C3/1"), parse_location("C4")))
    assert unseen.drm.value is None
    assert "A6.1" in unseen.cites


@pytest.mark.parametrize(
    ("deed", "norms"),
    [
        ("A advance to C4/1", {"A4.1-2", "B23.422-4"}),
        ("A advance to F1", {"A4.1-2"}),
        ("A rout to C4", {"A10.5-2"}),
        ("A advance to C4/1 from C3", {"A4.1-2", "B23.422-4"}),
    ],
)
def test_what_closes_each_way_forbids_it(house: Position, deed: str, norms: set[str]) -> None:
    found = can(house, parse_deed(deed))
    assert found.word is Verdict.FORBIDDEN
    assert set(found.forbidding) == norms
    assert {program().norms[each].paragraph for each in norms} <= set(found.cites)


def test_where_no_way_leads_it_rests_on_what_can_be_spent(house: Position) -> None:
    found = can(house, parse_deed("A move to C3"))
    assert found.word is Verdict.NOT_SO
    assert "A4.2" in found.cites


def test_a_way_that_is_left_open_is_forbidden_by_what_forbids_each(house: Position) -> None:
    found = ask(house, parse_query('legal(step(advance, "A", C3, C4/1, W))'))
    assert found.word is Verdict.FORBIDDEN
    assert set(found.forbidding) == {"A4.1-2", "B23.422-4"}
    assert {"A4.1", "B23.422"} <= set(found.cites)


def test_who_forbids_what_is_left_open_is_cited(house: Position) -> None:
    found = ask(house, parse_query("building_hex(H), legal(place(wire, H))"))
    assert found.word is Verdict.FORBIDDEN
    assert "B23.5" in found.cites


def test_what_was_beaten_is_reported_by_every_command() -> None:
    here = load(example_boards()["assault"], program())
    ban = replace(can(here, parse_deed("G move to E3 by entering")), on=here)
    assert ("A4.1-3", "B23.71-12") in {(each.norm, each.by) for each in ban.beaten}
    out = io.StringIO()
    show(Console(file=out, width=100), *ban.report().blocks)
    assert "Overridden" in out.getvalue()
    record = ban.record()
    assert {"norm", "by", "about"} == set(record["beaten"][0])
