"""Common parts of all layers: canvas, legend, outlines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import svg

from rules_asp.drawing.scene import Scene
from rules_asp.drawing.style import TEXTURES, AreaStyle, LineStyle, Theme
from rules_asp.drawing.svg import Element, data, group, path, placed, ring_path, text, width_of
from rules_asp.game.grid import Grid, Hex, Location, Point, Spot, hex_of_spot
from rules_asp.geometry.polygons import Piece, hexagon

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
