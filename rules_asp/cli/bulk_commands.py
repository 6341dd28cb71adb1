"""The commands `matrix` and `batch`, and commands on a folder of boards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from rules_asp import RulesAspError, message
from rules_asp.cli.common import (
    DASH,
    BoardCommand,
    CommandError,
    Supposition,
    board_options,
    job_options,
    limit_options,
    open_position,
    parse_changes,
    print_error,
    print_result,
    progress_bar,
    spinner,
)

if TYPE_CHECKING:
    from rules_asp.output import folder_jobs, los_table
    from rules_asp.positions.position import Position
    from rules_asp.queries.los_matrix import LosSweep
    from rules_asp.runtime.job_pool import JobSettings
    from rules_asp.runtime.limits import Limits


# --- `matrix` and `check` on a folder: all its boards, and a summary.


_Result = TypeVar("_Result")
#: The outcome of a board in a folder: the result of its job, or an error message.
_Outcome = tuple[_Result | None, str]


def sights_of_all(
    folder: Path,
    output: str | None,
    given: folder_jobs.LosTableSettings,
    jobs: JobSettings,
    resume: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Write all LOS of each board of a folder to files in another folder; return the exit code."""
    from rules_asp.output import folder_jobs, los_table
    from rules_asp.output.listing_text import matrix_record, matrix_table
    from rules_asp.positions.loading import write_bytes

    if output is None or output == "-":
        raise CommandError(f"{folder} is a folder: name an output folder with -o FOLDER")
    out = Path(output)
    if out.exists() and not out.is_dir():
        raise CommandError(f"-o must be a folder, and {out} is a file")
    paths = folder_jobs.boards_in(folder)
    try:
        targets = folder_jobs.targets(paths, folder, out, given.form)
    except ValueError as error:
        raise CommandError(str(error)) from None
    there = [each for each in targets if each.exists()]
    if there and not resume and not force:
        what = "--force overwrites it, --resume continues what is not complete"
        raise CommandError(f"{there[0]} already exists; {what}")
    wholes = [_whole(each) if resume and not force else None for each in targets]
    tasks = [(path, head[0] if head else None) for path, head in zip(paths, wholes, strict=True)]
    found: list[tuple[Path, Path, folder_jobs.LosTablePart]] = []
    errors: list[tuple[Path, str]] = []
    for number, (rows, amiss) in _each(
        folder_jobs.sights, given, tasks, jobs, f"sights of {folder}"
    ):
        path, target, whole = paths[number], targets[number], wholes[number]
        if rows is None:
            strange = whole is not None and amiss == str(los_table.NotALosTable())
            where, what = (target, f"{amiss}; --force overwrites it") if strange else (path, amiss)
            print_error(what if str(where) in what else f"{where}: {what}")
            errors.append((path, what))
            continue
        for line in rows.amiss:
            print_error(f"{path}: {line}")
        if rows.packed is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(target, rows.text, force=True)
        tally = whole[1] if whole and rows.packed is None else rows.tally
        found.append((path, target, rows._replace(packed=None, tally=tally)))
    _print_outcomes("matrix", found, errors, as_json, matrix_record, matrix_table)
    return 2 if errors else 0


def check_all(
    folder: Path, given: folder_jobs.FolderSettings, jobs: JobSettings, as_json: bool
) -> int:
    """Report violations and gaps for each board of a folder; return the exit code."""
    from rules_asp.output import folder_jobs
    from rules_asp.output.listing_text import check_record, check_table

    paths = folder_jobs.boards_in(folder)
    found: list[tuple[Path, folder_jobs.FolderResult]] = []
    errors: list[tuple[Path, str]] = []
    for number, (told, amiss) in _each(
        folder_jobs.checked, given, paths, jobs, f"checking {folder}"
    ):
        path = paths[number]
        if told is None:
            print_error(amiss if str(path) in amiss else f"{path}: {amiss}")
            errors.append((path, amiss))
        else:
            found.append((path, told))
    _print_outcomes("check", found, errors, as_json, check_record, check_table)
    return 2 if errors else 1 if any(each.counts[0] for _, each in found) else 0


def _print_outcomes(
    command: str,
    found: list[Any],
    errors: list[tuple[Path, str]],
    as_json: bool,
    record: Callable[..., dict[str, Any]],
    table: Callable[..., None],
) -> None:
    """Print the outcome of each board of a folder, in order: as a record, or else as a table."""
    found.sort(key=lambda each: each[0])
    errors.sort()
    print_result(
        command, as_json, lambda: record(found, errors), lambda out: table(out, found, errors)
    )


def _whole(path: Path) -> tuple[bytes, los_table.Tally] | None:
    """Return the header and the counts of a complete file of rows."""
    from rules_asp.output import los_table

    if not path.is_file():
        return None
    with path.open("rb") as file:
        return los_table.table_text(file)


def _each(
    work: Callable[[Any, Any], _Result],
    given: folder_jobs.FolderSettings,
    tasks: Sequence[Any],
    jobs: JobSettings,
    what: str,
) -> Iterator[tuple[int, _Outcome[_Result]]]:
    """Yield the outcome of each board as it is ready, by number; errors do not end other boards."""
    from rules_asp.runtime.job_pool import run_jobs

    # clingo never frees the symbols of a board.
    apart = replace(jobs, isolated=True)
    with (
        run_jobs(_tried, (work, given), tasks, apart, in_order=False) as results,
        progress_bar(what) as progress,
    ):
        for count, (number, outcome) in enumerate(results, 1):
            yield number, outcome
            if progress:
                progress(count, len(tasks), f"{count} of {len(tasks)}")


def _tried(held: tuple[Callable[[Any, Any], _Result], Any], task: Any) -> _Outcome[_Result]:
    work, given = held
    try:
        return work(given, task), ""
    except (RulesAspError, OSError) as error:
        return None, message(error)


# --- Files that bulk work writes row by row, and resumes after an interruption.


def target(output: str | None, resume: bool, force: bool) -> Path | None:
    """Return the output file, None for standard output; CommandError if it may not be written."""
    path = Path(output) if output and output != "-" else None
    if resume and path is None:
        raise CommandError("--resume needs the file to continue: name it with -o FILE")
    if path and path.exists() and not resume and not force:
        raise CommandError(f"{path} already exists; --force overwrites it, --resume continues it")
    return path


def resume_file(
    open_: ExitStack, path: Path | None, head: str, again: bool
) -> tuple[IO[bytes], int]:
    """Open the file for rows with its header; return it and its row count. `again`: resume."""
    from rules_asp.output import los_table

    if path is None or (path.exists() and not path.is_file()):
        file = open_.enter_context(click.open_file(str(path or "-"), "wb"))
        file.write(head.encode("utf-8"))
        return file, 0
    if not again or not path.exists():
        path.write_bytes(b"")
    file = open_.enter_context(path.open("r+b"))
    try:
        return file, los_table.resume(file, head)
    except los_table.NotALosTable as error:
        raise CommandError(f"{path} {error}; --force overwrites it") from None


# --- The command `matrix`: all LOS of a board as a file, or of all boards of a folder.


#: Lines per job of a cluster: enough for most of the speed, few enough to distribute.
_LINES = 12_000
#: With more parts than this, no part runs in this process, since it would grow too large.
_MANY = 20


@click.command(cls=BoardCommand)
@click.argument("board")
@click.option(
    "-o", "--output", metavar="FILE", help="Write the rows to this file, or to this folder."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("csv", "jsonl")),
    help="The format of the rows. Default: the format that the ending of FILE names.",
)
@click.option(
    "--from",
    "whence",
    multiple=True,
    metavar="LOC",
    help="Include only lines from this Location. Repeatable.",
)
@click.option(
    "--hexes",
    metavar="HEXES",
    help="Include only lines between these hexes. With --from: only lines to these hexes.",
)
@click.option(
    "--ground",
    is_flag=True,
    help="Include only lines between ground levels. With --from: only lines to ground level.",
)
@job_options()
@click.option("--resume", is_flag=True, help="Continue an interrupted run from its output file.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
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
    """Check every line of sight on a board.

    Each row of the file is about one pair of Locations, in a fixed order. The row contains the
    verdict, the Hindrance, and the place and rule of one obstacle. --json means --format jsonl. If
    BOARD is a folder, name an output folder with -o. For a folder, `matrix` writes one file for
    each board and VASL archive, and prints a table of the counts. For a folder, --time and --memory
    limit the import of each archive.

    Example: rules-asp matrix church --from C3/2 -o lines.csv
    """
    if Path(board).is_dir():
        if resume and (output is None or output == "-"):
            raise CommandError("--resume needs the file to continue: name it with -o FILE")
        from rules_asp.output.folder_jobs import LosTableSettings

        form = form or ("jsonl" if as_json else "csv")
        given = LosTableSettings(
            without, parse_changes(changes), limits, whence, hexes, ground, form
        )
        ctx.exit(sights_of_all(Path(board), output, given, jobs, resume, force, as_json))
    from rules_asp import api
    from rules_asp.output import los_table
    from rules_asp.positions.locations import select_locations
    from rules_asp.queries.los_matrix import BATCH, LosSweep
    from rules_asp.runtime.job_pool import run_jobs

    path = target(output, resume, force)
    if as_json or form is None:
        form = "jsonl" if as_json or (path and path.suffix in (".jsonl", ".json")) else "csv"
    with spinner(f"reading {board}"):
        position = open_position(board, without, changes)
        ends = select_locations(position, hexes, ground)
        since = [api.end(position, each) for each in whence] or None
        # The workers of a cluster are not counted: their parts are many and small.
        most, among = (_LINES, 1) if jobs.cluster else (BATCH, jobs.process_count)
        sweep = LosSweep(position, ends, since, most, among)
    for line in los_table.table_mismatch(position, (*ends, *(since or ()))):
        print_error(line)
    head = los_table.header(position, sweep, ends, since, form)
    with ExitStack() as open_:
        file, count = resume_file(open_, path, head, resume and not force)
        whole, left = _finished(sweep, count)
        count -= left
        parts = range(whole, sweep.count)
        # clingo never frees the symbols of a part.
        jobs = replace(jobs, isolated=len(parts) > _MANY)
        with (
            run_jobs(los_table.of_part, (sweep, form), parts, jobs) as results,
            progress_bar(f"sights of {board}") as progress,
        ):
            for _, (more, text) in results:
                # The rows of an interrupted part that exist are not written again.
                file.write(text.split("\n", left)[left].encode("utf-8"))
                file.flush()
                left = 0
                count += more
                if progress:
                    progress(count, sweep.size, f"{count:,}")


def _finished(sweep: LosSweep, done: int) -> tuple[int, int]:
    """Return the number of finished parts for this many rows, and the rows of the next part."""
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


# --- The command `batch`: many questions at once; `batch_lines` parses and answers them.


@click.command(cls=BoardCommand)
@click.argument("board")
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@click.option("-o", "--output", metavar="FILE", help="Write the answers to this file.")
@job_options(alone="Number of processes. Default: 1.")
@click.option("--resume", is_flag=True, help="Continue an interrupted run from its output file.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
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
    """Answer a file of questions.

    Each line of FILE, or of standard input, is a command without its board: `los C3/2 D2`, `can A
    move to V3/2`, `ask height(U4) = V`. Sentences need no quotes. Each answer is one line of JSON,
    with the number and the text of the line in FILE. If a line contains a mistake, the answer is an
    error, and the exit code is 2. A file written with -o starts with a header line.

    Example: rules-asp batch church questions.txt -o answers.jsonl
    """
    from rules_asp.cli.query_commands import answers, bounded_lines, questions

    if board == DASH and (file or DASH) == DASH:
        raise CommandError(
            "the board and the questions cannot both come from standard input: "
            "name a file for one of them"
        )
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
    """Return the first line of a file: its content, with a hash of board, rules and questions."""
    from rules_asp.output.json_schema import with_header
    from rules_asp.output.los_table import los_key

    record = {
        "board": position.board.name,
        "questions": len(asked),
        "key": los_key(position, repr(asked)),
    }
    return f"{json.dumps(with_header('batch', record), ensure_ascii=False)}\n"


def _amiss(written: bytes) -> bool:
    """Return whether one of the existing lines of a file has an error."""
    _, *rows = written.splitlines()
    return any("error" in json.loads(each) for each in rows)
