"""What is wrong with a text: every problem with its place, shown so that it can be mended."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rules_asp import RulesAspError
from rules_asp.game.board import SourcePosition
from rules_asp.game.map_layout import find_label
from rules_asp.runtime.limits import size_limit, too_large_message

#: What of a message is cut: the rest of a very long word.
_LONG = re.compile(r"(\S{120})\S+")
#: So many characters of a line are shown with a mistake.
_MOST_SHOWN = 200


@dataclass(frozen=True)
class Problem:
    """One mistake of a text: where it is, what was expected, and the nearest known word."""

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
            # Of a very long line only what is around the mistake.
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
    """A board text or a question that cannot be read, with all of its problems."""

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
        # What stands in a text may be of any length, and a message may not.
        message = _LONG.sub(lambda found: f"{found[1]}...", message)
        super().__init__(message)
        self.message = message
        self.expected = tuple(expected)
        self.nearest = nearest


#: A mistake with its line and column, from 1; a board that a hex id names, with the same.
WithPlace = tuple[ValueMistake, int, int]
Prefix = tuple[str, int, int]


def unknown_board_errors(
    prefixes: Iterable[Prefix], boards: Collection[str] | None
) -> list[WithPlace]:
    """A mistake for each named board that is none of these; None leaves them unchecked."""
    if boards is None:
        return []
    return [
        (ValueMistake(f"this is not board {prefix}"), line, column)
        for prefix, line, column in prefixes
        if find_label(boards, prefix) is None
    ]


def error_for(what: str, text: str, mistakes: Iterable[WithPlace]) -> BoardError:
    """The error for a text that stands alone: a question, a deed, a roll."""
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
    """BoardError for a question, deed or roll that is longer than any should be."""
    if len(text) > size_limit("question"):
        raise BoardError(
            [Problem(SourcePosition(what, 1), text[:40] + "...", too_large_message("question"))]
        )


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that looks most like this one, if any does."""
    listed = list(known)
    same = next((each for each in listed if each.casefold() == word.casefold()), None)
    found = difflib.get_close_matches(word, listed, n=1, cutoff=0.65)
    return same or (found[0] if found else None)


def _one_of(words: Sequence[str], limit: int = 12) -> str:
    """`a, b or c`; of many only the first.  What is no word stands in quotation marks."""
    words = [word if re.search(r"\w", word) else f'"{word}"' for word in words]
    if len(words) > limit:
        return ", ".join(words[:limit]) + ", ..."
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
