"""Operations on statements: splitting into atomic ones, removal of parts, substitution of terrain.

Substitutions of area terrain on the whole map stay in the text: the rules handle them (`treat`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise

from rules_asp.game import board as b
from rules_asp.game.board import (
    Area,
    Bar,
    Building,
    Correction,
    Erasure,
    Fact,
    HexsideTerrain,
    Level,
    Outline,
    Ring,
    Road,
    Statement,
    TerrainSubstitution,
    UncertainFact,
    UnitStatement,
)
from rules_asp.game.grid import (
    GridRegion,
    Hex,
    Hexside,
    Location,
    Vertex,
    hex_of_spot,
    hexside_between,
)
from rules_asp.game.vocabulary import Vocabulary, default_vocabulary

# --- Splitting of statements into atomic ones, and removal of parts.


def atomic_statements(statement: Statement) -> Iterator[Statement]:
    """Yield the atomic statements of a statement; the result does not depend on its wording.

    A symbol of a building is yielded as the correction that would set it.
    """
    match statement:
        case Area() | Level() | Erasure():
            yield from (replace(statement, hexes=(hex_,)) for hex_ in statement.hexes)
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
        case UnitStatement(name, (head, *traits)):
            yield UnitStatement(name, (head,))
            yield from (UnitStatement(name, (head, fact)) for fact in traits)
        case Outline():
            yield _outline(statement)
        case Correction():
            yield _meant(statement)
        case _:
            yield statement


def keep_parts(statement: Statement, keep: Callable[[Statement], bool]) -> tuple[Statement, ...]:
    """Filter a statement by its atomic parts; the result has no or one statement, for a road
    perhaps several.

    A building's hex includes its own symbols, and a unit its traits.
    """
    match statement:
        case Area() | Level() | Erasure():
            hexes = tuple(e for e in statement.hexes if keep(replace(statement, hexes=(e,))))
            return (replace(statement, hexes=hexes),) if hexes else ()
        case HexsideTerrain(kind, sides):
            sides = tuple(where for where in sides if keep(HexsideTerrain(kind, (where,))))
            return (HexsideTerrain(kind, sides),) if sides else ()
        case Road(surface, hexes):
            ways = split_road(hexes, lambda where: keep(Road(surface, tuple(where))))
            return tuple(Road(surface, way) for way in ways)
        case Building(colour, hexes):
            rest = replace(
                statement,
                joined=tuple(where for where in statement.joined if keep(_joined(where))),
                stairwells=tuple(hex_ for hex_ in statement.stairwells if keep(_stairwell(hex_))),
                bars=tuple(filter(keep, statement.bars)),
            )
            gone = [hex_ for hex_ in hexes if not keep(Building(colour, (hex_,)))]
            left = split_building(rest, gone)[0] if gone else rest
            return (left,) if left else ()
        case UnitStatement(name, (head, *traits)):
            if not keep(UnitStatement(name, (head,))):
                return ()
            kept = (fact for fact in traits if keep(UnitStatement(name, (head, fact))))
            return (UnitStatement(name, (head, *kept)),)
    return (statement,) if keep(statement) else ()


def without_parts(statement: Statement, gone: Collection[Statement]) -> tuple[Statement, ...]:
    """Return a statement without some parts, in the form of `keep_parts`."""
    return keep_parts(statement, lambda part: [*atomic_statements(part)][-1] not in gone)


def _joined(where: Hexside) -> Correction:
    return Correction(where, "joined", "yes")


def _stairwell(where: Hex) -> Correction:
    return Correction(where, "stairwell", "yes")


def _bar(bar: Bar) -> Bar:
    """Return a bar in normal form; one over the whole hexside may state its extent."""
    return replace(bar, covers=None) if bar.covers and sorted(bar.covers) == [0, 60] else bar


def _meant(said: Correction) -> Statement:
    """Return the statement that a setting correction sets; a removing one stays."""
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
    """Return an outline whose rings begin at their least point, toward the lesser neighbor."""
    holes = tuple(sorted(map(_ring, outline.holes)))
    return replace(outline, outer=_ring(outline.outer), holes=holes)


def _ring(ring: Ring) -> Ring:
    start = ring.index(min(ring))
    there = (*ring[start:], *ring[:start])
    return min(there, (there[0], *reversed(there[1:])))


def hexes_of(value: object) -> Iterator[Hex]:
    """Yield all hexes in a statement."""
    if isinstance(value, Hex):
        yield value
    elif isinstance(value, Vertex | Location):
        yield hex_of_spot(value.spot if isinstance(value, Location) else value)
    elif isinstance(value, tuple):
        for part in value:
            yield from hexes_of(part)
    elif is_dataclass(value) and not isinstance(value, Outline):
        for each in fields(value):
            yield from hexes_of(getattr(value, each.name))


def unique_keys(statement: Statement, words: Vocabulary) -> Iterator[tuple[object, ...]]:
    """Yield the subjects of a statement that may be stated only once."""
    match statement:
        case Level(_, hexes):
            yield from (("level", hex_) for hex_ in hexes)
        case Building(_, hexes):
            yield from (("building", hex_) for hex_ in hexes)
        case UnitStatement(name):
            yield "unit", name
        case TerrainSubstitution(terrain):
            yield "treat", terrain
        case UncertainFact(given):
            yield from unique_keys(given, words)
        case Fact(name, args):
            once = words.inputs[name].once
            if once is not None:
                yield name, *args[:once]


def split_building(building: Building, taken: Collection[Hex]) -> tuple[Building | None, Building]:
    """Split a building into the rest (None if empty) and some hexes with their own symbols."""
    left = tuple(each for each in building.hexes if each not in taken)

    def piece(hexes: tuple[Hex, ...], stays: bool) -> Building:
        return replace(
            building,
            hexes=hexes,
            joined=tuple(e for e in building.joined if set(e).isdisjoint(left) != stays),
            stairwells=tuple(e for e in building.stairwells if (e in taken) != stays),
            bars=tuple(e for e in building.bars if set(e.side).isdisjoint(left) != stays),
        )

    return (piece(left, True) if left else None), piece(tuple(taken), False)


def split_road(
    hexes: tuple[Hex, ...], keep: Callable[[Hexside], bool]
) -> Iterator[tuple[Hex, ...]]:
    """Split a road at hexsides that are not kept."""
    start = 0
    for end, pair in enumerate((*pairwise(hexes), ()), 1):
        if not pair or not keep(hexside_between(*pair)):
            if end - start > 1:
                yield hexes[start:end]
            start = end


# --- Substitution of terrain on a board, or its removal.


def is_for_rules(treat: b.TerrainSubstitution, words: Vocabulary) -> bool:
    """Test whether the rules handle the substitution."""
    of_kind = words.words
    printed = (*of_kind["hexside_terrain"], *of_kind["surface"], "road")
    return treat.on is None and treat.terrain not in printed


def substitute_terrain(
    statement: b.Statement, treats: Iterable[b.TerrainSubstitution]
) -> tuple[b.Statement, ...]:
    """Return a statement after the substitution; None if it is removed."""
    for treat in treats:
        other = treat.as_terrain
        match statement:
            case b.HexsideTerrain(kind) if kind == treat.terrain:
                statement = replace(statement, kind=other)
            case b.Road(surface) if treat.terrain in (surface, "road"):
                statement = replace(statement, surface=other)
            case b.Area(kind) | b.Outline(kind) if kind == treat.terrain:
                statement = replace(statement, kind=other)
                continue
            case _:
                continue
        if not other:
            return ()
    return (statement,)


def substitute_terrain_on(
    statement: b.Statement, treat: b.TerrainSubstitution, field: GridRegion
) -> Iterator[b.Statement]:
    """Return a statement of a map after a substitution on one board."""

    def is_on(part: b.Statement) -> bool:
        match part:
            case b.Area(kind) | b.HexsideTerrain(kind):
                return kind == treat.terrain and all(hex_ in field for hex_ in hexes_of(part))
            case b.Road():
                return all(hex_ in field for hex_ in hexes_of(statement))
        return isinstance(part, b.Outline) and part.on == treat.on

    yield from keep_parts(statement, lambda part: not is_on(part))
    for inner in keep_parts(statement, is_on):
        yield from substitute_terrain(inner, (treat,))
