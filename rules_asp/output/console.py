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
from rules_asp.explain.unknown import Reason, open_points, what_would_settle
from rules_asp.knowledge.catalogue import Citations
from rules_asp.knowledge.notes import Note, Notes
from rules_asp.knowledge.rules import Norm
from rules_asp.positions.answer import Verdict
from rules_asp.positions.position import Position
from rules_asp.queries.query_facts import RelatedTopic
from rules_asp.queries.question import Answer

#: What does not go to a terminal is this wide, so that it reads the same everywhere.
WIDTH = 100
NORM, GOOD, BAD, DOUBT, DIM = "cyan", "green", "red", "yellow", "dim"
Row = Sequence[str | Text]
#: A column that is not the last is at most so wide: what is longer goes on in the next line.
_LONG = 56
#: So many rows of a table are shown, unless all are wanted.
MOST_ROWS = 25


class AnswerConsole(Console):
    """A console for answers; `most_rows` limits the rows of each table, None shows all."""

    most_rows: int | None = MOST_ROWS


@contextmanager
def console(everything: bool = False) -> Iterator[Console]:
    """A console for answers, with `everything` one that shows all rows.

    Away from a terminal, lines end with their last letter.
    """
    out = AnswerConsole(highlight=False, markup=False, emoji=False)
    text = io.StringIO()
    if not out.is_terminal:
        out = AnswerConsole(file=text, highlight=False, markup=False, emoji=False, width=WIDTH)
    out.most_rows = None if everything else MOST_ROWS
    yield out
    if out.file is not text:
        return
    # Other marks than the line feed that end a line somewhere can stand in a name.
    *lines, rest = text.getvalue().split("\n")
    for line in [*lines, rest] if rest else lines:
        print(line.rstrip(" "))


def shows_all(out: Console) -> bool:
    """Whether a console was asked for everything."""
    return isinstance(out, AnswerConsole) and out.most_rows is None


def verdict(clear: bool | None, hindrance: int) -> Text:
    """Whether a line is clear, with its Hindrance."""
    if clear is None:
        return Text("unknown", f"bold {DOUBT}")
    if not clear:
        return Text("blocked", f"bold {BAD}")
    return Text("clear" + (f", Hindrance +{hindrance}" if hindrance else ""), f"bold {GOOD}")


_VERDICTS = {
    Verdict.YES: ("Yes", f"bold {GOOD}"),
    Verdict.FORBIDDEN: ("Not allowed", f"bold {BAD}"),
    Verdict.NOT_SO: ("No", f"bold {BAD}"),
    Verdict.UNKNOWN: ("Unknown", f"bold {DOUBT}"),
}


def verdict_text(word: Verdict) -> Text:
    """The verdict of an answer, as a sentence begins with it."""
    return Text(*_VERDICTS[word])


def rules_text(
    out: Console, position: Position, title: str, found: Iterable[tuple[str, str]]
) -> None:
    """The rules that decide, each once with its places (empty: none) and its summary."""
    norms = position.program.norms
    places: dict[str, dict[str, None]] = {}
    for place, norm in found:
        places.setdefault(norm, {}).update({place: None} if place else {})
    rows: list[Row] = [
        (", ".join(where), Text(norm, NORM), norms[norm].sense) for norm, where in places.items()
    ]
    section(out, title, rows if any(places.values()) else [row[1:] for row in rows])


def defeats_text(
    out: Console, position: Position, found: Iterable[Defeat], shown: Collection[str] = ()
) -> None:
    """The overridden rules, each once with its places and the rule that overrides it.

    The summary of norms that are `shown` already is not repeated.
    """
    norms = position.program.norms
    places: dict[tuple[str, str], dict[str, None]] = {}
    for each in found:
        # A term of the rules is no place.
        where = {} if "(" in each.about else {each.about: None}
        places.setdefault((each.norm, each.by), {}).update(where)
    rows: list[Row] = [
        (
            ", ".join(where),
            Text.assemble((norm, NORM), " by ", (by, NORM)),
            norms[by].sense if by in norms and by not in shown else "",
        )
        for (norm, by), where in places.items()
    ]
    section(out, "Overridden", rows if any(places.values()) else [row[1:] for row in rows])


_SOURCES = {
    "printed": "Rules",
    "less sure": "Our interpretations (less sure)",
    "assumed": "General rules (assumed)",
    "our reading": "Our interpretations",
    "own rules": "Your house rules",
}


def citations_text(out: Console, position: Position, cites: Citations) -> None:
    """The sources of an answer by group, each once: printed rules, assumed ones, interpretations."""
    leaning = position.program.leaning(cites)
    others = {each for found in leaning.values() for each in found}
    groups = {"printed": [each for each in cites if each not in others], **leaning}
    shown: set[str] = set()
    for group in _SOURCES:
        found = [each for each in groups[group] if each not in shown]
        shown.update(found)
        if found:
            out.print(Text.assemble((f"{_SOURCES[group]}: ", DIM), (", ".join(found), NORM)))
    noted(out, position.program.notes, cites)


def noted(out: Console, notes: Notes | None, cites: Iterable[str]) -> None:
    """One's own notes on some paragraphs, where there are any."""
    found = notes.on(cites) if notes else []
    rows = [(Text(each.rule, NORM), Text(each.kind, DIM), _note(each)) for each in found]
    section(out, "Notes", rows)


def _note(note: Note) -> Text:
    """What a note says; a question with each of its answers, and who gave it."""
    text = Text(note.text)
    for answer, source in note.answers:
        text.append("\n" if text else "").append(f"- {answer}")
        text.append(f" ({source})" if source else "", DIM)
    return text.append(f" ({note.source})", DIM) if note.source else text


def unknown(out: Console, reasons: Sequence[Reason]) -> None:
    """Why something is not known, and what would settle it."""
    section(out, "Unknown because", [(str(each),) for each in dict.fromkeys(reasons)])
    needed(out, reasons)


def needed(out: Console, reasons: Iterable[Reason]) -> None:
    """What would settle an answer that is unknown for these reasons, and what the rules leave open."""
    reasons = tuple(reasons)
    section(out, "To settle it", [(each,) for each in what_would_settle(reasons)])
    open_text(out, open_points(reasons))


def open_text(out: Console, norms: Iterable[Norm]) -> None:
    """What the texts of some norms leave open."""
    rows = [(Text(each.id, NORM), each.open_points) for each in norms if each.open_points]
    section(out, "The rules leave open", rows)


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
    section(out, "Also", rows)


def issues_text(out: Console, answer: Answer) -> None:
    """What is amiss where an answer passes: faults of the board, doubts of whoever imported it."""
    faults = answer.beside.faults
    section(
        out,
        "Rule violations here",
        [(each.where, Text(each.norm, NORM), each.what) for each in faults],
    )
    section(out, "Doubts of the import here", list(answer.beside.doubts))


def part_name(position: Position, kind: str, word: str) -> str:
    """The name of a part of a sum, such as FFMO: the phrase of its word, else the word itself."""
    return position.vocabulary.phrases.get((kind, word), word.replace("_", " "))


def enumeration(names: Sequence[str]) -> str:
    """Names as a sentence lists them: `C3, D2 and E2`."""
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last


def section(out: Console, title: str, rows: Sequence[Row]) -> None:
    """A heading with its rows below it; nothing where there are none."""
    if rows:
        out.print(title)
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
    most = out.most_rows if isinstance(out, AnswerConsole) else None
    for row in rows[:most]:
        table.add_row(*row)
    shown: RenderableType = Padding(table, (0, 0, 0, indent)) if indent else table
    out.print(shown)
    if most is not None and len(rows) > most:
        out.print(Text(f"{' ' * indent}--all shows all {len(rows)}", DIM))


def _least_width(cells: Sequence[str]) -> int | None:
    """How wide a column must be at least, where rich would take a mark in a text for the end of a line."""
    marked = (cell for cell in cells if len(cell.splitlines()) > len(cell.split("\n")))
    lengths = [len(line) for cell in marked for line in cell.split("\n")]
    return min(max(lengths), WIDTH // 2) if lengths else None
