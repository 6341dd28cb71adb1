"""Boards as tests:

`expectations` checks `expect` lines, and `coverage` counts the norms that they test.
"""
