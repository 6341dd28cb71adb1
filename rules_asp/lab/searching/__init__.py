"""A search: what is looked for, at which spots, by how many processes, for how long, and what excludes it.

It may use `boards`, `reading` and what is below.
"""
