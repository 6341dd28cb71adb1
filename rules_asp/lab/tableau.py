"""A tableau over the rules: literals that cannot hold together on any board, of whatever size.

Unknowns stand for ground terms. A branch is a set of literals, equations and inequalities that some
answer set must make true; it is closed once no answer set can. kb/CALCULUS.md has the argument.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count, product
from typing import NamedTuple, TypeAlias

import clingo

from rules_asp.knowledge.rules import SIGHT, Functor, signature_of_term
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

# --- Literals of a clause: rules without pools of terms that are calculated.


class Holds(NamedTuple):
    """An atom that holds."""

    atom: Fun


class Denied(NamedTuple):
    """An atom that does not hold; it is denied for each value of its universal variables."""

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
    """A literal that is left free: an aggregate, or a literal with a condition."""

    text: str


class Differs(NamedTuple):
    """Of the pairs of terms one at least differs."""

    pairs: tuple[tuple[Term, Term], ...]


BodyLiteral: TypeAlias = Holds | Denied | Compares | Computes | Free | Differs


class Clause(NamedTuple):
    """A head that holds if its body does; `rule` is the text of its rule. cost: levels of unrolling."""

    head: Fun
    body: tuple[BodyLiteral, ...]
    rule: str
    cost: int = 1


class Denial(NamedTuple):
    """A clause as it is used where its head is denied. needs: the predicates of the atoms of its body."""

    head: Fun
    body: tuple[BodyLiteral, ...]
    needs: tuple[tuple[str, int], ...]


_INVERSE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
#: Marks the name of an unknown, and of a variable for which a literal is denied for each value.
_UNKNOWN, _EACH = "#", "*"


#: Begins the name of the predicate that stands for the value of an aggregate.
AGGREGATE = "#"


def clause_of(head: Fun, literals: Sequence[Literal], rule: str, cost: int = 1) -> Clause:
    """A rule as a clause, with calculated terms taken out of its literals."""
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
    """An aggregate: as an atom where it only gives a value, and free otherwise.

    Over the same terms it has the same value, whatever that is.
    """
    guard = literal.left
    if literal.sign or literal.right or not isinstance(guard, tuple) or guard[1] != "=":
        return Free(str(literal))
    bound = sorted(others & variables(*literal.elements))
    name = f"{AGGREGATE}{literal.function}{{{'; '.join(map(str, literal.elements))}}}"
    inner: list[BodyLiteral] = []
    value = _pure(guard[0], count(), inner, False)
    if inner:
        return Free(str(literal))
    return Holds(Fun(name, (*map(Var, bound), value)))


def denial_of(clause: Clause) -> Denial | None:
    """A clause for where its head is denied; None for one of which the body is never known to hold."""
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
        how = _INVERSE[sign] if literal.sign == "not " else sign
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
    """A number of an interval."""
    more: list[BodyLiteral] = []
    low, high = (_pure(each, numbers, more, False) for each in interval.args)
    yield from more
    # That it is a number, and not a word, which is greater than all of them.
    yield Computes(term, "+", (term, Const(0)))
    yield Compares(">=", term, low)
    yield Compares("<=", term, high)


def _pure_atom(
    atom: Fun, numbers: Iterator[int], more: list[BodyLiteral], denied: bool
) -> Fun:
    return Fun(atom.name, tuple(_pure(each, numbers, more, denied) for each in atom.args))


def _pure(term: Term, numbers: Iterator[int], more: list[BodyLiteral], denied: bool) -> Term:
    """A term without calculations, which are literals of their own."""
    if isinstance(term, Var):
        if term.name != ANONYMOUS:
            return term
        return Var(f"{_EACH if denied else ''}Any{next(numbers)}")
    if isinstance(term, Const):
        return term
    if isinstance(term, Fun):
        return Fun(term.name, tuple(_pure(each, numbers, more, denied) for each in term.args))
    result = Var(f"Result{next(numbers)}")
    if term.sign == "..":
        more += _within(result, term, numbers)
    else:
        args = tuple(_pure(each, numbers, more, False) for each in term.args)
        more.append(Computes(result, term.sign, args))
    return result


# --- Terms with unknowns.

Bindings: TypeAlias = dict[str, Term]


def _is_local(var: Var) -> bool:
    """Whether a variable is of a rule, or universal, and no unknown."""
    return _UNKNOWN not in var.name or var.name[0] == _EACH


def resolved(term: Term, bindings: Mapping[str, Term]) -> Term:
    """A term with what its unknowns are known to be."""
    while isinstance(term, Var) and term.name in bindings:
        term = bindings[term.name]
    if isinstance(term, Fun) and term.args:
        return Fun(term.name, tuple(resolved(each, bindings) for each in term.args))
    return term


def _head(term: Term, bindings: Mapping[str, Term]) -> Term:
    while isinstance(term, Var) and term.name in bindings:
        term = bindings[term.name]
    return term


def _same(one: Term, two: Term, bindings: Mapping[str, Term]) -> bool:
    """Whether two terms are the same whatever the unknowns are."""
    one, two = _head(one, bindings), _head(two, bindings)
    if type(one) is not type(two):
        return False
    if isinstance(one, Fun) and isinstance(two, Fun):
        return (
            one.name == two.name
            and len(one.args) == len(two.args)
            and all(_same(a, b, bindings) for a, b in zip(one.args, two.args, strict=True))
        )
    return one == two and type(one[0]) is type(two[0])


def unify(one: Term, two: Term, bindings: Bindings) -> bool:
    """Make two terms the same by binding unknowns; False if they never are."""
    one, two = _head(one, bindings), _head(two, bindings)
    if isinstance(one, Var):
        if isinstance(two, Var) and one.name == two.name:
            return True
        if _occurs(one, two, bindings):
            return False
        bindings[one.name] = two
        return True
    if isinstance(two, Var):
        return unify(two, one, bindings)
    if type(one) is not type(two):
        return False
    if isinstance(one, Fun) and isinstance(two, Fun):
        return (
            one.name == two.name
            and len(one.args) == len(two.args)
            and all(unify(a, b, bindings) for a, b in zip(one.args, two.args, strict=True))
        )
    return one == two and type(one[0]) is type(two[0])


def _occurs(var: Var, term: Term, bindings: Mapping[str, Term]) -> bool:
    term = _head(term, bindings)
    if isinstance(term, Var):
        return term.name == var.name
    return isinstance(term, Fun) and any(_occurs(var, each, bindings) for each in term.args)


def _matches(pattern: Term, term: Term, bindings: Mapping[str, Term], env: Bindings) -> bool:
    """Whether a pattern is the term for some values of its local variables, which are bound in `env`."""
    if isinstance(pattern, Var):
        if _is_local(pattern):
            if pattern.name in env:
                return _same(env[pattern.name], term, bindings)
            env[pattern.name] = term
            return True
        pattern = _head(pattern, bindings)
        if isinstance(pattern, Var):
            term = _head(term, bindings)
            return isinstance(term, Var) and term.name == pattern.name
    term = _head(term, bindings)
    if type(pattern) is not type(term):
        return False
    if isinstance(pattern, Fun) and isinstance(term, Fun):
        return (
            pattern.name == term.name
            and len(pattern.args) == len(term.args)
            and all(
                _matches(a, b, bindings, env)
                for a, b in zip(pattern.args, term.args, strict=True)
            )
        )
    return pattern == term and type(pattern[0]) is type(term[0])


def _filled(term: Term, env: Mapping[str, Term]) -> Term:
    """A term with the values of local variables."""
    if isinstance(term, Var):
        return env.get(term.name, term)
    if isinstance(term, Fun) and term.args:
        return Fun(term.name, tuple(_filled(each, env) for each in term.args))
    return term


def filled(literal: BodyLiteral, env: Mapping[str, Term]) -> BodyLiteral:
    """A literal with values for variables."""
    match literal:
        case Holds(atom):
            return Holds(_filled_atom(atom, env))
        case Denied(atom):
            return Denied(_filled_atom(atom, env))
        case Compares(sign, left, right):
            return Compares(sign, _filled(left, env), _filled(right, env))
        case Computes(result, sign, args):
            return Computes(
                _filled(result, env), sign, tuple(_filled(each, env) for each in args)
            )
        case Differs(pairs):
            return Differs(tuple((_filled(a, env), _filled(b, env)) for a, b in pairs))
    return literal


def _filled_atom(atom: Fun, env: Mapping[str, Term]) -> Fun:
    return Fun(atom.name, tuple(_filled(each, env) for each in atom.args))


def _variables(literal: BodyLiteral | Term) -> set[str]:
    return {each.name for each in walk((literal,)) if type(each) is Var}


def renamed(clause: Clause, number: int) -> Clause:
    """A clause with unknowns of its own for its variables."""
    names = _variables(clause.head).union(*map(_variables, clause.body))
    env = {name: Var(f"{name}{_UNKNOWN}{number}") for name in names}
    body = tuple(filled(each, env) for each in clause.body)
    return Clause(_filled_atom(clause.head, env), body, clause.rule, clause.cost)


# --- What is known of the rules.


class Axiom(NamedTuple):
    """Atoms of a predicate with the same terms in `keys` have the same terms in `values`."""

    name: str
    keys: tuple[int, ...]
    values: tuple[int, ...]


Key: TypeAlias = tuple[str, int, Functor | None]
_ONE_VALUE = "an aggregate has one value"
#: That a norm is defeated on a subject; of sights it is left free.
DEFEATED = "is_defeated"
_SIGHTS = (SIGHT, ("at", 2))


@dataclass(frozen=True)
class Theory:
    """The clauses by the predicate (and topic) of their heads, and the axioms.

    clauses: an atom that holds is the head of one of them, and its body holds, but for the `open`
    predicates, which a board or a question may state or at which unrolling ends. denials: where the body
    of one of them holds, its head does. facts: what holds on every board.
    """

    clauses: Mapping[Key, Sequence[Clause]]
    denials: Mapping[Key, Sequence[Denial]]
    open: frozenset[tuple[str, int]]
    axioms: Mapping[tuple[str, int], Sequence[Axiom]]
    facts: frozenset[Fun] = frozenset()
    #: The kinds of the arguments of what boards and questions state.
    kinds: Mapping[tuple[str, int], Sequence[str]] = field(default_factory=dict)

    @cached_property
    def known(self) -> frozenset[tuple[str, int]]:
        """The predicates of the facts."""
        return frozenset(each.functor for each in self.facts)

    def clauses_for(self, atom: Fun) -> Sequence[Clause] | None:
        """The clauses that may derive an atom; None if others may as well."""
        if atom.functor in self.open or _topic_unknown(atom):
            return None
        key = key_of(atom)
        if atom.name == DEFEATED and (key[1] or key[2] in _SIGHTS):
            return None
        return self.clauses.get(key, ())

    def axioms_for(self, functor: tuple[str, int]) -> Sequence[Axiom]:
        """The axioms of a predicate. An aggregate has one value."""
        name, arity = functor
        if name.startswith(AGGREGATE):
            return (Axiom(_ONE_VALUE, tuple(range(arity - 1)), (arity - 1,)),)
        return self.axioms.get(functor, ())

    def denials_for(self, atom: Fun) -> Sequence[Denial]:
        """The clauses that would derive an atom that is denied."""
        return () if _topic_unknown(atom) else self.denials.get(key_of(atom), ())


@dataclass(frozen=True)
class Consulted:
    """A theory, with a record of what was looked up in it."""

    theory: Theory
    keys: set[Key] = field(default_factory=set)

    def clauses_for(self, atom: Fun) -> Sequence[Clause] | None:
        """The clauses that may derive an atom, as the theory has them."""
        clauses = self.theory.clauses_for(atom)
        if clauses is not None:
            self.keys.add(key_of(atom))
        return clauses

    def denials_for(self, atom: Fun) -> Sequence[Denial]:
        """The clauses that would derive an atom that is denied."""
        self.keys.add(key_of(atom))
        return self.theory.denials_for(atom)

    def never(self, atom: Fun) -> bool:
        """Whether nothing may derive an atom, as far as words and numbers tell."""
        clauses = self.clauses_for(atom)
        return clauses is not None and not any(_may_derive(each, atom) for each in clauses)


def key_of(atom: Fun) -> Key:
    """By what the clauses of an atom are found."""
    node = signature_of_term(atom)
    # Of a norm that is defeated, the norm tells more than what it is defeated on.
    if node.name == DEFEATED and isinstance(atom.args[0], Const):
        return str(atom.args[0].value), 0, node.topic
    return node.name, node.arity, node.topic


#: The kinds of which the terms have a form of their own.
_SHAPES = frozenset(("hex", "hexside", "location"))

# --- Branches.


class _Closed(Exception):
    """No answer set makes a branch true."""


@dataclass
class Branch:
    """What an answer set is supposed to make true: it is changed until it is closed or kept open."""

    bindings: Bindings = field(default_factory=dict)
    holds: dict[tuple[str, int], list[Fun]] = field(default_factory=dict)
    denied: dict[tuple[str, int], list[Fun]] = field(default_factory=dict)
    differs: list[Differs] = field(default_factory=list)
    orders: list[tuple[Term, Term, int]] = field(default_factory=list)
    computes: list[Computes] = field(default_factory=list)
    #: Atoms that are still to be unrolled, each with its level.
    agenda: list[tuple[Fun, int]] = field(default_factory=list)
    unrolled: list[Fun] = field(default_factory=list)
    free: list[str] = field(default_factory=list)
    #: So many atoms of each predicate are known to be of their kinds.
    typed: dict[tuple[str, int], int] = field(default_factory=dict)
    changed: bool = True

    def copy(self) -> Branch:
        """The same branch, to be changed otherwise."""
        return Branch(
            dict(self.bindings),
            {name: list(each) for name, each in self.holds.items()},
            {name: list(each) for name, each in self.denied.items()},
            list(self.differs),
            list(self.orders),
            list(self.computes),
            list(self.agenda),
            list(self.unrolled),
            list(self.free),
            dict(self.typed),
        )

    def add(self, literal: BodyLiteral, level: int) -> None:
        """Suppose one more literal."""
        self.changed = True
        match literal:
            case Holds(atom):
                known = self.holds.setdefault(atom.functor, [])
                if not any(_same(atom, each, self.bindings) for each in known):
                    known.append(atom)
                    self.agenda.append((atom, level))
            case Denied(atom):
                known = self.denied.setdefault(atom.functor, [])
                if not any(_same(atom, each, self.bindings) for each in known):
                    known.append(atom)
            case Compares(sign, left, right):
                self._compare(sign, left, right)
            case Computes():
                self.computes.append(literal)
            case Differs():
                self.differs.append(literal)
            case Free(text):
                self.free.append(text)

    def _compare(self, sign: str, left: Term, right: Term) -> None:
        if sign == "=":
            if not unify(left, right, self.bindings):
                raise _Closed
        elif sign == "!=":
            self.differs.append(Differs(((left, right),)))
        elif sign in ("<", "<="):
            self.orders.append((left, right, -1 if sign == "<" else 0))
        else:
            self.orders.append((right, left, -1 if sign == ">" else 0))


@dataclass(frozen=True)
class Outcome:
    """What came of a search: closed, or an open branch; with the axioms and the clauses that it used.

    model: what a board and a question state in the open branch, as text.
    """

    closed: bool
    axioms: frozenset[str]
    consulted: frozenset[Key]
    model: tuple[str, ...]
    steps: int


#: A hex, or another unknown, in the text of an atom.
_UNKNOWNS = re.compile(r"\(Column#(?:\d+),Row#\d+\)|([A-Z]\w*)#\d+")


class _TooLong(Exception):
    """The search took more steps than it may."""


class Tableau:
    """A search for a branch that stays open."""

    def __init__(self, theory: Theory, depth: int, steps: int) -> None:
        self._theory = theory
        self._depth = depth
        self._most = steps
        self._steps = 0
        self._numbers = count(1)
        self._axioms: set[str] = set()
        self._rules = Consulted(theory)
        self._open: Branch | None = None

    def refute(self, literals: Iterable[BodyLiteral]) -> Outcome:
        """Whether no answer set makes all these literals true, as far as this search shows."""
        branch = Branch()
        closed = False
        try:
            for each in literals:
                branch.add(each, 0)
            closed = self._closes(branch)
        except _Closed:
            closed = True
        except _TooLong:
            pass
        model = () if closed else self._model(self._open or branch)
        return Outcome(
            closed, frozenset(self._axioms), frozenset(self._rules.keys), model, self._steps
        )

    def _model(self, branch: Branch) -> tuple[str, ...]:
        """What a board and a question state in a branch, with names for the unknowns."""
        stated = [
            str(_resolved_atom(atom, branch.bindings))
            for functor, atoms in branch.holds.items()
            if functor in self._theory.kinds
            for atom in atoms
        ]
        names: dict[str, str] = {}
        used: dict[str, int] = {}

        def name(found: re.Match[str]) -> str:
            if found[0] not in names:
                kind = "Hex" if found[1] is None else found[1].rstrip("0123456789")
                used[kind] = used.get(kind, 0) + 1
                names[found[0]] = f"{kind}{used[kind]}"
            return names[found[0]]

        return tuple(dict.fromkeys(_UNKNOWNS.sub(name, each) for each in sorted(stated)))

    def unknowns(self, clause: Clause) -> Clause:
        """A clause with unknowns of its own."""
        return renamed(clause, next(self._numbers))

    # --- the search

    def _closes(self, branch: Branch) -> bool:
        """Whether every answer set that makes the branch true is ruled out."""
        while True:
            self._steps += 1
            if self._steps > self._most:
                self._open = self._open or branch
                raise _TooLong
            try:
                self._saturate(branch)
            except _Closed:
                return True
            chosen = self._next(branch)
            if chosen is None:
                break
            place, options = chosen
            atom, level = branch.agenda.pop(place)
            branch.unrolled.append(atom)
            if not options:
                return True
            *others, last = options
            for clause in others:
                if not self._taken(branch.copy(), atom, level, clause):
                    return False
            try:
                self._take(branch, atom, level, last)
            except _Closed:
                return True
        for cases in self._splits(branch):
            return all(self._case(branch.copy(), literals) for literals in cases)
        self._open = branch
        return False

    def _taken(self, branch: Branch, atom: Fun, level: int, clause: Clause) -> bool:
        try:
            self._take(branch, atom, level, clause)
        except _Closed:
            return True
        return self._closes(branch)

    def _case(self, branch: Branch, literals: Iterable[BodyLiteral]) -> bool:
        try:
            for each in literals:
                branch.add(each, self._depth)
        except _Closed:
            return True
        return self._closes(branch)

    def _take(self, branch: Branch, atom: Fun, level: int, clause: Clause) -> None:
        clause = self.unknowns(clause)
        if not unify(clause.head, atom, branch.bindings):
            raise _Closed
        branch.changed = True
        for each in clause.body:
            branch.add(each, level + clause.cost)

    def _next(self, branch: Branch) -> tuple[int, list[Clause]] | None:
        """The atom to be unrolled next: that with the fewest clauses of those at the lowest level."""
        best: tuple[tuple[int, int], int, list[Clause]] | None = None
        place = 0
        while place < len(branch.agenda):
            atom, level = branch.agenda[place]
            atom = _resolved_atom(atom, branch.bindings)
            clauses = None if level >= self._depth else self._rules.clauses_for(atom)
            if clauses is None:
                if atom.functor in self._theory.open or not _topic_unknown(atom):
                    del branch.agenda[place]
                else:
                    place += 1
                continue
            if any(_same(atom, each, branch.bindings) for each in branch.unrolled):
                del branch.agenda[place]
                continue
            options = [each for each in clauses if _may_derive(each, atom)]
            rank = (len(options), level)
            if best is None or rank < best[0]:
                best = rank, place, options
                if len(options) < 2:
                    break
            place += 1
        return None if best is None else best[1:]

    # --- what follows

    def _saturate(self, branch: Branch) -> None:
        while branch.changed:
            branch.changed = False
            self._apply_kinds(branch)
            self._compute(branch)
            self._apply_axioms(branch)
            self._contradictions(branch)
            _check_orders(branch)
            if not branch.changed:
                self._propagate(branch)

    def _compute(self, branch: Branch) -> None:
        left: list[Computes] = []
        results: dict[tuple[str, tuple[Term, ...]], Term] = {}
        for each in branch.computes:
            args = tuple(_head(arg, branch.bindings) for arg in each.args)
            if any(isinstance(arg, Fun) or _is_text(arg) for arg in args):
                raise _Closed
            if _is_text(_head(each.result, branch.bindings)) or isinstance(
                _head(each.result, branch.bindings), Fun
            ):
                raise _Closed
            try:
                value = _calculated(each.sign, args)
            except _Undefined:
                raise _Closed from None
            if value is not None:
                if not unify(each.result, value, branch.bindings):
                    raise _Closed
                branch.changed = True
                continue
            solved = _solved(each.sign, args, _head(each.result, branch.bindings))
            if solved is not None:
                if not unify(*solved, branch.bindings):
                    raise _Closed
                branch.changed = True
                continue
            # The same calculation has one result.
            same = results.setdefault((each.sign, args), each.result)
            if not _same(same, each.result, branch.bindings):
                if not unify(same, each.result, branch.bindings):
                    raise _Closed
                branch.changed = True
                continue
            left.append(each)
        branch.computes = left

    def _apply_kinds(self, branch: Branch) -> None:
        """What is stated is of the kinds of its predicate: a hex is a pair, a hexside two hexes in order."""
        for functor, atoms in branch.holds.items():
            kinds = self._theory.kinds.get(functor)
            if kinds is None:
                continue
            for atom in atoms[branch.typed.get(functor, 0) :]:
                for kind, term in zip(kinds, atom.args, strict=True):
                    if kind not in _SHAPES:
                        continue
                    if not unify(term, self._shaped(kind, branch), branch.bindings):
                        raise _Closed
            branch.typed[functor] = len(atoms)

    def _shaped(self, kind: str, branch: Branch) -> Term:
        number = next(self._numbers)
        if kind == "hex":
            return Fun("", (Var(f"Column{_UNKNOWN}{number}"), Var(f"Row{_UNKNOWN}{number}")))
        if kind == "location":
            return Fun("l", (Var(f"Spot{_UNKNOWN}{number}"), Var(f"Floor{_UNKNOWN}{number}")))
        one, two = self._shaped("hex", branch), self._shaped("hex", branch)
        branch.orders.append((one, two, -1))
        return Fun("e", (one, two))

    def _apply_axioms(self, branch: Branch) -> None:
        for functor, atoms in branch.holds.items():
            axioms = self._theory.axioms_for(functor) if len(atoms) > 1 else ()
            if not axioms:
                continue
            for place, one in enumerate(atoms):
                for two in atoms[:place]:
                    for axiom in axioms:
                        if all(_same(one.args[k], two.args[k], branch.bindings) for k in axiom.keys):
                            self._equate(branch, axiom, one, two)

    def _equate(self, branch: Branch, axiom: Axiom, one: Fun, two: Fun) -> None:
        for value in axiom.values:
            if not _same(one.args[value], two.args[value], branch.bindings):
                self._axioms.add(axiom.name)
                if not unify(one.args[value], two.args[value], branch.bindings):
                    raise _Closed
                branch.changed = True

    def _contradictions(self, branch: Branch) -> None:
        bindings = branch.bindings
        for functor, patterns in branch.denied.items():
            for atom in branch.holds.get(functor, ()):
                if any(_matches(pattern, atom, bindings, {}) for pattern in patterns):
                    raise _Closed
        left = []
        for each in branch.differs:
            if all(_same(one, two, bindings) for one, two in each.pairs):
                raise _Closed
            trial = dict(bindings)
            if all(unify(one, two, trial) for one, two in each.pairs):
                left.append(each)
        branch.differs = left

    def _propagate(self, branch: Branch) -> None:
        """What follows from atoms that are denied: no clause for them has a body that holds."""
        for patterns in list(branch.denied.values()):
            for pattern in list(patterns):
                for literals in self._instances(branch, pattern, 1):
                    for missing in _missing(literals, branch, 1, self._rules):
                        if not missing:
                            raise _Closed
                        self._deny(branch, missing[0])

    def _instances(
        self, branch: Branch, pattern: Fun, most: int
    ) -> Iterator[tuple[BodyLiteral, ...]]:
        """The bodies of which none holds if what fits the pattern is denied, that lack few atoms."""
        if _topic_unknown(pattern):
            pattern = _resolved_atom(pattern, branch.bindings)
        denials = self._rules.denials_for(pattern)
        if not denials:
            return
        known, held = self._theory.known, branch.holds
        near = [
            each
            for each in denials
            if sum(need not in held and need not in known for need in each.needs) <= most
        ]
        if not near:
            return
        atom = _resolved_atom(pattern, branch.bindings)
        if _has_each(atom):
            values = [v.name for v in walk((atom,)) if type(v) is Var and v.name[0] == _EACH]
            if len(values) != len(set(values)):
                # Only what is the same in two places is denied.
                return
        for clause in near:
            env: Bindings = {}
            conditions: list[BodyLiteral] = []
            if _instance(clause.head, atom, branch.bindings, env, conditions):
                yield tuple(filled(each, env) for each in (*conditions, *clause.body))

    def _deny(self, branch: Branch, literal: BodyLiteral) -> None:
        """Suppose that a literal does not hold."""
        opposite = self._opposite(literal)
        if opposite is None:
            return
        if isinstance(opposite, Denied):
            known = branch.denied.get(opposite.atom.functor, ())
            if any(_matches(each, opposite.atom, branch.bindings, {}) for each in known):
                return
        elif isinstance(opposite, Holds):
            known = branch.holds.get(opposite.atom.functor, ())
            if any(_same(each, opposite.atom, branch.bindings) for each in known):
                return
        elif isinstance(opposite, Differs):
            if opposite in branch.differs or not _may_be_same(opposite, branch.bindings):
                return
        elif isinstance(opposite, Compares):
            order = _as_order(opposite)
            if order is not None and order in branch.orders:
                return
            if opposite.sign == "=" and _same(opposite.left, opposite.right, branch.bindings):
                return
        branch.add(opposite, 1)

    def _opposite(self, literal: BodyLiteral) -> BodyLiteral | None:
        match literal:
            case Holds(atom):
                # What is not bound stands for each value.
                env: Bindings = {
                    name: Var(f"{_EACH}{name}{_UNKNOWN}{next(self._numbers)}")
                    for name in _variables(atom)
                    if _UNKNOWN not in name
                }
                return Denied(_filled_atom(atom, env))
            case Denied(atom):
                env = {
                    name: Var(f"{name[1:]}{_UNKNOWN}{next(self._numbers)}")
                    for name in _variables(atom)
                    if name[0] == _EACH
                }
                found = _filled_atom(atom, env)
                return None if _has_local(found) else Holds(found)
            case Compares(sign, left, right):
                if _has_local(left) or _has_local(right):
                    return None
                if sign == "=":
                    return Differs(((left, right),))
                return Compares(_INVERSE[sign], left, right)
        return None

    def _splits(self, branch: Branch) -> Iterator[list[list[BodyLiteral]]]:
        """Cases of which one must be: which of two literals of a body does not hold."""
        for patterns in branch.denied.values():
            for pattern in patterns:
                for literals in self._instances(branch, pattern, 2):
                    for missing in _missing(literals, branch, 2, self._rules):
                        opposites = [self._opposite(each) for each in missing]
                        if None in opposites or any(_has_local_literal(e) for e in missing):
                            continue
                        if any(_known(each, branch) for each in opposites if each):
                            continue
                        first, second = opposites
                        assert first is not None and second is not None
                        yield [[first], [missing[0], second]]


def _topic_unknown(atom: Fun) -> bool:
    topic = signature_of_term(atom).topic
    return topic is not None and (topic[0][:1].isupper() or _UNKNOWN in topic[0])


def _has_local(term: Term) -> bool:
    if type(term) is Var:
        return _is_local(term)
    return type(term) is Fun and any(map(_has_local, term.args))


def _has_local_literal(literal: BodyLiteral) -> bool:
    return any(
        type(each) is Var and _UNKNOWN not in each.name for each in walk((literal,))
    )


def _known(literal: BodyLiteral, branch: Branch) -> bool:
    match literal:
        case Holds(atom):
            known = branch.holds.get(atom.functor, ())
            return any(_same(each, atom, branch.bindings) for each in known)
        case Denied(atom):
            known = branch.denied.get(atom.functor, ())
            return any(_matches(each, atom, branch.bindings, {}) for each in known)
        case Differs():
            return literal in branch.differs or not _may_be_same(literal, branch.bindings)
        case Compares(sign, left, right):
            order = _as_order(literal)
            return order in branch.orders if order else _same(left, right, branch.bindings)
    return False


def _resolved_atom(atom: Fun, bindings: Mapping[str, Term]) -> Fun:
    return Fun(atom.name, tuple(resolved(each, bindings) for each in atom.args))


def _may_derive(clause: Clause, atom: Fun) -> bool:
    """Whether a clause may derive an atom, as far as words and numbers tell."""
    return all(_may_be(a, b) for a, b in zip(clause.head.args, atom.args, strict=True))


def _may_be(one: Term, two: Term) -> bool:
    if isinstance(one, Var) or isinstance(two, Var):
        return True
    if isinstance(one, Fun) and isinstance(two, Fun):
        return (
            one.name == two.name
            and len(one.args) == len(two.args)
            and all(_may_be(a, b) for a, b in zip(one.args, two.args, strict=True))
        )
    return type(one) is type(two) and one == two and type(one[0]) is type(two[0])


def _may_be_same(literal: Differs, bindings: Mapping[str, Term]) -> bool:
    trial = dict(bindings)
    return all(unify(one, two, trial) for one, two in literal.pairs)


def _instance(
    head: Term,
    term: Term,
    bindings: Mapping[str, Term],
    env: Bindings,
    conditions: list[BodyLiteral],
) -> bool:
    """Whether a head has an instance that is the term, and on what conditions."""
    if isinstance(term, Var) and term.name[0] == _EACH:
        return True
    if isinstance(head, Var):
        if _has_each(term):
            # Of a part that is denied for each value nothing more is said.
            return False
        if head.name in env:
            conditions.append(Compares("=", env[head.name], term))
        else:
            env[head.name] = term
        return True
    if isinstance(term, Var):
        conditions.append(Compares("=", head, term))
        return not any(type(each) is Var for each in walk((head,)))
    if isinstance(head, Fun) and isinstance(term, Fun):
        return (
            head.name == term.name
            and len(head.args) == len(term.args)
            and all(
                _instance(a, b, bindings, env, conditions)
                for a, b in zip(head.args, term.args, strict=True)
            )
        )
    return type(head) is type(term) and head == term and type(head[0]) is type(term[0])


def _has_each(term: Term) -> bool:
    if type(term) is Var:
        return term.name[0] == _EACH
    return type(term) is Fun and any(map(_has_each, term.args))


# --- Which literals of a body are not known to hold.


def _missing(
    literals: Sequence[BodyLiteral], branch: Branch, most: int, rules: Consulted
) -> Iterator[tuple[BodyLiteral, ...]]:
    """For each way to match the body: the literals not known to hold, exactly `most` or fewer.

    With `most` 1 also those ways with none; with 2 only those with two.
    """
    for env, missing in _ways(tuple(literals), branch, {}, (), most, rules):
        found = tuple(filled(each, env) for each in missing)
        if most == 1 or len(found) == most:
            yield found


def _ways(
    literals: tuple[BodyLiteral, ...],
    branch: Branch,
    env: Bindings,
    missing: tuple[BodyLiteral, ...],
    most: int,
    rules: Consulted,
) -> Iterator[tuple[Bindings, tuple[BodyLiteral, ...]]]:
    if not literals:
        yield env, missing
        return
    first, rest = literals[0], literals[1:]
    known: bool | None = None
    if isinstance(first, Holds):
        pattern = _filled_atom(first.atom, env)
        for atom in branch.holds.get(pattern.functor, ()):
            more = dict(env)
            if _matches(pattern, atom, branch.bindings, more):
                yield from _ways(rest, branch, more, missing, most, rules)
                if not _has_free(pattern):
                    return
        if not _has_free(pattern):
            denied = branch.denied.get(pattern.functor, ())
            if any(_matches(each, pattern, branch.bindings, {}) for each in denied):
                return
            known = _resolved_atom(pattern, branch.bindings) in rules.theory.facts or None
    elif isinstance(first, Denied):
        atom = _filled_atom(first.atom, env)
        if _has_unbound(atom):
            return
        denied = branch.denied.get(atom.functor, ())
        if any(_matches(each, atom, branch.bindings, {}) for each in denied):
            known = True
        elif rules.never(_resolved_atom(atom, branch.bindings)):
            known = True
        holds = branch.holds.get(atom.functor, ())
        if any(_matches(atom, each, branch.bindings, {}) for each in holds):
            return
    else:
        settled = _evaluated(filled(first, env), branch, env)
        if settled is None or isinstance(settled, bool):
            known = settled
            if known is False:
                return
            if known is None and not isinstance(first, Compares):
                return
        else:
            yield from _ways(rest, branch, settled, missing, most, rules)
            return
    if known:
        yield from _ways(rest, branch, env, missing, most, rules)
    elif len(missing) < most:
        yield from _ways(rest, branch, env, (*missing, first), most, rules)


def _has_free(term: Term) -> bool:
    """Whether a variable of a rule is still unbound in a pattern."""
    if type(term) is Var:
        return _UNKNOWN not in term.name
    return type(term) is Fun and any(map(_has_free, term.args))


def _has_unbound(term: Term) -> bool:
    """The same, but for a variable that stands for each value."""
    if type(term) is Var:
        return _UNKNOWN not in term.name and term.name[0] != _EACH
    return type(term) is Fun and any(map(_has_unbound, term.args))


def _evaluated(literal: BodyLiteral, branch: Branch, env: Bindings) -> bool | None | Bindings:
    """Whether a comparison or calculation holds; a new `env` if it binds a variable of the rule."""
    bindings = branch.bindings
    if isinstance(literal, Computes):
        args = tuple(_head(each, bindings) for each in literal.args)
        try:
            value = _calculated(literal.sign, args)
        except _Undefined:
            return False
        if value is None:
            return None
        return _equated(literal.result, value, branch, env)
    if not isinstance(literal, Compares):
        return None
    left, right = literal.left, literal.right
    if literal.sign == "=":
        return _equated(left, right, branch, env)
    if _has_free(left) or _has_free(right):
        return None
    if literal.sign == "!=":
        if _same(left, right, bindings):
            return False
        pair = Differs(((left, right),))
        if not _may_be_same(pair, bindings):
            return True
        known = (set(each.pairs) for each in branch.differs if len(each.pairs) == 1)
        here = (resolved(left, bindings), resolved(right, bindings))
        for pairs in known:
            for one, two in pairs:
                there = (resolved(one, bindings), resolved(two, bindings))
                if here in (there, there[::-1]):
                    return True
        return None
    order = _as_order(literal)
    assert order is not None
    one, two, most = order
    shortest = _distances(branch)
    if shortest is not None:
        found = shortest.get((_node(one, bindings), _node(two, bindings)))
        if found is not None and found <= most:
            return True
        back = shortest.get((_node(two, bindings), _node(one, bindings)))
        if back is not None and back < -most:
            return False
    return _compared(one, two, most, bindings)


def _equated(
    left: Term, right: Term, branch: Branch, env: Bindings
) -> bool | None | Bindings:
    bindings = branch.bindings
    for one, two in ((left, right), (right, left)):
        if isinstance(one, Var) and _UNKNOWN not in one.name:
            if _has_free(two):
                return None
            return {**env, one.name: two}
    if _has_free(left) or _has_free(right):
        return None
    if _same(left, right, bindings):
        return True
    return None if _may_be_same(Differs(((left, right),)), bindings) else False


# --- Numbers and their order.


def _is_text(term: Term) -> bool:
    return isinstance(term, Const) and isinstance(term.value, str)


def _number(term: Term) -> int | None:
    return term.value if isinstance(term, Const) and isinstance(term.value, int) else None


class _Undefined(Exception):
    """A calculation without a result, as a division by zero: clingo makes no instance of its rule."""


_results: dict[tuple[str, tuple[int, ...]], int | None] = {}


def _calculated(sign: str, args: tuple[Term, ...]) -> Const | None:
    """The result of a calculation with numbers, as clingo has it; None if they are not known."""
    numbers = tuple(_number(each) for each in args)
    if any(each is None for each in numbers):
        return None
    key = (sign, tuple(each for each in numbers if each is not None))
    if key not in _results:
        told = tuple(f"({each})" for each in key[1])
        text = f"{sign}{told[0]}{sign if sign == '|' else ''}" if len(told) == 1 else sign.join(told)
        try:
            _results[key] = clingo.parse_term(text, logger=lambda _code, _text: None).number
        except RuntimeError:
            _results[key] = None
    result = _results[key]
    if result is None:
        raise _Undefined
    return Const(result)


def _solved(sign: str, args: tuple[Term, ...], result: Term) -> tuple[Term, Term] | None:
    """What the one unknown of a sum or difference is."""
    total = _number(result)
    if len(args) != 2 or sign not in "+-":
        return None
    one, two = (_number(each) for each in args)
    if total is None:
        if two == 0 and isinstance(args[0], Var) and result != args[0]:
            return result, args[0]
        return None
    if one is None and two is not None:
        return args[0], Const(total - two if sign == "+" else total + two)
    if two is None and one is not None:
        return args[1], Const(total - one if sign == "+" else one - total)
    return None


def _as_order(literal: Compares) -> tuple[Term, Term, int] | None:
    """A comparison as `one - two <= most`."""
    match literal.sign:
        case "<":
            return literal.left, literal.right, -1
        case "<=":
            return literal.left, literal.right, 0
        case ">":
            return literal.right, literal.left, -1
        case ">=":
            return literal.right, literal.left, 0
    return None


def _compared(one: Term, two: Term, most: int, bindings: Mapping[str, Term]) -> bool | None:
    """Whether `one - two <= most` of terms without unknowns, in clingo's order of terms."""
    one, two = resolved(one, bindings), resolved(two, bindings)
    if any(type(each) is Var for each in walk((one, two))):
        return None
    a, b = clingo.parse_term(str(one)), clingo.parse_term(str(two))
    return a < b if most < 0 else a <= b


_ZERO = ""


def _node(term: Term, bindings: Mapping[str, Term]) -> tuple[str, int]:
    """A term as a node of the order, and how much it is more than the node."""
    term = resolved(term, bindings)
    number = _number(term)
    return (_ZERO, number) if number is not None else (str(term), 0)


def _edges(branch: Branch) -> Iterator[tuple[str, str, int]]:
    """What is known as `one - two <= most`."""
    bindings = branch.bindings
    for one, two, most in branch.orders:
        (a, more), (b, less) = _node(one, bindings), _node(two, bindings)
        yield a, b, most - more + less
    for each in branch.computes:
        if each.sign in "+-" and len(each.args) == 2:
            number = _number(_head(each.args[1], bindings))
            base = each.args[0]
            if number is None and each.sign == "+":
                number, base = _number(_head(each.args[0], bindings)), each.args[1]
            if number is not None:
                step = number if each.sign == "+" else -number
                (a, more), (b, less) = _node(each.result, bindings), _node(base, bindings)
                yield a, b, step - more + less
                yield b, a, more - less - step


def _closure(edges: Iterable[tuple[str, str, int]]) -> dict[tuple[str, str], int] | None:
    """The least upper bounds of differences; None if they contradict each other."""
    best: dict[tuple[str, str], int] = {}
    nodes: dict[str, None] = {}
    for one, two, most in edges:
        nodes[one] = nodes[two] = None
        if most < best.get((one, two), most + 1):
            best[one, two] = most
    for middle, one, two in product(nodes, nodes, nodes):
        if (one, middle) in best and (middle, two) in best:
            through = best[one, middle] + best[middle, two]
            if through < best.get((one, two), through + 1):
                best[one, two] = through
    if any(best.get((node, node), 0) < 0 for node in nodes):
        return None
    return best


def _distances(branch: Branch) -> dict[tuple[tuple[str, int], tuple[str, int]], int] | None:
    found = _closure(_edges(branch))
    if found is None:
        return None
    return _Distances(found)


class _Distances(dict[tuple[tuple[str, int], tuple[str, int]], int]):
    """The bounds, looked up by nodes with what they are more than them."""

    def __init__(self, bounds: Mapping[tuple[str, str], int]) -> None:
        super().__init__()
        self._bounds = bounds

    def get(self, key: object, default: object = None) -> int | None:  # type: ignore[override]
        (one, more), (two, less) = key  # type: ignore[misc]
        if one == two:
            return more - less
        found = self._bounds.get((one, two))
        return None if found is None else found + more - less


def _check_orders(branch: Branch) -> None:
    """Close a branch whose inequalities contradict each other; equate what they leave one value."""
    bindings = branch.bindings
    for one, two, most in branch.orders:
        if _compared(one, two, most, bindings) is False:
            raise _Closed
    edges = list(_edges(branch))
    if not edges or len({each for edge in edges for each in edge[:2]}) > _NODES:
        return
    found = _closure(edges)
    if found is None:
        raise _Closed
    terms = {_node(term, bindings)[0]: term for order in branch.orders for term in order[:2]}
    for (one, two), most in found.items():
        if one < two and found.get((two, one)) == -most:
            if one == _ZERO:
                # It is one number.
                equal: tuple[Term, Term] | None = (terms[two], Const(-most)) if two in terms else None
            elif most == 0 and one in terms and two in terms:
                equal = (terms[one], terms[two])
            else:
                equal = None
            if equal and _number(resolved(equal[0], bindings)) is None:
                if not unify(*equal, bindings):
                    raise _Closed
                branch.changed = True


#: Of more terms than these the order is not looked into.
_NODES = 30
