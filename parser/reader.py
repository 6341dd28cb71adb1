"""Readers of boards: a text alone, or a file with all files that it uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from os.path import normpath
from pathlib import Path

from lark import Lark
from lark.exceptions import UnexpectedInput

from rules_asp.game.board import (
    PRINTED_MARKS,
    Board,
    Expect,
    Overlay,
    PlacedBoard,
    SourcePosition,
    Statement,
    Use,
)
from rules_asp.game.grid import Grid
from rules_asp.game.map_layout import PlacementError, map_names, without_map_names
from rules_asp.game.values import word_text
from rules_asp.game.vocabulary import Vocabulary, default_vocabulary
from rules_asp.parser.errors import BoardError, Problem, ValueMistake, nearest
from rules_asp.parser.input_syntax import example_line
from rules_asp.parser.lark_grammar import explain_parse_error, first_words, grammar_of
from rules_asp.parser.source_text import (
    NOTHING,
    ParsedText,
    StatementText,
    lines_of,
    split_statements,
)
from rules_asp.parser.statement_builder import StatementBuilder, unfit
from rules_asp.runtime.cache import digest
from rules_asp.runtime.limits import size_limit, too_large_message

_FIRST_WORD = re.compile(r'\s*([^\s:"]+)\s*(:?)')


def parse(text: str, file: str = "<text>", words: Vocabulary | None = None) -> Board:
    """Read a board text. A `use` stays a statement; `load` follows it.

    BoardError lists every problem of the text.
    """
    if len(text) > size_limit("board"):
        raise BoardError([Problem(SourcePosition(file, 0), "", too_large_message("board"))])
    said = read(text, file, words or default_vocabulary())
    for statement, place in zip(said.statements, said.places, strict=True):
        if isinstance(statement, Use) and statement.lay is not None:
            said.note(
                place,
                ValueMistake(
                    "a map of several boards must be loaded from its file: use rules_asp.load"
                ),
            )
    if said.name is not None and not any(isinstance(each, Use) for each in said.statements):
        said.check_prefixes({said.name})
    _complain(said.problems)
    return said.board()


def load(path: str | Path, words: Vocabulary | None = None) -> Board:
    """Read a board file, with the statements of used boards in place of each `use`.

    Expectations of a used board are left out, since they need not hold after corrections. Without a
    `board` line of its own, a text has the name and grid of the board it uses. BoardError lists
    every problem of all files.
    """
    return _load(Path(path), None, words)[0]


def load_files(
    path: Path, words: Vocabulary | None = None
) -> tuple[Board, tuple[tuple[str, str], ...]]:
    """Do the same, and return all files read, the first one first, each with path and digest."""
    return _load(path, None, words)


def load_text(text: str, name: str = "<text>", words: Vocabulary | None = None) -> Board:
    """Read a text that is not a file; files that it uses are relative to the current folder."""
    return _load(Path(name), text, words)[0]


def load_from_texts(name: str, texts: Mapping[str, str], words: Vocabulary | None = None) -> Board:
    """Read one of several texts in memory; a `use` can only name another of these texts.

    No folder is read. Names are relative to the first text.
    """
    given = {Path(each).resolve(): text for each, text in texts.items()}
    return _load(Path(name), texts[name], words, given)[0]


def files_used(path: Path) -> dict[str, str]:
    """Return the texts of a file and of all files that it uses, by their names in that file.

    Mistakes in the texts are ignored here. BoardError if the file itself cannot be read.
    """
    loading = _Loading(default_vocabulary(), heard={})
    try:
        loading.load(path, path.name, ())
    except ValueMistake as mistake:
        raise BoardError([Problem(SourcePosition(str(path), 0), "", mistake.message)]) from None
    return dict(loading.heard or {})


def _load(
    path: Path,
    text: str | None,
    words: Vocabulary | None,
    given: Mapping[Path, str] | None = None,
) -> tuple[Board, tuple[tuple[str, str], ...]]:
    loading = _Loading(words or default_vocabulary(), given)
    try:
        if text is not None and len(text) > size_limit("board"):
            raise ValueMistake(too_large_message("board"))
        loaded = loading.load(path, str(path), (), text)
    except ValueMistake as mistake:
        raise BoardError([Problem(SourcePosition(str(path), 0), "", mistake.message)]) from None
    _complain(loading.problems())
    return loaded, tuple(loading.files)


def read(
    text: str,
    file: str,
    words: Vocabulary,
    follow: Callable[[ParsedText], None] | None = None,
    on: Grid = NOTHING,
) -> ParsedText:
    """Read a text statement by statement; the result contains its problems.

    `follow` is called when the last statement is a `use`. `on` is the map for a text without a map
    of its own.
    """
    said = ParsedText(file, lines_of(text), on=on, names=map_names(on))
    for piece in split_statements(said.lines):
        _read_piece(said, piece, words)
        if follow is not None and said.statements and _names_a_file(said.statements[-1]):
            follow(said)
    return said


def _names_a_file(statement: Statement) -> bool:
    """Test whether a statement names a file that must still be read."""
    return isinstance(statement, Use) or (
        isinstance(statement, Overlay) and statement.board is None
    )


def _complain(problems: Iterable[Problem]) -> None:
    found = sorted(problems, key=lambda problem: problem.place)
    if found:
        raise BoardError(found)


@cache
def grammar() -> Lark:
    """Return the grammar of one statement."""
    return grammar_of("board", ["statement"])


def _read_piece(said: ParsedText, piece: StatementText, words: Vocabulary) -> None:
    """Read one statement into its text."""
    try:
        tree = grammar().parse(piece.text)
    except UnexpectedInput as error:
        mistake, line, column = _unknown_statement(piece.text, words) or explain_parse_error(
            grammar(), error, piece.text
        )
        if (example := example_line(piece.text)) is not None:
            message = f"{mistake.message}; example: {example}"
            mistake = ValueMistake(message, mistake.expected, mistake.nearest)
        said.note(SourcePosition(said.file, piece.line + line - 1, column), mistake)
        return
    maker = StatementBuilder(said, words, piece.line, first_words(grammar()))
    made = maker.statements(tree)
    indent = len(piece.text) - len(piece.text.lstrip())
    # A board stores plain hexes, independent of their names on a map.
    said.statements += without_map_names(made) if said.names.grid.parts else made
    said.places += [SourcePosition(said.file, piece.line, indent + 1)] * len(made)


def _unknown_statement(text: str, words: Vocabulary) -> tuple[ValueMistake, int, int] | None:
    """Return the mistake of a text whose first word does not begin a statement."""
    found = _FIRST_WORD.match(text)
    of_kind = words.words
    terrains = (*of_kind.get("terrain", ()), *of_kind["hexside_terrain"], *PRINTED_MARKS)
    known = {*first_words(grammar()), *(word_text(word, "terrain") for word in terrains)}
    if found is None or found[1] in known or (found[2] and found[1].islower()):
        return None
    near = nearest(found[1].lower(), sorted(known)) if example_line(text) is None else None
    start = found.start(1)
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    return ValueMistake(f"no statement begins with {found[1]}", nearest=near), line, column


@dataclass
class _Loading:
    """The loading of a file and all files it uses, or of given texts only.

    `heard` receives the text of each file with its name in the `use`.
    """

    words: Vocabulary
    given: Mapping[Path, str] | None = None
    heard: dict[str, str] | None = None
    texts: list[ParsedText] = field(default_factory=list)
    boards: dict[Path, Board] = field(default_factory=dict)
    #: The file whose `board` line gives the size of a file's board.
    origins: dict[Path, Path | None] = field(default_factory=dict)
    files: list[tuple[str, str]] = field(default_factory=list)
    size: int = 0

    def problems(self) -> list[Problem]:
        """The problems of all files; a hex id may have the name of any of their boards."""
        names = {text.name for text in self.texts if text.name is not None}
        for text in self.texts:
            text.check_prefixes(names)
        return [problem for text in self.texts for problem in text.problems]

    def load(
        self,
        path: Path,
        name: str,
        above: tuple[Path, ...],
        text: str | None = None,
        on: Grid = NOTHING,
    ) -> Board:
        """Return the board of a file, or of a text in its place; above: the files that use it.

        `on` is the map whose hexes the text may name if it has no board of its own. Mistake if it
        cannot be read.
        """
        if text is None:
            text, content = _text_of(path) if self.given is None else _text_among(path, self.given)
            self.files.append((str(path.absolute()), content))
            if self.heard is not None:
                self.heard[normpath(name)] = text
            self.size += len(text)
            if self.size > size_limit("boards"):
                raise ValueMistake(
                    f"{path}: the board and the files that it uses are too large:"
                    f" {too_large_message('boards')}"
                )
        chain = (*above, path.resolve())
        lines: dict[str, tuple[str, ...]] = {}

        def follow(said: ParsedText) -> None:
            use, place = said.statements.pop(), said.places.pop()
            assert isinstance(use, Use | Overlay)
            try:
                lines.update(self.take(said, use, place, name, chain))
            except ValueMistake as mistake:
                said.note(place, mistake)
            except PlacementError as wrong:
                said.note(_place_of(wrong.word, said, place), unfit(wrong))

        said = read(text, name, self.words, follow, on)
        self.texts.append(said)
        board = said.board()
        board = replace(board, lines={**lines, **board.lines})
        own = path.resolve() if said.grid is not None or said.map.parts else None
        self.origins.setdefault(path.resolve(), own)
        self.boards[path.resolve()] = replace(board, statements=(), places=())
        return board

    def take(
        self,
        said: ParsedText,
        use: Use | Overlay,
        place: SourcePosition,
        user: str,
        chain: tuple[Path, ...],
    ) -> dict[str, tuple[str, ...]]:
        """Include a used board; `lines` are those of its files.

        ValueMistake or PlacementError if it cannot be included.
        """
        if isinstance(use, Overlay):
            laid_on = _unexpecting(self.alone(Use(use.path), user, chain))
            said.statements.append(replace(use, board=replace(laid_on, lines={})))
            said.places.append(place)
            return dict(laid_on.lines)
        if use.lay is not None:
            used = _unexpecting(self.alone(use, user, chain))
            said.place_board(used, use.lay)
            inner = replace(used, lines={})
            said.statements.append(PlacedBoard(said.map.parts[-1].label, inner))
            said.places.append(place)
            return dict(used.lines)
        used = _unexpecting(self.use(use, user, chain, said.map))
        if said.map.parts and not used.grid.parts and used.grid != NOTHING:
            raise PlacementError(
                f"this line adds a second board: give its position, as in {_beside(said)}"
            )
        origin = self.origins.get((chain[-1].parent / use.path).resolve())
        here = self.origins.setdefault(chain[-1], origin)
        if None not in (origin, here) and origin != here:
            raise PlacementError(
                f"this line adds a second board: give its position, as in {_beside(said)}"
            )
        said.adopt_header(used)
        said.statements += used.statements
        said.places += used.places
        return dict(used.lines)

    def alone(self, use: Use, user: str, chain: tuple[Path, ...]) -> Board:
        """Return the board of a `use` as a whole, without regard to earlier uses."""
        before, self.boards = self.boards, {}
        try:
            return self.use(use, user, chain)
        finally:
            self.boards = before

    def use(self, use: Use, user: str, chain: tuple[Path, ...], on: Grid = NOTHING) -> Board:
        """Return the board of a `use`; ValueMistake if it may not or cannot be used.

        A file that two others use is included once. `on` is the map of boards that it adds to.
        """
        if Path(use.path).is_absolute():
            raise ValueMistake("the path of a used file must be relative to the file that uses it")
        path = chain[-1].parent / use.path
        try:
            path.resolve()
        except (OSError, RuntimeError):
            raise ValueMistake(f"{path} cannot be read: its symbolic links form a loop") from None
        if path.resolve() in chain:
            raise ValueMistake(
                f"the file {use.path} uses itself, directly or through other files: remove this line"
            )
        if len(chain) > size_limit("uses"):
            raise ValueMistake(too_large_message("uses"))
        if path.resolve() in self.boards:
            return self.boards[path.resolve()]
        return self.load(path, str(Path(user).parent / use.path), chain, on=on)


def _beside(said: ParsedText) -> str:
    """Return where a further board could be placed."""
    parts = said.map.parts
    return f"right of {parts[-1].label if parts else said.board().name}"


def _unexpecting(board: Board) -> Board:
    """Return a board without its expectations."""
    pairs = zip(board.statements, board.places, strict=True)
    kept = [pair for pair in pairs if not isinstance(pair[0], Expect)]
    return replace(
        board,
        statements=tuple(statement for statement, _ in kept),
        places=tuple(place for _, place in kept),
    )


def _place_of(word: str, said: ParsedText, place: SourcePosition) -> SourcePosition:
    """Return the place of a word in a statement, or that of the statement."""
    line = said.lines[place.line - 1]
    found = re.search(rf"(?<![\w]){re.escape(word)}(?![\w])", line) if word else None
    return place if found is None else place._replace(column=found.start() + 1)


def _text_among(path: Path, given: Mapping[Path, str]) -> tuple[str, str]:
    """Return the text of this name and its digest; Mistake if it is not one of the given texts."""
    text = given.get(path.resolve())
    if text is None:
        raise ValueMistake(f"the board uses the file {path.name}, which was not provided: add it")
    return text, digest(text.encode("utf-8", "surrogatepass"))


#: The first bytes of a ZIP file, such as an archive or saved game of VASL.
_ZIP = b"PK\x03\x04"


def _text_of(path: Path) -> tuple[str, str]:
    """Return the text of a file and its digest; Mistake if it cannot be read."""
    try:
        if not path.is_file():
            hint = f"; a board is a file such as {path.name}.board: `import` makes one from a VASL board"
            hint = "" if path.suffix or path.exists() else hint
            raise ValueMistake(f"there is no file {path}{hint}")
        with path.open("rb") as file:
            data = file.read(size_limit("board") + 1)
        if len(data) > size_limit("board"):
            raise ValueMistake(f"{path}: {too_large_message('board')}")
        return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n"), digest(data)
    except OSError as error:
        raise ValueMistake(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        if data.startswith(_ZIP):
            convert = f"rules-asp import {path} -o {path.stem}.board"
            raise ValueMistake(
                f"{path.name} is a VASL archive. Convert it first: {convert}"
            ) from None
        raise ValueMistake(f"{path.name} is not a text file (UTF-8)") from None
