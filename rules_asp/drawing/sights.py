"""A line of sight as a picture: the line on the map, what blocks and hinders it, and a view from the
side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import hypot

from rules_asp.answers.sights import Los
from rules_asp.drawing.elements import (
    Element,
    circle,
    data,
    group,
    line,
    path,
    placed,
    ring_path,
    text,
    width_of,
)
from rules_asp.drawing.maps import AnswerOverlay, hexes_near
from rules_asp.drawing.pens import Canvas
from rules_asp.drawing.profiles import side_view
from rules_asp.drawing.shaping import between, crossed, stretch_in
from rules_asp.knowledge.tags import Norm
from rules_asp.lines.outlines import hexagon
from rules_asp.positions.prepared import Position
from rules_asp.terms.arguments import to_board_text
from rules_asp.terms.grid import Hex, Hexside, Point, hex_of_spot, hexside_between
from rules_asp.terms.maps import parse_hex_name
from rules_asp.terms.names import level_text


def overlay(
    position: Position, answer: Los, title: str = "", more: Sequence[str] = (), asked: bool = True
) -> AnswerOverlay:
    """What a line of sight adds to its map; of one that was not asked for, nothing but where it runs."""
    return AnswerOverlay(
        title=title or _verdict(answer),
        caption=(*(_caption(position, answer) if asked else ()), *more),
        under=lambda pen: _lit(pen, answer),
        over=lambda pen: _line(pen, answer, asked),
        ends=lambda pen: _ends(pen, answer),
        middles=frozenset(each.spot for each in (answer.a, answer.b) if isinstance(each.spot, Hex)),
        panel=side_view(answer),
    )


def around(position: Position, answer: Los) -> frozenset[Hex] | None:
    """The part of a large map that a line lies on; None for all of a small one."""
    hexes = position.board.grid.hexes()
    if len(hexes) <= 80:
        return None
    ends = [hex_of_spot(each.spot) for each in (answer.a, answer.b)]
    one, two = (each.centre for each in ends)
    on_line = [hex_ for hex_, _, _ in crossed(one, two, hexes)]
    return hexes_near([*ends, *on_line], 2) & frozenset(hexes)


def _verdict(answer: Los) -> str:
    ends = f"{to_board_text(answer.a, 'location')} - {to_board_text(answer.b, 'location')}"
    if answer.clear is None:
        return f"{ends}: unknown"
    if not answer.clear:
        where = ", ".join(dict.fromkeys(each.place for each in answer.blockers))
        return f"{ends}: blocked at {where}" if where else f"{ends}: blocked"
    return f"{ends}: clear" + (f", Hindrance +{answer.hindrance}" if answer.hindrance else "")


def _caption(position: Position, answer: Los) -> list[str]:
    norms = position.program.norms
    ends = [
        "not known" if each is None else level_text(each)
        for each in (answer.level_a, answer.level_b)
    ]
    hexes = "1 hex" if answer.range == 1 else f"{answer.range} hexes"
    lines = [f"range {hexes}, levels {' and '.join(ends)}"]
    for each in answer.blockers:
        lines.append(f"blocked at {each.place}: {_norm(norms, each.norm)}")
    for number, one in enumerate(answer.hindrances, 1):
        lines.append(f"({number}) {one.place} Hindrance +{one.amount}: {_norm(norms, one.norm)}")
    lines += [f"not known: {why}" for why in answer.unknown]
    return lines


def _norm(norms: Mapping[str, Norm], name: str) -> str:
    found = norms.get(name)
    return f"{name}: {found.sense}" if found is not None else name


def place_named(name: str) -> Hex | Hexside | None:
    """The hex or hexside of this name, as norms name where they block."""
    one, dash, two = name.partition("-")
    try:
        first = parse_hex_name(one)
        return hexside_between(first, parse_hex_name(two)) if dash else first
    except ValueError:
        return None


def _lit(pen: Canvas, answer: Los) -> list[Element]:
    """The hexes of the line, and those at which something blocks or hinders it, in colour."""
    one, two = answer.a.spot.centre, answer.b.spot.centre
    on_line = [hex_ for hex_, _, _ in crossed(one, two, pen.hexes)]
    found: list[Element] = []
    for hex_ in on_line:
        tint = path(_hexagon(hex_), fill=pen.looks.seen, fill_opacity=0.22)
        found.append(group([tint], "on-line", about=data(hex=hex_)))
    found += _places(
        pen, dict.fromkeys(each.place for each in answer.hindrances), "hinders", pen.looks.hindered
    )
    found += _places(
        pen, dict.fromkeys(each.place for each in answer.blockers), "blocks", pen.looks.alarm
    )
    return found


def _places(pen: Canvas, names: Iterable[str], what: str, colour: str) -> list[Element]:
    found: list[Element] = []
    for name in names:
        where = place_named(name)
        if isinstance(where, Hexside):
            drawn: Element = line(*where.ends, stroke=colour, stroke_width=70, stroke_opacity=0.6)
        elif isinstance(where, Hex):
            drawn = path(
                _hexagon(where),
                fill=colour,
                fill_opacity=0.16,
                stroke=colour,
                stroke_width=26,
                stroke_linejoin="round",
            )
        else:
            continue
        found.append(group([drawn], what, about=data(place=name)))
        swatch = path(
            "M-56-36h112v72h-112z", fill=colour, fill_opacity=0.3, stroke=colour, stroke_width=14
        )
        pen.explain(what, what, [swatch])
    return found


def _hexagon(hex_: Hex) -> str:
    return ring_path(hexagon(hex_))


def _run(answer: Los) -> tuple[Point, Point]:
    """Where the line is drawn: from dot to dot, and within a hex from below to above."""
    one, two = answer.a.spot.centre, answer.b.spot.centre
    if one != two or answer.a == answer.b:
        return one, two
    up = 1 if (answer.level_a or 0) >= (answer.level_b or 0) else -1
    return Point(one.x, one.y - 60 * up), Point(two.x, two.y + 60 * up)


def _line(pen: Canvas, answer: Los, asked: bool) -> list[Element]:
    """The line itself."""
    one, two = _run(answer)
    colour = pen.looks.blocked_line if answer.clear is False else pen.looks.clear_line
    dash = {"stroke-dasharray": "40 26"} if answer.clear is not True else None
    found: list[Element] = [
        line(one, two, stroke=pen.looks.paper, stroke_width=30, stroke_opacity=0.85),
        line(one, two, stroke=colour, stroke_width=14, extra=dash),
    ]
    drawn = [path("M-60 0H60", fill="none", stroke=colour, stroke_width=14, extra=dash)]
    state = {
        True: "clear line of sight",
        False: "blocked line of sight",
        None: "unknown line of sight",
    }
    pen.explain("line", state[answer.clear] if asked else "shot", drawn)
    return [group(found, "line-of-sight", about=data(a=answer.a, b=answer.b, clear=answer.clear))]


def _ends(pen: Canvas, answer: Los) -> list[Element]:
    """The ends of the line with their levels, and a number where something hinders it."""
    one, two = _run(answer)
    colour = pen.looks.blocked_line if answer.clear is False else pen.looks.clear_line
    found: list[Element] = []
    for end, at in ((one, answer.level_a), (two, answer.level_b)):
        dot = path(circle(38), fill=colour, stroke=pen.looks.paper, stroke_width=8)
        words = [] if at is None else [_on_dot(pen, _short(level_text(at)), 38)]
        found.append(placed(group([dot, *words], "end"), *end))
    for number, each in enumerate(answer.hindrances, 1):
        where = place_named(each.place)
        if isinstance(where, Hex):
            x, y = _beside_name(one, two, where)
        elif isinstance(where, Hexside):
            x, y = between(*where.ends, 0.5)
        else:
            continue
        badge = path(circle(38), fill=pen.looks.hindered, stroke=pen.looks.paper, stroke_width=8)
        found.append(placed(group([badge, _on_dot(pen, f"({number})", 38)], "hindrance"), x, y))
    return found


def _on_dot(pen: Canvas, words: str, radius: float) -> Element:
    size = min(radius * 1.2, 1.7 * radius / width_of(words, 1.0))
    return text(words, (0, 0), size, pen.looks.paper, bold=True)


def _short(said_level: str) -> str:
    """A level in few letters."""
    return said_level.replace(" 1/2", "½").replace("1/2", "½")


def _beside_name(one: Point, two: Point, hex_: Hex) -> tuple[float, float]:
    """The point of a line within a hex that is farthest from the name of the hex and from its rim."""
    inside = stretch_in(one, two, hexagon(hex_)) or (0.0, 1.0)
    name = Point(hex_.centre.x, hex_.centre.y - 212)
    shares = [inside[0] + (inside[1] - inside[0]) * part / 8 for part in range(1, 8)]

    def room(share: float) -> float:
        x, y = between(one, two, share)
        rim = min(abs(share - each) for each in inside) * hypot(two.x - one.x, two.y - one.y)
        return min(hypot(x - name.x, y - name.y), 4 * rim)

    return between(one, two, max(shares, key=room))
