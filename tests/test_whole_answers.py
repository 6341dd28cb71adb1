"""Laws of answers that need no list of cases: complete, unambiguous, the same alone or together, with
messages for mistakes.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import combinations, islice
from pathlib import Path

import pytest

from rules_asp.cases.expectations import batch_of, check_expectation
from rules_asp.game.board import Expect, SourcePosition
from rules_asp.game.query import Query
from rules_asp.parser import parse, parse_deed, parse_query
from rules_asp.parser.errors import BoardError
from rules_asp.positions.loading import load
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.ask import ask, bindings_of
from rules_asp.queries.legality import can
from rules_asp.vasl.importer import import_archive
from tests.free_places import Places
from tests.open_questions import literals, opened, unknowns
from tests.positions import program
from tests.sampling import part, some, whole
from tests.test_cases import CASES, EXAMPLES

HERE = SourcePosition("alone", 1)
BOARDS = Path(
    os.environ.get("RULES_ASP_BOARDS", Path(__file__).resolve().parents[2] / "shared" / "boards")
)
ARCHIVE = BOARDS / "bd20"


def expects(case: Position) -> list[Expect]:
    return [each for each in case.board.statements if isinstance(each, Expect)]


@pytest.mark.parametrize("path", some(CASES, 3), ids=lambda path: path.stem)
def test_what_is_so_is_found_where_any_one_part_is_left_open(path: Path) -> None:
    case = load(path, program())
    several = {
        str(each.left): each for e in expects(case) for one in literals(e) for each in opened(one)
    }
    # Of what is no step at all it is told that it is not looked for: the next law.
    found = [each for each in several.values() if "illegal(step(" not in str(each.named)]
    for one in some(found, 4):
        try:
            is_found, refusal = one.is_found(case), ""
        except QuestionError as error:
            is_found, refusal = False, str(error)
        # A whole shot or deed leaves all its parts open.
        is_refused = one.is_whole and ", as in " in refusal
        assert is_found or is_refused or not one.is_listed(case), (str(one), refusal)


FORBIDDEN = [path for path in CASES if "illegal(step(" in path.read_text("utf-8")]


@pytest.mark.parametrize("path", some(FORBIDDEN, 4), ids=lambda path: path.stem)
def test_what_forbids_a_step_is_not_denied_where_any_one_part_is_left_open(path: Path) -> None:
    case = load(path, program())
    asked = [one for each in expects(case) for one in literals(each) if one.name == "illegal"]
    for one in some([left for each in asked for left in opened(each)], 8):
        try:
            ways = bindings_of(case, Query((one.left,)))
        except QuestionError as wide:
            # A deed that is left open as a whole leaves open all that a deed speaks of.
            if "leaves too much open" in str(wide):
                continue
            raise
        assert ways.possible or ways.unknown, str(one)


UNKNOWN = [path for path in CASES if re.search("unknown", path.read_text("utf-8"))]


@pytest.mark.parametrize("path", some(UNKNOWN, 6), ids=lambda path: path.stem)
def test_what_is_unknown_is_not_denied_where_any_one_part_is_left_open(path: Path) -> None:
    case = load(path, program())
    asked = [left for each in expects(case) for one in unknowns(each) for left in opened(one)]
    for one in some(list({str(each.left): each for each in asked}.values()), 4):
        try:
            ways = bindings_of(case, Query((one.left,)))
        except QuestionError as wide:
            if one.is_whole and ", as in " in str(wide):
                continue
            raise
        assert ways.possible or ways.unknown, str(one)


@pytest.mark.parametrize("path", some(CASES, 3), ids=lambda path: path.stem)
def test_an_answer_is_the_same_alone_and_in_any_order(path: Path) -> None:
    case = load(path, program())
    asked = expects(case)
    shuffled = random.Random(path.stem).sample(asked, len(asked))
    for each in some(asked, 4):
        alone = check_expectation(case, each, HERE)
        assert alone.passed, f"{each.question}: {alone.answered}"
    for order in (asked[::-1], shuffled):
        batch = batch_of(case, order[: (len(order) + 1) // 2])
        for each in order[: (len(order) + 1) // 2]:
            told = check_expectation(case, each, HERE, batch)
            assert told.passed, f"{each.question}: {told.answered}"


_WAY = re.compile(r"\b(around|bypass|vbm)\(([A-Z]+\d+)@([A-Z]+\d+)-([A-Z]+\d+)\)")


def test_the_point_round_which_a_step_leads_has_one_meaning() -> None:
    renamed = 0
    for path in CASES:
        for line in path.read_text("utf-8").splitlines():
            found = re.match(
                r"expect (?:holds |not )?((?:legal|mf|exposed|spent|effect|mine_fp)\(.*?)(?:   cites.*)?$",
                line,
            )
            if found is None or not _WAY.search(found[1]):
                continue
            text = found[1]
            try:
                plain = parse_query(text)
            except BoardError:
                continue
            for pattern in (r"\1(\3@\2-\4)", r"\1(\4@\3-\2)", r"\1(\2@\4-\3)"):
                assert parse_query(_WAY.sub(pattern, text)) == plain, text
                renamed += 1
    assert renamed > 50


ROWHOUSES = """board "x" grid 5x5
building gray: C3 C4   joined C3-C4   bar C3-C4
unit A squad 4-6-7 german at C3
unit B squad 4-4-7 russian at B4
"""


@pytest.mark.parametrize("vertex", part(["C4@C3-D3", "C3@C4-D3", "D3@C3-C4", "D3@C4-C3"], 2))
def test_one_goes_round_a_vertex_by_whichever_name(vertex: str) -> None:
    here = prepare(parse(ROWHOUSES), program())
    doing = parse_deed(f"A move to C4 around {vertex}")
    assert can(here, doing).legal
    for text in (
        f'mf(step(move, "A", C3, C4, around({vertex}))) = 3',
        f'exposed(step(move, "A", C3, C4, around({vertex})), {vertex})',
    ):
        assert ask(here, parse_query(text), cite=False).holds, text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sees(banana(C3/2, D2/1))", "banana(...) is not a line of sight"),
        ("sees(sight(C3/2, D2/1))", "sight(...) is not a line of sight"),
        ("unknown(hight(C3), W)", "did you mean height?"),
        ('legal(step(move, "A", C3, C2, around(C4)))', "goes around a vertex or up to a vertex"),
        ('at("QQ", L)', 'expected "A" or "B"'),
        ('legal(gain_concealment("QQ"))', "there is no unit QQ"),
        ('legal(step(move, "A", C3, Z9, W))', "Z9 is not on this board"),
    ],
)
def test_a_mistake_is_reported_with_its_place(text: str, message: str) -> None:
    here = prepare(parse(ROWHOUSES), program())
    with pytest.raises((BoardError, QuestionError)) as told:
        ask(here, parse_query(text))
    assert message in str(told.value)
    assert "^" in str(told.value)


@pytest.mark.parametrize(
    "text",
    [
        "tem(S) = 1",
        "legal(fire(X, Y))",
        "legal(D)",
        "drm(shot(X, Y, direct, still)) = V",
        "roadblock_tem(A, C3-C4) = no",
    ],
)
def test_what_is_too_wide_is_refused_with_a_narrower_question(text: str) -> None:
    here = prepare(parse(ROWHOUSES), program())
    with pytest.raises(QuestionError, match="name more, as in"):
        ask(here, parse_query(text))


FOUND = [
    ("legal(fire(D2, X))", "D3/0"),
    ("tem(shot(X, C3, direct, still)) = 3", "B4/0"),
    ('legal(step(move, "A", X, D3, enter))', "E3/0"),
    ("legal(place(F, C3))", "minefield"),
    ("cellar(H)", "C3"),
    ("mf(step(move, U, C3, D3, enter)) = 1", "A"),
]


@pytest.mark.parametrize(("text", "value"), part(FOUND, 2))
def test_a_free_place_ranges_over_all_that_fits(text: str, value: str) -> None:
    here = prepare(parse(ROWHOUSES), program())
    found = {
        dict(way.values).popitem()[1] for way in ask(here, parse_query(text), cite=False).found
    }
    assert value in found


def test_what_no_norm_decides_is_unknown_with_a_part_left_open_as_without() -> None:
    here = prepare(parse(ROWHOUSES), program())
    for text in ("legal(place(wire, D2))", "legal(place(F, D2))"):
        assert ask(here, parse_query(text), cite=False).holds is None, text


def test_a_cellar_needs_no_bog_check_beside_it() -> None:
    here = prepare(parse(ROWHOUSES), program())
    assert ask(here, parse_query("cellar(C3)"), cite=False).holds


def refused(here: Position, queries: Iterable[Query]) -> list[str]:
    """Those of the questions that are refused, with the refusal."""
    refused = []
    for query in queries:
        try:
            ask(here, query, cite=False)
        except QuestionError as error:
            refused.append(f"{query}: {error}")
    return refused


@pytest.mark.parametrize("path", some([*EXAMPLES, *CASES], 3), ids=lambda path: path.stem)
def test_with_one_place_left_open_no_question_is_refused(path: Path) -> None:
    here = load(path, program())
    # There are some 2,800 of each board: over all cases, each of them is asked of some thirty.
    assert refused(here, some(list(Places(here).questions()), 8, 200, path.stem)) == []


@pytest.mark.parametrize("part", range(20))
def test_nor_is_one_on_a_board_of_the_game(part: int) -> None:
    if not whole():
        pytest.skip("only with --whole: a full board takes its time")
    if not ARCHIVE.exists():
        pytest.skip(f"no archive {ARCHIVE}: set RULES_ASP_BOARDS")
    here = prepare(import_archive(ARCHIVE), program())
    assert refused(here, islice(Places(here).questions(), part, None, 20)) == []


def test_a_vertex_is_named_once() -> None:
    text = """board "street" grid 9x9
rules B23 PB4
building gray: C3
building gray: D3
narrow street C3-D3
"""
    found = ask(prepare(parse(text), program()), parse_query("legal(place_across(C3-D3, V))"))
    assert [each.values for each in found.found] == [(("V", "C3@D2-D3"),), (("V", "C3@D3-C4"),)]


# --- what is said of topics


@pytest.mark.parametrize("path", some(CASES, 3), ids=lambda path: path.stem)
@pytest.mark.parametrize("text", ["defeated(N, T, M)", "unknown(T, W)", "conflict(T, N, M)"])
def test_what_is_found_of_a_topic_is_so_when_the_topic_is_named(path: Path, text: str) -> None:
    """A topic brings up what it needs, be it named inside of what is said of it or left open."""
    here = load(path, program())
    try:
        found = ask(here, parse_query(text), cite=False).found
    except QuestionError:
        return  # too much at once
    for each in some(list(found), 4):
        values = dict(each.values)
        values |= {norm: f'"{values[norm]}"' for norm in ("N", "M") if norm in values}
        with suppress(BoardError):  # some topics, as of a sight at one place, have no name
            query = parse_query(re.sub(r"\b[NTM]\b", lambda name, of=values: of[name[0]], text))
            assert ask(here, query, cite=False).holds, query


def test_the_neighbours_of_a_topic_are_looked_at_wherever_it_is_named() -> None:
    here = prepare(parse(FACTORY_ROOF), program(), without=("R-T21",))
    for text in (
        "conflict(adjacent(C3/0, C3/roof), N, M)",
        "unknown(adjacent(C3/0, C3/roof), W)",
        'defeated("GR.4-1", adjacent(C3/0, C3/roof), N)',
    ):
        assert ask(here, parse_query(text)).found, text


FACTORY_ROOF = """board "roof" grid 5x5
building gray: C3   stairwell C3
factory C3
rooftops
"""


# --- several literals

PIECES = (
    "sees(D3/1 - X)",
    "sees(X - C4)",
    "adjacent(X, Y)",
    "adjacent(C4, Y)",
    "connected(X, Y)",
    "elev(Y) = E",
    "in_building(X)",
    "at(U, Y)",
    "height(H) = E",
    "tem_at(X) = T",
)


@pytest.fixture(scope="module")
def assault() -> Position:
    return load(next(each for each in EXAMPLES if each.stem == "assault"), program())


def rows(here: Position, text: str) -> list[dict[str, str]]:
    """What the variables of a question may be, together."""
    return [dict(each.values) for each in ask(here, parse_query(text), cite=False).found]


@pytest.mark.parametrize(("one", "other"), some([*combinations(PIECES, 2)], 5))
def test_several_literals_find_what_each_finds_by_itself(
    assault: Position, one: str, other: str
) -> None:
    together = [
        a | b
        for a in rows(assault, one)
        for b in rows(assault, other)
        if all(a[name] == b[name] for name in a.keys() & b.keys())
    ]
    found = {frozenset(each.items()) for each in rows(assault, f"{one}, {other}")}
    assert found == {frozenset(each.items()) for each in together}
