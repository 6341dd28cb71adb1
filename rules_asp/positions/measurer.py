"""Measurer: the lines and hexsides of a position, measured as the rules request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import clingo

from rules_asp.game.grid import Hex, Hexside, Location, Spot, hexside_between
from rules_asp.game.values import hex_from_symbol, hexside_from_symbol
from rules_asp.geometry.exact import clearance
from rules_asp.geometry.shapes import Shapes
from rules_asp.geometry.survey import ALWAYS, LineFacts, LosRelevance, survey_lines
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.position_index import PositionIndex

#: Largest gap between a depiction and a hexside that is measured, in lattice units.
NEARBY = 100

_Lines = Iterable[tuple[Spot, Spot]]
_Ends = Iterable[Location]


def los_relevance_of(cases: Iterable[AnswerSet]) -> LosRelevance:
    """Return which depictions the knowledge base declares relevant to lines, over all cases."""
    parts: dict[tuple[Hex, str], int] = {}
    sides: dict[tuple[str, Hexside], int] = {}
    dot_lines: dict[Hexside, int] = {}
    inherent: set[tuple[Hex, str]] = set()
    facing: dict[tuple[Hex, str, Hex], set[str]] = {}
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
        for where, kind, below in case.get("los_relevant", 3):
            part = (hex_from_symbol(where), str(kind))
            parts[part] = max(_bound(below), parts.get(part, _bound(below)))
        for where, below in case.get("los_relevant_dot_line", 2):
            straddled = hexside_from_symbol(where)
            dot_lines[straddled] = max(_bound(below), dot_lines.get(straddled, _bound(below)))
        for where, kind, below in case.get("los_relevant_side", 3):
            one = (str(kind), hexside_from_symbol(where))
            sides[one] = max(_bound(below), sides.get(one, _bound(below)))
        inherent |= {(hex_from_symbol(where), str(kind)) for where, kind in case.get("inherent", 2)}
        for where, kind, other, beside in case.get("los_faced", 4):
            part_beside = hex_from_symbol(where), str(kind), hex_from_symbol(other)
            facing.setdefault(part_beside, set()).add(str(beside))
        exits |= {hex_from_symbol(where) for (where,) in case.get("measure_exit", 1)}
        exit_sides |= {hexside_from_symbol(where) for (where,) in case.get("measure_side", 1)}
        for where, building in case.get("measure_inside", 2):
            insides[hex_from_symbol(where)] = buildings.setdefault(str(building), len(buildings))
        channels |= {
            (hex_from_symbol(where), str(kind)) for where, kind in case.get("depression_hex", 2)
        }
        channel_sides |= {hexside_from_symbol(where) for (where,) in case.get("channel_side", 1)}
        roads |= {hex_from_symbol(where) for (where,) in case.get("measure_road", 1)}
        ends |= {hex_from_symbol(where) for (where,) in case.get("measure_ends", 1)}
        dug |= {hex_from_symbol(where) for (where,) in case.get("measure_hexside_line", 1)}
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
        {part: frozenset(kinds) for part, kinds in facing.items()},
    )


def _bound(below: clingo.Symbol) -> int:
    """Return the elevation that an end of a line must be below, in half levels; #sup has no limit."""
    return ALWAYS if below.type == clingo.SymbolType.Supremum else below.number


@dataclass(frozen=True)
class Measurer:
    """Measures the depictions of a position; its results are facts as text for clingo."""

    shapes: Shapes
    index: PositionIndex
    _rims: dict[Hex, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def concerns(self) -> LosRelevance:
        """The depictions that the knowledge base declares relevant to lines, over all cases."""
        return los_relevance_of(self.index.cases)

    def surveyed(self, lines: _Lines, ends: _Ends, of: LosRelevance | None = None) -> LineFacts:
        """Measure the depictions on these lines that are relevant between these ends and, if given,
        to `of`."""
        lowest: dict[Spot, int] = {}
        for end in ends:
            level = self.index.lowest_level(end)
            if level is not None:
                lowest[end.spot] = min(level, lowest.get(end.spot, level))
        return survey_lines(self.shapes, of or self.concerns, lines, lowest)

    def measured(self, lines: _Lines, ends: _Ends) -> tuple[str, ...]:
        """Return the measured facts of lines, each as text for clingo."""
        return self.surveyed(lines, ends).facts

    @cached_property
    def drawn(self) -> Mapping[Hex, tuple[str, ...]]:
        """The kinds of depictions in each hex."""
        kinds: dict[Hex, list[str]] = {}
        for hex_, kind in self.shapes.pieces:
            kinds.setdefault(hex_, []).append(kind)
        return {hex_: tuple(each) for hex_, each in kinds.items()}

    def rim(self, hex_: Hex) -> Sequence[str]:
        """Return facts about the hexsides and vertices that the depictions of a hex reach, with
        distances.

        The facts are text for clingo.
        """
        if hex_ not in self._rims:
            self._rims[hex_] = tuple(self._rim(hex_))
        return self._rims[hex_]

    def _rim(self, hex_: Hex) -> Iterator[str]:
        for kind in self.drawn.get(hex_, ()):
            filled = (hex_, kind) in self.concerns.inherent
            for direction in range(6):
                spans = self.shapes.spans.get((hex_, direction, kind), ())
                across = hexside_between(hex_, hex_.neighbour(direction))
                if spans or filled:
                    yield f"covers({hex_.term},{kind},{across.term})."
                elif (room := clearance(self.shapes, hex_, direction, kind)) is not None and (
                    room < NEARBY
                ):
                    yield f"leaves_room({hex_.term},{kind},{across.term},{room})."
                after = self.shapes.spans.get((hex_, (direction + 1) % 6, kind), ())
                ends = {point for stretch in (*spans, *after) for point in stretch}
                if filled or hex_.corner(direction) in ends:
                    yield f"touches({hex_.term},{kind},{direction})."
