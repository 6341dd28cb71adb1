"""Commands about many places at once: sees, reach, matrix."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from rules_asp.cli.boards_given import BoardCommand, Supposed, as_given, ready
from rules_asp.cli.drawings import draw_option, keep
from rules_asp.telling.terminal import (
    Refusal,
    bar,
    board_options,
    complain,
    either,
    limit_options,
    tell,
    way_options,
    why_options,
    working,
)

if TYPE_CHECKING:
    from rules_asp.answers.all_sights import Sweep
    from rules_asp.bounds import Limits
    from rules_asp.cli.asking import Proving

#: So many lines are asked together: enough for most of the speed, few enough to be shared out.
_LINES = 12_000
_hexes = click.option("--hexes", metavar="HEXES", help="Only to these: 'A1-C5, E4'.")
_ground = click.option("--ground", is_flag=True, help="Only to ground level.")


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("eye", metavar="LOC|UNIT")
@_hexes
@_ground
@draw_option
@board_options
def sees(
    board: str,
    eye: str,
    hexes: str | None,
    ground: bool,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
) -> None:
    """What is seen from a Location, or by a unit.

    What is seen clearly, what with which Hindrance, and what hides the rest: one place and norm for
    each, if there are several; `los` has them all. C4/0,1 are both levels of C4.
    """
    from rules_asp import api

    with working(f"what {eye} sees on {board}"):
        position = ready(board, without, changes)
        answer = api.sees(position, eye, hexes, ground)
        keep(drawn, position, answer)
        given = as_given(lambda other: api.sees(other, eye, hexes, ground))
    tell("sees", position, answer, as_json, room="many", given=given)


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("units", nargs=-1, required=True, metavar="UNIT...")
@click.option("--phase", default="mph", show_default=True, help=f"{either('moving_phase')}.")
@way_options
@limit_options
@why_options
@draw_option
@board_options
def reach(
    board: str,
    units: tuple[str, ...],
    phase: str,
    turns: int,
    only: str | None,
    because: Proving,
    drawn: str | None,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
    limits: Limits,
) -> None:
    """Where a unit can get, as a table.

    Each hex that it reaches with the least MF, by level. Several units move as one stack; `moves`
    tells the way, and by which norms.
    """
    from rules_asp import api

    with working(f"reach of {' '.join(units)} on {board}"):
        position = ready(board, without, changes)
        answer = api.moves(position, units, phase, limits, turns, only)
        proofs = because(position, answer, limits)
        keep(drawn, position, answer, ways=False)
        given = as_given(lambda other: api.moves(other, units, phase, limits, turns, only))
    tell("reach", position, answer, as_json, room="ways", why=proofs, given=given)


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
@click.option("--jobs", type=click.IntRange(1, 256), metavar="N", help="Processes; else all cores.")
@click.option("--resume", is_flag=True, help="Go on with a file that was broken off.")
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
@board_options
def matrix(
    board: str,
    output: str | None,
    form: str | None,
    whence: tuple[str, ...],
    hexes: str | None,
    ground: bool,
    jobs: int | None,
    resume: bool,
    force: bool,
    as_json: bool,
    without: tuple[str, ...],
    changes: tuple[Supposed, ...],
) -> None:
    """All sights of a board, or all from some Locations.

    A row for each two Locations, in a fixed order, written as they come: clear or not, Hindrance, a
    norm that blocks, and where. --json is --format jsonl.
    """
    from rules_asp import api
    from rules_asp.answers.all_sights import Sweep
    from rules_asp.positions.places import chosen
    from rules_asp.telling import sight_rows
    from rules_asp.telling.shared_work import jobs_here, shared

    path = Path(output) if output and output != "-" else None
    if resume and path is None:
        raise Refusal("--resume goes on with a file; -o names it")
    if path and path.exists() and not resume and not force:
        raise Refusal(f"{path} is there already; --force overwrites it, --resume goes on with it")
    if as_json or form is None:
        form = "jsonl" if as_json or (path and path.suffix in (".jsonl", ".json")) else "csv"
    with working(f"reading {board}"):
        position = ready(board, without, changes)
        ends = chosen(position, hexes, ground)
        since = [api.end(position, each) for each in whence] or None
        sweep = Sweep(position, ends, since, _LINES)
    for line in sight_rows.amiss(position, (*ends, *(since or ()))):
        complain(line)
    head = sight_rows.header(position, sweep, ends, since, form)
    with ExitStack() as open_:
        file, done = _begun(open_, path, head, resume and not force)
        whole, left = _finished(sweep, done)

        def work(number: int, of: int) -> Iterator[tuple[int, str]]:
            for part in islice(sweep.parts(), whole + number, None, of):
                found = list(sweep.verdicts(part).items())
                yield len(found), sight_rows.rows(found, form)

        done -= left
        with shared(work, jobs_here(jobs)) as results, bar(f"sights of {board}") as progress:
            for count, text in results:
                # Of a part that was broken off, what is there already is not written again.
                file.write(text.split("\n", left)[left].encode("utf-8"))
                file.flush()
                left = 0
                done += count
                if progress:
                    progress(done, sweep.size, f"{done:,}")


def _begun(open_: ExitStack, path: Path | None, head: str, again: bool) -> tuple[IO[bytes], int]:
    """Where the rows go, with its header, and how many rows it has; `again` goes on with a file."""
    from rules_asp.telling import sight_rows

    if path is None or (path.exists() and not path.is_file()):
        file = open_.enter_context(click.open_file(str(path or "-"), "wb"))
        file.write(head.encode("utf-8"))
        return file, 0
    if not again or not path.exists():
        path.write_bytes(b"")
    file = open_.enter_context(path.open("r+b"))
    try:
        return file, sight_rows.going_on(file, head)
    except sight_rows.StrangeFile:
        what = "is of another board, other rules or other Locations"
        raise Refusal(f"{path} {what}; --force overwrites it") from None


def _finished(sweep: Sweep, done: int) -> tuple[int, int]:
    """How many parts so many rows are, and how many of them are of the next part."""
    whole = 0
    for part in sweep.parts():
        count = len(sweep.sights(part))
        if done < count:
            break
        done -= count
        whole += 1
    return whole, done
