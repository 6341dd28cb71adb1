"""Parts of attacks and routs as JSON: what a row of `firers`, `targets` and `rout` holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rules_asp.game.values import SCALES, to_board_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules_asp.positions.position import Position
    from rules_asp.queries.fire import DrmPart
    from rules_asp.queries.fire_table import Attack
    from rules_asp.queries.rout import Interdiction

Record = dict[str, Any]


def attack(position: Position, of: Attack) -> Record:
    """One attack, with its LOS, FP and DRM."""
    shot = of.shot
    return {
        "unit": shot.by,
        "from": to_board_text(shot.firer, "location"),
        "target": shot.on,
        "at": to_board_text(shot.target, "location"),
        "doing": shot.doing,
        "verdict": of.word,
        "legal": of.legal,
        "norms": list(of.norms),
        "range": of.range,
        "clear": of.clear,
        "hindrance": of.hindrance if of.clear else None,
        "blocked_at": of.blocked_at,
        "firepower": None if of.firepower is None else of.firepower / SCALES["quarter"],
        "times": of.times,
        "doublings": drm_parts(position, of.doublings),
        "direction": of.direction,
        "drm": of.drm.value,
        "parts": drm_parts(position, of.drm.parts),
        "unknown": list(map(str, of.unknown)),
        "firepower_unknown": list(map(str, of.fp_unknown)),
        "drm_unknown": list(map(str, of.drm.unknown)),
    }


def drm_parts(position: Position, parts: Iterable[DrmPart]) -> list[Record]:
    """The parts of a sum, each with its norm."""
    norms = position.program.norms
    return [
        {
            "what": each.what,
            "amount": each.amount,
            "norm": each.norm,
            "cite": norms[each.norm].paragraph,
        }
        for each in parts
    ]


def interdiction(of: Interdiction) -> Record:
    """A step of a rout on which units can Interdict."""
    return {
        "start": to_board_text(of.step.start, "location"),
        "to": to_board_text(of.step.to, "location"),
        "way": of.step.way,
        "by": list(of.by),
        "perhaps": list(of.perhaps),
        "unknown": list(map(str, of.unknown)),
    }
