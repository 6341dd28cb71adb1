"""The board language: conversion between text and Board, and questions; README.md lists all
statements.

It may import `terms`, and the cache for its grammars. Readers and lark are imported on first use: a
question about a cached board needs neither.
"""

from typing import TYPE_CHECKING

from rules_asp import attributes_on_demand
from rules_asp.parser.errors import BoardError, Problem
from rules_asp.parser.values import parse_location

if TYPE_CHECKING:
    from rules_asp.parser.query import parse_deed, parse_query, parse_roll
    from rules_asp.parser.reader import load, load_text, parse
    from rules_asp.parser.writer import deed_text, write

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

__getattr__ = attributes_on_demand(
    {
        **dict.fromkeys(("parse_deed", "parse_roll"), "parser.query"),
        "parse_query": "parser.query",
        **dict.fromkeys(("load", "load_text", "parse"), "parser.reader"),
        **dict.fromkeys(("deed_text", "write"), "parser.writer"),
    }
)
