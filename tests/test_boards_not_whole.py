"""Each answer reports the faults of the board and the doubts of the importer in its scope, and no others."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.game.board import Doubt, Expect, ExpectedLos, Shot, UnitStatement
from rules_asp.game.grid import Hex, Location, hex_of_spot
from rules_asp.game.values import to_board_text
from rules_asp.parser import parse
from rules_asp.parser.errors import BoardError
from rules_asp.parser.reader import load as load_board
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.question import Answer
from tests.positions import program
from tests.sampling import part, slow, some
from tests.test_cases import CASES


def doubted(here: Position, where: Hex) -> Position:
    """Return the board with a doubt about a hex."""
    board = replace(here.board, statements=(*here.board.statements, Doubt(where, "?")), places=())
    return replace(here, board=board)


def lines(here: Position) -> list[tuple[Location, Location]]:
    """Return the ends of the lines that a case asks about; without any, those of a line across the board."""
    found = [each.question for each in here.board.statements if isinstance(each, Expect)]
    ends = [(each.a, each.b) for each in found if isinstance(each, ExpectedLos)]
    ends += [(each.firer, each.target) for each in found if isinstance(each, Shot)]
    ends = [each for each in ends if all(isinstance(end, Location) for end in each)]
    across = Location(min(here.index.bases)), Location(max(here.index.bases))
    return [(one, other) for one, other in ends if one.spot != other.spot] or [across]


LINED = [path for path in CASES if "expect los" in path.read_text("utf-8")]


@pytest.mark.parametrize("path", some(LINED, 2), ids=lambda path: path.stem)
def test_answers_report_doubts_near_their_line_and_no_others(path: Path) -> None:
    case = load(path, program())
    one, other = random.Random(path.stem).choice(lines(case))
    whole = {
        each for end in (one, other) for each in case.index.wholes.get(hex_of_spot(end.spot), ())
    }
    on = [hex_of_spot(one.spot), hex_of_spot(other.spot), *sorted(whole)[:1]]
    reach = hex_of_spot(one.spot).range_to(hex_of_spot(other.spot))
    off = [
        each
        for each in case.index.bases
        if each.range_to(hex_of_spot(one.spot)) > reach + 1
        and each.range_to(hex_of_spot(other.spot)) > reach + 1
        and each not in case.index.wholes
    ]
    for where, told in [(each, True) for each in on] + [(each, False) for each in off[:1]]:
        here = doubted(case, where)
        questions: list[Callable[[], Answer]] = [
            lambda here=here: api.los(here, one, other),
            lambda here=here: api.tem(here, one, other),
            lambda here=here: api.fire(here, one, other),
            lambda here=here: api.ask(here, f"sees({_said(one)} - {_said(other)})"),
            lambda here=here: api.can(here, f"fire from {_said(one)} at {_said(other)}"),
        ]
        for question in part(questions, 2):
            answer = question()
            assert bool(answer.beside.doubts) == told, (answer, where)


def _said(place: Location) -> str:
    return to_board_text(place, "location")


FAULTY = [path for path in CASES if "expect violates" in path.read_text("utf-8")]


@pytest.mark.parametrize("path", some(FAULTY, 3), ids=lambda path: path.stem)
def test_each_command_reports_a_fault_of_the_things_that_it_names(path: Path) -> None:
    case = load(path, program())
    units = {each.name for each in case.board.statements if isinstance(each, UnitStatement)}
    for breach in some(api.check(case).violations, 3):
        hexes = [each for each in case.index.bases if str(each) == breach.where.partition("/")[0]]
        for unit in units & {breach.where}:
            for answer in _of_unit(case, unit):
                assert breach in answer.beside.faults
        for hex_ in hexes:
            for answer in _of_hex(case, hex_):
                assert breach in answer.beside.faults


def _of_unit(case: Position, unit: str) -> list[Answer]:
    answers: list[Answer] = [api.ask(case, f'at("{unit}", L)')]
    try:
        answers.append(api.moves(case, unit, "aph"))
        answers.append(api.roll(case, f'bog_check("{unit}", A1)'))
    except QuestionError:
        pass  # refused, as it stands nowhere, or as no roll of its kind is made
    return answers


def _of_hex(case: Position, where: Hex) -> list[Answer]:
    other = next(each for each in case.index.bases if each.range_to(where) == 2)
    return [
        api.los(case, str(other), str(where)),
        api.tem(case, str(where), str(other)),
        api.fire(case, str(other), str(where)),
        api.sees(case, str(where), str(other)),
        api.ask(case, f"height({where}) = V"),
        api.why(case, f"height({where}) = V"),
        api.can(case, f"fire from {other} at {where}"),
    ]


BOARD = """board "x" grid 12x8
rules B23 PB6
tower C3 obstacle 1
building gray: E4 E5   joined E4-E5
woods: D3
doubt D3 "perhaps brush"
doubt J4-J5 "is it joined?"
flame E5/2
unit A squad 4-6-7 german at E4/2
unit B squad 4-6-7 german at E5
unit C squad 4-4-7 russian at B3
"""


def test_a_unit_without_a_location_is_reported_and_refused() -> None:
    here = prepare(parse(BOARD), program())
    found = {(each.paragraph, each.where) for each in api.check(here).violations}
    assert found == {("GR.2", "A"), ("GR.2", "E5/2"), ("PB6.1", "C3")}
    for ask in (lambda: api.moves(here, "A"), lambda: api.can(here, "A move to E4")):
        with pytest.raises(
            QuestionError, match="the place of A does not exist: there is no Location E4/2"
        ):
            ask()


def test_paths_report_faults_at_their_ends_and_no_others() -> None:
    here = prepare(parse(BOARD), program())
    moves = api.moves(here, "C").beside
    assert [where for where, _ in moves.doubts] == ["D3"]
    assert {each.where for each in moves.faults} == {"A", "C3", "E5/2"}
    step = api.can(here, "C move to A3").beside
    assert step.faults == step.doubts == ()
    assert api.can(here, "C move to C3").beside.faults


def test_each_row_reports_its_own_doubts() -> None:
    here = prepare(parse(BOARD), program())
    seen = api.sees(here, "B3", "A2-F4")
    ((where, places),) = seen.doubtful
    assert where == "D3"
    assert {"D3", "E3"} <= {str(each) for each in places}
    assert "A2" not in {str(each) for each in places}


def told(*words: str) -> Any:
    return json.loads(CliRunner().invoke(main, [*words, "--json"]).output)


def test_commands_report_doubts_in_text_and_json(tmp_path: Path) -> None:
    file = tmp_path / "x.board"
    file.write_text(BOARD)
    for words in (["los", "B3", "D3"], ["tem", "B3", "D3"], ["fire", "B3", "D3"]):
        command, *rest = words
        record = told(command, str(file), *rest)
        assert record["doubts"] == [{"at": "D3", "what": "perhaps brush"}]
        assert [each["at"] for each in record["faults"]] == ["C3"]
        text = CliRunner().invoke(main, [command, str(file), *rest]).output
        assert "Doubts of the import here\n  D3  perhaps brush" in text
        assert "Rule violations here\n  C3  PB6.1-3" in text
    rows = {each["to"]: each.get("doubts") for each in told("sees", str(file), "B3")["sights"]}
    assert rows["D3"] == ["D3"]
    assert rows["A3"] is None
    rows = CliRunner().invoke(main, ["matrix", str(file), "--hexes", "C3-D3", "--jobs", "1"])
    assert "in doubt: D3 perhaps brush" in rows.stderr
    assert "a fault of the board: C3 PB6.1-3" in rows.stderr
    assert told("ask", str(file), "height(J4) = V")["doubts"][0]["at"] == "J4-J5"


def test_a_tem_without_los_is_reported() -> None:
    here = prepare(parse(BOARD), program())
    blind = api.tem(here, "B3", "E3")
    assert blind.value == 0
    assert [each.name for each in blind.without] == ["without_los"]
    assert not api.tem(here, "B3", "D3").without


def test_two_maps_by_use_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one.board").write_text('board "1" grid 5x5\nwoods: A1\n')
    (tmp_path / "two.board").write_text('board "2" grid 5x5\nwoods: A2\n')
    (tmp_path / "mended.board").write_text('use "one.board"\nwoods: A3\n')
    (tmp_path / "added.board").write_text("woods: A4\n")
    both = tmp_path / "both.board"
    both.write_text('use "one.board"\nuse "two.board"\n')
    with pytest.raises(BoardError, match="second board: give its position"):
        load_board(both)
    both.write_text('use "mended.board"\nuse "two.board"\n')
    with pytest.raises(BoardError, match="second board: give its position"):
        load_board(both)
    both.write_text('use "one.board"\nuse "mended.board"\nuse "added.board"\n')
    assert len(load_board(both).statements) == 3


@pytest.mark.parametrize(
    ("text", "place", "told"),
    [
        (
            "roofless D3",
            "D3/roof",
            "the hex has D3, D3/1 (GR.2-7: A building that an SSR makes roofless",
        ),
        ("", "G3/roof", "the hex has G3 (B23.8-2: Single Story Houses have no rooftop"),
        ("", "G3/1", "the hex has G3 (B23.21-3: Single Story Houses have no upper level"),
        ("", "A1/1", "there is no Location A1/1 on this board: the hex has A1"),
    ],
)
def test_a_missing_location_is_reported_with_the_norm_that_removes_it(
    text: str, place: str, told: str
) -> None:
    board = f"""
        board "none" grid 9x8
        rooftops
        building gray: D3 D4   joined D3-D4
        building gray: G3
        {text}
    """
    with pytest.raises(QuestionError, match=re.escape(told)):
        api.los(prepare(parse(board), program()), place, "B2")


@slow
def test_a_location_with_two_possible_levels_sees_if_both_levels_see() -> None:
    here = load(Path(__file__).parent / "cases" / "brt7_1_both_in_force.board", program())
    assert api.ask(here, "elev(G3/tower) = V").holds is None
    seen = api.los(here, "G3/tower", "G6")
    assert (seen.clear, seen.level_a, seen.level_b) == (True, None, 0)


def test_a_paragraph_number_is_not_read_as_a_hex() -> None:
    """An answer is searched for the hexes in its scope."""
    (path,) = (each for each in CASES if each.stem == "pb4_124_towing")
    told = api.ask(load(path, program()), 'unknown(hook("Mtr76", "U"), W)')
    assert "PB4.125" in told.cites
