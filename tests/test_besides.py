"""Topics that an answer about fire reports in addition to its DRM, and fire without a firer."""

from __future__ import annotations

import pytest

from rules_asp.game.grid import Hex, Location
from rules_asp.parser import parse
from rules_asp.positions.position import prepare
from rules_asp.positions.scope import Verdict
from rules_asp.queries.fire import Fire, fire, shot
from rules_asp.queries.query_facts import RelatedTopic
from tests.positions import program
from tests.sampling import slow

BREACHED = """
board "breached" grid 9x10
rules B23 ABTF3
road paved: D5-D4
building gray: D4 D3 D2   joined D4-D3 D3-D2   bar D2-D3
breach D3-D2/0
building gray: G3 G4   joined G3-G4   stairwell G3
unit A squad 4-6-7 british at D3
unit B half-squad 2-4-7 british at D3
"""
D2, D3, D4, G3, G6 = (Location(Hex(*at)) for at in ((3, 2), (3, 3), (3, 4), (6, 3), (6, 6)))


def fired(more: str, one: Location, other: Location, how: str = "direct") -> Fire:
    here = prepare(parse(BREACHED + more, "breached"), program())
    return fire(here, shot(here, one, other, how))


@slow
@pytest.mark.parametrize(
    ("events", "halved"),
    [
        ("event A fires through D2-D3", "yes"),
        ("event B fires through D2-D3", "no"),
        ("event A fires through D2-D3\nevent B fires through D2-D3", "yes"),
    ],
)
def test_fire_through_a_breach_tells_what_is_halved(events: str, halved: str) -> None:
    answer = fired(events, D3, D2)
    assert answer.besides == (
        RelatedTopic("halved(D2-D3, inherent)", halved, "ABTF3.331-6"),
        RelatedTopic("halved(D2-D3, other)", "no", "ABTF3.331-8"),
    )
    assert "ABTF3.331-6" in answer.cites.norms


def test_who_fires_through_it_must_be_told() -> None:
    (told,) = fired("", D3, D2).besides
    assert told.value is None
    assert [each.need for each in told.unknown] == [
        "`event UNIT fires through HEXSIDE` on the board"
    ]


def test_other_fire_is_not_through_it() -> None:
    assert fired("event A fires through D2-D3", D3, D4).besides == ()


def test_fire_that_nobody_aims_is_not_forbidden_for_want_of_a_line_of_sight() -> None:
    lobbed = fired("", G6, G3, "indirect")
    assert lobbed.sight is not None
    assert lobbed.sight.clear is False
    assert (lobbed.word, lobbed.drm.value, lobbed.norms) == (Verdict.YES, 5, ())
    aimed = fired("", G6, G3)
    assert (aimed.word, aimed.drm.value, aimed.norms) == (Verdict.FORBIDDEN, None, ("A6.1-4",))


@pytest.mark.parametrize(
    ("leaders", "told"),
    [
        ("unit L leader 9-1 german at C2\nunit K leader 9-2 german at C2", "-2"),
        ("unit L leader 8-0 german at C2", "0"),
        ("unit L leader german at C2", None),
    ],
)
def test_leaders_who_can_direct_are_reported_with_the_shot(leaders: str, told: str | None) -> None:
    here = prepare(
        parse(f'board "x" grid 5x5\nunit A squad 4-6-7 german at C2\n{leaders}\n', "x"), program()
    )
    answer = fire(here, shot(here, Location(Hex(2, 2)), Location(Hex(2, 4))))
    assert [(each.topic, each.value) for each in answer.besides] == [
        ("leader_direction(C2/0)", told)
    ]
    assert answer.drm.value == 0


@pytest.mark.parametrize(
    "leader", ["9-2 german at C2: pinned", "9-2 german at C2: broken", "9-2 german at C3"]
)
def test_leaders_who_cannot_are_not(leader: str) -> None:
    here = prepare(
        parse(
            f'board "x" grid 5x5\nunit A squad 4-6-7 german at C2\nunit L leader {leader}\n', "x"
        ),
        program(),
    )
    assert fire(here, shot(here, Location(Hex(2, 2)), Location(Hex(2, 4)))).besides == ()
