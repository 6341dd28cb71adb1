"""Boards of which something is not known: what a case states is taken away and, where that alone would
deny it, marked as unknown terrain; and what its expectations then answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rules_asp.cases.outcomes import batch_of, examine
from rules_asp.positions.portions import less, parts
from rules_asp.positions.prepared import Position, position
from rules_asp.terms.board import (
    PRINTED_MARKS,
    Area,
    Board,
    Clash,
    Expect,
    Given,
    Place,
    Statement,
    Thing,
    Violation,
)
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import Literal, Query

HERE = Place("taken away", 1)
#: Of no rule here: what lies in the hex is not known.
STRANGE = "terrain_not_told"
#: Not of the board, but of how an answer came to be, or what lines are measured for.
_OF_ANSWERS = frozenset(
    (
        *("unknown", "stopped", "illegal", "defeated", "contested", "conflict"),
        *("obstacle", "haze", "hindered", "violates"),
    )
)
#: Open, and yet answered where they are not stated, by norms that say so: terrain is in season (GR.31-3),
#: and a deed is asked of the time when it is done (GR.24-2).
_ASSUMED = frozenset(("month", "season", "moving_side", "phase"))


@dataclass(frozen=True)
class Taken:
    """A board without something that it stated, which is now not known."""

    what: str
    board: Board


def taken_away(board: Board) -> Iterator[Taken]:
    """The board without each thing that may be left open, or marked as unknown terrain."""
    for index, statement in enumerate(board.statements):
        for what, instead in _opened(statement):
            rest = board.statements
            said = (*rest[:index], *instead, *rest[index + 1 :])
            yield Taken(what, replace(board, statements=said, places=()))


def _opened(statement: Statement) -> Iterator[tuple[str, tuple[Statement, ...]]]:
    match statement:
        case Given(name):
            if not vocabulary().inputs[name].closed and name not in _ASSUMED:
                yield f"{statement}", ()
        case Area(kind) if kind not in PRINTED_MARKS:
            for part in parts(statement):
                assert isinstance(part, Area)
                unknown = Area(STRANGE, part.hexes)
                yield f"{part}", (*less(statement, {part}), unknown)
        case Thing(name, facts):
            for fact in facts:
                if not vocabulary().inputs[fact.name].closed:
                    left = tuple(each for each in facts if each != fact)
                    yield f"{fact}", (Thing(name, left),)


def asked_of(board: Board) -> list[Expect]:
    """The expectations that are about the board, without what they cite."""
    found = (each for each in board.statements if isinstance(each, Expect))
    return [replace(each, cites=()) for each in found if _is_of_the_board(each)]


def _is_of_the_board(expect: Expect) -> bool:
    question = expect.question
    if isinstance(question, Query):
        literals = [each for each in question.literals if isinstance(each, Literal)]
        return not any(each.name in _OF_ANSWERS or each.negated for each in literals)
    return not isinstance(question, Violation | Clash)


def wrong(case: Position, taken: Taken) -> list[str]:
    """The expectations that are now answered otherwise, and not as unknown."""
    left = position(taken.board, case.program)
    asked = asked_of(case.board)
    batch = batch_of(left, asked)
    found = []
    for each in asked:
        told = examine(left, each, HERE, batch)
        if not told.passed and not told.answered.startswith("unknown"):
            found.append(f"{taken.what}: {each.question} = {each.answer}: {told.answered}")
    return found
