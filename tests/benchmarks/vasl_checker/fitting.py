"""Whether our answer, with one thing taken the other way, is VASL's."""

from __future__ import annotations

from math import hypot

from rules_asp.game.grid import Hex, Location, Point, Spot, hex_of_spot
from rules_asp.geometry.tolerance import close_call_facts
from rules_asp.positions.position import Position
from tests.benchmarks.vasl_checker.trial import Asked, Difference, Trial


def fits(asked: Asked, at: Difference, once: bool = False) -> bool:
    """Whether an answer is VASL's: the verdict where that differed, or the verdict and the Hindrance.

    `once`: several hexes at one range count as one Hindrance.
    """
    if not asked.known:
        return False
    start = hex_of_spot(at.pair[0].spot)
    ranges = {min(hex_.range_to(start) for hex_ in place) for place in asked.hindered}
    hindrance = len(ranges) if once else len(asked.hindered)
    blocked = bool(asked.norms - {"A6.7-2"}) or hindrance >= 6
    if blocked != at.theirs.blocked or blocked or at.ours.clear is not True:
        return blocked == at.theirs.blocked
    return hindrance == at.theirs.hindrance


def fits_either(asked: Asked, at: Difference) -> bool:
    """Whether it is VASL's, however the Hindrances at one range are counted."""
    return fits(asked, at) or fits(asked, at, once=True)


def fits_nearby(trial: Trial, at: Difference, limit: int, under: Position | None = None) -> bool:
    """Whether a shift of the thread, by at most `limit` lattice units, changes the answer to VASL's."""
    a, b = at.pair
    if a.spot == b.spot:
        return False
    here = under or trial.position
    lowest: dict[Spot, int] = {end.spot: trial.level(end) for end in at.pair}
    doubts = close_call_facts(here.shapes, here.measurer.concerns, (a.spot, b.spot), lowest, limit)
    facts = frozenset(trial.measured(at.pair, here).split("\n"))
    there = [f"{doubt.fact}." for doubt in doubts if doubt.present]
    missing = [f"{doubt.fact}." for doubt in doubts if not doubt.present]
    tries = [facts ^ {f"{doubt.fact}."} for doubt in doubts]
    tries += [facts - set(there[:count]) for count in range(2, len(there) + 1)]
    tries += [facts | set(missing[:count]) for count in range(2, len(missing) + 1)]
    if there and missing:
        tries.append((facts - set(there)) | set(missing))
    asked = (trial.ask(at.pair, "\n".join(sorted(each)), here) for each in tries)
    return any(fits_either(each, at) for each in asked)


def higher_first(trial: Trial, at: Difference) -> tuple[Location, Location]:
    """The ends, the higher before the lower."""
    a, b = sorted(at.pair, key=trial.level, reverse=True)
    return a, b


def away(point: Point, start: Point, end: Point) -> float:
    """How far a point lies from a stretch, in lattice units."""
    dx, dy = end.x - start.x, end.y - start.y
    part = ((point.x - start.x) * dx + (point.y - start.y) * dy) / (dx * dx + dy * dy)
    part = min(max(part, 0.0), 1.0)
    return hypot(point.x - start.x - part * dx, point.y - start.y - part * dy)


def along(at: Difference) -> list[str]:
    """The hexsides that the line runs along, as the facts have them."""
    lines = (line for line in at.facts.split("\n") if line.startswith("along("))
    return [line.split("e(")[1] for line in lines]


def runs_beside(at: Difference, hex_: Hex) -> bool:
    """Whether the line runs along a hexside of this hex."""
    return any(hex_.term in where for where in along(at))
