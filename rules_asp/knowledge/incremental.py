"""Change impact: the rules whose heads depend, directly or not, on changed facts of a board.

Everything else about the board stays the same. This holds for any rules, about near or distant
hexes: it follows from what each rule reads and derives, without declarations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import clingo

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.dependencies import functor_name
from rules_asp.knowledge.rules import Rule, Signature
from rules_asp.knowledge.solver import AnswerSet, ProgramText

#: A predicate: name and number of arguments.
_Predicate = tuple[str, int]


@dataclass(frozen=True)
class AffectedSignatures:
    """The nodes that a change affects: for a predicate, all topics or some."""

    nodes: frozenset[Signature]

    @cached_property
    def predicates(self) -> frozenset[_Predicate]:
        """The predicates with some affected atoms."""
        return frozenset((node.name, node.arity) for node in self.nodes)

    @cached_property
    def wholly(self) -> frozenset[_Predicate]:
        """The predicates with all atoms affected."""
        return frozenset((node.name, node.arity) for node in self.nodes if _is_any(node))

    @cached_property
    def topics(self) -> frozenset[tuple[str, int, str]]:
        """Predicates, each with the name of an affected topic."""
        return frozenset(
            (node.name, node.arity, node.topic[0]) for node in self.nodes if node.topic is not None
        )

    def meets(self, node: Signature) -> bool:
        """Test whether some atom of a node may be affected."""
        predicate = node.name, node.arity
        if node.topic is None or _is_any(node):
            return predicate in self.predicates
        return predicate in self.wholly or (*predicate, node.topic[0]) in self.topics

    def has(self, atom: clingo.Symbol) -> bool:
        """Test whether an atom may be affected."""
        arguments = atom.arguments
        predicate = atom.name, len(arguments)
        if predicate not in self.predicates:
            return False
        if predicate in self.wholly:
            return True
        return self.has_topic(*predicate, functor_name(arguments[calculus().key_place[atom.name]]))

    def has_topic(self, name: str, arity: int, topic: str) -> bool:
        """Test whether the atoms of a predicate whose topic begins with this word may be affected."""
        return (name, arity) in self.wholly or (name, arity, topic) in self.topics


@dataclass(frozen=True)
class IncrementalPlan:
    """The rules to solve again, the nodes that they derive, and the nodes that they read.

    `share` is their share of all rules that the board can trigger.
    """

    rules: ProgramText
    share: float
    touched: AffectedSignatures
    read: frozenset[Signature]


def affected_by(
    rules: Sequence[Rule], changed: Iterable[_Predicate]
) -> tuple[AffectedSignatures, list[Rule]]:
    """Return the nodes affected by facts of these predicates, and all rules that derive one of
    them."""
    touched = AffectedSignatures(frozenset(Signature(*predicate) for predicate in changed))
    left = list(rules)
    chosen: list[Rule] = []
    while True:
        # A rule that derives an affected node is solved again, with all its heads.
        now: list[Rule] = []
        rest: list[Rule] = []
        for rule in left:
            is_met = any(map(touched.meets, (*rule.heads, *rule.body)))
            (now if is_met else rest).append(rule)
        if not now:
            break
        chosen += now
        left = rest
        heads = {node for rule in now for node in rule.heads}
        touched = AffectedSignatures(touched.nodes | heads)
    kept = {rule.text for rule in chosen}
    return touched, [rule for rule in rules if rule.text in kept]


def _is_any(node: Signature) -> bool:
    """Test whether a node has no topic, or any topic."""
    return node.topic is None or not node.topic[0][:1].islower()


def below_patches(answer: AnswerSet, touched: AffectedSignatures) -> AnswerSet:
    """Return an answer set without earlier patches that will be affected entirely."""
    if not isinstance(answer, PatchedAnswerSet):
        return answer
    before = below_patches(answer.before, touched)
    if answer.touched.nodes <= touched.nodes:
        return before
    return answer if before is answer.before else replace(answer, before=before)


@dataclass(frozen=True, kw_only=True)
class PatchedAnswerSet(AnswerSet):
    """An answer set with a part solved again: `before` is the old one, `touched` the part.

    `symbols` are those of the new part; `every` are all.
    """

    before: AnswerSet
    touched: AffectedSignatures

    @property
    def depth(self) -> int:
        """The number of stacked changes."""
        return 1 + (self.before.depth if isinstance(self.before, PatchedAnswerSet) else 0)

    @cached_property
    def all_atoms(self) -> tuple[clingo.Symbol, ...]:
        """All atoms."""
        return (*self._kept(self.before.all_atoms), *filter(self.touched.has, self.symbols))

    def holds(self, symbol: clingo.Symbol) -> bool:
        """Whether an atom is true here."""
        return (self._now if self.touched.has(symbol) else self.before).holds(symbol)

    def atoms_about(self, name: str, arity: int, topic: str) -> Sequence[clingo.Symbol]:
        """Return its atoms whose topic begins with this word."""
        # The atoms about one topic are affected together or not at all.
        now = self.touched.has_topic(name, arity, topic)
        return (self._now if now else self.before).atoms_about(name, arity, topic)

    def _of(self, name: str, arity: int) -> list[clingo.Symbol]:
        predicate = name, arity
        if predicate in self.touched.wholly:
            return list(self._now.own_atoms(name, arity))
        before = self.before.own_atoms(name, arity)
        if predicate not in self.touched.predicates:
            return list(before)
        now = filter(self.touched.has, self._now.own_atoms(name, arity))
        return [*self._kept(before), *now]

    def written(self, name: str, arity: int, topic: str | None) -> Sequence[str] | None:
        """Return the atoms of one predicate as text, of a topic if given; None if they are not
        text."""
        is_touched = (name, arity) in self.touched.predicates
        return None if is_touched else self.before.written(name, arity, topic)

    @cached_property
    def _now(self) -> AnswerSet:
        """The answer set of the new part alone."""
        return AnswerSet(self.symbols, self.control)

    def _kept(self, atoms: Iterable[clingo.Symbol]) -> Iterator[clingo.Symbol]:
        return (each for each in atoms if not self.touched.has(each))
