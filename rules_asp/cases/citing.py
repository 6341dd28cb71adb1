"""The cases that exercise a norm, as far as they say so: `expect` lines that name it, or its paragraph.

Nothing is asked: the lines are read as they stand. Which norms a case holds in place, `exercise` finds out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from rules_asp.cases.covering import case_files, default_cases
from rules_asp.knowledge.tags import Norm
from rules_asp.parser.lexemes import lines_of, split_statements
from rules_asp.positions.files import example_boards

_NAMED = re.compile(r"\b[A-Z]+[0-9]*\.[0-9]+[a-z]?(?:-[0-9]+[a-z]?)?\b|\bR-[A-Z][\w.]*\w")
#: After these a line names paragraphs and norms; before them it may name hexes.
_NAMING = re.compile(r"\b(?:cites|by|violates|conflict)\s.*", re.DOTALL)


class CaseLine(NamedTuple):
    """An `expect` line: its file, as one finds it, and its number."""

    file: str
    line: int


def are_shipped() -> bool:
    """Whether only the bundled boards are at hand, and no checkout with its cases."""
    return default_cases().name != "cases"


def cases_citing(norm: Norm) -> tuple[CaseLine, ...]:
    """The `expect` lines that name a norm or, where none does, its paragraph."""
    lines = cases_naming()
    return lines.get(norm.id) or lines.get(norm.paragraph, ())


@cache
def cases_naming() -> Mapping[str, tuple[CaseLine, ...]]:
    """By norm and paragraph, the lines that name it: of a checkout's cases, and of the bundled boards."""
    found: dict[str, dict[CaseLine, None]] = {}
    cases = () if are_shipped() else case_files()
    top = default_cases().parent.parent
    for path in (*cases, *example_boards().values()):
        shown = path.relative_to(top).as_posix() if path.is_relative_to(top) else path.name
        for name, line in _names(path):
            found.setdefault(name, {})[CaseLine(shown, line)] = None
    return {name: tuple(each) for name, each in found.items()}


def _names(path: Path) -> Iterator[tuple[str, int]]:
    for piece in split_statements(lines_of(path.read_text("utf-8"))):
        if piece.text.lstrip().startswith("expect"):
            said = _NAMING.search(piece.text)
            for name in _NAMED.findall(said[0]) if said else ():
                yield name, piece.line
