"""State of the game: counters at their places become statements of the board language.

In a stack, the order decides which counters belong together. A level counter gives the level of all
counters above it up to the next one. A state counter or a support weapon belongs to the next unit
below it. A counter that may be terrain or a Fortification, but has no statement, makes its hex
unknown terrain. Other counters without a statement become doubts. The report lists the result of
each counter.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rules_asp.game.board import Area, Doubt, Fact, Statement, UnitStatement
from rules_asp.game.grid import Hex, Hexside, Location
from rules_asp.game.values import Term
from rules_asp.saves.pieces import (
    LEVEL_KINDS,
    NATIONS,
    SCENARIO_KINDS,
    STATE_KINDS,
    UNIT_KINDS,
    Counter,
    Recognized,
    recognize,
)

#: A remark in the report of every game.
HIDDEN = 'hidden pieces are not looked at; a concealed piece is a "?" of its side'
#: The place of a counter: a hex or a hexside of the map, or None off the map.
Place = Hex | Hexside | None
#: Nations that are Axis, and nations that are Allied, in every scenario.
_AXIS, _ALLIED = frozenset({"german", "japanese"}), frozenset({"russian", "british", "american"})
_BARRELS = {"": "normal", "*": "short", "L": "long", "LL": "extra_long"}
_SHORT = {
    "squad": "sq",
    "half_squad": "hs",
    "leader": "ldr",
    "commissar": "com",
    "vehicle": "veh",
    "unidentified": "con",
}
_INFANTRY = frozenset(
    {"squad", "half_squad", "crew", "leader", "hero", "commissar", "unidentified"}
)


@dataclass(frozen=True)
class CounterReport:
    """The result of each counter, as (place, name, result), and remarks.

    ignored, off_board: how many counters there are of each name.
    assumed: the assumptions of the import.
    """

    recognized: tuple[tuple[str, str, str], ...] = ()
    unrecognized: tuple[tuple[str, str, str], ...] = ()
    ignored: Mapping[str, int] = field(default_factory=dict)
    off_board: Mapping[str, int] = field(default_factory=dict)
    assumed: tuple[str, ...] = ()


@dataclass(frozen=True)
class ImportedGame:
    """An imported game: its text, the board files that it uses, and the results of its counters.

    boards: the files by name.
    told: missing or doubtful points of the map.
    log: the number of steps of the log, and of the steps replayed.
    turn: further data of the turn window.
    """

    text: str
    boards: Mapping[str, str]
    report: CounterReport
    told: tuple[str, ...] = ()
    log: tuple[int, int] = (0, 0)
    values: tuple[tuple[str, str], ...] = ()
    version: str = ""
    extensions: tuple[str, ...] = ()


@dataclass
class _Unit:
    """A unit while it is assembled."""

    name: str
    type: str
    place: Place
    floor: int | str
    nation: str
    shown: str
    facts: list[Fact] = field(default_factory=list)

    def add(self, name: str, *args: Term) -> None:
        """State a fact of the unit, once."""
        fact = Fact(name, (self.name, *args))
        if fact not in self.facts:
            self.facts.append(fact)


class GameState:
    """The counters of a position as statements; `stacks` are the stacks by place, bottom first."""

    def __init__(
        self,
        stacks: Iterable[tuple[Place, Sequence[Counter]]],
        sides: Mapping[str, str] | None = None,
    ) -> None:
        self._sides = dict(sides or {})
        self._units: list[_Unit] = []
        self._facts: dict[Fact, None] = {}
        self._greatest: dict[tuple[str, Location], int] = {}
        self._unknown: dict[str, dict[Hex, None]] = {}
        self._doubts: dict[Doubt, None] = {}
        self._recognized: list[tuple[str, str, str]] = []
        self._unrecognized: list[tuple[str, str, str]] = []
        self._ignored: Tally[str] = Tally()
        self._off_board: Tally[str] = Tally()
        self._assumed: dict[str, None] = {}
        self._numbers: Tally[str] = Tally()
        self._turn: tuple[str, int, str] | None = None
        self._nations: set[str] = set()
        placed = sorted(stacks, key=lambda each: _order(each[0]))
        for place, counters in placed:
            self._nations.update(
                NATIONS[each.nation] for each in counters if each.nation in NATIONS
            )
            self._stack(place, counters)

    # --- the result

    def statements(self, moving: str = "", turn: int | None = None) -> tuple[Statement, ...]:
        """Return the statements, the scenario's first; `moving`, `turn`: from the turn window."""
        sides = self.side_words()
        facts = [*self._turn_facts(moving, turn), *(Fact("side", (each,)) for each in sides)]
        facts += self._facts
        facts += [
            Fact(name, (place, number))
            for (name, place), number in sorted(
                self._greatest.items(), key=lambda each: (each[0][0], str(each[0][1]))
            )
        ]
        areas = [Area(kind, tuple(hexes)) for kind, hexes in sorted(self._unknown.items())]
        units = [self._unit_statement(each) for each in self._units]
        return (*facts, *areas, *units, *self._doubts)

    def legend(self) -> str:
        """Return the names of vehicles and Guns as comments; unit lines have no place for them."""
        named = (each for each in self._units if each.type in ("vehicle", "gun"))
        return "".join(f"# {each.name}: {each.shown}\n" for each in named)

    def report(self) -> CounterReport:
        """Return the result of each counter."""
        return CounterReport(
            tuple(self._recognized),
            tuple(self._unrecognized),
            dict(sorted(self._ignored.items())),
            dict(sorted(self._off_board.items())),
            tuple(self._assumed),
        )

    @property
    def nations(self) -> tuple[str, ...]:
        """Return the nations of all counters that show one, on and off the map."""
        return tuple(sorted(self._nations))

    def side_words(self) -> tuple[str, ...]:
        """Return both sides, if exactly two sides are known; else nothing."""
        found = {side for nation in self.nations if (side := self._side(nation))}
        return tuple(sorted(found)) if len(found) == 2 else ()

    def _side(self, nation: str) -> str:
        if nation in self._sides:
            return self._sides[nation]
        return nation if len(self.nations) <= 2 and not self._sides else ""

    def _unit_statement(self, unit: _Unit) -> UnitStatement:
        facts = [Fact("unit", (unit.name, unit.type))]
        side = self._side(unit.nation) if unit.nation else ""
        facts += [each for each in unit.facts if each.name == "strength"]
        if side:
            facts.append(Fact("of_side", (unit.name, _word(side))))
        if isinstance(unit.place, Hex):
            facts.append(Fact("at", (unit.name, Location(unit.place, unit.floor))))
        facts += [each for each in unit.facts if each.name != "strength"]
        if unit.nation and side != unit.nation:
            facts.append(Fact("nationality", (unit.name, _word(unit.nation))))
        return UnitStatement(unit.name, tuple(facts))

    def _turn_facts(self, moving: str, turn: int | None) -> list[Fact]:
        """Return Game Turn, Player Turn and phase: of the counter, or else of the turn window."""
        phase = ""
        if self._turn is not None:
            moving, turn, phase = self._turn
        elif turn == 1:
            self._assumed[
                "the turn window of the save says turn 1, which it does if nobody used it: "
                "Game Turn and Player Turn are left open"
            ] = None
            return []
        facts = [] if turn is None else [Fact("turn", (turn,))]
        side = self._of_alliance(moving)
        if side:
            facts.append(Fact("moving_side", (side,)))
        elif moving:
            self._assumed[f"which side is {moving} is not known: the Player Turn is left open"] = (
                None
            )
        return facts + ([Fact("phase", (phase,))] if phase else [])

    def _of_alliance(self, alliance: str) -> str:
        """Return the Axis or Allied side of this game; empty if it is not certain."""
        sides = self.side_words()
        if len(sides) != 2 or alliance not in ("Axis", "Allied"):
            return ""
        of = {
            side: {nation for nation in self.nations if self._side(nation) == side}
            for side in sides
        }
        axis = [side for side in sides if of[side] & _AXIS and not of[side] & _ALLIED]
        allied = [side for side in sides if of[side] & _ALLIED and not of[side] & _AXIS]
        if len(axis) != 1 or len(allied) != 1:
            return ""
        return _word(axis[0] if alliance == "Axis" else allied[0])

    # --- a stack

    def _stack(self, place: Place, counters: Sequence[Counter]) -> None:
        known = [None if _is_masked(each) else recognize(each.name) for each in counters]
        if place is None:
            self._beside(counters, known)
            return
        floor: int | str = 0
        units: list[tuple[_Unit, int | str]] = []
        masked: dict[tuple[int | str, str], _Unit] = {}
        fired = 0
        for counter, found in zip(counters, known, strict=True):
            if _is_masked(counter):
                unit = masked.get((floor, counter.nation))
                if unit is None:
                    unit = self._new_unit("unidentified", place, floor, counter)
                    if floor != "unknown":
                        unit.add("status", "concealed")
                    masked[floor, counter.nation] = unit
                    units.append((unit, floor))
                    self._place_unit(unit)
                self._note_recognized(place, "?", unit.name)
            elif found is None or (counter.overlay and found.kind != "ignored"):
                self._unknown_counter(place, floor, counter, units)
            elif found.kind in LEVEL_KINDS:
                floor = self._level(place, counter, found)
                fired = len(units)
            elif found.kind in UNIT_KINDS:
                unit = self._unit(place, floor, counter, found)
                units.append((unit, floor))
                self._place_unit(unit)
            elif found.kind in STATE_KINDS:
                below = [unit for unit, level in units if level == floor]
                if found.kind == "fire state" and len(units) - fired > 1 and found.gives:
                    self._doubt(
                        place, f"{counter.name} lies on several units: taken of the next one"
                    )
                self._state(place, counter, found, below)
            elif found.kind == "weapon":
                self._weapon(
                    place, counter, found, [unit for unit, level in units if level == floor]
                )
            elif found.kind == "ignored":
                self._ignored[counter.name] += 1
            elif found.kind in SCENARIO_KINDS:
                self._scenario(counter, found)
            else:
                self._on_map(place, floor, counter, found)

    def _beside(self, counters: Sequence[Counter], known: Sequence[Recognized | None]) -> None:
        """Process counters off the boards: a few describe the whole game."""
        for counter, found in zip(counters, known, strict=True):
            if found is not None and found.kind in SCENARIO_KINDS:
                self._scenario(counter, found)
            else:
                self._off_board[counter.name] += 1

    def _scenario(self, counter: Counter, found: Recognized) -> None:
        match found.kind:
            case "turn":
                told = found.parts["side"], found.number("number"), found.parts["phase"].lower()
                if self._turn not in (None, told):
                    self._unrecognized.append(("", counter.name, "a second turn counter"))
                    return
                self._turn = told
            case "ec":
                self._once("ec", found.gives)
            case "weather":
                self._facts[Fact("weather", (found.gives,))] = None
            case "night":
                self._once("nvr", found.number("number"))
                self._facts[Fact("night")] = None
            case _:
                self._unrecognized.append(
                    ("", counter.name, "of the whole scenario: to be stated by hand")
                )
                return
        self._note_recognized(None, counter.name, found.kind)

    def _once(self, name: str, value: Term) -> None:
        others = [each for each in self._facts if each.name == name]
        if not others:
            self._facts[Fact(name, (value,))] = None

    # --- counters of a place

    def _level(self, place: Place, counter: Counter, found: Recognized) -> int | str:
        floor: int | str = found.number("floor") if "floor" in found.parts else found.gives
        floor = 0 if floor == "0" else floor
        if found.kind == "unknown level" or not isinstance(place, Hex):
            self._unsaid(place, counter.name, "cellar", "no such Location can be said")
            return "unknown"
        if floor == "roof" and Fact("ssr_rooftops") not in self._facts:
            self._facts[Fact("ssr_rooftops")] = None
            self._assumed["a counter lies on a roof: rooftops are taken to be in play"] = None
        if found.kind == "fortified":
            self._facts[Fact("fortified", (Location(place, floor), "revealed"))] = None
        elif isinstance(floor, int) and floor:
            self._facts[Fact("level_counter", (place, floor))] = None
        self._note_recognized(place, counter.name, f"level {floor}")
        return floor

    def _on_map(self, place: Place, floor: int | str, counter: Counter, found: Recognized) -> None:
        """Process a counter that describes its hex or hexside."""
        if isinstance(place, Hexside):
            self._on_hexside(place, floor, counter, found)
            return
        assert isinstance(place, Hex)
        here = Location(place, floor)
        if floor == "unknown":
            self._unsaid(place, counter.name, "unknown", "its level is not known")
            return
        fact: Fact | None = None
        match found.kind:
            case "rubble":
                fact = Fact("rubble", (place, found.gives))
            case "rubbled level":
                fact = Fact("rubbled_level", (place, found.number("floor")))
            case "fire":
                fact = Fact(found.gives, (here,))
            case "wire":
                fact = Fact("wire", (Location(place, 0),))
            case "mines":
                fact = Fact("mines", (place, found.gives, found.number("number"), "revealed"))
            case "smoke":
                self._most("smoke", here, found.number("number"), counter.name)
                fact = Fact("wp", (here,)) if found.gives else None
            case "residual":
                self._most("residual_fp", here, found.number("number"), counter.name)
            case "control":
                self._control(place, counter, found)
                return
            case _:
                self._unsaid(place, counter.name, found.gives, "no statement says it")
                return
        if fact is not None:
            self._facts[fact] = None
        self._note_recognized(place, counter.name, found.kind)

    def _on_hexside(
        self, place: Hexside, floor: int | str, counter: Counter, found: Recognized
    ) -> None:
        corner = found.corner("ca")
        if found.kind == "breach" and isinstance(floor, int):
            self._facts[Fact("breach", (place, floor))] = None
            self._note_recognized(place, counter.name, "breach")
            return
        if found.kind == "roadblock" and "second" not in found.parts and corner is not None:
            for hex_ in place:
                if hex_.corner(corner) in place.ends:
                    at = place.a.corner
                    end = next(n for n in range(6) if at(n) == hex_.corner(corner))
                    self._facts[Fact("roadblock", (place, end))] = None
                    self._note_recognized(place, counter.name, "roadblock")
                    return
        self._unsaid(place, counter.name, found.gives or found.kind, "it lies on a hexside")

    def _control(self, place: Hex, counter: Counter, found: Recognized) -> None:
        nation = NATIONS.get(found.parts["nation"].lower(), "")
        if (
            any(each.name == "control" and each.args[0] == place for each in self._facts)
            or not nation
        ):
            self._ignored[counter.name] += 1
            return
        self._facts[Fact("control", (place, _word(self._sides.get(nation, nation))))] = None
        self._note_recognized(place, counter.name, "control")

    def _most(self, name: str, where: Location, number: int, shown: str) -> None:
        """Process a number that a Location has once. The greatest counts; several make a doubt."""
        before = self._greatest.get((name, where))
        if before is not None:
            self._doubt(
                where.spot if isinstance(where.spot, Hex) else None,
                f"several such counters as {shown}: the greatest is taken",
            )
        self._greatest[name, where] = max(number, before or 0)

    def _unknown_counter(
        self,
        place: Place,
        floor: int | str,
        counter: Counter,
        units: list[tuple[_Unit, int | str]],
    ) -> None:
        """Process a counter that no row of the table matches, or an overlay that covers terrain."""
        if counter.unit and not counter.overlay:
            unit = self._new_unit("unidentified", place, floor, counter)
            units.append((unit, floor))
            self._place_unit(unit)
            self._unrecognized.append((_text(place), counter.name, f"unknown unit {unit.name}"))
            return
        self._unsaid(place, counter.name, "unknown", "not recognized")
        if counter.overlay:
            # Our map keeps the printed terrain below the overlay; a doubt says that it may be
            # covered.
            self._doubt(place, f"the overlay {counter.name} may cover what is printed here")

    def _unsaid(self, place: Place, name: str, word: str, why: str) -> None:
        """Make a place unknown terrain, for a counter that may change it."""
        kind = f"{word.replace('-', '_').replace(' ', '_')}_counter"
        hexes = tuple(place) if isinstance(place, Hexside) else (place,)
        for hex_ in hexes:
            if isinstance(hex_, Hex):
                self._unknown.setdefault(kind, {})[hex_] = None
        self._unrecognized.append((_text(place), name, f"{why}: unknown terrain"))

    def _doubt(self, place: Place, text: str) -> None:
        if place is not None:
            self._doubts[Doubt(place, text)] = None

    def _note_recognized(self, place: Place, name: str, what: str) -> None:
        self._recognized.append((_text(place), name, what))

    # --- units and their states

    def _new_unit(self, type_: str, place: Place, floor: int | str, counter: Counter) -> _Unit:
        nation = NATIONS.get(counter.nation, "")
        stem = f"{nation.split('-')[0] or 'some'}-{_SHORT.get(type_, type_)}"
        self._numbers[stem] += 1
        return _Unit(f"{stem}{self._numbers[stem]}", type_, place, floor, nation, counter.name)

    def _place_unit(self, unit: _Unit) -> None:
        self._units.append(unit)
        if isinstance(unit.place, Hexside):
            unit.add("bypasses", unit.place)
            for hex_ in unit.place:
                self._doubt(
                    hex_,
                    f"{unit.name} ({unit.shown}) lies on the hexside: in which hex and at which "
                    "vertex is to be stated",
                )
        elif unit.floor == "unknown":
            unit.place = None

    def _unit(self, place: Place, floor: int | str, counter: Counter, found: Recognized) -> _Unit:
        type_ = {"gun": "gun", "vehicle": "vehicle", "wreck": "vehicle"}.get(
            found.kind, found.gives
        )
        unit = self._new_unit(type_, place, floor, counter)
        for state in found.states:
            unit.add("status", state)
        if floor == 0 and found.kind not in ("wreck", "vehicle"):
            self._assumed[
                "units without a level counter beneath them are taken to be at ground level"
            ] = None
        match found.kind:
            case "squad":
                strength = (found.number(each) for each in ("fp", "range", "morale"))
                unit.add("strength", *strength)
            case "leader":
                sign = -1 if found.parts["sign"] == "-" else 1
                unit.add("has", "leadership", sign * found.number("modifier"))
            case "gun":
                self._gun(unit, found)
            case "vehicle":
                self._vehicle(unit, found)
            case "wreck":
                unit.add("status", "wreck")
        self._note_recognized(place, counter.name, unit.name)
        return unit

    def _gun(self, unit: _Unit, found: Recognized) -> None:
        unit.add("gun_kind", found.parts["kind"].lower())
        if found.parts["caliber"].isdigit():
            unit.add("ma", found.number("caliber"), _BARRELS[found.parts.get("barrel", "")])
        corner = found.corner("ca")
        if corner is not None:
            unit.add("vca", corner)
        state = found.parts.get("state", "").strip()
        if state == "Lmbd":
            unit.add("status", "limbered")
        elif state:
            self._doubt(
                unit.place, f"{unit.name} ({unit.shown}) is malfunctioned, which no line says"
            )

    def _vehicle(self, unit: _Unit, found: Recognized) -> None:
        vca, tca = found.corner("vca"), found.corner("tca")
        if vca is not None:
            unit.add("vca", vca)
        if tca is not None:
            unit.add("status", "turreted")
            unit.add("tca", tca)
        if crew := found.parts.get("crew", "").lower():
            unit.add("status", crew)
        if found.parts["name"] in ("Wagon", "Sledge"):
            unit.add("status", found.parts["name"].lower())

    def _state(
        self, place: Place, counter: Counter, found: Recognized, below: Sequence[_Unit]
    ) -> None:
        """Process a counter that describes the next unit below it."""
        unit = below[-1] if below else None
        if found.kind == "armor leader":
            vehicle = unit if unit is not None and unit.type == "vehicle" else None
            if vehicle is None:
                self._unrecognized.append((_text(place), counter.name, "no vehicle lies below it"))
                self._doubt(place, f"{counter.name} lies there on no vehicle")
                return
            vehicle.add("status", "armor_leader")
            sign = -1 if found.parts["sign"] == "-" else 1
            vehicle.add("has", "leadership", sign * found.number("modifier"))
        elif unit is None:
            self._unrecognized.append((_text(place), counter.name, "no unit lies below it"))
            return
        elif found.kind == "unsaid state":
            self._unrecognized.append(
                (_text(place), counter.name, f"no state of {unit.name} says it")
            )
            self._doubt(place, f"{counter.name} lies on {unit.name}, which no line says")
            return
        elif found.gives:
            unit.add("status", found.gives)
        self._note_recognized(
            place, counter.name, f"{found.gives or 'nothing'} of {(unit or below[-1]).name}"
        )

    def _weapon(
        self, place: Place, counter: Counter, found: Recognized, below: Sequence[_Unit]
    ) -> None:
        """Process a support weapon: the next unit below it possesses it."""
        unit = below[-1] if below else None
        if unit is None or unit.type not in _INFANTRY:
            self._unrecognized.append((_text(place), counter.name, "nobody possesses it"))
            return
        unit.add("possesses", found.gives)
        self._note_recognized(place, counter.name, f"{found.gives} of {unit.name}")


def _is_masked(counter: Counter) -> bool:
    """Return whether a counter is a "?", whatever is beneath it."""
    return counter.veiled or counter.question_mark


def _word(text: str) -> str:
    return text.replace("-", "_")


def _text(place: Place) -> str:
    return "" if place is None else str(place)


def _order(place: Place) -> tuple[int, Hex, Hex]:
    nowhere = Hex(-1, -1)
    if place is None:
        return 2, nowhere, nowhere
    return (1, *place) if isinstance(place, Hexside) else (0, place, nowhere)
