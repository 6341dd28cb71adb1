"""What players call things: the words of kb/synonyms.txt, and what a look-up asks for by them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from rules_asp.knowledge.source import kb_folder

#: How the file says what is passed over.
_LITTLE = "little:"


@dataclass(frozen=True)
class Synonyms:
    """By word, or by words that belong together, all that mean the same; and words that are passed over."""

    groups: dict[str, tuple[str, ...]]
    stop_words: frozenset[str]

    @property
    def longest(self) -> int:
        """So many words belong together at most."""
        return max((len(each.split()) for each in self.groups), default=1)


@dataclass(frozen=True)
class SearchTerm:
    """One thing that is looked for: as it was typed, and what else it is called."""

    word: str
    others: tuple[str, ...] = ()

    def is_told(self, text: str) -> bool:
        """Whether a text in small letters has what was typed, or a synonym as a word of its own."""
        return self.word in text or any(_whole(each).search(text) for each in self.others)

    def is_whole(self, text: str) -> bool:
        """Whether the word as it was typed stands there alone."""
        return _whole(self.word).search(text) is not None

    def is_read(self, rules: str) -> bool:
        """Whether rules speak of it."""
        return self.word.replace("-", "_").replace(" ", "_") in rules


@cache
def synonyms() -> Synonyms:
    """What the shipped file says."""
    groups: dict[str, dict[str, None]] = {}
    little: set[str] = set()
    for line in (kb_folder() / "synonyms.txt").read_text("utf-8").splitlines():
        said, _, _ = line.partition("#")
        rest = said.removeprefix(_LITTLE)
        words = [" ".join(each.split()).casefold() for each in rest.split(",") if each.strip()]
        if rest != said:
            little |= set(words)
            continue
        for each in words:
            groups.setdefault(each, {}).update(dict.fromkeys(words))
    made = {word: tuple(each for each in same if each != word) for word, same in groups.items()}
    return Synonyms(made, frozenset(little))


def parse_search(words: Iterable[str]) -> list[SearchTerm]:
    """What these words look for, each thing once; words that belong together are one thing."""
    known = synonyms()
    left = [each.strip(".,;:?!").casefold() for word in words for each in word.split()]
    left = [each for each in left if each]
    found: list[SearchTerm] = []
    while left:
        sizes = range(min(known.longest, len(left)), 0, -1)
        size = next((n for n in sizes if " ".join(left[:n]) in known.groups), 1)
        word = " ".join(left[:size])
        found.append(SearchTerm(word, known.groups.get(word, ())))
        left = left[size:]
    telling = [each for each in found if each.word not in known.stop_words]
    return list(dict.fromkeys(telling or found))


@cache
def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
