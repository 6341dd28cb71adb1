"""Prices of deeds that are not allowed: what the rules give as a cost, and what forbids the deed itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import clingo

from rules_asp.answers.asking import Asked, ask, bindings_of, verdict_goals
from rules_asp.answers.deeds import ForbiddenDeed, deed_sentence
from rules_asp.answers.questions import name_anonymous, resolve_and_check
from rules_asp.knowledge.source import Signature
from rules_asp.positions.indexes import QueryFacts
from rules_asp.positions.prepared import Position
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.names import term_text
from rules_asp.terms.query import Query, QueryLiteral

#: Of so many ways it is told what is not allowed.
_TOLD = 20


def ask_with_forbidden_deeds(position: Position, query: Query, cite: bool = True) -> Asked:
    """The answer to a question, with what is not allowed of that whose price it tells, if to `cite`."""
    answer = ask(position, query, cite)
    return with_forbidden_deeds(position, query, answer) if cite else answer


def with_forbidden_deeds(position: Position, query: Query, answer: Asked) -> Asked:
    """The answer with what is not allowed of that whose price it tells."""
    prices = vocabulary().words["price"]
    if not any(isinstance(each, QueryLiteral) and each.name in prices for each in query.literals):
        return answer
    told = name_anonymous(resolve_and_check(position, query))
    atoms = verdict_goals(told, bindings_of(position, told).certain[:_TOLD])
    return replace(answer, not_allowed=forbidden_deeds(position, atoms))


def forbidden_deeds(position: Position, atoms: Iterable[str]) -> tuple[ForbiddenDeed, ...]:
    """Which deeds are illegal of those whose price these atoms tell, in every case of the board."""
    priced = dict.fromkeys(deed for atom in atoms for deed in _priced(clingo.parse_term(atom)))
    if not priced:
        return ()
    about = [clingo.Function(name, [deed]) for deed in priced for name in ("asked", "asked_deed")]
    wanted = dict.fromkeys(
        Signature("illegal", 2, (deed.name, len(deed.arguments))) for deed in priced
    )
    question = position.completed(QueryFacts(tuple(about)))
    answers = [answer.get("illegal", 2) for answer in position.ask(tuple(wanted), question)]
    found = []
    for deed in priced:
        by = [{norm.string for each, norm in illegal if each == deed} for illegal in answers]
        if all(by):
            norms = tuple(sorted(set().union(*by)))
            found.append(ForbiddenDeed(term_text(deed), deed_sentence(deed), norms))
    return tuple(found)


def _priced(atom: clingo.Symbol) -> Iterable[clingo.Symbol]:
    """The deed of which an atom tells the price."""
    topic = atom.arguments[0] if atom.name == "value" else None
    if topic is not None and topic.name in vocabulary().words["price"]:
        yield topic.arguments[0]
