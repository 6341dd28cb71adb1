"""A Player Turn at a glance: where each unit of a side can go, at whom it can fire, who can fire at it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rules_asp.game.grid import Location
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.positions.answer import Verdict
from rules_asp.positions.locations import units_at
from rules_asp.positions.position import Position
from rules_asp.queries.fire_table import Attack, attacks_of_side, units_of
from rules_asp.queries.movement import Moves, moves
from rules_asp.queries.variants import in_phase_if_stated

#: The phases of a Player Turn in which the side moves and fires, and in which it is fired at.
MOVE, FIRE, FIRED_AT = "mph", "pfph", "dfph"


@dataclass(frozen=True)
class UnitTurn:
    """What a unit can do in its Player Turn: its moves, its attacks, and the attacks on it where it is."""

    unit: str
    place: Location
    moves: Moves
    targets: tuple[Attack, ...]
    firers: tuple[Attack, ...]


@dataclass(frozen=True)
class PlayerTurn(Answer):
    """What each unit of a side can do in a Player Turn of it.

    Its own fire is that of the PFPh, the fire at it that of the DFPh. A board that does not state its
    Player Turn is asked as it is.
    """

    side: str
    units: tuple[UnitTurn, ...]
    cites: Citations = NO_CITATIONS

    @property
    def word(self) -> Verdict:
        """Whether the side has a unit that can do something."""
        some = any(
            each.moves.reach or any(attack.is_able for attack in each.targets)
            for each in self.units
        )
        return Verdict.YES if some else Verdict.NOT_SO


def player_turn(position: Position, side: str, cite: bool = True) -> PlayerTurn:
    """What each unit of a side can do in its Player Turn; QuestionError for a side without units."""
    moving, firing, fired_at = (
        in_phase_if_stated(position, phase, side) for phase in (MOVE, FIRE, FIRED_AT)
    )
    units = units_of(position, side)
    own, cites = attacks_of_side(firing, side, True, cite)
    others, more = attacks_of_side(fired_at, side, False, cite)
    on, by = _by(own, "by"), _by(others, "on")
    places = units_at(position)
    rows = tuple(
        UnitTurn(
            unit,
            places[unit],
            moves(moving, (unit,), MOVE, cite=False),
            tuple(on.get(unit, ())),
            tuple(by.get(unit, ())),
        )
        for unit in units
    )
    return PlayerTurn(side, rows, cites.union(more))


def _by(attacks: Iterable[Attack], end: str) -> Mapping[str, list[Attack]]:
    """The attacks by the unit at one of their ends."""
    found: dict[str, list[Attack]] = {}
    for each in attacks:
        found.setdefault(getattr(each.shot, end), []).append(each)
    return found
