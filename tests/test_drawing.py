"""Pictures: laws for any board, and a drawing for every word of the vocabulary."""

import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings

from rules_asp.api import load, picture
from rules_asp.boards.resolve import resolve
from rules_asp.drawing import style
from rules_asp.drawing.canvas import crossed, stretches
from rules_asp.drawing.map import MapView, board_svg
from rules_asp.drawing.style import (
    COLOUR,
    DRAWN,
    FLOORS,
    INK,
    INPUTS,
    STRANGE,
    TEXTURES,
    TOLD,
    TOPICS,
    UNSEEN,
)
from rules_asp.game.board import Board, UnitStatement
from rules_asp.game.grid import Grid, Hex
from rules_asp.game.vocabulary import vocabulary
from rules_asp.geometry.polygons import hexagon
from rules_asp.parser import BoardError, parse
from rules_asp.positions.loading import example_boards
from rules_asp.positions.position import Position, prepare
from tests.board_texts import BOARD_OF_ALL
from tests.positions import GRID, boards, program, turned
from tests.sampling import some, tries
from tests.svgs import SVG, facts, of_class, points, read, texts, words
from tests.test_hostile_text import HOSTILE

EXAMPLES = sorted(example_boards())
ALL = parse(BOARD_OF_ALL)
_TITLE = f"{SVG}title"


@cache
def ready(name: str) -> Position:
    """A bundled board, or the board of all."""
    return prepare(ALL, program()) if name == "all" else load(name, program())


@cache
def svg_of(name: str, ink: bool = False) -> str:
    return picture(ready(name), ink=ink)


# --- hexes


@given(boards())
@settings(max_examples=tries(5))
def test_a_hex_is_where_the_lattice_has_it(board: Board) -> None:
    svg = board_svg(board)
    found = {each.get("data-hex"): each for each in of_class(svg, "hex")}
    assert set(found) == {str(hex_) for hex_ in board.grid.hexes()}
    for hex_ in board.grid.hexes():
        group = found[str(hex_)]
        assert (int(group.get("data-x")), int(group.get("data-y"))) == hex_.centre
        (corners,) = points(group.find(f"{SVG}path").get("d"))
        assert corners == [tuple(hex_.corner(each)) for each in range(6)]
        assert group.find(f"{SVG}text").text == str(hex_)
    middles = {
        each.get("data-hex"): re.findall(r"-?\d+", each.get("transform"))
        for each in of_class(svg, "middle")
    }
    assert middles == {str(h): [str(h.centre.x), str(h.centre.y)] for h in board.grid.hexes()}


def drawn_buildings(board: Board) -> Counter[frozenset[tuple[float, float]]]:
    """The points of each building drawing, in lattice units."""
    shapes = Counter()
    for each in of_class(board_svg(board), "building"):
        for path in each.iter(f"{SVG}path"):
            shapes[frozenset(p for part in points(path.get("d")) for p in part)] += 1
    return shapes


@given(boards())
@settings(max_examples=tries(5))
def test_a_turned_board_is_drawn_turned(board: Board) -> None:
    one, other = Hex(0, 1).centre, turned_centre(Hex(0, 1))
    right, down = one.x + other[0], one.y + other[1]

    def turn(shape: frozenset[tuple[float, float]]) -> frozenset[tuple[float, float]]:
        return frozenset((right - x, down - y) for x, y in shape)

    before = drawn_buildings(board)
    assert before
    assert drawn_buildings(turned(board)) == Counter({turn(s): n for s, n in before.items()})


def turned_centre(hex_: Hex) -> tuple[int, int]:
    from tests.positions import turn

    return turn(hex_).centre


def test_hexes_that_are_not_asked_for_are_left_out() -> None:
    church = ready("church")
    shown = {each.get("data-hex") for each in of_class(picture(church, hexes="C2-D3"), "hex")}
    assert shown == {"C2", "C3", "D2", "D3"}
    assert "woods" not in words(picture(church, hexes="C2-D3"))
    assert "woods" in words(picture(church))


def test_one_level() -> None:
    assault = ready("assault")

    def units(level: int | None) -> set[str]:
        return {each.get("data-unit") for each in of_class(picture(assault, level=level), "unit")}

    assert units(None) == {"A", "L", "E", "F", "G"}
    assert units(0) == {"A", "L", "F", "G"}
    assert units(1) == {"E"}
    church = ready("church")
    assert {"roof"} <= facts(picture(church, level="roof"))
    assert "roof" not in facts(picture(church, level=2))


# --- nothing is left out


def test_every_input_is_drawn_told_or_unseen() -> None:
    groups = (DRAWN, frozenset(INPUTS), TOLD, UNSEEN)
    for one, other in combinations(groups, 2):
        assert not one & other
    assert frozenset().union(*groups) == frozenset(vocabulary().inputs)
    assert frozenset(TOPICS) <= frozenset(vocabulary().topics)


def test_every_word_has_a_look() -> None:
    known = vocabulary().words
    for each in (COLOUR, INK):
        assert set(each.terrain) == set(known["terrain"])
        assert set(each.buildings) == set(known["colour"])
        assert set(each.roads) == set(known["surface"])
        assert set(each.sides) == set(known["hexside_terrain"])


def test_the_board_of_all_states_all() -> None:
    stated = {fact.name for fact in prepare(ALL, program()).board_facts.symbols}
    # What is of a map of boards only stands in tests/test_maps.py.
    assert set(vocabulary().inputs) <= stated | {"of_board", "ssr_buildings_on"}


def test_every_input_that_has_a_shape_appears() -> None:
    svg = svg_of("all")
    assert DRAWN | set(INPUTS) <= facts(svg) | {"map", "hex", "short_bar", "ssr_commando"}
    assert set(TOPICS) <= facts(svg)
    assert "commando" in " ".join(words(svg))
    caption = " ".join(words(svg))
    for said in ("night", "nvr 3", "weather mud", "turn 3", "fires through", "rules B23"):
        assert said in caption


def test_whatever_a_board_says_can_be_seen() -> None:
    """Each statement changes the picture, in black and white too: one that is left out is missed."""
    board = resolve(ALL)
    view = MapView(looks=style.INK)
    whole = board_svg(board, view)
    seen = 0
    chosen = some(list(enumerate(board.statements)), 45)
    for index, each in chosen:
        rest = tuple(s for at, s in enumerate(board.statements) if at != index)
        try:
            svg = board_svg(replace(board, statements=rest, places=()), view)
        except (
            BoardError
        ):  # a side or a unit of which others speak, terrain that is treated as other
            named = getattr(each, "name", ""), getattr(each, "kind", "")
            assert isinstance(each, UnitStatement) or "side" in named or "jungle_hut" in named
            continue
        assert svg != whole, each
        seen += 1
    assert seen >= len(chosen) / 2


def test_what_the_rules_say_is_there() -> None:
    factory = svg_of("factory")
    assert Counter(
        each.get("data-hex") for each in read(factory).iter() if each.get("data-fact") == "factory"
    ) == Counter(["B2", "B3", "C3", "C4", "C5", "D3", "D4"])
    (point,) = [each for each in read(factory).iter() if each.get("data-fact") == "access_point"]
    assert point.get("data-hex") == "C3"
    # Of a mere board nothing is asked of the rules.
    assert not facts(board_svg(ready("factory").board)) & {*TOPICS, *FLOORS}


def test_the_legend_names_what_is_there_and_no_more() -> None:
    told = {each.text for each in of_class(svg_of("assault"), "legend-text")}
    assert told == {
        "woods",
        "gray building",
        "brown building",
        "bar",
        "wall",
        "stairwell",
        "german units",
        "russian units",
    }


# --- texts


def test_texts_are_found_where_they_stand() -> None:
    """What looks for overlaps, looked at itself."""
    inner = '<text x="10" y="20" font-size="10">{}</text>'
    head = '<svg xmlns="http://www.w3.org/2000/svg">'
    moved = f'<g transform="translate(100 0) scale(2)">{inner.format("b")}</g>'
    one, other = texts(f"{head}{inner.format('a')}{moved}</svg>")
    assert not one.overlaps(other)
    assert (other.left + other.right) / 2 == pytest.approx(120)
    assert other.bottom - other.top == pytest.approx(2 * (one.bottom - one.top))
    one, other = texts(f"{head}{inner.format('a')}{inner.format('b')}</svg>")
    assert one.overlaps(other)


@pytest.mark.parametrize("name", [*EXAMPLES, "all"])
@pytest.mark.parametrize("ink", some([False, True], 1))
def test_no_text_lies_on_another(name: str, ink: bool) -> None:
    found = texts(svg_of(name, ink))
    assert len(found) > len(ready(name).board.grid.hexes())
    assert [(a.words, b.words) for a, b in combinations(found, 2) if a.overlaps(b)] == []


@pytest.mark.parametrize("count", [1, 2, 3, 4, 9, 24])
def test_many_units_in_a_hex_stay_in_their_hex(count: int) -> None:
    lines = [f"unit Man{n} squad 4-6-7 german at B1: broken DM, PP 4" for n in range(count)]
    svg = board_svg(parse("\n".join(['board "x" grid 3x2', "sides german russian", *lines])))
    assert len(of_class(svg, "unit")) == count
    x, y = Hex(1, 1).centre
    for unit in of_class(svg, "unit"):
        (corners,) = points(unit.find(f"{SVG}path").get("d"))
        assert all(abs(a - x) <= 300 and abs(b - y) <= 258 for a, b in corners)
    said = " ".join(words(svg))
    assert all(re.search(rf"\bMan{n}\b", said) for n in range(count))
    found = texts(svg)
    assert not [1 for a, b in combinations(found, 2) if a.overlaps(b)]


FACES = """board "faces" grid 5x6
sides german russian
unit A squad 4-6-7 german at A1: broken DM
unit L leader 9-2 german at A3
unit C crew 2-2-8 german at A5
unit T vehicle russian at C2: fully-tracked AFV CT turreted, VCA C1/D1, TCA D2/C3, MA 76L, MP 14
unit G gun german at C5: kind AT, VCA C4/D4, MA 75L
unit R squad 4-4-7 russian at E2/0
unit S squad 4-4-7 russian at E2
unit X half-squad 2-2-7 russian at E2
"""


# Finding D10 of the players' list.
@pytest.mark.parametrize("looks", [COLOUR, INK], ids=lambda each: each.name)
def test_a_counter_is_read_as_a_counter(looks: style.Theme) -> None:
    """Symbol, name, side and what is printed; what the drawing says needs no words."""
    svg = board_svg(parse(FACES), MapView(looks=looks))
    units = {each.get("data-unit"): each for each in of_class(svg, "unit")}
    told = {name: [each.text for each in unit.iter(f"{SVG}text")] for name, unit in units.items()}
    assert told["A"] == ["A", "GER", "4-6-7", "broken DM"]
    assert told["L"] == ["L", "GER", "9-2"]
    assert told["T"] == ["T", "RUS", "MP 14", "76L"]
    assert told["G"] == ["G", "GER", "75L", "kind AT"]
    # Three in a hex: squares side by side, none over another.
    squares = {name: points(units[name].find(f"{SVG}path").get("d"))[0] for name in "RSX"}
    boxes = [
        (min(x for x, _ in each), max(x for x, _ in each), min(y for _, y in each))
        for each in squares.values()
    ]
    assert len({(left, top) for left, _, top in boxes}) == 3
    assert {round(right - left) for left, right, _ in boxes} == {round(boxes[0][1] - boxes[0][0])}
    # The silhouettes of the types differ.
    shapes = {
        each.find(f"{SVG}g[@class='symbol']/{SVG}path").get("d")
        for name, each in units.items()
        if name in "ALCX"
    }
    assert len(shapes) == 4


def test_a_vehicle_points_where_its_arcs_do() -> None:
    turned = FACES.replace("VCA C1/D1, TCA D2/C3", "VCA D2/C3, TCA D2/C3")

    def shapes(text: str) -> list[str]:
        (unit,) = [
            each
            for each in of_class(board_svg(parse(text)), "unit")
            if each.get("data-unit") == "T"
        ]
        return [each.get("d") for each in unit.iter(f"{SVG}path")]

    before, after = shapes(FACES), shapes(turned)
    # Tracks and hull turn with the VCA; the turret stays.
    assert [one == two for one, two in zip(before, after, strict=True)] == [
        *(True, False, False, True),
    ]


def test_sides_are_reported_apart_without_their_colours() -> None:
    fills = {side: light(fill) for side, (fill, _) in COLOUR.nations.items()}
    for side, (fill, rim) in COLOUR.nations.items():
        assert light(fill) - light(rim) >= 45, side
    assert abs(fills["german"] - fills["russian"]) >= 8


def test_a_name_too_long_for_its_hex_stands_below() -> None:
    name = "the house of the widow of the mayor of Saint-Germain-des-Longues-Paroles, and her cats"
    board = parse(f'board "x" grid 3x3\nbuilding "{name}" gray: B1')
    assert name in re.sub(r"\s+", " ", " ".join(words(board_svg(board))))


# --- what a picture is made of


@pytest.mark.parametrize("name", some(HOSTILE, 8))
def test_names_are_text_and_nothing_else(name: str) -> None:
    text = name + "<script>alert(1)</script>&\"'"
    quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    svg = board_svg(
        parse(f'board "{quoted}" grid 3x3\nbuilding "{quoted}" gray: B1\nevent set-fire "{quoted}"')
    )
    root = read(svg)
    assert root.find(_TITLE).text.count("<script>") == 1
    is_safe(svg)


def is_safe(svg: str) -> None:
    known = {"svg", "g", "path", "text", "title", "defs", "pattern"}
    for each in read(svg).iter():
        assert each.tag.removeprefix(SVG) in known
        assert not [key for key in each.attrib if key.startswith("on") or "href" in key]
        assert "style" not in each.attrib


@pytest.mark.parametrize("name", some(EXAMPLES, 2))
def test_ids_are_single_and_stable(name: str) -> None:
    svg = svg_of(name)
    ids = [each.get("id") for each in read(svg).iter() if each.get("id")]
    assert len(ids) == len(set(ids))
    assert {f"hex-{hex_}" for hex_ in ready(name).index.bases} <= set(ids)
    assert svg == picture(ready(name))
    is_safe(svg)


def test_paints_that_are_used_are_there() -> None:
    for name in EXAMPLES:
        svg = svg_of(name)
        used = set(re.findall(r"url\(#([^)]*)\)", svg))
        assert used == {each.get("id") for each in read(svg).iter(f"{SVG}pattern")}


def test_a_whole_board_is_no_more_than_two_megabytes() -> None:
    grid = Grid(33, 10)
    kinds = vocabulary().words["terrain"]
    lines = ["sides german russian", "rooftops"]
    for at, hex_ in enumerate(grid.hexes()):
        lines.append(f"{kinds[at % len(kinds)].replace('_', '-')}: {hex_}")
        lines.append(f"building {'gray' if at % 2 else 'brown'}: {hex_}")
        lines.append(f"unit Man{at} squad 4-6-7 german at {hex_}: broken DM, PP 4")
    svg = board_svg(parse("\n".join([f'board "x" grid {grid}', *lines])))
    assert len(svg.encode()) <= 2_000_000
    assert len(of_class(svg, "unit")) == len(grid.hexes())


# --- colours


def light(colour: str) -> float:
    """How light a colour is, 0 to 100 (CIE L*)."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (red, green, blue)
    ]
    y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y


def test_whoever_does_not_tell_red_from_green_tells_terrains_apart() -> None:
    """By their patterns; two of one pattern by lightness, which all eyes see."""
    for one, other in combinations(COLOUR.terrain.items(), 2):
        (name, a), (name_of_other, b) = one, other
        alike = a.texture == b.texture
        if alike and a.texture and {name, name_of_other} not in SAME_TO_THE_EYE:
            assert abs(light(a.fill) - light(b.fill)) >= 8, (name, name_of_other)
    assert len({each.texture for each in COLOUR.terrain.values()}) >= 15


#: Water by another name: what they are called the legend says.
SAME_TO_THE_EYE = [
    {"water", "river"},
    {"shallow_water", "shallow_river"},
    {"deep_stream", "water"},
    {"deep_stream", "river"},
    {"shallow_stream", "shallow_water"},
    {"shallow_stream", "shallow_river"},
    {"water", "pond"},
    {"river", "pond"},
    {"deep_stream", "pond"},
]


@pytest.mark.parametrize("each", [COLOUR, INK], ids=lambda each: each.name)
def test_stone_is_reported_from_wood_and_one_side_from_the_other(each: style.Theme) -> None:
    gray, brown = each.buildings["gray"], each.buildings["brown"]
    assert abs(light(gray.fill) - light(brown.fill)) >= 14 or gray.texture != brown.texture
    (one, rim), (two, other_rim) = each.units[:2]
    assert one != two or rim != other_rim
    grounds = [light(each.levels[level]) for level in sorted(each.levels)]
    upper = [light(each.levels[level]) for level in range(7)]
    assert upper == sorted(upper, reverse=True)
    assert min(a - b for a, b in pairwise(upper)) >= 4
    assert len(set(grounds)) == len(grounds)


def test_black_and_white_is_that() -> None:
    svg = svg_of("all", True)
    for colour in set(re.findall(r"#[0-9a-f]{6}\b", svg)):
        assert colour[1:3] == colour[3:5] == colour[5:7]


def test_textures_are_all_used() -> None:
    used = {look.texture for each in (COLOUR, INK) for look in each.terrain.values()}
    for each in (COLOUR, INK):
        used |= {look.texture for look in each.buildings.values()}
        used |= {*STRANGE, each.unknown_terrain.texture, each.striped.texture}
    assert used - {""} == set(TEXTURES)


@pytest.mark.parametrize("ink", [False, True])
def test_terrains_that_no_rule_knows_look_unlike(ink: bool) -> None:
    text = 'board "x" grid 5x3\nunknown terrain scrub: A1\nunknown terrain hammada: C2\n'
    svg = picture(prepare(parse(text), program()), ink=ink)
    patterns = set(re.findall(r"url\(#[^)]*query[^)]*\)", svg))
    assert len(patterns) == 2, patterns


# --- lines cut by hexes


@given(boards())
@settings(max_examples=tries(5))
def test_a_line_is_the_hexes_that_it_crosses(board: Board) -> None:
    hexes = GRID.hexes()
    for one, other in some([(a, b) for a in hexes for b in hexes if a < b], 8):
        found = crossed(one.centre, other.centre, hexes)
        assert {one, other} <= {hex_ for hex_, _, _ in found}
        # A line along hexsides is in both their hexes, so that shares can be counted twice.
        covered = stretches(one.centre, other.centre, [hexagon(hex_) for hex_ in hexes])
        assert covered[0][0] == pytest.approx(0, abs=1e-6)
        assert covered[-1][1] == pytest.approx(1, abs=1e-6)
        for hex_, low, high in found:
            back = {each[0]: each[1:] for each in crossed(other.centre, one.centre, hexes)}
            assert back[hex_] == pytest.approx((1 - high, 1 - low), abs=1e-6)


def test_the_picture_of_the_readme_is_what_its_command_makes(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from rules_asp.cli.app import main

    root = Path(__file__).parent.parent
    readme = (root / "README.md").read_text("utf-8")
    (shown,) = re.findall(r"^!\[[^]]*\]\((\S+\.svg)\)", readme, re.MULTILINE)
    (command,) = re.findall(r"^rules-asp (.*) --draw \S+\.svg$", readme, re.MULTILINE)
    made = tmp_path / "made.svg"
    result = CliRunner().invoke(main, [*command.split(), "--draw", str(made)])
    assert result.exit_code == 0, result.output
    assert made.read_text("utf-8") == (root / shown).read_text("utf-8")
