"""The comments of a knowledge base, tags among them, where each stands."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from clingo import ast

from rules_asp.knowledge.parsing import parse_statements
from rules_asp.knowledge.source import kb_texts


class Comment(NamedTuple):
    """A comment of the knowledge base, a tag or another, and where it begins."""

    text: str
    file: str
    line: int


def read_comments(folder: Path | None = None) -> tuple[Comment, ...]:
    """All comments of a knowledge base."""
    return tuple(comment for name, text in kb_texts(folder) for comment in comments_of(text, name))


def comments_of(text: str, name: str = "<text>") -> list[Comment]:
    """The comments of one file; `name` is what messages call it."""
    return [
        Comment(node.value, name, node.location.begin.line)
        for node in parse_statements(text)
        if node.ast_type == ast.ASTType.Comment
    ]
