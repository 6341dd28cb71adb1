"""Fire attacks: the TEM of an attack, and every DRM, each part with its norm; Fire Groups."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Protocol, TypeVar

import clingo

from rules_asp.explain import layout, record
from rules_asp.explain.proof import LEGALITY, Defeat, Evidence, Provenance, goals_about, value_goals
from rules_asp.explain.record import Record, mf_number
from rules_asp.explain.unknown import Reason, UnknownReasons, agreed_value, differing_assumptions
from rules_asp.game.board import Shot
from rules_asp.game.grid import Location
from rules_asp.game.query import UnitLocation, UnitStack
from rules_asp.game.values import Notation, quarters_text, quoted, to_board_text
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.knowledge.program import value_signatures
from rules_asp.knowledge.rules import Functor, Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.parser.errors import nearest
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.locations import QuestionError, target_as, units_at
from rules_asp.positions.name_resolution import location_of_stack, parse_los_end, resolve_location
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict, scope_of_line, verdict_for
from rules_asp.queries.los import Los, los, sight_span
from rules_asp.queries.query_facts import (
    RelatedTopic,
    read_related_topics,
    related_goals,
    related_record,
    related_table,
    related_topics,
)
from rules_asp.queries.question import (
    Answer,
    ParameterKind,
    Question,
    agrees_with_number,
    parameter,
)

_TOPICS: tuple[Functor, ...] = (("drm", 1), ("tem", 1), ("cover", 1))
_FIRE: Functor = ("fire", 2)
#: The nodes of a fire attack, and of fire as an action.
FIRE_SIGNATURES = (
    *value_signatures(*_TOPICS),
    Signature("legal", 1, _FIRE),
    Signature("illegal", 2, _FIRE),
    Signature("unknown", 2, _FIRE),
    Signature("directs_shot", 1),
)

#: The reason for a sum of DRM that cannot exist because the LOS is blocked.
NO_LOS = "without_los"


@dataclass(frozen=True)
class DrmPart:
    """A part of a sum: the amount, its norm, and its purpose in words."""

    amount: int
    norm: str
    what: str


@dataclass(frozen=True)
class Drm(Answer):
    """The TEM or the sum of all DRM of a fire attack; None if it is unknown.

    `without`: why there is no sum of DRM, though this is its TEM; for example, there is no LOS.
    """

    shot: Shot
    value: int | None
    parts: tuple[DrmPart, ...]
    unknown: tuple[Reason, ...]
    cites: Citations
    beaten: tuple[Defeat, ...] = ()
    without: tuple[Reason, ...] = ()

    @property
    def word(self) -> Verdict:
        """The verdict; a sum without norms is `no`."""
        return verdict_for(None if self.unknown else self.value is not None)

    @property
    def subject(self) -> str:
        """The fire attack in short."""
        how = "" if self.shot.how == "direct" else f"({self.shot.how.replace('_', ' ')}) "
        firer, target = _ends(self.shot)
        by = f"by {_firing_text(self.shot)} from " if _firing(self.shot) else ""
        return f"fire {how}{by}{firer} at {target}{_target_state(self.shot)}"

    def items(self) -> tuple[layout.Item, ...]:
        """The TEM with its parts."""
        return (self.item("TEM"),)

    possible = ("a number", "unknown")

    def agrees(self, wanted: str) -> bool | None:
        """Whether it is the wanted sum."""
        return self.value is None if wanted == "unknown" else agrees_with_number(self.value, wanted)

    def item(self, label: str, short: str = "", verdict: bool = True) -> layout.Item:
        """Return the sum with its parts."""
        return layout.Item(
            label,
            sum_text(self.value),
            verdict=verdict,
            short="unknown" if self.value is None else f"{short}{self.value}",
            parts=part_items(self.parts),
            cites=self.cites,
            why=str(self.unknown[0]) if self.unknown else "",
        )

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the TEM of a fire attack with its parts."""
        here = self.position
        firer, target = _ends(self.shot)
        against = f"TEM for {target} against {_kind(self.shot)} from {firer}: "
        return self.reported(
            self.cites.norms,
            layout.Line((against, layout.amount_span(self.value))),
            layout.part_table(here, part_items(self.parts)),
            layout.defeats(here, self.beaten),
            layout.unknown(self.unknown),
            layout.citations(here, self.cites),
            layout.reason_table(self._without_drm(), self.without),
            layout.issues(self.beside),
        )

    def _without_drm(self) -> str:
        """Return what the reasons in `without` are about."""
        possible = any(each.name != NO_LOS for each in self.without)
        return "The DRM of the shot are unknown because" if possible else "No shot is possible"

    def record(self) -> Record:
        """Return the TEM of a fire attack and its parts as JSON."""
        without = {"drm_unknown": "; ".join(map(str, self.without))} if self.without else {}
        return {
            **_shot_record(self, self.word, self.shot),
            "tem": self.value,
            "parts": parts_record(self.position, self.parts),
            "beaten": record.defeats(self.beaten),
            **record.citations(self.position, self.cites),
            **record.unknown(self.unknown, self.value is None),
            **without,
            **record.issues(self.beside),
        }


@dataclass(frozen=True)
class Fire(Answer):
    """A fire attack: its LOS, its legality, its TEM and all its DRM.

    legal: also None for an attack between Locations that is not aimed and needs no LOS.
    """

    shot: Shot
    sight: Los | None
    legal: bool | None
    norms: tuple[str, ...]
    tem: Drm
    drm: Drm
    unknown: tuple[Reason, ...] = ()
    cites: Citations = NO_CITATIONS
    beaten: tuple[Defeat, ...] = ()
    besides: tuple[RelatedTopic, ...] = ()
    #: The named leader who directs the fire; several if they are equal.
    directed_by: tuple[str, ...] = ()
    #: Those of several named units that may not fire.
    barred: tuple[str, ...] = ()

    @property
    def word(self) -> Verdict:
        """The verdict: forbidden if the attack is illegal, else that of the DRM."""
        return Verdict.FORBIDDEN if self.legal is False else self.drm.word

    @property
    def subject(self) -> str:
        """The fire attack in short."""
        return self.drm.subject

    possible = ("a DRM such as -2", "clear", "blocked", "forbidden", "unknown")

    def agrees(self, wanted: str) -> bool | None:
        """Whether the DRM or the verdict is the wanted one; `clear`: nothing prevents the attack."""
        verdict = self.summary()
        free = verdict.startswith("DRM")
        if wanted in self.possible[1:]:
            return free if wanted == "clear" else verdict == wanted
        found = agrees_with_number(self.drm.value, wanted.removeprefix("DRM "))
        return None if found is None else found and free

    @property
    def _blocked(self) -> bool:
        return self.sight is not None and self.sight.clear is False

    def items(self) -> tuple[layout.Item, ...]:
        """The verdict if the attack is forbidden, its LOS, and the DRM with their parts."""
        forbidden = self.legal is False
        found = (
            [layout.Item("the shot", "forbidden", self.norms, verdict=True)] if forbidden else []
        )
        if self.sight is not None:
            seen = self.sight.items()
            found += [replace(each, verdict=self._blocked and not forbidden) for each in seen]
        return (*found, self.drm.item("DRM", "DRM ", not (forbidden or self._blocked)))

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the LOS, the legality, every DRM with its norm, and the sum."""
        here, drm = self.position, self.drm
        firer, target = _ends(self.shot)
        by = f"by {_firing_text(self.shot)} " if _firing(self.shot) else ""
        kind, ends = _kind(self.shot), f"{by}from {firer} at {target}"
        if self.directed_by:
            ends += f", directed by {' or '.join(self.directed_by)}"
        seen: tuple[str | layout.Span, ...] = ()
        if self.sight is not None:
            clear = self.sight.clear
            seen = "LOS ", sight_span(True, 0) if clear else self.sight.verdict_span()
        if self._blocked and self.sight is not None:
            head = layout.Line(("No ", layout.strong(kind), f" {ends}: ", *seen))
            blockers = self.sight.blocked_by(here)
        elif self.legal is False:
            head = layout.Line(
                (
                    f"{kind.capitalize()} {ends}: ",
                    layout.Span("not allowed", layout.Tone.BAD),
                    f" for {layout.enumeration(self.barred)}" if self.barred else "",
                )
            )
            blockers = None
        else:
            head, blockers = layout.Line(self._total(f"{kind.capitalize()} {ends}: ", seen)), None
        if_allowed = self.legal is False and not self._blocked
        return self.reported(
            self.cites.norms,
            head,
            blockers,
            layout.norms_listed(here, "Not allowed by", self.norms),
            layout.Line(self._total("If it were allowed: ", seen)) if if_allowed else None,
            layout.part_table(here, part_items(drm.parts)),
            related_table(here, self.besides),
            layout.defeats(here, self.beaten, {*self.norms, *self.cites.norms}),
            self.ending(self.cites, () if self._blocked else self._reasons),
        )

    def _total(self, begin: str, seen: tuple[str | layout.Span, ...]) -> layout.Phrase:
        total = f"{begin}DRM ", layout.amount_span(self.drm.value), _target_state(self.shot)
        return (*total, ", ", *seen) if seen else total

    @property
    def _reasons(self) -> tuple[Reason, ...]:
        besides = (why for each in self.besides for why in each.unknown)
        return tuple(dict.fromkeys((*self.unknown, *self.drm.unknown, *besides)))

    def record(self) -> Record:
        """Return all DRM as JSON; `clear` is null within one Location or if it is unknown."""
        clear = None if self.sight is None else self.sight.clear
        hindrance = None if self.sight is None or clear is None else self.sight.hindrance
        return {
            **_shot_record(self, self.word, self.shot),
            "by": list(_firing(self.shot)),
            "directed_by": list(self.directed_by),
            "not_allowed": list(self.barred),
            "legal": self.legal,
            "norms": list(self.norms),
            "clear": clear,
            "hindrance": hindrance,
            "blocked_at": None if self.sight is None else self.sight.blocked_at,
            "blockers": [] if self.sight is None else self.sight.blockers_record(self.position),
            "tem": self.tem.value,
            "drm": self.drm.value,
            "parts": parts_record(self.position, self.drm.parts),
            "besides": related_record(self.besides),
            "beaten": record.defeats(self.beaten),
            **self.ending_record(self.cites, self._reasons, self.drm.value is None),
        }


def _ends(shot: Shot) -> tuple[str, str]:
    return to_board_text(shot.firer, "location"), to_board_text(shot.target, "location")


def _firing(shot: Shot) -> tuple[str, ...]:
    """Return the named firing units."""
    return shot.stack or (() if shot.by is None else (shot.by,))


def _firing_text(shot: Shot) -> str:
    return layout.enumeration(_firing(shot))


def _kind(shot: Shot) -> str:
    return "fire" if shot.how == "direct" else f"{shot.how.replace('_', ' ')} fire"


def _target_state(shot: Shot) -> str:
    return "" if shot.doing == "still" else f", target {shot.doing.replace('_', ' ')}"


def sum_text(value: int | None) -> str:
    """Return a sum with its sign."""
    return "unknown" if value is None else f"{value:+d}"


def part_items(found: Iterable[DrmPart]) -> tuple[layout.Item, ...]:
    """Return the parts of a sum as items."""
    return tuple(layout.Item(each.what, f"{each.amount:+d}", (each.norm,)) for each in found)


def parts_record(position: Position, found: Iterable[DrmPart]) -> list[Record]:
    """Return the parts of a sum as JSON, each with its norm."""
    return [
        {"what": each.what, "amount": each.amount, **record.cite(position, each.norm)}
        for each in found
    ]


def _shot_record(answer: Answer, word: Verdict, shot: Shot) -> Record:
    firer, target = _ends(shot)
    return {
        "board": answer.position.board.name,
        "verdict": word,
        "from": firer,
        "at": target,
        "how": shot.how,
        "target": shot.doing,
    }


_Place = str | Location | UnitLocation
_Firer = _Place | UnitStack
_TARGET_FLAGS = (
    ("--assault-moving", "assault_moving", "The target is Assault Moving."),
    ("--moving", "moving", "The target is moving (FFNAM; FFMO where it applies)."),
    ("--routing", "routing", "The target is routing."),
)


def parameter_of_target() -> Any:
    """Declare the action of a target; the default is the one of its state."""
    return parameter(
        ParameterKind.WORD,
        default=None,
        words="target",
        flags=_TARGET_FLAGS,
        label="Target is",
        none="as stated",
    )


_ShotAnswer = TypeVar("_ShotAnswer", Drm, Fire)


@dataclass(frozen=True)
class _ShotQuestion(Question[_ShotAnswer]):
    """A question about a fire attack: its ends, its kind, and the action of the target.

    If `doing` is None, the action of a target unit follows from its state.
    """

    firer: _Firer = parameter(ParameterKind.LOCATION)
    target: _Place = parameter(ParameterKind.LOCATION)
    how: str = parameter(
        ParameterKind.WORD,
        "Kind of fire",
        default="direct",
        words="fire",
        label="Fire",
        flags=(("--indirect", "indirect", "The same as --how indirect."),),
    )
    doing: str | None = parameter_of_target()

    def shot(self, position: Position) -> Shot:
        """Return the fire attack on a position; QuestionError for an unknown name or word."""
        one, other = _parse_firer(position, self.firer), parse_los_end(position, self.target)
        return shot(position, one, other, self.how.replace("-", "_"), self.doing)

    def scope(self, position: Position, answer: _ShotAnswer) -> Scope:
        """Return the line between firer and target."""
        return scope_of_line(answer.shot.firer, answer.shot.target)


@dataclass(frozen=True)
class TemQuestion(_ShotQuestion[Drm]):
    """Show the TEM of a fire attack.

    FIRER and TARGET are Locations such as U4/2, or units of the board.

    Example: rules-asp tem assault B4 D3/1
    """

    kind = "tem"
    drawable = True
    fits_chat = True

    def find(self, position: Position, cite: bool) -> Drm:
        """The TEM."""
        return tem(position, self.shot(position), cite)


@dataclass(frozen=True)
class FireQuestion(_ShotQuestion[Fire]):
    """Show every DRM of a fire attack.

    `fire` lists TEM, Hindrance, FFMO, FFNAM and Height Advantage, each with its rule. FIRER and
    TARGET are Locations such as U4/2, or units of the board. FIRER may be several units, such as
    "A B L"; a leader among these units directs the fire.

    Example: rules-asp fire assault D3/1 C4 --moving
    """

    kind = "fire"
    drawable = True
    fits_chat = True

    def find(self, position: Position, cite: bool) -> Fire:
        """Return all DRM, the LOS, and the legality."""
        return fire(position, self.shot(position), cite)


def _parse_firer(position: Position, text: _Firer) -> Location | UnitLocation | UnitStack:
    """Parse the firer: a Location, a unit, or several units in one Location."""
    if isinstance(text, UnitStack):
        return text
    if isinstance(text, str) and text not in (known := units_at(position)):
        units = tuple(dict.fromkeys(text.replace(",", " ").split()))
        if len(units) > 1 and any(each in known for each in units):
            return UnitStack(units)
    return parse_los_end(position, text)


def shot(
    position: Position,
    firer: Location | UnitLocation | UnitStack,
    target: Location | UnitLocation,
    how: str = "direct",
    doing: str | None = None,
) -> Shot:
    """Return a fire attack between Locations or units; the action of a target unit follows from its
    state.

    QuestionError for a place or unit that is not on the board, or an unknown word.
    """
    words = position.vocabulary.words
    for word, kind in ((how, "fire"), (doing, "target")):
        if word is not None and word not in words[kind]:
            near = nearest(word, words[kind])
            hint = f"; did you mean {near}?" if near else ""
            what = "kind of fire" if kind == "fire" else "state of the target"
            raise QuestionError(f"{word} is not a {what}; use {', '.join(words[kind])}{hint}")
    stack = firer.units if isinstance(firer, UnitStack) else ()
    place = (
        location_of_stack(position, firer.units)
        if isinstance(firer, UnitStack)
        else resolve_location(position, firer)
    )
    by, on = (each.unit if isinstance(each, UnitLocation) else None for each in (firer, target))
    state = _doing(position, target, doing)
    return Shot(place, resolve_location(position, target), how, state, by, on, stack)


def _doing(position: Position, target: Location | UnitLocation, said: str | None) -> str:
    """Return the action of a target unit as a word for targets; a Location has none.

    For some units the action does not matter.
    """
    if isinstance(target, Location):
        return said or "still"
    if (always := target_as(position, target.unit)) is not None or said is not None:
        return always or said or "still"
    states = {
        str(state)
        for unit, state in position.cases[0].get("status", 2)
        if unit.string == target.unit
    }
    known = [word for word in position.vocabulary.words["target"] if word in states]
    return known[-1] if known else "still"


def tem(position: Position, shot: Shot, cite: bool = True) -> Drm:
    """The TEM of a shot."""
    rests_on = Evidence(position, (), _asked(position, shot))
    found = sum_of_shot(rests_on, shot, "tem", cite)
    return replace(
        found,
        without=() if found.unknown else sum_of_shot(rests_on, shot, "drm", False).unknown,
    )


def fire(position: Position, shot: Shot, cite: bool = True) -> Fire:
    """Return all DRM of a fire attack, and whether it has an LOS."""
    answers = _asked(position, shot)
    same = shot.firer == shot.target
    sight = None if same else los(position, shot.firer, shot.target, close=False, cite=cite)
    legal, norms, unknown = _legal(position, answers, max(1, len(shot.stack)))
    directing = {unit.string for answer in answers for (unit,) in answer.get("directs_shot", 1)}
    illegal = {deed for answer in answers for deed, _ in answer.get("illegal", 2)}
    rests_on = Evidence(position, (), answers)
    tem_, drm = (sum_of_shot(rests_on, shot, name, cite) for name in ("tem", "drm"))
    of_shot = [clingo.parse_term(shot_term(shot))]
    goals = goals_about(answers, LEGALITY, lambda about: about.name == "fire")
    deed = rests_on.of((*goals, *related_goals(answers, of_shot)))
    on = deed.provenance if cite else Provenance()
    cites = drm.cites.union(sight.cites if sight else NO_CITATIONS).union(on.cites)
    beaten = dict.fromkeys((*drm.beaten, *on.beaten))
    besides = read_related_topics(position, answers, of_shot)
    evidence = (*(sight.evidence if sight else ()), deed, *drm.evidence)
    return Fire(
        shot,
        sight,
        legal,
        norms,
        tem_,
        drm,
        unknown,
        cites,
        tuple(beaten),
        besides,
        tuple(each for each in shot.stack if each in directing),
        tuple(each for each in shot.stack if clingo.parse_term(_deed_of(shot, each)) in illegal),
        evidence=evidence,
    )


def _asked(position: Position, shot: Shot) -> list[AnswerSet]:
    """Return the answer sets for all nodes of a fire attack."""
    facts = [f"asked({shot_term(shot)})"]
    if any(str(how) == shot.how for (how,) in position.cases[0].get("aimed", 1)):
        facts += deed_facts(shot)
        facts += [f"shot_by({quoted(each)})" for each in shot.stack]
    question = QueryFacts(tuple(map(clingo.parse_term, facts)))
    question = position.completed(question, local=True)
    wanted = (*FIRE_SIGNATURES, *related_topics(position.program, of_deeds=False))
    return position.ask(wanted, question, local=True)


def deed_facts(shot: Shot) -> list[str]:
    """Return the facts that ask for the legality of a fire attack: the action, of several units that
    of each, and that of its target."""
    deeds = [_deed_of(shot, each) for each in shot.stack] or [fire_term(shot)]
    facts = [f"asked_deed({each})" for each in deeds]
    return [*facts, f"target_said({clingo.parse_term(deeds[0]).arguments[1]},{shot.doing})"]


def _deed_of(shot: Shot, unit: str) -> str:
    """Return the fire attack as an action of one of its units."""
    return fire_term(replace(shot, by=unit))


def fire_term(shot: Shot) -> str:
    """Return the action of a fire attack, between named units or else Locations."""
    firer = quoted(shot.by) if shot.by is not None else shot.firer.term
    target = quoted(shot.on) if shot.on is not None else shot.target.term
    return f"fire({firer},{target})"


def shot_term(shot: Shot) -> str:
    """Return the fire attack as a term of the rules."""
    return f"shot({shot.firer.term},{shot.target.term},{shot.how},{shot.doing})"


def _legal(
    position: Position, answers: Sequence[AnswerSet], firing: int
) -> tuple[bool | None, tuple[str, ...], tuple[Reason, ...]]:
    found: list[bool | None] = []
    norms: dict[str, None] = {}
    unknown: dict[Reason, None] = {}
    for answer in answers:
        illegal = [norm.string for _, norm in answer.get("illegal", 2)]
        norms.update(dict.fromkeys(sorted(illegal)))
        every = len(set(answer.get("legal", 1))) == firing
        found.append(False if illegal else True if every else None)
        doubts = UnknownReasons(position, answer)
        unknown |= dict.fromkeys(doubts.matching(lambda topic: topic.name == "fire"))
    if len(set(found)) > 1:
        return None, tuple(norms), (*unknown, *differing_assumptions(position, answers, found))
    return found[0], tuple(norms), tuple(unknown)


def sum_of_shot(
    rests_on: Evidence,
    shot: Shot,
    name: str,
    cite: bool,
    doubts: Sequence[UnknownReasons] | None = None,
) -> Drm:
    """Return a sum of a fire attack from the answer sets; with `cite`, also its evidence.

    `doubts` as in `agreed_value`.
    """
    position, answers = rests_on.position, rests_on.answers
    topic = clingo.parse_term(f"{name}({shot_term(shot)})")
    value, unknown = agreed_value(position, answers, topic, doubts)
    if value is None and not unknown:
        # The sum was not even started: the inputs of its parts are missing.
        unknown = UnknownReasons(position, answers[0]).missing(topic)
    parts = tuple(_parts(position, answers[0], topic)) if value is not None else ()
    evidence = rests_on.of(value_goals([topic], answers))
    on = evidence.provenance if cite else Provenance()
    amount = None if value is None else value.number
    return Drm(shot, amount, parts, unknown, on.cites, on.beaten, evidence=(evidence,))


def _parts(position: Position, answer: AnswerSet, topic: clingo.Symbol) -> Iterator[DrmPart]:
    """Yield the parts of a sum; a part that is the value of another topic is replaced by its parts.

    The static answer set provides parts that depend on the board alone.
    """

    def about(told: AnswerSet, name: str, arity: int) -> list[list[clingo.Symbol]]:
        return [atom.arguments for atom in told.atoms_of(name, arity, topic)]

    values = about(answer, "undefeated_value", 3)
    told = answer if values else position.cases[0]
    values = values or about(told, "undefeated_value", 3)
    carried = {
        norm: other for name in ("takes", "offers_value") for norm, _, other in about(told, name, 3)
    }
    for norm, _, value in values[:1]:
        if norm in carried:
            yield from _parts(position, answer, carried[norm])
        else:
            # Players know the TEM, not the cover of a target.
            yield DrmPart(value.number, norm.string, "tem")
    added = about(answer, "undefeated_addend", 4) or about(told, "undefeated_addend", 4)
    for _, norm, what, amount in added:
        below = _topic_of(what)
        if below is not None:
            yield from _parts(position, answer, below)
        else:
            yield DrmPart(amount.number, norm.string, shot_sentence(what, position.notation))


def _topic_of(what: clingo.Symbol) -> clingo.Symbol | None:
    """Return the topic of a fire attack whose value is a part, as in of(tem(...))."""
    if what.type != clingo.SymbolType.Function or what.name != "of":
        return None
    (topic,) = what.arguments
    return topic if (topic.name, len(topic.arguments)) in _TOPICS else None


def shot_sentence(what: clingo.Symbol, notation: Notation) -> str:
    """Return the words for a part of a sum: level_above(2) is `level above 2`, the value of lv(...)
    is `lv`."""
    if what.type == clingo.SymbolType.Function and what.name == "of" and what.arguments:
        what = clingo.Function(what.arguments[0].name)
    return notation.term_text(what).replace("_", " ").replace("(", " ").replace(")", "")


#: Two units that belong to one Fire Group.
UnitPair = frozenset[str]


class _Member(Protocol):
    """The properties of a unit's attack that a Fire Group needs."""

    @property
    def by(self) -> str: ...
    @property
    def firepower(self) -> int | None: ...
    @property
    def best_drm(self) -> int | None: ...


@dataclass(frozen=True)
class FireGroup:
    """Units that can fire together, in the order of the table.

    `firepower` is the sum of the known FP, in quarters. `column` is its IFT column; None: some FP is
    unknown, or the IFT has none. `uncounted` are units whose FP is unknown.
    `drm` has the least and the greatest DRM of the units with their leaders, None if one is
    unknown. The group stays connected without any one unit of `spare`.
    """

    units: tuple[str, ...]
    firepower: int
    column: int | None
    uncounted: tuple[str, ...]
    drm: tuple[int, int] | None
    spare: tuple[str, ...]

    def table(self) -> layout.Table:
        """Return the group with its FP and DRM, and the units that can be left out."""
        column = "" if self.column is None else f", IFT column {self.column}"
        rows: list[layout.Row] = [
            (", ".join(self.units), f"{quarters_text(self.firepower)} FP{column}")
        ]
        if self.uncounted:
            rows.append(("FP unknown of", ", ".join(self.uncounted)))
        rows.append(("DRM with leaders", self._drm_text))
        spare = "nobody" if not self.spare else ", ".join(self.spare)
        rows.append(("One of these can be left out", spare))
        return layout.Table(rows, "Largest Fire Group")

    @property
    def _drm_text(self) -> str:
        if self.drm is None:
            return "unknown"
        least, greatest = (f"{each:+d}" for each in self.drm)
        return least if least == greatest else f"{least} to {greatest}; which counts is not encoded"

    def record(self) -> Record:
        """The group as JSON; `drm` has the least and the greatest."""
        return {
            "units": list(self.units),
            "firepower": mf_number(self.firepower),
            "column": self.column,
            "firepower_unknown": list(self.uncounted),
            "drm": None if self.drm is None else list(self.drm),
            "spare": list(self.spare),
        }


def largest_group(
    position: Position, attacks: Sequence[_Member], pairs: Collection[UnitPair]
) -> FireGroup | None:
    """The Fire Group of these attacks with the most FP; None if no two units belong together."""
    groups = [_group(some, pairs) for some in _connected(attacks, pairs) if len(some) > 1]
    if not groups:
        return None
    group = max(groups, key=lambda each: (each.firepower, len(each.units)))
    return group if group.uncounted else replace(group, column=_column(position, group.firepower))


def _column(position: Position, firepower: int) -> int | None:
    """Return the IFT column of an FP in quarters; None if the rules give none."""
    topic = clingo.Function("ift_column", [clingo.Number(firepower)])
    question = position.completed(QueryFacts((clingo.Function("asked", [topic]),)))
    answers = position.ask(value_signatures((topic.name, 1)), question)
    value, _ = agreed_value(position, answers, topic)
    return None if value is None else value.number


def _group(attacks: Sequence[_Member], pairs: Collection[UnitPair]) -> FireGroup:
    firepower = sum(each.firepower or 0 for each in attacks)
    uncounted = tuple(each.by for each in attacks if each.firepower is None)
    drms = [each.best_drm for each in attacks]
    known = [each for each in drms if each is not None]
    return FireGroup(
        tuple(each.by for each in attacks),
        firepower,
        None,
        uncounted,
        (min(known), max(known)) if len(known) == len(drms) else None,
        tuple(
            each.by
            for each in attacks
            if len(list(_connected([one for one in attacks if one is not each], pairs))) == 1
        ),
    )


def _connected(
    attacks: Iterable[_Member], pairs: Collection[UnitPair]
) -> Iterable[Sequence[_Member]]:
    """Return the connected components of the attacks."""
    parts: list[list[_Member]] = []
    for each in attacks:
        joined = [
            part for part in parts if any(frozenset((each.by, one.by)) in pairs for one in part)
        ]
        parts = [part for part in parts if part not in joined]
        parts.append([*chain.from_iterable(joined), each])
    return parts
