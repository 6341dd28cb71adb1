"""What lies on hexsides: walls, hedges and the like, slopes, Narrow Streets, roadblocks."""

from __future__ import annotations

import re
from collections import defaultdict

from rules_asp.drawing.elements import Element, path, placed, ring_path
from rules_asp.drawing.looks import LineStyle
from rules_asp.drawing.pens import Canvas, fact_group, stroke_swatch, stroked
from rules_asp.drawing.shaping import between
from rules_asp.terms.arguments import word_text
from rules_asp.terms.grid import Hexside, Point

_TEETH = "M0-90L40-65L0-40zM0-25L40 0L0 25zM0 40L40 65L0 90z"
_BLOCK = "M-78-20H78V20H-78z"


def streets(pen: Canvas) -> list[Element]:
    """Roads that are printed along hexsides, under everything that stands beside them."""
    unpaved = {where for where, _ in pen.seen.sides("ssr_unpaved")}
    shapes: dict[bool, list[str]] = defaultdict(list)
    for where, _ in pen.seen.sides("road_along"):
        if pen.hexes & {*where}:
            shapes[where in unpaved].append(ring_path(where.ends, closed=False))
    found: list[Element] = []
    for dirt, sides in sorted(shapes.items()):
        look = pen.looks.roads["dirt" if dirt else "paved"]
        found.append(fact_group("road_along", stroked("".join(sides), look, "round")))
        if dirt:
            found.append(fact_group("ssr_unpaved", ()))
        words = "unpaved narrow street" if dirt else "narrow street"
        pen.explain(words, words, stroke_swatch(look))
    return found


def features(pen: Canvas) -> list[Element]:
    """Walls, hedges, cliffs, bocage."""
    shapes: dict[str, list[str]] = defaultdict(list)
    for where, (kind, *_) in pen.seen.sides("side_terrain"):
        if pen.hexes & {*where}:
            shapes[str(kind)].append(ring_path(where.ends, closed=False))
    found: list[Element] = []
    for kind, sides in shapes.items():
        strange = LineStyle(
            "none", 0, pen.looks.unknown_terrain.rim, 46, "12 14", pen.looks.paper, 46
        )
        look = pen.looks.sides.get(kind, strange)
        words = word_text(kind, "hexside_terrain")
        drawn = stroked("".join(sides), look, "round" if kind != "cliff" else "butt")
        found.append(fact_group("side_terrain", drawn, kind=words))
        pen.explain(f"side {kind}", words, stroke_swatch(look))
    return found


def slopes(pen: Canvas) -> list[Element]:
    """Slopes: on the hexside, teeth that point down, out of the hex from which one looks down it."""
    found: list[Element] = []
    for hex_, (where, *_) in pen.seen.hexes("upslope"):
        if hex_ not in pen.hexes or not isinstance(where, Hexside):
            continue
        other = where.b if where.a == hex_ else where.a
        (dx, dy), (x, y) = (
            (other.centre.x - hex_.centre.x, other.centre.y - hex_.centre.y),
            between(*where.ends, 0.5),
        )
        length = (dx**2 + dy**2) ** 0.5
        teeth = _turned(_TEETH, dx / length, dy / length)
        drawn = fact_group(
            "upslope", [path(teeth, fill=pen.looks.contour)], hex=hex_, hexside=where
        )
        found.append(placed(drawn, x, y))
    if found:
        pen.explain(
            "upslope", "slope, down", [path("M-20-25L20 0L-20 25z", fill=pen.looks.contour)]
        )
    return found


def roadblocks(pen: Canvas) -> list[Element]:
    """Roadblocks: a barrier across the road that the hexside is, or that crosses it, and their arrow."""
    along = {where for where, _ in pen.seen.sides("road_along")}
    found: list[Element] = []
    for where, (corner, *_) in pen.seen.sides("roadblock"):
        if not pen.hexes & {*where}:
            continue
        end = _pointed_at(where, corner)
        other = next(each for each in where.ends if each != end)
        x, y = between(other, end, 0.5)
        length = ((end.x - x) ** 2 + (end.y - y) ** 2) ** 0.5
        cos, sin = (end.x - x) / length, (end.y - y) / length
        # Across a street that runs along the hexside, else along the hexside.
        block = "M-20-78V78H20V-78z" if where in along else _BLOCK
        arrow = (
            "M26-11H92V-30L136 0L92 30V11H26z"
            if where in along
            else "M50-11H92V-30L136 0L92 30V11H50z"
        )
        shape = path(
            _turned(block, cos, sin) + _turned(arrow, cos, sin),
            fill=pen.looks.ink,
            stroke=pen.looks.paper,
            stroke_width=8,
        )
        one = placed(fact_group("roadblock", [shape], hexside=where), x, y)
        found.append(one)
        swatch = path("M-60-34h24v68h-24zM-28-8H20V-24L60 0L20 24V8H-28z", fill=pen.looks.ink)
        pen.explain("roadblock", "roadblock", [swatch])
    return found


def _pointed_at(where: Hexside, corner: object) -> Point:
    """The end of the hexside at which the arrow points: a vertex of the hexside's first hex."""
    return where.a.corner(corner if isinstance(corner, int) else 0)


def _turned(shape: str, cos: float, sin: float) -> str:
    """A shape of M, L, H, V and z in absolute points, turned about the origin."""
    x = y = 0.0
    points: list[tuple[float, float]] = []
    parts: list[str] = []
    for letter, rest in re.findall(r"([MLHVz])([^MLHVz]*)", shape):
        numbers = [float(each) for each in re.findall(r"-?\d+", rest)]
        if letter == "z":
            parts.append(ring_path(points))
            points = []
            continue
        if letter in "ML":
            x, y = numbers
        elif letter == "H":
            (x,) = numbers
        else:
            (y,) = numbers
        points.append((x * cos - y * sin, x * sin + y * cos))
    return "".join(parts)
