"""Terms of rules: trees converted from `clingo.ast` once, and walks over them.

A node of `clingo.ast` is slow to inspect and cannot be stored. These are named tuples that print as
clingo prints. Two terms of different classes are never equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import is_
from typing import Any, NamedTuple, TypeAlias, TypeGuard, TypeVar

import clingo
from clingo import ast

from rules_asp.game.house_rules import SourceError

#: The name of an anonymous variable.
ANONYMOUS = "_"
_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", '"': '\\"'})


class Var(NamedTuple):
    """A variable."""

    name: str
    #: Always true. Without a second part, a variable would equal a text with its name.
    is_variable: bool = True

    def __str__(self) -> str:
        return self.name


class Const(NamedTuple):
    """A number or a text."""

    value: int | str

    def __str__(self) -> str:
        if isinstance(self.value, int):
            return str(self.value)
        return f'"{self.value.translate(_ESCAPES)}"'


class Fun(NamedTuple):
    """An atom, a word or a compound term; a tuple has no name."""

    name: str
    args: tuple[Term, ...] = ()

    def __str__(self) -> str:
        inner = ",".join(map(str, self.args))
        if self.name:
            return f"{self.name}({inner})" if self.args else self.name
        return f"({inner},)" if len(self.args) == 1 else f"({inner})"

    @property
    def functor(self) -> tuple[str, int]:
        """Name and arity."""
        return self.name, len(self.args)


class Op(NamedTuple):
    """An arithmetic operation or an interval (`..`)."""

    sign: str
    args: tuple[Term, ...]

    def __str__(self) -> str:
        if len(self.args) == 1:
            return f"{self.sign}{self.args[0]}{self.sign if self.sign == '|' else ''}"
        return f"({self.sign.join(map(str, self.args))})"


class Lit(NamedTuple):
    """An atom in a rule, with the `not` before it."""

    sign: str
    atom: Fun

    def __str__(self) -> str:
        return f"{self.sign}{self.atom}"


class Cmp(NamedTuple):
    """A comparison; without a second side the word `#true` or `#false`."""

    sign: str
    left: Term
    guards: tuple[tuple[str, Term], ...] = ()

    def __str__(self) -> str:
        return f"{self.sign}{self.left}{''.join(f' {how} {term}' for how, term in self.guards)}"


class Elem(NamedTuple):
    """An element of an aggregate, or a literal with a condition."""

    parts: tuple[Term | Literal, ...]
    condition: tuple[Literal, ...] = ()

    def __str__(self) -> str:
        # Elements of a set are literals, those of a sum are terms; clingo prints a blank after the
        # former.
        found = ",".join(map(str, self.parts))
        return f"{found}: {', '.join(map(str, self.condition))}" if self.condition else found


class Agg(NamedTuple):
    """An aggregate, a choice, or with the function `|` a disjunction."""

    sign: str
    left: str | tuple[Term, str]
    function: str
    elements: tuple[Elem, ...]
    right: str | tuple[str, Term] = ""

    def __str__(self) -> str:
        return "".join(self.pieces())

    def pieces(self) -> Iterator[str]:
        """Yield it as text, broken after each element."""
        if self.function == "|":
            opened, closed = "", ""
        else:
            left = "{} {} ".format(*self.left) if self.left else ""
            right = " {} {}".format(*self.right) if self.right else ""
            function = f"{self.function} " if self.function else ""
            opened = f"{self.sign}{left}{function}{{ "
            closed = f"{' ' if self.elements else ''}}}{right}"
        last = len(self.elements) - 1
        yield from (
            f"{opened if not n else ''}{each}{'; ' if n < last else closed}"
            for n, each in enumerate(self.elements)
        )
        if last < 0:
            yield opened + closed


NODES = (Var, Const, Fun, Op, Lit, Cmp, Elem, Agg)
Term: TypeAlias = Var | Const | Fun | Op
Literal: TypeAlias = Lit | Cmp | Elem | Agg
_Node = TypeVar("_Node")


# --- Conversion from clingo's trees.


_SIGNS = ("", "not ", "not not ")
_COMPARISONS = (">", "<", "<=", ">=", "!=", "=")
_BINARY = ("^", "?", "&", "+", "-", "*", "/", "\\", "**")
_UNARY = ("-", "~", "|")
_FUNCTIONS = ("#count", "#sum", "#sum+", "#min", "#max")
_Type = ast.ASTType
#: Maximum number of cached trees: inspecting a clingo node takes ten times as long.
_KEPT = 1 << 16
_literals: dict[str, Any] = {}
_terms: dict[str, Any] = {}


def literal_from_ast(node: Any) -> Any:
    """Return the tree of a head or body literal; SourceError for an unsupported atom."""
    kind = node.ast_type  # clingo computes it on each access
    if kind == _Type.Literal:
        return _known(node, _literals, _literal)
    if kind == _Type.ConditionalLiteral:
        return Elem((literal_from_ast(node.literal),), _literals_of(node.condition))
    if kind == _Type.Disjunction:
        return Agg("", "", "|", _literals_of(node.elements))
    return _aggregate(node, kind)


def _literals_of(nodes: Any) -> tuple[Any, ...]:
    return tuple(map(literal_from_ast, nodes))


def _known(node: Any, known: dict[str, Any], make: Callable[[Any], Any]) -> Any:
    text = str(node)
    found = known.get(text)
    if found is None:
        if len(known) > _KEPT:
            known.clear()
        found = known[text] = make(node)
    return found


def _literal(node: Any) -> Literal:
    sign, atom = _SIGNS[node.sign], node.atom
    kind = atom.ast_type
    if kind == _Type.SymbolicAtom:
        if atom.symbol.ast_type != _Type.Function:
            raise SourceError(f"classical negation is not supported: {atom}")
        return Lit(sign, _term_of(atom.symbol))
    if kind == _Type.Comparison:
        guards = ((_COMPARISONS[each.comparison], _term_of(each.term)) for each in atom.guards)
        return Cmp(sign, _term_of(atom.term), tuple(guards))
    if kind == _Type.BooleanConstant:
        return Cmp(sign, Fun("#true" if atom.value else "#false"))
    return _aggregate(atom, kind)._replace(sign=sign)


def _aggregate(node: Any, kind: ast.ASTType) -> Agg:
    left, right = node.left_guard, node.right_guard
    is_set = kind == _Type.Aggregate
    return Agg(
        "",
        (_term_of(left.term), _COMPARISONS[left.comparison]) if left else "",
        "" if is_set else _FUNCTIONS[node.function],
        _literals_of(node.elements) if is_set else tuple(map(_element, node.elements)),
        (_COMPARISONS[right.comparison], _term_of(right.term)) if right else "",
    )


def _element(node: Any) -> Elem:
    inner = node.condition
    condition = inner if isinstance(inner, ast.ASTSequence) else (inner,)
    return Elem(tuple(map(_term_of, node.terms)), _literals_of(condition))


def _term_of(node: Any) -> Any:
    return _known(node, _terms, _term)


def _term(node: Any) -> Term:
    kind = node.ast_type
    if kind == _Type.Variable:
        return Var(node.name)
    if kind == _Type.SymbolicTerm:
        return from_symbol(node.symbol)
    if kind == _Type.Function:
        name = f"@{node.name}" if node.external else node.name
        return Fun(name, tuple(map(_term_of, node.arguments)))
    if kind == _Type.UnaryOperation:
        sign, inner = _UNARY[node.operator_type], _term_of(node.argument)
        is_number = isinstance(inner, Const) and isinstance(inner.value, int) and inner.value > 0
        return Const(-inner.value) if sign == "-" and is_number else Op(sign, (inner,))
    sign = ".." if kind == _Type.Interval else _BINARY[node.operator_type]
    return Op(sign, (_term_of(node.left), _term_of(node.right)))


def from_symbol(symbol: clingo.Symbol) -> Const | Fun:
    """Return the tree of a ground term."""
    if symbol.type == clingo.SymbolType.Number:
        return Const(symbol.number)
    if symbol.type == clingo.SymbolType.String:
        return Const(symbol.string)
    if symbol.type == clingo.SymbolType.Function:
        return Fun(symbol.name, tuple(map(from_symbol, symbol.arguments)))
    return Fun(str(symbol))


def to_symbol(term: Term) -> clingo.Symbol:
    """Return the value of a term without variables."""
    return clingo.parse_term(str(term))


# --- Serialization of trees as plain lists.


_NUMBERS = {each: number for number, each in enumerate(NODES, 1)}


def pack(node: Any) -> Any:
    """Return a tree as lists that begin with the number of the node class; 0: a tuple of nodes."""
    if isinstance(node, tuple):
        return [_NUMBERS.get(type(node), 0), *map(pack, node)]
    return node


def unpack(packed: Any) -> Any:
    """Return the tree of such lists."""
    if not isinstance(packed, list):
        return packed
    parts = map(unpack, packed[1:])
    return NODES[packed[0] - 1]._make(parts) if packed[0] else tuple(parts)


# --- Walks over trees.


def walk(node: Any) -> Iterator[Any]:
    """Yield a node and all nodes below it, from left to right."""
    if hasattr(node, "_fields"):
        yield node
    for each in node:
        if isinstance(each, tuple):
            yield from walk(each)


def replaced(node: _Node, change: Callable[[Any], Any]) -> _Node:
    """Return a tree with each node replaced by `change`; replacements are not visited again."""
    changed = change(node)
    if changed is not node or not isinstance(node, tuple):
        return changed  # type: ignore[no-any-return]
    parts = [replaced(each, change) if isinstance(each, tuple) else each for each in node]
    return node if all(map(is_, parts, node)) else tuple.__new__(type(node), parts)


def substitute(node: _Node, values: Mapping[str, Term]) -> _Node:
    """Return a tree with terms in place of variables."""
    return replaced(node, lambda each: values.get(each.name, each) if type(each) is Var else each)


def variables(*nodes: Any) -> set[str]:
    """Return the names of the named variables."""
    return {each.name for each in walk(nodes) if type(each) is Var} - {ANONYMOUS}


def strings(*nodes: Any) -> Iterator[str]:
    """Yield the strings in trees."""
    for each in walk(nodes):
        if type(each) is Const and isinstance(each.value, str):
            yield each.value


def has_anonymous(node: Any) -> bool:
    """Test whether a tree has an anonymous variable."""
    return any(type(each) is Var and each.name == ANONYMOUS for each in walk((node,)))


def is_ground(term: Term) -> bool:
    """Test whether a term has neither a variable nor an interval."""
    return not any(
        type(each) is Var or (type(each) is Op and each.sign == "..") for each in walk((term,))
    )


def name_anonymous(node: _Node, numbers: Iterator[int]) -> _Node:
    """Return a tree with a name for each anonymous variable."""

    def change(each: Any) -> Any:
        is_anonymous = type(each) is Var and each.name == ANONYMOUS
        return Var(f"Any{next(numbers)}") if is_anonymous else each

    return replaced(node, change)


def atoms_of(node: Literal, negated: bool = False) -> Iterator[tuple[Fun, bool, bool]]:
    """Yield the atoms of a literal, each with whether it is below `not`, and in a condition."""
    if isinstance(node, Lit):
        yield node.atom, negated or bool(node.sign), False
    elif isinstance(node, Elem):
        for part in node.parts:
            if isinstance(part, Lit | Elem | Agg):
                yield from atoms_of(part, negated)
        for literal in node.condition:
            for atom, is_negated, _ in atoms_of(literal, negated):
                yield atom, is_negated, True
    elif isinstance(node, Agg):
        for element in node.elements:
            yield from atoms_of(element, negated or bool(node.sign))


def is_positive(literal: Literal) -> TypeGuard[Lit]:
    """Test whether a literal is an atom without negation."""
    return isinstance(literal, Lit) and not literal.sign
