"""The knowledge base, as data and as clingo programs, independent of boards.

`reader` parses kb/ into the types of `rules`, which are trees of `terms`. `catalogue` finds norms,
`lint` checks them. `instantiation` repeats the calculus for each kind of topic, `dependencies`
drops rules that cannot fire, `program` builds the static program and the query program, and what a
change of facts can affect, `solver` runs clingo. `support` finds the rules by which an atom holds.
`loading` and `stored_answer_sets` read cached data on demand; `rule_table` stores rules
as text.
"""
