"""Proofs, justifications, and the reasons of unknown answers.

`proof` collects supports, defeats and citations. `proof_choice` chooses among several supports.
`justification` prints a proof for people. `unknown` words its atoms, and names missing conditions.
"""
