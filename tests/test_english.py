"""Plain English: no text is harder to read than its limit, and none shares a run with the printed rules."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from rules_asp.knowledge.lint.norms import hard_patterns, sentences, summary_faults
from rules_asp.knowledge.reader import finished_norm
from rules_asp.knowledge.rules import Norm
from tests import english


def test_no_text_is_harder_than_its_limit() -> None:
    assert list(english.too_much(english.measured())) == []


def test_every_limit_is_of_a_text() -> None:
    assert set(english.limits()) <= set(english.texts())


def test_runs_shared_with_the_printed_rules_are_looked_for_where_these_are(tmp_path: Path) -> None:
    assert english.printed_runs(tmp_path / "none") is None
    norm = next(each for each in english._norms() if len(each.sense.split()) > english.RUN)
    (tmp_path / "some.txt").write_text(f"1.1 {norm.sense.upper()}", "utf-8")
    found = english.measured(tmp_path)
    assert found[english._group(norm)].shared


def test_no_run_is_shared_with_the_printed_rules() -> None:
    if english.printed_runs(english.SEEDS) is None:
        pytest.skip(f"the printed rules are not beside the checkout: {english.SEEDS}")
    # The limits hold how many are left.
    assert not [each for each in english.too_much(english.measured()) if "shared" in each]


def test_limits_only_fall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(english, "LIMITS", tmp_path / "limits.tsv")
    english.LIMITS.write_text("source\thard\tlong\tfaulty\tshared\nhelp\t20\t3\t0\t0\n", "utf-8")
    for hard, long in ((30, 1), (15, 2), (4, 5)):
        english.lower({"help": english.Measured(hard, long, 0, None)})
    assert english.limits() == {"help": english.Measured(10, 1, 0, 0)}
    assert list(english.too_much({"help": english.Measured(11, 1, 0, 0)})) == [
        "help: hard 11, at most 10"
    ]


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("Of an extreme value it is told where patience was too short.", "tell"),
        ("What is told last is the answer.", "clause as subject"),
        ("Of two boards that with fewer hexes is the smaller.", "preposition in front"),
        ("Lines of which neither suffices.", "of which"),
        ("It is reported, and so is the reason.", "so does"),
        ("The answer hangs on the phase.", "idiom"),
        ("X is no hex.", "is no"),
        ("Into a building one sees only from outside.", "one, who"),
        ("The map shows all of it.", "pronoun"),
    ],
)
def test_hard_patterns(text: str, pattern: str) -> None:
    assert pattern in hard_patterns(text)


def test_plain_sentences() -> None:
    text = "If the hex is rubble, the unit pays 1 MF. It is no longer a building (see B24.1)."
    text += " There is no stairwell in C3."
    assert len(sentences(text)) == 3
    assert not hard_patterns(text)


@pytest.mark.parametrize("page", sorted(english.pages()), ids=lambda page: page.name)
def test_no_number_at_the_start_of_a_line_reads_as_a_list_item(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S)
    numbers = [0, *map(int, re.findall(r"^(\d+)[.)] ", text, re.M))]
    for before, number in pairwise(numbers):
        assert number in (1, before + 1), f"the line begins with {number}"


_SUMMARY = Norm("X1.1-1", "A unit pays 1 MF.", "x1/x.lp", 1)


@pytest.mark.parametrize(
    ("sense", "fault"),
    [
        ("", "has no text"),
        ("So it does on a rooftop.", 'begins with "So"'),
        ("stone has +3.", 'begins with "stone"'),
        ("A unit pays 1 MF", "ends without a period"),
        ("For Mopping Up too.", "without a verb"),
        (f"A unit pays {'very ' * 24}much.", "a sentence of 28 words"),
        (f"A unit pays. {'It pays 1 MF. ' * 7}".strip(), "has 31 words"),
        ("A rooftop is no building level.", "hard pattern (is no)"),
    ],
)
def test_faulty_summaries(sense: str, fault: str) -> None:
    assert any(fault in each for each in summary_faults(replace(_SUMMARY, sense=sense)))


def test_a_ruling_also_has_room_for_its_reason() -> None:
    sense = f"A unit pays. {'It pays 1 MF. ' * 7}".strip()
    assert list(summary_faults(replace(_SUMMARY, id="R-X1", sense=sense))) == []


@pytest.mark.parametrize(
    ("tag", "other", "left_open"),
    [
        ("A unit pays.", "", ""),
        ("A unit pays.  Or: it does not.", "it does not.", ""),
        ("A unit pays.  Open: a bar in rubble.", "", "a bar in rubble."),
        ("A unit pays.  Open: a bar.  Or: it does not.", "it does not.", "a bar."),
        (
            "A unit pays.  Open: a bar.  Or: it does not.  Open: a door.",
            "it does not.",
            "a bar. a door.",
        ),
    ],
)
def test_the_fields_of_a_tag(tag: str, other: str, left_open: str) -> None:
    norm = finished_norm(replace(_SUMMARY, sense=tag))
    assert (norm.sense, norm.other_reading, norm.open_points) == ("A unit pays.", other, left_open)


def test_a_field_begins_with_its_whole_word() -> None:
    sense = "Fire at Open Ground: a unit fires. Either Or: is a word."
    assert finished_norm(replace(_SUMMARY, sense=sense.replace("Or:", "XOr:"))).other_reading == ""
