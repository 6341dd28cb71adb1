"""Moves of several steps in `can`, `cost`, `moves` and `reach`; none is falsely certain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rules_asp.cases import expectations
from rules_asp.cases.expectations import check_expectation
from rules_asp.game.board import Expect, ExpectedCost, SourcePosition
from rules_asp.game.grid import Location
from rules_asp.game.query import location_sort_key
from rules_asp.game.values import to_board_text
from rules_asp.parser import parse, parse_deed
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError, units_at
from rules_asp.positions.name_resolution import resolve_deed
from rules_asp.positions.position import Position, prepare
from rules_asp.queries import movement
from rules_asp.queries.deeds import judge_deed
from rules_asp.queries.legality import can
from rules_asp.queries.movement import Moves, moves
from tests.positions import program
from tests.sampling import slow, some
from tests.test_cases import CASES

HERE = SourcePosition("alone", 1)
VERDICTS = {True: "yes", None: "unknown", False: "no"}


def ready(text: str) -> Position:
    return prepare(parse(text), program())


def costing(here: Position, units: tuple[str, ...], to: Location) -> str:
    """What `expect cost` answers."""
    return check_expectation(here, Expect(ExpectedCost(units, to), "unknown"), HERE).answered


def goals(here: Position, answer: Moves) -> list[Location]:
    """Locations of every sort: reached, perhaps reached, at a vertex, not reached."""
    sorts = (answer.reach, answer.passed, answer.perhaps)
    found = [each.to for sort in sorts for each in some(sort, 1)]
    return [*found, *some(sorted({*here.index.elevations} - {*found}, key=location_sort_key), 2)]


def agreed(here: Position, unit: str, answer: Moves, to: Location) -> None:
    """`can`, `cost`, `moves`, `reach` and the verdict of the single step say the same of a Location."""
    deed = parse_deed(f"{unit} move to {to_board_text(to, 'location')}")
    told = can(here, deed, cite=False)
    sure = {each.to for each in (*answer.reach, *answer.passed)}
    verdict = VERDICTS[True if to in sure else None if answer.unsure(to) else False]
    if to == answer.start:
        assert to not in sure
    cost = costing(here, (unit,), to)
    assert VERDICTS[told.legal] == verdict, (unit, str(to), cost)
    assert cost.startswith(("forbidden", "not so")) == (verdict == "no"), (unit, str(to), cost)
    if judge_deed(here, resolve_deed(here, deed), cite=False).legal:
        assert verdict == "yes"
    if told.legal is None:
        assert told.unknown
    record: Any = replace(answer, on=here).record()
    listed = {each["to"]: each for name in ("reach", "perhaps") for each in record[name]}
    named = to_board_text(to, "location")
    assert (named in listed) == (answer.to(to) is not None and answer.to(to) not in answer.passed)


def pairs() -> Iterator[tuple[Path, str]]:
    for path in CASES:
        for line in path.read_text("utf-8").splitlines():
            words = line.split()
            if words[:1] == ["unit"] and " at " in line:
                yield path, words[1]


@pytest.mark.parametrize(
    ("path", "unit"), some(list(pairs()), 2), ids=lambda each: getattr(each, "stem", each)
)
def test_can_and_cost_and_moves_agree(
    path: Path, unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = load(path, program())
    if unit not in units_at(here):
        return
    answer = moves(here, [unit])

    def asked_once(*asked: object, cite: bool = True) -> Moves:
        assert asked[:3] in ((here, [unit], "mph"), (here, (unit,)))
        return answer

    # What takes long is asked once for all of them.
    monkeypatch.setattr(movement, "moves", asked_once)
    monkeypatch.setattr(expectations, "moves", asked_once)
    for to in goals(here, answer):
        agreed(here, unit, answer, to)


def test_a_step_that_is_not_known_makes_no_cost_certain() -> None:
    """Put any one hex off a board as unknown terrain: each cost stays, or is bounded by what it was."""
    text = """board "open" grid 5x5
woods: B3
building brown: C3 C4   joined C3-C4
unit A squad 4-6-7 german at A2
"""
    before = {each.to: each.mf for each in moves(ready(text), ["A"], cite=False).reach}
    for hex_ in some(["B2", "B3", "C2"], 2):
        kept = text.replace("woods: B3\n", "") if hex_ == "B3" else text
        after = moves(ready(kept + f"unknown terrain jungle: {hex_}\n"), ["A"], cite=False)
        for to, cost in before.items():
            found = after.to(to)
            assert found is not None, (hex_, str(to))
            if found.mf is not None:
                assert found.mf == cost, (hex_, str(to))
            else:
                assert found.unknown
                assert found.at_least is not None
                assert found.at_least <= cost
                assert found.at_most is None or cost <= found.at_most


def test_units_that_do_not_pay_alike_do_not_move_as_one() -> None:
    here = ready(
        """board "both" grid 3x3
unit A squad 4-6-7 german at B2
unit T vehicle german at B2: truck, MP 20
unit Q squad 4-6-7 german at B2: possesses MMG
"""
    )
    with pytest.raises(QuestionError, match="one spends MF and the other MP"):
        moves(here, ["A", "T"])
    with pytest.raises(QuestionError, match=r"is not a kind of path; use by-road, inside"):
        moves(here, ["A"], only="upside")
    with pytest.raises(QuestionError, match="from 1 to 50"):
        moves(here, ["A"], turns=0)
    # How many MF it has is not known: next to it all is, and beyond nothing.
    answer = moves(here, ["Q"])
    assert answer.pace is None
    assert answer.to(Location(here.board.grid.hexes()[0])) is None or answer.reasons
    told = can(here, parse_deed("Q move to C1"))
    assert (told.legal, bool(told.unknown)) == (None, True)


def test_an_advance_has_no_bonus_and_no_cost() -> None:
    here = ready('board "road" grid 3x3\nroad paved: A1-A2-A3\nunit A squad 4-6-7 german at A1\n')
    answer = moves(here, ["A"], "aph")
    assert answer.bonuses == {}
    assert {each.mf for each in answer.reach} == {None}
    assert moves(here, ["A"], cite=False).bonuses == {"by_road": 4}


def test_a_vehicle_is_forbidden_no_hex_that_it_reaches() -> None:
    here = ready(
        """board "drive" grid 5x5
building gray: C3
unit T vehicle german at B3: truck, MP 20
"""
    )
    answer = moves(here, ["T"], cite=False)
    reached = {each.to for each in answer.reach}
    out = {step.to for step in answer.forbidden if step.start == answer.start}
    assert "C3" in {str(place) for place in out}
    assert reached
    assert not out & reached
    assert all(each.mf is None and each.unknown for each in answer.reach)


@slow
def test_each_turn_has_its_own_mf() -> None:
    """In n turns of m MF each, along a row of hexes, m*n of them are reached, and no more."""
    row = 'board "row" grid 1x30\nunit A squad 4-6-7 german at A1\n'
    for turns in (1, 2, 3):
        answer = moves(ready(row), ["A"], turns=turns, cite=False)
        assert len(answer.reach) == 4 * turns
        assert {each.turn for each in answer.reach} == set(range(1, turns + 1))
    # What is left of a turn is not carried over: woods cost 2 of 3 MF each time.
    woods = "woods: " + " ".join(f"A{n}" for n in range(2, 30))
    three = ready(row.replace("german at A1", "german at A1: MF 3") + woods)
    assert len(moves(three, ["A"], turns=3, cite=False).reach) == 3
