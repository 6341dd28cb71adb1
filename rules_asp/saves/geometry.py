"""Geometry of a saved game: from pixels of VASL's map to hexes and hexsides of our map.

VASL's map has a margin. Within it, each board has the size of its picture, cropped and zoomed. A
pixel is converted to the board's own lattice, and from there to the map like any other point of the
board. Counters snap to the center of a hex or to the middle of a hexside; the nearest of these
counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules_asp.game.grid import (
    COLUMN_STEP,
    ROW_STEP,
    Grid,
    Hex,
    Hexside,
    MapBoard,
    Point,
    hexside_between,
)
from rules_asp.saves.container import SaveError
from rules_asp.saves.layout import LaidBoard

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
