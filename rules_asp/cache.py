"""Keeping what is costly to make and depends on nothing but its source: on the user's disk, between runs.

The knowledge base as it was read, the grammar's tables and a board's drawings cut into pieces are the
same at every start. They are kept in the user's own cache folder (XDG_CACHE_HOME/rules-asp, or what
RULES_ASP_CACHE names; `off` keeps nothing) under the hash of what they were made from. A file that is
missing, damaged or not to be written only costs the time to make the thing again.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")


def folder() -> Path | None:
    """The cache folder, made if need be and readable for its user only; None where there is none."""
    chosen = os.environ.get("RULES_ASP_CACHE", "")
    if chosen == "off":
        return None
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        path = Path(chosen) if chosen else base / "rules-asp"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A folder that others may write to could hold a pickle made to do harm.
        if hasattr(os, "getuid"):
            about = path.stat()
            if about.st_uid != os.getuid() or about.st_mode & 0o022:
                return None
    except (OSError, RuntimeError):
        return None
    return path


def file(kind: str, sources: Iterable[bytes]) -> Path | None:
    """Where a thing of this kind, made from these sources, is kept."""
    here = folder()
    if here is None:
        return None
    digest = hashlib.sha256(sys.version.encode())
    for source in sources:
        digest.update(len(source).to_bytes(8, "big"))
        digest.update(source)
    return here / f"{kind}-{digest.hexdigest()[:32]}"


def remember(kind: str, sources: Iterable[bytes], make: Callable[[], _T]) -> _T:
    """What `make` makes, from the cache if it was made from the same sources before."""
    path = file(kind, sources)
    if path is None:
        return make()
    with suppress(Exception):
        found: _T = pickle.loads(path.read_bytes())
        return found
    made = make()
    with suppress(OSError):
        write(path, pickle.dumps(made, protocol=pickle.HIGHEST_PROTOCOL))
    return made


def write(path: Path, data: bytes) -> None:
    """Write a file at once: another process sees all of it or none."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def code(*rooms: str) -> list[bytes]:
    """The sources of some packages of this one: what a cached thing also depends on."""
    here = Path(__file__).parent
    return [path.read_bytes() for room in rooms for path in sorted((here / room).glob("*.py"))]
