"""The picture of a board, or of any answer about it."""

from __future__ import annotations

from dataclasses import replace

from rules_asp.drawing import answers, los, style
from rules_asp.drawing.map import AnswerOverlay, MapView, board_svg, hexes_near
from rules_asp.drawing.picture_files import PictureError
from rules_asp.drawing.proof_tree import tree_svg
from rules_asp.explain.justification import justification
from rules_asp.game.board import Board
from rules_asp.game.grid import Hex, hex_of_spot
from rules_asp.positions.locations import hexes_named, locations
from rules_asp.positions.position import Position
from rules_asp.queries.fire import Drm, Fire
from rules_asp.queries.los import Los
from rules_asp.queries.los_matrix import Viewshed
from rules_asp.queries.movement import Moves
from rules_asp.queries.why import Why

#: On a map with more hexes than this, only the surroundings of a line or path are shown.
_MANY = 80


def theme_named(ink: bool = False) -> style.Theme:
    """Return the theme for the screen, or for black and white."""
    return style.INK if ink else style.COLOUR


def floor_named(position: Position, name: str | int | None) -> int | str | None:
    """Return the floor of this name; PictureError if no Location of the board has it."""
    if name is None:
        return None
    text = str(name)
    floors = {str(each.floor): each.floor for each in locations(position)}
    if text not in floors:
        raise PictureError(
            f"no Location is at level {text}; the levels are {', '.join(sorted(floors))}"
        )
    return floors[text]


def draw_svg(
    thing: Position | Board,
    answer: object,
    hexes: str | None,
    level: str | int | None,
    ink: bool,
    ways: bool,
) -> str:
    """Draw a board, or an answer about a position, as SVG: these hexes, this level, this theme.

    For a plain Board, the rules are not asked.
    """
    if isinstance(thing, Board):
        return picture(thing, None, MapView(looks=theme_named(ink)))
    shown = None if hexes is None else hexes_named(thing, hexes)
    return picture(thing, answer, MapView(shown, floor_named(thing, level), theme_named(ink)), ways)


def picture(
    thing: Position | Board,
    answer: object = None,
    view: MapView | None = None,
    ways: bool = True,
    title: str = "",
) -> str:
    """Draw a board, or an answer about a position, as SVG.

    PictureError for an answer without a picture. `title` is the heading of a proof, since a proof
    does not contain its question.
    """
    view = view or MapView()
    if answer is None:
        return board_svg(thing, view, AnswerOverlay(title=title))
    if isinstance(thing, Board):
        raise PictureError("the answer has no position to be drawn on: give `position`")
    if isinstance(answer, Why):
        points = justification(answer.proofs, thing.program.norms, thing.notation)
        holds = {True: "yes", False: "no", None: "unknown"}[answer.asked.holds]
        return tree_svg(title or holds, points, answer.asked.cites, view.looks)
    overlay, around = _overlay(thing, answer, ways)
    if view.hexes is None and around is not None:
        view = replace(view, hexes=around)
    return board_svg(thing, view, overlay)


def _overlay(
    position: Position, answer: object, ways: bool
) -> tuple[AnswerOverlay, frozenset[Hex] | None]:
    """Return the parts of an answer, and the part of a large map it concerns (None: all)."""
    match answer:
        case Los():
            return los.overlay(position, answer), los.around(position, answer)
        case Fire():
            sight = answer.sight or answers.no_line(answer.shot)
            return answers.fire_map(position, answer), los.around(position, sight)
        case Drm():
            sight = answers.no_line(answer.shot)
            return answers.drm_map(position, answer, "TEM"), los.around(position, sight)
        case Viewshed():
            return answers.viewshed_map(position, answer), None
        case Moves():
            reached = {hex_of_spot(each.to.spot) for each in answer.reach} | {
                hex_of_spot(answer.start.spot)
            }
            few = len(position.board.grid.hexes()) <= _MANY
            return answers.moves_map(position, answer, ways), None if few else hexes_near(reached)
    raise PictureError(f"an answer of the type {type(answer).__name__} cannot be drawn")
