"""The lab: questions about the rules themselves, asked over all small boards at once (kb/lab/).

A search joins the knowledge base to a generator of small boards and asks clingo what any of them can
show. From the ground up: `reading` reads claims, `boards` makes the program and reads a board back,
`searching` runs it, `questions` and `comparing` are what can be asked, `telling` tells what was found,
`commands` offers it to `cli`. It may use `telling` and what is below.
"""
