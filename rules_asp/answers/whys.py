"""What to ask why of, for each kind of answer: the questions whose proofs are the reasons of it."""

from __future__ import annotations

from collections.abc import Iterator

import clingo

from rules_asp.answers.allowing import Can
from rules_asp.answers.movement import Moves
from rules_asp.answers.rolls import Rolled
from rules_asp.answers.routes import MoveStep
from rules_asp.answers.shots import Drm, Fire
from rules_asp.answers.sights import Los
from rules_asp.parser import parse_query
from rules_asp.positions.belonging import Answer
from rules_asp.terms.arguments import to_board_text
from rules_asp.terms.board import Shot
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import Argument, FunctionTerm, LosTerm, Query, QueryLiteral, Variable
from rules_asp.terms.reading import argument_from_symbol

#: So many of the steps are told that end where a way would.
_STEPS = 3


def queries_behind(answer: Answer) -> tuple[Query, ...]:
    """The questions that an answer other than to a question comes down to; none of many sights."""
    return tuple(Query((each,)) for each in _literals(answer))


def _literals(answer: Answer) -> Iterator[QueryLiteral]:
    match answer:
        case Los():
            sight = Argument(LosTerm(answer.a, answer.b), "sight")
            yield QueryLiteral("sees", (sight,))
            if answer.clear and answer.hindrances:
                yield QueryLiteral("hindrance", (sight, Argument(Variable("V"), "number")))
        case Drm():
            yield _valued("tem", _shot(answer.shot))
        case Fire():
            shot = answer.drm.shot
            fired = clingo.parse_term(f"fire({shot.firer.term},{shot.target.term})")
            if answer.sight is not None and answer.sight.clear is not True:
                yield from _literals(answer.sight)
            if answer.legal is not True:
                yield _legal(fired)
            yield _valued("drm", _shot(shot))
        case Can():
            yield from _deciding(answer)
        case Moves():
            ways = (*answer.reach, *answer.perhaps)
            steps = dict.fromkeys(step for way in ways for step in way.path)
            closed = (step for step in answer.forbidden if step.start == answer.start)
            for step in (*steps, *closed):
                for unit in answer.units:
                    yield _step(answer.by, clingo.String(unit), step)
        case Rolled():
            roll = clingo.parse_term(answer.term)
            for each in answer.modifiers:
                yield _valued("modifier", roll, clingo.Function(each.die))
            for result in answer.results:
                yield _valued("outcome", roll, clingo.Function(result.name))


def _deciding(answer: Can) -> Iterator[QueryLiteral]:
    """That what decides is legal: each step of a way of several, or each deed of the same verdict."""
    form = answer.doing.deed.value
    steps = answer.there.path if answer.there is not None else answer.last_steps[:_STEPS]
    if not steps:
        yield from (_legal(way.deed) for way in answer.ways if way.legal is answer.legal)
    elif isinstance(form, FunctionTerm):
        by, unit = (each.term for each in form.args[:2])
        for step in steps:
            yield _step(by, unit, step)


def _step(by: object, unit: object, step: MoveStep) -> QueryLiteral:
    """That a unit may take a step."""
    start, to = (to_board_text(each, "location") for each in (step.start, step.to))
    (literal,) = parse_query(f"legal(step({by},{unit},{start},{to},{step.way}))").literals
    assert isinstance(literal, QueryLiteral)
    return literal


def _legal(deed: clingo.Symbol) -> QueryLiteral:
    return QueryLiteral("legal", (argument_from_symbol(deed, "deed"),))


def _shot(shot: Shot) -> clingo.Symbol:
    parts = f"{shot.firer.term},{shot.target.term},{shot.how},{shot.doing}"
    return clingo.parse_term(f"shot({parts})")


def _valued(topic: str, *about: clingo.Symbol) -> QueryLiteral:
    entry = vocabulary().topics[topic]
    given = zip(about, entry.kinds, strict=True)
    return QueryLiteral(
        topic,
        tuple(argument_from_symbol(symbol, kind) for symbol, kind in given),
        Argument(Variable("V"), entry.value),
    )
