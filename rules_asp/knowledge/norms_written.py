"""Norms as they are written down: the rules of each, with file and line; what it names and is named by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rules_asp.knowledge.source import KnowledgeBase, Rule, kb_texts
from rules_asp.knowledge.tags import Norm, parse_tag, tag_continuation
from rules_asp.terms.own_rules import is_house_rule

#: An id, or a paragraph, in a text.
_NAMED = re.compile(r"\b(?:[A-Z]{1,4}[0-9]*\.[0-9]+[a-z]?(?:-[0-9]+[a-z]?)?|R-[A-Z]+[0-9][\w.]*\w)")
#: What begins something else in a file of rules.
_RULE_OF_A_PAGE = "% ---"


class SourceLines(NamedTuple):
    """Lines of a file of rules; the file as one finds it, and the number of the first line."""

    file: str
    line: int
    text: str


class References(NamedTuple):
    """The norms and paragraphs that a norm names, and the norms that name it."""

    names: tuple[str, ...]
    named_by: tuple[str, ...]


class NormSources:
    """A knowledge base as its files have it."""

    def __init__(self, source: KnowledgeBase) -> None:
        self._source = source
        self._lines = {each.name: each.text.split("\n") for each in kb_texts()}
        self._rules: dict[str, list[Rule]] = {}
        for rule in source.rules:
            if rule.norm is not None:
                self._rules.setdefault(rule.norm, []).append(rule)
        self._named: Mapping[str, frozenset[str]] = {
            norm.id: frozenset(_NAMED.findall(f"{norm.sense} {norm.other_reading}"))
            | frozenset(
                name for rule in self._rules.get(norm.id, ()) for name in _NAMED.findall(rule.text)
            )
            for norm in source.norms
        }
        self._namers: dict[str, list[str]] = {}
        for namer, names in self._named.items():
            for name in names:
                self._namers.setdefault(name, []).append(namer)

    def source_lines(self, norm: Norm) -> list[SourceLines]:
        """What is written below a norm's tag, and rules of it that stand elsewhere."""
        first, last = self._below(norm)
        lines = self._lines.get(norm.file, [])
        text = "\n".join(lines[first - 1 : last])
        found = [SourceLines(norm.path, first, text)] if text.strip() else []
        for rule in self._rules.get(norm.id, ()):
            if rule.file != norm.file or not first <= rule.line <= last:
                path = rule.file if is_house_rule(rule.file) else f"kb/{rule.file}"
                found.append(SourceLines(path, rule.line, self._rule(rule)))
        return list(dict.fromkeys(found))

    def is_silent(self, norm: Norm) -> bool:
        """Whether it leaves something unknown."""
        return any(
            head.name == "silent" for rule in self._rules.get(norm.id, ()) for head in rule.heads
        )

    def references(self, norm: Norm) -> References:
        """What it names, in its sense or its rules, and what names it, or its paragraph."""
        own = {norm.id, norm.paragraph}
        by = {each: None for name in sorted(own) for each in self._namers.get(name, ())}
        by.pop(norm.id, None)
        return References(tuple(sorted(self._named[norm.id] - own)), tuple(by))

    def _below(self, norm: Norm) -> tuple[int, int]:
        """The first and the last line of what stands below a tag, comments at its end left out."""
        lines = self._lines.get(norm.file, [])
        first = norm.line
        while first < len(lines) and tag_continuation(lines[first]) is not None:
            first += 1
        last = first
        while last < len(lines) and not _begins(lines[last]):
            last += 1
        while last > first and (not lines[last - 1].strip() or lines[last - 1].startswith("%")):
            last -= 1
        return first + 1, last

    def _rule(self, rule: Rule) -> str:
        """A rule as it is written."""
        return "\n".join(_statement(self._lines.get(rule.file, []), rule.line)) or rule.text


def _begins(line: str) -> bool:
    return line.startswith(_RULE_OF_A_PAGE) or parse_tag(line, "", 0) is not None


def _statement(lines: Sequence[str], line: int) -> Iterator[str]:
    for each in lines[line - 1 :]:
        yield each
        if each.partition("%")[0].rstrip().endswith("."):
            return
