"""Static checks of the sentences: has each form one, and does it say all of the form?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rules_asp.knowledge.linting.atoms import Fault, KbView, SourceStatement, functor, string
from rules_asp.knowledge.linting.words import nearest_signature, signature_text
from rules_asp.knowledge.source import Functor

_SLOT = re.compile(r"\{(\d)(?:[@/](\d))?\}")
_BRACES = re.compile(r"\{[^}]*\}")
#: What a sentence says that is no place of its form: the course that a way keeps, the turns that it takes.
_OTHERS = ("{course}", "{turns}")
_ANY = "any"


def forms_without_sentence(base: KbView) -> Iterator[Fault]:
    """A form of a spoken kind without a sentence that says all its places."""
    kinds = {str(each.heads[0].terms[0]) for each in base.statements if each.declares == "spoken"}
    whole = {name for name, each in _sentences(base) if not _left_out(base, name, each)}
    for each in base.statements:
        if each.declares not in ("deed", "form"):
            continue
        form = functor(each.heads[0].terms[0])
        kind = "deed" if each.declares == "deed" else str(each.heads[0].terms[1])
        if form and kind in kinds and form[1] and form[0] not in whole:
            yield each.fault(
                f'nothing says {signature_text(form)} whole: sentence({form[0]}, "...")'
            )


def malformed_sentences(base: KbView) -> Iterator[Fault]:
    """A sentence for what is no form or topic, with another number of places, or a word that is none."""
    known = _known(base)
    for name, each in _sentences(base):
        if name not in known:
            near = nearest_signature((name, 0), ((form, 0) for form in known)).replace("/0", "")
            yield each.fault(f"{name} is no form and no topic{near}")
            continue
        kinds = known[name]
        implied = _implied(each)
        if implied and len(implied) != len(kinds):
            yield each.fault(f"{name} has {len(kinds)} places, and not {len(implied)}")
        for word, kind in zip(implied, kinds, strict=False):
            if word != _ANY and word not in base.words.constants.get(kind, ()):
                yield each.fault(f"{word} is no {kind}")
        for slot in sorted(_strange_slots(each)):
            yield each.fault(f"{slot} is no slot: a place such as {{1}}, or {', '.join(_OTHERS)}")
        for place in _said(each):
            if place > len(kinds):
                yield each.fault(f"{name} has {len(kinds)} places, and no {{{place}}}")
    for each in base.statements:
        if each.declares == "phrase":
            kind, word = map(str, each.heads[0].terms[:2])
            if word not in base.words.constants.get(kind, ()):
                yield each.fault(f"{word} is no {kind}")


def _sentences(base: KbView) -> Iterator[tuple[str, SourceStatement]]:
    """The sentences, each with the name of what it says."""
    for each in base.statements:
        if each.declares == "sentence":
            found = functor(each.heads[0].terms[0])
            yield found[0] if found else str(each.heads[0].terms[0]), each


def _known(base: KbView) -> dict[str, tuple[str, ...]]:
    """The forms and topics, with the kinds of their places."""
    words = base.words
    forms: dict[Functor, tuple[str, ...]] = {
        form: kinds for form, (_, kinds) in words.forms.items()
    }
    return {name: kinds for (name, _), kinds in (*words.topics.items(), *forms.items())}


def _implied(sentence: SourceStatement) -> tuple[str, ...]:
    """What stands in the places of the form that a sentence names; empty where it names only the form."""
    head = sentence.heads[0].terms[0]
    found = functor(head)
    return tuple(map(str, head.arguments)) if found and found[1] else ()


def _said(sentence: SourceStatement) -> set[int]:
    """The places that have a slot; 0 is a unit that is none of them."""
    text = string(sentence.heads[0].terms[1]) or ""
    return {int(place) for slot in _SLOT.findall(text) for place in slot if place} - {0}


def _strange_slots(sentence: SourceStatement) -> set[str]:
    """What stands in braces and is neither a place nor what a sentence says besides its form."""
    slots = set(_BRACES.findall(string(sentence.heads[0].terms[1]) or ""))
    return {slot for slot in slots if slot not in _OTHERS and not _SLOT.fullmatch(slot)}


def _left_out(base: KbView, name: str, sentence: SourceStatement) -> set[int]:
    """The places of a form that a sentence neither says nor implies."""
    kinds = _known(base).get(name, ())
    implied = {place for place, word in enumerate(_implied(sentence), 1) if word != _ANY}
    return set(range(1, len(kinds) + 1)) - _said(sentence) - implied
