"""Files that bulk work writes row by row, and goes on with where it was broken off."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import IO

import click

from rules_asp.telling.terminal import CommandError


def target(output: str | None, resume: bool, force: bool) -> Path | None:
    """The file that is named, None for standard output; Refusal where it may not be written."""
    path = Path(output) if output and output != "-" else None
    if resume and path is None:
        raise CommandError("--resume goes on with a file; -o names it")
    if path and path.exists() and not resume and not force:
        raise CommandError(
            f"{path} is there already; --force overwrites it, --resume goes on with it"
        )
    return path


def resume_file(
    open_: ExitStack, path: Path | None, head: str, again: bool
) -> tuple[IO[bytes], int]:
    """Where the rows go, with its header, and how many rows it has; `again` goes on with a file."""
    from rules_asp.telling import sight_rows

    if path is None or (path.exists() and not path.is_file()):
        file = open_.enter_context(click.open_file(str(path or "-"), "wb"))
        file.write(head.encode("utf-8"))
        return file, 0
    if not again or not path.exists():
        path.write_bytes(b"")
    file = open_.enter_context(path.open("r+b"))
    try:
        return file, sight_rows.resume(file, head)
    except sight_rows.NotALosTable as error:
        raise CommandError(f"{path} {error}; --force overwrites it") from None
