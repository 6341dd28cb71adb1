"""The calculus and the query patterns instantiated for each kind of topic; strata of topics.

There two rules are written once, over the variables Form, Deed and Pattern; they are repeated here for
every form, topic or deed that can be asked with something left free. A rule of its own stands for each
choice of the places that a question leaves free: what such a place ranges over is read where it is left
free, and nowhere else.

kb/calculus.lp is written once, over the variables Topic, Other, Deed and Subject. Here each of its
rules is repeated for every functor that the heads of the knowledge base speak of, as plain text; a
copy whose positive body can never hold is dropped. Then no rule depends on itself through another
topic, and the grounder settles most of what it meets without search.
`rules_asp.knowledge.instantiation` does the same for kb/forms.lp.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from string import ascii_uppercase
from typing import NamedTuple

from rules_asp.knowledge.reader import read_rules
from rules_asp.knowledge.rules import (
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

# --- Spelling out what a question seeks: the rules of kb/forms.lp, for each form from its
#     declaration.


FILE = "forms.lp"
#: What stands in a place that a question leaves free.
ANY = "any"
#: In place of a kind: the norms find it, and it stays free until then.
FOUND = "found"

_FITS = re.compile(r"fits\((\w+),any,(\w+)\)")
_VARIABLE = re.compile(r"\b[A-Z]\w*")
#: The variables of the rules that are repeated, and the predicate that each of them is asked by.
_ASKED_BY = {"Form": "asked", "Deed": "asked_deed"}


class Domain(NamedTuple):
    """What fits a kind: a variable, and the body that says what it may be."""

    variable: str
    body: str


def instantiate_query_rules(rules: Sequence[Rule]) -> list[Rule]:
    """The rules of kb/forms.lp, those that are written once repeated for every form."""
    here = [rule for rule in rules if rule.file == FILE and not _once(rule)]
    others = [rule for rule in rules if not _once(rule)]
    read = {node.topic for rule in others for node in rule.body if node.name == "asked"}
    own = {(node.name, node.topic) for rule in here for node in rule.heads}
    kinds, forms = declarations(rules)
    fits = kind_domains(rules)
    made = [rule for rule in here if rule.head is None or not rule.head.startswith("fits(")]
    for rule in filter(_once, rules):
        variable = next(name for name in _ASKED_BY if re.search(rf"\b{name}\b", rule.text))
        for form in sorted(kinds):
            wanted = form in read if variable == "Form" else forms.get(form) == "deed"
            if not wanted or (_ASKED_BY[variable], form) in own:
                continue
            copies = _copies(_ASKED_BY[variable], form, kinds[form], fits, forms)
            made += (replace(each, line=rule.line) for each in _parse_rules("\n".join(copies)))
    listed = (
        f"fitting({kind},Form) :- sought(_), {_standing(fit, 'Form')}."
        for kind, fit in fits.items()
    )
    first = min((rule.line for rule in filter(_once, rules)), default=0)
    for texts in (listed, _within(others, kinds, forms, read)):
        made += (replace(each, line=first) for each in _parse_rules("\n".join(texts)))
    return made


#: Of one knowledge base there are some hundred texts, and it is spelled out to be checked and to be run.
@lru_cache(maxsize=256)
def _parse_rules(text: str) -> tuple[Rule, ...]:
    return tuple(read_rules(text, FILE)[0])


def _once(rule: Rule) -> bool:
    """Whether a rule is one of those that are repeated for every form."""
    return rule.file == FILE and re.search(r"\bPattern\b", rule.text) is not None


def declarations(
    rules: Iterable[Rule],
) -> tuple[dict[Functor, tuple[str, ...]], dict[Functor, str]]:
    """What the places of each topic, deed and form range over, and of which kind a form is."""
    kinds: dict[Functor, tuple[str, ...]] = {}
    forms: dict[Functor, str] = {}
    narrower: dict[Functor, tuple[str, ...]] = {}
    for name, (term, *more) in declared_facts(rules, "topic", "deed", "form", "narrower"):
        form = (term.name, len(term.arguments))
        (narrower if name == "narrower" else kinds)[form] = tuple(map(str, term.arguments))
        if name in ("deed", "form"):
            forms[form] = "deed" if name == "deed" else str(more[0])
    return kinds | narrower, forms


def kind_domains(rules: Iterable[Rule]) -> dict[str, Domain]:
    """What fits each kind, a kind of words included."""
    words = {str(kind) for _, (kind, *_) in declared_facts(rules, "word")}
    found: dict[str, Domain] = {}
    for rule in rules:
        match = _FITS.fullmatch(rule.head or "") if rule.file == FILE else None
        if match is None:
            continue
        body = ", ".join(literal.text for literal in rule.literals)
        for kind in sorted(words) if match[1][0].isupper() else [match[1]]:
            own = re.sub(rf"\b{match[1]}\b", kind, body)
            found.setdefault(kind, Domain(match[2], own))
    return found


def _copies(
    asked: str,
    form: Functor,
    kinds: Sequence[str],
    fits: dict[str, Domain],
    forms: Mapping[Functor, str],
) -> Iterator[str]:
    """A rule for each choice of the places that a question leaves free."""
    name, arity = form
    places = [f"Form{number}" for number in range(arity)]
    sorts = set(forms.values())
    # A part that is a form may itself have something left free.
    partly = any(kind == FOUND or kind in sorts for kind in kinds)
    choices = (
        _choices(place, kind, fits, forms) for place, kind in zip(places, kinds, strict=True)
    )
    for chosen in product(*choices):
        if not partly and all(each.pattern == each.member for each in chosen):
            continue
        pattern, member = (
            ",".join(each) for each in ([c.pattern for c in chosen], [c.member for c in chosen])
        )
        body = [f"sought({name}({pattern}))", *(each.body for each in chosen if each.body)]
        yield f"{asked}({name}({member})) :- {', '.join(body)}."


class _Place(NamedTuple):
    """One way in which a place can be sought: how it stands there, what then is asked, and on what."""

    pattern: str
    member: str
    body: str = ""


def _choices(
    place: str, kind: str, fits: Mapping[str, Domain], forms: Mapping[Functor, str]
) -> Iterator[_Place]:
    if kind in fits:
        # What is named need not be among what a free place ranges over: it is asked about all the same.
        yield _Place(place, place, f"{place} != {ANY}")
        yield _Place(ANY, place, _standing(fits[kind], place))
    elif kind == FOUND:
        yield _Place(place, place)
    elif kind in set(forms.values()):
        for (name, arity), of in sorted(forms.items()):
            if of == kind and arity:
                parts = ",".join(f"{place}{letter}" for letter in ascii_uppercase[:arity])
                is_asked = "asked_deed" if kind == "deed" else "asked"
                member = f"{name}({parts})"
                body = f"{is_asked}({member})"
                yield _Place(f"{name}({','.join('_' * arity)})", member, body)
                yield _Place(ANY, member, body)
    else:
        yield _Place(place, place, f"{place} != {ANY}")


def _within(
    rules: Sequence[Rule],
    kinds: Mapping[Functor, Sequence[str]],
    forms: Mapping[Functor, str],
    read: Collection[Functor | None],
) -> Iterator[str]:
    """What is sought where a place for a form is free: every such form that norms speak of there.

    A norm that does not say which speaks of the usual ones of its kind.
    """
    usual: dict[str, set[Functor]] = {}
    for _, (of_kind, one) in declared_facts(rules, "usual"):
        usual.setdefault(str(of_kind), set()).add((one.name, len(one.arguments)))
    spoken: dict[tuple[Functor, int], set[Functor]] = {}
    for node, part in ((node, part) for rule in rules for node, part in _functors_in(rule)):
        for number, inner in enumerate(part):
            functors = {(inner.partition("(")[0], len(split_arguments(inner)))}
            if node in kinds and inner[:1].isupper():
                kind = kinds[node][number]
                whole = {each for each, of in forms.items() if of == kind}
                functors = usual.get(node[0]) or usual.get(kind) or whole
            spoken.setdefault((node, number), set()).update(functors)
    for form in forms:
        for number, kind in enumerate(kinds[form]):
            if kind in usual:
                spoken.setdefault((form, number), set()).update(usual[kind])
    for ((name, arity), number), named in sorted(spoken.items()):
        place = ",".join(ANY if each == number else "_" for each in range(arity))
        for inner_name, inner_arity in sorted(named & set(forms)):
            inside = (inner_name, inner_arity)
            is_sought = inside in read or forms[inside] == "deed" or usual.keys() & kinds[inside]
            if inner_arity and is_sought:
                left = ",".join([ANY] * inner_arity)
                yield f"sought({inner_name}({left})) :- sought({name}({place}))."


def _functors_in(rule: Rule) -> Iterator[tuple[Functor, Sequence[str]]]:
    """The topics that a rule gives a value to, each with its arguments as text."""
    for node in rule.heads:
        at = TOPIC_PLACE.get(node.name)
        if at is not None and node.topic is not None and rule.head is not None:
            yield node.topic, split_arguments(split_arguments(rule.head)[at])


def split_arguments(term: str) -> list[str]:
    """The arguments of a term, as text."""
    _, opened, inside = term.strip().partition("(")
    found, depth = [""], 0
    for letter in inside[:-1] if opened else "":
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [each.strip() for each in found] if opened else []


def _standing(fit: Domain, place: str) -> str:
    """What says that a thing fits, of this place; each place has variables of its own."""
    return _VARIABLE.sub(
        lambda found: place if found[0] == fit.variable else f"{found[0]}{place}", fit.body
    )


# --- Repeating the rule calculus for each kind of topic, and finding knots between topics.


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
    deeds = sorted({*_functors_under(others, DEED_HEADS), *_declared_deeds(others)})
    topics = [each for each in _functors_under(others, TOPIC_HEADS) if each not in deeds]
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
    return _with_aggregates(_possible(rules, set(given)))


def _functors_under(rules: Iterable[Rule], heads: tuple[str, ...]) -> list[Functor]:
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


def _with_aggregates(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
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
