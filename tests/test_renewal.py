"""After a change, only the affected part is solved again, and the result is that of solving everything."""

from __future__ import annotations

import os
import pickle
import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from unittest import mock

import clingo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules_asp.cases.expectations import expectations
from rules_asp.game.board import Board, Expect, Outline
from rules_asp.geometry.shapes import shapes_of
from rules_asp.knowledge.program import (
    AffectedSignatures,
    PatchedAnswerSet,
    Program,
    below_patches,
    build,
)
from rules_asp.knowledge.reader import read_rules
from rules_asp.knowledge.rules import KnowledgeBase, Signature
from rules_asp.knowledge.solver import AnswerSet, solve, static_answer_sets
from rules_asp.parser import BoardError, load, parse
from rules_asp.positions import position
from rules_asp.positions.fact_index import FactIndex
from rules_asp.positions.loading import example_boards
from rules_asp.positions.loading import load as load_position
from rules_asp.positions.locations import locations
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.los_matrix import matrix
from tests import positions
from tests.archives import generate
from tests.archives import write as pack
from tests.edits import LIGHT, PLAIN, edit
from tests.norms_taken import KINDS, answers
from tests.positions import program
from tests.sampling import part, slow, some, tries, whole

BOARDS = [*PLAIN, *example_boards().values()]


def atoms(position: Position) -> list[frozenset[clingo.Symbol]]:
    """What holds in each case, in whatever order."""
    return [frozenset(case.all_atoms) for case in position.cases]


def same_as_whole(changed: Position) -> None:
    """A changed position is the one that is made of its board from nothing."""
    apart = prepare(changed.board, changed.program, changed.switched_off)
    assert len(changed.cases) == len(apart.cases)
    assert set(atoms(changed)) == set(atoms(apart))
    assert changed.shapes == shapes_of(changed.board)
    assert set(changed.board_facts.symbols) == set(apart.board_facts.symbols)
    for looked_up in ("elevations", "wholes", "manned", "bases"):
        assert getattr(changed.index, looked_up) == getattr(apart.index, looked_up)
    for looked_up in ("concerns", "drawn"):
        assert getattr(changed.measurer, looked_up) == getattr(apart.measurer, looked_up)
    for case, other in zip(changed.cases, apart.cases, strict=True):
        if len(apart.cases) == 1:
            assert all(map(case.holds, other.all_atoms))
            signatures = {
                (atom.name, len(atom.arguments)) for atom in (*case.all_atoms, *other.all_atoms)
            }
            for each in signatures:
                assert sorted(case.atoms(*each)) == sorted(other.atoms(*each))


def edited(chance: random.Random, old: Position, count: int) -> int:
    """Edit a position so often, one edit after the other; how many of the changes were made in part."""
    first, before, parts = old, atoms(old), 0
    for _ in range(count):
        adds, text = edit(chance, old.board)
        try:
            new = old.with_(text) if adds else old.without(text)
        except BoardError:
            continue
        same_as_whole(new)
        parts += any(isinstance(case, PatchedAnswerSet) for case in new.cases)
        old = new
    assert atoms(first) == before
    return parts


# --- the law


@pytest.mark.parametrize("path", some(BOARDS, 3), ids=lambda path: path.stem)
def test_a_changed_position_is_as_if_made_from_nothing(path: Path) -> None:
    chance = random.Random(f"{os.environ.get('RULES_ASP_SEED', '1')} {path.stem}")
    edited(chance, prepare(load(path), program()), 40 if whole() else 8)


@settings(max_examples=tries(2), deadline=None)
@given(positions.boards(), st.randoms(use_true_random=False))
def test_so_it_is_on_any_board(board: Board, chance: random.Random) -> None:
    edited(chance, prepare(board, program()), 3)


@slow
@pytest.mark.parametrize("seed", range(3 if whole() else 1))
def test_so_it_is_on_an_imported_board(seed: int, tmp_path: Path) -> None:
    from rules_asp.vasl.importer import import_archive

    sketch, _ = generate(seed, hilly=True)
    board = import_archive(pack(tmp_path / "bd99", sketch))
    assert any(isinstance(each, Outline) for each in board.statements)
    chance = random.Random(seed)
    assert edited(chance, prepare(board, program()), 40 if whole() else 5)


@slow
@pytest.mark.parametrize("path", some(LIGHT, 2), ids=lambda path: path.stem)
def test_its_answers_and_cites_are_the_same(path: Path) -> None:
    chance = random.Random(path.stem)
    old = prepare(load(path), program())
    for _ in range(4):
        adds, text = edit(chance, old.board)
        try:
            old = old.with_(text) if adds else old.without(text)
        except BoardError:
            continue
    apart = prepare(old.board, program())
    told = [
        [(each.expect, each.answered, each.cites) for each in expectations(made)]
        for made in (old, apart)
    ]
    assert told[0] == told[1]


def reordered(old: Position, chance: random.Random) -> Position:
    """A position of which clingo is given the same facts in another order."""
    symbols = list(old.board_facts.symbols)
    chance.shuffle(symbols)
    given = FactIndex(symbols)
    return replace(
        old,
        board_facts=given,
        cases=static_answer_sets(old.program.static, symbols, old.keys, old.left_open),
        _indexes={},
    )


def told_in_order(here: Position) -> tuple[object, ...]:
    """All that the expectations of a board come to, cites in their order, and what blocks each sight."""
    lines = [each for each in here.board.statements if isinstance(each, Expect)]
    expects = [each for each in lines if isinstance(each.question, KINDS)]
    outcomes = [(each.expect, each.answered, each.cites) for each in expectations(here)]
    sights = [verdict[:4] for batch in matrix(here, locations(here)) for verdict in batch.values()]
    return outcomes, answers(here, expects, True), sights


@slow
@pytest.mark.parametrize("path", some(LIGHT, 2), ids=lambda path: path.stem)
def test_nothing_hangs_on_the_order_of_the_facts(path: Path) -> None:
    here = load_position(path, program())
    assert told_in_order(here) == told_in_order(reordered(here, random.Random(path.stem)))


# --- what is solved anew


STREET = """\
board "street" grid 9x9
building gray: B4 C4 C5   joined B4-C4 C4-C5   stairwell B4
building brown: F4 G4   joined F4-G4
woods: D7 D8
unit A squad 4-6-7 german at B4
"""


@cache
def street() -> Position:
    return prepare(parse(STREET), program())


@pytest.mark.parametrize(
    "line",
    part(
        [
            *("unit B squad 4-6-7 german at B4/1", "unit A squad 4-6-7 german at C4", "flame B4"),
            *(
                "smoke 2: B4",
                "fortified hidden: B4",
                "breach B4-C4/0",
                "wire D2",
                "rubble stone: C5",
            ),
            *("woods: D2", "wall: D2-D3", "road dirt: D2-D3", "level 1: D2", "residual fp 4: B4"),
        ],
        1,
    ),
)
def test_most_changes_touch_a_part(line: str) -> None:
    old = street()
    new = old.with_(line)
    (case,) = new.cases
    assert isinstance(case, PatchedAnswerSet)
    assert case.before is old.cases[0]
    # What is not touched is that of the old answer itself.
    assert ("overrides", 2) not in case.touched.predicates
    same_as_whole(new)
    same_as_whole(new.without(line) if not line.startswith("unit A") else new)


@pytest.mark.parametrize("line", ["rules B23 PB4", "rules B23 PB4 BRT7"])
def test_with_a_section_all_is_solved_anew(line: str) -> None:
    new = street().with_(line)
    assert not isinstance(new.cases[0], PatchedAnswerSet)
    same_as_whole(new)


@slow
def test_a_chain_of_changes_stays_short() -> None:
    """The same unit goes to and fro, and counters come and go: what is outdated is dropped."""
    old = street()
    for turn in range(30):
        old = old.with_(f"unit A squad 4-6-7 german at {('C4', 'C5')[turn % 2]}")
        old = old.with_("flame D2") if turn % 2 == 0 else old.without("flame D2")
        (case,) = old.cases
        assert isinstance(case, PatchedAnswerSet)
        assert case.depth <= 2
        # Nor are texts kept of which nothing is left.
        assert len(old.board.lines) <= 3
    same_as_whole(old)


@slow
def test_a_changed_position_can_be_sent_away() -> None:
    new = street().with_("rubble stone: C5").with_("flame B4")
    there = pickle.loads(pickle.dumps(new))
    assert atoms(there) == atoms(new)
    assert not isinstance(there.cases[0], PatchedAnswerSet)
    same_as_whole(there.without("flame B4"))


def test_who_listens_goes_on_listening() -> None:
    heard: list[object] = []
    old = street()
    listening = Position(
        *(old.board, old.program, old.shapes, old.board_facts, old.cases), hear=heard.append
    )
    assert listening.with_("flame D2").hear == heard.append
    assert listening.with_("rules B23 PB4").hear == heard.append


# --- rules of whatever kind: those that join distant hexes, count, and speak of the board at large

RULES = """\
input(hex(hex), closed, "a hex").
input(map(text), closed, "its name").
input(section(section), closed, "a section").
input(base(hex,half_level), closed, "its level").
input(next(hex,direction,hex), closed, "who is beside whom").
input(terrain(hex,terrain), closed, "what grows there").
input(flame(location), closed, "a Flame").
far(H,G) :- terrain(H,woods), terrain(G,woods), H < G.
some_woods :- terrain(_,woods).
bare(H) :- hex(H), not some_woods.
many(N) :- N = #count { H : terrain(H,woods) }.
highest(B) :- base(_,B), not higher(B).
higher(B) :- base(_,B), base(_,C), C > B.
from(H,H) :- terrain(H,woods).
from(H,G) :- from(H,F), next(F,_,G), not terrain(G,_).
alone(H) :- terrain(H,brush), not from(_,H).
quiet :- not flame(_).
says("X1-1", kept(H), yes) :- hex(H), quiet.
says("X1-2", kept(H), no) :- terrain(H,woods), quiet.
overrides("X1-2","X1-1").
lost_far(H) :- is(kept(H),no), far(H,_).
"""


@cache
def far_rules() -> Program:
    calculus = (Path(positions.__file__).parents[1] / "kb" / "calculus.lp").read_text("utf-8")
    rules = [*read_rules(calculus, "calculus.lp")[0], *read_rules(RULES, "x.lp")[0]]
    return build(KnowledgeBase(tuple(rules), ()))


LINES = ("woods: A1", "woods: C3", "brush: B2", "level 2: C2", "flame A2", "flame C1", "grain: B3")


@settings(max_examples=tries(30), deadline=None)
@given(st.lists(st.sampled_from(LINES), min_size=2, max_size=6))
def test_rules_may_join_what_they_will(lines: list[str]) -> None:
    rules = far_rules()
    every = "".join(f"{rule.text}\n" for rule in rules.static_rules)
    old = prepare(parse('board "x" grid 3x3\nwoods: B1'), rules)
    said: set[str] = set()
    for line in lines:
        with mock.patch.object(position, "_PART", 1):
            new = old.without(line) if line in said else old.with_(line)
        said ^= {line}
        (case,) = new.cases
        assert isinstance(case, PatchedAnswerSet)
        (apart,) = solve(rules.defined, every, facts=new.board_facts.symbols)
        assert frozenset(case.all_atoms) == frozenset(apart.symbols)
        old = new


def test_what_a_board_leaves_open_is_solved_anew() -> None:
    """Several answers, before or after, are never patched."""
    open_ = "could_be(kept(H), maybe) :- terrain(H,brush). could_be(kept(H), never) :- terrain(H,brush)."
    calculus = (Path(positions.__file__).parents[1] / "kb" / "calculus.lp").read_text("utf-8")
    more = RULES.replace('says("X1-1", kept(H), yes) :- hex(H), quiet.', open_)
    texts = (calculus, "calculus.lp"), (more, "x.lp")
    rules = build(KnowledgeBase(tuple(rule for text in texts for rule in read_rules(*text)[0]), ()))
    old = prepare(parse('board "x" grid 3x3\nwoods: B1'), rules)
    with mock.patch.object(position, "_PART", 1):
        several = old.with_("brush: B2")
        assert len(several.cases) == 2
        assert isinstance(several.with_("flame A2").cases[0], AnswerSet)
        assert len(several.with_("flame A2").cases) == 2
        assert atoms(several.without("brush: B2")) == atoms(old)


# --- what is touched


def test_a_topic_is_touched_apart_from_others() -> None:
    touched = AffectedSignatures(
        frozenset((Signature("is", 2, ("height", 1)), Signature("rubble", 2)))
    )
    told = map(
        clingo.parse_term, ("is(height((1,1)),2)", "is(top((1,1)),2)", "rubble((1,1),stone)")
    )
    assert [touched.has(atom) for atom in told] == [True, False, True]
    assert touched.meets(Signature("is", 2, ("height", 1)))
    assert touched.meets(Signature("is", 2, ("Topic", 0)))
    assert touched.meets(Signature("is", 2, ("_", 0)))
    assert not touched.meets(Signature("is", 2, ("top", 1)))
    assert not touched.meets(Signature("hex", 1))


def test_what_will_be_touched_again_is_dropped() -> None:
    root = AnswerSet(())
    inner = PatchedAnswerSet(
        (), before=root, touched=AffectedSignatures(frozenset((Signature("a", 1),)))
    )
    outer = PatchedAnswerSet(
        (), before=inner, touched=AffectedSignatures(frozenset((Signature("b", 1),)))
    )
    both = AffectedSignatures(frozenset((Signature("a", 1), Signature("b", 1))))
    assert below_patches(outer, both) is root
    assert below_patches(outer, outer.touched) is inner
    kept = below_patches(outer, inner.touched)
    assert isinstance(kept, PatchedAnswerSet)
    assert (kept.before, kept.touched) == (root, outer.touched)
    assert below_patches(outer, AffectedSignatures(frozenset())) is outer
