"""Processes that share the work of a search, each task sent off only when a process is free for it."""

from __future__ import annotations

import multiprocessing
import multiprocessing.pool
import queue
import signal
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from rules_asp.bounds import TooWide, capped, is_memory
from rules_asp.knowledge.running import EngineError
from rules_asp.lab.runs import Clock, OutOfTime, Spot

#: A piece of work, where it is done, and what it is told besides.
Task = tuple[Callable[..., Any], Spot, tuple[object, ...]]
#: Seconds that a process may take longer than there are: it ends by itself, but not while it grounds.
_GRACE = 3.0


class Pool:
    """So many processes with a state of their own; with one job all is done here."""

    def __init__(self, jobs: int, state: Any, memory: int | None) -> None:
        self._jobs, self._state, self._memory = jobs, state, memory
        self._pool: multiprocessing.pool.Pool | None = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()

    def each(self, tasks: Iterator[Task], clock: Clock) -> Iterator[Any]:
        """The results as they come. A task is taken only when a process is free.

        OutOfTime when the time is over and no process has come to an end.
        """
        if self._jobs < 2:
            for work, spot, given in tasks:
                clock.left()
                yield _done(self._state, self._memory, work, spot, given)
            return
        if self._pool is None:
            methods = multiprocessing.get_all_start_methods()
            context = multiprocessing.get_context("fork" if "fork" in methods else None)
            self._pool = context.Pool(self._jobs, _start, (self._state, self._memory))
        results: queue.SimpleQueue[Any] = queue.SimpleQueue()
        waiting = 0
        late = False
        while True:
            while not late and waiting < self._jobs:
                try:
                    clock.left()
                    task = next(tasks)
                except StopIteration:
                    break
                except OutOfTime:
                    late = True
                    break
                self._pool.apply_async(
                    _work, (task,), callback=results.put, error_callback=results.put
                )
                waiting += 1
            if not waiting:
                if late:
                    raise OutOfTime
                return
            result = _next(results, clock)
            waiting -= 1
            if isinstance(result, BaseException):
                raise result
            yield result


def _next(results: queue.SimpleQueue[Any], clock: Clock) -> Any:
    """The next result; OutOfTime when it comes too late."""
    try:
        left = clock.left()
    except OutOfTime:
        left = 0.0
    try:
        return results.get(timeout=None if left is None else left + _GRACE)
    except queue.Empty:
        raise OutOfTime from None


_STATE: list[tuple[Any, int | None]] = []


def _start(state: Any, memory: int | None) -> None:
    # Ctrl-C is for the first process, which then ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    capped(memory)
    _STATE[:] = [(state, memory)]


def _work(task: Task) -> Any:
    (state, memory), (work, spot, given) = _STATE[0], task
    return _done(state, memory, work, spot, given)


def _done(
    state: Any, memory: int | None, work: Callable[..., Any], spot: Spot, given: tuple[object, ...]
) -> Any:
    try:
        return work(state, spot, *given)
    except (MemoryError, RuntimeError, EngineError) as error:
        if not is_memory(error):
            raise
        what = f"the search of {spot}"
        raise TooWide(what, f"{memory} MB", "a smaller --grid asks less") from None
