"""Jobs for all boards of a folder: each job reads a board, asks it and returns a result."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rules_asp import RulesAspError, api
from rules_asp.boards.changes import Change
from rules_asp.explain.record import Record
from rules_asp.output import los_table
from rules_asp.output.los_table import Tally
from rules_asp.positions.locations import select_locations
from rules_asp.positions.position import Position
from rules_asp.queries.check import Checked
from rules_asp.queries.los_matrix import LosSweep
from rules_asp.runtime.limits import Limits, size_limit
from rules_asp.runtime.worker import may_spawn

#: Entries of an archive of a board that no other ZIP file has.
_OF_A_BOARD = frozenset(("LOSData", "BoardMetadata.xml"))


class NoBoards(RulesAspError):
    """A folder without boards."""


@dataclass(frozen=True)
class FolderSettings:
    """The settings for each board of a folder: rulings switched off, lines added or removed."""

    without: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    limits: Limits | None = None


@dataclass(frozen=True)
class LosTableSettings(FolderSettings):
    """The settings for LOS tables: the Locations, and the file format."""

    whence: tuple[str, ...] = ()
    hexes: str | None = None
    ground: bool = False
    form: str = "csv"


class LosTablePart(NamedTuple):
    """The LOS table of a board, compressed; None: the existing file already has it."""

    board: str
    packed: bytes | None
    tally: Tally
    amiss: tuple[str, ...] = ()

    @property
    def text(self) -> bytes:
        """The content of the file."""
        return zlib.decompress(self.packed or b"")


class FolderResult(NamedTuple):
    """The check of a board as a record, with its counts."""

    board: str
    record: Record
    counts: tuple[int, int, int, int]


def boards_in(folder: Path) -> list[Path]:
    """Return the board files and VASL archives of a folder and its subfolders, by name; NoBoards:
    none."""
    paths = (path for path in folder.rglob("*") if not path.name.startswith("."))
    found = sorted(path for path in paths if path.suffix == ".board" or _is_archive(path))
    if not found:
        raise NoBoards(f"the folder {folder} has no boards (*.board) and no board archives")
    return [path for path in found if path.is_file()]


def _is_archive(path: Path) -> bool:
    try:
        if not path.is_file() or path.stat().st_size > size_limit("archive"):
            return False
        with zipfile.ZipFile(path) as archive:
            return not _OF_A_BOARD.isdisjoint(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def read(given: FolderSettings, path: Path) -> Position:
    """Return a board of a folder, ready for questions."""
    if path.suffix == ".board":
        return api.load(path, None, given.without, given.changes)
    limits = given.limits if may_spawn() else None
    return api.position(api.import_archive(path, limits), None, given.without, given.changes)


def sights(given: LosTableSettings, task: tuple[Path, bytes | None]) -> LosTablePart:
    """Return the LOS table of a board, unless a complete file already begins with this header.

    NotALosTable if the file begins with another header.
    """
    path, old = task
    position = read(given, path)
    ends = select_locations(position, given.hexes, given.ground)
    since = [api.end(position, each) for each in given.whence] or None
    sweep = LosSweep(position, ends, since)
    head = los_table.header(position, sweep, ends, since, given.form).encode("utf-8")
    name = position.board.name
    if old is not None:
        if old != head:
            raise los_table.NotALosTable
        return LosTablePart(name, None, Tally())
    # The rows of a board are a hundred megabytes of text.
    packer = zlib.compressobj(1)
    packed, tally = [packer.compress(head)], Tally()
    for part in sweep.parts():
        told = sweep.verdicts(part)
        tally += Tally.of(told.values())
        packed.append(packer.compress(los_table.los_rows(told.items(), given.form).encode("utf-8")))
    packed.append(packer.flush())
    amiss = tuple(los_table.table_mismatch(position, (*ends, *(since or ()))))
    return LosTablePart(name, b"".join(packed), tally, amiss)


def checked(given: FolderSettings, path: Path) -> FolderResult:
    """Return the violations and gaps of a board."""
    position = read(given, path)
    found = api.check(position)
    return FolderResult(position.board.name, found.record(), counted(found))


def counted(found: Checked) -> tuple[int, int, int, int]:
    """Return the number of violations, conflicts, unknown topics and doubts of a board."""
    return len(found.violations), len(found.conflicts), len(found.unknown), len(found.doubts)


def targets(paths: Sequence[Path], folder: Path, out: Path, form: str) -> list[Path]:
    """Return the output files for these boards in another folder, in order.

    ValueError if two boards would have the same file.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        within = path.relative_to(folder)
        name = within.stem if path.suffix == ".board" else within.name
        target = out / within.with_name(f"{name}.{form}")
        if target in found:
            raise ValueError(
                f"{path} and {found[target]} would both be written to {target}: rename one"
            )
        found[target] = path
    return list(found)


def folder_totals(tallies: Iterable[Tally]) -> Tally:
    """Return the sums over several boards."""
    return sum(tallies, Tally())
