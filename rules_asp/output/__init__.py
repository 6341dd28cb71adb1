"""Output of answers and reports as text and JSON, without decisions of its own.

Each answer makes its own report and record. `console` shows the report as text, and `json_schema`
documents the records. `listing_text` and `listing_json` print listings of boards and rules.
"""
