"""Board texts split into statements, with their content and problems."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rules_asp.game.board import Board, BoardPlacement, PlacedBoard, SourcePosition, Statement
from rules_asp.game.grid import Grid, MapBoard
from rules_asp.game.map_layout import (
    PLAIN_NAMES,
    MapNames,
    PlacementError,
    crop,
    crop_half,
    find_label,
    make_map,
    map_names,
    place_board,
)
from rules_asp.parser.errors import Problem, ValueMistake

# --- The content and the problems of a text, statement by statement.


#: The empty map.
NOTHING = Grid(0, 0)


@dataclass
class ParsedText:
    """A text as far as it was read.

    prefixes: the names before hex ids (20E7), checked when the name of the board is known. under:
    the board that it uses, with the known name and size. on: the map that a text without a board
    adds to. names: those of the text's map.
    """

    file: str
    lines: tuple[str, ...]
    name: str | None = None
    grid: Grid | None = None
    under: Board | None = None
    map: Grid = NOTHING
    on: Grid = NOTHING
    names: MapNames = PLAIN_NAMES
    statements: list[Statement] = field(default_factory=list)
    places: list[SourcePosition] = field(default_factory=list)
    prefixes: list[tuple[str, SourcePosition]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def note(self, place: SourcePosition, mistake: ValueMistake) -> None:
        """Store a mistake with its place in this text."""
        line = self.lines[place.line - 1] if 0 < place.line <= len(self.lines) else ""
        self.problems.append(
            Problem(place, line, mistake.message, mistake.expected, mistake.nearest)
        )

    def check_prefixes(self, names: Collection[str]) -> None:
        """Check that every number before a hex id is the name of one of these boards."""
        for prefix, place in self.prefixes:
            if find_label(names, prefix) is None:
                self.note(place, ValueMistake(f"{prefix} is not the name of a board of this map"))

    def adopt_header(self, used: Board) -> None:
        """Take the name and size of a used board if the text has none; Mistake if they differ."""
        if used.grid == NOTHING and not used.statements:
            return
        if NOTHING not in (self.extent, used.grid) and self.extent != used.grid:
            raise ValueMistake(
                f"the used board has {used.grid} hexes, but this text gives {self.extent}"
            )
        if self.under is None:
            self.under = used
        if used.grid.parts:
            self.map = used.grid
            self.names = map_names(self.map)

    def place_board(self, board: Board, lay: BoardPlacement) -> None:
        """Place a board on the map of this text; PlacementError if it does not fit."""
        parts = self.map.parts
        if not parts and (first := self._first()) is not None:
            self.statements[:] = [PlacedBoard(first.label, self.under)] if self.under else []
            self.places[:] = [SourcePosition(self.file, 1)] if self.under else []
            parts = (first,)
        if len(self.statements) != sum(isinstance(each, PlacedBoard) for each in self.statements):
            raise PlacementError(
                "move this line up: all boards must be placed before the first line about hexes"
            )
        if board.grid.parts:
            raise PlacementError(
                "the used file is a map of several boards: place each of its boards by a line of its own"
            )
        if board.grid == NOTHING:
            raise PlacementError(
                "the file of this `use` line does not give the size of its board:"
                ' add a line such as board "NAME" grid 33x10'
            )
        part = MapBoard(lay.label or board.name, board.name, *board.grid[:3], lay.turned)
        if lay.half is not None:
            part = crop_half(part, lay.half)
        elif lay.columns is not None or lay.rows is not None:
            part = crop(part, lay.columns, lay.rows)
        self.map = make_map(place_board(parts, part, lay.beside))
        self.names = map_names(self.map)

    def _first(self) -> MapBoard | None:
        """Return the board of the text without a place: the first of the map."""
        if self.extent == NOTHING or self.extent.parts:
            return None
        if self.under is not None and len(self.statements) != len(self.under.statements):
            raise PlacementError(
                "move this line up: all boards must be placed before the first line about hexes"
            )
        name = self.name or "" if self.under is None else self.under.name
        return place_board((), MapBoard(name, name, *self.extent[:3]), None)[0]

    @property
    def parts(self) -> tuple[MapBoard, ...]:
        """The boards that the text can name."""
        return self.map.parts or self.on.parts

    @property
    def extent(self) -> Grid:
        """The map of this text, as far as it is known."""
        if self.map != NOTHING:
            return self.map
        return self.grid or (self.under.grid if self.under is not None else NOTHING)

    def board(self) -> Board:
        """The text as a Board."""
        name = self.name
        if name is None and self.under is not None and self.under.grid == self.extent:
            name = self.under.name
        elif name is None:
            name = "-".join(part.label for part in self.map.parts)
        return Board(
            name,
            self.extent,
            tuple(self.statements),
            tuple(self.places),
            {self.file: self.lines},
        )


# --- A text split into statements, without comments and with continued lines joined.


#: Possessive quantifiers avoid backtracking, so a hostile line takes no longer.
_BEFORE_COMMENT = re.compile(r'(?:[^"#]++|"(?:[^"\\]++|\\.)*+")*+')


class StatementText(NamedTuple):
    """A statement: its text with the line breaks of the file, and the number of its first line."""

    text: str
    line: int


def lines_of(text: str) -> tuple[str, ...]:
    """Return the lines of a text without byte order mark and carriage returns."""
    lines = text.removeprefix("\ufeff").split("\n")
    return tuple(line.removesuffix("\r") for line in lines)


def split_statements(lines: Sequence[str]) -> Iterator[StatementText]:
    """Yield the statements of a text."""
    held: list[str] = []
    for number, line in enumerate(lines, 1):
        said = without_comment(line).rstrip()
        goes_on = said.endswith(("\\", ","))
        if said or held:
            held.append(said.removesuffix("\\"))
        if held and not goes_on:
            yield StatementText("\n".join(held), number - len(held) + 1)
            held = []
    if held:
        yield StatementText("\n".join(held), len(lines) - len(held) + 1)


def without_comment(line: str) -> str:
    """Return the line up to a # outside quotes."""
    if "#" not in line:
        return line
    if '"' not in line:
        return line[: line.index("#")]
    found = _BEFORE_COMMENT.match(line)
    end = found.end() if found else 0
    if line[end : end + 1] != '"':
        return line[:end]
    # The quoted text does not end, so no later one does.
    end = line.find("#", end)
    return line if end < 0 else line[:end]
