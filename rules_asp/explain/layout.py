"""What an answer says, for people: items, lines and tables as plain values, and what answers have in common.

Each kind of answer makes its own `Report`. Text output shows its lines and tables. Comparison, summary and
chat line read its items, so that each fact of an answer is worded once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
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
from rules_asp.positions.answer import BoardIssues, Verdict
from rules_asp.positions.position import Position


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


def strong(text: str) -> Span:
    """Words that stand out."""
    return Span(text, Tone.STRONG)


def dim(text: str) -> Span:
    """Words that matter less."""
    return Span(text, Tone.DIM)


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

    `paths`: each path of a move; `everything`: also what is forbidden and passed. `proved`: a proof
    follows, which repeats some of it. `full`: all of a proof, `source`: with the file of each rule.
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


# --- What answers of all kinds have.


_VERDICTS = {
    Verdict.YES: Span("Yes", Tone.GOOD),
    Verdict.FORBIDDEN: Span("Not allowed", Tone.BAD),
    Verdict.NOT_SO: Span("No", Tone.BAD),
    Verdict.UNKNOWN: Span("Unknown", Tone.OPEN),
}


def verdict_span(word: Verdict, more: str = "") -> Span:
    """The verdict of an answer, as a sentence begins with it."""
    return Span(f"{_VERDICTS[word].text}{more}", _VERDICTS[word].tone)


def amount_span(value: int | None) -> Span:
    """A sum, with its sign."""
    if value is None:
        return Span("unknown", Tone.OPEN)
    return Span(f"{value:+d}" if value else "0", Tone.STRONG)


def part_name(position: Position, kind: str, word: str) -> str:
    """The name of a part of a sum, such as FFMO: the phrase of its word, else the word itself."""
    return position.vocabulary.phrases.get((kind, word), word.replace("_", " "))


def part_table(position: Position, parts: Iterable[Item], kind: str = "drm_part") -> Table:
    """The parts of a sum, each with its norm."""

    def row(part: Item) -> Row:
        (norm,) = part.norms
        name = part_name(position, kind, part.label)
        return part.value, name, norm_span(norm), position.program.norms[norm].sense

    return Table(list(map(row, parts)))


def enumeration(names: Sequence[str]) -> str:
    """Names as a sentence lists them: `C3, D2 and E2`."""
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last


def first_few(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def locations_text(places: Iterable[Location]) -> str:
    """Locations in few letters, hex by hex: `C3 C4/0,1,roof D2/1`."""
    by_spot: dict[str, list[int | str]] = {}
    for place in sorted(places, key=location_sort_key):
        by_spot.setdefault(to_board_text(Location(place.spot), "location"), []).append(place.floor)
    return " ".join(
        spot if floors == [0] else f"{spot}/{','.join(map(str, floors))}"
        for spot, floors in by_spot.items()
    )


def _placed(title: str, rows: Sequence[tuple[Collection[str], Row]]) -> Table:
    """Rows, each behind its places; without the column of places where no row has one."""
    if any(places for places, _ in rows):
        return Table([(", ".join(places), *row) for places, row in rows], title)
    return Table([row for _, row in rows], title)


def rules(position: Position, title: str, found: Iterable[tuple[str, str]]) -> Table:
    """The rules that decide, each once with its places (empty: none) and its summary."""
    norms = position.program.norms
    places: dict[str, dict[str, None]] = {}
    for place, norm in found:
        places.setdefault(norm, {}).update({place: None} if place else {})
    return _placed(
        title,
        [(where, (norm_span(norm), norms[norm].sense)) for norm, where in places.items()],
    )


def norms_listed(position: Position, title: str, norms: Iterable[str]) -> Table:
    """Rules without places, each once with its summary."""
    return rules(position, title, (("", norm) for norm in norms))


def defeats(position: Position, found: Iterable[Defeat], shown: Collection[str] = ()) -> Table:
    """The overridden rules, each once with its places and the rule that overrides it.

    The summary of norms that are `shown` already is not repeated.
    """
    norms = position.program.norms
    places: dict[tuple[str, str], dict[str, None]] = {}
    for each in found:
        # A term of the rules is no place.
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
    """The sources of an answer by group, each once: printed rules, assumed ones, interpretations."""
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
    """One's own notes on some paragraphs, where there are any."""
    found = notes.on(cites) if notes else []
    rows = [(norm_span(each.rule), Span(each.kind, Tone.DIM), _note(each)) for each in found]
    return Table(rows, "Notes")


def _note(note: Note) -> Phrase:
    """What a note says; a question with each of its answers, and who gave it."""
    text: list[str | Span] = [note.text] if note.text else []
    for answer, source in note.answers:
        text.append(f"\n- {answer}" if text else f"- {answer}")
        text += [Span(f" ({source})", Tone.DIM)] if source else []
    return (*text, Span(f" ({note.source})", Tone.DIM)) if note.source else text


def unknown(reasons: Iterable[Reason], title: str = "Unknown because") -> Iterator[Block]:
    """Why something is not known, and what would settle it."""
    reasons = tuple(dict.fromkeys(reasons))
    yield reason_table(title, reasons)
    yield from needed(reasons)


def reason_table(title: str, reasons: Iterable[Reason]) -> Table:
    """Reasons, one in a row."""
    return Table([(str(each),) for each in reasons], title)


def needed(reasons: Iterable[Reason]) -> Iterator[Block]:
    """What would settle an answer that is unknown for these reasons, and what the rules leave open."""
    reasons = tuple(reasons)
    yield Table([(each,) for each in what_would_settle(reasons)], "To settle it")
    yield left_open(open_points(reasons))


def left_open(norms: Iterable[Norm]) -> Table:
    """What the texts of some norms leave open."""
    rows = [(norm_span(each.id), each.open_points) for each in norms if each.open_points]
    return Table(rows, "The rules leave open")


def issues(found: BoardIssues) -> Iterator[Block]:
    """What is amiss where an answer passes: faults of the board, doubts of whoever imported it."""
    faults = [(each.where, norm_span(each.norm), each.what) for each in found.faults]
    yield Table(faults, "Rule violations here")
    yield Table(found.doubts, "Doubts of the import here")


def price_text(amount: int | None, paid_in: str) -> str:
    """An amount in quarters with its unit, behind a comma; nothing for None."""
    return "" if amount is None else f", {quarters_text(amount)} {paid_in.upper()}"
