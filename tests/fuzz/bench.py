"""A series of tries, each of one kind, within a time limit; a failure is reported with the command that
repeats it.
"""

from __future__ import annotations

import random
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from rules_asp.api import ERRORS

#: One try: whatever it does is drawn from these dice.
Try = Callable[[random.Random], object]
#: So many seconds of CPU a try may take; what is slower has found a pattern that is not linear.
SLOW = 20.0


class Broken(Exception):
    """Something that never may be so; the message tells on what input."""


@dataclass
class Report:
    """How many tries of each kind there were, how they ended, what broke, and the slowest of each kind."""

    tries: Counter[str] = field(default_factory=Counter)
    ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    slowest: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = []
        for kind, count in self.tries.items():
            ends = ", ".join(
                f"{n} {end}" for (of, end), n in sorted(self.ends.items()) if of == kind
            )
            lines.append(f"{kind:<10} {count:>7} tries: {ends}; slowest {self.slowest[kind]:.2f} s")
        return "\n".join([*lines, *self.broken, f"{len(self.broken)} broken"])


def bench(
    kinds: Mapping[str, Try], seed: int, seconds: float, first: int = 0, most: int | None = None
) -> Report:
    """Try all kinds in turn, each for a like share of the time; `most` tries of each at most."""
    report = Report()
    for name, one in kinds.items():
        started, number = time.monotonic(), first
        while time.monotonic() - started < seconds / len(kinds) and (
            most is None or number < first + most
        ):
            tried(report, name, one, seed, number)
            number += 1
    return report


def tried(report: Report, name: str, one: Try, seed: int, number: int) -> None:
    """One try."""
    dice = random.Random(f"{seed} {name} {number}")
    started = time.process_time()
    again = f"--seed {seed} --only {name} --case {number}"
    try:
        end = str(one(dice) or "done")
    except Broken as broken:
        end = "broken"
        report.broken.append(f"{again}: {broken}")
    except Exception:
        end = "broken"
        report.broken.append(f"{again}: {traceback.format_exc(limit=-4)}")
    took = time.process_time() - started
    if took > SLOW:
        report.broken.append(f"{again}: took {took:.1f} s")
    report.tries[name] += 1
    report.ends[name, end] += 1
    report.slowest[name] = max(report.slowest.get(name, 0.0), took)


@contextmanager
def refusing(what: str) -> Iterator[list[Exception]]:
    """Bad input may be refused by a documented error, and by no other; which it was is in the list."""
    found: list[Exception] = []
    try:
        yield found
    except ERRORS as error:
        if not str(error).strip():
            raise Broken(f"an error without a message: {what!r}") from error
        found.append(error)
    except Broken:
        raise
    except Exception as error:
        raise Broken(f"{type(error).__name__}: {error}, of {what!r}") from error


def hold(so: object, what: str) -> None:
    """Broken unless it is so."""
    if not so:
        raise Broken(what)


#: What could be taken for something else, is at a limit, or is far beyond one.
ODD = (
    *(
        '"',
        '\\"',
        "\\",
        "#",
        ":",
        ",",
        "-",
        "/",
        "@",
        "(",
        ")",
        ")" * 40,
        "(" * 40,
        "_",
        "not",
        "\t",
    ),
    *(
        "\u2028",
        "\x85",
        "\ufeff",
        "\x00",
        "\x7f",
        "é",
        "²",
        "١",
        "\u202e",
        "\U0001f3e0",
        "\r",
        "\n",
    ),
    *("0", "-1", "1 1/2", "99", "100", "2147483647", "2147483648", "9" * 30, "-0", "1/0", "60-0"),
    *(
        "A1",
        "A0",
        "ZZ999",
        "AA1",
        "21U4",
        "A1-A1",
        "A1-A2",
        "B1@A1-B0/1",
        "A1/roof",
        "A1/9",
        "A1/0",
    ),
    *(
        "yes",
        "no",
        "unknown",
        "perhaps",
        "expect",
        "use",
        "cites",
        "holds",
        "a_",
        "a-",
        "_",
        "X",
        "Y = Y",
    ),
    *(" " * 3000, '"' * 3000, '"\\' * 2000, "a" * 3000, "A1 " * 1000, "0,0 " * 500, "\\\n" * 300),
)


def mangled(dice: random.Random, text: str, words: Sequence[str]) -> str:
    """A text with some of it left out, doubled, exchanged, or odd."""
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        parts = _cut(text)
        at = dice.randrange(len(parts) + 1)
        end = min(len(parts), at + dice.choice((1, 1, 1, 2, 5)))
        way = dice.randrange(6)
        if way == 0:
            parts[at:end] = []
        elif way == 1:
            parts[at:at] = parts[at:end] * dice.choice((1, 2, 20))
        elif way == 2:
            parts[at:end] = [dice.choice(ODD)]
        elif way == 3:
            parts[at:end] = [dice.choice(words)]
        elif way == 4:
            other = dice.randrange(len(parts) + 1)
            parts[at:end], parts[other : other + 1] = parts[other : other + 1], parts[at:end]
        else:
            place = dice.randrange(len(text) + 1)
            parts = [text[:place], dice.choice((chr(dice.randrange(0x250)), "")), text[place + 1 :]]
        text = "".join(parts)
    return text


def _cut(text: str) -> list[str]:
    parts: list[str] = []
    for letter in text:
        joins = parts and (letter.isalnum() or letter in "_") and parts[-1][-1].isalnum()
        if joins:
            parts[-1] += letter
        else:
            parts.append(letter)
    return parts
