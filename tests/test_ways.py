"""What a move of several steps is, to `can`, `cost`, `moves` and `reach`; and that none is falsely certain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules_asp.answers.deeds import judge
from rules_asp.answers.movement import Moves, can, moves
from rules_asp.cases.outcomes import examine
from rules_asp.parser import parse, parse_deed
from rules_asp.positions.keeping import load
from rules_asp.positions.places import units_at
from rules_asp.positions.prepared import Position, position
from rules_asp.telling import ways_json
from rules_asp.terms.arguments import said
from rules_asp.terms.board import Cost, Expect, Place
from rules_asp.terms.grid import Location
from rules_asp.terms.query import location_order
from tests.positions import program
from tests.sampling import some
from tests.test_cases import CASES

HERE = Place("alone", 1)
VERDICTS = {True: "yes", None: "unknown", False: "no"}


def ready(text: str) -> Position:
    return position(parse(text), program())


def costing(here: Position, units: tuple[str, ...], to: Location) -> str:
    """What `expect cost` answers."""
    return examine(here, Expect(Cost(units, to), "unknown"), HERE).answered


def goals(here: Position, answer: Moves) -> list[Location]:
    """Locations of every sort: reached, perhaps reached, at a vertex, not reached."""
    sorts = (answer.reach, answer.passed, answer.perhaps)
    found = [each.to for sort in sorts for each in some(sort, 1)]
    return [*found, *some(sorted({*here.elevations} - {*found}, key=location_order), 2)]


def agreed(here: Position, unit: str, answer: Moves, to: Location) -> None:
    """`can`, `cost`, `moves`, `reach` and the verdict of the single step say the same of a Location."""
    deed = parse_deed(f"{unit} move to {said(to, 'location')}")
    told = can(here, deed, cite=False)
    sure = {each.to for each in (*answer.reach, *answer.passed)}
    verdict = VERDICTS[True if to in sure else None if answer.unsure(to) else False]
    if to == answer.start:
        assert to not in sure
    cost = costing(here, (unit,), to)
    assert VERDICTS[told.legal] == verdict, (unit, str(to), cost)
    assert (cost == "it is not reached") == (verdict == "no"), (unit, str(to), cost)
    if judge(here, deed, cite=False).legal:
        assert verdict == "yes"
    if told.legal is None:
        assert told.unknown
    record: Any = ways_json.reach(here, answer)
    listed = {each["to"]: each for name in ("reach", "perhaps") for each in record[name]}
    named = said(to, "location")
    assert (named in listed) == (answer.to(to) is not None and answer.to(to) not in answer.passed)


def pairs() -> Iterator[tuple[Path, str]]:
    for path in CASES:
        for line in path.read_text("utf-8").splitlines():
            words = line.split()
            if words[:1] == ["unit"] and " at " in line:
                yield path, words[1]


@pytest.mark.parametrize(
    ("path", "unit"), some(list(pairs()), 3), ids=lambda each: getattr(each, "stem", each)
)
def test_can_and_cost_and_moves_agree(path: Path, unit: str) -> None:
    here = load(path, program())
    if unit not in units_at(here):
        return
    answer = moves(here, [unit])
    for to in goals(here, answer):
        agreed(here, unit, answer, to)
