"""Pictures of answers show the content of the answers, from commands and in notebooks."""

from __future__ import annotations

import json
import pickle
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.drawing.los import place_named
from rules_asp.drawing.svg import PictureError
from rules_asp.game.grid import Location, hex_of_spot
from rules_asp.game.values import level_text, quarters_text, to_board_text
from rules_asp.parser import parse
from rules_asp.positions.position import Position
from tests.board_texts import BOARD_OF_ALL
from tests.positions import program
from tests.sampling import slow, some
from tests.svgs import SVG, Box, of_class, points, read, texts, words

PLAYERS = ["church", "assault", "factory", "rowhouse"]


@cache
def ready(name: str) -> Position:
    return api.load(name, program())


def overlapping(svg: str) -> list[tuple[Box, Box]]:
    found = texts(svg)
    return [(a, b) for at, a in enumerate(found) for b in found[:at] if a.overlaps(b)]


def pairs(here: Position) -> list[tuple[Location, Location]]:
    places = sorted(here.index.elevations, key=str)
    return [(a, b) for at, a in enumerate(places) for b in places[:at]]


@pytest.mark.parametrize("name", some(PLAYERS, 2))
def test_a_line_runs_from_dot_to_dot_and_what_blocks_it_is_lit(name: str) -> None:
    here = ready(name)
    for a, b in some(pairs(here), 2):
        answer = api.los(here, a, b)
        svg = api.picture(here, answer)
        (drawn,) = of_class(svg, "line-of-sight")
        ends = [a.spot.centre, b.spot.centre]
        for path in drawn.iter(f"{SVG}path"):
            assert points(path.get("d")) == [ends] or a.spot == b.spot
        assert drawn.get("data-clear") == str(answer.clear)
        lit = [each.get("data-place") for each in of_class(svg, "blocks")]
        assert lit == list(dict.fromkeys(each.place for each in answer.blockers))
        assert all(place_named(each, here.names) is not None for each in lit)
        shown = " ".join(words(svg))
        for each in (*answer.blockers, *answer.hindrances):
            assert each.norm in shown
            assert each.place in shown
        for number, _ in enumerate(answer.hindrances, 1):
            assert words(svg).count(f"({number})") == 1
        on_line = {each.get("data-hex") for each in of_class(svg, "on-line")}
        assert {str(hex_of_spot(a.spot)), str(hex_of_spot(b.spot))} <= on_line or a.spot == b.spot
        assert overlapping(svg) == []


def test_a_line_to_a_hex_full_of_counters_covers_none() -> None:
    here = api.position(parse(BOARD_OF_ALL), program())
    for a, b in (("B5", "C2/3"), ("C4", "H4")):
        svg = api.picture(here, api.los(here, a, b))
        assert overlapping(svg) == []
        assert len(of_class(svg, "unit")) == len(of_class(api.picture(here), "unit"))


def test_a_hindrance_has_its_number_and_its_amount() -> None:
    board = 'board "x" grid 5x4\ngrain: C2\norchard: D2\nwoods: A1'
    here = api.position(parse(board), program())
    answer = api.los(here, "A3", "E2")
    assert answer.hindrance
    svg = api.picture(here, answer)
    assert len(of_class(svg, "hindrance")) == len(answer.hindrances)
    assert f"Hindrance +{answer.hindrances[0].amount}" in " ".join(words(svg))


def test_the_side_view_has_the_levels_that_the_rules_give() -> None:
    church = ready("church")
    svg = api.picture(church, api.los(church, "C3/roof", "F1"))
    (view,) = of_class(svg, "side-view")
    standing = {
        (each.get("data-hex"), each.get("data-part"), each.get("data-top"))
        for each in view.iter()
        if each.get("class") == "obstacle"
    }
    tops = {
        hex_: level_text(church.cases[0].values[_topic(f"top({hex_})")].number)
        for hex_ in ("C3", "D2")
    }
    assert standing == {
        ("C3", "building", tops["C3"]),
        ("D2", "building", tops["D2"]),
        ("E2", "woods", "1"),
    }
    # A line within a hex has no side, and runs up.
    within = api.picture(church, api.los(church, "C3", "C3/1"))
    assert not of_class(within, "side-view")
    assert overlapping(within) == []


def _topic(text: str) -> object:
    import clingo

    from rules_asp.game.grid import parse_hex

    name, hex_ = text.removesuffix(")").split("(")
    return clingo.parse_term(f"{name}({parse_hex(hex_)[1].term})")


@pytest.mark.parametrize("eye", some(["D3/1", "B4", "A"], 2))
def test_what_is_seen_is_what_the_viewshed_says(eye: str) -> None:
    here = ready("assault")
    answer = api.sees(here, eye)
    svg = api.picture(here, answer)
    told = {each.get("data-hex"): each.get("data-verdict") for each in of_class(svg, "verdict")}
    by_hex: dict[str, set[bool | None]] = {}
    for to, verdict in answer.sights:
        by_hex.setdefault(str(hex_of_spot(to.spot)), set()).add(verdict.clear)
    assert set(told) == set(by_hex)
    for hex_, verdicts in by_hex.items():
        kinds = {frozenset({True}): "seen", frozenset({False}): "hidden"}
        kind = kinds.get(frozenset(verdicts), "seen on some levels")
        assert told[hex_].startswith(kind)
    assert set(told.values()) <= set(words(svg))
    assert overlapping(svg) == []


@pytest.mark.parametrize(
    ("units", "phase"),
    [pytest.param(["A", "L"], "mph", marks=slow), (["G"], "mph"), (["E"], "aph")],
)
def test_moves_have_their_mf_in_their_hexes(units: list[str], phase: str) -> None:
    here = ready("assault")
    answer = api.moves(here, units, phase)
    svg = api.picture(here, answer)
    told = {each.get("data-hex"): each.get("data-mf") for each in of_class(svg, "reached")}
    assert set(told) == {str(hex_of_spot(each.to.spot)) for each in answer.reach}
    for each in answer.reach:
        amount = "?"
        if each.mf is not None:
            amount = quarters_text(each.mf)
        elif (least := each.at_least or each.at_most) is not None:
            amount = quarters_text(least) + "+"
        floor = f"/{each.to.floor} " if each.to.floor else ""
        assert f"{floor}{amount}" in told[str(hex_of_spot(each.to.spot))]
    steps = {(each.get("data-start"), each.get("data-to")) for each in of_class(svg, "step")}
    assert steps == {
        (to_board_text(step.start.spot, "spot"), to_board_text(step.to.spot, "spot"))
        for each in answer.reach
        for step in each.path
        if step.start.spot != step.to.spot
    }
    assert not of_class(api.picture(here, answer, ways=False), "step")
    assert overlapping(svg) == []


def test_a_shot_tells_every_drm() -> None:
    here = ready("assault")
    answer = api.fire(here, "E", "C4", doing="moving")
    shown = " ".join(words(api.picture(here, answer)))
    assert f"DRM {answer.drm.value:+d}" in shown
    for part in answer.drm.parts:
        assert f"{part.amount:+d} {part.what}, {part.norm}" in shown
    assert "TEM +3" in " ".join(words(api.picture(here, api.tem(here, "B4", "D3/1"))))


def test_a_proof_is_a_tree_of_its_points() -> None:
    from rules_asp.explain.justification import justification

    here = ready("church")
    answer = api.why(here, "sees(C3/2 - D2/1)")
    all_ = [
        one
        for each in justification(answer.proofs, here.program.norms, here.notation)
        for one in each.walk()
    ]
    svg = api.picture(here, answer)
    drawn = of_class(svg, "point")
    assert len(drawn) == len(all_) > 5
    assert sorted(each.get("data-norm") for each in drawn) == sorted(
        each.norm or "" for each in all_
    )
    shown = re.sub(r"\s+", " ", " ".join(words(svg)))
    assert all(norm in shown for norm in answer.asked.cites)
    assert overlapping(svg) == []


# --- commands


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result.output


COMMANDS = [
    ("los", "church", "C1", "G3"),
    ("sees", "church", "C3/2"),
    ("reach", "assault", "G"),
    ("moves", "assault", "G"),
    ("tem", "assault", "B4", "E"),
    ("fire", "assault", "E", "A"),
    ("why", "church", "height(C3) = V"),
]


@pytest.mark.parametrize("command", some(COMMANDS, 2), ids=lambda each: each[0])
def test_a_command_draws_and_answers_as_ever(command: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "answer.svg"
    file.write_text("old", "utf-8")
    assert "already exists; --force overwrites it" in run(*command, "--draw", file, code=2)
    assert file.read_text("utf-8") == "old"
    drawn = run(*command, "--draw", file, "--force")
    # The line of the picture is on standard error, which a terminal mixes in.
    assert drawn.replace(f"Picture: {file}\n", "") == run(*command)
    assert f"Picture: {file}\n" in drawn
    read(file.read_text("utf-8"))


def test_every_command_that_can_draw_is_tried() -> None:
    can = {name for name, each in main.commands.items() if "drawn" in {p.name for p in each.params}}
    assert can == {command for command, *_ in COMMANDS}


def test_draw(tmp_path: Path) -> None:
    file = tmp_path / "church.svg"
    record = json.loads(run("draw", "church", "-o", file, "--json"))
    assert (record["command"], record["board"], record["file"]) == ("draw", "church", str(file))
    assert run("draw", "church", "-o", "-") == file.read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "x.gif"), "x.gif: the name of a picture must end in .svg or .png"),
        (("-o", "x"), "x: the name of a picture must end in .svg or .png"),
        (("-o", "nowhere/x.svg"), "nowhere: the folder does not exist"),
        (
            ("-o", "x.svg", "--level", "9"),
            "no Location is at level 9; the levels are 0, 1, 2, roof",
        ),
        (("-o", "x.svg", "--hexes", "Z99"), "Z99 is not on this board"),
        (("-o", "-", "--json"), "the picture and JSON cannot both go"),
    ],
)
def test_bad_input_is_one_message(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    output = run("draw", "church", *arguments, code=2)
    assert message in output
    assert len(output.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_png(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    file = tmp_path / "church.png"
    run("draw", "church", "-o", file)
    assert file.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_png_without_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    output = run("draw", "church", "-o", tmp_path / "x.png", code=2)
    assert output == 'rules-asp: PNG pictures need another package: pip install "rules-asp[png]"\n'
    with pytest.raises(PictureError):
        api.save(api.picture(ready("church")), tmp_path / "x.png")


@slow
def test_the_lab_draws_its_boards(tmp_path: Path) -> None:
    command = ("lab", "find", "factory(B1), construction(B1) = stone", "--grid", "2x1")
    folder = tmp_path / "boards"
    assert run(*command, "--draw", folder) == run(*command)
    (file,) = folder.iterdir()
    svg = file.read_text("utf-8")
    assert {each.get("data-hex") for each in of_class(svg, "hex")} == {"A1", "B0", "B1"}
    assert "construction(B1) = stone" in " ".join(words(svg))
    assert "already exists" in run(*command, "--draw", folder, code=2)


# --- notebooks


def test_boards_and_answers_show_themselves() -> None:
    church = ready("church")
    assert church._repr_svg_() == api.picture(church)
    assert church.board._repr_svg_() == api.picture(church.board)
    assert church._repr_html_() is None
    answers = [
        (api.los(church, "C1", "G3"), "blocked at E2", True),
        (api.why(church, "height(C3) = V"), "B23.23-2", True),
        (api.tem(church, "C1", "C3"), "TEM for C3", True),
        (api.ask(church, "height(H) = V"), "2 1/2", False),
        (api.check(church), "", False),
        (api.can(ready("assault"), "A move to C3"), "Yes", False),
    ]
    for answer, said_, drawn in answers:
        html = answer._repr_html_()
        assert html is not None
        assert said_ in html
        assert ("<svg" in html) is drawn
        assert answer._repr_svg_() == (api.picture(church, answer) if drawn else None)


def test_an_answer_forgets_its_position_in_a_pickle() -> None:
    church = ready("church")
    answer = api.los(church, "C1", "G3")
    back = pickle.loads(pickle.dumps(answer))
    assert back == answer
    assert (answer.on, back.on) == (church, None)
    assert back._repr_html_() is None
    assert len(pickle.dumps(answer)) < 5000


def test_a_report_of_the_lab_shows_itself() -> None:
    from rules_asp.game.grid import Grid
    from rules_asp.lab.find import find
    from rules_asp.lab.generator import SearchBounds, load_generator
    from rules_asp.lab.search import Search

    report = find(Search(load_generator(), SearchBounds((Grid(2, 1),))), "factory(B1)")
    html = report._repr_html_()
    assert html is not None
    assert html.count("<svg") == len(report.found) == 1
    assert report._repr_svg_() is None
