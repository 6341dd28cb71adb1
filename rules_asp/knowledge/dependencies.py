"""Relevant rules: which rules can fire given these facts, and which norms could produce a topic.

Most rules are irrelevant to most boards: those of a section not in force, those on snow without
snow. clingo would read and index them all, which takes longer than solving the rest. A rule with a
positive body atom that can never hold is dropped; nothing that is derived changes.

An atom is identified by its predicate and the first word of its topic or first argument: ("is",
"height") for is(height(H),V), ("section", "pb4") for section(pb4). This word is followed by the
word of its own first argument: ("asked_deed", "step(move") for asked_deed(step(move,U,X,Y,W)),
("eye_at", "l(v") for eye_at(l(v(H,C),0)), and ("eye_at", "l(()") if a hex stands in place of the
vertex. So rules on vertices are dropped if no question names a vertex.

If a topic has no value, `Producers` lists the norms that could give one on another board.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat
from typing import Generic, NamedTuple, TypeVar

import clingo

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.instantiation import ANY
from rules_asp.knowledge.reader import read_rules
from rules_asp.knowledge.rules import Functor, Rule, Signature
from rules_asp.knowledge.terms import (
    ANONYMOUS,
    Fun,
    Op,
    Term,
    Var,
    atoms_of,
    from_symbol,
    substitute,
    to_symbol,
    variables,
)

# --- Dropping rules that the given facts cannot trigger.


#: A predicate and a word; ANY reads atoms with any word, and as a given key stands for all words.
TriggerKey = tuple[str, str]
ANY_TERM = ""
_TUPLE = "()"


@dataclass(frozen=True)
class Trigger:
    """The keys that a rule needs, all of them, and the keys that it gives."""

    needs: frozenset[TriggerKey]
    gives: frozenset[TriggerKey]


def trigger_of(rule: Rule, suffix: str = "") -> Trigger:
    """Return the trigger of a rule. Elements of aggregates and conditional literals are not needed.

    suffix: the end of the names of renamed predicates.
    """
    gives = (atom for atom, _, in_condition in atoms_of(rule.top) if not in_condition)
    return Trigger(
        *(frozenset(key_of_atom(e, suffix) for e in atoms) for atoms in (rule.atoms, gives))
    )


def key_of_atom(atom: Fun, suffix: str = "") -> TriggerKey:
    """Return the key of an atom in a rule; `suffix` as in `trigger_of`."""
    place = calculus().topic_place.get(atom.name.removesuffix(suffix), 0)
    return atom.name, _word(atom.args[place]) if atom.args else ANY_TERM


def _word(term: Term) -> str:
    name = _name(term)
    first = _name(term.args[0]) if isinstance(term, Fun) and name and term.args else ANY_TERM
    return f"{name}({first}" if first else name


def _name(term: Term) -> str:
    """Return the name of a word or term, _TUPLE for a hex; ANY for a variable, a number, a text."""
    if not isinstance(term, Fun) or not (term.name[:1].islower() or term.args):
        return ANY_TERM
    return term.name or _TUPLE


@lru_cache(maxsize=1 << 12)  # Those of a site are mostly those of the sites before.
def keys(text: str) -> frozenset[TriggerKey]:
    """Return the keys of facts as text, and the heads of rules in it."""
    return frozenset(each for rule in read_rules(text)[0] for each in trigger_of(rule).gives)


def keys_of(facts: Iterable[clingo.Symbol]) -> frozenset[TriggerKey]:
    """Return the keys of facts."""
    return frozenset(map(key_of, facts))


@lru_cache(maxsize=1 << 16)  # As many facts as a few maps have; most stay from change to change.
def key_of(fact: clingo.Symbol) -> TriggerKey:
    """Return the key of a fact."""
    name = fact.name
    if calculus().topic_place.get(name, 0):
        return name, ANY_TERM
    return name, _symbol_word(fact.arguments[0]) if fact.arguments else ANY_TERM


def _symbol_word(term: clingo.Symbol, depth: int = 2) -> str:
    """Return the same as `_word` for a term of a fact."""
    if term.type != clingo.SymbolType.Function or not depth:
        return ANY_TERM
    name, arguments = term.name or _TUPLE, term.arguments
    first = _symbol_word(arguments[0], depth - 1) if arguments else ANY_TERM
    return f"{name}({first}" if first else name


def key(name: str, word: str) -> TriggerKey:
    """Return the key of an atom of this predicate whose first argument begins with a word."""
    return name, ANY_TERM if calculus().topic_place.get(name, 0) else word


@lru_cache(maxsize=1 << 14)
def functor_name(term: clingo.Symbol) -> str:
    """Return the first word of a term; ANY for a number, a text, a hex."""
    return term.name if term.type == clingo.SymbolType.Function else ANY_TERM


_Rule = TypeVar("_Rule")
_Node = TypeVar("_Node")


@dataclass(frozen=True)
class Reachability(Generic[_Rule]):
    """Rules, or values in their place, indexed for a fixpoint over trigger keys."""

    rules: tuple[_Rule, ...]
    _occasions: tuple[Trigger, ...]
    _waiting: dict[TriggerKey, list[int]] = field(default_factory=dict)
    _words: dict[str, set[str]] = field(default_factory=dict)
    _finer: dict[TriggerKey, set[str]] = field(default_factory=dict)

    @staticmethod
    def of(
        rules: Iterable[_Rule], occasions: Sequence[Trigger], watched: Iterable[TriggerKey] = ()
    ) -> Reachability[_Rule]:
        """Return these rules with the trigger of each. `watched` are further keys for `met_from`."""
        made = Reachability(tuple(rules), tuple(occasions))
        for name, word in watched:
            made._waiting.setdefault((name, word), [])
            made._words.setdefault(name, set()).add(word)
            made._finer.setdefault((name, word.partition("(")[0]), set()).add(word)
        for number, each in enumerate(made._occasions):
            for name, word in each.needs:
                made._waiting.setdefault((name, word), []).append(number)
                made._words.setdefault(name, set()).add(word)
                made._finer.setdefault((name, word.partition("(")[0]), set()).add(word)
        return made

    def reachable_from(self, given: Iterable[TriggerKey]) -> tuple[_Rule, ...]:
        """Return the rules that can fire on facts of these keys, in order."""
        return self.met_from(given)[0]

    def met_from(
        self, given: Iterable[TriggerKey]
    ) -> tuple[tuple[_Rule, ...], frozenset[TriggerKey]]:
        """Return the same, and those of the needed and watched keys whose atoms can hold."""
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
                coarser = word, word.partition("(")[0], ANY_TERM
                finer = words if word == ANY_TERM else self._finer.get(key, ())
                for one in (*coarser, *finer):
                    if one in words and (name, one) not in met:
                        met.add((name, one))
                        for number in self._waiting[name, one]:
                            missing[number] -= 1
                            if not missing[number]:
                                fires.append(number)
        fitting = zip(self.rules, missing, strict=True)
        return tuple(rule for rule, count in fitting if not count), frozenset(met)


# --- The relevant rules for wanted nodes.


def by_head(rules: Iterable[Rule]) -> dict[Signature, list[int]]:
    """Return the indexes of the rules that derive each node."""
    places: dict[Signature, list[int]] = {}
    for place, rule in enumerate(rules):
        for head in rule.heads:
            places.setdefault(head, []).append(place)
    return places


def by_body(rules: Iterable[Rule]) -> dict[Signature, list[Rule]]:
    """Return the rules that read each node."""
    readers: dict[Signature, list[Rule]] = {}
    for rule in rules:
        for node in dict.fromkeys(rule.body):
            readers.setdefault(node, []).append(rule)
    return readers


def relevant_rules(
    nodes_of: Callable[[int], Iterable[_Node]],
    by_head: Mapping[_Node, Sequence[int]],
    wanted: Iterable[_Node],
    skipped: Collection[_Node] = (),
    among: Container[int] | None = None,
) -> list[int]:
    """Return the indexes of the rules relevant to the wanted nodes, in order.

    `nodes_of` returns the nodes that a rule derives and reads, by its index. `among` are the indexes
    of the rules that exist; None: all.
    """
    seen = {node for node in wanted if node not in skipped}
    todo = list(seen)
    kept: set[int] = set()
    while todo:
        for place in by_head.get(todo.pop(), ()):
            if place not in kept and (among is None or place in among):
                kept.add(place)
                for node in nodes_of(place):
                    if node not in seen and node not in skipped:
                        seen.add(node)
                        todo.append(node)
    return sorted(kept)


# --- Norms that could give a topic a value, or allow an action, and what their rules read.


_Part = TypeVar("_Part")


class Producer(NamedTuple):
    """A norm that could; `reads` are the atoms that its rule reads, with the known arguments."""

    norm: str
    reads: tuple[Fun, ...]
    rule: Rule


class Producers:
    """The rules of a knowledge base by the kind of topic to which they could give a value."""

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
        """Return all rules that derive a predicate, with or without norm."""
        return self._every.get((node.name, node.arity), ())

    def producers_of(
        self, topic: clingo.Symbol, value: clingo.Symbol | None = None
    ) -> Iterator[Producer]:
        """Return the norms that could give a topic a value (None: any), or allow an action."""
        for rule in self._rules.get((topic.name, len(topic.arguments)), ()):
            bound = _bound(rule, topic, value)
            if bound is not None and rule.norm:
                yield Producer(rule.norm, filled(rule.atoms, bound), rule)

    def rules_of(self, node: Signature) -> Sequence[Rule]:
        """Return the rules of norms that derive a predicate."""
        return self._notions.get((node.name, node.arity), ())


def _bound(rule: Rule, topic: clingo.Symbol, value: clingo.Symbol | None) -> dict[str, Term] | None:
    """Return the bindings of a rule's variables for a topic in its head; None if it does not match."""
    if rule.head is None or len(rule.head.args) < 2:
        return None
    bound: dict[str, Term] = {}
    if not _fits(rule.head.args[1], topic, bound):
        return None
    says = rule.head.name in ("says", "offers")
    return bound if value is None or not says or _fits(rule.head.args[2], value, bound) else None


def _fits(term: Term, symbol: clingo.Symbol, bound: dict[str, Term]) -> bool:
    """Test whether a term of a rule matches a symbol; add its variables to `bound`."""
    if str(symbol) == ANY:
        return True
    if isinstance(term, Var):
        value = from_symbol(symbol)
        return term.name == ANONYMOUS or bound.setdefault(term.name, value) == value
    known = symbol.arguments if symbol.type == clingo.SymbolType.Function else []
    if known and isinstance(term, Fun) and term.args and term.name == symbol.name:
        return len(term.args) == len(known) and all(map(_fits, term.args, known, repeat(bound)))
    # Arithmetic terms match anything.
    return bool(isinstance(term, Fun | Op) and term.args) or to_symbol(term) == symbol


def filled(node: _Part, bound: Mapping[str, Term]) -> _Part:
    """Return a part of a rule with bound variables replaced; `_` for the others."""
    return substitute(node, {name: bound.get(name, Var(ANONYMOUS)) for name in variables(node)})
