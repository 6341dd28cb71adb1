"""Candidate changes of a board near a place, each one line removed or added.

kb/changes.lp declares the kind of change of each statement, and the lines that can be added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from rules_asp.boards.changes import Change
from rules_asp.boards.statement_ops import atomic_statements, hexes_of
from rules_asp.explain.record import Record
from rules_asp.game.board import (
    PRINTED_MARKS,
    Area,
    Bar,
    Building,
    Correction,
    Fact,
    HexsideTerrain,
    Level,
    Outline,
    Road,
    Statement,
    TerrainSubstitution,
    UncertainFact,
    UnitStatement,
)
from rules_asp.game.grid import Hex, Hexside, Location, hex_of_spot, hexside_between
from rules_asp.game.values import Term, hex_from_symbol, hexside_from_symbol, word_text
from rules_asp.game.vocabulary import TrialInput, Vocabulary
from rules_asp.parser.writer import given_line, statement_text
from rules_asp.positions.locations import units_at
from rules_asp.positions.position import Position

#: Corrections, with the input that each one sets.
_SET = {"joined": "joined", "stairwell": "stairwell_symbol"}
#: The command option for a change.
_OPTIONS = {True: "--if", False: "--unless"}


@dataclass(frozen=True)
class Neighbourhood:
    """The neighborhood of a question: its hexes, those near them, whole buildings, and units.

    `reads` are the inputs that can affect the answer; `drawn` is true if depictions are among them.
    """

    hexes: frozenset[Hex]
    around: frozenset[Hex]
    wholes: frozenset[Hex]
    units: frozenset[str]
    reads: frozenset[str]
    drawn: bool

    def distance(self, hexes: Collection[Hex]) -> int:
        """Return the distance of the nearest of some hexes from the named ones; 0 if there are
        none."""
        return min((one.range_to(each) for one in hexes for each in self.hexes), default=0)


@dataclass(frozen=True)
class ChangeCandidate:
    """A line to add to a board or to remove, with its kind of change and its input.

    `minus_line`: the board states less afterward, even if the line is added, as for a unit without
    a state.
    """

    kind: str
    of: str
    change: Change
    minus_line: bool
    distance: int = 0

    @property
    def adds(self) -> bool:
        """True if the line is added."""
        return self.change.adds

    @property
    def line(self) -> str:
        """The line as a user types it."""
        return self.change.text

    @property
    def option(self) -> str:
        """The command option for the change."""
        return self.change.source

    @property
    def typed(self) -> str:
        """The change as typed on the command line."""
        mark = "'" if '"' in self.line else '"'
        return f"{self.option} {mark}{self.line}{mark}"

    def record(self) -> Record:
        """Return `if` or `unless` with the line, and the kind of change."""
        return {self.option.removeprefix("--"): self.line, "kind": self.kind}


def change_kinds(words: Vocabulary) -> dict[str, str]:
    """Return the kind of change of each input that can be changed."""
    return {name: each.name for each in words.changes.values() for name in each.inputs}


def change_candidates(position: Position, near: Neighbourhood) -> list[ChangeCandidate]:
    """Return all lines to remove or add that can affect the answer, the nearest first."""
    found = dict.fromkeys(
        [*_taken(position, near), *_states(position, near), *_put(position, near)]
    )
    # Alternate between inputs, since the time may not suffice for all.
    places: dict[tuple[int, str, bool], int] = defaultdict(int)
    order = {}
    for each in found:
        group = each.distance, each.of, each.minus_line
        order[each] = each.distance, places[group]
        places[group] += 1
    return sorted(found, key=order.__getitem__)


def _candidate(
    position: Position,
    of: str,
    adds: bool,
    text: str,
    near: Neighbourhood,
    hexes: Collection[Hex],
    less: bool = False,
) -> ChangeCandidate:
    change = Change(adds, text, _OPTIONS[adds])
    kind = change_kinds(position.vocabulary)[of]
    return ChangeCandidate(kind, of, change, less or not adds, near.distance(hexes))


def _taken(position: Position, near: Neighbourhood) -> Iterator[ChangeCandidate]:
    """Yield removals of board lines."""
    of_kind, notation = change_kinds(position.vocabulary), position.notation
    where = units_at(position)
    every = dict.fromkeys(
        part for each in position.board.statements for part in atomic_statements(each)
    )
    for part in every:
        inputs = tuple(_inputs(part))
        of = next((each for each in inputs if each in of_kind), None)
        if of is None or not _matters(position, of_kind[of], inputs, near):
            continue
        hexes = frozenset(hexes_of(part))
        if isinstance(part, UnitStatement):
            hexes = frozenset((hex_of_spot(where[part.name].spot),) if part.name in where else ())
            # The question names this, so it cannot be removed.
            if part.name in near.units or not hexes & near.around:
                continue
        elif hexes and not hexes & near.wholes:
            continue
        yield _candidate(position, of, False, statement_text(part, notation), near, hexes)
    outlined = {each.kind for each in position.board.statements if isinstance(each, Outline)}
    for hex_, drawing in position.shapes.pieces if near.drawn else ():
        word = drawing.partition("(")[0]
        if word in outlined and hex_ in near.around:
            text = f"undrawn {word_text(word, 'terrain')}: {position.names.text(hex_)}"
            yield _candidate(position, "part", True, text, near, (hex_,), less=True)


def _matters(position: Position, kind: str, inputs: Iterable[str], near: Neighbourhood) -> bool:
    drawn = near.drawn and position.vocabulary.changes[kind].scope == "map"
    return drawn or not near.reads.isdisjoint(inputs)


def _inputs(part: Statement) -> Iterator[str]:
    """Yield the inputs of a part of a statement, the one that names it first, if any."""
    match part:
        case Area(kind):
            yield PRINTED_MARKS.get(kind, "terrain")
        case Level():
            yield "base"
        case HexsideTerrain():
            yield "side_terrain"
        case Road():
            yield "road"
        case Building(name=None):
            yield "depicts"
        case Bar():
            yield "bar"
        case Correction(mark=mark) if mark in _SET:
            yield _SET[mark]
        case TerrainSubstitution():
            yield "treat"
        case UnitStatement(_, (head,)):
            yield head.name
        case UnitStatement():
            # A unit is removed as a whole; its states are changed below.
            return
        case Fact(name) | UncertainFact(Fact(name)):
            yield name


def _states(position: Position, near: Neighbourhood) -> Iterator[ChangeCandidate]:
    """Yield changes of one state of a unit; the unit's line is replaced."""
    if "status" not in near.reads:
        return
    where = units_at(position)
    supposable = position.vocabulary.supposable
    tried = next((each.ranges[1] for each in supposable if each.name == "status"), ())
    for thing in position.board.statements:
        if not isinstance(thing, UnitStatement) or thing.name not in where:
            continue
        here = hex_of_spot(where[thing.name].spot)
        if thing.name not in near.units and here not in near.around:
            continue
        has = [str(each.args[1]) for each in thing.facts if each.name == "status"]
        for state in (*has, *(each for each in tried if each not in has)):
            fact = Fact("status", (thing.name, state))
            left = tuple(each for each in thing.facts if each != fact)
            other = replace(thing, facts=left if state in has else (*left, fact))
            line = statement_text(other, position.notation)
            yield _candidate(position, "status", True, line, near, (here,), less=state in has)


def _put(position: Position, near: Neighbourhood) -> Iterator[ChangeCandidate]:
    """Yield additions of lines."""
    said = {each for each in position.board.statements if isinstance(each, Fact)}
    for each in position.vocabulary.supposable:
        if each.name not in near.reads or each.name == "status":
            continue
        if each.name == "unit":
            yield from _units(position, near, each)
            continue
        ranges = _ranges(position, near, each)
        for args in product(*ranges):
            given = Fact(each.name, tuple(args))
            hexes = frozenset(hexes_of(given))
            if given not in said and (not hexes or hexes & near.around):
                line = given_line(given, position.notation)
                yield _candidate(position, each.name, True, line, near, hexes)


def _units(position: Position, near: Neighbourhood, each: TrialInput) -> Iterator[ChangeCandidate]:
    """Yield a unit of each type and side in each nearby Location."""
    name = next(
        f"New{n}" if n else "New" for n in range(10**6) if f"New{n or ''}" not in units_at(position)
    )
    sides = _sides(position)
    for type_ in each.ranges[1]:
        for where in _locations(position, near):
            for of_side in sides or ("",):
                facts = [Fact("unit", (name, type_)), Fact("at", (name, where))]
                facts += [Fact("of_side", (name, of_side))] if of_side else []
                text = statement_text(UnitStatement(name, tuple(facts)), position.notation)
                here = (hex_of_spot(where.spot),)
                yield _candidate(position, "unit", True, text, near, here)


def _ranges(
    position: Position, near: Neighbourhood, each: TrialInput
) -> Iterator[Collection[Term]]:
    """Return the values tried for each argument of an input."""
    known = position.vocabulary
    for range_, kind in zip(each.ranges, known.inputs[each.name].kinds, strict=True):
        first = range_[0]
        if len(range_) == 1 and first == kind:
            yield _of_kind(position, near, kind)
        elif len(range_) == 1 and first in known.inputs:
            read: dict[str, Callable[..., Term]] = {
                "hex": hex_from_symbol,
                "hexside": hexside_from_symbol,
            }
            facts = position.board_facts.named(first)
            places = (read[kind](fact.arguments[0], position.names) for fact in facts)
            yield tuple(dict.fromkeys(places))
        else:
            yield tuple(int(value) if value.isdecimal() else value for value in range_)


def _of_kind(position: Position, near: Neighbourhood, kind: str) -> Collection[Term]:
    match kind:
        case "hex":
            return sorted(near.around & position.bases.keys())
        case "hexside":
            return _hexsides(position, near)
        case "location":
            return _locations(position, near)
        case "side":
            return _sides(position)
        case "unit":
            return sorted(near.units)
    return position.vocabulary.words.get(kind, ())


def _hexsides(position: Position, near: Neighbourhood) -> list[Hexside]:
    here = near.around & position.bases.keys()
    found = {
        hexside_between(one, other) for one in here for other in one.neighbours() if other in here
    }
    return sorted(found)


def _locations(position: Position, near: Neighbourhood) -> list[Location]:
    """Return the nearby Locations without vertices."""
    places = (each for each in position.elevations if isinstance(each.spot, Hex))
    return sorted((each for each in places if each.spot in near.around), key=str)


def _sides(position: Position) -> list[str]:
    """Return the sides that the board names, or else those of its units."""
    named = {str(each.arguments[0]) for each in position.board_facts.named("side")}
    return sorted(named or {str(e.arguments[1]) for e in position.board_facts.named("of_side")})
