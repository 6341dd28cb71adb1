"""The command line: a thin layer over `rules_asp.api`.

`app` assembles the commands, and `common` has their shared parts. `query_commands` makes the commands
that ask a question, and parses a question in one line. Exit codes: 0 answered, also if
the answer is no; 1 an expectation failed or a norm is violated; 2 wrong usage or input. Slow imports
are inside the commands, so that `--help` responds at once.
"""
