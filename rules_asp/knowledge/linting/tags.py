"""Static checks of the form of tags: known marks in their place, and each reading with its other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rules_asp.knowledge.linting.atoms import Fault, KbView
from rules_asp.knowledge.tags import MARKS, Norm

#: What looks like a mark: a word of small letters alone in parentheses.
_MARK = re.compile(r"\(([a-z]+)\)")
#: Words that tell of a choice.
_CHOICE = re.compile(
    r"\b(?:[Ww]e (?:read|take)|as we read|taken for granted|the text could mean)\b"
)


def marks(base: KbView) -> Iterator[Fault]:
    """A mark that is none, that stands elsewhere than after the id, or that goes with no other."""
    for norm in base.source.norms:
        for at in _MARK.finditer(norm.sense + norm.other_reading):
            word = at[1]
            if word in MARKS:
                yield _at(norm, f"({word}) stands in the sense of {norm.id}, not after the id")
            elif at.start() == 0:
                known = ", ".join(f"({each})" for each in MARKS)
                yield _at(norm, f"({word}) is no mark; {norm.id} may have {known}")
        if norm.marked and norm.ruling:
            yield _at(norm, f"{norm.id} is a ruling, and so a reading without the mark")


def readings(base: KbView) -> Iterator[Fault]:
    """A reading without the other one, another one without the mark, a choice told without it."""
    for norm in base.source.norms:
        if norm.reading and not norm.other_reading:
            yield _at(norm, f"{norm.id} is a reading: its tag ends with the other, `Or: ...`")
        elif norm.other_reading and not norm.reading:
            yield _at(norm, f"{norm.id} tells of another reading and is not marked (reading)")
        elif norm.other_reading and not norm.other_reading.endswith((".", ")")):
            yield _at(norm, f"the other reading of {norm.id} ends without a full stop")
        if (found := _CHOICE.search(norm.sense)) and not (norm.reading or norm.assumed):
            yield _at(
                norm, f'{norm.id} tells of a choice ("{found[0]}") and is not marked (reading)'
            )


def _at(norm: Norm, message: str) -> Fault:
    return Fault(norm.file, norm.line, message)
