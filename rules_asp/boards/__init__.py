"""Operations on boards before they are solved.

`placement` places boards and overlays on one map, `resolve` merges corrections and finds mistakes,
`changes` applies a what-if, `statement_ops` splits and reduces statements, and `facts` converts the
board to facts.
"""
