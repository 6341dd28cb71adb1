"""Law: the text of an answer has the words of players, never the names of predicates and topics."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import clingo
import pytest

from rules_asp import api
from rules_asp.explain import layout
from rules_asp.explain.proof import proof_of
from rules_asp.explain.unknown import Label, label
from rules_asp.game.board import Expect, ExpectedCost, ExpectedDrm, ExpectedLos, Shot
from rules_asp.game.query import DeedQuery, Query
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import vocabulary
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import resolve_location
from rules_asp.positions.position import Position
from rules_asp.queries.fire import fire, shot, tem
from rules_asp.queries.legality import can
from rules_asp.queries.los import los
from rules_asp.queries.movement import moves
from rules_asp.queries.question import Answer
from tests.positions import program
from tests.sampling import part, some

CASES = sorted((Path(__file__).parent / "cases").glob("*.board"))
#: A name with an underscore, or a name before the argument of a term.
PROGRAM_WORD = re.compile(r'\b[a-z]\w*_\w+|\b[a-z]\w*\((?:"|[A-Z]{1,2}\d|[^()\s]*\) = )')
#: Boards with unknown topics of many kinds, consequences of actions, and conflicts.
MANY = ("b23_424_scaling", "b23_41_bog_check", "brt7_1_both_in_force")


def of_kinds(here: Position) -> Iterator[Answer]:
    """The answer of `check`, and one to the first question of each kind that a case expects."""
    yield api.check(here)
    questions = [each.question for each in here.board.statements if isinstance(each, Expect)]
    for question in {type(each): each for each in reversed(questions)}.values():
        answer: Answer
        try:
            match question:
                case ExpectedLos():
                    one, other = (resolve_location(here, e) for e in (question.a, question.b))
                    answer = los(here, one, other)
                case DeedQuery():
                    answer = can(here, question)
                case Shot():
                    answer = tem(here, settled(here, question))
                case ExpectedDrm():
                    answer = fire(here, settled(here, question.shot))
                case ExpectedCost():
                    answer = moves(here, question.units)
                case Query():
                    yield api.why(here, question)
                    continue
                case _:
                    continue
        except QuestionError:
            continue
        yield replace(answer, on=here, proved=answer.proved or proof_of(answer.evidence))


def settled(here: Position, asked: Shot) -> Shot:
    return shot(here, asked.firer, asked.target, asked.how, asked.doing)


def texts(block: layout.Block) -> Iterator[str]:
    """Every text of a block."""
    if isinstance(block, layout.Table):
        yield block.title
        for row in (block.heads, *block.rows):
            yield from ("".join(map(str, layout.spans(cell))) for cell in row)
        return
    yield "".join(map(str, layout.spans(block.phrase)))
    if isinstance(block, layout.Tree):
        for each in block.below:
            yield from texts(each)


def program_words(answer: Answer) -> set[str]:
    """The program words in the text of an answer and in its whole proof."""
    view = layout.View(paths=True, everything=True, full=True)
    proof = () if answer.proved is None else answer.proof_blocks(view)
    blocks = layout.blocks(*answer.report(view).blocks, proof)
    return {
        found for each in blocks for text in texts(each) for found in PROGRAM_WORD.findall(text)
    }


@pytest.mark.parametrize(
    "case",
    [*part([each for each in CASES if each.stem in MANY], 1), *some(CASES, 24, of="text answers")],
    ids=lambda each: each.stem,
)
def test_an_answer_has_no_program_words(case: Path) -> None:
    here = load(case, program())
    assert [each for answer in of_kinds(here) for each in program_words(answer)] == []


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ('barrel_of("V")', Label("V", "Barrel Length of the Gun or MA")),
        ("halved(e((3,1),(3,2)),inherent)", Label("D1-D2, inherent", "is halved as Area Fire")),
        ("s(l((2,3),0),l((3,3),0))", Label("C3/0 - D3/0", "LOS")),
        ("stands_nowhere_here", Label("stands nowhere here")),
    ],
)
def test_a_topic_in_words(term: str, words: Label) -> None:
    found = label(clingo.parse_term(term), Notation(vocabulary()))
    assert found.about == words.about
    assert found.meaning.endswith(words.meaning)


def test_what_an_answer_is_about_is_not_named_again() -> None:
    step = clingo.parse_term('step(move,"V",l((2,3),0),l((3,3),0),drive)')
    due = clingo.Function("bog_due", [step])
    notation = Notation(vocabulary())
    assert str(label(due, notation, (step,))) == "the step requires an immediate Bog Check"
    assert str(label(due, notation)).endswith("Bog Check (V moves to D3 from C3 by driving)")
