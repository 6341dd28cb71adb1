"""The expectations of boards that two sets of rules answer differently."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rules_asp.cases.outcomes import expectations
from rules_asp.lab.comparing.sides import RuleSet
from rules_asp.lab.searching.runs import OutOfTime, SearchClock
from rules_asp.positions.keeping import load
from rules_asp.positions.places import QuestionError


@dataclass(frozen=True)
class ChangedExpectation:
    """An `expect` line that both answer, each in its own way; its board's file, and its line there."""

    file: str
    line: int
    question: str
    answers: tuple[str, str]
    passed: tuple[bool, bool]

    @property
    def record(self) -> dict[str, Any]:
        """It as JSON."""
        return {
            "file": self.file,
            "line": self.line,
            "question": self.question,
            "answers": list(self.answers),
            "passed": list(self.passed),
        }


@dataclass(frozen=True)
class ChangedExpectations:
    """The expectations that turn, in the time that there was.

    left: the files that were not asked, since the time was over or the search was broken off.
    """

    found: tuple[ChangedExpectation, ...]
    left: tuple[str, ...] = ()
    interrupted: bool = False


def find_changed_expectations(
    one: RuleSet, other: RuleSet, files: Iterable[Path], clock: SearchClock
) -> ChangedExpectations:
    """What turns on these boards, as `changed_expectations`, until the time is over or it is broken
    off by Ctrl-C.
    """
    todo = list(_boards(files))
    found: list[ChangedExpectation] = []
    interrupted = False
    while todo:
        try:
            clock.left()
            found += changed_expectations(one, other, todo[:1])
        except OutOfTime:
            break
        except KeyboardInterrupt:
            interrupted = True
            break
        del todo[0]
    return ChangedExpectations(tuple(found), tuple(map(str, todo)), interrupted)


def changed_expectations(
    one: RuleSet, other: RuleSet, files: Iterable[Path]
) -> Iterator[ChangedExpectation]:
    """Each expectation of these boards, or of those in these folders, that the two answer differently.

    A board says itself which sections are in force; switched off are the rulings of each side.
    """
    for path in _boards(files):
        told = []
        for side in (one, other):
            try:
                told.append(list(expectations(load(path, side.program, side.without))))
            except QuestionError:
                told.append([])
        for mine, theirs in zip(*told, strict=False):
            both = (mine.answered, theirs.answered)
            passed = (mine.passed, theirs.passed)
            if both != ("", "") and (both[0] != both[1] or passed[0] != passed[1]):
                line = mine.place.line
                yield ChangedExpectation(str(path), line, str(mine.expect.question), both, passed)


def _boards(files: Iterable[Path]) -> Iterator[Path]:
    for each in files:
        yield from sorted(each.glob("*.board")) if each.is_dir() else (each,)
