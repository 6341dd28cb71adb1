"""Boards and answers as pictures: SVG text, made of facts and of what the rules answer.

`svg` writes markup, `style` is the table of colours and glyphs, `layers`, `counters`, `los`, `answers` and
`proof_tree` draw, `map` puts a picture together. Nothing of the game is decided here.
"""
