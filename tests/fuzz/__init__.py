"""A bench that tries hostile input: `python -m tests.fuzz --seed N --seconds S --only KIND,...`.

Each try is made of a seed, a kind and a number, so that one that breaks something can be tried again alone:
`python -m tests.fuzz --seed 7 --only boards --case 1234`.
"""
