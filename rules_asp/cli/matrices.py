"""The command `matrix`: all sights of a board as a file, and of all boards of a folder."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rules_asp.cli.boards_given import BoardCommand, Supposition, open_position, parse_changes
from rules_asp.cli.files_out import resume_file, target
from rules_asp.telling.bulk_options import job_options
from rules_asp.telling.options import board_options, limit_options
from rules_asp.telling.terminal import CommandError, print_error, progress_bar, spinner

if TYPE_CHECKING:
    from rules_asp.answers.all_sights import LosSweep
    from rules_asp.bounds import Limits
    from rules_asp.jobs import JobSettings

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
    jobs: JobSettings,
    resume: bool,
    force: bool,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposition, ...],
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
            raise CommandError("--resume goes on with a file; -o names it")
        from rules_asp.cli.folders import sights_of_all
        from rules_asp.telling.folders import LosTableSettings

        form = form or ("jsonl" if as_json else "csv")
        given = LosTableSettings(
            without, parse_changes(changes), limits, whence, hexes, ground, form
        )
        ctx.exit(sights_of_all(Path(board), output, given, jobs, resume, force, as_json))
    from rules_asp import api
    from rules_asp.answers.all_sights import LosSweep
    from rules_asp.jobs import run_jobs
    from rules_asp.positions.places import select_locations
    from rules_asp.telling import sight_rows

    path = target(output, resume, force)
    if as_json or form is None:
        form = "jsonl" if as_json or (path and path.suffix in (".jsonl", ".json")) else "csv"
    with spinner(f"reading {board}"):
        position = open_position(board, without, changes)
        ends = select_locations(position, hexes, ground)
        since = [api.end(position, each) for each in whence] or None
        # A cluster's workers are not counted: their parts are many and small.
        among = 1 if jobs.cluster else jobs.process_count
        sweep = LosSweep(position, ends, since, _LINES, among)
    for line in sight_rows.table_mismatch(position, (*ends, *(since or ()))):
        print_error(line)
    head = sight_rows.header(position, sweep, ends, since, form)
    with ExitStack() as open_:
        file, count = resume_file(open_, path, head, resume and not force)
        whole, left = _finished(sweep, count)
        count -= left
        parts = range(whole, sweep.count)
        # clingo keeps all that it has met, of each part.
        jobs = replace(jobs, isolated=len(parts) > _MANY)
        with (
            run_jobs(sight_rows.of_part, (sweep, form), parts, jobs) as results,
            progress_bar(f"sights of {board}") as progress,
        ):
            for _, (more, text) in results:
                # Of a part that was broken off, what is there already is not written again.
                file.write(text.split("\n", left)[left].encode("utf-8"))
                file.flush()
                left = 0
                count += more
                if progress:
                    progress(count, sweep.size, f"{count:,}")


def _finished(sweep: LosSweep, done: int) -> tuple[int, int]:
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
