"""`los`: one line of sight with all its details.

The knowledge base decides what blocks, hinders, and is defeated. Close calls are found by asking
again with the close contact taken the other way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import clingo

from rules_asp.explain import layout, record
from rules_asp.explain.proof import Defeat, Evidence, goals_about
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason, UnknownReasons, differing_assumptions, touch_text
from rules_asp.game.grid import Hex, Location, hex_of_spot
from rules_asp.game.map_layout import names_of
from rules_asp.game.values import Notation, level_text, to_board_text, to_symbol
from rules_asp.geometry.tolerance import close_call_facts
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.knowledge.rules import SIGHT, SIGHT_PLACE, Signature
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.locations import LosLine, line_between
from rules_asp.positions.name_resolution import los_end
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict, scope_of_line, verdict_for
from rules_asp.queries.question import Answer, ParameterKind, Question, parameter

_WANTED = (
    Signature("sees", 1, SIGHT),
    Signature("stopped", 3, SIGHT),
    Signature("hindered", 4, SIGHT),
    Signature("hindrance", 2, SIGHT),
    Signature("unknown", 2, SIGHT),
    Signature("lv_on", 2, SIGHT),
    Signature("choked", 2),
    Signature("defeated", 3, SIGHT),
    Signature("defeated", 3, SIGHT_PLACE),
    Signature("contested", 3, SIGHT),
)
#: What decides the verdict and the Hindrance.
_DECIDING = tuple(
    each for each in _WANTED if each.name in ("sees", "stopped", "hindrance", "contested")
)
#: What a clear line passes over: asked only with citations.
_PASSES = Signature("passes_over", 7)


class Blocker(NamedTuple):
    """A norm that blocks the line, and the place where it does."""

    norm: str
    place: str


class LosHindrance(NamedTuple):
    """A Hindrance: the norm, the place, the amount."""

    norm: str
    place: str
    amount: int


class PassedObstacle(NamedTuple):
    """An obstacle below a clear line, its top in half levels, and the norm that lets the line pass.

    The norm hides `blind` hexes behind the obstacle; the lower end is `behind` hexes behind it.
    """

    norm: str
    place: str
    what: str
    top: int
    blind: int
    behind: int

    @property
    def text(self) -> str:
        """The obstacle with its level, and how many of the hexes to the lower end it hides."""
        what = f"{self.what.replace('_', ' ')}, level {level_text(self.top)}"
        hidden = f"{self.blind} of {self.behind} hexes" if self.blind else "no hex"
        return f"{what}, hides {hidden}"


class LosDefeat(NamedTuple):
    """A defeated norm that would block or hinder, the norm that defeats it, and the place if it is
    only one."""

    norm: str
    by: str
    place: str | None


class CloseCall(NamedTuple):
    """The verdict if the line ran `margin` lattice units (8 to a pixel) to one side.

    `what` describes the changed contact.
    """

    margin: float
    what: str
    clear: bool | None
    hindrance: int


@dataclass(frozen=True)
class Los(Answer):
    """The answer about one line of sight. Levels are absolute, in half levels; None is unknown.

    `lv` is the LV Hindrance of the line, which `hindrance` does not include. From an end in
    `unseen_from`, the other end cannot be seen although the line is clear: SMOKE or night there
    adds to six.
    """

    a: Location
    b: Location
    clear: bool | None
    hindrance: int
    range: int
    level_a: int | None
    level_b: int | None
    blockers: tuple[Blocker, ...] = ()
    hindrances: tuple[LosHindrance, ...] = ()
    beaten: tuple[LosDefeat, ...] = ()
    unknown: tuple[Reason, ...] = ()
    cites: Citations = NO_CITATIONS
    close: tuple[CloseCall, ...] = ()
    lv: int = 0
    unseen_from: tuple[Location, ...] = ()
    passed: tuple[PassedObstacle, ...] = ()
    #: The ends whose level an exception gives, such as a bridge, each with its norm.
    levels_by: tuple[tuple[Location, str], ...] = ()

    @property
    def word(self) -> Verdict:
        """The verdict; a blocked line is `no`."""
        return verdict_for(self.clear)

    @property
    def blocked(self) -> tuple[Blocker, ...]:
        """The blockers in the order of their places from a to b."""
        start = hex_of_spot(self.a.spot)

        def way(blocker: Blocker) -> tuple[int, str]:
            named = next(self._hexes_in(blocker.place), None)
            return 0 if named is None else start.range_to(named), blocker.place

        return tuple(sorted(self.blockers, key=way))

    def _hexes_in(self, place: str) -> Iterator[Hex]:
        """Yield the hexes that the name of a place contains."""
        names = names_of(hex_of_spot(self.a.spot))
        for word in re.split("[-@/]", place):
            with suppress(ValueError):
                yield names.find(word)[0]

    @property
    def decided_at(self) -> frozenset[Hex]:
        """The hexes that block the line, or else those that hinder it."""
        places = self.blocked or self.hindrances
        return frozenset(hex_ for each in places for hex_ in self._hexes_in(each.place))

    @property
    def blocked_at(self) -> str | None:
        """The first place from a to b that blocks the line; None if none does."""
        return self.blocked[0].place if self.blocked else None

    @property
    def sight(self) -> Los:
        """The line itself, for an answer about a fire attack."""
        return self

    @property
    def subject(self) -> str:
        """The line by its ends."""
        return f"LOS {' - '.join(self.ends)}"

    @property
    def ends(self) -> tuple[str, str]:
        """The names of both ends."""
        return to_board_text(self.a, "location"), to_board_text(self.b, "location")

    def items(self) -> tuple[layout.Item, ...]:
        """The verdict, with the first blocking place or the Hindrances."""
        seen = sight_span(self.clear, self.hindrance).text
        short = f"clear hindrance {self.hindrance}" if self.clear and self.hindrance else seen
        hindrances = (layout.Item("", f"+{e.amount}", (e.norm,), e.place) for e in self.hindrances)
        return (
            layout.Item(
                "line of sight",
                seen,
                tuple(each.norm for each in self.blocked),
                self.blocked_at or "",
                verdict=True,
                short=short,
                parts=tuple(hindrances) if self.clear else (),
                cites=self.cites,
                why=str(self.unknown[0]) if self.unknown else "",
            ),
        )

    possible = ("clear", "blocked", "clear hindrance 1", "unknown")

    def agrees(self, wanted: str) -> bool | None:
        """Whether the verdict is the wanted one; `clear` allows any Hindrance."""
        hindered = re.fullmatch(r"(?:clear )?hindrance \+?([0-9]+)", wanted)
        if hindered is not None:
            return self.clear is True and self.hindrance == int(hindered[1])
        words = {"clear": True, "blocked": False, "no": False, "unknown": None}
        return self.clear is words[wanted] if wanted in words else None

    def verdict_span(self) -> layout.Span:
        """Return the verdict, with each place that blocks the line."""
        found = sight_span(self.clear, self.hindrance)
        if self.clear and not self.hindrance:
            return layout.Span(f"{found.text}, no Hindrance", found.tone)
        places = list(dict.fromkeys(each.place for each in self.blocked))
        where = f" at {layout.enumeration(places)}" if places else ""
        return layout.Span(found.text + where, found.tone)

    def blocked_by(self, position: Position) -> layout.Table:
        """The rules that block the line."""
        return layout.rules(position, "Blocked by", ((e.place, e.norm) for e in self.blocked))

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the verdict with places and norms, Hindrances, defeats, close calls."""
        here = self.position
        levels = (
            "an unknown level" if end is None else f"level {level_text(end)}"
            for end in (self.level_a, self.level_b)
        )
        hexes = f"{self.range} hex{'es' * (self.range != 1)}"
        hindrances = ((f"{each.place} +{each.amount}", each.norm) for each in self.hindrances)
        close = [
            (
                f"{_pixels(each.margin)} pixels ({each.margin + 0.0:.1f} units)",
                (f"if {each.what}: ", sight_span(each.clear, each.hindrance)),
            )
            for each in sorted(self.close, key=lambda each: each.margin)
        ]
        return self.reported(
            self.cites.norms,
            layout.Line((f"LOS from {' to '.join(self.ends)}: ", self.verdict_span())),
            layout.Line(f"Range {hexes}, from {' to '.join(levels)}"),
            layout.rules(
                here,
                "Level of an end",
                ((to_board_text(e, "location"), n) for e, n in self.levels_by),
            ),
            *self._besides(),
            self.blocked_by(here),
            layout.rules(here, "Hindrance", hindrances),
            self._passed_over(),
            layout.defeats(here, (Defeat(e.norm, e.by, e.place or "(") for e in self.beaten)),
            layout.Table(close, "Close calls"),
            self.ending(self.cites, self.unknown),
        )

    def _passed_over(self) -> layout.Table:
        """Return what the line passes over; the summary of a norm is shown once."""
        shown: set[str] = set()

        def row(each: PassedObstacle) -> layout.Row:
            sense = "" if each.norm in shown else self.position.program.norms[each.norm].sense
            shown.add(each.norm)
            return f"{each.place} {each.text}", layout.norm_span(each.norm), sense

        return layout.Table(list(map(row, self.passed)), "Passes over")

    def _besides(self) -> Iterator[layout.Line]:
        """Yield the ends that cannot see along a clear line, and the LV Hindrance."""
        names = dict(zip((self.a, self.b), self.ends, strict=True))
        for end in self.unseen_from:
            here, there = names[end], names[self.b if end == self.a else self.a]
            yield layout.Line(
                f"From {here}, {there} is not seen: with SMOKE or night at {here}, the Hindrance is "
                "6 or more"
            )
        if self.lv and self.clear:
            yield layout.Line(f"LV Hindrance +{self.lv} counts besides")

    def blockers_record(self, position: Position) -> list[Record]:
        """Return what blocks the line as JSON, from `a` to `b`."""
        return [{**record.cite(position, each.norm), "at": each.place} for each in self.blocked]

    def record(self) -> Record:
        """Return the LOS as JSON; `blocked_at` is the blocking place nearest to `a`."""
        cite = partial(record.cite, self.position)
        a, b = self.ends
        return {
            "board": self.position.board.name,
            "verdict": self.word,
            "a": a,
            "b": b,
            "clear": self.clear,
            "hindrance": None if self.clear is None else self.hindrance,
            "lv": self.lv,
            "unseen_from": [to_board_text(each, "location") for each in self.unseen_from],
            "range": self.range,
            "level_a": record.level_number(self.level_a),
            "level_b": record.level_number(self.level_b),
            "levels_by": [
                {**cite(norm), "at": to_board_text(end, "location")} for end, norm in self.levels_by
            ],
            "blocked_at": self.blocked_at,
            "blockers": self.blockers_record(self.position),
            "hindrances": [
                {**cite(each.norm), "at": each.place, "hindrance": each.amount}
                for each in self.hindrances
            ],
            "passes_over": [
                {
                    **cite(each.norm),
                    "at": each.place,
                    "what": each.what,
                    "level": record.level_number(each.top),
                    "blind_hexes": each.blind,
                    "to_lower_end": each.behind,
                    "text": each.text,
                }
                for each in self.passed
            ],
            "beaten": defeats_record(self.beaten),
            "close": [
                {
                    "units": round(each.margin, 1) + 0.0,
                    "pixels": _pixels(each.margin),
                    "if": each.what,
                    "clear": each.clear,
                    "hindrance": None if each.clear is None else each.hindrance,
                }
                for each in self.close
            ],
            **self.ending_record(self.cites, self.unknown, self.clear is None),
        }


def sight_span(clear: bool | None, hindrance: int) -> layout.Span:
    """Whether a line is clear, with its Hindrance."""
    if clear is None:
        return layout.Span("unknown", layout.Tone.OPEN)
    if not clear:
        return layout.Span("blocked", layout.Tone.BAD)
    return layout.Span(f"clear, Hindrance +{hindrance}" if hindrance else "clear", layout.Tone.GOOD)


def defeats_record(found: Iterable[LosDefeat]) -> list[Record]:
    """Return the defeated norms as JSON, each with its winner and the place."""
    return [{"norm": each.norm, "by": each.by, "at": each.place} for each in found]


#: Lattice units of a pixel.
_PIXEL = 8


def _pixels(units: float) -> float:
    """Lattice units in pixels of a VASL map."""
    return round(units / _PIXEL, 1) + 0.0  # no -0.0


@dataclass(frozen=True)
class LosQuestion(Question[Los]):
    """Check the line of sight between two Locations.

    A and B are Locations such as U4/2, V3, U4/roof or K13@L12-K12, or units of the board. The
    answer names the place and rule of each obstacle, the Hindrances, overridden rules and close
    calls.

    Example: rules-asp los church C1 G3
    """

    kind = "los"
    drawable = True
    fits_chat = True
    a: str | Location = parameter(ParameterKind.LOCATION, label="From")
    b: str | Location = parameter(ParameterKind.LOCATION, label="To")

    def find(self, position: Position, cite: bool) -> Los:
        """Return the LOS; with `cite`, also its close calls."""
        return los(position, los_end(position, self.a), los_end(position, self.b), cite, cite)

    def scope(self, position: Position, answer: Los) -> Scope:
        """The line."""
        return scope_of_line(answer.a, answer.b)


class _Verdict(NamedTuple):
    clear: bool | None
    hindrance: int


def los(position: Position, a: Location, b: Location, close: bool = True, cite: bool = True) -> Los:
    """Return the LOS between two Locations, in either order.

    Without `close` and `cite` it is faster. QuestionError for a Location that is not on the board,
    or if both ends are the same Location.
    """
    line = line_between(position, a, b)
    if line.ends_of_unknown_level:
        doubts = UnknownReasons(position, position.cases[0])
        ends = (to_symbol(each, "location") for each in line.ends_of_unknown_level)
        levels = (clingo.Function("elev", [end]) for end in ends)
        unknown = tuple(dict.fromkeys(why for each in levels for why in doubts.missing(each)))
        return Los(a, b, None, 0, line.range, *line.levels, unknown=unknown)
    wanted = (*_WANTED, _PASSES) if cite else _WANTED
    answers = position.ask(wanted, line.question, local=True)
    found = _told(position, line, answers)
    passed = _passed(answers) if found.clear else []
    over = [str(atom) for atom in passed]
    evidence = Evidence(position, (*_goals(answers, _RESTS_ON), *over), answers)
    return replace(
        found,
        passed=tuple(_obstacle(atom, position.notation) for atom in passed),
        # The total of Hindrances is shown before its parts; it adds no evidence.
        evidence=(evidence.of((*_goals(answers, _TOLD), *over)),),
        cites=evidence.provenance.cites if cite else NO_CITATIONS,
        close=tuple(_close_calls(position, line, found)) if close else (),
    )


def _told(position: Position, line: LosLine, answers: Sequence[AnswerSet]) -> Los:
    """Return the answer about a line, over all cases of the board."""
    answer = answers[0]
    verdicts = [_verdict(each) for each in answers]
    unknown = dict.fromkeys(
        UnknownReasons(position, answer).matching(
            lambda topic: (topic.name, len(topic.arguments)) == SIGHT
        )
    )
    common = _one(verdicts)
    if common.clear is None and len(set(verdicts)) > 1:
        unknown |= dict.fromkeys(differing_assumptions(position, answers, verdicts))
    level_a, level_b = position.index.levels_told((line.a, line.b))
    return Los(
        line.a,
        line.b,
        *common,
        line.range,
        level_a,
        level_b,
        tuple(sorted(_blockers(answer, position.notation), key=lambda each: each.place)),
        tuple(sorted(_hindrances(answer, position.notation), key=lambda each: each.place)),
        defeats_of(answers[:1], position.notation),
        tuple(unknown),
        lv=_lv(answers),
        unseen_from=tuple(end for end in (line.a, line.b) if _is_blind(end, answers)),
        levels_by=tuple(_levels_by(position, (line.a, line.b))),
    )


def _levels_by(position: Position, ends: Iterable[Location]) -> Iterator[tuple[Location, str]]:
    """Yield the ends whose level a norm gives that defeats another one, with this norm."""
    for end in ends:
        level = clingo.Function("elev", [to_symbol(end, "location")])
        defeats = position.cases[0].atoms_of("defeated", 3, level)
        by = {defeat.arguments[2].string for defeat in defeats}
        yield from ((end, norm) for norm in sorted(by))


def _lv(answers: Sequence[AnswerSet]) -> int:
    """Return the LV Hindrance that the line has in all cases."""
    amounts = {n.number for each in answers for _, n in each.get("lv_on", 2)}
    in_all = all(each.get("lv_on", 2) for each in answers)
    return min(amounts) if in_all else 0


def _is_blind(end: Location, answers: Sequence[AnswerSet]) -> bool:
    """Test whether a viewer at this end sees nothing along a clear line, in all cases."""
    place = to_symbol(end, "location")
    return all(
        each.get("sees", 1) and any(one == place for one, _ in each.get("choked", 2))
        for each in answers
    )


def _one(verdicts: Collection[_Verdict]) -> _Verdict:
    """Return the common verdict of all cases, if there is one.

    The Hindrance of a blocked line changes nothing, so its cases need not agree on it.
    """
    if all(each.clear is False for each in verdicts):
        return min(verdicts)
    return next(iter(verdicts)) if len(set(verdicts)) == 1 else _Verdict(None, 0)


def _verdict(answer: AnswerSet) -> _Verdict:
    hindrance = answer.get("hindrance", 2)
    amount = hindrance[0][1].number if hindrance else 0
    if answer.get("stopped", 3):
        return _Verdict(False, amount)
    return _Verdict(True if answer.get("sees", 1) else None, amount)


def _blockers(answer: AnswerSet, notation: Notation) -> Iterator[Blocker]:
    for _, norm, place in answer.get("stopped", 3):
        yield Blocker(norm.string, notation.term_text(place))


def _hindrances(answer: AnswerSet, notation: Notation) -> Iterator[LosHindrance]:
    for _, norm, place, amount in answer.get("hindered", 4):
        yield LosHindrance(norm.string, notation.term_text(place), amount.number)


def _passed(answers: Sequence[AnswerSet]) -> Sequence[clingo.Symbol]:
    """Return what a clear line passes over in all cases."""
    name, arity, _ = _PASSES
    in_each = (frozenset(each.own_atoms(name, arity)) for each in answers)
    return sorted(frozenset.intersection(*in_each), key=str)


def _obstacle(passed: clingo.Symbol, notation: Notation) -> PassedObstacle:
    norm, _, place, what, *numbers = passed.arguments
    where = notation.term_text(place)
    return PassedObstacle(norm.string, where, str(what), *(each.number for each in numbers))


def defeats_of(
    answers: Iterable[AnswerSet],
    notation: Notation,
    sights: Container[clingo.Symbol] | None = None,
) -> tuple[LosDefeat, ...]:
    """Return the defeated norms that would block or hinder these lines; None: any line."""
    found = set()
    for answer in answers:
        for norm, topic, by in answer.get("defeated", 3):
            if topic.name == "at":
                sight, place = topic.arguments[0], notation.term_text(topic.arguments[1])
            else:
                sight, place = topic, None
            if sight.name == "s" and (sights is None or sight in sights):
                found.add(LosDefeat(norm.string, by.string, place))
    return tuple(sorted(found, key=str))


#: The atoms behind a verdict and its details, in order.
_RESTS_ON = (("sees", 1), ("stopped", 3), ("unknown", 2), ("hindered", 4), ("lv_on", 2))
_TOLD = (("sees", 1), ("stopped", 3), ("unknown", 2), ("hindrance", 2), ("hindered", 4))


def _goals(answers: Sequence[AnswerSet], predicates: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Return the atoms behind the verdict: blocking norms, or Hindrances and the defeats of norms
    that would block."""
    goals = [
        *(
            goal
            for name in predicates
            for goal in sorted(goals_about(answers, (name,), lambda _: True), reverse=True)
        ),
        *(
            str(atom)
            for answer in answers
            for atom in answer.own_atoms("defeated", 3)
            if atom.arguments[1].name in ("s", "at")
        ),
    ]
    return tuple(dict.fromkeys(goals))


def _close_calls(position: Position, line: LosLine, found: Los) -> Iterator[CloseCall]:
    measured = position.shapes, position.measurer.concerns, line.spots, line.lowest
    doubts = close_call_facts(*measured, known=line.facts)
    if not doubts:
        return
    facts = [clingo.parse_term(each.fact) for each in doubts]
    present = {fact: each.present for fact, each in zip(facts, doubts, strict=True)}
    flipped = position.ask_flipped(_DECIDING, line.question_without(facts), present, local=True)
    for doubt, fact in zip(doubts, facts, strict=True):
        other = {_verdict(answer) for answer in flipped[fact]}
        if other != {_Verdict(found.clear, found.hindrance)}:
            what = touch_text(fact, not doubt.present, position.notation)
            yield CloseCall(doubt.margin, what, *_one(other))
