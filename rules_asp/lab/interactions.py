"""`lab meet` and `lab interactions`: where two norms decide the same question, and which one wins.

A cached result for two norms is valid while their fingerprints stay the same: their own rules, the
rules that name them (precedence, rulings), and those of the notions that they use. Answers of other
norms do not matter. The search runs again if one of the two has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations

import clingo

from rules_asp.game.query import Query
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.rules import SIGHT, Functor, KnowledgeBase, Rule, Signature
from rules_asp.knowledge.terms import strings
from rules_asp.lab.audits import possible_among
from rules_asp.lab.generator import (
    AT,
    BoardModel,
    Generator,
    SearchBounds,
    SearchSite,
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
    goal_text,
    kind_of,
    merged,
    norms_by_kind,
    suspect_facts,
    suspected,
)
from rules_asp.lab.precedence import Rank, Ranks, decisive_norms, ranks_of
from rules_asp.lab.report import SearchProgress, SearchReport, report
from rules_asp.lab.search import Search, SiteCache
from rules_asp.lab.witness import GoalWitness, SiteFinding, SiteOutcome, WitnessEvidence, query_of
from rules_asp.positions.locations import QuestionError
from rules_asp.runtime import cache

# --- The cache: norms that meet at each site. A result for two unchanged norms is reused after
# changes of other rules.


#: Files whose rules belong to norms; all others are calculus, vocabulary and generator.
_SECTIONS = ("precedence", "rulings")


@dataclass(frozen=True)
class SiteInteractions:
    """The results at a site: goals and undecided goals, with the fingerprints of the norms."""

    stood: Mapping[str, str]
    goals: tuple[str, ...]
    undecided: tuple[str, ...]


class InteractionCache(SiteCache):
    """The cache of interactions at the sites of a search within these limits."""

    def __init__(self, lab: Generator, bounds: SearchBounds, norms: Iterable[str]) -> None:
        self.stands = norm_fingerprints(lab.program.source, norms)
        common = (rule.text for rule in lab.rules if not _of_a_norm(rule))
        known = (repr(bounds), *dict.fromkeys(common), *map(str, lab.facts))
        super().__init__("pairs", map(str.encode, known))

    def get(self, spot: SearchSite) -> SiteInteractions | None:
        """Return the cached result at a site; None if there is none."""
        with suppress(ValueError, TypeError):
            stood, goals, undecided = self.load(spot)
            return SiteInteractions(dict(stood), tuple(goals), tuple(undecided))
        return None

    def changed(self, met: SiteInteractions) -> frozenset[str]:
        """Return the norms that have changed since."""
        return frozenset(norm for norm, now in self.stands.items() if met.stood.get(norm) != now)

    def kept(self, met: SiteInteractions) -> SiteInteractions:
        """Return the results about two unchanged norms."""
        anew = self.changed(met)

        def stands(goal: str) -> bool:
            _, *pair = clingo.parse_term(goal).arguments
            return all(n.string in self.stands and n.string not in anew for n in pair)

        return SiteInteractions(
            self.stands, tuple(filter(stands, met.goals)), tuple(filter(stands, met.undecided))
        )

    def put(self, spot: SearchSite, goals: Iterable[str], undecided: Iterable[str]) -> None:
        """Store the results at a site for all these norms."""
        rows = tuple(sorted(self.stands.items())), tuple(sorted(goals))
        self.store(spot, (*rows, tuple(sorted(undecided))))


def norm_fingerprints(source: KnowledgeBase, norms: Iterable[str]) -> dict[str, str]:
    """Return a fingerprint of each norm, which changes when its rules change."""
    own: dict[str, list[Rule]] = {norm: [] for norm in norms}
    notions: dict[Signature, list[Rule]] = {}
    for rule in source.rules:
        if not _of_a_norm(rule):
            continue
        named = [text for text in strings(rule.top, rule.literals) if text in own]
        for norm in dict.fromkeys((*named, *([rule.norm] if rule.norm in own else ()))):
            own[norm].append(rule)
        for head in rule.heads:
            if head.name not in calculus().key_place:
                notions.setdefault(head, []).append(rule)
    digests: dict[str, str] = {}
    for norm, rules in own.items():
        texts = {rule.text for rule in rules}
        todo = list(rules)
        while todo:
            for node in todo.pop().body:
                for rule in notions.get(node, ()):
                    if rule.text not in texts:
                        texts.add(rule.text)
                        todo.append(rule)
        digests[norm] = cache.digest("\n".join(sorted(texts)).encode())
    return digests


def _of_a_norm(rule: Rule) -> bool:
    """Test whether a rule belongs to single norms: it is of a section, or ranks norms."""
    folder, slash, _ = rule.file.partition("/")
    return (bool(slash) and folder != "lab") or rule.file.startswith(_SECTIONS)


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
#: Any two norms of interest, at least one of them changed. Facts would be 10,000s of pairs.
_ANY_PAIR = "of_interest(N,I), of_interest(M,J), N != M, I + J > 0"
#: A lift covers everything it might concern; two norms meet only if the lifted one asserts
#: something.
_SPEAKS = (
    "#defined lifts/3. #defined bears/2. #defined blocks/3. #defined hinders/4.",
    "speaks(M,T) :- of_interest(M,_), bears(T,M).",
    "speaks(M,T) :- of_interest(M,_), lifts(M,_,T).",
    "speaks(M,at(S,W)) :- of_interest(M,_), blocks(M,S,W).",
    "speaks(M,at(S,W)) :- of_interest(M,_), hinders(M,S,W,_).",
    # A norm about an LOS at one place is about the LOS.
    "speaks(M,S) :- speaks(M,at(S,_)).",
    # The ways to defeat a norm other than a lift (kb/CALCULUS.md).
    "#defined yields/1. #defined defeated/3.",
    "prevails(N,M) :- wins(N,M).",
    "prevails(N,M) :- yields(M), of_interest(N,_).",
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
    return replace(found, found=tuple(_without_mere_meetings(found.found)))


def interactions(
    search: Search,
    norms: Iterable[str],
    suspects: Collection[Suspect] | None = None,
    disjoint: Collection[Suspect] = (),
) -> SearchReport[Interaction]:
    """Return all relations between any two of these norms, without boards.

    Cached results for unchanged norms are reused. suspects: the only pairs that may contradict each
    other. disjoint: pairs that never assert something about one topic of a kind.
    """
    norms = tuple(norms)
    goal_of_all = partial(interaction_goal, search.lab, norms, suspects=suspects, disjoint=disjoint)
    search = replace(search, look=goal_of_all(), resume=False)
    course, ranks = SearchProgress(search), ranks_of(search.lab.program)
    goals: dict[str, Interaction] = {}
    for outcome in course.over(outcomes=_outcomes(search, norms, goal_of_all)):
        for goal, _ in outcome.found:
            if goal not in goals:
                goals[goal] = _meeting(ranks, search, SiteFinding(goal, outcome.spot), None)
                search.told(f"{len(goals)} found; {goal_text(goal)}")
                search.found(goals[goal])
    return course.report(
        tuple(_without_mere_meetings(sorted(goals.values(), key=_order))), set(goals)
    )


def _without_mere_meetings(meetings: Iterable[Interaction]) -> Iterator[Interaction]:
    """Yield the interactions to report; a mere meeting is left out if a closer relation was found."""
    known: set[tuple[str, frozenset[str]]] = set()
    for each in meetings:
        both = each.topic, frozenset((each.one, each.other))
        if each.relation != "meet" or both not in known:
            yield each
        known.add(both)


def _outcomes(
    search: Search, norms: tuple[str, ...], goal_of_all: Callable[..., SearchGoal]
) -> Iterator[SiteOutcome]:
    """Yield the outcome of each site: cached pairs, then searched pairs.

    goal_of_all: see `interaction_goal`.
    """
    kept = InteractionCache(search.lab, search.bounds, norms)
    before: dict[str, SiteInteractions] = {}
    anew: dict[frozenset[str], list[str]] = {}
    for spot in (each for grid in search.bounds.grids for each in search.spots(grid)):
        met = kept.get(spot)
        changed = frozenset(norms) if met is None else kept.changed(met)
        if met is not None:
            before[str(spot)] = met = kept.kept(met)
        if changed:
            anew.setdefault(changed, []).append(str(spot))
        elif met is not None:
            goals = tuple((goal, None) for goal in met.goals)
            yield SiteOutcome(spot, goals, frozenset(met.undecided))
    known = {goal for met in before.values() for goal in met.goals}
    for changed, spots in sorted(anew.items(), key=lambda each: len(each[0])):
        part = replace(search, only=tuple(spots))
        if len(changed) < len(norms):
            part = replace(part, look=goal_of_all(anew=changed))
        for outcome in part.outcomes(boards=False, known=known):
            met = before.get(str(outcome.spot), SiteInteractions({}, (), ()))
            found = {goal for goal, _ in outcome.found}
            known |= found
            if outcome.whole:
                undecided = {*met.undecided, *outcome.undecided}
                kept.put(outcome.spot, found.union(met.goals), undecided)
            yield replace(
                outcome,
                found=(*outcome.found, *((goal, None) for goal in met.goals)),
                undecided=outcome.undecided.union(met.undecided),
            )


def _meetings(search: Search, look: SearchGoal, boards: bool) -> SearchReport[Interaction]:
    search = replace(search, look=look)
    return report(search, partial(_meeting, ranks_of(search.lab.program), search), _order, boards)


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
    anew: Iterable[str] | None = None,
    suspects: Collection[Suspect] | None = None,
    disjoint: Collection[Suspect] = (),
) -> SearchGoal:
    """Return the goal for these pairs, with boards. Without pairs: for all of these norms, no boards.

    anew: only pairs with one of these. suspects, disjoint: see `interactions`.
    """
    norms = tuple(norms)
    changed = frozenset(norms if anew is None else anew)
    pairs = tuple(pairs or ())
    facts = [f'of_interest("{norm}",{int(norm in changed)}).' for norm in norms]
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
    places = {AT} if SIGHT in about else set()
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
        named = both[SIGHT if functor == AT else functor]
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
