"""What is told with an answer besides what was asked: topics that kb/ names with told_with(Form,Topic).

Such is what becomes of the FP of a shot through a Breach, no DRM and yet of the shot, or that a step calls
for a Bog Check.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import clingo

from rules_asp.answers.unknowns import Doubts, Reason, left_open
from rules_asp.knowledge.program import valued
from rules_asp.knowledge.running import Answer
from rules_asp.knowledge.source import Node, Source
from rules_asp.positions.prepared import Position
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.names import named

_TOLD_WITH = "told_with"


@dataclass(frozen=True)
class Told:
    """A topic that is told besides, as questions name it.

    value: in words; None where it is not known, with the reasons. norm: that gives it; empty for none.
    """

    topic: str
    value: str | None
    norm: str = ""
    unknown: tuple[Reason, ...] = ()


def wanted_besides(source: Source, of_deeds: bool) -> tuple[Node, ...]:
    """What is asked of the knowledge base to tell what it wants told: topics of deeds, or others."""
    kinds = {head.topic for rule in source.rules for head in rule.heads if head.name == _TOLD_WITH}
    known = vocabulary().topics
    topics = sorted(kind for kind in kinds if kind and ("deed" in known[kind[0]].kinds) is of_deeds)
    return (*(Node(_TOLD_WITH, 2, topic) for topic in topics), *valued(*topics))


def told_besides(
    position: Position, answers: Sequence[Answer], forms: Collection[clingo.Symbol]
) -> tuple[Told, ...]:
    """What these answers tell besides of some shots or deeds, over all cases that the board leaves open."""
    return tuple(_told(position, answers, topic) for topic in _topics(answers, forms))


def goals_besides(answers: Sequence[Answer], forms: Collection[clingo.Symbol]) -> list[str]:
    """The atoms that give these topics their values, or leave them unknown."""
    return list(dict.fromkeys(_claims(answers, _topics(answers, forms))))


def _topics(answers: Iterable[Answer], forms: Collection[clingo.Symbol]) -> list[clingo.Symbol]:
    found = (pair for each in answers for pair in sorted(each.get(_TOLD_WITH, 2)))
    return list(dict.fromkeys(topic for form, topic in found if form in forms))


def _claims(answers: Iterable[Answer], topics: Sequence[clingo.Symbol]) -> Iterator[str]:
    for answer in answers:
        for topic in topics:
            if topic in answer.values:
                yield f"is({topic},{answer.values[topic]})"
            yield from (
                f"unknown({topic},{why})" for of, why in answer.get("unknown", 2) if of == topic
            )


def _told(position: Position, answers: Sequence[Answer], topic: clingo.Symbol) -> Told:
    values = [answer.values.get(topic) for answer in answers]
    why = dict.fromkeys(r for each in answers for r in Doubts(position, each).of(topic))
    if len(set(values)) > 1:
        why |= dict.fromkeys(left_open(position, answers, values))
        return Told(named(topic), None, unknown=tuple(why))
    (value,) = set(values)
    norms = sorted(norm.string for norm, of, _ in answers[0].get("stands", 3) if of == topic)
    return Told(
        named(topic),
        None if value is None else named(value),
        norms[0] if norms and value is not None else "",
        tuple(why),
    )
