"""What a claim speaks of, as a search is told of it: sights, shots, units; the grids that have its
hexes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import starmap

from rules_asp.answers.patterns import asked_facts
from rules_asp.knowledge.source import Functor
from rules_asp.lab.reading.claimed import Claim
from rules_asp.lab.searching.runs import NUMBERS
from rules_asp.positions.places import QuestionError
from rules_asp.terms.arguments import quoted
from rules_asp.terms.grid import Grid, Location
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.query import (
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
from rules_asp.terms.symbols import to_symbol


def facts(
    claim: Claim, one_of_two: bool, units: Collection[str] = (), pairs: Collection[Functor] = ()
) -> str:
    """What the claim asks, as facts of kb/lab/claim.lp; `one_of_two`: the search names two hexes.

    units: those that boards may have, as `units_of` names them. pairs: the topics that are asked of two
    Locations.
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
            # One that is named in all parts is the same wherever it stands.
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
    """The units that boards may have, as facts, with the types that the claim says of them."""
    for literal in claim.literals:
        if isinstance(literal, QueryLiteral) and literal.name == "unit" and not literal.negated:
            name, kind = (each.value for each in literal.args)
            if isinstance(name, str) and isinstance(kind, str):
                yield f"typed({quoted(name)},{kind})."
    yield from (f"spoken_of({quoted(unit)})." for unit in sorted(units))


#: The names of units that a claim does not name; there are no more.
_NAMES = "ABCDEFGH"
#: So many units are there for others than those that the variables of a claim stand for, if it has many.
_FEW = 3


def units_of(*claims: Claim, most: int | None = None) -> tuple[str, ...]:
    """The units that boards for claims may have: those that they name, and others for what they leave open.

    There are enough for each that is left open to be another, and for each number that is counted to be
    passed. most: so many instead. QuestionError where they would be too many to search.
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
    # Some norms are about who else is there: one more than are named or left open, and no fewer than two.
    others = min(max(len(left_open) + 1, 2 - len(named)), max(len(left_open), _FEW))
    wanted = max(len(named) + others, *map(_counted, claims)) if most is None else most
    if wanted > len(_NAMES):
        raise QuestionError(
            f"not searched: boards of the lab have {len(_NAMES)} units at most, and not {wanted}"
        )
    free = [each for each in _NAMES if each not in named]
    return tuple(sorted({*named, *free[: max(0, wanted - len(named))]}))


def _counted(claim: Claim) -> int:
    """So many units are needed to pass the numbers that a claim counts of them, or by them."""
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
    """The kinds of what is left open in it, be it without a name."""
    if isinstance(given.value, FunctionTerm):
        for inner in given.value.args:
            yield from _kinds(inner)
    elif isinstance(given.value, Variable):
        yield given.kind


def _variables(claim: Claim, *kinds: str) -> Iterator[str]:
    """The variables of a claim that are of these kinds somewhere in it."""
    for literal in claim.literals:
        if isinstance(literal, QueryLiteral):
            for each in literal.arguments:
                yield from (name for name, kind in each.variables if kind in kinds)


def _asked(literal: QueryLiteral) -> Iterator[str]:
    """The facts by which the ordinary commands ask this, but for sights and shots."""
    if any(_named(each, UnitLocation | UnitLosTerm) for each in literal.arguments):
        return
    forms = [each.value for each in literal.arguments if isinstance(each.value, FunctionTerm)]
    deeds = {each.name for each in forms if _between_places(each)}
    for symbol in asked_facts(Query((literal,))):
        (about,) = symbol.arguments
        if about.name in deeds:
            continue
        if about.name not in ("shot", "s") and "shot(" not in str(symbol):
            yield f"{symbol}."


def _from_anywhere(claim: Claim) -> Iterator[str]:
    """That steps are asked for from every Location: one of them begins where another can end.

    Else a step is asked for from where its unit is.
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
            of_all = vocabulary().words["by"] if isinstance(by.value, Variable) else (by.value,)
            yield from (f"steps_from_anywhere({each})." for each in of_all)


def numbers(claim: Claim) -> Iterator[str]:
    """The numbers that a claim names of what boards state, as facts: so they may state them."""
    for literal in claim.literals:
        if isinstance(literal, QueryLiteral) and literal.name in vocabulary().inputs:
            # Of a unit's quantities each has its own numbers.
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
    """What is asked between two places, with its ends; `some`: the variables that stand for units."""
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
            # Who stands somewhere may be meant by it, or by the place.
            of_units = some and any(
                isinstance(each.value, Variable) and each.value.name in some for each in value.args
            )
            either = free if told == [None, None] and not of_units else "anyone"
            yield "deed", ",".join((*(each or either for each in told), value.name))
        for inner in value.args:
            yield from _sights_and_shots(inner, free, some)


def _pair(literal: QueryLiteral, free: str) -> list[str]:
    """The ends of two Locations that a topic is asked of."""
    values = [each.value for each in literal.args if each.kind == "location"]
    ends = [_end(each) if isinstance(each, Location) else None for each in values]
    return [each or (free if ends == [None, None] else "whichever") for each in ends]


def _end(place: Location) -> str:
    return str(to_symbol(place, "location"))


def _party(value: object) -> str | None:
    """A Location or unit that a deed names; None: it leaves it open."""
    if isinstance(value, UnitLocation):
        return quoted(value.unit)
    return _end(value) if isinstance(value, Location) else None


def _between_places(form: FunctionTerm) -> bool:
    """Whether it is a deed from one Location to another, and leaves one of them open or to a unit.

    All that could stand there are vertices too, to which no search of the lab looks.
    """
    if len(form.args) != 2 or not all(each.kind in _PLACES for each in form.args):
        return False
    values = [each.value for each in form.args]
    known = all(isinstance(each, Variable | Location | UnitLocation) for each in values)
    return known and not all(isinstance(each, Location) for each in values)


#: Kinds of what may be a Location.
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
    """Whether it is about a single sight, shot or pair of which no end is named, and names no hex at
    all.
    """
    lines = facts(claim, True, pairs=pairs).split("\n")
    ends = [line for line in lines if line.startswith("wanted_")]
    return not claim.places and len(ends) == 1 and ",one,one" in ends[0]


def grids_with(claim: Claim, grids: Collection[Grid]) -> tuple[Grid, ...]:
    """The grids that have all hexes of a claim. QuestionError where there is none."""
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
    hint = f"; --grid {near} has" if near else ""
    raise QuestionError(f"no board that is searched has {names} ({told}){hint}")
