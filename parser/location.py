"""A Location read from text of its own, as a command or a program gives it."""

from __future__ import annotations

from collections.abc import Collection

from rules_asp.parser.errors import BoardError, Problem, ValueMistake
from rules_asp.parser.values import read_location, without_board
from rules_asp.terms.board import SourcePosition
from rules_asp.terms.grid import Location, Vertex
from rules_asp.terms.maps import current_map_names, find_label, with_map_names


def parse_location(text: str, boards: Collection[str] | None = None) -> Location:
    """Read `U4/1`, `U4` (its ground level), `K13@L12-K12/1`; BoardError says what is wrong.

    boards: the names that a hex id may carry (20E7); None leaves them unchecked.
    """
    try:
        bare, prefixes = without_board(text) if text else (text, [])
        for prefix in prefixes:
            if boards is not None and find_label(boards, prefix) is None:
                raise ValueMistake(f"this is not board {prefix}")
        return _remembering(read_location(bare))
    except ValueMistake as mistake:
        near = mistake.nearest or _in_capitals(text)
        problem = Problem(
            SourcePosition("Location", 1), text, mistake.message, mistake.expected, near
        )
        raise BoardError([problem]) from None


def _remembering(location: Location) -> Location:
    """The Location, by the names of its map whatever map is spoken of later."""
    spot, names = location.spot, current_map_names()
    if isinstance(spot, Vertex):
        return location._replace(spot=spot._replace(hex=with_map_names(spot.hex, names)))
    return location._replace(spot=with_map_names(spot, names))


def _in_capitals(text: str) -> str | None:
    """The Location that was meant by `u4/1`, if any."""
    hex_, slash, floor = text.partition("/")
    try:
        read_location(hex_.upper() + slash + floor.lower())
    except ValueMistake:
        return None
    return hex_.upper() + slash + floor.lower()
