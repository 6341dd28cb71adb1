"""Answers about many places at once as JSON: what is seen, where units can go, rows of all sights."""

from __future__ import annotations

from rules_asp.answers.all_sights import LosPair
from rules_asp.answers.verdicts_read import LosVerdict
from rules_asp.answers.viewsheds import Viewshed
from rules_asp.positions.prepared import Position
from rules_asp.telling.as_json import Record, issues, level_of, notes, unknown
from rules_asp.terms.arguments import to_board_text
from rules_asp.terms.grid import hex_of_spot


def sees(position: Position, answer: Viewshed) -> Record:
    """What is seen from a Location: its sight to each other one, clear or not."""
    eye = hex_of_spot(answer.eye.spot)
    doubts = {to: [at for at, places in answer.doubtful if to in places] for to, _ in answer.sights}
    norms = position.program.norms
    return {
        "board": position.board.name,
        "from": to_board_text(answer.eye, "location"),
        "level": level_of(answer.level),
        "sights": [
            {
                "to": to_board_text(to, "location"),
                "level": level_of(position.elevation(to)),
                "range": eye.range_to(hex_of_spot(to.spot)),
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
        **notes(position.program.paragraphs(each.norm for _, each in answer.sights if each.norm)),
        **issues(answer),
    }


def sight(ends: LosPair, verdict: LosVerdict) -> Record:
    """A sight of a matrix."""
    a, b = ends
    why = "; ".join(map(str, verdict.why))
    return {
        "a": to_board_text(a, "location"),
        "b": to_board_text(b, "location"),
        "clear": verdict.clear,
        "hindrance": None if verdict.clear is None else verdict.hindrance,
        "norm": verdict.norm or None,
        "at": verdict.place or None,
        **({"unknown": why} if verdict.clear is None else {}),
    }
