"""The data of a picture: the board's facts, its depictions, and the answers of the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import clingo

from rules_asp.boards.facts import board_facts
from rules_asp.boards.resolve import resolve
from rules_asp.drawing.style import TOPICS
from rules_asp.game.board import Board
from rules_asp.game.grid import Hex, Hexside, Location
from rules_asp.game.map_layout import MapNames, map_names
from rules_asp.game.values import (
    Notation,
    Term,
    hex_from_symbol,
    hexside_from_symbol,
    location_from_symbol,
    spot_from_symbol,
)
from rules_asp.game.vocabulary import YES, default_vocabulary
from rules_asp.geometry.shapes import Shapes, shapes_of
from rules_asp.knowledge.rules import Signature
from rules_asp.positions.fact_index import FactIndex
from rules_asp.positions.position import Position

Row = tuple[Term, ...]


@dataclass(frozen=True)
class Scene:
    """A board for drawing.

    stated: the board's facts by name, each with its arguments. answers: the topics of the knowledge
    base that a map shows, by name: the arguments, with the value last. derived: the derived
    predicates by name. For a plain Board, both are empty: the rules are not asked. If the board
    leaves something open, they hold only the atoms true in every case. notation: how terms are
    written.
    """

    board: Board
    shapes: Shapes
    stated: Mapping[str, tuple[Row, ...]]
    notation: Notation
    answers: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    derived: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)

    @property
    def hexes_of_map(self) -> frozenset[Hex]:
        """Every hex of the map."""
        return frozenset(self.notation.names.hexes())

    def of(self, name: str) -> tuple[Row, ...]:
        """Return the facts of an input."""
        return self.stated.get(name, ())

    def sides(self, name: str) -> Iterator[tuple[Hexside, Row]]:
        """Yield the facts of an input about hexsides: the hexside and the other arguments."""
        for where, *rest in self.of(name):
            if isinstance(where, Hexside):
                yield where, tuple(rest)

    def hexes(self, name: str) -> Iterator[tuple[Hex, Row]]:
        """Yield the facts of an input about hexes: the hex and the other arguments."""
        for where, *rest in self.of(name):
            if isinstance(where, Hex):
                yield where, tuple(rest)

    def true_of(self, topic: str) -> Iterator[Term]:
        """Yield the places where a topic is yes."""
        for where, value in (row for row in self.answers.get(topic, ()) if len(row) == 2):
            if value == YES:
                yield where

    def bases(self) -> dict[Hex, int]:
        """The base level of each hex, in half levels."""
        return {hex_: level for hex_, (level,) in self.hexes("base") if isinstance(level, int)}

    def places(self) -> dict[Hex, list[tuple[Location, int | None]]]:
        """The Locations of each hex with their levels in half levels; None for an unknown level."""
        levels = {row[0]: row[1] for row in self.derived.get("at_level", ())}
        found: dict[Hex, list[tuple[Location, int | None]]] = {}
        for where, *_ in self.derived.get("location", ()):
            if isinstance(where, Location) and isinstance(where.spot, Hex):
                level = levels.get(where)
                known = level if isinstance(level, int) else None
                found.setdefault(where.spot, []).append((where, known))
        for each in found.values():
            each.sort(key=lambda pair: (pair[1] is None, pair[1] or 0, str(pair[0])))
        return found


#: The topics and derived predicates that a map needs.
ANSWERED = ("interior_wall", *TOPICS)
LOCATED = (("location", 1), ("at_level", 2))
#: The additional predicates for a side view.
_DERIVED = (*LOCATED, ("obstacle", 3), ("haze", 3), ("side_obstacle", 3))


def make_scene(thing: Position | Board) -> Scene:
    """Return the scene of a position with answers, or of a plain board.

    BoardError for an invalid board.
    """
    if isinstance(thing, Board):
        notation = Notation(default_vocabulary(), map_names(thing.grid))
        board = resolve(thing, notation.vocabulary)
        shapes = shapes_of(board)
        facts = FactIndex(board_facts(board, shapes.pieces, notation.vocabulary))
        return Scene(board, shapes, _stated(facts, notation.names), notation)
    position, names = thing, thing.names
    arities = dict(_DERIVED)

    def answered(topic: str) -> list[clingo.Symbol]:
        return sorted(in_all_cases(position, topic_nodes(topic)))

    def derived(name: str) -> list[clingo.Symbol]:
        return sorted(in_all_cases(position, [Signature(name, arities[name])]))

    return Scene(
        position.board,
        position.shapes,
        _stated(position.board_facts, names),
        position.notation,
        _Asked(
            ANSWERED,
            answered,
            lambda atom: (*_about(atom.arguments[0], names), _term(atom.arguments[1], names)),
        ),
        _Asked(tuple(arities), derived, lambda atom: _about(atom, names)),
    )


def topic_nodes(topic: str) -> list[Signature]:
    """Return the signatures for the value of a topic with one place: direct, or as a total."""
    return [Signature(name, 2, (topic, 1)) for name in ("is", "total")]


def in_all_cases(position: Position, nodes: Sequence[Signature]) -> list[clingo.Symbol]:
    """Return the atoms of these signatures that are true in every case of an open board."""
    first, *others = (list(position.true(case, nodes)) for case in range(len(position.cases)))
    for each in map(frozenset, others):
        first = [atom for atom in first if atom in each]
    return first


@lru_cache(maxsize=60_000)  # the terms of a few maps, since each change redraws the map
def _about(atom: clingo.Symbol, names: MapNames) -> Row:
    return tuple(_term(each, names) for each in atom.arguments)


def _stated(facts_: FactIndex, names: MapNames) -> Mapping[str, tuple[Row, ...]]:
    by_name = facts_.by_name
    return _Asked(tuple(by_name), by_name.__getitem__, lambda atom: _about(atom, names))


class _Asked(Mapping[str, tuple[Row, ...]]):
    """Rows by name, searched and read on demand: a map draws only a small part of the answers."""

    def __init__(
        self,
        names: Sequence[str],
        seek: Callable[[str], Sequence[clingo.Symbol]],
        read: Callable[[clingo.Symbol], Row],
    ) -> None:
        self._names, self._seek, self._read = frozenset(names), seek, read
        self._rows: dict[str, tuple[Row, ...]] = {}

    def __getitem__(self, name: str) -> tuple[Row, ...]:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._rows:
            self._rows[name] = tuple(map(self._read, self._seek(name)))
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _term(symbol: clingo.Symbol, names: MapNames) -> Term:
    """Convert a term of kb/ to a place, a number or a text; else to its kb/ form."""
    if symbol.type == clingo.SymbolType.Number:
        return symbol.number
    if symbol.type == clingo.SymbolType.String:
        return symbol.string
    if len(symbol.arguments) == 2:
        try:
            if symbol.name == "e":
                return hexside_from_symbol(symbol, names)
            if symbol.name == "l":
                return location_from_symbol(symbol, names)
            if symbol.name == "v":
                return spot_from_symbol(symbol, names)
            if symbol.name == "":
                return hex_from_symbol(symbol, names)
        except (ValueError, IndexError, RuntimeError):
            return str(symbol)
    return str(symbol)
