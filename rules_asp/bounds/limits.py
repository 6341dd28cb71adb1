"""How long a piece of work may take and how much memory, and what is said when that is not enough."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from rules_asp import RulesAspError

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_MEGABYTE = 1 << 20


class TooWide(RulesAspError):
    """A piece of work was ended at a limit: what it was, and the limit."""

    def __init__(self, what: str, limit: str, narrower: str = "") -> None:
        hint = f"; {narrower}" if narrower else ""
        super().__init__(f"{what} was ended after {limit}{hint}")
        self.what, self.limit, self.narrower = what, limit, narrower

    def __reduce__(self) -> tuple[object, ...]:
        return TooWide, (self.what, self.limit, self.narrower)


class LostWork(RulesAspError):
    """The process that did a piece of work has ended of itself, before it was done."""


@dataclass(frozen=True)
class Limits:
    """Seconds and megabytes that one piece of work may take; None: as much as there is.

    `memory` is what its process takes besides what it has at first. ValueError for what is no limit.
    """

    seconds: float | None = 60.0
    memory: int | None = 2048

    def __post_init__(self) -> None:
        for value, what in ((self.seconds, "seconds"), (self.memory, "megabytes")):
            if value is not None and not (isfinite(value) and value > 0):
                raise ValueError(f"a limit is a number of {what} above 0, and not {value}")

    @staticmethod
    def said(seconds: str | None = None, memory: str | None = None) -> Limits:
        """The limits that these texts name; without them RULES_ASP_TIME and RULES_ASP_MEMORY, else the
        usual.

        A text is a number, or `off` for none. ValueError where it is neither.
        """
        usual = Limits()
        megabytes = _said(memory, "RULES_ASP_MEMORY", usual.memory)
        return Limits(
            _said(seconds, "RULES_ASP_TIME", usual.seconds),
            None if megabytes is None else max(1, int(megabytes)),
        )


def _said(text: str | None, name: str, usual: float | None) -> float | None:
    told = os.environ.get(name, "") if text is None else text
    if not told and text is None:
        return usual
    if told == "off":
        return None
    try:
        return Limits(float(told)).seconds
    except ValueError:
        where = f"{name} is" if text is None else "a limit is"
        raise ValueError(f"{where} a number above 0, or off, and not {told!r}") from None


def limit_memory(megabytes: int | None) -> None:
    """Let this process have no more memory than so much besides what it has already; None: no bound."""
    if resource is None or sys.platform == "darwin":
        return  # macOS knows the limit and does not hold it
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = hard
        if megabytes is not None:
            pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
            most = pages * os.sysconf("SC_PAGE_SIZE") + megabytes * _MEGABYTE
            if hard != resource.RLIM_INFINITY:
                most = min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def memory_mb(process: int) -> int | None:
    """The memory that a process has now; None where that cannot be known."""
    try:
        with open(f"/proc/{process}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // _MEGABYTE
    except (OSError, ValueError, IndexError):
        return None
