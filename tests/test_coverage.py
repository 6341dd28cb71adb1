"""Coverage: a case tests each norm with logic rules, and the report lists the untested norms."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner

from rules_asp.cases.coverage import CoverageError, case_files, coverage, default_cases
from rules_asp.cli.app import main
from rules_asp.cli.common import CommandError
from rules_asp.cli.rule_commands import coverage_progress
from rules_asp.knowledge import reader
from rules_asp.knowledge.lint.base import kb_view
from rules_asp.knowledge.program import build, without_norm, without_norm_rules
from rules_asp.knowledge.rules import KnowledgeBase
from tests.sampling import slow, some

CASES = Path(__file__).parent / "cases"


@pytest.fixture(scope="module")
def shipped() -> KnowledgeBase:
    return reader.read_kb()


@slow
def test_every_norm_is_held_in_place_by_a_case(shipped: KnowledgeBase) -> None:
    norms = some([norm.id for norm in shipped.norms], 1)
    found = coverage(shipped, CASES, strict=True, only=norms)
    assert found.unexercised == ()
    assert found.cases == len(list(CASES.glob("*.board")))


def test_every_section_is_whole(shipped: KnowledgeBase) -> None:
    words, sections = kb_view(shipped).words, coverage(shipped).sections
    assert set(words.printed) == {"B23", "PB4", "PB6", "BRT7", "ABTF3"}
    assert words.descriptive_in
    for section, norms in words.printed.items():
        counted = sections[section]
        assert counted.encoded + counted.descriptive == counted.norms == norms
        assert counted.descriptive <= norms // words.descriptive_in


def test_counting_alone_asks_no_case(shipped: KnowledgeBase) -> None:
    for section in coverage(shipped, Path("nowhere")).sections.values():
        assert section.exercised is None
        assert section.unexercised == ()


def small_case(folder: Path, expect: str = "expect height(A1) = 1") -> Path:
    path = folder / "b23_21_house.board"
    path.write_text(f'board "house" grid 3x3\nbuilding brown: A1\n{expect}\n', encoding="utf-8")
    return path


def held(kb: KnowledgeBase, norms: tuple[str, ...], cases: Path | list[Path]) -> tuple[str, ...]:
    """The unexercised among these norms."""
    return coverage(kb, cases, strict=True, only=norms).unexercised


def plus(kb: KnowledgeBase, text: str) -> KnowledgeBase:
    """The knowledge base with some rules more."""
    rules, norms = reader.read_rules(text, "b23/more.lp")
    return KnowledgeBase((*kb.rules, *rules), (*kb.norms, *norms))


VACUOUS = """
%@ B23.1-98  Another way to say what is said already.
says("B23.1-98", height(H), 2) :- is(btype(H),single_story).

%@ B23.1-99  A rule that never fires.
says("B23.1-99", height(H), 9) :- is(btype(H),single_story), is(btype(H),two_story).
"""


@slow
def test_what_no_case_holds_is_reported(shipped: KnowledgeBase, tmp_path: Path) -> None:
    more = plus(shipped, VACUOUS)
    case = small_case(tmp_path)
    norms = ("B23.21-1", "B23.1-99")
    assert held(more, norms, [case]) == ("B23.1-99",)
    # Two norms that say the same hold nothing, either of them.
    assert held(more, ("B23.21-2", "B23.1-98"), tmp_path) == ("B23.21-2", "B23.1-98")
    assert held(shipped, ("B23.21-2",), tmp_path) == ()


@slow
def test_a_norm_that_is_only_cited_is_held_by_the_cite(
    shipped: KnowledgeBase, tmp_path: Path
) -> None:
    instead = 'overrides("B23.1-98","B23.21-2").'
    more = plus(shipped, VACUOUS + instead)
    small_case(tmp_path)
    assert held(more, ("B23.1-98",), tmp_path) == ("B23.1-98",)
    plain = plus(shipped, VACUOUS.split("%@ B23.1-99")[0] + instead)
    small_case(tmp_path, 'expect holds defeated("B23.21-2", height(A1), "B23.1-98")')
    assert held(plain, ("B23.1-98",), tmp_path) == ()


@slow
def test_a_question_about_los_holds_norms_of_los(shipped: KnowledgeBase, tmp_path: Path) -> None:
    path = tmp_path / "b23_2_los.board"
    path.write_text(
        'board "house" grid 3x4\nbuilding brown: A2\nexpect los A1 - A3 blocked\n', encoding="utf-8"
    )
    norms = ("B23.2-6", "B23.2-7")
    assert held(shipped, norms, tmp_path) == ("B23.2-7",)


def test_what_a_norm_says_is_taken_out_and_what_it_defines_stays(shipped: KnowledgeBase) -> None:
    lesser = without_norm_rules(shipped, "B23.1-4")
    gone = {rule.text for rule in shipped.rules} - {rule.text for rule in lesser.rules}
    assert len(gone) == 1
    assert all("same_building" in text for text in gone)
    # A norm that only defines loses its definition.
    lesser = without_norm_rules(shipped, "B13.2-1")
    assert len(shipped.rules) == len(lesser.rules) + 1


def test_a_line_that_ranks_two_norms_still_ranks_the_other(shipped: KnowledgeBase) -> None:
    rank = 'overrides("B23.87-{}","B23.8-6").'
    prepared = build(shipped)
    texts = [
        {rule.text for rule in of.rules} for of in (prepared, without_norm(prepared, "B23.87-9"))
    ]
    assert [(rank.format(8) in each, rank.format(9) in each) for each in texts] == [
        (True, True),
        (True, False),
    ]


def test_a_case_that_fails_already_shows_nothing(shipped: KnowledgeBase, tmp_path: Path) -> None:
    small_case(tmp_path, "expect height(A1) = 2")
    with pytest.raises(
        CoverageError, match=r"b23_21_house.board:3: .*this test fails even with all rules"
    ):
        coverage(shipped, tmp_path, strict=True)


def test_no_case_is_an_error(shipped: KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(CoverageError, match="there are no test boards"):
        coverage(shipped, tmp_path, strict=True)


@slow
def test_progress_is_reported(shipped: KnowledgeBase, tmp_path: Path) -> None:
    small_case(tmp_path)
    told: list[tuple[int, int, str]] = []
    norms = ("B23.21-2", "B23.21-3")
    found = coverage(
        shipped, tmp_path, strict=True, only=norms, progress=lambda *each: told.append(each)
    )
    assert found.sections["B23"].exercised == 1
    assert found.unexercised == ("B23.21-3",)
    assert told == [(0, 2, "B23.21-2"), (1, 2, "B23.21-3")]


@slow
def test_a_strict_count_goes_on_where_it_was(shipped: KnowledgeBase, tmp_path: Path) -> None:
    case, path = tmp_path / "x.board", tmp_path / "tried.jsonl"
    case.write_text('board "x" grid 2x2\nbuilding gray: A1\nexpect height(A1) = 1\n', "utf-8")
    only = ("B23.21-1", "B23.22-1")

    def tried(again: bool) -> tuple[list[str], int | None]:
        asked: list[str] = []
        with ExitStack() as open_:
            known, keep = coverage_progress(open_, path, [case], again)
            found = coverage(
                shipped,
                [case],
                strict=True,
                only=only,
                progress=lambda _, __, norm: asked.append(norm),
                known=known,
                tried=keep,
            )
        return asked, found.sections["B23"].exercised

    everything = tried(False)
    assert everything[0] == list(only)
    whole = path.read_bytes()
    assert json.loads(whole.splitlines()[0])["key"]
    # The last row was broken off.
    path.write_bytes(whole[:-5])
    assert tried(True) == ([json.loads(whole.splitlines()[-1])["norm"]], everything[1])
    assert path.read_bytes() == whole
    assert tried(True) == ([], everything[1])
    case.write_text(case.read_text("utf-8").replace("A1", "B1"), "utf-8")
    with pytest.raises(CommandError, match="is of another board"):
        tried(True)
    assert path.read_bytes() == whole
    assert (
        "can be used only with --strict"
        in CliRunner().invoke(main, ["coverage", "-o", "y.jsonl"]).output
    )


def test_the_cases_of_a_checkout_are_the_default() -> None:
    assert default_cases() == CASES
    assert case_files() == tuple(sorted(CASES.glob("*.board")))
    assert case_files([CASES / "x.board"]) == (CASES / "x.board",)
