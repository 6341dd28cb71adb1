"""Terrain of a kind that counts as another on a board, or lies not there at all: the text is changed.

What is said so of area terrain of the whole map stays in the text: the rules know it (`treat`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rules_asp.terms import board as b
from rules_asp.terms.grid import GridRegion
from rules_asp.terms.lexicon import vocabulary


def is_for_rules(treat: b.TerrainSubstitution) -> bool:
    """Whether it is left to the rules."""
    words = vocabulary().words
    printed = (*words["hexside_terrain"], *words["surface"], "road")
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
