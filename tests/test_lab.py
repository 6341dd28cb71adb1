"""The lab: its findings agree with the ordinary commands and with the geometry."""

from __future__ import annotations

import io
import json
import random
import re
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import clingo
import pytest
from click.testing import CliRunner
from clingo import ast
from rich.console import Console

from rules_asp.cases.expectations import expectations
from rules_asp.cli.app import main
from rules_asp.game.board import (
    Area,
    Bar,
    Board,
    Building,
    Expect,
    Fact,
    HexsideTerrain,
    Level,
    Road,
)
from rules_asp.game.grid import Grid, Hex, Location, Spot, Vertex, hexside_between, term_sort_key
from rules_asp.game.query import DeedQuery, Query
from rules_asp.game.values import hexside_from_symbol
from rules_asp.game.vocabulary import vocabulary
from rules_asp.knowledge.program import build, without_norm_rules
from rules_asp.knowledge.reader import parse_statements, read_kb, read_rules
from rules_asp.knowledge.rules import Signature, signature_of_term
from rules_asp.knowledge.solver import EngineError, solve
from rules_asp.knowledge.terms import atoms_of, literal_from_ast
from rules_asp.lab import (
    audits,
    find,
    generator,
    interactions,
    refutation,
    result_json,
    result_text,
)
from rules_asp.lab import search as lab_search
from rules_asp.lab.audits import known_all, possible_among
from rules_asp.lab.consistency import Prover, norm_pairs
from rules_asp.lab.drawn_lines import SHORT
from rules_asp.lab.generator import (
    ALL_NORMS,
    GRIDS,
    OTHER,
    Event,
    EventPlace,
    Generator,
    SearchBounds,
    drawn,
    load_generator,
    places,
    rename_rules,
    rename_text,
)
from rules_asp.lab.goals import (
    GAP,
    SILENT,
    GoalRules,
    SearchGoal,
    effects,
    firing,
    given_at,
    in_force_at_events,
    joined,
    merged,
    search_goal_for,
)
from rules_asp.lab.grounded_run import NUMBERS, GroundedRun
from rules_asp.lab.precedence import chains, ranks_of
from rules_asp.lab.refutation import (
    disjoint_pairs,
    unproved_conflicts,
    unproved_interactions,
    unproved_pairs,
)
from rules_asp.lab.report import SearchReport
from rules_asp.lab.search import Search
from rules_asp.lab.symmetry import canonical_board, cube_of
from rules_asp.lab.theory import Encoding
from rules_asp.lab.unsat_core import NOT_KNOWN, UnsatCore, minimise_witness, unsat_core_lines
from rules_asp.lab.witness import GoalWitness, SiteOutcome, confirm, of_text
from rules_asp.parser import parse
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.ask import ask
from rules_asp.queries.check import check
from rules_asp.queries.legality import can
from rules_asp.runtime.job_pool import JobSettings
from rules_asp.runtime.limits import Deadline, TooWide
from rules_asp.runtime.worker import uses_fork
from tests.labs import SMALL, copied, random_boards, search, the_lab
from tests.positions import program
from tests.sampling import part, slow, some, whole

CASES = Path(__file__).parent / "cases"


@pytest.fixture(scope="module")
def lab() -> Generator:
    return the_lab()


def confirmed(lab: Generator, shown: GoalWitness, without: tuple[str, ...] = ()) -> Position:
    """Return the board of a finding, after checks: it breaks no norm, and the query holds on it."""
    here = prepare(parse(shown.witness.text), lab.program, without)
    assert check(here).violations == ()
    # What is only counted is asked by itself.
    if shown.witness.query.literals:
        assert ask(here, shown.witness.query, cite=False).holds is True
    return here


# --- the rules as they are


@slow
def test_the_lab_can_search_every_norm_outside_its_limits(
    lab: Generator,
) -> None:
    sections = tuple(vocabulary().words["section"])
    norms = list(lab.program.norms)
    out = {*norms} - possible_among(
        Search(lab, SearchBounds(sections=sections), SearchGoal({})), norms
    )
    # What is printed on one map is told of that map; a sight to a vertex is beyond kb/lab/lines.lp.
    # No board of the lab plays by R-B31. No event asks who has Wall Advantage, for FP, or for a range,
    # or where a whole path of a rout may end.
    beyond = (
        *("hex_named", "printed_as", "printed_hex", "snap_shot", "snapped"),
        *("by_successor", "claim_wall_advantage", "asked(wall_advantage", "asked(range("),
        *("fp_attack", "director", "path_end(", "mg_fire", "fp_choice", "weapon_strength"),
    )
    for norm in out:
        rules = [rule.text for rule in lab.program.source.rules if rule.norm == norm]
        assert any(word in text for word in beyond for text in rules), norm
    assert 0 < len(out) < 40


@slow
def test_no_norms_conflict_on_topics_of_the_board(lab: Generator) -> None:
    found = audits.conflicts(search(lab, "board"))
    assert (found.found, found.complete, found.undecided) == ((), True, ())


def test_a_search_that_needs_too_much_memory_loses_no_findings(
    lab: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = lab_search._searched

    def limited(here: Search, spot: generator.SearchSite, *more: Any) -> Any:
        if spot.event.name == "fire":
            raise MemoryError
        return alone(here, spot, *more)

    monkeypatch.setattr(lab_search, "_searched", limited)
    found = audits.conflicts(search(lab, "board", "fire", without=("R-T03",)))
    assert found.found
    assert (found.complete, found.sure, found.too_large) == (False, False, ("2x1, fire",))
    written = io.StringIO()
    result_text.report(Console(file=written, width=100), "conflicts", found)
    text = written.getvalue()
    assert "Incomplete: the memory limit was too low." in text
    assert "  too large for the memory limit: 2x1: fire" in text
    assert result_json.record(found)["too_large"] == ["2x1, fire"]


def test_a_site_that_is_too_large_is_an_outcome_and_a_file_an_error(lab: Generator) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("std::bad_alloc")

    site = generator.SearchSite(SMALL, lab.events[0], generator.EventPlace())
    assert lab_search._work((None, 5), (fails, site, ())).too_large
    with pytest.raises(TooWide, match=r"the search of a\.board was stopped after 5 MB"):
        lab_search._work((None, 5), (fails, Path("a.board"), ()))


@slow
@pytest.mark.parametrize("event", ["board", "move", "duty", "gun"] if whole() else ["move"])
def test_pairs_that_a_proof_excludes_conflict_on_no_board(
    lab: Generator, event: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = ("R-T03",)
    here = search(lab, event, sections=SECTIONS, without=without)
    prover = Prover(Encoding(lab.program, without))

    def met(found: SearchReport[audits.ConflictFinding]) -> set[tuple[str, str, str]]:
        assert found.undecided == ()
        return {(each.topic, each.one, each.other) for each in found.found}

    conflicts = met(audits.conflicts(here))
    assert conflicts or event != "move"
    # A proof of all pairs takes minutes. Only one of a pair that conflicts can be false.
    every = [(pair, (pair.kind, pair.one, pair.other)) for pair in norm_pairs(prover.encoding)]
    shown = {(topic.partition("(")[0], *norms) for topic, *norms in conflicts}
    in_force = tuple(in_force_at_events(lab, here.bounds))
    assert shown <= {key for pair, key in every if any(map(pair.may_apply, in_force))}
    keys = {key for _, key in some(every, 1200)} | shown
    tried = [pair for pair, key in every if key in keys]
    pairs = unproved_pairs(prover, tried, Deadline(), JobSettings(1))
    suspects = [pair.suspect for pair in pairs]
    assert len(suspects) - len(conflicts) < len(tried) / 10
    assert met(audits.conflicts(here, suspects=suspects)) == conflicts


def test_proofs_leave_half_of_the_time_for_the_search(
    lab: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []

    def proofs(_prover: Any, pairs: Any, clock: Deadline, _jobs: Any) -> list[Any]:
        given.append(clock.rest() or 0)
        return []

    monkeypatch.setattr(refutation, "unproved_pairs", proofs)
    here = replace(search(lab, "board"), clock=Deadline(600))
    for command in (
        unproved_conflicts,
        partial(unproved_interactions, norms=["B23.1-1"]),
    ):
        command(here)
    assert len(given) == 2
    assert all(0 < seconds <= 300 for seconds in given)


def test_conflicts_name_the_rulings_that_settle_them(lab: Generator) -> None:
    others = [norm for norm in lab.program.norms if norm.startswith("R-") and norm != "R-T03"]
    found = audits.conflicts(search(lab, "board", without=("R-T03", *some(others, 1))))
    pairs = {(each.topic, each.one, each.other): each for each in found.found}
    assert ("height", "B23.21-2", "B23.74-4") in pairs
    assert pairs["height", "B23.21-2", "B23.74-4"].settled == ("R-T03",)
    for each in found.found:
        # Each was confirmed by the ordinary commands.
        assert each.shown is not None


DEEDS = {
    "place": "legal(place(wire, A1)), marketplace(A1) = yes",
    "fortify": "legal(fortify(A1))",
    "breaching": 'legal(breach_attempt("A", A1-B0, 0))',
    "dc": 'illegal(place_dc("A", B0), "A23.3-1")',
    "close_combat": 'legal(close_combat("A", "B"))',
    "gun": 'legal(post("A", A1, setup))',
    "move": 'legal(step(move, "A", X, Y, stairs))',
    "rout": 'legal(step(rout, "A", X, Y, W))',
    "advance": 'legal(step(advance, "A", X, Y, W))',
    "withdraw": 'legal(step(withdraw, "A", X, Y, W))',
    "drive": 'legal(step(move, "A", X, Y, drive))',
    "scale": 'legal(scale("A", A1, 0, up))',
    "fire_group": 'legal(fire_group("A", "B"))',
    "concealment": 'keeps_concealment("A") = yes',
    "bog": 'modifier(bog_check("A", L), sum) = N',
    "duty": 'must_rout("A") = yes',
    "pace": 'allotment("A") = N',
    "stacking": "stacking_limit(A1/1) = N",
    "use": "building_for(rout, A1) = yes",
    "indirect": "affected(A1, L, K) = yes",
}


@slow
@pytest.mark.parametrize("event", some(list(DEEDS), 1))
def test_an_event_generates_its_action(lab: Generator, event: str) -> None:
    shown = find.find(search(lab, event), DEEDS[event]).found[0]
    confirmed(lab, shown)


def test_every_generator_rule_names_its_topic(lab: Generator) -> None:
    # What bears on a topic is found by its name: a rule for any topic would bear on none.
    named = {node.topic for rule in lab.rules for node in rule.heads if node.topic}
    assert not [name for name, _ in named if name[:1].isupper()]


SECTIONS = ("b23", "pb4", "pb6", "brt7", "abtf3")
#: Conflicts of two sections that no norm ranks.
BETWEEN_SECTIONS = {
    ("stairwell", "PB4.2-4", "PB6.42-7"),
    ("stairwell", "PB4.3-5", "PB6.42-7"),
}
QUICK = ("move", "drive", "gun", "fortify")


@slow
@pytest.mark.parametrize("review", some([False, True], 1))
def test_conflicts_between_all_sections(lab: Generator, review: bool) -> None:
    events = ("board", *some(QUICK, 1))
    found = audits.conflicts(search(lab, *events, sections=SECTIONS), review)
    assert found.undecided == ()
    met = {(each.topic, each.one, each.other) for each in found.found}
    assert met == (set() if review else BETWEEN_SECTIONS)


@pytest.mark.parametrize(
    ("text", "board"),
    part(
        [
            ("height(H) = 2 1/2, not stairwell-symbol(H)", "upper levels 2"),
            ('unit("A", squad), at("A", L), not in-building(L)', "unit A squad"),
            ("hindrance(S, N), N >= 1", "board"),
        ],
        1,
    ),
)
def test_find_returns_the_smallest_board_for_a_claim(lab: Generator, text: str, board: str) -> None:
    found = find.find(search(lab, "board", "units", "sight", grids=GRIDS), text)
    (shown,) = found.found
    assert board in shown.witness.text
    confirmed(lab, shown)


def test_find_proves_that_no_board_shows_a_claim(lab: Generator) -> None:
    found = find.find(search(lab), "height(H) = 9")
    assert (found.found, found.complete) == ((), True)


def test_always_finds_a_counterexample_or_none(lab: Generator) -> None:
    assert find.always(search(lab), "top(H) = V => height(H) = _").found == ()
    (shown,) = find.always(search(lab), "factory(H) => height(H) = 2 1/2").found
    assert "factory" in shown.witness.text
    confirmed(lab, shown)


#: Claims of each shape: two forms, LOS with two variable ends, units as ends, counts.
CLAIMS = [
    'legal(step(move, "A", X, Y, enter)), unit("A", squad), sees("A" - Y)',
    "sees(X - Y), sees(Y - Z), not sees(X - Z)",
    "sees(A1 - X), not sees(X - B1)",
    "at least 3 H: rubble(H, stone)",
    "at most 1 H: building_hex(H), tem(shot(A1, B0, direct, still)) = 3",
    'at("A", L), in-building(L), tem(shot(X, "A", direct, moving)) = V, V > 2',
]


@slow
@pytest.mark.parametrize("claim", CLAIMS if whole() else some(CLAIMS[1:], 2))
def test_find_asks_all_topics_of_a_claim_together(lab: Generator, claim: str) -> None:
    (shown,) = find.find(search(lab), claim).found
    here = confirmed(lab, shown)
    for count in shown.witness.counts:
        assert count.holds(len(ask(here, count.query, cite=False).found))


#: Pairs of claims that a reflection about A1 exchanges: B0 for B1.
MIRRORED = [
    ("tem(shot(A1, B0, direct, still)) = V, V > 2", "tem(shot(A1, B1, direct, still)) = V, V > 2"),
    ("tem(shot(B0, A1, direct, still)) = V, V > 2", "tem(shot(B1, A1, direct, still)) = V, V > 2"),
    ("sees(A1/1 - B0), not sees(B0/1 - B1)", "sees(A1/1 - B1), not sees(B1/1 - B0)"),
    ('legal(step(advance, "A", A1, B0, enter))', 'legal(step(advance, "A", A1, B1, enter))'),
]


@slow
@pytest.mark.parametrize("pair", some(MIRRORED, 1))
def test_mirror_images_of_a_claim_get_the_same_answer(
    lab: Generator, pair: tuple[str, str]
) -> None:
    found = [find.find(search(lab), each).found for each in pair]
    (one,), (other,) = found
    assert one.size == other.size


@slow
@pytest.mark.parametrize("hex_", some(["B0", "B1"], 1))
def test_an_event_begins_in_the_named_hex(lab: Generator, hex_: str) -> None:
    upstairs = f"legal(step(move, U, {hex_}, {hex_}/1, stairs))"
    (shown,) = find.find(search(lab, "move"), upstairs).found
    confirmed(lab, shown)
    within = search(lab, "move", where=f"fortified({hex_}, _), exactly 1 H: depicts(H, _)")
    found = interactions.interaction_of(within, ["B23.922-2"], ["B23.922-1"]).found
    assert len(found) > 1


@slow
def test_gaps_ignore_norms_that_are_not_in_force(lab: Generator) -> None:
    within = search(lab, "units", sections=("b23", "pb6"))
    look = search_goal_for(lab, [SILENT])
    (spot,) = replace(within, look=look).spots(SMALL)
    told = []
    for facts in ("", audits.away(within)):
        goals = GroundedRun(lab, within.bounds, spot, replace(look, facts=facts), Deadline()).goals
        told.append({each.arguments[1].string for each in goals})
    everywhere, here = told
    assert {norm for norm in everywhere if norm.startswith("BRT7")} == everywhere - here != set()


def test_a_counted_literal_has_its_own_query(lab: Generator) -> None:
    (shown,) = find.find(search(lab), "factory(H), exactly 2 H: building_hex(H)").found
    here = confirmed(lab, shown)
    assert len(ask(here, shown.witness.counts[0].query, cite=False).found) == 2


@slow
@pytest.mark.parametrize(
    ("claim", "events"),
    [
        ("sees(A1 - B0) => sees(A1 - B1)", ("move",)),
        ("height(H) = 9 => factory(H)", ()),
    ],
)
def test_always_refuses_a_claim_whose_condition_no_board_meets(
    lab: Generator, claim: str, events: tuple[str, ...]
) -> None:
    with pytest.raises(QuestionError, match="no board within the limits meets the condition"):
        find.always(search(lab, *events), claim)


def test_find_refuses_hexes_outside_its_grid(lab: Generator) -> None:
    with pytest.raises(QuestionError, match="use --grid 3x2"):
        find.find(search(lab), "tem(shot(A1, C2, direct, still)) = 3")


def test_find_returns_the_greatest_value_and_its_board(lab: Generator) -> None:
    greatest = find.Extreme("V", True)
    report = find.find(search(lab, "board"), "factory(H), height(H) = V", greatest)
    (shown,) = report.found
    assert (shown.worth.number, shown.worth.text) == (7, "3 1/2")
    confirmed(lab, shown)
    # Beside it stands what made it the greatest: what boards of the search may state.
    (levels,) = (each for each in report.lets if each.name == "ssr_levels")
    assert levels.values == ("0", "1", "2", "3")
    assert "SSR" in levels.sense
    assert not find.find(search(lab, "board"), "factory(H)").lets


@slow
def test_an_unproved_greatest_value_is_undecided(
    lab: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    greatest = find.Extreme("V", True)
    least = GroundedRun.least
    cut_short = {"least": False}

    def in_haste(*given: Any) -> Any:
        model = least(*given)
        return model and replace(model, **cut_short)

    monkeypatch.setattr(GroundedRun, "least", in_haste)
    report = find.find(search(lab, "board"), "factory(H), height(H) = V", greatest)
    assert report.found
    # The time was not over, but the patience with that place was.
    assert (report.complete, report.whole) == (True, False)
    assert report.undecided == ("2x1, board",)


@slow
def test_further_boards_are_no_mirror_images(lab: Generator) -> None:
    found = find.find(replace(search(lab, "board"), further=2), "factory(H), height(H) = V").found
    texts = {canonical_board(each.witness.board) for each in found}
    uncoloured = {canonical_board(each.witness.board, coloured=False) for each in found}
    assert len(uncoloured) == len(found)
    assert len(texts) == len(found) == 3
    for each in found:
        confirmed(lab, each)


@pytest.mark.parametrize(
    "text",
    [
        "building gray: A1 B0 joined A1-B0\nlevel 1: A1\nunit X squad german at B0",
        "building gray: B0 A1 joined A1-B0\nlevel 1: B0\nunit Y squad russian at A1",
        "building gray: B1 B0 joined B0-B1\nlevel 1: B1\nunit Y squad russian at B0",
    ],
)
def test_equivalent_boards_have_one_canonical_form(text: str) -> None:
    first = "building gray: A1 B0 joined A1-B0\nlevel 1: A1\nunit X squad german at B0"
    boards = [parse(f'board "x" grid 2x1\n{each}\n') for each in (first, text)]
    assert canonical_board(boards[0]) == canonical_board(boards[1])
    other = parse(f'board "x" grid 2x1\n{first.replace("level 1: A1", "level 1: B0")}\n')
    assert canonical_board(boards[0]) != canonical_board(other)


def test_boards_with_swapped_sides_and_hexes_are_equivalent() -> None:
    """Section names resemble hex names, and the canonical form sorts words such as sides."""
    text = 'board "x" grid 2x1\nrules B23 ABTF3\nbuilding gray: {0}\nunit {2} motorcycle {1} at {0}'
    first = canonical_board(parse(text.format("A1", "german", "A")))
    assert canonical_board(parse(text.format("B0", "russian", "Bert"))) == first
    assert canonical_board(parse(text.replace(" ABTF3", "").format("A1", "german", "A"))) != first


@pytest.mark.parametrize("claim", ["factory(H)", "factory(H) => height(G) = 3", "a => b, c"])
def test_always_refuses_a_claim_without_a_condition(lab: Generator, claim: str) -> None:
    with pytest.raises(Exception, match=r"condition|single literal|claimed|no|expected"):
        find.always(search(lab), claim)


#: Winner and loser on some case, and the ruling that ranks them, if any.
BEATEN = [
    ("B23.711-9", "B23.71-5", None),
    ("B23.71-22", "B23.71-5", None),
    ("B23.743-6", "B23.25-5", None),
    ("B23.741-1", "B23.25-5", "R-T18"),
]


@slow
@pytest.mark.parametrize("pair", some(BEATEN, 1))
def test_meet_finds_two_norms_and_names_their_rank(
    lab: Generator, pair: tuple[str, str, str | None]
) -> None:
    winner, loser, by = pair
    found = interactions.interaction_of(search(lab, "sight"), [winner], [loser]).found
    beats = [each for each in found if each.relation in ("overrides", "lifts", "ruled")]
    assert {(each.one, each.other) for each in beats} == {(winner, loser)}
    for each in beats:
        assert each.because
        assert [rank.by for rank in each.because if rank.by.startswith("R-")] == (
            [by] if by else []
        )
        assert (each.relation == "ruled") == (by is not None)
        assert each.shown is not None
        here = confirmed(lab, each.shown)
        (literal,) = each.shown.witness.query.literals
        if each.shown.witness.beaten is not None:
            told = {(b.norm, b.by) for b in ask(here, each.shown.witness.query).beaten}
            assert (loser, winner) in told, literal


@slow
def test_meet_finds_two_norms_that_block_one_los(lab: Generator) -> None:
    found = interactions.interaction_of(search(lab, "sight"), ["B23.71-5"], ["B23.741-1"]).found
    assert found
    for each in found:
        assert each.shown is not None
        confirmed(lab, each.shown)


def pairs_beaten(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the defeats in the expected answers of a case: loser, winner."""
    here = load(path, program())
    for each in here.board.statements:
        if not isinstance(each, Expect):
            continue
        with suppress(QuestionError):
            if isinstance(each.question, Query):
                yield from ((b.norm, b.by) for b in ask(here, each.question).beaten)
            elif isinstance(each.question, DeedQuery):
                yield from ((b.norm, b.by) for b in can(here, each.question).beaten)


def _sections_of(path: Path) -> set[str]:
    """Return the sections that a case names."""
    said = (each for each in load(path, program()).board.statements if isinstance(each, Fact))
    return {str(each.args[0]) for each in said if each.name == "section"}


#: Winners on a case that no board of the lab shows, with the missing input.
_NEVER_THERE = {"BRT7.1-6": "a gray Tower, which the map of BRT names"}
_OF_A_SECTION = re.compile(r"(B23|PB4|PB6|BRT7|ABTF3)\.")
_TRIED_PAIRS: set[tuple[str, str]] = set()


@slow
@pytest.mark.parametrize("path", some(sorted(CASES.glob("*.board")), 6), ids=lambda each: each.stem)
def test_meet_finds_each_defeat_of_a_case(lab: Generator, path: Path) -> None:
    pairs = [
        pair for pair in sorted(set(pairs_beaten(path))) if all(map(_OF_A_SECTION.match, pair))
    ]
    pairs = [pair for pair in pairs if pair not in _TRIED_PAIRS and pair[1] not in _NEVER_THERE]
    for loser, winner in pairs if whole() else pairs[:1]:
        _TRIED_PAIRS.add((loser, winner))
        own = {"b23", *(each.partition(".")[0].lower() for each in (loser, winner))}
        # A norm of a third section may rank the two.
        in_force = [own, own | _sections_of(path)]
        for grid, sections in product(GRIDS, in_force[: 1 + (in_force[1] > own)]):
            within = search(lab, grids=(grid,), sections=tuple(sorted(sections)))
            try:
                found = interactions.interaction_of(within, [winner], [loser])
            except QuestionError as error:
                # What the boards of the lab do not have is told, and is no answer.
                if "not searched" not in str(error):
                    raise
                break
            if beats := [e for e in found.found if e.relation in ("overrides", "lifts", "ruled")]:
                assert all(each.because for each in beats)
                break
        else:
            pytest.fail(f"{winner} never meets {loser}")


@slow
def test_the_lab_reports_inputs_that_it_never_generates(lab: Generator) -> None:
    heads = (node for rule in lab.rules if rule.file.startswith("lab/") for node in rule.heads)
    stated = {(node.name, node.arity) for node in heads}
    inputs = vocabulary().inputs.items()
    assert {each for each in stated if each[0] in dict(inputs)} - lab.inputs == {("event", 3)}
    never = {name for name, entry in inputs if (name, len(entry.kinds)) not in stated}
    generator = (
        r for r in lab.rules if r.file.startswith("lab/") and r.file != "lab/not_generated.lp"
    )
    texts = "".join(rule.text for rule in generator)
    units = (*vocabulary().words["status"], *vocabulary().words["unit_type"])
    never |= {word for word in units if not re.search(rf"\b{word}\b", texts)}
    # What the search itself gives; `event` is a word of its own there.
    assert never - {"hex", "next", "section", "event"} == set(lab.never) - _partly(lab)
    nothing = interactions.interaction_of(search(lab, "board"), ["B23.23-2"], ["B23.3-3"])
    # Of that it is told what could matter.
    assert nothing.never == tuple(lab.never.values())
    low = find.find(search(lab), "height(H) = 9").never
    assert (lab.never["map"] in low, lab.never["dummy"] in low) == (True, False)
    unseen = find.find(search(lab, "sight"), "sees(A1 - B0), not sees(A1 - B0)")
    assert {lab.never[each] for each in ("bypasses", "dummy", "map")} <= {*unseen.never}
    pb4 = search(lab, sections=("b23", "pb4"))
    with pytest.raises(QuestionError, match="no board of the lab has the name of a printed map"):
        find.find(pb4, "map(X)")
    assert interactions.interaction_of(search(lab, "board"), ["B23.23-2"], ["B23.74-3"]).never == ()


def _partly(lab: Generator) -> set[str]:
    rules = (rule for rule in lab.rules if rule.file == "lab/not_generated.lp")
    return {found[1] for rule in rules if (found := re.match(r"partly\((\w+)", rule.text))}


def test_the_lab_reports_the_sums_that_no_board_has(lab: Generator) -> None:
    assert (
        "a LOS with a Hindrance of more than +9"
        in find.find(search(lab), "hindrance(X - Y, 12)").never
    )
    assert (
        "a cost or an allotment of more than 15 MF or MP"
        in find.find(search(lab), "mf(step(move, U, X, Y, W)) = 16").never
    )


#: Inputs with one value by definition: for a time, a place or a unit.
_ONE_ALONE = {
    *("base", "board_edition", "control", "lv_hindrance", "month", "moving_side", "nvr", "phase"),
    *("season", "turn", "ssr_buildings", "ssr_interior_walls_breached", "ssr_fortified_levels"),
    *("ob_breaches", "fpp", "ssr_levels", "ssr_third_level", "ssr_tower", "bridge", "depicts"),
    *("fortified", "level_counter", "residual_fp", "roadblock", "rubble", "upslope", "flame"),
    *("blaze", "smoke", "road", "ift", "at", "climb", "gone", "gun_kind", "has", "ma", "of_side"),
    *("size", "tca", "tca_tries", "unit", "vca", "wall_gap"),
}


def test_the_lab_reports_each_bound_on_a_count(lab: Generator) -> None:
    bounded_: set[str] = set()
    for rule in lab.rules:
        if rule.file.startswith("lab/") and re.match(r"\d+ >= |.*\} <= \d+", rule.text):
            bounded_ |= {node.name for node in rule.heads if node.name in vocabulary().inputs}
    assert bounded_ == _ONE_ALONE | (_partly(lab) & vocabulary().inputs.keys())


#: Winner and loser about units in Bypass, and the event that shows them.
IN_BYPASS = [
    ("B23.31-3", "B23.31-1", "vertex"),
    ("B23.31-3", "B23.31-2", "vertex"),
    ("PB4.11-4", "PB4.11-3", "units"),
    ("PB4.11-10", "B23.4-1", "bypass"),
    ("PB4.123-1", "PB4.11-7", "turret"),
    ("PB4.124-5", "PB4.124-3", "handling"),
    ("PB4.125-2", "PB4.124-2", "handling"),
]


@slow
@pytest.mark.parametrize(("winner", "loser", "event"), some(IN_BYPASS, 4))
def test_meet_finds_norms_about_bypass(lab: Generator, winner: str, loser: str, event: str) -> None:
    within = search(lab, event, sections=("b23", "pb4"))
    found = interactions.interaction_of(within, [winner], [loser]).found
    assert {each.one for each in found} == {winner}
    for each in found:
        assert each.shown is not None
        confirmed(lab, each.shown)


@slow
def test_meet_refuses_norms_that_no_event_asks_about(lab: Generator) -> None:
    with pytest.raises(QuestionError, match=r"nothing was searched: .* PB4\.141-11"):
        interactions.interaction_of(
            search(lab, "stacking", sections=SECTIONS), ["PB4.141-11"], ["PB4.141-12"]
        )


@slow
def test_the_unit_of_a_generated_action_is_on_the_board(lab: Generator) -> None:
    found = interactions.interaction_of(
        search(lab, "breaching"), ["B23.711-3"], ["B23.711-1"]
    ).found
    assert found
    for each in found:
        assert each.shown is not None
        confirmed(lab, each.shown)
    nobody = of_text('board "x" grid 2x1\nexpect holds must_rout("A") = yes\n')
    assert "there is no unit A" in (confirm(nobody, lab, SearchBounds()).doubt or "")


@slow
def test_meet_finds_norms_about_stairs(lab: Generator) -> None:
    within = search(lab, "shot(direct)", sections=("b23", "brt7"))
    found = interactions.interaction_of(within, ["BRT7.43-6"], ["B10.31-1"]).found
    assert ("overrides", "BRT7.43-6") in {(each.relation, each.one) for each in found}


def test_meet_reports_each_relation_once(lab: Generator) -> None:
    found = interactions.interaction_of(search(lab, "board"), ["B23.23-2"], ["B23.74-3"])
    # That they meet is not told besides how.
    assert {(each.relation, each.one) for each in found.found} == {("overrides", "B23.74-3")}
    for each in found.found:
        assert each.shown is not None
        confirmed(lab, each.shown)
    assert interactions.interaction_of(search(lab, "board"), ["B23.23-2"], ["B23.3-3"]).found == ()
    with pytest.raises(QuestionError, match=r"B23\.23-2 is given twice: name two different rules"):
        interactions.interaction_of(search(lab, "board"), ["B23.23-2"], ["B23.23-2"])


@slow
def test_meet_of_paragraphs_equals_meet_of_their_norms(lab: Generator) -> None:
    ones, others = ([norm.id for norm in known_all(lab, each)] for each in ("B23.23", "B23.74"))
    assert len(ones) > 1
    assert len(others) > 1
    found = interactions.interaction_of(search(lab, "board"), ones, others).found
    of_two = interactions.interaction_of(search(lab, "board"), ["B23.23-2"], ["B23.74-3"]).found
    assert {(e.relation, e.topic, e.one, e.other) for e in of_two} <= {
        (e.relation, e.topic, e.one, e.other) for e in found
    }
    assert all((e.one in ones) != (e.one in others) for e in found)
    assert all({e.one, e.other} & {*ones} and {e.one, e.other} & {*others} for e in found)


def test_interactions_of_a_few_norms(lab: Generator) -> None:
    few = ["B23.21-2", "B23.22-2", "B23.23-2", "B23.74-3", "B23.3-3"]
    found = interactions.interactions(search(lab, "board"), few)
    overrides = {(each.one, each.other) for each in found.found if each.relation == "overrides"}
    assert overrides == {("B23.74-3", "B23.23-2")}
    # All buildings may be single-story by SSR, a Factory among them: R-T03.
    met = {frozenset((each.one, each.other)) for each in found.found if each.one != each.other}
    assert 10 - len(met) == 8


@slow
@pytest.mark.parametrize("event", ["board", *some(["duty", "rout", "shot(direct)", "roll"], 1)])
def test_a_proof_hides_no_interaction(
    lab: Generator, event: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULES_ASP_CACHE", "off")
    norms = [norm.id for norm in audits.norms_of(lab, ("b23",))]
    here = search(lab, event, without=("R-T03",))
    found = interactions.interactions(here, norms).found
    if event == "board":
        assert {"clash", "overrides", "meet"} <= {each.relation for each in found}
    disjoint = disjoint_pairs(here, Prover(Encoding(lab.program, here.bounds.without)), norms)
    assert disjoint
    assert disjoint.isdisjoint(
        (each.topic.partition("(")[0], *sorted((each.one, each.other))) for each in found
    )
    assert unproved_interactions(here, norms).found == found


def test_every_legal_step_is_asked_about(lab: Generator) -> None:
    also = (Signature("legal", 1, ("step", 5)),)
    one_legal = ":- { legal(step(B,U,X,Y,W)) } 0."
    atoms = [
        atom
        for event in ("move", "drive")
        for board in random_boards(lab, event, SMALL, 4, SECTIONS, also=also, rules=one_legal)
        for atom in board
    ]
    legal, asked = (
        {str(atom.arguments[0]) for atom in atoms if atom.name == name}
        for name in ("legal", "asked_deed")
    )
    assert any(each.startswith("step(") for each in legal)
    assert {each for each in legal if each.startswith("step(")} <= asked


@slow
def test_interactions_reuse_results_of_the_same_rules(
    lab: Generator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = ["B23.21-2", "B23.22-2", "B23.23-2"]
    monkeypatch.setenv("RULES_ASP_CACHE", str(tmp_path))
    first = interactions.interactions(search(lab, "board"), few).found
    grounded: list[generator.SearchSite] = []

    def noted(*given: Any, **more: Any) -> GroundedRun:
        grounded.append(given[2])
        return GroundedRun(*given, **more)

    monkeypatch.setattr(lab_search, "GroundedRun", noted)
    assert interactions.interactions(search(lab, "board"), few).found == first
    assert not grounded
    # A change of any norm can change whether others meet.
    changed = load_generator(program=build(without_norm_rules(lab.program.source, "B23.74-3")))
    interactions.interactions(search(changed, "board"), few)
    assert grounded


def test_an_outcome_is_reused_only_if_its_known_goals_are_known(
    lab: Generator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULES_ASP_CACHE", str(tmp_path))
    # Outcomes are stored with the goals that the search left out, since it knew them.
    left_out = {"board": (), "gun": ("first",), "bog": ("second",), "move": ("other",)}
    spots = {
        each.name: generator.SearchSite(SMALL, each, generator.EventPlace())
        for each in lab.events
        if each.name in left_out
    }
    kept = lab_search.OutcomeCache([b"sources"])
    for (name, known), found in zip(
        left_out.items(), ("first", "second", "third", "x"), strict=True
    ):
        outcome = SiteOutcome(spots[name], ((found, None),), empty=name == "bog")
        kept.put(outcome, known)
    usable = kept.usable(spots.values(), (), SearchGoal({}))
    assert {spot.event.name for spot in usable} == {"board", "gun", "bog"}
    assert [usable[spots[name]].empty for name in ("board", "bog")] == [False, True]
    assert kept.usable([spots["move"]], {"other"}, SearchGoal({})).keys() == {spots["move"]}
    assert not lab_search.OutcomeCache([b"other sources"]).usable(
        spots.values(), {"other"}, SearchGoal({})
    )


def test_renamed_rules_equal_those_that_clingo_renames(lab: Generator) -> None:
    nodes = sorted({node for rule in lab.rules for node in (*rule.heads, *rule.body)}, key=str)
    chosen = frozenset(random.Random(1).sample(nodes, len(nodes) // 2))
    for rule in some(lab.rules, 400):
        new = rename_rules(rule, chosen)
        (read,) = read_rules(rename_by_clingo(rule.text, chosen), rule.file)[0]
        assert (new.text, new.head, new.literals) == (read.text, read.head, read.literals)
        assert rename_text(rule.text, chosen) == read.text


def rename_by_clingo(text: str, nodes: Collection[Signature]) -> str:
    class Renaming(ast.Transformer):
        def visit_SymbolicAtom(self, atom: ast.AST) -> ast.AST:
            (of,) = (each for each, *_ in atoms_of(literal_from_ast(ast.Literal(where, 0, atom))))
            name = of.name + OTHER if signature_of_term(of) in nodes else of.name
            return atom.update(symbol=atom.symbol.update(name=name))

    (node,) = (each for each in parse_statements(text) if each.ast_type == ast.ASTType.Rule)
    where = node.location
    return str(Renaming().visit(node))


@slow
def test_a_claim_of_two_steps_asks_for_steps_from_every_location(lab: Generator) -> None:
    there = "infantry(U), legal(step(move, U, X, Y, enter))"
    backs = ["not legal(step(move, U, Y, X, enter))", "illegal(step(move, U, Y, X, enter), N)"]
    for back in some(backs, 1):
        found = find.find(search(lab), f"{there}, {back}").found
        assert found
        confirmed(lab, found[0])
    if whole():
        assert find.always(search(lab), f"{there} => legal(step(move, U, Y, X, enter))").found
        assert find.find(search(lab), f"{there}, legal(step(move, U, Y, Z, enter)), Z != X").found


@slow
@pytest.mark.parametrize("event", some(["clearing", "place", "turret", "use", "handling"], 2))
def test_boards_found_together_are_as_small_as_boards_found_alone(
    lab: Generator, event: str
) -> None:
    here = replace(search(lab, event), look=search_goal_for(lab, GAP))
    found = audits.gaps(here).found
    assert len(found) > 3
    alone = GroundedRun(lab, here.bounds, here.spots(SMALL)[0], here.look, here.clock)
    for each in found:
        assert each.shown is not None
        least = alone.least(clingo.parse_term(each.shown.goal))
        assert least is not None
        assert each.shown.size == least.size, each


def test_a_mistake_in_where_is_reported_before_the_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    def proved(*_: object) -> None:
        raise AssertionError("the proofs began")

    monkeypatch.setattr("rules_asp.lab.consistency.norm_pairs", proved)
    shown = CliRunner().invoke(main, ["lab", "conflicts", "--where", "stairwell(H)"])
    assert shown.exit_code == 2
    assert "the value of stairwell is missing" in shown.stderr


@slow
@pytest.mark.parametrize("event", some(["board", "units", "move", "fire", "place"], 1))
def test_possible_goals_equal_goals_tested_one_by_one(lab: Generator, event: str) -> None:
    here = search(lab, event)
    here = replace(here, look=search_goal_for(lab, [SILENT, *GAP]))
    run_ = GroundedRun(lab, here.bounds, here.spots(SMALL)[0], here.look, here.clock)
    one_by_one = {str(goal) for goal in run_.goals if run_.shows(goal, None)}
    assert run_.possible(None) == (one_by_one, set())


@slow
@pytest.mark.parametrize(
    "event", some(["outcome", "duty", "attack", "fortify", "sight", "rout"], 1)
)
def test_goals_that_a_site_leaves_out_are_found_or_shown_by_no_board(
    lab: Generator, event: str
) -> None:
    here = search(lab, event)
    effect = effects_of_all(lab, here.bounds.sections)
    for look in (effect, search_goal_for(lab, [SILENT, *GAP])):
        (spot, *_) = replace(here, look=look).spots(SMALL)
        whole_run = GroundedRun(lab, here.bounds, spot, look, here.clock)
        shown, undecided = whole_run.possible(2.0)
        assert shown
        for known in (set(), set(some(sorted(shown), len(shown) // 2))):
            left = look.remaining(lab, here.bounds, spot, known)
            if left is None:
                assert known >= shown
                continue
            assert len(members(left, spot)) < len(members(look, spot))
            run_ = GroundedRun(lab, here.bounds, spot, left, here.clock, known=known)
            found, still = run_.possible(2.0)
            assert shown - known <= found | still
            assert found <= (shown | undecided) - known


@slow
@pytest.mark.parametrize("event", some(["board", "scale", "drive", "rout", "sight", "duty"], 1))
def test_what_cannot_defeat_a_norm_does_not_decide_an_interaction(
    lab: Generator, event: str
) -> None:
    norms = [norm.id for norm in audits.norms_of(lab, ("b23",))]
    here = search(lab, event)
    look = interactions.interaction_goal(lab, norms)
    (spot, *_) = replace(here, look=look).spots(SMALL)
    found = []
    for decisive in (look.decisive, ALL_NORMS):
        aim = replace(look, decisive=decisive)
        found.append(GroundedRun(lab, here.bounds, spot, aim, here.clock).possible(20.0))
    # An undecided goal would hide a difference.
    assert found[0] == found[1]
    assert found[0][0]
    assert not found[0][1]


@slow
@pytest.mark.parametrize(
    "event", some(["sight", "advance", "bog", "duty", "rout", "board", "scale"], 1)
)
def test_relations_that_ranks_rule_out_are_shown_by_no_board(lab: Generator, event: str) -> None:
    """Of ranked norms not both count, and a norm that only lifts another does not override it."""
    here = search(lab, event)
    norms = [norm.id for norm in audits.norms_of(lab, ("b23",))]
    look = interactions.interaction_goal(lab, norms)
    (spot, *_) = replace(here, look=look).spots(SMALL)
    part = look.part(spot.event)
    assert part is not None

    def unlimited(rules: str) -> str:
        for condition in ("prevails(N,M), ", "not wins(N,M), not wins(M,N), "):
            rules = rules.replace(condition, "")
        return rules

    wider = merged(replace(each, rules=unlimited(each.rules)) for each in part.members)
    runs = [
        GroundedRun(
            lab, here.bounds, spot, replace(look, parts={spot.event.layer: each}), here.clock
        )
        for each in (part, wider)
    ]
    assert len(runs[0].goals) < len(runs[1].goals)
    found = [each.possible(20.0) for each in runs]
    assert found[0] == found[1]
    assert found[0][0]
    assert not found[0][1]


@slow
@pytest.mark.parametrize(
    ("event", "grid"),
    some(
        [
            ("rout", SMALL),
            ("bypass", SMALL),
            ("drive", SMALL),
            ("reach", SMALL),
            ("outcome", SMALL),
            ("scale", SMALL),
            ("fire_group", SMALL),
            ("spotting", SMALL),
            ("board", SMALL),
            ("fire", SMALL),
            ("fortify", SMALL),
            # All hexes of the smaller grid are images of the first; this grid has two orbits.
            ("fire", Grid(3, 2)),
            ("fortify", Grid(3, 2)),
            ("scale", Grid(3, 2)),
        ],
        1,
    ),
    ids=str,
)
def test_symmetry_breaking_loses_no_goal(lab: Generator, event: str, grid: Grid) -> None:
    norms = [norm.id for norm in audits.norms_of(lab, ("b23",))]
    here = search(lab, event)
    looks = (
        interactions.interaction_goal(lab, norms),
        search_goal_for(lab, GAP),
        effects_of_all(lab, ("b23",)),
    )
    for look in looks:
        (spot, *_) = replace(here, look=look).spots(grid)
        found = []
        for symmetric in (True, False):
            aim = replace(look, symmetric=symmetric)
            found.append(GroundedRun(lab, here.bounds, spot, aim, here.clock).possible(20.0))
        assert found[0] == found[1]
        # An undecided goal would hide a difference.
        assert not found[0][1]
    assert found[0][0]


def test_a_site_includes_only_kinds_that_two_norms_can_meet_on(lab: Generator) -> None:
    norms = [norm.id for norm in audits.norms_of(lab, ("b23",))]
    kinds_at = partial(kinds_searched, lab, interactions.interaction_goal(lab, norms))
    assert "fire_group" in kinds_at("fire_group")
    assert "breach_attempt" in kinds_at("breaching")
    # The choice of a fortified Location asks for no Breach, and a shot for no Fire Group.
    assert "fortify" in kinds_at("fortify")
    assert kinds_at("fortify").isdisjoint({"breach_attempt", "mf", "step"})
    assert "cover" in kinds_at("shot(direct)")
    assert kinds_at("shot(direct)").isdisjoint({"fire_group", "mf", "step", "spent"})


@slow
@pytest.mark.parametrize(
    "events",
    some(
        [
            ("dc", "clearing", "adjacent", "move"),
            ("duty", "shot(direct)", "shot(indirect)", "indirect"),
            ("roll", "shot(direct)", "indirect", "gun", "breaching"),
            ("outcome", "clearing", "move"),
            ("rout", "shot(direct)", "adjacent", "indirect"),
            ("breaching", "fire_group", "concealment", "move"),
            ("shot(critical)", "shot(wp)", "shot(direct)", "indirect"),
        ],
        1,
    ),
    ids="-".join,
)
def test_an_event_shows_what_the_events_that_borrow_its_topics_show(
    lab: Generator, events: tuple[str, ...]
) -> None:
    norms = [norm.id for norm in audits.norms_of(lab, ("b23",))]
    gaps = replace(search_goal_for(lab, GAP), once=True)
    for look in (gaps, interactions.interaction_goal(lab, norms), effects(lab, norms)):
        assert look.once
        found = []
        for once in (True, False):
            here = replace(search(lab, *events), look=replace(look, once=once))
            outcomes = list(here.outcomes(boards=False))
            # An undecided goal would hide a difference.
            assert not any(each.undecided for each in outcomes)
            found.append({goal for each in outcomes for goal, _ in each.found})
        assert found[0] == found[1]
    assert found[0]


def test_a_site_leaves_out_topics_that_another_event_asks_for(lab: Generator) -> None:
    norms = [norm.id for norm in audits.norms_of(lab, ("b23",))]
    look = interactions.interaction_goal(lab, norms)
    kinds_at = partial(kinds_searched, lab)
    borrowed = {"step", "entry_cost", "mp"}
    assert borrowed <= kinds_at(look, "dc")
    assert borrowed.isdisjoint(kinds_at(look, "dc", "move"))
    assert kinds_at(look, "move", "dc") == kinds_at(look, "move")
    assert "cover" in kinds_at(look, "duty")
    assert "cover" not in kinds_at(look, "duty", "shot(direct)")
    # The whole kind is left out if no norm has a further rule about it.
    gaps = replace(search_goal_for(lab, GAP), once=True)
    assert {"step", "mf"} <= kinds_at(gaps, "dc")
    assert {"step", "mf"} & kinds_at(gaps, "dc", "move") == {"mf"}
    assert kinds_at(gaps, "outcome", "move") == set()
    # Rules about units are not in force if no units are on the board.
    of_units = interactions.interaction_goal(lab, ["B9.31-3", "B10.31-2"])
    assert "cover" in kinds_at(of_units, "duty", "shot(direct)")
    # If two norms are named, all their boards are of interest.
    named = interactions.interaction_goal(lab, norms, [("B23.31-1", "B23.31-2")])
    assert "cover" in kinds_at(named, "duty", "shot(direct)")


def test_an_event_that_is_searched_for_a_kind_does_not_borrow_it(lab: Generator) -> None:
    events = {event.name: event for event in lab.events}
    borrowed = [(each, *pair) for each in lab.events for pair in each.borrowed]
    known = {kind for kind, _ in interactions.norms_by_topic_kind(lab)}
    assert borrowed
    for event, kind, other in borrowed:
        assert event.name != other
        assert kind in known
        assert kind not in {name for name, _ in events[other].borrowed}


def test_a_supposition_is_no_assertion_of_a_norm(lab: Generator) -> None:
    assert lab.asserts("B23.71-24", ("interdicted", 2))
    # A rule without a norm supposes a value of each other topic.
    for topic in (("breached_from", 2), ("friendly_hex", 2), ("outcome", 2)):
        assert not lab.asserts("B23.71-24", topic)


def test_sites_that_show_all_los_come_first(lab: Generator) -> None:
    here = replace(search(lab, grids=(SMALL, Grid(3, 2))), look=effects_of_all(lab, ("b23",)))
    spots = here.spots(SMALL)
    asking = [each.event.name for each in spots if each.event.layer == "question"]
    count = asking.count("sight")
    # A norm about LOS that they show is not searched where LOS only serves other answers.
    assert {*asking[:count]} == {"sight"} != {*asking}
    assert asking.index("vertex") > asking.index("move")
    # On a larger grid the longest search begins first.
    names = [each.event.name for each in here.spots(Grid(3, 2))]
    assert (names[0], names[1]) == ("bypass", spots[0].event.name)
    assert {*names} == {each.event.name for each in spots}


def test_a_search_asks_for_a_step_in_one_of_equal_directions(lab: Generator) -> None:
    (event,) = (each for each in lab.events if each.name == "move")
    look = search_goal_for(lab, GAP)
    for grid, hexes in ((SMALL, 2), (GRIDS[-1], 2), (Grid(4, 3), 7)):
        here = search(lab, "move", grids=(grid,))
        (spot,) = (each for each in replace(here, look=look).spots(grid) if each.event == event)
        for bounds, count in (
            (here.bounds, hexes),
            # A claim about all boards may be about steps into several hexes.
            (replace(here.bounds, where="building_hex(H)"), min(7, len(list(grid.hexes())))),
        ):
            facts, rules = lab.searched(
                given_at(spot, lab, bounds, look), grid, [Signature("candidate_step", 5)]
            )
            control = clingo.Control(["--warn=none"])
            control.add("base", [], lab.program_text(facts, rules))
            control.ground([("base", [])])
            steps = control.symbolic_atoms.by_signature("candidate_step", 5)
            spots = [each.symbol.arguments[3].arguments[0] for each in steps]
            assert len({at.arguments[0] if at.name == "v" else at for at in spots}) == count


def test_rules_that_read_an_answer_keep_what_all_norms_assert(lab: Generator) -> None:
    cover = ("cover", 1)
    decisive = {cover: ranks_of(lab.program).with_superiors(["B23.31-1"])}

    def norms_on_cover(*wanted: Signature) -> set[str | None]:
        rules = (lab.rules[place] for place in lab.cone(wanted, decisive))
        heads = ("says", "offers", "offers_value", "takes")
        return {
            r.norm
            for r in rules
            for node in r.heads
            if (node.name, node.topic) in [(name, cover) for name in heads]
        }

    of_norms = norms_on_cover(Signature("defeated", 3, cover))
    assert "B23.31-1" in of_norms <= decisive[cover]
    # The greatest offer is an answer, so each offer counts.
    for node in (Signature("is", 2, cover), Signature("undefeated_value", 3, cover)):
        assert norms_on_cover(node) > of_norms
        assert norms_on_cover(node) == norms_on_cover(Signature("is", 2, ("tem", 1)))


@slow
@pytest.mark.parametrize("event", some(["board", "outcome", "duty", "sight", "rout"], 1))
def test_a_rule_derives_only_the_goals_that_it_lists(lab: Generator, event: str) -> None:
    here = search(lab, event)
    look = effects_of_all(lab, (*here.bounds.sections, "general"))
    (spot, *_) = replace(here, look=look).spots(SMALL)
    listed = members(look, spot)
    numbered = merged(
        GoalRules(re.sub(r"^goal\((.*?)\) :- ", rf"goal(of({n},\1)) :- ", each.rules), each.wanted)
        for n, each in enumerate(listed)
    )
    look = replace(look, parts={spot.event.layer: numbered})
    goals = GroundedRun(lab, here.bounds, spot, look, here.clock).goals
    assert len(goals) > 10
    for number, goal in (each.arguments for each in goals):
        of = listed[number.number].goals
        assert of is not None
        assert str(goal) in {each.key for each in of}


def effects_of_all(lab: Generator, sections: Collection[str]) -> SearchGoal:
    """The goals of all norms of these sections: that they fire, count, say what no other says."""
    norms = [norm.id for norm in audits.norms_of(lab, sections)]
    return joined(firing(lab, norms), effects(lab, norms))


def members(look: SearchGoal, spot: generator.SearchSite) -> tuple[GoalRules, ...]:
    part = look.part(spot.event)
    assert part is not None
    return part.members


def kinds_searched(lab: Generator, look: SearchGoal, event: str, *others: str) -> set[str]:
    """The kinds of topics at the first event, if these events are searched."""
    here = replace(search(lab, event, *others), look=look)
    spot = next(each for each in here.spots(SMALL) if each.event.name == event)
    left = look.remaining(lab, here.bounds, spot, frozenset())
    texts = () if left is None else (each.rules for each in members(left, spot))
    return {found for text in texts for found in re.findall(r"@kind\((\w+)", text)}


EVENTS = sorted(
    {event.name for event in load_generator(program=program()).events if event.name != "claim"}
)


@slow
@pytest.mark.parametrize("event", some(EVENTS, 2))
def test_every_event_has_boards(lab: Generator, event: str) -> None:
    """If one event has boards, a search does not test whether another has any."""
    here = replace(search(lab, event), look=search_goal_for(lab, [SILENT, *GAP]))
    for spot in here.spots(SMALL):
        assert GroundedRun(lab, here.bounds, spot, here.look, here.clock).has_boards, str(spot)


@slow
def test_dead_reports_norms_without_effect(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "b23" / "b23_99.lp").write_text(
        "%@ B23.99-1  A building both stone and wooden has no height.\n"
        'says("B23.99-1", height(H), 0) :- is(construction(H),stone), is(construction(H),wooden).\n'
        "%@ B23.99-2  What B23.22 says already.\n"
        'says("B23.99-2", height(H), 3) :- is(btype(H),two_story), depicts(H,gray).\n'
        'overrides("B23.74-4","B23.99-2").\n'
        "%@ B23.99-3  A building where nothing is that boards of the lab have.\n"
        'says("B23.99-3", height(H), 0) :- terrain(H,building), symbol(H,church).\n',
        "utf-8",
    )
    changed = load_generator(program=build(read_kb(folder)))
    ids = ["B23.99-1", "B23.99-2", "B23.99-3", "B23.22-2", "B23.3-3"]
    found = audits.dead_norms(search(changed, "board"), ids)
    assert found.silent == ("B23.99-1",)
    assert found.beyond == ("B23.99-3",)
    assert "B23.99-2" in found.repeating
    assert "B23.22-2" not in (*found.silent, *found.beaten, *found.repeating)


@slow
def test_unreachable_reports_levels_without_stairs(lab: Generator) -> None:
    within = search(lab, most=(("buildings", 1),))
    found = {each.topic for each in audits.unreachable(within, boards=False).found}
    assert "3 of multi_story" in found


@slow
def test_idle_processes_lend_threads_that_change_no_finding(lab: Generator) -> None:
    within = search(lab, most=(("buildings", 1),))
    counts: list[int] = []

    def found(jobs: int) -> set[str]:
        here = replace(within, jobs=jobs)
        return {each.topic for each in audits.unreachable(here, boards=False).found}

    with pytest.MonkeyPatch.context() as patched:
        threads = GroundedRun.threads
        # One process takes the only site, so that the count is seen here.
        patched.setattr(JobSettings, "process_count", 1)
        patched.setattr(
            GroundedRun, "threads", lambda run, count: counts.append(count) or threads(run, count)
        )
        assert found(1) == found(3) != set()
    assert counts == [1, 3]


def test_a_run_without_threads_finds_the_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    raced: list[GroundedRun] = []
    asked: list[GroundedRun] = []
    threads, least = GroundedRun.threads, GroundedRun.least
    monkeypatch.setattr(JobSettings, "process_count", 1)
    monkeypatch.setattr(
        GroundedRun,
        "threads",
        lambda run, count: raced.extend([run] * (count > 1)) or threads(run, count),
    )
    monkeypatch.setattr(
        GroundedRun, "least", lambda run, *given: asked.append(run) or least(run, *given)
    )
    within = ["--event", "board", "--grid", "2x1", "--jobs", "3"]
    assert "expect height(" in run("find", "height(H) = V, V > 2", *within)
    assert raced
    assert asked
    assert not any(one is other for one in raced for other in asked)


@slow
def test_boards_of_unreachable_levels_violate_no_norm_and_expect_that_no_move_ends_there(
    lab: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[str] = []
    ground_again = GroundedRun.ground_again

    def noted(run: GroundedRun, norms: frozenset[str] = frozenset()) -> GroundedRun:
        added.extend(norms)
        return ground_again(run, norms)

    monkeypatch.setattr(GroundedRun, "ground_again", noted)
    found = audits.unreachable(
        search(lab, most=(("statements", 7),), where="exactly 1 H: depicts(H, _)")
    ).found
    assert found
    for each in found:
        assert each.shown is not None
        here = confirmed(lab, each.shown)
        asked = expectations(here)
        (deed,) = (told for told in asked if isinstance(told.expect.question, DeedQuery))
        assert (deed.passed, deed.expect.answer) == (True, "no")
        kept = of_text(each.shown.witness.text)
        assert kept.text == each.shown.witness.text
    # The goals of a site share the norms that their boards must not violate.
    assert added
    assert len(added) == len({*added})


def test_gaps_are_reported_with_their_boards(lab: Generator) -> None:
    found = audits.gaps(search(lab, "board"))
    assert found.complete
    for each in found.found:
        assert each.shown is not None
    stated = audits.gaps(search(lab, "place"), stated=True)
    assert all(each.norm and each.why for each in stated.found)


@slow
def test_time_and_patience_end_a_search_with_what_was_found(lab: Generator) -> None:
    found = audits.conflicts(replace(search(lab, "board"), clock=Deadline(0.001)))
    assert not found.complete
    assert found.left == ("2x1, board",)
    hurried: SearchReport[audits.ConflictFinding] = audits.conflicts(
        replace(search(lab, "board"), patience=0.0)
    )
    assert hurried.undecided or hurried.complete


def test_hard_goals_of_a_site_share_the_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, float]] = []

    def brave(*_: object) -> Iterator[set[str]]:
        yield {"e1"}
        raise TimeoutError

    def shows(_: object, goal: clingo.Symbol, seconds: float) -> set[str] | None:
        asked.append((str(goal), round(seconds)))
        if str(goal) in ("a1", "d1", "e2") or (str(goal) == "b1" and seconds < 10):
            raise TimeoutError
        return {"b1": {"b1"}, "c1": {"c1", "c2"}}.get(str(goal))

    monkeypatch.setattr(GroundedRun, "_brave", brave)
    monkeypatch.setattr(GroundedRun, "_shows", shows)
    goals = [clingo.Function(name) for name in ("a1", "b1", "c1", "c2", "d1", "e1", "e2", "f1")]
    monkeypatch.setattr(GroundedRun, "goals", goals)
    run = GroundedRun.__new__(GroundedRun)
    run._look = SearchGoal({}, kind=lambda goal: goal[0])
    run.simplified = True
    found, undecided = run.possible(20.0, goals, tried=("a0",))
    assert found == {"b1", "c1", "c2", "e1"}
    assert undecided == {"a1", "d1", "e2"}
    # A tenth for each, all of it for those left together, and a tenth for families that are found.
    assert asked == [
        *(("b1", 2), ("c1", 2), ("d1", 2), ("f1", 2)),
        *(("b1", 20), ("d1", 20)),
        *(("a1", 2), ("e2", 2)),
    ]


def _forever(*_: object, **__: object) -> GroundedRun:
    time.sleep(60)
    raise AssertionError


@pytest.mark.skipif(not uses_fork(), reason="only processes that are forked see what is patched")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_search_that_cannot_stop_ends_at_its_time_limit(
    lab: Generator, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lab_search, "GRACE", 0.1)
    monkeypatch.setattr(lab_search, "GroundedRun", _forever)
    found = find.find(replace(search(lab), jobs=jobs, clock=Deadline(0.2)), "factory(A1)")
    assert (found.known, found.left) == (False, ("2x1, board",))


def test_an_explanation_ends_at_its_time_limit(
    lab: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find, "GRACE", 0.1)
    monkeypatch.setattr(find, "_EXPLAINING", 0.1)
    monkeypatch.setattr(find, "unsat_core", _forever)
    within = search(lab, "board")
    held = find.find(within, "height(H) = 9")
    cut_short = find.explained(within, "height(H) = 9", held)
    assert cut_short == replace(held, excluded=NOT_KNOWN)


@slow
def test_the_lab_measures_lines_only_if_a_rule_reads_them(
    lab: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Grid] = []
    lines = generator.drawn

    def noted(grid: Grid, vertices: bool = False) -> str:
        asked.append(grid)
        return lines(grid, vertices)

    monkeypatch.setattr(generator, "drawn", noted)
    # The keys of the facts are read on a smaller grid, once per process.
    generator._line_keys.cache_clear()
    find.find(search(lab, grids=(Grid(4, 3),)), "factory(D3)")
    assert set(asked) == {Grid(3, 2)}
    find.find(search(lab), "sees(A1 - B0)")
    assert asked[-1] == SMALL
    # All that is measured is known to be.
    atoms = map(clingo.parse_term, lines(Grid(3, 2)).removesuffix(".").split(".\n"))
    assert {f"{atom.name}/{len(atom.arguments)}" for atom in atoms} == {*generator.LINES}


def test_places_are_one_pair_for_each_relative_position() -> None:
    event = Event("sight", "", "question", True)
    grid = Grid(9, 6)
    found: dict[tuple[int, ...], list[str]] = {}
    for each in places(grid, event):
        assert each.ends is not None
        ends = zip(*map(cube_of, each.ends), strict=True)
        found.setdefault(tuple(sorted(abs(a - b) for a, b in ends)), []).append(each.name)
    pairs = product(map(cube_of, grid.hexes()), repeat=2)
    every = {tuple(sorted(abs(a - b) for a, b in zip(*pair, strict=True))) for pair in pairs}
    assert found.keys() == every
    assert all(len(names) == 1 for names in found.values())
    assert found[1, 2, 3] == ["aslant 2:1, range 3"]


@slow
def test_a_resumed_search_continues_after_its_last_result(lab: Generator, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULES_ASP_CACHE", str(tmp_path / "cache"))
        off = tuple(norm for norm in lab.program.norms if norm.startswith("R-T0"))
        timed = replace(search(lab, "units", without=off), clock=Deadline(600.0))
        first = audits.conflicts(timed)
        assert first.complete
        patch.setattr("rules_asp.lab.search.run_until", _nothing_left)
        again = audits.conflicts(replace(timed, resume=True, jobs=1))
        assert again.found == first.found
        assert again.settled == first.settled


def _nothing_left(_: object, __: object, tasks: Iterator[object], *___: object) -> Iterator[object]:
    assert next(tasks, None) is None
    yield from ()


# --- the generator and what is measured for it


def _boards(grid: Grid, seed: int) -> Iterator[Board]:
    """Yield random boards with all kinds of depictions."""
    chance = random.Random(seed)
    hexes = grid.hexes()
    while True:
        built = [hex_ for hex_ in hexes if chance.random() < 0.6]
        colours = {hex_: chance.choice(("gray", "brown")) for hex_ in built}
        joined = [
            hexside_between(one, other)
            for one in built
            for other in built
            if one < other
            and other in one.neighbours()
            and colours[one] == colours[other]
            and chance.random() < 0.7
        ]
        bars = [Bar(each, chance.choice((None, SHORT))) for each in joined if chance.random() < 0.4]
        statements: list[object] = []
        raised = tuple(hex_ for hex_ in hexes if chance.random() < 0.3)
        if raised and len(raised) < len(hexes):
            statements.append(Level(1, raised))
        rest = tuple(hex_ for hex_ in hexes if hex_ not in colours and chance.random() < 0.5)
        if rest:
            statements.append(Area(chance.choice(("woods", "orchard", "brush")), rest))
        for colour in ("gray", "brown"):
            own = tuple(hex_ for hex_ in built if colours[hex_] == colour)
            if own:
                statements.append(
                    Building(
                        colour,
                        own,
                        joined=tuple(each for each in joined if colours[each.a] == colour),
                        bars=tuple(each for each in bars if colours[each.side.a] == colour),
                    )
                )
        sides = [
            hexside_between(one, other)
            for one in hexes
            for other in one.neighbours()
            if one < other and other in grid and chance.random() < 0.2
        ]
        if sides:
            statements.append(HexsideTerrain("wall", tuple(sides)))
        statements.append(Fact("section", ("b23",)))
        statements.append(Fact("section", ("abtf3",)))
        statements += [Road("dirt", (each, each.neighbour(0))) for each in hexes[-1:]]
        yield Board("random", grid, tuple(statements))  # type: ignore[arg-type]


@slow
@pytest.mark.parametrize("seed", some(range(6), 1))
def test_the_lab_measures_lines_as_the_geometry_does(lab: Generator, seed: int) -> None:
    boards = _boards(GRIDS[-1], seed)
    for _ in range(2 if whole() else 1):
        here = prepare(next(boards), lab.program)
        for place in places(here.board.grid, Event("sight", "", "question", True)):
            assert place.ends is not None
            assert _in_the_lab(lab, here, place.ends) == _on_the_board(here, place.ends), (
                here.board,
                place,
            )


@slow
@pytest.mark.parametrize("seed", some(range(6), 1))
def test_the_lab_measures_lines_to_vertices_as_the_geometry_does(lab: Generator, seed: int) -> None:
    here = prepare(next(_boards(GRIDS[-1], seed)), lab.program)
    hexes = here.board.grid.hexes()
    lines = [(one, Vertex(two, corner)) for one in hexes for two in hexes for corner in range(6)]
    seen = False
    for line in some(lines, 60, of=str(seed)):
        met = _on_the_board(here, line)
        seen |= any(fact.startswith(("meets", "crosses")) for fact in met)
        assert _in_the_lab(lab, here, line) == met, (here.board, line)
    assert seen


def _on_the_board(here: Position, line: tuple[Spot, Spot]) -> set[str]:
    if line[0] == line[1]:
        return set()
    found = here.measurer.surveyed([line], _ends(here, line)).text.split("\n")
    return {fact.removesuffix(".") for fact in found if not fact.startswith("along")}


def _ends(here: Position, line: tuple[Spot, Spot]) -> list[Location]:
    """Return the Locations at both ends of a line."""
    vertices = [Location(each) for each in line if isinstance(each, Vertex)]
    return [*vertices, *(each for each in here.index.elevations if each.spot in line)]


def _in_the_lab(lab: Generator, here: Position, line: tuple[Spot, Spot]) -> set[str]:
    """Return the facts of a line that kb/lab/lines.lp derives from the inputs of the board."""
    one, other = sorted(line, key=term_sort_key)
    measured = (
        "line",
        "adjoin",
        "meets",
        "crosses",
        "leaves_inside",
        "leaves_by",
        "within",
        "by_end",
    )
    rules = [rule for rule in lab.rules if rule.file == "lab/lines.lp"]
    event = Event("none", "", "question", True)
    given = lab.given(SearchBounds(), here.board.grid, event, EventPlace())
    world = lab.program_text(f"{given}\nvertices.\n{drawn(here.board.grid, True)}", rules)
    read_here = {(n.name, n.arity) for rule in rules for n in rule.body if n not in lab.later}
    static = "".join(f"{symbol}.\n" for each in read_here for symbol in here.cases[0].atoms(*each))
    looks = f"looks(l({one.term},0),l({other.term},0))." if one != other else ""
    (answer,) = solve(world, here.facts, static, looks)
    levels = (here.index.elevation(each) for each in _ends(here, line))
    lowest = min(level for level in levels if level is not None)
    return {
        str(symbol)
        for symbol in answer.symbols
        if symbol.name in measured and _told(here, symbol, lowest)
    }


def _told(here: Position, symbol: clingo.Symbol, lowest: int) -> bool:
    """Test whether the survey reports a fact; it omits facts that matter only to lower lines."""
    if symbol.name == "meets":
        col, row = symbol.arguments[2].arguments
        part = (Hex(col.number, row.number), str(symbol.arguments[3]))
        return lowest < here.measurer.concerns.parts.get(part, 0)
    if symbol.name == "crosses":
        kind = (str(symbol.arguments[2]), hexside_from_symbol(symbol.arguments[3]))
        return lowest < here.measurer.concerns.sides.get(kind, 0)
    return True


def test_a_search_without_boards_is_an_error(lab: Generator) -> None:
    with pytest.raises(EngineError, match="no board meets the limits of this search"):
        audits.conflicts(search(lab, "board", most=(("statements", -1),)))


# --- the commands


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, ["lab", *arguments])
    assert result.exit_code == 0, result.output
    return result.output


@slow
def test_find_and_meet_on_the_command_line(tmp_path: Path) -> None:
    told = run(
        "find", "factory(H), top(H) = V, V > 4", "--grid", "2x1", "-o", str(tmp_path / "kept")
    )
    assert "factory" in told
    assert "2x1 (3 hexes)" in told
    (kept,) = (tmp_path / "kept").iterdir()
    parse(kept.read_text("utf-8"))
    assert '"relation": "overrides"' in run(
        "meet", "b23.74-3", "B23.23-2", "--grid", "2x1", "--json"
    )
    assert "Not found: no board" in run("find", "height(H) = 9", "--grid", "2x1")


@slow
def test_find_writes_each_of_several_boards(tmp_path: Path) -> None:
    kept, drawn_ = tmp_path / "kept", tmp_path / "drawn"
    to = ["-o", str(kept), "--draw", str(drawn_)]
    told = run("find", "factory(H)", "--next", "2", "--grid", "2x1", "--jobs", "1", *to)
    texts = {path.name: path.read_text("utf-8") for path in kept.iterdir()}
    assert told.count('board "witness"') == len(set(texts.values())) == 3
    assert {path.stem for path in drawn_.iterdir()} == {name[: -len(".board")] for name in texts}


@pytest.mark.parametrize(
    "asked", some([["conflicts"], ["gaps"], ["meet", "B23.21-2", "B23.3-3"]], 1)
)
def test_a_search_without_a_result_is_incomplete(asked: list[str]) -> None:
    within = ["--event", "board", "--grid", "2x1", "--jobs", "1", "--time", "0.001"]
    result = CliRunner().invoke(main, ["lab", *asked, *within])
    assert result.exit_code == 3, result.output
    assert "Incomplete: stopped after" in result.output
    assert "so far; 0 of " in result.output


@slow
def test_stream_reports_each_finding_at_once() -> None:
    asked = ["lab", "find", "height(H) = V, V > 2", "--event", "board", "--grid", "2x1"]
    plain = CliRunner().invoke(main, asked)
    told = CliRunner().invoke(main, [*asked, "--stream"])
    assert told.stdout == plain.stdout
    assert plain.stderr == ""
    # The last that was told is the best, which the report has.
    assert told.stderr.rpartition("on 2x1, board")[2].strip() in told.stdout
    as_json = CliRunner().invoke(main, [*asked, "--stream", "--json"])
    *_, last = map(json.loads, as_json.stderr.splitlines())
    assert last in json.loads(as_json.stdout)["found"]


def test_dead_of_named_rules() -> None:
    # The section of a named rule is in force.
    asked = ["lab", "dead", "BRT7.2-4", "B23.1-2", "--grid", "2x1", "--event", "board", "--json"]
    told = json.loads(CliRunner().invoke(main, asked).stdout)
    assert told["norms"] == 2
    assert "brt7" in told["bounds"]["sections"]
    assert not told["never_fire"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["conflicts", "b24"], "there is no section b24"),
        (["dead", "b23", "B23.1-2"], "name sections (b23 pb6), or rules (B23.21-2 B23.23-2)"),
        (["dead", "B23.999"], "there is no rule B23.999"),
        (["conflicts", "--grid", "2"], "--grid must be COLUMNSxROWS, such as 3x2, not 2"),
        (["meet", "B23.999-1", "B23.1-1"], "there is no rule B23.999-1"),
        (["precedence", "B23.999"], "there is no rule B23.999"),
        (["precedence", "kindle"], "no rule kindle, and no kind of question with this name"),
        (["find", "hight(H) = 2"], "height"),
        (["conflicts", "--event", "shoot"], "there is no situation shoot"),
        (["conflicts", "--without", "R-X"], "there is no ruling R-X"),
        (["diff", "b23", "b99"], "b99 is not a set of rules"),
        (["find", "height(H) = 2", "--event", "scale"], "about the board alone"),
    ],
)
def test_invalid_arguments_are_reported(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["lab", *arguments])
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output


# --- who goes before whom; what excludes a claim; one's own rules beside the shipped ones


def test_a_chain_is_about_one_topic_and_marks_rulings(lab: Generator) -> None:
    bearing = {name: found for (name, _), found in interactions.norms_by_topic_kind(lab).items()}
    ranks = ranks_of(lab.program)
    (height,) = (each for each in chains(ranks, bearing, {"B23.74-3"}) if each.topic == "height")
    told = {pair: height.rank(*pair) for row in height.rows for pair in pairwise(row)}
    assert not told["B23.74-3", "B23.23-2"].choice
    assert told["B23.74-3", "B23.72-3"].by == "R-T09"
    assert height.circle == ()
    # Nobody goes before himself, on any question.
    assert not [each for each in chains(ranks, bearing, set(lab.program.norms)) if each.circle]


@slow
def test_the_chains_of_a_norm_contain_all_its_ranks(
    lab: Generator,
) -> None:
    bearing = {name: found for (name, _), found in interactions.norms_by_topic_kind(lab).items()}
    ranks = ranks_of(lab.program)
    ranked = [each for each in ranks.ranks if each.how != "yields"]
    tried = 0
    for norm in some(sorted({each.winner for each in ranked} & {e.loser for e in ranked}), 40):
        chained = {each.topic: each for each in chains(ranks, bearing, {norm})}
        for topic, there in bearing.items():
            here = [
                e for e in ranked if {e.winner, e.loser} <= there and norm in (e.winner, e.loser)
            ]
            rows = chained[topic].rows if topic in chained else ()
            below = {pair for row in rows for pair in pairwise(row)}
            for each in here:
                seen, todo = {each.winner}, [each.winner]
                while todo:
                    new = {loser for winner, loser in below if winner in todo} - seen
                    seen |= new
                    todo = sorted(new)
                assert each.loser in seen, (norm, topic, each)
                tried += 1
    assert tried > 20


@slow
def test_an_explanation_names_a_minimal_set_of_norms(lab: Generator) -> None:
    within = search(lab, "board")
    claim = "factory(H), has_level(H, 3)"
    found = find.explained(within, claim, find.find(within, claim)).excluded
    assert found is not None
    assert found.norms == ("B23.74-5",)
    assert found.whole
    held = find.find(within, "height(H) = 9")
    nothing = find.explained(within, "height(H) = 9", held).excluded
    assert nothing is not None
    assert nothing.norms == ()


def _why(within: Search, claim: str) -> tuple[SearchReport[GoalWitness], UnsatCore]:
    """Return the search for an impossible claim, and its explanation."""
    found = find.explained(within, claim, find.find(within, claim))
    assert not found.found
    assert found.excluded is not None
    return found, found.excluded


@slow
def test_an_explanation_names_the_range_of_stated_numbers(lab: Generator) -> None:
    within = search(lab, "board", sections=("b23", "pb4"))
    six = "building_hex(B1), at least 6 X: of_hex(X, B1, _)"
    found, why = _why(within, six)
    assert (why.norms, why.bounds) == (("PB4.2-7",), ("the numbers that boards may state",))
    assert any(each.name == "ssr_levels" for each in found.lets)
    assert find.find(within, f"{six}, ssr_levels(B1, 4)").found
    # Where they are beside the point they are not told.
    found, why = _why(within, "factory(H), has_level(H, 3)")
    assert "B23.74-5" in why.norms
    assert found.lets == ()


@slow
def test_conditions_on_boards_and_claims_have_the_same_explanation(lab: Generator) -> None:
    within = search(lab, "board")
    _, why = _why(within, "fortified(A1/1, W), not fortified(A1, _)")
    never = "not fortified(A1, hidden), not fortified(A1, revealed)"
    within = search(lab, "board", where=never)
    assert _why(within, "fortified(A1/1, W)")[1].norms == why.norms


@slow
def test_an_explanation_without_norms_names_norms_about_the_topic(lab: Generator) -> None:
    found, why = _why(search(lab), "legal(fortify(A1/roof))")
    assert (why.norms, why.bounds, found.lets) == ((), (), ())
    assert "B23.81-6" in why.speaking
    # What it permits on floors is not spoken of the roof.
    assert "B23.912-1" not in why.speaking
    assert "B23.81-6" in "".join(unsat_core_lines(why, lab.program.norms))
    _, why = _why(search(lab), 'illegal(fortify(A1/1), "B23.912-1")')
    assert why.speaking[0] == "B23.912-1"


def test_generated_boards_may_state_every_number_of_a_claim(lab: Generator) -> None:
    """Each choice of a number ranges over the usual numbers and those of the claim."""
    inputs = vocabulary().inputs
    of_numbers = {name for name, each in inputs.items() if NUMBERS.intersection(each.kinds)}
    # A column of the IFT stands for all others.
    chosen = [
        rule
        for rule in lab.rules
        if rule.file.startswith("lab/")
        and "{" in rule.text.partition(":-")[0]
        and {node.name for node in rule.heads} & (of_numbers - {"ift"})
    ]
    assert len(chosen) > 20
    for rule in chosen:
        assert "lets(" in rule.text, rule.text


@slow
def test_an_explanation_names_the_norm_that_all_boards_break(
    lab: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    within = search(lab, "board")
    claim = "fortified(X, V), of_hex(X, H, 1), marketplace(H)"
    held = find.find(within, claim)
    assert not held.found
    why = find.explained(within, claim, held).excluded
    assert why is not None
    assert "B23.912-2" in why.norms
    assert why.whole
    assert why.bounds == ("boards that break no norm",)
    assert "B23.912-2" in "".join(unsat_core_lines(why, lab.program.norms))
    # Where it cannot be found out, that is told.
    monkeypatch.setattr(find, "call_isolated", lambda *_, **__: None)
    unknown = find.explained(within, claim, held).excluded
    assert unknown is not None
    assert unsat_core_lines(unknown, {}) == [
        "The search for the rules that rule it out did not finish in time."
    ]


@slow
def test_several_counted_literals_need_brackets(lab: Generator) -> None:
    with pytest.raises(
        QuestionError, match=r"in brackets: at least 4 X: \(fortified\(X, V\), of_hex"
    ):
        find.find(search(lab), "at least 4 X: fortified(X, V), of_hex(X, A1, L)")
    (four,) = find.find(
        search(lab, "board"), "at least 4 X: (fortified(X, V), of_hex(X, A1, L))"
    ).found
    confirmed(lab, four)


@slow
def test_an_unproved_minimum_is_minimised_again(
    lab: Generator,
) -> None:
    base = search(lab, "board", sections=("b23", "pb6"))
    (least,) = find.find(base, "factory(B1), height(B1) = V").found
    head, *said = least.witness.text.splitlines()
    more = "\n".join((head, "woods: A1", "road paved: A1-B1", *said, ""))
    large = replace(least, witness=of_text(more))
    assert confirm(large.witness, lab, base.bounds).doubt is None
    assert minimise_witness(base, large) == large, "it is proved that there is no smaller one"
    open_ = replace(large, least=False)
    assert sorted(minimise_witness(base, open_).witness.text.splitlines()) == sorted([head, *said])
    where = replace(base, bounds=replace(base.bounds, where="terrain(A1, woods)"))
    assert "woods: A1" in minimise_witness(where, open_).witness.text
    assert "road" not in minimise_witness(where, open_).witness.text
