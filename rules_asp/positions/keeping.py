"""Boards from files: what was made of one is kept between runs, and not read, cut or solved again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import clingo

from rules_asp import cache
from rules_asp.knowledge.kept_answers import (
    Unkept,
    answers_in,
    read_terms,
    write_terms,
    written,
)
from rules_asp.knowledge.loading import load_program, program_sources
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.running import Answer
from rules_asp.lines.shapes import Shapes
from rules_asp.positions.changing import Change
from rules_asp.positions.indexes import LocalFacts
from rules_asp.positions.prepared import Position, position
from rules_asp.terms.board import PARTS, Board
from rules_asp.terms.maps import speak_of

_CLASSES = (*PARTS, Shapes)
#: A file that was read: where it is, and the digest of what stood in it.
_File = tuple[str, str]


def load(
    path: Path,
    program: Program | None = None,
    without: Iterable[str] = (),
    changes: Sequence[Change] = (),
) -> Position:
    """Read a board file and make it ready; BoardError for bad text.

    Under the shipped knowledge base what was made of a file is kept for the next time.
    """
    with cache.uncollected():
        return _loaded(path, program, tuple(without), changes)


def _loaded(
    path: Path, program: Program | None, switched_off: tuple[str, ...], changes: Sequence[Change]
) -> Position:
    shelf = None if program is not None else shelf_for(path, switched_off, changes)
    if shelf is not None and (found := shelf.recalled()) is not None:
        board, shapes, given, cases = found
        speak_of(board.grid)
        known = LocalFacts(given)
        return Position(board, load_program(), shapes, known, cases, switched_off=switched_off)
    from rules_asp.parser.reader import load_files

    board, files = load_files(path)
    made = position(board, program, switched_off, changes)
    if shelf is not None:
        kept = Kept(made.board, made.shapes, made.board_facts.symbols, made.cases)
        # What was written is read only as far as questions ask for it.
        return replace(made, cases=shelf.keep(kept, files))
    return made


class Kept(NamedTuple):
    """A resolved board, its drawings, its facts, and the answer sets of its static layer."""

    board: Board
    shapes: Shapes
    facts: Sequence[clingo.Symbol]
    cases: tuple[Answer, ...]


@dataclass(frozen=True)
class Shelf:
    """Where what is made of a file is kept: the board with its drawings, and what follows from it."""

    content: str
    board: Path
    cases: Path

    def recalled(self) -> Kept | None:
        """What was made of the file; None if nothing was, or if a file that it uses has changed."""
        packed, answers = cache.get(self.board), None
        if packed is not None:
            answers = cache.get(self.cases)
        if packed is None or answers is None:
            return None
        with suppress(cache.Unreadable, Unkept, RuntimeError, ValueError, TypeError, OSError):
            files, board, shapes, facts = cache.unpack(packed, _CLASSES)
            kept = Kept(board, shapes, read_terms(facts), answers_in(answers))
            same = isinstance(board, Board) and isinstance(shapes, Shapes)
            if same and all(cache.digest(Path(file).read_bytes()) == old for file, old in files):
                return kept
        return None

    def keep(self, kept: Kept, files: Sequence[_File]) -> tuple[Answer, ...]:
        """Keep what was made of these files, the first the board's own; the answers as kept."""
        if files[0][1] != self.content:
            return kept.cases  # it has changed meanwhile
        others = tuple(files[1:])
        facts, cases = write_terms(kept.facts), written(kept.cases)
        cache.put(self.cases, cases)
        cache.put(self.board, cache.pack((others, kept.board, kept.shapes, facts), _CLASSES))
        return answers_in(cases)


def shelf_for(path: Path, without: Sequence[str], changes: Sequence[Change]) -> Shelf | None:
    """Where what is made of a file under the shipped knowledge base is kept; None for nowhere."""
    if cache.folder() is None:
        return None
    try:
        data = path.read_bytes()
    except OSError:
        return None  # whoever reads the board says what is wrong
    supposed = repr((str(path), str(path.resolve()), *without, *map(tuple, changes)))
    code = cache.code("lines", "parser", "positions")
    sources = [data, supposed.encode("utf-8", "surrogateescape"), *program_sources(), *code]
    board, cases = cache.file("board", sources), cache.file("follows", sources)
    return Shelf(cache.digest(data), board, cases) if board and cases else None


def load_given(name: str, texts: Mapping[str, str], without: Iterable[str] = ()) -> Position:
    """Make a text ready that is among some that are at hand, as `parser.reader.load_given` reads it.

    What was made of it is kept as that of a file is.
    """
    from rules_asp.parser.reader import load_given as read_given

    switched_off = tuple(without)
    shelf = _shelf_of(
        repr((name, sorted(texts.items()), switched_off)).encode("utf-8", "surrogateescape")
    )
    if shelf is not None and (found := shelf.recalled()) is not None:
        board, shapes, given, cases = found
        speak_of(board.grid)
        return Position(
            board, load_program(), shapes, LocalFacts(given), cases, switched_off=switched_off
        )
    made = position(read_given(name, texts), None, switched_off)
    if shelf is not None:
        kept = Kept(made.board, made.shapes, made.board_facts.symbols, made.cases)
        shelf.keep(kept, [("", shelf.content)])
    return made


def _shelf_of(data: bytes) -> Shelf | None:
    """Where what is made of texts is kept; None for nowhere."""
    if cache.folder() is None:
        return None
    code = cache.code("lines", "parser", "positions")
    sources = [b"given", data, *program_sources(), *code]
    board, cases = cache.file("board", sources), cache.file("follows", sources)
    return Shelf(cache.digest(data), board, cases) if board and cases else None
