"""Why an answer is unknown, and what would settle it, in the words that kb/reasons.lp has for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import clingo

from rules_asp.knowledge.running import Answer
from rules_asp.parser.writer import given_line
from rules_asp.positions.prepared import Position
from rules_asp.positions.stating import fact
from rules_asp.terms.board import Perhaps
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


def hanging(
    position: Position, answers: Sequence[Answer], told: Sequence[object]
) -> tuple[Reason, ...]:
    """Why an answer is not known that differs between the cases that a board leaves open.

    `told` is what each of the answers tells. What was supposed is named, where it makes the difference
    alone, else all that was; by what the board does not state, where the rules name that.
    """
    cases = [_supposed(position, answer) for answer in answers]
    whys = {
        topic: reason(why)
        for answer in answers
        for each in (position.cases[answer.case], answer)
        for _, topic, why in each.get("silent", 3)
    }
    alone = {
        topic: None
        for (one, said), (two, other) in combinations(zip(cases, told, strict=True), 2)
        if said != other
        for topic in [_only(one, two)]
        if topic is not None
    }
    differing = (topic for case in cases for topic in case if _differs(topic, cases))
    topics = alone or dict.fromkeys(differing)
    lines = {
        fact(each.given): given_line(each.given)
        for each in position.board.statements
        if isinstance(each, Perhaps)
    }
    open_ = (
        whys.get(topic) or Reason("open_cases", (lines.get(topic) or named(topic),))
        for topic in topics
    )
    return tuple(dict.fromkeys(open_))


def _supposed(position: Position, answer: Answer) -> dict[clingo.Symbol, clingo.Symbol]:
    """What an answer supposes of what the board leaves open."""
    both = (*position.cases[answer.case].get("supposed", 2), *answer.get("supposed", 2))
    return {supposed[0]: supposed[1] for supposed in both}


def _only(
    one: Mapping[clingo.Symbol, clingo.Symbol], two: Mapping[clingo.Symbol, clingo.Symbol]
) -> clingo.Symbol | None:
    """The one thing that two cases suppose otherwise; None where there are more."""
    others = [topic for topic in {**one, **two} if one.get(topic) != two.get(topic)]
    return others[0] if len(others) == 1 else None


def _differs(topic: clingo.Symbol, cases: Iterable[Mapping[clingo.Symbol, clingo.Symbol]]) -> bool:
    return len({case.get(topic) for case in cases}) > 1


def needs(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """What would settle an answer that is unknown for these reasons."""
    return tuple(dict.fromkeys(each.need for each in reasons if each.need))
