"""Repeating the rule calculus for each kind of topic, and finding knots between topics.

kb/calculus.lp is written once, over the variables Topic, Other, Deed and Subject. Here each of its
rules is repeated for every functor that the heads of the knowledge base speak of, as plain text; a
copy whose positive body can never hold is dropped. Then no rule depends on itself through another
topic, and the grounder settles most of what it meets without search. `rules_asp.knowledge.forms` does
the same for kb/forms.lp.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from rules_asp.knowledge.forms import instantiate_query_rules
from rules_asp.knowledge.source import (
    DEED_HEADS,
    TOPIC_HEADS,
    TOPIC_PLACE,
    WRITTEN_ONCE,
    Functor,
    KnowledgeBase,
    Rule,
    Signature,
    declared_facts,
)

#: Sights have a calculus of their own, spelled out: there are too many of them for the general one.
LOS_TOPICS = ("s", 2)

#: Subject stands for topics and deeds alike.
_PLACEHOLDERS = ("Topic", "Deed", "Subject", "Other")


def instantiate_calculus(
    source: KnowledgeBase, given: Iterable[Signature] = ()
) -> tuple[Rule, ...]:
    """All rules with the calculus repeated per topic, what a question seeks per form.

    `given` are predicates that come as facts.
    """
    calculus = [rule for rule in source.rules if rule.file == "calculus.lp"]
    others = [rule for rule in source.rules if rule.file not in WRITTEN_ONCE]
    deeds = sorted({*_spoken_of(others, DEED_HEADS), *_declared_deeds(others)})
    topics = [each for each in _spoken_of(others, TOPIC_HEADS) if each not in deeds]
    ranges = {"Topic": topics, "Deed": deeds, "Subject": sorted({*topics, *deeds})}
    joins = sorted({join for rule in others for join in rule.topic_pairs})
    rules = [*others, *instantiate_query_rules(source.rules)]
    for rule in calculus:
        used = {name for name in _PLACEHOLDERS if re.search(rf"\b{name}\b", rule.text)}
        choices: list[Mapping[str, Functor]] = [{}]
        for main in used - {"Other"}:
            choices = [{main: one} for one in ranges[main]]
            if "Other" in used:
                choices = [{main: one, "Other": two} for one, two in joins if one in ranges[main]]
        rules += [_repeat(rule, choice) for choice in choices]
    return _read(_possible(rules, set(given)))


def _spoken_of(rules: Iterable[Rule], heads: tuple[str, ...]) -> list[Functor]:
    functors = {
        node.topic
        for rule in rules
        for node in rule.heads
        if node.name in heads and node.topic not in (None, LOS_TOPICS)
    }
    return sorted(functors)


def _declared_deeds(rules: Iterable[Rule]) -> Iterator[Functor]:
    """The deeds of the vocabulary: one that no norm speaks of is unknown, not without answer."""
    for _, (deed, *_) in declared_facts(rules, "deed"):
        yield deed.name, len(deed.arguments)


def _repeat(rule: Rule, choice: Mapping[str, Functor]) -> Rule:
    text = rule.text
    for name, (functor, arity) in choice.items():
        arguments = ",".join(f"{name}{i}" for i in range(arity))
        text = re.sub(rf"\b{name}\b", f"{functor}({arguments})" if arity else functor, text)

    def put(nodes: tuple[Signature, ...]) -> tuple[Signature, ...]:
        return tuple(
            node._replace(topic=choice[node.topic[0]])
            if node.topic and node.topic[0] in choice
            else node
            for node in nodes
        )

    return replace(
        rule,
        text=text,
        heads=put(rule.heads),
        positive=put(rule.positive),
        negative=put(rule.negative),
    )


def _possible(rules: list[Rule], given: set[Signature]) -> tuple[Rule, ...]:
    """Drop rules of which a positive body atom can never hold."""
    while True:
        derived = given | {node for rule in rules for node in rule.heads}
        plain = {(node.name, node.arity) for node in derived}
        wild = {(node.name, node.arity) for node in derived if node.topic is None or _is_wild(node)}

        def holds(
            node: Signature,
            derived: set[Signature] = derived,
            plain: set[tuple[str, int]] = plain,
            wild: set[tuple[str, int]] = wild,
        ) -> bool:
            key = (node.name, node.arity)
            if node.topic is None or _is_wild(node):
                return key in plain
            return node in derived or key in wild

        kept = [
            rule
            for rule in rules
            if rule.file not in WRITTEN_ONCE or all(holds(node) for node in _needed(rule))
        ]
        if len(kept) == len(rules):
            return tuple(kept)
        rules = kept


def _needed(rule: Rule) -> list[Signature]:
    """The nodes without which the rule cannot fire: what an aggregate ranges over may be empty."""
    plain = tuple(literal.text for literal in rule.literals if literal.kind == "atom")
    return [node for node in rule.positive if any(t.startswith(f"{node.name}(") for t in plain)]


#: What is read off an answer, though no rule may read it.
_RESULTS = frozenset(
    (
        *(
            "is",
            "total",
            "denied",
            "unsaid",
            "unknown",
            "conflict",
            "defeated",
            "legal",
            "illegal",
            "contested",
        ),
        *("sees", "stopped", "hindered", "hindrance"),
        *("sought", "fitting"),
    )
)


def _read(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Drop copies of the calculus that derive what nothing reads."""
    while True:
        read = {node for rule in rules for node in rule.body}
        wild = {(node.name, node.arity) for node in read if node.topic is None or _is_wild(node)}
        kept = tuple(
            rule
            for rule in rules
            if rule.file not in WRITTEN_ONCE
            or any(
                head.name in _RESULTS or head in read or (head.name, head.arity) in wild
                for head in rule.heads
            )
        )
        if len(kept) == len(rules):
            return kept
        rules = kept


def _is_wild(node: Signature) -> bool:
    """Whether the topic is a variable: the rule reads or derives this for every topic."""
    return node.topic is not None and node.topic[0][:1].isupper()


_MUTUAL = frozenset(("defeated", "lost"))


def topic_cycles(rules: Iterable[Rule]) -> list[tuple[Signature, ...]]:
    """The sets of nodes that depend on themselves through a topic.

    Beating and being beaten may be mutual inside one topic, and plain predicates may be recursive;
    what may not be is that what norms say of a topic rests on itself.
    """
    graph: dict[Signature, set[Signature]] = {}
    for rule in rules:
        for head in rule.heads:
            graph.setdefault(head, set()).update(rule.body)
    found = []
    for component in _components(graph):
        about = [node for node in component if node.name in TOPIC_PLACE.keys() - _MUTUAL]
        loops = len(component) > 1 or any(node in graph.get(node, ()) for node in component)
        if about and loops:
            found.append(tuple(sorted(component, key=str)))
    return found


def _components(graph: Mapping[Signature, set[Signature]]) -> list[list[Signature]]:
    """Strongly connected components (Tarjan's algorithm, without recursion)."""
    index: dict[Signature, int] = {}
    low: dict[Signature, int] = {}
    on_stack: set[Signature] = set()
    stack: list[Signature] = []
    result: list[list[Signature]] = []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(sorted(graph.get(root, ()), key=str)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(sorted(graph.get(successor, ()), key=str))))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    result.append(component)
    return result


def split_layers(
    rules: Iterable[Rule], asked: Iterable[Signature]
) -> tuple[list[Rule], list[Rule]]:
    """Split rules into those that rest on the board alone, and those that rest on a question.

    `asked` are the predicates that come with a question (what is asked, what was measured for it).
    """
    rules = list(rules)
    later = set(asked)
    # What comes with a question may be about a topic or deed, of whatever kind.
    plain = {(node.name, node.arity) for node in later}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            if any(node in later or (node.name, node.arity) in plain for node in rule.body):
                new = set(rule.heads) - later
                if new:
                    later |= new
                    changed = True
    static = [rule for rule in rules if not any(head in later for head in rule.heads)]
    question = [rule for rule in rules if any(head in later for head in rule.heads)]
    return static, question
