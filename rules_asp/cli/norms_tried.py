"""What a strict coverage has tried, norm by norm, in a file that it can go on with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from rules_asp.cli.files_out import resume_file

if TYPE_CHECKING:
    from rules_asp.cases.covering import NormTrials


def coverage_progress(
    open_: ExitStack, path: Path | None, cases: Sequence[Path] | None, again: bool
) -> tuple[dict[str, bool], NormTrials | None]:
    """What the file of this path knows already, where `again`, and what keeps there what is tried.

    Each line is a norm, and whether a case holds it in place. Refusal for a file of other cases or rules.
    """
    if path is None:
        return {}, None
    file, count = resume_file(open_, path, _header(cases), again)
    known: dict[str, bool] = {}
    if count:
        with path.open("rb") as written:
            for line in written.readlines()[1:]:
                row = json.loads(line)
                known[row["norm"]] = row["exercised"]

    def tried(norm: str, holds: bool) -> None:
        row = json.dumps({"norm": norm, "exercised": holds}, ensure_ascii=False)
        file.write(f"{row}\n".encode())
        file.flush()

    return known, tried


def _header(cases: Sequence[Path] | None) -> str:
    from rules_asp import __version__, cache
    from rules_asp.cases.covering import case_files
    from rules_asp.knowledge.loading import load_program
    from rules_asp.telling.as_json import with_header

    digest = hashlib.sha256(__version__.encode())
    for rule in load_program().source.rules:
        digest.update(f"{rule.norm} {rule.text}\n".encode())
    for case in case_files(cases):
        digest.update(case.name.encode() + b"\0" + case.read_bytes())
    for code in cache.source_fingerprint(
        "terms", "lines", "positions", "knowledge", "answers", "cases"
    ):
        digest.update(code)
    return f"{json.dumps(with_header('coverage', {'key': digest.hexdigest()[:32]}))}\n"
