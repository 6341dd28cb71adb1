"""Layout: the report of an answer as plain values (items, lines, tables), and its common parts.

Each kind of answer makes its own `Report`. Text output shows the lines and tables. Comparison,
summary and chat line read the items, so each fact of an answer is worded once.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from rules_asp.explain.proof import Defeat
from rules_asp.explain.unknown import Reason, open_points, what_would_settle
from rules_asp.game.grid import Location
from rules_asp.game.query import location_sort_key
from rules_asp.game.values import quarters_text, to_board_text
from rules_asp.knowledge.catalogue import Citations
from rules_asp.knowledge.notes import Note, Notes
from rules_asp.knowledge.rules import Norm
from rules_asp.positions.position import Position
from rules_asp.positions.scope import BoardIssues, Verdict


class Tone(StrEnum):
    """The emphasis of words; the renderer chooses the colors."""

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


def strong(text: str) -> Span:
    """Return emphasized words."""
    return Span(text, Tone.STRONG)


def dim(text: str) -> Span:
    """Return words in a fainter tone."""
    return Span(text, Tone.DIM)


def norm_span(*norms: str) -> Span:
    """Return the ids of norms."""
    return Span(", ".join(norms), Tone.NORM)


def spans(phrase: Phrase) -> Sequence[str | Span]:
    """Return the parts of a phrase."""
    return (phrase,) if isinstance(phrase, str | Span) else phrase


@dataclass(frozen=True)
class Item:
    """A fact of an answer: its subject, its value, and its sources.

    `verdict`: the item is the verdict of the whole answer; `short` is its value as `expect` lines
    write it. `norms` give the value, `cites` are the rules behind it, and `why` explains an unknown
    value. `parts` are the terms of a sum or a Hindrance; each has a label or a place.
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
    """A line of text; a `whole` line is not wrapped."""

    phrase: Phrase
    whole: bool = False


@dataclass(frozen=True)
class Table:
    """Rows in columns below a title; a table without rows and heads is not shown."""

    rows: Sequence[Row]
    title: str = ""
    heads: Sequence[str] = ()
    indent: int = 2


@dataclass(frozen=True)
class Tree:
    """A text with child texts, for example a proof."""

    phrase: Phrase
    below: tuple[Tree, ...] = ()


Block = Line | Table | Tree


@dataclass(frozen=True)
class View:
    """How much of an answer is shown.

    `paths`: each path of a move. `everything`: also forbidden steps and vertices. `full`: the
    whole proof. `source`: the file of each rule.
    """

    paths: bool = False
    everything: bool = False
    full: bool = False
    source: bool = False


#: A list that is longer than its maximum by so few is not cut.
_FEW = 3
#: Maximum number of Locations that are listed with one reason; `--all` lists all.
MOST_PLACES = 12
#: The view without any option.
VIEW = View()


@dataclass(frozen=True)
class Report:
    """The content of an answer: its items, the lines and tables that show them, and its norms."""

    items: tuple[Item, ...]
    blocks: tuple[Block, ...]
    norms: tuple[str, ...] = ()


def blocks(*found: Block | Iterable[Block] | None) -> tuple[Block, ...]:
    """Return blocks in order, without None."""
    made: list[Block] = []
    for each in found:
        if isinstance(each, Block):
            made.append(each)
        elif each is not None:
            made.extend(each)
    return tuple(made)


# --- Parts common to all kinds of answers.


_VERDICTS = {
    Verdict.YES: Span("Yes", Tone.GOOD),
    Verdict.FORBIDDEN: Span("Not allowed", Tone.BAD),
    Verdict.NOT_SO: Span("No", Tone.BAD),
    Verdict.UNKNOWN: Span("Unknown", Tone.OPEN),
}


def verdict_span(word: Verdict, more: str = "") -> Span:
    """Return the verdict as the beginning of a sentence."""
    return Span(f"{_VERDICTS[word].text}{more}", _VERDICTS[word].tone)


def amount_span(value: int | None) -> Span:
    """Return a sum with its sign."""
    if value is None:
        return Span("unknown", Tone.OPEN)
    return Span(f"{value:+d}" if value else "0", Tone.STRONG)


def part_table(position: Position, parts: Iterable[Item], kind: str = "drm_part") -> Table:
    """Return the table of the parts of a sum, each with its norm."""

    def row(part: Item) -> Row:
        (norm,) = part.norms
        name = position.vocabulary.phrase_for(kind, part.label)
        return part.value, name, norm_span(norm), position.program.norms[norm].sense

    return Table(list(map(row, parts)))


def enumeration(names: Sequence[str]) -> str:
    """Join names for a sentence: `C3, D2 and E2`."""
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last


def first_few(names: Sequence[str], most: int) -> str:
    """Return the first names and the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def locations_text(places: Iterable[Location], most: int | None = None) -> str:
    """Return Locations in a short form, hex by hex: `C3 C4/0,1,roof D2/1`.

    Beyond `most` Locations the others are counted, unless they are only a few: `C3 and 5 more`.
    """
    every = sorted(dict.fromkeys(places), key=location_sort_key)
    if most is not None and len(every) > most + _FEW:
        return f"{locations_text(every[:most])} and {len(every) - most} more"
    by_spot: dict[str, list[int | str]] = {}
    for place in every:
        by_spot.setdefault(to_board_text(Location(place.spot), "location"), []).append(place.floor)
    return " ".join(
        spot if floors == [0] else f"{spot}/{','.join(map(str, floors))}"
        for spot, floors in by_spot.items()
    )


def _placed(title: str, rows: Sequence[tuple[Collection[str], Row]]) -> Table:
    """Return rows with a column of places; the column is left out if it is empty."""
    if any(places for places, _ in rows):
        return Table([(", ".join(places), *row) for places, row in rows], title)
    return Table([row for _, row in rows], title)


def rules(position: Position, title: str, found: Iterable[tuple[str, str]]) -> Table:
    """Return the deciding rules, each once with its places (empty: none) and its summary."""
    norms = position.program.norms
    places: dict[str, dict[str, None]] = {}
    for place, norm in found:
        places.setdefault(norm, {}).update({place: None} if place else {})
    return _placed(
        title,
        [(where, (norm_span(norm), norms[norm].sense)) for norm, where in places.items()],
    )


def norms_listed(position: Position, title: str, norms: Iterable[str]) -> Table:
    """Return rules without places, each once with its summary."""
    return rules(position, title, (("", norm) for norm in norms))


def defeats(position: Position, found: Iterable[Defeat], shown: Collection[str] = ()) -> Table:
    """Return the overridden rules, each once with its places and the overriding rule.

    It does not repeat the summary of norms in `shown`.
    """
    norms = position.program.norms
    places: dict[tuple[str, str], dict[str, None]] = {}
    for each in found:
        # A term of the rules is not a place.
        where = {} if "(" in each.about else {each.about: None}
        places.setdefault((each.norm, each.by), {}).update(where)

    def row(norm: str, by: str) -> Row:
        sense = norms[by].sense if by in norms and by not in shown else ""
        return (norm_span(norm), " by ", norm_span(by)), sense

    return _placed("Overridden", [(where, row(*pair)) for pair, where in places.items()])


_SOURCES = {
    "printed": "Rules",
    "less sure": "Our interpretations (less sure)",
    "assumed": "General rules (assumed)",
    "our reading": "Our interpretations",
    "own rules": "Your house rules",
}


def citations(position: Position, cites: Citations) -> Iterator[Block]:
    """Return the sources of an answer, each once: printed rules, assumed rules, interpretations."""
    leaning = position.program.leaning(cites)
    others = {each for found in leaning.values() for each in found}
    groups = {"printed": [each for each in cites if each not in others], **leaning}
    shown: set[str] = set()
    for group in _SOURCES:
        found = [each for each in groups[group] if each not in shown]
        shown.update(found)
        if found:
            yield Line((Span(f"{_SOURCES[group]}: ", Tone.DIM), norm_span(*found)))
    yield noted(position.program.notes, cites)


def noted(notes: Notes | None, cites: Iterable[str]) -> Table:
    """Return the user's notes on some rules."""
    found = notes.on(cites) if notes else []
    rows = [(norm_span(each.rule), Span(each.kind, Tone.DIM), _note(each)) for each in found]
    return Table(rows, "Notes")


def _note(note: Note) -> Phrase:
    """Return a note as text; a question includes each answer and its author."""
    text: list[str | Span] = [note.text] if note.text else []
    for answer, source in note.answers:
        text.append(f"\n- {answer}" if text else f"- {answer}")
        text += [Span(f" ({source})", Tone.DIM)] if source else []
    return (*text, Span(f" ({note.source})", Tone.DIM)) if note.source else text


def unknown(reasons: Iterable[Reason], title: str = "Unknown because") -> Iterator[Block]:
    """Return why the answer is unknown, and what would settle it."""
    reasons = tuple(dict.fromkeys(reasons))
    yield reason_table(title, reasons)
    yield from needed(reasons)


def reason_table(title: str, reasons: Iterable[Reason]) -> Table:
    """Return a table with one reason a row."""
    return Table([(str(each),) for each in reasons], title)


def needed(reasons: Iterable[Reason]) -> Iterator[Block]:
    """Return what would settle an unknown answer, and what the rules leave open."""
    reasons = tuple(reasons)
    yield Table([(each,) for each in what_would_settle(reasons)], "To settle it")
    yield left_open(open_points(reasons))


def left_open(norms: Iterable[Norm]) -> Table:
    """Return the points that the texts of some norms leave open."""
    rows = [(norm_span(each.id), each.open_points) for each in norms if each.open_points]
    return Table(rows, "The rules leave open")


def issues(found: BoardIssues) -> Iterator[Block]:
    """Return the board faults and uncertain map data that affect an answer."""
    faults = [(each.where, norm_span(each.norm), each.what) for each in found.faults]
    yield Table(faults, "Rule violations here")
    doubts = merged((text, where, text) for where, text in found.doubts)
    yield Table(doubts, "Doubts of the import here")


def merged(rows: Iterable[tuple[Hashable, str, str]]) -> list[tuple[str, str]]:
    """Return rows of subject and text, given with a key; rows with one key become one row."""
    groups: dict[Hashable, list[tuple[str, str]]] = {}
    for key, subject, text in rows:
        groups.setdefault(key, []).append((subject, text))
    return [
        (subject + (f" and {len(others)} more" if others else ""), text)
        for (subject, text), *others in groups.values()
    ]


def price_text(amount: int | None, paid_in: str) -> str:
    """Return an amount in quarters with its unit, after a comma; empty for None."""
    return "" if amount is None else f", {quarters_text(amount)} {paid_in.upper()}"
