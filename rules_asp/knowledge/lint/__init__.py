"""Static checks of a knowledge base: mistakes that clingo ignores silently.

`base` is the knowledge base in the form that the checks read. `vocabulary`, `helpers` and `norms`
check it, and `run` lists all checks.
"""
