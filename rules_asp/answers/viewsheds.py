"""What is seen from one Location: its sights to all others, through the passes of `all_sights`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rules_asp.answers.all_sights import LosSweep
from rules_asp.answers.verdicts_read import LosVerdict
from rules_asp.positions.belonging import Answer
from rules_asp.positions.prepared import Position
from rules_asp.terms.grid import Location
from rules_asp.terms.query import location_sort_key


@dataclass(frozen=True)
class Viewshed(Answer):
    """The sights from a Location to others, in the order of these. `level` in half levels.

    `doubtful` are the places in doubt, each with the Locations to which a line passes it.
    """

    eye: Location
    level: int
    sights: tuple[tuple[Location, LosVerdict], ...]
    doubtful: tuple[tuple[str, tuple[Location, ...]], ...] = ()


def sees(position: Position, eye: Location, ends: Iterable[Location]) -> Viewshed:
    """What is seen from a Location of these others; only lines from it are measured.

    Errors as of `all_sights.Sweep`.
    """
    sweep = LosSweep(position, ends, [eye])
    found = {
        (one if two == eye else two): verdict
        for part in sweep.parts()
        for (one, two), verdict in sweep.verdicts(part).items()
    }
    ordered = sorted(found, key=location_sort_key)
    level = position.elevation(eye) or 0
    return Viewshed(eye, level, tuple((each, found[each]) for each in ordered))
