"""Commands that put a question again and again: what an answer hangs on, and what would change it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from rules_asp.cli.boards_given import BoardCommand, Supposition, open_position
from rules_asp.telling.options import board_options, parse_limits
from rules_asp.telling.terminal import CommandError, print_json, progress_bar, spinner
from rules_asp.terms.lexicon import vocabulary

if TYPE_CHECKING:
    from rules_asp.answers.trying import Ask
    from rules_asp.bounds import Limits
    from rules_asp.cli.lines_said import QueryLine
    from rules_asp.positions.belonging import Answer
    from rules_asp.positions.prepared import Position

#: Seconds, where nothing is said of them.
_LONGEST, _SHORT = 60, 10
_ALL = "all"


def _time(usual: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    sense = f"Seconds that it may take; else {usual}. off: no limit."
    return click.option("--time", "seconds", metavar="SECONDS", default=str(usual), help=sense)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("question")
@_time(_LONGEST)
@board_options
def sensitive(
    board: str,
    question: str,
    seconds: str,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """What an answer hangs on.

    QUESTION is a line as for `batch`, of los, tem, fire, can, roll or ask: "los C3/2 D2", "can A move to
    V3/2". Whatever can bear on it is made otherwise, one thing at a time, and the question put again: what
    the board says near by is taken away, what it does not say is put there, norms and rulings are left out.
    Told is what gives another answer, and what is in doubt here.
    """
    from rules_asp.answers.hanging import sensitivity

    limits = parse_limits(seconds)
    position, answer, put = _asked(board, question, without, changes, limits)
    with progress_bar(question) as progress:
        found = sensitivity(position, answer, put, limits.seconds, progress)
    _tell("sensitive", position, question, limits, found, as_json)


def _kinds(_: click.Context, __: click.Parameter, said: tuple[str, ...]) -> tuple[str, ...] | None:
    """The kinds of change that are allowed: by their own names, or those of their scope."""
    known = vocabulary().changes
    scopes = dict.fromkeys(each.scope for each in known.values())
    words = [word for each in said for word in each.replace(",", " ").split()]
    found: dict[str, None] = {}
    for word in words:
        members = [e.name for e in known.values() if word in (e.name, e.scope, _ALL)]
        if not members:
            from rules_asp.parser.errors import nearest

            there = (_ALL, *scopes, *known)
            near = nearest(word, there)
            hint = f"did you mean {near}?" if near else f"there are {', '.join(there)}"
            raise CommandError(f"--allow {word}: no kind of change; {hint}")
        found |= dict.fromkeys(members)
    return tuple(found) if words else None


# A wanted DRM such as -2 is no option.
@click.command(cls=BoardCommand, context_settings={"ignore_unknown_options": True})
@click.argument("board")
@click.argument("question")
@click.argument("answer")
@click.option(
    "--allow",
    multiple=True,
    metavar="KINDS",
    callback=_kinds,
    help="Kinds of change, as 'units,rubble'; else play. `words change` has them.",
)
@_time(_SHORT)
@board_options
def repair(
    board: str,
    question: str,
    answer: str,
    allow: tuple[str, ...] | None,
    seconds: str,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """What would have to be changed for another answer.

    The smallest changes near by, one line or two, that give the wanted ANSWER to a QUESTION as of
    `sensitive`: clear, blocked, a number, yes, no, forbidden, "not so", unknown, "V = 2", "rubble
    6/36". Each is tried before it is told, as one types it. Units, counters and what else comes and
    goes in play are changed, unless --allow names others.
    """
    from rules_asp.answers.repairing import find_repairs

    limits = parse_limits(seconds)
    position, given, put = _asked(board, question, without, changes, limits)
    full = partial(_line(question).put, bounds=limits)
    with progress_bar(question) as progress:
        found = find_repairs(position, given, answer, put, full, allow, limits.seconds, progress)
    _tell("repair", position, question, limits, found, as_json)


def _asked(
    board: str,
    question: str,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
    limits: Limits,
) -> tuple[Position, Answer, Ask]:
    """The position, the answer as it stands, and what puts the question again."""
    line = _line(question)
    with spinner(f"{question} on {board}"):
        position = open_position(board, without, changes)
        answer = line.put(position, limits)
    return position, answer, partial(line.put, bounds=limits, cite=False)


def _line(question: str) -> QueryLine:
    """The question, as a line of a batch says it."""
    from rules_asp.cli.lines_said import LineError, parse_query_line

    try:
        return parse_query_line(question)
    except LineError as error:
        raise CommandError(str(error)) from None
    except click.ClickException as error:
        raise CommandError(error.format_message()) from None


def _tell(
    command: str,
    position: Position,
    question: str,
    limits: Limits,
    found: Answer,
    as_json: bool,
) -> None:
    if as_json:
        from rules_asp.telling import turning_json as records

        print_json(command, getattr(records, command)(position, question, found))
        return
    from rules_asp.telling import turning_text as show
    from rules_asp.telling.layout import console

    with console() as out:
        getattr(show, command)(out, position, question, limits.seconds, found)
