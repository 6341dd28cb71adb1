"""Why nothing is searched, or nothing said, of a claim."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rules_asp.knowledge.source import TOPIC_HEADS
from rules_asp.lab.boards.world import Generator
from rules_asp.lab.questions.norms import section_of
from rules_asp.lab.reading.claimed import Claim
from rules_asp.lab.searching.absences import absent_inputs
from rules_asp.lab.searching.condition import nodes_of
from rules_asp.lab.searching.search import Search
from rules_asp.positions.places import QuestionError
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import Query, QueryLiteral, Variable


def outside_bounds(search: Search) -> str:
    """That none of the events that are asked for is one on which the claim turns."""
    events = dict.fromkeys(
        each.kind for each in search.lab.events if search.look.part(each) is not None
    )
    return (
        f"this claim is about {_TURNS_ON[next(iter(search.look.parts))]}: its events are "
        + ", ".join(each for each in events if each != "claim")
    )


_TURNS_ON = {
    "board": "the board alone",
    "units": "the board and its units",
    "question": "what is asked or done",
}


class VacuousClaim(QuestionError):
    """That no board bears on a claim."""


def vacuous(
    lab: Generator, claim: Claim, conditional: bool, sections: Collection[str]
) -> VacuousClaim:
    """That no board bears on a claim, and why, as far as the rules tell; `sections`: those in force."""
    if conditional:
        return VacuousClaim(
            "within these bounds no board meets the condition, so that nothing is said of the claim"
        )
    told = "within these bounds nothing can bear on the claim: no board has what it speaks of"
    why = dict.fromkeys(f"; {each}" for each in _why_not(lab, claim, sections))
    return VacuousClaim("".join((told, *why)))


def _why_not(lab: Generator, claim: Claim, sections: Collection[str]) -> Iterator[str]:
    """Why nothing tells of the topics of a claim: the section that does, what is to be named."""
    asked = {node.topic for rule in lab.rules for node in rule.body if node.name == "asked"}
    for each in claim.literals:
        if not isinstance(each, QueryLiteral):
            continue
        if each.name == "violates":
            yield "boards of the lab break no norm"
        if each.name in lab.never:
            yield f"no board here has {lab.never[each.name]}"
        if each.name not in vocabulary().topics:
            continue
        functor = (each.name, len(each.args))
        of = {
            section_of(lab.program.norms[rule.norm])
            for rule in lab.program.rules
            for head in rule.heads
            if rule.norm and head.topic == functor and head.name in _TELLING
        }
        if not of:
            yield f"no norm tells what {each.name} is"
        elif of.isdisjoint(sections) and of <= {*vocabulary().words["section"]}:
            named = " or ".join(f"--section {section}" for section in sorted(of))
            yield f"{each.name} is told of with {named}"
        elif functor in asked and any(isinstance(one.value, Variable) for one in each.args):
            yield f"{each.name} is told of what is asked by name: name what is left open in it"
        elif told := absent_inputs(lab, nodes_of(lab, Query((each,)))):
            yield f"no board here has {'; nor '.join(told)}"


#: Heads by which a norm tells what a topic is; one that is silent says that it does not.
_TELLING = {*TOPIC_HEADS} - {"silent"}
