"""Which support is chosen among several: order, height, sections in force."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import clingo

from rules_asp.knowledge.catalogue import section_of
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.knowledge.support import Support, SupportFinder

# --- Which norms are in force on a board: those of its sections, and the general rules.


_STRING = clingo.SymbolType.String


class SectionsInForce:
    """What is in force where a board is as in this case of it."""

    def __init__(self, program: Program, case: AnswerSet) -> None:
        self._norms = program.norms
        there = {str(section) for (section,) in case.get("section", 1)}
        self._away = frozenset(program.vocabulary.words["section"]) - there

    def holds(self, norm: str) -> bool:
        """Whether a norm is in force."""
        known = self._norms.get(norm)
        return known is None or section_of(known.paragraph).lower() not in self._away

    def has(self, way: Support) -> bool:
        """Whether an atom may be said to follow in a way: by norms in force, and over none that is not."""
        if way.rule.norm is not None and not self.holds(way.rule.norm):
            return False
        ranks = (atom for atom in way.body if atom.name == "wins")
        texts = (part.string for atom in ranks for part in atom.arguments if part.type == _STRING)
        return all(map(self.holds, texts))


# --- Of the ways in which atoms of an answer follow, one for each: a proof of least height.


#: What saves a search, or brings up what is to be looked at, and is no reason: that a norm is in some
#: ranking, whichever, and that it is asked whether two Locations are ADJACENT.
_NO_REASONS = frozenset(("ranked", "asked_adjacent"))


def collect_supports(
    case: AnswerSet,
    static: SupportFinder,
    later: SupportFinder,
    force: SectionsInForce,
    goals: Iterable[clingo.Symbol],
    known: Mapping[clingo.Symbol, Sequence[Support]],
) -> dict[clingo.Symbol, Sequence[Support]]:
    """All ways in which these atoms, and what these ways rest on, hold; those that are known apart.

    Left out are ways by norms that are not in force, such as who wins over one of them.
    """
    found: dict[clingo.Symbol, Sequence[Support]] = {}
    level = [each for each in dict.fromkeys(goals) if each not in known]
    while level:
        found |= {atom: () for atom in level if atom.name in _NO_REASONS}
        level = [each for each in level if each not in found]
        ways = static.supports_of(atom for atom in level if case.holds(atom))
        ways |= later.supports_of(each for each in level if each not in ways)
        found |= {atom: tuple(filter(force.has, several)) for atom, several in ways.items()}
        below = (each for atom in level for way in found[atom] for each in way.body)
        new = dict.fromkeys(below)
        level = [each for each in new if each not in found and each not in known]
    return found


def least_height_supports(
    supports: Mapping[clingo.Symbol, Sequence[Support]],
) -> dict[clingo.Symbol, Support]:
    """For each atom its support of least height, the first of these, so that no proof runs in a circle."""
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
