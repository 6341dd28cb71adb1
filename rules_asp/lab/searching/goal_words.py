"""What a search looks for, as a user knows it: `step (move, bypass)`, and not the term that stands for
it.
"""

from __future__ import annotations

import re

import clingo

from rules_asp.answers.unknowns import parse_reason

_GOAL = re.compile(r"[a-z]\w*\(.*\)", re.DOTALL)
#: What two norms were looked at for, by the name of the goal; else its name is a verb.
_AGAINST = {"clash": "against", "contested": "against", "add": "and", "meet": "and"}
#: What a norm was looked at for.
_WHETHER = {
    "fires": "whether it ever fires",
    "counts": "whether it ever wins",
    "alone": "whether it says what no other says",
}
#: How two answers differ.
_WAYS = {
    "known": "known of one alone",
    "more": "yes of the first alone",
    "less": "yes of the second alone",
    "another": "another value",
    "apart": "both known, and not the same",
}


def kind_text(kind: str) -> str:
    """A kind of topic, deed or sight in words."""
    if kind == "s":
        return "sight"
    name, bracket, rest = kind.partition("(")
    return f"{name} ({rest[:-1].replace(',', ', ')})" if bracket else name


def goal_text(goal: str) -> str:
    """What was looked for, in words; what is no goal, as a spot of a search, stays as it is."""
    if not _GOAL.fullmatch(goal):
        return goal
    term = clingo.parse_term(goal)
    first, *rest = term.arguments
    if term.name in _WHETHER:
        return f"{first.string}: {_WHETHER[term.name]}"
    if term.name == "unreachable":
        return f"{first} of {rest[0]}"
    kind = kind_text(str(first))
    norms = [each.string for each in rest if each.type == clingo.SymbolType.String]
    if term.name == "differs":
        return f"{kind}: {_WAYS[str(rest[0])]}"
    if term.name == "silent":
        return f"{kind}: left open by {norms[0]} ({parse_reason(rest[1])})"
    if len(norms) == 2:
        return f"{kind}: {f' {_AGAINST.get(term.name, term.name)} '.join(norms)}"
    return kind
