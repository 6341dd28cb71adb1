"""The command line: a thin layer over `rules_asp.api`.

`app` puts the commands together, `common` has what they share, `query_line` reads a question in one line.
Exit codes: 0 answered, also when the answer is no; 1 an expectation failed or a norm is violated; 2
bad usage or input. What is slow to import is imported inside the commands, so that `--help` comes at once.
"""
