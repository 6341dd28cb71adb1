"""Lines and drawings, measured; no rule of the game.

`polygons` cuts drawings to hexes and `shapes` holds those of a board; `line_batch` measures many lines at
once, `exact` one; `survey` makes the facts of a line, `tolerance` its close calls. Integers and fractions.
"""
