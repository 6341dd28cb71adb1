"""The lab: questions about the rules themselves, asked over all small boards at once (kb/lab/).

A search joins the knowledge base to a generator of small boards and asks clingo what any of them can
show. `world` makes the program, `search` runs it, `witnesses` reads a board back; each question has a
module of its own; `commands` offers them to `cli`. It may use `telling` and what is below.
"""
