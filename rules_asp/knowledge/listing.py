"""The program as clingo reads it, written for people: in the order of kb/, each norm under its tag.

What the program runs is made, not written down: the calculus is repeated for each kind of topic, and the
rules that a board or a question gives no occasion to are left out. Here it stands as one text, which plain
clingo runs with the same answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap

from rules_asp.knowledge.rules import Norm, Rule
from rules_asp.knowledge.terms import Agg

#: Lines are broken here, where it can be done.
WIDTH = 100


@dataclass(frozen=True)
class ListingSection:
    """Facts or directives under a heading, one a line; `packed`: several on a line."""

    heading: str
    text: str
    packed: bool = False


def program_listing(
    title: str,
    given: Iterable[ListingSection],
    rules: Iterable[Rule],
    norms: Mapping[str, Norm],
    told: Iterable[ListingSection] = (),
) -> str:
    """A program as one commented text: what it is, what is given, the rules, what is told."""
    lines = [*_comment(title), ""]
    for part in given:
        lines += _part(part)
    lines += [*_rules(rules, norms), ""]
    for part in told:
        lines += _part(part)
    return "\n".join(lines).rstrip() + "\n"


def _part(part: ListingSection) -> Iterator[str]:
    lines = [line for line in part.text.split("\n") if line]
    if not lines:
        return
    yield f"% --- {part.heading}"
    line = ""
    for each in lines:
        if line and (not part.packed or len(line) + 1 + len(each) > WIDTH):
            yield line
            line = ""
        line += f" {each}" if line else each
    yield line
    yield ""


def _rules(rules: Iterable[Rule], norms: Mapping[str, Norm]) -> Iterator[str]:
    file = norm = None
    for rule in rules:
        if rule.file != file:
            file, norm = rule.file, None
            yield ""
            yield f"% === {file}"
        if rule.norm != norm:
            norm = rule.norm
            yield ""
            if norm is not None:
                first, *more = wrap(f"%@ {norm}  {norms[norm].sense}", WIDTH - 8)
                yield first
                yield from (f"%      {line}" for line in more)
        yield from _lines(rule)


def _lines(rule: Rule) -> Iterator[str]:
    """A rule, broken between its literals where it is longer than a line."""
    line = ""
    for piece in _pieces(rule):
        if line and len(line) + len(piece.rstrip()) > WIDTH:
            yield line.rstrip()
            line = "    "
        line += piece
    yield line


def _pieces(rule: Rule) -> Iterator[str]:
    """A rule as text, each of its literals and elements by itself, with what stands behind it."""
    for number, literal in enumerate((rule.top, *rule.literals)):
        *before, last = literal.pieces() if isinstance(literal, Agg) else [str(literal)]
        yield from before
        joint = "; " if number else " :- "
        yield last + (joint if number < len(rule.literals) else ".")


def _comment(text: str) -> Iterator[str]:
    for paragraph in text.split("\n"):
        yield from (f"% {line}" for line in wrap(paragraph, WIDTH - 2))
