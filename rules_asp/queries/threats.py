"""`threats`: for each step of a path, the units that can fire at the unit, and their DRM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import clingo

from rules_asp.explain import layout, record
from rules_asp.explain.proof import LEGALITY, Evidence, goals_of, value_goals
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason, UnknownReasons
from rules_asp.game.grid import Location, hex_of_spot
from rules_asp.game.query import UnitLocation
from rules_asp.game.values import location_from_symbol, quarters_text, to_board_text, to_symbol
from rules_asp.game.vocabulary import YES
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.knowledge.program import value_signatures
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import location_of_stack, los_end
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict, verdict_for
from rules_asp.queries.fire import parameter_of_target, sum_text
from rules_asp.queries.fire_table import Attack, FireTable, fire_evidence, firers
from rules_asp.queries.movement import FEWER_MOVES, Unreached, moves, why_unreached
from rules_asp.queries.paths import MoveStep, cost_unit
from rules_asp.queries.question import Answer, LimitNote, ParameterKind, Question, parameter
from rules_asp.queries.step_search import STEP, StepSearch, step_deed
from rules_asp.queries.variants import (
    CROSSING,
    NO_STEP,
    Arrival,
    crossed_hexsides,
    in_moving_phase,
    relocated,
    statuses_by_way,
)

#: The action of the unit on its path, and the kind of target that it then is.
BY, MOVING = "move", "moving"
#: The part of a DRM that only a target in the open has.
FFMO = "ffmo"
#: Maximum number of units in a row.
_NAMED = 6
_EXPOSED, _EFFECT, _RESIDUAL = "exposed", "effect", "residual_attack"
_SNAP_SHOT = "snap_shot_possible"


#: A Location where a unit moves, and how it came there.
Target = tuple[Location, Arrival]


@dataclass(frozen=True)
class Exposure:
    """Where a step exposes a unit to fire, and which Residual FP attacks it there.

    `norms` expose it in a Location that the step does not enter.
    """

    places: tuple[Location, ...]
    residual: tuple[tuple[Location, int], ...] = ()
    unknown: tuple[Reason, ...] = ()
    norms: tuple[str, ...] = ()
    #: How the step leads to its end.
    arrival: Arrival = NO_STEP

    def targets(self, step: MoveStep) -> tuple[Target, ...]:
        """Return the Locations of the fire, each with how the unit came there."""
        return tuple((each, self.arrival if each == step.to else NO_STEP) for each in self.places)


@dataclass(frozen=True)
class StepThreats:
    """A step of a path, the MF or MP spent so far in quarters, and the fire that it draws.

    `tables` has a table of `firers` for each Location where the step exposes the unit.
    """

    step: MoveStep
    spent: int | None
    exposure: Exposure
    tables: tuple[FireTable, ...]

    @cached_property
    def able(self) -> tuple[str, ...]:
        """The units that can fire at the step."""
        return tuple(dict.fromkeys(each.by for table in self.tables for each in table.able))

    @cached_property
    def possible(self) -> tuple[str, ...]:
        """The units that possibly can fire at the step."""
        found = dict.fromkeys(each.by for table in self.tables for each in table.doubtful)
        return tuple(each for each in found if each not in self.able)

    @cached_property
    def best(self) -> Attack | None:
        """The attack with the best known DRM for the enemy."""
        known = [e for table in self.tables for e in table.able if e.best_drm is not None]
        return min(known, key=lambda each: (each.best_drm, -(each.firepower or 0)), default=None)

    @property
    def unknown(self) -> tuple[Reason, ...]:
        """Why something about the fire at the step is unknown."""
        found = [*self.step.unknown, *self.exposure.unknown]
        for table in self.tables:
            found += [why for each in (*table.doubtful, *table.able) for why in each.doubts]
        return tuple(dict.fromkeys(found))

    @property
    def drm_text(self) -> str:
        """The best DRM against the unit; `?` if that of some unit is unknown."""
        doubtful = any(e.best_drm is None for table in self.tables for e in table.able)
        best = "" if self.best is None else sum_text(self.best.best_drm)
        return best + "?" * doubtful

    @property
    def group_text(self) -> str:
        """The Fire Group with the most FP against the step: its FP and its units."""
        groups = [table.group for table in self.tables if table.group is not None]
        best = max(groups, key=lambda each: each.firepower, default=None)
        if best is None:
            return ""
        units = layout.first_few(best.units, _NAMED)
        return f"{quarters_text(best.firepower)}{'?' * bool(best.uncounted)} FP: {units}"

    def row(self, position: Position, paid_in: str) -> layout.Row:
        """Return the step as a row: destination, MF, best DRM with its parts, firers."""
        barred = self.step.legal is False
        spent = "" if self.spent is None else quarters_text(self.spent)
        perhaps = [f"perhaps {each}" for each in self.possible]
        names = layout.first_few([*self.able, *perhaps], _NAMED) if self.able or perhaps else "-"
        return (
            layout.Span(self.step.text, layout.Tone.BAD if barred else layout.Tone.STRONG),
            spent,
            str(len(self.able)) + (f"-{len(self.able) + len(perhaps)}" if perhaps else ""),
            layout.strong(self.drm_text),
            "" if self.best is None else self._best_text(self.best, position),
            names,
            self.group_text,
        )

    def _best_text(self, best: Attack, position: Position) -> str:
        """The parts of the best DRM, and the Location of the target if the step does not end there."""
        at = to_board_text(best.shot.target, "location")
        where = "" if best.shot.target == self.step.to else f"at {at}"
        return ", ".join(filter(None, (best.parts_text(position), where)))

    def record(self, position: Position, paid_in: str) -> Record:
        """Return the step with the fire at it as JSON."""
        return {
            **self.step.record(position, paid_in),
            "legal": self.step.legal,
            "spent": record.mf_number(self.spent),
            "firers": list(self.able),
            "perhaps": list(self.possible),
            "best_drm": None if self.best is None else self.best.best_drm,
            "open": any(each.has_part(FFMO) for table in self.tables for each in table.able),
            "residual_fp": [
                {"at": to_board_text(place, "location"), "fp": fp}
                for place, fp in self.exposure.residual
            ],
            "exposed_at": [
                {
                    "at": to_board_text(table.place, "location"),
                    "attacks": [each.record(position) for each in table.attacks],
                    "group": None if table.group is None else table.group.record(),
                }
                for table in self.tables
            ],
            "unknown": list(map(str, self.unknown)),
        }


@dataclass(frozen=True)
class Threats(Answer):
    """The fire that a unit draws on a path, step by step.

    Without a path, `unreached` says why the unit does not reach the place.
    """

    units: tuple[str, ...]
    to: Location
    doing: str
    paid_in: str
    steps: tuple[StepThreats, ...]
    unreached: Unreached | None = None
    cites: Citations = NO_CITATIONS

    @property
    def firers(self) -> tuple[str, ...]:
        """The units that can fire at some step."""
        return tuple(dict.fromkeys(unit for each in self.steps for unit in each.able))

    @property
    def is_whole(self) -> bool:
        """Whether it is known where each step exposes the unit, and to whom."""
        return not any(each.exposure.unknown or each.possible for each in self.steps)

    @property
    def word(self) -> Verdict:
        """Whether the path is legal."""
        barred = [
            norm for each in self.steps if each.step.legal is False for norm in each.step.norms
        ]
        if self.unreached is not None:
            return verdict_for(None if self.unreached.unknown else False, self.unreached.norms)
        known = all(each.step.legal for each in self.steps)
        return verdict_for(False if barred else known or None, barred)

    def items(self) -> tuple[layout.Item, ...]:
        """Each step with the number of units that can fire at it, and their best DRM."""
        return tuple(
            layout.Item(each.step.text, f"{len(each.able)} firers, DRM {each.drm_text or 'none'}")
            for each in self.steps
        )

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the steps as a table, the forbidden steps, and Residual FP."""
        here = self.position
        heads = ["Step", self.paid_in.upper(), "Firers", "DRM", "Best DRM", "Who can fire"]
        if any(each.group_text for each in self.steps):
            heads.append("Largest Fire Group")
        rows = [each.row(here, self.paid_in)[: len(heads)] for each in self.steps]
        barred = [each.step for each in self.steps if each.step.legal is False]
        why = [norm for step in barred for norm in step.norms]
        if self.unreached is not None:
            why += self.unreached.norms
        residual = [
            (to_board_text(place, "location"), f"{fp} FP")
            for each in self.steps
            for place, fp in each.exposure.residual
        ]
        unknown = [reason for each in self.steps for reason in each.unknown]
        if self.unreached is not None:
            unknown += self.unreached.unknown
        return self.reported(
            self.cites.norms,
            layout.Line(self._headline()),
            layout.Table(rows, heads=heads) if rows else None,
            layout.Table(residual, "Residual FP on entering"),
            layout.norms_listed(here, "Not allowed by", why),
            self.ending(self.cites, unknown),
        )

    def _headline(self) -> layout.Phrase:
        to = to_board_text(self.to, "location")
        if not self.steps:
            known = self.unreached is None or not self.unreached.unknown
            how = "cannot reach" if known else "perhaps cannot reach"
            return f"{layout.enumeration(self.units)} ", layout.Span(how, layout.Tone.BAD), f" {to}"
        firers = len(self.firers)
        many = f"{firers} unit{'s' * (firers != 1)}"
        return (
            f"{layout.enumeration(self.units)} {self.doing.replace('_', ' ')} to {to}: ",
            layout.Span(many, layout.Tone.BAD if firers else layout.Tone.GOOD),
            f" can fire at it on the way{'' if self.is_whole else ', perhaps more'}",
            _PATH_VERDICTS.get(self.word, ""),
        )

    def record(self) -> Record:
        """Return the steps as JSON, each with all attacks on it."""
        unreached = self.unreached
        return {
            "board": self.position.board.name,
            "verdict": self.word,
            "units": list(self.units),
            "to": to_board_text(self.to, "location"),
            "doing": self.doing,
            "firers": list(self.firers),
            "steps": [each.record(self.position, self.paid_in) for each in self.steps],
            "forbidden_by": [] if unreached is None else list(unreached.norms),
            **self.ending_record(self.cites, () if unreached is None else unreached.unknown),
        }


#: The headline of a path that is not known to be legal.
_PATH_VERDICTS = {
    Verdict.UNKNOWN: "; it is unknown whether the path is allowed",
    Verdict.FORBIDDEN: "; the path is not allowed",
}


@dataclass(frozen=True)
class ThreatsQuestion(Question[Threats]):
    """Show which enemy units can fire at a unit on its way.

    For each step of the path, `threats` lists the MF, the enemy units that can fire at the unit,
    their best DRM, and Residual FP. Without --path, `threats` uses the path with the lowest cost.
    Snap Shots are not encoded.

    Example: rules-asp threats assault A C3/1
    """

    kind = "threats"
    units: tuple[str, ...] = parameter(ParameterKind.UNITS)
    to: str | Location = parameter(ParameterKind.LOCATION)
    path: str | None = parameter(
        ParameterKind.TEXT,
        "Use the path through these Locations, such as 'C4 C3'.",
        default=None,
        metavar="LOCATIONS",
    )
    doing: str | None = parameter_of_target()

    def setting(self, position: Position) -> Position:
        """The position in the MPh of the unit's side."""
        return in_moving_phase(position, self.units[0])

    def limit_note(self) -> LimitNote:
        """It may take long, as `moves`."""
        return LimitNote(f"threats to {' '.join(self.units)}", FEWER_MOVES)

    def find(self, position: Position, cite: bool) -> Threats:
        """The fire on the way."""
        to = los_end(position, self.to)
        by = [los_end(position, each) for each in (self.path or "").replace(",", " ").split()]
        doing = (self.doing or MOVING).replace("-", "_")
        return threats(position, self.units, to, by, doing, cite)

    def scope(self, position: Position, answer: Threats) -> Scope:
        """The Locations of the path, and the units that can fire."""
        places = [answer.to, *(each.step.to for each in answer.steps)]
        hexes = frozenset(hex_of_spot(each.spot) for each in places)
        return Scope(hexes, frozenset((*answer.units, *answer.firers)))


def threats(
    position: Position,
    units: Sequence[str],
    to: Location,
    path: Sequence[Location] = (),
    doing: str = MOVING,
    cite: bool = True,
) -> Threats:
    """The fire that a unit or stack draws on its way to a Location: by these Locations, or the cheapest.

    QuestionError as for `moves`, and for Locations of which no step leads from one to the next.
    """
    units = tuple(dict.fromkeys(units))
    location_of_stack(position, units)
    paid_in = cost_unit(position, BY, units)
    unreached = None
    if path:
        steps = steps_along(position, units, (*path, to) if path[-1] != to else path)
    else:
        found = moves(position, units, cite=False, toward=to)
        there = found.to(to)
        steps = () if there is None else there.path
        unreached = why_unreached(position, found, to) if there is None else None
    drawn, answers = fire_on_steps(position, units, steps, doing, cite, grouped=True)
    on_path = along(steps, drawn)
    return Threats(
        units,
        to,
        doing,
        paid_in,
        on_path,
        unreached,
        cites_of(position, on_path) if cite else NO_CITATIONS,
        evidence=evidence_of(position, units, steps, drawn, answers) if cite else (),
    )


def evidence_of(
    position: Position,
    units: tuple[str, ...],
    steps: Sequence[MoveStep],
    drawn: FireDrawn,
    answers: Sequence[AnswerSet],
) -> tuple[Evidence, ...]:
    """Return the evidence of each step's legality and cost, and of the fire at it that is not forbidden."""
    if not steps:
        return ()
    deeds = [step_deed(BY, unit, each) for each in dict.fromkeys(steps) for unit in units]
    costs = [clingo.Function(cost_unit(position, BY, units), [each]) for each in deeds]
    goals = [*goals_of(answers, LEGALITY, deeds), *value_goals(costs, answers)]
    moved = Evidence(position, tuple(goals), answers, in_order=True)
    tables = {
        at: table
        for step in steps
        for at, table in zip(drawn[step][0].targets(step), drawn[step][1], strict=True)
    }
    return moved, *(each for table in tables.values() for each in fire_evidence(table.evidence))


def cites_of(position: Position, steps: Sequence[StepThreats]) -> Citations:
    """Return the citations of the norms that decide about these steps and the fire at them."""
    cites = position.program.paragraphs(
        norm for each in steps for norm in (*each.step.norms, *each.exposure.norms)
    )
    for table in (table for each in steps for table in each.tables):
        cites = cites.union(table.cites)
    return cites


def steps_along(
    position: Position, units: tuple[str, ...], path: Sequence[Location]
) -> tuple[MoveStep, ...]:
    """The cheapest step from each of these Locations to the next, the first out of the units' own."""
    search = StepSearch(
        position, units, BY, location_of_stack(position, units), 1, None, cost_unit(position, BY, units),
        False, None, path[0],
    )  # fmt: skip
    places = [search.start, *path] if path[0] != search.start else list(path)
    search.ask([each for each in places if each not in search.steps])
    found = []
    for start, to in pairwise(places):
        steps = [each for each in search.steps[start] if each.to == to]
        if not steps:
            raise QuestionError(
                f"no single step leads from {start} to {to}: name every Location of the path"
            )
        rank = {True: 0, None: 1, False: 2}
        found.append(min(steps, key=lambda each: (rank[each.legal], each.at_least)))
    return tuple(found)


#: For each step that exposes the unit, the fire at each of its Locations.
FireDrawn = Mapping[MoveStep, tuple[Exposure, tuple[FireTable, ...]]]


def fire_on_steps(
    position: Position,
    units: tuple[str, ...],
    steps: Iterable[MoveStep],
    doing: str = MOVING,
    cite: bool = True,
    grouped: bool = False,
) -> tuple[FireDrawn, Sequence[AnswerSet]]:
    """The fire that a unit or stack draws on each of these steps, and the answer sets about the steps.

    `grouped`: with the Fire Groups. `cite`: the answer sets have the legality and cost of the steps.
    """
    exposed, answers = exposures(position, units, steps, cite)
    targets = dict.fromkeys(each for step, how in exposed.items() for each in how.targets(step))
    tables = {each: fire_at(position, units, each, doing, cite, grouped) for each in targets}
    drawn = {
        step: (each, tuple(map(tables.__getitem__, each.targets(step))))
        for step, each in exposed.items()
    }
    return drawn, answers


def along(path: Iterable[MoveStep], drawn: FireDrawn) -> tuple[StepThreats, ...]:
    """The fire on a path, step by step."""
    spent: int | None = 0
    found = []
    for step in path:
        spent = None if spent is None or step.mf is None else spent + step.mf
        exposure, tables = drawn[step]
        bare = tuple(replace(each, evidence=()) for each in tables)
        found.append(StepThreats(step, spent, exposure, bare))
    return tuple(found)


def fire_at(
    position: Position,
    units: Sequence[str],
    at: Target,
    doing: str = MOVING,
    cite: bool = True,
    grouped: bool = False,
) -> FireTable:
    """The attacks of every enemy unit on a unit that moves in this Location; of a stack, on the Location."""
    place, arrival = at
    there = relocated(position, units, place, arrival)
    target = UnitLocation(units[0]) if len(units) == 1 else place
    return firers(there, target, doing, cite=cite, grouped=grouped)


def exposures(
    position: Position, units: tuple[str, ...], steps: Iterable[MoveStep], cite: bool = False
) -> tuple[Mapping[MoveStep, Exposure], Sequence[AnswerSet]]:
    """Where each step exposes the units to fire; if no rule says it, in the Location that they enter.

    `cite`: the answer sets also have the legality and cost of the steps of each unit.
    """
    # The exposure depends on the path alone, and a stack moves together.
    deeds = {each: step_deed(BY, units[0], each) for each in dict.fromkeys(steps)}
    if not deeds:
        return {}, ()
    events = {step: clingo.Function("done", [deed]) for step, deed in deeds.items()}
    wanted = (
        *value_signatures((_EXPOSED, 2), (_EFFECT, 2), (_SNAP_SHOT, 1)),
        Signature(*CROSSING),
    )
    topics = [*deeds.values()]
    snaps = [clingo.Function(_SNAP_SHOT, [each]) for each in topics]
    if cite:
        topics = [step_deed(BY, unit, each) for each in deeds for unit in units]
    asked = [clingo.Function("asked_deed", [each]) for each in topics]
    if cite:
        cost = cost_unit(position, BY, units)
        topics += [clingo.Function(cost, [each]) for each in topics]
        legality = (Signature(*each, STEP) for each in LEGALITY)
        wanted = (*wanted, *legality, *value_signatures((cost, 1)))
    asked += [clingo.Function("asked", [each]) for each in (*topics, *events.values(), *snaps)]
    answers = position.ask(
        wanted,
        position.completed(QueryFacts(tuple(asked)), local=True),
        local=True,
    )
    first = answers[0]
    doubts = UnknownReasons(position, first)
    strength = {place: fp.number for place, fp in position.cases[0].get("residual_fp", 2)}
    open_: dict[clingo.Symbol, set[clingo.Symbol]] = {}
    for topic, _ in first.get("unknown", 2):
        if topic.name in (_EXPOSED, _SNAP_SHOT):
            open_.setdefault(topic.arguments[0], set()).add(topic)
    exposed = _true_in_all(answers, _EXPOSED)
    effects = _true_in_all(answers, _EFFECT)
    norms = _exposing_norms(first)
    crossed = crossed_hexsides(position, answers)
    found = {}
    for step, deed in deeds.items():
        residual = [
            each.arguments[0] for each in effects.get(events[step], ()) if each.name == _RESIDUAL
        ]
        found[step] = Exposure(
            tuple(
                location_from_symbol(each, position.names) for each in sorted(exposed.get(deed, ()))
            )
            or (step.to,),
            tuple(
                (location_from_symbol(each, position.names), strength[each])
                for each in sorted(residual)
                if each in strength
            ),
            tuple(
                dict.fromkeys(
                    why for each in sorted(open_.get(deed, ())) for why in doubts.of(each)
                )
            ),
            _elsewhere(norms.get(deed, {}), to_symbol(step.to, "location")),
            Arrival(statuses_by_way(position, step.way), crossed.get(deed, frozenset())),
        )
    return found, answers


def _exposing_norms(
    answer: AnswerSet,
) -> Mapping[clingo.Symbol, Mapping[clingo.Symbol, Sequence[str]]]:
    """Return the norms that expose each step to fire, by the Location of the fire."""
    found: dict[clingo.Symbol, dict[clingo.Symbol, list[str]]] = {}
    for norm, topic, value in answer.get("undefeated_value", 3):
        if topic.name == _EXPOSED and str(value) == YES:
            deed, place = topic.arguments
            found.setdefault(deed, {}).setdefault(place, []).append(norm.string)
    return found


def _elsewhere(norms: Mapping[clingo.Symbol, Sequence[str]], end: clingo.Symbol) -> tuple[str, ...]:
    """Return the norms that expose a step to fire in a Location other than its end."""
    return tuple(sorted({norm for place, each in norms.items() if place != end for norm in each}))


def _true_in_all(
    answers: Sequence[AnswerSet], name: str
) -> Mapping[clingo.Symbol, Sequence[clingo.Symbol]]:
    """Return the second arguments of the topics `name(A, B)` that are `yes` in all answer sets, by A."""
    first, *others = answers
    found: dict[clingo.Symbol, list[clingo.Symbol]] = {}
    for topic, value in first.values_of(name).items():
        if str(value) == YES and all(each.values_of(name).get(topic) == value for each in others):
            found.setdefault(topic.arguments[0], []).append(topic.arguments[1])
    return found
