"""The board language: text to Board and back, mistakes in a text, and boards that use boards."""

import contextlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp.game.board import (
    Area,
    Building,
    Doubt,
    Expect,
    Fact,
    Outline,
    SourcePosition,
    UnitStatement,
)
from rules_asp.game.grid import Grid, Hex, Hexside
from rules_asp.game.vocabulary import vocabulary
from rules_asp.parser import BoardError, load, parse, write
from rules_asp.parser.input_syntax import BARRELS, LINES, MARKS, STATEMENTS, TRAITS, fact_line
from rules_asp.parser.lark_grammar import first_words
from rules_asp.parser.reader import grammar
from rules_asp.runtime.limits import VARIABLE
from tests.board_texts import boards, examples
from tests.sampling import tries


def problems(text: str) -> str:
    with pytest.raises(BoardError) as caught:
        parse(text, "x.board")
    return str(caught.value)


# --- text to Board and back


@pytest.mark.parametrize("text", examples("board"))
def test_every_example_of_the_readme_is_read_and_written_back(text: str) -> None:
    board = parse(text)
    assert parse(write(board)) == board


@settings(max_examples=tries(450), suppress_health_check=list(HealthCheck), deadline=None)
@given(boards)
def test_what_is_written_is_read_as_it_was(board: object) -> None:
    text = write(board)
    again = parse(text)
    assert again == board
    assert write(again) == text


@pytest.mark.parametrize("length", range(1, 13))
def test_a_number_and_its_quarters_stay_in_one_line(length: int) -> None:
    name = "U" * length
    board = parse(
        f'board "" grid 2x1\nunit {name} squad at A1: {"pinned, " * 8}spent 1 1/4, spent 2 1/2'
    )
    text = write(board)
    assert parse(text) == board
    assert "1 1/4" in text
    assert "2 1/2" in text


def test_order_and_places_of_statements() -> None:
    board = parse("# a comment\nwoods: A1\n\n  factory E7 F7\nbrush: B1\n", "x.board")
    assert board.statements == (
        Area("woods", (Hex(0, 1),)),
        Fact("ssr_factory", (Hex(4, 7),)),
        Fact("ssr_factory", (Hex(5, 7),)),
        Area("brush", (Hex(1, 1),)),
    )
    assert board.places == (
        SourcePosition("x.board", 2, 1),
        SourcePosition("x.board", 4, 3),
        SourcePosition("x.board", 4, 3),
        SourcePosition("x.board", 5, 1),
    )


def test_a_line_goes_on_after_a_backslash_or_a_comma() -> None:
    text = "woods: A1 \\\n  B1\nunit A squad: broken,  # and\n  PP 4\nbrush: C1 \\"
    board = parse(text)
    assert board.statements == (
        Area("woods", (Hex(0, 1), Hex(1, 1))),
        UnitStatement(
            "A",
            (
                Fact("unit", ("A", "squad")),
                Fact("status", ("A", "broken")),
                Fact("has", ("A", "pp", 4)),
            ),
        ),
        Area("brush", (Hex(2, 1),)),
    )


def test_carriage_returns_tabs_and_a_byte_order_mark_are_no_matter() -> None:
    assert parse('\ufeffboard "x" grid 2x2\r\n\twoods:\tA1\r\n') == parse(
        'board "x" grid 2x2\nwoods: A1\n'
    )


@pytest.mark.parametrize("name", ["", "# no comment", 'a "quoted" \\ name', "two\nlines", "ß ☂"])
def test_any_name_survives(name: str) -> None:
    board = parse(write(parse("building gray: U4")))
    (building,) = board.statements
    assert isinstance(building, Building)
    named = Building("gray", building.hexes, name)
    again = parse(write(type(board)(name, Grid(1, 1), (named,))))
    assert again.name == name
    assert again.statements == (named,)


def test_a_hex_may_carry_the_number_of_its_board() -> None:
    text = (
        'board "20" grid 33x10\nbuilding gray: 20E7 E8 joined 20E7-20E8\n'
        "expect los 20E7/1 - E9 clear"
    )
    assert parse(text) == parse(text.replace("20E", "E"))
    assert "x.board:2:16: 21 is not the name of a board of this map" in problems(
        text.replace(": 20E7", ": 21E7")
    )
    assert "21 is not the name of a board of this map" in problems(
        text + "\nexpect height(21E7) = 1"
    )


def test_long_lines_are_broken_and_outlines_are_not() -> None:
    ring = " ".join(f"{x},{x * x % 997}" for x in range(100))
    text = "woods: " + " ".join(map(str, Grid(10, 10).hexes())) + f"\noutline woods: {ring}\n"
    board = parse(text)
    *lines, last = write(board).splitlines()
    assert max(map(len, lines)) <= 100
    assert last == f"outline woods: {ring}"
    assert parse(write(board)) == board


def test_neighbouring_facts_share_a_line_and_others_do_not() -> None:
    text = "factory E7 F7\nrooftops\nturn 3 german mph\nturn german\nturn 4 aph\nflame U4/1 U4\n"
    assert write(parse(text)) == text


def test_facts_without_a_statement_of_their_own_cannot_be_written() -> None:
    board = parse("woods: A1")
    odd = type(board)("", Grid(0, 0), (Fact("depicts", (Hex(0, 1), "gray")),))
    with pytest.raises(ValueError, match="depicts"):
        write(odd)


# --- the grammar, the forms and the vocabulary agree


def test_every_input_has_one_way_to_be_said() -> None:
    from_map = {"map", "hex", "next", "base", "part", "of_board"}
    by_statement = {
        "terrain",
        "depicts",
        "named",
        "joined",
        "stairwell_symbol",
        "striped",
        "dashed",
        "bar",
        "short_bar",
        "side_terrain",
        "road",
        "treat",
    }
    by_unit = {"unit", "strength", "of_side", "at"}
    ways = [from_map, by_statement, by_unit, set(STATEMENTS), set(TRAITS)]
    assert set(vocabulary().inputs) == set().union(*ways)
    assert len(vocabulary().inputs) == sum(map(len, ways))


def test_every_input_has_a_line_that_would_say_it_however_much_is_known_of_it() -> None:
    first = set(first_words(grammar()))
    for name, entry in vocabulary().inputs.items():
        for count in range(len(entry.kinds) + 1):
            line = fact_line(name, [f"K{place}" for place in range(count)], vocabulary())
            word = line.split()[0].rstrip(":")
            # Of a terrain it is the word itself that begins the line, and marks stand with what bears them.
            assert word in first or word.isupper() or name in MARKS, line
            assert count == 0 or "K0" in line


def test_every_form_is_a_rule_of_the_grammar_and_begins_with_its_words() -> None:
    known = {str(rule.alias or rule.origin.name) for rule in grammar().rules}
    clock = {"turn", "moving_side", "phase"}
    assert set(STATEMENTS) - clock <= known
    assert set(TRAITS) <= known
    assert {form.split()[0] for form in STATEMENTS.values()} <= set(first_words(grammar()))


def test_every_barrel_has_a_sign() -> None:
    assert set(BARRELS) == set(vocabulary().words["barrel"])


# --- what is wrong

BAD = """board "x" grid 99x10
bilding gray: U4
building grau: U4
level one: A2
use "never
wall: A1-A3
hexside O8-P8 joint no
unit A squad 4-6-7 german at U4/rof
unit B sqad
unit U4 squad: brokn pinned, possesses lgm
turn 3 german mhp
turn mph german
bar A1-A2 covers 30-20
third level E7 hx
20E7
smoke 99999999999: A1
building gray: u4
building gray: U4 joined A1-A2
unit C vehicle: VCA E8/E9
unit D vehicle at D8: VCA E7/E9,
   MP 1 1/2, MF 1.3
outline ground: 0,0 1,1 2,2
board "again"
treat scrub as
"""

TOLD = """x.board:1:16: a map cannot have 99x10 hexes
    board "x" grid 99x10
                   ^
    expected a size from 1x1 to 52x75
x.board:2:1: no statement begins with bilding
    bilding gray: U4
    ^
    did you mean building?
x.board:3:10: 'grau' is not a colour
    building grau: U4
             ^
    expected brown, disputed or gray
    did you mean gray?
x.board:4:7: one is not expected at this position; example: level 1: V3 W3
    level one: A2
          ^
    expected a number or counter
x.board:5:5: the closing quotation mark is missing; example: use "bd24.board" turned right of 21
    use "never
        ^
x.board:6:7: A1 and A3 are not adjacent, so they share no hexside
    wall: A1-A3
          ^
x.board:7:15: joint is not a known property of a hexside
    hexside O8-P8 joint no
                  ^
    expected bar, bocage, cliff, doubt, hedge, joined, road or wall
    did you mean joined?
x.board:8:30: rof is not a level of a hex
    unit A squad 4-6-7 german at U4/rof
                                 ^
    expected a number, roof, steeple, tower, stairs1 or +1
    did you mean roof?
"""


def test_all_bad_lines_are_reported_in_one_pass() -> None:
    told = problems(BAD)
    assert told.startswith(TOLD)
    rest = [line for line in told[len(TOLD) :].splitlines() if line.startswith("x.board")]
    assert rest == [
        "x.board:9:8: 'sqad' is not a unit type",
        "x.board:10:16: 'brokn' is not a status",
        "x.board:10:40: 'lgm' is not a weapon",
        "x.board:11:15: 'mhp' is not a phase",
        "x.board:12:6: the side must precede the phase, as in `turn 3 german mph`",
        "x.board:13:18: 30-20 is not a part of a hexside",
        "x.board:14:16: 'hx' is not a scope",
        "x.board:15:1: no statement begins with 20E7",
        "x.board:16:7: 99999999999 is too large: write a number from -2147483647 to 2147483647",
        "x.board:17:16: u4 is not expected at this position; example: " + LINES["building"],
        "x.board:18:26: A1-A2 is not in this building: name one of its hexes or hexsides",
        "x.board:19:21: the place of the unit is missing: write `at HEX` after its side",
        "x.board:20:27: D8, E7 and E9 do not meet at a vertex;"
        " the vertices of D8 are D7/E8, E8/E9, E9/D9, D9/C9, C9/C8, C8/D7",
        "x.board:21:17: 1.3 is not a multiple of 1/4",
        "x.board:22:9: an outline of ground needs a level, and other outlines cannot have one",
        "x.board:23:7: this is the second `board` line: a text may have only one",
        "x.board:24:15: the text ends before it is complete; example: " + LINES["treat"],
    ]


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("outlin woods: 0,0 1,1 2,2", "outline"),
        ("building gray: u4", "U4"),
        ("purchase german 3 fortifed", "fortified"),
        ("unit A half-sqad", "half-squad"),
        ("expect holds heigth(U4) = 1", "height"),
        ("expect los U4 - U5 cleer", None),
    ],
)
def test_the_nearest_word_is_named(line: str, near: str | None) -> None:
    told = problems(line)
    assert f"did you mean {near}?" in told or near is None


@pytest.fixture
def few_terrains(monkeypatch: pytest.MonkeyPatch) -> None:
    """A vocabulary with two terrains."""
    words = vocabulary()
    known = {**words.words, "terrain": ("woods", "open_ground")}
    few = replace(words, words=known)
    monkeypatch.setattr("rules_asp.parser.reader.default_vocabulary", lambda: few)
    monkeypatch.setattr("rules_asp.parser.writer.default_vocabulary", lambda: few)


@pytest.mark.usefixtures("few_terrains")
@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("Woods: A1", "woods"),
        ("woulds: A1", "woods"),
        ("lumbervard: A1", "lumberyard"),
        ("factry: E7", "factory"),
        ("treat scrub as open-grond", "open-ground"),
        ("hex A1 woulds no", "woods"),
        ("outline woodz: 0,0 1,1 2,2", "woods"),
        ("unknown terrain woods: A1", None),
        ("outline unknown terrain woods: 0,0 1,1 2,2", None),
    ],
)
def test_terrain_that_the_rules_do_not_know_is_no_slip(line: str, near: str | None) -> None:
    told = problems(line)
    assert f"did you mean {near}?" in told or (near is None and "did you mean" not in told)


@pytest.mark.usefixtures("few_terrains")
def test_unknown_terrain_is_marked_as_such() -> None:
    text = "unknown terrain jungle-hut: A1\noutline unknown terrain jungle-hut: 0,0 1,1 2,2\n"
    text += "hex A1 unknown terrain jungle-hut no\nhex A1 woods no\nhex A1 level 1\n"
    assert parse(text).statements[0] == Area("jungle_hut", (Hex(0, 1),))
    assert write(parse(text)) == text


@pytest.mark.parametrize(
    "line",
    [
        "#include <x>\nwoods: ",
        "$",
        "building",
        "é: A1",
        "woods: A1 $",
        'use "a\x00b"',
        "rules 23",
        "road paved: A1",
        "road paved: A1-A3",
        "mines ap 6 seen: A1",
        "level 1.5: A1",
        "woods: AB1",
        "hex R8 stairwell maybe",
        "hexside O8-P8 road yes",
        "expect",
        "expect holds",
        "breach O8-P8",
        "outline woods: 0,0 1,1",
        "climb U4/U5",
        "event A",
        "turn",
        "unit A squad at U4@U9-U3",
        "roadblock K7-L6 toward A1",
        "unit A vehicle at D8: VCA 3",
        "symbol dot: A1",
        "#\n:",
    ],
)
def test_bad_text_is_a_board_error(line: str) -> None:
    assert problems(line).startswith("x.board:")


@settings(max_examples=tries(900), deadline=None)
@given(st.text(max_size=60))
def test_no_text_makes_another_error(text: str) -> None:
    with contextlib.suppress(BoardError):
        parse(text)


@settings(max_examples=tries(600), deadline=None)
@given(boards, st.data())
def test_a_damaged_text_makes_no_other_error(board: object, data: st.DataObject) -> None:
    text = write(board)
    cut = data.draw(st.integers(0, len(text)))
    damaged = text[:cut] + data.draw(st.sampled_from(("", '"', ",", "A1", "-", "\n", " x")))
    damaged += text[cut + data.draw(st.integers(0, 3)) :]
    with contextlib.suppress(BoardError):
        parse(damaged)


def test_limits_of_the_map_and_of_coordinates() -> None:
    assert parse('board "x" grid 52x75').grid == Grid(52, 75)
    assert parse('board "x" grid 1x1').grid == Grid(1, 1)
    for size in ("53x75", "52x76", "0x1", "1x0"):
        assert "a map cannot have" in problems(f'board "x" grid {size}')
    (outline,) = parse("outline woods: -40000,0 40000,0 0,40000").statements
    assert isinstance(outline, Outline)
    assert "above the limit of 40000" in problems("outline woods: -40001,0 40000,0 0,40000")
    assert "above the limit of 40000" in problems("outline woods: 0,0 40000,0 0,40001")
    assert "above the limit of 40000" in problems("outline woods: 0,0 1,1 2," + "9" * 5000)


def test_limits_of_numbers() -> None:
    (given_,) = parse("nvr 2147483647").statements
    assert given_ == Fact("nvr", (2**31 - 1,))
    assert "too large" in problems("nvr 2147483648")
    assert parse("nvr -2147483648").statements == (Fact("nvr", (-(2**31),)),)
    assert "too large" in problems("nvr -2147483649")
    assert "too large" in problems("unit A squad: MF 1073741824")
    assert "too large" in problems("nvr " + "9" * 5000)


@pytest.mark.parametrize(
    ("printed", "morale", "modifier"),
    [("8-1", 8, -1), ("10-2", 10, -2), ("7-0", 7, 0), ("6+1", 6, 1)],
)
def test_what_is_printed_on_a_leader_is_morale_and_leadership(
    printed: str, morale: int, modifier: int
) -> None:
    (one,) = parse(f"unit L leader {printed} german at C3: broken").statements
    said = f"morale {morale}, leadership {modifier}, broken"
    (other,) = parse(f"unit L leader german at C3: {said}").statements
    assert isinstance(one, UnitStatement)
    assert isinstance(other, UnitStatement)
    assert one.facts == other.facts
    # It is told again as it is printed.
    told = write(parse(f"unit L leader german at C3: {said}"))
    assert f"unit L leader {printed} german at C3: broken" in told
    assert "only a leader has a value such as" in problems(f"unit A squad {printed} at C3")


def test_fractions_are_read_in_the_unit_of_their_kind() -> None:
    text = "unit A squad: MF 1 1/2, MP -1 1/2, leadership -1\nunit B squad: MF 2.25\n"
    facts = [
        fact
        for each in parse(text).statements
        if isinstance(each, UnitStatement)
        for fact in each.facts
    ]
    assert [fact.args[2] for fact in facts if fact.name == "has"] == [6, -6, -1, 9]
    assert "a multiple of 1/2" in problems("expect height(E7) = 1 1/4")
    assert "a whole number" in problems("tower E7 obstacle 1 1/2")
    assert "a whole number" in problems("nvr 1/2")


# --- boards that use boards


def files(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.board").write_text(text, "utf-8")
    return folder / f"{next(iter(texts))}.board"


def test_a_used_board_comes_before_what_is_said_after_it(tmp_path: Path) -> None:
    (tmp_path / "maps").mkdir()
    files(tmp_path / "maps", b20='board "20" grid 33x10\nwoods: A1\nexpect los A1 - A2 clear\n')
    top = files(tmp_path, top='use "maps/b20.board"\nbrush: 20B1\nexpect los A1 - A3 clear\n')
    board = load(top)
    assert (board.name, board.grid) == ("20", Grid(33, 10))
    kinds = [type(each) for each in board.statements]
    assert kinds == [Area, Area, Expect]
    assert [place.file for place in board.places] == [
        str(tmp_path / "maps" / "b20.board"),
        str(top),
        str(top),
    ]
    assert parse(write(board)) == board


def test_a_board_may_rename_what_it_uses_but_not_resize_it(tmp_path: Path) -> None:
    top = files(tmp_path, top='board "mine"\nuse "b.board"\n', b='board "b" grid 3x3\n')
    assert load(top).name == "mine"
    files(tmp_path, top='board "mine" grid 4x4\nuse "b.board"\n')
    with pytest.raises(BoardError, match=r"top.board:2:1: the used board has 3x3 hexes"):
        load(top)


def chain(folder: Path, length: int) -> Path:
    """So many boards that use each other in a chain."""
    names = [f"b{index}" for index in range(length)]
    texts = {name: f'use "{after}.board"' for name, after in pairwise(names)}
    return files(folder, **texts, **{names[-1]: 'board "x" grid 2x2'})


def test_the_depth_of_use_is_limited(tmp_path: Path) -> None:
    assert load(chain(tmp_path, 9)).grid == Grid(2, 2)
    with pytest.raises(BoardError, match="more than 8 boards"):
        load(chain(tmp_path, 10))


def test_a_board_that_two_others_use_is_taken_in_once(tmp_path: Path) -> None:
    top = files(
        tmp_path,
        top='use "b.board"\nuse "c.board"\n',
        b='use "d.board"\nbrush: A1\n',
        c='use "d.board"\ngrain: A1\n',
        d='board "d" grid 2x2\nlevel 1: A1\n',
    )
    assert write(load(top)) == 'board "d" grid 2x2\nlevel 1: A1\nbrush: A1\ngrain: A1\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('use "top.board"', "top.board:1:1: the file top.board uses itself"),
        ('use "b.board"', "b.board:1:1: the file ../{folder}/top.board uses itself"),
        ('use "gone.board"', "top.board:1:1: there is no file"),
        ('use "."', "top.board:1:1: there is no file"),
        ('use "/etc/passwd"', "the path of a used file must be relative"),
        ('use "latin.board"', "latin.board is not a text file"),
        ('use "bad.board"', "bad.board:2:1: no statement begins with wrong"),
        (
            'use "b20.board"\nwoods: 21A1',
            "top.board:2:8: 21 is not the name of a board of this map",
        ),
    ],
)
def test_what_cannot_be_used(tmp_path: Path, text: str, told: str) -> None:
    top = files(
        tmp_path,
        top=text,
        b=f'use "../{tmp_path.name}/top.board"',
        bad="\nwrong\n",
        b20='board "20" grid 3x3',
    )
    (tmp_path / "latin.board").write_bytes(b'board "\xe9" grid 1x1')
    with pytest.raises(BoardError) as caught:
        load(top)
    assert told.format(folder=tmp_path.name) in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BoardError, match="there is no file"):
        load(tmp_path / "gone.board")


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'board "x" grid 2x2\n'
    top = files(tmp_path, top=text)
    monkeypatch.setenv(VARIABLE, f"board={len(text)}")
    assert load(top).grid == Grid(2, 2)
    monkeypatch.setenv(VARIABLE, f"board={len(text) - 1}")
    with pytest.raises(BoardError, match="bytes in a board"):
        load(top)


def test_a_breach_names_hexside_and_level() -> None:
    assert parse("breach P8-O8/0").statements == (
        Fact("breach", (Hexside(Hex(14, 8), Hex(15, 8)), 0)),
    )


def test_maps_may_begin_elsewhere() -> None:
    board = parse('board "1b" grid 17x20 from Q1')
    assert board.grid == Grid(17, 20, Hex(16, 1))
    assert write(board) == 'board "1b" grid 17x20 from Q1\n'
    assert board.grid.hexes()[0] == Hex(16, 1)
    assert Hex(17, 0) in board.grid
    assert not {Hex(16, 0), Hex(15, 5), Hex(33, 5), Hex(16, 21)} & set(board.grid.hexes())
    assert parse('board "x" grid 36x10 from Q66').grid.fields[0].corners[1] == (
        23_400 - 450,
        38_700,
    )


@pytest.mark.parametrize("start", ["B1", "A0", "S1", "Q67", "ZZ1"])
def test_maps_that_begin_nowhere(start: str) -> None:
    """In an odd column, above the first row, or so that they would leave the largest map."""
    with pytest.raises(BoardError, match=f"a map of 36x10 hexes cannot begin at {start}"):
        parse(f'board "x" grid 36x10 from {start}')


def test_sections_in_small_letters_are_the_same() -> None:
    head = 'board "x" grid 2x2\nrules '
    assert parse(f"{head}b23 Pb4").statements == parse(f"{head}B23 PB4").statements


def test_one_doubt_of_several_places() -> None:
    text = 'board "x" grid 4x4\ndoubt A1 B1 A1-B1 "cut off"\ndoubt C2 "faded"\n'
    board = parse(text)
    assert [each.text for each in board.statements if isinstance(each, Doubt)] == [
        *["cut off"] * 3,
        "faded",
    ]
    assert text.partition("\n")[2] in write(board)
    assert parse(write(board)) == board
