"""`can`: legality of an action; a move with only its end named may take several steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from rules_asp.explain import layout, record
from rules_asp.explain.proof import Defeat, Grounds
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason
from rules_asp.game.grid import Location, Vertex, hex_of_spot
from rules_asp.game.query import Argument, DeedQuery, FunctionTerm, Variable
from rules_asp.knowledge.catalogue import Citations
from rules_asp.parser import parse_deed
from rules_asp.parser.writer import deed_text
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import board_prefixes, resolve_deed
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, Verdict, scope_of_term, verdict_for
from rules_asp.queries.deeds import DeedJudgement, DeedVerdict, judge_deed
from rules_asp.queries.movement import (
    blocking_steps,
    is_closed_off,
    moves,
    path_grounds,
    why_unreached,
)
from rules_asp.queries.paths import MoveStep, ReachedLocation
from rules_asp.queries.query_facts import (
    RelatedTopic,
    related_record,
    related_table,
    scope_of_argument,
)
from rules_asp.queries.question import (
    VERDICTS,
    Answer,
    LimitNote,
    ParameterKind,
    Question,
    agrees_with_verdict,
    parameter,
)
from rules_asp.queries.too_wide import limit_if_open_way


@dataclass(frozen=True)
class Can(Answer):
    """The legality of an action: the verdict on each possible manner.

    `there` is the path of several steps to a Location that no single legal step reaches. If `legal`
    is None, the path is only possible. `last` are the norms that forbid the last of several steps,
    or each step out of the start.
    """

    doing: DeedQuery
    legal: bool | None
    ways: tuple[DeedVerdict, ...]
    there: ReachedLocation | None
    unknown: tuple[Reason, ...]
    cites: Citations
    paid_in: str = "mf"
    beaten: tuple[Defeat, ...] = ()
    last: tuple[str, ...] = ()
    besides: tuple[RelatedTopic, ...] = ()

    @property
    def word(self) -> Verdict:
        """The verdict; `no` if the action has no possible manner."""
        return verdict_for(self.legal, self.forbidding)

    @property
    def forbidding(self) -> tuple[str, ...]:
        """The norms that forbid it in every manner, or else the last of several steps."""
        norms = dict.fromkeys(norm for way in self.ways for norm in way.norms)
        return (tuple(norms) or self.last) if self.legal is False else ()

    def items(self) -> tuple[layout.Item, ...]:
        """The verdict, the cost of the path, and each manner."""
        there = [] if self.there is None else [layout.Item(self.paid_in.upper(), self.there.amount)]
        ways = (layout.Item(each.sentence, f"{each.word}{each.price}") for each in self.ways)
        return (layout.Item("the deed", self.word, verdict=True), *there, *ways)

    possible = (*VERDICTS, "no", "forbidden by B23.71")

    def agrees(self, wanted: str) -> bool | None:
        """Whether the verdict is the wanted one, by the wanted norm."""
        if not wanted.startswith("forbidden by "):
            return agrees_with_verdict(self.word, wanted)
        norm = wanted.removeprefix("forbidden by ").upper()
        return any(each.upper().startswith(norm) for each in self.forbidding)

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the verdict, with the norms of every possible manner."""
        here = self.position
        rows = [(e.sentence, layout.verdict_span(e.word, e.price)) for e in self.ways]
        forbidden = [each for each in self.ways if each.legal is False]
        others = [each for each in self.ways if each.legal is not False]
        doubts = (why for each in self.ways for why in each.unknown)
        shown = {norm for each in self.ways for norm in each.all_norms}
        return self.reported(
            (*self.cites.norms, *self.forbidding),
            layout.Line(layout.verdict_span(self.word, self._how())),
            layout.unknown(self.there.unknown if self.there and self.legal else ()),
            layout.norms_listed(here, "Not allowed by", self.last),
            layout.Table(rows) if len(rows) > 1 else None,
            _rules_on(here, "Not allowed by", forbidden),
            _rules_on(here, "Because", others),
            layout.unknown((*self.unknown, *doubts)),
            related_table(here, self.besides),
            layout.defeats(here, self.beaten, shown),
            self.ending(self.cites),
        )

    def _how(self) -> str:
        """Return the rest of the first line: the action with its cost, or why it has none."""
        there = self.there
        if there is not None:
            steps = f"{len(there.path)} step{'s' * (len(there.path) != 1)}"
            turn = f", in turn {there.turn}" if there.turn > 1 else ""
            price = "" if there.amount == "?" else f" for {there.amount} {self.paid_in.upper()}"
            possibly = "" if self.legal else ", possibly"
            return f"{possibly} in {steps}{price}: {there.way}{turn}"
        same = [each for each in self.ways if each.legal is self.legal]
        if same:
            least = min(same, key=lambda each: (each.cost is None, each.cost or 0))
            return f": {least.sentence}{least.price}"
        if self.word is Verdict.NOT_SO:
            return ": no path leads there" if self.cites else ": no rule allows this here"
        return ""

    def record(self) -> Record:
        """Return the legality and each possible manner as JSON."""
        here, there = self.position, self.there
        return {
            "board": here.board.name,
            "verdict": self.word,
            "deed": deed_text(self.doing, here.vocabulary),
            "legal": self.legal,
            "forbidden_by": list(self.forbidding),
            "ways": [
                {
                    "deed": here.notation.term_text(each.deed),
                    "verdict": each.word,
                    "sentence": each.sentence,
                    "legal": each.legal,
                    **record.paid(each.cost, each.paid_in),
                    "norms": list(each.all_norms),
                    **record.unknown(each.unknown, each.legal is None),
                }
                for each in self.ways
            ],
            "way_there": [e.record(here, self.paid_in) for e in there.path] if there else [],
            "besides": related_record(self.besides),
            "beaten": record.defeats(self.beaten),
            **self.ending_record(self.cites, self.unknown, self.legal is None),
        }


def _rules_on(position: Position, title: str, ways: Iterable[DeedVerdict]) -> layout.Table:
    return layout.norms_listed(position, title, (norm for e in ways for norm in e.all_norms))


@dataclass(frozen=True)
class CanQuestion(Question[Can]):
    """Check whether an action is legal.

    ACTION is a sentence such as "A moves to V3/2" or "A routs to H6 around H7". `rules-asp
    help questions` lists all actions. A move can consist of several steps if the unit has enough
    MF. A move with `from` or `around` is always a single step.

    Example: rules-asp can assault "A move to C3"
    """

    kind = "can"
    deed: str | DeedQuery = parameter(ParameterKind.SENTENCE, metavar="ACTION")

    def resolved(self, position: Position) -> CanQuestion:
        """Return the question with the parsed action."""
        if not isinstance(self.deed, str):
            return self
        # The sentence of an `expect` line begins with the name of the command.
        deed = self.deed.strip().removeprefix("can ")
        return CanQuestion(parse_deed(deed, board_prefixes(position), position.notation))

    @property
    def doing(self) -> DeedQuery:
        """The action of a resolved question."""
        assert not isinstance(self.deed, str)
        return self.deed

    def limit_note(self) -> LimitNote | None:
        """It may take long where something is left open, or the way."""
        return limit_if_open_way(self.doing)

    def find(self, position: Position, cite: bool) -> Can:
        """Whether it is legal."""
        return can(position, self.doing, cite)

    def scope(self, position: Position, answer: Can) -> Scope:
        """Return the things that the action names, and its possible manners."""
        about = scope_of_argument(position, resolve_deed(position, self.doing).deed)
        for way in answer.ways:
            about |= scope_of_term(position, way.deed)
        steps = answer.there.path if answer.there is not None else ()
        return about | Scope(frozenset(hex_of_spot(step.to.spot) for step in steps))


def can(position: Position, doing: DeedQuery, cite: bool = True) -> Can:
    """Return the legality of an action; a move with only its end named may take several steps.

    QuestionError for names that are not on the board.
    """
    asked, doing = doing, resolve_deed(position, doing)
    goal = _goal(position, doing)
    several = doing.turn_count > 1 or doing.only is not None
    if goal is None:
        if several:
            raise QuestionError(
                "`in turns` and `inside` need a move that gives only its destination, such as `A moves to C4`"
            )
        one = judge_deed(position, doing, cite)
        of_several = _by_one_way(position, asked, one, cite) or _along_at_last(
            position, asked, one, cite
        )
        return of_several or _of_one(asked, one)
    unit, place, phase = goal
    judged = None if several else judge_deed(position, doing, cite, closing=False)
    if judged is not None and judged.legal:
        return _of_one(asked, judged)
    ways = judged.ways if judged else ()
    found = moves(position, [unit], phase, doing.turn_count, doing.only, cite=False, toward=place)
    there = found.to(place)
    sure = there if there is not None and there not in found.perhaps else None
    of_found = sure is not None or doing.only is not None
    short = found.short_of(place) if of_found else why_unreached(position, found, place)
    if not (sure or ways or several or short.unknown or short.steps) and found.single:
        return _of_one(asked, judge_deed(position, doing, cite))
    on = judged.rests_on if judged else Grounds()
    if cite and (sure is not None or not ways):
        # If a place is too far, the proof uses the cheapest path to it.
        path = sure.path if sure else short.steps or found.too_far(place)
        path += () if sure else blocking_steps(position, found, place)
        path = path or (there.closed_shortcuts if there is not None else ())
        on = path_grounds(position, found.by, [unit], path)
    paid_in = found.paid_in
    end = Grounds()
    for each in found.evidence if cite else ():
        end |= Grounds(each.provenance, (each,))
    if barred := found.barred_ends.get(place):
        return _can(asked, False, (), None, (), end, paid_in, last=barred)
    on |= end
    if sure is not None:
        return _can(asked, True, ways, sure, (), on, paid_in)
    unknown = judged.unknown if judged else ()
    refused = judged is not None and judged.legal is False and bool(ways)
    if refused and short.unknown and there is None and is_closed_off(position, unit, phase, place):
        assert judged is not None
        return _of_one(asked, judged)
    if short.unknown or (judged is not None and judged.legal is None):
        reasons = tuple(dict.fromkeys((*unknown, *short.unknown)))
        one_step = there is None or (len(there.path) == 1 and ways)
        if cite and ways:
            spent = path_grounds(position, found.by, [unit], there.path if there else ())
            on |= spent
        return _can(asked, None, ways, None if one_step else there, reasons, on, paid_in)
    last = () if ways else short.norms
    return _can(asked, False, ways, None, unknown, on, paid_in, last=last)


def _by_one_way(
    position: Position, asked: DeedQuery, judged: DeedJudgement, cite: bool
) -> Can | None:
    """Return the verdict on a move of several steps in one named manner, such as by stairs.

    None for other actions, and if there is no such path.
    """
    if judged.legal is not False or not isinstance(asked.deed.value, FunctionTerm):
        return None
    if asked.deed.value.name != "step" or asked.around or asked.inside:
        return None
    by, unit, start, to, way = asked.deed.value.args
    if not isinstance(start.value, Variable) or not isinstance(way.value, str):
        return None
    open_way = Argument(Variable("Way"), way.kind)
    deed = Argument(FunctionTerm("step", (by, unit, start, to, open_way)), asked.deed.kind)
    freely = resolve_deed(position, replace(asked, deed=deed))
    goal = _goal(position, freely)
    if goal is None or judge_deed(position, freely, cite=False, closing=False).ways:
        return None
    name, place, phase = goal
    found = moves(position, [name], phase, cite=False, way=way.value)
    there = found.to(place)
    reasons = why_unreached(position, found, place).unknown if there is None else ()
    on = Grounds()
    if cite:
        on = path_grounds(position, found.by, [name], there.path if there else ())
    if there is None and not reasons:
        # Spending limits are the reason that it is not unknown.
        return _of_one(asked, replace(judged, rests_on=judged.rests_on | on))
    if there is None:
        return _can(asked, None, (), None, reasons, on, found.paid_in)
    sure = None if there in found.perhaps else True
    return _can(asked, sure, (), there, there.unknown if sure is None else (), on, found.paid_in)


def _along_at_last(
    position: Position, asked: DeedQuery, judged: DeedJudgement, cite: bool
) -> Can | None:
    """Return the verdict on a move of several steps whose last one is Bypass or VBM.

    None for other actions, and if there is no such path.
    """
    form = asked.deed.value
    if judged.legal is not False or judged.ways or asked.around is not None:
        return None
    if not isinstance(form, FunctionTerm) or form.name != "step":
        return None
    by, unit, start, to, way = form.args
    if not isinstance(start.value, Variable) or not isinstance(way.value, FunctionTerm):
        return None
    ends = [to.value] if isinstance(to.value, Location) else []
    if asked.inside is not None:
        ends = [Location(Vertex(asked.inside, corner)) for corner in range(6)]
    phases = _phases(position)
    if not ends or not isinstance(unit.value, str) or by.value not in phases:
        return None

    def ends_so(path: tuple[MoveStep, ...]) -> bool | None:
        one, two = (Argument(each, to.kind) for each in (path[-1].start, path[-1].to))
        last = replace(form, args=(by, unit, one, two, way))
        doing = replace(asked, deed=Argument(last, asked.deed.kind))
        return judge_deed(position, doing, cite=False, closing=False).legal

    found = moves(position, [unit.value], phases[str(by.value)], cite=False)
    reached = [each for end in dict.fromkeys(ends) if (each := found.to(end)) and each.path]
    judgements = {each: ends_so(each.path) for each in reached}
    so = [each for each in reached if judgements[each] is not False]
    sure = [each for each in so if each not in found.perhaps and judgements[each]]
    there = min(sure or so, key=lambda each: each.at_least or each.mf or 0, default=None)
    short = [why_unreached(position, found, end) for end in ends if found.to(end) is None]
    unknown = dict.fromkeys(reason for each in short for reason in each.unknown)
    on = Grounds()
    if cite and there is not None:
        on = path_grounds(position, found.by, [unit.value], there.path)
    if sure:
        return _can(asked, True, (), there, (), on, found.paid_in)
    if there is not None or unknown:
        reasons = tuple(dict.fromkeys((*(there.unknown if there else ()), *unknown)))
        return _can(asked, None, (), there, reasons, on, found.paid_in)
    norms = tuple(dict.fromkeys(norm for each in short for norm in each.norms))
    if cite and not norms:
        # No step is forbidden; the place is too far.
        on = path_grounds(position, found.by, [unit.value], found.too_far(ends[0]))
    on |= judged.rests_on
    more = judged.related
    return _can(asked, False, (), None, (), on, found.paid_in, last=norms, besides=more)


def _can(
    asked: DeedQuery,
    legal: bool | None,
    ways: tuple[DeedVerdict, ...],
    there: ReachedLocation | None,
    unknown: tuple[Reason, ...],
    on: Grounds,
    paid_in: str = "mf",
    **more: Any,
) -> Can:
    """Return the answer with its evidence."""
    cites, beaten = on.provenance.cites, on.provenance.beaten
    told = asked, legal, ways, there, unknown, cites, paid_in, beaten
    return Can(*told, **more, evidence=on.evidence)


def _of_one(asked: DeedQuery, judged: DeedJudgement) -> Can:
    """Convert the verdicts on single actions to the answer."""
    told = judged.legal, judged.ways, None, judged.unknown, judged.rests_on
    return _can(asked, *told, besides=judged.related)


def _goal(position: Position, doing: DeedQuery) -> tuple[str, Location, str] | None:
    """Return the unit, Location and phase of a move with no other parts."""
    match doing.deed.value, doing.around:
        case FunctionTerm("step", args), None:
            by, unit, start, to, way = (each.value for each in args)
            free = isinstance(start, Variable) and isinstance(way, Variable)
            phases = _phases(position)
            if isinstance(unit, str) and isinstance(to, Location) and free and by in phases:
                return unit, to, phases[str(by)]
    return None


def _phases(position: Position) -> dict[str, str]:
    """Return the phase of each kind of step."""
    return {str(by): str(phase) for phase, by in position.cases[0].get("moves_by", 2)}
