"""Lines of a batch: each a question, answered as JSON."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import IO

import click

from rules_asp import api
from rules_asp.answers.words import NOTHING_OF_THE_KIND
from rules_asp.bounds import Limits, Worker, may_spawn
from rules_asp.bounds.sizes import size_limit, too_large_message
from rules_asp.cli.lines_said import LineError, known_commands, parse_query_line, rest_of, words_of
from rules_asp.jobs import LOCAL, JobSettings, run_jobs
from rules_asp.parser.errors import Problem
from rules_asp.positions.prepared import Position
from rules_asp.telling.as_json import Record, with_header
from rules_asp.telling.terminal import DEBUG, message
from rules_asp.terms.maps import set_map_names


def bounded_lines(file: IO[str]) -> Iterator[str]:
    """The lines of a file; of one that is longer than any may be, a letter too much and no more."""
    longest = size_limit("question")
    while line := file.readline(longest + 1):
        rest = line if len(line) > longest else ""
        while rest and not rest.endswith("\n"):
            rest = file.readline(1 << 16)
        yield line


@dataclass(frozen=True)
class Asked:
    """The board that lines are put to, and the limits of what may take long, each line for itself.

    A process that may start no other, as most of a cluster's, does without these limits.
    """

    position: Position
    limits: Limits

    def __reduce__(self) -> tuple[object, ...]:
        return Asked, (self.position, self.limits)

    @cached_property
    def bounds(self) -> Worker | None:
        """The process for what may take long; it is begun when it is wanted."""
        return Worker(self.position, limits=self.limits) if may_spawn() else None

    def close(self) -> None:
        """End that process."""
        if "bounds" in self.__dict__ and self.bounds is not None:
            self.bounds.close()


def questions(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines that ask something, with their numbers: blank ones, and those after #, do not."""
    for number, raw in enumerate(lines, start=1):
        text = raw.rstrip("\r\n")
        if text.strip() and not text.lstrip().startswith("#"):
            yield number, text


def answers(
    position: Position,
    asked: Iterable[tuple[int, str]],
    limits: Limits,
    jobs: JobSettings = LOCAL,
) -> Iterator[tuple[Record, bool]]:
    """The answer to each question, in order, and whether the line was right; each is a job."""
    with (
        closing(Asked(position, limits)) as held,
        run_jobs(_answered, held, asked, jobs) as results,
    ):
        for _, answer in results:
            yield answer


def _answered(held: Asked, asked: tuple[int, str]) -> tuple[Record, bool]:
    number, text = asked
    about: Record = {"line": number, "text": text}
    command = text.split()[0]
    try:
        if len(text) > size_limit("question"):
            about["text"] = text[:100] + "..."
            raise LineError(too_large_message("question"))
        set_map_names(held.position.board.grid)
        line = parse_query_line(text)
        record = line.record(held.position, line.put(held.position, held.bounds))
    except Exception as error:
        if os.environ.get(DEBUG) and not isinstance(error, (LineError, click.ClickException)):
            raise
        known = command if command in known_commands() else "batch"
        amiss = {"verdict": NOTHING_OF_THE_KIND, "error": error_of(error, text)}
        return with_header(known, {**about, **amiss}), False
    return with_header(command, {**about, **record}), True


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
    if isinstance(error, LineError):
        return {"message": str(error), "column": error.column}
    return {"message": message(error), "column": None}


def _told(problem: Problem) -> str:
    expected = f", expected {', '.join(problem.expected[:12])}" if problem.expected else ""
    near = f"; did you mean {problem.nearest}?" if problem.nearest else ""
    return f"{problem.message}{expected}{near}"
