"""By what a place is cut off: the steps that are forbidden, where no way leads round them."""

from __future__ import annotations

from rules_asp.answers.budgets import cost_unit
from rules_asp.answers.movement import Moves, Unreached
from rules_asp.answers.routes import MoveStep
from rules_asp.answers.step_search import StepSearch
from rules_asp.positions.next_turns import next_turn
from rules_asp.positions.prepared import Position
from rules_asp.positions.settling import location_of_unit
from rules_asp.terms.grid import Hex, Location, Vertex, hex_of_spot

#: In so many hexes at most it is looked for what cuts a place off: a large building has as many.
_MOST_HEXES = 24


def why_unreached(position: Position, found: Moves, place: Location) -> Unreached:
    """By what a place is not reached for certain; where no step leads there, by what it is cut off."""
    short = found.short_of(place)
    if short.unknown or short.steps or found.single or found.to(place):
        return short
    if found.turns > 1:
        # What bars a step in this turn alone does not cut anything off for several.
        position = next_turn(position)
    if place in found.too_dear:
        return Unreached((), ())
    come_to = {found.start, *(each.to for each in (*found.reach, *found.passed, *found.perhaps))}
    search = _search(position, found.units, found.by, place)
    return Unreached((), _cutting_off(search, come_to, place) or _shut_in(search, come_to, found))


def blocking_steps(position: Position, found: Moves, place: Location) -> tuple[MoveStep, ...]:
    """The forbidden steps of ways to a place that is too far round them, and would not be through them."""
    if place not in found.too_dear or found.single or found.turns > 1:
        return ()
    search = _search(position, found.units, found.by, place)
    _ask_around(search, {hex_of_spot(place.spot)})
    return search.least().closing().get(place, ())


def _cutting_off(
    search: StepSearch, come_to: set[Location], place: Location
) -> tuple[MoveStep, ...]:
    """The forbidden steps out of where they can go to where alone a way on to the place begins.

    None where something else is the reason: that it is too far, or that no step leads there at all.
    """
    hexes = {hex_of_spot(each.spot) for each in come_to}
    if hex_of_spot(place.spot) not in hexes.union(*(each.neighbours() for each in hexes)):
        return ()
    region, new, looked_at = {place}, {place}, set[Hex]()
    while new and not new & come_to:
        middle = {hex_of_spot(each.spot) for each in new} - looked_at
        looked_at |= middle
        if len(looked_at) > _MOST_HEXES:
            return ()
        _ask_around(search, middle)
        before = (step for steps in search.steps.values() for step in steps)
        new = {step.start for step in before if step.to in region and step.legal is not False}
        new -= region
        region |= new
    if new:
        return ()
    steps = [step for each in come_to for step in search.steps.get(each, ())]
    return tuple(step for step in steps if step.to in region)


def _shut_in(search: StepSearch, come_to: set[Location], found: Moves) -> tuple[MoveStep, ...]:
    """The steps out of all that they can come to, where each is forbidden and none is too dear."""
    search.ask([each for each in come_to if each not in search.steps])
    out = [step for each in come_to for step in search.steps[each] if step.to not in come_to]
    shut = all(step.legal is False and step.to not in found.too_dear for step in out)
    return tuple(sorted(out, key=str)) if shut else ()


def is_closed_off(position: Position, unit: str, phase: str, place: Location) -> bool:
    """Whether each step to a place is forbidden to a unit, wherever it begins: no way leads there then.

    So it is whatever the unit can spend, which need not be known. A step from elsewhere in the hex counts
    where that can be come to.
    """
    by = next(str(b) for each, b in position.cases[0].get("moves_by", 2) if str(each) == phase)
    search = _search(position, (unit,), by, place)
    middle = hex_of_spot(place.spot)
    _ask_around(search, {middle})
    steps = [step for each in search.steps.values() for step in each]
    region, new = {place}, {place}
    while new:
        last = [step for step in steps if step.to in region and step.start not in region]
        first = {step.start for step in last if step.legal is not False}
        new = {each for each in first if hex_of_spot(each.spot) == middle and each != search.start}
        if first != new:
            return False
        region |= new
    return any(step.to == place for step in steps)


def _search(position: Position, units: tuple[str, ...], by: str, place: Location) -> StepSearch:
    """The steps of the units on their way to a place."""
    paid = cost_unit(position, by, units)
    start = location_of_unit(position, units[0])
    return StepSearch(position, units, by, start, 1, None, paid, False, None, place)


def _ask_around(search: StepSearch, middle: set[Hex]) -> None:
    """See what the steps out of each Location in these hexes, and next to them, are."""
    position = search.position
    hexes = {near for each in middle for near in (each, *each.neighbours())}
    corners = (Location(Vertex(each, corner)) for each in hexes for corner in range(6))
    near = [each for each in position.elevations if hex_of_spot(each.spot) in hexes]
    near += [each for each in corners if each not in position.elevations]
    search.ask(
        [
            each
            for each in near
            if each not in search.steps and hex_of_spot(each.spot) in position.bases
        ]
    )
