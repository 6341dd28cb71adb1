"""Boards and answers as pictures: SVG text, made of what a board states and what the rules answer.

Nothing of the game is decided here: facts say what stands where, the knowledge base what it is. Colours,
patterns and glyphs are tables (`looks`, `glyphs`). It may use answers, positions, lines, terms.
"""
