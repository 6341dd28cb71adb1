"""What the lab looks for, as rules that derive goal(Key): written for each kind of topic or deed.

A template holds {topic}, a term such as height(A0); `search_goal_for` fills it in for every kind that
the knowledge base speaks of. In a goal @kind(Topic) stands for the kind of a ground topic: see topic_kinds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from rules_asp.knowledge.source import Functor, Signature
from rules_asp.lab.boards.world import Generator, signature_pattern
from rules_asp.lab.searching.aims import GoalRules, SearchGoal


class GoalTemplate(NamedTuple):
    """A rule with {topic} in it, and the predicates about the topic that it reads.

    It is filled in for the kinds that the first of these is derived for.
    """

    rule: str
    reads: tuple[tuple[str, int], ...]


#: Two undefeated values on one topic.
CLASH = GoalTemplate(
    "goal(clash(@kind({topic}),N,M)) :- conflict({topic},N,M).", (("conflict", 3),)
)
#: What one norm allows and another forbids, with no precedence.
CONTESTED = GoalTemplate(
    "goal(contested(@kind({topic}),N,M)) :- contested({topic},N,M).", (("contested", 3),)
)
#: Norms of which something is left when all winning and losing is done.
COUNTS = (
    GoalTemplate("goal(counts(N)) :- stands(N,{topic},_).", (("stands", 3),)),
    GoalTemplate("goal(counts(N)) :- addend({topic},N,_,_).", (("addend", 4),)),
    GoalTemplate(
        "goal(counts(N)) :- silent(N,{topic},_), not lost(N,{topic}).", (("silent", 3), ("lost", 2))
    ),
    GoalTemplate("goal(counts(N)) :- illegal({topic},N).", (("illegal", 2),)),
    GoalTemplate("goal(counts(N)) :- allowed({topic},N).", (("allowed", 2),)),
    GoalTemplate("goal(counts(N)) :- defeated(_,{topic},N).", (("defeated", 3),)),
    GoalTemplate("goal(counts(R)) :- defeated(M,{topic},N), ruling(R,N,M).", (("defeated", 3),)),
    GoalTemplate("goal(counts(N)) :- stopped({topic},N,_).", (("stopped", 3),)),
    GoalTemplate("goal(counts(N)) :- hindered({topic},N,_,_).", (("hindered", 4),)),
)
#: Norms that say what nothing else says.
ALONE = (
    GoalTemplate(
        "goal(alone(N)) :- stands(N,{topic},V), #count {{ M : stands(M,{topic},V) }} = 1.",
        (("stands", 3),),
    ),
    GoalTemplate("goal(alone(N)) :- addend({topic},N,_,_).", (("addend", 4),)),
    GoalTemplate(
        "goal(alone(N)) :- silent(N,{topic},_), not lost(N,{topic}),"
        " #count {{ M : silent(M,{topic},_), not lost(M,{topic}) }} = 1.",
        (("silent", 3), ("lost", 2)),
    ),
    GoalTemplate(
        "goal(alone(N)) :- illegal({topic},N), #count {{ M : illegal({topic},M) }} = 1.",
        (("illegal", 2),),
    ),
    GoalTemplate(
        "goal(alone(N)) :- allowed({topic},N), #count {{ M : allowed({topic},M) }} = 1.",
        (("allowed", 2),),
    ),
    GoalTemplate(
        "goal(alone(N)) :- defeated(M,{topic},N), #count {{ K : defeated(M,{topic},K) }} = 1.",
        (("defeated", 3),),
    ),
    GoalTemplate(
        "goal(alone(R)) :- defeated(M,{topic},N), ruling(R,N,M), #count {{ K : defeated(M,{topic},K) }} = 1.",
        (("defeated", 3),),
    ),
    GoalTemplate(
        "goal(alone(N)) :- stopped({topic},N,_), #count {{ M : stopped({topic},M,_) }} = 1.",
        (("stopped", 3),),
    ),
    GoalTemplate("goal(alone(N)) :- hindered({topic},N,_,_).", (("hindered", 4),)),
)
#: What should have a value and has none; what no norm speaks of.
GAP = (
    GoalTemplate(
        "goal(gap(@kind({topic}))) :-"
        " due({topic}), not is({topic},_), not summed({topic}), not open({topic}).",
        (("due", 1), ("is", 2), ("summed", 1), ("open", 1)),
    ),
    GoalTemplate("goal(gap(@kind({topic}))) :- unknown({topic},no_norm).", (("unknown", 2),)),
)
#: What a norm leaves open that is not `away`, of a section that is not in force.
SILENT = GoalTemplate(
    "#defined away/1. goal(silent(@kind({topic}),N,Why)) :-"
    " silent(N,{topic},Why), not away(N), not lost(N,{topic}), unknown({topic},Why).",
    (("silent", 3), ("lost", 2), ("unknown", 2)),
)


def search_goal_for(
    lab: Generator,
    templates: Iterable[GoalTemplate],
    lenient: bool = False,
    only: Collection[Functor] | None = None,
) -> SearchGoal:
    """What is looked for, on every layer; `only` about topics of these kinds."""
    rules: dict[str, list[str]] = defaultdict(list)
    wanted: dict[str, list[Signature]] = defaultdict(list)
    for template, reads in templates:
        for functor in kinds(lab, *reads[0]):
            if only is not None and functor not in only:
                continue
            nodes = [Signature(name, arity, functor) for name, arity in reads]
            layer = layer_of(lab, nodes)
            rules[layer].append(template.format(topic=signature_pattern(functor)))
            wanted[layer] += nodes
    return SearchGoal(_parts(rules, wanted), lenient)


def firing(lab: Generator, norms: Iterable[str]) -> SearchGoal:
    """Which of these norms have a rule of which the body can hold; boards may break norms."""
    norms = set(norms)
    rules: dict[str, list[str]] = defaultdict(list)
    wanted: dict[str, list[Signature]] = defaultdict(list)
    for rule in lab.program.source.rules:
        # What is stated once for all, as who wins over whom, fires on no board.
        if rule.norm not in norms or not rule.literals:
            continue
        layer = layer_of(lab, rule.body)
        body = ", ".join(each.text for each in rule.literals)
        rules[layer].append(f'goal(fires("{rule.norm}")) :- {body}.')
        wanted[layer] += rule.body
    return SearchGoal(_parts(rules, wanted), lenient=True)


def joined(*all_: SearchGoal) -> SearchGoal:
    """Several things looked for at once."""
    rules: dict[str, list[str]] = defaultdict(list)
    wanted: dict[str, list[Signature]] = defaultdict(list)
    for look in all_:
        for layer, part in look.parts.items():
            rules[layer].append(part.rules)
            wanted[layer] += part.wanted
    return SearchGoal(_parts(rules, wanted), any(look.lenient for look in all_))


def _parts(
    rules: Mapping[str, list[str]], wanted: Mapping[str, list[Signature]]
) -> dict[str, GoalRules]:
    return {
        layer: GoalRules("\n".join(dict.fromkeys(lines)), tuple(dict.fromkeys(wanted[layer])))
        for layer, lines in rules.items()
    }


def kinds(lab: Generator, name: str, arity: int) -> list[Functor]:
    """The kinds of topics that some rule derives a predicate for."""
    return sorted(
        {
            node.topic
            for rule in lab.rules
            for node in rule.heads
            if (node.name, node.arity) == (name, arity) and node.topic
        }
    )


def layer_of(lab: Generator, nodes: Iterable[Signature]) -> str:
    """On which layer of events something turns; where events show all of it, the first of these."""
    nodes = tuple(nodes)
    topics = {node.topic[0] if node.topic else "" for node in nodes}
    for event in lab.events:
        if topics and topics <= event.shows:
            return event.interchangeable
    if not lab.later.isdisjoint(nodes):
        return "question"
    return "units" if "unit" in lab.reads(nodes) else "board"
