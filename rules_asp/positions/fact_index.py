"""Fact indexes by hex, unit and norm, so that a question reads only the facts it needs."""

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
    """The hexes and texts in a term; a text is the id of a norm or the name of a unit."""

    hexes: frozenset[Hex] = frozenset()
    texts: frozenset[str] = frozenset()


_NOTHING = Mention()


class Mentions:
    """A cache of the mentions of terms, since many facts share hexes and Locations."""

    def __init__(self) -> None:
        self._known: dict[clingo.Symbol, Mention] = {}

    def of(self, term: clingo.Symbol) -> Mention:
        """Return the mentions of a term.

        A pair of numbers is a hex, but not the arguments of lv_hindrance(1,6).
        """
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
        """Return the hexes and the texts that some terms mention."""
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
    """A subset of the indexed facts, by their numbers."""

    whole: FactIndex
    numbers: Sequence[int]

    @property
    def symbols(self) -> Iterator[clingo.Symbol]:
        """The facts."""
        return self.whole.pick(self.numbers)

    @cached_property
    def keys(self) -> frozenset[TriggerKey]:
        """The trigger keys of the facts."""
        every = self.whole.keys_of_each
        return frozenset(every[number] for number in self.numbers)

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts that the facts mention."""
        found = self.whole.texts
        if not found:
            return frozenset()
        return frozenset().union(*(found[number] for number in self.numbers if number in found))


class FactIndex:
    """Facts with an index by the hexes they mention; the index is built on first use.

    `given` is the trigger key of every fact, if it is known and the same for all.
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
        """The subset of all facts."""
        return FactSubset(self, range(self.size))

    @property
    def size(self) -> int:
        """The number of facts."""
        return len(self.symbols)

    def pick(self, numbers: Iterable[int]) -> Iterator[clingo.Symbol]:
        """Yield the facts with these numbers."""
        every = self.symbols
        return (every[number] for number in numbers)

    @property
    def text(self) -> str:
        """All facts as text for clingo."""
        return facts_text(self.symbols)

    @cached_property
    def keys(self) -> frozenset[TriggerKey]:
        """The trigger keys of the facts."""
        if self._given is not None:
            return frozenset((self._given,)) if self.symbols else frozenset()
        return frozenset(self.keys_of_each)

    @cached_property
    def keys_of_each(self) -> Sequence[TriggerKey]:
        """The trigger key of each fact."""
        if self._given is not None:
            return (self._given,) * len(self.symbols)
        return tuple(map(key_of, self.symbols))

    @property
    def texts(self) -> Mapping[int, frozenset[str]]:
        """The texts that the facts mention, by number; facts without texts are left out."""
        return self._found[2]

    def named(self, name: str) -> Iterator[clingo.Symbol]:
        """Yield the facts of a predicate."""
        return iter(self.by_name.get(name, ()))

    @cached_property
    def by_name(self) -> Mapping[str, Sequence[clingo.Symbol]]:
        """The facts of each predicate."""
        found: dict[str, list[clingo.Symbol]] = {}
        for fact, (name, _) in zip(self.symbols, self.keys_of_each, strict=True):
            found.setdefault(name, []).append(fact)
        return found

    def near(self, hexes: Iterable[Hex] | None) -> FactSubset:
        """Return the facts that mention one of the hexes or no hex; None: all facts."""
        if hexes is None:
            return self.all
        by_hex, nowhere, _ = self._found
        here = [by_hex[each] for each in by_hex.keys() & hexes]
        return FactSubset(self, sorted(set(nowhere).union(*here)) if here else nowhere)

    def among(self, texts: frozenset[str]) -> FactSubset:
        """Return the facts whose texts are all among these."""
        strange = {number for number, each in self.texts.items() if not each <= texts}
        return FactSubset(self, [n for n in range(self.size) if n not in strange])

    @cached_property
    def _found(self) -> tuple[dict[Hex, list[int]], list[int], dict[int, frozenset[str]]]:
        """Return fact numbers by hex, numbers of facts without a hex, and texts by number."""
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
        """Yield the mentions of each fact."""
        return (self._mentions.among(fact.arguments) for fact in self.symbols)


#: A hex: a pair of numbers without a name before it; and such a pair, or a text.
_PAIR = re.compile(r"(?<![\w'])\((-?\d+),(-?\d+)\)")
_MENTION = re.compile(rf'"((?:[^"\\]|\\.)*)"|{_PAIR.pattern}')
#: The name of a fact, and the first word of its first argument.
_KEY = re.compile(r"(?m)^-?(_*[a-z][\w']*)(?:\((?:-?(_*[a-z][\w']*))?)?")


def _written_keys(lines: Sequence[str]) -> frozenset[TriggerKey]:
    """Return the trigger keys of facts that are text, one a line."""
    found = set(_KEY.findall("\n".join(lines)))
    return frozenset(key(name, word or ANY_TERM) for name, word in found)


class StoredFacts(FactIndex):
    """Facts stored as text; only those that a question reads are parsed into symbols.

    A search in the text takes a tenth of the time of a search in clingo terms.
    """

    def __init__(self, lines: Sequence[str], given: TriggerKey | None = None) -> None:
        self._lines = lines
        self._given = given
        self._read: dict[int, clingo.Symbol] = {}

    @cached_property
    def symbols(self) -> tuple[clingo.Symbol, ...]:  # type: ignore[override]
        """All facts."""
        return tuple(self.pick(range(self.size)))

    @property
    def size(self) -> int:
        """The number of facts."""
        return len(self._lines)

    def pick(self, numbers: Iterable[int]) -> Iterator[clingo.Symbol]:
        """Yield the facts with these numbers."""
        numbers = list(numbers)
        new = [number for number in numbers if number not in self._read]
        terms = read_terms([self._lines[number] for number in new])
        self._read.update(zip(new, terms, strict=True))
        return (self._read[number] for number in numbers)

    @cached_property
    def keys(self) -> frozenset[TriggerKey]:
        """The trigger keys of the facts."""
        if self._given is not None:
            return super().keys
        return _written_keys(self._lines)

    @cached_property
    def keys_of_each(self) -> Sequence[TriggerKey]:
        """The trigger key of each fact."""
        if self._given is not None:
            return (self._given,) * self.size
        found = _KEY.findall("\n".join(self._lines))
        return [key(name, word or ANY_TERM) for name, word in found]

    def named(self, name: str) -> Iterator[clingo.Symbol]:
        """Yield the facts of a predicate."""
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
    """Decode a string in clingo syntax."""
    return clingo.parse_term(f'"{text}"').string if "\\" in text else text


def symbols_of(facts: Iterable[str]) -> Sequence[clingo.Symbol]:
    """Parse facts, each as text for clingo with its period."""
    # One call for all facts takes less than half the time of a call for each.
    every = f"all({','.join([fact.removesuffix('.') for fact in facts])})"
    return clingo.parse_term(every).arguments


@dataclass(frozen=True)
class QueryFacts:
    """The facts of a question.

    `stated` are facts of the question, including its names. `measured` are facts about lines and
    depictions, each as text for clingo with its period. The program writes these texts from numbers
    and words of kb/; they contain no names.
    """

    stated: tuple[clingo.Symbol, ...] = ()
    measured: tuple[str, ...] = ()
    _mentions: Mentions = field(default_factory=Mentions, repr=False, compare=False)

    @staticmethod
    def joined(questions: Iterable[QueryFacts]) -> QueryFacts:
        """Join the facts of several questions, each once."""
        several = list(questions)
        return QueryFacts(
            tuple(dict.fromkeys(fact for each in several for fact in each.stated)),
            tuple(dict.fromkeys(fact for each in several for fact in each.measured)),
        )

    def also(self, said: Iterable[clingo.Symbol], measured: Sequence[str] = ()) -> QueryFacts:
        """Return the same with further facts."""
        return QueryFacts((*self.stated, *said), (*self.measured, *measured))

    @cached_property
    def symbols(self) -> Sequence[clingo.Symbol]:
        """All facts as symbols."""
        return (*self.stated, *symbols_of(self.measured))

    @property
    def text(self) -> str:
        """All facts as text for clingo."""
        return facts_text(self.symbols)

    @cached_property
    def keys(self) -> frozenset[TriggerKey]:
        """The trigger keys of the facts."""
        return keys_of(self.stated) | _written_keys(self.measured)

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts in the stated facts."""
        return self._mentions.among(self.stated)[1]

    @cached_property
    def hexes(self) -> frozenset[Hex]:
        """The hexes that the facts mention."""
        pairs = set(_PAIR.findall("\n".join(self.measured)))
        measured = (Hex(int(column), int(row)) for column, row in pairs)
        return self._mentions.among(self.stated)[0].union(measured)

    @property
    def asks(self) -> bool:
        """True if the facts ask about a form: a topic, a fire attack, an action, a unit."""
        return any(fact.name in ("asked", "sought") for fact in self.stated)


def eye_at(end: Location) -> clingo.Symbol:
    """Return the fact that a Location is an end of a line."""
    return clingo.Function("eye_at", [to_symbol(end, "location")])


def cell(spot: Spot) -> clingo.Symbol:
    """Return the fact that LOS is checked inside the hex of a spot."""
    return clingo.Function("cell", [to_symbol(hex_of_spot(spot), "hex")])
