"""Causes of differences in buildings: where VASL's method departs from a paragraph of B23.

VASL's pixels under the thread, its building types and its reason say so; our rules are asked only whether
that one thing makes the whole difference.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from rules_asp.game.board import Correction
from rules_asp.game.grid import Hex, Hexside, hexside_between
from tests.benchmarks.vasl_checker.fitting import runs_beside
from tests.benchmarks.vasl_checker.terrain import fits_supposed
from tests.benchmarks.vasl_checker.trial import Difference, Pixel, Trial, drawn_building

#: Fewer pixels of a building in a hex are no drawing.
_SPECK = 16


def _only(at: Difference, *norms: str) -> bool:
    return bool(at.asked.norms) and at.asked.norms <= set(norms)


def excused_by(
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


def at_the_other_end(
    excused: Callable[[Trial, Difference], bool],
) -> Callable[[Trial, Difference], bool]:
    """The same of what blocks still when R-B23.25 is read the other way."""

    def left(trial: Trial, at: Difference) -> bool:
        under = trial.without("R-B23.25")
        asked = trial.ask(at.pair, trial.measured(at.pair, under), under)
        return asked.stopped < at.asked.stopped and excused(trial, replace(at, asked=asked))

    return left


def far_end(trial: Trial, at: Difference, end: Hex) -> bool:
    """B23.25 asks how the line comes into the target's hex; VASL only how it leaves the source's."""
    return end == at.hexes[1] and _inside_across(trial, at, end)


def one_level(trial: Trial, at: Difference, end: Hex) -> bool:
    """B23.25 holds on all levels; VASL asks how the line leaves only between different levels."""
    a, b = at.pair
    return trial.level(a) == trial.level(b) and _inside_across(trial, at, end)


def _inside_across(trial: Trial, at: Difference, end: Hex) -> bool:
    """Whether VASL too has building on both sides of the hexside by which the line leaves an end's hex."""
    for walk in trial.walks(*at.hexes):
        for one, two in pairwise(walk):
            if (one.hex == end) != (two.hex == end) and _solid(one) and _solid(two):
                return True
    return False


def _solid(pixel: Pixel) -> bool:
    """A building, or a bar or wall on one."""
    return drawn_building(pixel.code) or pixel.code.role in ("bar", "side")


def gap(trial: Trial, at: Difference, end: Hex) -> bool:
    """A gap in the drawing on the way to the hexside is enough for VASL, not for B23.25."""
    a, b = at.hexes
    hexes = {a, b} if a in b.neighbours() else {end}
    return any(
        pixel.hex in hexes and not _solid(pixel) for walk in trial.walks(a, b) for pixel in walk
    )


def not_linked(trial: Trial, at: Difference) -> bool:
    """Neighbouring hexes of one building on different levels, where no drawing crosses the hexside."""
    a, b = at.hexes
    return (
        "B23.25-3" in at.asked.norms
        and _only(at, "B23.25-3", "B23.25-5")
        and a in b.neighbours()
        and (
            hexside_between(a, b) not in trial.buildings[a].joined
            or _barred(trial, hexside_between(a, b))
        )
    )


def _barred(trial: Trial, one: Hexside) -> bool:
    return any(bar.side == one for bar in trial.buildings[one.a].bars)


def beside_hexspine(trial: Trial, at: Difference) -> bool:
    """Blind hexes of buildings on both sides of a hexside that the line runs along: VASL lacks them."""
    return _only(at, "A6.4-1") and all(
        hex_ in trial.built and runs_beside(at, hex_)
        for _, where in at.asked.stopped
        for hex_ in where
    )


def building_types(trial: Trial, at: Difference) -> bool:
    """Hexes of one building that VASL gives other heights than the number of hexes and symbols does."""
    a, b = at.hexes
    for walk in trial.walks(a, b):
        for pixel in walk:
            building = trial.buildings.get(pixel.hex)
            if building is None or pixel.hex in (a, b) or not drawn_building(pixel.code):
                continue
            if pixel.code.levels == 0 and len(building.hexes) > 1:
                said = tuple(Correction(s, "joined", "no") for s in building.joined)
                if fits_supposed(trial, at, trial.suppose(said)):
                    return True
    return False


def specks(trial: Trial, at: Difference) -> bool:
    """Stray pixels of a building in a hex where none is drawn."""
    a, b = at.hexes
    return at.theirs.blocked and any(
        drawn_building(pixel.code) and trial.building_pixels[pixel.hex] < _SPECK
        for walk in trial.walks(a, b)
        for pixel in walk
    )
