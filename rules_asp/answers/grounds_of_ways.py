"""What ways of several steps rest on: that their steps are legal, what these cost, what may be spent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import clingo

from rules_asp.answers.budgets import TOPICS, WANTED
from rules_asp.answers.deeds import DeedVerdict, deed_query, verdict_goals, verdicts
from rules_asp.answers.proof import Provenance, prove, provenance_of
from rules_asp.answers.steps import ProofStep as Proof
from rules_asp.knowledge.running import AnswerSet
from rules_asp.positions.indexes import QueryFacts
from rules_asp.positions.next_turns import next_turn
from rules_asp.positions.prepared import Position
from rules_asp.terms.grid import Location
from rules_asp.terms.names import term_text
from rules_asp.terms.symbols import location_from_symbol, to_symbol

_STEP = ("step", 5)
_WANTED = (*deed_query(_STEP), *WANTED)


class _Step(Protocol):
    """A step of whichever unit: from where, where to, by which way in words."""

    @property
    def start(self) -> Location: ...
    @property
    def to(self) -> Location: ...
    @property
    def way(self) -> str: ...
    @property
    def later(self) -> bool: ...


_Key = tuple[Location, Location, str]


#: The answers to what the steps out of each Location are, those asked at once being the same ones.
WaveAnswers = Mapping[Location, Sequence[AnswerSet]]
_Proofs = dict[_Key, list[Proof]]
_Wave = tuple[Sequence[AnswerSet], list[_Key]]


def path_provenance(
    position: Position,
    by: str,
    units: Sequence[str],
    paths: Sequence[Iterable[_Step]],
    waves: WaveAnswers | None = None,
    later: WaveAnswers | None = None,
) -> list[Provenance]:
    """What each of these ways of the units, as one stack, rests on; one without steps on what they can
    spend.

    `by` is what such a step is called in a deed: move, rout and the like. `waves` are the answers to
    what the steps out of the places on the ways are, if they are at hand; None: they are asked for. So
    are `later`, for steps of later turns.
    """
    keys = [[(step.later, (step.start, step.to, step.way)) for step in path] for path in paths]
    if not keys:
        return []
    now = [key for each in keys for is_later, key in each if not is_later]
    found, spent = _found(position, by, units, now, waves)
    then = [key for each in keys for is_later, key in each if is_later]
    after: _Proofs = {}
    if then:
        after, _ = _found(next_turn(position), by, units, then, later)
    return [
        provenance_of(
            position,
            [
                *(step for is_later, key in path for step in (after if is_later else found)[key]),
                *spent,
            ],
        )
        for path in keys
    ]


def _found(
    position: Position,
    by: str,
    units: Sequence[str],
    keys: Iterable[_Key],
    waves: WaveAnswers | None,
) -> tuple[_Proofs, list[Proof]]:
    """Proofs of what is said of these steps, and of what the units can spend."""
    every = list(dict.fromkeys(keys))
    asked: list[_Wave] = (
        [(_answers(position, by, units, every), every)] if waves is None else _by_wave(waves, every)
    )
    found: _Proofs = {}
    spent: list[Proof] = []
    for number, (answers, some) in enumerate(asked):
        more = _spent(by, units, answers) if number == 0 else []
        proofs, on = _proved(position, by, answers, some, more)
        found |= proofs
        spent += on
    return found, spent


def _by_wave(waves: WaveAnswers, keys: Iterable[_Key]) -> list[_Wave]:
    """The steps that were asked for at once, with the answers; the first wave is there in any case."""
    first = next(iter(waves.values()))
    found: dict[int, _Wave] = {id(first): (first, [])}
    for key in keys:
        answers = waves[key[0]]
        found.setdefault(id(answers), (answers, []))[1].append(key)
    return list(found.values())


def _proved(
    position: Position,
    by: str,
    answers: Sequence[AnswerSet],
    keys: Sequence[_Key],
    spent: Sequence[str],
) -> tuple[_Proofs, list[Proof]]:
    """Proofs of what is said of these steps, and of what can be spent."""
    found: dict[_Key, list[DeedVerdict]] = {}
    for verdict in verdicts(position, answers, _STEP):
        kind, _, start, to, way = verdict.deed.arguments
        if str(kind) == by:
            found.setdefault(
                (location_from_symbol(start), location_from_symbol(to), term_text(way)), []
            ).append(verdict)
    goals = {
        key: [goal for each in found.get(key, ()) for goal in verdict_goals(each, answers)]
        for key in keys
    }
    every = dict.fromkeys((*(goal for each in goals.values() for goal in each), *spent))
    proved = {step.atom: step for step in prove(position, list(every), answers)}
    return (
        {key: [proved[goal] for goal in each if goal in proved] for key, each in goals.items()},
        [proved[goal] for goal in spent if goal in proved],
    )


def _answers(
    position: Position, by: str, units: Sequence[str], steps: Iterable[_Key]
) -> list[AnswerSet]:
    """The answers to what the steps are, of all units, and to what these can spend."""
    any_, kind = clingo.Function("any"), clingo.Function(by)
    ends = dict.fromkeys((start, to) for start, to, _ in steps)
    about = []
    for unit in map(clingo.String, units):
        about.append(clingo.Function("stacked", [unit]))
        for start, to in ends:
            places = [to_symbol(each, "location") for each in (start, to)]
            about.append(
                clingo.Function("asked", [clingo.Function("step", [kind, unit, *places, any_])])
            )
        if not ends:
            step = clingo.Function("step", [kind, unit, any_, any_, any_])
            about.append(clingo.Function("asked", [step]))
    question = position.completed(QueryFacts(tuple(about)), local=True)
    return position.ask(_WANTED, question, local=True)


def _spent(by: str, units: Iterable[str], answers: Sequence[AnswerSet]) -> list[str]:
    """The atoms that say what the units can spend, or why that, or what else a way costs, is not known."""
    values = answers[0].values
    topics = [
        clingo.Function(name, [clingo.Function(by), clingo.String(unit)])
        for unit in units
        for name in TOPICS
    ]
    # Of a sum the total holds, of what is no sum the value.
    told = [f"{name}({t},{values[t]})" for t in topics if t in values for name in ("is", "total")]
    unknown = (atom for answer in answers for atom in answer.own_atoms("unknown", 2))
    told += [str(atom) for atom in unknown if atom.arguments[0] in topics]
    return list(dict.fromkeys(told))
