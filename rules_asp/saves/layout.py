"""Layout of the boards of a saved game: its description, and the same map in the board language.

VASL places boards in rows and columns and measures in pixels. Each board becomes a `use` line; its
archive, from the player's folder, is imported into a board file. Without an archive, only the size
of a board is known: all of it is unknown terrain.

VASL's map has a margin. Within it, each board has the size of its picture, cropped and zoomed. A
pixel is converted to the board's own lattice, and from there to the map like any other point of the
board. Counters snap to the center of a hex or to the middle of a hexside; the nearest of these
counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rules_asp.game.grid import (
    COLUMN_STEP,
    ROW_STEP,
    Grid,
    Hex,
    Hexside,
    MapBoard,
    Point,
    column_name,
    hexside_between,
)
from rules_asp.game.values import quoted
from rules_asp.parser.input_syntax import VASL_TERMS
from rules_asp.runtime.limits import size_limit, too_large_message
from rules_asp.saves.container import SaveError, number
from rules_asp.vasl.archive import ArchiveError, picture_of

#: Pixels between columns and rows of a geomorphic board.
COLUMN_PIXELS, ROW_PIXELS = 56.25, 64.5
#: The maximum distance between the edge of a crop and the middle of a column, in pixels.
_SLACK = 5
_NAME = re.compile(r"[0-9A-Za-z_-]{1,20}")
_LABEL = re.compile(r"[A-Z]*[0-9]+[a-z]?|[a-z]+|[A-Z]+")
#: The sizes of boards without an archive, by name.
_STANDARD = (
    (re.compile(r"\d{1,2}"), Grid(33, 10)),
    (re.compile(r"\d{1,2}a"), Grid(17, 20)),
    (re.compile(r"\d{1,2}b"), Grid(17, 20, Hex(16, 1))),
)


@dataclass(frozen=True)
class OverlayName:
    """An overlay of a save, and its two anchor hexes, as written."""

    name: str
    hexes: tuple[str, ...]


@dataclass(frozen=True)
class BoardPlace:
    """A board in a save: its place on the map of VASL, perhaps turned or cropped.

    crop: x, y, width, height in pixels of the unturned, unscaled board; None if nothing is cut off.
    """

    column: int
    row: int
    name: str
    turned: bool
    crop: tuple[int, int, int, int] | None = None
    version: str = ""
    overlays: tuple[OverlayName, ...] = ()
    rules: tuple[str, ...] = ()
    zoom: float = 1.0
    whole_hexes: bool = False


def board_places(text: str) -> tuple[BoardPlace, ...]:
    """Return the boards of a save by row and column; SaveError for an invalid description."""
    found = [
        _place([word for word in each.split("\t") if word])
        for each in text[3:].split("bd\t")
        if each
    ]
    places = [each for each in found if each is not None]
    if len(places) > size_limit("map-boards"):
        raise SaveError(too_large_message("map-boards"))
    if len({(each.row, each.column) for each in places}) < len(places):
        raise SaveError("two boards are at the same place")
    return tuple(sorted(places, key=lambda each: (each.row, each.column)))


def _place(words: list[str]) -> BoardPlace | None:
    if not words:
        return None
    column, row = (number(each) for each in [*words, "", ""][:2])
    if column is None or row is None or len(words) < 3:
        raise SaveError("the description of a board in the game is damaged")
    name = words[2]
    turned = name.startswith("r") and name.lower() not in ("r", "rdx")
    name = name[1:] if turned else name
    if not _NAME.fullmatch(name):
        raise SaveError("the name of a board in the game is damaged")
    rest, crop = words[3:], None
    numbers = [number(each) for each in rest[:4]]
    if len(numbers) == 4 and None not in numbers:
        x, y, width, height = (each or 0 for each in numbers)
        crop, rest = (x, y, width, height), rest[4:]
    version, rules, overlays, zoom, whole = "", [], [], 1.0, False
    while rest:
        word = rest.pop(0)
        if word == "VER" and rest:
            version = _clean(rest.pop(0))
        elif word == "OVR" and len(rest) >= 3:
            overlays.append(OverlayName(_clean(rest[0]), (_clean(rest[1]), _clean(rest[2]))))
            del rest[:3]
            if rest and rest[0] in ("true", "false"):
                del rest[0]
        elif word == "SSR":
            while rest and rest[0] not in ("ZOOM", "OVR", "VER"):
                rules.append(_clean(rest.pop(0)))
        elif word == "ZOOM" and rest:
            zoom = _zoom(rest.pop(0))
        elif word == "FH":
            whole = True
    return BoardPlace(
        *(column, row, name, turned, crop, version, tuple(overlays), tuple(rules), zoom, whole)
    )


def _zoom(text: str) -> float:
    try:
        zoom = float(text)
    except ValueError:
        zoom = 0.0
    if not 0.1 <= zoom <= 10:
        raise SaveError("the magnification of a board in the game must be a number from 0.1 to 10")
    return zoom


def _clean(text: str) -> str:
    """Return an untrusted word in printable form."""
    return re.sub(r"[^\w ./()+-]", "", text).strip()[:40]


@dataclass(frozen=True)
class LaidBoard:
    """A placed board of the map: its entry in the save, its label, its size and its archive.

    width, height: its picture in pixels, before cropping.
    kept: the crop as hexes: the first and last column, the first and last row.
    """

    place: BoardPlace
    label: str
    grid: Grid
    width: float
    height: float
    archive: Path | None
    kept: tuple[int, int, int, int] | None
    beside: tuple[str, str] | None

    @property
    def file(self) -> str:
        """The board file that the map uses."""
        return f"bd{self.place.name}.board"

    @property
    def steps(self) -> tuple[float, float]:
        """The pixels between its columns, and between its rows."""
        return self.width / (self.grid.cols - 1), self.height / self.grid.rows

    @property
    def shown(self) -> tuple[float, float]:
        """Its size on the map in pixels, cropped and zoomed."""
        _, _, width, height = self.place.crop or (0, 0, 0, 0)
        zoom = self.place.zoom
        return (width if width > 0 else self.width) * zoom, (
            height if height > 0 else self.height
        ) * zoom

    def use_line(self, alone: bool) -> str:
        """Return the line that places it on the map."""
        words = " turned" if self.place.turned else ""
        if self.kept is not None:
            left, right, top, bottom = self.kept
            words += f" only hexes {column_name(left)}{top}-{column_name(right)}{bottom}"
        if self.beside is not None:
            way, other = self.beside
            words += f" {way} {'of ' if way == 'right' else ''}{other}"
        plain = self.label == self.place.name or (alone and not words)
        label = "" if plain else f" as {self.label}"
        return f"use {quoted(self.file)}{label}{words}"


def lay_boards(
    places: Sequence[BoardPlace], folder: Path | None
) -> tuple[tuple[LaidBoard, ...], tuple[str, ...]]:
    """Return the boards with their archives from a folder, and remarks about them.

    SaveError if a board has no archive and its size is not known.
    """
    laid: list[LaidBoard] = []
    told: list[str] = []
    labels: set[str] = set()
    at: dict[tuple[int, int], str] = {}
    for place in places:
        archive = None if folder is None else _archive_in(folder, place.name)
        grid, width, height = _size(place, archive, folder)
        if archive is None:
            where = "in the folder of VASL boards" if folder else "(name its folder with --boards)"
            told.append(
                f"board {place.name}: no archive bd{place.name} {where}: its terrain is unknown"
            )
        label = _label(place.name, labels)
        labels.add(label)
        beside = None
        if left := at.get((place.row, place.column - 1)):
            beside = ("right", left)
        elif above := at.get((place.row - 1, place.column)):
            beside = ("below", above)
        elif laid:
            raise SaveError(f"board {place.name} does not touch another board of the game")
        at[place.row, place.column] = label
        kept, doubt = _kept(place, grid, width, height)
        if doubt:
            told.append(f"board {place.name}: {doubt}")
        laid.append(LaidBoard(place, label, grid, width, height, archive, kept, beside))
    return tuple(laid), tuple(told)


def _archive_in(folder: Path, name: str) -> Path | None:
    """Return the archive of a board in a folder or its subfolders."""
    for pattern in (f"bd{name}", f"*/bd{name}"):
        for path in sorted(folder.glob(pattern)):
            if path.is_file():
                return path
    return None


def _size(
    place: BoardPlace, archive: Path | None, folder: Path | None
) -> tuple[Grid, float, float]:
    if archive is not None:
        try:
            return picture_of(archive)
        except ArchiveError as error:
            raise SaveError(f"board {place.name}: {error}") from None
    for name, grid in _STANDARD:
        if name.fullmatch(place.name):
            return grid, COLUMN_PIXELS * (grid.cols - 1), ROW_PIXELS * grid.rows
    where = "name their folder with --boards DIR" if folder is None else f"not in {folder}"
    raise SaveError(
        f"the size of board {place.name} is unknown, because its archive bd{place.name} is missing ({where})"
    )


def _label(name: str, taken: set[str]) -> str:
    """Return a short name for a board, used in the names of its hexes."""
    if _LABEL.fullmatch(name) and name not in taken:
        return name
    count = 1
    while (label := f"B{count}") in taken:
        count += 1
    return label


def _kept(
    place: BoardPlace, grid: Grid, width: float, height: float
) -> tuple[tuple[int, int, int, int] | None, str]:
    """Return the hexes that a crop keeps, and a doubt about it."""
    if place.crop is None:
        return None, ""
    x, y, wide, high = place.crop
    across, down = width / (grid.cols - 1), height / grid.rows
    first, top = grid.first
    left, right = first, first + grid.cols - 1
    upper, lower = top, top + grid.rows - 1
    doubt = ""
    if wide > 0:
        start, end = x / across, (x + wide) / across
        slack = _SLACK / across
        left, right = first + _ceil(start, slack), first + _floor(end, slack)
        if max(abs(start - round(start)), abs(end - round(end))) > slack or place.whole_hexes:
            doubt = (
                "it is cut beside a hexrow: the halves of hexes beyond the row are not on the map"
            )
    if high > 0:
        start, end = y / down, (y + high) / down
        slack = _SLACK / down
        upper, lower = top + _floor(start, slack), top + _ceil(end, slack) - 1
        if max(abs(start - round(start)), abs(end - round(end))) > slack:
            doubt = "it is cut through the hexes of a row: taken as whole hexes"
    left, right = max(left, first), min(right, first + grid.cols - 1)
    upper, lower = max(upper, top), min(lower, top + grid.rows - 1)
    if left > right or upper > lower:
        raise SaveError(f"board {place.name}: its crop leaves no hexes")
    return (left, right, upper, lower), doubt


def _ceil(value: float, slack: float) -> int:
    return -int((slack - value) // 1)


def _floor(value: float, slack: float) -> int:
    return int((value + slack) // 1)


def map_text(boards: Sequence[LaidBoard]) -> str:
    """Return the lines that place the boards, in the board language."""
    return "".join(each.use_line(len(boards) == 1) + "\n" for each in boards)


def unknown_board(board: LaidBoard) -> str:
    """Return the text of a board without an archive: all its hexes and hexsides are unknown."""
    hexes = board.grid.hexes()
    sides = {
        hexside_between(hex_, other)
        for hex_ in hexes
        for other in hex_.neighbours()
        if other in board.grid
    }
    word = _word(board.place.name)
    return (
        "# There was no archive of this board. An import with its archive replaces this file.\n"
        f"board {quoted(board.place.name)} grid {board.grid}\n"
        f"unknown terrain {word}: {' '.join(map(str, hexes))}\n"
        f"unknown hexside terrain {word}: {' '.join(map(str, sorted(sides)))}\n"
    )


def _word(name: str) -> str:
    return "missing-board-" + (re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "x")


def board_texts(
    boards: Sequence[LaidBoard], imported: Callable[[Path], str], there: Mapping[str, str]
) -> Iterator[tuple[LaidBoard, str, bool]]:
    """Yield the boards with the texts of their files, and whether these are the existing ones
    (`there`).

    A file that an earlier import wrote without the archive is replaced once the archive is found.
    """
    for board in boards:
        kept = there.get(board.file)
        placeholder = unknown_board(board)
        if kept is not None and kept != placeholder:
            yield board, kept, True
        else:
            yield board, imported(board.archive) if board.archive else placeholder, False


def scenario_terms(boards: Sequence[LaidBoard]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return `ssr` lines for the terrain changes of VASL, and the terms without a line."""
    lines: list[str] = []
    strange: list[str] = []
    for board in boards:
        on = f" on {board.label}" if len(boards) > 1 else ""
        for term in board.place.rules:
            if term in VASL_TERMS:
                lines.append(f"ssr {term}{on}")
            else:
                strange.append(f"board {board.place.name}: {term}")
    return tuple(dict.fromkeys(lines)), tuple(dict.fromkeys(strange))


#: The margin of VASL's map in pixels, since 6.2 and before.
MARGIN, OLD_MARGIN = 400, 200
#: The maximum distance, in hexes, between our position of a board and that in the save.
_MOST_OFF = 0.25


@dataclass(frozen=True)
class _Field:
    """The area of a board in pixels of VASL's map, and as a part of our map."""

    board: LaidBoard
    part: MapBoard
    left: float
    top: float

    def lattice(self, x: float, y: float) -> Point | None:
        """Return a pixel as a point of our map; None off the board."""
        width, height = self.board.shown
        x, y = x - self.left, y - self.top
        if not (-1 <= x <= width + 1 and -1 <= y <= height + 1):
            return None
        if self.board.place.turned:
            x, y = width - x, height - y
        zoom = self.board.place.zoom
        crop_x, crop_y, wide, high = self.board.place.crop or (0, 0, 0, 0)
        x = x / zoom + (crop_x if wide > 0 else 0)
        y = y / zoom + (crop_y if high > 0 else 0)
        across, down = self.board.steps
        corner = Point(COLUMN_STEP * self.part.first.col, ROW_STEP * (self.part.first.row - 1))
        own = Point(
            round(corner.x + x * COLUMN_STEP / across), round(corner.y + y * ROW_STEP / down)
        )
        return self.part.placed_point(own)


class SavedMap:
    """The map of a saved game: it converts pixels to places of our map."""

    def __init__(self, boards: Sequence[LaidBoard], grid: Grid, margin: int = MARGIN) -> None:
        self.grid = grid
        self._hexes = frozenset(grid.hexes())
        parts: Mapping[str, MapBoard] = {part.label: part for part in grid.parts}
        self.fields = tuple(
            _Field(each, parts.get(each.label) or _alone(each, grid), *corner)
            for each, corner in zip(boards, _corners(boards, margin), strict=True)
        )
        self._check()

    def place(self, x: float, y: float) -> Hex | Hexside | None:
        """Return the hex or hexside with a counter in its middle; None off the map."""
        # If boards meet, VASL names a place by the board above, or to the left.
        for field in self.fields:
            point = field.lattice(x, y)
            if point is not None:
                return self._nearest(point)
        return None

    def _nearest(self, point: Point) -> Hex | Hexside | None:
        column = round(point.x / COLUMN_STEP)
        near = [
            Hex(col, row)
            for col in range(column - 1, column + 2)
            for row in range(point.y // ROW_STEP - 1, point.y // ROW_STEP + 3)
        ]
        here = min(
            (each for each in near if each in self._hexes),
            key=lambda each: _square(each.centre, point),
            default=None,
        )
        if here is None or _square(here.centre, point) > ROW_STEP * ROW_STEP:
            return None
        best: Hex | Hexside = here
        least = _square(here.centre, point)
        for other in here.neighbours():
            side = hexside_between(here, other)
            one, two = side.ends
            away = _square(Point((one.x + two.x) // 2, (one.y + two.y) // 2), point)
            if other in self._hexes and away < least:
                best, least = side, away
        return best

    def _check(self) -> None:
        """Raise SaveError if the boards of our map have other positions than VASL's."""
        if len(self.fields) < 2:
            return
        first = self.fields[0]
        origin = first.part.field.corners[0]
        for each in self.fields[1:]:
            corner = each.part.field.corners[0]
            across, down = first.board.steps
            zoom = first.board.place.zoom
            off_x = (each.left - first.left) / across / zoom - (corner.x - origin.x) / COLUMN_STEP
            off_y = (each.top - first.top) / down / zoom - (corner.y - origin.y) / ROW_STEP
            if max(abs(off_x), abs(off_y)) > _MOST_OFF:
                raise SaveError(
                    f"the rows of board {each.board.place.name} do not align with those of the board"
                    " next to it"
                )


def _alone(board: LaidBoard, grid: Grid) -> MapBoard:
    """Return the only board of a map without parts; a cropped or turned board is a part."""
    return MapBoard(board.label, board.place.name, grid.cols, grid.rows, grid.first)


def _corners(boards: Sequence[LaidBoard], margin: int) -> list[tuple[float, float]]:
    """Return the upper left corner of each board: after those left of it and those above it."""
    found = []
    for board in boards:
        left = sum(
            each.shown[0]
            for each in boards
            if each.place.row == board.place.row and each.place.column < board.place.column
        )
        top = sum(
            each.shown[1]
            for each in boards
            if each.place.column == board.place.column and each.place.row < board.place.row
        )
        found.append((margin + left, margin + top))
    return found


def _square(one: Point, other: Point) -> int:
    return (one.x - other.x) ** 2 + (one.y - other.y) ** 2
