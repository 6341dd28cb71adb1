"""What can go wrong with jobs that is no fault of theirs."""

from __future__ import annotations

from rules_asp.bounds import LostWork

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
