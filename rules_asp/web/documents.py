"""The open boards of pages, their parsed texts, and edits."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from posixpath import basename, normpath
from typing import NamedTuple

from rules_asp import RulesAspError
from rules_asp.boards.changes import Change, parse_change
from rules_asp.boards.resolve import resolve
from rules_asp.boards.statement_ops import atomic_statements, unique_keys, without_parts
from rules_asp.game.board import Board, Expect, Fact, SourcePosition, Statement, UnitStatement
from rules_asp.game.map_layout import map_names
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import Vocabulary, default_vocabulary
from rules_asp.parser.errors import BoardError, Problem
from rules_asp.parser.reader import load_from_texts
from rules_asp.parser.source_text import lines_of, split_statements
from rules_asp.parser.values import parse_location
from rules_asp.parser.writer import statement_text, write_statements
from rules_asp.runtime.limits import size_limit, too_large_message

# --- The board of a page: its text, the texts that it uses, the rulings switched off.


#: Maximum length of a board text that a page shows in full, instead of a line that uses it.
_SHOWN = 40_000
#: Maximum number of documents, and of bytes of texts, that a server keeps.
_MOST_SHEETS, _MOST_BYTES = 400, 256_000_000


class DocumentError(RulesAspError):
    """An invalid document: too large, without its text, or with an invalid name."""


def digest_of(text: str) -> str:
    """Return the digest of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True)
class Document:
    """A board's text with its name, the texts that it may use with theirs, and rulings switched
    off."""

    name: str
    text: str
    files: Mapping[str, str]
    without: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The key of a document."""
        parts = [self.name, self.text, *self.without]
        parts += [f"{name}\0{digest_of(text)}" for name, text in sorted(self.files.items())]
        return digest_of("\0\0".join(parts))

    @property
    def texts(self) -> dict[str, str]:
        """All texts by name."""
        return {**self.files, self.name: self.text}


def wrapped(name: str, text: str, files: Mapping[str, str]) -> tuple[str, str, dict[str, str]]:
    """Return a board for a new page: name, text, files; a short text uses a very long one."""
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
    """The latest texts and documents that pages have sent to a server; safe for threads."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._sheets: OrderedDict[str, Document] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def put_text(self, text: str) -> str:
        """Store a text that a board may use; DocumentError for one that is too long."""
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
        """Return a stored text; None if it is no longer stored."""
        with self._lock:
            if key in self._texts:
                self._texts.move_to_end(key)
            return self._texts.get(key)

    def put(self, sheet: Document) -> str:
        """Store a document; DocumentError for one that is too large."""
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
        """Return a stored document; None if it is no longer stored."""
        with self._lock:
            if key in self._sheets:
                self._sheets.move_to_end(key)
            return self._sheets.get(key)


# --- Parsed documents, cached while a page moves between versions.


#: Number of cached boards, read or resolved.
_KEPT = 12


@dataclass
class ParsedDocuments:
    """Boards by their documents; BoardError for a text with a mistake, on each access."""

    words: Vocabulary = field(default_factory=default_vocabulary)
    _kept: OrderedDict[tuple[str, str], Board] = field(default_factory=OrderedDict)

    def loaded(self, sheet: Document) -> Board:
        """Return the board of a document, with the boards that it uses."""
        return self._recalled("loaded", sheet) or self._keep(
            "loaded", sheet, load_from_texts(sheet.name, sheet.texts, self.words)
        )

    def resolved(self, sheet: Document) -> Board:
        """Return the resolved board."""
        return self._recalled("resolved", sheet) or self._keep(
            "resolved", sheet, resolve(self.loaded(sheet), self.words)
        )

    def draft(self, sheet: Document) -> Board:
        """Return the same before further changes, without checks that these may still satisfy."""
        return (
            self._recalled("resolved", sheet)
            or self._recalled("draft", sheet)
            or self._keep("draft", sheet, resolve(self.loaded(sheet), self.words, whole=False))
        )

    def _recalled(self, what: str, sheet: Document) -> Board | None:
        found = self._kept.get((what, sheet.key))
        if found is not None:
            self._kept.move_to_end((what, sheet.key))
        return found

    def _keep(self, what: str, sheet: Document, board: Board) -> Board:
        self._kept[what, sheet.key] = board
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return board


# --- Changes of a board as edits of its text: a new line about a thing replaces the old one.


class EditResult(NamedTuple):
    """The text of a board after changes, and the added lines."""

    text: str
    lines: tuple[str, ...]


def apply_edits(
    sheet: Document, changes: Sequence[Change], library: ParsedDocuments | None = None
) -> EditResult:
    """Return the text of a document after these changes in order, all or none.

    An added line replaces what the text says about the same thing. `library` caches parsed texts.
    BoardError for a line that cannot be read or does not fit, and for a removed line that is
    missing or is in a used text.
    """
    library = library or ParsedDocuments()
    text, put = sheet.text, []
    for change in changes:
        before = replace(sheet, text=text)
        board = library.loaded(before)
        said = parse_change(change, library.draft(before), library.words)
        if change.adds:
            text = _with(before, board, said.statements, change.text, library.words)
            put.append(change.text.strip())
        else:
            text = _without(before, board, said.statements, change, library.words)
    library.resolved(replace(sheet, text=text))
    return EditResult(text, tuple(put))


def moved(sheet: Document, unit: str, to: str, library: ParsedDocuments | None = None) -> Change:
    """Return the change that moves a unit; BoardError if there is no such unit."""
    library = library or ParsedDocuments()
    board = library.resolved(sheet)
    thing = thing_named(board, unit)
    names = map_names(board.grid)
    there = parse_location(to, names=names)
    # Its facing stays the same, whatever the hexes there are named.
    facts = (*(e for e in thing.facts if e.name != "at"), Fact("at", (unit, there)))
    moved_ = replace(thing, facts=facts)
    return Change(True, statement_text(moved_, Notation(library.words, names)), "change")


def thing_named(board: Board, unit: str) -> UnitStatement:
    """Return the unit of this name; BoardError if there is none."""
    for each in board.statements:
        if isinstance(each, UnitStatement) and each.name == unit:
            return each
    raise BoardError([Problem(SourcePosition(unit, 0), "", "the board does not have this unit")])


def _with(
    sheet: Document, board: Board, said: Sequence[Statement], line: str, words: Vocabulary
) -> str:
    """Return the text with a new line, which replaces lines about the same things."""
    # Statements of which a text has only one: units, and inputs that can be stated once.
    free = {"unit", "treat", *(e.name for e in words.inputs.values() if e.once is not None)}
    keys = {key for each in said for key in unique_keys(each, words) if key[0] in free}
    notation = Notation(words, map_names(board.grid))
    new = set(said)
    own = _own(sheet, board)
    gone: dict[int, list[Statement]] = {}
    for number, statements in own.items():
        left = [e for e in statements if keys.isdisjoint(unique_keys(e, words)) and e not in new]
        if len(left) != len(statements):
            gone[number] = left
    added = line.strip().replace("\r", "")
    # A unit keeps its place in the text.
    if len(gone) == 1 and not next(iter(gone.values())):
        return _rewritten(sheet.text, {next(iter(gone)): added})
    text = _rewritten(
        sheet.text, {number: _statement_lines(left, notation) for number, left in gone.items()}
    )
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{added}\n"


def _without(
    sheet: Document, board: Board, said: Sequence[Statement], change: Change, words: Vocabulary
) -> str:
    """Return the text without statements, all of which must be in it."""
    notation = Notation(words, map_names(board.grid))
    gone = {part for each in said for part in atomic_statements(each)}
    missing = set(gone)
    rest: dict[int, str] = {}
    # Lines about a unit are removed with it.
    units = {e.name for e in gone if isinstance(e, UnitStatement)}
    for number, statements in _own(sheet, board).items():
        left: list[Statement] = []
        for each in statements:
            there = set(atomic_statements(each))
            missing -= there
            if isinstance(each, UnitStatement) and each.name in units:
                missing -= {e for e in gone if isinstance(e, UnitStatement) and e.name == each.name}
                continue
            if isinstance(each, Expect) and _names_one(each, units, words):
                continue
            left += [each] if gone.isdisjoint(there) else without_parts(each, gone)
        if left != statements:
            rest[number] = _statement_lines(left, notation)
    if missing:
        raise BoardError(
            [Problem(SourcePosition(change.source, 1), change.text, _why_not(board, missing))]
        )
    return _rewritten(sheet.text, rest)


def _why_not(board: Board, missing: Collection[Statement]) -> str:
    used = {
        part: place
        for e, place in zip(board.statements, board.places, strict=True)
        for part in atomic_statements(e)
    }
    for each in missing:
        if each in used:
            file, line, _ = used[each]
            return f"this is line {line} of the used file {file}, which cannot be changed from this page"
    return "the line cannot be removed, because it is not on the board"


def _names_one(expect: Expect, units: Collection[str], words: Vocabulary) -> bool:
    from rules_asp.boards.resolve import names_in

    return any(kind == "unit" and name in units for kind, name in names_in(expect, words))


def _own(sheet: Document, board: Board) -> dict[int, list[Statement]]:
    """Return the statements of the document's own text, by their first lines."""
    found: dict[int, list[Statement]] = {}
    for each, place in zip(board.statements, board.places, strict=True):
        if place.file == sheet.name:
            found.setdefault(place.line, []).append(each)
    return found


def _statement_lines(statements: Sequence[Statement], notation: Notation) -> str:
    """Return statements as lines; those of one sentence stay in one line."""
    return write_statements(statements, notation).rstrip("\n")


def _rewritten(text: str, lines: dict[int, str]) -> str:
    """Return a text with some statements replaced, or removed for an empty line."""
    if not lines:
        return text
    all_lines = list(lines_of(text))
    spans = {piece.line: piece.text.count("\n") + 1 for piece in split_statements(all_lines)}
    for number in sorted(lines, reverse=True):
        new = lines[number].split("\n") if lines[number] else []
        all_lines[number - 1 : number - 1 + spans.get(number, 1)] = new
    return "\n".join(all_lines)
