"""The scope of a claim, bound topics, and refused claims.

Every topic of the board alone has a value. A step, a fire attack or an LOS has one only if it is
asked about. So its kind must be known before the search begins.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import starmap
from string import ascii_lowercase

from rules_asp.game.grid import Grid, Location
from rules_asp.game.query import (
    Argument,
    FunctionTerm,
    LosTerm,
    OpenLosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    UnitLocation,
    UnitLosTerm,
    Variable,
)
from rules_asp.game.values import quoted, to_symbol
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.calculus import calculus
from rules_asp.knowledge.rules import SIGHT, SIGHT_PLACE, Functor, topic_kind
from rules_asp.lab.audits import section_of
from rules_asp.lab.claim_rules import nodes_of
from rules_asp.lab.generator import Generator
from rules_asp.lab.report import absent_inputs
from rules_asp.lab.search import Search
from rules_asp.parser.errors import BoardError
from rules_asp.positions.locations import QuestionError
from rules_asp.queries.claims import NUMBERS, Claim, pieces, read_claim
from rules_asp.queries.query_facts import asked_facts

# --- The scope of a claim as facts for the search: LOS, fire attacks, units; the grids with its
# hexes.


def facts(
    claim: Claim, one_of_two: bool, units: Collection[str] = (), pairs: Collection[Functor] = ()
) -> str:
    """Return what the claim asks, as facts of kb/lab/claim.lp; `one_of_two`: the search names two
    hexes.

    units: the units of the boards, named by `units_of`. pairs: the topics of two Locations.
    """
    free = "one" if one_of_two else "whichever"
    lines: dict[str, None] = {}
    told: set[str] = set()
    counted = {id(each) for count in claim.counts for each in count.query.literals}
    some = set(_variables(claim, "unit"))
    for literal in claim.literals:
        if isinstance(literal, QueryComparison):
            continue
        for each in literal.arguments:
            if isinstance(each.value, Variable) and each.kind == "deed":
                lines["sought(step(any,any,any,any,any))."] = None
            # A term with all parts named is the same in every literal.
            key = str(each)
            for what, ends in _sights_and_shots(each, free, some) if key not in told else ():
                lines[f"wanted_{what}({len(told)},{ends})."] = None
                if id(literal) in counted:
                    lines[f"every({len(told)})."] = None
                told.add(key)
        if (literal.name, len(literal.args)) in pairs and (key := str(literal.topic)) not in told:
            ends = ",".join(_pair(literal, free))
            lines[f"wanted_pair({len(told)},{ends})."] = None
            if id(literal) in counted:
                lines[f"every({len(told)})."] = None
            told.add(key)
        lines |= dict.fromkeys(_asked(literal))
    lines |= dict.fromkeys(_from_anywhere(claim))
    lines |= dict.fromkeys(unit_facts(claim, units))
    lines |= dict.fromkeys(numbers(claim))
    return "\n".join(lines)


def unit_facts(claim: Claim, units: Collection[str]) -> Iterator[str]:
    """Yield the units of the boards as facts, with the types that the claim names."""
    for literal in claim.literals:
        if isinstance(literal, QueryLiteral) and literal.name == "unit" and not literal.negated:
            name, kind = (each.value for each in literal.args)
            if isinstance(name, str) and isinstance(kind, str):
                yield f"typed({quoted(name)},{kind})."
    yield from (f"spoken_of({quoted(unit)})." for unit in sorted(units))


#: Names for further units; there are no more.
_NAMES = "ABCDEFGH"
#: Number of units besides those of the variables, if a claim has many variables.
_FEW = 3


def units_of(*claims: Claim, most: int | None = None) -> tuple[str, ...]:
    """Return the units of boards for claims: the named ones, and others for open parts.

    The number allows each open part to be another unit, and each count to be exceeded. most:
    exactly this many instead. QuestionError for too many units.
    """
    named = {
        unit
        for claim in claims
        for literal in claim.literals
        if isinstance(literal, QueryLiteral)
        for each in literal.arguments
        for unit in _units(each)
    }
    left_open = {name for claim in claims for name in _variables(claim, "unit", "party")}
    # Some norms depend on other units: one more than named or open, and at least two.
    others = min(max(len(left_open) + 1, 2 - len(named)), max(len(left_open), _FEW))
    wanted = max(len(named) + others, *map(_counted, claims)) if most is None else most
    if wanted > len(_NAMES):
        raise QuestionError(
            f"the claim needs {wanted} units, but boards of the lab have at most {len(_NAMES)}"
        )
    free = [each for each in _NAMES if each not in named]
    return tuple(sorted({*named, *free[: max(0, wanted - len(named))]}))


def _counted(claim: Claim) -> int:
    """Return the number of units that is needed to exceed the counts of a claim."""
    return max(
        (
            count.number + (count.how != "at least")
            for count in claim.counts
            if any(
                kind in ("unit", "party")
                for literal in count.query.literals
                for each in literal.arguments
                for kind in _kinds(each)
            )
        ),
        default=0,
    )


def _kinds(given: Argument) -> Iterator[str]:
    """Yield the kinds of open parts, named or not."""
    if isinstance(given.value, FunctionTerm):
        for inner in given.value.args:
            yield from _kinds(inner)
    elif isinstance(given.value, Variable):
        yield given.kind


def _variables(claim: Claim, *kinds: str) -> Iterator[str]:
    """Yield the variables of a claim that have one of these kinds."""
    for literal in claim.literals:
        if isinstance(literal, QueryLiteral):
            for each in literal.arguments:
                yield from (name for name, kind in each.variables if kind in kinds)


def _asked(literal: QueryLiteral) -> Iterator[str]:
    """Yield the facts by which the ordinary commands ask a literal, except for LOS and fire
    attacks."""
    if any(_named(each, UnitLocation | UnitLosTerm) for each in literal.arguments):
        return
    forms = [each.value for each in literal.arguments if isinstance(each.value, FunctionTerm)]
    deeds = {each.name for each in forms if _between_places(each)}
    for symbol in asked_facts(Query((literal,)), default_vocabulary()):
        (about,) = symbol.arguments
        if about.name in deeds:
            continue
        if about.name not in ("shot", "s") and "shot(" not in str(symbol):
            yield f"{symbol}."


def _from_anywhere(claim: Claim) -> Iterator[str]:
    """Yield facts that ask about steps from every Location, since one step may start at the end of
    another.

    Otherwise a step is asked about from the unit's Location only.
    """
    steps = [
        each.value.args
        for literal in claim.literals
        if isinstance(literal, QueryLiteral)
        for each in literal.arguments
        if isinstance(each.value, FunctionTerm) and each.value.name == "step"
    ]
    ends = {str(to.value) for _, _, _, to, _ in steps if isinstance(to.value, Variable)}
    for by, _, start, to, _ in steps:
        if isinstance(to.value, Variable) and str(start.value) in ends - {"_"}:
            of_all = (
                default_vocabulary().words["by"] if isinstance(by.value, Variable) else (by.value,)
            )
            yield from (f"steps_from_anywhere({each})." for each in of_all)


def numbers(claim: Claim) -> Iterator[str]:
    """Yield the numbers of a claim as facts, so that boards may state them."""
    for literal in claim.literals:
        if isinstance(literal, QueryLiteral) and literal.name in default_vocabulary().inputs:
            # Each quantity of a unit has its own numbers.
            of = [each.term for each in literal.args if each.kind == "quantity"]
            for each in literal.args:
                if each.kind in NUMBERS and isinstance(each.value, int):
                    yield f"lets({of[0] if of else literal.name},{each.term})."


def _named(given: Argument, kinds: object) -> bool:
    value = given.value
    if isinstance(value, FunctionTerm):
        return any(_named(inner, kinds) for inner in value.args)
    return isinstance(value, kinds)  # type: ignore[arg-type]


def _sights_and_shots(
    given: Argument, free: str, some: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the questions between two places, with the ends; `some`: variables for units."""
    value = given.value
    if isinstance(value, LosTerm):
        yield "sight", f"{_end(value.a)},{_end(value.b)}"
    elif isinstance(value, OpenLosTerm):
        yield "sight", f"{_end(value.end)},whichever"
    elif isinstance(value, UnitLosTerm):
        ends = [_end(each) if isinstance(each, Location) else free for each in (value.a, value.b)]
        if free == "one" and len({*ends}) > 1:
            ends = ["whichever" if each == "one" else each for each in ends]
        yield "sight", ",".join(ends)
    elif isinstance(value, Variable) and given.kind == "sight":
        yield "sight", f"{free},{free}"
    elif isinstance(value, Variable) and given.kind == "shot":
        yield "shot", f"{free},{free},whichever,whichever"
    elif isinstance(value, FunctionTerm):
        if value.name == "shot":
            told = [
                _end(each.value) if isinstance(each.value, Location) else None
                for each in value.args[:2]
            ]
            ends = [each or (free if told == [None, None] else "whichever") for each in told]
            rest = [
                "whichever" if isinstance(each.value, Variable) else each.term
                for each in value.args[2:]
            ]
            yield "shot", ",".join((*ends, *rest))
        if _between_places(value):
            told = [_party(each.value) for each in value.args]
            # The end may be the unit at a place, or the place.
            of_units = some and any(
                isinstance(each.value, Variable) and each.value.name in some for each in value.args
            )
            either = free if told == [None, None] and not of_units else "anyone"
            yield "deed", ",".join((*(each or either for each in told), value.name))
        for inner in value.args:
            yield from _sights_and_shots(inner, free, some)


def _pair(literal: QueryLiteral, free: str) -> list[str]:
    """Return the two Locations of a topic."""
    values = [each.value for each in literal.args if each.kind == "location"]
    ends = [_end(each) if isinstance(each, Location) else None for each in values]
    return [each or (free if ends == [None, None] else "whichever") for each in ends]


def _end(place: Location) -> str:
    return str(to_symbol(place, "location"))


def _party(value: object) -> str | None:
    """Return the Location or unit that an action names; None if it is open."""
    if isinstance(value, UnitLocation):
        return quoted(value.unit)
    return _end(value) if isinstance(value, Location) else None


def _between_places(form: FunctionTerm) -> bool:
    """Test whether a form is an action between two Locations, one of them open or given by a unit.

    An open Location could be a vertex, and no search of the lab covers these.
    """
    if len(form.args) != 2 or not all(each.kind in _PLACES for each in form.args):
        return False
    values = [each.value for each in form.args]
    known = all(isinstance(each, Variable | Location | UnitLocation) for each in values)
    return known and not all(isinstance(each, Location) for each in values)


#: Kinds of values that may be a Location.
_PLACES = ("location", "party")


def _units(given: Argument) -> Iterator[str]:
    value = given.value
    if isinstance(value, UnitLocation):
        yield value.unit
    elif isinstance(value, UnitLosTerm):
        yield from (end.unit for end in (value.a, value.b) if isinstance(end, UnitLocation))
    elif isinstance(value, FunctionTerm):
        for inner in value.args:
            yield from _units(inner)
    elif given.kind == "unit" and isinstance(value, str):
        yield value


def between_two(claim: Claim, pairs: Collection[Functor] = ()) -> bool:
    """Test whether a claim is about a single LOS, fire attack or pair without named ends or hexes."""
    lines = facts(claim, True, pairs=pairs).split("\n")
    ends = [line for line in lines if line.startswith("wanted_")]
    return not claim.places and len(ends) == 1 and ",one,one" in ends[0]


def grids_with(claim: Claim, grids: Collection[Grid]) -> tuple[Grid, ...]:
    """Return the grids that contain all hexes of a claim. QuestionError if there is none."""
    found = tuple(each for each in grids if all(hex_ in each for hex_ in claim.places))
    if found:
        return found
    missing = sorted(hex_ for hex_ in claim.places if not any(hex_ in each for each in grids))
    told = "; ".join(f"{each}: {', '.join(map(str, each.hexes()))}" for each in grids)
    sizes = sorted(
        ((c, r) for c in range(1, 27) for r in range(1, 13)), key=lambda it: it[0] * it[1]
    )
    near = next(
        (each for each in starmap(Grid, sizes) if all(hex_ in each for hex_ in claim.places)), None
    )
    names = ", ".join(map(str, missing or sorted(claim.places)))
    hint = f"; use --grid {near}" if near else ""
    raise QuestionError(f"the searched boards do not have the hexes {names} ({told}){hint}")


# --- Claims with an open topic, such as `defeated("B23.4-1", T, "B23.4-2")`: the norms determine
# its kind.


_NOT = re.compile(r"^\s*not\b")


def bind_open_topics(lab: Generator, claim: str) -> str:
    """Return a claim with its open topics bound to the one kind of topic that the named norms
    share.

    QuestionError if the norms share several kinds, or none.
    """
    for name, norms in _open(_read(claim)):
        if not norms:
            continue
        told = sorted(_topic_text(each, name) for each in _together(lab, name, norms))
        if len(told) > 1:
            named = ", ".join(told[:-1]) + f" or {told[-1]}"
            raise QuestionError(
                f"the variable {name} can stand for several kinds of topics: write {named}"
            )
        claim = re.sub(rf'(?<!["\w]){name}(?!["\w])', told[0], claim)
    return claim


def _read(claim: str) -> Iterator[QueryLiteral]:
    """Yield the readable literals of a claim, in the condition and after it, negated or not.

    The caller reports the unreadable ones.
    """
    for part in claim.rpartition("=>"):
        for _, piece, _ in pieces(part):
            with suppress(BoardError):
                literals = read_claim(_NOT.sub("", piece)).literals
                yield from (each for each in literals if isinstance(each, QueryLiteral))


def _together(lab: Generator, name: str, norms: Sequence[str]) -> set[Functor]:
    """Return the kinds of topics that all these norms are about."""
    spoken = [spoken_of(lab, norm) for norm in norms]
    # A norm about an LOS at one place is about the LOS.
    kinds = set.intersection(*(set(map(topic_kind, each)) for each in spoken))
    if SIGHT in kinds and any(SIGHT_PLACE in each for each in spoken):
        raise QuestionError(
            f"{name} can be the place of an obstacle on a line: use `lab meet` for these two rules"
        )
    if not kinds:
        raise QuestionError(
            f"no topic fits {name}: {' and '.join(norms)} are never about the same topic"
        )
    return kinds


def open_topics(claim: Claim) -> str | None:
    """Return an open topic of a claim that may be more than a topic of the board alone."""
    literals = (each for each in claim.literals if isinstance(each, QueryLiteral))
    return next((name for name, _ in _open(literals)), None)


def spoken_of(lab: Generator, norm: str) -> set[Functor]:
    """Return the kinds of topics, actions and LOS that a norm is about."""
    return {
        head.topic
        for rule in lab.program.rules
        if rule.norm == norm
        for head in rule.heads
        if head.name in calculus().heads and head.topic is not None and head.topic[0][:1].islower()
    }


def _open(literals: Iterable[QueryLiteral]) -> Iterator[tuple[str, list[str]]]:
    """Yield the open topics, each with the norms named with it."""
    for literal in literals:
        for each in literal.args:
            if each.kind == "topic" and isinstance(each.value, Variable):
                norms = (one.value for one in literal.args if one.kind == "norm")
                yield each.value.name, [norm for norm in norms if isinstance(norm, str)]


def _topic_text(kind: Functor, topic: str) -> str:
    """Return a topic of a kind as text, with a variable for each part."""
    name, arity = kind
    parts = [f"{topic}{letter}" for letter in ascii_lowercase[:arity]]
    if kind == SIGHT:
        return " - ".join(parts)
    return f"{name}({', '.join(parts)})" if parts else name


# --- Why a claim is not searched, or has no result.


def outside_bounds(search: Search) -> str:
    """Return why no selected event can decide the claim."""
    events = dict.fromkeys(
        each.kind for each in search.lab.events if search.look.part(each) is not None
    )
    return (
        f"this claim is about {_TURNS_ON[next(iter(search.look.parts))]}; use one of these situations: "
        + ", ".join(each for each in events if each != "claim")
    )


_TURNS_ON = {
    "board": "the board alone",
    "units": "the board and its units",
    "question": "a question or an action",
}


class VacuousClaim(QuestionError):
    """An error: no board is relevant to a claim."""


def vacuous(
    lab: Generator, claim: Claim, conditional: bool, sections: Collection[str]
) -> VacuousClaim:
    """Return an error if no board is relevant to a claim, with the reason; `sections`: those in
    force."""
    if conditional:
        return VacuousClaim(
            "no board within the limits meets the condition, so the claim was not tested"
        )
    told = "no board within the limits has the things that the claim is about"
    why = dict.fromkeys(f"; {each}" for each in _why_not(lab, claim, sections))
    return VacuousClaim("".join((told, *why)))


def _why_not(lab: Generator, claim: Claim, sections: Collection[str]) -> Iterator[str]:
    """Yield why no rule is about the topics of a claim: the section of such rules, and its option."""
    asked = {node.topic for rule in lab.rules for node in rule.body if node.name == "asked"}
    for each in claim.literals:
        if not isinstance(each, QueryLiteral):
            continue
        if each.name == "violates":
            yield "boards of the lab never violate a rule"
        if each.name in lab.never:
            yield f"no board of the lab has {lab.never[each.name]}"
        if each.name not in default_vocabulary().topics:
            continue
        functor = (each.name, len(each.args))
        telling = {*calculus().topic_heads} - {"silent"}
        of = {
            section_of(lab.program.norms[rule.norm])
            for rule in lab.program.rules
            for head in rule.heads
            if rule.norm and head.topic == functor and head.name in telling
        }
        if not of:
            yield f"no rule gives a value for {each.name}"
        elif of.isdisjoint(sections) and of <= {*default_vocabulary().words["section"]}:
            named = " or ".join(f"--section {section}" for section in sorted(of))
            yield f"{each.name} needs {named}"
        elif functor in asked and any(isinstance(one.value, Variable) for one in each.args):
            yield f"the variables in {each.name} need values: replace them by names"
        elif told := absent_inputs(lab, nodes_of(lab, Query((each,)))):
            yield f"no board of the lab has {'; nor '.join(told)}"
