"""A line of sight from the side: the ground and what stands on it, by level, and the line from eye to
eye.
"""

from __future__ import annotations

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
from rules_asp.drawing.looks import AreaStyle, level_colour
from rules_asp.drawing.maps import Panel
from rules_asp.drawing.pens import Canvas
from rules_asp.drawing.shaping import crossed, stretches
from rules_asp.lines.outlines import hexagon
from rules_asp.lines.shapes import BUILDING
from rules_asp.terms.arguments import to_board_text
from rules_asp.terms.grid import Hex, Hexside
from rules_asp.terms.names import level_text

#: A half level, in sizes of the letters.
_HALF_LEVEL = 1.2


def side_view(answer: Los) -> Panel | None:
    """The panel below the map: ground and what stands on it along the line; none for a line of one hex."""
    if answer.a.spot == answer.b.spot or answer.level_a is None or answer.level_b is None:
        return None
    ends = answer.level_a, answer.level_b

    def panel(
        pen: Canvas, left: float, top: float, width: float, size: float
    ) -> tuple[list[Element], float]:
        return _Side(pen, answer, ends, left, top, width, size).drawn()

    return panel


class _Side:
    """The side view in the making."""

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
        self.hexes = crossed(self.one, self.two, pen.seen.board.grid.hexes())
        self.bases = pen.seen.bases()
        self.left, self.width = left + 3 * size, width - 6 * size
        tops = [row[2] for name in ("obstacle", "haze") for row in self.rows(name)]
        levels = [*ends, *(self.bases[hex_] for hex_, _, _ in self.hexes)]
        self.high = max([*levels, *(each for each in tops if isinstance(each, int))]) + 1
        self.steps = self.levels_met()
        self.low = min([*levels, *(each for each, _ in self.steps)]) - 1
        self.top = top + size * 1.6

    def rows(self, name: str) -> list[tuple[object, ...]]:
        """What stands in the hexes of the line."""
        on_line = {hex_ for hex_, _, _ in self.hexes}
        return [row for row in self.pen.seen.derived.get(name, ()) if row[0] in on_line]

    def x(self, share: float) -> float:
        """Where a share of the line is."""
        return self.left + share * self.width

    def y(self, half_levels: float) -> float:
        """Where a level is."""
        return self.top + (self.high - half_levels) * self.size * _HALF_LEVEL

    def block(self, share: tuple[float, float], low: float, high: float) -> str:
        """A rectangle over a stretch of the line."""
        corners = [
            (self.x(at), self.y(each))
            for at, each in zip((*share, *share[::-1]), (low, low, high, high), strict=True)
        ]
        return ring_path(corners)

    def drawn(self) -> tuple[list[Element], float]:
        """The panel and its height."""
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
        """The ground, as it is drawn, hex by hex."""
        found: list[Element] = []
        for half_levels, share in self.steps:
            colour = level_colour(self.pen.looks, half_levels // 2)
            # From a line below the lowest ground, so that this shows as well.
            shape = self.block(share, self.low, half_levels)
            found.append(path(shape, fill=colour, stroke=self.pen.looks.contour, stroke_width=4))
        return found

    def levels_met(self) -> list[tuple[int, tuple[float, float]]]:
        """The levels of the ground along the line that are to be seen, the lower first, hex by hex."""
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
                    break  # nothing lower is to be seen
            else:
                seen.append((min(self.bases.values()), (start, end)))
            found += reversed(seen)
        return found

    def standing(self, name: str) -> list[Element]:
        """Obstacles, or what hinders, up to the level that the rules give."""
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
        """How something that stands there looks on the map."""
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
        """Walls, hedges and the like where the line crosses their hexside."""
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
        """The names of the hexes below the line, where there is room for them."""
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
        """The line from eye to eye."""
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
