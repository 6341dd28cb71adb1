"""No answer is based on a norm of a section that is not in force on its board."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules_asp.game.board import Expect, ExpectedCost, ExpectedDrm, ExpectedLos, Shot
from rules_asp.game.query import DeedQuery, Query
from rules_asp.game.vocabulary import vocabulary
from rules_asp.knowledge.catalogue import section_of
from rules_asp.knowledge.dependencies import Reachability, keys, trigger_of
from rules_asp.knowledge.reader import read_rules
from rules_asp.parser import parse, parse_query
from rules_asp.positions.loading import load
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.ask import ask
from tests.norms_taken import answers
from tests.positions import program
from tests.sampling import some
from tests.test_cases import CASES

_ASKED = (Query, ExpectedLos, DeedQuery, ExpectedCost, Shot, ExpectedDrm)


def away(here: Position) -> frozenset[str]:
    """The sections that are not in force on a board."""
    there = {str(section) for (section,) in here.cases[0].get("section", 1)}
    return frozenset(vocabulary().words["section"]) - there


@pytest.mark.parametrize("path", some(CASES, 6), ids=lambda path: path.stem)
def test_no_case_rests_on_a_section_that_is_not_in_force(path: Path) -> None:
    here = load(path, program())
    statements = here.board.statements
    expects = [e for e in statements if isinstance(e, Expect) and isinstance(e.question, _ASKED)]
    expects = some(expects, 12)
    for expect, told in zip(expects, answers(here, expects, True), strict=True):
        sections = {section_of(paragraph).lower() for paragraph in told.cites}
        assert not sections & away(here), (expect.question, told.cites)


@pytest.mark.parametrize(
    "question",
    ["has_level(C3, roof) = V", 'legal(scale("Z", C3, 0, up))', "connected(C3, C3/1) = V"],
)
def test_who_wins_by_a_norm_that_is_not_in_force_is_no_reason(question: str) -> None:
    text = """board "x" grid 5x5
    building gray: C3 C4   joined C3-C4   stairwell C3
    rooftops
    unit Z squad 4-6-7 german at C3: commando
    """
    here = prepare(parse(text), program())
    told = ask(here, parse_query(question))
    assert told.cites
    assert not {section_of(paragraph).lower() for paragraph in told.cites} & away(here)


def test_rulings_on_a_section_are_none_where_it_is_not_in_force() -> None:
    def settled(rules: str) -> set[str]:
        here = prepare(parse(f'board "b" grid 3x3\nrules {rules}'), program())
        return {
            norm.string.partition(".")[0]
            for _, winner, loser in here.cases[0].get("ruling", 3)
            for norm in (winner, loser)
        }

    modules = {"PB4", "PB6", "BRT7", "ABTF3"}
    assert settled("B23")
    assert settled("B23") & modules == set()
    for module in ("PB4", "PB6", "BRT7"):
        assert settled(f"B23 {module}") & modules == {module}


@pytest.mark.parametrize(
    ("facts", "fires"),
    [
        ("asked_deed(step(move,u,x,y,enter)).", True),
        ("asked_deed(step(B,u,x,y,enter)) :- asked_from(B,u,x).", True),
        ("asked_deed(D) :- chosen_deed(D).", True),
        ("asked_deed(step(advance,u,x,y,enter)).", False),
        ("asked_deed(place_dc(u,x)).", False),
    ],
)
def test_a_rule_on_one_word_of_a_kind_needs_a_question_about_it(facts: str, fires: bool) -> None:
    (rule,) = read_rules('permits("N",step(move,U,X,Y,W)) :- asked_deed(step(move,U,X,Y,W)).')[0]
    rules = Reachability.of([rule], [trigger_of(rule)])
    assert rules.reachable_from(keys(facts)) == ((rule,) if fires else ())
