"""Units and markers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from rules_asp.drawing.canvas import Canvas, fact_group
from rules_asp.drawing.counter_faces import Face, draw_face, face_of, traits_of
from rules_asp.drawing.style import FLOORS, INPUTS, TOPICS, Glyph, Theme
from rules_asp.drawing.svg import Element, data, document, group, line, path, placed, text, width_of
from rules_asp.game.board import Fact, UnitStatement
from rules_asp.game.grid import CORNERS, Hex, Hexside, Location, Spot, Vertex, hex_of_spot
from rules_asp.game.map_layout import with_map_names
from rules_asp.game.values import Term, to_board_text, word_text
from rules_asp.parser.input_syntax import STATEMENTS
from rules_asp.parser.writer import statement_text

# --- Marks in hexes: counters and symbols, each a glyph in a box, placed side by side.


#: The box of a mark, and its corners.
_BOX = 104
_FRAME = "M-50-50h100v100h-100z"
#: The maximum width of its letters, and their minimum size.
_WRITTEN, _MIN_MARK = 88.0, 22.0


@dataclass(frozen=True)
class Mark:
    """A mark in a hex: its fact, its glyph, a few letters, and whether it is hidden."""

    fact: str
    glyph: Glyph
    letters: str
    hidden: bool = False


@dataclass(frozen=True)
class Box:
    """A part of a hex, in lattice units from its center dot."""

    left: float
    top: float
    width: float
    height: float


#: The boxes for marks in a hex without units and with units, and the box for units.
ABOVE, BELOW = Box(-200, -172, 400, 116), Box(-200, 50, 400, 116)
UNITS, UNITS_ALONE = Box(-206, -50, 412, 214), Box(-206, -168, 412, 332)
NAME = Box(-172, 172, 344, 76)
#: The box for units in a hex whose middle must stay free.
LOW = Box(-206, 50, 412, 120)
#: The box for the text of an answer.
TEXT = Box(-170, 62, 340, 186)


def marked(pen: Canvas, stairs: Iterable[Hex]) -> dict[Hex, list[Mark]]:
    """Return the marks of each hex; in the hexes `stairs` the stairwell symbol is one of them."""
    found: dict[Hex, list[Mark]] = defaultdict(list)
    for hex_ in stairs:
        found[hex_].append(
            Mark("stairwell_symbol", Glyph("M-30-30h60v60h-60z", "#111111", False, 9), "")
        )
    for name, glyph in INPUTS.items():
        kinds = pen.seen.notation.vocabulary.inputs[name].kinds
        for row in pen.seen.of(name):
            where = row[0]
            if not _shown(pen, where, kinds, row):
                continue
            hidden = ("visibility", "hidden") in zip(kinds, row, strict=True)
            letters = _letters(kinds, row)
            if width_of(letters, _MIN_MARK) > _WRITTEN:
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
    """Yield the marks for answers of the rules about hexes and Locations."""
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
    """Return whether the place of a mark is drawn, and its level, if the fact names one."""
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
    """Return the letters of a mark: numbers, short words, floor."""
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
    """Return the words of an input in the board language."""
    form = STATEMENTS.get(name, name.replace("_", " "))
    words = form.partition("{")[0].strip()
    return f"SSR: {words}" if name.startswith("ssr_") else words


def draw_marks(pen: Canvas, hex_: Hex, here: Sequence[Mark], boxes: Sequence[Box]) -> list[Element]:
    """Draw the marks of a hex in these parts of it, as large as possible."""
    x, y = hex_.centre
    scale, places = _laid_out(len(here), boxes)
    found: list[Element] = []
    for mark, (dx, dy) in zip(here, places, strict=True):
        group_ = fact_group(mark.fact, _drawn(pen, mark), hex=hex_, says=mark.letters)
        found.append(placed(group_, x + dx, y + dy, scale))
    return found


def _laid_out(count: int, boxes: Sequence[Box]) -> tuple[float, list[tuple[float, float]]]:
    """Return the maximum size of this many marks, and their positions."""
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
        # Distribute the marks evenly over the boxes.
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
    # A box is smaller than `_BOX` by the gap between two boxes.
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
    """Return the point of a spot."""
    return float(spot.centre.x), float(spot.centre.y)


def side_middle(where: Hexside) -> tuple[float, float]:
    """Return the midpoint of a hexside."""
    one, two = where.ends
    return (one.x + two.x) / 2, (one.y + two.y) / 2


# --- Units as counters: name, level, strength, state; arrows of Covered Arcs; units in Bypass.


#: Smaller letters are illegible; texts that would need them are listed below the map.
_LEAST, _MOST = 22.0, 62.0
_HALF = 6
#: Squares below the first size have no room for a face; the second is the maximum size in a hex.
_SQUARE, _LARGEST = 100.0, 300.0
#: The edge of a counter that is drawn by itself.
_IMAGE = 200.0


@dataclass(frozen=True)
class CounterData:
    """A unit for drawing: its name, side, Location, and the lines on its counter.

    `arrows` are the corners of the hex that its VCA and TCA point at; `whole` is its full board
    text.
    """

    name: str
    side: str
    at: Location
    face: Face
    lines: tuple[str, ...]
    arrows: tuple[tuple[str, int], ...]
    facts: tuple[Fact, ...]
    whole: str


def counters_of(pen: Canvas) -> dict[Hex, list[CounterData]]:
    """Return the units of each drawn hex, in the order of the board, those in Bypass last."""
    commandos = {str(row[0]) for row in pen.seen.of("ssr_commando")}
    found: dict[Hex, list[CounterData]] = defaultdict(list)
    for thing in pen.seen.board.statements:
        if not isinstance(thing, UnitStatement):
            continue
        unit = _unit(pen, thing, thing.name in commandos)
        if unit is not None and pen.is_shown(unit.at):
            found[hex_of_spot(unit.at.spot)].append(unit)
    for each in found.values():
        each.sort(key=lambda unit: isinstance(unit.at.spot, Vertex))
    return found


def counter_images(pen: Canvas) -> dict[str, str]:
    """Return the counter picture of each unit by name, including units off the map."""
    found: dict[str, str] = {}
    for thing in pen.seen.board.statements:
        if isinstance(thing, UnitStatement):
            side = next((str(each.args[1]) for each in thing.facts if each.name == "of_side"), "")
            traits = traits_of(statement_text(thing, pen.seen.notation))
            face = face_of(thing, "", traits)
            found[thing.name] = _image(thing.name, face, *colours(pen, side), pen.looks)
    return found


def _image(name: str, face: Face, fill: str, rim: str, looks: Theme) -> str:
    frame = path("M-98-98h196v196h-196z", fill=fill, stroke=rim, stroke_width=6)
    drawn = draw_face(face, (0, 0), _IMAGE, (looks.ink, rim, looks.paper), "…")
    return document([frame, *drawn.elements], (-102, -102, 204, 204), 64, name)


def _unit(pen: Canvas, thing: UnitStatement, commando: bool) -> CounterData | None:
    """Return the counter of a unit that is somewhere, else None."""
    notation = pen.seen.notation
    thing = with_map_names(thing, notation.names)
    known = {fact.name: fact.args[1:] for fact in thing.facts}
    where = known.get("at", (None,))[0]
    if not isinstance(where, Location):
        return None
    said_whole = statement_text(thing, notation)
    floor = f"/{where.floor}" if where.floor else ""
    vertex = (
        f" {to_board_text(where.spot, 'spot').partition('@')[2]}"
        if isinstance(where.spot, Vertex)
        else ""
    )
    kind = word_text(str(known.get("unit", ("",))[0]), "unit_type")
    strength = "-".join(map(str, known["strength"])) if "strength" in known else ""
    traits = said_whole.partition(": ")[2]
    state = f"{traits}, commando" if commando and traits else "commando" if commando else traits
    lines = [f"{thing.name}{floor}{vertex and ' @' + vertex.strip()}", f"{kind} {strength}".strip()]
    arrows = tuple(
        (name, int(row[0]))
        for name in ("vca", "tca")
        if (row := known.get(name)) and isinstance(row[0], int)
    )
    side = str(known.get("of_side", ("",))[0])
    return CounterData(
        thing.name,
        side,
        where,
        face_of(thing, floor, traits_of(said_whole), commando),
        (*lines, *([state] if state else [])),
        arrows,
        thing.facts,
        f"{said_whole}{', ' if traits else ': '}commando" if commando else said_whole,
    )


def draw_counters(pen: Canvas, hex_: Hex, here: Sequence[CounterData], box: Box) -> list[Element]:
    """Draw the counters of a hex within a part of it."""
    x, y = hex_.centre
    columns, edge = _squares(len(here), box)
    squares = edge >= _SQUARE
    if not squares:
        columns = 1 if len(here) <= 3 else 2 if len(here) <= 8 else 3 if len(here) <= 18 else 4
    rows = ceil(len(here) / columns)
    width = edge if squares else min(box.width / columns, 424.0)
    height = edge if squares else min(box.height / rows, 210.0)
    found: list[Element] = []
    for number, unit in enumerate(here):
        row, column = divmod(number, columns)
        inside = min(columns, len(here) - row * columns)
        middle = (
            x + box.left + box.width / 2 + (column - (inside - 1) / 2) * width,
            y + box.top + box.height / 2 + (row - (rows - 1) / 2) * height,
        )
        found += _leaders(pen, unit, middle)
        found.append(_counter(pen, hex_, unit, middle, width - _HALF, height - _HALF, squares))
    return found


def _squares(count: int, box: Box) -> tuple[int, float]:
    """Return the number of columns for the largest squares, and their size."""
    edges = [(min(box.width / n, box.height / ceil(count / n)), -n) for n in range(1, count + 1)]
    edge, columns = max(edges)
    return -columns, min(edge, _LARGEST)


def colours(pen: Canvas, side: str) -> tuple[str, str]:
    """Return the fill and the rim of the counters of a side."""
    sides = [str(row[0]) for row in pen.seen.of("side")]
    sides += sorted({str(row[1]) for row in pen.seen.of("of_side")}.difference(sides))
    if side in pen.looks.nations:
        return pen.looks.nations[side]
    if side not in sides:
        return pen.looks.no_side
    return pen.looks.units[sides.index(side) % len(pen.looks.units)]


def _counter(
    pen: Canvas,
    hex_: Hex,
    unit: CounterData,
    middle: tuple[float, float],
    width: float,
    height: float,
    square: bool,
) -> Element:
    fill, rim = colours(pen, unit.side)
    x, y = middle
    frame = path(
        f"M{round(x - width / 2)} {round(y - height / 2)}h{round(width)}v{round(height)}h{round(-width)}z",
        fill=fill,
        stroke=rim,
        stroke_width=8,
    )
    side = f"{word_text(unit.side, 'side')} units" if unit.side else "units of no side"
    about = data(unit=unit.name, side=unit.side, hex=hex_, floor=unit.at.floor)
    swatch = path("M-56-36h112v72h-112z", fill=fill, stroke=rim, stroke_width=8)
    pen.explain(f"side {unit.side}", side, [swatch])
    words = (
        _faced(pen, unit, middle, width, rim)
        if square
        else _written(pen, unit, middle, width, height, rim)
    )
    shapes = [fact_group(fact, ()) for fact in dict.fromkeys(each.name for each in unit.facts)]
    return group([frame, *words, *shapes], "unit", about=about, title=unit.whole)


def _faced(
    pen: Canvas, unit: CounterData, middle: tuple[float, float], edge: float, rim: str
) -> Sequence[Element]:
    """Draw the face of a counter, with a number if some text does not fit."""
    inks = (pen.looks.ink, rim, pen.looks.paper)
    drawn = draw_face(unit.face, middle, edge, inks)
    return (
        draw_face(unit.face, middle, edge, inks, pen.note(unit.whole)) if drawn.short else drawn
    ).elements


def _written(
    pen: Canvas,
    unit: CounterData,
    middle: tuple[float, float],
    width: float,
    height: float,
    rim: str,
) -> Sequence[Element]:
    """Draw a counter too small for a face: its words."""
    x, y = middle
    room = width - 16 - (46 if unit.arrows else 0)
    left = x - (23 if unit.arrows else 0)
    lines, size = _fitted(unit, room, height - 10)
    if size < _LEAST:
        number = pen.note(unit.whole)
        short = [[unit.lines[0], number], [f"{unit.lines[0]} {number}"], [number]]
        ways = [_fitted_lines(each, room, height - 10) for each in short]
        lines, size = next((way for way in ways if way[1] >= _LEAST), ways[-1])
    step = size * 1.16
    words: list[Element] = [
        text(
            each,
            (left, y + (at - (len(lines) - 1) / 2) * step),
            size,
            pen.looks.ink,
            bold=at == 0,
        )
        for at, each in enumerate(lines)
    ]
    for name, corner in unit.arrows:
        words.append(
            _arrow(pen, name, corner, x + width / 2 - 28, y + (20 if name == "tca" else -20), rim)
        )
        pen.explain(f"arrow {name}", name.upper(), [_arrow(pen, name, 0, 0, 0, rim)])
    return words


def _fitted(unit: CounterData, width: float, height: float) -> tuple[list[str], float]:
    """Return the lines of a counter, joined and broken for the largest possible letters."""
    head, *rest = unit.lines
    heads = [([head], " ".join(rest)), ([" ".join(unit.lines[:2])], " ".join(unit.lines[2:]))]
    heads.append((list(unit.lines[:2]), " ".join(unit.lines[2:])))
    ways = [
        [*first, *(_broken(more.split(" "), count) if more else ())]
        for first, more in heads
        for count in range(1, 6)
    ]
    return max((_fitted_lines(each, width, height) for each in ways), key=lambda each: each[1])


def _fitted_lines(lines: list[str], width: float, height: float) -> tuple[list[str], float]:
    widest = max(width_of(each, 1.0, at == 0) for at, each in enumerate(lines))
    return lines, min(_MOST, width / max(widest, 0.5), height / (1.16 * len(lines)))


def _broken(words: Sequence[str], count: int) -> list[str]:
    """Break words into at most `count` lines of about equal length."""
    target = sum(len(each) + 1 for each in words) / count
    lines = [""]
    for each in words:
        if lines[-1] and len(lines) < count and len(lines[-1]) + len(each) / 2 > target:
            lines.append("")
        lines[-1] = f"{lines[-1]} {each}".strip()
    return lines


def _arrow(pen: Canvas, name: str, corner: int, x: float, y: float, rim: str) -> Element:
    """Draw an arrow towards a corner of the hex: full for the VCA, hollow for the TCA."""
    dx, dy = CORNERS[corner % 6]
    length = (dx * dx + dy * dy) ** 0.5
    cos, sin = dx / length, dy / length
    points = ((22, 0), (-14, -15), (-6, 0), (-14, 15))
    turned = [(u * cos - v * sin, u * sin + v * cos) for u, v in points]
    shape = "M" + "L".join(f"{u:.0f} {v:.0f}" for u, v in turned) + "z"
    fill = rim if name == "vca" else pen.looks.paper
    drawn = path(shape, fill=fill, stroke=rim, stroke_width=5)
    return placed(fact_group(name, [drawn], corner=corner), x, y)


def _leaders(pen: Canvas, unit: CounterData, middle: tuple[float, float]) -> list[Element]:
    """Draw a line from a counter to its unit's vertex or hexside, if the unit is not mid-hex."""
    _, rim = colours(pen, unit.side)
    found: list[Element] = []
    for each in unit.facts:
        if each.name == "bypasses" and isinstance(each.args[1], Hexside):
            one, two = each.args[1].ends
            shape = line(one, two, stroke=rim, stroke_width=22, stroke_linecap="round")
            found.append(fact_group("bypasses", [shape], unit=unit.name, hexside=each.args[1]))
            found.append(line(middle, side_middle(each.args[1]), stroke=rim, stroke_width=8))
    if isinstance(unit.at.spot, Vertex):
        x, y = spot_middle(unit.at.spot)
        found.append(line(middle, (x, y), stroke=rim, stroke_width=8))
        dot = path(
            "M-20 0a20 20 0 1 0 40 0a20 20 0 1 0-40 0",
            fill=rim,
            stroke=pen.looks.paper,
            stroke_width=6,
        )
        found.append(placed(group([dot], "vertex", about=data(unit=unit.name)), x, y))
    return found
