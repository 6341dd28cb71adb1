"""Static checks of a knowledge base: faults that clingo passes over in silence.

`base` is the knowledge base as the checks see it, `vocabulary` and `norms` check it, `run` lists all
checks.
"""
