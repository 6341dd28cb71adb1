"""The verdicts behind a plain no: forbidden, not so, unknown, and, as a mistake, no such thing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from rules_asp import api, parser
from rules_asp.cases.expectations import ExpectationResult, expectations
from rules_asp.explain.record import Record
from rules_asp.explain.unknown import Reason
from rules_asp.game.board import (
    Board,
    Expect,
    ExpectedCost,
    ExpectedDrm,
    ExpectedLos,
    Shot,
    UnitStatement,
)
from rules_asp.game.query import DeedQuery, Query
from rules_asp.game.vocabulary import vocabulary
from rules_asp.output.console import console, show
from rules_asp.parser import parse, parse_query
from rules_asp.parser.input_syntax import STATEMENTS, fact_line
from rules_asp.parser.writer import write
from rules_asp.positions.loading import load
from rules_asp.positions.position import Position, prepare
from rules_asp.positions.scope import Verdict
from rules_asp.queries.question import Answer
from tests.positions import program
from tests.sampling import part, slow, some

CASES = sorted((Path(__file__).parent / "cases").glob("*.board"))

HALL = """
board "hall" grid 6x6
building gray: C3 C4   joined C3-C4
building gray: E3 E4   joined E3-E4   bar E3-E4
unit A squad 4-6-7 german at C2
unit G squad 4-6-7 german at E4
unit B squad 4-6-7 russian at C4
unit N squad 4-6-7 at D5
unit P squad 4-6-7 german at D5: possesses DC
"""
TOWER = """
board "PB" grid 6x6
rules B23 PB6
building brown: C3   stairwell C3
symbol round: C3
"""


@cache
def board(text: str) -> Position:
    return prepare(parse(text), program())


def met(text: str, *expects: str) -> list[tuple[bool, str]]:
    """Of each expectation of a board whether it is met, and what was answered."""
    lines = "".join(f"expect {each}\n" for each in expects)
    return [(each.passed, each.answered) for each in expectations(board(text + lines))]


# --- what the words mean


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("factory(C3)", Verdict.NOT_SO),
        ("factory(C3) = no", Verdict.YES),
        ("building_hex(C3) = no", Verdict.NOT_SO),
        ("height(C3) = 2", Verdict.NOT_SO),
        ("sees(C2 - C5)", Verdict.NOT_SO),
        ('legal(step(move, "G", E4, E3, enter))', Verdict.FORBIDDEN),
        ('legal(step(move, "A", C2, C4, W))', Verdict.FORBIDDEN),
        ('illegal(step(move, "A", C2, C3, enter), N)', Verdict.NOT_SO),
        ('legal(gain_concealment("A"))', Verdict.UNKNOWN),
        ("control(C3, german)", Verdict.UNKNOWN),
        ("turn(T)", Verdict.UNKNOWN),
        ('has("A", mp, 3)', Verdict.UNKNOWN),
        ("wire(C3)", Verdict.NOT_SO),
        ('side_of("N") = german', Verdict.UNKNOWN),
        ('side_of("A") = russian', Verdict.NOT_SO),
    ],
)
def test_an_answer_comes_to_a_word(question: str, word: Verdict) -> None:
    assert api.ask(board(HALL), question).word is word


def test_what_names_no_such_thing_is_a_mistake() -> None:
    for mistake in ("height(Z9) = V", 'at("QQ", L)', "heigth(C3) = V"):
        with pytest.raises((api.BoardError, api.QuestionError)):
            api.ask(board(HALL), mistake)


def test_who_forbids_is_reported() -> None:
    answer = api.can(board(HALL), "G move to E3 by entering")
    assert (answer.word, answer.forbidding) == (Verdict.FORBIDDEN, ("B23.71-12",))
    asked = api.ask(board(HALL), 'legal(step(move, "G", E4, E3, enter))')
    assert asked.forbidding == ("B23.71-12",)


def test_what_is_not_so_names_what_is_and_who_could_make_it_so() -> None:
    assert api.ask(board(HALL), "height(C3) = 2").values == ("1 1/2",)
    asked = api.ask(board(HALL), "factory(C3)")
    assert (asked.values, asked.could, asked.cites) == ((), ("B23.74-1",), ())


def test_a_norm_of_a_section_that_is_not_in_force_could_not() -> None:
    sections = {each.split(".")[0] for each in api.ask(board(HALL), "tower(C3)").could}
    assert "PB6" not in sections
    assert api.ask(board(TOWER), "rowhouse(C3)").could


def test_what_is_not_so_can_be_left_open() -> None:
    here = board(HALL)
    found = {dict(each.values)["H"] for each in api.ask(here, "factory(H) = no").found}
    assert found == {str(each) for each in here.index.bases}
    mixed = board(HALL + "factory C3\n")
    found = {dict(each.values)["H"] for each in api.ask(mixed, "factory(H) = no").found}
    assert found == {str(each) for each in here.index.bases} - {"C3", "C4"}
    (answer,) = api.ask(here, "factory(C3) = V").found
    assert answer.values == (("V", "no"),)
    assert api.ask(here, "not factory(C3) = no").word is Verdict.NOT_SO


def test_a_roll_is_answered_as_its_outcome_is() -> None:
    here = board(HALL)
    rolled, asked = (
        api.roll(here, "spread(C3, C3)"),
        api.ask(here, "outcome(spread(C3, C3), R) = B"),
    )
    assert rolled.word is asked.word is Verdict.UNKNOWN
    assert rolled.unknown == asked.unknown
    assert api.roll(here, 'tca_change("A")').word is Verdict.NOT_SO


# --- what is missing, by its name on the board


def needed(here: Position, question: str) -> list[str]:
    answer = api.ask(here, question)
    assert answer.word is Verdict.UNKNOWN
    return [each.need for each in answer.unknown]


@pytest.mark.parametrize(
    ("question", "need"),
    [
        ("control(C3, german)", "`control SIDE: C3` on the board"),
        ("turn(T)", "`turn NUMBER` on the board"),
        ('side_of("N") = S', "`unit N ... SIDE` on the board"),
        ('legal(close_combat("P", "N"))', "`unit N ... SIDE` on the board"),
    ],
)
def test_what_is_missing_is_named_as_it_is_typed(question: str, need: str) -> None:
    assert need in needed(board(HALL), question)


@pytest.mark.parametrize(
    "question", ["height(C3) = V", "los_type(C3) = V", "tower_level(C3) = V", "sees(C4 - C2)"]
)
def test_a_tower_without_its_ssr_lacks_just_that(question: str) -> None:
    assert needed(board(TOWER), question) == ["`tower C3 TOWER-TYPE NUMBER` on the board"]
    assert api.ask(board(TOWER + "tower C3 obstacle 1\n"), question).word is not Verdict.UNKNOWN


def test_a_sight_from_a_tower_without_its_ssr_lacks_it_too() -> None:
    (why,) = api.los(board(TOWER), "C4", "C3/tower").unknown
    assert why.need == "`tower C3 TOWER-TYPE NUMBER` on the board"


def test_an_open_input_that_an_answer_hangs_on_is_named() -> None:
    text = """
    board "gate" grid 6x6
    building gray: C3 C4 D3   joined C3-C4 C3-D3   stairwell C3
    factory C3
    road paved: C2-C3
    unit T vehicle german at C2: truck, MP 20
    sides german russian
    """
    answer = api.can(board(text), "T move to C3 by driving")
    if answer.word is Verdict.UNKNOWN:
        assert "`control SIDE: C3` on the board" in [each.need for each in answer.unknown]
    settled = api.can(board(text + "control german: C3\n"), "T move to C3 by driving")
    assert all("control" not in each.need for each in settled.unknown)


def test_a_line_names_each_input_that_reasons_name() -> None:
    named = {
        found[1]
        for rule in program().source.rules
        for found in re.finditer(r"not_stated\((\w+)", rule.text)
    } - {"input"}
    for name in named:
        kinds = vocabulary().inputs[name].kinds
        assert fact_line(name, ["U"] * (len(kinds) - 1), vocabulary())
        assert name in STATEMENTS or "unit U" in fact_line(name, ["U"], vocabulary())


# --- what a board expects


@slow
def test_each_word_can_be_expected() -> None:
    expects = (
        "can G move to E3 by entering: forbidden by B23.71-12",
        "can G move to E3 by entering: forbidden by B23.71",
        "can G move to E3 by entering: forbidden",
        "can G move to E3 by entering: no",
        "can B move to C4: not so",
        "can B advance to F1: no",
        "can A gain concealment: unknown",
        "can A move to D5: unknown",
        "factory(C3) = no",
        "not factory(C3)",
        "not factory(C3) = yes",
        "unknown control(C3, german)",
        "cost G to C4 = forbidden by A4.14-1",
        "cost A to D5 = unknown",
        "los E3 - E4 blocked at E3-E4",
    )
    assert [each for each in met(HALL, *expects) if not each[0]] == []


@pytest.mark.parametrize(
    ("expect", "answered"),
    part(
        [
            ("can G move to E3 by entering: forbidden by B23.4", "forbidden by B23.71-12"),
            ("can G move to E3 by entering: not so", "forbidden by B23.71-12"),
            ("can B move to C4: forbidden", "not so"),
            ("can B advance to F1: not so", "forbidden by A4.1-2"),
            ("can A move to C3: forbidden", "yes"),
            ("building_hex(C3) = no", "not so (it is yes)"),
            ("factory(C3) = yes", "not so (nothing makes it true)"),
            ("not building_hex(C3) = yes", "yes (it is yes)"),
            ("factory(C3) = yes cites B23.74", "not so (nothing makes it true), citing nothing"),
            ("unknown height(C3)", "it is 1 1/2"),
            ("unknown marketplace(C3)", "it is no"),
            ("unknown height(C3) cites B23.22", "it is 1 1/2"),
            ("height(C3) = 2", "not so (it is 1 1/2)"),
            ("holds control(C3, german)", "unknown: the board does not say `control SIDE: C3`"),
            ("los E3 - E4 blocked at C3-C4", "blocked at E3-E4"),
            ("los E3 - E4 clear", "blocked at E3-E4"),
        ],
        5,
    ),
)
def test_a_failing_expectation_says_what_came_instead(expect: str, answered: str) -> None:
    ((passed, told),) = met(HALL, expect)
    assert not passed
    assert told.startswith(answered)


def test_general_rules_and_rulings_can_be_cited() -> None:
    text = 'board "two" grid 4x4\nexpect adjacent(B2, B3) = yes cites GR.4, R-T15, B.6\n'
    (expect,) = (each for each in parse(text).statements if isinstance(each, Expect))
    assert expect.cites == ("GR.4", "R-T15", "B.6")
    assert parse(write(parse(text))) == parse(text)


# --- text, JSON and expectations agree


@pytest.fixture(scope="module")
def expected() -> list[tuple[Path, Expect]]:
    """All that the cases expect."""
    loaded = ((path, parser.load(path)) for path in CASES)
    return [
        (path, each)
        for path, board in loaded
        for each in board.statements
        if isinstance(each, Expect)
    ]


@pytest.fixture(scope="module")
def asked(expected: list[tuple[Path, Expect]]) -> list[tuple[Position, ExpectationResult]]:
    """What became of some expectations of some cases, as many that are unknown, or not so, as others."""
    kinds: dict[str, list[tuple[Path, Expect]]] = {
        "unknown": [],
        "no": [],
        "forbidden": [],
        "blocked": [],
        "": [],
    }
    for path, expect in expected:
        answer = str(expect.answer)
        kinds[answer if answer in kinds else ""].append((path, expect))
    chosen: dict[Path, list[Expect]] = {}
    for kind, each in kinds.items():
        for path, expect in some(each, 6, of=kind):
            chosen.setdefault(path, []).append(expect)
    found = []
    for path, expects in chosen.items():
        here = load(path, program())
        alone = replace(here, board=replace(here.board, statements=tuple(expects)))
        found += [(here, each) for each in expectations(alone)]
    return found


@pytest.fixture(scope="module")
def unknown(expected: list[tuple[Path, Expect]]) -> list[tuple[Position, Query, api.Asked]]:
    """Some of all that the cases expect to be unknown, as it is answered."""
    questions = [
        (path, each.question)
        for path, each in expected
        if isinstance(each.question, Query) and each.answer == "unknown"
    ]
    found = []
    for path, question in some(questions, 7):
        here = load(path, program())
        found.append((here, question, api.ask(here, question)))
    return found


def _told(
    here: Position, expect: Expect, capsys: pytest.CaptureFixture[str]
) -> tuple[str, Record] | None:
    """The first line of what an expectation's question is answered with in text, and the JSON."""
    question = expect.question
    if isinstance(question, Query):
        answer: Answer = api.ask(here, question)
    elif isinstance(question, DeedQuery):
        answer = api.can(here, question)
    elif isinstance(question, ExpectedLos):
        answer = api.los(here, question.a, question.b)
    elif isinstance(question, Shot | ExpectedDrm):
        shot = question if isinstance(question, Shot) else question.shot
        ask = api.tem if isinstance(question, Shot) else api.fire
        answer = ask(here, shot.firer, shot.target, shot.how, shot.doing)
    else:
        return None
    with console() as out:
        show(out, *answer.report().blocks)
    record = answer.record()
    return capsys.readouterr().out, json.loads(json.dumps(record))


#: How the text of an answer begins, by its verdict.
_BEGINS = {
    Verdict.YES: "Yes",
    Verdict.FORBIDDEN: "Not allowed",
    Verdict.NOT_SO: "No",
    Verdict.UNKNOWN: "Unknown",
}


@slow
def test_text_json_and_expectation_come_to_one_word(
    asked: list[tuple[Position, ExpectationResult]], capsys: pytest.CaptureFixture[str]
) -> None:
    words = set()
    for here, outcome in asked:
        told = _told(here, outcome.expect, capsys)
        if told is None:
            continue
        text, record = told
        word = Verdict(record["verdict"])
        words.add(word)
        if not isinstance(outcome.expect.question, ExpectedDrm):
            assert outcome.word is word, outcome.expect
        assert (word is Verdict.UNKNOWN) <= bool(record.get("unknown", {}).get("why")), (
            outcome.expect
        )
        first = text.split("\n", 1)[0]
        if isinstance(outcome.expect.question, ExpectedLos):
            shown = {Verdict.YES: "clear", Verdict.NOT_SO: "blocked", Verdict.UNKNOWN: "unknown"}
            assert shown[word] in first
        elif isinstance(outcome.expect.question, Query | DeedQuery):
            assert first.startswith(_BEGINS[word]) or record.get("answers"), outcome.expect
    assert words >= {Verdict.YES, Verdict.NOT_SO, Verdict.UNKNOWN}


@slow
def test_no_reason_is_a_code_or_a_circle(
    unknown: list[tuple[Position, Query, api.Asked]],
) -> None:
    for _, question, answer in unknown:
        assert answer.word is Verdict.UNKNOWN
        assert answer.unknown
        for why in answer.unknown:
            assert why.name in vocabulary().reasons, why
            assert why.name != "of", why
            assert str(question).removesuffix(" = _") not in str(why)
            assert not re.search(r"\b[a-z]\d+\b|^\W*$", str(why)), why


def _said_too(here: Position, why: Reason) -> str | None:
    """A line that says what is missing; None for what is said in another way."""
    line = why.about[0]
    for kind, word in {
        "NUMBER": "3",
        "SIDE": "german",
        "PHASE": "mph",
        "GUN-KIND": "AT",
        "TOWER-TYPE": "obstacle",
        "SIZE": "small",
        "YES-NO": "no",
    }.items():
        line = re.sub(rf"\b{kind}\b", word, line)
    unit = re.match(r"unit (\S+) \.\.\.(:?) (.*)", line)
    if unit is None:
        return line
    (thing,) = (
        each
        for each in here.board.statements
        if isinstance(each, UnitStatement) and each.name == unit[1]
    )
    # Below the line of the map, on which a vertex has its name; where another arc points, this one can.
    text = write(Board("", here.board.grid, (thing,))).partition("\n")[2].strip()
    points = re.search(r"(?<=[VT]CA )[^,]+", text)
    unit = re.match(
        r"unit (\S+) \.\.\.(:?) (.*)", line.replace("HEX/HEX", points[0] if points else "0")
    )
    assert unit is not None
    if unit[2]:
        return f"{text}, {unit[3]}" if ": " in text else f"{text}: {unit[3]}"
    return text.replace(" at ", f" {unit[3]} at ", 1) if "-" not in unit[3] else None


def test_what_is_said_to_be_missing_is_not_there_and_once_said_is_missing_no_more(
    unknown: list[tuple[Position, Query, api.Asked]],
) -> None:
    hall = board(HALL)
    questions = ("control(C3, german)", "turn(T)", 'side_of("N") = S', 'has("A", mp, M)')
    more = [(hall, parse_query(each), api.ask(hall, each)) for each in questions]
    lines = 0
    for here, question, answer in (*more, *unknown):
        for why in answer.unknown if len(answer.unknown) < 3 else ():
            line = _said_too(here, why) if why.name == "not_stated" else None
            if line is not None:
                lines += 1
                assert why not in api.ask(here.with_(line), question).unknown, line
    assert lines >= len(questions)


# --- what is assumed, and what is our reading


def test_what_is_not_of_the_printed_text_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    church = api.load("church")
    answer = api.los(church, "C3/2", "D2/2")
    record = answer.record()
    norms = [church.program.norms[each] for each in answer.cites.norms]
    assert {norm.paragraph for norm in norms} == set(record["cites"])
    assert set(record["readings"]) == {norm.paragraph for norm in norms if norm.reading}
    assert "R-T14" in record["readings"]
    assert set(record["assumed"]) == {
        norm.paragraph for norm in norms if norm.assumed and not norm.reading
    }
    with console() as out:
        show(out, *answer.report().blocks)
    *_, printed, assumed, ours = capsys.readouterr().out.splitlines()
    others = {*record["assumed"], *record["readings"]}
    assert printed == f"Rules: {', '.join(each for each in record['cites'] if each not in others)}"
    assert assumed == f"General rules (assumed): {', '.join(record['assumed'])}"
    assert ours == f"Our interpretations: {', '.join(record['readings'])}"


def test_an_answer_says_what_it_rests_on_that_is_less_sure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = 'board "rubble" grid 3x3\nbuilding gray: B2   stairwell B2\nrubbled level 1: B2'
    position = prepare(parse(text), program())
    question = parse_query("height(B2) = V")
    answer = api.ask(position, question)
    assert answer.record()["less_sure"] == ["R-B24.2b"]
    with console() as out:
        show(out, *answer.report().blocks)
    assert "Our interpretations (less sure): R-B24.2b" in capsys.readouterr().out
    norms = program().source.norms
    assert {norm.id for norm in norms if norm.less_sure} < {
        norm.id for norm in norms if norm.ruling
    }


def test_cost_of_what_is_nowhere_is_not_so() -> None:
    text = HALL + "expect cost A to A6/1 = not so\n"
    asked = [each.expect.question for each in expectations(board(text))]
    assert all(isinstance(each, ExpectedCost) for each in asked)
