"""How text is laid out: the console, tables, sections, colours; what every answer ends with."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rules_asp.explain.proof import Defeat
from rules_asp.explain.unknown import Reason, what_would_settle
from rules_asp.knowledge.catalogue import Citations
from rules_asp.knowledge.notes import Note, Notes
from rules_asp.positions.answer import Answer, Verdict
from rules_asp.positions.position import Position
from rules_asp.queries.query_facts import RelatedTopic

#: What does not go to a terminal is this wide, so that it reads the same everywhere.
WIDTH = 100
NORM, GOOD, BAD, DOUBT, DIM = "cyan", "green", "red", "yellow", "dim"
Row = Sequence[str | Text]
#: A column that is not the last is at most so wide: what is longer goes on in the next line.
_LONG = 56


@contextmanager
def console() -> Iterator[Console]:
    """Where answers go; away from a terminal, lines end with their last letter."""
    out = Console(highlight=False, markup=False, emoji=False)
    if out.is_terminal:
        yield out
        return
    text = io.StringIO()
    yield Console(file=text, highlight=False, markup=False, emoji=False, width=WIDTH)
    # Other marks than the line feed that end a line somewhere can stand in a name.
    *lines, rest = text.getvalue().split("\n")
    for line in [*lines, rest] if rest else lines:
        print(line.rstrip(" "))


def verdict(clear: bool | None, hindrance: int) -> Text:
    """Whether a line is clear, with its Hindrance."""
    if clear is None:
        return Text("unknown", f"bold {DOUBT}")
    if not clear:
        return Text("blocked", f"bold {BAD}")
    return Text("clear" + (f", Hindrance +{hindrance}" if hindrance else ""), f"bold {GOOD}")


_COLOURS = {Verdict.YES: GOOD, Verdict.FORBIDDEN: BAD, Verdict.NOT_SO: BAD, Verdict.UNKNOWN: DOUBT}


def verdict_text(word: Verdict) -> Text:
    """The word that an answer comes to."""
    return Text(word, _COLOURS[word])


def defeats_text(
    out: Console, position: Position, found: Iterable[Defeat], shown: Collection[str] = ()
) -> None:
    """Which norms would have had it otherwise, on what, and by which norm they are beaten.

    The sense of norms that are `shown` already is not repeated.
    """
    norms = position.program.norms
    rows = [
        (
            each.about,
            Text(each.norm, NORM),
            Text("by ") + Text(each.by, NORM),
            norms[each.by].sense if each.by in norms and each.by not in shown else "",
        )
        for each in found
    ]
    section(out, "beaten", rows)


def citations_text(out: Console, position: Position, cites: Citations) -> None:
    """The paragraphs of an answer, if there are any, and which of them are not of the printed text."""
    if not cites:
        return
    out.print(Text.assemble(("rests on ", DIM), (", ".join(cites), NORM)))
    leaning = position.program.leaning(cites)
    parts = [f"{how} {', '.join(found)}" for how, found in leaning.items() if found]
    if parts:
        out.print(Text(f"  of these {'; '.join(parts)}", DIM))
    noted(out, position.program.notes, cites)


def noted(out: Console, notes: Notes | None, cites: Iterable[str]) -> None:
    """One's own notes on some paragraphs, where there are any."""
    found = notes.on(cites) if notes else []
    rows = [(Text(each.rule, NORM), Text(each.kind, DIM), _note(each)) for each in found]
    section(out, "notes", rows)


def _note(note: Note) -> Text:
    """What a note says; a question with each of its answers, and who gave it."""
    text = Text(note.text)
    for answer, source in note.answers:
        text.append("\n" if text else "").append(f"- {answer}")
        text.append(f" ({source})" if source else "", DIM)
    return text.append(f" ({note.source})", DIM) if note.source else text


def unknown(out: Console, reasons: Sequence[Reason]) -> None:
    """Why something is not known, and what would settle it."""
    section(out, "not known", [(str(each),) for each in reasons])
    needed(out, reasons)


def needed(out: Console, reasons: Iterable[Reason]) -> None:
    """What would settle what is not known for these reasons."""
    section(out, "what is needed", [(each,) for each in what_would_settle(reasons)])


def related_text(out: Console, position: Position, told: Sequence[RelatedTopic]) -> None:
    """What is told with an answer besides what was asked, each with the norm that gives it."""
    norms = position.program.norms
    rows = [
        (
            f"{each.topic} = {each.value}" if each.value else f"{each.topic} unknown",
            Text(each.norm, NORM),
            norms[each.norm].sense if each.norm else "",
        )
        for each in told
    ]
    section(out, "besides", rows)


def issues_text(out: Console, answer: Answer) -> None:
    """What is amiss where an answer passes: faults of the board, doubts of whoever imported it."""
    faults = answer.beside.faults
    section(
        out,
        "faults of the board here",
        [(each.where, Text(each.norm, NORM), each.what) for each in faults],
    )
    section(out, "in doubt here", list(answer.beside.doubts))


def section(out: Console, title: str, rows: Sequence[Row]) -> None:
    """A heading with its rows below it; nothing where there are none."""
    if rows:
        out.print(f"{title}:")
        table(out, rows, indent=2)


def table(out: Console, rows: Sequence[Row], heads: Sequence[str] = (), indent: int = 0) -> None:
    """Rows in columns; their last column takes the rest of the line, and no other more than is bearable."""
    if not rows and not heads:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=bool(heads), pad_edge=False)
    width = len(rows[0]) if rows else len(heads)
    for number in range(width):
        head = heads[number] if number < len(heads) else ""
        cells = [str(row[number]) for row in rows]
        long = number < width - 1 and max(map(len, cells), default=0) > _LONG
        table.add_column(
            Text(head, "bold"),
            no_wrap=number < width - 1 and not long,
            overflow="fold",
            min_width=_least_width(cells),
            max_width=_LONG if long else None,
        )
    for row in rows:
        table.add_row(*row)
    shown: RenderableType = Padding(table, (0, 0, 0, indent)) if indent else table
    out.print(shown)


def _least_width(cells: Sequence[str]) -> int | None:
    """How wide a column must be at least, where rich would take a mark in a text for the end of a line."""
    marked = (cell for cell in cells if len(cell.splitlines()) > len(cell.split("\n")))
    lengths = [len(line) for cell in marked for line in cell.split("\n")]
    return min(max(lengths), WIDTH // 2) if lengths else None
