"""Boards and answers as SVG pictures, drawn from facts and from the answers of the rules.

`svg` writes markup, and `style` is the table of colors and glyphs. `layers`, `counters`, `los`,
`answers` and `proof_tree` draw, and `map` assembles a picture. Nothing here decides a rule.
"""
