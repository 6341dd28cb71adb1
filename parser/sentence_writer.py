"""Writer of forms as sentences by their templates in kb/; the reverse of sentences.py.

A template such as `{1} places/place a DC at/against {2}` consists of words with alternative spellings
(the first is printed), optional articles, slots for one part of the form or for two parts in one text,
and optional groups in square brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from rules_asp.game.grid import Hex, Hexside, Location, Vertex
from rules_asp.game.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    RollQuery,
    UnitLocation,
    Variable,
    bypassed_hex,
)
from rules_asp.game.values import Term, quoted, spot_text, to_board_text, word_text
from rules_asp.game.vocabulary import Sentence, Vocabulary

#: Articles are optional; a message prints the one of the template.
ARTICLES = ("a", "an", "the")

_PART = re.compile(
    r"\s*(?:\[(?P<group>[^\[\]]*)\]|\{(?P<one>\d)(?:(?P<sign>[@/])(?P<other>\d))?\}"
    r"|\{(?P<about>course|turns)\}"
    r"|(?P<word>[A-Za-z][A-Za-z-]*(?:/[A-Za-z][A-Za-z-]*)*))"
)


@dataclass(frozen=True)
class TemplateWord:
    """A word with its spellings; the first is printed."""

    spellings: tuple[str, ...]

    @property
    def is_article(self) -> bool:
        """True if the word is optional."""
        return self.spellings[0] in ARTICLES


@dataclass(frozen=True)
class TemplateSlot:
    """A slot for parts of the form, counted from 0; -1 is a value that the form does not contain.

    `sign` joins two parts in one text: @ for a hex and its corner (a vertex), / for a hexside and a
    level. A value outside the form is a unit, or an aspect (`about`) of a path: its kind, or its
    turns.
    """

    place: int
    sign: str = ""
    other: int = -1
    about: str = "unit"

    @property
    def places(self) -> tuple[int, ...]:
        """The parts in this slot."""
        return (self.place, self.other) if self.sign else (self.place,)


@dataclass(frozen=True)
class TemplateGroup:
    """An optional group."""

    parts: tuple[Part, ...]


Part = TemplateWord | TemplateSlot | TemplateGroup


@cache
def parse_template(text: str) -> tuple[Part, ...]:
    """Return the parts of a template; ValueError for a malformed one."""
    parts: list[Part] = []
    end = 0
    while end < len(text.rstrip()):
        found = _PART.match(text, end)
        if found is None:
            raise ValueError(f"this is not a sentence template: {text[end:]}")
        end = found.end()
        if found["group"] is not None:
            parts.append(TemplateGroup(parse_template(found["group"])))
        elif found["one"]:
            other = int(found["other"]) - 1 if found["other"] else -1
            parts.append(TemplateSlot(int(found["one"]) - 1, found["sign"] or "", other))
        elif found["about"]:
            parts.append(TemplateSlot(-1, about=found["about"]))
        else:
            parts.append(TemplateWord(tuple(found["word"].split("/"))))
    return tuple(parts)


def slots(parts: tuple[Part, ...]) -> Iterator[TemplateSlot]:
    """Yield the slots in order, also those in groups."""
    for part in parts:
        if isinstance(part, TemplateSlot):
            yield part
        elif isinstance(part, TemplateGroup):
            yield from slots(part.parts)


def template_words(parts: tuple[Part, ...]) -> Iterator[TemplateWord]:
    """Yield the words in order, also those in groups."""
    for part in parts:
        if isinstance(part, TemplateWord):
            yield part
        elif isinstance(part, TemplateGroup):
            yield from template_words(part.parts)


_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*")
_PLACE = re.compile(r"(?:[A-Z]*[0-9]+[a-z]?|[a-z]+)?[A-Z]+[0-9]{1,3}")


class _Unsaid(Exception):
    """A sentence does not express all of a form, or expresses more."""


def deed_text(doing: DeedQuery, words: Vocabulary) -> str:
    """Return an action as a sentence, or as a term if it has no sentence."""
    return _deed_sentence(doing, words) or str(doing.deed)


def roll_text(rolling: RollQuery, words: Vocabulary) -> str:
    """Return a roll as a sentence with its known dice, or as a term if it has no sentence."""
    return f"{form_text(rolling.roll, words) or rolling.roll}{rolling.shown}"


def form_text(argument: Argument, words: Vocabulary) -> str | None:
    """Return a form as a sentence; None if it has none."""
    return _deed_sentence(DeedQuery(argument), words)


def _deed_sentence(doing: DeedQuery, words: Vocabulary) -> str | None:
    compound = doing.deed.value
    if not isinstance(compound, FunctionTerm):
        return None
    for sentence in words.sentences_of(compound.name):
        try:
            return _Teller(words, doing, sentence, compound).text
        except _Unsaid:
            continue
    return None


class _Teller:
    """Writes a form by one template; _Unsaid if that does not fit."""

    def __init__(
        self, words: Vocabulary, doing: DeedQuery, sentence: Sentence, compound: FunctionTerm
    ) -> None:
        self.words = words
        self.doing = doing
        self.args = compound.args
        if bypassed_hex(compound.args) is not None:
            raise _Unsaid
        self.besides = list(doing.other_units)
        self.about = {
            "course": doing.only,
            "turns": None if doing.turn_count == 1 else doing.turn_count,
        }
        # Parts of a step in one text: its end as a hex, and the vertex of the bypassed corner.
        self.whole = compound is doing.deed.value
        implied = {
            place
            for place, arg in enumerate(compound.args)
            if (word := sentence.implied(place)) is not None and self.is_word(arg, word)
        }
        self.left = {
            place
            for place, arg in enumerate(compound.args)
            if not _is_open(arg) and place not in implied
        }
        told = self.parts(parse_template(sentence.text), True)
        if self.left or self.besides or any(map(self.is_left, self.about)):
            raise _Unsaid
        if self.whole and doing.around is not None:
            told.append(f"around {doing.around}")
        self.text = " ".join(told)

    def is_word(self, arg: Argument, word: str) -> bool:
        """Test whether an argument is the word that the sentence implies."""
        if arg.value != word:
            raise _Unsaid
        return True

    def parts(self, parts: Iterable[Part], first: bool = False) -> list[str]:
        """Return the text of the parts; a group only if it has something to express."""
        told = []
        for part in parts:
            if isinstance(part, TemplateWord):
                told.append(part.spellings[0])
            elif isinstance(part, TemplateSlot):
                told.append(self.slot(part, first))
            elif isinstance(part, TemplateGroup) and self.is_wanted(part):
                told += self.parts(part.parts)
            first = False
        return told

    def is_wanted(self, group: TemplateGroup) -> bool:
        """Test whether a group has something to express."""
        slots = (each for each in group.parts if isinstance(each, TemplateSlot))
        return any(each.place in self.left or self.is_left(each.about) for each in slots)

    def is_left(self, about: str) -> bool:
        """Test whether an aspect of a path is not yet written."""
        return self.about.get(about) is not None

    def slot(self, slot: TemplateSlot, first: bool) -> str:
        """Return the text of a slot."""
        if slot.about != "unit":
            return self.of_way(slot.about)
        if slot.place < 0:
            if not self.besides:
                raise _Unsaid
            return self.unit(self.besides.pop(0))
        self.left -= set(slot.places)
        arg = self.args[slot.place]
        if slot.sign == "@":
            hex_, corner = arg.value, self.args[slot.other].value
            if isinstance(hex_, Hex) and isinstance(corner, int) and 0 <= corner < 6:
                return spot_text(Vertex(hex_, corner))
        elif slot.sign == "/":
            side, level = arg.value, self.args[slot.other].value
            if isinstance(side, Hexside) and isinstance(level, Variable) and level.name == "_":
                return str(side)
            if isinstance(side, Hexside) and isinstance(level, int) and 0 <= level < 10:
                return f"{side}/{level}"
        else:
            return self.argument(arg, slot, first)
        raise _Unsaid

    def of_way(self, about: str) -> str:
        """Return the kind of a path, or its turns."""
        value = self.about.pop(about)
        if value is None:
            raise _Unsaid
        return str(value) if about == "turns" else self.word(str(value), about)

    def word(self, word: str, kind: str) -> str:
        """Return the phrase for a word, if there is one, else the word."""
        phrase = self.words.phrases.get((kind, word))
        if phrase is None:
            return word_text(word, kind)
        words = (each for each in parse_template(phrase) if isinstance(each, TemplateWord))
        return " ".join(each.spellings[0] for each in words)

    def argument(self, arg: Argument, slot: TemplateSlot, first: bool) -> str:
        """Return the text of an argument in a sentence."""
        value, kind = arg.value, arg.kind
        if isinstance(value, FunctionTerm):
            inner = _deed_sentence(DeedQuery(arg), self.words)
            if inner is None:
                raise _Unsaid
            return inner
        if isinstance(value, UnitLocation):
            name = self.unit(value.unit)
            return quoted(name) if _PLACE.fullmatch(name) and not first else name
        if _is_open(arg) and self.whole and self.doing.inside is not None and kind == "location":
            return str(self.doing.inside)
        if not isinstance(value, Term) or (isinstance(value, Location) and first):
            raise _Unsaid
        if kind == "unit":
            name = self.unit(str(value))
            return quoted(name) if _PLACE.fullmatch(name) and not first else name
        if kind == "corner" and slot.place:
            return str(value)
        if isinstance(value, str):
            return self.word(value, kind)
        if isinstance(value, int) and value < 0:
            raise _Unsaid
        return to_board_text(value, kind)

    def unit(self, name: str) -> str:
        """Return the name of a unit, quoted if it could be read as something else."""
        plain = _NAME.fullmatch(name) and name not in _spellings(self.words)
        return name if plain else quoted(name)


def _is_open(arg: Argument) -> bool:
    """Test whether a part is open without a name."""
    return isinstance(arg.value, Variable) and arg.value.name == "_"


@lru_cache(maxsize=8)
def _spellings(words: Vocabulary) -> frozenset[str]:
    """Return every word of every sentence, including optional articles."""
    texts = [*(each.text for each in words.sentences), *words.phrases.values()]
    found = {
        each
        for text in texts
        for word in template_words(parse_template(text))
        for each in word.spellings
    }
    found -= set(ARTICLES)
    return frozenset((*found, *map(str.capitalize, found), "The", *ARTICLES))
