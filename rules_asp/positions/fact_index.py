"""Facts indexed by what they mention, so that a question reads its part of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import clingo

from rules_asp.game.grid import Hex, Location, Spot, hex_of_spot
from rules_asp.game.values import facts_text, to_symbol
from rules_asp.knowledge.dependencies import ANY_TERM, TriggerKey, key, key_of, keys_of
from rules_asp.knowledge.stored_answer_sets import read_terms

_FUNCTION, _NUMBER, _STRING = (
    clingo.SymbolType.Function,
    clingo.SymbolType.Number,
    clingo.SymbolType.String,
)


class Mention(NamedTuple):
    """What a term mentions: hexes and texts, a text being a norm's id or a unit's name."""

    hexes: frozenset[Hex] = frozenset()
    texts: frozenset[str] = frozenset()


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
        arguments = term.arguments
        if not term.name and [each.type for each in arguments] == [_NUMBER, _NUMBER]:
            return Mention(frozenset((Hex(*(each.number for each in arguments)),)))
        return Mention(*self.among(arguments))

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


@dataclass(frozen=True)
class FactSubset:
    """Some of the facts that are indexed, by their numbers."""

    whole: FactIndex
    numbers: Sequence[int]

    @property
    def symbols(self) -> Iterator[clingo.Symbol]:
        """The facts."""
        return self.whole.pick(self.numbers)

    @cached_property
    def keys(self) -> frozenset[TriggerKey]:
        """What they give rules to fire on."""
        every = self.whole.keys_of_each
        return frozenset(every[number] for number in self.numbers)

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts that they mention."""
        found = self.whole.texts
        if not found:
            return frozenset()
        return frozenset().union(*(found[number] for number in self.numbers if number in found))


class FactIndex:
    """Facts, with an index from the hexes that they mention; it is made when it is first looked at.

    `given` is what each of them gives rules to fire on, where that is known and the same for all.
    """

    def __init__(
        self,
        facts: Iterable[clingo.Symbol],
        mentions: Mentions | None = None,
        given: TriggerKey | None = None,
    ) -> None:
        self.symbols = tuple(facts)
        self._mentions = mentions or Mentions()
        self._given = given

    @cached_property
    def all(self) -> FactSubset:
        """All of them."""
        return FactSubset(self, range(self.size))

    @property
    def size(self) -> int:
        """How many they are."""
        return len(self.symbols)

    def pick(self, numbers: Iterable[int]) -> Iterator[clingo.Symbol]:
        """Those of these numbers."""
        every = self.symbols
        return (every[number] for number in numbers)

    @property
    def text(self) -> str:
        """All of them as text for clingo."""
        return facts_text(self.symbols)

    @cached_property
    def keys(self) -> frozenset[TriggerKey]:
        """What they give rules to fire on."""
        if self._given is not None:
            return frozenset((self._given,)) if self.symbols else frozenset()
        return frozenset(self.keys_of_each)

    @cached_property
    def keys_of_each(self) -> Sequence[TriggerKey]:
        """What each of them gives."""
        if self._given is not None:
            return (self._given,) * len(self.symbols)
        return tuple(map(key_of, self.symbols))

    @property
    def texts(self) -> Mapping[int, frozenset[str]]:
        """The texts that they mention, by the numbers of those that mention any."""
        return self._found[2]

    def named(self, name: str) -> Iterator[clingo.Symbol]:
        """Those of a predicate."""
        return iter(self.by_name.get(name, ()))

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[clingo.Symbol]]:
        """Those of each predicate."""
        found: dict[str, list[clingo.Symbol]] = {}
        for fact, (name, _) in zip(self.symbols, self.keys_of_each, strict=True):
            found.setdefault(name, []).append(fact)
        return found

    def near(self, hexes: Iterable[Hex] | None) -> FactSubset:
        """Those that mention one of the hexes, or none at all; None: all."""
        if hexes is None:
            return self.all
        by_hex, nowhere, _ = self._found
        return FactSubset(
            self, sorted(set(nowhere).union(*(by_hex.get(each, ()) for each in hexes)))
        )

    def among(self, texts: frozenset[str]) -> FactSubset:
        """Those of which all texts are among these."""
        strange = {number for number, each in self.texts.items() if not each <= texts}
        return FactSubset(self, [n for n in range(self.size) if n not in strange])

    @cached_property
    def _found(self) -> tuple[dict[Hex, list[int]], list[int], dict[int, frozenset[str]]]:
        """The numbers of facts by hexes, of those that mention none, and the texts by numbers."""
        by_hex: dict[Hex, list[int]] = {}
        nowhere: list[int] = []
        texts: dict[int, frozenset[str]] = {}
        for number, (hexes, quoted) in enumerate(self._mentioned()):
            if quoted:
                texts[number] = quoted
            if not hexes:
                nowhere.append(number)
            for each in hexes:
                by_hex.setdefault(each, []).append(number)
        return by_hex, nowhere, texts

    def _mentioned(self) -> Iterator[tuple[frozenset[Hex], frozenset[str]]]:
        """What each of them mentions."""
        return (self._mentions.among(fact.arguments) for fact in self.symbols)


#: A text, or a pair of numbers with no name before it, which is a hex.
_MENTION = re.compile(r'"((?:[^"\\]|\\.)*)"|(?<![\w\'])\((-?\d+),(-?\d+)\)')
#: The name of a fact, and the word that its first argument begins with.
_KEY = re.compile(r"(?m)^-?(_*[a-z][\w']*)(?:\((?:-?(_*[a-z][\w']*))?)?")


class StoredFacts(FactIndex):
    """Facts that were kept as text; only those that a question reads become symbols.

    To look into a text takes a tenth of the time that it takes to look into the terms of clingo.
    """

    def __init__(self, lines: Sequence[str], given: TriggerKey | None = None) -> None:
        self._lines = lines
        self._given = given
        self._read: dict[int, clingo.Symbol] = {}

    @cached_property
    def symbols(self) -> tuple[clingo.Symbol, ...]:  # type: ignore[override]
        """All of them."""
        return tuple(self.pick(range(self.size)))

    @property
    def size(self) -> int:
        """How many they are."""
        return len(self._lines)

    def pick(self, numbers: Iterable[int]) -> Iterator[clingo.Symbol]:
        """Those of these numbers."""
        numbers = list(numbers)
        new = [number for number in numbers if number not in self._read]
        terms = read_terms([self._lines[number] for number in new])
        self._read.update(zip(new, terms, strict=True))
        return (self._read[number] for number in numbers)

    @cached_property
    def keys(self) -> frozenset[TriggerKey]:
        """What they give rules to fire on."""
        if self._given is not None:
            return super().keys
        found = set(_KEY.findall("\n".join(self._lines)))
        return frozenset(key(name, word or ANY_TERM) for name, word in found)

    @cached_property
    def keys_of_each(self) -> Sequence[TriggerKey]:
        """What each of them gives."""
        if self._given is not None:
            return (self._given,) * self.size
        found = _KEY.findall("\n".join(self._lines))
        return [key(name, word or ANY_TERM) for name, word in found]

    def named(self, name: str) -> Iterator[clingo.Symbol]:
        """Those of a predicate."""
        keys = self.keys_of_each
        return self.pick(number for number, each in enumerate(keys) if each[0] == name)

    def _mentioned(self) -> Iterator[tuple[frozenset[Hex], frozenset[str]]]:
        hexes: dict[tuple[str, str], Hex] = {}
        for line in self._lines:
            found = _MENTION.findall(line)
            texts = frozenset(_unescaped(text) for text, column, _ in found if not column)
            pairs = [(column, row) for _, column, row in found if column]
            for pair in pairs:
                if pair not in hexes:
                    hexes[pair] = Hex(*map(int, pair))
            yield frozenset(hexes[pair] for pair in pairs), texts


def _unescaped(text: str) -> str:
    """What a text is that clingo writes so."""
    return clingo.parse_term(f'"{text}"').string if "\\" in text else text


def symbols_of(facts: Iterable[str]) -> Sequence[clingo.Symbol]:
    """Facts, each as text for clingo with its full stop, as symbols."""
    # One call into clingo, since a call for each fact takes more than twice the time.
    every = f"all({','.join([fact.removesuffix('.') for fact in facts])})"
    return clingo.parse_term(every).arguments


@dataclass(frozen=True)
class QueryFacts:
    """The facts that come with a question.

    `stated` are what it asks, with the names that stand in it. `measured` are facts about lines and
    drawings, each as text for clingo with its full stop: text of our own, of numbers and words of kb/,
    with no name in it.
    """

    stated: tuple[clingo.Symbol, ...] = ()
    measured: tuple[str, ...] = ()
    _mentions: Mentions = field(default_factory=Mentions, repr=False, compare=False)

    @staticmethod
    def joined(questions: Iterable[QueryFacts]) -> QueryFacts:
        """The facts of several questions, each once."""
        several = list(questions)
        return QueryFacts(
            tuple(dict.fromkeys(fact for each in several for fact in each.stated)),
            tuple(dict.fromkeys(fact for each in several for fact in each.measured)),
        )

    def also(self, said: Iterable[clingo.Symbol], measured: Sequence[str] = ()) -> QueryFacts:
        """The same with further facts."""
        return QueryFacts((*self.stated, *said), (*self.measured, *measured))

    @cached_property
    def symbols(self) -> Sequence[clingo.Symbol]:
        """All of it."""
        return (*self.stated, *symbols_of(self.measured))

    @property
    def text(self) -> str:
        """All of it as text for clingo."""
        return facts_text(self.symbols)

    @cached_property
    def keys(self) -> frozenset[TriggerKey]:
        """What it gives rules to fire on."""
        return keys_of(self.symbols)

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts that stand in it."""
        return self._mentions.among(self.stated)[1]

    @cached_property
    def hexes(self) -> frozenset[Hex]:
        """The hexes that it mentions."""
        return self._mentions.among(self.symbols)[0]

    @property
    def asks(self) -> bool:
        """Whether it asks of a form: of a topic, a shot, a deed, a unit."""
        return any(fact.name in ("asked", "sought") for fact in self.stated)


def eye_at(end: Location) -> clingo.Symbol:
    """The fact that it is looked from and to a Location."""
    return clingo.Function("eye_at", [to_symbol(end, "location")])


def cell(spot: Spot) -> clingo.Symbol:
    """The fact that it is looked within the hex of a spot."""
    return clingo.Function("cell", [to_symbol(hex_of_spot(spot), "hex")])
