"""All sights between many Locations at once, each with its verdict and the norm it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

import clingo

from rules_asp.knowledge.program import declared
from rules_asp.knowledge.running import EngineError, ground
from rules_asp.knowledge.source import Node
from rules_asp.positions.indexes import Question
from rules_asp.positions.prepared import Position
from rules_asp.terms.grid import Location, Spot, spot_hex, term_order
from rules_asp.terms.names import named
from rules_asp.terms.symbols import symbol_of

_SIGHT = ("s", 2)
_BLOCKED = (Node("stopped", 3, _SIGHT),)
_WANTED = (
    Node("stopped", 3, _SIGHT),
    Node("hindrance", 2, _SIGHT),
    Node("unknown", 2, _SIGHT),
)
#: So many lines are put to clingo at a time: memory stays flat, and progress can be shown.
BATCH = 30_000
#: So many of the things that a line meets are looked at first, and then at those still open.
WEIGHTIEST = (1, 3)


class Verdict(NamedTuple):
    """A sight's verdict: clear (None: unknown), the Hindrance, and the norm and place that block it."""

    clear: bool | None
    hindrance: int = 0
    norm: str = ""
    place: str = ""


Sight = tuple[Location, Location]


def matrix(position: Position, ends: Sequence[Location]) -> Iterator[dict[Sight, Verdict]]:
    """The verdicts of all sights between these Locations, a batch of lines at a time.

    A sight that is in no batch's table is clear and unhindered. Each batch is asked in passes: first
    with only the weightiest things on each line, which blocks most sights already (what blocks with a part of
    the meetings blocks with all: a test holds the two against each other), then in full for the lines
    with a sight still open. A board that leaves open what its structure hangs on is not for this:
    EngineError.
    """
    if len(position.cases) != 1:
        raise EngineError("the board leaves something open that its structure hangs on")
    by_spot: dict[Spot, list[Location]] = {}
    for end in ends:
        by_spot.setdefault(end.spot, []).append(end)
    reader = _Reader(ends)
    spots = sorted(by_spot, key=term_order)
    eyes = "".join(f"eye_at({end.term}).\n" for end in ends)
    first, full = _layer(position, _BLOCKED), _layer(position, _WANTED)
    cells = "".join(f"cell({spot_hex(spot).term}).\n" for spot in spots)
    if inside := reader.read(full, eyes + cells):
        yield inside

    def sights(one: Spot, two: Spot) -> int:
        return len(by_spot[one]) * len(by_spot[two])

    lines = combinations(spots, 2)
    while batch := list(islice(lines, BATCH)):
        survey = position.surveyed(batch, ends)
        found: dict[Sight, Verdict] = {}
        rest: Collection[int] = range(len(survey.lines))
        for count in WEIGHTIEST:
            read = reader.read(first, eyes + survey.weightiest(count, rest))
            found.update((sight, each) for sight, each in read.items() if each.clear is False)
            blocked = Counter((one.spot, two.spot) for one, two in found)
            rest = {
                number
                for number in rest
                if blocked[survey.lines[number]] < sights(*survey.lines[number])
            }
        found.update(reader.read(full, eyes + survey.of(rest)))
        yield found


def _layer(position: Position, wanted: Sequence[Node]) -> tuple[str, str]:
    # Whatever may be measured on a line will be, on some line of the board.
    measured = declared(position.program.source, "measured")
    question = Question(tuple(clingo.Function(node.name) for node in measured))
    return position.layer(0, wanted, question)


class _Reader:
    """Reads verdicts off a grounded program; keeps what terms stand for, which recur.

    A call into clingo for every argument of every term would cost more than solving.
    """

    def __init__(self, ends: Iterable[Location]) -> None:
        self._ends = {symbol_of(end, "location"): end for end in ends}
        self._names: dict[clingo.Symbol, str] = {}

    def read(self, layer: tuple[str, str], question: str) -> dict[Sight, Verdict]:
        """The verdicts of the sights that are not clear and unhindered."""
        control = ground(*layer, question)
        atoms = control.symbolic_atoms
        found: dict[Sight, Verdict] = {}
        for atom in atoms.by_signature("hindrance", 2):
            # hindrance(s(l((0,1),0),l((6,5),0)),2)
            sight, amount = atom.symbol.arguments
            found[self._sight(sight)] = Verdict(True, amount.number)
        for atom in atoms.by_signature("unknown", 2):
            found[self._sight(atom.symbol.arguments[0])] = Verdict(None)
        certain = True
        for atom in atoms.by_signature("stopped", 3):
            # stopped(s(l((0,1),0),l((6,5),0)),"B23.2-6",(2,3))
            certain &= atom.is_fact
            sight, norm, place = atom.symbol.arguments
            found[self._sight(sight)] = Verdict(False, 0, self._name(norm), self._name(place))
        if not certain:
            raise EngineError("the sights hang on something that must be searched for")
        return found

    def _sight(self, sight: clingo.Symbol) -> Sight:
        one, other = sight.arguments
        return self._ends[one], self._ends[other]

    def _name(self, term: clingo.Symbol) -> str:
        name = self._names.get(term)
        if name is None:
            name = self._names[term] = named(term)
        return name
