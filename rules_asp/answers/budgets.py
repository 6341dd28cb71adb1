"""What units that go together can spend in a phase, as the rules say it of each of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import clingo

from rules_asp.answers.routes import MovementBudget
from rules_asp.answers.unknowns import Reason, UnknownReasons, differing_assumptions
from rules_asp.knowledge.running import AnswerSet
from rules_asp.knowledge.source import Signature
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import Position

#: The topics that make a budget: what there is for a phase, what is left of it, what else a way costs.
TOPICS = ("budget", "left", "besides")
WANTED = (
    *(Signature(name, 2, (topic, 2)) for topic in TOPICS for name in ("is", "total", "unknown")),
    *(
        Signature(name, arity, (topic, 2))
        for topic in TOPICS
        for name, arity in (("stands", 3), ("addend", 4))
    ),
    Signature("bonus", 4),
    Signature("strayed", 2),
    Signature("single", 1),
    Signature("pays", 3),
)

#: Which of several values it is that counts.
_PICKS = {"least": min, "greatest": max}


def combine_stack(static: AnswerSet, of: str, values: Sequence[int | None]) -> int | None:
    """Which of the values that units have counts for them all; None where one is not known."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    if len(set(known)) == 1:
        return known[0]
    picks = {str(name): str(pick) for name, pick in static.get("counts_for_all", 2)}
    return _PICKS[picks[of]](known) if of in picks else None


def budget_of(
    position: Position, answers: Sequence[AnswerSet], by: str, units: tuple[str, ...]
) -> MovementBudget:
    """What the units can spend; where the cases of the board differ it is not known."""
    static = position.cases[0]
    doubts = [UnknownReasons(position, answer) for answer in answers]
    reasons: dict[Reason, None] = {}
    norms: dict[str, None] = {}
    amounts: dict[str, int | None] = {}
    for name in ("budget", "left"):
        topics = _about(name, by, units)
        found = [_value(answer, static, name, topics) for answer in answers]
        if len(set(found)) > 1:
            reasons |= dict.fromkeys(differing_assumptions(position, answers, found))
        # What is left hangs on what there is, of which the reasons are told.
        amounts[name] = found[0] if len(set(found)) == 1 else None
        reasons = reasons or dict.fromkeys(_reasons(doubts, topics))
        norms |= dict.fromkeys(_norms(answers, topics))
    single = by in {
        str(each) for answer in answers for (each,) in _both(answer, static, "single", 1)
    }
    bonuses = [_bonuses(answer, static, by, units) for answer in answers]
    certain = [set(each.items()) for each in bonuses]
    agreed = dict(sorted(certain[0].intersection(*certain))) if certain else {}
    strayed = {
        str(course)
        for answer in answers
        for course, unit in _both(answer, static, "strayed", 2)
        if unit.string in units
    }
    return MovementBudget(
        amounts["left"],
        amounts["budget"],
        agreed,
        single,
        tuple(reasons),
        tuple(norms),
        tuple(dict.fromkeys(_reasons(doubts, _about("besides", by, units)))),
        frozenset(strayed),
    )


def _about(name: str, by: str, units: Iterable[str]) -> list[clingo.Symbol]:
    return [clingo.Function(name, [clingo.Function(by), clingo.String(u)]) for u in units]


def _both(
    answer: AnswerSet, static: AnswerSet, name: str, arity: int
) -> set[tuple[clingo.Symbol, ...]]:
    """What rests on the board alone is not told again in the answer to a question."""
    return {*static.get(name, arity), *answer.get(name, arity)}


def _value(
    answer: AnswerSet, static: AnswerSet, name: str, topics: Sequence[clingo.Symbol]
) -> int | None:
    values = answer.values
    return combine_stack(static, name, [values[t].number if t in values else None for t in topics])


def _reasons(doubts: Iterable[UnknownReasons], topics: Sequence[clingo.Symbol]) -> Iterable[Reason]:
    return (why for each in doubts for topic in topics for why in each.of(topic))


def _norms(answers: Iterable[AnswerSet], topics: Sequence[clingo.Symbol]) -> Iterable[str]:
    for answer in answers:
        yield from (norm.string for norm, topic, _ in answer.get("stands", 3) if topic in topics)
        yield from (norm.string for topic, norm, _, _ in answer.get("addend", 4) if topic in topics)


def _bonuses(answer: AnswerSet, static: AnswerSet, by: str, units: Iterable[str]) -> dict[str, int]:
    """What each of the units may spend more on a way of a course."""
    given = {
        (str(course), unit.string, amount.number)
        for course, steps, unit, amount in _both(answer, static, "bonus", 4)
        if str(steps) == by
    }
    amounts = sorted({(course, amount) for course, _, amount in given})
    return {m: n for m, n in amounts if all((m, unit, n) in given for unit in units)}


def cost_unit(position: Position, by: str, units: Sequence[str]) -> str:
    """What all the units pay such steps in; QuestionError where they do not pay alike."""
    pays = {
        unit.string: str(price)
        for steps, unit, price in position.cases[0].get("pays", 3)
        if str(steps) == by
    }
    first = pays.get(units[0], "mf")
    for unit in units[1:]:
        if pays.get(unit, "mf") != first:
            raise QuestionError(
                f"{units[0]} and {unit} do not move as one: one pays in MF, the other in MP"
            )
    return first
