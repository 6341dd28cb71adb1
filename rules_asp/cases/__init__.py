"""Boards as tests: `outcomes` of their `expect` lines, `exercise` of norms by them, `covering` counts both.

It may use `answers` and what is below.
"""
