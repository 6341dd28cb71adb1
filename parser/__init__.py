"""The board language: text to Board and back, and questions; README.md shows every statement.

It may use `terms`, and the cache for its grammars.
"""

from rules_asp.parser.deeds import deed_text, parse_deed, parse_roll
from rules_asp.parser.errors import BoardError, Problem
from rules_asp.parser.location import parse_location
from rules_asp.parser.query import parse_query
from rules_asp.parser.reader import load, load_text, parse
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
