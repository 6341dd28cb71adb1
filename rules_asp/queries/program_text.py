"""The clingo program of a knowledge base, a board or a question as one text with the same answers."""

from __future__ import annotations

from collections.abc import Iterable

import clingo

from rules_asp.game.query import Query
from rules_asp.knowledge.listing import ListingSection, program_listing
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.rules import Rule
from rules_asp.positions.position import Position
from rules_asp.queries.query_facts import relevant_rules_for

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
