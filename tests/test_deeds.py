"""Actions as players write them: parsing, writing, and errors."""

import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rules_asp.game.query import DeedQuery, FunctionTerm, canonical_deed
from rules_asp.game.vocabulary import vocabulary
from rules_asp.parser import BoardError, deed_text, parse_deed, parse_roll
from rules_asp.parser.writer import form_text, roll_text
from tests.board_texts import deeds, examples
from tests.sampling import tries


def term(text: str) -> str:
    return parse_deed(text).deed.term


@pytest.mark.parametrize("text", [line for block in examples("deed") for line in block.split("\n")])
def test_the_examples_of_the_readme(text: str) -> None:
    if text:
        doing = parse_deed(text)
        assert parse_deed(deed_text(doing, vocabulary())) == canonical_deed(doing)


@pytest.mark.parametrize("text", "\n".join(examples("roll")).split("\n"))
def test_the_rolls_of_the_readme(text: str) -> None:
    if text:
        rolling = parse_roll(text)
        assert form_text(rolling.roll, vocabulary()) is not None
        assert parse_roll(roll_text(rolling, vocabulary())) == parse_roll(str(rolling)) == rolling


def test_every_form_of_deed_and_roll_is_in_the_readme() -> None:
    said = {parse_deed(line).deed.value for block in examples("deed") for line in _lines(block)}
    said |= {parse_roll(line).roll.value for block in examples("roll") for line in _lines(block)}
    forms = {each.name for each in vocabulary().forms.values() if each.kind in ("deed", "roll")}
    assert forms == {each.name for each in said if isinstance(each, FunctionTerm)}


def _lines(block: str) -> list[str]:
    return [line for line in block.split("\n") if line]


@pytest.mark.parametrize(
    ("text", "turns", "only"),
    [
        ("A move to V3 in 3 turns", 3, None),
        ("A moves to V3 in 1 turn", 1, None),
        ("A move to V3/2 inside", 1, "inside"),
        ("A moves to V3 all by road in 2 turns", 2, "by_road"),
    ],
)
def test_what_more_is_said_of_a_way(text: str, turns: int, only: str | None) -> None:
    doing = parse_deed(text)
    assert (doing.turn_count, doing.only) == (turns, only)
    assert parse_deed(deed_text(doing, vocabulary())) == canonical_deed(doing)
    assert doing.deed == parse_deed(" ".join(text.split()[:4])).deed


@pytest.mark.parametrize(
    "text",
    ["A move to V3 in 0 turns", "A move to V3 by road inside", "A move to V3 inside inside"],
)
def test_what_is_no_way_is_refused(text: str) -> None:
    with pytest.raises(BoardError, match="is not expected at this position"):
        parse_deed(text)


@pytest.mark.parametrize("roll", ['bog_check("T", U4)', "the Bog Check of T in U4"])
@pytest.mark.parametrize("dice", ["with", "with blue 2", "with colored", "with colored two"])
def test_dice_that_are_none_are_refused(roll: str, dice: str) -> None:
    with pytest.raises(BoardError):
        parse_roll(f"{roll} {dice}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A move to V3/2", 'step(move,"A",_,l((21,3),2),_)'),
        ("A rout to V3 from U4", 'step(rout,"A",l((20,4),0),l((21,3),0),_)'),
        ("A move to V3 by road", 'step(move,"A",_,l((21,3),0),road)'),
        ("A move to V3 by entering", 'step(move,"A",_,l((21,3),0),enter)'),
        ("A move to V3 by overrunning", 'step(move,"A",_,l((21,3),0),drive_ovr)'),
        ("A move to H6 around H6@I7-H7", 'step(move,"A",_,l((7,6),0),around(v((7,6),2)))'),
        ("A move to H6 around H7", 'step(move,"A",_,l((7,6),0),_)'),
        ("fire from 20U4/1 at 20V3", "fire(l((20,4),1),l((21,3),0))"),
        ('step(move, "A", U4, V3, enter)', 'step(move,"A",l((20,4),0),l((21,3),0),enter)'),
        ('step(move, "A", U4, V3, W)', 'step(move,"A",l((20,4),0),l((21,3),0),W)'),
    ],
)
def test_what_a_sentence_says(text: str, expected: str) -> None:
    assert term(text) == expected


def test_a_hex_beside_the_way_is_kept_apart() -> None:
    doing = parse_deed("A move to H6 around H7")
    assert str(doing.around) == "H7"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A mov to V3", "action:1:3: mov is not expected at this position"),
        (
            "A move to V3 by boat",
            "expected Bypass, VBM, driving, entering, overrunning, road or stairs",
        ),
        ("A move to V3/x", "x is not a level of a hex"),
        ("A move", "the text ends before it is complete"),
        ("", "the text ends before it is complete"),
        ("A move to H6 around H6@A1-B1", "do not meet at a vertex"),
        ('step(move, "A", U4, V3)', "step takes 5 arguments"),
        ('step(fly, "A", U4, V3, enter)', "'fly' is not a by"),
        ("height(U4)", "height is not an action"),
        ("20E7 move to 21E8", "is not expected at this position"),
    ],
)
def test_a_bad_deed_is_reported(text: str, message: str) -> None:
    with pytest.raises(BoardError) as caught:
        parse_deed(text)
    assert message in str(caught.value)


def test_a_hex_of_another_board_is_reported() -> None:
    with pytest.raises(BoardError) as caught:
        parse_deed("A move to 21V3", {"20"})
    assert "21 is not the name of a board of this map" in str(caught.value)


@settings(max_examples=tries(450), deadline=None, suppress_health_check=list(HealthCheck))
@given(deeds())
def test_what_is_written_is_read_as_it_was(doing: DeedQuery) -> None:
    assert parse_deed(deed_text(doing, vocabulary())) == canonical_deed(doing)


@settings(max_examples=tries(600), deadline=None)
@given(st.text(max_size=40) | st.text("Afire move to from V3/by()@-,", max_size=40))
def test_whatever_is_typed_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(BoardError):
        doing = parse_deed(text)
        assert "#" not in doing.deed.term
        assert "\n" not in doing.deed.term
