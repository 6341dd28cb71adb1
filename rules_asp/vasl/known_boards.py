"""Corrections for printed boards if the archives of VASL are wrong: `corrections/NAME.board`.

Each text describes the printed board in corrections of the board language, and its comments give
the source. It applies to every board with its name, from any author.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from typing import NamedTuple

from rules_asp import parser
from rules_asp.boards.resolve import resolve
from rules_asp.game.board import Bar, Board, Correction, Doubt


def corrected(board: Board) -> Board:
    """Return an imported board with its known corrections, each after the corrected statement.

    A correction that does not fit, as for the archive of another edition, becomes a doubt.
    """
    strange: list[Doubt] = []
    for statement, _, source in _known(board.name):
        changed = replace(board, statements=(*board.statements, statement))
        try:
            resolve(changed)
        except parser.BoardError:
            where = statement.side if isinstance(statement, Bar) else statement.where
            # A doubt that is already settled is dropped.
            if not _settles(statement):
                text = f"what {source} knows of this board does not fit it: left out"
                strange.append(Doubt(where, text))
        else:
            board = changed
    return replace(board, statements=(*board.statements, *strange)) if strange else board


def open_doubts(board: Board) -> list[Doubt]:
    """Return the doubts of an imported board that no statement settles."""
    settled = {
        each.where
        for each in board.statements
        if isinstance(each, Correction) and (each.mark, each.to) == ("doubt", "no")
    }
    doubts = (each for each in board.statements if isinstance(each, Doubt))
    return [each for each in doubts if each.where not in settled]


def corrections_in(board: Board) -> list[str]:
    """Return the lines that correct an imported board, without those that settle doubts."""
    known = [each for each in _known(board.name) if each.statement in board.statements]
    return [each.text for each in known if not _settles(each.statement)]


class _Known(NamedTuple):
    """A correction, its line, and its source position."""

    statement: Correction | Bar
    text: str
    source: str


def _known(name: str) -> Iterator[_Known]:
    """Yield the known corrections for the board of this name."""
    for file in files("rules_asp.vasl").joinpath("corrections").iterdir():
        if file.name != f"{name}.board":
            continue
        known = parser.parse(file.read_text("utf-8"), file.name)
        for index, statement in enumerate(known.statements):
            assert isinstance(statement, Correction | Bar)
            line = known.place(index).line
            text = known.lines[file.name][line - 1]
            yield _Known(statement, text, f"{file.name}, line {line},")


def _settles(statement: Correction | Bar) -> bool:
    return isinstance(statement, Correction) and statement.mark == "doubt"
