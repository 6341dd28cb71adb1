"""`lab meet`, `interactions`.

A norm stands as it stood when its own rules do, those that name it (who goes before whom, rulings), and
those of the notions that they rest on. What other norms answer is not looked into: the search is anew
where one of the two has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import clingo

from rules_asp.game.query import Query
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.rules import Functor, KnowledgeBase, Rule, Signature
from rules_asp.knowledge.terms import strings
from rules_asp.lab.audits import possible_among
from rules_asp.lab.generator import (
    BoardModel,
    Generator,
    SearchBounds,
    SearchSite,
    kind_of,
    signature_pattern,
)
from rules_asp.lab.goals import (
    GoalRules,
    GoalTemplate,
    SearchGoal,
    goal_text,
    layer_of,
    search_goal_for,
)
from rules_asp.lab.precedence import Rank, Ranks, ranks_of
from rules_asp.lab.report import SearchProgress, SearchReport, report
from rules_asp.lab.search import Search, SiteCache
from rules_asp.lab.witness import GoalWitness, SiteFinding, SiteOutcome, WitnessEvidence, query_of
from rules_asp.positions.locations import QuestionError
from rules_asp.runtime import cache

# --- Which norms were found to meet at each spot, kept between runs: what is found of two norms
#     that both stand as they stood is taken over, whatever else of the rules has changed.


#: Where a norm's own rules stand; all others are of the calculus, the words and the small boards.
_SECTIONS = ("precedence", "rulings")


@dataclass(frozen=True)
class SiteInteractions:
    """What was found at a spot: goals and those not decided, by the norms as they then stood."""

    stood: Mapping[str, str]
    goals: tuple[str, ...]
    undecided: tuple[str, ...]


class InteractionCache(SiteCache):
    """The meetings of norms at the spots of a search within these bounds."""

    def __init__(self, lab: Generator, bounds: SearchBounds, norms: Iterable[str]) -> None:
        self.stands = norm_fingerprints(lab.program.source, norms)
        common = (rule.text for rule in lab.rules if not _of_a_norm(rule))
        known = (repr(bounds), *dict.fromkeys(common), *map(str, lab.facts))
        super().__init__("pairs", map(str.encode, known))

    def get(self, spot: SearchSite) -> SiteInteractions | None:
        """What was found at a spot before; None where nothing is kept."""
        with suppress(ValueError, TypeError):
            stood, goals, undecided = self.load(spot)
            return SiteInteractions(dict(stood), tuple(goals), tuple(undecided))
        return None

    def changed(self, met: SiteInteractions) -> frozenset[str]:
        """The norms that do not stand as they stood there."""
        return frozenset(norm for norm, now in self.stands.items() if met.stood.get(norm) != now)

    def kept(self, met: SiteInteractions) -> SiteInteractions:
        """Of what was found there, what still stands: of norms that both are as they were."""
        anew = self.changed(met)

        def stands(goal: str) -> bool:
            _, *pair = clingo.parse_term(goal).arguments
            return all(n.string in self.stands and n.string not in anew for n in pair)

        return SiteInteractions(
            self.stands, tuple(filter(stands, met.goals)), tuple(filter(stands, met.undecided))
        )

    def put(self, spot: SearchSite, goals: Iterable[str], undecided: Iterable[str]) -> None:
        """Keep what was found at a spot, of all these norms."""
        rows = tuple(sorted(self.stands.items())), tuple(sorted(goals))
        self.store(spot, (*rows, tuple(sorted(undecided))))


def norm_fingerprints(source: KnowledgeBase, norms: Iterable[str]) -> dict[str, str]:
    """For each of these norms what tells how it stands from how it stood otherwise."""
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
    """Whether a rule may change without all norms changing: it is of a section, or ranks norms."""
    folder, slash, _ = rule.file.partition("/")
    return (bool(slash) and folder != "lab") or rule.file.startswith(_SECTIONS)


# --- How norms bear on each other: whether two ever speak of one thing, and which of them then
#     wins.


#: How a pair of norms can meet, with the predicates that show it: the first norm with the second.
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
_PAIRS = (
    GoalTemplate(
        "goal(overrides(@kind({topic}),N,M)) :- pair(N,M), defeated(M,{topic},N), not lifts(N,M,{topic}).",
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
        "goal(agree(@kind({topic}),N,M)) :- pair(N,M), undefeated_value(N,{topic},V),"
        " undefeated_value(M,{topic},V), N < M.",
        (("undefeated_value", 3),),
    ),
    GoalTemplate(
        "goal(agree(@kind({topic}),N,M)) :- pair(N,M), illegal({topic},N), illegal({topic},M), N < M.",
        (("illegal", 2),),
    ),
    GoalTemplate(
        "goal(agree(@kind({topic}),N,M)) :- pair(N,M), permitted({topic},N), permitted({topic},M), N < M.",
        (("permitted", 2),),
    ),
    GoalTemplate(
        "goal(agree(@kind({topic}),N,M)) :- pair(N,M), stopped({topic},N,_), stopped({topic},M,_), N < M.",
        (("stopped", 3),),
    ),
    GoalTemplate(
        "goal(add(@kind({topic}),N,M)) :- pair(N,M), undefeated_addend({topic},N,_,_),"
        " undefeated_addend({topic},M,_,_), N < M.",
        (("undefeated_addend", 4),),
    ),
    GoalTemplate(
        "goal(add(@kind({topic}),N,M)) :-"
        " pair(N,M), hindered({topic},N,_,_), hindered({topic},M,_,_), N < M.",
        (("hindered", 4),),
    ),
)
#: A lift is stated of whatever it might concern; two meet only where the lifted norm has something to say.
_SPEAKS = (
    "#defined lifts/3. #defined bears/2. #defined blocks/3. #defined hinders/4.",
    "speaks(M,T) :- pair(_,M), bears(M,T).",
    "speaks(M,T) :- pair(_,M), lifts(M,_,T).",
    "speaks(M,at(S,W)) :- pair(_,M), blocks(M,S,W).",
    "speaks(M,at(S,W)) :- pair(_,M), hinders(M,S,W,_).",
    # Who speaks of a sight at one place speaks of the sight.
    "speaks(M,S) :- speaks(M,at(S,_)).",
)
_SIGHT, _AT = ("s", 2), ("at", 2)


@dataclass(frozen=True)
class Interaction:
    """A way in which two norms meet, on what kind of question, with the smallest board that shows it.

    because: where one beats the other, what ranks them so, step by step.
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
    """All ways in which a norm of the one meets another of the other, each with its smallest board.

    QuestionError where there are no two of them, and where none was found since no board or event that is
    searched has what the one, or the other, speaks of.
    """
    both = {(mine, theirs) for mine in one for theirs in other if mine != theirs}
    if not both:
        raise QuestionError(f"{', '.join(one)} can only meet another norm")
    pairs = sorted(both | {(theirs, mine) for mine, theirs in both})
    norms = tuple(dict.fromkeys((*one, *other)))
    found = _meetings(search, _look(search.lab, norms, pairs), True)
    if not found.found and found.whole:
        there = possible_among(search, norms)
        for side in (one, other):
            if there.isdisjoint(side):
                raise QuestionError(
                    f"not searched: {', '.join(side)} {'speaks' if len(side) == 1 else 'speak'} of what"
                    " no board or event within these bounds has"
                )
    return replace(found, found=tuple(_told(found.found)))


def interactions(search: Search, norms: Iterable[str]) -> SearchReport[Interaction]:
    """All ways in which any two of these norms meet; boards are not looked for.

    What was found of two norms that both stand as they stood then is taken over.
    """
    norms = tuple(norms)
    search = replace(search, look=_look(search.lab, norms, None), resume=False)
    course, ranks = SearchProgress(search), ranks_of(search.lab.program)
    goals: dict[str, Interaction] = {}
    for outcome in course.over(outcomes=_outcomes(search, norms)):
        for goal, _ in outcome.found:
            if goal not in goals:
                goals[goal] = _meeting(ranks, search, SiteFinding(goal, outcome.spot), None)
                search.told(f"{len(goals)} found; {goal_text(goal)}")
                search.found(goals[goal])
    return course.report(tuple(_told(sorted(goals.values(), key=_order))), set(goals))


def _told(meetings: Iterable[Interaction]) -> Iterator[Interaction]:
    """Those that are told: of two of which it is found how they meet, not besides that they do."""
    known: set[tuple[str, frozenset[str]]] = set()
    for each in meetings:
        both = each.topic, frozenset((each.one, each.other))
        if each.relation != "meet" or both not in known:
            yield each
        known.add(both)


def _outcomes(search: Search, norms: tuple[str, ...]) -> Iterator[SiteOutcome]:
    """What comes of each spot: of the pairs that are kept, and of the others as they are searched."""
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
        pairs = None if changed == frozenset(norms) else changed
        part = replace(search, look=_look(search.lab, norms, None, pairs), only=tuple(spots))
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


def _look(
    lab: Generator,
    norms: Iterable[str],
    pairs: Iterable[tuple[str, str]] | None,
    anew: Iterable[str] | None = None,
) -> SearchGoal:
    """The meetings of these pairs, or of all pairs of these norms; `anew`: of which one is of these."""
    norms = tuple(norms)
    common = shared(lab, norms)
    # A lift of what blocks at one place only is about the sight.
    places = {_AT} if _SIGHT in common else set()
    look = search_goal_for(lab, _PAIRS, only=common | places)
    if pairs is None:
        facts = [f'of_interest("{norm}").' for norm in norms]
        facts += [f'anew("{norm}").' for norm in (norms if anew is None else sorted(anew))]
        for one in "NM":
            facts.append(f"pair(N,M) :- of_interest(N), of_interest(M), N != M, anew({one}).")
    else:
        facts = [f'pair("{one}","{other}").' for one, other in pairs]
    facts += _SPEAKS
    meeting: dict[str, list[str]] = {}
    bearing: dict[str, dict[Signature, None]] = {}
    for functor in sorted(common):
        nodes = [Signature(*each.signature, functor) for each in calculus().answering_heads]
        nodes = [node for node in nodes if node in lab.heads]
        layer = layer_of(lab, nodes)
        bearing.setdefault(layer, {}).update(dict.fromkeys(nodes))
        about = signature_pattern(functor)
        bearing[layer] |= dict.fromkeys(Signature(name, arity, functor) for name, arity in _ANSWERS)
        meeting.setdefault(layer, []).extend(map(_bears, nodes))
        meeting[layer].append(
            f"goal(meet(@kind({about}),N,M)) :- pair(N,M), bears(N,{about}), bears(M,{about}), N < M."
        )
    empty = GoalRules("", ())
    parts = {}
    for layer in sorted({*look.parts, *meeting}):
        part = look.parts.get(layer, empty)
        parts[layer] = GoalRules(
            "\n".join([*facts, part.rules, *meeting.get(layer, ())]),
            tuple(dict.fromkeys([*part.wanted, *bearing.get(layer, ())])),
        )
    return SearchGoal(parts, evidence=_evidence)


def shared(lab: Generator, norms: Iterable[str]) -> set[Functor]:
    """The kinds of topics on which at least two of these norms bear, by their heads."""
    norms = set(norms)
    return {
        functor for functor, found in norms_by_topic_kind(lab).items() if len(found & norms) > 1
    }


def norms_by_topic_kind(lab: Generator) -> dict[Functor, set[str]]:
    """The norms that bear on each kind of topic, by their heads."""
    topical = {"lifts", *(each.name for each in calculus().answering_heads)}
    bearing: dict[Functor, set[str]] = {}
    for rule in lab.program.source.rules:
        for node in rule.heads if rule.ids else ():
            if node.topic and node.name in topical:
                about = _SIGHT if node.topic == _AT else node.topic
                bearing.setdefault(about, set()).add(rule.ids[0])
    return bearing


def _bears(node: Signature) -> str:
    """How a norm is seen to bear on a topic."""
    assert node.topic is not None
    rest = ",_" * (node.arity - 2)
    topic = signature_pattern(node.topic)
    return f"bears(N,{topic}) :- {node.name}(N,{topic}{rest})."


def _evidence(model: BoardModel) -> WitnessEvidence:
    """What the answer is where the two meet."""
    about, one, other = model.goal.arguments
    name = model.goal.name
    bearing: dict[clingo.Symbol, set[clingo.Symbol]] = {}
    for atom in model.symbols:
        if atom.name == "bears" and kind_of(atom.arguments[1]) == about:
            bearing.setdefault(atom.arguments[1], set()).add(atom.arguments[0])
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
    raise AssertionError(f"{model.goal} is shown by nothing")


#: The atoms that answer a question, best first.
_ANSWERS = (
    *(("total", 2), ("is", 2), ("unknown", 2), ("illegal", 2), ("legal", 1)),
    *(("hindrance", 2), ("stopped", 3), ("sees", 1)),
)


def answer_on(topic: clingo.Symbol, symbols: Iterable[clingo.Symbol]) -> Query | None:
    """The answer that a model gives on a topic, deed or sight, as a question."""
    found = {
        (atom.name, len(atom.arguments)): atom
        for atom in symbols
        if atom.arguments and atom.arguments[0] == topic
    }
    return next((query_of(found[each]) for each in _ANSWERS if each in found), None)
