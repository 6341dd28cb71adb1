"""Answers told: `text` for people, `as_json` for programs, `board_text` draws a board in letters.

`terminal` is what all commands share. It decides nothing. It may use `api` and what is below.
"""
