"""Files that a command is given: boards by path or bundled name, and safe writing."""

from __future__ import annotations

import errno
import os
import tempfile
from importlib import resources
from pathlib import Path

from rules_asp.terms.board import SourcePosition


def example_boards() -> dict[str, Path]:
    """The bundled boards by name."""
    folder = Path(str(resources.files("rules_asp").joinpath("examples")))
    return {path.stem: path for path in sorted(folder.glob("*.board"))}


def find_board(name: str) -> Path:
    """The file of this name or, where there is none, the bundled board; else BoardError."""
    path = Path(name)
    if path.is_file():
        return path
    bundled = example_boards()
    if name in bundled:
        return bundled[name]
    from rules_asp.parser.errors import BoardError, Problem, nearest

    what = "this is a folder" if path.is_dir() else "there is no such file, and no bundled board"
    raise BoardError(
        [Problem(SourcePosition(name, 0), "", what, tuple(bundled), nearest(name, bundled))]
    )


def write_text(path: Path, text: str, force: bool = False) -> None:
    """Write a text in UTF-8 as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"), force)


def write_bytes(path: Path, data: bytes, force: bool = False) -> None:
    """Write a whole file or nothing: whoever reads it meanwhile sees the old one or the new one.

    FileExistsError when there is one already, unless `force`; OSError where it cannot be written.
    """
    if path.exists() and not force:
        raise FileExistsError(errno.EEXIST, "is there already; --force overwrites it", str(path))
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # a device or a pipe, which must not become a file
        return
    path = path.resolve()
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.chmod(name, path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
