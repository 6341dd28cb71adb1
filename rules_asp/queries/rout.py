"""`rout`: the obligation of a broken unit to rout, its legal paths, and Interdiction.

The paths are those of `moves` in the RtPh. Interdiction on their steps is one further question, for
all steps and all enemy units together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import clingo

from rules_asp.explain import layout, record
from rules_asp.explain.proof import Evidence, value_goals
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason, UnknownReasons
from rules_asp.game.grid import Location
from rules_asp.game.values import to_board_text
from rules_asp.game.vocabulary import NO, YES
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.knowledge.program import value_signatures
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict
from rules_asp.queries.movement import FEWER_MOVES, Moves, moves, scope_of_moves
from rules_asp.queries.paths import MoveStep
from rules_asp.queries.question import Answer, LimitNote, ParameterKind, Question, parameter
from rules_asp.queries.step_search import step_deed

_PHASE = "rtph"
_MUST, _INTERDICTED = "must_rout", "interdicted"


@dataclass(frozen=True)
class Interdiction:
    """A step of a rout on which enemy units can, or possibly can, Interdict the unit."""

    step: MoveStep
    by: tuple[str, ...]
    perhaps: tuple[str, ...] = ()
    unknown: tuple[Reason, ...] = ()

    def record(self) -> Record:
        """The step and its units."""
        return {
            "start": to_board_text(self.step.start, "location"),
            "to": to_board_text(self.step.to, "location"),
            "way": self.step.way,
            "by": list(self.by),
            "perhaps": list(self.perhaps),
            "unknown": list(map(str, self.unknown)),
        }


@dataclass(frozen=True)
class Rout(Answer):
    """The rout of a unit. `must`: whether it must rout, None if that is unknown.

    `interdictions` are on the steps of the paths in `moves`; on other steps of these paths no unit
    can Interdict.
    """

    unit: str
    moves: Moves
    must: bool | None
    unknown: tuple[Reason, ...] = ()
    interdictions: tuple[Interdiction, ...] = ()
    cites: Citations = NO_CITATIONS

    @property
    def word(self) -> Verdict:
        """Whether the unit can rout anywhere."""
        return self.moves.word

    def interdictors(self, path: Iterable[MoveStep]) -> tuple[str, ...]:
        """The units that can Interdict on a path."""
        steps = set(path)
        several = (each.by for each in self.interdictions if each.step in steps)
        return tuple(dict.fromkeys(unit for by in several for unit in by))

    def items(self) -> tuple[layout.Item, ...]:
        """Whether the unit must rout, and each Location with its cost."""
        return (layout.Item("must rout", _MUST_ROUT[self.must][0]), *self.moves.items())

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the obligation, the destinations as in `moves`, and the Interdiction."""
        moves = replace(self.moves, on=self.on).report(view)
        groups: dict[str, dict[Location, None]] = {}
        doubts: dict[Reason, None] = {}
        for each in self.interdictions:
            by = [*each.by, *(f"perhaps {unit}" for unit in each.perhaps)]
            groups.setdefault(f"by {', '.join(by)}", {})[each.step.to] = None
            doubts |= dict.fromkeys(each.unknown)
        rows = [(by, layout.locations_text(to)) for by, to in groups.items()]
        return self.reported(
            moves.norms,
            layout.Line((f"{self.unit} ", _MUST_ROUT[self.must][1])),
            layout.unknown(self.unknown),
            moves.blocks,
            layout.Table(rows, "Interdiction on entering"),
            layout.reason_table("Whether a unit can Interdict is unknown because", doubts),
            layout.citations(self.position, self.cites) if self.interdictions else None,
        )

    def record(self) -> Record:
        """Return the record of `moves`, with the units that can Interdict."""
        moves = replace(self.moves, on=self.on)
        told = moves.record()
        for name, found in moves.groups:
            for row, each in zip(told[name], found, strict=True):
                row["interdicted_by"] = list(self.interdictors(each.path))
        return {
            **told,
            "must": self.must,
            "must_unknown": list(map(str, self.unknown)),
            "interdictions": [each.record() for each in self.interdictions],
            **record.citations(self.position, self.cites),
            **record.issues(self.beside),
        }


#: The obligation in a word and as a sentence.
_MUST_ROUT = {
    True: ("yes", layout.Span("must rout", layout.Tone.GOOD)),
    False: ("no", layout.Span("need not rout", layout.Tone.BAD)),
    None: ("unknown", layout.Span("perhaps must rout", layout.Tone.OPEN)),
}


@dataclass(frozen=True)
class RoutQuestion(Question[Rout]):
    """List where a broken unit can rout.

    `rout` says whether the unit must rout. `rout` lists the Locations where the rout can end, by
    MF, and the forbidden steps from the current Location of the unit. `rout` also names the enemy
    units that can Interdict the unit on its way.

    Example: rules-asp rout assault E --if "unit E squad 4-4-7 russian at D3/1: broken"
    """

    kind = "rout"
    has_paths = True
    unit: str = parameter(ParameterKind.UNIT)

    def limit_note(self) -> LimitNote:
        """It may take long, as `moves`."""
        return LimitNote(f"rout of {self.unit}", FEWER_MOVES)

    def find(self, position: Position, cite: bool) -> Rout:
        """Return the rout."""
        return rout(position, self.unit, cite)

    def scope(self, position: Position, answer: Rout) -> Scope:
        """Return the scope of its moves."""
        return scope_of_moves(answer.moves)


def rout(position: Position, unit: str, cite: bool = True) -> Rout:
    """Return the rout of a unit by A10.5; QuestionError as in `moves`."""
    found = moves(position, (unit,), _PHASE, cite=cite)
    passed = (each for each in found.passed if each.to not in found.barred_ends)
    ways = (*found.reach, *passed, *found.perhaps)
    steps = {step_deed(found.by, unit, each): each for way in ways for each in way.path}
    enemies = sorted(_enemies(position, unit))
    must = clingo.Function(_MUST, [clingo.String(unit)])
    asked = [clingo.Function("asked", [must])]
    topics = {
        step: [clingo.Function(_INTERDICTED, [deed, clingo.String(each)]) for each in enemies]
        for deed, step in steps.items()
    }
    for deed in steps if enemies else ():
        asked.append(clingo.Function("asked_deed", [deed]))
    asked += [clingo.Function("asked", [each]) for several in topics.values() for each in several]
    answers = position.ask(
        value_signatures((_MUST, 1), (_INTERDICTED, 2)),
        position.completed(QueryFacts(tuple(asked)), local=True),
        local=True,
    )
    doubts = [UnknownReasons(position, each) for each in answers]
    told = _one([each.values.get(must) for each in answers])
    why = () if told is not None else tuple(r for each in doubts for r in each.of(must))
    norms = dict.fromkeys(
        norm.string
        for answer in answers
        for norm, topic, _ in sorted(answer.get("undefeated_value", 3))
        if topic == must or topic.name == _INTERDICTED
    )
    return Rout(
        unit,
        replace(found, evidence=()),
        None if told is None else told == YES,
        tuple(dict.fromkeys(why)),
        tuple(_interdictions(answers, doubts, topics)),
        position.program.paragraphs((*found.norms, *norms)) if cite else NO_CITATIONS,
        evidence=(
            Evidence(position, tuple(value_goals([must], answers)), answers),
            *found.evidence,
        ),
    )


def _enemies(position: Position, unit: str) -> set[str]:
    """The units that are, or may be, enemies of a unit."""
    case = position.cases[0]
    pairs = [*case.get("enemies", 2), *case.get("maybe_enemies", 2)]
    return {other.string for one, other in pairs if one.string == unit}


def _one(values: Sequence[clingo.Symbol | None]) -> str | None:
    """Return the common word of all cases, if there is one."""
    words = {None if each is None else str(each) for each in values}
    return words.pop() if len(words) == 1 else None


def _interdictions(
    answers: Sequence[AnswerSet],
    doubts: Sequence[UnknownReasons],
    topics: Mapping[MoveStep, Sequence[clingo.Symbol]],
) -> Iterable[Interdiction]:
    """Return the steps on which some unit can, or may be able to, Interdict."""
    for step, several in topics.items():
        by, perhaps, unknown = [], [], dict[Reason, None]()
        for topic in several:
            told = _one([each.values.get(topic) for each in answers])
            reasons = [why for each in doubts for why in each.of(topic)]
            enemy = topic.arguments[1].string
            if told == YES:
                by.append(enemy)
            elif told != NO and (reasons or told is None):
                perhaps.append(enemy)
                unknown |= dict.fromkeys(reasons)
        if by or perhaps:
            yield Interdiction(step, tuple(by), tuple(perhaps), tuple(unknown))
