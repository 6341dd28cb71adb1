"""The complete laws of answers, as jobs: `python -m tests.laws [-o FILE] [--resume] [TESTS ...]`.

In one run of `pytest --whole` they take hours, and memory that grows with them. Here some tests at a time
are a job, done in processes that are replaced when they have grown, or by a cluster of Dask whose workers
see this folder. Each test's outcome is a line of JSON in FILE; with `--resume` what stands there as
passed is not run again. Exit code 1 where a test did not pass.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby, islice
from pathlib import Path

import pytest

from rules_asp.runtime.job_pool import JobSettings, run_jobs
from tests.sampling import SUITE

HERE = Path(__file__).resolve().parent
#: What holds of every answer.
LAWS = tuple(
    f"tests/test_{name}.py"
    for name in (
        "whole_answers",
        "one_meaning",
        "deciding_cites",
        "never_falsely_certain",
        "told_alone",
        "asked_back",
        "named_units",
        "turning",
        "what_is_in_the_way",
        "spared_sights",
    )
)
#: So many tests of one function are a job.
TOGETHER = 8


@dataclass(frozen=True)
class Row:
    """How a test came out: `passed`, `skipped` or `failed`, what it then told, its seconds by the clock."""

    test: str
    outcome: str
    told: str
    seconds: float


class _Outcomes:
    """Keeps the names of the tests that are collected, and how each came out."""

    def __init__(self) -> None:
        self.tests: dict[str, str] = {}
        self.rows: dict[str, Row] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        # By what pytest calls it: a name by which it is found from this folder, wherever it lies.
        for item in session.items:
            path, rest = os.path.relpath(item.path, HERE.parent), item.nodeid.partition("::")[2]
            self.tests[item.nodeid] = f"{path}::{rest}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        before = self.rows.get(report.nodeid)
        if before is not None and before.outcome == "failed":
            return
        seconds = report.duration + (before.seconds if before else 0)
        told = "" if report.passed else report.longreprtext
        # A test passes whose setup, call and end do.
        outcome = report.outcome if before is None or not report.passed else before.outcome
        name = self.tests[report.nodeid]
        self.rows[report.nodeid] = Row(name, outcome, told, round(seconds, 2))


def _pytest(*options: str) -> _Outcomes:
    outcomes = _Outcomes()
    os.chdir(HERE.parent)
    os.environ[SUITE] = "whole"
    settled = ("-c", "pyproject.toml", "-q", "-n0", "-p", "no:cacheprovider")
    with contextlib.redirect_stdout(io.StringIO()) as told:
        code = pytest.main([*settled, *options], plugins=[outcomes])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(told.getvalue())
    return outcomes


def collected(tests: Sequence[str]) -> list[str]:
    """The names of all tests that these stand for."""
    return list(_pytest("--collect-only", *tests).tests.values())


def run(_: None, tests: Sequence[str]) -> list[Row]:
    """A job: some tests, and how each came out."""
    return list(_pytest(*tests).rows.values())


def in_jobs(tests: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The tests, some of one function together."""
    for _, alike in groupby(tests, lambda test: test.partition("[")[0]):
        while some := tuple(islice(alike, TOGETHER)):
            yield some


def kept(file: Path | None) -> dict[str, Row]:
    """What stands in a file of an earlier run; a line that was broken off counts for nothing."""
    rows: dict[str, Row] = {}
    for line in file.read_text("utf-8").splitlines() if file and file.exists() else ():
        with contextlib.suppress(ValueError, TypeError):
            row = Row(**json.loads(line))
            rows[row.test] = row
    return rows


def main() -> int:
    """Run what is not kept, tell what does not pass and how many there are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("tests", nargs="*", default=LAWS, metavar="TESTS", help="else all laws")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="a line for each test")
    parser.add_argument("--resume", action="store_true", help="go on with what FILE holds")
    parser.add_argument("--jobs", type=int, help="processes; else all cores")
    parser.add_argument("--cluster", metavar="ADDRESS", help="let a cluster of Dask do it")
    options = parser.parse_args()
    rows = kept(options.output) if options.resume else {}
    rows = {test: row for test, row in rows.items() if row.outcome == "passed"}
    tests = collected(options.tests)
    todo = [test for test in tests if test not in rows]
    jobs = JobSettings(options.jobs, options.cluster, isolated=True)
    with contextlib.ExitStack() as stack:
        out = None
        if options.output:
            out = stack.enter_context(options.output.open("a" if options.resume else "w"))
        results = stack.enter_context(run_jobs(run, None, in_jobs(todo), jobs, in_order=False))
        for _, several in results:
            for row in several:
                rows[row.test] = row
                if out:
                    print(json.dumps(asdict(row)), file=out, flush=True)
                if row.outcome == "failed":
                    print(f"FAILED {row.test}\n{row.told}\n", flush=True)
            print(f"{len(rows)} of {len(tests)}", file=sys.stderr, flush=True)
    failed = sum(row.outcome == "failed" for row in rows.values())
    print(f"{len(rows)} tests, {failed} failed, {sum(row.seconds for row in rows.values()):.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    # A worker of a cluster finds a job by its module, and `__main__` is another one there.
    from tests.laws import main as in_its_module

    sys.exit(in_its_module())
