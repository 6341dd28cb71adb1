"""Ground, hexsides, buildings."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import cycle, pairwise

from rules_asp.drawing.canvas import (
    Canvas,
    between,
    fact_group,
    hexes_outline,
    outline,
    outside_points,
    stroke_swatch,
    stroked,
)
from rules_asp.drawing.style import STRANGE, AreaStyle, LineStyle, level_colour
from rules_asp.drawing.svg import (
    Element,
    circle,
    data,
    group,
    path,
    placed,
    ring_path,
    text,
    width_of,
)
from rules_asp.game.board import OUTLINED
from rules_asp.game.grid import Hex, Hexside, Location, Point
from rules_asp.game.values import level_text, to_board_text, word_text
from rules_asp.geometry.polygons import Piece
from rules_asp.geometry.shapes import BUILDING

# --- The ground: levels, terrain, roads, bridges, and the hexes themselves with their names.


_NAME_SIZE = 64


def levels(pen: Canvas) -> list[Element]:
    """Draw the ground by levels, the lowest first, each in a shade of its own."""
    bases = {hex_: base for hex_, base in pen.seen.bases().items() if hex_ in pen.hexes}
    lowest = min(pen.seen.bases().values(), default=0)
    pieces: dict[int, list[Piece]] = defaultdict(list)
    for (hex_, kind), drawn in pen.seen.shapes.pieces.items():
        if hex_ in pen.hexes and kind.startswith("ground("):
            pieces[int(kind[7:-1])] += drawn
    # Depictions end with the paper; the rest of the outer hexes has their base level.
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
    """Draw the terrain, each kind as one area."""
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
        # Terrain in only a part of a hex is `part`; terrain at the center dot is also `terrain`.
        whole = any(row[0] == kind for hex_, row in pen.seen.hexes("terrain") if hex_ in pen.hexes)
        fact = "terrain" if whole else "part"
        found.append(fact_group(fact, pen.area(shape, look), terrain=words))
    return found


def _strange(pen: Canvas) -> dict[str, AreaStyle]:
    """Return looks for unlisted terrain, equal for a part of a map and for all of it."""
    kinds = {kind for _, kind in pen.seen.shapes.pieces if kind not in OUTLINED}
    others = sorted(each for each in kinds if not each.startswith("ground("))
    looks = cycle(replace(pen.looks.unknown_terrain, texture=each) for each in STRANGE)
    return {each: next(looks) for each in others if each not in pen.looks.terrain}


def roads(pen: Canvas) -> list[Element]:
    """Draw roads from hexside to hexside through the center dots, or around a building."""
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
    """Return the roads of a hex around its building: along a ring near the rim of the hex."""
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
    """Draw bridges, along the road of their hex."""
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
    """Draw each hexside once, and the rim of every hex."""
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
    """Draw a group for each hex: its name on top, its level unless it is 0, and its title."""
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


# --- Hexside terrain: walls, hedges, slopes, Narrow Streets, roadblocks.


_TEETH = "M0-90L40-65L0-40zM0-25L40 0L0 25zM0 40L40 65L0 90z"
_BLOCK = "M-78-20H78V20H-78z"


def streets(pen: Canvas) -> list[Element]:
    """Draw roads printed along hexsides, below all hexside terrain."""
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
    """Draw walls, hedges, cliffs and bocage."""
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
    """Draw slopes: teeth on the hexside that point downhill, out of the higher hex."""
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


#: A gap in a wall: its two posts, and the bar that closes it. A wall below a Crest Line: a diamond.
_POSTS, _BAR = "M-24-14H-16V14H-24zM16-14H24V14H16z", "M-16-4H16V4H-16z"
_DIAMOND = "M-20 0L0-14L20 0L0 14z"


def wall_marks(pen: Canvas) -> list[Element]:
    """Draw wall marks: a gap (two posts), a bar between the posts, a wall below the Crest Line."""
    found: list[Element] = []

    def mark(fact: str, where: Hexside, shape: str, **values: object) -> None:
        if pen.hexes & {*where}:
            one, two = where.ends
            length = ((two.x - one.x) ** 2 + (two.y - one.y) ** 2) ** 0.5
            turned = _turned(shape, (two.x - one.x) / length, (two.y - one.y) / length)
            drawn = fact_group(
                fact, [path(turned, fill=pen.looks.contour)], hexside=where, **values
            )
            found.append(placed(drawn, *between(one, two, 0.5)))

    for where, (is_gap, *_) in pen.seen.sides("wall_gap"):
        mark("wall_gap", where, _POSTS if str(is_gap) == "yes" else _POSTS + _BAR, value=is_gap)
    for where, _ in pen.seen.sides("below_crest"):
        mark("below_crest", where, _DIAMOND)
    return found


def roadblocks(pen: Canvas) -> list[Element]:
    """Draw roadblocks: a barrier across the road along or through the hexside, and their arrow."""
    along = {where for where, _ in pen.seen.sides("road_along")}
    found: list[Element] = []
    for where, (corner, *_) in pen.seen.sides("roadblock"):
        if not pen.hexes & {*where}:
            continue
        # The end that the arrow points at is a vertex of the hexside's first hex.
        end = where.a.corner(corner if isinstance(corner, int) else 0)
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


def _turned(shape: str, cos: float, sin: float) -> str:
    """Turn a shape of M, L, H, V and z in absolute points about the origin."""
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


# --- Buildings: depictions, bars, stairwells and the other printed symbols, rubble, breaches.


_FADED = 0.3


def drawings(pen: Canvas) -> list[Element]:
    """Draw each building in its color; if one level is shown, hexes without it are faded."""
    seen = pen.seen
    colours = {hex_: str(row[0]) for hex_, row in seen.hexes("depicts")}
    striped = {hex_ for hex_, _ in seen.hexes("striped")}
    with_level = {
        where.spot
        for (where, *_) in seen.derived.get("location", ())
        if isinstance(where, Location) and where.floor == pen.level
    }
    named = {hex_: str(row[0]) for hex_, row in seen.hexes("named")}
    joined = [where for where, _ in seen.sides("joined")]
    found: list[Element] = []
    built = sorted(pen.hexes & {*colours, *striped})
    for number, members in enumerate(_together(built, joined)):
        parts: dict[tuple[str, bool], list[Piece]] = defaultdict(list)
        for hex_ in members:
            look = "striped" if hex_ in striped else colours[hex_]
            faded = pen.level is not None and hex_ not in with_level
            parts[look, faded] += seen.shapes.pieces.get((hex_, BUILDING), ())
        inner: list[Element] = []
        for (colour, faded), pieces in parts.items():
            fact = "striped" if colour == "striped" else "depicts"
            look_of = pen.looks.striped if fact == "striped" else pen.looks.buildings[colour]
            words = "lumberyard" if fact == "striped" else f"{word_text(colour, 'colour')} building"
            pen.explain(words, words, pen.swatch(look_of))
            one = fact_group(fact, pen.area(outline(pieces), look_of, 12), colour=colour)
            if faded:
                one.opacity = _FADED
            inner.append(one)
        crossing = [where for where in joined if where.a in members and where.b in members]
        about = data(hexes=" ".join(map(str, members)), joined=" ".join(map(str, crossing)))
        name = named.get(members[0], f"building of {members[0]}")
        found.append(group(inner, "building", key=f"building-{number}", about=about, title=name))
    if any(where.a in pen.hexes and where.b in pen.hexes for where in joined):
        found.append(fact_group("joined", ()))
    return found


def _together(hexes: Iterable[Hex], joined: Iterable[Hexside]) -> list[list[Hex]]:
    """Group hexes by building depiction."""
    whole = {hex_: [hex_] for hex_ in hexes}
    for one, two in joined:
        if one in whole and two in whole and whole[one] is not whole[two]:
            merged = sorted((*whole[one], *whole[two]))
            whole |= dict.fromkeys(merged, merged)
    return [members for hex_, members in whole.items() if hex_ == members[0]]


def rubble(pen: Canvas) -> list[Element]:
    """Draw ground level rubble, over the building depiction or in the middle of the hex."""
    found: list[Element] = []
    for hex_, (built, *_) in pen.seen.hexes("rubble"):
        if hex_ not in pen.hexes:
            continue
        look = pen.looks.terrain[f"{built}_rubble"]
        x, y = hex_.centre
        middle = tuple(
            Point((x + each.x) // 2, (y + each.y) // 2) for each in map(hex_.corner, range(6))
        )
        pieces = pen.seen.shapes.pieces.get((hex_, BUILDING), (middle,))
        found.append(fact_group("rubble", pen.area(outline(pieces), look, 12), hex=hex_))
        pen.explain(
            f"rubble {built}", f"{word_text(str(built), 'construction')} rubble", pen.swatch(look)
        )
    return found


def dashes(pen: Canvas) -> list[Element]:
    """Draw the white dashed lines of a Marketplace."""
    found: list[Element] = []
    for hex_, _ in pen.seen.hexes("dashed"):
        if hex_ not in pen.hexes:
            continue
        shape = outline(pen.seen.shapes.pieces.get((hex_, BUILDING), ()), inset=30)
        found.append(fact_group("dashed", _dashed(shape), hex=hex_))
        gray = pen.swatch(pen.looks.buildings["gray"])
        pen.explain("marketplace", "marketplace", [*gray, *_dashed("M-44-22h88v44h-88z")])
    return found


def _dashed(shape: str) -> list[Element]:
    return [
        path(
            shape, fill="none", stroke=ink, stroke_width=thick, extra={"stroke-dasharray": "26 16"}
        )
        for ink, thick in (("#222222", 16), ("#ffffff", 11))
    ]


def bars(pen: Canvas) -> list[Element]:
    """Draw black bars; Interior Walls have a white line in them."""
    inner = set(pen.seen.true_of("interior_wall"))
    short = {where for where, _ in pen.seen.sides("short_bar")}
    found: list[Element] = []
    for (kind, where), drawn in sorted(pen.seen.shapes.segments.items(), key=str):
        if kind != "bar" or not pen.hexes & {*where}:
            continue
        shape = "".join(ring_path(each, closed=False) for each in drawn)
        look = [path(shape, fill="none", stroke=pen.looks.ink, stroke_width=40)]
        if where in inner:
            look.append(path(shape, fill="none", stroke=pen.looks.paper, stroke_width=12))
        named = pen.seen.notation.names.text(where)
        found.append(fact_group("bar", look, hexside=named))
        if where in short:
            found.append(fact_group("short_bar", (), hexside=named))
        swatch = [path("M-60 0H60", fill="none", stroke=pen.looks.ink, stroke_width=30)]
        if where in inner:
            swatch.append(path("M-60 0H60", fill="none", stroke=pen.looks.paper, stroke_width=9))
        key = "interior wall" if where in inner else "bar"
        pen.explain(key, key, swatch)
    return found


def breaches(pen: Canvas) -> list[Element]:
    """Draw Breaches: a gap with jagged rims in the middle of the hexside, with its levels."""
    at: dict[tuple[str, Hexside], list[str]] = defaultdict(list)
    for name in ("breach", "hidden_breach"):
        for where, (level, *_) in pen.seen.sides(name):
            if pen.hexes & {*where} and pen.level in (None, level):
                at[name, where].append(str(level))
    found: list[Element] = []
    for (name, where), levels in at.items():
        one, two = where.ends
        x, y = between(one, two, 0.6 if name == "breach" else 0.22)
        hidden = name == "hidden_breach"
        burst = "M0-52L13-20L48-30L26-2L52 20L18 20L12 52L-6 24L-36 44L-28 12L-54-6L-20-14L-28-46L-6-24z"
        shape = path(
            burst,
            fill=pen.looks.paper,
            stroke=pen.looks.alarm,
            stroke_width=9,
            extra={"stroke-dasharray": "14 9"} if hidden else None,
        )
        inner = placed(group([shape], "glyph"), x, y)
        label = text("".join(sorted(levels)), (x, y), 44, pen.looks.ink, bold=True)
        found.append(fact_group(name, [inner, label], hexside=where))
        small = placed(group([shape], "glyph"), 0, 0, 0.75)
        pen.explain(name, name.replace("_", " "), [small])
    return found


def middles(pen: Canvas, crowded: frozenset[Hex]) -> list[Element]:
    """Draw the center dot of each hex, and the symbols printed at it.

    In a crowded hex counters cover the middle: there the stairwell is one of the marks.
    """
    stairs = {hex_ for hex_, _ in pen.seen.hexes("stairwell_symbol")}
    symbols: dict[Hex, set[str]] = defaultdict(set)
    for hex_, (kind, *_) in pen.seen.hexes("symbol"):
        symbols[hex_].add(str(kind))
    found: list[Element] = []
    for hex_ in sorted(pen.hexes):
        x, y = hex_.centre
        shapes: list[Element] = []
        for kind in sorted(symbols[hex_]):
            shapes += _symbol(pen, kind)
            words = word_text(kind, "symbol").replace("-", " ")
            small = placed(
                group(_symbol(pen, kind), "glyph"), 0, 0, 0.35 if kind == "round" else 0.66
            )
            pen.explain(f"symbol {kind}", words, [small])
        if hex_ in stairs and hex_ not in crowded:
            shapes += stairwell(pen)
        elif not shapes:
            shapes.append(
                path(
                    "M-11 0a11 11 0 1 0 22 0a11 11 0 1 0-22 0",
                    fill=pen.looks.paper,
                    stroke=pen.looks.ink,
                    stroke_width=6,
                )
            )
        found.append(placed(group(shapes, "middle", about=data(hex=hex_)), x, y))
        if hex_ in stairs:
            found.append(fact_group("stairwell_symbol", (), hex=hex_))
            pen.explain("stairwell", "stairwell", stairwell(pen))
        found += [fact_group("symbol", (), hex=hex_, symbol=kind) for kind in sorted(symbols[hex_])]
    return found


def stairwell(pen: Canvas) -> list[Element]:
    """Draw the white stairwell square, around the origin."""
    return [path("M-30-30h60v60h-60z", fill=pen.looks.paper, stroke=pen.looks.ink, stroke_width=9)]


def _symbol(pen: Canvas, kind: str) -> list[Element]:
    paper, ink = pen.looks.paper, pen.looks.ink
    if kind == "round":
        return [
            path(circle(104), fill="none", stroke=ink, stroke_width=22),
            path(circle(104), fill="none", stroke=paper, stroke_width=8),
        ]
    if kind == "black_dot_in_white_cross":
        cross = "M-18-60h36v42h42v36h-42v42h-36v-42h-42v-36h42z"
        return [path(cross, fill=paper, stroke=ink, stroke_width=8), path(circle(15), fill=ink)]
    radius = 52 if kind == "large_white_dot" else 24
    return [path(circle(radius), fill=paper, stroke=ink, stroke_width=8)]
