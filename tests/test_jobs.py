"""Jobs: each result is written once, in this process, in several processes and on a cluster, also after
an interruption.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.positions.locations import locations
from rules_asp.queries.los_matrix import LosSweep
from rules_asp.runtime.job_pool import ClusterUnavailable, JobLost, JobSettings, run_jobs
from rules_asp.runtime.limits import LostWork
from rules_asp.runtime.worker import Worker, call_isolated
from tests.sampling import slow

WAYS = [JobSettings(1), JobSettings(2), JobSettings(3)]


def squared(held: int, task: int) -> tuple[int, str]:
    time.sleep(0.002 * (task % 3))
    return held + task * task, "x" * (100_000 if task % 5 == 0 else 1)


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("jobs", WAYS, ids=str)
def test_each_result_comes_once(jobs: JobSettings, in_order: bool) -> None:
    asked: list[int] = []
    tasks = (asked.append(n) or n for n in range(40))  # type: ignore[func-returns-value]
    with run_jobs(squared, 7, tasks, jobs, in_order) as results:
        found = []
        for number, (value, _) in results:
            found.append((number, value))
            # Memory stays flat: not all of them are begun when the first is taken.
            assert len(asked) <= len(found) + 4 * jobs.process_count
    assert sorted(found) == [(n, 7 + n * n) for n in range(40)]
    assert not in_order or found == sorted(found)


def once_killed(folder: Path, task: int) -> tuple[int, int]:
    """A job whose process ends in its midst the first time that it is done, if it is a fourth one."""
    mark = folder / str(task)
    if task % 4 == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return task, os.getpid()


def test_what_a_killed_process_had_is_done_by_another(tmp_path: Path) -> None:
    with run_jobs(once_killed, tmp_path, range(12), JobSettings(2)) as results:
        assert [(number, task) for number, (task, _) in results] == [(n, n) for n in range(12)]
    assert len(list(tmp_path.iterdir())) == 3


def always_killed(_: None, task: int) -> int:
    if task == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def test_a_job_that_ends_every_process_is_reported_of() -> None:
    with run_jobs(always_killed, None, range(9), JobSettings(2)) as results:
        assert [next(results)[1] for _ in range(3)] == [0, 1, 2]
        with pytest.raises(JobLost, match="job 4 was lost 3 times"):
            next(results)
    assert str(pickle.loads(pickle.dumps(JobLost(3)))) == str(JobLost(3))


@pytest.mark.parametrize("in_order", [True, False])
def test_a_job_that_no_process_can_begin_is_reported_of(
    in_order: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(*_: object) -> None:
        raise LostWork

    monkeypatch.setattr(Worker, "begin", begin)
    with (
        run_jobs(failing, None, range(2), JobSettings(2), in_order) as results,
        pytest.raises(JobLost, match="job 1 was lost 3 times"),
    ):
        next(results)


def failing(_: None, task: int) -> int:
    time.sleep(0.05 * (task == 0))
    if task == 2:
        raise api.QuestionError("two")
    return task


@pytest.mark.parametrize("jobs", WAYS, ids=str)
def test_what_a_job_raises_is_raised_when_it_is_its_turn(jobs: JobSettings) -> None:
    with run_jobs(failing, None, range(9), jobs) as results:
        assert [next(results)[1], next(results)[1]] == [0, 1]
        with pytest.raises(api.QuestionError, match="two"):
            next(results)


class Late(Exception):
    """The time is over."""


def sleeping(_: None, task: int) -> None:
    time.sleep(60)


def test_what_takes_too_long_is_ended() -> None:
    # Other tests of this process may keep workers of their own.
    others = multiprocessing.active_children()
    started = time.monotonic()

    def left() -> float:
        if time.monotonic() - started > 0.2:
            raise Late
        return 0.1

    with (
        pytest.raises(Late),
        run_jobs(sleeping, None, range(3), JobSettings(2), left=left) as results,
    ):
        next(results)
    assert [each for each in multiprocessing.active_children() if each not in others] == []


def as_long_as(_: None, task: float) -> float:
    time.sleep(task)
    return task


def test_a_started_job_that_is_no_longer_needed_is_stopped() -> None:
    done: list[float] = []
    tasks = [600.0, 0.1, 0.2, 0.3, 0.0]

    def is_unneeded(task: float) -> bool:
        return task == 600 and len(done) == 3

    with run_jobs(
        as_long_as,
        None,
        tasks,
        JobSettings(2),
        in_order=False,
        note=done.append,
        unneeded=is_unneeded,
    ) as results:
        found = [value for _, value in results]
    assert found == done
    assert sorted(done) == sorted(tasks[1:])


@pytest.mark.parametrize("jobs", WAYS, ids=str)
def test_the_next_tasks_may_depend_on_results_that_the_caller_has_not_used(
    jobs: JobSettings,
) -> None:
    noted: list[int] = []
    noted_before: list[int] = []

    def tasks() -> Iterator[int]:
        for task in range(12):
            noted_before.append(len(noted))
            yield task

    with run_jobs(
        squared, 0, tasks(), jobs, False, note=lambda result: noted.append(result[0])
    ) as results:
        for count, _ in enumerate(results, 1):
            assert len(noted) >= count
            # While the caller uses a result, all processes work.
            working = jobs.process_count if jobs.process_count > 1 else 0
            assert len(noted_before) >= min(12, count + working)
    # A process takes its next task when its last result is noted.
    assert all(n - jobs.process_count < before for n, before in enumerate(noted_before))
    assert sorted(noted) == [n * n for n in range(12)]


def within_bounds(_: None, task: int) -> int:
    return call_isolated(abs, -task)


def test_a_job_may_have_processes_of_its_own() -> None:
    with run_jobs(within_bounds, None, range(3), JobSettings(2)) as results:
        assert dict(results) == {0: 0, 1: 1, 2: 2}


# --- a cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as made:
        yield made.scheduler_address


def in_a_cluster(folder: Path, task: int) -> int:
    if task == 2:
        raise api.QuestionError("two")
    return once_killed(folder, task)[0]


@slow
def test_a_cluster_does_the_same_though_a_worker_is_killed(cluster: str, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    jobs = JobSettings(cluster=cluster)
    with run_jobs(once_killed, marks, range(8, 13), jobs) as results:
        # The second is killed on the way.
        assert [(number, task) for number, (task, _) in results] == [(n, n + 8) for n in range(5)]
    assert len(list(marks.iterdir())) == 1
    with run_jobs(in_a_cluster, marks, [3, 2], jobs) as results:
        assert next(results) == (0, 3)
        with pytest.raises(api.QuestionError, match="two"):
            next(results)
    here, there = tmp_path / "here.csv", tmp_path / "there.csv"
    for path, *options in ((here, "--jobs", "1"), (there, "--cluster", cluster)):
        command = ["matrix", "church", "--from", "C3", "-o", str(path), *options]
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
    assert here.read_bytes() == there.read_bytes()
    asked = tmp_path / "asked"
    asked.write_text("los C3/2 D2/2\nsees C3\nask height(C3) = V\nnonsense\n", "utf-8")
    told = [
        CliRunner().invoke(main, ["batch", "church", str(asked), *options])
        for options in ((), ("--cluster", cluster))
    ]
    assert [each.exit_code for each in told] == [2, 2]
    assert told[0].stdout == told[1].stdout


def test_where_there_is_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("rules_asp.runtime.job_pool._PATIENCE", 0.2)
    for address in ("tcp://127.0.0.1:9", "nonsense://x", "", "no such host"):
        with (
            pytest.raises(ClusterUnavailable, match=f"no cluster answers at {address}"),
            run_jobs(squared, 1, [1], JobSettings(cluster=address)) as results,
        ):
            next(results)


@slow
def test_a_sweep_that_was_pickled_has_the_same_parts() -> None:
    here = api.load("stairwell")
    for whence in (None, [api.end(here, "C4")], [api.end(here, "B2"), api.end(here, "D3")]):
        one = LosSweep(here, locations(here), whence, 37)
        other = pickle.loads(pickle.dumps(one))
        assert list(other.parts()) == list(one.parts())
        assert one.count == len(list(one.parts()))
        lines = [line for part in one.parts() for line in part]
        assert len(lines) == len(set(lines))
        assert sum(len(one.sights(part)) for part in one.parts()) == one.size
    assert list(other.verdicts(other.part(1))) == one.sights(one.part(1))
