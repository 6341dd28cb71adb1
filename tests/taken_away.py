"""Boards with removed facts, and the answers to their expectations. A removed fact is marked as unknown
terrain if its absence alone would deny it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from rules_asp.boards.statement_ops import atomic_statements, without_parts
from rules_asp.cases.expectations import batch_of, check_expectation
from rules_asp.game.board import (
    PRINTED_MARKS,
    Area,
    Board,
    Building,
    Expect,
    ExpectedConflict,
    ExpectedViolation,
    Fact,
    HexsideTerrain,
    Road,
    SourcePosition,
    Statement,
    TerrainSubstitution,
    UncertainFact,
    UnitStatement,
)
from rules_asp.game.grid import hexside_between
from rules_asp.game.query import Query, QueryLiteral
from rules_asp.game.vocabulary import vocabulary
from rules_asp.positions.position import Position, prepare

HERE = SourcePosition("taken away", 1)
#: Of no rule here: what lies in the hex is not known.
STRANGE = "terrain_not_told"
#: Not of the board, but of how an answer came to be, or what lines are measured for.
_OF_ANSWERS = frozenset(
    (
        *("unknown", "stopped", "illegal", "defeated", "contested", "conflict"),
        *("obstacle", "haze", "hindered", "violates"),
        # What a roll is made with is told where it is not known whether it is made, too.
        "dice",
    )
)
#: What no line leaves open: which rules are in force, who plays.
_AT_LARGE = frozenset(("section", "side"))
#: Open, and yet settled by norms where they are not stated: terrain is in season (GR.31-3), a deed is asked
#: of the time when it is done (GR.24-2), dice are modified by stated EC (B23.6-5), a unit has the MF of its
#: kind (A4.11) and, without a weapon named, carries nothing (A4.42-1). So these may be as stated or as the
#: norms have it, and an answer must hold both ways.
_ASSUMED = frozenset(("month", "season", "moving_side", "phase", "ec"))
_ASSUMED_QUANTITIES = frozenset(("mf", "pp"))


@dataclass(frozen=True)
class Taken:
    """A board without something that it stated, which is now not known."""

    what: str
    board: Board


def taken_away(board: Board) -> Iterator[Taken]:
    """The board without each thing that may be left open, or marked as unknown terrain."""
    columns = dict.fromkeys(filter(None, map(_column, board.statements)))
    for column in columns:
        said = tuple(each for each in board.statements if _column(each) != column)
        yield Taken(f"ift {column}", replace(board, statements=said, places=()))
    for index, statement in enumerate(board.statements):
        for what, instead in _opened(statement):
            rest = board.statements
            said = (*rest[:index], *instead, *rest[index + 1 :])
            yield Taken(what, replace(board, statements=_with_terrain(said), places=()))


def _column(statement: Statement) -> object:
    """The column of the IFT of which a statement tells a result; one is known whole, or not at all."""
    is_of_one = isinstance(statement, Fact) and statement.name == "ift"
    return statement.args[0] if is_of_one else None


def _with_terrain(said: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Without how terrain is treated of which there is none any more."""
    kinds = {each.kind for each in said if isinstance(each, Area)}
    return tuple(e for e in said if not isinstance(e, TerrainSubstitution) or e.terrain in kinds)


def _opened(statement: Statement) -> Iterator[tuple[str, tuple[Statement, ...]]]:
    match statement:
        case Fact("ift"):
            pass
        case Fact(name) if not vocabulary().inputs[name].closed and name not in _ASSUMED:
            yield f"{statement}", ()
        case Fact(name) if name not in _AT_LARGE:
            yield f"{statement}", (UncertainFact(statement),)
        case Building():
            for hex_ in statement.stairwells:
                others = tuple(each for each in statement.stairwells if each != hex_)
                left = replace(statement, stairwells=others)
                yield f"stairwell {hex_}", (left, UncertainFact(Fact("stairwell_symbol", (hex_,))))
            for bar in statement.bars:
                left = replace(statement, bars=tuple(e for e in statement.bars if e != bar))
                if bar.covers is None:
                    yield f"bar {bar.side}", (left, UncertainFact(Fact("bar", (bar.side,))))
        case HexsideTerrain(kind, sides):
            for where in sides:
                rest = without_parts(statement, {HexsideTerrain(kind, (where,))})
                yield f"{kind} {where}", (*rest, UncertainFact(Fact("side_terrain", (where, kind))))
        case Road(surface, hexes):
            for one, other in pairwise(hexes):
                where = hexside_between(one, other)
                rest = without_parts(statement, {Road(surface, tuple(where))})
                yield f"road {where}", (*rest, UncertainFact(Fact("road", (where, surface))))
        case Area(kind):
            for hex_ in statement.hexes if kind in PRINTED_MARKS else ():
                rest = without_parts(statement, {Area(kind, (hex_,))})
                yield f"{kind} {hex_}", (*rest, UncertainFact(Fact(PRINTED_MARKS[kind], (hex_,))))
            for part in atomic_statements(statement) if kind not in PRINTED_MARKS else ():
                assert isinstance(part, Area)
                unknown = Area(STRANGE, part.hexes)
                yield f"{part}", (*without_parts(statement, {part}), unknown)
        case UnitStatement(name, facts):
            for fact in facts:
                assumed = fact.name == "has" and fact.args[1] in _ASSUMED_QUANTITIES
                # A TCA without a turret contradicts itself: without it nothing is left to be unknown.
                if fact.name == "tca" and Fact("status", (name, "turreted")) not in facts:
                    continue
                if not vocabulary().inputs[fact.name].closed:
                    left = UnitStatement(name, tuple(each for each in facts if each != fact))
                    yield f"{fact}", (left, UncertainFact(fact)) if assumed else (left,)


def asked_of(board: Board) -> list[Expect]:
    """The expectations that are about the board, without what they cite."""
    found = (each for each in board.statements if isinstance(each, Expect))
    return [replace(each, cites=()) for each in found if _is_of_the_board(each)]


def _is_of_the_board(expect: Expect) -> bool:
    question = expect.question
    if isinstance(question, Query):
        literals = [each for each in question.literals if isinstance(each, QueryLiteral)]
        return not any(each.name in _OF_ANSWERS or each.negated for each in literals)
    return not isinstance(question, ExpectedViolation | ExpectedConflict)


def wrong(case: Position, taken: Taken) -> list[str]:
    """The expectations that are now answered otherwise, and not as unknown."""
    left = prepare(taken.board, case.program)
    # Of what is now not known it is not told that it blocks there, where something else does anyhow.
    strange = {
        hex_
        for each in taken.board.statements
        if isinstance(each, Area) and each.kind == STRANGE
        for hex_ in each.hexes
    }
    asked = [
        replace(each, at=None) if each.at in strange else each for each in asked_of(case.board)
    ]
    # Of a deed that is not allowed in any case another norm may say so, or none that there is such a deed;
    # and a side of which nothing is said any more is none of this board.
    asked = [replace(each, by=None) for each in asked]
    batch = batch_of(left, asked)
    found = []
    for each in asked:
        told = check_expectation(left, each, HERE, batch)
        refused = each.answer == "forbidden" and told.answered == "not so"
        nameless = told.answered.startswith("no such thing")
        if not (told.passed or refused or nameless or told.answered.startswith("unknown")):
            found.append(f"{taken.what}: {each.question} = {each.answer}: {told.answered}")
    return found
