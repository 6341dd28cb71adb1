"""Test coverage of norms: mutation testing that leaves out one norm at a time.

A norm is tested if the knowledge base without it gets an expected answer of some case wrong. A norm
that only fires is not tested, since others may give the same answer.

Most cases are independent of most norms. A case is asked again only if the norm asserted something
there, or, for a norm that only defines a helper, if the board's structure changes or the query
layer derived the helper. Likely cases come first.

The non-strict count only reads the lines. `exercising` finds the case that tests a norm.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import clingo

from rules_asp import RulesAspError, parser
from rules_asp.cases.expectations import batch_of, check_expectation, expectations
from rules_asp.game.board import Expect, ExpectedConflict, ExpectedViolation, SourcePosition
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.catalogue import section_of
from rules_asp.knowledge.program import (
    Program,
    build,
    declared_signatures,
    rules_of_norm,
    without_norm,
)
from rules_asp.knowledge.reader import read_kb
from rules_asp.knowledge.rules import KnowledgeBase, Norm, Signature
from rules_asp.knowledge.solver import AnswerSet, EngineError, solve, static_answer_sets
from rules_asp.knowledge.terms import strings
from rules_asp.parser.source_text import lines_of, split_statements
from rules_asp.positions.loading import example_boards, load
from rules_asp.positions.position import Position
from rules_asp.runtime.job_pool import LOCAL, JobSettings, run_jobs

#: The predicates of precedence: the same on every board, with an effect only if both norms assert
#: something.
_PRECEDENCE = frozenset({"ruling", "overrides", "amends", "yields", "exempts", "wins", "ranked"})


class CoverageError(RulesAspError):
    """There are no cases, or one of them already gets a wrong answer."""


@dataclass(frozen=True)
class _Asked:
    """The results of the query layer for a case's expectations, with the whole knowledge base.

    derived: the predicates; voices: the norms that asserted something, in either layer.
    """

    position: Position
    structure: frozenset[clingo.Symbol]
    derived: frozenset[tuple[str, int]]
    voices: frozenset[str]


@dataclass(frozen=True)
class _Lesser:
    """A knowledge base without a norm. `speaks`: the removed rules name the norm."""

    program: Program
    norm: Norm
    speaks: bool
    #: Query heads of its rules, and pairs of norms in which one no longer wins.
    heads: tuple[Signature, ...]
    pairs: frozenset[tuple[str, str]]
    #: The rule numbers of all norms that its rules name, its own first.
    paragraphs: tuple[str, ...]


class _Case:
    """A board with expectations, asked on first use, and again under reduced knowledge bases."""

    def __init__(self, path: Path, program: Program, answering: frozenset[str]) -> None:
        self.path = path
        self._program = program
        #: The predicates by which the structure of a board affects answers.
        self._answering = answering
        board = parser.load(path)
        self.place = SourcePosition(str(path), 0)
        self.expects = tuple(each for each in board.statements if isinstance(each, Expect))
        self.cited = frozenset(
            paragraph for each in self.expects for paragraph in norms_cited(each)
        )

    @cached_property
    def asked(self) -> _Asked:
        """The answers with the whole knowledge base; CoverageError if one is not the expected one."""
        loaded = load(self.path, self._program)
        heard: list[AnswerSet] = []
        for outcome in expectations(replace(loaded, hear=heard.extend)):
            if not outcome.passed:
                where = f"{outcome.place.file}:{outcome.place.line}"
                raise CoverageError(
                    f"{where}: this test fails even with all rules, "
                    f"so its rules cannot be checked: {outcome.answered}"
                )
        atoms = [symbol for answer in heard for symbol in answer.symbols]
        # Assertions about the structure are not stored with a position.
        given = loaded.board_facts
        static = solve(self._program.static(given.keys), facts=given.symbols, limit=1)
        said = [*atoms, *(symbol for answer in static for symbol in answer.symbols)]
        return _Asked(
            loaded,
            _structure(loaded.cases, self._answering),
            frozenset((atom.name, len(atom.arguments)) for atom in atoms),
            frozenset(
                atom.arguments[0].string
                for atom in said
                if atom.name in calculus().tagged_heads
                and atom.arguments[0].type == clingo.SymbolType.String
            ),
        )

    def fails_under(self, lesser: _Lesser) -> bool:
        """Test whether an expectation fails under the reduced knowledge base."""
        asked = self.asked
        if lesser.speaks and not self.is_heard(lesser):
            return False
        try:
            given = asked.position.board_facts
            cases = static_answer_sets(lesser.program.static, given.symbols, given.keys)
            if not cases:
                return True
            structure = _structure(cases, self._answering)
            changed = len(cases) != len(asked.position.cases) or structure != asked.structure
            if not lesser.speaks and not changed and not self.is_defined(lesser):
                return False
            position = replace(asked.position, program=lesser.program, cases=cases, _indexes={})
            # Most norms change the verdict; citations take longer to find.
            return self._differs(position, cite=False) or self._differs(position, cite=True)
        except (EngineError, ValueError):
            # Without the norm, the Location of the question does not exist.
            return True

    def _differs(self, position: Position, cite: bool) -> bool:
        expects = [each if cite else replace(each, cites=()) for each in self.expects]
        if cite:
            expects = [each for each in expects if each.cites]
        batch = batch_of(position, expects)
        return any(
            not check_expectation(position, each, self.place, batch).passed for each in expects
        )

    def is_heard(self, lesser: _Lesser) -> bool:
        """Test whether the norm asserted something here, or both norms that it ranks did."""
        voices = self.asked.voices
        return lesser.norm.id in voices or any(voices >= set(pair) for pair in lesser.pairs)

    def is_defined(self, lesser: _Lesser) -> bool:
        """Test whether the query layer derived a helper that the norm defines."""
        return any((head.name, head.arity) in self.asked.derived for head in lesser.heads)

    def likelihood(self, lesser: _Lesser) -> tuple[tuple[bool, int], ...]:
        """Return a sort key for the probability that the norm matters: its rule number is cited, or
        the case has a similar name; then the same for the other norms it names."""
        name = self.path.stem
        return tuple((each in self.cited, alike(name, each)) for each in lesser.paragraphs)


def alike(name: str, paragraph: str) -> int:
    """Return the number of leading characters that the name of a case shares with a rule number."""
    pairs = zip(name, paragraph.lower().replace(".", "_"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class CaseSuite:
    """All cases under a knowledge base; CoverageError if one that is asked already fails.

    They can be pickled, without the answers.
    """

    def __init__(self, paths: Iterable[Path], program: Program) -> None:
        self._program = program
        answering = _answering(program)
        self._cases = [_Case(path, program, answering) for path in paths]

    def __reduce__(self) -> tuple[object, ...]:
        return CaseSuite, ([each.path for each in self._cases], self._program)

    @cached_property
    def _precedence(self) -> frozenset[tuple[str, str]]:
        return precedence_pairs(self._program)

    def exercising(self, norm: Norm) -> Path | None:
        """Return the first case that fails without the norm; None if none does."""
        lesser = self._lesser(norm)
        likely_first = sorted(self._cases, key=lambda each: each.likelihood(lesser), reverse=True)
        for case in likely_first:
            if case.fails_under(lesser):
                return case.path
        return None

    def _lesser(self, norm: Norm) -> _Lesser:
        program = without_norm(self._program, norm.id)
        said = rules_of_norm(self._program.source, norm.id)
        lines = {(rule.file, rule.line) for rule in said}
        asking = (rule for rule in self._program.question_rules if (rule.file, rule.line) in lines)
        named = dict.fromkeys(each for rule in said for each in strings(rule.top, rule.literals))
        ranks = any(head.name in _PRECEDENCE for rule in said for head in rule.heads)
        norms = self._program.norms
        paragraphs = (norm.paragraph, *(norms[each].paragraph for each in named if each in norms))
        return _Lesser(
            program,
            norm,
            any(norm.id in strings(rule.top) for rule in said),
            tuple({head for rule in asking for head in rule.heads}),
            self._precedence - precedence_pairs(program) if ranks else frozenset(),
            # A ruling has no rule number; that of the winner comes first.
            tuple(dict.fromkeys(each for each in paragraphs if "." in each)),
        )


def precedence_pairs(program: Program) -> frozenset[tuple[str, str]]:
    """Return the precedence with every section in force."""
    rules = (rule.text for rule in program.rules if rule.heads[0].name in _PRECEDENCE)
    sections = "".join(
        f"section({each})." for each in default_vocabulary().words.get("section", ())
    )
    (answer,) = solve("#defined without/1.", sections, program.shared_facts, *rules)
    return frozenset((one.string, two.string) for one, two in answer.get("wins", 2))


def _answering(program: Program) -> frozenset[str]:
    """Return the predicates of queries, of the query layer, and of measurement."""
    asked = (
        node.name
        for kind in ("derived", "topic")
        for node in declared_signatures(program.source, kind)
    )
    read = (node.name for rule in program.question_rules for node in rule.body)
    measuring = (node.name for node in program.measuring)
    return frozenset((*asked, *read, *measuring, "is", "total")) - _PRECEDENCE


def _structure(cases: Iterable[AnswerSet], answering: frozenset[str]) -> frozenset[clingo.Symbol]:
    return frozenset(
        symbol for case in cases for symbol in case.all_atoms if symbol.name in answering
    )


def norms_cited(expect: Expect) -> tuple[str, ...]:
    """Return the rule numbers that an expectation names."""
    if isinstance(expect.question, ExpectedViolation):
        return (expect.question.paragraph,)
    if isinstance(expect.question, ExpectedConflict):
        return (expect.question.one, expect.question.other)
    return expect.cites


# --- Coverage by section.


#: Called before each trial: the number done, the total, and the norm's id.
CoverageProgress = Callable[[int, int, str], None]
#: Called after each trial: the norm's id, and whether a case tests it.
NormTrials = Callable[[str, bool], None]


@dataclass(frozen=True)
class SectionCoverage:
    """The norms of a section: tags in the knowledge base, and those with rules.

    `exercised` is the number of tested norms, `unexercised` the ids of the other encoded ones; None
    and empty if not tried.
    """

    norms: int
    encoded: int
    descriptive: int
    exercised: int | None = None
    unexercised: tuple[str, ...] = ()


@dataclass(frozen=True)
class Coverage:
    """Coverage by section ("B23", "A6", "R" for rulings, ...), in reading order, with the number of
    cases."""

    sections: Mapping[str, SectionCoverage]
    cases: int = 0

    @property
    def unexercised(self) -> tuple[str, ...]:
        """The ids of all norms with rules that no case tests."""
        return tuple(norm for each in self.sections.values() for norm in each.unexercised)


def coverage(
    source: KnowledgeBase | None = None,
    cases: Path | Sequence[Path] | None = None,
    *,
    strict: bool = False,
    only: Collection[str] | None = None,
    progress: CoverageProgress | None = None,
    jobs: JobSettings = LOCAL,
    known: Mapping[str, bool] | None = None,
    tried: NormTrials | None = None,
) -> Coverage:
    """Count norms by section; with `strict`, leave out each norm in turn and ask the cases again.

    `source` is the knowledge base (default: the included one); `cases` are board files with
    `expect` lines, or a folder of them (default_cases()). Only the strict count reads them:
    CoverageError if there are none or one already fails, BoardError for a bad file. `only` are the
    norms to try; the others count neither as tested nor as untested. Each norm is a job of `jobs`;
    those that are `known` are not tried again.
    """
    source = source or read_kb()
    if not strict:
        return Coverage(_counted(source, None, ()))
    files = case_files(cases)
    if not files:
        raise CoverageError("there are no test boards: no board file has `expect` lines")
    asked = CaseSuite(files, build(source))
    held = dict(known or {})
    norms = [norm for norm in _encoded(source) if only is None or norm.id in only]
    left = [norm for norm in norms if norm.id not in held]

    def begun() -> Iterator[Norm]:
        for number, norm in enumerate(left, len(norms) - len(left)):
            if progress:
                progress(number, len(norms), norm.id)
            yield norm

    with run_jobs(_is_held, asked, begun(), jobs, in_order=False) as results:
        for number, holds in results:
            held[left[number].id] = holds
            if tried:
                tried(left[number].id, holds)
    exercised = {norm for norm, holds in held.items() if holds}
    return Coverage(_counted(source, exercised, {norm.id for norm in norms}), len(files))


def _is_held(asked: CaseSuite, norm: Norm) -> bool:
    return asked.exercising(norm) is not None


def default_cases() -> Path:
    """Return the folder of test cases in a checkout; else the bundled examples."""
    folder = Path(__file__).resolve().parents[2] / "tests" / "cases"
    if folder.is_dir():
        return folder
    return next((path.parent for path in example_boards().values()), folder)


def case_files(cases: Path | Sequence[Path] | None = None) -> tuple[Path, ...]:
    """Return the board files of a folder (default_cases()), by name, or a given sequence of files."""
    if cases is not None and not isinstance(cases, Path):
        return tuple(cases)
    return tuple(sorted((cases or default_cases()).glob("*.board")))


def _encoded(source: KnowledgeBase) -> Iterator[Norm]:
    """Yield the norms with rules, in reading order."""
    having = {rule.norm for rule in source.rules}
    return (norm for norm in source.norms if norm.id in having)


def _counted(
    source: KnowledgeBase, held: set[str] | None, tried: Collection[str]
) -> dict[str, SectionCoverage]:
    encoded = {norm.id for norm in _encoded(source)}
    sections: dict[str, list[Norm]] = {}
    for norm in source.norms:
        # All our rulings, such as R-T01, count together.
        section = section_of(norm.paragraph).partition("-")[0]
        sections.setdefault(section, []).append(norm)
    counted = {}
    for section, norms in sections.items():
        having = [norm.id for norm in norms if norm.id in encoded]
        counted[section] = SectionCoverage(
            len(norms),
            len(having),
            sum(norm.descriptive for norm in norms),
            None if held is None else sum(norm in held for norm in having),
            tuple(norm for norm in having if norm in tried and norm not in (held or ())),
        )
    return counted


# --- Cases that cite a norm.


_NAMED = re.compile(r"\b[A-Z]+[0-9]*\.[0-9]+[a-z]?(?:-[0-9]+[a-z]?)?\b|\bR-[A-Z][\w.]*\w")
#: The part of a line after these words names norms; before them, the same form may be a hex.
_NAMING = re.compile(r"\b(?:cites|by|violates|conflict)\s.*", re.DOTALL)


class CaseLine(NamedTuple):
    """An `expect` line: its file and its number."""

    file: str
    line: int


def are_shipped() -> bool:
    """Test whether only the bundled boards are available, without a checkout."""
    return default_cases().name != "cases"


def cases_citing(norm: Norm) -> tuple[CaseLine, ...]:
    """Return the `expect` lines that name a norm or, if there are none, its rule number."""
    lines = cases_naming()
    return lines.get(norm.id) or lines.get(norm.paragraph, ())


@cache
def cases_naming() -> Mapping[str, tuple[CaseLine, ...]]:
    """Return the lines that name each norm and rule number, in a checkout's cases and the bundled
    boards."""
    found: dict[str, dict[CaseLine, None]] = {}
    cases = () if are_shipped() else case_files()
    top = default_cases().parent.parent
    for path in (*cases, *example_boards().values()):
        shown = path.relative_to(top).as_posix() if path.is_relative_to(top) else path.name
        for name, line in _names(path):
            found.setdefault(name, {})[CaseLine(shown, line)] = None
    return {name: tuple(each) for name, each in found.items()}


def _names(path: Path) -> Iterator[tuple[str, int]]:
    for piece in split_statements(lines_of(path.read_text("utf-8"))):
        if piece.text.lstrip().startswith("expect"):
            said = _NAMING.search(piece.text)
            for name in _NAMED.findall(said[0]) if said else ():
                yield name, piece.line
