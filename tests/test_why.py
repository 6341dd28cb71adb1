"""`why` and why not: whole proofs, short proofs, and missing conditions of norms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import clingo
import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.explain.justification import (
    SHORT_LENGTH,
    JustificationNode,
    Relation,
    abridge,
    justification,
)
from rules_asp.explain.proof import StepOrigin, merged_steps
from rules_asp.game.board import Expect
from rules_asp.game.query import Query
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import vocabulary
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position
from rules_asp.positions.scope import Verdict
from rules_asp.queries.why import Why, why
from tests.positions import program
from tests.sampling import slow, some
from tests.test_cases import CASES

SHOT = "tem(shot(B4, D3/1, direct, still)) = V"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def asked(path: Path, most: int) -> Iterator[tuple[Position, Why]]:
    """The reasons of the questions of a case."""
    here = load(path, program())
    expects = [each for each in here.board.statements if isinstance(each, Expect)]
    queries = [each.question for each in expects if isinstance(each.question, Query)]
    for query in some(queries, most):
        try:
            yield here, why(here, query)
        except QuestionError:
            continue


def told(answer: Why) -> tuple[JustificationNode, ...]:
    return justification(answer.proofs, program().norms, Notation(vocabulary()))


def lines(points: tuple[JustificationNode, ...]) -> Iterator[JustificationNode]:
    for each in points:
        yield from each.walk()


# --- laws


@pytest.mark.parametrize("path", some(CASES, 8), ids=lambda path: path.stem)
def test_accounts_are_whole_and_short_ones_cuts_of_them(path: Path) -> None:
    """What is told again was told before, with its reasons; what is cut is said to be."""
    for _, answer in asked(path, 4):
        points = told(answer)
        before: set[tuple[str, str | None]] = set()
        for each in lines(points):
            if each.again:
                assert (each.claim, each.norm) in before
            elif each.because:
                before.add((each.claim, each.norm))
        all_ = [(each.id, each.claim) for each in lines(points)]
        short = abridge(points)
        kept = [(each.id, each.claim) for each in lines(short)]
        assert set(kept) <= set(all_)
        assert len(kept) <= max(len(points), SHORT_LENGTH + 3 * 4)
        assert not any(each.again for each in lines(short))
        cut = any(each.cut for each in lines(short))
        left = set(all_) - set(kept)
        loud = [e for e in lines(points) if (e.id, e.claim) in left and not e.again]
        assert cut or all(each.tie is Relation.ABSENT or not each.norm for each in loud) or not left


@pytest.mark.parametrize("path", some(CASES, 8), ids=lambda path: path.stem)
def test_every_leaf_is_a_fact_a_measured_line_or_supposed(path: Path) -> None:
    for here, answer in asked(path, 4):
        facts = {*here.board_facts.symbols, *here.left_open}
        for step in merged_steps(answer.proofs):
            if step.origin is StepOrigin.BOARD and not step.atom.startswith(("norm(", "ranked(")):
                assert clingo.parse_term(step.atom) in facts, step.atom
            assert (step.origin is StepOrigin.RULE) == (step.at is not None)
            assert step.origin is StepOrigin.RULE or not step.below


@pytest.mark.parametrize("path", some(CASES, 12), ids=lambda path: path.stem)
def test_what_nothing_makes_so_lacks_something_of_each_norm_that_could(path: Path) -> None:
    for _, answer in asked(path, 6):
        if answer.lacking:
            assert answer.asked.word in (Verdict.NOT_SO, Verdict.YES)
            assert answer.asked.holds or not answer.proofs
            assert {each.norm for each in answer.lacking} <= {*answer.asked.could, None}
            assert all(each.condition for each in answer.lacking)


# --- what a proof has


@pytest.fixture(scope="module")
def assault() -> Position:
    return api.load("assault", program())


def test_the_best_of_several_offers_is_reported_with_those_that_it_beat(assault: Position) -> None:
    points = list(lines(told(why(assault, api.parse_query(SHOT)))))
    best = next(each for each in points if each.norm == "B23.31-1")
    assert best.claim.endswith("= 3")
    less = {each.norm: each.claim[-1] for each in best.because if each.tie is Relation.OUTBID}
    assert less == {"GR.11-1": "0", "B10.31-1": "1"}


def test_a_sum_is_reported_by_its_parts(assault: Position) -> None:
    query = api.parse_query("drm(shot(D3/1, C4, direct, moving)) = V")
    (top,) = told(why(assault, query))
    assert top.claim.endswith("= -2")
    parts = [each.claim.split()[0] for each in top.because if each.tie is Relation.VALUE]
    assert sorted(parts) == ["+0", "-1", "-1"]


@pytest.mark.parametrize(
    ("board", "query", "text"),
    [
        ("factory", "height(D4) = V", "B23.23-2 is overridden by B23.74-3, an exception to it"),
        (
            "marketplace",
            "height(D4) = V",
            "B23.23-2 is overridden by B23.732-7, by our ruling R-T01",
        ),
        (
            "marketplace",
            "sees(B3 - F5)",
            "B23.2-6 is overridden at D4 by B23.73-2, which suspends it",
        ),
        (
            "factory",
            "sees(C3 - C5)",
            "B23.2-6 is overridden by B23.741-1, which makes the line clear",
        ),
        (
            "assault",
            'legal(step(move, "G", E4, E3, enter))',
            "A4.1-3 is overridden by B23.71-12, to which it gives way",
        ),
    ],
)
def test_what_is_beaten_is_reported_with_how(board: str, query: str, text: str) -> None:
    assert text in " ".join(run("why", board, query, "--full").replace("│", " ").split())


def test_what_is_assumed_or_read_so_is_marked() -> None:
    shown = " ".join(run("why", "assault", SHOT, "--full").replace("│", " ").split())
    assert "General rules (assumed): GR.11" in shown
    assert "(assumed)" not in shown.partition("Rules: ")[0]
    ban = " ".join(run("why", "assault", 'legal(step(move, "G", E4, E3, enter))').split())
    assert "Our interpretations: B23.71" in ban


def test_a_usual_answer_is_reported_in_about_a_dozen_lines() -> None:
    short = run("why", "assault", SHOT).splitlines()
    assert len(short) <= 20
    assert "--full" in run("why", "assault", SHOT)
    full = run("why", "assault", SHOT, "--full")
    assert len(full.splitlines()) > len(short)
    assert "..." not in full
    assert "shown above" not in "\n".join(short)


def test_the_source_of_each_rule_can_be_told() -> None:
    shown = run("why", "church", "height(C3) = V", "--source")
    here = api.load("church", program())
    norm = here.program.norms["B23.23-2"]
    place = next(each for each in shown.split() if each.startswith(f"kb/{norm.file}:"))
    assert int(place.partition(":")[2]) > norm.line


COMMANDS = [
    ("los", "church", "C3/2", "D2/2"),
    ("tem", "assault", "B4", "D3/1"),
    ("fire", "assault", "D3/1", "C4", "--moving"),
    ("fire", "assault", "F4", "B4"),
    ("firers", "assault", "C4", "--moving"),
    ("targets", "assault", "E"),
    ("rout", "assault", "E", "--if", "unit E squad 4-4-7 russian at D3/1: broken"),
    ("can", "assault", "G move to E3 by entering"),
    ("can", "assault", "A move to C3/1"),
    ("can", "assault", "A move to D3/1"),
    ("ask", "church", "height(C3) = V"),
    ("moves", "church", "A", "--phase", "aph", "--if", "unit A squad 4-6-7 german at A1"),
    ("reach", "church", "A", "--phase", "aph", "--if", "unit A squad 4-6-7 german at A1"),
]


@slow
@pytest.mark.parametrize(
    "command",
    some(COMMANDS, 3),
    ids=lambda command: " ".join(command),
)
def test_each_command_that_answers_tells_why(command: tuple[str, ...]) -> None:
    plain, reasons = run(*command), run(*command, "--why")
    assert len(reasons) > len(plain)
    assert "─ " in reasons
    record = json.loads(run(*command, "--why", "--json"))
    ids = {step["id"] for step in record["steps"]}
    assert record["goals"]
    assert set(record["goals"]) <= ids
    assert {each["id"] for each in record["proof"]} <= ids
    assert "steps" not in json.loads(run(*command, "--json"))


def test_a_step_has_one_name_in_all_proofs() -> None:
    one, other = (
        {
            step["atom"]: step["id"]
            for step in json.loads(run("why", "church", query, "--json"))["steps"]
        }
        for query in ("height(C3) = V", "sees(C3/2 - D2/2)")
    )
    both = one.keys() & other.keys()
    assert both
    assert all(one[atom] == other[atom] for atom in both)


# --- why not


@pytest.mark.parametrize(
    ("board", "query", "norm", "lacks"),
    [
        ("church", "factory(C3)", "B23.74-1", "the board does not say: factory HEX"),
        ("church", "part_of_factory(C3)", "B23.74-1", "factory(C3) is not so"),
        ("church", "rowhouse(C3)", "B23.71-1", "not on this board: a thick black bar"),
        ("church", "marketplace(D2)", "B23.73-1", "not on this board (D2): white dashed lines"),
        ("stairwell", "access_point(C3)", "B23.87-4", "access point C3"),
        ("church", "stairwell(A1) = V", "B23.22-4", "nothing makes btype(A1) two_story"),
    ],
)
def test_a_norm_that_could_make_it_so_lacks_something(
    board: str, query: str, norm: str, lacks: str
) -> None:
    here = api.load(board, program())
    found = {each.norm: each.condition for each in api.why(here, query).lacking}
    assert lacks in found[norm]
    assert f"{norm} " in run("why", board, query)


def test_what_is_lacking_makes_it_so() -> None:
    here = api.load("church", program())
    assert not api.ask(here, "factory(C3)").holds
    assert api.ask(here.with_("factory C3"), "factory(C3)").holds


def test_of_what_the_board_may_say_the_line_is_reported() -> None:
    assert "the board does not say: fortified hidden: C3/1" in run(
        "why", "church", "fortified(C3/1, hidden)"
    )


def test_another_value_is_reported_with_why_it_is_that() -> None:
    shown = run("why", "church", "height(C3) = 1")
    assert "it is 2 1/2" in shown
    assert "B23.23-2" in shown


def test_of_what_is_unknown_it_is_reported_what_leaves_it_so(tmp_path: Path) -> None:
    """The TEM hangs on the cover, and that on who has Wall Advantage: both are told."""
    board = tmp_path / "across.board"
    units = "unit A squad 4-6-7 german at C3\nunit B squad 4-4-7 russian at C2\n"
    board.write_text(f'board "across" grid 5x7\nwall: C2-C3\nsides german russian\n{units}')
    shown = run("why", str(board), "tem(shot(C2, C3, direct, still)) = V")
    assert "the board does not say who has Wall Advantage over C2-C3" in shown
    assert "B9.3" in shown


def test_a_condition_that_names_several_things_is_reported_as_not_stated() -> None:
    """Whatever is of a size from 1 to 2 is heavy: that a unit is of neither is not one line of a board."""
    (board,) = (each for each in CASES if each.stem == "b23_85_mortars")
    told = run("why", str(board), 'violates("B23.85-1", _, _)')
    assert "Rules that could" in told


def test_a_condition_is_looked_at_before_that_which_guards_it() -> None:
    """The floors of stairs are names: what is calculated of a floor has a number as its guard."""
    (board,) = (each for each in CASES if each.stem == "b23_87_landings_los")
    told = run("why", str(board), "connected(H2/stairs1, H3/stairs1)")
    assert "Rules that could" in told


#: B23.71-12 leaves open how a bar beside rubble is passed.
PASSING = next(str(each) for each in CASES if each.stem == "b23_71_passing")
OPEN = "B23.71-12  a bar with rubble in one of its hexes."


@pytest.mark.parametrize("hex_", ["E6", "F3"])
def test_what_a_text_leaves_open_is_shown_where_the_answer_is_unknown_by_it(hex_: str) -> None:
    """From F2 to F3 the bar is beside rubble; from E5 to E6 the same norm just forbids the step."""
    step = f'step(move, "A", {"F2" if hex_ == "F3" else "E5"}, {hex_}, enter)'
    assert run("can", PASSING, step).count(OPEN) == (hex_ == "F3")
    record = json.loads(run("can", PASSING, step, "--json"))
    opened = {"norm": "B23.71-12", "open": "a bar with rubble in one of its hexes."}
    assert opened in record["open"]
    assert (opened in record.get("unknown", {}).get("open", [])) == (hex_ == "F3")


def test_why_always_shows_what_the_texts_leave_open() -> None:
    for step in ('step(move, "A", E5, E6, enter)', 'step(move, "A", F2, F3, enter)'):
        assert run("why", PASSING, f"legal({step})").count(OPEN) == 1


@pytest.mark.parametrize(
    ("query", "norm", "lacks"),
    [
        ("rowhouse(C3) = no", "B23.71-1", "a thick black bar"),
        ("not rowhouse(C3)", "B23.71-1", "a thick black bar"),
        ("building_hex(H), not rowhouse(H)", "B23.71-1", "a thick black bar"),
        ("building_hex(C3), factory(C3)", "B23.74-1", "factory HEX"),
        ("not rubble(C3, stone)", None, "rubble stone: C3"),
    ],
)
def test_what_no_rule_says_names_the_rules_that_could(
    query: str, norm: str | None, lacks: str
) -> None:
    here = api.load("church", program())
    told = api.why(here, query)
    found = next(each for each in told.lacking if each.norm == norm)
    assert lacks in found.condition
    answer = api.ask(here, query)
    assert answer.could == told.asked.could == ((norm,) if norm else ())


@pytest.mark.parametrize(
    ("query", "cites"),
    [
        # What `not` denies is another value, here of each solution.
        ("building_hex(H), not height(H) = 3", {"B23.1", "B23.22", "B23.23"}),
        ("not building_hex(C3)", {"B23.1"}),
    ],
)
def test_what_not_denies_is_proved(query: str, cites: set[str]) -> None:
    here = api.load("church", program())
    told = api.why(here, query)
    assert cites <= set(told.asked.cites)
    assert not told.lacking
    assert cites <= set(api.ask(here, query).cites)
