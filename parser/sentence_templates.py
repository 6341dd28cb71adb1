"""Templates of sentences, parsed: `{1} places/place a DC at/against {2}`.

A template consists of words with alternative spellings (the first is printed), optional articles,
slots for one part of the form or for two parts in one text, and optional groups in square brackets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

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
