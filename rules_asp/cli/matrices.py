"""The command `matrix`: all sights of a board as a file, and of all boards of a folder."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rules_asp.cli.boards_given import BoardCommand, Supposed, made, ready
from rules_asp.cli.files_out import begun, target
from rules_asp.telling.bulk_options import job_options
from rules_asp.telling.options import board_options, limit_options
from rules_asp.telling.terminal import Refusal, bar, complain, working

if TYPE_CHECKING:
    from rules_asp.answers.all_sights import Sweep
    from rules_asp.bounds import Limits
    from rules_asp.jobs import Jobs

#: So many lines are a job: enough for most of the speed, few enough to be shared out.
_LINES = 12_000
#: Of more parts than these none is done in this process, which would grow too large.
_MANY = 20


@click.command(cls=BoardCommand)
@click.argument("board")
@click.option("-o", "--output", metavar="FILE", help="Write it to a file, row by row.")
@click.option(
    "--format", "form", type=click.Choice(("csv", "jsonl")), help="Else by FILE's ending."
)
@click.option(
    "--from", "whence", multiple=True, metavar="LOC", help="Only from here; can be repeated."
)
@click.option("--hexes", metavar="HEXES", help="Only between these, or to these: 'A1-C5, E4'.")
@click.option("--ground", is_flag=True, help="Only between ground levels, or to them.")
@job_options()
@click.option("--resume", is_flag=True, help="Go on with what was broken off.")
@click.option("--force", is_flag=True, help="Overwrite what is there.")
@limit_options
@board_options
@click.pass_context
def matrix(
    ctx: click.Context,
    board: str,
    output: str | None,
    form: str | None,
    whence: tuple[str, ...],
    hexes: str | None,
    ground: bool,
    jobs: Jobs,
    resume: bool,
    force: bool,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
    limits: Limits,
) -> None:
    """All sights of a board, or all from some Locations.

    A row for each two Locations, in a fixed order, written as they come: clear or not, Hindrance, a
    norm that blocks, and where. --json is --format jsonl. Where BOARD is a folder, each board and VASL
    archive in it has a file of its own in the folder -o, and a table tells how many sights are clear;
    --time and --memory are for the import of each archive.
    """
    if Path(board).is_dir():
        if resume and (output is None or output == "-"):
            raise Refusal("--resume goes on with a file; -o names it")
        from rules_asp.cli.folders import sights_of_all
        from rules_asp.telling.folders import Sights

        form = form or ("jsonl" if as_json else "csv")
        given = Sights(without, made(changes), limits, whence, hexes, ground, form)
        ctx.exit(sights_of_all(Path(board), output, given, jobs, resume, force, as_json))
    from rules_asp import api
    from rules_asp.answers.all_sights import Sweep
    from rules_asp.jobs import done
    from rules_asp.positions.places import chosen
    from rules_asp.telling import sight_rows

    path = target(output, resume, force)
    if as_json or form is None:
        form = "jsonl" if as_json or (path and path.suffix in (".jsonl", ".json")) else "csv"
    with working(f"reading {board}"):
        position = ready(board, without, changes)
        ends = chosen(position, hexes, ground)
        since = [api.end(position, each) for each in whence] or None
        # A cluster's workers are not counted: their parts are many and small.
        among = 1 if jobs.cluster else jobs.many
        sweep = Sweep(position, ends, since, _LINES, among)
    for line in sight_rows.amiss(position, (*ends, *(since or ()))):
        complain(line)
    head = sight_rows.header(position, sweep, ends, since, form)
    with ExitStack() as open_:
        file, count = begun(open_, path, head, resume and not force)
        whole, left = _finished(sweep, count)
        count -= left
        parts = range(whole, sweep.count)
        # clingo keeps all that it has met, of each part.
        jobs = replace(jobs, apart=len(parts) > _MANY)
        with (
            done(sight_rows.of_part, (sweep, form), parts, jobs) as results,
            bar(f"sights of {board}") as progress,
        ):
            for _, (more, text) in results:
                # Of a part that was broken off, what is there already is not written again.
                file.write(text.split("\n", left)[left].encode("utf-8"))
                file.flush()
                left = 0
                count += more
                if progress:
                    progress(count, sweep.size, f"{count:,}")


def _finished(sweep: Sweep, done: int) -> tuple[int, int]:
    """How many parts so many rows are, and how many of them are of the next part."""
    whole = 0
    if done == sweep.size:
        return sweep.count, 0
    for part in sweep.parts() if done else ():
        count = len(sweep.sights(part))
        if done < count:
            break
        done -= count
        whole += 1
    return whole, done
