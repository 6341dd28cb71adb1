"""The effect of a change of the rules: on dependent rules, on the cases, and on the smallest boards."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rules_asp.cases.coverage import case_files
from rules_asp.cli.app import main
from rules_asp.lab import diff
from rules_asp.lab.diff import changed_expectations
from rules_asp.lab.impact import Impact, best_first, impact_of, with_sections
from rules_asp.lab.rulesets import RuleSet, parse_rule_sets
from tests.sampling import part, slow, tries

#: The rules of B23.3-3 as they are, so that only the summary differs.
SAME = """\
%@ B23.3-3  The TEM of a building of stone is +3.
says("B23.3-3", building_tem(H), 3) :- {body}.
"""
HIGH_TOWER = """\
%@ HOUSE.1-1  The TEM of a Tower Location is +1.
says("HOUSE.1-1", tem_at(l(H,tower)), 1) :- pb6_tower(H).
overrides("HOUSE.1-1",("PB6.3-3";"GR.10-2";"B23.421-8")).
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["lab", "impact", *arguments], env={"COLUMNS": "100"})


def sides(other: str, one: str = "b23") -> tuple[RuleSet, RuleSet]:
    return with_sections(*parse_rule_sets(one, other))


def folder(tmp_path: Path, text: str) -> str:
    own = tmp_path / "own"
    own.mkdir()
    (own / "own.lp").write_text(text, "utf-8")
    return str(own)


@pytest.fixture(scope="module")
def stone() -> Impact:
    return impact_of(*sides("b23-B23.3-3"))


def test_a_norm_left_out_is_listed_with_all_that_reads_it(stone: Impact) -> None:
    (change,) = stone.changes
    assert (change.norm, change.how) == ("B23.3-3", "removed")
    assert stone.topics["building_tem"] == stone.topics["tem"] == 0
    assert stone.topics["open_ground"] > 0
    assert "height" not in stone.topics
    assert {"B23.921-3", "A10.53-1"} <= stone.norms.keys()
    assert stone.norms["B23.921-3"] < stone.norms["A10.53-1"]
    assert "B23.3-3" not in stone.norms


def test_the_same_back_adds_the_norm() -> None:
    (change,) = impact_of(*sides("b23", "b23-B23.3-3")).changes
    assert change.how == "added"


def test_a_ruling_takes_its_precedence_with_it() -> None:
    found = impact_of(*sides("b23-R-T03"))
    assert [(how, str(rank)) for how, rank in found.ranks] == [
        ("gone", "B23.74-4 overrides B23.21-2 by ruling R-T03")
    ]
    assert found.topics["height"] == 0
    assert found.paragraphs >= {"B23.74", "B23.21"}


@slow
def test_a_house_rule_brings_the_section_that_it_is_about(tmp_path: Path) -> None:
    both = sides(folder(tmp_path, HIGH_TOWER))
    assert [each.sections for each in both] == [("b23", "pb6")] * 2
    found = impact_of(*both)
    assert [(each.norm, each.how) for each in found.changes] == [("HOUSE.1-1", "added")]
    assert {how for how, _ in found.ranks} == {"new"}
    assert {rank.winner for _, rank in found.ranks} == {"HOUSE.1-1"}


@slow
def test_a_summary_alone_changes_no_consequence(tmp_path: Path) -> None:
    from rules_asp.knowledge.loading import load_program

    rules = [each.text for each in load_program().source.rules if each.norm == "B23.3-3"]
    own = folder(tmp_path, "%@ B23.3-3  A building of stone has a TEM of 3.\n" + "\n".join(rules))
    told = run("b23", own)
    assert told.exit_code == 0
    assert "B23.3-3  (only its text changed)" in told.stdout
    assert "No consequence changes: no logic rule differs." in told.stdout
    assert "Cases" not in told.stdout
    record = json.loads(run("b23", own, "--json").stdout)
    assert record["consequences"] is False
    assert [each["how"] for each in record["changes"]] == ["summary"]


def test_equal_rules_are_called_the_same() -> None:
    assert run("b23", "b23").stdout == "The two sets of rules are the same.\n"


def test_cases_that_name_the_change_come_first(stone: Impact) -> None:
    first = [path.stem for path in stone.likely_first(case_files())]
    assert first[:2] == ["b23_3_tem", "b23_3_construction"]
    assert first.index("b23_31_bypass") < first.index("b23_74_factory_on_a_slope")


def test_examples_are_those_that_ask_about_it(stone: Impact, tmp_path: Path) -> None:
    board = tmp_path / "a.board"
    board.write_text(
        'board "a" grid 2x1\nbuilding gray: A1\n# expect tem_at(A1) = 3\n'
        "expect tem_at(A1) = 3\nexpect height(A1) = 1\n"
    )
    assert stone.examples([board]) == ((board, (4,)),)


@slow
def test_the_report_has_changes_cases_and_boards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = tmp_path / "a.board"
    board.write_text('board "a" grid 2x1\nbuilding gray: A1\nexpect tem_at(A1) = 3\n')
    options = ("--grid", "2x1", "--event", "board", "--cases", str(board), "--jobs", "1")
    # One search of boards for both forms of the report.
    compare = diff.compare_rule_sets
    searched: list[diff.RuleDiff] = []

    def once(*given: Any) -> diff.RuleDiff:
        if not searched:
            searched.append(compare(*given))
        return searched[0]

    monkeypatch.setattr(diff, "compare_rule_sets", once)
    told = run("b23", "b23-B23.3-3", *options)
    assert told.exit_code == 0, told.output
    assert "B23.3-3  (only in b23)  A stone building has a TEM of +3." in told.stdout
    assert "a.board:3  tem_at(A1) = 3: yes -> unknown" in told.stdout
    assert "1 line on 1 of 1 boards" in told.stdout
    assert "building gray:" in told.stdout
    assert len(told.stdout.splitlines()) < 40
    record = json.loads(run("b23", "b23-B23.3-3", *options, "--json").stdout)
    assert record["command"] == "lab impact"
    assert record["found"][0]["topic"] == "building_tem"
    assert record["found"][0]["answers"] == ["3", "no value"]
    assert [each["line"] for each in record["cases"]] == [3]
    assert record["cases_left"] == []
    assert record["consequences"] is True
    assert record["topics"]["tem"] == 0
    cut_short = replace(searched[0].differences, complete=False, left=("3x2, board",))
    searched[0] = replace(searched[0], differences=cut_short)
    assert "Incomplete: stopped after" in run("b23", "b23-B23.3-3", *options).stdout


def test_known_answers_and_near_topics_come_first() -> None:
    def difference(topic: str, way: str) -> diff.Difference:
        cites = (diff.NO_CITATIONS, diff.NO_CITATIONS)
        return diff.Difference(topic, way, "", None, ("", ""), cites)

    told = [("drm(shot)", "another"), ("tem", "known"), ("tem", "another"), ("hindrance", "more")]
    found = best_first({"tem": 0, "drm": 1, "s": 2}, [difference(*each) for each in told])
    assert [(each.topic, each.way) for each in found] == [told[i] for i in (2, 1, 0, 3)]


@slow
@pytest.mark.parametrize("without", part(["B23.3-3", "PB6.3-3", "B23.71-12", "A4.1-3"], 1))
def test_boards_that_no_changed_rule_can_apply_to_do_not_turn(
    without: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = parse_rule_sets("b23", f"b23-{without}")
    files = random.Random(without).sample(case_files(), tries(8))
    found = list(changed_expectations(*both, files))
    monkeypatch.setattr(diff, "can_apply", lambda *_: True)
    assert list(changed_expectations(*both, files)) == found
