"""Which norms could give a topic a value, or allow a deed, and what they read, by the rules as written.

Where nothing gives a value, these are the norms that could, if the board were another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import clingo

from rules_asp.knowledge.forms import ANY, split_arguments
from rules_asp.knowledge.source import Functor, Rule, Signature

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

    def of_notion(self, node: Signature) -> tuple[str, ...]:
        """The norms under which a notion of kb/ is derived."""
        return tuple(dict.fromkeys(each.norm or "" for each in self.rules_of(node)))

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
