"""What has changed between two positions of one map, as far as a picture of it shows that."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import clingo

from rules_asp.drawing import counters
from rules_asp.drawing.glyphs import TOLD, UNSEEN
from rules_asp.drawing.looks import COLOUR
from rules_asp.drawing.pens import Canvas
from rules_asp.drawing.seen import ANSWERED, LOCATED, Scene, make_scene, topic_nodes
from rules_asp.knowledge.source import Signature
from rules_asp.lines.shapes import Shapes
from rules_asp.positions.indexes import Mentions
from rules_asp.positions.prepared import Position
from rules_asp.terms.grid import Hex
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.symbols import hex_from_symbol


@dataclass(frozen=True)
class SceneSnapshot:
    """A position as it is seen."""

    position: Position

    @cached_property
    def seen(self) -> Scene:
        """What a picture of it is made of."""
        return make_scene(self.position)

    @cached_property
    def stated(self) -> frozenset[clingo.Symbol]:
        """What the board says."""
        return frozenset(self.position.board_facts.symbols)

    @cached_property
    def answered(self) -> frozenset[clingo.Symbol]:
        """What the rules answer that a map shows."""
        return frozenset(_answers(self.position))

    @cached_property
    def units(self) -> frozenset[tuple[Hex, tuple[object, ...]]]:
        """The units of each hex in their order, each with its colours."""
        pen = Canvas(self.seen, COLOUR, frozenset(self.position.board.grid.hexes()))
        return frozenset(
            (hex_, tuple((unit, *counters.colours(pen, unit.side)) for unit in units))
            for hex_, units in counters.counters_of(pen).items()
        )

    def changed(self, now: SceneSnapshot) -> frozenset[Hex] | None:
        """The hexes that look otherwise now; None where that cannot be told of hexes, as on another map."""
        old, new = self.position, now.position
        if old.board.grid != new.board.grid:
            return None
        if old is new:
            return frozenset()
        before, after = old.board_facts.symbols, new.board_facts.symbols
        stated = [each for each in self.stated ^ now.stated if _is_drawn(each)]
        answered = self.answered ^ now.answered
        known = Mentions()
        found: set[Hex] = set()
        for each in (*stated, *answered):
            hexes, _ = known.among([each])
            if not hexes:
                return None
            found |= hexes
        names = {each.arguments[1] for each in stated if each.name == "named"}
        if names:  # a building bears its name once, in the middle of all its hexes
            of_hexes = (each.arguments for each in (*before, *after) if each.name == "named")
            found |= {hex_from_symbol(where) for where, name in of_hexes if name in names}
        found |= {hex_ for hex_, _ in self.units ^ now.units}
        found |= _drawings_changed(old.shapes, new.shapes)
        return frozenset(found) & frozenset(new.board.grid.hexes())


def _is_drawn(fact: clingo.Symbol) -> bool:
    """Whether a fact is drawn as such; units are compared as they look."""
    if fact.name in TOLD or fact.name in UNSEEN:
        return False
    entry = vocabulary().inputs.get(fact.name)
    return entry is not None and "unit" not in entry.kinds


def _answers(position: Position) -> list[clingo.Symbol]:
    """What the rules answer that a map shows; where much is left open, in each case by itself."""
    nodes = [node for topic in ANSWERED for node in topic_nodes(topic)]
    nodes += [Signature(*notion) for notion in LOCATED]
    if len(position.cases) == 1:
        return list(position.true(0, nodes))
    return [
        clingo.Function("case", [clingo.Number(case), each])
        for case in range(len(position.cases))
        for each in position.true(case, nodes)
    ]


def _drawings_changed(old: Shapes, new: Shapes) -> set[Hex]:
    """The hexes whose drawings differ."""
    if old is new:
        return set()
    pieces = {*old.pieces, *new.pieces}
    found = {part[0] for part in pieces if old.pieces.get(part) != new.pieces.get(part)}
    for part in {*old.segments, *new.segments}:
        if old.segments.get(part) != new.segments.get(part):
            found |= {*part[1]}
    return found
