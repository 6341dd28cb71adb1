"""Two sets of rules side by side: what they answer differently, on small boards and on cases.

It may use `questions` and what is below.
"""
