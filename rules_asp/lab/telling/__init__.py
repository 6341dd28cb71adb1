"""What searches found, for people, as JSON and as pictures.

It may use `comparing`, `questions` and what is below.
"""
