"""LOS tables as files: header, rows as CSV or JSON lines, and progress of an interrupted file."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import IO, NamedTuple

from rules_asp import RulesAspError, __version__
from rules_asp.game.grid import Location, hex_of_spot
from rules_asp.game.values import to_board_text
from rules_asp.output.json_schema import with_header
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, issues_in_scope
from rules_asp.queries.los_matrix import LosPair, LosSweep, LosVerdict, sight_record
from rules_asp.runtime import cache

_COLUMNS = ("a", "b", "clear", "hindrance", "norm", "at", "unknown")


class NotALosTable(RulesAspError):
    """A file to continue that has other content."""

    def __str__(self) -> str:
        return "is of another board, other rules or other questions"


class Tally(NamedTuple):
    """The number of LOS, and of those that are clear, blocked and unknown."""

    sights: int = 0
    clear: int = 0
    blocked: int = 0
    unknown: int = 0

    def __add__(self, other: tuple[int, ...]) -> Tally:  # type: ignore[override]
        return Tally(*(one + two for one, two in zip(self, other, strict=True)))

    @staticmethod
    def of(verdicts: Collection[LosVerdict]) -> Tally:
        """Count these verdicts."""
        clear = [each.clear for each in verdicts]
        return Tally(len(clear), clear.count(True), clear.count(False), clear.count(None))


def table_mismatch(position: Position, ends: Iterable[Location]) -> Iterator[str]:
    """Yield the issues in the hexes of the rows: board faults and uncertain map data."""
    here = issues_in_scope(position, Scope(frozenset(hex_of_spot(each.spot) for each in ends)))
    for fault in here.faults:
        yield f"a fault of the board: {fault.where} {fault.norm} {fault.what}"
    for where, doubt in here.doubts:
        yield f"in doubt: {where} {doubt}"


def los_key(position: Position, asked: str) -> str:
    """Return the key of a file of answers, made from the board, the rules, the code and the
    question."""
    digest = hashlib.sha256()
    for each in (
        __version__,
        repr((position.board.grid, position.board.statements)),
        position.facts,
        position.program.digest,
        asked,
    ):
        digest.update(f"{len(each)}:{each}".encode("utf-8", "surrogatepass"))
    for code in cache.source_fingerprint(
        "game", "geometry", "boards", "positions", "knowledge", "explain", "queries", "output"
    ):
        digest.update(code)
    return digest.hexdigest()[:32]


def header(
    position: Position,
    sweep: LosSweep,
    ends: Collection[Location],
    whence: Collection[Location] | None,
    form: str,
) -> str:
    """Return the lines before the rows: subject, and a key made from board, rules and ends."""
    since = None if whence is None else sorted(str(each) for each in whence)
    record = {
        "board": position.board.name,
        "from": since,
        "sights": sweep.size,
        "key": los_key(position, repr((sorted(map(str, ends)), since))),
    }
    first = json.dumps(with_header("matrix", record), ensure_ascii=False)
    return f"{first}\n" if form == "jsonl" else f"# {first}\n{','.join(_COLUMNS)}\n"


def los_rows(verdicts: Iterable[tuple[LosPair, LosVerdict]], form: str) -> str:
    """Return a line for each LOS."""
    if form == "jsonl":
        records = (sight_record(ends, verdict) for ends, verdict in verdicts)
        return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in records)
    names = _Names()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for (a, b), (clear, hindrance, norm, place, why) in verdicts:
        if clear is None:
            # A row is one line, whatever texts the board contains.
            reasons = " ".join("; ".join(map(str, why)).split())
            writer.writerow((names[a], names[b], "unknown", "", norm, place, reasons))
        else:
            said_clear = "yes" if clear else "no"
            writer.writerow((names[a], names[b], said_clear, hindrance, norm, place, ""))
    return text.getvalue()


class _Names(dict[Location, str]):
    """The names of Locations."""

    def __missing__(self, location: Location) -> str:
        name = self[location] = to_board_text(location, "location")
        return name


def of_part(held: tuple[LosSweep, str], number: int) -> tuple[int, str]:
    """Return the number of lines in a part of a sweep, and their rows: a job."""
    sweep, form = held
    found = sweep.verdicts(sweep.part(number))
    return len(found), los_rows(found.items(), form)


def table_text(file: IO[bytes]) -> tuple[bytes, Tally] | None:
    """Return the header of a complete file, with its counts; None for any other file."""
    first = file.readline()
    try:
        head = json.loads(first.removeprefix(b"# "))
        wanted = int(head["sights"])
    except (ValueError, LookupError, TypeError):
        return None
    rows = first.startswith(b"#")
    if rows:
        first += file.readline()
    counts: Counter[bytes] = Counter()
    for line in file:
        if not line.endswith(b"\n"):
            return None
        # Names of Locations contain neither commas nor quotes.
        counts[line.split(b",", 3)[2] if rows else line.partition(b'"clear": ')[2][:4]] += 1
    words = (b"yes", b"no", b"unknown") if rows else (b"true", b"fals", b"null")
    told = Tally(wanted, *(counts[each] for each in words))
    return (first, told) if counts.total() == wanted == sum(told[1:]) else None


def resume(file: IO[bytes], head: str) -> int:
    """Return the number of rows in an interrupted file; anything after them is cut off.

    The file stays open at its end, with this header. NotALosTable if it begins otherwise.
    """
    wanted = head.encode("utf-8")
    file.seek(0)
    found = file.read(len(wanted))
    done, end = 0, len(wanted)
    if len(found) < len(wanted) and wanted.startswith(found):
        file.seek(0)
        file.write(wanted)
    elif found != wanted:
        raise NotALosTable
    else:
        for line in file:
            if not line.endswith(b"\n"):
                break
            done += 1
            end += len(line)
    file.truncate(end)
    file.seek(end)
    return done
