"""Rules by which a norm would speak if one thing were not so: an exception that holds.

For each thing that a rule denies there is a twin in which just that thing holds:

    why0(look_up, 4711, 0, head, (c1,), ()) :- need(look_up, topic), b1, b2, c1.

A helper, of which norms read whether it is so, may be missing for such a reason itself. So this is looked up
first, near(helper,c1), and a norm that reads the helper has a twin that needs it nearly so. In the same way
a value is nearly so that a norm gives which is beaten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from rules_asp.knowledge.heads import HEADS
from rules_asp.knowledge.parsing import statements_of
from rules_asp.knowledge.source import TOPIC_PLACE, Functor, Rule
from rules_asp.knowledge.twins import ANONYMOUS, Pattern, Twin, part_name, pattern_of, split

#: That a topic has a value.
VALUE = ("is", 2)


@dataclass(frozen=True)
class Miss(Twin):
    """A rule by which a norm would speak, but for one thing that it denies: that of this place."""

    denied: int

    def text(self, shelf: int) -> str:
        """What is so where just that thing keeps the norm silent."""
        return _missed(self.number, self.rule, self.denied, shelf)

    @cached_property
    def _pattern(self) -> Pattern:
        (_, head) = statements_of(f"{self.rule.head}.")
        return pattern_of(head.head.atom.symbol.arguments[TOPIC_PLACE[self.rule.heads[0].name]])


@dataclass(frozen=True)
class FarMiss(Miss):
    """A rule by which a norm would speak, but for a helper, at this place of what it reads, that is kept from
    being so by one thing alone."""

    @property
    def helper(self) -> tuple[str, int]:
        """The helper's name and arity."""
        return _signature(self.rule.literals[self.denied].text)

    @property
    def about(self) -> Functor:
        """The kind of topic that a value is of."""
        return _signature(_arguments(self.rule.literals[self.denied].text)[0])

    def text(self, shelf: int) -> str:
        """What is so where just that thing keeps the norm silent."""
        return _far_missed(self.number, self.rule, self.denied, shelf)


@dataclass(frozen=True)
class Near(Miss):
    """A rule by which a helper would be so, but for one thing that it denies: that of this place."""

    def text(self, shelf: int) -> str:
        """What is so where just that thing keeps the helper from being so."""
        return _near(self.number, self.rule, self.denied, shelf)


def misses_of(
    rules: Sequence[Rule],
) -> tuple[Mapping[Functor, Sequence[Miss]], Mapping[tuple[str, int], Sequence[Near]]]:
    """By kinds of topics the rules by which norms speak of them, with each thing that these deny; by name
    and arity the same for helpers."""
    found: dict[Functor, list[Miss]] = {}
    numbers = count(len(rules))
    near: dict[tuple[str, int], list[Near]] = {}
    for rule in rules:
        if rule.head is not None and rule.heads[0].name not in TOPIC_PLACE:
            for place in _denied(rule):
                near.setdefault(rule.heads[0][:2], []).append(Near(next(numbers), rule, place))
    for rule in rules:
        head = rule.heads[0] if rule.head is not None else None
        if rule.norm is None or head is None or head.topic is None or head.name not in HEADS:
            continue
        here = found.setdefault(head.topic, [])
        here += (Miss(next(numbers), rule, place) for place in _denied(rule))
        for place, literal in enumerate(rule.literals):
            if literal.kind == "atom" and _signature(literal.text) in {VALUE, *near}:
                here.append(FarMiss(next(numbers), rule, place))
    return found, near


def _denied(rule: Rule) -> Iterator[int]:
    return (place for place, each in enumerate(rule.literals) if each.kind == "absent")


def _signature(atom: str) -> tuple[str, int]:
    """The name of an atom, and how many arguments it has."""
    return atom.partition("(")[0], len(_arguments(atom))


def _arguments(atom: str) -> list[str]:
    _, opened, inside = atom.partition("(")
    return list(split(inside[:-1])) if opened else []


def _missed(number: int, rule: Rule, denied: int, shelf: int) -> str:
    """What is so where one thing that a rule denies keeps it from saying something of a topic."""
    anonymous = count(1)
    head = rule.head or ""
    topic = _arguments(head)[TOPIC_PLACE[rule.heads[0].name]]
    texts = [literal.text for literal in rule.literals]
    but = ANONYMOUS.sub(lambda _: f"Any{next(anonymous)}", texts[denied].removeprefix("not "))
    body = "; ".join([f"need(look_up,{topic})", *texts[:denied], but, *texts[denied + 1 :]])
    way = f"why{shelf}(look_up,{number},0,{head},({but},),())"
    return f"#program {part_name(number, shelf)}(look_up).\n{way} :- {body}."


def _near(number: int, rule: Rule, denied: int, shelf: int) -> str:
    """What is so where one thing that a helper's rule denies keeps it from being so."""
    anonymous = count(1)
    texts = [literal.text for literal in rule.literals]
    but = ANONYMOUS.sub(lambda _: f"Any{next(anonymous)}", texts[denied].removeprefix("not "))
    body = "; ".join([*texts[:denied], but, *texts[denied + 1 :]])
    way = f"why{shelf}(look_up,{number},0,{rule.head},({but},),())"
    return f"#program {part_name(number, shelf)}(look_up).\n{way} :- {body}."


def _far_missed(number: int, rule: Rule, denied: int, shelf: int) -> str:
    """What is so where one thing keeps a helper from being so, and so a norm from saying something."""
    anonymous = count(1)
    topic = _arguments(rule.head or "")[TOPIC_PLACE[rule.heads[0].name]]
    texts = [literal.text for literal in rule.literals]
    helper = ANONYMOUS.sub(lambda _: f"Any{next(anonymous)}", texts[denied])
    more = (f"near({helper},But)", f"not {helper}")
    body = "; ".join([f"need(look_up,{topic})", *texts[:denied], *more, *texts[denied + 1 :]])
    way = f"why{shelf}(look_up,{number},0,{rule.head},(But,),())"
    return f"#program {part_name(number, shelf)}(look_up).\n{way} :- {body}."
