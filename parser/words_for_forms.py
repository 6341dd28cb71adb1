"""A sentence where a question wants a form: `tem(fire from A1 at B2) = V` is told shot(A1, B2, ...)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rules_asp.parser.commas import split_at_commas
from rules_asp.parser.errors import ValueMistake, WithPlace
from rules_asp.parser.kinds import kind_text
from rules_asp.parser.sentences import as_query_term, form_of, spoken_kinds
from rules_asp.terms.lexicon import Vocabulary
from rules_asp.terms.query import Argument, FunctionTerm, UnitLocation, Variable

#: What stands before a sentence where it is denied, or asked of by `can`.
_BEFORE = re.compile(r"\s*(?:not\s+)?(?:can\s+)?")
#: What is asked of something, or holds it: `tem(...) = V`.
_CALL = re.compile(r"\s*(?:not\s+)?(?P<name>\w+)\s*\((?P<inner>.*)\)[^()]*", re.DOTALL)
#: No form holds another that holds another, and so on for longer.
_DEPTH = 9
#: Two words in a row, as only a sentence has them.
_SAID = re.compile(r"\s*(?:\w+|\"[^\"]*\")\s+\w")


def sentence_in_query_error(text: str, words: Vocabulary) -> WithPlace | None:
    """The mistake of a question of which some part is the sentence of a deed, or of a form; else None."""
    for start, part in split_at_commas(text):
        before = _BEFORE.match(part)
        said = as_query_term(part[before.end() :] if before else part, "deed", words)
        if said is not None:
            what = f"this is a deed, which `can` is asked of: here it is legal({said})"
            return ValueMistake(what), *_at(text, start, part)
        for begins, inner, kind in _said_within(part, start, words):
            meant = form_of(inner, kind, words) if kind in spoken_kinds(words) else None
            said = str(_with_places_open(meant)) if meant else None
            forms = [each.form for each in words.forms.values() if each.kind == kind]
            what = f"a {kind_text(kind)} is written as a form here"
            return ValueMistake(what, [said] if said else forms[:3]), *_at(text, begins, inner)
    return None


def _said_within(
    part: str, start: int, words: Vocabulary, depth: int = 0
) -> Iterator[tuple[int, str, str]]:
    """What is said in words where a form is wanted, each with its place and the kind of form."""
    call = _CALL.fullmatch(part) if depth < _DEPTH else None
    name = call["name"].replace("-", "_") if call else ""
    entry = words.topics.get(name) or words.predicate(name) or words.forms.get(name)
    if call is None or entry is None:
        return
    inner = split_at_commas(call["inner"])
    for (begins, told), kind in zip(inner, entry.kinds, strict=False):
        place = start + call.start("inner") + begins
        if _SAID.match(told) and any(each.kind == kind for each in words.forms.values()):
            yield place, told, kind
        else:
            yield from _said_within(told, place, words, depth + 1)


def _with_places_open(form: Argument) -> Argument:
    """A form in which words that stand for places are variables, as a question has them, and no units."""
    assert isinstance(form.value, FunctionTerm)
    args = tuple(
        each._replace(value=Variable(each.value.unit))
        if each.kind == "location" and isinstance(each.value, UnitLocation)
        else each
        for each in form.value.args
    )
    return form._replace(value=FunctionTerm(form.value.name, args))


def _at(text: str, start: int, part: str) -> tuple[int, int]:
    """The line and column where a part begins."""
    begins = start + len(part) - len(part.lstrip())
    return text.count("\n", 0, begins) + 1, begins - text.rfind("\n", 0, begins)
