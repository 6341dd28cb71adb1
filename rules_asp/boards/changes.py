"""What-if changes: lines added to a board, as by a text that uses it, or removed from it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, NamedTuple

from rules_asp.boards.resolve import names_in, resolve, to_problem
from rules_asp.boards.statement_ops import atomic_statements, without_parts
from rules_asp.game.board import (
    Board,
    Correction,
    Expect,
    Outline,
    SourcePosition,
    Statement,
    UnitStatement,
    Use,
)
from rules_asp.game.grid import Hex, Hexside, Location
from rules_asp.game.map_layout import MapNames, map_names
from rules_asp.game.values import Notation
from rules_asp.game.vocabulary import Vocabulary, default_vocabulary
from rules_asp.parser.errors import BoardError, Problem, ValueMistake, nearest
from rules_asp.parser.writer import statement_text

if TYPE_CHECKING:
    from rules_asp.parser.source_text import ParsedText


class Change(NamedTuple):
    """Lines of the board language to add to a board, or (not `adds`) to remove.

    `source` is the name of the text in messages.
    """

    adds: bool
    text: str
    source: str = "change"


def apply_changes(
    board: Board, changes: Iterable[Change], words: Vocabulary | None = None
) -> Board:
    """Return the resolved board after these changes, in order.

    An added line may correct and replace others, as in a file that uses the board. A removed line
    must be on the board, in any wording, and can be a part of a line. Expectations stay, except
    those that name a removed unit.

    BoardError: a text that cannot be read, that does not fit the board, or is not on it.
    """
    words = words or default_vocabulary()
    board = resolve(board, words, whole=False)
    for change in changes:
        said = parse_change(change, board, words)
        board = _more(board, said, words) if change.adds else _less(board, said, words)
    board = resolve(board, words)
    # Drop texts without remaining statements, so that a board changed for hours does not grow.
    told = {place.file for place in board.places}
    return replace(board, lines={file: text for file, text in board.lines.items() if file in told})


def parse_change(change: Change, board: Board, words: Vocabulary) -> ParsedText:
    """Parse the lines of a change; each is a text of its own that may replace the one before."""
    source, count = change.source, 1
    while source in board.lines:
        count += 1
        source = f"{change.source} {count}"
    from rules_asp.parser.reader import read

    said = read(change.text, source, words, on=board.grid)
    said.check_prefixes({board.name})
    if said.name is not None:
        heads = (n for n, text in enumerate(said.lines, 1) if text.lstrip().startswith("board"))
        line = next(heads, 1)
        said.note(
            SourcePosition(source, line),
            ValueMistake("a change cannot have a `board` line"),
        )
    for each, place in zip(said.statements, said.places, strict=True):
        if isinstance(each, Use):
            said.note(
                place,
                ValueMistake("a change applies to one board, so it cannot contain a `use` line"),
            )
    if not said.statements and not said.problems:
        said.note(SourcePosition(source, 1), ValueMistake("the text is empty: write a board line"))
    if said.problems:
        raise BoardError(sorted(said.problems, key=lambda problem: problem.place))
    return said


def _more(board: Board, said: ParsedText, words: Vocabulary) -> Board:
    """Return the board with these statements."""
    more = replace(
        board,
        statements=(*board.statements, *said.statements),
        places=(*map(board.place, range(len(board.statements))), *said.places),
        lines={**board.lines, said.file: said.lines},
    )
    return resolve(more, words, whole=False)


def _less(board: Board, said: ParsedText, words: Vocabulary) -> Board:
    """Return the board without these statements, all of which must be on it."""
    there = {part: None for each in board.statements for part in atomic_statements(each)}
    text, notation = said.board(), Notation(words, map_names(board.grid))
    gone: set[Statement] = set()
    problems: list[Problem] = []
    for index, each in enumerate(said.statements):
        for part in atomic_statements(each):
            gone.add(part)
            if part not in there:
                problems.append(
                    to_problem(
                        text,
                        index,
                        _mistake(part, there, notation),
                        _word(part, notation.names),
                    )
                )
                break
    if problems:
        raise BoardError(sorted(problems, key=lambda problem: problem.place))
    taken = {each.name for each in gone if isinstance(each, UnitStatement)}
    kept = [
        (rest, board.place(index))
        for index, each in enumerate(board.statements)
        for rest in without_parts(each, gone)
        if not (isinstance(each, Expect) and _speaks_of(each, taken, words))
    ]
    return replace(
        board,
        statements=tuple(each for each, _ in kept),
        places=tuple(place for _, place in kept),
    )


def _speaks_of(expect: Expect, units: Collection[str], words: Vocabulary) -> bool:
    # Where any value may occur, as in a violation, a unit is a quoted text.
    return any(kind in ("unit", "text") and name in units for kind, name in names_in(expect, words))


def _mistake(part: Statement, there: Iterable[Statement], notation: Notation) -> ValueMistake:
    """Return the mistake of a statement that is not on the board."""
    if isinstance(part, Correction) and part.to == "no":
        return ValueMistake("a correction cannot be removed: name the board line that it corrects")
    return ValueMistake(
        "the line cannot be removed, because it is not on the board",
        nearest=_nearest(part, there, notation),
    )


def _nearest(part: Statement, there: Iterable[Statement], notation: Notation) -> str | None:
    """Return the most similar statement on the board; for a unit, the one of its name."""
    if isinstance(part, Outline):
        return None
    if isinstance(part, UnitStatement):
        named = (
            each for each in there if isinstance(each, UnitStatement) and each.name == part.name
        )
        facts = dict.fromkeys(fact for each in named for fact in each.facts)
        if facts:
            return statement_text(UnitStatement(part.name, tuple(facts)), notation)
    like = (statement_text(each, notation) for each in there if type(each) is type(part))
    return nearest(statement_text(part, notation), like)


def _word(part: Statement, names: MapNames) -> str:
    """Return the word of a line that a part of the statement is about."""
    match part:
        case UnitStatement(name):
            return name
        case Correction(where):
            return names.text(where)
    for value in (getattr(part, each.name) for each in fields(part)):
        for each in (value, *(value if isinstance(value, tuple) else ())):
            if isinstance(each, Hex | Hexside | Location):
                return names.text(each)
    return ""
