"""The grammars beside this file, with lark's tables for them kept between runs."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from rules_asp import cache


def grammar_of(name: str, starts: Sequence[str], more: str = "") -> Lark:
    """The LALR grammar in the file of this name, `board` or the like, with more rules of kb/."""
    text = resources.files("rules_asp.parser").joinpath(f"{name}.lark").read_text("utf-8") + more
    sources = [each.encode() for each in (text, *starts, lark.__version__)]

    def tables() -> dict[str, Any]:
        made = Lark(text, start=list(starts), parser="lalr")
        # As Lark.save has it, but for pickle.
        data, memo = made.memo_serialize([TerminalDef, Rule])
        return {"data": data, "memo": memo}

    return Lark.load(cache.memoize_on_disk("grammar", sources, tables, dict))
