"""Work that may take too long or too much memory, in a process of its own that can be ended.

clingo cannot be broken off while it grounds; a process can. It may use nothing of the other rooms.
"""

from rules_asp.bounds.limits import Limits, LostWork, TooWide, limit_memory
from rules_asp.bounds.workers import (
    Cancelled,
    LimitsOrWorker,
    Worker,
    call_isolated,
    call_within,
    is_out_of_memory,
    may_spawn,
    picklable_error,
    uses_fork,
    wait_any,
)

__all__ = [
    "Cancelled",
    "Limits",
    "LimitsOrWorker",
    "LostWork",
    "TooWide",
    "Worker",
    "call_isolated",
    "call_within",
    "is_out_of_memory",
    "limit_memory",
    "may_spawn",
    "picklable_error",
    "uses_fork",
    "wait_any",
]
