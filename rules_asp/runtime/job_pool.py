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

# --- The interface of jobs: what is to be done, where, and in which order results come.


_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class JobSettings:
    """Where jobs are done: in so many processes, None for one for each core, or by a cluster.

    `cluster` is the address of a scheduler of Dask, as tcp://host:8786, whose workers have this program
    too. One process is this one, unless it is to be `isolated`, to be replaced when it has grown. `memory`
    is how many megabytes a job may take in a process here, besides what that has already; None: as many
    as there are.
    """

    processes: int | None = None
    cluster: str | None = None
    memory: int | None = None
    isolated: bool = False

    @property
    def process_count(self) -> int:
        """How many processes of this machine these are."""
        if not uses_fork():
            return 1
        return cpu_count() if self.processes is None else max(1, self.processes)


#: In this process, one job after the other.
LOCAL = JobSettings(1)


def cpu_count() -> int:
    """How many cores this process may use."""
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
    """The number and the result of `work(held, task)` for each of the tasks, each once.

    They come in the order of the tasks, or else as they are done. Only so many are begun ahead of what
    is taken that memory stays flat, however many there are. A job whose process ends is done again in
    another; JobLost after three. What a job raises is raised when it would be its turn.
    ClusterUnavailable where none answers at the address, or when it is gone. `left` tells the seconds
    that may be waited, and raises what it likes when there are none.

    Here processes are forked, so that `held` need not be pickled; tasks and results must be, and on a
    cluster `work` with `held` too, for its workers keep them. All have ended when this is left.
    """
    results: Generator[tuple[int, _Result]]
    if jobs.cluster is not None:
        # It is an extra, and takes a second to import.
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


# --- Jobs in processes of this machine.


#: So many jobs for each process are begun ahead of what was taken, while one takes long.
_AHEAD = 4
#: A process that has so many megabytes more than at first is replaced: clingo keeps all it has met.
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
    """The results of the jobs, as `doing.done` says."""
    order: JobQueue[_Task, _Result] = JobQueue(tasks, in_order, _AHEAD * processes)
    limits = Limits(None, memory)
    # The process of each is begun at its first job: few jobs need few.
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
                # They work on while what has come is looked at; else that may bear on what is next.
                begin()
            yield from order.ready_results()
    finally:
        for worker in workers:
            worker.close()


def _do(work: Callable[[Any, _Task], _Result], held: object, task: _Task) -> _Result:
    return work(held, task)
