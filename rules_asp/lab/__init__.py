"""The lab: questions about the rules, answered over all small boards (kb/lab/).

`claim_rules` makes rules of claims, `generator` builds the program of all small boards,
`search` runs it, and `witness` converts and confirms a found board. `find`, `audits`,
`interactions` and `diff` are the questions; `result_text` and `result_json` print
their results.
"""
