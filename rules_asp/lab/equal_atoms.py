"""Ground atoms of two rule sets that are equal in every answer set: equal rules derive them.

Hardware verification calls this structural equivalence checking. kb/CALCULUS.md has the argument.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import clingo

from rules_asp.knowledge.instantiation import strong_components
from rules_asp.lab.generator import OTHER

#: A literal: the number of an atom, negative under `not`.
Literal = int


class WeightBody(NamedTuple):
    """A body that holds if the weights of its true literals reach a bound; weights are positive."""

    lower: int
    weights: tuple[tuple[Literal, int], ...]


#: A body: a conjunction of literals, or a weight body.
Body = tuple[Literal, ...] | WeightBody


class GroundRules(clingo.Observer):
    """The ground rules of a program, collected while clingo grounds it."""

    def __init__(self) -> None:
        """Collect nothing yet."""
        #: The bodies of each atom.
        self.bodies: dict[int, list[Body]] = defaultdict(list)
        #: The atoms that their bodies do not determine: choices, disjunctions and externals.
        self.free: set[int] = set()

    def rule(self, choice: bool, head: Sequence[int], body: Sequence[Literal]) -> None:
        """Collect a rule."""
        self._collect(choice, head, tuple(body))

    def weight_rule(
        self,
        choice: bool,
        head: Sequence[int],
        lower_bound: int,
        body: Sequence[tuple[Literal, int]],
    ) -> None:
        """Collect a rule with a weight body."""
        self._collect(choice, head, WeightBody(lower_bound, tuple(body)))

    def _collect(self, choice: bool, head: Sequence[int], body: Body) -> None:
        if choice or len(head) > 1:
            self.free.update(head)
        elif head:
            self.bodies[head[0]].append(body)

    def external(self, atom: int, value: clingo.TruthValue) -> None:
        """Collect an external atom."""
        self.free.add(atom)


def pairs_of(atoms: clingo.SymbolicAtoms, doubled: Collection[tuple[str, int]]) -> dict[int, int]:
    """Return the atoms of the second rule set, each with the atom of the same name of the first."""
    found: dict[int, int] = {}
    for name, arity in doubled:
        for atom in atoms.by_signature(name + OTHER, arity):
            twin = atoms[clingo.Function(name, atom.symbol.arguments)]
            # An atom without a number occurs in no rule.
            if twin is not None and atom.literal and twin.literal:
                found[atom.literal] = twin.literal
    return found


#: The literal that holds in every answer set.
_TRUE = 1 << 31
#: The canonical form of a body: its literals, or a bound with weighted literals.
_Form = frozenset[Literal] | tuple[int, frozenset[tuple[Literal, int]]]
#: The content of an atom's rules: a constant literal, or the forms of the bodies.
_Content = Literal | frozenset[_Form]


@dataclass
class EqualAtoms:
    """Atoms that are equal in every answer set, and atoms with the same value in all.

    - equal: the pairs, each atom of the second rule set with one of the first.
    - named: the atoms that only pairs make equal. All others, such as those of aggregates, are
      equal if their rules are.
    """

    rules: GroundRules
    equal: dict[int, int]
    named: set[int]
    _classes: dict[int, Literal] = field(default_factory=dict, init=False)
    _first: dict[frozenset[_Form], int] = field(default_factory=dict, init=False)

    @classmethod
    def among(
        cls, rules: GroundRules, pairs: Mapping[int, int], named: Iterable[int]
    ) -> EqualAtoms:
        """Return the equal atoms among these pairs.

        The rules of a pair are compared as if all pairs were equal, so that recursive rules can be.
        """
        equal = {one: other for one, other in pairs.items() if rules.free.isdisjoint((one, other))}
        found = cls(rules, equal, set(named))
        while True:
            found._remove_unequal()
            # Two atoms of equal rules may differ if they depend on their own negation.
            if not (loops := found._negative_loops()):
                return found
            found._set_apart(loops)

    @property
    def constraints(self) -> Iterator[tuple[Literal, ...]]:
        """Yield bodies that hold in no answer set."""
        for one, other in self.equal.items():
            yield (one, -other)
            yield (-one, other)
        for atom, literal in self._classes.items():
            if abs(literal) == _TRUE:
                yield (-atom if literal > 0 else atom,)

    def is_impossible(self, atom: int) -> bool:
        """Test whether an atom holds in no answer set; False if that is not known."""
        return self._literal(atom) == -_TRUE

    def _literal(self, literal: Literal) -> Literal:
        """Return the first literal of those that are equal to this one."""
        atom = abs(literal)
        found = self.equal.get(atom)
        if found is None:
            found = self._class(atom) if self._is_nameless(atom) else atom
        return found if literal > 0 else -found

    def _is_nameless(self, atom: int) -> bool:
        return atom in self.rules.bodies and atom not in self.named and atom not in self.rules.free

    def _class(self, atom: int) -> Literal:
        """Return the first literal with the rules of an atom without a name."""
        if atom not in self._classes:
            self._classes[atom] = atom  # In recursive rules an atom is equal to itself alone.
            content = self._content(atom)
            first = content if isinstance(content, int) else self._first.setdefault(content, atom)
            self._classes[atom] = first
        return self._classes[atom]

    def _content(self, atom: int) -> _Content:
        """Return the content of the rules of an atom."""
        bodies = {self._form(each) for each in self.rules.bodies.get(atom, ())}
        if frozenset() in bodies:
            return _TRUE
        return frozenset(each for each in bodies if each is not None) or -_TRUE

    def _form(self, body: Body) -> _Form | None:
        """Return the canonical form of a body; None if it never holds, empty if it always does."""
        if isinstance(body, WeightBody):
            return self._weight_form(body)
        found: set[Literal] = set()
        for each in body:
            literal = self._literal(each)
            if literal == -_TRUE or -literal in found:
                return None
            if literal != _TRUE:
                found.add(literal)
        return frozenset(found)

    def _weight_form(self, body: WeightBody) -> _Form | None:
        lower = body.lower
        weights: dict[Literal, int] = defaultdict(int)
        for each, weight in body.weights:
            literal = self._literal(each)
            if literal == _TRUE:
                lower -= weight
            elif literal != -_TRUE:
                weights[literal] += weight
        for literal in [each for each in weights if each > 0 and -each in weights]:
            # One of both holds, so the weight that they share is certain.
            shared = min(weights[literal], weights[-literal])
            lower -= shared
            weights[literal] -= shared
            weights[-literal] -= shared
        if lower <= 0:
            return frozenset()
        if sum(weights.values()) < lower:
            return None
        return lower, frozenset(each for each in weights.items() if each[1])

    def _remove_unequal(self) -> None:
        """Remove the pairs whose rules differ, and then the pairs whose rules read these."""
        readers = self._readers()
        twins = {other: one for one, other in self.equal.items()}
        todo: Collection[int] = tuple(self.equal)
        while todo:
            self._forget()
            apart = [one for one in todo if self._content(one) != self._content(self.equal[one])]
            changed = [atom for one in apart for atom in (one, self.equal.pop(one))]
            above = _reachable(changed, readers, self._is_nameless)
            todo = {twins.get(atom, atom) for atom in above} & self.equal.keys()
        self._forget()

    def _forget(self) -> None:
        """Forget all classes, since the pairs have changed."""
        self._classes.clear()
        self._first.clear()

    def _readers(self) -> Mapping[int, Sequence[int]]:
        """Return which atoms have rules that read an atom: atoms of pairs, and those without names."""
        nameless = filter(self._is_nameless, self.rules.bodies)
        found: dict[int, list[int]] = defaultdict(list)
        for reader in (*self.equal, *self.equal.values(), *nameless):
            for literal in self._literals(reader):
                found[abs(literal)].append(reader)
        return found

    def _literals(self, atom: int) -> Iterator[Literal]:
        """Yield the literals that the rules of an atom read."""
        for body in self.rules.bodies.get(atom, ()):
            if isinstance(body, WeightBody):
                yield from (literal for literal, _ in body.weights)
            else:
                yield from body

    def _negative_loops(self) -> set[int]:
        """Return the atoms of classes that depend on their own negation."""
        graph: dict[int, set[int]] = defaultdict(set)
        negative: set[tuple[int, int]] = set()
        within = {*self.equal, *self.equal.values()}
        todo = list(within)
        for atom in todo:
            mine = self._node(atom)
            for literal in self._literals(atom):
                read = abs(literal)
                if read not in within:
                    if not self._is_nameless(read):
                        continue
                    within.add(read)
                    todo.append(read)
                node = self._node(read)
                graph[mine].add(node)
                if literal < 0:
                    negative.add((mine, node))
        component = {
            node: number for number, each in enumerate(strong_components(graph)) for node in each
        }
        loops = {component[one] for one, other in negative if component[one] == component[other]}
        return {atom for atom in within if component.get(self._node(atom)) in loops}

    def _node(self, atom: int) -> int:
        """Return the first atom of the class of an atom."""
        found = abs(self._literal(atom))
        return atom if found == _TRUE else found

    def _set_apart(self, atoms: Collection[int]) -> None:
        """Let these atoms be equal to themselves alone."""
        twins = {other: one for one, other in self.equal.items()}
        for atom in atoms:
            self.equal.pop(twins.get(atom, atom), None)
        self.named.update(atoms)


def _reachable(
    start: Iterable[int], readers: Mapping[int, Iterable[int]], passing: Callable[[int], bool]
) -> set[int]:
    """Return the atoms that read these, directly or by atoms of `passing`."""
    found: set[int] = set()
    todo = list(start)
    while todo:
        for reader in readers.get(todo.pop(), ()):
            if reader not in found:
                found.add(reader)
                if passing(reader):
                    todo.append(reader)
    return found
