"""Notebook display of objects: their picture, with the terminal output below."""

from __future__ import annotations

import io
from collections.abc import Callable

from rich.console import Console

from rules_asp.drawing.pictures import picture
from rules_asp.drawing.svg import PictureError
from rules_asp.game.board import Board
from rules_asp.output import console
from rules_asp.positions.position import Position
from rules_asp.queries.question import Answer

_STYLE = (
    "font-family:DejaVu Sans Mono,Menlo,Consolas,monospace;line-height:1.25;white-space:pre-wrap"
)


def show(thing: object, form: str) -> str | None:
    """A board, a position or an answer as `svg` or `html`; None where it has no such form."""
    if isinstance(thing, Board | Position):
        return picture(thing) if form == "svg" else None
    if not isinstance(thing, Answer) or thing.on is None:
        return None
    try:
        drawn = picture(thing.on, thing)
    except PictureError:
        drawn = None
    if form == "svg":
        return drawn
    return f"<div>{drawn or ''}{answer_lines(lambda out: console.show(out, *thing.report().blocks))}</div>"


def answer_lines(tell: Callable[[Console], None]) -> str:
    """Return console output as HTML."""
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
