"""The boards open on the page, their parsed texts, edits."""

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

# --- The board that a page has: its text, the texts that it uses, the rulings that are switched
#     off.


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
        """Keep a text that a board may use; DocumentError for one that is too long."""
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
        """Keep a sheet; DocumentError for one that is too large."""
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


# --- What the texts of boards say, kept for as long as a page goes from one to the next and back.


#: So many boards are kept, as they were read or resolved.
_KEPT = 12


@dataclass
class ParsedDocuments:
    """Boards by the sheets that they were read from; BoardError for a text with a mistake, each time."""

    words: Vocabulary = field(default_factory=default_vocabulary)
    _kept: OrderedDict[tuple[str, str], Board] = field(default_factory=OrderedDict)

    def said(self, sheet: Document) -> Board:
        """What the texts of a sheet say, with what they use."""
        return self._recalled("said", sheet) or self._keep(
            "said", sheet, load_from_texts(sheet.name, sheet.texts, self.words)
        )

    def resolved(self, sheet: Document) -> Board:
        """The board that comes of it."""
        return self._recalled("resolved", sheet) or self._keep(
            "resolved", sheet, resolve(self.said(sheet), self.words)
        )

    def draft(self, sheet: Document) -> Board:
        """The same where more changes will follow: what they may still mend is not looked at."""
        return (
            self._recalled("resolved", sheet)
            or self._recalled("draft", sheet)
            or self._keep("draft", sheet, resolve(self.said(sheet), self.words, whole=False))
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


# --- Changes of a board as changes of its text: what was said of a thing gives way to what is
#     said now.


class EditResult(NamedTuple):
    """The text of a board after changes, and the lines that were put there."""

    text: str
    lines: tuple[str, ...]


def apply_edits(
    sheet: Document, changes: Sequence[Change], library: ParsedDocuments | None = None
) -> EditResult:
    """The text of a sheet after these changes, one after the other, all or none.

    What is added takes the place of what the text says of the same thing; what has been read is kept in
    `library`. BoardError for what cannot be read or does not fit, for what is taken away and is not there,
    or stands in a text that is used.
    """
    library = library or ParsedDocuments()
    text, put = sheet.text, []
    for change in changes:
        before = replace(sheet, text=text)
        board = library.said(before)
        said = parse_change(change, library.draft(before), library.words)
        if change.adds:
            text = _with(before, board, said.statements, change.text, library.words)
            put.append(change.text.strip())
        else:
            text = _without(before, board, said.statements, change, library.words)
    library.resolved(replace(sheet, text=text))
    return EditResult(text, tuple(put))


def moved(sheet: Document, unit: str, to: str, library: ParsedDocuments | None = None) -> Change:
    """The change that puts a unit elsewhere, else as it is; BoardError where there is none."""
    library = library or ParsedDocuments()
    board = library.resolved(sheet)
    thing = thing_named(board, unit)
    names = map_names(board.grid)
    there = parse_location(to, names=names)
    # It keeps facing the same way, whatever the hexes there are called.
    facts = (*(e for e in thing.facts if e.name != "at"), Fact("at", (unit, there)))
    moved_ = replace(thing, facts=facts)
    return Change(True, statement_text(moved_, Notation(library.words, names)), "change")


def thing_named(board: Board, unit: str) -> UnitStatement:
    """The unit of this name; BoardError where there is none."""
    for each in board.statements:
        if isinstance(each, UnitStatement) and each.name == unit:
            return each
    raise BoardError([Problem(SourcePosition(unit, 0), "", "there is no such unit on the board")])


def _with(
    sheet: Document, board: Board, said: Sequence[Statement], line: str, words: Vocabulary
) -> str:
    """The text with a line more, and without what it says otherwise of the same things."""
    # Of what a text says the same thing only once: units, and what can be stated once.
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
    # A unit stays where it stands in the text.
    if len(gone) == 1 and not next(iter(gone.values())):
        return _rewritten(sheet.text, {next(iter(gone)): added})
    text = _rewritten(sheet.text, {number: _said(left, notation) for number, left in gone.items()})
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{added}\n"


def _without(
    sheet: Document, board: Board, said: Sequence[Statement], change: Change, words: Vocabulary
) -> str:
    """The text without what is said, all of which must stand in it."""
    notation = Notation(words, map_names(board.grid))
    gone = {part for each in said for part in atomic_statements(each)}
    missing = set(gone)
    rest: dict[int, str] = {}
    # A unit goes with all that is said of it.
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
            rest[number] = _said(left, notation)
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
            return f"this stands in {file}, line {line}, which is used here and stays as it is"
    return "this line is not on the board, so it cannot be removed"


def _names_one(expect: Expect, units: Collection[str], words: Vocabulary) -> bool:
    from rules_asp.boards.validate import names_in

    return any(kind == "unit" and name in units for kind, name in names_in(expect, words))


def _own(sheet: Document, board: Board) -> dict[int, list[Statement]]:
    """The statements of the sheet's own text, by the lines in which they begin."""
    found: dict[int, list[Statement]] = {}
    for each, place in zip(board.statements, board.places, strict=True):
        if place.file == sheet.name:
            found.setdefault(place.line, []).append(each)
    return found


def _said(statements: Sequence[Statement], notation: Notation) -> str:
    """Statements as lines; those of one sentence stay in one."""
    return write_statements(statements, notation).rstrip("\n")


def _rewritten(text: str, lines: dict[int, str]) -> str:
    """A text with other lines in the place of some statements; none for an empty one."""
    if not lines:
        return text
    all_lines = list(lines_of(text))
    spans = {piece.line: piece.text.count("\n") + 1 for piece in split_statements(all_lines)}
    for number in sorted(lines, reverse=True):
        new = lines[number].split("\n") if lines[number] else []
        all_lines[number - 1 : number - 1 + spans.get(number, 1)] = new
    return "\n".join(all_lines)
