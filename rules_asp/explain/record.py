"""The common parts of answers in JSON: citations, reasons of unknown answers, board faults."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rules_asp.explain.proof import Defeat
from rules_asp.explain.unknown import Reason, open_points, what_would_settle
from rules_asp.knowledge.catalogue import Citations
from rules_asp.knowledge.notes import Note, Notes
from rules_asp.knowledge.rules import Norm
from rules_asp.positions.position import Position
from rules_asp.positions.scope import BoardIssues, BrokenNorm

#: A JSON object.
Record = dict[str, Any]


def citations(position: Position, cites: Citations) -> Record:
    """Return the rules that an answer cites, and which of them are not printed."""
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
    """Return what the texts of some norms leave open; empty if nothing is open."""
    found = [{"norm": each.id, "open": each.open_points} for each in norms if each.open_points]
    return {"open": found} if found else {}


def notes(notes: Notes | None, cites: Iterable[str]) -> Record:
    """Return the user's notes on some rules; empty without notes."""
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
    """Return board faults and uncertain map data that affect an answer; empty without any."""
    rows = {
        "faults": [fault(each) for each in found.faults],
        "doubts": [{"at": where, "what": text} for where, text in found.doubts],
    }
    return {key: each for key, each in rows.items() if each}


def fault(breach: BrokenNorm) -> Record:
    """Return a norm that the board violates."""
    cite = {"norm": breach.norm, "cite": breach.paragraph}
    return {**cite, "what": breach.what, "at": breach.where}


def unknown(reasons: Sequence[Reason], so: bool) -> Record:
    """Return why an answer is unknown and what is needed; empty if nothing is unknown and not `so`."""
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
    """Return a norm with its rule number."""
    return {"norm": norm, "cite": position.program.norms[norm].paragraph}


def defeats(found: Iterable[Defeat]) -> list[Record]:
    """Return the defeated norms, each with its assertion and the winning norm."""
    return [{"norm": each.norm, "by": each.by, "about": each.about} for each in found]


def paid(amount: int | None, paid_in: str) -> Record:
    """Return an amount in quarters, with its unit as key."""
    return {price: mf_number(amount) if price == paid_in else None for price in ("mf", "mp")}


def mf_number(amount: int | None) -> float | None:
    """Convert quarters of an MF to MF."""
    return None if amount is None else amount / 4


def level_number(half_levels: int | None) -> int | float | None:
    """Convert half levels to levels."""
    if half_levels is None:
        return None
    return half_levels // 2 if half_levels % 2 == 0 else half_levels / 2
