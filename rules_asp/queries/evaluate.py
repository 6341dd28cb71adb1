"""In which ways a question holds in one answer, and what may make it hold that is not known.

What is not known is neither so nor not so: it makes no part of a question hold, also not one that is
denied. So where nothing is found, it is not known either whether there is something.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, count

import clingo

from rules_asp.explain.unknown import Reason, UnknownReasons
from rules_asp.game.query import FunctionTerm, LosTerm, Query, QueryComparison, QueryLiteral
from rules_asp.game.vocabulary import NO, Vocabulary
from rules_asp.knowledge.instantiation import ANY
from rules_asp.knowledge.program import signature_of
from rules_asp.knowledge.rules import Functor, Signature
from rules_asp.knowledge.solver import AnswerSet, solve
from rules_asp.positions.position import Position
from rules_asp.queries.query_facts import has_variables

#: A topic's value is its total where it is a sum, else its one value; what is not so, is `no`.
_VALUE = (
    "value(T,V) :- is(T,V), not total(T,_).  value(T,V) :- total(T,V)."
    " value(T,no) :- false_by_default(T)."
)
_DEFINED = (
    "#defined is/2. #defined total/2. #defined false_by_default/1. #defined unknown/2."
    "#defined is_unknown/2."
)
#: What can be unknown besides topics, by the notion that is asked: deeds, sights.
_NOTIONS = frozenset(("legal", "sees"))
#: Of so many parts of a question each choice is tried of those that may be unknown.
_MANY = 5

_ANONYMOUS = re.compile(r"(?<![\w\"])_(?!\w)")

_Way = tuple[clingo.Symbol, ...]


@dataclass(frozen=True)
class Evaluation:
    """The ways in which a question holds, the values of its variables in order.

    `unknown` is why what it names in full is unknown, `possible_bindings` what else is: topics, deeds
    and sights by which it may hold, each with why.
    """

    bindings: frozenset[_Way]
    unknown: tuple[Reason, ...] = ()
    possible_bindings: Mapping[str, tuple[Reason, ...]] = field(default_factory=dict)


def evaluate(
    position: Position, query: Query, answer: AnswerSet, wanted: Sequence[Signature]
) -> Evaluation:
    """In which ways a question holds in an answer to it, `wanted` being what it wants to know."""
    unknown = tuple(_unknown(position, query, answer))
    if not any(_has_free(literal) for literal in query.literals):
        holds = all(_holds(each, answer) for each in query.literals)
        return Evaluation(frozenset({()} if holds else ()), unknown)
    kinds = query.variables
    head = f"answer({','.join(kinds)})" if kinds else "answer"
    body = ", ".join(map(_certain, query.literals))
    names = {(node.name, node.arity) for node in wanted}
    told = "".join(f"#defined {name}/{arity}." for name, arity in names)
    opened = list(_opened(query, answer, position.vocabulary))
    text = [_DEFINED, told, _VALUE, f"{head} :- {body}.", *(_perhaps(query) if opened else ())]
    atoms = (*_about(position, answer, wanted), *opened)
    solved = solve("\n".join(text), facts=atoms)[0]
    doubts = UnknownReasons(position, answer)
    perhaps = {}
    for (topic,) in sorted(solved.get("maybe", 1)):
        unsaid = () if doubts.of(topic) else (doubts.reason("no_norm"),)
        perhaps[position.notation.term_text(topic)] = doubts.of(topic) or unsaid
    return Evaluation(frozenset(solved.get("answer", len(kinds))), unknown, perhaps)


def _about(
    position: Position, answer: AnswerSet, wanted: Collection[Signature]
) -> Iterator[clingo.Symbol]:
    """The atoms that are about what is wanted, of the answer and of the board that it is of."""
    yield from (each for each in position.true(answer.static_case, wanted) if not _is_pattern(each))
    if answer.base is None:
        return
    topics: dict[tuple[str, int], set[Functor | None]] = {}
    for node in wanted:
        topics.setdefault((node.name, node.arity), set()).add(node.topic)
    for name, about in topics.items():
        for symbol in answer.own_atoms(*name):
            if (None in about or signature_of(symbol).topic in about) and not _is_pattern(symbol):
                yield symbol


def _is_pattern(symbol: clingo.Symbol) -> bool:
    """Whether something is left open in it: so a question names what it seeks, and it is no answer."""
    if symbol.type != clingo.SymbolType.Function:
        return False
    return symbol.match(ANY, 0) or any(map(_is_pattern, symbol.arguments))


def _opened(query: Query, answer: AnswerSet, words: Vocabulary) -> Iterator[clingo.Symbol]:
    """What is unknown of that which the question may be about, by the name of its part."""
    deeds = {each.name for each in words.forms.values() if each.kind == "deed"}
    names: dict[str, set[str]] = {}
    for literal in query.literals:
        if isinstance(literal, QueryLiteral) and _may_be_unknown(literal):
            about = literal.args[0].value if literal.value is None else literal.topic
            whole = deeds if literal.name == "legal" else {"s"}
            names.setdefault(literal.name, set()).update(
                {about.name} if isinstance(about, FunctionTerm) else whole
            )
    topics = {topic for topic, _ in answer.get("unknown", 2)}
    topics |= {topic for (topic,) in answer.get("undetermined", 1)}
    for name, kinds in names.items():
        for topic in sorted(
            each for each in topics if each.name in kinds and not _is_pattern(each)
        ):
            yield clingo.Function("is_unknown", [clingo.Function(name), topic])


def _may_be_unknown(literal: QueryLiteral | QueryComparison) -> bool:
    """Whether what a part of a question is about can be unknown."""
    if isinstance(literal, QueryComparison) or literal.name == "unknown":
        return False
    return literal.value is not None or literal.name in _NOTIONS


def _about_of(literal: QueryLiteral) -> str:
    """What a part of a question is about, as clingo reads it: a topic, deed or sight."""
    return literal.term if literal.value is not None else literal.args[0].term


def _open(literal: QueryLiteral, about: str) -> str:
    """That this is unknown, which the part of a question may be about."""
    return f"is_unknown({literal.name},{about})"


def _certain(literal: QueryLiteral | QueryComparison) -> str:
    """A part of a question as clingo reads it; it is not so of what is unknown, denied or not."""
    if isinstance(literal, QueryComparison) or not (literal.negated and _may_be_unknown(literal)):
        return literal.clingo
    return f"{literal.clingo}, not {_open(literal, _about_of(literal))}"


def _perhaps(query: Query) -> Iterator[str]:
    """Rules for what may make a question hold: some of its parts unknown, the others so."""
    numbers = count(1)
    parts = list(query.literals)
    loose = [n for n, each in enumerate(parts) if _may_be_unknown(each)]
    sizes = range(1, len(loose) + 1) if len(loose) < _MANY else (1, len(loose))
    for chosen in (some for size in sizes for some in combinations(loose, size)):
        topics, body = [], []
        bound: set[str] = set()
        for number, each in enumerate(parts):
            if number in chosen and isinstance(each, QueryLiteral):
                about = _ANONYMOUS.sub(lambda _: f"Anything{next(numbers)}", _about_of(each))
                if any(map(has_variables, each.args)):
                    topics.append(about)
                body.append(_open(each, about))
                bound |= {name for argument in each.args for name, _ in argument.variables}
            elif isinstance(each, QueryLiteral) and not each.negated:
                body.append(each.clingo)
                bound |= {name for argument in each.arguments for name, _ in argument.variables}
        for number, each in enumerate(parts):
            denied = isinstance(each, QueryLiteral) and each.negated and number not in chosen
            names = {name for argument in each.arguments for name, _ in argument.variables}
            # Of what hangs on a value that is not known nothing can be said.
            if (isinstance(each, QueryComparison) or denied) and names <= bound:
                body.append(_certain(each))
        yield from (f"maybe({about}) :- {', '.join(body)}." for about in topics)


def _has_free(literal: QueryLiteral | QueryComparison) -> bool:
    """Whether anything in a literal is left open; a comparison is for clingo."""
    return isinstance(literal, QueryComparison) or any(map(has_variables, literal.arguments))


def _holds(literal: QueryLiteral | QueryComparison, answer: AnswerSet) -> bool:
    """Whether a literal without variables holds."""
    assert isinstance(literal, QueryLiteral)
    term = clingo.parse_term(literal.term)
    if literal.negated and _may_be_unknown(literal) and _is_unknown(literal, answer):
        return False
    if literal.value is None:
        return answer.holds(term) != literal.negated
    value = answer.values.get(term)
    if value is None and answer.holds(clingo.Function("false_by_default", [term])):
        value = clingo.Function(NO)
    return (value == clingo.parse_term(literal.value.term)) != literal.negated


def _is_unknown(literal: QueryLiteral, answer: AnswerSet) -> bool:
    about = clingo.parse_term(_about_of(literal))
    found = {topic for topic, _ in answer.get("unknown", 2)}
    return about in found or answer.holds(clingo.Function("undetermined", [about]))


def _unknown(position: Position, query: Query, answer: AnswerSet) -> Iterator[Reason]:
    """Why topics and sights that the question names outright are unknown."""
    names: list[str] = []
    for literal in query.literals:
        if not isinstance(literal, QueryLiteral):
            continue
        if literal.value is not None and not any(map(has_variables, literal.args)):
            names.append(literal.term)
        if literal.name != "unknown":
            deeds = literal.name == "legal"
            names += [
                each.term
                for each in literal.args
                if isinstance(each.value, LosTerm)
                or (deeds and isinstance(each.value, FunctionTerm) and not has_variables(each))
            ]
    doubts = UnknownReasons(position, answer)
    for topic in dict.fromkeys(map(clingo.parse_term, names)):
        yield from doubts.of(topic)
        if answer.holds(clingo.Function("undetermined", [topic])):
            yield doubts.reason("no_norm")
