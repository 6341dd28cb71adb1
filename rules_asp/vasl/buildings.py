"""Buildings, stairwells, bars.

Types and flags are VASL's interpretation of the printed board, and sometimes contradict the
depictions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from rules_asp.game.board import Bar, Building, Doubt, Statement
from rules_asp.game.grid import Hex, Hexside
from rules_asp.game.values import hex_from_symbol
from rules_asp.knowledge.dependencies import keys
from rules_asp.knowledge.loading import load_program
from rules_asp.knowledge.reader import kb_folder
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import solve
from rules_asp.vasl.archive import PIXEL, TerrainCode, code_table
from rules_asp.vasl.evidence import (
    LEAST_CROSSING,
    LEAST_DRAWING,
    NARROW_CROSSING,
    SMALL_DRAWING,
    TerrainEvidence,
    base_level,
    crossing,
    near_hexside,
)
from rules_asp.vasl.trace import SAMPLES, Mask

# --- VASL's building types compared with the depictions: kb/vasl.lp has the rules.


#: The atoms of the rules that kb/vasl.lp uses.
_READ = (
    Signature("is", 2, ("btype", 1)),
    Signature("is", 2, ("stairwell", 1)),
    Signature("is", 2, ("has_level", 2)),
    Signature("building", 2),
    Signature("sloped", 1),
)


@dataclass(frozen=True)
class BuildingEvidence:
    """The building hexes with a stairwell symbol, and doubts about a hex, in words."""

    symbols: frozenset[Hex] = frozenset()
    doubts: Mapping[Hex, tuple[str, ...]] = field(default_factory=dict)


def stairwell_facts(
    colours: Mapping[Hex, str],
    joined: Collection[Hexside],
    bases: Mapping[Hex, int],
    types: Mapping[Hex, TerrainCode],
    flagged: Collection[Hex],
) -> BuildingEvidence:
    """Return the conclusions from VASL's types and stairway flags, given colors and base levels."""
    if not colours:
        return BuildingEvidence()
    said = "".join(f"{each}\n" for each in _facts(colours, joined, bases, types, flagged))
    (answer,) = solve(load_program().whole_cone(_READ, keys(said + _reading())), _reading(), said)
    doubts: dict[Hex, tuple[str, ...]] = {}
    for where, text, question in answer.get("doubt", 3):
        hex_ = hex_from_symbol(where)
        doubt = text.string.format(types[hex_].levels or 0)
        doubt += f": {question.string}" if question.string else ""
        doubts[hex_] = (*doubts.get(hex_, ()), doubt)
    symbols = frozenset(hex_from_symbol(where) for (where,) in answer.get("stairwell_symbol", 1))
    return BuildingEvidence(symbols, doubts)


@cache
def _reading() -> str:
    return (kb_folder() / "vasl.lp").read_text("utf-8")


def _facts(
    colours: Mapping[Hex, str],
    joined: Collection[Hexside],
    bases: Mapping[Hex, int],
    types: Mapping[Hex, TerrainCode],
    flagged: Collection[Hex],
) -> Iterator[str]:
    yield "section(b23)."
    for hex_, colour in colours.items():
        yield f"hex({hex_.term}). depicts({hex_.term},{colour}). base({hex_.term},{2 * bases[hex_]})."
        yield f"typed({hex_.term},{types[hex_].role},{types[hex_].levels or 0})."
        for direction, near in enumerate(hex_.neighbours()):
            if near in colours:
                yield f"next({hex_.term},{direction},{near.term})."
    for side in joined:
        yield f"joined({side.term})."
    for hex_ in sorted(flagged):
        if hex_ in colours:
            yield f"flagged({hex_.term})."


# --- Buildings of an archive: their hexes, stairwells, bars, and doubts about them.


#: The minimum stretch of a bar on a hexside, in sixtieths. At a vertex, a shorter stretch is the
#: end of a neighboring bar.
_LEAST_BAR, _LEAST_BAR_AT_VERTEX = 5, 15
#: A bar that ends this near the midpoint (two pixels) may or may not block the center-to-center
#: line.
_NEAR_MIDPOINT = 4
#: The minimum number of building pixels at another elevation than their hex for a doubt.
_LEAST_SPLIT = 20


@dataclass(frozen=True)
class _Plan:
    """The depictions of buildings: hexes and their colors, crossed hexsides, bars, base levels.

    `typed` is VASL's type of each hex, `painted` the names of all types painted there, and
    `stairwell_facts` the conclusions from the types.
    """

    colour: Mapping[Hex, str]
    typed: Mapping[Hex, TerrainCode]
    joined: frozenset[Hexside]
    bars: Mapping[Hexside, Bar]
    bases: Mapping[Hex, int]
    painted: Mapping[Hex, Collection[str]]
    told: BuildingEvidence


def buildings_of(evidence: TerrainEvidence) -> Iterator[Statement]:
    """Yield the buildings, with their doubts."""
    sheet = evidence.canvas
    counts = {c: sheet.count(evidence.colour(c)) for c in ("gray", "brown")}
    colour: dict[Hex, str] = {}
    for index, hex_ in enumerate(sheet.hexes):
        gray, brown = int(counts["gray"][index]), int(counts["brown"][index])
        if max(gray, brown) < LEAST_DRAWING:
            continue
        colour[hex_] = "gray" if gray > brown else "brown"
        if gray + brown < SMALL_DRAWING:
            yield Doubt(hex_, f"only {gray + brown} pixels of a building drawing lie in it")
        if min(gray, brown) >= LEAST_DRAWING:
            yield Doubt(
                hex_, f"gray ({gray} pixels) and brown ({brown}) drawings: taken as {colour[hex_]}"
            )

    joined: set[Hexside] = set()
    neighbours = [s.a in colour and s.b in colour for s in sheet.sides]
    for one in ("gray", "brown"):
        along = crossing(sheet, evidence.colour(one))
        for s, n, built in zip(sheet.sides, along, neighbours, strict=True):
            if built and n >= LEAST_CROSSING:
                joined.add(s)
                if n < NARROW_CROSSING:
                    yield Doubt(s, f"the building drawing crosses along {n}/60 of the hexside only")
    either = crossing(sheet, evidence.colour("gray") | evidence.colour("brown"))
    for s, n, built in zip(sheet.sides, either, neighbours, strict=True):
        if built and n >= LEAST_CROSSING and s not in joined:
            yield Doubt(s, "a gray and a brown drawing meet here: taken as two buildings")

    bars: dict[Hexside, Bar] = {}
    for statement in _bars(evidence):
        if not isinstance(statement, Bar):
            yield statement
        elif statement.side in joined:
            bars[statement.side] = statement
        else:
            text = "a bar lies where no building drawing crosses: left out"
            yield Doubt(statement.side, text)

    typed = _typed(evidence, colour)
    bases = {hex_: base_level(evidence, hex_) for hex_ in colour}
    read = stairwell_facts(colour, joined, bases, typed, evidence.archive.flagged)
    plan = _Plan(colour, typed, frozenset(joined), bars, bases, _painted(evidence), read)
    for hexes in _components(plan):
        yield from _building(evidence, plan, hexes)
    yield from _stray_doubts(evidence, plan)


def _components(plan: _Plan) -> list[tuple[Hex, ...]]:
    """Return the hexes of each building: linked by joined hexsides."""
    root = {hex_: hex_ for hex_ in plan.colour}

    def find(hex_: Hex) -> Hex:
        while root[hex_] != hex_:
            root[hex_] = root[root[hex_]]
            hex_ = root[hex_]
        return hex_

    for s in plan.joined:
        one, two = sorted((find(s.a), find(s.b)))
        root[two] = one
    groups: dict[Hex, list[Hex]] = defaultdict(list)
    for hex_ in sorted(plan.colour):
        groups[find(hex_)].append(hex_)
    return [tuple(group) for _, group in sorted(groups.items())]


def _typed(evidence: TerrainEvidence, hexes: Iterable[Hex]) -> dict[Hex, TerrainCode]:
    """Return VASL's type of each building hex: as entered for the hex, else that of most pixels."""
    sheet, codes = evidence.canvas, evidence.archive.codes
    drawn = evidence.coded("building") | evidence.coded("marketplace")
    counts = np.zeros((len(sheet.hexes), 256), np.int64)
    np.add.at(counts, (sheet.owner[drawn], codes[drawn]), 1)
    most = dict(zip(sheet.hexes, np.argmax(counts, axis=1).tolist(), strict=True))
    entered = {code.name: code for code in _building_codes()}
    types = evidence.archive.metadata.types
    return {hex_: entered.get(types.get(hex_, ""), code_table()[most[hex_]]) for hex_ in hexes}


def _building_codes() -> list[TerrainCode]:
    return [c for c in code_table().values() if c.role in ("building", "marketplace")]


def _building(
    evidence: TerrainEvidence, plan: _Plan, hexes: tuple[Hex, ...]
) -> Iterator[Statement]:
    """Yield one building's statement, and doubts from VASL's types."""
    joined = tuple(s for s in sorted(plan.joined) if s.a in hexes)
    colours = Counter(plan.colour[hex_] for hex_ in hexes)
    colour = colours.most_common(1)[0][0]
    if len(colours) > 1:
        yield Doubt(hexes[0], f"its building is gray and brown by hexes: taken as {colour}")
    yield Building(
        colour,
        hexes,
        joined=joined,
        stairwells=tuple(hex_ for hex_ in hexes if hex_ in plan.told.symbols),
        bars=tuple(plan.bars[s] for s in joined if s in plan.bars),
    )
    for hex_ in hexes:
        painted = plan.painted.get(hex_, ())
        yield from _kind_doubts(plan.typed[hex_], plan.colour[hex_], hex_, painted)
        for text in plan.told.doubts.get(hex_, ()):
            yield Doubt(hex_, text)
        yield from _split_doubts(evidence, hex_, plan.bases[hex_])


def _kind_doubts(
    code: TerrainCode, colour: str, hex_: Hex, drawn: Collection[str]
) -> Iterator[Doubt]:
    """Yield doubts about a building hex from its type, apart from levels.

    drawn: the names of the building types painted there.
    """
    if code.word != colour:
        yield Doubt(hex_, f"VASL types it {code.name}, but it is drawn {colour}")
    special = sorted({*drawn, code.name} - {name for name in (*drawn, code.name) if _plain(name)})
    if special:
        yield Doubt(hex_, f"VASL shows {' and '.join(special)}: taken as a plain {colour} building")


def _plain(name: str) -> bool:
    """Return whether this type is plain, or a Marketplace; the language has a word for that."""
    return name.startswith(("Stone Building", "Wooden Building")) or "Market" in name


def _painted(evidence: TerrainEvidence) -> dict[Hex, set[str]]:
    """Return the names of the building types that VASL paints in each hex."""
    sheet, codes = evidence.canvas, evidence.archive.codes
    found: dict[Hex, set[str]] = defaultdict(set)
    for code in _building_codes():
        counts = sheet.count(codes == code.number)
        for index in np.nonzero(counts >= LEAST_DRAWING)[0]:
            found[sheet.hexes[int(index)]].add(code.name)
    return found


def _split_doubts(evidence: TerrainEvidence, hex_: Hex, base: int) -> Iterator[Doubt]:
    sheet = evidence.canvas
    index = sheet.hexes.index(hex_)
    x, y = sheet.pixel(hex_.centre)
    window = (slice(max(0, x - 40), x + 40), slice(max(0, y - 35), y + 35))
    mine = sheet.owner[window] == index
    drawn = evidence.built[evidence.layer[window]]
    heights = Counter(evidence.elevation[window][mine & drawn].tolist())
    for height, count in sorted(heights.items()):
        if height != base and count >= _LEAST_SPLIT:
            text = f"{count} pixels of its building lie at level {height}, its centre dot at {base}"
            yield Doubt(hex_, text)


def _stray_doubts(evidence: TerrainEvidence, plan: _Plan) -> Iterator[Doubt]:
    """Yield flags and entered types in hexes without a building depiction."""
    names = {code.name for code in _building_codes()}
    structures = {
        code.name: code.word for code in code_table().values() if code.role == "structure"
    }
    sheet = evidence.canvas
    for hex_ in sorted(evidence.archive.flagged):
        if hex_ not in plan.colour:
            yield Doubt(hex_, "VASL flags a stairway, but no building is drawn here")
    for hex_, name in sorted(evidence.archive.metadata.types.items()):
        if name in structures:
            drawn = evidence.mask("structure", structures[name]) & (
                sheet.owner == sheet.hexes.index(hex_)
            )
            if np.count_nonzero(drawn) >= LEAST_DRAWING:
                continue
        if hex_ not in plan.colour:
            yield Doubt(hex_, f"VASL types it {_quoted(name)}, but no building is drawn here")
        elif name not in names:
            yield Doubt(hex_, f"VASL types it {_quoted(name)}, which is not a known building")


def _bars(evidence: TerrainEvidence) -> Iterator[Bar | Doubt]:
    """Yield black bars, snapped to their hexsides; a Doubt where a pixel or two decides."""
    sheet = evidence.canvas
    black = evidence.coded("bar")
    if not black.any():
        return
    on = near_hexside(sheet, black, 1)
    half = SAMPLES // 2
    for s, row in zip(sheet.sides, on, strict=True):
        start, end = _longest_run(row)
        at_vertex = start <= 1 or end >= SAMPLES - 1
        if end - start < (_LEAST_BAR_AT_VERTEX if at_vertex else _LEAST_BAR):
            continue
        covers = None if start <= 2 and end >= SAMPLES - 2 else (start, end)
        yield Bar(s, covers)
        if abs(start - half) <= _NEAR_MIDPOINT or abs(end - half) <= _NEAR_MIDPOINT:
            yield Doubt(
                s,
                "the black bar on it ends within two pixels of the midpoint: on the printed board, see"
                f" whether it reaches the midpoint (taken: `covers {start}-{end}` of 60)",
            )
    far = black & (sheet.depth > 5 * PIXEL)
    for index in np.nonzero(sheet.count(far) >= LEAST_DRAWING)[0]:
        yield Doubt(sheet.hexes[int(index)], "a part of a bar lies inside it, off every hexside")


def _longest_run(row: Mask) -> tuple[int, int]:
    edges = np.diff(np.concatenate(([0], row.astype(np.int8), [0])))
    starts, ends = np.nonzero(edges == 1)[0], np.nonzero(edges == -1)[0]
    if not len(starts):
        return 0, 0
    best = int(np.argmax(ends - starts))
    return int(starts[best]), int(ends[best])


def _quoted(text: str) -> str:
    return "'" + "".join(c for c in text if c.isprintable() and c not in "\"'\\")[:40] + "'"
