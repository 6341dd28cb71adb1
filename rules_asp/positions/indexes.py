"""Facts as text, indexed by the hexes that they mention, so that a question reads its part of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from rules_asp.knowledge.occasions import Key, keys

#: A hex term in fact text; the arguments of lv_hindrance(1,6) are none.
HEX_TERM = re.compile(r"(?<!\w)\(-?\d+,-?\d+\)")
#: A quoted text in fact text: a norm's id, a unit's name.
QUOTED = re.compile(r'"[^"]*"')


class LocalFacts:
    """Facts as text, with an index from the hexes that they mention."""

    def __init__(self, facts: Iterable[str]) -> None:
        self._facts = list(facts)
        self._by_hex: dict[str, list[int]] = {}
        self._nowhere: list[int] = []
        for number, fact in enumerate(self._facts):
            hexes = HEX_TERM.findall(fact)
            if not hexes:
                self._nowhere.append(number)
            for each in hexes:
                self._by_hex.setdefault(each, []).append(number)

    @cached_property
    def text(self) -> str:
        """All of them."""
        return "".join(f"{fact}\n" for fact in self._facts)

    @cached_property
    def keys(self) -> frozenset[Key]:
        """What they give rules to fire on."""
        return keys(self.text)

    def of(self, hexes: Iterable[str]) -> str:
        """Those that mention one of the hexes, or none at all."""
        numbers = set(self._nowhere).union(*(self._by_hex.get(each, ()) for each in hexes))
        return "".join(f"{self._facts[number]}\n" for number in sorted(numbers))

    def among(self, texts: frozenset[str]) -> str:
        """Those of which all texts are among these."""
        return "".join(f"{fact}\n" for fact, quoted in self._quoted if quoted <= texts)

    @cached_property
    def _quoted(self) -> list[tuple[str, frozenset[str]]]:
        return [(fact, frozenset(QUOTED.findall(fact))) for fact in self._facts]
