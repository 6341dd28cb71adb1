"""Measuring: what lies on a line between two spots, and how close a thing it was.

`outlines` cuts drawings to hexes, `shapes` are a board's drawings; `bundle` looks at many lines at once,
`exact` at one; `corridors` finds the hexes near a line, so that a few lines look at no more of the map;
`geometry` tells what lines meet, `nearness` what they just miss. Whole numbers and fractions, no rule
of the game. It may use `terms`.
"""
