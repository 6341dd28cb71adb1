"""Which rules can fire given these facts; which norms could produce a topic.

Most rules have nothing to do with most boards: those of a section that is not in force, those on snow
where there is none. clingo would read and index them all, which takes longer than to solve what is left.
A rule of which a positive body atom can never hold can go, and nothing that is derived changes.

An atom is told by its predicate and the word that begins its topic, or else its first argument:
("is", "height") of is(height(H),V), ("section", "pb4") of section(pb4).

Where nothing gives a value, these are the norms that could, if the board were another.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat
from typing import Generic, NamedTuple, TypeVar

import clingo

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.instantiation import ANY
from rules_asp.knowledge.reader import read_rules
from rules_asp.knowledge.rules import Functor, Rule, Signature, signature_of_term
from rules_asp.knowledge.terms import (
    ANONYMOUS,
    Fun,
    Op,
    Term,
    Var,
    from_symbol,
    substitute,
    to_symbol,
    variables,
)

# --- Leaving out the rules that given facts give no occasion to.


#: A predicate and a word: as something read, ANY is whichever; as something given, every one.
TriggerKey = tuple[str, str]
ANY_TERM = ""


@dataclass(frozen=True)
class Trigger:
    """What a rule needs, all of it, and what it gives."""

    needs: frozenset[TriggerKey]
    gives: frozenset[TriggerKey]


def trigger_of(rule: Rule) -> Trigger:
    """What a rule needs and gives. What an aggregate or a condition ranges over is no need."""
    topical = calculus().topic_place
    needs: set[TriggerKey] = set()
    for atom in rule.atoms:
        if atom.name not in topical:
            needs.add((atom.name, _word(atom.args[0]) if atom.args else ANY_TERM))
        else:
            needs.add((atom.name, _topic(signature_of_term(atom))))
    gives: set[TriggerKey] = set()
    for node in rule.heads:
        if node.name in topical:
            gives.add((node.name, _topic(node)))
        else:
            args = rule.head.args if rule.head else ()
            gives.add((node.name, _word(args[0]) if args else ANY_TERM))
    return Trigger(frozenset(needs), frozenset(gives))


def _topic(node: Signature) -> str:
    is_word = node.topic is not None and node.topic[0][:1].islower()
    return node.topic[0] if node.topic and is_word else ANY_TERM


def _word(term: Term) -> str:
    return term.name if isinstance(term, Fun) and term.name[:1].islower() else ANY_TERM


@lru_cache(maxsize=64)  # the lines of a grid are some thousand facts, and the same for all spots
def keys(text: str) -> frozenset[TriggerKey]:
    """What facts that are given as text give, and the heads of rules among them."""
    return frozenset(each for rule in read_rules(text)[0] for each in trigger_of(rule).gives)


def keys_of(facts: Iterable[clingo.Symbol]) -> frozenset[TriggerKey]:
    """What facts give."""
    return frozenset(map(key_of, facts))


@lru_cache(maxsize=1 << 16)  # as many as a few maps state, most of which stay from change to change
def key_of(fact: clingo.Symbol) -> TriggerKey:
    """What a fact gives."""
    name = fact.name
    if calculus().topic_place.get(name, 0):
        return name, ANY_TERM
    arguments = fact.arguments
    return name, functor_name(arguments[0]) if arguments else ANY_TERM


def key(name: str, word: str) -> TriggerKey:
    """What an atom of this predicate gives whose first argument begins with this word."""
    return name, ANY_TERM if calculus().topic_place.get(name, 0) else word


@lru_cache(maxsize=1 << 14)
def functor_name(term: clingo.Symbol) -> str:
    """The word that begins a term; ANY for one that begins with none, as a number, a text, a hex."""
    return term.name if term.type == clingo.SymbolType.Function else ANY_TERM


_Rule = TypeVar("_Rule")
_Node = TypeVar("_Node")


@dataclass(frozen=True)
class Reachability(Generic[_Rule]):
    """Rules, or what stands for them, ready to be fitted to facts."""

    rules: tuple[_Rule, ...]
    _occasions: tuple[Trigger, ...]
    _waiting: dict[TriggerKey, list[int]] = field(default_factory=dict)
    _words: dict[str, set[str]] = field(default_factory=dict)

    @staticmethod
    def of(rules: Iterable[_Rule], occasions: Sequence[Trigger]) -> Reachability[_Rule]:
        """These rules with what each needs and gives."""
        made = Reachability(tuple(rules), tuple(occasions))
        for number, each in enumerate(made._occasions):
            for name, word in each.needs:
                made._waiting.setdefault((name, word), []).append(number)
                made._words.setdefault(name, set()).add(word)
        return made

    def reachable_from(self, given: Iterable[TriggerKey]) -> tuple[_Rule, ...]:
        """The rules that can fire on facts of these keys, in their order."""
        missing = [len(each.needs) for each in self._occasions]
        met: set[TriggerKey] = set()
        seen: set[TriggerKey] = set()
        todo = list(given)
        fires = [number for number, count in enumerate(missing) if not count]
        while todo or fires:
            for number in fires:
                todo += self._occasions[number].gives
            fires = []
            while todo:
                key = todo.pop()
                if key in seen:
                    continue
                seen.add(key)
                name, word = key
                words = self._words.get(name, ())
                for one in words if word == ANY_TERM else (word, ANY_TERM):
                    if one in words and (name, one) not in met:
                        met.add((name, one))
                        for number in self._waiting[name, one]:
                            missing[number] -= 1
                            if not missing[number]:
                                fires.append(number)
        return tuple(rule for rule, count in zip(self.rules, missing, strict=True) if not count)


# --- The rules that bear on what is wanted.


def by_head(rules: Iterable[Rule]) -> dict[Signature, list[int]]:
    """The places of the rules that derive a node."""
    places: dict[Signature, list[int]] = {}
    for place, rule in enumerate(rules):
        for head in rule.heads:
            places.setdefault(head, []).append(place)
    return places


def relevant_rules(
    nodes_of: Callable[[int], Iterable[_Node]],
    by_head: Mapping[_Node, Sequence[int]],
    wanted: Iterable[_Node],
    skipped: Collection[_Node] = (),
) -> list[int]:
    """The places of the rules that bear on the wanted nodes, in order.

    `nodes_of` has what the rule of a place derives and reads.
    """
    seen = {node for node in wanted if node not in skipped}
    todo = list(seen)
    kept: set[int] = set()
    while todo:
        for place in by_head.get(todo.pop(), ()):
            if place not in kept:
                kept.add(place)
                for node in nodes_of(place):
                    if node not in seen and node not in skipped:
                        seen.add(node)
                        todo.append(node)
    return sorted(kept)


# --- Which norms could give a topic a value, or allow a deed, and what they read, by the rules as
#     written.


_Part = TypeVar("_Part")


class Producer(NamedTuple):
    """A norm that could; `reads` are the atoms that its rule then reads, with what is known of them."""

    norm: str
    reads: tuple[Fun, ...]
    rule: Rule


class Producers:
    """The rules of a knowledge base by the kind of topic that they could give a value."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules: dict[Functor, list[Rule]] = {}
        self._notions: dict[tuple[str, int], list[Rule]] = {}
        self._every: dict[tuple[str, int], list[Rule]] = {}
        giving = {*calculus().value_heads, "permits"}
        for rule in rules:
            if rule.head is not None and rule.body:
                self._every.setdefault(rule.heads[0][:2], []).append(rule)
            for node in rule.heads if rule.norm and rule.body else ():
                if node.name in giving and node.topic is not None:
                    self._rules.setdefault(node.topic, []).append(rule)
                elif node.topic is None:
                    self._notions.setdefault((node.name, node.arity), []).append(rule)

    def every(self, node: Signature) -> Sequence[Rule]:
        """All rules that derive a notion, under a norm or not."""
        return self._every.get((node.name, node.arity), ())

    def producers_of(
        self, topic: clingo.Symbol, value: clingo.Symbol | None = None
    ) -> Iterator[Producer]:
        """The norms that could give a topic a value (None: any), or allow a deed."""
        for rule in self._rules.get((topic.name, len(topic.arguments)), ()):
            bound = _bound(rule, topic, value)
            if bound is not None and rule.norm:
                yield Producer(rule.norm, filled(rule.atoms, bound), rule)

    def rules_of(self, node: Signature) -> Sequence[Rule]:
        """The rules of norms by which a notion of kb/ is derived."""
        return self._notions.get((node.name, node.arity), ())


def _bound(rule: Rule, topic: clingo.Symbol, value: clingo.Symbol | None) -> dict[str, Term] | None:
    """What the variables of a rule stand for where its head is of the topic; None where it cannot be."""
    if rule.head is None or len(rule.head.args) < 2:
        return None
    bound: dict[str, Term] = {}
    if not _fits(rule.head.args[1], topic, bound):
        return None
    says = rule.head.name in ("says", "offers")
    return bound if value is None or not says or _fits(rule.head.args[2], value, bound) else None


def _fits(term: Term, symbol: clingo.Symbol, bound: dict[str, Term]) -> bool:
    """Whether a term of a rule can be this, or anything; what its variables are is added to `bound`."""
    if str(symbol) == ANY:
        return True
    if isinstance(term, Var):
        value = from_symbol(symbol)
        return term.name == ANONYMOUS or bound.setdefault(term.name, value) == value
    known = symbol.arguments if symbol.type == clingo.SymbolType.Function else []
    if known and isinstance(term, Fun) and term.args and term.name == symbol.name:
        return len(term.args) == len(known) and all(map(_fits, term.args, known, repeat(bound)))
    # Of arithmetic nothing is told beforehand.
    return bool(isinstance(term, Fun | Op) and term.args) or to_symbol(term) == symbol


def filled(node: _Part, bound: Mapping[str, Term]) -> _Part:
    """A part of a rule with what its variables stand for; `_` for those that are not known."""
    return substitute(node, {name: bound.get(name, Var(ANONYMOUS)) for name in variables(node)})
