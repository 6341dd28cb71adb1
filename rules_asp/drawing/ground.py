"""The ground: levels, terrain, roads, bridges, and the hexes themselves with their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, pairwise

from rules_asp.drawing.elements import Element, data, group, path, ring_path, text, width_of
from rules_asp.drawing.looks import STRANGE, AreaStyle, level_colour
from rules_asp.drawing.pens import Canvas, fact_group, stroke_swatch, stroked
from rules_asp.drawing.shaping import hexes_outline, outline, outside_points
from rules_asp.lines.outlines import Piece
from rules_asp.terms.arguments import to_board_text, word_text
from rules_asp.terms.board import OUTLINED
from rules_asp.terms.grid import Hex, Hexside, Point
from rules_asp.terms.names import level_text

_NAME_SIZE = 64


def levels(pen: Canvas) -> list[Element]:
    """The ground by levels, the lowest first, each in a shade of its own."""
    bases = {hex_: base for hex_, base in pen.seen.bases().items() if hex_ in pen.hexes}
    lowest = min(pen.seen.bases().values(), default=0)
    pieces: dict[int, list[Piece]] = defaultdict(list)
    for (hex_, kind), drawn in pen.seen.shapes.pieces.items():
        if hex_ in pen.hexes and kind.startswith("ground("):
            pieces[int(kind[7:-1])] += drawn
    # Drawings end with the paper; what is left of the outer hexes has their base level.
    for hex_, rest in outside_points(pen.hexes, pen.seen.board.grid).items():
        for half_levels in [each for each in pieces if each <= bases.get(hex_, 0)]:
            pieces[half_levels] += rest
    found: list[Element] = []
    whole = hexes_outline(pen.hexes)
    for half_levels in sorted({lowest, *pieces}):
        shape = whole if half_levels == lowest else outline(pieces[half_levels])
        if not shape:
            continue
        look = AreaStyle(level_colour(pen.looks, half_levels // 2), pen.looks.contour)
        named = level_text(half_levels)
        rim = 0 if half_levels == lowest else 9
        found.append(fact_group("base", pen.area(shape, look, rim), level=named))
    shown = sorted({*bases.values(), *(each for each in pieces if pieces[each])})
    if len(shown) > 1:
        for each in shown:
            look = AreaStyle(level_colour(pen.looks, each // 2), pen.looks.contour)
            pen.explain(f"level {each}", f"level {level_text(each)}", pen.swatch(look))
    return found


def terrain(pen: Canvas) -> list[Element]:
    """What grows and lies on the ground, each kind as one drawing."""
    pieces: dict[str, list[Piece]] = defaultdict(list)
    for (hex_, kind), drawn in pen.seen.shapes.pieces.items():
        if hex_ in pen.hexes and kind not in OUTLINED and not kind.startswith("ground("):
            pieces[kind] += drawn
    order = [*pen.looks.terrain]
    strange = _strange(pen)
    found: list[Element] = []
    placed = {kind: place for place, kind in enumerate(order)}
    for kind in sorted(pieces, key=lambda kind: (placed.get(kind, len(order)), kind)):
        look = pen.looks.terrain.get(kind) or strange[kind]
        words = word_text(kind, "terrain")
        pen.explain(f"terrain {kind}", words, pen.swatch(look))
        shape = outline(pieces[kind])
        # What a hex only has a part of is `part`, what it has at its centre dot is `terrain` too.
        whole = any(row[0] == kind for hex_, row in pen.seen.hexes("terrain") if hex_ in pen.hexes)
        fact = "terrain" if whole else "part"
        found.append(fact_group(fact, pen.area(shape, look), terrain=words))
    return found


def _strange(pen: Canvas) -> dict[str, AreaStyle]:
    """The looks of kinds that have none of their own: the same of a part of a map as of all of it."""
    kinds = {kind for _, kind in pen.seen.shapes.pieces if kind not in OUTLINED}
    others = sorted(each for each in kinds if not each.startswith("ground("))
    looks = cycle(replace(pen.looks.unknown_terrain, texture=each) for each in STRANGE)
    return {each: next(looks) for each in others if each not in pen.looks.terrain}


def roads(pen: Canvas) -> list[Element]:
    """Roads from hexside to hexside through the centre dots; those that pass a building run round it."""
    ways: dict[str, dict[Hex, list[Hexside]]] = defaultdict(lambda: defaultdict(list))
    for where, (surface, *_) in pen.seen.sides("road"):
        for hex_ in where:
            if hex_ in pen.hexes:
                ways[str(surface)][hex_].append(where)
    passing = {hex_ for hex_, _ in pen.seen.hexes("roads_pass")}
    found: list[Element] = []
    for surface, by_hex in ways.items():
        look = pen.looks.roads.get(surface) or next(iter(pen.looks.roads.values()))
        shape = "".join(
            _round_about(hex_, sides) if hex_ in passing else _through(hex_, sides)
            for hex_, sides in by_hex.items()
        )
        found.append(
            fact_group("road", stroked(shape, look), surface=word_text(surface, "surface"))
        )
        words = f"{word_text(surface, 'surface')} road" if surface != "path" else "path"
        pen.explain(f"road {surface}", words, stroke_swatch(look))
    for hex_ in sorted(passing & pen.hexes):
        x, y = hex_.centre
        found.append(fact_group("roads_pass", [path(f"M{x} {y}h0")], hex=hex_))
    return found


def _middle(where: Hexside) -> Point:
    one, two = where.ends
    return Point((one.x + two.x) // 2, (one.y + two.y) // 2)


def _through(hex_: Hex, sides: Sequence[Hexside]) -> str:
    x, y = hex_.centre
    if len(sides) == 2:
        (one, two) = map(_middle, sides)
        return f"M{one.x} {one.y}Q{x} {y} {two.x} {two.y}"
    return "".join(f"M{each.x} {each.y}L{x} {y}" for each in map(_middle, sides))


def _round_about(hex_: Hex, sides: Sequence[Hexside]) -> str:
    """The roads of a hex past its building: along a ring near the rim of the hex."""
    around = hex_.neighbours()
    directions = sorted(around.index(where.b if where.a == hex_ else where.a) for where in sides)
    x, y = hex_.centre

    def near(point: Point, share: float = 0.84) -> tuple[float, float]:
        return x + (point.x - x) * share, y + (point.y - y) * share

    if len(directions) < 2:
        return "".join(ring_path((each, near(each)), closed=False) for each in map(_middle, sides))
    shape = ""
    for one, two in pairwise(directions):
        first, last = (one, two) if two - one <= 3 else (two, one + 6)
        begin, end = (_middle(_side(hex_, each % 6)) for each in (first, last))
        turns = [near(hex_.corner(each % 6)) for each in range(first, last)]
        shape += ring_path([begin, near(begin), *turns, near(end), end], closed=False)
    return shape


def _side(hex_: Hex, direction: int) -> Hexside:
    return Hexside(*sorted((hex_, hex_.neighbour(direction))))


def bridges(pen: Canvas) -> list[Element]:
    """Bridges, along the road of their hex."""
    found: list[Element] = []
    for hex_, (built, *_) in pen.seen.hexes("bridge"):
        if hex_ not in pen.hexes:
            continue
        roads = [where for where, _ in pen.seen.sides("road") if hex_ in where]
        ends = [_middle(where) for where in roads[:2]] or [_middle(_side(hex_, 0))]
        x, y = hex_.centre
        if len(ends) == 1:
            ends.append(Point(2 * x - ends[0].x, 2 * y - ends[0].y))
        (one, two) = ends
        length = max(1.0, ((two.x - one.x) ** 2 + (two.y - one.y) ** 2) ** 0.5)
        across = (-(two.y - one.y) / length * 78, (two.x - one.x) / length * 78)
        look = pen.looks.buildings["gray" if built == "stone" else "brown"]
        drawn: list[Element] = []
        for sign in (1, -1):
            rail = [
                (x + (end.x - x) * 0.8 + sign * across[0], y + (end.y - y) * 0.8 + sign * across[1])
                for end in (one, two)
            ]
            drawn += [
                path(ring_path(rail, closed=False), fill="none", stroke=look.rim, stroke_width=44),
                path(ring_path(rail, closed=False), fill="none", stroke=look.fill, stroke_width=26),
            ]
        found.append(fact_group("bridge", drawn, hex=hex_))
        swatch = path("M-60-26H60M-60 26H60", fill="none", stroke=look.rim, stroke_width=16)
        pen.explain(f"bridge {built}", f"{to_board_text(built, 'construction')} bridge", [swatch])
    return found


def grid(pen: Canvas) -> list[Element]:
    """The hexsides, each once, and the rim of every hex."""
    sides = {
        tuple(sorted((hex_.corner(each - 1), hex_.corner(each))))
        for hex_ in pen.hexes
        for each in range(6)
    }
    shape = "".join(ring_path(ends, closed=False) for ends in sorted(sides))
    look = pen.looks.grid
    return [
        path(shape, None, "grid", fill="none", stroke=look, stroke_width=7, stroke_opacity=0.75)
    ]


def names(pen: Canvas) -> list[Element]:
    """A group for each hex, with its name on top, its level if it is not 0, and its title."""
    bases = pen.seen.bases()
    places = pen.seen.places()
    found: list[Element] = []
    for hex_ in sorted(pen.hexes):
        base = bases.get(hex_, 0)
        x, y = hex_.centre
        corners = ring_path([hex_.corner(each) for each in range(6)])
        inside: list[Element] = [path(corners, fill="none", pointer_events="all")]
        label = str(hex_)
        size = _NAME_SIZE
        if base:
            high = f"L{level_text(base)}"
            small = round(size * 0.72)
            gap = size * 0.3
            left, right = width_of(label, size), width_of(high, small)
            start = x - (left + gap + right) / 2
            inside.append(_label(pen, label, (start, y - 212), size, "name", "start"))
            inside.append(_label(pen, high, (start + left + gap, y - 212), small, "level", "start"))
        else:
            inside.append(_label(pen, label, (x, y - 212), size, "name"))
        about = data(hex=hex_, level=level_text(base), x=x, y=y)
        title = _title(hex_, level_text(base), [*places.get(hex_, ())])
        found.append(group(inside, "hex", key=f"hex-{hex_}", about=about, title=title))
    return found


def _label(
    pen: Canvas, said_: str, at: tuple[float, float], size: float, name: str, anchor: str = "middle"
) -> Element:
    return text(said_, at, size, pen.looks.ink, halo=pen.looks.halo, name=name, anchor=anchor)


def _title(hex_: Hex, base: str, places: Sequence[tuple[object, int | None]]) -> str:
    if len(places) < 2:
        return f"{hex_}, level {base}"
    listed = ", ".join(f"{place} ({'?' if at is None else level_text(at)})" for place, at in places)
    return f"{hex_}, level {base}: {listed}"
