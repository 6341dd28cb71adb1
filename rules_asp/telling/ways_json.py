"""Where units go, as JSON: `as_json.py` documents the shapes."""

from __future__ import annotations

from rules_asp.answers.allowing import Can
from rules_asp.answers.movement import Moves
from rules_asp.answers.routes import MoveStep, ReachedLocation
from rules_asp.parser.spoken import deed_text
from rules_asp.positions.prepared import Position
from rules_asp.telling.as_json import Record, citations, defeats, issues, related, unknown
from rules_asp.terms.arguments import to_board_text


def moves(position: Position, answer: Moves) -> Record:
    """Where units can go. MF and MP are numbers such as 1.5."""
    told = _shared(position, answer, {"verdict": answer.word})
    for name in ("reach", "perhaps", "in_passing"):
        of = {"reach": answer.reach, "perhaps": answer.perhaps, "in_passing": answer.passed}[name]
        told[name] = [
            {
                **_reached(position, answer, each),
                "beaten": defeats(each.rests_on.beaten),
                "cites": list(each.rests_on.cites),
                "path": [_step(position, step, answer.paid_in) for step in each.path],
            }
            for each in of
        ]
    paid = answer.paid_in
    told["forbidden"] = [_step(position, each, paid) for each in answer.forbidden]
    told["unknown_steps"] = [
        {**_step(position, each, paid), **unknown(each.unknown, True)} for each in answer.unknown
    ]
    return told


def reach(position: Position, answer: Moves) -> Record:
    """Where units can go, each place with its MF: `moves` without ways and steps."""
    told = _shared(position, answer, {})
    told["reach"] = [_reached(position, answer, each) for each in answer.reach]
    told["perhaps"] = [_reached(position, answer, each) for each in answer.perhaps]
    return told


def _shared(position: Position, answer: Moves, more: Record) -> Record:
    reasons = tuple(dict.fromkeys((*answer.reasons, *answer.besides)))
    return {
        "board": position.board.name,
        **more,
        "units": list(answer.units),
        "phase": answer.phase,
        "from": to_board_text(answer.start, "location"),
        **_paid(answer.pace, answer.paid_in),
        "turns": answer.turns,
        **citations(position, position.program.paragraphs(answer.norms)),
        **unknown(reasons, bool(reasons)),
        **issues(answer),
    }


def _reached(position: Position, answer: Moves, each: ReachedLocation) -> Record:
    """A Location with what it takes; `at_least` and `at_most` where that is not known."""
    return {
        "to": to_board_text(each.to, "location"),
        **_paid(each.mf, answer.paid_in),
        "at_least": mf_number(each.mf if each.mf is not None else each.at_least),
        "at_most": mf_number(each.mf if each.mf is not None else each.at_most),
        "turn": each.turn,
        **unknown(each.unknown, bool(each.unknown)),
    }


def _step(position: Position, step: MoveStep, paid_in: str) -> Record:
    return {
        "from": to_board_text(step.start, "location"),
        "to": to_board_text(step.to, "location"),
        "way": step.way,
        **_paid(step.mf, paid_in),
        "norms": list(step.norms),
        "cites": list(position.program.paragraphs(step.norms)),
    }


def _paid(amount: int | None, paid_in: str) -> Record:
    """An amount under the name of what it is paid in."""
    return {price: mf_number(amount) if price == paid_in else None for price in ("mf", "mp")}


def mf_number(amount: int | None) -> float | None:
    """Quarters of an MF as MF."""
    return None if amount is None else amount / 4


def can(position: Position, answer: Can) -> Record:
    """Whether a deed is legal, and each way in which it comes into question."""
    there = answer.there
    return {
        "board": position.board.name,
        "verdict": answer.word,
        "deed": deed_text(answer.doing),
        "legal": answer.legal,
        "forbidden_by": list(answer.forbidding),
        "ways": [
            {
                "deed": each.name,
                "verdict": each.word,
                "sentence": each.sentence,
                "legal": each.legal,
                **_paid(each.cost, each.paid_in),
                "norms": list(dict.fromkeys((*each.norms, *each.priced))),
                **unknown(each.unknown, each.legal is None),
            }
            for each in answer.ways
        ],
        "way_there": [_step(position, step, answer.paid_in) for step in there.path]
        if there
        else [],
        "besides": related(answer.besides),
        "beaten": defeats(answer.beaten),
        **citations(position, answer.cites),
        **unknown(answer.unknown, answer.legal is None),
        **issues(answer),
    }
