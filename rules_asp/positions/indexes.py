"""Facts indexed by what they mention, so that a question reads its part of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import clingo

from rules_asp.knowledge.occasions import ANY, Key, key, keys, word_of
from rules_asp.terms.grid import Hex
from rules_asp.terms.symbols import told

_FUNCTION, _NUMBER, _STRING = (
    clingo.SymbolType.Function,
    clingo.SymbolType.Number,
    clingo.SymbolType.String,
)


class Mention(NamedTuple):
    """What a term mentions: hexes and texts, a text being a norm's id or a unit's name."""

    hexes: frozenset[Hex] = frozenset()
    texts: frozenset[str] = frozenset()
    #: The word that the term begins with.
    word: str = ANY


_NOTHING = Mention()


class Mentions:
    """Looks up what terms mention, and keeps it: the same hexes and Locations stand in many facts."""

    def __init__(self) -> None:
        self._known: dict[clingo.Symbol, Mention] = {}

    def of(self, term: clingo.Symbol) -> Mention:
        """What a term mentions. A pair of numbers is a hex; the arguments of lv_hindrance(1,6) are none."""
        found = self._known.get(term)
        if found is None:
            found = self._known[term] = self._look(term)
        return found

    def _look(self, term: clingo.Symbol) -> Mention:
        kind = term.type
        if kind == _STRING:
            return Mention(texts=frozenset((term.string,)))
        if kind != _FUNCTION:
            return _NOTHING
        word, arguments = word_of(term), term.arguments
        if not word and [each.type for each in arguments] == [_NUMBER, _NUMBER]:
            return Mention(frozenset((Hex(*(each.number for each in arguments)),)))
        hexes, texts = self.among(arguments)
        return Mention(hexes, texts, word)

    def among(self, terms: Iterable[clingo.Symbol]) -> tuple[frozenset[Hex], frozenset[str]]:
        """The hexes and the texts that some terms mention."""
        hexes: frozenset[Hex] = frozenset()
        texts: frozenset[str] = frozenset()
        for term in terms:
            mention = self.of(term)
            if mention.hexes:
                hexes = hexes | mention.hexes if hexes else mention.hexes
            if mention.texts:
                texts = texts | mention.texts if texts else mention.texts
        return hexes, texts


class Some(NamedTuple):
    """Some facts: as text for clingo, what they give rules to fire on, and the texts in them."""

    text: str
    keys: frozenset[Key]
    texts: frozenset[str]


class LocalFacts:
    """Facts, with an index from the hexes that they mention."""

    def __init__(self, facts: Iterable[clingo.Symbol], mentions: Mentions | None = None) -> None:
        mentions = mentions or Mentions()
        self.symbols = tuple(facts)
        self._lines: list[str | None] = [None] * len(self.symbols)
        self._keys: list[Key] = []
        self._texts: dict[int, frozenset[str]] = {}
        self._by_hex: dict[Hex, list[int]] = {}
        self._nowhere: list[int] = []
        for number, fact in enumerate(self.symbols):
            arguments = fact.arguments
            hexes, texts = mentions.among(arguments)
            word = mentions.of(arguments[0]).word if arguments else ANY
            self._keys.append(key(fact.name, word))
            if texts:
                self._texts[number] = texts
            if not hexes:
                self._nowhere.append(number)
            for each in hexes:
                self._by_hex.setdefault(each, []).append(number)

    @cached_property
    def text(self) -> str:
        """All of them as text for clingo."""
        return self._told(range(len(self.symbols)))

    @cached_property
    def keys(self) -> frozenset[Key]:
        """What they give rules to fire on."""
        return frozenset(self._keys)

    @cached_property
    def _all(self) -> Some:
        return Some(self.text, self.keys, frozenset().union(*self._texts.values()))

    def named(self, name: str) -> Iterator[clingo.Symbol]:
        """Those of a predicate."""
        keys = zip(self.symbols, self._keys, strict=True)
        return (fact for fact, (each, _) in keys if each == name)

    def near(self, hexes: Iterable[Hex] | None) -> Some:
        """Those that mention one of the hexes, or none at all; None: all."""
        if hexes is None:
            return self._all
        numbers = sorted(set(self._nowhere).union(*(self._by_hex.get(each, ()) for each in hexes)))
        texts = (self._texts[number] for number in numbers if number in self._texts)
        return Some(
            self._told(numbers),
            frozenset(self._keys[number] for number in numbers),
            frozenset().union(*texts),
        )

    def of(self, hexes: Iterable[Hex]) -> str:
        """The same as text for clingo."""
        return self.near(hexes).text

    def among(self, texts: frozenset[str]) -> str:
        """Those of which all texts are among these, as text for clingo."""
        none: frozenset[str] = frozenset()
        every = range(len(self.symbols))
        return self._told(each for each in every if self._texts.get(each, none) <= texts)

    def _told(self, numbers: Iterable[int]) -> str:
        return "".join([self._lines[number] or self._tell(number) for number in numbers])

    def _tell(self, number: int) -> str:
        line = self._lines[number] = told(self.symbols[number : number + 1])
        return line


@dataclass(frozen=True)
class Question:
    """The facts that come with a question.

    `said` are what it asks, with the names that stand in it. `measured` are facts about lines and
    drawings, each as text for clingo with its full stop: text of our own, of numbers and words of kb/,
    with no name in it.
    """

    said: tuple[clingo.Symbol, ...] = ()
    measured: tuple[str, ...] = ()
    _mentions: Mentions = field(default_factory=Mentions, repr=False, compare=False)

    @staticmethod
    def joined(questions: Iterable[Question]) -> Question:
        """The facts of several questions, each once."""
        several = list(questions)
        return Question(
            tuple(dict.fromkeys(fact for each in several for fact in each.said)),
            tuple(dict.fromkeys(fact for each in several for fact in each.measured)),
        )

    def also(self, said: Iterable[clingo.Symbol], measured: Sequence[str] = ()) -> Question:
        """The same with further facts."""
        return Question((*self.said, *said), (*self.measured, *measured))

    @cached_property
    def text(self) -> str:
        """All of it as text for clingo."""
        return told(self.said) + "".join(f"{fact}\n" for fact in self.measured)

    @cached_property
    def keys(self) -> frozenset[Key]:
        """What it gives rules to fire on."""
        return LocalFacts(self.said, self._mentions).keys | keys("\n".join(self.measured))

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts that stand in it."""
        return self._mentions.among(self.said)[1]

    @cached_property
    def hexes(self) -> frozenset[Hex]:
        """The hexes that it mentions."""
        # One call into clingo, since a call for each fact takes more than twice the time.
        every = f"all({','.join(fact.removesuffix('.') for fact in self.measured)})"
        return self._mentions.among([*self.said, clingo.parse_term(every)])[0]

    @property
    def asks(self) -> bool:
        """Whether it asks of a form: of a topic, a shot, a deed, a unit."""
        return any(fact.name in ("asked", "sought") for fact in self.said)
