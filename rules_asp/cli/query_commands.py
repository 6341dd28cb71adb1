"""The commands that ask a question on a board, one for each kind of question, and the same questions
as lines, for batch and page.

A command takes its arguments and options from the declared parameters of its kind, like a line. A
sentence (an action, a roll, a query) is the rest of the line unchanged, with or without quotes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, cached_property
from typing import IO, TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rules_asp import DEBUG, message
from rules_asp.cli.common import (
    BoardCommand,
    WholeNumber,
    answer_without_changes,
    board_options,
    chat_option,
    limit_options,
    open_position,
    print_answer,
    spinner,
    why_options,
    word_choices,
)
from rules_asp.cli.draw_command import draw_option, save_picture
from rules_asp.explain.record import Record
from rules_asp.output.json_schema import with_header
from rules_asp.parser import BoardError
from rules_asp.parser.errors import Problem, nearest
from rules_asp.positions.position import Position
from rules_asp.positions.scope import NOTHING_OF_THE_KIND
from rules_asp.queries import QUESTIONS
from rules_asp.queries.ask import QueryQuestion
from rules_asp.queries.question import Parameter, ParameterKind, Question
from rules_asp.runtime.job_pool import LOCAL, JobSettings, run_jobs
from rules_asp.runtime.limits import Limits, size_limit, too_large_message
from rules_asp.runtime.worker import Worker, may_spawn

if TYPE_CHECKING:
    from rules_asp.cli.common import ProofOptions, Supposition


@cache
def question_command(kind: type[Question[Any]]) -> click.Command:
    """Return the command for this kind of question."""

    def answer(board: str, **given: Any) -> None:
        own = {each.name: given.pop(each.name) for each in kind.parameters()}
        answer_board(kind(**own), board=board, **given)

    command: Callable[..., Any] = board_options(answer)
    if kind.fits_chat:
        command = chat_option(command)
    if kind.drawable:
        command = draw_option(command)
    if kind.has_proof:
        command = why_options(command)
    if kind.may_take_long():
        command = limit_options(command)
    if kind.has_paths:
        command = click.option("--paths", is_flag=True, help=_PATHS)(command)
    for each in reversed(kind.parameters()):
        for parameter in reversed(_click_parameters(each)):
            command = parameter(command)
    command = click.argument("board")(command)
    return click.command(kind.kind, cls=BoardCommand, help=kind.help())(command)


_PATHS = "List each path with its cost and its rules."


def _click_parameters(of: Parameter) -> list[Callable[..., Any]]:
    """Return the argument or options for a parameter, in the order of the command's help."""
    if of.required:
        if of.kind is ParameterKind.UNITS:
            return [click.argument(of.name, nargs=-1, required=True, metavar="UNIT...")]
        if of.kind is ParameterKind.SENTENCE:
            metavar = of.metavar or of.name.upper()
            words = click.argument(
                of.name, nargs=-1, required=True, metavar=metavar, callback=_joined
            )
            return [words]
        return [click.argument(of.name, metavar=of.metavar)]
    found = [
        click.option(flag, of.name, flag_value=word, help=sense) for flag, word, sense in of.flags
    ]
    if of.flags and not of.help:
        return found
    more: dict[str, Any] = {"help": of.help, "metavar": of.metavar}
    match of.kind:
        case ParameterKind.FLAG:
            more |= {"is_flag": True}
        case ParameterKind.COUNT:
            more |= {"type": WholeNumber(of.least, of.most), "metavar": "N"}
        case ParameterKind.HEXES:
            more |= {"metavar": "HEXES"}
        case ParameterKind.WORD if of.words is not None and of.help.endswith("."):
            # A complete sentence does not list the words.
            more |= {"type": _WordChoice(of.words)}
        case ParameterKind.WORD if of.words is not None:
            more |= {"help": f"{of.help}: {word_choices(of.words)}."}
    if of.kind is ParameterKind.WORD and of.default is not None:
        more |= {"show_default": True}
    return [click.option(of.option, of.name, default=of.default, **more), *found]


def _joined(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> str:
    """Return a sentence, with or without quotes."""
    return " ".join(words)


class _WordChoice(click.Choice[str]):
    """An option type: the words of a kind of the vocabulary, written with hyphens."""

    def __init__(self, kind: str) -> None:
        from rules_asp.game.vocabulary import default_vocabulary

        super().__init__([word.replace("_", "-") for word in default_vocabulary().words[kind]])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return str(super().convert(value, param, ctx)).replace("-", "_")


def answer_board(
    question: Question[Any],
    *,
    board: str,
    without: Sequence[str],
    changes: Sequence[Supposition],
    as_json: bool,
    why: ProofOptions | None = None,
    drawn: str | None = None,
    limits: Limits | None = None,
    **shown: Any,
) -> None:
    """Ask the question of a command on a board, and print the answer.

    `why`: with its proof; `drawn` is the picture file.
    """
    with spinner(f"{question.line} on {board}"):
        position = open_position(board, without, changes)
        asked = question
        if why is not None:
            from rules_asp.queries.why import explained

            asked = explained(position, question)
        answer = asked.answer(position, limits, prove=why is not None)
        save_picture(drawn, answer)
        given = answer_without_changes(question, limits)
    print_answer(question.kind, answer, as_json, why=why, given=given, **shown)


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
