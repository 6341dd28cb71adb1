"""Which job starts next, which result is handed out next; lost jobs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from rules_asp.runtime.limits import LostWork

# --- What can go wrong with jobs that is no fault of theirs.


#: So many processes may end with one job; then it is told of, since it may be what ends them.
MAX_ATTEMPTS = 3


class JobLost(LostWork):
    """A job whose processes have ended again and again before it was done."""

    def __init__(self, number: int) -> None:
        super().__init__(f"job {number + 1} was lost {MAX_ATTEMPTS} times: its process has ended")
        self.number = number

    def __reduce__(self) -> tuple[object, ...]:
        return JobLost, (self.number,)


class ClusterUnavailable(LostWork):
    """There is no cluster, no more, or one of another program."""


# --- Which job is begun next, and which result is given out next.


_Task = TypeVar("_Task")
_Result = TypeVar("_Result")
#: Seconds that are left, None for as many as it takes; it raises what it likes when there are none.
TimeLeft = Callable[[], float | None]


class JobQueue(Generic[_Task, _Result]):
    """The jobs that wait, and the results that wait for their turn.

    No more than `ahead` jobs are begun whose results were not given out.
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
        """A job to begin, by its number; None: none now."""
        if self._again:
            return self._again.popleft()
        if self._begun - self._given >= self._ahead:
            return None
        for number, task in self._tasks:
            self._begun += 1
            return number, task
        return None

    def lost(self, number: int, task: _Task) -> None:
        """The process of a job has ended: it is begun again, unless that was once too often."""
        self._lost[number] = self._lost.get(number, 0) + 1
        if self._lost[number] < MAX_ATTEMPTS:
            self._again.append((number, task))
        else:
            self.failed(number, JobLost(number))

    def failed(self, number: int, error: Exception) -> None:
        """A job has raised this."""
        self._failed[number] = error

    def job_done(self, number: int, result: _Result) -> None:
        """A job is done."""
        self._came[number] = result

    def ready_results(self) -> Iterator[tuple[int, _Result]]:
        """The results whose turn it is; what a job has raised is raised when it is its turn."""
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
