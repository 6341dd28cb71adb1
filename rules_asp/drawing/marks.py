"""Marks in hexes: counters and symbols that are a glyph in a box, laid out beside each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rules_asp.drawing.elements import Element, group, path, placed, text, width_of
from rules_asp.drawing.glyphs import FLOORS, INPUTS, TOPICS, Glyph
from rules_asp.drawing.pens import Canvas, fact_group
from rules_asp.parser.forms import STATEMENTS
from rules_asp.terms.arguments import Term, word_text
from rules_asp.terms.grid import Hex, Hexside, Location, Spot, Vertex, hex_of_spot
from rules_asp.terms.lexicon import vocabulary

#: The box of a mark, and its corners.
_BOX = 104
_FRAME = "M-50-50h100v100h-100z"
#: How wide its letters may be, and how small.
_WRITTEN, _LEAST = 88.0, 22.0


@dataclass(frozen=True)
class Mark:
    """A mark in a hex: what puts it there, its glyph, a few letters, whether it is hidden."""

    fact: str
    glyph: Glyph
    letters: str
    hidden: bool = False


@dataclass(frozen=True)
class Box:
    """A part of a hex, in lattice units from its centre dot."""

    left: float
    top: float
    width: float
    height: float


#: Where marks stand in a hex without units, and in one with units; where units stand.
ABOVE, BELOW = Box(-200, -172, 400, 116), Box(-200, 50, 400, 116)
UNITS, UNITS_ALONE = Box(-206, -50, 412, 214), Box(-206, -168, 412, 332)
NAME = Box(-172, 172, 344, 76)
#: Where units stand in a hex whose middle has to be free.
LOW = Box(-206, 50, 412, 120)
#: Where an answer writes.
TEXT = Box(-170, 62, 340, 186)


def marked(pen: Canvas, stairs: Iterable[Hex]) -> dict[Hex, list[Mark]]:
    """The marks of each hex; `stairs` are hexes where the stairwell symbol has to be one of them."""
    found: dict[Hex, list[Mark]] = defaultdict(list)
    for hex_ in stairs:
        found[hex_].append(
            Mark("stairwell_symbol", Glyph("M-30-30h60v60h-60z", "#111111", False, 9), "")
        )
    for name, glyph in INPUTS.items():
        kinds = vocabulary().inputs[name].kinds
        for row in pen.seen.of(name):
            where = row[0]
            if not _shown(pen, where, kinds, row):
                continue
            hidden = ("visibility", "hidden") in zip(kinds, row, strict=True)
            letters = _letters(kinds, row)
            if width_of(letters, _LEAST) > _WRITTEN:
                letters = pen.note(f"{_hex_of(where)}: {_words(name)} {letters}")
            mark = Mark(name, glyph, letters, hidden)
            found[_hex_of(where)].append(mark)
            pen.explain(f"mark {name}", _words(name), [_swatch(pen, mark)])
            if hidden:
                pen.explain("hidden", "hidden", [_frame(pen, True, small=True)])
    for mark, hex_ in _answered(pen):
        if mark not in found[hex_]:
            found[hex_].append(mark)
        pen.explain(f"mark {mark.fact}", mark.fact.replace("_", " "), [_swatch(pen, mark)])
    return found


def _answered(pen: Canvas) -> Iterator[tuple[Mark, Hex]]:
    """What the rules say of hexes and of their Locations."""
    for name, glyph in TOPICS.items():
        for where in pen.seen.true_of(name):
            if isinstance(where, Hex) and where in pen.hexes:
                yield Mark(name, glyph, ""), where
    for where, *_ in pen.seen.derived.get("location", ()):
        if isinstance(where, Location) and isinstance(where.spot, Hex) and pen.is_shown(where):
            floor = str(where.floor)
            if floor in FLOORS:
                yield Mark(floor, FLOORS[floor], ""), where.spot


def _shown(pen: Canvas, where: Term, kinds: Sequence[str], row: Sequence[Term]) -> bool:
    """Whether the place of a mark is drawn, and its level, if the fact names one."""
    named = [value for kind, value in zip(kinds, row, strict=True) if kind == "floor"]
    if pen.level is not None and named and pen.level not in named:
        return False
    return isinstance(where, Location | Hex | Vertex) and pen.is_shown(where)


def _hex_of(where: Term) -> Hex:
    if isinstance(where, Location):
        return hex_of_spot(where.spot)
    assert isinstance(where, Hex)
    return where


def _letters(kinds: Sequence[str], row: Sequence[Term]) -> str:
    """What a mark says: its numbers, its short words, its floor."""
    parts: list[str] = []
    for kind, value in zip(kinds[1:], row[1:], strict=True):
        if isinstance(value, int):
            parts.append(str(value))
        elif kind in ("side", "mine_type", "scope", "tower_type") and isinstance(value, str):
            word = word_text(value, kind)
            parts.append(word.upper() if len(word) <= 2 else word[:3])
    where = row[0]
    floor = f"/{where.floor}" if isinstance(where, Location) and where.floor else ""
    return " ".join(parts) + floor


def _words(name: str) -> str:
    """The words with which a board says an input."""
    form = STATEMENTS.get(name, name.replace("_", " "))
    words = form.partition("{")[0].strip()
    return f"SSR: {words}" if name.startswith("ssr_") else words


def draw_marks(pen: Canvas, hex_: Hex, here: Sequence[Mark], boxes: Sequence[Box]) -> list[Element]:
    """The marks of a hex in these parts of it, as large as they can be."""
    x, y = hex_.centre
    scale, places = _laid_out(len(here), boxes)
    found: list[Element] = []
    for mark, (dx, dy) in zip(here, places, strict=True):
        group_ = fact_group(mark.fact, _drawn(pen, mark), hex=hex_, says=mark.letters)
        found.append(placed(group_, x + dx, y + dy, scale))
    return found


def _laid_out(count: int, boxes: Sequence[Box]) -> tuple[float, list[tuple[float, float]]]:
    """How large so many marks can be, and where they stand."""
    scale = 1.0
    while True:
        pitch = (_BOX + 4) * scale
        per_row = [int((box.width + 1) // pitch) for box in boxes]
        rows = [int((box.height + 1) // pitch) for box in boxes]
        if sum(a * b for a, b in zip(per_row, rows, strict=True)) >= count:
            break
        scale *= 0.94
    places: list[tuple[float, float]] = []
    left = count
    for number, box in enumerate(boxes):
        # Shared out evenly between the boxes.
        room = per_row[number] * rows[number]
        share = min(room, left if number == len(boxes) - 1 else -(-left // (len(boxes) - number)))
        share = max(
            share, left - sum(a * b for a, b in list(zip(per_row, rows, strict=True))[number + 1 :])
        )
        left -= share
        lines = -(-share // per_row[number]) if share else 0
        for row in range(lines):
            inside = min(per_row[number], share - row * per_row[number])
            for column in range(inside):
                dx = box.left + box.width / 2 + (column - (inside - 1) / 2) * pitch
                dy = box.top + box.height / 2 + (row - (lines - 1) / 2) * pitch
                places.append((dx, dy))
    return scale, places


def _frame(pen: Canvas, hidden: bool, small: bool = False) -> Element:
    shape = "M-40-40h80v80h-80z" if small else _FRAME
    return path(
        shape,
        fill=pen.looks.paper,
        stroke=pen.looks.ink,
        stroke_width=6,
        extra={"stroke-dasharray": "12 9"} if hidden else None,
    )


def _drawn(pen: Canvas, mark: Mark) -> list[Element]:
    ink = mark.glyph.colour if pen.looks.name == "colour" else pen.looks.ink
    glyph = path(
        mark.glyph.data,
        fill=ink if mark.glyph.filled else "none",
        fill_rule="evenodd",
        stroke=None if mark.glyph.filled else ink,
        stroke_width=None if mark.glyph.filled else mark.glyph.thick,
    )
    # A box is smaller than `_BOX` by the gap between two of them.
    drawn: list[Element] = [_frame(pen, mark.hidden)]
    if not mark.letters:
        return [*drawn, placed(group([glyph], "glyph"), 0, 0)]
    size = min(36.0, _WRITTEN / max(1.0, width_of(mark.letters, 1)))
    return [
        *drawn,
        placed(group([glyph], "glyph"), 0, -16, 0.66),
        text(mark.letters, (0, 30), size, pen.looks.ink, bold=True),
    ]


def _swatch(pen: Canvas, mark: Mark) -> Element:
    without = Mark(mark.fact, mark.glyph, "")
    return placed(group(_drawn(pen, without), "glyph"), 0, 0, 0.8)


def spot_middle(spot: Spot) -> tuple[float, float]:
    """Where a spot lies."""
    return float(spot.centre.x), float(spot.centre.y)


def side_middle(where: Hexside) -> tuple[float, float]:
    """The middle of a hexside."""
    one, two = where.ends
    return (one.x + two.x) / 2, (one.y + two.y) / 2
