"""Which events bring up a kind of question, so that they are searched before others."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from rules_asp.knowledge.source import Functor, Rule
from rules_asp.lab.world import Event, Lab
from rules_asp.terms.lexicon import vocabulary

_NOW = re.compile(r"\bnow\((\w+)")
_CHOSEN = re.compile(r"\bchosen_(?:(sight|shot)\(|deed\((\w+))")
_SORTED = re.compile(r"(\w+)\((\w+)\)\.")


def in_order(lab: Lab, kinds: Collection[Functor]) -> tuple[str, ...]:
    """All events, those first in which something of these kinds is asked, or a form that they are about."""
    words = vocabulary()
    about = {place for name, count in kinds for place in words.kinds(name, count)}
    forms = {name for name, form in words.forms.items() if form.kind in about}
    wanted = {name for name, _ in kinds} | forms
    first = {
        event
        for rule in lab.rules
        if rule.file.startswith("lab/") and not wanted.isdisjoint(_asked(rule))
        for event in _events(lab, rule)
    }
    every = (each for each in lab.events if each.name != "claim")

    def order(event: Event) -> tuple[bool, bool]:
        # What shows all of a kind is soon searched.
        return event.kind not in first, not event.shows

    return tuple(each.name for each in sorted(every, key=order))


def _asked(rule: Rule) -> Iterator[str]:
    """What a rule of the generator asks of, or chooses, by its name."""
    yield from (node.topic[0] for node in rule.heads if node.topic is not None)
    for of, deed in _CHOSEN.findall(rule.text):
        yield {"sight": "s", "shot": "shot"}.get(of, deed)


def _events(lab: Lab, rule: Rule) -> Iterator[str]:
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
