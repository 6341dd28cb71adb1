"""Corrections: merged into the corrected statement, or reported as a mistake with its place."""

from dataclasses import replace
from pathlib import Path

import pytest

from rules_asp.boards.resolve import resolve
from rules_asp.game.board import Board
from rules_asp.game.grid import Grid
from rules_asp.parser import BoardError, load, parse, write

USED = """board "used" grid 12x10
level 1: A1 A2
level 2: B1
woods: C1 C2
lumberyard: D1
symbol white-dot: E5
wall: A1-A2 A2-A3
road dirt: B1-B2-B3-B4
road path: B2-B3
building "inn" gray: F5 F6 G5   joined F5-F6 F5-G5   stairwell F5   bar F5-F6
building brown: H4
treat scrub as woods
turn 3 german
unit A squad german at F5
doubt F5 "is the square printed?"
doubt F5-F6 "is the bar printed?"
"""


def resolved(text: str, used: str = USED) -> str:
    """What the corrections make of the used board, as text."""
    return write(resolve(parse(used + text))).removeprefix('board "used" grid 12x10\n')


def told(text: str, used: str = USED) -> str:
    with pytest.raises(BoardError) as caught:
        resolve(parse(used + text, "x.board"))
    return str(caught.value)


def without_corrections() -> str:
    return USED.split("\n", 1)[1]


def test_a_board_without_corrections_stays_as_it_is() -> None:
    board = parse(USED)
    assert resolve(board) == board
    assert resolve(board).places == board.places


@pytest.mark.parametrize(
    ("correction", "before", "after"),
    [
        ("hex A1 level 0", "level 1: A1 A2\n", "level 1: A2\n"),
        ("hex B1 level 1", "level 2: B1\n", ""),
        ("hex C1 woods no", "woods: C1 C2", "woods: C2"),
        ("hex D1 lumberyard no", "lumberyard: D1\n", ""),
        ("hex E5 white-dot no", "symbol white-dot: E5\n", ""),
        ("hexside A2-A3 wall no", "wall: A1-A2 A2-A3", "wall: A1-A2"),
        ("hexside F5-G5 joined no", "joined F5-F6 F5-G5", "joined F5-F6"),
        ("hexside F6-G6 joined yes", "joined F5-F6 F5-G5", "joined F5-F6 F5-G5 F6-G6"),
        ("hexside F5-F6 bar no", "   bar F5-F6", ""),
        ("hexside F5-G5 bar yes", "bar F5-F6", "bar F5-F6 F5-G5"),
        ("bar F5-F6 covers 0-30", "bar F5-F6", "bar F5-F6 covers 0-30"),
        ("bar G4-G5", "bar F5-F6", "bar F5-F6 G4-G5"),
        ("hex F5 stairwell no", "   stairwell F5", ""),
        ("hex F6 stairwell yes", "stairwell F5", "stairwell F5 F6"),
        ("hex F5 stairwell yes", "stairwell F5", "stairwell F5"),
        ("hex H4 building gray", "building brown: H4\n", ""),
        ("hex H4 building no", "building brown: H4\n", ""),
        ("hex F5 doubt no", 'doubt F5 "is the square printed?"\n', ""),
        ("hexside F6-F5 doubt no", 'doubt F5-F6 "is the bar printed?"\n', ""),
    ],
)
def test_one_correction(correction: str, before: str, after: str) -> None:
    expected = without_corrections().replace(before, after)
    assert before in without_corrections()
    assert resolved(correction + "\n").startswith(expected)


@pytest.mark.parametrize(
    ("correction", "added"),
    [
        ("hex A1 level 0", "level 0: A1\n"),
        ("hex K1 level 3", "level 3: K1\n"),
        ("hex K1 brush yes", "brush: K1\n"),
        ("hex K1 marketplace yes", "marketplace: K1\n"),
        ("hex K1 large-white-dot yes", "symbol large-white-dot: K1\n"),
        ("hexside K1-K2 hedge yes", "hedge: K1-K2\n"),
        ("hex H4 building disputed", "building disputed: H4\n"),
    ],
)
def test_what_a_correction_adds(correction: str, added: str) -> None:
    assert resolved(correction + "\n").endswith(added)


def test_one_hex_of_a_building_in_another_colour() -> None:
    text = resolved("hex F5 building brown\n")
    assert 'building "inn" gray: F6 G5   joined F5-F6 F5-G5   bar F5-F6\n' in text
    assert text.endswith('building "inn" brown: F5   stairwell F5\n')
    assert resolve(parse('board "used" grid 12x10\n' + text))


def test_a_hex_taken_out_takes_its_own_hexsides_along() -> None:
    used = 'board "x" grid 9x9\nbuilding gray: A1 joined A1-A2 stairwell A1 bar A1-B1\n'
    assert write(resolve(parse(used + "hex A1 building no"))) == 'board "x" grid 9x9\n'


def test_a_road_is_cut() -> None:
    text = resolved("hexside B3-B2 road no\n")
    assert "path" not in text
    assert text.endswith("road dirt: B1-B2\nroad dirt: B3-B4\n")


def test_corrections_may_follow_each_other() -> None:
    text = resolved("hex H4 stairwell yes\nhex H4 building gray\nhex H4 stairwell no\n")
    assert text.endswith("building gray: H4\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hex K1 stairwell yes", "x.board:17:1: there is no building in K1"),
        ("hex F6 stairwell no", "x.board:17:1: there is no stairwell in F6"),
        ("hex K1 building gray", "there is no building in K1"),
        ("hex A1 woods no", "there is no woods in A1"),
        ("hex A1 white-dot no", "there is no white dot in A1".replace("white dot", "white_dot")),
        ("hexside A1-B1 wall no", "there is no wall at A1-B1"),
        ("hexside A2-A3 hedge no", "there is no hedge at A2-A3"),
        ("hexside F6-G6 joined no", "there is no joined at F6-G6"),
        ("hexside K1-K2 joined yes", "there is no building in K1 or K2"),
        ("hexside F5-G5 bar no", "there is no bar at F5-G5"),
        ("bar K1-K2", "there is no building in K1 or K2"),
        ("hexside A1-A2 road no", "there is no road across A1-A2"),
        ("hex A1 doubt no", "there is no doubt about A1"),
        ("hex A1 doubt yes", "a new doubt needs a text"),
        ("hexside A1-A2 doubt yes", "a new doubt needs a text"),
    ],
)
def test_what_is_not_there_cannot_be_corrected(text: str, message: str) -> None:
    assert message in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "level 3: A1",
        "building gray: F6",
        "treat scrub as brush",
        "turn 4",
        "turn russian",
        "unit A squad",
    ],
)
def test_the_same_thing_twice_in_one_file(text: str) -> None:
    assert "x.board:17:1: line" in told(text)
    assert "already sets" in told(text)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("bridge stone: F6", "bridge wooden: F6"),
        ("fpp german 3", "fpp german 4"),
        ("tower F5 obstacle 1", "tower F5 hindrance 2"),
        ("ec wet", "ec dry"),
    ],
)
def test_what_the_vocabulary_says_is_stated_once(text: str, more: str) -> None:
    assert "x.board:18:1: line 17 already sets" in told(f"{text}\n{more}\n")


@pytest.mark.parametrize(
    "unit",
    [
        "unit Z squad 4-6-7 german at F6: PP 4, PP 5",
        "unit Z leader 8-1 german at F6: leadership -2",
        "unit Z squad 4-6-7 german at F6: MMG 4-10, MMG 5-12",
    ],
)
def test_a_trait_with_two_values(unit: str) -> None:
    assert "two values" in told(f"{unit}\n")


def test_what_may_be_said_twice() -> None:
    assert resolved("woods: C1\nwall: A1-A2\nroad path: B2-B3\nfactory F5\nfactory F5\n")
    # Units on two floors of a hex lie under two Level counters (B23.421).
    assert resolved("level counter 1: F5\nlevel counter 2: F5\n")


def used_by(tmp_path: Path, text: str) -> Board:
    (tmp_path / "used.board").write_text(USED, "utf-8")
    (tmp_path / "top.board").write_text('use "used.board"\n' + text, "utf-8")
    return load(tmp_path / "top.board")


def test_a_used_board_gives_way_to_what_is_said_again(tmp_path: Path) -> None:
    text = (
        "level 3: A1\nbuilding brown: F5   stairwell F5\ntreat scrub as brush\n"
        "turn 4 mph\nunit A leader russian at F6\n"
    )
    said = write(resolve(used_by(tmp_path, text)))
    assert "level 1: A2\n" in said
    assert "turn german\n" in said
    assert said.endswith(text)
    assert 'building "inn" gray: F6 G5   joined F5-F6 F5-G5   bar F5-F6\n' in said
    assert said.count("treat") == said.count("unit") == 1


def test_mistakes_name_the_file_they_stand_in(tmp_path: Path) -> None:
    with pytest.raises(BoardError) as caught:
        resolve(used_by(tmp_path, "# nothing\nwoods: A1 \\\n  Z1\n"))
    assert str(caught.value) == (
        f"{tmp_path}/top.board:4:3: the hex Z1 is outside the map, which has 12x10 hexes\n      Z1\n      ^"
    )


@pytest.mark.parametrize(
    ("text", "place", "name"),
    [
        ("woods: A10 A11", "17:12", "A11"),
        ("woods: A1 A0", "17:11", "A0"),
        ("woods: B0 B10 B11", "17:15", "B11"),
        ("woods: L1 M1", "17:11", "M1"),
        ("wall: A10-A11", "17:11", "A11"),
        ("road dirt: A1-A0", "17:15", "A0"),
        ("flame M1/1", "17:7", "M1"),
        ("unit B squad at M1@N1-N0", "17:17", "M1"),
        ("expect los A1 - M1 clear", "17:17", "M1"),
        ("expect los A1 - A2 clear at M1", "17:29", "M1"),
        ("expect height(M1) = 1", "17:15", "M1"),
        ("expect unknown elev(M1/1)", "17:21", "M1"),
        ("expect can A move to M1: no", "17:22", "M1"),
        ('doubt M1 "?"', "17:7", "M1"),
    ],
)
def test_hexes_outside_the_map(text: str, place: str, name: str) -> None:
    assert f"x.board:{place}: the hex {name} is outside the map, which has 12x10 hexes" in told(
        text
    )


def test_the_rim_is_on_the_map() -> None:
    assert resolve(parse('board "x" grid 2x2\nwoods: A1 A2 B0 B1 B2'))
    assert "the hex B3 is outside" in told("woods: B3", 'board "x" grid 2x2\n')
    assert "the hex C1 is outside" in told("woods: C1", 'board "x" grid 2x2\n')
    # A vertex at the rim is named by hexes beyond it.
    assert resolve(parse('board "x" grid 2x2\nunit A squad at B0@C0-C1'))


def test_units_and_sides_must_be_stated() -> None:
    text = "unit B crew at F5: leads Bob\nunit Rob squad\nexpect cost Rb to F5 = 1\ncommando Rob A"
    problems = told(text)
    assert "x.board:17:26: there is no unit Bob" in problems
    assert "did you mean Rob?" in problems
    assert "x.board:19:13: there is no unit Rb" in problems
    assert problems.count("no unit") == 2
    assert resolved("sides german russian\ncontrol russian: F5\n")
    assert "x.board:18:9: the board has no side rusian" in told(
        "sides german russian\ncontrol rusian: F5"
    )
    assert "not a side" not in told("unit C squad: nationality finnish\nhex K1 woods no")


def test_what_is_treated_is_known_or_on_the_map() -> None:
    assert "did you mean orchard?" in told("treat orchards as brush")
    assert "xyz is not a terrain of the rules or of this map" in told(
        "treat xyz as unknown terrain vineyard"
    )
    assert resolved("unknown terrain xyz: F5\ntreat xyz as brush\ntreat orchard as brush\n")
    assert resolved("ssr HammadaToOG\ntreat dirt as paved\ntreat wall as hedge\n")


def test_all_mistakes_come_at_once_and_in_order() -> None:
    lines = told("woods: Z1\nhex K1 stairwell yes\nturn 4\nflame Z2").splitlines()
    heads = [line.split(":")[1] for line in lines if line.startswith("x.board")]
    assert heads == ["17", "18", "19", "20"]


def test_a_text_must_say_how_large_the_map_is() -> None:
    with pytest.raises(BoardError, match="the board has no size"):
        resolve(parse("woods: A1"))


def test_a_use_that_was_not_followed() -> None:
    assert "must be loaded from its file" in told('use "b.board"')


def test_a_board_made_by_a_program_needs_no_places() -> None:
    board = replace(parse(USED + "hex A1 level 0"), places=(), lines={})
    assert resolve(board).grid == Grid(12, 10)
    with pytest.raises(BoardError, match=r"^used: there is no building in K1"):
        resolve(replace(parse(USED + "hex K1 stairwell yes"), places=(), lines={}))
