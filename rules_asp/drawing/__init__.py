"""Boards and answers as SVG pictures, drawn from facts and from the answers of the rules.

`svg` writes markup, and `style` is the table of colors and glyphs. `layers`, `counters` and
`los` draw, `map` assembles a map, and `pictures` draws an answer. Nothing here decides a rule.
"""
