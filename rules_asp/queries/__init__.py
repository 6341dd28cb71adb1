"""One module for each kind of question.

`query_facts` states what a question adds to a position, `evaluate` reads a query in answer sets. `los`,
`los_matrix`, `fire`, `deeds`, `legality`, `steps`, `paths`, `path_ends`, `step_search`, `movement`,
`reach`, `rolls`, `check` and `ask` are the kinds; `why` proves their answers, `whynot` finds the first
missing condition. Nothing is decided here: kb/ decides.
"""
