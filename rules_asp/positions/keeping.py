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
    StoreFormatError,
    dump_answer_sets,
    load_answer_sets,
    read_terms,
    write_terms,
)
from rules_asp.knowledge.loading import load_program, program_sources
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.running import AnswerSet
from rules_asp.lines.shapes import Shapes
from rules_asp.positions.changing import Change
from rules_asp.positions.indexes import FactIndex
from rules_asp.positions.prepared import Position, prepare
from rules_asp.terms.board import BOARD_CLASSES, Board
from rules_asp.terms.maps import set_map_names

_CLASSES = (*BOARD_CLASSES, Shapes)
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
    with cache.gc_paused():
        return _loaded(path, program, tuple(without), changes)


def _loaded(
    path: Path, program: Program | None, switched_off: tuple[str, ...], changes: Sequence[Change]
) -> Position:
    shelf = None if program is not None else board_cache(path, switched_off, changes)
    if shelf is not None and (found := shelf.cached_static_answer_sets()) is not None:
        board, shapes, given, cases = found
        set_map_names(board.grid)
        known = FactIndex(given)
        return Position(board, load_program(), shapes, known, cases, switched_off=switched_off)
    from rules_asp.parser.reader import load_files

    board, files = load_files(path)
    made = prepare(board, program, switched_off, changes)
    if shelf is not None:
        kept = CachedBoard(made.board, made.shapes, made.board_facts.symbols, made.cases)
        # What was written is read only as far as questions ask for it.
        return replace(made, cases=shelf.store(kept, files))
    return made


class CachedBoard(NamedTuple):
    """A resolved board, its drawings, its facts, and the answer sets of its static layer."""

    board: Board
    shapes: Shapes
    facts: Sequence[clingo.Symbol]
    cases: tuple[AnswerSet, ...]


@dataclass(frozen=True)
class BoardCache:
    """Where what is made of a file is kept: the board with its drawings, and what follows from it."""

    content: str
    board: Path
    cases: Path

    def cached_static_answer_sets(self) -> CachedBoard | None:
        """What was made of the file; None if nothing was, or if a file that it uses has changed."""
        packed, answers = cache.load_entry(self.board), None
        if packed is not None:
            answers = cache.load_entry(self.cases)
        if packed is None or answers is None:
            return None
        with suppress(
            cache.FormatError, StoreFormatError, RuntimeError, ValueError, TypeError, OSError
        ):
            files, board, shapes, facts = cache.loads(packed, _CLASSES)
            kept = CachedBoard(board, shapes, read_terms(facts), load_answer_sets(answers))
            same = isinstance(board, Board) and isinstance(shapes, Shapes)
            if same and all(cache.digest(Path(file).read_bytes()) == old for file, old in files):
                return kept
        return None

    def store(self, kept: CachedBoard, files: Sequence[_File]) -> tuple[AnswerSet, ...]:
        """Keep what was made of these files, the first the board's own; the answers as kept."""
        if files[0][1] != self.content:
            return kept.cases  # it has changed meanwhile
        others = tuple(files[1:])
        facts, cases = write_terms(kept.facts), dump_answer_sets(kept.cases)
        cache.store_entry(self.cases, cases)
        cache.store_entry(
            self.board, cache.dumps((others, kept.board, kept.shapes, facts), _CLASSES)
        )
        return load_answer_sets(cases)


def board_cache(path: Path, without: Sequence[str], changes: Sequence[Change]) -> BoardCache | None:
    """Where what is made of a file under the shipped knowledge base is kept; None for nowhere."""
    if cache.cache_dir() is None:
        return None
    try:
        data = path.read_bytes()
    except OSError:
        return None  # whoever reads the board says what is wrong
    supposed = repr((str(path), str(path.resolve()), *without, *map(tuple, changes)))
    code = cache.source_fingerprint("lines", "parser", "positions")
    sources = [data, supposed.encode("utf-8", "surrogateescape"), *program_sources(), *code]
    board, cases = cache.entry_path("board", sources), cache.entry_path("follows", sources)
    return BoardCache(cache.digest(data), board, cases) if board and cases else None


def load_from_texts(name: str, texts: Mapping[str, str], without: Iterable[str] = ()) -> Position:
    """Make a text ready that is among some that are at hand, as `parser.reader.load_given` reads it.

    What was made of it is kept as that of a file is.
    """
    from rules_asp.parser.reader import load_from_texts as read_given

    switched_off = tuple(without)
    shelf = _shelf_of(
        repr((name, sorted(texts.items()), switched_off)).encode("utf-8", "surrogateescape")
    )
    if shelf is not None and (found := shelf.cached_static_answer_sets()) is not None:
        board, shapes, given, cases = found
        set_map_names(board.grid)
        return Position(
            board, load_program(), shapes, FactIndex(given), cases, switched_off=switched_off
        )
    made = prepare(read_given(name, texts), None, switched_off)
    if shelf is not None:
        kept = CachedBoard(made.board, made.shapes, made.board_facts.symbols, made.cases)
        shelf.store(kept, [("", shelf.content)])
    return made


def _shelf_of(data: bytes) -> BoardCache | None:
    """Where what is made of texts is kept; None for nowhere."""
    if cache.cache_dir() is None:
        return None
    code = cache.source_fingerprint("lines", "parser", "positions")
    sources = [b"given", data, *program_sources(), *code]
    board, cases = cache.entry_path("board", sources), cache.entry_path("follows", sources)
    return BoardCache(cache.digest(data), board, cases) if board and cases else None
