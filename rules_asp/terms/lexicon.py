"""The words of kb/vocabulary.lp and kb/answers*.lp as typed objects: what is stated, what is asked.

The files are read by patterns, not by clingo, because every command reads it at its start; a test
holds this reading against clingo's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

#: The kind of value of a topic that is a plain yes or no, and its two values.
YES_NO, YES, NO = "yes_no", "yes", "no"


@dataclass(frozen=True)
class Entry:
    """A predicate or topic: its name, the kinds of its arguments, and its sense in words."""

    name: str
    kinds: tuple[str, ...]
    sense: str

    @property
    def form(self) -> str:
        """Name and kinds as a user may be shown them: `height(hex)`."""
        return f"{self.name}({', '.join(self.kinds)})" if self.kinds else self.name


@dataclass(frozen=True)
class Input(Entry):
    """What a board states. closed: not stated is false; otherwise not stated is not known."""

    closed: bool


@dataclass(frozen=True)
class Topic(Entry):
    """What rules give values to; `value` is the kind of the value."""

    value: str


@dataclass(frozen=True)
class Derived(Entry):
    """A notion that kb/ derives from one source, or that is measured on the board's drawings."""


@dataclass(frozen=True)
class Form(Entry):
    """A thing made of parts, such as a deed or a shot; `kind` is the kind of argument that it may be."""

    kind: str


@dataclass(frozen=True)
class DeclaredReason(Entry):
    """Why something can be unknown; `need` is what would settle it, empty where nothing can be named.

    In both texts {1} and {2} stand for the arguments.
    """

    need: str


@dataclass(frozen=True)
class Vocabulary:
    """All words: inputs, topics, derived notions, forms and reasons by name, the words of each kind."""

    inputs: Mapping[str, Input]
    topics: Mapping[str, Topic]
    derived: Mapping[str, Derived]
    words: Mapping[str, tuple[str, ...]]
    forms: Mapping[str, Form]
    reasons: Mapping[str, DeclaredReason]

    def predicate(self, name: str) -> Entry | None:
        """The input or derived notion of this name."""
        return self.inputs.get(name) or self.derived.get(name)

    def names(self) -> tuple[str, ...]:
        """Everything that a question can be about."""
        return (*self.topics, *self.derived, *self.inputs)


def kinds_of(name: str, kinds: tuple[str, ...], values: tuple[object, ...]) -> tuple[str, ...]:
    """The kinds of the arguments where one depends on another: MF and MP count in quarters."""
    if name == "has" and len(values) == 3 and values[1] in ("mf", "mp"):
        return (*kinds[:2], "quarter")
    return kinds


#: What a board may state, what may be asked, and why an answer can be unknown: files of kb/.
FILES = (
    "vocabulary.lp",
    "answers.lp",
    "answers_fire.lp",
    "answers_moves.lp",
    "answers_play.lp",
    "answers_dice.lp",
    "answers_guns.lp",
    "answers_streets.lp",
    "answers_roadblocks.lp",
    "answers_towers.lp",
    "answers_abtf3.lp",
    "reasons.lp",
)


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of the knowledge base."""
    folder = resources.files("rules_asp.kb")
    return read("".join(folder.joinpath(name).read_text("utf-8") for name in FILES))


_NOISE = re.compile(r'%\*.*?\*%|%[^\n]*|("(?:[^"\\\n]|\\.)*")', re.DOTALL)
_NAME = r"\s*(\w+)\s*(?:\(([\w,\s]*)\))?\s*"
_SENSE = r'\s*"((?:[^"\\]|\\.)*)"\s*'
_PATTERNS = {
    "input": re.compile(rf"input\({_NAME},\s*(closed|open)\s*,{_SENSE}\)\."),
    "topic": re.compile(rf"topic\({_NAME},\s*(\w+)\s*,{_SENSE}\)\."),
    "derived": re.compile(rf"derived\({_NAME},(){_SENSE}\)\."),
    "measured": re.compile(rf"measured\({_NAME},(){_SENSE}\)\."),
    "form": re.compile(rf"form\({_NAME},\s*(\w+)\s*,{_SENSE}\)\."),
    "deed": re.compile(rf"deed\({_NAME},(){_SENSE}\)\."),
    "reason": re.compile(rf"reason\({_NAME},{_SENSE},{_SENSE}\)\."),
    "word": re.compile(r"word\(\s*(\w+)\s*,\s*(?:\(([\w\s;]*)\)|(\w+))\s*\)\."),
}
_START = re.compile(r"(?<![\w(])(input|topic|derived|measured|form|deed|reason|word)\(")


def read(text: str) -> Vocabulary:
    """Read the facts input/3, topic/3, form/3, deed/2, derived/2, measured/2, reason/3, word/2.

    ValueError for odd ones.
    """
    text = _NOISE.sub(lambda found: found[1] or " ", text)
    inputs: dict[str, Input] = {}
    topics: dict[str, Topic] = {}
    derived: dict[str, Derived] = {}
    words: dict[str, tuple[str, ...]] = {}
    forms: dict[str, Form] = {}
    reasons: dict[str, DeclaredReason] = {}
    end = 0
    while start := _START.search(text, end):
        fact = _PATTERNS[start[1]].match(text, start.start())
        if fact is None:
            line = text[start.start() :].split("\n", 1)[0]
            raise ValueError(f"vocabulary: no fact of the form expected: {line}")
        end = fact.end()
        if start[1] == "word":
            listed = fact[2] if fact[2] is not None else fact[3]
            words[fact[1]] = words.get(fact[1], ()) + tuple(re.findall(r"\w+", listed))
            continue
        name, kinds, sense = fact[1], tuple(re.findall(r"\w+", fact[2] or "")), fact[4]
        if start[1] == "input":
            inputs[name] = Input(name, kinds, sense, fact[3] == "closed")
        elif start[1] == "topic":
            topics[name] = Topic(name, kinds, sense, fact[3])
        elif start[1] == "reason":
            reasons[name] = DeclaredReason(name, kinds, fact[3], fact[4])
        elif start[1] in ("form", "deed"):
            forms[name] = Form(name, kinds, sense, fact[3] or "deed")
        else:
            derived[name] = Derived(name, kinds, sense)
    return Vocabulary(inputs, topics, derived, words, forms, reasons)
