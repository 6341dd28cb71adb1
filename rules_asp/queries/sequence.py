"""`sequence`: several actions in order, each on the position that the ones before it leave.

A legal action changes the position: the unit's Location, and in the MPh its spent MF or MP. After
any other change, such as a marker for fire, further actions of the unit are unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import clingo

from rules_asp.explain import layout
from rules_asp.explain.proof import Evidence
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import make_reason
from rules_asp.game.board import Fact, UnitStatement
from rules_asp.game.grid import Location
from rules_asp.game.query import Argument, FunctionTerm, UnitLocation
from rules_asp.game.values import location_from_symbol
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.knowledge.rules import Signature
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict
from rules_asp.queries.deeds import DeedVerdict
from rules_asp.queries.legality import Can, CanQuestion
from rules_asp.queries.movement import FEWER_MOVES
from rules_asp.queries.question import Answer, LimitNote, ParameterKind, Question, parameter
from rules_asp.queries.step_search import step_deed
from rules_asp.queries.variants import (
    CROSSING,
    Arrival,
    crossed_hexsides,
    in_phase_if_stated,
    relocated,
    statuses_by_way,
)

#: The separator of actions.
THEN = " then "
#: Effects of an action that later actions do not take into account.
NOT_CARRIED = ("results of fire and of dice", "loss of concealment")


@dataclass(frozen=True)
class SequenceStep:
    """An action with its phase (None: not stated on the board) and its verdict."""

    action: str
    phase: str | None
    can: Can


@dataclass(frozen=True)
class ActionSequence(Answer):
    """Actions in order, up to the first that is not known to be legal.

    `unasked` are the actions after that one.
    """

    steps: tuple[SequenceStep, ...]
    unasked: tuple[str, ...]
    cites: Citations = NO_CITATIONS

    @property
    def word(self) -> Verdict:
        """The verdict on the last action asked: yes if all are legal."""
        return self.steps[-1].can.word

    def items(self) -> tuple[layout.Item, ...]:
        """Each action with its verdict."""
        return tuple(layout.Item(each.action, str(each.can.word)) for each in self.steps)

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the actions in order, the rules against the last one, and the ignored effects."""
        last = self.steps[-1].can
        rows = [
            (str(number), each.phase or "", each.action, layout.verdict_span(each.can.word))
            for number, each in enumerate(self.steps, 1)
        ]
        return self.reported(
            self.cites.norms,
            layout.Line(self._headline()),
            layout.Table(rows),
            layout.Table([(each,) for each in self.unasked], "Not asked"),
            layout.norms_listed(self.position, "Not allowed by", last.forbidding),
            layout.Table([(each,) for each in NOT_CARRIED], "Not carried from action to action"),
            self.ending(self.cites, last.unknown),
        )

    def _headline(self) -> layout.Phrase:
        last, many = self.steps[-1], len(self.steps)
        if last.can.legal:
            return layout.verdict_span(self.word), f": all {many} actions" if many > 1 else ""
        return layout.verdict_span(self.word), f": action {many}, {last.action}"

    def record(self) -> Record:
        """Return the actions, each with the record of `can`."""
        return {
            "board": self.position.board.name,
            "verdict": self.word,
            "actions": [
                {
                    "action": each.action,
                    "phase": each.phase,
                    "can": replace(each.can, on=self.position).record(),
                }
                for each in self.steps
            ],
            "unasked": list(self.unasked),
            "not_carried": list(NOT_CARRIED),
            **self.ending_record(self.cites, self.steps[-1].can.unknown),
        }


@dataclass(frozen=True)
class SequenceQuestion(Question[ActionSequence]):
    """Check several actions, one after the other.

    ACTIONS are sentences as for `can`, with `then` between them. To begin a phase, write its name,
    such as `afph`, between two actions. A move, rout or advance begins its own phase. `sequence`
    checks each action on the position that the earlier legal actions lead to.

    Example: rules-asp sequence assault "A moves to C4 then A advances to C3"
    """

    kind = "sequence"
    actions: str = parameter(ParameterKind.SENTENCE, metavar="ACTIONS")

    def limit_note(self) -> LimitNote:
        """It may take long, as `can`."""
        return LimitNote("sequence", FEWER_MOVES)

    def find(self, position: Position, cite: bool) -> ActionSequence:
        """The verdict on each action."""
        return sequence(position, self.actions, cite)

    def scope(self, position: Position, answer: ActionSequence) -> Scope:
        """Return the scope of the actions."""
        about = Scope()
        for each in answer.steps:
            about |= each.can.about
        return about


def sequence(position: Position, actions: str, cite: bool = True) -> ActionSequence:
    """Check whether these actions are legal in order; QuestionError as in `can`."""
    todo = [each.strip() for each in f" {actions} ".split(THEN)]
    phases = position.vocabulary.words["phase"]
    steps: list[SequenceStep] = []
    changed: set[str] = set()
    cites = NO_CITATIONS
    evidence: tuple[Evidence, ...] = ()
    while todo and (not steps or steps[-1].can.legal):
        action = todo.pop(0)
        if not action:
            raise QuestionError(
                "an action before or after `then` is missing; write `A moves to C4 then A advances to C3`"
            )
        if action in phases:
            position = _at_phase(position, action)
            continue
        asked = CanQuestion(action).resolved(position)
        position = _at_phase(position, _phase_of(position, asked))
        can = asked.placed(position, asked.find(position, cite))
        unit = _actor(asked)
        if can.legal and unit in changed:
            why = make_reason(position.vocabulary, "earlier_action")
            can = replace(can, legal=None, unknown=(why,))
        if unit is not None and (can.besides or not _is_step(asked)):
            changed.add(unit)
        steps.append(SequenceStep(action, _phase(position), replace(can, evidence=())))
        cites = cites.union(can.cites)
        evidence += can.evidence
        if can.legal:
            position = _after(position, can)
    if not steps:
        raise QuestionError("a sequence needs an action, such as `A moves to C4`")
    return ActionSequence(tuple(steps), tuple(todo), cites, evidence=evidence)


def _phase(position: Position) -> str | None:
    stated = next(position.board_facts.named("phase"), None)
    return None if stated is None else str(stated.arguments[0])


def _at_phase(position: Position, phase: str | None) -> Position:
    """Return the position in this phase, without spent MF; QuestionError for an earlier phase."""
    now, order = _phase(position), position.vocabulary.words["phase"]
    if phase is None or now is None or phase == now:
        return position
    if order.index(phase) < order.index(now):
        raise QuestionError(
            f"the phase {phase} is before the phase {now}, and a sequence cannot go back"
        )
    return in_phase_if_stated(_spent(position, None, 0), phase, None)


def _parts(asked: CanQuestion) -> tuple[Argument, ...]:
    """The parts of the action."""
    form = asked.doing.deed.value
    return form.args if isinstance(form, FunctionTerm) else ()


def _is_step(asked: CanQuestion) -> bool:
    form = asked.doing.deed.value
    return isinstance(form, FunctionTerm) and form.name == "step"


def _actor(asked: CanQuestion) -> str | None:
    """Return the unit of the action, if it names one."""
    parts = [each.value for each in _parts(asked)[_is_step(asked) :]]
    named = (each.unit if isinstance(each, UnitLocation) else each for each in parts[:1])
    return next((each for each in named if isinstance(each, str)), None)


def _phase_of(position: Position, asked: CanQuestion) -> str | None:
    """Return the phase of such steps; None for another action."""
    if not _is_step(asked):
        return None
    phases = {str(by): str(phase) for phase, by in position.cases[0].get("moves_by", 2)}
    return phases.get(str(_parts(asked)[0].value))


def _after(position: Position, can: Can) -> Position:
    """Return the position after a legal action; after a step, with the new Location and the spent
    MF or MP."""
    moved = list(_moved(position, can))
    if not moved:
        return position
    unit, to, cost, deeds = moved[0]
    there = relocated(position, (unit,), to, _arrival(position, unit, deeds))
    return _spent(there, unit, cost or 0) if _phase(position) in (None, "mph") else there


def _moved(
    position: Position, can: Can
) -> Iterator[tuple[str, Location, int | None, Sequence[clingo.Symbol]]]:
    """Yield the unit, destination, cost and steps of a move, the cheapest manner first; of two that
    cost the same, the one that gives a status."""

    def rank(way: DeedVerdict) -> tuple[bool, int, int]:
        given = statuses_by_way(position, way.deed.arguments[-1].name)
        return way.cost is None, way.cost or 0, -len(given)

    legal = [way for way in can.ways if way.legal and way.deed.name == "step"]
    for way in sorted(legal, key=rank):
        _, unit, _, to, _ = way.deed.arguments
        yield unit.string, location_from_symbol(to, position.names), way.cost, (way.deed,)
    form = can.doing.deed.value
    if can.there is not None and isinstance(form, FunctionTerm):
        by, name = (str(each.value) for each in form.args[:2])
        deeds = [step_deed(by, name, each) for each in can.there.path]
        yield name, can.there.to, can.there.mf, deeds


def _arrival(position: Position, unit: str, deeds: Sequence[clingo.Symbol]) -> Arrival:
    """Return how the unit has come after these steps: the hexsides crossed, and the statuses of a
    path that all its steps keep, also those before."""
    done = [clingo.Function("done", [each]) for each in deeds]
    asked = [clingo.Function("asked_deed", [each]) for each in deeds]
    asked += [clingo.Function("asked", [each]) for each in (*deeds, *done)]
    answers = position.ask(
        (Signature(*CROSSING), Signature("keeps", 2)),
        position.completed(QueryFacts(tuple(asked)), local=True),
        local=True,
    )
    given = [statuses_by_way(position, each.arguments[-1].name) for each in deeds]
    strayed = {
        str(course) for course, name in position.cases[0].get("strayed", 2) if name.string == unit
    }
    kept = [{(str(course), deed) for course, deed in each.get("keeps", 2)} for each in answers]
    statuses = (
        each
        for each in frozenset.intersection(*given) - strayed
        if all((each, deed) in pairs for deed in deeds for pairs in kept)
    )
    crossed = crossed_hexsides(position, answers)
    return Arrival(frozenset(statuses), frozenset().union(*crossed.values()))


def _spent(position: Position, unit: str | None, cost: int) -> Position:
    """Return the position with MF or MP spent by a unit; None: no unit."""

    def after(facts: tuple[Fact, ...], name: str) -> tuple[Fact, ...]:
        before = [fact.args[1] for fact in facts if fact.name == "gone"]
        gone = cost + sum(each for each in before if isinstance(each, int)) if unit else 0
        kept = tuple(fact for fact in facts if fact.name != "gone")
        return (*kept, Fact("gone", (name, gone))) if gone else kept

    statements = tuple(
        replace(each, facts=after(each.facts, each.name))
        if isinstance(each, UnitStatement) and unit in (None, each.name)
        else each
        for each in position.board.statements
    )
    return position.restated(replace(position.board, statements=statements))
