"""Clashes of the rules: two norms, neither of them beaten, that answer one question differently."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import clingo

from rules_asp.lab.goals import CLASH, CONTESTED, looks
from rules_asp.lab.runs import Model, kind_of
from rules_asp.lab.search import Found, Report, Search, Shown, report
from rules_asp.lab.witnesses import query_of
from rules_asp.lab.world import Lab
from rules_asp.terms.query import Query


@dataclass(frozen=True)
class Clash:
    """Two norms that clash, on what kind of question, and the smallest board that shows it.

    settled: the rulings that say which of them wins.
    """

    topic: str
    one: str
    other: str
    where: str
    shown: Shown | None
    settled: tuple[str, ...] = ()


def conflicts(search: Search, review: bool = False) -> Report[Clash]:
    """All clashes; `review`: what one norm allows and another forbids, with no precedence."""
    look = looks(search.lab, [CONTESTED if review else CLASH])
    search = replace(search, look=replace(look, evidence=evidence))

    def clash(found: Found, shown: Shown | None) -> Clash:
        topic, one, other = clingo.parse_term(found.goal).arguments
        settled = tuple(settling(search.lab, one.string, other.string))
        return Clash(str(topic), one.string, other.string, str(found.spot), shown, settled)

    return report(search, clash, lambda each: (each.topic, each.one, each.other))


def evidence(model: Model) -> Query:
    """What is asked to show that two norms clash, or that one allows what the other forbids."""
    kind, one, other = model.goal.arguments
    name = "conflict" if model.goal.name == "clash" else "contested"
    for atom in model.symbols:
        about = atom.arguments[1:] if atom.name == name else []
        if about == [one, other] and kind_of(atom.arguments[0]) == kind:
            return query_of(atom)
    raise AssertionError(f"{model.goal} is shown by nothing")


def settling(lab: Lab, one: str, other: str) -> Iterable[str]:
    """The rulings by which one of two norms wins over the other."""
    for ruling, winner, loser in lab.rulings:
        if {winner, loser} == {one, other}:
            yield ruling
