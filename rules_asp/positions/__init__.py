"""Positions: boards ready for questions, with facts, static answer sets and measured lines.

`loading` finds a board and prepares a `Position`, `position` solves the static layer, `fact_index`,
`locations` and `name_resolution` look things up, `scope` has the scope and the issues of an answer.
"""
