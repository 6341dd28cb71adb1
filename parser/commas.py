"""A question cut into its literals before it is read, for what can be said of each alone."""

from __future__ import annotations

from collections.abc import Iterator


def split_at_commas(text: str) -> Iterator[tuple[int, str]]:
    """The parts of a text between commas that stand in no bracket and in no quotes, each with its place."""
    depth, start, quoted = 0, 0, False
    for place, sign in enumerate(text):
        if sign == '"':
            quoted = not quoted
        elif not quoted:
            depth += (sign == "(") - (sign == ")")
            if sign == "," and not depth:
                yield start, text[start:place]
                start = place + 1
    yield start, text[start:]
