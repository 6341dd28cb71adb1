"""Parsing of a question in one line, for batch and page.

A command reads its words and options from the line as from a shell. A sentence (an action, a roll,
a query) is the rest of the line unchanged, with or without quotes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Any

import click
from click.core import ParameterSource

from rules_asp import DEBUG, message
from rules_asp.cli.query_commands import question_command
from rules_asp.explain.record import Record
from rules_asp.output.json_schema import with_header
from rules_asp.parser import BoardError
from rules_asp.parser.errors import Problem, nearest
from rules_asp.positions.answer import NOTHING_OF_THE_KIND
from rules_asp.positions.position import Position
from rules_asp.queries.ask import QueryQuestion
from rules_asp.queries.question import ParameterKind, Question
from rules_asp.queries.question_kinds import QUESTIONS
from rules_asp.runtime.job_pool import LOCAL, JobSettings, run_jobs
from rules_asp.runtime.limits import Limits, size_limit, too_large_message
from rules_asp.runtime.worker import Worker, may_spawn

# --- Questions in a line: each a command with its arguments, without the board.


_WORD = re.compile(r"\"([^\"]*)\"|'([^']*)'|(\S+)")


class LineError(Exception):
    """An error in a line, and its column if known."""

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True)
class LineWord:
    """A word of a line, without its quotes, and the column where it begins."""

    text: str
    column: int


def parse_query_line(text: str) -> Question[Any]:
    """Parse the question of a line; LineError, or click's error, if it is invalid."""
    command = next(iter(text.split()), "")
    found = QUESTIONS.get(command)
    if found is not None:
        kind: Callable[..., Question[Any]] = found
        first = found.parameters()[0]
        if first.kind is not ParameterKind.SENTENCE:
            return kind(**_read(found, [each.text for each in words_of(text)[1:]]))
        options = next((each for each in words_of(text) if _is_option(found, each)), None)
        rest = rest_of(text[: options.column - 1] if options else text, command)
        if not rest.text:
            raise LineError(f"{(first.metavar or first.name).upper()} is missing after {command}")
        more = words_of(text[options.column - 1 :]) if options else []
        return kind(**_read(found, [each.text for each in more], [rest.text]))
    known = known_commands()
    if not command:
        raise LineError(f"this line has no question; a question begins with {', '.join(known)}")
    if command == "cost":
        raise LineError(
            "`cost` is not a question; `moves` lists the cost of each path", text.index(command) + 1
        )
    near = nearest(command, known)
    hint = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
    raise LineError(f"{command} is not a question; {hint}", text.index(command) + 1)


def known_commands() -> tuple[str, ...]:
    """Return the commands that can begin a line."""
    return tuple(QUESTIONS)


def is_proved(text: str) -> bool:
    """Return whether a text is a line with a provable answer, but not a query."""
    command, *rest = text.split(maxsplit=1) or ("",)
    kind = QUESTIONS.get(command)
    if kind is None or issubclass(kind, QueryQuestion) or not kind.has_proof:
        return False
    # A topic can have the name of a command: fire(S) = V.
    return bool(rest) and rest[0][0] not in "(=<>!,"


def rest_of(line: str, command: str) -> LineWord:
    """Return the text after the command, without quotes around the whole text."""
    start = line.index(command) + len(command)
    text = line[start:].strip()
    column = start + len(line[start:]) - len(line[start:].lstrip()) + 1
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in text[1:-1]:
        return LineWord(text[1:-1].strip(), column + 1 + len(text[1:]) - len(text[1:].lstrip()))
    return LineWord(text, column)


def words_of(line: str) -> list[LineWord]:
    """Return the words of a line; a quoted text is one word."""
    found = []
    for match in _WORD.finditer(line):
        group = match.lastindex or 0
        found.append(LineWord(match[group], match.start(group) + 1))
    return found


#: Options that are accepted and ignored: JSON has everything that `moves --paths` shows.
_UNHEEDED = frozenset(("board", "paths"))


def _is_option(kind: type[Question[Any]], word: LineWord) -> bool:
    """Test whether a word of a line is an option that this kind of question declares."""
    return word.text[2:] in {each.name for each in kind.parameters() if word.text[:2] == "--"}


def _read(
    kind: type[Question[Any]], words: list[str], sentence: Sequence[str] = ()
) -> dict[str, Any]:
    """Parse these words as the command of a kind; options about board or output are refused.

    `sentence`: the rest of the line, unchanged.
    """
    parameters = {each.name: each.kind for each in kind.parameters()}
    if [*parameters.values()][:2] == [ParameterKind.LOCATION] * 2 and words[1:2] == ["-"]:
        del words[1]
    command = question_command(kind)
    given = ["-", *words, *(["--", *sentence] if sentence else [])]
    with command.make_context(command.name, given, help_option_names=[]) as context:
        for parameter in command.params:
            said = context.get_parameter_source(str(parameter.name))
            read = parameter.name in parameters or parameter.name in _UNHEEDED
            if not read and said is ParameterSource.COMMANDLINE:
                raise LineError(f"{parameter.opts[0]} cannot be used in a line of a batch")
        return {name: context.params[name] for name in parameters}


# --- Lines of a batch: each a question, answered as JSON.


def bounded_lines(file: IO[str]) -> Iterator[str]:
    """Yield the lines of a file; a line that is too long is cut one letter past the limit."""
    longest = size_limit("question")
    while line := file.readline(longest + 1):
        rest = line if len(line) > longest else ""
        while rest and not rest.endswith("\n"):
            rest = file.readline(1 << 16)
        yield line


@dataclass(frozen=True)
class BatchSession:
    """The board of a batch, and the limits of slow questions, per line.

    These limits do not apply in a process that may not start others, as on most clusters.
    """

    position: Position
    limits: Limits

    def __reduce__(self) -> tuple[object, ...]:
        return BatchSession, (self.position, self.limits)

    @cached_property
    def bounds(self) -> Worker | None:
        """Return the process for slow questions; it starts on demand."""
        return Worker(self.position, limits=self.limits) if may_spawn() else None

    def close(self) -> None:
        """End that process."""
        if "bounds" in self.__dict__ and self.bounds is not None:
            self.bounds.close()


def questions(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the questions with their line numbers, without blank lines and comments (#)."""
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
    """Yield the answer to each question, in order, and whether the line was valid.

    Each question is a job.
    """
    with (
        closing(BatchSession(position, limits)) as held,
        run_jobs(_answered, held, asked, jobs) as results,
    ):
        for _, answer in results:
            yield answer


def _answered(held: BatchSession, asked: tuple[int, str]) -> tuple[Record, bool]:
    number, text = asked
    about: Record = {"line": number, "text": text}
    command = text.split()[0]
    try:
        if len(text) > size_limit("question"):
            about["text"] = text[:100] + "..."
            raise LineError(too_large_message("question"))
        record = parse_query_line(text).answer(held.position, held.bounds).record()
    except Exception as error:
        if os.environ.get(DEBUG) and not isinstance(error, (LineError, click.ClickException)):
            raise
        known = command if command in known_commands() else "batch"
        amiss = {"verdict": NOTHING_OF_THE_KIND, "error": error_of(error, text)}
        return with_header(known, {**about, **amiss}), False
    return with_header(command, {**about, **record}), True


def error_of(error: Exception, line: str) -> Record:
    """Return the error of a line, with its column if known."""
    if isinstance(error, BoardError):
        told = "; ".join(_problem_text(each) for each in error.problems)
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


def _problem_text(problem: Problem) -> str:
    expected = f", expected {', '.join(problem.expected[:12])}" if problem.expected else ""
    near = f"; did you mean {problem.nearest}?" if problem.nearest else ""
    return f"{problem.message}{expected}{near}"
