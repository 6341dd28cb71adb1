"""The cases that can notice a changed rule: those whose answers it affects.

A case is asked once, with the rules as they are. Of all that was so there, each rule, as it is and as it
was changed, says something; where both say the same, the answers are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import clingo

from rules_asp.cases.expectations import batch_of, check_expectation
from rules_asp.game.board import Expect, SourcePosition
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.reader import read_rules
from rules_asp.knowledge.rules import Rule, Signature
from rules_asp.knowledge.solver import AnswerSet, ProgramText, solve
from rules_asp.positions.loading import load
from rules_asp.positions.position import Position

_ID = re.compile(r'"([A-Z][^"\s]*-[^"\s]*)"')


@dataclass(frozen=True)
class Change:
    """A rule, and the text in its place; of a fact, such as who goes before whom, the norms it names."""

    rule: Rule
    text: str

    @property
    def section(self) -> str:
        """The folder that the rule stands in."""
        return self.rule.file.partition("/")[0]

    @property
    def between(self) -> frozenset[str]:
        """The norms that must all speak before it matters; none, for a rule that has a body."""
        return frozenset() if self.rule.body else frozenset(_ID.findall(self.rule.text))


def told_apart(path: Path, program: Program, changes: Mapping[int, Change]) -> list[int]:
    """The numbers of those changes that could make a difference to what a case expects."""
    told = _told(path, program)
    sections = {str(atom.arguments[0]) for atom in told if atom.name == "section"}
    changes = {n: each for n, each in changes.items() if each.section in {*sections, "b23"}}
    voices = {
        atom.arguments[0].string
        for atom in told
        if atom.name in calculus().tagged_heads
        and atom.arguments[0].type == clingo.SymbolType.String
    }
    heard = {n for n, each in changes.items() if each.between and each.between <= voices}
    rules = {n: each for n, each in changes.items() if not each.between}
    return sorted(heard | _saying(rules, told))


def _told(path: Path, program: Program) -> set[clingo.Symbol]:
    """All that is so in a case: what its board makes so, and what its questions make so besides."""
    case = load(path, program)
    told = {symbol for answer in answers_of(case, path) for symbol in answer}
    return told.union(*(answer.all_atoms for answer in case.cases))


def answers_of(case: Position, path: Path) -> Iterator[Sequence[clingo.Symbol]]:
    """What each answer set says: one of the board alone, then all of what the case expects."""
    heard: list[AnswerSet] = []
    asked = replace(case, hear=heard.extend)
    # What an answer cites is looked up in what was so.
    expects = [each for each in case.board.statements if isinstance(each, Expect)]
    bare = [replace(each, cites=()) for each in expects]
    batch = batch_of(asked, bare)
    for each in bare:
        check_expectation(asked, each, SourcePosition(str(path), 0), batch)
    yield from (answer.symbols for answer in (*structure_of(case), *heard))


def structure_of(case: Position) -> Sequence[AnswerSet]:
    """Solve the board alone: a position does not keep the assertions of norms about its structure."""
    facts = case.board_facts.symbols
    return solve(_structure(case.program), facts=facts, open_=case.left_open, limit=1)


@cache
def _structure_of(text: str) -> ProgramText:
    return ProgramText(text)


def _structure(program: Program) -> ProgramText:
    """All rules that no question is needed for."""
    rules = (rule.text for rule in program.static_rules)
    return _structure_of("\n".join((program.defined, *rules, program.shared_facts)))


def _saying(rules: Mapping[int, Change], told: Iterable[clingo.Symbol]) -> set[int]:
    """The numbers of those rules that say another thing of this than what stands in their place."""
    texts: list[str] = []
    read: set[tuple[str, int]] = set()
    for number, change in rules.items():
        texts += _repeated(change.rule, number, "old")
        read |= _read(change.rule)
        for rule in read_rules(change.text, change.rule.file)[0] if change.text else ():
            texts += _repeated(rule, number, "new")
            read |= _read(rule)
    facts = [each for each in told if (each.name, len(each.arguments)) in read]
    defined = "".join(f"#defined {name}/{arity}." for name, arity in sorted(read))
    (answer,) = solve(defined, *texts, facts=facts, parts=True)
    sides: dict[str, set[tuple[int, clingo.Symbol]]] = {
        side: {(number.number, head) for number, head in answer.get(f"{side}_told", 2)}
        for side in ("old", "new")
    }
    return {number for number, _ in sides["old"] ^ sides["new"]}


def _repeated(rule: Rule, number: int, side: str) -> Sequence[str]:
    """A rule as one that tells what it says, under the number of its change."""
    head, _, body = rule.text.partition(":-")
    if rule.head is None:
        return [f"{side}_told({number},{side}) :- {body or '#true.'}"]
    return [f"{side}_told({number},{head.strip().rstrip('.')}) :- {body or '#true.'}"]


def _read(rule: Rule) -> set[tuple[str, int]]:
    return {(node.name, node.arity) for node in rule.body if isinstance(node, Signature)}
