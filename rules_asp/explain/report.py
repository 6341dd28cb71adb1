"""Report: what an answer says, as plain values; each kind of answer makes its own.

A report has items, lines and tables. Text output shows the lines and tables. Comparison, summary, chat line
and captions read the items, so that each fact of an answer is worded once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

#: A JSON object.
Record = dict[str, Any]


class Tone(StrEnum):
    """How words are shown; the renderer chooses the colours."""

    PLAIN = ""
    STRONG = "strong"
    GOOD = "good"
    BAD = "bad"
    OPEN = "open"
    SURE = "sure"
    DOUBT = "doubt"
    NORM = "norm"
    DIM = "dim"


class Span(NamedTuple):
    """Words with a tone."""

    text: str
    tone: Tone

    def __str__(self) -> str:
        return self.text


#: A text whose parts may have tones.
Phrase = str | Span | Sequence["str | Span"]
Row = Sequence[Phrase]


def norm_span(*norms: str) -> Span:
    """Norms by their ids."""
    return Span(", ".join(norms), Tone.NORM)


def spans(phrase: Phrase) -> Sequence[str | Span]:
    """The parts of a phrase."""
    return (phrase,) if isinstance(phrase, str | Span) else phrase


@dataclass(frozen=True)
class Item:
    """A fact of an answer: what it is about, its value, and where it comes from.

    `verdict`: the whole answer amounts to it; `short` is then its value in the words of `expect` lines.
    `norms` give the value, `cites` are the paragraphs behind it, `why` says why it is unknown. `parts` are
    what a sum or a Hindrance consists of; a part has a label or a place.
    """

    label: str
    value: str
    norms: tuple[str, ...] = ()
    place: str = ""
    verdict: bool = False
    short: str = ""
    parts: tuple[Item, ...] = ()
    cites: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Line:
    """A line of text; one that is `whole` is not wrapped."""

    phrase: Phrase
    whole: bool = False


@dataclass(frozen=True)
class Table:
    """Rows in columns below a title; without rows and heads nothing is shown."""

    rows: Sequence[Row]
    title: str = ""
    heads: Sequence[str] = ()
    indent: int = 2


@dataclass(frozen=True)
class Tree:
    """A text with others below it, as a proof has them."""

    phrase: Phrase
    below: tuple[Tree, ...] = ()


Block = Line | Table | Tree


@dataclass(frozen=True)
class View:
    """How much of an answer a reader wants.

    `paths`: each path of a move; `everything`: also what is forbidden and passed. `proved`: a proof follows, which repeats some of it. `full`: all of a proof,
    `source`: with the place of each rule in its file.
    """

    paths: bool = False
    everything: bool = False
    proved: bool = False
    full: bool = False
    source: bool = False


#: What is shown without any option.
VIEW = View()


@dataclass(frozen=True)
class Report:
    """What an answer says: its items, the lines and tables that show them, the norms that it rests on."""

    items: tuple[Item, ...]
    blocks: tuple[Block, ...]
    norms: tuple[str, ...] = ()


def blocks(*found: Block | Iterable[Block] | None) -> tuple[Block, ...]:
    """Blocks in a row; None is left out."""
    made: list[Block] = []
    for each in found:
        if isinstance(each, Block):
            made.append(each)
        elif each is not None:
            made.extend(each)
    return tuple(made)
