"""Maps of several boards: the placement of boards next to each other, and the names of their hexes.

The half hexes of two boards at a seam form one hex, with a name on each board. Functions that read
hexes take the `MapNames` of their map. A board holds plain hexes. Hexes in output, questions and
answers know their map (`MapHex`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import TypeVar, cast

from rules_asp.game.grid import Grid, GridRegion, Hex, MapBoard, column_name, parse_hex

_T = TypeVar("_T")

#: The words for the edge of another board that a board is placed at.
RIGHT, LEFT, BELOW, ABOVE = "right", "left", "below", "above"

#: Maximum columns and rows of a map: the lattice stays small enough for exact measuring.
MAX_COLUMNS, MAX_ROWS = 400, 400

_LABEL = re.compile(r"[A-Z]*[0-9]+[a-z]?|[a-z]+|[A-Z]+")
_NAME = re.compile(r"([0-9A-Za-z]*?)(([A-Z])\3?[0-9]{1,3})")


class PlacementError(Exception):
    """An invalid placement of boards: the reason, the word at fault, and alternatives."""

    def __init__(self, message: str, word: str = "", known: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.word = word
        self.known = tuple(known)


class MapNames:
    """The names of all hexes of a map: by column and row on one board, by board on several."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._parts = {part.label: part for part in grid.parts}
        self._holders: dict[Hex, list[tuple[bool, int, MapBoard]]] = {}
        self._bare: dict[str, list[Hex]] = {}
        for number, part in enumerate(grid.parts):
            for own in part.own_field.hexes():
                here = part.placed(own)
                # The usual name comes from the board that prints the number in full; row 0 is not
                # printed.
                self._holders.setdefault(here, []).append((own.row == 0, number, part))
                self._bare.setdefault(_own_name(own), []).append(here)
        for holders in self._holders.values():
            holders.sort()

    def hex(self, col: int, row: int) -> Hex:
        """Return a hex with these names."""
        if not self._parts:
            return Hex(col, row)
        new = MapHex(col, row)
        new.names = self
        return new

    def hexes(self) -> tuple[Hex, ...]:
        """Every hex of the map, column by column."""
        return tuple(self.hex(*each) for each in self.grid.hexes())

    def name(self, hex_: Hex) -> str | None:
        """Return the usual name of a hex; None for a hex outside a map of several boards."""
        holders = self._holders.get(hex_)
        if holders is None:
            return None
        return self._name_on(hex_, holders[0][2])

    def text(self, place: object) -> str:
        """Return the text of a hex, hexside, vertex or Location in these names."""
        return str(with_map_names(place, self))

    def names(self, hex_: Hex) -> tuple[str, ...]:
        """Return all names of a hex, the most usual first."""
        return tuple(self._name_on(hex_, part) for _, _, part in self._holders.get(hex_, ()))

    def boards(self, hex_: Hex) -> tuple[MapBoard, ...]:
        """Return the boards that contain a hex."""
        return tuple(part for _, _, part in self._holders.get(hex_, ()))

    def _name_on(self, hex_: Hex, part: MapBoard) -> str:
        own = _own_name(part.own(hex_))
        return own if len(self._parts) == 1 else part.label + own

    def find(self, text: str, board: str | None = None) -> tuple[Hex, str | None]:
        """Return the hex with this name, and the board that the name contains.

        A name without a board refers to this `board`, if given and present, or to the only board
        with such a hex. ValueError gives the reason.
        """
        if not self._parts:
            label, hex_ = parse_hex(text)
            if label is not None:
                raise ValueError(f"{text} is not a hex")
            return hex_, None
        found = list(_readings(text))
        if not found:
            raise ValueError(f"{text} is not a hex")
        meant = ((find_label(self._parts, label), own) for label, own in found)
        known = [(label, own) for label, own in meant if label is not None]
        for label, own in known:
            if own in self._parts[label].own_field:
                return self.hex(*self._parts[label].placed(own)), label
        if known:
            raise ValueError(f"{text} is not on this map: board {known[0][0]} has no such hex")
        label, own = found[0]
        if label:
            raise ValueError(
                f"the map has no board {label}; its boards are {', '.join(self._parts)}"
            )
        if board is not None and own in self._parts[board].own_field:
            return self.hex(*self._parts[board].placed(own)), board
        here = dict.fromkeys(self._bare.get(_own_name(own), ()))
        if not here:
            raise ValueError(f"no board of this map has a hex {text}")
        if len(here) > 1:
            names = " or ".join(
                label + _own_name(own)
                for label, part in self._parts.items()
                if own in part.own_field
            )
            raise ValueError(f"{text} is a hex of several boards: write {names}")
        return self.hex(*next(iter(here))), None


def find_label(labels: Collection[str], said: str) -> str | None:
    """Return the board with this label; if only one matches, ignore leading zeros (1 is 01)."""
    if said in labels:
        return said
    bare = said.lstrip("0")
    same = [each for each in labels if each.lstrip("0") == bare] if bare else []
    return same[0] if len(same) == 1 else None


def _readings(text: str) -> Iterator[tuple[str, Hex]]:
    """Yield the possible parses of a name: BFPAA4 is A4 of board BFPA, or AA4 of BFP."""
    if not re.fullmatch(_NAME, text):
        return
    for width in (2, 1):
        cut = re.fullmatch(rf"([0-9A-Za-z]*?)(([A-Z])\3{{{width - 1}}}[0-9]{{1,3}})", text)
        if cut:
            yield cut[1], parse_hex(cut[2])[1]


def _own_name(hex_: Hex) -> str:
    return column_name(hex_.col) + str(hex_.row)


@lru_cache(maxsize=32)
def map_names(grid: Grid) -> MapNames:
    """Return the names of the hexes of a map."""
    return MapNames(grid)


#: The names of hexes on one board: by column and row.
PLAIN_NAMES = map_names(Grid(0, 0))


class MapHex(Hex):
    """A hex that knows its map and uses that map's names."""

    names: MapNames

    def __str__(self) -> str:
        return self.names.name(self) or self.term

    @property
    def has_name(self) -> bool:
        """Return whether the hex is on the map."""
        return self.names.name(self) is not None

    def neighbour(self, direction: int) -> Hex:
        """Return the hex across a hexside, on the same map."""
        return self.names.hex(*super().neighbour(direction))

    def __reduce__(self) -> tuple[Callable[[int, int, Grid], Hex], tuple[int, int, Grid]]:
        return _again, (self.col, self.row, self.names.grid)


def names_of(hex_: Hex) -> MapNames:
    """Return the names that a hex uses."""
    return hex_.names if isinstance(hex_, MapHex) else PLAIN_NAMES


def _again(col: int, row: int, grid: Grid) -> Hex:
    return map_names(grid).hex(col, row)


def with_map_names(value: _T, names: MapNames) -> _T:
    """Return a value of tuples and dataclasses whose hexes use these names."""
    return cast(_T, _with_names(value, names)) if names.grid.parts else value


def without_map_names(value: _T) -> _T:
    """Return the same value with plain hexes, without a map."""
    return cast(_T, _with_names(value, PLAIN_NAMES))


def _with_names(value: object, names: MapNames) -> object:
    if isinstance(value, Hex):
        return names.hex(*value)
    if isinstance(value, tuple):
        parts = (_with_names(each, names) for each in value)
        made = cast(Callable[..., object], type(value))
        return made(*parts) if hasattr(value, "_fields") else made(parts)
    if is_dataclass(value) and not isinstance(value, type):
        new = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        return replace(value, **{name: _with_names(each, names) for name, each in new.items()})
    return value


# --- laying boards


def place_board(
    parts: tuple[MapBoard, ...], new: MapBoard, beside: tuple[str, str] | None
) -> tuple[MapBoard, ...]:
    """Return the boards of a map with one more; PlacementError if it does not fit.

    Boards placed side by side align at their upper edges, boards below one another at their left
    edges.
    """
    if not _LABEL.fullmatch(new.label):
        raise PlacementError(
            f'"{new.label}" cannot be the prefix of a hex: add `as NAME` with a short name'
        )
    labels = {part.label: part for part in parts}
    if new.label in labels:
        raise PlacementError(
            f"the map already has a board {new.label}: add `as NAME` with another name"
        )
    if beside is None:
        if parts:
            others = ", ".join(labels)
            raise PlacementError(
                f"board {new.label} has no position: add right of, left of, below or above {others}"
            )
        return (new,)
    way, other = beside
    other = find_label(labels, other) or other
    if other not in labels:
        raise PlacementError(
            f"the map has no board {other} to place this one next to", other, labels
        )
    there, here = labels[other].field, new.field
    if way in (RIGHT, LEFT):
        across = there.right - here.left if way == RIGHT else there.left - here.right
        shift = across, there.top - here.top
        if across % 2:
            raise PlacementError(
                "the two boards do not fit together: their rows are half a hex apart at the common edge",
                other,
            )
    else:
        down = there.bottom + 1 - here.top if way == BELOW else there.top - 1 - here.bottom
        shift = there.left - here.left, down
        if shift[0] % 2:
            # The columns at the edges differ in parity: the board would begin one column further
            # right.
            raise PlacementError(
                "the two boards do not fit together: "
                "their columns are half a hex apart if their left edges align",
                other,
            )
    new = new._replace(shift=shift, next_to=beside)
    for part in parts:
        if _overlap(part.field, new.field):
            raise PlacementError(f"board {new.label} would overlap board {part.label}", other)
    return _onto_paper((*parts, new))


def _onto_paper(parts: tuple[MapBoard, ...]) -> tuple[MapBoard, ...]:
    """Return the boards moved right and down if one begins left of column 0 or above row 1."""
    left = -min(0, *(part.field.left for part in parts))
    down = max(0, *(1 - part.field.top for part in parts))
    # Move by an even number of columns, since every second column is half a hex higher.
    right = left + left % 2
    return tuple(
        part._replace(shift=(part.shift[0] + right, part.shift[1] + down)) for part in parts
    )


def _overlap(one: GridRegion, other: GridRegion) -> bool:
    (a, b), (c, d) = one.corners, other.corners
    return max(a.x, c.x) < min(b.x, d.x) and max(a.y, c.y) < min(b.y, d.y)


def make_map(parts: tuple[MapBoard, ...]) -> Grid:
    """Return the map of these boards; PlacementError if it is too large to be measured."""
    fields = [part.field for part in parts]
    cols = max(field.right for field in fields) - min(field.left for field in fields) + 1
    rows = max(field.bottom for field in fields) - min(field.top for field in fields) + 1
    if cols > MAX_COLUMNS or rows > MAX_ROWS:
        raise PlacementError(
            f"the map has {cols}x{rows} hexes; the limit is {MAX_COLUMNS}x{MAX_ROWS}"
        )
    return Grid(cols, rows, parts=parts)


def crop(part: MapBoard, columns: tuple[int, int] | None, rows: tuple[int, int] | None) -> MapBoard:
    """Crop a board to some columns and rows. PlacementError if the board does not have them."""
    whole = part.whole
    left, right = columns or (whole.left, whole.right)
    top, bottom = rows or (whole.top, whole.bottom)
    kept = GridRegion(left, right, top, bottom)
    if not (
        whole.left <= left <= right <= whole.right and whole.top <= top <= bottom <= whole.bottom
    ):
        begin = f"{column_name(whole.left)}{whole.top}"
        end = f"{column_name(whole.right)}{whole.bottom}"
        raise PlacementError(f"board {part.label} has only the hexes from {begin} to {end}")
    return part._replace(kept_half=None if kept == whole else kept)


def crop_half(part: MapBoard, half: str) -> MapBoard:
    """Return half a board; PlacementError if no column or hexside halves it."""
    whole = part.whole
    if half in ("left", "right"):
        middle, odd = divmod(whole.left + whole.right, 2)
        if odd or middle in (whole.left, whole.right):
            raise PlacementError(
                f"board {part.label} has no middle column, so it has no left or right half", half
            )
        columns = (whole.left, middle) if half == "left" else (middle, whole.right)
        return crop(part, columns, None)
    middle, odd = divmod(whole.top + whole.bottom - 1, 2)
    if odd:
        raise PlacementError(
            f"board {part.label} has an odd number of rows, so it has no upper or lower half", half
        )
    rows = (whole.top, middle) if half == "upper" else (middle + 1, whole.bottom)
    return crop(part, None, rows)
