"""The speed of the program: `python -m tests.benchmarks [BOARD.board | ARCHIVE ...]` prints a Markdown table.

Cold: a command as a process of its own, the first on a machine (nothing kept), on a board that is new,
and again. Warm: a further question of each kind on a loaded board. Change: a new position from an old
one. Then what is seen from one place. Matrix: the LOS of all pairs of Locations as a process, with all kept
(one process, then two), and with nothing kept, after the import of an archive.

Without boards: 01, 12, 20 and 24 of the archives in RULES_ASP_BOARDS, if they are at hand, and two
generated ones. Times are medians of CPU time, those of several processes elapsed time. The unit, by which
figures of two machines can be compared, is a loop of 10^7 additions in Python. `--vasl FILE` compares the
matrices with VASL: a line for each board has its name and the units that VASL's checker takes for it.
`--counts` writes the counts that tests/test_costs.py guards.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

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

    def told(self, one: float, theirs: float | None = None) -> str:
        """The line, where one unit takes so long, and VASL takes so many units."""
        units = self.seconds / one
        ratio = "" if theirs is None else f"{theirs / units:.1f}"
        counts = (self.rules, self.atoms, self.megabytes)
        figures = (f"{units:.3g}", ratio, *("" if each is None else f"{each}" for each in counts))
        return f"| {' | '.join((self.board, self.what, *figures))} |"


def main() -> None:
    """Measure, and print the table line by line."""
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    asked.add_argument("boards", nargs="*", type=Path)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--count", type=int, default=20, help="questions of a kind on each board")
    asked.add_argument(
        "--only", nargs="*", choices=(*_PARTS,), default=(*_PARTS,), help="only these parts"
    )
    asked.add_argument("--vasl", type=Path, metavar="FILE", help="units of VASL for each board")
    asked.add_argument("--counts", action="store_true", help="write the counts that a test guards")
    chosen = asked.parse_args()
    if chosen.counts:
        write_counts()
        return
    theirs: dict[str, float] = {}
    for line in chosen.vasl.read_text("utf-8").splitlines() if chosen.vasl else ():
        name, units = line.split()
        theirs[name] = float(units)
    one = 10 * unit()
    print(f"unit: {one:.3f} s for a loop of 10^7 additions; medians of CPU time\n")
    print("| board | what | units | VASL / ours | ground rules | atoms | MB |")
    print("|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for path in chosen.boards or [*_archives(), *_generated(Path(folder), chosen.seed)]:
            board = path
            if path.suffix != ".board":
                board = Path(folder) / f"{path.name}.board"
                api.write(api.import_archive(path), board)
            for part in chosen.only:
                for row in _PARTS[part](path, board, chosen.seed, chosen.count):
                    units = theirs.get(row.board) if part == "matrix" else None
                    print(row.told(one, units), flush=True)


def _archives() -> Iterator[Path]:
    """The archives of the standard boards that are at hand."""
    archives = Path(os.environ.get("RULES_ASP_BOARDS", "nowhere"))
    paths = (archives / f"bd{number}" for number in _STANDARD)
    return (path for path in paths if path.exists())


def _generated(folder: Path, seed: int) -> Iterator[Path]:
    for number in range(2):
        board = generated(seed + number)
        path = folder / f"{board.name}.board"
        path.write_text(write(board), "utf-8")
        yield path


def _start(_: Path, path: Path, seed: int, __: int) -> Iterator[Row]:
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
    used = [_process(cache, "los", str(path), *pair) for pair in pairs]
    seconds = median(each.cpu for each in used)
    return Row(name, f"{what}: los", seconds, megabytes=max(each.megabytes for each in used))


class Used(NamedTuple):
    """What a process took: elapsed and CPU seconds, those of its own processes included."""

    elapsed: float
    cpu: float
    megabytes: int


def _process(cache: str, *words: str) -> Used:
    """Run a command as a process that keeps what it keeps in a folder."""
    environment = {**os.environ, "RULES_ASP_CACHE": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "rules_asp", *words]
    start = time.perf_counter()
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    elapsed = time.perf_counter() - start
    assert process.returncode == 0, command
    return Used(elapsed, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024)


def _matrix(source: Path, path: Path, _: int, __: int) -> Iterator[Row]:
    """The LOS of all pairs of Locations, as a process: what is kept from the runs before, and nothing."""
    name = load(path).name
    with tempfile.TemporaryDirectory() as folder:
        kept, rows, anew = (str(Path(folder) / each) for each in ("kept", "rows.csv", "anew.board"))

        def written(cache: str, jobs: int, board: str) -> Used:
            return _process(cache, "matrix", board, "-o", rows, "--force", "--jobs", str(jobs))

        written(kept, 1, str(path))
        for jobs, what in ((1, "one process"), (2, "two processes, elapsed")):
            runs = [written(kept, jobs, str(path)) for _ in range(3)]
            seconds = median(each.cpu if jobs == 1 else each.elapsed for each in runs)
            size = max(each.megabytes for each in runs)
            yield Row(name, f"matrix: {what}", seconds, megabytes=size)
        # Of a new board; then also of a new program, since nothing is kept.
        for what in ("a new board", "nothing kept") if source != path else ():
            cache = str(Path(folder) / what)
            if what == "a new board":
                _process(cache, "los", "church", "C3", "D2")
            imported = _process(cache, "import", str(source), "-o", anew, "--force")
            used = (imported, written(cache, 1, anew))
            seconds, size = sum(each.cpu for each in used), max(each.megabytes for each in used)
            yield Row(name, f"matrix: {what}, with its import", seconds, megabytes=size)


def _asked(_: Path, path: Path, seed: int, count: int) -> Iterator[Row]:
    """Questions in one process: each kind in a row, a change, and all that is seen from a place."""
    board = load(path)
    # Each in a process of its own, so that one's memory is not the other's.
    yield from call_isolated(_warm, board, seed, count, limits=_NO_LIMITS)
    yield call_isolated(_seen, board, seed, limits=_NO_LIMITS)


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


def _seen(board: Board, seed: int) -> Row:
    """What is seen from one place."""
    here = api.position(board)
    eyes = random.Random(seed).sample(sorted(here.index.elevations, key=str), 5)
    api.sees(here, eyes[0])
    seen = median(_timed(lambda eye=eye: api.sees(here, eye)) for eye in eyes[1:])
    return Row(board.name, "sees", seen, megabytes=_peak())


def _peak() -> int:
    """The most memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


#: The parts of the benchmark: each gives the rows of a board, which may come from an archive.
_PARTS: Mapping[str, Callable[[Path, Path, int, int], Iterator[Row]]] = {
    "start": _start,
    "questions": _asked,
    "matrix": _matrix,
}


if __name__ == "__main__":
    main()
