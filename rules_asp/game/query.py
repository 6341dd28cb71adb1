"""Questions as values: conjunctions of literals, actions and rolls.

`parser/query.py` parses a query from text. No user text goes to clingo: every argument is a typed
value, and names of predicates and topics come from kb/vocabulary.lp.

A vertex used as a Location says which hex a unit is in, so it keeps its name. A vertex used only as
a point gets its name from the hex that the step enters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import clingo

from rules_asp.game.grid import Hex, Location, Point, Vertex, hex_of_spot
from rules_asp.game.map_layout import PLAIN_NAMES, MapNames
from rules_asp.game.values import (
    QUOTED,
    Notation,
    Term,
    hexside_from_symbol,
    location_from_symbol,
    quoted,
    spot_from_symbol,
    to_board_text,
    to_term,
    word_text,
)
from rules_asp.game.vocabulary import YES, YES_NO

# --- A question to the knowledge base: a conjunction of literals that can be written for clingo.


#: Kinds whose value can be a Location or a unit's name. For `location` the name refers to the
#: unit's Location, for `party` to the unit itself.
PLACED = frozenset(("location", "party"))


@dataclass(frozen=True)
class Variable:
    """A variable of a question: `L`, `Hex`; `_` matches anything and is not part of the answer."""

    name: str

    def __str__(self) -> str:
        return self.name


#: The value of a topic that is named without one, as in `unknown height(U4)`. Answers show it as
#: `_`.
ITS_VALUE = Variable("Its_value")


@dataclass(frozen=True)
class FunctionTerm:
    """A topic, action or form as an argument: `height(U4)` in `unknown(height(U4), Why)`."""

    name: str
    args: tuple[Argument, ...]

    def __str__(self) -> str:
        return _call(self.name, tuple(map(str, self.args)), ", ")

    @property
    def term(self) -> str:
        """The term in clingo syntax."""
        return _call(self.name, tuple(argument.term for argument in self.args))


@dataclass(frozen=True)
class LosTerm:
    """The LOS between two Locations, as an argument: `sees(U4/1 - V3)`. It has no direction."""

    a: Location
    b: Location

    def __str__(self) -> str:
        return f"{to_board_text(self.a, 'location')} - {to_board_text(self.b, 'location')}"

    @property
    def term(self) -> str:
        """The term in clingo syntax: the smaller Location in clingo's order comes first."""
        one, other = sorted((self.a, self.b), key=location_sort_key)
        return f"s({to_term(one, 'location')},{to_term(other, 'location')})"


@dataclass(frozen=True)
class OpenLosTerm:
    """A LOS with one open end: `sees(U4/1 - X)`."""

    end: Location
    other: Variable

    def __str__(self) -> str:
        return f"{to_board_text(self.end, 'location')} - {self.other}"

    @property
    def terms(self) -> tuple[str, str]:
        """Both terms in clingo syntax, with the open end as the second and as the first."""
        end = to_term(self.end, "location")
        return f"s({end},{self.other})", f"s({self.other},{end})"

    @property
    def term(self) -> str:
        """The term in clingo syntax: a pool of both."""
        return f"({';'.join(self.terms)})"


@dataclass(frozen=True)
class UnitLocation:
    """The Location of a unit, given by the unit's name: `tem(shot("A", U4, direct, still))`.

    It is resolved on a position before the question is asked.
    """

    unit: str

    def __str__(self) -> str:
        return quoted(self.unit)

    @property
    def term(self) -> str:
        """The term in clingo syntax; not available before it is resolved."""
        raise ValueError(f"the Location of {self.unit} is not yet resolved")


@dataclass(frozen=True)
class UnitStack:
    """Units that fire together from their common Location: `fire from A L at U4`."""

    units: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.units)


@dataclass(frozen=True)
class UnitLosTerm:
    """A LOS with a unit as an end: `sees("A" - V3)`; one end may be open.

    It is resolved on a position before the question is asked.
    """

    a: Location | UnitLocation | Variable
    b: Location | UnitLocation | Variable

    def __str__(self) -> str:
        ends = (
            to_board_text(each, "location") if isinstance(each, Location) else str(each)
            for each in (self.a, self.b)
        )
        return " - ".join(ends)

    @property
    def term(self) -> str:
        """The term in clingo syntax; not available before it is resolved."""
        raise ValueError(f"the ends of {self} are not yet resolved to Locations")

    @property
    def open_ends(self) -> tuple[Variable, ...]:
        """The open end, if there is one."""
        return tuple(each for each in (self.a, self.b) if isinstance(each, Variable))


class Argument(NamedTuple):
    """A value or a variable, and the kind that its place requires (of kb/vocabulary.lp)."""

    value: Term | Variable | FunctionTerm | LosTerm | OpenLosTerm | UnitLocation | UnitLosTerm
    kind: str

    def __str__(self) -> str:
        if not isinstance(self.value, Term):
            return str(self.value)
        if isinstance(self.value, str):
            return quoted(self.value) if self.kind in QUOTED else word_text(self.value, "")
        return to_board_text(self.value, self.kind)

    @property
    def term(self) -> str:
        """The argument in clingo syntax."""
        if isinstance(self.value, Variable):
            return self.value.name
        if not isinstance(self.value, Term):
            return self.value.term
        return to_term(self.value, self.kind)

    @property
    def variables(self) -> tuple[tuple[str, str], ...]:
        """The named variables in it, each with its kind."""
        if isinstance(self.value, Variable):
            return () if self.value.name == "_" else ((self.value.name, self.kind),)
        if isinstance(self.value, OpenLosTerm):
            return ((self.value.other.name, "location"),)
        if isinstance(self.value, UnitLosTerm):
            return tuple((end.name, "location") for end in self.value.open_ends)
        if isinstance(self.value, FunctionTerm):
            return tuple(pair for inner in self.value.args for pair in inner.variables)
        return ()


@dataclass(frozen=True)
class DeedQuery:
    """A question about an action; its open parts are variables.

    `around` is a hex that the vertex of a Bypass must touch. `inside` is the hex where a step ends
    if its vertex is not given. `other_units` are further units of the action if the form has no
    place for them. A move may take several Player Turns (`turn_count`), and may have to keep to a
    course in each step (`only`).
    """

    deed: Argument
    around: Hex | None = None
    inside: Hex | None = None
    other_units: tuple[str, ...] = ()
    turn_count: int = 1
    only: str | None = None


@dataclass(frozen=True)
class RollQuery:
    """A roll, and known results of its dice: (die, number); the die `sum` is their total."""

    roll: Argument
    given: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        return f"{self.roll}{self.shown}"

    @property
    def shown(self) -> str:
        """The known dice as text that follows the roll."""
        dice = " ".join(f"{'DR' if die == 'sum' else die} {number}" for die, number in self.given)
        return f" with {dice}" if dice else ""


def location_sort_key(location: Location) -> tuple[object, ...]:
    """Return a sort key in clingo's order: tuples before v(...); numbers, words, stairs(N)."""
    spot, floor = location
    where = (1, *spot.hex, spot.corner) if isinstance(spot, Vertex) else (0, *spot)
    if isinstance(floor, int):
        return where, 0, floor
    if location.above is not None:
        return where, 2, "up", location.above
    return where, 2 if floor.startswith("stairs") else 1, floor


def _call(name: str, args: tuple[str, ...], comma: str = ",") -> str:
    return f"{name}({comma.join(args)})" if args else name


@dataclass(frozen=True)
class QueryLiteral:
    """A literal: `pred(args)`, or `topic(args) = value`; perhaps with `not`."""

    name: str
    args: tuple[Argument, ...] = ()
    value: Argument | None = None
    negated: bool = False

    def __str__(self) -> str:
        text = _call(self.name, tuple(map(str, self.args)), ", ")
        if self.value is not None and self.value != Argument(YES, YES_NO):
            text += f" = {'_' if self.value.value == ITS_VALUE else self.value}"
        return f"not {text}" if self.negated else text

    @property
    def term(self) -> str:
        """The predicate, or the topic without its value, as a term of kb/: `height((20,4))`."""
        return _call(self.name, tuple(argument.term for argument in self.args))

    @property
    def topic(self) -> FunctionTerm:
        """The predicate or topic with its arguments, as an argument of another literal."""
        return FunctionTerm(self.name, self.args)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """All arguments, the value last."""
        return self.args if self.value is None else (*self.args, self.value)


@dataclass(frozen=True)
class QueryComparison:
    """A comparison: `V > 1 1/2`, `G != H`."""

    left: Argument
    operator: str
    right: Argument

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"

    @property
    def clingo(self) -> str:
        """The comparison in clingo syntax."""
        return f"{self.left.term} {self.operator} {self.right.term}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Both sides."""
        return self.left, self.right


@dataclass(frozen=True)
class Query:
    """A conjunction of literals and comparisons."""

    literals: tuple[QueryLiteral | QueryComparison, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.literals))

    @property
    def variables(self) -> dict[str, str]:
        """The named variables in text order, each with its kind."""
        found: dict[str, str] = {}
        for literal in self.literals:
            for argument in literal.arguments:
                for name, kind in argument.variables:
                    found.setdefault(name, kind)
        return found


# --- One name per point: the vertex of a Bypass step, named from any of its three hexes.


def vertex_in_hex(hex_: Hex, point: Vertex) -> Vertex | None:
    """Return the vertex of this hex at a point; None if the hex does not touch it."""
    for corner in range(6):
        if hex_.corner(corner) == point.centre:
            return Vertex(hex_, corner)
    return None


def bypassed_hex(args: Sequence[Argument]) -> Hex | None:
    """Return the hex that a Bypass step enters if the step ends at a vertex of it."""
    if len(args) < 2 or args[-1].kind != "way":
        return None
    to, way = args[-2].value, args[-1].value
    passes = isinstance(way, FunctionTerm) and way.name != "around"
    if not passes or not isinstance(to, Location) or not isinstance(to.spot, Hex):
        return None
    return to.spot


def canonical_vertices(literal: QueryLiteral) -> QueryLiteral:
    """Return the literal with one canonical name for the vertex of a step."""
    names = {point: name for argument in literal.arguments for point, name in _names(argument)}
    if not names:
        return literal
    return replace(literal, args=tuple(_renamed(each, names) for each in literal.args))


def canonical_deed(doing: DeedQuery) -> DeedQuery:
    """Return the action with one canonical name for the vertex that it passes."""
    return replace(doing, deed=_renamed(doing.deed, dict(_names(doing.deed))))


def _names(argument: Argument) -> Iterator[tuple[Point, Vertex]]:
    """Yield the points that steps pass, each with its name from the entered hex."""
    value = argument.value
    if not isinstance(value, FunctionTerm):
        return
    if value.name == "step":
        *_, to, way = value.args
        if isinstance(way.value, FunctionTerm) and isinstance(to.value, Location):
            entered = hex_of_spot(to.value.spot)
            for spot in (each.value for each in way.value.args):
                if isinstance(spot, Vertex) and (name := vertex_in_hex(entered, spot)) is not None:
                    yield name.centre, name
    for inner in value.args:
        yield from _names(inner)


def _renamed(argument: Argument, names: dict[Point, Vertex]) -> Argument:
    match argument.value:
        case Vertex() as spot if spot.centre in names:
            return argument._replace(value=names[spot.centre])
        case Location(Vertex() as spot, floor) if spot.centre in names:
            return argument._replace(value=Location(names[spot.centre], floor))
        case FunctionTerm(name, args):
            # The ends of a step determine the hex of the unit, so they keep their names.
            stays = ("location",) if name == "step" else ()
            inner = (each if each.kind in stays else _renamed(each, names) for each in args)
            return argument._replace(value=FunctionTerm(name, tuple(inner)))
    return argument


# --- Symbols of the knowledge base converted back to arguments of a question.


def argument_from_symbol(symbol: clingo.Symbol, kind: str, notation: Notation) -> Argument:
    """Convert a ground symbol to an argument of a question."""
    words, names = notation.vocabulary, notation.names
    if kind == "party":
        kind = "unit" if symbol.type == clingo.SymbolType.String else "location"
    if symbol.type == clingo.SymbolType.Function and symbol.name == "s":
        one, other = (location_from_symbol(each, names) for each in symbol.arguments)
        return Argument(LosTerm(one, other), kind)
    if symbol.type == clingo.SymbolType.Function and symbol.arguments:
        form = words.forms.get(symbol.name) or words.topics.get(symbol.name)
        if form is not None and len(form.kinds) == len(symbol.arguments):
            inner = arguments_from_symbols(symbol.arguments, form.kinds, notation)
            return Argument(FunctionTerm(symbol.name, inner), kind)
        if symbol.name not in ("", "e", "l", "v"):
            # A reason, such as came_from("A"): no table declares the kinds of its arguments.
            parts = (
                argument_from_symbol(
                    each, "text" if each.type == clingo.SymbolType.String else kind, notation
                )
                for each in symbol.arguments
            )
            return Argument(FunctionTerm(symbol.name, tuple(parts)), kind)
    return Argument(value_from_symbol(symbol, names), kind)


def arguments_from_symbols(
    symbols: Sequence[clingo.Symbol], kinds: Sequence[str], notation: Notation
) -> tuple[Argument, ...]:
    """Convert ground symbols to arguments of these kinds."""
    pairs = zip(symbols, kinds, strict=False)
    return tuple(argument_from_symbol(each, kind, notation) for each, kind in pairs)


def value_from_symbol(symbol: clingo.Symbol, names: MapNames = PLAIN_NAMES) -> Term:
    """Convert a ground symbol to a value."""
    if symbol.type == clingo.SymbolType.Number:
        return symbol.number
    if symbol.type == clingo.SymbolType.String:
        return symbol.string
    if symbol.name == "e":
        return hexside_from_symbol(symbol, names)
    if symbol.name == "l":
        return location_from_symbol(symbol, names)
    if symbol.name in ("", "v"):
        return spot_from_symbol(symbol, names)
    return str(symbol)
