"""Lines of sight: one sight with everything about it, or all sights of a board.

Nothing is decided here. The knowledge base says what blocks, hinders, is beaten and by whom; this module asks
it, and shows how close a verdict was by asking again with the doubtful touch taken the other way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import clingo

from rules_asp.engine import Answer
from rules_asp.grid import Location, spot_hex
from rules_asp.names import named
from rules_asp.nearness import near
from rules_asp.position import Position
from rules_asp.proof import cited
from rules_asp.query import location_order
from rules_asp.source import Node
from rules_asp.unknowns import OPEN, Reason, reason
from rules_asp.words import touch

_SIGHT = ("s", 2)
_WANTED = (
    Node("sees", 1, _SIGHT),
    Node("stopped", 3, _SIGHT),
    Node("hindered", 4, _SIGHT),
    Node("hindrance", 2, _SIGHT),
    Node("unknown", 2, _SIGHT),
    Node("defeated", 3, _SIGHT),
    Node("defeated", 3, ("at", 2)),
    Node("contested", 3, _SIGHT),
)


class QuestionError(Exception):
    """The question cannot be put to this board: there is no such place, unit or word."""


class Blocker(NamedTuple):
    """A norm that blocks the line, and the place where it does."""

    norm: str
    place: str


class Hindrance(NamedTuple):
    """A Hindrance: the norm, the place, the amount."""

    norm: str
    place: str
    amount: int


class Beaten(NamedTuple):
    """A norm that would have blocked, and the norm that beats it; the place where, if it is for one."""

    norm: str
    by: str
    place: str | None


class CloseCall(NamedTuple):
    """What the verdict would be if the line ran `margin` lattice units (8 to a pixel) to one side.

    `what` is what would then be otherwise, in words.
    """

    margin: float
    what: str
    clear: bool | None
    hindrance: int


@dataclass(frozen=True)
class Los:
    """The answer about one line of sight. Levels are absolute, in half levels; None is unknown."""

    a: Location
    b: Location
    clear: bool | None
    hindrance: int
    range: int
    level_a: int | None
    level_b: int | None
    blockers: tuple[Blocker, ...] = ()
    hindrances: tuple[Hindrance, ...] = ()
    beaten: tuple[Beaten, ...] = ()
    unknown: tuple[Reason, ...] = ()
    cites: tuple[str, ...] = ()
    close: tuple[CloseCall, ...] = ()


class _Verdict(NamedTuple):
    clear: bool | None
    hindrance: int


def los(position: Position, a: Location, b: Location, close: bool = True, cite: bool = True) -> Los:
    """The line of sight between two Locations, in either order: one question, one answer.

    `close` and `cite` can be switched off to save the time that they take. QuestionError for a Location
    that is not on the board, or that is asked about itself.
    """
    for place in (a, b):
        if not position.has_location(place):
            raise QuestionError(no_such_location(position, place))
    if a == b:
        raise QuestionError(f"{a} is asked about itself")
    if floating := [place for place in (a, b) if position.elevation(place) is None]:
        distance = spot_hex(a.spot).range_to(spot_hex(b.spot))
        unknown = [Reason("level_of", (str(place),)) for place in floating]
        levels = (position.elevation(a), position.elevation(b))
        return Los(a, b, None, 0, distance, *levels, unknown=tuple(unknown))
    first, second = sorted((a, b), key=location_order)
    measured = _measured(position, first, second)
    ends = f"eye_at({first.term}). eye_at({second.term}).\n"
    answers = position.ask(_WANTED, measured + ends, local=True)
    verdicts = {_verdict(answer) for answer in answers}
    answer = answers[0]
    unknown = [reason(why) for _, why in answer.get("unknown", 2)]
    if len(verdicts) > 1:
        unknown.append(OPEN)
    clear, hindrance = verdicts.pop() if len(verdicts) == 1 else (None, 0)
    return Los(
        a,
        b,
        clear,
        hindrance,
        spot_hex(a.spot).range_to(spot_hex(b.spot)),
        position.elevation(a),
        position.elevation(b),
        tuple(sorted(_blockers(answer), key=lambda each: each.place)),
        tuple(sorted(_hindrances(answer), key=lambda each: each.place)),
        tuple(sorted(_beaten(answer), key=str)),
        tuple(unknown),
        _cites(position, answer, measured + ends) if cite else (),
        tuple(_close_calls(position, first, second, measured, ends, _Verdict(clear, hindrance)))
        if close
        else (),
    )


def no_such_location(position: Position, place: Location) -> str:
    """The message for a Location that the board does not have."""
    here = [str(each) for each in position.elevations if each.spot == place.spot]
    if here:
        return f"there is no Location {place} on this board: the hex has {', '.join(sorted(here))}"
    return f"there is no Location {place} on this board"


def _measured(position: Position, a: Location, b: Location) -> str:
    if a.spot == b.spot:
        return f"cell({spot_hex(a.spot).term}).\n"
    return position.measured([(a.spot, b.spot)], (a, b)) + "\n"


def _verdict(answer: Answer) -> _Verdict:
    hindrance = answer.get("hindrance", 2)
    amount = hindrance[0][1].number if hindrance else 0
    if answer.get("stopped", 3):
        return _Verdict(False, amount)
    return _Verdict(True if answer.get("sees", 1) else None, amount)


def _blockers(answer: Answer) -> Iterator[Blocker]:
    for _, norm, place in answer.get("stopped", 3):
        yield Blocker(norm.string, named(place))


def _hindrances(answer: Answer) -> Iterator[Hindrance]:
    for _, norm, place, amount in answer.get("hindered", 4):
        yield Hindrance(norm.string, named(place), amount.number)


def _beaten(answer: Answer) -> Iterator[Beaten]:
    for norm, topic, by in answer.get("defeated", 3):
        if topic.name == "at":
            yield Beaten(norm.string, by.string, named(topic.arguments[1]))
        elif topic.name == "s":
            yield Beaten(norm.string, by.string, None)


def _cites(position: Position, answer: Answer, question: str) -> tuple[str, ...]:
    """The paragraphs that the verdict rests on: of the blocking norms and their proofs, or of what
    hinders and of the norms that beat those which would have blocked."""
    goals = [str(symbol) for symbol in answer.symbols if _matters(symbol)]
    return cited(position, goals, question)


def _matters(symbol: clingo.Symbol) -> bool:
    if symbol.name == "defeated":
        return symbol.arguments[1].name in ("s", "at")
    return (symbol.name, len(symbol.arguments)) in {
        ("stopped", 3),
        ("hindered", 4),
        ("sees", 1),
        ("unknown", 2),
    }


def _close_calls(
    position: Position, a: Location, b: Location, measured: str, ends: str, verdict: _Verdict
) -> Iterator[CloseCall]:
    if a.spot == b.spot:
        return
    lowest = {each.spot: position.elevation(each) or 0 for each in (a, b)}
    facts = measured.split("\n")
    for doubt in near(position.shapes, position.concerns, (a.spot, b.spot), lowest):
        fact = f"{doubt.fact}."
        changed = [each for each in facts if each != fact] if doubt.present else [*facts, fact]
        answers = position.ask(_WANTED, "\n".join(changed) + "\n" + ends, local=True)
        verdicts = {_verdict(answer) for answer in answers}
        if verdicts != {verdict}:
            other = verdicts.pop() if len(verdicts) == 1 else _Verdict(None, 0)
            yield CloseCall(
                doubt.margin, touch(clingo.parse_term(doubt.fact), not doubt.present), *other
            )


def locations(position: Position) -> list[Location]:
    """Every Location of the board, in order."""
    return sorted(position.elevations, key=location_order)
