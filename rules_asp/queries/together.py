"""Units that act together if a player names only their Location."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from rules_asp.game.grid import Location
from rules_asp.game.values import to_board_text
from rules_asp.positions.locations import units_at
from rules_asp.positions.position import Position


@dataclass(frozen=True)
class UnitsTogether:
    """Units of one side in one Location.

    `moving` move as a stack. `firing` fire, and `directing` are the leaders that can direct them.
    """

    at: Location
    side: str | None
    moving: tuple[str, ...]
    firing: tuple[str, ...]
    directing: tuple[str, ...]


def units_together(position: Position) -> tuple[UnitsTogether, ...]:
    """Return the units of each Location by sides; those with Infantry first.

    Infantry that can move does so as a stack, each other unit by itself.
    """
    case = position.cases[0]
    infantry, directing, staying = (
        {unit.string for (unit,) in case.get(name, 1)}
        for name in ("infantry", "can_direct", "cannot_move")
    )
    leaders = {unit.string for unit, kind in case.get("unit", 2) if str(kind) == "leader"}
    sides = {unit.string: str(side) for unit, side in case.get("of_side", 2)}
    groups: dict[tuple[Location, str | None], list[str]] = {}
    for unit, at in units_at(position).items():
        groups.setdefault((at, sides.get(unit)), []).append(unit)
    found = [
        UnitsTogether(
            at,
            side,
            _moving([e for e in units if e in infantry], staying) or tuple(units[:1]),
            tuple(e for e in units if e not in leaders),
            tuple(e for e in units if e in directing),
        )
        for (at, side), units in groups.items()
    ]
    return tuple(sorted(found, key=lambda e: infantry.isdisjoint(e.moving)))


def _moving(infantry: Sequence[str], staying: Container[str]) -> tuple[str, ...]:
    """Return the Infantry that can move; all of it if none can."""
    return tuple(e for e in infantry if e not in staying) or tuple(infantry)


def stack_named(position: Position, units: Sequence[str]) -> Sequence[str]:
    """Return the units that move together; a Location stands for those in it."""
    if len(units) != 1 or units[0] in units_at(position):
        return units
    there = (
        e.moving for e in units_together(position) if to_board_text(e.at, "location") == units[0]
    )
    return next(there, units)
