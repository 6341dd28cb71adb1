"""The command `batch`: many questions in one go; `batch_lines` reads and answers them."""

from __future__ import annotations

import json
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING

import click

from rules_asp.cli.boards_given import DASH, BoardCommand, Supposition, open_position
from rules_asp.cli.files_out import resume_file, target
from rules_asp.telling.bulk_options import job_options
from rules_asp.telling.options import board_options, limit_options
from rules_asp.telling.terminal import CommandError, progress_bar, spinner

if TYPE_CHECKING:
    from rules_asp.bounds import Limits
    from rules_asp.jobs import JobSettings
    from rules_asp.positions.prepared import Position


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@click.option("-o", "--output", metavar="FILE", help="Write it to a file, line by line.")
@job_options(alone="Processes; else this one.")
@click.option("--resume", is_flag=True, help="Go on with what was broken off.")
@click.option("--force", is_flag=True, help="Overwrite what is there.")
@limit_options
@board_options
@click.pass_context
def batch(
    ctx: click.Context,
    board: str,
    file: str | None,
    output: str | None,
    jobs: JobSettings,
    resume: bool,
    force: bool,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
    limits: Limits,
) -> None:
    """Answer questions line by line.

    FILE, or standard input, has a command in each line, without its board: `los C3/2 D2`,
    `can A move to V3/2`, `ask height(U4) = V`; as in a shell, but can, roll, ask and why need no quotes.
    Each answer is a line of JSON, as it comes, with the number and text of its line. A line that is
    amiss is answered with its error; exit code 2 at the end. A file of -o begins with a line that says
    what it is of.
    """
    from rules_asp.cli.batch_lines import answers, bounded_lines, questions

    if board == DASH and (file or DASH) == DASH:
        raise CommandError("board and questions cannot both come on standard input")
    path = target(output, resume, force)
    with ExitStack() as open_:
        given = open_.enter_context(
            click.open_file(file or "-", encoding="utf-8", errors="replace")
        )
        with spinner(f"reading {board}"):
            position = open_position(board, without, changes)
        asked = questions(bounded_lines(given))
        if path is None:
            amiss = False
            for record, right in answers(position, asked, limits, jobs):
                click.echo(json.dumps(record, ensure_ascii=False))
                amiss |= not right
            ctx.exit(2 if amiss else 0)
        every = list(asked)
        out, count = resume_file(open_, path, _header(position, every), resume and not force)
        amiss = count > 0 and _amiss(path.read_bytes())
        progress = open_.enter_context(progress_bar(f"questions on {board}"))
        for record, right in answers(position, islice(every, count, None), limits, jobs):
            out.write(f"{json.dumps(record, ensure_ascii=False)}\n".encode("utf-8", "replace"))
            out.flush()
            amiss |= not right
            count += 1
            if progress:
                progress(count, len(every), f"{count:,}")
    ctx.exit(2 if amiss else 0)


def _header(position: Position, asked: list[tuple[int, str]]) -> str:
    """The first line of a file: what it is of, with a key made of the board, the rules, the questions."""
    from rules_asp.telling.as_json import with_header
    from rules_asp.telling.sight_rows import los_key

    record = {
        "board": position.board.name,
        "questions": len(asked),
        "key": los_key(position, repr(asked)),
    }
    return f"{json.dumps(with_header('batch', record), ensure_ascii=False)}\n"


def _amiss(written: bytes) -> bool:
    """Whether one of the lines that a file has already was amiss."""
    _, *rows = written.splitlines()
    return any("error" in json.loads(each) for each in rows)
