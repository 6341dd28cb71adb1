"""Symmetries of small grids: images of hexes and vertices, against an independent count."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest

from rules_asp.game.grid import Grid, Hex, Spot, Vertex
from rules_asp.lab.generator import GRIDS, middle
from rules_asp.lab.symmetry import Symmetry, images, symmetries

#: Grids with at most seven hexes, so that all permutations of their hexes can be tried.
TINY = [*GRIDS, Grid(1, 2), Grid(2, 2), Grid(3, 1), Grid(1, 5)]


def isometries(grid: Grid) -> list[dict[Hex, Hex]]:
    """Return the permutations of hexes that keep all ranges."""
    hexes = list(grid.hexes())
    pairs = list(combinations(hexes, 2))
    found = (dict(zip(hexes, order, strict=True)) for order in permutations(hexes))
    return [to for to in found if all(a.range_to(b) == to[a].range_to(to[b]) for a, b in pairs)]


@pytest.mark.parametrize("grid", TINY, ids=str)
def test_images_are_those_of_all_permutations_that_keep_ranges(grid: Grid) -> None:
    group = isometries(grid)
    for start in (None, middle(grid)):
        keeping = [to for to in group if start is None or to[start] == start]
        moved = {hex_ for hex_ in grid.hexes() if any(to[hex_] < hex_ for to in keeping)}
        assert set(images(grid, start, False)) == moved


@pytest.mark.parametrize("grid", [*TINY, Grid(4, 3), Grid(5, 5)], ids=str)
def test_a_symmetry_keeps_ranges_in_and_outside_the_grid(grid: Grid) -> None:
    around = {near for hex_ in grid.hexes() for near in hex_.neighbours()}
    group = list(symmetries(grid))
    assert any(all(to(hex_) == hex_ for hex_ in around) for to in group)
    for to in group:
        assert {to(hex_) for hex_ in grid.hexes()} == set(grid.hexes())
        assert all(a.range_to(b) == to(a).range_to(to(b)) for a, b in combinations(around, 2))


@pytest.mark.parametrize("grid", TINY, ids=str)
def test_each_start_in_bypass_is_kept_or_is_the_image_of_a_kept_one(grid: Grid) -> None:
    start = middle(grid)
    left_out = set(images(grid, start, True))
    kept = {Vertex(start, corner) for corner in range(6)} - left_out
    group = [to for to in symmetries(grid) if to(start) == start]

    def image(to: Symmetry, vertex: Vertex) -> frozenset[Hex]:
        return frozenset(to(start.neighbour(vertex.corner + by)) for by in (0, 1))

    reached = {image(to, vertex) for to in group for vertex in kept}
    assert reached == {image(lambda hex_: hex_, Vertex(start, corner)) for corner in range(6)}
    # A symmetry that keeps the vertices maps each hex that is left out to another hex.
    fixing = [to for to in group if all(image(to, v) == image(lambda h: h, v) for v in kept)]
    hexes: set[Spot] = set(grid.hexes())
    for hex_ in hexes & left_out:
        assert isinstance(hex_, Hex)
        assert {to(hex_) for to in fixing} - left_out


def test_a_flower_of_seven_hexes_has_twelve_symmetries() -> None:
    flower = GRIDS[-1]
    assert len(list(symmetries(flower))) == 12
    assert len(list(images(flower, middle(flower), False))) == 5
    vertices = [each for each in images(flower, middle(flower), True) if isinstance(each, Vertex)]
    assert len(vertices) == 5
