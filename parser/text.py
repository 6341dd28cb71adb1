"""What one text says, statement by statement, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from rules_asp.parser.errors import Mistake, Problem
from rules_asp.terms.board import Board, Place, Statement
from rules_asp.terms.grid import Grid


@dataclass
class Text:
    """A text as far as it was read; the boards that it uses are not looked at yet.

    prefixes: the numbers that stand before hex ids (20E7), to be checked when the board's name is
    known.
    """

    file: str
    lines: tuple[str, ...]
    name: str | None = None
    grid: Grid | None = None
    statements: list[Statement] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    prefixes: list[tuple[str, Place]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def note(self, place: Place, mistake: Mistake) -> None:
        """Keep a mistake at a place of this text."""
        line = self.lines[place.line - 1] if 0 < place.line <= len(self.lines) else ""
        self.problems.append(
            Problem(place, line, mistake.message, mistake.expected, mistake.nearest)
        )

    def check_prefixes(self, names: Collection[str]) -> None:
        """Every number before a hex id is to be the name of one of these boards."""
        for prefix, place in self.prefixes:
            if prefix not in names:
                self.note(place, Mistake(f"this is not board {prefix}"))

    def board(self) -> Board:
        """The text as a Board."""
        return Board(
            self.name or "",
            self.grid or Grid(0, 0),
            tuple(self.statements),
            tuple(self.places),
            {self.file: self.lines},
        )
