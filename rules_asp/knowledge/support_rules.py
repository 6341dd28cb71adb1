"""Each rule in the form in which supports, and blocked rules, are found in an answer set.

    why0(look_up, 17, 0, head, (b1,b2), (c1,)) :- need(look_up, head), b1, b2, not c1.

Each twin stands in a part of its own, of which the parameter is the number of the look-up.

For each thing that a rule denies there is a twin in which just that thing holds:

    why0(look_up, 4711, 0, head, (c1,), ()) :- need(look_up, topic), b1, b2, c1.

A helper, of which norms read whether it is so, may be missing for such a reason itself. So this is
looked up first, near(helper,c1), and a norm that reads the helper has a twin that needs it nearly so.
In the same way a value is nearly so that a norm gives which is beaten. Where a norm would speak if
something were unknown, what keeps it silent is what is known of that: its value, or the verdict on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import clingo
from clingo import ast

from rules_asp.knowledge.reader import parse_statements
from rules_asp.knowledge.rules import NORM_HEADS, TOPIC_PLACE, Functor, Rule, Signature

# --- Rules as they are looked up in an answer: a twin finds the atoms by which a rule has its
#     head there.


ANONYMOUS = re.compile(r"(?<![\w\"])_(?!\w)")
_VARIABLE = re.compile(r'(?<![\w"])_*[A-Z]\w*')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MIRRORED = str.maketrans("()", ")(")
#: What an aggregate ranges over.
_INNER = re.compile(r"\{.*\}")

#: A term with variables: None is whatever it may be.
AtomPattern = clingo.Symbol | tuple[str, "tuple[AtomPattern, ...]"] | None


@dataclass(frozen=True)
class SupportRule:
    """A rule that can be a reason."""

    number: int
    rule: Rule

    @property
    def reads(self) -> Sequence[Signature]:
        """What has to be at hand for it."""
        return self.rule.body

    def program_part(self, shelf: int) -> Sequence[ast.AST]:
        """The twin as clingo reads it, for one of the shelves that findings are kept on."""
        return self._first if shelf == 0 else parse_statements(self.text(shelf))

    def text(self, shelf: int) -> str:
        """The twin as text."""
        return _twin(self.number, self.rule, shelf)

    @cached_property
    def _first(self) -> Sequence[ast.AST]:
        return parse_statements(self.text(0))

    @cached_property
    def _pattern(self) -> AtomPattern:
        (_, head) = parse_statements(f"{self.rule.head}.")
        return pattern_of(head.head.atom.symbol)

    def fits(self, atom: clingo.Symbol) -> bool:
        """Whether the rule's head may be this atom."""
        return matches(self._pattern, atom)


def part_name(number: int, shelf: int) -> str:
    """The name of the part of a twin."""
    return f"twin{number}_{shelf}"


def pattern_of(term: Any) -> AtomPattern:
    """A term of a rule, to hold symbols against."""
    if term.ast_type == ast.ASTType.SymbolicTerm:
        symbol: clingo.Symbol = term.symbol
        return symbol
    if term.ast_type == ast.ASTType.Function and not term.external:
        return term.name, tuple(map(pattern_of, term.arguments))
    return None


def matches(pattern: AtomPattern, symbol: clingo.Symbol) -> bool:
    """Whether a symbol is one of a pattern."""
    if pattern is None:
        return True
    if isinstance(pattern, clingo.Symbol):
        return pattern == symbol
    name, inner = pattern
    if symbol.type != clingo.SymbolType.Function or symbol.name != name:
        return False
    arguments = symbol.arguments
    return len(inner) == len(arguments) and all(map(matches, inner, arguments))


def _twin(number: int, rule: Rule, shelf: int) -> str:
    anonymous = count(1)

    def named(text: str) -> str:
        return ANONYMOUS.sub(lambda _: f"Any{next(anonymous)}", text)

    head = rule.head or ""
    atoms: list[str] = []
    absent: list[str] = []
    body: list[str] = []
    more: list[str] = []
    for literal in rule.literals:
        if literal.kind == "atom":
            # An interval that stood in the head would stand there for all of its values.
            text, ranges = _ranged(named(literal.text), anonymous)
            atoms.append(text)
            body += (text, *ranges)
            continue
        body.append(literal.text)
        if literal.kind == "absent" and not ANONYMOUS.search(literal.text):
            absent.append(literal.text.removeprefix("not "))
        more += [named(each) for each in literal.elements]
    needed = "; ".join([f"need(look_up,{head})", *body])
    way = f"why{shelf}(look_up,{number},0,{head},{_tuple(atoms)},{_tuple(absent)})"
    lines = [f"#program {part_name(number, shelf)}(look_up).", f"{way} :- {needed}."]
    # What an aggregate ranges over comes as further ways by the same rule. Its own variables must stay
    # its own, so only those that the rest of the rule has too are carried over to where it is told.
    outside = _variables(head, *(_INNER.sub("", literal.text) for literal in rule.literals))
    for place, element in enumerate(more, 1):
        positive = [part for part in element.split(", ") if not part.startswith("not ")]
        element_atoms = [part for part in split_arguments(element) if re.match(r"[a-z]\w*\(", part)]
        if positive and element_atoms:
            shared = _tuple([f"{number}", f"{place}", *sorted(outside & _variables(element))])
            lines.append(f"with(look_up,{head},{shared}) :- {needed}.")
            way = f"why{shelf}(look_up,{number},{place},It,{_tuple(element_atoms)},())"
            lines.append(f"{way} :- with(look_up,It,{shared}), {element}.")
    return "\n".join(lines)


def _ranged(text: str, numbers: Iterator[int]) -> tuple[str, list[str]]:
    """An atom with a variable in place of each interval, and what says what this may be."""
    ranges: list[str] = []
    while (dots := (bare := _STRING.sub(_blank, text)).find("..")) >= 0:
        start, end = _opening(bare, dots), dots + 1 + _closing(bare[dots + 1 :])
        ranges.append(f"Any{next(numbers)} = {text[start:end]}")
        text = text[:start] + ranges[-1].partition(" ")[0] + text[end:]
    return text, ranges


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _opening(text: str, place: int) -> int:
    """Where the bracket opens in which this place is: clingo writes each interval in one."""
    return place - _closing(text[:place][::-1].translate(_MIRRORED))


def _closing(text: str) -> int:
    """Behind the bracket that closes one that is open before this text."""
    depth = 1
    for place, letter in enumerate(text, 1):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return place
    raise ValueError(f"no bracket closes {text}")


def _variables(*texts: str) -> set[str]:
    return {each for text in texts for each in _VARIABLE.findall(text)}


def _tuple(texts: Sequence[str]) -> str:
    return f"({','.join(texts)}{',' if len(texts) == 1 else ''})"


def split_arguments(text: str) -> Iterator[str]:
    """Split a list of literals at its outer commas."""
    depth, start = 0, 0
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            yield text[start:place].strip()
            start = place + 1
    yield text[start:].strip()


# --- Rules by which a norm would speak if one thing were not so: an exception that holds.


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
