"""Objects in a notebook: their picture, and below it what the terminal would say."""

from __future__ import annotations

import io
from collections.abc import Callable

from rich.console import Console

from rules_asp.drawing.pictures import is_drawn, picture
from rules_asp.game.board import Board
from rules_asp.game.query import Query
from rules_asp.output import answer_text, console, proof_text, report_text
from rules_asp.positions.position import Position
from rules_asp.queries.ask import Asked
from rules_asp.queries.check import Checked
from rules_asp.queries.fire import Drm, Fire
from rules_asp.queries.fire_table import FireTable
from rules_asp.queries.legality import Can
from rules_asp.queries.los import Los
from rules_asp.queries.los_matrix import Viewshed
from rules_asp.queries.movement import Moves
from rules_asp.queries.question import Answer
from rules_asp.queries.rolls import Rolled
from rules_asp.queries.rout import Rout
from rules_asp.queries.why import Why

_STYLE = (
    "font-family:DejaVu Sans Mono,Menlo,Consolas,monospace;line-height:1.25;white-space:pre-wrap"
)


def show(thing: object, form: str) -> str | None:
    """A board, a position or an answer as `svg` or `html`; None where it has no such form."""
    if isinstance(thing, Board | Position):
        return picture(thing) if form == "svg" else None
    if not isinstance(thing, Answer) or thing.on is None:
        return None
    drawn = picture(thing.on, thing) if is_drawn(thing) else None
    if form == "svg":
        return drawn
    return f"<div>{drawn or ''}{answer_lines(lambda out: _tell(out, thing.on, thing))}</div>"


def answer_lines(tell: Callable[[Console], None]) -> str:
    """What is told on a console, as HTML."""
    out = Console(
        file=io.StringIO(),
        record=True,
        width=console.WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
    )
    tell(out)
    return out.export_html(inline_styles=True, code_format=f'<pre style="{_STYLE}">{{code}}</pre>')


def _tell(out: Console, position: Position | None, answer: Answer) -> None:
    """Tell an answer as the command does that asks for it."""
    assert position is not None
    match answer:
        case Los():
            answer_text.los(out, position, answer)
        case Viewshed():
            answer_text.sees(out, position, answer)
        case Moves():
            answer_text.moves(out, position, answer)
        case Can():
            answer_text.can(out, position, answer)
        case Drm():
            answer_text.tem(out, position, answer)
        case Fire():
            answer_text.fire(out, position, answer)
        case FireTable():
            answer_text.firers(out, position, answer)
        case Rout():
            answer_text.rout(out, position, answer)
        case Rolled():
            answer_text.roll(out, position, answer)
        case Checked():
            report_text.check(out, answer)
        case Asked():
            answer_text.ask(out, position, Query(()), answer)
            rows = [tuple(value for _, value in way.values) for way in answer.found if way.values]
            heads = [name for name, _ in answer.found[0].values] if rows else []
            console.table(out, rows, heads)
        case Why():
            proof_text.why(out, position, Query(()), answer)
