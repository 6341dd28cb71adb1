"""Which of the norms that two answers rest on are not the same in two sets of rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rules_asp.knowledge.cites import Citations
from rules_asp.knowledge.program import Program


def changed_among(one: Program, other: Program, cites: Iterable[Citations]) -> Iterator[str]:
    """The norms that are cited and that both have, each with other rules."""
    for norm in dict.fromkeys(norm for each in cites for norm in each.norms):
        mine, theirs = (_rules(program, norm) for program in (one, other))
        if mine and theirs and mine != theirs:
            yield norm


def single_among(
    one: Callable[[str], bool], other: Callable[[str], bool], cites: Iterable[Citations]
) -> Iterator[str]:
    """The norms that are cited and that only one has in force, as these tell."""
    for norm in dict.fromkeys(norm for each in cites for norm in each.norms):
        if one(norm) != other(norm):
            yield norm


def _rules(program: Program, norm: str) -> frozenset[str]:
    return frozenset(rule.text for rule in program.source.rules if rule.norm == norm)
