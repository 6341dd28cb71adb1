"""Map fragments for the page, and which of them changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import clingo
import svg

from rules_asp.drawing import canvas, counters
from rules_asp.drawing.canvas import Canvas, hexes_outline
from rules_asp.drawing.los import side_view
from rules_asp.drawing.map import AnswerOverlay, hexes_near, layers
from rules_asp.drawing.scene import ANSWERED, LOCATED, Scene, make_scene, topic_nodes
from rules_asp.drawing.style import COLOUR, TOLD, UNSEEN, Theme
from rules_asp.drawing.svg import Element, document, group, path
from rules_asp.game.board import Board
from rules_asp.game.grid import Hex
from rules_asp.game.values import hex_from_symbol
from rules_asp.game.vocabulary import Vocabulary
from rules_asp.geometry.shapes import Shapes
from rules_asp.knowledge.rules import Signature
from rules_asp.positions.fact_index import Mentions
from rules_asp.positions.position import Position
from rules_asp.queries.los import Los

# --- Parts of a picture by themselves, for a page that lays answers over the map: map, legend,
#     side view.


#: Pixels of a lattice unit at which a map is drawn; whoever shows it scales it.
_SCALE = 0.14
#: The width of a side view and of a legend, and the size of their letters, in lattice units.
_PANEL, _LETTERS = 3000, 92


@dataclass(frozen=True)
class MapFragment:
    """A map without anything around it, or a part of one that goes over it.

    box: left, top, width and height of the picture in lattice units. legend: what the map shows, as a
    picture of its own. notes: texts that were too long for their place, each under its number; None where a
    number stands no more.
    """

    svg: str
    box: tuple[int, int, int, int]
    legend: str
    notes: tuple[str | None, ...]


def box_of(hexes: Sequence[Hex] | frozenset[Hex]) -> tuple[int, int, int, int]:
    """What a picture of these hexes covers, in lattice units: left, top, width, height."""
    xs = [hex_.corner(each).x for hex_ in hexes for each in range(6)]
    ys = [hex_.corner(each).y for hex_ in hexes for each in range(6)]
    return min(xs) - 20, min(ys) - 20, max(xs) - min(xs) + 40, max(ys) - min(ys) + 40


def map_fragment(
    thing: Position | Board, looks: Theme = COLOUR, notes: Sequence[str | None] = ()
) -> MapFragment:
    """The map of a board with all that stands on it; BoardError for a board that is at fault.

    `notes` are those of a picture that is shown, which keep their numbers.
    """
    seen = make_scene(thing)
    hexes = seen.hexes_of_map
    pen = Canvas(seen, looks, hexes, notes=[each or "" for each in notes])
    drawn = layers(pen, AnswerOverlay())
    box = box_of(hexes)
    textures = svg.Defs(elements=list(pen.textures.values()))
    name = seen.board.name or "board"
    whole = document([textures, group(drawn, "map")], box, box[2] * _SCALE, name)
    left = (each if each in pen.noted else None for each in pen.notes)
    return MapFragment(whole, box, _legend(pen), tuple(left))


def patch(
    seen: Scene, changed: frozenset[Hex], looks: Theme = COLOUR, notes: Sequence[str | None] = ()
) -> MapFragment:
    """What these hexes, and those beside them, look like now, to be laid over a picture of the map.

    `notes` are those of that picture. The legend is left to who draws the whole.
    """
    whole = seen.hexes_of_map
    # What is drawn of a hex reaches into the next one; beyond those that are shown, rims are cut.
    shown = hexes_near(changed) & whole
    pen = Canvas(
        seen,
        looks,
        hexes_near(shown) & whole,
        notes=[each or "" for each in notes],
        around=whole,
    )
    drawn = group(layers(pen, AnswerOverlay()), "map")
    drawn.clip_path = "url(#shown)"
    clip = svg.ClipPath(id="shown", elements=[path(hexes_outline(shown))])
    box = box_of(shown)
    inner: list[Element] = [svg.Defs(elements=[*pen.textures.values(), clip]), drawn]
    made = document(inner, box, box[2] * _SCALE, "what has changed")
    return MapFragment(made, box, "", tuple(each or None for each in pen.notes))


def parts_of(changed: frozenset[Hex]) -> list[frozenset[Hex]]:
    """Hexes by the parts of a map in which they lie: those whose surroundings touch are together."""
    found: list[frozenset[Hex]] = []
    for hex_ in sorted(changed):
        near = hexes_near([hex_], 2)
        beside = [part for part in found if near & part]
        found = [part for part in found if part not in beside]
        found.append(frozenset((hex_,)).union(*beside))
    return sorted(found, key=min)


def _legend(pen: Canvas) -> str:
    drawn, height = canvas.legend(pen, 0, 0, _LETTERS, _PANEL)
    box = (-40, -40, _PANEL + 80, height + 80)
    textures = svg.Defs(elements=list(pen.textures.values()))
    return document([textures, *drawn], box, box[2] * _SCALE, "legend")


def side_view_fragment(position: Position, answer: Los, looks: Theme = COLOUR) -> str | None:
    """A line of sight from the side; None for a line within one hex, or of which a level is not known."""
    panel = side_view(answer)
    if panel is None:
        return None
    seen = make_scene(position)
    pen = Canvas(seen, looks, seen.hexes_of_map)
    drawn: list[Element]
    drawn, height = panel(pen, 0, 0, _PANEL, _LETTERS)
    box = (-40, -40, _PANEL + 80, height + 80)
    textures = svg.Defs(elements=list(pen.textures.values()))
    return document([textures, *drawn], box, box[2] * _SCALE, "from the side")


# --- What has changed between two positions of one map, as far as a picture of it shows that.


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
        pen = Canvas(self.seen, COLOUR, self.seen.hexes_of_map)
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
        stated = [each for each in self.stated ^ now.stated if _is_drawn(each, new.vocabulary)]
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


def _is_drawn(fact: clingo.Symbol, words: Vocabulary) -> bool:
    """Whether a fact is drawn as such; units are compared as they look."""
    if fact.name in TOLD or fact.name in UNSEEN:
        return False
    entry = words.inputs.get(fact.name)
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
