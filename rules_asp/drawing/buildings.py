"""Buildings: drawings, bars, stairwells and the other printed symbols, rubble, breaches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from rules_asp.drawing.elements import Element, circle, data, group, path, placed, ring_path, text
from rules_asp.drawing.pens import Canvas, fact_group
from rules_asp.drawing.shaping import between, outline
from rules_asp.lines.outlines import Piece
from rules_asp.lines.shapes import BUILDING
from rules_asp.terms.arguments import word_text
from rules_asp.terms.grid import Hex, Hexside, Location, Point

_FADED = 0.3


def drawings(pen: Canvas) -> list[Element]:
    """Each drawing as one, in its colour; where one level is shown, hexes without it are faded."""
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
    """The hexes by drawing: those that a drawing holds together."""
    whole = {hex_: [hex_] for hex_ in hexes}
    for one, two in joined:
        if one in whole and two in whole and whole[one] is not whole[two]:
            merged = sorted((*whole[one], *whole[two]))
            whole |= dict.fromkeys(merged, merged)
    return [members for hex_, members in whole.items() if hex_ == members[0]]


def rubble(pen: Canvas) -> list[Element]:
    """Ground level rubble, over the building drawing of its hex, or where the hex has none, in its
    middle.
    """
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
    """The white dashed lines of a Marketplace."""
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
    """Black bars; those that the rules call Interior Walls have a white line in them."""
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
        found.append(fact_group("bar", look, hexside=where))
        if where in short:
            found.append(fact_group("short_bar", (), hexside=where))
        swatch = [path("M-60 0H60", fill="none", stroke=pen.looks.ink, stroke_width=30)]
        if where in inner:
            swatch.append(path("M-60 0H60", fill="none", stroke=pen.looks.paper, stroke_width=9))
        key = "interior wall" if where in inner else "bar"
        pen.explain(key, key, swatch)
    return found


def breaches(pen: Canvas) -> list[Element]:
    """Breaches: a gap with jagged rims in the middle of the hexside, with its levels."""
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
    """The centre dot of each hex, and the symbols that are printed at it.

    In a crowded hex counters cover the middle: there a stairwell is one of the marks.
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
    """The white stairwell square, around the origin."""
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
