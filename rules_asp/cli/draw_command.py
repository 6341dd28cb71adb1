"""Pictures on the command line: the command `draw`, and `--draw FILE` of other commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rules_asp.cli.common import (
    BoardCommand,
    CommandError,
    Supposition,
    board_options,
    open_position,
    print_json,
    spinner,
)

if TYPE_CHECKING:
    from rules_asp.queries.question import Answer


_Command = TypeVar("_Command", bound=Callable[..., object])
DASH = "-"


def draw_option(command: _Command) -> _Command:
    """The options for a picture of an answer; the command gets them as `drawn`."""
    force = click.option(
        "--force",
        is_flag=True,
        expose_value=False,
        callback=_forced,
        is_eager=True,
        help="Overwrite an existing file.",
    )
    return click.option(
        "--draw",
        "drawn",
        metavar="FILE",
        callback=_checked,
        help="Also draw the answer, to FILE.svg or FILE.png.",
    )(force(command))


def _forced(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
    ctx.meta[__name__] = value
    return value


def _checked(ctx: click.Context, _: click.Parameter, value: str | None) -> str | None:
    """Refuse an unsuitable file before the question is asked."""
    if value is not None:
        check(value, bool(ctx.meta.get(__name__)))
    return value


def check(file: str, force: bool) -> None:
    """Raise an error if a picture cannot be written to the file, or if the file already exists."""
    from rules_asp.drawing.svg import check_name

    path = Path(file)
    check_name(path)
    if path.exists() and not force:
        raise CommandError(f"{file} already exists; --force overwrites it")


def save_picture(drawn: str | None, answer: Answer) -> None:
    """Draw an answer, if requested."""
    if drawn is None:
        return
    from rules_asp.drawing.pictures import picture
    from rules_asp.drawing.svg import save
    from rules_asp.queries.ask import QueryQuestion

    asked = answer.question
    ways = asked is None or asked.has_paths
    title = str(asked.query_on(answer.position)) if isinstance(asked, QueryQuestion) else ""
    save(picture(answer.position, answer, None, ways, title), Path(drawn), True)
    # On standard error: standard output may be JSON.
    click.echo(f"Picture: {drawn}", err=True)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Write to FILE.svg or FILE.png, or write SVG to standard output (-).",
)
@click.option("--hexes", metavar="HEXES", help="Draw only these hexes, such as 'A1-C5, E4'.")
@click.option("--level", metavar="LEVEL", help="Draw only this level, such as 0, 1 or roof.")
@click.option("--mono", is_flag=True, help="Draw in black and white, for print.")
@click.option("--ink", is_flag=True, hidden=True)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@board_options
def draw(
    board: str,
    output: str,
    hexes: str | None,
    level: str | None,
    mono: bool,
    ink: bool,
    force: bool,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
) -> None:
    """Draw a board as SVG or PNG.

    The picture shows the map, its units and counters, and a legend. Many commands draw their answer
    with --draw FILE, for example `los`, `sees` and `moves`.

    Example: rules-asp draw church -o church.svg
    """
    from rules_asp import api

    if output != DASH:
        check(output, force)
    elif as_json:
        raise CommandError(
            "the picture and JSON cannot both go to standard output: name a file with -o"
        )
    with spinner(f"drawing {board}"):
        position = open_position(board, without, changes)
        svg = api.picture(position, None, hexes, level, mono or ink)
        if output != DASH:
            api.save(svg, output, force)
    if output == DASH:
        click.echo(svg, nl=False)
    elif as_json:
        record: dict[str, Any] = {"board": position.board.name, "file": output}
        print_json("draw", record)
