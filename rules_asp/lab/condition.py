"""A claim as rules: a question of the board language that small boards are to answer with yes."""

from __future__ import annotations

from collections.abc import Iterator

from rules_asp.knowledge.source import Functor, Node
from rules_asp.lab.rename import OTHER, renamed_text
from rules_asp.lab.world import Lab, pattern
from rules_asp.parser import parse_query
from rules_asp.terms.query import Literal, Query


def required(lab: Lab, claim: str) -> tuple[str, tuple[Node, ...]]:
    """Rules that leave only boards on which a claim holds, under either set of rules if there are two.

    BoardError for a bad claim.
    """
    query = parse_query(claim)
    nodes = nodes_of(lab, query)
    text = "\n".join([*values(lab, query), f"required :- {query.clingo}.", ":- not required."])
    if lab.twice.intersection(nodes):
        own = {Node("required", 0), *lab.twice}
        own |= {Node("value", 2, functor) for functor in _topics(query)}
        text += "\n" + renamed_text(text, own)
        nodes += [n._replace(name=n.name + OTHER) for n in nodes if n in lab.twice]
    return text, tuple(nodes)


def values(lab: Lab, query: Query) -> Iterator[str]:
    """What is the value of a topic: of a sum the total."""
    for functor in dict.fromkeys(_topics(query)):
        about = pattern(functor)
        if Node("value", 2, functor) in lab.heads:
            continue
        if Node("total", 2, functor) in lab.heads:
            yield f"value({about},V) :- total({about},V)."
            yield f"value({about},V) :- is({about},V), not total({about},_)."
        else:
            yield f"value({about},V) :- is({about},V)."


def _topics(query: Query) -> Iterator[Functor]:
    for literal in query.literals:
        if isinstance(literal, Literal) and literal.value is not None:
            yield literal.name, len(literal.args)


def nodes_of(lab: Lab, query: Query) -> list[Node]:
    """What a question reads."""
    nodes = [
        Node(name, 2, functor) for functor in _topics(query) for name in ("value", "is", "total")
    ]
    known = lab.heads | {node for rule in lab.rules for node in rule.body}
    for literal in query.literals:
        if isinstance(literal, Literal) and literal.value is None:
            place = (literal.name, len(literal.args))
            nodes += [node for node in known if (node.name, node.arity) == place]
    return sorted(set(nodes), key=str)
