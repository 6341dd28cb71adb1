"""The command that cuts a case to share out of a board."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rules_asp.cli.boards_given import BoardCommand, Supposition, open_position
from rules_asp.telling.options import board_options, parse_limits
from rules_asp.telling.terminal import CommandError, print_json, progress_bar, spinner

if TYPE_CHECKING:
    from rules_asp.cases.sharing import Case

#: Seconds, where nothing is said of them.
_LONGEST = "60"


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("question")
@click.option("-o", "output", metavar="FILE", help="Write the case there.")
@click.option("--force", is_flag=True, help="Overwrite a file that is there already.")
@click.option(
    "--time",
    "seconds",
    metavar="SECONDS",
    default=_LONGEST,
    help=f"Seconds that it may take; else {_LONGEST}. off: no limit.",
)
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
    """A piece of a board to share, with the answer that it gives.

    Printed is the least text that gives the same answer to QUESTION, and rests on the same paragraphs:
    without any line of it that is lost. QUESTION is what an `expect` line asks, with or without its answer
    ("los C3/2 - D2", "cost A to U4", "violates B23.421", "roll ROLL: RESULT"), or a line as for `batch`
    ("los C3/2 D2", "can A move to V3/2", "ask height(C3) = V").
    """
    from rules_asp import api
    from rules_asp.positions.files import write_text

    if output is not None and Path(output).exists() and not force:
        raise CommandError(f"{output} is there already; --force overwrites it")
    limits = parse_limits(seconds)
    asked = as_expected(question)
    with spinner(f"{question} on {board}"):
        position = open_position(board, without, changes)
    with progress_bar(question) as progress:
        found = api.case(position, asked, limits.seconds, progress, limits)
    if output is not None:
        write_text(Path(output), found.text, force)
    if as_json:
        from rules_asp.telling import turning_json as records

        print_json("case", {**records.case(position, question, found), "file": output})
        return
    if output is None:
        click.echo(found.text, nl=False)
    else:
        click.echo(f"{output}: {found.expects}")
    _besides(found, without)


def as_expected(question: str) -> str:
    """The question as `expect` lines put it; a line of a batch says some otherwise."""
    from rules_asp.cli.lines_said import LineError, parse_query_line

    word, _, rest = question.strip().partition(" ")
    rest = rest.strip()
    if word == "ask":
        return rest
    if word in ("moves", "sees", "reach", "why", "matrix", "check"):
        raise CommandError(f"a case is of one answer, and {word} has many: ask los, can, cost, ...")
    said_as_expected = {"los": " - " in rest, "tem": rest.startswith("of "), "fire": False}
    if said_as_expected.get(word, True):
        return question
    try:
        given = parse_query_line(question).given
    except LineError as error:
        raise CommandError(str(error)) from None
    except click.ClickException as error:
        raise CommandError(error.format_message()) from None
    if word == "los":
        return f"los {given['a']} - {given['b']}"
    how = "" if given["how"] == "direct" else f"{given['how'].replace('_', '-')} "
    doing = "" if given["doing"] is None else f" {given['doing'].replace('_', '-')}"
    told = {"tem": "tem", "fire": "drm"}[word]
    return f"{told} of {how}fire from {given['firer']} at {given['target']}{doing}"


def _besides(found: Case, without: tuple[str, ...]) -> None:
    """What is to be known of a case, and is no part of it."""
    from rich.console import Console

    from rules_asp.telling.layout import noted

    for ruling in without:
        click.echo(f"so it is answered with --without {ruling}", err=True)
    for where, text in found.beside.doubts:
        click.echo(f"in doubt on the board that it is of: {where}  {text}", err=True)
    noted(Console(stderr=True, highlight=False, markup=False, emoji=False), found.cites)
    if not found.smallest:
        click.echo(
            "not the smallest yet: the time is over, and some of its lines may go; --time gives more",
            err=True,
        )
