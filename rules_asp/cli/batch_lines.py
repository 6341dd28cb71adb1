"""Lines of a batch: each a question, answered as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import IO

import click

from rules_asp import api
from rules_asp.answers.words import NO_SUCH_THING
from rules_asp.bounds import Limits, Worker
from rules_asp.bounds.sizes import beyond, most
from rules_asp.cli.lines_said import Amiss, known_commands, line_said, rest_of, words_of
from rules_asp.parser.errors import Problem
from rules_asp.positions.prepared import Position
from rules_asp.telling.as_json import Record, headed
from rules_asp.telling.terminal import DEBUG, message


def bounded_lines(file: IO[str]) -> Iterator[str]:
    """The lines of a file; of one that is longer than any may be, a letter too much and no more."""
    longest = most("question")
    while line := file.readline(longest + 1):
        rest = line if len(line) > longest else ""
        while rest and not rest.endswith("\n"):
            rest = file.readline(1 << 16)
        yield line


def answers(
    position: Position, lines: Iterable[str], limits: Limits
) -> Iterator[tuple[Record, bool]]:
    """The answer to each line as it comes, and whether the line was right.

    What may take long is ended at these limits, each line for itself. Blank lines and lines that begin
    with # are passed over.
    """
    with Worker(position, limits=limits) as worker:
        for number, raw in enumerate(lines, start=1):
            text = raw.rstrip("\r\n")
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            about = {"line": number, "text": text}
            command = text.split()[0]
            try:
                if len(text) > most("question"):
                    about["text"] = text[:100] + "..."
                    raise Amiss(beyond("question"))
                line = line_said(text)
                record = line.record(position, line.put(position, worker))
            except Exception as error:
                if os.environ.get(DEBUG) and not isinstance(error, (Amiss, click.ClickException)):
                    raise
                known = command if command in known_commands() else "batch"
                amiss = {"verdict": NO_SUCH_THING, "error": error_of(error, text)}
                yield headed(known, {**about, **amiss}), False
            else:
                yield headed(command, {**about, **record}), True


def error_of(error: Exception, line: str) -> Record:
    """What was wrong with a line, and where it is known, the column in it."""
    if isinstance(error, api.BoardError):
        told = "; ".join(_told(each) for each in error.problems)
        first = error.problems[0]
        spans = [*words_of(line), rest_of(line, line.split()[0])]
        at = next((each.column for each in spans if each.text == first.line_text), None)
        column = None if at is None or not first.place.line else at + max(0, first.place.column - 1)
        return {"message": told, "column": column}
    if isinstance(error, click.ClickException):
        return {"message": error.format_message(), "column": None}
    if isinstance(error, Amiss):
        return {"message": str(error), "column": error.column}
    return {"message": message(error), "column": None}


def _told(problem: Problem) -> str:
    expected = f", expected {', '.join(problem.expected[:12])}" if problem.expected else ""
    near = f"; did you mean {problem.nearest}?" if problem.nearest else ""
    return f"{problem.message}{expected}{near}"
