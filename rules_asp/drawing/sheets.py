"""Parts of a picture by themselves, for a page that lays answers over the map: map, legend, side view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import svg

from rules_asp.answers.sights import Los
from rules_asp.drawing import layout
from rules_asp.drawing.elements import Element, document, group, path
from rules_asp.drawing.looks import COLOUR, Theme
from rules_asp.drawing.maps import AnswerOverlay, hexes_near, layers
from rules_asp.drawing.pens import Canvas
from rules_asp.drawing.profiles import side_view
from rules_asp.drawing.seen import Scene, make_scene
from rules_asp.drawing.shaping import hexes_outline
from rules_asp.positions.prepared import Position
from rules_asp.terms.board import Board
from rules_asp.terms.grid import Hex

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
    hexes = frozenset(seen.board.grid.hexes())
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
    whole = frozenset(seen.board.grid.hexes())
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
    drawn, height = layout.legend(pen, 0, 0, _LETTERS, _PANEL)
    box = (-40, -40, _PANEL + 80, height + 80)
    textures = svg.Defs(elements=list(pen.textures.values()))
    return document([textures, *drawn], box, box[2] * _SCALE, "legend")


def side_view_fragment(position: Position, answer: Los, looks: Theme = COLOUR) -> str | None:
    """A line of sight from the side; None for a line within one hex, or of which a level is not known."""
    panel = side_view(answer)
    if panel is None:
        return None
    seen = make_scene(position)
    pen = Canvas(seen, looks, frozenset(seen.board.grid.hexes()))
    drawn: list[Element]
    drawn, height = panel(pen, 0, 0, _PANEL, _LETTERS)
    box = (-40, -40, _PANEL + 80, height + 80)
    textures = svg.Defs(elements=list(pen.textures.values()))
    return document([textures, *drawn], box, box[2] * _SCALE, "from the side")
