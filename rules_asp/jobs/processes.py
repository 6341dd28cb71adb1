"""Jobs in processes of this machine."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from rules_asp.bounds import Limits, LostWork, Worker, wait_any
from rules_asp.jobs.order import JobQueue, TimeLeft

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

#: So many jobs for each process are begun ahead of what was taken, while one takes long.
_AHEAD = 4
#: A process that has so many megabytes more than at first is replaced: clingo keeps all it has met.
_GROWN = 300


def results(
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
