"""What of the knowledge base is encoded, and what of it the test cases really hold in place.

A norm is exercised when the knowledge base without what it says gets an expected answer of some case
wrong. A norm that merely fires is not tested: others may give the same answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os.path import commonprefix
from pathlib import Path

import clingo

from rules_asp.board import Expect, Place
from rules_asp.catalogue import section_of
from rules_asp.engine import EngineError, Program, build, solve
from rules_asp.expectations import examine
from rules_asp.files import examples
from rules_asp.position import Position, load
from rules_asp.source import Norm, Rule, Source, read

#: Called before each norm that is tried: how many were, how many there are, the norm's id.
Progress = Callable[[int, int, str], None]


class CoverageError(Exception):
    """There are no cases, or one of them gets a wrong answer already."""


@dataclass(frozen=True)
class SectionCoverage:
    """The norms of a section: tags in the knowledge base, and those of them with rules.

    `exercised` counts those that a case holds in place, `unexercised` names the rest of the encoded;
    None and empty where this was not tried.
    """

    norms: int
    encoded: int
    descriptive: int
    exercised: int | None = None
    unexercised: tuple[str, ...] = ()


@dataclass(frozen=True)
class Coverage:
    """Coverage by section ("B23", "PB4", "A6", ...), in reading order; how many cases were asked."""

    sections: Mapping[str, SectionCoverage]
    cases: int = 0

    @property
    def unexercised(self) -> tuple[str, ...]:
        """The ids of all norms with rules that no case holds in place."""
        return tuple(norm for each in self.sections.values() for norm in each.unexercised)


def coverage(
    source: Source | None = None,
    cases: Path | Sequence[Path] | None = None,
    *,
    strict: bool = False,
    progress: Progress | None = None,
) -> Coverage:
    """Count norms by section; with `strict`, take each out in turn and ask the cases again.

    `source` is the knowledge base, the shipped one by default; `cases` are board files with `expect`
    lines, or a folder of them (default_cases()). Only the strict count reads them: CoverageError when
    there are none or one fails with the knowledge base as it is, BoardError for a bad file.
    """
    source = source or read()
    if not strict:
        return Coverage(_counted(source, None))
    boards = _Cases(case_files(cases), build(source))
    encoded = list(_encoded(source))
    held: set[str] = set()
    for number, norm in enumerate(encoded):
        if progress:
            progress(number, len(encoded), norm.id)
        if boards.exercise(source, norm):
            held.add(norm.id)
    return Coverage(_counted(source, held), len(boards.cases))


def default_cases() -> Path:
    """The folder of a checkout's test cases; the bundled examples where there is no checkout."""
    folder = Path(__file__).resolve().parents[1] / "tests" / "cases"
    if folder.is_dir():
        return folder
    return next((path.parent for path in examples().values()), folder)


def case_files(cases: Path | Sequence[Path] | None = None) -> tuple[Path, ...]:
    """The board files of a folder (default_cases()), by name; a sequence of files as it is."""
    if cases is not None and not isinstance(cases, Path):
        return tuple(cases)
    return tuple(sorted((cases or default_cases()).glob("*.board")))


def without(source: Source, norm: str) -> Source:
    """The knowledge base without what a norm says.

    That is every rule under its tag whose head names the norm. Notions that its rules define for
    others as well stay, so that nothing but its own word is tested; a norm that only defines a
    notion loses its definition.
    """
    own = [rule for rule in source.rules if rule.norm == norm]
    said = [rule for rule in own if _names(rule, norm)] or own
    gone = {id(rule) for rule in said}
    return replace(source, rules=tuple(rule for rule in source.rules if id(rule) not in gone))


def _names(rule: Rule, norm: str) -> bool:
    return f'("{norm}"' in rule.text.split(":-", 1)[0]


def _encoded(source: Source) -> Iterator[Norm]:
    """The norms with rules, in reading order."""
    having = {rule.norm for rule in source.rules}
    return (norm for norm in source.norms if norm.id in having)


def _counted(source: Source, held: set[str] | None) -> dict[str, SectionCoverage]:
    encoded = {norm.id for norm in _encoded(source)}
    sections: dict[str, list[Norm]] = {}
    for norm in source.norms:
        sections.setdefault(section_of(norm.paragraph), []).append(norm)
    counted = {}
    for section, norms in sections.items():
        having = [norm.id for norm in norms if norm.id in encoded]
        counted[section] = SectionCoverage(
            len(norms),
            len(having),
            sum(norm.descriptive for norm in norms),
            None if held is None else sum(norm in held for norm in having),
            () if held is None else tuple(norm for norm in having if norm not in held),
        )
    return counted


@dataclass(frozen=True)
class _Case:
    """A case, ready to be asked again under a knowledge base that lacks a norm."""

    path: Path
    position: Position

    @cached_property
    def expected(self) -> list[tuple[Expect, Place]]:
        """Its expectations."""
        board = self.position.board
        return [
            (statement, board.place(index))
            for index, statement in enumerate(board.statements)
            if isinstance(statement, Expect)
        ]

    @cached_property
    def cited(self) -> frozenset[str]:
        """The paragraphs that answers must name."""
        return frozenset(each for expect, _ in self.expected for each in expect.cites)

    @cached_property
    def atoms(self) -> list[frozenset[clingo.Symbol]]:
        """What the board's structure is under the whole knowledge base."""
        return [frozenset(answer.symbols) for answer in self.position.cases]

    def check(self) -> None:
        """CoverageError if an expectation fails: then no norm can be shown to hold it in place."""
        for expect, place in self.expected:
            outcome = examine(self.position, expect, place)
            if not outcome.passed:
                raise CoverageError(
                    f"{place.file}:{place.line}: this case fails already: {outcome.answered}"
                )

    def fails(self, lesser: Program, norm: Norm, asks: bool) -> bool:
        """Whether an expectation fails under the lesser knowledge base.

        asks: the norm has rules about questions, so that an unchanged structure shows nothing.
        """
        try:
            answers = tuple(solve(lesser.static_text, self.position.facts, shown=True))
            if not answers:
                return True
            same = [frozenset(answer.symbols) for answer in answers] == self.atoms
            if same and not asks and norm.paragraph not in self.cited:
                return False
            position = replace(self.position, program=lesser, cases=answers, _indexes={})
            return any(
                not examine(position, expect, place).passed
                for expect, place in sorted(
                    self.expected, key=lambda each: norm.paragraph not in each[0].cites
                )
            )
        except EngineError:
            return True


class _Cases:
    """All cases under the whole knowledge base, and the search for one that a norm matters to."""

    def __init__(self, paths: Iterable[Path], program: Program) -> None:
        self._asking = {rule.norm for rule in program.question_rules}
        self.cases = [_Case(path, load(path, program)) for path in paths]
        if not self.cases:
            raise CoverageError("there is no case to ask: no board file with expectations")
        for case in self.cases:
            case.check()

    def exercise(self, source: Source, norm: Norm) -> Path | None:
        """The first case found that fails without the norm, the likely ones tried first."""
        lesser = build(without(source, norm.id))
        for case in sorted(self.cases, key=lambda case: _likely(case, norm), reverse=True):
            if case.fails(lesser, norm, norm.id in self._asking):
                return case.path
        return None


def _likely(case: _Case, norm: Norm) -> tuple[bool, int]:
    """How likely the norm matters to the case: does it cite the paragraph, is it named like it."""
    name = norm.paragraph.lower().replace(".", "_").replace("-", "_")
    return norm.paragraph in case.cited, len(commonprefix([case.path.stem, name]))
