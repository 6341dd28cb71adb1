"""Which norms do nothing: they never fire, they never win, or they say only what another says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import clingo

from rules_asp.knowledge.source import DEED_HEADS, TOPIC_HEADS
from rules_asp.knowledge.tags import Norm
from rules_asp.lab.courses import report
from rules_asp.lab.goals import ALONE, COUNTS, firing, joined, looks
from rules_asp.lab.search import Search
from rules_asp.lab.world import Bounds, Lab
from rules_asp.parser.errors import nearest
from rules_asp.positions.places import QuestionError

#: Heads by which a norm speaks for itself, and not by what others read.
_SPEAKING = {*TOPIC_HEADS, *DEED_HEADS, "blocks", "clears", "hinders", "lifts", "violates"}


@dataclass(frozen=True)
class Dead:
    """Norms, by id, that do nothing on any board within the bounds.

    What could not be decided in time is not told. Of `beaten` and `repeating` only norms are told that
    speak for themselves: what a norm gives to other rules to read may matter there.
    """

    bounds: Bounds
    norms: int
    silent: tuple[str, ...]
    beaten: tuple[str, ...]
    repeating: tuple[str, ...]
    complete: bool
    seconds: float


def dead(search: Search, of: Iterable[str]) -> Dead:
    """Which of these norms do nothing."""
    lab = search.lab
    asked = [norm for norm in of if _has_rules(lab, norm)]
    look = joined(firing(lab, asked), looks(lab, COUNTS), looks(lab, ALONE))
    told = report(replace(search, look=look), lambda found, _: found.goal, str, boards=False)
    found: dict[str, set[str]] = {"fires": set(), "counts": set(), "alone": set()}
    for goal in map(clingo.parse_term, (*told.found, *told.undecided)):
        found[goal.name].add(goal.arguments[0].string)
    speaking = [norm for norm in asked if _speaks(lab, norm)]
    silent = tuple(norm for norm in asked if norm not in found["fires"])
    beaten = tuple(
        norm for norm in speaking if norm in found["fires"] and norm not in found["counts"]
    )
    repeating = tuple(
        norm for norm in speaking if norm in found["counts"] and norm not in found["alone"]
    )
    return Dead(search.bounds, len(asked), silent, beaten, repeating, told.complete, told.seconds)


def norms_of(lab: Lab, sections: Iterable[str]) -> list[Norm]:
    """The norms of these sections, with the general rules as `general` and the rulings as `rulings`."""
    wanted = {each.lower() for each in sections}
    return [norm for norm in lab.program.norms.values() if section_of(norm) in wanted]


def known(lab: Lab, norm: str) -> Norm:
    """The norm of this id; QuestionError where there is none."""
    norms = {each.upper(): each for each in lab.program.norms}
    found = norms.get(norm.upper())
    if found is None:
        near = nearest(norm, lab.program.norms)
        hint = f"; did you mean {near}?" if near else ""
        raise QuestionError(f"there is no norm {norm}{hint}")
    return lab.program.norms[found]


#: What one's own rules are called among the sections.
OWN = "own"


def section_of(norm: Norm) -> str:
    """The section that a norm stands in: the folder of its file; `own` for one's own rules."""
    if norm.own:
        return OWN
    folder, slash, _ = norm.file.partition("/")
    return folder if slash else norm.file.removesuffix(".lp")


def _has_rules(lab: Lab, norm: str) -> bool:
    """Whether a norm has a rule that can fire at all."""
    return any(rule.norm == norm and rule.literals for rule in lab.program.source.rules)


def _speaks(lab: Lab, norm: str) -> bool:
    rules = [rule for rule in lab.program.source.rules if rule.norm == norm and rule.literals]
    heads = {head.name for rule in rules for head in rule.heads}
    return heads <= _SPEAKING and "violates" not in heads
