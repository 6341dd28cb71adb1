"""Which norms do nothing: they never fire, they never win, or they say only what another says."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import clingo

from rules_asp.lab.goals import ALONE, COUNTS, firing, joined, looks
from rules_asp.lab.search import Clock, OutOfTime, Search
from rules_asp.lab.world import Bounds, Lab
from rules_asp.source import DEED_HEADS, TOPIC_HEADS, Norm

#: Heads by which a norm speaks for itself, and not by what others read.
_SPEAKING = {*TOPIC_HEADS, *DEED_HEADS, "blocks", "clears", "hinders", "lifts", "violates"}


@dataclass(frozen=True)
class Dead:
    """Norms, by id, that do nothing on any board within the bounds.

    Of `beaten` and `repeating` only norms are told that speak for themselves: what a norm gives to other
    rules to read may matter there.
    """

    bounds: Bounds
    norms: int
    silent: tuple[str, ...]
    beaten: tuple[str, ...]
    repeating: tuple[str, ...]
    complete: bool
    seconds: float


def dead(
    lab: Lab,
    bounds: Bounds,
    of: Iterable[str],
    *,
    clock: Clock | None = None,
    jobs: int | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Dead:
    """Which of these norms do nothing."""
    started = time.monotonic()
    asked = [norm for norm in of if _has_rules(lab, norm)]
    look = joined(firing(lab, asked), looks(lab, COUNTS), looks(lab, ALONE))
    search = Search.made(lab, bounds, look, clock, jobs, told)
    found: dict[str, set[str]] = {"fires": set(), "counts": set(), "alone": set()}
    complete = True
    try:
        for each in search.goals():
            goal = clingo.parse_term(each.goal)
            found[goal.name].add(goal.arguments[0].string)
    except (OutOfTime, KeyboardInterrupt):
        complete = False
    speaking = [norm for norm in asked if _speaks(lab, norm)]
    silent = tuple(norm for norm in asked if norm not in found["fires"])
    beaten = tuple(
        norm for norm in speaking if norm in found["fires"] and norm not in found["counts"]
    )
    repeating = tuple(
        norm for norm in speaking if norm in found["counts"] and norm not in found["alone"]
    )
    return Dead(bounds, len(asked), silent, beaten, repeating, complete, time.monotonic() - started)


def norms_of(lab: Lab, sections: Iterable[str]) -> list[Norm]:
    """The norms of these sections, with the general rules as `general` and the rulings as `rulings`."""
    wanted = {each.lower() for each in sections}
    return [norm for norm in lab.program.norms.values() if section_of(norm) in wanted]


def section_of(norm: Norm) -> str:
    """The section that a norm stands in: the folder of its file."""
    folder, slash, _ = norm.file.partition("/")
    return folder if slash else norm.file.removesuffix(".lp")


def _has_rules(lab: Lab, norm: str) -> bool:
    """Whether a norm has a rule that can fire at all."""
    return any(rule.norm == norm and rule.literals for rule in lab.program.source.rules)


def _speaks(lab: Lab, norm: str) -> bool:
    rules = [rule for rule in lab.program.source.rules if rule.norm == norm and rule.literals]
    heads = {head.name for rule in rules for head in rule.heads}
    return heads <= _SPEAKING and "violates" not in heads
