"""What a claim reads as `no` since nothing makes it so, as the ordinary commands read it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from rules_asp.answers.patterns import may_be_denied
from rules_asp.knowledge.source import Functor
from rules_asp.lab.reading.claimed import Terms, atom_of
from rules_asp.lab.reading.presence import existence_literals
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import (
    Argument,
    FunctionTerm,
    OpenLosTerm,
    QueryComparison,
    QueryLiteral,
    UnitLosTerm,
    Variable,
)


def default_no_rules(
    literals: Iterable[QueryLiteral | QueryComparison], pairs: Collection[Functor]
) -> Iterator[str]:
    """Rules by which what nothing makes so is read as `no`, as the ordinary commands read it.

    pairs: the topics of which it must be known whether they were asked of two Locations.
    """
    for literal in literals:
        if isinstance(literal, QueryComparison) or not may_be_denied(literal):
            continue
        terms, domain = Terms(), _Domain()
        args = tuple(map(domain.of, literal.args))
        if not domain.listed:
            continue
        topic = atom_of(replace(literal, args=args, value=None), terms)
        body = [
            *terms.where,
            *existence_literals(literal),
            *domain.members,
            *asked_pair(literal, args, pairs),
        ]
        unsaid = (f"is({topic},_)", f"total({topic},_)", f"open({topic})", f"let({topic})")
        body += [f"not {each}" for each in unsaid]
        yield f"read({topic},no) :- {', '.join(body)}."


def asked_pair(
    literal: QueryLiteral, args: tuple[Argument, ...], pairs: Collection[Functor]
) -> Iterator[str]:
    """That it was asked of these two Locations, of a topic of which it must be known."""
    if (literal.name, len(args)) in pairs:
        terms = Terms(80)
        one, other = (terms.of(each) for each in args if each.kind == "location")
        yield from (*terms.where, f"asked_adjacent({one},{other})")


#: How what may stand in a place of a topic is found.
_MEMBERS = {
    "hex": "hex({})",
    "location": "location({})",
    "hexside": "across(_,_,{})",
    "unit": "unit({},_)",
    "side": "side({})",
}


@dataclass
class _Domain:
    """Names for what is left open in a topic, and what each of them may be."""

    members: list[str] = field(default_factory=list)
    #: Whether all that may stand there can be listed.
    listed: bool = True

    def of(self, given: Argument) -> Argument:
        value = given.value
        if isinstance(value, Variable):
            name = f"Open{len(self.members)}"
            kinds = vocabulary().words
            member = _MEMBERS.get(given.kind)
            if member is None and given.kind in kinds:
                member = f"word({given.kind},{{}})"
            self.listed &= member is not None
            self.members.append((member or "{}").format(name))
            return given._replace(value=Variable(name))
        if isinstance(value, OpenLosTerm | UnitLosTerm):
            self.listed = False
        if isinstance(value, FunctionTerm) and value.args:
            inner = FunctionTerm(value.name, tuple(map(self.of, value.args)))
            if inner != value and value.name in vocabulary().forms:
                self.members.append(f"weighed({Terms(70).of(given._replace(value=inner))})")
            return given._replace(value=inner)
        return given
