"""Static checks of a knowledge base: mistakes that clingo ignores silently.

`base` is the knowledge base in the form that the checks read. `vocabulary`, `norms` and `tags`
check it, and `run` lists all checks.
"""
