"""Conversion of pixels to hexes, hexsides and outlines.

Arrays are indexed [x, y]; a pixel is 8 lattice units wide, so that its corners are lattice points.
A layer is an array with one small number per pixel: a terrain, an elevation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely

from rules_asp.game.board import Ring
from rules_asp.game.grid import Grid, Hex, Hexside, Point
from rules_asp.vasl.archive import PIXEL

Mask = npt.NDArray[np.bool_]
Layer = npt.NDArray[Any]
Index = npt.NDArray[np.int64]

#: A hexside is sampled once per sixtieth of its length.
SAMPLES = 60

#: The maximum distance of outlines from the traced contour, in lattice units: half a pixel.
TOLERANCE = 4

#: Depictions and holes smaller than this are specks, in pixels.
SPECK = 8

#: Outlines extend this many pixels beyond the rim of the map, so that a line along the rim is
#: inside the depictions there.
_OVERHANG = 4

#: The value beyond the rim; no value of a layer is this low.
_OFF = -1_000

_STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))


@dataclass(frozen=True)
class PixelMap:
    """A map's pixels: the hex of each, and its depth inside the hex, in lattice units.

    ends: the two vertices of each of `sides`.
    normals: a vector of length 1 towards the `b` of each of them.
    """

    grid: Grid
    hexes: tuple[Hex, ...]
    sides: tuple[Hexside, ...]
    ends: npt.NDArray[np.float64]
    normals: npt.NDArray[np.float64]
    owner: npt.NDArray[np.int32]
    depth: npt.NDArray[np.float32]

    @property
    def corner(self) -> Point:
        """The upper left corner of the first pixel."""
        return self.grid.corner

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        width, height = self.owner.shape
        return width, height

    def count(self, mask: Mask) -> npt.NDArray[np.int64]:
        """Return the number of pixels of the mask in each hex."""
        return np.bincount(self.owner[mask], minlength=len(self.hexes))

    def pixel(self, point: Point) -> tuple[int, int]:
        """Return the pixel that contains a point; for a point on the far rim, the last."""
        width, height = self.size
        x, y = (point.x - self.corner.x) // PIXEL, (point.y - self.corner.y) // PIXEL
        return min(max(x, 0), width - 1), min(max(y, 0), height - 1)

    def around(self, hex_: Hex, layer: Layer, radius: int) -> tuple[Layer, npt.NDArray[np.float64]]:
        """Return the layer near a center dot: values by rising distance, and these distances.

        Distances are in pixels.
        """
        x, y = (hex_.centre.x - self.corner.x) / PIXEL, (hex_.centre.y - self.corner.y) / PIXEL
        width, height = self.size
        left, top = max(0, int(x) - radius), max(0, int(y) - radius)
        cut = layer[left : min(width, int(x) + radius + 1), top : min(height, int(y) + radius + 1)]
        dx = left + np.arange(cut.shape[0]) + 0.5 - x
        dy = top + np.arange(cut.shape[1]) + 0.5 - y
        distance = np.hypot(dx[:, None], dy[None, :]).ravel()
        order = np.argsort(distance, kind="stable")
        order = order[distance[order] <= radius]
        return cut.ravel()[order], distance[order]

    def along(self, layer: Layer, offset: int, outside: int = 0) -> Layer:
        """Return samples of the layer along every hexside, `offset` lattice units beside it.

        Row i belongs to `sides[i]`, column k to its k-th sixtieth from the first of `Hexside.ends`;
        a positive offset is on the side of `Hexside.b`. Samples beyond the rim are `outside`.
        """
        first, last = self.ends[:, None, 0], self.ends[:, None, 1]
        part = (np.arange(SAMPLES) + 0.5)[None, :, None] / SAMPLES
        points = first + part * (last - first) + offset * self.normals[:, None]
        return self._look_up(layer, points[..., 0], points[..., 1], outside)

    def inside(self) -> Mask:
        """The mask of the samples of `along` that are on the map."""
        return self.along(np.ones(self.size, np.uint8), 0).astype(bool)

    def settle(self, layer: Layer, reach: npt.NDArray[np.float64]) -> Layer:
        """Return the layer without seams along the borders of hexes.

        Near a hexside, a pixel takes the value found on both sides a little farther off. A value v
        that touches a hexside, but extends nowhere `reach[v]` lattice units into the hex, is
        replaced by the values inside the hex.
        """
        out = layer.copy()
        xs, ys = np.nonzero(self.depth < 1.5 * PIXEL)
        near, far = self._beside(layer, xs, ys, 2.5 * PIXEL)
        both = (near == far) & (far != _OFF)
        out[xs[both], ys[both]] = near[both]

        xs, ys = np.nonzero(self.depth < reach.max())
        kept = np.ones(self.size, bool)
        kept[xs, ys] = self.depth[xs, ys] >= reach[out[xs, ys]]
        loose = ~kept[xs, ys]
        xs, ys = xs[loose], ys[loose]
        # Tips of depictions that cross a hexside at an angle are reached from inside within three
        # steps; after that, the rest is overgrown.
        for step in range(8):
            taken = self._reach(out, kept, xs, ys, same_value=step < 3)
            done = taken >= 0
            nx, ny = xs[done], ys[done]
            out[nx, ny] = taken[done]
            kept[nx, ny] = True
            xs, ys = xs[~done], ys[~done]
        return out

    def _beside(self, layer: Layer, xs: Index, ys: Index, reach: float) -> tuple[Layer, Layer]:
        """Return the values `reach` units inside and beyond the nearest hexside of these pixels."""
        px, py = self.corner.x + PIXEL * (xs + 0.5), self.corner.y + PIXEL * (ys + 0.5)
        centres = np.array([hex_.centre for hex_ in self.hexes], float)[self.owner[xs, ys]]
        dx, dy = px - centres[:, 0], py - centres[:, 1]
        level = (258 - np.abs(dy)) <= self.depth[xs, ys] + 0.01
        length = np.hypot(258, 150)
        nx = np.where(level, 0.0, np.sign(dx) * 258 / length)
        ny = np.where(level, np.sign(dy), np.sign(dy) * 150 / length)
        depth = self.depth[xs, ys]
        wide = layer.astype(np.int64)
        inner = self._look_up(wide, px - nx * (reach - depth), py - ny * (reach - depth), _OFF)
        outer = self._look_up(wide, px + nx * (reach + depth), py + ny * (reach + depth), _OFF)
        return inner, outer

    def _reach(self, layer: Layer, kept: Mask, xs: Index, ys: Index, same_value: bool) -> Index:
        """Return for each pixel the value of a kept neighbor in its hex, or -1."""
        width, height = self.size
        taken = np.full(len(xs), -1, np.int64)
        for step_x, step_y in _STEPS:
            nx, ny = np.clip(xs + step_x, 0, width - 1), np.clip(ys + step_y, 0, height - 1)
            fits = (taken < 0) & kept[nx, ny] & (self.owner[nx, ny] == self.owner[xs, ys])
            if same_value:
                fits &= layer[nx, ny] == layer[xs, ys]
            taken[fits] = layer[nx[fits], ny[fits]]
        return taken

    def _look_up(self, layer: Layer, x: Layer, y: Layer, outside: int) -> Layer:
        width, height = self.size
        column = np.floor((x - self.corner.x) / PIXEL).astype(np.int64)
        row = np.floor((y - self.corner.y) / PIXEL).astype(np.int64)
        on = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        found = layer[np.clip(column, 0, width - 1), np.clip(row, 0, height - 1)]
        return np.where(on, found, outside)


def canvas(grid: Grid, width: int, height: int) -> PixelMap:
    """Return the canvas of a map: every pixel belongs to the hex that contains its center."""
    hexes = grid.hexes()
    first = np.zeros(grid.cols, np.int64)
    first[1:] = np.cumsum([grid.rows + col % 2 for col in range(grid.cols - 1)])
    x = (PIXEL * np.arange(width) + PIXEL // 2)[:, None]
    y = (PIXEL * np.arange(height) + PIXEL // 2)[None, :]

    def hex_at(col: Index) -> tuple[Index, Index]:
        odd = col % 2
        row = np.where(odd == 1, (y + 258) // 516, y // 516 + 1)
        row = np.clip(row, 1 - odd, grid.rows)
        return row, np.abs(y - (516 * row - 258 * (1 - odd)))

    left = np.minimum(x // 450, grid.cols - 1)
    right = np.minimum(left + 1, grid.cols - 1)
    row_left, dy_left = hex_at(left)
    row_right, dy_right = hex_at(right)
    dx = x - 450 * left
    # The slanting hexside of the left hex runs from (300, 0) to (150, 258).
    in_left = (258 * dx + 150 * dy_left <= 258 * 300) | (left == right)
    col, row = np.where(in_left, left, right), np.where(in_left, row_left, row_right)
    owner = (first[col] + row - (1 - col % 2)).astype(np.int32)
    ax = np.where(in_left, dx, np.abs(x - 450 * right))
    ay = np.where(in_left, dy_left, dy_right)
    slant = (258 * 300 - 258 * ax - 150 * ay) / np.hypot(258, 150)
    depth = np.minimum(258 - ay, slant).astype(np.float32)
    on_map = frozenset(hexes)
    sides = tuple(
        Hexside(*sorted((hex_, other)))
        for hex_ in hexes
        for other in hex_.neighbours()[1:4]
        if other in on_map
    )
    ends = np.array([side.ends for side in sides], float)
    across = np.array([side.b.centre for side in sides], float) - [side.a.centre for side in sides]
    normals = across / np.hypot(across[:, :1], across[:, 1:])
    return PixelMap(grid, hexes, sides, ends, normals, owner, depth)


def spread(layer: Layer, blank: Mask, sources: Mask, within: Layer | None = None) -> Mask:
    """Fill the blank pixels in place from the nearest source pixels around them.

    With `within`, only from those with the same value in it. Returns the pixels that stay blank.
    """
    width, height = layer.shape
    xs, ys = np.nonzero(blank)
    filled = sources & ~blank
    while len(xs):
        taken = np.full(len(xs), -1, np.int64)
        for step_x, step_y in _STEPS:
            nx, ny = np.clip(xs + step_x, 0, width - 1), np.clip(ys + step_y, 0, height - 1)
            fits = (taken < 0) & filled[nx, ny]
            if within is not None:
                fits &= within[nx, ny] == within[xs, ys]
            taken[fits] = layer[nx[fits], ny[fits]]
        done = taken >= 0
        if not done.any():
            break
        layer[xs[done], ys[done]] = taken[done]
        filled[xs[done], ys[done]] = True
        xs, ys = xs[~done], ys[~done]
    left = np.zeros(layer.shape, bool)
    left[xs, ys] = True
    return left


def between(layer: Layer, blank: Mask, values: Mask, reach: int = 12) -> tuple[Index, Index, Index]:
    """Return blank pixels between two pixels of one value: their x, y and that value.

    values: the values that count. A pixel is between two others if the first pixels that are not
    blank have the same value, left and right of it or above and below it, at most `reach` off.
    """
    width, height = layer.shape
    xs, ys = np.nonzero(blank)
    seen = []
    for step_x, step_y in _STEPS:
        first = np.full(len(xs), -1, np.int64)
        for far in range(1, reach + 1):
            nx = np.clip(xs + far * step_x, 0, width - 1)
            ny = np.clip(ys + far * step_y, 0, height - 1)
            fits = (first < 0) & ~blank[nx, ny]
            first[fits] = layer[nx[fits], ny[fits]]
        seen.append(first)
    found = np.full(len(xs), -1, np.int64)
    for one, two in ((0, 1), (2, 3)):
        fits = (seen[one] == seen[two]) & (seen[one] >= 0)
        fits[fits] = values[seen[one][fits]]
        found[fits] = seen[one][fits]
    hit = found >= 0
    return xs[hit], ys[hit], found[hit]


def opposed(
    blank: Mask, of: tuple[Index, Index], step: tuple[int, int], reach: int
) -> tuple[tuple[Index, Index], tuple[Index, Index], Mask]:
    """Return the first pixels that are not blank, to both sides of some blank pixels.

    The search follows a step of (x, y), at most `reach` steps far. Returns the places of the first
    and of the second, and the mask of pixels with both.
    """
    width, height = blank.shape
    xs, ys = of
    both = np.ones(len(xs), bool)
    ends = []
    for sign in (1, -1):
        at_x, at_y = xs.copy(), ys.copy()
        found = np.zeros(len(xs), bool)
        for far in range(1, reach + 1):
            nx, ny = xs + sign * far * step[0], ys + sign * far * step[1]
            fits = ~found & (nx >= 0) & (nx < width) & (ny >= 0) & (ny < height)
            fits[fits] = ~blank[nx[fits], ny[fits]]
            at_x[fits], at_y[fits] = nx[fits], ny[fits]
            found |= fits
        both &= found
        ends.append((at_x, at_y))
    return ends[0], ends[1], both


def outlines(mask: Mask, corner: Point) -> list[shapely.Polygon]:
    """Return the connected depictions of a mask as polygons with lattice points, without specks.

    `corner` is the upper left corner of the first pixel.

    Pixels that touch only at a corner are not connected. The contour runs through the middles of
    the pixels' outer edges at corners, and is simplified by at most half a pixel.
    """
    if not mask.any():
        return []
    wide = np.pad(mask, _OVERHANG, mode="edge")
    edges = np.diff(np.pad(wide, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    x, top = np.nonzero(edges == 1)
    _, bottom = np.nonzero(edges == -1)
    x = corner.x + PIXEL * (x - _OVERHANG)
    top, bottom = (corner.y + PIXEL * (at - _OVERHANG) for at in (top, bottom))
    merged = shapely.union_all(shapely.box(x, top, x + PIXEL, bottom))
    return [
        _smooth(polygon)
        for polygon in shapely.get_parts(merged)
        if polygon.area >= SPECK * PIXEL**2
    ]


def _smooth(polygon: shapely.Polygon) -> shapely.Polygon:
    holes = [hole for hole in polygon.interiors if shapely.Polygon(hole).area >= SPECK * PIXEL**2]
    cut = shapely.Polygon(_cut_corners(polygon.exterior), [_cut_corners(hole) for hole in holes])
    simple = cut.simplify(TOLERANCE)
    return simple if simple.is_valid and not simple.is_empty else cut


def _cut_corners(ring: shapely.LinearRing) -> npt.NDArray[np.float64]:
    """Return the ring of a pixel contour with each corner cut half a pixel off."""
    corners = np.asarray(ring.simplify(0).coords)[:-1]
    following = np.roll(corners, -1, axis=0)
    half = np.sign(following - corners) * (PIXEL / 2)
    points = np.empty((2 * len(corners), 2))
    points[0::2] = corners + half
    points[1::2] = following - half
    return points


def rings(polygon: shapely.Polygon) -> tuple[Ring, tuple[Ring, ...]]:
    """Return the outer ring of a polygon and its holes, as lattice points."""

    def ring(line: shapely.LinearRing) -> Ring:
        return tuple(Point(int(x), int(y)) for x, y in line.coords[:-1])

    return ring(polygon.exterior), tuple(ring(hole) for hole in polygon.interiors)
