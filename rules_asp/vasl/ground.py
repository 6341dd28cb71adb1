"""Terrain, levels, roads and walls of an archive, as statements, with doubts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from rules_asp.terms.board import (
    Area,
    Doubt,
    Given,
    Level,
    Road,
    Sides,
    Statement,
)
from rules_asp.terms.grid import Hex, Hexside
from rules_asp.vasl.archive import code_table
from rules_asp.vasl.evidence import (
    LEAST_CROSSING,
    LEAST_DRAWING,
    LEAST_PATH_CROSSING,
    SMALL_DRAWING,
    Evidence,
    at_dot,
    base_level,
    beside,
    crossing,
    plain,
)
from rules_asp.vasl.trace import (
    SAMPLES,
)

#: A wall or hedge stands on a hexside from this share of it on; between the two it is doubtful.
_LEAST_WALL, _SURE_WALL, _NO_WALL = 0.5, 0.8, 0.3
#: Terrain that fills its hex is drawn on most of it, or as some trees; with less it only sticks in.
_LEAST_INHERENT, _NO_INHERENT = 0.1, 0.05


def terrain(evidence: Evidence) -> Iterator[Statement]:
    """Areas: terrain at the centre dots, terrain that fills its hex, marketplace and lumberyard."""
    sheet, kinds = evidence.canvas, evidence.kinds
    areas: dict[str, set[Hex]] = defaultdict(set)
    for hex_ in sheet.hexes:
        role, word = kinds[at_dot(evidence, hex_)]
        if role in ("area", "depression"):
            areas[word].add(hex_)
    for word in evidence.words("inherent"):
        shares = sheet.count(evidence.mask("inherent", word)) / evidence.pixels
        for hex_, share in zip(sheet.hexes, shares, strict=True):
            if share >= _LEAST_INHERENT:
                areas[word].add(hex_)
            elif share >= _NO_INHERENT:
                yield Doubt(
                    hex_, f"a little {plain(word)} is drawn in it: taken as sticking in only"
                )
    for role in ("marketplace", "lumberyard"):
        counts = sheet.count(evidence.mask(role))
        for hex_, count in zip(sheet.hexes, counts, strict=True):
            if count >= LEAST_DRAWING:
                areas[role].add(hex_)
                if count < SMALL_DRAWING:
                    yield Doubt(hex_, f"its {role} drawing has {count} pixels only")
    for word in sorted(areas):
        yield Area(word, tuple(sorted(areas[word])))


def levels(evidence: Evidence) -> Iterator[Statement]:
    """Base levels: the elevation at the centre dots."""
    levels: dict[int, list[Hex]] = defaultdict(list)
    for hex_ in evidence.canvas.hexes:
        levels[base_level(evidence, hex_)].append(hex_)
    for level in sorted(levels):
        if level != 0:
            yield Level(level, tuple(levels[level]))


def bridges(evidence: Evidence) -> Iterator[Statement]:
    """The bridges, with a doubt where the ground beside one lies on another level."""
    sheet = evidence.canvas
    for construction in ("stone", "wooden"):
        bridge = evidence.coded("bridge", construction)
        if not bridge.any():
            continue
        for index in np.nonzero(sheet.count(bridge) >= SMALL_DRAWING)[0]:
            hex_ = sheet.hexes[int(index)]
            yield Given("bridge", (hex_, construction))
            beside = evidence.elevation[(sheet.owner == index) & ~bridge]
            base = base_level(evidence, hex_)
            low = int(np.percentile(beside, 5)) if beside.size else base
            if low != base:
                text = f"its base level {base} is that of the bridge: beside it is ground at {low}"
                yield Doubt(hex_, text)


# --- roads, walls


def roads(evidence: Evidence) -> Iterator[Statement]:
    """The roads, as ways from hex to hex."""
    sheet = evidence.canvas
    inside = sheet.inside().sum(axis=1)
    surfaces = {(c.role, c.word) for c in code_table().values() if c.role in ("road", "path")}
    for role, surface in sorted(surfaces):
        drawn = evidence.coded(role, surface)
        if not drawn.any():
            continue
        least = LEAST_PATH_CROSSING if role == "path" else LEAST_CROSSING
        # A road that covers a whole hexside (half of one at the rim) runs along it.
        most = inside if surface == "runway" else inside - 1
        counts = crossing(sheet, drawn)
        crossed = (counts >= least) & (counts <= most)
        for trail in _trails(sheet.sides[at] for at in np.nonzero(crossed)[0]):
            yield Road(surface, trail)


def _trails(sides: Iterable[Hexside]) -> list[tuple[Hex, ...]]:
    """The crossed hexsides as few walks from hex to hex, straight on where there is a choice."""
    open_: dict[Hex, set[Hex]] = defaultdict(set)
    for one in sides:
        open_[one.a].add(one.b)
        open_[one.b].add(one.a)

    def step(walk: list[Hex]) -> bool:
        last = walk[-1]
        if not open_[last]:
            return False
        heading = walk[-2].neighbours().index(last) if len(walk) > 1 else 0
        around = last.neighbours()

        def turn(hex_: Hex) -> tuple[int, Hex]:
            bend = (around.index(hex_) - heading) % 6
            return min(bend, 6 - bend), hex_

        following = min(open_[last], key=turn)
        open_[last].remove(following)
        open_[following].remove(last)
        walk.append(following)
        return True

    trails: list[tuple[Hex, ...]] = []
    for odd_first in (True, False):
        for start in sorted(open_):
            while open_[start] and (not odd_first or len(open_[start]) % 2):
                walk = [start]
                while step(walk):
                    pass
                trails.append(tuple(walk))
    return trails


def walls(evidence: Evidence) -> Iterator[Statement]:
    """Hexside terrain: drawn along a hexside, at most three pixels beside it."""
    sheet = evidence.canvas
    inside = sheet.inside().sum(axis=1)
    words = {code.word for code in code_table().values() if code.role == "side"}
    for word in sorted(words):
        drawn = evidence.coded("side", word)
        if not drawn.any():
            continue
        shares = beside(sheet, drawn, 3).sum(axis=1) / np.maximum(inside, 1)
        standing = sorted(s for s, n in zip(sheet.sides, shares, strict=True) if n >= _LEAST_WALL)
        if standing:
            yield Sides(word, tuple(standing))
        # At the rim the ends of other walls cover much of half a hexside: no doubts there.
        for s, share, whole in zip(sheet.sides, shares, inside == SAMPLES, strict=True):
            if whole and _NO_WALL <= share < _SURE_WALL:
                taken = "covered" if share >= _LEAST_WALL else "free"
                text = f"{plain(word)} is drawn along {share:.0%} of the hexside: taken as {taken}"
                yield Doubt(s, text)
