"""The lab: questions about the rules, asked over all small boards at once (kb/lab/).

`claim_syntax` and `claim_rules` read claims, `generator` makes the program of all small boards, `search`
runs it, `witness` reads a board back and confirms it; `find`, `audits`, `interactions`, `precedence` and
`diff` are the questions, `result_text` and `result_json` their output.
"""
