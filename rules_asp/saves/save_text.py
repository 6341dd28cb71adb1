"""Save Text: the lines that VASL writes for a map, one for each stack, `LOCATION: name, name, ...`.

VASL leaves out pieces that the player may not see, and lists a stack from top to bottom. Boards,
nations and places beside a hex are missing: a board file provides the map.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rules_asp.game.grid import Hex, Hexside, hexside_between
from rules_asp.game.map_layout import MapNames
from rules_asp.runtime.limits import size_limit, too_large_message
from rules_asp.saves.container import SaveError
from rules_asp.saves.counters import recognize
from rules_asp.saves.pieces import Counter

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
