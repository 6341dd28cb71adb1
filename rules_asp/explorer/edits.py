"""Changes of a board as changes of its text: what was said of a thing gives way to what is said now."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from rules_asp.explorer.library import ParsedDocuments
from rules_asp.explorer.sheets import Document
from rules_asp.parser.errors import BoardError, Problem
from rules_asp.parser.lexemes import lines_of, split_statements
from rules_asp.parser.writer import write
from rules_asp.positions.changing import Change, line_of, parse_change
from rules_asp.positions.portions import atomic_statements, without_parts
from rules_asp.positions.resolving import unique_keys
from rules_asp.terms.board import Board, Expect, SourcePosition, Statement, UnitStatement
from rules_asp.terms.grid import Grid
from rules_asp.terms.lexicon import vocabulary
from rules_asp.terms.maps import set_map_names


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
        set_map_names(board.grid)
        said = parse_change(change, library.draft(before))
        if change.adds:
            text = _with(before, board, said.statements, change.text)
            put.append(change.text.strip())
        else:
            text = _without(before, board, said.statements, change)
    library.resolved(replace(sheet, text=text))
    return EditResult(text, tuple(put))


def moved(sheet: Document, unit: str, to: str, library: ParsedDocuments | None = None) -> Change:
    """The change that puts a unit elsewhere, else as it is; BoardError where there is none."""
    board = (library or ParsedDocuments()).resolved(sheet)
    set_map_names(board.grid)
    thing = thing_named(board, unit)
    line = line_of(replace(thing, facts=tuple(e for e in thing.facts if e.name != "at")))
    head, colon, traits = line.partition(":")
    return Change(True, f"{head} at {to}{colon}{traits}", "change")


def thing_named(board: Board, unit: str) -> UnitStatement:
    """The unit of this name; BoardError where there is none."""
    for each in board.statements:
        if isinstance(each, UnitStatement) and each.name == unit:
            return each
    raise BoardError([Problem(SourcePosition(unit, 0), "", "there is no such unit on the board")])


def _with(sheet: Document, board: Board, said: Sequence[Statement], line: str) -> str:
    """The text with a line more, and without what it says otherwise of the same things."""
    keys = {key for each in said for key in unique_keys(each) if key[0] in _FREE}
    new = set(said)
    own = _own(sheet, board)
    gone: dict[int, list[Statement]] = {}
    for number, statements in own.items():
        left = [e for e in statements if keys.isdisjoint(unique_keys(e)) and e not in new]
        if len(left) != len(statements):
            gone[number] = left
    added = line.strip().replace("\r", "")
    # A unit stays where it stands in the text.
    if len(gone) == 1 and not next(iter(gone.values())):
        return _rewritten(sheet.text, {next(iter(gone)): added})
    text = _rewritten(sheet.text, {number: _said(left) for number, left in gone.items()})
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{added}\n"


#: Of what a text says the same thing only once: units, and what can be stated once.
_FREE = {"unit", "treat", *(e.name for e in vocabulary().inputs.values() if e.once is not None)}


def _without(sheet: Document, board: Board, said: Sequence[Statement], change: Change) -> str:
    """The text without what is said, all of which must stand in it."""
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
            if isinstance(each, Expect) and _names_one(each, units):
                continue
            left += [each] if gone.isdisjoint(there) else without_parts(each, gone)
        if left != statements:
            rest[number] = _said(left)
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
    return "this does not stand on the board"


def _names_one(expect: Expect, units: Collection[str]) -> bool:
    from rules_asp.positions.sound import names

    return any(kind == "unit" and name in units for kind, name in names(expect))


def _own(sheet: Document, board: Board) -> dict[int, list[Statement]]:
    """The statements of the sheet's own text, by the lines in which they begin."""
    found: dict[int, list[Statement]] = {}
    for each, place in zip(board.statements, board.places, strict=True):
        if place.file == sheet.name:
            found.setdefault(place.line, []).append(each)
    return found


def _said(statements: Sequence[Statement]) -> str:
    """Statements as lines; those of one sentence stay in one."""
    return write(Board("", Grid(0, 0), tuple(statements))).rstrip("\n") if statements else ""


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
