"""The law of lost knowledge: removing facts from a board, marked as unknown, leaves each answer as it
was or makes it unknown.
"""

from __future__ import annotations

from pathlib import Path

import clingo
import pytest

from rules_asp.api import BoardError, ask, can, check, los, program_text, sees, tem
from rules_asp.parser import parse, write
from rules_asp.positions.loading import load
from rules_asp.positions.position import prepare
from tests.dim_sights import dimmed, falsely_certain
from tests.positions import program
from tests.sampling import slow, some
from tests.taken_away import taken_away, wrong
from tests.test_cases import CASES


@pytest.mark.parametrize("path", some(CASES, 3), ids=lambda path: path.stem)
def test_an_answer_stays_or_becomes_unknown_where_less_is_known(path: Path) -> None:
    case = load(path, program())
    for taken in some(list(taken_away(case.board)), 2):
        assert wrong(case, taken) == []


#: Boards on which each mark and each kind of open input has been seen to be read as if it were known.
FIRM = {
    "b_6_sticking_in": "orchard",
    "b23_922_berserk": "of_side",
    "a5_1_stacking": "of_side",
    "pb4_122_other_phase": "'ma'",
    "pb6_31_air_bursts": "woods",
}


@pytest.mark.parametrize("name", some(list(FIRM), 3))
def test_what_once_was_falsely_certain(name: str) -> None:
    case = load(next(path for path in CASES if path.stem == name), program())
    taken = [each for each in taken_away(case.board) if FIRM[name] in each.what]
    assert taken
    for each in some(taken, 1):
        assert wrong(case, each) == []


@slow
@pytest.mark.parametrize("path", some(CASES, 4), ids=lambda path: path.stem)
def test_what_rests_on_a_sight_that_is_not_known_is_as_with_it_clear_and_blocked(
    path: Path,
) -> None:
    case = load(path, program())
    for each in dimmed(case.board):
        assert falsely_certain(case, each) == []


#: Boards on which a sight, or a way, that is not known was taken for none.
DIM = ["a10_5_rout", "b23_82_rooftop_at_16", "b23_82_rooftop_higher", "a4_3_bypass"]
#: Boards on which what a unit carries, or the MP of a vehicle, were taken for enough.
LADEN = ["a4_134_minimum_move", "b23_4_vehicles", "d2_1_ways_of_vehicles"]


@pytest.mark.parametrize("name", some(DIM, 1))
def test_a_sight_that_is_not_known_is_not_taken_for_none(name: str) -> None:
    case = load(next(path for path in CASES if path.stem == name), program())
    for each in dimmed(case.board):
        assert falsely_certain(case, each) == []


@pytest.mark.parametrize("name", some(LADEN, 1))
def test_what_nobody_says_of_a_unit_is_not_taken_for_enough(name: str) -> None:
    case = load(next(path for path in CASES if path.stem == name), program())
    laden = [each for each in dimmed(case.board) if each.what.endswith("not said")]
    assert laden
    for each in some(laden, 2):
        assert falsely_certain(case, each) == []


HOUSE = """board "x" grid 6x6
building gray: C3 C4   joined C3-C4
unit A squad 4-6-7 german at C4
unit B squad 4-4-7 russian at B1
"""


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("perhaps stairwell C3", "stairwell C3"),
        ("perhaps symbol round: C3", None),
        ("perhaps third level C3 building", "third level C3 building"),
    ],
)
def test_an_answer_that_hangs_on_what_may_be_so_is_unknown_and_names_it(
    line: str, named: str | None
) -> None:
    here = prepare(parse(HOUSE + line), program())
    asked = ask(here, "height(C3) = V")
    assert asked.holds is (True if named is None else None)
    assert [each.about for each in asked.unknown] == ([(named,)] if named else [])


@slow
def test_what_may_be_so_is_asked_each_way_by_every_command() -> None:
    here = prepare(parse(HOUSE + "perhaps wall: B2-B3\nperhaps blaze C3\n"), program())
    sight = los(here, "B1", "B4")
    assert sight.clear is None
    assert [each.need for each in sight.unknown] == ["whether wall: B2-B3"]
    assert los(here, "A1", "A4").clear
    assert tem(here, "B1", "B3").value is None
    step = can(here, "A move to C3")
    assert step.legal is None
    assert [each.about for each in step.unknown] == [("blaze C3",)]
    assert can(here, "A move to C5").legal
    open_ = {each.topic: str(each.why) for each in check(here).unknown}
    assert open_ == dict.fromkeys(("blaze C3", "wall: B2-B3"), "it is possible, but not certain")


@slow
def test_all_sights_of_what_may_be_so_are_those_asked_one_by_one() -> None:
    here = prepare(parse(HOUSE + "perhaps wall: B2-B3\nperhaps stairwell C3\n"), program())
    seen = sees(here, "B1", "A1-D5").sights
    assert {verdict.clear for _, verdict in seen} == {True, False, None}
    for to, verdict in seen:
        alone = los(here, "B1", to)
        assert (verdict.clear, verdict.hindrance) == (alone.clear, alone.hindrance), to
        assert {why.about for why in verdict.why} >= {why.about for why in alone.unknown}, to


def test_what_was_said_stays_possible() -> None:
    # With the wall and without it the line is blocked, by one house or the other.
    here = prepare(parse(HOUSE + "perhaps wall: B2-B3"), program())
    assert los(here, "C2", "C5").clear is False
    # A blocked line has no Hindrance, and so one that may be there leaves nothing open.
    here = prepare(parse(HOUSE + "perhaps smoke 2: C3"), program())
    assert (los(here, "C2", "C5").clear, los(here, "C2", "C5").hindrance) == (False, 0)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("perhaps sides german", "the side of a player cannot be uncertain: leave out `perhaps`"),
        ("perhaps bar C3-C4 covers 0-20", "along the whole hexside"),
        ("perhaps woods: A1", "is not expected at this position"),
        ("perhaps flame C9", "the hex C9 is outside the map"),
        ("perhaps month 3\nmonth 4", "already sets"),
        (
            "\n".join(
                f"perhaps wire {each}" for each in ["A1", "A2", "A3", "A4", "A5", "B1", "B2"]
            ),
            "more than 6",
        ),
    ],
)
def test_what_cannot_be_left_open_is_refused(lines: str, message: str) -> None:
    with pytest.raises(BoardError, match=message):
        prepare(parse(HOUSE + lines), program())


def test_what_may_be_so_is_written_as_it_is_read() -> None:
    lines = "perhaps road dirt: A1-A2\nperhaps bar C3-C4\nperhaps marketplace: C3\n"
    board = parse(HOUSE + lines)
    assert parse(write(board)) == board
    assert lines in write(board)


def test_an_open_input_is_named_where_the_answer_hangs_on_it() -> None:
    text = """board "gate" grid 5x5
building gray: C3 C4   joined C3-C4   stairwell C3
factory C3
unit R vehicle russian at C2: truck
"""
    step = can(prepare(parse(text), program()), "R move to C3 by driving")
    assert step.legal is None
    (why,) = step.unknown
    assert "control" in why.need
    assert "C3" in why.need


@slow
def test_plain_clingo_supposes_the_same() -> None:
    here = prepare(parse(HOUSE + "perhaps stairwell C3\nperhaps flame C3\n"), program())
    control = clingo.Control(["--models=0"])
    control.add("base", [], program_text(here))
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        heights = [
            {str(each) for each in model.symbols(atoms=True) if str(each).startswith("is(height(")}
            for model in handle
        ]
    assert len(heights) == len(here.cases) == 4
    assert len(set(map(frozenset, heights))) == 2
