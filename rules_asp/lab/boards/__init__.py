"""All small boards as one program, and one of them as a board: read back, told from others, confirmed.

It may use `reading` and what is below.
"""
