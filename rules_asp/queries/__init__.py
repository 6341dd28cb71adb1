"""One module for each kind of question.

`query_facts` lists the facts that a question adds to a position, and `evaluate` finds the solutions
of a query in answer sets. `los`, `los_matrix`, `fire`, `deeds`, `legality`, `steps`, `paths`,
`path_ends`, `step_search`, `movement`, `reach`, `rolls`, `check` and `ask` are the kinds. `why`
proves their answers, and `whynot` finds the first missing condition. All rules are in kb/.
"""
