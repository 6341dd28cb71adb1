"""Why not: counter-queries, and the first failing condition of each candidate norm.

kb/queries.lp declares opposite predicates, and which of them forbid (`counter_queries`).

A condition is checked in the answer set, in the order of the rule: those before it hold for some
values of its variables. If it is a helper of kb/, its rules are searched down to predicates of the
vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile

import clingo

from rules_asp.explain.proof import MissingCondition
from rules_asp.explain.proof_choice import SectionsInForce
from rules_asp.explain.unknown import (
    Reason,
    atom_text,
    is_vocabulary_atom,
    label,
    make_reason,
    term_sentence,
)
from rules_asp.game.grid import Location
from rules_asp.game.query import Argument, FunctionTerm, Query, QueryLiteral, Variable
from rules_asp.game.query import QueryLiteral as Asserted
from rules_asp.game.vocabulary import YES, YES_NO, Vocabulary
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.dependencies import Producers, filled
from rules_asp.knowledge.rules import Rule, Signature
from rules_asp.knowledge.solver import AnswerSet, solve
from rules_asp.knowledge.terms import (
    ANONYMOUS,
    Agg,
    Cmp,
    Elem,
    Fun,
    Lit,
    Literal,
    Op,
    Term,
    Var,
    from_symbol,
    has_anonymous,
    is_ground,
    is_positive,
    substitute,
    to_symbol,
    variables,
    walk,
)
from rules_asp.parser.input_syntax import MAP_LINE, MARKS, fact_line
from rules_asp.positions.position import Position
from rules_asp.queries.query_facts import has_variables, matches


def counter_queries(literal: QueryLiteral, words: Vocabulary) -> Iterator[QueryLiteral]:
    """Yield queries whose answers explain why a literal does not hold.

    For a literal with variables: the norms that forbid it, in each possible manner.
    """
    why = Argument(Variable("Why"), "reason")
    if any(map(has_variables, literal.args)):
        other = words.against.get(literal.name)
        if literal.value is None and other is not None and other.forbids:
            norm = Argument(Variable("Norm"), other.further[0])
            yield replace(literal, name=other.name, args=(*literal.args, norm), negated=False)
            yield QueryLiteral("unknown", (*literal.args, why))
    elif literal.value is not None:
        yield from counter_values(literal)
    elif literal.name in words.against:
        other = words.against[literal.name]
        free = (Argument(Variable(kind.capitalize()), kind) for kind in other.further)
        yield QueryLiteral(other.name, (*literal.args, *free))
        if not any(isinstance(each.value, Location) for each in literal.args):
            yield QueryLiteral("unknown", (*literal.args, why))


def counter_values(literal: QueryLiteral) -> Iterator[QueryLiteral]:
    """Yield the queries for the actual value of a topic, and for the reason why it has none."""
    assert literal.value is not None
    yield replace(literal, value=Argument(Variable("Value"), literal.value.kind), negated=False)
    topic = Argument(FunctionTerm(literal.name, literal.args), "topic")
    yield QueryLiteral("unknown", (topic, Argument(Variable("Why"), "reason")))


def forbidding_norms(position: Position, query: Query, answer: AnswerSet) -> Iterator[str]:
    """Yield the norms that forbid the queried action."""
    for literal in _literals(query):
        other = position.vocabulary.against.get(literal.name)
        if other is None or not other.forbids:
            continue
        for *about, norm in answer.get(other.name, len(literal.args) + len(other.further)):
            if all(map(_is, about, literal.args)):
                yield norm.string


def _is(symbol: clingo.Symbol, argument: Argument) -> bool:
    """Test whether a symbol is the value of an argument, or fits its open parts."""
    if has_variables(argument):
        return matches(symbol, argument.value)
    return symbol == clingo.parse_term(argument.term)


def actual_value(position: Position, query: Query, answer: AnswerSet) -> Iterator[str]:
    """Yield the value of the queried topic, if it is one topic that is named completely."""
    for literal in _literals(query) if len(query.literals) == 1 else ():
        if literal.value is not None and not any(map(has_variables, literal.args)):
            value = answer.values.get(clingo.parse_term(literal.term))
            if value is not None:
                yield position.notation.value_text(value, literal.value.kind)


def unstated_inputs(position: Position, query: Query) -> Iterator[Reason]:
    """Yield the optional inputs that a query asks about and that this board does not state."""
    for literal in _literals(query):
        declared = position.vocabulary.inputs.get(literal.name)
        if literal.value is not None or declared is None or declared.closed:
            continue
        known = [each for each in literal.args[: declared.once] if not has_variables(each)]
        terms = [clingo.parse_term(each.term) for each in known]
        facts = position.board_facts.named(literal.name)
        if not any(fact.arguments[: len(terms)] == terms for fact in facts):
            told = list(map(position.notation.term_text, terms))
            line = fact_line(literal.name, told, position.vocabulary)
            yield make_reason(position.vocabulary, "not_stated", line)


def candidate_norms(position: Position, query: Query) -> tuple[str, ...]:
    """Return the norms in force that could make a query true on another board."""
    return tuple(dict.fromkeys(rule.norm or "" for rule in candidate_rules(position, query)))


def candidate_rules(position: Position, query: Query) -> Iterator[Rule]:
    """Yield the rules of norms in force that could make a query true on another board."""
    givers = position.program.givers
    force = SectionsInForce(position.program, position.cases[0])
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
    """Return a topic as a term with `any` for open places."""

    def text(argument: Argument) -> str:
        if isinstance(argument.value, FunctionTerm):
            return _plain(argument.value)
        return argument.term if not has_variables(argument) else "any"

    inner = ",".join(map(text, value.args))
    return f"{value.name}({inner})" if value.args else value.name


def _literals(query: Query) -> Iterator[QueryLiteral]:
    """Yield the positive literals of a query."""
    return (each for each in query.literals if isinstance(each, QueryLiteral) and not each.negated)


# --- Why not.


#: Predicates of the question itself; a rule about another question cannot apply.
_ASKED = frozenset(("asked", "asked_deed", "sought"))
#: Maximum depth of the search in helpers.
_DEPTH = 4


def missing_conditions(
    position: Position, query: Query, answers: Sequence[AnswerSet]
) -> tuple[MissingCondition, ...]:
    """Return the missing condition of each norm that could make a query true, in the first case of
    the board."""
    found: dict[str, tuple[float, MissingCondition]] = {}
    asked = query.literals[0]
    if len(query.literals) > 1 or not isinstance(asked, Asserted) or asked.negated:
        return ()
    search = _Search(position, answers[0])
    if asked.name in position.vocabulary.inputs and asked.value is None:
        lacking = search.unstated(asked.name, list(map(_term, asked.args)))
        return (MissingCondition(None, lacking, lacking, None),)
    for rule in candidate_rules(position, query):
        failure = search.failure(rule, _needed(rule, asked))
        if failure is None or rule.norm is None:
            continue
        told = MissingCondition(rule.norm, *failure.told, f"{rule.file}:{rule.line}")
        # Of several rules of a norm, choose the one that lacks least.
        if rule.norm not in found or failure.share > found[rule.norm][0]:
            found[rule.norm] = failure.share, told
    return tuple(each for _, each in found.values())


def _needed(rule: Rule, asked: Asserted) -> list[Cmp]:
    """Return the query as equations with the head of a rule; open parts give none."""
    assert rule.head is not None
    name, parts = rule.head
    wanted = list(zip(parts, asked.args, strict=True)) if asked.value is None else []
    if asked.value is not None:
        topic = parts[calculus().topic_place[name]]
        assert isinstance(topic, Fun)
        wanted += zip(topic.args, asked.args, strict=True)
        if name in ("says", "offers"):
            wanted.append((parts[calculus().topic_place[name] + 1], asked.value))
    return [_equal(part, _term(each)) for part, each in wanted if not has_variables(each)]


def _equal(one: Term, other: Term) -> Cmp:
    return Cmp("", one, (("=", other),))


def _term(argument: Argument) -> Term:
    """Return an argument as a term of a rule."""
    return (
        Var(ANONYMOUS) if has_variables(argument) else from_symbol(clingo.parse_term(argument.term))
    )


def _is_calculated(literal: Cmp) -> bool:
    return "-" in str(literal) or any(isinstance(each, Op) for each in walk(literal))


@dataclass(frozen=True)
class _Failure:
    """A failing condition, and the share of conditions that hold before it.

    `told` is the condition as questions name it, and in the words of players.
    """

    told: tuple[str, str]
    share: float


class _Search:
    """The search in an answer set for missing conditions of rules."""

    def __init__(self, position: Position, answer: AnswerSet) -> None:
        self.position = position
        self.notation = position.notation
        self.words = position.vocabulary
        self.answers = [answer, position.cases[answer.static_case]]

    def failure(self, rule: Rule, needed: Sequence[Cmp], depth: int = 0) -> _Failure | None:
        """Return the first failing condition of a rule; None if none fails, or if the head does not
        match."""
        # Arithmetic in a head is checked when its variables are known.
        later = list(filter(_is_calculated, needed))
        needed = [each for each in needed if each not in later]
        first = variables(*needed)
        literals = list(_in_order((*rule.literals, *later), first))
        binding = [first, *map(_binds, literals)]
        known = [sorted(set().union(*binding[: number + 1])) for number in range(len(binding))]
        asked = [
            _reached(number, names, (*needed, *literals[:number]))
            for number, names in enumerate(known)
        ]
        read = {(node.name, node.arity) for node in rule.body}
        defined = "".join(f"#defined {name}/{arity}." for name, arity in sorted(read))
        facts = dict.fromkeys(a for each in self.answers for n in read for a in each.atoms(*n))
        (found,) = solve(defined, *asked, facts=facts, parts=True)
        reached = sorted(found.get("reached", 2), key=lambda each: (-each[0].number, str(each[1])))
        if not reached or reached[0][0].number == len(literals):
            return None
        number = reached[0][0].number
        bound = dict(zip(known[number], reached[0][1].arguments, strict=True))
        share = (number + 1) / len(binding)
        return self.failure_of(literals[number], bound, share, depth)

    def failure_of(
        self, literal: Literal, bound: dict[str, clingo.Symbol], share: float, depth: int
    ) -> _Failure | None:
        """Return in words that a condition fails."""
        literal = filled(literal, {name: from_symbol(each) for name, each in bound.items()})
        if not isinstance(literal, Lit):
            return _Failure((f"{literal} does not hold",) * 2, share)
        if literal.sign:
            return self.worded_failure(share, partial(self.negation_text, literal.atom))
        name, parts = literal.atom
        if name in _ASKED:
            return None
        if name in ("is", "value", "total"):
            topic, value = parts
            return self.worded_failure(share, partial(self.otherwise, topic, value))
        if name in self.words.inputs:
            return _Failure((self.unstated(name, parts),) * 2, share)
        if not self.is_in_vocabulary(name, len(parts)) and depth < _DEPTH:
            rules = self.position.program.givers.every(Signature(name, len(parts)))
            below = [self.below(rule, parts, depth + 1) for rule in rules]
            best = max((each for each in below if each), key=lambda each: each.share, default=None)
            if best is not None:
                return _Failure(best.told, share)
        entry = self.words.predicate(name)
        sense = f" ({entry.meaning})" if entry else ""
        told = f"{self.worded(literal.atom, False)} is not so{sense}"
        return _Failure((told, f"{self.worded(literal.atom, True)}: no"), share)

    def worded_failure(self, share: float, text: Callable[[bool], str]) -> _Failure:
        """Return a failing condition, worded as in questions and in the words of players."""
        return _Failure((text(False), text(True)), share)

    def below(self, rule: Rule, parts: Sequence[Term], depth: int) -> _Failure | None:
        """Return the failing condition of a helper's rule."""
        assert rule.head is not None
        pairs = zip(rule.head.args, parts, strict=True)
        needed = [_equal(one, part) for one, part in pairs if not has_anonymous(part)]
        return self.failure(rule, needed, depth)

    def otherwise(self, topic: Term, value: Term, in_words: bool) -> str:
        """Return the actual value of a topic that should have had another one."""
        kind = self.words.topics.get(topic.name if isinstance(topic, Fun) else "")
        wanted = str(value)
        if wanted != ANONYMOUS:
            wanted = self.notation.value_text(to_symbol(value), kind.value if kind else "")
        if has_anonymous(topic):
            return f"{self.worded(topic, in_words)} is nowhere {wanted}"
        symbol = to_symbol(topic)
        said = self.worded(topic, in_words)
        for answer in self.answers:
            if symbol in answer.values:
                found = self.notation.value_text(answer.values[symbol], kind.value if kind else "")
                if in_words and kind is not None and kind.value == YES_NO:
                    return f"{said}: {found}"
                return f"{said} is {found}, not {wanted}"
        if wanted == ANONYMOUS:
            return f"{said} has no value"
        if kind is not None and kind.value == YES_NO:
            so = str(value) != YES
            return (
                f"{said}: {'yes' if so else 'no'}"
                if in_words
                else f"{said} is {'so' if so else 'not so'}"
            )
        return f"nothing makes {said} {wanted}"

    def negation_text(self, atom: Fun, in_words: bool) -> str:
        """Return in words that a negated atom holds."""
        if has_anonymous(atom):
            return f"but {self.worded(atom, in_words)}"
        return f"but {atom_text(to_symbol(atom), self.notation, in_words)}"

    def is_in_vocabulary(self, name: str, arity: int) -> bool:
        """Test whether people know a predicate, which excludes results of the calculus."""
        atom = clingo.Function(name, [clingo.Number(0)] * arity)
        return is_vocabulary_atom(atom, self.words) and name not in calculus().topic_place

    def unstated(self, name: str, parts: Sequence[Term]) -> str:
        """Return that the board lacks an input: its line, or its meaning."""
        ground = takewhile(is_ground, parts)
        known = [self.notation.term_text(to_symbol(part)) for part in ground]
        if name not in MAP_LINE and name not in MARKS:
            return f"the board does not say: {fact_line(name, known, self.words)}"
        # Measured facts are worded from the view of the LOS.
        where = f" ({', '.join(known)})" if known else ""
        return f"not on this board{where}: {self.words.inputs[name].meaning}"

    def worded(self, term: Term, in_words: bool) -> str:
        """Return a condition with places by name, and `any` for unknown parts."""
        try:
            known = to_symbol(substitute(term, {ANONYMOUS: Fun("any")}))
            if in_words:
                return str(label(known, self.notation))
            return term_sentence(known, self.notation)
        except RuntimeError:
            return str(term)


def _in_order(literals: Iterable[Literal], known: set[str]) -> Iterator[Literal]:
    """Yield the literals in order, but comparisons and negations only after their variables are
    bound."""
    left, bound = list(literals), set(known)
    while left:
        ready = (each for each in left if _is_ready(each, bound))
        first = next(ready, left[0])
        left.remove(first)
        bound |= _binds(first)
        yield first


def _binds(literal: Literal) -> set[str]:
    """Return the variables that a condition binds, without local ones of aggregates."""
    if isinstance(literal, Agg):
        return variables(literal.left) if _is_value(literal) else set()
    is_open = isinstance(literal, Elem) or (isinstance(literal, Lit) and literal.sign)
    return set() if is_open else variables(literal)


def _is_ready(literal: Literal, bound: set[str]) -> bool:
    if is_positive(literal) or _is_value(literal):
        return True
    sides: tuple[object, ...] = (literal,)
    if isinstance(literal, Cmp) and [how for how, _ in literal.guards] == ["="]:
        sides = (literal.left, literal.guards[0][1])
    elif isinstance(literal, Agg):
        sides = ((literal.left, *(each.parts for each in literal.elements[:1])),)
    elif isinstance(literal, Elem):
        sides = (literal.parts,)
    return any(variables(each) <= bound for each in sides)


def _is_value(literal: Literal) -> bool:
    """Test whether an aggregate assigns a value."""
    return isinstance(literal, Agg) and bool(literal.function) and literal.left[1:] == ("=",)


def _reached(number: int, names: Sequence[str], body: Sequence[Literal]) -> str:
    """Return a rule that counts the conditions of a body that hold."""
    for_ = Fun("", tuple(map(Var, names)))
    return f"reached({number},{for_}) :- {'; '.join(map(str, body)) or '#true'}."
