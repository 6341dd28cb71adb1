"""Jobs on local processes: the interface and its usual implementation."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from rules_asp.runtime.job_queue import JobQueue, TimeLeft
from rules_asp.runtime.limits import Limits, LostWork
from rules_asp.runtime.worker import Worker, uses_fork, wait_any

# --- The interface of jobs: the tasks, where they run, and the order of results.


_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class JobSettings:
    """Where jobs run: in this number of processes (None: one for each core), or on a cluster.

    `cluster` is the address of a Dask scheduler, such as tcp://host:8786, whose workers also have
    this program. A single process is this one, unless `isolated`, so that it can be replaced when
    it has grown. `memory` is the number of megabytes that a job may use in a local process, in
    addition to its initial size; None: no limit.
    """

    processes: int | None = None
    cluster: str | None = None
    memory: int | None = None
    isolated: bool = False

    @property
    def process_count(self) -> int:
        """The number of processes on this machine."""
        if not uses_fork():
            return 1
        return cpu_count() if self.processes is None else max(1, self.processes)


#: Jobs in this process, one after the other.
LOCAL = JobSettings(1)


def cpu_count() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def run_jobs(
    work: Callable[[Any, _Task], _Result],
    held: object,
    tasks: Iterable[_Task],
    jobs: JobSettings = LOCAL,
    in_order: bool = True,
    left: TimeLeft = lambda: None,
) -> Iterator[Iterator[tuple[int, _Result]]]:
    """Yield the number and the result of `work(held, task)` for each task, each once.

    They come in the order of the tasks, or else in the order of completion. The number of jobs
    started ahead is limited, so memory stays constant. A job whose process ends is repeated in
    another one; JobLost after three attempts. An exception of a job is raised in place of its
    result. ClusterUnavailable if no cluster answers at the address, or if it stops. `left` returns
    the remaining seconds, and may raise if there are none.

    Local processes are forked, so `held` need not be pickled. Tasks and results are pickled, and on
    a cluster also `work` and `held`, which its workers keep. All processes have ended when the
    iterator is closed.
    """
    results: Generator[tuple[int, _Result]]
    if jobs.cluster is not None:
        # It is an extra, and its import takes a second.
        from rules_asp.runtime import dask_jobs

        results = dask_jobs.results(work, held, tasks, jobs.cluster, in_order, left)
    elif jobs.process_count == 1 and not (jobs.isolated and uses_fork()):
        results = _one_by_one(work, held, tasks, left)
    else:
        results = process_results(
            work, held, tasks, jobs.process_count, jobs.memory, in_order, left
        )
    with closing(results):
        yield results


def _one_by_one(
    work: Callable[[Any, _Task], _Result], held: object, tasks: Iterable[_Task], left: TimeLeft
) -> Generator[tuple[int, _Result]]:
    for number, task in enumerate(tasks):
        left()
        yield number, work(held, task)


# --- Jobs in local processes.


#: Number of jobs started ahead for each process during a long job.
_AHEAD = 4
#: A process that has grown by this many megabytes is replaced: clingo keeps all symbols.
_GROWN = 300


def process_results(
    work: Callable[[Any, _Task], _Result],
    held: object,
    tasks: Iterable[_Task],
    processes: int,
    memory: int | None,
    in_order: bool,
    left: TimeLeft,
) -> Generator[tuple[int, _Result]]:
    """Yield the results of the jobs, as `run_jobs` does."""
    order: JobQueue[_Task, _Result] = JobQueue(tasks, in_order, _AHEAD * processes)
    limits = Limits(None, memory)
    # A process starts with its first job, so few jobs need few processes.
    workers = [
        Worker(work, held, limits=limits, grown=None, grown_by=_GROWN, parent=True)
        for _ in range(processes)
    ]
    idle = list(workers)
    busy: dict[Worker, tuple[int, _Task]] = {}

    def begin() -> None:
        while idle and (job := order.next()):
            worker = idle.pop()
            try:
                worker.begin(_do, job[1])
            except LostWork:
                idle.append(worker)
                order.lost(*job)
            else:
                busy[worker] = job

    try:
        while True:
            begin()
            if not busy:
                return
            for worker in wait_any(busy, left):
                number, task = busy.pop(worker)
                idle.append(worker)
                try:
                    order.job_done(number, worker.end())
                except Exception as error:
                    if isinstance(error, LostWork) and worker.process is None:
                        order.lost(number, task)
                    else:
                        order.failed(number, error)
            if in_order:
                # Start further jobs before the result is used, unless the result may affect the
                # next task.
                begin()
            yield from order.ready_results()
    finally:
        for worker in workers:
            worker.close()


def _do(work: Callable[[Any, _Task], _Result], held: object, task: _Task) -> _Result:
    return work(held, task)
