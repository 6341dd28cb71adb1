"""Errors of a text: every problem with its place, the expected words and the next step."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rules_asp import RulesAspError
from rules_asp.game.board import SourcePosition
from rules_asp.game.map_layout import find_label
from rules_asp.runtime.limits import size_limit, too_large_message

#: The rest of a very long word is cut from a message.
_LONG = re.compile(r"(\S{120})\S+")
#: Maximum number of characters shown of a line.
_MOST_SHOWN = 200


@dataclass(frozen=True)
class Problem:
    """A mistake in a text: its place, what was expected, and the nearest known word."""

    place: SourcePosition
    line_text: str
    message: str
    expected: tuple[str, ...] = ()
    nearest: str | None = None

    def __str__(self) -> str:
        file, line, column = self.place
        head = f"{file}:{line}:{column}" if line else file
        shown = [f"{head}: {self.message}"]
        if self.line_text.strip():
            # Of a very long line, show only the part around the mistake.
            start = max(0, column - _MOST_SHOWN // 2) if len(self.line_text) > _MOST_SHOWN else 0
            text = self.line_text[start : start + _MOST_SHOWN]
            margin = "".join("\t" if c == "\t" else " " for c in text[: column - 1 - start])
            shown += [f"    {text}", f"    {margin}^"]
        if self.expected:
            shown.append(f"    expected {_one_of(self.expected)}")
        if self.nearest:
            shown.append(f"    did you mean {self.nearest}?")
        return "\n".join(shown)


class BoardError(RulesAspError):
    """A board text or question that cannot be read, with all its problems."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[object, ...]:
        return BoardError, (self.problems,)


class ValueMistake(Exception):
    """A mistake found while reading, before its place is known."""

    def __init__(
        self, message: str, expected: Sequence[str] = (), nearest: str | None = None
    ) -> None:
        # Text can be of any length, but a message cannot.
        message = _LONG.sub(lambda found: f"{found[1]}...", message)
        super().__init__(message)
        self.message = message
        self.expected = tuple(expected)
        self.nearest = nearest


#: A mistake, or a board named in a hex id, with its line and column, both from 1.
WithPlace = tuple[ValueMistake, int, int]
Prefix = tuple[str, int, int]


def unknown_board_errors(
    prefixes: Iterable[Prefix], boards: Collection[str] | None
) -> list[WithPlace]:
    """Return a mistake for each board name that is not one of these; None does not check."""
    if boards is None:
        return []
    return [
        (ValueMistake(f"{prefix} is not the name of a board of this map"), line, column)
        for prefix, line, column in prefixes
        if find_label(boards, prefix) is None
    ]


def error_for(what: str, text: str, mistakes: Iterable[WithPlace]) -> BoardError:
    """Return the error for a text of its own: a question, an action, a roll."""
    lines = text.split("\n")
    return BoardError(
        Problem(
            SourcePosition(what, line, column),
            lines[line - 1],
            mistake.message,
            mistake.expected,
            mistake.nearest,
        )
        for mistake, line, column in mistakes
    )


def check_length(what: str, text: str) -> None:
    """Raise BoardError for a question, action or roll that is too long."""
    if len(text) > size_limit("question"):
        raise BoardError(
            [Problem(SourcePosition(what, 1), text[:40] + "...", too_large_message("question"))]
        )


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most similar, if any."""
    listed = list(known)
    same = next((each for each in listed if each.casefold() == word.casefold()), None)
    found = difflib.get_close_matches(word, listed, n=1, cutoff=0.65)
    return same or (found[0] if found else None)


def _one_of(words: Sequence[str], limit: int = 12) -> str:
    """Join words, `a, b or c`, up to a limit; quote those that are not words."""
    words = [word if re.search(r"\w", word) else f'"{word}"' for word in words]
    if len(words) > limit:
        return ", ".join(words[:limit]) + ", ..."
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
