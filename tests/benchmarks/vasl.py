"""Compares all our verdicts on real boards with those of VASL's checker, and explains each difference.

Run as `python tests/benchmarks/vasl.py [--show N] [--control N] 01 21 24`; a board takes some minutes. The
archives and VASL's tables are looked for in the folder that the variable RULES_ASP_BOARDS names, or in
`shared/boards` beside the checkout.

VASL is a peer, not an authority. A difference counts as explained only when something computed for this very
pair says so: our verdict turns into VASL's when one cause, and nothing else, is taken the other way, or VASL
does not apply there what the printed rules ask for. What is left is counted, and listed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import hypot
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rules_asp.answers.all_sights import Verdict, matrix
from rules_asp.answers.sights import los
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.source import Node
from rules_asp.lines.nearness import near
from rules_asp.positions.indexes import Question
from rules_asp.positions.prepared import Position, eye_at, position
from rules_asp.terms.board import Area, Board, Building, Correction, Sides
from rules_asp.terms.grid import (
    Hex,
    Hexside,
    Location,
    Point,
    Spot,
    parse_hex,
    side,
    spot_hex,
    term_order,
)
from rules_asp.terms.symbols import hex_of
from rules_asp.vasl.archive import PIXEL, Archive, Code, code_table, read_archive
from rules_asp.vasl.importer import board_of
from rules_asp.vasl.trace import Canvas, canvas

FOLDER = Path(
    os.environ.get("RULES_ASP_BOARDS", Path(__file__).resolve().parents[3] / "shared" / "boards")
)
_SIGHT = ("s", 2)
_WANTED = (
    Node("stopped", 3, _SIGHT),
    Node("hindered", 4, _SIGHT),
    Node("unknown", 2, _SIGHT),
    Node("full", 4),
)
#: A building or wall in VASL's pixels is drawn so far beside a hexside at most, in lattice units.
_PAINT = 5 * PIXEL
_MEETING = re.compile(r"meets\(.*,\((-?\d+),(-?\d+)\),(\w+),\d+,\d+\)\.")
#: Fewer pixels of a building in a hex are no drawing.
_SPECK = 16


_SIDE_CODES = [code.number for code in code_table().values() if code.role == "side"]


class Theirs(NamedTuple):
    """VASL's answer."""

    blocked: bool
    hindrance: int
    range: int
    reason: str


class Asked(NamedTuple):
    """Our answer: what stops the sight (norms and the hexes they speak of), and where it is hindered."""

    known: bool
    stopped: frozenset[tuple[str, tuple[Hex, ...]]]
    hindered: frozenset[tuple[Hex, ...]]

    @property
    def norms(self) -> frozenset[str]:
        return frozenset(norm for norm, _ in self.stopped)


class Pixel(NamedTuple):
    """A point of a thread in VASL's pixels; elevation in half levels, at in lattice units."""

    hex: Hex
    code: Code
    elevation: int
    at: Point


Pair = tuple[Location, Location]


@dataclass(frozen=True)
class Trial:
    """A board with everything that is asked about it again and again."""

    archive: Archive
    board: Board
    program: Program
    position: Position
    _supposed: dict[tuple[Correction, ...], Position] = field(default_factory=dict)
    _walks: dict[tuple[Hex, Hex], tuple[tuple[Pixel, ...], ...]] = field(default_factory=dict)

    @cached_property
    def canvas(self) -> Canvas:
        return canvas(self.archive.grid, *self.archive.codes.shape)

    @cached_property
    def terrain(self) -> dict[str, frozenset[Hex]]:
        found: dict[str, set[Hex]] = defaultdict(set)
        for area in self.board.statements:
            if isinstance(area, Area):
                found[area.kind].update(area.hexes)
        return {kind: frozenset(hexes) for kind, hexes in found.items()}

    @cached_property
    def depressions(self) -> frozenset[Hex]:
        words = {code.word for code in code_table().values() if code.role == "depression"}
        return frozenset().union(*(self.terrain.get(word, frozenset()) for word in words))

    @cached_property
    def sides(self) -> dict[Hexside, str]:
        stated = (each for each in self.board.statements if isinstance(each, Sides))
        return {one: each.kind for each in stated for one in each.sides}

    @cached_property
    def built(self) -> frozenset[Hex]:
        return frozenset(self.buildings)

    @cached_property
    def buildings(self) -> dict[Hex, Building]:
        stated = (each for each in self.board.statements if isinstance(each, Building))
        return {hex_: each for each in stated for hex_ in each.hexes}

    def level(self, end: Location) -> int:
        level = self.position.elevation(end)
        assert level is not None
        return level

    def ask(self, pair: Pair, facts: str, under: Position | None = None) -> Asked:
        """Our answer, given what was measured."""
        question = Question(tuple(map(eye_at, pair)), tuple(filter(None, facts.split("\n"))))
        (answer,) = (under or self.position).ask(_WANTED, question, local=True)
        return Asked(
            not answer.get("unknown", 2),
            frozenset((norm.string, _hexes(where)) for _, norm, where in answer.get("stopped", 3)),
            frozenset(_hexes(where) for _, _, where, _ in answer.get("hindered", 4)),
        )

    def measured(self, pair: Pair, under: Position | None = None) -> str:
        a, b = pair
        if a.spot == b.spot:
            return f"cell({spot_hex(a.spot).term})."
        return "\n".join((under or self.position).measured([(a.spot, b.spot)], pair))

    def suppose(self, said: tuple[Correction, ...]) -> Position:
        """The position of the board so corrected."""
        if said not in self._supposed:
            board = replace(self.board, statements=(*self.board.statements, *said), places=())
            self._supposed[said] = position(board, self.program)
        return self._supposed[said]

    def walks(self, a: Hex, b: Hex) -> tuple[tuple[Pixel, ...], ...]:
        """VASL's pixels under the thread, and under threads one pixel to either side of it."""
        if (b, a) in self._walks:
            return tuple(walk[::-1] for walk in self._walks[b, a])
        if (a, b) not in self._walks:
            self._walks.clear()
            self._walks[a, b] = tuple(
                tuple(self._walk(a, b, shift)) for shift in (0, -PIXEL, PIXEL)
            )
        return self._walks[a, b]

    def _walk(self, a: Hex, b: Hex, shift: int) -> Iterator[Pixel]:
        """The pixels where something changes, and all of walls and hedges."""
        dx, dy = b.centre.x - a.centre.x, b.centre.y - a.centre.y
        length = hypot(dx, dy)
        part = np.linspace(0, 1, int(2 * length / PIXEL) + 1)
        x = a.centre.x + part * dx - shift * dy / length
        y = a.centre.y + part * dy + shift * dx / length
        width, height = self.archive.codes.shape
        column = np.clip(x // PIXEL, 0, width - 1).astype(int)
        row = np.clip(y // PIXEL, 0, height - 1).astype(int)
        owner = self.canvas.owner[column, row]
        number = self.archive.codes[column, row]
        elevation = self.archive.elevation[column, row]
        kept = np.isin(number, _SIDE_CODES)
        for layer in (owner, number, elevation):
            kept[0] = True
            kept[1:] |= layer[1:] != layer[:-1]
            kept[:-1] |= layer[1:] != layer[:-1]
        for at in np.nonzero(kept)[0]:
            yield Pixel(
                self.canvas.hexes[owner[at]],
                code_table()[int(number[at])],
                2 * int(elevation[at]),
                Point(round(float(x[at])), round(float(y[at]))),
            )

    @cached_property
    def building_pixels(self) -> dict[Hex, int]:
        """How many pixels of buildings lie in each hex."""
        numbers = [code.number for code in code_table().values() if _drawn_building(code)]
        mask = sum(self.archive.codes == number for number in numbers) > 0
        return dict(zip(self.canvas.hexes, self.canvas.count(mask).tolist(), strict=True))


@dataclass(frozen=True)
class Difference:
    """A pair on which the two answers differ, as VASL was asked: from the first Location to the second."""

    pair: Pair
    theirs: Theirs
    back: Theirs
    ours: Verdict
    asked: Asked
    facts: str


def _hexes(where: object) -> tuple[Hex, ...]:
    """The hexes that a place term speaks of: a hex, a hexside's two, none for a word."""
    name, arguments = where.name, where.arguments  # type: ignore[attr-defined]
    if name == "e":
        return tuple(hex_of(each) for each in arguments)
    return (hex_of(where),) if len(arguments) == 2 and not name else ()  # type: ignore[arg-type]


def _drawn_building(code: Code) -> bool:
    return code.role in ("building", "marketplace", "lumberyard")


def same(ours: Verdict, theirs: Theirs) -> bool:
    """Whether both see, and at the same Hindrance, or both do not."""
    if ours.clear is None or ours.clear == theirs.blocked:
        return False
    return theirs.blocked or ours.hindrance == theirs.hindrance


def fits(
    asked: Asked, at: Difference, once: bool = False, also: frozenset[Hex] = frozenset()
) -> bool:
    """Whether an answer is VASL's: the verdict where that differed, or the verdict and the Hindrance.

    `once`: several hexes at one range count as one Hindrance; `also`: hexes that hinder besides.
    """
    if not asked.known:
        return False
    places = {*asked.hindered, *((hex_,) for hex_ in also)}
    start = spot_hex(at.pair[0].spot)
    ranges = {min(hex_.range_to(start) for hex_ in place) for place in places}
    hindrance = len(ranges) if once else len(places)
    blocked = bool(asked.norms - {"A6.7-2"}) or hindrance >= 6
    if blocked != at.theirs.blocked or blocked or at.ours.clear is not True:
        return blocked == at.theirs.blocked
    return hindrance == at.theirs.hindrance


# --- causes


def _other_way_round(trial: Trial, at: Difference) -> bool:
    return same(at.ours, at.back)


def _close(limit: int) -> Callable[[Trial, Difference], bool]:
    return lambda trial, at: _close_under(trial, at, trial.position, limit)


def _close_under(trial: Trial, at: Difference, under: Position, limit: int) -> bool:
    """Whether a shift of the thread, by at most `limit` lattice units, changes the answer to VASL's."""
    a, b = at.pair
    if a.spot == b.spot:
        return False
    lowest: dict[Spot, int] = {end.spot: trial.level(end) for end in at.pair}
    doubts = near(under.shapes, under.concerns, (a.spot, b.spot), lowest, limit)
    facts = frozenset(trial.measured(at.pair, under).split("\n"))
    there = [f"{doubt.fact}." for doubt in doubts if doubt.present]
    missing = [f"{doubt.fact}." for doubt in doubts if not doubt.present]
    tries = [facts ^ {f"{doubt.fact}."} for doubt in doubts]
    tries += [facts - set(there[:count]) for count in range(2, len(there) + 1)]
    tries += [facts | set(missing[:count]) for count in range(2, len(missing) + 1)]
    if there and missing:
        tries.append((facts - set(there)) | set(missing))
    asked = (trial.ask(at.pair, "\n".join(sorted(each)), under) for each in tries)
    return any(fits(each, at) or fits(each, at, once=True) for each in asked)


def _once_at_a_range(trial: Trial, at: Difference) -> bool:
    return fits(at.asked, at, once=True)


def _bridge(trial: Trial, at: Difference) -> bool:
    """A bridge that is crossed at its own level."""
    a, b = (spot_hex(end.spot) for end in at.pair)
    level = trial.level(at.pair[0])
    bridges = frozenset(
        pixel.hex
        for walk in trial.walks(a, b)
        for pixel in walk
        if pixel.code.role == "bridge" and pixel.hex not in (a, b) and pixel.elevation == level
    )
    same_level = level == trial.level(at.pair[1])
    return bool(bridges) and same_level and fits(at.asked, at, once=True, also=bridges)


def _unseen_inherent(trial: Trial, at: Difference) -> bool:
    """Terrain that fills its hex, where the dot's pixel, or no pixel on the thread, shows it."""
    a, b = (spot_hex(end.spot) for end in at.pair)
    for walks in (trial.walks(a, b)[:1], trial.walks(a, b)):
        shown = {(pixel.hex, pixel.code.word) for walk in walks for pixel in walk}
        for dots, line in ((True, False), (False, True), (True, True)):
            facts = []
            for fact in at.facts.split("\n"):
                met = _MEETING.fullmatch(fact)
                if met and _inherent(met[3]):
                    hex_ = Hex(int(met[1]), int(met[2]))
                    if dots and _at_dot(trial, hex_).word != met[3]:
                        continue
                    if line and (hex_, met[3]) not in shown:
                        continue
                facts.append(fact)
            asked = trial.ask(at.pair, "\n".join(facts))
            if fits(asked, at) or fits(asked, at, once=True):
                return True
    return False


def _inherent(kind: str) -> bool:
    return any(code.role == "inherent" and code.word == kind for code in code_table().values())


def _at_dot(trial: Trial, hex_: Hex) -> Code:
    width, height = trial.archive.codes.shape
    column, row = min(hex_.centre.x // PIXEL, width - 1), min(hex_.centre.y // PIXEL, height - 1)
    return code_table()[int(trial.archive.codes[column, row])]


def _fits_supposed(trial: Trial, at: Difference, under: Position) -> bool:
    facts = trial.measured(at.pair, under)
    asked = trial.ask(at.pair, facts, under)
    if "A6.2-3" not in at.asked.norms:
        # The ground itself stays where it is.
        stopped = frozenset(each for each in asked.stopped if each[0] != "A6.2-3")
        asked = asked._replace(stopped=stopped)
    return fits(asked, at) or fits(asked, at, once=True)


def _ground_under_drawing(trial: Trial, at: Difference) -> bool:
    return any(_fits_supposed(trial, at, under) for under in _grounds(trial, at))


def _ground_and_pixel(trial: Trial, at: Difference) -> bool:
    return any(_close_under(trial, at, under, 2 * PIXEL) for under in _grounds(trial, at))


def _grounds(trial: Trial, at: Difference) -> Iterator[Position]:
    """Boards whose hexes lie at the level of the ground under what the thread meets in them."""
    a, b = (spot_hex(end.spot) for end in at.pair)
    for walk in trial.walks(a, b):
        levels: dict[Hex, int] = {}
        for pixel in walk:
            if pixel.code.role in ("area", "inherent") or _drawn_building(pixel.code):
                hex_ = _owner(trial, pixel)
                if hex_ not in (a, b):
                    levels[hex_] = max(pixel.elevation, levels.get(hex_, pixel.elevation))
        moved = {h: level for h, level in levels.items() if level != trial.position.bases[h]}
        for hex_ in moved:
            yield _on_ground(trial, {hex_: moved[hex_]})
        if len(moved) > 1:
            yield _on_ground(trial, moved)


def _owner(trial: Trial, pixel: Pixel) -> Hex:
    """The hex of a pixel; of terrain that fills its hex, painted over a hexside, the hex it fills."""
    filled = trial.terrain.get(pixel.code.word, frozenset())
    if pixel.code.role == "inherent" and pixel.hex not in filled:
        for other in pixel.hex.neighbours():
            if other in filled and _distance(pixel.at, *side(pixel.hex, other).ends) <= 2 * PIXEL:
                return other
    return pixel.hex


def _on_ground(trial: Trial, levels: dict[Hex, int]) -> Position:
    said = tuple(Correction(h, "level", level // 2) for h, level in sorted(levels.items()))
    return trial.suppose(said)


def _building_types(trial: Trial, at: Difference) -> bool:
    """Hexes of one building that VASL gives other heights than the number of hexes and symbols does."""
    a, b = (spot_hex(end.spot) for end in at.pair)
    for walk in trial.walks(a, b):
        for pixel in walk:
            building = trial.buildings.get(pixel.hex)
            if building is None or pixel.hex in (a, b) or not _drawn_building(pixel.code):
                continue
            if pixel.code.levels == 0 and len(building.hexes) > 1:
                said = tuple(Correction(s, "joined", "no") for s in building.joined)
                if _fits_supposed(trial, at, trial.suppose(said)):
                    return True
    return False


def _painted_wall(trial: Trial, at: Difference) -> bool:
    """A wall or hedge as thick as it is drawn: the thread meets its paint, but not its hexside."""
    a, b = (spot_hex(end.spot) for end in at.pair)
    if "B9.2" not in at.theirs.reason:
        return False
    first, last = sorted((a, b), key=term_order)
    for walk in trial.walks(a, b):
        for pixel in walk:
            if pixel.code.role == "side" and pixel.code.word in ("wall", "hedge"):
                for one in _sides_near(pixel):
                    kind = trial.sides.get(one)
                    if kind not in ("wall", "hedge"):
                        continue
                    ranges = (min(h.range_to(end) for h in one) for end in (first, last))
                    ends = f"{first.term},{last.term}"
                    fact = f"crosses({ends},{kind},{one.term},{','.join(map(str, ranges))})."
                    if fits(trial.ask(at.pair, f"{at.facts}\n{fact}"), at):
                        return True
    return False


def _sides_near(pixel: Pixel) -> list[Hexside]:
    """The hexsides that a painted pixel may belong to: those close by, or else the nearest."""
    hexes = (pixel.hex, *pixel.hex.neighbours())
    sides = {side(hex_, other) for hex_ in hexes for other in hex_.neighbours()}
    away = sorted((_distance(pixel.at, *one.ends), one) for one in sides)
    return [one for distance, one in away if distance <= max(_PAINT, away[0][0])]


def _distance(point: Point, start: Point, end: Point) -> float:
    dx, dy = end.x - start.x, end.y - start.y
    part = ((point.x - start.x) * dx + (point.y - start.y) * dy) / (dx * dx + dy * dy)
    part = min(max(part, 0.0), 1.0)
    return hypot(point.x - start.x - part * dx, point.y - start.y - part * dy)


def _partly_walled(trial: Trial, at: Difference) -> bool:
    """A wall or hedge drawn along too little of a hexside to stand on it."""
    if "B9.2" not in at.theirs.reason or at.ours.clear is not True:
        return False
    a, b = (spot_hex(end.spot) for end in at.pair)
    for walk in trial.walks(a, b):
        for pixel in walk:
            if pixel.code.role == "side" and pixel.hex not in (a, b):
                owners = list(_sides_near(pixel))
                if owners and not any(one in trial.sides for one in owners):
                    return True
    return False


def _only(at: Difference, *norms: str) -> bool:
    return bool(at.asked.norms) and at.asked.norms <= set(norms)


def _excused(
    *excuses: Callable[[Trial, Difference, Hex], bool],
) -> Callable[[Trial, Difference], bool]:
    """Whether B23.25 alone blocks, and VASL lets the line pass for one of these reasons at each end."""

    def excused(trial: Trial, at: Difference) -> bool:
        return _only(at, "B23.25-3", "B23.25-4", "B23.25-5") and all(
            any(excuse(trial, at, hex_) for excuse in excuses)
            for _, where in at.asked.stopped
            for hex_ in where
        )

    return excused


def _far_end(trial: Trial, at: Difference, end: Hex) -> bool:
    """B23.25 asks how the line comes into the target's hex; VASL only how it leaves the source's."""
    return _only(at, "B23.25-5") and end == spot_hex(at.pair[1].spot)


def _one_level(trial: Trial, at: Difference, end: Hex) -> bool:
    """B23.25 holds on all levels; VASL asks how the line leaves only between different levels."""
    a, b = at.pair
    return _only(at, "B23.25-5") and trial.level(a) == trial.level(b)


def _gap(trial: Trial, at: Difference, end: Hex) -> bool:
    """A gap in the drawing on the way to the hexside is enough for VASL, not for B23.25."""
    a, b = (spot_hex(each.spot) for each in at.pair)
    hexes = {a, b} if a in b.neighbours() else {end}
    return any(
        pixel.hex in hexes and not _drawn_building(pixel.code)
        for walk in trial.walks(a, b)
        for pixel in walk
    )


def _over_lower_roof(trial: Trial, at: Difference, end: Hex) -> bool:
    """VASL lets a level look out over the lower drawing next door; B23.25 knows no such exception."""
    a, b = (spot_hex(each.spot) for each in at.pair)
    beyond = next((pixel for pixel in trial.walks(a, b)[0] if pixel.hex != a), None)
    return (
        _only(at, "B23.25-5")
        and end == a
        and beyond is not None
        and _drawn_building(beyond.code)
        and trial.level(at.pair[0]) > beyond.elevation + 2 * _storeys(beyond.code)
    )


def _storeys(code: Code) -> int:
    """How high VASL takes a building to be, its half level dropped."""
    return max(1, code.levels or 0)


def _not_linked(trial: Trial, at: Difference) -> bool:
    """Neighbouring hexes of one building on different levels, where no drawing crosses the hexside."""
    a, b = (spot_hex(each.spot) for each in at.pair)
    return (
        "B23.25-3" in at.asked.norms
        and _only(at, "B23.25-3", "B23.25-5")
        and a in b.neighbours()
        and (side(a, b) not in trial.buildings[a].joined or _barred(trial, side(a, b)))
    )


def _barred(trial: Trial, one: Hexside) -> bool:
    return any(bar.side == one for bar in trial.buildings[one.a].bars)


def _beside_hexspine(trial: Trial, at: Difference) -> bool:
    """Blind hexes of buildings on both sides of a hexside that the line runs along: VASL lacks them."""
    along = [line for line in at.facts.split("\n") if line.startswith("along(")]
    return _only(at, "A6.4-1") and all(
        hex_ in trial.built and any(hex_.term in line.split("e(")[1] for line in along)
        for _, where in at.asked.stopped
        for hex_ in where
    )


def _depression(trial: Trial, at: Difference) -> bool:
    """A6.3, which is not among our general rules: an end at the bottom, and a rim above it on the line."""
    reasons = f"{at.theirs.reason} {at.back.reason}"
    if not at.theirs.blocked or not ("A6.3" in reasons or "B19.51" in reasons):
        return False
    a, b = (spot_hex(each.spot) for each in at.pair)
    low = [
        trial.level(end)
        for end in at.pair
        if spot_hex(end.spot) in trial.depressions and end.floor == 0
    ]
    return bool(low) and any(
        pixel.elevation > min(low) for walk in trial.walks(a, b) for pixel in walk
    )


def _cliff(trial: Trial, at: Difference) -> bool:
    """Cliffs hide at least one hex to VASL; our general rules have nothing on them and LOS."""
    if "B10.23" not in at.theirs.reason:
        return False
    a, b = (spot_hex(each.spot) for each in at.pair)
    return any(
        trial.sides.get(one) == "cliff" or pixel.code.word == "cliff"
        for walk in trial.walks(a, b)
        for pixel in walk
        for one in _sides_near(pixel)
    )


def _specks(trial: Trial, at: Difference) -> bool:
    """Stray pixels of a building in a hex where none is drawn."""
    a, b = (spot_hex(each.spot) for each in at.pair)
    return at.theirs.blocked and any(
        _drawn_building(pixel.code) and trial.building_pixels[pixel.hex] < _SPECK
        for walk in trial.walks(a, b)
        for pixel in walk
    )


def _behind_a_bar(trial: Trial, at: Difference) -> bool:
    """A bar on an end's own hexside, and a viewer above the bar: VASL hides what is right behind it."""
    levels = [trial.level(end) for end in at.pair]
    return (
        "B23.71" in at.theirs.reason
        and at.ours.clear is True
        and levels[0] != levels[1]
        and any(
            line.startswith("crosses(")
            and ",bar," in line
            and (",0," in line or line.endswith(",0)."))
            for line in at.facts.split("\n")
        )
    )


def _along_a_crest(trial: Trial, at: Difference) -> bool:
    """Ground that lies on both sides of a hexside which the line runs along."""
    along = [line for line in at.facts.split("\n") if line.startswith("along(")]
    return _only(at, "A6.2-3") and all(
        any(hex_.term in line.split("e(")[1] for line in along)
        for _, where in at.asked.stopped
        for hex_ in where
    )


class Cause(NamedTuple):
    """Why two answers differ: in words, with the paragraph, and the test for one difference."""

    words: str
    holds: Callable[[Trial, Difference], bool]


CAUSES = (
    Cause("VASL answers like us the other way round (A6.5)", _other_way_round),
    Cause(
        "two hexes at one range off a hexspine: VASL counts one Hindrance (A6.7)", _once_at_a_range
    ),
    Cause("within a pixel of the other verdict", _close(PIXEL)),
    Cause(
        "inherent terrain: VASL asks the pixels at the dot and on the line (B.6)", _unseen_inherent
    ),
    Cause("VASL measures terrain from the ground under its drawing (A6.2)", _ground_under_drawing),
    Cause("a bridge hinders at its own level; our rules have none (B6)", _bridge),
    Cause("VASL sees walls and hedges as thick as drawn (B9.1)", _painted_wall),
    Cause("B23.25 at the far end: VASL asks at the source only", _excused(_far_end)),
    Cause(
        "B23.25 between equal levels: VASL asks between different levels only", _excused(_one_level)
    ),
    Cause("B23.25: VASL is content with a gap in the drawing before the hexside", _excused(_gap)),
    Cause("B23.25: VASL looks out over a lower part next door", _excused(_over_lower_roof)),
    Cause(
        "B23.25: one of these at each end", _excused(_far_end, _one_level, _gap, _over_lower_roof)
    ),
    Cause("B23.25: neighbours of one building, not joined or barred between them", _not_linked),
    Cause(
        "blind hexes of buildings beside a hexspine: VASL leaves them out (A6.4)", _beside_hexspine
    ),
    Cause("out of or into a depression (A6.3), not in our rules", _depression),
    Cause("a cliff on the line (B10.23), not in our rules", _cliff),
    Cause("VASL's type gives a building another height (B23.21-.23)", _building_types),
    Cause("within two pixels of the other verdict", _close(2 * PIXEL)),
    Cause("stray pixels of a building", _specks),
    Cause("the ground under the drawing, and two pixels", _ground_and_pixel),
    Cause("VASL sees a wall drawn along less than half of its hexside (B9.1)", _partly_walled),
    Cause("right behind a bar, seen from above it (B23.71)", _behind_a_bar),
    Cause("ground on both sides of a hexside that the line runs along (B10.2)", _along_a_crest),
)
UNEXPLAINED = "UNEXPLAINED"


# --- comparing


def table_of(path: Path) -> dict[Pair, Theirs]:
    """VASL's answers, rooftops and bridges left out."""
    known: dict[str, Location | None] = {}

    def location(text: str) -> Location | None:
        if text not in known:
            where, _, floor = text.partition("/")
            known[text] = Location(parse_hex(where)[1], int(floor)) if floor.isdigit() else None
        return known[text]

    found = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            a, b = location(row["from"]), location(row["to"])
            if a is not None and b is not None:
                found[a, b] = Theirs(
                    row["blocked"] == "1", int(row["hindrance"]), int(row["range"]), row["reason"]
                )
    return found


def explain(trial: Trial, at: Difference) -> str:
    """The first cause that holds."""
    return next((cause.words for cause in CAUSES if cause.holds(trial, at)), UNEXPLAINED)


def compare(number: str, show: int, control: int) -> int:
    """Prints the comparison of one board; the number of pairs left unexplained."""
    archive = read_archive(FOLDER / f"bd{number}")
    board = board_of(archive)
    program = load_program()
    trial = Trial(archive, board, program, position(board, program))
    theirs = table_of(FOLDER / f"bd{number}_vasl.csv.gz")
    ends = sorted(trial.position.elevations, key=str)
    began = time.perf_counter()
    found: dict[Pair, Verdict] = {}
    for batch in matrix(trial.position, ends):
        found.update((pair, verdict) for pair, verdict in batch.items() if verdict != Verdict(True))
    took = time.perf_counter() - began
    print(f"\nBoard {number}: {len(ends)} Locations, all sights in {took:.1f} s")
    _locations(ends, theirs)

    def ours(pair: Pair) -> Verdict:
        return found.get(pair) or found.get((pair[1], pair[0])) or Verdict(True)

    have = frozenset(ends)
    shared = {
        pair: answer for pair, answer in theirs.items() if pair[0] in have and pair[1] in have
    }
    for words, pairs in (
        ("ground level", [p for p in shared if p[0].floor == 0 and p[1].floor == 0]),
        ("all Locations", list(shared)),
    ):
        _agreement(words, pairs, shared, ours)
    wrong_ranges = sum(
        spot_hex(a.spot).range_to(spot_hex(b.spot)) != answer.range
        for (a, b), answer in shared.items()
    )
    print(f"  ranges that differ: {wrong_ranges}")
    _reciprocity(trial, list(shared))
    left = _classes(trial, shared, ours, show)
    if control:
        _control(trial, shared, ours, control)
    return left


def _locations(ends: list[Location], theirs: dict[Pair, Theirs]) -> None:
    known = {end for pair in theirs for end in pair}
    only_ours = ", ".join(sorted(str(end) for end in set(ends) - known))
    only_theirs = ", ".join(sorted(str(end) for end in known - set(ends)))
    print(f"  Locations only ours: {only_ours or 'none'}; only VASL's: {only_theirs or 'none'}")


def _agreement(
    words: str, pairs: list[Pair], theirs: dict[Pair, Theirs], ours: Callable[[Pair], Verdict]
) -> None:
    counts = Counter((ours(pair).clear, theirs[pair].blocked) for pair in pairs)
    clear = sum(count for (_, blocked), count in counts.items() if not blocked)
    blocked = len(pairs) - clear
    both = [pair for pair in pairs if ours(pair).clear and not theirs[pair].blocked]
    hindrance = sum(ours(pair).hindrance == theirs[pair].hindrance for pair in both)
    print(
        f"  {words}: {len(pairs)} pairs; of VASL's {clear} clear ones we agree on"
        f" {counts[True, False] / clear:.2%}, of {blocked} blocked ones on"
        f" {counts[False, True] / blocked:.3%}; Hindrance alike in {hindrance / len(both):.2%}"
        f" of {len(both)}; unknown to us: {counts[None, True] + counts[None, False]}"
    )


def _reciprocity(trial: Trial, pairs: list[Pair]) -> None:
    """Asks a sample in both orders."""
    sample = random.Random(1).sample(pairs, 200)
    differing = 0
    for a, b in sample:
        one = los(trial.position, a, b, close=False, cite=False)
        two = los(trial.position, b, a, close=False, cite=False)
        differing += (one.clear, one.hindrance) != (two.clear, two.hindrance)
    print(f"  sights of ours that differ by direction: {differing} of a sample of {len(sample)}")


def _classes(
    trial: Trial, theirs: dict[Pair, Theirs], ours: Callable[[Pair], Verdict], show: int
) -> int:
    """Prints the classes of differences."""
    own_ways = sum(
        answer.blocked != back.blocked
        or (not answer.blocked and answer.hindrance != back.hindrance)
        for (a, b), answer in theirs.items()
        if str(a) < str(b) and (back := theirs.get((b, a)))
    )
    print(f"  pairs on which VASL differs from itself by direction: {own_ways}")
    groups: dict[tuple[str, str], list[Difference]] = defaultdict(list)
    pairs = [pair for pair, answer in theirs.items() if not same(ours(pair), answer)]
    for number, pair in enumerate(sorted(pairs, key=lambda each: sorted(map(str, each)))):
        if sys.stderr.isatty():
            print(f"\r  {number} of {len(pairs)}", end="", file=sys.stderr)
        facts = trial.measured(pair)
        back = theirs.get((pair[1], pair[0]), theirs[pair])
        at = Difference(pair, theirs[pair], back, ours(pair), trial.ask(pair, facts), facts)
        groups[_kind(at), explain(trial, at)].append(at)
    total = sum(map(len, groups.values()))
    print(f"  {total} differences (pairs count in each direction):")
    print(f"    {'ours blocked':>12} {'VASL blocked':>12} {'Hindrance':>9} {'unknown':>7}")
    kinds = ("ours", "theirs", "hindrance", "unknown")
    for cause in (*(each.words for each in CAUSES), UNEXPLAINED):
        counts = [len(groups.get((kind, cause), ())) for kind in kinds]
        if any(counts) or cause == UNEXPLAINED:
            print(f"    {counts[0]:12} {counts[1]:12} {counts[2]:9} {counts[3]:7}  {cause}")
            for kind in kinds:
                _examples(groups.get((kind, cause), [])[:show])
    return sum(len(groups.get((kind, UNEXPLAINED), ())) for kind in kinds)


def _control(
    trial: Trial, theirs: dict[Pair, Theirs], ours: Callable[[Pair], Verdict], count: int
) -> None:
    """Turns VASL's verdict round where it is ours, and prints how often that would be explained too."""
    chance = random.Random(2)
    for blocked in (False, True):
        alike = [p for p, t in theirs.items() if t.blocked == blocked and same(ours(p), t)]
        explained: Counter[str] = Counter()
        for pair in chance.sample(alike, count):
            turned = theirs[pair]._replace(blocked=not blocked)
            facts = trial.measured(pair)
            at = Difference(pair, turned, turned, ours(pair), trial.ask(pair, facts), facts)
            explained[explain(trial, at)] += 1
        unexplained = explained.pop(UNEXPLAINED, 0)
        words = "blocked" if blocked else "clear"
        print(f"  control: {count} {words} pairs turned round: {unexplained} stay unexplained")
        for cause, number in explained.most_common():
            print(f"{'':48}{number} {cause}")


def _kind(at: Difference) -> str:
    if at.ours.clear is None:
        return "unknown"
    if at.ours.clear and at.theirs.blocked:
        return "theirs"
    return "hindrance" if at.ours.clear else "ours"


def _examples(differences: Iterable[Difference]) -> None:
    for at in differences:
        a, b = at.pair
        mine = f"{at.ours.norm} at {at.ours.place}" if at.ours.norm else f"+{at.ours.hindrance}"
        print(f"{'':48}{a} to {b}: ours {mine}; VASL {at.theirs.reason or at.theirs.hindrance}")


def main() -> int:
    """Compares the boards named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("boards", nargs="*", default=["01", "21", "24"], metavar="BOARD")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="N examples of each class")
    parser.add_argument(
        "--control",
        type=int,
        default=0,
        metavar="N",
        help="turn N clear and N blocked verdicts of VASL's round: these should stay unexplained",
    )
    options = parser.parse_args()
    missing = [each for each in options.boards if not (FOLDER / f"bd{each}_vasl.csv.gz").is_file()]
    if missing:
        parser.error(f"no table of VASL's for board {', '.join(missing)} in {FOLDER}")
    return (
        1 if sum(compare(number, options.show, options.control) for number in options.boards) else 0
    )


if __name__ == "__main__":
    sys.exit(main())
