"""The command line: exit codes, JSON and messages, and never a traceback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rules_asp.cli.app import main
from rules_asp.knowledge.catalogue import catalogue
from rules_asp.knowledge.reader import read_kb
from rules_asp.positions.loading import write_text
from tests.archives import generate
from tests.archives import write as pack
from tests.sampling import part, slow

#: A board with something of everything: a norm broken, an unknown terrain, a close call.
MIXED = """\
board "mixed" grid 7x6
woods: E2
outline woods: 1700,350 1900,350 1900,700 1700,700
brush: B2
unknown terrain jungle-hut: C4
building gray: B5 B4   joined B5-B4
factory B5
unit A squad 4-6-7 german at B5/1
doubt B4 "cut off at the rim"

expect violates B23.74
expect los E1 - E3 blocked
expect los A1 - A2 blocked   # it is not
"""
#: Why nothing is known there.
JUNGLE_HUT = "no encoded rule gives the effect of jungle-hut in C4"
Record = dict[str, Any]


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    assert result.exit_code == code, result.output
    return result


def answer(*arguments: object, code: int = 0) -> Record:
    record = json.loads(run(*arguments, "--json", code=code).stdout)
    assert record.pop("schema") == 2
    assert record.pop("command") == arguments[0]
    return dict(record)


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    path = tmp_path / "mixed.board"
    path.write_text(MIXED, "utf-8")
    return path


# --- answers as JSON, key by key


def test_los_blocked() -> None:
    record = answer("los", "church", "C3/2", "D2/2")
    cites = record.pop("cites")
    assert cites[0] == "B23.25"
    assert {"B23.721", "B23.23"} <= set(cites)
    assert record == {
        "board": "church",
        "verdict": "not so",
        "assumed": ["A6.1", "GR.1", "GR.2", "GR.3"],
        "readings": ["R-T14"],
        "own": [],
        "less_sure": [],
        "a": "C3/2",
        "b": "D2/2",
        "clear": False,
        "hindrance": 0,
        "lv": 0,
        "unseen_from": [],
        "range": 1,
        "level_a": 2,
        "level_b": 3,
        "levels_by": [],
        "blocked_at": "C3",
        "blockers": [
            {"norm": "B23.25-3", "cite": "B23.25", "at": "C3"},
            {"norm": "B23.25-5", "cite": "B23.25", "at": "C3"},
            {"norm": "B23.25-5", "cite": "B23.25", "at": "D2"},
        ],
        "hindrances": [],
        "passes_over": [],
        "beaten": [],
        "close": [],
    }


def test_los_is_the_same_both_ways_and_blocks_at_what_comes_first() -> None:
    there, back = answer("los", "church", "C3/2", "D2/2"), answer("los", "church", "D2/2", "C3/2")
    assert (there["clear"], there["cites"]) == (back["clear"], back["cites"])
    assert (there["blocked_at"], back["blocked_at"]) == ("C3", "D2")


def test_levels_are_numbers() -> None:
    record = answer("los", "church", "C3/roof", "D2/roof")
    assert (record["level_a"], record["level_b"]) == (2.5, 3.5)


def test_los_hindered_and_close(mixed: Path) -> None:
    record = answer("los", mixed, "B1", "B3")
    assert (record["clear"], record["hindrance"]) == (True, 1)
    (hindrance,) = record["hindrances"]
    assert set(hindrance) == {"norm", "cite", "at", "hindrance"}
    assert (hindrance["at"], hindrance["hindrance"]) == ("B2", 1)
    (close,) = answer("los", mixed, "A4", "G1")["close"]
    assert set(close) == {"units", "pixels", "if", "clear", "hindrance"}
    assert (close["if"], close["clear"]) == ("the line meets woods in E2", False)
    assert 0 <= close["units"] <= 16
    assert close["pixels"] == pytest.approx(close["units"] / 8, abs=0.1)


def test_los_unknown(mixed: Path) -> None:
    record = answer("los", mixed, "A1", "C5")
    assert (record["clear"], record["hindrance"], record["blocked_at"]) == (None, None, None)
    assert record["unknown"] == {
        "why": JUNGLE_HUT,
        "needs": ["an agreement of the players: treat jungle-hut as TERRAIN"],
    }


def test_ask() -> None:
    record = answer("ask", "church", "height(H) = V, V < 2")
    assert record["cites"][0] == "B23.22"
    del record["cites"], record["beaten"]
    assert record == {
        "board": "church",
        "verdict": "yes",
        "query": "height(H) = V, V < 2",
        "holds": True,
        "forbidden_by": [],
        "values": [],
        "could": [],
        "perhaps": [],
        "not_allowed": [],
        "assumed": ["GR.1"],
        "readings": [],
        "own": [],
        "less_sure": [],
        "answers": [{"H": "F3", "V": 1.5}, {"H": "F4", "V": 1.5}],
    }


def test_a_no_rests_on_something_too() -> None:
    record = answer("ask", "church", "connected(C3/2, D2/2)")
    assert (record["holds"], record["answers"]) == (False, [])
    assert "B23.721" in record["cites"]
    assert answer("ask", "church", "sees(C3/2 - D2/2)")["cites"][0] == "B23.25"


def test_ask_unknown(mixed: Path) -> None:
    record = answer("ask", mixed, "sees(A1 - C5)")
    assert record["holds"] is None
    assert set(record["unknown"]) == {"why", "needs"}


def test_tem() -> None:
    record = answer("tem", "assault", "B4", "E")
    assert list(record) == [
        *("board", "verdict", "from", "at", "how", "target", "tem", "parts"),
        *("beaten", "cites", "assumed", "readings", "own", "less_sure"),
    ]
    assert (record["from"], record["at"], record["target"]) == ("B4", "D3/1", "still")
    assert record["tem"] == 3
    assert [(part["what"], part["amount"]) for part in record["parts"]] == [("tem", 3)]
    assert {"B23.31", "B23.3"} <= set(record["cites"])


def test_fire() -> None:
    record = answer("fire", "assault", "E", "C4", "--moving")
    assert (record["legal"], record["clear"], record["hindrance"]) == (True, True, 0)
    assert (record["tem"], record["drm"]) == (0, -2)
    parts = {part["what"]: part["amount"] for part in record["parts"]}
    assert parts == {"ffmo": -1, "ffnam": -1, "tem": 0}
    blocked = answer("fire", "assault", "E", "F4")
    assert (blocked["legal"], blocked["clear"], blocked["drm"]) == (False, False, None)
    assert blocked["unknown"]["why"]


def test_indirect_fire_and_a_critical_hit() -> None:
    assert answer("tem", "assault", "B4", "D3", "--indirect")["tem"] == 5
    assert answer("tem", "assault", "B4", "D3", "--how", "critical")["tem"] == -3


@slow
def test_moves() -> None:
    record = answer("moves", "assault", "G")
    assert (record["units"], record["phase"], record["from"]) == (["G"], "mph", "E4")
    assert record["mf"] == 4
    reach = {each["to"]: each for each in record["reach"]}
    assert reach["E3"]["mf"] == 3
    assert {"B23.71"} <= set(reach["E3"]["cites"])
    (step,) = reach["E3"]["path"]
    assert step["way"].startswith("around(")
    assert {(each["to"], *each["norms"]) for each in record["forbidden"]} >= {("E3", "B23.71-12")}
    # What a step from vertex to vertex of one hex costs is not known.
    assert {each["way"].partition("(")[0] for each in record["unknown_steps"]} == {"bypass"}
    stack = answer("moves", "assault", "A", "L")
    assert (stack["units"], stack["mf"]) == (["A", "L"], 6)


def test_an_advance_is_one_step() -> None:
    record = answer("moves", "assault", "A", "--phase", "aph")
    assert {each["to"] for each in record["reach"]} == {"A4", "A5", "B3", "B5", "C4", "C5"}


@slow
def test_can() -> None:
    record = answer("can", "assault", "G move to E3")
    assert (record["legal"], len(record["ways"])) == (True, 3)
    assert {way["legal"] for way in record["ways"]} == {True, False}
    assert answer("can", "assault", "G move to F4")["legal"] is False
    far = answer("can", "assault", "A move to C3/1")
    assert (far["legal"], [step["to"] for step in far["way_there"]]) == (True, ["C4", "C3", "C3/1"])
    assert answer("can", "assault", "fire from D3/1 at F4")["legal"] is False


def test_roll(tmp_path: Path) -> None:
    board = tmp_path / "fire.board"
    board.write_text('board "fire" grid 3x3\nbuilding gray: B2\n', encoding="utf-8")
    record = answer("roll", board, "kindle(B2, other)")
    (result,) = record["results"]
    assert (result["result"], result["from"], result["to"]) == ("flame", 8, None)
    assert (result["of"], record["modifiers"]) == ("15/36", [])
    assert [each["of"] for each in record["together"]] == ["21/36", "15/36"]


def test_why() -> None:
    record = answer("why", "church", "height(C3) = V")
    (proof,) = record["proof"]
    assert set(proof) == {"claim", "norm", "sense", "because", "again", "tie", "id", "at"}
    assert (proof["claim"], proof["norm"]) == ("height(C3) = 2 1/2", "B23.23-2")
    assert record["cites"] == ["B23.23", "B23.1"]
    facts = {each["claim"] for each in _points(proof) if each["norm"] is None}
    assert facts == {"depicts(C3, gray)", "stairwell_symbol(C3)"}


def test_why_not() -> None:
    record = answer("why", "church", "height(C3) = 1")
    assert record["holds"] is False
    assert [each["claim"] for each in record["proof"]] == ["height(C3) = 2 1/2"]


def _points(point: Record) -> list[Record]:
    return [point, *(each for below in point["because"] for each in _points(below))]


def test_check(mixed: Path) -> None:
    assert answer("check", mixed, code=1) == {
        "board": "mixed",
        "violations": [
            {"norm": "B23.74-6", "cite": "B23.74", "what": "not at ground level", "at": "A"},
            {"norm": "GR.2-8", "cite": "GR.2", "what": "in no location", "at": "A"},
        ],
        "conflicts": [],
        "unknowns": [{"topic": "tem_at(C4/0)", "why": JUNGLE_HUT}],
        "doubts": [{"at": "B4", "what": "cut off at the rim"}],
    }
    assert answer("check", "church")["violations"] == []


def test_a_surplus_argument_shows_how_to_quote() -> None:
    output = run("repair", "assault", "los", "A", "F", code=2).output
    assert "Got unexpected extra argument (F): put an argument of several words in quotes" in output
    assert 'Example: rules-asp repair church "los C1 G3" clear' in output


def test_check_merges_rows_that_differ_only_in_their_place(tmp_path: Path) -> None:
    board = tmp_path / "huts.board"
    places = "A1 B2 C3"
    board.write_text(
        f'board "huts" grid 3x3\nunknown terrain jungle-hut: {places}\nunknown terrain dune: A2\n'
        f'doubt {places} "cut off"\ndoubt C2 "faded"\n'
    )
    text = run("check", board).stdout
    assert (
        "A1/0 and 2 more  TEM of the Location: no encoded rule gives the effect of jungle-hut"
        in text
    )
    assert "effect of dune in A2" in text
    assert "A1 and 2 more  cut off" in text
    assert "C2             faded" in text
    assert len(answer("check", board)["unknowns"]) == 4


def test_test(mixed: Path) -> None:
    record = answer("test", mixed, code=1)
    assert (record["passed"], record["failed"], record["errors"]) == (2, 1, [])
    assert record["outcomes"][-1] == {
        "file": str(mixed),
        "line": 13,
        "expect": "expect los A1 - A2 blocked",
        "passed": False,
        "verdict": "yes",
        "answered": "clear",
        "cites": [],
    }


def test_coverage() -> None:
    record = answer("coverage")
    assert set(record) == {"sections", "cases", "unexercised"}
    b23 = record["sections"]["B23"]
    assert set(b23) == {"norms", "encoded", "descriptive", "exercised"}
    assert b23["norms"] == b23["encoded"] + b23["descriptive"] > 100
    assert b23["exercised"] is None


def test_facts(mixed: Path) -> None:
    record = answer("facts", mixed)
    assert 'at("A",l((1,5),1)).' in record["given"]
    assert "derived" not in record
    (derived,) = answer("facts", mixed, "--derived")["derived"]
    assert "is(factory((1,5)),yes)." in derived
    assert not set(derived) & set(record["given"])


def test_rules() -> None:
    (norm,) = answer("rules", "B23.25-5")["norms"]
    assert set(norm) == {
        *("id", "cite", "sense", "file", "line", "assumed", "less_sure", "descriptive", "reading"),
        *("or", "open", "beats", "beaten_by", "goes_first"),
        *("rulings", "silent", "encoding", "names", "named_by", "cases"),
    }
    assert (norm["id"], norm["cite"]) == ("B23.25-5", "B23.25")
    assert Path(norm["file"]).parts[0] == "kb"
    assert {"norm": "B23.25-6", "how": "lifts", "ruling": None} in norm["beaten_by"]
    assert {"norm": "B23.741-1", "how": "overrides", "ruling": "R-T18"} in norm["beaten_by"]
    (winner,) = answer("rules", "B23.25-6")["norms"]
    assert {"norm": "B23.25-5", "how": "lifts", "ruling": None} in winner["beats"]
    assert winner["goes_first"] is None
    (by_words,) = answer("rules", "B23.4-2")["norms"]
    assert by_words["goes_first"].startswith("the text marks an exception")
    assert "takes precedence because the text marks an exception" in run("rules", "B23.4-2").stdout
    (licence,) = answer("rules", "D2.1-1")["norms"]
    assert {"norm": "B23.41-1", "how": "yields", "ruling": None} in licence["beaten_by"]
    paragraphs = {each["cite"] for each in answer("rules")["paragraphs"]}
    assert {"B23.1", "B23.25", "GR.1"} <= paragraphs


@slow
def test_readings() -> None:
    book = catalogue(read_kb())
    listed = answer("rules", "--readings")["readings"]
    assert {each["id"] for each in listed} == {norm.id for norm in book.norms if norm.reading}
    assert all(each["or"] and each["or"] not in each["sense"] for each in listed)
    assert {each["id"] for each in listed if each["ruling"]} == set(book.rulings)
    factory = {"norm": "B23.74-4", "over": "B23.21-2"}
    assert [each["id"] for each in listed if factory in each["settles"]] == ["R-T03"]
    text = run("rules", "--readings").stdout
    assert all(re.search(rf"^  {re.escape(each['id'])} ", text, re.MULTILINE) for each in listed)
    assert text.count("  or: ") == len(listed)


def test_readings_that_bear_on_a_paragraph_or_words() -> None:
    bearing = [each["id"] for each in answer("rules", "--readings", "B23.74")["readings"]]
    assert {"R-T03", "R-T18", "R-B24.2", "B23.742-1"} <= set(bearing)
    assert not {"R-T15", "B23.71-11", "B23.94-2"} & set(bearing)
    blaze = answer("rules", "--readings", "Blaze")["readings"]
    assert {"R-T77", "B23.94-2"} <= {each["id"] for each in blaze}
    assert "R-T03" not in {each["id"] for each in blaze}
    assert answer("rules", "--readings", "zeppelin")["readings"] == []
    (marked,) = answer("rules", "B23.94-2")["norms"]
    assert (marked["reading"], bool(marked["or"])) == (True, True)
    (plain,) = answer("rules", "B23.94-1")["norms"]
    assert (plain["reading"], plain["or"]) == (False, None)


def test_words() -> None:
    words = answer("words", "obstacle")["words"]
    assert {
        "form": "height(hex) = half_level",
        "sense": "height of the building as an obstacle: above its base level",
        "sentences": [],
        "said": [],
    } in words


def test_a_word_of_a_kind_names_its_kind() -> None:
    assert run("words", "mud").stdout.startswith("weather: clear, ")
    assert "no such word" in run("words", "mudd").stdout


# --- answers for people


def test_los_in_words(mixed: Path) -> None:
    text = run("los", mixed, "A4", "G1").stdout
    head = "LOS from A4 to G1: clear, no Hindrance\nRange 6 hexes, from level 0 to level 0\n"
    assert text.startswith(f"{head}Close calls\n")
    assert "if the line meets woods in E2: blocked" in text
    assert "General rules (assumed): A6.1" in text


def test_ask_in_words() -> None:
    assert run("ask", "church", "height(C3) = 3").stdout.startswith(
        "No: it is 2 1/2\nRules: B23.23"
    )
    assert run("ask", "church", "rowhouse(H)").stdout == (
        "No: nothing on this board makes it true\nRules that could make it true: B23.71-1\n"
    )


@slow
def test_failures_come_with_place_and_answer(mixed: Path) -> None:
    failed = f"FAIL {mixed}:13  expect los A1 - A2 blocked"
    few = run("test", mixed, "church", code=1).stdout.splitlines()
    assert few[:3] == [failed, "     answered: clear", f"{mixed}: 2 passed, 1 failed"]
    assert run("test", mixed, "church", "--all", code=1).stdout.splitlines()[:4] == [
        f"PASS {mixed}:11  expect violates B23.74",
        f"PASS {mixed}:12  expect los E1 - E3 blocked",
        failed,
        "     answered: clear",
    ]


def test_a_folder_stands_for_its_boards(mixed: Path) -> None:
    (mixed.parent / "deeper").mkdir()
    mixed.rename(mixed.parent / "deeper" / "a.board")
    assert run("test", mixed.parent, code=1).stdout.endswith("2 passed, 1 failed\n")


def test_one_bad_file_does_not_hide_the_others(mixed: Path) -> None:
    bad = mixed.parent / "bad.board"
    bad.write_text('board "bad" grid 2x2\nwods: A1\n')
    result = run("test", bad, mixed, code=2)
    assert "did you mean woods?" in result.stderr
    assert result.stdout.endswith("2 passed, 1 failed\n")


def test_rules_by_paragraph_and_words() -> None:
    family = run("rules", "B23.7").stdout
    assert "B23.71-1" in family
    assert "B23.741-1" in family
    assert "\nB23.25-5" not in family
    found = run("rules", "black", "bar").stdout
    assert "B23.71-1" in found
    assert run("rules", "zeppelin").stdout == "no rule mentions zeppelin\n"
    assert "ruling R-T18" in run("rules", "B23.25-5").stdout


def test_without_a_ruling_its_clash_shows(mixed: Path) -> None:
    ruling = next(each for each in catalogue(read_kb()).precedences if each.ruling == "R-T03")
    conflicts = answer("check", mixed, "--without", "R-T03", code=1)["conflicts"]
    norms = [set(each["norms"]) for each in conflicts]
    assert not norms or {ruling.winner, ruling.loser} & set.union(*norms)


def test_view(mixed: Path) -> None:
    page = run("view", mixed).stdout
    assert "woods" in page
    assert all(line == line.rstrip() for line in page.splitlines())
    assert len(run("view", mixed, "A1").stdout) < len(page)


def test_nothing_is_printed_beyond_the_width() -> None:
    for arguments in (("why", "church", "sees(C3/2 - D2/2)"), ("rules", "B23.7"), ("words",)):
        assert max(map(len, run(*arguments).stdout.splitlines())) <= 100


# --- bad input: exit code 2 and one clear message

BAD: list[tuple[tuple[str, ...], str]] = [
    (("los", "chrch", "A1", "A2"), "chrch: there is no file or included board with this name"),
    (("los", ".", "A1", "A2"), ".: this is a folder, not a board file"),
    (("los", "church", "u4", "A1"), "U4 is not on this board"),
    (("los", "church", "", "A1"), "the hex is missing"),
    (("los", "church", "C3/9", "A1"), "there is no Location C3/9 on this board"),
    (("los", "church", "C3/attic", "A1"), "attic is not a level of a hex"),
    (("los", "church", "Z9", "A1"), "Z9 is not on this board"),
    (("los", "church", "20C3", "A1"), "20 is not the name of a board of this map"),
    (("los", "church", "C3", "C3"), "both ends of the line are C3: name two different Locations"),
    (("los", "church", "C3"), "Missing argument 'B'"),
    (("los", "church", "A1", "A2", "--without", "R-T003"), "no ruling R-T003; did you mean R-T03?"),
    (
        ("los", "church", "A1", "A2", "--without", "x"),
        "there is no ruling x; `rules-asp rules --rulings` lists them",
    ),
    (("ask", "church", "hight(C3) = V"), "did you mean height?"),
    (("ask", "church", "height(C3"), 'expected ")"'),
    (("ask", "church", ""), "question:1:1"),
    (("ask", "church", "height(U4) = V"), "U4 is not on this board"),
    (("ask", "church", "(" * 5000), "question:1:1"),
    (("why", "church", "sees(C3/2)"), "sees"),
    (("rules", "B23.99"), "there is no rule B23.99"),
    (("rules", "B23.25-55"), "did you mean B23.25-5?"),
    (("import", "nowhere", "-o", "x.board"), "nowhere"),
    (("import", "nowhere"), "Missing option '-o'"),
    (("test", "nowhere.board"), "nowhere.board: there is no file"),
    (("coverage", "nowhere.board"), "nowhere.board"),
    (("move", "church"), "No such command 'move'"),
    (("moves", "church", "A"), "there is no unit A"),
    (("moves", "assault", "A", "G"), "A and G are in different Locations, so they are not a stack"),
    (("moves", "assault", "A", "--phase", "rph"), "units do not move in the phase rph"),
    (("can", "assault", "Z move to C4"), "there is no unit Z"),
    (("can", "assault", "A mov to C4"), "mov is not expected at this position"),
    (("can", "assault", "A move to Z9"), "Z9 is not on this board"),
    (("tem", "assault", "B4", "D3/4"), "there is no Location D3/4"),
    (("tem", "assault", "B4", "D3", "--how", "odd"), "odd is not a kind of fire; use direct"),
    (("fire", "assault", "Z", "D3"), "there is no unit Z"),
    (("roll", "church", "kindle(C3)"), "kindle takes 2 arguments"),
    (("view", "church", "?"), "? is not a hex"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=lambda value: str(value)[:40])
def test_bad_input(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    result = run(*arguments, code=2)
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert "fault of rules-asp" not in result.output
    assert len(result.stderr) < 1500
    assert list(tmp_path.iterdir()) == [tmp_path / "empty"]


FILES: dict[str, tuple[bytes, str]] = {
    "latin-1": ('board "x" grid 3x3\n# Wäldchen\n'.encode("latin-1"), "is not a text file"),
    "binary": (bytes(range(256)), "is not a text file"),
    "empty": (b"", "board"),
    "unknown word": (b'board "x" grid 3x3\nwods: A1\n', "did you mean woods?"),
    "off the map": (b'board "x" grid 3x3\nwoods: Z9\n', ":2:"),
    "no grid": (b"woods: A1\n", "board"),
    "uses itself": (b'use "x.board"\n', "uses itself"),
    "uses nothing": (b'use "nothing.board"\n', "there is no file"),
    "control": (b'board "\x1b[31mx" grid 3x3\n', ":1:"),
}


@pytest.mark.parametrize("what", FILES)
def test_bad_boards(what: str, tmp_path: Path) -> None:
    data, message = FILES[what]
    path = tmp_path / "x.board"
    path.write_bytes(data)
    result = run("check", path, code=2)
    assert message in result.stderr
    assert "\x1b" not in result.stderr
    assert "fault of rules-asp" not in result.stderr
    assert result.stdout == ""


def test_a_fault_of_ours_is_owned(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr("rules_asp.api.load", broken)
    result = run("check", "church", code=2)
    assert result.stderr.startswith("rules-asp: KeyError: 'oops'\nThis is a fault of rules-asp")
    monkeypatch.setenv("RULES_ASP_DEBUG", "1")
    assert isinstance(CliRunner().invoke(main, ["check", "church"]).exception, KeyError)


# --- import


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "archive"
    pack(path, generate(3)[0])
    return path


def test_import(archive: Path, tmp_path: Path) -> None:
    board = tmp_path / "out.board"
    record = answer("import", archive, "-o", board)
    assert set(record) == {"board", "file", "grid", "buildings", "doubts", "corrected"}
    assert record["file"] == str(board)
    assert run("check", board).exit_code == 0
    assert run("import", archive, "-o", "-").stdout == board.read_text("utf-8")


def test_import_overwrites_only_by_force(archive: Path, tmp_path: Path) -> None:
    board = tmp_path / "out.board"
    board.write_text("mine")
    assert "already exists" in run("import", archive, "-o", board, code=2).stderr
    assert board.read_text() == "mine"
    run("import", archive, "-o", board, "--force")
    assert board.read_text().startswith("board")


def test_import_leaves_nothing_half_written(archive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    bad = tmp_path / "bad"
    with zipfile.ZipFile(bad, "w") as packed:
        packed.writestr("LOSData", b"nothing")
    for source, target in ((bad, folder / "x.board"), (archive, folder / "no" / "x.board")):
        result = run("import", source, "-o", target, code=2)
        assert "fault of rules-asp" not in result.stderr
    assert list(folder.iterdir()) == []


def test_writing_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    write_text(path, "first\n")
    with pytest.raises(FileExistsError):
        write_text(path, "second\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(OSError, match="No space"):
            write_text(path, "second\n", force=True)
    assert (path.read_text(), list(tmp_path.iterdir())) == ("first\n", [path])
    link = tmp_path / "link"
    link.symlink_to(path)
    path.chmod(0o640)
    write_text(link, "second\n", force=True)
    assert link.is_symlink()
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("second\n", 0o640)


# --- as a process


def process(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "rules_asp", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        **options,
    )


def test_as_a_module(tmp_path: Path) -> None:
    out, err = (running := process("--version", cwd=tmp_path)).communicate()
    assert (out.split()[0], err, running.returncode) == ("rules-asp,", "", 0)


@slow
@pytest.mark.parametrize("encoding", part(["ascii", "latin-1", "utf-8"], 1))
def test_any_encoding_of_the_output(encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    running = process("why", "church", "height(C3) = V", env=environment)
    out, err = running.communicate()
    assert (running.returncode, err) == (0, "")
    assert "B23.23-2" in out


def test_a_broken_pipe_is_quiet() -> None:
    running = process("facts", "church", "--derived")
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    assert (running.stderr.read(), running.wait()) == ("", 141)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to send")
def test_an_interrupt_is_quiet() -> None:
    code = (
        "import sys, rules_asp.api, rules_asp.cli.app\n"
        "def wait(*_, **__):\n"
        "    print('ready', flush=True)\n"
        "    import time; time.sleep(60)\n"
        "rules_asp.api.load = wait\n"
        "rules_asp.cli.app.main(['check', 'church'])"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "ready\n"
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    assert (out, err.strip(), running.returncode) == ("", "", 130)


def test_help_names_every_command() -> None:
    text = run("--help").stdout
    assert all(each.help for each in main.commands.values())
    for name in main.commands:
        assert f"  {name} " in text
        run(name, "--help")


def test_who_is_adjacent_is_the_same_from_either_end_and_for_the_whole_board() -> None:
    pairs = answer("ask", "church", "adjacent(L, M)")["answers"]
    all_ = {(each["L"], each["M"]) for each in pairs}
    assert {(m, k) for k, m in all_} == all_
    here = answer("ask", "church", "adjacent(C3/2, L)")["answers"]
    assert {each["L"] for each in here} == {m for k, m in all_ if k == "C3/2"} != set()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--json", "los", "church", "C3", "D2"], "--json must follow the command: "),
        (["--rules", ".", "check", "church"], "--rules must follow the command: "),
        (["lab", "--grid", "2x1", "dead"], "--grid must follow the command: "),
        (["--jsn", "los", "church", "C3", "D2"], "No such option"),
    ],
)
def test_an_option_before_the_command_is_reported_where_it_stands(
    words: list[str], told: str
) -> None:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert told in result.output
