"""A line of sight that is clear because of a ruling on the meaning of a norm cites it, and no other line
does.
"""

from __future__ import annotations

from itertools import product

import pytest

from rules_asp.parser import parse, parse_location
from rules_asp.positions.position import prepare
from rules_asp.queries.los import los
from rules_asp.queries.los_matrix import LosSweep
from tests.positions import program
from tests.sampling import part, some

#: Hills, and houses with and without a half level at their tops, close behind one another.
HILLS = """board "hills" grid 12x6
level 1: D3 E4 H3
level 2: B3 C2
level 3: J2
building gray: C4 B4   joined B4-C4   stairwell C4
building gray: E2 E3   joined E2-E3
building brown: F4
building gray: G3 G4   joined G3-G4
woods: I4 I5
"""
RULINGS = ("R-A6.4", "R-B10.23")


@pytest.mark.parametrize("ruling", part(RULINGS, 1))
def test_a_sight_that_a_ruling_alone_leaves_clear_names_it(ruling: str) -> None:
    here, without = (prepare(parse(HILLS), program(), off) for off in ((), (ruling,)))
    seen = {}
    for each in (here, without):
        sweep = LosSweep(each, sorted(each.index.elevations, key=str))
        for lines in sweep.parts():
            for ends, verdict in sweep.verdicts(lines).items():
                seen.setdefault(ends, []).append(verdict.clear)
    turned = [ends for ends, (with_it, without_it) in seen.items() if with_it and not without_it]
    assert len(turned) > 5
    for a, b in some(turned, 5):
        found = los(here, a, b, close=False)
        assert ruling in found.cites, (a, b)
        assert ruling in {each.by for each in found.beaten}, (a, b)
    kept = [ends for ends, (with_it, without_it) in seen.items() if with_it and without_it]
    for a, b in some(kept, 5):
        assert ruling not in los(here, a, b, close=False).cites, (a, b)


#: Open Ground that nothing else touches, and places to look at.
FLAT, AIMS = ("A2", "K4", "H4"), ("F4", "E3/1", "D2", "G4/1", "F3", "H5", "I3", "I5", "C4/2", "K2")


@pytest.mark.parametrize(("high", "off"), some([*product((1, 2, 3, 4), ((), RULINGS))], 3))
def test_who_looks_from_a_level_that_no_map_has_sees_as_from_a_hill(
    high: int, off: tuple[str, ...]
) -> None:
    road = "road dirt: H4-I5-J5\n"
    flat = prepare(parse(HILLS + road), program(), off)
    for spot in FLAT:
        hill = prepare(parse(f"{HILLS}{road}level {high}: {spot}\n"), program(), off)
        for aim in ("J5", *some(AIMS, 2)):
            there = parse_location(aim)
            above = los(flat, parse_location(f"{spot}/+{high}"), there, close=False)
            on_top = los(hill, parse_location(spot), there, close=False)
            told = [(each.clear, each.hindrance) for each in (above, on_top)]
            assert told[0] == told[1], (spot, aim)
            assert set(RULINGS) & {*above.cites} == set(RULINGS) & {*on_top.cites}, (spot, aim)
