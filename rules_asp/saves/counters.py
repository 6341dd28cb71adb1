"""Recognition of counters by their shown names, with one table of patterns, `counters.tsv`.

A row gives the kind of a counter, a pattern for its whole name, a word of the board language and an
example. The first matching row applies. Numbers of counters change between versions of VASL and are
not used. States that are part of a name, as in `broken 4-6-7 1sq`, are rows of the kind `prefix`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import NamedTuple

#: Kinds of counters that are units, and the type of unit if the table does not give it.
UNIT_KINDS = frozenset({"squad", "leader", "person", "gun", "vehicle", "wreck"})
#: Kinds of counters that give the level of the counters above them.
LEVEL_KINDS = frozenset({"level", "fortified", "unknown level"})
#: Kinds of counters that describe a unit below them.
STATE_KINDS = frozenset({"state", "fire state", "unsaid state", "armor leader"})
#: Kinds of counters that describe the whole game, at any place.
SCENARIO_KINDS = frozenset({"turn", "ec", "weather", "night", "unsaid scenario"})

#: The word for the nation of a VASL code, on counters or in names.
NATIONS: Mapping[str, str] = {
    "ge": "german",
    "ss": "german",
    "ru": "russian",
    "am": "american",
    "br": "british",
    "fr": "french",
    "it": "italian",
    "ja": "japanese",
    "fi": "finnish",
    "ch": "chinese",
    "al": "allied-minor",
    "ax": "axis-minor",
    "hu": "hungarian",
    "sk": "south-korean",
    "nk": "north-korean",
    "cc": "communist-chinese",
    "un": "united-nations",
    "sv": "swedish",
    "ijn": "japanese",
    "usmc": "american",
}


class CounterPattern(NamedTuple):
    """A row of the table."""

    kind: str
    pattern: re.Pattern[str]
    gives: str
    example: str


@dataclass(frozen=True)
class Recognized:
    """A recognized name: the kind of counter, the word of its row, the parts of the name."""

    kind: str
    gives: str
    parts: Mapping[str, str] = field(default_factory=dict)
    states: tuple[str, ...] = ()

    def number(self, part: str) -> int:
        """Return a number in the name."""
        return int(self.parts[part])

    def corner(self, part: str) -> int | None:
        """Return the vertex of a hexspine in the name: ca1 is vertex 0, the upper right."""
        return int(self.parts[part]) - 1 if part in self.parts else None


@cache
def patterns() -> tuple[CounterPattern, ...]:
    """Return the rows of the table in order."""
    lines = files("rules_asp.saves").joinpath("counters.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines[2:] if line)
    return tuple(
        CounterPattern(kind, re.compile(pattern), "" if gives == "-" else gives, example)
        for kind, pattern, gives, example in rows
    )


def recognize(name: str) -> Recognized | None:
    """Recognize the name of a counter; None if no row matches."""
    states: list[str] = []
    prefixes = [each for each in patterns() if each.kind == "prefix"]
    rest = name
    while True:
        # First the whole name: `Wnd Heroic` is a counter of its own.
        found = _recognized(rest, tuple(states))
        if found is not None:
            return found
        for each in prefixes:
            if match := re.match(each.pattern.pattern + " ", rest):
                rest = rest[match.end() :]
                states.append(each.gives)
                break
        else:
            return None


def _recognized(name: str, states: tuple[str, ...]) -> Recognized | None:
    for each in patterns():
        if each.kind == "prefix":
            continue
        if match := each.pattern.fullmatch(name):
            parts = {part: text for part, text in match.groupdict().items() if text}
            return Recognized(each.kind, each.gives, parts, states)
    return None
