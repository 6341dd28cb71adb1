"""The program listing for readers: in the order of kb/, each norm under its tag.

The program that runs is generated: the calculus is repeated for each kind of topic, and irrelevant
rules are dropped. The listing is one text that plain clingo runs with the same answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap

from rules_asp.knowledge.rules import Norm, Rule
from rules_asp.knowledge.terms import Agg

#: Maximum line width, if a line can be broken.
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
    """Return a program as commented text: its purpose, the facts, the rules, the shown atoms."""
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
    """Yield the lines of a rule, broken between literals if it is too long."""
    line = ""
    for piece in _pieces(rule):
        if line and len(line) + len(piece.rstrip()) > WIDTH:
            yield line.rstrip()
            line = "    "
        line += piece
    yield line


def _pieces(rule: Rule) -> Iterator[str]:
    """Yield the literals and elements of a rule as text, each with its separator."""
    for number, literal in enumerate((rule.top, *rule.literals)):
        *before, last = literal.pieces() if isinstance(literal, Agg) else [str(literal)]
        yield from before
        joint = "; " if number else " :- "
        yield last + (joint if number < len(rule.literals) else ".")


def _comment(text: str) -> Iterator[str]:
    for paragraph in text.split("\n"):
        yield from (f"% {line}" for line in wrap(paragraph, WIDTH - 2))
