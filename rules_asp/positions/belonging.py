"""Answers that remember the position that they are of, so that they can show themselves, and tell what is
amiss there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rules_asp.positions.prepared import Position
from rules_asp.terms.grid import Hex
from rules_asp.terms.showing import NotebookDisplay


@dataclass(frozen=True)
class Scope:
    """What an answer is about: hexes, and units by name."""

    hexes: frozenset[Hex] = frozenset()
    units: frozenset[str] = frozenset()

    def __or__(self, other: Scope) -> Scope:
        return Scope(self.hexes | other.hexes, self.units | other.units)


@dataclass(frozen=True)
class BrokenNorm:
    """A norm that the position breaks: in what, and where."""

    norm: str
    paragraph: str
    what: str
    where: str


@dataclass(frozen=True)
class BoardIssues:
    """What is amiss in that which an answer is about: faults of the board, doubts of its importer.

    A doubt is the hex or hexside that it is about, and what it says.
    """

    faults: tuple[BrokenNorm, ...] = ()
    doubts: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Answer(NotebookDisplay):
    """An answer about a position, and what is to be told beside it.

    `on` is no part of what it says, and is not pickled with it; `about` is where `beside` was looked for.
    """

    on: Position | None = field(default=None, compare=False, repr=False)
    about: Scope = field(default=Scope(), compare=False, repr=False)
    beside: BoardIssues = BoardIssues()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "on"}
