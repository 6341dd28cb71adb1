"""Static checks of a knowledge base: faults that clingo passes over in silence.

`base` is the knowledge base as the checks see it, `vocabulary`, `norms` and `tags` check it, `run` lists all
checks.
"""
