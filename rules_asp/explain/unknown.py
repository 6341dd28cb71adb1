"""Why an answer is unknown, and what would settle it, in the words that kb/unknown_reasons.lp has for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, takewhile

import clingo

from rules_asp.boards.facts import fact_symbol
from rules_asp.game.board import Fact, UncertainFact
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import ReasonDeclaration, Vocabulary
from rules_asp.knowledge.dependencies import Producer
from rules_asp.knowledge.rules import Norm
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.knowledge.terms import is_ground, to_symbol
from rules_asp.parser.input_syntax import TRAITS, fact_line
from rules_asp.parser.writer import given_line
from rules_asp.positions.position import Position

#: What stands between the words of a name, by its kind; a hyphen where no kind is named here.
_BETWEEN = {"topic": "_"}
#: The atoms by which rules read the value of a topic.
_VALUED = frozenset(("is", "total", "value", "has_value"))
#: The reason that a thing hangs on another that is not known.
_HANGS = ("of", 1)


@dataclass(frozen=True)
class Reason:
    """Why something is not known: a reason that kb/unknown_reasons.lp declares.

    `about` are its arguments as people write them; as a text the reason tells its sense. `norms` are those
    whose text leaves it open.
    """

    name: str
    about: tuple[str, ...] = ()
    declared: ReasonDeclaration | None = field(default=None, compare=False, repr=False)
    norms: tuple[Norm, ...] = field(default=(), compare=False, repr=False)

    def __str__(self) -> str:
        return self._told(self.declared.meaning) if self.declared else self.form.replace("_", " ")

    @property
    def need(self) -> str:
        """What would settle it; empty where nothing can be named."""
        return self._told(self.declared.need) if self.declared else ""

    @property
    def form(self) -> str:
        """Its name and what it is about, in short: `not_given(B24.11)`."""
        return f"{self.name}({', '.join(self.about)})" if self.about else self.name

    def _told(self, text: str) -> str:
        return text.format(self.name, *self.about)


def make_reason(words: Vocabulary, name: str, *about: str) -> Reason:
    """A reason with what kb/ declares of it."""
    found = words.reasons.get(name)
    return Reason(name, about, found if found and len(found.kinds) == len(about) else None)


def parse_reason(why: clingo.Symbol, notation: Notation) -> Reason:
    """The reason that stands in an atom of silent or unknown."""
    words = notation.vocabulary
    if why.type != clingo.SymbolType.Function:
        return make_reason(words, notation.term_text(why))
    declared = words.reasons.get(why.name)
    kinds = declared.kinds if declared else ()
    if len(kinds) != len(why.arguments):
        kinds = ("",) * len(why.arguments)
    about = (_said(*pair, notation) for pair in zip(why.arguments, kinds, strict=True))
    return make_reason(words, why.name, *about)


def _said(symbol: clingo.Symbol, kind: str, notation: Notation) -> str:
    if kind == "input":
        known = list(map(notation.term_text, symbol.arguments))
        return fact_line(symbol.name, known, notation.vocabulary)
    word = notation.term_text(symbol)
    is_word = symbol.type == clingo.SymbolType.Function and word == symbol.name
    return word.replace("_", _BETWEEN.get(kind, "-")) if is_word else word


def _line(given: Fact, notation: Notation) -> str:
    """What the board says for a fact; of a trait of a unit the unit's line."""
    if given.name in TRAITS:
        arguments = fact_symbol(given, notation.vocabulary).arguments
        known = list(map(notation.term_text, arguments))
        return fact_line(given.name, known, notation.vocabulary)
    return given_line(given, notation)


class UnknownReasons:
    """Why things are unknown in an answer to a question about a position: what is missing at last.

    What hangs on something else that is unknown is told by what that hangs on, down to what the board
    does not say, or a rule that is not given.
    """

    def __init__(self, position: Position, answer: AnswerSet) -> None:
        self._position = position
        self._notation = position.notation
        self._layers = (answer, position.cases[answer.static_case])

    def reason(self, name: str, *about: str) -> Reason:
        """A reason of this name, in the words of the position's rules."""
        return make_reason(self._notation.vocabulary, name, *about)

    def of(self, topic: clingo.Symbol) -> tuple[Reason, ...]:
        """Why a topic, a deed or a sight is unknown; empty where nothing is unknown about it."""
        return self._told(topic, self._unknown.get(topic, ()), {topic})

    def behind(self, why: clingo.Symbol) -> tuple[Reason, ...]:
        """What is missing at last where a thing is unknown for this reason."""
        return self._told(None, (why,), set())

    def missing(self, topic: clingo.Symbol) -> tuple[Reason, ...]:
        """What is missing at last for a topic that has no value."""
        return self._below(topic, set())

    def matching(self, fits: Callable[[clingo.Symbol], bool]) -> tuple[Reason, ...]:
        """Why those topics of the answer itself are unknown that fit."""
        found: dict[Reason, None] = {}
        for topic, why in sorted(self._layers[0].get("unknown", 2)):
            if fits(topic):
                found |= dict.fromkeys(self._told(topic, (why,), {topic}))
        return tuple(found)

    def assumed(self, topic: clingo.Symbol) -> tuple[Reason, ...]:
        """Why something is left open that could be one of a few things; of norms, that they clash."""
        if (topic.name, len(topic.arguments)) == ("clash", 2):
            return (parse_reason(topic, self._notation),)
        told = self._told(topic, self._silent.get(topic, ()), {topic})
        said = self._lines.get(topic) or self._notation.term_text(topic)
        return told or (self.reason("open_cases", said),)

    @cached_property
    def _lines(self) -> Mapping[clingo.Symbol, str]:
        """What the board says that may be so, as it says it."""
        return {
            fact_symbol(each.given, self._notation.vocabulary): _line(each.given, self._notation)
            for each in self._position.board.statements
            if isinstance(each, UncertainFact)
        }

    @cached_property
    def _unknown(self) -> Mapping[clingo.Symbol, Sequence[clingo.Symbol]]:
        return _by_topic(pair for each in self._layers for pair in each.get("unknown", 2))

    @cached_property
    def _silent(self) -> Mapping[clingo.Symbol, Mapping[clingo.Symbol, Sequence[Norm]]]:
        """Why norms leave topics open: for each topic the reasons, each with its norms."""
        found: dict[clingo.Symbol, dict[clingo.Symbol, list[Norm]]] = {}
        silent = (each.get("silent", 3) for each in self._layers)
        order = sorted(chain.from_iterable(silent), key=lambda parts: parts[::-1])
        for norm, topic, why in order:
            listed = found.setdefault(topic, {}).setdefault(why, [])
            if norm.string not in (each.id for each in listed):
                listed.append(self._position.program.norms[norm.string])
        return found

    def _told(
        self,
        topic: clingo.Symbol | None,
        reasons: Iterable[clingo.Symbol],
        above: set[clingo.Symbol],
    ) -> tuple[Reason, ...]:
        """The last reasons below these of a topic; `above` is what has been looked at on the way."""
        silent = self._silent.get(topic, {}) if topic is not None else {}
        found: dict[Reason, None] = {}
        for why in reasons:
            if why.type != clingo.SymbolType.Function or (why.name, len(why.arguments)) != _HANGS:
                norms = tuple(silent.get(why, ()))
                found[replace(parse_reason(why, self._notation), norms=norms)] = None
                continue
            behind = why.arguments[0]
            if len(above) > 1:
                found |= dict.fromkeys(self._below(behind, above))
                continue
            # Many deeds wait for the same topic.
            if behind not in self._behind:
                self._behind[behind] = self._below(behind, set())
            found |= dict.fromkeys(self._behind[behind])
        return tuple(found)

    @cached_property
    def _behind(self) -> dict[clingo.Symbol, tuple[Reason, ...]]:
        """The last reasons below topics, as far as they were asked for."""
        return {}

    def _below(self, topic: clingo.Symbol, above: set[clingo.Symbol]) -> tuple[Reason, ...]:
        """What is missing at last for a topic that something hangs on."""
        if topic in above:
            return ()
        above.add(topic)
        for each in (topic, _turned(topic)):
            if below := self._unknown.get(each):
                return self._told(each, below, above)
        found: dict[Reason, None] = {}
        for giver in self._position.program.givers.producers_of(topic):
            found |= dict.fromkeys(self._wanting(giver, above))
        return tuple(found) or (self.reason("valueless", self._notation.term_text(topic)),)

    def _wanting(self, giver: Producer, above: set[clingo.Symbol]) -> tuple[Reason, ...]:
        """What a norm would have to read to give its value; none where it is not on that alone."""
        found: dict[Reason, None] = {}
        for atom in giver.reads:
            name, parts = atom
            known = [to_symbol(each) for each in takewhile(is_ground, parts)]
            if name in self._notation.vocabulary.inputs and 0 < len(known) < len(parts):
                if not any(self._stated(name, known, len(parts))):
                    parts_known = list(map(self._notation.term_text, known))
                    line = fact_line(name, parts_known, self._notation.vocabulary)
                    found[self.reason("not_stated", line)] = None
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


def reasons_in_any(
    position: Position, answers: Iterable[AnswerSet], topic: clingo.Symbol
) -> tuple[Reason, ...]:
    """Why a topic is unknown in any of these answers."""
    return _reasons_in_any([UnknownReasons(position, each) for each in answers], topic)


def _reasons_in_any(doubts: Iterable[UnknownReasons], topic: clingo.Symbol) -> tuple[Reason, ...]:
    return tuple(dict.fromkeys(why for each in doubts for why in each.of(topic)))


def agreed_value(
    position: Position,
    answers: Sequence[AnswerSet],
    topic: clingo.Symbol,
    doubts: Sequence[UnknownReasons] | None = None,
) -> tuple[clingo.Symbol | None, tuple[Reason, ...]]:
    """The value of a topic in all of these answers, and why it is unknown, or not the same in all.

    `doubts` are those of the answers, if they are at hand for many topics.
    """
    values = [each.values.get(topic) for each in answers]
    if doubts is None:
        doubts = [UnknownReasons(position, each) for each in answers]
    unknown = _reasons_in_any(doubts, topic)
    if len(set(values)) == 1:
        return values[0], unknown
    differing = differing_assumptions(position, answers, values)
    return None, tuple(dict.fromkeys((*unknown, *differing)))


def _supposed(position: Position, answer: AnswerSet) -> dict[clingo.Symbol, clingo.Symbol]:
    layers = (answer, position.cases[answer.static_case])
    return {topic: value for each in layers for topic, value in each.get("abduced", 2)}


def open_points(reasons: Iterable[Reason]) -> tuple[Norm, ...]:
    """The norms behind these reasons whose tags list open points."""
    norms = (norm for each in reasons for norm in each.norms if norm.open_points)
    return tuple(dict.fromkeys(norms))


def what_would_settle(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """What would settle an answer that is unknown for these reasons."""
    return tuple(dict.fromkeys(each.need for each in reasons if each.need))
