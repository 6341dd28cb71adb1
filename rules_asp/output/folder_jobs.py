"""All boards of a folder as one piece of bulk work: each a job, which reads it, asks it and tells of it."""

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

#: What stands in an archive of a board, and in no other zip file.
_OF_A_BOARD = frozenset(("LOSData", "BoardMetadata.xml"))


class NoBoards(RulesAspError):
    """A folder without boards."""


@dataclass(frozen=True)
class FolderSettings:
    """How each board of a folder is to be read: rulings that are off, lines that it says or does not."""

    without: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    limits: Limits | None = None


@dataclass(frozen=True)
class LosTableSettings(FolderSettings):
    """All sights of each board: between which Locations, and as what they are written."""

    whence: tuple[str, ...] = ()
    hexes: str | None = None
    ground: bool = False
    form: str = "csv"


class LosTablePart(NamedTuple):
    """The sights of a board as a file, packed; None: the file that is there has them already."""

    board: str
    packed: bytes | None
    tally: Tally
    amiss: tuple[str, ...] = ()

    @property
    def text(self) -> bytes:
        """What is to stand in the file."""
        return zlib.decompress(self.packed or b"")


class FolderResult(NamedTuple):
    """What a check of a board found, as a record, and how much."""

    board: str
    record: Record
    counts: tuple[int, int, int, int]


def boards_in(folder: Path) -> list[Path]:
    """The board files and the VASL archives of a folder and the folders in it, by name; NoBoards: none."""
    paths = (path for path in folder.rglob("*") if not path.name.startswith("."))
    found = sorted(path for path in paths if path.suffix == ".board" or _is_archive(path))
    if not found:
        raise NoBoards(f"{folder}: no boards in this folder")
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
    """A board of a folder, ready for questions."""
    if path.suffix == ".board":
        return api.load(path, None, given.without, given.changes)
    limits = given.limits if may_spawn() else None
    return api.position(api.import_archive(path, limits), None, given.without, given.changes)


def sights(given: LosTableSettings, task: tuple[Path, bytes | None]) -> LosTablePart:
    """All sights of a board, unless a file that is whole already begins with this header.

    NotALosTable where it begins with another.
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
    # The rows of a board are a hundred megabytes as text.
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
    """What a board breaks, and what is open on it."""
    position = read(given, path)
    found = api.check(position)
    return FolderResult(position.board.name, found.record(), counted(found))


def counted(found: Checked) -> tuple[int, int, int, int]:
    """How many violations, clashes, unknowns and doubts a board has."""
    return len(found.violations), len(found.conflicts), len(found.unknown), len(found.doubts)


def targets(paths: Sequence[Path], folder: Path, out: Path, form: str) -> list[Path]:
    """The files for these boards in another folder, in the order of the boards.

    ValueError where two boards would have one file.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        within = path.relative_to(folder)
        name = within.stem if path.suffix == ".board" else within.name
        target = out / within.with_name(f"{name}.{form}")
        if target in found:
            raise ValueError(f"{path} and {found[target]} would both be {target}")
        found[target] = path
    return list(found)


def folder_totals(tallies: Iterable[Tally]) -> Tally:
    """What several boards have together."""
    return sum(tallies, Tally())
