"""Numbers of a branch: arithmetic, and the order of terms as bounds on differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

import clingo

from rules_asp.knowledge.terms import Const, Term, Var, walk
from rules_asp.lab.clauses import Compares, Computes, dereferenced, resolved


class Closed(Exception):
    """No answer set makes a branch true."""


def is_text(term: Term) -> bool:
    """Whether a term is a text."""
    return isinstance(term, Const) and isinstance(term.value, str)


def number_of(term: Term) -> int | None:
    """The number that a term is; None for another term."""
    return term.value if isinstance(term, Const) and isinstance(term.value, int) else None


class Undefined(Exception):
    """An undefined operation, such as a division by zero: clingo makes no instance of its rule."""


_results: dict[tuple[str, tuple[int, ...]], int | None] = {}


def calculated(sign: str, args: tuple[Term, ...]) -> Const | None:
    """Return the result of an operation, as in clingo; None if its numbers are not known."""
    numbers = tuple(number_of(each) for each in args)
    if any(each is None for each in numbers):
        return None
    key = (sign, tuple(each for each in numbers if each is not None))
    if key not in _results:
        told = tuple(f"({each})" for each in key[1])
        text = (
            f"{sign}{told[0]}{sign if sign == '|' else ''}" if len(told) == 1 else sign.join(told)
        )
        try:
            _results[key] = clingo.parse_term(text, logger=lambda _code, _text: None).number
        except RuntimeError:
            _results[key] = None
    result = _results[key]
    if result is None:
        raise Undefined
    return Const(result)


def solved(sign: str, args: tuple[Term, ...], result: Term) -> tuple[Term, Term] | None:
    """Return the one unknown of a sum or difference, and its value."""
    total = number_of(result)
    if len(args) != 2 or sign not in "+-":
        return None
    one, two = (number_of(each) for each in args)
    if total is None:
        if two == 0 and isinstance(args[0], Var) and result != args[0]:
            return result, args[0]
        return None
    if one is None and two is not None:
        return args[0], Const(total - two if sign == "+" else total + two)
    if two is None and one is not None:
        return args[1], Const(total - one if sign == "+" else one - total)
    return None


def as_order(literal: Compares) -> tuple[Term, Term, int] | None:
    """Return a comparison as `one - two <= most`."""
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


def compared(one: Term, two: Term, most: int, bindings: Mapping[str, Term]) -> bool | None:
    """Test `one - two <= most` for terms without unknowns, in clingo's order of terms."""
    one, two = resolved(one, bindings), resolved(two, bindings)
    if any(type(each) is Var for each in walk((one, two))):
        return None
    a, b = clingo.parse_term(str(one)), clingo.parse_term(str(two))
    return a < b if most < 0 else a <= b


#: A bound: the first term exceeds the second by at most this number.
Bound: TypeAlias = tuple[Term, Term, int]
#: Maximum number of terms for which the order is computed.
_TERMS = 30
_ZERO = ""
_Node: TypeAlias = tuple[str, int]


def _node(term: Term, bindings: Mapping[str, Term]) -> _Node:
    """Return a term as a node of the order, and its offset from the node."""
    term = resolved(term, bindings)
    number = number_of(term)
    return (_ZERO, number) if number is not None else (str(term), 0)


class Order:
    """The order of the terms of a branch: the least upper bounds of their differences.

    Raises Closed if the bounds contradict each other.
    """

    def __init__(
        self,
        bounds: Sequence[Bound],
        calculations: Iterable[Computes],
        bindings: Mapping[str, Term],
    ) -> None:
        self._bindings = bindings
        for one, two, most in bounds:
            if compared(one, two, most, bindings) is False:
                raise Closed
        self._terms = {_node(term, bindings)[0]: term for each in bounds for term in each[:2]}
        edges = [*self._stated(bounds), *self._calculated(calculations)]
        few = len({node for edge in edges for node in edge[:2]}) <= _TERMS
        self._best = _closure(edges if few else ())
        if any(one == two and most < 0 for (one, two), most in self._best.items()):
            raise Closed

    def _stated(self, bounds: Iterable[Bound]) -> Iterator[tuple[str, str, int]]:
        for one, two, most in bounds:
            (a, more), (b, less) = _node(one, self._bindings), _node(two, self._bindings)
            yield a, b, most - more + less

    def _calculated(self, calculations: Iterable[Computes]) -> Iterator[tuple[str, str, int]]:
        bindings = self._bindings
        for each in calculations:
            if each.sign not in "+-" or len(each.args) != 2:
                continue
            number = number_of(dereferenced(each.args[1], bindings))
            base = each.args[0]
            if number is None and each.sign == "+":
                number, base = number_of(dereferenced(each.args[0], bindings)), each.args[1]
            if number is not None:
                step = number if each.sign == "+" else -number
                (a, more), (b, less) = _node(each.result, bindings), _node(base, bindings)
                yield a, b, step - more + less
                yield b, a, more - less - step

    def holds(self, bound: Bound) -> bool | None:
        """Test whether a bound follows; False if its negation does, None if neither."""
        one, two, most = bound
        upper, lower = self._upper(one, two), self._upper(two, one)
        if upper is not None and upper <= most:
            return True
        if lower is not None and lower < -most:
            return False
        return compared(one, two, most, self._bindings)

    def _upper(self, one: Term, two: Term) -> int | None:
        (a, more), (b, less) = _node(one, self._bindings), _node(two, self._bindings)
        if a == b:
            return more - less
        found = self._best.get((a, b))
        return None if found is None else found + more - less

    def equal(self) -> Iterator[tuple[Term, Term]]:
        """Yield terms that the bounds make equal."""
        for (one, two), most in self._best.items():
            if one >= two or self._best.get((two, one)) != -most or two not in self._terms:
                continue
            if one == _ZERO:
                yield self._terms[two], Const(-most)
            elif most == 0 and one in self._terms:
                yield self._terms[one], self._terms[two]


def _closure(edges: Iterable[tuple[str, str, int]]) -> dict[tuple[str, str], int]:
    best: dict[tuple[str, str], int] = {}
    nodes: dict[str, None] = {}
    for one, two, most in edges:
        nodes[one] = nodes[two] = None
        best[one, two] = min(most, best.get((one, two), most))
    for middle, one, two in product(nodes, nodes, nodes):
        if (one, middle) in best and (middle, two) in best:
            through = best[one, middle] + best[middle, two]
            best[one, two] = min(through, best.get((one, two), through))
    return best
