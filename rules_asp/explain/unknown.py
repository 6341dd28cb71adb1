"""Why an answer is unknown, and what would settle it, in the words that kb/reasons.lp has for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, takewhile

import clingo

from rules_asp.boards.facts import fact_symbol
from rules_asp.game.board import Fact, UncertainFact
from rules_asp.game.values import term_text
from rules_asp.game.vocabulary import ReasonDeclaration, vocabulary
from rules_asp.knowledge.dependencies import Producer
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.knowledge.terms import is_ground, to_symbol
from rules_asp.parser.input_syntax import TRAITS, fact_line
from rules_asp.parser.writer import given_line
from rules_asp.positions.position import Position

#: What stands between the words of a name, by its kind; a hyphen where no kind is named here.
_BETWEEN = {"topic": "_"}
#: The atoms by which rules read the value of a topic.
_VALUED = frozenset(("is", "total", "value", "valued"))
#: The reason that a thing hangs on another that is not known.
_HANGS = ("of", 1)


@dataclass(frozen=True)
class Reason:
    """Why something is not known: a reason that kb/reasons.lp declares.

    `about` are its arguments as people write them; as a text the reason tells its sense.
    """

    name: str
    about: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self._told(self._declared.meaning) if self._declared else self.form.replace("_", " ")

    @property
    def need(self) -> str:
        """What would settle it; empty where nothing can be named."""
        return self._told(self._declared.need) if self._declared else ""

    @property
    def form(self) -> str:
        """Its name and what it is about, in short: `not_given(B24.11)`."""
        return f"{self.name}({', '.join(self.about)})" if self.about else self.name

    @property
    def _declared(self) -> ReasonDeclaration | None:
        found = vocabulary().reasons.get(self.name)
        return found if found and len(found.kinds) == len(self.about) else None

    def _told(self, text: str) -> str:
        return text.format(self.name, *self.about)


def parse_reason(why: clingo.Symbol) -> Reason:
    """The reason that stands in an atom of silent or unknown."""
    if why.type != clingo.SymbolType.Function:
        return Reason(term_text(why))
    declared = vocabulary().reasons.get(why.name)
    kinds = declared.kinds if declared else ()
    if len(kinds) != len(why.arguments):
        kinds = ("",) * len(why.arguments)
    return Reason(why.name, tuple(map(_said, why.arguments, kinds)))


def _said(symbol: clingo.Symbol, kind: str) -> str:
    if kind == "input":
        return fact_line(symbol.name, list(map(term_text, symbol.arguments)))
    word = term_text(symbol)
    is_word = symbol.type == clingo.SymbolType.Function and word == symbol.name
    return word.replace("_", _BETWEEN.get(kind, "-")) if is_word else word


def _line(given: Fact) -> str:
    """What the board says for a fact; of a trait of a unit the unit's line."""
    if given.name in TRAITS:
        return fact_line(given.name, list(map(term_text, fact_symbol(given).arguments)))
    return given_line(given)


class UnknownReasons:
    """Why things are unknown in an answer to a question about a position: what is missing at last.

    What hangs on something else that is unknown is told by what that hangs on, down to what the board
    does not say, or a rule that is not given.
    """

    def __init__(self, position: Position, answer: AnswerSet) -> None:
        self._position = position
        self._layers = (answer, position.cases[answer.static_case])

    def of(self, topic: clingo.Symbol) -> tuple[Reason, ...]:
        """Why a topic, a deed or a sight is unknown; empty where nothing is unknown about it."""
        return self._told(self._unknown.get(topic, ()), {topic})

    def behind(self, why: clingo.Symbol) -> tuple[Reason, ...]:
        """What is missing at last where a thing is unknown for this reason."""
        return self._told((why,), set())

    def missing(self, topic: clingo.Symbol) -> tuple[Reason, ...]:
        """What is missing at last for a topic that has no value."""
        return self._below(topic, set())

    def matching(self, fits: Callable[[clingo.Symbol], bool]) -> tuple[Reason, ...]:
        """Why those topics of the answer itself are unknown that fit."""
        found: dict[Reason, None] = {}
        for topic, why in sorted(self._layers[0].get("unknown", 2)):
            if fits(topic):
                found |= dict.fromkeys(self._told((why,), {topic}))
        return tuple(found)

    def assumed(self, topic: clingo.Symbol) -> tuple[Reason, ...]:
        """Why something is left open that could be one of a few things; of norms, that they clash."""
        if (topic.name, len(topic.arguments)) == ("clash", 2):
            return (parse_reason(topic),)
        silent = _by_topic(
            (about, why) for each in self._layers for _, about, why in each.get("silent", 3)
        )
        told = self._told(silent.get(topic, ()), {topic})
        return told or (Reason("open_cases", (self._lines.get(topic) or term_text(topic),)),)

    @cached_property
    def _lines(self) -> Mapping[clingo.Symbol, str]:
        """What the board says that may be so, as it says it."""
        return {
            fact_symbol(each.given): _line(each.given)
            for each in self._position.board.statements
            if isinstance(each, UncertainFact)
        }

    @cached_property
    def _unknown(self) -> Mapping[clingo.Symbol, Sequence[clingo.Symbol]]:
        return _by_topic(pair for each in self._layers for pair in each.get("unknown", 2))

    def _told(
        self, reasons: Iterable[clingo.Symbol], above: set[clingo.Symbol]
    ) -> tuple[Reason, ...]:
        """The last reasons below these; `above` is what has been looked at on the way."""
        found: dict[Reason, None] = {}
        for why in reasons:
            if why.type != clingo.SymbolType.Function or (why.name, len(why.arguments)) != _HANGS:
                found[parse_reason(why)] = None
                continue
            found |= dict.fromkeys(self._below(why.arguments[0], above))
        return tuple(found)

    def _below(self, topic: clingo.Symbol, above: set[clingo.Symbol]) -> tuple[Reason, ...]:
        """What is missing at last for a topic that something hangs on."""
        if topic in above:
            return ()
        above.add(topic)
        below = self._unknown.get(topic) or self._unknown.get(_turned(topic))
        if below:
            return self._told(below, above)
        found: dict[Reason, None] = {}
        for giver in self._position.program.givers.producers_of(topic):
            found |= dict.fromkeys(self._wanting(giver, above))
        return tuple(found) or (Reason("valueless", (term_text(topic),)),)

    def _wanting(self, giver: Producer, above: set[clingo.Symbol]) -> tuple[Reason, ...]:
        """What a norm would have to read to give its value; none where it is not on that alone."""
        found: dict[Reason, None] = {}
        for atom in giver.reads:
            name, parts = atom
            known = [to_symbol(each) for each in takewhile(is_ground, parts)]
            if name in vocabulary().inputs and 0 < len(known) < len(parts):
                if not any(self._stated(name, known, len(parts))):
                    line = fact_line(name, list(map(term_text, known)))
                    found[Reason("not_stated", (line,))] = None
            elif name in _VALUED and known:
                if not any(known[0] in each.values for each in self._layers):
                    found |= dict.fromkeys(self._below(known[0], above))
            elif len(known) == len(parts):
                symbol = to_symbol(atom)
                if not any(each.holds(symbol) for each in self._layers):
                    return ()
        return tuple(found)

    def _stated(
        self, name: str, known: Sequence[clingo.Symbol], arity: int
    ) -> Iterator[clingo.Symbol]:
        """What the board says that begins so."""
        for each in self._position.board_facts.named(name):
            if len(each.arguments) == arity and each.arguments[: len(known)] == list(known):
                yield each


def _turned(topic: clingo.Symbol) -> clingo.Symbol:
    """The same line of sight from its other end, from which it may be looked along; others as they are."""
    if (topic.name, len(topic.arguments)) != ("s", 2):
        return topic
    return clingo.Function("s", topic.arguments[::-1])


def _by_topic(
    pairs: Iterable[tuple[clingo.Symbol, ...]],
) -> dict[clingo.Symbol, list[clingo.Symbol]]:
    """Reasons by their topics, in an order that is not clingo's."""
    found: dict[clingo.Symbol, set[clingo.Symbol]] = {}
    for topic, why in pairs:
        found.setdefault(topic, set()).add(why)
    return {topic: sorted(reasons) for topic, reasons in found.items()}


def differing_assumptions(
    position: Position, answers: Sequence[AnswerSet], told: Sequence[object]
) -> tuple[Reason, ...]:
    """What the board leaves open and these answers differ by, each of which tells something else.

    Of several things those that alone make a difference; all, where none does alone.
    """
    supposed = [_supposed(position, answer) for answer in answers]
    topics = sorted({topic for each in supposed for topic in each})
    turning = {
        topic
        for one, two in combinations(range(len(answers)), 2)
        if told[one] != told[two]
        for topic in topics
        if {each for each in topics if supposed[one].get(each) != supposed[two].get(each)}
        == {topic}
    }
    doubts = UnknownReasons(position, answers[0])
    found = (
        why for topic in topics if topic in turning or not turning for why in doubts.assumed(topic)
    )
    return tuple(dict.fromkeys(found))


def _supposed(position: Position, answer: AnswerSet) -> dict[clingo.Symbol, clingo.Symbol]:
    layers = (answer, position.cases[answer.static_case])
    return {topic: value for each in layers for topic, value in each.get("supposed", 2)}


def what_would_settle(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """What would settle an answer that is unknown for these reasons."""
    return tuple(dict.fromkeys(each.need for each in reasons if each.need))
