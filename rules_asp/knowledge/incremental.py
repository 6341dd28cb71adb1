"""What a change of a board's facts can bear on: the rules whose heads rest on it, however indirectly.

All else that a board says stays as it was. This is so whatever the rules join, near hexes or distant ones:
it follows from what each rule reads and gives, and nothing need be declared for it.
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
    """The nodes that a change bears on; of a predicate those of all topics, or of some."""

    nodes: frozenset[Signature]

    @cached_property
    def predicates(self) -> frozenset[_Predicate]:
        """The predicates of which some atoms are touched."""
        return frozenset((node.name, node.arity) for node in self.nodes)

    @cached_property
    def wholly(self) -> frozenset[_Predicate]:
        """Those of which all are."""
        return frozenset((node.name, node.arity) for node in self.nodes if _is_any(node))

    @cached_property
    def topics(self) -> frozenset[tuple[str, int, str]]:
        """Predicates, each with the name of a topic of which the atoms are touched."""
        return frozenset(
            (node.name, node.arity, node.topic[0]) for node in self.nodes if node.topic is not None
        )

    def meets(self, node: Signature) -> bool:
        """Whether some atom of this node may be touched."""
        predicate = node.name, node.arity
        if node.topic is None or _is_any(node):
            return predicate in self.predicates
        return predicate in self.wholly or (*predicate, node.topic[0]) in self.topics

    def has(self, atom: clingo.Symbol) -> bool:
        """Whether this atom is touched."""
        arguments = atom.arguments
        predicate = atom.name, len(arguments)
        if predicate not in self.predicates:
            return False
        if predicate in self.wholly:
            return True
        return (*predicate, functor_name(arguments[calculus().key_place[atom.name]])) in self.topics


@dataclass(frozen=True)
class IncrementalPlan:
    """The rules that are to be solved anew, what they derive, and what they read besides.

    `share` is how many they are, of all that the board gives occasion to.
    """

    rules: ProgramText
    share: float
    touched: AffectedSignatures
    read: frozenset[Signature]


def affected_by(
    rules: Sequence[Rule], changed: Iterable[_Predicate]
) -> tuple[AffectedSignatures, list[Rule]]:
    """What facts of these predicates bear on by these rules, and all rules that derive some of it."""
    touched = AffectedSignatures(frozenset(Signature(*predicate) for predicate in changed))
    left = list(rules)
    chosen: list[Rule] = []
    while True:
        # Who derives something that is touched is solved anew, with all that it derives.
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
    """Whether it is of no topic, or of any."""
    return node.topic is None or not node.topic[0][:1].islower()


def below_patches(answer: AnswerSet, touched: AffectedSignatures) -> AnswerSet:
    """An answer without those renewed parts of which all will be touched: what they say counts no more."""
    if not isinstance(answer, PatchedAnswerSet):
        return answer
    before = below_patches(answer.before, touched)
    if answer.touched.nodes <= touched.nodes:
        return before
    return answer if before is answer.before else replace(answer, before=before)


@dataclass(frozen=True, kw_only=True)
class PatchedAnswerSet(AnswerSet):
    """An answer of which a part was solved anew: `before` is the one before, `touched` the part.

    `symbols` are those of the program that was solved, which are not all; `every` are.
    """

    before: AnswerSet
    touched: AffectedSignatures

    @property
    def depth(self) -> int:
        """So many changes lie one upon the other."""
        return 1 + (self.before.depth if isinstance(self.before, PatchedAnswerSet) else 0)

    @cached_property
    def all_atoms(self) -> tuple[clingo.Symbol, ...]:
        """All atoms."""
        return (*self._kept(self.before.all_atoms), *filter(self.touched.has, self.symbols))

    def holds(self, symbol: clingo.Symbol) -> bool:
        """Whether an atom is true here."""
        return (self._now if self.touched.has(symbol) else self.before).holds(symbol)

    def own_atoms(self, name: str, arity: int) -> Sequence[clingo.Symbol]:
        """The atoms of one predicate: as with one program, nothing comes from elsewhere."""
        if (name, arity) not in self.touched.predicates:
            return self.before.own_atoms(name, arity)
        now = self._now.own_atoms(name, arity)
        if (name, arity) in self.touched.wholly:
            return now
        return [*self._kept(self.before.own_atoms(name, arity)), *filter(self.touched.has, now)]

    def atoms_about(self, name: str, arity: int, topic: str) -> Sequence[clingo.Symbol]:
        """Those of them whose topic begins with this word."""
        if (name, arity) not in self.touched.predicates:
            return self.before.atoms_about(name, arity, topic)
        now = self._now.atoms_about(name, arity, topic)
        if (name, arity) in self.touched.wholly:
            return now
        before = self._kept(self.before.atoms_about(name, arity, topic))
        return [*before, *filter(self.touched.has, now)]

    def written(self, name: str, arity: int, topic: str | None) -> Sequence[str] | None:
        """The atoms of one predicate as text, of a topic if given; None where they are no text."""
        is_touched = (name, arity) in self.touched.predicates
        return None if is_touched else self.before.written(name, arity, topic)

    @cached_property
    def _now(self) -> AnswerSet:
        """The answer of what was solved anew, alone."""
        return AnswerSet(self.symbols, self.control)

    def _kept(self, atoms: Iterable[clingo.Symbol]) -> Iterator[clingo.Symbol]:
        return (each for each in atoms if not self.touched.has(each))
