"""`turn`: for each unit of a side, where it can move, its targets, and its possible firers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from rules_asp.explain import layout
from rules_asp.explain.record import Record, mf_number
from rules_asp.game.grid import Location, hex_of_spot
from rules_asp.game.values import to_board_text
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.positions.locations import units_at
from rules_asp.positions.name_resolution import location_of_unit
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict
from rules_asp.queries.fire_table import Attack, attacks_of_side, units_of
from rules_asp.queries.movement import FEWER_MOVES
from rules_asp.queries.paths import ReachedLocation, cost_unit, step_kind
from rules_asp.queries.question import Answer, LimitNote, ParameterKind, Question, parameter
from rules_asp.queries.step_search import StepSearch, explore
from rules_asp.queries.variants import in_phase_if_stated

#: The phases of a Player Turn for movement, for the side's fire, and for fire at the side.
MOVE, FIRE, FIRED_AT = "mph", "pfph", "dfph"
#: Maximum number of units in a row.
_NAMED = 4
#: Maximum number of reasons.
_REASONS = 8


@dataclass(frozen=True)
class UnitTurn:
    """The options of a unit in its Player Turn: reachable Locations, its attacks, and attacks on
    it."""

    unit: str
    place: Location
    reach: tuple[ReachedLocation, ...]
    perhaps: tuple[ReachedLocation, ...]
    targets: tuple[Attack, ...]
    firers: tuple[Attack, ...]

    @property
    def farthest(self) -> tuple[Location, int] | None:
        """The reached Location that is farthest away, and its range in hexes."""
        here = hex_of_spot(self.place.spot)
        ranges = ((each.to, here.range_to(hex_of_spot(each.to.spot))) for each in self.reach)
        return max(ranges, key=lambda each: (each[1], str(each[0])), default=None)

    def row(self) -> layout.Row:
        """The unit in a table."""
        reach, far = len(self.reach), self.farthest
        to = "" if far is None else f", to {to_board_text(far[0], 'location')} ({far[1]})"
        perhaps = f" +{len(self.perhaps)}?" if self.perhaps else ""
        return (
            layout.strong(self.unit),
            to_board_text(self.place, "location"),
            f"{reach}{perhaps}{to}" if reach or perhaps else "-",
            _ends(self.targets, "on"),
            _ends(self.firers, "by"),
        )

    def record(self) -> Record:
        """Return the unit with reachable Locations, targets and firers as JSON."""
        far = self.farthest
        return {
            "unit": self.unit,
            "at": to_board_text(self.place, "location"),
            "reach": [to_board_text(each.to, "location") for each in self.reach],
            "perhaps": [to_board_text(each.to, "location") for each in self.perhaps],
            "farthest": None if far is None else to_board_text(far[0], "location"),
            "range": 0 if far is None else far[1],
            "targets": _ends_record(self.targets, "on"),
            "firers": _ends_record(self.firers, "by"),
        }


def _ends(attacks: Iterable[Attack], end: str) -> str:
    """Return the other units of these attacks with the best DRM, or as possible."""
    some = [each for each in attacks if each.firepower != 0]
    able = [each for each in some if each.is_able]
    names = [f"{getattr(each.shot, end)} {each.best_text}" for each in able]
    names += [f"{getattr(each.shot, end)} perhaps" for each in some if each.legal is None]
    return layout.first_few(names, _NAMED) if names else "-"


def _ends_record(attacks: Iterable[Attack], end: str) -> list[Record]:
    return [
        {
            "unit": getattr(each.shot, end),
            "legal": each.legal,
            "firepower": mf_number(each.firepower),
            "best_drm": each.best_drm,
        }
        for each in attacks
        if each.legal is not False
    ]


@dataclass(frozen=True)
class PlayerTurn(Answer):
    """The options of each unit of a side in its Player Turn.

    Fire by the side is that of the PFPh, and fire at it that of the DFPh. A board without a Player
    Turn is used unchanged. `unplaced` are units at a place that is not a Location.
    """

    side: str
    units: tuple[UnitTurn, ...]
    cites: Citations = NO_CITATIONS
    unplaced: tuple[str, ...] = ()

    @property
    def word(self) -> Verdict:
        """Whether the side has a unit that can do something."""
        some = any(
            each.reach or any(attack.is_able for attack in each.targets) for each in self.units
        )
        return Verdict.YES if some else Verdict.NOT_SO

    def items(self) -> tuple[layout.Item, ...]:
        """Each unit with its reachable Locations, targets and firers."""
        return tuple(
            layout.Item(each.unit, f"to {to} Locations, at {len(at)}, from {len(by)}")
            for each in self.units
            for to, at, by in [(len(each.reach), _able(each.targets), _able(each.firers))]
        )

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """A row for each unit."""
        heads = ("Unit", "In", "Can go", "Can fire at", "Can be fired at by")
        many = len(self.units)
        return self.reported(
            self.cites.norms,
            layout.Line(f"The {self.side} Player Turn: {many} unit{'s' * (many != 1)}"),
            layout.Table([each.row() for each in self.units], heads=heads),
            layout.Line(
                layout.dim("Behind a unit: the best DRM with a leader. ?: it may be more.")
            ),
            layout.Table([(", ".join(self.unplaced),)] if self.unplaced else [], "In no Location"),
            layout.Table(list(self._unknown(view.everything)), "Unknown because"),
            self.ending(self.cites),
        )

    def _unknown(self, whole: bool) -> Iterator[layout.Row]:
        """Yield each reason for an unknown attack, FP or DRM, with the units that fire."""
        found: dict[str, dict[str, None]] = {}
        for each in (each for row in self.units for each in (*row.targets, *row.firers)):
            for why in each.doubts if each.firepower != 0 else ():
                found.setdefault(str(why), {})[each.by] = None
        rows = list(found.items())
        shown = rows if whole else rows[:_REASONS]
        for reason, units in shown:
            yield layout.first_few(list(units), _NAMED), reason
        if rest := len(rows) - len(shown):
            yield f"and {rest} more", ""

    def record(self) -> Record:
        """The units of the side."""
        return {
            "board": self.position.board.name,
            "verdict": self.word,
            "side": self.side,
            "units": [each.record() for each in self.units],
            "unplaced": list(self.unplaced),
            **self.ending_record(self.cites),
        }


def _able(attacks: Iterable[Attack]) -> list[Attack]:
    return [each for each in attacks if each.is_able]


@dataclass(frozen=True)
class TurnQuestion(Question[PlayerTurn]):
    """Show a Player Turn at a glance.

    The answer of `turn` contains one row for each unit of SIDE. Each row shows where a unit can
    move, whom this unit can fire at in the PFPh, and who can fire at this unit in the DFPh. A
    board without a `turn` line is used as it is.

    Example: rules-asp turn assault german
    """

    kind = "turn"
    side: str = parameter(ParameterKind.SIDE)

    def limit_note(self) -> LimitNote:
        """It may take long."""
        return LimitNote(f"turn of {self.side}", FEWER_MOVES)

    def find(self, position: Position, cite: bool) -> PlayerTurn:
        """A row for each unit."""
        return player_turn(position, self.side, cite)

    def scope(self, position: Position, answer: PlayerTurn) -> Scope:
        """The units of the side and where they are."""
        hexes = frozenset(hex_of_spot(each.place.spot) for each in answer.units)
        return Scope(hexes, frozenset(each.unit for each in answer.units))


def player_turn(position: Position, side: str, cite: bool = True) -> PlayerTurn:
    """Return the options of each unit of a side in its Player Turn; QuestionError for a side
    without units."""
    units = units_of(position, side)
    moving, firing, fired_at = (
        in_phase_if_stated(position, phase, side) for phase in (MOVE, FIRE, FIRED_AT)
    )
    own, cites, evidence = attacks_of_side(firing, side, True, cite)
    others, more, further = attacks_of_side(fired_at, side, False, cite)
    on, by = _by(own, "by"), _by(others, "on")
    places = units_at(position)
    unplaced = tuple(unit for unit in units if not position.index.has_location(places[unit]))
    reach = reach_of_each(moving, [unit for unit in units if unit not in unplaced], MOVE)
    rows = tuple(
        UnitTurn(
            unit,
            places[unit],
            *reach[unit],
            tuple(on.get(unit, ())),
            tuple(by.get(unit, ())),
        )
        for unit in reach
    )
    shown = evidence + further
    return PlayerTurn(side, rows, cites.union(more), unplaced, evidence=shown)


#: The Locations that a unit reaches certainly, and those that it possibly reaches.
Reach = tuple[tuple[ReachedLocation, ...], tuple[ReachedLocation, ...]]


def reach_of_each(position: Position, units: Iterable[str], phase: str = "mph") -> dict[str, Reach]:
    """Return the reachable Locations of each unit on its own, as `moves` does, in one question."""
    by = step_kind(position, phase)
    searches = {
        unit: StepSearch(
            position, (unit,), by, location_of_unit(position, unit), 1, None,
            cost_unit(position, by, (unit,)), False, None,
        )
        for unit in units
    }  # fmt: skip
    explore(*searches.values())
    return {unit: _reach(search) for unit, search in searches.items()}


def _reach(search: StepSearch) -> Reach:
    reached = sorted(search.routes.reached(), key=ReachedLocation.sort_key)
    perhaps = sorted(search.routes.perhaps(), key=ReachedLocation.sort_key)
    return tuple(each for each in reached if each.to not in search.passing), tuple(perhaps)


def _by(attacks: Iterable[Attack], end: str) -> Mapping[str, list[Attack]]:
    """Group the attacks by the unit at one of their ends."""
    found: dict[str, list[Attack]] = {}
    for each in attacks:
        found.setdefault(getattr(each.shot, end), []).append(each)
    return found
