"""The command `rules-asp`: `app` puts it together; `asking`, `many`, `matrices`, `turning`,
`batches`, `boards` and `reference` hold the commands, `boards_given` what they ask; `folders` is what
`matrix` and `check` do with a folder. `lines_said` reads questions by
the line, `batch_lines` answers them.

A thin layer over `rules_asp.api`. Exit codes: 0 answered, also when the answer is no; 1 an expectation
failed or a norm is broken; 2 bad usage or input. What is heavy is imported inside the commands, so that
`--help` comes at once. It may use everything.
"""
