"""Jobs on a Dask cluster, done by any free worker."""

from __future__ import annotations

import hashlib
import logging
import pickle
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from rules_asp.runtime.cache import source_fingerprint
from rules_asp.runtime.job_queue import ClusterUnavailable, JobLost, JobQueue, TimeLeft
from rules_asp.runtime.worker import picklable_error

if TYPE_CHECKING:
    from distributed import Client


_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

#: Seconds to wait for a cluster.
_PATIENCE = 15
#: Number of jobs started ahead for each thread of a worker, and their minimum.
_AHEAD, _LEAST = 3, 8


def results(
    work: Callable[[Any, _Task], _Result],
    held: object,
    tasks: Iterable[_Task],
    address: str,
    in_order: bool,
    left: TimeLeft,
) -> Generator[tuple[int, _Result]]:
    """Yield the results of the jobs, as `run_jobs` does."""
    client = _client(address)
    try:
        yield from _results(client, work, held, tasks, address, in_order, left)
    finally:
        client.close()


def _results(
    client: Client,
    work: Callable[[Any, _Task], _Result],
    held: object,
    tasks: Iterable[_Task],
    address: str,
    in_order: bool,
    left: TimeLeft,
) -> Generator[tuple[int, _Result]]:
    from distributed import KilledWorker, wait

    threads = sum(client.nthreads().values())
    if not threads:
        raise ClusterUnavailable(
            f"the cluster at {address} has no workers: start one with `dask worker`"
        )
    order: JobQueue[_Task, _Result] = JobQueue(tasks, in_order, max(_LEAST, _AHEAD * threads))
    # A task, not data: if the workers that hold it end, the scheduler computes it again.
    kept = client.submit(_Kept, pickle.dumps((work, held)), program(), pure=False)
    busy: dict[Any, tuple[int, _Task]] = {}
    while True:
        while job := order.next():
            future = client.submit(_do, kept, job[1], pure=False, retries=0)
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
        what = "a cluster needs Dask"
        raise ClusterUnavailable(f'{what}: pip install "rules-asp[cluster]"') from None
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


def _do(kept: _Kept, task: object) -> tuple[bool, Any]:
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
