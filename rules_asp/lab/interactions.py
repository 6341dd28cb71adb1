"""`lab meet` and `lab interactions`: where two norms decide the same question, and which one wins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations

import clingo

from rules_asp.game.query import Query
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.rules import SIGHT, SIGHT_PLACE, Functor, Signature, topic_kind
from rules_asp.lab.audits import possible_among
from rules_asp.lab.generator import (
    BoardModel,
    Generator,
    signature_pattern,
)
from rules_asp.lab.goals import (
    GoalRules,
    GoalTemplate,
    NormGoal,
    SearchGoal,
    Suspect,
    goal_of,
    goal_rules,
    kind_of,
    merged,
    norms_by_kind,
    suspect_facts,
    suspected,
)
from rules_asp.lab.precedence import Rank, Ranks, decisive_norms, ranks_of
from rules_asp.lab.report import SearchReport, report
from rules_asp.lab.search import Search
from rules_asp.lab.witness import GoalWitness, SiteFinding, WitnessEvidence, query_of
from rules_asp.positions.locations import QuestionError

# --- Interactions: whether two norms are about one topic, and which one wins.


#: The relations between two norms, with the predicates that show them: first norm to second.
RELATIONS = {
    "overrides": "the first wins over the second, which says something there",
    "ruled": "a ruling lets the first win over the second, which says something there",
    "lifts": "the first lifts the second, which speaks there",
    "clash": "they give different answers, and neither wins",
    "contested": "the first allows what the second forbids, and neither wins",
    "agree": "they give the same answer",
    "add": "both are parts of one sum",
    "meet": "both bear on one question",
}
_BEATS = ("overrides", "lifts")
#: The relations that are of the first norm to the second.
_DIRECTED = (*_BEATS, "contested")
#: The predicates of relations that a proof can exclude.
_CONTRADICTIONS = ("conflict", "contested")
#: Two norms count on one topic only if neither wins over the other (kb/CALCULUS.md).
_BOTH_COUNT = "(@kind({topic}),N,M)) :- pair(N,M), not wins(N,M), not wins(M,N), N < M, "
_PAIRS = (
    GoalTemplate(
        "goal(overrides(@kind({topic}),N,M)) :-"
        " pair(N,M), prevails(N,M), defeated(M,{topic},N), not lifts(N,M,{topic}).",
        (("defeated", 3), ("lifts", 3)),
    ),
    GoalTemplate(
        "goal(lifts(@kind({topic}),N,M)) :-"
        " pair(N,M), defeated(M,{topic},N), lifts(N,M,{topic}), speaks(M,{topic}).",
        (("defeated", 3), ("lifts", 3)),
    ),
    GoalTemplate(
        "goal(clash(@kind({topic}),N,M)) :- pair(N,M), conflict({topic},N,M), N < M.",
        (("conflict", 3),),
    ),
    GoalTemplate(
        "goal(contested(@kind({topic}),N,M)) :- pair(N,M), contested({topic},N,M).",
        (("contested", 3),),
    ),
    GoalTemplate(
        "goal(agree"
        + _BOTH_COUNT
        + "undefeated_value(N,{topic},V), undefeated_value(M,{topic},V).",
        (("undefeated_value", 3),),
    ),
    GoalTemplate(
        "goal(agree" + _BOTH_COUNT + "illegal({topic},N), illegal({topic},M).",
        (("illegal", 2),),
    ),
    GoalTemplate(
        "goal(agree" + _BOTH_COUNT + "permitted({topic},N), permitted({topic},M).",
        (("permitted", 2),),
    ),
    GoalTemplate(
        "goal(agree(@kind({topic}),N,M)) :- pair(N,M), stopped({topic},N,_), stopped({topic},M,_), N < M.",
        (("stopped", 3),),
    ),
    GoalTemplate(
        "goal(add"
        + _BOTH_COUNT
        + "undefeated_addend({topic},N,_,_), undefeated_addend({topic},M,_,_).",
        (("undefeated_addend", 4),),
    ),
    GoalTemplate(
        "goal(add(@kind({topic}),N,M)) :-"
        " pair(N,M), hindered({topic},N,_,_), hindered({topic},M,_,_), N < M.",
        (("hindered", 4),),
    ),
)
#: Any two examined norms. Facts would be 10,000s of pairs.
_ANY_PAIR = "examined(N), examined(M), N != M"
#: A lift covers everything it might concern; two norms meet only if the lifted one asserts
#: something.
_SPEAKS = (
    "#defined lifts/3. #defined bears/2. #defined blocks/3. #defined hinders/4.",
    "speaks(M,T) :- examined(M), bears(T,M).",
    "speaks(M,T) :- examined(M), lifts(M,_,T).",
    "speaks(M,at(S,W)) :- examined(M), blocks(M,S,W).",
    "speaks(M,at(S,W)) :- examined(M), hinders(M,S,W,_).",
    # A norm about an LOS at one place is about the LOS.
    "speaks(M,S) :- speaks(M,at(S,_)).",
    # The ways to defeat a norm other than a lift (kb/CALCULUS.md).
    "#defined yields/1. #defined defeated/3.",
    "prevails(N,M) :- wins(N,M).",
    "prevails(N,M) :- yields(M), examined(N).",
    "prevails(N,M) :- defeated(M,at(_,_),N).",
)


@dataclass(frozen=True)
class Interaction:
    """A relation between two norms on a kind of question, with the smallest board that shows it.

    because: if one overrides the other, the ranks that lead to it, step by step.
    """

    relation: str
    topic: str
    one: str
    other: str
    where: str
    shown: GoalWitness | None = None
    because: tuple[Rank, ...] = ()


def interaction_of(
    search: Search, one: Sequence[str], other: Sequence[str]
) -> SearchReport[Interaction]:
    """Search all interactions between two groups of norms, each with its smallest board.

    QuestionError if there are no two norms, and if nothing was found because no searched board or
    event has the subject of one group.
    """
    both = {(mine, theirs) for mine in one for theirs in other if mine != theirs}
    if not both:
        raise QuestionError(f"{', '.join(one)} is given twice: name two different rules")
    pairs = sorted(both | {(theirs, mine) for mine, theirs in both})
    norms = tuple(dict.fromkeys((*one, *other)))
    found = _meetings(search, interaction_goal(search.lab, norms, pairs), True)
    if not found.found and found.whole:
        there = possible_among(search, norms)
        for side in (one, other):
            if there.isdisjoint(side):
                raise QuestionError(
                    f"nothing was searched: within these limits, no board and no situation involves"
                    f" {', '.join(side)}"
                )
    return found


def interactions(
    search: Search,
    norms: Iterable[str],
    suspects: Collection[Suspect] | None = None,
    disjoint: Collection[Suspect] = (),
) -> SearchReport[Interaction]:
    """Return all relations between any two of these norms, without boards.

    Cached results of the same rules and limits are reused. suspects: the only pairs that may
    contradict each other. disjoint: pairs that never assert something about one topic of a kind.
    """
    look = interaction_goal(search.lab, norms, suspects=suspects, disjoint=disjoint)
    return _meetings(replace(search, resume=True), look, False)


def _without_mere_meetings(meetings: Iterable[Interaction]) -> Iterator[Interaction]:
    """Yield the interactions to report; a mere meeting is left out if a closer relation was found."""
    known: set[tuple[str, frozenset[str]]] = set()
    for each in meetings:
        both = each.topic, frozenset((each.one, each.other))
        if each.relation != "meet" or both not in known:
            yield each
        known.add(both)


def _meetings(search: Search, look: SearchGoal, boards: bool) -> SearchReport[Interaction]:
    search = replace(search, look=look)
    make = partial(_meeting, ranks_of(search.lab.program), search)
    found = report(search, make, _order, boards)
    return replace(found, found=tuple(_without_mere_meetings(found.found)))


def _meeting(
    ranks: Ranks, search: Search, found: SiteFinding, shown: GoalWitness | None
) -> Interaction:
    goal = clingo.parse_term(found.goal)
    topic, one, other = goal.arguments
    pair = (one.string, other.string)
    beats = goal.name in _BEATS
    because = ranks.path(*pair, search.bounds.without) if beats else ()
    relation = "ruled" if any(each.by.startswith("R-") for each in because) else goal.name
    return Interaction(relation, str(topic), *pair, str(found.spot), shown, because)


def _order(each: Interaction) -> tuple[int, str, str, str]:
    return list(RELATIONS).index(each.relation), each.topic, each.one, each.other


def interaction_goal(
    lab: Generator,
    norms: Iterable[str],
    pairs: Iterable[tuple[str, str]] | None = None,
    suspects: Collection[Suspect] | None = None,
    disjoint: Collection[Suspect] = (),
) -> SearchGoal:
    """Return the goal for these pairs, with boards. Without pairs: for all of these norms, no boards.

    suspects, disjoint: see `interactions`.
    """
    norms = tuple(norms)
    pairs = tuple(pairs or ())
    facts = [f'examined("{norm}").' for norm in norms]
    facts += [f'pair("{one}","{other}").' for one, other in pairs]
    both = {
        kind: [
            pair
            for pair in pairs or combinations(sorted(found.intersection(norms)), 2)
            if found.issuperset(pair) and (kind[0], *pair) not in disjoint
        ]
        for kind, found in norms_by_topic_kind(lab).items()
    }
    about = {kind: {*chain(*found)} for kind, found in both.items() if found}
    # A lift of what blocks LOS at one place is about the LOS.
    places = {SIGHT_PLACE} if SIGHT in about else set()
    pair = "pair(N,M)" if pairs else _ANY_PAIR
    templates = [each._replace(rule=each.rule.replace("pair(N,M)", pair)) for each in _PAIRS]
    if suspects is not None:
        facts.append(suspect_facts(suspects))
        templates = [
            suspected(each, suspects) if each.reads[0][0] in _CONTRADICTIONS else each
            for each in templates
        ]
    derived = {template: lab.kinds(*template.reads[0]) for template in templates}
    found = []
    for functor in sorted(about.keys() | places):
        rules = [each.about(functor) for each in templates if functor in derived[each]]
        if functor in about:
            rules += _meeting_rules(lab, functor, pair)
        named = both[topic_kind(functor)]
        rules = [replace(rule, goals=_goals(rule, functor, named)) for rule in rules]
        if pairs:
            # Boards are shown with the answer at which two norms meet.
            answers = tuple(Signature(*signature, functor) for signature in _ANSWERS)
            rules = [replace(rule, wanted=(*rule.wanted, *answers)) for rule in rules]
        found.append(merged(rules))
    look = goal_of(lab, found, lenient=False, decisive=decisive_norms(lab, about))
    look = replace(look, once=not pairs)
    facts = [*facts, *_SPEAKS]
    return replace(look, facts="\n".join(facts), evidence=_evidence, reads=_READ)


def _goals(
    rule: GoalRules, functor: Functor, pairs: Iterable[tuple[str, str]]
) -> frozenset[NormGoal]:
    """Return the goals of a rule about a kind of topics: one for each pair of norms.

    Other rules of goals read the rule if it has none. If the kind has words, no found goal has such
    a key.
    """
    if rule.goals is not None:
        return rule.goals
    relation = rule.rules.removeprefix("goal(").partition("(")[0]
    ways = [(pair, pair[::-1]) if relation in _DIRECTED else (pair,) for pair in pairs]
    return frozenset(
        NormGoal(f'{relation}({functor[0]},"{one}","{other}")', (one, other), functor)
        for one, other in chain(*ways)
    )


def _meeting_rules(lab: Generator, functor: Functor, pair: str) -> Iterator[GoalRules]:
    """Yield the rules for two norms that apply to one topic of a kind."""
    nodes = [Signature(*each.signature, functor) for each in calculus().answering_heads]
    nodes = [node for node in nodes if node in lab.heads]
    for node in nodes:
        yield replace(goal_rules(_bears(node), [node]), goals=frozenset())
    about = signature_pattern(functor)
    yield goal_rules(
        f"goal(meet(@kind({about}),N,M)) :- {pair}, bears({about},N), bears({about},M), N < M.",
        nodes,
    )


def norms_by_topic_kind(lab: Generator) -> dict[Functor, set[str]]:
    """Return the norms of each kind of topic, by their heads."""
    topical = {"lifts", *(each.name for each in calculus().answering_heads)}
    return {kind: norms for kind, norms in norms_by_kind(lab, topical).items() if kind}


def _bears(node: Signature) -> str:
    """Return the atom that shows that a norm applies to a topic."""
    assert node.topic is not None
    rest = ",_" * (node.arity - 2)
    topic = signature_pattern(node.topic)
    # The topic comes first: its kind is the key of a trigger.
    return f"bears({topic},N) :- {node.name}(N,{topic}{rest})."


def _evidence(model: BoardModel) -> WitnessEvidence:
    """Return the evidence: the answer at which the two norms meet."""
    about, one, other = model.goal.arguments
    name = model.goal.name
    bearing: dict[clingo.Symbol, set[clingo.Symbol]] = {}
    for atom in model.symbols:
        if atom.name == "bears" and kind_of(atom.arguments[0]) == about:
            bearing.setdefault(atom.arguments[0], set()).add(atom.arguments[1])
        if atom.name == name == "contested" and [*atom.arguments[1:]] == [one, other]:
            return WitnessEvidence(query_of(atom))
        clash = atom.name == "conflict" and name == "clash"
        if clash and atom.arguments[1:] == [one, other] and kind_of(atom.arguments[0]) == about:
            return WitnessEvidence(query_of(atom))
        if atom.name == "defeated" and name in _BEATS:
            loser, where, winner = atom.arguments
            if (loser, winner) != (other, one) or kind_of(where) != about:
                continue
            if where.name != "at":
                return WitnessEvidence(query_of(atom))
            query = answer_on(where.arguments[0], model.symbols)
            if query is not None:
                return WitnessEvidence(query, (loser.string, winner.string))
    for where, norms in sorted(bearing.items()):
        if {one, other} <= norms and (query := answer_on(where, model.symbols)) is not None:
            return WitnessEvidence(query)
    raise AssertionError(f"no rule of the lab describes the goal {model.goal}")


#: The atoms that answer a question, best first.
_ANSWERS = (
    *(("total", 2), ("is", 2), ("unknown", 2), ("illegal", 2), ("legal", 1)),
    *(("hindrance", 2), ("stopped", 3), ("sees", 1)),
)
#: The predicates that `_evidence` reads.
_READ = (*_ANSWERS, ("bears", 2), *((name, 3) for name in (*_CONTRADICTIONS, "defeated")))


def answer_on(topic: clingo.Symbol, symbols: Iterable[clingo.Symbol]) -> Query | None:
    """Return the answer of a model to a topic, action or LOS, as a query."""
    found = {
        (atom.name, len(atom.arguments)): atom
        for atom in symbols
        if atom.arguments and atom.arguments[0] == topic
    }
    return next((query_of(found[each]) for each in _ANSWERS if each in found), None)
