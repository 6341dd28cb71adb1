"""What the answers about a board say can matter to lines, for who measures them."""

from __future__ import annotations

from collections.abc import Iterable

import clingo

from rules_asp.knowledge.running import AnswerSet
from rules_asp.lines.geometry import LosRelevance
from rules_asp.lines.surveys import ALWAYS
from rules_asp.terms.grid import Hex, Hexside
from rules_asp.terms.symbols import hex_from_symbol, hexside_from_symbol


def los_relevance_of(cases: Iterable[AnswerSet]) -> LosRelevance:
    """What the knowledge base says can matter to lines, over all cases."""
    parts: dict[tuple[Hex, str], int] = {}
    sides: dict[tuple[str, Hexside], int] = {}
    dot_lines: dict[Hexside, int] = {}
    inherent: set[tuple[Hex, str]] = set()
    exits: set[Hex] = set()
    exit_sides: set[Hexside] = set()
    insides: dict[Hex, int] = {}
    buildings: dict[str, int] = {}
    channels: set[tuple[Hex, str]] = set()
    channel_sides: set[Hexside] = set()
    dug: set[Hex] = set()
    roads: set[Hex] = set()
    ends: set[Hex] = set()
    for case in cases:
        for where, kind, below in case.get("concern", 3):
            part = (hex_from_symbol(where), str(kind))
            parts[part] = max(_bound(below), parts.get(part, _bound(below)))
        for where, below in case.get("concern_dot_line", 2):
            straddled = hexside_from_symbol(where)
            dot_lines[straddled] = max(_bound(below), dot_lines.get(straddled, _bound(below)))
        for where, kind, below in case.get("concern_side", 3):
            one = (str(kind), hexside_from_symbol(where))
            sides[one] = max(_bound(below), sides.get(one, _bound(below)))
        inherent |= {(hex_from_symbol(where), str(kind)) for where, kind in case.get("inherent", 2)}
        exits |= {hex_from_symbol(where) for (where,) in case.get("asks_exit", 1)}
        exit_sides |= {hexside_from_symbol(where) for (where,) in case.get("asks_side", 1)}
        for where, building in case.get("asks_inside", 2):
            insides[hex_from_symbol(where)] = buildings.setdefault(str(building), len(buildings))
        channels |= {(hex_from_symbol(where), str(kind)) for where, kind in case.get("channel", 2)}
        channel_sides |= {hexside_from_symbol(where) for (where,) in case.get("channel_side", 1)}
        roads |= {hex_from_symbol(where) for (where,) in case.get("asks_road", 1)}
        ends |= {hex_from_symbol(where) for (where,) in case.get("asks_ends", 1)}
        dug |= {hex_from_symbol(where) for (where,) in case.get("asks_follows", 1)}
    return LosRelevance(
        parts,
        frozenset(inherent),
        sides,
        frozenset(exits),
        insides,
        frozenset(exit_sides),
        dot_lines,
        frozenset(channels),
        frozenset(channel_sides),
        frozenset(dug),
        frozenset(roads),
        frozenset(ends),
    )


def _bound(below: clingo.Symbol) -> int:
    """The elevation below which an end of a line must lie, in half levels; #sup is above them all."""
    return ALWAYS if below.type == clingo.SymbolType.Supremum else below.number
