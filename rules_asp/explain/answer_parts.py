"""Parts that answers of all kinds have, for reports and records: rules, defeats, citations, unknown, issues.

A function with `_record` gives JSON, the others give lines and tables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from rules_asp.explain.proof import Defeat
from rules_asp.explain.report import (
    Block,
    Item,
    Line,
    Phrase,
    Record,
    Row,
    Span,
    Table,
    Tone,
    norm_span,
)
from rules_asp.explain.unknown import Reason, open_points, what_would_settle
from rules_asp.game.grid import Location
from rules_asp.game.query import location_sort_key
from rules_asp.game.values import quarters_text, to_board_text
from rules_asp.knowledge.catalogue import Citations
from rules_asp.knowledge.notes import Note, Notes
from rules_asp.knowledge.rules import Norm
from rules_asp.positions.answer import BoardIssues, BrokenNorm, Verdict
from rules_asp.positions.position import Position

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


# --- The same as JSON.


def citations_record(position: Position, cites: Citations) -> Record:
    """What an answer rests on, and which of that the printed text does not give."""
    leaning = position.program.leaning(cites)
    return {
        "cites": list(cites),
        "assumed": leaning["assumed"],
        "readings": leaning["our reading"],
        "own": leaning["own rules"],
        "less_sure": leaning["less sure"],
        **_left_open_record(position.program.norms[each] for each in cites.norms),
        **notes_record(position.program.notes, cites),
    }


def _left_open_record(norms: Iterable[Norm]) -> Record:
    """What the texts of some norms leave open; no key where they leave nothing open."""
    found = [{"norm": each.id, "open": each.open_points} for each in norms if each.open_points]
    return {"open": found} if found else {}


def notes_record(notes: Notes | None, cites: Iterable[str]) -> Record:
    """One's own notes on some paragraphs; no key where none are told."""
    return {} if notes is None else {"notes": [_note_record(each) for each in notes.on(cites)]}


def _note_record(note: Note) -> Record:
    return {
        "cite": note.rule,
        "kind": note.kind,
        "caption": note.caption or None,
        "text": note.text,
        "answers": [{"text": text, "source": source or None} for text, source in note.answers],
        "source": note.source or None,
    }


def issues_record(found: BoardIssues) -> Record:
    """Faults of the board and doubts of its importer where an answer passes; no keys for none."""
    rows = {
        "faults": [fault_record(each) for each in found.faults],
        "doubts": [{"at": where, "what": text} for where, text in found.doubts],
    }
    return {key: each for key, each in rows.items() if each}


def fault_record(breach: BrokenNorm) -> Record:
    """A norm that the board breaks."""
    cite = {"norm": breach.norm, "cite": breach.paragraph}
    return {**cite, "what": breach.what, "at": breach.where}


def unknown_record(reasons: Sequence[Reason], so: bool) -> Record:
    """Why something is unknown and what is needed; no keys where nothing is and it is not `so`."""
    if not reasons and not so:
        return {}
    return {
        "unknown": {
            "why": "; ".join(map(str, reasons)),
            "needs": list(what_would_settle(reasons)),
            **_left_open_record(open_points(reasons)),
        }
    }


def cite_record(position: Position, norm: str) -> Record:
    """A norm with its paragraph."""
    return {"norm": norm, "cite": position.program.norms[norm].paragraph}


def defeats_record(found: Iterable[Defeat]) -> list[Record]:
    """The norms that were beaten, each with what it would say otherwise, and by which norm."""
    return [{"norm": each.norm, "by": each.by, "about": each.about} for each in found]


def paid_record(amount: int | None, paid_in: str) -> Record:
    """An amount in quarters under the name of what it is paid in."""
    return {price: mf_number(amount) if price == paid_in else None for price in ("mf", "mp")}


def mf_number(amount: int | None) -> float | None:
    """Quarters of an MF as MF."""
    return None if amount is None else amount / 4


def price_text(amount: int | None, paid_in: str) -> str:
    """An amount in quarters with its unit, behind a comma; nothing for None."""
    return "" if amount is None else f", {quarters_text(amount)} {paid_in.upper()}"


def level_number(half_levels: int | None) -> int | float | None:
    """Half levels as levels."""
    if half_levels is None:
        return None
    return half_levels // 2 if half_levels % 2 == 0 else half_levels / 2
