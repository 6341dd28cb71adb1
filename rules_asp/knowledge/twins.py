"""By which rules an atom of an answer holds: what a proof is chosen from.

Nothing is solved for this, and nothing is recorded while an answer is computed. The answer has all atoms
already; each rule whose head fits atoms that are needed gets a twin, in a part of its own. The parameter
of the part is the number of the look-up:

    why0(t, 17, head, (b1,b2), (c1,)) :- need(t, head), b1, b2, not c1.

The twins are added to the grounded program that the answer is of: no rule of the knowledge base is grounded
a second time, which would be unsound, and nothing there reads what twins derive. So the cost is that of what
is looked for. Where that program has atoms that are true in one answer set and not in another, the twins go
to one that has the atoms of this answer as facts and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import Any
from weakref import WeakKeyDictionary

import clingo
from clingo import ast

from rules_asp.knowledge.kept_answers import KeptAnswer
from rules_asp.knowledge.running import Answer, ground, state
from rules_asp.knowledge.source import Rule, Source

_ANONYMOUS = re.compile(r"(?<![\w\"])_(?!\w)")
_VARIABLE = re.compile(r'(?<![\w"])_*[A-Z]\w*')
#: What an aggregate ranges over.
_INNER = re.compile(r"\{.*\}")
_FIRST_TEXT = re.compile(r'\w+\("([^"\\]*)"')
#: So many findings are kept in one predicate.
_FEW = 2000

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
Twins = Mapping[_Head, Sequence[Twin]]


def twins_of(source: Source) -> Twins:
    """The twins of all rules, by name and arity of the head, and by the text that it begins with, if any.

    They are numbered as they are preferred for reasons: what is printed before what is assumed, and
    then in reading order.
    """
    assumed = {norm.id for norm in source.norms if norm.assumed}
    found: dict[_Head, list[Twin]] = {}
    for number, rule in enumerate(sorted(source.rules, key=lambda each: each.norm in assumed)):
        if rule.head is not None:
            text = _FIRST_TEXT.match(rule.head)
            node = rule.heads[0]
            key = node.name, node.arity, text[1] if text else ""
            found.setdefault(key, []).append(Twin(number, rule))
    return found


def _like(by_head: Twins, atom: clingo.Symbol) -> Iterator[Twin]:
    """The twins of which the head may be this atom."""
    arguments = atom.arguments
    names = [""]
    if arguments and arguments[0].type == clingo.SymbolType.String:
        names.append(arguments[0].string)
    for name in names:
        for each in by_head.get((atom.name, len(arguments), name), ()):
            if each.fits(atom):
                yield each


class Reasons:
    """The ways in which atoms of one answer follow, looked up when they are wanted and then kept."""

    def __init__(self, by_head: Twins, answer: Answer) -> None:
        self._by_head = by_head
        self._found: dict[clingo.Symbol, list[Support]] = {}
        # Of one that was kept, only what twins read is given to a program of its own.
        self._kept = answer if isinstance(answer, KeptAnswer) else None
        self._given: set[tuple[str, int]] = set()
        certain = answer.control is not None and answer.is_certain
        all_ = () if self._kept else answer.symbols
        control = answer.control if certain else ground(facts=all_)
        assert control is not None
        self._control = control
        self._search = _SEARCHES.setdefault(control, _Search())
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
            fitting = list(_like(self._by_head, atom))
            if fitting:
                needed.append(atom)
                used.update((each.number, each) for each in fitting)
        if not used:
            return
        self.lookups += 1
        twins = [used[number] for number in sorted(used)]
        if self._kept is not None:
            self._give(self._kept, {(n.name, n.arity) for each in twins for n in each.rule.body})
        for atom, way in self._search.ways(self._control, needed, twins):
            self._found[atom].append(way)

    def _give(self, kept: KeptAnswer, read: set[tuple[str, int]]) -> None:
        """Give all atoms of some predicates to the program, before a twin reads any of them."""
        new = sorted(read - self._given)
        self._given |= read
        state(self._control, (atom for each in new for atom in kept.atoms(*each)))


class _Search:
    """What was added to a grounded program to look up reasons in it."""

    def __init__(self) -> None:
        self._lookups = 0
        self._parts: dict[int, Rule] = {}
        # clingo goes through all findings of a predicate to find the last: they are kept in several.
        self._shelf = 0
        self._found = 0

    def ways(
        self, control: clingo.Control, needed: Sequence[clingo.Symbol], twins: Sequence[Twin]
    ) -> list[tuple[clingo.Symbol, Support]]:
        """The ways in which the needed atoms follow by these twins, in the order of the rules."""
        if self._found > _FEW:
            self._shelf, self._found, self._parts = self._shelf + 1, 0, {}
        self._lookups += 1
        number = clingo.Number(self._lookups)
        with ast.ProgramBuilder(control) as builder:
            for each in twins:
                if each.number not in self._parts:
                    self._parts[each.number] = each.rule
                    for statement in each.part(self._shelf):
                        builder.add(statement)
        state(control, (clingo.Function("need", [number, atom]) for atom in needed))
        control.ground([(_part(each.number, self._shelf), [number]) for each in twins])
        every = control.symbolic_atoms.by_signature(f"why{self._shelf}", 5)
        found = [each.symbol.arguments for each in islice(every, self._found, None)]
        self._found += len(found)
        wanted = frozenset(needed)
        return [
            (
                head,
                Support(self._parts[rule.number], tuple(body.arguments), tuple(absent.arguments)),
            )
            # Not in the order in which clingo came to them.
            for _, rule, head, body, absent in sorted(found)
            # A head with an interval is said of its other values as well.
            if head in wanted
        ]


#: Of each program that reasons were looked up in, while it is there.
_SEARCHES: WeakKeyDictionary[clingo.Control, _Search] = WeakKeyDictionary()


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
    needed = "; ".join([f"need(t,{head})", *body])
    lines = [f"#program {_part(number, shelf)}(t).", "#defined need/2.", "#defined with/3."]
    lines += [f"#defined {node.name}/{node.arity}." for node in dict.fromkeys(rule.body)]
    lines.append(f"why{shelf}(t,{number},{head},{_tuple(atoms)},{_tuple(absent)}) :- {needed}.")
    # What an aggregate ranges over comes as further ways by the same rule. Its own variables must stay
    # its own, so only those that the rest of the rule has too are carried over to where it is told.
    outside = _variables(head, *(_INNER.sub("", literal.text) for literal in rule.literals))
    for place, element in enumerate(more):
        positive = [part for part in element.split(", ") if not part.startswith("not ")]
        element_atoms = [part for part in _split(element) if re.match(r"[a-z]\w*\(", part)]
        if positive and element_atoms:
            shared = _tuple([f"{number}", f"{place}", *sorted(outside & _variables(element))])
            lines.append(f"with(t,{head},{shared}) :- {needed}.")
            way = f"why{shelf}(t,{number},It,({element_atoms[0]},),())"
            lines.append(f"{way} :- with(t,It,{shared}), {element}.")
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
