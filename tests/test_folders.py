"""All boards of a folder in one command: each result is the same as for the board alone, with a summary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rules_asp.cli.app import main
from tests import archives
from tests.sampling import slow

BOARDS = {
    "one.board": 'board "One" grid 3x2\nwoods: B1\n',
    "sub/two.board": 'board "Two" grid 3x2\nbuilding stone: B1\n',
}
BROKEN = 'board "Three" grid 3x2\nwoods: Z9\n'
BREAKING = """board "Bad" grid 3x2
building gray: B1
factory B1
unit A squad 4-6-7 german at B1/1
"""


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result.output


def record(*arguments: object, code: int = 0) -> dict[str, Any]:
    result = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert result.exit_code == code, result.output
    told: dict[str, Any] = json.loads(result.stdout)
    return told


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "boards"
    for name, text in BOARDS.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (top / "notes.txt").write_text("no board", "utf-8")
    (top / ".hidden.board").write_text("no board", "utf-8")
    return top


@slow
def test_each_matrix_is_that_of_its_board_alone(folder: Path, tmp_path: Path) -> None:
    (folder / "three.board").write_text(BROKEN, "utf-8")
    archives.write(folder / "bd99", archives.small())
    (folder / "bd98").write_bytes(b"PK\x03\x04 no archive")
    out = tmp_path / "out"
    told = run("matrix", folder, "-o", out, "--ground", "--jobs", "2", code=2)
    assert "three.board:2:8" in told
    assert "3 boards, and 1 that could not be read" in told
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert files == {"one.csv", "sub/two.csv", "bd99.csv"}
    for name in BOARDS:
        alone = tmp_path / "alone.csv"
        run("matrix", folder / name, "-o", alone, "--ground", "--force")
        assert (out / name).with_suffix(".csv").read_bytes() == alone.read_bytes()


@slow
def test_a_run_that_was_broken_off_goes_on_where_it_was(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    whole = record("matrix", folder, "-o", out, "--jobs", "1")
    one, two = out / "one.jsonl", out / "sub/two.jsonl"
    before = {path: path.read_bytes() for path in (one, two)}
    assert "already exists" in run("matrix", folder, "-o", out, "--json", code=2)
    two.write_bytes(before[two][:-9])
    kept = one.stat().st_mtime_ns
    assert record("matrix", folder, "-o", out, "--resume") == whole
    assert {path: path.read_bytes() for path in (one, two)} == before
    assert one.stat().st_mtime_ns == kept
    sums = [sum(each[key] for each in whole["boards"]) for key in ("sights", "clear", "blocked")]
    assert sums == [whole["total"][key] for key in ("sights", "clear", "blocked")]
    assert sums[0] == sum(len(text.splitlines()) - 1 for text in before.values())
    # A whole file of other sights is kept, and told of.
    told = run("matrix", folder, "-o", out, "--resume", "--json", "--from", "B1", code=2)
    assert "other questions; --force overwrites it" in told
    assert {path: path.read_bytes() for path in (one, two)} == before


def test_a_check_of_a_folder_sums_up(folder: Path) -> None:
    (folder / "bad.board").write_text('board "Bad" grid 3x2\nunit A squad: B1 B2\n', "utf-8")
    found = record("check", folder, code=2)
    assert [each["board"] for each in found["boards"]] == ["One", "Two"]
    assert len(found["errors"]) == 1
    (folder / "bad.board").write_text(BREAKING, "utf-8")
    alone = record("check", folder / "bad.board", code=1)
    found = record("check", folder, "--jobs", "2", code=1)
    assert found["total"]["violations"] == len(alone["violations"]) > 0
    assert found["boards"][0]["violations"] == alone["violations"]
    told = run("check", folder, code=1)
    assert "in all" in told
    assert alone["violations"][0]["norm"] in told


def test_what_makes_no_sense_is_refused(folder: Path, tmp_path: Path) -> None:
    assert "is a folder: name an output folder" in run("matrix", folder, code=2)
    (tmp_path / "file").write_text("", "utf-8")
    assert "must be a folder" in run("matrix", folder, "-o", tmp_path / "file", code=2)
    empty = tmp_path / "empty"
    empty.mkdir()
    for command in (["check", empty], ["matrix", empty, "-o", tmp_path / "out"]):
        assert "has no board" in run(*command, code=2)
    archives.write(folder / "one", archives.small())
    assert "would both be" in run("matrix", folder, "-o", tmp_path / "out", code=2)
    assert not (tmp_path / "out").exists()
