"""Trials: one question on many slightly changed positions, within a deadline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from rules_asp.explain import layout
from rules_asp.knowledge.dependencies import ANY_TERM, TriggerKey
from rules_asp.knowledge.program import declared_signatures, without_norm
from rules_asp.knowledge.rules import Rule, Signature
from rules_asp.knowledge.solver import AnswerSet, EngineError, static_answer_sets
from rules_asp.parser.errors import BoardError
from rules_asp.positions.answer import (
    NOTHING_OF_THE_KIND,
    Scope,
    broken_norms,
    with_whole_buildings,
)
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position
from rules_asp.queries.question import Answer, Question
from rules_asp.runtime.limits import TooWide
from rules_asp.runtime.worker import LimitsOrWorker
from rules_asp.whatif.candidates import ChangeCandidate, Neighbourhood, change_kinds

#: A function that asks a question on a position.
Ask = Callable[[Position], Answer]


@dataclass(frozen=True)
class CalledQuestion(Question[Answer]):
    """A function as a question, for programs that have only a function."""

    kind = "call"
    put: Ask

    def answer(
        self,
        position: Position,
        limits: LimitsOrWorker = None,
        cite: bool = True,
        prove: bool = False,
    ) -> Answer:
        """Return the answer of the function, which applies limits and cites itself."""
        return self.put(position)

    def find(self, position: Position, cite: bool) -> Answer:
        """Return the answer of the function."""
        return self.put(position)

    def scope(self, position: Position, answer: Answer) -> Scope:
        """Return the scope of the answer."""
        return answer.about


#: The callback for progress: the number of trials done, of all trials, and the current trial.
TrialProgress = Callable[[int, int, str], object]
#: Inputs that only a question states, so the position cannot provide them.
_ASKED = frozenset(("asked", "asked_deed", "sought", "stacked", "held_to"))


#: The kinds of trials, in order.
SAID, NORMS, RULINGS, UNSAID = "statements", "norms", "rulings", "absences"
LINES, PAIRS = "lines", "pairs"
_TRIED = {
    SAID: ("line removed", "lines removed"),
    NORMS: ("rule", "rules"),
    RULINGS: ("ruling", "rulings"),
    UNSAID: ("line added", "lines added"),
    LINES: ("line", "lines"),
    PAIRS: ("pair of lines", "pairs of lines"),
}
#: Maximum number of rows of a table.
_MOST = 30


def counts_text(counts: Mapping[str, int]) -> list[str]:
    """Return the number of trials of each kind: `12 lines removed`."""
    return [f"{count:,} {_TRIED[what][count != 1]}" for what, count in counts.items()]


def not_tried(left: Mapping[str, int], seconds: float | None) -> layout.Line | None:
    """Return a line about the trials for which there was no time."""
    counts = counts_text({what: count for what, count in left.items() if count})
    if not counts:
        return None
    within = "" if seconds is None else f" within {seconds:g} s"
    return layout.Line(
        layout.Span(f"Not tried{within}: {', '.join(counts)}. Raise --time.", layout.Tone.DOUBT)
    )


def first_rows(title: str, rows: Sequence[layout.Row]) -> Iterator[layout.Block]:
    """Return the first rows of a table, and the number of the others."""
    yield layout.Table(rows[:_MOST], title)
    if len(rows) > _MOST:
        yield layout.Line(layout.dim(f"  {len(rows) - _MOST} more: --json lists all"))


@dataclass(frozen=True)
class TrialResult:
    """The result of a trial: answer and verdict; the answer is None if the question does not apply."""

    answer: Answer | None
    short: str


@dataclass(frozen=True)
class _Heard:
    """The node sets that a position was asked for."""

    wanted: dict[Signature, None] = field(default_factory=dict)
    keys: set[TriggerKey] = field(default_factory=set)


@dataclass(frozen=True)
class _Listening(Position):
    """A position that records the nodes it is asked for."""

    heard: _Heard = field(default_factory=_Heard)

    def settled(self, wanted: Iterable[Signature]) -> tuple[AnswerSet, ...]:
        """Return the static atoms, and record the nodes."""
        self.heard.wanted.update(dict.fromkeys(wanted))
        return super().settled(wanted)

    def ask(
        self, wanted: Sequence[Signature], question: QueryFacts, local: bool = False
    ) -> list[AnswerSet]:
        """Return the answer sets, and record the nodes."""
        self.heard.wanted.update(dict.fromkeys(wanted))
        self.heard.keys.update(question.keys)
        return super().ask(wanted, question, local)


class Trials:
    """The trials of one question on changed positions."""

    def __init__(
        self, position: Position, question: Question[Any], limits: LimitsOrWorker = None
    ) -> None:
        self.position = position
        self._question, self._limits = question, limits
        self._faults = frozenset(breach for breach, _ in broken_norms(position))

    def changed(self, candidates: Sequence[ChangeCandidate]) -> Position | None:
        """Return the changed position; None if the changes do not fit it."""
        try:
            return self.position.changed(each.change for each in candidates)
        except (BoardError, EngineError, ValueError):
            return None

    def of(self, candidates: Sequence[ChangeCandidate]) -> TrialResult | None:
        """Return the result after these changes; None if they do not fit or violate a norm."""
        there = self.changed(candidates)
        if there is None or not there.cases:
            return None
        if any(each.adds for each in candidates) and self._breaks(there):
            return None
        return self.with_position(there)

    def with_position(self, position: Position) -> TrialResult | None:
        """Return the result on a position; None if the answer takes too long."""
        try:
            answer = self._question.answer(position, self._limits, cite=False)
        except (QuestionError, BoardError, EngineError, IndexError):
            # The question names something that does not exist.
            return TrialResult(None, NOTHING_OF_THE_KIND)
        except TooWide:
            return None
        return TrialResult(answer, answer.summary())

    def _breaks(self, there: Position) -> bool:
        return any(breach not in self._faults for breach, _ in broken_norms(there))


@dataclass(frozen=True)
class RelevantToTrial:
    """The rules that can affect an answer on any changed board, and all names in them."""

    rules: tuple[Rule, ...]
    reads: frozenset[str]
    measured: bool

    @property
    def norms(self) -> frozenset[str]:
        """The norms of these rules."""
        return frozenset(rule.norm for rule in self.rules if rule.norm)


def relevant_to_trial(
    position: Position, question: Question[Any], limits: LimitsOrWorker = None
) -> RelevantToTrial:
    """Return the rules that can affect the answer; all rules if they are not known."""
    own = {each.name: getattr(position, each.name) for each in fields(Position)}
    listening = _Listening(**own)
    question.answer(listening, limits, cite=False)
    program, heard = position.program, listening.heard
    rules = program.rules
    measured = {node.name for node in declared_signatures(program.source, "measured")} - _ASKED
    names = frozenset(node.name for rule in rules for node in rule.body)
    if heard.wanted:
        could = change_kinds(position.vocabulary).keys() - {"section"}
        given = {*position.keys, *heard.keys, *((name, ANY_TERM) for name in (*measured, *could))}
        rules = program.cone_of(heard.wanted, given)
        names = _read(rules, heard.wanted)
        if not names.isdisjoint(measured):
            # Measured facts depend on the relevance of depictions to lines.
            lines = (node for each in program.measuring for node in program.derived[each[:2]])
            rules = program.cone_of([*heard.wanted, *lines], given)
            names = _read(rules, heard.wanted)
    return RelevantToTrial(rules, names | _OF_UNITS, not names.isdisjoint(measured))


def _read(rules: Iterable[Rule], wanted: Iterable[Signature]) -> frozenset[str]:
    nodes = (node for rule in rules for node in rule.body)
    return frozenset(node.name for nodes_ in (nodes, wanted) for node in nodes_)


#: The inputs that every question may read about the units that it names.
_OF_UNITS = frozenset(("unit", "at", "status"))


def neighbourhood(position: Position, about: Scope, bearing: RelevantToTrial) -> Neighbourhood:
    """Return the hexes near the scope of an answer, and the inputs that can affect it."""
    around = about.hexes.union(*(each.neighbours() for each in about.hexes))
    around = frozenset(each for each in around if each in position.bases)
    wholes = with_whole_buildings(position, around)
    return Neighbourhood(about.hexes, around, wholes, about.units, bearing.reads, bearing.measured)


def without_ruling(position: Position, ruling: str) -> Position:
    """Return the position with a ruling switched off."""
    off = replace(position, switched_off=(*position.switched_off, ruling))
    return off.changed(())


def position_without_norm(position: Position, norm: str) -> Position | None:
    """Return the position without the rules of a norm; None if that has no answer set."""
    lesser = without_norm(position.program, norm)
    if lesser.static_rules == position.program.static_rules:
        return replace(position, program=lesser)
    given = position.board_facts
    try:
        cases = static_answer_sets(lesser.static, given.symbols, position.keys, position.left_open)
    except EngineError:
        return None
    return replace(position, program=lesser, cases=cases, _indexes={}) if cases else None
