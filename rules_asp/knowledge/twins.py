"""By which rules an atom of an answer holds: what a proof is chosen from.

Nothing is solved for this, and nothing is recorded while an answer is computed. The program that an answer
is of has all atoms already; each rule whose head fits an atom that is needed gets a twin there, in a part
of its own, with predicates that no other part has:

    why7(17, head, (b1,b2), (c1,)) :- need7(head), b1, b2, not c1.

A rule of the knowledge base is never grounded a second time, which would be unsound: only twins come to
what is there, and they read atoms that are settled. So the cost is that of what is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import Any

import clingo
from clingo import ast

from rules_asp.knowledge.running import Answer
from rules_asp.knowledge.source import Node, Rule

_ANONYMOUS = re.compile(r"(?<![\w\"])_(?!\w)")
#: A part's number stands for this.
_PART = "\0"
_parts = count()

#: A term with variables: None is whatever it may be.
_Pattern = clingo.Symbol | tuple[str, "tuple[_Pattern, ...]"] | None


@dataclass(frozen=True)
class Support:
    """One way in which an atom holds: the rule, and what it rests on."""

    rule: Rule
    body: tuple[clingo.Symbol, ...]
    absent: tuple[clingo.Symbol, ...]


@dataclass(frozen=True)
class Twin:
    """A rule that can be a reason."""

    number: int
    rule: Rule

    @cached_property
    def _text(self) -> str:
        return _twin(self.number, self.rule)

    @cached_property
    def _pattern(self) -> _Pattern:
        found: list[Any] = []
        ast.parse_string(f"{self.rule.head}.", found.append)
        return _pattern(found[1].head.atom.symbol)

    def fits(self, atom: clingo.Symbol) -> bool:
        """Whether the rule's head may be this atom."""
        return _fits(self._pattern, atom)

    def part(self, number: int) -> str:
        """The twin, with the predicates of this part."""
        return self._text.replace(_PART, str(number))


def twins(rules: Iterable[Rule]) -> dict[tuple[str, int], list[Twin]]:
    """The twins of rules, by name and arity of the head."""
    found: dict[tuple[str, int], list[Twin]] = {}
    for number, rule in enumerate(rules):
        if rule.head is not None:
            for node in rule.heads[:1]:
                found.setdefault((node.name, node.arity), []).append(Twin(number, rule))
    return found


def supports(
    by_head: Mapping[tuple[str, int], Sequence[Twin]],
    answer: Answer,
    atoms: Iterable[clingo.Symbol],
) -> dict[clingo.Symbol, list[Support]]:
    """The ways in which each of these atoms of an answer follows; none for a fact."""
    found: dict[clingo.Symbol, list[Support]] = {atom: [] for atom in atoms}
    used: dict[int, Twin] = {}
    needed = []
    for atom in found:
        fitting = [
            each
            for each in by_head.get((atom.name, len(atom.arguments)), ())
            if each.fits(atom)
        ]
        if fitting:
            needed.append(atom)
            used.update((each.number, each) for each in fitting)
    if not used:
        return found
    control = answer.control
    assert control is not None
    part = next(_parts)
    reading = {node for each in used.values() for node in each.rule.positive + each.rule.negative}
    text = [f"#defined {name}/{arity}." for name, arity in sorted({_named(n) for n in reading})]
    text += [used[number].part(part) for number in sorted(used)]
    text.append("".join(f"need{part}({atom})." for atom in needed))
    control.add(f"part{part}", [], "\n".join(text))
    control.ground([(f"part{part}", [])])
    for each in control.symbolic_atoms.by_signature(f"why{part}", 4):
        number, head, body, absent = each.symbol.arguments
        support = Support(
            used[number.number].rule, tuple(body.arguments), tuple(absent.arguments)
        )
        # A head with an interval is said of its other values as well.
        if head in found and (each.is_fact or _is_so(answer, support)):
            found[head].append(support)
    return found


def _named(node: Node) -> tuple[str, int]:
    return node.name, node.arity


def _is_so(answer: Answer, support: Support) -> bool:
    """Whether all that a way rests on is so in this answer, where there is more than one."""
    return all(map(answer.settles, support.body)) and not any(map(answer.settles, support.absent))


def _pattern(term: Any) -> _Pattern:
    if term.ast_type == ast.ASTType.SymbolicTerm:
        symbol: clingo.Symbol = term.symbol
        return symbol
    if term.ast_type == ast.ASTType.Function and not term.external:
        return term.name, tuple(map(_pattern, term.arguments))
    return None


def _fits(pattern: _Pattern, symbol: clingo.Symbol) -> bool:
    if pattern is None:
        return True
    if isinstance(pattern, clingo.Symbol):
        return pattern == symbol
    name, inner = pattern
    if symbol.type != clingo.SymbolType.Function or symbol.name != name:
        return False
    arguments = symbol.arguments
    return len(inner) == len(arguments) and all(map(_fits, inner, arguments))


def _twin(number: int, rule: Rule) -> str:
    anonymous = count(1)

    def named(text: str) -> str:
        return _ANONYMOUS.sub(lambda _: f"Any{next(anonymous)}", text)

    head = rule.head or ""
    atoms: list[str] = []
    absent: list[str] = []
    body: list[str] = []
    more: list[str] = []
    for literal in rule.literals:
        if literal.kind == "atom":
            text = named(literal.text)
            atoms.append(text)
            body.append(text)
            continue
        body.append(literal.text)
        if literal.kind == "absent" and not _ANONYMOUS.search(literal.text):
            absent.append(literal.text.removeprefix("not "))
        more += [named(each) for each in literal.elements]
    what = f"why{_PART}({number},{head},{_tuple(atoms)},{_tuple(absent)})"
    twin = f"{what} :- {'; '.join([f'need{_PART}({head})', *body])}.\n"
    # What an aggregate ranges over comes as further ways by the same rule.
    for element in more:
        positive = [part for part in element.split(", ") if not part.startswith("not ")]
        element_atoms = [part for part in _split(element) if re.match(r"[a-z]\w*\(", part)]
        if positive and element_atoms:
            twin += f"why{_PART}({number},{head},({element_atoms[0]},),()) :- {what}, {element}.\n"
    return twin


def _tuple(texts: Sequence[str]) -> str:
    return f"({','.join(texts)}{',' if len(texts) == 1 else ''})"


def _split(text: str) -> Iterator[str]:
    """Split a list of literals at its outer commas."""
    depth, start = 0, 0
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            yield text[start:place].strip()
            start = place + 1
    yield text[start:].strip()
