"""Answers told: `text` for people, `as_json` for programs, `board_text` draws a board in letters.

`many_text`, `many_json` and `sight_rows` tell of many places at once, `folders` of all boards of a folder,
with `summaries`; `turning_text` and `turning_json` what turns an answer; `reports` and `reports_json`
tell of boards and rules as a whole; texts are made with `layout`, `terminal` and `bulk_options` are
what commands share. It decides nothing. It may use `api` and what is below.
"""
