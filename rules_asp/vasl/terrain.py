"""Terrain, levels, slopes, roads and walls of an archive, as statements, with doubts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator
from itertools import dropwhile

import numpy as np
import shapely

from rules_asp.game.board import Area, Doubt, Fact, HexsideTerrain, Level, Road, Statement
from rules_asp.game.grid import Hex, Hexside, Point, hexside_between
from rules_asp.vasl.archive import PIXEL, code_table
from rules_asp.vasl.evidence import (
    LEAST_CROSSING,
    LEAST_DRAWING,
    LEAST_PATH_CROSSING,
    SMALL_DRAWING,
    TerrainEvidence,
    at_dot,
    base_level,
    beside_depression,
    crossing,
    known,
    near_hexside,
    word_text,
)
from rules_asp.vasl.trace import SAMPLES, Mask, outlines

#: Shares of a hexside: from the first on, a wall or hedge is on the hexside. It is doubtful between
#: the third and the second.
_LEAST_WALL, _SURE_WALL, _NO_WALL = 0.5, 0.8, 0.3
#: On a crest hexside, a wall is below the Crest Line if the ground is lower `_BEHIND` pixels behind
#: it. This must be so along `_BELOW` sixtieths; from `_SOME_BELOW` on it is doubtful.
_BEHIND, _SOME_BELOW, _BELOW = 5, 12, 48
#: The maximum sixtieths of a hexside for a road that crosses it, and the minimum for a road along
#: it. From the third number on, the road is assumed to run along it.
_ACROSS, _ALONG, _LEAST_ALONG = 36, 52, 44
#: A road with this many pixels in a hex is more than the bend of a neighboring road.
_LEAST_STRAY = 250
_OFF_MAP = -100
#: A wall further than this many pixels from every hexside belongs to no hexside.
_OFF_HEXSIDES = 14
#: Pixels further than this from the reported hexsides are a separate depiction.
_APART = 3
#: Inherent terrain covers most of its hex, or some trees; below the second number, it only extends
#: into the hex.
_LEAST_INHERENT, _NO_INHERENT = 0.1, 0.05
#: The minimum share for most of a hex.
_MOST = 0.6


def terrain(evidence: TerrainEvidence) -> Iterator[Statement]:
    """Yield areas: terrain at the center dots, inherent terrain, structures, printed marks."""
    areas: dict[str, set[Hex]] = defaultdict(set)
    for hex_ in evidence.canvas.hexes:
        role, word = evidence.kinds[at_dot(evidence, hex_)]
        if role in ("area", "water", "depression"):
            areas[word].add(hex_)
        if role == "depression" and (beside := beside_depression(evidence, hex_)):
            areas[beside].add(hex_)
    for filling in (_inherent, _drawn, _off_the_dot):
        for word, hex_, doubt in filling(evidence):
            if word:
                areas[word].add(hex_)
            if doubt:
                yield Doubt(hex_, doubt)
    for word in sorted(areas):
        yield Area(word, tuple(sorted(areas[word])))


#: A terrain (empty for none), a hex, a doubt (or none).
_Filling = Iterator[tuple[str, Hex, str]]


def _inherent(evidence: TerrainEvidence) -> _Filling:
    """Yield inherent terrain, by its share of the hex."""
    sheet = evidence.canvas
    for word in evidence.words("inherent"):
        counts = sheet.count(evidence.mask("inherent", word))
        # For a known terrain, a smaller area is only a part of a tree.
        least = _NO_INHERENT * evidence.pixels if known(word) else LEAST_DRAWING
        for hex_, some, doubtful in zip(
            sheet.hexes, counts >= _LEAST_INHERENT * evidence.pixels, counts >= least, strict=True
        ):
            if some:
                yield word, hex_, ""
            elif doubtful:
                text = f"a little {word_text(word)} is drawn in it: taken as sticking in only"
                yield "", hex_, text


def _drawn(evidence: TerrainEvidence) -> _Filling:
    """Yield structures, marketplaces and lumberyards in each hex with a part of them."""
    sheet = evidence.canvas
    kinds = [("structure", word, word) for word in evidence.words("structure")]
    for role, word, kind in (
        *kinds,
        ("marketplace", None, "marketplace"),
        ("lumberyard", None, "lumberyard"),
    ):
        counts = sheet.count(evidence.mask(role, word))
        for hex_, count in zip(sheet.hexes, counts, strict=True):
            if count >= LEAST_DRAWING:
                small = f"its {word_text(kind)} drawing has {count} pixels only"
                yield kind, hex_, small if count < SMALL_DRAWING else ""


def _off_the_dot(evidence: TerrainEvidence) -> _Filling:
    """Yield terrain that the center dots do not show: depressions beside them, and omitted ones.

    A gully is in each hex that shows its symbol, a stream in each hex that it runs through.
    """
    sheet = evidence.canvas
    dots = [evidence.kinds[at_dot(evidence, hex_)] for hex_ in sheet.hexes]
    for word, hex_, _, text in _depressions_beside(evidence):
        yield word, hex_, text
    yield from _lines_along_banks(evidence)
    for role, word in evidence.kinds:
        if role not in ("area", "water"):
            continue
        counts = sheet.count(evidence.mask(role, word))
        if (role, word) not in dots and counts.sum() >= SMALL_DRAWING:
            hex_ = sheet.hexes[int(counts.argmax())]
            text = (
                f"{counts.sum()} pixels of {word_text(word)} are drawn, at no centre dot: left out"
            )
            yield "", hex_, text
        else:
            for index in np.nonzero(counts > _MOST * evidence.pixels)[0].tolist():
                if dots[index] == ("open", "open_ground"):
                    yield (
                        "",
                        sheet.hexes[index],
                        (f"most of it is {word_text(word)}, but its centre dot is open ground"),
                    )


def _lines_along_banks(evidence: TerrainEvidence) -> _Filling:
    """Yield a doubt for each water or depression of which lines along another became a part."""
    low = evidence.mask("water") | evidence.mask("depression")
    for role, word in evidence.kinds:
        if role in ("water", "depression"):
            lines = evidence.coded(role, word) & low & ~evidence.mask(role, word)
            counts = evidence.canvas.count(lines)
            if counts.sum() >= SMALL_DRAWING:
                text = (
                    f"{counts.sum()} pixels of {word_text(word)} line the banks of other water:"
                    " taken as a part of it"
                )
                yield "", evidence.canvas.hexes[int(counts.argmax())], text


def _depressions_beside(evidence: TerrainEvidence) -> Iterator[tuple[str, Hex, int, str]]:
    """Yield depressions off the center dot: word (empty if omitted), hex, level, doubt."""
    sheet = evidence.canvas
    for word in evidence.words("depression"):
        mask = evidence.mask("depression", word)
        crossed = np.nonzero(crossing(sheet, mask) >= LEAST_PATH_CROSSING)[0].tolist()
        through = Counter(hex_ for at in crossed for hex_ in sheet.sides[at])
        counts = sheet.count(mask)
        for index in np.nonzero(counts >= LEAST_DRAWING)[0].tolist():
            hex_ = sheet.hexes[index]
            if evidence.kinds[at_dot(evidence, hex_)][0] == "depression":
                continue
            shown = counts[index] >= SMALL_DRAWING and through[hex_] >= (word != "gully") + 1
            taken = f"taken as a {word_text(word)}" if shown else "left out"
            level = int(np.median(evidence.elevation[(sheet.owner == index) & mask]))
            text = f"{counts[index]} pixels of {word_text(word)} show in it, off its centre dot: {taken}"
            sure = shown and counts[index] >= _LEAST_INHERENT * evidence.pixels[index]
            yield word if shown else "", hex_, level, "" if sure else text


def levels(evidence: TerrainEvidence) -> Iterator[Statement]:
    """Yield base levels: the elevation at the center dots, with a doubt if the area differs.

    The base level of a depression hex is the bottom of the depression, also if it passes beside the
    dot.
    """
    levels: dict[int, list[Hex]] = defaultdict(list)
    low = {hex_: level for word, hex_, level, _ in _depressions_beside(evidence) if word}
    for hex_ in evidence.canvas.hexes:
        base = base_level(evidence, hex_)
        if low.get(hex_, base) < base:
            levels[low[hex_]].append(hex_)
            if low[hex_] < base - 1:
                text = f"its centre dot lies at level {base}, its depression at {low[hex_]}"
                yield Doubt(hex_, text)
            continue
        levels[base].append(hex_)
        beside, distances = evidence.canvas.around(hex_, evidence.elevation, 2)
        most = Counter(beside[distances <= 1.5].tolist()).most_common(1)[0][0]
        if most != base:
            text = f"its centre dot lies at level {base}, but most beside the dot at {most}"
            yield Doubt(hex_, text)
    for level in sorted(levels):
        if level != 0:
            yield Level(level, tuple(levels[level]))


def slopes(evidence: TerrainEvidence) -> Iterator[Statement]:
    """Yield slopes; only the metadata contain them."""
    on_map = frozenset(evidence.canvas.hexes)
    for hex_, directions in sorted(evidence.archive.metadata.slopes.items()):
        for direction in sorted(directions):
            other = hex_.neighbour(direction)
            if other in on_map:
                yield Fact("upslope", (hex_, hexside_between(hex_, other)))
            else:
                yield Doubt(
                    hex_, f"VASL puts a slope on its hexside {direction}, at the rim: left out"
                )


def bridges(evidence: TerrainEvidence) -> Iterator[Statement]:
    """Yield the bridges, with a doubt if the base level differs from that of the bridge."""
    sheet = evidence.canvas
    drawn = {each: evidence.coded("bridge", each) for each in ("stone", "wooden")}
    pixels = {each: sheet.count(bridge) for each, bridge in drawn.items()}
    larger = np.where(pixels["stone"] >= pixels["wooden"], "stone", "wooden")
    for construction, bridge in drawn.items():
        counts = pixels[construction]
        for index in np.nonzero(counts >= LEAST_DRAWING)[0]:
            hex_ = sheet.hexes[int(index)]
            if counts[index] < SMALL_DRAWING:
                text = f"a {construction} bridge shows in it with {counts[index]} pixels: left out"
                yield Doubt(hex_, text)
                continue
            if larger[index] != construction:
                yield Doubt(hex_, f"a {construction} bridge shows in it beside another: left out")
                continue
            yield Fact("bridge", (hex_, construction))
            decks = evidence.archive.elevation[(sheet.owner == index) & bridge]
            deck, base = int(np.median(decks)), base_level(evidence, hex_)
            if deck != base:
                text = f"base level {base} is that of the ground below the bridge, which is at level {deck}"
                yield Doubt(hex_, text)


# --- roads, walls


def roads(evidence: TerrainEvidence) -> Iterator[Statement]:
    """Yield the roads, as paths from hex to hex, and hexsides with a road along them."""
    sheet = evidence.canvas
    inside = sheet.inside().sum(axis=1)
    surfaces = {(c.role, c.word) for c in code_table().values() if c.role in ("road", "path")}
    streets: list[Fact] = []
    served: set[Hex] = set()
    for role, surface in sorted(surfaces):
        drawn = evidence.coded(role, surface)
        if not drawn.any():
            continue
        least = LEAST_PATH_CROSSING if role == "path" else LEAST_CROSSING
        counts = crossing(sheet, drawn)
        # At the rim, only half a hexside is visible. A road that ends on it covers all of that
        # half.
        along = counts >= np.where(inside == SAMPLES, _LEAST_ALONG, inside)
        if surface == "runway":
            along[:] = False
        stated = (counts >= least) & (~along | (inside == SAMPLES))
        served.update(hex_ for at in np.nonzero(stated)[0] for hex_ in sheet.sides[at])
        for trail in _trails(sheet.sides[at] for at in np.nonzero((counts >= least) & ~along)[0]):
            yield Road(surface, trail)
        for at in np.nonzero(along & (inside == SAMPLES))[0]:
            streets.append(Fact("road_along", (sheet.sides[at],)))
            if surface not in ("paved", "elevated"):
                streets.append(Fact("ssr_unpaved", (sheet.sides[at],)))
        wide = abs(2 * counts - _ALONG - _ACROSS) < _ALONG - _ACROSS
        for at in np.nonzero(wide & (inside == SAMPLES) & (surface != "runway"))[0]:
            taken = "running along it" if along[at] else "crossing it"
            text = f"a {surface} road covers {counts[at]}/60 of the hexside: taken as {taken}"
            yield Doubt(sheet.sides[at], text)
    yield from sorted(streets, key=lambda each: (each.name, each.args))
    for role, least in (("road", _LEAST_STRAY), ("path", SMALL_DRAWING)):
        for index in np.nonzero(sheet.count(evidence.coded(role)) >= least)[0]:
            hex_ = sheet.hexes[int(index)]
            if hex_ not in served:
                yield Doubt(hex_, f"a {role} in it leads to no hex of this board: left out")


def _trails(sides: Iterable[Hexside]) -> list[tuple[Hex, ...]]:
    """Return the crossed hexsides as few paths from hex to hex, straight on at a choice."""
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


def walls(evidence: TerrainEvidence) -> Iterator[Statement]:
    """Yield hexside terrain: drawn along a hexside, at most three pixels beside it."""
    sheet = evidence.canvas
    inside = sheet.inside().sum(axis=1)
    words = {code.word for code in code_table().values() if code.role == "side"}
    for word in sorted(words):
        drawn = evidence.coded("side", word)
        if not drawn.any():
            continue
        covered = near_hexside(sheet, drawn, 3)
        shares = covered.sum(axis=1) / np.maximum(inside, 1)
        standing = sorted(s for s, n in zip(sheet.sides, shares, strict=True) if n >= _LEAST_WALL)
        if standing:
            yield HexsideTerrain(word, tuple(standing))
        if word in ("wall", "hedge"):
            yield from _below_crest(evidence, word, standing)
        held = {end for s in standing for end in s.ends}
        told: list[Hexside] = list(standing)
        inside_of: set[Hex] = set()
        # At the rim the ends of other walls cover much of half a hexside: no doubts there.
        for s, share, row, whole in zip(
            sheet.sides, shares, covered, inside == SAMPLES, strict=True
        ):
            own = share if share >= _LEAST_WALL else _without_ends(s, row, held) / SAMPLES
            if whole and own >= _NO_WALL and share < _SURE_WALL:
                taken = "covered" if share >= _LEAST_WALL else "free"
                text = (
                    f"{word_text(word)} is drawn along {share:.0%} of the hexside: taken as {taken}"
                )
                told.append(s)
                yield Doubt(s, text)
        inner = sheet.count(drawn & (sheet.depth > _OFF_HEXSIDES * PIXEL))
        for index in np.nonzero(inner >= SMALL_DRAWING)[0]:
            text = f"{inner[index]} pixels of {word_text(word)} lie inside it, off every hexside: left out"
            inside_of.add(sheet.hexes[int(index)])
            yield Doubt(sheet.hexes[int(index)], text)
        yield from _strays(evidence, word, told, inside_of)


def _below_crest(
    evidence: TerrainEvidence, word: str, standing: Iterable[Hexside]
) -> Iterator[Statement]:
    """Yield the walls on crest hexsides with lower ground between them and the Crest Line."""
    sheet = evidence.canvas
    number = {side: at for at, side in enumerate(sheet.sides)}
    behind = {
        sign: sheet.along(evidence.elevation, sign * _BEHIND * PIXEL, _OFF_MAP) for sign in (1, -1)
    }
    for side in standing:
        one, two = (base_level(evidence, hex_) for hex_ in side)
        if one == two:
            continue
        row = behind[1 if two > one else -1][number[side]]
        below = int(((row < max(one, two)) & (row != _OFF_MAP)).sum())
        if below >= _BELOW:
            yield Fact("below_crest", (side,))
        elif below >= _SOME_BELOW:
            text = (
                f"lower ground is drawn behind {below}/60 of its {word}: taken as a Hillside {word}"
            )
            yield Doubt(side, text)


def _strays(
    evidence: TerrainEvidence, word: str, told: Iterable[Hexside], inside_of: Container[Hex]
) -> Iterator[Doubt]:
    """Yield doubts for isolated depictions of hexside terrain, such as squares of a cliff."""
    sheet = evidence.canvas
    ways = shapely.union_all([shapely.LineString(s.ends) for s in told])
    strays: set[Hexside | Hex] = set()
    for polygon in outlines(evidence.coded("side", word), sheet.corner):
        if ways.is_empty or polygon.distance(ways) > _APART * PIXEL:
            middle = polygon.representative_point()
            pixel = sheet.pixel(Point(round(middle.x), round(middle.y)))
            hex_ = sheet.hexes[int(sheet.owner[pixel])]
            near = min(
                (hexside_between(hex_, other) for other in hex_.neighbours()),
                key=lambda s: float(shapely.LineString(s.ends).distance(middle)),
            )
            on_side = shapely.LineString(near.ends).distance(polygon) <= _APART * PIXEL
            strays.add(near if on_side and near in sheet.sides else hex_)
    for where in sorted(strays, key=str):
        if where not in inside_of:
            on = "on the hexside" if isinstance(where, Hexside) else "in it"
            yield Doubt(
                where, f"a little {word_text(word)} is drawn {on}, apart from the rest: left out"
            )


def _without_ends(s: Hexside, covered: Mask, held: Container[Point]) -> int:
    """Return the sixtieths of a hexside that a wall covers.

    The ends of walls on other hexsides do not count. held: the vertices of such walls.
    """
    row = covered.tolist()
    first, last = s.ends
    if first in held:
        row = list(dropwhile(bool, row))
    if last in held:
        row = list(dropwhile(bool, reversed(row)))
    return sum(row)
