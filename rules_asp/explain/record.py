"""What the JSON of answers has in common: citations, what is unknown, what is amiss on the board."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rules_asp.explain.proof import Defeat
from rules_asp.explain.unknown import Reason, open_points, what_would_settle
from rules_asp.knowledge.catalogue import Citations
from rules_asp.knowledge.notes import Note, Notes
from rules_asp.knowledge.rules import Norm
from rules_asp.positions.answer import BoardIssues, BrokenNorm
from rules_asp.positions.position import Position

#: A JSON object.
Record = dict[str, Any]


def citations(position: Position, cites: Citations) -> Record:
    """The paragraphs that an answer rests on, and those of them that are not printed."""
    leaning = position.program.leaning(cites)
    return {
        "cites": list(cites),
        "assumed": leaning["assumed"],
        "readings": leaning["our reading"],
        "own": leaning["own rules"],
        "less_sure": leaning["less sure"],
        **_left_open(position.program.norms[each] for each in cites.norms),
        **notes(position.program.notes, cites),
    }


def _left_open(norms: Iterable[Norm]) -> Record:
    """What the texts of some norms leave open; no key where they leave nothing open."""
    found = [{"norm": each.id, "open": each.open_points} for each in norms if each.open_points]
    return {"open": found} if found else {}


def notes(notes: Notes | None, cites: Iterable[str]) -> Record:
    """One's own notes on some paragraphs; no key where none are told."""
    return {} if notes is None else {"notes": [_note(each) for each in notes.on(cites)]}


def _note(note: Note) -> Record:
    return {
        "cite": note.rule,
        "kind": note.kind,
        "caption": note.caption or None,
        "text": note.text,
        "answers": [{"text": text, "source": source or None} for text, source in note.answers],
        "source": note.source or None,
    }


def issues(found: BoardIssues) -> Record:
    """Faults of the board and doubts of its importer where an answer passes; no keys for none."""
    rows = {
        "faults": [fault(each) for each in found.faults],
        "doubts": [{"at": where, "what": text} for where, text in found.doubts],
    }
    return {key: each for key, each in rows.items() if each}


def fault(breach: BrokenNorm) -> Record:
    """A norm that the board breaks."""
    cite = {"norm": breach.norm, "cite": breach.paragraph}
    return {**cite, "what": breach.what, "at": breach.where}


def unknown(reasons: Sequence[Reason], so: bool) -> Record:
    """Why something is unknown and what is needed; no keys where nothing is and it is not `so`."""
    if not reasons and not so:
        return {}
    return {
        "unknown": {
            "why": "; ".join(map(str, reasons)),
            "needs": list(what_would_settle(reasons)),
            **_left_open(open_points(reasons)),
        }
    }


def cite(position: Position, norm: str) -> Record:
    """A norm with its paragraph."""
    return {"norm": norm, "cite": position.program.norms[norm].paragraph}


def defeats(found: Iterable[Defeat]) -> list[Record]:
    """The norms that were beaten, each with what it would say otherwise, and by which norm."""
    return [{"norm": each.norm, "by": each.by, "about": each.about} for each in found]


def paid(amount: int | None, paid_in: str) -> Record:
    """An amount in quarters under the name of what it is paid in."""
    return {price: mf_number(amount) if price == paid_in else None for price in ("mf", "mp")}


def mf_number(amount: int | None) -> float | None:
    """Quarters of an MF as MF."""
    return None if amount is None else amount / 4


def level_number(half_levels: int | None) -> int | float | None:
    """Half levels as levels."""
    if half_levels is None:
        return None
    return half_levels // 2 if half_levels % 2 == 0 else half_levels / 2
