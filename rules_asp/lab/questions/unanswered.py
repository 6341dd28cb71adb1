"""Questions that a board can raise and no norm answers; Locations that no step leads to."""

from __future__ import annotations

from dataclasses import dataclass, replace

import clingo

from rules_asp.answers.unknowns import Reason, parse_reason
from rules_asp.knowledge.source import Signature
from rules_asp.lab.boards.findings import GoalWitness, SiteFinding
from rules_asp.lab.boards.spots import BoardModel
from rules_asp.lab.boards.topic_kinds import kind_of
from rules_asp.lab.boards.witnesses import WitnessEvidence, any_query, query_of
from rules_asp.lab.questions.norms import norms_of
from rules_asp.lab.searching.aims import GoalRules, SearchGoal
from rules_asp.lab.searching.courses import SearchReport, report
from rules_asp.lab.searching.goals import GAP, SILENT, search_goal_for
from rules_asp.lab.searching.search import Search
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import Argument, DeedQuery, FunctionTerm, Query, QueryLiteral
from rules_asp.terms.reading import argument_from_symbol


@dataclass(frozen=True)
class Gap:
    """A kind of question without answer, and the smallest board that raises it.

    norm, why: the norm that leaves it open, and for what reason; None where no norm speaks at all.
    """

    topic: str
    norm: str | None
    why: Reason | None
    where: str
    shown: GoalWitness | None


def gaps(search: Search, stated: bool = False) -> SearchReport[Gap]:
    """What should have an answer and has none; `stated`: what norms leave open, with their reasons."""
    look = search_goal_for(search.lab, [SILENT] if stated else GAP)
    return _gaps(replace(search, look=replace(look, evidence=_gap, facts=away(search))))


def away(search: Search) -> str:
    """The norms of sections that are not in force, as facts."""
    sections = {*vocabulary().words["section"]} - {*search.bounds.sections}
    return "".join(f'away("{norm.id}").' for norm in norms_of(search.lab, sections))


def unreachable(search: Search, boards: bool = True) -> SearchReport[Gap]:
    """The kinds of Locations that one would expect to reach, and that no way of legal steps leads a
    squad to.

    What is expected kb/lab/reach.lp says; what is not known to be reached or not is not told.
    """
    rules = (
        "goal(unreachable(L,K)) :- missed(l(H,L)), is(btype(H),K).\n"
        "goal(unreachable(L,none)) :- missed(l(H,L)), not is(btype(H),_)."
    )
    wanted = (Signature("missed", 1), Signature("is", 2, ("btype", 1)))
    look = SearchGoal(
        {"question": GoalRules(rules, wanted)}, evidence=_unreached, events=("reach",)
    )
    return _gaps(replace(search, look=look), boards)


def _gaps(search: Search, boards: bool = True) -> SearchReport[Gap]:
    def gap(found: SiteFinding, shown: GoalWitness | None) -> Gap:
        goal = clingo.parse_term(found.goal)
        topic, *rest = goal.arguments
        if goal.name == "unreachable":
            return Gap(f"{topic} of {rest[0]}", None, None, str(found.spot), shown)
        norm, why = (rest[0].string, parse_reason(rest[1])) if rest else (None, None)
        return Gap(str(topic), norm, why, str(found.spot), shown)

    return report(search, gap, lambda each: (each.topic, each.norm or "", str(each.why)), boards)


def _gap(model: BoardModel) -> Query:
    """That the topic has no value, or that nothing is known of it."""
    about = model.goal.arguments[0]
    silent = model.goal.name == "silent"
    true = set(model.symbols)
    answered = {each.arguments[0] for each in true if each.name in ("is", "summed", "open")}
    for atom in sorted(model.symbols):
        if atom.name == "unknown" and kind_of(atom.arguments[0]) == about:
            topic, why = atom.arguments
            if silent and why == model.goal.arguments[2]:
                said = clingo.Function("silent", [model.goal.arguments[1], topic, why])
                if said in true:
                    (unknown,) = query_of(atom).literals
                    assert isinstance(unknown, QueryLiteral)
                    # A reason may hold words of the text's own, which no question can name.
                    return Query((replace(unknown, args=(unknown.args[0], any_query("reason"))),))
            elif not silent and str(why) == "no_norm":
                return query_of(atom)
        if not silent and atom.name == "due" and kind_of(atom.arguments[0]) == about:
            topic = atom.arguments[0]
            if topic not in answered:
                entry = vocabulary().topics[topic.name]
                args = tuple(map(argument_from_symbol, topic.arguments, entry.kinds))
                return Query(
                    (QueryLiteral(topic.name, args, any_query(entry.value), negated=True),)
                )
    raise AssertionError(f"{model.goal} is shown by nothing")


def _unreached(model: BoardModel) -> WitnessEvidence:
    """That the Location is there, and that the squad is not let go to it."""
    floor = model.goal.arguments[0]
    for atom in sorted(model.symbols):
        if atom.name == "missed" and atom.arguments[0].arguments[1] == floor:
            place = argument_from_symbol(atom.arguments[0], "location")
            step = FunctionTerm(
                "step",
                (
                    Argument("move", "by"),
                    Argument("A", "unit"),
                    any_query("location"),
                    place,
                    any_query("way"),
                ),
            )
            there = query_of(clingo.Function("location", [atom.arguments[0]]))
            return WitnessEvidence(there, refused=(DeedQuery(Argument(step, "deed")),))
    raise AssertionError(f"{model.goal} is shown by nothing")
