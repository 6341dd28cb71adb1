"""Growth of time and memory: `python -m tests.benchmarks.scale [-o PLOT.svg]` prints tables and draws them.

Four things are made larger, each alone: the map (one, two, four, eight boards), the share of building
hexes, the sections in force, the processes. Of each is told the CPU time to load it, of one sight, bare and
with its paragraphs, of a verdict among many (a block of one board, which is the same on every map, and the
first lines between all Locations of the map, which are longer on a larger one), and the most memory. Each
row is measured in a process of its own.

Maps are of boards of the archives in RULES_ASP_BOARDS, where they are at hand, else of generated ones.
Times are CPU time; only the rows of processes have wall time besides. The plot is SVG, or PNG by its
ending.
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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import median

from rules_asp import api
from rules_asp.drawing.svg import save
from rules_asp.game.grid import Hex, hex_of_spot
from rules_asp.game.query import location_sort_key
from rules_asp.parser import write as board_text
from rules_asp.queries.los import los
from rules_asp.queries.los_matrix import LosSweep
from rules_asp.runtime.limits import Limits
from rules_asp.runtime.worker import call_isolated
from tests.benchmarks.questions import _timed, generated, grounded

#: Boards of the game that lie beside and below each other, row by row.
_STANDARD = ("01", "20", "21", "24", "12", "15", "23", "02")
_SIZES = (1, 2, 4, 8)
#: Buildings on a generated board and, where they are larger than those of the game, by how many hexes.
_BUILDINGS = ((0, None), (15, None), (45, None), (45, (10, 20)), (45, (40, 60)))
#: What is in force on a board.
_SECTIONS = ("B23", "B23 PB4", "B23 PB4 PB6 BRT7", "B23 PB4 PB6 BRT7 ABTF3")
#: The block of one board whose sights are asked on every map: so many columns and rows.
_BLOCK, _DEEP = 12, 9
_NO_LIMITS = Limits(None, None)
#: Units of the side and of its enemies, for `firers` and `turn`.
_ARMIES = ((20, 5), (20, 10), (20, 20), (20, 40), (5, 20), (10, 20))


@dataclass(frozen=True)
class Row:
    """What was measured of one position: seconds of CPU (a verdict: microseconds), hexes, megabytes."""

    what: str
    hexes: int
    built: float
    load: float
    sight: float
    cited: float
    block: float
    far: float
    distance: float
    megabytes: int

    def told(self) -> str:
        """A row of the table."""
        figures = (
            f"{self.hexes}",
            f"{100 * self.built:.0f}",
            f"{self.load:.2f}",
            f"{1000 * self.sight:.0f}",
            f"{1000 * self.cited:.0f}",
            f"{self.block:.0f}",
            f"{self.far:.0f}",
            f"{self.distance:.0f}",
            f"{self.megabytes}",
        )
        return f"| {' | '.join((self.what, *figures))} |"


_HEADS = (
    "{}",
    "hexes",
    "% built",
    "load, s",
    "a sight, ms",
    "with cites",
    "a verdict of the block, us",
    "of the map",
    "lines of, hexes",
    "MB",
)
_HEAD = f"| {' | '.join(_HEADS)} |\n|---|{'---:|' * (len(_HEADS) - 1)}"


def main() -> None:
    """Measure, print the tables, draw the plot."""
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks.scale", description=__doc__)
    asked.add_argument("-o", "--output", type=Path, help="the plot, SVG or PNG")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--sizes", type=int, nargs="*", default=_SIZES, help="boards of a map")
    asked.add_argument("--armies", action="store_true", help="only `firers` and `turn`, by units")
    asked.add_argument("--processes", type=int, nargs="*", default=(1, 2, 4))
    chosen = asked.parse_args()
    series: list[tuple[str, list[Row]]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        boards = _boards(folder, chosen.seed, max(chosen.sizes, default=1))
        _print_armies(boards[int(len(boards) > 1)], chosen.seed)
        if chosen.armies:
            return
        for what, paths in (
            ("boards", _maps(folder, boards, chosen.sizes)),
            ("buildings", _built(folder, chosen.seed)),
            ("sections", _ruled(folder, boards[0])),
        ):
            print(_HEAD.format(what))
            rows = []
            for told, path in paths:
                row = call_isolated(_measured, told, path, chosen.seed, limits=_NO_LIMITS)
                print(row.told(), flush=True)
                rows.append(row)
            print()
            series.append((what, rows))
        print("| processes | CPU, s | wall, s | MB of each at most |\n|---|---:|---:|---:|")
        shared = [_shared(boards[0], each, folder) for each in chosen.processes]
        for each, figures in zip(chosen.processes, shared, strict=True):
            print(f"| {each} | {figures[0]:.1f} | {figures[1]:.1f} | {figures[2]} |", flush=True)
    if chosen.output:
        save(_plot(series, list(zip(chosen.processes, shared, strict=True))), chosen.output, True)


# --- what is measured


def _boards(folder: Path, seed: int, count: int) -> list[Path]:
    """So many boards as files, named as they are on a map."""
    archives = Path(os.environ.get("RULES_ASP_BOARDS", "nowhere"))
    paths = []
    for number in range(count):
        name = _STANDARD[number % len(_STANDARD)]
        places = [archives / f"bd{name}", archives / "more" / f"bd{name}"]
        source = next(filter(Path.exists, places), None)
        path = folder / f"bd{name if source else f'{number + 1:02}'}.board"
        if source:
            api.write(api.import_archive(source), path)
        else:
            board = replace(generated(seed + number), name=f"{number + 1:02}")
            path.write_text(board_text(board), "utf-8")
        paths.append(path)
    return paths


def _maps(folder: Path, boards: Sequence[Path], sizes: Sequence[int]) -> Iterator[tuple[str, Path]]:
    """Maps of so many of the boards, in one row or two."""
    for size in sizes:
        wide = size if size < 4 else size // 2
        lines = []
        for number, path in enumerate(boards[:size]):
            place = ""
            if number == wide:
                place = f" below {_label(boards[0])}"
            elif number:
                place = f" right of {_label(boards[number - 1])}"
            lines.append(f'use "{path.name}"{place}')
        target = folder / f"map{size}.board"
        target.write_text("\n".join([*lines, "rooftops", ""]), "utf-8")
        yield f"{size}", target


def _label(path: Path) -> str:
    return path.stem.removeprefix("bd")


def _built(folder: Path, seed: int) -> Iterator[tuple[str, Path]]:
    """Boards with more and more buildings."""
    for number, (count, larger) in enumerate(_BUILDINGS):
        path = folder / f"built{number}.board"
        board = generated(seed, count, larger) if larger else generated(seed, count)
        path.write_text(board_text(board) + "rooftops\n", "utf-8")
        yield f"{count} (+{larger[0]}-{larger[1]})" if larger else f"{count}", path


def _ruled(folder: Path, board: Path) -> Iterator[tuple[str, Path]]:
    """A board with more and more sections in force."""
    for number, sections in enumerate(_SECTIONS):
        path = folder / f"ruled{number}.board"
        path.write_text(f'use "{board.name}"\nrooftops\nrules {sections}\n', "utf-8")
        yield sections, path


def _measured(what: str, path: Path, seed: int) -> Row:
    start = time.process_time()
    here = api.load(path)
    load = time.process_time() - start
    chance = random.Random(seed)
    ends = sorted(here.index.elevations, key=location_sort_key)
    hexes = [*here.board.grid.hexes()]
    built = {hex_ for case in here.cases for hex_, _ in case.get("building", 2)}
    # The same sights on every map: of the block in the first board's corner.
    first = min(hexes)
    block = [
        each
        for each in ends
        if isinstance(each.spot, Hex)
        and each.spot.col - first.col < _BLOCK
        and 0 <= each.spot.row < _DEEP
    ]
    pairs = []
    while len(pairs) < 13:
        one, other = chance.sample(block, 2)
        if one.spot != other.spot:
            pairs.append((one, other))
    # What rests on the board alone is looked up at the first question that it bears on.
    for a, b in pairs:
        los(here, a, b)
    cited = median(_timed(lambda a=a, b=b: los(here, a, b)) for a, b in pairs)
    bare = (_timed(lambda a=a, b=b: los(here, a, b, False, False)) for a, b in pairs)
    sight = median(bare)
    return Row(
        what,
        len(hexes),
        len(built) / len(hexes),
        load,
        sight,
        cited,
        _each_verdict(lambda: LosSweep(here, block, most=6_000))[0],
        *_each_verdict(lambda: LosSweep(here, ends, most=12_000)),
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    )


def _each_verdict(swept: Callable[[], LosSweep]) -> tuple[float, float]:
    """The CPU time of a verdict in microseconds, and the hexes of a line at the median.

    By the parts after the first, which reads the rules.
    """
    sweep = swept()
    count, seconds = 0, 0.0
    lengths = []
    for part in islice(sweep.parts(), 1, 3):
        lengths += [hex_of_spot(one).range_to(hex_of_spot(other)) for one, other in part]
        start = time.process_time()
        count += len(sweep.verdicts(part))
        seconds += time.process_time() - start
    return 1e6 * seconds / max(count, 1), median(lengths or [0])


def _shared(board: Path, processes: int, folder: Path) -> tuple[float, float, int]:
    """CPU and wall time of a matrix by so many processes, and the most memory of one of them."""
    out = folder / f"{processes}.csv"
    command = [sys.executable, "-m", "rules_asp", "matrix", str(board), "-o", str(out)]
    start = time.monotonic()
    with subprocess.Popen([*command, "--jobs", str(processes)]) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    seconds = used.ru_utime + used.ru_stime
    return seconds, time.monotonic() - start, used.ru_maxrss // 1024


def _print_armies(board: Path, seed: int) -> None:
    """Print what `firers` and `turn` take with more and more units of either side."""
    print(
        "| units | enemies | `firers`, s | rules | `turn`, s | rules |\n|---:|---:|---:|---:|---:|---:|"
    )
    for units, enemies in _ARMIES:
        figures = call_isolated(_armies, board, seed, units, enemies, limits=_NO_LIMITS)
        cells = (f"{seconds:.2f} | {rules}" for seconds, rules in figures)
        print(f"| {units} | {enemies} | {' | '.join(cells)} |", flush=True)
    print()


def _armies(board: Path, seed: int, units: int, enemies: int) -> list[tuple[float, int]]:
    """The CPU time and the ground rules of `firers`, the second time, and of `turn`."""
    here = with_armies(api.load(board), seed, units, enemies)
    api.firers(here, "Own1", "moving")
    return [
        counted(lambda: api.firers(here, "Own0", "moving")),
        counted(lambda: here.answer(api.TurnQuestion("german"))),
    ]


def with_armies(here: api.Position, seed: int, units: int, enemies: int) -> api.Position:
    """The position with squads of two sides in buildings, the same ones for a seed.

    Those of a smaller army are also in a larger one.
    """
    places = sorted(map(str, here.index.wholes))
    random.Random(seed).shuffle(places)
    half = len(places) // 2
    own = (
        f"unit Own{number} squad 4-6-7 german at {at}" for number, at in enumerate(places[:units])
    )
    foes = (
        f"unit Foe{number} squad 4-4-7 russian at {at}"
        for number, at in enumerate(places[half : half + enemies])
    )
    return here.with_("\n".join(["sides german russian", "turn 3 german mph", *own, *foes]))


def counted(question: Callable[[], object]) -> tuple[float, int]:
    """The CPU time of a question, and the ground rules that clingo was given for it."""
    with grounded() as controls:
        seconds = _timed(question)
    return seconds, int(sum(each.statistics["problem"]["lp"]["rules"] for each in controls))


# --- the plot

_WIDE, _HIGH, _EDGE = 300, 200, 44
_COLOURS = ("#1f5a8a", "#b3541e", "#3d7a3d", "#7a3d7a")


def _plot(
    series: Sequence[tuple[str, Sequence[Row]]],
    shared: Sequence[tuple[int, tuple[float, float, int]]],
) -> str:
    """A chart for each thing that is made larger, beside one another, as SVG."""
    charts = [
        _chart(
            number,
            what,
            [row.what.split()[-1] for row in rows],
            [
                ("a verdict of the block, us", [row.block for row in rows]),
                ("of the map, us", [row.far for row in rows]),
                ("a sight, ms", [1000 * row.sight for row in rows]),
                ("a sight with cites, ms", [1000 * row.cited for row in rows]),
            ],
        )
        for number, (what, rows) in enumerate(series)
    ]
    figures = [each for _, each in shared]
    charts.append(
        _chart(
            len(series),
            "processes",
            [f"{each}" for each, _ in shared],
            [("CPU, s", [f[0] for f in figures]), ("wall, s", [f[1] for f in figures])],
        )
    )
    wide = (_WIDE + 2 * _EDGE) * len(charts)
    size = f'width="{wide}" height="{_HIGH + 4 * _EDGE}"'
    style = 'font-family="sans-serif" font-size="11"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *charts, "</svg>\n"])


def _chart(
    number: int, what: str, ticks: Sequence[str], lines: Sequence[tuple[str, Sequence[float]]]
) -> str:
    left, top = number * (_WIDE + 2 * _EDGE) + _EDGE, _EDGE
    most = max((value for _, values in lines for value in values), default=1) * 1.1 or 1
    step = _WIDE / max(len(ticks), 1)

    def x(place: int) -> float:
        return left + step * (place + 0.5)

    def y(value: float) -> float:
        return top + _HIGH * (1 - value / most)

    parts = [
        f'<text x="{left}" y="{top - 24}" font-size="14" font-weight="bold">by {what}</text>',
        f'<path d="M{left} {top}V{top + _HIGH}H{left + _WIDE}" fill="none" stroke="#555"/>',
    ]
    for share in (0, 0.5, 1):
        value = most * share / 1.1
        at = f'x="{left - 4}" y="{y(value) + 4:.1f}" text-anchor="end"'
        parts.append(f"<text {at}>{value:.0f}</text>")
    for place, tick in enumerate(ticks):
        at = f'x="{x(place):.1f}" y="{top + _HIGH + 16}" text-anchor="middle"'
        parts.append(f"<text {at}>{tick}</text>")
    for row, ((name, values), colour) in enumerate(zip(lines, _COLOURS, strict=False)):
        points = " ".join(f"{x(n):.1f},{y(value):.1f}" for n, value in enumerate(values))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts += [
            f'<circle cx="{x(n):.1f}" cy="{y(value):.1f}" r="3" fill="{colour}"/>'
            for n, value in enumerate(values)
        ]
        at = f'x="{left}" y="{top + _HIGH + 36 + 14 * row}" fill="{colour}"'
        parts.append(f"<text {at}>{name}</text>")
    return "\n".join(parts)


if __name__ == "__main__":
    main()
