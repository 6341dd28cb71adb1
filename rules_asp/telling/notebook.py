"""Objects in a notebook: their picture, and below it what the terminal would say."""

from __future__ import annotations

import io
from collections.abc import Callable

from rich.console import Console

from rules_asp.answers.allowing import Can
from rules_asp.answers.asking import Asked
from rules_asp.answers.checking import Checked
from rules_asp.answers.explaining import Why
from rules_asp.answers.movement import Moves
from rules_asp.answers.rolls import Rolled
from rules_asp.answers.shots import Drm, Fire
from rules_asp.answers.sights import Los
from rules_asp.answers.viewsheds import Viewshed
from rules_asp.drawing.pictures import is_drawn, picture
from rules_asp.positions.belonging import Answer
from rules_asp.positions.prepared import Position
from rules_asp.telling import layout, many_text, reports, text, ways_text, why_text
from rules_asp.terms.board import Board
from rules_asp.terms.query import Query

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
        width=layout.WIDTH,
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
            text.los(out, position, answer)
        case Viewshed():
            many_text.sees(out, position, answer)
        case Moves():
            ways_text.moves(out, position, answer)
        case Can():
            ways_text.can(out, position, answer)
        case Drm():
            text.tem(out, position, answer)
        case Fire():
            text.fire(out, position, answer)
        case Rolled():
            text.roll(out, position, answer)
        case Checked():
            reports.check(out, answer)
        case Asked():
            text.ask(out, position, Query(()), answer)
            rows = [tuple(value for _, value in way.values) for way in answer.found if way.values]
            heads = [name for name, _ in answer.found[0].values] if rows else []
            layout.table(out, rows, heads)
        case Why():
            why_text.why(out, position, Query(()), answer)
