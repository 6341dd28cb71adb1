"""Die rolls: the chances against a count of all results, with numbers from the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from rules_asp.api import position, roll
from rules_asp.cases.expectations import expectations
from rules_asp.game.vocabulary import vocabulary
from rules_asp.parser import BoardError
from rules_asp.parser.reader import parse
from rules_asp.positions.locations import QuestionError
from rules_asp.queries.rolls import Rolled
from tests.positions import program
from tests.sampling import part, slow

#: B23.41: what is entered; the DRM of the Bog Check, the drm of the colored die for rubble.
HOUSES = {
    "building brown: C3": (3, -2),
    "building brown: C3 C2   joined C3-C2": (3, -1),
    "building gray: C3": (4, -1),
    "building gray: C3 C2   joined C3-C2": (4, 0),
    "building gray: C3 C2   joined C3-C2   stairwell C2": (4, 0),
    "building disputed: C3": (3, -2),
}


def rolled(house: str, event: str, more: str = "") -> Rolled:
    text = f"""
        board "dice" grid 5x5
        sides german
        {house}
        {more}
        unit T vehicle german at C4: fully-tracked AFV CT BU low-ground-pressure, MP 12
        """
    return roll(position(parse(text), program()), event)


def share(hit: Callable[[int, int], bool]) -> Fraction:
    """How many of the 36 throws of a colored and a white die hit."""
    throws = list(product(range(1, 7), repeat=2))
    return Fraction(sum(hit(colored, white) for colored, white in throws), len(throws))


def chances(answer: Rolled) -> dict[str, Fraction | None]:
    return {each.name: each.chance for each in answer.results}


@pytest.mark.parametrize("house", part(HOUSES, 2))
def test_an_afv_enters_a_building(house: str) -> None:
    drm, drm_colored = HOUSES[house]
    assert chances(rolled(house, 'bog_check("T", C3)')) == {
        "bogs": share(lambda c, w: c + w + drm >= 12),
        "rubble": share(lambda c, w: c + drm_colored <= 0),
        "cellar": share(lambda c, w: c == 6),
    }


def test_an_afv_enters_a_tower() -> None:
    tower = "building brown: C3\nsymbol large-white-dot: C3\nrules B23 BRT7"
    assert chances(rolled(tower, 'bog_check("T", C3)')) == {
        "bogs": None,  # What Soft Sand adds is not given.
        "collapse": share(lambda c, w: c - 2 <= 0),
    }


def test_what_comes_about_at_once_adds_up() -> None:
    answer = rolled("building brown: C3", 'bog_check("T", C3)')
    both = dict(answer.together)
    assert sum(both.values()) == 1
    assert both["bogs", "cellar"] == share(lambda c, w: c == 6 and c + w + 3 >= 12)
    assert both["rubble",] == share(lambda c, w: c <= 2)


@pytest.mark.parametrize(
    ("colour", "kindles", "spreads"), part([("brown", 7, 8), ("disputed", 7, 8), ("gray", 8, 9)], 2)
)
@pytest.mark.parametrize("fortified", [False, True])
def test_flames(colour: str, kindles: int, spreads: int, fortified: bool) -> None:
    house = f"building {colour}: C3 C2   joined C3-C2"
    more = "fortified revealed: C3" if fortified else ""
    # B23.94: -1 where it is fortified; a high DR is needed.
    assert chances(rolled(house, "kindle(C3, other)", more)) == {
        "flame": share(lambda c, w: c + w - fortified >= kindles)
    }
    assert chances(rolled(house, "spread(C2, C3)", more)) == {
        "spreads": share(lambda c, w: c + w - fortified >= spreads)
    }


@pytest.mark.parametrize(
    ("house", "added"),
    [
        ("building gray: C3", 1),
        ("building brown: C3", 0),
        ("building brown: C3\nsymbol large-white-dot: C3\nrules B23 BRT7", -2),
    ],
)
def test_rubble_creation(house: str, added: int) -> None:
    answer = rolled(house, "rubble_creation(C3)")
    assert sum(each.value or 0 for each in answer.modifiers) == added
    # What number makes rubble is for B24.11, which is not given.
    assert answer.unknown
    assert answer.results == answer.together == ()


#: PB4.122: a MA and whether the vehicle is BU; the highest Original dr with which its turret turns.
TURRETS = {
    ("75", False): 3,
    ("75", True): 2,
    ("75L", False): 2,
    ("75L", True): 1,
    ("75LL", False): 1,
    ("75LL", True): 0,
    ("75*", False): 4,
    ("75*", True): 3,
    ("50", False): 3,
}


@pytest.mark.parametrize(("gun", "buttoned_up"), part(TURRETS, 4))
@pytest.mark.parametrize("leader", [0, -1])
def test_a_turret_turns_on_a_narrow_street(gun: str, buttoned_up: bool, leader: int) -> None:
    more = f"""
        rules B23 PB4
        narrow street C3-D2
        unit V vehicle german at C3@C2-D2: turreted {"BU" if buttoned_up else "CE"}, MA {gun}
        """
    if leader:
        more += f"unit L leader german at C3@C2-D2: armor-leader, leadership {leader}, rides V"
    highest = TURRETS[gun, buttoned_up] - leader
    turns = Fraction(sum(number <= highest for number in range(1, 7)), 6)
    answer = rolled("building gray: C3", 'tca_change("V")', more)
    assert chances(answer) == {"fails": 1 - turns, "turns": turns}


def test_what_is_not_given_is_unknown() -> None:
    answer = rolled("building brown: C3", "rubble_creation(C3)")
    assert answer.unknown
    assert chances(answer) == {}
    assert answer.together == ()


def test_every_roll_of_the_rules_is_asked_here() -> None:
    forms = program().source.rules
    declared = {rule.text for rule in forms if rule.heads and rule.heads[0].name == "form"}
    rolls = {text.split("(")[1] for text in declared if ",roll," in text.replace(" ", "")}
    attacks = {"ift_dr", "breach_dr"}
    printed = {"bog_check", "kindle", "spread", "rubble_creation", "tca_change"}
    # Those of the general rules alone are asked in tests/cases.
    general = {"bog_check_at_half", "rubble_after", "spread_within", "push_dr", "mol_dr"}
    general |= {"clear_dr", "clear_here_dr", "whole_hex", "falling"}
    assert rolls == attacks | printed | general


@pytest.mark.parametrize("event", ["bog_check(T, C3)", "bog", "height(C3)", "kindle(C3)", "("])
def test_a_bad_roll_is_reported(event: str) -> None:
    with pytest.raises(BoardError, match="roll:1"):
        rolled("building brown: C3", event)


def test_a_roll_that_nothing_calls_for_is_not_so() -> None:
    answer = rolled("building brown: C3", 'tca_change("T")')
    assert (answer.word, answer.dice, answer.unknown, answer.results) == ("not so", None, (), ())


@slow
def test_dice_that_are_known_leave_the_others() -> None:
    """Of what the colored die shows, six throws are left; all together they make the whole."""
    plain = rolled("building brown: C3", 'bog_check("T", C3)')
    by_colored = [
        rolled("building brown: C3", f'bog_check("T", C3) with colored {number}')
        for number in range(1, 7)
    ]
    assert plain.throws == 36
    assert {each.throws for each in by_colored} == {6}
    for name, chance in chances(plain).items():
        parts = [chances(each)[name] for each in by_colored]
        assert None not in parts
        assert sum(part or 0 for part in parts) / 6 == chance
    certain = rolled("building brown: C3", 'bog_check("T", C3) with colored 2 white 6')
    assert set(chances(certain).values()) <= {Fraction(0), Fraction(1)}
    for dice in ("colored 7", "DR 13", "colored 2 DR 9"):
        with pytest.raises(QuestionError, match="the dice cannot show"):
            rolled("building brown: C3", f'bog_check("T", C3) with {dice}')


#: A head that gives a roll of one form one result: outcome(kindle(X,C),flame).
GIVEN = re.compile(r"outcome\((\w+)\([^()]*\),(\w+)\)")


def test_what_comes_of_a_roll_is_said_of_each_form_and_holds_for_all_norms() -> None:
    here = position(parse('board "dice" grid 3x3'), program())
    said = {(form.string, str(word)) for form, word in here.cases[0].get("comes_of", 2)}
    assert {form for form, _ in said} == {
        name for name, form in vocabulary().forms.items() if form.kind == "roll"
    }
    heads = [rule.text.partition(":-")[0] for rule in program().source.rules]
    given = {pair for head in heads for pair in GIVEN.findall(head) if pair[1].islower()}
    assert len(given) > 3
    assert given <= said


@pytest.mark.parametrize(
    ("asked", "right"),
    [
        ("kindle(C3, other): flame 21/36", True),
        ("kindle(C3, other): spreads no", False),
        ("spread(C3, C2): flame 10/36", False),
        ('bog_check("T", C3): cellar 6/36', True),
        ('bog_check("T", C3): kia no', False),
    ],
)
def test_a_result_that_a_roll_never_has_is_a_mistake(asked: str, right: bool) -> None:
    text = f"""
        board "dice" grid 5x5
        building brown: C3 C2   joined C3-C2
        unit T vehicle german at C4: fully-tracked AFV CT BU low-ground-pressure, MP 12
        expect roll {asked}
        """
    (outcome,) = expectations(position(parse(text), program()))
    assert outcome.passed is right
    assert outcome.error is not right
    assert right or "is not a result of this roll; use " in outcome.answered


def test_a_roll_rests_on_nothing_of_other_hexes() -> None:
    text = """board "towers" grid 9x9
rules B23 BRT7
building brown: C3 E3
symbol large-white-dot: C3 E3
unit T vehicle american at C4: fully-tracked AFV CT BU low-ground-pressure, MP 14
"""
    told = roll(position(parse(text), program()), 'bog_check("T", C3)')
    assert told.results
    assert not [each for each in told.beaten if "E3" in each.about]
