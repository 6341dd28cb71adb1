"""Spelling out what a question seeks: the rules of kb/forms.lp, for each form from its declaration.

There two rules are written once, over the variables Form, Deed and Pattern; they are repeated here for
every form, topic or deed that can be asked with something left free. A rule of its own stands for each
choice of the places that a question leaves free: what such a place ranges over is read where it is left
free, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

from rules_asp.knowledge.source import Functor, Rule, entries, read_text

FILE = "forms.lp"
#: What stands in a place that a question leaves free.
ANY = "any"
#: In place of a kind: the question must name it; the norms find it, and it stays free until then.
NAMED, FOUND = "named", "found"

_FITS = re.compile(r"fits\((\w+),any,(\w+)\)")
_VARIABLE = re.compile(r"\b[A-Z]\w*")
#: The variables of the rules that are repeated, and the predicate that each of them is asked by.
_ASKED_BY = {"Form": "asked", "Deed": "asked_deed"}


class Fit(NamedTuple):
    """What fits a kind: a variable, and the body that says what it may be."""

    variable: str
    body: str


def spelled_out(rules: Sequence[Rule]) -> list[Rule]:
    """The rules of kb/forms.lp, those that are written once repeated for every form."""
    here = [rule for rule in rules if rule.file == FILE and not _once(rule)]
    others = [rule for rule in rules if not _once(rule)]
    read = {node.topic for rule in others for node in rule.body if node.name == "asked"}
    own = {node.topic for rule in here for node in rule.heads if node.name == "asked"}
    kinds, forms = declarations(rules)
    fits = members(rules)
    made = [rule for rule in here if rule.head is None or not rule.head.startswith("fits(")]
    for rule in filter(_once, rules):
        variable = next(name for name in _ASKED_BY if re.search(rf"\b{name}\b", rule.text))
        for form in sorted(kinds):
            is_read = form in read
            wanted = is_read if variable == "Form" else not is_read and forms.get(form) == "deed"
            if not wanted or form in own:
                continue
            text = "\n".join(_copies(_ASKED_BY[variable], form, kinds[form], fits, forms.values()))
            found, _ = read_text(text, FILE)
            made += (replace(each, line=rule.line) for each in found)
    return made


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
    for name, (term, *more) in entries(rules, "topic", "deed", "form", "narrower"):
        form = (term.name, len(term.arguments))
        (narrower if name == "narrower" else kinds)[form] = tuple(map(str, term.arguments))
        if name in ("deed", "form"):
            forms[form] = "deed" if name == "deed" else str(more[0])
    return kinds | narrower, forms


def members(rules: Iterable[Rule]) -> dict[str, Fit]:
    """What fits each kind, a kind of words included."""
    words = {str(kind) for _, (kind, *_) in entries(rules, "word")}
    found: dict[str, Fit] = {}
    for rule in rules:
        match = _FITS.fullmatch(rule.head or "") if rule.file == FILE else None
        if match is None:
            continue
        body = ", ".join(literal.text for literal in rule.literals)
        for kind in sorted(words) if match[1][0].isupper() else [match[1]]:
            own = re.sub(rf"\b{match[1]}\b", kind, body)
            found.setdefault(kind, Fit(match[2], own))
    return found


def _copies(
    asked: str,
    form: Functor,
    kinds: Sequence[str],
    fits: dict[str, Fit],
    forms: Iterable[str],
) -> Iterator[str]:
    """A rule for each choice of the places that a question leaves free."""
    name, arity = form
    places = [f"Form{number}" for number in range(arity)]
    # A part that is a form may itself have something left free.
    partly = any(kind == FOUND or kind in set(forms) for kind in kinds)
    for free in product(*((False, True) if kind in fits else (False,) for kind in kinds)):
        if not any(free) and not partly:
            continue
        pattern = [ANY if is_free else at for is_free, at in zip(free, places, strict=True)]
        body = [f"sought({name}({','.join(pattern)}))"]
        for at, kind in zip(places, kinds, strict=True):
            if kind in fits:
                body.append(_standing(fits[kind], at))
            elif kind != FOUND:
                body.append(f"{at} != {ANY}")
        yield f"{asked}({name}({','.join(places)})) :- {', '.join(body)}."


def _standing(fit: Fit, place: str) -> str:
    """What says that a thing fits, of this place; each place has variables of its own."""
    return _VARIABLE.sub(
        lambda found: place if found[0] == fit.variable else f"{found[0]}{place}", fit.body
    )
