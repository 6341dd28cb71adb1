"""Instances of a question with free places: the declaration of its form determines them."""

from __future__ import annotations

import re
from itertools import product

import clingo
import pytest

from rules_asp.game.vocabulary import vocabulary
from rules_asp.knowledge import instantiation, reader
from rules_asp.knowledge.rules import Functor, Rule
from rules_asp.knowledge.solver import solve
from rules_asp.parser import parse, parse_query
from rules_asp.positions.position import prepare
from rules_asp.queries.ask import ask
from rules_asp.queries.query_facts import asked_facts
from tests.positions import program
from tests.sampling import part, some

VERTICES = tuple(f"v({each},{corner})" for each in ("(1,1)", "(1,2)") for corner in range(6))
#: Two things of each kind, and the facts of a board that query_patterns.lp reads.
THINGS = {
    "unit": ('"A"', '"B"'),
    "side": ("german", "russian"),
    "hex": ("(1,1)", "(1,2)"),
    "hexside": ("e((1,1),(1,2))", "e((1,1),(2,1))"),
    "corner": ("0", "1", "2", "3", "4", "5"),
    "location": (
        "l((1,1),0)",
        "l((1,2),1)",
        "l((1,2),roof)",
        *(f"l({each},0)" for each in VERTICES),
    ),
    "spot": ("(1,1)", "(1,2)", *VERTICES),
    "level": ("0", "1"),
    "housed": ("l((1,2),1)", "l((1,2),roof)"),
    "built": ("l((1,2),1)", "l((1,2),roof)"),
    "fort": ("l((1,2),1)",),
    "ground": ("l((1,1),0)", "l((1,2),0)"),
    "text": ('"T"',),
}
THINGS["party"] = (*THINGS["unit"], *THINGS["location"])
BOARD = """
unit("A",squad). unit("B",gun). side(german;russian). hex((1,1);(1,2)).
hexside_between((1,1),(1,2),e((1,1),(1,2))). hexside_between((1,1),(2,1),e((1,1),(2,1))).
location(l((1,1),0);l((1,2),1);l((1,2),roof)). fortified(l((1,2),1),hidden).
is(building_hex((1,2)),yes). is(in_building(l((1,2),1)),yes). is(in_building(l((1,2),roof)),yes).
at("A",l((1,1),0)). at("B",l((1,2),1)). broken_off("T").
"""
WORDS = "".join(
    f"word({kind},{each}).\n" for kind, all_ in vocabulary().words.items() for each in all_
)
#: A stand-in for a kind that a question must name.
NAMED = "told"

SOURCE = program().source
RULES = [rule for rule in program().rules if rule.file == instantiation.FILE]
KINDS, SORTS = instantiation.declarations(SOURCE.rules)


def askable() -> list[Functor]:
    """Return the forms that some rule reads as asked, and every action."""
    read = {
        node.topic
        for rule in SOURCE.rules
        for node in rule.body
        if node.name == "asked" and node.topic is not None and node.topic[0].islower()
    }
    return sorted(read | {form for form, sort in SORTS.items() if sort == "deed"})


def own() -> set[Functor]:
    """Return the forms with rules of their own in query_patterns.lp."""
    return {
        node.topic
        for rule in SOURCE.rules
        for node in rule.heads
        if rule.file == instantiation.FILE and node.name == "asked" and node.topic is not None
    }


def things(kind: str) -> tuple[str, ...] | None:
    return THINGS.get(kind) or vocabulary().words.get(kind)


def asked(pattern: str) -> set[str]:
    """Return the instances that a pattern asks."""
    text = "".join(f"{rule.text}\n" for rule in RULES)
    defined = program().defined
    (answer,) = solve(defined, text, BOARD, WORDS, f"sought({pattern}).")
    return {
        str(symbol.arguments[0])
        for symbol in answer.symbols
        if symbol.name in ("asked", "asked_deed")
    }


@pytest.mark.parametrize("form", some(askable(), 14), ids=lambda form: form[0])
def test_a_variable_of_a_question_ranges_over_all_things_of_its_kind(form: Functor) -> None:
    name, arity = form
    if form in own() or any(kind in SORTS.values() for kind in KINDS[form]):
        return
    kinds = KINDS[form]
    assert len(kinds) == arity
    free = [place for place, kind in enumerate(kinds) if things(kind)]
    for left in product((False, True), repeat=len(free)):
        open_ = {place for place, is_left in zip(free, left, strict=True) if is_left}
        if not open_:
            continue
        named = [(things(kind) or (NAMED,))[0] for kind in kinds]
        pattern = ["any" if place in open_ else named[place] for place in range(arity)]
        ranges = [
            things(kind) or (NAMED,) if place in open_ else (named[place],)
            for place, kind in enumerate(kinds)
        ]
        expected = {
            str(clingo.parse_term(f"{name}({','.join(each)})")) for each in product(*ranges)
        }
        assert asked(f"{name}({','.join(pattern)})") == expected


@pytest.mark.parametrize("form", some(askable(), 24), ids=lambda form: form[0])
def test_a_kind_that_must_be_named_has_no_instances_if_free(form: Functor) -> None:
    name, _ = form
    for place, kind in enumerate(KINDS[form]):
        if things(kind) or kind in {instantiation.FOUND, *SORTS.values()} or form in own():
            continue
        pattern = [(things(each) or (NAMED,))[0] for each in KINDS[form]]
        pattern[place] = "any"
        assert asked(f"{name}({','.join(pattern)})") == set()


def test_spread_of_fire_is_asked_for_adjacent_hexes() -> None:
    text = "next((1,1),3,(1,2)). next((1,2),0,(1,1)). next((1,2),1,(2,1)). next((2,1),4,(1,2))."
    rules = "".join(f"{rule.text}\n" for rule in RULES)
    for pattern, expected in (
        ("(1,2),any", {"((1,2),(1,1))", "((1,2),(2,1))"}),
        ("any,(1,1)", {"((1,2),(1,1))"}),
        ("any,any", {"((1,1),(1,2))", "((1,2),(1,1))", "((1,2),(2,1))", "((2,1),(1,2))"}),
    ):
        (answer,) = solve(program().defined, rules, text, f"sought(spread({pattern})).")
        got = {str(form).removeprefix("spread") for (form,) in answer.get("asked", 1)}
        assert got == expected


def rules_of_all_files() -> list[Rule]:
    folder = reader.kb_folder()
    rules = list(SOURCE.rules)
    for path in (folder / "no_violations.lp", *sorted((folder / "lab").glob("*.lp"))):
        rules += reader.read_rules(path.read_text("utf-8"), path.name)[0]
    return rules


def test_only_one_file_reads_the_free_places_of_questions() -> None:
    for rule in rules_of_all_files():
        if rule.file == instantiation.FILE:
            continue
        body = " ".join(map(str, rule.literals))
        assert not re.search(r"\bany\b", re.sub(r'"[^"]*"', "", body)), rule.text
        assert "sought" not in {node.name for node in rule.body}, rule.text


def test_each_narrower_form_has_declared_kinds() -> None:
    declared = {
        **vocabulary().topics,
        **vocabulary().forms,
    }
    fits = instantiation.kind_domains(SOURCE.rules)
    narrower = [
        clingo.parse_term(rule.text.rstrip(".")).arguments[0]
        for rule in SOURCE.rules
        if rule.heads and rule.heads[0].name == "narrower"
    ]
    assert narrower
    for form in narrower:
        kinds = declared[form.name].kinds
        assert len(kinds) == len(form.arguments)
        assert (form.name, len(kinds)) in askable()
        assert kinds != tuple(map(str, form.arguments))
        for kind, instead in zip(kinds, map(str, form.arguments), strict=True):
            assert instead == kind or instead == instantiation.FOUND or instead in fits


def test_these_tests_cover_each_kind() -> None:
    assert set(instantiation.kind_domains(SOURCE.rules)) <= set(THINGS) | set(vocabulary().words)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("dice(kindle(C3, mol)) = D", {"asked(kindle(l((2,3),0),mol))."}),
        ("dice(kindle(C3, W)) = D", {"sought(kindle(l((2,3),0),any))."}),
        ("dice(kindle(L, _)) = D", {"sought(kindle(any,any))."}),
        (
            'legal(place_dc("A", C3))',
            {'asked(place_dc("A",l((2,3),0))).', 'asked_deed(place_dc("A",l((2,3),0))).'},
        ),
        ('legal(place_dc("A", L))', {'sought(place_dc("A",any)).'}),
        ('effect(attempted(step(move, "A", C3, D3, W)), E)', None),
    ],
)
def test_the_facts_of_a_question(text: str, facts: set[str] | None) -> None:
    facts_ = (f"{fact}." for fact in asked_facts(parse_query(text), vocabulary()))
    found = {fact for fact in facts_ if "dice" not in fact}
    if facts is None:
        assert found
        assert all(fact.startswith("sought(") for fact in found)
    else:
        assert found == facts


STREET = """board "x" grid 4x4
building gray: B2 B3 C3   joined B2-B3 B3-C3   stairwell B3
building brown: D2
fortified revealed: B2
sides german russian
purchase german 2 fortified
turn 0
unit A squad 4-6-7 german at B2
unit B leader german at C3
"""


@pytest.mark.parametrize(
    ("open_", "named"),
    part(
        [
            ("dice(kindle(X, mol)) = two_dice", "dice(kindle({}, mol)) = two_dice"),
            ("stacking_limit(X) = 6", "stacking_limit({}) = 6"),
            ("building_for(rout, X)", "building_for(rout, {})"),
            ("us(X) = 3", "us({}) = 3"),
            ("legal(fortify(X))", "legal(fortify({}))"),
        ],
        3,
    ),
)
def test_a_variable_finds_exactly_the_names_that_hold(open_: str, named: str) -> None:
    here = prepare(parse(STREET), program())
    units = open_.startswith("us(")
    names = {"A", "B"} if units else {f"{at.spot}/{at.floor}" for at in here.index.elevations}
    spelled = {name: f'"{name}"' if units else name for name in names}
    found = {way.values[0][1] for way in ask(here, parse_query(open_), cite=False).found}
    each = {
        name
        for name, said in spelled.items()
        if ask(here, parse_query(named.format(said)), cite=False).holds
    }
    assert each
    assert found == each
