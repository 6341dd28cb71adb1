"""Norms to look things up in: by id, paragraph, word; sources of each; citations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from rules_asp.game.house_rules import RuleText, is_house_rule
from rules_asp.knowledge.reader import kb_folder, kb_texts, parse_tag, tag_continuation
from rules_asp.knowledge.rules import Functor, KnowledgeBase, Norm, Rule, by_paragraph
from rules_asp.knowledge.terms import strings

# --- Norms as they are written down: the rules of each, with file and line; what it names and is
#     named by.


#: An id, or a paragraph, in a text.
_NAMED = re.compile(r"\b(?:[A-Z]{1,4}[0-9]*\.[0-9]+[a-z]?(?:-[0-9]+[a-z]?)?|R-[A-Z]+[0-9][\w.]*\w)")
#: What begins something else in a file of rules.
_RULE_OF_A_PAGE = "% ---"


class SourceLines(NamedTuple):
    """Lines of a file of rules; the file as one finds it, and the number of the first line."""

    file: str
    line: int
    text: str


class References(NamedTuple):
    """The norms and paragraphs that a norm names, and the norms that name it."""

    names: tuple[str, ...]
    named_by: tuple[str, ...]


class NormSources:
    """A knowledge base as its files have it."""

    def __init__(self, source: KnowledgeBase, house_rules: tuple[RuleText, ...] = ()) -> None:
        self._source = source
        texts = (*kb_texts(), *house_rules)
        self._lines = {each.name: each.text.split("\n") for each in texts}
        self._rules: dict[str, list[Rule]] = {}
        for rule in source.rules:
            if rule.norm is not None:
                self._rules.setdefault(rule.norm, []).append(rule)
        self._named: Mapping[str, frozenset[str]] = {
            norm.id: frozenset(_NAMED.findall(norm.fields))
            | frozenset(
                name
                for rule in self._rules.get(norm.id, ())
                for text in strings(rule.top, rule.literals)
                for name in _NAMED.findall(text)
            )
            for norm in source.norms
        }
        self._namers: dict[str, list[str]] = {}
        for namer, names in self._named.items():
            for name in names:
                self._namers.setdefault(name, []).append(namer)

    def source_lines(self, norm: Norm) -> list[SourceLines]:
        """What is written below a norm's tag, and rules of it that stand elsewhere."""
        first, last = self._below(norm)
        lines = self._lines.get(norm.file, [])
        text = "\n".join(lines[first - 1 : last])
        found = [SourceLines(norm.path, first, text)] if text.strip() else []
        for rule in self._rules.get(norm.id, ()):
            if rule.file != norm.file or not first <= rule.line <= last:
                path = rule.file if is_house_rule(rule.file) else f"kb/{rule.file}"
                found.append(SourceLines(path, rule.line, self._rule(rule)))
        return list(dict.fromkeys(found))

    def is_silent(self, norm: Norm) -> bool:
        """Whether it leaves something unknown."""
        return any(
            head.name == "silent" for rule in self._rules.get(norm.id, ()) for head in rule.heads
        )

    def references(self, norm: Norm) -> References:
        """What it names, in its sense or its rules, and what names it, or its paragraph."""
        own = {norm.id, norm.paragraph}
        by = {each: None for name in sorted(own) for each in self._namers.get(name, ())}
        by.pop(norm.id, None)
        return References(tuple(sorted(self._named[norm.id] - own)), tuple(by))

    def _below(self, norm: Norm) -> tuple[int, int]:
        """The first and the last line of what stands below a tag, comments at its end left out."""
        lines = self._lines.get(norm.file, [])
        first = norm.line
        while first < len(lines) and tag_continuation(lines[first]) is not None:
            first += 1
        last = first
        while last < len(lines) and not _begins(lines[last]):
            last += 1
        while last > first and (not lines[last - 1].strip() or lines[last - 1].startswith("%")):
            last -= 1
        return first + 1, last

    def _rule(self, rule: Rule) -> str:
        """A rule as it is written."""
        return "\n".join(_statement(self._lines.get(rule.file, []), rule.line)) or rule.text


def _begins(line: str) -> bool:
    return line.startswith(_RULE_OF_A_PAGE) or parse_tag(line, "", 0) is not None


def _statement(lines: Sequence[str], line: int) -> Iterator[str]:
    for each in lines[line - 1 :]:
        yield each
        if each.partition("%")[0].rstrip().endswith("."):
            return


# --- What players call things: the words of kb/synonyms.txt, and what a look-up asks for by them.


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


# --- The norms of the knowledge base as a book to look things up in: by id, by paragraph, by
#     words.


#: Letters, the number of a section, and the rest.
_NUMBERED = re.compile(r"(\D*)(\d*)(.*)")
#: What an id or a paragraph looks like, as opposed to a word to be searched for.
_ID = re.compile(r"[A-Z]+[0-9]*(\.[0-9]+[a-z]?(-[0-9]+[a-z]?)?)?|R-[A-Z][0-9]+[a-z]?")


@dataclass(frozen=True)
class Precedence:
    """One norm goes before another: it `overrides` or `lifts` it, or a ruling says so.

    `amends`: as its section goes before the paragraph; `yields`: it forbids what the other permits.
    """

    winner: str
    loser: str
    how: str
    ruling: str | None = None


@dataclass(frozen=True)
class Catalogue:
    """All norms, which go before which, and which rulings are conditions of which norms.

    conditions: pairs of a ruling on one sentence and a norm that reads it. rules: the text of the rules
    of each norm, by its id. first: of each norm that goes before printed ones, by what words of the text
    it does, as kb/precedence.lp has them.
    """

    norms: tuple[Norm, ...]
    precedences: tuple[Precedence, ...]
    conditions: tuple[tuple[str, str], ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    first: Mapping[str, str] = field(default_factory=dict)

    @property
    def rulings(self) -> tuple[str, ...]:
        """The ids of the rulings, which can be switched off."""
        return tuple(norm.id for norm in self.norms if norm.ruling)

    def readings(self, name: str | None = None) -> list[Norm]:
        """The choices that the text does not make, rulings first: all, or those of a paragraph.

        A ruling is of the paragraphs of the norms between which it decides, or that read it.
        """
        found = sorted((each for each in self.norms if each.reading), key=lambda it: not it.ruling)
        return [each for each in found if name is None or self._bears_on(each, name)]

    def settles(self, ruling: Norm) -> list[Precedence]:
        """Which norms go before which by this ruling; none where it is on one sentence."""
        return [each for each in self.precedences if each.ruling == ruling.id]

    def read_by(self, ruling: Norm) -> list[str]:
        """The norms of which a ruling on one sentence is a condition."""
        return [norm for each, norm in self.conditions if each == ruling.id]

    def _bears_on(self, reading: Norm, name: str) -> bool:
        sides = [side for each in self.settles(reading) for side in (each.winner, each.loser)]
        about = {*sides, *self.read_by(reading), reading.id}
        return any(_within(norm.paragraph, name) for norm in self.norms if norm.id in about)

    @property
    def paragraphs(self) -> dict[str, list[Norm]]:
        """The norms by paragraph, in reading order."""
        return by_paragraph(self.norms)

    @property
    def sections(self) -> dict[str, dict[str, list[Norm]]]:
        """The paragraphs by section, what is printed in the five sections first, the rest by number."""
        found: dict[str, dict[str, list[Norm]]] = {}
        # The sort is stable: each printed section keeps its reading order.
        for paragraph, norms in by_paragraph(sorted(self.norms, key=_place)).items():
            found.setdefault(section_of(paragraph), {})[paragraph] = norms
        return found

    def rulings_on(self, norm: Norm) -> list[Norm]:
        """The rulings that decide between it and another, or that it reads."""
        deciding = {
            each.ruling for each in self.precedences if norm.id in (each.winner, each.loser)
        }
        deciding |= {ruling for ruling, reader in self.conditions if reader == norm.id}
        return [each for each in self.norms if each.id in deciding]

    def beats(self, norm: Norm) -> list[Precedence]:
        """What the norm goes before."""
        return [each for each in self.precedences if each.winner == norm.id]

    def beaten_by(self, norm: Norm) -> list[Precedence]:
        """What goes before the norm."""
        return [each for each in self.precedences if each.loser == norm.id]

    def at(self, name: str) -> list[Norm]:
        """The norm of this id, or all norms of this paragraph, section and what they hold."""
        exact = [norm for norm in self.norms if norm.id == name]
        return exact or [norm for norm in self.norms if _within(norm.paragraph, name)]

    def about(self, words: Iterable[str]) -> list[Norm]:
        """The norms that speak of all these words, or what means the same, in their sense, id or rules.

        Those come first that have more of them in their sense, and whole words before parts of words.
        """
        asked = parse_search(words)
        found = []
        for norm in self.norms:
            sense = f"{norm.id} {norm.fields}".casefold()
            rules = self.rules.get(norm.id, "").casefold()
            if all(each.is_told(sense) or each.is_read(rules) for each in asked):
                told = sum(each.is_told(sense) for each in asked)
                whole = sum(each.is_whole(sense) for each in asked)
                found.append((-told, -whole, norm))
        return [norm for *_, norm in sorted(found, key=lambda each: each[:2])]

    def names(self) -> list[str]:
        """Every id, paragraph and section."""
        sections = {section_of(paragraph) for paragraph in self.paragraphs}
        return [norm.id for norm in self.norms] + [*self.paragraphs, *sorted(sections)]


def _place(norm: Norm) -> tuple[bool, str, int, str]:
    """Where a norm stands among the sections: the five come first, as they stand in kb/.

    Paragraphs count as decimals: A4.134 comes before A4.2.
    """
    if not (norm.file.startswith("general/") or "/" not in norm.file or norm.house_rule):
        return False, "", 0, ""
    parts = _NUMBERED.match(norm.paragraph)
    return (True, parts[1], int(parts[2] or 0), parts[3]) if parts else (True, "", 0, "")


def is_name(text: str) -> bool:
    """Whether a text is meant as an id, a paragraph or a section, and not as a word."""
    return _ID.fullmatch(text) is not None


def section_of(paragraph: str) -> str:
    """B23.71 is of section B23."""
    return paragraph.partition(".")[0]


def catalogue(source: KnowledgeBase) -> Catalogue:
    """The catalogue of a knowledge base that was read."""
    precedences: dict[Precedence, None] = {}
    for rule in source.rules:
        precedences.update(dict.fromkeys(_precedences(rule, source.norms)))
    precedences.update(dict.fromkeys(_yieldings(source)))
    rules: dict[str, str] = {}
    for rule in source.rules:
        if rule.norm is not None:
            rules[rule.norm] = f"{rules.get(rule.norm, '')} {rule.text}"
    conditions = tuple(dict.fromkeys(_conditions(source)))
    facts = [rule.head for rule in source.rules if rule.head and len(rule.head.args) == 2]
    ways = {
        str(each.args[0]): text
        for each in facts
        if each.name == "how_first"
        for text in strings(each.args[1:])
    }
    first = {
        norm: ways.get(str(each.args[1]), str(each.args[1]))
        for each in facts
        if each.name == "goes_first"
        for norm in strings(each.args[:1])
    }
    return Catalogue(source.norms, tuple(precedences), conditions, rules, first)


def _conditions(source: KnowledgeBase) -> Iterator[tuple[str, str]]:
    """The rulings on one sentence, each with every norm that reads what it gives."""
    given = {
        head: rule.norm
        for rule in source.rules
        for head in rule.heads
        if rule.norm and rule.norm.startswith("R-") and head.name != "ruling"
    }
    for rule in source.rules:
        for node in rule.body:
            if rule.norm and (ruling := given.get(node)) and rule.norm != ruling:
                yield ruling, rule.norm


def _precedences(rule: Rule, norms: tuple[Norm, ...]) -> list[Precedence]:
    name, ids = rule.head.name if rule.head else "", rule.ids
    if name in ("overrides", "lifts") and len(ids) > 1:
        return [Precedence(ids[0], ids[1], name)]
    if name == "ruling" and len(ids) == 3:
        return [Precedence(ids[1], ids[2], "overrides", ids[0])]
    if name == "amends" and len(ids) == 2:
        return [
            Precedence(one.id, other.id, "amends")
            for one in norms
            if _within(one.paragraph, ids[0])
            for other in norms
            if _within(other.paragraph, ids[1])
        ]
    return []


def _yieldings(source: KnowledgeBase) -> Iterator[Precedence]:
    """Each norm that forbids what a licence that yields permits, before this licence."""
    deeds: dict[str, dict[str, set[Functor]]] = {"permits": {}, "forbids": {}}
    yielding: list[str] = []
    for rule in source.rules:
        for head in rule.heads:
            if rule.norm and head.name == "yields":
                yielding.append(rule.norm)
            elif rule.norm and head.name in deeds and head.topic:
                deeds[head.name].setdefault(rule.norm, set()).add(head.topic)
    for licence in yielding:
        for ban, forbidden in deeds["forbids"].items():
            if ban != licence and forbidden & deeds["permits"].get(licence, set()):
                yield Precedence(ban, licence, "yields")


def _within(paragraph: str, family: str) -> bool:
    """B23.711 is in B23.71, B23.7 and B23."""
    if "." in family:
        return paragraph.startswith(family)
    return section_of(paragraph) == family


# --- What an answer rests on: paragraphs as they are cited, and the very norms of them.


class Citations(tuple[str, ...]):
    """Paragraphs, each once, in order; `norms` are those of their norms that are meant."""

    norms: tuple[str, ...]

    def __new__(cls, paragraphs: Iterable[str] = (), norms: Iterable[str] = ()) -> Citations:
        """Of paragraphs that may come several times."""
        made = super().__new__(cls, dict.fromkeys(paragraphs))
        made.norms = tuple(norms)
        return made

    def union(self, others: Citations) -> Citations:
        """These, and then others."""
        return Citations((*self, *others), dict.fromkeys((*self.norms, *others.norms)))

    def __getnewargs__(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(self), self.norms


#: Of an answer that rests on no norm, or whose norms nobody wants.
NO_CITATIONS = Citations()
