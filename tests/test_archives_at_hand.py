"""Every available board archive is imported without an error and with a report; `--whole` tries all.

The archives are players' own and no part of the project: without them (RULES_ASP_BOARDS) these tests are
skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import shapely

from rules_asp.boards.resolve import resolve
from rules_asp.game.board import Doubt, Fact, Outline
from rules_asp.game.values import word_text
from rules_asp.parser import parse
from rules_asp.parser import write as written
from rules_asp.vasl.archive import Archive, code_table, read_archive
from rules_asp.vasl.importer import board_of
from rules_asp.vasl.known_boards import corrected
from rules_asp.vasl.trace import SPECK
from tests.sampling import some

BOARDS = Path(
    os.environ.get("RULES_ASP_BOARDS", Path(__file__).resolve().parents[2] / "shared" / "boards")
)
FOUND = sorted(
    path
    for folder in (BOARDS, BOARDS / "more")
    if folder.is_dir()
    for path in folder.iterdir()
    if path.is_file() and path.name.startswith("bd") and not path.suffix
)


@pytest.mark.skipif(not FOUND, reason=f"no board archives in {BOARDS}")
@pytest.mark.parametrize("path", some(FOUND, 2), ids=lambda path: path.name)
def test_archives_come_in(path: Path) -> None:
    archive = read_archive(path)
    board = corrected(board_of(archive))
    text = written(board)
    again = parse(text)
    assert again == board
    resolve(again)
    assert unsaid(archive, text) == []
    slopes = sum(map(len, archive.metadata.slopes.values()))
    said = sum(isinstance(each, Fact) and each.name == "upslope" for each in board.statements)
    rims = sum(isinstance(each, Doubt) and "puts a slope" in each.text for each in board.statements)
    assert said + rims == slopes
    for outline in (each for each in board.statements if isinstance(each, Outline)):
        assert shapely.Polygon(outline.outer, outline.holes).is_valid


def unsaid(archive: Archive, text: str) -> list[str]:
    """The terrain codes of an archive, specks apart, of which a board's text says nothing."""
    counts = np.bincount(archive.codes.ravel(), minlength=256)
    words = {
        "building": ("building", "only"),
        "marketplace": ("marketplace",),
        "lumberyard": ("lumberyard",),
        "bar": ("bar ",),
        "bridge": ("bridge",),
        "road": ("road", "narrow street"),
        "path": ("road path", "outline"),
    }
    found = []
    for number in np.nonzero(counts >= 2 * SPECK)[0].tolist():
        code = code_table()[number]
        wanted = words.get(code.role, (word_text(code.word, "terrain"),))
        if code.role != "open" and not any(word in text for word in wanted):
            found.append(f"{code.name}: {counts[number]} pixels")
    return found
