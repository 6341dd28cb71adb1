"""Static checks of the reasons why something is not known: kb/reasons.lp says what each of them means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from clingo import ast

from rules_asp.knowledge.linting.atoms import (
    SIGHT,
    Fault,
    KbView,
    SourceAtom,
    SourceStatement,
    functor,
    string,
)
from rules_asp.knowledge.linting.words import mismatch, nearest_signature, signature_text
from rules_asp.knowledge.source import Functor

#: The heads that carry a reason, and where.
_PLACES: tuple[tuple[Functor, int], ...] = ((("silent", 3), 2), (("unknown", 2), 1))
#: Reasons that no rule gives, but the program, which compares cases and looks for what is missing.
_OF_THE_PROGRAM = {("open_cases", 1), ("may_be_so", 0), ("valueless", 1), ("no_step", 0)}
_GAP = re.compile(r"\{(\w*)\}")

Given = tuple[SourceStatement, Any]


def undeclared_reasons(base: KbView) -> Iterator[Fault]:
    """A reason that is not declared, or that is about something else than it says.

    A rule is no reason to know nothing where its own text is at hand.
    """
    words = base.words
    for statement, term in _given(base):
        found = functor(term)
        if found is None:
            yield statement.fault(f"{term} is no reason")
        elif found not in words.reasons:
            yield statement.fault(
                f"no reason {signature_text(found)} is declared"
                + nearest_signature(found, words.reasons)
            )
        elif term.ast_type == ast.ASTType.Function:
            for inner, kind in zip(term.arguments, words.reasons[found], strict=True):
                for message in _odd(inner, kind, base):
                    yield statement.fault(f"{message} (in the reason {term})")


def idle_reasons(base: KbView) -> Iterator[Fault]:
    """A declared reason that no rule gives, or of which the text names what it is not about."""
    given = {functor(term) for _, term in _given(base)} | _OF_THE_PROGRAM
    for statement in base.statements:
        head = statement.heads[0] if statement.heads else None
        if head is None or head.name != "reason":
            continue
        found = functor(head.terms[0])
        assert found is not None
        if found not in given:
            yield statement.fault(f"no rule gives the reason {signature_text(found)}")
        for text in map(string, head.terms[1:]):
            for gap in _GAP.findall(text or ""):
                if not gap.isdigit() or not 0 < int(gap) <= found[1]:
                    yield statement.fault(f"{signature_text(found)} has nothing for {{{gap}}}")


def _odd(term: Any, kind: str, base: KbView) -> Iterator[str]:
    """What is wrong with an argument of a reason."""
    words, found, text = base.words, functor(term), string(term)
    if kind == "topic":
        if found and found not in (*words.topics, *words.deeds, SIGHT):
            yield f"no topic or deed {signature_text(found)} is declared"
    elif kind == "input":
        arities = [arity for name, arity in words.inputs if found and name == found[0]]
        if found and not any(found[1] <= arity for arity in arities):
            yield f"no input {signature_text(found)} is declared"
    elif kind in ("rule", "paragraph") and found:
        yield f"{term} is no {kind}"
    elif kind == "rule" and text:
        if text.partition(".")[0].lower() in words.constants.get("section", ()):
            yield f"{text} is given: say what it leaves open"
    elif kind == "paragraph" and text:
        if all(norm.paragraph != text for norm in base.norms.values()):
            yield f"no norm is of paragraph {text}"
    else:
        yield from mismatch(term, kind, words)


def _given(base: KbView) -> Iterator[Given]:
    """Every reason that a rule gives, with the rule where it is spelled out."""
    rules = (*base.statements, *base.calculus)
    heads: dict[Functor, list[tuple[SourceStatement, SourceAtom]]] = {}
    for each in rules:
        for atom in each.heads:
            heads.setdefault((atom.name, len(atom.terms)), []).append((each, atom))
    seen = set(_PLACES)

    def follow(statement: SourceStatement, term: Any) -> Iterator[Given]:
        if term.ast_type != ast.ASTType.Variable:
            yield statement, term
            return
        for atom in statement.reads:
            for place, each in enumerate(atom.terms):
                key = ((atom.name, len(atom.terms)), place)
                if str(each) == str(term) and key not in seen:
                    seen.add(key)
                    for above, head in heads.get(key[0], ()):
                        yield from follow(above, head.terms[place])

    for carrier, place in _PLACES:
        for statement, head in heads.get(carrier, ()):
            yield from follow(statement, head.terms[place])
