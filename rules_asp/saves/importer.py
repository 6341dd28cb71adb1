"""Import of a saved game, a log or a Save Text as a board with a report of its counters.

A Save Text has the lines that VASL writes for a map, one for each stack, `LOCATION: name, name, ...`.
VASL leaves out pieces that the player may not see, and lists a stack from top to bottom. Boards,
nations and places beside a hex are missing: a board file provides the map.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rules_asp import parser
from rules_asp.boards.resolve import resolve
from rules_asp.game.board import Area, Board, Doubt, Statement
from rules_asp.game.grid import Grid, Hex, Hexside, MapBoard, hexside_between, parse_hex
from rules_asp.game.map_layout import MapNames, map_names, with_map_names
from rules_asp.game.values import Notation, quoted
from rules_asp.game.vocabulary import default_vocabulary
from rules_asp.knowledge.notes import NotesError, configured
from rules_asp.parser.errors import BoardError
from rules_asp.parser.reader import load_files, load_from_texts
from rules_asp.parser.writer import write_statements
from rules_asp.runtime import cache
from rules_asp.runtime.limits import size_limit, too_large_message
from rules_asp.saves.container import (
    SaveError,
    TurnInfo,
    board_command,
    extensions,
    read_commands,
    read_save_file,
    turn_info,
)
from rules_asp.saves.game_state import GameState, ImportedGame
from rules_asp.saves.layout import (
    MARGIN,
    OLD_MARGIN,
    LaidBoard,
    SavedMap,
    board_places,
    board_texts,
    lay_boards,
    map_text,
    scenario_terms,
)
from rules_asp.saves.pieces import Counter, recognize, visible_stacks
from rules_asp.vasl.importer import import_archive

#: The name for all places off the boards.
_OFF_BOARD = "offboard"
#: A label that a player has written onto a counter: it is not read.
_LABEL = re.compile(r" \([^()]*\)$")
_LONGEST = 100


@dataclass(frozen=True)
class TextLine:
    """A line of a Save Text: its position, its place as written, its counters, bottom first."""

    line: int
    place: str
    counters: tuple[Counter, ...]


def read_save_text(text: str) -> tuple[TextLine, ...]:
    """Return the lines of a Save Text; SaveError, with the line, for any other text."""
    if len(text) > size_limit("save-text"):
        raise SaveError(too_large_message("save-text"))
    found: list[TextLine] = []
    count = 0
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if not line.strip():
            continue
        place, colon, names = line.partition(": ")
        if not colon or not place.strip():
            raise SaveError(f"line {number} must be PLACE: NAME, NAME, such as 20E7: CX, 4-6-7 1sq")
        counters = [_counter(each) for each in reversed(names.split(", "))]
        shown = tuple(each for each in counters if each is not None)
        count += len(shown)
        if count > size_limit("pieces"):
            raise SaveError(too_large_message("pieces"))
        if shown:
            found.append(TextLine(number, place.strip(), shown))
    return tuple(found)


def _counter(text: str) -> Counter | None:
    """Return a counter by its name; None if it is hidden from the other player."""
    name = "".join(c for c in text if c.isprintable()).strip()
    if not name or name.endswith("(HIP)"):
        return None
    if name == "?" or name.endswith("(?)"):
        return Counter("?", veiled=True)
    bare = _LABEL.sub("", name)
    if recognize(bare) is not None or recognize(name) is None:
        name = bare
    return Counter(name[:_LONGEST])


def placed_lines(
    lines: tuple[TextLine, ...], names: MapNames
) -> Iterator[tuple[Hex | Hexside | None, tuple[Counter, ...]]]:
    """Yield the places of the lines on a map; SaveError for a place off the map."""
    for line in lines:
        try:
            yield _place(line.place, names), line.counters
        except ValueError as error:
            raise SaveError(f"line {line.line}: {error}") from None


def _place(text: str, names: MapNames) -> Hex | Hexside | None:
    if text == _OFF_BOARD:
        return None
    first, slash, second = text.partition("/")
    here, board = names.find(first)
    if here not in names.grid:
        raise ValueError(f"the hex {first} is not on this map")
    if not slash:
        return here
    other, _ = names.find(second, board)
    return hexside_between(here, other)


#: The suffixes of game files of VASL.
SAVE_SUFFIXES = (".vsav", ".vlog")
TEXT_SUFFIX = ".txt"
#: The environment variable for the folder of the player's board archives.
BOARDS_VARIABLE = "RULES_ASP_BOARDS"


def is_game_file(path: Path) -> bool:
    """Return whether a file name has the suffix of a VASL game."""
    return path.suffix.lower() in (*SAVE_SUFFIXES, TEXT_SUFFIX)


def boards_folder(named: str | None = None) -> Path | None:
    """Return the folder of board archives: given, from the environment, or from the config."""
    said = named or os.environ.get(BOARDS_VARIABLE)
    try:
        folder = Path(said) if said else configured("boards")
    except NotesError as error:
        raise SaveError(str(error)) from None
    if folder is not None and not folder.is_dir():
        raise SaveError(f"the folder of board archives {folder} does not exist")
    return folder


def import_save(
    path: Path,
    folder: Path | None = None,
    step: int | None = None,
    sides: Mapping[str, str] | None = None,
    there: Mapping[str, str] | None = None,
) -> ImportedGame:
    """Read a saved game or a log; SaveError, with one clear message, if it cannot be read.

    folder: the player's board archives.
    step: the number of log steps to replay; None for all.
    sides: the side of each nation.
    there: existing board files, by name.
    """
    try:
        return _import_save(path, folder, step, sides, there or {})
    except SaveError as error:
        text = str(error)
        raise SaveError(text if text.startswith(str(path)) else f"{path}: {text}") from None


def _import_save(
    path: Path,
    folder: Path | None,
    step: int | None,
    sides: Mapping[str, str] | None,
    there: Mapping[str, str],
) -> ImportedGame:
    saved = read_save_file(path)
    commands = read_commands(saved.commands)
    taken = len(commands.steps) if step is None else step
    if taken > len(commands.steps):
        raise SaveError(f"the log has no step {taken}: it has only {len(commands.steps)} steps")
    stacks = visible_stacks(commands, taken)
    info = turn_info((*commands.save, *(each for one in commands.steps[:taken] for each in one)))
    boards, told = lay_boards(board_places(board_command(commands.save)), folder)
    used = tuple(board_texts(boards, _imported, there))
    texts = {board.file: text for board, text, _ in used}
    lines, strange = scenario_terms(boards)
    told = (*told, *(f"{each}: no board line can state this scenario term" for each in strange))
    told += tuple(
        f"board {each.place.name}: the existing file {each.file} is used, with its corrections"
        for each, _, kept in used
        if kept
    )
    if not boards:
        state = GameState([(None, each.counters) for each in stacks], sides)
        text = _comment(path.name, info) + "# The save has no boards.\n"
        return _game(text, {}, state, told, (len(commands.steps), taken), info, saved.version, ())
    base = map_text(boards)
    board = _map(base, texts)
    names = map_names(board.grid)
    saved_map = SavedMap(boards, board.grid, _margin(saved.version))
    places = (
        (with_map_names(saved_map.place(each.x, each.y), names), each.counters) for each in stacks
    )
    state = GameState(places, sides)
    notation = Notation(default_vocabulary(), names)
    moving, turn = (info.player, info.turn) if info is not None else ("", None)
    statements = (
        *state.statements(moving, turn),
        *_whole_boards(boards, board.grid, strange),
    )
    text = (
        _comment(path.name, info)
        + base
        + "".join(f"{line}\n" for line in lines)
        + state.legend()
        + write_statements(statements, notation)
    )
    told += tuple(
        f"board {each.place.name}: overlay {overlay.name} at {'-'.join(overlay.hexes)}: unknown"
        for each in boards
        for overlay in each.place.overlays
    )
    steps = len(commands.steps), taken
    return _game(text, texts, state, told, steps, info, saved.version, extensions(commands.save))


def _game(
    text: str,
    texts: Mapping[str, str],
    state: GameState,
    told: tuple[str, ...],
    log: tuple[int, int],
    info: TurnInfo | None,
    version: str,
    loaded: tuple[str, ...],
) -> ImportedGame:
    if len(state.nations) > 2 and not state.side_words():
        told += (
            f"units of {', '.join(state.nations)}: whose side each is on is not known "
            "(--side NATION=SIDE)",
        )
    values = () if info is None else info.values
    return ImportedGame(text, texts, state.report(), told, log, values, version, loaded)


def import_save_text(
    path: Path, board_file: Path, used_as: str, sides: Mapping[str, str] | None = None
) -> ImportedGame:
    """Read a Save Text on the map of a board file; the result names that file `used_as`."""
    try:
        size = path.stat().st_size
        if size > 4 * size_limit("save-text"):
            raise SaveError(too_large_message("save-text"))
        lines = read_save_text(path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError:
        raise SaveError(f"{path}: the file is not UTF-8 text") from None
    except SaveError as error:
        raise SaveError(f"{path}: {error}") from None
    board, _ = load_files(board_file)
    names = map_names(board.grid)
    try:
        places = [
            (with_map_names(place, names), counters)
            for place, counters in placed_lines(lines, names)
        ]
    except SaveError as error:
        raise SaveError(f"{path}: {error}") from None
    state = GameState(places, sides)
    statements = state.statements()
    head = f"# From a Save Text of VASL.\nuse {quoted(used_as)}\n{state.legend()}"
    text = head + write_statements(statements, Notation(default_vocabulary(), names))
    told: tuple[str, ...] = ()
    if not state.nations:
        told = ("a Save Text names no nations: the sides of the units are to be stated",)
    return ImportedGame(text, {}, state.report(), told)


def self_contained(game: ImportedGame) -> str:
    """Return the game as one text that uses no other file."""
    if not game.boards:
        return game.text
    texts = {**game.boards, "game.board": game.text}
    return parser.write(resolve(load_from_texts("game.board", texts)))


def _comment(name: str, info: TurnInfo | None) -> str:
    shown = "".join(c for c in name if c.isprintable())[:80]
    lines = [f"# From {shown}, a game of VASL. Hidden pieces are not looked at."]
    if info is not None and info.values:
        lines.append("# " + ", ".join(f"{name} {value}" for name, value in info.values))
    return "".join(f"{line}\n" for line in lines)


def _margin(version: str) -> int:
    """Return the margin of VASL's map: it grew with version 6.2."""
    found = re.match(r"(\d{1,3})\.(\d{1,3})", version)
    old = found is not None and (int(found[1]), int(found[2])) < (6, 2)
    return OLD_MARGIN if old else MARGIN


def _map(text: str, texts: Mapping[str, str]) -> Board:
    """Return the map of the boards; SaveError if this placement is impossible."""
    if size_limit("boards") < sum(map(len, texts.values())):
        raise SaveError(too_large_message("boards"))
    try:
        return load_from_texts("game.board", {**texts, "game.board": text})
    except BoardError as error:
        raise SaveError(f"the boards of the game do not form one map: {error}") from None


def _imported(archive: Path) -> str:
    """Return the text of an archive's board, from the cache if it was imported before."""
    data = archive.read_bytes()
    sources = [data, *cache.source_fingerprint("vasl", "geometry", "boards", "parser")]
    kept = cache.entry_path("imported", sources)
    if kept is not None and (found := cache.load_entry(kept)) is not None:
        return found.decode("utf-8")
    text = parser.write(import_archive(archive))
    if kept is not None:
        cache.store_entry(kept, text.encode("utf-8"))
    return text


# --- Whole boards: overlays of unknown extent, scenario terms without a statement.


def _whole_boards(
    boards: tuple[LaidBoard, ...], grid: Grid, strange: Iterable[str]
) -> Iterator[Statement]:
    parts: dict[str, MapBoard] = {part.label: part for part in grid.parts}
    for board in boards:
        part = parts.get(board.label)
        here = [
            part.placed(own) if part is not None else own
            for own in (board.grid if part is None else part.own_field).hexes()
        ]
        causes = [
            term
            for each in strange
            if (term := each.removeprefix(f"board {board.place.name}: ")) != each
        ]
        covered: dict[Hex, None] = {}
        for overlay in board.place.overlays:
            causes.append(f"overlay {overlay.name}")
            for anchor in overlay.hexes:
                covered.update(dict.fromkeys(_around(anchor, part, here)))
        if covered:
            yield Area("overlay", tuple(covered))
        if causes:
            listed = ", ".join(dict.fromkeys(causes))
            text = f"the scenario changes this board, and no board line can state this change: {listed}"
            for hex_ in here:
                yield Doubt(hex_, text)


def _around(anchor: str, part: MapBoard | None, here: list[Hex]) -> Iterator[Hex]:
    """Yield the hexes of the board around an anchor of an overlay."""
    try:
        _, own = parse_hex(anchor.upper())
    except ValueError:
        return
    centre = part.placed(own) if part is not None else own
    on_board = set(here)
    for hex_ in (centre, *centre.neighbours()):
        if hex_ in on_board:
            yield hex_
