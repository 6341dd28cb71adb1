"""Conversion of a Board to the facts of kb/vocabulary.lp, as symbols.

User text never becomes program text: names are strings, words consist of letters, digits and
underscores, and numbers fit into 32 bits.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

import clingo

from rules_asp.game.board import (
    PRINTED_MARKS,
    Area,
    Bar,
    Board,
    Building,
    Correction,
    Fact,
    HexsideTerrain,
    Level,
    Road,
    Statement,
    TerrainSubstitution,
    UncertainFact,
    UnitStatement,
    Use,
)
from rules_asp.game.grid import Grid, Hex, Hexside, hexside_between
from rules_asp.game.values import Term, to_symbol
from rules_asp.game.vocabulary import Vocabulary, default_vocabulary

#: A kind of depiction, as `lines` names it: a word, or a word with a number.
_PART = re.compile(r"[a-z][a-z0-9_]*(?:\(-?[0-9]{1,4}\))?")
#: In force on every board, even if not stated.
_ALWAYS = Fact("section", ("b23",))


def board_facts(
    board: Board, parts: Collection[tuple[Hex, str]] = (), words: Vocabulary | None = None
) -> tuple[clingo.Symbol, ...]:
    """Return the facts of a resolved board, each once; parts: the depictions of each hex, from its
    shapes.

    ValueError for a board that is not resolved, or a value that no fact may contain.
    """
    words = words or default_vocabulary()
    levels = tuple(each for each in board.statements if isinstance(each, Level))
    said = [*_ground(board.name, board.grid, levels, words), fact_symbol(_ALWAYS, words)]
    for statement in board.statements:
        said += _facts_of(statement, words)
    said += [_part(*part) for part in parts]
    return tuple(dict.fromkeys(said))


def uncertain_facts(board: Board, words: Vocabulary | None = None) -> tuple[clingo.Symbol, ...]:
    """Return the uncertain facts, each once, without those that the board also states."""
    words = words or default_vocabulary()
    said = {each for each in board.statements if isinstance(each, Fact)}
    open_ = (each.given for each in board.statements if isinstance(each, UncertainFact))
    return tuple(dict.fromkeys(fact_symbol(each, words) for each in open_ if each not in said))


def fact_symbol(given: Fact, words: Vocabulary) -> clingo.Symbol:
    """Return one fact; ValueError if it is not in the vocabulary or not safe."""
    entry = words.inputs.get(given.name)
    if entry is None or len(entry.kinds) != len(given.args):
        raise ValueError(f"the rules have no input {given.name} with {len(given.args)} arguments")
    return clingo.Function(given.name, list(map(to_symbol, given.args, entry.kinds)))


# A changed board repeats most facts, so they are cached.
@lru_cache(maxsize=1 << 13)
def _part(hex_: Hex, kind: str) -> clingo.Symbol:
    return clingo.Function("part", [to_symbol(hex_, "hex"), _kind(kind)])


@lru_cache(maxsize=256)
def _kind(kind: str) -> clingo.Symbol:
    if not _PART.fullmatch(kind):
        raise ValueError(f"{kind!r} is not the name of a part of a hex")
    return clingo.parse_term(kind)


@lru_cache(maxsize=4)
def _ground(
    name: str, grid: Grid, levels: tuple[Level, ...], words: Vocabulary
) -> tuple[clingo.Symbol, ...]:
    return tuple(fact_symbol(each, words) for each in _map(name, grid, levels))


@lru_cache(maxsize=1 << 12)
def _facts_of(statement: Statement, words: Vocabulary) -> tuple[clingo.Symbol, ...]:
    return tuple(fact_symbol(each, words) for each in _stated(statement))


def _map(name: str, grid: Grid, said: Iterable[Level]) -> Iterator[Fact]:
    """Yield the name of the map, its hexes, their neighbors, and their base levels."""
    if name:
        yield Fact("map", (name,))
    for part in grid.parts:
        for own in part.own_field.hexes():
            yield Fact("of_board", (part.placed(own), part.board, own))
    levels: dict[Hex, int] = {}
    for statement in said:
        levels |= dict.fromkeys(statement.hexes, statement.level)
    hexes = dict.fromkeys(grid.hexes())
    for hex_ in hexes:
        yield Fact("hex", (hex_,))
        yield Fact("base", (hex_, 2 * levels.get(hex_, 0)))
        for direction, near in enumerate(hex_.neighbours()):
            if near in hexes:
                yield Fact("next", (hex_, direction, near))


def _stated(statement: Statement) -> Iterator[Fact]:
    """Yield the facts of a statement."""
    match statement:
        case Fact():
            yield statement
        case UnitStatement(_, said):
            yield from said
        case Area(kind, hexes) if kind in PRINTED_MARKS:
            yield from _each(PRINTED_MARKS[kind], hexes)
        case Area(kind, hexes):
            yield from _each("terrain", hexes, kind)
        case Building():
            yield from _building(statement)
        case Bar(where):
            yield Fact("bar", (where,))
        case HexsideTerrain(kind, sides):
            yield from _each("side_terrain", sides, kind)
        case Road(surface, hexes):
            ways = [hexside_between(*pair) for pair in pairwise(hexes)]
            yield from _each("road", ways, surface)
        case TerrainSubstitution(terrain, as_terrain):
            yield Fact("treat", (terrain, as_terrain))
        case Use() | Correction():
            raise ValueError("the board still has `use` or correction lines: resolve it first")


def _building(building: Building) -> Iterator[Fact]:
    """Yield the symbols of one building."""
    yield from _each("depicts", building.hexes, building.colour)
    if building.name is not None:
        yield from _each("named", building.hexes, building.name)
    yield from _each("joined", building.joined)
    yield from _each("stairwell_symbol", building.stairwells)
    yield from _each("bar", [bar.side for bar in building.bars])
    short = [bar.side for bar in building.bars if sorted(bar.covers or (0, 60)) != [0, 60]]
    yield from _each("short_bar", short)


def _each(name: str, where: Collection[Hex] | Collection[Hexside], *rest: Term) -> Iterator[Fact]:
    for place in where:
        yield Fact(name, (place, *rest))
