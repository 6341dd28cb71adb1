"""Trials: one question on many slightly changed positions, within a deadline.

The changes remove or add one line each. kb/changes.lp declares the kind of change of each statement,
and the lines that can be added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from typing import Any

from rules_asp.boards.changes import Change
from rules_asp.boards.statement_ops import atomic_statements, hexes_of
from rules_asp.explain import layout
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
from rules_asp.knowledge.dependencies import ANY_TERM, TriggerKey
from rules_asp.knowledge.program import declared_signatures, without_norm
from rules_asp.knowledge.rules import Rule, Signature
from rules_asp.knowledge.solver import AnswerSet, EngineError, static_answer_sets
from rules_asp.parser.errors import BoardError
from rules_asp.parser.writer import given_line, statement_text
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError, units_at
from rules_asp.positions.position import Position
from rules_asp.positions.scope import (
    NOTHING_OF_THE_KIND,
    Scope,
    broken_norms,
    with_whole_buildings,
)
from rules_asp.queries.question import Answer, Question
from rules_asp.runtime.limits import TooWide
from rules_asp.runtime.worker import LimitsOrWorker

#: Corrections, with the input that each one sets.
_SET = {"joined": "joined", "stairwell": "stairwell_symbol"}
#: The command option for a change.
_OPTIONS = {True: "--if", False: "--unless"}


@dataclass(frozen=True)
class Neighbourhood:
    """The neighborhood of a question: its hexes, those near them, whole buildings, and units.

    `reads` are the inputs that can affect the answer; `drawn` is true if depictions are among them.
    `deciding` are the hexes that block or hinder the line of the question.
    """

    hexes: frozenset[Hex]
    around: frozenset[Hex]
    wholes: frozenset[Hex]
    units: frozenset[str]
    reads: frozenset[str]
    drawn: bool
    deciding: frozenset[Hex] = frozenset()

    def distance(self, hexes: Collection[Hex]) -> int:
        """Return the distance of the nearest of some hexes from the named ones; 0 if there are
        none. A deciding hex comes before all others."""
        if not self.deciding.isdisjoint(hexes):
            return -1
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
            return sorted(near.around & position.index.bases.keys())
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
    here = near.around & position.index.bases.keys()
    found = {
        hexside_between(one, other) for one in here for other in one.neighbours() if other in here
    }
    return sorted(found)


def _locations(position: Position, near: Neighbourhood) -> list[Location]:
    """Return the nearby Locations without vertices."""
    places = (each for each in position.index.elevations if isinstance(each.spot, Hex))
    return sorted((each for each in places if each.spot in near.around), key=str)


def _sides(position: Position) -> list[str]:
    """Return the sides that the board names, or else those of its units."""
    named = {str(each.arguments[0]) for each in position.board_facts.named("side")}
    return sorted(named or {str(e.arguments[1]) for e in position.board_facts.named("of_side")})


#: A function that asks a question on a position.
Ask = Callable[[Position], Answer]


@dataclass(frozen=True)
class CalledQuestion(Question[Answer]):
    """A function as a question, for programs that have only a function."""

    kind = "call"
    put: Ask

    def answer(
        self,
        position: Position,
        limits: LimitsOrWorker = None,
        cite: bool = True,
        prove: bool = False,
    ) -> Answer:
        """Return the answer of the function, which applies limits and cites itself."""
        return self.put(position)

    def find(self, position: Position, cite: bool) -> Answer:
        """Return the answer of the function."""
        return self.put(position)

    def scope(self, position: Position, answer: Answer) -> Scope:
        """Return the scope of the answer."""
        return answer.about


#: The callback for progress: the number of trials done, of all trials, and the current trial.
TrialProgress = Callable[[int, int, str], object]
#: Inputs that only a question states, so the position cannot provide them.
_ASKED = frozenset(("asked", "asked_deed", "sought", "stacked", "held_to"))


#: The kinds of trials, in order.
SAID, NORMS, RULINGS, UNSAID = "statements", "norms", "rulings", "absences"
LINES, PAIRS = "lines", "pairs"
_TRIED = {
    SAID: ("line removed", "lines removed"),
    NORMS: ("rule", "rules"),
    RULINGS: ("ruling", "rulings"),
    UNSAID: ("line added", "lines added"),
    LINES: ("line", "lines"),
    PAIRS: ("pair of lines", "pairs of lines"),
}
#: Maximum number of rows of a table.
_MOST = 30


def counts_text(counts: Mapping[str, int]) -> list[str]:
    """Return the number of trials of each kind: `12 lines removed`."""
    return [f"{count:,} {_TRIED[what][count != 1]}" for what, count in counts.items()]


def not_tried(left: Mapping[str, int], seconds: float | None) -> layout.Line | None:
    """Return a line about the trials for which there was no time."""
    counts = counts_text({what: count for what, count in left.items() if count})
    if not counts:
        return None
    within = "" if seconds is None else f" within {seconds:g} s"
    return layout.Line(
        layout.Span(f"Not tried{within}: {', '.join(counts)}. Raise --time.", layout.Tone.DOUBT)
    )


def first_rows(title: str, rows: Sequence[layout.Row]) -> Iterator[layout.Block]:
    """Return the first rows of a table, and the number of the others."""
    yield layout.Table(rows[:_MOST], title)
    if len(rows) > _MOST:
        yield layout.Line(layout.dim(f"  {len(rows) - _MOST} more: --json lists all"))


@dataclass(frozen=True)
class TrialResult:
    """The result of a trial: answer and verdict; the answer is None if the question does not apply."""

    answer: Answer | None
    short: str


@dataclass(frozen=True)
class _Heard:
    """The node sets that a position was asked for."""

    wanted: dict[Signature, None] = field(default_factory=dict)
    keys: set[TriggerKey] = field(default_factory=set)


@dataclass(frozen=True)
class _Listening(Position):
    """A position that records the nodes it is asked for."""

    heard: _Heard = field(default_factory=_Heard)

    def settled(self, wanted: Iterable[Signature]) -> tuple[AnswerSet, ...]:
        """Return the static atoms, and record the nodes."""
        self.heard.wanted.update(dict.fromkeys(wanted))
        return super().settled(wanted)

    def ask(
        self, wanted: Sequence[Signature], question: QueryFacts, local: bool = False
    ) -> list[AnswerSet]:
        """Return the answer sets, and record the nodes."""
        self.heard.wanted.update(dict.fromkeys(wanted))
        self.heard.keys.update(question.keys)
        return super().ask(wanted, question, local)


class Trials:
    """The trials of one question on changed positions."""

    def __init__(
        self, position: Position, question: Question[Any], limits: LimitsOrWorker = None
    ) -> None:
        self.position = position
        self._question, self._limits = question, limits
        self._faults = frozenset(breach for breach, _ in broken_norms(position))

    def changed(self, candidates: Sequence[ChangeCandidate]) -> Position | None:
        """Return the changed position; None if the changes do not fit it."""
        try:
            return self.position.changed(each.change for each in candidates)
        except (BoardError, EngineError, ValueError):
            return None

    def of(self, candidates: Sequence[ChangeCandidate]) -> TrialResult | None:
        """Return the result after these changes; None if they do not fit or violate a norm."""
        there = self.changed(candidates)
        if there is None or not there.cases:
            return None
        if any(each.adds for each in candidates) and self._breaks(there):
            return None
        return self.with_position(there)

    def with_position(self, position: Position) -> TrialResult | None:
        """Return the result on a position; None if the answer takes too long."""
        try:
            answer = self._question.answer(position, self._limits, cite=False)
        except (QuestionError, BoardError, EngineError, IndexError):
            # The question names something that does not exist.
            return TrialResult(None, NOTHING_OF_THE_KIND)
        except TooWide:
            return None
        return TrialResult(answer, answer.summary())

    def _breaks(self, there: Position) -> bool:
        return any(breach not in self._faults for breach, _ in broken_norms(there))


@dataclass(frozen=True)
class RelevantToTrial:
    """The rules that can affect an answer on any changed board, and all names in them."""

    rules: tuple[Rule, ...]
    reads: frozenset[str]
    measured: bool

    @property
    def norms(self) -> frozenset[str]:
        """The norms of these rules."""
        return frozenset(rule.norm for rule in self.rules if rule.norm)


def relevant_to_trial(
    position: Position, question: Question[Any], limits: LimitsOrWorker = None
) -> RelevantToTrial:
    """Return the rules that can affect the answer; all rules if they are not known."""
    own = {each.name: getattr(position, each.name) for each in fields(Position)}
    listening = _Listening(**own)
    question.answer(listening, limits, cite=False)
    program, heard = position.program, listening.heard
    rules = program.rules
    measured = {node.name for node in declared_signatures(program.source, "measured")} - _ASKED
    names = frozenset(node.name for rule in rules for node in rule.body)
    if heard.wanted:
        could = change_kinds(position.vocabulary).keys() - {"section"}
        given = {*position.keys, *heard.keys, *((name, ANY_TERM) for name in (*measured, *could))}
        rules = program.cone_of(heard.wanted, given)
        names = _read(rules, heard.wanted)
        if not names.isdisjoint(measured):
            # Measured facts depend on the relevance of depictions to lines.
            lines = (node for each in program.measuring for node in program.derived[each[:2]])
            rules = program.cone_of([*heard.wanted, *lines], given)
            names = _read(rules, heard.wanted)
    return RelevantToTrial(rules, names | _OF_UNITS, not names.isdisjoint(measured))


def _read(rules: Iterable[Rule], wanted: Iterable[Signature]) -> frozenset[str]:
    nodes = (node for rule in rules for node in rule.body)
    return frozenset(node.name for nodes_ in (nodes, wanted) for node in nodes_)


#: The inputs that every question may read about the units that it names.
_OF_UNITS = frozenset(("unit", "at", "status"))


def neighbourhood(position: Position, answer: Answer, bearing: RelevantToTrial) -> Neighbourhood:
    """Return the hexes near the scope of an answer, and the inputs that can affect it."""
    about, sight = answer.about, getattr(answer, "sight", None)
    around = about.hexes.union(*(each.neighbours() for each in about.hexes))
    around = frozenset(each for each in around if each in position.index.bases)
    wholes = with_whole_buildings(position, around)
    deciding = frozenset() if sight is None else sight.decided_at
    reads, drawn = bearing.reads, bearing.measured
    return Neighbourhood(about.hexes, around, wholes, about.units, reads, drawn, deciding)


def without_ruling(position: Position, ruling: str) -> Position:
    """Return the position with a ruling switched off."""
    off = replace(position, switched_off=(*position.switched_off, ruling))
    return off.changed(())


def position_without_norm(position: Position, norm: str) -> Position | None:
    """Return the position without the rules of a norm; None if that has no answer set."""
    lesser = without_norm(position.program, norm)
    if lesser.static_rules == position.program.static_rules:
        return replace(position, program=lesser)
    given = position.board_facts
    try:
        cases = static_answer_sets(lesser.static, given.symbols, position.keys, position.left_open)
    except EngineError:
        return None
    return replace(position, program=lesser, cases=cases, _indexes={}) if cases else None
