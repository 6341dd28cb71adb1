"""A board ready for questions: its facts, static answer sets and measured lines.

`loading` finds a board and prepares a `Position`, `position` solves what rests on the board alone,
`fact_index`, `locations` and `name_resolution` look things up, `answer` has scope and issues of an answer.
"""
