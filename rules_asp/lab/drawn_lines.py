"""The lines of a small grid, measured with everything that a search may draw there.

A depiction of a building counts for a line only if the line shows something that no smaller one
shows. The predicates are those of kb/lab/lines.lp.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

import clingo

from rules_asp.game.board import Area, Bar, Board, Building, Road
from rules_asp.game.grid import Grid, Hex, Hexside, Spot, Vertex, hex_of_spot, hexside_between
from rules_asp.game.values import hexside_from_symbol, spot_from_symbol
from rules_asp.geometry.polygons import full_hex_drawing
from rules_asp.geometry.shapes import BUILDING, Shapes, shapes_of
from rules_asp.geometry.survey import LosRelevance, survey_lines
from rules_asp.runtime import cache

_HIGH = 99
#: The extent of a short bar in sixtieths of the hexside: it ends just before the middle.
SHORT = (0, 27)
_KIND = "x"
SpotPair = tuple[Spot, Spot]


def ranges(grid: Grid) -> Iterator[str]:
    """Yield the ranges between hexes of a grid as facts."""
    hexes = sorted(grid.hexes())
    for number, one in enumerate(hexes):
        for other in hexes[number:]:
            yield f"range({one.term},{other.term},{one.range_to(other)})."


@lru_cache(maxsize=8)
def drawn(grid: Grid, vertices: bool = False) -> str:
    """Return facts for all lines between the hexes of a grid, in the predicates of kb/lab/lines.lp.

    vertices: include lines between hexes and vertices. Seven hexes with vertices take a second,
    thirty hexes some minutes; the facts are cached.
    """
    sources = [repr(grid).encode(), *cache.source_fingerprint("geometry", "game", "lab")]
    found = [_kept(grid, "drawn", list(combinations(sorted(grid.hexes()), 2)), sources)]
    if vertices:
        found.append(_kept(grid, "drawn_to_vertices", _to_vertices(grid), sources))
    return "\n".join(found)


def _kept(grid: Grid, name: str, lines: Sequence[SpotPair], sources: Sequence[bytes]) -> str:
    return cache.memoize_on_disk(name, sources, lambda: "\n".join(_facts(grid, lines, name)), str)


def _to_vertices(grid: Grid) -> list[SpotPair]:
    """Return the lines from and to a vertex, each with its vertex first."""
    hexes = sorted(grid.hexes())
    return [(one, Vertex(other, corner)) for one in hexes for other in hexes for corner in range(6)]


def _facts(grid: Grid, lines: Sequence[SpotPair], name: str) -> Iterator[str]:
    hexes = grid.hexes()
    ways: dict[SpotPair, set[Hex]] = {line: set(_beside(grid, *line)) for line in lines}
    for one, other in lines:
        if isinstance(other, Vertex):
            far = hex_of_spot(one).range_to(other.hex)
            yield f"range({one.term},{other.term},{far})."
    for hex_ in hexes:
        for fact, line, where in _through(grid, lines, hex_):
            ways[line].add(where)
            yield fact
    yield from _sides(grid, lines)
    yield from _roads(grid, lines)
    number = 0
    depictions = {line: _depictions(grid, way) for line, way in ways.items()}
    shown = _shown_by_buildings(grid, depictions)
    for line, drawings in depictions.items():
        for facts, needed in _smallest_first(line, drawings, shown):
            number += 1
            yield from (f"needs({name}({number}),{what})." for what in needed)
            yield from (f"drawn({fact},{name}({number}))." for fact in sorted(facts))


def _beside(grid: Grid, *line: Spot) -> Iterator[Hex]:
    """Yield the hexes of the grid at the ends of a line, also those that touch a vertex."""
    for spot in line:
        yield hex_of_spot(spot)
        if isinstance(spot, Vertex):
            near = (spot.hex.neighbour(spot.corner + turn) for turn in (0, 1))
            yield from (each for each in near if each in grid)


def _survey_facts(
    shapes: Shapes, concerns: LosRelevance, lines: Sequence[SpotPair]
) -> list[clingo.Symbol]:
    spots = {spot for line in lines for spot in line}
    found = survey_lines(shapes, concerns, lines, dict.fromkeys(spots, 0)).entries
    return [clingo.parse_term(fact.removesuffix(".")) for _, _, fact in found]


def _through(
    grid: Grid, lines: Sequence[SpotPair], hex_: Hex
) -> Iterator[tuple[str, SpotPair, Hex]]:
    """Yield which lines pass through a hex, and which run along one of its hexsides."""
    part = {(hex_, _KIND): _HIGH}
    pieces, spans = full_hex_drawing(hex_)
    shapes = Shapes(
        grid,
        {(hex_, _KIND): pieces},
        {(hex_, direction, _KIND): each for direction, each in spans.items()},
        {},
    )
    crossing = set()
    for fact in _survey_facts(shapes, LosRelevance(part), lines):
        if fact.name == "meets":
            a, b, _, _, d, e = fact.arguments
            crossing.add((a, b))
            yield (
                f"thru({a},{b},{hex_.term},{d},{e}).",
                (spot_from_symbol(a), spot_from_symbol(b)),
                hex_,
            )
    beside = _survey_facts(shapes, LosRelevance(part, frozenset(part)), lines)
    sides = {tuple(f.arguments[:2]): f.arguments[2] for f in beside if f.name == "along"}
    for fact in beside:
        if fact.name == "meets" and (ends := tuple(fact.arguments[:2])) not in crossing:
            a, b, _, _, d, e = fact.arguments
            where = hexside_from_symbol(sides[ends])
            other = where.a if where.b == hex_ else where.b
            edge = f"edge({a},{b},{hex_.term},{other.term},{where.term},{d},{e})."
            yield edge, (spot_from_symbol(a), spot_from_symbol(b)), hex_


def _sides(grid: Grid, lines: Sequence[SpotPair]) -> Iterator[str]:
    """Yield which lines meet a hexside or the space between two dots, and where they leave a hex."""
    sides = _hexsides(grid.hexes())
    short = shapes_of(Board("", grid, tuple(Bar(each, SHORT) for each in sides)))
    concerned = LosRelevance(sides={("bar", each): _HIGH for each in sides})
    for fact in _survey_facts(short, concerned, lines):
        if fact.name == "crosses":
            a, b, _, where, d, e = fact.arguments
            yield f"cross_short({a},{b},{where},{d},{e})."
    shapes = Shapes(grid, {}, {}, {("bar", each): (each.ends,) for each in sides})
    concerns = LosRelevance(
        sides={("bar", each): _HIGH for each in sides}, exits=frozenset(grid.hexes())
    )
    for fact in _survey_facts(shapes, concerns, lines):
        if fact.name == "crosses":
            a, b, _, where, d, e = fact.arguments
            yield f"cross({a},{b},{where},{d},{e})."
        elif fact.name == "leaves_by":
            yield f"exit({','.join(map(str, fact.arguments))})."
    between = LosRelevance(dot_lines=dict.fromkeys(sides, _HIGH))
    for fact in _survey_facts(Shapes(grid, {}, {}, {}), between, lines):
        if fact.name == "crosses_dot_line":
            yield f"dots({','.join(map(str, fact.arguments))})."


def _roads(grid: Grid, lines: Sequence[SpotPair]) -> Iterator[str]:
    """Yield which lines stay on a road through a hex from one hexside to another."""
    board = set(grid.hexes())
    for hex_ in grid.hexes():
        for one, two in combinations([each for each in hex_.neighbours() if each in board], 2):
            road = Road("paved", (one, hex_, two))
            shapes = shapes_of(Board("", grid, (Area("woods", (hex_,)), road)))
            for fact in _survey_facts(shapes, LosRelevance(roads=frozenset((hex_,))), lines):
                if fact.name == "keeps_road":
                    ends = f"{hexside_between(hex_, one).term},{hexside_between(hex_, two).term}"
                    yield f"strip({','.join(map(str, fact.arguments))},{ends})."


def _hexsides(hexes: Sequence[Hex]) -> list[Hexside]:
    return [
        hexside_between(one, two) for one, two in combinations(hexes, 2) if two in one.neighbours()
    ]


#: The depiction of a building: its hexes, and the hexsides that it crosses.
_Depiction = tuple[frozenset[Hex], frozenset[Hexside]]


def _depictions(grid: Grid, way: set[Hex]) -> list[_Depiction]:
    """Return the depictions that may matter to a line through these hexes, the smallest first."""
    near = sorted(way)
    board = set(grid.hexes())
    inner = _hexsides(near)
    outer = [
        hexside_between(hex_, other)
        for hex_ in near
        for other in hex_.neighbours()
        if other in board and other not in way
    ]
    joints = [frozenset((each,)) for each in outer]
    joints += [
        frozenset(each) for count in range(1, len(inner) + 1) for each in combinations(inner, count)
    ]
    single: list[_Depiction] = [(frozenset((hex_,)), frozenset()) for hex_ in near]
    return single + [(frozenset(h for each in some for h in each), some) for some in joints]


def _smallest_first(
    line: SpotPair,
    drawings: Iterable[_Depiction],
    shown: Mapping[_Depiction, Mapping[SpotPair, set[str]]],
) -> Iterator[tuple[set[str], list[str]]]:
    """Yield the facts of a line with buildings, each with the smallest depiction that it needs."""
    known: dict[str, list[frozenset[Hex | Hexside]]] = {}
    for built, joined in drawings:
        drawing: frozenset[Hex | Hexside] = frozenset((*built, *joined))
        new = set()
        for fact in shown[built, joined].get(line, ()):
            if not any(each <= drawing for each in known.get(fact, ())):
                known.setdefault(fact, []).append(drawing)
                new.add(fact)
        if new:
            needed = [f"built({hex_.term})" for hex_ in sorted(built)]
            yield new, needed + [f"joint({each.term})" for each in sorted(joined)]


def _shown_by_buildings(
    grid: Grid, depictions: Mapping[SpotPair, Sequence[_Depiction]]
) -> dict[_Depiction, dict[SpotPair, set[str]]]:
    """Return the facts of each line with each of its depictions, measured for all lines at once."""
    lines: dict[_Depiction, list[SpotPair]] = {}
    for line, drawings in depictions.items():
        for each in drawings:
            lines.setdefault(each, []).append(line)
    found: dict[_Depiction, dict[SpotPair, set[str]]] = {}
    for each, some in lines.items():
        shown = found[each] = {}
        for fact in _of_buildings(grid, some, *each):
            a, b = map(spot_from_symbol, fact.arguments[:2])
            shown.setdefault((a, b), set()).add(str(fact))
    return found


def _of_buildings(
    grid: Grid, lines: Sequence[SpotPair], built: frozenset[Hex], joined: frozenset[Hexside]
) -> Iterator[clingo.Symbol]:
    building = Building("brown", tuple(sorted(built)), joined=tuple(sorted(joined)))
    shapes = shapes_of(Board("", grid, (building,)))
    concerns = LosRelevance(
        {(hex_, BUILDING): _HIGH for hex_ in built},
        exits=frozenset(grid.hexes()),
        insides=dict.fromkeys(built, 0),
    )
    for fact in _survey_facts(shapes, concerns, lines):
        if fact.name not in ("adjoin", "leaves_by"):
            yield fact
    if joined:
        # The depiction crosses a hexside with a bar.
        barred = replace(building, bars=tuple(map(Bar, sorted(joined))))
        concerns = LosRelevance(sides={(BUILDING, each): _HIGH for each in joined})
        for fact in _survey_facts(shapes_of(Board("", grid, (barred,))), concerns, lines):
            if fact.name in ("crosses", "by_end"):
                yield fact
