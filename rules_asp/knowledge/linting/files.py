"""Whether the files of a knowledge base can be read: no line too long, no rule body over too many lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from clingo import ast

from rules_asp.knowledge.linting.atoms import Fault
from rules_asp.knowledge.parsing import parse_statements
from rules_asp.knowledge.source import reject_non_rules

#: Characters in a line.
LONGEST_LINE = 100
#: Lines of the body of a rule.
LONGEST_BODY = 4


def line_limits(folder: Path) -> Iterator[Fault]:
    """The lines and rules of all files of a knowledge base, the lab's too, that are too long to be read.

    SourceError for a file that is no rules.
    """
    for path in sorted(folder.rglob("*.lp")):
        name = path.relative_to(folder).as_posix()
        text = path.read_text("utf-8")
        reject_non_rules(text, name)
        for number, line in enumerate(text.split("\n"), start=1):
            if len(line) > LONGEST_LINE:
                yield Fault(name, number, f"the line is longer than {LONGEST_LINE} characters")
        for place, count in _bodies(text):
            if count > LONGEST_BODY:
                yield Fault(name, place, f"the body is longer than {LONGEST_BODY} lines")


def _bodies(text: str) -> list[tuple[int, int]]:
    """Where each rule begins, and over how many lines its body goes."""
    found: list[tuple[int, int]] = []
    for node in parse_statements(text):
        if node.ast_type == ast.ASTType.Rule and node.body:
            first = min(literal.location.begin.line for literal in node.body)
            found.append((node.location.begin.line, node.location.end.line - first + 1))
    return found
