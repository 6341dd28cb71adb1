"""Witnesses: generated boards as readable boards with a question; findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import clingo

from rules_asp.game.board import (
    Area,
    Bar,
    Board,
    Building,
    Expect,
    Fact,
    HexsideTerrain,
    Level,
    Road,
    Statement,
    UnitStatement,
)
from rules_asp.game.grid import Grid, Hex, Hexside, Location
from rules_asp.game.query import (
    Argument,
    DeedQuery,
    FunctionTerm,
    LosTerm,
    Query,
    QueryLiteral,
    Variable,
    argument_from_symbol,
    arguments_from_symbols,
    value_from_symbol,
)
from rules_asp.game.values import default_notation, hex_from_symbol, hexside_from_symbol
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.lab.drawn_lines import SHORT
from rules_asp.lab.generator import Generator, SearchBounds, SearchSite
from rules_asp.lab.symmetry import canonical_board, without_names
from rules_asp.parser import parse, write
from rules_asp.parser.errors import BoardError
from rules_asp.parser.input_syntax import TRAITS
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.ask import ask
from rules_asp.queries.check import check
from rules_asp.queries.claims import CountCondition, ExtremeValue, count_on
from rules_asp.queries.legality import can
from rules_asp.queries.los import los

# --- A board of a search, in a form that can be written, read and asked about.


#: Inputs with statements of their own.
_PRINTED = frozenset(
    [
        "hex",
        "next",
        "part",
        "section",
        "base",
        "terrain",
        "striped",
        "dashed",
        "depicts",
        "joined",
        "stairwell_symbol",
        "bar",
        "short_bar",
        "side_terrain",
        "road",
        "side",
        "unit",
        "strength",
        "of_side",
        "at",
    ]
)
#: The statements about sides are needed if one of these inputs occurs.
_OF_SIDES = ("of_side", "control", "moving_side", "ssr_fortified_levels")


@dataclass(frozen=True)
class WitnessEvidence:
    """The evidence of a board: a question that holds there, and a defeated norm with its winner.

    counts: the number of solutions of other questions. worth: the value that is to be extreme.
    refused: actions that are not allowed.
    """

    query: Query
    beaten: tuple[str, str] | None = None
    counts: tuple[CountCondition, ...] = ()
    worth: ExtremeValue | None = None
    refused: tuple[DeedQuery, ...] = ()


@dataclass(frozen=True)
class Witness:
    """The smallest board that shows a goal, and the question that shows it there.

    beaten: the defeated norm and its winner, if `los` reports them. counts: the number of solutions
    of other questions. refused: actions that are not allowed there.
    """

    board: Board
    query: Query
    beaten: tuple[str, str] | None = None
    counts: tuple[CountCondition, ...] = ()
    refused: tuple[DeedQuery, ...] = ()

    @property
    def shots(self) -> tuple[tuple[Location, Location], ...]:
        """The firer and target Locations of the fire attacks in its question."""
        found: dict[tuple[Location, Location], None] = {}
        for literal in self.query.literals:
            for each in literal.arguments:
                value = each.value
                if isinstance(value, FunctionTerm) and value.name == "shot":
                    ends = tuple(end.value for end in value.args[:2])
                    if all(isinstance(end, Location) for end in ends) and len({*ends}) == 2:
                        found[ends] = None  # type: ignore[index]
        return tuple(found)

    @property
    def away(self) -> tuple[tuple[str, Location, Location], ...]:
        """Units with a step that begins elsewhere: each, its Location, the start of the step."""
        things = (each for each in self.board.statements if isinstance(each, UnitStatement))
        facts = (fact for thing in things for fact in thing.facts if fact.name == "at")
        at = {str(fact.args[0]): fact.args[1] for fact in facts}
        found: dict[tuple[str, Location, Location], None] = {}
        for literal in self.query.literals:
            for each in literal.arguments:
                if isinstance(each.value, FunctionTerm) and each.value.name == "step":
                    _, unit, start, *_ = (part.value for part in each.value.args)
                    here = at.get(str(unit))
                    if isinstance(here, Location) and isinstance(start, Location) and here != start:
                        found[str(unit), here, start] = None
        return tuple(found)

    @property
    def text(self) -> str:
        """The board in the board language, with the question as an expectation."""
        asked = (Expect(self.query),) if self.query.literals else ()
        expected = (*asked, *(Expect(each, "no") for each in self.refused))
        counted = "".join(f"# {each}{_listed(each)}\n" for each in self.counts)
        return self.plain + counted + write(Board("", Grid(0, 0), expected))

    @property
    def plain(self) -> str:
        """The board alone in the board language."""
        return write(self.board)


@dataclass(frozen=True)
class Confirmation:
    """The check of a witness by the ordinary commands: violated norms, and any doubt.

    unseen: fire attacks of its question, as text, without LOS between their ends.
    """

    broken: tuple[str, ...]
    doubt: str | None
    unseen: tuple[str, ...] = ()


def confirm(shown: Witness, lab: Generator, bounds: SearchBounds) -> Confirmation:
    """Confirm a witness: read its board from text, check it, and ask the question."""
    try:
        here = prepare(parse(shown.text), lab.program, bounds.without)
    except BoardError as error:
        return Confirmation((), f"as a board it is refused: {error}")
    broken = tuple(dict.fromkeys(each.norm for each in check(here).violations))
    doubt = _doubt(here, shown)
    return Confirmation(broken, doubt, () if doubt or broken else tuple(_unseen(here, shown)))


def with_ways(shown: Witness, lab: Generator, bounds: SearchBounds) -> Witness:
    """Return a witness with the counted solutions on its board, from the ordinary commands."""
    if not shown.counts:
        return shown
    here = prepare(parse(shown.plain), lab.program, bounds.without)
    counts = tuple(replace(each, ways=count_on(here, each).texts) for each in shown.counts)
    return replace(shown, counts=counts)


#: Number of counted values listed with a board; --json has all.
_LISTED = 12


def _listed(count: CountCondition) -> str:
    more = len(count.ways) - _LISTED
    told = ", ".join((*count.ways[:_LISTED], *([f"and {more} more"] if more > 0 else [])))
    return f" ({told})" if told else ""


def _unseen(here: Position, shown: Witness) -> Iterator[str]:
    """Yield the fire attacks of a witness that have no LOS."""
    for one, other in shown.shots:
        with suppress(QuestionError):
            if los(here, one, other).clear is False:
                yield f"{one} - {other}"


def _doubt(here: Position, shown: Witness) -> str | None:
    """Return why the ordinary commands do not confirm a witness; None if they do."""
    try:
        if shown.query.literals and not ask(here, shown.query, cite=False).holds:
            return f"asked of this board, {shown.query} is not so"
        for count in shown.counts:
            holds = count_on(here, count).holds
            if not holds:
                so = "so" if holds is False else "known"
                return f"asked of this board, {count} is not {so}"
        for deed in shown.refused:
            if can(here, deed, cite=False).legal is not False:
                return f"asked of this board, {deed.deed} is not refused"
    except QuestionError as error:
        return f"asked of this board, {shown.query}: {error}"
    if shown.beaten is None:
        return None
    (literal,) = (each for each in shown.query.literals if isinstance(each, QueryLiteral))
    sight = literal.args[0].value
    assert isinstance(sight, LosTerm)
    told = {(each.norm, each.by) for each in los(here, sight.a, sight.b).beaten}
    loser, winner = shown.beaten
    return None if shown.beaten in told else f"{winner} is not told to beat {loser}"


def make_witness(
    name: str, grid: Grid, symbols: Iterable[clingo.Symbol], sign: WitnessEvidence
) -> Witness:
    """Return the board of an answer set, and the evidence of its goal."""
    return Witness(
        Board(name, grid, tuple(_statements(symbols))),
        sign.query,
        sign.beaten,
        sign.counts,
        sign.refused,
    )


def of_text(text: str, beaten: tuple[str, str] | None = None) -> Witness:
    """Read a witness from its text. BoardError or ValueError if that fails."""
    board = parse(text)
    asked = [each.question for each in board.statements if isinstance(each, Expect)]
    (query,) = (each for each in asked if isinstance(each, Query))
    refused = tuple(each for each in asked if isinstance(each, DeedQuery))
    kept = tuple(each for each in board.statements if not isinstance(each, Expect))
    return Witness(Board(board.name, board.grid, kept), query, beaten, (), refused)


def query_of(*atoms: clingo.Symbol) -> Query:
    """Return atoms of the vocabulary as a question: conflict(height(..),..), illegal(..),
    is(topic,value)."""
    return Query(tuple(map(_literal, atoms)))


def _literal(atom: clingo.Symbol) -> QueryLiteral:
    if atom.name in ("is", "total"):
        topic, value = atom.arguments
        entry = default_vocabulary().topics[topic.name]
        args = arguments_from_symbols(topic.arguments, entry.kinds, default_notation())
        return QueryLiteral(
            topic.name, args, argument_from_symbol(value, entry.value, default_notation())
        )
    entry_of = default_vocabulary().predicate(atom.name)
    assert entry_of is not None, atom
    return QueryLiteral(
        atom.name, arguments_from_symbols(atom.arguments, entry_of.kinds, default_notation())
    )


def any_query(kind: str) -> Argument:
    """Return an open part of a question."""
    return Argument(Variable("_"), kind)


def _statements(symbols: Iterable[clingo.Symbol]) -> Iterator[Statement]:
    by_name: dict[str, list[tuple[clingo.Symbol, ...]]] = defaultdict(list)
    inputs = default_vocabulary().inputs
    # An answer set has about a thousand other atoms; filtering first avoids comparing them.
    stated = [symbol for symbol in symbols if symbol.name in inputs]
    for symbol in sorted(stated):
        if len(symbol.arguments) == len(inputs[symbol.name].kinds):
            by_name[symbol.name].append(tuple(symbol.arguments))
    sections = tuple(str(each) for (each,) in by_name["section"])
    if sections != ("b23",):
        yield from (Fact("section", (each,)) for each in sections)
    if any(by_name[each] for each in _OF_SIDES):
        yield from (Fact("side", (str(each),)) for (each,) in by_name["side"])
    raised: dict[int, list[Hex]] = defaultdict(list)
    for hex_, level in by_name["base"]:
        raised[level.number // 2].append(hex_from_symbol(hex_))
    yield from (Level(level, tuple(hexes)) for level, hexes in raised.items() if level)
    for kind, hexes in _hexes_by_kind(by_name["terrain"]).items():
        yield Area(kind, hexes)
    for kind, name in (("lumberyard", "striped"), ("marketplace", "dashed")):
        if by_name[name]:
            yield Area(kind, tuple(hex_from_symbol(each) for (each,) in by_name[name]))
    yield from _buildings(by_name)
    sides: dict[str, list[Hexside]] = defaultdict(list)
    for where, kind_of in by_name["side_terrain"]:
        sides[str(kind_of)].append(hexside_from_symbol(where))
    yield from (HexsideTerrain(kind, tuple(where)) for kind, where in sides.items())
    for where, surface in by_name["road"]:
        yield Road(str(surface), tuple(hexside_from_symbol(where)))
    yield from _units(by_name)
    for name in inputs:
        if name not in _PRINTED and name not in TRAITS:
            for args in by_name[name]:
                yield Fact(name, tuple(value_from_symbol(arg) for arg in args))


def _hexes_by_kind(
    found: Iterable[tuple[clingo.Symbol, ...]],
) -> dict[str, tuple[Hex, ...]]:
    kinds: dict[str, tuple[Hex, ...]] = {}
    for hex_, kind in found:
        kinds[str(kind)] = (*kinds.get(str(kind), ()), hex_from_symbol(hex_))
    return kinds


def _buildings(by_name: dict[str, list[tuple[clingo.Symbol, ...]]]) -> Iterator[Building]:
    """Yield the buildings: hexes of one color connected by joined hexsides."""
    colours = {hex_from_symbol(hex_): str(colour) for hex_, colour in by_name["depicts"]}
    joined = [hexside_from_symbol(where) for (where,) in by_name["joined"]]
    short = {hexside_from_symbol(where) for (where,) in by_name["short_bar"]}
    bars = [
        Bar(where, SHORT if where in short else None)
        for where in (hexside_from_symbol(where) for (where,) in by_name["bar"])
    ]
    stairs = [hex_from_symbol(where) for (where,) in by_name["stairwell_symbol"]]
    whole = {hex_: {hex_} for hex_ in colours}
    for one, other in joined:
        merged = whole[one] | whole[other]
        whole |= dict.fromkeys(merged, merged)
    seen: set[Hex] = set()
    for hex_ in sorted(colours):
        if hex_ in seen:
            continue
        seen |= whole[hex_]
        yield Building(
            colours[hex_],
            tuple(sorted(whole[hex_])),
            joined=tuple(each for each in joined if each.a in whole[hex_]),
            stairwells=tuple(each for each in stairs if each in whole[hex_]),
            bars=tuple(each for each in bars if each.side.a in whole[hex_]),
        )


def _units(by_name: dict[str, list[tuple[clingo.Symbol, ...]]]) -> Iterator[UnitStatement]:
    for args in by_name["unit"]:
        facts = []
        for name in ("unit", "strength", "of_side", "at", *TRAITS):
            for each in by_name[name]:
                if each[0] == args[0]:
                    facts.append(Fact(name, tuple(value_from_symbol(arg) for arg in each)))
        yield UnitStatement(args[0].string, tuple(facts))


# --- Findings of a search: a goal at a site with its board, and the outcome of each site.


@dataclass(frozen=True)
class SiteFinding:
    """A goal as text, and a site where some board shows it.

    Goals move between processes as text, since a clingo symbol belongs to one process.
    """

    goal: str
    spot: SearchSite


@dataclass(frozen=True)
class InputRange:
    """The values of an input in a search: its name in kb/vocabulary.lp, meaning and possible
    values."""

    name: str
    sense: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class GoalWitness:
    """A goal with the smallest board that shows it, confirmed by the ordinary commands.

    size: number of nonempty hexes, number of statements. least: it is proved smallest at its site.
    worth: the greatest or least value, if one was asked for. twin: the board of a second rule set,
    if it is another. unseen: ends of fire attacks in the claim without LOS, as text.
    """

    goal: str
    spot: SearchSite
    witness: Witness
    size: tuple[int, int]
    least: bool = True
    worth: ExtremeValue | None = None
    twin: Witness | None = None
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True)
class SiteOutcome:
    """The outcome of a site.

    found: each goal with its board, None without a search for boards. undecided: goals that
    `patience` did not suffice for. unconfirmed: goals whose boards the ordinary commands do not
    confirm. whole: it was searched to the end. able: some board is relevant to a claim. empty:
    there is no board at all. grounded: without a search for boards, the goals that grounding does
    not rule out. lets: the numbers that boards may state, if the result depends on them.
    too_large: it needed more memory than the limit, so it is not whole. simplified: the program was
    hard, so that it was simplified.
    """

    spot: SearchSite
    found: tuple[tuple[str, GoalWitness | None], ...] = ()
    undecided: frozenset[str] = frozenset()
    unconfirmed: frozenset[str] = frozenset()
    whole: bool = True
    able: bool = False
    empty: bool = False
    grounded: frozenset[str] = frozenset()
    lets: tuple[InputRange, ...] = ()
    too_large: bool = False
    simplified: bool = False


def canonical_witness(witness: Witness) -> str:
    """Return a text that is equal for witnesses of which a claim needs only one.

    Their boards are equal except for colors, and their questions are equal except for places and
    names.
    """
    told = without_names(str(witness.query))
    return f"{canonical_board(witness.board, coloured=False)}\n{told}"
