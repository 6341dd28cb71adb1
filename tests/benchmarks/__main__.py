"""The speed of the program: `python -m tests.benchmarks [BOARD.board ...]` prints a Markdown table.

Cold: a command as a process of its own, the first on a machine (nothing kept), on a board that is new,
and again. Warm: a further question of each kind on a loaded board. Change: a new position from an old
one. Then what is seen from one place, and all sights from some.

Without boards: 01, 12, 20 and 24 of the archives in RULES_ASP_BOARDS, if they are at hand, and two
generated ones. Times are medians of CPU time; the unit, by which figures of two machines can be compared,
is a loop of 10^6 additions in Python. `--counts` writes the counts that tests/test_costs.py guards.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median

from rules_asp import api
from rules_asp.game.board import Board
from rules_asp.parser import load, write
from rules_asp.runtime.limits import Limits
from rules_asp.runtime.worker import call_isolated
from tests.benchmarks.costs import write_counts
from tests.benchmarks.questions import _timed, generated, manned, measured, unit

_STANDARD = ("01", "12", "20", "24")
_NO_LIMITS = Limits(None, None)


@dataclass(frozen=True)
class Row:
    """One line of the table: CPU seconds, and what else was counted."""

    board: str
    what: str
    seconds: float
    rules: int | None = None
    atoms: int | None = None
    megabytes: int | None = None

    def told(self, one: float) -> str:
        """The line, where one unit takes so long."""
        counts = ("" if each is None else f"{each}" for each in (self.rules, self.atoms))
        size = "" if self.megabytes is None else f"{self.megabytes}"
        figures = (f"{1000 * self.seconds:.0f}", f"{self.seconds / one:.2f}", *counts, size)
        return f"| {' | '.join((self.board, self.what, *figures))} |"


def main() -> None:
    """Measure, and print the table line by line."""
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    asked.add_argument("boards", nargs="*", type=Path)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--count", type=int, default=20, help="questions of a kind on each board")
    asked.add_argument("--cold", action="store_true", help="only what starts a process")
    asked.add_argument("--counts", action="store_true", help="write the counts that a test guards")
    chosen = asked.parse_args()
    if chosen.counts:
        write_counts()
        return
    one = unit()
    print(f"unit: {1000 * one:.0f} ms for a loop of 10^6 additions; medians of CPU time\n")
    print("| board | what | ms | units | ground rules | atoms | MB |")
    print("|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        paths = chosen.boards or [*_imported(Path(folder)), *_generated(Path(folder), chosen.seed)]
        for path in paths:
            for row in _rows(path, chosen.seed, chosen.count, chosen.cold):
                print(row.told(one), flush=True)


def _imported(folder: Path) -> Iterator[Path]:
    """The standard boards whose archives are at hand."""
    archives = Path(os.environ.get("RULES_ASP_BOARDS", "nowhere"))
    for number in _STANDARD:
        if (archives / f"bd{number}").exists():
            path = folder / f"bd{number}.board"
            api.write(api.import_archive(archives / f"bd{number}"), path)
            yield path


def _generated(folder: Path, seed: int) -> Iterator[Path]:
    for number in range(2):
        board = generated(seed + number)
        path = folder / f"{board.name}.board"
        path.write_text(write(board), "utf-8")
        yield path


def _rows(path: Path, seed: int, count: int, cold: bool) -> Iterator[Row]:
    yield from _cold(path, seed)
    if cold:
        return
    board = load(path)
    # Each in a process of its own, so that one's memory is not the other's.
    yield from call_isolated(_warm, board, seed, count, limits=_NO_LIMITS)
    yield from call_isolated(_many, board, seed, limits=_NO_LIMITS)


def _cold(path: Path, seed: int) -> Iterator[Row]:
    """`los` as a process: with nothing kept, with all but the board kept, with the board kept too."""
    chance = random.Random(seed)
    ends = sorted(map(str, api.load(path).index.elevations))
    pairs = [chance.sample(ends, 2) for _ in range(7)]
    name = load(path).name
    with tempfile.TemporaryDirectory() as folder:
        yield _started(name, "first start on a machine", path, folder, pairs[:1])
        for each in Path(folder).iterdir():
            if each.name.startswith(("board-", "follows-", "shapes-")):
                each.unlink()
        yield _started(name, "first start on a board", path, folder, pairs[1:2])
        yield _started(name, "start", path, folder, pairs[2:])


def _started(name: str, what: str, path: Path, cache: str, pairs: list[list[str]]) -> Row:
    """The medians of starts on these pairs."""
    environment = {**os.environ, "RULES_ASP_CACHE": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    figures = []
    for pair in pairs:
        command = [sys.executable, "-m", "rules_asp", "los", str(path), *pair]
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, command
        figures.append((used.ru_utime + used.ru_stime, used.ru_maxrss // 1024))
    seconds, sizes = zip(*figures, strict=True)
    return Row(name, f"{what}: los", median(seconds), megabytes=max(sizes))


def _warm(board: Board, seed: int, count: int) -> list[Row]:
    """A further question of each kind, and a change."""
    rows = []
    for kind, figures in measured(board, seed, count):
        seconds, rules, atoms = (median(each) for each in zip(*figures, strict=True))
        rows.append(Row(board.name, kind, seconds, int(rules), int(atoms), _peak()))
    here = manned(board, random.Random(seed))
    hexes = random.Random(seed).sample(sorted(here.board.grid.hexes()), 3)
    changes = [f"{what}: {where}" for where in hexes for what in ("rubble stone", "woods")]
    for what, each in (
        ("change", lambda line: here.with_(line)),
        (
            "change of a unit",
            lambda line: here.with_(f"unit New squad 4-6-7 german at {line[-2:]}"),
        ),
    ):
        times = [_timed(lambda each=each, line=line: _tried(each, line)) for line in changes]
        rows.append(Row(board.name, what, median(times), megabytes=_peak()))
    return rows


def _tried(change: Callable[[str], object], line: str) -> None:
    # Not every hex takes every line.
    with suppress(api.BoardError):
        change(line)


def _many(board: Board, seed: int) -> list[Row]:
    """What is seen from one place, and all sights from three, for each thousand of them."""
    here = api.position(board)
    eyes = random.Random(seed).sample(sorted(here.index.elevations, key=str), 5)
    api.sees(here, eyes[0])
    seen = median(_timed(lambda eye=eye: api.sees(here, eye)) for eye in eyes[1:])
    rows = [Row(board.name, "sees", seen, megabytes=_peak())]
    count = 0

    def sights() -> None:
        nonlocal count
        count = sum(len(batch) for batch in islice(api.matrix(here, None, eyes[:3]), 1000))

    seconds = _timed(sights)
    told = f"matrix, each thousand of {count:,}"
    return [*rows, Row(board.name, told, 1000 * seconds / count, megabytes=_peak())]


def _peak() -> int:
    """The most memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
