"""Proofs, justifications, and the reasons of unknown answers.

`proof` collects supports, defeats and citations. `selection` chooses among several supports.
`justification` prints a proof for people, and `wording` words its atoms. `unknown` names missing
conditions.
"""
