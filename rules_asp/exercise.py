"""Asking test cases again under a knowledge base that lacks a norm.

Most cases have nothing to do with most norms. A case is asked again only if the board's structure is
another without the norm, or if the norm had a part in what the question layer derived for one of its
questions; and the likely cases come first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

import clingo

from rules_asp.board import Clash, Expect, Place, Violation
from rules_asp.engine import Answer, EngineError, Program, build, declared, solve
from rules_asp.expectations import examine
from rules_asp.position import Position, load
from rules_asp.source import Node, Norm, Rule, Source

#: Who wins over whom: the same on every board, and of effect only where both speak.
_PRECEDENCE = frozenset({"ruling", "overrides", "amends", "wins", "winner", "loser"})
#: What the measuring reads besides what can be asked.
_MEASURING = frozenset(
    {"concern", "concern_side", "inherent", "asks_exit", "asks_side", "asks_inside"}
)
_ID = re.compile(r'"([A-Z][^"\s]*-[^"\s]*)"')


class CoverageError(Exception):
    """There are no cases, or one of them gets a wrong answer already."""


def without(source: Source, norm: str) -> Source:
    """The knowledge base without what a norm says.

    That is every rule under its tag whose head names the norm. Notions that its rules define for
    others as well stay, so that nothing but its own word is tested; a norm that only defines a
    notion loses its definition.
    """
    gone = {id(rule) for rule in _said(source, norm)}
    return replace(source, rules=tuple(rule for rule in source.rules if id(rule) not in gone))


def _said(source: Source, norm: str) -> list[Rule]:
    own = [rule for rule in source.rules if rule.norm == norm]
    return [rule for rule in own if f'"{norm}"' in rule.text.split(":-", 1)[0]] or own


class _Listening(Position):
    """A position that remembers the answers of its question layer."""

    heard: list[Answer]

    def ask(self, wanted: Sequence[Node], question: str, local: bool = False) -> list[Answer]:
        """As Position.ask."""
        answers = super().ask(wanted, question, local)
        self.heard.extend(answers)
        return answers


@dataclass(frozen=True)
class _Question:
    """An expectation, and what the question layer derived for it under the whole knowledge base.

    derived: the predicates; spoken: the predicates with the norm that their first argument names.
    """

    expect: Expect
    derived: frozenset[tuple[str, int]]
    spoken: frozenset[tuple[str, str]]

    def had(self, head: Node, norm: str) -> bool:
        """Whether a rule of the norm with this head can have had a part in it."""
        if (head.name, head.arity) not in self.derived:
            return False
        voices = {who for name, who in self.spoken if name == head.name}
        return not voices or norm in voices

    def hears(self, pair: tuple[str, str]) -> bool:
        """Whether both norms speak here."""
        return {who for _, who in self.spoken} >= set(pair)


@dataclass(frozen=True)
class _Lesser:
    """A knowledge base without a norm."""

    program: Program
    norm: Norm
    #: Heads of its rules that rest on a question; pairs of norms of which one no longer wins.
    heads: tuple[Node, ...]
    pairs: frozenset[tuple[str, str]]
    #: The paragraphs of all norms that its rules name, its own first.
    paragraphs: tuple[str, ...]
    #: The predicates by which the structure of a board bears on answers.
    answering: frozenset[str]


@dataclass(frozen=True)
class _Case:
    """A board with expectations, ready to be asked again under another knowledge base."""

    name: str
    position: Position
    place: Place
    questions: tuple[_Question, ...]
    structure: frozenset[clingo.Symbol]
    cited: frozenset[str]

    def fails_under(self, lesser: _Lesser) -> bool:
        """Whether an expectation fails under the lesser knowledge base."""
        try:
            cases = tuple(solve(lesser.program.static_text, self.position.facts, shown=True))
            if not cases:
                return True
            structure = _structure(cases, lesser.answering)
            changed = len(cases) != len(self.position.cases) or structure != self.structure
            position = replace(self.position, program=lesser.program, cases=cases, _indexes={})
            concerned = list(self.concerned(lesser, changed))
            # Most norms show in a bare answer; what it cites takes far longer to find.
            bare = (replace(each.expect, cites=()) for each in concerned)
            citing = (each.expect for each in concerned if each.expect.cites)
            return any(
                not examine(position, expect, self.place).passed for expect in (*bare, *citing)
            )
        except (EngineError, ValueError):
            # Without the norm there is not even a Location to ask about.
            return True

    def concerned(self, lesser: _Lesser, changed: bool) -> Iterator[_Question]:
        """The expectations whose answer can be another, those that cite the norm first."""
        paragraph = lesser.norm.paragraph
        for each in sorted(self.questions, key=lambda one: paragraph not in one.expect.cites):
            if (
                changed
                or paragraph in each.expect.cites
                or any(each.had(head, lesser.norm.id) for head in lesser.heads)
                or any(each.hears(pair) for pair in lesser.pairs)
            ):
                yield each

    def likelihood(self, lesser: _Lesser) -> tuple[tuple[bool, int], ...]:
        """How likely the norm matters: is its paragraph cited, is the case named like it; then the
        same for the other norms that it names."""
        return tuple((each in self.cited, _alike(self.name, each)) for each in lesser.paragraphs)


def _alike(name: str, paragraph: str) -> int:
    """How many letters of its name a case shares with the paragraph."""
    pairs = zip(name, paragraph.lower().replace(".", "_"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class Cases:
    """All cases under a knowledge base; CoverageError if an expectation of one fails."""

    def __init__(self, paths: Iterable[Path], source: Source, program: Program) -> None:
        self._source = source
        self._program = program
        self._paths = {path.stem: path for path in paths}
        self._answering = _answering(program)
        self._cases = [_case(path, program, self._answering) for path in self._paths.values()]

    def exercising(self, norm: Norm) -> Path | None:
        """The first case found that fails without the norm; None when none does."""
        lesser = self._lesser(norm)
        likely_first = sorted(self._cases, key=lambda each: each.likelihood(lesser), reverse=True)
        for case in likely_first:
            if case.fails_under(lesser):
                return self._paths[case.name]
        return None

    def _lesser(self, norm: Norm) -> _Lesser:
        program = build(without(self._source, norm.id))
        said = _said(self._source, norm.id)
        lines = {(rule.file, rule.line) for rule in said}
        asking = (rule for rule in self._program.question_rules if (rule.file, rule.line) in lines)
        named = dict.fromkeys(each for rule in said for each in _ID.findall(rule.text))
        norms = self._program.norms
        paragraphs = (norm.paragraph, *(norms[each].paragraph for each in named if each in norms))
        return _Lesser(
            program,
            norm,
            tuple({head for rule in asking for head in rule.heads}),
            _wins(self._program) - _wins(program),
            # A ruling is of no paragraph: the winner's comes first.
            tuple(dict.fromkeys(each for each in paragraphs if "." in each)),
            self._answering,
        )


def _wins(program: Program) -> frozenset[tuple[str, str]]:
    """Who wins over whom."""
    rules = (rule.text for rule in program.rules if rule.heads[0].name in _PRECEDENCE)
    (answer,) = solve("#defined without/1.", program.shared_facts, *rules)
    return frozenset((one.string, two.string) for one, two in answer.get("wins", 2))


def _answering(program: Program) -> frozenset[str]:
    """The predicates that can be asked, that the question layer reads, or the measuring."""
    asked = (node.name for kind in ("derived", "topic") for node in declared(program.source, kind))
    read = (node.name for rule in program.question_rules for node in rule.body)
    return (frozenset(asked) | frozenset(read) | _MEASURING | {"is", "total"}) - _PRECEDENCE


def _structure(cases: Iterable[Answer], answering: frozenset[str]) -> frozenset[clingo.Symbol]:
    return frozenset(
        symbol for case in cases for symbol in case.symbols if symbol.name in answering
    )


def _case(path: Path, program: Program, answering: frozenset[str]) -> _Case:
    loaded = load(path, program)
    board = loaded.board
    questions = []
    for index, statement in enumerate(board.statements):
        if isinstance(statement, Expect):
            place = board.place(index)
            questions.append(_asked(loaded, statement, place))
    return _Case(
        path.stem,
        loaded,
        Place(str(path), 0),
        tuple(questions),
        _structure(loaded.cases, answering),
        frozenset(paragraph for each in questions for paragraph in _cited(each.expect)),
    )


def _cited(expect: Expect) -> tuple[str, ...]:
    """The paragraphs that an expectation names."""
    if isinstance(expect.question, Violation):
        return (expect.question.paragraph,)
    if isinstance(expect.question, Clash):
        return (expect.question.one, expect.question.other)
    return expect.cites


def _asked(position: Position, expect: Expect, place: Place) -> _Question:
    listening = _Listening(
        position.board, position.program, position.shapes, position.facts, position.cases
    )
    heard: list[Answer] = []
    object.__setattr__(listening, "heard", heard)
    outcome = examine(listening, expect, place)
    if not outcome.passed:
        where = f"{place.file}:{place.line}"
        raise CoverageError(f"{where}: this case fails already: {outcome.answered}")
    atoms = [symbol for answer in heard for symbol in answer.symbols]
    return _Question(
        expect,
        frozenset((atom.name, len(atom.arguments)) for atom in atoms),
        frozenset(
            (atom.name, atom.arguments[0].string)
            for atom in atoms
            if atom.arguments and atom.arguments[0].type == clingo.SymbolType.String
        ),
    )
