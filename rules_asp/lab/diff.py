"""`lab diff`: boards, norms and expectations on which two rule sets differ.

One program holds both rule sets. They share the rules that are equal. Different rules, and all
rules that depend on them, occur twice, under two names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import clingo

from rules_asp.cases.expectations import expectations
from rules_asp.explain.unknown import Reason
from rules_asp.game.board import Expect, Fact
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
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.rules import Functor
from rules_asp.lab.change_effect import acting_goal, with_effect
from rules_asp.lab.diff_goals import (
    disagreement_goals,
    events_that_settle,
    goals_settled,
    nearest_kinds,
    order_for,
)
from rules_asp.lab.generator import (
    GRIDS,
    BoardModel,
    Generator,
    SearchBounds,
    SearchSite,
)
from rules_asp.lab.goals import kind_of, name_of, no_goals
from rules_asp.lab.report import SearchProgress, SearchReport
from rules_asp.lab.rulesets import (
    RuleSet,
    can_apply,
    changed_rules,
    joint_program,
    roles_of,
)
from rules_asp.lab.search import Search, Task, first_at, run_until, silent
from rules_asp.lab.witness import (
    Confirmation,
    GoalWitness,
    SiteFinding,
    SiteOutcome,
    Witness,
)
from rules_asp.parser import parse
from rules_asp.parser.writer import write_statements
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.ask import Asked, ask
from rules_asp.queries.check import check
from rules_asp.runtime.job_pool import LOCAL, JobSettings
from rules_asp.runtime.limits import Deadline, OutOfTime

# --- Cited norms that differ between two rule sets.


def changed_among(one: Program, other: Program, cites: Iterable[Citations]) -> Iterator[str]:
    """Yield cited norms that both rule sets have, with different rules."""
    for norm in dict.fromkeys(norm for each in cites for norm in each.norms):
        mine, theirs = (_rules(program, norm) for program in (one, other))
        if mine and theirs and mine != theirs:
            yield norm


def single_among(
    one: Callable[[str], bool], other: Callable[[str], bool], cites: Iterable[Citations]
) -> Iterator[str]:
    """Yield cited norms that are in force in only one of the two."""
    for norm in dict.fromkeys(norm for each in cites for norm in each.norms):
        if one(norm) != other(norm):
            yield norm


def _rules(program: Program, norm: str) -> frozenset[str]:
    return frozenset(rule.text for rule in program.source.rules if rule.norm == norm)


# --- The smallest boards on which two rule sets answer a question differently.


#: Limits for a comparison by role, unless others are given.
_OF_A_ROLE = (("buildings", 1), ("statements", 7))


@dataclass(frozen=True)
class Difference:
    """A kind of question with different answers, the smallest board, and both answers.

    way: only one answer is known, only the first (`more`) or second (`less`) is yes, or the values
    differ. The boards are equal except for the sections in force. cites: the rules of each answer.
    changed: cited norms that both sets have, with different rules. single: cited norms that only
    one set has, or has in force. unknown: the reasons of each answer that is unknown.
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
    unknown: tuple[tuple[Reason, ...], tuple[Reason, ...]] = ((), ())

    @property
    def apart(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The norms of only one answer, for each answer, without changed norms.

        Norms that only one rule set has come first.
        """
        one, other = (each.norms for each in self.cites)
        return self._own(one, other), self._own(other, one)

    def _own(self, norms: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
        own = (norm for norm in norms if norm not in (*others, *self.changed))
        return tuple(sorted(own, key=lambda norm: norm not in self.single))


@dataclass(frozen=True)
class RuleDiff:
    """A comparison of two rule sets.

    differences: questions with different answers. same: kinds of questions that could differ but
    never do within the limits. only: kinds that only the first, or only the second, answers. names:
    the names of the two. sides: sections in force and rulings switched off on each. once: kinds
    that differ only where one of the two is asked, such as a Location that the other lacks.
    """

    names: tuple[str, str]
    sides: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    differences: SearchReport[Difference]
    same: tuple[str, ...]
    only: tuple[tuple[str, ...], tuple[str, ...]]
    once: tuple[str, ...] = ()


def diff(one: RuleSet, other: RuleSet, search: Search) -> SearchReport[Difference]:
    """Search for all kinds of questions that two rule sets answer differently within the limits."""
    return compare_rule_sets(one, other, search).differences


def compare_rule_sets(
    one: RuleSet, other: RuleSet, search: Search, only: Collection[Functor] | None = None
) -> RuleDiff:
    """Compare two rule sets: differences, equal kinds, and kinds that only one answers.

    `only`: questions of these kinds, in detail. Otherwise the goals about a kind are left out that a
    found difference settles; see `goals_settled`.
    """
    search = _comparing(one, other, search, only)
    knows: tuple[set[str], set[str]] = (set(), set())
    apart: set[str] = set()
    course = SearchProgress(search)
    items: dict[str, Difference] = {}
    boards: dict[str, GoalWitness] = {}
    met: dict[SearchSite, bool] = {}

    def taken(goal: str, shown: GoalWitness | None) -> None:
        assert shown is not None
        if goal in boards and shown.size >= boards[goal].size:
            return
        boards[goal] = shown
        found = difference(one, other, shown)
        if goal not in items:
            search.told(f"{len(items) + 1} differences; {found.topic}")
            search.found(found)
        items[goal] = found

    if only is None and search.look.needs:
        for outcome in course.over(outcomes=_nearest(one, other, search, met), settles=False):
            for goal, shown in outcome.found:
                taken(goal, shown)
    first = search.bounds.grids[0]
    # Goals whose board may not be the smallest are searched again.
    sure = [goal for goal, shown in boards.items() if shown.least and shown.spot.grid == first]
    # With all kinds, an effect on an answer is part of each goal.
    search = replace(search, look=replace(search.look, needs=search.look.needs[:1]))
    whole = search.outcomes(known=sure, met=met)
    for outcome in () if course.interrupted else course.over(outcomes=whole):
        for goal, shown in outcome.found:
            term = clingo.parse_term(goal)
            if term.name == "elsewhere":
                apart.add(str(term.arguments[0]))
            elif term.name == "knows":
                knows[str(term.arguments[0]) == "other"].add(str(term.arguments[1]))
            else:
                taken(goal, shown)
    settled = search.look.settled(items)
    differences = [each for goal, each in items.items() if goal not in settled]
    differences.sort(key=lambda each: (each.topic, each.way))
    found = course.report(tuple(differences), settled.union(items))
    ways = [clingo.parse_term(goal).arguments for goal in items]
    ways += [clingo.parse_term(goal).arguments for goal in (*found.undecided, *found.unconfirmed)]
    differ = {str(kind) for kind, *_ in ways}
    mine, theirs = knows
    if only and search.look.parts and found.whole and not {*items, *mine, *theirs, *apart}:
        raise _not_asked(search.lab, min(only), tuple(search.look.parts))
    same = tuple(sorted((mine & theirs) - differ - apart))
    # Different answers settle `knows`, so that one of both goals may be missing.
    answered = {str(kind) for kind, *way in ways if way and way[0].name != "known"}
    alone = (tuple(sorted(mine - theirs - answered)), tuple(sorted(theirs - mine - answered)))
    sides = tuple((each.sections, (*each.without, *each.lacking)) for each in (one, other))
    once = tuple(sorted(apart - differ))
    return RuleDiff((one.name, other.name), sides, found, same, alone, once)


#: Seconds for each kind of question at each site before the search for all kinds.
_NEAREST = 8.0
#: The most searches without a difference before the search for all kinds.
_TRIED = 12


def _nearest(
    one: RuleSet, other: RuleSet, search: Search, met: dict[SearchSite, bool]
) -> Iterator[SiteOutcome]:
    """Yield outcomes up to a first difference, the kinds nearest to the changed rules first.

    Adds to `met` whether a changed rule may have an effect at a site.
    """
    found = False
    tried = 0
    lab = search.lab

    def tasks() -> Iterator[Task]:
        kinds = nearest_kinds(lab, one, other)
        for grid in search.bounds.grids:
            for mine in map(search_about, kinds):
                for spot in mine.spots(grid):
                    if found or tried >= _TRIED:
                        return
                    if met.get(spot, True):
                        yield first_at, spot, (mine.look.parts, spot in met)

    @cache
    def search_about(kind: Functor) -> Search:
        parts = disagreement_goals(lab, lab.unit_pairs, [kind], knows=False)
        if search.look.needs:
            parts = with_effect(search.look.needs[-1], parts, alone=True)
        look = replace(search.look, parts=parts)
        # The events that ask this kind of question suffice for a first difference.
        events = search.bounds.events or events_that_settle(lab, {kind: tuple(parts)})
        return replace(search, look=look, bounds=replace(search.bounds, events=events))

    def note(outcome: SiteOutcome) -> None:
        nonlocal found, tried
        met[outcome.spot] = not outcome.empty
        tried += not outcome.empty
        found |= bool(outcome.found)

    state = replace(search, told=silent, found=silent, patience=min(search.patience, _NEAREST))
    outcomes = run_until(
        search.job_settings, state, tasks(), search.clock, note, unneeded=lambda _: found
    )
    for outcome in outcomes:
        search.told(str(outcome.spot))
        yield outcome


def first_difference(
    one: RuleSet, other: RuleSet, search: Search, only: Collection[Functor] | None = None
) -> Difference | None:
    """Return the first difference found; `only` in questions of these kinds."""
    for found in _comparing(one, other, search, only).soonest():
        return _difference(one, other, *found)
    return None


def _comparing(
    one: RuleSet, other: RuleSet, search: Search, only: Collection[Functor] | None = None
) -> Search:
    """Return the search for differences."""
    bounds = replace(search.bounds, sections=one.sections, without=one.without)
    lab, changed = joint_program(one, other)
    if roles_of(lab, one, other) and (bounds.grids, bounds.most) == (GRIDS, SearchBounds().most):
        # A role is about one hex, and every question about it is asked twice.
        bounds = replace(
            bounds, grids=GRIDS[:1], most=_OF_A_ROLE if only is None else _OF_A_ROLE[:1]
        )
    if only is not None and bounds.events:
        for kind in sorted(only):
            _require_events(lab, kind, tuple(disagreement_goals(lab, changed, [kind])), bounds)
    parts = disagreement_goals(lab, changed, only, in_detail=only is not None)
    needs = acting_goal(lab, changed, one, other, parts)
    if needs:
        parts = with_effect(needs[-1], parts, alone=False)
    look = replace(
        search.look,
        parts=parts,
        evidence=_evidence,
        confirms=partial(_confirmed, one, other),
        plain=("knows", "elsewhere"),
        reads=(("difference", 2),),
        kind=_kind,
        settles=goals_settled if only is None else no_goals,
        events=order_for(lab, one, other, only),
        needs=needs,
        symmetric=True,
        once=True,
    )
    return replace(search, lab=lab, bounds=bounds, look=look)


def _require_events(
    lab: Generator, kind: Functor, layers: Collection[str], bounds: SearchBounds
) -> None:
    """Test that an event of a search is relevant to a kind of question in these layers, if any.

    Otherwise QuestionError.
    """
    at = {layer for each in filter(bounds.include, lab.events) for layer in each.layers}
    if layers and at.isdisjoint(layers):
        raise _not_asked(lab, kind, layers)


def _not_asked(lab: Generator, kind: Functor, layers: Collection[str]) -> QuestionError:
    """Return the error that no named event asks questions of a kind, with the events that do."""
    events = events_that_settle(lab, {kind: layers})
    events = events or tuple(each.kind for each in lab.events if {*each.layers} & {*layers})
    told = ", ".join(each for each in dict.fromkeys(events) if each != "claim")
    name = "sight" if kind[0] == "s" else kind[0]
    return QuestionError(f"{name} does not occur in these events: use --event with {told}")


def _difference(
    one: RuleSet, other: RuleSet, found: SiteFinding, shown: GoalWitness | None
) -> Difference:
    if shown is not None:
        return difference(one, other, shown)
    topic, way = map(str, clingo.parse_term(found.goal).arguments)
    return Difference(topic, way, str(found.spot), None, ("", ""), (NO_CITATIONS, NO_CITATIONS))


def _kind(goal: str) -> str:
    """Return the kind of question of a goal, whatever the way in which the answers differ."""
    term = clingo.parse_term(goal)
    return str(term.arguments[0]) if term.name == "differs" else goal


# --- Both answers.


#: The answer that a topic has no value.
NO_VALUE = "no value"


def _evidence(model: BoardModel) -> Query:
    """Return the question for both: value of the topic, legality of the action, or clear LOS."""
    about, way = model.goal.arguments
    ways = ("more", "less", "another") if way.name == "apart" else (way.name,)
    topic, so = min(
        (atom.arguments[0], atom.arguments[1].name)
        for atom in model.symbols
        if atom.name == "difference"
        and about in (kind_of(atom.arguments[0]), name_of(atom.arguments[0]))
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
    """Return both answers to a finding, from the ordinary commands; `cite`: with their rules."""
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
    unknown = (_reasons(asked[0]), _reasons(asked[1]))
    if way == "apart":
        way = "more" if answers[0] == "yes" else "less" if answers[1] == "yes" else "another"
        # The ordinary commands may find a reason that the joint program does not.
        way = "known" if bool(unknown[0]) != bool(unknown[1]) else way
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
        unknown,
    )


def _reasons(asked: Asked | str) -> tuple[Reason, ...]:
    return () if isinstance(asked, str) else asked.unknown


def _witnesses(one: RuleSet, other: RuleSet, shown: GoalWitness) -> tuple[Witness, Witness]:
    """Return the board for each side; if there are two, each without inputs that only the other
    reads."""
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
    """Confirm that the ordinary commands differ, and list the norms that either board violates."""
    doubt = difference(one, other, shown, cite=False).doubt
    boards = _witnesses(one, other, shown)
    checked = (
        check(_position(side, board.plain))
        for side, board in zip((one, other), boards, strict=True)
    )
    broken = (each.norm for found in checked for each in found.violations)
    return Confirmation(tuple(dict.fromkeys(broken)), doubt)


def _asked(side: RuleSet, shown: Witness, cite: bool) -> Asked | str:
    """Return the answer of one side; or why the question does not exist there, such as a Location
    that only the other side has."""
    try:
        return ask(_position(side, shown.plain), shown.query, cite)
    except QuestionError:
        return "there is no such thing"


#: The latest positions: many differences share one small board.
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
    """Return an answer in short form: the value, yes or no, or unknown."""
    if asked.found and asked.found[0].values:
        return " or ".join(dict(each.values)["Value"] for each in asked.found)
    if asked.holds is None:
        return f"unknown ({'; '.join(map(str, asked.unknown))})"
    if any(True for _ in query.variables):
        return "none" if _is_of_hindrance(query) else NO_VALUE
    return "yes" if asked.holds else "no"


# --- Expectations of boards that two rule sets answer differently.


@dataclass(frozen=True)
class ChangedExpectation:
    """An `expect` line with two different answers, its board file, and its line number."""

    file: str
    line: int
    question: str
    answers: tuple[str, str]
    passed: tuple[bool, bool]

    @property
    def record(self) -> dict[str, Any]:
        """Return the expectation as JSON."""
        return {
            "file": self.file,
            "line": self.line,
            "question": self.question,
            "answers": list(self.answers),
            "passed": list(self.passed),
        }


@dataclass(frozen=True)
class ChangedExpectations:
    """The expectations with different answers, found within the time.

    left: files not examined, because of the time limit or an interrupt.
    """

    found: tuple[ChangedExpectation, ...]
    left: tuple[str, ...] = ()
    interrupted: bool = False


def find_changed_expectations(
    one: RuleSet,
    other: RuleSet,
    files: Iterable[Path],
    clock: Deadline,
    jobs: JobSettings = LOCAL,
    told: Callable[[ChangedExpectation], None] = lambda _: None,
) -> ChangedExpectations:
    """Return what `changed_expectations` finds on these boards until the time limit or Ctrl-C.

    The boards are examined in the given order. `told` is called with each finding at once.
    """
    left = dict.fromkeys(_board_files(files))
    found: list[ChangedExpectation] = []
    interrupted = False
    tasks = ((_changed_on, path, ()) for path in tuple(left))
    try:
        for path, lines in run_until(jobs, (one, other), tasks, clock):
            del left[path]
            found += lines
            for each in lines:
                told(each)
    except OutOfTime:
        pass
    except KeyboardInterrupt:
        interrupted = True
    found.sort(key=lambda each: (each.file, each.line))
    return ChangedExpectations(tuple(found), tuple(map(str, left)), interrupted)


def _changed_on(
    sides: tuple[RuleSet, RuleSet], path: Path
) -> tuple[Path, tuple[ChangedExpectation, ...]]:
    return path, tuple(changed_expectations(*sides, [path]))


def changed_expectations(
    one: RuleSet, other: RuleSet, files: Iterable[Path]
) -> Iterator[ChangedExpectation]:
    """Yield each expectation of these boards or folders that the two answer differently.

    The board itself selects the sections in force; each side switches off its rulings. Boards on
    which no changed rule can apply are not asked.
    """
    changed = changed_rules(one, other)
    for path in _board_files(files):
        places = [_loaded(side, path) for side in (one, other)]
        applies = [
            place is None or can_apply(side, rules, place.board_facts.keys)
            for side, rules, place in zip((one, other), changed, places, strict=True)
        ]
        if not any(applies):
            continue
        told = [list(expectations(place)) if place else [] for place in places]
        for mine, theirs in zip(*told, strict=False):
            both = (mine.answered, theirs.answered)
            passed = (mine.passed, theirs.passed)
            if both != ("", "") and (both[0] != both[1] or passed[0] != passed[1]):
                line = mine.place.line
                text = _text(places, mine.expect)
                yield ChangedExpectation(str(path), line, text, both, passed)


def _text(places: Iterable[Position | None], expect: Expect) -> str:
    """Return an expectation as on its board, without its citations."""
    notation = next(each.notation for each in places if each is not None)
    line = write_statements([replace(expect, cites=())], notation)
    return line.strip().removeprefix("expect ")


def _loaded(side: RuleSet, path: Path) -> Position | None:
    # Positions of the included rules are cached between runs.
    program = None if side.program is load_program() else side.program
    try:
        return load(path, program, side.without)
    except QuestionError:
        return None


def _board_files(files: Iterable[Path]) -> Iterator[Path]:
    for each in files:
        yield from sorted(each.glob("*.board")) if each.is_dir() else (each,)
