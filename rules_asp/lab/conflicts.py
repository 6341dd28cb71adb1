"""Clashes of the rules: two norms, neither of them beaten, that answer one question differently."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import clingo

from rules_asp.lab.goals import CLASH, CONTESTED, looks
from rules_asp.lab.search import Clock, Found, Model, OutOfTime, Search, Shown, kind_of
from rules_asp.lab.witness import Witness, query_of
from rules_asp.lab.world import Bounds, Lab
from rules_asp.query import Query


@dataclass(frozen=True)
class Clash:
    """Two norms that clash, on what kind of question, and the smallest board that shows it.

    settled: the rulings that say which of them wins. doubt: why the ordinary commands do not confirm it.
    """

    topic: str
    one: str
    other: str
    where: str
    witness: Witness
    settled: tuple[str, ...] = ()
    doubt: str | None = None


@dataclass(frozen=True)
class Conflicts:
    """The clashes within these bounds. Not complete: the time was over, or the search broken off."""

    bounds: Bounds
    clashes: tuple[Clash, ...]
    complete: bool
    seconds: float


def conflicts(
    lab: Lab,
    bounds: Bounds,
    *,
    review: bool = False,
    clock: Clock | None = None,
    jobs: int | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Conflicts:
    """All clashes on boards within the bounds; `review`: what one norm allows and another forbids."""
    look = replace(looks(lab, [CONTESTED if review else CLASH]), evidence=_evidence)
    search = Search.made(lab, bounds, look, clock, jobs, told)
    started = time.monotonic()
    found: list[Found] = []
    shown: list[Shown] = []
    complete = True
    try:
        found.extend(search.goals())
        shown.extend(search.boards(found))
    except (OutOfTime, KeyboardInterrupt):
        complete = False
    clashes = [_clash(lab, each) for each in shown]
    clashes.sort(key=lambda each: (each.topic, each.one, each.other))
    return Conflicts(bounds, tuple(clashes), complete, time.monotonic() - started)


def _evidence(model: Model) -> Query:
    about, one, other = model.goal.arguments
    name = "conflict" if model.goal.name == "clash" else "contested"
    for atom in model.symbols:
        if atom.name == name and [*atom.arguments[1:]] == [one, other]:
            if kind_of(atom.arguments[0]) == about:
                return query_of(atom)
    raise AssertionError(f"{model.goal} is shown by nothing")


def _clash(lab: Lab, shown: Shown) -> Clash:
    about, one, other = clingo.parse_term(shown.goal).arguments
    return Clash(
        str(about),
        one.string,
        other.string,
        str(shown.spot),
        shown.witness,
        tuple(settling(lab, one.string, other.string)),
        shown.doubt,
    )


def settling(lab: Lab, one: str, other: str) -> Iterable[str]:
    """The rulings by which one of two norms wins over the other."""
    for ruling, winner, loser in lab.rulings:
        if {winner, loser} == {one, other}:
            yield ruling
