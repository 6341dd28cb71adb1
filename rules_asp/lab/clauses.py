"""Clauses: rules as literals without arithmetic terms, and terms with unknowns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, repeat
from typing import NamedTuple, TypeAlias

from rules_asp.knowledge.rules import Functor
from rules_asp.knowledge.terms import (
    ANONYMOUS,
    Agg,
    Cmp,
    Const,
    Fun,
    Lit,
    Literal,
    Op,
    Term,
    Var,
    variables,
    walk,
)

# --- Literals of a clause, without pools and arithmetic terms.


class Holds(NamedTuple):
    """An atom that holds."""

    atom: Fun


class Denied(NamedTuple):
    """An atom that does not hold, for any value of its universal variables."""

    atom: Fun


class Compares(NamedTuple):
    """A comparison of two terms: =, !=, <, <=, > or >=."""

    sign: str
    left: Term
    right: Term


class Computes(NamedTuple):
    """A calculation whose result is a number: `result` is `sign` of `args`."""

    result: Term
    sign: str
    args: tuple[Term, ...]


class Free(NamedTuple):
    """A literal that may be true or false: an aggregate, or a literal with a condition."""

    text: str


class Differs(NamedTuple):
    """At least one of the pairs of terms differs."""

    pairs: tuple[tuple[Term, Term], ...]


BodyLiteral: TypeAlias = Holds | Denied | Compares | Computes | Free | Differs


class Clause(NamedTuple):
    """A head that holds if its body does; `rule` is the text of its rule. cost: levels of
    unrolling."""

    head: Fun
    body: tuple[BodyLiteral, ...]
    rule: str
    cost: int = 1


class Denial(NamedTuple):
    """A clause applied to a negated head.

    needs: the predicates of the atoms of its body. reads: the parts of a branch that decide whether
    the body holds.
    """

    head: Fun
    body: tuple[BodyLiteral, ...]
    needs: tuple[Functor, ...]
    reads: frozenset[Functor] = frozenset()


#: The part of a branch with its comparisons and calculations.
COMPARISON: Functor = ("<", 2)


def negated(functor: Functor) -> Functor:
    """Return the part of a branch with the negated atoms of a predicate."""
    return f"not {functor[0]}", functor[1]


def reads_of(body: Iterable[BodyLiteral]) -> Iterator[Functor]:
    """Yield the parts of a branch that show whether these literals hold."""
    for each in body:
        if isinstance(each, Holds | Denied):
            yield each.atom.functor
            yield negated(each.atom.functor)
        elif not isinstance(each, Compares) or each.sign != "=":
            yield COMPARISON


INVERSE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
#: Prefixes of the names of unknowns, and of universal variables.
UNKNOWN, EACH = "#", "*"
#: Mark in the names of variables that are added to rules: no variable of a rule has it.
ADDED = "?"


#: Prefix of the predicate that represents the value of an aggregate.
AGGREGATE = "#"


def clause_of(head: Fun, literals: Sequence[Literal], rule: str, cost: int = 1) -> Clause:
    """Return a rule as a clause, with arithmetic terms moved to literals of their own."""
    numbers = count()
    more: list[BodyLiteral] = []
    pure = _pure_atom(head, numbers, more, False)
    for place, each in enumerate(literals):
        if isinstance(each, Agg):
            others = variables(head, *literals[:place], *literals[place + 1 :])
            more.append(_aggregate(each, others))
        else:
            more += _literal(each, numbers)
    return Clause(pure, tuple(more), rule, cost)


def _aggregate(literal: Agg, others: set[str]) -> BodyLiteral:
    """Return an aggregate as an atom if it only gives a value, else as a free literal.

    Aggregates over the same terms share the atom and so have the same value.
    """
    guard = literal.left
    if literal.sign or literal.right or not isinstance(guard, tuple) or guard[1] != "=":
        return Free(str(literal))
    bound = sorted(others & variables(*literal.elements))
    # The same text counts different things if other variables of it are bound.
    elements = "; ".join(map(str, literal.elements))
    name = f"{AGGREGATE}{literal.function}{{{elements}}} of {','.join(bound)}"
    inner: list[BodyLiteral] = []
    value = _pure(guard[0], count(), inner, False)
    if inner:
        return Free(str(literal))
    return Holds(Fun(name, (*map(Var, bound), value)))


def denial_of(clause: Clause) -> Denial | None:
    """Return a clause applied to its negated head; None if its body never certainly holds."""
    if any(isinstance(each, Free) for each in clause.body):
        return None
    body = sorted(clause.body, key=lambda each: _ORDER.index(type(each)))
    needs = tuple(each.atom.functor for each in body if isinstance(each, Holds))
    return Denial(clause.head, tuple(body), needs)


_ORDER = (Holds, Computes, Compares, Denied)


def _literal(literal: Literal, numbers: Iterator[int]) -> Iterator[BodyLiteral]:
    more: list[BodyLiteral] = []
    if isinstance(literal, Lit):
        denied = literal.sign == "not "
        atom = _pure_atom(literal.atom, numbers, more, denied)
        yield from more
        yield Denied(atom) if denied else Holds(atom)
    elif isinstance(literal, Cmp) and literal.guards:
        yield from _comparison(literal, numbers)
    elif not isinstance(literal, Cmp) or "#false" in str(literal):
        yield Free(str(literal))


def _comparison(literal: Cmp, numbers: Iterator[int]) -> Iterator[BodyLiteral]:
    if literal.sign and len(literal.guards) > 1:
        yield Free(str(literal))
        return
    more: list[BodyLiteral] = []
    left = literal.left
    for sign, right in literal.guards:
        how = INVERSE[sign] if literal.sign == "not " else sign
        if isinstance(right, Op) and right.sign == "..":
            if how != "=":
                yield Free(str(literal))
                return
            more += _within(_pure(left, numbers, more, False), right, numbers)
        else:
            one, two = _pure(left, numbers, more, False), _pure(right, numbers, more, False)
            more.append(Compares(how, one, two))
        left = right
    yield from more


def _within(term: Term, interval: Op, numbers: Iterator[int]) -> Iterator[BodyLiteral]:
    """Yield the literals of a number in an interval."""
    more: list[BodyLiteral] = []
    low, high = (_pure(each, numbers, more, False) for each in interval.args)
    yield from more
    # The value must be a number: words are greater than all numbers.
    yield Computes(term, "+", (term, Const(0)))
    yield Compares(">=", term, low)
    yield Compares("<=", term, high)


def _pure_atom(atom: Fun, numbers: Iterator[int], more: list[BodyLiteral], denied: bool) -> Fun:
    return Fun(atom.name, tuple(_pure(each, numbers, more, denied) for each in atom.args))


def _pure(term: Term, numbers: Iterator[int], more: list[BodyLiteral], denied: bool) -> Term:
    """Return a term without arithmetic, which moves to literals in `more`."""
    if isinstance(term, Var):
        if term.name != ANONYMOUS:
            return term
        return Var(f"{EACH if denied else ''}Any{ADDED}{next(numbers)}")
    if isinstance(term, Const):
        return term
    if isinstance(term, Fun):
        return Fun(term.name, tuple(_pure(each, numbers, more, denied) for each in term.args))
    result = Var(f"Result{ADDED}{next(numbers)}")
    if term.sign == "..":
        more += _within(result, term, numbers)
    else:
        args = tuple(_pure(each, numbers, more, False) for each in term.args)
        more.append(Computes(result, term.sign, args))
    return result


# --- Terms with unknowns.

Bindings: TypeAlias = dict[str, Term]


def is_local(var: Var) -> bool:
    """Test whether a variable is local to a rule or universal, not an unknown."""
    return UNKNOWN not in var.name or var.name[0] == EACH


def resolved(term: Term, bindings: Mapping[str, Term]) -> Term:
    """Return a term with bound unknowns replaced."""
    while isinstance(term, Var) and term.name in bindings:
        term = bindings[term.name]
    if isinstance(term, Fun) and term.args:
        return Fun(term.name, tuple(resolved(each, bindings) for each in term.args))
    return term


def dereferenced(term: Term, bindings: Mapping[str, Term]) -> Term:
    """Return the binding of a term if it is an unknown; unknowns inside the term stay."""
    while isinstance(term, Var) and term.name in bindings:
        term = bindings[term.name]
    return term


def paired_arguments(one: Term, two: Term) -> Iterable[tuple[Term, Term]] | None:
    """Return the pairs of arguments that must be equal for two terms to be equal; None if they
    differ."""
    if type(one) is not type(two):
        return None
    if isinstance(one, Fun) and isinstance(two, Fun):
        return zip(one.args, two.args, strict=True) if one.functor == two.functor else None
    return () if one == two and type(one[0]) is type(two[0]) else None


def are_same(one: Term, two: Term, bindings: Mapping[str, Term]) -> bool:
    """Test whether two terms are equal for all values of the unknowns."""
    while type(one) is Var and one[0] in bindings:
        one = bindings[one[0]]
    while type(two) is Var and two[0] in bindings:
        two = bindings[two[0]]
    if one is two:
        return True
    if type(one) is not type(two) or one[0] != two[0]:
        return False
    if type(one) is Fun and type(two) is Fun:
        if len(one[1]) != len(two[1]):
            return False
        return all(map(are_same, one[1], two[1], repeat(bindings)))
    return type(one[0]) is type(two[0])


def unify(one: Term, two: Term, bindings: Bindings) -> bool:
    """Unify two terms by binding unknowns; False if they cannot be equal."""
    one, two = dereferenced(one, bindings), dereferenced(two, bindings)
    if isinstance(one, Var):
        if isinstance(two, Var) and one.name == two.name:
            return True
        if _occurs(one, two, bindings):
            return False
        bindings[one.name] = two
        return True
    if isinstance(two, Var):
        return unify(two, one, bindings)
    pairs = paired_arguments(one, two)
    return pairs is not None and all(unify(a, b, bindings) for a, b in pairs)


def _occurs(var: Var, term: Term, bindings: Mapping[str, Term]) -> bool:
    term = dereferenced(term, bindings)
    if isinstance(term, Var):
        return term.name == var.name
    return isinstance(term, Fun) and any(_occurs(var, each, bindings) for each in term.args)


def matches(pattern: Term, term: Term, bindings: Mapping[str, Term], env: Bindings) -> bool:
    """Match a pattern against a term; its local variables are bound in `env`."""
    if type(pattern) is Var:
        if is_local(pattern):
            known = env.setdefault(pattern[0], term)
            return known is term or are_same(known, term, bindings)
        return are_same(pattern, term, bindings)
    while type(term) is Var and term[0] in bindings:
        term = bindings[term[0]]
    if type(pattern) is not type(term) or pattern[0] != term[0]:
        return False
    if type(pattern) is Fun and type(term) is Fun:
        if len(pattern[1]) != len(term[1]):
            return False
        return all(map(matches, pattern[1], term[1], repeat(bindings), repeat(env)))
    return type(pattern[0]) is type(term[0])


def filled_term(term: Term, env: Mapping[str, Term]) -> Term:
    """Return a term with the values of local variables."""
    if isinstance(term, Var):
        return env.get(term.name, term)
    if isinstance(term, Fun) and term.args:
        return Fun(term.name, tuple(filled_term(each, env) for each in term.args))
    return term


def filled(literal: BodyLiteral, env: Mapping[str, Term]) -> BodyLiteral:
    """Return a literal with values for variables."""
    match literal:
        case Holds(atom):
            return Holds(filled_atom(atom, env))
        case Denied(atom):
            return Denied(filled_atom(atom, env))
        case Compares(sign, left, right):
            return Compares(sign, filled_term(left, env), filled_term(right, env))
        case Computes(result, sign, args):
            return Computes(
                filled_term(result, env), sign, tuple(filled_term(each, env) for each in args)
            )
        case Differs(pairs):
            return Differs(tuple((filled_term(a, env), filled_term(b, env)) for a, b in pairs))
    return literal


def filled_atom(atom: Fun, env: Mapping[str, Term]) -> Fun:
    """Return an atom with the values of local variables."""
    return Fun(atom.name, tuple(filled_term(each, env) for each in atom.args))


def nesting(term: Term) -> int:
    """Return how deeply the arguments of a term are nested; 0 for a word, number or variable."""
    return 1 + max(map(nesting, term.args), default=0) if type(term) is Fun else 0


def variable_names(literal: BodyLiteral | Term) -> set[str]:
    """Return the names of all variables and unknowns of a literal or term."""
    return {each.name for each in walk((literal,)) if type(each) is Var}


def renamed(clause: Clause, number: int, mark: str = UNKNOWN) -> Clause:
    """Return a clause with fresh unknowns for its variables, or with other names for them."""
    names = variable_names(clause.head).union(*map(variable_names, clause.body))
    env = {name: Var(f"{name}{mark}{number}") for name in names}
    body = tuple(filled(each, env) for each in clause.body)
    return Clause(filled_atom(clause.head, env), body, clause.rule, clause.cost)


def resolved_atom(atom: Fun, bindings: Mapping[str, Term]) -> Fun:
    """Return an atom with bound unknowns replaced."""
    return Fun(atom.name, tuple(resolved(each, bindings) for each in atom.args))
