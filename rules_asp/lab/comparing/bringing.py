"""Which events bring up a kind of question, so that they are searched before others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from math import inf

from rules_asp.knowledge.source import Functor, Rule
from rules_asp.lab.boards.events import Event
from rules_asp.lab.boards.world import Generator
from rules_asp.lab.comparing.sides import RuleSet
from rules_asp.lab.questions.open_topics import spoken_of
from rules_asp.terms.lexicon import vocabulary

_NOW = re.compile(r"\bnow\((\w+)")
_CHOSEN = re.compile(r"\bchosen_(?:(sight|shot)\(|deed\((\w+))")
_NORMS = re.compile(r'"([A-Z]\w*(?:\.\w+)?-\w+)"')
_SORTED = re.compile(r"(\w+)\((\w+)\)\.")


def order_for(
    lab: Generator, one: RuleSet, other: RuleSet, only: Collection[Functor] | None
) -> tuple[str, ...] | None:
    """The events as they are to be searched: first those in which what is wanted, or changed, comes up."""
    if only is not None:
        return in_order(lab, dict.fromkeys(only, 0))
    if one.sections != other.sections:
        return None
    mine, others = (Counter(side.program.source.rules) for side in (one, other))
    rules = [*(mine - others), *(others - mine)]
    switched = {*one.without} ^ {*other.without}
    rules += [each for each in mine if each.norm in switched]
    named = {norm for rule in rules for norm in (rule.norm, *_NORMS.findall(rule.text)) if norm}
    spoken = {topic for norm in named for topic in spoken_of(lab, norm)}
    spoken |= {head.topic for rule in rules for head in rule.heads if head.topic is not None}
    return in_order(lab, events_by_distance(lab.program.rules, sorted(spoken)))


def events_that_settle(
    lab: Generator, layers: Mapping[Functor, Collection[str]]
) -> tuple[str, ...]:
    """The events that are looked at for some kinds of questions alone, each of which turns on these layers.

    They ask them, or the questions rest on none. None, that is all, where some kind is asked in no event.
    """
    settled: set[str] = set()
    for kind, of in layers.items():
        asking = _first(lab, {kind: 0})
        if "question" in of and not asking:
            return ()
        at_once = {
            e.kind for e in lab.events for layer in e.layers if layer in {*of} - {"question"}
        }
        settled |= at_once.union(asking if "question" in of else ())
    return tuple(sorted(settled - {"claim"}))


def in_order(lab: Generator, kinds: Mapping[Functor, int]) -> tuple[str, ...]:
    """All events, those first in which something of these kinds is asked, or a form that they are about.

    Of the kinds those of a lower number come first.
    """
    first = _first(lab, kinds)
    every = (each for each in lab.events if each.name != "claim")

    def order(event: Event) -> tuple[float, bool]:
        # What shows all of a kind is soon searched.
        return first.get(event.kind, inf), not event.shows or event.at_vertices

    return tuple(each.name for each in sorted(every, key=order))


def _first(lab: Generator, kinds: Mapping[Functor, int]) -> dict[str, int]:
    """The events in which something of these kinds is asked, each with the least of their numbers."""
    words = vocabulary()
    wanted: dict[str, int] = {}
    for (name, count), number in sorted(kinds.items(), key=lambda each: each[1]):
        about = set(words.kinds(name, count))
        forms = (form for form, said in words.forms.items() if said.kind in about)
        for each in (name, *forms):
            wanted.setdefault(each, number)
    first: dict[str, int] = {}
    for rule in lab.rules:
        found = [wanted[each] for each in _asked(rule) if each in wanted]
        if rule.file.startswith("lab/") and found:
            for event in _events(lab, rule):
                first[event] = min(*found, first.get(event, found[0]))
    return first


def events_by_distance(rules: Iterable[Rule], changed: Iterable[Functor]) -> dict[Functor, int]:
    """Over how many others topics, deeds and sights rest on those that are changed, as rules read them."""
    reading: dict[Functor, set[Functor]] = {}
    for rule in rules:
        for node in rule.body:
            if node.topic is not None:
                of = reading.setdefault(node.topic, set())
                of |= {head.topic for head in rule.heads if head.topic is not None}
    found = dict.fromkeys(changed, 0)
    todo = list(found)
    for each in todo:
        for one in sorted(reading.get(each, ())):
            if one not in found:
                found[one] = found[each] + 1
                todo.append(one)
    return found


def _asked(rule: Rule) -> Iterator[str]:
    """What a rule of the generator asks of, or chooses, by its name."""
    yield from (node.topic[0] for node in rule.heads if node.topic is not None)
    for of, deed in _CHOSEN.findall(rule.text):
        yield {"sight": "s", "shot": "shot"}.get(of, deed)


def _events(lab: Generator, rule: Rule) -> Iterator[str]:
    """The events in which a rule holds: the one that it names, or all of a sort, as by(B)."""
    for event in _NOW.findall(rule.text):
        if event[0].islower():
            yield event
            continue
        sorts = {node.name for node in rule.body if node.arity == 1} - {"now"}
        for each in lab.rules:
            said = _SORTED.fullmatch(each.text) if each.file.startswith("lab/") else None
            if said is not None and said[1] in sorts:
                yield said[2]
