"""`matrix` and `sees`: all LOS between many Locations; the viewshed of one."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import accumulate, chain, combinations, product
from types import MappingProxyType
from typing import NamedTuple

import clingo

from rules_asp.explain import layout, record
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason, UnknownReasons, differing_assumptions
from rules_asp.game.grid import Hex, Location, Spot, hex_of_spot, term_sort_key
from rules_asp.game.map_layout import PLAIN_NAMES, names_of
from rules_asp.game.query import location_sort_key
from rules_asp.game.values import level_text, location_from_symbol, to_board_text
from rules_asp.geometry.exact import hexes_near_line
from rules_asp.geometry.survey import PREDICATES, LosRelevance
from rules_asp.knowledge.rules import SIGHT, Signature
from rules_asp.knowledge.solver import AnswerSet, EngineError, ProgramText, ground
from rules_asp.positions.fact_index import QueryFacts, cell, eye_at, symbols_of
from rules_asp.positions.locations import QuestionError, of_no_level, select_locations
from rules_asp.positions.name_resolution import los_end
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Scope, issues_in_scope, scope_of_line
from rules_asp.queries.los import sight_span
from rules_asp.queries.question import Answer, ParameterKind, Question, parameter
from rules_asp.runtime.cache import gc_paused

#: Query rules, and the static atoms that they read.
VerdictProgram = tuple[ProgramText, list[clingo.Symbol]]


class LosVerdict(NamedTuple):
    """The verdict on an LOS: clear (None: unknown), the Hindrance, and the norm and place that
    block it.

    If several norms or places block it, the choice is deterministic. `why`: the reasons if it is
    unknown.
    """

    clear: bool | None
    hindrance: int = 0
    norm: str = ""
    place: str = ""
    why: tuple[Reason, ...] = ()


#: The verdict on an LOS without any findings.
CLEAR = LosVerdict(True)
#: The shown atoms of the program.
_SHOWN = """
#defined stopped/3. #defined hindrance/2.
#show stopped/3. #show hindrance/2.
"""


class LosReader:
    """Reads verdicts from a grounded program, with a cache of recurring terms.

    The shown atoms are read as one text: a clingo call for every argument of every term would cost
    several times as much as grounding.
    """

    def __init__(self, position: Position) -> None:
        self._doubts = UnknownReasons(position, position.cases[0])
        self._notation = position.notation
        self._told: dict[str, LosVerdict] = {}

    def read(
        self,
        layer: VerdictProgram,
        question: Iterable[clingo.Symbol],
        sights: Mapping[str, int],
        measured: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> dict[int, LosVerdict]:
        """Return the verdicts on those lines that are not clear and unhindered.

        `measured` has the arguments of the measured facts by predicate.
        """
        rules, facts = layer
        tables = {name: symbols_of(tuples) for name, tuples in measured.items()}
        # A second answer set would show that the program needs search.
        given = chain(facts, question)
        control = ground(rules, _SHOWN, facts=given, tables=tables, arguments=["--models=2"])
        with control.solve(yield_=True) as handle:
            answers = [model.symbols(shown=True) for model in handle]
        if len(answers) != 1:
            raise EngineError("the rules give more than one answer set for the lines of sight")
        # "all(stopped(s(l((0,1),0),l((6,5),0)),"B23.2-6",(2,3)),hindrance(s(..."
        shown = str(clingo.Function("all", answers[0]))[:-1].split("(s(")
        blocked: dict[int, LosVerdict] = {}
        found: dict[int, LosVerdict] = {}
        told = self._told
        for text in shown[1:]:
            ends, _, rest = text.partition('),"')
            if not rest:
                # Only a Hindrance has no norm.
                ends, _, amount = text[: text.rindex(")")].rpartition("),")
                if ends in sights:
                    found[sights[ends]] = LosVerdict(True, int(amount))
            elif (number := sights.get(ends)) is not None:
                verdict = told.get(rest) or self._read_off(rest)
                other = blocked.setdefault(number, verdict)
                if verdict is not other and verdict[2:4] < other[2:4]:
                    blocked[number] = verdict
        for atom in control.symbolic_atoms.by_signature("unknown", 2):
            of, why = atom.symbol.arguments
            number = sights.get(",".join(map(str, of.arguments)))
            if number is not None:
                reasons = {*found.get(number, CLEAR).why, *self._doubts.behind(why)}
                found[number] = LosVerdict(None, why=tuple(sorted(reasons, key=str)))
        return found | blocked

    def _read_off(self, text: str) -> LosVerdict:
        """Return the verdict for the norm and the place in `B23.2-6",(2,3)),stopped`."""
        norm, _, place = text.partition('",')
        where = self._notation.term_text(clingo.parse_term(place.rpartition(")")[0]))
        found = self._told[text] = LosVerdict(False, 0, norm, where)
        return found


# --- All LOS between many Locations.


_BLOCKED = (Signature("stopped", 3, SIGHT),)
_WANTED = (
    Signature("stopped", 3, SIGHT),
    Signature("hindrance", 2, SIGHT),
    Signature("unknown", 2, SIGHT),
)
#: Maximum number of lines in one clingo call, to limit memory and to show progress.
BATCH = 60_000
#: Number of relevant depictions in the first and the second pass; the second has only open lines.
WEIGHTIEST = (1, 3)
#: `_BESIDE`: hexes on each side of a line's ends that can matter. `_SMALL`: on a map larger than
#: this many such areas, only the facts of an area are passed, which requires a lookup by hexes.
_BESIDE, _SMALL = 3, 2


#: The two ends, in the order of `terms.query.location_order`.
LosPair = tuple[Location, Location]
Verdicts = dict[LosPair, LosVerdict]
#: Lines that are asked together; an empty part has the LOS within hexes.
SweepPart = tuple[tuple[Spot, Spot], ...]
_ABSENT = LosVerdict(None)


class _Asked(NamedTuple):
    """The lines of a part: their numbers by their ends as clingo terms, and the line of each."""

    sights: Sequence[LosPair]
    by_term: Mapping[str, int]
    lines: Sequence[int]


class _Case(NamedTuple):
    """A case of the board: its question, and the ends that do not exist."""

    first: VerdictProgram
    full: VerdictProgram
    absent: frozenset[Location]


def matrix(
    position: Position, ends: Sequence[Location], whence: Iterable[Location] | None = None
) -> Iterator[dict[LosPair, LosVerdict]]:
    """Yield the verdicts on all LOS between these Locations, batch by batch.

    With `whence`, only the LOS from each of these Locations to all of `ends`. Errors as in
    `LosSweep`.
    """
    sweep = LosSweep(position, ends, whence)
    return (sweep.verdicts(part) for part in sweep.parts())


class LosSweep:
    """All LOS between some Locations, or from some to others, in parts of at most `most` lines.

    The number of parts is a multiple of the `among` processes, and parts have similar sizes. Each
    part is asked in passes: first with only the most relevant depictions on each line, which decide
    most blocked lines (more depictions never unblock a line; a test compares both), then in full
    for the open lines. The first passes have no sums: few depictions seldom make a large sum.
    QuestionError for a Location that is not on the board or has no known level. If the board has
    several cases, each is asked, and differing verdicts are unknown. A sweep can be pickled.
    """

    def __init__(
        self,
        position: Position,
        ends: Iterable[Location],
        whence: Iterable[Location] | None = None,
        most: int = BATCH,
        among: int = 1,
    ) -> None:
        self._position = position
        self._at_most, self._among = most, among
        self._whence = None if whence is None else frozenset(whence)
        fixed = self._whence or frozenset()
        self._ends = sorted({*ends, *fixed}, key=location_sort_key)
        for end in self._ends:
            if position.index.elevation(end) is None:
                raise QuestionError(of_no_level(position, end))
        self._by_spot: dict[Spot, list[Location]] = {}
        for end in self._ends:
            self._by_spot.setdefault(end.spot, []).append(end)
        self._spots = sorted(self._by_spot, key=term_sort_key)
        self._terms = {end: end.term for end in self._ends}
        self._reader = LosReader(position)
        self._hexes = _between(position, self._ends)
        # Every possible measurement occurs on some line of the board.
        asked = QueryFacts(
            (
                *map(eye_at, self._ends),
                *map(cell, dict.fromkeys(hex_of_spot(end.spot) for end in self._ends)),
                *map(clingo.Function, PREDICATES),
            )
        )
        self._cases = [
            _Case(
                position.layer(case.static_case, _BLOCKED, asked, self._hexes, sums=False),
                position.layer(case.static_case, _WANTED, asked, self._hexes),
                frozenset() if len(position.cases) == 1 else self._absent(case),
            )
            for case in position.cases
        ]

    def __reduce__(self) -> tuple[object, ...]:
        return LosSweep, (self._position, self._ends, self._whence, self._at_most, self._among)

    @property
    def size(self) -> int:
        """The number of lines."""
        many = len(self._ends)
        others = 0 if self._whence is None else many - len(self._whence)
        return (many * (many - 1) - others * (others - 1)) // 2

    def parts(self) -> Iterator[SweepPart]:
        """Yield the parts in a fixed order; together they have each line once."""
        return map(self.part, range(self.count))

    @property
    def count(self) -> int:
        """The number of parts."""
        return self._within + -(-self._rows[-1] // self._most)

    def part(self, number: int) -> SweepPart:
        """Return the part with this number."""
        if number < self._within:
            return ()
        first = (number - self._within) * self._most
        return tuple(self._lines(first, min(first + self._most, self._rows[-1])))

    @cached_property
    def _concerns(self) -> LosRelevance:
        """The depictions relevant to these lines."""
        every = self._position.measurer.concerns
        return every if self._hexes is None else every.among(self._hexes)

    @cached_property
    def _most(self) -> int:
        """The number of lines in each part except the last."""
        lines = self._rows[-1]
        rounds = -(-lines // (self._at_most * self._among))
        return max(1, -(-lines // max(1, rounds * self._among)))

    @cached_property
    def _within(self) -> int:
        """1 if there are LOS within hexes, which are the first part, else 0."""
        return int(bool(self.sights(())))

    @cached_property
    def _whence_at(self) -> Sequence[int]:
        """The indexes of viewers; empty if all ends are viewers."""
        fixed = {end.spot for end in self._whence or ()}
        return [number for number, spot in enumerate(self._spots) if spot in fixed]

    @cached_property
    def _rows(self) -> Sequence[int]:
        """The number of lines before each spot in the order of lines, and the total."""
        many = len(self._spots)
        if self._whence is None:
            counts: Iterable[int] = range(many - 1, -1, -1)
        else:
            at = self._whence_at
            fixed = frozenset(at)
            counts = (
                many - one - 1 if one in fixed else len(at) - bisect_right(at, one)
                for one in range(many)
            )
        return list(accumulate(counts, initial=0))

    def _lines(self, first: int, end: int) -> Iterator[tuple[Spot, Spot]]:
        """Yield the lines from one number to another, in order."""
        rows, at = self._rows, self._whence_at
        fixed = frozenset(at)
        one = bisect_right(rows, first) - 1
        while first < end:
            if self._whence is None or one in fixed:
                others: Sequence[int] = range(one + 1, len(self._spots))
            else:
                others = at[bisect_right(at, one) :]
            skipped = first - rows[one]
            for other in others[skipped : skipped + end - first]:
                yield self._spots[one], self._spots[other]
            one += 1
            first = rows[one]

    def sights(self, part: SweepPart) -> list[LosPair]:
        """Return the LOS of a part, in order."""
        at = self._by_spot
        if part:
            pairs = (pair for one, two in part for pair in product(at[one], at[two]))
        else:
            pairs = (pair for here in at.values() for pair in combinations(here, 2))
        return [each for each in pairs if self._whence is None or not self._whence.isdisjoint(each)]

    def verdicts(self, part: SweepPart) -> dict[LosPair, LosVerdict]:
        """Return the verdict on every LOS of a part, in order."""
        with gc_paused():
            asked = self._asked(part)
            first, *others = [self._in_case(case, part, asked) for case in self._cases]
        if not others:
            return first
        return {
            sight: self._agreed([first[sight], *(o[sight] for o in others)])
            for sight in asked.sights
        }

    def _asked(self, part: SweepPart) -> _Asked:
        sights = self.sights(part)
        terms = self._terms
        by_term = {
            f"{terms[one]},{terms[other]}": number for number, (one, other) in enumerate(sights)
        }
        if not part:
            return _Asked(sights, by_term, [])
        if self._whence is None:
            counts = [len(at) for at in map(self._by_spot.__getitem__, self._spots)]
            many = dict(zip(self._spots, counts, strict=True))
            lines = [n for n, (one, two) in enumerate(part) for _ in range(many[one] * many[two])]
        else:
            numbers = {line: number for number, line in enumerate(part)}
            lines = [numbers[one.spot, other.spot] for one, other in sights]
        return _Asked(sights, by_term, lines)

    def _agreed(self, told: Sequence[LosVerdict]) -> LosVerdict:
        """Return the common verdict of all cases of the board; unknown if they differ."""
        if len({each[:2] for each in told}) == 1:
            return told[0]
        why = [reason for each in told for reason in each.why]
        answers = [AnswerSet((), static_case=case.static_case) for case in self._position.cases]
        open_ = differing_assumptions(self._position, answers, [each[:2] for each in told])
        return LosVerdict(None, why=tuple(dict.fromkeys((*why, *open_))))

    def _absent(self, case: AnswerSet) -> frozenset[Location]:
        """Return the ends that do not exist in a case, or have another level than in the first
        case."""
        levels = {
            location_from_symbol(where, PLAIN_NAMES): level.number
            for where, level in case.get("at_level", 2)
        }
        return frozenset(
            end
            for end in self._ends
            if isinstance(end.spot, Hex) and levels.get(end) != self._position.index.elevation(end)
        )

    def _in_case(self, case: _Case, part: SweepPart, asked: _Asked) -> dict[LosPair, LosVerdict]:
        eyes = sorted({end for sight in asked.sights for end in sight}, key=location_sort_key)
        facts = list(map(eye_at, eyes))
        if part:
            found = self._along(case, part, facts, asked)
        else:
            facts += map(cell, dict.fromkeys(end.spot for end in eyes))
            found = self._reader.read(case.full, facts, asked.by_term)
        told = {sight: found.get(number, CLEAR) for number, sight in enumerate(asked.sights)}
        if case.absent:
            told |= {sight: _ABSENT for sight in told if not case.absent.isdisjoint(sight)}
        return told

    def _along(
        self, case: _Case, part: SweepPart, eyes: Sequence[clingo.Symbol], asked: _Asked
    ) -> dict[int, LosVerdict]:
        """Return the verdicts that are not clear along some lines."""
        survey = self._position.measurer.surveyed(part, self._ends, self._concerns)
        at = {line: number for number, line in enumerate(survey.lines)}
        # Number of open LOS of each line.
        open_ = Counter(asked.lines)
        found: dict[int, LosVerdict] = {}
        for most in (*WEIGHTIEST, None):
            rest = (at[part[number]] for number, count in open_.items() if count)
            measured = survey.weightiest(most, rest)
            layer = case.first if most else case.full
            read = self._reader.read(layer, eyes, asked.by_term, measured)
            # The first norm found is kept, so that it does not depend on the other questions.
            for sight, verdict in read.items():
                if sight not in found and (most is None or verdict.clear is False):
                    found[sight] = verdict
                    open_[asked.lines[sight]] -= 1
        return found


def _between(position: Position, ends: Iterable[Location]) -> frozenset[Hex] | None:
    """Return the hexes relevant to some Locations in a small part of the map; None: all.

    Their number does not depend on the size of the map: hexes that a line can meet, their
    neighbors, and the whole buildings of both.
    """
    spots = {hex_of_spot(end.spot) for end in ends}
    cols, rows = ({each[place] for each in spots} for place in (0, 1))
    if not spots:
        return None
    # A line goes at most one hex beyond the columns and rows of its ends; one more for neighbors.
    columns = range(min(cols) - _BESIDE, max(cols) + _BESIDE + 1)
    wide = range(min(rows) - _BESIDE, max(rows) + _BESIDE + 1)
    if _SMALL * len(columns) * len(wide) > len(position.index.bases):
        return None
    hexes = {Hex(col, row) for col in columns for row in wide}
    return frozenset(hexes.union(*(position.index.wholes.get(each, ()) for each in hexes)))


# --- The LOS from one Location.


@dataclass(frozen=True)
class Viewshed(Answer):
    """The LOS from a Location to others, in their order. `level` in half levels.

    `doubtful` are places with uncertain map data, each with the Locations whose line passes it.
    """

    eye: Location
    level: int
    sights: tuple[tuple[Location, LosVerdict], ...]
    doubtful: tuple[tuple[str, tuple[Location, ...]], ...] = ()

    def items(self) -> tuple[layout.Item, ...]:
        """Each LOS by its other end."""
        return tuple(
            layout.Item(to_board_text(to, "location"), sight_span(each.clear, each.hindrance).text)
            for to, each in self.sights
        )

    @property
    def _norms(self) -> Iterator[str]:
        return (each.norm for _, each in self.sights if each.norm)

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return visible Locations by Hindrance, and hidden ones by the nearest obstacle."""
        program = self.position.program
        clear: dict[int, list[Location]] = {}
        hidden: dict[tuple[str, str], list[Location]] = {}
        open_: dict[tuple[Reason, ...], list[Location]] = {}
        for to, each in self.sights:
            if each.clear:
                clear.setdefault(each.hindrance, []).append(to)
            elif each.clear is None:
                open_.setdefault(each.why, []).append(to)
            else:
                hidden.setdefault((each.place, each.norm), []).append(to)

        def order(group: tuple[str, str]) -> tuple[int, str, str]:
            return _range(self.eye, group[0]), *group

        named = layout.locations_text
        some = partial(named, most=None if view.everything else layout.MOST_PLACES)
        eye = f"{to_board_text(self.eye, 'location')} at level {level_text(self.level)} sees "
        seen = layout.Span(str(sum(map(len, clear.values()))), layout.Tone.GOOD)
        hidden_rows = [
            (f"at {place}", layout.norm_span(norm), some(hidden[place, norm]))
            for place, norm in sorted(hidden, key=order)
        ]
        open_rows = [("; ".join(map(str, why)), some(places)) for why, places in open_.items()]
        used = sorted({norm for _, norm in hidden}, key=list(program.norms).index)
        doubtful = [(at, some(to)) for at, to in self.doubtful]
        return self.reported(
            tuple(self._norms),
            layout.Line((eye, seen, f" of {len(self.sights)} Locations")),
            *(
                layout.Table([(named(places),)], f"Hindrance +{amount}" if amount else "Clear")
                for amount, places in sorted(clear.items())
            ),
            layout.Table(hidden_rows, "Hidden"),
            layout.norms_listed(self.position, "Hidden by", used),
            layout.Table(open_rows, "Unknown"),
            layout.needed(dict.fromkeys(each for why in open_ for each in why)),
            layout.issues(self.beside),
            layout.Table(doubtful, "The import is in doubt about the LOS to"),
            layout.noted(program.notes, program.paragraphs(used)),
        )

    def record(self) -> Record:
        """Return the LOS to each other Location as JSON, clear or not."""
        here, eye = self.position, hex_of_spot(self.eye.spot)
        program = here.program

        def sight(to: Location, verdict: LosVerdict) -> Record:
            doubts = [at for at, places in self.doubtful if to in places]
            cite = program.norms[verdict.norm].paragraph if verdict.norm else None
            return {
                "to": to_board_text(to, "location"),
                "level": record.level_number(here.index.elevation(to)),
                "range": eye.range_to(hex_of_spot(to.spot)),
                "clear": verdict.clear,
                "hindrance": None if verdict.clear is None else verdict.hindrance,
                "norm": verdict.norm or None,
                "cite": cite,
                "at": verdict.place or None,
                **record.unknown(verdict.why, verdict.clear is None),
                **({"doubts": doubts} if doubts else {}),
            }

        return {
            "board": here.board.name,
            "from": to_board_text(self.eye, "location"),
            "level": record.level_number(self.level),
            "sights": [sight(to, verdict) for to, verdict in self.sights],
            **record.notes(program.notes, program.paragraphs(self._norms)),
            **record.issues(self.beside),
        }


def sight_record(ends: LosPair, verdict: LosVerdict) -> Record:
    """Return an LOS of a matrix as JSON."""
    a, b = ends
    why = "; ".join(map(str, verdict.why))
    return {
        "a": to_board_text(a, "location"),
        "b": to_board_text(b, "location"),
        "clear": verdict.clear,
        "hindrance": None if verdict.clear is None else verdict.hindrance,
        "norm": verdict.norm or None,
        "at": verdict.place or None,
        **({"unknown": why} if verdict.clear is None else {}),
    }


def _range(eye: Location, place: str) -> int:
    """Return the range of a blocking place: a hex, or the first hex of a hexside."""
    try:
        here = hex_of_spot(eye.spot)
        return here.range_to(names_of(here).find(place.partition("-")[0])[0])
    except ValueError:
        return 0


@dataclass(frozen=True)
class SeesQuestion(Question[Viewshed]):
    """List what a Location or unit can see.

    The Locations of a row have the same Hindrance, or the same obstacle blocks the LOS to them.
    To see every obstacle on a line, use `los`. In the answer of `sees`, C4/0,1 means the levels 0
    and 1 of C4.

    Example: rules-asp sees church C3/2 --hexes A1-D4
    """

    kind = "sees"
    has_proof = False
    drawable = True
    eye: str | Location = parameter(ParameterKind.LOCATION, metavar="LOC|UNIT", label="From")
    hexes: str | None = parameter(
        ParameterKind.HEXES, "Show only lines to these hexes, such as 'A1-C5, E4'.", default=None
    )
    ground: bool = parameter(ParameterKind.FLAG, "Show only lines to ground level.", default=False)

    def find(self, position: Position, cite: bool) -> Viewshed:
        """Return the visible Locations, and the lines that pass uncertain map data."""
        to = select_locations(position, self.hexes, self.ground)
        found = sees(position, los_end(position, self.eye), to)
        return replace(found, doubtful=unknown_levels_in(position, found))

    def scope(self, position: Position, answer: Viewshed) -> Scope:
        """Return the hexes that the lines pass."""
        spots = {to.spot for to, _ in answer.sights}
        lines = (hexes_near_line(answer.eye.spot.centre, spot.centre) for spot in spots)
        return Scope(frozenset(hex_ for line in lines for hex_ in line))


def unknown_levels_in(
    position: Position, seen: Viewshed
) -> tuple[tuple[str, tuple[Location, ...]], ...]:
    """Return the Locations whose line passes each place with uncertain map data."""
    found: dict[str, list[Location]] = {}
    for to, _ in seen.sights:
        for where, _ in issues_in_scope(position, scope_of_line(seen.eye, to)).doubts:
            found.setdefault(where, []).append(to)
    return tuple((where, tuple(places)) for where, places in found.items())


def sees(position: Position, eye: Location, ends: Iterable[Location]) -> Viewshed:
    """Return the LOS from a Location to these others; only these lines are measured.

    Errors as in `LosSweep`.
    """
    sweep = LosSweep(position, ends, [eye])
    found = {
        (one if two == eye else two): verdict
        for part in sweep.parts()
        for (one, two), verdict in sweep.verdicts(part).items()
    }
    ordered = sorted(found, key=location_sort_key)
    level = position.index.elevation(eye) or 0
    return Viewshed(eye, level, tuple((each, found[each]) for each in ordered))
