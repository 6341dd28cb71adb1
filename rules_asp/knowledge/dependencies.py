"""Which rules can fire given these facts; which norms could produce a topic.

Most rules have nothing to do with most boards: those of a section that is not in force, those on snow
where there is none. clingo would read and index them all, which takes longer than to solve what is left.
A rule of which a positive body atom can never hold can go, and nothing that is derived changes.

An atom is told by its predicate and the word that begins its topic, or else its first argument:
("is", "height") of is(height(H),V), ("section", "pb4") of section(pb4).

Where nothing gives a value, these are the norms that could, if the board were another.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import clingo

from rules_asp.knowledge.instantiation import ANY, split_arguments
from rules_asp.knowledge.rules import TOPIC_PLACE, Functor, Rule, Signature

# --- Leaving out the rules that given facts give no occasion to.


#: A predicate and a word: as something read, ANY is whichever; as something given, every one.
TriggerKey = tuple[str, str]
ANY_TERM = ""

_FIRST = re.compile(r"(\w+)\(\s*(?:([a-z]\w*)\s*[,()])?")
# After a full stop inside of a text of kb/ this finds too much, which does no harm.
_FACT = re.compile(r"(?:^|\.)\s*([a-z_]\w*)(?:\(\s*(?:([a-z]\w*)\s*[,()])?)?", re.MULTILINE)
_WORD = re.compile(r"[a-z]\w*")


@dataclass(frozen=True)
class Trigger:
    """What a rule needs, all of it, and what it gives."""

    needs: frozenset[TriggerKey]
    gives: frozenset[TriggerKey]


def trigger_of(rule: Rule) -> Trigger:
    """What a rule needs and gives. What an aggregate or a condition ranges over is no need."""
    plain = [each.text for each in rule.literals if each.kind == "atom"]
    names = {text.partition("(")[0] for text in plain}
    other = " ".join(each.text for each in rule.literals if each.kind == "other")
    needs: set[TriggerKey] = {
        _first(text) for text in plain if text.partition("(")[0] not in TOPIC_PLACE
    }
    for node in rule.positive:
        if node.name in names and node.name in TOPIC_PLACE:
            told = not re.search(rf"\b{node.name}\(", other)
            needs.add((node.name, _topic(node) if told else ANY_TERM))
    gives: set[TriggerKey] = set()
    for node in rule.heads:
        if node.name in TOPIC_PLACE:
            gives.add((node.name, _topic(node)))
        else:
            gives.add(_first(rule.head) if rule.head is not None else (node.name, ANY_TERM))
    return Trigger(frozenset(needs), frozenset(gives))


def _topic(node: Signature) -> str:
    return node.topic[0] if node.topic and _WORD.fullmatch(node.topic[0]) else ANY_TERM


def _first(text: str) -> TriggerKey:
    match = _FIRST.match(text)
    return (match[1], match[2] or ANY_TERM) if match else (text, ANY_TERM)


def keys(facts: str) -> frozenset[TriggerKey]:
    """What facts of kb/ and measured ones give, as text, and the heads of rules among them."""
    return frozenset(key(name, word) for name, word in _FACT.findall(facts))


def keys_of(facts: Iterable[clingo.Symbol]) -> frozenset[TriggerKey]:
    """What facts give."""
    return frozenset(map(key_of, facts))


@lru_cache(maxsize=1 << 16)  # as many as a few maps state, most of which stay from change to change
def key_of(fact: clingo.Symbol) -> TriggerKey:
    """What a fact gives."""
    name = fact.name
    if TOPIC_PLACE.get(name, 0):
        return name, ANY_TERM
    arguments = fact.arguments
    return name, functor_name(arguments[0]) if arguments else ANY_TERM


def key(name: str, word: str) -> TriggerKey:
    """What an atom of this predicate gives whose first argument begins with this word."""
    return name, ANY_TERM if TOPIC_PLACE.get(name, 0) else word


@lru_cache(maxsize=1 << 14)
def functor_name(term: clingo.Symbol) -> str:
    """The word that begins a term; ANY for one that begins with none, as a number, a text, a hex."""
    return term.name if term.type == clingo.SymbolType.Function else ANY_TERM


def key_matches(key: TriggerKey, given: Collection[TriggerKey], names: Collection[str]) -> bool:
    """Whether one of the atoms that gave these keys, of predicates with these names, may be of this key."""
    name, word = key
    return name in names if word == ANY_TERM else key in given or (name, ANY_TERM) in given


@dataclass(frozen=True)
class Reachability:
    """Rules, ready to be fitted to facts."""

    rules: tuple[Rule, ...]
    _occasions: tuple[Trigger, ...]
    _waiting: dict[TriggerKey, list[int]] = field(default_factory=dict)
    _words: dict[str, set[str]] = field(default_factory=dict)

    @staticmethod
    def of(rules: Iterable[Rule], occasions: Sequence[Trigger]) -> Reachability:
        """These rules with what each needs and gives."""
        made = Reachability(tuple(rules), tuple(occasions))
        for number, each in enumerate(made._occasions):
            for name, word in each.needs:
                made._waiting.setdefault((name, word), []).append(number)
                made._words.setdefault(name, set()).add(word)
        return made

    def reachable_from(self, given: Iterable[TriggerKey]) -> tuple[Rule, ...]:
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


# --- Which norms could give a topic a value, or allow a deed, and what they read, by the rules as
#     written.


#: The heads by which a topic gets a value or a deed is allowed, the norm's id first, what it is of second.
_GIVING = frozenset(("says", "takes", "offers", "offers_value", "adds", "adds_value", "permits"))
_VARIABLE = re.compile(r"[A-Z]\w*")
_PLAIN = re.compile(r'-?\d+|[a-z]\w*|"[^"]*"')


class Producer(NamedTuple):
    """A norm that could; `reads` are the atoms that its rule then reads, with what is known of them."""

    norm: str
    reads: tuple[str, ...]
    rule: Rule


class Producers:
    """The rules of a knowledge base by the kind of topic that they could give a value."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules: dict[Functor, list[Rule]] = {}
        self._notions: dict[tuple[str, int], list[Rule]] = {}
        self._every: dict[tuple[str, int], list[Rule]] = {}
        for rule in rules:
            if rule.head is not None and rule.body:
                self._every.setdefault(rule.heads[0][:2], []).append(rule)
            for node in rule.heads if rule.norm and rule.body else ():
                if node.name in _GIVING and node.topic is not None:
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
                reads = (each.text for each in rule.literals if each.kind == "atom")
                yield Producer(rule.norm, tuple(_filled(each, bound) for each in reads), rule)

    def rules_of(self, node: Signature) -> Sequence[Rule]:
        """The rules of norms by which a notion of kb/ is derived."""
        return self._notions.get((node.name, node.arity), ())


def _bound(
    rule: Rule, topic: clingo.Symbol, value: clingo.Symbol | None
) -> Mapping[str, str] | None:
    """What the variables of a rule stand for where its head is of the topic; None where it cannot be."""
    parts = split_arguments(rule.head or "")
    if len(parts) < 2:
        return None
    bound: dict[str, str] = {}
    if not _fits(parts[1], topic, bound):
        return None
    says = (rule.head or "").partition("(")[0] in ("says", "offers")
    return bound if value is None or not says or _fits(parts[2], value, bound) else None


def _fits(text: str, symbol: clingo.Symbol, bound: dict[str, str]) -> bool:
    """Whether a term of a rule can be this, or anything; what its variables are is added to `bound`."""
    if str(symbol) == ANY:
        return True
    if _VARIABLE.fullmatch(text):
        return bound.setdefault(text, str(symbol)) == str(symbol)
    name, opened, _ = text.partition("(")
    if opened and symbol.type == clingo.SymbolType.Function and symbol.arguments:
        parts = split_arguments(text)
        if ";" not in name + "".join(parts) and name == symbol.name:
            return len(parts) == len(symbol.arguments) and all(
                _fits(part, inner, bound)
                for part, inner in zip(parts, symbol.arguments, strict=True)
            )
    # Of arithmetic and of choices nothing is told beforehand.
    return not _PLAIN.fullmatch(text) or text == str(symbol)


def _filled(text: str, bound: Mapping[str, str]) -> str:
    """An atom of a rule with what its variables stand for; `_` for those that are not known."""
    return _VARIABLE.sub(lambda found: bound.get(found[0], "_"), text)
