"""The reports of the lab: their words, and the progress of unfinished searches."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from rules_asp.cli.app import main
from rules_asp.game.vocabulary import vocabulary
from rules_asp.knowledge.catalogue import NO_CITATIONS, Citations
from rules_asp.lab import audits, result_json, result_text
from rules_asp.lab.audits import ConflictFinding, DeadNorms, NormActivity
from rules_asp.lab.diff import Difference, RuleDiff, find_changed_expectations
from rules_asp.lab.generator import SearchBounds
from rules_asp.lab.goals import goal_text
from rules_asp.lab.interactions import Interaction, interaction_of
from rules_asp.lab.precedence import Rank
from rules_asp.lab.report import SearchReport
from rules_asp.lab.result_text import indented
from rules_asp.lab.rulesets import RuleSet, kinds_named, parse_rule_set
from rules_asp.lab.search import Search
from rules_asp.lab.unsat_core import UnsatCore
from rules_asp.lab.witness import InputRange, SiteOutcome
from rules_asp.positions.locations import QuestionError
from rules_asp.runtime.limits import Deadline, OutOfTime
from tests.labs import search, the_lab
from tests.positions import program
from tests.sampling import slow, some

CASES = Path(__file__).parent / "cases"


def told(*lines: Any) -> str:
    """What a function prints on a console, given what it tells."""
    out = Console(file=io.StringIO(), width=200, highlight=False, markup=False)
    lines[0](out, *lines[1:])
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        (
            "differs(step(move,bypass),known)",
            "step (move, bypass): only one rule set gives an answer",
        ),
        ("differs(s,more)", "sight: only the first rule set says yes"),
        ("differs(s,less)", "sight: only the second rule set says yes"),
        ("differs(height,another)", "height: the rule sets give different values"),
        ('clash(height,"B23.1-1","B23.2-2")', "height: B23.1-1 against B23.2-2"),
        ('lifts(s,"B23.1-1","B23.2-2")', "sight: B23.1-1 lifts B23.2-2"),
        ('meet(refers(hex),"B23.1-1","B23.2-2")', "refers (hex): B23.1-1 and B23.2-2"),
        ("gap(height)", "height"),
        ('silent(mf,"B23.4-4",no_norm)', "mf: left open by B23.4-4 (no rule in force decides it)"),
        ("unreachable(3,multi_story)", "3 of multi_story"),
        ('alone("B23.1-1")', "B23.1-1: whether it says what no other says"),
        ("2x1, shot(direct)", "2x1, shot(direct)"),
    ],
)
def test_what_was_looked_for_is_reported_in_words(goal: str, said: str) -> None:
    assert goal_text(goal) == said


def difference(
    one: Citations, other: Citations, *changed: str, single: tuple[str, ...] = ()
) -> Difference:
    return Difference(
        "s", "more", "2x1, sight", None, ("yes", "no"), (one, other), None, changed, single
    )


def compared(*found: Difference, same: tuple[str, ...] = (), **more: Any) -> RuleDiff:
    report = SearchReport(
        SearchBounds(sections=("b23", "pb6")), found, more.pop("complete", True), (), 1.0, **more
    )
    sides = ((("b23", "pb6"), ()), (("b23", "brt7"), ("R-T03",)))
    return RuleDiff(("pb6", "brt7"), sides, report, same, (("step(move,bypass)",), ()))


def test_two_sets_of_rules_are_reported_apart_by_their_norms_and_sections() -> None:
    same = Citations(("B23.23",), ("B23.23-2",))
    own = Citations(("PB6.1", "B23.1"), ("B23.1-4", "PB6.1-1"))
    rows = (
        difference(same, same, "B23.23-2"),
        difference(own, NO_CITATIONS, single=("PB6.1-1",)),
        difference(same, same),
    )
    text = told(result_text.compared, compared(*rows))
    assert "B23.23-2 (changed)" in text
    assert "pb6: PB6.1-1, B23.1-4" in text
    assert "both: B23.23-2" in text
    assert "no rule of B23 PB6 (pb6) and B23 BRT7 without R-T03 (brt7)." in text
    assert "Only pb6 answers: step (move, bypass)" in text
    assert re.search(r"^sight ", text, re.MULTILINE)
    assert "the same /" not in text


def test_of_what_is_left_two_sets_of_rules_are_not_told_to_be_alike() -> None:
    text = told(result_text.compared, compared(same=("s",), complete=False, left=("2x1, sight",)))
    assert "Only pb6 answers on the boards searched so far: " in text
    assert "No difference found so far: sight" in text
    text = told(result_text.compared, compared(same=("s",)))
    assert "The same on every board: sight" in text
    assert "Both give the same answers to all questions, within" in text
    once = told(result_text.compared, replace(compared(same=("s",)), once=("may_end(move)",)))
    assert "the same answers to what both are asked" in once
    assert "only for things that one side has, such as a Location: may_end (move)" in once
    text = told(result_text.compared, compared(unconfirmed=("differs(s,more)",)))
    assert "Unknown whether both give the same answers" in text
    assert "Both give the same answers to" not in text


def test_a_norm_that_does_something_is_reported_as_it_is_found() -> None:
    assert result_json.finding_record(NormActivity("B23.1-1", "fires")) == {
        "norm": "B23.1-1",
        "does": "fires",
    }
    assert told(result_text.finding_text, NormActivity("B23.1-1", "fires"), {}) == "B23.1-1 fires\n"


@slow
def test_what_boards_may_state_is_reported_below_the_greatest() -> None:
    asked = ["lab", "find", "smoke(X, N)", "--greatest", "N", "--grid", "2x1", "--jobs", "1"]
    result = CliRunner().invoke(main, asked)
    below = result.output.partition("expect")[2]
    assert re.search(r"only these numbers: ([^.]*; )?smoke 2[;.]", below)
    as_json = json.loads(CliRunner().invoke(main, [*asked, "--json"]).output)
    (told_,) = (each for each in as_json["lets"] if each["name"] == "smoke")
    assert told_["values"] == ["2"]


@slow
def test_what_boards_may_state_is_reported_where_no_board_is_found() -> None:
    asked = ["lab", "find", "smoke(A1, N), N > 2", "--grid", "2x1", "--jobs", "1"]
    output = CliRunner().invoke(main, asked).output
    assert "Not found: no board makes the claim true" in output
    assert re.search(r"only these numbers: ([^.]*; )?smoke 2[;.]", output)


@slow
@pytest.mark.parametrize("claim", ["smoke(A1, 3)", "base(A1, 2)", "month(2)", "turn(9)"])
def test_a_number_that_a_claim_names_may_be_stated(claim: str) -> None:
    asked = ["lab", "find", claim, "--grid", "2x1", "--jobs", "1"]
    assert f"expect holds {claim}" in CliRunner().invoke(main, asked).output


@slow
def test_a_step_from_where_the_unit_is_not_is_reported() -> None:
    asked = 'legal(step(move, "A", A1, B1, enter)), at("A", {})'
    within = ["--grid", "2x1", "--units", "1"]
    told_ = {
        at: CliRunner().invoke(main, ["lab", "find", asked.format(at), *within]).output
        for at in ("B1", "A1")
    }
    assert "A is at B1, but its step begins at A1." in told_["B1"]
    assert "its step begins" not in told_["A1"]


def test_kinds_of_questions_are_named() -> None:
    assert kinds_named("sight") == [("s", 2)]
    assert kinds_named("tem") == [("tem", 1)]
    assert kinds_named("step") == [("step", 5)]
    with pytest.raises(
        QuestionError, match="there is no kind of question hight; did you mean height"
    ):
        kinds_named("hight")


def _shapes() -> dict[str, set[str]]:
    """The words that rules_asp/lab/result_json.py documents of each command's JSON, `` of all of
    them.
    """
    rows = re.split(r"\n    (?=\S)", (result_json.__doc__ or "").partition("board is the")[0])
    return {word: set(re.findall("[a-z_]+", row)) for row in rows for word in _heads(row)}


def _heads(row: str) -> list[str]:
    head = re.match(r"([a-z, ]+?)(?:  |, as )", row)
    return re.findall("[a-z]+", head[1]) if head else [""]


def _keys(record: Any) -> set[str]:
    if isinstance(record, list):
        return set().union(*map(_keys, record))
    if not isinstance(record, dict):
        return set()
    inner = (_keys(each) for name, each in record.items() if name != "most")
    return set(record).union(*inner)


@pytest.mark.parametrize(
    ("command", "of"),
    [
        ("conflicts", ConflictFinding("tem(shot)", "B23.1-1", "B23.1-2", "2x1", None, ("R-T03",))),
        ("gaps", audits.Gap("height", None, None, "2x1", None)),
        (
            "meet",
            Interaction(
                "beats",
                "height",
                "B23.1-1",
                "B23.1-2",
                "2x1",
                because=(Rank("B23.1-1", "B23.1-2", "overrides", "B23.1-1"),),
            ),
        ),
        ("diff", replace(difference(NO_CITATIONS, NO_CITATIONS), doubt="a doubt")),
        ("dead", NormActivity("B23.1-1", "fires")),
    ],
)
def test_what_is_found_has_a_documented_shape(command: str, of: object) -> None:
    keys = _keys(result_json.finding_record(of))
    assert keys
    assert keys <= _shapes()[command]


def test_what_a_search_tells_has_a_documented_shape() -> None:
    shapes = _shapes()
    told_ = result_json.record(
        SearchReport(
            SearchBounds(most={"building": 2}),
            (),
            True,
            (),
            1.0,
            excluded=UnsatCore("2x1", (), (), (), 1.0),
            lets=(InputRange("smoke", "SMOKE", ("2",)),),
            never=("units in Bypass",),
        )
    )
    assert set(told_) <= shapes[""]
    assert _keys(told_["bounds"]) <= shapes["bounds"]
    assert _keys(told_) <= shapes[""] | shapes["bounds"]
    dead = result_json.dead_record(DeadNorms(SearchBounds(), 1, (), (), (), True, 1.0))
    assert _keys(dead) <= shapes["dead"] | shapes["bounds"]
    beside = result_json.diff_record(compared(difference(NO_CITATIONS, NO_CITATIONS)))
    assert _keys(beside) <= shapes["diff"] | shapes["bounds"] | shapes[""]
    result = CliRunner().invoke(main, ["lab", "precedence", "B23.74-3", "--json"])
    assert _keys(json.loads(result.output)) <= shapes["chains"] | shapes["meet"] | {
        "schema",
        "command",
    }


@slow
def test_what_a_claim_finds_has_a_documented_shape() -> None:
    asked = [
        "lab",
        "find",
        "at least 2 H: rubble(H, stone)",
        "--grid",
        "2x1",
        "--jobs",
        "1",
        "--json",
    ]
    greatest = ["lab", "find", "smoke(X, N)", "--greatest", "N", *asked[3:]]
    for each in (asked, greatest):
        (found, *_) = json.loads(CliRunner().invoke(main, each).output)["found"]
        assert _keys(found) <= _shapes()["find"]


#: Each command that searches.
SEARCHES = {
    "conflicts": [],
    "review": [],
    "dead": [],
    "gaps": [],
    "unreachable": [],
    "meet": ["B23.74-3", "B23.23-2"],
    "interactions": [],
    "diff": ["b23", "b23-R-T03"],
    "find": ["sees(X - Y), in_building(X)"],
    "always": ["in_building(X) => not sees(X - Y)"],
}


@pytest.mark.parametrize("error", some([OutOfTime, KeyboardInterrupt], 1))
@pytest.mark.parametrize("command", some(list(SEARCHES), 3))
def test_what_is_cut_short_says_so_first_and_by_its_exit_code(
    command: str, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_short(self: Search, *_: object, **__: object) -> Iterator[SiteOutcome]:
        yield SiteOutcome(self.spots(self.bounds.grids[0])[0])
        raise error

    monkeypatch.setattr(Search, "outcomes", cut_short)
    result = CliRunner().invoke(main, ["lab", command, *SEARCHES[command]])
    assert result.exit_code == {OutOfTime: 3, KeyboardInterrupt: 130}[error], result.output
    assert result.output.startswith("Incomplete: ")
    assert "searches done. Continue with --resume." in " ".join(result.output.split())
    listed = CliRunner().invoke(main, ["lab", command, *SEARCHES[command], "--all"]).output
    assert "  done: " in listed
    assert "  left: " in listed


def test_something_found_does_not_settle_what_is_left() -> None:
    for report in (
        SearchReport(SearchBounds(), ("a clash",), False, (), 1.0),
        SearchReport(SearchBounds(), ("a clash",), True, ("differs(s,more)",), 1.0),
        SearchReport(SearchBounds(), ("a clash",), True, (), 1.0, unconfirmed=("differs(s,more)",)),
    ):
        assert report.known
        assert not report.whole


def test_cases_that_there_is_no_time_for_are_reported() -> None:
    side: RuleSet = parse_rule_set("b23")
    asked = find_changed_expectations(side, side, [CASES], Deadline(0.0))
    assert asked.found == ()
    assert len(asked.left) == len(list(CASES.glob("*.board")))
    assert "Incomplete: " in told(result_text.cases, ("b23", "b23"), asked)


def test_the_chains_of_a_paragraph_are_those_of_its_norms() -> None:
    def chains_of(*named: str) -> set[str]:
        told = CliRunner().invoke(main, ["lab", "precedence", *named, "--json"])
        assert told.exit_code == 0, told.output
        return {json.dumps(each, sort_keys=True) for each in json.loads(told.output)["chains"]}

    ids = [norm.id for norm in program().norms.values() if norm.paragraph == "B23.921"]
    assert len(ids) > 1
    assert chains_of("B23.921") == chains_of(*ids) != set()


def test_the_chains_of_a_kind_of_question_are_those_of_all_sections() -> None:
    def rows_of(*named: str) -> list[list[str]]:
        told = CliRunner().invoke(main, ["lab", "precedence", *named, "--json"])
        assert told.exit_code == 0, told.output
        found = json.loads(told.output)["chains"]
        return [row for each in found if each["topic"] == "tem_at" for row in each["rows"]]

    every = rows_of(*vocabulary().words["section"])
    assert rows_of("tem_at") == every
    assert rows_of("tem_at", "height") == every
    assert ["PB6.3-2", "B23.3-1"] in every
    told = CliRunner().invoke(main, ["lab", "precedence", "tem_a"])
    assert told.exit_code == 2
    assert "did you mean tem_at?" in told.output


@slow
def test_what_no_norm_answers_stands_below_the_board_that_raises_it() -> None:
    found = audits.gaps(search(the_lab(), "place", "clearing", "fortify"))
    text = told(result_text.report, "gaps", found)
    boards = Counter(each.shown.witness.plain for each in found.found if each.shown)
    assert 2 < len(boards) < len(found.found)
    for each in found.found:
        assert each.shown is not None
        assert str(each.shown.witness.query) in text
    for board in boards:
        assert indented(board).plain in text
    assert text.count('board "witness"') == len(boards)


@slow
def test_one_thing_is_not_told_as_several() -> None:
    found = interaction_of(search(the_lab(), "weapon"), ["B23.423-5"], ["B23.423-7"])
    assert told(result_text.report, "meet", found).startswith("1 way to meet\n")
