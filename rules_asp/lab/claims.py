"""A researcher's own condition: the smallest board where it holds, or where it fails.

A claim is a question of the board language (parser/README.md). `always` takes one, or `CONDITION =>
CLAIM`: wherever the condition holds, so does the claim, which is a single literal or comparison.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from rules_asp.lab.condition import nodes_of, values
from rules_asp.lab.goals import layer_of
from rules_asp.lab.runs import Look, Model, OutOfTime, Part
from rules_asp.lab.search import Report, Search, Shown
from rules_asp.parser import parse_query
from rules_asp.positions.places import QuestionError
from rules_asp.terms.query import Comparison, Literal, Query

_INVERSE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def find(search: Search, claim: str) -> Report[Shown]:
    """The smallest board where a claim holds. BoardError or QuestionError for a bad claim."""
    return _sought(search, parse_query(claim))


def always(search: Search, claim: str) -> Report[Shown]:
    """The smallest board where a claim fails. BoardError or QuestionError for a bad claim."""
    return _sought(search, denied(claim))


def denied(claim: str) -> Query:
    """The question that holds where a claim fails."""
    condition, arrow, last = claim.rpartition("=>")
    conclusion = parse_query(last)
    if len(conclusion.literals) > 1:
        raise QuestionError("what a claim says after => is a single literal or comparison")
    (said,) = conclusion.literals
    given = parse_query(condition) if arrow else Query(())
    bound = {
        name
        for each in given.literals
        if isinstance(each, Literal) and not each.negated
        for argument in each.arguments
        for name, _ in argument.variables
    }
    free = [name for name in conclusion.variables if name not in bound]
    if free and not (isinstance(said, Literal) and said.negated):
        raise QuestionError(
            f"{', '.join(free)} stands only in what is claimed: name it in a condition, "
            "CONDITION => CLAIM, or write _"
        )
    return Query((*given.literals, _not(said)))


def _not(said: Literal | Comparison) -> Literal | Comparison:
    if isinstance(said, Comparison):
        return replace(said, operator=_INVERSE[said.operator])
    return replace(said, negated=not said.negated)


_TURNS_ON = {
    "board": "the board alone",
    "units": "the board and its units",
    "question": "what is asked or done",
}


def _sought(search: Search, query: Query) -> Report[Shown]:
    started = time.monotonic()
    wanted = tuple(dict.fromkeys(nodes_of(search.lab, query)))
    rules = [*values(search.lab, query), f"goal(found) :- {query.clingo}."]
    layer = layer_of(search.lab, wanted)
    look = Look({layer: Part("\n".join(rules), wanted)}, evidence=_Asks(query))
    search = replace(search, look=look)
    if not search.spots(search.bounds.grids[0]):
        events = dict.fromkeys(each.kind for each in search.lab.events if each.layer == layer)
        raise QuestionError(
            f"this claim is about {_TURNS_ON[layer]}: its events are {', '.join(events)}"
        )
    shown = None
    complete, interrupted = True, False
    try:
        shown = search.first()
    except (OutOfTime, KeyboardInterrupt) as end:
        complete, interrupted = False, isinstance(end, KeyboardInterrupt)
    found = (shown,) if shown else ()
    seconds = round(time.monotonic() - started, 1)
    return Report(search.bounds, found, complete or bool(found), (), seconds, interrupted)


@dataclass(frozen=True)
class _Asks:
    """The same question of every board."""

    query: Query

    def __call__(self, _: Model) -> Query:
        return self.query
