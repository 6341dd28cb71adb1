"""What stands against a question that does not hold: who forbids it, what is so, what is not stated.

Which notion stands against which, and whether it forbids, kb/answers.lp says (`counter_queries`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import clingo

from rules_asp.answers.in_force import SectionsInForce
from rules_asp.answers.patterns import has_variables, matches
from rules_asp.answers.unknowns import Reason
from rules_asp.knowledge.givers import Producers
from rules_asp.knowledge.running import AnswerSet
from rules_asp.knowledge.source import Rule, Signature
from rules_asp.parser.forms import fact_line
from rules_asp.positions.prepared import Position
from rules_asp.terms.grid import Location
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.names import term_text, value_text
from rules_asp.terms.query import Argument, FunctionTerm, Query, QueryLiteral, Variable


def counter_queries(literal: QueryLiteral) -> Iterator[QueryLiteral]:
    """Questions whose answers say why a literal does not hold.

    Of one with variables: who forbids it, in each way that comes into question.
    """
    why = Argument(Variable("Why"), "reason")
    if any(map(has_variables, literal.args)):
        other = vocabulary().against.get(literal.name)
        if literal.value is None and other is not None and other.forbids:
            norm = Argument(Variable("Norm"), other.further[0])
            yield replace(literal, name=other.name, args=(*literal.args, norm), negated=False)
            yield QueryLiteral("unknown", (*literal.args, why))
    elif literal.value is not None:
        yield replace(literal, value=Argument(Variable("Value"), literal.value.kind), negated=False)
        topic = Argument(FunctionTerm(literal.name, literal.args), "topic")
        yield QueryLiteral("unknown", (topic, why))
    elif literal.name in vocabulary().against:
        other = vocabulary().against[literal.name]
        free = (Argument(Variable(kind.capitalize()), kind) for kind in other.further)
        yield QueryLiteral(other.name, (*literal.args, *free))
        if not any(isinstance(each.value, Location) for each in literal.args):
            yield QueryLiteral("unknown", (*literal.args, why))


def forbidding_norms(query: Query, answer: AnswerSet) -> Iterator[str]:
    """The norms that forbid what a question asks to be allowed."""
    for literal in _literals(query):
        other = vocabulary().against.get(literal.name)
        if other is None or not other.forbids:
            continue
        for *about, norm in answer.get(other.name, len(literal.args) + len(other.further)):
            if all(map(_is, about, literal.args)):
                yield norm.string


def _is(symbol: clingo.Symbol, argument: Argument) -> bool:
    """Whether a thing is what an argument names, or fits what it leaves open."""
    if has_variables(argument):
        return matches(symbol, argument.value)
    return symbol == clingo.parse_term(argument.term)


def actual_value(query: Query, answer: AnswerSet) -> Iterator[str]:
    """The value that the topic of a question has, where it is one topic that is named in full."""
    for literal in _literals(query) if len(query.literals) == 1 else ():
        if literal.value is not None and not any(map(has_variables, literal.args)):
            value = answer.values.get(clingo.parse_term(literal.term))
            if value is not None:
                yield value_text(value, literal.value.kind)


def unstated_inputs(position: Position, query: Query) -> Iterator[Reason]:
    """What a question asks to be stated that a board need not state, and this one does not."""
    for literal in _literals(query):
        declared = vocabulary().inputs.get(literal.name)
        if literal.value is not None or declared is None or declared.closed:
            continue
        known = [each for each in literal.args[: declared.once] if not has_variables(each)]
        terms = [clingo.parse_term(each.term) for each in known]
        facts = position.board_facts.named(literal.name)
        if not any(fact.arguments[: len(terms)] == terms for fact in facts):
            yield Reason("not_stated", (fact_line(literal.name, list(map(term_text, terms))),))


def candidate_norms(position: Position, query: Query) -> tuple[str, ...]:
    """The norms in force that could make so what a question asks, were the board another."""
    return tuple(dict.fromkeys(rule.norm or "" for rule in candidate_rules(position, query)))


def candidate_rules(position: Position, query: Query) -> Iterator[Rule]:
    """The rules of norms in force that could make so what a question asks, were the board another."""
    givers = position.program.givers
    force = SectionsInForce(position.program.norms, position.cases[0])
    for rule in _makers(givers, query):
        if rule.norm is not None and force.holds(rule.norm):
            yield rule


def _makers(givers: Producers, query: Query) -> Iterator[Rule]:
    for literal in _literals(query) if len(query.literals) == 1 else ():
        if literal.value is None:
            yield from givers.rules_of(Signature(literal.name, len(literal.args)))
            continue
        topic = clingo.parse_term(_plain(literal.topic))
        value = None if has_variables(literal.value) else clingo.parse_term(literal.value.term)
        yield from (giver.rule for giver in givers.producers_of(topic, value))


def _plain(value: FunctionTerm) -> str:
    """A topic as a term; a place that is left open is the word `any`."""

    def text(argument: Argument) -> str:
        if isinstance(argument.value, FunctionTerm):
            return _plain(argument.value)
        return argument.term if not has_variables(argument) else "any"

    inner = ",".join(map(text, value.args))
    return f"{value.name}({inner})" if value.args else value.name


def _literals(query: Query) -> Iterator[QueryLiteral]:
    """What a question asserts."""
    return (each for each in query.literals if isinstance(each, QueryLiteral) and not each.negated)
