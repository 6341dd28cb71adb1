"""The clingo program of a knowledge base, a board or a question as one text with the same answers.

The listing is in the order of kb/, each norm under its tag. The program that runs is generated: the
calculus is repeated for each kind of topic, and irrelevant rules are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from textwrap import wrap

import clingo

from rules_asp.game.query import Query
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.rules import Norm, Rule
from rules_asp.knowledge.terms import Agg
from rules_asp.positions.position import Position
from rules_asp.queries.query_facts import relevant_rules_for

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


_OPTIONAL = "what need not be there"
_PARAGRAPHS = "which norm is of which paragraphs"


def listing_text(position: Position | None, query: Query | None, program: Program) -> str:
    """Return the listing: of the knowledge base, of a board's static layer, or of a question."""
    if position is None:
        return whole_text(program)
    return board_program_text(position) if query is None else query_program_text(position, query)


def whole_text(program: Program) -> str:
    """Return the knowledge base with the calculus for each kind of topic, without a board."""
    title = "rules-asp: the whole knowledge base. Join it to the facts of a board."
    told = ListingSection(_OPTIONAL, program.defining(program.rules), packed=True)
    given = [ListingSection(_PARAGRAPHS, program.shared_facts, packed=True)]
    return program_listing(title, given, program.rules, program.norms, [told])


def board_program_text(position: Position) -> str:
    """Return the static layer of a board.

    Its answer sets are the cases of the position.
    """
    program = position.program
    rules = program.structure(position.keys)
    title = f"rules-asp: what follows from the board {position.board.name!r} alone."
    told = ListingSection(_OPTIONAL, program.defining(rules), packed=True)
    return program_listing(title, _given(position, rules), rules, program.norms, [told])


def query_program_text(position: Position, query: Query) -> str:
    """Return all rules relevant to a question, of both layers, with its measured facts.

    QuestionError for a hex or a Location that is not on the board.
    """
    program = position.program
    wanted, asked = relevant_rules_for(position, query)
    rules = program.cone_of(wanted, position.keys | asked.keys)
    title = (
        f"rules-asp: all that bears on a question about the board {position.board.name!r}:\n{query}"
    )
    given = [
        *_given(position, rules),
        ListingSection("what is asked, and what was measured for it", asked.text),
    ]
    told = ListingSection(_OPTIONAL, program.defining(rules), packed=True)
    return program_listing(title, given, rules, program.norms, [told])


def _given(position: Position, rules: Iterable[Rule]) -> list[ListingSection]:
    shared = position.program.shared(rules)
    given = [
        ListingSection("the board", position.facts),
        ListingSection(_PARAGRAPHS, shared, packed=True),
    ]
    if position.left_open:
        given.insert(
            1, ListingSection("what may be so, or not", "".join(map(_either, position.left_open)))
        )
    return given


def _either(fact: clingo.Symbol) -> str:
    return f"{{ {fact} }}.\nsupposed({fact},yes) :- {fact}.\nsupposed({fact},no) :- not {fact}.\n"
