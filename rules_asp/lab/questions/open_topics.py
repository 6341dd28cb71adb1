"""Claims that leave a topic open, as `defeated("B23.4-1", T, "B23.4-2")`: the norms named tell of what.

What a board decides by itself is there for any topic. A step, a shot or a sight is only there where it is
asked, and so its kind must be known before the search begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from string import ascii_lowercase

from rules_asp.knowledge.heads import NORM_HEADS
from rules_asp.knowledge.source import Functor
from rules_asp.lab.boards.world import Generator
from rules_asp.lab.reading.claimed import Claim, pieces, read_claim
from rules_asp.parser.errors import BoardError
from rules_asp.positions.places import QuestionError
from rules_asp.terms.query import QueryLiteral, Variable

_SIGHT = ("s", 2)
#: What is said of a sight at one place.
_AT_ONE = ("at", 2)
_NOT = re.compile(r"^\s*not\b")


def bind_open_topics(lab: Generator, claim: str) -> str:
    """The text of a claim in which open topics are named, where the norms beside them speak of one kind.

    QuestionError where they speak of several kinds, or of none together.
    """
    for name, norms in _open(_read(claim)):
        if not norms:
            continue
        told = sorted(_said(each, name) for each in _together(lab, name, norms))
        if len(told) > 1:
            named = ", ".join(told[:-1]) + f" or {told[-1]}"
            raise QuestionError(f"{name} is left open: name what it is, {named}")
        claim = re.sub(rf'(?<!["\w]){name}(?!["\w])', told[0], claim)
    return claim


def _read(claim: str) -> Iterator[QueryLiteral]:
    """The literals of a claim, in its condition and after it, be they denied; of those that can be read.

    What cannot be is told where it is asked.
    """
    for part in claim.rpartition("=>"):
        for _, piece, _ in pieces(part):
            with suppress(BoardError):
                literals = read_claim(_NOT.sub("", piece)).literals
                yield from (each for each in literals if isinstance(each, QueryLiteral))


def _together(lab: Generator, name: str, norms: Sequence[str]) -> set[Functor]:
    """The kinds of things that all of these norms speak of."""
    spoken = [spoken_of(lab, norm) for norm in norms]
    # A norm that speaks of a sight at one place speaks of the sight.
    kinds = set.intersection(*({_SIGHT if k == _AT_ONE else k for k in each} for each in spoken))
    if _SIGHT in kinds and any(_AT_ONE in each for each in spoken):
        raise QuestionError(f"{name} may be a sight at one place: `lab meet` asks where they meet")
    if not kinds:
        raise QuestionError(
            f"nothing is left to {name}: {' and '.join(norms)} speak of no one thing"
        )
    return kinds


def open_topics(claim: Claim) -> str | None:
    """A topic that a claim leaves open, of which there may be more than a board decides by itself."""
    literals = (each for each in claim.literals if isinstance(each, QueryLiteral))
    return next((name for name, _ in _open(literals)), None)


def spoken_of(lab: Generator, norm: str) -> set[Functor]:
    """The kinds of topics, deeds and sights that a norm speaks of."""
    return {
        head.topic
        for rule in lab.program.rules
        if rule.norm == norm
        for head in rule.heads
        if head.name in NORM_HEADS and head.topic is not None and head.topic[0][:1].islower()
    }


def _open(literals: Iterable[QueryLiteral]) -> Iterator[tuple[str, list[str]]]:
    """The topics that are left open, each with the norms that are named beside it."""
    for literal in literals:
        for each in literal.args:
            if each.kind == "topic" and isinstance(each.value, Variable):
                norms = (one.value for one in literal.args if one.kind == "norm")
                yield each.value.name, [norm for norm in norms if isinstance(norm, str)]


def _said(kind: Functor, topic: str) -> str:
    """A topic of a kind, as a claim names it with all its parts left open, each by a name of its own."""
    name, arity = kind
    parts = [f"{topic}{letter}" for letter in ascii_lowercase[:arity]]
    if kind == _SIGHT:
        return " - ".join(parts)
    return f"{name}({', '.join(parts)})" if parts else name
