"""Claims: queries with counts and extremes, for `ask` on a board and for the searches of the lab."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import NamedTuple

import clingo

from rules_asp.game.grid import Hex, Hexside, Location, Vertex
from rules_asp.game.query import (
    Argument,
    FunctionTerm,
    LosTerm,
    OpenLosTerm,
    Query,
    QueryComparison,
    QueryLiteral,
    UnitLosTerm,
)
from rules_asp.game.values import Notation
from rules_asp.parser import parse_query
from rules_asp.parser.query import split_at_commas
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import board_prefixes
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope
from rules_asp.queries.ask import (
    PROVED,
    Asked,
    Bindings,
    QueryBatch,
    QueryQuestion,
    answer_from_sets,
    ask,
    ask_together,
    ask_with_forbidden_deeds,
    bindings_of,
    each_once,
    scope_of_query,
    with_forbidden_deeds,
)
from rules_asp.queries.evaluate import query_body, substitute
from rules_asp.queries.question import LimitNote, ParameterKind, parameter
from rules_asp.queries.too_wide import limit_if_open
from rules_asp.queries.whynot import candidate_norms
from rules_asp.runtime.limits import size_limit, too_large_message

_OPERATORS = {"at least": ">=", "at most": "<=", "exactly": "="}
#: Whether the number is a lower bound, and whether it is an upper bound.
_BOUNDS = {"at least": (True, False), "at most": (False, True), "exactly": (True, True)}
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
        body = ", ".join(query_body(self.query, exists=True))
        told = f"{','.join(self.names)} : {body}"
        for name in self.names:
            # Counted variables are local, even if the claim uses the same name elsewhere.
            told = re.sub(rf'(?<!["\w]){name}(?!["\w])', f"{name}_counted", told)
        return f"#count {{ {told} }} {_OPERATORS[self.how]} {self.number}"

    def holds(self, ways: int, more: float) -> bool | None:
        """Test whether a number of solutions satisfies the count; None for unknown.

        `more`: the number of others that there may be.
        """
        fewest, most = _BOUNDS[self.how]
        least = self.number if fewest else 0
        greatest = self.number if most else inf
        if ways > greatest or ways + more < least:
            return False
        return True if least <= ways and ways + more <= greatest else None


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
        return ", ".join(
            (*query_body(self.query, exists=True), *(each.clingo for each in self.counts))
        )

    @property
    def places(self) -> frozenset[Hex]:
        """The hexes that the claim names."""
        return frozenset(
            hex_ for each in self.literals for a in each.arguments for hex_ in _hexes(a)
        )


def read_claim(text: str, position: Position | None = None) -> Claim:
    """Parse a claim, on a position or for the lab, where both ends of an LOS may be open.

    BoardError for an invalid question, QuestionError for an invalid count.
    """
    if len(text) > size_limit("question"):
        raise QuestionError(too_large_message("question"))
    found = list(pieces(text, position))
    _refuse_what_was_counted(found)
    plain = [piece for _, piece, count in found if count is None]
    query = _query(",".join(plain), position, True) if plain else Query(())
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


def _query(text: str, position: Position | None, open_sights: bool = False) -> Query:
    if position is None:
        return parse_query(text, open_sights=open_sights)
    return parse_query(text, board_prefixes(position), position.notation)


def pieces(
    text: str, position: Position | None = None
) -> Iterator[tuple[int, str, CountCondition | None]]:
    """Yield the parts of a claim, each with its position, and parsed if it is a count."""
    begun = ""
    for start, part in split_at_commas(text):
        whole = f"{begun},{part}" if begun else part
        ended = start + len(part)
        # Commas also separate the counted variables.
        if _COUNTING.match(whole) and ":" not in whole and ended < len(text):
            begun = whole
            continue
        yield ended - len(whole), whole, _counted(whole, position)
        begun = ""


def _counted(part: str, position: Position | None) -> CountCondition | None:
    found = _COUNT.fullmatch(part)
    if found is None:
        return None
    inner = found["what"].strip()
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    query = _query(inner, position)
    names = tuple(each.strip() for each in found["names"].split(","))
    for name in names:
        if name not in query.variables:
            raise QuestionError(f"the variable {name} is counted, but it does not occur in {inner}")
    return CountCondition(found["how"], int(found["number"]), names, query)


def _hexes(given: Argument) -> Iterator[Hex]:
    for each in named_places(given):
        spot = each.spot if isinstance(each, Location) else each
        if isinstance(spot, Hexside):
            yield from (spot.a, spot.b)
        elif isinstance(spot, Vertex):
            yield spot.hex
        elif isinstance(spot, Hex):
            yield spot


def named_places(given: Argument) -> Iterator[object]:
    """Yield all places in an argument at any depth, such as the ends of an LOS."""
    value = given.value
    if isinstance(value, FunctionTerm):
        for inner in value.args:
            yield from named_places(inner)
    elif isinstance(value, LosTerm | UnitLosTerm):
        yield from (value.a, value.b)
    elif isinstance(value, OpenLosTerm):
        yield value.end
    else:
        yield value


# --- Extremes.

#: Kinds of values that can be compared as numbers.
NUMBERS = frozenset(("number", "half_level", "quarter"))


class ExtremeValue(NamedTuple):
    """The greatest or least value, as a number and in the notation of boards."""

    number: int
    text: str


@dataclass(frozen=True)
class Extreme:
    """The variable whose greatest or least value is wanted; or the difference `W - V` of two."""

    name: str
    greatest: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The variable, or the two of a difference."""
        return tuple(each.strip() for each in self.name.split("-"))

    def __str__(self) -> str:
        return f"{'greatest' if self.greatest else 'least'} {self.name}"

    def check(self, variables: Mapping[str, str]) -> None:
        """Raise QuestionError for a variable that a claim does not have, and for no difference of
        numbers."""
        kinds = [variables.get(name) for name in self.names]
        if None in kinds:
            raise QuestionError(f"the claim has no variable {self.names[kinds.index(None)]}")
        if len(kinds) > 2 or (len(kinds) == 2 and (len({*kinds}) > 1 or kinds[0] not in NUMBERS)):
            raise QuestionError(
                f"{self.name} must be a variable, or a difference of two numbers of the same kind"
            )

    def value(
        self, values: Mapping[str, clingo.Symbol], kinds: Mapping[str, str], notation: Notation
    ) -> ExtremeValue | None:
        """Return the value for these variables; None if it is not a number."""
        told = [values[name] for name in self.names]
        if not all(each.type == clingo.SymbolType.Number for each in told):
            return None
        number = told[0].number - sum(each.number for each in told[1:])
        text = notation.value_text(clingo.Number(number), kinds[self.names[0]])
        return ExtremeValue(number, text)


def chosen_extreme(greatest: str | None, least: str | None) -> Extreme | None:
    """Return the extreme that two options name; QuestionError if both do."""
    if greatest and least:
        raise QuestionError("--greatest and --least cannot be used together: choose one")
    wanted = greatest or least
    return Extreme(wanted, bool(greatest)) if wanted else None


# --- Claims on a board.


@dataclass(frozen=True)
class AskQuestion(QueryQuestion[Asked]):
    """Answer any question about the board.

    QUERY is a property, or several separated by commas, such as 'height(U4) = V' or 'factory(H),
    not rowhouse(H)'. Words with a capital letter are variables. `rules-asp words` lists all
    properties. A question can contain a number: 'at least 3 H: factory(H)', also with "at most" or
    "exactly".

    Example: rules-asp ask church "height(H) = V"
    """

    kind = "ask"
    query: str | Query | Claim = parameter(ParameterKind.SENTENCE)
    greatest: str | None = parameter(
        ParameterKind.TEXT,
        "Show only solutions with the greatest value of this variable, or of a difference such as `W - V`.",
        default=None,
        metavar="V",
    )
    least: str | None = parameter(
        ParameterKind.TEXT,
        "Show only solutions with the least value of this variable, or of a difference such as `W - V`.",
        default=None,
        metavar="V",
    )

    def claim_on(self, position: Position) -> Claim:
        """The query with its counts, on a position."""
        match self.query:
            case Claim() as claim:
                return claim
            case Query() as query:
                return Claim(query)
        return read_claim(self.query, position)

    def query_on(self, position: Position) -> Query:
        """The query without its counts, on a position."""
        return self.claim_on(position).query

    @property
    def is_plain(self) -> bool:
        """Whether it neither counts nor asks for an extreme; it must be resolved."""
        assert isinstance(self.query, Claim)
        return not (self.query.counts or self.greatest or self.least)

    def resolved(self, position: Position) -> AskQuestion:
        """Return the question with the parsed query."""
        return replace(self, query=self.claim_on(position))

    def limit_note(self) -> LimitNote | None:
        """It may take long where something is left open."""
        assert isinstance(self.query, Claim)
        return limit_if_open(self.kind, self.query.whole)

    def find(self, position: Position, cite: bool) -> Asked:
        """Return the solutions; with `cite`, also the forbidden actions."""
        claim, extreme = self.claim_on(position), chosen_extreme(self.greatest, self.least)
        if not claim.counts and extreme is None:
            return ask_with_forbidden_deeds(position, claim.query, cite)
        return ask_claim(position, claim, extreme, cite)

    def scope(self, position: Position, answer: Asked) -> Scope:
        """Return the things it names, and the values of its variables."""
        return scope_of_query(position, self.claim_on(position).whole, answer)


@dataclass(frozen=True)
class Counted:
    """A count on a board: whether it holds (None for unknown), its solutions, the counted values as
    texts, and the literals of its certain solutions."""

    count: CountCondition
    holds: bool | None
    ways: Bindings
    texts: tuple[str, ...]
    literals: tuple[QueryLiteral | QueryComparison, ...]


def count_on(position: Position, count: CountCondition, batch: QueryBatch | None = None) -> Counted:
    """Evaluate a count on a board. An unknown answer may be yes, so there may be more."""
    notation, kinds = position.notation, count.query.variables
    ways = bindings_of(position, count.query, batch)
    found: set[tuple[str, ...]] = set()
    literals: dict[QueryLiteral | QueryComparison, None] = {}
    for way in each_once(ways.certain, tuple(kinds.values())):
        values = dict(zip(kinds, way, strict=True))
        found.add(
            tuple(notation.value_text(values[n], kinds[n]) for n in kinds if n in count.names)
        )
        literals |= dict.fromkeys(substitute(count.query, values, notation).literals)
    texts = tuple(map(" ".join, sorted(found)))
    # Each unknown topic of a single literal may be one more.
    single = len(count.query.literals) == 1
    others = len(ways.perhaps) + len(ways.possible) - len(ways.certain)
    more = max(others, len(ways.unknown) > 0) if single or not ways.is_open else inf
    holds = count.holds(len(found), more)
    return Counted(count, holds, ways, texts, tuple(literals))


@dataclass(frozen=True)
class _Solution:
    """A solution of the query of a claim, with its counts."""

    values: Mapping[str, clingo.Symbol]
    counted: tuple[Counted, ...]

    @property
    def holds(self) -> bool | None:
        verdicts = {each.holds for each in self.counted}
        return False if False in verdicts else None if None in verdicts else True


def bound_counts(
    claim: Claim, values: Mapping[str, clingo.Symbol], notation: Notation
) -> tuple[CountCondition, ...]:
    """Return the counts of a claim with the values of its other variables."""
    outside = ({n: v for n, v in values.items() if n not in each.names} for each in claim.counts)
    return tuple(
        replace(each, query=substitute(each.query, bound, notation, compared=True))
        for each, bound in zip(claim.counts, outside, strict=True)
    )


def ask_claim(
    position: Position, claim: Claim, extreme: Extreme | None = None, cite: bool = True
) -> Asked:
    """Answer a query with counts, or the greatest or least value of a variable.

    Each solution of the rest of the query has counts of its own, as in the lab.
    """
    query, notation, kinds = claim.query, position.notation, claim.query.variables
    if extreme is not None:
        extreme.check(kinds)
    ways = bindings_of(position, query) if query.literals else Bindings(((),), frozenset({()}), ())
    if not ways.certain:
        return ask_with_forbidden_deeds(position, query, cite)
    bound = [dict(zip(kinds, way, strict=True)) for way in ways.certain]
    counts = [bound_counts(claim, values, notation) for values in bound]
    batch = ask_together(position, [each.query for these in counts for each in these])
    solved = [
        _Solution(values, tuple(count_on(position, each, batch) for each in these))
        for values, these in zip(bound, counts, strict=True)
    ]
    held = [each for each in solved if each.holds]
    doubts = [each for each in solved if each.holds is None]
    best = None if extreme is None else _best(held, extreme, kinds, notation)
    if best is not None:
        held = [
            each for each in held if extreme and extreme.value(each.values, kinds, notation) == best
        ]
    shown = (held or solved)[:PROVED]
    if extreme is not None and (doubts or ways.is_open):
        doubts, held, best = [*doubts, *held], [], None
    open_ = [one.ways for each in doubts for one in each.counted if one.holds is None]
    open_ += [ways] if not held or extreme is None else []
    certain = tuple(tuple(each.values.values()) for each in held)
    possible = {tuple(each.values.values()) for each in doubts} | (ways.possible - {*ways.certain})
    told = Bindings(
        certain,
        frozenset(possible | {*certain}),
        tuple(dict.fromkeys(why for each in open_ for why in each.unknown)),
        perhaps=tuple(dict.fromkeys(about for each in open_ for about in each.perhaps)),
    )
    answer = replace(
        answer_from_sets(position, query, told, ()),
        counted=tuple((str(one.count), one.texts) for each in shown for one in each.counted),
        extreme=(str(extreme), best.text) if best else None,
    )
    return _cited(position, claim, answer, shown) if cite else answer


def _best(
    found: Iterable[_Solution], extreme: Extreme, kinds: Mapping[str, str], notation: Notation
) -> ExtremeValue | None:
    """Return the extreme value among solutions; None if none has a number."""
    worths = (extreme.value(each.values, kinds, notation) for each in found)
    numbers = (each for each in worths if each is not None)
    return (max if extreme.greatest else min)(numbers, default=None)


def _cited(position: Position, claim: Claim, answer: Asked, shown: Sequence[_Solution]) -> Asked:
    """Return the answer with the proofs of what it shows, and the norms that could give a count
    more solutions."""
    literals: dict[QueryLiteral | QueryComparison, None] = {}
    for each in shown:
        query = substitute(claim.query, each.values, position.notation)
        literals |= dict.fromkeys(query.literals)
        literals |= dict.fromkeys(one for count in each.counted for one in count.literals[:PROVED])
    # More solutions would change a count with an upper bound, or one with too few.
    open_ = [e for e in claim.counts if _BOUNDS[e.how][1] or not answer.holds]
    counted = (each for count in open_ for each in count.query.literals)
    norms = (n for e in counted for n in candidate_norms(position, Query((e,))))
    answer = replace(answer, could=tuple(dict.fromkeys(norms)))
    if not literals:
        return answer
    told = Query(tuple(literals))
    proved = with_forbidden_deeds(position, told, ask(position, told))
    return replace(
        answer,
        cites=proved.cites,
        beaten=proved.beaten,
        evidence=proved.evidence,
        not_allowed=proved.not_allowed,
    )
