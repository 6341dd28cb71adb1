"""A claim as rules: a question of the board language that small boards are to answer with yes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from rules_asp.knowledge.source import Functor, Signature
from rules_asp.lab.boards.rename import OTHER, rename_text
from rules_asp.lab.boards.world import Generator, signature_pattern
from rules_asp.lab.reading.claimed import NOTIONS, read_claim
from rules_asp.lab.reading.denials import default_no_rules
from rules_asp.terms.grid import Hex
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import FunctionTerm, Query, QueryLiteral


def condition_rules(lab: Generator, claim: str) -> tuple[str, tuple[Signature, ...]]:
    """Rules that leave only boards on which a claim holds, under either set of rules if there are two.

    BoardError for a bad claim.
    """
    read = read_claim(claim)
    query = read.whole
    nodes = [*nodes_of(lab, query), *named_nodes(lab, read.body)]
    text = "\n".join([*values(lab, query), f"required :- {read.body}.", ":- not required."])
    if lab.unit_pairs.intersection(nodes):
        own = {Signature("required", 0), *lab.unit_pairs}
        own |= {
            Signature("exists", 1),
            *(Signature("read", 2, functor) for functor in _topics(query)),
        }
        text += "\n" + rename_text(text, own)
        nodes += [n._replace(name=n.name + OTHER) for n in nodes if n in lab.unit_pairs]
    return text, tuple(nodes)


@cache
def places_named(claim: str) -> frozenset[Hex]:
    """The hexes that a claim names."""
    return read_claim(claim).places


def values(lab: Generator, query: Query) -> Iterator[str]:
    """What is read as the value of a topic: of a sum the total; what nothing makes so is `no`."""
    yield "#defined is/2. #defined total/2. #defined open/1. #defined unsaid/1. #defined let/1."
    yield "#defined location/1. #defined at_level/2. exists(X) :- location(X). exists(X) :- at_level(X,_)."
    for functor in dict.fromkeys(_topics(query)):
        about = signature_pattern(functor)
        if Signature("total", 2, functor) in lab.heads:
            yield f"read({about},V) :- total({about},V)."
            yield f"read({about},V) :- is({about},V), not total({about},_)."
        else:
            yield f"read({about},V) :- is({about},V)."
    yield from default_no_rules(query.literals, pairs(lab, query))


def pairs(lab: Generator, query: Query) -> frozenset[Functor]:
    """The topics of a question that must be asked of two Locations, as whether these are ADJACENT."""
    found = set()
    for literal in query.literals:
        if isinstance(literal, QueryLiteral) and literal.value is not None:
            functor = literal.name, len(literal.args)
            if [each.kind for each in literal.args].count("location") == 2:
                cone = lab.cone([Signature("is", 2, functor)])
                if any(_ASKED in lab.rules[place].body for place in cone):
                    found.add(functor)
    return frozenset(found)


_ASKED = Signature("asked_adjacent", 2)
#: What a claim asks of the board besides what it says.
_BESIDES = ("exists", "unit", "at", "asked_adjacent", "sight", "hex", "across", "side", "word")


def named_nodes(lab: Generator, rules: str) -> list[Signature]:
    """What a claim reads besides what it says: that what it names is there, where its units are."""
    said = "\n".join(each for each in rules.split("\n") if not each.startswith("#defined"))
    names = {each for each in _BESIDES if re.search(rf"\b{each}\(", said)}
    if "exists" in names:
        names |= {"location", "at_level"}
    known = lab.heads | {node for rule in lab.rules for node in rule.body}
    return sorted((node for node in known if node.name in names), key=str)


def _topics(query: Query) -> Iterator[Functor]:
    for literal in query.literals:
        if isinstance(literal, QueryLiteral) and literal.value is not None:
            yield literal.name, len(literal.args)


def nodes_of(lab: Generator, query: Query) -> list[Signature]:
    """What a question reads."""
    nodes = [
        Signature(name, 2, functor)
        for functor in _topics(query)
        for name in ("is", "total", "open", "unsaid", "let")
    ]
    known = lab.heads | {node for rule in lab.rules for node in rule.body}
    for literal in query.literals:
        if isinstance(literal, QueryLiteral) and literal.value is None:
            place = (literal.name, len(literal.args))
            nodes += [node for node in known if (node.name, node.arity) == place]
            if literal.negated and literal.name in NOTIONS:
                nodes += _unknown(lab, literal)
    return sorted(set(nodes), key=str)


def _unknown(lab: Generator, literal: QueryLiteral) -> Iterator[Signature]:
    """That what a literal is about is not known: a deed of its form, or a sight."""
    value = literal.args[0].value
    about = (value.name, len(value.args)) if isinstance(value, FunctionTerm) else None
    if literal.args[0].kind == "sight":
        about = ("s", 2)
    forms = {(each.name, len(each.kinds)) for each in vocabulary().forms.values()}
    for node in lab.heads:
        fits = node.topic == about if about else node.topic in forms
        if fits and (node.name, node.arity) == ("open", 1):
            yield node
