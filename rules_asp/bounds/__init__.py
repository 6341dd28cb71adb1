"""Work that may take too long or too much memory, in a process of its own that can be ended.

clingo cannot be broken off while it grounds; a process can. It may use nothing of the other rooms.
"""

from rules_asp.bounds.limits import Limits, LostWork, TooWide, capped
from rules_asp.bounds.workers import (
    Bounds,
    Cancelled,
    Worker,
    awaited,
    bounded,
    forks,
    is_memory,
    may_start,
    sendable,
    within,
)

__all__ = [
    "Bounds",
    "Cancelled",
    "Limits",
    "LostWork",
    "TooWide",
    "Worker",
    "awaited",
    "bounded",
    "capped",
    "forks",
    "is_memory",
    "may_start",
    "sendable",
    "within",
]
