"""PositionIndex: the Locations of a position, their levels and buildings, over all cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import clingo

from rules_asp.game.grid import Hex, Location, Vertex, hex_of_spot
from rules_asp.game.map_layout import MapNames
from rules_asp.game.values import hex_from_symbol, location_from_symbol
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import FactIndex, Mentions, QueryFacts


def possible_levels(cases: Sequence[AnswerSet], names: MapNames) -> dict[Location, int]:
    """Return the level of every Location, in half levels; if cases differ, that of the first."""
    return {
        location_from_symbol(where, names): level.number
        for case in reversed(cases)
        for where, level in case.get("at_level", 2)
    }


def uncertain_levels(cases: Sequence[AnswerSet], names: MapNames) -> Mapping[Location, int]:
    """Return the Locations whose level differs between cases, each with its lowest level."""
    levels: dict[Location, set[int]] = {}
    for case in cases if len(cases) > 1 else ():
        for where, level in case.get("at_level", 2):
            levels.setdefault(location_from_symbol(where, names), set()).add(level.number)
    return {location: min(each) for location, each in levels.items() if len(each) > 1}


@dataclass(frozen=True)
class PositionIndex:
    """An index of a position by hex and Location; each part is built on first use.

    `cases` are the answer sets of the static layer, `board_facts` the facts of the board itself.
    """

    cases: Sequence[AnswerSet]
    board_facts: FactIndex
    names: MapNames
    mentions: Mentions

    @cached_property
    def wholes(self) -> Mapping[Hex, frozenset[Hex]]:
        """The hexes of the building of each hex, over all cases."""
        members: dict[clingo.Symbol, set[Hex]] = {}
        for case in self.cases:
            for where, building in case.get("building", 2):
                members.setdefault(building, set()).add(hex_from_symbol(where, self.names))
        return {each: frozenset(all_) for all_ in members.values() for each in all_}

    def around(self, question: QueryFacts) -> frozenset[Hex]:
        """Return the hexes relevant to a question: its own hexes, their neighbors, and the whole
        buildings of both.

        A norm about a hex reads that hex, adjacent hexes and its building. A test compares answers
        from this part of the board with answers from the whole board.
        """
        named_hexes = question.hexes | self.manned if question.asks else question.hexes
        near = named_hexes.union(*(each.neighbours() for each in named_hexes))
        return near.union(*(self.wholes.get(each, ()) for each in near))

    @cached_property
    def manned(self) -> frozenset[Hex]:
        """The hexes with units: a question about a unit may depend on them."""
        return self.mentions.among(self.board_facts.named("at"))[0]

    @cached_property
    def in_bypass(self) -> frozenset[Location]:
        """The vertices with units; no map lists them."""
        stands = (
            location_from_symbol(at.arguments[1], self.names) for at in self.board_facts.named("at")
        )
        return frozenset(each for each in stands if isinstance(each.spot, Vertex))

    @cached_property
    def elevations(self) -> Mapping[Location, int]:
        """The level of every Location of the map, in half levels; if cases differ, that of the
        first."""
        return possible_levels(self.cases, self.names)

    @cached_property
    def _unsure(self) -> Mapping[Location, int]:
        return uncertain_levels(self.cases, self.names)

    def levels_told(self, ends: Iterable[Location]) -> tuple[int | None, ...]:
        """Return the level of each Location, in half levels; None if it differs between cases."""
        return tuple(None if end in self._unsure else self.elevation(end) for end in ends)

    @cached_property
    def bases(self) -> Mapping[Hex, int]:
        """The base level of every hex, in half levels."""
        stated = (fact.arguments for fact in self.board_facts.named("base"))
        return {hex_from_symbol(where, self.names): level.number for where, level in stated}

    def elevation(self, location: Location) -> int | None:
        """Return the level of a Location, in half levels; None if there is no such Location."""
        if isinstance(location.spot, Vertex):
            return self.bases.get(hex_of_spot(location.spot)) if location.floor == 0 else None
        if location.above is not None:
            base = self.bases.get(location.spot)
            return None if base is None else base + 2 * location.above
        return self.elevations.get(location)

    def lowest_level(self, location: Location) -> int | None:
        """Return the lowest level of a Location over all cases, in half levels; None if there is no
        such Location."""
        return self._unsure.get(location, self.elevation(location))

    def has_location(self, location: Location) -> bool:
        """Test whether a Location exists; its level may be unknown."""
        known = (
            location_from_symbol(each[0], self.names)
            for case in self.cases
            for each in case.get("location", 1)
        )
        return self.elevation(location) is not None or location in known
