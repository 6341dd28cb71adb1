"""Why an answer is unknown: every reason is shown in the words of kb/unknown_reasons.lp."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import clingo
import pytest

import rules_asp
from rules_asp.api import ask, fire, position
from rules_asp.cases.expectations import expectations
from rules_asp.explain.unknown import (
    Reason,
    differing_assumptions,
    make_reason,
    parse_reason,
    what_would_settle,
)
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import vocabulary
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.parser import BoardError
from rules_asp.parser.reader import parse
from rules_asp.positions.position import Position
from tests.positions import program


def board(text: str = "") -> Position:
    return position(parse(f'board "any" grid 3x3\n{text}'), program())


def of(term: str) -> Reason:
    return parse_reason(clingo.parse_term(term), Notation(vocabulary()))


@pytest.mark.parametrize(
    ("term", "told", "need"),
    [
        ('not_given("B24.11")', "this needs rule B24.11, which is not encoded", "rule B24.11"),
        (
            'breaks_off("PB4.126","RUBBLE/")',
            "the text of PB4.126 breaks off after: RUBBLE/",
            "the rest of PB4.126",
        ),
        (
            "terrain_not_given(jungle_hut,(2,3))",
            "no encoded rule gives the effect of jungle-hut in C3",
            "an agreement of the players: treat jungle-hut as TERRAIN",
        ),
        (
            "of(tem_at(l((2,3),0)))",
            "it depends on TEM of the Location (C3/0), which is unknown",
            "TEM of the Location (C3/0)",
        ),
        (
            'clash("B23.1-1","B23.2-1")',
            "B23.1-1 and B23.2-1 give different values",
            "a ruling on B23.1-1 against B23.2-1",
        ),
        (
            'contradiction("B23.1-1")',
            "B23.1-1 gives two different values",
            "a ruling on B23.1-1",
        ),
        (
            'not_stated(vca("T"))',
            "the board does not say `unit T ...: VCA HEX/HEX`",
            "`unit T ...: VCA HEX/HEX` on the board",
        ),
        (
            "not_stated(moving_side)",
            "the board does not say `turn SIDE`",
            "`turn SIDE` on the board",
        ),
        (
            "not_stated(control((2,3)))",
            "the board does not say `control SIDE: C3`",
            "`control SIDE: C3` on the board",
        ),
        (
            "roadblock_height(e((2,3),(3,2)))",
            "PB4.141 does not give the height of the roadblock on C3-D2 between two levels",
            None,
        ),
    ],
)
def test_a_reason_is_reported_in_words(term: str, told: str, need: str | None) -> None:
    assert str(of(term)) == told
    assert what_would_settle([of(term), of(term)]) == ((need,) if need else ())


def test_every_declared_reason_has_a_sense() -> None:
    for each in vocabulary().reasons.values():
        about = tuple(f"<{kind}>" for kind in each.kinds)
        told = str(make_reason(vocabulary(), each.name, *about))
        assert told
        assert "{" not in told
        assert "{" not in make_reason(vocabulary(), each.name, *about).need
        # What it is about is told, and a code of a list is no word.
        assert all(one in told for one in about)
        assert not any(letter.isdigit() for letter in each.name)


def test_a_reason_of_a_knowledge_base_without_declaration_is_reported_as_it_is() -> None:
    assert str(of("cut_off")) == "cut off"
    assert str(of("cut_off((2,3))")) == "cut off(C3)"
    assert str(of("no_norm(1)")) == "no norm(1)"
    assert of("cut_off").need == ""
    assert str(of("3")) == "3"


def test_of_what_a_board_leaves_open_that_is_named_on_which_an_answer_turns() -> None:
    hexes = ("(2,3)", "(4,3)")
    cases = [
        AnswerSet(
            (
                clingo.parse_term(f'abduced(friendly_hex("T",{hexes[0]}),{one})'),
                clingo.parse_term(f'abduced(friendly_hex("T",{hexes[1]}),{other})'),
                clingo.parse_term(
                    f'silent("B23.1-1",friendly_hex("T",{hexes[0]}),not_stated(control({hexes[0]})))'
                ),
            )
        )
        for one in ("yes", "no")
        for other in ("yes", "no")
    ]
    known = {"board": board().board, "notation": Notation(vocabulary()), "program": program()}
    here = cast(Position, SimpleNamespace(cases=(AnswerSet(()),), **known))
    first = Reason("not_stated", ("control SIDE: C3",))
    second = Reason("open_cases", ("the unit's side controls the hex (T, E3)",))
    assert differing_assumptions(here, cases, [1, 1, 2, 2]) == (first,)
    assert differing_assumptions(here, cases, [1, 2, 1, 2]) == (second,)
    assert differing_assumptions(here, cases, [1, 2, 2, 1]) == (first, second)


def test_a_line_that_may_be_so_is_named_as_the_board_says_it() -> None:
    here = board("perhaps flame A1\nperhaps wire B2")
    answers = [AnswerSet((), static_case=number) for number in range(4)]
    burning = [case.holds(clingo.parse_term("flame(l((0,1),0))")) for case in here.cases]
    assert [why.about for why in differing_assumptions(here, answers, burning)] == [("flame A1",)]
    # Where only both together make it, both are named.
    both = [
        one and case.holds(clingo.parse_term("wire(l((1,2),0))"))
        for one, case in zip(burning, here.cases, strict=True)
    ]
    assert {why.about for why in differing_assumptions(here, answers, both)} == {
        ("flame A1",),
        ("wire B2",),
    }


def test_a_question_can_name_a_reason() -> None:
    here = board("unknown terrain jungle-hut: A1")
    told = ask(here, "unknown(tem_at(A1), terrain_not_given(jungle-hut, A1))")
    assert told.holds is True
    assert ask(here, "unknown(tem_at(A1), no-norm)").holds is False


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("terrain_not_givn(jungle-hut, A1)", "terrain_not_givn is not a reason"),
        ("no_nrm", "no_nrm is not a reason"),
        ("terrain_not_given(jungle-hut)", "terrain_not_given takes 2 arguments"),
        ("terrain_not_given(jungle-hut, A1/1)", "A1/1 is not a hex"),
        ("not_given", "not_given takes 1 argument"),
        ("not_given(A1)", "must be in double quotes"),
    ],
)
def test_a_question_with_a_reason_misspelt(why: str, said: str) -> None:
    with pytest.raises(BoardError, match=said.replace("(", r"\(")):
        ask(board(), f"unknown(tem_at(A1), {why})")


HAZE = """
    board "haze" grid 7x7
    building gray: C3 C4   joined C3-C4
    perhaps factory C3
    lv hindrance 1 from range 2
    expect not factory(C3)
    """


def test_of_what_is_not_known_no_value_is_reported_as_so() -> None:
    (outcome,) = expectations(position(parse(HAZE), program()))
    assert not outcome.passed
    assert outcome.word == "unknown"
    assert "it is yes" not in outcome.answered


def test_a_part_that_is_the_value_of_a_topic_is_reported_by_its_name() -> None:
    answer = fire(position(parse(HAZE), program()), "C3", "E5")
    assert [each.what for each in answer.drm.parts] == ["lv", "tem"]


def test_a_sight_that_is_not_known_from_its_other_end_is_reported_with_what_is_missing() -> None:
    text = """board "hut" grid 12x8
unknown terrain jungle-hut: D5
unit K squad 4-6-7 german at B5: broken
unit M squad 4-4-7 russian at F5
"""
    told = ask(position(parse(text), program()), 'interdicted(step(rout, "K", B5, B6, enter), "M")')
    assert told.holds is None
    assert [(each.name, each.about) for each in told.unknown] == [
        ("terrain_not_given", ("jungle-hut", "D5"))
    ]
    assert "treat jungle-hut" in told.unknown[0].need


def test_mf_that_no_rule_tells_are_asked_for() -> None:
    text = 'board "ride" grid 5x5\nunit C cavalry german at B2\n'
    told = ask(position(parse(text), program()), 'pace("C") = V')
    assert [each.name for each in told.unknown] == ["not_stated"]
    assert "MF" in told.unknown[0].need


# --- the page that lists what stays unknown of the general rules


def _rows(heading: str) -> list[list[str]]:
    """The rows of the table below a heading of the page."""
    page = (Path(rules_asp.__file__).parent / "docs/explanation/unknowns.md").read_text("utf-8")
    below = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in below.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def test_the_page_has_each_rule_that_is_not_given_and_no_other() -> None:
    told = {
        name for row in _rows("Rules that an answer can depend on") for name in row[0].split(", ")
    }
    given = {
        found
        for rule in program().source.rules
        for found in re.findall(r'not_given\("([^"]+)"\)', rule.text)
    }
    assert told == given
    for reason, *_ in _rows("Other things that stay unknown"):
        assert any(f"reason({reason.strip('`')}(" in rule.text for rule in program().source.rules)


def test_the_page_says_of_each_norm_that_was_not_right_what_it_is_now() -> None:
    norms = program().norms
    rows = _rows("The general norms, at the first review and today")
    assert {before: sum(row[1] == before for row in rows) for before in "WIUN"} == {
        **{"W": 40, "I": 28, "U": 46, "N": 3},
    }
    for name, before, now in rows:
        named = re.findall(r"\b(?:[A-E]|GR)\d*\.\d+-\d+", now)
        assert all(each in norms for each in named), now
        assert name in norms or named, name
        assert now.startswith("encoded") or before != "W", name
        for ruling in re.findall(r"(R-\S+) \(M\)", now):
            assert norms[ruling].less_sure, ruling
