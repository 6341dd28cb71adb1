"""Which norms are in force on a board: those of its sections, and the general rules."""

from __future__ import annotations

from collections.abc import Mapping

import clingo

from rules_asp.knowledge.book import section_of
from rules_asp.knowledge.look_ups import Support
from rules_asp.knowledge.running import AnswerSet
from rules_asp.knowledge.tags import Norm
from rules_asp.terms.lexicon import vocabulary

_STRING = clingo.SymbolType.String


class SectionsInForce:
    """What is in force where a board is as in this case of it."""

    def __init__(self, norms: Mapping[str, Norm], case: AnswerSet) -> None:
        self._norms = norms
        there = {str(section) for (section,) in case.get("section", 1)}
        self._away = frozenset(vocabulary().words["section"]) - there

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
