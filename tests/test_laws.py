"""The complete laws as jobs: each test runs once, is stored, and can be resumed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.laws import HERE, in_jobs
from tests.sampling import part, slow

GOOD = "tests/test_vocabulary.py"
#: A test that does not pass, and two that do.
ODD = """
import pytest

@pytest.mark.parametrize("number", range(3))
def test_is_not_one(number):
    assert number != 1
"""


def laws(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.laws", "--jobs", "2", *arguments]
    env = {**os.environ, "PYTEST_ADDOPTS": ""}
    return subprocess.run(command, cwd=HERE.parent, env=env, capture_output=True, text=True)


def test_each_test_is_of_one_job() -> None:
    tests = [f"a.py::one[{n}]" for n in range(20)] + ["a.py::two", "b.py::one"]
    jobs = list(in_jobs(tests))
    assert [test for job in jobs for test in job] == tests
    assert all(len({test.partition("[")[0] for test in job}) == 1 for job in jobs)
    assert len(jobs[0]) < 20


@slow
def test_what_failed_is_reported_and_run_again(tmp_path: Path) -> None:
    odd, kept = tmp_path / "test_odd.py", tmp_path / "laws.jsonl"
    odd.write_text(ODD)
    first = laws(str(odd), GOOD, "-o", str(kept))
    assert first.returncode == 1, first.stderr
    assert "test_is_not_one[1]" in first.stdout
    rows = [json.loads(line) for line in kept.read_text().splitlines()]
    assert len({row["test"] for row in rows}) == len(rows)
    assert [row["outcome"] for row in rows].count("failed") == 1
    # Broken off in the middle of a line.
    kept.write_text(kept.read_text()[:-9])
    odd.write_text(ODD.replace("!= 1", "!= 7"))
    again = laws(str(odd), GOOD, "-o", str(kept), "--resume")
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith(f"{len(rows)} tests, 0 failed")


@slow
def test_a_cluster_runs_them_too(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    kept = tmp_path / "laws.jsonl"
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as made:
        result = laws(GOOD, "-o", str(kept), "--cluster", made.scheduler_address)
    assert result.returncode == 0, result.stderr
    outcomes = [json.loads(line)["outcome"] for line in kept.read_text().splitlines()]
    assert outcomes
    assert {*outcomes} == {"passed"}
    assert result.stdout.startswith(f"{len(outcomes)} tests, 0 failed")


@pytest.mark.parametrize(
    "wrong", part(["tests/test_no_such.py", "tests/test_laws.py::test_none"], 1)
)
def test_tests_that_are_not_there_are_reported(wrong: str) -> None:
    result = laws(wrong)
    assert result.returncode != 0
    assert wrong.partition("::")[0] in result.stderr
