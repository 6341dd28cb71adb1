"""Claims: parsing, substitution, and existence of the things that they name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from rules_asp.game.grid import Hex, Hexside, Location, Vertex, hex_of_spot
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
from rules_asp.parser import parse_query
from rules_asp.parser.query import split_at_commas
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import OF_ANY_LOCATION
from rules_asp.queries.query_facts import may_be_denied
from rules_asp.runtime.limits import size_limit, too_large_message

# --- Existence of the things that a claim names.


def existence_literals(literal: QueryLiteral) -> Iterator[str]:
    """Yield literals for the existence of the things that a literal names; the ordinary commands
    refuse others."""
    if literal.name in OF_ANY_LOCATION:
        return
    for each in literal.arguments:
        yield from _existence_literals(each, literal.negated or may_be_denied(literal))


def _existence_literals(given: Argument, units: bool) -> Iterator[str]:
    value = given.value
    if isinstance(value, FunctionTerm):
        for inner in value.args:
            yield from _existence_literals(inner, units)
    elif isinstance(value, LosTerm | UnitLosTerm):
        for end in (value.a, value.b):
            yield from _existence_literals(Argument(end, "location"), units)
    elif isinstance(value, OpenLosTerm):
        yield from _existence_literals(Argument(value.end, "location"), units)
    elif isinstance(value, Location):
        # A vertex, or a place above the ground outside a building, exists if its hex does.
        if isinstance(value.spot, Vertex) or value.above is not None:
            yield f"hex({hex_of_spot(value.spot).term})"
        else:
            yield f"exists({to_symbol(value, 'location')})"
    elif given.kind == "unit" and isinstance(value, str) and units:
        yield f"unit({given.term},_)"


# --- Claims: questions of the board language, with counts and LOS with two open ends.


_OPERATORS = {"at least": ">=", "at most": "<=", "exactly": "="}
_COUNTING = re.compile(r"\s*(at least|at most|exactly)\b")
_COUNT = re.compile(
    r"\s*(?P<how>at least|at most|exactly)\s+(?P<number>\d{1,3})\s+"
    r"(?P<names>[A-Z]\w*(?:\s*,\s*[A-Z]\w*)*)\s*:\s*(?P<what>.+)",
    re.DOTALL,
)


@dataclass(frozen=True)
class CountCondition:
    """`at least 3 H: rubble(H, stone)`: the number of solutions of a question; names: the counted
    variables.

    ways: the solutions on a board that shows the claim.
    """

    how: str
    number: int
    names: tuple[str, ...]
    query: Query
    ways: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = str(self.query)
        inner = f"({what})" if len(self.query.literals) > 1 else what
        return f"{self.how} {self.number} {', '.join(self.names)}: {inner}"

    @property
    def clingo(self) -> str:
        """Return the aggregate in clingo syntax."""
        body = ", ".join(claim_body(self.query))
        told = f"{','.join(self.names)} : {body}"
        for name in self.names:
            # Counted variables are local, even if the claim uses the same name elsewhere.
            told = re.sub(rf'(?<!["\w]){name}(?!["\w])', f"{name}_counted", told)
        return f"#count {{ {told} }} {_OPERATORS[self.how]} {self.number}"

    def holds(self, ways: int) -> bool:
        """Test whether a number of solutions satisfies the count."""
        return {
            "at least": ways >= self.number,
            "at most": ways <= self.number,
            "exactly": ways == self.number,
        }[self.how]


@dataclass(frozen=True)
class Claim:
    """A question that must hold, with counts."""

    query: Query
    counts: tuple[CountCondition, ...] = ()

    def __str__(self) -> str:
        return ", ".join(map(str, (*self.query.literals, *self.counts)))

    @property
    def literals(self) -> tuple[QueryLiteral | QueryComparison, ...]:
        """All literals, including those of counts."""
        return (
            *self.query.literals,
            *(each for count in self.counts for each in count.query.literals),
        )

    @property
    def whole(self) -> Query:
        """The claim as one question."""
        return Query(self.literals)

    @property
    def body(self) -> str:
        """The body of a rule for the claim."""
        return ", ".join((*claim_body(self.query), *(each.clingo for each in self.counts)))

    @property
    def places(self) -> frozenset[Hex]:
        """The hexes that the claim names."""
        return frozenset(
            hex_ for each in self.literals for a in each.arguments for hex_ in _hexes(a)
        )


def read_claim(text: str) -> Claim:
    """Parse a claim. BoardError for an invalid question, QuestionError for an invalid count."""
    if len(text) > size_limit("question"):
        raise QuestionError(too_large_message("question"))
    found = list(pieces(text))
    _refuse_what_was_counted(found)
    plain = [piece for _, piece, count in found if count is None]
    query = parse_query(",".join(plain), open_sights=True) if plain else Query(())
    return Claim(query, tuple(count for _, _, count in found if count is not None))


def _refuse_what_was_counted(found: Sequence[tuple[int, str, CountCondition | None]]) -> None:
    """Raise QuestionError if a counted variable is used again after the count."""
    for place, (_, counting, count) in enumerate(found):
        for _, later, other in found[place + 1 :]:
            for name in count.names if count and not other else ():
                if re.search(rf'(?<!["\w]){name}(?!["\w])', later):
                    raise QuestionError(
                        f"`{later.strip()}` uses {name} outside its count; put several counted"
                        f" literals in brackets: {counting.strip().replace(': ', ': (', 1)},"
                        f" {later.strip()})"
                    )


def pieces(text: str) -> Iterator[tuple[int, str, CountCondition | None]]:
    """Yield the parts of a claim, each with its position, and parsed if it is a count."""
    begun = ""
    for start, part in split_at_commas(text):
        whole = f"{begun},{part}" if begun else part
        ended = start + len(part)
        # Commas also separate the counted variables.
        if _COUNTING.match(whole) and ":" not in whole and ended < len(text):
            begun = whole
            continue
        yield ended - len(whole), whole, _counted(whole)
        begun = ""


def _counted(part: str) -> CountCondition | None:
    found = _COUNT.fullmatch(part)
    if found is None:
        return None
    inner = found["what"].strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    query = parse_query(inner)
    names = tuple(each.strip() for each in found["names"].split(","))
    for name in names:
        if name not in query.variables:
            raise QuestionError(f"the variable {name} is counted, but it does not occur in {inner}")
    return CountCondition(found["how"], int(found["number"]), names, query)


# --- Clingo text.


def claim_body(query: Query) -> Iterator[str]:
    """Yield the literals of a question as clingo text; units are replaced by their Locations."""
    number = 0
    for literal in query.literals:
        if isinstance(literal, QueryComparison):
            yield literal.clingo
            continue
        terms = Terms(number)
        atom = atom_of(literal, terms)
        yield from terms.where
        yield from existence_literals(literal)
        if not literal.negated:
            yield atom
        else:
            # clingo would read `not` for an LOS with an open end as true if either order is
            # missing.
            for end in (0, 1) if terms.open else (None,):
                yield f"not {atom_of(literal, Terms(number, end))}"
                # An unknown topic is neither true nor false.
                about = _about(literal, Terms(number, end))
                yield from (
                    f"not {unknown}({about})" for unknown in ("is_unknown", "undetermined") if about
                )
        number = terms.number


def atom_of(literal: QueryLiteral, terms: Terms) -> str:
    """Return a literal in clingo syntax, without `not`."""
    args = [terms.of(each) for each in literal.args]
    atom = f"{literal.name}({','.join(args)})" if args else literal.name
    return atom if literal.value is None else f"read({atom},{literal.value.term})"


def _about(literal: QueryLiteral, terms: Terms) -> str | None:
    """Return the topic, action or LOS of a literal if it can be unknown."""
    if literal.value is not None:
        return atom_of(replace(literal, value=None), terms)
    return terms.of(literal.args[0]) if literal.name in NOTIONS else None


def subjects(query: Query) -> Iterator[str]:
    """Yield the topics, actions and LOS of a question in clingo syntax."""
    for literal in query.literals:
        if isinstance(literal, QueryLiteral) and not literal.negated:
            terms = Terms(0)
            if (about := _about(literal, terms)) is not None and not terms.where:
                yield about


#: Predicates of actions and LOS that can be unknown.
NOTIONS = frozenset(("legal", "sees"))


@dataclass
class Terms:
    """Arguments in clingo syntax; auxiliary variables hold the Locations of units.

    first: the first end of an open LOS; None: either.
    """

    number: int = 0
    first: int | None = None
    where: list[str] = field(default_factory=list)
    open: bool = False

    def of(self, given: Argument) -> str:
        """Return an argument in clingo syntax."""
        value = given.value
        if isinstance(value, UnitLocation) and given.kind == "party":
            return quoted(value.unit)
        if isinstance(value, UnitLocation):
            name = f"Unit{self.number}"
            self.number += 1
            self.where.append(f"at({quoted(value.unit)},{name})")
            return name
        if isinstance(value, OpenLosTerm):
            return self.sight(Argument(value.end, "location"), Argument(value.other, "location"))
        if isinstance(value, UnitLosTerm):
            return self.sight(Argument(value.a, "location"), Argument(value.b, "location"))
        if isinstance(value, FunctionTerm) and value.args:
            return f"{value.name}({','.join(map(self.of, value.args))})"
        return given.term

    def sight(self, a: Argument, b: Argument) -> str:
        """Return an LOS term; the order of its ends is not known."""
        self.open = True
        one, other = self.of(a), self.of(b)
        both = (f"s({one},{other})", f"s({other},{one})")
        return f"({';'.join(both)})" if self.first is None else both[self.first]


def guards(literal: QueryLiteral | QueryComparison, place: int = 0) -> Iterator[str]:
    """Yield the conditions for a negated literal: the LOS is measured, the form was asked about.

    place: the index of the literal in its claim, so that each has its own variables for units.
    """
    if isinstance(literal, QueryComparison) or not literal.negated:
        return
    for each in literal.args:
        terms = Terms(90 + 10 * place)
        text = terms.of(each)
        value = each.value
        if each.kind == "sight" or isinstance(value, LosTerm | OpenLosTerm | UnitLosTerm):
            yield from (*terms.where, f"sight({text},_)")
        elif isinstance(value, FunctionTerm) and value.name in default_vocabulary().forms:
            yield from (*terms.where, f"weighed({text})")


def possible(claim: Claim, verdicts: Collection[str] = ()) -> str:
    """Return rules by which each literal of a claim may hold, or not, for any value.

    Actions and LOS are asked about only if the claim names them. Predicates that the calculus
    derives by itself, such as a conflict (`verdicts`), may hold for anything.
    """
    found: list[str] = []
    loose: list[QueryLiteral] = []
    for place, each in enumerate(claim.query.literals):
        if isinstance(each, QueryLiteral) and each.name in (*NOTIONS, "illegal"):
            asked = replace(each, args=each.args[:1], negated=True)
            found += [*existence_literals(each), *guards(asked, place)]
        elif isinstance(each, QueryLiteral) and each.name not in verdicts:
            loose.append(_loosened(each))
    plain = Query(tuple(each for each in loose if not each.negated))
    found += [*claim_body(plain), *(guard for each in loose for guard in guards(each, 99))]
    return ", ".join(found)


def _loosened(literal: QueryLiteral) -> QueryLiteral:
    value = literal.value and Argument(Variable("_"), literal.value.kind)
    return replace(literal, args=tuple(map(_loose, literal.args)), value=value)


def _loose(given: Argument) -> Argument:
    value = given.value
    if isinstance(value, FunctionTerm):
        return given._replace(value=FunctionTerm(value.name, tuple(map(_loose, value.args))))
    return given._replace(value=Variable("_"))


def weighed(literals: Iterable[QueryLiteral | QueryComparison]) -> Iterator[tuple[str, int]]:
    """Yield the kinds of forms that only count if they were asked about."""
    for literal in literals:
        if isinstance(literal, QueryLiteral) and (
            literal.negated or may_be_denied(literal) or literal.name in (*NOTIONS, "illegal")
        ):
            for each in literal.args:
                if (
                    isinstance(each.value, FunctionTerm)
                    and each.value.name in default_vocabulary().forms
                ):
                    yield each.value.name, len(each.value.args)


# --- The values of a claim on a board.


def beyond_search(claim: Claim) -> str | None:
    """Return a Location of an LOS, fire attack or action in the claim that no search covers; None
    if all are covered."""
    for literal in claim.literals:
        for each in literal.arguments:
            if each.kind in ("location", "spot"):
                continue
            places = [place for place in _named_places(each) if isinstance(place, Location)]
            vertices = [place for place in places if isinstance(place.spot, Vertex)]
            if len(vertices) > 1 and each.kind in ("sight", "shot"):
                told = " and ".join(map(str, vertices))
                return f"{told}: the lab does not search lines between two vertices"
            for place in places:
                if place.above is not None:
                    return f"{place}: the lab does not search levels without a Location"
    return None


def of_bypass(claim: Claim) -> bool:
    """Test whether a claim is about units in Bypass: it says so, or names a vertex."""
    literals = [each for each in claim.literals if isinstance(each, QueryLiteral)]
    named = (
        each
        for literal in literals
        for argument in literal.arguments
        for each in _named_places(argument)
    )
    spots = (each.spot if isinstance(each, Location) else each for each in named)
    return any(each.name == "bypasses" for each in literals) or any(
        isinstance(each, Vertex) for each in spots
    )


def _hexes(given: Argument) -> Iterator[Hex]:
    for each in _named_places(given):
        spot = each.spot if isinstance(each, Location) else each
        if isinstance(spot, Hexside):
            yield from (spot.a, spot.b)
        elif isinstance(spot, Vertex):
            yield spot.hex
        elif isinstance(spot, Hex):
            yield spot


def _named_places(given: Argument) -> Iterator[object]:
    """Yield all places in an argument at any depth, such as the ends of an LOS."""
    value = given.value
    if isinstance(value, FunctionTerm):
        for inner in value.args:
            yield from _named_places(inner)
    elif isinstance(value, LosTerm | UnitLosTerm):
        yield from (value.a, value.b)
    elif isinstance(value, OpenLosTerm):
        yield value.end
    else:
        yield value
