"""Numbers of a branch: arithmetic, and the order of terms as bounds on differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

import clingo

from rules_asp.knowledge.terms import Const, Term, Var, walk
from rules_asp.lab.clauses import Compares, Computes, dereferenced, resolved

#: A set of choices, as the bits of a number; all of them.
Why: TypeAlias = int
EVERY_CHOICE: Why = -1


class Closed(Exception):
    """No answer set makes a branch true; why: the choices that this depends on."""

    def __init__(self, why: Why = EVERY_CHOICE) -> None:
        super().__init__()
        self.why = why


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
#: An edge of the order: a bound of two nodes, and the choices that it depends on.
_Edge: TypeAlias = tuple[str, str, int, Why]
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

    bounds and calculations: each with the choices that it depends on. why: the choices on which the
    values of terms depend. Raises Closed if the bounds contradict each other.
    """

    def __init__(
        self,
        bounds: Sequence[tuple[Bound, Why]],
        calculations: Iterable[tuple[Computes, Why]],
        bindings: Mapping[str, Term],
        why: Callable[..., Why],
    ) -> None:
        self._bindings = bindings
        self._why = why
        for (one, two, most), because in bounds:
            if compared(one, two, most, bindings) is False:
                raise Closed(because | why(one, two))
        self._terms = {_node(term, bindings)[0]: term for each, _ in bounds for term in each[:2]}
        edges = [*self._stated(bounds), *self._calculated(calculations)]
        few = len({node for edge in edges for node in edge[:2]}) <= _TERMS
        self._best = _closure(edges if few else ())
        for (one_node, two_node), (least, because) in self._best.items():
            if one_node == two_node and least < 0:
                raise Closed(because)

    def _stated(self, bounds: Iterable[tuple[Bound, Why]]) -> Iterator[_Edge]:
        for (one, two, most), because in bounds:
            (a, more), (b, less) = _node(one, self._bindings), _node(two, self._bindings)
            yield a, b, most - more + less, because | self._why(one, two)

    def _calculated(self, calculations: Iterable[tuple[Computes, Why]]) -> Iterator[_Edge]:
        bindings = self._bindings
        for each, because in calculations:
            if each.sign not in "+-" or len(each.args) != 2:
                continue
            number = number_of(dereferenced(each.args[1], bindings))
            base = each.args[0]
            if number is None and each.sign == "+":
                number, base = number_of(dereferenced(each.args[0], bindings)), each.args[1]
            if number is not None:
                step = number if each.sign == "+" else -number
                (a, more), (b, less) = _node(each.result, bindings), _node(base, bindings)
                because |= self._why(each.result, *each.args)
                yield a, b, step - more + less, because
                yield b, a, more - less - step, because

    def holds(self, bound: Bound) -> tuple[bool | None, Why]:
        """Test whether a bound follows; False if its negation does, None if neither."""
        one, two, most = bound
        because = self._why(one, two)
        upper, lower = self._upper(one, two), self._upper(two, one)
        if upper is not None and upper[0] <= most:
            return True, upper[1] | because
        if lower is not None and lower[0] < -most:
            return False, lower[1] | because
        return compared(one, two, most, self._bindings), because

    def _upper(self, one: Term, two: Term) -> tuple[int, Why] | None:
        (a, more), (b, less) = _node(one, self._bindings), _node(two, self._bindings)
        if a == b:
            return more - less, 0
        found = self._best.get((a, b))
        return None if found is None else (found[0] + more - less, found[1])

    def equal(self) -> Iterator[tuple[Term, Term, Why]]:
        """Yield terms that the bounds make equal."""
        for (one, two), (most, because) in self._best.items():
            if one >= two or two not in self._terms:
                continue
            back = self._best.get((two, one))
            if back is None or back[0] != -most:
                continue
            because |= back[1]
            if one == _ZERO:
                yield self._terms[two], Const(-most), because | self._why(self._terms[two])
            elif most == 0 and one in self._terms:
                terms = self._terms[one], self._terms[two]
                yield *terms, because | self._why(*terms)


def _closure(edges: Iterable[_Edge]) -> dict[tuple[str, str], tuple[int, Why]]:
    best: dict[tuple[str, str], tuple[int, Why]] = {}
    nodes: dict[str, None] = {}
    for one, two, most, because in edges:
        nodes[one] = nodes[two] = None
        if (one, two) not in best or most < best[one, two][0]:
            best[one, two] = most, because
    for middle, one, two in product(nodes, nodes, nodes):
        if (one, middle) in best and (middle, two) in best:
            first, second = best[one, middle], best[middle, two]
            through = first[0] + second[0]
            if (one, two) not in best or through < best[one, two][0]:
                best[one, two] = through, first[1] | second[1]
    return best
