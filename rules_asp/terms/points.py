"""One point, one name: the vertex round which a step leads, by whichever of its three hexes it is named.

A vertex in the place of a Location says in which hex a unit is, and stays; a vertex that is only a point
goes by the name that it has from the hex that the step leads into.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rules_asp.terms.grid import Hex, Location, Point, Vertex, hex_of_spot
from rules_asp.terms.query import Argument, DeedQuery, FunctionTerm, QueryLiteral


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
    args = tuple(_placed(_renamed(argument, names), names) for argument in literal.args)
    return replace(literal, args=args)


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
            for spot in (each.value for each in way.value.args):
                name = (
                    vertex_in_hex(hex_of_spot(to.value.spot), spot)
                    if isinstance(spot, Vertex)
                    else None
                )
                if name is not None:
                    yield name.centre, name
    for inner in value.args:
        yield from _names(inner)


def _renamed(argument: Argument, names: dict[Point, Vertex]) -> Argument:
    value = argument.value
    if isinstance(value, Vertex) and value.centre in names:
        return argument._replace(value=names[value.centre])
    if not isinstance(value, FunctionTerm):
        return argument
    # Where a step begins and ends says in which hex a unit is.
    stays = ("location",) if value.name == "step" else ()
    return argument._replace(
        value=FunctionTerm(
            value.name,
            tuple(
                each if each.kind in stays else _placed(_renamed(each, names), names)
                for each in value.args
            ),
        )
    )


def _placed(argument: Argument, names: dict[Point, Vertex]) -> Argument:
    """A Location at such a point, by its name."""
    value = argument.value
    if (
        isinstance(value, Location)
        and isinstance(value.spot, Vertex)
        and value.spot.centre in names
    ):
        return argument._replace(value=value._replace(spot=names[value.spot.centre]))
    return argument
