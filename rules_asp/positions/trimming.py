"""Boards cut down: to some of what they say, to the hexes that are left of them, to the drawings there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from rules_asp import parser
from rules_asp.lines.clipping import clip_outline, may_draw_in
from rules_asp.lines.cuts import cut_to_hexes
from rules_asp.lines.shapes import shapes_of
from rules_asp.positions.portions import atomic_statements, without_parts
from rules_asp.positions.prepared import Position, make_position
from rules_asp.positions.resolving import resolve
from rules_asp.positions.sound import enclosing_hexsides, hexes_of
from rules_asp.terms.board import (
    Board,
    Building,
    Doubt,
    Erasure,
    Expect,
    Outline,
    Statement,
    UnitStatement,
)
from rules_asp.terms.grid import Grid, GridRegion, Hex, MapBoard


@dataclass(frozen=True)
class BoardPart:
    """One thing that a board says, which can be left out: of which statement, and where it is."""

    statement: int
    part: Statement
    hexes: frozenset[Hex]


class BoardReducer:
    """A resolved board, of which some portions are kept; it is to expect the `question`, and nothing else.

    Doubts say nothing, and names of buildings neither: they are left out beforehand.
    """

    def __init__(self, board: Board, question: Expect) -> None:
        kept = (e for e in board.statements if not isinstance(e, Expect | Doubt))
        bare = (replace(e, name=None) if isinstance(e, Building) else e for e in kept)
        self._statements = tuple(bare)
        self._grid, self._name = board.grid, board.name
        self.question = question

    @cached_property
    def portions(self) -> tuple[BoardPart, ...]:
        """All that can be left out."""
        hexes = tuple(self._grid.hexes())
        return tuple(
            BoardPart(index, part, frozenset(self._where(part, hexes)))
            for index, each in enumerate(self._statements)
            for part in _parts(each)
        )

    def _where(self, part: Statement, hexes: Iterable[Hex]) -> Iterable[Hex]:
        if not isinstance(part, Outline):
            return hexes_of(part)
        return (each for each in hexes if may_draw_in(part, _own(self._grid, part, each)))

    def board(self, kept: Collection[BoardPart]) -> Board:
        """The board that says what is kept, and asks the question."""
        of: dict[int, set[Statement]] = {}
        for each in kept:
            of.setdefault(each.statement, set()).add(each.part)
        said: list[Statement] = []
        for index, stays in sorted(of.items()):
            statement = self._statements[index]
            gone = {part for part in _parts(statement) if part not in stays}
            said += _less(statement, gone) if gone else (statement,)
        return Board(self._name, self._grid, (*said, self.question))


def _parts(statement: Statement) -> Iterator[Statement]:
    if isinstance(statement, Erasure):
        yield from (Erasure(statement.kind, (hex_,)) for hex_ in statement.hexes)
    else:
        yield from atomic_statements(statement)


def _less(statement: Statement, gone: Collection[Statement]) -> tuple[Statement, ...]:
    """What a statement says besides some of its parts; of a unit its traits are such parts."""
    match statement:
        case UnitStatement(name, facts):
            head = next(fact for fact in facts if fact.name == "unit")
            if UnitStatement(name, (head,)) in gone:
                return ()
            left = (f for f in facts if f == head or UnitStatement(name, (head, f)) not in gone)
            return (UnitStatement(name, tuple(left)),)
        case Erasure(kind, hexes):
            still = tuple(each for each in hexes if Erasure(kind, (each,)) not in gone)
            return (Erasure(kind, still),) if still else ()
    return without_parts(statement, gone)


def make_reducer(board: Board, like: Position) -> Position:
    """A board made ready under the rules of another position; BoardError for one that does not hang
    together.

    What is drawn is cut and not kept: it is looked at once.
    """
    board = resolve(board)
    shapes = enclosing_hexsides(board, lambda: shapes_of(board, cut_to_hexes))
    return make_position(board, like.program, shapes, like.switched_off)


def crop_board(board: Board, hexes: Collection[Hex]) -> Board | None:
    """A board that is no larger than it must be to have these hexes; None where it cannot be cropped so.

    What the board says must be of these hexes alone. Their names stay.
    """
    if not hexes:
        return None
    field = _field(hexes)
    if not board.grid.parts:
        first = Hex(field.left, field.top)
        size = field.right - field.left + 1, field.bottom - field.top + 1
        grid = Grid(*size, first)
        return (
            replace(board, grid=grid) if all(each in board.grid for each in grid.hexes()) else None
        )
    kept = [(part, _part(part, hexes)) for part in board.grid.parts]
    left = tuple(part for _, part in kept if part is not None)
    if not left:
        return None
    labels = {part.label for part in left}
    first_, *others = left
    joined = (first_._replace(next_to=None), *others)
    if any(part.next_to is None or part.next_to[1] not in labels for part in others):
        return None
    whole = any(isinstance(each, Outline) and each.on not in labels for each in board.statements)
    if whole:
        return None
    # Where the boards then lie, and what their hexes are, follows from the text.
    head = parser.write(Board(board.name, board.grid._replace(parts=joined)))
    said = parser.write(board).splitlines(keepends=True)[1 + len(board.grid.parts) :]
    try:
        return parser.parse(head + "".join(said))
    except parser.BoardError:
        return None


def _part(part: MapBoard, hexes: Collection[Hex]) -> MapBoard | None:
    """A board of a map, of which only some hexes of the map are left."""
    here = [part.own(each) for each in hexes if each in part.field]
    if not here:
        return None
    field, own = _field(here), part.own_field
    left, right = max(field.left, own.left), min(field.right, own.right)
    top, bottom = max(field.top, own.top), min(field.bottom, own.bottom)
    return part._replace(kept_half=GridRegion(left, right, top, bottom))


def _field(hexes: Collection[Hex]) -> GridRegion:
    """The least stretch of columns and rows with these hexes that begins in an even column."""
    cols = [each.col for each in hexes]
    left, right = min(cols), max(cols)
    # The row of a hex in an odd column is that of the row which it begins.
    top = min(each.row + each.col % 2 for each in hexes)
    bottom = max(*(each.row for each in hexes), top)
    return GridRegion(left - left % 2, right, top, bottom)


def _own(grid: Grid, outline: Outline, hex_: Hex) -> Hex:
    """A hex of the map as the board counts it on whose lattice an outline lies."""
    part = next((each for each in grid.parts if each.label == outline.on), None)
    return hex_ if part is None else part.own(hex_)


def with_cut_outlines(board: Board, hexes: Collection[Hex]) -> Board:
    """The board with its outlines cut to what they draw in these hexes, and a little beyond."""
    said: list[Statement] = []
    for each in board.statements:
        if isinstance(each, Outline):
            said += clip_outline(each, [_own(board.grid, each, hex_) for hex_ in hexes])
        else:
            said.append(each)
    return replace(board, statements=tuple(said))
