"""Rules by which a norm would speak if one thing were not so: an exception that holds.

For each thing that a rule denies there is a twin in which just that thing holds:

    why0(look_up, 4711, 0, head, (c1,), ()) :- need(look_up, topic), b1, b2, c1.

A helper, of which norms read whether it is so, may be missing for such a reason itself. So this is
looked up first, near(helper,c1), and a norm that reads the helper has a twin that needs it nearly so.
In the same way a value is nearly so that a norm gives which is beaten. Where a norm would speak if
something were unknown, what keeps it silent is what is known of that: its value, or the verdict on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from rules_asp.knowledge.heads import NORM_HEADS
from rules_asp.knowledge.parsing import parse_statements
from rules_asp.knowledge.source import TOPIC_PLACE, Functor, Rule, Signature
from rules_asp.knowledge.twins import (
    ANONYMOUS,
    AtomPattern,
    SupportRule,
    part_name,
    pattern_of,
    split_arguments,
)

#: That a topic has a value.
VALUE = ("is", 2)
#: That it has none, or that a deed or sight has no verdict, since something is not known.
_UNKNOWN = ("open", 1)
#: By what it is known.
_KNOWN = ("is({},_)", "total({},_)", "legal({})", "illegal({},_)")
_KNOWN_BY = {("s", 2): ("sees({})", "stopped({},_,_)")}


@dataclass(frozen=True)
class BlockedRule(SupportRule):
    """A rule by which a norm would speak, but for one thing that it denies: that of this place."""

    denied: int

    @property
    def reads(self) -> Sequence[Signature]:
        """What the rule reads, and that by which it is known what the rule needs to be unknown."""
        text = self.rule.literals[self.denied].text
        if _signature(text) != _UNKNOWN:
            return self.rule.body
        (about,) = _arguments(text)
        known = (_signature(each) for each in _instead(text))
        return (*self.rule.body, *(Signature(*each, _signature(about)) for each in known))

    def text(self, shelf: int) -> str:
        """What is so where just that thing keeps the norm silent."""
        return _missed(self.number, self.rule, self.denied, shelf)

    @cached_property
    def _pattern(self) -> AtomPattern:
        (_, head) = parse_statements(f"{self.rule.head}.")
        return pattern_of(head.head.atom.symbol.arguments[TOPIC_PLACE[self.rule.heads[0].name]])


@dataclass(frozen=True)
class BlockedViaHelper(BlockedRule):
    """A rule by which a norm would speak, but for a helper, at this place of what it reads, that is
    kept from being so by one thing alone."""

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
class BlockedHelper(BlockedRule):
    """A rule by which a helper would be so, but for one thing that it denies: that of this place."""

    def text(self, shelf: int) -> str:
        """What is so where just that thing keeps the helper from being so."""
        return _near(self.number, self.rule, self.denied, shelf)


def blocked_rules(
    rules: Sequence[Rule],
) -> tuple[
    Mapping[Functor, Sequence[BlockedRule]], Mapping[tuple[str, int], Sequence[BlockedHelper]]
]:
    """By kinds of topics the rules by which norms speak of them, with each thing that these deny; by name
    and arity the same for helpers."""
    found: dict[Functor, list[BlockedRule]] = {}
    numbers = count(len(rules))
    near: dict[tuple[str, int], list[BlockedHelper]] = {}
    for rule in rules:
        if rule.head is not None and rule.heads[0].name not in TOPIC_PLACE:
            for place in _denied(rule):
                near.setdefault(rule.heads[0][:2], []).append(
                    BlockedHelper(next(numbers), rule, place)
                )
    for rule in rules:
        head = rule.heads[0] if rule.head is not None else None
        if rule.norm is None or head is None or head.topic is None or head.name not in NORM_HEADS:
            continue
        here = found.setdefault(head.topic, [])
        here += (BlockedRule(next(numbers), rule, place) for place in _denied(rule))
        for place, literal in enumerate(rule.literals):
            if literal.kind == "atom" and _signature(literal.text) in {VALUE, *near}:
                here.append(BlockedViaHelper(next(numbers), rule, place))
    return found, near


def _denied(rule: Rule) -> Iterator[int]:
    """The places of what a rule denies, be it that something is known."""
    for place, each in enumerate(rule.literals):
        if each.kind == "absent" or (each.kind == "atom" and _asks_what_is_unknown(each.text)):
            yield place


def _asks_what_is_unknown(text: str) -> bool:
    """Whether a rule needs something to be unknown, of a kind that it names."""
    return _signature(text) == _UNKNOWN and _arguments(text)[0][0].islower()


def _instead(text: str) -> Iterator[str]:
    """What would keep a rule from holding that reads this: what it denies, or what makes known."""
    if text.startswith("not "):
        yield text.removeprefix("not ")
        return
    (about,) = _arguments(text)
    for form in _KNOWN_BY.get(_signature(about), _KNOWN):
        yield form.format(about)


def _signature(atom: str) -> tuple[str, int]:
    """The name of an atom, and how many arguments it has."""
    return atom.partition("(")[0], len(_arguments(atom))


def _arguments(atom: str) -> list[str]:
    _, opened, inside = atom.partition("(")
    return list(split_arguments(inside[:-1])) if opened else []


def _missed(number: int, rule: Rule, denied: int, shelf: int) -> str:
    """What is so where one thing that a rule denies keeps it from saying something of a topic."""
    topic = _arguments(rule.head or "")[TOPIC_PLACE[rule.heads[0].name]]
    return _but_for_one(number, rule, denied, shelf, [f"need(look_up,{topic})"])


def _near(number: int, rule: Rule, denied: int, shelf: int) -> str:
    """What is so where one thing that a helper's rule denies keeps it from being so."""
    return _but_for_one(number, rule, denied, shelf, [])


def _but_for_one(number: int, rule: Rule, denied: int, shelf: int, needed: Sequence[str]) -> str:
    anonymous = count(1)
    texts = [literal.text for literal in rule.literals]
    lines = [f"#program {part_name(number, shelf)}(look_up)."]
    for known in _instead(texts[denied]):
        but = ANONYMOUS.sub(lambda _: f"Any{next(anonymous)}", known)
        body = "; ".join([*needed, *texts[:denied], but, *texts[denied + 1 :]])
        lines.append(f"why{shelf}(look_up,{number},0,{rule.head},({but},),()) :- {body}.")
    return "\n".join(lines)


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
