"""`firers` and `targets`: each row is the answer of `fire`, and the two tables agree."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.game.board import UnitStatement
from rules_asp.game.grid import hex_of_spot
from rules_asp.game.query import UnitLocation
from rules_asp.positions.loading import example_boards
from rules_asp.positions.locations import units_at
from rules_asp.queries.fire_table import Attack
from tests.positions import program
from tests.sampling import slow, some

CASES = Path(__file__).parent / "cases"
BOARDS = [
    "a7_2_firepower",
    "a7_1_who_may_fire",
    "a7_21_point_blank",
    "a3_2_when_one_fires",
    "a6_7_murk",
    "a7_1_who_stands_beside",
    "b23_25_fire",
    "abtf3_331_fire",
    "a10_532_normal_range",
    "a4_6_tem_and_drm",
    "b9_32_wall_advantage",
    "a1_2_whose_units",
]


@cache
def loaded(name: str) -> api.Position:
    path = CASES / f"{name}.board"
    return api.load(path if path.exists() else name, program())


@cache
def units(name: str) -> list[str]:
    """Return the units in the text of a board; the collection of tests must not solve boards."""
    text = (example_boards() | {path.stem: path for path in CASES.glob("*.board")})[name]
    board = api.parse(text.read_text("utf-8"))
    return sorted(e.name for e in board.statements if isinstance(e, UnitStatement))


QUESTIONS = [
    (name, unit, doing)
    for name in [*BOARDS, "assault"]
    for unit in units(name)
    for doing in (None, "moving")
]


@pytest.mark.parametrize("name", some(BOARDS, 12))
def test_the_units_of_a_board_have_locations(name: str) -> None:
    assert units(name) == sorted(units_at(loaded(name)))


@pytest.mark.parametrize(("board", "unit", "doing"), some(QUESTIONS, 12), ids=str)
def test_a_row_of_firers_equals_fire(board: str, unit: str, doing: str | None) -> None:
    here = loaded(board)
    table = api.firers(here, unit, doing, cite=False)
    for row in table.attacks:
        assert row.shot.by is not None
        one = api.fire(here, row.shot.by, unit, doing=doing, cite=False)
        assert (row.legal, set(row.norms)) == (one.legal, set(one.norms)), row.shot.by
        assert set(row.unknown) == set(one.unknown)
        assert (row.drm.value, set(row.drm.parts)) == (one.drm.value, set(one.drm.parts))
        assert set(row.drm.unknown) == set(one.drm.unknown)
        if one.sight is not None:
            assert (row.clear, row.range) == (one.sight.clear, one.sight.range)
            assert row.hindrance == one.sight.hindrance or not one.sight.clear


@slow
@pytest.mark.parametrize(("board", "unit"), some([q[:2] for q in QUESTIONS if not q[2]], 12))
def test_targets_mirror_firers(board: str, unit: str) -> None:
    here = loaded(board)
    rows = api.targets(here, unit, cite=False).attacks
    assert {each.shot.on for each in rows} == {
        other for other in units(board) if other != unit and unit in _firers(board, other)
    }
    for each in rows:
        assert each == _firers(board, str(each.shot.on))[unit]


@cache
def _firers(board: str, target: str) -> dict[str, Attack]:
    table = api.firers(loaded(board), target, cite=False)
    return {str(each.shot.by): each for each in table.attacks}


def _rows() -> Iterator[Attack]:
    for board, unit, _ in QUESTIONS[:40:2]:
        yield from _firers(board, unit).values()


@slow
def test_a_unit_without_los_cannot_fire() -> None:
    rows = list(_rows())
    assert any(each.legal for each in rows)
    without = [each for each in rows if each.clear is False]
    assert without
    assert all(each.legal is False for each in without)


@pytest.mark.parametrize("place", ["C4", "C2", "F3"])
def test_fire_at_a_location_equals_fire_at_its_units(place: str) -> None:
    here = loaded("a7_2_firepower")
    table = api.firers(here, place, side="german", cite=False)
    for row in table.attacks:
        one = api.fire(here, str(row.shot.by), place, cite=False)
        assert (row.legal, row.drm.value) == (one.legal, one.drm.value)


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


def test_the_table_names_the_rule_that_forbids_each_attack() -> None:
    record = json.loads(run("firers", "assault", "C4", "--moving", "--json"))
    able = [each for each in record["attacks"] if each["legal"]]
    assert [(each["unit"], each["firepower"], each["drm"]) for each in able] == [("E", 8.0, -2)]
    assert [each["what"] for each in able[0]["doublings"]] == ["point_blank"]
    assert all(each["norms"] for each in record["attacks"] if not each["legal"])
    assert record["verdict"] == "yes"


def test_phase_selects_another_phase_of_the_turn() -> None:
    board = str(CASES / "a3_2_when_one_fires.board")
    text = Path(board).read_text("utf-8")
    assert "turn" in text
    one = {phase: run("firers", "assault", "E", "--phase", phase) for phase in ("pfph", "dfph")}
    assert one["pfph"] != one["dfph"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("firers", "assault", "Z9"), "Z9"),
        (("targets", "assault", "Nobody"), "Nobody"),
        (("firers", "assault", "E", "--phase", "lunch"), "lunch"),
        (("firers", "assault", "C4", "--side", "martian"), "the sides are german, russian"),
        (("firers", "church", "C4", "--phase", "mph"), "turn 1 german mph"),
    ],
)
def test_invalid_questions_are_refused(words: tuple[str, ...], told: str) -> None:
    assert told in run(*words, code=2)


def test_a_board_without_enemies_has_an_empty_table() -> None:
    alone = api.position(api.parse('board "one" grid 3x3\nunit A squad 4-6-7 german at B2\n'))
    table = api.firers(alone, UnitLocation("A"))
    assert (table.attacks, table.word) == ((), "not so")


# --- Fire Groups.


CHAIN = """
board "chain" grid 7x7
sides german russian
unit T squad 4-4-7 russian at D5
unit A squad 4-6-7 german at B3
unit B squad 4-6-7 german at C3
unit C squad 4-6-7 german at D2
unit D squad 2-2-8 german at D2
unit L leader german at B3: leadership -1
unit Far squad 8-6-8 german at G4
unit Out squad 4-6-7 german at C2: broken
"""


def test_a_chain_of_adjacent_locations_is_a_fire_group() -> None:
    here = api.position(api.parse(CHAIN), program())
    group = api.firers(here, "T").group
    assert group is not None
    assert set(group.units) == {"A", "B", "C", "D"}
    rows = {each.by: each for each in api.firers(here, "T").attacks}
    assert group.firepower == sum(rows[unit].firepower or 0 for unit in group.units)
    assert api.ask(here, f"ift_column({group.firepower // 4}) = {group.column}").holds
    # B holds the others together.
    assert set(group.spare) == {"A", "C", "D"}
    assert group.drm == (-1, 0)
    text = run_text(here)
    assert "Largest Fire Group" in text


def run_text(here: api.Position) -> str:
    return str(api.firers(here, "T").report().blocks)


def test_units_apart_form_no_fire_group() -> None:
    here = api.position(api.parse(CHAIN), program())
    for unit in ("A", "C", "D"):
        here = here.without(f"unit {unit} squad")
    assert api.firers(here, "T").group is None


@pytest.mark.parametrize(("board", "unit"), some([q[:2] for q in QUESTIONS if not q[2]], 12))
def test_each_unit_of_a_fire_group_can_join_another_one(board: str, unit: str) -> None:
    here = loaded(board)
    table = api.firers(here, unit)
    group = table.group
    able = [each.by for each in table.able]
    pairs = {(one, two) for one in able for two in able if one < two and _grouped(here, one, two)}
    if group is None:
        assert not pairs
        return
    assert set(group.units) <= set(able)
    for each in group.units:
        assert any(each in pair and set(pair) <= set(group.units) for pair in pairs)
    assert not any(len(set(pair) & set(group.units)) == 1 for pair in pairs)


def _grouped(here: api.Position, one: str, two: str) -> bool:
    """Test whether two units in the same or in adjacent hexes can form a Fire Group."""
    places = [hex_of_spot(units_at(here)[each].spot) for each in (one, two)]
    if places[0].range_to(places[1]) > 1:
        return False
    return bool(api.ask(here, f'legal(fire_group("{one}", "{two}"))', cite=False).holds)
