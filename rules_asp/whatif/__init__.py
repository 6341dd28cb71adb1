"""Sensitivity, repair and minimal cases: the same question on changed boards.

`trials` asks within a deadline, and `candidates` lists the changes worth trying.
"""
