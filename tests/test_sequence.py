"""`sequence`: each action is checked like `can` on the board after the earlier actions."""

import json

import pytest
from click.testing import CliRunner

from rules_asp import api
from rules_asp.cli.app import main
from tests.positions import program
from tests.sampling import part, slow


def asked(actions: str) -> list[tuple[str | None, str]]:
    here = api.load("assault", program())
    answer = here.answer(api.SequenceQuestion(actions), cite=False)
    return [(each.phase, str(each.can.word)) for each in answer.steps]


@slow
def test_a_move_goes_on_where_it_ended_with_what_is_left() -> None:
    moves = "A moves to C4 then A moves to C3 then A moves to C3/1"
    assert asked(moves) == [("mph", "yes")] * 3
    assert asked(f"{moves} then A moves to C3") == [("mph", "yes")] * 3 + [("mph", "forbidden")]
    by_hand = api.load("assault", program()).with_(
        "unit A squad 4-6-7 german at C3/1: spent 4", "turn 3 german mph"
    )
    assert str(api.can(by_hand, "A moves to C3").word) == "forbidden"


def test_what_is_forbidden_ends_the_sequence() -> None:
    here = api.load("assault", program())
    answer = here.answer(api.SequenceQuestion("G moves to F4 then G moves to E3"))
    assert len(answer.steps) == 1
    assert answer.unasked == ("G moves to E3",)
    assert answer.word == "forbidden"


def test_each_action_has_its_phase() -> None:
    told = asked("A moves to C4 then dfph then E fires at A then afph then A fires at E")
    assert told == [("mph", "yes"), ("dfph", "yes"), ("afph", "yes")]
    assert asked("A moves to C4 then A advances to C3") == [("mph", "yes"), ("aph", "yes")]


def test_after_an_action_that_leaves_a_marker_nothing_is_certain() -> None:
    told = asked("afph then A fires at E then A advances to C4")
    assert told == [("afph", "yes"), ("aph", "unknown")]


@slow
def test_an_advance_is_from_where_the_move_ended() -> None:
    assert (
        asked("A advances to C3") == [("aph", "not so")] or asked("A advances to C3")[0][1] != "yes"
    )


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == code, result.output
    return result.stdout if code == 0 else result.stderr


def test_the_command() -> None:
    actions = "A moves to C4 then A advances to C3"
    text = run("sequence", "assault", actions)
    assert text.startswith("Yes: all 2 actions\n  1  mph  A moves to C4")
    record = json.loads(run("sequence", "assault", actions, "--json"))
    assert [each["can"]["legal"] for each in record["actions"]] == [True, True]


@pytest.mark.parametrize(
    ("actions", "told"),
    part(
        [
            ("A advances to C4 then A moves to C3", "the phase mph is before the phase aph"),
            ("A moves to C4 then", "an action before or after `then` is missing"),
            ("mph", "a sequence needs an action"),
            ("A juggles", "juggles"),
        ],
        2,
    ),
)
def test_what_cannot_be_asked_is_refused(actions: str, told: str) -> None:
    assert told in run("sequence", "assault", actions, code=2)


ROAD = """
board "road" grid 5x7
sides german russian
turn 1 russian mph
road dirt: C1-C2-C3-C4-C5-C6
woods: C4
unit A squad 4-4-7 russian at C1
unit B squad 4-4-7 russian at C1: by-road
"""


@pytest.mark.parametrize(
    ("actions", "legal"),
    part(
        [
            # Five hexes with 4 MF: the bonus of a move along the road alone, step by step or by a path.
            (
                "A moves to C2 then A moves to C3 then A moves to C5 then A moves to C6 by road",
                True,
            ),
            # It is lost by a step off the road, and by entering woods otherwise than by the road.
            ("B moves to D2 then B moves to C3 then B moves to C5 then B moves to C6", False),
            ("A moves to C3 then A moves to C4 by entering then A moves to C5", False),
        ],
        1,
    ),
)
def test_a_road_bonus_is_carried_on(actions: str, legal: bool) -> None:
    found = api.position(api.parse(ROAD), program()).answer(api.SequenceQuestion(actions))
    assert found.steps[-1].can.legal is legal
