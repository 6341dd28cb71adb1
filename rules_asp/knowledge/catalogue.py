"""The catalogue of norms: search by id, rule number and words; sources; citations."""

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

# --- Norms as written: the rules of each, with file and line, and its references.


#: An id or a rule number in a text.
_NAMED = re.compile(r"\b(?:[A-Z]{1,4}[0-9]*\.[0-9]+[a-z]?(?:-[0-9]+[a-z]?)?|R-[A-Z]+[0-9][\w.]*\w)")
#: A comment that begins another part of a rule file.
_RULE_OF_A_PAGE = "% ---"


class SourceLines(NamedTuple):
    """Lines of a rule file: the path of the file, and the number of the first line."""

    file: str
    line: int
    text: str


class References(NamedTuple):
    """The norms and rule numbers that a norm names, and the norms that name it."""

    names: tuple[str, ...]
    named_by: tuple[str, ...]


class NormSources:
    """A knowledge base with the source text of its files."""

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
        """Return the lines below a norm's tag, and its rules in other places."""
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
        """Test whether a norm leaves something unknown."""
        return any(
            head.name == "silent" for rule in self._rules.get(norm.id, ()) for head in rule.heads
        )

    def references(self, norm: Norm) -> References:
        """Return the references in a norm's summary and rules, and the references to it or its rule
        number."""
        own = {norm.id, norm.paragraph}
        by = {each: None for name in sorted(own) for each in self._namers.get(name, ())}
        by.pop(norm.id, None)
        return References(tuple(sorted(self._named[norm.id] - own)), tuple(by))

    def _below(self, norm: Norm) -> tuple[int, int]:
        """Return the first and the last line below a tag, without trailing comments."""
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
        """Return a rule as written."""
        return "\n".join(_statement(self._lines.get(rule.file, []), rule.line)) or rule.text


def _begins(line: str) -> bool:
    return line.startswith(_RULE_OF_A_PAGE) or parse_tag(line, "", 0) is not None


def _statement(lines: Sequence[str], line: int) -> Iterator[str]:
    for each in lines[line - 1 :]:
        yield each
        if each.partition("%")[0].rstrip().endswith("."):
            return


# --- Synonyms of players (kb/synonyms.txt), and search terms.


#: The key of ignored words in the file.
_LITTLE = "little:"


@dataclass(frozen=True)
class Synonyms:
    """Groups of words or phrases with the same meaning, and words that are ignored."""

    groups: dict[str, tuple[str, ...]]
    stop_words: frozenset[str]

    @property
    def longest(self) -> int:
        """The largest number of words in a phrase."""
        return max((len(each.split()) for each in self.groups), default=1)


@dataclass(frozen=True)
class SearchTerm:
    """A search term as typed, with its synonyms."""

    word: str
    others: tuple[str, ...] = ()

    def is_in(self, text: str) -> bool:
        """Test whether a text in lower case contains the term, or a synonym as a whole word."""
        return self.word in text or any(_whole(each).search(text) for each in self.others)

    def is_whole(self, text: str) -> bool:
        """Test whether the text contains the typed term as a whole word."""
        return _whole(self.word).search(text) is not None

    def is_read(self, rules: str) -> bool:
        """Test whether rules contain the term."""
        return self.word.replace("-", "_").replace(" ", "_") in rules


@cache
def synonyms() -> Synonyms:
    """Return the synonyms of the included file."""
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
    """Parse search words into distinct terms; the words of a phrase are one term."""
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


# --- The catalogue: norms by id, by rule number, by words.


#: Letters, the number of a section, and the rest.
_NUMBERED = re.compile(r"(\D*)(\d*)(.*)")
#: An id or a rule number, as opposed to a search word.
_ID = re.compile(r"[A-Z]+[0-9]*(\.[0-9]+[a-z]?(-[0-9]+[a-z]?)?)?|R-[A-Z][0-9]+[a-z]?")


@dataclass(frozen=True)
class Precedence:
    """A precedence between two norms: one `overrides` or `lifts` the other, or a ruling decides.

    `amends`: its section takes precedence; `yields`: it forbids what the other permits.
    """

    winner: str
    loser: str
    how: str
    ruling: str | None = None


@dataclass(frozen=True)
class Catalogue:
    """All norms, their precedence, and the rulings that are conditions of norms.

    conditions: pairs of a ruling on one sentence and a norm that reads it. rules: the text of the
    rules of each norm, by its id. first: for each norm with precedence over printed ones, the words
    of the text that give it, from kb/precedence.lp.
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
        """Return the interpretations, rulings first: all, or those of a rule number.

        A ruling belongs to the rule numbers of the norms that it ranks, or that read it.
        """
        found = sorted((each for each in self.norms if each.reading), key=lambda it: not it.ruling)
        return [each for each in found if name is None or self._bears_on(each, name)]

    def settles(self, ruling: Norm) -> list[Precedence]:
        """Return the precedences by a ruling; empty for a ruling on one sentence."""
        return [each for each in self.precedences if each.ruling == ruling.id]

    def read_by(self, ruling: Norm) -> list[str]:
        """Return the norms that have a ruling on one sentence as a condition."""
        return [norm for each, norm in self.conditions if each == ruling.id]

    def _bears_on(self, reading: Norm, name: str) -> bool:
        sides = [side for each in self.settles(reading) for side in (each.winner, each.loser)]
        about = {*sides, *self.read_by(reading), reading.id}
        return any(name in norm.families for norm in self.norms if norm.id in about)

    @property
    def paragraphs(self) -> dict[str, list[Norm]]:
        """The norms by rule number, in reading order."""
        return by_paragraph(self.norms)

    @property
    def sections(self) -> dict[str, dict[str, list[Norm]]]:
        """The rule numbers by section: the five printed sections first, the rest by number."""
        found: dict[str, dict[str, list[Norm]]] = {}
        # The sort is stable: each printed section keeps its reading order.
        for paragraph, norms in by_paragraph(sorted(self.norms, key=_place)).items():
            found.setdefault(section_of(paragraph), {})[paragraph] = norms
        return found

    def rulings_on(self, norm: Norm) -> list[Norm]:
        """Return the rulings that rank a norm, or that it reads."""
        deciding = {
            each.ruling for each in self.precedences if norm.id in (each.winner, each.loser)
        }
        deciding |= {ruling for ruling, reader in self.conditions if reader == norm.id}
        return [each for each in self.norms if each.id in deciding]

    def beats(self, norm: Norm) -> list[Precedence]:
        """Return the norms over which a norm takes precedence."""
        return [each for each in self.precedences if each.winner == norm.id]

    def beaten_by(self, norm: Norm) -> list[Precedence]:
        """Return the norms that take precedence over a norm."""
        return [each for each in self.precedences if each.loser == norm.id]

    def at(self, name: str) -> list[Norm]:
        """Return the norm of this id, or all norms of a rule number or section and below."""
        exact = [norm for norm in self.norms if norm.id == name]
        return exact or [norm for norm in self.norms if name in norm.families]

    def about(self, words: Iterable[str]) -> list[Norm]:
        """Return norms with all these words or their synonyms in summary, id or rules.

        Norms with more of the words in the summary come first, and whole words before parts of
        words.
        """
        asked = parse_search(words)
        found = []
        for norm in self.norms:
            sense = f"{norm.id} {norm.fields}".casefold()
            rules = self.rules.get(norm.id, "").casefold()
            if all(each.is_in(sense) or each.is_read(rules) for each in asked):
                told = sum(each.is_in(sense) for each in asked)
                whole = sum(each.is_whole(sense) for each in asked)
                found.append((-told, -whole, norm))
        return [norm for *_, norm in sorted(found, key=lambda each: each[:2])]

    def names(self) -> list[str]:
        """Return every id, rule number and section."""
        sections = {section_of(paragraph) for paragraph in self.paragraphs}
        return [norm.id for norm in self.norms] + [*self.paragraphs, *sorted(sections)]


def _place(norm: Norm) -> tuple[bool, str, int, str]:
    """Return the sort key of a norm: the five sections come first, in the order of kb/.

    Rule numbers are compared as decimals: A4.134 comes before A4.2.
    """
    if not (norm.file.startswith("general/") or "/" not in norm.file or norm.house_rule):
        return False, "", 0, ""
    parts = _NUMBERED.match(norm.paragraph)
    return (True, parts[1], int(parts[2] or 0), parts[3]) if parts else (True, "", 0, "")


def is_name(text: str) -> bool:
    """Test whether a text is an id, a rule number or a section instead of a word."""
    return _ID.fullmatch(text) is not None


def section_of(paragraph: str) -> str:
    """Return the section: B23.71 is in section B23."""
    return paragraph.partition(".")[0]


def catalogue(source: KnowledgeBase) -> Catalogue:
    """Return the catalogue of a knowledge base."""
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
    """Yield the rulings on one sentence, each with every norm that reads its result."""
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
            if ids[0] in one.families
            for other in norms
            if ids[1] in other.families
        ]
    return []


def _yieldings(source: KnowledgeBase) -> Iterator[Precedence]:
    """Yield precedences of prohibitions over general permissions that give way."""
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


# --- Citations: rule numbers with the cited norms.


class Citations(tuple[str, ...]):
    """Rule numbers, each once, in order; `norms` are the cited norms."""

    norms: tuple[str, ...]

    def __new__(cls, paragraphs: Iterable[str] = (), norms: Iterable[str] = ()) -> Citations:
        """Create citations; duplicates are dropped."""
        made = super().__new__(cls, dict.fromkeys(paragraphs))
        made.norms = tuple(norms)
        return made

    def union(self, others: Citations) -> Citations:
        """Return these citations followed by others."""
        return Citations((*self, *others), dict.fromkeys((*self.norms, *others.norms)))

    def __getnewargs__(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(self), self.norms


#: The citations of an answer without norms, or with citations not wanted.
NO_CITATIONS = Citations()
