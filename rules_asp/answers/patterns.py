"""What a question asks of, as facts: the forms that it names, and patterns where it leaves something open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import clingo

from rules_asp.answers.widths import all_of
from rules_asp.knowledge.source import Node
from rules_asp.positions.prepared import Position
from rules_asp.terms.lexicon import NO, YES_NO, vocabulary
from rules_asp.terms.query import (
    Argument,
    Comparison,
    Compound,
    Literal,
    OpenSight,
    Query,
    Variable,
)
from rules_asp.terms.symbols import symbol_of

#: The way of a step of which norms speak where none comes into question.
_PLAIN = Compound("enter", ())
#: What holds of deeds, whichever the question means.
_OF_DEEDS = frozenset(("legal", "illegal"))


def asked_facts(query: Query) -> Iterator[clingo.Symbol]:
    """What a question asks about topics, shots, deeds and units, as facts."""
    for literal in query.literals:
        if isinstance(literal, Comparison):
            continue
        if literal.value is not None:
            yield _asked(Argument(Compound(literal.name, literal.args), "topic"))
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
            free = Compound(form.name, tuple(Argument(Variable("_"), each) for each in form.kinds))
            yield _asked(Argument(free, kind))


def _by_any_way(argument: Argument) -> Iterator[clingo.Symbol]:
    """Of a step of which only the way is open: that by each way, since one that is none is forbidden too."""
    if plain_step(argument.value) is None:
        return
    *ends, way = cast(Compound, argument.value).args
    for word in vocabulary().words[way.kind]:
        named = Argument(Compound("step", (*ends, Argument(word, way.kind))), argument.kind)
        yield from asked_forms(named)


def asked_forms(argument: Argument) -> Iterator[clingo.Symbol]:
    """The facts by which a question asks about a form and those within it."""
    value = argument.value
    # What a reason names comes up with that which it is the reason of.
    if not isinstance(value, Compound) or argument.kind == "reason":
        return
    form = vocabulary().forms.get(value.name)
    if form is not None or value.name in vocabulary().topics:
        yield _asked(argument)
    if form is not None and form.kind == "deed" and not is_free(argument):
        yield clingo.Function("asked_deed", [pattern_of(argument)])
    for inner in value.args:
        yield from asked_forms(inner)


def _asked(argument: Argument) -> clingo.Symbol:
    """The fact that this is asked, or that what fits it is sought: `any` stands for a variable."""
    return clingo.Function("sought" if is_free(argument) else "asked", [pattern_of(argument)])


def pattern_of(argument: Argument) -> clingo.Symbol:
    """An argument as a term, in which `any` stands for what is left open."""
    value = argument.value
    if isinstance(value, Variable):
        return clingo.Function("any")
    if isinstance(value, OpenSight):
        return clingo.Function("s", [symbol_of(value.end, "location"), clingo.Function("any")])
    if isinstance(value, Compound):
        return clingo.Function(value.name, list(map(pattern_of, value.args)))
    return clingo.parse_term(argument.term)


def is_free(argument: Argument) -> bool:
    """Whether anything in an argument is left open."""
    value = argument.value
    if isinstance(value, Compound):
        return any(map(is_free, value.args))
    return isinstance(value, Variable | OpenSight)


def fits(symbol: clingo.Symbol, pattern: object) -> bool:
    """Whether a thing is one that a value of a question describes, its variables standing for anything."""
    if isinstance(pattern, Variable):
        return True
    if isinstance(pattern, Compound) and symbol.type == clingo.SymbolType.Function:
        return (symbol.name, len(symbol.arguments)) == (pattern.name, len(pattern.args)) and all(
            _fits(one, each) for one, each in zip(symbol.arguments, pattern.args, strict=True)
        )
    return False


def _fits(symbol: clingo.Symbol, argument: Argument) -> bool:
    if isinstance(argument.value, Variable | Compound):
        return fits(symbol, argument.value)
    return symbol == clingo.parse_term(argument.term)


def may_be_denied(literal: Literal) -> bool:
    """Whether a literal can hold because nothing makes its topic so: `topic = no`."""
    value = literal.value
    return value is not None and value.kind == YES_NO and value.value == NO


def asks_yes_or_no(query: Query) -> bool:
    """Whether a question asks of one topic, named in full, whether it is yes or no."""
    literal = query.literals[0]
    if len(query.literals) > 1 or not isinstance(literal, Literal) or literal.negated:
        return False
    value = literal.value
    asks = value is not None and value.kind == YES_NO and isinstance(value.value, Variable)
    return asks and not _leaves_open(literal)


def may_be_unsaid(position: Position, literal: Literal) -> bool:
    """Whether it can be that no norm speaks of the topic of a literal, and it is then not known."""
    node = Node("let", 1, (literal.name, len(literal.args)))
    return literal.value is not None and node in position.program.later


def plain_step(value: object) -> Compound | None:
    """A step of which both ends are named and the way is not, as one by entering; None for all else."""
    match value:
        case Compound("step", (by, unit, start, to, way)) if isinstance(way.value, Variable):
            if not any(map(is_free, (by, unit, start, to))):
                return Compound("step", (by, unit, start, to, Argument(_PLAIN, way.kind)))
    return None


def may_be_no_step(query: Query) -> bool:
    """Whether it is asked what forbids a step of which places are open: what is no step is none of them."""
    return any(
        isinstance(each, Literal)
        and each.name == "illegal"
        and isinstance(step := each.args[0].value, Compound)
        and step.name == "step"
        and any(map(is_free, step.args[2:]))
        and plain_step(step) is None
        for each in query.literals
    )


def _leaves_open(literal: Literal) -> bool:
    return any(map(is_free, literal.args))


def denied_of(position: Position, query: Query) -> Iterator[clingo.Symbol]:
    """That each of these is asked, where a question leaves open what is not so."""
    for literal in query.literals:
        if isinstance(literal, Literal) and may_be_denied(literal) and _leaves_open(literal):
            topic = pattern_of(Argument(literal.topic, "topic"))
            for each in all_of(position, topic):
                yield clingo.Function("asked", [each])
