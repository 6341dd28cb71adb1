"""The facts of a board: the inputs of the vocabulary, and no text of the user as program."""

import re
from collections.abc import Sequence
from dataclasses import replace

import clingo
import clingo.ast
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp.boards.facts import board_facts, fact_symbol
from rules_asp.boards.resolve import resolve
from rules_asp.game.board import Area, Board, Building, Correction, Fact, Level, TerrainSubstitution
from rules_asp.game.grid import Grid, Hex, Location, Vertex
from rules_asp.game.values import facts_text, to_symbol
from rules_asp.game.vocabulary import vocabulary
from rules_asp.parser import parse
from tests.board_texts import boards, examples
from tests.sampling import tries

SMALL = Grid(2, 2)
LARGE = Grid(33, 10)


def lines(board: Board, parts: Sequence[tuple[Hex, str]] = ()) -> list[str]:
    """The facts of a board, each as clingo reads it."""
    return [f"{each}." for each in board_facts(board, parts)]


def facts_of(text: str, grid: Grid = LARGE) -> set[str]:
    """The facts of a text, without those of the bare map."""
    board = resolve(replace(parse(text), grid=grid))
    return set(lines(board)) - set(lines(Board("", grid)))


def atoms(program: str) -> list[clingo.Symbol]:
    """The atoms of a fact text, which must be facts and nothing else."""
    rules: list[clingo.ast.AST] = []
    clingo.ast.parse_string(program, rules.append)
    heads = []
    for rule in rules[1:]:
        assert rule.ast_type == clingo.ast.ASTType.Rule
        assert not rule.body
        heads.append(clingo.parse_term(str(rule.head)))
    return heads


def test_the_bare_map() -> None:
    said = lines(Board("", SMALL))
    hexes = ["(0,1)", "(0,2)", "(1,0)", "(1,1)", "(1,2)"]
    assert [line for line in said if line.startswith("hex")] == [f"hex({h})." for h in hexes]
    assert [line for line in said if line.startswith("base")] == [f"base({h},0)." for h in hexes]
    assert "next((0,1),1,(1,0))." in said
    assert "next((0,1),2,(1,1))." in said
    assert "next((0,1),3,(0,2))." in said
    assert sum(line.startswith("next") for line in said) == 14
    assert said[-1] == "section(b23)."


def test_levels_count_in_halves() -> None:
    assert facts_of("level 2: A1\nlevel -1: B1", SMALL) == {"base((0,1),4).", "base((1,1),-2)."}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("woods: A1", "terrain((0,1),woods)."),
        ("lumberyard: A1", "striped((0,1))."),
        ("marketplace: A1", "dashed((0,1))."),
        ("wall: A1-A2", "side_terrain(e((0,1),(0,2)),wall)."),
        ("road dirt: A2-A1", "road(e((0,1),(0,2)),dirt)."),
        ("building gray: A1", "depicts((0,1),gray)."),
        ("treat scrub as woods", "treat(scrub,woods)."),
        ("rooftops", "ssr_rooftops."),
        ("tower A1 obstacle 1", "ssr_tower((0,1),obstacle,1)."),
        ("smoke 2: A1/1", "smoke(l((0,1),1),2)."),
        ("flame A1/stairs1", "flame(l((0,1),stairs(1)))."),
        ("lv hindrance 1 from range 7", "lv_hindrance(1,7)."),
    ],
)
def test_one_fact_of_one_statement(text: str, expected: str) -> None:
    assert facts_of(text, SMALL) == {expected}


def test_all_symbols_of_a_building() -> None:
    text = 'building "Hôtel" brown: A1 B1 joined A1-B1 stairwell B1 bar A1-B1 covers 0-30'
    assert facts_of(text, SMALL) == {
        "depicts((0,1),brown).",
        "depicts((1,1),brown).",
        'named((0,1),"Hôtel").',
        'named((1,1),"Hôtel").',
        "joined(e((0,1),(1,1))).",
        "stairwell_symbol((1,1)).",
        "bar(e((0,1),(1,1))).",
        "short_bar(e((0,1),(1,1))).",
    }


def test_a_unit_and_its_traits() -> None:
    text = "unit T-34 vehicle russian at D8: fully-tracked BU, VCA E8/E9, MA 76L, MP 13 1/2"
    assert facts_of(text) == {
        'unit("T-34",vehicle).',
        'of_side("T-34",russian).',
        'at("T-34",l((3,8),0)).',
        'status("T-34",fully_tracked).',
        'status("T-34",bu).',
        'vca("T-34",1).',
        'ma("T-34",76,long).',
        'has("T-34",mp,54).',
    }


def test_sections_are_b23_and_those_that_are_said() -> None:
    assert "section(b23)." in lines(Board("", SMALL))
    said = lines(replace(parse("rules PB4"), grid=SMALL))
    assert "section(pb4)." in said
    assert "section(b23)." in said, "it is in force on every board"
    assert "section(brt7)." not in said


def test_the_readme_says_every_input() -> None:
    made = [*board_facts(Board("", SMALL), [(Hex(0, 1), "woods")])]
    for text in examples("board"):
        if "use " not in text:
            board = parse(text)
            made += board_facts(resolve(board if board.grid.parts else replace(board, grid=LARGE)))
    arities = {(atom.name, len(atom.arguments)) for atom in made}
    assert arities == {(each.name, len(each.kinds)) for each in vocabulary().inputs.values()}


def test_parts_come_from_the_drawings() -> None:
    parts = [(Hex(0, 1), "woods"), (Hex(1, 1), "ground(2)"), (Hex(1, 1), "ground(-2)")]
    assert lines(Board("", SMALL), parts)[-3:] == [
        "part((0,1),woods).",
        "part((1,1),ground(2)).",
        "part((1,1),ground(-2)).",
    ]


@pytest.mark.parametrize("kind", ["woods).x(1", "Woods", "", "ground(2", "a b", 'x("y")', "#inf"])
def test_a_part_is_a_plain_term(kind: str) -> None:
    with pytest.raises(ValueError, match="not the name of a part of a hex"):
        board_facts(Board("", SMALL), [(Hex(0, 1), kind)])


EVIL = ['"). evil. named((0,1),"', "\\", '\\"). evil.', "a\nevil.", '#include "x".', "%*", "é☃"]


@pytest.mark.parametrize("name", EVIL)
def test_no_name_becomes_program_text(name: str) -> None:
    board = Board(name, SMALL, (Building("gray", (Hex(0, 1),), name),))
    assert atoms(facts_text(board_facts(board))) == [*board_facts(board)]
    (named,) = [atom for atom in board_facts(board) if atom.name == "named"]
    assert named.arguments[1].string == name


@settings(max_examples=tries(30), suppress_health_check=list(HealthCheck), deadline=None)
@given(boards)
def test_whatever_is_said_makes_plain_facts(board: Board) -> None:
    said = tuple(each for each in board.statements if not isinstance(each, Correction))
    made = board_facts(replace(board, statements=said))
    assert atoms(facts_text(made)) == [*made]
    known = {(each.name, len(each.kinds)) for each in vocabulary().inputs.values()}
    assert {(atom.name, len(atom.arguments)) for atom in made} <= known


@given(st.text(max_size=8))
def test_a_word_is_a_word_or_refused(word: str) -> None:
    board = Board("", SMALL, (Area(word, (Hex(0, 1),)),))
    if re.fullmatch("[a-z][a-z0-9_]*", word) and word != "not":
        assert f"terrain((0,1),{word})." in lines(board)
    else:
        with pytest.raises(ValueError, match="is not a word"):
            board_facts(board)


@pytest.mark.parametrize(
    "given_",
    [
        Fact("event", ("a). evil.", "x")),
        Fact("event", ("x", "nul \x00")),
        Fact("flame", (Location(Hex(0, 1), "roof). evil. x("),)),
        Fact("side", ("not",)),
        Fact("side", ("Evil",)),
        Fact("turn", (2**31,)),
        Fact("turn", (-(2**31) - 1,)),
        Fact("turn", (1, 2)),
        Fact("evil", ()),
        Fact("evil. x", (1,)),
    ],
)
def test_a_fact_that_is_not_safe_is_refused(given_: Fact) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        fact_symbol(given_, vocabulary())


def test_numbers_fill_32_bits() -> None:
    for number in (2**31 - 1, -(2**31)):
        turn = fact_symbol(Fact("turn", (number,)), vocabulary())
        assert str(turn) == f"turn({number})"
        assert turn.arguments[0].number == number


def test_a_base_level_beyond_32_bits_is_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        board_facts(Board("", SMALL, (Level(2**30, (Hex(0, 1),)),)))


def test_a_board_with_corrections_must_be_resolved() -> None:
    with pytest.raises(ValueError, match="resolve it first"):
        board_facts(parse('board "x" grid 2x2\nbuilding gray: A1\nhex A1 stairwell yes'))


def test_nothing_is_said_twice() -> None:
    said = (
        Area("woods", (Hex(0, 1),)),
        Area("woods", (Hex(0, 1),)),
        TerrainSubstitution("scrub", "woods"),
    )
    made = lines(Board("", SMALL, said))
    assert len(made) == len(set(made))


def test_a_vertex_and_a_location_are_two_terms() -> None:
    hex_ = Hex(2, 3)
    one, other = Vertex(hex_, 1), Location(hex_, 1)
    assert one == other  # As tuples they are equal.
    assert [str(to_symbol(each, "spot")) for each in (one, other)] == ["v((2,3),1)", "l((2,3),1)"]
