"""Proofs, justifications, and why something is unknown.

`proof` collects supports, defeats and citations; `selection` chooses among several supports;
`justification` tells a proof to people, `wording` says an atom; `unknown` names missing conditions.
"""
