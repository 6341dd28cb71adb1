"""Claims of the lab: they have the meaning of ordinary queries, and `no` is certain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import clingo.ast
import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from rules_asp.cli.query_commands import parse_query_line
from rules_asp.game.board import Expect
from rules_asp.game.query import Argument, FunctionTerm, Query, QueryLiteral, Variable
from rules_asp.game.values import quoted
from rules_asp.game.vocabulary import NO, YES_NO, vocabulary
from rules_asp.knowledge.rules import Signature
from rules_asp.knowledge.solver import solve
from rules_asp.lab import find, result_json
from rules_asp.lab import search as lab_search
from rules_asp.lab.claim_rules import named_nodes, negate_claim, nodes_of, values
from rules_asp.lab.claim_scope import between_two, bind_open_topics, facts, units_of
from rules_asp.lab.generator import Event, Generator, SearchBounds, places
from rules_asp.lab.grounded_run import GroundedRun
from rules_asp.lab.witness import Confirmation, Witness, confirm
from rules_asp.parser import parse
from rules_asp.parser.errors import BoardError
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.name_resolution import resolve_query
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.ask import ask
from rules_asp.queries.claims import AskQuestion, read_claim
from rules_asp.queries.evaluate import query_body
from rules_asp.queries.query_facts import has_variables, relevant_rules_for
from tests.labs import SMALL, search, the_lab
from tests.positions import program
from tests.sampling import slow, some

CASES = sorted((Path(__file__).parent / "cases").glob("*.board"))


@pytest.fixture(scope="module")
def lab() -> Generator:
    return the_lab()


# --- read as `ask` reads it


def _literals(here: Position) -> Iterator[QueryLiteral]:
    """What a case asks in a single ground literal, and the same denied and as no."""
    for each in here.board.statements:
        query = each.question if isinstance(each, Expect) else None
        if not isinstance(query, Query) or len(query.literals) != 1:
            continue
        (said,) = query.literals
        if isinstance(said, QueryLiteral) and not any(map(has_variables, said.arguments)):
            yield said
            yield replace(said, negated=not said.negated)
            if said.value is not None and said.value.kind == YES_NO:
                yield replace(said, value=Argument(NO, YES_NO), negated=False)


def _read(lab: Generator, here: Position, literal: QueryLiteral) -> bool | None:
    """Whether it is so as the lab reads it, of all that the rules derive on this board."""
    query = resolve_query(here, Query((literal,)))
    nodes = [*nodes_of(lab, query), Signature("asked", 1, (literal.name, len(literal.args)))]
    deed = literal.args[0].value if literal.args and literal.args[0].kind == "deed" else None
    if isinstance(deed, FunctionTerm) and not any(
        each.topic == (deed.name, len(deed.args)) for each in nodes
    ):
        return None  # no norm allows such a deed, and no event of the lab asks about one
    _, question = relevant_rules_for(here, query)
    answers = here.ask(tuple(nodes), question)
    if len(answers) != 1 or len(here.cases) != 1:
        return None
    rules = [*values(lab, query), f"so :- {', '.join(query_body(query))}."]
    wanted = [*nodes, *named_nodes(lab, "\n".join(rules))]
    kinds = {(node.name, node.arity) for node in wanted}
    rules += [f"#defined {name}/{arity}." for name, arity in sorted(kinds)]
    atoms = [
        symbol
        for each in (here.cases[0], answers[0])
        for symbol in each.symbols
        if (symbol.name, len(symbol.arguments)) in kinds
    ]
    (found,) = solve("\n".join(rules), facts=dict.fromkeys((*atoms, *question.symbols)))
    return bool(found.get("so", 0))


@slow
@pytest.mark.parametrize("path", some(CASES, 3), ids=lambda each: each.stem)
def test_the_lab_reads_a_literal_as_ask_does(lab: Generator, path: Path) -> None:
    here = load(path, program())
    for literal in some(list(_literals(here)), 4):
        with suppress(QuestionError):
            asked = ask(here, Query((literal,)), cite=False).holds
            read = _read(lab, here, literal)
            if read is not None:
                assert read == (asked is True), literal


# --- asked of what can bear on it

FAILING = [
    'unit("A", squad), at("A", B1/1), not status("A", broken) => legal(step(move, "A", B1/1, _, _))',
    "factory(B1) = no, building_hex(B1) => stairwell_symbol(B1)",
    "connected(X, Y) => adjacent(X, Y)",
    "sees(X - A1), in_building(X) => in_building(A1)",
    "height(H) = V => V >= 2",
    "factory(A1) => at least 1 H: stairwell(H) = printed",
]
HOLDING = [
    "adjacent(A1, A1/2) = no",
    "sees(X - A1) => sees(A1 - X)",
    "factory(H) => height(H) >= 1/2",
]
FOUND = [
    "sees(X - A1), in_building(X)",
    "adjacent(A1, A1/roof)",
    "legal(fire(X, Y)), not in_building(Y)",
    "adjacent(X, Y), not connected(X, Y)",
    'legal(fire("A", Y))',
    "unit(U, squad), legal(pbf(U, Y))",
    "legal(fire_group(U, V))",
    "sees(X - A1), tem(shot(B0, A1, direct, still)) = V, V > 2",
    "factory(B1) = no, building_hex(B1)",
]


#: Claims about who is in Bypass, each with whether there is a board.
BYPASSING = [
    ("building_hex(B0), tem(shot(X, B0@A1-B1, direct, still)) = V, V > 2", False),
    ("building_hex(B0), tem(shot(X, B0, direct, still)) = V, V > 1", True),
    ("not sees(B0/1 - B0@A1-B1), height(B0) = 1 1/2", True),
    ("sees(B0/1 - B0@A1-B1)", False),
    ('bypasses("A", S), unit("A", squad)', True),
]
#: What a section says of a topic at vertices.
OF_STREETS = "roadblock_tem(shot(X, Y, {}, T), S) = no"


@slow
@pytest.mark.parametrize(("fire", "fails"), some([("direct", True), ("indirect", False)], 1))
def test_always_searches_topics_of_vertices(lab: Generator, fire: str, fails: bool) -> None:
    report = find.always(search(lab, sections=("b23", "pb4")), OF_STREETS.format(fire))
    assert (report.whole, bool(report.found)) == (True, fails)


@slow
@pytest.mark.parametrize(("claim", "there"), BYPASSING)
def test_find_on_claims_about_bypass(lab: Generator, claim: str, there: bool) -> None:
    report = find.find(search(lab), claim)
    assert (report.whole, bool(report.found)) == (True, there)
    assert not any("Bypass" in each for each in report.never)


@slow
def test_no_search_has_los_between_vertices(lab: Generator) -> None:
    with pytest.raises(QuestionError, match="does not search lines between two vertices"):
        find.find(search(lab), "sees(A1@B0-B1 - B0@A1-B1)")


@slow
@pytest.mark.parametrize("claim", some(FAILING, 1))
def test_always_finds_a_counterexample(lab: Generator, claim: str) -> None:
    (shown,) = find.always(search(lab), claim).found
    here = prepare(parse(shown.witness.text), lab.program)
    assert ask(here, shown.witness.query, cite=False).holds is True


@slow
@pytest.mark.parametrize("claim", some(HOLDING, 1))
def test_always_proves_a_claim(lab: Generator, claim: str) -> None:
    report = find.always(search(lab), claim)
    assert report.known
    assert not report.found


#: Claims that fail nowhere, each with whether it is not known somewhere.
DOUBTED = [
    ("blaze(A1) => modifier(spread(A1, B0), sum) >= -9", True),
    ("sees(X - Y) => sees(Y - X)", False),
    ("factory(H) => height(H) >= 1/2", False),
]


@slow
@pytest.mark.parametrize(("claim", "doubted"), DOUBTED)
def test_a_claim_that_a_board_leaves_open_is_unknown(
    lab: Generator, claim: str, doubted: bool
) -> None:
    report = find.always(search(lab), claim)
    assert (len(report.found), report.whole, report.sure) == (0, True, not doubted)
    for each in report.doubt.found if report.doubt else ():
        here = prepare(parse(each.witness.text), lab.program)
        assert ask(here, each.witness.query, cite=False).holds is True
        *_, doubt = each.witness.query.literals
        assert isinstance(doubt, QueryLiteral)
        assert ask(here, Query((_claimed(doubt),)), cite=False).holds is None
    if doubted:
        result = CliRunner().invoke(main, ["lab", "always", claim, "--grid", "2x1"])
        assert result.exit_code == 3, result.output
        told = "where it is known. The smallest board where it is unknown:"
        nowhere = "Unknown on every board within the search limits that meets the condition."
        assert (told if report.decided else nowhere) in " ".join(result.output.split())


def _claimed(unknown: QueryLiteral) -> QueryLiteral:
    """What is not known by an `unknown(TOPIC, REASON)`: a topic's value, or a sight."""
    about = unknown.args[0]
    if isinstance(about.value, FunctionTerm):
        value = Argument(Variable("Any"), "anything")
        return QueryLiteral(about.value.name, about.value.args, value)
    return QueryLiteral("sees", (about._replace(kind="sight"),))


@slow
@pytest.mark.parametrize("claim", some(FOUND, 1))
def test_find_generates_the_things_of_a_claim(lab: Generator, claim: str) -> None:
    assert find.find(search(lab), claim).found


@slow
def test_an_action_is_asked_for_every_unit_and_every_free_place(lab: Generator) -> None:
    for form in vocabulary().forms.values():
        if Signature("legal", 1, (form.name, len(form.kinds))) not in lab.heads:
            continue
        for of_unit in ("U{}", '"{}"'):
            names = [
                (of_unit if kind in ("unit", "party") else "V{}").format("ABCDE"[place])
                for place, kind in enumerate(form.kinds)
            ]
            claim = read_claim(f"legal({form.name}({', '.join(names)}))")
            given = facts(claim, between_two(claim), units_of(claim))
            assert re.search(r"^(asked|asked_deed|sought|wanted_deed)\(", given, re.M), claim
            units = [each for each in names if each.startswith(of_unit[0])]
            assert given.count("spoken_of(") >= len(units), claim


def test_all_pairs_with_a_named_hex_are_searched() -> None:
    hexes = SMALL.hexes()
    event = Event("adjacent", "", "question", True)
    ends = {place.ends for place in places(SMALL, event, named=hexes)}
    assert ends == {(one, other) for one in hexes for other in hexes}
    for each in hexes:
        ends = {place.ends for place in places(SMALL, event, named=[each])}
        assert ends >= {pair for other in hexes for pair in ((each, other), (other, each))}


@slow
def test_find_reports_things_that_no_board_has(lab: Generator) -> None:
    with pytest.raises(QuestionError, match="has the things that the claim is about"):
        find.find(search(lab), "sees(A1/9 - B0)")
    with pytest.raises(QuestionError, match=r"at least 0 H: factory\(H\) is true on every board"):
        find.always(search(lab), "at least 0 H: factory(H)")
    with pytest.raises(QuestionError, match="need values: replace them by names"):
        find.find(search(lab), "within_nvr(_, _)")
    with pytest.raises(QuestionError, match=r"can_pay needs --section abtf3"):
        find.find(search(lab), "can_pay(S) = V")
    with pytest.raises(QuestionError, match=r"no rule gives a value for minimum_range"):
        find.find(search(lab), "minimum_range(A) = V")
    assert find.find(search(lab), "within_nvr(A1, B0)").found


#: Claims of `always`, each with what holds where it fails.
DENIED = [
    ("height(H) = V => V >= 2", "height(H) = V, V < 2"),
    ("factory(H) => height(H) >= 2", "factory(H), height(H) = V, V < 2"),
    ("factory(H) => height(H) = V, V != 2", "factory(H), height(H) = V, V = 2"),
    ("tem(shot(X, A1/1, direct, still)) > 1", "tem(shot(X, A1/1, direct, still)) = V, V <= 1"),
    ("quasi_location(Y) => not sees(X - Y)", "quasi_location(Y), sees(X - Y)"),
    ("factory(X) = no", "factory(X) = yes"),
    (
        "roadblock_tem(shot(X, Y, direct, T), S) = no",
        "roadblock_tem(shot(X, Y, direct, T), S) = yes",
    ),
    ("factory(A1) => at least 2 H: stairwell(H) = _", "factory(A1), at most 1 H: stairwell(H) = _"),
    ("at most 2 H: rubble(H, stone)", "at least 3 H: rubble(H, stone)"),
    (
        "factory(A1), at least 1 H: rubble(H, _), top(A1) = V => V < 3",
        "factory(A1), top(A1) = V, V >= 3, at least 1 H: rubble(H, _)",
    ),
    ("height(H) = V => top(H) >= V", "height(H) = V, top(H) = VV, VV < V"),
]
REFUSED = [
    "factory(A1) => factory(B1), factory(B0)",
    "factory(A1) => exactly 1 H: stairwell(H) = _",
    "factory(A1) => at least 1 H: rubble(H, _), factory(B1)",
    "has_level(H, 2) => stairwell(H) = V",
]


@pytest.mark.parametrize(("claim", "fails"), DENIED)
def test_the_negation_of_a_claim(claim: str, fails: str) -> None:
    assert negate_claim(claim).failing == read_claim(fails)


@pytest.mark.parametrize("claim", REFUSED)
def test_several_claims_in_one_are_refused_with_single_ones(claim: str) -> None:
    with pytest.raises(QuestionError) as refused:
        negate_claim(claim)
    lines = re.findall('"(.+?)"', str(refused.value))
    assert lines
    for each in lines:
        negate_claim(each)


def test_a_syntax_error_in_a_claim_has_its_position() -> None:
    claim = "at least 3 H: rubble(H, stone), factory(A1) => hight(A1) >= 2"
    with pytest.raises(BoardError, match=f"question:1:{claim.index('hight') + 1}") as told:
        negate_claim(claim)
    assert claim in str(told.value)


#: What is so on the stairs only, where no Location is, by the section that it is in.
ON_THE_STAIRS = [
    ("tem(shot(X, Y, direct, moving)) = V, quasi_location(Y)", "b23"),
    ("tem(shot(X, Y, direct, moving)) = V, quasi_location(Y)", "brt7"),
    ("sees(B1 - A1/stairs1)", "brt7"),
    ("sees(A1/stairs1 - B1), not in_building(B1)", "pb6"),
]


@slow
@pytest.mark.parametrize(("claim", "section"), some(ON_THE_STAIRS, 1))
def test_find_searches_units_on_stairs(lab: Generator, claim: str, section: str) -> None:
    within = search(lab)
    bounds = replace(within.bounds, sections=tuple(dict.fromkeys(("b23", section))))
    (shown,) = find.find(replace(within, bounds=bounds), claim).found
    here = prepare(parse(shown.witness.text), lab.program)
    assert ask(here, shown.witness.query, cite=False).holds is True


@slow
def test_an_illegal_action_is_a_condition_of_its_own(lab: Generator) -> None:
    report = find.find(search(lab), "legal(fortify(A1/roof))")
    assert (report.found, report.known) == ((), True)


@slow
@pytest.mark.parametrize("claim", ["not sees({} - B0)", "tem(shot(B0, {}, direct, still)) = 9"])
def test_places_outside_the_search_are_reported(lab: Generator, claim: str) -> None:
    with pytest.raises(QuestionError, match="not searched"):
        find.find(search(lab), claim.format("A1/+3"))
    with pytest.raises(QuestionError, match="not searched"):
        find.always(search(lab), f"factory(A1) => {claim.format('A1/+3')}")


# --- never a no that is none


@slow
def test_an_unconfirmed_finding_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lab_search, "_TRIED", 2)
    monkeypatch.setattr(lab_search, "confirm", lambda *_: Confirmation((), "it is not so"))
    arguments = ["lab", "always", "not factory(A1)", "--grid", "2x1", "--jobs", "1"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 3, result.output
    assert "Unknown whether the claim is true on every board" in result.output
    assert "2x1, board" in result.output
    assert "True on every board" not in result.output


@slow
def test_a_search_continues_after_an_unconfirmed_finding(
    lab: Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def at_last(shown: Witness, *_: object) -> Confirmation:
        asked.append(shown.text)
        return Confirmation((), None if len(asked) > 7 else "it is not so")

    monkeypatch.setattr(lab_search, "confirm", at_last)
    (found,) = find.find(search(lab), "factory(A1)").found
    assert found.witness.text == asked[-1]
    assert len(set(asked)) == 8


@slow
def test_an_undecided_search_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(GroundedRun, "least", never)
    arguments = ["lab", "find", "factory(A1)", "--grid", "2x1", "--jobs", "1"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 3, result.output
    assert "Unknown whether a board makes the claim true" in result.output
    assert "2x1, board" in result.output


@slow
def test_a_shot_without_los_is_reported() -> None:
    claim = "tem(shot(B0/1, A1, direct, still)) = V, not sees(B0/1 - A1)"
    result = CliRunner().invoke(main, ["lab", "find", claim, "--grid", "2x1", "--jobs", "1"])
    assert "There is no LOS B0/1 - A1" in result.output


@slow
@pytest.mark.parametrize(
    ("claim", "known"),
    [
        ("at most 0 X: sees(A1 - X)", False),
        ("at most 9 X: sees(A1 - X)", True),
        ("exactly 0 X: sees(A1 - X)", False),
    ],
)
def test_an_unknown_atom_makes_a_count_unknown(lab: Generator, claim: str, known: bool) -> None:
    """At night, with no NVR stated, sights to another hex are not known: they are not none."""
    board = parse('board "b" grid 2x1\nbuilding gray: A1\nnight')
    shown = Witness(board, Query(()), counts=read_claim(claim).counts)
    doubt = confirm(shown, lab, SearchBounds()).doubt
    assert (doubt is None) is known
    assert known or "is not known" in (doubt or "")


@slow
@pytest.mark.parametrize("name", ['"', "\\", 'A". so.', "é"])
def test_a_claim_may_contain_any_unit_name(lab: Generator, name: str) -> None:
    said = quoted(name)
    for text in (f"sees({said} - Y)", f"unit({said}, squad), at({said}, Y)"):
        claim = read_claim(text)
        rules = f"so :- {claim.body}.\n{facts(claim, True, units_of(claim))}"
        read: list[clingo.ast.AST] = []
        clingo.ast.parse_string(rules, read.append)
        assert sum(str(each).startswith("so") for each in read) == 1


# --- a topic that is left open


@slow
@pytest.mark.parametrize(
    ("open_", "named"),
    [
        ('defeated("B23.4-1", T, "B23.4-2")', 'defeated("B23.4-1", entry_cost(Ta), "B23.4-2")'),
        (
            'defeated("A4.1-3", T, "B11.4-1")',
            'defeated("A4.1-3", step(Ta, Tb, Tc, Td, Te), "B11.4-1")',
        ),
        (
            'bar(S) => not defeated("B23.4-1", T, "B23.4-2")',
            'bar(S) => not defeated("B23.4-1", entry_cost(Ta), "B23.4-2")',
        ),
        ("unknown(T, W)", "unknown(T, W)"),
        ("height(H) = 2", "height(H) = 2"),
    ],
)
def test_an_unknown_topic_needs_its_norms(lab: Generator, open_: str, named: str) -> None:
    assert bind_open_topics(lab, open_) == named


@slow
def test_find_on_a_defeated_norm_about_an_action(lab: Generator) -> None:
    (shown,) = find.find(search(lab, "move"), 'defeated("B23.4-1", T, "B23.4-2")').found
    here = confirm(shown.witness, lab, search(lab).bounds)
    assert (here.doubt, here.broken) == (None, ())


@slow
@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ('defeated("B23.3-2", T, "B23.22-2")', "are never about the same topic"),
        ('defeated("B23.71-5", T, "B23.71-8")', "use `lab meet` for these two rules"),
        ('defeated("B23.6-1", T, "B23.6-3")', "write "),
        ("unknown(T, no_norm)", "such as entry_cost(D)"),
    ],
)
def test_an_open_topic_makes_no_negation_true(lab: Generator, claim: str, told: str) -> None:
    with pytest.raises(QuestionError, match=re.escape(told)):
        find.find(search(lab), claim)


@slow
def test_boards_have_units_if_a_claim_counts_them(lab: Generator) -> None:
    base = search(lab)
    within = replace(base, bounds=replace(base.bounds, sections=("b23", "abtf3")))
    (shown,) = find.find(within, "firing_us(S) = N, N > 2").found
    assert "fires through" in shown.witness.text


@slow
@pytest.mark.parametrize("number", [2, 3, 5, 8])
def test_boards_have_as_many_units_as_a_claim_counts(lab: Generator, number: int) -> None:
    found = find.find(search(lab), f"at least {number} U: at(U, X)")
    (shown,) = found.found
    assert dict(found.bounds.most)["units"] == number
    assert confirm(shown.witness, lab, search(lab).bounds).doubt is None
    assert len(re.findall("^unit ", shown.witness.text, re.MULTILINE)) == number
    # And one more than may be at most.
    assert find.always(search(lab), f"at most {number - 1} U: at(U, X)").found


@slow
def test_no_board_has_more_units_than_the_option_units(lab: Generator) -> None:
    within = search(lab, most=(("units", 1),))
    for claim in ("at(U, X), at(V, Y), U != V", "legal(fire_group(U, V))"):
        held = find.find(within, claim)
        assert (held.found, dict(held.bounds.most)["units"]) == ((), 1)
    assert find.find(search(lab, most=(("units", 2),)), "at(U, X), at(V, Y), U != V").found


@slow
@pytest.mark.parametrize("names", ["UV", "UVW", "TUVW"])
def test_two_unit_variables_of_a_claim_may_differ(lab: Generator, names: str) -> None:
    others = [f"{one} != {two}" for one, two in combinations(names, 2)]
    there = [f"at({name}, A1)" for name in names]
    assert find.find(search(lab), ", ".join((*there, *others))).found
    assert find.find(search(lab), ", ".join(('at("Zed", B0)', *there, *others))).found


def test_claims_with_too_many_units_are_refused(lab: Generator) -> None:
    for claim in ("at least 9 U: at(U, X)", "exactly 8 U: at(U, X)"):
        with pytest.raises(
            QuestionError, match="the claim needs 9 units, but boards of the lab have at most 8"
        ):
            find.find(search(lab), claim)


@slow
def test_units_are_counted_in_an_event(lab: Generator) -> None:
    claim = 'at least 3 U: (at(U, X), unit(U, leader)), legal(step(advance, "A", _, _, enter))'
    assert find.find(search(lab, "advance"), claim).found


@slow
def test_a_count_can_share_a_variable_with_the_claim(lab: Generator) -> None:
    claim = "at(U, X), of_hex(X, A1, 0), exactly 1 V: at(V, X), at least 3 W: at(W, Y)"
    (shown,) = find.find(search(lab), claim).found
    one, three = shown.witness.counts
    assert str(one) == "exactly 1 V: at(V, A1)"
    assert (len(one.ways), len(three.ways)) == (1, 3)
    assert set(one.ways) < set(three.ways)
    assert f"# {one} ({one.ways[0]})\n" in shown.witness.text
    assert confirm(shown.witness, lab, search(lab).bounds).doubt is None


def test_the_report_lists_counted_things(lab: Generator) -> None:
    (shown,) = find.find(search(lab), "at least 3 H: rubble(H, stone)").found
    (count,) = shown.witness.counts
    assert count.ways == ("A1", "B0", "B1")
    assert result_json.finding_record(shown)["counted"] == [["A1", "B0", "B1"]]
    (pairs,) = find.find(
        search(lab), "exactly 2 G, H: (height(G) = V, height(H) = V, G != H)"
    ).found
    (count,) = pairs.witness.counts
    assert len(count.ways) == 2
    one, other = (each.split() for each in count.ways)
    assert one == other[::-1]


# --- Counts and extremes of `ask` on a board, by the same mechanism.


@pytest.mark.parametrize(
    ("query", "verdict", "cites"),
    [
        ("at least 2 H: height(H) = 2 1/2", "yes", {"B23.23"}),
        ("at least 3 H: height(H) = 2 1/2", "not so", {"B23.23"}),
        ("exactly 2 H: height(H) = 2 1/2", "yes", {"B23.23"}),
        ("at most 1 H: height(H) = 2 1/2", "not so", {"B23.23"}),
        ("at most 1 H: factory(H)", "yes", set()),
        ("height(G) = V, at least 2 H: height(H) = V", "yes", {"B23.23"}),
        ("height(G) = V, at least 3 H: height(H) = V", "not so", {"B23.23"}),
        ("at least 2 X: sees(C1 - X)", "yes", {"A6.1"}),
    ],
)
def test_a_question_can_count(query: str, verdict: str, cites: set[str]) -> None:
    church = api.load("church")
    found = AskQuestion(query).answer(church, prove=True)
    assert found.word == verdict
    assert cites <= {*found.cites}
    assert cites == set() or found.proof.steps
    assert found.cites or found.could


@pytest.mark.parametrize(
    ("query", "least", "verdict"),
    [
        ("at least 1 X: sees(A1 - X)", None, "unknown"),
        ("at most 1 X: sees(A1 - X)", None, "unknown"),
        ("exactly 1 X: sees(A1 - X)", None, "unknown"),
        ("at least 2 X: sees(A1 - X)", None, "unknown"),
        ("elev(X) = V", "V", "yes"),
    ],
)
def test_what_is_not_known_may_be_counted_too(query: str, least: str | None, verdict: str) -> None:
    night = prepare(parse('board "b" grid 2x1\nbuilding gray: A1\nnight'))
    found = AskQuestion(query, least=least).answer(night)
    assert found.word == verdict
    assert bool(found.unknown or found.perhaps) is (verdict == "unknown")


@pytest.mark.parametrize(
    ("query", "greatest", "least", "value"),
    [
        ("height(H) = V", "V", None, "2 1/2"),
        ("height(H) = V", None, "V", "1 1/2"),
        ("height(G) = V, height(H) = W", "W - V", None, "1"),
        ("height(H) = V, at least 2 G: height(G) = V", "V", None, "2 1/2"),
    ],
)
def test_a_question_can_take_extremes(
    query: str, greatest: str | None, least: str | None, value: str
) -> None:
    church = api.load("church")
    question = AskQuestion(query, greatest, least)
    assert parse_query_line(question.line) == question
    found = question.answer(church)
    assert found.holds
    assert found.extreme is not None
    assert found.extreme[1] == value
    assert found.cites
    assert "value" in found.record()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--greatest", "W"], "the claim has no variable W"),
        (["--greatest", "V", "--least", "V"], "cannot be used together"),
        (["--greatest", "V - H"], "a difference of two numbers of the same kind"),
    ],
)
def test_an_extreme_that_is_none_is_refused(options: list[str], message: str) -> None:
    told = CliRunner().invoke(main, ["ask", "church", "height(H) = V", *options])
    assert told.exit_code
    assert message in told.output
