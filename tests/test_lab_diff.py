"""Two sets of rules: the differences that `lab diff` reports, with the manner and the rules of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import clingo
import pytest

from rules_asp.game.grid import Grid
from rules_asp.game.house_rules import SourceError
from rules_asp.knowledge.reader import read_rules
from rules_asp.knowledge.rules import Functor, Signature
from rules_asp.lab import rulesets
from rules_asp.lab import search as lab_search
from rules_asp.lab.change_effect import acting_goal, starting_nodes, with_effect
from rules_asp.lab.diff import (
    Difference,
    _comparing,
    changed_expectations,
    compare_rule_sets,
    diff,
    first_difference,
)
from rules_asp.lab.diff_goals import (
    disagreement_goals,
    events_by_distance,
    events_that_settle,
    goals_settled,
    in_order,
    order_for,
)
from rules_asp.lab.generator import GRIDS, OTHER, BoardModel, Generator, SearchSite
from rules_asp.lab.goals import GoalRules, SearchGoal
from rules_asp.lab.grounded_run import GroundedRun
from rules_asp.lab.rulesets import (
    RuleSet,
    joint_program,
    kinds_named,
    parse_rule_set,
    parse_rule_sets,
)
from rules_asp.lab.search import OutcomeCache, first_at, shown_by
from rules_asp.lab.witness import Confirmation, GoalWitness, SiteOutcome
from rules_asp.parser import parse
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import prepare
from rules_asp.queries.check import check
from rules_asp.runtime.limits import Deadline
from tests.labs import copied, search, the_lab
from tests.positions import program
from tests.sampling import slow, some, whole


@pytest.fixture(scope="module")
def lab() -> Generator:
    return the_lab()


@pytest.mark.skipif(not whole(), reason="takes long: --whole")
def test_the_printed_bar_in_a_factory_of_two_sections(lab: Generator) -> None:
    where = "short_bar(S), factory(A1), factory(B0)"
    sides = (parse_rule_set("b23"), parse_rule_set("abtf3"))
    found = first_difference(*sides, search(lab, "sight", where=where), {("s", 2)})
    assert found is not None
    assert found.answers == ("yes", "no")
    assert "ABTF3.31" in found.cites[1]
    assert found.boards is not None
    assert "bar A1-B0 covers 0-27" in found.boards[0].text


@pytest.mark.skipif(not whole(), reason="takes long: --whole")
def test_what_a_ruling_changes(lab: Generator) -> None:
    found = diff(
        parse_rule_set("b23"),
        parse_rule_set("b23-R-T03"),
        search(lab, "board", most=(("statements", 3),)),
    )
    by_topic = {each.topic: each for each in found.found}
    assert by_topic["height"].answers[0] == "1 1/2"
    assert by_topic["height"].answers[1].startswith("unknown")
    for each in found.found:
        assert each.doubt is None
        assert each.answers[0] != each.answers[1]


@pytest.mark.skipif(not whole(), reason="takes long: --whole")
def test_the_same_rules_differ_in_nothing(lab: Generator, tmp_path: Path) -> None:
    assert (
        diff(parse_rule_set("b23"), parse_rule_set(str(copied(tmp_path))), search(lab)).found == ()
    )


@slow
def test_the_first_difference_of_some_kind(lab: Generator) -> None:
    rules = [parse_rule_set("b23"), parse_rule_set("b23-R-T03")]
    few = search(lab, "board", most=(("statements", 3),))
    found = first_difference(*rules, few, {("height", 1)})
    assert found is not None
    assert found.topic == "height"
    assert found.boards is not None
    assert found.doubt is None
    assert first_difference(*rules, few, {("stairwell", 1)}) is None


@slow
def test_the_boards_of_a_difference_break_no_norm(lab: Generator) -> None:
    sides = [parse_rule_set("b23"), parse_rule_set("b23-R-T51")]
    for event in ("duty", "shot(direct)"):
        found = first_difference(*sides, search(lab, event), {("cover", 1)})
        assert found is not None
        assert found.boards is not None
        for rules, board in zip(sides, found.boards, strict=True):
            here = prepare(parse(board.plain), rules.program, rules.without)
            assert check(here).violations == ()


@slow
@pytest.mark.parametrize(("more", "less", "differs"), [(1, -1, False), (2, -1, True)])
def test_sums_differ_where_their_parts_do_not_cancel_out(
    lab: Generator, tmp_path: Path, more: int, less: int, differs: bool
) -> None:
    """FFNAM told as three modifiers: two more that cancel out, or do not."""
    copy = copied(tmp_path)
    with (copy / "general" / "fire_drm.lp").open("a", encoding="utf-8") as file:
        for part in (more, less):
            drm = f"drm(shot(X,Y,How,moving)), {part}, part({part})"
            file.write(f'adds("A4.6-2", {drm}) :- fired(shot(X,Y,How,moving)).\n')
    small = search(lab, "shot(direct)", most=(("statements", 1), ("buildings", 0)))
    found = first_difference(parse_rule_set("b23"), parse_rule_set(str(copy)), small, {("drm", 1)})
    assert (found is not None) is differs
    if found is not None:
        assert found.doubt is None
        assert [int(each) for each in found.answers] in ([-1, 0], [-2, -1])


@pytest.mark.skipif(not whole(), reason="takes long: --whole")
def test_a_no_that_one_of_two_sets_of_rules_says_is_no_difference(lab: Generator) -> None:
    towers = [parse_rule_set("pb6"), parse_rule_set("brt7")]
    # PB6.41 says of its Tower that it has no cellar; in BRT 7 nothing gives it one.
    assert first_difference(*towers, search(lab, "board"), {("cellar", 1)}) is None
    found = first_difference(*towers, search(lab, "board"), {("tower_height", 1)})
    assert found is not None
    assert found.doubt is None


def test_a_foreign_folder_reads_nothing_else(tmp_path: Path) -> None:
    folder = copied(tmp_path)
    (folder / "b23" / "evil.lp").write_text('#include "/etc/passwd".', "utf-8")
    with pytest.raises(SourceError, match="only rules"):
        parse_rule_set(str(folder))


@pytest.mark.parametrize("name", ["b24", "b23-R-X", "nowhere/at/all"])
def test_rules_that_there_are_not(name: str) -> None:
    with pytest.raises(QuestionError):
        parse_rule_set(name)


@slow
def test_one_changed_norm_against_the_shipped_rules(lab: Generator, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    text = (
        '%@ B23.22-2  Two levels high.\nsays("B23.22-2", height(H), 4) :- is(btype(H),two_story).\n'
    )
    (own / "houses.lp").write_text(text, "utf-8")
    sides = parse_rule_set("b23"), parse_rule_set(str(own))
    found = first_difference(
        *sides, search(lab, "board", most=(("statements", 3),)), {("height", 1)}
    )
    assert found is not None
    assert found.answers == ("1 1/2", "2")
    case = tmp_path / "house.board"
    case.write_text(
        'board "house" grid 2x6\nlevel 2: A1\nbuilding brown: A2 B1 joined A2-B1\n'
        "expect height(A2) = 1 1/2\nexpect los A1 - A6 clear   cites A6.4\n",
        "utf-8",
    )
    turns = list(changed_expectations(*sides, [tmp_path]))
    assert [each.passed for each in turns] == [(True, False)] * 2
    assert [(each.line, each.question) for each in turns] == [
        (4, "height(A2) = 1 1/2"),
        (5, "los A1 - A6 clear"),
    ]


def test_a_folder_that_changes_a_section_is_compared_with_it_in_force(
    lab: Generator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own+er"
    own.mkdir()
    (own / "towers.lp").write_text(
        "%@ HOUSE.1-1  The TEM of a Tower Location is +1.\n"
        'says("HOUSE.1-1", tem_at(l(H,tower)), 1) :- pb6_tower(H).\n'
        'overrides("HOUSE.1-1",("PB6.3-3";"GR.10-2";"B23.421-8")).\n',
        "utf-8",
    )
    read_: list[Path] = []
    if not whole():
        # To build the rules with those of the folder takes seconds.
        monkeypatch.setattr(
            rulesets, "with_house_rules", lambda at: read_.append(at) or lab.program
        )
    both = parse_rule_sets("pb6", f"{own}")
    assert [each.sections for each in both] == [("b23", "pb6")] * 2
    named = parse_rule_set(f"pb4+pb6-R-P2+{own}")
    assert (named.sections, named.without) == (("b23", "pb4", "pb6"), ("R-P2",))
    if not whole():
        assert read_ == [own, own]
        return
    assert "HOUSE.1-1" in named.program.norms
    found = first_difference(*both, search(lab, "board"), {("tem_at", 1)})
    assert found is not None
    assert found.answers == ("0", "1")


# --- in which way


_NOTHING = "there is no such thing"


def _way(answers: tuple[str, str]) -> str:
    """The way in which two answers differ, by themselves."""
    answers = ("no", answers[1]) if answers[0] == _NOTHING else answers
    answers = (answers[0], "no") if answers[1] == _NOTHING else answers
    known = [each != "no value" and not each.startswith("unknown") for each in answers]
    if known[0] != known[1]:
        return "known"
    return {("yes", "no"): "more", ("no", "yes"): "less"}.get(answers, "another")


@slow
def test_each_way_in_which_answers_differ_has_its_board_and_turns_with_the_sides(
    lab: Generator,
) -> None:
    towers = [parse_rule_set("pb6"), parse_rule_set("brt7")]
    kinds = [("s", 2), ("tem_at", 1), ("has_level", 2), ("stacking_limit", 1)]

    def told(here: list[rulesets.RuleSet]) -> dict[tuple[str, str], Difference]:
        most = (("buildings", 1),)
        found = compare_rule_sets(
            *here, search(lab, "board", "sight", most=most), kinds
        ).differences
        assert found.whole
        for each in found.found:
            assert each.way == _way(each.answers), each.answers
        return {(each.topic, each.way): each for each in found.found}

    there, back = told(towers), told(towers[::-1])
    turned_ = {"more": "less", "less": "more"}
    assert there.keys() == {(topic, turned_.get(way, way)) for topic, way in back}
    assert len({topic for topic, _ in there}) < len(there)
    assert {way for _, way in there} > {"known", "more"}
    assert there["hindrance", "another"].boards is not None


# --- without a norm


@pytest.mark.parametrize(
    ("name", "without", "lacking"),
    [
        ("b23-R-T03", ("R-T03",), ()),
        ("pb6+pb4-b23.3-3-r-t03", ("R-T03",), ("B23.3-3",)),
        ("b23-B23.3-3-B23.25-5", (), ("B23.3-3", "B23.25-5")),
    ],
)
def test_rules_without_rulings_and_norms(
    name: str, without: tuple[str, ...], lacking: tuple[str, ...]
) -> None:
    found = parse_rule_set(name)
    assert (found.without, found.lacking) == (without, lacking)
    assert not any(map(found.has, (*without, *lacking)))
    assert found.has("B23.3-2")


@slow
def test_what_hangs_on_a_norm_is_what_differs_without_it(lab: Generator) -> None:
    both = parse_rule_set("b23"), parse_rule_set("b23-B23.3-3")
    few = search(lab, "board", most=(("statements", 2),))
    found = compare_rule_sets(*both, few, [("tem_at", 1)])
    (row,) = found.differences.found
    assert (row.topic, row.answers[0], row.way) == ("tem_at", "3", "known")
    assert (row.single, row.changed) == (("B23.3-3",), ())


def test_a_norm_that_says_nothing_cannot_be_taken_away() -> None:
    with pytest.raises(QuestionError, match=r"B23\.1-1 cannot be removed"):
        parse_rule_set("b23-B23.1-1")
    with pytest.raises(QuestionError, match=r"no norm B23\.3-33; did you mean B23\.3-3\?"):
        parse_rule_set("b23-B23.3-33")


# --- where it is looked for first


@pytest.mark.parametrize(
    ("kinds", "first"),
    [
        ([("s", 2)], {"sight", "adjacent", "in_the_dark", "vertex"}),
        ([("stacking_limit", 1)], {"stacking"}),
        (
            [("step", 5)],
            {"move", "rout", "advance", "withdraw", "drive", "scale", "reach", "bypass"},
        ),
        ([("kindle", 2), ("place", 2)], {"fire", "roll", "place"}),
    ],
)
def test_events_that_bring_up_a_kind_come_first(
    lab: Generator, kinds: list[Functor], first: set[str]
) -> None:
    order = in_order(lab, dict.fromkeys(kinds, 0))
    assert {*order[: len(first)]} == first
    assert {*order} == {each.name for each in lab.events} - {"claim"}
    assert in_order(lab, dict.fromkeys([*kinds, ("s", 2)], 0))[0] == "sight"
    # What is wanted less comes later.
    last = in_order(lab, {("s", 2): 9, **dict.fromkeys(kinds, 0)})
    assert last[0] in first


@pytest.mark.parametrize(
    ("layers", "alone"),
    [
        ({("top", 1): ["board"]}, ("board",)),
        ({("s", 2): ["sight"]}, ("sight", "vertex")),
        ({("stacking_limit", 1): ["question"]}, ("stacking",)),
        (
            {("stacking_limit", 1): ["question"], ("tem", 1): ["question"]},
            ("roll", "shot", "stacking", "vertex"),
        ),
        ({("top", 1): ["board"], ("must_rout", 1): ["question"]}, ("board", "duty")),
        ({("top", 1): ["board"], ("nothing_asks", 1): ["question"]}, ()),
    ],
)
def test_questions_of_some_kinds_are_settled_by_the_events_that_ask_them(
    lab: Generator, layers: dict[Functor, list[str]], alone: tuple[str, ...]
) -> None:
    assert events_that_settle(lab, layers) == alone


@slow
def test_events_that_show_nothing_of_a_kind_are_refused(lab: Generator) -> None:
    towers = parse_rule_set("pb6"), parse_rule_set("brt7")
    with pytest.raises(
        QuestionError, match=r"tem does not occur in these events: use --event with .*shot"
    ):
        compare_rule_sets(*towers, search(lab, "board"), kinds_named("tem"))
    one, other = parse_rule_set("b23"), parse_rule_set("b23-B23.32-2")
    with pytest.raises(
        QuestionError, match=r"tem does not occur in these events: use --event with .*shot"
    ):
        compare_rule_sets(one, other, search(lab, "indirect"), kinds_named("tem"))
    # The height does not depend on the norm, whatever is asked.
    same = compare_rule_sets(one, other, search(lab, "indirect"), kinds_named("height"))
    assert same.differences.whole
    assert not same.differences.found


@slow
def test_a_kind_is_searched_in_each_event_that_answers_it(lab: Generator) -> None:
    # B23.711-11 has an effect on the result of a Bog Check, but the event `bog` asks about the dr.
    sides = parse_rule_set("b23"), parse_rule_set("b23-B23.711-11")
    found = compare_rule_sets(*sides, search(lab, grids=GRIDS[:1]), kinds_named("effect"))
    assert {each.topic.partition("(")[0] for each in found.differences.found} == {"effect"}
    assert {each.where for each in found.differences.found} == {"2x1, bog"}


@slow
def test_of_some_kinds_it_is_reported_what_is_alike(lab: Generator) -> None:
    towers = parse_rule_set("pb6"), parse_rule_set("brt7")
    found = compare_rule_sets(*towers, search(lab), kinds_named("stacking_limit"))
    assert found.differences.whole
    assert (found.differences.found, found.same) == ((), ("stacking_limit",))


@slow
def test_a_no_beside_nothing_that_lets_or_not_is_a_difference(lab: Generator) -> None:
    towers = parse_rule_set("pb6"), parse_rule_set("brt7")
    found = compare_rule_sets(*towers, search(lab), kinds_named("may_end"))
    assert (found.differences.whole, found.same) == (True, ())
    answers = {frozenset(each.answers) for each in found.differences.found}
    assert frozenset(("no", "unknown (no rule in force decides it)")) in answers


@slow
def test_the_board_of_either_side_has_what_its_rules_read(lab: Generator) -> None:
    towers = parse_rule_set("pb6"), parse_rule_set("brt7")
    found = compare_rule_sets(*towers, search(lab, "board"), kinds_named("elev")).differences.found
    boards = [each.boards for each in found if each.boards is not None]
    assert any("obstacle" in mine.text or "hindrance" in mine.text for mine, _ in boards)
    assert not any("tower " in theirs.plain for _, theirs in boards)


@slow
@pytest.mark.parametrize(
    ("changed", "first"),
    [
        ("b23-B23.26-1", "sight"),
        ("b23-B23.911-3", "fortify"),
        ("b23-B23.6-1", "fire"),
        ("b23-R-T51", "shot(direct)"),
    ],
)
def test_events_in_which_what_is_changed_comes_up_come_first(
    lab: Generator, changed: str, first: str
) -> None:
    order = order_for(lab, parse_rule_set("b23"), parse_rule_set(changed), None)
    assert order is not None
    assert first in order[:4], order
    assert {*order} == {each.name for each in lab.events} - {"claim"}


def test_what_rests_on_what_is_changed_is_as_far_as_rules_lie_between() -> None:
    rules, _ = read_rules(
        "says(n, b, 1) :- is(a, 1). permits(n, c(X)) :- is(b, V), d(X). says(n, e, 1) :- is(c, 1).\n"
        "adds(n, f, 1, part) :- is(b, 1), is(a, 2)."
    )
    found = events_by_distance(rules, [("a", 0)])
    assert found == {("a", 0): 0, ("b", 0): 1, ("f", 0): 1, ("c", 1): 2}


@slow
def test_only_sites_where_a_changed_rule_has_an_effect_are_searched(
    lab: Generator, tmp_path: Path
) -> None:
    copy = copied(tmp_path)
    file = copy / "b23" / "b23_742_movement.lp"
    text = file.read_text("utf-8")
    cost = '"B23.742-1", entry_cost(step(B,U,X,Y,enter)), {}'
    assert cost.format(4) in text
    file.write_text(text.replace(cost.format(4), cost.format(6)), "utf-8")
    sides = parse_rule_sets("b23", str(copy))
    told: list[object] = []

    class Enough(Exception):
        pass

    def first(each: object) -> None:
        told.append(each)
        raise Enough

    with pytest.raises(Enough):
        compare_rule_sets(*sides, replace(search(lab), found=first))
    (found,) = told
    assert isinstance(found, Difference)
    assert (found.topic, found.doubt) == ("entry_cost", None)
    assert "move" in found.where


# --- what a difference settles


def test_two_different_answers_settle_a_kind_of_question() -> None:
    apart = {*goals_settled("differs(step,apart)", False)}
    assert {"differs(step,known)", "elsewhere(step)", "knows(other,step)"} <= apart
    assert apart == {*goals_settled("differs(step,apart)", True)}
    assert not {*goals_settled("differs(step,known)", False)}
    known = {*goals_settled("differs(step,known)", True)}
    assert known == {"differs(step,apart)", "elsewhere(step)"}
    assert not {*goals_settled("knows(one,step)", True)}


def test_goals_that_a_difference_settles_are_searched_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = _comparing(*parse_rule_sets("b23", "b23-B23.3-3"), search(the_lab(), "board", "use"))
    here = replace(here, bounds=replace(here.bounds, grids=GRIDS))
    findings = [("differs(tem_at,known)",), ("differs(tem,apart)",)]
    skipped: list[tuple[Grid, frozenset[str]]] = []
    started: set[Grid] = set()

    def run(_jobs: object, _state: object, tasks: Any, _clock: object, note: Any) -> Iterator[Any]:
        for _, spot, (known, *_) in tasks:
            skipped.append((spot.grid, known))
            # The first site with a larger grid has one more finding.
            is_new = spot.grid == GRIDS[1] and not findings and GRIDS[1] not in started
            started.add(spot.grid)
            shown = ("differs(top,known)",) if is_new else findings.pop(0) if findings else ()
            found = tuple((goal, None) for goal in shown)
            outcome = SiteOutcome(spot, found)
            note(outcome)
            yield outcome

    monkeypatch.setattr("rules_asp.lab.search.run_until", run)
    assert len(list(here.outcomes())) == len(skipped)
    (first, second, *_), larger = ([known for grid, known in skipped if grid == e] for e in GRIDS)
    assert first == frozenset()
    assert second == {"differs(tem_at,known)"}
    found = {"differs(tem_at,known)", "differs(tem,apart)"}
    at_once = found | here.look.settled(found)
    assert {"differs(tem,known)", "knows(one,tem)"} < at_once
    before = at_once | {"differs(tem_at,apart)", "elsewhere(tem_at)"}
    assert larger[0] == before
    assert {*larger[1:]} == {frozenset(before | {"differs(top,known)"})}


def test_an_outcome_is_reused_if_a_cached_difference_settles_its_known_goals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULES_ASP_CACHE", str(tmp_path))
    here = _comparing(*parse_rule_sets("b23", "b23-B23.3-3"), search(the_lab(), "board", "use"))
    one, other, *_ = here.spots(GRIDS[0])
    kept = OutcomeCache((b"rules",))
    kept.put(SiteOutcome(one, (("differs(tem,apart)", None),)), ())
    kept.put(SiteOutcome(other), ("differs(tem,known)",))
    assert kept.usable((one, other), (), here.look).keys() == {one, other}
    assert kept.usable((other,), (), here.look).keys() == set()
    # That one answer is unknown settles nothing on the same grid.
    kept.put(SiteOutcome(one, (("differs(tem,known)", None),)), ())
    kept.put(SiteOutcome(other), ("differs(tem,apart)",))
    assert kept.usable((one, other), (), here.look).keys() == {one}
    larger = SearchSite(GRIDS[1], other.event, other.place)
    kept.put(SiteOutcome(larger), ("differs(tem,apart)",))
    assert kept.usable((one, larger), (), here.look).keys() == {one, larger}


@pytest.mark.parametrize(
    ("other", "event"), [("b23-B23.74-3", "gun"), ("b23-R-T03", "use"), ("pb6", "board")]
)
def test_the_static_filter_of_goals_loses_none(other: str, event: str) -> None:
    here = _comparing(*parse_rule_sets("b23", other), search(the_lab(), event))
    spot = here.spots(GRIDS[0])[0]
    filtered = here.look.remaining(here.lab, here.bounds, spot, frozenset())
    assert filtered is not None
    goals = [
        GroundedRun(here.lab, here.bounds, spot, look, here.clock).goals
        for look in (filtered, here.look)
    ]
    assert goals[0] == goals[1]
    assert goals[0]
    assert len(filtered.parts[spot.event.layer].members) < sum(
        len(part.members) for part in here.look.parts.values()
    )


@slow
@pytest.mark.parametrize("norm", some(["B23.88-2", "B23.41-14", "B23.711-11", "B23.421-4"], 1))
def test_the_kinds_that_differ_are_those_that_differ_in_detail(lab: Generator, norm: str) -> None:
    sides = parse_rule_sets("b23", f"b23-{norm}")
    here = search(lab, grids=GRIDS[:1])
    found = compare_rule_sets(*sides, here).differences
    both, changed = joint_program(*sides)
    parts = disagreement_goals(both, changed)
    kinds = {
        goal.kind for part in parts.values() for each in part.members for goal in each.goals or ()
    }
    detailed = compare_rule_sets(*sides, here, sorted(filter(None, kinds))).differences
    assert found.whole
    assert detailed.whole
    assert found.found
    of_kind = defaultdict(set)
    for each in detailed.found:
        of_kind[each.topic.partition("(")[0]].add(each.way)
    assert {each.topic for each in found.found} == of_kind.keys()
    # A row has an unknown answer only if its kind has no two different answers.
    for row in found.found:
        assert (row.way == "known") == (of_kind[row.topic] == {"known"})


def test_a_question_about_a_thing_of_one_side_alone_is_not_compared() -> None:
    # B23.74-3 gives a Factory its height, so that only one side has Locations on its stairs. A Gun
    # there, and the dr to push it there, are asked about on one side alone.
    here = _comparing(*parse_rule_sets("b23", "b23-B23.74-3"), search(the_lab(), "gun"))
    run = GroundedRun(here.lab, here.bounds, here.spots(GRIDS[0])[0], here.look, here.clock)
    there, _ = run.possible(20.0)
    assert "elsewhere(dice)" in there
    assert "differs(dice,known)" not in there
    # The board shows a difference that counts, although other topics differ without counting.
    goal = clingo.parse_term("differs(post,known)")
    assert str(goal) in there
    board = run.least(goal)
    assert board is not None
    assert here.look.confirms is not None
    assert here.look.confirms(shown_by(here, board)).doubt is None


def test_a_form_that_both_sides_ask_about_is_compared() -> None:
    # Only one side asks about pushing a Gun to the stairs of a Factory, but both about a Bog Check.
    sides = parse_rule_sets("b23", "b23-B23.74-3-B23.41-10")
    here = _comparing(*sides, search(the_lab(), "bog"))
    run = GroundedRun(here.lab, here.bounds, here.spots(GRIDS[0])[0], here.look, here.clock)
    assert "differs(modifier,apart)" in run.possible(20.0)[0]


def test_a_difference_without_a_confirmed_board_settles_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = _comparing(*parse_rule_sets("b23", "pb6"), search(the_lab(), "use"))
    spot = here.spots(GRIDS[0])[0]
    confirms = here.look.confirms
    assert confirms is not None

    def doubtful(shown: GoalWitness) -> Confirmation:
        found = confirms(shown)
        return replace(found, doubt="no") if shown.goal == "differs(bare,apart)" else found

    monkeypatch.setattr(lab_search, "_TRIED", 2)
    run = GroundedRun(here.lab, here.bounds, spot, here.look, here.clock)
    others = {str(goal) for goal in run.goals if "(bare" not in str(goal)}
    look = replace(here.look, confirms=doubtful)
    outcome = lab_search._searched(replace(here, look=look), spot, frozenset(others), True)
    assert outcome.unconfirmed == {"differs(bare,apart)"}
    assert "differs(bare,known)" in {goal for goal, _ in outcome.found}


def test_a_board_is_asked_about_a_difference_that_counts() -> None:
    here = _comparing(*parse_rule_sets("b23", "b23-B23.3-3"), search(the_lab(), "board"))
    atoms = (
        "differs(tem_at(l((0,0),0)),another)",
        "differs(tem_at(l((1,0),0)),another)",
        "difference(tem_at(l((1,0),0)),another)",
    )
    goal = clingo.parse_term("differs(tem_at,apart)")
    spot = here.spots(GRIDS[0])[0]
    model = BoardModel(goal, tuple(map(clingo.parse_term, atoms)), spot, (0, 0))
    assert here.look.evidence is not None
    assert str(here.look.evidence(model)) == "tem_at(B0) = Value"


def test_the_rules_of_the_second_rule_set_need_the_same_topics() -> None:
    both, _ = joint_program(*parse_rule_sets("b23", "b23-B23.3-3"))
    own = {rule.text: both._trigger(rule) for rule in both.rules}
    compared = 0
    for text, found in own.items():
        first = own.get(text.replace(OTHER, ""))
        if OTHER in text and first is not None:
            compared += 1
            for mine, theirs in ((found.needs, first.needs), (found.gives, first.gives)):
                keys = frozenset((name.removesuffix(OTHER), word) for name, word in mine)
                assert keys == theirs
    assert compared > 100


def test_an_event_is_not_searched_for_kinds_that_nothing_there_answers() -> None:
    here = _comparing(*parse_rule_sets("b23", "b23-B23.732-2"), search(the_lab(), "sight", "gun"))

    def kinds(event: str) -> set[str]:
        spot = next(each for each in here.spots(GRIDS[0]) if each.event.name == event)
        look = here.look.remaining(here.lab, here.bounds, spot, frozenset())
        parts = () if look is None else look.parts.values()
        goals = (goal for part in parts for each in part.members for goal in each.goals or ())
        return {goal.kind[0] for goal in goals if goal.kind}

    assert "s" in kinds("sight")
    assert not {"firepower", "ift_column", "spent"} & kinds("sight")


def first_differences(
    lab: Generator, tmp_path: Path, rules: str, kind: Functor
) -> Iterator[Difference]:
    """The first difference between the included rules and house rules, and the other way round."""
    (tmp_path / "own.lp").write_text(rules, "utf-8")
    sides = parse_rule_set("b23"), parse_rule_set(str(tmp_path))
    for one, other in (sides, sides[::-1]):
        found = first_difference(one, other, search(lab, "board"), {kind})
        assert found is not None
        assert found.doubt is None
        yield found


@slow
def test_a_helper_rule_that_only_one_side_has_is_compared(lab: Generator, tmp_path: Path) -> None:
    rules = (
        '%@ XX1.1-1  A Single Story House has no height.\noverrides("XX1.1-1","B23.21-2").\n'
        'says("XX1.1-1", height(H), 0) :- low_house(H).\nlow_house(H) :- is(btype(H),single_story).\n'
    )
    for found in first_differences(lab, tmp_path, rules, ("height", 1)):
        assert "0" in found.answers


@slow
def test_a_topic_that_is_a_sum_for_one_side_alone_is_compared(
    lab: Generator, tmp_path: Path
) -> None:
    rules = (
        "%@ XX1.1-1  A Single Story House has a TEM that is one higher.\n"
        'adds("XX1.1-1", tem_at(X), 1, house) :- of_hex(X,H,0), is(btype(H),single_story).\n'
    )
    for found in first_differences(lab, tmp_path, rules, ("tem_at", 1)):
        assert sorted(found.answers) in (["2", "3"], ["3", "4"])


def precedence(tmp_path: Path, name: str, *lines: str) -> RuleSet:
    own = tmp_path / name
    own.mkdir()
    (own / "own.lp").write_text(
        '%@ XX1.1-1  A Single Story House has no height.\nsays("XX1.1-1", height(H), 0) :- '
        "is(btype(H),single_story).\n" + "\n".join(lines),
        "utf-8",
    )
    return parse_rule_set(str(own))


@slow
def test_a_change_of_precedence_acts_on_topics_of_both_norms_alone(tmp_path: Path) -> None:
    height, btype = ("height", 1), ("btype", 1)

    def anew(one: RuleSet, other: RuleSet, *changed: Signature) -> set[Functor]:
        acts = rulesets.kinds_ranked_anew(one, other, changed)
        return {kind for kind in (height, btype, ("step", 5)) if acts(kind)}

    plain = parse_rule_set("b23")
    silent = precedence(tmp_path, "silent")
    new = precedence(tmp_path, "new", 'overrides("XX1.1-1","B23.21-2").')
    assert anew(plain, plain) == anew(plain, silent) == set()
    assert anew(silent, new) == anew(new, silent) == {height}
    # A norm of one set ranks two norms of both.
    between = 'overrides("XX1.1-1","B23.21-2").', 'overrides("B23.22-2","XX1.1-1").'
    assert anew(plain, precedence(tmp_path, "between", *between)) == {height}
    # A condition of precedence differs.
    section = Signature("section", 1)
    assert height in anew(plain, plain, section)
    assert anew(plain, parse_rule_set("b23-R-T03")) == {height}


@slow
@pytest.mark.parametrize(
    ("norm", "kind", "event", "place"),
    [
        ("B23.3-3", ("building_tem", 1), "board", 0),
        ("R-T03", ("height", 1), "board", 0),
        ("B23.41-1", ("step", 5), "drive", 0),
        # A lift of a Hindrance needs three hexes of a Factory, rubble between and higher ground.
        ("B23.743-3", ("s", 2), "sight", 1),
    ],
)
def test_a_search_that_knows_where_a_change_has_an_effect_finds_the_same(
    lab: Generator, norm: str, kind: Functor, event: str, place: int
) -> None:
    sides = parse_rule_set("b23"), parse_rule_set(f"b23-{norm}")
    both, changed = joint_program(*sides)
    parts = disagreement_goals(both, changed, [kind], knows=False)
    needs = acting_goal(both, changed, *sides, parts)
    assert needs

    def least(parts: Mapping[str, GoalRules]) -> list[tuple[str, tuple[int, int]]]:
        look = SearchGoal(parts)
        here = replace(search(both, event, grids=GRIDS[place:]), look=look)
        run = GroundedRun(both, here.bounds, here.spots(GRIDS[place])[place], look, here.clock)
        found = [(goal, run.least(goal)) for goal in run.goals[: 1 if place else None]]
        return [(str(goal), each.size) for goal, each in found if each is not None]

    known = least(with_effect(needs[-1], parts, alone=True))
    assert known
    # Without any effect there is no difference.
    assert not least(with_effect(GoalRules("idle(T) :- differs(T,_).", ()), parts, alone=False))
    if place == 0:
        assert least(parts) == known


@slow
@pytest.mark.parametrize(
    ("norm", "event"),
    some(
        [
            ("B23.6-3", "roll"),
            ("B23.6-3", "fire"),
            ("B23.42-1", "board"),
            ("B23.41-1", "drive"),
            ("B23.921-1", "duty"),
        ],
        2,
    ),
)
def test_a_simplified_program_has_the_same_goals_and_smallest_boards(
    monkeypatch: pytest.MonkeyPatch, norm: str, event: str
) -> None:
    monkeypatch.setattr("rules_asp.lab.grounded_run._EASY", 10**9)
    found = []
    for simplified in (False, True):
        here = _comparing(*parse_rule_sets("b23", f"b23-{norm}"), search(the_lab(), event))
        spot = here.spots(GRIDS[0])[0]
        run = GroundedRun(here.lab, here.bounds, spot, here.look, here.clock, simplified=simplified)
        there, undecided = run.possible(20.0)
        assert not undecided
        # The order of the search decides which settled goals it finds.
        there -= here.look.settled(there)
        first = [goal for goal in run.goals if str(goal) in there and goal.name == "differs"][:2]
        least = [board.size for goal in first if (board := run.least(goal)) is not None]
        found.append((there, least))
    assert found[0] == found[1]
    assert found[0][0]


def test_a_hard_program_is_simplified_with_the_boards_excluded_so_far(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = _comparing(*parse_rule_sets("b23", "b23-B23.3-3"), search(the_lab(), "board"))
    run = GroundedRun(here.lab, here.bounds, here.spots(GRIDS[0])[0], here.look, here.clock)
    shown, _ = run.possible(20.0)
    goal = next(each for each in run.goals if each.name == "differs" and str(each) in shown)
    assert not run.simplified
    boards = []
    for number in range(4):
        if number == 2:
            monkeypatch.setattr("rules_asp.lab.grounded_run._EASY", 0)
        board = run.least(goal)
        assert board is not None
        run.exclude(board)
        boards.append(frozenset(board.symbols))
    assert run.simplified
    assert len({*boards}) == len(boards)


def test_a_search_for_a_first_difference_shares_its_patience(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clocks: list[Deadline] = []

    def noted(*given: Any, **more: Any) -> GroundedRun:
        clocks.append(given[4])
        return GroundedRun(*given, **more)

    monkeypatch.setattr("rules_asp.lab.search.GroundedRun", noted)
    here = _comparing(*parse_rule_sets("b23", "b23-B23.3-3"), search(the_lab(), "board"))
    spot = here.spots(GRIDS[0])[0]
    parts = disagreement_goals(here.lab, here.lab.unit_pairs, [("building_tem", 1)], knows=False)
    assert not first_at(replace(here, patience=0.0), spot, parts, met=True).found
    assert first_at(here, spot, parts, met=True).found
    assert [clock.seconds for clock in clocks] == [0.0, here.patience]
    assert Deadline(5.0).within(60.0).seconds == pytest.approx(5.0, abs=0.1)
    assert Deadline().within(60.0).seconds == 60.0


def test_no_board_violates_a_norm_of_the_second_rule_set_alone() -> None:
    # B23.42-1 defines Locations above ground. Without the norm, a unit there violates GR.2-8.
    here = _comparing(*parse_rule_sets("b23", "b23-B23.42-1"), search(the_lab(), "attack"))
    spot = here.spots(GRIDS[0])[0]
    strict = GroundedRun(here.lab, here.bounds, spot, here.look, here.clock)
    assert any(node.name == "violates" for node in here.lab.unit_pairs)
    found, _ = strict.possible(20.0)
    assert not any(goal.startswith("differs") for goal in found)


def test_the_effect_of_a_change_is_tested_once_for_sites_with_one_program(
    lab: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    tested: list[str] = []

    def noted(*given: Any, **more: Any) -> GroundedRun:
        tested.append(given[2].event.name)
        return GroundedRun(*given, **more)

    monkeypatch.setattr("rules_asp.lab.search.GroundedRun", noted)
    events = ("board", "use", "fire", "stacking", "fortify", "sight")
    # Within these limits, the levels at the Access Point of a Factory decide no answer.
    sides = parse_rule_set("b23"), parse_rule_set("b23-B23.87-7")
    found = compare_rule_sets(*sides, search(lab, *events)).differences
    assert not found.found
    assert found.whole
    # The program is the same: only the names of the situations differ.
    assert 0 < len(tested) < len(events)


@slow
@pytest.mark.parametrize("norm", some(["B23.41-1", "B23.922-1", "B23.71-16"], 1))
def test_an_event_shows_the_differences_of_the_events_that_borrow_its_topics(
    lab: Generator, monkeypatch: pytest.MonkeyPatch, norm: str
) -> None:
    def found() -> set[tuple[str, str]]:
        sides = parse_rule_sets("b23", f"b23-{norm}")
        here = search(lab, "dc", "clearing", "move", "drive", grids=GRIDS[:1])
        compared = compare_rule_sets(*sides, here).differences
        assert compared.known
        return {(each.topic, each.way) for each in compared.found}

    less = found()
    monkeypatch.setattr(SearchGoal, "_elsewhere", lambda *_: {})
    assert less == found()
    assert less


NORMS = sorted(each for each in program().norms if each.startswith("B23."))


@pytest.mark.parametrize("less", ["R-T03", "R-T51", *some(NORMS, 8)])
def test_each_answer_that_may_differ_depends_on_where_the_change_begins(less: str) -> None:
    sides = parse_rule_sets("b23", f"b23-{less}")
    both, twice = joint_program(*sides)
    parts = disagreement_goals(both, twice, knows=False)
    compared = {node for part in parts.values() for node in part.wanted}
    after: dict[Signature, set[Signature]] = defaultdict(set)
    for rule in (*both.rules, *sides[1].program.rules):
        for node in rule.body:
            after[node] |= twice.intersection(rule.heads)
    reached = set(starting_nodes(both, *sides)) & twice
    todo = list(reached)
    while todo:
        new = after[todo.pop()] - reached
        reached |= new
        todo += new
    assert compared & twice <= reached


@pytest.mark.parametrize("norm", ["B23.71-11", *some(NORMS, 18)])
def test_without_a_norm_no_rule_of_both_sides_reads_what_none_derives(norm: str) -> None:
    """clingo reports such an atom, and the command would end."""
    both, _ = joint_program(*parse_rule_sets("b23", f"b23-{norm}"))
    told: list[str] = []
    control = clingo.Control(logger=lambda _, text: told.append(text))
    control.add("base", [], both.program_text("\n".join(both.facts), both.rules))
    control.ground([("base", [])])
    assert not told
