"""All sights between many Locations at once, each with its verdict and the norm it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from rules_asp.engine import EngineError, ground
from rules_asp.grid import Location, Spot, spot_hex
from rules_asp.names import named
from rules_asp.position import Position
from rules_asp.source import Node
from rules_asp.threads import term_order

_SIGHT = ("s", 2)
_WANTED = (
    Node("stopped", 3, _SIGHT),
    Node("hindrance", 2, _SIGHT),
    Node("unknown", 2, _SIGHT),
)
#: So many lines are put to clingo at a time: memory stays flat, and progress can be shown.
BATCH = 15_000


class Verdict(NamedTuple):
    """A sight's verdict: clear (None: unknown), the Hindrance, and the norm and place that block it."""

    clear: bool | None
    hindrance: int = 0
    norm: str = ""
    place: str = ""


Sight = tuple[Location, Location]


def matrix(position: Position, ends: Sequence[Location]) -> Iterator[dict[Sight, Verdict]]:
    """The verdicts of all sights between these Locations, a batch of lines at a time.

    A sight that is not in a batch's table is clear and unhindered: `complete` fills these in.
    A board that leaves open what sights hang on is not for this: EngineError.
    """
    if len(position.cases) != 1:
        raise EngineError("the board leaves something open that its structure hangs on")
    by_spot: dict[Spot, list[Location]] = {}
    for end in ends:
        by_spot.setdefault(end.spot, []).append(end)
    terms = {end.term: end for end in ends}
    spots = sorted(by_spot, key=term_order)
    lines = combinations(spots, 2)
    text, needed = position.program.cone(_WANTED)
    static = position.static_text(0, needed)
    eyes = "".join(f"eye_at({end.term}).\n" for end in ends)
    cells = "".join(f"cell({spot_hex(spot).term}).\n" for spot in spots)
    while batch := list(_take(lines, BATCH)):
        measured = position.measured(batch, ends)
        yield _read(text, static, eyes + cells + measured, terms)
        cells = ""


def _take(lines: Iterator[tuple[Spot, Spot]], count: int) -> Iterable[tuple[Spot, Spot]]:
    for line in lines:
        yield line
        count -= 1
        if not count:
            return


def _read(
    text: str, static: str, question: str, terms: dict[str, Location]
) -> dict[Sight, Verdict]:
    control = ground(text, static, question)
    atoms = control.symbolic_atoms
    found: dict[Sight, Verdict] = {}
    sights: dict[object, Sight] = {}

    def sight(symbol: object) -> Sight:
        known = sights.get(symbol)
        if known is None:
            one, two = symbol.arguments  # type: ignore[attr-defined]
            known = sights[symbol] = terms[str(one)], terms[str(two)]
        return known

    names: dict[object, str] = {}
    for atom in atoms.by_signature("hindrance", 2):
        about, amount = atom.symbol.arguments
        found[sight(about)] = Verdict(True, amount.number)
    for atom in atoms.by_signature("unknown", 2):
        found[sight(atom.symbol.arguments[0])] = Verdict(None)
    for atom in atoms.by_signature("stopped", 3):
        if not atom.is_fact:
            raise EngineError("the sights hang on something that must be searched for")
        about, norm, place = atom.symbol.arguments
        if place not in names:
            names[place] = named(place)
        if norm not in names:
            names[norm] = norm.string
        found[sight(about)] = Verdict(False, 0, names[norm], names[place])
    return found
