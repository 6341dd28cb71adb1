"""Asking about anything the vocabulary holds: a conjunction of literals, answered with what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import clingo

from rules_asp.engine import Answer, solve
from rules_asp.grid import Location, Spot, spot_hex
from rules_asp.names import named, valued
from rules_asp.position import Position
from rules_asp.proof import norms_of, prove
from rules_asp.query import Argument, Comparison, Compound, Literal, Query, Sightline, Variable
from rules_asp.source import Node, Rule
from rules_asp.threads import term_order

#: A topic's value is its total where it is a sum, else its one value.
_VALUE = "value(T,V) :- is(T,V), not total(T,_).  value(T,V) :- total(T,V)."
#: So many answers are proved, for what they cite.
_PROVED = 20


@dataclass(frozen=True)
class Found:
    """One way in which a question holds: its variables by name, as people write them."""

    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Asked:
    """What a question gave: true, false or None for unknown; each way it holds; why it is unknown."""

    holds: bool | None
    found: tuple[Found, ...] = ()
    unknown: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()


def ask(position: Position, query: Query, cite: bool = True) -> Asked:
    """Answer a question. What holds in all cases that the board leaves open is the answer.

    A question about LOS whose Locations are all named is measured for these alone; with a variable in
    it, for every Location of the map.
    """
    wanted = tuple(dict.fromkeys(_nodes(position, query)))
    question = _question(position, query, wanted)
    kinds = query.variables
    answer_rule = f"answer({','.join(kinds)}) :- {query.clingo}." if kinds else f"answer :- {query.clingo}."
    results: list[dict[tuple[clingo.Symbol, ...], Answer]] = []
    unknown: dict[str, None] = {}
    for answer in _answers(position, wanted, question):
        defined = "#defined is/2. #defined total/2. #defined value/2. #defined unknown/2."
        names = {(node.name, node.arity) for node in wanted}
        text = "".join(f"#defined {name}/{arity}." for name, arity in names)
        atoms = "".join(f"{symbol}.\n" for symbol in answer.symbols)
        solved = solve(defined, text, _VALUE, answer_rule, atoms)[0]
        found = [tuple(each) for each in solved.get("answer", len(kinds))]
        results.append({each: answer for each in found})
        unknown.update(dict.fromkeys(_unknown(query, answer)))
    certain = [each for each in results[0] if all(each in other for other in results[1:])]
    possible = {each for result in results for each in result}
    holds: bool | None = bool(certain)
    if not certain and (unknown or possible):
        holds = None
    if possible and len(certain) < len(possible) and not unknown:
        unknown["it depends on what the board leaves open"] = None
    certain.sort(key=str)
    cites: tuple[str, ...] = ()
    if cite and certain:
        goals = _goals(query, certain[:_PROVED], kinds)
        cites = _cites(position, goals, question or "")
    found_ways = tuple(
        Found(tuple((name, valued(value, kinds[name])) for name, value in zip(kinds, each, strict=True)))
        for each in certain
    )
    return Asked(holds, found_ways, tuple(unknown), cites)


def _nodes(position: Position, query: Query) -> Iterator[Node]:
    for literal in query.literals:
        if isinstance(literal, Comparison):
            continue
        if literal.value is not None:
            functor = (literal.name, len(literal.args))
            for name, arity in (("is", 2), ("total", 2), ("unknown", 2)):
                yield Node(name, arity, functor)
        else:
            yield from _matching(position, literal)


def _matching(position: Position, literal: Literal) -> Iterator[Node]:
    """The nodes of a predicate: one for each kind of topic that it can be about."""
    arity = len(literal.args)
    for rule in position.program.rules:
        for node in rule.heads:
            if (node.name, node.arity) == (literal.name, arity):
                yield node
    yield Node(literal.name, arity)


def _answers(position: Position, wanted: tuple[Node, ...], question: str | None) -> list[Answer]:
    if question is None:
        return list(position.cases)
    answers = position.ask(wanted, question)
    # Each answer set of the question layer belongs to a case; with one case it is plain which.
    if len(position.cases) == 1:
        return [Answer(position.cases[0].symbols + answer.symbols) for answer in answers]
    return answers


def _question(position: Position, query: Query, wanted: Iterable[Node]) -> str | None:
    """The facts that the question layer needs for this, or None when the static layer suffices."""
    later = {node for rule in position.program.question_rules for node in rule.heads}
    if not any(node in later for node in wanted):
        return None
    places = list(_places(query))
    free = any(_has_variable(literal) for literal in query.literals)
    ends = sorted(position.elevations, key=str) if free else places
    spots = sorted({end.spot for end in ends}, key=term_order)
    about = {place.spot for place in places}
    lines: list[tuple[Spot, Spot]] = [
        line for line in combinations(spots, 2) if not about or about & set(line)
    ]
    facts = [position.measured(lines, ends)]
    facts += [f"eye_at({end.term})." for end in ends]
    facts += [f"cell({spot_hex(spot).term})." for spot in spots]
    facts += [f"asked_adjacent({a.term},{b.term})." for a, b in _neighbours(ends)]
    return "\n".join(facts)


def _neighbours(ends: Iterable[Location]) -> Iterator[tuple[Location, Location]]:
    by_hex: dict[Spot, list[Location]] = {}
    for end in ends:
        by_hex.setdefault(end.spot, []).append(end)
    for spot, here in by_hex.items():
        around = [each for hex_ in spot_hex(spot).neighbours() for each in by_hex.get(hex_, ())]
        for one in here:
            for two in [*here, *around]:
                if one != two:
                    yield one, two


def _places(query: Query) -> Iterator[Location]:
    def within(argument: Argument) -> Iterator[Location]:
        value = argument.value
        if isinstance(value, Location):
            yield value
        elif isinstance(value, Sightline):
            yield from (value.a, value.b)
        elif isinstance(value, Compound):
            for inner in value.args:
                yield from within(inner)

    seen: dict[Location, None] = {}
    for literal in query.literals:
        for argument in literal.arguments:
            seen.update(dict.fromkeys(within(argument)))
    return iter(seen)


def _has_variable(literal: Literal | Comparison) -> bool:
    if isinstance(literal, Comparison):
        return False
    return any(
        isinstance(argument.value, Variable) or argument.variables for argument in literal.args
    )


def _unknown(query: Query, answer: Answer) -> Iterator[str]:
    """Why topics and sights that the question names outright are unknown."""
    asked = {
        literal.term
        for literal in query.literals
        if isinstance(literal, Literal) and (literal.value is not None)
    }
    asked |= {
        argument.term
        for literal in query.literals
        if isinstance(literal, Literal) and literal.name != "unknown"
        for argument in literal.args
        if isinstance(argument.value, Sightline | Compound)
    }
    for topic, why in answer.get("unknown", 2):
        if str(topic) in asked:
            yield named(why)


def _goals(
    query: Query, found: Iterable[tuple[clingo.Symbol, ...]], kinds: dict[str, str]
) -> list[str]:
    goals = []
    for each in found:
        values = dict(zip(kinds, each, strict=True))
        for literal in query.literals:
            if isinstance(literal, Literal) and not literal.negated:
                atom = clingo_text(literal, values)
                goals += [atom, atom.replace("value(", "is(", 1), atom.replace("value(", "total(", 1)]
    return goals


def clingo_text(literal: Literal, values: dict[str, clingo.Symbol]) -> str:
    """The atom of a literal with its variables replaced by what they stand for."""

    def text(argument: Argument) -> str:
        value = argument.value
        if isinstance(value, Variable):
            return str(values.get(value.name, value.name))
        if isinstance(value, Compound):
            inner = ",".join(map(text, value.args))
            return f"{value.name}({inner})" if value.args else value.name
        return argument.term

    inner = ",".join(map(text, literal.args))
    term = f"{literal.name}({inner})" if literal.args else literal.name
    return term if literal.value is None else f"value({term},{text(literal.value)})"


def _cites(position: Position, goals: list[str], question: str) -> tuple[str, ...]:
    norms = norms_of(prove(position, goals, question))
    return tuple(dict.fromkeys(position.program.norms[norm].paragraph for norm in norms))


__all__ = ["Asked", "Found", "Rule", "ask"]
