"""The time to measure a whole board: every line of 33x10 hexes with many buildings.

Run as `python -m tests.benchmarks.geometry [SEED]`.
"""

from __future__ import annotations

import random
import sys
import time
from itertools import combinations

from rules_asp.game.board import Area, Bar, Board, Building, HexsideTerrain, Level
from rules_asp.game.grid import Grid, Hex, Hexside, Spot, hexside_between
from rules_asp.geometry.shapes import shapes_of
from rules_asp.geometry.survey import LosRelevance, survey_lines


def village(seed: int) -> tuple[Board, list[tuple[Hex, ...]]]:
    """A board with about 110 building hexes, 40 of woods, a hill, walls and bars."""
    chance = random.Random(seed)
    grid = Grid(33, 10)
    free = set(grid.hexes())
    buildings: list[Building] = []
    while sum(len(building.hexes) for building in buildings) < 110:
        hexes = {chance.choice(sorted(free))}
        for _ in range(chance.randrange(5)):
            around = {n for h in hexes for n in h.neighbours()} & free - hexes
            if around:
                hexes.add(chance.choice(sorted(around)))
        joined = _sides_within(hexes)
        bars = tuple(Bar(one) for one in joined if chance.random() < 0.1)
        buildings.append(Building("gray", tuple(sorted(hexes)), joined=joined, bars=bars))
        free -= hexes
    woods = tuple(chance.sample(sorted(free), 40))
    hill = tuple(h for h in grid.hexes() if h.range_to(Hex(25, 5)) <= 3)
    walls = tuple(hexside_between(h, h.neighbour(1)) for h in chance.sample(grid.hexes(), 30))
    area = Area("woods", woods)
    board = Board(
        "village", grid, (*buildings, area, Level(1, hill), HexsideTerrain("wall", walls))
    )
    return board, [building.hexes for building in buildings]


def _sides_within(hexes: set[Hex]) -> tuple[Hexside, ...]:
    return tuple(
        sorted({hexside_between(h, n) for h in hexes for n in h.neighbours() if n in hexes})
    )


def main(seed: int) -> None:
    """Measures one board three times and prints the best."""
    board, buildings = village(seed)
    began = time.perf_counter()
    shapes = shapes_of(board)
    print(f"shapes: {time.perf_counter() - began:.3f} s, {len(shapes.pieces)} drawings")
    concerns = LosRelevance(
        parts=dict.fromkeys(shapes.pieces, 5),
        sides=dict.fromkeys(shapes.segments, 5),
        exits=frozenset(h for hexes in buildings for h in hexes),
        insides={h: number for number, hexes in enumerate(buildings) for h in hexes},
    )
    lines = list(combinations(board.grid.hexes(), 2))
    lowest: dict[Spot, int] = dict.fromkeys(board.grid.hexes(), 0)
    times = []
    for _ in range(3):
        began = time.perf_counter()
        text = survey_lines(shapes, concerns, lines, lowest).text
        times.append(time.perf_counter() - began)
    facts = text.count("\n") + 1
    print(f"measure: {min(times):.3f} s, {len(lines)} lines, {facts} facts, {len(text)} characters")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
