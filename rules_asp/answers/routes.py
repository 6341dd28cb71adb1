"""Ways of several steps: the least that is known, and the least that may be.

A step that is not known to be legal, or of which the cost is not known, may be a part of a way that is
shorter than any that is known. So two ways are looked for: through the steps that are known, and through
all that may be, each at the least that it can cost. Where both cost the same, that is the cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from heapq import heappop, heappush
from itertools import count

from rules_asp.answers.proof import Provenance
from rules_asp.answers.unknowns import Reason
from rules_asp.terms.grid import Location


@dataclass(frozen=True)
class MoveStep:
    """A single step of all the units: its verdict, its cost in quarters of an MF or MP, the norms of both.

    A cost is None where the phase knows none, or where it is not known; `at_least` is the least that it
    can be. `keeps_bonus` are the courses of a way that the step keeps.
    """

    start: Location
    to: Location
    way: str
    legal: bool | None
    mf: int | None
    norms: tuple[str, ...]
    unknown: tuple[Reason, ...] = ()
    keeps_bonus: frozenset[str] = frozenset()
    at_least: int = 0
    #: It is one of a later turn, when what holds for this phase alone is over.
    later: bool = False


@dataclass(frozen=True)
class ReachedLocation:
    """A Location that is reached, the least MF that it takes (quarters), and the steps there.

    `mf` is None where it is not known, or where the phase knows no cost. Then `at_least` and `at_most` are
    its bounds, where there are any, and `unknown` says why. `rests_on` is what all that rests on: its
    steps, and the MF that may be spent. `turn` is the turn of the route in which the
    Location is reached; the MF are those of this turn. `closed_shortcuts` are steps beside the way by
    which it is no cheaper, or not known to be: closed, or themselves not known.
    """

    to: Location
    mf: int | None
    path: tuple[MoveStep, ...]
    at_least: int | None = None
    at_most: int | None = None
    unknown: tuple[Reason, ...] = ()
    turn: int = 1
    closed_shortcuts: tuple[MoveStep, ...] = ()
    rests_on: Provenance = field(default_factory=Provenance)

    @property
    def norms(self) -> tuple[str, ...]:
        """The norms of its steps, each once."""
        return tuple(dict.fromkeys(norm for step in self.path for norm in step.norms))


@dataclass(frozen=True)
class MovementBudget:
    """What the rules say about a phase, for units that go together; MF or MP in quarters.

    `whole` is what they can spend in a phase, `pace` what is left of it in this one, None where it is not
    known. `unknown_costs` is why it is not known what a way costs beside its steps. `strayed` are
    courses which the way so far has not kept.
    """

    pace: int | None
    whole: int | None
    bonuses: Mapping[str, int]
    single: bool
    reasons: tuple[Reason, ...]
    norms: tuple[str, ...]
    unknown_costs: tuple[Reason, ...] = ()
    strayed: frozenset[str] = frozenset()

    def limit(self, courses: Iterable[str], turn: int) -> int | None:
        """What a way of these courses may cost in all in this turn; None where that is not known."""
        pace = self.pace if turn == 1 else self.whole
        more = sum(self.bonuses[course] for course in courses)
        return None if pace is None else pace + more

    def courses(self, turn: int) -> frozenset[str]:
        """The courses that a way which begins in this turn can still be of."""
        return frozenset(self.bonuses) - (self.strayed if turn == 1 else frozenset())


#: More than any way costs.
_ENDLESS = 10**9


@dataclass(frozen=True)
class _Way:
    """A way so far: the turn, what is spent in it, and the steps."""

    turn: int
    spent: int
    path: tuple[MoveStep, ...]

    @property
    def cost(self) -> tuple[int, int]:
        """How far it is, in turns and MF."""
        return self.turn, self.spent


def _not_known(way: _Way) -> tuple[MoveStep, ...]:
    """The steps of a way of which it is not known that they are legal, or what they cost."""
    return tuple(step for step in way.path if step.legal is None or step.unknown)


class ShortestPaths:
    """The least ways from a Location through the steps known so far.

    `later` are the steps in turns after the first, where they are others. `only` is a course that each
    step has to keep, `way` the way that each has to go by. `passing` are Locations where nothing may stop.
    """

    def __init__(
        self,
        start: Location,
        steps: Mapping[Location, Iterable[MoveStep]],
        budget: MovementBudget,
        passing: Iterable[Location] = (),
        turns: int = 1,
        only: str | None = None,
        way: str | None = None,
        later: Mapping[Location, Iterable[MoveStep]] | None = None,
    ) -> None:
        self.start = start
        self.steps = steps
        self.later = steps if later is None else later
        self.budget = budget
        self.passing = frozenset(passing)
        self.turns = 1 if budget.single else turns
        self.only = only
        self.way = way
        self.known = self._least(self._known)
        self.possible = self.known
        if not all(self._known(step) is not None for step in self._out_of(self.known)):
            self.possible = self._least(self._possible)

    def reached(self) -> Iterator[ReachedLocation]:
        """Each Location that is certain to be reached, with what is known of the cost."""
        for place in {**self.known, **self._straight()}:
            if place != self.start:
                yield self._told(place)

    def closing(self) -> dict[Location, tuple[MoveStep, ...]]:
        """The steps that would be on a cheaper way to each Location, or on one where there is none, did not
        some one norm forbid them, or those that forbid one of them."""
        if self.budget.single:
            return {}
        closed = [
            step
            for steps in (self.steps, self.later)
            for place in self.known
            for step in steps.get(place, ())
            if step.legal is False
        ]
        found: dict[Location, dict[MoveStep, None]] = {}
        one = (frozenset((norm,)) for step in closed for norm in step.norms)
        for norms in dict.fromkeys((*one, *(frozenset(step.norms) for step in closed))):
            for place, way in self._least(partial(self._but_for, norms)).items():
                known = self.known.get(place)
                if way.cost < known.cost if known is not None else place not in self.possible:
                    barred = (step for step in way.path if step.legal is False)
                    found.setdefault(place, {}).update(dict.fromkeys(barred))
        return {place: tuple(steps) for place, steps in found.items()}

    def _but_for(self, norms: frozenset[str], step: MoveStep) -> int | None:
        """What a step costs that is legal, or would be without some norms."""
        is_freed = step.legal is False and norms.issuperset(step.norms)
        return step.at_least if is_freed else self._known(step)

    def beyond_budget(self) -> dict[Location, tuple[MoveStep, ...]]:
        """The least way that may lead to each Location that is too far, as far as steps are known.

        Nothing is, where it is not known what can be spent.
        """
        if self.budget.pace is None or self.budget.single or self.turns > 1:
            return {}
        free = replace(self.budget, pace=_ENDLESS, whole=_ENDLESS)
        ways = ShortestPaths(
            self.start, self.steps, free, self.passing, 1, self.only, self.way
        ).possible
        return {place: way.path for place, way in ways.items() if place not in self.possible}

    def perhaps(self) -> Iterator[ReachedLocation]:
        """Each Location that may be reached, and is not known to be."""
        sure = {*self.known, *self._straight()}
        for place, way in self.possible.items():
            if place not in sure:
                least = None if self.budget.single else way.spent
                why = self._why(way)
                yield ReachedLocation(
                    place, None, way.path, least, None, why, way.turn, _not_known(way)
                )

    def _told(self, place: Location) -> ReachedLocation:
        known = self.known.get(place)
        if known is not None and (self.budget.single or known.cost <= self.possible[place].cost):
            path = known.path
            mf = known.spent if all(step.mf is not None for step in path) else None
            return ReachedLocation(place, mf, path, turn=known.turn)
        if known is None:
            step = self._straight()[place]
            may_be = self.possible.get(place, _Way(1, step.at_least, (step,)))
            why, against = self._why(may_be), _not_known(may_be)
            return ReachedLocation(
                place, None, (step,), may_be.spent, None, why, closed_shortcuts=against
            )
        may_be = self.possible[place]
        at_least = may_be.spent if may_be.turn == known.turn else None
        why = self._why(may_be)
        against = _not_known(may_be)
        return ReachedLocation(
            place, None, known.path, at_least, known.spent, why, known.turn, against
        )

    def _why(self, way: _Way) -> tuple[Reason, ...]:
        """Why it is not known what a way costs, or whether it is one."""
        reasons = [why for step in way.path for why in step.unknown]
        return tuple(dict.fromkeys((*reasons, *self.budget.unknown_costs)))

    def _straight(self) -> dict[Location, MoveStep]:
        """Single legal steps out of the start: that these are legal is enough."""
        found: dict[Location, MoveStep] = {}
        for step in self.steps.get(self.start, ()):
            if step.legal and self._keeps(step):
                found.setdefault(step.to, step)
        return found

    def _keeps(self, step: MoveStep) -> bool:
        by = self.way is None or self.way == step.way
        return by and (self.only is None or self.only in step.keeps_bonus)

    def _known(self, step: MoveStep) -> int | None:
        """What a step costs that is known to be legal; None for another."""
        if not step.legal or (self.budget.unknown_costs and not self.budget.single):
            return None
        return 0 if self.budget.single else step.mf

    def _possible(self, step: MoveStep) -> int | None:
        """The least that a step can cost; None for one that is illegal."""
        return None if step.legal is False else step.at_least

    def _out_of(self, ways: Iterable[Location]) -> Iterator[MoveStep]:
        """The steps out of these that may be legal."""
        for steps in (self.steps,) if self.later is self.steps else (self.steps, self.later):
            for place in ways:
                for step in steps.get(place, ()):
                    if step.legal is not False and self._keeps(step):
                        yield step

    def _least(self, price: Callable[[MoveStep], int | None]) -> dict[Location, _Way]:
        """The least way to each Location within the budget, at these prices."""
        budget = self.budget
        best: dict[Location, _Way] = {}
        beyond: dict[Location, _Way] = {}
        done: dict[Location, list[tuple[int, frozenset[str]]]] = {}
        rested: set[tuple[Location, int]] = set()
        number = count()
        queue: list[tuple[tuple[int, int], int, Location, frozenset[str], _Way]] = []

        def put(place: Location, courses: frozenset[str], way: _Way) -> None:
            heappush(queue, (way.cost, next(number), place, courses, way))

        put(self.start, budget.courses(1), _Way(1, 0, ()))
        while queue:
            _, _, here, courses, way = heappop(queue)
            rests = here not in self.passing or here == self.start
            if way.turn > 1 and not way.spent:
                if (here, way.turn) in rested:
                    continue
                rested.add((here, way.turn))
            else:
                seen = done.setdefault(here, [])
                if any((rests and turn < way.turn) or (turn == way.turn and courses <= each)
                       for turn, each in seen):  # fmt: skip
                    continue
                seen.append((way.turn, courses))
                best.setdefault(here, way)
                if rests and way.turn < self.turns:
                    put(here, budget.courses(way.turn + 1), _Way(way.turn + 1, 0, way.path))
            if way.path and (budget.single or budget.limit((), way.turn) is None):
                continue
            for step in (self.steps if way.turn == 1 else self.later).get(here, ()):
                cost = price(step) if self._keeps(step) else None
                if cost is None:
                    continue
                still = courses & step.keeps_bonus
                further = _Way(way.turn, way.spent + cost, (*way.path, step))
                limit = budget.limit(still, way.turn)
                if limit is None or budget.single or further.spent <= limit:
                    put(step.to, still, further)
                elif not way.spent and step.legal is None:
                    # Whether that is a move of its own is what is not known.
                    beyond.setdefault(step.to, further)
        return {**beyond, **best}
