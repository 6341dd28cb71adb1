"""Whether a text is rules and nothing else, looked at before clingo reads a word of it.

clingo opens what is included, and runs scripts, while it parses; and it takes a text apart by recursion,
so that a deep one ends the process. Here comments and strings are told from the rest as clingo tells them.
"""

from __future__ import annotations

import re

from rules_asp.bounds.sizes import size_limit, too_large_message

#: The words with a # that stand in rules; all others are for whoever runs clingo.
_IN_RULES = frozenset(
    (
        "#defined",
        "#count",
        "#sum",
        "#sum+",
        "#min",
        "#max",
        "#true",
        "#false",
        "#inf",
        "#sup",
        "#program",
    )
)
_PIECE = re.compile(
    r"""
      (?P<block>%\*)                        # a comment that may hold others
    | (?P<comment>%[^\n]*)
    | (?P<string>"(?:[^"\\\n]|\\[\\"n])*+")
    | (?P<quote>")
    | (?P<directive>\#\s*[a-z_]*(?:\+(?=\s*\{))?)
    | (?P<call>@)
    | (?P<theory>&)
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    | (?P<dots>\.\.)
    | (?P<end>\.)
    | (?P<plain>(?:(?![%"\#@&()\[\]{}.])[\t\n\r\ -~])+)
    | (?P<strange>.)                      # clingo ends the process when it is to tell of it
    """,
    re.VERBOSE | re.DOTALL,
)
_REFUSED = {
    "call": "calls a function outside",
    "theory": "has no sense here",
    "strange": "stands outside of texts and comments",
}
_ONLY = "only rules may stand here"
_IN_BLOCK = re.compile(r"%\*|\*%")


class NotOnlyRules(Exception):
    """A text that is not rules alone: the line, and what stands there."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


def check_only_rules(text: str) -> None:
    """NoRules at the first thing that is none, or that is too long or too deep to be one.

    Refused are includes, scripts, calls of functions outside and whatever else clingo would carry out.
    """
    end, length, depth = 0, 0, 0
    deepest, longest = size_limit("brackets"), size_limit("rule")
    if "\0" in text:
        raise _at(text, text.index("\0"), "a character that no rule has")
    while found := _PIECE.match(text, end):
        start, end = found.span()
        kind = found.lastgroup
        length += end - start if kind not in ("block", "comment") else 0
        if kind == "block":
            end = _after_block(text, start)
        elif kind == "quote":
            raise _at(text, start, "a string that does not end in its line")
        elif kind == "directive":
            word = re.sub(r"\s", "", found[0])
            if word not in _IN_RULES:
                raise _at(text, start, f"{word} is none of the rules' own; {_ONLY}")
        elif kind in _REFUSED:
            raise _at(text, start, f"{found[0]!a} {_REFUSED[kind]}; {_ONLY}")
        elif kind == "open":
            depth += 1
            if depth > deepest:
                raise _at(text, start, too_large_message("brackets"))
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "end":
            length, depth = 0, 0
        if length > longest:
            raise _at(text, start, too_large_message("rule"))


def _after_block(text: str, start: int) -> int:
    """Where a comment between %* and *% ends, with those that stand in it."""
    depth, end = 0, start
    while found := _IN_BLOCK.search(text, end):
        end = found.end()
        depth += 1 if found[0] == "%*" else -1
        if depth == 0:
            return end
    raise _at(text, start, "a comment %* that has no end *%")


def _at(text: str, place: int, message: str) -> NotOnlyRules:
    return NotOnlyRules(text.count("\n", 0, place) + 1, message)
