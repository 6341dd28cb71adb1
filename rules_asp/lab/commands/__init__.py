"""The commands `rules-asp lab ...`, with their options.

It may use all of the lab, and `telling` of the program.
"""
