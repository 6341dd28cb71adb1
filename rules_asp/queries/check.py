"""`check`: norms that a position violates, and its conflicts and unknown topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar

from rules_asp.explain import layout, record
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import (
    Label,
    Reason,
    UnknownReasons,
    differing_assumptions,
    label,
    make_reason,
)
from rules_asp.game.board import Doubt, UncertainFact
from rules_asp.game.values import Notation
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.parser.writer import given_line
from rules_asp.positions.position import Position
from rules_asp.positions.scope import BrokenNorm, broken_norms, possibly_broken
from rules_asp.queries.question import Answer

_T = TypeVar("_T")
#: The kinds of places. Topics that differ only in a place share a row of the report.
_PLACES = frozenset(("hex", "hexside", "location", "vertex"))


@dataclass(frozen=True)
class Conflict:
    """Two undefeated norms that give a topic different values; `label` is the topic in words."""

    topic: str
    label: Label
    one: str
    other: str
    one_paragraph: str
    other_paragraph: str

    def __str__(self) -> str:
        return f"{self.one} against {self.other} on {self.topic}"


@dataclass(frozen=True)
class UnknownTopic:
    """A topic without an answer on this board, with the reasons; `label` is the topic in words."""

    topic: str
    label: Label
    why: Reason


@dataclass(frozen=True)
class Checked(Answer):
    """The result of `check`."""

    violations: tuple[BrokenNorm, ...]
    conflicts: tuple[Conflict, ...]
    unknown: tuple[UnknownTopic, ...]
    doubts: tuple[tuple[str, str], ...]

    @property
    def _paragraphs(self) -> tuple[str, ...]:
        pairs = ((e.one_paragraph, e.other_paragraph) for e in self.conflicts)
        return (*(each.paragraph for each in self.violations), *chain.from_iterable(pairs))

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return violations, conflicts, unknown topics and uncertain map data."""
        broken = [(each.where, layout.norm_span(each.norm), each.what) for each in self.violations]
        clashing = [
            (str(e.label), layout.norm_span(e.one), ("against ", layout.norm_span(e.other)))
            for e in self.conflicts
        ]
        known = self.position.program.norms
        violated = (each.norm for each in self.violations if each.norm in known)
        nothing = not (broken or clashing or self.unknown)
        return self.reported(
            (),
            layout.Table(broken, _counted(len(broken), "rule violation")),
            layout.norms_listed(self.position, "Violated", violated),
            layout.Table(clashing, _counted(len(clashing), "conflict")),
            layout.Table(
                layout.merged(
                    (
                        _apart_from_place(e),
                        e.label.about,
                        f"{e.label.meaning}: {e.why}".lstrip(": "),
                    )
                    for e in self.unknown
                ),
                "Unknown",
            ),
            layout.Table(
                layout.merged((text, where, text) for where, text in self.doubts),
                "Doubts of the import",
            ),
            layout.noted(self.position.program.notes, self._paragraphs),
            layout.Line(layout.Span(_OK, layout.Tone.SURE)) if nothing else None,
        )

    def record(self) -> Record:
        """Return violations, conflicts, unknown topics and uncertain map data as JSON."""
        return {
            "board": self.position.board.name,
            "violations": [record.fault(each) for each in self.violations],
            "conflicts": [
                {
                    "topic": each.topic,
                    "norms": [each.one, each.other],
                    "cites": [each.one_paragraph, each.other_paragraph],
                }
                for each in self.conflicts
            ],
            "unknowns": [{"topic": each.topic, "why": str(each.why)} for each in self.unknown],
            "doubts": [{"at": where, "what": text} for where, text in self.doubts],
            **record.notes(self.position.program.notes, self._paragraphs),
        }


_OK = "OK: no rule violations, no conflicts"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _apart_from_place(unknown: UnknownTopic) -> tuple[str, ...]:
    """Return the predicate of a topic and its reason without the places in them."""
    why = unknown.why
    kinds = why.declared.kinds if why.declared else ("",) * len(why.about)
    about = ("" if kind in _PLACES else word for kind, word in zip(kinds, why.about, strict=True))
    return (unknown.topic.partition("(")[0], why.name, *about)


def check(position: Position) -> Checked:
    """Check a position, over all cases that the board leaves open."""
    paragraph = {norm.id: norm.paragraph for norm in position.program.norms.values()}
    conflicts: dict[Conflict, None] = {}
    open_ = (each.given for each in position.board.statements if isinstance(each, UncertainFact))
    notation = position.notation
    may_be_so = make_reason(notation.vocabulary, "may_be_so")
    lines = (given_line(each, notation) for each in open_)
    unknown = {UnknownTopic(line, Label(line), may_be_so): None for line in lines}
    for case in position.cases:
        for conflict in _conflicts(case, paragraph, notation):
            conflicts[conflict] = None
        doubts = UnknownReasons(position, case)
        for topic in dict.fromkeys(topic for topic, _ in case.get("unknown", 2)):
            for because in doubts.of(topic):
                if not because.is_conflict:
                    named = notation.term_text(topic), label(topic, notation)
                    unknown[UnknownTopic(*named, because)] = None
    for fault, told in possibly_broken(position):
        for because in differing_assumptions(position, position.cases, told):
            unknown[UnknownTopic(fault, Label(fault), because)] = None
    return Checked(
        _sorted(breach for breach, _ in broken_norms(position)),
        _sorted(conflicts),
        _sorted(unknown),
        tuple(
            (position.names.text(each.where), each.text)
            for each in position.board.statements
            if isinstance(each, Doubt)
        ),
    )


def _conflicts(
    case: AnswerSet, paragraph: dict[str, str], notation: Notation
) -> Iterator[Conflict]:
    for topic, one, other in case.get("conflict", 3):
        yield Conflict(
            notation.term_text(topic),
            label(topic, notation),
            one.string,
            other.string,
            paragraph.get(one.string, one.string),
            paragraph.get(other.string, other.string),
        )


def _sorted(found: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(sorted(found, key=str))
