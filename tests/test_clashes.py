"""Answers that depend on a conflict of two norms: certain if both norms agree, else unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product

import clingo
import pytest
from hypothesis import given, settings

from rules_asp.game.board import Board
from rules_asp.knowledge.dependencies import keys_of
from rules_asp.knowledge.solver import (
    MAX_ORDERS,
    AnswerSet,
    ConflictingPair,
    PriorityOrder,
    clashing_pairs,
    solve,
    solve_each_priority,
)
from rules_asp.parser import parse
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.check import check
from tests.positions import boards, program
from tests.sampling import part, some, tries
from tests.small import answer, answers, values
from tests.test_cases import RULINGS, failed

HALVES = "building brown: A1 B0   joined A1-B0   bar A1-B0\n"
HALL = "building gray: A1   stairwell A1\nfactory A1\nthird level A1 building\n"
ROOF = "building brown: A1\nfactory A1\nrooftops\naccess point A1\n"
SHED = "building disputed: A1 B0   joined A1-B0   bar A1-B0\nfactory A1\n"
SHED += "all buildings single-story\n"
THIRD = "third level B0 building\nlevel counter 3: A1\n"


@pytest.mark.parametrize(
    ("board", "without", "expect"),
    part(
        [
            (HALVES, (), "los A1 - B0 blocked cites B23.71"),
            (HALVES + THIRD, (), "los A1/3 - B0/3 blocked cites B23.71"),
            (HALVES + THIRD, ("R-T01",), "unknown top(B0)"),
            (HALVES + THIRD, ("R-T01",), "los A1 - B0 blocked cites B23.71"),
            # Level 2 is above one of the two heights; but right behind the bar its wall hides that too.
            (HALVES + THIRD, ("R-T01",), "los A1/2 - B0/2 blocked cites B23.71"),
            (HALVES + THIRD, ("R-T01",), "los A1/1 - B0/1 blocked cites B23.71"),
            (SHED, ("R-T03",), "los A1 - B0 blocked cites B23.71"),
            (ROOF, (), "top(A1) = 1 1/2"),
            (ROOF, ("R-T03",), "unknown top(A1)"),
            (ROOF, ("R-T03",), "unknown elev(A1/roof)"),
            (ROOF, ("R-T03",), "has_level(A1, roof) = yes"),
            (ROOF, ("R-T03",), "los A1 - A1/roof clear"),
            (ROOF, ("R-T03",), "holds legal(fire(A1/roof, A1))"),
        ],
        5,
    ),
)
def test_what_rests_on_a_clash(board: str, without: tuple[str, ...], expect: str) -> None:
    asked = parse(f'board "clash" grid 2x1\n{board}expect {expect}')
    assert failed(prepare(asked, program(), without)) == []


@pytest.mark.parametrize("counter", ["", "level counter 3: A1\n"])
def test_what_is_not_known_breaks_no_norm(counter: str) -> None:
    board = parse(f'board "clash" grid 2x1\n{HALL}{counter}')
    found = check(prepare(board, program(), ["R-T01", "R-T04"]))
    assert found.violations == ()
    assert [(each.why.name, each.topic.split(" at ")[1][:2]) for each in found.unknown] == [
        ("clash", "A1")
    ]
    # By the ruling there is no Level 3; so no counter is missing, and one is too many.
    norms = [each.norm for each in check(prepare(board, program())).violations]
    assert norms == (["B23.421-6"] if counter else [])


def test_a_norm_is_broken_only_by_what_is_known() -> None:
    """Nor by what a rule finds where a value is open, as in the lab, where norms are in no order."""
    loose = [
        rule.text
        for rule in program().source.rules
        if rule.text.startswith("violates(")
        for topic in re.findall(r"not is\((.*?\)),yes\)", rule.text)
        if f"not is_unknown({topic})" not in rule.text and "not is_unknown(" not in rule.text
    ]
    assert loose == []


# --- each order of the norms is a reading of its own


def _values(case: AnswerSet) -> frozenset[str]:
    return frozenset(str(each) for name in ("is", "total") for each in case.atoms(name, 2))


def _read(board: Position, order: Iterable[ConflictingPair]) -> list[AnswerSet]:
    """The board's own layer where these norms override those, as if the text said so.

    There is none where the text says the opposite of it.
    """
    said = [clingo.Function("overrides", pair) for pair in order]
    facts = (*board.board_facts.symbols, *said)
    return solve(board.program.static(board.keys | keys_of(said)), facts=facts)


def _holds_by_all_readings(board: Position) -> None:
    pairs = sorted({pair for case in board.cases for pair in clashing_pairs(case)})
    assert len(board.cases) <= 2 ** len(pairs)
    if len(pairs) > MAX_ORDERS:
        return
    readings = {_values(each) for order in _rankings(pairs) for each in _read(board, order)}
    told = {_values(case) for case in board.cases}
    assert frozenset.intersection(*told) == frozenset.intersection(*readings)
    # Who is silent where the other speaks is beaten in a reading; supposed last, he leaves it unknown.
    assert frozenset().union(*told) <= frozenset().union(*readings)


def _rankings(pairs: Iterable[ConflictingPair]) -> Iterable[PriorityOrder]:
    for order in product(*((pair, pair[::-1]) for pair in pairs)):
        heads = {one for one, _ in order}
        if not any(
            {(one, two), (two, three), (three, one)} <= {*order}
            for one, two in order
            for three in heads
        ):
            yield order


@pytest.mark.parametrize("ruling", some(list(RULINGS), 12))
def test_without_a_ruling_that_is_so_which_both_readings_give(ruling: str) -> None:
    board = parse(f'board "clash" grid 5x5\n{RULINGS[ruling][0]}')
    without = prepare(board, program(), [ruling])
    assert len(without.cases) > 1
    _holds_by_all_readings(without)


@settings(max_examples=tries(2), deadline=None)
@given(boards())
def test_with_all_rulings_off_that_is_so_which_all_readings_give(board: Board) -> None:
    _holds_by_all_readings(prepare(board, program(), RULINGS))


# --- which orders there are


class _Told:
    def __init__(self, clashes: Iterable[str]) -> None:
        self.clashes = clashes

    def get(self, name: str, arity: int) -> list[tuple[clingo.Symbol, ...]]:
        return [
            (clingo.Function("t"), *map(clingo.String, each)) if (name, arity) else ()
            for each in self.clashes
        ]


def _orders(*clashes: str) -> list[str]:
    seen: list[str] = []

    def under(order: PriorityOrder) -> list[_Told]:
        seen.append(" ".join(sorted(one.string + two.string for one, two in order)))
        return [_Told(clashes)]

    solve_each_priority(under)
    return seen


def test_two_norms_have_two_orders_and_one_none() -> None:
    assert _orders() == [""]
    assert _orders("AA") == [""]
    assert _orders("AB") == ["", "AB", "BA"]


def test_no_order_goes_round_in_a_circle() -> None:
    found = _orders("AB", "AC", "BC")
    assert len(found) == 1 + 6
    assert not {"AB BC CA", "AC BA CB"} & set(found)


def test_no_more_pairs_are_ordered_than_there_is_time_for() -> None:
    several = [f"{letter}Z" for letter in "ABCDEFGH"]
    assert len(_orders(*several[:MAX_ORDERS])) == 1 + 2**MAX_ORDERS
    assert len(_orders(*several)) == 1 + 2**MAX_ORDERS


CLASH = 'says("A",t,3). says("B",t,4). says("N",u,V+1) :- is(t,V). '
FIRST = "assumed_winner({},{})."


@pytest.mark.parametrize(("first", "last", "value"), [("A", "B", "3"), ("B", "A", "4")])
def test_of_norms_in_order_the_first_counts(first: str, last: str, value: str) -> None:
    atoms = answer(CLASH, f'assumed_winner("{first}","{last}").')
    assert values(atoms) == {value, '?clash("A","B")'}
    assert values(atoms, "u") == {str(int(value) + 1)}


def test_the_order_of_two_norms_says_nothing_of_a_third() -> None:
    (atoms,) = answers(CLASH + 'says("C",t,5).', 'assumed_winner("A","B").')
    assert {each for each in values(atoms) if not each.startswith("?")} == set()
