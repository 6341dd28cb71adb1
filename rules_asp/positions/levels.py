"""The level of each Location, over all cases that a board leaves open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rules_asp.knowledge.running import AnswerSet
from rules_asp.terms.grid import Location
from rules_asp.terms.symbols import location_from_symbol


def possible_levels(cases: Sequence[AnswerSet]) -> dict[Location, int]:
    """The level of every Location, in half levels: in the first case, if they differ."""
    return {
        location_from_symbol(where): level.number
        for case in reversed(cases)
        for where, level in case.get("at_level", 2)
    }


def uncertain_levels(cases: Sequence[AnswerSet]) -> Mapping[Location, int]:
    """The Locations whose level is not the same in all cases, each with its lowest."""
    levels: dict[Location, set[int]] = {}
    for case in cases if len(cases) > 1 else ():
        for where, level in case.get("at_level", 2):
            levels.setdefault(location_from_symbol(where), set()).add(level.number)
    return {location: min(each) for location, each in levels.items() if len(each) > 1}
