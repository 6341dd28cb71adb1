"""The order of jobs and results; lost jobs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from rules_asp.runtime.limits import LostWork

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


_Task = TypeVar("_Task")
_Result = TypeVar("_Result")
#: Remaining seconds, None without limit; may raise if there are none.
TimeLeft = Callable[[], float | None]


class JobQueue(Generic[_Task, _Result]):
    """The jobs that wait, and the results that wait for their turn.

    At most `ahead` jobs are started whose results have not been returned.
    """

    def __init__(self, tasks: Iterable[_Task], in_order: bool, ahead: int) -> None:
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

    def failed(self, number: int, error: Exception) -> None:
        """Store the exception of a job."""
        self._failed[number] = error

    def job_done(self, number: int, result: _Result) -> None:
        """Store the result of a job."""
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
