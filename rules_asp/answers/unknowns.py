"""Why an answer is unknown, and what would settle it, in the words that kb/reasons.lp has for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import clingo

from rules_asp.positions.prepared import Position
from rules_asp.terms.lexicon import DeclaredReason, vocabulary
from rules_asp.terms.names import named

#: What stands between the words of a name, by its kind; a hyphen where no kind is named here.
_BETWEEN = {"input": " ", "topic": "_"}


@dataclass(frozen=True)
class Reason:
    """Why something is not known: a reason that kb/reasons.lp declares.

    `about` are its arguments as people write them; as a text the reason tells its sense.
    """

    name: str
    about: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self._told(self._declared.sense) if self._declared else self.form.replace("_", " ")

    @property
    def need(self) -> str:
        """What would settle it; empty where nothing can be named."""
        return self._told(self._declared.need) if self._declared else ""

    @property
    def form(self) -> str:
        """Its name and what it is about, in short: `not_given(B24.11)`."""
        return f"{self.name}({', '.join(self.about)})" if self.about else self.name

    @property
    def _declared(self) -> DeclaredReason | None:
        found = vocabulary().reasons.get(self.name)
        return found if found and len(found.kinds) == len(self.about) else None

    def _told(self, text: str) -> str:
        return text.format(self.name, *self.about)


#: Why an answer is not known when the cases that a board leaves open differ.
OPEN = Reason("open_cases")


def reason(why: clingo.Symbol) -> Reason:
    """The reason that stands in an atom of silent or unknown."""
    if why.type != clingo.SymbolType.Function:
        return Reason(named(why))
    declared = vocabulary().reasons.get(why.name)
    kinds = declared.kinds if declared else ()
    if len(kinds) != len(why.arguments):
        kinds = ("",) * len(why.arguments)
    return Reason(why.name, tuple(map(_said, why.arguments, kinds)))


def _said(symbol: clingo.Symbol, kind: str) -> str:
    word = named(symbol)
    is_word = symbol.type == clingo.SymbolType.Function and word == symbol.name
    return word.replace("_", _BETWEEN.get(kind, "-")) if is_word else word


def needs(position: Position, reasons: Iterable[Reason]) -> tuple[str, ...]:
    """What would settle an answer that is unknown for these reasons."""
    found: dict[str, None] = {}
    for each in reasons:
        if each == OPEN:
            found.update(dict.fromkeys(_open(position)))
        elif each.need:
            found[each.need] = None
    return tuple(found)


def _open(position: Position) -> list[str]:
    """What the board leaves open and its cases suppose."""
    supposed: dict[str, dict[str, None]] = {}
    for case in position.cases:
        for topic, value in case.get("supposed", 2):
            supposed.setdefault(named(topic), {})[named(value)] = None
    return [f"{topic}: {' or '.join(values)}" for topic, values in supposed.items()]
