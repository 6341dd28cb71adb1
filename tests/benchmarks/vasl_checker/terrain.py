"""Causes of differences in terrain: each says where VASL's method departs from a paragraph.

What a cause claims is looked up in VASL's own data: its pixels under the thread, its elevations at
dots, its reason; our rules are asked only whether that one thing makes the whole difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rules_asp.game.board import Correction, Fact
from rules_asp.game.grid import Hex, Hexside, hexside_between, term_sort_key
from rules_asp.positions.position import Position
from rules_asp.vasl.archive import PIXEL, code_table
from tests.benchmarks.vasl_checker.fitting import (
    away,
    fits,
    fits_either,
    fits_nearby,
    higher_first,
    runs_beside,
)
from tests.benchmarks.vasl_checker.trial import Difference, Pixel, Trial, drawn_building

#: A wall in VASL's pixels is drawn so far beside a hexside at most, in lattice units.
_PAINT = 5 * PIXEL
_MEETING = re.compile(r"meets\(.*,\((-?\d+),(-?\d+)\),(\w+),\d+,\d+\)\.")


def no_bridge(trial: Trial, at: Difference) -> bool:
    """A bridge under the thread that VASL counts as no Hindrance."""
    bridges = bridged(trial)
    over = frozenset(
        pixel.hex
        for walk in trial.walks(*at.hexes)
        for pixel in walk
        if pixel.hex in bridges and pixel.code.role in ("bridge", "road")
    )
    kept = frozenset(place for place in at.asked.hindered if not over.intersection(place))
    return kept != at.asked.hindered and fits_either(at.asked._replace(hindered=kept), at)


def bridged(trial: Trial) -> frozenset[Hex]:
    """The hexes with a bridge."""
    stated = (each for each in trial.board.statements if isinstance(each, Fact))
    return frozenset(
        each.args[0] for each in stated if each.name == "bridge" and isinstance(each.args[0], Hex)
    )


def on_the_deck(trial: Trial, at: Difference) -> bool:
    """An end under a bridge, where VASL has no Location but on it: its dot lies as high as the deck."""
    return any(
        hex_ in bridged(trial) and trial.dot(hex_)[1] != trial.position.index.bases[hex_]
        for hex_ in at.hexes
    )


def unseen_inherent(trial: Trial, at: Difference) -> bool:
    """Terrain that fills its hex, where the dot's pixel, or no pixel on the thread, shows it."""
    a, b = at.hexes
    for walks in (trial.walks(a, b)[:1], trial.walks(a, b)):
        shown = {(pixel.hex, pixel.code.word) for walk in walks for pixel in walk}
        for dots, line in ((True, False), (False, True), (True, True)):
            facts = []
            for fact in at.facts.split("\n"):
                met = _MEETING.fullmatch(fact)
                if met and _inherent(met[3]):
                    hex_ = Hex(int(met[1]), int(met[2]))
                    if dots and trial.dot(hex_)[0].word != met[3]:
                        continue
                    if line and (hex_, met[3]) not in shown:
                        continue
                facts.append(fact)
            asked = trial.ask(at.pair, "\n".join(facts))
            if fits_either(asked, at):
                return True
    return False


def _inherent(kind: str) -> bool:
    return any(code.role == "inherent" and code.word == kind for code in code_table().values())


def fits_supposed(trial: Trial, at: Difference, under: Position) -> bool:
    facts = trial.measured(at.pair, under)
    asked = trial.ask(at.pair, facts, under)
    if "A6.2-3" not in at.asked.norms:
        # The ground itself stays where it is.
        stopped = frozenset(each for each in asked.stopped if each[0] != "A6.2-3")
        asked = asked._replace(stopped=stopped)
    return fits_either(asked, at)


def ground_under_drawing(trial: Trial, at: Difference) -> bool:
    return any(fits_supposed(trial, at, under) for under in _grounds(trial, at))


def ground_and_pixel(trial: Trial, at: Difference) -> bool:
    return any(fits_nearby(trial, at, 2 * PIXEL, under) for under in _grounds(trial, at))


def _grounds(trial: Trial, at: Difference) -> Iterator[Position]:
    """Boards whose hexes lie at the level of the ground under what the thread meets in them."""
    a, b = at.hexes
    for walk in trial.walks(a, b):
        levels: dict[Hex, int] = {}
        for pixel in walk:
            if pixel.code.role in ("area", "inherent") or drawn_building(pixel.code):
                hex_ = _owner(trial, pixel)
                if hex_ not in (a, b):
                    levels[hex_] = max(pixel.elevation, levels.get(hex_, pixel.elevation))
        moved = {h: level for h, level in levels.items() if level != trial.position.index.bases[h]}
        for hex_ in moved:
            yield _on_ground(trial, {hex_: moved[hex_]})
        if len(moved) > 1:
            yield _on_ground(trial, moved)


def _owner(trial: Trial, pixel: Pixel) -> Hex:
    """The hex of a pixel; of terrain that fills its hex, painted over a hexside, the hex it fills."""
    filled = trial.terrain.get(pixel.code.word, frozenset())
    if pixel.code.role == "inherent" and pixel.hex not in filled:
        for other in pixel.hex.neighbours():
            if (
                other in filled
                and away(pixel.at, *hexside_between(pixel.hex, other).ends) <= 2 * PIXEL
            ):
                return other
    return pixel.hex


def _on_ground(trial: Trial, levels: dict[Hex, int]) -> Position:
    said = tuple(Correction(h, "level", level // 2) for h, level in sorted(levels.items()))
    return trial.suppose(said)


def painted_wall(trial: Trial, at: Difference) -> bool:
    """A wall or hedge as thick as it is drawn: the thread meets its paint, but not its hexside."""
    return _meets_paint(trial, at, trial.walks(*at.hexes)[:1])


def beside_a_painted_wall(trial: Trial, at: Difference) -> bool:
    """The same of a thread a pixel beside."""
    return _meets_paint(trial, at, trial.walks(*at.hexes)[1:])


def _meets_paint(trial: Trial, at: Difference, walks: tuple[tuple[Pixel, ...], ...]) -> bool:
    a, b = at.hexes
    if "B9.2" not in at.theirs.reason:
        return False
    first, last = sorted((a, b), key=term_sort_key)
    for walk in walks:
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
    sides = {hexside_between(hex_, other) for hex_ in hexes for other in hex_.neighbours()}
    nearest = sorted((away(pixel.at, *one.ends), one) for one in sides)
    return [one for distance, one in nearest if distance <= max(_PAINT, nearest[0][0])]


def painted_cliff(trial: Trial, at: Difference) -> bool:
    """A cliff under the thread, beside whose hexside it passes or which is drawn along little of one."""
    if "B10.23" not in at.theirs.reason or at.ours.clear is not True:
        return False
    crossed = any(
        line.startswith("crosses(") and ",cliff," in line for line in at.facts.split("\n")
    )
    shown = any(pixel.code.word == "cliff" for walk in trial.walks(*at.hexes) for pixel in walk)
    return shown and not crossed


def partly_walled(trial: Trial, at: Difference) -> bool:
    """A wall or hedge drawn along too little of a hexside to stand on it."""
    if "B9.2" not in at.theirs.reason or at.ours.clear is not True:
        return False
    a, b = at.hexes
    for walk in trial.walks(a, b):
        for pixel in walk:
            if pixel.code.role == "side" and pixel.hex not in (a, b):
                owners = list(_sides_near(pixel))
                if owners and not any(one in trial.sides for one in owners):
                    return True
    return False


def along_a_crest(trial: Trial, at: Difference) -> bool:
    """Ground that lies on both sides of a hexside which the line runs along."""
    return at.asked.norms == {"A6.2-3"} and all(
        runs_beside(at, hex_) for _, where in at.asked.stopped for hex_ in where
    )


def entered_before(trial: Trial, at: Difference) -> bool:
    """VASL asks for the levels of A6.3 where the line enters the depression, not at the unit in it."""
    if at.theirs.blocked or at.asked.norms != {"A6.3-1"}:
        return False
    high, low = higher_first(trial, at)
    one, two = (end.spot for end in (high, low))
    if not isinstance(one, Hex) or not isinstance(two, Hex) or two not in trial.depressions:
        return False
    entered = {pixel.hex for pixel in trial.walks(one, two)[0]} & trial.depressions - {one, two}
    return any(
        trial.level(high) - trial.position.index.bases[hex_] >= 2 * one.range_to(hex_)
        for hex_ in entered
    )


def opens_out(trial: Trial, at: Difference) -> bool:
    """A depression that the line leaves by ground as low as the bottom where the lower end is."""
    if at.theirs.blocked or at.asked.norms != {"A6.3-1"}:
        return False
    low, high = reversed(higher_first(trial, at))
    if not isinstance(low.spot, Hex) or not isinstance(high.spot, Hex):
        return False
    way = [pixel.hex for pixel in trial.walks(low.spot, high.spot)[0]]
    beyond = next((hex_ for hex_ in way if hex_ not in trial.depressions), None)
    return beyond is not None and trial.dot(beyond)[1] <= trial.dot(low.spot)[1]


def on_the_bottom(trial: Trial, at: Difference) -> bool:
    """Brush or the like that VASL has at the elevation of a depression's bottom under the thread."""
    low = frozenset(
        pixel.hex
        for walk in trial.walks(*at.hexes)
        for pixel in walk
        if pixel.hex in trial.depressions
        and pixel.code.role in ("area", "inherent")
        and pixel.elevation <= trial.position.index.bases[pixel.hex]
    )
    kept = frozenset(place for place in at.asked.hindered if not low.intersection(place))
    return kept != at.asked.hindered and fits_either(at.asked._replace(hindered=kept), at)


def next_to_it(trial: Trial, at: Difference) -> bool:
    """Neighbours, of whom one or both are in a depression: VASL asks for the levels of A6.3 there too."""
    reasons = f"{at.theirs.reason} {at.back.reason}"
    a, b = at.hexes
    in_it = bool(trial.depressions.intersection(at.hexes))
    return at.theirs.blocked and a in b.neighbours() and in_it and "A6.3" in reasons


def unjoined(_: Trial, at: Difference) -> bool:
    """Depressions of neighbouring hexes that no drawing joins."""
    return at.asked.norms == {"A6.8-1"} and not at.theirs.blocked


def over_a_crest(trial: Trial, at: Difference) -> bool:
    """A depression that crosses a crest line, seen over the hexside where it does."""
    return (
        at.theirs.blocked
        and at.asked.clear is True
        and "A6.3" in f"{at.theirs.reason} {at.back.reason}"
        and any(line.startswith("leaves_by(") for line in at.facts.split("\n"))
        and bool(trial.depressions.intersection(at.hexes))
    )


def at_a_vertex(trial: Trial, at: Difference) -> bool:
    """A line along a depression that VASL ends where it passes a vertex."""
    return (
        at.theirs.blocked
        and "vertex" in f"{at.theirs.reason} {at.back.reason}"
        and any(line.startswith("follows(") for line in at.facts.split("\n"))
    )
