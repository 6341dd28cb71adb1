"""Boards from files, cached; bundled examples; rulings switched off."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from rules_asp.boards.changes import Change
from rules_asp.game.board import BOARD_CLASSES, Board, SourcePosition
from rules_asp.game.grid import Location
from rules_asp.game.map_layout import with_map_names, without_map_names
from rules_asp.geometry.shapes import Shapes
from rules_asp.geometry.survey import LosRelevance
from rules_asp.knowledge.catalogue import catalogue
from rules_asp.knowledge.loading import load_program, program_sources
from rules_asp.knowledge.program import Program
from rules_asp.knowledge.solver import AnswerSet
from rules_asp.knowledge.stored_answer_sets import (
    StoreFormatError,
    dump_answer_sets,
    load_answer_sets,
)
from rules_asp.positions.fact_index import FactIndex, StoredFacts
from rules_asp.positions.locations import QuestionError
from rules_asp.positions.position import Position, prepare
from rules_asp.runtime import cache

# --- Boards from files: the result of reading, cutting and solving is cached between runs.


_CLASSES = (*BOARD_CLASSES, Shapes, LosRelevance)
#: A file that was read: its path, and the digest of its content.
_File = tuple[str, str]


def load(
    path: Path,
    program: Program | None = None,
    without: Iterable[str] = (),
    changes: Sequence[Change] = (),
) -> Position:
    """Read a board file and prepare it; BoardError for bad text.

    With the included knowledge base, the result is cached for the next run.
    """
    switched_off = tuple(without)
    shelf = None if program is not None else board_cache(path, switched_off, changes)

    def make() -> tuple[Position, Sequence[_File]]:
        from rules_asp.parser.reader import load_files

        known = program or load_program()
        board, files = load_files(path, known.vocabulary)
        return prepare(board, known, switched_off, changes), files

    return _cached(shelf, make, switched_off)


def load_from_texts(name: str, texts: Mapping[str, str], without: Iterable[str] = ()) -> Position:
    """Prepare one of several texts in memory, as `parser.reader.load_from_texts` reads it.

    The result is cached like that of a file.
    """
    switched_off = tuple(without)
    key = repr((name, sorted(texts.items()), switched_off))
    shelf = _entry(key.encode("utf-8", "surrogateescape"), b"given")

    def make() -> tuple[Position, Sequence[_File]]:
        from rules_asp.parser.reader import load_from_texts as read_given

        program = load_program()
        made = prepare(read_given(name, texts, program.vocabulary), program, switched_off)
        return made, [("", shelf.content)] if shelf else []

    return _cached(shelf, make, switched_off)


def _cached(
    shelf: BoardCache | None,
    make: Callable[[], tuple[Position, Sequence[_File]]],
    switched_off: tuple[str, ...],
) -> Position:
    """Return the cached result for a board, or compute it from these files."""
    with cache.gc_paused():
        if shelf is not None and (found := shelf.cached_static_answer_sets()) is not None:
            known = found.board, load_program(), found.shapes, found.facts, found.cases
            position = Position(*known, switched_off=switched_off)
            elevations = dict(with_map_names(found.elevations, position.names))
            vars(position.index)["elevations"] = elevations
            vars(position.measurer)["concerns"] = found.concerns
            return position
        made, files = make()
        if shelf is None:
            return made
        levels = without_map_names(tuple(made.index.elevations.items()))
        solved = made.board, made.shapes, made.board_facts, made.cases
        kept = CachedBoard(*solved, made.measurer.concerns, levels)
        # The stored answer sets are read only as far as questions need them.
        return replace(made, cases=shelf.store(kept, files))


class CachedBoard(NamedTuple):
    """A resolved board, its depictions, its facts, its static answer sets, and the values that
    every line needs: `Measurer.concerns` and `PositionIndex.elevations`."""

    board: Board
    shapes: Shapes
    facts: FactIndex
    cases: tuple[AnswerSet, ...]
    concerns: LosRelevance
    elevations: tuple[tuple[Location, int], ...]


@dataclass(frozen=True)
class BoardCache:
    """The cache entry of a file: the board with its depictions and its static answer sets."""

    content: str
    board: Path
    cases: Path

    def cached_static_answer_sets(self) -> CachedBoard | None:
        """Return the cached result; None if there is none, or if a file has changed since."""
        packed, answers = cache.load_entry(self.board), None
        if packed is not None:
            answers = cache.load_entry(self.cases)
        if packed is None or answers is None:
            return None
        with suppress(
            cache.FormatError, StoreFormatError, RuntimeError, ValueError, TypeError, OSError
        ):
            files, board, shapes, facts, *read_off = cache.loads(packed, _CLASSES)
            cases = load_answer_sets(answers)
            kept = CachedBoard(board, shapes, StoredFacts(facts), cases, *read_off)
            same = isinstance(board, Board) and isinstance(shapes, Shapes)
            if same and all(cache.digest(Path(file).read_bytes()) == old for file, old in files):
                return kept
        return None

    def store(self, kept: CachedBoard, files: Sequence[_File]) -> tuple[AnswerSet, ...]:
        """Store the result for these files, the board's own file first; return the stored answer
        sets."""
        if files[0][1] != self.content:
            return kept.cases  # a file has changed meanwhile
        others = tuple(files[1:])
        facts, cases = tuple(map(str, kept.facts.symbols)), dump_answer_sets(kept.cases)
        cache.store_entry(self.cases, cases)
        written = others, kept.board, kept.shapes, facts, kept.concerns, kept.elevations
        cache.store_entry(self.board, cache.dumps(written, _CLASSES))
        return load_answer_sets(cases)


def board_cache(path: Path, without: Sequence[str], changes: Sequence[Change]) -> BoardCache | None:
    """Return the cache entry of a file under the included knowledge base; None without a cache."""
    try:
        data = path.read_bytes()
    except OSError:
        return None  # The reader of the board reports the error.
    supposed = repr((str(path), str(path.resolve()), *without, *map(tuple, changes)))
    return _entry(data, supposed.encode("utf-8", "surrogateescape"))


def _entry(data: bytes, key: bytes) -> BoardCache | None:
    """Return the cache entry of a text; None without a cache."""
    if cache.cache_dir() is None:
        return None
    code = cache.source_fingerprint("geometry", "parser", "boards", "positions")
    sources = [data, key, *program_sources(), *code]
    board, cases = cache.entry_path("board", sources), cache.entry_path("follows", sources)
    return BoardCache(cache.digest(data), board, cases) if board and cases else None


# --- File arguments of commands: boards by path or bundled name, and safe writing.


def example_boards() -> dict[str, Path]:
    """Return the bundled boards by name."""
    folder = Path(str(resources.files("rules_asp").joinpath("examples")))
    return {path.stem: path for path in sorted(folder.glob("*.board"))}


def find_board(name: str) -> Path:
    """Return the file of this name, or else the bundled board; BoardError if neither exists."""
    path = Path(name)
    if path.is_file():
        return path
    bundled = example_boards()
    if name in bundled:
        return bundled[name]
    from rules_asp.parser.errors import BoardError, Problem, nearest

    what = (
        "this is a folder, not a board file"
        if path.is_dir()
        else "there is no file or included board with this name"
    )
    raise BoardError(
        [Problem(SourcePosition(name, 0), "", what, tuple(bundled), nearest(name, bundled))]
    )


def write_text(path: Path, text: str, force: bool = False) -> None:
    """Write a text in UTF-8, as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"), force)


def write_bytes(path: Path, data: bytes, force: bool = False) -> None:
    """Write a whole file atomically: readers see the old content or the new one.

    FileExistsError if the file exists, unless `force`; OSError if it cannot be written.
    """
    if path.exists() and not force:
        raise FileExistsError(errno.EEXIST, "already exists; --force overwrites it", str(path))
    if path.exists() and not path.is_file():
        path.write_bytes(data)  # a device or a pipe, which must not become a file
        return
    path = path.resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist", str(path.parent))
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.chmod(name, path.stat().st_mode if path.exists() else 0o666 & ~_umask())
        os.replace(name, path)
    finally:
        Path(name).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# --- Rulings that can be switched off.


def check_rulings(program: Program | None, without: Iterable[str]) -> tuple[str, ...]:
    """Return the rulings to switch off; QuestionError for an unknown one."""
    wanted = tuple(without)
    if wanted:
        from rules_asp.parser.errors import nearest

        known = catalogue((program or load_program()).source).rulings
        for each in wanted:
            if each not in known:
                near = nearest(each, known)
                listed = "`rules-asp rules --rulings` lists them"
                hint = f"; did you mean {near}?" if near else f"; {listed}"
                raise QuestionError(f"there is no ruling {each}{hint}")
    return wanted
