"""What can be changed of a board near a place, one line at a time: what it says, and what it could say.

Which statements are of which kind of change, and what is put on a board, kb/changes.lp says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from rules_asp.parser.writer import given_line
from rules_asp.positions.changing import Change, line_of
from rules_asp.positions.places import units_at
from rules_asp.positions.portions import parts
from rules_asp.positions.prepared import Position
from rules_asp.positions.sound import hexes_of
from rules_asp.terms.arguments import Term, said_word
from rules_asp.terms.board import (
    PRINTED_MARKS,
    Area,
    Bar,
    Building,
    Correction,
    Given,
    Level,
    Outline,
    Perhaps,
    Road,
    Sides,
    Statement,
    Thing,
    Treat,
)
from rules_asp.terms.grid import Hex, Hexside, Location, side, spot_hex
from rules_asp.terms.lexicon import Supposable, vocabulary
from rules_asp.terms.maps import speak_of
from rules_asp.terms.symbols import hex_of, hexside_of

#: What a correction sets, as an input.
_SET = {"joined": "joined", "stairwell": "stairwell_symbol"}
#: The option by which a command supposes a change.
_OPTIONS = {True: "--if", False: "--unless"}


@dataclass(frozen=True)
class Near:
    """What a question is about: the hexes named, what is near these, whole buildings, and units.

    `reads` are the inputs that the answer can hang on, `drawn` tells whether drawings are among them.
    """

    hexes: frozenset[Hex]
    around: frozenset[Hex]
    wholes: frozenset[Hex]
    units: frozenset[str]
    reads: frozenset[str]
    drawn: bool

    def distance(self, hexes: Collection[Hex]) -> int:
        """How far the nearest of some hexes is from those that are named; 0 for none."""
        return min((one.range_to(each) for one in hexes for each in self.hexes), default=0)


@dataclass(frozen=True)
class Candidate:
    """One line that is put on a board or taken away; of which kind of change, and of which input it is.

    `less`: what the board then says is less, even where a line is added: a unit without a state.
    """

    kind: str
    of: str
    change: Change
    less: bool
    distance: int = 0

    @property
    def adds(self) -> bool:
        """Whether it is put there."""
        return self.change.adds

    @property
    def line(self) -> str:
        """The line as one types it."""
        return self.change.text

    @property
    def option(self) -> str:
        """The option of a command that supposes it."""
        return self.change.source


def kinds() -> dict[str, str]:
    """The kind of change of each input that can be changed."""
    return {name: each.name for each in vocabulary().changes.values() for name in each.inputs}


def candidates_near(position: Position, near: Near) -> list[Candidate]:
    """All lines that can be taken away or put there, on which the answer can hang; the nearest first."""
    speak_of(position.board.grid)
    found = dict.fromkeys(
        [*_taken(position, near), *_states(position, near), *_put(position, near)]
    )
    # Of each input some before more of another, since the time may not do for all.
    places: dict[tuple[int, str, bool], int] = defaultdict(int)
    order = {}
    for each in found:
        group = each.distance, each.of, each.less
        order[each] = each.distance, places[group]
        places[group] += 1
    return sorted(found, key=order.__getitem__)


def _candidate(
    of: str, adds: bool, text: str, near: Near, hexes: Collection[Hex], less: bool = False
) -> Candidate:
    change = Change(adds, text, _OPTIONS[adds])
    return Candidate(kinds()[of], of, change, less or not adds, near.distance(hexes))


def _taken(position: Position, near: Near) -> Iterator[Candidate]:
    """What the board says, taken away."""
    of_kind = kinds()
    where = units_at(position)
    every = dict.fromkeys(part for each in position.board.statements for part in parts(each))
    for part in every:
        inputs = tuple(_inputs(part))
        of = next((each for each in inputs if each in of_kind), None)
        if of is None or not _matters(of_kind[of], inputs, near):
            continue
        hexes = frozenset(hexes_of(part))
        if isinstance(part, Thing):
            hexes = frozenset((spot_hex(where[part.name].spot),) if part.name in where else ())
            # What the question names it cannot be put without.
            if part.name in near.units or not hexes & near.around:
                continue
        elif hexes and not hexes & near.wholes:
            continue
        yield _candidate(of, False, line_of(part), near, hexes)
    outlined = {each.kind for each in position.board.statements if isinstance(each, Outline)}
    for hex_, drawing in position.shapes.pieces if near.drawn else ():
        word = drawing.partition("(")[0]
        if word in outlined and hex_ in near.around:
            text = f"undrawn {said_word(word, 'terrain')}: {hex_}"
            yield _candidate("part", True, text, near, (hex_,), less=True)


def _matters(kind: str, inputs: Iterable[str], near: Near) -> bool:
    drawn = near.drawn and vocabulary().changes[kind].scope == "map"
    return drawn or not near.reads.isdisjoint(inputs)


def _inputs(part: Statement) -> Iterator[str]:
    """The inputs that a part of a statement states, the one that names it first, if any."""
    match part:
        case Area(kind):
            yield PRINTED_MARKS.get(kind, "terrain")
        case Level():
            yield "base"
        case Sides():
            yield "side_terrain"
        case Road():
            yield "road"
        case Building(name=None):
            yield "depicts"
        case Bar():
            yield "bar"
        case Correction(mark=mark) if mark in _SET:
            yield _SET[mark]
        case Treat():
            yield "treat"
        case Thing(_, (head,)):
            yield head.name
        case Thing():
            # A unit goes as a whole; its states are said anew.
            return
        case Given(name) | Perhaps(Given(name)):
            yield name


def _states(position: Position, near: Near) -> Iterator[Candidate]:
    """The states of units, one taken away or added, for which a unit is said anew."""
    if "status" not in near.reads:
        return
    where = units_at(position)
    tried = next((each.ranges[1] for each in vocabulary().supposable if each.name == "status"), ())
    for thing in position.board.statements:
        if not isinstance(thing, Thing) or thing.name not in where:
            continue
        here = spot_hex(where[thing.name].spot)
        if thing.name not in near.units and here not in near.around:
            continue
        has = [str(each.args[1]) for each in thing.facts if each.name == "status"]
        for state in (*has, *(each for each in tried if each not in has)):
            fact = Given("status", (thing.name, state))
            left = tuple(each for each in thing.facts if each != fact)
            other = replace(thing, facts=left if state in has else (*left, fact))
            line = line_of(other)
            yield _candidate("status", True, line, near, (here,), less=state in has)


def _put(position: Position, near: Near) -> Iterator[Candidate]:
    """What the board could say, put there."""
    said = {each for each in position.board.statements if isinstance(each, Given)}
    for each in vocabulary().supposable:
        if each.name not in near.reads or each.name == "status":
            continue
        if each.name == "unit":
            yield from _units(position, near, each)
            continue
        ranges = _ranges(position, near, each)
        for args in product(*ranges):
            given = Given(each.name, tuple(args))
            hexes = frozenset(hexes_of(given))
            if given not in said and (not hexes or hexes & near.around):
                yield _candidate(each.name, True, given_line(given), near, hexes)


def _units(position: Position, near: Near, each: Supposable) -> Iterator[Candidate]:
    """A unit of each type and side, in each Location that is near."""
    name = next(
        f"New{n}" if n else "New" for n in range(10**6) if f"New{n or ''}" not in units_at(position)
    )
    sides = _sides(position)
    for type_ in each.ranges[1]:
        for where in _locations(position, near):
            for of_side in sides or ("",):
                facts = [Given("unit", (name, type_)), Given("at", (name, where))]
                facts += [Given("of_side", (name, of_side))] if of_side else []
                text = line_of(Thing(name, tuple(facts)))
                here = (spot_hex(where.spot),)
                yield _candidate("unit", True, text, near, here)


def _ranges(position: Position, near: Near, each: Supposable) -> Iterator[Collection[Term]]:
    """What is tried in each place of an input."""
    known = vocabulary()
    for range_, kind in zip(each.ranges, known.inputs[each.name].kinds, strict=True):
        first = range_[0]
        if len(range_) == 1 and first == kind:
            yield _of_kind(position, near, kind)
        elif len(range_) == 1 and first in known.inputs:
            read: dict[str, Callable[..., Term]] = {"hex": hex_of, "hexside": hexside_of}
            facts = position.board_facts.named(first)
            yield tuple(dict.fromkeys(read[kind](fact.arguments[0]) for fact in facts))
        else:
            yield tuple(int(value) if value.isdecimal() else value for value in range_)


def _of_kind(position: Position, near: Near, kind: str) -> Collection[Term]:
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
    return vocabulary().words.get(kind, ())


def _hexsides(position: Position, near: Near) -> list[Hexside]:
    here = near.around & position.bases.keys()
    found = {side(one, other) for one in here for other in one.neighbours() if other in here}
    return sorted(found)


def _locations(position: Position, near: Near) -> list[Location]:
    """The Locations near by, but for vertices."""
    places = (each for each in position.elevations if isinstance(each.spot, Hex))
    return sorted((each for each in places if each.spot in near.around), key=str)


def _sides(position: Position) -> list[str]:
    """The sides that the board names, or else those of its units."""
    named = {str(each.arguments[0]) for each in position.board_facts.named("side")}
    return sorted(named or {str(e.arguments[1]) for e in position.board_facts.named("of_side")})
