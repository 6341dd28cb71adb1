"""Sensitivity, repair and minimal cases: the same question on changed boards.

`trials` lists the changes worth trying, and asks within a deadline.
"""
