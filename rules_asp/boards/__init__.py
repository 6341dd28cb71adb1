"""Operations on boards before they are solved.

`placement` puts boards and overlays on one map, `resolve` merges corrections, `changes` applies a
what-if, `statement_ops` splits and reduces statements, `validate` finds mistakes, `facts` states the board
to the rules.
"""
