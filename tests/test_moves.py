"""Moves of units and fire at them: properties on random boards, and single answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from clingo import parse_term
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp import api
from rules_asp.game.board import Board, Fact, UnitStatement
from rules_asp.game.grid import Hex, Location, Vertex
from rules_asp.knowledge import reader
from rules_asp.knowledge.program import build
from rules_asp.knowledge.rules import KnowledgeBase
from rules_asp.parser import parse, parse_deed
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError, units_together
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.deeds import deed_query, verdicts
from rules_asp.queries.fire import fire, shot, tem
from rules_asp.queries.legality import can
from rules_asp.queries.movement import Moves, moves
from rules_asp.queries.step_search import STEP, distinct_units
from tests.positions import (
    CHANGES,
    HEXES,
    boards,
    mirror,
    mirrored,
    moved_location,
    program,
    shift,
    turn,
    turned,
)
from tests.sampling import part, slow, tries

examples = settings(max_examples=tries(1), deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def manned(draw: st.DrawFn) -> Board:
    """A random board with a squad on it, and perhaps an enemy."""
    board: Board = draw(boards())
    units = [_unit("A", "squad", "german", draw(st.sampled_from(HEXES)))]
    if draw(st.booleans()):
        units.append(_unit("B", "squad", "russian", draw(st.sampled_from(HEXES))))
    return replace(board, statements=(*board.statements, *units))


def _unit(name: str, kind: str, side: str, where: Hex) -> UnitStatement:
    said = (
        Fact("unit", (name, kind)),
        Fact("strength", (name, 4, 6, 7)),
        Fact("of_side", (name, side)),
        Fact("at", (name, Location(where))),
    )
    return UnitStatement(name, said)


def ready(board: Board) -> Position:
    return prepare(board, program())


def costs(answer: Moves) -> dict[Location, int | None]:
    return {each.to: each.mf for each in answer.reach}


@examples
@given(manned())
def test_a_way_is_made_of_legal_steps_and_costs_what_they_cost(board: Board) -> None:
    answer = moves(ready(board), ["A"], cite=False)
    assert answer.pace is not None
    for each in answer.reach:
        here = answer.start
        for step in each.path:
            assert (step.start, step.legal) == (here, True)
            assert step.norms
            here = step.to
        assert here == each.to != answer.start
        if each.mf is None:
            # A way that may be cheaper, or a single step that is legal, at whatever cost.
            assert each.unknown
            assert each.at_least is not None
            assert each.at_most is None or each.at_least < each.at_most
        if each.at_most is not None or each.mf is not None:
            most = each.mf if each.mf is not None else each.at_most
            assert most == sum(step.mf or 0 for step in each.path)
            assert most <= answer.pace + sum(answer.bonuses.values())
    for each in answer.perhaps:
        assert each.unknown
        assert each.to not in {other.to for other in answer.reach}
    assert len({each.to for each in answer.reach}) == len(answer.reach)
    assert all(step.norms for step in answer.forbidden)
    assert all(step.unknown for step in answer.unknown)
    reached = {answer.start, *(each.to for each in (*answer.reach, *answer.perhaps))}
    for step in (*answer.forbidden, *answer.unknown):
        # At a vertex a unit only passes.
        assert step.start in reached or isinstance(step.start.spot, Vertex)


SUNKEN = """
board "sunken" grid 4x4
sides german
road sunken: B1-B2
unit A squad 4-6-7 german at B2: spent 1
"""


def test_a_step_whose_cost_is_not_known_is_not_known() -> None:
    answer = can(ready(parse(SUNKEN)), parse_deed("A move to B3"))
    assert answer.legal is None
    (way,) = answer.ways
    assert way.cost is None
    assert way.unknown
    assert {"A4.1", "A4.2", "B4.4"} <= {*answer.cites}


STREET = """
board "street" grid 1x8
sides german
road dirt: A1-A2-A3-A4-A5-A6
unit A squad 4-6-7 german at A1
unit L leader german at A1: wounded
"""
LANES = """
%@ XX1.1-1  A way that enters no hex by road may take one MF more.
bonus(on_foot,move,U,4) :- infantry(U).
keeps(on_foot,step(B,U,X,Y,enter)) :- costs_mf(step(B,U,X,Y,enter)).
"""


@slow
def test_which_ways_may_cost_more_is_for_the_rules_to_say() -> None:
    far = Location(Hex(0, 6))
    alone = moves(ready(parse(STREET)), ["A"], cite=False)
    assert (alone.pace, alone.bonuses, costs(alone)[far]) == (16, {"by_road": 4}, 20)
    assert Location(Hex(0, 7)) not in costs(alone)
    rules, norms = reader.read_rules(LANES, "b23/more.lp")
    kb = reader.read_kb()
    more = build(KnowledgeBase((*kb.rules, *rules), (*kb.norms, *norms)))
    both = moves(prepare(parse(STREET.replace("-A6", "")), more), ["A"], cite=False)
    assert both.bonuses == {"by_road": 4, "on_foot": 4}
    # By road as far as it goes, or on foot all the way: of either course, not of both at once.
    assert costs(both)[far] == 20
    assert Location(Hex(0, 7)) not in costs(both)


STACKED = """
board "x" grid 7x7
sides german russian
unit A squad 4-6-7 german at C3
unit L leader 8-1 german at C3
unit B leader 8-0 german at C3: broken
unit T vehicle german at C3: fully-tracked AFV CT, VCA C2/D2, MP 14
unit R squad 4-4-7 russian at C3
unit S vehicle german at E3: fully-tracked AFV CT, VCA E2/F2, MP 14
"""


def test_a_location_stands_for_the_infantry_of_a_side_in_it() -> None:
    position = api.position(api.parse(STACKED))
    german, russian, alone = units_together(position)
    assert (german.moving, german.firing, german.directing) == (
        ("A", "L"),
        ("A", "T"),
        ("L",),
    )
    assert (russian.moving, russian.firing, russian.directing) == (("R",), ("R",), ())
    assert alone.moving == ("S",)
    assert api.moves(position, ["E3"]).units == ("S",)
    with pytest.raises(QuestionError):
        api.moves(position, ["E4"])


def test_a_stack_has_what_the_least_of_them_has() -> None:
    both = moves(ready(parse(STREET)), ["A", "L"], cite=False)
    assert (both.pace, both.bonuses) == (12, {"by_road": 4})
    assert max(cost or 0 for cost in costs(both).values()) == 16
    routing = STREET.replace("german at A1\n", "german at A1: broken, MF 4\n", 1)
    routing = routing.replace("wounded", "broken, MF 3")
    assert moves(ready(parse(routing)), ["A", "L"], "rtph", cite=False).pace == 12
    assert moves(ready(parse(routing)), ["A"], "rtph", cite=False).pace == 16
    # A broken unit of which no MF is said routs with 6: the squad has the least.
    one = moves(ready(parse(routing.replace(", MF 3", ""))), ["A", "L"], "rtph", cite=False)
    assert (one.pace, bool(one.reasons)) == (16, False)


@examples
@given(manned())
@pytest.mark.parametrize(("first", "change", "move"), part(CHANGES, 1))
def test_mirroring_turning_and_shifting_change_no_move(
    first: Callable[[Board], Board] | None,
    change: Callable[[Board], Board],
    move: Callable[[Hex], Hex],
    board: Board,
) -> None:
    before = costs(moves(ready(first(board) if first else board), ["A"], cite=False))
    after = costs(moves(ready(change(board)), ["A"], cite=False))
    if first:
        # The shifted board has lost what lay at the rim of the larger one.
        inside = (place for place in before if place.spot in set(map(shift, HEXES)))
        assert all(after[moved_location(place, move)] == before[place] for place in inside)
    else:
        assert {moved_location(place, move): cost for place, cost in before.items()} == after


@examples
@given(manned())
def test_a_part_of_the_board_judges_steps_as_the_whole(board: Board) -> None:
    here = ready(board)
    start = (
        next(each for each in board.statements if isinstance(each, UnitStatement)).facts[3].args[1]
    )
    assert isinstance(start, Location)
    step = f'asked(step(any,"A",{start.term},any,any))'
    facts = QueryFacts((parse_term(step),))
    few, all_ = here.completed(facts, local=True), here.completed(facts)
    assert set(few.stated) == set(all_.stated)
    assert set(few.measured) == set(all_.measured)
    few_verdicts = list(
        verdicts(here, here.ask(deed_query(STEP, here.vocabulary), few, local=True), STEP)
    )
    assert few_verdicts == list(
        verdicts(here, here.ask(deed_query(STEP, here.vocabulary), all_), STEP)
    )


@examples
@given(manned(), st.data())
def test_a_sum_is_that_of_its_parts(board: Board, data: st.DataObject) -> None:
    here = ready(board)
    ends = sorted(here.index.elevations, key=str)
    one, other = data.draw(st.lists(st.sampled_from(ends), min_size=2, max_size=2, unique=True))
    how = data.draw(st.sampled_from(("direct", "indirect", "critical")))
    doing = data.draw(st.sampled_from(("still", "moving")))
    answer = fire(here, shot(here, one, other, how, doing), cite=False)
    for drm in (answer.tem, answer.drm):
        if drm.value is not None:
            assert drm.value == sum(part.amount for part in drm.parts)
    if answer.sight and answer.sight.clear is False:
        assert answer.legal is False


@examples
@given(manned(), st.data())
def test_mirroring_and_turning_change_no_tem(board: Board, data: st.DataObject) -> None:
    here, there, over = ready(board), ready(mirrored(board)), ready(turned(board))
    ends = sorted(here.index.elevations, key=str)
    one, other = data.draw(st.lists(st.sampled_from(ends), min_size=2, max_size=2, unique=True))

    asked = tem(here, shot(here, one, other), cite=False).value
    seen = shot(there, moved_location(one, mirror), moved_location(other, mirror))
    assert tem(there, seen, cite=False).value == asked
    seen = shot(over, moved_location(one, turn), moved_location(other, turn))
    assert tem(over, seen, cite=False).value == asked


@slow
def test_equal_units_are_asked_once_and_waves_come_to_the_same() -> None:
    text = """board "x" grid 9x9
building gray: C3
sides german
turn 1 german mph
unit A squad 4-6-7 german at C2
unit B squad 4-6-7 german at C2
unit C squad 4-6-7 german at C2: possesses MMG
unit L leader 9-1 german at C2
"""
    position = prepare(parse(text), program(), ())
    assert distinct_units(position, ("A", "B", "C", "L")) == ("A", "C", "L")
    whole = moves(position, ("A", "B", "L"), cite=False)
    alone = moves(prepare(parse(text), program(), ()), ("A", "L"), cite=False)
    assert [(each.to, each.mf) for each in whole.reach] == [
        (each.to, each.mf) for each in alone.reach
    ]
    again = prepare(parse(text), program(), ())
    found = [moves(again, ("A", "B", "L"), cite=False, waves=each) for each in range(1, 9)]
    assert found[0].partial
    assert not found[-1].partial
    assert {each.to for each in found[0].reach} < {each.to for each in found[-1].reach}
    assert [each.to for each in found[-1].reach] == [each.to for each in whole.reach]


NARROW_STREET = """
board "a Narrow Street" grid 7x6
rules B23 PB4
building gray: E5
building gray: F4
narrow street E5-F4 F4-F5
sides german russian
unit A squad 4-6-7 german at E4
unit B squad 4-6-7 german at F4@E5-F5: bypasses E5-F4
"""


@pytest.mark.parametrize(("phase", "along"), [("mph", True), ("aph", False)])
@pytest.mark.parametrize("unit", ["A", "B"])
def test_only_movement_goes_in_bypass(unit: str, phase: str, along: bool) -> None:
    answer = moves(prepare(parse(NARROW_STREET)), (unit,), phase)
    steps = (*answer.forbidden, *answer.unknown, *(s for each in answer.reach for s in each.path))
    asked = {answer.start, *(each.to for each in steps), *(each.to for each in answer.perhaps)}
    assert any(isinstance(each.spot, Vertex) for each in asked - {answer.start}) is along
