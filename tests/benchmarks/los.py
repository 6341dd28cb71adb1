"""The speed of LOS verdicts: `python tests/benchmarks/los.py [BOARD ARCHIVE or BOARD FILE ...]`.

For each board: all its Location pairs, cited, on one core (fact text, grounding, solving and reading; what
measuring the lines takes of it is told apart), a further question to a loaded board, and the whole
command. Without arguments: the archives in the boards folder beside the checkout.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from itertools import combinations, islice
from pathlib import Path
from statistics import median

from rules_asp.game.grid import term_sort_key
from rules_asp.parser import write
from rules_asp.positions.loading import load
from rules_asp.queries.los import los
from rules_asp.queries.los_matrix import BATCH, LosVerdict, matrix
from rules_asp.vasl.importer import import_archive

BOARDS = Path(
    os.environ.get("RULES_ASP_BOARDS", Path(__file__).resolve().parents[3] / "shared" / "boards")
)


def main() -> None:
    """Time each board and print a row of figures for it."""
    chosen = [Path(each) for each in sys.argv[1:]]
    chosen = chosen or [path for path in sorted(BOARDS.glob("bd[0-9][0-9]")) if path.is_file()]
    if not chosen:
        sys.exit(f"no board is named, and there is none in {BOARDS}")
    with tempfile.TemporaryDirectory() as folder:
        for path in chosen:
            if path.suffix != ".board":
                made = Path(folder) / f"{path.name}.board"
                made.write_text(write(import_archive(path)), "utf-8")
                path = made
            _board(path)


def _board(path: Path) -> None:
    here = load(path)
    ends = list(here.index.elevations)
    start = time.process_time()
    found = sum(each != LosVerdict(True) for batch in matrix(here, ends) for each in batch.values())
    whole = time.process_time() - start
    start = time.process_time()
    lines = combinations(sorted({end.spot for end in ends}, key=term_sort_key), 2)
    while batch := list(islice(lines, BATCH)):
        here.measurer.surveyed(batch, ends)
    measuring = time.process_time() - start
    pairs = len(ends) * (len(ends) - 1) // 2
    a, *others = ends[:1] + ends[len(ends) // 3 :: len(ends) // 10]
    los(here, a, others[0])
    questions = [_timed(lambda b=b: los(here, a, b, close=False, cite=False)) for b in others]
    full = [_timed(lambda b=b: los(here, a, b)) for b in others]
    command = [sys.executable, "-m", "rules_asp", "los", str(path), str(a), str(others[0])]
    runs = [
        _timed(lambda: subprocess.run(command, check=True, capture_output=True)) for _ in "12345"
    ]
    print(
        f"{path.stem}: {pairs} Location pairs ({found} blocked, hindered or unknown) in {whole:.2f} s CPU,"
        f" {measuring:.2f} s of it measuring\n"
        f"    {pairs / (whole - measuring):,.0f} cited verdicts a second"
        f" ({pairs / whole:,.0f} with measuring)\n"
        f"    a further question {1000 * median(questions):.0f} ms,"
        f" with cites and close calls {1000 * median(full):.0f} ms;"
        f" the whole command {median(runs):.2f} s",
        flush=True,
    )


def _timed(what: object) -> float:
    start = time.perf_counter()
    what()  # type: ignore[operator]
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
