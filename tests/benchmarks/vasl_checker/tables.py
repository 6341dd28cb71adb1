"""VASL's answers, as they lie beside the boards."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path
from typing import NamedTuple

from rules_asp.game.grid import Location, parse_hex
from rules_asp.queries.los_matrix import LosVerdict

FOLDER = Path(
    os.environ.get("RULES_ASP_BOARDS", Path(__file__).resolve().parents[4] / "shared" / "boards")
)

Pair = tuple[Location, Location]


class Theirs(NamedTuple):
    """VASL's answer."""

    blocked: bool
    hindrance: int
    range: int
    reason: str


def table_of(path: Path) -> dict[Pair, Theirs]:
    """VASL's answers, rooftops and bridges left out."""
    known: dict[str, Location | None] = {}

    def location(text: str) -> Location | None:
        if text not in known:
            where, _, floor = text.partition("/")
            known[text] = Location(parse_hex(where)[1], int(floor)) if floor.isdigit() else None
        return known[text]

    found = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            a, b = location(row["from"]), location(row["to"])
            if a is not None and b is not None:
                found[a, b] = Theirs(
                    row["blocked"] == "1", int(row["hindrance"]), int(row["range"]), row["reason"]
                )
    return found


def same(ours: LosVerdict, theirs: Theirs) -> bool:
    """Whether both see, and at the same Hindrance, or both do not."""
    if ours.clear is None or ours.clear == theirs.blocked:
        return False
    return theirs.blocked or ours.hindrance == theirs.hindrance
