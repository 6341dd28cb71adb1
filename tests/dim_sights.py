"""Boards with unknown lines of sight and paths, and the same boards with the unknown facts settled in
both ways. Unknown are the terrain of empty hexes, the NVR at night, and the weapons and MP of units.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rules_asp.cases.expectations import batch_of, check_expectation
from rules_asp.game.board import (
    Area,
    Board,
    Building,
    Expect,
    ExpectedCost,
    ExpectedDrm,
    Fact,
    Road,
    Shot,
    Statement,
    TerrainSubstitution,
    UnitShot,
    UnitStatement,
)
from rules_asp.game.grid import Hex, Location
from rules_asp.game.query import Query
from rules_asp.positions.position import Position, prepare
from rules_asp.positions.scope import Verdict
from tests.sampling import some
from tests.taken_away import HERE, STRANGE, asked_of

#: What unknown terrain could come to: nothing, an obstacle, a Hindrance.
_SETTLED = ("open_ground", "woods", "brush")
#: So many questions of steps and ways are asked on each board.
_WAYS = 6
#: How far one could see by night, in hexes.
_NVR = (0, 2, 5, 40)
#: What units could carry, in PP, and have, in quarters of a MP.
_PP, _MP = (1, 4, 6), (4, 12, 32, 120)


@dataclass(frozen=True)
class Dimmed:
    """A board on which sights are not known, and boards on which they are, in all else the same."""

    what: str
    board: Board
    settled: tuple[tuple[str, Board], ...]


#: Two words between which nobody need choose: where it is not known how far a unit gets, or which ways
#: there are, that nothing leads there is not told, but that its step is forbidden, or the other way round.
_NOS = frozenset(map(str, (Verdict.FORBIDDEN, Verdict.NOT_SO)))


def dimmed(board: Board) -> Iterator[Dimmed]:
    """The board with unknown terrain in all its empty hexes, and by a night without NVR."""
    said = board.statements
    empty = _empty(board)
    if empty:
        strange = _with(board, (*said, Area(STRANGE, empty)))
        treated = tuple(
            (kind, _with(board, (*strange.statements, TerrainSubstitution(STRANGE, kind))))
            for kind in _SETTLED
        )
        yield Dimmed("unknown terrain", strange, treated)
    rest = tuple(each for each in said if not (isinstance(each, Fact) and each.name in _NIGHT))
    dark = _with(board, (*rest, Fact("night")))
    seen = tuple((f"nvr {n}", _with(board, (*dark.statements, Fact("nvr", (n,))))) for n in _NVR)
    yield Dimmed("night without NVR", dark, seen)
    for number, each in enumerate(said):
        if isinstance(each, UnitStatement):
            yield from _unsaid_amounts(board, number, each)


def _unsaid_amounts(board: Board, number: int, thing: UnitStatement) -> Iterator[Dimmed]:
    """The board without the PP of a unit that possesses something, or the MP of a vehicle."""
    known = {fact.name: fact.args for fact in thing.facts}
    drives = known.get("unit", ("", ""))[1] in ("vehicle", "motorcycle")
    for what, amounts, bears in (
        ("pp", _PP, "possesses" in known and not drives),
        ("mp", _MP, drives),
    ):
        facts = tuple(f for f in thing.facts if f.name != "has" or f.args[1] != what)
        boards = [
            _with(
                board,
                (
                    *board.statements[:number],
                    UnitStatement(thing.name, told),
                    *board.statements[number + 1 :],
                ),
            )
            for told in (facts, *((*facts, Fact("has", (thing.name, what, n))) for n in amounts))
        ]
        settled = tuple((f"{what} {n}", each) for n, each in zip(amounts, boards[1:], strict=True))
        if bears:
            yield Dimmed(f"{what} of {thing.name} not said", boards[0], settled)


_NIGHT = frozenset(("night", "nvr"))


def _with(board: Board, statements: tuple[Statement, ...]) -> Board:
    return replace(board, statements=statements, places=())


def _empty(board: Board) -> tuple[Hex, ...]:
    """The hexes of which the board says nothing, and in which no unit is."""
    taken: set[Hex] = set()
    for each in board.statements:
        if isinstance(each, Area | Building | Road):
            taken.update(each.hexes)
        elif isinstance(each, UnitStatement):
            taken.update(_stood_in(each))
    return tuple(each for each in board.grid.hexes() if each not in taken)


def _stood_in(thing: UnitStatement) -> Iterator[Hex]:
    for fact in thing.facts:
        for arg in fact.args:
            if isinstance(arg, Location):
                yield arg.spot if isinstance(arg.spot, Hex) else arg.spot.hex


def falsely_certain(case: Position, dim: Dimmed) -> list[str]:
    """The expectations that are answered definitely though how sights are settled changes the answer."""
    asked = [each for each in asked_of(case.board) if not _is_wide(each)]
    ways = [each for each in asked if _is_of_ways(each)]
    left_out = frozenset(ways).difference(some(ways, _WAYS))
    asked = [each for each in asked if each not in left_out]
    told = _told(case, dim.board, asked)
    certain = {each: said for each, said in told.items() if said is not None}
    found = []
    for how, board in dim.settled if certain else ():
        settled = _told(case, board, list(certain))
        found += [
            f"{dim.what}: {each.question}: {said}, but with {how} {settled[each]}"
            for each, said in certain.items()
            if settled[each] not in (said, None) and {said, settled[each]} != _NOS
        ]
    return found


def _is_of_ways(expect: Expect) -> bool:
    """Whether the question is of a step or a way, where what lies in its hexes bears on it; it takes
    long.
    """
    return isinstance(expect.question, ExpectedCost) or "step(" in str(expect.question)


def _is_wide(expect: Expect) -> bool:
    """Whether the question leaves something open; of such a one any part may be unknown."""
    return isinstance(expect.question, Query) and bool(expect.question.variables)


def _told(case: Position, board: Board, asked: list[Expect]) -> dict[Expect, str | None]:
    """What each expectation is answered with, without reasons; None where it is not known, or a mistake."""
    left = prepare(board, case.program)
    batch = batch_of(left, asked)
    told: dict[Expect, str | None] = {}
    for each in asked:
        said = check_expectation(left, each, HERE, batch)
        is_known = said.word not in (None, Verdict.UNKNOWN)
        is_sum = isinstance(each.question, Shot | UnitShot | ExpectedDrm)
        told[each] = (said.answered if is_sum else f"{said.word}") if is_known else None
    return told
