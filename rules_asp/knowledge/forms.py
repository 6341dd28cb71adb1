"""Spelling out what a question seeks: the rules of kb/forms.lp, for each form from its declaration.

There two rules are written once, over the variables Form, Deed and Pattern; they are repeated here for
every form, topic or deed that can be asked with something left free. A rule of its own stands for each
choice of the places that a question leaves free: what such a place ranges over is read where it is left
free, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from string import ascii_uppercase
from typing import NamedTuple

from rules_asp.knowledge.source import TOPIC_PLACE, Functor, Rule, declared_facts, read_rules

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
            made += (replace(each, line=rule.line) for each in _read("\n".join(copies)))
    listed = (
        f"fitting({kind},Form) :- sought(_), {_standing(fit, 'Form')}."
        for kind, fit in fits.items()
    )
    first = min((rule.line for rule in filter(_once, rules)), default=0)
    for texts in (listed, _within(others, kinds, forms, read)):
        made += (replace(each, line=first) for each in _read("\n".join(texts)))
    return made


#: Of one knowledge base there are some hundred texts, and it is spelled out to be checked and to be run.
@lru_cache(maxsize=256)
def _read(text: str) -> tuple[Rule, ...]:
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
    for node, part in ((node, part) for rule in rules for node, part in _spoken_of(rule)):
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


def _spoken_of(rule: Rule) -> Iterator[tuple[Functor, Sequence[str]]]:
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
