"""Answers that remember the position that they are of, so that they can show themselves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rules_asp.positions.prepared import Position
from rules_asp.terms.showing import Showing


@dataclass(frozen=True, kw_only=True)
class OfPosition(Showing):
    """An answer about a position. `on` is no part of what it says, and is not pickled with it."""

    on: Position | None = field(default=None, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "on"}
