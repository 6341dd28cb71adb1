"""Answers and reports as text and JSON. It decides nothing.

`answer_text` and `answer_json` are the two notations of each kind of answer, `report_text` and
`report_json` those of boards and rules as a whole; `console` formats tables and sections.
"""
