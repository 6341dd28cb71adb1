"""Prices of deeds that are not allowed: what the rules give as a cost, and what forbids the deed itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import clingo

from rules_asp.answers.asking import Asked, ask, goals_of, ways_of
from rules_asp.answers.deeds import Disallowed, sentence
from rules_asp.answers.questions import all_named, put
from rules_asp.knowledge.source import Node
from rules_asp.positions.indexes import Question
from rules_asp.positions.prepared import Position
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.names import named
from rules_asp.terms.query import Literal, Query

#: Of so many ways it is told what is not allowed.
_TOLD = 20


def asked(position: Position, query: Query, cite: bool = True) -> Asked:
    """The answer to a question, with what is not allowed of that whose price it tells, if to `cite`."""
    answer = ask(position, query, cite)
    return priced(position, query, answer) if cite else answer


def priced(position: Position, query: Query, answer: Asked) -> Asked:
    """The answer with what is not allowed of that whose price it tells."""
    prices = vocabulary().words["price"]
    if not any(isinstance(each, Literal) and each.name in prices for each in query.literals):
        return answer
    told = all_named(put(position, query))
    atoms = goals_of(told, ways_of(position, told).certain[:_TOLD])
    return replace(answer, not_allowed=disallowed(position, atoms))


def disallowed(position: Position, atoms: Iterable[str]) -> tuple[Disallowed, ...]:
    """Which deeds are illegal of those whose price these atoms tell, in every case of the board."""
    priced = dict.fromkeys(deed for atom in atoms for deed in _priced(clingo.parse_term(atom)))
    if not priced:
        return ()
    about = [clingo.Function(name, [deed]) for deed in priced for name in ("asked", "asked_deed")]
    wanted = dict.fromkeys(Node("illegal", 2, (deed.name, len(deed.arguments))) for deed in priced)
    question = position.completed(Question(tuple(about)))
    answers = [answer.get("illegal", 2) for answer in position.ask(tuple(wanted), question)]
    found = []
    for deed in priced:
        by = [{norm.string for each, norm in illegal if each == deed} for illegal in answers]
        if all(by):
            norms = tuple(sorted(set().union(*by)))
            found.append(Disallowed(named(deed), sentence(deed), norms))
    return tuple(found)


def _priced(atom: clingo.Symbol) -> Iterable[clingo.Symbol]:
    """The deed of which an atom tells the price."""
    topic = atom.arguments[0] if atom.name == "value" else None
    if topic is not None and topic.name in vocabulary().words["price"]:
        yield topic.arguments[0]
