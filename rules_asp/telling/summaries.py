"""What was found of all boards of a folder: a table for people, the same for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from rules_asp.telling.as_json import Record
from rules_asp.telling.folders import FolderResult, LosTablePart, folder_totals
from rules_asp.telling.layout import BAD, GOOD, Row, section, table

_Errors = Sequence[tuple[Path, str]]
_CHECKED = ("violations", "conflicts", "unknowns", "doubts")


def matrix_table(
    out: Console, found: Sequence[tuple[Path, Path, LosTablePart]], errors: _Errors
) -> None:
    """How many sights each board has, and how many are clear, blocked and not known."""
    rows: list[Row] = [
        (rows.board, *_figures(rows.tally), str(target)) for _, target, rows in found
    ]
    if len(found) > 1:
        rows.append(("in all", *_figures(folder_totals(each.tally for *_, each in found)), ""))
    table(out, rows, ("board", "sights", "clear", "blocked", "unknown", "file"))
    _ending(out, len(found), errors)


def matrix_record(found: Sequence[tuple[Path, Path, LosTablePart]], errors: _Errors) -> Record:
    """The same for programs."""
    boards = [
        {"board": rows.board, "of": str(path), "file": str(target), **rows.tally._asdict()}
        for path, target, rows in found
    ]
    total = folder_totals(rows.tally for *_, rows in found)
    return {"boards": boards, "total": total._asdict(), "errors": _records(errors)}


def check_table(out: Console, found: Sequence[tuple[Path, FolderResult]], errors: _Errors) -> None:
    """How much each board breaks and leaves open; then each norm that is broken."""
    rows: list[Row] = [(each.board, *_figures(each.counts), str(path)) for path, each in found]
    if len(found) > 1:
        rows.append(("in all", *_figures(_sums(each.counts for _, each in found)), ""))
    table(out, rows, ("board", "violations", "clashes", "unknown", "doubts", "file"))
    broken: list[Row] = [
        (each.board, fault["at"] or "", fault["norm"], fault["what"])
        for _, each in found
        for fault in each.record["violations"]
    ]
    section(out, "violations", broken)
    _ending(out, len(found), errors)


def check_record(found: Sequence[tuple[Path, FolderResult]], errors: _Errors) -> Record:
    """The same for programs, with all that is told of each board."""
    boards = [{"board": each.board, "of": str(path), **each.record} for path, each in found]
    total: dict[str, Any] = dict(
        zip(_CHECKED, _sums(each.counts for _, each in found), strict=True)
    )
    return {"boards": boards, "total": total, "errors": _records(errors)}


def _sums(counts: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    return tuple(map(sum, zip((0,) * len(_CHECKED), *counts, strict=True)))


def _figures(counts: Iterable[int]) -> list[str]:
    return [f"{each:,}" for each in counts]


def _records(errors: _Errors) -> list[dict[str, str]]:
    return [{"of": str(path), "error": what} for path, what in errors]


def _ending(out: Console, boards: int, errors: _Errors) -> None:
    said = f"{boards} board{'s' * (boards != 1)}"
    if errors:
        out.print(Text(f"{said}, and {len(errors)} that could not be read", BAD))
    else:
        out.print(Text(said, GOOD))
