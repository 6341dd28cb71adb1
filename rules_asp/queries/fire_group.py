"""Fire Groups: of the units that can fire at a target, the group with the most FP.

The rules decide which two units can form a group; a group is a connected component of these pairs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Protocol

import clingo

from rules_asp.explain import layout
from rules_asp.explain.record import Record, mf_number
from rules_asp.explain.unknown import agreed_value
from rules_asp.game.values import quarters_text
from rules_asp.knowledge.program import value_signatures
from rules_asp.positions.fact_index import QueryFacts
from rules_asp.positions.position import Position

#: Two units that belong to one Fire Group.
UnitPair = frozenset[str]


class _Member(Protocol):
    """The properties of a unit's attack that a Fire Group needs."""

    @property
    def by(self) -> str: ...
    @property
    def firepower(self) -> int | None: ...
    @property
    def best_drm(self) -> int | None: ...


@dataclass(frozen=True)
class FireGroup:
    """Units that can fire together, in the order of the table.

    `firepower` is the sum of the known FP, in quarters. `column` is its IFT column; None: some FP is
    unknown, or the IFT has none. `uncounted` are units whose FP is unknown.
    `drm` has the least and the greatest DRM of the units with their leaders, None if one is
    unknown. The group stays connected without any one unit of `spare`.
    """

    units: tuple[str, ...]
    firepower: int
    column: int | None
    uncounted: tuple[str, ...]
    drm: tuple[int, int] | None
    spare: tuple[str, ...]

    def table(self) -> layout.Table:
        """Return the group with its FP and DRM, and the units that can be left out."""
        column = "" if self.column is None else f", IFT column {self.column}"
        rows: list[layout.Row] = [
            (", ".join(self.units), f"{quarters_text(self.firepower)} FP{column}")
        ]
        if self.uncounted:
            rows.append(("FP unknown of", ", ".join(self.uncounted)))
        rows.append(("DRM with leaders", self._drm_text))
        spare = "nobody" if not self.spare else ", ".join(self.spare)
        rows.append(("One of these can be left out", spare))
        return layout.Table(rows, "Largest Fire Group")

    @property
    def _drm_text(self) -> str:
        if self.drm is None:
            return "unknown"
        least, greatest = (f"{each:+d}" for each in self.drm)
        return least if least == greatest else f"{least} to {greatest}; which counts is not encoded"

    def record(self) -> Record:
        """The group as JSON; `drm` has the least and the greatest."""
        return {
            "units": list(self.units),
            "firepower": mf_number(self.firepower),
            "column": self.column,
            "firepower_unknown": list(self.uncounted),
            "drm": None if self.drm is None else list(self.drm),
            "spare": list(self.spare),
        }


def largest_group(
    position: Position, attacks: Sequence[_Member], pairs: Collection[UnitPair]
) -> FireGroup | None:
    """The Fire Group of these attacks with the most FP; None if no two units belong together."""
    groups = [_group(some, pairs) for some in _connected(attacks, pairs) if len(some) > 1]
    if not groups:
        return None
    group = max(groups, key=lambda each: (each.firepower, len(each.units)))
    return group if group.uncounted else replace(group, column=_column(position, group.firepower))


def _column(position: Position, firepower: int) -> int | None:
    """Return the IFT column of an FP in quarters; None if the rules give none."""
    topic = clingo.Function("ift_column", [clingo.Number(firepower)])
    question = position.completed(QueryFacts((clingo.Function("asked", [topic]),)))
    answers = position.ask(value_signatures((topic.name, 1)), question)
    value, _ = agreed_value(position, answers, topic)
    return None if value is None else value.number


def _group(attacks: Sequence[_Member], pairs: Collection[UnitPair]) -> FireGroup:
    firepower = sum(each.firepower or 0 for each in attacks)
    uncounted = tuple(each.by for each in attacks if each.firepower is None)
    drms = [each.best_drm for each in attacks]
    known = [each for each in drms if each is not None]
    return FireGroup(
        tuple(each.by for each in attacks),
        firepower,
        None,
        uncounted,
        (min(known), max(known)) if len(known) == len(drms) else None,
        tuple(
            each.by
            for each in attacks
            if len(list(_connected([one for one in attacks if one is not each], pairs))) == 1
        ),
    )


def _connected(
    attacks: Iterable[_Member], pairs: Collection[UnitPair]
) -> Iterable[Sequence[_Member]]:
    """Return the connected components of the attacks."""
    parts: list[list[_Member]] = []
    for each in attacks:
        joined = [
            part for part in parts if any(frozenset((each.by, one.by)) in pairs for one in part)
        ]
        parts = [part for part in parts if part not in joined]
        parts.append([*chain.from_iterable(joined), each])
    return parts
