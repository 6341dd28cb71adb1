"""Support rules: each rule in the form in which supports, and blocked rules, are found in an answer set.

    why0(look_up, 17, 0, head, (b1,b2), (c1,)) :- need(look_up, head), b1, b2, not c1.

Each support rule is a program part of its own; its parameter is the number of the look-up.

For each negated literal there is a further rule for the case that only this literal fails:

    why0(look_up, 4711, 0, head, (c1,), ()) :- need(look_up, topic), b1, b2, c1.

A helper in the body of a norm may itself be blocked by one such literal. These cases are found first,
near(helper,c1), and a rule of the norm then requires the helper to be nearly derived. A value of a
defeated norm is also nearly derived. If a norm requires that something is unknown, it is blocked by
the value or the verdict that is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, NamedTuple

import clingo
from clingo import ast

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.reader import parse_statements
from rules_asp.knowledge.rules import SIGHT, Functor, Rule, Signature, functor, signature_of_term
from rules_asp.knowledge.terms import (
    ANONYMOUS,
    Agg,
    Cmp,
    Const,
    Elem,
    Fun,
    Lit,
    Literal,
    Op,
    Term,
    Var,
    has_anonymous,
    is_positive,
    name_anonymous,
    replaced,
    variables,
)

#: The place of a subterm in a term: the index of an argument at each depth.
SubtermPath = tuple[int, ...]
#: A subterm: the name and the number of arguments, or the value of a number or text.
_Node = tuple[str, int] | tuple[int | str]
#: The subterms of a ground term by place.
Subterms = Mapping[SubtermPath, _Node]

# --- Support rules: each finds the atoms by which a rule derives its head in an answer set.


@dataclass(frozen=True)
class SupportRule:
    """A rule that can support an atom."""

    number: int
    rule: Rule

    @property
    def reads(self) -> Sequence[Signature]:
        """The nodes that must be available for it."""
        return self.rule.body

    def program_part(self, shelf: int) -> Sequence[ast.AST]:
        """Return the support rule as clingo statements, for one shelf of results."""
        return self._first if shelf == 0 else parse_statements(self.text(shelf))

    def text(self, shelf: int) -> str:
        """Return the support rule as text."""
        return _twin(self.number, self.rule, shelf)

    @cached_property
    def _first(self) -> Sequence[ast.AST]:
        return parse_statements(self.text(0))

    def fits(self, subterms: Subterms) -> bool:
        """Test whether the rule's head (of a blocked rule: its topic) may be the term with these
        subterms."""
        return all(subterms.get(place) == wanted for place, wanted in self._fixed)

    @property
    def fixed_paths(self) -> Iterator[SubtermPath]:
        """The places of these subterms."""
        return (path for path, _ in self._fixed)

    @cached_property
    def _fixed(self) -> Sequence[tuple[SubtermPath, _Node]]:
        """The subterms that the rule fixes, each with its place."""
        return list(_fixed_subterms(self._pattern))

    @property
    def _pattern(self) -> Term:
        assert self.rule.head is not None
        return self.rule.head


def part_name(number: int, shelf: int) -> str:
    """Return the name of the program part of a support rule."""
    return f"twin{number}_{shelf}"


def subterms_of(symbol: clingo.Symbol) -> Subterms:
    """Return the subterms of a ground term by place; many rules are then compared at little cost."""
    found: dict[SubtermPath, _Node] = {}
    todo: list[tuple[SubtermPath, clingo.Symbol]] = [((), symbol)]
    for path, each in todo:
        if (node := _node_of(each)) is not None:
            found[path] = node
        if each.type == clingo.SymbolType.Function:
            todo += (((*path, number), one) for number, one in enumerate(each.arguments))
    return found


def subterm_at(symbol: clingo.Symbol, path: SubtermPath) -> _Node | None:
    """Return the subterm of a ground term at a place; None if it has none there."""
    for number in path:
        arguments = symbol.arguments if symbol.type == clingo.SymbolType.Function else ()
        if number >= len(arguments):
            return None
        symbol = arguments[number]
    return _node_of(symbol)


def _node_of(symbol: clingo.Symbol) -> _Node | None:
    if symbol.type == clingo.SymbolType.Function:
        return symbol.name, len(symbol.arguments)
    if symbol.type == clingo.SymbolType.Number:
        return (symbol.number,)
    return (symbol.string,) if symbol.type == clingo.SymbolType.String else None


def _fixed_subterms(term: Term, path: SubtermPath = ()) -> Iterator[tuple[SubtermPath, _Node]]:
    """Yield the subterms of a term that each of its values has, each with its place."""
    if isinstance(term, Const):
        yield path, (term.value,)
    elif isinstance(term, Fun):
        yield path, (term.name, len(term.args))
        for number, each in enumerate(term.args):
            yield from _fixed_subterms(each, (*path, number))


def _twin(number: int, rule: Rule, shelf: int) -> str:
    numbers = count(1)
    assert rule.head is not None
    atoms: list[Term] = []
    absent: list[Term] = []
    body: list[Literal] = []
    elements: list[Elem] = []
    for literal in rule.literals:
        if is_positive(literal):
            # An interval in the head would give all its values.
            atom, ranges = _ranged(name_anonymous(literal.atom, numbers), numbers)
            atoms.append(atom)
            body += (Lit("", atom), *ranges)
            continue
        body.append(literal)
        if isinstance(literal, Lit) and not has_anonymous(literal):
            absent.append(literal.atom)
        if isinstance(literal, Agg):
            elements += (name_anonymous(each, numbers) for each in literal.elements)
    needed = "; ".join(map(str, (f"need(look_up,{rule.head})", *body)))
    way = f"why{shelf}(look_up,{number},0,{rule.head},{_tuple(atoms)},{_tuple(absent)})"
    lines = [_part(number, shelf), f"{way} :- {needed}."]
    # Elements of an aggregate become further supports by the same rule. Its local variables must
    # stay local, so only variables shared with the rest of the rule are passed on, with the body of
    # the instance: of several instances with one head each has its own elements.
    outside = variables(rule.head, *map(_without_elements, rule.literals))
    for place, element in enumerate(elements, 1):
        literals: list[Literal] = [each for each in element.parts if isinstance(each, Lit | Cmp)]
        literals += element.condition
        element_atoms = [each.atom for each in literals if is_positive(each)]
        if element_atoms:
            shared = _tuple([number, place, *sorted(outside & variables(*literals))])
            lines.append(f"with(look_up,{rule.head},{shared},{_tuple(atoms)}) :- {needed}.")
            way = f"why{shelf}(look_up,{number},{place},It,{_tuple(element_atoms)},Body_)"
            inner = "; ".join(map(str, literals))
            lines.append(f"{way} :- with(look_up,It,{shared},Body_); {inner}.")
    return "\n".join(lines)


def _part(number: int, shelf: int) -> str:
    return f"#program {part_name(number, shelf)}(look_up)."


def _tuple(parts: Sequence[object]) -> str:
    return f"({','.join(map(str, parts))}{',' if len(parts) == 1 else ''})"


def _without_elements(literal: Literal) -> Literal:
    return literal._replace(elements=()) if isinstance(literal, Agg) else literal


def _ranged(atom: Fun, numbers: Iterator[int]) -> tuple[Fun, list[Cmp]]:
    """Return an atom with variables in place of intervals, and the literals for their values."""
    ranges: list[Cmp] = []

    def change(each: Any) -> Any:
        if not (isinstance(each, Op) and each.sign == ".."):
            return each
        ranges.append(Cmp("", Var(f"Any{next(numbers)}"), (("=", each),)))
        return ranges[-1].left

    return replaced(atom, change), ranges


# --- Blocked rules: rules that would fire except for one exception.


#: The predicate that a topic has a value.
VALUE = ("is", 2)
#: The predicate that a topic has no value, or an action or LOS no verdict.
_UNKNOWN = ("is_unknown", 1)


@dataclass(frozen=True)
class BlockedRule(SupportRule):
    """A rule that would fire except for the one negated literal at this index."""

    denied: int

    @property
    def atom(self) -> Fun:
        """The atom at that index."""
        return self._literal.atom

    @property
    def _literal(self) -> Lit:
        literal = self.rule.literals[self.denied]
        assert isinstance(literal, Lit)
        return literal

    @property
    def reads(self) -> Sequence[Signature]:
        """The nodes that the rule reads, and those that make a required unknown known."""
        is_denied = self._literal.sign or self.atom.functor != _UNKNOWN
        known = () if is_denied else map(signature_of_term, _instead(self._literal))
        return (*self.rule.body, *known)

    def text(self, shelf: int) -> str:
        """Return the rule for the case that only this literal blocks the norm or the helper."""
        numbers = count(1)
        buts = (name_anonymous(each, numbers) for each in _instead(self._literal))
        return "\n".join([_part(self.number, shelf), *(self._way(shelf, but, but) for but in buts)])

    def _way(self, shelf: int, but: object, *instead: object) -> str:
        """Return a result literal: the derived head, the exception, and the atom at the index
        instead."""
        before, after = self.rule.literals[: self.denied], self.rule.literals[self.denied + 1 :]
        body = "; ".join(map(str, (*self._needed, *before, *instead, *after)))
        head = f"why{shelf}(look_up,{self.number},0,{self.rule.head},({but},),())"
        return f"{head} :- {body}."

    @property
    def _needed(self) -> tuple[str, ...]:
        return (f"need(look_up,{_topic_of(self.rule)})",)

    @property
    def _pattern(self) -> Term:
        return _topic_of(self.rule)


@dataclass(frozen=True)
class BlockedViaHelper(BlockedRule):
    """A rule that would fire except for one helper in its body, which one exception alone blocks."""

    @property
    def about(self) -> Functor | None:
        """The kind of topic of a value."""
        return functor(self.atom.args[0])

    def text(self, shelf: int) -> str:
        """Return the rule for the case that only this exception blocks the norm."""
        helper = name_anonymous(self.atom, count(1))
        way = self._way(shelf, "But", f"near({helper},But)", f"not {helper}")
        return f"{_part(self.number, shelf)}\n{way}"


@dataclass(frozen=True)
class BlockedHelper(BlockedRule):
    """A rule that would derive a helper except for the one negated literal at this index."""

    @property
    def _needed(self) -> tuple[str, ...]:
        return ()


class BlockedPlace(NamedTuple):
    """A blocked place: the number of the blocked rule, and the number of the rule."""

    number: int
    rule: int
    place: int
    #: 1 for a helper that is itself blocked.
    via_helper: int = 0


def blocked_places(
    rules: Sequence[Rule],
) -> tuple[Mapping[Functor, Sequence[BlockedPlace]], Mapping[Functor, Sequence[BlockedPlace]]]:
    """Return blocked places of norms' rules by kind of topic, and of helpers by name and arity."""
    found: dict[Functor, list[BlockedPlace]] = {}
    numbers = count(len(rules))
    near: dict[Functor, list[BlockedPlace]] = {}
    heads, topic_place = calculus().heads, calculus().topic_place
    for number, rule in enumerate(rules):
        if rule.head is not None and rule.head.name not in topic_place:
            for place in _denied(rule):
                helper = BlockedPlace(next(numbers), number, place)
                near.setdefault(rule.head.functor, []).append(helper)
    for number, rule in enumerate(rules):
        head = rule.heads[0] if rule.head is not None else None
        if rule.norm is None or head is None or head.topic is None or head.name not in heads:
            continue
        here = found.setdefault(head.topic, [])
        here += (BlockedPlace(next(numbers), number, place) for place in _denied(rule))
        for place, literal in enumerate(rule.literals):
            if is_positive(literal) and literal.atom.functor in {VALUE, *near}:
                here.append(BlockedPlace(next(numbers), number, place, 1))
    return found, near


def _denied(rule: Rule) -> Iterator[int]:
    """Yield the indexes of negated literals, and of literals that require a topic of a named kind
    to be unknown."""
    for place, each in enumerate(rule.literals):
        if isinstance(each, Lit) and (
            each.sign or (each.atom.functor == _UNKNOWN and isinstance(each.atom.args[0], Fun))
        ):
            yield place


def _instead(literal: Lit) -> Iterator[Fun]:
    """Yield the atoms that would block a literal: the negated atom, or those that make a topic
    known."""
    if literal.sign:
        yield literal.atom
        return
    (about,) = literal.atom.args
    known_by = calculus().known_by
    kind = "sight" if functor(about) == SIGHT else "subject"
    for name, kinds in known_by[kind]:
        yield Fun(name, (about, *[Var(ANONYMOUS)] * (len(kinds) - 1)))


def _topic_of(rule: Rule) -> Term:
    assert rule.head is not None
    return rule.head.args[calculus().topic_place[rule.head.name]]
