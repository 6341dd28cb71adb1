"""The boards that a search found, as pictures: in files of a folder, and in a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rules_asp.drawing.maps import Overlay, board_svg
from rules_asp.lab.search import Report
from rules_asp.lab.text import head_lines, named, report
from rules_asp.lab.witnesses import Witness
from rules_asp.parser import parse
from rules_asp.positions.files import write_text
from rules_asp.positions.prepared import position
from rules_asp.telling.notebook import told


def witness_svg(shown: Witness, lines: list[str], without: tuple[str, ...] = ()) -> str:
    """The board of a witness with what it shows and the question that shows it there."""
    here = position(parse(shown.text), None, without)
    title, *more = lines or [str(shown.query)]
    return board_svg(here, None, Overlay(title=title, caption=(*more, str(shown.query))))


def draw(found: Report[Any], folder: Path) -> None:
    """Write a picture of each board that was found; FileExistsError before any is written."""
    pictures = {
        folder / f"{name}.svg": (board, head_lines(each)) for name, each, board in named(found)
    }
    folder.mkdir(parents=True, exist_ok=True)
    for path in pictures:
        if path.exists():
            raise FileExistsError(17, "is there already", str(path))
    for path, (board, lines) in pictures.items():
        write_text(path, witness_svg(board, lines, found.bounds.without))


def show(thing: object, form: str) -> str | None:
    """A report as HTML, what it tells and all its boards; it is no single picture."""
    if not isinstance(thing, Report) or form != "html":
        return None
    drawn = [
        witness_svg(board, head_lines(each), thing.bounds.without)
        for _, each, board in named(thing)
    ]
    text = told(lambda out: report(out, "find", thing))
    return f"<div>{text}{''.join(drawn)}</div>"
