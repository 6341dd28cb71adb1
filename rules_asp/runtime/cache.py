"""Serialized values, and the disk cache: files with a checksum, named by a digest of their sources.

A file begins with a line that names its format, followed by a checksum and the compressed content.
The checksum includes the file's name, so a file cannot replace another.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import rules_asp
from rules_asp.runtime.limits import size_limit

_Maker = Callable[[Sequence[Any]], Any]


class FormatError(Exception):
    """Bytes that are not a serialized value, or contain an unexpected class."""


_PLAIN: Mapping[str, _Maker] = {
    "t": tuple,
    "l": list,
    "s": frozenset,
    "S": set,
    "d": lambda values: dict(zip(values[::2], values[1::2], strict=True)),
}
_PLAIN_CLASSES = (str, int, bool, float, type(None))
_KINDS = {tuple: "t", list: "l", frozenset: "s", set: "S"}


def dumps(value: object, classes: Iterable[type] = ()) -> bytes:
    """Serialize a value; TypeError for a part of another class than these and plain ones.

    For a dataclass, the fields of its constructor without a leading underscore are stored.
    """
    with gc_paused():
        rows = _Packer(classes).rows_of(value)
        return json.dumps(rows, separators=(",", ":")).encode("ascii")


def loads(data: bytes, classes: Iterable[type] = ()) -> Any:
    """Deserialize a value; FormatError for other bytes. Equal parts become one object."""
    makers = {**_PLAIN, **{each.__name__: _maker(each) for each in classes}}
    values: list[Any] = []
    add, part = values.append, values.__getitem__
    try:
        with gc_paused():
            for row in json.loads(data):
                # A reference to a later row is out of range.
                add(makers[row[0]](list(map(part, row[1:]))) if type(row) is list else row)
        return values[-1]
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise FormatError(str(error)) from None


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause garbage collection, which takes half the time for many acyclic values."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _maker(class_: type) -> _Maker:
    if not is_dataclass(class_):
        made: _Maker = class_._make  # type: ignore[attr-defined]
        return made
    names = _names(class_)
    if len(names) != len(fields(class_)):
        return lambda values: class_(*values)

    def make(values: Sequence[Any]) -> Any:
        # As in copy and pickle: the value was validated, if at all, when it was created.
        new = object.__new__(class_)
        new.__dict__.update(zip(names, values, strict=True))
        return new

    return make


def _names(class_: type) -> tuple[str, ...]:
    """Return the stored fields of a class."""
    if is_dataclass(class_):
        names = (each.name for each in fields(class_) if each.init)
        return tuple(name for name in names if not name.startswith("_"))
    return tuple(class_._fields)  # type: ignore[attr-defined]


class _Packer:
    """Builds the table of one value."""

    def __init__(self, classes: Iterable[type]) -> None:
        self._names = {each: _names(each) for each in classes}
        self._rows: list[Any] = []
        #: The number of each plain value, by class, and of each row with references.
        self._plain: dict[type, dict[Any, int]] = {each: {} for each in _PLAIN_CLASSES}
        self._made: dict[tuple[object, ...], int] = {}
        #: Known objects by identity; they are kept alive meanwhile.
        self._met: dict[int, tuple[object, int]] = {}

    def rows_of(self, value: object) -> list[Any]:
        """Return the rows, the value's own last."""
        self._number(value)
        return self._rows

    def _number(self, value: Any) -> int:
        class_ = type(value)
        plain = self._plain.get(class_)
        if plain is not None:
            number = plain.get(value)
            if number is None:
                number = plain[value] = len(self._rows)
                self._rows.append(value)
            return number
        met = self._met.get(id(value))
        if met is not None:
            return met[1]
        kind, parts = self._parts(value, class_)
        key = (kind, *map(self._number, parts))
        number = self._made.get(key)
        if number is None:
            number = self._made[key] = len(self._rows)
            self._rows.append(key)
        self._met[id(value)] = value, number
        return number

    def _parts(self, value: Any, class_: type) -> tuple[str, Iterable[Any]]:
        if class_ in _KINDS:
            # The order of a set differs between processes; the output must not.
            return _KINDS[class_], sorted(value, key=repr) if class_ in (frozenset, set) else value
        if class_ is dict:
            return "d", (each for pair in value.items() for each in pair)
        if class_ not in self._names:
            raise TypeError(f"values of the type {class_.__name__} cannot be stored")
        if isinstance(value, tuple):
            return class_.__name__, value
        return class_.__name__, [getattr(value, name) for name in self._names[class_]]


_T = TypeVar("_T")

#: The first line of a file, with the number of the format.
_MAGIC = b"rules-asp cache 2\n"
_SEAL = 32
#: The folder of the package with results that the build of the wheel made.
INCLUDED = "included"
#: Maximum size of a file after decompression, and of the folder, in bytes.
MAX_CACHE_BYTES = 1 << 28


def cache_dir() -> Path | None:
    """Return the cache folder, created if necessary and private to the user; None without a cache."""
    chosen = os.environ.get("RULES_ASP_CACHE", "")
    if chosen == "off":
        return None
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        path = Path(chosen) if chosen else base / "rules-asp"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # A folder that others can write to could contain foreign rules.
        if hasattr(os, "getuid"):
            about = path.stat()
            if about.st_uid != os.getuid() or about.st_mode & 0o022:
                return None
    except (OSError, RuntimeError):
        return None
    return path


def entry_path(kind: str, sources: Iterable[bytes]) -> Path | None:
    """Return the path of a result of this kind with these sources."""
    here = cache_dir()
    if here is None:
        return None
    digest = hashlib.blake2b(rules_asp.__version__.encode(), digest_size=16)
    for source in sources:
        digest.update(len(source).to_bytes(8, "big"))
        digest.update(source)
    return here / f"{kind}-{digest.hexdigest()}"


def memoize_on_disk(
    kind: str,
    sources: Iterable[bytes],
    make: Callable[[], _T],
    root: type[_T],
    classes: Iterable[type] = (),
) -> _T:
    """Return the result of `make`, from the cache if it has the same sources.

    It is a `root`; `classes` are all classes in it, except plain ones.
    """
    path = entry_path(kind, sources)
    if path is None:
        return make()
    classes = tuple(classes)
    data = load_entry(path)
    if data is not None:
        with suppress(FormatError):
            found = loads(data, classes)
            if isinstance(found, root):
                return found
    made = make()
    store_entry(path, dumps(made, classes))
    return made


def load_entry(path: Path) -> bytes | None:
    """Return the content of a file, or else of the included file of this name.

    None if neither exists or is trustworthy. The name depends on all sources, so no included file
    is out of date.
    """
    included = (Path(each) / INCLUDED / path.name for each in rules_asp.__path__)
    for each in (path, *included):
        with suppress(OSError, FormatError):
            return verify_checksum(each.name, each.read_bytes())
    return None


def store_entry(path: Path, data: bytes) -> None:
    """Store content in a file; a file that cannot be written is skipped."""
    with suppress(OSError):
        write_atomically(path, add_checksum(path.name, data))
        _tidy(path)


def add_checksum(name: str, data: bytes) -> bytes:
    """Return the bytes of a file of this name with this content."""
    packed = zlib.compress(data, 1)
    return _MAGIC + _seal(name, packed) + packed


def verify_checksum(name: str, data: bytes) -> bytes:
    """Return the content of a file of this name; FormatError if it is damaged or of another format."""
    start = len(_MAGIC) + _SEAL
    packed = data[start:]
    if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) : start] != _seal(name, packed):
        raise FormatError("this is not a cache file of rules-asp")
    try:
        opened = zlib.decompressobj()
        kept = opened.decompress(packed, size_limit("kept"))
    except zlib.error as error:
        raise FormatError(str(error)) from None
    if not opened.eof:
        raise FormatError("the cache file is too large")
    return kept


def _seal(name: str, packed: bytes) -> bytes:
    digest = hashlib.blake2b(name.encode("utf-8", "surrogateescape"), digest_size=_SEAL)
    digest.update(packed)
    return digest.digest()


def digest(data: bytes) -> str:
    """Return a digest that identifies the content of a file."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file atomically: another process sees the whole file or none."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _tidy(new: Path) -> None:
    """Delete the oldest files if the folder is too large; `new` stays."""
    found = [(each.stat(), each) for each in new.parent.iterdir() if each != new]
    total = new.stat().st_size + sum(about.st_size for about, _ in found)
    for about, each in sorted(found, key=lambda pair: pair[0].st_mtime):
        if total <= MAX_CACHE_BYTES:
            return
        each.unlink(missing_ok=True)
        total -= about.st_size


def source_fingerprint(*packages: str) -> list[bytes]:
    """Return the sources of some packages of this one, on which cached results also depend."""
    found = []
    for package in packages:
        # In a clone, some packages are next to this one.
        folders = (Path(each) / package for each in rules_asp.__path__)
        here = next(each for each in folders if each.is_dir())
        found += sorted(path for path in here.iterdir() if path.suffix in (".py", ".lark"))
    return [path.read_bytes() for path in found]
