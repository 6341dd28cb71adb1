"""The knowledge base, as data and as programs for clingo; it knows no board.

`reader` parses kb/ into the types of `rules`, which are trees of `terms`. `catalogue` finds norms, `lint`
checks them.
`instantiation` repeats the calculus for each kind of topic, `dependencies` leaves out what cannot fire,
`program` makes the static program and the query program, `solver` runs clingo. `support` finds by which
rules an atom holds, `incremental` what a change of facts can affect. `stored_program` and
`stored_answer_sets` read what was kept, as far as it is asked for; `rule_table` holds rules as text.
"""
