"""The printed examples of B23 on the boards that they were printed for.

The boards are imported from players' archives, which are not part of the project: without them these
tests are skipped. A board of `tests/printed` uses the imported one, settles what the archive leaves
open, and says what the examples say about structure and LOS.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from rules_asp.cases.expectations import expectations
from rules_asp.parser import write
from rules_asp.positions.loading import load
from rules_asp.vasl.importer import import_archive
from tests.positions import program
from tests.sampling import some

BOARDS = Path(
    os.environ.get("RULES_ASP_BOARDS", Path(__file__).resolve().parents[2] / "shared" / "boards")
)
PRINTED = sorted((Path(__file__).parent / "printed").glob("*.board"))


@pytest.mark.parametrize("path", some(PRINTED, 2), ids=lambda path: path.stem)
def test_printed_example(path: Path, tmp_path: Path) -> None:
    archive = BOARDS / f"bd{path.stem.split('_')[1]}"
    if not archive.is_file():
        pytest.skip(f"no archive {archive.name} in {BOARDS}: set RULES_ASP_BOARDS")
    imported = tmp_path / f"{archive.name}.board"
    imported.write_text(write(import_archive(archive)), encoding="utf-8")
    shutil.copy(path, tmp_path)
    failed = [
        f"{each.place.line}: {each.expect.question}: {each.answered}"
        for each in expectations(load(tmp_path / path.name, program()))
        if not each.passed
    ]
    assert failed == []
