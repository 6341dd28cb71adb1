"""Limits on time, memory and input size; the exceptions for exceeding them.

Each limit is far above normal use. Input within all limits is read in seconds and some hundred
megabytes. RULES_ASP_SIZES sets other limits, for this process and its children:
`RULES_ASP_SIZES="board=50000000 question=20000"`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import NamedTuple

from rules_asp import RulesAspError

# --- Limits on time and memory of a call, and the message when one is reached.


try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

_MEGABYTE = 1 << 20


class TooWide(RulesAspError):
    """A call was stopped at a limit: its name, and the limit."""

    def __init__(self, what: str, limit: str, narrower: str = "") -> None:
        hint = f"; {narrower}" if narrower else ""
        super().__init__(f"{what} was stopped after {limit}{hint}")
        self.what, self.limit, self.narrower = what, limit, narrower

    def __reduce__(self) -> tuple[object, ...]:
        return TooWide, (self.what, self.limit, self.narrower)


class LostWork(RulesAspError):
    """The process of a call ended by itself before the call was done."""


@dataclass(frozen=True)
class Limits:
    """Limits of a call in seconds and megabytes; None: no limit.

    `memory` is the amount in addition to the size of the process when the call begins. ValueError
    for an invalid limit.
    """

    seconds: float | None = 60.0
    memory: int | None = 2048

    def __post_init__(self) -> None:
        for value, what in ((self.seconds, "seconds"), (self.memory, "megabytes")):
            if value is not None and not (isfinite(value) and value > 0):
                raise ValueError(f"a limit must be a number of {what} above 0, not {value}")

    @staticmethod
    def parse(seconds: str | None = None, memory: str | None = None) -> Limits:
        """Parse limits; without a text, use RULES_ASP_TIME and RULES_ASP_MEMORY, or else the
        defaults.

        A text is a number, or `off` for none. ValueError for another text.
        """
        usual = Limits()
        megabytes = _parse_limit(memory, "RULES_ASP_MEMORY", usual.memory)
        return Limits(
            _parse_limit(seconds, "RULES_ASP_TIME", usual.seconds),
            None if megabytes is None else max(1, int(megabytes)),
        )


def _parse_limit(text: str | None, name: str, usual: float | None) -> float | None:
    told = os.environ.get(name, "") if text is None else text
    if not told and text is None:
        return usual
    if told == "off":
        return None
    try:
        return Limits(float(told)).seconds
    except ValueError:
        where = name if text is None else "a limit"
        raise ValueError(f"{where} must be a number above 0 or `off`, not {told!r}") from None


def limit_memory(megabytes: int | None) -> None:
    """Limit the memory of this process to this many more megabytes; None: no limit."""
    if resource is None or sys.platform == "darwin":
        return  # macOS accepts the limit and does not enforce it
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = hard
        if megabytes is not None:
            pages = int(Path("/proc/self/statm").read_bytes().split()[0])
            most = pages * os.sysconf("SC_PAGE_SIZE") + megabytes * _MEGABYTE
            if hard != resource.RLIM_INFINITY:
                most = min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def memory_mb(process: int) -> int | None:
    """Return the current memory of a process in megabytes; None if unknown."""
    try:
        # Bytes: the first use of an encoding is an import, and another thread may just have forked.
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // _MEGABYTE
    except (OSError, ValueError, IndexError):
        return None


# --- Limits on the size of input: the list of limits, and the messages.


#: The environment variable for other limits.
VARIABLE = "RULES_ASP_SIZES"


class Size(NamedTuple):
    """A limit: the maximum, and the counted thing."""

    limit: int
    thing: str


SIZES: Mapping[str, Size] = {
    "board": Size(8_000_000, "bytes in a board's file, or on standard input"),
    "boards": Size(40_000_000, "bytes in all files that a board is made of"),
    "uses": Size(8, "boards that use each other in a chain"),
    "open": Size(6, "things that a board leaves open"),
    "question": Size(8_000, "characters in a question, action, roll or claim"),
    "literals": Size(100, "literals in a question"),
    "nested": Size(32, "nested terms in an argument"),
    "rules": Size(1_000_000, "bytes in a folder of rules"),
    "rule-files": Size(200, "files in a folder of rules"),
    "rule": Size(2_000, "characters in a rule"),
    "brackets": Size(30, "nested brackets in a rule"),
    "notes": Size(20_000_000, "bytes in a folder of notes"),
    "note-files": Size(500, "files in a folder of notes"),
    "note": Size(4_000, "printed characters of a note"),
    "config": Size(100_000, "bytes in the config file"),
    "archive": Size(256 << 20, "bytes in an archive"),
    "archive-entries": Size(10_000, "entries in an archive"),
    "los-data-packed": Size(16 << 20, "bytes in the compressed LOSData"),
    "los-data": Size(64 << 20, "bytes in the uncompressed LOSData"),
    "metadata": Size(1 << 20, "bytes of BoardMetadata.xml"),
    "save": Size(64 << 20, "bytes of commands in a saved game"),
    "save-packed": Size(130 << 20, "bytes in the compressed commands of a saved game"),
    "save-text": Size(2_000_000, "characters in a Save Text"),
    "pieces": Size(20_000, "pieces in a saved game"),
    "piece": Size(200_000, "characters in a piece of a saved game"),
    "traits": Size(200, "traits in a piece of a saved game"),
    "commands": Size(1_000_000, "commands in a saved game"),
    "nested-commands": Size(50, "nested commands in a saved game"),
    "map-boards": Size(60, "boards in a saved game"),
    "edges": Size(800_000, "pixel edges around the depictions of an imported board"),
    "cutting": Size(120, "seconds for cutting the depictions of one kind along hexes"),
    "matrix": Size(1 << 30, "bytes in a matrix that is resumed"),
    "kept": Size(1 << 29, "bytes in an uncompressed file of the cache"),
}


def size_limit(name: str) -> int:
    """Return the limit of this name; RulesAspError for an invalid environment variable."""
    return _set(os.environ.get(VARIABLE, "")).get(name, SIZES[name].limit)


def too_large_message(name: str) -> str:
    """Return the message for input above a limit:

    `more than 8,000 characters in a question; RULES_ASP_SIZES=...`.
    """
    return f"more than {size_limit(name):,} {SIZES[name].thing}; {VARIABLE}={name}=NUMBER sets another limit"


def deadline_check(name: str) -> Callable[[], None]:
    """Return a function to call repeatedly, which raises RulesAspError after a time limit."""
    end = time.monotonic() + size_limit(name)

    def look() -> None:
        if time.monotonic() > end:
            raise RulesAspError(too_large_message(name))

    return look


class OutOfTime(Exception):
    """The time for a search is over."""


@dataclass(frozen=True)
class Deadline:
    """A deadline; None: no limit."""

    seconds: float | None = None
    started: float = field(default_factory=time.monotonic)

    def rest(self) -> float | None:
        """Return the remaining seconds, zero or less after the deadline."""
        return None if self.seconds is None else self.seconds + self.started - time.monotonic()

    def left(self) -> float | None:
        """Return the remaining seconds; OutOfTime if there are none."""
        rest = self.rest()
        if rest is not None and rest <= 0:
            raise OutOfTime
        return rest

    @property
    def over(self) -> bool:
        """Test whether the deadline has passed."""
        rest = self.rest()
        return rest is not None and rest <= 0

    def part(self, share: float) -> Deadline:
        """Return a deadline with a share of the remaining time."""
        rest = self.rest()
        return Deadline(None if rest is None else max(0.0, rest) * share)

    def within(self, seconds: float) -> Deadline:
        """Return a deadline after `seconds`, but no later than this deadline."""
        rest = self.rest()
        return Deadline(seconds if rest is None else min(seconds, max(0.0, rest)))

    def __getstate__(self) -> dict[str, float | None]:
        """Pickle the remaining time, since clocks of machines differ."""
        return {"seconds": None if self.seconds is None else max(1e-3, self.left() or 0)}

    def __setstate__(self, state: dict[str, float | None]) -> None:
        vars(self).update(state, started=time.monotonic())


@lru_cache(maxsize=1)
def _set(said: str) -> Mapping[str, int]:
    found = {}
    for each in said.replace(",", " ").split():
        name, _, number = each.partition("=")
        if name not in SIZES or not (number.isascii() and number.isdigit() and len(number) < 19):
            raise RulesAspError(
                f"{VARIABLE} must be NAME=NUMBER, such as board=50000000, not {each!r}; "
                f"the names are {', '.join(SIZES)}"
            )
        found[name] = int(number)
    return found
