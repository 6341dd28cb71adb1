"""The commands `depends`, `repair`, `case` and `why`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rules_asp.cli.common import (
    BoardCommand,
    CommandError,
    ProofOptions,
    Supposition,
    board_options,
    command_notes,
    limit_options,
    open_position,
    parse_limits,
    print_json,
    print_result,
    progress_bar,
    proof_options,
    spinner,
)
from rules_asp.cli.draw_command import draw_option
from rules_asp.game.vocabulary import default_vocabulary

if TYPE_CHECKING:
    from rules_asp.positions.position import Position
    from rules_asp.queries.question import Answer, Question
    from rules_asp.whatif.minimal_case import Case


# --- Commands that ask a question repeatedly: dependencies of an answer, and changes to it.


#: Default time limits in seconds.
_LONGEST, _SHORT = 60, 10
_ALL = "all"


def _time(usual: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    sense = f"Stop after this many seconds. Default: {usual} seconds. `off` means no limit."
    return click.option("--time", "seconds", metavar="SECONDS", default=str(usual), help=sense)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("question")
@_time(_LONGEST)
@board_options
def depends(question: str, seconds: str, as_json: bool, **options: Any) -> None:
    """Show what an answer depends on.

    QUESTION is a line as in `batch`: los, tem, fire, can, roll or ask. `depends` tries one change
    at a time: it removes nearby board lines, adds lines, and leaves out rules and rulings.
    `depends` lists each change that leads to another answer, and uncertain map data near the hexes
    of the question.

    Example: rules-asp depends church "los C1 G3"
    """
    from rules_asp.whatif.sensitivity import sensitivity

    limits = parse_limits(seconds)
    position, asked = _asked(question, **options)
    with progress_bar(question) as progress:
        found = sensitivity(position, asked, limits, limits.seconds, progress)
    _print_answer("sensitive", found, as_json)


def _kinds(_: click.Context, __: click.Parameter, said: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the allowed kinds of change, by their own names or by their scope."""
    known = default_vocabulary().changes
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
            raise CommandError(f"--allow must name kinds of changes, and {word} is not one; {hint}")
        found |= dict.fromkeys(members)
    return tuple(found) if words else None


# A requested DRM such as -2 is not an option.
@click.command(cls=BoardCommand, context_settings={"ignore_unknown_options": True})
@click.argument("board")
@click.argument("question")
@click.argument("answer")
@click.option(
    "--allow",
    multiple=True,
    metavar="KINDS",
    callback=_kinds,
    help="Try only these kinds of change, such as 'units,rubble'. Default: play. "
    "`rules-asp words change` lists all kinds.",
)
@_time(_SHORT)
@board_options
def repair(
    question: str,
    answer: str,
    allow: tuple[str, ...] | None,
    seconds: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Find the smallest change that gives another answer.

    QUESTION is a line as in `depends`. ANSWER is the answer that you want, such as clear, blocked,
    a number, yes, no, forbidden, "not so", unknown, "V = 2" or "rubble 6/36". A change consists of
    one board line near the hexes of the question, or of two lines if both are needed. `repair` has
    tested each change that it lists. By default, `repair` changes units, counters and other things
    that change in play.

    Example: rules-asp repair church "los C1 G3" clear
    """
    from rules_asp.whatif.sensitivity import find_repairs

    limits = parse_limits(seconds)
    position, asked = _asked(question, **options)
    with progress_bar(question) as progress:
        found = find_repairs(position, asked, answer, limits, allow, limits.seconds, progress)
    _print_answer("repair", found, as_json)


def _asked(
    question: str, board: str, without: tuple[str, ...], changes: tuple[Supposition, ...]
) -> tuple[Position, Question[Any]]:
    """Return the position and the question."""
    asked = query_line(question)
    with spinner(f"{question} on {board}"):
        return open_position(board, without, changes), asked


def query_line(question: str) -> Question[Any]:
    """Parse the question like a line of a batch."""
    from rules_asp.cli.query_commands import LineError, parse_query_line

    try:
        return parse_query_line(question)
    except LineError as error:
        raise CommandError(str(error)) from None
    except click.ClickException as error:
        raise CommandError(error.format_message()) from None


def _print_answer(command: str, found: Answer, as_json: bool) -> None:
    from rules_asp.output.console import show

    print_result(command, as_json, found.record, lambda out: show(out, *found.report().blocks))


# --- The command that reduces a board to a case.


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("question")
@click.option("-o", "output", metavar="FILE", help="Write the board to this file.")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@_time(_LONGEST)
@board_options
def case(
    board: str,
    question: str,
    output: str | None,
    force: bool,
    seconds: str,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """Print the smallest board that gives the same answer.

    QUESTION is a question of an `expect` line, such as "los C3/2 - D2", "cost A to U4" or "violates
    B23.421". QUESTION can also be a line as in `batch`, such as "can A move to V3/2". If you remove
    any line of the printed board, the answer or its rules change.

    Example: rules-asp case church "los C1 G3" -o case.board
    """
    from rules_asp import api
    from rules_asp.positions.loading import write_text

    if output is not None and Path(output).exists() and not force:
        raise CommandError(f"{output} already exists; --force overwrites it")
    limits = parse_limits(seconds)
    asked = as_expected(question)
    with spinner(f"{question} on {board}"):
        position = open_position(board, without, changes)
    with progress_bar(question) as progress:
        found = api.case(position, asked, limits.seconds, progress, limits)
    if output is not None:
        write_text(Path(output), found.text, force)
    if as_json:
        record = replace(found, line=question).record()
        print_json("case", {**record, "file": output})
        return
    if output is None:
        click.echo(found.text, nl=False)
    else:
        click.echo(f"{output}: {found.expects}")
    _besides(found, without)


def as_expected(question: str) -> str:
    """Return the question as in `expect` lines; batch lines differ in part."""
    word, _, rest = question.strip().partition(" ")
    rest = rest.strip()
    if word == "ask":
        return rest
    if word in ("moves", "sees", "reach", "why", "matrix", "check", "firers", "targets", "rout"):
        raise CommandError(
            f"`case` needs a question with one answer, and {word} has many: use los, can, cost, ..."
        )
    said_as_expected = {"los": " - " in rest, "tem": rest.startswith("of "), "fire": False}
    if said_as_expected.get(word, True):
        return question
    given: Any = query_line(question)
    if word == "los":
        return f"los {given.a} - {given.b}"
    how = "" if given.how == "direct" else f"{given.how.replace('_', '-')} "
    doing = "" if given.doing is None else f" {given.doing.replace('_', '-')}"
    told = {"tem": "tem", "fire": "drm"}[word]
    return f"{told} of {how}fire from {given.firer} at {given.target}{doing}"


def _besides(found: Case, without: tuple[str, ...]) -> None:
    """Print remarks about a case; the case itself does not contain them."""
    from rich.console import Console

    from rules_asp.explain import layout
    from rules_asp.output.console import show

    for ruling in without:
        click.echo(f"This answer needs --without {ruling}.", err=True)
    for where, text in found.beside.doubts:
        click.echo(f"Uncertain map data on the original board: {where}  {text}", err=True)
    err = Console(stderr=True, highlight=False, markup=False, emoji=False)
    show(err, layout.noted(command_notes(), found.cites))
    if not found.smallest:
        click.echo(
            "Stopped early: some lines of this board may not be needed. --time allows more seconds.",
            err=True,
        )


# --- The command that explains an answer.


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("query")
@limit_options
@proof_options
@draw_option
@board_options
def why(query: str, full: bool, source: bool, **options: Any) -> None:
    """Explain an answer step by step.

    QUERY is a question as in `ask`, or a line as in `batch`, such as "los C1 G3". The proof goes
    from the answer down to the lines of the board. If the answer is no, the proof shows the rules
    that forbid or prevent a yes. The proof marks interpretations and assumed rules.

    Example: rules-asp why church "height(C3) = V"
    """
    from rules_asp.cli.query_commands import answer_board, is_proved
    from rules_asp.queries.why import WhyQuestion

    asked = query_line(query) if is_proved(query) else WhyQuestion(query)
    answer_board(asked, why=ProofOptions(full, source), **options)
