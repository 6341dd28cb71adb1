"""One LOS on the map and in side view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import hypot

from rules_asp.drawing.canvas import Canvas, between, crossed, stretch_in, stretches
from rules_asp.drawing.map import AnswerOverlay, Panel, hexes_near
from rules_asp.drawing.style import AreaStyle, level_colour
from rules_asp.drawing.svg import (
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
from rules_asp.game.grid import Hex, Hexside, Point, hex_of_spot, hexside_between
from rules_asp.game.map_layout import MapNames
from rules_asp.game.values import level_text, to_board_text
from rules_asp.geometry.polygons import hexagon
from rules_asp.geometry.shapes import BUILDING
from rules_asp.knowledge.rules import Norm
from rules_asp.positions.position import Position
from rules_asp.queries.los import Los

# --- The side view of a LOS: ground and obstacles by level, and the line between its ends.


#: The height of a half level, in multiples of the font size.
_HALF_LEVEL = 1.2


def side_view(answer: Los) -> Panel | None:
    """Return the side view of the line for the panel below the map; None for a line in one hex."""
    if answer.a.spot == answer.b.spot or answer.level_a is None or answer.level_b is None:
        return None
    ends = answer.level_a, answer.level_b

    def panel(
        pen: Canvas, left: float, top: float, width: float, size: float
    ) -> tuple[list[Element], float]:
        return _Side(pen, answer, ends, left, top, width, size).drawn()

    return panel


class _Side:
    """The side view while it is drawn."""

    def __init__(
        self,
        pen: Canvas,
        answer: Los,
        ends: tuple[int, int],
        left: float,
        top: float,
        width: float,
        size: float,
    ) -> None:
        self.pen = pen
        self.answer = answer
        self.ends = ends
        self.size = size
        self.one, self.two = answer.a.spot.centre, answer.b.spot.centre
        self.hexes = crossed(self.one, self.two, pen.seen.notation.names.hexes())
        self.bases = pen.seen.bases()
        self.left, self.width = left + 3 * size, width - 6 * size
        tops = [row[2] for name in ("obstacle", "haze") for row in self.rows(name)]
        levels = [*ends, *(self.bases[hex_] for hex_, _, _ in self.hexes)]
        self.high = max([*levels, *(each for each in tops if isinstance(each, int))]) + 1
        self.steps = self.levels_met()
        self.low = min([*levels, *(each for each, _ in self.steps)]) - 1
        self.top = top + size * 1.6

    def rows(self, name: str) -> list[tuple[object, ...]]:
        """Return the facts of a name in the hexes of the line."""
        on_line = {hex_ for hex_, _, _ in self.hexes}
        return [row for row in self.pen.seen.derived.get(name, ()) if row[0] in on_line]

    def x(self, share: float) -> float:
        """Return the x coordinate of a share of the line."""
        return self.left + share * self.width

    def y(self, half_levels: float) -> float:
        """Return the y coordinate of a level."""
        return self.top + (self.high - half_levels) * self.size * _HALF_LEVEL

    def block(self, share: tuple[float, float], low: float, high: float) -> str:
        """Return a rectangle over a stretch of the line."""
        corners = [
            (self.x(at), self.y(each))
            for at, each in zip((*share, *share[::-1]), (low, low, high, high), strict=True)
        ]
        return ring_path(corners)

    def drawn(self) -> tuple[list[Element], float]:
        """Return the panel and its height."""
        pen, size = self.pen, self.size
        found: list[Element] = []
        for each in range(self.low + self.low % 2, self.high + 1, 2):
            y = self.y(each)
            found.append(
                line(
                    (self.left, y),
                    (self.left + self.width, y),
                    stroke=pen.looks.grid,
                    stroke_width=4,
                    stroke_opacity=0.5,
                )
            )
            found.append(text(level_text(each), (self.left - size, y), size * 0.8, pen.looks.ink))
        found += self.ground()
        found += self.standing("haze")
        found += self.standing("obstacle")
        found += self.on_sides()
        found += self.names()
        found += self.sight()
        title = text(
            "from the side: levels along the line",
            (self.left, self.top - size * 0.7),
            size,
            pen.looks.ink,
            anchor="start",
        )
        height = self.y(self.low) - self.top + size * 3.4
        return [group([title, *found], "side-view", key="side-view")], height

    def ground(self) -> list[Element]:
        """Draw the ground along the line, hex by hex."""
        found: list[Element] = []
        for half_levels, share in self.steps:
            colour = level_colour(self.pen.looks, half_levels // 2)
            # From below the lowest ground, so that this is visible as well.
            shape = self.block(share, self.low, half_levels)
            found.append(path(shape, fill=colour, stroke=self.pen.looks.contour, stroke_width=4))
        return found

    def levels_met(self) -> list[tuple[int, tuple[float, float]]]:
        """Return the visible ground levels along the line, the lower first, hex by hex."""
        kinds = {
            int(kind[7:-1]) for _, kind in self.pen.seen.shapes.pieces if kind.startswith("ground(")
        }
        found: list[tuple[int, tuple[float, float]]] = []
        for hex_, start, end in self.hexes:
            seen: list[tuple[int, tuple[float, float]]] = []
            for half_levels in sorted(kinds, reverse=True):
                pieces = self.pen.seen.shapes.pieces.get((hex_, f"ground({half_levels})"), ())
                shares = stretches(self.one, self.two, pieces)
                seen += [(half_levels, share) for share in shares]
                if sum(high - low for low, high in shares) > end - start - 1e-3:
                    break  # nothing lower is visible
            else:
                seen.append((min(self.bases.values()), (start, end)))
            found += reversed(seen)
        return found

    def standing(self, name: str) -> list[Element]:
        """Draw obstacles or Hindrances, up to their level by the rules."""
        found: list[Element] = []
        for row in sorted(self.rows(name), key=str):
            hex_, kind, high = row
            if (
                not isinstance(hex_, Hex)
                or not isinstance(high, int)
                or str(kind).startswith("ground(")
            ):
                continue
            pieces = self.pen.seen.shapes.pieces.get((hex_, str(kind)), (hexagon(hex_),))
            look = self.look(hex_, str(kind))
            base = min(self.bases[hex_], high)
            for share in stretches(self.one, self.two, pieces):
                shape = self.block(share, base, high)
                inner = self.pen.area(shape, look, 8)
                one = group(inner, name, about=data(hex=hex_, part=kind, top=level_text(high)))
                if name == "haze":
                    one.opacity = 0.55
                found.append(one)
        return found

    def look(self, hex_: Hex, kind: str) -> AreaStyle:
        """Return the map look of terrain in a hex."""
        looks = self.pen.looks
        if kind in (BUILDING, "tower"):
            colours = {where: str(row[0]) for where, row in self.pen.seen.hexes("depicts")}
            return looks.buildings.get(colours.get(hex_, "gray"), looks.striped)
        if kind == "rubble":
            return looks.terrain["stone_rubble"]
        if kind == "bridge":
            return looks.buildings["gray"]
        return looks.terrain.get(kind, looks.unknown_terrain)

    def on_sides(self) -> list[Element]:
        """Draw hexside terrain where the line crosses its hexside."""
        found: list[Element] = []
        edges = [*self.hexes, *self.hexes[1:]]
        for where, kind, high in self.pen.seen.derived.get("side_obstacle", ()):
            if not isinstance(where, Hexside) or not isinstance(high, int):
                continue
            at = [end for hex_, _, end in edges if hex_ == where.a] + [
                end for hex_, _, end in edges if hex_ == where.b
            ]
            starts = [start for hex_, start, _ in edges if hex_ in where]
            both = [share for share in at if any(abs(share - each) < 1e-3 for each in starts)]
            if not both:
                continue
            look = self.pen.looks.sides.get(str(kind)) or self.pen.looks.sides["wall"]
            foot = max(self.bases.get(each, 0) for each in where)
            x = self.x(both[0])
            found.append(
                line(
                    (x, self.y(foot)),
                    (x, self.y(high)),
                    stroke=look.casing or look.fill,
                    stroke_width=self.size * 0.3,
                )
            )
        return found

    def names(self) -> list[Element]:
        """Draw the names of the hexes below the line, if they fit."""
        found: list[Element] = []
        free = self.left - self.size
        for hex_, start, end in self.hexes:
            middle, wide = self.x((start + end) / 2), width_of(str(hex_), self.size * 0.8)
            if middle - wide / 2 > free:
                at = (middle, self.y(self.low) + self.size * 0.9)
                found.append(text(str(hex_), at, self.size * 0.8, self.pen.looks.ink))
                free = middle + wide / 2 + self.size * 0.2
        return found

    def sight(self) -> list[Element]:
        """Draw the line between its two ends."""
        looks = self.pen.looks
        colour = looks.blocked_line if self.answer.clear is False else looks.clear_line
        ends = [
            (self.x(share), self.y(at)) for share, at in zip((0.0, 1.0), self.ends, strict=True)
        ]
        dash = {"stroke-dasharray": "40 26"} if self.answer.clear is not True else None
        found: list[Element] = [
            line(*ends, stroke=looks.paper, stroke_width=24, stroke_opacity=0.85),
            line(*ends, stroke=colour, stroke_width=12, extra=dash),
        ]
        for (x, y), place, anchor in zip(
            ends, (self.answer.a, self.answer.b), ("start", "end"), strict=True
        ):
            found.append(placed(group([path(circle(20), fill=colour)], "eye"), x, y))
            at = (x, y - self.size * 0.9)
            found.append(
                text(
                    to_board_text(place, "location"),
                    at,
                    self.size * 0.8,
                    looks.ink,
                    halo=looks.halo,
                    anchor=anchor,
                    bold=True,
                )
            )
        return found


# --- A LOS on the map: the line, its obstacles and Hindrances, and the side view.


def overlay(
    position: Position, answer: Los, title: str = "", more: Sequence[str] = (), asked: bool = True
) -> AnswerOverlay:
    """Return the LOS parts of a map; if no LOS was asked, only the line."""
    return AnswerOverlay(
        title=title or f"{' - '.join(answer.ends)}: {answer.verdict_span()}",
        caption=(*(_caption(position, answer) if asked else ()), *more),
        under=lambda pen: _lit(pen, answer),
        over=lambda pen: _line(pen, answer, asked),
        ends=lambda pen: _ends(pen, answer),
        middles=frozenset(each.spot for each in (answer.a, answer.b) if isinstance(each.spot, Hex)),
        panel=side_view(answer),
    )


def around(position: Position, answer: Los) -> frozenset[Hex] | None:
    """Return the part of a large map around a line; None (everything) for a small map."""
    hexes = position.board.grid.hexes()
    if len(hexes) <= 80:
        return None
    ends = [hex_of_spot(each.spot) for each in (answer.a, answer.b)]
    one, two = (each.centre for each in ends)
    on_line = [hex_ for hex_, _, _ in crossed(one, two, hexes)]
    return hexes_near([*ends, *on_line], 2) & frozenset(hexes)


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


def place_named(name: str, names: MapNames) -> Hex | Hexside | None:
    """Return the hex or hexside with this name, as norms name the place of an obstacle."""
    one, dash, two = name.partition("-")
    try:
        first, _ = names.find(one)
        return hexside_between(first, names.find(two)[0]) if dash else first
    except ValueError:
        return None


def _lit(pen: Canvas, answer: Los) -> list[Element]:
    """Color the hexes of the line, and those with an obstacle or a Hindrance."""
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
        where = place_named(name, pen.seen.notation.names)
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
    """Return the ends of the drawn line: center dots, or below and above within one hex."""
    one, two = answer.a.spot.centre, answer.b.spot.centre
    if one != two or answer.a == answer.b:
        return one, two
    up = 1 if (answer.level_a or 0) >= (answer.level_b or 0) else -1
    return Point(one.x, one.y - 60 * up), Point(two.x, two.y + 60 * up)


def _line(pen: Canvas, answer: Los, asked: bool) -> list[Element]:
    """Draw the line itself."""
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
    """Draw the ends of the line with their levels, and the number of Hindrances."""
    one, two = _run(answer)
    colour = pen.looks.blocked_line if answer.clear is False else pen.looks.clear_line
    found: list[Element] = []
    for end, at in ((one, answer.level_a), (two, answer.level_b)):
        dot = path(circle(38), fill=colour, stroke=pen.looks.paper, stroke_width=8)
        words = [] if at is None else [_on_dot(pen, _short(level_text(at)), 38)]
        found.append(placed(group([dot, *words], "end"), *end))
    for number, each in enumerate(answer.hindrances, 1):
        where = place_named(each.place, pen.seen.notation.names)
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
    """Abbreviate a level."""
    return said_level.replace(" 1/2", "½").replace("1/2", "½")


def _beside_name(one: Point, two: Point, hex_: Hex) -> tuple[float, float]:
    """Return the point of a line in a hex farthest from the name and the rim of the hex."""
    inside = stretch_in(one, two, hexagon(hex_)) or (0.0, 1.0)
    name = Point(hex_.centre.x, hex_.centre.y - 212)
    shares = [inside[0] + (inside[1] - inside[0]) * part / 8 for part in range(1, 8)]

    def room(share: float) -> float:
        x, y = between(one, two, share)
        rim = min(abs(share - each) for each in inside) * hypot(two.x - one.x, two.y - one.y)
        return min(hypot(x - name.x, y - name.y), 4 * rim)

    return between(one, two, max(shares, key=room))
