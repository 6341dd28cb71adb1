"""Static checks of a knowledge base: faults that clingo would pass over in silence.

`atoms` takes rules apart; `words`, `norms`, `reasons` and `references` check them; `checks` has the whole
list. It may use what it checks: the rest of `knowledge`.
"""
