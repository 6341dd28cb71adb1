"""A claim as it is read: a question of the board language with counts, its condition, its denial.

It may use `answers`, `parser` and what is below, and nothing else of the lab.
"""
