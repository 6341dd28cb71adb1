"""The board that a page has: its text, the texts that it uses, the rulings that are switched off."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import basename, normpath

from rules_asp import RulesAspError
from rules_asp.bounds.sizes import size_limit, too_large_message

#: The text of a board, of which a page shows more than a line that uses it, is no longer than this.
_SHOWN = 40_000
#: So many sheets, and so many bytes of texts, a server keeps.
_MOST_SHEETS, _MOST_BYTES = 400, 256_000_000


class DocumentError(RulesAspError):
    """A sheet that cannot be: too large, without its text, or of a name that is none."""


def digest_of(text: str) -> str:
    """By what a text is known: what it says, and nothing else."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True)
class Document:
    """A board's text under its name, the texts that it may use by theirs, and rulings that are off."""

    name: str
    text: str
    files: Mapping[str, str]
    without: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """By what a sheet is known."""
        parts = [self.name, self.text, *self.without]
        parts += [f"{name}\0{digest_of(text)}" for name, text in sorted(self.files.items())]
        return digest_of("\0\0".join(parts))

    @property
    def texts(self) -> dict[str, str]:
        """All texts by name."""
        return {**self.files, self.name: self.text}


def wrapped(name: str, text: str, files: Mapping[str, str]) -> tuple[str, str, dict[str, str]]:
    """A board as a page begins with it: name, text, files; a very long text is used by a short one."""
    if len(text) <= _SHOWN:
        return name, text, dict(files)
    own = f"my {basename(name)}" if f"my {basename(name)}" not in files else f"my own {name}"
    folder, _, _ = name.rpartition("/")
    return (
        normpath(f"{folder}/{own}" if folder else own),
        f'use "{basename(name)}"\n',
        {
            **files,
            name: text,
        },
    )


class DocumentStore:
    """The texts and sheets that pages have handed to a server, the last used ones; safe for threads."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._sheets: OrderedDict[str, Document] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def put_text(self, text: str) -> str:
        """Keep a text that a board may use; SheetError for one that is too long."""
        if len(text) > size_limit("board"):
            raise DocumentError(too_large_message("board"))
        key = digest_of(text)
        with self._lock:
            if key not in self._texts:
                self._texts[key] = text
                self._size += len(text)
            self._texts.move_to_end(key)
            while self._size > _MOST_BYTES and len(self._texts) > 1:
                self._size -= len(self._texts.popitem(last=False)[1])
        return key

    def text(self, key: str) -> str | None:
        """A text that was kept; None when it is not there any more."""
        with self._lock:
            if key in self._texts:
                self._texts.move_to_end(key)
            return self._texts.get(key)

    def put(self, sheet: Document) -> str:
        """Keep a sheet; SheetError for one that is too large."""
        if len(sheet.text) > size_limit("board"):
            raise DocumentError(f"{sheet.name}: {too_large_message('board')}")
        if sum(map(len, sheet.texts.values())) > size_limit("boards"):
            raise DocumentError(f"{sheet.name}: {too_large_message('boards')}")
        with self._lock:
            self._sheets[sheet.key] = sheet
            self._sheets.move_to_end(sheet.key)
            while len(self._sheets) > _MOST_SHEETS or (
                len(self._sheets) > 1
                and sum(len(e.text) for e in self._sheets.values()) > _MOST_BYTES
            ):
                self._sheets.popitem(last=False)
        return sheet.key

    def sheet(self, key: str) -> Document | None:
        """A sheet that was kept; None when it is not there any more."""
        with self._lock:
            if key in self._sheets:
                self._sheets.move_to_end(key)
            return self._sheets.get(key)
