"""Where units can go: every Location that they reach in a phase, at the least MF, and the way there.

The rules give single steps, what each costs, and how much a way of several may cost; the least way
through them is found here. A way that keeps a course in all its steps may cost more: which courses there
are, and which steps keep them, the rules say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import count

import clingo

from rules_asp.answers.deeds import Verdict, judge, verdicts, wanted
from rules_asp.answers.grounds_of_ways import route_grounds
from rules_asp.answers.proof import Beaten, Grounds
from rules_asp.answers.unknowns import Doubts, Reason, left_open
from rules_asp.answers.words import Word, word_of
from rules_asp.knowledge.cites import Cites
from rules_asp.knowledge.running import Answer
from rules_asp.knowledge.source import Node
from rules_asp.positions.belonging import OfPosition
from rules_asp.positions.indexes import Question
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import Position
from rules_asp.positions.settling import standing
from rules_asp.terms.grid import Hex, Location
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.names import named
from rules_asp.terms.query import Compound, Doing, Variable
from rules_asp.terms.symbols import location_of, symbol_of

STEP = ("step", 5)


@dataclass(frozen=True)
class Step:
    """A single step of all the units: its verdict, its cost in quarters of an MF, the norms of both.

    A cost is None where the phase knows none, or where it is not known. `keeps` are the courses of a way
    that the step keeps.
    """

    start: Location
    to: Location
    way: str
    legal: bool | None
    mf: int | None
    norms: tuple[str, ...]
    unknown: tuple[Reason, ...] = ()
    keeps: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Reached:
    """A Location that is reached, the least MF that it takes (quarters), and the steps there.

    `rests_on` is what all that rests on: its steps, and the MF that may be spent.
    """

    to: Location
    mf: int | None
    path: tuple[Step, ...]
    rests_on: Grounds = field(default_factory=Grounds)

    @property
    def norms(self) -> tuple[str, ...]:
        """The norms of its steps, each once."""
        return tuple(dict.fromkeys(norm for step in self.path for norm in step.norms))


@dataclass(frozen=True)
class Moves(OfPosition):
    """Where units can go. `pace` is what they can spend, in quarters of an MF; None if not known.

    `bonuses` come on top, each for a way wholly of a course. `forbidden` and `unknown` are the single
    steps, out of any Location that is reached, which are not legal, and not known to be; of the latter
    those alone that lead to where nothing else does.
    """

    units: tuple[str, ...]
    phase: str
    start: Location
    pace: int | None
    bonuses: Mapping[str, int]
    reach: tuple[Reached, ...]
    forbidden: tuple[Step, ...]
    unknown: tuple[Step, ...]
    reasons: tuple[Reason, ...] = ()
    norms: tuple[str, ...] = ()

    @property
    def word(self) -> Word:
        """Whether they can go anywhere: forbidden where each single step out of their place is."""
        anywhere = bool(self.reach) or (None if self.reasons or self.unknown else False)
        return word_of(anywhere, [norm for each in self.forbidden for norm in each.norms])

    def short_of(self, place: Location) -> tuple[tuple[Reason, ...], tuple[str, ...]]:
        """Why a place is not reached for certain (unknown steps can lead on), or who forbids the last."""
        reasons = dict.fromkeys(
            (*self.reasons, *(why for each in self.unknown for why in each.unknown))
        )
        norms = dict.fromkeys(norm for each in self.deciding(place) for norm in each.norms)
        return tuple(reasons), () if reasons else tuple(norms)

    def deciding(self, place: Location) -> tuple[Step, ...]:
        """The steps by which a place is not reached for certain: those not known, else the last ones."""
        doubtful = tuple(each for each in self.unknown if each.unknown)
        if doubtful or self.reasons:
            return doubtful
        return tuple(each for each in self.forbidden if each.to == place)


@dataclass(frozen=True)
class Can(OfPosition):
    """Whether a deed is legal: the verdict of each way in which it comes into question.

    `there` is the way to a Location that no single legal step leads to; it makes the deed legal only
    where there is no single step at all. `last` are the norms that forbid the last step of several.
    """

    doing: Doing
    legal: bool | None
    ways: tuple[Verdict, ...]
    there: Reached | None
    unknown: tuple[Reason, ...]
    cites: Cites
    beaten: tuple[Beaten, ...] = ()
    last: tuple[str, ...] = ()

    @property
    def word(self) -> Word:
        """What the answer comes to; without any way in which it comes into question it is not so."""
        return word_of(self.legal, self.forbidding)

    @property
    def forbidding(self) -> tuple[str, ...]:
        """The norms that forbid it, of all ways, where it is illegal; else of the last of several steps."""
        norms = dict.fromkeys(norm for way in self.ways for norm in way.norms)
        return (tuple(norms) or self.last) if self.legal is False else ()


@dataclass(frozen=True)
class _Budget:
    """What the rules say about a phase, for units that go together."""

    pace: int | None
    bonuses: Mapping[str, int]
    single: bool
    reasons: tuple[Reason, ...]
    norms: tuple[str, ...]

    def limit(self, courses: Iterable[str]) -> int | None:
        """What a way of these courses may cost in all; None where that is not known."""
        more = sum(self.bonuses[course] for course in courses)
        return None if self.pace is None else self.pace + more


def moves(position: Position, units: Sequence[str], phase: str = "mph", cite: bool = True) -> Moves:
    """Where these units, as one stack, can go in a phase, one of the words for a moving_phase.

    `cite` can be switched off to save the time that it takes to find what the ways rest on.

    QuestionError for a unit that is not on the board, and for units that do not stand together.
    """
    kinds = {str(each): str(by) for each, by in position.cases[0].get("moves_by", 2)}
    if phase not in kinds:
        known = ", ".join(vocabulary().words["moving_phase"])
        raise QuestionError(f"{phase} is no phase to move in: {known}")
    if not units:
        raise QuestionError("no unit is named")
    units = tuple(dict.fromkeys(units))
    start = standing(position, units[0])
    for unit in units[1:]:
        if standing(position, unit) != start:
            raise QuestionError(f"{units[0]} and {unit} do not stand in one Location")
    search = _Search(position, units, kinds[phase], start)
    budget = search.budget
    reach = tuple(sorted(search.reached(), key=lambda each: (each.mf or 0, str(each.to))))
    if cite:
        found = route_grounds(position, kinds[phase], units, [each.path for each in reach])
        reach = tuple(replace(each, rests_on=of) for each, of in zip(reach, found, strict=True))
    steps = [step for place in search.ways for step in search.steps[place]]
    return Moves(
        units,
        phase,
        start,
        budget.pace,
        budget.bonuses,
        reach,
        tuple(step for step in steps if step.legal is False),
        tuple(
            each
            for each in steps
            if (each.legal is None or each.unknown) and each.to not in search.ways
        ),
        budget.reasons,
        budget.norms,
    )


def can(position: Position, doing: Doing, cite: bool = True) -> Can:
    """Whether a deed is legal; a move to where no single step leads, if several steps do.

    QuestionError for a unit or Location that is not on the board.
    """
    judged = judge(position, doing, cite)
    goal = _goal(doing) if judged.legal is False else None
    told = judged.unknown, judged.cites, judged.beaten
    if goal is None:
        return Can(doing, judged.legal, judged.ways, None, *told)
    unit, place = goal
    found = moves(position, [unit], cite=False)
    there = next((each for each in found.reach if each.to == place), None)
    if judged.ways:
        return Can(doing, judged.legal, judged.ways, there, *told)
    unknown, norms = found.short_of(place) if there is None else ((), ())
    legal = True if there is not None else None if unknown else False
    steps = there.path if there is not None else found.deciding(place)
    (on,) = route_grounds(position, "move", [unit], [steps]) if cite else (Grounds(),)
    return Can(doing, legal, (), there, unknown, on.cites, on.beaten, norms)


def _goal(doing: Doing) -> tuple[str, Location] | None:
    """The unit and Location of a move of which no more is said."""
    match doing.deed.value, doing.around:
        case Compound("step", args), None:
            by, unit, start, to, way = (each.value for each in args)
            free = isinstance(start, Variable) and isinstance(way, Variable)
            if by == "move" and isinstance(unit, str) and isinstance(to, Location) and free:
                return unit, to
    return None


class _Search:
    """Asks for the steps out of every Location that comes within reach, a wave at a time."""

    def __init__(
        self, position: Position, units: tuple[str, ...], by: str, start: Location
    ) -> None:
        self.position = position
        self.units = units
        self.by = by
        self.start = start
        self.steps: dict[Location, tuple[Step, ...]] = {}
        self.passing: set[Location] = set()
        self.budget = _Budget(None, {}, False, (), ())
        self.ask([start])
        self.ways = self.least()
        while new := [each for each in self.ways if each not in self.steps]:
            self.ask(self.around(new))
            self.ways = self.least()

    def around(self, new: Sequence[Location]) -> list[Location]:
        """New places, and those in the hexes next to them: fewer questions, if a little more in each."""
        hexes = {each.spot for each in new if isinstance(each.spot, Hex)}
        hexes |= {near for hex_ in hexes for near in hex_.neighbours()}
        beside = (
            each
            for each in self.position.elevations
            if each.spot in hexes and each not in self.steps and each not in new
        )
        return [*new, *beside]

    def ask(self, places: Sequence[Location]) -> None:
        """Ask for the steps out of these Locations."""
        by, any_ = clingo.Function(self.by), clingo.Function("any")
        about = []
        for unit in map(clingo.String, self.units):
            about.append(clingo.Function("stacked", [unit]))
            for place in places:
                step = [by, unit, symbol_of(place, "location"), any_, any_]
                about.append(clingo.Function("asked", [clingo.Function("step", step)]))
        question = self.position.completed(Question(tuple(about)), local=True)
        answers = self.position.ask(_WANTED, question, local=True)
        self.budget = _budget(self.position, answers, self.by, self.units)
        for answer in answers:
            self.passing |= {location_of(where) for (where,) in answer.get("in_passing", 1)}
        kept = {each for answer in answers for each in answer.get("keeps", 2)}
        found: dict[tuple[Location, Location, str], list[Verdict]] = {}
        for verdict in verdicts(self.position, answers, STEP):
            by, _, one, two, way = verdict.deed.arguments
            if str(by) == self.by:
                key = (location_of(one), location_of(two), named(way))
                found.setdefault(key, []).append(verdict)
        for place in places:
            self.steps[place] = ()
        for (start, to, how), each in found.items():
            keeps = frozenset(
                course
                for course in self.budget.bonuses
                if all((clingo.Function(course), one.deed) in kept for one in each)
            )
            if start in self.steps:
                self.steps[start] += (self.together(start, to, how, each, keeps),)

    def together(
        self,
        start: Location,
        to: Location,
        way: str,
        each: Sequence[Verdict],
        keeps: frozenset[str],
    ) -> Step:
        """A step of all units: legal if it is for each of them, illegal if it is for one."""
        legal: bool | None = None
        if any(one.legal is False for one in each):
            legal = False
        elif len(each) == len(self.units) and all(one.legal for one in each):
            legal = True
        telling = [one for one in each if legal is not False or one.legal is False]
        norms = dict.fromkeys(norm for one in telling for norm in (*one.norms, *one.priced))
        reasons = dict.fromkeys(why for one in each for why in one.unknown)
        unknown = tuple(reasons) if legal is not False else ()
        mf = _picked(self.position.cases[0], each[0].paid_in, [one.cost for one in each])
        return Step(start, to, way, legal, mf, tuple(norms), unknown, keeps)

    def least(self) -> dict[Location, tuple[int, tuple[Step, ...]]]:
        """The least way to each Location within the budget, as far as the steps are known."""
        budget = self.budget
        best: dict[Location, tuple[int, tuple[Step, ...]]] = {}
        done: dict[Location, list[frozenset[str]]] = {}
        number = count()
        queue: list[tuple[int, int, Location, frozenset[str], tuple[Step, ...]]] = []
        heappush(queue, (0, next(number), self.start, frozenset(budget.bonuses), ()))
        while queue:
            spent, _, here, courses, path = heappop(queue)
            if any(courses <= each for each in done.get(here, ())):
                continue
            done.setdefault(here, []).append(courses)
            best.setdefault(here, (spent, path))
            if path and (budget.single or budget.pace is None):
                continue
            for step in self.steps.get(here, ()):
                if not step.legal or (step.mf is None and not budget.single):
                    continue
                still = courses & step.keeps
                total = spent + (step.mf or 0)
                limit = budget.limit(still)
                if limit is None or budget.single or total <= limit:
                    heappush(queue, (total, next(number), step.to, still, (*path, step)))
        return best

    def reached(self) -> Iterable[Reached]:
        """Every Location that is reached, but where nothing may stop."""
        for place, (spent, path) in self.ways.items():
            if path and place not in self.passing:
                known = all(step.mf is not None for step in path)
                yield Reached(place, spent if known else None, path)


#: Which of several values it is that counts.
_PICKS = {"least": min, "greatest": max}


def _picked(static: Answer, of: str, values: Sequence[int | None]) -> int | None:
    """Which of the values that units have counts for them all; None where one is not known."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    if len(set(known)) == 1:
        return known[0]
    picks = {str(name): str(pick) for name, pick in static.get("counts_for_all", 2)}
    return _PICKS[picks[of]](known) if of in picks else None


_BUDGET = ("budget", 2)
_WANTED = (
    *wanted(STEP),
    *(Node(name, 2, _BUDGET) for name in ("is", "total", "unknown")),
    Node("stands", 3, _BUDGET),
    Node("bonus", 3),
    Node("keeps", 2),
    Node("in_passing", 1),
    Node("single", 1),
)


def _budget(
    position: Position, answers: Sequence[Answer], by: str, units: tuple[str, ...]
) -> _Budget:
    """What the units can spend; where the cases of the board differ it is not known."""
    static = position.cases[0]
    topics = [clingo.Function("budget", [clingo.Function(by), clingo.String(u)]) for u in units]
    paces: list[int | None] = []
    bonuses: list[dict[str, int]] = []
    reasons: dict[Reason, None] = {}
    norms: dict[str, None] = {}
    single = False
    for answer in answers:
        values = answer.values
        found = [values[topic].number if topic in values else None for topic in topics]
        paces.append(_picked(static, "budget", found))
        bonuses.append(_bonuses(answer, static, units))
        # What rests on the board alone is not told again in the answer to a question.
        once = [*static.get("single", 1), *answer.get("single", 1)]
        single |= by in {str(each) for (each,) in once}
        doubts = Doubts(position, answer)
        reasons |= dict.fromkeys(why for topic in topics for why in doubts.of(topic))
        for norm, topic, _ in answer.get("stands", 3):
            if topic in topics:
                norms[norm.string] = None
    agreeing = len(set(paces)) == 1
    if not agreeing:
        reasons |= dict.fromkeys(left_open(position, answers, paces))
    pace = paces[0] if agreeing else None
    certain = [set(each.items()) for each in bonuses]
    agreed = dict(sorted(certain[0].intersection(*certain))) if certain else {}
    return _Budget(pace, agreed, single, tuple(reasons), tuple(norms))


def _bonuses(answer: Answer, static: Answer, units: Iterable[str]) -> dict[str, int]:
    """What each of the units may spend more on a way of a course."""
    given = {*static.get("bonus", 3), *answer.get("bonus", 3)}
    amounts = {(str(course), amount.number) for course, _, amount in given}
    holders = {(str(course), unit.string, amount.number) for course, unit, amount in given}
    return {m: n for m, n in sorted(amounts) if all((m, unit, n) in holders for unit in units)}
