"""A query (conjunction of literals), deeds and rolls as values; canonical vertices; terms read back.

`parser/query.py` reads one from text. Nothing of the text itself goes to clingo: every argument is
a typed value, and names of predicates and topics come from kb/vocabulary.lp.

A vertex in the place of a Location says in which hex a unit is, and stays; a vertex that is only a point
goes by the name that it has from the hex that the step leads into.
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

# --- A question to the knowledge base: a conjunction of literals, with a way to write it for
#     clingo.


#: Kinds of which a Location can be, or a unit by its name: one that stands for where it is, and one (a
#: party) that is meant itself.
PLACED = frozenset(("location", "party"))


@dataclass(frozen=True)
class Variable:
    """A variable of a question: `L`, `Hex`; `_` stands for anything and is not answered."""

    name: str

    def __str__(self) -> str:
        return self.name


#: The value of a topic that is named without one, as in `unknown height(U4)`; it is told, and written
#: as `_`.
ITS_VALUE = Variable("Its_value")


@dataclass(frozen=True)
class FunctionTerm:
    """A topic, deed or part as an argument: `height(U4)` in `unknown(height(U4), Why)`."""

    name: str
    args: tuple[Argument, ...]

    def __str__(self) -> str:
        return _call(self.name, tuple(map(str, self.args)), ", ")

    @property
    def term(self) -> str:
        """As clingo reads it."""
        return _call(self.name, tuple(argument.term for argument in self.args))


@dataclass(frozen=True)
class LosTerm:
    """The sight between two Locations, as an argument: `sees(U4/1 - V3)`. It has no direction."""

    a: Location
    b: Location

    def __str__(self) -> str:
        return f"{to_board_text(self.a, 'location')} - {to_board_text(self.b, 'location')}"

    @property
    def term(self) -> str:
        """As clingo reads it: the Location that comes first in clingo's order is the first."""
        one, other = sorted((self.a, self.b), key=location_sort_key)
        return f"s({to_term(one, 'location')},{to_term(other, 'location')})"


@dataclass(frozen=True)
class OpenLosTerm:
    """A sight of which one end is left open: `sees(U4/1 - X)`."""

    end: Location
    other: Variable

    def __str__(self) -> str:
        return f"{to_board_text(self.end, 'location')} - {self.other}"

    @property
    def terms(self) -> tuple[str, str]:
        """As clingo reads it, with the open end as the second and as the first."""
        end = to_term(self.end, "location")
        return f"s({end},{self.other})", f"s({self.other},{end})"

    @property
    def term(self) -> str:
        """As clingo reads it: either of both."""
        return f"({';'.join(self.terms)})"


@dataclass(frozen=True)
class UnitLocation:
    """The Location where a unit is, said by its name: `tem(shot("A", U4, direct, still))`.

    It is settled on a position, before anything is asked there.
    """

    unit: str

    def __str__(self) -> str:
        return quoted(self.unit)

    @property
    def term(self) -> str:
        """As clingo reads it: no term, as long as it is not settled."""
        raise ValueError(f"where {self.unit} is has not been settled")


@dataclass(frozen=True)
class UnitLosTerm:
    """A sight of which a unit is said to be an end: `sees("A" - V3)`; one end may be left open.

    It is settled on a position, before anything is asked there.
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
        """As clingo reads it: no term, as long as it is not settled."""
        raise ValueError(f"where the ends of {self} are has not been settled")

    @property
    def open_ends(self) -> tuple[Variable, ...]:
        """The end that is left open, if one is."""
        return tuple(each for each in (self.a, self.b) if isinstance(each, Variable))


class Argument(NamedTuple):
    """A value or a variable, and the kind that its place asks for (of kb/vocabulary.lp)."""

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
        """The argument as clingo reads it."""
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
    """A deed that is asked about; what it leaves open are variables.

    `around` is a hex that the vertex of a passage must touch, `inside` the hex in which a step ends whose
    vertex is not said. `other_units` are units that do it, where the form says nothing of them. A move
    may take several `turn_count`, and may have to keep to a course in each of its steps (`only`).
    """

    deed: Argument
    around: Hex | None = None
    inside: Hex | None = None
    other_units: tuple[str, ...] = ()
    turn_count: int = 1
    only: str | None = None


@dataclass(frozen=True)
class RollQuery:
    """A roll, and what some of its dice are known to show: (die, number), the die `sum` for both."""

    roll: Argument
    given: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        return f"{self.roll}{self.shown}"

    @property
    def shown(self) -> str:
        """What its dice show, as it is said after the roll."""
        dice = " ".join(f"{'DR' if die == 'sum' else die} {number}" for die, number in self.given)
        return f" with {dice}" if dice else ""


def location_sort_key(location: Location) -> tuple[object, ...]:
    """A Location's place in clingo's order: tuples before v(...); numbers, words, stairs(N)."""
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
    """`pred(args)`, or `topic(args) = value`; perhaps with `not`."""

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
        """The predicate or topic with its arguments, as an argument of its own."""
        return FunctionTerm(self.name, self.args)

    @property
    def atom(self) -> str:
        """What is asked, without `not`: the predicate itself, or value(Topic, Value)."""
        return self.term if self.value is None else f"value({self.term},{self.value.term})"

    @property
    def clingo(self) -> str:
        """The literal as clingo reads it."""
        if not self.negated:
            return self.atom
        # Of a sight with an open end, clingo would read `not` one of both where it is neither.
        atoms = [self.atom]
        for argument in self.args:
            if isinstance(argument.value, OpenLosTerm):
                sight = argument.value
                atoms = [atom.replace(sight.term, one) for atom in atoms for one in sight.terms]
        return ", ".join(f"not {atom}" for atom in atoms)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """All arguments, the value last."""
        return self.args if self.value is None else (*self.args, self.value)


@dataclass(frozen=True)
class QueryComparison:
    """`V > 1 1/2`, `G != H`."""

    left: Argument
    operator: str
    right: Argument

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"

    @property
    def clingo(self) -> str:
        """The comparison as clingo reads it."""
        return f"{self.left.term} {self.operator} {self.right.term}"

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Both sides."""
        return self.left, self.right


@dataclass(frozen=True)
class Query:
    """Literals and comparisons that are to hold together."""

    literals: tuple[QueryLiteral | QueryComparison, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.literals))

    @property
    def clingo(self) -> str:
        """The body of a rule that asks for it."""
        return ", ".join(literal.clingo for literal in self.literals)

    @property
    def variables(self) -> dict[str, str]:
        """The named variables in the order of the text, each with its kind."""
        found: dict[str, str] = {}
        for literal in self.literals:
            for argument in literal.arguments:
                for name, kind in argument.variables:
                    found.setdefault(name, kind)
        return found


# --- One point, one name: the vertex round which a step leads, by whichever of its three hexes it
#     is named.


def vertex_in_hex(hex_: Hex, point: Vertex) -> Vertex | None:
    """The vertex of this hex at the point of another; None where the hex does not touch it."""
    for corner in range(6):
        if hex_.corner(corner) == point.centre:
            return Vertex(hex_, corner)
    return None


def bypassed_hex(args: Sequence[Argument]) -> Hex | None:
    """The hex to which a step is said to lead whose way, in Bypass, ends at a vertex of it."""
    if len(args) < 2 or args[-1].kind != "way":
        return None
    to, way = args[-2].value, args[-1].value
    passes = isinstance(way, FunctionTerm) and way.name != "around"
    if not passes or not isinstance(to, Location) or not isinstance(to.spot, Hex):
        return None
    return to.spot


def canonical_vertices(literal: QueryLiteral) -> QueryLiteral:
    """A literal in which the point round which a step leads has one name."""
    names = {point: name for argument in literal.arguments for point, name in _names(argument)}
    if not names:
        return literal
    return replace(literal, args=tuple(_renamed(each, names) for each in literal.args))


def canonical_deed(doing: DeedQuery) -> DeedQuery:
    """A deed in which the point round which it leads has one name."""
    return replace(doing, deed=_renamed(doing.deed, dict(_names(doing.deed))))


def _names(argument: Argument) -> Iterator[tuple[Point, Vertex]]:
    """The points round which steps lead, each with its name from the hex that is entered."""
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
            # Where a step begins and ends says in which hex a unit is.
            stays = ("location",) if name == "step" else ()
            inner = (each if each.kind in stays else _renamed(each, names) for each in args)
            return argument._replace(value=FunctionTerm(name, tuple(inner)))
    return argument


# --- Terms of the knowledge base read back as arguments of a question.


def argument_from_symbol(symbol: clingo.Symbol, kind: str, notation: Notation) -> Argument:
    """A ground term as an argument of a question."""
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
            # A reason, such as came_from("A"): no table tells of what kinds its arguments are.
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
    """Ground terms as arguments of these kinds."""
    pairs = zip(symbols, kinds, strict=False)
    return tuple(argument_from_symbol(each, kind, notation) for each, kind in pairs)


def value_from_symbol(symbol: clingo.Symbol, names: MapNames = PLAIN_NAMES) -> Term:
    """A ground term as a value."""
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
