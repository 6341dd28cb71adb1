"""The cases in tests/cases and the included examples: boards with the answers that they expect.

The name of a case begins with its paragraph: `pytest --ci -k b23_25` runs all cases of B23.25. The quick
suite runs a case of every second section.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rules_asp.cases.expectations import check_expectation, expectations
from rules_asp.game.board import Expect, ExpectedConflict, SourcePosition
from rules_asp.parser import parse, parse_query
from rules_asp.parser.writer import statement_text
from rules_asp.positions.loading import example_boards, load
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.ask import ask
from tests.positions import program
from tests.sampling import one_of_each, part, some

CASES = sorted((Path(__file__).parent / "cases").glob("*.board"))
EXAMPLES = sorted(example_boards().values())


def failed(asked: Position) -> list[str]:
    """Return the failed expectations, each with its place and the actual answer."""
    return [
        f"{each.place.file}:{each.place.line}: {statement_text(each.expect, asked.notation)}:"
        f" {each.answered}"
        for each in expectations(asked)
        if not each.passed
    ]


def section(path: Path) -> str:
    """Return the section that a case is about: the first part of its name."""
    return path.stem.partition("_")[0]


@pytest.mark.parametrize("path", part(one_of_each(CASES, section), 24), ids=lambda path: path.stem)
def test_case(path: Path) -> None:
    case = load(path, program())
    assert any(isinstance(each, Expect) for each in case.board.statements)
    assert failed(case) == []


@pytest.mark.parametrize("path", part(EXAMPLES, 3), ids=lambda path: path.stem)
def test_example(path: Path) -> None:
    example = load(path, program())
    asked = [each for each in example.board.statements if isinstance(each, Expect)]
    assert any(each.cites for each in asked)
    assert failed(example) == []


def test_examples_show_the_printed_situations() -> None:
    assert {path.stem for path in EXAMPLES} >= {
        "church",
        "factory",
        "marketplace",
        "rowhouse",
        "stairwell",
    }


@pytest.mark.parametrize("path", some(CASES, 5), ids=lambda path: path.stem)
def test_a_question_has_the_same_answer_alone_and_with_others(path: Path) -> None:
    case = load(path, program())
    asked = [each for each in case.board.statements if isinstance(each, Expect)]
    for expect in some(asked, 4):
        alone = check_expectation(case, expect, SourcePosition("alone", 1))
        assert alone.passed, f"{expect.question}: {alone.answered}"


UNKNOWN_IN = [path for path in CASES if "expect unknown" in path.read_text()]


@pytest.mark.parametrize("path", some(UNKNOWN_IN, 20), ids=lambda path: path.stem)
def test_what_is_unknown_stays_unknown_when_asked_alone(path: Path) -> None:
    case = load(path, program())
    expects = [each for each in case.board.statements if isinstance(each, Expect)]
    for expect in some([each for each in expects if each.answer == "unknown"], 8):
        alone = check_expectation(case, expect, SourcePosition("alone", 1))
        assert alone.passed, f"{expect.question}: {alone.answered}"


# --- rulings switched off: the conflict that each of them settles

RULINGS = {
    "R-P1b": (
        """
        rules B23 PB4
        building gray: B2
        symbol large-white-dot: B2
        third level B2 hex
        """,
        "height(B2)",
        ("B23.24-1", "PB4.3-3"),
    ),
    "R-T01": (
        """
        building gray: B2 B3   joined B2-B3
        third level B2 building
        """,
        "height(B2)",
        ("B23.24-1", "B23.22-2"),
    ),
    "R-T03": (
        """
        building gray: B2
        factory B2
        """,
        "height(B2)",
        ("B23.74-4", "B23.21-2"),
    ),
    "R-T03b": (
        """
        building gray: B2
        factory B2
        access point B2
        rooftops
        """,
        "has_level(B2, roof)",
        ("B23.74-7", "B23.8-2"),
    ),
    "R-T04": (
        """
        building gray: B2 B3   joined B2-B3
        factory B2
        """,
        "has_level(B2, 1)",
        ("B23.74-5", "B23.22-3"),
    ),
    "R-T09": (
        """
        level 1: C3
        building gray: B3 C3   joined B3-C3   stairwell B3
        factory B3
        """,
        "height(C3)",
        ("B23.74-3", "B23.72-3"),
    ),
    "R-T09b": (
        """
        level 1: C3
        building gray: B3 C3   joined B3-C3   stairwell B3 C3   bar B3-C3
        """,
        "connected(B3/2, C3/1)",
        ("B23.71-11", "B23.721-3"),
    ),
    "R-T09c": (
        """
        level 1: C3
        building gray: B3 C3   joined B3-C3   stairwell B3   bar B3-C3
        """,
        "height(C3)",
        ("B23.72-3", "B23.71-4"),
    ),
    "R-T15": (
        """
        level 1: C3
        building gray: B3 C3   joined B3-C3   stairwell B3 C3
        rooftops
        """,
        "linked(B3/roof, C3/2)",
        ("B23.8-9", "B23.25-1"),
    ),
    "R-T29": (
        """
        building gray: B2 B3   joined B2-B3   stairwell B2
        rooftops
        """,
        "connected(B3/2, B3/roof)",
        ("B23.8-4", "B23.23-5"),
    ),
    "R-L1": (
        """
        building gray: B2
        marketplace: B2
        third level B2 hex
        """,
        "has_level(B2, 2)",
        ("B23.24-6", "B23.731-1"),
    ),
    "R-T60": (
        """
        building gray: B2 B3   joined B2-B3
        rooftops
        unit M gun german at B2: kind MTR, MA 81, size small, dm
        """,
        'may_stand("M", B2/1)',
        ("B23.85-3", "B23.423-1"),
    ),
    "R-C27": (
        """
        rules B23 PB4
        building gray: B2
        building gray: B3
        narrow street B2-B3
        roadblock B2-B3 toward A3
        """,
        "in_place(B2-B3)",
        ("PB4.141-1", "B23.5-1"),
    ),
    "R-P1": (
        """
        rules B23 PB4
        building brown: B2   stairwell B2
        symbol large-white-dot: B2
        """,
        "btype(B2)",
        ("PB4.3-1", "B23.23-1"),
    ),
    "R-P2": (
        """
        rules B23 PB6
        building brown: B2   stairwell B2
        symbol round: B2
        tower B2 hindrance 1
        factory B2
        access point B2
        rooftops
        """,
        "has_level(B2, roof)",
        ("PB6.21-4", "B23.74-7"),
    ),
    "R-P3": (
        """
        rules B23 BRT7
        building brown: B2
        symbol large-white-dot: B2
        factory B2
        """,
        "height(B2)",
        ("BRT7.2-1", "B23.74-4"),
    ),
}


@pytest.mark.parametrize("ruling", part(RULINGS, 2))
def test_norms_conflict_without_their_ruling(ruling: str) -> None:
    text, topic, (winner, loser) = RULINGS[ruling]
    expect = f"""
        expect unknown {topic}
        expect conflict {winner.split("-")[0]} {loser.split("-")[0]}
        """
    board = parse(f'board "clash" grid 5x5\n{text}\n{expect}')
    assert any(
        isinstance(each, Expect) and isinstance(each.question, ExpectedConflict)
        for each in board.statements
    )
    assert failed(prepare(board, program(), without=[ruling])) == []
    assert len(failed(prepare(board, program()))) == 2


def test_a_factory_has_walls_without_its_ruling() -> None:
    text = 'board "hall" grid 5x5\nbuilding gray: B1 B2 B3   joined B1-B2 B2-B3\nfactory B1\n'
    clear = parse(text + "expect los B1 - B3 clear hindrance 1")
    assert failed(prepare(clear, program())) == []
    walled = parse(text + "expect los B1 - B3 blocked cites B23.25")
    assert failed(prepare(walled, program(), without=["R-T18"])) == []


#: Conflicts that appear only on a question.
ASKED = {
    "R-P4": (
        """
        rules B23 PB4
        building gray: B2
        building gray: B3
        marketplace: B3
        narrow street B2-B3
        unit S squad 4-6-7 german at B2
        """,
        'entry_cost(step(move, "S", B2, B3, enter))',
        "1",
        ("B23.73-3", "PB4.11-11"),
    ),
    "R-P5": (
        """
        rules B23 PB4
        building gray: A3
        building brown: B2
        narrow street A3-B2
        factory A3
        unit V vehicle german at A3: AFV CT fully-tracked, MP 14
        """,
        'mp(step(move, "V", A3, B2@A3-A2, vbm(B2@A3-A2)))',
        "7",
        ("B23.742-4", "PB4.11-6"),
    ),
}


@pytest.mark.parametrize("ruling", part(ASKED, 1))
def test_norms_conflict_on_a_question_without_their_ruling(ruling: str) -> None:
    text, topic, value, (winner, loser) = ASKED[ruling]
    board = f'board "clash" grid 5x5\n{text}\nexpect '
    assert failed(prepare(parse(f"{board}{topic} = {value}"), program())) == []
    clash = parse(f'{board}holds conflict({topic}, "{winner}", "{loser}")')
    assert failed(prepare(clash, program(), without=[ruling])) == []
    assert len(failed(prepare(clash, program()))) == 1


#: LOS that one norm clears and another blocks: the Factory, the LOS with what blocks it, the norm.
FOR_REVIEW = {
    "R-T18b": (
        "woods: B1\nbuilding gray: A1 B1 C2   joined A1-B1 B1-C2\nfactory B1",
        ("A1 - C2", "A6.2-1"),
    ),
    "R-T24": (
        "building gray: B1 B2   joined B1-B2   bar B1-B2\nfactory B1",
        ("B1 - B2", "B23.71-5"),
    ),
}


@pytest.mark.parametrize("ruling", part(FOR_REVIEW, 1))
def test_an_obstacle_in_a_factory_is_contested_without_its_ruling(ruling: str) -> None:
    hall, (sight, norm) = FOR_REVIEW[ruling]
    blocked = f"expect los {sight} blocked cites {norm.split('-')[0]}"
    text = f'board "hall" grid 5x5\n{hall}\n{blocked}\nexpect '
    review = f'contested({sight}, "B23.741-1", "{norm}")'
    assert failed(prepare(parse(text + "not " + review), program())) == []
    asked = parse(text + "holds " + review)
    assert failed(prepare(asked, program(), without=[ruling])) == []


def test_an_access_point_is_unknown_without_its_ruling() -> None:
    text = 'board "hall" grid 5x5\nbuilding gray: B1 B2   joined B1-B2   stairwell B1\nfactory B1\n'
    text += "rooftops\nexpect "
    asked = parse(text + "adjacent(B1, B1/roof) = yes cites B23.87")
    assert failed(prepare(asked, program())) == []
    asked = parse(text + "unknown adjacent(B1, B1/roof)")
    assert failed(prepare(asked, program(), without=["R-T21"])) == []


def test_a_half_level_counts_for_blind_hexes_without_its_ruling() -> None:
    text = 'board "half" grid 9x4\nbuilding gray: C2 C3   joined C2-C3\n'
    text += "building gray: A2 A3   joined A2-A3   stairwell A2\n"
    text += "building brown: D2 D3   joined D2-D3\nexpect los A3/2 - D2/1 "
    assert failed(prepare(parse(text + "clear"), program())) == []
    assert failed(prepare(parse(text + "blocked cites A6.4"), program(), ["R-A6.4"])) == []


def test_a_crest_line_hides_one_more_hex_without_its_ruling() -> None:
    text = 'board "crest" grid 3x5\nlevel 2: B0\nlevel 1: B1\nexpect los B0 - B2 '
    assert failed(prepare(parse(text + "clear"), program())) == []
    assert failed(prepare(parse(text + "blocked cites A6.4"), program(), ["R-B10.23"])) == []


FACTORY_SHOTS = """
    board "hall" grid 5x5
    building gray: B2 B3 A3   joined B2-B3 B3-A3
    factory B3
    rubble stone: B2
    rooftops
    access point B3
    fortified hidden: A3
    """


@pytest.mark.parametrize(
    ("ruling", "shot", "tem", "norms"),
    [
        ("R-T50", "shot(B3/roof, B3, direct, still)", 1, ("B23.31-2", "B23.88-15")),
        ("R-T51", "shot(B2, A3, direct, still)", 4, ("B23.743-8", "B23.921-1")),
    ],
)
def test_the_tem_of_a_shot_is_unknown_without_its_ruling(
    ruling: str, shot: str, tem: int, norms: tuple[str, str]
) -> None:
    settled = parse(FACTORY_SHOTS + f"expect tem({shot}) = {tem}")
    assert failed(prepare(settled, program())) == []
    one, other = norms
    clash = parse(
        FACTORY_SHOTS
        + f"""
        expect unknown tem({shot})
        expect holds conflict(cover({shot}), "{one}", "{other}")
        """
    )
    assert failed(prepare(clash, program(), without=[ruling])) == []
    assert len(failed(prepare(clash, program()))) == 2


def test_factory_walls_stop_a_vehicle_inside_without_their_ruling() -> None:
    text = 'board "hall" grid 5x5\nbuilding gray: B1 B2   joined B1-B2\nfactory B1\n'
    text += (
        "unit T vehicle german at B1: fully-tracked AFV OT BU low-ground-pressure, MP 16\nexpect "
    )
    check = 'modifier(bog_check("T", B2), sum) = '
    assert failed(prepare(parse(text + check + "1"), program())) == []
    assert failed(prepare(parse(text + check + "5"), program(), ["R-T41"])) == []
    drive = 'legal(step(move, "T", B1, B2, drive))'
    assert failed(prepare(parse(text + drive), program())) == []
    assert failed(prepare(parse(text + "not " + drive), program(), ["R-T41b"])) == []


def test_vbm_past_a_roadblock_is_contested_without_its_ruling() -> None:
    text = """
        board "street" grid 5x5
        rules B23 PB4
        building gray: B2
        building gray: B3
        narrow street B2-B3
        roadblock B2-B3 toward A3
        unit T vehicle german at B2: fully-tracked AFV CT, MP 14
        """
    step = 'step(move, "T", B2, B3@A3-B2, vbm(B3@A3-B2))'
    contested = f'contested({step}, "PB4.11-5", "PB4.141-9")'
    settled = parse(f'{text}\nexpect illegal({step}, "PB4.141-9"), not {contested}')
    assert failed(prepare(settled, program())) == []
    assert len(failed(prepare(settled, program(), ["R-C26"]))) == 1
    assert failed(prepare(parse(f"{text}\nexpect holds {contested}"), program(), ["R-C26"])) == []


#: Rulings that are conditions of norms: without them a case answers otherwise.
CONDITIONS = {
    "R-B24.1": "b23_25_beside_rubble",
    "R-T46": "b23_41_cost",
    "R-L2": "b23_731_two_hex_market",
    "R-C14": "brt7_42_stairwell",
    "R-B11.2": "b11_2_cliffs",
    "R-A24.61": "gr_30_past_a_tall_hindrance",
    "R-B23.25": "b23_25_over_a_lower_part",
    "R-B23.71": "b23_71_bar_from_above",
    "R-B13.31": "b13_31_roads",
    "R-B16.4": "a_8_adjacent",
    "R-B9.62": "b9_3_hexside_tem",
    "R-A4.14": "a4_15_enemies_in_the_way",
    "R-A4.42": "a4_42_a_lent_pp",
    "R-A10.51": "a10_51_passed_over",
    "R-A7.2": "a7_2_firepower",
    "R-A10.61": "a10_61_rally",
    "R-A12.12": "gr_30_concealment_terrain",
    "R-B9.1": "b9_1_through_gaps",
    "R-B24.2b": "b24_1_height_with_rubble_above",
    "R-D2.3": "d2_3_clearance",
    "R-B31": "pb4_11_by_its_successor",
}


#: Rulings on one sentence: a board, what holds by our reading, and by the other.
SENTENCES = {
    "R-T14": (
        """
        level 1: C3
        building gray: B3 C3   joined B3-C3   stairwell B3
        """,
        "los B3/2 - C3/1 clear",
        "los B3/2 - C3/1 blocked cites B23.25",
    ),
    "R-T23": (
        """
        building gray: B2 B3   joined B2-B3   bar B2-B3
        rooftops
        """,
        'holds defeated("B23.71-5", B2/roof - B4, "B23.71-6")',
        'not defeated("B23.71-5", B2/roof - B4, "B23.71-6")',
    ),
    "R-T77": (
        """
        building brown: B2 B3   joined B2-B3
        rooftops
        blaze B2 B2/1
        """,
        "not burning_counter(B2)",
        "burning_counter(B2) = yes cites B23.6",
    ),
    "R-B23.93": (
        """
        building gray: B2
        fortified revealed: B2
        unit Tank vehicle german at B1: afv, fully-tracked, CT, BU, MP 14
        """,
        'legal(step(move,"Tank",B1,B2,drive))',
        'illegal(step(move,"Tank",B1,B2,drive), "B23.93-7")',
    ),
    "R-B24.2": (
        """
        building gray: B1 B2 B3   joined B1-B2 B2-B3
        factory B1
        rubble stone: B2
        """,
        "los B1 - B3 blocked cites A6.2",
        "los B1 - B3 clear",
    ),
    "R-A24.4": (
        """
        building gray: B2 B3   joined B2-B3   stairwell B2
        smoke 2: B2
        """,
        "los B2/2 - D3 clear hindrance 2 cites A24.2",
        "los B2/2 - D3 clear hindrance 0",
    ),
    "R-P1c": (
        """
        rules B23 PB4
        building gray: B2   stairwell B2
        symbol large-white-dot: B2
        factory B2
        """,
        "height(B2) = 1 1/2 cites PB4.3",
        "unknown height(B2)",
    ),
    "R-B9.3": (
        """
        building gray: B1 B2   joined B1-B2
        factory B1
        wall: B1-B2
        unit T squad german at B2: wall-advantage
        """,
        "tem of fire from B1 at T = 1",
        "tem of fire from B1 at T = unknown",
    ),
    "R-C52": (
        """
        rules B23 ABTF3
        building gray: B2 B3 B4   joined B2-B3 B3-B4   bar B2-B3
        road dirt: A4-B4
        breach B2-B3/0
        """,
        "tem of fire from B3 at B2 = 1 cites R-C52",
        "tem of fire from B3 at B2 = unknown",
    ),
}


@pytest.mark.parametrize("ruling", part(SENTENCES, 2))
def test_each_of_two_readings_gives_its_own_answer(ruling: str) -> None:
    text, ours, other = SENTENCES[ruling]
    one, two = (parse(f'board "two" grid 5x5\n{text}\nexpect {each}') for each in (ours, other))
    assert failed(prepare(one, program())) == [] != failed(prepare(one, program(), [ruling]))
    assert failed(prepare(two, program(), [ruling])) == [] != failed(prepare(two, program()))


@pytest.mark.parametrize(("ruling", "name"), some(list(CONDITIONS.items()), 4))
def test_answers_change_without_a_ruling_that_is_a_condition(ruling: str, name: str) -> None:
    (path,) = (each for each in CASES if each.stem == name)
    assert failed(load(path, program())) == []
    assert failed(load(path, program(), [ruling])) != []


def test_each_ruling_is_switched_off_somewhere() -> None:
    rulings = {norm.id for norm in program().source.norms if norm.id.startswith("R-")}
    assert rulings == {
        *RULINGS,
        *ASKED,
        *CONDITIONS,
        *SENTENCES,
        "R-A6.4",
        "R-B10.23",
        "R-C26",
        "R-T18",
        "R-T18b",
        "R-T21",
        "R-T24",
        "R-T41",
        "R-T41b",
        "R-T50",
        "R-T51",
    }


def test_an_exception_that_a_ruling_silences_defeats_its_norm_without_the_ruling() -> None:
    slope = """
        board "slope" grid 5x5
        level 1: C3
        building gray: B3 C3   joined B3-C3   stairwell B3
        marketplace: B3
        """
    beaten = parse_query('defeated("B23.72-6", connected(B3/1, C3), "B23.731-2")')
    as_printed = prepare(parse(slope), program(), ("R-L2",))
    assert ask(as_printed, beaten).holds is True
    assert ask(prepare(parse(slope), program()), beaten).holds is False
