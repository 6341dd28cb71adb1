"""A branch of the tableau: literals, equations and inequalities that some answer set must satisfy.

Each has the choices that it depends on, as a bit set.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, islice

from rules_asp.knowledge.rules import Functor
from rules_asp.knowledge.terms import Fun, Term, Var, walk
from rules_asp.lab.clauses import (
    COMPARISON,
    Bindings,
    BodyLiteral,
    Compares,
    Computes,
    Denied,
    Differs,
    Holds,
    are_same,
    negated,
    resolved,
    unify,
)
from rules_asp.lab.numbers import Bound, Closed, Order, Why


@dataclass
class Branch:
    """The literals that an answer set is assumed to satisfy; changed until it is closed or stays
    open. Each has the choices that it depends on."""

    bindings: Bindings = field(default_factory=dict)
    bound: dict[str, Why] = field(default_factory=dict)
    holds: dict[tuple[str, int], dict[Fun, Why]] = field(default_factory=dict)
    denied: dict[tuple[str, int], dict[Fun, Why]] = field(default_factory=dict)
    differs: dict[Differs, Why] = field(default_factory=dict)
    orders: dict[Bound, Why] = field(default_factory=dict)
    computes: dict[Computes, Why] = field(default_factory=dict)
    #: Atoms still to be unrolled, each with its level.
    agenda: list[tuple[Fun, int]] = field(default_factory=list)
    unrolled: list[Fun] = field(default_factory=list)
    #: The number of atoms of each predicate whose kinds are known.
    typed: dict[tuple[str, int], int] = field(default_factory=dict)
    changed: bool = True
    #: Atoms of helper predicates that hold since a rule body does, by pattern and levels of rules.
    derived: dict[tuple[Fun, int], list[tuple[Fun, Why]]] = field(default_factory=dict)
    #: A cache: the choices on which the value of each unknown depends.
    _whys: dict[str, Why] = field(default_factory=dict)
    #: The number of bindings for which the cache is valid.
    _whys_of: int = 0
    #: The parts that have changed since the last propagation: the atoms of a predicate, its negated
    #: atoms, the comparisons.
    changes: set[Functor] = field(default_factory=set)
    #: The parts that mention each unknown. They change when it gets a value.
    _mentions: dict[str, frozenset[Functor]] = field(default_factory=dict)
    _order: Order | None = None
    _ordered: int = 0

    def copy(self) -> Branch:
        """Return a copy that can be changed independently."""
        return Branch(
            dict(self.bindings),
            dict(self.bound),
            {name: dict(each) for name, each in self.holds.items()},
            {name: dict(each) for name, each in self.denied.items()},
            dict(self.differs),
            dict(self.orders),
            dict(self.computes),
            list(self.agenda),
            list(self.unrolled),
            dict(self.typed),
            changes=set(self.changes),
            _mentions=dict(self._mentions),
        )

    @property
    def order(self) -> Order:
        """The order of its terms."""
        if self._order is None or self._ordered != len(self.bindings):
            self._ordered = len(self.bindings)
            self._order = Order(
                list(self.orders.items()), self.computes.items(), self.bindings, self.why
            )
        return self._order

    def why(self, *terms: Term) -> Why:
        """Return the choices on which the values of terms depend."""
        if self._whys_of != len(self.bindings):
            self._whys_of = len(self.bindings)
            self._whys = {}
        because = 0
        for term in terms:
            if type(term) is Fun:
                if term[1]:
                    because |= self.why(*term[1])
            elif type(term) is Var and term[0] in self.bound:
                found = self._whys.get(term[0])
                if found is None:
                    found = self.bound[term[0]] | self.why(self.bindings[term[0]])
                    self._whys[term[0]] = found
                because |= found
        return because

    def unify(self, one: Term, two: Term, because: Why) -> None:
        """Make two terms equal; Closed if they cannot be."""
        because |= self.why(one, two)
        known = len(self.bindings)
        if not unify(one, two, self.bindings):
            raise Closed(because)
        for name in list(islice(self.bindings, known, None)):
            self.bound[name] = because
            for each in self._mentions.get(name, ()):
                self._changed(each, self.bindings[name])

    def _changed(self, part: Functor, *terms: Term) -> None:
        """Note that a part has changed, and which unknowns it mentions."""
        self.changes.add(part)
        for each in walk(tuple(resolved(term, self.bindings) for term in terms)):
            if type(each) is Var:
                self._mentions[each[0]] = self._mentions.get(each[0], frozenset()) | {part}

    def bounded(self, bound: Bound, because: Why) -> None:
        """Assume a bound."""
        if bound not in self.orders:
            self.orders[bound] = because
            self._order = None
            self._changed(COMPARISON, *bound[:2])

    def add(self, literal: BodyLiteral, level: int, because: Why) -> None:
        """Assume one more literal."""
        self.changed = True
        match literal:
            case Holds(atom):
                known = self.holds.setdefault(atom.functor, {})
                if not any(are_same(atom, each, self.bindings) for each in known):
                    known[atom] = because
                    self.agenda.append((atom, level))
                    self._changed(atom.functor, atom)
            case Denied(atom):
                known = self.denied.setdefault(atom.functor, {})
                if not any(are_same(atom, each, self.bindings) for each in known):
                    known[atom] = because
                    self._changed(negated(atom.functor), atom)
            case Compares(sign, left, right):
                self._compare(sign, left, right, because)
            case Computes():
                if literal not in self.computes:
                    self.computes[literal] = because
                    self._order = None
                    self._changed(COMPARISON, literal.result, *literal.args)
            case Differs():
                self._differ(literal, because)

    def _differ(self, literal: Differs, because: Why) -> None:
        if literal not in self.differs:
            self.differs[literal] = because
            self._changed(COMPARISON, *chain.from_iterable(literal.pairs))

    def _compare(self, sign: str, left: Term, right: Term, because: Why) -> None:
        if sign == "=":
            self.unify(left, right, because)
        elif sign == "!=":
            self._differ(Differs(((left, right),)), because)
        elif sign in ("<", "<="):
            self.bounded((left, right, -1 if sign == "<" else 0), because)
        else:
            self.bounded((right, left, -1 if sign == ">" else 0), because)
