"""How large may be what comes from others: the one list of it, and what is told where something is larger.

Each limit is far above what anyone plays with, and low enough that what keeps to all of them is read in
seconds and some hundred megabytes. RULES_ASP_SIZES sets others, for this process and those that it starts:
`RULES_ASP_SIZES="board=50000000 question=20000"`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from rules_asp import RulesAspError

#: Sets other limits than the usual.
VARIABLE = "RULES_ASP_SIZES"


class Size(NamedTuple):
    """A limit: the most there may be, and what is counted."""

    limit: int
    thing: str


SIZES: Mapping[str, Size] = {
    "board": Size(8_000_000, "bytes in a board's file, or on standard input"),
    "boards": Size(40_000_000, "bytes in all files that a board is made of"),
    "uses": Size(8, "boards that use each other in a row"),
    "open": Size(6, "things that a board leaves open"),
    "question": Size(8_000, "characters in a question, deed, roll or claim"),
    "literals": Size(100, "literals in a question"),
    "nested": Size(32, "values and calls in an argument"),
    "rules": Size(1_000_000, "bytes in a folder of rules"),
    "rule-files": Size(200, "files in a folder of rules"),
    "rule": Size(2_000, "characters in a rule"),
    "brackets": Size(30, "brackets in each other in a rule"),
    "notes": Size(20_000_000, "bytes in a folder of notes"),
    "note-files": Size(500, "files in a folder of notes"),
    "note": Size(4_000, "characters in a note that are told"),
    "config": Size(100_000, "bytes in the config file"),
    "archive": Size(256 << 20, "bytes in an archive"),
    "archive-entries": Size(10_000, "entries in an archive"),
    "los-data-packed": Size(16 << 20, "bytes of LOSData as packed"),
    "los-data": Size(64 << 20, "bytes of LOSData as unpacked"),
    "metadata": Size(1 << 20, "bytes of BoardMetadata.xml"),
    "edges": Size(800_000, "edges of pixels round the drawings of an imported board"),
    "cutting": Size(120, "seconds of cutting the drawings of one kind to their hexes"),
    "matrix": Size(1 << 30, "bytes in a matrix that is taken up again"),
    "kept": Size(1 << 29, "bytes in a file of the cache, as unpacked"),
}


def size_limit(name: str) -> int:
    """The limit of this name; RulesAspError for a variable that says none."""
    return _set(os.environ.get(VARIABLE, "")).get(name, SIZES[name].limit)


def too_large_message(name: str) -> str:
    """What is told of what is larger: `more than 8,000 characters in a question; RULES_ASP_SIZES=...`."""
    return f"more than {size_limit(name):,} {SIZES[name].thing}; {VARIABLE}={name}=NUMBER sets another limit"


def deadline_check(name: str) -> Callable[[], None]:
    """A look at the clock, to be taken now and then: RulesAspError once it is later than the limit."""
    end = time.monotonic() + size_limit(name)

    def look() -> None:
        if time.monotonic() > end:
            raise RulesAspError(too_large_message(name))

    return look


@lru_cache(maxsize=1)
def _set(said: str) -> Mapping[str, int]:
    found = {}
    for each in said.replace(",", " ").split():
        name, _, number = each.partition("=")
        if name not in SIZES or not (number.isascii() and number.isdigit() and len(number) < 19):
            raise RulesAspError(
                f"{VARIABLE} is such as board=50000000, with {', '.join(SIZES)}: not {each!r}"
            )
        found[name] = int(number)
    return found
