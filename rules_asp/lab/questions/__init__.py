"""Each question about the rules as what a search looks for: claims, meetings, clashes, orders, gaps.

It may use `searching` and what is below.
"""
