"""Answers and reports as text and JSON. It decides nothing.

An answer makes its report and record itself. `console` shows the report as text, `answer_json` documents the
records. `report_text` and `report_json` are the notations of boards and rules as a whole.
"""
