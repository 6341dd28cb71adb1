"""The jobs of a search: each is begun only when a process is free for it, and only while there is time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rules_asp.bounds import TooWide, is_out_of_memory
from rules_asp.jobs import JobSettings, run_jobs
from rules_asp.knowledge.running import EngineError
from rules_asp.lab.boards.spots import SearchSite
from rules_asp.lab.searching.runs import OutOfTime, SearchClock

#: A piece of work, where it is done, and what it is told besides.
Task = tuple[Callable[..., Any], SearchSite, tuple[object, ...]]
#: Seconds that a process may take longer than there are: it ends by itself, but not while it grounds.
GRACE = 2.0


def run_until(
    jobs: JobSettings, state: object, tasks: Iterator[Task], clock: SearchClock
) -> Iterator[Any]:
    """The results as they come, of work on a state. A task is taken only when a process is free.

    OutOfTime when the time is over and no process has come to an end.
    """
    late = False
    # Where the time is bounded one process is not this one either, so that it can be ended.
    jobs = replace(jobs, isolated=clock.seconds is not None)

    def taken() -> Iterator[Task]:
        nonlocal late
        while True:
            try:
                clock.left()
                task = next(tasks)
            except StopIteration:
                return
            except OutOfTime:
                late = True
                return
            yield task

    def left() -> float | None:
        if clock.seconds is None:
            return None
        rest = clock.seconds + GRACE - (time.monotonic() - clock.started)
        if rest <= 0:
            raise OutOfTime
        return rest

    with run_jobs(_work, (state, jobs.memory), taken(), jobs, in_order=False, left=left) as results:
        for _, result in results:
            yield result
    if late:
        raise OutOfTime


def _work(held: tuple[object, int | None], task: Task) -> Any:
    (state, memory), (work, spot, given) = held, task
    try:
        return work(state, spot, *given)
    except (MemoryError, RuntimeError, EngineError) as error:
        if not is_out_of_memory(error):
            raise
        what = f"the search of {spot}"
        raise TooWide(what, f"{memory} MB", "a smaller --grid asks less") from None
