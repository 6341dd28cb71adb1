"""Measuring of lines and depictions; no rule of the game.

`polygons` cuts depictions to hexes and `shapes` holds those of a board. `survey` measures many lines
at once and makes their facts. `exact` measures a single line, and `tolerance` finds its close calls.
All arithmetic uses integers and fractions.
"""
