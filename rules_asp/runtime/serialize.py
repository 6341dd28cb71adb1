"""Safe serialization: tuples, sets, dicts, dataclasses and named tuples, without executable
content.

The bytes are JSON: a table of rows with each value once. A row is a text, a number, true, false or
null, or a list: a kind, and the numbers of the earlier rows that it contains. A kind is a plain
container or the name of a class that the reader expects. So reading creates only expected classes,
and calls nothing else.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import Any

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
