"""A board has the same lines of sight alone, rotated, cropped and next to others: `python -m
tests.benchmarks.maps [BOARD ...]`.

For each board and each way to lay it, random pairs of its Locations: the verdict and the Hindrance,
and of a fifth of the pairs the close calls with their margins, alone and on the map. A map orders the
ends of a line by where they lie there, so that of a turned board each line is measured from its other
end: a sight that hung on the order would differ.

Lines that come within two pixels of a hex that the map shares with another board, or that is cut off, are
counted apart: in the one the other board has its say, and of the other the drawing is gone, of a
hexside that is the rim with what stands on it.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rules_asp.game.board import Board, PlacedBoard
from rules_asp.game.grid import Hex, Location, MapBoard, hex_of_spot
from rules_asp.game.map_layout import BELOW, RIGHT, crop, make_map, place_board
from rules_asp.geometry.exact import hexes_near_line
from rules_asp.geometry.tolerance import MAX_SHIFT
from rules_asp.knowledge.loading import load_program
from rules_asp.positions.position import Position, prepare
from rules_asp.queries.los import los
from rules_asp.vasl.importer import import_archive

FOLDER = Path(
    os.environ.get("RULES_ASP_BOARDS", Path(__file__).resolve().parents[3] / "shared" / "boards")
)
#: Close calls take most of the time, and are compared of every fifth pair.
CLOSE = 5
Pair = tuple[Location, Location]


class Laying(NamedTuple):
    """A way to lay a board: in words, and the boards of the map, the one that is looked at last."""

    words: str
    parts: tuple[MapBoard, ...]


def layings(whole: MapBoard, other: MapBoard) -> Iterator[Laying]:
    """The ways in which a board is laid: turned, half of it cut off, beside another."""
    turned = whole._replace(turned=True)
    yield Laying("turned", place_board((), turned, None))
    west = crop(whole, (0, whole.cols // 2), None)
    yield Laying("cropped", place_board((), west, None))
    south = crop(turned, None, (whole.rows // 2 + 1, whole.rows))
    yield Laying("cropped, turned", place_board((), south, None))
    for words, part, way in (
        ("joined", whole, RIGHT),
        ("joined, turned", turned, BELOW),
    ):
        yield Laying(words, place_board(place_board((), other, None), part, (way, other.label)))


class Seen(NamedTuple):
    """What is compared of a sight."""

    clear: bool | None
    hindrance: int
    close: tuple[tuple[float, bool | None, int], ...]


def seen(here: Position, pair: Pair, close: bool) -> Seen:
    """A sight: the verdict, the Hindrance, and if wanted the close calls by their margins."""
    answer = los(here, *pair, close=close, cite=False)
    calls = ((round(each.margin, 3), each.clear, each.hindrance) for each in answer.close)
    return Seen(answer.clear, answer.hindrance, tuple(sorted(calls, key=str)))


def compare(number: str, other: str, count: int, seed: int, show: int) -> int:
    """Prints how much differs of one board; the number of pairs that differ off seams and rims."""
    board, beside = (import_archive(FOLDER / f"bd{each}") for each in (number, other))
    alone = prepare(board, load_program())
    whole, next_ = (
        MapBoard(label, label, each.grid.cols, each.grid.rows)
        for label, each in ((number, board), (other, beside))
    )
    wrong = 0
    for laying in layings(whole, next_):
        parts = laying.parts
        boards = (
            [PlacedBoard(number, board)]
            if len(parts) == 1
            else [PlacedBoard(other, beside), PlacedBoard(number, board)]
        )
        here = prepare(Board("map", make_map(parts), tuple(boards)), load_program())
        part = parts[-1]
        rim = edge(part, parts)
        ends = [end for end in alone.index.elevations if hex_of_spot(end.spot) in part.own_field]
        chance = random.Random(f"{seed} {number} {laying.words}")
        counts: Counter[tuple[bool, bool]] = Counter()
        for number_ in range(count):
            close = number_ % CLOSE == 0
            pair = chance.choice(ends), chance.choice(ends)
            there = tuple(Location(part.placed(hex_of_spot(e.spot)), e.floor) for e in pair)
            if pair[0] == pair[1] or not all(map(here.index.has_location, there)):
                continue
            one, two = seen(alone, pair, close), seen(here, there, close)  # type: ignore[arg-type]
            off = rim.isdisjoint(hexes_near_line(*(end.spot.centre for end in pair), MAX_SHIFT))  # type: ignore[arg-type]
            counts[off, one == two] += 1
            if one != two and (off or show):
                print(f"    {'' if off else 'at the rim: '}{pair[0]} - {pair[1]}: {one} | {two}")
        wrong += counts[True, False]
        print(
            f"  {laying.words}: {counts[True, False]} of"
            f" {counts[True, True] + counts[True, False]} pairs differ; by a seam or a cut"
            f" {counts[False, False]} of {counts[False, True] + counts[False, False]}"
        )
    return wrong


def edge(part: MapBoard, parts: tuple[MapBoard, ...]) -> frozenset[Hex]:
    """The board's own hexes that it shares with another, or that are cut off."""
    field = part.own_field
    shared = {hex_ for each in parts[:-1] for hex_ in each.field.hexes()}
    gone = (hex_ for hex_ in part.whole.hexes() if hex_ not in field)
    return frozenset(gone) | {hex_ for hex_ in field.hexes() if part.placed(hex_) in shared}


def main() -> int:
    """Compares the boards named."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.maps", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("boards", nargs="*", default=["20", "24"], metavar="BOARD")
    parser.add_argument("--beside", default="21", metavar="BOARD", help="the board beside them")
    parser.add_argument("--pairs", type=int, default=1000, metavar="N", help="pairs of each laying")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument(
        "--show", action="store_true", help="list also the pairs that differ at seams and rims"
    )
    options = parser.parse_args()
    wrong = 0
    for number in options.boards:
        print(f"Board {number}")
        wrong += compare(number, options.beside, options.pairs, options.seed, options.show)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
