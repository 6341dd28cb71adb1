"""What stands around the map: title and caption above, legend and notes below, broken into lines."""

from __future__ import annotations

from collections.abc import Sequence

from rules_asp.drawing.elements import Element, group, placed, text, width_of
from rules_asp.drawing.pens import Canvas, LegendEntry

#: The height of a line, in sizes of its letters.
LINE = 1.35


def wrapped(said: str, size: float, width: float) -> list[str]:
    """A text in lines no wider than this; a word that is wider is broken."""
    lines: list[str] = []
    for paragraph in said.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            joined = f"{line} {word}" if line else word
            if width_of(joined, size) <= width:
                line = joined
                continue
            if line:
                lines.append(line)
            while width_of(word, size) > width and len(word) > 1:
                count = next(
                    n
                    for n in range(len(word), 0, -1)
                    if n == 1 or width_of(word[:n], size) <= width
                )
                lines.append(word[:count])
                word = word[count:]
            line = word
        lines.append(line)
    return lines


def lines_of(
    pen: Canvas,
    said: Sequence[str],
    left: float,
    top: float,
    size: float,
    width: float,
    bold: bool = False,
    name: str = "caption",
) -> tuple[list[Element], float]:
    """Texts as lines from a corner, and how high they are."""
    drawn: list[Element] = []
    y = top
    for paragraph in said:
        for each in wrapped(paragraph, size, width):
            y += size * LINE
            at = (left, y - size * LINE / 2)
            drawn.append(text(each, at, size, pen.looks.ink, anchor="start", bold=bold, name=name))
    return drawn, y - top


def legend(
    pen: Canvas, left: float, top: float, size: float, width: float
) -> tuple[list[Element], float]:
    """What the map shows, each with a swatch, in columns; and how high it is."""
    entries = [pen.legend[key] for key in pen.legend]
    if not entries:
        return [], 0
    gap, scale = size * 0.6, size / 68
    swatch = 132 * scale
    widest = min(max(width_of(each.words, size) for each in entries), width - swatch - 2 * gap)
    cell = swatch + gap + widest + 1.5 * gap
    columns = max(1, min(len(entries), int((width + 1.5 * gap) // cell)))
    rows: list[list[tuple[LegendEntry, list[str]]]] = [
        [(each, wrapped(each.words, size, widest)) for each in entries[start : start + columns]]
        for start in range(0, len(entries), columns)
    ]
    drawn: list[Element] = []
    y = top
    for row in rows:
        height = max(size * 1.5, max(len(lines) for _, lines in row) * size * LINE)
        for column, (entry, lines) in enumerate(row):
            x = left + column * cell
            middle = y + height / 2
            drawn.append(placed(group(entry.swatch, "swatch"), x + swatch / 2, middle, scale))
            for at, each in enumerate(lines):
                place = (x + swatch + gap, middle + (at - (len(lines) - 1) / 2) * size * LINE)
                drawn.append(
                    text(each, place, size, pen.looks.ink, anchor="start", name="legend-text")
                )
        y += height + size * 0.15
    return [group(drawn, "legend")], y - top
