"""Permitted ends of whole paths, for kinds of steps with rules about them, such as a rout (A10.51)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import clingo

from rules_asp.explain.proof import Evidence, value_goals
from rules_asp.explain.unknown import Reason, UnknownReasons
from rules_asp.game.grid import Location
from rules_asp.game.values import to_symbol
from rules_asp.game.vocabulary import NO, YES
from rules_asp.knowledge.program import value_signatures
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.position import Position
from rules_asp.queries.paths import ShortestPaths
from rules_asp.queries.steps import ReachedLocation


def judges_ends(position: Position, by: str) -> bool:
    """Test whether rules decide where a path of such steps may end."""
    return any(str(each) == by for (each,) in position.cases[0].get("ends_judged", 1))


def path_search_facts(position: Position, by: str, units: Iterable[str]) -> list[clingo.Symbol]:
    """Return the facts of a question about whole paths, if rules decide where these may end."""
    if not judges_ends(position, by):
        return []
    return [clingo.Function("path_search", [clingo.String(unit)]) for unit in units]


@dataclass(frozen=True)
class PathEnd:
    """Whether units may end a path in a Location, the deciding norms, and the reasons if it is
    unknown."""

    legal: bool | None
    norms: tuple[str, ...] = ()
    unknown: tuple[Reason, ...] = ()


@dataclass(frozen=True)
class PathEnds:
    """The verdicts on path ends, with their answer sets."""

    ends: Mapping[Location, PathEnd]
    topics: Mapping[Location, Sequence[clingo.Symbol]]
    rests_on: Evidence

    def evidence(self, places: Iterable[Location]) -> Evidence:
        """Return the evidence of the verdicts on these Locations."""
        topics = [topic for place in places for topic in self.topics.get(place, ())]
        return self.rests_on.of(value_goals(topics, self.rests_on.answers))


def judge_ends(
    position: Position, units: Sequence[str], by: str, routes: ShortestPaths
) -> PathEnds:
    """Judge each Location that a path leads, or may lead, to."""
    facts, places = [], []
    for each in (*routes.reached(), *routes.perhaps()):
        places.append(each.to)
        where = to_symbol(each.to, "location")
        least, most = (each.at_least or 0, each.at_most) if each.mf is None else (each.mf, each.mf)
        certain = most is not None and each.to in routes.known
        bounds = [clingo.Number(least), *([clingo.Number(most or 0)] if certain else [])]
        name = "path_to" if certain else "maybe_path_to"
        facts += [clingo.Function(name, [clingo.String(unit), where, *bounds]) for unit in units]
    topics = {
        place: [
            clingo.Function(
                "path_end", [clingo.Function(by), clingo.String(unit), to_symbol(place, "location")]
            )
            for unit in units
        ]
        for place in places
    }
    facts += [clingo.Function("asked", [each]) for several in topics.values() for each in several]
    question = QueryFacts(tuple(facts))
    answers = position.ask(value_signatures(("path_end", 3)), question, local=True)
    doubts = [UnknownReasons(position, answer) for answer in answers]
    ends = {place: _path_end(answers, doubts, several) for place, several in topics.items()}
    return PathEnds(ends, topics, Evidence(position, (), answers))


def _path_end(
    answers: Sequence[AnswerSet],
    doubts: Sequence[UnknownReasons],
    topics: Sequence[clingo.Symbol],
) -> PathEnd:
    """Return the verdict on one Location for all units, over all cases."""
    told = {topic: {str(answer.values.get(topic)) for answer in answers} for topic in topics}
    norms = dict.fromkeys(
        atom.arguments[0].string
        for answer in answers
        for topic in topics
        for atom in answer.atoms_of("undefeated_value", 3, topic)
    )
    if {NO} in told.values():
        return PathEnd(False, tuple(norms))
    if all(each == {YES} for each in told.values()):
        return PathEnd(True, tuple(norms))
    reasons = dict.fromkeys(why for each in doubts for topic in topics for why in each.of(topic))
    return PathEnd(None, tuple(norms), tuple(reasons))


Reached = tuple[ReachedLocation, ...]


def by_end(
    reached: Reached, perhaps: Reached, ends: Mapping[Location, PathEnd]
) -> tuple[Reached, Reached, Reached]:
    """Return the Locations where a path may end, where it possibly may, and where it may not."""

    def sorted_by(legal: bool | None, some: Reached) -> Iterator[ReachedLocation]:
        for each in some:
            end = ends.get(each.to)
            if (True if end is None else end.legal) is legal:
                unknown = () if end is None else end.unknown
                yield replace(each, unknown=(*each.unknown, *unknown)) if unknown else each

    open_ = (*sorted_by(None, reached), *sorted_by(True, perhaps), *sorted_by(None, perhaps))
    return (
        tuple(sorted_by(True, reached)),
        tuple(sorted(open_, key=ReachedLocation.sort_key)),
        tuple(sorted_by(False, reached)),
    )
