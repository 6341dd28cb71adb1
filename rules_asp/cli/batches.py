"""The command `batch`: many questions in one process; `batch_lines` reads and answers them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from rules_asp.cli.boards_given import DASH, BoardCommand, Supposed, ready
from rules_asp.telling.terminal import Refusal, board_options, limit_options, working

if TYPE_CHECKING:
    from rules_asp.bounds import Limits


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@limit_options
@board_options
@click.pass_context
def batch(
    ctx: click.Context,
    board: str,
    file: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
    limits: Limits,
) -> None:
    """Answer questions line by line.

    FILE, or standard input, has a command in each line, without its board: `los C3/2 D2`,
    `can A move to V3/2`, `ask height(U4) = V`; as in a shell, but can, roll, ask and why need no quotes.
    Each answer is a line of JSON, as it comes, with the number and text of its line. A line that is
    amiss is answered with its error; exit code 2 at the end.
    """
    from rules_asp.cli.batch_lines import answers, bounded_lines

    if board == DASH and (file or DASH) == DASH:
        raise Refusal("board and questions cannot both come on standard input")
    with click.open_file(file or "-", encoding="utf-8", errors="replace") as lines:
        with working(f"reading {board}"):
            position = ready(board, without, changes)
        amiss = False
        for record, right in answers(position, bounded_lines(lines), limits):
            click.echo(json.dumps(record, ensure_ascii=False))
            amiss |= not right
    ctx.exit(2 if amiss else 0)
