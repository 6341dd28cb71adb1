"""Statements split into atomic ones, with parts removed or terrain substituted.

What is said so of area terrain of the whole map stays in the text: the rules know it (`treat`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from rules_asp.game import board as b
from rules_asp.game.board import (
    Area,
    Bar,
    Building,
    Correction,
    Fact,
    HexsideTerrain,
    Level,
    Outline,
    Ring,
    Road,
    Statement,
    UnitStatement,
)
from rules_asp.game.grid import GridRegion, Hex, Hexside, hexside_between
from rules_asp.game.vocabulary import Vocabulary, default_vocabulary

# --- Statements taken apart: what a statement says, one thing at a time, and what is left without
#     some of it.


def atomic_statements(statement: Statement) -> Iterator[Statement]:
    """All that a statement says, each as a statement that says no more; the same however it is written.

    A symbol of a building comes as the correction that would set it.
    """
    match statement:
        case Area(kind, hexes):
            yield from (Area(kind, (hex_,)) for hex_ in hexes)
        case Level(level, hexes):
            yield from (Level(level, (hex_,)) for hex_ in hexes)
        case HexsideTerrain(kind, sides):
            yield from (HexsideTerrain(kind, (where,)) for where in sides)
        case Road(surface, hexes):
            yield from (Road(surface, tuple(hexside_between(*pair))) for pair in pairwise(hexes))
        case Building(colour, hexes, name):
            for hex_ in hexes:
                yield Building(colour, (hex_,))
                if name is not None:
                    yield Building(colour, (hex_,), name)
            yield from (_joined(where) for where in statement.joined)
            yield from (_stairwell(hex_) for hex_ in statement.stairwells)
            yield from map(_bar, statement.bars)
        case Bar():
            yield _bar(statement)
        case UnitStatement(name, facts):
            head = next(fact for fact in facts if fact.name == "unit")
            yield UnitStatement(name, (head,))
            yield from (UnitStatement(name, (head, fact)) for fact in facts if fact != head)
        case Outline():
            yield _outline(statement)
        case Correction():
            yield _meant(statement)
        case _:
            yield statement


def without_parts(statement: Statement, gone: Collection[Statement]) -> tuple[Statement, ...]:
    """What a statement says besides the parts that are gone, as one statement or none, a road as several.

    A unit goes as a whole. A building's hex goes with its own symbols, as if corrected away.
    """
    match statement:
        case Area(kind, hexes):
            left = tuple(hex_ for hex_ in hexes if Area(kind, (hex_,)) not in gone)
            return (Area(kind, left),) if left else ()
        case Level(level, hexes):
            left = tuple(hex_ for hex_ in hexes if Level(level, (hex_,)) not in gone)
            return (Level(level, left),) if left else ()
        case HexsideTerrain(kind, sides):
            still = tuple(where for where in sides if HexsideTerrain(kind, (where,)) not in gone)
            return (HexsideTerrain(kind, still),) if still else ()
        case Road(surface, hexes):
            ways = [hexes]
            for pair in pairwise(hexes):
                where = hexside_between(*pair)
                if Road(surface, tuple(where)) in gone:
                    ways = [piece for way in ways for piece in split_road_at(way, where)]
            return tuple(Road(surface, way) for way in ways if len(way) > 1)
        case Building():
            rest = _less_building(statement, gone)
            return () if rest is None else (rest,)
    return () if next(atomic_statements(statement)) in gone else (statement,)


def _less_building(building: Building, gone: Collection[Statement]) -> Building | None:
    rest: Building | None = replace(
        building,
        joined=tuple(where for where in building.joined if _joined(where) not in gone),
        stairwells=tuple(hex_ for hex_ in building.stairwells if _stairwell(hex_) not in gone),
        bars=tuple(bar for bar in building.bars if _bar(bar) not in gone),
    )
    for hex_ in building.hexes:
        if rest is not None and Building(building.colour, (hex_,)) in gone:
            rest = split_building(rest, hex_)[0]
    return rest


def _joined(where: Hexside) -> Correction:
    return Correction(where, "joined", "yes")


def _stairwell(where: Hex) -> Correction:
    return Correction(where, "stairwell", "yes")


def _bar(bar: Bar) -> Bar:
    """A bar; one over the whole hexside may say so."""
    return replace(bar, covers=None) if bar.covers and sorted(bar.covers) == [0, 60] else bar


def _meant(said: Correction) -> Statement:
    """What a correction that sets something says, without the word of it; one that takes back stays."""
    where, mark, to = said.where, said.mark, said.to
    if mark == "level" and isinstance(where, Hex) and isinstance(to, int):
        return Level(to, (where,))
    if to == "no" or mark in ("joined", "stairwell", "doubt"):
        return said
    if isinstance(where, Hexside):
        return Bar(where) if mark == "bar" else HexsideTerrain(mark, (where,))
    if mark == "building":
        return Building(str(to), (where,))
    if mark in default_vocabulary().words.get("symbol", ()):
        return Fact("symbol", (where, mark))
    return Area(mark, (where,))


def _outline(outline: Outline) -> Outline:
    """An outline whose rings begin at their least point and go on to the lesser side."""
    holes = tuple(sorted(map(_ring, outline.holes)))
    return replace(outline, outer=_ring(outline.outer), holes=holes)


def _ring(ring: Ring) -> Ring:
    start = ring.index(min(ring))
    there = (*ring[start:], *ring[:start])
    return min(there, (there[0], *reversed(there[1:])))


def split_building(building: Building, where: Hex) -> tuple[Building | None, Building]:
    """A building without a hex (None when nothing is left), and that hex with its own symbols."""
    left = tuple(each for each in building.hexes if each != where)

    def stays(side_: Hexside) -> bool:
        return bool(set(side_) & set(left))

    rest = replace(
        building,
        hexes=left,
        joined=tuple(each for each in building.joined if stays(each)),
        stairwells=tuple(each for each in building.stairwells if each != where),
        bars=tuple(each for each in building.bars if stays(each.side)),
    )
    taken = replace(
        building,
        hexes=(where,),
        joined=tuple(each for each in building.joined if not stays(each)),
        stairwells=tuple(each for each in building.stairwells if each == where),
        bars=tuple(each for each in building.bars if not stays(each.side)),
    )
    return (rest if left else None), taken


def without_mark(statement: Statement, mark: str, where: Hexside) -> Statement | None:
    """A statement without a mark of a hexside; the statement itself when it does not say it."""
    match statement:
        case Building() if mark == "joined" and where in statement.joined:
            return replace(statement, joined=tuple(s for s in statement.joined if s != where))
        case Building() if mark == "bar" and any(bar.side == where for bar in statement.bars):
            return replace(statement, bars=tuple(s for s in statement.bars if s.side != where))
        case HexsideTerrain(kind, sides) if kind == mark and where in sides:
            left = tuple(each for each in sides if each != where)
            return HexsideTerrain(kind, left) if left else None
    return statement


def split_road_at(hexes: tuple[Hex, ...], where: Hexside) -> Iterator[tuple[Hex, ...]]:
    """A way from hex to hex, cut where it crosses a hexside."""
    start = 0
    for index in range(1, len(hexes)):
        if set(hexes[index - 1 : index + 1]) == set(where):
            yield hexes[start:index]
            start = index
    yield hexes[start:]


# --- Terrain of a kind that counts as another on a board, or lies not there at all: the text is
#     changed.


def is_for_rules(treat: b.TerrainSubstitution, words: Vocabulary) -> bool:
    """Whether it is left to the rules."""
    of_kind = words.words
    printed = (*of_kind["hexside_terrain"], *of_kind["surface"], "road")
    return treat.on is None and treat.terrain not in printed


def substitute_terrain(
    statement: b.Statement, treats: Iterable[b.TerrainSubstitution]
) -> b.Statement | None:
    """A statement as it counts; None where nothing is left."""
    for treat in treats:
        other = treat.as_terrain
        match statement:
            case b.HexsideTerrain(kind) if kind == treat.terrain:
                if not other:
                    return None
                statement = replace(statement, kind=other)
            case b.Road(surface) if treat.terrain in (surface, "road"):
                if not other:
                    return None
                statement = replace(statement, surface=other)
            case b.Area(kind) | b.Outline(kind) if kind == treat.terrain:
                statement = replace(statement, kind=other)
    return statement


def substitute_terrain_on(
    statement: b.Statement, treat: b.TerrainSubstitution, field: GridRegion
) -> Iterator[b.Statement]:
    """A statement of a map, of which what lies on one board counts as something else."""
    inner: b.Statement | None = None
    outer: b.Statement | None = statement
    match statement:
        case b.Area(kind, hexes) if kind == treat.terrain:
            here = tuple(hex_ for hex_ in hexes if hex_ in field)
            there = tuple(hex_ for hex_ in hexes if hex_ not in field)
            inner = b.Area(kind, here) if here else None
            outer = b.Area(kind, there) if there else None
        case b.HexsideTerrain(kind, sides) if kind == treat.terrain:
            inside = tuple(where for where in sides if where.a in field and where.b in field)
            outside = tuple(where for where in sides if where not in inside)
            inner = b.HexsideTerrain(kind, inside) if inside else None
            outer = b.HexsideTerrain(kind, outside) if outside else None
        case b.Road(_, hexes) if all(hex_ in field for hex_ in hexes):
            inner, outer = statement, None
        case b.Outline(on=on) if on == treat.on:
            inner, outer = statement, None
    if outer is not None:
        yield outer
    if inner is not None and (now := substitute_terrain(inner, (treat,))) is not None:
        yield now
