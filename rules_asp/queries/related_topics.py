"""What is told with an answer besides what was asked: topics that kb/ names with told_with(Form,Topic).

Such is what becomes of the FP of a shot through a Breach, no DRM and yet of the shot, or that a step calls
for a Bog Check.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import clingo

from rules_asp.explain.proof import value_goals
from rules_asp.explain.unknown import Reason, agreed_value
from rules_asp.knowledge.program import Program, value_signatures
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.position import Position

_TOLD_WITH = "told_with"


@dataclass(frozen=True)
class RelatedTopic:
    """A topic that is told besides, as questions name it.

    value: in words; None where it is not known, with the reasons. norm: that gives it; empty for none.
    """

    topic: str
    value: str | None
    norm: str = ""
    unknown: tuple[Reason, ...] = ()


def related_topics(program: Program, of_deeds: bool) -> tuple[Signature, ...]:
    """What is asked of the knowledge base to tell what it wants told: topics of deeds, or others."""
    kinds = {
        head.topic
        for rule in program.source.rules
        for head in rule.heads
        if head.name == _TOLD_WITH
    }
    known = program.vocabulary.topics
    topics = sorted(kind for kind in kinds if kind and ("deed" in known[kind[0]].kinds) is of_deeds)
    return (*(Signature(_TOLD_WITH, 2, topic) for topic in topics), *value_signatures(*topics))


def read_related_topics(
    position: Position, answers: Sequence[AnswerSet], forms: Collection[clingo.Symbol]
) -> tuple[RelatedTopic, ...]:
    """What these answers tell besides of some shots or deeds, over all cases that the board leaves open."""
    return tuple(_told(position, answers, topic) for topic in _topics(answers, forms))


def related_goals(answers: Sequence[AnswerSet], forms: Collection[clingo.Symbol]) -> list[str]:
    """The atoms that give these topics their values, or leave them unknown."""
    return value_goals(_topics(answers, forms), answers)


def _topics(answers: Iterable[AnswerSet], forms: Collection[clingo.Symbol]) -> list[clingo.Symbol]:
    found = (pair for each in answers for pair in sorted(each.get(_TOLD_WITH, 2)))
    return list(dict.fromkeys(topic for form, topic in found if form in forms))


def _told(position: Position, answers: Sequence[AnswerSet], topic: clingo.Symbol) -> RelatedTopic:
    value, why = agreed_value(position, answers, topic)
    named = position.notation.term_text(topic)
    if value is None:
        return RelatedTopic(named, None, unknown=why)
    norms = sorted(
        norm.string for norm, of, _ in answers[0].get("undefeated_value", 3) if of == topic
    )
    return RelatedTopic(named, position.notation.term_text(value), norms[0] if norms else "", why)
