"""The lab as the tests search it: on the smallest boards, by one process; rules to be changed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rules_asp.game.grid import Grid
from rules_asp.knowledge.reader import kb_folder
from rules_asp.lab.generator import Generator, SearchBounds, load_generator
from rules_asp.lab.search import Search
from tests.positions import program

SMALL = Grid(2, 1)


@cache
def the_lab() -> Generator:
    """The lab of the shipped rules, read once."""
    return load_generator(program=program())


def search(
    lab: Generator, *events: str, grids: tuple[Grid, ...] = (SMALL,), **bounds: object
) -> Search:
    """A search within these bounds, of nothing yet."""
    within = SearchBounds(grids, events=events, **bounds)  # type: ignore[arg-type]
    return Search(lab, within, jobs=1)


def copied(tmp_path: Path) -> Path:
    """A copy of the shipped rules, to be changed."""
    folder = tmp_path / "kb"
    for path in kb_folder().rglob("*.lp"):
        new = folder / path.relative_to(kb_folder())
        new.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(path.read_bytes())
    return folder
