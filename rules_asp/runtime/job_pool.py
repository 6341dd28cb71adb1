"""Jobs on local processes or a Dask cluster: the interface, the order of results, lost jobs."""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rules_asp.runtime.cache import source_fingerprint
from rules_asp.runtime.limits import Limits, LostWork
from rules_asp.runtime.worker import Worker, picklable_error, uses_fork, wait_any

if TYPE_CHECKING:
    from distributed import Client

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

# --- Errors of jobs that they do not cause themselves.


#: Number of attempts before a lost job is reported, since it may be what ends its processes.
MAX_ATTEMPTS = 3


class JobLost(LostWork):
    """The processes of a job have ended repeatedly before it was done."""

    def __init__(self, number: int) -> None:
        super().__init__(f"job {number + 1} was lost {MAX_ATTEMPTS} times: its process has ended")
        self.number = number

    def __reduce__(self) -> tuple[object, ...]:
        return JobLost, (self.number,)


class ClusterUnavailable(LostWork):
    """There is no cluster, it has stopped, or it has another program."""


# --- The next job to start, and the next result to return.


#: Remaining seconds, None without limit; may raise if there are none.
TimeLeft = Callable[[], float | None]


class JobQueue(Generic[_Task, _Result]):
    """The jobs that wait, and the results that wait for their turn.

    At most `ahead` jobs are started whose results have not been returned.
    """

    def __init__(
        self,
        tasks: Iterable[_Task],
        in_order: bool,
        ahead: int,
        note: Callable[[_Result], None],
    ) -> None:
        self._note = note
        self._tasks = enumerate(tasks)
        self._again: deque[tuple[int, _Task]] = deque()
        self._lost: dict[int, int] = {}
        self._in_order = in_order
        self._ahead = ahead
        self._came: dict[int, _Result] = {}
        self._failed: dict[int, Exception] = {}
        self._begun = self._given = 0

    def next(self) -> tuple[int, _Task] | None:
        """Return the next job to start with its number; None if there is none at present."""
        if self._again:
            return self._again.popleft()
        if self._begun - self._given >= self._ahead:
            return None
        for number, task in self._tasks:
            self._begun += 1
            return number, task
        return None

    def lost(self, number: int, task: _Task) -> None:
        """Repeat a job whose process has ended, unless it was the last attempt."""
        self._lost[number] = self._lost.get(number, 0) + 1
        if self._lost[number] < MAX_ATTEMPTS:
            self._again.append((number, task))
        else:
            self.failed(number, JobLost(number))

    def dropped(self) -> None:
        """Count a job that was stopped as done, without a result."""
        self._given += 1

    def failed(self, number: int, error: Exception) -> None:
        """Store the exception of a job."""
        self._failed[number] = error

    def job_done(self, number: int, result: _Result) -> None:
        """Note and store the result of a job."""
        self._note(result)
        self._came[number] = result

    def ready_results(self) -> Iterator[tuple[int, _Result]]:
        """Yield the results whose turn it is; raise the exception of a failed job at its turn."""
        while self._came or self._failed:
            number = self._given
            if not self._in_order:
                number = next(iter(self._came or self._failed))
            if number in self._failed:
                raise self._failed[number]
            if number not in self._came:
                return
            result = self._came.pop(number)
            self._given += 1
            yield number, result


# --- The interface of jobs: the tasks, where they run, and the order of results.


@dataclass(frozen=True)
class JobSettings:
    """Where jobs run: in this number of processes (None: one for each core), or on a cluster.

    `cluster` is the address of a Dask scheduler, such as tcp://host:8786, whose workers also have
    this program. A single process is this one, unless `isolated`, so that it can be replaced when
    it has grown. `memory` is the number of megabytes that a job may use in a local process, in
    addition to its size when a job begins; None: no limit.
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
    note: Callable[[_Result], None] = lambda _: None,
    unneeded: Callable[[_Task], bool] = lambda _: False,
) -> Iterator[Iterator[tuple[int, _Result]]]:
    """Yield the number and the result of `work(held, task)` for each task, each once.

    They come in the order of the tasks, or else in the order of completion. The number of jobs
    started ahead is limited, so memory stays constant. A job whose process ends is repeated in
    another one; JobLost after three attempts. An exception of a job is raised in place of its
    result. ClusterUnavailable if no cluster answers at the address, or if it stops. `left` returns
    the remaining seconds, and may raise if there are none. `note` takes each result at once, before
    further jobs start and before the result is yielded: the next tasks may depend on it. `unneeded`
    tests after each result whether a task need not be done any more: without order, local processes
    stop it, and it has no result.

    Local processes are forked, so `held` need not be pickled. Tasks and results are pickled, and on
    a cluster also `work` and `held`, which its workers keep. All processes have ended when the
    iterator is closed.
    """
    results: Generator[tuple[int, _Result]]
    if jobs.cluster is not None:
        results = cluster_results(work, held, tasks, jobs.cluster, in_order, left, note)
    elif jobs.process_count == 1 and not (jobs.isolated and uses_fork()):
        results = _one_by_one(work, held, tasks, left, note)
    else:
        results = process_results(
            work, held, tasks, jobs.process_count, jobs.memory, in_order, left, note, unneeded
        )
    with closing(results):
        yield results


def _one_by_one(
    work: Callable[[Any, _Task], _Result],
    held: object,
    tasks: Iterable[_Task],
    left: TimeLeft,
    note: Callable[[_Result], None],
) -> Generator[tuple[int, _Result]]:
    for number, task in enumerate(tasks):
        left()
        result = work(held, task)
        note(result)
        yield number, result


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
    note: Callable[[_Result], None],
    unneeded: Callable[[_Task], bool],
) -> Generator[tuple[int, _Result]]:
    """Yield the results of the jobs, as `run_jobs` does."""
    order: JobQueue[_Task, _Result] = JobQueue(tasks, in_order, _AHEAD * processes, note)
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
                # A job can be lost before it has begun.
                yield from order.ready_results()
                return
            for worker in wait_any(busy, left):
                number, task = busy.pop(worker)
                idle.append(worker)
                try:
                    result = worker.end()
                except Exception as error:
                    if isinstance(error, LostWork) and worker.process is None:
                        order.lost(number, task)
                    else:
                        order.failed(number, error)
                else:
                    order.job_done(number, result)
            stopped = [each for each, job in busy.items() if not in_order and unneeded(job[1])]
            for worker in stopped:
                del busy[worker]
                worker.close()
                idle.append(worker)
                order.dropped()
            # Processes go on while the caller uses the results.
            begin()
            yield from order.ready_results()
    finally:
        for worker in workers:
            worker.close()


def _do(work: Callable[[Any, _Task], _Result], held: object, task: _Task) -> _Result:
    return work(held, task)


#: Seconds to wait for a cluster.
_PATIENCE = 15
#: Number of jobs started ahead for each thread of a worker, and their minimum.
_AHEAD_ON_CLUSTER, _LEAST = 3, 8


def cluster_results(
    work: Callable[[Any, _Task], _Result],
    held: object,
    tasks: Iterable[_Task],
    address: str,
    in_order: bool,
    left: TimeLeft,
    note: Callable[[_Result], None],
) -> Generator[tuple[int, _Result]]:
    """Yield the results of the jobs, as `run_jobs` does."""
    with closing(_client(address)) as client:
        from distributed import KilledWorker, wait

        threads = sum(client.nthreads().values())
        if not threads:
            raise ClusterUnavailable(
                f"the cluster at {address} has no workers: start one with `dask worker`"
            )
        order: JobQueue[_Task, _Result] = JobQueue(
            tasks, in_order, max(_LEAST, _AHEAD_ON_CLUSTER * threads), note
        )
        # A task, not data: if the workers that hold it end, the scheduler computes it again.
        kept = client.submit(_Kept, pickle.dumps((work, held)), program(), pure=False)
        busy: dict[Any, tuple[int, _Task]] = {}
        while True:
            while job := order.next():
                future = client.submit(_do_on_cluster, kept, job[1], pure=False, retries=0)
                busy[future] = job
            if not busy:
                return
            try:
                with client.as_current():
                    found = wait(list(busy), timeout=left(), return_when="FIRST_COMPLETED").done
            except TimeoutError:
                continue  # `left` handles this
            except CancelledError:
                raise ClusterUnavailable(
                    f"the connection to the cluster at {address} was lost"
                ) from None
            for future in found:
                number, _ = busy.pop(future)
                try:
                    right, result = future.result()
                except KilledWorker:
                    # Dask itself has already retried it.
                    order.failed(number, JobLost(number))
                except (CancelledError, OSError):
                    raise ClusterUnavailable(
                        f"the connection to the cluster at {address} was lost"
                    ) from None
                else:
                    if right:
                        order.job_done(number, result)
                    else:
                        order.failed(number, result)
                future.release()
            yield from order.ready_results()


def _client(address: str) -> Client:
    """Connect to the cluster at an address; ClusterUnavailable if there is none."""
    try:
        from distributed import Client
    except ImportError:
        what = "Dask is not installed"
        raise ClusterUnavailable(f'{what}: run pip install "rules-asp[cluster]"') from None
    # Raised exceptions report what happens to a connection.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        what = f"no cluster answers at {address}"
        raise ClusterUnavailable(
            f"{what}: write the address as tcp://host:8786 ({error})"
        ) from None


@cache
def program() -> str:
    """Return a fingerprint of this program; a cluster's workers must have the same."""
    digest = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    packages = (
        "boards",
        "cases",
        "cli",
        "explain",
        "game",
        "geometry",
        "knowledge",
        "lab",
        "output",
    )
    more = ("parser", "positions", "queries", "runtime", "vasl", "whatif")
    for each in source_fingerprint(*packages, *more):
        digest.update(each)
    return digest.hexdigest()[:16]


class _Kept:
    """The pickled values of all jobs in a run; a worker reads them once."""

    def __init__(self, data: bytes, of: str) -> None:
        self.data, self.of = data, of
        self.name = hashlib.sha256(data).hexdigest()


#: The values this process has read last, by name, with a lock for one job at a time.
_READ: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {}
_ALONE = threading.Lock()


def _do_on_cluster(kept: _Kept, task: object) -> tuple[bool, Any]:
    """Run a job on a worker; return success, and its result or exception."""
    try:
        if kept.of != program():
            raise ClusterUnavailable(
                "the cluster has another version of rules-asp or Python: install the same versions there"
            )
        with _ALONE:
            if kept.name not in _READ:
                _READ.clear()
                _READ[kept.name] = pickle.loads(kept.data)
            work, held = _READ[kept.name]
            return True, work(held, task)
    except Exception as error:
        return False, picklable_error(error)
