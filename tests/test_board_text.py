"""Boards as text maps: every statement of the board is visible, and none is cut off."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules_asp import api
from rules_asp.boards.resolve import resolve
from rules_asp.game.board import Board, Building, Fact, Outline, TerrainSubstitution, UnitStatement
from rules_asp.game.grid import Grid
from rules_asp.output.board_text import view
from rules_asp.parser import BoardError, parse, write
from tests.board_texts import BOARD_OF_ALL
from tests.positions import program
from tests.sampling import some

ALL = resolve(parse(BOARD_OF_ALL))
#: What has no place on the map, so that other commands tell it.
_NO_PLACE = (Outline, TerrainSubstitution)


def page(text: str) -> str:
    return view(parse(text))


def test_whatever_has_a_place_is_reported() -> None:
    """Each statement about a place changes the text: one that is left out is missed."""
    whole = view(ALL)
    missed = 0
    chosen = some(list(enumerate(ALL.statements)), 40)
    for index, each in chosen:
        rest = tuple(s for at, s in enumerate(ALL.statements) if at != index)
        try:
            less = view(replace(ALL, statements=rest, places=()))
        except BoardError:
            continue
        has_place = not isinstance(each, _NO_PLACE) and (
            not isinstance(each, Fact) or any(not isinstance(a, str | int) for a in each.args)
        )
        if has_place:
            assert less != whole, each
            missed += 1
    assert missed >= len(chosen) / 3


def test_units_and_counters_are_reported_in_the_words_of_the_board() -> None:
    whole = " ".join(view(ALL).split())
    for each in ALL.statements:
        if isinstance(each, UnitStatement):
            said = " ".join(write(Board("", Grid(0, 0), (each,))).replace("\\\n", " ").split())
            assert said in whole
        if isinstance(each, Building) and each.name:
            assert f'"{each.name}"' in whole


@pytest.mark.parametrize("grid", ["7x7", "14x3", "15x3", "33x10", "52x3"])
def test_no_line_is_wider_than_a_page(grid: str) -> None:
    text = page(f'board "x" grid {grid}')
    assert max(map(len, text.splitlines())) <= 100
    for hex_ in parse(f'board "x" grid {grid}').grid.hexes():
        assert f" {hex_} " in text
    columns = int(grid.partition("x")[0])
    parts = [line for line in text.splitlines() if " to " in line]
    assert len(parts) == (0 if columns <= 14 else -(-columns // 14))


def test_long_lines_below_are_broken() -> None:
    units = "\n".join(f"unit A{n}x squad 4-6-7 german at B1: broken DM, PP 4" for n in range(30))
    text = page(
        f'board "x" grid 33x10\n{units}\nunit Z squad german at C3: {", ".join(["PP 4"] * 1)}'
    )
    assert max(map(len, text.splitlines())) <= 100
    assert "30u" in text


def test_a_word_too_long_for_its_hex_is_in_the_key() -> None:
    text = page('board "x" grid 3x3\norchard-out-of-season: B1\nplowed-field: B2')
    for word in ("orchard-out-of-season", "plowed-field"):
        (entry,) = [
            each for line in text.splitlines() for each in line.split("; ") if each.endswith(word)
        ]
        code = entry.partition(" = ")[0]
        assert len(code) <= 7
        assert text.count(code) == 2


def test_what_lies_on_hexsides_and_crosses_them() -> None:
    board = 'board "x" grid 3x3\nwall: B1-B2\nhedge: B2-B3'
    text = page(board)
    assert "wwwww" in text
    assert "hhhhh" in text
    assert "w wall" in text
    assert "h hedge" in text
    assert "ww=ww" in page(f"{board}\nroad dirt: B1-B2")
    assert "=" not in text
    assert "#####" in page('board "x" grid 3x3\nbuilding gray: B1 B2   joined B1-B2   bar B1-B2')
    assert "X roadblock" in page(f"{board}\nroadblock B1-B2 toward A2")


def test_the_key_explains_just_what_is_there() -> None:
    assert "wall" not in page('board "x" grid 3x3\nwoods: B1')
    lines = page('board "x" grid 3x3').splitlines()
    assert lines[-1].strip(" \\_/") == ""


def test_factories_are_those_that_the_rules_know() -> None:
    factory = api.load("factory", program())
    text = view(factory)
    assert "F factory" in text
    assert "F factory" not in view(factory.board)


def test_a_line_of_sight() -> None:
    church = api.load("church", program())
    answer = api.los(church, "C1", "G3")
    plain, drawn = view(church), view(church, (), answer)
    assert "o the line of sight" in drawn
    assert "o the line of sight" not in plain
    upper = drawn.partition("o the line")[0]
    assert upper.count("o") > plain.partition("* stair")[0].count("o") + 8
    # It runs over what was blank, and covers no name.
    for hex_ in church.index.bases:
        assert str(hex_) in upper
