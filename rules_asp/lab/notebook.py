"""Pictures of the boards that a search found, in files and in a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rules_asp.drawing.map import AnswerOverlay, board_svg
from rules_asp.lab.report import SearchReport
from rules_asp.lab.result_text import head_lines, named, report, write_new
from rules_asp.lab.witness import Witness
from rules_asp.output.notebook import answer_lines
from rules_asp.parser import parse
from rules_asp.positions.position import prepare


def witness_svg(shown: Witness, lines: list[str], without: tuple[str, ...] = ()) -> str:
    """Return the picture of a witness's board, with its goal and its question."""
    here = prepare(parse(shown.plain), None, without)
    title, *more = lines or [str(shown.query)]
    return board_svg(here, None, AnswerOverlay(title=title, caption=(*more, str(shown.query))))


def draw(found: SearchReport[Any], folder: Path) -> None:
    """Write a picture of each board; FileExistsError before any is written."""
    write_new(
        folder,
        {
            f"{name}.svg": witness_svg(board, head_lines(each), found.bounds.without)
            for name, each, board in named(found)
        },
    )


def show(thing: object, form: str) -> str | None:
    """Return a report with all its boards as HTML; it has no other form."""
    if not isinstance(thing, SearchReport) or form != "html":
        return None
    drawn = [
        witness_svg(board, head_lines(each), thing.bounds.without)
        for _, each, board in named(thing)
    ]
    text = answer_lines(lambda out: report(out, "find", thing))
    return f"<div>{text}{''.join(drawn)}</div>"
