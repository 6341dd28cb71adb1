"""What searches found as JSON: `rules-asp lab ... --json`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from rules_asp.lab.clashes import Clash
from rules_asp.lab.courses import Report
from rules_asp.lab.differences import Difference
from rules_asp.lab.findings import Shown
from rules_asp.lab.meetings import Meeting
from rules_asp.lab.norms import Dead, Doing
from rules_asp.lab.unanswered import Gap
from rules_asp.lab.world import Bounds

Record = dict[str, Any]


def record(command: str, found: Report[Any]) -> Record:
    """What a search found, as JSON."""
    return {
        "bounds": _bounds_record(found.bounds),
        "complete": found.complete,
        "known": found.known,
        "whole": found.whole,
        "settled": list(found.settled),
        "left": list(found.left),
        "undecided": list(found.undecided),
        "unconfirmed": list(found.unconfirmed),
        "seconds": found.seconds,
        **({"excluded": asdict(found.excluded)} if found.excluded else {}),
        **({"lets": [asdict(each) for each in found.lets]} if found.lets else {}),
        **({"never": list(found.never)} if found.never else {}),
        "found": [one(each) for each in found.found],
    }


def one(each: object) -> Record:
    """One thing that was found, as JSON."""
    return _RECORDS[type(each)](each)


def dead_record(found: Dead) -> Record:
    """The norms that do nothing, as JSON."""
    return {
        "bounds": _bounds_record(found.bounds),
        "complete": found.complete,
        "whole": found.whole,
        "seconds": found.seconds,
        "norms": found.norms,
        "never_fire": list(found.silent),
        "never_win": list(found.beaten),
        "repeat": list(found.repeating),
        "beyond": list(found.beyond),
        "open": list(found.open),
        "settled": list(found.settled),
        "left": list(found.left),
    }


def _bounds_record(bounds: Bounds) -> Record:
    return {
        "grids": [str(grid) for grid in bounds.grids],
        "sections": list(bounds.sections),
        "without": list(bounds.without),
        "most": dict(bounds.most),
        "events": list(bounds.events),
        "where": bounds.where,
    }


def _shown(shown: Shown | None) -> Record:
    if shown is None:
        return {"board": None}
    found: Record = {"board": shown.witness.text, "question": str(shown.witness.query)}
    if shown.witness.counts:
        found["counts"] = [str(each) for each in shown.witness.counts]
    if shown.worth is not None:
        found["value"] = shown.worth
    return found


def _clash(each: Clash) -> Record:
    return {
        "topic": each.topic,
        "norms": [each.one, each.other],
        "where": each.where,
        "settled": list(each.settled),
        **_shown(each.shown),
    }


def _meeting(each: Meeting) -> Record:
    return {
        "relation": each.relation,
        "topic": each.topic,
        "norms": [each.one, each.other],
        "where": each.where,
        "because": [rank.record for rank in each.because],
        **_shown(each.shown),
    }


def _gap(each: Gap) -> Record:
    return {
        "topic": each.topic,
        "norm": each.norm,
        "why": str(each.why) if each.why else None,
        "where": each.where,
        **_shown(each.shown),
    }


def _difference(each: Difference) -> Record:
    return {
        "topic": each.topic,
        "way": each.way,
        "where": each.where,
        "answers": list(each.answers),
        "cites": [list(cites) for cites in each.cites],
        "norms": [list(cites.norms) for cites in each.cites],
        "changed": list(each.changed),
        "boards": [board.plain for board in each.boards or ()],
        "question": str(each.boards[0].query) if each.boards else None,
        **({"doubt": each.doubt} if each.doubt else {}),
    }


def _doing(each: Doing) -> Record:
    return {"norm": each.norm, "does": each.does}


def _found(each: Shown) -> Record:
    unseen = {"without_los": list(each.unseen)} if each.unseen else {}
    return {"where": str(each.spot), **_shown(each), **unseen}


_RECORDS: Mapping[type, Callable[[Any], Record]] = {
    Clash: _clash,
    Meeting: _meeting,
    Gap: _gap,
    Difference: _difference,
    Doing: _doing,
    Shown: _found,
}
