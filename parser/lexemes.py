"""A text cut into statements: comments taken out, lines that go on joined to the next."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

#: Nothing in it is tried twice: a hostile line takes no longer than another.
_BEFORE_COMMENT = re.compile(r'(?:[^"#]++|"(?:[^"\\]++|\\.)*+")*+')


class StatementText(NamedTuple):
    """One statement: its text, whose lines are those of the file, and the number of the first."""

    text: str
    line: int


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a text, without a byte order mark and carriage returns."""
    lines = text.removeprefix("\ufeff").split("\n")
    return tuple(line.removesuffix("\r") for line in lines)


def split_statements(lines: Sequence[str]) -> Iterator[StatementText]:
    """Every statement of a text."""
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
    """The line up to a # that stands in no quoted text."""
    if "#" not in line:
        return line
    if '"' not in line:
        return line[: line.index("#")]
    found = _BEFORE_COMMENT.match(line)
    end = found.end() if found else 0
    if line[end : end + 1] != '"':
        return line[:end]
    # A quoted text that does not end; then none does that begins further on.
    end = line.find("#", end)
    return line if end < 0 else line[:end]
