"""Proofs: their premises hold in the answer set, and supports are searched once for a board."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import clingo
import clingo.ast
import pytest

from rules_asp.api import ask, load, los, tem
from rules_asp.explain.proof import norms_in, prove, provenance
from rules_asp.explain.proof_choice import SupportOrder
from rules_asp.game.board import Expect
from rules_asp.game.query import Query
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program, build
from rules_asp.knowledge.solver import AnswerSet, add_facts, solve
from rules_asp.knowledge.support import Support, SupportFinder, _Search
from rules_asp.positions.loading import example_boards
from rules_asp.positions.position import Position
from rules_asp.queries.ask import ask_together
from tests.sampling import part, slow, some
from tests.small import small

CASES = sorted((Path(__file__).parent / "cases").glob("*.board"))

BOARDS = ("church", "assault")


def _topics(here: Position) -> list[str]:
    return [f"is({topic},{value})" for topic, value in here.cases[0].get("is", 2)]


@pytest.mark.parametrize("board", part(BOARDS, 1))
def test_what_a_proof_rests_on_is_so(board: str) -> None:
    here = load(board)
    (case,) = here.cases
    goals = _topics(here)
    steps = prove(here, goals)
    assert [step.atom for step in steps] == goals
    for step in (step for goal in steps for step in goal.walk()):
        assert case.holds(clingo.parse_term(step.atom))
        assert not any(case.holds(clingo.parse_term(each)) for each in step.negative_premises)
        assert step.atom not in {each.atom for below in step.premises for each in below.walk()}


@pytest.mark.parametrize("path", some(CASES, 6), ids=lambda path: path.stem)
def test_what_beats_a_norm_that_says_otherwise_is_cited(path: Path) -> None:
    """Who reads that a deed is legal, or a value holds, reads also what was lifted or replaced for it."""
    here = load(str(path), load_program())
    for expect in (each for each in here.board.statements if isinstance(each, Expect)):
        if not isinstance(expect.question, Query):
            continue
        batch = ask_together(here, [expect.question], [expect.question])
        rests_on = {norm for step in batch.proofs.values() for norm in norms_in([step])}
        proved = {clingo.parse_term(goal) for goal in batch.proofs}
        for answer in batch.answers:
            results = (each for each in proved if calculus().topic_place.get(each.name) == 0)
            topics = {each.arguments[0] for each in results if answer.holds(each)}
            for loser, topic, winner in answer.get("defeated", 3):
                if topic in topics:
                    assert winner.string in rests_on, (str(loser), str(topic))


def test_what_stands_for_anything_is_cited_too() -> None:
    here = load("church")
    assert ask(here, "connected(C3, _) = yes").cites
    assert ask(here, "not connected(C3, A1) = yes, connected(C3, _) = yes").cites


@pytest.mark.parametrize("board", part(BOARDS, 1))
def test_cites_are_the_norms_of_the_proof(board: str) -> None:
    here = load(board)
    for goal in _topics(here)[::7]:
        expected = here.program.paragraphs(norms_in(prove(here, [goal])))
        assert provenance(here, [goal]).cites == expected


def test_what_was_asked_before_changes_no_cite_and_is_looked_up_once() -> None:
    fresh, used = load("assault"), load("assault")
    for place in ("C3", "D3/1", "E4"):
        los(used, "B4", place)
    first = tem(used, "B4", "D3/1")
    assert first == tem(fresh, "B4", "D3/1")
    looked_up = used.reasons[0].lookups
    assert looked_up > 0
    assert tem(used, "B4", "D3/1") == first
    assert used.reasons[0].lookups == looked_up


def test_what_does_not_hold_is_left_out() -> None:
    here = load("church")
    assert prove(here, ["is(height((2,3)),99)"]) == []
    assert provenance(here, ["is(height((2,3)),99)"]).cites == ()


def ways(text: str, atom: str) -> list[tuple[str | None, set[str], set[str]]]:
    """By which norms an atom follows in a small knowledge base, from what, and for want of what."""
    program = build(small(text))
    (found,) = solve(program.defined, *(rule.text for rule in program.rules))
    (options,) = SupportFinder(program.twins, found).supports_of([clingo.parse_term(atom)]).values()
    told = SupportOrder(program).sorted(options)
    return [(way.rule.norm, set(map(str, way.body)), set(map(str, way.absent))) for way in told]


@slow
def test_each_rule_has_a_twin_that_clingo_takes() -> None:
    twins = list(load_program().twins.all())
    assert len(twins) > 1000
    told: list[str] = []
    control = clingo.Control(["--warn=no-atom-undefined"], logger=lambda _, text: told.append(text))
    with clingo.ast.ProgramBuilder(control) as builder:
        for each in twins:
            for statement in (*each.program_part(0), *each.program_part(1)):
                builder.add(statement)
    number = [clingo.Number(1)]
    control.ground([(f"twin{each.number}_{shelf}", number) for each in twins for shelf in (0, 1)])
    assert not told


def test_all_ways_are_found_and_no_other() -> None:
    text = "%@ X1-1  One.\np(1..2). q(X) :- p(X), not r(X). q(X) :- s(X). q(3) :- p(1). s(2). r(1)."
    assert ways(text, "q(2)") == [("X1-1", {"p(2)"}, {"r(2)"}), ("X1-1", {"s(2)"}, set())]
    assert ways(text, "q(3)") == [("X1-1", {"p(1)"}, set())]
    assert ways(text, "q(1)") == []


def test_what_a_sum_is_made_of_is_reported_even_where_the_head_calculates() -> None:
    text = "%@ X1-1  One.\np(1..3). t. d(K-N) :- t, K = #count { X : p(X) }, N = #sum { Y : e(Y) }. e(1)."
    rests_on = [body for _, body, _ in ways(text, "d(2)")]
    assert rests_on[0] == {"t"}
    assert set().union(*rests_on) == {"t", "p(1)", "p(2)", "p(3)", "e(1)"}


def test_what_is_printed_is_a_reason_before_what_is_assumed_and_the_narrower_before_the_general() -> (
    None
):
    text = "%@ X1-1  One.\nq :- p.\n%@ X2-1  Two.\nq :- p. p.\n%@ X3-1 (assumed)  Three.\nq :- p."
    assert [norm for norm, _, _ in ways(text, "q")] == ["X2-1", "X1-1", "X3-1"]


def test_of_norms_that_say_the_same_the_narrower_is_reported_first() -> None:
    said = [f'%@ {norm}-1  {norm}.\nsays("{norm}-1",t,3).' for norm in ("X2", "X1.2", "X1.12")]
    told = [body for _, body, _ in ways("\n".join(said), "is(t,3)")]
    assert told == [{f'undefeated_value("{norm}-1",t,3)'} for norm in ("X1.2", "X1.12", "X2")]


def test_however_much_was_looked_up_the_ways_are_the_same() -> None:
    """Findings are kept on shelves: what is looked up last is found as it would be first."""
    program = build(small("%@ X1-1  One.\np(1..1500). q(X) :- p(X)."))
    (found,) = solve(program.defined, *(rule.text for rule in program.rules))
    reasons = SupportFinder(program.twins, found)
    for chunk in (range(1, 1101), range(1101, 1301), range(1301, 1501)):
        several = [clingo.parse_term(f"q({number})") for number in chunk]
        for atom, options in reasons.supports_of(several).items():
            assert [way.body for way in options] == [(clingo.Function("p", [atom.arguments[0]]),)]


def _supports(
    program: Program, case: AnswerSet, atoms: Iterable[Iterable[clingo.Symbol]]
) -> list[dict[clingo.Symbol, list[Support]]]:
    """The supports of some atoms at a time: what is given for one kind is not all for the next."""
    finder, order = SupportFinder(program.twins, case), SupportOrder(program)
    found = (finder.supports_of(several) for several in atoms)
    return [{atom: order.sorted(ways) for atom, ways in one.items()} for one in found]


def test_what_is_read_for_a_look_up_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of topics only those of the kinds that are looked up are given: the ways are those among all."""

    def everything(search: Any, needed: object, twins: Iterable[Any]) -> None:
        read = {(node.name, node.arity, "") for each in twins for node in each.rule.body}
        for name, arity, _ in sorted(read - search._given):
            add_facts(search._control, search.atoms((name, arity, "")))
        search._given |= read

    for name in some(sorted(example_boards()), 2):
        here = load(name)
        (case,) = here.cases
        atoms = [atom for node in (("is", 2), ("defeated", 3)) for atom in case.own_atoms(*node)]
        told = some([atoms[n : n + 40] for n in range(0, len(atoms), 40)], 4)
        found = _supports(here.program, case, told)
        with monkeypatch.context() as patch:
            patch.setattr(_Search, "_tell_read", everything)
            assert _supports(here.program, case, told) == found
        assert any(ways for each in found for ways in each.values())
