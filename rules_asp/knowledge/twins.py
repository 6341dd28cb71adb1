"""By which rules an atom of an answer holds: what a proof is chosen from.

Nothing is solved for this, and nothing is recorded while an answer is computed. The answer has all atoms
already; each rule whose head fits atoms that are needed gets a twin, in a part of its own. The parameter
of the part is the number of the look-up:

    why0(look_up, 17, 0, head, (b1,b2), (c1,)) :- need(look_up, head), b1, b2, not c1.

The atoms come as facts to a program in which nothing else is: no rule of the knowledge base is grounded a
second time, which would be unsound, and all atoms of a predicate are there before a twin reads it. So the
cost is that of what is looked for, and of the twins that were ever added: each look-up takes some time for
each statement of the program, wherefore it is not that of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from operator import itemgetter
from typing import Any

import clingo
from clingo import ast

from rules_asp.knowledge.book import section_of
from rules_asp.knowledge.running import Answer, EngineError, state
from rules_asp.knowledge.source import Rule, Source
from rules_asp.knowledge.tags import Norm

_ANONYMOUS = re.compile(r"(?<![\w\"])_(?!\w)")
_VARIABLE = re.compile(r'(?<![\w"])_*[A-Z]\w*')
#: What an aggregate ranges over.
_INNER = re.compile(r"\{.*\}")
_FIRST_TEXT = re.compile(r'\w+\("([^"\\]*)"')
_STRING = clingo.SymbolType.String
#: So many findings are kept in one predicate.
_FEW = 1000

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

    def part(self, shelf: int) -> Sequence[ast.AST]:
        """The twin as clingo reads it, for one of the shelves that findings are kept on."""
        return self._first if shelf == 0 else _read(_twin(self.number, self.rule, shelf))

    @cached_property
    def _first(self) -> Sequence[ast.AST]:
        return _read(_twin(self.number, self.rule, 0))

    @cached_property
    def _pattern(self) -> _Pattern:
        (_, head) = _read(f"{self.rule.head}.")
        return _pattern(head.head.atom.symbol)

    def fits(self, atom: clingo.Symbol) -> bool:
        """Whether the rule's head may be this atom."""
        return _fits(self._pattern, atom)


#: The name and arity of a head, and the text that it begins with: a norm's id.
_Head = tuple[str, int, str]


@dataclass(frozen=True)
class Twins:
    """The twins of a knowledge base, by their heads.

    They are numbered as they are preferred for reasons: what is printed before what is assumed, and of
    these the last in reading order first, a section before the general rules: it is the narrower.
    `ranks` has the same order for the norms.
    """

    by_head: Mapping[_Head, Sequence[Twin]]
    ranks: Mapping[str, int]

    def preferred(self, body: clingo.Symbol) -> tuple[int, ...]:
        """By which norms some atoms stand, as the calculus has it: the less, the better."""
        firsts = (atom.arguments[:1] for atom in body.arguments)
        texts = [one.string for (one,) in filter(None, firsts) if one.type == _STRING]
        return tuple(self.ranks.get(text, len(self.ranks)) for text in texts)


def twins_of(source: Source) -> Twins:
    """The twins of all rules."""
    sections: dict[str, int] = {}
    for norm in source.norms:
        sections.setdefault(section_of(norm.paragraph), len(sections))

    def order(norm: Norm) -> tuple[int, str]:
        return sections[section_of(norm.paragraph)], norm.paragraph

    norms = sorted(source.norms, key=order)[::-1]
    norms.sort(key=lambda norm: norm.assumed)
    ranks = {norm.id: rank for rank, norm in enumerate(norms)}
    ordered = sorted(source.rules, key=lambda rule: ranks.get(rule.norm or "", -1))
    found: dict[_Head, list[Twin]] = {}
    for number, rule in enumerate(ordered):
        if rule.head is not None:
            text = _FIRST_TEXT.match(rule.head)
            node = rule.heads[0]
            key = node.name, node.arity, text[1] if text else ""
            found.setdefault(key, []).append(Twin(number, rule))
    return Twins(found, ranks)


def _like(twins: Twins, atom: clingo.Symbol) -> Iterator[Twin]:
    """The twins of which the head may be this atom."""
    arguments = atom.arguments
    names = [""]
    if arguments and arguments[0].type == clingo.SymbolType.String:
        names.append(arguments[0].string)
    for name in names:
        for each in twins.by_head.get((atom.name, len(arguments), name), ()):
            if each.fits(atom):
                yield each


class Reasons:
    """The ways in which atoms of one answer follow, looked up when they are wanted and then kept."""

    def __init__(self, twins: Twins, answer: Answer) -> None:
        self._twins = twins
        self._found: dict[clingo.Symbol, list[Support]] = {}
        self._search = _Search(twins, answer)
        #: How often something was not known yet.
        self.lookups = 0

    def of(self, atoms: Iterable[clingo.Symbol]) -> dict[clingo.Symbol, list[Support]]:
        """The ways in which each of these atoms follows; none for a fact, or what is not so."""
        atoms = tuple(atoms)
        new = [atom for atom in atoms if atom not in self._found]
        if new:
            self._look_up(new)
        return {atom: self._found[atom] for atom in atoms}

    def _look_up(self, atoms: Iterable[clingo.Symbol]) -> None:
        used: dict[int, Twin] = {}
        needed = []
        for atom in atoms:
            self._found[atom] = []
            fitting = list(_like(self._twins, atom))
            if fitting:
                needed.append(atom)
                used.update((each.number, each) for each in fitting)
        if not used:
            return
        self.lookups += 1
        twins = [used[number] for number in sorted(used)]
        for atom, way in self._search.ways(needed, twins):
            self._found[atom].append(way)


class _Search:
    """A program that has the atoms of an answer, those that are read, and the twins that read them."""

    def __init__(self, twins: Twins, answer: Answer) -> None:
        self._preferred = twins.preferred
        self._answer = answer
        self._told: list[str] = []
        # A predicate of which nothing is true is no mistake here.
        self._control = clingo.Control(
            ["--warn=no-atom-undefined"], logger=lambda _, text: self._told.append(text)
        )
        self._given: set[tuple[str, int]] = set()
        self._parts: dict[int, Rule] = {}
        self._lookups = 0
        # clingo goes through all findings of a predicate to find the last: they are kept in several.
        self._shelf = 0
        self._found = 0

    def ways(
        self, needed: Sequence[clingo.Symbol], twins: Sequence[Twin]
    ) -> list[tuple[clingo.Symbol, Support]]:
        """The ways in which the needed atoms follow by these twins, in the order of the rules."""
        if self._found > _FEW:
            self._shelf, self._found, self._parts = self._shelf + 1, 0, {}
        self._lookups += 1
        number = clingo.Number(self._lookups)
        try:
            self._add([each for each in twins if each.number not in self._parts])
            state(self._control, (clingo.Function("need", [number, atom]) for atom in needed))
            self._control.ground([(_part(each.number, self._shelf), [number]) for each in twins])
        except RuntimeError as error:
            raise EngineError("; ".join(self._told[:3]) or str(error)) from None
        if self._told:
            raise EngineError("; ".join(self._told[:3]))
        every = self._control.symbolic_atoms.by_signature(f"why{self._shelf}", 6)
        found = [each.symbol.arguments for each in islice(every, self._found, None)]
        self._found += len(found)
        wanted = frozenset(needed)
        ways = []
        for _, rule, place, head, body, absent in found:
            # A head with an interval is said of its other values as well.
            if head in wanted:
                way = Support(
                    self._parts[rule.number], tuple(body.arguments), tuple(absent.arguments)
                )
                ways.append((rule, place, self._preferred(body), body, absent, head, way))
        # Not in the order in which clingo came to them.
        return [(head, way) for *_, head, way in sorted(ways, key=itemgetter(slice(5)))]

    def _add(self, new: Sequence[Twin]) -> None:
        """Add twins, and all that is true of what they read."""
        read = {(node.name, node.arity) for each in new for node in each.rule.body}
        for each in sorted(read - self._given):
            state(self._control, self._answer.own(*each))
        self._given |= read
        with ast.ProgramBuilder(self._control) as builder:
            for twin in new:
                self._parts[twin.number] = twin.rule
                for statement in twin.part(self._shelf):
                    builder.add(statement)


def _part(number: int, shelf: int) -> str:
    return f"twin{number}_{shelf}"


def _read(text: str) -> list[Any]:
    found: list[Any] = []
    ast.parse_string(text, found.append)
    return found


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


def _twin(number: int, rule: Rule, shelf: int) -> str:
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
    needed = "; ".join([f"need(look_up,{head})", *body])
    way = f"why{shelf}(look_up,{number},0,{head},{_tuple(atoms)},{_tuple(absent)})"
    lines = [f"#program {_part(number, shelf)}(look_up).", f"{way} :- {needed}."]
    # What an aggregate ranges over comes as further ways by the same rule. Its own variables must stay
    # its own, so only those that the rest of the rule has too are carried over to where it is told.
    outside = _variables(head, *(_INNER.sub("", literal.text) for literal in rule.literals))
    for place, element in enumerate(more, 1):
        positive = [part for part in element.split(", ") if not part.startswith("not ")]
        element_atoms = [part for part in _split(element) if re.match(r"[a-z]\w*\(", part)]
        if positive and element_atoms:
            shared = _tuple([f"{number}", f"{place}", *sorted(outside & _variables(element))])
            lines.append(f"with(look_up,{head},{shared}) :- {needed}.")
            way = f"why{shelf}(look_up,{number},{place},It,({element_atoms[0]},),())"
            lines.append(f"{way} :- with(look_up,It,{shared}), {element}.")
    return "\n".join(lines)


def _variables(*texts: str) -> set[str]:
    return {each for text in texts for each in _VARIABLE.findall(text)}


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
