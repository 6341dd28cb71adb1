"""Sensitivity, repair and minimal cases: the same question asked of changed boards.

`trials` asks within a deadline, `candidates` are the changes worth trying.
"""
