"""`firers` and `targets`: all attacks on a target, or of a unit, in one question.

As in `fire`, the rules decide. One program answers all attacks, and each row is read from its
answer sets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import clingo

from rules_asp.explain import layout, record
from rules_asp.explain.proof import LEGALITY, Evidence, goals_of, value_goals
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason, UnknownReasons, differing_assumptions
from rules_asp.game.board import Shot
from rules_asp.game.grid import Location, hex_of_spot
from rules_asp.game.query import UnitLocation
from rules_asp.game.values import SCALES, quarters_text, quoted, to_board_text, to_symbol, word_text
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.knowledge.program import value_signatures
from rules_asp.knowledge.rules import SIGHT, Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError, units_at
from rules_asp.positions.name_resolution import parse_los_end, resolve_location
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict, scope_of_line, verdict_for
from rules_asp.queries.fire import (
    FIRE_SIGNATURES,
    Drm,
    DrmPart,
    FireGroup,
    UnitPair,
    deed_facts,
    fire_term,
    largest_group,
    parameter_of_target,
    parts_record,
    shot,
    shot_term,
    sum_of_shot,
    sum_text,
)
from rules_asp.queries.question import Answer, ParameterKind, Question, parameter
from rules_asp.queries.variants import in_phase

_FP, _DOUBLINGS, _TIMES, _DIRECTION = "total_fp", "fp_doublings", "fp_times", "fire_direction"
_OF_WEAPON, _COLUMN = "weapon_fp", "fire_column"
_WANTED = (
    *FIRE_SIGNATURES,
    *value_signatures(
        (_FP, 1), (_OF_WEAPON, 2), (_COLUMN, 1), (_DOUBLINGS, 1), (_TIMES, 1), (_DIRECTION, 1)
    ),
    Signature("permitted", 2, ("fire", 2)),
    Signature("sees", 1, SIGHT),
    Signature("stopped", 3, SIGHT),
    Signature("hindrance", 2, SIGHT),
    Signature("unknown", 2, SIGHT),
)
_GROUPS = Signature("legal", 1, ("fire_group", 2))


_Value = TypeVar("_Value", int, bool)
#: Maximum number of units in a line of those that cannot fire.
_NAMED = 8


@dataclass(frozen=True)
class Attack:
    """An attack of the table: its LOS, legality, FP and DRM.

    `firepower` is that of the unit with its MG, in quarters, and `column` its IFT column; `weapons`
    are its MG with the FP of each. `direction` is the best leadership modifier. None: unknown.
    `doublings` are factors that double (+1) or halve (-1) the FP, each with its norm; `times` is
    the resulting factor of the printed FP. `norms` forbid the attack. `unknown` are the reasons for
    an unknown legality, `fp_unknown` those for an unknown FP.
    """

    shot: Shot
    range: int
    clear: bool | None
    hindrance: int
    blocked_at: str | None
    legal: bool | None
    norms: tuple[str, ...]
    unknown: tuple[Reason, ...]
    drm: Drm
    firepower: int | None
    column: int | None
    weapons: tuple[tuple[str, int | None], ...]
    times: int
    doublings: tuple[DrmPart, ...]
    fp_unknown: tuple[Reason, ...]
    direction: int | None

    @property
    def by(self) -> str:
        """The unit that fires."""
        return self.shot.by or ""

    @property
    def is_able(self) -> bool:
        """Whether it is allowed and has, or may have, FP."""
        return bool(self.legal) and self.firepower != 0

    @property
    def best_drm(self) -> int | None:
        """The DRM with the leader who can direct the attack; None if either is unknown."""
        if self.drm.value is None or self.direction is None:
            return None
        return self.drm.value + self.direction

    @property
    def best_text(self) -> str:
        """The DRM with the leader; `?` if it is unknown."""
        return "?" if self.best_drm is None else sum_text(self.best_drm)

    @property
    def doubts(self) -> tuple[Reason, ...]:
        """Why it is unknown whether it is allowed or, if it is allowed, its FP or DRM."""
        if self.legal is not True:
            return self.unknown
        return tuple(dict.fromkeys((*self.fp_unknown, *self.drm.unknown)))

    def parts_text(self, position: Position) -> str:
        """Return the parts of its DRM that are not 0, by their names."""
        return ", ".join(
            f"{position.vocabulary.phrase_for('drm_part', each.what)} {each.amount:+d}"
            for each in self.drm.parts
            if each.amount
        )

    def has_part(self, what: str) -> bool:
        """Test whether a part of its DRM has this name, such as `ffmo`."""
        return any(part.what == what for part in self.drm.parts)

    @property
    def word(self) -> Verdict:
        """Whether the attack is allowed."""
        return verdict_for(self.legal, self.norms)

    @property
    def summary(self) -> str:
        """The attack in few words: `4 FP, DRM -1`."""
        if self.legal is not True:
            return "unknown" if self.legal is None else "not allowed"
        return f"{self.fp_text} FP, DRM {sum_text(self.drm.value)}"

    @property
    def fp_text(self) -> str:
        """The FP as players write them."""
        return _fp_text(self.firepower)

    def record(self, position: Position) -> Record:
        """One attack, with its LOS, FP and DRM."""
        shot = self.shot
        return {
            "unit": shot.by,
            "from": to_board_text(shot.firer, "location"),
            "target": shot.on,
            "at": to_board_text(shot.target, "location"),
            "doing": shot.doing,
            "verdict": self.word,
            "legal": self.legal,
            "norms": list(self.norms),
            "range": self.range,
            "clear": self.clear,
            "hindrance": self.hindrance if self.clear else None,
            "blocked_at": self.blocked_at,
            "firepower": None if self.firepower is None else self.firepower / SCALES["quarter"],
            "column": self.column,
            "weapons": [
                {"weapon": weapon, "firepower": record.mf_number(fp)} for weapon, fp in self.weapons
            ],
            "times": self.times,
            "doublings": parts_record(position, self.doublings),
            "direction": self.direction,
            "drm": self.drm.value,
            "parts": parts_record(position, self.drm.parts),
            "unknown": list(map(str, self.unknown)),
            "firepower_unknown": list(map(str, self.fp_unknown)),
            "drm_unknown": list(map(str, self.drm.unknown)),
        }


def _fp_text(quarters: int | None) -> str:
    return "?" if quarters is None else quarters_text(quarters)


@dataclass(frozen=True)
class FireTable(Answer):
    """The attacks on one target, or of one unit (`by_firer`), allowed ones first.

    `doing`: the action of the target; None: its state on the board. `group` is the Fire Group with
    the most FP; None: no two units can form one.
    """

    of: str
    by_firer: bool
    place: Location
    doing: str | None
    attacks: tuple[Attack, ...]
    cites: Citations = NO_CITATIONS
    group: FireGroup | None = None

    @property
    def able(self) -> tuple[Attack, ...]:
        """The attacks that are allowed and have, or may have, FP."""
        return tuple(each for each in self.attacks if each.is_able)

    @property
    def doubtful(self) -> tuple[Attack, ...]:
        """The attacks with unknown legality."""
        return tuple(each for each in self.attacks if each.legal is None and each.firepower != 0)

    @property
    def word(self) -> Verdict:
        """Yes if some attack is allowed, unknown if one may be allowed."""
        words = {each.word for each in self.attacks}
        order = (Verdict.YES, Verdict.UNKNOWN, Verdict.FORBIDDEN)
        return next((each for each in order if each in words), Verdict.NOT_SO)

    def items(self) -> tuple[layout.Item, ...]:
        """Each attack by its other unit."""
        return tuple(layout.Item(self._end(each), each.summary) for each in self.attacks)

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """The count, the table of allowed attacks, and why each other unit cannot fire."""
        here = self.position
        legal = [each for each in self.attacks if each.legal]
        able = [each for each in legal if each.firepower != 0]
        idle = [each for each in legal if each.firepower == 0]
        barred = [each for each in self.attacks if each.legal is False]
        head = (
            "Target" if self.by_firer else "Unit",
            "In",
            "Range",
            "FP",
            "IFT",
            "Leader",
            "DRM",
            "",
        )
        changed = (part.norm for each in able for part in each.doublings)
        return self.reported(
            self.cites.norms,
            layout.Line(self._headline(len(able))),
            layout.Table([head, *(self._row(each) for each in able)] if able else [], "Allowed"),
            None if self.group is None else self.group.table(),
            layout.Table([(self._names(idle),)] if idle else [], "Allowed, but without FP"),
            self._grouped(
                "Unknown",
                ((each, each.unknown) for each in self.attacks if each.legal is None),
                layout.Tone.DOUBT,
            ),
            self._barred(barred),
            layout.norms_listed(here, "Not allowed by", (norm for e in barred for norm in e.norms)),
            self._grouped("FP unknown because", ((each, each.fp_unknown) for each in able)),
            layout.Table(list(self._weapons(able)), "Weapons whose FP is not counted"),
            self._grouped("DRM unknown because", ((each, each.drm.unknown) for each in able)),
            layout.norms_listed(here, "FP changed by", changed),
            layout.citations(here, self.cites),
            layout.issues(self.beside),
        )

    def _weapons(self, able: Iterable[Attack]) -> Iterator[layout.Row]:
        """The weapons that the firing units possess."""
        facts = self.position.board_facts
        stated = [each.arguments for each in facts.named("possesses")]
        guns = {each.arguments[0].string for each in facts.named("ma")}
        for each in {each.by: each for each in able}.values():
            found = [str(weapon) for owner, weapon in stated if owner.string == each.by]
            counted = {weapon for weapon, _ in each.weapons}
            left = [word_text(weapon, "weapon") for weapon in found if weapon not in counted]
            if left := left + ["MA"] * (each.by in guns):
                yield each.by, layout.enumeration(left)

    def _headline(self, able: int) -> layout.Phrase:
        count = layout.Span(str(able), layout.Tone.GOOD if able else layout.Tone.BAD)
        where = to_board_text(self.place, "location")
        of = self.of if self.of == where else f"{self.of} in {where}"
        many = len(self.attacks)
        if self.by_firer:
            return f"{of} can fire at ", count, f" of {many} enemy units"
        doing = "" if self.doing is None else f", target {self.doing.replace('_', ' ')}"
        return count, f" of {many} {'unit' if many == 1 else 'units'} can fire at {of}{doing}"

    def _end(self, attack: Attack) -> str:
        """The other unit of an attack."""
        return (attack.shot.on if self.by_firer else attack.shot.by) or ""

    def _row(self, attack: Attack) -> layout.Row:
        shot, drm, lead = attack.shot, attack.drm.value, attack.direction
        where = to_board_text(shot.target if self.by_firer else shot.firer, "location")
        name = self.position.vocabulary.phrase_for
        factors = [name("fp_part", each.what) for each in attack.doublings]
        factors += ["TPBF"] if attack.times > 1 else []
        factors += [
            f"{word_text(weapon, 'weapon')} {_fp_text(fp)}" for weapon, fp in attack.weapons
        ]
        return (
            layout.strong(self._end(attack)),
            where,
            str(attack.range),
            attack.fp_text,
            "?" if attack.firepower is None else str(attack.column or "-"),
            "?" if lead is None else f"{lead:+d}" if lead else "",
            layout.strong("?" if drm is None else f"{drm:+d}" if drm else "0"),
            "; ".join(filter(None, (", ".join(factors), attack.parts_text(self.position)))),
        )

    def _names(self, attacks: Iterable[Attack]) -> str:
        names = [self._end(each) for each in attacks]
        more = len(names) - _NAMED
        return layout.enumeration(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")

    def _grouped(
        self,
        title: str,
        found: Iterable[tuple[Attack, tuple[Reason, ...]]],
        tone: layout.Tone = layout.Tone.PLAIN,
    ) -> layout.Table:
        """Group attacks by the reasons why something about them is unknown."""
        by_reason: dict[str, list[Attack]] = {}
        for each, why in found:
            if why:
                by_reason.setdefault("; ".join(map(str, why)), []).append(each)
        rows = [(layout.Span(self._names(some), tone), why) for why, some in by_reason.items()]
        return layout.Table(rows, title)

    def _barred(self, attacks: Iterable[Attack]) -> layout.Table:
        by_reason: dict[tuple[str, tuple[str, ...]], list[Attack]] = {}
        for each in attacks:
            where = f"LOS blocked at {each.blocked_at}" if each.clear is False else ""
            by_reason.setdefault((where, each.norms), []).append(each)
        rows = [
            (self._names(some), layout.norm_span(*norms), where)
            for (where, norms), some in by_reason.items()
        ]
        return layout.Table(rows, "Not allowed")

    def record(self) -> Record:
        """The attacks on a unit or Location, or of a unit."""
        place = to_board_text(self.place, "location")
        if self.by_firer:
            of: Record = {"unit": self.of, "from": place}
        else:
            of = {"target": self.of, "at": place, "doing": self.doing}
        return {
            "board": self.position.board.name,
            "verdict": self.word,
            **of,
            "attacks": [each.record(self.position) for each in self.attacks],
            "group": None if self.group is None else self.group.record(),
            **record.citations(self.position, self.cites),
            **record.issues(self.beside),
        }


def _phase_parameter() -> Any:
    """Declare the phase of the fire attacks; the default is the phase of the board."""
    return parameter(
        ParameterKind.WORD,
        "Ask for this phase of the Player Turn",
        default=None,
        words="phase",
        none="as stated",
    )


@dataclass(frozen=True)
class _FireTableQuestion(Question[FireTable]):
    """A question about many attacks."""

    def scope(self, position: Position, answer: FireTable) -> Scope:
        """The lines of all attacks, and their units."""
        shots = [each.shot for each in answer.attacks]
        lines = {(each.firer, each.target) for each in shots}
        hexes = frozenset(hex_ for line in lines for hex_ in scope_of_line(*line).hexes)
        units = {unit for each in shots for unit in (each.by, each.on) if unit is not None}
        return Scope(hexes | {hex_of_spot(answer.place.spot)}, frozenset(units))


@dataclass(frozen=True)
class FirersQuestion(_FireTableQuestion):
    """List the units that can fire at a unit or Location.

    `firers` shows range, FP and DRM for each enemy unit that can fire at the target. For each unit
    that cannot fire at the target, `firers` shows the reason. TARGET is a unit, or a Location such
    as U4/2.

    Example: rules-asp firers assault C4 --moving
    """

    kind = "firers"
    target: str | Location | UnitLocation = parameter(ParameterKind.LOCATION)
    doing: str | None = parameter_of_target()
    phase: str | None = _phase_parameter()
    side: str | None = parameter(
        ParameterKind.SIDE, "List only units of this side.", default=None, none="any"
    )

    def setting(self, position: Position) -> Position:
        """The position in that phase of the same Player Turn."""
        return in_phase(position, self.phase)

    def find(self, position: Position, cite: bool) -> FireTable:
        """The attacks on the target."""
        doing = None if self.doing is None else self.doing.replace("-", "_")
        return firers(position, parse_los_end(position, self.target), doing, self.side, cite)


@dataclass(frozen=True)
class TargetsQuestion(_FireTableQuestion):
    """List the enemy units that a unit can fire at.

    `targets` shows range, FP and DRM for each possible target. For each enemy unit that cannot be a
    target, `targets` shows the reason.

    Example: rules-asp targets assault A
    """

    kind = "targets"
    unit: str = parameter(ParameterKind.UNIT)
    phase: str | None = _phase_parameter()

    def setting(self, position: Position) -> Position:
        """The position in that phase of the same Player Turn."""
        return in_phase(position, self.phase)

    def find(self, position: Position, cite: bool) -> FireTable:
        """The attacks of the unit."""
        return targets(position, self.unit, cite)


def firers(
    position: Position,
    target: Location | UnitLocation,
    doing: str | None = None,
    side: str | None = None,
    cite: bool = True,
    grouped: bool = True,
) -> FireTable:
    """The attacks of every enemy unit on a unit or Location, and the largest Fire Group if `grouped`.

    Enemies of a Location are those of the units in it. Of a Location without units every unit is
    listed, or those of one side.
    """
    place = resolve_location(position, target)
    enemies = _Sides(position)
    on = [target.unit] if isinstance(target, UnitLocation) else enemies.at(place)
    by = [unit for unit in enemies.units if not on or enemies.may_fire(unit, on)]
    by = [unit for unit in by if enemies.is_of(unit, side)]
    pairs = [(UnitLocation(unit), target) for unit in by]
    return _table(position, str(target).strip('"'), False, place, pairs, doing, cite, grouped)


def targets(position: Position, unit: str, cite: bool = True) -> FireTable:
    """Return the attacks of a unit on every enemy unit."""
    place = resolve_location(position, UnitLocation(unit))
    enemies = _Sides(position)
    on = [other for other in enemies.units if other != unit and enemies.may_fire(unit, [other])]
    pairs = [(UnitLocation(unit), UnitLocation(other)) for other in on]
    return _table(position, unit, True, place, pairs, None, cite)


class _Sides:
    """The possible sides of units."""

    def __init__(self, position: Position) -> None:
        self._places = units_at(position)
        self.units = sorted(self._places)
        case = position.cases[0]
        self._enemies = {
            (one.string, other.string)
            for name in ("enemies", "maybe_enemies")
            for one, other in case.get(name, 2)
        }
        told = (atom.arguments for atom in case.atoms_about("is", 2, "side_of"))
        self._side = {topic.arguments[0].string: str(side) for topic, side in told}

    def at(self, place: Location) -> list[str]:
        """Return the units in a Location."""
        return [unit for unit in self.units if self._places[unit] == place]

    def may_fire(self, unit: str, on: Iterable[str]) -> bool:
        """Test whether some of these units are, or may be, enemies of a unit."""
        return any((unit, other) in self._enemies for other in on)

    def is_of(self, unit: str, side: str | None) -> bool:
        """Test whether a unit is, or may be, of a side; QuestionError for a side without units."""
        if side is None:
            return True
        if side not in self._side.values():
            known = ", ".join(sorted(set(self._side.values()))) or "none"
            raise QuestionError(f"no unit on this board has the side {side}; the sides are {known}")
        return self._side.get(unit, side) == side


def units_of(position: Position, side: str) -> list[str]:
    """Return the units that are, or may be, of a side; QuestionError for a side without units."""
    enemies = _Sides(position)
    return [unit for unit in enemies.units if enemies.is_of(unit, side)]


def attacks_of_side(
    position: Position, side: str, by_it: bool, cite: bool = True
) -> tuple[tuple[Attack, ...], Citations, tuple[Evidence, ...]]:
    """Return the attacks of a side on all enemy units; not `by_it`: those of its enemies."""
    enemies = _Sides(position)
    pairs = [
        (UnitLocation(unit), UnitLocation(other))
        if by_it
        else (UnitLocation(other), UnitLocation(unit))
        for unit in units_of(position, side)
        for other in enemies.units
        if other != unit and enemies.may_fire(unit, [other])
    ]
    attacks, reader = _attacks(position, pairs, None)
    if not cite or reader is None:
        return attacks, NO_CITATIONS, ()
    evidence = reader.rests_on.of(reader.goals(attacks))
    return attacks, reader.cites(attacks), tuple(fire_evidence([evidence]))


def fire_evidence(evidence: Iterable[Evidence]) -> Iterator[Evidence]:
    """Yield the evidence of attacks without the forbidden ones."""
    for each in evidence:
        yield each.of(goal for goal in each.goals if not goal.startswith("illegal("))


_Pairs = Sequence[tuple[UnitLocation, Location | UnitLocation]]


def _table(
    position: Position,
    of: str,
    by_firer: bool,
    place: Location,
    pairs: _Pairs,
    doing: str | None,
    cite: bool,
    grouped: bool = False,
) -> FireTable:
    attacks, reader = _attacks(position, pairs, doing, grouped)
    if reader is None:
        return FireTable(of, by_firer, place, doing, (), NO_CITATIONS, None)
    cites = reader.cites(attacks) if cite else NO_CITATIONS
    able = [each for each in attacks if each.is_able]
    group = largest_group(position, able, reader.pairs) if grouped else None
    evidence = (reader.rests_on.of(reader.goals(attacks)),)
    return FireTable(of, by_firer, place, doing, attacks, cites, group, evidence=evidence)


def _attacks(
    position: Position, pairs: _Pairs, doing: str | None, grouped: bool = False
) -> tuple[tuple[Attack, ...], _AttackReader | None]:
    """Return the attacks and the reader of their answers; None without attacks."""
    shots = [shot(position, by, on, doing=doing) for by, on in pairs]
    if not shots:
        return (), None
    reader = _AttackReader(position, _asked(position, shots, grouped))
    return tuple(sorted(map(reader.attack, shots), key=_order)), reader


def _order(attack: Attack) -> tuple[int, int, str, str]:
    """Return the sort key: allowed attacks first, then unknown ones; the nearest first."""
    rank = {True: 0, None: 1, False: 2}[attack.legal]
    return rank, attack.range, attack.shot.by or "", attack.shot.on or ""


def _asked(position: Position, shots: Sequence[Shot], grouped: bool) -> list[AnswerSet]:
    """Return the answer sets for all attacks; `grouped`: with the pairs of a Fire Group."""
    facts: dict[str, None] = {}
    for each in shots:
        deed = fire_term(each)
        facts |= dict.fromkeys((f"asked({shot_term(each)})", *deed_facts(each)))
        facts |= dict.fromkeys(f"asked({topic}({deed}))" for topic in (_FP, _COLUMN, _DIRECTION))
    if grouped:
        facts |= {f"group_asked({quoted(each.by)})": None for each in shots if each.by}
    question = QueryFacts(tuple(map(clingo.parse_term, facts)))
    wanted = (*_WANTED, _GROUPS) if grouped else _WANTED
    return position.ask(wanted, position.completed(question, local=True), local=True)


class _AttackReader:
    """Reads attacks from the answer sets of all cases of the board."""

    def __init__(self, position: Position, answers: Sequence[AnswerSet]) -> None:
        self._position, self._answers = position, answers
        self.rests_on = Evidence(position, (), answers)
        self._doubts = [UnknownReasons(position, each) for each in answers]
        self._lines = [_Lines(position, each) for each in answers]
        self._illegal = [_norms_by_deed(each) for each in answers]
        self._legal = [{deed for (deed,) in each.get("legal", 1)} for each in answers]
        in_all = frozenset.intersection(*map(frozenset, self._legal))
        #: The pairs of units that belong to one Fire Group in all cases.
        self.pairs: frozenset[UnitPair] = frozenset(
            frozenset(unit.string for unit in deed.arguments)
            for deed in in_all
            if deed.name == "fire_group"
        )
        self._mg = [each.arguments for each in position.board_facts.named("weapon_strength")]
        self._doublings: dict[clingo.Symbol, list[DrmPart]] = {}
        for topic, norm, what, amount in sorted(answers[0].get("undefeated_addend", 4)):
            if topic.name == _DOUBLINGS:
                part = DrmPart(amount.number, norm.string, str(what))
                self._doublings.setdefault(topic.arguments[0], []).append(part)

    def attack(self, of: Shot) -> Attack:
        """The attack of a shot."""
        deed = clingo.parse_term(fire_term(of))
        verdicts = [
            False if deed in illegal else True if deed in legal else None
            for illegal, legal in zip(self._illegal, self._legal, strict=True)
        ]
        legal, unknown = self._agreed(verdicts, deed)
        norms = dict.fromkeys(norm for each in self._illegal for norm in each.get(deed, ()))
        sights = [each.sight(of) for each in self._lines]
        clear, hindrance, place = sights[0] if len(set(sights)) == 1 else (None, 0, None)
        firepower, fp_unknown = self._value(_FP, deed)
        times, _ = self._value(_TIMES, deed)
        column, _ = self._value(_COLUMN, deed)
        direction, _ = self._value(_DIRECTION, deed)
        return Attack(
            of,
            hex_of_spot(of.firer.spot).range_to(hex_of_spot(of.target.spot)),
            clear,
            hindrance,
            place,
            legal,
            tuple(norms),
            unknown,
            replace(sum_of_shot(self.rests_on, of, "drm", False, self._doubts), evidence=()),
            firepower,
            column,
            tuple(self._weapons(deed)),
            times or 1,
            tuple(self._doublings.get(deed, ())),
            fp_unknown,
            direction,
        )

    def _weapons(self, deed: clingo.Symbol) -> Iterator[tuple[str, int | None]]:
        """The MG whose FP the board states, each with its FP in this attack."""
        unit = deed.arguments[0]
        for owner, weapon, *_ in self._mg:
            if owner == unit:
                topic = clingo.Function(_OF_WEAPON, [deed, weapon])
                yield str(weapon), self._agreed_number(topic)[0]

    def goals(self, attacks: Iterable[Attack]) -> Iterator[str]:
        """Yield the atoms to prove: legality, FP, DRM, and direction by a leader."""
        for each in attacks:
            deed = clingo.parse_term(fire_term(each.shot))
            yield from goals_of(self._answers, LEGALITY, (deed,))
            if each.legal is not False:
                of_deed = [clingo.Function(name, [deed]) for name in (_FP, _COLUMN, _DIRECTION)]
                drm = clingo.parse_term(f"drm({shot_term(each.shot)})")
                for topic in (*of_deed, drm):
                    yield from value_goals([topic], self._answers)

    def cites(self, attacks: Iterable[Attack]) -> Citations:
        """Return the citations of the deciding norms: legality, each part of DRM and FP.

        Their own premises are left to the proofs.
        """
        norms: dict[str, None] = {}
        for each in attacks:
            norms |= dict.fromkeys(each.norms)
            if each.legal is False:
                continue
            deed = clingo.parse_term(fire_term(each.shot))
            norms |= dict.fromkeys(self._deciding.get(deed, ()))
            norms |= dict.fromkeys(part.norm for part in (*each.doublings, *each.drm.parts))
        return self._position.program.paragraphs(norms)

    @cached_property
    def _deciding(self) -> Mapping[clingo.Symbol, list[str]]:
        """The norms that allow each action, and those that give its FP."""
        found: dict[clingo.Symbol, list[str]] = {}
        for answer in self._answers:
            for deed, norm in sorted(answer.get("permitted", 2)):
                found.setdefault(deed, []).append(norm.string)
            for norm, topic, _ in sorted(answer.get("undefeated_value", 3)):
                if topic.name in (_FP, _COLUMN, _DIRECTION):
                    found.setdefault(topic.arguments[0], []).append(norm.string)
        return found

    def _value(self, name: str, deed: clingo.Symbol) -> tuple[int | None, tuple[Reason, ...]]:
        return self._agreed_number(clingo.Function(name, [deed]))

    def _agreed_number(self, topic: clingo.Symbol) -> tuple[int | None, tuple[Reason, ...]]:
        found = [each.values.get(topic) for each in self._answers]
        values = [None if each is None else each.number for each in found]
        return self._agreed(values, topic)

    def _agreed(
        self, told: Sequence[_Value | None], topic: clingo.Symbol
    ) -> tuple[_Value | None, tuple[Reason, ...]]:
        """Return the common value of all cases, and why it is unknown if they differ."""
        why = dict.fromkeys(reason for each in self._doubts for reason in each.of(topic))
        if len(set(told)) > 1:
            why |= dict.fromkeys(differing_assumptions(self._position, self._answers, told))
            return None, tuple(why)
        if told[0] is None and not why:
            why |= dict.fromkeys(self._doubts[0].missing(topic))
        return told[0], tuple(why) if told[0] is None else ()


def _norms_by_deed(answer: AnswerSet) -> Mapping[clingo.Symbol, list[str]]:
    found: dict[clingo.Symbol, list[str]] = {}
    for deed, norm in sorted(answer.get("illegal", 2)):
        found.setdefault(deed, []).append(norm.string)
    return found


class _Lines:
    """The LOS of an answer set, with the ends in either order."""

    def __init__(self, position: Position, answer: AnswerSet) -> None:
        term_text = position.notation.term_text
        self._clear = {sight for (sight,) in answer.get("sees", 1)}
        self._hindrance = {sight: amount.number for sight, amount in answer.get("hindrance", 2)}
        self._blocked: dict[clingo.Symbol, str] = {}
        for sight, _, place in sorted(answer.get("stopped", 3)):
            self._blocked.setdefault(sight, term_text(place))

    def sight(self, of: Shot) -> tuple[bool | None, int, str | None]:
        """Return whether a line is clear, its Hindrance, and a place that blocks it."""
        if of.firer == of.target:
            return True, 0, None
        ends = [to_symbol(each, "location") for each in (of.firer, of.target)]
        found = list(self._read([clingo.Function("s", each) for each in (ends, ends[::-1])]))
        return found[0] if found else (None, 0, None)

    def _read(
        self, sights: Iterable[clingo.Symbol]
    ) -> Iterator[tuple[bool | None, int, str | None]]:
        for sight in sights:
            if sight in self._blocked:
                yield False, 0, self._blocked[sight]
            elif sight in self._clear:
                yield True, self._hindrance.get(sight, 0), None
