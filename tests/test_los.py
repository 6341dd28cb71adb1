"""Lines of sight on random boards: one answer both ways, the same in a mirror, and from any part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from clingo import Symbol, parse_term
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp.explain.proof import prove
from rules_asp.explain.unknown import Reason
from rules_asp.game.board import Board, Expect, ExpectedLos
from rules_asp.game.grid import Hex, Location, Vertex, hex_of_spot
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.parser import parse
from rules_asp.positions.fact_index import Mentions, QueryFacts
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import los_end, resolve_location
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.los import los
from rules_asp.queries.los_matrix import LosVerdict, matrix
from tests.positions import CHANGES, GRID, boards, moved_location, program
from tests.sampling import part, some, tries
from tests.test_cases import CASES

examples = settings(max_examples=tries(3), deadline=None, suppress_health_check=list(HealthCheck))


def ready(board: Board) -> Position:
    return prepare(board, program())


def verdicts(here: Position) -> dict[frozenset[Location], LosVerdict]:
    """The whole board's verdicts; norm and place left out."""
    ends = list(here.index.elevations)
    found: dict[frozenset[Location], LosVerdict] = {}
    for batch in matrix(here, ends):
        for pair, verdict in batch.items():
            found[frozenset(pair)] = LosVerdict(
                verdict.clear, verdict.hindrance if verdict.clear else 0
            )
    assert found.keys() == {frozenset(pair) for pair in combinations(ends, 2)}
    return found


@examples
@given(boards())
def test_a_described_board_has_one_answer_set_and_no_clash(board: Board) -> None:
    here = ready(board)
    assert len(here.cases) == 1
    assert here.cases[0].get("conflict", 3) == []


@examples
@given(boards())
@pytest.mark.parametrize(("first", "change", "move"), CHANGES)
def test_mirroring_turning_and_shifting_change_nothing(
    first: Callable[[Board], Board] | None,
    change: Callable[[Board], Board],
    move: Callable[[Hex], Hex],
    board: Board,
) -> None:
    before = verdicts(ready(first(board) if first else board))
    after = verdicts(ready(change(board)))
    for pair, verdict in before.items():
        if first and any(hex_of_spot(each.spot).col > GRID.cols + 1 for each in pair):
            continue  # shifted off the larger map
        if first and any(hex_of_spot(each.spot).row > GRID.rows + 1 for each in pair):
            continue
        there = frozenset(moved_location(each, move) for each in pair)
        assert after[there] == verdict, sorted(map(str, pair))


@examples
@given(boards(), st.data())
def test_one_sight_is_answered_as_the_whole_board_answers_it(
    board: Board, data: st.DataObject
) -> None:
    here = ready(board)
    table = verdicts(here)
    ends = sorted(here.index.elevations, key=str)
    for _ in range(4):
        a, b = data.draw(st.lists(st.sampled_from(ends), min_size=2, max_size=2, unique=True))
        one, other = los(here, a, b, cite=False), los(here, b, a, close=False, cite=False)
        assert (one.clear, one.hindrance) == (other.clear, other.hindrance)
        verdict = table[frozenset((a, b))]
        assert one.clear == verdict.clear
        if one.clear:
            assert one.hindrance == verdict.hindrance


@examples
@given(boards(), st.data())
def test_a_proof_ends_in_facts(board: Board, data: st.DataObject) -> None:
    here = ready(board)
    ends = sorted(here.index.elevations, key=str)
    a, b = data.draw(st.lists(st.sampled_from(ends), min_size=2, max_size=2, unique=True))
    answer = los(here, a, b, close=False)
    assert answer.cites or answer.clear
    facts = set(map(str, here.board_facts.symbols))
    shared = {fact.rstrip(".") for fact in here.program.shared_facts.splitlines()}
    topics = [f"is({topic},{value})" for topic, value in here.cases[0].get("is", 2)[:40]]
    for step in (step for goal in prove(here, topics) for step in goal.walk()):
        if step.atom.startswith("ranked("):
            # That somebody is before or behind a norm: who, is told where it matters.
            assert here.cases[0].holds(parse_term(step.atom))
        elif step.given:
            assert step.atom in facts | shared
        else:
            assert (
                step.norm is not None or step.premises or Mentions().of(parse_term(step.atom)).hexes
            )


SPLIT = """
board "church" grid 7x6
level 1: D2
building gray: C3 D2   joined C3-D2   stairwell C3 D2
woods: E4
"""


def test_the_breach_of_a_wall_that_rubble_has_ended_is_not_cited() -> None:
    (path,) = (each for each in CASES if each.stem == "abtf3_34_breach_of_a_wall_gone")
    answer = los(load(path, program()), Location(Hex(2, 3), 0), Location(Hex(2, 4), 0))
    assert answer.clear
    assert "ABTF3.31-6" in {each.by for each in answer.beaten}
    assert not {"ABTF3.331", "B23.711"} & {*answer.cites}


def test_a_blocked_sight_tells_where_by_which_norm_and_cites_its_paragraphs() -> None:
    here = ready(parse(SPLIT))
    answer = los(here, Location(Hex(2, 3), 2), Location(Hex(3, 2), 2))
    assert answer.clear is False
    assert [(each.norm, each.place) for each in answer.blockers] == [
        ("B23.25-3", "C3"),
        ("B23.25-5", "C3"),
        ("B23.25-5", "D2"),
    ]
    assert {"B23.25", "B23.721"} <= set(answer.cites)
    assert (answer.level_a, answer.level_b, answer.range) == (4, 6, 1)


def test_a_sight_from_a_vertex_is_that_of_a_bypassing_unit() -> None:
    here = ready(parse(SPLIT))
    vertex = Location(Vertex(Hex(2, 3), 3), 0)
    assert los(here, vertex, Location(Hex(0, 4))).clear is True
    assert los(here, vertex, Location(Hex(4, 2))).clear is False


def test_the_end_of_a_close_call_is_reported() -> None:
    here = ready(parse('board "near" grid 7x4\nwoods: D2\n'))
    # A2-G3 misses the corner of D2 by little; A3-G3 runs along its hexspine and does not.
    told = {
        name: los(here, Location(Hex(0, 1)), Location(Hex(6, row))).close
        for name, row in (("close", 2), ("far", 1))
    }
    for calls in told.values():
        assert all(0 <= call.margin <= 16 for call in calls)


@pytest.mark.parametrize("floor", [3, "roof", "tower"])
def test_a_place_that_is_not_there_is_refused_with_what_is(floor: int | str) -> None:
    here = ready(parse(SPLIT))
    with pytest.raises(QuestionError, match="C3"):
        los(here, Location(Hex(2, 3), floor), Location(Hex(0, 1)))
    with pytest.raises(QuestionError, match="two different Locations"):
        los(here, Location(Hex(0, 1)), Location(Hex(0, 1)))


def test_from_a_place_of_unknown_level_nothing_is_known() -> None:
    here = ready(
        parse(
            'board "t" grid 5x5\nrules B23 PB6\nbuilding brown: C3   stairwell C3\nsymbol round: C3\n'
        )
    )
    answer = los(here, Location(Hex(2, 3), "tower"), Location(Hex(0, 1)))
    assert (answer.clear, answer.level_a, answer.level_b) == (None, None, 0)
    assert answer.unknown == (Reason("not_stated", ("tower C3 TOWER-TYPE NUMBER",)),)


#: Boards with what lies on no line, but at its ends or on the whole map.
AT_ENDS = (
    *("a24_2_smoke", "a6_3_depressions", "abtf3_311_night"),
    *("e1_1_night", "e1_1_night_of_no_nvr", "e1_1_nvr_0"),
)
OTHERS = [path for path in CASES if path.stem not in AT_ENDS and "\nexpect los" in path.read_text()]


@pytest.mark.parametrize(
    "path",
    part([*part([path for path in CASES if path.stem in AT_ENDS], 1), *some(OTHERS, 8)], 1),
    ids=lambda path: path.stem,
)
def test_all_sights_of_a_board_are_those_asked_one_by_one(path: Path) -> None:
    """Also where nothing lies on the line: SMOKE at its end, night, a unit in a gully."""
    here = load(path, program())
    asked = [each.question for each in here.board.statements if isinstance(each, Expect)]
    for sight in asked:
        if isinstance(sight, ExpectedLos):
            ends = [resolve_location(here, sight.a), resolve_location(here, sight.b)]
            one = los(here, *ends, close=False, cite=False)
            ((verdict,),) = (each.values() for each in matrix(here, ends) if each)
            assert verdict.clear == one.clear, sight
            assert not one.clear or verdict.hindrance == one.hindrance, sight


def _flipped_alone(
    self: Position,
    wanted: Sequence[Signature],
    question: QueryFacts,
    optional: Mapping[Symbol, bool],
    local: bool = False,
) -> dict[Symbol, list[AnswerSet]]:
    """The answers with each fact flipped, each in a question of its own."""
    return {
        flipped: self.ask(
            wanted,
            question.also([fact for fact, holds in optional.items() if holds != (fact == flipped)]),
            local,
        )
        for flipped in optional
    }


@pytest.mark.parametrize("path", some(OTHERS, 6), ids=lambda path: path.stem)
def test_close_calls_asked_together_are_those_asked_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = load(path, program())
    asked = [each.question for each in here.board.statements if isinstance(each, Expect)]
    lines = [
        (resolve_location(here, sight.a), resolve_location(here, sight.b))
        for sight in asked
        if isinstance(sight, ExpectedLos)
    ]
    together = [los(here, *ends, cite=False).close for ends in lines]
    monkeypatch.setattr(Position, "ask_flipped", _flipped_alone)
    assert [los(here, *ends, cite=False).close for ends in lines] == together


def test_a_close_call_beside_smoke_counts_the_greater_hindrance_alone() -> None:
    text = 'board "b" grid 5x5\nmonth 7\ngrain: D2\nsmoke 2: D3\nsmoke 1: B3\nbrush: B2\n'
    here = prepare(parse(text), program())
    for ends, hindrance in ((("C3", "E3"), 2), (("A3", "C3"), 1)):
        found = los(here, *(los_end(here, end) for end in ends))
        assert found.hindrance == hindrance
        assert found.close == ()
