"""What an answer hangs on, and what would change it, as JSON; `as_json` documents the shapes."""

from __future__ import annotations

from collections.abc import Iterable

from rules_asp.answers.hanging import DecisiveLine, DecisiveNorm, Hanging
from rules_asp.answers.repairing import Repair, Repaired
from rules_asp.cases.sharing import Case
from rules_asp.positions.candidates import ChangeCandidate
from rules_asp.positions.prepared import Position
from rules_asp.telling.as_json import Record, issues, notes


def sensitive(position: Position, question: str, found: Hanging) -> Record:
    """What an answer hangs on."""
    return {
        "board": position.board.name,
        "question": question,
        "answer": found.short,
        "not_tried": dict(found.left),
        "tried": dict(found.tried),
        "statements": [_turning(each) for each in found.said],
        "absences": [_turning(each) for each in found.unsaid],
        "norms": list(_ruled(position, found.norms)),
        "rulings": list(_ruled(position, found.rulings)),
        "readings": list(found.readings),
        **issues(found),
    }


def case(position: Position, question: str, found: Case) -> Record:
    """The least of a board that gives the same answer."""
    return {
        "board": position.board.name,
        "question": question,
        "text": found.text,
        "expects": found.expects,
        "verdict": found.verdict,
        "cites": list(found.cites),
        "smallest": found.smallest,
        **notes(found.cites),
        **issues(found),
    }


def repair(position: Position, question: str, found: Repaired) -> Record:
    """The smallest changes that give a wanted answer."""
    return {
        "board": position.board.name,
        "question": question,
        "answer": found.short,
        "wanted": found.wanted,
        "already": found.already,
        "allowed": list(found.allowed),
        "not_tried": {"lines": found.lines_left, "pairs": found.pairs_left},
        "tried": {"lines": found.lines, "pairs": found.pairs},
        "repairs": [_repair(each) for each in found.repairs],
        **issues(found),
    }


def _turning(turning: DecisiveLine) -> Record:
    return {**_change(turning.candidate), "answer": turning.answer}


def _change(candidate: ChangeCandidate) -> Record:
    """A change: `if` or `unless`, with its line, and of which kind it is."""
    return {candidate.option.removeprefix("--"): candidate.line, "kind": candidate.kind}


def _ruled(position: Position, found: Iterable[DecisiveNorm]) -> Iterable[Record]:
    norms = position.program.norms
    for each in found:
        cite = norms[each.norm].paragraph
        yield {"norm": each.norm, "cite": cite, "answer": each.answer}


def _repair(repair: Repair) -> Record:
    return {"changes": [_change(each) for each in repair.lines], "answer": repair.short}
