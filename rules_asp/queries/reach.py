"""`reach`: the cost to reach each hex, as a table; the same answer as `moves`."""

from __future__ import annotations

from dataclasses import dataclass, fields

from rules_asp.explain import layout
from rules_asp.explain.record import Record
from rules_asp.game.grid import Location, Spot, term_sort_key
from rules_asp.game.query import location_sort_key
from rules_asp.game.values import to_board_text
from rules_asp.positions.position import Position
from rules_asp.queries.movement import Moves, MovesQuestion


@dataclass(frozen=True)
class Reach(Moves):
    """The reachable Locations as a table of hexes and levels."""

    def report(self, view: layout.View = layout.VIEW) -> layout.Report:
        """Return the cost of each hex and level."""
        sources = self.position.program.paragraphs(self.norms)
        doubts, cited = self._doubts(view.everything), layout.citations(self.position, sources)
        return self._reported(self._by_hex(), doubts, cited)

    def _reached_by(self) -> tuple[str, ...]:
        """Return the norms that decide the steps on the paths: the table shows no citations."""
        steps = (step for each in self.reach for step in each.path)
        return tuple(dict.fromkeys(norm for step in steps for norm in step.norms))

    def _by_hex(self) -> layout.Table | None:
        """Return a row for each hex or vertex, with a column for each level."""
        by_spot: dict[Spot, dict[int | str, str]] = {}
        for each in (*self.reach, *self.perhaps):
            turn = f"turn {each.turn}: " if self.turns > 1 else ""
            perhaps = "perhaps, " if each in self.perhaps else ""
            by_spot.setdefault(each.to.spot, {})[each.to.floor] = turn + perhaps + each.amount
        floors = sorted(
            {floor for row in by_spot.values() for floor in row},
            key=lambda floor: location_sort_key(Location(self.start.spot, floor)),
        )
        rows = [
            (to_board_text(spot, "spot"), *(by_spot[spot].get(floor, "") for floor in floors), "")
            for spot in sorted(by_spot, key=term_sort_key)
        ]
        return layout.Table(rows, heads=["hex", *map(str, floors), ""]) if rows else None

    def record(self) -> Record:
        """Return the record of `moves` without paths and steps."""
        told = self._shared_record({})
        told["reach"] = [each.record(self.paid_in) for each in self.reach]
        told["perhaps"] = [each.record(self.paid_in) for each in self.perhaps]
        return told


@dataclass(frozen=True)
class ReachQuestion(MovesQuestion):
    """Show the cost to reach each hex, as a table.

    For each level of a hex, the table shows the lowest cost. Several UNITs move as one stack. Use
    `moves` for the paths and their rules.

    Example: rules-asp reach assault A
    """

    kind = "reach"
    has_paths = False
    shows_citations = False

    def find(self, position: Position, cite: bool) -> Reach:
        """Return the reachable Locations."""
        found = super().find(position, cite)
        return Reach(**{each.name: getattr(found, each.name) for each in fields(found)})
