"""The comparison with VASL's checker: its questions to an archive, and its blind samples."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import cast

import pytest

from rules_asp.game.grid import Grid, Hex, Location
from rules_asp.positions.position import prepare
from rules_asp.queries.los_matrix import LosVerdict
from rules_asp.vasl.archive import read_archive
from rules_asp.vasl.importer import board_of
from tests.archives import Sketch, hexes, whole, write
from tests.benchmarks.vasl_checker.blind import HEAD, write_sheet
from tests.benchmarks.vasl_checker.causes import CAUSES, READING, RULINGS, explain
from tests.benchmarks.vasl_checker.comparing import Answers, Explained
from tests.benchmarks.vasl_checker.tables import Theirs
from tests.benchmarks.vasl_checker.trial import Asked, Difference, Trial
from tests.positions import program

WOODS = 60


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    sketch = Sketch(Grid(7, 4))
    sketch.paint(whole(hexes("D2")[0]), WOODS)
    archive = read_archive(write(tmp_path / "board", sketch))
    board = board_of(archive)
    return Trial(archive, board, program(), prepare(board, program()))


def end(name: str, floor: int = 0) -> Location:
    return Location(hexes(name)[0], floor)


def test_a_pair_of_one_hex_has_a_thread_of_a_point(trial: Trial) -> None:
    (hex_,) = hexes("D2")
    assert [{pixel.hex for pixel in walk} for walk in trial.walks(hex_, hex_)] == [{hex_}] * 3


def test_the_walk_shows_what_lies_under_the_thread(trial: Trial) -> None:
    (walk, *_) = trial.walks(*hexes("B2 F2"))
    assert {p.hex for p in walk if p.code.word == "woods"} == {Hex(3, 2)}


def test_what_we_say_alone_and_among_all_must_be_one(trial: Trial) -> None:
    theirs = Theirs(False, 0, 4, "")
    for ours, label in (
        (LosVerdict(True), "ours: "),
        (LosVerdict(False, 0, "A6.2-1", "D2"), "UNEXPL"),
    ):
        both = Answers("x", trial, {(end("B2"), end("F2")): theirs}, {(end("B2"), end("F2")): ours})
        (pair,) = both.differing() or [(end("B2"), end("F2"))]
        assert explain(trial, both.difference(pair)).startswith(label)


def test_each_cause_says_whose_it_is_and_by_what() -> None:
    assert all(cause.paragraph for cause in CAUSES if cause.whose != "grazing")
    assert set(RULINGS) <= {
        norm for cause in CAUSES if cause.whose == READING for norm in cause.words.split()
    }
    assert len({cause.label for cause in CAUSES}) == len(CAUSES)


def difference(number: int, label: str, back: bool = False) -> Explained:
    pair = end("A1"), Location(Hex(number, 2), 0)
    at = Difference(
        cast(tuple[Location, Location], pair[::-1] if back else pair),
        *[Theirs(True, 0, 1, "reason")] * 2,
        LosVerdict(True),
        Asked(True, frozenset(), frozenset()),
        "",
    )
    return Explained("x", at, label)


def test_a_blind_sheet_has_no_label_and_gives_each_its_turn(tmp_path: Path) -> None:
    labels = ["often"] * 40 + ["seldom"] * 3 + ["once"]
    of = dict(enumerate(labels, 1))
    found = [difference(*each) for each in of.items()]
    found += [difference(*each, back=True) for each in of.items()]
    sheet, key = tmp_path / "sheet", tmp_path / "key"
    write_sheet(found, 9, 1, sheet, key)
    text = sheet.read_text("utf-8")
    assert not any(label in text for label in of.values())
    rows = list(csv.DictReader(text.splitlines(), delimiter="\t"))
    assert tuple(rows[0]) == HEAD
    assert len({row["to"] for row in rows} | {row["from"] for row in rows}) == 10
    told = [line.split("\t")[1] for line in key.read_text("utf-8").splitlines()[1:]]
    assert Counter(told) == {"often": 5, "seldom": 3, "once": 1}
