"""What ways of several steps rest on: that their steps are legal, what these cost, what may be spent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import clingo

from rules_asp.answers.deeds import Verdict, goals_of, verdicts, wanted
from rules_asp.answers.proof import Grounds, grounds_of, prove
from rules_asp.knowledge.program import valued
from rules_asp.knowledge.running import Answer
from rules_asp.positions.indexes import Question
from rules_asp.positions.prepared import Position
from rules_asp.terms.grid import Location
from rules_asp.terms.names import named
from rules_asp.terms.symbols import location_of, symbol_of

_STEP = ("step", 5)
_WANTED = (*wanted(_STEP), *valued(("budget", 2)))


class _Step(Protocol):
    """A step of whichever unit: from where, where to, by which way in words."""

    @property
    def start(self) -> Location: ...
    @property
    def to(self) -> Location: ...
    @property
    def way(self) -> str: ...


_Key = tuple[Location, Location, str]


def route_grounds(
    position: Position, by: str, units: Sequence[str], paths: Sequence[Iterable[_Step]]
) -> list[Grounds]:
    """What each of these ways of the units, as one stack, rests on; one without steps on what they can spend.

    `by` is what such a step is called in a deed: move, rout and the like.
    """
    keys = [[(step.start, step.to, step.way) for step in path] for path in paths]
    if not keys:
        return []
    answers = _answers(position, by, units, dict.fromkeys(key for each in keys for key in each))
    found: dict[_Key, list[Verdict]] = {}
    for verdict in verdicts(position, answers, _STEP):
        kind, _, start, to, way = verdict.deed.arguments
        if str(kind) == by:
            found.setdefault((location_of(start), location_of(to), named(way)), []).append(verdict)
    goals = {
        key: [goal for each in found.get(key, ()) for goal in goals_of(each, answers)]
        for path in keys
        for key in path
    }
    spent = _spent(by, units, answers)
    every = dict.fromkeys((*(goal for each in goals.values() for goal in each), *spent))
    proved = {step.atom: step for step in prove(position, list(every), answers)}
    return [
        grounds_of(
            position,
            [
                proved[goal]
                for goal in (*(goal for key in path for goal in goals[key]), *spent)
                if goal in proved
            ],
        )
        for path in keys
    ]


def _answers(
    position: Position, by: str, units: Sequence[str], steps: Iterable[_Key]
) -> list[Answer]:
    """The answers to what the steps are, of all units, and to what these can spend."""
    any_, kind = clingo.Function("any"), clingo.Function(by)
    ends = dict.fromkeys((start, to) for start, to, _ in steps)
    about = []
    for unit in map(clingo.String, units):
        about.append(clingo.Function("stacked", [unit]))
        for start, to in ends:
            places = [symbol_of(each, "location") for each in (start, to)]
            about.append(
                clingo.Function("asked", [clingo.Function("step", [kind, unit, *places, any_])])
            )
        if not ends:
            step = clingo.Function("step", [kind, unit, any_, any_, any_])
            about.append(clingo.Function("asked", [step]))
    question = position.completed(Question(tuple(about)), local=True)
    return position.ask(_WANTED, question, local=True)


def _spent(by: str, units: Iterable[str], answers: Sequence[Answer]) -> list[str]:
    """The atoms that say what the units can spend."""
    goals = []
    for unit in units:
        topic = clingo.Function("budget", [clingo.Function(by), clingo.String(unit)])
        if topic in answers[0].values:
            # Of a sum the total holds, of what is no sum the value.
            goals += [f"{name}({topic},{answers[0].values[topic]})" for name in ("is", "total")]
    return goals
