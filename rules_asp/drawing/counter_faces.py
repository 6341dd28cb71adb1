"""The face of a counter: a symbol of the unit, its name, its printed values and its states.

A face is a square. Personnel have a silhouette above FP-range-morale, a leader one above morale and
leadership. A vehicle has its hull turned to the VCA and its turret to the TCA. Color and letters
both show the side, so no reader depends on color alone. All shapes are our own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, radians, sin

from rules_asp.drawing.svg import Element, group, path, placed, text, width_of
from rules_asp.game.board import Fact, UnitStatement
from rules_asp.game.grid import CORNERS
from rules_asp.game.values import to_board_text, word_text
from rules_asp.parser.writer import printed_rating

#: The edge of the square in face coordinates; a face can be drawn at any size.
_EDGE = 200.0
#: Letters smaller than this, in lattice units, are illegible.
LEAST = 22.0

# --- Silhouettes, around the middle of a box of 150 x 90.

_MAN = "m0-42a13 13 0 1 0 .1 0zm-20 32q20-9 40 0l5 26h-10v27h-30v-27h-10z"
_CAP = "M-21-31q21-26 42 0z"
_RIFLE = "M22 34l16-62l6 2l-14 62z"
_GUN = "M-66 18h54v-12h62v10h-40v12l20 22h-16l-20-20h-14l-20 20h-16z"
_HORSE = "M-62 40V6q6-18 30-16h46l22-28l8 10l18 14l-8 10l-16-4l-12 18v30h-12V20h-62v20z"
_WHEELS = "M-46 8a24 24 0 1 0 .1 0zM46 8a24 24 0 1 0 .1 0zM-30-6h54l22 30h-16l-16-22h-44z"
_CART = "M-50-18h82v34h-82zM32 4h34v8h-34zM-10 14a16 16 0 1 0 .1 0z"
_QUERY = (
    "M-24-14q0-28 26-28t26 26q0 16-16 24q-4 3-4 10h-14q0-14 12-22q8-6 8-12q0-10-11-10t-12 12z"
    "M-7 26h16v16h-16z"
)


def _men(*places: int) -> str:
    return "".join(f"M{x} 0{_MAN}" for x in places)


#: The silhouette of each type of unit; vehicles and Guns are drawn in parts that turn.
SYMBOLS = {
    "squad": _men(-48, 0, 48) + _RIFLE,
    "half_squad": _men(-26, 26) + "M-4 34l16-62l6 2l-14 62z",
    "crew": _men(-46, -4) + "M14 40l18-34h-12v-12h50v12h-24l16 34h-12l-12-26l-12 26z",
    "leader": _men(0) + _CAP + "M26-8l34-24l5 8l-34 26z",
    "hero": _men(0) + "M52-34l5 13h14l-11 9l4 14l-12-8l-12 8l4-14l-11-9h14z",
    "commissar": _men(0) + _CAP + "M44-26h34v22h-30v30h-4z",
    "cavalry": _HORSE,
    "motorcycle": _WHEELS,
    "trailer": _CART,
    "dummy": _QUERY,
}

#: States that are part of a vehicle's drawing: they need no words.
_SHOWN = frozenset(
    ("fully_tracked", "halftrack", "armored_car", "truck", "afv", "ct", "ot", "turreted")
)
#: The scale of a hull, by target size.
_SIZES = {"small": 0.82, "normal": 1.0, "large": 1.14}


@dataclass(frozen=True)
class Face:
    """The contents of a counter: type, name with level, side, printed values, states, traits."""

    kind: str
    name: str
    side: str
    printed: tuple[str, ...]
    states: tuple[str, ...]
    others: tuple[str, ...]
    facts: tuple[Fact, ...]

    def named(self, fact: str) -> list[Fact]:
        """Return the board facts of the unit with this name."""
        return [each for each in self.facts if each.name == fact]

    def has(self, status: str) -> bool:
        """Return whether the unit has this state or trait."""
        return any(each.args[1] == status for each in self.named("status"))


def face_of(unit: UnitStatement, place: str, traits: Sequence[str], commando: bool = False) -> Face:
    """Return the face of a unit; `place` follows its name, `traits` are those on its board line."""
    known = {fact.name: fact.args[1:] for fact in unit.facts}
    kind = str(known.get("unit", ("",))[0])
    statuses = [str(fact.args[1]) for fact in unit.facts if fact.name == "status"]
    words = {word_text(each, "status") for each in statuses}
    rating = printed_rating(unit)
    has = {str(fact.args[1]): fact.args[2] for fact in unit.facts if fact.name == "has"}
    printed: list[str] = []
    drawn = ["VCA ", "TCA ", "MA "]
    if "strength" in known:
        printed.append("-".join(map(str, known["strength"])))
    elif rating:
        printed.append(rating)
    elif kind == "leader" and "leadership" in has:
        printed.append(next(each for each in traits if each.startswith("leadership")).split(" ")[1])
        drawn.append("leadership ")
    if kind in ("vehicle", "gun"):
        printed += [each for each in traits if each.startswith(("MP ", "MA "))]
        drawn += ["MP ", "size "]
    shown = _SHOWN if kind == "vehicle" else frozenset()
    states = [word_text(each, "status") for each in statuses if each not in shown]
    others = [
        each
        for each in traits
        if not each.startswith(tuple(drawn)) and not set(each.split(" ")) <= words
    ]
    side = str(known.get("nationality", known.get("of_side", ("",)))[0])
    return Face(
        kind,
        f"{unit.name}{place}",
        to_board_text(side, "side")[:3].upper() if side else "",
        tuple(printed),
        (*states, *(["commando"] if commando else [])),
        tuple(others),
        unit.facts,
    )


def traits_of(line: str) -> tuple[str, ...]:
    """Return the traits in a unit's line."""
    said = line.partition(": ")[2]
    return tuple(said.split(", ")) if said else ()


@dataclass(frozen=True)
class FaceDrawing:
    """The elements of a face, and whether a text did not fit."""

    elements: tuple[Element, ...]
    short: bool


def draw_face(
    face: Face, middle: tuple[float, float], edge: float, inks: tuple[str, str, str], note: str = ""
) -> FaceDrawing:
    """Draw a face on an existing square; `inks`: of letters, of shapes, of hollow parts.

    `note` is the number of the full text of the unit elsewhere.
    """
    ink, rim, paper = inks
    pen = _Pen(middle, edge / _EDGE, ink)
    states, others = " ".join(face.states), ", ".join(face.others)
    found: list[Element] = []
    body = face.kind in ("vehicle", "gun")
    low = 62 if states or others else 42
    scale = edge / _EDGE * (0.86 if states or others else 1.0)
    if body:
        found += _turning(face, pen.at(0, 0), edge / _EDGE * 0.8, rim, paper)
    else:
        symbol = path(SYMBOLS.get(face.kind, _QUERY), fill=rim, fill_rule="evenodd")
        found.append(placed(group([symbol], "symbol"), *pen.at(0, 20 - low), scale))
    # Name and side above, printed values below; a number replaces a name that does not fit.
    room = 178 - (width_of(face.side, 27) + 8 if face.side else 0)
    found += pen.write(face.name, -92, -80, 38, room, "start", note)
    found += pen.write(face.side, 92, -80, 27, 70, "end")
    if body:
        for at, said in zip((-92, 92), _sided(face.printed), strict=True):
            found += pen.write(said, at, 80, 34, 90, "start" if at < 0 else "end")
    else:
        for said in face.printed:
            found += pen.write(said, 0, 73, 62, 186)
    y = 48.0 if body else 32.0
    if face.printed == () and not body:
        y = 60.0
    if states:
        found += pen.pill(states, y, rim, paper)
        y -= 30
    if others and not (states and body):
        found += pen.write(others, 0, y, 26, 188, halo=paper)
    short = pen.short or bool(others and states and body)
    if short and note and pen.noted is None:
        found += pen.write(note, 92, -50, 32, 60, "end", halo=paper)
    return FaceDrawing(tuple(found), short)


def _sided(printed: Sequence[str]) -> tuple[str, str]:
    """Return MP for the left, as printed below a vehicle, and Main Armament for the right."""
    left = next((each for each in printed if each.startswith("MP ")), "")
    right = next((each.removeprefix("MA ") for each in printed if each.startswith("MA ")), "")
    return left, right


@dataclass
class _Pen:
    """Draws on a face, in face coordinates."""

    middle: tuple[float, float]
    scale: float
    ink: str
    short: bool = False
    noted: str | None = None

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return the map point of a point of the face."""
        return self.middle[0] + x * self.scale, self.middle[1] + y * self.scale

    def fitted(self, said: str, size: float, room: float) -> float | None:
        """Return the size where a text fits; None if it would be illegible."""
        fits = min(size, room / max(0.5, width_of(said, 1.0)))
        return fits if fits * self.scale >= LEAST else None

    def write(
        self,
        said: str,
        x: float,
        y: float,
        size: float,
        room: float,
        anchor: str = "middle",
        instead: str = "",
        halo: str | None = None,
    ) -> Iterator[Element]:
        """Yield a text; one that does not fit is replaced by `instead`, if that fits."""
        for each in filter(None, (said, instead)):
            fits = self.fitted(each, size, room)
            if fits is None:
                self.short = True
                continue
            if each == instead and each != said:
                self.noted = each
            drawn = fits * self.scale
            yield text(each, self.at(x, y), drawn, self.ink, anchor=anchor, bold=True, halo=halo)
            return

    def pill(self, said: str, y: float, rim: str, paper: str) -> Iterator[Element]:
        """Yield a state in letters of the paper's color on a strip, so that it is conspicuous."""
        fits = self.fitted(said, 30, 172)
        if fits is None:
            self.short = True
            said = " ".join(map(_shortened, said.split(" ")))
            fits = self.fitted(said, 30, 172)
        if fits is None:
            said, fits = "!", 30.0
        wide = min(188.0, width_of(said, fits) + 18)
        x, top = self.at(-wide / 2, y - 16)
        yield path(
            f"M{x:.0f} {top:.0f}h{wide * self.scale:.0f}v{32 * self.scale:.0f}h{-wide * self.scale:.0f}z",
            fill=rim,
        )
        yield text(said, self.at(0, y), fits * self.scale, paper, bold=True)


def _shortened(state: str) -> str:
    """Abbreviate a state: WA for wall-advantage, brok for broken."""
    parts = state.split("-")
    return "".join(each[0].upper() for each in parts) if len(parts) > 1 else state[:4]


# --- Parts that turn: hull and turret of a vehicle, the barrel of a Gun.


def _turning(
    face: Face, middle: tuple[float, float], scale: float, rim: str, paper: str
) -> Iterator[Element]:
    """Draw a vehicle or Gun as seen from above, turned to its Covered Arcs."""
    corner = {
        name: int(rows[0].args[1])
        for name in ("vca", "tca")
        if (rows := face.named(name)) and isinstance(rows[0].args[1], int)
    }
    hull = _angle(corner.get("vca"))
    size = next((str(each.args[1]) for each in face.named("size")), "normal")
    scale *= _SIZES.get(size, 1.0)
    solid, hollow = _gun_parts() if face.kind == "gun" else _vehicle_parts(face, "vca" in corner)
    yield _turned(hollow, middle, scale, hull, paper, rim)
    yield _turned(solid, middle, scale, hull, rim)
    if face.kind == "vehicle" and (face.has("turreted") or "tca" in corner):
        turret = _angle(corner.get("tca", corner.get("vca")))
        yield _turned(
            [((0, -5), (88, -5), (88, 5), (0, 5)), _ring(24)], middle, scale, turret, rim, paper
        )
        if face.has("ot") or face.has("ce"):
            yield _turned([_ring(11)], middle, scale, turret, paper)
    elif face.kind == "vehicle" and face.named("ma"):
        yield _turned([((20, -6), (92, -6), (92, 6), (20, 6))], middle, scale, hull, rim, paper)


_Ring = Sequence[tuple[float, float]]


def _angle(corner: int | None) -> float:
    """Return the direction of a hexspine in degrees, clockwise from the right; up if None."""
    return (
        (-60.0, 0.0, 60.0, 120.0, 180.0, 240.0)[corner % len(CORNERS)]
        if corner is not None
        else -90.0
    )


def _ring(radius: float) -> _Ring:
    return [(radius * cos(radians(a)), radius * sin(radians(a))) for a in range(0, 360, 30)]


def _gun_parts() -> tuple[list[_Ring], list[_Ring]]:
    barrel = ((-8, -6), (84, -6), (84, 6), (-8, 6))
    trails = (
        ((-12, -6), (-64, -36), (-68, -28), (-14, 6)),
        ((-12, 6), (-64, 36), (-68, 28), (-14, -6)),
    )
    wheels = tuple(((-14, y), (18, y), (18, y + 13), (-14, y + 13)) for y in (-36, 23))
    shield = ((18, -22), (26, -22), (26, 22), (18, 22))
    return [barrel, *trails, shield], list(wheels)


def _vehicle_parts(face: Face, faces: bool) -> tuple[list[_Ring], list[_Ring]]:
    """Return the solid and hollow rings of a hull; its nose points in its facing, if known."""
    nose = ((62, -20), (82, 0), (62, 20)) if faces else ((62, -26), (62, 26))
    hull = ((-66, -26), *nose, (-66, 26))
    rows: list[_Ring] = []
    tracked = face.has("fully_tracked") or face.has("halftrack")
    for y in (-46.0, 28.0):
        if tracked:
            left = -72.0
            right = 66.0 if face.has("fully_tracked") else 8.0
            rows.append(((left, y), (right, y), (right, y + 18), (left, y + 18)))
        if not face.has("fully_tracked"):
            wheels = (36.0,) if tracked else (-52.0, 30.0)
            rows += [((x, y + 2), (x + 28, y + 2), (x + 28, y + 16), (x, y + 16)) for x in wheels]
    return rows, [hull]


def _turned(
    rings: Sequence[_Ring],
    middle: tuple[float, float],
    scale: float,
    angle: float,
    fill: str,
    stroke: str | None = None,
) -> Element:
    """Return rings around the origin, turned and placed, as one path."""
    along, across = cos(radians(angle)) * scale, sin(radians(angle)) * scale
    parts = []
    for ring in rings:
        points = [
            f"{middle[0] + u * along - v * across:.0f} {middle[1] + u * across + v * along:.0f}"
            for u, v in ring
        ]
        parts.append(f"M{'L'.join(points)}z")
    return path(
        "".join(parts),
        fill=fill,
        stroke=stroke,
        stroke_width=round(6 * scale, 1) if stroke else None,
    )
