"""The board language: text to Board and back, and questions; README.md shows every statement.

It may use `terms`, and the cache for its grammars. What reads is imported when it is wanted, lark with it:
a question about a board that was read before needs none of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from rules_asp.parser.errors import BoardError, Problem
from rules_asp.parser.values import parse_location

if TYPE_CHECKING:
    from rules_asp.parser.deeds import parse_deed, parse_roll
    from rules_asp.parser.query import parse_query
    from rules_asp.parser.reader import load, load_text, parse
    from rules_asp.parser.sentence_writer import deed_text
    from rules_asp.parser.writer import write

__all__ = [
    "BoardError",
    "Problem",
    "deed_text",
    "load",
    "load_text",
    "parse",
    "parse_deed",
    "parse_location",
    "parse_query",
    "parse_roll",
    "write",
]

#: What is imported when it is wanted, and the module that has it.
_HOMES = {
    **dict.fromkeys(("parse_deed", "parse_roll"), "deeds"),
    "deed_text": "sentence_writer",
    "parse_query": "query",
    **dict.fromkeys(("load", "load_text", "parse"), "reader"),
    "write": "writer",
}


def __getattr__(name: str) -> object:
    """What is imported when it is wanted."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
