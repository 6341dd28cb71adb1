"""What a player once was told wrongly, with the right answer: each board is an example of a kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from rules_asp.cli.app import main

ROUT = """
board "r" grid 9x9
sides german russian
turn 1 german rtph
building gray: B4 C7
unit A squad 4-6-7 german at B4: broken DM, MF 6
unit R squad 4-4-7 russian at F4
"""
REAR = """
board "r" grid 7x7
sides german russian
turn 1 german mph
unit T vehicle german at C3: fully-tracked AFV CT, VCA C2/D2, MP 14, stopped
"""
BLIND = """
board "r" grid 9x9
building gray: B4   stairwell B4
building brown: D5
building brown: H2
woods: I9
"""
OVER = """
board "r" grid 9x9
building gray: B4   stairwell B4
building brown: D5
rubble wooden: D5
"""
#: Woods, and a wall two hexes behind them, below a house with a second level.
OVER_BOTH = """
board "r" grid 9x11
building gray: B2   stairwell B2
woods: B3
wall: B5-B6
"""
WIRE = """
board "r" grid 6x6
sides german russian
unit A squad 4-6-7 german at C3
unit R squad 4-4-7 russian at D3
wire: C3
"""
BEHIND = """
board "r" grid 7x8
woods: C4
unit A squad 4-6-7 german at C2
"""


@pytest.mark.parametrize(
    ("board", "asked", "told", "untold"),
    [
        # A1: a rout nearer to a Known enemy unit that sees the unit.
        (ROUT, ["can", "A routs to C4"], ["Not allowed", "A10.51-1"], ["Yes"]),
        # A2: the turn of the hull and the start belong to a single step, too.
        (REAR, ["can", "T drives to C4"], ["MP that the vehicle spends", ": 3", "D2.11-1"], []),
        # A4: terrain away from the line is not cited, and is not in the case.
        (BLIND, ["los", "B4/2", "E6"], ["blocked at D5"], ["B13", "B19", "GR.7"]),
        (BLIND, ["case", "los B4/2 E6"], ["D5"], ["woods: I9", "H2"]),
        # A5: a clear line over an obstacle says what it looks over, and why there is no Blind Hex.
        (
            OVER,
            ["los", "B4/2", "E6"],
            ["Passes over", "D5 rubble, level 1/2, hides no hex", "B24.2-1"],
            [],
        ),
        (
            OVER,
            ["los", "B4/2", "E6", "--why"],
            ["B4/2 - E6/0 passes over rubble at D5, level 1/2"],
            [],
        ),
        (OVER, ["los", "B4/2", "E6", "--json"], ['"passes_over": [', '"blind_hexes": 0'], []),
        (OVER, ["case", "los B4/2 E6"], ["rubble wooden: D5", "B24.2"], []),
        (
            OVER_BOTH,
            ["los", "B2/2", "B7"],
            [
                "B3 woods, level 1, hides 1 of 4 hexes",
                "A6.4-1",
                "B5-B6 wall, level 1/2, hides no hex",
                "B9.2-1",
            ],
            [],
        ),
        (OVER_BOTH, ["los", "B2/2", "B4"], ["blocked at B3"], ["Passes over"]),
        # Over open ground, and level with the top, nothing is looked over.
        (OVER, ["los", "B4/2", "E3"], ["clear"], ["Passes over", "A6.4", "B24"]),
        # A6: a shot without LOS says where the line is blocked.
        (BEHIND, ["fire", "C2", "C6"], ["No fire from C2 at C6: LOS blocked at C4"], []),
        # A7: what a counter does is unknown in each sum that it bears on.
        (WIRE, ["fire", "D3", "C3", "--moving"], ["DRM unknown"], ["DRM -2"]),
    ],
)
def test_what_was_told_wrongly(
    board: str, asked: list[str], told: list[str], untold: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "r.board"
    file.write_text(board, "utf-8")
    command, *words = asked
    answer = CliRunner().invoke(main, [command, str(file), *words]).stdout
    assert [each for each in told if each not in answer] == []
    assert [each for each in untold if each in answer] == []
