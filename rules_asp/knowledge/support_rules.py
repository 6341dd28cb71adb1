"""Each rule in the form in which supports, and blocked rules, are found in an answer set.

    why0(look_up, 17, 0, head, (b1,b2), (c1,)) :- need(look_up, head), b1, b2, not c1.

Each twin stands in a part of its own, of which the parameter is the number of the look-up.

For each thing that a rule denies there is a twin in which just that thing holds:

    why0(look_up, 4711, 0, head, (c1,), ()) :- need(look_up, topic), b1, b2, c1.

A helper, of which norms read whether it is so, may be missing for such a reason itself. So this is
looked up first, near(helper,c1), and a norm that reads the helper has a twin that needs it nearly so.
In the same way a value is nearly so that a norm gives which is beaten. Where a norm would speak if
something were unknown, what keeps it silent is what is known of that: its value, or the verdict on it.
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
    from_symbol,
    has_anonymous,
    is_positive,
    name_anonymous,
    replaced,
    variables,
)

# --- Rules as they are looked up in an answer: a twin finds the atoms by which a rule has its
#     head there.


@dataclass(frozen=True)
class SupportRule:
    """A rule that can be a reason."""

    number: int
    rule: Rule

    @property
    def reads(self) -> Sequence[Signature]:
        """What has to be at hand for it."""
        return self.rule.body

    def program_part(self, shelf: int) -> Sequence[ast.AST]:
        """The twin as clingo reads it, for one of the shelves that findings are kept on."""
        return self._first if shelf == 0 else parse_statements(self.text(shelf))

    def text(self, shelf: int) -> str:
        """The twin as text."""
        return _twin(self.number, self.rule, shelf)

    @cached_property
    def _first(self) -> Sequence[ast.AST]:
        return parse_statements(self.text(0))

    def fits(self, atom: clingo.Symbol) -> bool:
        """Whether the rule's head may be this atom."""
        assert self.rule.head is not None
        return matches(self.rule.head, atom)


def part_name(number: int, shelf: int) -> str:
    """The name of the part of a twin."""
    return f"twin{number}_{shelf}"


def matches(term: Term, symbol: clingo.Symbol) -> bool:
    """Whether a symbol may be what a term of a rule comes to."""
    if isinstance(term, Const):
        return from_symbol(symbol) == term
    if not isinstance(term, Fun):
        return True
    if symbol.type != clingo.SymbolType.Function or symbol.name != term.name:
        return False
    arguments = symbol.arguments
    return len(term.args) == len(arguments) and all(map(matches, term.args, arguments))


def _twin(number: int, rule: Rule, shelf: int) -> str:
    numbers = count(1)
    assert rule.head is not None
    atoms: list[Term] = []
    absent: list[Term] = []
    body: list[Literal] = []
    elements: list[Elem] = []
    for literal in rule.literals:
        if is_positive(literal):
            # An interval that stood in the head would stand there for all of its values.
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
    # What an aggregate ranges over comes as further ways by the same rule. Its own variables must stay
    # its own, so only those that the rest of the rule has too are carried over to where it is told.
    outside = variables(rule.head, *map(_without_elements, rule.literals))
    for place, element in enumerate(elements, 1):
        literals: list[Literal] = [each for each in element.parts if isinstance(each, Lit | Cmp)]
        literals += element.condition
        element_atoms = [each.atom for each in literals if is_positive(each)]
        if element_atoms:
            shared = _tuple([number, place, *sorted(outside & variables(*literals))])
            lines.append(f"with(look_up,{rule.head},{shared}) :- {needed}.")
            way = f"why{shelf}(look_up,{number},{place},It,{_tuple(element_atoms)},())"
            inner = "; ".join(map(str, literals))
            lines.append(f"{way} :- with(look_up,It,{shared}); {inner}.")
    return "\n".join(lines)


def _part(number: int, shelf: int) -> str:
    return f"#program {part_name(number, shelf)}(look_up)."


def _tuple(parts: Sequence[object]) -> str:
    return f"({','.join(map(str, parts))}{',' if len(parts) == 1 else ''})"


def _without_elements(literal: Literal) -> Literal:
    return literal._replace(elements=()) if isinstance(literal, Agg) else literal


def _ranged(atom: Fun, numbers: Iterator[int]) -> tuple[Fun, list[Cmp]]:
    """An atom with a variable in place of each interval, and what says what this may be."""
    ranges: list[Cmp] = []

    def change(each: Any) -> Any:
        if not (isinstance(each, Op) and each.sign == ".."):
            return each
        ranges.append(Cmp("", Var(f"Any{next(numbers)}"), (("=", each),)))
        return ranges[-1].left

    return replaced(atom, change), ranges


# --- Rules by which a norm would speak if one thing were not so: an exception that holds.


#: That a topic has a value.
VALUE = ("is", 2)
#: That it has none, or that a deed or sight has no verdict, since something is not known.
_UNKNOWN = ("is_unknown", 1)


@dataclass(frozen=True)
class BlockedRule(SupportRule):
    """A rule by which a norm would speak, but for one thing that it denies: that of this place."""

    denied: int

    @property
    def atom(self) -> Fun:
        """What stands at that place."""
        return self._literal.atom

    @property
    def _literal(self) -> Lit:
        literal = self.rule.literals[self.denied]
        assert isinstance(literal, Lit)
        return literal

    @property
    def reads(self) -> Sequence[Signature]:
        """What the rule reads, and that by which it is known what the rule needs to be unknown."""
        is_denied = self._literal.sign or self.atom.functor != _UNKNOWN
        known = () if is_denied else map(signature_of_term, _instead(self._literal))
        return (*self.rule.body, *known)

    def text(self, shelf: int) -> str:
        """What is so where just that thing keeps the norm, or the helper, from being so."""
        numbers = count(1)
        buts = (name_anonymous(each, numbers) for each in _instead(self._literal))
        return "\n".join([_part(self.number, shelf), *(self._way(shelf, but, but) for but in buts)])

    def _way(self, shelf: int, but: object, *instead: object) -> str:
        """A way in which the head would be so: but for what, and what stands at that place instead."""
        before, after = self.rule.literals[: self.denied], self.rule.literals[self.denied + 1 :]
        body = "; ".join(map(str, (*self._needed, *before, *instead, *after)))
        head = f"why{shelf}(look_up,{self.number},0,{self.rule.head},({but},),())"
        return f"{head} :- {body}."

    @property
    def _needed(self) -> tuple[str, ...]:
        return (f"need(look_up,{_topic_of(self.rule)})",)

    def fits(self, atom: clingo.Symbol) -> bool:
        """Whether what the rule speaks of may be this topic."""
        return matches(_topic_of(self.rule), atom)


@dataclass(frozen=True)
class BlockedViaHelper(BlockedRule):
    """A rule by which a norm would speak, but for a helper, at this place of what it reads, that is
    kept from being so by one thing alone."""

    @property
    def about(self) -> Functor | None:
        """The kind of topic that a value is of."""
        return functor(self.atom.args[0])

    def text(self, shelf: int) -> str:
        """What is so where just that thing keeps the norm silent."""
        helper = name_anonymous(self.atom, count(1))
        way = self._way(shelf, "But", f"near({helper},But)", f"not {helper}")
        return f"{_part(self.number, shelf)}\n{way}"


@dataclass(frozen=True)
class BlockedHelper(BlockedRule):
    """A rule by which a helper would be so, but for one thing that it denies: that of this place."""

    @property
    def _needed(self) -> tuple[str, ...]:
        return ()


class BlockedPlace(NamedTuple):
    """A place in a rule at which it is blocked: the number of the blocked rule, that of the rule."""

    number: int
    rule: int
    place: int
    #: 1 if a helper stands there that is itself kept from being so.
    via_helper: int = 0


def blocked_places(
    rules: Sequence[Rule],
) -> tuple[Mapping[Functor, Sequence[BlockedPlace]], Mapping[Functor, Sequence[BlockedPlace]]]:
    """By kinds of topics the rules by which norms speak of them, with each thing that these deny; by name
    and arity the same for helpers."""
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
    """The places of what a rule denies, be it that something is known, of a kind that it names."""
    for place, each in enumerate(rule.literals):
        if isinstance(each, Lit) and (
            each.sign or (each.atom.functor == _UNKNOWN and isinstance(each.atom.args[0], Fun))
        ):
            yield place


def _instead(literal: Lit) -> Iterator[Fun]:
    """What would keep a rule from holding that reads this: what it denies, or what makes known."""
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
