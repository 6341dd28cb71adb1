"""Which norms the cases exercise, by leaving each out.

Most cases have nothing to do with most norms. A case is asked again only if the norm had its say there,
or, where it only defines a notion, if the board's structure is another without it or the question layer
derived the notion; and the likely cases come first.

A norm is exercised when the knowledge base without what it says gets an expected answer of some case
wrong. A norm that merely fires is not tested: others may give the same answer.

Nothing is asked: the lines are read as they stand. Which norms a case holds in place, `exercise` finds out.
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
    without_norm_rules,
)
from rules_asp.knowledge.reader import read_kb
from rules_asp.knowledge.rules import KnowledgeBase, Norm, Signature
from rules_asp.knowledge.solver import AnswerSet, EngineError, solve, static_answer_sets
from rules_asp.knowledge.terms import strings
from rules_asp.parser.source_text import lines_of, split_statements
from rules_asp.positions.loading import example_boards, load
from rules_asp.positions.position import Position
from rules_asp.runtime.job_pool import LOCAL, JobSettings, run_jobs

#: Who wins over whom: the same on every board, and of effect only where both speak.
_PRECEDENCE = frozenset({"ruling", "overrides", "amends", "yields", "wins", "ranked"})


class CoverageError(RulesAspError):
    """There are no cases, or one of them gets a wrong answer already."""


@dataclass(frozen=True)
class _Asked:
    """What the question layer derived for the expectations of a case, with the whole knowledge base.

    derived: the predicates; voices: the norms that said something, in either layer.
    """

    position: Position
    structure: frozenset[clingo.Symbol]
    derived: frozenset[tuple[str, int]]
    voices: frozenset[str]


@dataclass(frozen=True)
class _Lesser:
    """A knowledge base without a norm. `speaks`: what was taken out names the norm."""

    program: Program
    norm: Norm
    speaks: bool
    #: Heads of its rules that rest on a question; pairs of norms of which one no longer wins.
    heads: tuple[Signature, ...]
    pairs: frozenset[tuple[str, str]]
    #: The paragraphs of all norms that its rules name, its own first.
    paragraphs: tuple[str, ...]


class _Case:
    """A board with expectations, asked when it is first needed, and again under lesser knowledge bases."""

    def __init__(self, path: Path, program: Program, answering: frozenset[str]) -> None:
        self.path = path
        self._program = program
        #: The predicates by which the structure of a board bears on answers.
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
                raise CoverageError(f"{where}: this case fails already: {outcome.answered}")
        atoms = [symbol for answer in heard for symbol in answer.symbols]
        # What norms say of the structure is not kept with a position.
        rules = (rule.text for rule in self._program.static_rules)
        static = solve(
            self._program.defined, *rules, self._program.shared_facts, loaded.facts, limit=1
        )
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
        """Whether an expectation fails under the lesser knowledge base."""
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
            # Most norms show in a bare answer; what it cites takes longer to find.
            return self._differs(position, cite=False) or self._differs(position, cite=True)
        except (EngineError, ValueError):
            # Without the norm there is not even a Location to ask about.
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
        """Whether the norm said something here, or both of two between which it decides."""
        voices = self.asked.voices
        return lesser.norm.id in voices or any(voices >= set(pair) for pair in lesser.pairs)

    def is_defined(self, lesser: _Lesser) -> bool:
        """Whether the question layer derived a notion that the norm defines."""
        return any((head.name, head.arity) in self.asked.derived for head in lesser.heads)

    def likelihood(self, lesser: _Lesser) -> tuple[tuple[bool, int], ...]:
        """How likely the norm matters: is its paragraph cited, is the case named like it; then the
        same for the other norms that it names."""
        name = self.path.stem
        return tuple((each in self.cited, _alike(name, each)) for each in lesser.paragraphs)


def _alike(name: str, paragraph: str) -> int:
    """How many letters of its name a case shares with the paragraph."""
    pairs = zip(name, paragraph.lower().replace(".", "_"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class CaseSuite:
    """All cases under a knowledge base; CoverageError when one that is asked fails as it is.

    They can be pickled; what was asked already is then asked anew.
    """

    def __init__(self, paths: Iterable[Path], source: KnowledgeBase, program: Program) -> None:
        self._source = source
        self._program = program
        answering = _answering(program)
        self._cases = [_Case(path, program, answering) for path in paths]

    def __reduce__(self) -> tuple[object, ...]:
        return CaseSuite, ([each.path for each in self._cases], self._source, self._program)

    def exercising(self, norm: Norm) -> Path | None:
        """The first case found that fails without the norm; None when none does."""
        lesser = self._lesser(norm)
        likely_first = sorted(self._cases, key=lambda each: each.likelihood(lesser), reverse=True)
        for case in likely_first:
            if case.fails_under(lesser):
                return case.path
        return None

    def _lesser(self, norm: Norm) -> _Lesser:
        program = build(without_norm_rules(self._source, norm.id))
        said = rules_of_norm(self._source, norm.id)
        lines = {(rule.file, rule.line) for rule in said}
        asking = (rule for rule in self._program.question_rules if (rule.file, rule.line) in lines)
        named = dict.fromkeys(each for rule in said for each in strings(rule.top, rule.literals))
        norms = self._program.norms
        paragraphs = (norm.paragraph, *(norms[each].paragraph for each in named if each in norms))
        return _Lesser(
            program,
            norm,
            any(norm.id in strings(rule.top) for rule in said),
            tuple({head for rule in asking for head in rule.heads}),
            precedence_pairs(self._program) - precedence_pairs(program),
            # A ruling is of no paragraph: the winner's comes first.
            tuple(dict.fromkeys(each for each in paragraphs if "." in each)),
        )


def precedence_pairs(program: Program) -> frozenset[tuple[str, str]]:
    """Who wins over whom, with every section in force."""
    rules = (rule.text for rule in program.rules if rule.heads[0].name in _PRECEDENCE)
    sections = "".join(
        f"section({each})." for each in default_vocabulary().words.get("section", ())
    )
    (answer,) = solve("#defined without/1.", sections, program.shared_facts, *rules)
    return frozenset((one.string, two.string) for one, two in answer.get("wins", 2))


def _answering(program: Program) -> frozenset[str]:
    """The predicates that can be asked, that the question layer reads, or the measuring."""
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
    """The paragraphs that an expectation names."""
    if isinstance(expect.question, ExpectedViolation):
        return (expect.question.paragraph,)
    if isinstance(expect.question, ExpectedConflict):
        return (expect.question.one, expect.question.other)
    return expect.cites


# --- Coverage by section.


#: Called before each norm that is tried: how many were, how many there are, the norm's id.
CoverageProgress = Callable[[int, int, str], None]
#: Called when a norm was tried: its id, and whether a case holds it in place.
NormTrials = Callable[[str, bool], None]


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
    """Coverage by section ("B23", "A6", "R" of rulings, ...), in reading order; how many cases were
    asked.
    """

    sections: Mapping[str, SectionCoverage]
    cases: int = 0

    @property
    def unexercised(self) -> tuple[str, ...]:
        """The ids of all norms with rules that no case holds in place."""
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
    """Count norms by section; with `strict`, take each out in turn and ask the cases again.

    `source` is the knowledge base, the shipped one by default; `cases` are board files with `expect`
    lines, or a folder of them (default_cases()). Only the strict count reads them: CoverageError when
    there are none or one fails with the knowledge base as it is, BoardError for a bad file. `only`
    tries no norms but these; the others are then among neither the exercised nor the unexercised. Each
    norm is a job of `jobs`; those that are `known` are not tried again.
    """
    source = source or read_kb()
    if not strict:
        return Coverage(_counted(source, None, ()))
    files = case_files(cases)
    if not files:
        raise CoverageError("there are no cases: no board file has `expect` lines")
    asked = CaseSuite(files, source, build(source))
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
    """The folder of a checkout's test cases; the bundled examples where there is no checkout."""
    folder = Path(__file__).resolve().parents[2] / "tests" / "cases"
    if folder.is_dir():
        return folder
    return next((path.parent for path in example_boards().values()), folder)


def case_files(cases: Path | Sequence[Path] | None = None) -> tuple[Path, ...]:
    """The board files of a folder (default_cases()), by name; a sequence of files as it is."""
    if cases is not None and not isinstance(cases, Path):
        return tuple(cases)
    return tuple(sorted((cases or default_cases()).glob("*.board")))


def _encoded(source: KnowledgeBase) -> Iterator[Norm]:
    """The norms with rules, in reading order."""
    having = {rule.norm for rule in source.rules}
    return (norm for norm in source.norms if norm.id in having)


def _counted(
    source: KnowledgeBase, held: set[str] | None, tried: Collection[str]
) -> dict[str, SectionCoverage]:
    encoded = {norm.id for norm in _encoded(source)}
    sections: dict[str, list[Norm]] = {}
    for norm in source.norms:
        # All rulings of ours, R-T01 and the like, count together.
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


# --- The cases that cite a norm.


_NAMED = re.compile(r"\b[A-Z]+[0-9]*\.[0-9]+[a-z]?(?:-[0-9]+[a-z]?)?\b|\bR-[A-Z][\w.]*\w")
#: After these a line names paragraphs and norms; before them it may name hexes.
_NAMING = re.compile(r"\b(?:cites|by|violates|conflict)\s.*", re.DOTALL)


class CaseLine(NamedTuple):
    """An `expect` line: its file, as one finds it, and its number."""

    file: str
    line: int


def are_shipped() -> bool:
    """Whether only the bundled boards are at hand, and no checkout with its cases."""
    return default_cases().name != "cases"


def cases_citing(norm: Norm) -> tuple[CaseLine, ...]:
    """The `expect` lines that name a norm or, where none does, its paragraph."""
    lines = cases_naming()
    return lines.get(norm.id) or lines.get(norm.paragraph, ())


@cache
def cases_naming() -> Mapping[str, tuple[CaseLine, ...]]:
    """By norm and paragraph, the lines that name it: of a checkout's cases, and of the bundled boards."""
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
