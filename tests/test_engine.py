"""Running programs: every message of clingo is reported; layers, relevant rules, and parts of a board."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from clingo import parse_term
from hypothesis import HealthCheck, given, settings

from rules_asp.game.board import Board
from rules_asp.game.grid import Hex
from rules_asp.game.house_rules import SourceError
from rules_asp.knowledge.instantiation import topic_cycles
from rules_asp.knowledge.program import build, declared_signatures
from rules_asp.knowledge.reader import read_kb, read_rules
from rules_asp.knowledge.rules import KnowledgeBase, Signature
from rules_asp.knowledge.solver import EngineError, ProgramText, ground, solve, solve_flipped
from rules_asp.parser import parse
from rules_asp.positions.fact_index import FactIndex, QueryFacts, eye_at
from rules_asp.positions.name_resolution import los_end
from rules_asp.positions.position import prepare
from tests.positions import boards, program
from tests.sampling import tries

SEES = (
    Signature("sees", 1, ("s", 2)),
    Signature("stopped", 3, ("s", 2)),
    Signature("hindrance", 2, ("s", 2)),
)


@pytest.mark.parametrize(
    "text",
    [
        "p(1/0).",
        "q(a). p(X+1) :- q(X).",
        "p :- q.",
        "p(X).",
        "p(",
        '#include "other.lp".',
    ],
    ids=["division by zero", "sum of a name", "undefined", "unsafe", "syntax", "include"],
)
def test_every_message_of_clingo_is_an_error(text: str) -> None:
    with pytest.raises(EngineError):
        ground(text)


def test_only_rules_may_stand_in_the_knowledge_base() -> None:
    with pytest.raises(SourceError, match="only rules"):
        read_rules('#include "other.lp".', "bad.lp")
    with pytest.raises(SourceError, match="only rules"):
        read_rules("#script (python) \n#end.", "bad.lp")


def test_a_tag_may_stand_once(tmp_path: Path) -> None:
    (tmp_path / "vocabulary.lp").write_text("%@ X1-1  once\np.\n%@ X1-1  twice\nq.\n", "utf-8")
    with pytest.raises(
        SourceError, match=r"X1-1 has two summaries; the first is at vocabulary\.lp:1"
    ):
        read_kb(tmp_path)


def test_the_static_layer_rests_on_the_board_alone() -> None:
    here = program()
    measured = set(declared_signatures(here.source, "measured"))
    static = {node for rule in here.static_rules for node in rule.heads}
    question = {node for rule in here.question_rules for node in rule.heads}
    assert not static & question
    for rule in here.static_rules:
        assert not measured & set(rule.body)
        assert not question & set(rule.body)
    assert Signature("is", 2, ("height", 1)) in static
    assert Signature("sees", 1, ("s", 2)) in question


def test_what_reasons_mean_is_left_to_people() -> None:
    here = program()
    assert any(node.name == "reason" for rule in here.source.rules for node in rule.heads)
    assert not any(node.name == "reason" for rule in here.rules for node in rule.heads)


def test_the_shipped_topics_form_no_knot_and_a_knot_is_found() -> None:
    assert topic_cycles(program().rules) == []
    rules, _ = read_rules(
        'says("X1-1", t(a), yes) :- is(u(a),yes).  says("X1-2", u(a), yes) :- is(t(a),yes).'
        "  is(t(X),V) :- says(_,t(X),V).  is(u(X),V) :- says(_,u(X),V)."
    )
    assert len(topic_cycles(rules)) == 1


def test_answers_come_one_for_each_supposition() -> None:
    found = solve("1 { p(1..3) } 1.", limit=0)
    assert sorted(str(answer.get("p", 1)[0][0]) for answer in found) == ["1", "2", "3"]
    assert len(solve("1 { p(1..3) } 1.", limit=2)) == 2
    assert solve("p. :- p.") == []


@settings(max_examples=tries(8), deadline=None, suppress_health_check=list(HealthCheck))
@given(boards())
def test_a_part_of_the_board_answers_as_the_whole(board: Board) -> None:
    here = prepare(board, program())
    ends = sorted(here.index.elevations, key=str)
    for a, b in list(combinations(ends, 2))[:: max(1, len(ends) ** 2 // 16)]:
        if a.spot == b.spot:
            continue
        measured = here.measurer.measured([(a.spot, b.spot)], (a, b))
        question = QueryFacts((eye_at(a), eye_at(b)), measured)
        whole, part = (here.ask(SEES, question, local=local) for local in (False, True))
        for one, other in zip(whole, part, strict=True):
            for node in SEES:
                got, of_part = (sorted(each.get(node.name, node.arity)) for each in (one, other))
                assert got == of_part


SUMS = """
amount(b,1,2). amount(a,1,1) :- told.
counts(X,F)   :- amount(X,F,_).
pair(X,Y)     :- X = (a;b), Y = (a;b), X != Y, told.
total(X,N,Y)  :- pair(X,Y), N = #sum { V,F : amount(X,F,V), counts(X,F) }.
less(X)       :- total(X,N,Y), total(Y,M,X), N < M, counts(X,_).
"""


def test_a_sum_over_what_may_hold_decides_as_over_a_fact() -> None:
    told, less = parse_term("told"), parse_term("less(a)")
    (fact,) = solve(SUMS, facts=[told])
    assert fact.holds(less)
    assert {each.holds(told): each.holds(less) for each in solve(SUMS, open_=[told])} == {
        True: True,
        False: False,
    }
    (flipped,) = solve_flipped(ProgramText(SUMS), (), {told: False})[told]
    assert flipped.holds(told)
    assert flipped.holds(less)


WALLS = """
board "walls" grid 5x7
wall: B2-C3 B3-C3 C3-C4 C4-D3 C4-D4 C2-C3
hedge: B4-C4 C4-C5
"""


@pytest.mark.parametrize(
    ("end", "more", "read"),
    [
        ("C5", "", frozenset()),
        ("C3@B3-C4", "", frozenset({"wall_corner"})),
        ("C5", "bocage: D2-D3", frozenset({"bocage_side", "hexside_between"})),
    ],
    ids=["hexes", "vertex", "bocage"],
)
def test_a_line_reads_facts_on_vertices_and_bocage_only_if_it_can_use_them(
    end: str, more: str, read: frozenset[str]
) -> None:
    here = prepare(parse(WALLS + more), program())
    a, b = (los_end(here, each) for each in ("C1", end))
    question = QueryFacts(
        (eye_at(a), eye_at(b)), here.measurer.measured([(a.spot, b.spot)], (a, b))
    )
    _, facts = here.layer(0, SEES, question, here.index.around(question))
    kinds = {"wall_corner", "bocage_side", "hexside_between"}
    assert kinds & {fact.name for fact in facts} == read


def test_facts_are_found_by_the_hexes_they_mention() -> None:
    said = ["base((1,2),0)", "next((1,2),0,(1,1))", "ssr_rooftops", "base((9,9),0)"]
    facts = FactIndex(map(parse_term, [*said, 'map("(1,2)")']))
    assert [f"{each}." for each in facts.near([Hex(1, 2)]).symbols] == [
        "base((1,2),0).",
        "next((1,2),0,(1,1)).",
        "ssr_rooftops.",
        'map("(1,2)").',
    ]
    assert [f"{each}." for each in facts.near([Hex(1, 1)]).symbols] == [
        "next((1,2),0,(1,1)).",
        "ssr_rooftops.",
        'map("(1,2)").',
    ]
    assert len(facts.text.split()) == 5


def test_a_program_holds_no_declaration_that_no_rule_reads() -> None:
    here = program()
    heads = {node.name for rule in here.rules for node in rule.heads if not rule.body}
    assert "word" in heads
    assert not heads & {"input", "topic", "derived", "form", "deed", "once", "unread", "printed"}
    idle, told = (
        build(read_text_as_source(f'input(hex(hex), closed, "").\na(H) :- hex(H).\n{more}'))
        for more in ("", "b(S) :- input(_,_,S).\n")
    )
    assert len(idle.rules) == 1
    assert len(told.rules) == 3


def test_a_program_keeps_only_the_layers_that_were_used_last() -> None:
    here = build(read_text_as_source('input(hex(hex), closed, "").\na(H) :- hex(H).\n'))
    first = here.static([("hex", "0")])
    assert here.static([("hex", "0")]) is first
    for number in range(1000):
        here.static([("hex", str(number))])
        here.renewal([("hex", 1)], [("hex", str(number))])
        here.cone([Signature("a", 1)], frozenset({("hex", str(number))}))
        here.needed([Signature(f"a{number}", 1)])
    kept = [here._statics, here._renewals, here._fitted, here._cones]
    assert all(100 < len(each) < 200 for each in kept)
    assert here.static([("hex", "999")]) is here.static([("hex", "999")])


def read_text_as_source(text: str) -> KnowledgeBase:
    """A knowledge base of one text, without a calculus."""
    rules, norms = read_rules(text)
    return KnowledgeBase(tuple(rules), tuple(norms))
