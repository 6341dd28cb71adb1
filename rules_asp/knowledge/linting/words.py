"""Static checks of the words: is everything that is read derived or declared, of the right kind?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

import clingo
from clingo import ast

from rules_asp.knowledge.heads import NORM_HEADS
from rules_asp.knowledge.linting.atoms import (
    PLACE,
    SIGHT,
    DeclaredWords,
    Fault,
    KbView,
    SourceAtom,
    SourceStatement,
    functor,
)
from rules_asp.knowledge.source import DEED_HEADS, OTHER_PLACE, TOPIC_PLACE, Functor
from rules_asp.terms.lexicon import declares

#: Where the calculus' predicates carry the value of their topic.
_VALUE_PLACE = {
    "says": 2,
    "offers": 2,
    "could_be": 1,
    "is": 1,
    "stands": 2,
    "value": 1,
    "supposed": 1,
}
#: The compound terms of vocabulary.lp, by kind, and the kinds of their own arguments.
_SHAPES = {
    "hex": {("", 2)},
    "hexside": {("e", 2)},
    "spot": {("", 2), ("v", 2)},
    "location": {("l", 2)},
    "party": {("l", 2)},
    "sight": {("s", 2)},
}
_INSIDE = {("e", 2): ("hex", "hex"), ("v", 2): ("hex", "corner"), ("l", 2): ("spot", "floor")}
_NUMERIC = frozenset(("number", "half_level", "quarter", "range", "direction", "corner"))
_TEXT = "text"
#: The declarations that are of predicates.
_OF_PREDICATES = ("input", "measured", "setting", "derived")
_DECLARED_ONCE = (*_OF_PREDICATES, "topic", "form", "deed", "reason")


def unknown_predicates(base: KbView) -> Iterator[Fault]:
    """A predicate read that nothing derives or declares; a head of the calculus of wrong arity."""
    known = set(base.words.predicates) | set(NORM_HEADS.items())
    for each in (*base.statements, *base.calculus):
        known |= {
            (atom.name, len(atom.terms)) for atom in each.heads if atom.name not in NORM_HEADS
        }
    for each in (*base.statements, *base.calculus):
        for atom in each.reads:
            if (atom.name, len(atom.terms)) not in known:
                yield each.fault(_stranger("nothing derives or declares", atom, known))
        for atom in each.heads:
            if atom.name in NORM_HEADS and NORM_HEADS[atom.name] != len(atom.terms):
                yield each.fault(_stranger("the calculus has no", atom, known))


def underived(base: KbView) -> Iterator[Fault]:
    """A notion declared as derived that nothing derives."""
    heads = {
        (atom.name, len(atom.terms))
        for each in (*base.statements, *base.calculus)
        for atom in each.heads
    }
    for each in base.statements:
        if each.heads and each.heads[0].name == "derived" and not each.reads:
            entry = functor(each.heads[0].terms[0])
            if entry and entry not in heads and entry not in NORM_HEADS.items():
                yield each.fault(
                    f"nothing derives {signature_text(entry)}, which is declared as derived"
                )


def undeclared_topics(base: KbView) -> Iterator[Fault]:
    """A topic or deed that vocabulary.lp does not declare, or that is left to a variable."""
    words = base.words
    for each in base.statements:
        for atom in each.atoms:
            for place in (TOPIC_PLACE.get(atom.name), OTHER_PLACE.get(atom.name)):
                if place is None or place >= len(atom.terms):
                    continue
                found = functor(atom.terms[place])
                if found is None:
                    yield each.fault(f"{atom.name} must spell its topic, not {atom.terms[place]}")
                    continue
                if found in (SIGHT, PLACE):
                    continue
                what, allowed = _allowed(atom.name, place, words)
                if found not in allowed:
                    message = f"no {what} {signature_text(found)} is declared"
                    yield each.fault(message + nearest_signature(found, allowed))


def _allowed(name: str, place: int, words: DeclaredWords) -> tuple[str, set[Functor]]:
    if name == "asked_deed" or (name in DEED_HEADS and place == TOPIC_PLACE[name]):
        return "deed", set(words.deeds)
    if name in ("asked", "sought"):
        return "topic or form", set(words.topics) | set(words.forms)
    if name in ("silent", "lifts") or name not in NORM_HEADS:
        return "topic or deed", set(words.topics) | set(words.deeds)
    return "topic", set(words.topics)


def wrong_kinds(base: KbView) -> Iterator[Fault]:
    """A constant that is none of the words of its kind, or not even of its shape."""
    words = base.words
    for each in base.statements:
        if declares(each.rule.file):
            continue
        for atom in each.atoms:
            for term, kind in _kinds(atom, words):
                for message in mismatch(term, kind, words):
                    yield each.fault(f"{message} (in {_show(atom)})")


def _kinds(atom: SourceAtom, words: DeclaredWords) -> Iterator[tuple[Any, str]]:
    """The arguments of an atom whose kind is declared."""
    declared = words.predicates.get((atom.name, len(atom.terms)))
    if declared and atom.name not in TOPIC_PLACE:
        yield from zip(atom.terms, declared, strict=True)
    place, topic = TOPIC_PLACE.get(atom.name), atom.topic
    if place is not None and topic:
        yield from _of_topic(atom.terms[place], words)
        at = _VALUE_PLACE.get(atom.name)
        if at is not None and topic in words.values and at < len(atom.terms):
            yield atom.terms[at], words.values[topic]
    other = OTHER_PLACE.get(atom.name)
    if other is not None and other < len(atom.terms):
        yield from _of_topic(atom.terms[other], words)


def _of_topic(term: Any, words: DeclaredWords) -> Iterator[tuple[Any, str]]:
    found = functor(term)
    if found is None or term.ast_type != ast.ASTType.Function:
        return
    kinds = words.topics.get(found) or words.forms.get(found, ("", ()))[1]
    if kinds:
        yield from zip(term.arguments, kinds, strict=True)


def mismatch(term: Any, kind: str, words: DeclaredWords) -> Iterator[str]:
    """What makes a term none of this kind; nothing for a variable."""
    if term.ast_type == ast.ASTType.Function and term.arguments:
        found = functor(term)
        if found is None:
            return
        if words.forms.get(found, ("",))[0] == kind:
            for inner, inner_kind in zip(term.arguments, words.forms[found][1], strict=True):
                yield from mismatch(inner, inner_kind, words)
            return
        plain = kind in words.constants or kind in _NUMERIC or kind == _TEXT
        if plain or found not in _SHAPES.get(kind, {found}):
            yield f"{term} is no {kind}"
        else:
            for inner, inner_kind in zip(term.arguments, _INSIDE.get(found, ()), strict=False):
                yield from mismatch(inner, inner_kind, words)
        return
    if term.ast_type == ast.ASTType.Function:
        text, type_ = term.name, clingo.SymbolType.Function
    elif term.ast_type == ast.ASTType.SymbolicTerm:
        text, type_ = str(term.symbol), term.symbol.type
    else:
        return
    if kind in words.constants:
        if text not in words.constants[kind]:
            yield f"{text} is no {kind}: {', '.join(words.constants[kind])}"
    elif (
        kind in _SHAPES
        or (kind in _NUMERIC and type_ != clingo.SymbolType.Number)
        or (kind == _TEXT and type_ != clingo.SymbolType.String)
    ):
        yield f"{text} is no {kind}"


def arity_conflicts(base: KbView) -> Iterator[Fault]:
    """A name that stands with so many arguments here and with others there.

    The calculus may shorten its own names (that a sight is stopped, and by what).
    """
    uses: dict[str, dict[int, SourceStatement]] = {}
    for each in (*base.calculus, *base.statements):
        names = [(atom.name, len(atom.terms)) for atom in each.atoms]
        if each.declares in _OF_PREDICATES:
            entry = functor(each.heads[0].terms[0])
            names += [entry] if entry else []
        for name, arity in names:
            uses.setdefault(name, {}).setdefault(arity, each)
    own = {(atom.name, len(atom.terms)) for each in base.calculus for atom in each.atoms}
    for name, found in uses.items():
        if all((name, arity) in own for arity in found):
            continue
        (one, first), *others = found.items()
        for other, statement in others:
            yield statement.fault(
                f"{signature_text((name, other))}: {signature_text((name, one))} stands at"
                f" {first.rule.file}:{first.rule.line}, and one name has one sense"
            )


def declared_twice(base: KbView) -> Iterator[Fault]:
    """Something declared where it is declared already: of two declarations one would count, unseen."""
    first: dict[tuple[str, Functor], SourceStatement] = {}
    for each in base.statements:
        entry = functor(each.heads[0].terms[0]) if each.declares in _DECLARED_ONCE else None
        if entry is None or each.declares is None:
            continue
        known = first.setdefault((each.declares, entry), each)
        if known is not each:
            where = f"{known.rule.file}:{known.rule.line}"
            yield each.fault(
                f"{each.declares} {signature_text(entry)} is declared already, at {where}"
            )


def _stranger(what: str, atom: SourceAtom, known: Iterable[Functor]) -> str:
    found = (atom.name, len(atom.terms))
    return f"{what} {signature_text(found)}{nearest_signature(found, known)}"


def nearest_signature(found: Functor, known: Iterable[Functor]) -> str:
    """The nearest known name: the same with other arguments, or one spelled much like it."""
    arities: dict[str, list[int]] = {}
    for name, arity in known:
        arities.setdefault(name, []).append(arity)
    near = get_close_matches(found[0], arities, n=1)
    if not near:
        return ""
    return "; " + " or ".join(signature_text((near[0], n)) for n in sorted(arities[near[0]])) + "?"


def signature_text(found: Functor) -> str:
    """Name and arity: height/1."""
    return f"{found[0]}/{found[1]}"


def _show(atom: SourceAtom) -> str:
    return f"{atom.name}({','.join(map(str, atom.terms))})" if atom.terms else atom.name
