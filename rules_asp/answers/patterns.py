"""What a question asks of, as facts: the forms that it names, and patterns where it leaves something
open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import clingo

from rules_asp.answers.widths import enumerate_topic
from rules_asp.knowledge.source import Signature
from rules_asp.positions.prepared import Position
from rules_asp.terms.lexicon import NO, YES_NO, vocabulary
from rules_asp.terms.query import (
    Argument,
    FunctionTerm,
    OpenLosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    Variable,
)
from rules_asp.terms.symbols import to_symbol

#: The way of a step of which norms speak where none comes into question.
_PLAIN = FunctionTerm("enter", ())
#: What holds of deeds, whichever the question means.
_OF_DEEDS = frozenset(("legal", "illegal"))


def asked_facts(query: Query) -> Iterator[clingo.Symbol]:
    """What a question asks about topics, shots, deeds and units, as facts."""
    for literal in query.literals:
        if isinstance(literal, QueryComparison):
            continue
        if literal.value is not None:
            yield _asked(Argument(FunctionTerm(literal.name, literal.args), "topic"))
        for argument in literal.args:
            yield from asked_forms(argument)
            if literal.name == "illegal":
                yield from _by_any_way(argument)
            if literal.name in _OF_DEEDS and isinstance(argument.value, Variable):
                yield from _any_deed(argument.kind)


def _any_deed(kind: str) -> Iterator[clingo.Symbol]:
    """What is sought where a whole deed is left open: any deed."""
    for form in vocabulary().forms.values():
        if form.kind == kind == "deed":
            free = FunctionTerm(
                form.name, tuple(Argument(Variable("_"), each) for each in form.kinds)
            )
            yield _asked(Argument(free, kind))


def _by_any_way(argument: Argument) -> Iterator[clingo.Symbol]:
    """Of a step of which only the way is open: that by each way, since one that is none is forbidden
    too.
    """
    if step_by_entering(argument.value) is None:
        return
    *ends, way = cast(FunctionTerm, argument.value).args
    for word in vocabulary().words[way.kind]:
        named = Argument(FunctionTerm("step", (*ends, Argument(word, way.kind))), argument.kind)
        yield from asked_forms(named)


def asked_forms(argument: Argument) -> Iterator[clingo.Symbol]:
    """The facts by which a question asks about a form and those within it."""
    value = argument.value
    # What a reason names comes up with that which it is the reason of.
    if not isinstance(value, FunctionTerm) or argument.kind == "reason":
        return
    form = vocabulary().forms.get(value.name)
    if form is not None or value.name in vocabulary().topics:
        yield _asked(argument)
    if form is not None and form.kind == "deed" and not has_variables(argument):
        yield clingo.Function("asked_deed", [pattern_of(argument)])
    for inner in value.args:
        yield from asked_forms(inner)


def _asked(argument: Argument) -> clingo.Symbol:
    """The fact that this is asked, or that what fits it is sought: `any` stands for a variable."""
    return clingo.Function("sought" if has_variables(argument) else "asked", [pattern_of(argument)])


def pattern_of(argument: Argument) -> clingo.Symbol:
    """An argument as a term, in which `any` stands for what is left open."""
    value = argument.value
    if isinstance(value, Variable):
        return clingo.Function("any")
    if isinstance(value, OpenLosTerm):
        return clingo.Function("s", [to_symbol(value.end, "location"), clingo.Function("any")])
    if isinstance(value, FunctionTerm):
        return clingo.Function(value.name, list(map(pattern_of, value.args)))
    return clingo.parse_term(argument.term)


def has_variables(argument: Argument) -> bool:
    """Whether anything in an argument is left open."""
    value = argument.value
    if isinstance(value, FunctionTerm):
        return any(map(has_variables, value.args))
    return isinstance(value, Variable | OpenLosTerm)


def matches(symbol: clingo.Symbol, pattern: object) -> bool:
    """Whether a thing is one that a value of a question describes, its variables standing for anything."""
    if isinstance(pattern, Variable):
        return True
    if isinstance(pattern, FunctionTerm) and symbol.type == clingo.SymbolType.Function:
        return (symbol.name, len(symbol.arguments)) == (pattern.name, len(pattern.args)) and all(
            _fits(one, each) for one, each in zip(symbol.arguments, pattern.args, strict=True)
        )
    return False


def _fits(symbol: clingo.Symbol, argument: Argument) -> bool:
    if isinstance(argument.value, Variable | FunctionTerm):
        return matches(symbol, argument.value)
    return symbol == clingo.parse_term(argument.term)


def may_be_denied(literal: QueryLiteral) -> bool:
    """Whether a literal can hold because nothing makes its topic so: `topic = no`."""
    value = literal.value
    return value is not None and value.kind == YES_NO and value.value == NO


def asks_yes_or_no(query: Query) -> bool:
    """Whether a question asks of one topic, named in full, whether it is yes or no."""
    literal = query.literals[0]
    if len(query.literals) > 1 or not isinstance(literal, QueryLiteral) or literal.negated:
        return False
    value = literal.value
    asks = value is not None and value.kind == YES_NO and isinstance(value.value, Variable)
    return asks and not _leaves_open(literal)


def may_be_unsaid(position: Position, literal: QueryLiteral) -> bool:
    """Whether it can be that no norm speaks of the topic of a literal, and it is then not known."""
    node = Signature("let", 1, (literal.name, len(literal.args)))
    return literal.value is not None and node in position.program.later


def step_by_entering(value: object) -> FunctionTerm | None:
    """A step of which both ends are named and the way is not, as one by entering; None for all else."""
    match value:
        case FunctionTerm("step", (by, unit, start, to, way)) if isinstance(way.value, Variable):
            if not any(map(has_variables, (by, unit, start, to))):
                return FunctionTerm("step", (by, unit, start, to, Argument(_PLAIN, way.kind)))
    return None


def may_be_no_step(query: Query) -> bool:
    """Whether it is asked what forbids a step of which places are open: what is no step is none of them."""
    return any(
        isinstance(each, QueryLiteral)
        and each.name == "illegal"
        and isinstance(step := each.args[0].value, FunctionTerm)
        and step.name == "step"
        and any(map(has_variables, step.args[2:]))
        and step_by_entering(step) is None
        for each in query.literals
    )


def _leaves_open(literal: QueryLiteral) -> bool:
    return any(map(has_variables, literal.args))


def denied_of(position: Position, query: Query) -> Iterator[clingo.Symbol]:
    """That each of these is asked, where a question leaves open what is not so."""
    for literal in query.literals:
        if isinstance(literal, QueryLiteral) and may_be_denied(literal) and _leaves_open(literal):
            topic = pattern_of(Argument(literal.topic, "topic"))
            for each in enumerate_topic(position, topic):
                yield clingo.Function("asked", [each])
