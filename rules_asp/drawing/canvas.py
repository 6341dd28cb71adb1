"""Common parts of all layers: canvas, scene, legend, outlines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import clingo
import svg

from rules_asp.boards.facts import board_facts
from rules_asp.boards.resolve import resolve
from rules_asp.drawing.style import TEXTURES, TOPICS, AreaStyle, LineStyle, Theme
from rules_asp.drawing.svg import Element, data, group, path, placed, ring_path, text, width_of
from rules_asp.game.board import Board
from rules_asp.game.grid import Grid, Hex, Hexside, Location, Point, Spot, hex_of_spot
from rules_asp.game.map_layout import MapNames, map_names
from rules_asp.game.values import (
    Notation,
    Term,
    hex_from_symbol,
    hexside_from_symbol,
    location_from_symbol,
    spot_from_symbol,
)
from rules_asp.game.vocabulary import YES, default_vocabulary
from rules_asp.geometry.polygons import Piece, hexagon
from rules_asp.geometry.shapes import Shapes, shapes_of
from rules_asp.knowledge.rules import Signature
from rules_asp.positions.fact_index import FactIndex
from rules_asp.positions.position import Position

Row = tuple[Term, ...]


@dataclass(frozen=True)
class Scene:
    """A board for drawing.

    stated: the board's facts by name, each with its arguments. answers: the topics of the knowledge
    base that a map shows, by name: the arguments, with the value last. derived: the derived
    predicates by name. For a plain Board, both are empty: the rules are not asked. If the board
    leaves something open, they hold only the atoms true in every case. notation: how terms are
    written.
    """

    board: Board
    shapes: Shapes
    stated: Mapping[str, tuple[Row, ...]]
    notation: Notation
    answers: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    derived: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)

    @property
    def hexes_of_map(self) -> frozenset[Hex]:
        """Every hex of the map."""
        return frozenset(self.notation.names.hexes())

    def of(self, name: str) -> tuple[Row, ...]:
        """Return the facts of an input."""
        return self.stated.get(name, ())

    def sides(self, name: str) -> Iterator[tuple[Hexside, Row]]:
        """Yield the facts of an input about hexsides: the hexside and the other arguments."""
        for where, *rest in self.of(name):
            if isinstance(where, Hexside):
                yield where, tuple(rest)

    def hexes(self, name: str) -> Iterator[tuple[Hex, Row]]:
        """Yield the facts of an input about hexes: the hex and the other arguments."""
        for where, *rest in self.of(name):
            if isinstance(where, Hex):
                yield where, tuple(rest)

    def true_of(self, topic: str) -> Iterator[Term]:
        """Yield the places where a topic is yes."""
        for where, value in (row for row in self.answers.get(topic, ()) if len(row) == 2):
            if value == YES:
                yield where

    def bases(self) -> dict[Hex, int]:
        """The base level of each hex, in half levels."""
        return {hex_: level for hex_, (level,) in self.hexes("base") if isinstance(level, int)}

    def places(self) -> dict[Hex, list[tuple[Location, int | None]]]:
        """The Locations of each hex with their levels in half levels; None for an unknown level."""
        levels = {row[0]: row[1] for row in self.derived.get("at_level", ())}
        found: dict[Hex, list[tuple[Location, int | None]]] = {}
        for where, *_ in self.derived.get("location", ()):
            if isinstance(where, Location) and isinstance(where.spot, Hex):
                level = levels.get(where)
                known = level if isinstance(level, int) else None
                found.setdefault(where.spot, []).append((where, known))
        for each in found.values():
            each.sort(key=lambda pair: (pair[1] is None, pair[1] or 0, str(pair[0])))
        return found


#: The topics and derived predicates that a map needs.
ANSWERED = ("interior_wall", *TOPICS)
LOCATED = (("location", 1), ("at_level", 2))
#: The additional predicates for a side view.
_DERIVED = (*LOCATED, ("obstacle", 3), ("haze", 3), ("side_obstacle", 3))


def make_scene(thing: Position | Board) -> Scene:
    """Return the scene of a position with answers, or of a plain board.

    BoardError for an invalid board.
    """
    if isinstance(thing, Board):
        notation = Notation(default_vocabulary(), map_names(thing.grid))
        board = resolve(thing, notation.vocabulary)
        shapes = shapes_of(board)
        facts = FactIndex(board_facts(board, shapes.pieces, notation.vocabulary))
        return Scene(board, shapes, _stated(facts, notation.names), notation)
    position, names = thing, thing.names
    arities = dict(_DERIVED)

    def answered(topic: str) -> list[clingo.Symbol]:
        return sorted(in_all_cases(position, topic_nodes(topic)))

    def derived(name: str) -> list[clingo.Symbol]:
        return sorted(in_all_cases(position, [Signature(name, arities[name])]))

    return Scene(
        position.board,
        position.shapes,
        _stated(position.board_facts, names),
        position.notation,
        _Asked(
            ANSWERED,
            answered,
            lambda atom: (*_about(atom.arguments[0], names), _term(atom.arguments[1], names)),
        ),
        _Asked(tuple(arities), derived, lambda atom: _about(atom, names)),
    )


def topic_nodes(topic: str) -> list[Signature]:
    """Return the signatures for the value of a topic with one place: direct, or as a total."""
    return [Signature(name, 2, (topic, 1)) for name in ("is", "total")]


def in_all_cases(position: Position, nodes: Sequence[Signature]) -> list[clingo.Symbol]:
    """Return the atoms of these signatures that are true in every case of an open board."""
    first, *others = (list(position.true(case, nodes)) for case in range(len(position.cases)))
    for each in map(frozenset, others):
        first = [atom for atom in first if atom in each]
    return first


@lru_cache(maxsize=60_000)  # the terms of a few maps, since each change redraws the map
def _about(atom: clingo.Symbol, names: MapNames) -> Row:
    return tuple(_term(each, names) for each in atom.arguments)


def _stated(facts_: FactIndex, names: MapNames) -> Mapping[str, tuple[Row, ...]]:
    by_name = facts_.by_name
    return _Asked(tuple(by_name), by_name.__getitem__, lambda atom: _about(atom, names))


class _Asked(Mapping[str, tuple[Row, ...]]):
    """Rows by name, searched and read on demand: a map draws only a small part of the answers."""

    def __init__(
        self,
        names: Sequence[str],
        seek: Callable[[str], Sequence[clingo.Symbol]],
        read: Callable[[clingo.Symbol], Row],
    ) -> None:
        self._names, self._seek, self._read = frozenset(names), seek, read
        self._rows: dict[str, tuple[Row, ...]] = {}

    def __getitem__(self, name: str) -> tuple[Row, ...]:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._rows:
            self._rows[name] = tuple(map(self._read, self._seek(name)))
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _term(symbol: clingo.Symbol, names: MapNames) -> Term:
    """Convert a term of kb/ to a place, a number or a text; else to its kb/ form."""
    if symbol.type == clingo.SymbolType.Number:
        return symbol.number
    if symbol.type == clingo.SymbolType.String:
        return symbol.string
    if len(symbol.arguments) == 2:
        try:
            if symbol.name == "e":
                return hexside_from_symbol(symbol, names)
            if symbol.name == "l":
                return location_from_symbol(symbol, names)
            if symbol.name == "v":
                return spot_from_symbol(symbol, names)
            if symbol.name == "":
                return hex_from_symbol(symbol, names)
        except (ValueError, IndexError, RuntimeError):
            return str(symbol)
    return str(symbol)


# --- What every layer needs to draw: the scene, its look, and the entries of the legend.


@dataclass(frozen=True)
class LegendEntry:
    """An entry of the legend: a swatch of 120 x 80 around its middle, and words."""

    swatch: tuple[Element, ...]
    words: str


@dataclass
class Canvas:
    """The state of a picture while it is drawn. `level` is the only floor shown, None for all.

    `legend` and `textures` collect the entries used. `notes` are texts too long for their place,
    listed below the map by number. Notes of a previous picture keep their numbers, and `noted` are
    those still in use. `around` are the hexes where names can be placed, if these are more than the
    drawn ones.
    """

    seen: Scene
    looks: Theme
    hexes: frozenset[Hex]
    level: int | str | None = None
    legend: dict[str, LegendEntry] = field(default_factory=dict)
    textures: dict[str, svg.Pattern] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    noted: set[str] = field(default_factory=set)
    around: frozenset[Hex] | None = None

    def __post_init__(self) -> None:
        self.hexes = frozenset(self.seen.notation.names.hex(*each) for each in self.hexes)

    def explain(self, key: str, words: str, swatch: Iterable[Element]) -> None:
        """Add an entry to the legend, once."""
        if key not in self.legend:
            self.legend[key] = LegendEntry(tuple(swatch), words)

    def note(self, text: str) -> str:
        """Return the number of a text below the map."""
        if text not in self.notes:
            self.notes.append(text)
        self.noted.add(text)
        return f"*{self.notes.index(text) + 1}"

    def is_shown(self, where: Location | Spot) -> bool:
        """Return whether a place is in the drawn part and level of the map."""
        if isinstance(where, Location):
            on_level = self.level is None or where.floor == self.level
            return on_level and hex_of_spot(where.spot) in self.hexes
        return hex_of_spot(where) in self.hexes

    def texture(self, look: AreaStyle) -> str:
        """Return the paint of a look's texture."""
        name = f"{self.looks.name}-{look.texture}-{look.ink.lstrip('#')}"
        if name not in self.textures:
            one = TEXTURES[look.texture]
            self.textures[name] = svg.Pattern(
                id=name,
                width=one.tile,
                height=one.tile,
                patternUnits="userSpaceOnUse",
                elements=[
                    path(
                        one.data,
                        fill=look.ink if one.filled else "none",
                        stroke=None if one.filled else look.ink,
                        stroke_width=None if one.filled else one.thick,
                    )
                ],
            )
        return f"url(#{name})"

    def area(self, shape: str, look: AreaStyle, rim: int = 8) -> list[Element]:
        """Draw an area in a look."""
        first = path(
            shape,
            fill=look.fill,
            fill_rule="evenodd",
            stroke=look.rim,
            stroke_width=rim,
            stroke_linejoin="round",
        )
        if not look.texture:
            return [first]
        return [first, path(shape, fill=self.texture(look), fill_rule="evenodd")]

    def swatch(self, look: AreaStyle) -> list[Element]:
        """Draw a small area in a look, for the legend."""
        # Textures begin at the corner; half their size shows more of them.
        whole = group(self.area("M0 0h240v160h-240z", look, 16), "glyph")
        return [placed(whole, -60, -40, 0.5)]


def stroked(shape: str, look: LineStyle, cap: str = "butt") -> list[Element]:
    """Draw a line in a look: casing, line, dashes."""
    layers = [
        (look.casing, look.casing_thick, ""),
        (look.fill, look.thick, ""),
        (look.dash_ink, look.dash_thick, look.dash),
    ]
    return [
        path(
            shape,
            fill="none",
            stroke=ink,
            stroke_width=thick,
            stroke_linecap=cap,
            stroke_linejoin="round",
            extra={"stroke-dasharray": dash} if dash else None,
        )
        for ink, thick, dash in layers
        if ink and thick
    ]


def stroke_swatch(look: LineStyle) -> list[Element]:
    """Draw a short line in a look, for the legend; a broad line is drawn narrower."""
    thick = max(look.thick, look.casing_thick, look.dash_thick)
    scale = min(1.0, 76 / thick)
    shape = f"M{-60 / scale:.0f} 0H{60 / scale:.0f}"
    return [placed(group(stroked(shape, look), "glyph"), 0, 0, scale)]


def fact_group(name: str, elements: Iterable[Element], /, **about: object) -> svg.G:
    """Return the group for the elements of a fact; `data-fact` has its name in the vocabulary."""
    return group(elements, "fact", about=data(fact=name, **about))


# --- The text around the map: title and caption above, legend and notes below, in lines.


#: The height of a line, in multiples of the font size.
LINE = 1.35


def wrapped(said: str, size: float, width: float) -> list[str]:
    """Break a text into lines no wider than this; a wider word is split."""
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
    """Draw texts as lines from a corner; return them and their height."""
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
    """Draw the legend in columns, with a swatch for each kind; return it and its height."""
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


# --- Pieces of depictions merged into outlines, and lines clipped to them; in lattice units.


#: Seams between pieces of a depiction, and irregularities of its rim, narrower than this vanish.
_SEAM = 3


def outline(pieces: Iterable[Piece], inset: int = 0) -> str:
    """Return the path data around all these pieces, inset by a distance; empty for no pieces."""
    import shapely

    polygons = [shapely.Polygon(piece) for piece in pieces if len(piece) > 2]
    if not polygons:
        return ""
    union = shapely.union_all(polygons, grid_size=1)
    closed = union.buffer(_SEAM, join_style="mitre").buffer(-_SEAM - inset, join_style="mitre")
    return _rings(shapely.normalize(closed.simplify(_SEAM)))


def hexes_outline(hexes: Iterable[Hex]) -> str:
    """Return the path data around all these hexes."""
    return outline([hexagon(hex_) for hex_ in hexes])


def outside_points(hexes: Iterable[Hex], paper: Grid) -> dict[Hex, tuple[Piece, ...]]:
    """Return the parts of hexes outside the paper; its rim halves the outer hexes."""
    import shapely

    sheets = [(*one, *other) for one, other in (field.corners for field in paper.fields)]
    sheet = shapely.union_all([shapely.box(*each) for each in sheets])
    found: dict[Hex, tuple[Piece, ...]] = {}
    for hex_ in hexes:
        corners = hexagon(hex_)
        if any(
            all(left <= each.x <= right and top <= each.y <= bottom for each in corners)
            for left, top, right, bottom in sheets
        ):
            continue
        cut_off = shapely.Polygon(corners).difference(sheet)
        found[hex_] = tuple(
            tuple(Point(round(x), round(y)) for x, y in list(each.exterior.coords)[:-1])
            for each in getattr(cut_off, "geoms", [cut_off])
            if not each.is_empty
        )
    return found


def _rings(area: Any) -> str:
    parts: list[str] = []
    for each in getattr(area, "geoms", [area]):
        if each.geom_type != "Polygon" or each.is_empty:
            continue
        parts += [ring_path(list(one.coords)[:-1]) for one in (each.exterior, *each.interiors)]
    return "".join(parts)


def between(one: Point, other: Point, share: float) -> tuple[float, float]:
    """Return the point at this share of the way: 0 is the first end, 1 the second."""
    return one.x + (other.x - one.x) * share, one.y + (other.y - one.y) * share


def stretch_in(one: Point, other: Point, piece: Piece) -> tuple[float, float] | None:
    """Return the start and end share of a line in a convex piece, None if they share no length."""
    dx, dy = other.x - one.x, other.y - one.y
    low, high = 0.0, 1.0
    for at, a in enumerate(piece):
        b = piece[(at + 1) % len(piece)]
        # Inside is to the right of each edge, since pieces go clockwise on the map.
        there = (b.x - a.x) * (one.y - a.y) - (b.y - a.y) * (one.x - a.x)
        slope = (b.x - a.x) * dy - (b.y - a.y) * dx
        if slope == 0:
            if there < 0:
                return None
        elif slope > 0:
            low = max(low, -there / slope)
        else:
            high = min(high, -there / slope)
    return (low, high) if high - low > 1e-6 else None


def stretches(one: Point, other: Point, pieces: Iterable[Piece]) -> list[tuple[float, float]]:
    """Return the shares of a line in any of these pieces, joined if they meet, in order."""
    found: list[tuple[float, float]] = []
    for low, high in sorted(filter(None, (stretch_in(one, other, piece) for piece in pieces))):
        if found and low <= found[-1][1] + 1e-3:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return found


def crossed(one: Point, other: Point, hexes: Iterable[Hex]) -> list[tuple[Hex, float, float]]:
    """Return the hexes that a line passes through, with its entry and exit shares, in order."""
    found = [(stretch_in(one, other, hexagon(hex_)), hex_) for hex_ in hexes]
    inside = [(hex_, *share) for share, hex_ in found if share is not None]
    return sorted(inside, key=lambda each: (each[1], each[2], each[0]))
