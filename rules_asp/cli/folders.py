"""What `matrix` and `check` do with a folder: all boards in it, and a summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from rules_asp import RulesAspError
from rules_asp.jobs import JobSettings, run_jobs
from rules_asp.positions.files import write_bytes
from rules_asp.telling import folders, sight_rows
from rules_asp.telling.layout import console
from rules_asp.telling.summaries import check_table, matrix_table
from rules_asp.telling.terminal import CommandError, message, print_error, print_json, progress_bar

_Result = TypeVar("_Result")
#: What a board of a folder came to: what a job told, or the message of what went wrong.
_Outcome = tuple[_Result | None, str]


def sights_of_all(
    folder: Path,
    output: str | None,
    given: folders.LosTableSettings,
    jobs: JobSettings,
    resume: bool,
    force: bool,
    as_json: bool,
) -> int:
    """All sights of each board of a folder, each in a file of another; the exit code."""
    if output is None or output == "-":
        raise CommandError(f"{folder} is a folder; -o names another for its matrices")
    out = Path(output)
    if out.exists() and not out.is_dir():
        raise CommandError(f"{out} is no folder")
    paths = folders.boards_in(folder)
    try:
        targets = folders.targets(paths, folder, out, given.form)
    except ValueError as error:
        raise CommandError(str(error)) from None
    there = [each for each in targets if each.exists()]
    if there and not resume and not force:
        what = "--force overwrites it, --resume goes on with what is not whole"
        raise CommandError(f"{there[0]} is there already; {what}")
    wholes = [_whole(each) if resume and not force else None for each in targets]
    tasks = [(path, head[0] if head else None) for path, head in zip(paths, wholes, strict=True)]
    found: list[tuple[Path, Path, folders.LosTablePart]] = []
    errors: list[tuple[Path, str]] = []
    for number, (rows, amiss) in _each(folders.sights, given, tasks, jobs, f"sights of {folder}"):
        path, target, whole = paths[number], targets[number], wholes[number]
        if rows is None:
            strange = whole is not None and amiss == str(sight_rows.NotALosTable())
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
    found.sort(key=lambda each: each[0])
    errors.sort()
    if as_json:
        from rules_asp.telling.summaries import matrix_record

        print_json("matrix", matrix_record(found, errors))
    else:
        with console() as shown:
            matrix_table(shown, found, errors)
    return 2 if errors else 0


def check_all(folder: Path, given: folders.FolderSettings, jobs: JobSettings, as_json: bool) -> int:
    """What each board of a folder breaks, and what is open on it; the exit code."""
    paths = folders.boards_in(folder)
    found: list[tuple[Path, folders.FolderResult]] = []
    errors: list[tuple[Path, str]] = []
    for number, (told, amiss) in _each(folders.checked, given, paths, jobs, f"checking {folder}"):
        path = paths[number]
        if told is None:
            print_error(amiss if str(path) in amiss else f"{path}: {amiss}")
            errors.append((path, amiss))
        else:
            found.append((path, told))
    found.sort(key=lambda each: each[0])
    errors.sort()
    if as_json:
        from rules_asp.telling.summaries import check_record

        print_json("check", check_record(found, errors))
    else:
        with console() as shown:
            check_table(shown, found, errors)
    return 2 if errors else 1 if any(each.counts[0] for _, each in found) else 0


def _whole(path: Path) -> tuple[bytes, sight_rows.Tally] | None:
    """The header and the counts of a file of rows that is whole."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return sight_rows.table_text(file)


def _each(
    work: Callable[[Any, Any], _Result],
    given: folders.FolderSettings,
    tasks: Sequence[Any],
    jobs: JobSettings,
    what: str,
) -> Iterator[tuple[int, _Outcome[_Result]]]:
    """What becomes of each board as it comes, by its number; one that is amiss does not end the others."""
    # clingo keeps all that it has met, of each board.
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
