"""Clashes of the rules: two norms, neither of them beaten, that answer one question differently."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import clingo

from rules_asp.answers.asking import ask
from rules_asp.lab.boards.findings import GoalWitness, SiteFinding
from rules_asp.lab.boards.spots import BoardModel
from rules_asp.lab.boards.topic_kinds import kind_of
from rules_asp.lab.boards.witnesses import query_of
from rules_asp.lab.boards.world import Generator
from rules_asp.lab.searching.courses import SearchReport, report
from rules_asp.lab.searching.goals import CLASH, CONTESTED, search_goal_for
from rules_asp.lab.searching.search import Search
from rules_asp.parser import parse
from rules_asp.positions.places import QuestionError
from rules_asp.positions.prepared import prepare
from rules_asp.terms.query import Query


@dataclass(frozen=True)
class ConflictFinding:
    """Two norms that clash, on what kind of question, and the smallest board that shows it.

    settled: the rulings that say which of them wins.
    """

    topic: str
    one: str
    other: str
    where: str
    shown: GoalWitness | None
    settled: tuple[str, ...] = ()


def conflicts(search: Search, review: bool = False) -> SearchReport[ConflictFinding]:
    """All clashes; `review`: what one norm allows and another forbids, with no precedence."""
    look = search_goal_for(search.lab, [CONTESTED if review else CLASH])
    search = replace(search, look=replace(look, evidence=evidence))

    def clash(found: SiteFinding, shown: GoalWitness | None) -> ConflictFinding:
        topic, one, other = clingo.parse_term(found.goal).arguments
        settled = tuple(settling(search.lab, one.string, other.string))
        if not settled and shown is not None and search.bounds.without:
            settled = tuple(settling_there(search, shown))
        return ConflictFinding(
            str(topic), one.string, other.string, str(found.spot), shown, settled
        )

    return report(search, clash, lambda each: (each.topic, each.one, each.other))


def evidence(model: BoardModel) -> Query:
    """What is asked to show that two norms clash, or that one allows what the other forbids."""
    kind, one, other = model.goal.arguments
    name = "conflict" if model.goal.name == "clash" else "contested"
    for atom in model.symbols:
        about = atom.arguments[1:] if atom.name == name else []
        if about == [one, other] and kind_of(atom.arguments[0]) == kind:
            return query_of(atom)
    raise AssertionError(f"{model.goal} is shown by nothing")


def settling(lab: Generator, one: str, other: str) -> Iterable[str]:
    """The rulings by which one of two norms wins over the other."""
    for ruling, winner, loser in lab.rulings:
        if {winner, loser} == {one, other}:
            yield ruling


def settling_there(search: Search, shown: GoalWitness) -> Iterable[str]:
    """The rulings that keep two norms from clashing on a board, where none is about the two of them.

    They are found by trying: of these none can be left off, or the two clash there.
    """
    board = parse(shown.witness.plain)
    off = search.bounds.without

    def clashes(on: tuple[str, ...]) -> bool:
        without = tuple(each for each in off if each not in on)
        try:
            here = prepare(board, search.lab.program, without)
            return ask(here, shown.witness.query, cite=False).holds is True
        except QuestionError:
            return False

    def least(some: tuple[str, ...], with_: tuple[str, ...], new: bool) -> tuple[str, ...]:
        if new and not clashes(with_):
            return ()
        if len(some) == 1:
            return some
        one, two = some[: len(some) // 2], some[len(some) // 2 :]
        second = least(two, (*with_, *one), True)
        return (*least(one, (*with_, *second), bool(second)), *second)

    return () if clashes(off) else least(off, (), False)
