"""Lines of a batch: each a command in its own words, without the board, and answered as JSON.

A command reads its words and options from the line as it does from a shell; what is one sentence (a deed,
a roll, a question) is the rest of the line as it stands, in quotes or not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any

import click
from click.core import ParameterSource

from rules_asp import api
from rules_asp.answers.words import NO_SUCH_THING
from rules_asp.bounds import Limits, Worker
from rules_asp.bounds.sizes import beyond, most
from rules_asp.cli import asking, many
from rules_asp.parser.errors import Problem, nearest
from rules_asp.positions.prepared import Position
from rules_asp.positions.settling import spoken_names
from rules_asp.telling import as_json as records
from rules_asp.telling import many_json, ways_json, why_json
from rules_asp.telling.as_json import Record, headed
from rules_asp.telling.terminal import DEBUG, message

_WORD = re.compile(r"\"([^\"]*)\"|'([^']*)'|(\S+)")


#: What a line tells a command; the board, and what is to be done with the answer, it does not.
_ASKED = frozenset(
    (
        "a",
        "b",
        "firer",
        "target",
        "how",
        "doing",
        "units",
        "phase",
        "turns",
        "only",
        "eye",
        "hexes",
        "ground",
    )
)
#: What may stand in a line, whether it is heeded or not: JSON has everything that `moves --all` tells.
_READ = _ASKED | {"board", "everything"}


class _Amiss(Exception):
    """What is wrong with a line, and the column where, if it is known."""

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column


@dataclass(frozen=True)
class _Word:
    """A word of a line, without its quotes, and the column where it begins."""

    text: str
    column: int


@dataclass(frozen=True)
class _Here:
    """The position that is asked, and the process that answers what may take long."""

    position: Position
    worker: Worker


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
        here = _Here(position, worker)
        for number, raw in enumerate(lines, start=1):
            line = raw.rstrip("\r\n")
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            about = {"line": number, "text": line}
            command = line.split()[0]
            try:
                if len(line) > most("question"):
                    about["text"] = line[:100] + "..."
                    raise _Amiss(beyond("question"))
                record = _answer(here, command, line)
            except Exception as error:
                if os.environ.get(DEBUG) and not isinstance(error, (_Amiss, click.ClickException)):
                    raise
                known = command if command in _SENTENCES or command in _COMMANDS else "batch"
                amiss = {"verdict": NO_SUCH_THING, "error": _error(error, line)}
                yield headed(known, {**about, **amiss}), False
            else:
                yield headed(command, {**about, **record}), True


def _answer(here: _Here, command: str, line: str) -> Record:
    if command in _SENTENCES:
        rest = _rest(line, command)
        if not rest.text:
            raise _Amiss(f"{command} what?")
        return _SENTENCES[command](here, rest.text)
    if command in _COMMANDS:
        _, *words = _words(line)
        read, answer = _COMMANDS[command]
        return answer(here, **_read(read, [each.text for each in words]))
    known = [*_COMMANDS, *_SENTENCES]
    near = nearest(command, known)
    hint = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
    raise _Amiss(f"there is no question {command}; {hint}", line.index(command) + 1)


def _rest(line: str, command: str) -> _Word:
    """What stands after the command, out of its quotes where it is quoted as a whole."""
    start = line.index(command) + len(command)
    text = line[start:].strip()
    column = start + len(line[start:]) - len(line[start:].lstrip()) + 1
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" and text[0] not in text[1:-1]:
        return _Word(text[1:-1].strip(), column + 1 + len(text[1:]) - len(text[1:].lstrip()))
    return _Word(text, column)


def _words(line: str) -> list[_Word]:
    found = []
    for match in _WORD.finditer(line):
        group = match.lastindex or 0
        found.append(_Word(match[group], match.start(group) + 1))
    return found


def _read(command: click.Command, words: list[str]) -> dict[str, Any]:
    """What a command reads of these words; options about the board or the output are refused."""
    if command is asking.los and len(words) == 3 and words[1] == "-":
        del words[1]
    with command.make_context(command.name, ["-", *words], help_option_names=[]) as context:
        for parameter in command.params:
            said = context.get_parameter_source(str(parameter.name))
            if parameter.name not in _READ and said is ParameterSource.COMMANDLINE:
                raise _Amiss(f"{parameter.opts[0]} is not for a line of a batch")
        return {name: context.params[name] for name in context.params if name in _ASKED}


def _error(error: Exception, line: str) -> Record:
    """What was wrong with a line, and where it is known, the column in it."""
    if isinstance(error, api.BoardError):
        told = "; ".join(_told(each) for each in error.problems)
        first = error.problems[0]
        spans = [*_words(line), _rest(line, line.split()[0])]
        at = next((each.column for each in spans if each.text == first.line_text), None)
        column = None if at is None or not first.place.line else at + max(0, first.place.column - 1)
        return {"message": told, "column": column}
    if isinstance(error, click.ClickException):
        return {"message": error.format_message(), "column": None}
    if isinstance(error, _Amiss):
        return {"message": str(error), "column": error.column}
    return {"message": message(error), "column": None}


def _told(problem: Problem) -> str:
    expected = f", expected {', '.join(problem.expected[:12])}" if problem.expected else ""
    near = f"; did you mean {problem.nearest}?" if problem.nearest else ""
    return f"{problem.message}{expected}{near}"


def _los(here: _Here, a: str, b: str) -> Record:
    return records.los(here.position, api.los(here.position, a, b))


def _tem(here: _Here, firer: str, target: str, how: str, doing: str | None) -> Record:
    return records.tem(here.position, api.tem(here.position, firer, target, how, doing))


def _fire(here: _Here, firer: str, target: str, how: str, doing: str | None) -> Record:
    return records.fire(here.position, api.fire(here.position, firer, target, how, doing))


def _moves(here: _Here, units: tuple[str, ...], phase: str, turns: int, only: str | None) -> Record:
    answer = api.moves(here.position, units, phase, here.worker, turns, only)
    return ways_json.moves(here.position, answer)


def _reach(here: _Here, units: tuple[str, ...], phase: str, turns: int, only: str | None) -> Record:
    answer = api.moves(here.position, units, phase, here.worker, turns, only)
    return ways_json.reach(here.position, answer)


def _sees(here: _Here, eye: str, hexes: str | None, ground: bool) -> Record:
    return many_json.sees(here.position, api.sees(here.position, eye, hexes, ground))


def _can(here: _Here, deed: str) -> Record:
    return ways_json.can(here.position, api.can(here.position, deed, here.worker))


def _roll(here: _Here, roll: str) -> Record:
    return records.roll(here.position, api.roll(here.position, roll, here.worker))


def _ask(here: _Here, query: str) -> Record:
    parsed = api.parse_query(query, spoken_names(here.position))
    return records.ask(here.position, parsed, api.ask(here.position, parsed, here.worker))


def _why(here: _Here, query: str) -> Record:
    parsed = api.parse_query(query, spoken_names(here.position))
    answer = api.why(here.position, parsed, here.worker)
    return why_json.why(here.position, parsed, answer)


#: What is the rest of the line.
_SENTENCES: dict[str, Callable[[_Here, str], Record]] = {
    "can": _can,
    "roll": _roll,
    "ask": _ask,
    "why": _why,
}
#: What has words and options, and the command that reads them.
_COMMANDS: dict[str, tuple[click.Command, Callable[..., Record]]] = {
    "los": (asking.los, _los),
    "tem": (asking.tem, _tem),
    "fire": (asking.fire, _fire),
    "moves": (asking.moves, _moves),
    "sees": (many.sees, _sees),
    "reach": (many.reach, _reach),
}
