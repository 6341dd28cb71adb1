"""Where units can go: every Location that they reach in a phase, at the least MF, and the way there.

The rules give single steps, what each costs, and how much a way of several may cost; the least way
through them is found here. A way that keeps a course in all its steps may cost more: which courses there
are, and which steps keep them, the rules say. What a way of which a step is not known amounts to is told
beside it (`routes.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rules_asp.answers.budgets import cost_unit
from rules_asp.answers.grounds_of_ways import path_provenance
from rules_asp.answers.routes import MoveStep, ReachedLocation
from rules_asp.answers.step_search import StepSearch
from rules_asp.answers.unknowns import Reason
from rules_asp.answers.words import Verdict, verdict_for
from rules_asp.positions.belonging import Answer
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import Position
from rules_asp.positions.settling import location_of_unit
from rules_asp.terms.grid import Location, hex_of_spot
from rules_asp.terms.lexicon import vocabulary


@dataclass(frozen=True)
class Unreached:
    """By what a place is not reached for certain: why that is not known, and the steps that decide it."""

    unknown: tuple[Reason, ...]
    steps: tuple[MoveStep, ...]

    @property
    def norms(self) -> tuple[str, ...]:
        """Who forbids it: each of the steps, if some norms do, or else one of them."""
        if self.unknown or not self.steps:
            return ()
        first, *others = (each.norms for each in self.steps)
        common = tuple(n for n in first if all(n in each for each in others))
        return common or tuple(dict.fromkeys(norm for each in self.steps for norm in each.norms))


@dataclass(frozen=True)
class Moves(Answer):
    """Where units can go. `pace` is what they have to spend, in quarters of what they pay; None if not
    known.

    `cost_unit` is `mf` or `mp`. `bonuses` come on top, each for a way wholly of a course. `perhaps` are
    Locations to which a way leads of which it is not known whether it is one, `passed` such as are reached
    and where nothing can stop. `forbidden` and `unknown` are the single steps, out of any Location that is
    reached, or may be, which are not legal, and not known to be; of the latter those alone that lead to
    where nothing else does. `besides` is why no cost of a way is known in full. `by` is what such a step is
    called in a deed; of a `single` one a way is made.
    """

    units: tuple[str, ...]
    phase: str
    start: Location
    pace: int | None
    bonuses: Mapping[str, int]
    reach: tuple[ReachedLocation, ...]
    forbidden: tuple[MoveStep, ...]
    unknown: tuple[MoveStep, ...]
    reasons: tuple[Reason, ...] = ()
    norms: tuple[str, ...] = ()
    perhaps: tuple[ReachedLocation, ...] = ()
    passed: tuple[ReachedLocation, ...] = ()
    paid_in: str = "mf"
    turns: int = 1
    besides: tuple[Reason, ...] = ()
    by: str = "move"
    single: bool = False
    #: Ways that take more than can be spent, to Locations next to what is reached.
    too_dear: Mapping[Location, tuple[MoveStep, ...]] = field(default_factory=dict)

    def to(self, place: Location) -> ReachedLocation | None:
        """How a Location is reached, or may be."""
        every = (*self.reach, *self.passed, *self.perhaps)
        return next((each for each in every if each.to == place), None)

    def too_far(self, place: Location) -> tuple[MoveStep, ...]:
        """The least way to a place that takes too much; to one farther off, as far as one comes toward
        it.
        """
        ways = {each.to: each.path for each in (*self.reach, *self.passed, *self.perhaps)}
        there = hex_of_spot(place.spot)
        if any(hex_of_spot(each.spot) == there for each in ways):
            return self.too_dear.get(place, ())
        ways |= self.too_dear
        if self.pace is None or self.single or not ways:
            return ()
        nearest = min(ways, key=lambda each: (hex_of_spot(each.spot).range_to(there), str(each)))
        return ways.get(place, ways[nearest])

    def unsure(self, place: Location) -> tuple[Reason, ...]:
        """Why it is not known whether a Location is reached; nothing where it is, or is not."""
        found = self.to(place)
        if found is not None:
            return found.unknown if found in self.perhaps else ()
        # Of what can be spent nothing is known, and so not how far it takes them.
        open_ = self.pace is None and self.reasons and (self.reach or self.perhaps or self.passed)
        return self.reasons if open_ and place != self.start else ()

    @property
    def word(self) -> Verdict:
        """Whether they can go anywhere: forbidden where each single step out of their place is."""
        open_ = self.reasons or self.unknown or self.perhaps
        anywhere = bool(self.reach) or (None if open_ else False)
        return verdict_for(anywhere, [norm for each in self.forbidden for norm in each.norms])

    def short_of(self, place: Location) -> Unreached:
        """By what a place is not reached for certain.

        That are the steps that lead there, and where no step out of their place is legal, all of these.
        """
        reasons = self.unsure(place)
        if reasons:
            return Unreached(reasons, tuple(each for each in self.unknown if each.unknown))
        last = tuple(
            each
            for each in self.forbidden
            if each.to == place and (each.start == self.start or not self.single)
        )
        return Unreached((), last or (() if self.reach or self.passed else self.forbidden))


def moves(
    position: Position,
    units: Sequence[str],
    phase: str = "mph",
    turns: int = 1,
    only: str | None = None,
    cite: bool = True,
    way: str | None = None,
    toward: Location | None = None,
) -> Moves:
    """Where these units, as one stack, can go in a phase, one of the words for a moving_phase.

    In several `turns`, one such phase in each, they go on where they are, on the board as it stands. `only`
    is a course, one of its words, that every step has to keep, `way` one by which each has to go.
    `cite` can be switched off to save the time that it takes to find what the ways rest on. Where it
    is asked of one place alone, `toward` leaves out what lies too far aside of the way there.
    QuestionError for a unit that is not on the board, for units that do not stand together or do not
    pay alike, and for another phase or course.
    """
    kinds = {str(each): str(by) for each, by in position.cases[0].get("moves_by", 2)}
    if phase not in kinds:
        known = ", ".join(vocabulary().words["moving_phase"])
        raise QuestionError(f"{phase} is no phase to move in: {known}")
    if only is not None and only not in vocabulary().words["course"]:
        known = ", ".join(word.replace("_", "-") for word in vocabulary().words["course"])
        raise QuestionError(f"{only} is no course of a way: {known}")
    if not 1 <= turns <= _MOST_TURNS:
        raise QuestionError(f"{turns} turns: expected 1 to {_MOST_TURNS}")
    if not units:
        raise QuestionError("no unit is named")
    units = tuple(dict.fromkeys(units))
    start = location_of_unit(position, units[0])
    for unit in units[1:]:
        if location_of_unit(position, unit) != start:
            raise QuestionError(f"{units[0]} and {unit} do not stand in one Location")
    by = kinds[phase]
    paid = cost_unit(position, by, units)
    search = StepSearch(position, units, by, start, turns, only, paid, cite, way, toward)
    budget, routes = search.budget, search.routes
    reached = tuple(sorted(routes.reached(), key=_in_order))
    if cite:
        closing = routes.closing()
        reached = tuple(
            replace(each, closed_shortcuts=(*each.closed_shortcuts, *closing.get(each.to, ())))
            for each in reached
        )
        paths = [(*each.path, *each.closed_shortcuts) for each in reached]
        waves = search.turn.waves, search.later_turn.waves
        found = path_provenance(position, by, units, paths, *waves)
        reached = tuple(replace(each, rests_on=of) for each, of in zip(reached, found, strict=True))
    perhaps = tuple(sorted(routes.perhaps(), key=_in_order))
    sure = {start, *(each.to for each in reached)}
    steps = [
        step
        for place in (*sure, *(each.to for each in perhaps))
        for step in search.steps.get(place, ())
    ]
    return Moves(
        units,
        phase,
        start,
        budget.pace,
        {} if budget.single else {m: n for m, n in budget.bonuses.items() if n},
        tuple(each for each in reached if each.to not in search.passing),
        tuple(step for step in steps if step.legal is False),
        tuple(
            each for each in steps if (each.legal is None or each.unknown) and each.to not in sure
        ),
        budget.reasons,
        budget.norms,
        perhaps,
        tuple(each for each in reached if each.to in search.passing),
        search.paid_in,
        turns,
        budget.unknown_costs,
        by,
        budget.single,
        routes.beyond_budget(),
    )


#: More turns than a scenario has.
_MOST_TURNS = 50


def _in_order(each: ReachedLocation) -> tuple[int, int, str]:
    amount = next((n for n in (each.mf, each.at_most, each.at_least) if n is not None), 0)
    return each.turn, amount, str(each.to)
