"""The words of kb/vocabulary.lp and kb/queries*.lp as typed objects: what is stated, what is asked.

The files are read by patterns, not by clingo, because every command reads it at its start; a test
holds this reading against clingo's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import resources

from rules_asp.game.house_rules import (
    RuleText,
    SourceError,
    default_house_rules_dir,
    read_house_rules,
)

#: The kind of a place in which may stand whatever there is.
ANY_BOARD_TERM = "anything"

#: The kind of value of a topic that is a plain yes or no, and its two values.
YES_NO, YES, NO = "yes_no", "yes", "no"


@dataclass(frozen=True)
class Declaration:
    """A predicate or topic: its name, the kinds of its arguments, and its sense in words."""

    name: str
    kinds: tuple[str, ...]
    meaning: str

    @property
    def form(self) -> str:
        """Name and kinds as a user may be shown them: `height(hex)`."""
        return f"{self.name}({', '.join(self.kinds)})" if self.kinds else self.name


@dataclass(frozen=True)
class Input(Declaration):
    """What a board states. closed: not stated is false; otherwise not stated is not known.

    once: so many first arguments for which a board states it once; None: it is stated freely.
    """

    closed: bool
    once: int | None = None


@dataclass(frozen=True)
class Topic(Declaration):
    """What rules give values to; `value` is the kind of the value."""

    value: str


@dataclass(frozen=True)
class Derived(Declaration):
    """A notion that kb/ derives from one source, or that is measured on the board's drawings."""


@dataclass(frozen=True)
class Form(Declaration):
    """A thing made of parts, such as a deed or a shot; `kind` is the kind of argument that it may be."""

    kind: str


@dataclass(frozen=True)
class Sentence:
    """A sentence for a form, or for a topic that is a yes or no.

    `fixed` are the words that it implies in the places of the form, "any" where it implies none; empty
    where it implies nothing. In the text {1} stands for the first place of the form.
    """

    form: str
    fixed: tuple[str, ...]
    text: str

    def implied(self, place: int) -> str | None:
        """The word that the sentence implies in a place, from 0."""
        word = self.fixed[place] if self.fixed else "any"
        return None if word == "any" else word


@dataclass(frozen=True)
class ReasonDeclaration(Declaration):
    """Why something can be unknown; `need` is what would settle it, empty where nothing can be named.

    In both texts {1} and {2} stand for the arguments.
    """

    need: str


@dataclass(frozen=True)
class Counterpart:
    """What stands against a notion that does not hold: this other one, with its further arguments.

    `forbids`: what it stands against is then forbidden, and not only not so.
    """

    name: str
    further: tuple[str, ...]
    forbids: bool


@dataclass(frozen=True)
class ChangeKind:
    """A kind of what can be changed of a board: the inputs that are of it.

    `scope` is `play` for what comes and goes in the course of play, else `scenario` or `map`.
    """

    name: str
    scope: str
    inputs: tuple[str, ...]


@dataclass(frozen=True)
class TrialInput:
    """An input that can be put on a board to see what comes of it, and what is tried in each place.

    A range is a kind of arguments, an input that begins with such, or values.
    """

    name: str
    ranges: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """All words: inputs, topics, derived notions, forms and reasons by name, the words of each kind.

    `against` tells of a derived notion what stands against it.
    """

    inputs: Mapping[str, Input]
    topics: Mapping[str, Topic]
    derived: Mapping[str, Derived]
    words: Mapping[str, tuple[str, ...]]
    forms: Mapping[str, Form]
    reasons: Mapping[str, ReasonDeclaration]
    #: By kind and word: the kind of the number that follows the word.
    measures: Mapping[tuple[str, str], str] = field(default_factory=dict)
    against: Mapping[str, Counterpart] = field(default_factory=dict)
    sentences: tuple[Sentence, ...] = ()
    #: By kind and word: how the word is said in a sentence.
    phrases: Mapping[tuple[str, str], str] = field(default_factory=dict)
    #: By kind and another word for it: the word that is meant.
    synonyms: Mapping[tuple[str, str], str] = field(default_factory=dict)
    changes: Mapping[str, ChangeKind] = field(default_factory=dict)
    supposable: tuple[TrialInput, ...] = ()

    def predicate(self, name: str) -> Declaration | None:
        """The input or derived notion of this name."""
        return self.inputs.get(name) or self.derived.get(name)

    def kinds(self, name: str, count: int) -> tuple[str, ...]:
        """The kinds of so many arguments of a form, topic or predicate; `anything` where it is none."""
        for entries in (self.forms, self.topics, self.derived, self.inputs):
            entry = entries.get(name)
            if entry is not None and len(entry.kinds) == count:
                return entry.kinds
        return (ANY_BOARD_TERM,) * count

    def names(self) -> tuple[str, ...]:
        """Everything that a question can be about."""
        return (*self.topics, *self.derived, *self.inputs)

    def sentences_of(self, form: str) -> tuple[Sentence, ...]:
        """The sentences for a form or topic; the one that is told comes before others."""
        return tuple(each for each in self.sentences if each.form == form)

    def entry_of(self, sentence: Sentence) -> Form | Topic:
        """What a sentence is about."""
        return self.forms.get(sentence.form) or self.topics[sentence.form]

    def kinds_of(self, kinds: tuple[str, ...], values: Sequence[object]) -> tuple[str, ...]:
        """The kinds of arguments, of which one can hang on the one before: MF count in quarters."""
        told = list(kinds)
        for place, pair in enumerate(zip(kinds[:-1], map(str, values), strict=False), 1):
            if kinds[place] == "number":
                told[place] = self.measures.get(pair, "number")
        return tuple(told)


def declares(file: str) -> bool:
    """Whether a file of kb/ says what is stated, asked, or why an answer is unknown, and no rule."""
    return file in _ENDS or (file.startswith("queries") and file.endswith(".lp"))


def reading_order(files: Iterable[str]) -> list[str]:
    """Those of the files that declare words: what is stated, what is asked, why it can be unknown."""
    return sorted(filter(declares, files), key=lambda file: (_ENDS.get(file, 0), file))


_ENDS = {"vocabulary.lp": -2, "word_lists.lp": -1, "unknown_reasons.lp": 1, "changes.lp": 2}


@lru_cache(maxsize=8)
def vocabulary(house_rules: tuple[RuleText, ...] = ()) -> Vocabulary:
    """The vocabulary of the knowledge base and of house rules; SourceError for odd ones of these."""
    folder = resources.files("rules_asp.kb")
    names = reading_order(each.name for each in folder.iterdir())
    text = "".join(folder.joinpath(name).read_text("utf-8") for name in names)
    words = parse_declarations(text)
    for own in house_rules:
        text = f"{text}\n{own.text}"
        try:
            words = parse_declarations(text)
        except ValueError as error:
            raise SourceError(f"{own.name}: {error}") from None
    return words


def default_vocabulary() -> Vocabulary:
    """The vocabulary of the rules that one plays by where nothing else is said."""
    return vocabulary(read_house_rules(default_house_rules_dir()))


_NOISE = re.compile(r'%\*.*?\*%|%[^\n]*|("(?:[^"\\\n]|\\.)*")', re.DOTALL)
_NAME = r"\s*(\w+)\s*(?:\(([\w,\s]*)\))?\s*"
_SENSE = r'\s*"((?:[^"\\]|\\.)*)"\s*'
_TRIED = r"\s*(?:\w+|\([\w\s;]*\))\s*"
_PATTERNS = {
    "input": re.compile(rf"input\({_NAME},\s*(closed|open)\s*,{_SENSE}\)\."),
    "topic": re.compile(rf"topic\({_NAME},\s*(\w+)\s*,{_SENSE}\)\."),
    "derived": re.compile(rf"derived\({_NAME},(){_SENSE}\)\."),
    "measured": re.compile(rf"measured\({_NAME},(){_SENSE}\)\."),
    "form": re.compile(rf"form\({_NAME},\s*(\w+)\s*,{_SENSE}\)\."),
    "deed": re.compile(rf"deed\({_NAME},(){_SENSE}\)\."),
    "reason": re.compile(rf"reason\({_NAME},{_SENSE},{_SENSE}\)\."),
    "word": re.compile(r"word\(\s*(\w+)\s*,\s*(?:\(([\w\s;]*)\)|(\w+))\s*\)\."),
    "measure": re.compile(r"measure\((\w+),\s*(?:\(([\w\s;]*)\)|(\w+)),\s*(\w+)\)\."),
    "sentence": re.compile(rf"sentence\({_NAME},{_SENSE}\)\."),
    "phrase": re.compile(rf"phrase\(\s*(\w+)\s*,\s*(\w+)\s*,{_SENSE}\)\."),
    "synonym": re.compile(r"synonym\(\s*(\w+)\s*,\s*(?:\(([\w\s;]*)\)|(\w+))\s*,\s*(\w+)\s*\)\."),
    "once": re.compile(r"once\(([\w\s,;()]*)\)\."),
    "change": re.compile(
        r"change\(\s*(\w+)\s*,\s*(play|scenario|map)\s*,\s*(?:\(([\w\s;]*)\)|(\w+))\s*\)\."
    ),
    "supposes": re.compile(rf"supposes\(\s*(\w+)\s*(?:\(({_TRIED}(?:,{_TRIED})*)\))?\s*\)\."),
    "against": re.compile(rf"against\({_NAME},{_NAME},\s*(forbidden|not_so)\s*\)\."),
}
_START = re.compile(
    r"(?<![\w(])(input|topic|derived|measured|form|deed|reason|word|measure|once|against|sentence|phrase"
    r"|synonym|change|supposes)\("
)
_SIGNATURE = re.compile(_NAME)
_RANGE = re.compile(r"\(([\w\s;]*)\)|(\w+)")


def parse_declarations(text: str) -> Vocabulary:
    """Read the facts input/3, topic/3, form/3, deed/2, derived/2, measured/2, word/2, reason/3,
    measure/3, once/1, against/3, sentence/2, phrase/3, synonym/3, change/3, supposes/1.

    ValueError for odd ones.
    """
    text = _NOISE.sub(lambda found: found[1] or " ", text)
    inputs: dict[str, Input] = {}
    topics: dict[str, Topic] = {}
    derived: dict[str, Derived] = {}
    words: dict[str, tuple[str, ...]] = {}
    forms: dict[str, Form] = {}
    measures: dict[tuple[str, str], str] = {}
    reasons: dict[str, ReasonDeclaration] = {}
    against: dict[str, Counterpart] = {}
    sentences: list[Sentence] = []
    phrases: dict[tuple[str, str], str] = {}
    synonyms: dict[tuple[str, str], str] = {}
    changes: dict[str, ChangeKind] = {}
    supposable: list[TrialInput] = []
    end = 0
    while start := _START.search(text, end):
        fact = _PATTERNS[start[1]].match(text, start.start())
        if fact is None:
            line = text[start.start() :].split("\n", 1)[0]
            raise ValueError(f"vocabulary: no fact of the form expected: {line}")
        end = fact.end()
        if start[1] in ("word", "measure", "synonym"):
            listed = re.findall(r"\w+", fact[2] if fact[2] is not None else fact[3])
            if start[1] == "word":
                words[fact[1]] = words.get(fact[1], ()) + tuple(listed)
            elif start[1] == "synonym":
                synonyms |= {(fact[1], word): fact[4] for word in listed}
            else:
                measures |= {(fact[1], word): fact[4] for word in listed}
            continue
        if start[1] == "against":
            kinds, by = (tuple(re.findall(r"\w+", fact[place] or "")) for place in (2, 4))
            if by[: len(kinds)] != kinds:
                raise ValueError(f"vocabulary: {fact[3]} is of other things than {fact[1]}")
            against[fact[1]] = Counterpart(fact[3], by[len(kinds) :], fact[5] == "forbidden")
            continue
        if start[1] == "once":
            for said in _SIGNATURE.finditer(fact[1]):
                first = tuple(re.findall(r"\w+", said[2] or ""))
                if said[1] not in inputs or inputs[said[1]].kinds[: len(first)] != first:
                    raise ValueError(f"vocabulary: no input begins so: {said[0]}")
                inputs[said[1]] = replace(inputs[said[1]], once=len(first))
            continue
        if start[1] == "change":
            of = tuple(re.findall(r"\w+", fact[3] if fact[3] is not None else fact[4]))
            changes[fact[1]] = ChangeKind(fact[1], fact[2], of)
            continue
        if start[1] == "supposes":
            ranges = (
                re.findall(r"\w+", each[0] or each[1]) for each in _RANGE.findall(fact[2] or "")
            )
            supposable.append(TrialInput(fact[1], tuple(map(tuple, ranges))))
            continue
        if start[1] == "phrase":
            phrases[fact[1], fact[2]] = fact[3]
            continue
        if start[1] == "sentence":
            sentences.append(Sentence(fact[1], tuple(re.findall(r"\w+", fact[2] or "")), fact[3]))
            continue
        name, kinds, sense = fact[1], tuple(re.findall(r"\w+", fact[2] or "")), fact[4]
        if start[1] == "input":
            inputs[name] = Input(name, kinds, sense, fact[3] == "closed")
        elif start[1] == "topic":
            topics[name] = Topic(name, kinds, sense, fact[3])
        elif start[1] == "reason":
            reasons[name] = ReasonDeclaration(name, kinds, fact[3], fact[4])
        elif start[1] in ("form", "deed"):
            forms[name] = Form(name, kinds, sense, fact[3] or "deed")
        else:
            derived[name] = Derived(name, kinds, sense)
    return Vocabulary(
        inputs,
        topics,
        derived,
        words,
        forms,
        reasons,
        measures,
        against,
        tuple(sentences),
        phrases,
        synonyms,
        changes,
        tuple(supposable),
    )
