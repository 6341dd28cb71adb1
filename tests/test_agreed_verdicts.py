"""The table of verdicts on real boards: our answers, and VASL's answers if they are available.

`python -m tests.benchmarks.vasl_checker --agreed` writes the table anew.
"""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from rules_asp.game.grid import Location, parse_hex
from rules_asp.positions.position import prepare
from rules_asp.queries.los import los
from rules_asp.vasl.importer import import_archive
from tests.benchmarks.vasl_checker.agreed import PRINTED, Row, paragraphs, read_table, verdict
from tests.benchmarks.vasl_checker.tables import FOLDER
from tests.positions import program
from tests.sampling import some

ROWS = read_table()
BOARDS = sorted({row.board for row in ROWS})


def place(text: str) -> Location:
    where, _, floor = text.partition("/")
    return Location(parse_hex(where)[1], int(floor or 0))


def archive(name: str) -> Path:
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"no {name} in {FOLDER}: set RULES_ASP_BOARDS")
    return path


def test_the_table_is_as_it_says() -> None:
    assert len(ROWS) > 150
    sights = Counter((row.board, frozenset((row.a, row.b))) for row in ROWS)
    assert set(sights.values()) == {1}
    for row in ROWS:
        assert (row.verdict, row.hindrance.isdigit()) in {("clear", True), ("blocked", False)}, row
        assert row.paragraphs or row.verdict == "clear", row
        assert row.agreed_with == "VASL" or (PRINTED / row.agreed_with).is_file(), row


@pytest.mark.parametrize("board", some(BOARDS, 1))
def test_we_say_what_is_agreed_on(board: str) -> None:
    here = prepare(import_archive(archive(f"bd{board}")), program())
    for row in ROWS:
        if row.board == board:
            answer = los(here, place(row.a), place(row.b), close=False, cite=False)
            assert (*verdict(answer), paragraphs(answer)) == row[3:6], row


@pytest.mark.parametrize(
    "board", some(sorted({row.board for row in ROWS if row.agreed_with == "VASL"}), 1)
)
def test_vasl_says_what_is_agreed_on(board: str) -> None:
    wanted: dict[tuple[str, str], Row] = {}
    for row in ROWS:
        if row.board == board and row.agreed_with == "VASL":
            ends = tuple(f"{place(end).spot}/{place(end).floor}" for end in (row.a, row.b))
            wanted[ends] = wanted[ends[::-1]] = row  # type: ignore[index]
    found = 0
    with gzip.open(archive(f"bd{board}_vasl.csv.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            one, two, blocked, hindrance, _ = line.split(",", 4)
            if (one, two) in wanted:
                found += 1
                row = wanted[one, two]
                assert blocked == str(int(row.verdict == "blocked")), line
                assert row.verdict == "blocked" or hindrance == row.hindrance, line
    assert found == len(wanted)
