"""A whole picture: the map layers in order, the parts for an answer, the surrounding text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import svg

from rules_asp.drawing import canvas, counters
from rules_asp.drawing import layers as map_layers
from rules_asp.drawing.canvas import Canvas, Scene, fact_group, make_scene
from rules_asp.drawing.style import COLOUR, TOLD, Theme
from rules_asp.drawing.svg import Element, data, document, group, path, placed, text, width_of
from rules_asp.game.board import Board, Fact, TerrainSubstitution
from rules_asp.game.grid import Hex
from rules_asp.parser.writer import write_statements
from rules_asp.positions.position import Position

#: The minimum width of a map, in lattice units, that keeps the surrounding text readable.
_LEAST_WIDTH = 2300
#: The width of a hex in pixels: on a small map, and on a large one.
_LARGE, _SMALL = 0.21, 0.14
_WIDE = 1900
_MARGIN = 60

#: A panel below the map: given its left, top, width and font size, it returns its elements and its
#: height.
Panel = Callable[[Canvas, float, float, float, float], tuple[list[Element], float]]


@dataclass(frozen=True)
class AnswerOverlay:
    """The parts that an answer adds to a map: title and caption, and a panel below the map.

    under: above the ground, below everything else.
    over: above that, below names and counters.
    ends: above the units; these leave the middle of the hexes `middles` free.
    texts: lines in the lower part of single hexes.
    """

    title: str = ""
    caption: tuple[str, ...] = ()
    under: Callable[[Canvas], Sequence[Element]] = lambda pen: ()
    over: Callable[[Canvas], Sequence[Element]] = lambda pen: ()
    ends: Callable[[Canvas], Sequence[Element]] = lambda pen: ()
    middles: frozenset[Hex] = frozenset()
    texts: Mapping[Hex, Sequence[str]] = field(default_factory=dict)
    panel: Panel | None = None


@dataclass(frozen=True)
class MapView:
    """The choices for drawing a map: hexes (None: all), floor (None: all of them), and theme."""

    hexes: frozenset[Hex] | None = None
    level: int | str | None = None
    looks: Theme = COLOUR


def board_svg(
    thing: Position | Board, view: MapView | None = None, overlay: AnswerOverlay | None = None
) -> str:
    """Draw a board as SVG; for a Position, also the answers of the rules.

    BoardError for an invalid board.
    """
    view, overlay = view or MapView(), overlay or AnswerOverlay()
    what = make_scene(thing)
    hexes = what.hexes_of_map
    pen = Canvas(what, view.looks, hexes & view.hexes if view.hexes else hexes, view.level)
    return _page(pen, overlay, layers(pen, overlay))


def layers(pen: Canvas, overlay: AnswerOverlay) -> list[svg.G]:
    """Draw the map from the ground up, layer by layer, with the parts of an answer."""
    here = counters.counters_of(pen)
    crowded = frozenset(here)
    stairs = {hex_ for hex_, _ in pen.seen.hexes("stairwell_symbol")}
    beneath = [
        ("levels", map_layers.levels(pen)),
        ("terrain", map_layers.terrain(pen)),
        ("narrow-streets", map_layers.streets(pen)),
        ("roads", map_layers.roads(pen)),
        ("bridges", map_layers.bridges(pen)),
        ("buildings", map_layers.drawings(pen)),
        ("rubble", map_layers.rubble(pen)),
        ("marketplaces", map_layers.dashes(pen)),
        ("shading", overlay.under(pen)),
        ("grid", map_layers.grid(pen)),
        ("bars", map_layers.bars(pen)),
        (
            "hexsides",
            [*map_layers.features(pen), *map_layers.slopes(pen), *map_layers.wall_marks(pen)],
        ),
        ("symbols", map_layers.middles(pen, crowded)),
        ("roadblocks", [*map_layers.roadblocks(pen), *map_layers.breaches(pen)]),
    ]
    marked = counters.marked(pen, sorted(stairs & crowded))
    marked_up: list[Element] = []
    units: list[Element] = []
    for hex_ in sorted(pen.hexes):
        full = hex_ in crowded or hex_ in overlay.texts or hex_ in overlay.middles
        if marked.get(hex_):
            boxes = (counters.ABOVE,) if full else (counters.ABOVE, counters.BELOW)
            marked_up += counters.draw_marks(pen, hex_, marked[hex_], boxes)
        if hex_ in here:
            free = hex_ in overlay.middles and hex_ not in overlay.texts
            box = (
                counters.LOW if free else _for_units(bool(marked.get(hex_)), hex_ in overlay.texts)
            )
            units += counters.draw_counters(pen, hex_, here[hex_], box)
    above = [
        ("lines", overlay.over(pen)),
        ("marks", marked_up),
        ("building-names", _names(pen, overlay.texts)),
        ("hexes", map_layers.names(pen)),
    ]
    over = [("units", units), ("ends", overlay.ends(pen))]
    told = [("told", _texts(pen, overlay.texts))]
    return [group(each, name, key=name) for name, each in (*beneath, *above, *over, *told) if each]


def _for_units(marked: bool, written: bool) -> counters.Box:
    """Return the box for units in a hex, with marks above them or with text below them."""
    whole = counters.UNITS if marked else counters.UNITS_ALONE
    height = counters.TEXT.top - whole.top if written else whole.height
    return counters.Box(whole.left, whole.top, whole.width, height)


def _texts(pen: Canvas, texts: Mapping[Hex, Sequence[str]]) -> list[Element]:
    """Draw the texts of an answer in hexes, as large as possible, or as notes below the map."""
    found: list[Element] = []
    for hex_ in sorted(pen.hexes & texts.keys()):
        box, lines = counters.TEXT, [each for each in texts[hex_] if each]
        while lines and (size := _size(lines, box, 84.0)) < 30 and len(lines) > 1:
            # Join two texts per line, then three, up to all of them.
            joined = [", ".join(lines[at : at + 2]) for at in range(0, len(lines), 2)]
            if _size(joined, box, 84.0) <= size:
                break
            lines = joined
        if not lines:
            continue
        size = _size(lines, box, 84.0)
        if size < 22:
            lines = [pen.note(f"{hex_}: {', '.join(texts[hex_])}")]
            size = 60.0
        words = _stacked(pen, lines, hex_, box, size)
        found.append(group(words, "told-hex", about=data(hex=hex_)))
    return found


def _size(lines: Sequence[str], box: counters.Box, most: float) -> float:
    """Return the maximum size of these lines in a part of a hex."""
    widest = max(width_of(each, 1.0) for each in lines)
    return min(most, box.width / max(widest, 0.1), box.height / (1.1 * len(lines)))


def _stacked(
    pen: Canvas, lines: Sequence[str], hex_: Hex, box: counters.Box, size: float
) -> list[Element]:
    """Draw lines below one another in the middle of a part of a hex."""
    x, y = hex_.centre
    top = y + box.top + box.height / 2 - (len(lines) - 1) / 2 * size * 1.1
    look = pen.looks
    return [
        text(each, (x, top + at * size * 1.1), size, look.ink, halo=look.halo, bold=True)
        for at, each in enumerate(lines)
    ]


def _names(pen: Canvas, taken: Mapping[Hex, Sequence[str]]) -> list[Element]:
    """Draw each building name once, in its middle hex or in one that is free."""
    by_name: dict[str, list[Hex]] = {}
    among = pen.around or pen.hexes
    for hex_, (name, *_) in pen.seen.hexes("named"):
        if hex_ in among:
            by_name.setdefault(str(name), []).append(hex_)
    found: list[Element] = []
    for name, hexes in by_name.items():
        centre = [sum(hex_.centre[axis] for hex_ in hexes) / len(hexes) for axis in (0, 1)]

        def far(hex_: Hex, centre: Sequence[float] = centre) -> tuple[float, Hex]:
            return (hex_.centre.x - centre[0]) ** 2 + (hex_.centre.y - centre[1]) ** 2, hex_

        free = [hex_ for hex_ in hexes if hex_ not in taken]
        if not free:
            pen.note(f"{' '.join(map(str, hexes))}: {name}")
            continue
        hex_ = min(free, key=far)
        if hex_ not in pen.hexes:
            continue
        box = counters.NAME
        lines, size = _fitted(name, box)
        if size < 24:
            lines, size = [pen.note(name)], 48
        found.append(fact_group("named", _stacked(pen, lines, hex_, box, size), name=name))
    return found


def _fitted(name: str, box: counters.Box) -> tuple[list[str], float]:
    """Return a name in one or two lines, with the larger font size."""
    words = name.split(" ")
    ways = [[name]]
    ways += [[" ".join(words[:at]), " ".join(words[at:])] for at in range(1, len(words))]

    best = max(ways, key=lambda lines: _size(lines, box, 56.0))
    return best, _size(best, box, 56.0)


def _unplaced_lines(what: Scene) -> list[str]:
    """Return the board statements without a place on the map, as text."""
    said = [
        each
        for each in what.board.statements
        if (isinstance(each, Fact) and each.name in TOLD) or isinstance(each, TerrainSubstitution)
    ]
    lines = write_statements(said, what.notation).splitlines()
    return [", ".join(line.strip() for line in lines)] if lines else []


def _page(pen: Canvas, overlay: AnswerOverlay, layers: Sequence[svg.G]) -> str:
    """Draw the map with all text around it."""
    xs = [hex_.corner(each).x for hex_ in pen.hexes for each in range(6)]
    ys = [hex_.corner(each).y for hex_ in pen.hexes for each in range(6)]
    middle = (min(xs) + max(xs)) / 2
    width = max(max(xs) - min(xs), _LEAST_WIDTH)
    left, right = middle - width / 2, middle + width / 2
    scale = max(_SMALL, min(_LARGE, _WIDE / (width + 2 * _MARGIN)))
    size = 14.5 / scale
    name = pen.seen.board.name or "board"
    title = overlay.title or (f"board {name}" if name.isdigit() else name)
    caption = [*overlay.caption, *_unplaced_lines(pen.seen)]
    if pen.level is not None:
        caption.insert(0, f"level {pen.level}")
    above, high = canvas.lines_of(
        pen, [title], left, 0, size * 1.25, width, bold=True, name="title"
    )
    more, higher = canvas.lines_of(pen, caption, left, high, size, width)
    top = min(ys) - _MARGIN - high - higher
    head = placed(group([*above, *more], "head"), 0, top)
    below: list[Element] = []
    y: float = max(ys) + _MARGIN
    if overlay.panel is not None:
        drawn, height = overlay.panel(pen, left, y, width, size)
        below += drawn
        y += height + _MARGIN
    drawn, height = canvas.legend(pen, left, y, size, width)
    below += drawn
    y += height
    notes = [f"*{number} {note}" for number, note in enumerate(pen.notes, 1)]
    drawn, height = canvas.lines_of(pen, notes, left, y, size, width, name="note")
    below += drawn
    y += height
    box = (left - _MARGIN, top - _MARGIN, right - left + 2 * _MARGIN, y - top + 2 * _MARGIN)
    return document(
        [
            svg.Defs(elements=list(pen.textures.values())),
            _paper(pen, box),
            head,
            group(layers, "map", key="map"),
            *below,
        ],
        box,
        box[2] * scale,
        title,
    )


def _paper(pen: Canvas, box: Sequence[float]) -> Element:
    left, top, width, height = map(round, box)
    shape = f"M{left} {top}h{width}v{height}h{-width}z"
    return path(shape, None, "paper", fill=pen.looks.paper)


def hexes_near(hexes: Iterable[Hex], more: int = 1) -> frozenset[Hex]:
    """Return these hexes and all hexes within a range of them."""
    found = frozenset(hexes)
    for _ in range(more):
        found |= {near for hex_ in found for near in hex_.neighbours()}
    return found
