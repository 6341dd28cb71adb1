"""Leaving out the rules that given facts give no occasion to.

Most rules have nothing to do with most boards: those of a section that is not in force, those on snow
where there is none. clingo would read and index them all, which takes longer than to solve what is left.
A rule of which a positive body atom can never hold can go, and nothing that is derived changes.

An atom is told by its predicate and the word that begins its topic, or else its first argument:
("is", "height") of is(height(H),V), ("section", "pb4") of section(pb4).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import clingo

from rules_asp.knowledge.source import TOPIC_PLACE, Rule, Signature

#: A predicate and a word: as something read, ANY is whichever; as something given, every one.
TriggerKey = tuple[str, str]
ANY = ""

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
            needs.add((node.name, _topic(node) if told else ANY))
    gives: set[TriggerKey] = set()
    for node in rule.heads:
        if node.name in TOPIC_PLACE:
            gives.add((node.name, _topic(node)))
        else:
            gives.add(_first(rule.head) if rule.head is not None else (node.name, ANY))
    return Trigger(frozenset(needs), frozenset(gives))


def _topic(node: Signature) -> str:
    return node.topic[0] if node.topic and _WORD.fullmatch(node.topic[0]) else ANY


def _first(text: str) -> TriggerKey:
    match = _FIRST.match(text)
    return (match[1], match[2] or ANY) if match else (text, ANY)


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
        return name, ANY
    arguments = fact.arguments
    return name, functor_name(arguments[0]) if arguments else ANY


def key(name: str, word: str) -> TriggerKey:
    """What an atom of this predicate gives whose first argument begins with this word."""
    return name, ANY if TOPIC_PLACE.get(name, 0) else word


@lru_cache(maxsize=1 << 14)
def functor_name(term: clingo.Symbol) -> str:
    """The word that begins a term; ANY for one that begins with none, as a number, a text, a hex."""
    return term.name if term.type == clingo.SymbolType.Function else ANY


def key_matches(key: TriggerKey, given: Collection[TriggerKey], names: Collection[str]) -> bool:
    """Whether one of the atoms that gave these keys, of predicates with these names, may be of this key."""
    name, word = key
    return name in names if word == ANY else key in given or (name, ANY) in given


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
                for one in words if word == ANY else (word, ANY):
                    if one in words and (name, one) not in met:
                        met.add((name, one))
                        for number in self._waiting[name, one]:
                            missing[number] -= 1
                            if not missing[number]:
                                fires.append(number)
        return tuple(rule for rule, count in zip(self.rules, missing, strict=True) if not count)
