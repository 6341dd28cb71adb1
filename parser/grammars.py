"""The grammars beside this file, with lark's tables for them kept between runs."""

from __future__ import annotations

from importlib import resources
from typing import Any

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from rules_asp import cache


def grammar_of(name: str, start: str) -> Lark:
    """The LALR grammar in the file of this name, `board` or the like."""
    text = resources.files("rules_asp.parser").joinpath(f"{name}.lark").read_text("utf-8")
    sources = [text.encode(), start.encode(), lark.__version__.encode()]

    def tables() -> dict[str, Any]:
        made = Lark(text, start=start, parser="lalr")
        # As Lark.save has it, but for pickle.
        data, memo = made.memo_serialize([TerminalDef, Rule])
        return {"data": data, "memo": memo}

    return Lark.load(cache.remember("grammar", sources, tables, dict))
