"""Answers that were once wrong for a player, with the right answer: each board is an example of a kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from rules_asp.cli.app import main
from tests.sampling import part, slow

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

#: A vehicle in a village, and a squad before a house.
VILLAGE = """
board "v" grid 9x8
sides german british
turn 3 german mph
building gray: C3
building brown: D5
building brown: F3
building brown: E6
narrow street E4-E5
unit T vehicle german at B4: fully-tracked AFV CT turreted, VCA B3/C4, TCA B3/C4, MA 75, MP 10
unit P squad 6-4-8 british at C5
"""
SPAN = """
board "span" grid 5x9
gully: C3 C4 C5
level -1: C3 C4 C5
bridge stone: C4
road dirt: B3-C4-D3
"""
SHELTER = """
board "s" grid 9x9
sides german russian
turn 1 german rtph
woods: C6
building brown: G2
unit A squad 4-6-7 german at C4: broken DM
unit R squad 4-4-7 russian at C2
"""
STORM = """
board "d" grid 7x7
sides german russian
turn 1 german mph
unit A squad 4-6-7 german at C3: possesses DC
unit L leader 9-2 german at C3
unit R squad 4-4-7 russian at F5
"""
PREP = STORM.replace("german mph", "german pfph")


@pytest.mark.parametrize(
    ("board", "asked", "told", "untold"),
    part(
        [
            # A1: a rout nearer to a Known enemy unit that sees the unit.
            (ROUT, ["can", "A routs to C4"], ["Not allowed", "A10.51-1"], ["Yes"]),
            # A2: the turn of the hull and the start belong to a single step, too.
            (REAR, ["can", "T drives to C4"], ["MP that the vehicle spends", ": 3", "D2.11-1"], []),
            # A3: the leader of a stack directs its fire, and a shot without him says what he would give.
            (PREP, ["fire", "A L", "F5"], ["directed by L: DRM -2", "A7.53-3"], []),
            (PREP, ["fire", "A", "F5"], ["DRM 0", "modifier of the best leader", ": -2"], []),
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
            (BEHIND, ["tem", "C2", "C6"], ["No shot is possible"], ["DRM of the shot are unknown"]),
            # A hex with a bridge: the answer says which Location it took.
            (SPAN, ["los", "C2", "C4"], ["C4  B6.2-5  In a bridge hex"], ["C2  "]),
            (SPAN, ["los", "C2", "C4", "--json"], ['"levels_by": [', '"B6.2-5"'], []),
            (
                SPAN,
                ["los", "C3", "A2", "--why"],
                ["meets ground at level 0 in B2", "even beside a hex's depression"],
                ["ground(0)"],
            ),
            # A7: what a counter does is unknown in each sum that it bears on.
            (WIRE, ["fire", "D3", "C3", "--moving"], ["DRM unknown"], ["DRM -2"]),
            # A8: what makes the shot unknown makes its line unknown, and nothing else does.
            (f"{STORM}night\n", ["los", "C3", "F5"], ["unknown", "`nvr NUMBER`"], ["clear"]),
            (f"{PREP}night\n", ["fire", "C3", "F5"], ["DRM unknown", "`nvr NUMBER`"], []),
            (f"{PREP}night\nnvr 6\n", ["fire", "C3", "F5"], ["LOS clear"], ["unknown"]),
            # B: the blocking hex is tried first.
            (
                BLIND,
                ["repair", "los B4/2 E6", "clear", "--time", "off"],
                ['--if "rubble wooden: D5"'],
                [],
            ),
            # B: what a DC weighs is known; what mud and snow cost, too.
            (STORM, ["moves", "A"], ["A can reach", "A4.42"], ["Unknown because", "PP NUMBER"]),
            (f"{STORM}weather mud\n", ["moves", "A"], ["A can reach", "E3.64"], ["unknown"]),
            (f"{STORM}weather ground-snow\n", ["moves", "A"], ["A can reach"], ["unknown"]),
            (f"{STORM}night\nnvr 6\n", ["los", "C3", "F5"], ["clear"], ["unknown"]),
            # B: the nearest shelter, the path with the least fire, who can fire at a Location.
            (SHELTER, ["rout", "A"], ["A must rout", "3 MF  C6"], []),
            (STORM, ["safest", "A", "D5"], ["1 path of A to D5"], []),
            (STORM, ["firers", "C3", "--phase", "dfph"], ["1 of 1 unit can fire at C3"], []),
            # B: answers are counted, and the greatest is found.
            (STORM, ["ask", "unit(U, K)"], ["3 answers"], []),
            (BLIND, ["ask", "height(H) = V", "--greatest", "V"], ["greatest V: 2 1/2"], []),
            # B: a move, and an advance from where it ends.
            (STORM, ["sequence", "A moves to D4 then A advances to D5"], ["D5"], ["unknown"]),
            # D5: a leader is shown as printed.
            (STORM, ["view"], ["leader 9-2 german"], ["leadership"]),
        ],
        6,
    ),
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


@slow
def test_the_moves_of_a_vehicle_fit_a_screen(tmp_path: Path) -> None:
    file = tmp_path / "v.board"
    file.write_text(VILLAGE, "utf-8")

    def told(*words: str) -> str:
        command, *rest = words
        return CliRunner().invoke(main, [command, str(file), *rest, "--time", "off"]).stdout

    short, whole = told("moves", "T"), told("moves", "T", "--all")
    assert len(short.splitlines()) < 24
    assert short.startswith("T can reach 6 Locations from B4")
    # Locations in Bypass are counted, and listed by --all.
    assert "In Bypass: perhaps 24; --all lists them" in short
    assert "@" not in short
    assert whole.count("@") > 24
    assert len(told("can", "P moves to D5@D6-E6").splitlines()) < 24
