"""Sentences as kb/ declares them: `{1} places/place a DC at/against {2}`, taken apart.

What stands there is a word, in several spellings perhaps, of which the first is told; an article, which
need not be said; a slot for one part of the form, or for two that are said as one; and, in square
brackets, what may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

#: What may be said or left out before a noun; of a sentence the one that stands in it is told.
ARTICLES = ("a", "an", "the")

_PART = re.compile(
    r"\s*(?:\[(?P<group>[^\[\]]*)\]|\{(?P<one>\d)(?:(?P<sign>[@/])(?P<other>\d))?\}"
    r"|\{(?P<about>course|turns)\}"
    r"|(?P<word>[A-Za-z][A-Za-z-]*(?:/[A-Za-z][A-Za-z-]*)*))"
)


@dataclass(frozen=True)
class TemplateWord:
    """A word in its spellings; the first is told."""

    spellings: tuple[str, ...]

    @property
    def is_article(self) -> bool:
        """Whether it need not be said."""
        return self.spellings[0] in ARTICLES


@dataclass(frozen=True)
class TemplateSlot:
    """Where parts of the form are said, counted from 0; -1 is something of which the form says nothing.

    Two parts are said as one where `sign` is @ (a hex and its corner, as a vertex) or / (a hexside and a
    level). What the form says nothing of is a unit, or `about` a way the course it keeps, the turns it
    takes.
    """

    place: int
    sign: str = ""
    other: int = -1
    about: str = "unit"

    @property
    def places(self) -> tuple[int, ...]:
        """The parts that are said here."""
        return (self.place, self.other) if self.sign else (self.place,)


@dataclass(frozen=True)
class TemplateGroup:
    """What may be left out."""

    parts: tuple[Part, ...]


Part = TemplateWord | TemplateSlot | TemplateGroup


@cache
def parse_template(text: str) -> tuple[Part, ...]:
    """The parts of a sentence; ValueError where it is none."""
    parts: list[Part] = []
    end = 0
    while end < len(text.rstrip()):
        found = _PART.match(text, end)
        if found is None:
            raise ValueError(f"no sentence: {text[end:]}")
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
    """The slots in their order, those in groups too."""
    for part in parts:
        if isinstance(part, TemplateSlot):
            yield part
        elif isinstance(part, TemplateGroup):
            yield from slots(part.parts)


def template_words(parts: tuple[Part, ...]) -> Iterator[TemplateWord]:
    """The words in their order, those in groups too."""
    for part in parts:
        if isinstance(part, TemplateWord):
            yield part
        elif isinstance(part, TemplateGroup):
            yield from template_words(part.parts)
