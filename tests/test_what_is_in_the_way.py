"""A law: an obstacle that bars a step, or leaves it unknown, has the same effect on every unit with this
step.
"""

from __future__ import annotations

from itertools import product

import pytest

from rules_asp.parser import parse, parse_deed
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.legality import can
from tests.positions import program
from tests.sampling import some

#: All go from C5 to C4, where there is a stone building of two levels, Fortified where a DC is Placed.
BOARD = """board "way" grid 7x7
building gray: C4 D4   joined C4-D4
sides german russian
unit A squad 4-6-7 german at C5
unit G gun german at C5: kind AT, MA 50, size small
unit M gun german at C5: kind MTR, MA 81, size small, dm
unit T vehicle german at C5: fully-tracked AFV CT BU, MP 14
unit D squad 4-6-7 german at C5: possesses DC, PP 1
"""
FORTIFIED = "fortified revealed: C4\nunit Inside squad 4-6-7 german at C4\n"
DEEDS = {
    "push G into C4": "",
    "carry M into C4": "",
    "T moves to C4 in VBM": "",
    "T drives to C4": "",
    "D places a DC at C4": FORTIFIED,
    "D breaches C4-C5/0": FORTIFIED,
}
IN_THE_WAY = {
    "a cliff": "level 1: C4 D4\ncliff: C4-C5",
    "a Blaze": "blaze: C4",
    "an enemy": "unit E squad 4-4-7 russian at C4",
    "an unknown unit": "unit E squad 4-4-7 at C4",
}
#: What the text itself says of a DC, or of a Breach: it is used against those inside, and enters nothing.
APART = {
    (deed, thing)
    for deed in ("D places a DC at C4", "D breaches C4-C5/0")
    for thing in IN_THE_WAY
    if thing != "a cliff"
}


def legal(here: Position, deed: str) -> bool | None:
    return can(here, parse_deed(deed), cite=False).legal


@pytest.mark.parametrize(("deed", "thing"), some([*product(DEEDS, IN_THE_WAY)], 12))
def test_what_stops_who_walks_stops_the_rest(deed: str, thing: str) -> None:
    plain = prepare(parse(BOARD + DEEDS[deed]), program())
    assert legal(plain, deed) is True
    assert legal(plain, "A moves to C4") is True
    barred = prepare(parse(BOARD + DEEDS[deed] + IN_THE_WAY[thing]), program())
    assert legal(barred, "A moves to C4") is not True
    assert legal(barred, deed) is not True or (deed, thing) in APART
