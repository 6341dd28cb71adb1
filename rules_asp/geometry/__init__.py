"""Measuring of lines and depictions; no rule of the game.

`polygons` cuts depictions to hexes and `shapes` holds those of a board. `line_batch` measures many
lines at once, `exact` a single one. `survey` makes the facts of a line, `tolerance` its close
calls. All arithmetic uses integers and fractions.
"""
