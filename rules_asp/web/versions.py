"""The versions of a position, and the pages that watch it.

The versions form a tree: each was made from another by a change. All pages of one position show the
same version, its head. A change refers to the version that the page had, and is applied to the
head.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import count
from typing import Any

from rules_asp.web.documents import Document, digest_of

#: Maximum number of versions in a tree, and of characters in them; the oldest unnamed ones are
#: dropped.
_MOST_VERSIONS, _MOST_CHARACTERS = 200, 8_000_000
#: Maximum number of pages that may watch a position.
_MOST_PAGES = 16
#: Maximum interval in seconds between messages to a watching page.
HEARTBEAT = 15.0
#: Maximum length of a version name, and of the text about its change, in characters.
NAME_LENGTH, _CHANGE_LENGTH = 60, 120


@dataclass(frozen=True)
class Version:
    """A board between two changes: `change` made it from the version `parent`.

    `sheet` is the key of its document, `files` the digests of the texts that it uses.
    """

    number: int
    parent: int | None
    document: Document
    change: str
    sheet: str
    files: Mapping[str, str]
    name: str = ""


class VersionTree:
    """The versions of one position. It belongs to one event loop; edits hold `lock`."""

    def __init__(self) -> None:
        self._versions: dict[int, Version] = {}
        self._numbers = count(1)
        self._last_child: dict[int | None, int] = {}
        self._head: int | None = None
        self._id = secrets.token_hex(6)
        self._serial = 0
        self._pages = 0
        self._closed = False
        self._changed = asyncio.Event()
        self.lock = asyncio.Lock()

    @property
    def head(self) -> Version | None:
        """The version that the pages show."""
        return None if self._head is None else self._versions[self._head]

    def version(self, number: int) -> Version | None:
        """Return the version of this number; None if it is no longer stored."""
        return self._versions.get(number)

    def document(self, sheet: str) -> Document | None:
        """The document of a version, by its key."""
        return next((e.document for e in self._versions.values() if e.sheet == sheet), None)

    @property
    def full(self) -> bool:
        """Test whether the maximum number of pages watch it."""
        return self._pages >= _MOST_PAGES

    def begin(self, document: Document) -> Version:
        """Replace the board by another one; the old one stays in the tree."""
        return self._add(None, document, f"opened {document.name}")

    def add(self, document: Document, change: str, instead: bool = False) -> Version:
        """Add a version after the head; `instead`: replace the head, if no other version follows
        it."""
        head = self.head
        parent = None if head is None else head.number
        kept = head is None or head.name or head.parent is None or head.number in self._last_child
        if head is not None and instead and not kept:
            self._remove(head)
            parent = head.parent
        return self._add(parent, document, change)

    def go(self, version: Version) -> None:
        """Show another version."""
        self._show(version)

    def rename(self, version: Version, name: str) -> None:
        """Name a version, or remove its name."""
        self._versions[version.number] = replace(version, name=" ".join(name.split()))
        self._notify()

    def record(self) -> dict[str, Any]:
        """Return the position for pages: its head in full, the other versions in short."""
        head = self.head
        if head is None:
            return {}
        return {
            "tree": self._id,
            "serial": self._serial,
            "pages": self._pages,
            "head": head.number,
            "redo": self._last_child.get(head.number),
            "name": head.document.name,
            "text": head.document.text,
            "files": dict(head.files),
            "without": list(head.document.without),
            "versions": [
                [e.number, e.parent, e.change, e.name, e.sheet] for e in self._versions.values()
            ],
        }

    async def news(self, since: int) -> AsyncIterator[dict[str, Any] | None]:
        """Yield the record when it differs from that of the serial number `since`, and at each
        change.

        None is a heartbeat. A slow page gets only the newest record.
        """
        self._pages += 1
        self._notify()
        try:
            while not self._closed:
                if self._serial != since:
                    since = self._serial
                    yield self.record()
                    continue
                changed = self._changed
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), HEARTBEAT)
                if not changed.is_set():
                    yield None
        finally:
            self._pages -= 1
            self._notify()

    def close(self) -> None:
        """End all event streams."""
        self._closed = True
        self._notify()

    def _add(self, parent: int | None, document: Document, change: str) -> Version:
        files = {name: digest_of(text) for name, text in document.files.items()}
        number = next(self._numbers)
        change = change if len(change) <= _CHANGE_LENGTH else f"{change[: _CHANGE_LENGTH - 1]}…"
        made = Version(number, parent, document, change, document.key, files)
        self._versions[number] = made
        self._show(made)
        self._trim()
        return made

    def _show(self, version: Version) -> None:
        self._head = version.number
        # Redo after an undo follows the branch that was left.
        here = version
        while here.parent is not None:
            self._last_child[here.parent] = here.number
            here = self._versions[here.parent]
        self._notify()

    def _trim(self) -> None:
        def size() -> int:
            return sum(len(each.document.text) for each in self._versions.values())

        while len(self._versions) > _MOST_VERSIONS or size() > _MOST_CHARACTERS:
            others = [e for e in self._versions.values() if e.number != self._head]
            if not others:
                return
            self._remove(next((e for e in others if not e.name), others[0]))

    def _remove(self, gone: Version) -> None:
        """Remove a version; versions made from it move to its parent."""
        del self._versions[gone.number]
        for each in list(self._versions.values()):
            if each.parent == gone.number:
                self._versions[each.number] = replace(each, parent=gone.parent)
        after = self._last_child.pop(gone.number, None)
        if self._last_child.get(gone.parent) == gone.number:
            del self._last_child[gone.parent]
            if after is not None:
                self._last_child[gone.parent] = after

    def _notify(self) -> None:
        self._serial += 1
        self._changed.set()
        self._changed = asyncio.Event()


# --- Merging of two changes of one text.


def merged(base: str, mine: str, theirs: str) -> str | None:
    """Return the text with both changes, line by line; None if they change the same lines
    differently.

    Of two insertions at one place, `theirs` comes first.
    """
    if base == theirs or mine == theirs:
        return mine
    if base == mine:
        return theirs
    lines = base.split("\n")
    edits = sorted(
        {*((e, 0) for e in _edits(lines, theirs)), *((e, 1) for e in _edits(lines, mine))},
        key=lambda e: (e[0].start, e[0].end, e[1]),
    )
    made: list[str] = []
    at = 0
    last: _Edit | None = None
    for edit, _ in edits:
        if edit == last:
            continue
        if edit.start < at:
            return None
        made += [*lines[at : edit.start], *edit.lines]
        at, last = edit.end, edit
    return "\n".join([*made, *lines[at:]])


def change_text(before: str, after: str) -> str:
    """Describe the change between two texts: the first new line, else the first removed one."""
    lines = before.split("\n")
    edits = _edits(lines, after)
    new = [line.strip() for edit in edits for line in edit.lines if line.strip()]
    lost = [line.strip() for edit in edits for line in lines[edit.start : edit.end] if line.strip()]
    said = new or [f"without: {line}" for line in lost]
    return f"{said[0]} and {len(said) - 1} more" if len(said) > 1 else "".join(said)


@dataclass(frozen=True)
class _Edit:
    """An edit: the lines from `start` to before `end` become `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


def _edits(lines: list[str], other: str) -> list[_Edit]:
    others = other.split("\n")
    # Compare only the part between the first and the last changed line.
    first = next(
        (at for at, pair in enumerate(zip(lines, others, strict=False)) if pair[0] != pair[1]),
        min(len(lines), len(others)),
    )
    room = min(len(lines), len(others)) - first
    rest = next((at for at in range(room) if lines[-1 - at] != others[-1 - at]), room)
    old, new = lines[first : len(lines) - rest], others[first : len(others) - rest]
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [
        _Edit(first + i1, first + i2, tuple(new[j1:j2]))
        for tag, i1, i2, j1, j2 in found
        if tag != "equal"
    ]
