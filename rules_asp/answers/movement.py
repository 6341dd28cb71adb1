"""Where units can go: every Location that they reach in a phase, at the least MF, and the way there.

The rules give single steps, what each costs, and how much a stack can spend; the least way through
them is found here. A unit in Bypass, and any other place where nothing may stop, is only passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

import clingo

from rules_asp.answers.deeds import Verdict, judge, verdicts, wanted
from rules_asp.answers.unknowns import OPEN, Reason, reason
from rules_asp.knowledge.running import Answer
from rules_asp.knowledge.source import Node
from rules_asp.positions.places import QuestionError, standing
from rules_asp.positions.prepared import Position
from rules_asp.terms.arguments import quoted
from rules_asp.terms.grid import Hex, Location
from rules_asp.terms.names import named
from rules_asp.terms.query import Compound, Doing, Variable
from rules_asp.terms.symbols import location_of

#: How a unit goes in a phase.
PHASES = {"mph": "move", "rtph": "rout", "aph": "advance"}
STEP = ("step", 5)


@dataclass(frozen=True)
class Step:
    """A single step of all the units: its verdict, its cost in quarters of an MF, the norms of both.

    A cost is None where the phase knows none, or where it is not known.
    """

    start: Location
    to: Location
    way: str
    legal: bool | None
    mf: int | None
    norms: tuple[str, ...]
    unknown: tuple[Reason, ...] = ()
    by_road: bool = False


@dataclass(frozen=True)
class Reached:
    """A Location that is reached, the least MF that it takes (quarters), and the steps there."""

    to: Location
    mf: int | None
    path: tuple[Step, ...]

    @property
    def norms(self) -> tuple[str, ...]:
        """The norms of its steps, each once."""
        return tuple(dict.fromkeys(norm for step in self.path for norm in step.norms))


@dataclass(frozen=True)
class Moves:
    """Where units can go. `pace` is what they can spend, in quarters of an MF; None if not known.

    `bonus` comes on top for a way wholly by road. `forbidden` and `unknown` are the single steps, out of
    any Location that is reached, which are not legal, and not known to be; of the latter those alone
    that lead to where nothing else does.
    """

    units: tuple[str, ...]
    phase: str
    start: Location
    pace: int | None
    bonus: int
    reach: tuple[Reached, ...]
    forbidden: tuple[Step, ...]
    unknown: tuple[Step, ...]
    reasons: tuple[Reason, ...] = ()
    norms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Can:
    """Whether a deed is legal: the verdict of each way in which it comes into question.

    `there` is the way to a Location that no single legal step leads to; it makes the deed legal only
    where there is no single step at all.
    """

    doing: Doing
    legal: bool | None
    ways: tuple[Verdict, ...]
    there: Reached | None
    unknown: tuple[Reason, ...]
    cites: tuple[str, ...]


@dataclass(frozen=True)
class _Budget:
    """What the rules say about a phase, for units that go together."""

    pace: int | None
    bonus: int
    single: bool
    reasons: tuple[Reason, ...]
    norms: tuple[str, ...]


def moves(position: Position, units: Sequence[str], phase: str = "mph") -> Moves:
    """Where these units, as one stack, can go in a phase (mph, rtph or aph).

    QuestionError for a unit that is not on the board, and for units that do not stand together.
    """
    if phase not in PHASES:
        raise QuestionError(f"{phase} is no phase to move in: {', '.join(PHASES)}")
    if not units:
        raise QuestionError("no unit is named")
    units = tuple(dict.fromkeys(units))
    start = standing(position, units[0])
    for unit in units[1:]:
        if standing(position, unit) != start:
            raise QuestionError(f"{units[0]} and {unit} do not stand in one Location")
    search = _Search(position, units, PHASES[phase], start)
    budget = search.budget
    reach = tuple(sorted(search.reached(), key=lambda each: (each.mf or 0, str(each.to))))
    steps = [step for place in search.ways for step in search.steps[place]]
    return Moves(
        units,
        phase,
        start,
        budget.pace,
        budget.bonus,
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
    there = None
    if goal is not None:
        unit, place = goal
        reached = moves(position, [unit]).reach
        there = next((each for each in reached if each.to == place), None)
    if there is None or judged.ways:
        return Can(doing, judged.legal, judged.ways, there, judged.unknown, judged.cites)
    cites = position.program.paragraphs(there.norms)
    return Can(doing, True, (), there, judged.unknown, cites)


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
        self.budget = _Budget(None, 0, False, (), ())
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
        about = [
            f"asked(step({self.by},{quoted(unit)},{place.term},any,any))."
            for unit in self.units
            for place in places
        ]
        about += [f"stacked({quoted(unit)})." for unit in self.units]
        question = self.position.completed("\n".join(about) + "\n", local=True)
        answers = self.position.ask(_WANTED, question, local=True)
        self.budget = _budget(answers, self.position.cases[0], self.by, self.units)
        for answer in answers:
            self.passing |= {location_of(where) for (where,) in answer.get("in_passing", 1)}
        road = {deed for answer in answers for (deed,) in answer.get("by_road", 1)}
        found: dict[tuple[Location, Location, str], dict[str, Verdict]] = {}
        for verdict in verdicts(answers, STEP):
            by, unit, one, two, way = verdict.deed.arguments
            if str(by) == self.by:
                key = (location_of(one), location_of(two), named(way))
                found.setdefault(key, {})[unit.string] = verdict
        for place in places:
            self.steps[place] = ()
        for (start, to, how), each in found.items():
            by_road = all(verdict.deed in road for verdict in each.values())
            if start in self.steps:
                self.steps[start] += (_together(start, to, how, each, self.units, by_road),)

    def least(self) -> dict[Location, tuple[int, tuple[Step, ...]]]:
        """The least way to each Location within the budget, as far as the steps are known."""
        budget = self.budget
        best: dict[Location, tuple[int, tuple[Step, ...]]] = {}
        done: set[tuple[Location, bool]] = set()
        number = count()
        queue: list[tuple[int, int, Location, bool, tuple[Step, ...]]] = []
        heappush(queue, (0, next(number), self.start, True, ()))
        while queue:
            spent, _, here, on_road, path = heappop(queue)
            if (here, on_road) in done or (here, True) in done:
                continue
            done.add((here, on_road))
            best.setdefault(here, (spent, path))
            if path and (budget.single or budget.pace is None):
                continue
            for step in self.steps.get(here, ()):
                if not step.legal or (step.mf is None and not budget.single):
                    continue
                still = on_road and step.by_road
                total = spent + (step.mf or 0)
                limit = None if budget.pace is None else budget.pace + budget.bonus * still
                if limit is None or budget.single or total <= limit:
                    heappush(queue, (total, next(number), step.to, still, (*path, step)))
        return best

    def reached(self) -> Iterable[Reached]:
        """Every Location that is reached, but where nothing may stop."""
        for place, (spent, path) in self.ways.items():
            if path and place not in self.passing:
                known = all(step.mf is not None for step in path)
                yield Reached(place, spent if known else None, path)


def _together(
    start: Location,
    to: Location,
    way: str,
    each: Mapping[str, Verdict],
    units: Iterable[str],
    by_road: bool,
) -> Step:
    """A step of all units: as legal as for the one that it is least legal for, as dear as the dearest."""
    norms = dict.fromkeys(
        norm for verdict in each.values() for norm in (*verdict.norms, *verdict.priced)
    )
    legal: bool | None = True
    if any(verdict.legal is False for verdict in each.values()):
        legal = False
        forbidding = (one for one in each.values() if one.legal is False)
        norms = dict.fromkeys(norm for verdict in forbidding for norm in verdict.norms)
    elif any(unit not in each or each[unit].legal is None for unit in units):
        legal = None
    costs = [verdict.cost for verdict in each.values()]
    mf = max((cost for cost in costs if cost is not None), default=None)
    reasons = dict.fromkeys(why for verdict in each.values() for why in verdict.unknown)
    unknown = tuple(reasons) if legal is not False else ()
    return Step(
        start, to, way, legal, None if None in costs else mf, tuple(norms), unknown, by_road
    )


_BUDGET = ("budget", 2)
_WANTED = (
    *wanted(STEP),
    *(Node(name, 2, _BUDGET) for name in ("is", "total", "unknown")),
    Node("stands", 3, _BUDGET),
    Node("road_bonus", 2),
    Node("by_road", 1),
    Node("in_passing", 1),
    Node("single", 1),
)


def _budget(answers: Sequence[Answer], static: Answer, by: str, units: tuple[str, ...]) -> _Budget:
    """What the units can spend; where the cases of the board differ it is not known."""
    topics = [clingo.Function("budget", [clingo.Function(by), clingo.String(u)]) for u in units]
    paces: set[int | None] = set()
    bonuses: set[int] = set()
    reasons: dict[Reason, None] = {}
    norms: dict[str, None] = {}
    single = False
    for answer in answers:
        values = answer.values
        found = [values[topic].number for topic in topics if topic in values]
        paces.add(min(found) if len(found) == len(units) else None)
        # What rests on the board alone is not told again in the answer to a question.
        bonus = [*static.get("road_bonus", 2), *answer.get("road_bonus", 2)]
        given = {unit.string: amount.number for unit, amount in bonus}
        bonuses.add(min(given.get(unit, 0) for unit in units))
        once = [*static.get("single", 1), *answer.get("single", 1)]
        single |= by in {str(each) for (each,) in once}
        for topic, why in answer.get("unknown", 2):
            if topic in topics:
                reasons[reason(why)] = None
        for norm, topic, _ in answer.get("stands", 3):
            if topic in topics:
                norms[norm.string] = None
    if len(paces) > 1:
        reasons[OPEN] = None
    pace = paces.pop() if len(paces) == 1 else None
    return _Budget(pace, min(bonuses, default=0), single, tuple(reasons), tuple(norms))
