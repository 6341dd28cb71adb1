"""The rule table: rules as text, with columns and indexes, read on demand.

Choosing the rules of a question needs no rule trees: reading the columns takes a hundredth of the
time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, overload

from rules_asp.knowledge.dependencies import Reachability, Trigger, TriggerKey, relevant_rules
from rules_asp.knowledge.rules import Rule, Signature, make_rule
from rules_asp.knowledge.terms import pack, unpack

_Entry = TypeVar("_Entry")


@dataclass(frozen=True)
class RuleTable:
    """Rules as columns, with one line for each rule, in order.

    `heads` and `body` are numbers of `nodes`; `needs` and `gives` are numbers of `keys`. Nodes and
    keys are also lines.
    """

    text: str
    heads: str
    body: str
    needs: str
    gives: str
    nodes: str
    keys: str

    @staticmethod
    def of(rules: Sequence[Rule], occasions: Mapping[str, Trigger]) -> RuleTable:
        """Return the table of these rules; `occasions` maps rule texts to triggers."""
        nodes: dict[Signature, int] = {}
        keys: dict[TriggerKey, int] = {}
        triggers = [occasions[rule.text] for rule in rules]
        heads = _column(nodes, (rule.heads for rule in rules))
        body = _column(nodes, (rule.body for rule in rules))
        needs = _column(keys, (sorted(each.needs) for each in triggers))
        gives = _column(keys, (sorted(each.gives) for each in triggers))
        texts = "\n".join(rule.text for rule in rules)
        lines = "\n".join(map(_line, nodes)), "\n".join(map("\t".join, keys))
        return RuleTable(texts, heads, body, needs, gives, *lines)

    @cached_property
    def texts(self) -> Sequence[str]:
        """The rules as clingo prints them."""
        return _lines(self.text)

    @cached_property
    def derived(self) -> frozenset[Signature]:
        """The nodes that the rules derive."""
        return frozenset(map(self._node, frozenset(self.heads.split())))

    def read(self, places: Iterable[int]) -> frozenset[Signature]:
        """Return the nodes that some of the rules read."""
        numbers = {number for place in places for number in self._body[place].split()}
        return frozenset(map(self._node, numbers))

    def derived_by(self, places: Iterable[int]) -> frozenset[Signature]:
        """Return the nodes that some of the rules derive."""
        numbers = {number for place in places for number in self._heads[place].split()}
        return frozenset(map(self._node, numbers))

    def relevant(self, wanted: Iterable[Signature]) -> list[int]:
        """Return the indexes of the rules relevant to the wanted nodes, in order."""
        numbers = self._numbers
        known = (numbers.get(_line(node)) for node in wanted)
        heads, body = self._heads, self._body
        return relevant_rules(
            lambda place: (*heads[place].split(), *body[place].split()),
            self._by_head,
            [number for number in known if number is not None],
        )

    def reachability(self, places: Sequence[int]) -> Reachability[int]:
        """Return some of the rules as a fixpoint over trigger keys."""
        return Reachability.of(places, tuple(map(self._trigger, places)))

    def _trigger(self, place: int) -> Trigger:
        """Return the trigger of a rule; most rules are relevant to many questions."""
        found = self._triggers.get(place)
        if found is None:
            keys = self._keys
            lines = self._needs[place], self._gives[place]
            found = Trigger(*(frozenset(keys[int(key)] for key in each.split()) for each in lines))
            self._triggers[place] = found
        return found

    @cached_property
    def _triggers(self) -> dict[int, Trigger]:
        """A cache of triggers by the index of the rule."""
        return {}

    # The numbers stay text: most are never read.

    @cached_property
    def _needs(self) -> Sequence[str]:
        return self.needs.split("\n")

    @cached_property
    def _gives(self) -> Sequence[str]:
        return self.gives.split("\n")

    @cached_property
    def _heads(self) -> Sequence[str]:
        return self.heads.split("\n")

    @cached_property
    def _body(self) -> Sequence[str]:
        return self.body.split("\n")

    @cached_property
    def _by_head(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for place, heads in enumerate(self._heads):
            for number in heads.split():
                found.setdefault(number, []).append(place)
        return found

    @cached_property
    def _node_lines(self) -> Sequence[str]:
        return _lines(self.nodes)

    @cached_property
    def _numbers(self) -> Mapping[str, str]:
        return {line: str(number) for number, line in enumerate(self._node_lines)}

    @cached_property
    def _keys(self) -> Sequence[TriggerKey]:
        return [
            (name, word) for name, _, word in (each.partition("\t") for each in _lines(self.keys))
        ]

    def _node(self, number: str) -> Signature:
        name, arity, topic = json.loads(self._node_lines[int(number)])
        return Signature(name, arity, None if topic is None else (topic[0], topic[1]))


@dataclass(frozen=True)
class TextIndex:
    """An index of numbers by key, as one line of text for each key; a key is parsed on access."""

    text: str

    @staticmethod
    def of(found: Mapping[Any, Iterable[int]]) -> TextIndex:
        """Return the index of these numbers by keys of words and numbers."""
        return TextIndex("\n".join(f"{_line(key)}\t{_row(found[key])}" for key in found))

    def get(self, key: object) -> tuple[int, ...]:
        """Return the numbers of a key; empty for a missing key."""
        return tuple(map(int, self._rows.get(_line(key), "").split()))

    def values(self) -> Iterator[tuple[int, ...]]:
        """Yield the numbers of each key."""
        return (tuple(map(int, row.split())) for row in self._rows.values())

    @cached_property
    def _rows(self) -> Mapping[str, str]:
        return dict(line.split("\t") for line in _lines(self.text))


class StoredRules(Sequence[Rule]):
    """Rules as text, one line each; a rule is parsed on access."""

    def __init__(self, text: str) -> None:
        self._written = _lines(text)
        self._read: dict[int, Rule] = {}

    @staticmethod
    def text_of(rules: Iterable[Rule]) -> str:
        """Return rules as text."""
        return "\n".join(
            _line([each.file, each.line, each.norm, pack(each.top), pack(each.literals)])
            for each in rules
        )

    @overload
    def __getitem__(self, place: int) -> Rule: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Rule]: ...

    def __getitem__(self, place: int | slice) -> Rule | Sequence[Rule]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if place not in self._read:
            file, line, norm, top, literals = json.loads(self._written[place])
            self._read[place] = make_rule(unpack(top), unpack(literals), file, line, norm)
        return self._read[place]

    def __len__(self) -> int:
        return len(self._written)


def _line(entry: object) -> str:
    return json.dumps(entry, separators=(",", ":"))


def _lines(column: str) -> list[str]:
    return column.split("\n") if column else []


def _row(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _column(numbers: dict[_Entry, int], rows: Iterable[Iterable[_Entry]]) -> str:
    """Return a column of numbers; a new entry gets the next number."""
    return "\n".join(_row(numbers.setdefault(each, len(numbers)) for each in row) for row in rows)
