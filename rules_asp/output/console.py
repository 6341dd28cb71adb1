"""The layout of text: console, tables, sections, colors; the common end of answers."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich import tree as rich_tree
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from rules_asp.explain import layout

#: The width of output that is not a terminal, the same everywhere.
WIDTH = 100
NORM, GOOD, BAD, DOUBT, DIM = "cyan", "green", "red", "yellow", "dim"
Row = Sequence[str | Text]
#: Maximum width of a column before the last one; longer cells wrap.
_LONG = 56
#: Maximum number of rows of a table, without the option for all.
MOST_ROWS = 25


class AnswerConsole(Console):
    """A console for answers; `most_rows` limits the rows of each table, None shows all."""

    most_rows: int | None = MOST_ROWS


@contextmanager
def console(everything: bool = False) -> Iterator[Console]:
    """Return a console for answers; with `everything` it shows all rows.

    Output that is not a terminal has no trailing spaces.
    """
    out = AnswerConsole(highlight=False, markup=False, emoji=False)
    text = io.StringIO()
    if not out.is_terminal:
        out = AnswerConsole(file=text, highlight=False, markup=False, emoji=False, width=WIDTH)
    out.most_rows = None if everything else MOST_ROWS
    yield out
    if out.file is not text:
        return
    # Names may contain other line-ending characters than the line feed.
    *lines, rest = text.getvalue().split("\n")
    for line in [*lines, rest] if rest else lines:
        print(line.rstrip(" "))


def shows_all(out: Console) -> bool:
    """Test whether a console shows everything."""
    return isinstance(out, AnswerConsole) and out.most_rows is None


_STYLES = {
    layout.Tone.PLAIN: "",
    layout.Tone.STRONG: "bold",
    layout.Tone.GOOD: f"bold {GOOD}",
    layout.Tone.BAD: f"bold {BAD}",
    layout.Tone.OPEN: f"bold {DOUBT}",
    layout.Tone.SURE: GOOD,
    layout.Tone.DOUBT: DOUBT,
    layout.Tone.NORM: NORM,
    layout.Tone.DIM: DIM,
}


def text_of(phrase: layout.Phrase) -> Text:
    """Return a phrase with the styles of its tones."""
    if isinstance(phrase, layout.Span):
        return Text(phrase.text, _STYLES[phrase.tone])
    parts = (
        Text(each.text, _STYLES[each.tone]) if isinstance(each, layout.Span) else each
        for each in layout.spans(phrase)
    )
    return Text.assemble(*parts)


def show(out: Console, *found: layout.Block) -> None:
    """Print the lines and tables of a report."""
    for block in found:
        if isinstance(block, layout.Line):
            out.print(text_of(block.phrase), soft_wrap=block.whole)
        elif isinstance(block, layout.Tree):
            out.print(_tree(block))
        else:
            if block.title and block.rows:
                out.print(block.title)
            rows = [[text_of(cell) for cell in row] for row in block.rows]
            table(out, rows, block.heads, block.indent)


def _tree(block: layout.Tree) -> rich_tree.Tree:
    made = rich_tree.Tree(text_of(block.phrase), guide_style=DIM)
    for each in block.below:
        made.add(_tree(each))
    return made


def section(out: Console, title: str, rows: Sequence[Row]) -> None:
    """Print a heading with rows; nothing without rows."""
    if rows:
        out.print(title)
        table(out, rows, indent=2)


def table(out: Console, rows: Sequence[Row], heads: Sequence[str] = (), indent: int = 0) -> None:
    """Print rows in columns; the last column takes the rest of the line, the others have a maximum
    width."""
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
    """Return the least width of a column that contains characters at which rich would end a line."""
    marked = (cell for cell in cells if len(cell.splitlines()) > len(cell.split("\n")))
    lengths = [len(line) for cell in marked for line in cell.split("\n")]
    return min(max(lengths), WIDTH // 2) if lengths else None
