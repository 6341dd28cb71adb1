"""clingo's reading of a text, the one way to it."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from clingo import ast


def parse_statements(text: str, log: Callable[[Any, str], None] | None = None) -> list[ast.AST]:
    """What clingo reads in a text; it tells `log`, or stderr, of what is no program, and RuntimeError."""
    found: list[ast.AST] = []
    with _undisturbed():
        ast.parse_string(text, found.append, logger=log)
    return found


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let an interrupt wait: clingo takes one that comes in its callback for an error of the text."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
