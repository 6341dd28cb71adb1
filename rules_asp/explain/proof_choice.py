"""The choice of one support among several: order, height, sections in force."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import clingo

from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.catalogue import section_of
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.knowledge.support import Support, SupportFinder
from rules_asp.positions.position import Position

_STRING = clingo.SymbolType.String


class SectionsInForce:
    """The sections in force in a case of a board."""

    def __init__(self, program: Program, case: AnswerSet) -> None:
        self._norms = program.norms
        there = {str(section) for (section,) in case.get("section", 1)}
        self._away = frozenset(program.vocabulary.words["section"]) - there

    def holds(self, norm: str) -> bool:
        """Test whether a norm is in force."""
        known = self._norms.get(norm)
        return known is None or section_of(known.paragraph).lower() not in self._away

    def has(self, way: Support) -> bool:
        """Test whether a support uses only norms in force, also in the precedence that it reads."""
        if way.rule.norm is not None and not self.holds(way.rule.norm):
            return False
        if not any(node.name == "wins" for node in way.rule.body):
            return True
        ranks = (atom for atom in way.body if atom.name == "wins")
        texts = (part.string for atom in ranks for part in atom.arguments if part.type == _STRING)
        return all(map(self.holds, texts))


# --- The choice criteria of kb/proof_choice.lp, used only here.


class SupportOrder:
    """The order of supports of equal height, the preferred first."""

    def __init__(self, program: Program) -> None:
        choice = program.proof_choice
        self._ranks = choice.norm_ranks
        self._places = choice.norm_places
        self._criteria = choice.criteria

    def sorted(self, supports: Iterable[Support]) -> list[Support]:
        """Return the supports of an atom in this order."""
        return self._ordered(list(supports), 0)

    def _ordered(self, supports: list[Support], number: int) -> list[Support]:
        """Return supports by the criteria from this number on; each orders only equals."""
        if len(supports) < 2 or number == len(self._criteria):
            return supports
        groups: dict[Any, list[Support]] = {}
        for each in supports:
            groups.setdefault(self._value(each, self._criteria[number]), []).append(each)
        equals = (groups[value] for value in sorted(groups))
        return [each for several in equals for each in self._ordered(several, number + 1)]

    def _value(self, support: Support, criterion: str) -> Hashable:
        """Return the value of a support for a criterion."""
        match criterion:
            case "norm":
                return self._ranks[support.rule.norm or ""]
            case "rule":
                return support.number, support.part
            case "premises":
                return self._premises(support)
            case "terms":
                return support.body, support.absent
        raise ValueError(criterion)

    def _premises(self, support: Support) -> tuple[int, ...]:
        """Return the ranks of the norms in the premises."""
        named = (atom.arguments[self._places.get(atom.name, 0) :][:1] for atom in support.body)
        texts = (one.string for each in named for one in each if one.type == _STRING)
        return tuple(self._ranks.get(text, len(self._ranks)) for text in texts)


class SupportSearch:
    """A search for supports of atoms, in the static program of a board or in the query program."""

    def __init__(self, position: Position, answer: AnswerSet) -> None:
        program = position.program
        self.later_signatures = program.later
        self.case = position.cases[answer.static_case]
        self.static = position.reasons[answer.static_case]
        self.static.look_ahead()
        #: The supports in the query program; the static ones if there is no question.
        self.later = self.static if answer is self.case else SupportFinder(program.twins, answer)
        self._force, self._order = SectionsInForce(program, self.case), SupportOrder(program)

    def extend(
        self,
        known: Mapping[clingo.Symbol, Sequence[Support]],
        goals: Iterable[clingo.Symbol],
    ) -> dict[clingo.Symbol, Sequence[Support]]:
        """Return the known supports, extended by those of the goals and their premises, preferred
        first.

        It leaves out supports by norms that are not in force, and precedence over such norms.
        """
        no_premise = calculus().listed("no_premise")
        found = dict(known)
        level = [each for each in dict.fromkeys(goals) if each not in found]
        while level:
            found |= {atom: () for atom in level if atom.name in no_premise}
            level = [each for each in level if each not in found]
            supports = self.static.supports_of(each for each in level if self.case.holds(each))
            supports |= self.later.supports_of(each for each in level if each not in supports)
            for atom, several in supports.items():
                found[atom] = self._order.sorted(filter(self._force.has, several))
            below = (each for atom in level for one in found[atom] for each in one.body)
            level = [each for each in dict.fromkeys(below) if each not in found]
        return found


def least_height_supports(
    supports: Mapping[clingo.Symbol, Sequence[Support]],
) -> dict[clingo.Symbol, Support]:
    """Return for each atom the first support of minimal height; such proofs have no cycles."""
    options = [(atom, way) for atom, ways in supports.items() for way in ways if not way.part]
    bodies = [frozenset(way.body) for _, way in options]
    missing = list(map(len, bodies))
    read_by: dict[clingo.Symbol, list[int]] = {}
    for number, body in enumerate(bodies):
        for each in body:
            read_by.setdefault(each, []).append(number)
    chosen: dict[clingo.Symbol, Support] = {}
    ready = [number for number, count in enumerate(missing) if not count]
    reached = [each for each in read_by if not supports.get(each)]
    while ready or reached:
        for each in reached:
            for number in read_by.get(each, ()):
                missing[number] -= 1
                if not missing[number]:
                    ready.append(number)
        reached = []
        for number in sorted(ready):
            atom, way = options[number]
            if atom not in chosen:
                chosen[atom] = way
                reached.append(atom)
        ready = []
    return chosen
