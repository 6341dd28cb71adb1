"""Queries as rules, and their evaluation in one answer set: the solutions, and unknown facts that
could satisfy it.

An unknown fact is neither true nor false, so it satisfies no literal, also no negated one. If a
query with unknown facts has no solution, its answer is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, count
from typing import NamedTuple

import clingo

from rules_asp.explain.unknown import Reason, UnknownReasons, label
from rules_asp.game.grid import Location, Vertex, hex_of_spot
from rules_asp.game.query import (
    Argument,
    FunctionTerm,
    LosTerm,
    OpenLosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    UnitLocation,
    UnitLosTerm,
    Variable,
    argument_from_symbol,
)
from rules_asp.game.values import Notation, quoted, to_symbol
from rules_asp.game.vocabulary import NO, Vocabulary
from rules_asp.knowledge.instantiation import ANY
from rules_asp.knowledge.program import signature_of
from rules_asp.knowledge.rules import Functor, Signature
from rules_asp.knowledge.solver import AnswerSet, solve
from rules_asp.positions.name_resolution import OF_ANY_LOCATION
from rules_asp.positions.position import Position
from rules_asp.queries.query_facts import has_variables, may_be_denied, symbol_text

#: The value of a topic: its total if it is a sum, else its one value; `no` for a topic that nothing
#: makes true.
_VALUE = (
    "read(T,V) :- is(T,V), not total(T,_).  read(T,V) :- total(T,V)."
    " read(T,no) :- false_by_default(T). is_unknown(T) :- is_unknown(_,T)."
)
_DEFINED = (
    "#defined is/2. #defined total/2. #defined false_by_default/1. #defined unknown/2."
    "#defined is_unknown/2. #defined undetermined/1."
)
#: Maximum number of literals for which every combination of unknown literals is tried.
_MANY = 5

_ANONYMOUS = re.compile(r"(?<![\w\"])_(?!\w)")

_Way = tuple[clingo.Symbol, ...]


# --- Queries as rules, for a board and for the searches of the lab.


#: Predicates of actions and LOS that can be unknown.
NOTIONS = frozenset(("legal", "sees"))


def query_body(query: Query, exists: bool = False) -> Iterator[str]:
    """Yield the literals of a query as clingo text; units are replaced by their Locations.

    An unknown topic, action or LOS is neither true nor false: it makes no literal true, also no
    negated one. `exists`: the things that it names must exist.
    """
    number = 0
    for literal in query.literals:
        if isinstance(literal, QueryComparison):
            yield literal.clingo
            continue
        terms = Terms(number)
        atom = atom_of(literal, terms)
        yield from terms.where
        yield from existence_literals(literal) if exists else ()
        if not literal.negated:
            yield atom
        else:
            # clingo would read `not` for an LOS with an open end as true if either order is
            # missing.
            for end in (0, 1) if terms.open else (None,):
                yield f"not {atom_of(literal, Terms(number, end))}"
                # An unknown topic is neither true nor false.
                about = about_of(literal, Terms(number, end))
                yield from (
                    f"not {unknown}({about})" for unknown in ("is_unknown", "undetermined") if about
                )
        number = terms.number


def atom_of(literal: QueryLiteral, terms: Terms) -> str:
    """Return a literal in clingo syntax, without `not`."""
    args = [terms.of(each) for each in literal.args]
    atom = f"{literal.name}({','.join(args)})" if args else literal.name
    return atom if literal.value is None else f"read({atom},{literal.value.term})"


def about_of(literal: QueryLiteral, terms: Terms) -> str | None:
    """Return the topic, action or LOS of a literal if it can be unknown."""
    if literal.value is not None:
        return atom_of(replace(literal, value=None), terms)
    return terms.of(literal.args[0]) if literal.name in NOTIONS else None


@dataclass
class Terms:
    """Arguments in clingo syntax; auxiliary variables hold the Locations of units.

    first: the first end of an open LOS; None: either.
    """

    number: int = 0
    first: int | None = None
    where: list[str] = field(default_factory=list)
    open: bool = False

    def of(self, given: Argument) -> str:
        """Return an argument in clingo syntax."""
        value = given.value
        if isinstance(value, UnitLocation) and given.kind == "party":
            return quoted(value.unit)
        if isinstance(value, UnitLocation):
            name = f"Unit{self.number}"
            self.number += 1
            self.where.append(f"at({quoted(value.unit)},{name})")
            return name
        if isinstance(value, OpenLosTerm):
            return self.sight(Argument(value.end, "location"), Argument(value.other, "location"))
        if isinstance(value, UnitLosTerm):
            return self.sight(Argument(value.a, "location"), Argument(value.b, "location"))
        if isinstance(value, FunctionTerm) and value.args:
            return f"{value.name}({','.join(map(self.of, value.args))})"
        return given.term

    def sight(self, a: Argument, b: Argument) -> str:
        """Return an LOS term; the order of its ends is not known."""
        self.open = True
        one, other = self.of(a), self.of(b)
        both = (f"s({one},{other})", f"s({other},{one})")
        return f"({';'.join(both)})" if self.first is None else both[self.first]


def existence_literals(literal: QueryLiteral) -> Iterator[str]:
    """Yield literals for the existence of the things that a literal names; the ordinary commands
    refuse others."""
    if literal.name in OF_ANY_LOCATION:
        return
    for each in literal.arguments:
        yield from _existence_literals(each, literal.negated or may_be_denied(literal))


def _existence_literals(given: Argument, units: bool) -> Iterator[str]:
    value = given.value
    if isinstance(value, FunctionTerm):
        for inner in value.args:
            yield from _existence_literals(inner, units)
    elif isinstance(value, LosTerm | UnitLosTerm):
        for end in (value.a, value.b):
            yield from _existence_literals(Argument(end, "location"), units)
    elif isinstance(value, OpenLosTerm):
        yield from _existence_literals(Argument(value.end, "location"), units)
    elif isinstance(value, Location):
        # A vertex, or a place above the ground outside a building, exists if its hex does.
        if isinstance(value.spot, Vertex) or value.above is not None:
            yield f"hex({hex_of_spot(value.spot).term})"
        else:
            yield f"exists({to_symbol(value, 'location')})"
    elif given.kind == "unit" and isinstance(value, str) and units:
        yield f"unit({given.term},_)"


# --- Evaluation in an answer set.


class Named(NamedTuple):
    """A topic, action or LOS: as questions name it, and in words."""

    about: str
    label: str


@dataclass(frozen=True)
class Evaluation:
    """The solutions of a query, with the values of its variables in order.

    `unknown` are the reasons of unknown topics that it names completely. `possible_bindings` are
    other unknown topics, actions and LOS that could satisfy it, with their reasons.
    """

    bindings: frozenset[_Way]
    unknown: tuple[Reason, ...] = ()
    possible_bindings: Mapping[Named, tuple[Reason, ...]] = field(default_factory=dict)


def evaluate(
    position: Position, query: Query, answer: AnswerSet, wanted: Sequence[Signature]
) -> Evaluation:
    """Evaluate a query in an answer set; `wanted` are the nodes that it reads."""
    unknown = tuple(_unknown(position, query, answer))
    if not any(_has_free(literal) for literal in query.literals):
        holds = all(_holds(each, answer) for each in query.literals)
        return Evaluation(frozenset({()} if holds else ()), unknown)
    kinds = query.variables
    head = f"answer({','.join(kinds)})" if kinds else "answer"
    body = ", ".join(query_body(query))
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
        named = Named(position.notation.term_text(topic), str(label(topic, position.notation)))
        perhaps[named] = doubts.of(topic) or unsaid
    return Evaluation(frozenset(solved.get("answer", len(kinds))), unknown, perhaps)


def _about(
    position: Position, answer: AnswerSet, wanted: Collection[Signature]
) -> Iterator[clingo.Symbol]:
    """Return the atoms of the wanted nodes, in the answer set and its static answer set."""
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
    """Test whether a term has an open part: it is then a pattern of a question, not an answer."""
    if symbol.type != clingo.SymbolType.Function:
        return False
    return symbol.match(ANY, 0) or any(map(_is_pattern, symbol.arguments))


def _opened(query: Query, answer: AnswerSet, words: Vocabulary) -> Iterator[clingo.Symbol]:
    """Yield facts about the unknown candidates of each literal, with the index of the literal."""
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
    """Test whether a literal is about something that can be unknown."""
    if isinstance(literal, QueryComparison) or literal.name == "unknown":
        return False
    return literal.value is not None or literal.name in NOTIONS


def _text_about(literal: QueryLiteral) -> str:
    """Return the topic, action or LOS of a literal in clingo syntax."""
    return about_of(literal, Terms()) or ""


def _open(literal: QueryLiteral, about: str) -> str:
    """Return the atom that a candidate of the literal is unknown."""
    return f"is_unknown({literal.name},{about})"


def _perhaps(query: Query) -> Iterator[str]:
    """Yield rules for possible solutions: some literals are unknown, the others hold."""
    numbers = count(1)
    parts = list(query.literals)
    loose = [n for n, each in enumerate(parts) if _may_be_unknown(each)]
    sizes = range(1, len(loose) + 1) if len(loose) < _MANY else (1, len(loose))
    for chosen in (some for size in sizes for some in combinations(loose, size)):
        topics, body = [], []
        bound: set[str] = set()
        for number, each in enumerate(parts):
            if number in chosen and isinstance(each, QueryLiteral):
                about = _ANONYMOUS.sub(lambda _: f"Anything{next(numbers)}", _text_about(each))
                if any(map(has_variables, each.args)):
                    topics.append(about)
                body.append(_open(each, about))
                bound |= {name for argument in each.args for name, _ in argument.variables}
            elif isinstance(each, QueryLiteral) and not each.negated:
                body += query_body(Query((each,)))
                bound |= {name for argument in each.arguments for name, _ in argument.variables}
        for number, each in enumerate(parts):
            denied = isinstance(each, QueryLiteral) and each.negated and number not in chosen
            names = {name for argument in each.arguments for name, _ in argument.variables}
            # Nothing can be derived from an unknown value.
            if (isinstance(each, QueryComparison) or denied) and names <= bound:
                body += query_body(Query((each,)))
        yield from (f"maybe({about}) :- {', '.join(body)}." for about in topics)


def _has_free(literal: QueryLiteral | QueryComparison) -> bool:
    """Test whether a literal has an open part; comparisons are left to clingo."""
    return isinstance(literal, QueryComparison) or any(map(has_variables, literal.arguments))


def _holds(literal: QueryLiteral | QueryComparison, answer: AnswerSet) -> bool:
    """Test whether a literal without variables holds."""
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
    about = clingo.parse_term(_text_about(literal))
    found = {topic for topic, _ in answer.get("unknown", 2)}
    return about in found or answer.holds(clingo.Function("undetermined", [about]))


def _unknown(position: Position, query: Query, answer: AnswerSet) -> Iterator[Reason]:
    """Yield the reasons of unknown topics and LOS that the query names completely."""
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


# --- Substitution of variables by their values on a board.


def substitute(
    query: Query, values: Mapping[str, clingo.Symbol], notation: Notation, compared: bool = False
) -> Query:
    """Return a question with the values of its variables.

    Comparisons then hold; they are left out unless `compared`.
    """

    def place(symbol: clingo.Symbol) -> Location:
        found = argument_from_symbol(symbol, "location", notation).value
        assert isinstance(found, Location)
        return found

    def put(given: Argument) -> Argument:
        value = given.value
        if isinstance(value, Variable) and value.name in values:
            return argument_from_symbol(values[value.name], given.kind, notation)
        if isinstance(value, FunctionTerm):
            return given._replace(value=replace(value, args=tuple(map(put, value.args))))
        if isinstance(value, OpenLosTerm) and value.other.name in values:
            end = place(values[value.other.name])
            return given._replace(value=LosTerm(value.end, end))
        if isinstance(value, UnitLosTerm):
            ends = [
                place(values[each.name])
                if isinstance(each, Variable) and each.name in values
                else each
                for each in (value.a, value.b)
            ]
            if all(isinstance(each, Location) for each in ends):
                return given._replace(value=LosTerm(*ends))  # type: ignore[arg-type]
            return given._replace(value=UnitLosTerm(*ends))
        return given

    def literals() -> Iterator[QueryLiteral | QueryComparison]:
        for each in query.literals:
            if isinstance(each, QueryLiteral):
                value = each.value and put(each.value)
                yield replace(each, args=tuple(map(put, each.args)), value=value)
            elif compared:
                yield replace(each, left=put(each.left), right=put(each.right))

    return Query(tuple(literals()))


def verdict_goals(query: Query, found: Iterable[tuple[clingo.Symbol, ...]]) -> list[str]:
    """Return the atoms to prove for these solutions of a query."""
    goals = []
    for each in found:
        values = dict(zip(query.variables, each, strict=True))
        for literal in query.literals:
            if isinstance(literal, QueryLiteral) and not literal.negated:
                atom = symbol_text(literal, values)
                goals.append(atom)
                if literal.value is not None:
                    goals += [atom.replace("value(", name, 1) for name in ("is(", "total(")]
    return goals
