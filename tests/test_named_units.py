"""A sentence that names a unit is about that unit, not about its Location or other units there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from rules_asp.game.query import PLACED, UnitLocation
from rules_asp.game.vocabulary import Form, Sentence, vocabulary
from rules_asp.parser import parse, parse_deed, parse_location, parse_query
from rules_asp.parser.writer import TemplateSlot, TemplateWord, parse_template, slots
from rules_asp.positions import scope
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.ask import ask
from rules_asp.queries.fire import fire, shot, tem
from rules_asp.queries.legality import can
from tests.positions import program
from tests.sampling import part, some

WORDS = vocabulary()
BOARD = """board "x" grid 6x6
rules B23 PB4 PB6 ABTF3
narrow street D4-D5
building gray: C3 C4 D3   joined C3-C4 C3-D3 C4-D3   stairwell C3   bar C3-C4
breach C3-D3/0
breach C3-C4/0
mines ap 6 revealed: D4
roadblock D4-D5 toward C5
purchase german 2 fortified
turn 0 german
unit U {kind} german at {at}: {state}
unit R squad 4-4-7 russian at D3
unit F squad 4-6-7 german at D3
unit T vehicle german at D2: truck stopped
unit G gun german at C3: kind AT, size small, MA 37L
"""
BESIDE = "unit K squad 4-6-7 german at {at}: possesses DC LMG\n"
#: Of what sort the unit is that is named, and where it is.
NAMED = (
    ("squad", "broken, possesses DC LMG", "C3"),
    ("dummy", "concealed", "C3"),
    ("squad", "captured, possesses DC LMG", "D4"),
    ("squad", "broken, possesses DC LMG", "D4"),
)
FILLED = {
    "location": ("D3", "C3/1"),
    "hex": ("D4",),
    "hexside": ("D4-D5",),
    "spot": ("D4@D5-C5",),
    "unit": ("R",),
    "party": ("R", "D3"),
    "side": ("german",),
    "corner": ("2",),
    "number": ("0",),
}


def _doers() -> list[tuple[Sentence, str]]:
    """Each sentence of a deed that begins with a unit, filled in, with U for that unit."""
    return [
        (each, text)
        for each in WORDS.sentences
        if isinstance(entry := WORDS.entry_of(each), Form) and entry.kind == "deed"
        if _begins_with_unit(each, entry)
        for text in _filled(each, entry)
    ]


def _begins_with_unit(sentence: Sentence, entry: Form) -> bool:
    parts = [each for each in parse_template(sentence.text) if not isinstance(each, TemplateWord)]
    first = parse_template(sentence.text)[0]
    by = isinstance(first, TemplateSlot) and first.place == 0 and entry.kinds[0] == "by"
    slot = parts[1] if by else first
    if not isinstance(slot, TemplateSlot):
        return False
    return slot.place < 0 or entry.kinds[slot.place] in {"unit", *PLACED}


def _filled(sentence: Sentence, entry: Form) -> Iterator[str]:
    spellings = re.sub(r"(\S+?)/[^\s{}\]]*(?<!\d\})", r"\1", sentence.text)
    plain = re.sub(r"\[[^]]*\]", "", spellings)
    for by in ("move", "advance", "rout") if entry.kinds[0] == "by" else ("",):
        for number in range(2):
            text = plain.replace("{0}", "U").replace("{course}", "inside").replace("{turns}", "2")
            named = False
            for slot in slots(parse_template(sentence.text)):
                if slot.place < 0:
                    named = named or slot.about == "unit"
                    continue
                kind = entry.kinds[slot.place]
                choices = FILLED.get(kind) or [
                    WORDS.phrases.get((kind, word), word).split("/")[0].replace("_", "-")
                    for word in WORDS.words[kind]
                ]
                said = by if kind == "by" else choices[number % len(choices)]
                if kind in {"unit", *PLACED} and not named:
                    said, named = "U", True
                marked = {"@": "C3@C2-D2", "/": "C3-C4/0", "": said}[slot.sign]
                text = re.sub(rf"\{{{slot.place + 1}[^}}]*\}}", marked, text, count=1)
            if sentence.form == "step":
                text = text.replace(f"{by} U", f"U {by}s")
            yield " ".join(text.split())


DOERS = _doers()


def _on(kind: str, state: str, at: str, beside: bool) -> Position:
    text = BOARD.format(kind=kind, state=state, at=at) + (BESIDE.format(at=at) if beside else "")
    return prepare(parse(text), program())


def test_there_are_sentences_of_who_does_something() -> None:
    assert len({sentence.form for sentence, _ in DOERS}) > 15


@pytest.mark.parametrize("named", part(NAMED, 2), ids=lambda named: f"{named[0]} {named[2]}")
def test_nobody_may_do_more_since_someone_able_stands_beside(named: tuple[str, str, str]) -> None:
    alone, beside = _on(*named, False), _on(*named, True)
    asked = 0
    for _, text in some(DOERS, 3):
        try:
            before = can(alone, parse_deed(text), cite=False)
            after = can(beside, parse_deed(text), cite=False)
        except QuestionError:
            continue
        asked += 1
        assert after.legal is not True or before.legal is True, text
    assert asked


@pytest.mark.parametrize(
    ("deed", "legal"),
    part(
        [
            ("K fires at R", True),
            ("K fires at C3/1", True),
            ("U fires at R", False),
            ("K fires at F", None),
            ("fire from C3 at R", True),
            ("fire from C3 at F", None),
            ("K fires point blank at R", True),
            ("U fires point blank at R", False),
            ("K fortifies C3", True),
            ("U fortifies C3", None),
        ],
        3,
    ),
)
def test_who_is_named_decides(deed: str, legal: bool | None) -> None:
    here = _on("squad", "broken", "C3", True)
    assert can(here, parse_deed(deed)).legal is legal


def test_what_is_done_by_hand_is_done_by_who_can() -> None:
    here = _on("squad", "broken", "C3", True)
    said = "{} places a roadblock across D4-D5 toward C5"
    assert can(here, parse_deed(said.format("K"))).legal is True
    doubted = can(here, parse_deed(said.format("U")))
    assert doubted.legal is None
    assert doubted.unknown
    assert "GR.48" in doubted.cites


def test_a_shot_at_a_vehicle_is_no_shot_at_infantry() -> None:
    """What it would be for Infantry that moves in the same hex it is not for a truck."""
    here = _on("squad", "broken", "C3", True)
    infantry = fire(here, shot(here, UnitLocation("K"), parse_location("D2"), doing="moving"))
    truck = fire(here, shot(here, UnitLocation("K"), UnitLocation("T"), doing="moving"))
    assert infantry.drm.value is not None
    assert (truck.drm.value, bool(truck.drm.unknown)) == (None, True)
    assert tem(here, shot(here, UnitLocation("K"), UnitLocation("T"))).value is not None
    assert (
        ask(here, parse_query('drm(shot("K", "T", direct, moving)) = V')).word
        is scope.Verdict.UNKNOWN
    )


def test_whether_a_shot_may_be_fired_is_of_who_is_named() -> None:
    here = _on("squad", "broken", "C3", True)
    able, broken = (
        fire(here, shot(here, UnitLocation(each), UnitLocation("R"))) for each in ("K", "U")
    )
    assert (able.legal, broken.legal) == (True, False)
    assert able.drm.value == broken.drm.value
