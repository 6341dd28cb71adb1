"""Answers about many places at once as JSON: what is seen, where units can go, rows of all sights."""

from __future__ import annotations

from rules_asp.answers.all_sights import Sight
from rules_asp.answers.verdicts_read import Verdict
from rules_asp.answers.viewsheds import Viewshed
from rules_asp.positions.prepared import Position
from rules_asp.telling.as_json import Record, beside, level_of, noted, unknown
from rules_asp.terms.arguments import said
from rules_asp.terms.grid import spot_hex


def sees(position: Position, answer: Viewshed) -> Record:
    """What is seen from a Location: its sight to each other one, clear or not."""
    eye = spot_hex(answer.eye.spot)
    doubts = {to: [at for at, places in answer.doubtful if to in places] for to, _ in answer.sights}
    norms = position.program.norms
    return {
        "board": position.board.name,
        "from": said(answer.eye, "location"),
        "level": level_of(answer.level),
        "sights": [
            {
                "to": said(to, "location"),
                "level": level_of(position.elevation(to)),
                "range": eye.range_to(spot_hex(to.spot)),
                "clear": verdict.clear,
                "hindrance": None if verdict.clear is None else verdict.hindrance,
                "norm": verdict.norm or None,
                "cite": norms[verdict.norm].paragraph if verdict.norm else None,
                "at": verdict.place or None,
                **unknown(verdict.why, verdict.clear is None),
                **({"doubts": doubts[to]} if doubts[to] else {}),
            }
            for to, verdict in answer.sights
        ],
        **noted(position.program.paragraphs(each.norm for _, each in answer.sights if each.norm)),
        **beside(answer),
    }


def sight(ends: Sight, verdict: Verdict) -> Record:
    """A sight of a matrix."""
    a, b = ends
    why = "; ".join(map(str, verdict.why))
    return {
        "a": said(a, "location"),
        "b": said(b, "location"),
        "clear": verdict.clear,
        "hindrance": None if verdict.clear is None else verdict.hindrance,
        "norm": verdict.norm or None,
        "at": verdict.place or None,
        **({"unknown": why} if verdict.clear is None else {}),
    }
