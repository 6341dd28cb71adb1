"""`lab diff`: boards, norms and cases that differ.

Both stand in one program. What they derive alike they share; what differs, and all that rests on it, is
derived a second time under other names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import clingo

from rules_asp.cases.expectations import expectations
from rules_asp.game.board import Fact
from rules_asp.game.query import (
    Argument,
    Query,
    QueryLiteral,
    Variable,
    argument_from_symbol,
    arguments_from_symbols,
)
from rules_asp.game.values import default_notation
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.rules import Functor
from rules_asp.lab.diff_goals import disagreement_goals, events_that_settle, order_for
from rules_asp.lab.generator import GRIDS, BoardModel, Generator, SearchBounds, kind_of
from rules_asp.lab.report import SearchProgress, SearchReport
from rules_asp.lab.rulesets import RuleSet, joint_program, roles_of
from rules_asp.lab.search import Search
from rules_asp.lab.witness import Confirmation, GoalWitness, SiteFinding, Witness
from rules_asp.parser import parse
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.ask import Asked, ask
from rules_asp.queries.check import check
from rules_asp.runtime.limits import Deadline, OutOfTime

# --- Which of the norms that two answers rest on are not the same in two sets of rules.


def changed_among(one: Program, other: Program, cites: Iterable[Citations]) -> Iterator[str]:
    """The norms that are cited and that both have, each with other rules."""
    for norm in dict.fromkeys(norm for each in cites for norm in each.norms):
        mine, theirs = (_rules(program, norm) for program in (one, other))
        if mine and theirs and mine != theirs:
            yield norm


def single_among(
    one: Callable[[str], bool], other: Callable[[str], bool], cites: Iterable[Citations]
) -> Iterator[str]:
    """The norms that are cited and that only one has in force, as these tell."""
    for norm in dict.fromkeys(norm for each in cites for norm in each.norms):
        if one(norm) != other(norm):
            yield norm


def _rules(program: Program, norm: str) -> frozenset[str]:
    return frozenset(rule.text for rule in program.source.rules if rule.norm == norm)


# --- Two sets of rules side by side: on which small board do they answer a question differently?


#: The bounds of what is compared by role, where nothing else is said.
_OF_A_ROLE = (("buildings", 1), ("statements", 7))


@dataclass(frozen=True)
class Difference:
    """A kind of question that the two answer differently, with the smallest board and both answers.

    way: that one alone is known, that the first (`more`) or the second (`less`) alone says yes, or that
    they have another value. The boards are alike but for the sections in force. cites: what each answer
    rests on. changed: norms among these that both sets have, each with other rules. single: those that only
    one side has, or has on.
    """

    topic: str
    way: str
    where: str
    boards: tuple[Witness, Witness] | None
    answers: tuple[str, str]
    cites: tuple[Citations, Citations]
    doubt: str | None = None
    changed: tuple[str, ...] = ()
    single: tuple[str, ...] = ()

    @property
    def apart(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The norms that only the one answer rests on, and those of the other, but for changed ones.

        What only one side has comes first.
        """
        one, other = (each.norms for each in self.cites)
        return self._own(one, other), self._own(other, one)

    def _own(self, norms: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
        own = (norm for norm in norms if norm not in (*others, *self.changed))
        return tuple(sorted(own, key=lambda norm: norm not in self.single))


@dataclass(frozen=True)
class RuleDiff:
    """Two sets of rules side by side.

    differences: with what they answer differently. same: the kinds of questions that they could answer
    differently, and never do within the bounds. only: those of which only the first, or the second, has
    any answer. names: of the two; sides: the sections in force on each, and what is off. once: those that
    differ only where one of the two alone is asked, as of a Location that the other does not have.
    """

    names: tuple[str, str]
    sides: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    differences: SearchReport[Difference]
    same: tuple[str, ...]
    only: tuple[tuple[str, ...], tuple[str, ...]]
    once: tuple[str, ...] = ()


def diff(one: RuleSet, other: RuleSet, search: Search) -> SearchReport[Difference]:
    """All kinds of questions that the two answer differently on some board within the bounds."""
    return compare_rule_sets(one, other, search).differences


def compare_rule_sets(
    one: RuleSet, other: RuleSet, search: Search, only: Collection[Functor] | None = None
) -> RuleDiff:
    """Two sets of rules side by side: what differs, what is the same, what only one knows.

    `only`: in questions of these kinds.
    """
    search = _comparing(one, other, search, only)
    knows: tuple[set[str], set[str]] = (set(), set())
    apart: set[str] = set()
    course = SearchProgress(search)
    goals: set[str] = set()
    items = []
    for outcome in course.over():
        for goal, shown in outcome.found:
            term = clingo.parse_term(goal)
            if term.name == "elsewhere":
                apart.add(str(term.arguments[0]))
            elif term.name == "knows":
                knows[str(term.arguments[0]) == "other"].add(str(term.arguments[1]))
            elif goal not in goals:
                goals.add(goal)
                items.append(_difference(one, other, SiteFinding(goal, outcome.spot), shown))
                search.told(f"{len(items)} differences; {items[-1].topic}")
                search.found(items[-1])
    found = course.report(tuple(sorted(items, key=lambda each: (each.topic, each.way))), goals)
    differ = {
        str(clingo.parse_term(each).arguments[0])
        for each in (*goals, *found.undecided, *found.unconfirmed)
    }
    mine, theirs = knows
    same = tuple(sorted((mine & theirs) - differ - apart))
    alone = (tuple(sorted(mine - theirs)), tuple(sorted(theirs - mine)))
    sides = tuple((each.sections, (*each.without, *each.lacking)) for each in (one, other))
    once = tuple(sorted(apart - differ))
    return RuleDiff((one.name, other.name), sides, found, same, alone, once)


def first_difference(
    one: RuleSet, other: RuleSet, search: Search, only: Collection[Functor] | None = None
) -> Difference | None:
    """The difference that is found first; `only` in questions of these kinds."""
    for found in _comparing(one, other, search, only).soonest():
        return _difference(one, other, *found)
    return None


def _comparing(
    one: RuleSet, other: RuleSet, search: Search, only: Collection[Functor] | None = None
) -> Search:
    """The search for what differs."""
    bounds = replace(search.bounds, sections=one.sections, without=one.without)
    lab, changed = joint_program(one, other)
    if roles_of(lab, one, other) and (bounds.grids, bounds.most) == (GRIDS, SearchBounds().most):
        # A role is of one hex, and all that is asked of it is asked twice.
        bounds = replace(
            bounds, grids=GRIDS[:1], most=_OF_A_ROLE if only is None else _OF_A_ROLE[:1]
        )
    if only is not None:
        turns_on = {kind: tuple(disagreement_goals(lab, changed, [kind])) for kind in sorted(only)}
        bounds = replace(bounds, events=_events(lab, turns_on, bounds.events))
    look = replace(
        search.look,
        parts=disagreement_goals(lab, changed, only),
        evidence=_evidence,
        confirms=partial(_confirmed, one, other),
        plain=("knows", "elsewhere"),
        reads=(("differs", 2),),
        kind=_kind,
        events=order_for(lab, one, other, only),
    )
    return replace(search, lab=lab, bounds=bounds, look=look)


def _events(
    lab: Generator, turns_on: Mapping[Functor, Collection[str]], named: tuple[str, ...]
) -> tuple[str, ...]:
    """The events for some kinds of questions, each of which turns on these layers: those named, or all.

    QuestionError for a kind on which none of those that are named bears.
    """
    if not named:
        return events_that_settle(lab, turns_on)
    chosen = [each for each in lab.events if {each.kind, each.name} & {*named}]
    layers = {layer for each in chosen for layer in each.layers}
    for (name, _), of in turns_on.items():
        if of and layers.isdisjoint(of):
            events = dict.fromkeys(each.kind for each in lab.events if {*each.layers} & {*of})
            told = ", ".join(each for each in events if each != "claim")
            raise QuestionError(f"{'sight' if name == 's' else name} shows in other events: {told}")
    return named


def _difference(
    one: RuleSet, other: RuleSet, found: SiteFinding, shown: GoalWitness | None
) -> Difference:
    if shown is not None:
        return difference(one, other, shown)
    topic, way = map(str, clingo.parse_term(found.goal).arguments)
    return Difference(topic, way, str(found.spot), None, ("", ""), (NO_CITATIONS, NO_CITATIONS))


def _kind(goal: str) -> str:
    """What is asked: the answers differ in several ways, for which it is one kind of question."""
    term = clingo.parse_term(goal)
    return str(term.arguments[0]) if term.name == "differs" else goal


# --- both answers


def _evidence(model: BoardModel) -> Query:
    """What is asked of both: the value of the topic, whether the deed is legal, the sight clear."""
    about, way = model.goal.arguments
    ways = ("more", "less", "another") if way.name == "apart" else (way.name,)
    topic, so = min(
        (atom.arguments[0], atom.arguments[1].name)
        for atom in model.symbols
        if atom.name == "differs"
        and kind_of(atom.arguments[0]) == about
        and atom.arguments[1].name in ways
    )
    if topic.name == "s":
        sight = argument_from_symbol(topic, "sight", default_notation())
        if so == "another":
            hindrance = Argument(Variable("Value"), "number")
            return Query((QueryLiteral("hindrance", (sight, hindrance)),))
        return Query((QueryLiteral("sees", (sight,)),))
    entry = default_vocabulary().topics.get(topic.name)
    if entry is None:
        return Query(
            (QueryLiteral("legal", (argument_from_symbol(topic, "deed", default_notation()),)),)
        )
    args = arguments_from_symbols(topic.arguments, entry.kinds, default_notation())
    return Query((QueryLiteral(topic.name, args, Argument(Variable("Value"), entry.value)),))


def difference(one: RuleSet, other: RuleSet, shown: GoalWitness, cite: bool = True) -> Difference:
    """Both answers to what was found, by the ordinary commands; `cite`: with what they rest on."""
    boards = _witnesses(one, other, shown)
    asked = [_asked(side, board, cite) for side, board in zip((one, other), boards, strict=True)]
    answers = [
        each if isinstance(each, str) else _answer(shown.witness.query, each) for each in asked
    ]
    cites = [NO_CITATIONS if isinstance(each, str) else each.cites for each in asked]
    doubt = "asked of these boards, both answer the same" if answers[0] == answers[1] else None
    topic, way = map(str, clingo.parse_term(shown.goal).arguments)
    if _is_of_hindrance(shown.witness.query):
        topic = "hindrance"
    if way == "apart":
        way = "more" if answers[0] == "yes" else "less" if answers[1] == "yes" else "another"
    single = tuple(single_among(one.has, other.has, cites)) if cite else ()
    changed = changed_among(one.program, other.program, cites) if cite else ()
    return Difference(
        topic,
        way,
        str(shown.spot),
        (boards[0], boards[1]),
        (answers[0], answers[1]),
        (cites[0], cites[1]),
        doubt,
        tuple(each for each in changed if each not in single),
        single,
    )


def _witnesses(one: RuleSet, other: RuleSet, shown: GoalWitness) -> tuple[Witness, Witness]:
    """The board of either side; where they are two, each without what only the other's rules read."""
    if shown.twin is None:
        return shown.witness, shown.witness
    mine, theirs = shown.witness, shown.twin
    return _as_read(mine, one, other), _as_read(theirs, other, one)


def _as_read(shown: Witness, by: RuleSet, other: RuleSet) -> Witness:
    alone = {name for name in other.reads - by.reads if name in by.program.vocabulary.inputs}
    statements = shown.board.statements
    kept = (e for e in statements if not isinstance(e, Fact) or e.name not in alone)
    return replace(shown, board=replace(shown.board, statements=tuple(kept)))


def _confirmed(one: RuleSet, other: RuleSet, shown: GoalWitness) -> Confirmation:
    """Whether both answer differently by the ordinary commands, and what is broken on the board of
    either.
    """
    doubt = difference(one, other, shown, cite=False).doubt
    boards = _witnesses(one, other, shown)
    checked = (
        check(_position(side, board.plain))
        for side, board in zip((one, other), boards, strict=True)
    )
    broken = (each.norm for found in checked for each in found.violations)
    return Confirmation(tuple(dict.fromkeys(broken)), doubt)


def _asked(side: RuleSet, shown: Witness, cite: bool) -> Asked | str:
    """What one side answers; why there is no question, as of a Location that only the other has."""
    try:
        return ask(_position(side, shown.plain), shown.query, cite)
    except QuestionError:
        return "there is no such thing"


#: The positions that were asked last: many things differ on one small board.
_LAST: dict[tuple[int, tuple[str, ...], str], Position] = {}


def _position(side: RuleSet, text: str) -> Position:
    key = (id(side.program), side.without, text)
    if key not in _LAST:
        if len(_LAST) > 60:
            _LAST.clear()
        _LAST[key] = prepare(parse(text), side.program, side.without)
    return _LAST[key]


def _is_of_hindrance(query: Query) -> bool:
    return any(
        isinstance(each, QueryLiteral) and each.name == "hindrance" for each in query.literals
    )


def _answer(query: Query, asked: Asked) -> str:
    """An answer in short: the value, yes or no, or that it is unknown."""
    if asked.found and asked.found[0].values:
        return " or ".join(dict(each.values)["Value"] for each in asked.found)
    if asked.holds is None:
        return f"unknown ({'; '.join(map(str, asked.unknown))})"
    if any(True for _ in query.variables):
        return "none" if _is_of_hindrance(query) else "no value"
    return "yes" if asked.holds else "no"


# --- The expectations of boards that two sets of rules answer differently.


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
    one: RuleSet, other: RuleSet, files: Iterable[Path], clock: Deadline
) -> ChangedExpectations:
    """What turns on these boards, as `changed_expectations`, until the time is over or it is broken
    off by Ctrl-C.
    """
    todo = list(_board_files(files))
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
    for path in _board_files(files):
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


def _board_files(files: Iterable[Path]) -> Iterator[Path]:
    for each in files:
        yield from sorted(each.glob("*.board")) if each.is_dir() else (each,)
