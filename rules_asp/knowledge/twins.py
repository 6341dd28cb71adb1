"""Rules as they are looked up in an answer: a twin finds the atoms by which a rule has its head there.

    why0(look_up, 17, 0, head, (b1,b2), (c1,)) :- need(look_up, head), b1, b2, not c1.

Each twin stands in a part of its own, of which the parameter is the number of the look-up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import clingo
from clingo import ast

from rules_asp.knowledge.parsing import parse_statements
from rules_asp.knowledge.source import Rule, Signature

ANONYMOUS = re.compile(r"(?<![\w\"])_(?!\w)")
_VARIABLE = re.compile(r'(?<![\w"])_*[A-Z]\w*')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_MIRRORED = str.maketrans("()", ")(")
#: What an aggregate ranges over.
_INNER = re.compile(r"\{.*\}")

#: A term with variables: None is whatever it may be.
AtomPattern = clingo.Symbol | tuple[str, "tuple[AtomPattern, ...]"] | None


@dataclass(frozen=True)
class SupportRule:
    """A rule that can be a reason."""

    number: int
    rule: Rule

    @property
    def reads(self) -> Sequence[Signature]:
        """What has to be at hand for it."""
        return self.rule.body

    def program_part(self, shelf: int) -> Sequence[ast.AST]:
        """The twin as clingo reads it, for one of the shelves that findings are kept on."""
        return self._first if shelf == 0 else parse_statements(self.text(shelf))

    def text(self, shelf: int) -> str:
        """The twin as text."""
        return _twin(self.number, self.rule, shelf)

    @cached_property
    def _first(self) -> Sequence[ast.AST]:
        return parse_statements(self.text(0))

    @cached_property
    def _pattern(self) -> AtomPattern:
        (_, head) = parse_statements(f"{self.rule.head}.")
        return pattern_of(head.head.atom.symbol)

    def fits(self, atom: clingo.Symbol) -> bool:
        """Whether the rule's head may be this atom."""
        return matches(self._pattern, atom)


def part_name(number: int, shelf: int) -> str:
    """The name of the part of a twin."""
    return f"twin{number}_{shelf}"


def pattern_of(term: Any) -> AtomPattern:
    """A term of a rule, to hold symbols against."""
    if term.ast_type == ast.ASTType.SymbolicTerm:
        symbol: clingo.Symbol = term.symbol
        return symbol
    if term.ast_type == ast.ASTType.Function and not term.external:
        return term.name, tuple(map(pattern_of, term.arguments))
    return None


def matches(pattern: AtomPattern, symbol: clingo.Symbol) -> bool:
    """Whether a symbol is one of a pattern."""
    if pattern is None:
        return True
    if isinstance(pattern, clingo.Symbol):
        return pattern == symbol
    name, inner = pattern
    if symbol.type != clingo.SymbolType.Function or symbol.name != name:
        return False
    arguments = symbol.arguments
    return len(inner) == len(arguments) and all(map(matches, inner, arguments))


def _twin(number: int, rule: Rule, shelf: int) -> str:
    anonymous = count(1)

    def named(text: str) -> str:
        return ANONYMOUS.sub(lambda _: f"Any{next(anonymous)}", text)

    head = rule.head or ""
    atoms: list[str] = []
    absent: list[str] = []
    body: list[str] = []
    more: list[str] = []
    for literal in rule.literals:
        if literal.kind == "atom":
            # An interval that stood in the head would stand there for all of its values.
            text, ranges = _ranged(named(literal.text), anonymous)
            atoms.append(text)
            body += (text, *ranges)
            continue
        body.append(literal.text)
        if literal.kind == "absent" and not ANONYMOUS.search(literal.text):
            absent.append(literal.text.removeprefix("not "))
        more += [named(each) for each in literal.elements]
    needed = "; ".join([f"need(look_up,{head})", *body])
    way = f"why{shelf}(look_up,{number},0,{head},{_tuple(atoms)},{_tuple(absent)})"
    lines = [f"#program {part_name(number, shelf)}(look_up).", f"{way} :- {needed}."]
    # What an aggregate ranges over comes as further ways by the same rule. Its own variables must stay
    # its own, so only those that the rest of the rule has too are carried over to where it is told.
    outside = _variables(head, *(_INNER.sub("", literal.text) for literal in rule.literals))
    for place, element in enumerate(more, 1):
        positive = [part for part in element.split(", ") if not part.startswith("not ")]
        element_atoms = [part for part in split_arguments(element) if re.match(r"[a-z]\w*\(", part)]
        if positive and element_atoms:
            shared = _tuple([f"{number}", f"{place}", *sorted(outside & _variables(element))])
            lines.append(f"with(look_up,{head},{shared}) :- {needed}.")
            way = f"why{shelf}(look_up,{number},{place},It,{_tuple(element_atoms)},())"
            lines.append(f"{way} :- with(look_up,It,{shared}), {element}.")
    return "\n".join(lines)


def _ranged(text: str, numbers: Iterator[int]) -> tuple[str, list[str]]:
    """An atom with a variable in place of each interval, and what says what this may be."""
    ranges: list[str] = []
    while (dots := (bare := _STRING.sub(_blank, text)).find("..")) >= 0:
        start, end = _opening(bare, dots), dots + 1 + _closing(bare[dots + 1 :])
        ranges.append(f"Any{next(numbers)} = {text[start:end]}")
        text = text[:start] + ranges[-1].partition(" ")[0] + text[end:]
    return text, ranges


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _opening(text: str, place: int) -> int:
    """Where the bracket opens in which this place is: clingo writes each interval in one."""
    return place - _closing(text[:place][::-1].translate(_MIRRORED))


def _closing(text: str) -> int:
    """Behind the bracket that closes one that is open before this text."""
    depth = 1
    for place, letter in enumerate(text, 1):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return place
    raise ValueError(f"no bracket closes {text}")


def _variables(*texts: str) -> set[str]:
    return {each for text in texts for each in _VARIABLE.findall(text)}


def _tuple(texts: Sequence[str]) -> str:
    return f"({','.join(texts)}{',' if len(texts) == 1 else ''})"


def split_arguments(text: str) -> Iterator[str]:
    """Split a list of literals at its outer commas."""
    depth, start = 0, 0
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            yield text[start:place].strip()
            start = place + 1
    yield text[start:].strip()
