"""What a picture is made of: the facts that a board states, its drawings, and what the rules answer of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import clingo

from rules_asp.lines.shapes import Shapes, shapes_of
from rules_asp.positions.prepared import Position
from rules_asp.positions.resolving import resolve
from rules_asp.positions.stating import facts
from rules_asp.terms.arguments import Term
from rules_asp.terms.board import Board
from rules_asp.terms.grid import Hex, Hexside, Location
from rules_asp.terms.lexicon import YES
from rules_asp.terms.maps import speak_of
from rules_asp.terms.symbols import hex_of, hexside_of, location_of, spot_of

Row = tuple[Term, ...]


@dataclass(frozen=True)
class Seen:
    """A board as it is drawn.

    stated: the board's facts by name, each with its arguments. answers: topics of the knowledge base
    that are a yes, or have a word or number for value, by name: the arguments, and the value last.
    derived: its notions by name. Of a mere Board both are empty: then nothing is asked of the rules.
    Of what the board leaves open only that is there which holds in every case.
    """

    board: Board
    shapes: Shapes
    stated: Mapping[str, tuple[Row, ...]]
    answers: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
    derived: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)

    def of(self, name: str) -> tuple[Row, ...]:
        """The facts of an input."""
        return self.stated.get(name, ())

    def sides(self, name: str) -> Iterator[tuple[Hexside, Row]]:
        """The facts of an input about hexsides: the hexside and the rest."""
        for where, *rest in self.of(name):
            if isinstance(where, Hexside):
                yield where, tuple(rest)

    def hexes(self, name: str) -> Iterator[tuple[Hex, Row]]:
        """The facts of an input about hexes: the hex and the rest."""
        for where, *rest in self.of(name):
            if isinstance(where, Hex):
                yield where, tuple(rest)

    def true_of(self, topic: str) -> Iterator[Term]:
        """The places of which a topic is a yes."""
        for where, value in (row for row in self.answers.get(topic, ()) if len(row) == 2):
            if value == YES:
                yield where

    def bases(self) -> dict[Hex, int]:
        """The base level of each hex, in half levels."""
        return {hex_: level for hex_, (level,) in self.hexes("base") if isinstance(level, int)}

    def places(self) -> dict[Hex, list[tuple[Location, int | None]]]:
        """The Locations of each hex with their levels in half levels, as far as the rules know them."""
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


#: What is asked of the rules for a picture.
_DERIVED = (
    ("location", 1),
    ("at_level", 2),
    ("obstacle", 3),
    ("haze", 3),
    ("side_obstacle", 3),
)


def seen_of(thing: Position | Board) -> Seen:
    """A position with what the rules answer, or a mere board; BoardError for a board that is at fault."""
    speak_of(thing.grid if isinstance(thing, Board) else thing.board.grid)
    if isinstance(thing, Board):
        board = resolve(thing)
        shapes = shapes_of(board)
        return Seen(board, shapes, _by_name(facts(board, shapes.pieces)))
    first, *others = thing.cases
    valued: dict[str, list[tuple[clingo.Symbol, clingo.Symbol]]] = {}
    for topic, value in first.values.items():
        if all(case.values.get(topic) == value for case in others):
            valued.setdefault(topic.name, []).append((topic, value))
    common = [
        atom
        for name, arity in _DERIVED
        for atom in sorted(first.atoms(name, arity))
        if all(case.holds(atom) for case in others)
    ]
    return Seen(
        thing.board,
        thing.shapes,
        _by_name(thing.board_facts.symbols),
        _Rows(valued, lambda pair: (*map(_term, pair[0].arguments), _term(pair[1]))),
        _by_name(common),
    )


def _by_name(symbols: Iterable[clingo.Symbol]) -> Mapping[str, tuple[Row, ...]]:
    rows: dict[str, list[clingo.Symbol]] = {}
    for each in symbols:
        rows.setdefault(each.name, []).append(each)
    return _Rows(rows, lambda fact: tuple(map(_term, fact.arguments)), in_order=False)


class _Rows(Mapping[str, tuple[Row, ...]]):
    """Rows by name, read when they are wanted: of all that the rules say little is drawn."""

    def __init__(
        self,
        found: Mapping[str, list[Any]],
        read: Callable[[Any], Row],
        in_order: bool = True,
    ) -> None:
        self._found, self._read, self._in_order = found, read, in_order
        self._rows: dict[str, tuple[Row, ...]] = {}

    def __getitem__(self, name: str) -> tuple[Row, ...]:
        if name not in self._rows:
            found = sorted(self._found[name]) if self._in_order else self._found[name]
            self._rows[name] = tuple(map(self._read, found))
        return self._rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def _term(symbol: clingo.Symbol) -> Term:
    """A term of kb/ as a place, a number or a text; what is none of these as it is written."""
    if symbol.type == clingo.SymbolType.Number:
        return symbol.number
    if symbol.type == clingo.SymbolType.String:
        return symbol.string
    if len(symbol.arguments) == 2:
        try:
            if symbol.name == "e":
                return hexside_of(symbol)
            if symbol.name == "l":
                return location_of(symbol)
            if symbol.name == "v":
                return spot_of(symbol)
            if symbol.name == "":
                return hex_of(symbol)
        except (ValueError, IndexError, RuntimeError):
            return str(symbol)
    return str(symbol)
