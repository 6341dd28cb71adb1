"""The number of rules that answers cite: `python -m tests.benchmarks.cites [CASE.board ...]` prints a table.

Each expectation of the cases is asked as though it had `cites`. Told are median and greatest number by what
is asked, and the longest of all.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from rules_asp.cases.expectations import ExpectationResult, batch_of, check_expectation
from rules_asp.game.board import Expect
from rules_asp.positions.loading import load

_CASES = Path(__file__).parent.parent / "cases"
#: So many of the longest are told.
_LONGEST = 5


def main() -> None:
    """Measure, and print the table."""
    asked = argparse.ArgumentParser(prog="python -m tests.benchmarks.cites", description=__doc__)
    asked.add_argument("boards", nargs="*", type=Path)
    paths = asked.parse_args().boards or sorted(_CASES.glob("*.board"))
    found = [each for path in paths for each in _outcomes(path)]
    print("| asked | answers | median | greatest |")
    print("|---|---:|---:|---:|")
    kinds = sorted({_kind(each) for each in found})
    for kind in kinds:
        print(_row(kind, (each for each in found if _kind(each) == kind)))
    print(_row("all", found))
    print()
    for each in sorted(found, key=lambda each: -len(each.cites))[:_LONGEST]:
        print(f"{len(each.cites)}: {Path(each.place.file).name}:{each.place.line}")


def _outcomes(path: Path) -> Iterator[ExpectationResult]:
    """What becomes of each expectation of a case that rests on something."""
    here = load(path)
    wanted = [
        # No paragraph has this name: the line fails, and is cited.
        (here.board.place(i), replace(each, cites=("-",)))
        for i, each in enumerate(here.board.statements)
        if isinstance(each, Expect)
    ]
    batch = batch_of(here, [expect for _, expect in wanted])
    for place, expect in wanted:
        outcome = check_expectation(here, expect, place, batch)
        if outcome.cites:
            yield outcome


def _kind(outcome: ExpectationResult) -> str:
    return type(outcome.expect.question).__name__.lower()


def _row(kind: str, found: Iterable[ExpectationResult]) -> str:
    lengths = [len(each.cites) for each in found]
    return f"| {kind} | {len(lengths)} | {median(lengths):.0f} | {max(lengths)} |"


if __name__ == "__main__":
    main()
