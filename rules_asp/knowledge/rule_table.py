"""The rule table: rules as text, with columns and indexes, read on demand.

Choosing the rules of a question needs no rule trees: reading the columns takes a hundredth of the
time.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any, TypeVar, overload

from rules_asp.knowledge.dependencies import (
    Reachability,
    Trigger,
    TriggerKey,
    key_of_atom,
    relevant_rules,
)
from rules_asp.knowledge.rules import Rule, Signature, make_rule, rule_text, signature_of_term
from rules_asp.knowledge.terms import Lit, is_positive, name_anonymous, pack, unpack

_Entry = TypeVar("_Entry")


@dataclass(frozen=True)
class RuleTable:
    """Rules as columns, with one line for each rule, in order.

    `heads`, `body` and `against` are numbers of `nodes`; `needs` and `gives` are numbers of `keys`.
    Nodes and keys are also lines. `against` are the nodes that a rule reads otherwise than as an
    atom that must hold: under `not`, in an aggregate, in a condition. `text` lacks the atoms under
    `not` and the full stop; `unless` has these atoms, each with the number of its key.
    """

    text: str
    unless: str
    heads: str
    body: str
    against: str
    needs: str
    gives: str
    nodes: str
    keys: str

    @staticmethod
    def of(
        rules: Sequence[Rule],
        occasions: Mapping[str, Trigger],
        measured: Collection[Signature] = (),
    ) -> RuleTable:
        """Return the table of these rules. `occasions` has the trigger of each rule text.

        In atoms of the `measured` nodes, the table names anonymous variables.
        """
        nodes: dict[Signature, int] = {}
        keys: dict[TriggerKey, int] = {}
        triggers = [occasions[rule.text] for rule in rules]
        heads = _column(nodes, (rule.heads for rule in rules))
        body = _column(nodes, (rule.body for rule in rules))
        against = _column(nodes, map(_read_against, rules))
        needs = _column(keys, (sorted(each.needs) for each in triggers))
        gives = _column(keys, (sorted(each.gives) for each in triggers))
        texts = "\n".join(_without_negated(rule, measured) for rule in rules)
        unless = "\n".join(
            _line([(keys.setdefault(key_of_atom(each.atom), len(keys)), str(each)) for each in no])
            if (no := _negated(rule))
            else ""
            for rule in rules
        )
        lines = "\n".join(map(_line, nodes)), "\n".join(map("\t".join, keys))
        return RuleTable(texts, unless, heads, body, against, needs, gives, *lines)

    def written(self, places: Iterable[int], met: Collection[TriggerKey]) -> Iterator[str]:
        """Yield some of the rules as text for clingo, without `not` before what cannot hold.

        `met` are the keys of the atoms that can hold. clingo would make a term for each atom under
        `not` and for each instance of the rule.
        """
        for place in places:
            text = self._texts[place]
            for key, literal in self._negated_in(place):
                if self._keys[key] in met:
                    text += f"{'; ' if ' :- ' in text else ' :- '}{literal}"
            yield f"{text}."

    def _negated_in(self, place: int) -> Iterator[tuple[int, str]]:
        unless = self._unless[place]
        yield from json.loads(unless) if unless else ()

    @cached_property
    def _texts(self) -> Sequence[str]:
        return _lines(self.text)

    @cached_property
    def _unless(self) -> Sequence[str]:
        return self.unless.split("\n")

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

    def relevant(
        self, wanted: Iterable[Signature], among: Container[int] | None = None
    ) -> list[int]:
        """Return the indexes of the rules relevant to the wanted nodes, in order; `among` as in
        `relevant_rules`."""
        numbers = self._numbers
        known = (numbers.get(_line(node)) for node in wanted)
        heads, body = self._heads, self._body
        return relevant_rules(
            lambda place: (*heads[place].split(), *body[place].split()),
            self._by_head,
            [number for number in known if number is not None],
            among=among,
        )

    def relevant_without_sums(self, wanted: Sequence[Signature]) -> list[int]:
        """Return the same without the rules with an aggregate.

        These rules derive only what all rules derive. So a rule is left out too if it reads, under
        `not` or in a condition, a node that lacks some of its atoms.
        """
        places = self.relevant(wanted)
        texts, heads, body, against = self._texts, self._heads, self._body, self._against
        left = {place for place in places if "{" not in texts[place]}
        lacking: set[str] = set()
        before = None
        while before != (before := (len(left), len(lacking))):
            for place in places:
                if not lacking.isdisjoint(against[place].split()):
                    left.discard(place)
                if place not in left or not lacking.isdisjoint(body[place].split()):
                    lacking.update(heads[place].split())
        return self.relevant(wanted, left)

    def reachability(self, places: Sequence[int]) -> Reachability[int]:
        """Return some of the rules as a fixpoint over trigger keys."""
        negated = (self._keys[key] for place in places for key, _ in self._negated_in(place))
        return Reachability.of(places, tuple(map(self._trigger, places)), negated)

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
    def _against(self) -> Sequence[str]:
        return self.against.split("\n")

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


def _negated(rule: Rule) -> list[Lit]:
    """Return the atoms under `not`."""
    return [each for each in rule.literals if isinstance(each, Lit) and each.sign == "not "]


def _without_negated(rule: Rule, measured: Collection[Signature]) -> str:
    """Return a rule as text without the atoms under `not` and the full stop.

    Each anonymous variable in an atom of the `measured` nodes has a name: clingo copies all atoms of
    a predicate without the arguments that are anonymous. A question has a hundred thousand measured
    facts, and most stay as many without these arguments.
    """
    numbers, negated = count(), _negated(rule)
    literals = [
        name_anonymous(each, numbers)
        if is_positive(each) and signature_of_term(each.atom) in measured
        else each
        for each in rule.literals
        if each not in negated
    ]
    return rule_text(rule.top, literals).removesuffix(".")


def _read_against(rule: Rule) -> Iterator[Signature]:
    plain = frozenset(map(signature_of_term, rule.atoms))
    yield from rule.negative
    yield from (node for node in rule.positive if node not in plain)


def _row(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _column(numbers: dict[_Entry, int], rows: Iterable[Iterable[_Entry]]) -> str:
    """Return a column of numbers; a new entry gets the next number."""
    return "\n".join(_row(numbers.setdefault(each, len(numbers)) for each in row) for row in rows)
