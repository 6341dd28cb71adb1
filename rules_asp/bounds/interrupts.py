"""Ctrl-C, as it may be met: itself, or wrapped by Python, which does so while a class is made."""

from __future__ import annotations


def is_interrupt(error: BaseException | None) -> bool:
    """Whether an interrupt is this error, or is behind it.

    clingo can lose one that comes in the midst of its own code: it then raises a RuntimeError without
    a word, where all errors of its own have one.
    """
    if type(error) is RuntimeError and not str(error):
        return True
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None
