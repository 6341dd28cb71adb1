"""The lab: questions about the rules, answered over all small boards (kb/lab/).

`claim_syntax` and `claim_rules` read claims, `generator` builds the program of all small boards,
`search` runs it, and `witness` converts and confirms a found board. `find`, `audits`,
`interactions`, `precedence` and `diff` are the questions; `result_text` and `result_json` print
their results.
"""
